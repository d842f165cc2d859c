//! Facts: what a doctor expects of answers from the starter graph (`data/questions.toml`), and that talk
//! which is not medical is not answered.

use std::collections::HashSet;
use std::sync::LazyLock;

use catena::graph::{Chain, ChainKind, Graph, Role, starter_graph};
use catena::model::CancelToken;
use catena::run::{AnchorOrigin, AnswerLine, AnswerPart, AskOptions, Outcome, Trace};
use serde::Deserialize;

use crate::support::engine::{ENGINE, starter};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Questions {
    question: Vec<Expectation>,
    small_talk: SmallTalk,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    field: String,
    q: String,
    #[serde(default)]
    want: Vec<String>,
    first: Option<String>,
    #[serde(default)]
    never: Vec<String>,
    #[serde(default)]
    states: Vec<String>,
    #[serde(default)]
    parts: Vec<AnswerPart>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SmallTalk {
    questions: Vec<String>,
}

fn questions() -> Questions {
    toml::from_str(include_str!("../data/questions.toml")).expect("the questions are valid TOML")
}

fn ask(question: &str) -> (Trace, Outcome) {
    let mut trace = Trace::default();
    let outcome = ENGINE.run(question, AskOptions::default(), &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    (trace, outcome)
}

static STARTER: LazyLock<Graph> = LazyLock::new(|| starter_graph().expect("sound"));

/// The choices in "A | B".
fn choices(text: &str) -> impl Iterator<Item = &str> {
    text.split('|').map(str::trim)
}

/// Names of the entities of a chain.
fn names_in<'a>(trace: &'a Trace, chain: &'a Chain) -> impl Iterator<Item = &'a str> {
    chain.nodes().iter().map(|node| trace.table.entities[*node as usize].name.as_str())
}

/// The texts on topics, in both languages.
static TOPIC_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let of_entity = |entity| {
        let attributes = STARTER.attributes(entity);
        let texts = attributes.iter().filter(|(key, _)| key.starts_with("topic_"));
        let said = |(key, text): (&str, &str)| {
            let told = text.split_once(": ").filter(|_| !key.ends_with("_zh")).map_or(text, |(_, told)| told);
            told.trim_end_matches(['.', '。']).to_owned()
        };
        texts.map(said).collect::<Vec<_>>()
    };
    STARTER.entity_ids().flat_map(of_entity).collect()
});

/// Whether a line is a text on a topic, as the entry of its entity has it: such a text has no chain to cite.
fn is_topic(line: &AnswerLine) -> bool {
    TOPIC_TEXTS.iter().any(|text| line.text.contains(text.as_str()))
}

/// Whether a line states something about the graph. The lines of the safety pass that state nothing have no role: headings of lists, and
/// what is not stored.
fn states_something(line: &AnswerLine) -> bool {
    match line.part {
        AnswerPart::Conditions | AnswerPart::Tests | AnswerPart::Treatments | AnswerPart::Cautions | AnswerPart::Findings => true,
        AnswerPart::Safety => line.role.is_some(),
        AnswerPart::Care => !is_topic(line),
        AnswerPart::Summary => !line.entity.is_empty(),
        AnswerPart::Emergency | AnswerPart::ReadAs | AnswerPart::NotUnderstood | AnswerPart::Documents | AnswerPart::More => false,
        AnswerPart::ModelNote | AnswerPart::ModelContradicted | AnswerPart::ModelUnsupported => false,
        AnswerPart::ModelAdds => true,
    }
}

/// Everything that is wrong with an answer whatever the question: lines without evidence, results without lines.
fn unsound(trace: &Trace) -> Vec<String> {
    let mut faults = Vec::new();
    let kept = trace.pruning.kept.len() as u32;
    let names_of = |id: u32| -> HashSet<&str> {
        trace.kept().filter(|(known, ..)| *known == id).flat_map(|(_, _, chain)| names_in(trace, chain)).collect()
    };
    for line in trace.answer.lines.iter().filter(|line| states_something(line)) {
        if line.citations.is_empty() || line.citations.iter().any(|id| *id == 0 || *id > kept) {
            faults.push(format!("line without kept evidence: {} {:?}", line.text, line.citations));
        } else if let Some(unproven) = line.stated().find(|stated| !line.citations.iter().any(|id| names_of(*id).contains(stated))) {
            faults.push(format!("cited chains do not speak of {unproven}: {} {:?}", line.text, line.citations));
        }
    }
    // A text on traps cites why its condition is named.
    for line in trace.answer.lines.iter().filter(|line| !states_something(line) && line.part != AnswerPart::Care) {
        if !line.citations.is_empty() {
            faults.push(format!("cites evidence for nothing: {} {:?}", line.text, line.citations));
        }
    }
    for printed in trace.answer.text.lines().filter_map(|line| line.strip_prefix("- ")) {
        let states_nothing = trace.answer.lines.iter().any(|line| line.text == printed && !states_something(line));
        if !printed.ends_with(']') && !states_nothing {
            faults.push(format!("printed line without citation: {printed}"));
        }
    }
    faults
}

