//! The checks: redundancy beside its definition, contradictions, nearly the same in other words, many at a time.

use std::sync::LazyLock;

use catena::dkg::CheckOutcome;
use catena::feedback::{CheckSettings, Checked, Checker, InvalidTriple};
use catena::graph::{Graph, Kind, LearnedTable, LearnedTriple, NamedRelation, NamedTriple, Player, Role};
use catena::language::Knowledge;
use catena::model::CancelToken;
use catena::model::{EncoderHandle, ModelError};
use catena::text::fold;
use proptest::prelude::*;

use super::{entity, graph_with_kinds, triple};
use crate::support::engine::{encoder, graph_of};

static ENCODER: LazyLock<EncoderHandle> = LazyLock::new(encoder);

fn knowledge(triples: &str, kinds: &[(&str, Kind)]) -> Knowledge {
    Knowledge::prepare(graph_with_kinds(triples, kinds), &ENCODER).expect("opens")
}

fn check_with(knowledge: &Knowledge, settings: &CheckSettings, triples: &[NamedTriple]) -> Vec<Checked> {
    let checker = Checker { knowledge, encoder: &ENCODER, settings, cancel: &CancelToken::new() };
    checker.check_many(triples).expect("not stopped")
}

fn check(knowledge: &Knowledge, triples: &[NamedTriple]) -> Vec<Checked> {
    check_with(knowledge, &CheckSettings::default(), triples)
}

const TREATS: (&str, Role, Player) = ("treats", Role::Treatment, Player::Head);
const SYMPTOM: (&str, Role, Player) = ("has_symptom", Role::Symptom, Player::Tail);

fn treats(drug: &str, disease: &str) -> NamedTriple {
    triple((drug, Kind::Drug), TREATS, (disease, Kind::Disease))
}

fn has_symptom(disease: &str, symptom: &str) -> NamedTriple {
    triple((disease, Kind::Disease), SYMPTOM, (symptom, Kind::Symptom))
}

const KNOWN: &str = "Omeprazole\ttreats\tReflux disease\nReflux disease\thas_symptom\tPain in the stomach\nReflux disease\tneed_medication\tRanitidine\nDiclofenac\tcontraindicated_in\tStomach ulcer\nAlarm sign\tis_a\tSign\nStomach ulcer\thas_red_flag\tVomiting of blood\n";

#[test]
fn the_same_is_redundant_in_other_spelling_and_the_other_way_round() {
    let knowledge = knowledge(KNOWN, &[("Omeprazole", Kind::Drug), ("Ranitidine", Kind::Drug), ("Diclofenac", Kind::Drug)]);
    let is = |triple: &NamedTriple, expected: &str| {
        let checked = check(&knowledge, std::slice::from_ref(triple));
        match &checked[0] {
            Ok(CheckOutcome::Redundant { distance, learned: false, with }) => assert_eq!((*distance, with.as_str()), (0.0, expected)),
            other => panic!("{}: {other:?}", triple.text()),
        }
    };
    is(&treats("OMEPRAZOLE", "reflux-disease"), "Omeprazole → treats → Reflux disease");
    is(&treats("ranitidine", "Reflux disease"), "Reflux disease → need medication → Ranitidine");
    let new = |triple: NamedTriple| check(&knowledge, &[triple])[0] == Ok(CheckOutcome::New);
    assert!(new(treats("Omeprazole", "Stomach ulcer")));
    // Less than is known is redundant.
    is(&has_symptom("Stomach ulcer", "vomiting of blood"), "Stomach ulcer → has red flag → Vomiting of blood");
    let red_flag =
        triple(("Reflux disease", Kind::Disease), ("has_red_flag", Role::RedFlag, Player::Tail), ("Pain in the stomach", Kind::Symptom));
    // As WTS has it, and by default: whatever the relation.
    is(&red_flag, "Reflux disease → has symptom → Pain in the stomach");
    let by_meaning = CheckSettings { compare_relation: true, ..CheckSettings::default() };
    assert_eq!(check_with(&knowledge, &by_meaning, &[red_flag])[0], Ok(CheckOutcome::New));
}

