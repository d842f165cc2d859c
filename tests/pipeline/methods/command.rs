//! `--method` on the command line, and over HTTP.

use crate::support::http::{Scripted, text};
use crate::support::{Catena, strings};

#[test]
fn an_unknown_method_is_refused_with_the_list_of_methods() {
    let ran = Catena::new().run(["ask", "heartburn", "--method", "nonsense"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    for name in ["catena", "hykge", "rok", "wts", "kgrag", "embed", "base", "hykge-fragment", "catena-rerank"] {
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
}

#[test]
fn a_method_is_taken_for_one_question_and_for_many() {
    let catena = Catena::new();
    let one = catena.trace("I have heartburn after meals", &["--method", "hykge-hypothesis-rerank"], 0);
    assert_eq!((&one["method"], &one["hypothesis"]), (&"hykge-hypothesis-rerank".into(), &"".into()));
    let file = catena.write("q.jsonl", "{\"id\":\"a\",\"question\":\"heartburn\"}\n{\"id\":\"b\",\"question\":\"fever\"}\n");
    let ran = catena.run(["ask", "--batch", &file.to_string_lossy(), "--json", "--method", "kgrag"]);
    let lines = ran.lines();
    assert!(lines.len() == 2 && lines.iter().all(|line| line["method"] == "kgrag" && line["answer"]["grounded"] == true), "{}", ran.stderr);
    let base = catena.run(["ask", "I have heartburn", "--method", "base"]);
    assert_eq!(base.code, 0, "{}", base.stderr);
    assert!(base.stdout.contains("nothing to say"));
}

#[test]
fn the_configuration_names_a_method_and_fragments_have_lengths() {
    let catena = Catena::new();
    assert_eq!(catena.trace("heartburn", &[], 0)["method"], "catena");
    std::fs::write(catena.state().join("config.toml"), "method = \"hykge\"\nfragment_words = 6\n").unwrap();
    let trace = catena.trace("heartburn after every heavy evening meal, and nausea", &[], 0);
    let settings = &trace["settings"];
    assert_eq!((&trace["method"], &settings["fragment_words"], &settings["fragment_overlap"]), (&"hykge".into(), &6.into(), &4.into()));
    let flags = ["--fragment-words", "3", "--fragment-overlap", "0", "--method", "catena"];
    let short = catena.trace("heartburn after every heavy evening meal, and nausea", &flags, 0);
    assert_eq!((&short["method"], &short["settings"]["fragment_words"]), (&"catena".into(), &3.into()));
    let words = |fragment: &str| fragment.split(' ').count();
    assert!(strings(&short["pruning"]["fragments"]).iter().all(|fragment| words(fragment) <= 3));
    for wrong in [["--fragment-words", "0"], ["--fragment-overlap", "6"], ["--fragment-words", "4000"]] {
        let ran = catena.run(["ask", "heartburn", wrong[0], wrong[1]]);
        assert!(ran.code == 2 && ran.stderr.contains(&wrong[0][2..]), "{} {}", ran.code, ran.stderr);
    }
    std::fs::write(catena.state().join("config.toml"), "method = \"oracle\"\n").unwrap();
    let ran = catena.run(["ask", "heartburn"]);
    assert!(ran.code == 2 && ran.stderr.contains("oracle") && ran.stderr.contains("catena-fragment"), "{}", ran.stderr);
}

#[test]
fn a_server_is_asked_what_the_method_asks() {
    let answer = "- It may be gastro-oesophageal reflux disease [1].";
    let server = Scripted::start([text("Gastro-oesophageal reflux disease. Omeprazole."), text("1, 2"), text(answer)]);
    let catena = Catena::new();
    let config = format!(
        "generator = \"clinic\"\n[remote.clinic]\nbase_url = \"{}\"\nmodel = \"ward-model\"\nproxy = \"none\"\nretries = 0\n",
        server.url()
    );
    std::fs::write(catena.state().join("config.toml"), config).unwrap();
    let trace = catena.trace("I feel stomach reflux after eating.", &["--method", "rok"], 0);
    let names: Vec<&str> = trace["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
    assert_eq!((names, server.requests().len()), (vec!["rok/expansion", "rok/branches", "rok/answer"], 3));
    assert!(!strings(&trace["answer"]["entities"]).is_empty());
}