fn faults(expected: &Expectation, trace: &Trace, outcome: &Outcome) -> Vec<String> {
    let mut faults = unsound(trace);
    let entities = &trace.answer.entities;
    if *outcome != Outcome::Answered {
        faults.push(format!("not answered: {outcome:?}"));
    }
    for want in &expected.want {
        if !choices(want).any(|name| entities.iter().any(|e| e == name)) {
            faults.push(format!("wanted: {want}"));
        }
    }
    for never in &expected.never {
        // What the safety pass forbids, it names.
        let forbids = |line: &&AnswerLine| line.part == AnswerPart::Safety && line.role == Some(Role::Contraindication);
        let is_offered = trace.answer.lines.iter().filter(|line| !forbids(line)).any(|line| line.stated().any(|stated| stated == *never));
        let is_forbidden = trace.answer.lines.iter().filter(forbids).any(|line| line.stated().any(|stated| stated == *never));
        if is_offered || (entities.contains(never) && !is_forbidden) {
            faults.push(format!("must not be: {never}"));
        }
    }
    // Where care is asked for, the condition that it is for stands above it.
    let leads = |name: &str| {
        let of_part = |part: &AnswerPart| trace.answer.lines.iter().find(|line| line.part == *part);
        entities.first().is_some_and(|e| e == name)
            || expected.parts.iter().filter_map(of_part).any(|line| line.stated().any(|stated| stated == name))
    };
    if let Some(first) = &expected.first
        && !choices(first).any(leads)
    {
        faults.push(format!("does not lead: {first}"));
    }
    for part in &expected.parts {
        // What the safety pass states stands in a part of its own.
        let is_of_part = |of: AnswerPart| of == *part || (*part == AnswerPart::Cautions && of == AnswerPart::Safety);
        if !trace.answer.lines.iter().any(|line| is_of_part(line.part) && states_something(line)) {
            faults.push(format!("no {}", part.title()));
        }
    }
    for state in &expected.states {
        let (about, role, other) = statement(state);
        let said = trace.answer.lines.iter().any(|line| {
            // A line of a list is about its entry; the list's heading names the subject.
            about.iter().chain(&other).any(|name| line.stated().any(|stated| *name == stated))
                && line.role.is_some_and(|r| serde_json::to_value(r).is_ok_and(|r| r == role))
                && trace.kept().filter(|(id, ..)| line.citations.contains(id)).any(|(_, _, chain)| {
                    let names: Vec<&str> = names_in(trace, chain).collect();
                    about.iter().any(|a| names.contains(a)) && other.iter().any(|o| names.contains(o))
                })
        });
        if !said {
            faults.push(format!("does not say: {state}"));
        }
    }
    faults
}

/// Cuts "A | B role C | D" at its role, the one lower-case word that stands alone.
fn statement(text: &str) -> (Vec<&str>, &str, Vec<&str>) {
    let roles = ["interaction", "contraindication", "adverse_effect"];
    let role = roles.into_iter().find(|role| text.contains(&format!(" {role} "))).expect("a known role");
    let (about, other) = text.split_once(role).expect("it was found");
    (choices(about).collect(), role, choices(other).collect())
}

fn report(trace: &Trace) -> String {
    let anchors: Vec<&str> = trace.anchors.iter().filter(|a| a.origin != AnchorOrigin::Hypothesis).map(|a| a.entity.as_str()).collect();
    format!(
        "    understood: {}\n    not understood: {}\n    result: {}",
        anchors.join(", "),
        trace.unlinked.join(", "),
        trace.answer.entities.join(", ")
    )
}

#[test]
fn every_name_in_the_expectations_is_of_the_starter_graph() {
    let graph = starter();
    for expected in questions().question {
        let stated: Vec<&str> = expected.states.iter().flat_map(|s| [statement(s).0, statement(s).2].concat()).collect();
        let names = expected.want.iter().chain(&expected.never).chain(&expected.first).flat_map(|text| choices(text));
        for name in names.chain(stated) {
            assert!(graph.entity_ids().any(|e| graph.entity_name(e) == name), "{name:?} is not in the graph ({})", expected.q);
        }
    }
}

