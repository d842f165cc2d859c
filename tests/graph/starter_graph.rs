//! The embedded starter graph holds what it must and nothing that would mislead a reader. That its triples
//! are neither dangling nor doubled the loader itself sees to: it refuses such files.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use catena::graph::{EntityId, Facts, Graph, Kind, Role, starter_graph};
use catena::text::{fold, is_cjk};

static GRAPH: LazyLock<Graph> = LazyLock::new(|| starter_graph().expect("the starter graph loads"));

/// Fails with everything that is wrong, so that one run shows it all.
fn assert_none(what: &str, wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} {what}:\n{}", wrong.len(), wrong.join("\n"));
}

fn diseases() -> Vec<EntityId> {
    GRAPH.entity_ids().filter(|e| GRAPH.kind(*e) == &Kind::Disease).collect()
}

#[test]
fn it_is_as_large_as_promised() {
    assert!(GRAPH.entity_count() >= 500, "{} entities", GRAPH.entity_count());
    assert!(GRAPH.triple_count() >= 3000, "{} triples", GRAPH.triple_count());
    assert!(diseases().len() >= 120, "{} diseases", diseases().len());
}

#[test]
fn every_entity_is_described_and_named_in_both_languages() {
    let mut wrong = Vec::new();
    for entity in GRAPH.entity_ids() {
        let (name, kind) = (GRAPH.entity_name(entity), GRAPH.kind(entity));
        if let Kind::Other(kind) = kind {
            wrong.push(format!("{name}: unknown kind {kind:?}"));
        }
        if GRAPH.description(entity).chars().count() < 20 {
            wrong.push(format!("{name}: description {:?}", GRAPH.description(entity)));
        }
        let aliases: Vec<&str> = GRAPH.aliases(entity).collect();
        if !aliases.iter().any(|alias| alias.chars().any(is_cjk)) {
            wrong.push(format!("{name}: no Chinese name"));
        }
        if matches!(kind, Kind::Disease | Kind::Symptom) && aliases.iter().all(|alias| alias.chars().any(is_cjk)) {
            wrong.push(format!("{name}: no other name"));
        }
    }
    assert_none("faults of entities", wrong);
}

#[test]
fn no_name_means_two_things_unless_listed() {
    let mut owners: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for entity in GRAPH.entity_ids() {
        let own = std::iter::once(GRAPH.entity_name(entity));
        for name in own.chain(GRAPH.aliases(entity)) {
            assert!(!fold(name).is_empty(), "{name:?} of {} folds to nothing", GRAPH.entity_name(entity));
            owners.entry(fold(name)).or_default().insert(GRAPH.entity_name(entity));
        }
    }
    let allowed: HashSet<&str> = GRAPH.ambiguous_aliases().iter().map(String::as_str).collect();
    let wrong = owners.iter().filter(|(name, of)| of.len() > 1 && !allowed.contains(name.as_str()));
    assert_none("ambiguous names", wrong.map(|(name, of)| format!("{name}: {of:?}")).collect());
    let idle = allowed.iter().filter(|name| owners.get(**name).is_none_or(|of| of.len() < 2));
    assert_none("names listed as ambiguous that are not", idle.map(ToString::to_string).collect());
}

#[test]
fn no_triple_is_about_one_entity_alone_or_said_twice() {
    let mut wrong = Vec::new();
    for triple in GRAPH.triples() {
        let relation = GRAPH.relation(triple.relation);
        let shown = || format!("{} {} {}", GRAPH.entity_name(triple.head), relation.name, GRAPH.entity_name(triple.tail));
        // Two members of a class may interact with each other; nothing else may be said of an entity and itself.
        let members = || GRAPH.incoming(triple.head).iter().filter(|e| GRAPH.relation(e.relation).name == "is_a").count();
        if triple.head == triple.tail && (relation.name != "interacts_with" || members() < 2) {
            wrong.push(shown());
        }
        let symmetric = relation.display == relation.inverse;
        let said_back = GRAPH.outgoing(triple.tail).iter().any(|e| e.to == triple.head && e.relation == triple.relation);
        if symmetric && said_back && triple.head < triple.tail {
            wrong.push(format!("{}, and back", shown()));
        }
    }
    assert_none("triples", wrong);
    let symmetric: Vec<&str> = GRAPH.relations().iter().filter(|r| r.display == r.inverse).map(|r| r.name.as_str()).collect();
    assert_eq!(symmetric, ["differential_of", "interacts_with"]);
}

/// Whether texts on topics tell of it: a score, a procedure, a chance finding.
fn has_topics(entity: EntityId) -> bool {
    GRAPH.attributes(entity).get("topic_a").is_some()
}

#[test]
fn nothing_stands_alone() {
    let orphans = GRAPH.entity_ids().filter(|e| GRAPH.degree(*e) == 0 && !has_topics(*e));
    assert_none("orphans", orphans.map(|e| GRAPH.entity_name(e).to_owned()).collect());
}

#[test]
fn every_relation_can_be_read_both_ways_and_has_a_role() {
    let used: HashSet<_> = GRAPH.triples().map(|triple| triple.relation).collect();
    assert_eq!(used.len(), GRAPH.relations().len(), "every relation is used");
    for relation in GRAPH.relations() {
        assert!(!relation.display.is_empty() && !relation.inverse.is_empty(), "{relation:?}");
        assert!(!relation.guessed && relation.role != Role::Related, "{relation:?}");
    }
    let roles: HashSet<Role> = GRAPH.relations().iter().map(|r| r.role).collect();
    use Role::{AdverseEffect, Cause, Complication, Contraindication, Differential, FirstLine, RedFlag, RiskFactor, Symptom, Test};
    for role in [Symptom, Cause, RiskFactor, Test, FirstLine, AdverseEffect, Contraindication, Complication, Differential, RedFlag] {
        assert!(roles.contains(&role), "no relation has the role {role:?}");
    }
}

