//! What somebody explains by something harmless, where nothing else is told: a neck that is stiff after a bad night, stools that are black since the iron was
//! begun. Nobody must act at once for that. And what is told of nobody: an animal, or the people of a story.
//!
//! The words are in `assets/harmless-causes.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::graph::EntityId;
use crate::language::knowledge::{Knowledge, named};
use crate::language::phrase_table::PhraseTable;
use crate::language::wordings::deserialize as wordings;
use crate::pipeline::differential::evidence::urgency_of;
use crate::pipeline::understand::course::Course;
use crate::pipeline::understand::gate::is_of_animal;
use crate::run::{Case, CaseFinding, ConditionStatus, FindingStatus, NotUnderstood, Refusal, Severity};
use crate::text::{Token, tokenise};

/// From this age on, and below that one, in months, nothing is explained away.
const OLDER: u16 = 50 * 12;
const CHILD: u16 = 24;
/// Below this age, in months, no baby is teething.
const TEETHING: u16 = 3;
/// What has lasted for more days has another cause.
const DAYS: f64 = 3.0;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(deserialize_with = "wordings")]
    well: Vec<String>,
    unless: Vec<String>,
    of: Vec<Explained>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Explained {
    signs: Vec<String>,
    #[serde(deserialize_with = "wordings")]
    causes: Vec<String>,
    besides: Vec<String>,
    #[serde(default)]
    drugs: Vec<String>,
    unless: Vec<String>,
    #[serde(default)]
    well: bool,
    #[serde(default)]
    infants: bool,
}

/// The phrases of one entry.
struct Phrases {
    of: Explained,
    causes: PhraseTable<()>,
    unless: PhraseTable<()>,
}

struct Tables {
    well: PhraseTable<()>,
    unless: PhraseTable<()>,
    entries: Vec<Phrases>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../../../assets/harmless-causes.toml")).unwrap_or_default();
    let phrases = |of: Explained| Phrases { causes: PhraseTable::of_phrases(&of.causes), unless: PhraseTable::of_phrases(&of.unless), of };
    Tables {
        well: PhraseTable::of_phrases(&file.well),
        unless: PhraseTable::of_phrases(&file.unless),
        entries: file.of.into_iter().map(phrases).collect(),
    }
});

/// Whether all that a case tells is explained by something harmless that the question names.
pub(super) fn is_explained_away(knowledge: &Knowledge, (question, tokens): (&str, &[Token]), case: &Case) -> bool {
    let says = |table: &PhraseTable<()>| !table.find_all(tokens).is_empty();
    let is_told = |finding: &&CaseFinding| matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain);
    let told: Vec<&CaseFinding> = case.findings.iter().filter(is_told).collect();
    let is_abnormal = case.results.iter().any(|result| result.critical || result.finding.is_some());
    if told.is_empty() || is_abnormal || case.patient.is_pregnant_or_postpartum() || says(&TABLES.unless) {
        return false;
    }
    let course = Course::of(question);
    let is_grave = |finding: &CaseFinding| finding.severity == Some(Severity::Severe) || course.is_sudden(finding.start);
    if told.iter().any(|finding| is_grave(finding)) {
        return false;
    }
    let find = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, ""));
    let is_danger = |entity: EntityId| matches!(urgency_of(knowledge, entity), Some("emergency" | "urgent"));
    let is_well = says(&TABLES.well);
    let holds = |names: &[String], name: &Option<String>| name.as_ref().is_some_and(|name| names.contains(name));
    TABLES.entries.iter().filter(|entry| !says(&entry.unless) && (is_well || !entry.of.well)).any(|entry| {
        let of = &entry.of;
        let causes: Vec<(usize, usize)> =
            entry.causes.find_all(tokens).iter().filter_map(|found| bytes(tokens, found.first, found.last)).collect();
        let is_of_cause = |start: usize, end: usize| causes.iter().any(|(from, to)| *from < end && start < *to);
        let is_sign = |finding: &CaseFinding| holds(&of.signs, &finding.entity) && !is_of_long(finding, of);
        let is_beside = |finding: &CaseFinding| {
            let may_matter = finding.status == FindingStatus::Present || find(&finding.entity).is_none_or(is_danger);
            holds(&of.besides, &finding.entity) || is_of_cause(finding.start, finding.end) || !may_matter
        };
        let is_harmless = |name: &Option<String>| holds(&of.besides, name) || find(name).is_some_and(|entity| !is_danger(entity));
        let is_other = |condition: ConditionStatus, name: &Option<String>| condition != ConditionStatus::Excluded && !is_harmless(name);
        let is_unread =
            |word: &NotUnderstood| (word.likely.is_some() || word.passage || word.subject) && !is_of_cause(word.start, word.end);
        !causes.is_empty()
            && is_of_age(case, of.infants)
            && told.iter().any(|finding| is_sign(finding))
            && told.iter().all(|finding| is_sign(finding) || is_beside(finding))
            && case.drugs.iter().all(|drug| !drug.status.is_in_use() || holds(&of.drugs, &drug.entity))
            && !case.conditions.iter().any(|condition| is_other(condition.status, &condition.entity))
            && !case.not_understood.iter().any(is_unread)
    })
}

