//! What each entity of the question is to the case: a finding that argues for conditions, mere context, or an argument against.
//!
//! A drug that is taken explains nothing by what it treats; a known condition is background where another is sought; a normal result
//! and an absent finding argue against what they would belong to; the name of a test is evidence for nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::besides::{
    is_danger_besides, is_level, is_mere_plan, is_mere_value, is_of_known, is_settled_by, is_told_besides, is_treated, names_illness,
};
use super::flagged::points_elsewhere;
use super::of_drugs::{is_of_new_drug, too_much_of_stopped};
use super::ruled_out::SEEN_IN_FEW;
use super::seeks_diagnosis::names_what_it_is;
use super::under_care::{belongs, cared_for, values_are_of_illness};
use super::{contact, interactions};
use crate::graph::{EntityId, Kind, Role, classes_of, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::language::lay::is_event;
use crate::language::pictures::Recognised;
use crate::pipeline::safety::states::{age_groups, sure_states};
use crate::run::{AskKind, Case, CaseCondition, CasePatient, ConditionStatus, DrugStatus, FindingStatus, LikelyKind, ResultDirection};

/// What an entity of the question is to the case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A finding, or the question does not say.
    #[default]
    Finding,
    /// What the question is about, or suspects.
    Subject,
    /// Background: a drug in use, a known or past condition. Only what it may cause, or raises the risk of, is more likely for it.
    Context,
    /// It argues for nothing: the name of a test, what was, or what another person has.
    Nothing,
}

/// The case as evidence for and against conditions.
#[derive(Debug, Clone, Default)]
pub(crate) struct CaseEvidence {
    pub(super) standing: BTreeMap<EntityId, Standing>,
    /// Findings that are absent, or that a normal result speaks against.
    pub(crate) absent: BTreeSet<EntityId>,
    /// Conditions that are ruled out.
    pub(crate) excluded: BTreeSet<EntityId>,
    /// What results amount to.
    pub(super) of_results: BTreeSet<EntityId>,
    /// What a result speaks against, among what is absent.
    measured: BTreeSet<EntityId>,
    /// Of what a result speaks against, the finding that it amounts to: of a high temperature, against a low one, fever.
    opposites: BTreeMap<EntityId, EntityId>,
    /// Conditions that are nothing but what was measured, where the result is normal: a lack of folate.
    pub(super) ruled_out: BTreeSet<EntityId>,
    /// Known conditions that are only considered because they explain some of the findings; the question is not about them.
    pub(crate) only_explain: BTreeSet<EntityId>,
    /// Emergencies that the question says somebody has, and that explain something that is told: they lead.
    pub(super) named_emergencies: BTreeSet<EntityId>,
    /// Conditions that the patient is known to have now.
    pub(super) known: BTreeSet<EntityId>,
    /// Findings that may not be there.
    pub(super) uncertain: BTreeSet<EntityId>,
    /// How many days ago findings that are there began, as far as it is told.
    pub(super) began: BTreeMap<EntityId, f64>,
    /// What the patient is, as the graph knows it: pregnant, of an age, a smoker.
    pub(crate) states: Vec<EntityId>,
    /// Of these, how kidneys and liver work: many patients have it, and the findings often tell it once more.
    pub(super) organ_states: BTreeSet<EntityId>,
    /// The age groups that the patient belongs to, and those that he does not; none if the age is not known.
    pub(crate) ages: BTreeSet<EntityId>,
    pub(crate) other_ages: BTreeSet<EntityId>,
    /// The week of the pregnancy.
    pub(super) week: Option<u8>,
    /// The drugs that the case names, with the classes of each; without allergens.
    pub(super) drugs: BTreeSet<EntityId>,
    /// Whether it names a drug that the graph does not have.
    pub(super) has_unknown_drug: bool,
    /// What too much of a drug does that was stopped days ago, and such drugs.
    pub(super) too_much: BTreeSet<EntityId>,
    /// What somebody near the patient has, and people catch from each other.
    pub(super) by_contact: BTreeSet<EntityId>,
    /// Conditions that stored interactions between the drugs in use lead to.
    pub(super) by_interaction: BTreeSet<EntityId>,
    /// Whether a stored interaction between two drugs of the case does what is found.
    pub(super) is_by_interaction: bool,
    /// Whether the question wants to know what the patient has.
    pub(crate) seeks_diagnosis: bool,
    /// The condition whose clinical picture the question fits clearly better than any other's, or best where nothing else was understood.
    pub(crate) recognised: Option<EntityId>,
    /// Whether it fits clearly.
    pub(crate) is_clear: bool,
}

