//! What kin have of a patient who is described apart from them: "Man 52, anxious. His wife was recently admitted with a stroke", "insomnia since his
//! wife's stroke", 照顾中风的外婆. It is the patient's only where the question goes on to ask about the other.

use std::ops::Range;

use super::layout::Layout;
use super::named::{Class, Named};
use super::others::tells_of_own_complaint;
use super::scope::{Scopes, is_contrast};
use super::whose::person_at;
use crate::text::{Token, clause_around};

/// How many words may stand between kin and what they have.
const WITHIN: usize = 10;
/// How many words before kin may say that the patient looks after them, or that what is told came of it.
const BEFORE: usize = 3;
/// How many characters may stand between Chinese kin and what they have.
const WITHIN_CHINESE: usize = 8;
/// What may stand between kin and what they have: how they came by it, where they are, since when.
const BETWEEN: &str = "is was are were been has have had having just recently lately also now still then suddenly sadly unfortunately being who \
    suffered suffers suffering survived survives got gets developed admitted readmitted taken rushed brought in to into at on hospital hospice icu itu hdu \
    ccu care intensive stroke unit ward home from with after following for because of recovering recovered discharged diagnosed found treated operated \
    have a an the another first second third recent sudden severe massive major fatal big bad small minor acute death died dying dies passed away admission \
    diagnosis years year months month weeks week days day yesterday today ago last old aged s this morning by ambulance her his their";
/// What joins kin and what they have: "admitted with a stroke", not "since his wife died low mood". "His wife has a stroke" may be told for her sake.
const LINKS: &str =
    "with after following for from of because had suffered suffers suffering survived survives got gets developed diagnosed";
/// What may stand between "his wife's" and what she had.
const DESCRIBES: [&str; 13] =
    ["recent", "sudden", "severe", "massive", "major", "fatal", "big", "small", "minor", "acute", "first", "second", "s"];
/// Who came with the patient, found or told him, or is brought and asked about as the patient: what stands before "his wife".
const WITH: [&str; 28] = [
    "by",
    "with",
    "to",
    "from",
    "told",
    "and",
    "or",
    "like",
    "for",
    "does",
    "should",
    "can",
    "about",
    "brings",
    "brought",
    "bringing",
    "bring",
    "takes",
    "took",
    "says",
    "reports",
    "that",
    "sees",
    "seeing",
    "if",
    "when",
    "accompanies",
    "accompanied",
];
/// Who may be the patient whom a parent brings.
const CHILDREN: [&str; 8] = ["son", "daughter", "sons", "daughters", "grandson", "granddaughter", "stepson", "stepdaughter"];
/// What ends in English what is told of kin.
const ENDS: [&str; 12] = ["i", "im", "ive", "he", "she", "my", "so", "now", "which", "because", "while", "feels"];
/// The same, where it is told of a noun: "since his wife's stroke with insomnia".
const ENDS_OF_NOUN: [&str; 5] = ["and", "with", "has", "is", "plus"];
/// Chinese: looking after somebody.
const CARES: [&str; 7] = ["照顾", "照料", "护理", "陪护", "看护", "探望", "伺候"];

/// Marks what kin have of a patient who is told apart from them.
pub(super) fn mark_kin(scopes: &mut Scopes, (tokens, layout): (&[Token], &Layout), named: &[Named]) {
    let illness = |at: usize| {
        let is_illness = |named: &&Named| matches!(named.class, Class::Condition | Class::Finding) && named.span.first == at;
        named.iter().find(is_illness).map(|named| named.span.last)
    };
    // What the patient has himself, by where its name ends.
    let own: Vec<usize> = named
        .iter()
        .filter(|named| matches!(named.class, Class::Condition | Class::Finding))
        .filter(|named| !scopes.at(named.span.first).family && !scopes.at(named.span.first).absent)
        .map(|named| named.span.last)
        .collect();
    // "A man rang: his wife got chest pain" asks for her. "Man 52, anxious" is a patient of his own.
    let is_apart = |kin: usize| {
        let is_aged = (0..kin).any(|at| tokens.get(at).is_some_and(|token| token.text.starts_with(|c: char| c.is_ascii_digit())));
        is_aged && own.iter().any(|last| *last <= kin)
    };
    let mut at = 0;
    while at < tokens.len() {
        let Some(last) = person_at(tokens, at) else {
            at += 1;
            continue;
        };
        let told = if tokens.get(at).is_some_and(|token| token.cjk) {
            told_in_chinese(tokens, at..last, &illness)
        } else {
            let told = told_of(tokens, layout, at..last, (&illness, &is_apart));
            told.or_else(|| told_before(tokens, at, &illness).filter(|told| is_apart(told.start)))
        };
        if let Some(told) = told {
            scopes.mark(told, |marks| marks.family = true);
        }
        at = last.max(at + 1);
    }
}

