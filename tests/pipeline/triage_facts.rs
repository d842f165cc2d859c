//! What the doctor decides about single facts, and what the answer states of them when it is read again; on the starter graph.

use catena::run::{AnchorOrigin, AnswerLine, AnswerPart, CaseCorrection, ChainKey, FindingStatus, Stage, Triage};

use crate::support::engine::ENGINE;
use crate::support::runs::{REFLUX, Run, ask, pinning, rejecting};

const DIGOXIN: &str = "81-year-old woman on digoxin and furosemide, amiodarone started a week ago, now nausea and pulse 42. Why?";

/// What is said of an entity in a part of the answer.
fn said<'a>(run: &'a Run, part: AnswerPart, entity: &str) -> &'a str {
    let line = run.trace.answer.lines.iter().find(|line| line.part == part && line.entity == entity);
    &line.unwrap_or_else(|| panic!("{entity}: {}", run.trace.answer.text)).text
}

/// The chain of one relation between two entities.
fn fact(run: &Run, ends: [&str; 2]) -> ChainKey {
    let is_it = |key: &ChainKey| key.relations.len() == 1 && ends.iter().all(|end| key.entities.iter().any(|entity| entity == end));
    run.keys().into_iter().find(is_it).unwrap_or_else(|| panic!("{ends:?}"))
}

#[test]
fn what_is_rejected_is_not_stated() {
    let engine = &**ENGINE;
    let asked = ask(engine, DIGOXIN);
    let condition = "Digoxin toxicity";
    let before = said(&asked, AnswerPart::Conditions, condition);
    let named = ["Nausea", "Slow heartbeat", "Digoxin", "Furosemide", "Amiodarone"];
    assert!(named.iter().all(|name| before.contains(name)), "{before}");
    // A diuretic makes it likelier, and furosemide is one: it is the class of which that is stated.
    for (end, gone) in [("Diuretic", "Furosemide"), ("Amiodarone", "Amiodarone"), ("Nausea", "Nausea")] {
        let rejected = rejecting([fact(&asked, [condition, end])]);
        let read = asked.revise(engine, &rejected, Stage::Read);
        let after = said(&read, AnswerPart::Conditions, condition);
        for name in named {
            assert_eq!(after.contains(name), name != gone, "{name} without {end}: {after}");
        }
        let counted = if gone == "Nausea" { "explains 1 of 2" } else { "explains 2 of 2" };
        assert!(said(&read, AnswerPart::Summary, condition).contains(counted), "{}", read.trace.answer.text);
        read.assert_sound();
        // Taken back, it is stated again.
        let again = read.revise(engine, &rejecting([]), Stage::Read);
        assert_eq!(again.trace.answer.text, asked.trace.answer.text);
    }
    // The same of what a drug may have caused.
    assert!(said(&asked, AnswerPart::Cautions, "Digoxin").contains("Nausea and Slow heartbeat"));
    let read = asked.revise(engine, &rejecting([fact(&asked, ["Digoxin", "Nausea"])]), Stage::Read);
    let after = said(&read, AnswerPart::Cautions, "Digoxin");
    assert!(after.contains("Slow heartbeat") && !after.contains("Nausea"), "{after}");
}

fn treats(drug: &str, condition: &str) -> ChainKey {
    ChainKey { entities: vec![drug.into(), condition.into()], relations: vec![("treats".into(), true)] }
}

fn offers(run: &Run, drug: &str) -> bool {
    let lines = run.trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Treatments);
    lines.flat_map(AnswerLine::stated).any(|stated| stated == drug)
}

