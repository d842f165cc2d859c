//! The plain, linear mode, through the real program and a pipe: what comes in, what is said, and that nothing but sentences is.

use crate::support::{Catena, Ran, SMALL_GRAPH};

const QUESTION: &str = "heartburn after eating, what medicine?";

/// Nothing was said that a terminal could obey, that only draws, or that is a sign in place of a word.
fn assert_plain(ran: &Ran) {
    ran.assert_harmless();
    let drawn = |c: char| matches!(c, '\u{2500}'..='\u{259F}' | '\u{2800}'..='\u{28FF}' | '\u{2190}'..='\u{21FF}');
    let sign = |c: char| "●○◆✚★▲✗✓▸•·".contains(c);
    for text in [&ran.stdout, &ran.stderr] {
        if let Some(c) = text.chars().find(|c| drawn(*c) || sign(*c)) {
            panic!("{c:?} in {text}");
        }
    }
}

/// Talks in lines, to the end of the input.
fn talk(catena: &Catena, arguments: &[&str], lines: &[&str]) -> Ran {
    let input = lines.join("\n") + "\n";
    let ran = catena.run_with(["--accessible"].iter().chain(arguments), input.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_plain(&ran);
    assert_eq!(ran.stderr, "");
    ran
}

/// The lines that were said, from the first that begins so.
fn from<'a>(ran: &'a Ran, begin: &str) -> Vec<&'a str> {
    let lines: Vec<&str> = ran.stdout.lines().skip_while(|line| !line.starts_with(begin)).collect();
    assert!(!lines.is_empty(), "{begin:?} in {}", ran.stdout);
    lines
}

fn has(ran: &Ran, text: &str) {
    assert!(ran.stdout.contains(text), "{text:?} in {}", ran.stdout);
}

#[test]
fn a_question_is_answered_in_sentences_and_why_says_all_about_a_chain() {
    let catena = Catena::new();
    let ran = talk(&catena, &[], &[QUESTION, "kept", "anchors", "hypothesis", "why 1", "answer"]);
    has(&ran, "Catena is ready. The graph is starter");
    has(&ran, "Catena answered the question in");
    let answer = from(&ran, "This is the answer.");
    assert!(answer.iter().any(|line| line.contains("This rests on kept chain")), "{answer:?}");
    has(&ran, " chains are kept as evidence, the best first.");
    assert!(from(&ran, "Kept chain 1:")[0].contains("(from the question)"), "{}", ran.stdout);
    has(&ran, "Anchor 1: Heartburn, symptom. It comes from \u{201C}heartburn\u{201D} in");
    has(&ran, "This is the hypothesis");
    let why = from(&ran, "It is kept chain 1 of ");
    assert!(
        why.iter().any(|line| line.starts_with("Heartburn is an anchor, linked from \u{201C}heartburn\u{201D} with a score of 1.00.")),
        "{why:?}"
    );
    for begin in ["This chain ", "Description of ", "The source of ", "It matches "] {
        assert!(why.iter().any(|line| line.starts_with(begin)), "{begin} in {why:?}");
    }
    assert_eq!(ran.stdout.lines().last(), Some("Catena is closed."));
}

