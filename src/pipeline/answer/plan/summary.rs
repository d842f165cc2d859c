//! What stands above the details: the emergency, how the question was read, what was not understood, and the sentence that answers.

use super::conditions::Account;
use super::together::{StatedItem, StatedTogether};
use super::{PlanInput, PlannedLine, by_role, causes, conditions, unspecific};
use crate::graph::{Chain, EntityId, Role};
use crate::pipeline::differential::evidence::urgency_of;
use crate::pipeline::understand::unnamed::Unnamed;
use crate::run::event::{AnswerPart, UrgencyLevel};
use crate::run::{AskKind, CaseDrug, ConditionStatus, DrugStatus, LikelyKind, NotUnderstood, Refusal};
use crate::text::tokenise;

/// The most terms that are listed as not understood.
const TERMS: usize = 6;
/// A finding of more conditions than these is no red flag by itself: a fever, a headache.
const UNSPECIFIC: usize = 50;

/// What is done to patients, by single words, in English and Chinese.
const PROCEDURES: &str = "ct cta mri mra pet scan scans xray ultrasound angiogram angiography angioplasty surgery operation procedure endoscopy \
    colonoscopy gastroscopy bronchoscopy biopsy dialysis radiotherapy injection infusion vaccine vaccination jab transfusion anaesthetic \
    anaesthesia anesthesia sedation extraction cardioversion ablation laser implant";
const PROCEDURES_CHINESE: &str = "CT 核磁 磁共振 手术 造影 胃镜 肠镜 穿刺 活检 麻醉 疫苗 透析 放疗 化疗 输血 拔牙 注射 消融";

fn plain(part: AnswerPart, text: String) -> PlannedLine {
    PlannedLine::saying(part, text)
}

/// "Emergency: …".
pub(super) fn emergency(input: &PlanInput<'_>) -> Option<PlannedLine> {
    input.urgency.text.as_deref()?;
    Some(plain(AnswerPart::Emergency, input.wording.alarm(input.urgency)?))
}

/// "Read as: …".
pub(super) fn read_as(input: &PlanInput<'_>) -> Option<PlannedLine> {
    let line = input.case.read_as(input.wording.is_chinese());
    let mut text = (!line.is_empty()).then(|| format!("{}{}{line}", input.wording.plan.read_as, input.wording.colon()))?;
    if input.case.looks_like_follow_up && input.case.carried_over.is_empty() {
        text.push_str(&input.wording.plan.nothing_carried_over);
    }
    Some(plain(AnswerPart::ReadAs, text))
}

/// What was not understood, where it matters: what the question is about, and words that probably name drugs, conditions or tests.
pub(super) fn not_understood(input: &PlanInput<'_>) -> Option<PlannedLine> {
    // Of what is no clinical question, no word had to be understood.
    if input.case.refusal == Some(Refusal::NotClinical) {
        return None;
    }
    // What may decide the diagnosis.
    let is_decisive = |word: &NotUnderstood| word.passage && input.evidence.seeks_diagnosis;
    // Whether something is safe with an operation or a scan that nobody knows is not answered by what is safe without it.
    let is_of_safety = [AskKind::Safety, AskKind::Interactions, AskKind::Contraindications].iter().any(|kind| input.asks(*kind));
    let is_at_issue = |word: &NotUnderstood| is_of_safety && names_procedure(&word.text);
    let names_something = |word: &&NotUnderstood| {
        word.subject
            || is_decisive(word)
            || is_at_issue(word)
            || matches!(word.likely, Some(LikelyKind::Drug | LikelyKind::Condition | LikelyKind::Test))
    };
    let mut words: Vec<&NotUnderstood> = input.case.not_understood.iter().filter(names_something).collect();
    if words.is_empty() && input.case.refusal == Some(Refusal::SubjectUnknown) {
        words = input.case.not_understood.iter().collect();
    }
    words.sort_by_key(|word| !word.subject);
    if words.is_empty() {
        return None;
    }
    let quoted: Vec<String> = words
        .iter()
        .take(TERMS)
        .map(|word| match word.may_mean.as_slice() {
            [] => format!("“{}”", word.text),
            names => input.wording.plan.ambiguous.replace("{term}", &word.text).replace("{names}", &input.wording.either(names)),
        })
        .collect();
    let only_subjects = words.iter().all(|word| word.subject || is_at_issue(word));
    let sentence = if only_subjects { &input.wording.plan.do_not_know } else { &input.wording.answer.not_linked };
    Some(plain(AnswerPart::NotUnderstood, input.wording.fill(sentence, &quoted)))
}

