//! Urgency: how soon somebody must act, from critical values, findings that are emergencies by themselves, and dangerous conditions that
//! the case suspects or fits.
//!
//! Levels and actions are attributes of entities in the graph (`urgency`, `action`). A question that merely asks about a dangerous
//! condition, with no patient behind it, is no emergency. What an emergency depends on in the case is judged in [`super::alarm`].

use super::alarm::{Alarm, Company};
use super::alarm_reasons::Raised;
use super::alone::{applies, is_baby_of_unknown_age, is_routine_alone, names_one};
use super::audience::fitting;
use super::behind_pressure::behind_pressure;
use super::calmed::Calmed;
use super::explained_away::{is_explained_away, is_of_nobody};
use super::of_life::is_asked_alone;
use super::skin_reaction::skin_reaction;
use super::turned::turned;
use crate::graph::{EntityId, Kind, Role, qualifier_keys as keys};
use crate::language::knowledge::{Knowledge, named};
use crate::language::lab::{chinese_name, is_mild};
use crate::language::lay::is_event;
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::differential::evidence::{CaseEvidence, Standing, explains, is_accident, urgency_of};
use crate::pipeline::understand::course::Course;
use crate::pipeline::understand::gate::{is_about_self_harm, is_deceit_alone};
use crate::pipeline::understand::general::{asks_in_general, tells_of_a_patient};
use crate::pipeline::understand::overdose::is_overdose;
use crate::run::{
    AskKind, Case, CaseCondition, CasePatient, ConditionStatus, FindingStatus, Refusal, Urgency, UrgencyLevel, UrgencyReason,
    UrgencyReasonKind,
};
use crate::text::{Token, clause_around, tokenise};

/// A dangerous condition that does not lead counts if its score is at least this share of the leading one's, and a finding is its red flag …
const NEAR: f64 = 0.8;
/// … and it is among the first.
const IN_SIGHT: usize = 5;
/// How many findings it must explain, unless one of them is a red flag.
const EXPLAINED: usize = 2;

/// How many drugs in use that cause it weigh as much as a finding.
const CAUSING: usize = 2;

/// A finding of more conditions than these names none of them by itself.
const UNSPECIFIC: usize = 50;
/// From this age on, and up to that one, nothing is said to be calm because it is alone, in months.
const OLDER: u16 = 50 * 12;
const INFANT: u16 = 12;
/// A complaint that at most so many conditions have is specific.
const SPECIFIC: usize = 2;

/// How urgent a case is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Judged {
    /// The level, and what to do.
    pub(crate) urgency: Urgency,
    /// The condition because of which it is; `None` if it is a finding or value.
    pub(crate) condition: Option<EntityId>,
}