/// How much an uncertain finding counts.
const UNCERTAIN: f64 = 0.5;
/// What a condition loses with each absent finding, by how often it has it (`frequency`); otherwise as the last.
const ABSENT: [(&str, f64); 4] = [("very_common", 0.5), ("common", 0.3), ("uncommon", 0.1), ("rare", 0.03)];
const ABSENT_UNSTATED: f64 = 0.2;
/// The same where a result speaks against it, of what is no emergency: what was measured is surer than what was not told. The first
/// troponin of a heart attack may be normal.
const MEASURED_ABSENT: [(&str, f64); 4] = [("very_common", 0.7), ("common", 0.35), ("uncommon", 0.1), ("rare", 0.03)];
/// How much a present finding counts by how often the condition has it.
const PRESENT: [(&str, f64); 4] = [("very_common", 1.15), ("common", 1.0), ("uncommon", 0.8), ("rare", 0.5)];

impl CaseEvidence {
    /// Reads the case. An empty case says nothing of any entity: all are findings. `recognised`: the condition whose clinical picture
    /// the question fits clearly better than any other's.
    pub(crate) fn of(knowledge: &Knowledge, case: &Case, recognised: Option<Recognised>) -> Self {
        let find = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, ""));
        let mut evidence = Self::default();
        let asked_of: BTreeSet<&str> = case.asks.iter().flat_map(|ask| ask.of.iter().map(String::as_str)).collect();
        // "He says it's a stroke": a guess explains nothing yet, unless the question asks about it.
        let explains_what_is = |c: &CaseCondition| match c.status {
            ConditionStatus::Known => true,
            ConditionStatus::Suspected => c.entity.as_deref().is_some_and(|name| asked_of.contains(name)),
            ConditionStatus::Excluded | ConditionStatus::Past => false,
        };
        let now: Vec<EntityId> = case.conditions.iter().filter(|c| explains_what_is(c)).filter_map(|c| find(&c.entity)).collect();
        // That the kidneys work badly is what the patient is, where the question says so: "acute gout, eGFR 24".
        let states = sure_states(&knowledge.graph, &case.patient);
        let is_state =
            |finding: &EntityId| states.iter().any(|state| state == finding || classes_of(&knowledge.graph, *state).contains(finding));
        let cared_for = cared_for(knowledge, case);
        let mut open = open_findings(knowledge, case, &now);
        open.retain(|finding| !belongs(knowledge, case, &cared_for, *finding));
        if !now.is_empty() {
            open.retain(|finding| !is_state(finding));
        }
        // Beside an emergency that is named, a value that is not critical is company: the stroke is treated, not the pressure of 178/96.
        let is_named_now =
            |condition: &EntityId| urgency_of(knowledge, *condition) == Some("emergency") && !is_treated(knowledge, case, *condition);
        let is_value = |finding: &EntityId| is_mere_value(knowledge, case, *finding);
        if now.iter().any(is_named_now) {
            open.retain(|finding| !is_value(finding));
        }
        let is_unexplained =
            if case.asks_for_care() { is_unexplained(knowledge, case, &open) } else { is_emergency(knowledge, case, &open) };
        // "Had a clot on the lung in 2019, been right as rain since": what is over is not there again because its words are.
        let is_of_past = |recognised: &Recognised| {
            let past = case.conditions.iter().filter(|c| c.status == ConditionStatus::Past).filter_map(|c| find(&c.entity));
            let is_kind = |one: EntityId, of: EntityId| knowledge.facts().states(one, of, |role| role == Role::Broader);
            let of = recognised.condition;
            let is_well = present(knowledge, case).iter().all(is_value) && !explains_any(knowledge, case, of);
            is_well && past.into_iter().any(|past| past == of || is_kind(of, past) || is_kind(past, of))
        };
        // What fits a picture clearly is to be named, where care is asked for and nothing says what the patient has.
        let is_told = |recognised: &Recognised| {
            let is_told = is_danger_besides(knowledge, case, *recognised)
                || !recognised.is_like_kin
                    && ((case.leaves_open_what_it_is() && !is_of_known(knowledge, case, *recognised))
                        || is_told_besides(knowledge, case, *recognised));
            // A patient who only takes a drug does not have what the drug may do: that needs a finding it explains, or a question for the cause.
            let is_of_drug = case.drugs.iter().filter_map(|drug| find(&drug.entity)).any(|drug| {
                let leads_to = |class: EntityId| knowledge.facts().states(class, recognised.condition, |role| role == Role::AdverseEffect);
                let makes = |role| matches!(role, Role::Cause | Role::RiskFactor);
                let classes = classes_of(&knowledge.graph, drug);
                std::iter::once(drug)
                    .chain(classes)
                    .any(|class| leads_to(class) || knowledge.facts().states(recognised.condition, class, makes))
            });
            let is_silent = present(knowledge, case).is_empty();
            let asks_of_it = case.asks_what_it_is() && is_silent;
            // Words about an illness that is named, without any complaint, are no picture of another: MRSA found on a swab.
            let is_of_another = recognised.unmistakable || !is_silent || !names_illness(knowledge, case, *recognised);
            is_told && is_of_another && (!is_of_drug || asks_of_it || explains_any(knowledge, case, recognised.condition))
        };
        // Nor does a picture stand against a telling sign that it does not have: blisters in a belt are no washing powder's.
        let is_against_sign = |recognised: &Recognised| {
            let owners = |finding: &EntityId| knowledge.facts().owners_of_role(*finding, Role::Symptom).count();
            let is_its_own = |finding: &EntityId| explains(knowledge, recognised.condition, *finding);
            let is_sign = |finding: &EntityId| (1..=SEEN_IN_FEW).contains(&owners(finding)) && !is_its_own(finding);
            let partly = case.findings.iter().filter(|finding| finding.status == FindingStatus::Uncertain);
            let explains_partly =
                || partly.filter_map(|f| find(&f.entity)).any(|finding| explains(knowledge, recognised.condition, finding));
            let explains_sign = |finding: &EntityId| owners(finding) <= SEEN_IN_FEW && is_its_own(finding);
            let present = present(knowledge, case);
            present.iter().any(is_sign) && !present.iter().any(explains_sign) && !explains_partly()
        };
        let is_settled = names_what_it_is(knowledge, case, &now, &is_state) || values_are_of_illness(knowledge, case, &cared_for);
        let is_dangerous = |condition| matches!(urgency_of(knowledge, condition), Some("emergency" | "urgent"));
        let is_open = |recognised: &Recognised| !is_settled || is_dangerous(recognised.condition);
        evidence.too_much = too_much_of_stopped(knowledge, case);
        let recognised = recognised.filter(|recognised| is_open(recognised) && !evidence.too_much.contains(&recognised.condition));
        let is_of_sign = recognised.is_some_and(|recognised| is_told(&recognised) && is_against_sign(&recognised));
        let told = recognised.filter(|recognised| is_told(recognised) && !is_of_sign && !is_of_past(recognised));
        evidence.recognised = told.map(|recognised| recognised.condition);
        evidence.is_clear = told.is_some_and(|recognised| recognised.clear);
        let is_sought = is_unexplained || evidence.recognised.is_some() || is_of_sign || is_of_new_drug(knowledge, case);
        evidence.seeks_diagnosis = (case.seeks_diagnosis() && !is_settled) || is_sought;
        let seeks_cause = evidence.seeks_diagnosis;
        let asks_of_condition = case.conditions.iter().any(|c| c.entity.as_deref().is_some_and(|name| asked_of.contains(name)));
        let is_sign = seeks_cause && present(knowledge, case).is_empty();
        let asks_for_treatment = case.asks.iter().any(|ask| ask.kind == AskKind::Treatment);
        for drug in &case.drugs {
            if let Some(entity) = find(&drug.entity) {
                let standing = if drug.status == DrugStatus::Allergic { Standing::Nothing } else { Standing::Context };
                evidence.standing.insert(entity, standing);
                if drug.status != DrugStatus::Allergic {
                    evidence.drugs.insert(entity);
                    evidence.drugs.extend(classes_of(&knowledge.graph, entity));
                }
            } else {
                evidence.has_unknown_drug = true;
            }
        }
        evidence.has_unknown_drug |= case.not_understood.iter().any(|word| word.likely == Some(LikelyKind::Drug));
        for result in &case.results {
            let against: Vec<EntityId> = result.against.iter().filter_map(|name| named(&knowledge.graph, name, "")).collect();
            evidence.measured.extend(against.iter().copied());
            evidence.absent.extend(against.iter().copied());
            if is_settled_by(result) {
                // A test at home may be wrong: with a faint or pain in the shoulder, an ectopic pregnancy is not ruled out by it.
                let is_flag = |of: &EntityId, finding: &EntityId| knowledge.facts().states(*of, *finding, |role| role == Role::RedFlag);
                let is_flagged = |of: &EntityId| present(knowledge, case).iter().any(|finding| is_flag(of, finding));
                evidence.excluded.extend(against.iter().copied().filter(|of| !is_flagged(of)));
            }
            // Whatever else fits, nobody has hyperkalaemia with a normal potassium.
            if result.direction == ResultDirection::Normal && result.value.is_some() {
                evidence.excluded.extend(against.iter().copied().filter(|entity| {
                    let name = knowledge.graph.entity_name(*entity);
                    // Of two values, one may be too high.
                    is_level(name) && !case.results.iter().any(|other| other.finding.as_deref() == Some(name))
                }));
            }
            if let Some(test) = named(&knowledge.graph, &result.test, "") {
                evidence.standing.insert(test, Standing::Nothing);
            }
            if let Some(finding) = find(&result.finding) {
                evidence.of_results.insert(finding);
                evidence.opposites.extend(against.into_iter().map(|other| (other, finding)));
                evidence.standing.insert(finding, Standing::Finding);
            }
        }
        for finding in &case.findings {
            let Some(entity) = find(&finding.entity) else { continue };
            let standing = match finding.status {
                FindingStatus::Present => {
                    evidence.began.extend(finding.days.map(|days| (entity, days)));
                    Standing::Finding
                }
                // A condition of which there is only a risk is nothing to explain.
                FindingStatus::Uncertain if !knowledge.is_finding(entity) => Standing::Nothing,
                FindingStatus::Uncertain => {
                    evidence.uncertain.insert(entity);
                    Standing::Finding
                }
                FindingStatus::Absent => {
                    evidence.absent.insert(entity);
                    Standing::Nothing
                }
                FindingStatus::Resolved | FindingStatus::FamilyHistory => Standing::Nothing,
            };
            evidence.standing.insert(entity, standing);
        }
        let unmistakable = recognised.filter(|recognised| recognised.unmistakable && evidence.recognised.is_some());
        let is_other = |entity: EntityId| unmistakable.is_some_and(|recognised| recognised.condition != entity);
        // An accident is there whether or not anything that is told comes of it: bleach in the eye.
        let is_there_now = |entity: EntityId| {
            let explains = || explains_any(knowledge, case, entity);
            let is_alone = || is_named_now(&entity) && present(knowledge, case).iter().all(is_value);
            urgency_of(knowledge, entity) == Some("emergency") && (is_accident(knowledge, entity) || explains() || is_alone())
                || is_event(knowledge.graph.entity_name(entity)) && explains()
        };
        for condition in &case.conditions {
            let Some(entity) = find(&condition.entity) else { continue };
            let is_asked_of = condition.entity.as_deref().is_some_and(|name| asked_of.contains(name));
            let standing = match condition.status {
                // What is merely feared gives way to what the case unmistakably is, unless it is dangerous.
                ConditionStatus::Suspected if is_other(entity) && urgency_of(knowledge, entity) != Some("emergency") => Standing::Context,
                ConditionStatus::Suspected => Standing::Subject,
                ConditionStatus::Excluded => {
                    evidence.excluded.insert(entity);
                    Standing::Nothing
                }
                ConditionStatus::Known if !is_asked_of && is_mere_plan(case, condition) => Standing::Context,
                ConditionStatus::Known if (is_asked_of && !is_sign) || (!seeks_cause && !asks_of_condition) => Standing::Subject,
                // Asked what it is, a name that nearly says what the picture says clearly ("costochondral") is the answer, not the history.
                ConditionStatus::Known if evidence.is_clear && evidence.recognised == Some(entity) && case.asks_what_it_is() => {
                    Standing::Subject
                }
                // "Asthma attack, silent chest, what is it?", "Stroke 2h ago. What next?": the emergency that is named is there now, and treated, whatever
                // else fits.
                ConditionStatus::Known if (!is_sign || asks_for_treatment) && is_there_now(entity) && !is_other(entity) => {
                    Standing::Subject
                }
                // "I feel nausea. What is it?" asks what the one thing named is a sign of.
                ConditionStatus::Known if is_sign => Standing::Finding,
                // It may still be what the findings come from.
                ConditionStatus::Known if is_unexplained && explains_any(knowledge, case, entity) => {
                    evidence.only_explain.insert(entity);
                    Standing::Subject
                }
                ConditionStatus::Known | ConditionStatus::Past => Standing::Context,
            };
            if condition.status == ConditionStatus::Known && standing == Standing::Subject && !is_other(entity) && is_there_now(entity) {
                evidence.named_emergencies.insert(entity);
            }
            if condition.status == ConditionStatus::Known && knowledge.is_condition(entity) && !states.contains(&entity) {
                evidence.known.insert(entity);
            }
            evidence.standing.insert(entity, standing);
        }
        evidence.week = case.patient.pregnancy.and_then(|pregnancy| pregnancy.week);
        evidence.by_interaction = interactions::effects(knowledge, case);
        evidence.by_contact = contact::catching(knowledge, case);
        evidence.is_by_interaction = interactions::do_what_is_found(knowledge, case, &present(knowledge, case));
        let otherwise = sure_states(&knowledge.graph, &CasePatient { renal: None, hepatic: None, ..case.patient.clone() });
        evidence.organ_states = states.iter().copied().filter(|state| !otherwise.contains(state)).collect();
        evidence.states = states;
        (evidence.ages, evidence.other_ages) = age_groups(&knowledge.graph, &case.patient);
        // A pregnancy is what the patient is, not what the findings are a sign of.
        let is_beside = case.findings.iter().any(|f| f.status == FindingStatus::Present) || case.conditions.len() > 1;
        for state in evidence.states.iter().filter(|_| is_beside) {
            if let Some(standing) =
                evidence.standing.get_mut(state).filter(|standing| matches!(**standing, Standing::Subject | Standing::Finding))
            {
                *standing = Standing::Context;
            }
        }
        // What is to be prevented is no finding beside those that are there.
        let prevented = case.asks.iter().filter(|ask| ask.kind == AskKind::Prevention).flat_map(|ask| &ask.of);
        let is_told = !present(knowledge, case).is_empty();
        for goal in prevented.filter(|_| is_told).filter_map(|name| named(&knowledge.graph, name, "")) {
            evidence.standing.entry(goal).or_insert(Standing::Nothing);
        }
        // What is both absent in one place and present in another is not absent.
        let standing = &evidence.standing;
        let is_measure = |entity: &&EntityId| knowledge.graph.attributes(**entity).get(keys::RULED_OUT_BY) == Some("normal");
        let is_found = |entity: &&EntityId| matches!(standing.get(entity), Some(Standing::Finding | Standing::Context | Standing::Subject));
        evidence.ruled_out = evidence.measured.iter().filter(is_measure).filter(|entity| !is_found(entity)).copied().collect();
        evidence.absent.retain(|entity| standing.get(entity).is_none_or(|standing| *standing == Standing::Nothing));
        evidence
    }

    /// Whether the case says nothing of any entity, as where a paper's algorithm runs alone.
    pub(crate) fn is_empty(&self) -> bool {
        self.standing.is_empty() && self.absent.is_empty() && self.excluded.is_empty()
    }

    /// What an entity of the question is to the case.
    pub(crate) fn standing(&self, entity: EntityId) -> Standing {
        self.standing.get(&entity).copied().unwrap_or_default()
    }

    /// Whether a finding may not be there.
    pub(crate) fn is_uncertain(&self, finding: EntityId) -> bool {
        self.uncertain.contains(&finding)
    }

    /// The findings that are surely there.
    pub(super) fn certain(&self) -> Vec<EntityId> {
        let is_certain = |(entity, standing): &(&EntityId, &Standing)| **standing == Standing::Finding && !self.is_uncertain(**entity);
        self.standing.iter().filter(is_certain).map(|(entity, _)| *entity).collect()
    }

    /// How sure it is that a finding is there, from 0 to 1.
    pub(super) fn certainty(&self, finding: EntityId) -> f64 {
        if self.uncertain.contains(&finding) { UNCERTAIN } else { 1.0 }
    }

    /// How strongly an entity of the question in this role speaks for the owner of the role.
    pub(crate) fn pull(&self, knowledge: &Knowledge, entity: EntityId, role: Role, owner: EntityId) -> f64 {
        match self.standing(entity) {
            Standing::Nothing => 0.0,
            Standing::Context => match role {
                Role::Cause => 0.6,
                Role::RiskFactor => 0.3,
                _ => 0.0,
            },
            Standing::Finding | Standing::Subject => {
                let certain = if self.uncertain.contains(&entity) { UNCERTAIN } else { 1.0 };
                let pull = match (role, urgency_of(knowledge, owner)) {
                    // A red flag of something dangerous argues for it; one of something benign, for something else.
                    (Role::RedFlag, Some("emergency")) => 1.0,
                    (Role::RedFlag, Some("urgent")) => 0.7,
                    (Role::RedFlag, Some(_)) => 0.0,
                    (role, _) => super::assess::pull(role),
                };
                certain * pull * by_frequency(knowledge, owner, entity, role, &PRESENT, 1.0)
            }
        }
    }

    /// What remains of a condition's score: each absent finding that the condition has takes a share, and so does each red flag that
    /// something benign does not explain.
    pub(crate) fn remains(&self, knowledge: &Knowledge, condition: EntityId) -> f64 {
        let facts = knowledge.facts();
        // A normal potassium rules out a high one; a negative rheumatoid factor does not rule out the arthritis.
        let is_abnormality = || facts.owners_of_role(condition, Role::Symptom).next().is_some();
        if self.excluded.contains(&condition)
            || self.is_ruled_out(knowledge, condition)
            || (self.absent.contains(&condition) && is_abnormality() && !self.is_told_otherwise(knowledge, condition))
        {
            return 0.0;
        }
        let of_other = self.by_its_drugs(knowledge, condition);
        let is_emergency = urgency_of(knowledge, condition) == Some("emergency");
        let lost = |finding: &EntityId| {
            // A newborn with sepsis is hot or cold: that it is hot does not speak against the sepsis.
            if self.opposites.get(finding).is_some_and(|found| explains(knowledge, condition, *found)) {
                return 1.0;
            }
            let table = if self.measured.contains(finding) && !is_emergency { &MEASURED_ABSENT } else { &ABSENT };
            // That a red flag is absent speaks for the benign condition whose red flag it is, not against it.
            let has = facts.states(condition, *finding, |role| role == Role::Symptom);
            let as_feature = if has { by_frequency(knowledge, condition, *finding, Role::Symptom, table, ABSENT_UNSTATED) } else { 0.0 };
            // What the condition is stated to cause nearly always speaks against it, too, where it is not there.
            let causes = facts.states(*finding, condition, |role| role == Role::Cause);
            let as_cause = if causes { by_frequency(knowledge, *finding, condition, Role::Cause, table, 0.0) } else { 0.0 };
            1.0 - as_feature.max(as_cause)
        };
        let of_class = if is_emergency { 1.0 } else { self.by_absent_class(knowledge, condition) };
        of_other * of_class * self.absent.iter().map(lost).product::<f64>()
    }
}