/// Whether words that were not understood name a test or something that is done to a patient.
fn names_procedure(text: &str) -> bool {
    let is_chinese = PROCEDURES_CHINESE.split_whitespace().any(|name| text.contains(name));
    is_chinese || tokenise(text).iter().any(|token| PROCEDURES.split_whitespace().any(|name| name == token.text))
}

/// That too little was understood; of what the question points at without naming it, what is missing.
fn too_little<'a>(input: &PlanInput<'a>) -> &'a String {
    let plan = &input.wording.plan;
    let has_drug = input.case.drugs.iter().any(|drug| drug.entity.is_some());
    match input.unnamed {
        Some(Unnamed::Medicine) if !has_drug => &plan.which_medicine,
        Some(Unnamed::Test) if input.case.results.is_empty() => &plan.which_test,
        Some(Unnamed::Complaint) => &plan.which_complaint,
        _ => &plan.too_little,
    }
}

/// Why the question is not answered.
pub(super) fn refusal(input: &PlanInput<'_>, refusal: &Refusal) -> Option<PlannedLine> {
    let plan = &input.wording.plan;
    let sentence = match refusal {
        Refusal::NotClinical => &plan.not_clinical,
        Refusal::SubjectUnknown => &plan.subject_unknown,
        Refusal::TooLittleUnderstood => too_little(input),
        Refusal::Harm if input.urgency.text.as_ref() == Some(&plan.self_harm) => &plan.harm_self,
        Refusal::Harm => &plan.harm,
    };
    Some(plain(AnswerPart::NotUnderstood, sentence.clone()))
}

/// The sentence that answers the question.
pub(super) fn sentence(input: &PlanInput<'_>, details: &[PlannedLine], listed: usize) -> Option<PlannedLine> {
    let plan = &input.wording.plan;
    let of_part = |part: AnswerPart| details.iter().filter(move |line| line.part == part);
    if input.evidence.seeks_diagnosis
        && !input.asks(AskKind::Safety)
        && let Some(line) = diagnosis(input, of_part(AnswerPart::Conditions))
    {
        return Some(line);
    }
    if input.asks(AskKind::Dose) {
        return None;
    }
    let Some(asked) = input.case.asks.first() else {
        // What is known and not asked about is answered with what is done for it; what is suspected, with what confirms it.
        let is_suspected = input.case.conditions.iter().any(|condition| condition.status == ConditionStatus::Suspected);
        if !is_suspected && let Some(line) = care(input, of_part(AnswerPart::Treatments)) {
            return Some(line);
        }
        // Nothing is asked, and nothing is known of what was told.
        let says_nothing = details.is_empty() && listed == 0 && input.safety.lines.is_empty();
        let says_nothing = says_nothing && (!input.case.drugs.is_empty() || is_whole(input)) && !is_emergency(input);
        return says_nothing.then(|| plain(AnswerPart::Summary, plan.nothing_stored.clone()));
    };
    let is_about_safety = matches!(asked.kind, AskKind::Safety | AskKind::Interactions | AskKind::Contraindications | AskKind::SideEffects);
    if is_about_safety {
        // The headings of a list that is cut say how many there are.
        if listed > 0 && input.safety.is_cut {
            return None;
        }
        if listed > 0 {
            return Some(plain(AnswerPart::Summary, plan.listed.replace("{count}", &listed.to_string())));
        }
        let is_silent = details.is_empty() && input.safety.lines.is_empty() && input.safety.lists.is_empty();
        let says_nothing = is_silent && is_whole(input) && !is_emergency(input);
        return says_nothing.then(|| plain(AnswerPart::Summary, plan.nothing_stored.clone()));
    }
    let part = match asked.kind {
        AskKind::Treatment | AskKind::Dose => Some(AnswerPart::Treatments),
        AskKind::Tests => Some(AnswerPart::Tests),
        _ => None,
    };
    if let Some(line) = part.and_then(|part| care(input, of_part(part))) {
        return Some(line);
    }
    // The first line is the answer; the others are details of it.
    (details.is_empty() && !is_emergency(input)).then(|| plain(AnswerPart::Summary, plan.nothing_stored.clone()))
}

/// That what follows is only known of what the question names; of the course of a condition, what is done for it tells.
pub(super) fn only_related(input: &PlanInput<'_>) -> Option<PlannedLine> {
    let is_course = !input.case.asks.is_empty() && input.case.asks.iter().all(|ask| ask.kind == AskKind::Prognosis);
    (!is_course && !input.asks(AskKind::Dose)).then(|| plain(AnswerPart::Summary, input.wording.plan.only_related.clone()))
}

/// That no doses are held, where one is asked for: whatever else is asked, it is not passed over.
pub(super) fn no_doses(input: &PlanInput<'_>) -> Option<PlannedLine> {
    input.asks(AskKind::Dose).then(|| plain(AnswerPart::Summary, input.wording.plan.no_doses.clone()))
}

