//! What comes after a treatment that failed or is not tolerated: what the patient has had is not offered as new, and what the graph states for after a
//! failure comes first.

use std::collections::BTreeSet;

use super::by_role::qualifier;
use super::{PlanInput, causes, instead};
use crate::graph::{EntityId, Kind, Role, classes_of};
use crate::pipeline::differential::evidence::urgency_of;
use crate::text::tokenise;

/// Words of a condition of use (`when`) that says that something else has failed.
const AFTER_FAILURE: [&str; 9] =
    ["fail", "despite", "not enough", "resistant", "inadequate", "not controlled", "not helped", "no response", "without response"];
/// Words of one that says that something else is not tolerated.
const NOT_TOLERATED: [&str; 3] = ["not tolerated", "intolerant", "unsuitable"];
/// Words of one that says so of several other treatments.
const AFTER_SEVERAL: [&str; 4] = ["two other", "everything else", "all else", "other treatments"];
/// Classes of which somebody may need two: a short-acting insulin beside a long-acting one, tablets beside an inhaler.
const DOUBLED: [&str; 4] = ["Insulin", "Corticosteroid", "Opioid", "Inhaled corticosteroid"];
/// What treats a condition.
const TREATING: [Role; 2] = [Role::FirstLine, Role::Treatment];

/// Whether the question asks what comes after what a condition was treated with. Nothing comes after nothing: somebody who takes no drug for it is offered
/// the first choice. In an emergency the first choice is repeated (adrenaline), unless the graph states what comes second, the first choice was given,
/// and the next is asked for: after lorazepam, in a fit that goes on.
pub(super) fn wants_other(input: &PlanInput<'_>, condition: EntityId) -> bool {
    let given = given_for(input, condition);
    if !is_emergency(input, condition) {
        return (input.past_treatment.asks_for_next || input.past_treatment.failed) && !given.is_empty();
    }
    let is_first = |drug: &EntityId| is_treated_by(input, condition, *drug, Role::FirstLine);
    let mut treatments = input.knowledge.facts().players_of_role(condition, Role::Treatment);
    // The same drug by another way does not take the place of the first choice, which goes on until it runs: an infusion of adrenaline.
    let is_same_drug = |treatment: EntityId| {
        let graph = &input.knowledge.graph;
        let name = graph.entity_name(treatment).to_lowercase();
        given.iter().any(|drug| *drug != treatment && name.contains(&graph.entity_name(*drug).to_lowercase()))
    };
    let is_second =
        |treatment| line(input, (condition, treatment), Role::Treatment).as_deref() == Some("second") && !is_same_drug(treatment);
    is_past_first(input, &given) && given.iter().any(is_first) && treatments.any(is_second)
}

/// Whether what a condition was treated with is told to have failed, to be not enough or not tolerated, or what comes after it is asked for. An emergency
/// must have had its first choice.
pub(super) fn was_not_enough(input: &PlanInput<'_>, condition: EntityId) -> bool {
    let past = input.past_treatment;
    let given = given_for(input, condition);
    let is_first = |drug: &EntityId| is_treated_by(input, condition, *drug, Role::FirstLine);
    if is_emergency(input, condition) {
        return (past.failed || past.asks_for_next) && given.iter().any(is_first);
    }
    (past.failed || past.not_tolerated || past.asks_for_next || past.asks_for_another) && !given.is_empty()
}

/// Whether the first treatment of an emergency is said to be over: the next one is asked for, or it failed, or was repeated and did not help.
fn is_past_first(input: &PlanInput<'_>, given: &[EntityId]) -> bool {
    let past = input.past_treatment;
    past.asks_for_next || (past.repeated && past.failed) || given.iter().any(|drug| input.failed.contains(drug))
}

/// Whether a treatment is what an emergency is treated with where its first choice, which goes on, has not been enough: fluids and a vasopressor,
/// after adrenaline in anaphylaxis.
pub(super) fn is_next_beside_first(input: &PlanInput<'_>, of: (EntityId, EntityId), role: Role) -> bool {
    let (condition, _) = of;
    let given = given_for(input, condition);
    let is_first = |drug: &EntityId| is_treated_by(input, condition, *drug, Role::FirstLine);
    let goes_on = is_emergency(input, condition) && !wants_other(input, condition);
    goes_on && given.iter().any(is_first) && is_past_first(input, &given) && is_next(input, of, role)
}

