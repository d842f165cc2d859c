//! What `catena ask` promises to scripts (design §6): the form of the trace, settings, exit codes, recordings.

use std::collections::{BTreeMap, HashSet};

use crate::support::json::Ordered;
use crate::support::{Catena, SMALL_GRAPH, numbers, strings};
use catena::run::{EventKind, Trace, TraceDocument, read_recording};
use serde_json::Value;

const REFLUX: &str = "I feel stomach reflux after eating. What medicine should I take?";
const CHINESE: &str = "我吃完饭后烧心，应该吃什么药？";

/// Fails with every place at which the trace is not of the published form.
fn assert_valid(trace: &Value) {
    let schema: Value = serde_json::from_str(include_str!("../../assets/trace.schema.json")).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator.iter_errors(trace).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn array<'a>(trace: &'a Value, key: &str) -> &'a [Value] {
    trace[key].as_array().expect("an array")
}

/// A trace without what differs between two runs: the id and the times.
fn timeless(mut trace: Value) -> Value {
    let object = trace.as_object_mut().expect("an object");
    object.remove("id");
    object.remove("timings_ms");
    trace
}

#[test]
fn every_trace_is_of_the_published_form() {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    let cases: [(&str, &[&str], i32); 7] = [
        (REFLUX, &[], 0),
        (CHINESE, &[], 0),
        ("who won the cup?", &[], 3),
        ("", &[], 3),
        ("heartburn after meals", &["--kg", "small.tsv"], 0),
        ("Bleeding", &["--kg", "small.tsv", "--k", "1"], 0),
        (REFLUX, &["--delta", "1"], 0),
    ];
    for (question, arguments, code) in cases {
        let trace = catena.trace(question, arguments, code);
        assert_valid(&trace);
        assert_eq!(trace["question"], question);
    }
}

#[test]
fn the_schema_refuses_what_is_not_of_the_form() {
    let trace = Catena::new().trace(REFLUX, &[], 0);
    for key in ["schema", "kept", "answer", "truncated"] {
        let mut broken = trace.clone();
        broken.as_object_mut().expect("an object").remove(key);
        assert!(std::panic::catch_unwind(|| assert_valid(&broken)).is_err(), "a trace without {key} passed");
    }
    let mut broken = trace.clone();
    broken["answer"]["lines"][0]["also"] = "Heartburn".into();
    assert!(std::panic::catch_unwind(|| assert_valid(&broken)).is_err(), "`also` is a list");
}

#[test]
fn keys_come_in_the_published_order() {
    let text = Catena::new().run(["ask", REFLUX, "--json"]).stdout;
    let trace: Ordered = serde_json::from_str(&text).expect("JSON");
    let begins = |value: &Ordered, wanted: &str| {
        let wanted: Vec<&str> = wanted.split(' ').collect();
        assert_eq!(value.keys()[..wanted.len()], wanted);
    };
    begins(
        &trace,
        "schema id question method kg settings models hypothesis mentions anchors unlinked chains chains_found truncated kept answer \
         timings_ms warnings",
    );
    begins(trace.at("kg"), "name entities triples learned");
    begins(trace.at("settings"), "k top_k delta fragment_words fragment_overlap seed");
    begins(trace.at("models"), "generator encoder reranker");
    begins(trace.at("models").at("encoder"), "kind name device");
    begins(&trace.at("mentions").items()[0], "text start end origin recogniser");
    begins(&trace.at("anchors").items()[0], "entity kind score origin mention");
    begins(&trace.at("chains").items()[0], "id kind entities relations text score learned");
    begins(&trace.at("chains").items()[0].at("relations").items()[0], "name forward");
    begins(trace.at("answer"), "text entities citations corrected grounded");
    begins(trace.at("timings_ms"), "hypothesis recognise link search prune read total");
}

#[test]
fn ids_hang_together() {
    let catena = Catena::new();
    for question in [REFLUX, CHINESE, "fever and cough with chest pain: what could it be?"] {
        let trace = catena.trace(question, &[], 0);
        let chains: Vec<u64> = array(&trace, "chains").iter().map(|chain| chain["id"].as_u64().expect("an id")).collect();
        let distinct: HashSet<u64> = chains.iter().copied().collect();
        assert_eq!(distinct.len(), chains.len(), "two chains have one id");
        let kept = numbers(&trace["kept"]);
        // More than ten only where the answer's lines rest on more.
        assert!(kept.len() >= 10);
        assert!(kept.iter().all(|id| distinct.contains(id)));
        let citations = numbers(&trace["answer"]["citations"]);
        assert!(!citations.is_empty() && citations.iter().all(|id| kept.contains(id)), "{citations:?} of {kept:?}");
        let text = trace["answer"]["text"].as_str().expect("a text");
        for id in 1..=trace["chains_found"].as_u64().expect("a number") {
            assert_eq!(text.contains(&format!("[{id}]")), citations.contains(&id), "citation {id} in {text}");
        }
        let anchors: HashSet<&str> = array(&trace, "anchors").iter().map(|a| a["entity"].as_str().expect("a name")).collect();
        // Chains lie between anchors. What else is kept is so only because the answer rests on it.
        for chain in array(&trace, "chains") {
            let entities = strings(&chain["entities"]);
            let between = anchors.contains(entities[0]) && anchors.contains(entities[entities.len() - 1]);
            let id = chain["id"].as_u64().expect("an id");
            assert!(between || !kept.contains(&id) || citations.contains(&id), "{chain}");
        }
    }
}

