//! Scripted runs with a case: an emergency with a stored interaction, its correction, and a question that is not answered.

use std::sync::Arc;

use catena::run::{
    AgeMonths, Answer, AnswerLine, AnswerPart, AskKind, Case, CaseAsk, CaseDrug, CaseFinding, CasePatient, CaseResult, DrugStatus, Event,
    EventKind, Outcome, PatientSex, Refusal, ResultDirection, Stage, Triage, Urgency, UrgencyLevel,
};

use crate::support::sample::{self, line};

/// The line of action.
pub(crate) const ACTION: &str = "think of digoxin toxicity. Stop digoxin, ECG and potassium now.";

/// "81 year old woman on digoxin and furosemide, started on amiodarone last week, nauseated, no fever, pulse of 42."
pub(crate) fn case() -> Case {
    let drug =
        |name: &str, status, days| CaseDrug { entity: Some(name.into()), text: name.to_lowercase(), status, days, ..CaseDrug::default() };
    let mut fever = CaseFinding { text: "fever".into(), entity: Some("Fever".into()), ..CaseFinding::default() };
    fever.status = catena::run::FindingStatus::Absent;
    Case {
        patient: CasePatient {
            age_months: Some(AgeMonths { from: 81 * 12, to: 81 * 12 + 11 }),
            sex: Some(PatientSex::Female),
            ..CasePatient::default()
        },
        findings: vec![CaseFinding { text: "nauseated".into(), entity: Some("Nausea".into()), ..CaseFinding::default() }, fever],
        results: vec![CaseResult { test: "pulse".into(), value: Some(42.0), direction: ResultDirection::Low, ..CaseResult::default() }],
        drugs: vec![drug("Digoxin", DrugStatus::Taken, None), drug("Amiodarone", DrugStatus::New, Some(7.0))],
        asks: vec![CaseAsk { kind: AskKind::Causes, of: vec![] }],
        ..Case::default()
    }
}

fn answer(case: &Case) -> Answer {
    let mut lines = vec![
        line(AnswerPart::Emergency, "", &format!("Emergency: {ACTION}"), &[]),
        line(AnswerPart::ReadAs, "", &format!("Read as: {}", case.read_as(false)), &[]),
        line(AnswerPart::Safety, "Digoxin", "Digoxin with Amiodarone: raises the digoxin level.", &[1]),
        line(AnswerPart::Safety, "", "No interaction between Amiodarone and Omeprazole is stored.", &[]),
        line(AnswerPart::Summary, "Peptic ulcer", "Best fit: Peptic ulcer; it explains 2 of 2 findings.", &[6]),
    ];
    lines.extend(sample::answer().lines.into_iter().take(4));
    let cite = |line: &AnswerLine| line.citations.iter().map(|id| format!("[{id}]")).collect::<String>();
    let dash = |line: &AnswerLine| if line.part.has_heading() { "- " } else { "" };
    Answer {
        text: lines.iter().map(|line| format!("{}{} {}\n", dash(line), line.text, cite(line))).collect(),
        lines,
        more: ["Gastritis", "Helicobacter pylori", "H2 blocker"].map(Into::into).into(),
        ..sample::answer()
    }
}

/// The alarm of the run.
pub(crate) fn alarm() -> Urgency {
    Urgency { level: Some(UrgencyLevel::Emergency), text: Some(ACTION.into()), ..Urgency::default() }
}

fn event(run: &str, at_ms: f64, what: EventKind) -> Event {
    Event { run: run.into(), at_ms, what }
}

fn judged() -> EventKind {
    EventKind::UrgencyJudged { urgency: alarm() }
}

/// The whole run.
pub(crate) fn answered(run: &str) -> Vec<Event> {
    let mut events = sample::answered(run);
    for event in &mut events {
        if let EventKind::AnswerFinished { answer: before } = &mut event.what {
            *before = answer(&case());
        }
    }
    let place =
        |events: &[Event], is_it: &dyn Fn(&EventKind) -> bool| events.iter().position(|event| is_it(&event.what)).expect("is there");
    let linked = place(&events, &|what| matches!(what, EventKind::StageFinished { stage: Stage::Link, .. }));
    events.insert(linked, event(run, 9.4, EventKind::CaseRead { case: Arc::new(case()) }));
    let read = place(&events, &|what| matches!(what, EventKind::AnswerFinished { .. }));
    events.insert(read, event(run, 24.0, judged()));
    events
}

/// The run as far as the search: the case is read, and there is no answer yet.
pub(crate) fn searching(run: &str) -> Vec<Event> {
    let mut events = answered(run);
    let end = events.iter().position(|event| matches!(event.what, EventKind::ChainsFound { .. })).expect("is there");
    events.truncate(end);
    events
}

/// The run goes on with corrections, up to the choice of chains: the same chains are kept.
pub(crate) fn corrected(run: &str, triage: &Triage) -> Vec<Event> {
    let mut corrected = case();
    corrected.correct(&triage.case);
    let mut events = answered(run);
    events.retain(|event| match &event.what {
        EventKind::RunStarted { .. } | EventKind::HypothesisToken { .. } | EventKind::MentionFound { .. } | EventKind::Warning { .. } => {
            false
        }
        EventKind::StageStarted { stage } | EventKind::StageFinished { stage, .. } => *stage >= Stage::Link && *stage != Stage::Read,
        EventKind::AnswerFinished { .. } | EventKind::UrgencyJudged { .. } => false,
        _ => true,
    });
    for event in &mut events {
        if let EventKind::CaseRead { case } = &mut event.what {
            *case = Arc::new(corrected.clone());
        }
    }
    events.insert(0, event(run, 0.0, EventKind::Revised { triage: Arc::new(triage.clone()), from: Stage::Link }));
    events
}

/// The answer is regenerated for the corrected case.
pub(crate) fn reread(run: &str, triage: &Triage) -> Vec<Event> {
    let mut corrected = case();
    corrected.correct(&triage.case);
    let (started, finished) =
        (EventKind::StageStarted { stage: Stage::Read }, EventKind::StageFinished { stage: Stage::Read, elapsed_ms: 1.0 });
    let kinds = [
        EventKind::Revised { triage: Arc::new(triage.clone()), from: Stage::Read },
        started,
        judged(),
        EventKind::AnswerFinished { answer: answer(&corrected) },
        finished,
        EventKind::RunFinished { outcome: Outcome::Answered, total_ms: 2.0 },
    ];
    kinds.into_iter().map(|what| event(run, 1.0, what)).collect()
}

/// A question whose subject is not known.
pub(crate) fn refused(run: &str) -> Vec<Event> {
    let mut events = sample::nothing(run);
    let case =
        Case { refusal: Some(Refusal::SubjectUnknown), asks: vec![CaseAsk { kind: AskKind::Safety, of: vec![] }], ..Case::default() };
    for event in &mut events {
        if let EventKind::AnswerFinished { answer } = &mut event.what {
            let lines = vec![
                line(AnswerPart::ReadAs, "", "Read as: asks: safety", &[]),
                line(AnswerPart::NotUnderstood, "", "I do not know “zorbinol”.", &[]),
            ];
            let text = "Read as: asks: safety\nI do not know “zorbinol”.\nNo substitute is offered.".into();
            *answer = Answer { text, lines, ..Answer::default() };
        }
    }
    events.insert(1, event(run, 0.5, EventKind::CaseRead { case: Arc::new(case) }));
    events
}