/// Whether nothing is asked but how much of a drug to give for a complaint: what the complaint may be is no answer to that, unless it must be seen soon.
pub(super) fn asks_only_for_dose(input: &PlanInput<'_>) -> bool {
    let (asks, case) = (&input.case.asks, input.case);
    let is_asked = |name: &String| asks.iter().any(|ask| ask.of.contains(name));
    let is_proposed = |drug: &CaseDrug| drug.status == DrugStatus::Proposed && drug.entity.as_ref().is_some_and(is_asked);
    let is_now = ConditionStatus::is_now;
    asks.iter().all(|ask| ask.kind == AskKind::Dose)
        && case.drugs.iter().any(is_proposed)
        && !case.conditions.iter().any(|condition| is_now(condition.status))
        && !is_emergency(input)
        && !is_pressing(input)
}

/// Whether a complaint that must be seen soon is more than a fever or a headache: something urgent is thought of, or a finding that few conditions have is a
/// red flag. Ibuprofen for an ache in the head, but not with a jaw that hurts on chewing.
fn is_pressing(input: &PlanInput<'_>) -> bool {
    let facts = input.knowledge.facts();
    let (named, _) = conditions::differential(input);
    let leader = named.first().map(|account| account.condition);
    let is_urgent = |finding: EntityId| matches!(urgency_of(input.knowledge, finding), Some("emergency" | "urgent"));
    let is_flag = |finding: EntityId| leader.is_some_and(|leader| facts.states(leader, finding, |role| role == Role::RedFlag));
    let is_thought_of = input.urgency.level == Some(UrgencyLevel::Urgent) && input.urgency.condition.is_some();
    is_thought_of || input.findings().into_iter().any(|finding| is_specific(input, finding) && (is_urgent(finding) || is_flag(finding)))
}

/// Whether few enough conditions have a finding that it points to something by itself.
pub(super) fn is_specific(input: &PlanInput<'_>, finding: EntityId) -> bool {
    input.knowledge.facts().owners_of_role(finding, Role::Symptom).count() <= UNSPECIFIC
}

/// Whether the line above everything else says what to do at once: then nobody reads beneath it that the graph holds nothing.
fn is_emergency(input: &PlanInput<'_>) -> bool {
    input.urgency.level == Some(UrgencyLevel::Emergency)
}

/// Whether the plan alone answers: with facts that have qualifiers, what it leaves out is no answer. From other graphs the reader still tells what
/// their chains state.
fn is_whole(input: &PlanInput<'_>) -> bool {
    input.knowledge.graph.base().qualified_count() > 0
}

/// What the findings are a sign of.
fn diagnosis<'a>(input: &PlanInput<'_>, mut lines: impl Iterator<Item = &'a PlannedLine>) -> Option<PlannedLine> {
    let plan = &input.wording.plan;
    let (named, missed) = conditions::differential(input);
    let leader = named.first()?;
    if let Some(drug) = causes::drug_explaining_all(input).filter(|_| !is_emergency(input)) {
        let mut drugs = causes::of_drugs(input, true).into_iter().chain(causes::of_drugs(input, false));
        if let Some(line) = drugs.find(|line| line.entity == Some(drug)) {
            let names = [input.shown(drug)];
            let text = match causes::rules_out(input, drug) {
                Some(of) => input.wording.fill(&plan.by_drug_to_stop, &names).replace("{subject}", &input.shown(of)),
                None => input.wording.fill(&plan.by_new_drug, &names),
            };
            return Some(PlannedLine { part: AnswerPart::Summary, text, together: None, clauses: None, ..line });
        }
    }
    let findings = input.findings().len();
    let line = lines.find(|line| line.entity == Some(leader.condition))?;
    let line = |text| PlannedLine { part: AnswerPart::Summary, text, together: None, clauses: None, ..line.clone() };
    if !leads(input, &named) {
        let together = considered(input, &named);
        let (_, text) = together.proven(|_| true)?;
        let proofs = together.items.iter().map(|item| item.proof).collect();
        return Some(PlannedLine { proofs, together: Some(together), ..line(text) });
    }
    if findings > 1 && !leader.explains.is_empty() {
        let all: Vec<&Account> = named.iter().chain(&missed).collect();
        let said = leader.best_fit(input, findings, &all);
        return Some(PlannedLine { clauses: Some(said.clone()), ..line(said.text(&|_: &Chain| true)) });
    }
    Some(line(input.wording.fill(&plan.possible, &[input.shown(leader.condition)])))
}

