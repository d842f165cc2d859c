//! `catena kg`: graphs are imported whole or not at all, found again by name, and keep their relations' roles.

use crate::support::{Catena, SMALL_GRAPH, files_under};

fn import(catena: &Catena, name: &str, content: &str) {
    catena.write("import.tsv", content);
    let ran = catena.run(["kg", "import", "tsv", "import.tsv", "--name", name]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// The line of `kg stats` that describes a relation.
fn relation_line(stats: &str, relation: &str) -> String {
    stats
        .lines()
        .find(|line| line.split_whitespace().nth(1) == Some(relation))
        .unwrap_or_else(|| panic!("{relation} in {stats}"))
        .to_owned()
}

#[test]
fn an_imported_graph_is_listed_used_and_shown() {
    let catena = Catena::new();
    assert_eq!(catena.run(["kg", "list"]).stdout, "* starter\n");
    import(&catena, "small", SMALL_GRAPH);
    assert_eq!(catena.run(["kg", "list"]).stdout, "* starter\n  small\n");
    assert_eq!(catena.trace("heartburn", &["--kg", "small"], 0)["kg"]["triples"], 14);

    assert_eq!(catena.run(["kg", "use", "small"]).code, 0);
    assert_eq!(catena.run(["kg", "list"]).stdout, "  starter\n* small\n");
    assert_eq!(catena.trace("heartburn", &[], 0)["kg"]["name"], "small");
    assert_eq!(catena.trace("heartburn", &["--kg", "starter"], 0)["kg"]["name"], "starter");

    let stats = catena.run(["kg", "stats"]);
    assert_eq!(stats.code, 0);
    for said in ["graph       small", "entities    13", "triples     14", "components  2", "orphans     0"] {
        assert!(stats.stdout.contains(said), "{said:?} in {}", stats.stdout);
    }
    let starter = catena.run(["kg", "stats", "starter"]);
    assert!(starter.stdout.contains("graph       starter") && starter.stderr.is_empty(), "{}", starter.stderr);

    let shown = catena.run(["kg", "show", "REFLUX"]);
    assert_eq!(shown.code, 0);
    for said in ["Reflux (disease)", "→ has symptom → Heartburn, Regurgitation", "← treats ← Omeprazole", "→ need medication → Ranitidine"]
    {
        assert!(shown.stdout.contains(said), "{said:?} in {}", shown.stdout);
    }

    assert_eq!(catena.run(["kg", "use", "starter"]).code, 0);
    assert_eq!(catena.trace("heartburn", &[], 0)["kg"]["name"], "starter");
}

#[test]
fn an_entity_is_shown_with_its_names_or_a_hint_at_what_was_meant() {
    let catena = Catena::new();
    let shown = catena.run(["kg", "show", "heart attack"]).stdout;
    for said in ["Acute myocardial infarction (disease)", "also: ", "心肌梗死", "→ has symptom →", "first-line for"] {
        assert!(shown.contains(said), "{said:?} in {shown}");
    }
    let missing = catena.run(["kg", "show", "myocard"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (3, ""));
    assert!(missing.stderr.contains("Did you mean") && missing.stderr.contains("Acute myocardial infarction"), "{}", missing.stderr);
}

#[test]
fn an_import_takes_every_triple_and_loses_none_when_read_again() {
    let catena = Catena::new();
    let odd = "\u{FEFF}# a comment\r\n #1 cause\tcauses\tA, \"quoted\"\r\n  Ménière’s   disease \thas symptom\t眩晕\textra column\nA, \"quoted\"\tr\tA, \"quoted\"\n";
    import(&catena, "odd", odd);
    let stats = catena.run(["kg", "stats", "odd"]);
    assert!(stats.stdout.contains("entities    4") && stats.stdout.contains("triples     3"), "{}", stats.stdout);
    let shown = catena.run(["kg", "show", "menieres disease", "--kg", "odd"]).stdout;
    assert!(shown.contains("→ has symptom → 眩晕"), "{shown}");
    // What the import wrote is a graph wherever it lies.
    std::fs::copy(catena.state().join("graphs/odd.kg"), catena.path("elsewhere.kg")).expect("a copy");
    let elsewhere = catena.run(["kg", "show", "menieres disease", "--kg", "elsewhere.kg"]);
    assert_eq!((elsewhere.code, elsewhere.stdout.replace("elsewhere", "odd")), (0, shown), "{}", elsewhere.stderr);
}

#[test]
fn a_failing_import_leaves_everything_as_it_was() {
    let catena = Catena::new();
    catena.write("broken.tsv", "no triple here\n");
    for path in ["broken.tsv", "missing.tsv", "."] {
        let ran = catena.run(["kg", "import", "tsv", path, "--name", "fresh"]);
        assert_eq!(ran.code, 1, "{path}");
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty());
    }
    assert!(files_under(&catena.state()).is_empty());

    import(&catena, "known", SMALL_GRAPH);
    let files = || {
        files_under(&catena.state())
            .into_iter()
            .map(|f| std::fs::read(catena.state().join(&f)).map(|content| (f, content)).expect("a file"))
    };
    let before: Vec<_> = files().collect();
    assert_eq!(
        before.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["graphs/known.kg", "graphs/known.kg.verified", "graphs/known.roles.toml"]
    );
    assert_eq!(catena.run(["kg", "import", "tsv", "broken.tsv", "--name", "known"]).code, 1);
    catena.write("roles.toml", "[[rule]]\nexact = [\"treats\"]\nrole = \"nonsense\"\nplayer = \"head\"\n");
    let ran = catena.run(["kg", "import", "tsv", "import.tsv", "--name", "known", "--roles", "roles.toml"]);
    assert_eq!(ran.code, 2);
    for said in ["roles.toml", "line 3", "nonsense"] {
        assert!(ran.stderr.contains(said), "{said:?} in {}", ran.stderr);
    }
    assert_eq!(files().collect::<Vec<_>>(), before);

    // A place that cannot be written: a folder of the graph's name.
    std::fs::create_dir_all(catena.state().join("graphs/taken.kg/x")).expect("a folder");
    let ran = catena.run(["kg", "import", "tsv", "import.tsv", "--name", "taken"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("taken.kg"), "{}", ran.stderr);
    assert_eq!(files().collect::<Vec<_>>(), before);
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let catena = Catena::new();
    catena.write("import.tsv", SMALL_GRAPH);
    std::fs::create_dir(catena.state().join("graphs")).expect("a folder");
    std::fs::write(catena.state().join("outside.tsv"), SMALL_GRAPH).expect("a file");
    for name in ["../outside", "a/b", "/tmp/x", "a\\b", "..", ".hidden", "", "a b", "a\nb", "starter"] {
        let ran = catena.run(["kg", "import", "tsv", "import.tsv", "--name", name]);
        assert_eq!(ran.code, 2, "{name:?}: {}", ran.stderr);
        if name != "starter" {
            assert_eq!(catena.run(["kg", "use", name]).code, 2, "{name:?}");
        }
    }
    assert_eq!(catena.run(["kg", "use", "unknown"]).code, 2);
    assert_eq!(files_under(&catena.state()), ["outside.tsv"]);
}

#[test]
fn guessed_roles_are_shown_as_guesses() {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    let ran = catena.run(["ask", "heartburn", "--kg", "small.tsv"]);
    for said in ["guessed", "has_symptom = symptom", "contraindicated_in = contraindication", "--roles"] {
        assert!(ran.stderr.contains(said), "{said:?} in {}", ran.stderr);
    }
    let stats = catena.run(["kg", "stats", "--kg", "small.tsv"]).stdout;
    for (relation, said) in
        [("treats", "treatment (head), guessed"), ("need_medication", "treatment (tail), guessed"), ("grows_on", "related (tail), guessed")]
    {
        assert!(relation_line(&stats, relation).contains(said), "{said:?} in {stats}");
    }
}

#[test]
fn stated_roles_are_honoured_and_kept_with_the_graph() {
    let catena = Catena::new();
    let rules = "[[rule]]\nexact = [\"zaps\", \"grows_on\"]\nrole = \"treatment\"\nplayer = \"head\"\n";
    catena.write("roles.toml", rules);
    catena.write("import.tsv", format!("{SMALL_GRAPH}Sucralfate\tzaps\tReflux\n"));
    let direct = ["kg", "stats", "--kg", "import.tsv"];
    assert!(relation_line(&catena.run(direct).stdout, "zaps").contains("related (tail), guessed"));
    let stated = catena.run(direct.iter().chain(&["--roles", "roles.toml"])).stdout;
    assert!(relation_line(&stated, "zaps").ends_with("treatment (head)"), "{stated}");

    let ran = catena.run(["kg", "import", "tsv", "import.tsv", "--name", "zap", "--roles", "roles.toml"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("causes = cause") && !ran.stderr.contains("zaps ="), "{}", ran.stderr);
    std::fs::remove_file(catena.path("roles.toml")).expect("the rules are needed no more");
    let stats = catena.run(["kg", "stats", "zap"]).stdout;
    assert!(relation_line(&stats, "zaps").ends_with("treatment (head)"), "{stats}");
    assert!(relation_line(&stats, "treats").ends_with("treatment (head), guessed from the name"), "{stats}");
    let trace = catena.trace("reflux: which medicine?", &["--kg", "zap"], 0);
    assert!(crate::support::strings(&trace["answer"]["entities"]).contains(&"Sucralfate"), "{}", trace["answer"]);

    // The kept file can be corrected by hand, and the command line comes before it.
    let kept = catena.state().join("graphs/zap.roles.toml");
    let text = std::fs::read_to_string(&kept).expect("the roles");
    std::fs::write(&kept, text.replace("guessed = true", "guessed = false")).expect("a file");
    let ran = catena.run(["kg", "stats", "zap"]);
    assert!(!ran.stdout.contains("guessed") && ran.stderr.is_empty(), "{}{}", ran.stdout, ran.stderr);
    catena.write("roles.toml", rules.replace("treatment", "test"));
    let stats = catena.run(["kg", "stats", "zap", "--roles", "roles.toml"]).stdout;
    assert!(relation_line(&stats, "zaps").ends_with("test (head)"), "{stats}");
}

#[test]
fn all_state_is_under_the_one_folder() {
    let catena = Catena::new();
    import(&catena, "small", SMALL_GRAPH);
    assert_eq!(catena.run(["kg", "use", "small"]).code, 0);
    assert_eq!(files_under(&catena.state()), ["graphs/in-use", "graphs/small.kg", "graphs/small.kg.verified", "graphs/small.roles.toml"]);
    assert!(files_under(&catena.home()).is_empty());
    assert_eq!(files_under(&catena.path("")), ["import.tsv"]);
    let check = catena.run(["check"]).stdout;
    assert!(check.contains(&catena.state().join("config.toml").display().to_string()), "{check}");
}

#[test]
fn a_large_file_is_said_to_be_read_at_every_start_unless_it_is_being_imported() {
    let catena = Catena::new();
    let triples: String = (0..26_000).map(|n| format!("finding {n}\ttreats\tdisorder {n}\n")).collect();
    catena.write("large.tsv", triples);
    let imported = catena.run(["kg", "import", "tsv", "large.tsv", "--name", "large", "--no-vectors"]);
    assert!(imported.code == 0 && !imported.stderr.contains("at every start"), "{}", imported.stderr);
    assert!(!catena.run(["kg", "stats", "large"]).stderr.contains("at every start"), "an imported graph opens at once");
    let direct = catena.run(["kg", "stats", "--kg", "large.tsv"]);
    assert!(direct.stderr.contains("at every start") && direct.stderr.contains("kg import"), "{}", direct.stderr);
}
