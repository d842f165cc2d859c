//! The safety pass on small graphs: each rule on its own.

use std::sync::Arc;

use super::*;
use crate::graph::{GraphBuilder, Kind, Qualifiers, RoleRules};
use crate::pipeline::answer::wording::Wording;
use crate::run::case::{
    AgeMonths, AskKind, CaseAsk, CaseCondition, CaseDrug, CaseFinding, CasePatient, ConditionStatus, DrugStatus, FindingStatus, LikelyKind,
    NotUnderstood, OrganFunction, Pregnancy,
};

/// A graph of `head | relation | tail | key=value …` lines; kinds by where a name stands first.
pub(super) fn graph_of(lines: &[&str]) -> EvolvingGraph {
    let rules = RoleRules::built_in().expect("rules");
    let (mut builder, mut kinds) = (GraphBuilder::new("t"), std::collections::BTreeMap::new());
    for line in lines {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [head, relation, tail, qualifiers @ ..] = &columns[..] else { panic!("{line}") };
        let (head_kind, tail_kind) = match *relation {
            "contraindicated_in" => (Kind::Drug, Kind::Disease),
            "side_effect" => (Kind::Drug, Kind::Symptom),
            "interacts_with" => (Kind::Drug, Kind::Drug),
            "is_a" if ["renal", "trimester", "heart"].iter().any(|word| tail.contains(word) || head.contains(word)) => {
                (Kind::Disease, Kind::Disease)
            }
            "is_a" => (Kind::Drug, Kind::DrugClass),
            _ => panic!("{line}"),
        };
        let (head, tail) = (builder.entity(head), builder.entity(tail));
        kinds.entry(head).or_insert(head_kind);
        kinds.entry(tail).or_insert(tail_kind);
        let relation = builder.relation(rules.guess(relation)).expect("room");
        builder.triple(head, relation, tail);
        builder.qualify(head, relation, tail, Qualifiers::of_columns(qualifiers.iter().copied()).expect("acceptable"));
    }
    kinds.into_iter().for_each(|(entity, kind)| builder.set_kind(entity, kind));
    EvolvingGraph::new(Arc::new(builder.finish()))
}

pub(super) fn drug(name: &str, status: DrugStatus) -> CaseDrug {
    CaseDrug { entity: Some(name.into()), text: name.to_lowercase(), status, ..CaseDrug::default() }
}

pub(super) fn condition(name: &str, status: ConditionStatus) -> CaseCondition {
    CaseCondition { entity: Some(name.into()), text: name.to_lowercase(), status, ..CaseCondition::default() }
}

fn ask(kind: AskKind, of: &[&str]) -> CaseAsk {
    CaseAsk { kind, of: of.iter().map(|name| (*name).to_owned()).collect() }
}

fn lines(graph: &EvolvingGraph, case: &Case) -> Vec<String> {
    let report = safety(graph, case);
    report.lines(graph, Wording::for_text("text")).into_iter().map(|line| line.text).collect()
}

fn verdict(graph: &EvolvingGraph, case: &Case, drug: &str) -> Option<Verdict> {
    safety(graph, case).verdict(graph, graph.find(drug).expect("in the graph")).map(|(verdict, _)| verdict)
}

#[test]
fn what_is_given_together_in_an_illness_is_a_caution_behind_the_others() {
    let graph = graph_of(&[
        "Aspirin | interacts_with | Clopidogrel | severity=major | effect=bleeding | action=add gastric protection | standard_in=Heart attack",
        "Aspirin | interacts_with | Ibuprofen | severity=moderate | effect=bleeding",
        "Clopidogrel | side_effect | Bleeding",
        "Ibuprofen | contraindicated_in | Heart attack | severity=relative",
    ]);
    let taken = ["Aspirin", "Clopidogrel", "Ibuprofen"].map(|name| drug(name, DrugStatus::Taken)).to_vec();
    let of = |status| Case { drugs: taken.clone(), conditions: vec![condition("Heart attack", status)], ..Case::default() };
    let said = lines(&graph, &of(ConditionStatus::Known));
    assert!(
        said.last().is_some_and(|line| line.contains("accepted in Heart attack") && line.contains("Add gastric protection")),
        "{said:?}"
    );
    let said = lines(&graph, &of(ConditionStatus::Past));
    assert!(said.iter().all(|line| !line.contains("accepted")), "in the past: {said:?}");
    let bleeding = CaseFinding { entity: Some("Bleeding".into()), status: FindingStatus::Present, ..CaseFinding::default() };
    let said = lines(&graph, &Case { findings: vec![bleeding], ..of(ConditionStatus::Known) });
    assert!(said.iter().all(|line| !line.contains("accepted")), "while bleeding: {said:?}");
}

