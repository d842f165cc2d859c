//! A fact that was taught, and links two things which the question itself names, is kept and said.

use std::path::Path;

use catena::feedback::{TaughtFact, TeachSettings, Teacher};
use catena::model::CancelToken;
use catena::run::{AnswerLine, ChainKey, Stage, Trace, Triage};

use crate::support::engine::{ENGINE, built_in};
use crate::support::runs::{self, ask, rejecting, reopened};

fn teacher(folder: &Path) -> Teacher {
    Teacher::open(folder, built_in(), TeachSettings::default()).expect("the folder is usable")
}

/// Teaches a fact; gives the record that accepts it.
fn taught(teacher: &Teacher, head: &str, relation: &str, tail: &str) -> u64 {
    let fact = TaughtFact { head: head.into(), relation: relation.into(), tail: tail.into(), why: String::new() };
    let made = teacher.teach(&fact, true, &CancelToken::new()).expect("is recorded");
    let accepted = made.proposals.iter().find_map(|state| match state.status {
        catena::dkg::Status::Accepted { record } => Some(record),
        _ => None,
    });
    accepted.unwrap_or_else(|| panic!("{made:?}"))
}

/// Whether a chain of one relation between the two is kept.
fn keeps(trace: &Trace, one: &str, other: &str) -> bool {
    let names = |key: &ChainKey| key.entities.iter().any(|name| name == one) && key.entities.iter().any(|name| name == other);
    trace.kept().any(|(_, _, chain)| chain.len() == 1 && names(&ChainKey::of(&trace.table, chain)))
}

fn states(trace: &Trace, entity: &str) -> bool {
    trace.answer.lines.iter().any(|line| !line.citations.is_empty() && line.stated().any(|stated| stated == entity))
}

#[test]
fn what_was_taught_of_two_named_things_is_kept_and_said_in_any_wording() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    let facts = [
        ("Lefamulin", "treats", "Community-acquired pneumonia", "community-acquired pneumonia"),
        ("Imeglimin", "treats", "Type 2 diabetes", "type 2 diabetes"),
        ("Nerandomilast", "treats", "Idiopathic pulmonary fibrosis", "idiopathic pulmonary fibrosis"),
    ];
    for (drug, relation, condition, _) in facts {
        taught(&teacher, drug, relation, condition);
    }
    for (drug, _, condition, words) in facts {
        let lower = drug.to_lowercase();
        for question in [
            format!("Is {lower} a treatment of {words}?"),
            format!("Can {lower} be given for {words}?"),
            format!("Does {lower} help in {words}?"),
            format!("{words}: {lower}?"),
        ] {
            let trace = ask(teacher.engine(), &question).trace;
            assert!(keeps(&trace, drug, condition), "{question}\n{}", trace.answer.text);
            assert!(states(&trace, drug), "{question}\n{}", trace.answer.text);
        }
    }
}

#[test]
fn a_rejection_goes_before_what_was_taught() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    taught(&teacher, "Lefamulin", "treats", "Community-acquired pneumonia");
    let run = ask(teacher.engine(), "Is lefamulin a treatment of community-acquired pneumonia?");
    let direct = run.kept().into_iter().find(|key| key.relations.len() == 1 && key.entities.iter().any(|name| name == "Lefamulin"));
    let direct = direct.expect("it is kept");
    let rejected: Triage = rejecting([direct.clone()]);
    assert!(!run.change(teacher.engine(), &rejected).kept().contains(&direct));
}

#[test]
fn what_is_withdrawn_is_not_stated_when_the_answer_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    let record = taught(&teacher, "Lefamulin", "treats", "Community-acquired pneumonia");
    let run = ask(teacher.engine(), "Is lefamulin a treatment of community-acquired pneumonia?");
    assert!(states(&run.trace, "Lefamulin"), "{}", run.trace.answer.text);
    teacher.undo(record).expect("is recorded");
    // What the engine remembers of the run is of the graph as it was.
    let read = run.revise(teacher.engine(), &Triage::default(), Stage::Read);
    assert_eq!(read.began(), [Stage::Search, Stage::Prune, Stage::Read]);
    assert!(!states(&read.trace, "Lefamulin"), "{}", read.trace.answer.text);
    assert!(read.trace.table.chains.iter().all(|chain| !chain.learned()));
    // As much may be learned as was withdrawn; a recording is searched again, too.
    taught(&teacher, "Imeglimin", "treats", "Type 2 diabetes");
    let read = reopened(&run).revise(teacher.engine(), &Triage::default(), Stage::Read);
    assert!(!states(&read.trace, "Lefamulin"), "{}", read.trace.answer.text);
}

#[test]
fn a_drug_that_the_question_considers_has_its_line_where_the_graph_has_the_use() {
    for (drug, condition) in [("Linezolid", "community-acquired pneumonia"), ("Levofloxacin", "community-acquired pneumonia")] {
        for question in [format!("Can {drug} be used in {condition}?"), format!("Is {drug} a treatment of {condition}?")] {
            let trace = runs::ask(&ENGINE, &question).trace;
            assert!(states(&trace, drug), "{question}\n{}", trace.answer.text);
        }
    }
    // What must not be given is no use of it.
    let trace = runs::ask(&ENGINE, "Can ibuprofen be used for her headache? She has a peptic ulcer.").trace;
    let offered = |line: &AnswerLine| line.part == catena::run::AnswerPart::Treatments && line.stated().any(|stated| stated == "Ibuprofen");
    assert!(!trace.answer.lines.iter().any(offered), "{}", trace.answer.text);
}

/// The outcome of teaching a fact that is accepted only if nothing speaks against it.
fn outcome(teacher: &Teacher, head: &str, relation: &str, tail: &str) -> catena::dkg::CheckOutcome {
    let fact = TaughtFact { head: head.into(), relation: relation.into(), tail: tail.into(), why: String::new() };
    let made = teacher.teach(&fact, true, &CancelToken::new()).unwrap_or_else(|error| panic!("{head} {relation} {tail}: {error}"));
    made.proposals.first().map(|state| state.proposal.standing.clone()).unwrap_or_else(|| panic!("{made:?}"))
}

#[test]
fn a_contraindication_of_the_class_speaks_against_teaching_that_a_member_treats() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    for (drug, condition) in [("Propranolol", "Asthma"), ("Naproxen", "Dengue fever")] {
        let outcome = outcome(&teacher, drug, "treats", condition);
        assert!(matches!(outcome, catena::dkg::CheckOutcome::Conflict { .. }), "{drug}: {outcome:?}");
    }
    assert!(!matches!(outcome(&teacher, "Propranolol", "treats", "Stage fright"), catena::dkg::CheckOutcome::Conflict { .. }));
}

#[test]
fn what_a_drug_can_cause_is_understood_as_what_it_may_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    for (drug, effect) in [("Semaglutide", "Gallstones"), ("Salbutamol", "Tremor"), ("Felodipine", "Ankle swelling")] {
        outcome(&teacher, drug, "can cause", effect);
    }
}

#[test]
fn a_bare_fact_that_was_taught_takes_nothing_from_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let question = "Can I drink cranberry juice with warfarin?";
    let teacher = teacher(folder.path());
    let before = ask(teacher.engine(), question).trace;
    assert!(before.answer.text.contains("moderate interaction"), "{}", before.answer.text);
    taught(&teacher, "Cranberry juice", "interacts with", "Warfarin");
    let after = ask(teacher.engine(), question).trace;
    assert!(after.answer.text.contains("moderate interaction"), "{}", after.answer.text);
}
