//! Where a cue for what is over, ruled out or a risk says something else: "his hand has gone numb", "the fever has not settled", "coeliac excluded?", "risk
//! factors".

use super::layout::Sentence;
use super::scope::is_contrast;
use crate::text::Token;

/// How many words before "settled" may deny it; of Chinese characters fewer.
const DENIED_WITHIN: usize = 3;
const DENIED_WITHIN_CHINESE: usize = 2;

/// Whether words that say that something is over are denied, so that it is still there: "the fever has not settled", "hasn't gone away", 疼痛未缓解.
pub(super) fn is_still_there(tokens: &[Token], first: usize) -> bool {
    let is_chinese = tokens.get(first).is_some_and(|token| token.cjk);
    let within = if is_chinese { DENIED_WITHIN_CHINESE } else { DENIED_WITHIN };
    let denies = |token: &Token| match token.text.as_str() {
        "not" | "never" | "hasnt" | "havent" | "hadnt" | "isnt" | "arent" | "wasnt" | "wont" | "didnt" | "doesnt" => !is_chinese,
        "没" | "未" | "不" => is_chinese,
        _ => false,
    };
    let joined = |at: &usize| tokens.get(*at + 1).is_some_and(|next| !next.after_break && !is_contrast(&next.text));
    let mut near = (first.saturating_sub(within)..first).rev().take_while(joined);
    near.any(|at| tokens.get(at).is_some_and(denies))
}

/// Whether it is only asked whether something was ruled out: "tTG negative. Coeliac excluded?", "PE ruled out then?"
pub(super) fn asks_whether(tokens: &[Token], sentence: Sentence, (first, last): (usize, usize)) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let rules_out = (first..last).any(|at| matches!(word(at), "excluded" | "ruled" | "排"));
    sentence.asks
        && rules_out
        && (last..sentence.last).all(|at| matches!(word(at), "now" | "then" | "yet" | "or" | "not" | "吗" | "了" | "么"))
}

/// Whether "risk" behind a name says nothing of it: its risk factors, and of somebody who may harm himself the risk is what he has.
pub(super) fn is_other_risk(tokens: &[Token], first: usize, last: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let is_risk = word(Some(first)) == "risk" || word(Some(first)) == "风";
    let is_of_self = matches!(word(first.checked_sub(1)), "suicide" | "suicidal" | "harm" | "杀" | "伤");
    is_risk && (is_of_self || matches!(word(Some(last)), "factor" | "factors" | "of" | "因"))
}

/// What 家族史 behind it tells of: 有青霉素过敏家族史. Nothing where it heads what follows ("家族史：高血压"); empty where it stands alone (无家族史，咽痛).
pub(super) fn told_before(text: &str, tokens: &[Token], (first, last): (usize, usize)) -> Option<std::ops::Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if !tokens.get(first).is_some_and(|token| token.cjk) || word(last.saturating_sub(1)) != "史" {
        return None;
    }
    let starts = |at: &usize| tokens.get(*at).is_some_and(|token| token.after_break);
    let clause = (0..=first).rev().find(starts).unwrap_or(0);
    let begins = |at: &usize| matches!(word(*at), "有" | "无" | "否" | "认" | "诉" | "没" | "伴" | "且" | "的");
    // "…的家族史": what stands before 的 counts.
    let end = first - usize::from(first > clause && word(first.saturating_sub(1)) == "的");
    let begin = (clause..end).rev().find(begins).map_or(clause, |at| at + 1);
    let next = tokens.get(last);
    let heads = next.is_some_and(|next| {
        let joint = last.checked_sub(1).and_then(|at| tokens.get(at)).and_then(|one| text.get(one.end..next.start)).unwrap_or_default();
        !next.after_break || joint.contains([':', '：'])
    });
    (begin < end || !heads).then_some(begin..end)
}

/// "72 year old", "5yr old": how old the patient is, not what was.
pub(super) fn is_old_of_age(tokens: &[Token], first: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = first.checked_sub(1).map_or("", word).trim_start_matches(|c: char| c.is_ascii_digit());
    let is_unit = matches!(
        before,
        "" | "year"
            | "years"
            | "yr"
            | "yrs"
            | "y"
            | "month"
            | "months"
            | "mth"
            | "mths"
            | "mo"
            | "week"
            | "weeks"
            | "wk"
            | "day"
            | "days"
            | "how"
    );
    matches!(word(first), "old" | "olds") && is_unit
}