/// Judges a case.
pub(crate) fn judge(
    knowledge: &Knowledge,
    (question, case): (&str, &Case),
    evidence: &CaseEvidence,
    assessment: &Assessment,
    wording: &Wording,
) -> Judged {
    let judged = |level, text: String, condition: Option<EntityId>, because: Vec<UrgencyReason>| {
        let name = condition.map(|condition| knowledge.graph.entity_name(condition).to_owned());
        Judged { urgency: Urgency { level: Some(level), text: Some(text), condition: name, because }, condition }
    };
    let by_words = |text: &str| {
        let words = UrgencyReason { kind: UrgencyReasonKind::Words, ..UrgencyReason::default() };
        judged(UrgencyLevel::Emergency, text.to_owned(), None, vec![words])
    };
    let tokens = tokenise(question);
    let is_refused = case.refusal == Some(Refusal::Harm);
    if is_about_self_harm(&tokens) {
        return by_words(&wording.plan.self_harm);
    }
    if is_refused && !is_deceit_alone(&tokens) {
        return by_words(&wording.plan.harm_urgent);
    }
    if is_refused || is_of_nobody(question, case) {
        return Judged::default();
    }
    let find = |name: &Option<String>| name.as_deref().and_then(|name| named(&knowledge.graph, name, ""));
    // What happened to somebody (a swallowed battery) is told, never asked in general.
    let known = case.conditions.iter().filter(|condition| condition.status == ConditionStatus::Known);
    let happened = known.filter_map(|condition| find(&condition.entity)).filter(|e| matches!(knowledge.graph.kind(*e), Kind::RiskFactor));
    let happened: Vec<EntityId> = happened.collect();
    let is_dangerous = |entity: &EntityId| matches!(urgency_of(knowledge, *entity), Some("emergency" | "urgent"));
    if asks_in_general(&tokens, case) && !happened.iter().any(is_dangerous) {
        let names = case.conditions.iter().filter_map(|condition| named(&knowledge.graph, condition.entity.as_deref()?, ""));
        let is_known = names.into_iter().any(|condition| urgency_of(knowledge, condition).is_some());
        return Judged::calm(is_known);
    }
    if is_asked_alone(&knowledge.graph, question, &tokens, case) || is_explained_away(knowledge, (question, &tokens), case) {
        return Judged::calm(true);
    }
    let course = Course::of(question);
    let alarm = Alarm::of(knowledge, case, evidence, &course);
    let raised = Raised { knowledge, case, evidence, alarm: &alarm, wording };
    let present = case.findings.iter().filter(|finding| finding.status == FindingStatus::Present);
    let results = case.results.iter().filter_map(|result| find(&result.finding));
    // A value that is no reason for haste speaks for no emergency either: a sodium of 132 mmol/l.
    let results = results.filter(|finding| !alarm.is_mild(*finding));
    let findings: Vec<EntityId> = present.filter_map(|finding| find(&finding.entity)).chain(results).collect();
    let is_patient = case.is_about_a_patient();
    let suspected = |condition: EntityId| suspected(knowledge, condition, (wording, &case.patient));
    // What is said in part counts for what leads.
    let partly = case.findings.iter().filter(|finding| finding.status == FindingStatus::Uncertain);
    let told: Vec<EntityId> = findings.iter().copied().chain(partly.filter_map(|finding| find(&finding.entity))).collect();
    let leader = leading_emergency(knowledge, &alarm, (evidence, assessment), (&told, &findings));
    let leader = turned(knowledge, &alarm, case, leader, &findings).or(leader);
    let leader = leader.or_else(|| skin_reaction((knowledge, &alarm), (&tokens, case), evidence));
    let has_patient = is_patient || tells_of_a_patient(&tokens, case);
    let mut conditions = dangers((knowledge, &alarm), (case, &course, has_patient), evidence, assessment, &findings);
    let behind = |finding, any| behind_pressure((knowledge, &alarm), case, &conditions, (finding, any));
    if let Some(result) = case.results.iter().find(|result| result.critical) {
        let leader = leader.or_else(|| behind(find(&result.finding)?, false));
        let test = chinese_name(&result.test).filter(|_| wording.is_chinese()).unwrap_or(&result.test);
        let value = result.value.map_or_else(|| test.to_owned(), |value| format!("{test} {value}"));
        let critical = wording.fill(&wording.plan.critical, std::slice::from_ref(&value));
        let text = match leader {
            Some(leader) => format!("{}{}{critical}", suspected(leader), wording.space()),
            None => critical,
        };
        let value = UrgencyReason { kind: UrgencyReasonKind::Result, text: value, entity: result.finding.clone() };
        let of_leader = leader.map(|leader| raised.by_condition(leader, UrgencyLevel::Emergency, &told)).unwrap_or_default();
        let because = std::iter::once(value).chain(of_leader).collect();
        return judged(UrgencyLevel::Emergency, text, leader, because);
    }
    // An accident that is an emergency comes before what only one complaint speaks for: a baby who fell and vomits, before a swallowed detergent.
    let accident = happened.iter().copied().find(|entity| alarm.of_finding(*entity) == Some(UrgencyLevel::Emergency));
    let stands = |leader: &EntityId| {
        let comes_of = |of| knowledge.facts().states(*leader, of, |role| matches!(role, Role::Cause | Role::RiskFactor));
        accident.is_none_or(comes_of) || findings.iter().filter(|finding| explains(knowledge, *leader, **finding)).count() >= EXPLAINED
    };
    if let Some(leader) = leader.filter(|leader| is_patient && stands(leader)) {
        let because = raised.by_condition(leader, UrgencyLevel::Emergency, &told);
        return judged(UrgencyLevel::Emergency, suspected(leader), Some(leader), because);
    }
    let all_told = told;
    let told: Vec<EntityId> = findings.iter().copied().filter(|_| is_patient).chain(happened.iter().copied()).collect();
    let said = |finding: EntityId| {
        let name = wording.name(&knowledge.graph, finding);
        let action = action_of(knowledge, finding, (wording, &case.patient));
        action.map_or_else(
            || wording.fill(&wording.plan.red_flag, std::slice::from_ref(&name)),
            |action| format!("{name}{}{action}", wording.colon()),
        )
    };
    // What the condition of a clear picture explains is no emergency by itself if the condition is none: a drooping face whose forehead droops, too.
    // It is said all the same.
    let is_of_picture = |finding: &EntityId| {
        let clear = evidence.recognised.filter(|_| evidence.is_clear);
        // Nothing that comes over weeks explains away what began within the hour: a face that droops is a stroke, not myasthenia.
        let is_slow = |condition: &EntityId| knowledge.graph.attributes(*condition).get(keys::ONSET) == Some("chronic");
        let is_harmless = |condition: &EntityId| knowledge.graph.attributes(*condition).get(keys::HARMLESS).is_some() && told.len() > 1;
        // Voices after a birth are that emergency, whatever else they fit.
        let is_of_birth = || alarm.company(*finding).iter().any(|of| matches!(of, Company::Word(word) if word.starts_with("pregnant")));
        clear
            .filter(|condition| !is_harmless(condition) && !is_of_birth())
            .filter(|condition| !(is_slow(condition) && case.findings.iter().any(|finding| alarm.is_acute(finding))))
            .is_some_and(|condition| {
                let is_known = urgency_of(knowledge, condition).is_some() && alarm.of_condition(condition) != Some(UrgencyLevel::Emergency);
                is_known && explains(knowledge, condition, *finding)
            })
    };
    let mut alarming = told.iter().copied().filter(|finding| alarm.of_finding(*finding) == Some(UrgencyLevel::Emergency));
    if let Some(finding) = alarming.clone().find(|finding| !is_of_picture(finding)) {
        let pressed = alarming.clone().find_map(|of| Some((of, behind(of, of == finding)?)));
        if let Some((finding, condition)) = pressed {
            let text = format!("{}{}{}", suspected(condition), wording.space(), said(finding));
            return judged(UrgencyLevel::Emergency, text, Some(condition), raised.by_condition(condition, UrgencyLevel::Emergency, &told));
        }
        return judged(UrgencyLevel::Emergency, said(finding), None, raised.by_finding(finding, UrgencyLevel::Emergency));
    }
    let leader = assessment.conditions.first().map(|(leader, _)| *leader).filter(|_| evidence.seeks_diagnosis);
    if leader.is_some() {
        // What explains the case comes before what somebody suspects: endocarditis before the lymphoma of the referral.
        conditions.sort_by_key(|condition| Some(*condition) != leader);
    }
    let explained = |condition: EntityId| findings.iter().filter(|finding| explains(knowledge, condition, **finding)).count();
    let known = |condition: &EntityId| {
        let of_case = case.conditions.iter().find(|c| c.entity.as_deref() == Some(knowledge.graph.entity_name(*condition)));
        of_case.is_some_and(|c| c.status == ConditionStatus::Known)
    };
    for level in [UrgencyLevel::Emergency, UrgencyLevel::Urgent] {
        // As urgent and explaining as much, the leading one is named: shingles, not the chickenpox that the family thinks of.
        let as_urgent = |condition: EntityId| {
            leader.filter(|leader| {
                level == UrgencyLevel::Urgent
                    && alarm.of_condition(*leader) == Some(level)
                    && explained(*leader) >= explained(condition).max(1)
                    && !evidence.excluded.contains(leader)
            })
        };
        // A condition that somebody has for long is urgent by what it does now, not by its name; a burn happened now. What fits the case badly is not named as
        // urgent above an answer that names another.
        let is_near = |condition: EntityId| leader.is_none() || is_near(assessment, condition) || as_urgent(condition).is_some();
        let counts = |condition: &&EntityId| {
            level == UrgencyLevel::Emergency
                || ((!known(condition) || (is_accident(knowledge, **condition) && !is_healed(knowledge, (case, &tokens), **condition)))
                    && is_near(**condition))
        };
        let dangerous = conditions.iter().filter(counts).find(|condition| alarm.of_condition(**condition) == Some(level));
        let Some(condition) = dangerous.copied() else { continue };
        let condition = as_urgent(condition).unwrap_or(condition);
        return judged(level, suspected(condition), Some(condition), raised.by_condition(condition, level, &all_told));
    }
    // A finding that is dangerous only with others beside it (fainting, with chest pain): what it depends on is said.
    // What happened to somebody needs no patient's age or sex.
    // A value that only says how the kidneys work, beside a question about known care, has most likely been so for long.
    let is_moderate = |finding: &EntityId| {
        let mut of = case.results.iter().filter(|result| find(&result.finding) == Some(*finding));
        of.all(is_mild)
    };
    let is_beside =
        case.findings.iter().all(|finding| finding.status != FindingStatus::Present) && !evidence.seeks_diagnosis && !course.changes();
    // So has one that is said to have been so for long.
    let is_unchanged = |finding: &EntityId| {
        let mut of = case.results.iter().filter(|result| find(&result.finding) == Some(*finding));
        of.all(|result| !result.critical && course.is_unchanged(result.start))
    };
    let is_standing =
        |finding: &EntityId| is_beside && evidence.states.contains(finding) && (is_moderate(finding) || is_unchanged(finding));
    let calmed = Calmed { knowledge, case, alarm: &alarm, course: &course, evidence, leader };
    let counts = |finding: &EntityId| (is_patient || happened.contains(finding)) && !is_standing(finding) && !calmed.calms(*finding, &told);
    // What is urgent only with something else ("very high or with headache") is said without a level, where nothing of the kind is told: a fever and
    // a running nose.
    let explains_all = |leader: EntityId| told.iter().all(|finding| explains(knowledge, leader, *finding));
    let leader_now = assessment.conditions.first().map(|(leader, _)| *leader);
    let is_company_harmless = match leader_now {
        Some(leader) => !is_dangerous(&leader) && (told.len() == 1 || explains_all(leader)),
        None => told.len() == 1,
    };
    // A journey, a contact, a risk or an illness in the family may be what makes it urgent.
    let is_harmless = |entity: EntityId| matches!(knowledge.graph.kind(entity), Kind::Disease) && !is_dangerous(&entity);
    let has_risk = !case.conditions.iter().all(|condition| find(&condition.entity).is_some_and(is_harmless))
        || case.findings.iter().any(|finding| finding.status == FindingStatus::FamilyHistory);
    let is_pregnant = case.patient.is_pregnant_or_postpartum();
    let is_frail = case.patient.age_months.is_some_and(|age| age.from >= OLDER || age.to < INFANT) || is_baby_of_unknown_age(&tokens, case);
    // So may a word that was not understood.
    let is_unread = !case.not_understood.is_empty();
    let is_alone = case.drugs.is_empty() && is_company_harmless && !(has_risk || is_pregnant || is_frail || is_unread);
    let is_routine = |of: &EntityId| is_alone && is_routine_alone(knowledge, *of) && is_moderate(of) && !names_one(knowledge, *of, &told);
    let is_urgent = |of: &EntityId| alarm.of_finding(*of) == Some(UrgencyLevel::Urgent) && !is_routine(of);
    let urgent = || told.iter().copied().find(|of| is_urgent(of) && counts(of));
    if let Some(finding) = alarming.next().filter(counts).or_else(urgent) {
        let is_said = applies(knowledge, case, finding, &told);
        let name = || wording.name(&knowledge.graph, finding);
        let text = if is_said { said(finding) } else { wording.fill(&wording.plan.find_cause, &[name()]) };
        return judged(UrgencyLevel::Urgent, text, None, raised.by_finding(finding, UrgencyLevel::Urgent));
    }
    // An answer that begins with an emergency, and says what to do about it at once, is not calm.
    let begins = leader_now.filter(|leader| {
        is_patient
            && evidence.seeks_diagnosis
            && alarm.of_condition(*leader) == Some(UrgencyLevel::Emergency)
            && !evidence.excluded.contains(leader)
            && explained(*leader) > 0
    });
    if let Some(leader) = begins {
        return judged(UrgencyLevel::Urgent, suspected(leader), Some(leader), raised.by_condition(leader, UrgencyLevel::Urgent, &all_told));
    }
    let is_known = !conditions.is_empty() && conditions.iter().any(|condition| urgency_of(knowledge, *condition).is_some());
    Judged::calm(is_known)
}