#[test]
fn contradictions_are_held_back_whichever_way_they_are_written() {
    let knowledge = knowledge(KNOWN, &[("Omeprazole", Kind::Drug), ("Diclofenac", Kind::Drug)]);
    let drug = |name: &'static str| (name, Kind::Drug);
    let disease = |name: &'static str| (name, Kind::Disease);
    let conflicts = [
        treats("diclofenac", "Stomach ulcer"),
        triple(disease("Stomach ulcer"), ("first_choice", Role::FirstLine, Player::Tail), drug("Diclofenac")),
        triple(drug("Omeprazole"), ("contraindicated_in", Role::Contraindication, Player::Tail), disease("Reflux disease")),
        triple(drug("Omeprazole"), ("causes", Role::Cause, Player::Head), disease("Reflux disease")),
        triple(disease("Reflux disease"), ("has_risk_factor", Role::RiskFactor, Player::Tail), drug("Omeprazole")),
    ];
    for paper in [true, false] {
        let settings = CheckSettings { compare_relation: !paper, ..CheckSettings::default() };
        for one in &conflicts {
            let checked = check_with(&knowledge, &settings, std::slice::from_ref(one));
            assert!(
                matches!(&checked[0], Ok(CheckOutcome::Conflict { learned: false, why, .. }) if !why.is_empty()),
                "{}: {checked:?}",
                one.text()
            );
        }
    }
    // Two of one batch.
    let both = [
        treats("Sucralfate", "Gastritis"),
        triple(drug("Sucralfate"), ("contraindicated_in", Role::Contraindication, Player::Tail), disease("gastritis")),
    ];
    let checked = check(&knowledge, &both);
    assert_eq!(checked[0], Ok(CheckOutcome::New));
    assert!(matches!(&checked[1], Ok(CheckOutcome::Conflict { why, .. }) if why.contains("both are proposed")), "{checked:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let knowledge = knowledge(KNOWN, &[]);
    let checked = check(
        &knowledge,
        &[
            treats("Reflux disease", "REFLUX disease"),
            treats("…", "Reflux disease"),
            triple(("Reflux", Kind::Disease), SYMPTOM, ("Gastroscopy", Kind::Test)),
            treats("New", "new"),
        ],
    );
    assert!(matches!(&checked[0], Err(InvalidTriple::Itself(name)) if name == "Reflux disease"));
    assert_eq!(checked[1], Err(InvalidTriple::Nameless));
    assert!(checked[2].as_ref().is_err_and(|unfit| unfit.to_string().contains("a test, which cannot be a symptom")));
    assert!(matches!(&checked[3], Err(InvalidTriple::Itself(_))));
}

#[test]
fn nearly_the_same_words_are_redundant_and_other_drugs_are_not() {
    let kinds: Vec<(&str, Kind)> = ["Prednisone", "Omeprazole", "Insulin glargine"].map(|name| (name, Kind::Drug)).to_vec();
    let triples = "Reflux disease\thas_symptom\tPain in the stomach\nPrednisone\ttreats\tAsthma\nAbdominal ultrasound\ttests_for\tGallstones\nOmeprazole\ttreats\tReflux disease\nAcute pancreatitis\thas_symptom\tVomiting\nInsulin glargine\ttreats\tDiabetes\n";
    let knowledge = knowledge(triples, &kinds);
    let near = |triple: NamedTriple| match &check(&knowledge, std::slice::from_ref(&triple))[0] {
        Ok(CheckOutcome::Redundant { distance, with, .. }) => {
            assert!(*distance > 0.0 && *distance <= CheckSettings::default().redundancy_distance, "{distance}");
            Some(with.clone())
        }
        Ok(CheckOutcome::New) => None,
        other => panic!("{}: {other:?}", triple.text()),
    };
    assert_eq!(near(has_symptom("Reflux disease", "Stomach pain")).as_deref(), Some("Reflux disease → has symptom → Pain in the stomach"));
    let ultrasound =
        triple(("Gallstones", Kind::Disease), ("diagnosed_by", Role::Test, Player::Tail), ("Ultrasound of the abdomen", Kind::Test));
    assert!(near(ultrasound).is_some());
    for other in [
        treats("Prednisolone", "Asthma"),
        treats("Esomeprazole", "Reflux disease"),
        treats("Insulin lispro", "Diabetes"),
        has_symptom("Chronic pancreatitis", "Vomiting"),
        has_symptom("Reflux disease", "Pain in the back"),
    ] {
        let text = other.text();
        assert_eq!(near(other), None, "{text}");
    }
    // The same words with another meaning, where the relation is compared.
    let leads_to =
        triple(("Stomach pain", Kind::Symptom), ("leads_to", Role::Complication, Player::Tail), ("Reflux disease", Kind::Disease));
    let by_meaning = CheckSettings { compare_relation: true, ..CheckSettings::default() };
    assert_eq!(check_with(&knowledge, &by_meaning, &[leads_to])[0], Ok(CheckOutcome::New));
    let never = CheckSettings { redundancy_distance: -1.0, ..CheckSettings::default() };
    assert_eq!(check_with(&knowledge, &never, &[has_symptom("Reflux disease", "Stomach pain")])[0], Ok(CheckOutcome::New));
}

#[test]
fn the_nearest_of_a_hubs_many_triples_is_found() {
    // More triples around one symptom than are compared; the like one is the last by name.
    let many: String = (0..3000).map(|i| format!("Disorder {i}\thas_symptom\tCough\n")).collect();
    let knowledge = knowledge(&(many + "Zenker pouch of the gullet\thas_symptom\tCough\n"), &[("Cough", Kind::Symptom)]);
    let checked = check(&knowledge, &[has_symptom("Gullet pouch of Zenker", "Cough"), has_symptom("Disorder 3001", "Cough")]);
    assert!(matches!(&checked[0], Ok(CheckOutcome::Redundant { with, .. }) if with.starts_with("Zenker")), "{checked:?}");
    assert_eq!(checked[1], Ok(CheckOutcome::New), "another number is another disorder");
}

#[test]
fn many_are_checked_as_each_would_be_and_can_be_stopped() {
    let known: String = (0..2000).map(|i| format!("Drug {i}\ttreats\tDisease {}\n", i % 50)).collect();
    let knowledge = knowledge(&known, &[]);
    let triples: Vec<NamedTriple> = (0..20_000).map(|i| treats(&format!("Drug {}", i % 5000), &format!("Disease {}", i % 100))).collect();
    let checked = check(&knowledge, &triples);
    let redundant = checked.iter().filter(|checked| matches!(checked, Ok(CheckOutcome::Redundant { .. }))).count();
    let new = checked.iter().filter(|checked| **checked == Ok(CheckOutcome::New)).count();
    assert_eq!((redundant + new, checked.len()), (20_000, 20_000));
    // Each pair once, less those that are known.
    assert_eq!(new, 5000 - (0..2000).filter(|i| i % 50 == i % 100).count());
    for at in (0..5000).step_by(331) {
        assert_eq!(check(&knowledge, &triples[at..=at])[0], checked[at], "{}", triples[at].text());
    }
    let cancel = CancelToken::new();
    cancel.cancel();
    let (settings, encoder) = (CheckSettings::default(), &*ENCODER);
    let stopped = Checker { knowledge: &knowledge, encoder, settings: &settings, cancel: &cancel }.check_many(&triples);
    assert!(matches!(stopped, Err(ModelError::Cancelled)));
}

const ROLES: [(&str, Role, Player); 8] = [
    ("has_symptom", Role::Symptom, Player::Tail),
    ("symptom_of", Role::Symptom, Player::Head),
    ("treats", Role::Treatment, Player::Head),
    ("need_medication", Role::Treatment, Player::Tail),
    ("first_line_for", Role::FirstLine, Player::Head),
    ("contraindicated_in", Role::Contraindication, Player::Tail),
    ("causes", Role::Cause, Player::Head),
    ("grows_on", Role::Related, Player::Tail),
];

/// Names of which some are spellings of each other.
const NAMES: [&str; 8] = ["Alpha", "alpha", "Beta-x", "beta X", "Gamma", "Delta", "头痛", "Epsilon"];

fn named(head: usize, role: usize, tail: usize) -> NamedTriple {
    let (name, role, player) = ROLES[role];
    let unknown = Kind::default();
    NamedTriple::new(entity(NAMES[head], &unknown), NamedRelation { name: name.into(), player, role }, entity(NAMES[tail], &unknown))
}

/// Whether a drug-like end does good or harm to the other: the names of the two, and which.
fn effect(triple: &NamedTriple) -> Option<(String, String, bool)> {
    let (owner, player) = (fold(&triple.owner().name), fold(&triple.player().name));
    match triple.relation.role {
        Role::Treatment | Role::FirstLine => Some((player, owner, true)),
        Role::Contraindication => Some((owner, player, false)),
        Role::Cause => Some((player, owner, false)),
        _ => None,
    }
}

/// The definition, triple by triple: conflict, then redundancy, then new.
fn by_definition(known: &[NamedTriple], candidate: &NamedTriple, compare_relation: bool) -> &'static str {
    let ends = |triple: &NamedTriple| {
        let mut ends = [fold(&triple.head.name), fold(&triple.tail.name)];
        ends.sort();
        ends
    };
    if fold(&candidate.head.name) == fold(&candidate.tail.name) {
        return "refused";
    }
    let same_pair: Vec<&NamedTriple> = known.iter().filter(|known| ends(known) == ends(candidate)).collect();
    let opposes = |known: &NamedTriple| match (effect(known), effect(candidate)) {
        (Some((a, b, good)), Some((c, d, better))) => (a, b) == (c, d) && good != better,
        _ => false,
    };
    let says = |known: &NamedTriple| {
        let owned_alike = fold(&known.owner().name) == fold(&candidate.owner().name);
        let implied = matches!((known.relation.role, candidate.relation.role), (Role::FirstLine, Role::Treatment));
        owned_alike && (known.relation.role == candidate.relation.role || implied)
    };
    if same_pair.iter().any(|known| opposes(known)) {
        "conflict"
    } else if same_pair.iter().any(|known| !compare_relation || says(known)) {
        "redundant"
    } else {
        "new"
    }
}

