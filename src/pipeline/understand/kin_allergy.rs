//! What kin of the patient are allergic to: "UTI, 24, her mother is allergic to penicillin". It is the patient's wherever that may be meant: a child who is
//! told of, kin who are asked about, and whatever kin report are none of these.
//!
//! The words are in `assets/kin-allergy.toml`.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::drugs::FILE;
use super::layout::Layout;
use super::named::{Class, Named};
use super::scope::{Scopes, is_contrast};
use super::whose::{person_at, refers_back, tells_of_self};
use crate::language::word_list::WordList;
use crate::text::{Token, clause_around, word};

/// How many words may stand between kin and what they are allergic to.
const WITHIN: usize = 6;
/// How far what they are allergic to reaches.
const REACH: usize = 12;
/// How many words may lay a reaction to what was named before: "hives when she had it".
const LAID_WITHIN: usize = 4;
/// How many words before a reaction it may be denied, and how many behind what is written down it may be said of whom.
const DENIES_WITHIN: usize = 4;
const WRITTEN_WITHIN: usize = 3;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    elders: WordList,
    between: WordList,
    with: WordList,
    too: WordList,
    ends: WordList,
    patients: WordList,
    asks: WordList,
    laid_to: WordList,
    named_before: WordList,
    denies: WordList,
    written: WordList,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/kin-allergy.toml")).unwrap_or_default());

/// Marks allergies of kin where another is told of as the patient, and names that end in what makes them the family's: 青霉素过敏家族史.
pub(super) fn mark_allergies_of_kin(scopes: &mut Scopes, (tokens, layout): (&[Token], &Layout), named: &[Named]) {
    let is_ended = |span: (usize, usize)| span.1.checked_sub(1).is_some_and(|last| scopes.at(last).family) && !scopes.at(span.0).family;
    let ended: Vec<(usize, usize)> = named
        .iter()
        .map(|named| (named.span.first, named.span.last))
        .filter(|span| tokens.get(span.0).is_some_and(|token| token.cjk) && is_ended(*span))
        .collect();
    for (first, last) in ended {
        scopes.mark(first..last, |marks| marks.family = true);
    }
    let told = (0..tokens.len()).filter(|at| tokens.get(*at).is_some_and(|token| !token.cjk));
    let told: Vec<Range<usize>> = told.filter_map(|at| told_of(scopes, (tokens, layout), at, named)).collect();
    for range in told {
        scopes.mark(range, |marks| marks.family = true);
    }
    let own: Vec<Range<usize>> = (0..tokens.len()).filter_map(|at| reacted_to_it(scopes, (tokens, layout), at, named)).collect();
    for range in own {
        scopes.mark(range, |marks| marks.family = false);
    }
}

/// Where an allergen of kin is named to which the patient has reacted as well, as the words at a token say: "my dad is allergic to penicillin. I came out in
/// hives with it". Then it is the patient's allergy.
fn reacted_to_it(scopes: &Scopes, (tokens, layout): (&[Token], &Layout), at: usize, named: &[Named]) -> Option<Range<usize>> {
    let end = FILE.reaction.ends_at(tokens, at)?;
    let sentence = layout.sentence(at);
    let clause = clause_around(tokens, at);
    let pronoun = (end..end + LAID_WITHIN).find(|at| !WORDS.laid_to.has(word(tokens, *at)));
    let is_laid_to_it = pronoun.is_some_and(|at| at > end && WORDS.named_before.has(word(tokens, at)));
    let is_denied = (at.saturating_sub(DENIES_WITHIN).max(clause.start)..at).any(|at| WORDS.denies.has(word(tokens, at)));
    let is_of_kin = scopes.at(at).family || (clause.start..at).any(|at| person_at(tokens, at).is_some());
    if !is_laid_to_it || is_denied || is_of_kin || sentence.asks || scopes.at(at).absent {
        return None;
    }
    let before = sentence.first.checked_sub(1).map_or(sentence.first, |before| layout.sentence(before).first);
    let mut allergens = named.iter().filter(|of| of.class == Class::Drug || names_allergy(tokens, of));
    let allergen = allergens.rfind(|of| before <= of.span.first && of.span.last <= at)?;
    let told = clause_around(tokens, allergen.span.first);
    scopes.at(allergen.span.first).family.then_some(told.start..allergen.span.last)
}

/// Whether kin tell of an allergy that is written down of the patient: "Mum has penicillin allergy documented for her".
pub(super) fn is_on_record(tokens: &[Token], from: usize, to: usize) -> bool {
    let is_of_patient = |at: usize| matches!(word(tokens, at), "for" | "in" | "on");
    let Some(allergy) = (from..to).find(|at| word(tokens, *at).starts_with("allerg")) else { return false };
    (allergy..to).any(|at| WORDS.written.has(word(tokens, at)) && (at + 1..at + WRITTEN_WITHIN).any(is_of_patient))
}

/// Whether a name is that of an allergy: "penicillin allergy".
fn names_allergy(tokens: &[Token], of: &Named) -> bool {
    (of.span.first..of.span.last).any(|at| word(tokens, at).starts_with("allerg"))
}