#[test]
fn answers_are_what_a_doctor_expects() {
    let mut wrong = Vec::new();
    let all = questions().question;
    assert!(all.len() >= 26, "twenty questions and five in Chinese, at the least");
    assert!(all.iter().filter(|e| e.field.starts_with("zh")).count() >= 5);
    for expected in &all {
        let (trace, outcome) = ask(&expected.q);
        let faults = faults(expected, &trace, &outcome);
        if !faults.is_empty() {
            wrong.push(format!("{} ({})\n  - {}\n{}", expected.q, expected.field, faults.join("\n  - "), report(&trace)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} answers are wrong:\n\n{}\n", wrong.len(), all.len(), wrong.join("\n\n"));
}

#[test]
fn the_flagship_question_is_answered_in_full() {
    let (trace, outcome) = ask("I feel stomach reflux after eating. What medicine should I take?");
    assert_eq!(outcome, Outcome::Answered);
    for origin in [AnchorOrigin::Question, AnchorOrigin::Hypothesis] {
        let met = |o: AnchorOrigin| o == origin || o == AnchorOrigin::Both;
        assert!(trace.anchors.iter().any(|a| met(a.origin)), "no anchor of {origin:?}");
    }
    for kind in [ChainKind::Path, ChainKind::CoAncestor, ChainKind::CoOccurrence] {
        assert!(trace.by_kind.get(&kind).is_some_and(|count| *count > 0), "no chain of {kind:?}: {:?}", trace.by_kind);
    }
    assert_eq!(trace.pruning.kept.len(), 10);
    let named: HashSet<&str> = trace.answer.entities.iter().map(String::as_str).collect();
    let groups: [&[&str]; 3] = [
        &["Proton pump inhibitor", "Omeprazole", "Esomeprazole", "Lansoprazole", "Pantoprazole", "Rabeprazole"],
        &["H2 receptor antagonist", "Famotidine"],
        &["Antacid", "Sodium alginate", "Calcium carbonate", "Aluminium hydroxide", "Magnesium hydroxide"],
    ];
    for group in groups {
        assert!(group.iter().any(|name| named.contains(name)), "none of {group:?} in {:?}", trace.answer.entities);
    }
    for never in ["Ibuprofen", "Nonsteroidal anti-inflammatory drug", "Aspirin", "Bisphosphonate", "Antireflux surgery"] {
        assert!(!named.contains(never), "{never} is no medicine for reflux");
    }
    assert_eq!(unsound(&trace), Vec::<String>::new());
    assert!(trace.answer.grounded);
}

#[test]
fn talk_that_is_not_medical_links_to_nothing_and_the_answer_says_so() {
    let mut wrong = Vec::new();
    for question in questions().small_talk.questions {
        let (trace, outcome) = ask(&question);
        if !trace.anchors.is_empty() || outcome != Outcome::NothingFound || trace.answer.grounded {
            let linked: Vec<String> = trace.anchors.iter().map(|a| format!("{} → {}", a.mention, a.entity)).collect();
            wrong.push(format!("{question}: {}", linked.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "linked although nothing is medical:\n  {}\n", wrong.join("\n  "));
}

#[test]
fn asked_whether_something_is_safe_the_answer_warns_and_looks_for_no_diagnosis() {
    let (trace, outcome) = ask("Can I take ibuprofen while pregnant?");
    assert_eq!(outcome, Outcome::Answered);
    let of = |part: AnswerPart| trace.answer.lines.iter().filter(|line| line.part == part).flat_map(AnswerLine::stated).collect::<Vec<_>>();
    let first = trace.answer.lines.iter().find(|line| states_something(line)).expect("a statement");
    assert_eq!((first.part, first.entity.as_str(), first.role), (AnswerPart::Safety, "Ibuprofen", Some(Role::Contraindication)));
    assert!(first.text.contains("in Pregnancy: relative contraindication"), "{}", first.text);
    assert_eq!(of(AnswerPart::Conditions), [""; 0], "the question asks for no condition");
    assert_eq!(of(AnswerPart::Treatments), [""; 0], "nor for a treatment: what prevents a pregnancy is none of it");
    assert_eq!(unsound(&trace), Vec::<String>::new());
}