/// Whether a sign has lasted too long for its cause; what a drug does lasts as long as it is taken.
fn is_of_long(finding: &CaseFinding, of: &Explained) -> bool {
    of.drugs.is_empty() && finding.days.is_some_and(|days| days > DAYS)
}

/// Whether the patient is of an age at which it may be explained away; a baby only what is a baby's.
fn is_of_age(case: &Case, infants: bool) -> bool {
    match case.patient.age_months {
        Some(age) if infants => age.to >= TEETHING && age.from <= 3 * CHILD,
        Some(age) => age.from >= CHILD && age.from < OLDER,
        None => true,
    }
}

fn bytes(tokens: &[Token], first: usize, last: usize) -> Option<(usize, usize)> {
    Some((tokens.get(first)?.start, tokens.get(last.checked_sub(1)?)?.end))
}

/// Words of a story, of what is only heard of, and of a dream.
const STORIES: &str = "in a novel|in the novel|in this novel|in a film|in the film|in this film|in a movie|in the movie|in this movie|in a series|in the series|\
                       in a soap|in the soap|in a video game|in the video game|novel in which|novel where|novel about|film in which|film where|\
                       film about|movie in which|movie where|movie about|book in which|book where|book about|series in which|series where|read about a|read about someone|\
                       read about somebody|heard about a|on the news|in the news|dreamt that|dreamed that|dreamt i|dreamed i|had a dream|梦见|梦到|做梦|小说里|电影里|电视剧里|\
                       电视里|游戏里|新闻里|书里";
/// Words of somebody who is there, or of what happens now.
const THERE: &str = "my|our|me|us|im|ive|myself|we|were|now|just|today|tonight|help|woke|wake|since|still|keeps|suddenly|cant|cannot|现|今|刚|醒|还|突|一直|家";

static STORY: LazyLock<[PhraseTable<()>; 2]> =
    LazyLock::new(|| [STORIES, THERE].map(|phrases| PhraseTable::of_phrases(phrases.split('|'))));

/// Whether nobody is ill who is told of: an animal that the question is about, or the people of a story, beside whom nobody stands.
pub(super) fn is_of_nobody(question: &str, case: &Case) -> bool {
    let tokens = tokenise(question);
    let [stories, there] = &*STORY;
    let is_animal = case.refusal == Some(Refusal::NotClinical) && is_of_animal(&tokens, case);
    // "In a movie theater" somebody may collapse.
    let is_place = |last: usize| {
        let next = tokens.get(last).filter(|next| !next.after_break).map_or("", |next| next.text.as_str());
        matches!(next, "theatre" | "theater" | "studio" | "set" | "shop" | "club" | "house" | "crew")
    };
    is_animal || (stories.find_all(&tokens).iter().any(|story| !is_place(story.last)) && there.find_all(&tokens).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::starter_graph;

    #[test]
    fn the_file_is_valid_and_its_names_are_those_of_the_starter_graph() {
        let file: File = toml::from_str(include_str!("../../../../assets/harmless-causes.toml")).expect("valid");
        let graph = starter_graph().expect("sound");
        for name in file.of.iter().flat_map(|of| of.signs.iter().chain(&of.besides).chain(&of.drugs)) {
            assert!(graph.find(name).is_some_and(|entity| graph.entity_name(entity) == name), "{name}");
        }
        assert!(file.of.iter().all(|of| !of.causes.is_empty() && !of.signs.is_empty()));
    }

    #[test]
    fn a_story_tells_of_nobody_unless_somebody_stands_beside_it() {
        let is_of_nobody = |text: &str| is_of_nobody(text, &Case::default());
        for text in ["I read a novel in which a man was stabbed and shot", "in the film the girl drowned", "梦见自己流血"] {
            assert!(is_of_nobody(text), "{text}");
        }
        for text in [
            "my husband collapsed in the film",
            "watching a film and he suddenly passed out",
            "I had a dream, woke with chest pain",
            "a man was stabbed",
            "a man collapsed in a movie theater",
            "做梦醒来胸口痛",
        ] {
            assert!(!is_of_nobody(text), "{text}");
        }
    }
}