const NSAIDS: [&str; 8] = [
    "Ibuprofen | is_a | Anti-inflammatory",
    "Naproxen | is_a | Anti-inflammatory",
    "Warfarin | is_a | Anticoagulant",
    "Anti-inflammatory | interacts_with | Anticoagulant | severity=major | effect=bleeding | effect_zh=出血 | action=avoid it",
    "Anti-inflammatory | contraindicated_in | Third trimester of pregnancy | severity=absolute",
    "Third trimester of pregnancy | is_a | Pregnancy",
    "Anti-inflammatory | contraindicated_in | Asthma | severity=relative",
    "Naproxen | interacts_with | Lithium | severity=moderate",
];

#[test]
fn a_class_statement_is_made_of_its_members_with_the_triples_that_prove_it() {
    let graph = graph_of(&NSAIDS);
    let case = Case { drugs: vec![drug("Warfarin", DrugStatus::Taken), drug("Ibuprofen", DrugStatus::New)], ..Case::default() };
    let report = safety(&graph, &case);
    let [statement] = &report.statements[..] else { panic!("{:?}", report.statements) };
    assert_eq!((statement.kind, statement.rank(), statement.proposed), (SafetyKind::Interaction, SafetyRank::Major, true));
    assert_eq!(graph.entity_name(statement.owner), "Ibuprofen", "the new drug comes first");
    let chains: Vec<String> = report.chains().iter().map(|chain| graph.chain_text(chain)).collect();
    assert_eq!(chains, ["Ibuprofen → is a → Anti-inflammatory → interacts with → Anticoagulant ← is a ← Warfarin"]);
    let [line] = &lines(&graph, &case)[..] else { panic!() };
    for part in ["Ibuprofen (as an anti-inflammatory)", "Warfarin (as an anticoagulant)", "major interaction", "bleeding", "Avoid it."] {
        assert!(line.contains(part), "{line}");
    }
    let chinese = report.lines(&graph, Wording::for_text("布洛芬和华法林"));
    assert!(chinese[0].text.contains("出血") && chinese[0].text.ends_with('。'), "{}", chinese[0].text);
    // With the class named as well, the member alone is stated.
    let both = Case { drugs: [case.drugs.clone(), vec![drug("Anti-inflammatory", DrugStatus::Taken)]].concat(), ..Case::default() };
    assert_eq!(safety(&graph, &both).statements.len(), 1);
}

#[test]
fn a_class_in_the_question_is_answered_by_what_holds_for_its_members() {
    let graph = graph_of(&NSAIDS);
    let case = Case { drugs: vec![drug("Anti-inflammatory", DrugStatus::Proposed), drug("Lithium", DrugStatus::Taken)], ..Case::default() };
    let report = safety(&graph, &case);
    let [statement] = &report.statements[..] else { panic!("{:?}", report.statements) };
    assert!(statement.possible);
    let text = &lines(&graph, &case)[0];
    assert!(text.starts_with("Naproxen (a kind of anti-inflammatory) with Lithium"), "{text}");
    assert_eq!(graph.chain_text(&report.chains()[0]), "Anti-inflammatory ← is a ← Naproxen → interacts with → Lithium");
    assert_eq!(verdict(&graph, &case, "Anti-inflammatory"), Some(Verdict::Caution), "not all of the class");
    assert_eq!(verdict(&graph, &case, "Naproxen"), Some(Verdict::Caution), "moderate");
}