fn stands(checked: &Checked) -> &'static str {
    match checked {
        Ok(CheckOutcome::New) => "new",
        Ok(CheckOutcome::Redundant { .. }) => "redundant",
        Ok(CheckOutcome::Conflict { .. }) => "conflict",
        Err(_) => "refused",
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn redundancy_and_conflicts_are_those_of_the_definition(
        known in proptest::collection::vec((0..8usize, 0..8usize, 0..8usize), 0..12),
        candidates in proptest::collection::vec((0..8usize, 0..8usize, 0..8usize), 1..8),
        compare_relation: bool,
    ) {
        let known: Vec<NamedTriple> = known.into_iter().map(|(h, r, t)| named(h, r, t)).filter(|t| fold(&t.head.name) != fold(&t.tail.name)).collect();
        let lines: String = known.iter().map(|t| format!("{}\t{}\t{}\n", t.head.name, t.relation.name, t.tail.name)).collect();
        let graph: Graph = graph_of(&lines);
        let knowledge = Knowledge::prepare(graph, &ENCODER).expect("opens");
        // Names are few and short; that none is near another is the other tests' concern.
        let settings = CheckSettings { compare_relation, redundancy_distance: -1.0, ..CheckSettings::default() };
        // Kinds are left open, so that they are not inferred from what is known.
        let candidates: Vec<NamedTriple> = candidates.into_iter().map(|(h, r, t)| named(h, r, t)).collect();
        let mut so_far = known;
        for (checked, candidate) in check_with(&knowledge, &settings, &candidates).iter().zip(&candidates) {
            let expected = by_definition(&so_far, candidate, compare_relation);
            prop_assert_eq!(stands(checked), expected, "{} among {:?}", candidate.text(), so_far.iter().map(NamedTriple::text).collect::<Vec<_>>());
            if expected == "new" {
                so_far.push(candidate.clone());
            }
        }
    }
}