/// Where the name of an illness ends that begins at a token.
type IllnessAt<'a> = &'a dyn Fn(usize) -> Option<usize>;
/// Whether the patient is described before a token.
type IsApartFrom<'a> = &'a dyn Fn(usize) -> bool;

/// What is told behind kin, in tokens.
fn told_of(
    tokens: &[Token],
    layout: &Layout,
    kin: Range<usize>,
    (illness, is_apart_from): (IllnessAt<'_>, IsApartFrom<'_>),
) -> Option<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let owner = kin.start.checked_sub(1).map_or("", word);
    let sentence = layout.sentence(kin.start);
    let before = kin.start.checked_sub(2).filter(|at| *at >= sentence.first).map_or("", word);
    let is_noun = word(kin.end.saturating_sub(1)).ends_with('s') || word(kin.end) == "s";
    let is_described = match owner {
        "his" | "her" | "their" => is_apart_from(kin.start.saturating_sub(1)),
        // "I have not slept since my wife's stroke"; "because my wife developed chest pain" asks for her.
        "my" | "our" => {
            let is_since = matches!(before, "since" | "after" | "following");
            // "Since my son's operation": a child may be whom it is about, unless the age of the patient is told before.
            let is_child = CHILDREN.contains(&word(kin.start));
            let has_number = || (0..kin.start).any(|at| word(at).starts_with(|c: char| c.is_ascii_digit()));
            is_since
                && is_noun
                && (!is_child || has_number())
                && (sentence.first..kin.start).any(|at| matches!(word(at), "i" | "ive" | "im" | "me"))
        }
        _ => false,
    };
    if !is_described || WITH.contains(&before) || asks_about(tokens, layout, owner, kin.end) {
        return None;
    }
    let breaks = |at: usize| tokens.get(at).is_none_or(|token| token.after_break);
    // "Her mother, aged 70, was found to have": what stands between commas about the age is skipped.
    let goes_on =
        |at: usize| BETWEEN.split_whitespace().any(|known| known == word(at)) || word(at).bytes().all(|byte| byte.is_ascii_digit());
    let first = (kin.end..sentence.last.min(kin.end + WITHIN)).find(|at| illness(*at).is_some() || !goes_on(*at))?;
    let last = illness(first)?;
    // "His wife found his stroke" and "his wife's and his own" tell of him.
    let is_own = (kin.end..first).any(|at| matches!(word(at), "her" | "his" | "their") && word(at) == owner);
    let is_found = (kin.end + 1..first).any(|at| word(at) == "found" && !matches!(word(at - 1), "was" | "were" | "been" | "is"));
    // "His wife is here, a stroke": a pause right before the illness begins another thought, but for an age.
    let is_apart = (kin.end..=first).filter(|at| breaks(*at)).any(|at| !is_of_age(tokens, at, first));
    let is_linked = (kin.end..first).any(|at| LINKS.split_whitespace().any(|link| link == word(at)))
        || is_noun && (kin.end..first).all(|at| DESCRIBES.contains(&word(at)));
    if is_own || is_found || is_apart || !is_linked {
        return None;
    }
    let ends = |at: &usize| {
        let word = word(*at);
        breaks(*at) || is_contrast(word) || ENDS.contains(&word) || is_noun && ENDS_OF_NOUN.contains(&word)
    };
    Some(kin.start..(last..sentence.last).find(ends).unwrap_or(sentence.last))
}

/// Whether a pause at a token belongs to an age that is told between commas: "her mother, aged 70, was …".
fn is_of_age(tokens: &[Token], at: usize, end: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_number = |at: usize| word(at).starts_with(|c: char| c.is_ascii_digit());
    let begins = is_number(at) || word(at) == "aged" && is_number(at + 1) || matches!(word(at), "who" | "was" | "has" | "had" | "is");
    begins && at < end
}

/// Whether a text asks about kin behind a token: "which drugs does she need?" of his wife.
fn asks_about(tokens: &[Token], layout: &Layout, owner: &str, from: usize) -> bool {
    let is_other = |word: &str| match owner {
        "his" => matches!(word, "she" | "her" | "shes"),
        "her" => matches!(word, "he" | "him" | "his" | "hes"),
        _ => matches!(word, "she" | "her" | "he" | "him" | "his" | "shes" | "hes"),
    };
    (from..tokens.len()).any(|at| layout.sentence(at).asks && tokens.get(at).is_some_and(|token| is_other(&token.text)))
}