#[test]
fn a_trimester_is_stated_where_it_is_known_or_open_and_not_where_it_is_another() {
    let graph = graph_of(&NSAIDS);
    let of = |week: Option<u8>| {
        let pregnancy = Some(Pregnancy { pregnant: true, week, ..Pregnancy::default() });
        let drugs = vec![drug("Ibuprofen", DrugStatus::Proposed)];
        Case { patient: CasePatient { pregnancy, ..CasePatient::default() }, drugs, ..Case::default() }
    };
    let stated = |week| safety(&graph, &of(week)).statements.iter().map(|s| (s.rank(), s.possible)).collect::<Vec<_>>();
    assert_eq!(stated(Some(34)), [(SafetyRank::Contraindicated, false)]);
    assert_eq!(stated(None), [(SafetyRank::Contraindicated, true)], "the trimester is open");
    assert_eq!(stated(Some(8)), []);
    let verdicts = [Some(34), None, Some(8)].map(|week| verdict(&graph, &of(week), "Naproxen"));
    assert_eq!(verdicts, [Some(Verdict::Forbidden), Some(Verdict::Caution), None]);
}

#[test]
fn the_condition_of_a_statement_is_compared_with_the_case() {
    let graph = graph_of(&[
        "Metformin | contraindicated_in | Renal impairment | severity=absolute | when=severe renal impairment",
        "Metformin | contraindicated_in | Pregnancy | severity=relative | when=first trimester",
        "Gadolinium | contraindicated_in | Moderate renal impairment | severity=absolute",
    ]);
    let of = |renal| Case {
        patient: CasePatient { renal: Some(renal), ..CasePatient::default() },
        drugs: vec![drug("Metformin", DrugStatus::Taken)],
        ..Case::default()
    };
    use OrganFunction::{Dialysis, Impaired, Mild, Moderate, Normal, Severe};
    let verdicts = [Severe, Dialysis, Impaired, Moderate, Mild, Normal].map(|renal| verdict(&graph, &of(renal), "Metformin"));
    assert_eq!(verdicts, [Some(Verdict::Forbidden), Some(Verdict::Forbidden), Some(Verdict::Caution), None, None, None]);
    let verdicts = [Severe, Moderate, Impaired, Mild, Normal].map(|renal| verdict(&graph, &of(renal), "Gadolinium"));
    assert_eq!(verdicts, [Some(Verdict::Forbidden), Some(Verdict::Forbidden), None, None, None], "worse than moderate is at least as bad");
}

#[test]
fn a_degree_without_its_organ_is_that_of_the_state_and_a_hedged_condition_rules_nothing_out() {
    let graph = graph_of(&[
        "A | contraindicated_in | Renal impairment | severity=absolute | when=severe (eGFR below 30)",
        "B | contraindicated_in | Renal impairment | severity=absolute | when=moderate or severe",
        "C | contraindicated_in | Renal impairment | severity=absolute | when=above all if severe",
        "D | contraindicated_in | Asthma | severity=absolute | when=severe",
        "A | contraindicated_in | History of asthma | severity=relative",
    ]);
    let of = |renal, name: &str| {
        let patient = CasePatient { renal: Some(renal), ..CasePatient::default() };
        verdict(&graph, &Case { patient, conditions: vec![condition("Asthma", ConditionStatus::Known)], ..Case::default() }, name)
    };
    use OrganFunction::{Moderate, Severe};
    let (no, caution) = (Some(Verdict::Forbidden), Some(Verdict::Caution));
    assert_eq!(["A", "B", "C", "D"].map(|name| of(Severe, name)), [no, no, no, caution]);
    assert_eq!(["A", "B", "C", "D"].map(|name| of(Moderate, name)), [caution, no, caution, caution]);
    let past = Case { conditions: vec![condition("Asthma", ConditionStatus::Past)], ..Case::default() };
    assert_eq!(verdict(&graph, &past, "A"), caution, "by the history");
}

