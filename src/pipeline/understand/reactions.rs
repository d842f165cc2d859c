//! Reactions of long ago to a drug, which are an allergy to it though nobody says so: "came up in hives and needed adrenaline after it years
//! ago". What happens now is a finding, and the drug may have caused it.

use serde::Deserialize;

use super::intent::asks_permission;
use super::layout::Sentence;
use super::times::{Time, long_ago_at};
use crate::language::phrase_pattern::{pattern_at, words_of};
use crate::language::recognise::Span;
use crate::text::{Token, word};

/// Drugs that are given for an allergic reaction. They stand beside the words for one, and are hardly ever what it was to.
const REMEDIES: [&str; 25] = [
    "adrenaline",
    "epinephrine",
    "epipen",
    "jext",
    "emerade",
    "hydrocortisone",
    "prednisolone",
    "dexamethasone",
    "chlorphenamine",
    "chlorpheniramine",
    "piriton",
    "antihistamine",
    "cetirizine",
    "loratadine",
    "promethazine",
    "diphenhydramine",
    "肾上腺素",
    "氢化可的松",
    "地塞米松",
    "氯苯那敏",
    "扑尔敏",
    "抗组胺",
    "西替利嗪",
    "氯雷他定",
    "异丙嗪",
];
/// Those of them that save the life: in a list behind another allergen they are what was given.
const RESCUE: [&str; 6] = ["adrenaline", "epinephrine", "epipen", "jext", "emerade", "肾上腺素"];

/// What leads from a drug to what it did, or from a dose to the next, in notes: "amoxicillin 2011 -> rash".
pub(super) const ARROWS: [&str; 5] = ["->", "→", "=>", "⇒", "➔"];

/// What lays a reaction to the drug behind it, what a drug did, and the words that may stand beside these.
const LAID_TO: &str = "after with w from to because due when whenever if";
const CAUSED: &str = "gave gives made makes caused causes brought brings led leads";
const WHO_AND_WHEN: &str = "i he she we me him her us my his our the a an of in out on all over took take takes taking had have has having given \
                            was get gets being last bad awful terrible nasty badly up face skin lips whole body legs arms chest back come break \
                            and very really year week month time even one any first second";
/// The most words between a drug and the reaction that it made.
const BESIDE: usize = 9;
const CHINESE_THEN: &str = "后 就 会 过 了 以 之 也 都 全 身 曾 有 出 现 起";

/// How many words behind a drug may say that it was taken.
const TAKEN_WITHIN: usize = 4;

/// The most words of a list before its last item.
const LIST: usize = 4;

fn word_before(tokens: &[Token], at: usize, back: usize) -> &str {
    at.checked_sub(back).map_or("", |at| word(tokens, at))
}

fn is_one_of(names: &[&str], tokens: &[Token], drug: Span) -> bool {
    let said: String = tokens.get(drug.first..drug.last).unwrap_or_default().iter().map(|token| token.text.as_str()).collect();
    names.iter().any(|name| said.contains(name))
}

/// Whether a drug treats allergic reactions.
pub(super) fn is_remedy(tokens: &[Token], drug: Span) -> bool {
    is_one_of(&REMEDIES, tokens, drug)
}

/// Whether a word between a drug and a reaction says that the drug is for it: "adrenaline in anaphylaxis"; not "amoxicillin in 2017".
pub(super) fn is_purpose(tokens: &[Token], at: usize) -> bool {
    match word(tokens, at) {
        "in" => !word(tokens, at + 1).starts_with(|c: char| c.is_ascii_digit()),
        "for" | "during" | "against" | "treat" | "treats" | "treating" | "治" | "抗" | "防" => true,
        _ => false,
    }
}

/// Whether the words beside a drug say that it was given, or is tolerated, by somebody who is allergic to another; not "rash when given it".
pub(super) fn was_given(tokens: &[Token], drug: Span) -> bool {
    let (one, two) = (word_before(tokens, drug.first, 1), word_before(tokens, drug.first, 2));
    let is_apart = tokens.get(drug.first).is_none_or(|token| token.after_break);
    let before = match one {
        "given" | "received" => !matches!(two, "when" | "after" | "if" | "once" | "was"),
        "tolerates" | "tolerated" | "tolerating" | "needed" => true,
        "with" => matches!(two, "treated" | "ok" | "okay" | "fine"),
        _ => false,
    };
    let behind = tokens.get(drug.last).is_some_and(|token| !token.after_break) && matches!(word(tokens, drug.last), "given" | "tolerated");
    (before && !is_apart) || behind
}