impl Judged {
    /// Nothing must be done at once: in the normal course, or nothing says.
    fn calm(is_known: bool) -> Self {
        Self { urgency: Urgency { level: is_known.then_some(UrgencyLevel::Routine), ..Urgency::default() }, condition: None }
    }
}

/// Whether an accident is told as healed or of long ago, in the clause that names it: a burn of last year, which left a scar.
fn is_healed(knowledge: &Knowledge, (case, tokens): (&Case, &[Token]), accident: EntityId) -> bool {
    let name = Some(knowledge.graph.entity_name(accident));
    let of_case = case.conditions.iter().find(|condition| condition.entity.as_deref() == name);
    let Some(at) = of_case.and_then(|told| tokens.iter().position(|token| token.start >= told.start && told.end > told.start)) else {
        return false;
    };
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let clause = clause_around(tokens, at);
    let is_denied = clause.clone().any(|at| matches!(word(at), "not" | "isnt" | "hasnt" | "wont" | "没" | "不"));
    let is_over = |at: usize| {
        matches!(word(at), "healed" | "scar" | "scars" | "疤")
            || (matches!(word(at), "month" | "months" | "year" | "years") && word(at + 1) == "ago")
            || (word(at) == "last" && matches!(word(at + 1), "month" | "year"))
            || (word(at) == "去" && word(at + 1) == "年")
    };
    !is_denied && clause.into_iter().any(is_over)
}