#[test]
fn what_is_decided_changes_the_evidence_and_can_be_taken_back() {
    let catena = Catena::new();
    let lines = [QUESTION, "kept", "reject 1", "answer", "why chain 1", "reread", "undo", "undo", "redo", "kept", "quit", "kept"];
    let ran = talk(&catena, &[], &lines);
    let best = from(&ran, "Kept chain 1: ")[0].split(" Its score").next().unwrap().trim_start_matches("Kept chain 1: ").to_owned();
    let said = from(&ran, "Kept chain 1 is now rejected.");
    assert!(said[1].starts_with("Catena now keeps "), "{said:?}");
    assert!(said.contains(&format!("No longer kept, formerly kept chain 1: {}.", best.trim_end_matches('.')).as_str()), "{said:?}");
    assert!(said.iter().any(|line| line.starts_with("New, kept chain ")));
    assert!(said.contains(&"The answer is outdated. Type reread to regenerate it."));
    let stale = said.iter().filter(|line| line.starts_with("This answer is outdated: ")).count();
    assert_eq!(stale, 1, "said with the old answer, not with the regenerated one: {said:?}");
    assert_eq!(said.iter().filter(|line| **line == "This is the answer.").count(), 2, "the old one, and the new one");
    let back = from(&ran, "The last decision is undone.");
    assert!(back.iter().any(|line| *line == format!("New, kept chain 1: {}.", best.trim_end_matches('.'))), "{back:?}");
    has(&ran, "Nothing to undo.");
    assert!(back.contains(&"The decision is redone."));
    let last = back.iter().rev().find(|line| line.starts_with("Kept chain 1: ")).unwrap();
    assert!(!last.contains(&best), "rejected again: {last}");
    assert_eq!(ran.stdout.matches("chains are kept as evidence, the best first.").count(), 2, "what comes after quit is not carried out");
}

#[test]
fn pinned_chains_and_settings_and_anchors_carry_the_run_on() {
    let catena = Catena::new();
    let lines = [
        QUESTION,
        "pin chain 3",
        "topk 3",
        "topk",
        "k 1",
        "k",
        "delta 0.9",
        "delta",
        "anchor cough",
        "anchors",
        "drop anchor 1",
        "restore chain 3",
    ];
    let ran = talk(&catena, &[], &lines);
    let pinned = from(&ran, "Chain 3 is now pinned.");
    assert!(pinned[2..].iter().any(|line| line.starts_with("New, kept chain ") || line.contains("same chains")), "{pinned:?}");
    let fewer = from(&ran, "Catena now keeps at most 3 chains.");
    let kept = |line: &str| line.trim_start_matches("Catena now keeps ").split(' ').next().and_then(|count| count.parse::<usize>().ok());
    // Chains that prove a line of the answer join those that were chosen.
    assert!(kept(fewer[1]).is_some_and(|count| (3..10).contains(&count)), "{fewer:?}");
    has(&ran, "topk is 3,");
    has(&ran, "k is 1, the most relations of a chain.");
    has(&ran, "delta is 0.9,");
    has(&ran, "Cough is now an anchor.");
    assert!(from(&ran, "Anchor 1: ").iter().any(|line| line.starts_with("Anchor ") && line.ends_with("Cough, symptom. You added it.")));
    has(&ran, "Heartburn is no longer an anchor.");
}

#[test]
fn chains_are_listed_by_twenty_and_by_words() {
    let catena = Catena::new();
    let ran = talk(&catena, &[], &["more", QUESTION, "more", "chains", "more", "chains omeprazole reflux", "chains zorbing"]);
    has(&ran, "You have not asked anything yet.");
    has(&ran, "Type chains first, to start a list.");
    let numbered = |number: usize| ran.stdout.lines().any(|line| line.starts_with(&format!("Chain {number}: ")));
    assert!(numbered(1) && numbered(20) && numbered(21) && numbered(40));
    let filtered = from(&ran, "There are ");
    let filtered: Vec<&&str> =
        filtered.iter().skip_while(|line| !line.contains("in which omeprazole and reflux occur")).skip(1).take(20).collect();
    assert_eq!(filtered.len(), 20);
    for line in filtered {
        let line = line.to_lowercase();
        assert!(line.starts_with("chain ") && line.contains("omeprazole") && line.contains("reflux"), "{line}");
    }
    has(&ran, "There are no chains in which zorbing occurs.");
}

