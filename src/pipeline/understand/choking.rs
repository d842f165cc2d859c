//! Something that blocks the airway, as bystanders tell it: a child that is silent and blue after a peanut, cannot cough, makes no sound. No word of it is
//! "choking", and each alone is another complaint.

use super::named::{Class, Named};
use super::others_medicine::took_of_others;
use super::overdose::overdoses;
use super::overuse::on_most_days;
use super::patient::Age;
use crate::graph::EvolvingGraph;
use crate::language::knowledge::Knowledge;
use crate::language::phrase_table::PhraseTable;
use crate::language::recognise::Span;
use crate::text::Token;
use std::sync::LazyLock;

/// What the graph calls it.
const BLOCKED: &str = "Foreign body airway obstruction";
/// Below this age, in months, whatever is in the mouth may go the wrong way.
const SMALL: u16 = 72;
/// The most words between the signs.
const WITHIN: usize = 24;
/// No air passes: neither cough nor voice.
const NO_AIR: &str = "cannot cough|cant cough|can not cough|unable to cough|not coughing|isnt coughing|no sound|no noise|cannot make a sound|cant make a sound|cannot make any sound|\
                      cant make any sound|cannot make any noise|cant make any noise|not making a sound|not making any sound|not making any noise|no sound coming out|silent|soundless|gone quiet|went quiet|cannot cry|\
                      cant cry|unable to cry|cannot make a noise|cant make a noise|发不出声|不出声|哭不出声|咳不出声|不能咳|咳不出来|没有声音|没声音";
/// Words that take the silence elsewhere: a chest without breath sounds, phlegm that will not come up, a silent infarct.
const ELSEWHERE: &str =
    "up|chest|phlegm|mucus|sputum|infarct|stroke|mi|migraine|reflux|disease|thyroiditis|hypoxia|treatment|about|ears|ear|痰";
/// He does not get air.
const NO_BREATH: &str = "blue|bluish|purple|grey|cyanosed|cyanotic|cannot breathe|cant breathe|can not breathe|not breathing|unable to breathe|grabbing throat|holding throat|clutching throat|\
                         clutching his throat|clutching her throat|clutching at his throat|grabbed his throat|grabbed her throat|holding his throat|gagging|发紫|青紫|发青|憋紫|脸紫|不能呼吸|喘不上气|憋气";
/// What may have gone the wrong way.
const OBJECT: &str = "peanut|peanuts|nut|nuts|grape|grapes|sweet|sweets|candy|popcorn|apple|carrot|sausage|hot dog|meat|steak|chicken|bread|food|toast|biscuit|eating|ate|at lunch|at dinner|at breakfast|at teatime|at tea|during lunch|during dinner|chewing|swallowed|\
                      in his mouth|in her mouth|bead|beads|coin|marble|lego|small toy|toy|button|balloon|battery|pen lid|pen top|花生|瓜子|坚果|果冻|葡萄|糖果|糖块|硬币|珠子|玩具|吃东西|吃饭|汤圆|年糕";
/// With these the throat swells, or it is something else that takes the voice.
const OTHER: &str = "hives|swollen|swelling|rash|wheals|allergy|allergic|anaphylaxis|seizure|fitting|convulsion|asthma|hoarse|sore throat|croup|荨麻疹|肿|过敏|抽搐|哮喘";
const CHILD: &str = "toddler|baby|infant|child|kid|宝宝|婴儿|幼儿|孩子|小孩|娃";

/// Phrases that are separated by `|`.
fn table(phrases: &'static str) -> PhraseTable<()> {
    PhraseTable::of_phrases(phrases.split('|'))
}

static TABLES: LazyLock<[PhraseTable<()>; 6]> =
    LazyLock::new(|| [table(NO_AIR), table(NO_BREATH), table(OBJECT), table(OTHER), table(CHILD), table(ELSEWHERE)]);

