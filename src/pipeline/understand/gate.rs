//! Gates: questions that are not answered, and why. Decided before anything is searched, from what the question says and what was
//! understood of it.
//!
//! - Harm: a way to harm or deceive somebody is asked for, or what is kept of another.
//! - Not clinical: something is to be made, the program is given orders, the question is about another domain, or the patient is an animal or a machine.
//! - Subject unknown: what it is about was not understood.
//! - Too little understood: nothing but weak links carries it, or links cover little of it.
//!
//! The words are in `assets/gates.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::animals::{is_beside_people, is_only_seen};
use super::eponym::names_disease;
use super::general::Taught;
use super::not_clinical::{Domain, Machines, Made, OtherDomains};
use super::signs::{SelfHarm, Sign, is_any_told};
use super::unnamed::Unnamed;
use crate::graph::EntityId;
use crate::language::common_words::is_common;
use crate::language::exposure::is_exposure;
use crate::language::lay::names_own_part;
use crate::language::link::Anchors;
use crate::language::negation::is_denying;
use crate::language::phrase_pattern::{pattern_at, words_of};
use crate::language::pictures::Recognised;
use crate::run::{AskKind, Case, CaseAsk, CaseDrug, DrugStatus, FindingStatus, LikelyKind, NotUnderstood, Refusal};
use crate::text::{Token, clause_around, tokenise};

/// Months of life that no animal that is kept reaches as a rule.
const OLDER_THAN_ANIMALS: u16 = 300;
/// From this score on a link is a name rather than a guess.
const STRONG: f64 = 0.93;
/// The share of the content words that weak links must cover to carry an answer alone.
const WEAK_COVER: f64 = 0.5;
/// The share that links must cover at all, in questions of at least [`LONG`] content words.
const LEAST_COVER: f64 = 0.12;
const LONG: usize = 8;
/// The BM25 score from which on a picture is plausible though it is not clear. Of 94 questions to refuse that nobody wrote for this, six reach it:
/// five are about drugs, and one gives orders to the program; of 328 with a leading condition, its picture is the best in 284 (record 111).
const PLAUSIBLE: f64 = 20.0;
/// The share of the best picture's score that an emergency's must have to be named instead.
const AS_WELL: f64 = 0.9;
/// The most findings that were understood for it to be named where the question is answered.
const FEW: usize = 2;
/// From so many findings and results on, a question is answered although a remedy that it asks about is unknown.
const TOLD_BESIDES_UNKNOWN: usize = 3;
/// The most things understood beside an unfamiliar word that names the subject.
const BESIDE_SUBJECT: usize = 1;
/// How many complaints must be lost before a question is not answered for it.
const UNREAD: usize = 2;
/// The most words between an act and the way to it, and between an animal and what exposes to it.
const APART: usize = 6;
const EXPOSED_WITHIN: usize = 5;
/// How many words before an animal may deny it.
const DENIED_WITHIN: usize = 4;
/// Within how many words of an act the person stands to whom it is done.
const DONE_WITHIN: usize = 3;

/// Phrases of the list, as words.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub(super) struct Phrases(Vec<Vec<String>>);

impl From<Vec<String>> for Phrases {
    fn from(phrases: Vec<String>) -> Self {
        Self(phrases.iter().map(|phrase| words_of(phrase)).filter(|words| !words.is_empty()).collect())
    }
}

impl Phrases {
    /// One past the longest of them that begins at a token.
    pub(super) fn at(&self, tokens: &[Token], first: usize) -> Option<usize> {
        self.0.iter().filter_map(|words| pattern_at(tokens, first, words, &mut Vec::new())).max()
    }

    /// Where they stand: first token, and one past the last.
    pub(super) fn all<'a>(&'a self, tokens: &'a [Token]) -> impl Iterator<Item = (usize, usize)> + 'a {
        (0..tokens.len()).filter_map(|first| Some((first, self.at(tokens, first)?)))
    }