/// Conditions of which none leads, each with a chain of its own.
fn considered(input: &PlanInput<'_>, named: &[Account]) -> StatedTogether {
    let lines = conditions::lines(input);
    let item = |account: &Account| {
        let entity = account.condition;
        let line = lines.iter().find(|line| line.entity == Some(entity))?;
        // What its class has is stated of the class first.
        let proof = line.proofs.iter().find(|proof| proof.nodes().contains(&entity.0)).or(line.proofs.first());
        let proof = *proof?;
        Some(StatedItem { entity, shown: input.shown(entity), proof })
    };
    let said = input.wording.plan.possible.clone();
    StatedTogether { items: named.iter().filter_map(item).collect(), said: [said.clone(), said], wording: input.wording }
}

/// Whether the first condition of a differential leads: with unspecific findings alone, none can be said to.
fn leads(input: &PlanInput<'_>, named: &[Account]) -> bool {
    if unspecific::is_unspecific(input) {
        return false;
    }
    let second = named.get(1).map_or(0.0, |account| account.score);
    named.first().is_some_and(|leader| leader.explains.len() > 1 || second < 0.8 * leader.score)
}

/// Whether one condition leads, or is an emergency or a clear picture whatever else fits.
pub(super) fn is_led(input: &PlanInput<'_>) -> bool {
    let (named, _) = conditions::differential(input);
    let Some(leader) = named.first().map(|account| account.condition) else { return false };
    leads(input, &named) || input.emergency == Some(leader) || (input.evidence.is_clear && input.evidence.recognised == Some(leader))
}

/// Whether the leading condition explains several findings, or its picture is clear: more than one complaint speaks for it.
pub(super) fn is_sure(input: &PlanInput<'_>) -> bool {
    let (named, _) = conditions::differential(input);
    let is_clear = |condition| input.evidence.is_clear && input.evidence.recognised == Some(condition);
    named.first().is_some_and(|leader| leader.explains.len() > 1 || is_clear(leader.condition))
}

/// Whether a line rests on what was taught or learned from ratings.
fn rests_on_taught(line: &PlannedLine) -> bool {
    line.proofs.first().is_some_and(Chain::learned)
}

/// The most tests or treatments that the sentence names.
const NAMED: usize = 2;

/// What is done for the condition that an ask is about, each with the condition under which it holds.
fn care<'a>(input: &PlanInput<'_>, lines: impl Iterator<Item = &'a PlannedLine>) -> Option<PlannedLine> {
    let lines: Vec<&PlannedLine> = lines.collect();
    let leader = *lines.first()?;
    // What somebody taught as a treatment does not lead what is the first choice, unless that has failed or needs care.
    let is_first_choice = |line: &&PlannedLine| {
        line.subject == leader.subject && line.role == Some(Role::FirstLine) && !line.needs_care && !rests_on_taught(line)
    };
    let is_next_wanted = input.past_treatment.asks_for_next || input.past_treatment.failed;
    let gives_way = rests_on_taught(leader) && leader.role == Some(Role::Treatment) && !is_next_wanted;
    let first = lines.iter().copied().find(|line| gives_way && is_first_choice(line)).unwrap_or(leader);
    let (subject, role) = (first.subject?, first.role?);
    let alike = lines
        .into_iter()
        .filter(|line| line.entity != first.entity)
        .filter(|line| line.subject == Some(subject) && line.role == Some(role));
    let named = std::iter::once(first).chain(alike).take(NAMED).filter_map(|line| Some((line, line.entity?, *line.proofs.first()?)));
    // Nobody who reads only the sentence may take what needs care for what needs none.
    let item = |(line, entity, proof): (&PlannedLine, EntityId, Chain)| {
        let care = line.needs_care.then(|| input.wording.plan.see_caution.clone());
        let said = by_role::when(input, subject, entity, role).into_iter().chain(care).collect::<Vec<_>>();
        let said = match said.is_empty() {
            true => String::new(),
            false => input.wording.fill(&input.wording.plan.when, &[said.join(input.wording.between_parts())]),
        };
        StatedItem { entity, shown: format!("{}{said}", input.shown(entity)), proof }
    };
    let items: Vec<StatedItem> = named.map(item).collect();
    let plan = &input.wording.plan;
    let sentence = if role == Role::FirstLine { &plan.treated_first_with } else { &plan.managed_with };
    let sentence = sentence.replace("{subject}", &input.shown(subject));
    // Each treatment that it names has its own proof.
    let proofs = items.iter().map(|item| item.proof).collect();
    let together = StatedTogether { items, said: [sentence.clone(), sentence], wording: input.wording };
    let (_, text) = together.proven(|_| true)?;
    // The sentence is about the condition; what is done for it comes second.
    let line = PlannedLine { part: AnswerPart::Summary, text, entity: Some(subject), other: first.entity, clauses: None, ..first.clone() };
    Some(PlannedLine { proofs, together: Some(together), ..line })
}