#[test]
fn allergies_forbid_the_drug_its_kinds_and_what_the_allergy_rules_out() {
    let graph = graph_of(&[
        "Amoxicillin | is_a | Penicillin",
        "Amoxicillin with clavulanic acid | is_a | Amoxicillin",
        "Cefalexin | contraindicated_in | Penicillin allergy | severity=relative | effect=cross-reaction",
        "Penicillin | contraindicated_in | Penicillin allergy | severity=absolute",
        "Penicillin | is_a | Antibiotic",
        "Azithromycin | is_a | Antibiotic",
    ]);
    let cases = [
        Case { patient: CasePatient { allergies: vec!["Penicillin".into()], ..CasePatient::default() }, ..Case::default() },
        Case { patient: CasePatient { allergies: vec!["Penicillin allergy".into()], ..CasePatient::default() }, ..Case::default() },
        Case { drugs: vec![drug("Penicillin", DrugStatus::Allergic)], ..Case::default() },
        Case { conditions: vec![condition("Penicillin allergy", ConditionStatus::Known)], ..Case::default() },
    ];
    for mut case in cases {
        let names = ["Penicillin", "Amoxicillin", "Amoxicillin with clavulanic acid", "Cefalexin", "Antibiotic", "Azithromycin"];
        let verdicts = names.map(|name| verdict(&graph, &case, name));
        let (no, caution) = (Some(Verdict::Forbidden), Some(Verdict::Caution));
        assert_eq!(verdicts, [no, no, no, caution, caution, None], "{case:?}");
        case.drugs.push(drug("Amoxicillin", DrugStatus::Proposed));
        let stated = safety(&graph, &case).statements;
        assert_eq!(stated.len(), 1, "said once: {stated:?}");
    }
    // Without a stored allergy, the class says it.
    let plain = graph_of(&["Amoxicillin | is_a | Penicillin", "Penicillin | interacts_with | Methotrexate"]);
    let case = Case { drugs: vec![drug("Penicillin", DrugStatus::Allergic), drug("Amoxicillin", DrugStatus::New)], ..Case::default() };
    assert!(lines(&plain, &case)[0].contains("to which the patient is allergic"), "{:?}", lines(&plain, &case));
    let unknown = Case {
        patient: CasePatient { allergies: vec!["zorblaxin".into()], ..CasePatient::default() },
        drugs: vec![drug("Amoxicillin", DrugStatus::New)],
        ..Case::default()
    };
    assert_eq!(safety(&plain, &unknown).not_checked.len(), 1);
}

#[test]
fn what_is_asked_about_and_not_stored_or_not_known_is_said() {
    let graph = graph_of(&NSAIDS);
    let mut case = Case {
        drugs: vec![drug("Ibuprofen", DrugStatus::Proposed), drug("Lithium", DrugStatus::Taken)],
        asks: vec![ask(AskKind::Safety, &[])],
        ..Case::default()
    };
    assert_eq!(lines(&graph, &case), ["No interaction between Ibuprofen and Lithium is stored; this does not make the combination safe."]);
    case.asks.clear();
    assert!(lines(&graph, &case).is_empty(), "it is not asked");
    case.asks = vec![ask(AskKind::Safety, &["Ibuprofen", "Asthma"])];
    case.conditions = vec![condition("Asthma", ConditionStatus::Known)];
    assert!(lines(&graph, &case).iter().all(|line| !line.contains("Lithium")), "the question is about the two");
    case.drugs[1].entity = None;
    case.drugs[1].text = "zorblaxin".into();
    case.not_understood = vec![NotUnderstood { text: "zorblaxin".into(), likely: Some(LikelyKind::Drug), ..NotUnderstood::default() }];
    let said = lines(&graph, &case);
    assert!(
        said.iter().any(|line| line.starts_with("I do not know zorblaxin; I cannot check it with") && line.contains("Ibuprofen")),
        "{said:?}"
    );
    assert_eq!(said.iter().filter(|line| line.contains("zorblaxin")).count(), 1);
    // A pregnancy that the graph does not have.
    let plain = graph_of(&["A | interacts_with | B"]);
    let pregnancy = Some(Pregnancy { pregnant: true, ..Pregnancy::default() });
    let case = Case {
        patient: CasePatient { pregnancy, ..CasePatient::default() },
        drugs: vec![drug("A", DrugStatus::Proposed)],
        asks: vec![ask(AskKind::Safety, &["A"])],
        ..Case::default()
    };
    assert_eq!(lines(&plain, &case), ["The graph does not know the state pregnancy; I cannot check A in it."]);
}