/// Whether a condition fits the case nearly as well as the leading one.
fn is_near(assessment: &Assessment, condition: EntityId) -> bool {
    let top = assessment.conditions.first().map_or(0.0, |(_, score)| *score);
    assessment.conditions.iter().any(|(known, score)| *known == condition && *score >= NEAR * top)
}

/// The leading condition, if it is an emergency that explains several findings or a dangerous one, or whose clinical picture is clear.
/// `sure`: the findings that are told in full.
fn leading_emergency(
    knowledge: &Knowledge,
    alarm: &Alarm<'_>,
    (evidence, assessment): (&CaseEvidence, &Assessment),
    (findings, sure): (&[EntityId], &[EntityId]),
) -> Option<EntityId> {
    let (leader, _) = assessment.conditions.first()?;
    let explained = findings.iter().filter(|finding| explains(knowledge, *leader, **finding)).count();
    let is_emergency = alarm.of_condition(*leader) == Some(UrgencyLevel::Emergency) && !evidence.excluded.contains(leader);
    // Said in part, a finding that is an emergency by itself (green vomit of a newborn) raises no alarm alone, but with what explains it.
    let explains_danger = || {
        let mut explained = findings.iter().filter(|finding| explains(knowledge, *leader, **finding));
        explained.any(|finding| alarm.of_finding(*finding) == Some(UrgencyLevel::Emergency))
    };
    let is_pictured = evidence.is_clear && evidence.recognised == Some(*leader);
    // Breathlessness alone fits many: it is an emergency by itself, and the first of them is no better guess than the next.
    let facts = knowledge.facts();
    let is_kin =
        |a: EntityId, b: EntityId| facts.states(a, b, |role| role == Role::Broader) || facts.states(b, a, |role| role == Role::Broader);
    let second = assessment.conditions.get(1).map(|(second, _)| *second);
    let is_one_of_many = || {
        let is_unspecific = |finding: &EntityId| {
            let is_danger = alarm.of_finding(*finding) == Some(UrgencyLevel::Emergency);
            is_danger && facts.owners_of_role(*finding, Role::Symptom).count() > UNSPECIFIC
        };
        sure.len() == 1
            && findings.len() == 1
            && sure.iter().all(is_unspecific)
            && second.is_some_and(|second| is_near(assessment, second) && !is_kin(second, *leader))
    };
    // Two drugs in use that are stated to cause it weigh as much as a second finding: aspirin and ibuprofen, in a bleeding from the stomach.
    let is_by_drugs = || explained > 0 && findings.len() >= EXPLAINED && evidence.drugs_causing(knowledge, *leader) >= CAUSING;
    let is_sure = explained >= EXPLAINED || is_pictured || is_by_drugs() || (explains_danger() && !is_one_of_many());
    (evidence.seeks_diagnosis && is_emergency && is_sure).then_some(*leader)
}