#[test]
fn what_is_wrong_is_said_in_plain_words() {
    let catena = Catena::new();
    let lines = [
        "why 1",
        "",
        "   ",
        QUESTION,
        "why 99",
        "why x",
        "pin chain 99999999",
        "drop anchor 99",
        "k 9",
        "topk 0",
        "delta 2",
        "undo",
        "redo",
    ];
    let ran = talk(&catena, &[], &lines);
    for said in [
        "You have not asked anything yet. Type a question first.",
        "There is no kept chain 99; ",
        "Type why and the number of one kept chain",
        "There is no chain 99999999; the run found ",
        "There is no anchor 99; there are ",
        "k must be between 1 and 5.",
        "topk must be between 1 and 1000.",
        "delta must be between 0 and 1.",
        "Nothing to undo.",
        "Nothing to redo.",
    ] {
        has(&ran, said);
    }
    let ran = talk(&catena, &[], &["the zorbing of blorbs", "kept", "answer", "reread", "why 1"]);
    let refused =
        ran.stdout.contains("Catena did not answer the question") || ran.stdout.contains("Catena found no evidence for an answer");
    assert!(refused && !ran.stdout.contains("This rests on"), "{}", ran.stdout);
    has(&ran, "No chain is kept.");
    let ran = talk(&catena, &["--kg", "starter"], &["anchor qqqqqqqqqqqq"]);
    has(&ran, "You have not asked anything yet.");
}

#[test]
fn bytes_that_are_no_text_and_endless_lines_cost_themselves() {
    let catena = Catena::new();
    let mut input = b"\xff\xfe\n".to_vec();
    input.resize(input.len() + 3 * (1 << 20), b'x');
    input.extend_from_slice(b"\nhelp");
    let ran = catena.run_with(["--accessible"], &input);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_plain(&ran);
    has(&ran, "That line is not valid UTF-8 text, so Catena ignored it.");
    has(&ran, "That line is too long, so Catena ignored it.");
    has(&ran, "Type quit to leave; Catena also leaves at the end of the input.");
    has(&ran, "Catena is closed.");
}

#[test]
fn the_configuration_and_the_environment_choose_it_too() {
    let catena = Catena::new();
    let refused = catena.run_with::<&str>([], b"help\n");
    assert_eq!(refused.code, 2, "without it the screen needs a terminal: {}", refused.stdout);
    let mut command = catena.command(crate::support::BINARY, Vec::<&str>::new());
    let output = command.env("CATENA_ACCESSIBLE", "true").stdin(std::process::Stdio::null()).output().unwrap();
    let ran = crate::support::ran(output);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    has(&ran, "Catena is ready.");
}

#[test]
fn ambiguous_names_are_offered_by_number() {
    let catena = Catena::new();
    let file = catena.path("graph.tsv");
    std::fs::write(&file, SMALL_GRAPH).unwrap();
    let kg = file.display().to_string();
    let question = "What helps against heartburn?";
    let lines = [question, "anchor fi", "anchors", "anchor fi", "7", "2", "anchors", "anchor FIG TREE", "anchor zorb"];
    let ran = talk(&catena, &["--kg", &kg], &lines);
    let offer = from(&ran, "2 entities have names like \u{201C}fi\u{201D}. Type the number of the one you mean");
    assert!(offer[1].starts_with("1: Fig") && offer[2].starts_with("2: Fig"), "{offer:?}");
    assert!(offer[3].starts_with("Anchor 1: "), "another line ends the offer: {offer:?}");
    has(&ran, "Type a number from 1 to 2.");
    let second = offer[2].trim_start_matches("2: ").split(", ").next().unwrap();
    has(&ran, &format!("{second} is now an anchor."));
    assert!(
        ran.stdout
            .lines()
            .any(|line| line.starts_with("Anchor ") && line.contains(&format!(": {second}")) && line.ends_with("You added it."))
    );
    assert!(ran.stdout.contains("Fig tree is now an anchor.") || ran.stdout.contains("Fig tree is already an anchor."), "{}", ran.stdout);
    has(&ran, "The graph has no entity with a name like \u{201C}zorb\u{201D}.");
}