/// The findings and results of a case that are there.
pub(super) fn present(knowledge: &Knowledge, case: &Case) -> Vec<EntityId> {
    let findings = case.findings.iter().filter(|finding| finding.status == FindingStatus::Present).map(|finding| &finding.entity);
    let names = findings.chain(case.results.iter().map(|result| &result.finding));
    names.flatten().filter_map(|name| named(&knowledge.graph, name, "")).collect()
}

/// The roles of what a condition shows itself by. A red flag speaks for what is dangerous; a harmless condition is not what it comes from: swollen legs do
/// not come of a cough by a tablet.
pub(crate) fn shown_by(knowledge: &Knowledge, condition: EntityId) -> impl Fn(Role) -> bool + '_ {
    move |role| {
        let is_dangerous = || matches!(urgency_of(knowledge, condition), Some("emergency" | "urgent"));
        matches!(role, Role::Symptom | Role::Complication) || role == Role::RedFlag && is_dangerous()
    }
}

/// Whether a condition explains a finding: it has it, or is a cause of it.
pub(crate) fn explains(knowledge: &Knowledge, condition: EntityId, finding: EntityId) -> bool {
    let facts = knowledge.facts();
    condition == finding
        || facts.states(condition, finding, shown_by(knowledge, condition)) && !points_elsewhere(knowledge, condition, finding)
        || facts.states(finding, condition, |role| role == Role::Cause)
        // Agranulocytosis is a lack of neutrophils.
        || facts.states(condition, finding, |role| role == Role::Broader)
}

