//! How well sentences are aligned with chains: 200 sentences made from triples of the starter graph, half of them in Chinese. A quarter is
//! true; in the others the direction is turned, an entity is exchanged, or the sentence is denied.

use std::collections::{BTreeSet, HashSet};

use super::align::{Aligned, Evidence, Verdict};
use crate::graph::{EntityId, EvolvingGraph, GraphView, Player, RelationId, Role, Triple, starter_graph};
use crate::pipeline::answer::statements::Statement;
use crate::pipeline::answer::wording::Wording;

/// Triples that are kept together, as in a run.
const KEPT: usize = 10;
/// Sentences of each kind in each language.
const OF_EACH: usize = 25;

/// Ways to say that a player `{p}` plays a role for an owner `{o}`, each with its denial.
fn ways(role: Role, chinese: bool) -> &'static [(&'static str, &'static str)] {
    match (role, chinese) {
        (Role::Treatment, false) => &[
            ("{p} treats {o}.", "{p} does not treat {o}."),
            ("{o} is treated with {p}.", "{o} is not treated with {p}."),
            ("{p} is often used to treat {o}.", "{p} is never used to treat {o}."),
            ("Doctors usually recommend {p} for {o}.", "Doctors do not recommend {p} for {o}."),
            ("Treatment options for {o} include {p}.", "Treatment options for {o} do not include {p}."),
            ("{p} is a treatment for patients with {o}.", "{p} is no treatment for patients with {o}."),
        ],
        (Role::Treatment, true) => &[
            ("{p}可用于治疗{o}。", "{p}不能治疗{o}。"),
            ("{o}可用{p}治疗。", "{o}不可用{p}治疗。"),
            ("{o}的治疗药物包括{p}。", "{o}的治疗药物不包括{p}。"),
        ],
        (Role::FirstLine, false) => &[
            ("{p} is the first-line treatment for {o}.", "{p} is not the first-line treatment for {o}."),
            ("The first choice for {o} is {p}.", "The first choice for {o} is not {p}."),
        ],
        (Role::Test, false) => &[
            ("{o} is diagnosed with {p}.", "{o} is not diagnosed with {p}."),
            ("{p} helps to diagnose {o}.", "{p} does not help to diagnose {o}."),
            ("{p} is a test for {o}.", "{p} is not a test for {o}."),
        ],
        (Role::Test, true) => &[("{p}可用于诊断{o}。", "{p}不能用来诊断{o}。"), ("{o}的检查包括{p}。", "{o}的检查不包括{p}。")],
        (Role::Symptom | Role::RedFlag, false) => &[
            ("{o} causes {p}.", "{o} does not cause {p}."),
            ("{p} is a symptom of {o}.", "{p} is not a symptom of {o}."),
            ("Symptoms of {o} include {p}.", "Symptoms of {o} never include {p}."),
            ("{p} may be caused by {o}.", "{p} cannot be caused by {o}."),
        ],
        (Role::Symptom | Role::RedFlag, true) => &[
            ("{o}可出现{p}。", "{o}不会出现{p}。"),
            ("{p}是{o}的症状。", "{p}不是{o}的症状。"),
            ("{o}的症状包括{p}。", "{o}的症状不包括{p}。"),
            ("{p}常见于{o}。", "{p}不常见于{o}。"),
        ],
        (Role::Contraindication, false) => &[
            ("{o} is contraindicated in {p}.", "{o} is not contraindicated in {p}."),
            ("Avoid {o} in patients with {p}.", "{o} is safe in patients with {p}."),
            ("{o} should not be used in {p}.", "{o} can be used safely in {p}."),
        ],
        (Role::Contraindication, true) => &[("{o}禁用于{p}患者。", "{o}并非禁用于{p}患者。"), ("{p}患者禁用{o}。", "{p}患者可以使用{o}。")],
        (Role::AdverseEffect, false) => &[
            ("{o} may cause {p}.", "{o} cannot cause {p}."),
            ("{p} is a side effect of {o}.", "{p} is not a side effect of {o}."),
            ("Side effects of {o} include {p}.", "Side effects of {o} do not include {p}."),
        ],
        (Role::AdverseEffect, true) => &[("{o}可引起{p}。", "{o}不会引起{p}。"), ("{o}的不良反应包括{p}。", "{o}的不良反应不包括{p}。")],
        (Role::Complication, false) => {
            &[("{o} may lead to {p}.", "{o} does not lead to {p}."), ("{p} is a complication of {o}.", "{p} is no complication of {o}.")]
        }
        (Role::Complication, true) => &[("{o}可导致{p}。", "{o}不会导致{p}。")],
        (Role::RiskFactor, false) => &[
            ("{p} is a risk factor for {o}.", "{p} is not a risk factor for {o}."),
            ("{p} increases the risk of {o}.", "{p} does not increase the risk of {o}."),
        ],
        _ => &[],
    }
}