#[test]
fn a_hostile_graph_and_hostile_lines_are_harmless() {
    let catena = Catena::new();
    let hostile = "Re\u{1b}[31mflux\u{1b}]0;title\u{7} │─┼ \u{202E}txt ▁▂█ \u{9b}2J";
    let graph = format!(
        "{hostile}\thas_symptom\tHeartburn\n{hostile}\ttreats \u{1b}[2J\tNausea\nOmeprazole\ttreats\t{hostile}\nOmeprazole\tmay_cause\tNausea\n"
    );
    let file = catena.path("graph.tsv");
    std::fs::write(&file, graph).unwrap();
    let kg = file.display().to_string();
    let question = "heartburn and nausea \u{1b}[31m │ \u{202E} zorbing\u{9b}2J?";
    let lines = [
        question,
        "kept",
        "chains",
        "chains \u{1b}[31m│",
        "anchors",
        "why 1",
        "why chain 1",
        "anchor re",
        "1",
        "anchor \u{1b}]0;x\u{7}",
        "hypothesis",
    ];
    let input = lines.join("\n");
    let ran = catena.run_with(["--accessible", "--kg", &kg], input.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.assert_harmless();
    assert_plain(&ran);
    assert!(ran.stdout.contains("Kept chain 1: ") && ran.stdout.contains("flux"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_the_run_and_not_the_program() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;

    let catena = Catena::new();
    // So dense that chains of five relations could be searched for minutes.
    let graph: String = (0..160).flat_map(|a| (0..160).map(move |b| format!("zorb{a}\thas_symptom\tzorb{b}\n"))).collect();
    let file = catena.path("graph.tsv");
    std::fs::write(&file, graph).unwrap();
    let mut command = catena.command(crate::support::BINARY, ["--accessible", "--kg", &file.display().to_string()]);
    let mut child = command.env("CATENA_K", "5").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut until = |begin: &str| {
        let mut heard = Vec::new();
        for line in said.by_ref() {
            heard.push(line.unwrap());
            if heard.last().unwrap().starts_with(begin) {
                return heard;
            }
        }
        panic!("{begin:?} in {heard:#?}");
    };
    let interrupt = || {
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    };
    until("Type a question");
    interrupt();
    until("No run to stop.");
    writeln!(input, "zorb1 and zorb2 and zorb3").unwrap();
    until("Still searching for chains, for ");
    interrupt();
    let rest = until("The run was stopped.");
    assert!(rest.len() <= 3, "it is said at most each ten seconds that it takes long: {rest:?}");
    writeln!(input, "anchors").unwrap();
    until("Anchor 1: zorb1");
    drop(input);
    until("Catena is closed.");
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_case_is_heard_by_item_corrected_and_continued() {
    let catena = Catena::new();
    let question = "81 year old woman on digoxin with nausea and no fever. What is going on?";
    let lines = [
        question,
        "case",
        "absent 99",
        "asks zorb",
        "remove 1",
        "absent 2",
        "undo",
        "stopped 2",
        "allergic 4",
        "undo",
        "instead aged 61, pulse 40",
        "undo",
        "asks tests",
        "follow and which treatment?",
    ];
    let ran = talk(&catena, &[], &lines);
    let read: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("Read as: ")).collect();
    assert!(read.len() >= 4, "said with each answer: {}", ran.stdout);
    let case = from(&ran, "Item 1, patient: woman, 81.");
    has(&ran, "You cannot remove the patient.");
    let instead = from(&ran, "Corrected: aged 61, pulse 40.");
    let again = instead.iter().find(|line| line.starts_with("Read as: ")).expect("answered again");
    assert!(again.contains("woman, 61") && again.contains("pulse 40"), "{again}");
    assert!(case.iter().any(|line| line.contains("finding: nausea, present.")), "{case:?}");
    has(&ran, "There is no item 99; there are ");
    has(&ran, "Type asks and one or more of: diagnosis, ");
    let absent = from(&ran, "Nausea is now marked as: absent.");
    let again = absent.iter().find(|line| line.starts_with("Read as: ")).expect("answered again");
    assert!(again.contains("no nausea"), "{again}");
    assert!(from(&ran, "The last decision is undone.").iter().any(|line| line.starts_with("Read as: ")));
    has(&ran, "This item cannot have this status.");
    let marked = from(&ran, "Digoxin is now marked as: allergy.");
    let again = marked.iter().find(|line| line.starts_with("Read as: ")).expect("answered again");
    assert!(again.contains("allergic to digoxin"), "{again}");
    has(&ran, "Asked now: tests.");
    let carried = read.last().expect("the follow-up is read");
    assert!(carried.contains("carried over: "), "{carried}");
}

#[test]
fn passages_are_said_and_decided_about() {
    let catena = Catena::new();
    let told = "Monitor the INR closely when ibuprofen is given with warfarin.";
    let line = serde_json::json!({"id": "w", "title": "Warfarin", "section": "drug_interactions", "text": told, "date": "20201113"});
    let file = catena.write("docs.jsonl", line.to_string());
    assert_eq!(catena.run(["docs", "import", "jsonl", &file.to_string_lossy(), "--name", "mine"]).code, 0);
    assert_eq!(catena.run(["docs", "use", "mine"]).code, 0);
    let ran = talk(&catena, &[], &["Can I give ibuprofen with warfarin?", "passages", "reject D1", "passages", "undo", "pin D9"]);
    has(&ran, &format!("“{told}” (Warfarin, drug interactions, 2020-11-13). This is passage D1."));
    has(&ran, "Passage D1 says so, too.");
    has(
        &ran,
        &format!("Passage D1. The answer cites this passage. It comes from Warfarin, drug interactions, 2020-11-13. It reads: “{told}”"),
    );
    has(&ran, "Passage D1 is now rejected.");
    has(&ran, "You rejected it.");
    has(&ran, "There is no passage D9. This run found 1 passage. To list them, type passages.");
}

#[test]
fn the_claims_of_an_answer_or_a_typed_text_are_checked_in_sentences() {
    let catena = Catena::new();
    let typed = ["check text", "Omeprazole treats reflux.", "Omeprazole is contraindicated in reflux. The moon is made of cheese.", ""];
    let ran = talk(&catena, &[], &typed);
    has(&ran, "Type the text to check, on one or more lines, and then an empty line.");
    has(&ran, "Claim 1 is supported: “Omeprazole treats reflux.”");
    has(&ran, "The graph states: Omeprazole is first-line for Gastro-oesophageal reflux disease.");
    has(&ran, "Claim 2 is contradicted: “Omeprazole is contraindicated in reflux.”");
    has(&ran, "Claim 3 was not found: “The moon is made of cheese.”");
    has(&ran, "3 claims: 1 supported, 1 contradicted, 1 not found. Not found does not mean wrong.");
    let ran = talk(&catena, &[], &["check answer", QUESTION, "check answer"]);
    has(&ran, "You have not asked anything yet. Type a question first.");
    assert!(from(&ran, "Claim 1 ").len() > 1, "{}", ran.stdout);
    std::fs::write(catena.state().join("config.toml"), "language = \"zh\"\n").expect("a configuration");
    let ran = talk(&catena, &[], &["check text", "Omeprazole treats reflux."]);
    has(&ran, "论断 1 有依据：“Omeprazole treats reflux.”");
    has(&ran, "1 条论断：1 条有依据，0 条与依据矛盾，0 条未找到。未找到不等于错误。");
}

#[test]
fn a_method_named_on_the_command_line_answers_in_lines_too() {
    let usual = talk(&Catena::new(), &[], &[QUESTION, "hypothesis", "kept"]);
    assert!(!usual.stdout.contains("There is no hypothesis."), "{}", usual.stdout);
    // KGRAG writes no hypothesis, and keeps single triples.
    let ran = talk(&Catena::new(), &["--method", "kgrag"], &[QUESTION, "hypothesis", "kept"]);
    has(&ran, "Catena answered the question in");
    has(&ran, "There is no hypothesis.");
    has(&ran, " chains are kept as evidence, the best first.");
}