    pub(super) fn any(&self, tokens: &[Token]) -> bool {
        self.all(tokens).next().is_some()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    orders: Vec<Sign>,
    made: Made,
    asking: Phrases,
    domain: Vec<Domain>,
    animals: Animals,
    machines: Machines,
    taught: Taught,
    people: People,
    harm: HarmWords,
    illicit: Vec<Sign>,
    self_harm: SelfHarm,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Animals {
    kinds: Phrases,
    work: Phrases,
    vet: Phrases,
    exposure: Phrases,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct People {
    says: Phrases,
    body: Phrases,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct HarmWords {
    acts: Phrases,
    complete: Phrases,
    ways: Phrases,
    persons: Phrases,
    plainly: Phrases,
    amounts: Phrases,
    help: Phrases,
    #[serde(default)]
    sign: Vec<Sign>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/gates.toml")).unwrap_or_default());

/// The other domains.
pub(super) fn other_domains() -> OtherDomains<'static> {
    OtherDomains { domains: &FILE.domain, asking: Some(&FILE.asking) }
}

/// The machines.
#[cfg(test)]
pub(super) fn machines() -> &'static Machines {
    &FILE.machines
}

/// What tells that a question is asked to teach or to learn.
pub(super) fn taught() -> &'static Taught {
    &FILE.taught
}

/// How much of a question was understood.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Understanding {
    /// Whether a link is a name rather than a guess, or a result was read.
    pub(crate) is_sure: bool,
    /// Content words that links or results cover.
    pub(crate) covered: usize,
    /// All content words.
    pub(crate) content: usize,
}

impl Understanding {
    /// What links and results cover of a question. What it denies, and its terms of another kind, count as understood.
    fn of(tokens: &[Token], case: &Case, anchors: &Anchors) -> Self {
        let named = case.drugs.iter().any(|drug| drug.entity.is_some()) || case.findings.iter().any(|finding| finding.entity.is_some());
        let argues = anchors.of_question().next().is_some();
        let is_sure = anchors.of_question().any(|anchor| anchor.score >= STRONG) || !case.results.is_empty() || (named && !argues);
        let words = |text: &str| content_words(&tokenise(text));
        let content = content_words(tokens);
        let unknown: usize = match case.not_understood.as_slice() {
            [] => anchors.unlinked.iter().map(|text| words(text)).sum(),
            terms => terms.iter().map(|term| words(&term.text)).sum(),
        };
        Self { is_sure, covered: content.saturating_sub(unknown), content }
    }

    /// The share of its content words that is covered, from 0 to 1.
    pub(crate) fn share(&self) -> f64 {
        if self.content == 0 { 0.0 } else { self.covered as f64 / self.content as f64 }
    }

    fn is_too_little(&self) -> bool {
        if self.is_sure { self.content >= LONG && self.share() < LEAST_COVER } else { self.share() < WEAK_COVER }
    }
}

/// The number of content words; two Chinese characters count as one.
fn content_words(tokens: &[Token]) -> usize {
    let latin =
        tokens.iter().filter(|token| !token.cjk && !is_common(&token.text) && !token.text.starts_with(|c: char| c.is_ascii_digit()));
    latin.count() + tokens.iter().filter(|token| token.cjk && !is_common(&token.text)).count().div_ceil(2)
}

/// The condition to consider in a question of which too little was understood by its names to answer it, or too little to say what it is: the one
/// whose picture the words fit best, if they fit it well. To name it helps more than to refuse; it counts no more than the others.
///
/// `is_danger`: whether the first is an emergency that does not come of the second. An emergency is named, too, beside a remedy that nobody knows, if nothing else was understood.
pub(crate) fn plausible(
    case: &Case,
    anchors: &Anchors,
    refusal: Option<&Refusal>,
    is_danger: impl Fn(EntityId, EntityId) -> bool,
) -> Option<Recognised> {
    let (best, score) = anchors.pictures.first()?;
    // Of pictures that fit as well, that of an emergency: a torn cyst and an ectopic pregnancy are told alike.
    let near = anchors.pictures.iter().take_while(|(_, other)| *other >= AS_WELL * score);
    let condition = near.map(|(condition, _)| condition).find(|other| is_danger(**other, *best)).unwrap_or(best);
    let recognised = Recognised { condition: *condition, clear: false, unmistakable: false, is_like_kin: false };
    let is_open = match refusal {
        Some(Refusal::TooLittleUnderstood) => true,
        Some(Refusal::SubjectUnknown) => {
            let nothing_else = told(case) == 0 && case.conditions.is_empty() && case.drugs.iter().all(|drug| drug.entity.is_none());
            return (nothing_else && *score >= PLAUSIBLE && is_danger(*condition, *condition)).then_some(recognised);
        }
        Some(_) => false,
        None => anchors.recognised.is_none_or(|recognised| recognised.is_like_kin) && told(case) <= FEW,
    };
    (is_open && *score >= PLAUSIBLE && case.leaves_open_what_it_is()).then_some(recognised)
}

/// How many findings and abnormal results were understood.
fn told(case: &Case) -> usize {
    case.findings.iter().filter(|finding| finding.status == FindingStatus::Present && finding.entity.is_some()).count()
        + case.results.iter().filter(|result| result.finding.is_some()).count()
}

/// How far a gate looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// At the words of the question only: where the doctor corrected how it was read, or nothing is linked.
    Words,
    /// Also at what was understood of it.
    Understanding,
}

