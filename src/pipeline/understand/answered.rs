//! Findings that a note denies behind their names: "fever: no", "weight loss? none", "haemoptysis (-)", 咯血（-）; and the rest of a list
//! that began with "no" under a heading that only asks for symptoms ("ROS: no SOB, chest pain, palpitations") or as a whole sentence.

use super::layout::{Layout, gap};
use crate::language::negation::IsFindingAt;
use crate::text::Token;

/// The most words of a name before its sign.
const NAME: usize = 5;
/// The most words of an item of a list, and of one that no heading introduces.
const ITEM: usize = 3;
const BARE_ITEM: usize = 2;

/// The tokens that a sign or an answer behind them says to be absent, as ranges.
pub(super) fn denied_behind(text: &str, tokens: &[Token], layout: &Layout) -> Vec<std::ops::Range<usize>> {
    let begins = |at: usize| {
        let breaks = |at: &usize| tokens.get(*at).is_some_and(|token| token.after_break);
        let least = at.saturating_sub(NAME - 1);
        (least..=at).rev().find(breaks).unwrap_or(least)
    };
    let mut all = Vec::new();
    for at in 0..tokens.len() {
        let behind = gap(text, tokens, at);
        let next = tokens.get(at + 1).map_or("", |token| token.text.as_str());
        let is_minus = behind.ends_with(['-', '−', '－']) && next == "ve" || is_bracketed_minus(behind);
        let is_answer = || {
            let is_asked = behind.trim_start().starts_with(['?', '？', ':', '：', '=']);
            let says_no = matches!(next, "no" | "none" | "nil" | "nope" | "never" | "neg" | "negative" | "absent" | "无" | "否");
            let ends = tokens.get(at + 2).is_none_or(|token| token.after_break);
            is_asked && says_no && ends
        };
        if (is_minus || is_answer()) && !layout.is_heading(at) {
            all.push(begins(at)..at + 1);
        }
    }
    all
}

/// Whether a minus stands in brackets right behind a word.
fn is_bracketed_minus(behind: &str) -> bool {
    let inside = behind.trim_start().strip_prefix(['(', '（']).and_then(|rest| rest.trim_start().strip_prefix(['-', '−', '－', '–', '—']));
    inside.is_some_and(|rest| rest.trim_start().starts_with([')', '）']))
}

/// The further items of a list that began with a denial, under a heading that asks for symptoms or as a sentence of its own: tokens from
/// `from`, where the first item ends, on.
pub(super) fn rest_of_list(
    text: &str,
    tokens: &[Token],
    layout: &Layout,
    (cue, from): (usize, usize),
    is_finding_at: IsFindingAt<'_>,
) -> Option<std::ops::Range<usize>> {
    let sentence = layout.sentence(cue);
    let is_heading = |at: &usize| {
        let words = tokens.get(*at..cue).unwrap_or_default();
        let joined: Vec<&str> = words.iter().map(|token| token.text.as_str()).collect();
        matches!(joined.as_slice(), ["ros"] | ["systems", "review"] | ["review", "of", "systems"] | ["s", "r"] | ["systemic", "enquiry"])
    };
    let begin = sentence.first.max(cue.saturating_sub(NAME));
    let is_headed = (begin..cue).any(|at| is_heading(&at));
    // "No chest pain, palpitations, syncope." is one denial, if the sentence holds nothing but names.
    let is_bare = cue == sentence.first && tokens.get(cue).is_some_and(|token| matches!(token.text.as_str(), "no" | "nil"));
    if !is_headed && !is_bare {
        return None;
    }
    let (mut last, mut items) = (from, 0);
    let most = if is_headed { ITEM } else { BARE_ITEM };
    // "Runny nose today" tells of one.
    let tells = |end: usize| {
        let word = end.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
        !is_headed && matches!(word, "today" | "now" | "tonight" | "yesterday" | "though" | "too" | "also" | "present" | "yes")
    };
    while last < sentence.last {
        let is_comma = last.checked_sub(1).is_some_and(|before| matches!(gap(text, tokens, before).trim(), "," | "/" | "，"));
        let end = (last + 1..sentence.last).find(|at| tokens.get(*at).is_some_and(|token| token.after_break)).unwrap_or(sentence.last);
        if !is_comma || end - last > most || !is_finding_at(last) && end - last > 1 || tells(end) {
            break;
        }
        (last, items) = (end, items + 1);
    }
    (last > from && (is_headed || items > 1 && last == sentence.last)).then_some(from..last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn denied(text: &str) -> Vec<String> {
        let tokens = tokenise(text);
        let layout = Layout::of(text, &tokens);
        let words = |range: std::ops::Range<usize>| text[tokens[range.start].start..tokens[range.end - 1].end].to_owned();
        denied_behind(text, &tokens, &layout).into_iter().map(words).collect()
    }

    #[test]
    fn a_sign_or_an_answer_behind_a_name_denies_it() {
        assert_eq!(denied("cough, haemoptysis (-), wt loss -ve, chest pain"), ["haemoptysis", "wt loss"]);
        assert_eq!(denied("night sweats? no. fever: none, cough: yes"), ["night sweats", "fever"]);
        assert_eq!(denied("发热（-），咳嗽（+），咯血：无"), ["发热", "咯血"]);
        for text in ["fever? no idea", "cough (dry)", "Is it gout? No rash so far", "BP 120-80"] {
            assert!(denied(text).is_empty(), "{text}: {:?}", denied(text));
        }
    }

    #[test]
    fn under_a_heading_for_symptoms_a_denial_holds_for_the_whole_list() {
        let rest = |text: &str| {
            let tokens = tokenise(text);
            let cue = tokens.iter().position(|token| token.text == "no").expect("is there");
            rest_of_list(text, &tokens, &Layout::of(text, &tokens), (cue, cue + 2), &|_| true)
                .map(|range| text[tokens[range.start].start..tokens[range.end - 1].end].to_owned())
        };
        assert_eq!(rest("ROS: no SOB, chest pain, palps, syncope. Tired"), Some("chest pain, palps, syncope".into()));
        assert_eq!(rest("no fever, headache since Monday"), None);
        assert_eq!(rest("Crushing. No palpitations, syncope, ankle swelling. Sweaty"), Some("syncope, ankle swelling".into()));
        for text in [
            "No fever, cough, runny nose since Monday week",
            "no fever, cough",
            "Well, no fever, cough, rash",
            "No fever, cough, rash today",
        ] {
            assert_eq!(rest(text), None, "{text}");
        }
    }
}