/// Whether a condition is what happens to somebody: a burn, a bite. An exposure (a fall, a long lie) is background.
pub(crate) fn is_accident(knowledge: &Knowledge, condition: EntityId) -> bool {
    matches!(knowledge.graph.kind(condition), Kind::Disease) && is_event(knowledge.graph.entity_name(condition))
}

pub(super) fn explains_any(knowledge: &Knowledge, case: &Case, condition: EntityId) -> bool {
    present(knowledge, case).into_iter().any(|finding| explains(knowledge, condition, finding))
}

/// The findings that the known conditions do not explain.
fn open_findings(knowledge: &Knowledge, case: &Case, conditions: &[EntityId]) -> Vec<EntityId> {
    present(knowledge, case).into_iter().filter(|finding| !conditions.iter().any(|of| explains(knowledge, *of, *finding))).collect()
}

/// Whether the known conditions leave open what the patient has now: they explain neither a red flag, nor most of the findings.
fn is_unexplained(knowledge: &Knowledge, case: &Case, open: &[EntityId]) -> bool {
    let is_flag = open.iter().any(|finding| matches!(urgency_of(knowledge, *finding), Some("emergency" | "urgent")));
    is_flag || (open.len() > 1 && 2 * open.len() > present(knowledge, case).len())
}