/// What is told of the kin that a token names.
fn told_of(scopes: &Scopes, (tokens, layout): (&[Token], &Layout), kin: usize, named: &[Named]) -> Option<Range<usize>> {
    let last = person_at(tokens, kin)?;
    let allergy = allergy_behind(tokens, last, named)?;
    let sentence = layout.sentence(kin);
    let owner = kin.checked_sub(1).filter(|at| *at >= sentence.first).map_or("", |at| word(tokens, at));
    let is_owned = matches!(owner, "her" | "his" | "their" | "my" | "our");
    let before = if is_owned { kin.checked_sub(2) } else { kin.checked_sub(1) };
    let before = before.filter(|at| *at >= sentence.first).map_or("", |at| word(tokens, at));
    let end = end_of(tokens, allergy, sentence.last, named);
    let is_shared = (kin..end.saturating_add(REACH).min(tokens.len())).any(|at| WORDS.too.has(word(tokens, at)));
    let is_apart = match owner {
        "my" | "our" => tells_of_self(tokens, 0) && !refers_back(tokens, 0),
        _ => is_described(scopes, tokens, kin, named) && !is_asked_about(tokens, layout, owner, end),
    };
    let is_elder = WORDS.elders.has(word(tokens, kin)) && !is_on_record(tokens, last, sentence.last);
    (is_elder && is_apart && !is_shared && !WORDS.with.has(before)).then_some(kin..end)
}

/// Where an allergy is named that kin have, behind their name: "is allergic", "'s penicillin allergy".
fn allergy_behind(tokens: &[Token], last: usize, named: &[Named]) -> Option<usize> {
    let is_apart = |at: usize| tokens.get(at).is_none_or(|token| token.after_break);
    let is_allergen = |at: usize| {
        named.iter().any(|of| of.span.first <= at && at < of.span.last && (of.class == Class::Drug || names_allergy(tokens, of)))
    };
    let owns = word(tokens, last) == "s" || word(tokens, last.saturating_sub(1)).ends_with('s');
    let first = last + usize::from(word(tokens, last) == "s");
    for at in first..first + WITHIN {
        let said = word(tokens, at);
        if is_apart(at) {
            return None;
        }
        if said.starts_with("allerg") || said.starts_with("anaphyla") {
            // "Her mother allergic": only behind a verb, or as what is hers.
            return (at > last).then_some(at);
        }
        let goes_on = WORDS.between.has(said) || person_at(tokens, at).is_some() || (owns && is_allergen(at));
        // "A penicillin allergy".
        let is_named = is_allergen(at) && (last..at).any(|at| matches!(word(tokens, at), "has" | "had" | "a"));
        if !goes_on && !is_named {
            return None;
        }
    }
    None
}

/// Whether a patient is described before kin: an age and a complaint, or a word for him and a complaint, and nobody who asks for them.
fn is_described(scopes: &Scopes, tokens: &[Token], kin: usize, named: &[Named]) -> bool {
    let is_own = |named: &Named| {
        let marks = scopes.at(named.span.first);
        matches!(named.class, Class::Condition | Class::Finding) && named.span.last <= kin && !marks.family && !marks.absent
    };
    let is_patient = |at: usize| {
        let said = word(tokens, at);
        said.starts_with(|c: char| c.is_ascii_digit()) || WORDS.patients.has(said)
    };
    named.iter().any(is_own) && (0..kin).any(is_patient) && !(0..kin).any(|at| WORDS.asks.has(word(tokens, at)))
}

/// Whether the text goes on about kin who are of the other sex than the patient: "his mother is allergic … what can she take?"
fn is_asked_about(tokens: &[Token], layout: &Layout, owner: &str, from: usize) -> bool {
    let is_other = |said: &str| match owner {
        "his" => matches!(said, "she" | "her" | "shes"),
        "her" => matches!(said, "he" | "him" | "his" | "hes"),
        _ => false,
    };
    (from..tokens.len()).any(|at| layout.sentence(at).asks && is_other(word(tokens, at)))
}

/// Where it ends what kin are allergic to: with the clause, but a list of drugs goes on over its commas.
fn end_of(tokens: &[Token], allergy: usize, sentence: usize, named: &[Named]) -> usize {
    let is_drug = |at: usize| named.iter().any(|named| named.class == Class::Drug && named.span.first == at);
    let ends = |at: &usize| {
        let breaks = tokens.get(*at).is_none_or(|token| token.after_break);
        let goes_on = || {
            is_drug(*at) && !(*at..sentence).any(|at| matches!(word(tokens, at), "or")) || word(tokens, *at) == "and" && is_drug(*at + 1)
        };
        is_contrast(word(tokens, *at)) || WORDS.ends.has(word(tokens, *at)) || breaks && !goes_on()
    };
    let last = sentence.min(allergy + REACH);
    (allergy + 1..last).find(ends).unwrap_or(last)
}

