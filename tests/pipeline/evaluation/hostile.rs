//! Files that are damaged, hostile or empty.

use super::*;

#[test]
fn what_cannot_be_used_is_counted_with_the_reason() {
    let catena = prepared();
    catena.write(
        "questions.jsonl",
        format!("{QUESTIONS}not json\n{{\"question\":\"?\"}}\n{{\"id\":\"1\",\"question\":\"x\",\"gold\":{{\"tests\":[\"T\"]}}}}\n"),
    );
    let ran = eval(&catena, &["--out", "out"], 0);
    assert!(ran.stderr.contains("first in line 6"), "{}", ran.stderr);
    let report = report(&catena.path("out"));
    let rejected: u64 = report["rejected"].as_object().unwrap().values().map(|counts| counts[0].as_u64().unwrap()).sum();
    assert_eq!(rejected, 3, "{}", report["rejected"]);
    assert_eq!(report["questions"], serde_json::json!([5, 5]));
}

#[test]
fn control_characters_of_questions_and_names_reach_neither_terminal_nor_report() {
    let catena = prepared();
    let line =
        "{\"id\":\"\\u001b[2J\",\"question\":\"heartburn\\u001b]0;x\\u0007 \\u202e?\",\"gold\":{\"conditions\":[\"Re\\u001b[31mflux\"]}}\n";
    catena.write("questions.jsonl", line);
    eval(&catena, &["--method", "catena,base", "--out", "out"], 0).assert_harmless();
    eval(&catena, &["--method", "catena,base", "--out", "out", "--diff"], 0).assert_harmless();
    for name in ["report.md", "report.json"] {
        let text = std::fs::read_to_string(catena.path("out").join(name)).unwrap();
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{name}: {text}");
    }
}

#[test]
fn damaged_results_are_named_with_their_line() {
    let catena = prepared();
    eval(&catena, &["--out", "out"], 0);
    let results = catena.path("out/results.jsonl");
    let text = std::fs::read_to_string(&results).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[2] = "{\"arm\":3}";
    std::fs::write(&results, lines.join("\n") + "\n").unwrap();
    let said = eval(&catena, &["--out", "out"], 1).stderr;
    assert!(said.contains("line 3 of") && said.contains("results.jsonl"), "{said}");
}

#[test]
fn nonsense_is_refused_before_anything_is_asked() {
    let catena = prepared();
    for (arguments, why) in [
        (&["--method", "gpt"][..], "catena"),
        (&["--limit", "0"], "limit"),
        (&["--k", "9"], "--k"),
        (&["--top-k", "0"], "--top-k"),
        (&["--measure", "beauty", "--diff"], "key_entity_tests"),
        (&["--delta", "7"], "delta"),
    ] {
        let said = eval(&catena, arguments, 2).stderr;
        assert!(said.contains(why), "{arguments:?}: {said}");
    }
    catena.write("questions.jsonl", "");
    assert!(eval(&catena, &[], 1).stderr.contains("no usable question"));
    let said = catena.run(["eval", "nowhere.jsonl"]);
    assert!(said.code == 1 && said.stderr.contains("nowhere.jsonl"), "{}", said.stderr);
}