#[test]
fn every_disease_has_symptoms_and_a_test_or_a_treatment() {
    // Without symptoms by definition: with symptoms it is another disease.
    let silent = ["Latent tuberculosis"];
    let facts = Facts::of(&*GRAPH);
    let mut wrong = Vec::new();
    for disease in diseases() {
        let roles: HashSet<Role> = facts.players(disease).iter().map(|fact| fact.role).collect();
        // What is found by chance has no symptoms, and the texts on it say what to do.
        if has_topics(disease) && roles.iter().all(|role| *role == Role::Broader) {
            continue;
        }
        let has_symptom = roles.iter().any(|role| role.is_feature());
        if has_symptom == silent.contains(&GRAPH.entity_name(disease)) {
            let fault = if has_symptom { "a symptom" } else { "no symptom" };
            wrong.push(format!("{}: {fault}", GRAPH.entity_name(disease)));
        }
        if !roles.contains(&Role::Test) && !roles.iter().any(|role| role.is_treatment()) {
            wrong.push(format!("{}: neither test nor treatment", GRAPH.entity_name(disease)));
        }
    }
    assert_none("diseases", wrong);
}

#[test]
fn all_main_specialties_are_there() {
    let specialties: [(&str, &[&str]); 18] = [
        ("cardiology", &["Hypertension", "Heart failure", "Heart attack", "Atrial fibrillation", "Deep vein thrombosis"]),
        ("respiratory", &["Asthma", "COPD", "Pneumonia", "Pulmonary embolism"]),
        ("gastroenterology", &["GERD", "Peptic ulcer", "Irritable bowel syndrome", "Crohn's disease", "Coeliac disease"]),
        ("surgery", &["Appendicitis", "Gallstones", "Haemorrhoids"]),
        ("hepatology", &["Cirrhosis", "Hepatitis B"]),
        ("nephrology and urology", &["Chronic kidney disease", "Kidney stones", "UTI", "Benign prostatic hyperplasia"]),
        ("endocrinology", &["Type 2 diabetes", "Hypothyroidism", "Hyperthyroidism"]),
        ("rheumatology", &["Gout", "Rheumatoid arthritis", "Osteoarthritis", "Osteoporosis"]),
        ("neurology", &["Stroke", "Migraine", "Epilepsy", "Parkinson's disease", "Alzheimer's disease", "Multiple sclerosis"]),
        ("psychiatry", &["Depression", "Generalised anxiety disorder", "Bipolar disorder", "Schizophrenia"]),
        ("eye", &["Glaucoma", "Cataract", "Conjunctivitis"]),
        ("ear, nose, throat", &["Otitis media", "Tonsillitis", "Sinusitis", "Hay fever"]),
        ("dermatology", &["Psoriasis", "Eczema", "Acne", "Shingles", "Scabies"]),
        ("gynaecology and obstetrics", &["Endometriosis", "Polycystic ovary syndrome", "Pre-eclampsia"]),
        ("paediatrics", &["Croup", "Bronchiolitis", "Chickenpox", "Measles"]),
        ("infectious diseases", &["Influenza", "COVID-19", "Tuberculosis", "Malaria", "HIV", "Meningitis"]),
        ("haematology", &["Iron deficiency anaemia", "Haemophilia"]),
        ("oncology and emergency", &["Breast cancer", "Lung cancer", "Colorectal cancer", "Melanoma", "Sepsis", "Anaphylaxis"]),
    ];
    let is_disease = |name: &str| GRAPH.names().lookup(name).iter().any(|(e, _)| GRAPH.kind(*e) == &Kind::Disease);
    let missing = specialties.iter().flat_map(|(field, names)| names.iter().map(move |name| (field, name)));
    assert_none(
        "conditions are missing",
        missing.filter(|(_, name)| !is_disease(name)).map(|(field, name)| format!("{field}: {name}")).collect(),
    );
}

#[test]
fn lay_words_name_what_they_mean() {
    let words = [
        ("heartburn", "Heartburn"),
        ("acid reflux", "Gastro-oesophageal reflux disease"),
        ("water pills", "Diuretic"),
        ("blood thinner", "Anticoagulant"),
        ("heart attack", "Acute myocardial infarction"),
        ("high blood pressure", "Hypertension"),
        ("flu", "Influenza"),
        ("the runs", "Diarrhoea"),
        ("tummy ache", "Abdominal pain"),
        ("throwing up", "Vomiting"),
        ("piles", "Haemorrhoids"),
        ("pink eye", "Conjunctivitis"),
        ("hay fever", "Allergic rhinitis"),
        ("shingles", "Herpes zoster"),
        ("ringworm", "Tinea infection"),
        ("short of breath", "Shortness of breath"),
        ("high temperature", "Fever"),
        ("dizzy", "Dizziness"),
        ("sleeping pill", "Hypnotic drug"),
        ("heart tracing", "Electrocardiogram"),
        ("birth control pill", "Combined oral contraceptive pill"),
        ("烧心", "Heartburn"),
        ("拉肚子", "Diarrhoea"),
        ("心梗", "Acute myocardial infarction"),
        ("高血压", "Hypertension"),
    ];
    let mut wrong = Vec::new();
    for (word, meant) in words {
        let named: Vec<&str> = GRAPH.names().lookup(word).iter().map(|(e, _)| GRAPH.entity_name(*e)).collect();
        if named.first() != Some(&meant) {
            wrong.push(format!("{word}: {named:?}, not {meant}"));
        }
    }
    assert_none("lay words", wrong);
}