/// Whether nothing stands between token `from` and a drug but the names of a list; an amount or how it was given, behind it, says that it is none
/// of them.
pub(super) fn is_listed(tokens: &[Token], from: usize, drug: Span, is_drug: impl Fn(usize) -> bool) -> bool {
    let joins = |at: usize| {
        matches!(word(tokens, at), "and" | "or" | "the" | "also" | "to" | "both" | "plus" | "his" | "her" | "my" | "和" | "及" | "与")
            || is_drug(at)
    };
    let next = word(tokens, drug.last);
    let is_times = next.strip_prefix('x').is_some_and(|times| times.bytes().all(|byte| byte.is_ascii_digit()));
    let is_amount = next.starts_with(|c: char| c.is_ascii_digit());
    let is_given = is_times || is_amount || matches!(next, "given" | "needed" | "im" | "iv" | "stat" | "used" | "helped");
    let breaks = (from + 1..=drug.first).any(|at| tokens.get(at).is_some_and(|token| token.after_break));
    if !(from..drug.first).all(joins) {
        // "Allergic to latex and hydrocortisone": what is no drug is an allergen, too.
        let is_short = drug.first.saturating_sub(from) <= LIST;
        let is_last = matches!(word_before(tokens, drug.first, 1), "and" | "or" | "和" | "及");
        return is_short && is_last && !breaks && !is_given && !is_one_of(&RESCUE, tokens, drug);
    }
    !breaks || !(is_given || is_one_of(&RESCUE, tokens, drug))
}

/// Whether the words right behind a drug call it an allergen: "adrenaline allergy", not "adrenaline, allergic reaction".
pub(super) fn calls_allergen(tokens: &[Token], drug: Span, (first, last): (usize, usize)) -> bool {
    let is_beside = first == drug.last && tokens.get(first).is_some_and(|token| !token.after_break);
    let is_told = word_before(tokens, drug.first, 1) == "对";
    let is_reaction = matches!(word(tokens, last), "reaction" | "reactions" | "性" | "反" | "休");
    is_beside && !word(tokens, first).starts_with("anaphyla") && (!is_reaction || is_told)
}