/// What is told of somebody by signs or numbers, and not by its name: an overdose, painkillers on most days, something in the airway.
pub(super) fn accidents(knowledge: &Knowledge, tokens: &[Token], named: &[Named], age: Option<Age>) -> Vec<Named> {
    let mut all = overdoses(knowledge, tokens, named);
    all.extend(on_most_days(knowledge, tokens, named));
    all.extend(choking(&knowledge.graph, tokens, named, age));
    let others = took_of_others(&knowledge.graph, tokens, named).filter(|others| all.iter().all(|known| known.entity != others.entity));
    all.extend(others);
    all
}

/// Where it is told that something blocks the airway, though no word says so. The words of what is in the way are its own: no denial reaches them.
fn choking(graph: &EvolvingGraph, tokens: &[Token], named: &[Named], age: Option<Age>) -> Option<Named> {
    let entity = graph.find(BLOCKED).filter(|entity| !named.iter().any(|of| of.entity == *entity))?;
    let span = signs(tokens, age.is_some_and(|age| age.to < SMALL))?;
    Some(Named { span, entity, class: Class::Condition })
}

/// The words of what is in the airway, or of the breath that does not come, where the signs of a blocked airway stand together: no air beside an object, or
/// no air and no breath in a small child.
fn signs(tokens: &[Token], is_small: bool) -> Option<Span> {
    let [no_air, no_breath, object, other, child, elsewhere] = &*TABLES;
    let at = |table: &PhraseTable<()>, from: usize, to: usize| {
        (from..to.min(tokens.len())).find_map(|at| table.at(tokens, at).map(|found| Span { first: at, last: found.last }))
    };
    if at(other, 0, tokens.len()).is_some() {
        return None;
    }
    let is_child = is_small || at(child, 0, tokens.len()).is_some();
    let silent = (0..tokens.len()).find_map(|first| {
        let last = no_air.at(tokens, first)?.last;
        elsewhere.at(tokens, last).is_none().then_some((first, last))
    })?;
    let is_weak =
        tokens.get(silent.0).is_some_and(|token| matches!(token.text.as_str(), "silent" | "soundless" | "gone" | "went" | "no" | "没"));
    let (from, to) = (silent.0.saturating_sub(WITHIN), silent.1 + WITHIN);
    // "Gone quiet, hardly eating": a meal is no object.
    let is_meal = |first: usize| tokens.get(first).is_some_and(|token| matches!(token.text.as_str(), "eating" | "ate" | "food" | "bread"));
    let firm = (from..to.min(tokens.len()))
        .filter(|first| !(is_weak && is_meal(*first)))
        .find_map(|first| object.at(tokens, first).map(|found| Span { first, last: found.last }));
    match (at(object, from, to), at(no_breath, from, to)) {
        (Some(object), Some(_)) => Some(object),
        // In a grown-up a lost voice beside a meal is something else.
        (Some(_), None) => firm.filter(|_| is_child),
        // A silent, blue and floppy baby may be anything.
        (None, Some(breath)) => (is_child && !is_weak).then_some(breath),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn an_airway_is_blocked_where_neither_cough_nor_voice_passes() {
        let blocked = |text: &str, is_small: bool| signs(&tokenise(text), is_small).is_some();
        for text in [
            "toddler, silent and blue after a peanut, cannot cough",
            "my toddler put a bead in his mouth, now silent",
            "baby gagging on a piece of apple, now no sound and blue lips",
            "toddler went blue and silent at lunch",
            "toddler went quiet while eating grapes",
            "man grabbed his throat while eating steak and can't make a sound",
            "孩子吃花生后突然不出声，脸发紫",
        ] {
            assert!(blocked(text, false), "{text}");
        }
        assert!(blocked("suddenly cannot make a sound, ate nuts", true));
        for text in [
            "toddler with asthma, silent chest, going blue",
            "baby silent, blue and floppy",
            "cannot cough up phlegm, blue lips",
            "her voice is gone after eating, cannot make a sound",
            "child has hives and cannot make a sound after peanuts",
            "silent reflux, worse after eating",
            "toddler ate a peanut, talking and coughing",
            "my son is silent about his food",
            "MND, cannot cough, breathless",
            "My baby has gone quiet, hardly eating, floppy",
            "Baby with a cold has lost her voice, no sound when crying, eating fine",
        ] {
            assert!(!blocked(text, false), "{text}");
        }
    }
}