/// A generator of numbers that are the same on every machine (Knuth's constants).
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most.max(1)
    }
}

fn statement_of(graph: &EvolvingGraph, triple: Triple, id: u32) -> Statement {
    let relation = graph.relation(RelationId(triple.relation.0));
    let (owner, player) = match relation.player {
        Player::Head => (triple.tail, triple.head),
        Player::Tail => (triple.head, triple.tail),
    };
    Statement { owner, role: relation.role, player, cited: BTreeSet::from([id]) }
}

/// What came of the sentences of one kind.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    all: usize,
    supported: usize,
    contradicted: usize,
    /// Among the true ones, those that cite the chain that they were made from.
    rightly_cited: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn take(&mut self, sentence: String, aligned: &Aligned, is_true: bool, id: u32) {
        self.all += 1;
        self.supported += usize::from(aligned.verdict == Verdict::Supported);
        self.contradicted += usize::from(aligned.verdict == Verdict::Contradicted);
        self.rightly_cited += usize::from(aligned.citations.contains(&id));
        if is_true != (aligned.verdict == Verdict::Supported) {
            self.wrong.push(sentence);
        }
    }
}

/// Aligns sentences of one language: true ones, and turned, exchanged and denied ones.
fn tallies(graph: &EvolvingGraph, chinese: bool, draw: &mut Draw) -> [Tally; 4] {
    let wording = Wording::for_text(if chinese { "中文" } else { "English" });
    let all: Vec<Triple> = graph
        .entity_ids()
        .flat_map(|head| graph.edges(head, crate::graph::Direction::Out).iter().map(move |edge| (head, edge)))
        .map(|(head, edge)| Triple { head, relation: edge.relation, tail: edge.to })
        .collect();
    let sayable: Vec<Triple> = all.into_iter().filter(|triple| !ways(graph.role(triple.relation), chinese).is_empty()).collect();
    let mut tallies: [Tally; 4] = Default::default();
    while tallies[3].all < OF_EACH {
        let kept: Vec<Statement> = (1..=KEPT as u32).map(|id| statement_of(graph, sayable[draw.below(sayable.len())], id)).collect();
        let forbids = |_: EntityId| false;
        let evidence = Evidence::new(graph, &kept, HashSet::new(), &forbids);
        let one = &kept[draw.below(KEPT)];
        let ways = ways(one.role, chinese);
        let (way, denial) = ways[draw.below(ways.len())];
        let name = |entity: EntityId| wording.name(graph, entity);
        let say = |way: &str, owner: EntityId, player: EntityId| way.replace("{o}", &name(owner)).replace("{p}", &name(player));
        let id = one.cited.iter().next().copied().unwrap_or(0);
        let other = statement_of(graph, sayable[draw.below(sayable.len())], 0).player;
        let stated = |a: EntityId, b: EntityId| kept.iter().any(|s| (s.owner, s.player) == (a, b));
        // An exchange or a turn must not come upon another of the kept triples.
        if other == one.player || stated(one.owner, other) || stated(other, one.owner) || stated(one.player, one.owner) {
            continue;
        }
        for (tally, sentence, is_true) in [
            (0, say(way, one.owner, one.player), true),
            (1, say(way, one.player, one.owner), false),
            (2, say(way, one.owner, other), false),
            (3, say(denial, one.owner, one.player), false),
        ] {
            let aligned = evidence.align(&sentence);
            tallies[tally].take(sentence, &aligned, is_true, id);
        }
    }
    tallies
}

