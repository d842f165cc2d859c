//! The figures of small evaluations, worked out by hand, and what is reported of them.

use super::*;

#[test]
fn shares_are_those_worked_out_by_hand() {
    let catena = prepared();
    let out = catena.path("out");
    let ran = eval(&catena, &["--method", "catena,base", "--out", "out"], 0);
    let report = report(&out);
    assert_eq!(report["schema"], "catena.eval/1");
    assert_eq!(report["questions"], serde_json::json!([5, 5]));
    let of = |arm: usize, measure: &str| report["arms"][arm]["measures"][measure]["value"].as_f64();
    // One condition each in two questions, both found; one test of two, since nobody told the graph of the biopsy; both drugs of the
    // one question, and none of the other, which names nothing that the graph has.
    assert_eq!(of(0, "key_entity_conditions"), Some(1.0));
    assert_eq!(of(0, "key_entity_tests"), Some(0.5));
    assert_eq!(of(0, "key_entity_treatments"), Some(2.0 / 3.0));
    let mean = report["arms"][0]["key_entity_macro"]["value"].as_f64().expect("a mean");
    assert!((mean - (1.0 + 0.5 + 2.0 / 3.0) / 3.0).abs() < 1e-12, "{mean}");
    assert_eq!(of(1, "key_entity_conditions"), Some(0.0), "without a graph and a language model there is nothing to state");
    assert_eq!(report["arms"][0]["ended"], serde_json::json!([4, 1, 0]));
    let pair = &report["pairs"][0];
    assert_eq!((pair["first"].as_str(), pair["second"].as_str()), (Some("catena"), Some("base")));
    let conditions = &pair["measures"]["key_entity_conditions"];
    assert_eq!(conditions["difference"]["value"].as_f64(), Some(-1.0), "{pair}");
    assert_eq!((&conditions["better"], &conditions["worse"], &conditions["equal"]), (&0.into(), &2.into(), &0.into()));
    let lost = pair["key_entity_macro"]["difference"]["value"].as_f64().expect("a mean");
    assert!((lost + mean).abs() < 1e-12, "base states nothing: {lost}");

    let markdown = std::fs::read_to_string(out.join("report.md")).unwrap();
    for expected in
        ["catena eval questions.jsonl --method catena,base --seed 0 --kg small.tsv", "0.500 [", "## Compared with catena", "█", "5 of 5"]
    {
        assert!(markdown.contains(expected), "{expected:?} in {markdown}");
    }
    assert!(ran.stdout.contains("0.667 [") && ran.stdout.contains("milliseconds per question"), "{}", ran.stdout);
}

#[test]
fn the_same_seed_gives_the_same_report_and_json_is_that_report() {
    let catena = prepared();
    let arguments = ["--method", "catena,embed", "--limit", "4", "--seed", "7", "--json"];
    let first = eval(&catena, &[&arguments[..], &["--out", "a"]].concat(), 0).stdout;
    let again = eval(&catena, &[&arguments[..], &["--out", "b"]].concat(), 0).stdout;
    assert_eq!(first, again);
    assert_eq!(first.trim_end(), std::fs::read_to_string(catena.path("a/report.json")).unwrap());
    for name in ["report.json", "report.md"] {
        assert_eq!(std::fs::read(catena.path("a").join(name)).unwrap(), std::fs::read(catena.path("b").join(name)).unwrap(), "{name}");
    }
}

#[test]
fn settings_are_swept_and_plotted() {
    let catena = prepared();
    let ran = eval(&catena, &["--k", "1,2,3", "--top-k", "5,10", "--out", "out"], 0);
    let report = report(&catena.path("out"));
    let labels: Vec<&str> = report["arms"].as_array().unwrap().iter().map(|arm| arm["label"].as_str().unwrap()).collect();
    assert_eq!(
        labels,
        ["catena k=1 topK=5", "catena k=1 topK=10", "catena k=2 topK=5", "catena k=2 topK=10", "catena k=3 topK=5", "catena k=3 topK=10"]
    );
    let chains = |arm: usize| report["arms"][arm]["chains"]["mean"].as_f64().unwrap();
    assert!(chains(0) < chains(2) && chains(2) < chains(4), "longer chains are more: {}", report["arms"]);
    assert_eq!(chains(0), chains(1), "how many are kept does not change how many are found");
    assert!(ran.stdout.contains("k, the longest chain") && ran.stdout.contains("chains found"), "{}", ran.stdout);
}

#[test]
fn questions_on_which_two_methods_differ_are_listed_largest_difference_first() {
    let catena = prepared();
    let said = eval(&catena, &["--method", "catena,base", "--out", "out", "--diff"], 0).stdout;
    let at = |id: &str| said.lines().position(|line| line.starts_with(&format!("{id}  ")));
    assert!(at("1").is_some() && at("1") < at("2"), "{said}");
    assert_eq!(at("5"), None, "both state nothing there: {said}");
    assert!(said.contains("expected tests: Gastroscopy, Biopsy") && said.contains("base: ") && said.contains("--open 1"), "{said}");
    let said = eval(&catena, &["--method", "catena,base", "--out", "out", "--diff", "--measure", "key_entity_tests"], 0).stdout;
    assert!(said.contains("Gastroscopy") && !said.contains("Reflux"), "{said}");
    assert!(eval(&catena, &["--out", "out", "--diff"], 2).stderr.contains("--method A,B"));
}

#[test]
fn every_run_is_recorded_and_can_be_looked_at_alone() {
    let catena = prepared();
    eval(&catena, &["--out", "out"], 0);
    let file = catena.path("out/traces/catena-k3-top10-3.jsonl");
    let shown = catena.run(["export".as_ref(), file.as_os_str(), "--to".as_ref(), "json".as_ref()]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert_eq!(shown.json()["question"], "What medicine helps against reflux?");
    #[cfg(unix)]
    for name in ["results.jsonl", "plan.json", "report.md", "traces/catena-k3-top10-3.jsonl"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(catena.path("out").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}