/// Why a question is not answered; `None` if it is. `tokens`: of the question.
pub(crate) fn gate(tokens: &[Token], case: &Case, anchors: &Anchors, reach: Reach) -> Option<Refusal> {
    if asks_for_harm(tokens) {
        return Some(Refusal::Harm);
    }
    if is_about_self_harm(tokens) {
        return None;
    }
    // Whoever complains is heard, whatever else he asks for.
    let complains = case.tells_of_now();
    let is_of_other_domain = !complains && other_domains().is_asked(tokens);
    let is_of_no_person = FILE.machines.are_meant(tokens) || is_of_animal(tokens, case);
    if is_any_told(&FILE.orders, tokens) || FILE.made.is_asked(tokens) || is_of_other_domain || is_of_no_person {
        return Some(Refusal::NotClinical);
    }
    if reach == Reach::Words {
        return None;
    }
    let has_complaint =
        case.findings.iter().any(|finding| finding.entity.is_some()) || !case.results.is_empty() || !case.conditions.is_empty();
    let names_something = anchors.of_question().next().is_some() || !case.results.is_empty() || !case.drugs.is_empty() || has_complaint;
    // Whoever is of an age, and takes something, is a patient.
    let is_treated = case.patient.age_months.is_some() && case.drugs.iter().any(|drug| drug.entity.is_some());
    let is_pictured = anchors.pictures.first().is_some_and(|(_, score)| *score >= PLAUSIBLE);
    let asks_of_drug = !case.asks.is_empty() && case.drugs.iter().any(|drug| drug.entity.is_some());
    let is_clinical = complains
        || (has_complaint || is_treated || is_pictured) && is_of_people(tokens, case)
        || (has_complaint || asks_of_drug) && other_domains().is_aside(tokens);
    if !is_clinical && other_domains().is_meant(tokens, names_something) {
        return Some(Refusal::NotClinical);
    }
    // Single words were not understood, but all of them together tell what it may be.
    let is_recognised = anchors.recognised.is_some_and(|recognised| !recognised.is_like_kin) && case.leaves_open_what_it_is();
    // Where much is told of somebody who is ill, or what got into an eye, that says more than a word that nobody knows.
    let is_exposed = case.conditions.iter().any(|condition| condition.entity.as_deref().is_some_and(is_exposure));
    if subject_is_unknown(case) && !is_recognised && !is_exposed && told(case) < TOLD_BESIDES_UNKNOWN {
        return Some(Refusal::SubjectUnknown);
    }
    if !names_something && !is_recognised {
        return nothing_named(tokens, case, is_pictured);
    }
    if is_recognised {
        return None;
    }
    if is_outweighed(case) {
        return Some(Refusal::TooLittleUnderstood);
    }
    Understanding::of(tokens, case, anchors).is_too_little().then_some(Refusal::TooLittleUnderstood)
}

/// Whether more of the complaints was not understood than was, so that a diagnosis would be guessed from what is left.
fn is_outweighed(case: &Case) -> bool {
    let passages = case.not_understood.iter().filter(|term| term.passage).count();
    let present =
        case.findings.iter().filter(|finding| matches!(finding.status, FindingStatus::Present | FindingStatus::Uncertain)).count();
    let told = present + case.results.iter().filter(|result| result.finding.is_some()).count();
    case.seeks_diagnosis() && passages >= UNREAD && passages > told
}