/// Section 3.2.2 of WTS transcribed: t is not added if there is a t' in the whole DKG, or among what was added before, with 1 − cos(t', t) ≤ L'.
#[test]
fn redundant_in_the_whole_dkg_is_what_any_triple_of_it_is_near_to() {
    let symptom = |disease: &str, symptom: &str| has_symptom(disease, symptom).text();
    let learned = [
        has_symptom("Zorbitis", "Stomach pain"),
        has_symptom("Blorb fever", "Itching of the skin"),
        treats("Frizzol", "Zorbitis"),
        treats("Wibblin", "Snorku rash"),
        has_symptom("Gnarpitis", "Loss of hearing"),
        has_symptom("Quux syndrome", "Chest pain on exertion"),
    ];
    let new = [
        has_symptom("Zorbitis", "Pain in the stomach"),
        has_symptom("Chronic zorbitis", "Stomach pain"),
        treats("Frizzolol", "Zorbitis"),
        treats("Wibblin", "Rash"),
        has_symptom("Gnarpitis", "Deafness"),
        has_symptom("Quux syndrome", "Pain in the chest"),
        has_symptom("Blorb fever", "Itchy skin"),
        has_symptom("Blorb fever", "Itchy skin at night"),
        treats("Insulin", "Diabetes"),
        has_symptom("Influenza", "Fever"),
    ];
    let mut knowledge = knowledge("Asthma\thas_symptom\tWheeze\n", &[]);
    let table: Vec<LearnedTriple> = learned.iter().cloned().zip(1..).map(|(triple, record)| LearnedTriple { triple, record }).collect();
    assert_eq!(knowledge.graph.learn(&LearnedTable::of(&table)).learned, learned.len());
    let mut texts: Vec<String> = learned.iter().map(NamedTriple::text).collect();
    texts.extend(new.iter().map(NamedTriple::text));
    assert!(texts.contains(&symptom("Zorbitis", "Stomach pain")), "{texts:?}");
    let vectors = ENCODER.encode(texts.clone()).expect("encodes").normalised();
    let gap = |a: usize, b: usize| 1.0 - vectors.row(a).iter().zip(vectors.row(b)).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    let mut counts = Vec::new();
    for most in [0.02, 0.1, 0.2, 0.35, 0.6] {
        let settings = CheckSettings { redundancy_distance: most, whole_dkg: true, ..CheckSettings::default() };
        let checked = check_with(&knowledge, &settings, &new);
        let mut known: Vec<usize> = (0..learned.len()).collect();
        for (at, checked) in (learned.len()..).zip(&checked) {
            let nearest = known.iter().copied().min_by(|a, b| gap(*a, at).total_cmp(&gap(*b, at))).expect("some");
            match checked {
                Ok(CheckOutcome::Redundant { distance, learned: of_dkg, with }) => {
                    assert!(gap(nearest, at) <= most && (distance - gap(nearest, at)).abs() < 1e-4, "{most} {}: {with}", texts[at]);
                    assert_eq!((with, *of_dkg), (&texts[nearest], nearest < learned.len()), "{most} {}", texts[at]);
                }
                Ok(CheckOutcome::New) => {
                    assert!(gap(nearest, at) > most, "{most} {}: {} is {}", texts[at], texts[nearest], gap(nearest, at));
                    known.push(at);
                }
                other => panic!("{}: {other:?}", texts[at]),
            }
        }
        counts.push(checked.iter().filter(|checked| matches!(checked, Ok(CheckOutcome::Redundant { .. }))).count());
    }
    assert!(counts.is_sorted() && counts[0] < counts[4] && counts[4] > 3, "the larger L', the more is redundant: {counts:?}");
}