#[test]
fn what_is_pinned_is_stated() {
    let engine = &**ENGINE;
    let asked = ask(engine, REFLUX);
    let text = &asked.trace.answer.text;
    // A treatment that the answer left out.
    let drugs = ["Nizatidine", "Mosapride", "Dexlansoprazole", "Vonoprazan", "Magnesium hydroxide", "Cimetidine"];
    let drug = drugs.into_iter().find(|drug| !text.contains(drug)).expect("not all of them are told");
    let pinned = treats(drug, "Gastro-oesophageal reflux disease");
    let read = asked.revise(engine, &pinning([pinned.clone()]), Stage::Read);
    assert!(offers(&read, drug) && read.kept().contains(&pinned), "{drug}: {}", read.trace.answer.text);
    let is_of_drug = |line: &&AnswerLine| line.part == AnswerPart::Treatments && line.stated().any(|stated| stated == drug);
    let line = read.trace.answer.lines.iter().find(is_of_drug).expect("a line that states it");
    assert!(!line.citations.is_empty(), "{line:?}");
    read.assert_sound();
    // Of a chain that names two treatments of the condition, both stand among the treatments, and nothing is repeated below them.
    let is_of_two = |key: &&ChainKey| {
        let [one, condition, other] = key.entities.as_slice() else { return false };
        condition == "Gastro-oesophageal reflux disease"
            && key.relations.iter().all(|(name, _)| matches!(name.as_str(), "treats" | "first_line_for"))
            && !text.contains(one.as_str())
            && !text.contains(other.as_str())
    };
    let keys = asked.keys();
    let two = keys.iter().find(is_of_two).expect("two treatments");
    let read = asked.revise(engine, &pinning([two.clone()]), Stage::Read);
    assert!(offers(&read, &two.entities[0]) && offers(&read, &two.entities[2]), "{two}: {}", read.trace.answer.text);
    assert!(read.trace.answer.lines.iter().all(|line| line.part != AnswerPart::Findings), "{}", read.trace.answer.text);
    read.assert_sound();
    // Of any other chain, what it says.
    let is_other = |name: &str| matches!(name, "is_a" | "leads_to" | "caused_by" | "differential_of");
    let is_untold = |key: &&ChainKey| {
        let is_untold = |at: usize| key.entities[at..at + 2].iter().any(|entity| !text.contains(entity.as_str()));
        key.relations.len() == 3 && key.relations.iter().enumerate().any(|(at, (name, _))| is_other(name) && is_untold(at))
    };
    let longest = keys.iter().find(is_untold).expect("a long chain").clone();
    let read = asked.revise(engine, &pinning([longest.clone()]), Stage::Read);
    let is_it = |line: &&AnswerLine| line.part == AnswerPart::Findings && longest.entities.iter().all(|name| line.text.contains(name));
    let line = read.trace.answer.lines.iter().find(is_it).unwrap_or_else(|| panic!("{longest}: {}", read.trace.answer.text));
    assert!(!line.citations.is_empty(), "{line:?}");
    read.assert_sound();
    // What a line states already brings no second one.
    let mut cited = asked.trace.answer.citations.iter().map(|id| asked.kept()[*id as usize - 1].clone());
    let told = cited.find(|key| key.relations.len() == 1).expect("a fact");
    let read = asked.revise(engine, &pinning([told]), Stage::Read);
    let texts = |run: &Run| run.trace.answer.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&read), texts(&asked));
}

#[test]
fn of_a_pinned_treatment_that_the_case_forbids_the_reason_is_said() {
    let engine = &**ENGINE;
    let asked = ask(engine, "Acute gout, eGFR 24, on warfarin. What can I use?");
    let drug = "Indometacin";
    assert!(!offers(&asked, drug), "{}", asked.trace.answer.text);
    let read = asked.revise(engine, &pinning([treats(drug, "Acute gout")]), Stage::Read);
    assert!(!offers(&read, drug), "{}", read.trace.answer.text);
    assert!(said(&read, AnswerPart::Safety, drug).contains("It is left out of the treatments."), "{}", read.trace.answer.text);
    let line = read.trace.answer.lines.iter().find(|line| line.entity == drug).expect("the reason");
    assert!(!line.citations.is_empty(), "{line:?}");
    // It stands with the other warnings, above what answers.
    let place = |part: AnswerPart| read.trace.answer.lines.iter().rposition(|line| line.part == part);
    assert!(place(AnswerPart::Safety) < place(AnswerPart::Treatments), "{}", read.trace.answer.text);
    read.assert_sound();
}

#[test]
fn a_finding_that_the_doctor_adds_counts_as_one_that_is_told() {
    let engine = &**ENGINE;
    let asked = ask(engine, "58M with cough and fever for two weeks. What is it?");
    let item = "Night sweats";
    let read_as = |run: &Run| {
        let line = run.trace.answer.lines.iter().find(|line| line.part == AnswerPart::ReadAs);
        line.map(|line| line.text.clone()).unwrap_or_default()
    };
    assert!(!read_as(&asked).contains("night sweats"), "{}", asked.trace.answer.text);
    let added = CaseCorrection::Status { item: item.into(), status: FindingStatus::Present };
    let read = asked.revise(engine, &Triage { case: vec![added], ..Triage::default() }, Stage::Read);
    assert_eq!(read.began(), [Stage::Link, Stage::Search, Stage::Prune, Stage::Read]);
    let finding = read.trace.case.findings.iter().find(|finding| finding.entity.as_deref() == Some(item)).expect("it is in the case");
    assert_eq!(finding.status, FindingStatus::Present);
    let anchor = read.trace.anchors.iter().find(|anchor| anchor.entity == item).expect("chains begin at it");
    assert!(anchor.origin != AnchorOrigin::Hypothesis, "{anchor:?}");
    assert!(read_as(&read).contains("night sweats"), "{}", read.trace.answer.text);
    read.assert_sound();
    let undone = read.revise(engine, &Triage::default(), Stage::Read);
    assert_eq!(undone.trace.answer.text, asked.trace.answer.text);
}
