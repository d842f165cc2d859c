//! Whatever is typed, piped or opened gets a clear reply: no invention, no broken screen, no crash.

use std::io::Read;
use std::process::Stdio;

use crate::support::{BINARY, Catena, SMALL_GRAPH, ran, strings};
use serde_json::Value;

/// Text in which everything that a terminal could obey stands side by side.
const HOSTILE: &str = "fever \u{1b}[31mred\u{1b}]0;title\u{7} \u{9b}2J cough\r\u{8} \u{202E}txt\u{2066} \u{200F}end";

fn assert_nothing_invented(trace: &Value) {
    assert_eq!(trace["answer"]["grounded"], false, "{}", trace["answer"]);
    for key in ["entities", "citations", "corrected"] {
        assert_eq!(trace["answer"][key], Value::Array(Vec::new()), "{}", trace["answer"]);
    }
    for key in ["anchors", "chains", "kept"] {
        assert_eq!(trace[key], Value::Array(Vec::new()));
    }
    assert_eq!(trace["hypothesis"], "");
}

#[test]
fn what_is_not_understood_is_named_and_nothing_is_invented() {
    let catena = Catena::new();
    let questions = [
        "hello",
        "who won the cup?",
        "the zorbing of blorbs",
        "\u{1F912}\u{1F4A9}\u{1F469}\u{200D}\u{1F680}",
        "谁赢了比赛",
        "¿?",
        "42 37.8",
        "",
        " \n\t ",
        "Is zorblaxin safe with blorbine?",
        "What is the treatment of blorbosis?",
    ];
    let mut kinds = Vec::new();
    for question in questions {
        let trace = catena.trace(question, &[], 3);
        assert_nothing_invented(&trace);
        let plain = catena.run(["ask", question]);
        assert_eq!(plain.code, 3);
        plain.assert_harmless();
        assert!(!plain.stdout.contains("Evidence"), "{}", plain.stdout);
        let unlinked = strings(&trace["unlinked"]);
        assert!(unlinked.iter().all(|term| question.contains(term)), "{unlinked:?}");
        // What is no clinical question is said to be none; of what is one, the words that stand in its way are named.
        match trace["case"]["refusal"]["kind"].as_str() {
            Some("not_clinical") => {
                let chinese = question.contains('谁');
                let said = if chinese { "这不是临床问题" } else { "This is not a clinical question" };
                assert!(plain.stdout.starts_with(said), "{}", plain.stdout);
            }
            Some("subject_unknown") => {
                assert!(!unlinked.is_empty(), "{question}");
                let named = |term: &&str| plain.stdout.lines().any(|line| line.starts_with("I do not know ") && line.contains(*term));
                assert!(unlinked.iter().all(named), "{unlinked:?} in {}", plain.stdout);
            }
            other => panic!("{question}: {other:?}"),
        }
        kinds.push(trace["case"]["refusal"]["kind"].clone());
        // Every word that could have meant something is among them.
        let words = ["won", "cup", "zorbing", "blorbs", "zorblaxin", "blorbine", "blorbosis"];
        for word in words.iter().filter(|word| question.contains(**word)) {
            assert!(unlinked.iter().any(|term| term.contains(word)), "{word} in {unlinked:?}");
        }
    }
    assert!(kinds.contains(&"not_clinical".into()) && kinds[kinds.len() - 2..].iter().all(|kind| kind == "subject_unknown"), "{kinds:?}");
}

#[test]
fn a_term_that_is_not_understood_is_named_beside_an_answer() {
    let catena = Catena::new();
    let names_it = |text: &str| text.lines().any(|line| line.starts_with("I do not know ") && line.contains("“zorbing”"));
    // Beside two findings that are understood, it does not stand in the way of an answer.
    let question = "heartburn, nausea and zorbing after eating, what medicine?";
    let trace = catena.trace(question, &[], 0);
    assert_eq!(trace["answer"]["grounded"], true);
    assert!(strings(&trace["unlinked"]).contains(&"zorbing"), "{}", trace["unlinked"]);
    let plain = catena.run(["ask", question]).stdout;
    let answer = plain.lines().position(|line| line.starts_with("- ")).expect("something is stated");
    let before: Vec<&str> = plain.lines().take(answer).collect();
    assert!(names_it(&before.join("\n")), "it is said before anything is stated: {plain}");
    // Beside a single one, the question may be about it: no answer, and no substitute.
    let trace = catena.trace("heartburn and zorbing after eating, what medicine?", &[], 3);
    let answer = &trace["answer"];
    assert!(names_it(answer["text"].as_str().expect("a text")), "{answer}");
    assert_eq!(answer["grounded"], false, "{answer}");
    for key in ["entities", "citations"] {
        assert_eq!(answer[key], Value::Array(Vec::new()), "{answer}");
    }
}