#[test]
fn every_step_of_every_chain_is_a_triple_of_the_graph() {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    let triples: HashSet<Vec<&str>> = SMALL_GRAPH.lines().map(|line| line.split('\t').collect()).collect();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for (question, k) in [("Heartburn and nausea with omeprazole and gastroscopy", 3), ("reflux, bleeding", 5), ("fig", 3)] {
        let trace = catena.trace(question, &["--kg", "small.tsv", "--k", &k.to_string()], 0);
        assert_eq!(trace["chains_found"], array(&trace, "chains").len());
        for chain in array(&trace, "chains") {
            let entities = strings(&chain["entities"]);
            let relations = chain["relations"].as_array().expect("relations");
            assert_eq!(entities.len(), relations.len() + 1, "{chain}");
            assert!(relations.len() <= k, "{chain}");
            assert_eq!(entities.iter().collect::<HashSet<_>>().len(), entities.len(), "not simple: {chain}");
            let mut turns = Vec::new();
            for (pair, relation) in entities.windows(2).zip(relations) {
                let forward = relation["forward"].as_bool().expect("a direction");
                let name = relation["name"].as_str().expect("a name");
                let triple = if forward { vec![pair[0], name, pair[1]] } else { vec![pair[1], name, pair[0]] };
                assert!(triples.contains(&triple), "{triple:?} of {chain}");
                turns.push(forward);
            }
            turns.dedup();
            let kind = chain["kind"].as_str().expect("a kind");
            match kind {
                "path" => assert_eq!(turns, [true], "{chain}"),
                "co_ancestor" => assert_eq!(turns, [true, false], "{chain}"),
                "co_occurrence" => assert_eq!(turns, [false, true], "{chain}"),
                _ => assert_eq!((kind, relations.len()), ("neighbour", 1), "{chain}"),
            }
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
    }
    assert_eq!(kinds.keys().collect::<Vec<_>>(), ["co_ancestor", "co_occurrence", "neighbour", "path"], "all kinds were seen");
}

#[test]
fn mentions_point_at_their_text() {
    let catena = Catena::new();
    for question in [REFLUX, CHINESE, "  Ménière’s \u{1F912} fever — ｆｅｖｅｒ, zorbing"] {
        let trace = catena.trace(question, &[], 0);
        let mentions = array(&trace, "mentions");
        let mut origins = HashSet::new();
        for mention in mentions {
            let origin = mention["origin"].as_str().expect("an origin");
            let text = trace[origin].as_str().expect("question or hypothesis");
            let at = |key: &str| mention[key].as_u64().expect("an offset") as usize;
            assert_eq!(text.get(at("start")..at("end")), mention["text"].as_str(), "{mention}");
            origins.insert(origin);
        }
        assert_eq!(origins.len(), 2, "mentions of question and hypothesis: {mentions:?}");
    }
}

#[test]
fn max_chains_holds_and_spares_the_kept() {
    let catena = Catena::new();
    for (most, top_k, wanted) in [(0, 4, 4), (7, 4, 7), (2, 4, 4), (25, 10, 25)] {
        let trace = catena.trace(REFLUX, &["--max-chains", &most.to_string(), "--top-k", &top_k.to_string()], 0);
        assert!(trace["chains_found"].as_u64().expect("a number") > 25);
        let ids: HashSet<u64> = array(&trace, "chains").iter().map(|chain| chain["id"].as_u64().expect("an id")).collect();
        assert_eq!(ids.len(), wanted, "--max-chains {most} --top-k {top_k}");
        assert!(numbers(&trace["kept"]).iter().all(|id| ids.contains(id)));
        assert_valid(&trace);
    }
}

#[test]
fn the_same_question_gives_the_same_trace() {
    let catena = Catena::new();
    for question in [REFLUX, CHINESE, "who won the cup?"] {
        let ask = || timeless(catena.run(["ask", question, "--json", "--seed", "7"]).json());
        assert_eq!(ask(), ask());
    }
    let ids = [0, 1].map(|_| catena.trace(REFLUX, &[], 0)["id"].clone());
    assert_ne!(ids[0], ids[1], "two runs have two ids");
}

#[test]
fn settings_reach_the_run() {
    let catena = Catena::new();
    let trace = catena.trace(REFLUX, &["--k", "2", "--top-k", "3", "--delta", "0.9", "--seed", "-5"], 0);
    let settings = &trace["settings"];
    assert_eq!((&settings["k"], &settings["top_k"], &settings["seed"]), (&2.into(), &3.into(), &(-5).into()));
    assert_eq!(settings["delta"].as_f64(), Some(0.9));
    assert_eq!(numbers(&trace["kept"]), [1, 2, 3]);
    assert!(array(&trace, "chains").iter().all(|chain| chain["relations"].as_array().expect("relations").len() <= 2));
    assert!(array(&trace, "anchors").iter().all(|anchor| anchor["score"].as_f64().expect("a score") > 0.9));

    catena.write("small.tsv", SMALL_GRAPH);
    let trace = catena.trace("heartburn", &["--kg", "small.tsv"], 0);
    assert_eq!((&trace["kg"]["name"], &trace["kg"]["triples"]), (&"small".into(), &14.into()));
}

#[test]
fn exit_codes_tell_what_happened() {
    let catena = Catena::new();
    catena.write("empty.tsv", "");
    let cases: [(&[&str], i32); 21] = [
        (&["ask", REFLUX], 0),
        (&["--help"], 0),
        (&["check"], 0),
        (&["ask", REFLUX, "--frobnicate"], 2),
        (&["ask"], 2),
        (&["ask", REFLUX, "--k", "0"], 2),
        (&["ask", REFLUX, "--k", "9"], 2),
        (&["ask", REFLUX, "--top-k", "0"], 2),
        (&["ask", REFLUX, "--delta", "2"], 2),
        (&["ask", REFLUX, "--delta", "nan"], 2),
        (&["ask", REFLUX, "--kg", "missing.tsv"], 2),
        (&["ask", REFLUX, "--method", "oracle"], 2),
        (&["ask", "--batch", "x.jsonl"], 2),
        (&["kg", "frobnicate"], 2),
        (&["ask", REFLUX, "--events", "no/such/folder/x.jsonl"], 1),
        (&["ask", REFLUX, "--kg", "empty.tsv"], 1),
        (&["ask", "--json", "--batch", "missing.jsonl"], 1),
        (&["ask", "hello"], 3),
        (&["ask", "who won the cup?"], 3),
        (&["ask", ""], 3),
        (&["ask", "   "], 3),
    ];
    for (arguments, code) in cases {
        let ran = catena.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        match code {
            // What was asked for is on standard output, also where it is only that nothing was understood.
            0 | 3 => assert!(!ran.stdout.is_empty() && ran.stderr.is_empty(), "{arguments:?}: {}", ran.stderr),
            _ => assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{arguments:?}: {}", ran.stdout),
        }
    }
}

#[test]
fn the_answer_for_people_holds_answer_and_evidence() {
    let catena = Catena::new();
    let (plain, trace) = (catena.run(["ask", REFLUX]).stdout, catena.trace(REFLUX, &[], 0));
    // Its lines stand as they are in the JSON, in their order; between them, each part has its heading.
    let mut lines = plain.lines();
    for line in trace["answer"]["text"].as_str().expect("a text").lines() {
        assert!(lines.any(|shown| shown == line), "{line} in {plain}");
    }
    for heading in ["What to do:", "Treatments:"] {
        let (heads, below) = (plain.lines().filter(|line| *line == heading), plain.lines().skip_while(|line| *line != heading).nth(1));
        assert!(heads.count() == 1 && below.is_some_and(|line| line.starts_with("- ")), "{heading} {plain}");
    }
    for id in numbers(&trace["kept"]) {
        let chain = array(&trace, "chains").iter().find(|chain| chain["id"] == id).expect("a kept chain");
        assert!(plain.contains(&format!("[{id}] {}\n", chain["text"].as_str().expect("a text"))), "{id} in {plain}");
    }
}

#[test]
fn a_recording_folds_into_the_printed_trace() {
    let catena = Catena::new();
    for (question, code) in [(REFLUX, 0), (CHINESE, 0), ("who won the cup?", 3)] {
        let ran = catena.run(["ask", question, "--json", "--events", "run.jsonl"]);
        assert_eq!(ran.code, code, "{}", ran.stderr);
        let printed = ran.json();
        let recording = std::fs::read(catena.path("run.jsonl")).expect("a recording");
        let events = read_recording(&recording[..]).expect("a valid recording");
        assert!(matches!(events.last().expect("events").what, EventKind::RunFinished { .. }));
        assert!(events.iter().all(|event| *event.run == *printed["id"].as_str().expect("an id")));
        assert!(events.windows(2).all(|pair| pair[0].at_ms <= pair[1].at_ms), "time runs forward");
        let trace = Trace::fold(&events);
        let read_back = serde_json::to_string(&TraceDocument::of(&trace, 10_000)).expect("JSON");
        assert!(read_back == ran.stdout.trim_end(), "the recording tells another story: {read_back:.2000}");
    }
}

#[cfg(unix)]
#[test]
fn a_recording_is_only_for_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let catena = Catena::new();
    let mode = |name: &str| std::fs::metadata(catena.path(name)).expect("a file").permissions().mode() & 0o777;
    let old = catena.write("old.jsonl", "what was there before, and longer than nothing\n".repeat(10_000));
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    for name in ["new.jsonl", "old.jsonl"] {
        catena.trace("fever", &["--events", name], 0);
        assert_eq!(mode(name), 0o600, "{name}");
        let recording = std::fs::read(catena.path(name)).expect("a recording");
        read_recording(&recording[..]).expect("nothing of the old file is left");
    }
}