/// Whether what stands behind Chinese kin says that they tell of the patient: 妈妈说, 家长诉, 爸爸发现; not 说话不清 or 带状疱疹.
pub(super) fn reports_in_chinese(told: &[Token]) -> bool {
    let at = |at: usize| told.get(at).map_or("", |token| token.text.as_str());
    (0..told.len()).any(|place| match (at(place), at(place + 1)) {
        ("说" | "讲", next) => next != "话",
        ("诉" | "称" | "述", _) | ("发", "现") | ("告", "知" | "诉") | ("反", "映") | ("担", "心") | ("认", "为") => true,
        ("觉" | "记", "得") | ("强", "调") | ("提", "到" | "供" | "示" | "醒") | ("表", "示") | ("补", "充") | ("回", "忆") => {
            true
        }
        ("坚", "持") | ("确", "认") | ("知", "道") | ("怀", "疑") | ("交", "代" | "待") => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;

    #[test]
    fn the_list_is_valid() {
        toml::from_str::<super::Words>(include_str!("../../../assets/kin-allergy.toml")).expect("valid");
    }

    fn is_allergic(text: &str) -> bool {
        let case = read(text);
        !case.patient.allergies.is_empty()
            || case.conditions.iter().any(|it| {
                it.entity.as_deref().is_some_and(|name| name.contains("allergy")) && it.status == crate::run::ConditionStatus::Known
            })
    }

    #[test]
    fn an_allergy_of_kin_is_not_the_patients() {
        for text in [
            "24F recurrent UTI, her mother is allergic to penicillin. Trimethoprim or nitrofurantoin?",
            "Girl 4 with otitis media. Her mother is severely allergic to penicillin. Amoxicillin?",
            "Girl 4 with otitis media, mother's penicillin allergy. Amoxicillin?",
            "Girl 4 with otitis media. Father had anaphylaxis to penicillin. Amoxicillin?",
            "Girl 4 with otitis media. Family history of penicillin allergy. Amoxicillin?",
            "24岁女性尿路感染，妈妈青霉素过敏，能吃阿莫西林吗",
            "Girl 4 with otitis media. Her mother is allergic to penicillin. She has never had a rash with it. Amoxicillin?",
            "Girl 4 with otitis media. Her mother is allergic to penicillin and came out in hives with it. Amoxicillin?",
        ] {
            assert!(!is_allergic(text), "{text}: {:?}", read(text).patient.allergies);
        }
    }

    #[test]
    fn in_doubt_an_allergy_is_the_patients() {
        for text in [
            "Girl 4 with otitis media. Her mother says she is allergic to penicillin. Amoxicillin?",
            "Girl 4 with otitis media. Mum reports allergy to penicillin. Amoxicillin?",
            "Girl 4 with otitis media. Mother states allergic to penicillin. Amoxicillin?",
            "Girl 4 with otitis media. Mother mentions penicillin allergy. Amoxicillin?",
            "Boy 4 with otitis media. Mother: he is allergic to penicillin. Amoxicillin?",
            "Girl 4 with otitis media, her brother is also allergic to penicillin. Amoxicillin?",
            "Woman 30, cystitis. She and her mother are allergic to penicillin. Amoxicillin?",
            "My mother is allergic to penicillin and has cellulitis. Can she have amoxicillin?",
            "My son is allergic to penicillin, what can I give for otitis media?",
            "Man 40 with a sore throat. His mother is allergic to penicillin and has cellulitis, can she have amoxicillin?",
            "女，24岁，反复尿路感染，母亲说她对青霉素过敏，能用阿莫西林吗？",
            "4岁女孩中耳炎，妈妈诉青霉素过敏，能吃阿莫西林吗",
            "5岁女孩扁桃体炎，妈妈记得青霉素过敏，能吃阿莫西林吗？",
            "8岁男孩肺炎，奶奶强调青霉素过敏，可以用阿莫西林吗？",
            "Girl 15, tonsillitis. Mum has penicillin allergy documented for her in the red book. Amoxicillin?",
        ] {
            assert!(is_allergic(text), "{text}");
        }
    }

    #[test]
    fn what_the_patient_reacted_to_is_an_allergen_whatever_kin_have() {
        for text in [
            "Woman 24 with cellulitis. Her mother is allergic to penicillin, and she had to be resuscitated after amoxicillin. Flucloxacillin?",
            "Woman 24 with pyelonephritis. Mother is allergic to penicillin, patient never had it tested but collapsed after a penicillin injection at 10. Co-amoxiclav?",
            "My dad is allergic to penicillin. I came out in hives with it as a child. I have tonsillitis. Can I take amoxicillin?",
            "Woman 24 with cellulitis. She had to be resuscitated after amoxicillin. Flucloxacillin?",
            "Woman 24 with cellulitis. She had to be resuscitated after amoxicillin. Which antibiotic?",
            "妈妈对青霉素过敏，我自己打青霉素也起过皮疹，扁桃体炎能吃阿莫西林吗？",
        ] {
            assert!(is_allergic(text), "{text}: {:?}", read(text).drugs);
        }
    }
}