#[test]
fn what_is_denied_excluded_or_long_stopped_is_not_compared() {
    let graph = graph_of(&["A | contraindicated_in | Asthma", "A | interacts_with | B | severity=major", "A | contraindicated_in | Cough"]);
    let base = Case { drugs: vec![drug("A", DrugStatus::Proposed)], ..Case::default() };
    let finding = |status| CaseFinding { text: "cough".into(), entity: Some("Cough".into()), status, ..CaseFinding::default() };
    let quiet = [
        Case { conditions: vec![condition("Asthma", ConditionStatus::Excluded)], ..base.clone() },
        Case { findings: vec![finding(FindingStatus::Absent)], ..base.clone() },
        Case { findings: vec![finding(FindingStatus::FamilyHistory)], ..base.clone() },
        Case { drugs: vec![base.drugs[0].clone(), CaseDrug { days: Some(900.0), ..drug("B", DrugStatus::Stopped) }], ..Case::default() },
    ];
    for case in quiet {
        assert!(safety(&graph, &case).statements.is_empty(), "{case:?}");
        assert_eq!(verdict(&graph, &case, "A"), None);
    }
    let lately = Case { drugs: vec![base.drugs[0].clone(), drug("B", DrugStatus::Stopped)], ..Case::default() };
    assert!(lines(&graph, &lately)[0].contains("B (stopped)"), "{:?}", lines(&graph, &lately));
    assert_eq!(verdict(&graph, &lately, "A"), Some(Verdict::Caution));
    let past = Case { conditions: vec![condition("Asthma", ConditionStatus::Past)], ..base };
    assert!(lines(&graph, &past)[0].contains("in the past"));
    assert_eq!(verdict(&graph, &past, "A"), Some(Verdict::Caution));
}

#[test]
fn drugs_in_use_that_interact_are_no_treatments() {
    let graph = graph_of(&["Amiodarone | interacts_with | Digoxin", "Digoxin | interacts_with | Food"]);
    let case = Case { drugs: vec![drug("Digoxin", DrugStatus::Taken), drug("Amiodarone", DrugStatus::New)], ..Case::default() };
    assert_eq!(lines(&graph, &case), ["Amiodarone interacts with Digoxin."]);
    assert_eq!(["Digoxin", "Amiodarone"].map(|name| verdict(&graph, &case, name)), [Some(Verdict::Forbidden); 2]);
    let taken = Case { drugs: vec![drug("Digoxin", DrugStatus::Taken)], ..Case::default() };
    assert_eq!(verdict(&graph, &taken, "Amiodarone"), Some(Verdict::Caution), "the severity is not stated");
}