/// Whether the dose of a drug for something or somebody is spoken of: it is to be given. What was taken is told by other words ("took the dose of").
pub(super) fn is_dose_of(tokens: &[Token], drug: Span) -> bool {
    let is_dose = |word: &str| matches!(word, "dose" | "doses" | "dosing" | "dosage");
    let is_whom = |word: &str| {
        matches!(
            word,
            "for"
                | "in"
                | "child"
                | "children"
                | "kids"
                | "adult"
                | "adults"
                | "infant"
                | "baby"
                | "neonate"
                | "paediatric"
                | "pediatric"
                | "per"
        )
    };
    let (one, two, three) = (word_before(tokens, drug.first, 1), word_before(tokens, drug.first, 2), word_before(tokens, drug.first, 3));
    // "The dose of paracetamol for a child of four", not "one dose of".
    let is_meant = || {
        let is_named = matches!(
            three,
            "the"
                | "what"
                | "correct"
                | "right"
                | "usual"
                | "maximum"
                | "max"
                | "safe"
                | "recommended"
                | "starting"
                | "adult"
                | "child"
                | "paediatric"
                | ""
        );
        one == "of" && is_dose(two) && is_named
    };
    let is_taken = |at: usize| matches!(word(tokens, at), "has" | "have" | "had" | "did" | "took" | "taken" | "swallowed");
    let is_how_much = || one == "much" && two == "how" && !(drug.last..drug.last + TAKEN_WITHIN).any(is_taken);
    let next = word(tokens, drug.last);
    let is_called = match next {
        "剂" | "用" => word(tokens, drug.last + 1) == "量",
        "的" => matches!(word(tokens, drug.last + 1), "剂" | "用") && word(tokens, drug.last + 2) == "量",
        _ => is_dose(next) && is_whom(word(tokens, drug.last + 1)),
    };
    is_called || is_meant() || is_how_much()
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReactionWords {
    says: Vec<String>,
    beside: Vec<String>,
    to: Vec<String>,
    gave: Vec<String>,
    begins: Vec<String>,
    long_ago: Vec<String>,
    /// Reactions after which nothing of the kind may be given.
    pub(super) severe: Vec<String>,
    within: usize,
}

impl ReactionWords {
    /// One past the last token of a reaction that is told from a token on.
    pub(super) fn ends_at(&self, tokens: &[Token], at: usize) -> Option<usize> {
        self.says.iter().filter_map(|says| pattern_at(tokens, at, &words_of(says), &mut Vec::new())).max()
    }

    /// Whether the rest of the clause from a token on tells of a reaction.
    pub(super) fn begins_in_clause(&self, tokens: &[Token], from: usize) -> bool {
        let rest = tokens.get(from..).unwrap_or_default();
        rest.iter()
            .take_while(|token| !token.after_break)
            .any(|token| self.begins.iter().any(|begin| token.text.starts_with(begin.as_str())))
    }

    /// Whether a sentence tells of a reaction of long ago to the drug in it.
    pub(super) fn tell_of(&self, (text, tokens, times): (&str, &[Token], &[Time]), sentence: Sentence, drug: Span) -> bool {
        let said = |phrases: &[String], first: usize, last: usize| {
            let tokens = tokens.get(..last)?;
            let at = |at: usize| phrases.iter().find_map(|says| pattern_at(tokens, at, &words_of(says), &mut Vec::new()));
            (first..last).find_map(at)
        };
        if said(&self.long_ago, sentence.first, sentence.last).is_none()
            && !(sentence.first..sentence.last).any(|at| long_ago_at(text, tokens, times, at).is_some())
        {
            return false;
        }
        if is_remedy(tokens, drug) {
            return self.tells_of_remedy(tokens, sentence, drug);
        }
        // "Penicillin brought me out in hives, can I have a cephalosporin?": it was not the one that is asked about.
        let asked = asks_permission(tokens, sentence.first, sentence.last).map(|(first, _)| first).filter(|first| *first < drug.first);
        let before = said(&self.says, sentence.first, drug.first).is_some_and(|end| asked.is_none_or(|asked| end > asked))
            && said(&self.to, drug.first.saturating_sub(2).max(sentence.first), drug.first).is_some();
        let behind = said(&self.says, drug.last, sentence.last.min(drug.last + self.within)).is_some()
            && said(&self.gave, drug.last, sentence.last.min(drug.last + 2)).is_some();
        let reacted = drug.last..sentence.last.min(drug.last + self.within);
        let pointed = reacted.clone().any(|at| said(&self.says, at, reacted.end).is_some() && leads_to(text, tokens, drug, at));
        before || behind || pointed
    }

    /// The same of a drug that treats reactions: only where nothing stands between the two, and it is said to be the cause.
    fn tells_of_remedy(&self, tokens: &[Token], sentence: Sentence, drug: Span) -> bool {
        let ends = |phrases: &[String], at: usize| -> Vec<usize> {
            phrases.iter().filter_map(|says| pattern_at(tokens, at, &words_of(says), &mut Vec::new())).collect()
        };
        let is_treated = |at: usize| {
            let before = tokens.get(at.saturating_sub(2)..at).unwrap_or_default();
            before.iter().any(|token| token.text.starts_with("treat")) || word(tokens, at).starts_with("anaphyla")
        };
        let leads = |at: usize| ends(&self.to, at).contains(&drug.first);
        let before = (sentence.first..drug.first).any(|at| !is_treated(at) && ends(&self.says, at).into_iter().any(leads));
        let causes = matches!(
            word(tokens, drug.last),
            "brings" | "gives" | "makes" | "causes" | "gave" | "made" | "caused" | "brought" | "led" | "triggered" | "导" | "引"
        );
        let behind = drug.last..sentence.last.min(drug.last + self.within);
        before || (causes && behind.into_iter().any(|at| !ends(&self.says, at).is_empty()))
    }

    /// Whether nothing but who had it and when stands between a drug and a reaction that the words beside it lay to it: "hives from codeine",
    /// "my face swelled when I took ibuprofen", "penicillin gave her a rash". `is_denied`: what is told to be absent; `is_narrow`: a wheeze or an itch, which
    /// may be something else, is none.
    pub(super) fn is_beside(
        &self,
        tokens: &[Token],
        (sentence, drug): (Sentence, Span),
        is_narrow: bool,
        is_denied: impl Fn(usize) -> bool,
    ) -> bool {
        let is_in = |list: &str, at: usize| list.split(' ').any(|listed| listed == word(tokens, at));
        let breaks = |first: usize, last: usize| (first..last).any(|at| tokens.get(at).is_some_and(|token| token.after_break));
        // A faint may have another cause than an allergy, unless the drug was injected.
        let is_injected = matches!(word(tokens, drug.last), "injection" | "injections" | "jab" | "shot" | "infusion");
        let beside = self.beside.iter().filter(|_| !is_narrow);
        let phrases: Vec<&String> = self.says.iter().filter(|says| is_injected || !says.starts_with("collapse")).chain(beside).collect();
        // "Resuscitated after amoxicillin"; not with fluids.
        let is_saved =
            |at: usize| word(tokens, at) == "resuscitated" && matches!(word(tokens, at + 1), "after" | "because" | "from" | "when");
        let ends = |at: usize| -> Option<usize> {
            let ends = phrases.iter().filter_map(|says| pattern_at(tokens, at, &words_of(says), &mut Vec::new())).max();
            ends.or_else(|| is_saved(at).then_some(at + 1)).filter(|_| !is_denied(at))
        };
        let leads = |from: usize| {
            let between = from..drug.first;
            !breaks(from, drug.first + 1)
                && between.clone().any(|at| is_in(LAID_TO, at))
                && between.into_iter().all(|at| is_in(LAID_TO, at) || is_in(WHO_AND_WHEN, at))
        };
        let before = (sentence.first..drug.first).filter_map(ends).any(|end| end <= drug.first && leads(end));
        let follows = |at: usize| {
            let between = drug.last..at;
            let is_chinese = tokens.get(at).is_some_and(|token| token.cjk);
            let is_caused = is_chinese || between.clone().any(|at| is_in(CAUSED, at));
            !breaks(drug.last, at + 1)
                && is_caused
                && between.into_iter().all(|at| is_in(CAUSED, at) || is_in(WHO_AND_WHEN, at) || is_in(CHINESE_THEN, at))
        };
        let behind = drug.last..sentence.last.min(drug.last + BESIDE);
        before || behind.into_iter().any(|at| ends(at).is_some() && follows(at))
    }

    /// Whether a drug stands among the words that tell of a reaction: the adrenaline that was needed.
    pub(super) fn name(&self, tokens: &[Token], drug: Span) -> bool {
        let ends_with = |says: &String| {
            let words = words_of(says);
            let first = drug.last.checked_sub(words.len())?;
            (words.len() > 1 && pattern_at(tokens, first, &words, &mut Vec::new())? == drug.last).then_some(())
        };
        self.says.iter().any(|says| ends_with(says).is_some())
    }
}

/// Whether an arrow stands between a drug and a token behind it, and nothing but a time beside it.
fn leads_to(text: &str, tokens: &[Token], drug: Span, at: usize) -> bool {
    let Some((end, begin)) = tokens.get(drug.last - 1).zip(tokens.get(at)).map(|(drug, token)| (drug.end, token.start)) else {
        return false;
    };
    let between = text.get(end..begin).unwrap_or_default();
    let is_time =
        |token: &Token| token.text.bytes().any(|byte| byte.is_ascii_digit()) || matches!(token.text.as_str(), "in" | "age" | "aged");
    ARROWS.iter().any(|arrow| between.contains(arrow)) && tokens.get(drug.last..at).unwrap_or_default().iter().all(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn drug_in(tokens: &[Token], name: &str) -> Span {
        let first = tokens.iter().position(|token| token.text == name).expect("is there");
        Span { first, last: first + 1 }
    }

    #[test]
    fn a_remedy_is_in_the_list_only_where_nothing_else_is_said_of_it() {
        let listed = |text: &str, name: &str| {
            let tokens = tokenise(text);
            let drug = drug_in(&tokens, name);
            is_listed(&tokens, 0, drug, |at| tokens.get(at).is_some_and(|token| token.text == "penicillin"))
        };
        assert!(listed("hydrocortisone", "hydrocortisone") && listed("penicillin, hydrocortisone", "hydrocortisone"));
        for text in
            ["penicillin 2017 (adrenaline)", "penicillin (adrenaline x2)", "penicillin: rash, adrenaline", "penicillin (im adrenaline)"]
        {
            assert!(!listed(text, "adrenaline"), "{text}");
        }
        assert!(!listed("penicillin (hydrocortisone 200 mg)", "hydrocortisone"));
    }

    #[test]
    fn what_was_given_or_is_tolerated_is_told_beside_the_drug() {
        let given = |text: &str| {
            let tokens = tokenise(text);
            was_given(&tokens, drug_in(&tokens, "doxycycline"))
        };
        for text in ["tolerates doxycycline", "doxycycline given", "treated with doxycycline", "so given doxycycline"] {
            assert!(given(text), "{text}");
        }
        for text in ["rash when given doxycycline", "allergic to doxycycline", "tolerates amoxicillin, doxycycline", "doxycycline. Given"] {
            assert!(!given(text), "{text}");
        }
    }
}