/// Whether the words that end at a token say that something has become another, not that it is over: "his hand has gone numb", "poo has gone jet
/// black". What follows "gone" where it is over says when, how or what else.
pub(super) fn has_turned(tokens: &[Token], last: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let follows = tokens.get(last).filter(|next| !next.after_break).map_or("", |next| next.text.as_str());
    let is_over = matches!(
        follows,
        "" | "now"
            | "away"
            | "since"
            | "after"
            | "by"
            | "within"
            | "in"
            | "with"
            | "but"
            | "and"
            | "today"
            | "yesterday"
            | "completely"
            | "totally"
            | "entirely"
            | "altogether"
            | "again"
            | "for"
            | "too"
            | "so"
            | "then"
            | "though"
            | "already"
            | "on"
            | "at"
            | "when"
            | "almost"
            | "mostly"
            | "from"
            | "before"
            | "as"
            | "without"
            | "while"
            | "ages"
            | "months"
            | "weeks"
            | "days"
    );
    last.checked_sub(1).is_some_and(|before| word(before) == "gone") && !is_over
}

#[cfg(test)]
mod tests {
    use crate::pipeline::understand::layout::Layout;
    use crate::pipeline::understand::scope::{Marks, Scopes};
    use crate::text::tokenise;

    fn marks(text: &str, word: &str) -> Marks {
        let tokens = tokenise(text);
        let at = tokens.iter().position(|token| token.text == word).unwrap_or_else(|| panic!("{word} in {text}"));
        Scopes::of(text, &tokens, &Layout::of(text, &tokens), &|_| false).at(at)
    }

    #[test]
    fn what_has_not_settled_is_still_there() {
        for (text, word) in [
            ("the fever has not settled after 5 days of antibiotics", "fever"),
            ("my headache hasnt gone away", "headache"),
            ("the rash never cleared up", "rash"),
            ("the pain is not better now", "pain"),
            ("疼痛未缓解", "痛"),
        ] {
            assert!(!marks(text, word).resolved, "{text}");
        }
        for (text, word) in
            [("the fever has settled", "fever"), ("not eating much but the fever has settled", "fever"), ("疼痛已缓解", "痛")]
        {
            assert!(marks(text, word).resolved, "{text}");
        }
    }

    #[test]
    fn what_is_asked_to_be_ruled_out_is_open() {
        for text in ["tTG negative. Coeliac excluded?", "d-dimer low, coeliac ruled out then?"] {
            assert!(marks(text, "coeliac").uncertain && !marks(text, "coeliac").absent, "{text}");
        }
        for text in ["Coeliac excluded. What next?", "coeliac excluded, what else could it be?"] {
            assert!(marks(text, "coeliac").absent, "{text}");
        }
    }

    #[test]
    fn chinese_family_history_is_told_of_what_stands_before_it() {
        for text in ["有青霉素过敏家族史，咽痛", "青霉素过敏的家族史，咽痛", "家族有青霉素过敏史，咽痛"]
        {
            assert!(marks(text, "青").family && !marks(text, "咽").family, "{text}");
        }
        assert!(marks("家族史：高血压。咽痛", "高").family && !marks("无家族史，咽痛", "咽").family);
        assert!(!marks("高血压，有冠心病家族史", "高").family && marks("高血压，有冠心病家族史", "冠").family);
        assert!(!marks("青霉素过敏史，咽痛", "青").family);
    }

    #[test]
    fn a_risk_of_something_is_not_the_thing() {
        assert!(marks("radiology refuse contrast, aki risk", "aki").risk && marks("high stroke risk, AF", "stroke").risk);
        assert!(!marks("AF, stroke risk", "af").risk && !marks("diabetes, risk of falls", "diabetes").risk);
        assert!(!marks("high suicide risk", "suicide").risk && !marks("dyspnoea risk factors none", "dyspnoea").risk);
    }
}
