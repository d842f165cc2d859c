//! What the starter graph says of how interactions and contraindications harm, checked over all of them.

use catena::graph::starter_graph;

/// Heads, relations, tails and effects of all statements with an effect.
fn effects() -> Vec<(String, String, String, String)> {
    let graph = starter_graph().expect("the starter graph loads");
    let name = |entity| graph.entity_name(entity).to_owned();
    let effect = |triple: catena::graph::Triple| {
        let effect = graph.qualifiers(triple.head, triple.relation, triple.tail).get("effect").map(str::to_owned)?;
        Some((name(triple.head), graph.relation(triple.relation).name.clone(), name(triple.tail), effect))
    };
    graph.triples().filter_map(effect).collect()
}

#[test]
fn what_an_enzyme_inhibitor_does_names_the_level_or_what_comes_of_it() {
    let ways = ["level", "toxicity", "less", "weaker", "lower", "higher", "exposure", "delayed", "longer", "changed", "altered", "slower"];
    let is_inhibitor = |name: &str| name.ends_with("CYP3A4 inhibitor") || name == "Grapefruit";
    let all = effects();
    let of_inhibitors: Vec<_> =
        all.iter().filter(|(head, relation, tail, _)| relation == "interacts_with" && (is_inhibitor(head) || is_inhibitor(tail))).collect();
    assert!(of_inhibitors.len() > 50, "{}", of_inhibitors.len());
    let silent: Vec<_> = of_inhibitors.iter().filter(|(.., effect)| !ways.iter().any(|way| effect.contains(way))).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn the_bone_marrow_is_named_in_full() {
    let short: Vec<_> =
        effects().into_iter().filter(|(.., effect)| effect.replace("bone marrow suppression", "").contains("marrow suppression")).collect();
    assert!(short.is_empty(), "{short:?}");
}

#[test]
fn a_drug_that_malforms_the_child_is_said_to_cause_birth_defects() {
    let states = ["Pregnancy", "Planning pregnancy", "Childbearing potential", "First trimester of pregnancy"];
    let all = effects();
    let of_pregnancy: Vec<_> =
        all.iter().filter(|(_, relation, tail, _)| relation == "contraindicated_in" && states.contains(&tail.as_str())).collect();
    assert!(of_pregnancy.iter().any(|(.., effect)| effect.contains("birth defects (teratogenic)")));
    let unclear: Vec<_> = of_pregnancy.iter().filter(|(.., effect)| effect.contains("malformations")).collect();
    assert!(unclear.is_empty(), "{unclear:?}");
}