#[test]
fn long_texts_are_answered_and_what_was_left_out_is_said() {
    let catena = Catena::new();
    let mut draw = crate::support::data::Draw(1);
    let mut random = String::new();
    while random.len() < 100_000 {
        let length = 2 + draw.next() % 9;
        random.extend((0..length).map(|_| char::from(b'a' + (draw.next() % 26) as u8)));
        random.push(' ');
    }
    let repeated = "fever cough ".repeat(8400);
    let one_word = "a".repeat(100_000);
    let chinese = "发热咳嗽".repeat(8400);
    for (text, linked) in [(&random, false), (&repeated, true), (&one_word, false), (&chinese, true)] {
        let ran = catena.run_with(["ask", "-", "--json"], text.as_bytes());
        assert!(ran.code == 0 || (ran.code == 3 && !linked), "{:.40}: {} {}", text, ran.code, ran.stderr);
        let trace = ran.json();
        assert_eq!(trace["answer"]["grounded"], ran.code == 0);
        let said = strings(&trace["warnings"]).iter().any(|warning| warning.contains("very long"));
        assert_eq!(said, *text != one_word, "{}", trace["warnings"]);
        let cut = strings(&trace["warnings"]).iter().any(|warning| warning.contains("fragments rank the chains"));
        if linked || *text == one_word {
            assert_eq!(cut, linked, "{}", trace["warnings"]);
        }
        let anchors: Vec<&str> = trace["anchors"].as_array().expect("an array").iter().filter_map(|a| a["entity"].as_str()).collect();
        assert_eq!(anchors.contains(&"Fever") && anchors.contains(&"Cough"), linked, "{anchors:?}");
    }
}

#[test]
fn nothing_that_a_terminal_obeys_gets_through() {
    let catena = Catena::new();
    let graph = SMALL_GRAPH.replace("Heartburn", "He\u{1b}[31mart\u{202E}burn").replace("leads_to", "leads\u{1b}]0;x\u{7}_to");
    catena.write("hostile.tsv", &graph);
    catena.write("hos\u{1b}[31mtile.tsv", SMALL_GRAPH);
    let hostile_words = ["--k=\u{1b}[31m", "--kg=no\u{1b}[31mne", "--fro\u{1b}[31mb", "--events=no/\u{1b}[31m/x"];
    let mut runs = vec![
        catena.run(["ask", HOSTILE]),
        catena.run(["ask", HOSTILE, "--json"]),
        catena.run(["ask", "art burn and bleeding, reflux, ulcer", "--kg", "hostile.tsv"]),
        catena.run(["ask", "reflux", "--kg", "hos\u{1b}[31mtile.tsv"]),
        catena.run(["kg", "show", "Reflux", "--kg", "hostile.tsv"]),
        catena.run(["kg", "stats", "--kg", "hostile.tsv"]),
        catena.run(["kg", "stats", "--kg", "hos\u{1b}[31mtile.tsv"]),
        catena.run(["kg", "show", HOSTILE]),
        catena.run(["kg", "use", HOSTILE]),
        catena.run(["kg", "import", "tsv", "hostile.tsv", "--name", HOSTILE]),
        catena.run(["kg", "import", "tsv", "hostile.tsv", "--name", "hostile"]),
        catena.run_with(["ask", "-"], HOSTILE.as_bytes()),
    ];
    runs.extend(hostile_words.map(|word| catena.run(["ask", "fever", word])));
    for ran in runs {
        assert!(!ran.stdout.is_empty() || !ran.stderr.is_empty());
        ran.assert_harmless();
    }
    let trace = catena.trace(HOSTILE, &[], 0);
    assert!(trace["question"].as_str().expect("a text").chars().all(|c| c == '\n' || !c.is_control()), "{}", trace["question"]);
}

#[test]
fn right_to_left_text_is_taken_as_text() {
    let catena = Catena::new();
    let trace = catena.trace("חום ושיעול — fever و سعال", &[], 0);
    assert_eq!(trace["anchors"][0]["entity"], "Fever");
    assert!(strings(&trace["unlinked"]).iter().any(|term| term.contains("חום")), "{}", trace["unlinked"]);
}