/// Why a question is not answered of which no name was understood. `is_pictured`: whether its words fit a clinical picture.
fn nothing_named(tokens: &[Token], case: &Case, is_pictured: bool) -> Option<Refusal> {
    // Something clinical is asked, of things that were not understood.
    let is_likely = |term: &NotUnderstood| !term.may_mean.is_empty() || term.likely.is_some_and(|likely| likely != LikelyKind::Other);
    let is_of_drug = |ask: &CaseAsk| {
        matches!(ask.kind, AskKind::SideEffects | AskKind::Contraindications | AskKind::Interactions | AskKind::Dose | AskKind::Monitoring)
    };
    let is_asked = !case.asks.is_empty() && case.not_understood.iter().any(is_likely);
    if is_asked || (case.asks.iter().any(is_of_drug) && !case.not_understood.is_empty()) {
        return Some(Refusal::SubjectUnknown);
    }
    if !is_pictured && !is_of_people(tokens, case) && !is_exposed_to_animal(tokens) && Unnamed::of(tokens).is_none() {
        return Some(Refusal::NotClinical);
    }
    // Names that the words merely resemble are a guess.
    Some(Refusal::TooLittleUnderstood)
}

/// Whether somebody speaks of killing himself, or tells what shows that he or another plans it: an emergency, refused or not.
pub(crate) fn is_about_self_harm(tokens: &[Token]) -> bool {
    FILE.self_harm.is_told(tokens)
}

/// Where that is told: first token, and one past the last.
pub(super) fn self_harm_at(tokens: &[Token]) -> Option<(usize, usize)> {
    FILE.self_harm.told_at(tokens)
}

/// Whether a way to harm or deceive somebody is asked for.
fn asks_for_harm(tokens: &[Token]) -> bool {
    asks_to_hurt(tokens) || is_any_told(&FILE.illicit, tokens)
}

/// Whether nothing worse than something illegal or deceitful is asked for, so that nobody is in danger now.
pub(crate) fn is_deceit_alone(tokens: &[Token]) -> bool {
    is_any_told(&FILE.illicit, tokens) && !asks_to_hurt(tokens)
}

/// Whether a way to hurt somebody is asked for. To tell of a plan, of thoughts or of an accident asks for help.
fn asks_to_hurt(tokens: &[Token]) -> bool {
    let harm = &FILE.harm;
    if harm.plainly.any(tokens) || is_covert(tokens) || is_any_told(&harm.sign, tokens) {
        return true;
    }
    if harm.help.any(tokens) {
        return false;
    }
    // Who wants to die and asks how much is enough is told where to find help, and no amount.
    if harm.amounts.any(tokens) && is_about_self_harm(tokens) {
        return true;
    }
    let is_way_to = |act: (usize, usize)| {
        harm.ways.all(tokens).any(|way| (way.0 < act.1 && act.0 < way.1 + 2 * APART) || (way.0 >= act.0 && way.0 < act.1 + APART))
    };
    let is_done_to = |act: &(usize, usize)| (act.1..act.1 + DONE_WITHIN).any(|at| harm.persons.at(tokens, at).is_some());
    harm.complete.all(tokens).chain(harm.acts.all(tokens).filter(is_done_to)).any(is_way_to)
}

/// Whether something is to be put into somebody else's drink or food so that he passes out or remembers nothing.
fn is_covert(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_vessel =
        |at: usize| matches!(word(at), "drink" | "drinks" | "tea" | "coffee" | "beer" | "wine" | "juice" | "food" | "dinner" | "soup");
    let puts = |at: usize| matches!(word(at), "slip" | "slipped" | "put" | "crush" | "mix" | "drop" | "pour" | "spike" | "hide");
    let is_denied = |at: usize| matches!(word(at), "not" | "doesnt" | "dont" | "wont" | "cant" | "never");
    let takes_effect = |at: usize| match word(at) {
        "wake" | "wakes" | "notice" | "notices" | "struggle" | "struggles" => is_denied(at - 1),
        "unconscious" => true,
        "remember" | "remembers" => is_denied(at - 1),
        "out" => matches!(word(at - 1), "pass" | "passes" | "knock" | "knocks" | "knocked" | "black" | "blacks"),
        _ => false,
    };
    let chinese: String = tokens.iter().filter(|token| token.cjk).map(|token| token.text.as_str()).collect();
    let says = |words: &[&str]| words.iter().any(|word| chinese.contains(word));
    if says(&["偷偷", "悄悄"])
        && says(&["里放", "里加", "里下", "里掺", "里混", "放药", "下药", "加药", "掺药", "投药"])
        && says(&["流掉", "打掉", "流产", "昏", "迷", "晕", "睡着"])
    {
        return true;
    }
    let of_other = |at: usize| at > 0 && !matches!(word(at - 1), "my" | "our" | "a" | "the" | "some");
    (0..tokens.len()).filter(|at| puts(*at)).any(|first| {
        let vessel = (first + 1..first + 1 + 2 * APART).find(|at| is_vessel(*at) && of_other(*at));
        vessel.is_some_and(|vessel| (vessel + 1..vessel + 1 + 2 * APART).any(takes_effect))
    })
}

