//! Manners of the command line: suggestions, errors in plain words and once, questions through a pipe, sessions by id.

use crate::support::Catena;

/// What a refused command says; its exit code is 2.
fn refused(catena: &Catena, arguments: &[&str]) -> String {
    let ran = catena.run(arguments);
    assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    ran.assert_harmless();
    ran.stderr
}

#[test]
fn what_was_meant_is_suggested() {
    let catena = Catena::new();
    assert!(refused(&catena, &["aks", "x"]).contains("ask"), "a command");
    assert!(refused(&catena, &["ask", "fever", "--kg", "startr"]).contains("Did you mean \"starter\"?"), "a graph");
    let early = refused(&catena, &["--kg", "starter", "ask", "fever"]);
    assert!(
        early.contains("write the command first: `catena ask --kg") && !early.contains("similar"),
        "an option before its command: {early}"
    );
    let shown = catena.run(["kg", "show", "asprin"]);
    assert_eq!(shown.code, 3);
    assert!(shown.stderr.contains("Did you mean: Aspirin?"), "an entity: {}", shown.stderr);
    let method = refused(&catena, &["ask", "fever", "--method", "hykg"]);
    assert!(method.contains("Did you mean \"hykge\"?") && method.contains("mindmap"), "a method, and those that there are: {method}");
    std::fs::write(catena.state().join("config.toml"), "language = \"zhh\"\n").expect("a file");
    assert!(refused(&catena, &["ask", "fever"]).contains("Did you mean \"zh\"?"), "a value");
    std::fs::write(catena.state().join("config.toml"), "k = 2\nthmee = \"dark\"\n").expect("a file");
    let said = refused(&catena, &["ask", "fever"]);
    assert!(said.contains("config.toml, line 2: there is no key \"thmee\". Did you mean \"theme\"?"), "a key: {said}");
    assert_eq!(said.lines().count(), 1, "once, on one line: {said}");
}

#[test]
fn a_theme_that_there_is_not_is_refused() {
    let catena = Catena::new();
    std::fs::write(catena.state().join("config.toml"), "theme = \"drak\"\n").expect("a file");
    let said = refused(&catena, &[]);
    assert!(said.contains("there is no theme \"drak\"") && said.contains("Did you mean \"dark\"?"), "{said}");
}

#[test]
fn a_question_comes_through_a_pipe() {
    let catena = Catena::new();
    let asked = catena.run_with(["ask"], b"What helps against heartburn?\n");
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    assert!(asked.stdout.contains("[1]") && !asked.stdout.contains('\u{1b}'), "no colours in a pipe: {}", asked.stdout);
    assert_eq!(asked.stdout, catena.run(["ask", "What helps against heartburn?\n"]).stdout);
}

#[test]
fn sessions_are_listed_and_a_replay_says_where_they_are() {
    let catena = Catena::new();
    let none = catena.run(["sessions"]);
    assert_eq!((none.code, none.stdout.as_str()), (0, ""));
    assert!(none.stderr.contains("no runs are recorded yet"), "{}", none.stderr);
    let missing = catena.run(["replay", "q1a203"]);
    assert!(missing.code != 0 && missing.stderr.contains("catena sessions"), "{}", missing.stderr);
    let latest = catena.run(["replay"]);
    assert!(latest.code == 2 && latest.stderr.contains("no run is recorded yet"), "{}", latest.stderr);
    assert!(refused(&catena, &["replay", "--pace", "fast"]).contains("not a number of seconds"));
}

#[test]
fn a_graph_is_replaced_and_that_is_said() {
    let catena = Catena::new();
    catena.write("small.tsv", "Omeprazole\ttreats\tReflux\n");
    let import = || catena.run(["kg", "import", "tsv", "small.tsv", "--name", "mine", "--no-vectors"]);
    let first = import();
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(!first.stderr.contains("replaced"), "{}", first.stderr);
    assert!(import().stderr.contains("the graph mine exists and is replaced"));
}