/// How many unexplained findings tell of an illness by themselves.
const ILLNESS: usize = 3;

/// Whether several findings, one of them a red flag, or so many that they tell of an illness, must be explained whatever was asked.
fn is_emergency(knowledge: &Knowledge, case: &Case, open: &[EntityId]) -> bool {
    let is_flag = |finding: &EntityId| matches!(urgency_of(knowledge, *finding), Some("emergency" | "urgent"));
    !case.asks.is_empty() && (open.len() >= ILLNESS || (open.len() > 1 && open.iter().any(is_flag)))
}

/// How urgent the graph says that an entity is.
pub(crate) fn urgency_of(knowledge: &Knowledge, entity: EntityId) -> Option<&'static str> {
    knowledge.graph.attributes(entity).get("urgency").map(|level| match level {
        "emergency" => "emergency",
        "urgent" => "urgent",
        _ => "routine",
    })
}

/// A number by the `frequency` with which an owner has a player.
pub(crate) fn by_frequency(
    knowledge: &Knowledge,
    owner: EntityId,
    player: EntityId,
    role: Role,
    table: &[(&str, f64)],
    otherwise: f64,
) -> f64 {
    let graph = &knowledge.graph;
    if graph.base().qualified_count() == 0 {
        return otherwise;
    }
    let triples = knowledge.facts().triples(owner, player).into_iter().filter(|(of, _)| *of == role);
    let bands = triples.filter_map(|(_, t)| {
        let qualifiers = graph.qualifiers(t.head, t.relation, t.tail);
        let band = qualifiers.get("frequency")?;
        table.iter().find(|(name, _)| *name == band).map(|(_, factor)| *factor)
    });
    bands.reduce(f64::max).unwrap_or(otherwise)
}