#[test]
fn a_caution_is_of_what_the_patient_takes_and_worth_saying() {
    let graph = graph_of(&[
        "Live vaccine | is_a | Vaccine",
        "Steroid | interacts_with | Live vaccine | severity=major",
        "Steroid | interacts_with | Vaccine | severity=minor",
        "Steroid | interacts_with | Furosemide | severity=moderate",
        "Steroid | contraindicated_in | Fever | severity=relative",
    ]);
    let find = |name: &str| graph.find(name).expect("in the graph");
    let caution = |case: &Case, drug: &str| safety(&graph, case).cautions(&graph, find(drug)).first().map(|s| s.rank());
    let vaccinated = Case { drugs: vec![drug("Vaccine", DrugStatus::Taken)], ..Case::default() };
    assert_eq!(caution(&vaccinated, "Steroid"), None, "minor, and what one kind of vaccine does");
    assert!(verdict(&graph, &vaccinated, "Steroid").is_some(), "it is stated all the same where the steroid is in question");
    let on_diuretic = Case { drugs: vec![drug("Furosemide", DrugStatus::Taken)], ..Case::default() };
    assert_eq!(caution(&on_diuretic, "Steroid"), Some(SafetyRank::Moderate));
    let fever = CaseFinding { text: "fever".into(), entity: Some("Fever".into()), ..CaseFinding::default() };
    assert_eq!(caution(&Case { findings: vec![fever], ..Case::default() }, "Steroid"), Some(SafetyRank::Relative));
}

#[test]
fn every_reason_for_care_is_found_once_and_the_most_serious_comes_first() {
    let graph = graph_of(&[
        "Metformin | contraindicated_in | Heart failure | severity=relative",
        "Metformin | contraindicated_in | Dehydration | severity=relative",
        "Metformin | interacts_with | Furosemide | severity=moderate",
        "Metformin | interacts_with | Iodine | severity=major",
    ]);
    let finding = |name: &str| CaseFinding { text: name.to_lowercase(), entity: Some(name.into()), ..CaseFinding::default() };
    let drugs = vec![drug("Furosemide", DrugStatus::Taken), drug("Iodine", DrugStatus::Taken)];
    let case = Case { findings: vec![finding("Heart failure"), finding("Dehydration")], drugs, ..Case::default() };
    let found = safety(&graph, &case).cautions(&graph, graph.find("Metformin").expect("in the graph"));
    let ranks: Vec<SafetyRank> = found.iter().map(SafetyStatement::rank).collect();
    assert_eq!(ranks, [SafetyRank::Major, SafetyRank::Relative, SafetyRank::Relative, SafetyRank::Moderate]);
    assert!(found.iter().all(|statement| statement.chains().next().is_some()), "each has its proof");
}

#[test]
fn what_is_suspected_forbids_what_is_considered_and_of_what_is_taken_only_what_must_not_be() {
    let graph = graph_of(&[
        "Alteplase | contraindicated_in | Dissection | severity=absolute",
        "Aspirin | contraindicated_in | Dissection | severity=relative",
        "Warfarin | contraindicated_in | Dissection | severity=absolute",
        "Ibuprofen | contraindicated_in | Dissection | severity=relative",
    ]);
    let drugs = vec![
        drug("Alteplase", DrugStatus::Proposed),
        drug("Aspirin", DrugStatus::Proposed),
        drug("Warfarin", DrugStatus::Taken),
        drug("Ibuprofen", DrugStatus::Taken),
    ];
    let case = Case { drugs, ..Case::default() };
    let mut report = safety(&graph, &case);
    assert!(report.statements.is_empty(), "the question names no dissection");
    let dissection = graph.find("Dissection").expect("in the graph");
    report.suspect(&graph, &[dissection]);
    let mut of: Vec<&str> = report.statements.iter().map(|statement| graph.entity_name(statement.owner)).collect();
    of.sort_unstable();
    assert_eq!(of, ["Alteplase", "Aspirin", "Warfarin"]);
    let told = report.statements.len();
    report.suspect(&graph, &[dissection]);
    assert_eq!(report.statements.len(), told, "once");
}

#[test]
fn two_classes_that_are_only_considered_are_compared_kind_by_kind_where_that_is_asked() {
    let graph = graph_of(&["Quinolone | is_a | Antibiotic", "Prednisolone | is_a | Steroid", "Steroid | interacts_with | Quinolone"]);
    let stated = |antibiotic, asks: Vec<CaseAsk>| {
        let drugs = vec![drug("Antibiotic", antibiotic), drug("Steroid", DrugStatus::Proposed)];
        safety(&graph, &Case { drugs, asks, ..Case::default() }).statements.len()
    };
    assert_eq!(stated(DrugStatus::Proposed, Vec::new()), 0);
    assert_eq!(stated(DrugStatus::Proposed, vec![ask(AskKind::Safety, &["Antibiotic", "Steroid"])]), 1);
    assert_eq!(stated(DrugStatus::Taken, Vec::new()), 1);
}