#[test]
fn true_sentences_are_supported_and_turned_exchanged_or_denied_ones_are_not() {
    let graph = EvolvingGraph::new(std::sync::Arc::new(starter_graph().expect("sound")));
    let mut draw = Draw(19);
    let (mut right, mut of_true, mut wrong, mut of_false) = (0, 0, 0, 0);
    let mut told = Vec::new();
    for chinese in [false, true] {
        let tallies = tallies(&graph, chinese, &mut draw);
        assert_eq!(tallies[0].rightly_cited, tallies[0].supported, "a supported sentence cites the chain that it was made from");
        (right, of_true) = (right + tallies[0].supported, of_true + tallies[0].all);
        wrong += tallies[1..].iter().map(|tally| tally.supported).sum::<usize>();
        of_false += tallies[1..].iter().map(|tally| tally.all).sum::<usize>();
        told.extend(tallies);
    }
    assert_eq!((of_true, of_false), (2 * OF_EACH, 6 * OF_EACH));
    let contradicted: usize = [1, 2, 3, 5, 6, 7].into_iter().map(|at: usize| told[at].contradicted).sum();
    println!(
        "alignment: {right} of {of_true} true sentences supported, {wrong} of {of_false} false ones; {contradicted} of these contradicted"
    );
    // At least 95 in a hundred true ones, and at most 5 false ones.
    assert!(right * 100 >= of_true * 95 && wrong * 100 <= of_false * 5, "{right} of {of_true}, {wrong} of {of_false}: {told:#?}");
    // Of the sentences that say the opposite of a chain, nearly all are shown as contradicted. (Which are drawn depends on the graph.)
    assert!(contradicted >= 90, "{contradicted}: {told:#?}");
}

#[test]
fn what_a_sentence_smuggles_in_is_not_supported_and_a_forbidden_drug_contradicts() {
    let mut builder = crate::graph::GraphBuilder::new("g");
    let rules = crate::graph::RoleRules::built_in().expect("rules");
    let treats = builder.relation(rules.guess("treats")).expect("room");
    let against = builder.relation(rules.guess("contraindicated_in")).expect("room");
    let names = ["Omeprazole", "Diclofenac", "Reflux", "Stomach ulcer", "Antacid"];
    let ids: Vec<u32> = names.iter().map(|name| builder.entity(name)).collect();
    builder.triple(ids[0], treats, ids[2]);
    builder.triple(ids[4], treats, ids[2]);
    builder.triple(ids[1], against, ids[3]);
    let graph = EvolvingGraph::new(std::sync::Arc::new(builder.finish()));
    let of = |name: &str| graph.names().lookup_exact(name)[0];
    let [omeprazole, diclofenac, reflux, ulcer, antacid] = ["omeprazole", "diclofenac", "reflux", "stomach ulcer", "antacid"].map(of);
    let state = |owner, role, player, id| Statement { owner, role, player, cited: BTreeSet::from([id]) };
    let kept = [
        state(reflux, Role::Treatment, omeprazole, 1),
        state(reflux, Role::Treatment, antacid, 2),
        state(diclofenac, Role::Contraindication, ulcer, 3),
    ];
    let forbids = |drug: EntityId| drug == diclofenac;
    let evidence = Evidence::new(&graph, &kept, HashSet::from([reflux, ulcer]), &forbids);
    let verdict = |sentence: &str| {
        let aligned = evidence.align(sentence);
        (aligned.verdict, aligned.citations)
    };
    for (sentence, citations) in [
        ("- Omeprazole and antacids treat reflux [9].", vec![1, 2]),
        ("Treatment options include omeprazole.", vec![1]),
        ("For reflux, omeprazole is usually recommended.", vec![1]),
        ("1. Omeprazole: treatment of reflux", vec![1]),
        ("Diclofenac should be avoided in stomach ulcer.", vec![3]),
        ("Diclofenac is contraindicated.", vec![3]),
    ] {
        assert_eq!(verdict(sentence), (Verdict::Supported, citations), "{sentence}");
    }
    for sentence in [
        "Omeprazole 400 mg treats reflux.",
        "Omeprazole treats reflux; drink a whole bottle of bleach every single morning too.",
        "Omeprazole treats reflux; drink bleach every day.",
        "Omeprazole treats reflux and stomach ulcer.",
        "Omeprazole.",
        "Rest well.",
        "Reflux is common.",
    ] {
        assert_eq!(verdict(sentence).0, Verdict::Unsupported, "{sentence}");
    }
    for (sentence, citations) in [
        ("Omeprazole does not treat reflux.", vec![1]),
        ("Reflux treats omeprazole.", vec![1]),
        ("For omeprazole, reflux is recommended.", vec![1]),
        ("Diclofenac is safe in stomach ulcer.", vec![3]),
        ("Diclofenac treats stomach ulcer.", vec![3]),
        ("Take diclofenac.", vec![3]),
        ("Avoid omeprazole in reflux.", vec![1]),
        ("Omeprazole should not be used to treat reflux.", vec![1]),
    ] {
        assert_eq!(verdict(sentence), (Verdict::Contradicted, citations), "{sentence}");
    }
}