/// Whether a treatment is one that is said to have failed or not to be tolerated, a kind of it, or the class of a few drugs that it belongs to: nobody is
/// offered it again.
pub(super) fn is_given_up(input: &PlanInput<'_>, treatment: EntityId) -> bool {
    is_of_kind(input, treatment, input.failed) || is_of_kind(input, treatment, input.not_tolerated)
}

/// Whether a treatment of these conditions is given up. What failed as a first choice is left out only where something comes after it, and what an
/// emergency is treated with first is given again.
pub(super) fn is_given_up_for(input: &PlanInput<'_>, conditions: &[EntityId], treatment: EntityId) -> bool {
    let is_first = || conditions.iter().any(|condition| is_treated_by(input, *condition, treatment, Role::FirstLine));
    // A class may be what is given next, though a drug of it failed: a vasopressor, after adrenaline.
    let is_stated_next = || conditions.iter().any(|condition| is_next(input, (*condition, treatment), Role::Treatment));
    let is_class = matches!(input.knowledge.graph.kind(treatment), Kind::DrugClass);
    is_given_up(input, treatment)
        && !(is_class && is_stated_next())
        && !is_first_in_emergency(input, conditions, treatment)
        && (is_of_kind(input, treatment, input.not_tolerated) || !is_first())
}

/// Whether a treatment is to be replaced. The kind of what is to be replaced goes with it, and so does what is of a kind that is to be replaced.
pub(super) fn is_replaced(input: &PlanInput<'_>, treatment: EntityId) -> bool {
    is_of_kind(input, treatment, input.replaced)
}

/// Whether a treatment is one of some drugs, of one of their kinds, or the class of a few drugs to which one of them belongs.
fn is_of_kind(input: &PlanInput<'_>, treatment: EntityId, drugs: &[EntityId]) -> bool {
    let graph = &input.knowledge.graph;
    let is_class = |of: EntityId| matches!(graph.kind(of), Kind::DrugClass);
    drugs.iter().any(|of| {
        *of == treatment
            || (is_class(*of) && classes_of(graph, treatment).contains(of))
            || (is_class(treatment) && instead::is_narrow(input, treatment) && classes_of(graph, *of).contains(&treatment))
    })
}

/// Whether a treatment is one of a class that treats a condition and of which the patient has had a drug: felodipine, after amlodipine.
pub(super) fn is_like_given(input: &PlanInput<'_>, condition: EntityId, treatment: EntityId) -> bool {
    let graph = &input.knowledge.graph;
    let treats = |class: &EntityId| TREATING.into_iter().any(|role| input.knowledge.facts().states(condition, *class, |of| of == role));
    let shared: Vec<EntityId> = std::iter::once(treatment).chain(classes_of(graph, treatment)).filter(treats).collect();
    given_for(input, condition)
        .iter()
        .any(|drug| shared.contains(drug) || classes_of(graph, *drug).iter().any(|class| shared.contains(class)))
}

/// Whether the graph states a treatment for after the failure of the very drugs that the patient has had: febuxostat, after allopurinol. Where several must
/// have failed ("a nasal steroid and an antihistamine"), each was given.
pub(super) fn is_next_of_given(input: &PlanInput<'_>, (condition, treatment): (EntityId, EntityId), role: Role) -> bool {
    let graph = &input.knowledge.graph;
    let given = given_for(input, condition);
    let when = qualifier(input, (condition, treatment), role, &["when"]).unwrap_or_default();
    let is_of_failure = |part: &&str| AFTER_FAILURE.iter().chain(&NOT_TOLERATED).any(|word| part.contains(word));
    let names_given = |part: &str| {
        let words = tokenise(part);
        let named = (0..words.len()).filter_map(|at| graph.names().longest_at(&words, at)).flat_map(|hit| hit.entities);
        let named: Vec<EntityId> = named.map(|(entity, _)| entity).collect();
        given.iter().any(|drug| named.contains(drug) || classes_of(graph, *drug).iter().any(|class| named.contains(class)))
    };
    let is_met =
        |part: &str| part.split(" and ").all(|one| names_given(one) || (one.contains("other") && given.len() > 1)) && names_given(part);
    when.split([',', ';', ':']).filter(is_of_failure).any(is_met)
}

