//! The states of a patient that matter for drugs: pregnancy, breastfeeding, age, kidney and liver function, smoking, allergies; and which
//! entities of a graph they are (`assets/states.toml`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::limits::MeasuredValues;
use crate::graph::{EntityId, EvolvingGraph};
use crate::run::case::{AgeMonths, CasePatient, OrganFunction, PatientSex, Smoking};
use crate::text::{fold, tokenise};

/// The longest range of an age that is narrow enough to name age groups that it only overlaps, in months.
const NARROW: u16 = 20 * 12;
/// The youngest that old age begins, and how much younger a patient is whom it certainly does not concern, in months; and the same for other groups.
const OLD: u16 = 50 * 12;
const BEFORE_OLD: u16 = 20 * 12;
const BESIDE_CHILD: u16 = 24;
/// The age at which a woman may become pregnant, in months.
const FERTILE: std::ops::RangeInclusive<u16> = 12 * 12..=50 * 12;
/// The most names and aliases of a substance by which the allergy to it is looked for.
const MOST_NAMES: usize = 24;

/// A state by its name in `assets/states.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Pregnancy,
    FirstTrimester,
    SecondTrimester,
    ThirdTrimester,
    Postpartum,
    Breastfeeding,
    ChildBearing,
    /// An age group, by the months of its entry.
    Age,
    RenalImpairment,
    MildRenalImpairment,
    ModerateRenalImpairment,
    SevereRenalImpairment,
    Dialysis,
    HepaticImpairment,
    MildHepaticImpairment,
    ModerateHepaticImpairment,
    SevereHepaticImpairment,
    Smoking,
    FormerSmoking,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    state: Vec<Entry>,
    allergy: Patterns,
    history: Patterns,
    hedge: Hedge,
    of_degree: OfDegree,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    is: State,
    names: Vec<String>,
    #[serde(default)]
    when: Vec<String>,
    /// Words that mean it in a statement about a state of the same family or its broader state.
    #[serde(default)]
    degree: Vec<String>,
    #[serde(default)]
    ages: Option<[u16; 2]>,
    #[serde(default)]
    broader: Option<State>,
    #[serde(default)]
    family: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Patterns {
    names: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hedge {
    words: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfDegree {
    words: Vec<String>,
    wider: Vec<String>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/states.toml")).unwrap_or_default());

/// A state that the patient is in, as an entity of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PatientState {
    pub(super) entity: EntityId,
    /// Whether the case may be of it but need not be ("a child of 10 to 14": under 12?).
    pub(super) possible: bool,
    /// Whether the question says nothing more precise, so that the kinds of this state may apply.
    pub(super) open: bool,
    /// Whether it is what the question says, not what follows from it.
    pub(super) said: bool,
}

/// Whether the condition of a statement holds for the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum WhenHolds {
    /// It has none, or the case meets it.
    Yes,
    /// The case does not say.
    Unknown,
    /// The case rules it out.
    No,
}

/// Words with which a condition of a statement means more than the illness that it names, or the contrary.
const NOT_PLAIN: [&str; 8] = ["no", "not", "without", "unless", "except", "and", "excluded", "history"];

/// What a patient is in, and what that rules out.
#[derive(Debug, Clone, Default)]
pub(super) struct PatientStates {
    /// Those that the graph has.
    pub(super) known: Vec<PatientState>,
    /// Entities of states that the patient is not in, because another of their family is known.
    pub(super) ruled_out: BTreeSet<EntityId>,
    /// Names, English and Chinese, of states that the question says and the graph does not have.
    pub(super) missing: Vec<[&'static str; 2]>,
    /// What was measured that rules conditions of statements out.
    pub(super) measured: MeasuredValues,
    /// The illnesses that the patient is known to have, each with its folded name.
    pub(super) illnesses: Vec<(EntityId, String)>,
    /// What the case tells that a drug may have done.
    pub(super) told: Vec<EntityId>,
    /// The entities of each entry that belongs to a family, or is broader than one that does.
    graded: BTreeMap<usize, Vec<EntityId>>,
    holding: BTreeSet<usize>,
    families: BTreeSet<&'static str>,
}

/// What a patient is, as entities of a graph, without what is merely possible.
pub(crate) fn sure_states(graph: &EvolvingGraph, patient: &CasePatient) -> Vec<EntityId> {
    PatientStates::of(graph, patient).known.into_iter().filter(|state| !state.possible).map(|state| state.entity).collect()
}

/// The states of a patient that the graph has, with those that only may apply.
pub(crate) fn all_states(graph: &EvolvingGraph, patient: &CasePatient) -> Vec<EntityId> {
    PatientStates::of(graph, patient).known.into_iter().map(|state| state.entity).collect()
}

/// The age groups of a graph that a patient belongs to, and the others; none if the age is not known.
pub(crate) fn age_groups(graph: &EvolvingGraph, patient: &CasePatient) -> (BTreeSet<EntityId>, BTreeSet<EntityId>) {
    let Some(age) = &patient.age_months else { return Default::default() };
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    // What is common in old age is met from middle age on.
    let margin = |from: u16| if from >= OLD { BEFORE_OLD } else { BESIDE_CHILD };
    for entry in FILE.state.iter() {
        let Some([from, to]) = entry.ages else { continue };
        let entities = entry.names.iter().flat_map(|name| graph.names().lookup_exact(name));
        if age.from <= to && from <= age.to {
            own.extend(entities);
        } else if age.to.saturating_add(margin(from)) < from || age.from > to.saturating_add(margin(from)) {
            others.extend(entities);
        }
    }
    others.retain(|group| !own.contains(group));
    (own, others)
}

impl PatientStates {
    /// The states of a patient.
    pub(super) fn of(graph: &EvolvingGraph, patient: &CasePatient) -> Self {
        let mut of = Self::default();
        let found = found_in(patient);
        of.holding = found.iter().map(|found| found.entry).collect();
        let entries = of.holding.iter().filter_map(|number| FILE.state.get(*number));
        of.families = entries.filter_map(|entry| entry.family.as_deref()).collect();
        // What the question says is the first of its states that the graph has: the pregnancy, if it does not have the trimester.
        let mut said = false;
        let mut unsaid: Option<&'static Entry> = None;
        for found in &found {
            let Some(entry) = FILE.state.get(found.entry) else { continue };
            let entities = entities_of(graph, entry);
            if found.said {
                said = true;
                unsaid = (entry.ages.is_none() && !found.possible && entry.is != State::FormerSmoking).then_some(entry);
            }
            let is_last = entry.ages.is_none() && entry.broader.is_none();
            let says = said && !found.possible && !entities.is_empty();
            for (place, entity) in entities.iter().enumerate() {
                let says = says && place == 0;
                match of.known.iter_mut().find(|known| known.entity == *entity) {
                    Some(known) => {
                        (known.possible, known.open) = (known.possible && found.possible, known.open && found.open);
                        known.said |= says;
                    }
                    None => of.known.push(PatientState { entity: *entity, possible: found.possible, open: found.open, said: says }),
                }
            }
            if !entities.is_empty() {
                (said, unsaid) = (false, None);
            } else if is_last {
                let first = |entry: &'static Entry, chinese: bool| {
                    entry.names.iter().find(|name| name.is_ascii() != chinese).map_or("", String::as_str)
                };
                of.missing.extend(unsaid.take().map(|entry| [first(entry, false), first(entry, true)]));
                said = false;
            }
        }
        for (number, entry) in FILE.state.iter().enumerate() {
            if entry.family.is_some() || FILE.state.iter().any(|narrow| narrow.family.is_some() && narrow.broader == Some(entry.is)) {
                of.graded.insert(number, entities_of(graph, entry));
            }
        }
        for (number, entry) in FILE.state.iter().enumerate() {
            if !of.holding.contains(&number) && entry.family.as_deref().is_some_and(|family| of.families.contains(family)) {
                let entities = entities_of(graph, entry).into_iter().filter(|entity| of.known.iter().all(|known| known.entity != *entity));
                of.ruled_out.extend(entities);
            }
        }
        of
    }

    /// Whether two entities are names of one graded state: hepatic impairment, and the liver disease by which a question may mean it.
    pub(super) fn are_one(&self, a: EntityId, b: EntityId) -> bool {
        self.graded.values().any(|entities| entities.contains(&a) && entities.contains(&b))
    }

    /// Whether a condition of a statement about some illnesses names another that the patient has: "atrial fibrillation with pre-excitation", said of
    /// Wolff-Parkinson-White syndrome, where both are known. "Unless atrial fibrillation" and "asthma and eczema" name none.
    pub(super) fn names_illness(&self, about: [EntityId; 2], condition: &str) -> bool {
        let illnesses = || self.illnesses.iter().filter(|(illness, _)| !about.contains(illness));
        condition.split([',', ';']).map(fold).any(|clause| {
            let words: Vec<&str> = clause.split_whitespace().collect();
            let is_plain = !words.iter().any(|word| NOT_PLAIN.contains(word));
            is_plain
                && illnesses()
                    .map(|(_, name)| name.split_whitespace().collect::<Vec<&str>>())
                    .any(|name| !name.is_empty() && words.windows(name.len()).any(|part| part == name))
        })
    }

    /// Whether the condition of a statement about a state holds: by the states that its words name.
    pub(super) fn when_holds(&self, about: EntityId, conditions: &[&str]) -> WhenHolds {
        if conditions.is_empty() {
            return WhenHolds::Yes;
        }
        if conditions.iter().any(|when| self.measured.rules_out(when)) {
            return WhenHolds::No;
        }
        let conditions: Vec<String> = conditions.iter().map(|condition| fold(condition)).collect();
        let says = |words: &[String]| words.iter().any(|words| conditions.iter().any(|condition| condition.contains(fold(words).as_str())));
        let in_tree = |root: State| {
            self.graded.iter().any(|(number, entities)| {
                entities.contains(&about) && FILE.state.get(*number).is_some_and(|entry| root_of(entry.is) == root)
            })
        };
        let is_named = |entry: &Entry| says(&entry.when) || (!entry.degree.is_empty() && says(&entry.degree) && in_tree(root_of(entry.is)));
        let named: Vec<(usize, &'static Entry)> = FILE.state.iter().enumerate().filter(|(_, entry)| is_named(entry)).collect();
        // "Severe renal impairment" names the impairment too, and means the severe one.
        let is_meant =
            |entry: &Entry| entry.family.is_some() || !named.iter().any(|(_, more)| more.is != entry.is && root_of(more.is) == entry.is);
        let meant: Vec<(usize, &'static Entry)> = named.iter().filter(|(_, entry)| is_meant(entry)).copied().collect();
        if meant.iter().any(|(number, _)| self.holding.contains(number)) {
            return WhenHolds::Yes;
        }
        let is_ruled_out =
            |(_, entry): &(usize, &'static Entry)| entry.family.as_deref().is_some_and(|family| self.families.contains(family));
        // "Above all in the third trimester" leaves the others open.
        let hedged = says(&FILE.hedge.words);
        if !meant.is_empty() && !hedged && meant.iter().all(is_ruled_out) { WhenHolds::No } else { WhenHolds::Unknown }
    }
}

/// The broadest state that holds with a state.
fn root_of(mut state: State) -> State {
    for _ in 0..FILE.state.len() {
        match FILE.state.iter().find(|entry| entry.is == state).and_then(|entry| entry.broader) {
            Some(broader) => state = broader,
            None => break,
        }
    }
    state
}

/// An entry of the file that holds for a patient.
struct Found {
    entry: usize,
    possible: bool,
    open: bool,
    said: bool,
}

/// The entries that hold for a patient, what the question says before what follows from it.
fn found_in(patient: &CasePatient) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (state, possible) in states_of(patient) {
        let (mut next, mut said) = (Some(state), true);
        while let Some(is) = next {
            let entry = FILE.state.iter().position(|entry| entry.is == is);
            // A mild impairment need not be what a graph calls an impairment.
            let possible = possible || (!said && is_mild(state));
            found.extend(entry.map(|entry| Found { entry, possible, open: said, said: said && !possible }));
            next = entry.and_then(|entry| FILE.state.get(entry)).and_then(|entry| entry.broader);
            said = false;
        }
    }
    let mut said = true;
    for (number, entry) in FILE.state.iter().enumerate() {
        let Some(([from, to], age)) = entry.ages.zip(patient.age_months) else { continue };
        if age.from >= from && age.to <= to {
            found.push(Found { entry: number, possible: false, open: false, said: std::mem::take(&mut said) });
        } else if age.from <= to && age.to >= from && age.to.saturating_sub(age.from) <= NARROW {
            found.push(Found { entry: number, possible: true, open: false, said: false });
        }
    }
    found
}

fn is_mild(state: State) -> bool {
    matches!(state, State::MildRenalImpairment | State::MildHepaticImpairment)
}

/// What a patient is in, the most precise of each kind, and whether that is only possible.
fn states_of(patient: &CasePatient) -> Vec<(State, bool)> {
    let mut states = Vec::new();
    let pregnancy = patient.pregnancy.unwrap_or_default();
    if pregnancy.pregnant {
        let by_week = pregnancy.week.map(|week| if week < 13 { 1 } else { 2 + u8::from(week >= 28) });
        states.push((
            match pregnancy.trimester.or(by_week) {
                Some(1) => State::FirstTrimester,
                Some(2) => State::SecondTrimester,
                Some(3) => State::ThirdTrimester,
                _ => State::Pregnancy,
            },
            false,
        ));
    }
    if pregnancy.postpartum {
        states.push((State::Postpartum, false));
    }
    if patient.breastfeeding {
        states.push((State::Breastfeeding, false));
    }
    let fertile = |age: AgeMonths| FERTILE.contains(&age.from) && FERTILE.contains(&age.to);
    if patient.sex == Some(PatientSex::Female) && patient.age_months.is_some_and(fertile) && patient.pregnancy.is_none() {
        states.push((State::ChildBearing, true));
    }
    let organs = [
        (patient.renal, [State::RenalImpairment, State::MildRenalImpairment, State::ModerateRenalImpairment, State::SevereRenalImpairment]),
        (
            patient.hepatic,
            [State::HepaticImpairment, State::MildHepaticImpairment, State::ModerateHepaticImpairment, State::SevereHepaticImpairment],
        ),
    ];
    for (function, [impaired, mild, moderate, severe]) in organs {
        let state = match function {
            None | Some(OrganFunction::Normal) => continue,
            Some(OrganFunction::Impaired) => impaired,
            Some(OrganFunction::Mild) => mild,
            Some(OrganFunction::Moderate) => moderate,
            Some(OrganFunction::Severe) => severe,
            Some(OrganFunction::Dialysis) if impaired == State::RenalImpairment => State::Dialysis,
            Some(OrganFunction::Dialysis) => severe,
        };
        states.push((state, false));
    }
    match patient.smoking {
        Some(Smoking::Current) => states.push((State::Smoking, false)),
        Some(Smoking::Former) => states.push((State::FormerSmoking, false)),
        Some(Smoking::Never) | None => {}
    }
    states
}

/// The entities that an entry names, in the order of its names.
fn entities_of(graph: &EvolvingGraph, entry: &Entry) -> Vec<EntityId> {
    let mut found = Vec::new();
    for entity in entry.names.iter().filter_map(|name| entity_of(graph, name)) {
        if !found.contains(&entity) {
            found.push(entity);
        }
    }
    found
}

/// The entity of this name: the one that it is the preferred name of, else the first that has it as an alias.
pub(super) fn entity_of(graph: &EvolvingGraph, name: &str) -> Option<EntityId> {
    let found = graph.names().lookup_exact(name);
    let preferred = found.iter().find(|entity| graph.entity_name(**entity) == name);
    preferred.or_else(|| found.first()).copied()
}

/// The entities that are the allergy to a substance, which has these names.
pub(super) fn allergies_to<'a>(graph: &EvolvingGraph, names: impl Iterator<Item = &'a str>) -> Vec<EntityId> {
    let mut found: Vec<EntityId> = Vec::new();
    for name in names.take(MOST_NAMES) {
        for pattern in &FILE.allergy.names {
            found.extend(graph.names().lookup_exact(&pattern.replace("{}", name)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The states that are a history of a condition.
pub(super) fn histories_of(graph: &EvolvingGraph, condition: EntityId) -> Vec<EntityId> {
    let name = graph.entity_name(condition);
    let mut found: Vec<EntityId> =
        FILE.history.names.iter().flat_map(|pattern| graph.names().lookup_exact(&pattern.replace("{}", name))).collect();
    found.retain(|history| *history != condition);
    found.sort_unstable();
    found.dedup();
    found
}

/// The substance that a state is the allergy to, by its name: "Penicillin allergy". `None` if it is no allergy to a substance that the
/// graph knows.
pub(super) fn allergen_of(graph: &EvolvingGraph, state: &str) -> Option<EntityId> {
    substances(state).find_map(|substance| entity_of(graph, &substance))
}

/// Whether the condition of a statement holds of a degree only ("severe heart failure"), and not also of others ("any; absolute when severe").
pub(crate) fn is_of_degree(when: &str) -> bool {
    let said = tokenise(when);
    let says = |words: &[String]| said.iter().any(|token| words.contains(&token.text));
    says(&FILE.of_degree.words) && !says(&FILE.of_degree.wider)
}

/// Whether a name is that of an allergy.
pub(super) fn is_allergy(state: &str) -> bool {
    substances(state).next().is_some()
}

/// What a name may be the allergy to, folded.
fn substances(state: &str) -> impl Iterator<Item = String> {
    let state = fold(state);
    FILE.allergy.names.iter().filter_map(move |pattern| {
        let (before, after) = pattern.split_once("{}")?;
        let (mut before, mut after) = (fold(before), fold(after));
        if before.is_ascii() && !before.is_empty() {
            before.push(' ');
        }
        if after.is_ascii() && !after.is_empty() {
            after.insert(0, ' ');
        }
        let substance = state.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
        (!substance.is_empty()).then(|| substance.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_sound() {
        let file: File = toml::from_str(include_str!("../../../assets/states.toml")).expect("valid");
        assert!(file.allergy.names.iter().chain(&file.history.names).all(|pattern| pattern.matches("{}").count() == 1));
        for entry in &file.state {
            assert!(!entry.names.is_empty() && (entry.is == State::Age) == entry.ages.is_some(), "{:?}", entry.is);
            assert!(entry.names.iter().any(|name| name.is_ascii()) && entry.names.iter().any(|name| !name.is_ascii()), "{:?}", entry.is);
            if let Some(broader) = entry.broader {
                assert!(file.state.iter().any(|other| other.is == broader), "{:?}", entry.is);
            }
        }
        let mut seen = BTreeSet::new();
        let names = file.state.iter().flat_map(|entry| &entry.names);
        assert!(names.into_iter().all(|name| seen.insert(fold(name))), "a name means one state");
    }
}