#[test]
fn where_one_drug_is_new_it_is_the_one_in_question() {
    let graph = graph_of(&["A | interacts_with | Food", "B | interacts_with | Food", "C | interacts_with | Food"]);
    let drugs = vec![drug("A", DrugStatus::Taken), drug("B", DrugStatus::Taken), drug("C", DrugStatus::New)];
    let case = Case { drugs, asks: vec![ask(AskKind::Safety, &[])], ..Case::default() };
    let none: Vec<&str> = safety(&graph, &case).none_stored.iter().map(|none| none.drug).map(|drug| graph.entity_name(drug)).collect();
    assert_eq!(none, ["C"]);
    let all = Case { drugs: case.drugs.iter().map(|d| CaseDrug { status: DrugStatus::Taken, ..d.clone() }).collect(), ..case };
    assert_eq!(safety(&graph, &all).none_stored.len(), 2, "A with B and C, B with C");
}

#[test]
fn lists_are_complete_in_either_direction() {
    let graph = graph_of(&[
        "Ibuprofen | is_a | Anti-inflammatory",
        "Anti-inflammatory | interacts_with | Warfarin | severity=major",
        "Lithium | interacts_with | Ibuprofen | severity=moderate",
        "Ibuprofen | interacts_with | Alcohol",
        "Ibuprofen | contraindicated_in | Asthma | severity=relative",
        "Warfarin | contraindicated_in | Pregnancy | severity=absolute",
        "Anti-inflammatory | contraindicated_in | Third trimester of pregnancy",
        "Third trimester of pregnancy | is_a | Pregnancy",
        "Anti-inflammatory | side_effect | Hyperkalaemia | frequency=uncommon",
        "Ibuprofen | side_effect | Nausea | frequency=common",
    ]);
    let list = |kind, of: &[&str]| {
        let lists = safety(&graph, &Case { asks: vec![ask(kind, of)], ..Case::default() }).lists;
        lists
            .into_iter()
            .map(|list| (list.kind, list.entries.iter().map(|e| graph.entity_name(e.other).to_owned()).collect()))
            .collect::<Vec<(ListKind, Vec<String>)>>()
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(list(AskKind::Interactions, &["Ibuprofen"]), [(ListKind::Interactions, names(&["Warfarin", "Alcohol", "Lithium"]))]);
    assert_eq!(list(AskKind::Interactions, &["Warfarin"]), [(ListKind::Interactions, names(&["Anti-inflammatory"]))]);
    assert_eq!(
        list(AskKind::Contraindications, &["Pregnancy"]),
        [(ListKind::ContraindicatedIn, names(&["Anti-inflammatory", "Warfarin"]))]
    );
    let contraindications = list(AskKind::Contraindications, &["Ibuprofen"]);
    assert_eq!(contraindications, [(ListKind::Contraindications, names(&["Third trimester of pregnancy", "Warfarin", "Asthma"]))]);
    assert_eq!(list(AskKind::SideEffects, &["Ibuprofen"]), [(ListKind::SideEffects, names(&["Nausea", "Hyperkalaemia"]))]);
    assert_eq!(list(AskKind::SideEffects, &["Hyperkalaemia"]), [(ListKind::MayCause, names(&["Anti-inflammatory"]))]);
    assert_eq!(list(AskKind::Interactions, &["Ibuprofen", "Warfarin"]), [], "a question about a pair");
    let pregnant = CasePatient { pregnancy: Some(Pregnancy { pregnant: true, ..Pregnancy::default() }), ..CasePatient::default() };
    let case = Case { patient: pregnant, asks: vec![ask(AskKind::Contraindications, &[])], ..Case::default() };
    let lists = safety(&graph, &case).lists;
    assert_eq!(lists.iter().map(|list| list.entries.len()).collect::<Vec<_>>(), [2]);
    let texts: Vec<String> = lists[0].lines(&graph, Wording::for_text("x")).into_iter().map(|line| line.text).collect();
    assert!(
        texts[0].contains("(2)") && texts[1].contains("Anti-inflammatory") && texts[1].contains("Third trimester of pregnancy"),
        "{texts:?}"
    );
}

#[test]
fn who_asks_whether_something_is_safe_gets_the_most_serious_entries_and_a_count() {
    let lines: Vec<String> = (0..12).map(|number| format!("Drug | interacts_with | Other {number:02} | severity=minor")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).chain(["Drug | contraindicated_in | Asthma | severity=absolute"]).collect();
    let graph = graph_of(&lines);
    let of = |kind| safety(&graph, &Case { asks: vec![ask(kind, &["Drug"])], ..Case::default() }).lists;
    let list = of(AskKind::Safety).into_iter().find(|list| list.kind == ListKind::Interactions).expect("a list");
    assert_eq!((list.entries.len(), list.stated().len()), (12, 5));
    let said = list.lines(&graph, Wording::for_text("x"));
    assert!(said.len() == 7 && said[6].text.starts_with("7 more are stored"), "{said:?}");
    assert!(of(AskKind::Interactions).iter().all(|list| list.omitted == 0));
}

#[test]
fn what_is_contraindicated_is_never_left_out_of_a_list() {
    let lines: Vec<String> = (0..7)
        .map(|number| format!("Drug | contraindicated_in | State {number} | severity=absolute"))
        .chain((0..3).map(|number| format!("Drug | contraindicated_in | Lesser {number} | severity=relative")))
        .collect();
    let graph = graph_of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let lists = safety(&graph, &Case { asks: vec![ask(AskKind::Safety, &["Drug"])], ..Case::default() }).lists;
    let list = lists.into_iter().find(|list| list.kind == ListKind::Contraindications).expect("a list");
    assert_eq!((list.stated().len(), list.omitted), (7, 3));
    assert!(list.stated().iter().all(|entry| graph.entity_name(entry.other).starts_with("State")));
}

#[test]
fn ages_are_groups_and_a_range_that_overlaps_only_may_be_one() {
    let graph = graph_of(&[
        "Codeine | contraindicated_in | Child under 12 | severity=absolute",
        "Diazepam | contraindicated_in | Older person | severity=relative",
    ]);
    let of = |from: u16, to: u16, name: &str| {
        let patient = CasePatient { age_months: Some(AgeMonths { from: from * 12, to: to * 12 + 11 }), ..CasePatient::default() };
        verdict(&graph, &Case { patient, ..Case::default() }, name)
    };
    assert_eq!(
        [of(8, 8, "Codeine"), of(10, 14, "Codeine"), of(12, 12, "Codeine"), of(16, 110, "Codeine")],
        [Some(Verdict::Forbidden), Some(Verdict::Caution), None, None]
    );
    assert_eq!([of(81, 81, "Diazepam"), of(16, 110, "Diazepam"), of(40, 40, "Diazepam")], [Some(Verdict::Caution), None, None]);
}

#[test]
fn too_many_things_are_cut_and_that_is_said() {
    let names: Vec<String> = (0..70).map(|number| format!("Drug {number:02}")).collect();
    let lines: Vec<String> = names.iter().map(|name| format!("{name} | interacts_with | Other")).collect();
    let graph = graph_of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let drugs = names.iter().map(|name| drug(name, DrugStatus::Taken)).chain([drug("Other", DrugStatus::Proposed)]).collect();
    let report = safety(&graph, &Case { drugs, ..Case::default() });
    assert_eq!((report.left_out, report.statements.len()), (11, 59));
    assert!(report.lines(&graph, Wording::for_text("x")).last().is_some_and(|line| line.text.contains("11")));
}