/// Whether the graph states a treatment of a condition for after a failure. Where it says that several must have failed, several were given; what it states
/// only for those who do not tolerate another drug is for nobody else: no sartan beside an ACE inhibitor that does no harm.
pub(super) fn is_next(input: &PlanInput<'_>, (condition, treatment): (EntityId, EntityId), role: Role) -> bool {
    let line = line(input, (condition, treatment), role);
    let when = qualifier(input, (condition, treatment), role, &["when"]).unwrap_or_default();
    let says = |words: &[&str]| words.iter().any(|word| when.contains(word));
    let does_harm = || given_for(input, condition).iter().any(|drug| !causes::told_effects(input, *drug).is_empty());
    let is_last_resort = says(&AFTER_SEVERAL) && given_for(input, condition).len() < 2;
    let is_for_intolerant = says(&NOT_TOLERATED) && !says(&AFTER_FAILURE);
    let is_later = line.as_deref() == Some("second") || says(&AFTER_FAILURE) || is_for_intolerant;
    line.as_deref() != Some("third")
        && is_later
        && !is_last_resort
        && (!is_for_intolerant || input.past_treatment.not_tolerated || does_harm())
}

/// The treatments of these conditions that the patient has had, where another is wanted and the graph knows one: the drugs in use, their class, and the other
/// drugs of a class that is itself stated as the treatment. What was given once in an emergency may be needed again, and where every first choice was given and
/// none is stated for later, as with insulin, it is the dose that changes.
pub(super) fn already_given(input: &PlanInput<'_>, conditions: &[EntityId]) -> BTreeSet<EntityId> {
    let facts = input.knowledge.facts();
    // What is given where it has failed takes its place; what is added where it is not enough, as in an asthma attack, does not.
    let is_in_place = |condition: EntityId, treatment: EntityId| {
        let of = (condition, treatment);
        let when = qualifier(input, of, Role::Treatment, &["when"]).unwrap_or_default();
        line(input, of, Role::Treatment).as_deref() == Some("second")
            && when.contains("fail")
            && is_next_of_given(input, of, Role::Treatment)
    };
    let has_failed = |condition: EntityId| {
        given_for(input, condition).iter().any(|drug| input.failed.contains(drug))
            && facts.players_of_role(condition, Role::Treatment).any(|treatment| is_in_place(condition, treatment))
    };
    let is_needed_again = |condition: EntityId| is_emergency(input, condition) && !input.past_treatment.repeated && !has_failed(condition);
    let counts = |condition: &&EntityId| wants_other(input, **condition) && !is_needed_again(**condition);
    let mut all = BTreeSet::new();
    for condition in conditions.iter().filter(counts) {
        let treats = |treatment: EntityId| facts.states(*condition, treatment, |role| TREATING.contains(&role));
        let drugs = given_for(input, *condition);
        // Of a drug, its class; of a class, no wider one: "on a statin" leaves the other drugs that lower the cholesterol.
        let is_class = |drug: &EntityId| matches!(input.knowledge.graph.kind(*drug), Kind::DrugClass);
        let single = drugs.iter().filter(|drug| !is_class(drug));
        // A wide group that it belongs to in the end, as antidepressants, still says where to look.
        let counts = |drug: EntityId, class: EntityId| {
            treats(class) && (facts.states(drug, class, |role| role == Role::Broader) || instead::is_narrow(input, class))
        };
        let of_drug = |drug: &EntityId| {
            let (drug, classes) = (*drug, classes_of(&input.knowledge.graph, *drug));
            classes.into_iter().filter(move |class| counts(drug, *class)).collect::<Vec<_>>()
        };
        let classes: Vec<EntityId> = single.flat_map(of_drug).collect();
        // "On a statin": whichever it is, another one does not come next. Of a wide group such as antiepileptics, others do.
        let is_narrow = |class: &&EntityId| instead::is_narrow(input, **class);
        let members = drugs.iter().chain(&classes).filter(is_narrow).flat_map(|class| facts.owners_of_role(*class, Role::Broader));
        let given: BTreeSet<EntityId> = drugs.iter().copied().chain(classes.iter().copied()).chain(members).collect();
        let is_other = |role: Role| {
            let left = facts.players_of_role(*condition, role).filter(|treatment| !given.contains(treatment));
            left.filter(|treatment| role == Role::FirstLine || is_next(input, (*condition, *treatment), role)).count() > 0
        };
        if TREATING.into_iter().any(is_other) {
            all.extend(given);
        }
    }
    all
}