/// Whether the patient is an animal.
pub(crate) fn is_of_animal(tokens: &[Token], case: &Case) -> bool {
    let animals = &FILE.animals;
    let is_beside = |first: usize| is_without(tokens, first) || is_only_seen(tokens, first) || is_beside_people(tokens, first);
    let is_meant = |kind: &(usize, usize)| !is_beside(kind.0) && animals.work.at(tokens, kind.1).is_none();
    let kinds: Vec<(usize, usize)> = animals.kinds.all(tokens).filter(is_meant).collect();
    if kinds.is_empty() && !animals.vet.any(tokens) {
        return false;
    }
    let is_person = has_person(tokens, case) || FILE.people.body.any(tokens);
    if animals.vet.any(tokens) && !is_person {
        return true;
    }
    // "A stray dog bit my calf … the dog looked healthy": it is where the bite comes from, however often it is named.
    let owned = kinds.iter().any(|kind| owns(tokens, kind.0));
    // Of somebody with the age of a grown-up, an animal that is nobody's is only mentioned; but a parrot may be as old.
    let is_grown_up = case.patient.age_months.is_some_and(|age| age.from >= OLDER_THAN_ANIMALS);
    let is_of_age = kinds.iter().any(|kind| kind.0.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|before| before.text == "old"));
    let is_mentioned = kinds.iter().any(|kind| exposes(tokens, *kind)) || (is_grown_up && !is_of_age);
    !is_person && (owned || !is_mentioned)
}

/// Whether something is only named because there is none: "none of us has pets".
pub(super) fn is_without(tokens: &[Token], first: usize) -> bool {
    let near = clause_around(tokens, first).start.max(first.saturating_sub(DENIED_WITHIN));
    tokens.get(near..first).is_some_and(|before| before.iter().any(|word| is_denying(word) || word.text == "none"))
}

/// Whether the words around an animal tell that an illness may come from it.
fn exposes(tokens: &[Token], kind: (usize, usize)) -> bool {
    let near = |said: (usize, usize)| said.0 < kind.1 + EXPOSED_WITHIN && kind.0 < said.1 + EXPOSED_WITHIN;
    FILE.animals.exposure.all(tokens).any(near)
}

/// Whether an animal bit, scratched or otherwise met somebody.
fn is_exposed_to_animal(tokens: &[Token]) -> bool {
    FILE.animals.kinds.all(tokens).any(|kind| exposes(tokens, kind))
}

/// Whether an animal is somebody's: "my spaniel", 我家狗; or what treats it is asked for.
fn owns(tokens: &[Token], first: usize) -> bool {
    let before = |back: usize| first.checked_sub(back).and_then(|at| tokens.get(at)).map(|token| token.text.as_str());
    matches!(before(1), Some("my" | "our" | "家" | "只" | "her" | "his")) && !matches!(before(2), Some("by" | "from" | "to"))
}

/// Whether a person is the patient, beyond the "I" of "what should I do".
fn has_person(tokens: &[Token], case: &Case) -> bool {
    let owned = |at: usize| FILE.animals.kinds.at(tokens, at).is_some() || tokens.get(at).is_some_and(|token| token.text == "家");
    // "Can I keep" and "do I have to" state nothing.
    let asks = |first: usize| {
        let before = first.checked_sub(1).and_then(|at| tokens.get(at)).map(|token| token.text.as_str());
        matches!(before, Some("can" | "do" | "should" | "could" | "must" | "would" | "did" | "may" | "shall"))
    };
    let says = FILE.people.says.all(tokens).any(|(first, last)| !asks(first) && !owned(last) && !owned(last + 1));
    says || case.patient.pregnancy.is_some()
}

