//! What is treated before anything else where the case is in shock: a fast atrial fibrillation is shocked back at once, and nobody slows its rate first.
//!
//! The graph says both: what a shock may come of (an arrhythmia, of a cardiogenic shock), and which first treatment of it holds in a life-threatening
//! instability (`when`).

use super::by_role::qualifier;
use super::{PlanInput, subjects};
use crate::graph::{EntityId, Role, classes_of, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::differential::evidence::urgency_of;
use crate::run::{Case, ConditionStatus};
use crate::text::tokenise;

/// The pulse among the results, and from where on it is the rhythm that fails the circulation.
const PULSE: &str = "pulse";
const RACING: f64 = 140.0;
/// What the graph calls shock, and a low pressure.
const SHOCK: &str = "Shock";
pub(super) const LOW_PRESSURE: &str = "Low blood pressure";
/// Words of a condition of use (`when`) that says so, and those before them that turn it.
const UNSTABLE: [&str; 3] = ["instability", "unstable", "shock"];
const TURNS: [&str; 6] = ["no", "not", "without", "once", "after", "unless"];

/// The condition of the case that its shock may come of, and that is then treated first of all; `None` where the case is not in shock.
pub(super) fn treated_at_once(input: &PlanInput<'_>) -> Option<EntityId> {
    let shock = named(&input.knowledge.graph, SHOCK, "")?;
    if !is_in_shock(input, shock) {
        return None;
    }
    let facts = input.knowledge.facts();
    let shocks: Vec<EntityId> = std::iter::once(shock).chain(facts.owners_of_role(shock, Role::Broader)).collect();
    let brings = |condition: EntityId| shocks.iter().any(|shock| brings_this(input.knowledge, *shock, condition));
    let has_it =
        |condition: &EntityId| facts.players_of_role(*condition, Role::FirstLine).any(|player| is_at_once(input, *condition, player));
    let told = input.case.conditions.iter().filter(|of| of.status.is_now());
    let told: Vec<EntityId> = told.filter_map(|of| input.entity(of.entity.as_deref()?)).collect();
    // A septic shock does not come of the atrial fibrillation that the patient has long had: beside any other acute illness that is told, or blood that is
    // lost, the rhythm may be what comes of it.
    let is_rhythm = |of: EntityId| brings(of) && has_it(&of);
    let is_other = |of: EntityId| {
        let is_acute = input.knowledge.graph.attributes(of).get(keys::ONSET) == Some("acute");
        let is_pressing = || match urgency_of(input.knowledge, of) {
            Some("emergency") => true,
            Some("urgent") => !subjects::is_long_term(input, of),
            _ => false,
        };
        let comes_of_it = || told.iter().any(|rhythm| *rhythm != of && is_rhythm(*rhythm) && brings_this(input.knowledge, of, *rhythm));
        (is_acute || is_pressing()) && of != shock && !is_rhythm(of) && !comes_of_it()
    };
    let is_lost = |finding: EntityId| brings(finding) && !has_it(&finding);
    let is_guessed_other = |of: EntityId| is_other(of) && !has_it(&of);
    if told.iter().copied().any(is_other)
        || input.findings().into_iter().any(is_lost)
        || input.emergency.filter(|of| !told.contains(of)).is_some_and(is_guessed_other)
    {
        return None;
    }
    let is_candidate = |condition: &EntityId| {
        !shocks.contains(condition) && brings(*condition) && (is_racing(input.case) || !subjects::is_long_term(input, *condition))
    };
    let found: Vec<EntityId> = told.iter().copied().filter(is_candidate).filter(has_it).collect();
    // An ectopic pregnancy comes before the rhythm that the patient has long had.
    found.iter().find(|of| !subjects::is_long_term(input, **of)).or_else(|| found.first()).copied()
}

/// Whether a shock comes of a condition, or of a class of it.
pub(super) fn brings_this(knowledge: &Knowledge, shock: EntityId, condition: EntityId) -> bool {
    let mut of = std::iter::once(condition).chain(classes_of(&knowledge.graph, condition));
    of.any(|of| knowledge.facts().states(shock, of, |role| role == Role::Cause))
}

/// Whether the heart was counted to beat so fast that the rhythm is the reason.
pub(super) fn is_racing(case: &Case) -> bool {
    case.results.iter().any(|result| result.test == PULSE && result.value.is_some_and(|value| value >= RACING))
}

/// Whether a first treatment of a condition is for those whose circulation fails.
pub(super) fn is_at_once(input: &PlanInput<'_>, condition: EntityId, treatment: EntityId) -> bool {
    let when = qualifier(input, (condition, treatment), Role::FirstLine, &["when"]).unwrap_or_default();
    when.split([',', ';']).any(|clause| {
        let words = tokenise(clause);
        let at = words.iter().position(|token| UNSTABLE.contains(&token.text.as_str()));
        at.is_some_and(|at| !words.iter().take(at).any(|token| TURNS.contains(&token.text.as_str())))
    })
}

/// Whether the case tells of a shock, of a pressure that is critically low, or is led by an emergency that is a shock.
fn is_in_shock(input: &PlanInput<'_>, shock: EntityId) -> bool {
    let graph = &input.knowledge.graph;
    let is_shock = |entity: EntityId| entity == shock || classes_of(graph, entity).contains(&shock);
    let is_low = input.case.results.iter().any(|result| result.critical && result.finding.as_deref() == Some(LOW_PRESSURE));
    let known = input.case.conditions.iter().filter(|of| of.status == ConditionStatus::Known);
    let mut known = known.filter_map(|of| input.entity(of.entity.as_deref()?));
    is_low
        || known.any(|entity| is_shock(entity) && !subjects::is_long_term(input, entity))
        || input.findings().into_iter().any(is_shock)
        || input.emergency.is_some_and(is_shock)
}
