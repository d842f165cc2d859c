//! The states of a patient that matter for drugs: pregnancy, breastfeeding, age, kidney and liver function, smoking, allergies; and which
//! entities of a graph they are (`assets/states.toml`).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::graph::{EntityId, EvolvingGraph};
use crate::run::case::{AgeMonths, CasePatient, OrganFunction, PatientSex, Smoking};
use crate::text::fold;

/// The longest range of an age that is narrow enough to name age groups that it only overlaps, in months.
const NARROW: u16 = 20 * 12;
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
    allergy: Allergy,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    is: State,
    names: Vec<String>,
    #[serde(default)]
    when: Vec<String>,
    #[serde(default)]
    ages: Option<[u16; 2]>,
    #[serde(default)]
    broader: Option<State>,
    #[serde(default)]
    family: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Allergy {
    names: Vec<String>,
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

/// What a patient is in, and what that rules out.
#[derive(Debug, Clone, Default)]
pub(super) struct PatientStates {
    /// Those that the graph has.
    pub(super) known: Vec<PatientState>,
    /// Entities of states that the patient is not in, because another of their family is known.
    pub(super) ruled_out: BTreeSet<EntityId>,
    /// Names, English and Chinese, of states that the question says and the graph does not have.
    pub(super) missing: Vec<[&'static str; 2]>,
    holding: BTreeSet<usize>,
    families: BTreeSet<&'static str>,
}

impl PatientStates {
    /// The states of a patient.
    pub(super) fn of(graph: &EvolvingGraph, patient: &CasePatient) -> Self {
        let mut of = Self::default();
        let found = found_in(patient);
        of.holding = found.iter().map(|found| found.entry).collect();
        let entries = of.holding.iter().filter_map(|number| FILE.state.get(*number));
        of.families = entries.filter_map(|entry| entry.family.as_deref()).collect();
        let mut is_known = Vec::new();
        for found in &found {
            let Some(entry) = FILE.state.get(found.entry) else { continue };
            let entities = entities_of(graph, entry);
            is_known.push((entry.is, !entities.is_empty()));
            for entity in entities {
                match of.known.iter_mut().find(|known| known.entity == entity) {
                    Some(known) => {
                        (known.possible, known.open) = (known.possible && found.possible, known.open && found.open);
                        known.said |= found.said;
                    }
                    None => {
                        of.known.push(PatientState { entity, possible: found.possible, open: found.open, said: found.said });
                    }
                }
            }
        }
        // Without an entity for the trimester, what the graph says of pregnancy is what it knows.
        for state in found.iter().filter(|found| found.said && !found.possible) {
            let Some(entry) = FILE.state.get(state.entry).filter(|entry| entry.is != State::Age) else { continue };
            let mut next = Some(entry.is);
            let mut has_any = false;
            while let Some(state) = next {
                has_any |= is_known.iter().any(|(known, has)| *known == state && *has);
                next = FILE.state.iter().find(|entry| entry.is == state).and_then(|entry| entry.broader);
            }
            if !has_any {
                let first = |chinese: bool| entry.names.iter().find(|name| name.is_ascii() != chinese).map_or("", String::as_str);
                of.missing.push([first(false), first(true)]);
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

    /// Whether the condition of a statement holds: by the states that its words name.
    pub(super) fn when_holds(&self, conditions: &[&str]) -> WhenHolds {
        if conditions.is_empty() {
            return WhenHolds::Yes;
        }
        let conditions: Vec<String> = conditions.iter().map(|condition| fold(condition)).collect();
        let names = |entry: &&(usize, &'static Entry)| {
            entry.1.when.iter().any(|words| conditions.iter().any(|condition| condition.contains(fold(words).as_str())))
        };
        let entries: Vec<(usize, &'static Entry)> = FILE.state.iter().enumerate().collect();
        let named: Vec<(usize, &'static Entry)> = entries.iter().filter(names).copied().collect();
        // "Severe renal impairment" names the impairment too, and means the severe one.
        let meant = |(number, entry): &&(usize, &'static Entry)| {
            !named.iter().any(|(other, more)| other != number && more.broader == Some(entry.is) && more.family.is_some())
        };
        let meant: Vec<(usize, &'static Entry)> = named.iter().filter(meant).copied().collect();
        if meant.iter().any(|(number, _)| self.holding.contains(number)) {
            return WhenHolds::Yes;
        }
        let ruled_out = |(_, entry): &(usize, &'static Entry)| entry.family.as_deref().is_some_and(|family| self.families.contains(family));
        if !meant.is_empty() && meant.iter().all(ruled_out) { WhenHolds::No } else { WhenHolds::Unknown }
    }
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

/// The substance that a state is the allergy to, by its name: "Penicillin allergy". `None` if it is no allergy to a substance that the
/// graph knows.
pub(super) fn allergen_of(graph: &EvolvingGraph, state: &str) -> Option<EntityId> {
    substances(state).find_map(|substance| entity_of(graph, &substance))
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
        assert!(file.allergy.names.iter().all(|pattern| pattern.matches("{}").count() == 1));
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