/// The other drugs of the classes of drugs in use that treat these conditions: no second beta blocker beside a first. What is urgent is treated all the same.
pub(super) fn twins(input: &PlanInput<'_>, conditions: &[EntityId]) -> BTreeSet<EntityId> {
    let (graph, facts) = (&input.knowledge.graph, input.knowledge.facts());
    let in_use = input.case.drugs.iter().filter(|drug| drug.status.is_in_use());
    let drugs: Vec<EntityId> = in_use.filter_map(|drug| input.entity(drug.entity.as_deref()?)).collect();
    let is_calm = |condition: &&EntityId| !matches!(urgency_of(input.knowledge, **condition), Some("emergency" | "urgent"));
    let may_be_doubled = |class: EntityId| DOUBLED.contains(&graph.entity_name(class));
    let mut twins = BTreeSet::new();
    for condition in conditions.iter().filter(is_calm) {
        let treats = |class: &EntityId| TREATING.into_iter().any(|role| facts.states(*condition, *class, |of| of == role));
        for drug in &drugs {
            let is_given = TREATING.into_iter().any(|role| is_treated_by(input, *condition, *drug, role));
            let classes = facts.players_of_role(*drug, Role::Broader).filter(|class| is_given || treats(class));
            let classes = classes.filter(|class| instead::is_narrow(input, *class) && !may_be_doubled(*class));
            twins.extend(classes.flat_map(|class| facts.owners_of_role(class, Role::Broader)).filter(|twin| !drugs.contains(twin)));
        }
    }
    twins
}

/// Whether a drug is what an emergency of the case is treated with first, and has done no worse than what passes: palpitations, no
/// other arrhythmia.
pub(super) fn is_first_in_emergency(input: &PlanInput<'_>, conditions: &[EntityId], drug: EntityId) -> bool {
    let is_symptom = |effect: EntityId| matches!(input.knowledge.graph.kind(effect), Kind::Symptom);
    let passes = |effect: &EntityId| is_symptom(*effect) && !is_emergency(input, *effect) && !conditions.contains(effect);
    causes::told_effects(input, drug).iter().all(passes)
        && conditions.iter().any(|condition| is_emergency(input, *condition) && is_treated_by(input, *condition, drug, Role::FirstLine))
}

/// The drugs that the patient takes, or has taken, which are stated to treat a condition, by themselves or as members of a class (ramipril, where ACE
/// inhibitors are stated).
pub(super) fn given_for(input: &PlanInput<'_>, condition: EntityId) -> Vec<EntityId> {
    let in_use = input.case.drugs.iter().filter(|drug| drug.status.was_given());
    let drugs = in_use.filter_map(|drug| input.entity(drug.entity.as_deref()?));
    drugs.filter(|drug| TREATING.into_iter().any(|role| is_treated_by(input, condition, *drug, role))).collect()
}

fn is_treated_by(input: &PlanInput<'_>, condition: EntityId, drug: EntityId, role: Role) -> bool {
    let mut of = std::iter::once(drug).chain(classes_of(&input.knowledge.graph, drug));
    of.any(|drug| input.knowledge.facts().states(condition, drug, |of| of == role))
}

fn is_emergency(input: &PlanInput<'_>, condition: EntityId) -> bool {
    urgency_of(input.knowledge, condition) == Some("emergency")
}

fn line(input: &PlanInput<'_>, of: (EntityId, EntityId), role: Role) -> Option<String> {
    qualifier(input, of, role, &["line"])
}
