//! `catena reproduce`: one table of each paper, with a tiny local model of random weights and with a scripted server, killed and continued.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::QUESTIONS;
use crate::support::http::{self, Scripted, Step, text};
use crate::support::lm_files::{self, Shape};
use crate::support::{BINARY, Catena, SMALL_GRAPH};

const CHOICES: &str = r#"{"id":"1","question":"Which drug treats reflux?","options":["Omeprazole","Fig"],"answer":"A"}
{"id":"2","question":"Which test does a stomach ulcer need?","options":["Bleeding","Gastroscopy"],"answer":"B"}
{"id":"3","question":"What causes a stomach ulcer?","options":["Helicobacter","Heartburn"],"answer":"A"}
"#;
const DOCUMENTS: &str = concat!(
    r#"{"id":"a","title":"Reflux","section":"treatment","text":"Omeprazole heals reflux. It is taken before breakfast."}"#,
    "\n",
    r#"{"id":"b","title":"Stomach ulcer","section":"causes","text":"Helicobacter causes most ulcers. Diclofenac makes them bleed."}"#,
    "\n",
);

/// A table of each paper, with the set that is given for it.
const TABLES: [(&str, &str, &str); 4] = [
    ("hykge", "4", "MMCU-Medical=choices.jsonl"),
    ("rok", "3", "GenMedGPT-5k=questions.jsonl"),
    ("wts", "3", "PubMedQA=choices.jsonl"),
    ("ebmkg", "2", "MedQA=choices.jsonl"),
];