/// Whether the question is about a person, not about things in general.
fn is_of_people(tokens: &[Token], case: &Case) -> bool {
    let is_body = FILE.people.body.any(tokens) || names_own_part(tokens);
    has_person(tokens, case) || is_body || case.patient.age_months.is_some() || case.patient.sex.is_some()
}

/// Whether what is asked is about something unknown, so that nothing can be said: of an unknown drug and two known ones, the known pair can.
fn subject_is_unknown(case: &Case) -> bool {
    let known_drugs = case.drugs.iter().filter(|drug| drug.entity.is_some()).count();
    let findings = case.findings.iter().filter(|finding| finding.entity.is_some()).count() + case.results.len();
    let known = known_drugs + findings + case.conditions.len();
    // An unfamiliar word is the subject only where little else is understood.
    let is_subject = |term: &&NotUnderstood| {
        let is_typed = !term.may_mean.is_empty() || term.likely.is_some_and(|likely| likely != LikelyKind::Other);
        term.subject && (is_typed || known <= BESIDE_SUBJECT)
    };
    // "On quilmodrane 40 mg. Any interaction with bisoprolol?": an interaction, or a dose, of the only known drug is one of it with the unknown one.
    let is_of_drugs = |ask: &CaseAsk| match ask.kind {
        AskKind::Interactions | AskKind::Dose => true,
        AskKind::Safety => !ask.of.is_empty(),
        _ => false,
    };
    let is_of_pair = known_drugs == 1 && !case.asks.is_empty() && case.asks.iter().all(is_of_drugs);
    let is_other = |term: &&NotUnderstood| is_of_pair && term.likely == Some(LikelyKind::Drug);
    let is_meant = |term: &&NotUnderstood| is_subject(term) || is_other(term);
    let subjects: Vec<&NotUnderstood> = case.not_understood.iter().filter(is_meant).collect();
    if subjects.is_empty() {
        return false;
    }
    // "Quandrilic fever" is not *Fever*.
    let stands_alone = |start: usize| !subjects.iter().any(|term| term.end < start && start <= term.end + 2);
    let named = case.findings.iter().map(|finding| (&finding.entity, finding.start));
    let named = named.chain(case.conditions.iter().map(|condition| (&condition.entity, condition.start)));
    let qualified: Vec<&String> = named.filter(|(_, start)| !stands_alone(*start)).filter_map(|(entity, _)| entity.as_ref()).collect();
    // What is found of a disease that nobody knows says nothing of its care.
    let is_disease_unknown = subjects.iter().any(|term| term.likely == Some(LikelyKind::Condition) && names_disease(&term.text));
    let is_finding = |name: &String| case.findings.iter().any(|finding| finding.entity.as_ref() == Some(name));
    let is_drug_unknown = subjects.iter().any(|term| term.likely == Some(LikelyKind::Drug));
    // Of drugs that are all taken already, none is in question beside the unknown one. What they do to each other is said all the same.
    let is_considered =
        |drug: &CaseDrug| drug.entity.is_some() && matches!(drug.status, DrugStatus::Proposed | DrugStatus::New | DrugStatus::Stopped);
    let is_pair = known_drugs > 1 && (!is_drug_unknown || case.drugs.iter().any(is_considered));
    let is_answerable = |ask: &CaseAsk| match ask.kind {
        AskKind::Safety | AskKind::Interactions => is_pair,
        // "Does the dose need halving, and can he have it with apixaban?" asks about the unknown drug.
        AskKind::Dose | AskKind::Monitoring | AskKind::SideEffects | AskKind::Contraindications if is_drug_unknown => is_pair,
        AskKind::Diagnosis => findings > 1,
        // What to do about several complaints can be said, whatever else was not understood.
        AskKind::Treatment | AskKind::Tests if ask.of.is_empty() => findings > 1 && !is_disease_unknown,
        _ => ask.of.iter().any(|entity| !(qualified.contains(&entity) || is_disease_unknown && is_finding(entity))),
    };
    // Where nothing is asked in so many words, what is told of a patient says more than the remedy that nobody knows.
    let is_told = case.asks.is_empty() && case.tells_of_now() && !subjects.iter().any(|term| term.likely == Some(LikelyKind::Condition));
    !is_told && !case.asks.iter().any(is_answerable)
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