#[test]
fn bytes_that_are_no_text_are_refused_by_name() {
    let catena = Catena::new();
    let ran = catena.run_with(["ask", "-"], b"fever \xFF\xFE");
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("UTF-8"), "{}", ran.stderr);
    let ran = catena.run_with(["ask", "-", "--json"], b"fever\0 and cough\0");
    assert_eq!((ran.code, &ran.json()["anchors"][1]["entity"]), (0, &"Cough".into()));
    assert_eq!(catena.run_with(["ask", "-"], b"").code, 3);
    #[cfg(unix)]
    {
        let bytes: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"fever \xFF");
        let ran = catena.run(["ask".as_ref(), bytes]);
        assert_eq!(ran.code, 2);
        assert!(!ran.stderr.is_empty());
    }
}

#[test]
fn graphs_that_are_none_are_refused_with_the_reason() {
    let catena = Catena::new();
    std::fs::create_dir(catena.path("folder.tsv")).expect("a folder");
    catena.write("empty.tsv", "");
    catena.write("comments.tsv", "# a\n\n# b\n");
    catena.write("binary.tsv", (0..=255u8).cycle().take(100_000).collect::<Vec<u8>>());
    catena.write("commas.tsv", "a,b,c\n");
    let cases = [
        ("missing.tsv", 2, "missing.tsv"),
        ("folder.tsv", 2, "folder.tsv"),
        ("empty.tsv", 1, "empty"),
        ("comments.tsv", 1, "comments.tsv"),
        ("binary.tsv", 1, "UTF-8"),
        ("commas.tsv", 1, "fewer than three tab-separated columns"),
    ];
    for (file, code, said) in cases {
        let ran = catena.run(["ask", "fever", "--kg", file]);
        assert_eq!(ran.code, code, "{file}: {}", ran.stderr);
        assert!(ran.stdout.is_empty() && ran.stderr.contains(said) && ran.stderr.contains(file), "{}", ran.stderr);
        ran.assert_harmless();
    }
}

#[test]
fn rejected_lines_of_a_graph_are_counted_and_shown() {
    let catena = Catena::new();
    let text = [SMALL_GRAPH.as_bytes(), b"only two\tcolumns\nA\t\tB\nA\xFF\ttreats\tB\n", SMALL_GRAPH.as_bytes()].concat();
    catena.write("mixed.tsv", text);
    let ran = catena.run(["ask", "heartburn", "--kg", "mixed.tsv"]);
    assert_eq!(ran.code, 0);
    for said in ["17 of 31 lines", "14 repeat", "fewer than three", "an empty column", "not valid UTF-8", "line 15"] {
        assert!(ran.stderr.contains(said), "{said:?} in {}", ran.stderr);
    }
}

#[test]
fn a_reader_that_has_read_enough_is_no_error() {
    let catena = Catena::new();
    catena.write("many.jsonl", "{\"question\":\"fever and cough\"}\n".repeat(40));
    let commands: [&[&str]; 5] = [
        &["ask", "fever and cough", "--json"],
        &["ask", "--batch", "many.jsonl", "--json"],
        &["kg", "stats"],
        &["kg", "show", "Fever"],
        &["check"],
    ];
    for arguments in commands {
        let mut child = catena.command(BINARY, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut first = [0u8; 1];
        child.stdout.take().expect("a pipe").read_exact(&mut first).expect("something is printed");
        let ran = ran(child.wait_with_output().expect("ends"));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    }
}

#[test]
fn a_faulty_configuration_is_named_by_file_line_and_field() {
    let catena = Catena::new();
    let file = catena.state().join("config.toml");
    for (text, said) in
        [("# mine\nk = 2\nkay = 3\n", ["line 3", "kay"]), ("top_k = \"ten\"\n", ["line 1", "top_k"]), ("k = 9\n", ["k", "5"])]
    {
        std::fs::write(&file, text).expect("a file");
        let ran = catena.run(["ask", "fever"]);
        assert_eq!(ran.code, 2, "{text}");
        assert!(said.iter().all(|said| ran.stderr.contains(said)), "{said:?} in {}", ran.stderr);
        assert!(text == "k = 9\n" || ran.stderr.contains("config.toml"), "{}", ran.stderr);
    }
    std::fs::write(&file, "k = 2\n").expect("a file");
    assert_eq!(catena.trace("fever", &[], 0)["settings"]["k"], 2);
    assert_eq!(catena.trace("fever", &["--k", "1"], 0)["settings"]["k"], 1);
}
