//! Which models are used: flags, configuration, and what is said where one cannot be.

use crate::support::{BINARY, Catena, ran};

const QUESTION: &str = "I feel stomach reflux after eating. What medicine should I take?";

#[test]
fn the_built_in_names_change_nothing() {
    let catena = Catena::new();
    let flags = ["--generator", "graph", "--encoder", "catena-static", "--reranker", "encoder"];
    let (plain, named) = (catena.trace(QUESTION, &[], 0), catena.trace(QUESTION, &flags, 0));
    assert_eq!(plain["answer"], named["answer"]);
    assert_eq!(plain["models"], named["models"]);
    assert_eq!(plain["models"]["generator"]["kind"], "graph");
}

#[test]
fn a_flag_that_names_no_model_is_refused_with_what_there_is() {
    let catena = Catena::new();
    std::fs::create_dir_all(catena.state().join("models/minilm")).unwrap();
    std::fs::write(catena.state().join("models/minilm/config.json"), "{}").unwrap();
    for role in ["generator", "encoder", "reranker"] {
        let ran = catena.run(["ask", QUESTION, &format!("--{role}"), "zorb-7b"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{role}: {}", ran.stderr);
        assert!(ran.stderr.contains(role) && ran.stderr.contains("zorb-7b") && ran.stderr.contains("minilm"), "{}", ran.stderr);
        let ran = catena.run(["ask", QUESTION, &format!("--{role}"), "remote:ward"]);
        assert!(ran.code == 2 && ran.stderr.contains("[remote.ward]"), "{}", ran.stderr);
        ran.assert_harmless();
    }
}

#[test]
fn a_flags_model_that_cannot_be_loaded_is_an_error() {
    let catena = Catena::new();
    std::fs::create_dir(catena.path("broken")).unwrap();
    for role in ["generator", "encoder", "reranker"] {
        let ran = catena.run(["ask", QUESTION, &format!("--{role}"), "./broken"]);
        assert_eq!(ran.code, 1, "{role}: {}", ran.stderr);
        assert!(ran.stderr.contains("cannot be loaded") && ran.stderr.contains("broken"), "{}", ran.stderr);
    }
}

#[test]
fn a_configured_model_that_cannot_be_used_is_done_without_and_every_answer_says_so() {
    let catena = Catena::new();
    let plain = catena.trace(QUESTION, &[], 0);
    std::fs::create_dir(catena.path("broken")).unwrap();
    for (role, value) in [
        ("generator", "zorb-7b"),
        ("encoder", "zorb-7b"),
        ("reranker", "zorb-7b"),
        ("encoder", "./broken"),
        ("generator", "./broken"),
        ("reranker", "./broken"),
    ] {
        std::fs::write(catena.state().join("config.toml"), format!("{role} = \"{value}\"\n")).unwrap();
        let trace = catena.trace(QUESTION, &[], 0);
        // A language model that fails leaves a line below the answer.
        let lines = |trace: &serde_json::Value| -> Vec<serde_json::Value> {
            trace["answer"]["lines"].as_array().unwrap().iter().filter(|line| line["part"] != "model_note").cloned().collect()
        };
        assert_eq!(lines(&trace), lines(&plain), "{role} {value}");
        assert_eq!(trace["answer"]["entities"], plain["answer"]["entities"], "{role} {value}");
        assert_eq!(trace["models"], plain["models"], "{role} {value}");
        let warnings = trace["warnings"].as_array().unwrap();
        assert!(warnings.iter().any(|w| w.as_str().unwrap().contains(value.trim_start_matches("./"))), "{role} {value}: {warnings:?}");
        // The command line can still ask for the built-in way.
        let built_in = match role {
            "generator" => "graph",
            "encoder" => "catena-static",
            _ => "encoder",
        };
        assert_eq!(catena.trace(QUESTION, &[&format!("--{role}"), built_in], 0)["warnings"], plain["warnings"]);
    }
}

#[test]
fn a_card_that_is_named_and_is_not_there_is_an_error_that_says_what_to_do() {
    let catena = Catena::new();
    std::fs::create_dir(catena.path("broken")).unwrap();
    let on = |device: &str, arguments: &[&str]| ran(catena.command(BINARY, arguments).env("CATENA_DEVICE", device).output().unwrap());
    let says_what_to_do = |text: &str| text.contains("cuda:99 cannot be used") && text.contains("device = \"auto\"");
    let asked = on("cuda:99", &["ask", QUESTION]);
    assert!(asked.code == 0 && !asked.stderr.contains("cuda"), "without a local model nothing is placed: {}", asked.stderr);
    for role in ["generator", "encoder", "reranker"] {
        let flag = format!("--{role}");
        let asked = on("cuda:99", &["ask", QUESTION, flag.as_str(), "./broken"]);
        assert!(asked.code == 1 && says_what_to_do(&asked.stderr), "{role}: {}", asked.stderr);
        // `auto` goes on to say what is wrong with the model itself.
        let asked = on("auto", &["ask", QUESTION, flag.as_str(), "./broken"]);
        assert!(asked.code == 1 && asked.stderr.contains("cannot be loaded"), "{role}: {}", asked.stderr);
        // The configuration's model is done without.
        std::fs::write(catena.state().join("config.toml"), format!("{role} = \"./broken\"\n")).unwrap();
        let asked = on("cuda:99", &["ask", QUESTION]);
        assert!(asked.code == 0 && says_what_to_do(&asked.stderr) && asked.stderr.contains("Instead"), "{role}: {}", asked.stderr);
        std::fs::remove_file(catena.state().join("config.toml")).unwrap();
    }
}

#[test]
fn a_broken_prompt_of_the_users_own_is_refused_by_name() {
    let catena = Catena::new();
    let folder = catena.state().join("prompts/hykge");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("reader.en.md"), "Answer {question} from {evidence}").unwrap();
    let ran = catena.run(["ask", QUESTION]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("reader.en.md") && ran.stderr.contains("+++"), "{}", ran.stderr);
    let own = "+++\nname = \"hykge/reader\"\nversion = 2\n+++\n# system\nBrief.\n# user\n{evidence}{question}\n";
    std::fs::write(folder.join("reader.en.md"), own).unwrap();
    catena.trace(QUESTION, &[], 0);
}