/// "Stroke in his wife", in tokens: what is told before kin.
fn told_before(tokens: &[Token], kin: usize, illness: &dyn Fn(usize) -> Option<usize>) -> Option<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let owner = kin.checked_sub(1)?;
    let of = owner.checked_sub(1)?;
    let is_of = matches!(word(owner), "his" | "her") && matches!(word(of), "in" | "of");
    let clause = clause_around(tokens, of);
    let first = (clause.start.max(of.saturating_sub(WITHIN))..of).find(|at| illness(*at) == Some(of))?;
    (is_of && kin < clause.end).then_some(first..kin)
}

/// What Chinese tells of kin beside the patient: 照顾中风的外婆, 老公中风后我一直失眠.
fn told_in_chinese(tokens: &[Token], kin: Range<usize>, illness: &dyn Fn(usize) -> Option<usize>) -> Option<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let clause = clause_around(tokens, kin.start);
    let of = kin.start.checked_sub(1).filter(|at| *at > clause.start && word(*at) == "的");
    let cares = |at: usize| CARES.iter().any(|cares| *cares == [word(at), word(at + 1)].concat());
    let begin = (clause.start..kin.start).find(|at| cares(*at));
    if let (Some(of), Some(begin)) = (of, begin)
        && (begin + 2..of).any(|at| illness(at).is_some_and(|last| last <= of))
    {
        return Some(begin + 2..of);
    }
    // Who goes on about himself: not 老公中风后我该怎么办.
    let end = tokens.len().min(kin.end + WITHIN_CHINESE);
    let (first, last) = (kin.end..end).find_map(|at| illness(at).map(|last| (at, last)))?;
    let after = (last..end).find(|at| word(*at) == "后" && !matches!(word(*at + 1), "来" | "天" | "遗" | "背"))?;
    let own = (after + 1..tokens.len().min(after + BEFORE)).find(|at| word(*at) == "我")?;
    let is_joined = (kin.end..=first).all(|at| tokens.get(at).is_some_and(|token| !token.after_break));
    (is_joined && tells_of_own_complaint(tokens, own)).then_some(kin.start..after)
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::{ConditionStatus, FindingStatus};

    fn is_patients(text: &str, what: &str) -> bool {
        let case = read(text);
        let condition = case.conditions.iter().any(|it| it.text.to_lowercase().contains(what) && it.status != ConditionStatus::Excluded);
        condition || case.findings.iter().any(|it| it.text.to_lowercase().contains(what) && it.status != FindingStatus::FamilyHistory)
    }

    #[test]
    fn what_kin_of_a_described_patient_have_is_theirs() {
        for (text, what) in [
            ("Man 52, anxious. His wife was recently admitted to hospital with a stroke.", "stroke"),
            ("Man 52, anxious. His wife is in intensive care after a stroke.", "stroke"),
            ("52M insomnia and chest tightness since his wife's stroke.", "stroke"),
            ("Man 52, anxious. Stroke in his wife 3 days ago.", "stroke"),
            ("I have not slept since my wife's stroke", "stroke"),
            ("28岁，照顾中风的外婆，失眠", "中风"),
        ] {
            assert!(!is_patients(text, what), "{text}");
        }
    }

    #[test]
    fn what_the_patient_has_stays_though_kin_are_named() {
        for (text, what) in [
            ("Man 52 brought in by his wife with a stroke", "stroke"),
            ("Man 52. His wife found him after a seizure.", "seizure"),
            ("His wife was admitted with a stroke. Which drugs does she need?", "stroke"),
            ("My wife was recently admitted with a stroke. Which drugs will she need?", "stroke"),
            ("Since his wife died low mood and weight loss", "low mood"),
            ("He says his wife has a stroke", "stroke"),
            ("Mother brings her son with a seizure", "seizure"),
            ("He had a stroke like his father; now a seizure", "seizure"),
            ("A man rang: his wife got crushing chest pain and is sweating, what do I tell him?", "chest pain"),
            ("Her husband, aged 70, was admitted with a stroke and is confused, what should be given?", "stroke"),
            ("Possible stroke in his wife 20 minutes ago, what now?", "stroke"),
            ("Nurse here: his wife was brought in with a seizure an hour ago, now drowsy", "seizure"),
        ] {
            assert!(is_patients(text, what), "{text}");
        }
    }
}
