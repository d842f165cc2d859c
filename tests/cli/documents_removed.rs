//! `catena docs remove`: one document goes, and with `--recordings` whatever quotes it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Catena;
use crate::support::http::{Scripted, status, text};

const SENTENCE: &str = "Adults begin with 50 mg once daily.";

/// The files under a folder that hold a text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read(&path).is_ok_and(|bytes| bytes.windows(text.len()).any(|w| w.eq_ignore_ascii_case(text.as_bytes()))) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

/// A recording in which the answer repeats the sentence once more, cited by nothing, as a language model may write it.
fn repeated(events: &str) -> String {
    let line = |line: &str| {
        let mut event: Value = serde_json::from_str(line).expect("JSON");
        if let Some(text) = event.pointer("/answer/text").and_then(Value::as_str) {
            let text = format!("{text}\nThe language model also says: adults begin with 50 mg once daily!");
            event["answer"]["text"] = Value::String(text);
        }
        event.to_string() + "\n"
    };
    events.lines().map(line).collect()
}

#[test]
fn whatever_quotes_a_removed_document_is_listed_and_then_removed() {
    let catena = Catena::new();
    let documents = [
        r#"{"id":"zoloft","title":"Zoloft (sertraline)","section":"dosage_and_administration","text":"Adults begin with 50 mg once daily. Swallow the tablets whole with some water."}"#,
        r#"{"id":"other","title":"Asthma","section":"treatment","text":"Salbutamol opens the airways. Swallow the tablets whole with some water."}"#,
    ];
    let file = catena.write("docs.jsonl", documents.join("\n"));
    assert_eq!(catena.run(["docs", "import", "jsonl", &file.to_string_lossy(), "--name", "mine"]).code, 0);
    let recording = catena.path("run.jsonl");
    let recorded = recording.to_string_lossy().into_owned();
    assert_eq!(catena.run(["ask", "What is the dose of Zoloft?", "--docs", "mine", "--events", &recorded]).code, 0);
    let events = repeated(&fs::read_to_string(&recording).expect("a recording"));
    fs::write(&recording, &events).expect("a recording");
    assert_eq!(catena.run(["dkg", "feedback", &recorded, "good"]).code, 0);
    let in_journal = holding(&catena.state().join("dkg"), "begin with 50 mg");
    assert!(in_journal.is_empty(), "the journal holds places alone: {in_journal:?}");

    let evaluations = catena.state().join("evaluations");
    fs::create_dir_all(evaluations.join("some/traces")).expect("a folder");
    let duel = |text: &str| format!("{{\"plan\":1}}\n{}\n", serde_json::json!({"id": "1", "prompts": [format!("1. Zoloft: {text}\n")]}));
    fs::write(evaluations.join("duels-ours.jsonl"), duel(SENTENCE)).expect("a file");
    fs::write(evaluations.join("some/traces/run.jsonl"), &events).expect("a file");
    // What another document says, too, is no quotation of this one.
    fs::write(evaluations.join("duels-others.jsonl"), duel("Swallow the tablets whole with some water.")).expect("a file");
    let report = catena.run(["export", &recorded, "--to", "md"]);
    catena.write("catena-dose.md", &report.stdout);
    catena.write("catena-own.md", SENTENCE);

    let told = catena.run(["docs", "remove", "mine", "zoloft"]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(told.stderr.contains("2 files of evaluations still quote it") && told.stderr.contains("duels-ours.jsonl"), "{}", told.stderr);
    assert!(told.stderr.contains("1 report in this folder still quotes it") && told.stderr.contains("catena-dose.md"), "{}", told.stderr);
    assert!(!told.stderr.contains("others") && !told.stderr.contains("catena-own"), "{}", told.stderr);
    assert!(evaluations.join("duels-ours.jsonl").exists(), "nothing else is removed unasked");

    assert_eq!(catena.run(["docs", "import", "jsonl", &file.to_string_lossy(), "--name", "mine"]).code, 0);
    let ran = catena.run(["docs", "remove", "mine", "zoloft", "--recordings"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("2 files of evaluations that quoted it removed:"), "{}", ran.stdout);
    assert_eq!(holding(&catena.state(), "begin with 50 mg"), Vec::<String>::new());
    assert!(evaluations.join("duels-others.jsonl").exists() && catena.path("catena-own.md").exists());
    assert!(!catena.path("catena-dose.md").exists());
    assert!(catena.run(["docs", "show", "mine"]).stdout.contains("other"), "the other document is there");
}

/// Asks by a language model of a server with these replies; the recording.
fn asked_by_model(catena: &Catena, question: &str, replies: Vec<Vec<crate::support::http::Step>>) -> String {
    let server = Scripted::start(replies);
    configure(catena, &server);
    let file = catena.path("asked.jsonl").to_string_lossy().into_owned();
    let ran = catena.run(["ask", question, "--docs", "mine", "--method", "idep", "--generator", "clinic", "--events", &file]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    fs::read_to_string(&file).expect("a recording")
}

/// Makes a server known as the model "clinic".
fn configure(catena: &Catena, server: &Scripted) {
    let table = format!("[remote.clinic]\nbase_url = \"{}\"\nmodel = \"ward\"\nproxy = \"none\"\nretries = 0\n", server.url());
    fs::write(catena.state().join("config.toml"), table).expect("a configuration");
}

/// Keeps a run among the sessions; its id.
fn keep(catena: &Catena, events: &str) -> String {
    let first: Value = serde_json::from_str(events.lines().next().expect("a line")).expect("JSON");
    let id = first["run"].as_str().expect("an id").to_owned();
    let sessions = catena.state().join("sessions");
    fs::create_dir_all(&sessions).expect("a folder");
    fs::write(sessions.join(format!("{id}.jsonl")), events).expect("a session");
    id
}

/// The lines of a recording that hold a text.
fn lines_with<'e>(events: &'e str, text: &str) -> Vec<&'e str> {
    events.lines().filter(|line| line.contains(text)).collect()
}

#[test]
fn prompts_quote_documents_too_and_so_do_runs_that_were_stopped() {
    let catena = Catena::new();
    // The walk leads from gout by colchicine to the fever, which no passage about gout names.
    let documents = [
        r#"{"id":"gout","title":"Gout","section":"treatment","text":"Colchicine relieves an attack of gout within some hours."}"#,
        r#"{"id":"fmf","title":"Familial Mediterranean fever","section":"treatment","text":"Colchicine prevents these attacks of fever."}"#,
        r#"{"id":"asthma","title":"Asthma","section":"treatment","text":"Salbutamol opens the narrow airways within some minutes."}"#,
    ];
    let (of_gout, of_fever, of_asthma) =
        ("attack of gout within some hours", "prevents these attacks of fever", "airways within some minutes");
    let file = catena.write("docs.jsonl", documents.join("\n")).to_string_lossy().into_owned();
    let import = || assert_eq!(catena.run(["docs", "import", "jsonl", &file, "--name", "mine"]).code, 0);
    import();

    let mut replies = vec![text("gout\njoint\nurate")];
    replies.extend(vec![text("0.9: an attack of gout"); 12]);
    let whole = asked_by_model(&catena, "How is gout treated?", replies);
    let (prompts, found) = (lines_with(&whole, "idep/features"), lines_with(&whole, "passages_found"));
    assert!(prompts.iter().any(|line| line.contains(of_fever)), "{prompts:?}");
    assert!(found.len() == 1 && !found[0].contains(of_fever) && found[0].contains(of_gout), "no passage of it: {found:?}");
    let whole = keep(&catena, &whole);
    // The server fails, so that only the prompt for the answer tells anything of documents; the run is stopped before the reply.
    let stopped = asked_by_model(&catena, "What relieves gout?", vec![status(500, "no"), text("No answer.")]);
    let end = stopped.find("passages_found").expect("passages");
    let stopped = &stopped[..stopped[..end].rfind('\n').expect("a line") + 1];
    assert!(lines_with(stopped, "idep/answer").iter().any(|line| line.contains(of_gout)), "{stopped}");
    assert!(lines_with(stopped, "idep/features").is_empty());
    let stopped = keep(&catena, stopped);
    let alone = catena.path("alone.jsonl").to_string_lossy().into_owned();
    assert_eq!(catena.run(["ask", "What relieves asthma?", "--docs", "mine", "--method", "idep", "--events", &alone]).code, 0);
    let alone = keep(&catena, &fs::read_to_string(&alone).expect("a recording"));

    let told = catena.run(["docs", "remove", "mine", "fmf"]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(told.stderr.contains("1 recorded run still quotes it") && told.stderr.contains(&whole), "{}", told.stderr);
    import();
    let told = catena.run(["docs", "remove", "mine", "gout"]);
    assert!(told.stderr.contains("2 recorded runs still quote it"), "{}", told.stderr);
    assert!(told.stderr.contains(&whole) && told.stderr.contains(&stopped) && !told.stderr.contains(&alone), "{}", told.stderr);
    import();
    let ran = catena.run(["docs", "remove", "mine", "gout", "fmf", "--recordings"]);
    assert!(ran.stdout.contains("2 recorded runs that quoted it removed:"), "{} {}", ran.stdout, ran.stderr);
    for said in [of_gout, of_fever] {
        assert_eq!(holding(&catena.state(), said), Vec::<String>::new(), "{said}");
    }
    assert!(holding(&catena.state().join("sessions"), of_asthma).iter().any(|file| file.contains(&alone)), "it quotes what stays");
}

#[test]
fn a_summary_by_a_language_model_goes_with_the_documents_that_it_sums_up() {
    let catena = Catena::new();
    let documents = [
        r#"{"id":"w","title":"Warfarin","section":"drug_interactions","text":"Food matters. Monitor the INR when ibuprofen is given."}"#,
        r#"{"id":"other","title":"Asthma","section":"treatment","text":"Salbutamol opens the narrow airways within some minutes."}"#,
    ];
    let file = catena.write("docs.jsonl", documents.join("\n")).to_string_lossy().into_owned();
    let summary = "Food and ibuprofen both matter very much with warfarin.";
    let server = Scripted::start([
        text("1 | interactions | Warfarin\n2 | interactions | Warfarin"),
        text("1: Food\n2: Ibuprofen"),
        text("0"),
        text(summary),
    ]);
    configure(&catena, &server);
    let ran = catena.run(["docs", "import", "jsonl", &file, "--name", "mine", "--generator", "clinic"]);
    assert!(ran.code == 0 && ran.stdout.contains("1 summary of a topic"), "{} {}", ran.stdout, ran.stderr);

    let mut replies = vec![text("warfarin\nibuprofen")];
    replies.extend(vec![text("0.9: ibuprofen with warfarin"); 12]);
    let events = asked_by_model(&catena, "Can I give ibuprofen with warfarin?", replies);
    let prompts = lines_with(&events, summary);
    assert!(!prompts.is_empty(), "{events}");
    let begin = events.lines().next().expect("a line");
    let id = keep(&catena, &format!("{begin}\n{}\n", prompts[0]));
    let ran = catena.run(["docs", "remove", "mine", "w", "--recordings"]);
    assert!(ran.stdout.contains("1 recorded run that quoted it removed:") && ran.stdout.contains(&id), "{} {}", ran.stdout, ran.stderr);
    assert_eq!(holding(&catena.state(), "both matter very much"), Vec::<String>::new());
}