/// The conditions that decide the urgency, those that count most first.
fn dangers(
    (knowledge, alarm): (&Knowledge, &Alarm<'_>),
    (case, course, has_patient): (&Case, &Course, bool),
    evidence: &CaseEvidence,
    assessment: &Assessment,
    findings: &[EntityId],
) -> Vec<EntityId> {
    let facts = knowledge.facts();
    let mut dangers = Vec::new();
    if has_patient {
        // What the patient has or may have now. What is long known is urgent only if it is what the question is about.
        let now = case.conditions.iter().filter(|c| matches!(c.status, ConditionStatus::Suspected | ConditionStatus::Known));
        let now = now.filter(|condition| !is_only_spoken_of(knowledge, (case, course), condition));
        let entities = now.filter_map(|condition| named(&knowledge.graph, condition.entity.as_deref()?, ""));
        // What is merely suspected is urgent only if a finding speaks for it, or it is an emergency.
        let is_suspected = |entity: EntityId| {
            let name = knowledge.graph.entity_name(entity);
            case.conditions.iter().any(|c| c.status == ConditionStatus::Suspected && c.entity.as_deref() == Some(name))
        };
        // A patient with a red eye who asks "Is this bleeding in my brain?" has no emergency by asking: another condition explains more of what he
        // tells. A red flag, or two findings that fit, make it one.
        let explained = |entity: EntityId| findings.iter().filter(|finding| explains(knowledge, entity, **finding)).count();
        let is_warned = |entity: EntityId| findings.iter().any(|finding| facts.states(entity, *finding, |role| role == Role::RedFlag));
        let of_leader = assessment.conditions.first().map_or(0, |(leader, _)| explained(*leader));
        // What one finding speaks for counts only where nothing fits the case clearly better.
        let leader = assessment.conditions.first().map(|(leader, _)| *leader);
        // As urgent as the leading one, it is one reason more to hurry: the chickenpox that the family thinks of where it is shingles.
        let is_as_urgent =
            |entity: EntityId| [Some(entity), leader].into_iter().all(|of| of.and_then(|of| urgency_of(knowledge, of)) == Some("urgent"));
        let is_near = |entity: EntityId| !evidence.seeks_diagnosis || is_near(assessment, entity) || is_as_urgent(entity);
        // A clear picture that leads and is no emergency explains what makes somebody fear one, and more: a drooping face whose forehead
        // droops, too.
        let is_of_picture = |entity: EntityId| {
            let leader = assessment.conditions.first().map(|(leader, _)| *leader).filter(|leader| *leader != entity);
            let clear = leader.filter(|leader| evidence.is_clear && evidence.recognised == Some(*leader));
            clear.is_some_and(|leader| {
                urgency_of(knowledge, leader) != Some("emergency")
                    && explained(leader) > explained(entity)
                    && findings.iter().all(|finding| !explains(knowledge, entity, *finding) || explains(knowledge, leader, *finding))
            })
        };
        let counts = |entity: &EntityId| {
            let of_feared = explained(*entity);
            let is_told =
                is_warned(*entity) || (of_feared >= EXPLAINED && !is_of_picture(*entity)) || (of_feared >= of_leader && is_near(*entity));
            !is_suspected(*entity) || is_told && (of_feared > 0 || urgency_of(knowledge, *entity) == Some("emergency"))
        };
        // What the patient has long had is dangerous with what the graph says makes it so: a fainting fit, in anorexia.
        let is_turning = |entity: EntityId| {
            let told = |company: &Company| matches!(company, Company::Entity(told) if findings.contains(told));
            alarm.of_condition(entity) == Some(UrgencyLevel::Emergency)
                && urgency_of(knowledge, entity) != Some("emergency")
                && !evidence.states.contains(&entity)
                && alarm.company(entity).iter().any(told)
        };
        // An overdose or accident that is told is an emergency, whatever is asked.
        let is_subject = |entity: &EntityId| {
            let name = knowledge.graph.entity_name(*entity);
            evidence.standing(*entity) == Standing::Subject || is_overdose(name) || is_accident(knowledge, *entity) || is_turning(*entity)
        };
        dangers.extend(entities.filter(is_subject).filter(counts));
    }
    if !evidence.seeks_diagnosis && findings.is_empty() {
        return dangers;
    }
    // Where something else is asked, only what the known conditions leave open counts.
    let open = |finding: &EntityId| evidence.seeks_diagnosis || !dangers.iter().any(|known| explains(knowledge, *known, *finding));
    let findings: Vec<EntityId> = findings.iter().copied().filter(|finding| open(finding)).collect();
    let score = |place: usize| assessment.conditions.get(place).map_or(0.0, |(_, score)| *score);
    let (top, second) = (score(0), score(1));
    for (condition, _) in assessment.conditions.iter().take(IN_SIGHT).filter(|(_, score)| *score >= NEAR * top) {
        let explains = |finding: &&EntityId| facts.states(*condition, **finding, Role::is_feature);
        let explained = findings.iter().filter(explains).count();
        let warned = findings.iter().any(|finding| facts.states(*condition, *finding, |role| role == Role::RedFlag));
        // One that does not lead must have a red flag in the case: otherwise every common complaint would be an emergency.
        let leads = assessment.conditions.first().is_some_and(|(first, _)| first == condition);
        // Of several that one finding fits as well, none leads.
        let leads = leads && (explained >= EXPLAINED || second < NEAR * top);
        // One specific complaint is enough: palms that itch in pregnancy. A result (a raised urate) is no complaint.
        let is_specific = |finding: &EntityId| {
            let name = Some(knowledge.graph.entity_name(*finding));
            let is_complaint = case.findings.iter().any(|told| told.entity.as_deref() == name);
            is_complaint && facts.owners_of_role(*finding, Role::Symptom).count() <= SPECIFIC && explains(&finding)
        };
        let is_open = case.asks.is_empty() || case.asks_what_it_is();
        let is_told = leads
            && is_open
            && evidence.seeks_diagnosis
            && urgency_of(knowledge, *condition) == Some("urgent")
            && findings.iter().any(is_specific);
        if is_told || (leads && explained >= EXPLAINED) || (warned && (leads || explained >= EXPLAINED)) {
            dangers.push(*condition);
        }
    }
    dangers
}

/// Whether a condition only stands in a question about drugs or about what may come, with no complaint that it explains and nothing that says
/// that it is there now: "two days of rifampicin because of meningitis at work, is my pill safe?". What was swallowed, or happened to somebody, is there
/// whatever is asked.
fn is_only_spoken_of(knowledge: &Knowledge, (case, course): (&Case, &Course), condition: &CaseCondition) -> bool {
    use AskKind::{Contraindications, Dose, Interactions, Monitoring, Prevention, Prognosis, Safety, SideEffects};
    let is_told = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    let of_case = condition.entity.as_deref().and_then(|name| named(&knowledge.graph, name, ""));
    let comes_of_it = |finding: &Option<String>| {
        let finding = finding.as_deref().and_then(|name| named(&knowledge.graph, name, ""));
        finding.zip(of_case).is_some_and(|(finding, condition)| explains(knowledge, condition, finding))
    };
    let mut findings = case.findings.iter().filter(|finding| is_told(finding.status));
    let is_ill = findings.any(|finding| comes_of_it(&finding.entity)) || case.results.iter().any(|result| comes_of_it(&result.finding));
    let is_of_drugs =
        |kind| matches!(kind, Safety | Interactions | Contraindications | SideEffects | Dose | Prevention | Monitoring | Prognosis);
    let is_now = condition.end > condition.start && course.is_now(condition.start);
    !case.asks.is_empty()
        && case.asks.iter().all(|ask| is_of_drugs(ask.kind))
        && !is_ill
        && !is_now
        && !condition.entity.as_deref().is_some_and(|name| is_overdose(name) || is_event(name))
}

/// What is said of a condition because of which somebody must act.
pub(crate) fn suspected(knowledge: &Knowledge, condition: EntityId, (wording, patient): (&Wording, &CasePatient)) -> String {
    let action = action_of(knowledge, condition, (wording, patient)).unwrap_or_default();
    let text = wording.fill(&wording.plan.suspected, &[wording.name(&knowledge.graph, condition)]).replace("{action}", &action);
    text.trim().to_owned()
}

/// The urgency of what the drugs in use are stated to cause.
pub(crate) fn of_drugs_in_use(
    knowledge: &Knowledge,
    condition: EntityId,
    evidence: &CaseEvidence,
    (wording, patient): (&Wording, &CasePatient),
) -> Urgency {
    let graph = &knowledge.graph;
    let reason = |drug| UrgencyReason {
        kind: UrgencyReasonKind::Drug,
        text: wording.name(graph, drug),
        entity: Some(graph.entity_name(drug).to_owned()),
    };
    Urgency {
        level: Some(UrgencyLevel::Urgent),
        text: Some(suspected(knowledge, condition, (wording, patient))),
        condition: Some(graph.entity_name(condition).to_owned()),
        because: evidence.causing(knowledge, condition).into_iter().map(reason).collect(),
    }
}

/// What to do, as the graph says of this patient; `None` if it does not.
fn action_of(knowledge: &Knowledge, entity: EntityId, (wording, patient): (&Wording, &CasePatient)) -> Option<String> {
    let attributes = knowledge.graph.attributes(entity);
    let keys: &[&str] = if wording.is_chinese() { &["action_zh", "action"] } else { &["action"] };
    keys.iter().find_map(|key| attributes.get(key).map(|action| fitting(action, patient)))
}