fn prepared() -> Catena {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    catena.write("questions.jsonl", QUESTIONS);
    catena.write("choices.jsonl", CHOICES);
    let file = catena.write("docs.jsonl", DOCUMENTS);
    let ran = catena.run(["docs", "import", "jsonl", &file.to_string_lossy(), "--name", "mine"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    catena
}

fn command(catena: &Catena, (paper, table, set): (&str, &str, &str), out: &str, generator: &str) -> Command {
    let arguments = [
        "reproduce",
        paper,
        table,
        "--set",
        set,
        "--kg",
        "small.tsv",
        "--docs",
        "mine",
        "--limit",
        "3",
        "--out",
        out,
        "--generator",
        generator,
    ];
    catena.command(BINARY, arguments)
}

/// Whole lines of results in a folder, whatever the file they are in.
fn lines(folder: &Path) -> usize {
    if !folder.exists() {
        return 0;
    }
    let files = crate::support::files_under(folder);
    let is_result = |name: &&String| name.ends_with("results.jsonl") || name.contains("duels-");
    files.iter().filter(is_result).map(|name| std::fs::read_to_string(folder.join(name)).unwrap_or_default().matches('\n').count()).sum()
}

/// Starts a table, kills it after its first result, starts it again, and compares the reports with those of an undisturbed run.
fn killed_and_continued(catena: &Catena, table: (&str, &str, &str), generator: &str) -> (String, serde_json::Value) {
    let place = format!("{} {}", table.0, table.1);
    let whole = command(catena, table, "whole", generator).output().unwrap();
    assert!(whole.status.success(), "{place}: {}", String::from_utf8_lossy(&whole.stderr));
    let mut child =
        command(catena, table, "cut", generator).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    // The first line of a file of duels is its plan.
    let first = if table.0 == "ebmkg" { 2 } else { 1 };
    while lines(&catena.path("cut")) < first && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(300), "{place}: no results come");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = lines(&catena.path("cut"));
    assert!(before < lines(&catena.path("whole")), "{place}: it had ended before it was killed");
    let again = command(catena, table, "cut", generator).output().unwrap();
    assert!(again.status.success(), "{place}: {}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(lines(&catena.path("cut")), lines(&catena.path("whole")), "{place}: nothing is done twice");
    let folder = |out: &str| -> PathBuf { catena.path(out).join(format!("reproduce-{}-{}", table.0, table.1)) };
    for name in ["report.md", "report.json"] {
        let read = |out: &str| std::fs::read_to_string(folder(out).join(name)).unwrap();
        assert_eq!(read("cut"), read("whole"), "{place} {name}");
    }
    let text = std::fs::read_to_string(folder("cut").join("report.md")).unwrap();
    assert!(String::from_utf8_lossy(&again.stdout).contains(&text), "{place}: what is printed is the report");
    (text, serde_json::from_slice(&std::fs::read(folder("cut").join("report.json")).unwrap()).unwrap())
}

fn assert_watermarked(text: &str, why: &str) {
    assert_eq!(text.matches("**NOT A RESULT**").count(), 2, "{text}");
    assert!(text.contains(why) && text.contains("(not a result)"), "{text}");
}

#[test]
fn one_table_of_each_paper_runs_to_the_end_with_random_weights() {
    for table in TABLES {
        let catena = prepared();
        // The judge reads two collections of passages at once.
        let shape = Shape { context: if table.0 == "ebmkg" { 2048 } else { 512 }, ..Shape::of("llama") };
        let (_folder, model) = lm_files::gguf(&shape, lm_files::bytes);
        let (text, json) = killed_and_continued(&catena, table, &model.to_string_lossy());
        assert_watermarked(&text, "its weights are random");
        assert!(json["no_result"].is_string() && json["command"].as_str().unwrap().contains(table.2.split('=').next().unwrap()), "{json}");
    }
}

/// A server that says the same whatever it is asked, not at once.
fn server(reply: &str) -> Scripted {
    let slow = |reply: &str| [vec![Step::Wait(Duration::from_millis(40))], text(reply)].concat();
    Scripted::start((0..600).map(|_| slow(reply)).collect::<Vec<_>>())
}

fn use_server(catena: &Catena, server: &Scripted) {
    let config = format!("[remote.clinic]\nbase_url = \"{}\"\nmodel = \"ward-model\"\nproxy = \"none\"\nretries = 0\n", server.url());
    std::fs::write(catena.state().join("config.toml"), config).unwrap();
}

#[test]
fn one_table_of_each_paper_runs_to_the_end_with_a_scripted_server() {
    for table in TABLES {
        let catena = prepared();
        let server = server("A B. Omeprazole treats reflux. The answer is A.");
        use_server(&catena, &server);
        let (text, json) = killed_and_continued(&catena, table, "remote:clinic");
        assert_watermarked(&text, "does not say Paris");
        let rows = json["rows"].as_array().unwrap();
        let ours = |row: usize, cell: usize| &rows[row]["cells"][cell]["ours"];
        match table.0 {
            // Two of three answers are A.
            "hykge" => {
                assert!((ours(0, 0)["value"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{}", rows[0]);
                assert!(rows[0]["cells"][0]["paper"] == "49.65 ± 1.39" && text.contains("see times.md"));
                assert!((1..4).all(|row| ours(row, 0)["value"].is_number()), "with the model for names, reranking and summary: {json}");
            }
            "rok" => assert!(ours(0, 0)["value"].is_number() && ours(3, 0)["value"].is_number() && ours(0, 1).is_null(), "{json}"),
            "wts" => assert!((0..4).all(|depth| ours(1, depth)["value"].is_number()) && ours(0, 0).is_null(), "{json}"),
            // "A B" whoever stands first: every judgement ties.
            _ => {
                assert_eq!((&rows[0]["name"], &rows[5]["name"]), (&"MedQA: Idep vs. Vector".into(), &"MedQA: Idep vs. Graph".into()));
                for row in [0, 5] {
                    assert!(ours(row, 1)["value"] == 1.0 && ours(row, 0)["value"] == 0.0 && ours(row, 6).is_null(), "{}", rows[row]);
                }
                assert!(ours(1, 1).is_null() && ours(6, 1).is_null(), "sets that were not given");
            }
        }
        if table.0 == "ebmkg" {
            for rival in ["vector", "graphrag"] {
                let duels = std::fs::read_to_string(catena.path("cut").join(format!("duels-medqa-{rival}.jsonl"))).unwrap();
                assert_eq!(duels.lines().count(), 4);
                assert!(duels.lines().next().unwrap().contains(&format!("[\"idep\",\"{rival}\"]")), "{duels}");
                assert!(
                    duels.contains("Which drug treats reflux?") && duels.contains("\"replies\":[\"A B."),
                    "prompts and replies are recorded"
                );
            }
        }
        assert!(text.contains("## What differs") && text.contains("prompts are ours") || table.0 == "ebmkg", "{text}");
    }
}

#[test]
fn a_model_that_knows_plain_facts_gives_results_over_several_seeds() {
    let catena = prepared();
    let server = server("The answer is A, as in Paris.");
    use_server(&catena, &server);
    let mut command = command(&catena, TABLES[0], "out", "remote:clinic");
    let ran = command.args(["--seeds", "3"]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = std::fs::read_to_string(catena.path("out/reproduce-hykge-4/report.md")).unwrap();
    assert!(!text.contains("NOT A RESULT") && text.contains("Filled with the language model ward-model."), "{text}");
    assert!(text.contains("| HyKGE | 49.65 ± 1.39 | 66.7 ± 0.0 |"), "{text}");
    assert!(text.contains("--seeds 3") && text.contains("GPT-3.5"), "{text}");
    // One folder for each seed, and in each the calls of every run: hypothesis and answer; one more with the model for another part.
    let folder = catena.path("out");
    let results: Vec<String> = crate::support::files_under(&folder).into_iter().filter(|name| name.ends_with("results.jsonl")).collect();
    assert_eq!(results.len(), 3, "{results:?}");
    for name in results {
        let rows = std::fs::read_to_string(folder.join(name)).unwrap();
        let with = |calls: u32| rows.matches(&format!("\"calls\":{{\"found\":{calls}.0,\"all\":1.0}}")).count();
        assert_eq!((rows.lines().count(), with(2), with(3)), (12, 3, 9), "{rows}");
    }
    let asked = server.requests()[1..]
        .iter()
        .filter(|request| request.json()["messages"].to_string().contains("letter of the right option alone"))
        .count();
    assert_eq!(asked, 99, "three seeds, three questions, two calls and three times three: each asks for the label alone");
}

#[test]
fn every_table_is_listed_with_its_state_and_how_to_fill_it() {
    let ran = Catena::new().run(["reproduce", "--list"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let tables: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("  Table ")).collect();
    assert_eq!(tables.len(), 20, "{}", ran.stdout);
    for (paper, count) in [("HyKGE (2025) (hykge)", 4), ("RoK (rok)", 4), ("WTS (wts)", 8), ("EbmKG and IdepRAG (ebmkg)", 4)] {
        let of_paper = ran.stdout.lines().skip_while(|line| *line != paper).skip(1).take_while(|line| line.starts_with(' '));
        assert_eq!(of_paper.filter(|line| line.starts_with("  Table ")).count(), count, "{paper}: {}", ran.stdout);
    }
    let states = [": can be filled", ": can be filled in part", ": cannot be filled yet"];
    assert!(tables.iter().all(|table| states.iter().any(|state| table.ends_with(state))), "{}", ran.stdout);
    assert!(ran.stdout.contains("    filled by: catena reproduce hykge 4") && ran.stdout.contains("    missing: "), "{}", ran.stdout);
    let of_one = Catena::new().run(["reproduce", "rok", "--list"]);
    assert_eq!(of_one.stdout.lines().filter(|line| line.starts_with("  Table ")).count(), 4, "{}", of_one.stdout);
}

/// A server that says what it has read and written: 11 and 7 tokens of each call.
fn counting_server(reports: bool) -> Scripted {
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7}}\n\n";
    let reply = || {
        let told = [http::piece("The answer is A."), http::finish("stop"), usage.into(), "data: [DONE]\n\n".into()];
        if reports { http::stream(&told) } else { text("The answer is A.") }
    };
    Scripted::start((0..60).map(|_| reply()).collect::<Vec<_>>())
}

#[test]
fn the_tokens_of_all_calls_are_counted_where_a_server_reports_them() {
    for reports in [true, false] {
        let catena = prepared();
        let server = counting_server(reports);
        use_server(&catena, &server);
        let arguments = ["eval", "choices.jsonl", "--bare", "--method", "base,hykge", "--generator", "remote:clinic", "--kg", "small.tsv"];
        let ran = catena.run(arguments.into_iter().chain(["--out", "counted"]));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let folder = catena.path("counted");
        let name = crate::support::files_under(&folder).into_iter().find(|name| name.ends_with("results.jsonl")).expect("results");
        let rows = std::fs::read_to_string(folder.join(name)).unwrap();
        let with = |measure: &str, found: u32| rows.matches(&format!("\"{measure}\":{{\"found\":{found}.0,\"all\":1.0}}")).count();
        // One call and two.
        let expected = if reports { [3, 3, 3, 3] } else { [0; 4] };
        assert_eq!(
            [with("tokens_read", 11), with("tokens_read", 22), with("tokens_written", 7), with("tokens_written", 14)],
            expected,
            "{rows}"
        );
        assert_eq!((with("calls", 1), with("calls", 2)), (3, 3), "{rows}");
    }
}

#[test]
fn what_is_missing_is_named_with_the_address_where_it_is_published() {
    let catena = prepared();
    let ran = catena.run(["reproduce", "hykge", "2"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("--set \"CMB-Exam=FILE\"") && ran.stderr.contains("https://github.com/FreedomIntelligence/CMB"),
        "{}",
        ran.stderr
    );
    let ran = catena.run(["reproduce", "wts", "6"]);
    assert!(ran.code == 1 && ran.stderr.contains("cannot be filled yet") && ran.stderr.contains("catena dkg trial"), "{}", ran.stderr);
    for (wrong, why) in [
        (&["reproduce", "hykge", "9"][..], "no table 9"),
        (&["reproduce", "other"], "ebmkg"),
        (&["reproduce"], "PAPER"),
        (&["reproduce", "hykge", "2", "--set", "MedQA=choices.jsonl"], "MMCU-Medical"),
        (&["reproduce", "hykge", "2", "--set", "choices.jsonl"], "no name and file"),
    ] {
        let ran = catena.run(wrong);
        assert!(ran.code == 2 && ran.stderr.contains(why), "{wrong:?}: {} {}", ran.code, ran.stderr);
    }
    // Without a language model, what needs none is filled.
    let ran = catena.run(["reproduce", "rok", "1", "--set", "GenMedGPT-5k=questions.jsonl", "--kg", "small.tsv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("| GenMedGPT-5k | 516 | 5 | 6 | 9 | 1122 | 13 |") && ran.stdout.contains("CMCQA was not given"),
        "{}",
        ran.stdout
    );
    let ran = catena.run(["reproduce", "ebmkg", "2", "--set", "MedQA=choices.jsonl", "--docs", "mine"]);
    assert!(ran.code == 2 && ran.stderr.contains("--generator"), "{}", ran.stderr);
}
