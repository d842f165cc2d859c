//! What `catena docs remove` does about files that quote removed documents: recorded runs, evaluations, and reports in the current folder.
//! It names them, or removes them.

use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::messages::note;
use crate::cli::progress::spinner;
use crate::cli::setup::Setup;
use crate::evidence::{Collection, sentences};
use crate::run::{Event, EventKind};
use crate::session::{KEPT_SESSIONS, Store};
use crate::text::{Quotes, counted, sanitise_line};

/// The most files of a kind that are named.
const NAMED: usize = 20;
/// How deep the folder of evaluations is searched.
const DEEPEST: usize = 4;
/// The largest file that is looked into, in bytes.
const LARGEST: u64 = 256 << 20;
/// How a page begins.
const PAGE: &str = "<!DOCTYPE html>";
/// Within so many lines of its beginning or end a report says what wrote it.
const SIGNED_WITHIN: usize = 6;
/// How the characters look in a report as HTML that have a meaning there; the ampersand last, as it begins the others.
const IN_HTML: [(&str, &str); 6] = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")];

/// What the documents to be removed say and no other document of their collection does, and what a language model summed up of them. `ids`:
/// the documents; `None`: all of them.
pub(super) fn sentences_of(collection: &Collection, ids: Option<&[String]>) -> Quotes {
    let goes = |id: &str| ids.is_none_or(|ids| ids.iter().any(|removed| removed == id));
    let mut quotes = Quotes::default();
    for section in collection.documents().filter(|document| goes(&document.id)).flat_map(|document| document.sections) {
        for span in sentences(&section.text) {
            quotes.add(section.text.get(span).unwrap_or_default());
        }
    }
    for summary in collection.summaries_about(goes) {
        for span in sentences(summary) {
            quotes.add(summary.get(span).unwrap_or_default());
        }
    }
    for section in collection.documents().filter(|document| !goes(&document.id)).flat_map(|document| document.sections) {
        quotes.leave_out(&section.text);
    }
    quotes
}

/// Names the files that quote documents of a collection, or removes them. `ids`: the documents; `None`: all of them. `said`: what they
/// said.
///
/// # Errors
/// If the files cannot be listed, or one cannot be removed.
pub(super) fn about_quoting(setup: &Setup, name: &str, ids: Option<&[String]>, said: &Quotes, removes: bool) -> anyhow::Result<()> {
    let waiting = spinner("looking for what quotes it");
    let (runs, mut unknown) = quoting_runs(setup, name, ids, said)?;
    let mut evaluations = Vec::new();
    if !said.is_empty() {
        quoting_files(&setup.paths.evaluations(), DEEPEST, said, &mut evaluations, &mut unknown);
    }
    let reports = std::env::current_dir().map(|folder| quoting_reports(&folder, said)).unwrap_or_default();
    waiting.finish_and_clear();
    if unknown > 0 {
        let files = counted(unknown as u64, "recording or file of an evaluation", "recordings or files of evaluations");
        note(&format!("{files} cannot be read, so Catena does not know whether they quote the documents"))?;
    }
    let shown = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let kinds = [
        (counted(runs.len() as u64, "recorded run", "recorded runs"), runs.clone()),
        (counted(evaluations.len() as u64, "file of an evaluation", "files of evaluations"), shown(&evaluations)),
        (counted(reports.len() as u64, "report in this folder", "reports in this folder"), shown(&reports)),
    ];
    if removes && !runs.is_empty() {
        let store = store(setup)?;
        runs.iter().try_for_each(|id| store.delete(id))?;
    }
    if removes {
        evaluations.iter().chain(&reports).try_for_each(fs::remove_file)?;
    }
    for (files, names) in kinds.iter().filter(|(_, names)| !names.is_empty()) {
        let named: Vec<String> = names.iter().take(NAMED).map(|name| sanitise_line(name)).collect();
        let more = if names.len() > NAMED { ", …" } else { "" };
        if removes {
            writeln!(stdout(), "{files} that quoted it removed: {}{more}.", named.join(", "))?;
            continue;
        }
        let still = if names.len() == 1 { "still quotes it" } else { "still quote it" };
        note(&format!(
            "{files} {still}: {}{more}. Delete what you do not want to keep; with `--recordings`, a removal deletes it at once. Files that you wrote elsewhere (`--events`, exports) stay, too.",
            named.join(", ")
        ))?;
    }
    Ok(())
}

fn store(setup: &Setup) -> anyhow::Result<Store> {
    Ok(Store::open(&setup.paths.sessions(), setup.config.sessions_keep.unwrap_or(KEPT_SESSIONS))?)
}

/// The ids of the recorded runs that found passages in the documents or say what they said, and how many recordings cannot be read.
fn quoting_runs(setup: &Setup, name: &str, ids: Option<&[String]>, said: &Quotes) -> anyhow::Result<(Vec<String>, usize)> {
    if !setup.paths.sessions().exists() {
        return Ok((Vec::new(), 0));
    }
    let store = store(setup)?;
    let listing = store.list()?;
    let is_of = |collection: &str, document: &str| collection == name && ids.is_none_or(|ids| ids.iter().any(|id| id == document));
    let mut unreadable = listing.unreadable.len();
    let mut quotes = |id: &String| {
        // What cannot be read cannot be said to quote nothing.
        let Ok(recorded) = store.read(id) else {
            unreadable += 1;
            return false;
        };
        let found = recorded.events.iter().any(|event| match &event.what {
            EventKind::PassagesFound { passages } => passages.iter().any(|passage| is_of(&passage.collection, &passage.document)),
            _ => false,
        });
        found || in_events(said, &recorded.events)
    };
    let runs = listing.sessions.into_iter().map(|summary| summary.id).filter(&mut quotes).collect();
    Ok((runs, unreadable))
}

/// Whether a run says one of the sentences anywhere. Prompts tell a language model more than the passages that are found, and a run that
/// was stopped while it writes has found none yet; what it wrote came in pieces, which are read together.
fn in_events(said: &Quotes, events: &[Event]) -> bool {
    if said.is_empty() {
        return false;
    }
    let (mut hypothesis, mut answer) = (String::new(), String::new());
    for event in events {
        match &event.what {
            EventKind::HypothesisToken { text } | EventKind::HypothesisAdded { text } => hypothesis.push_str(text),
            EventKind::AnswerToken { text } => answer.push_str(text),
            _ if serde_json::to_value(event).is_ok_and(|value| in_json(said, &value)) => return true,
            _ => {}
        }
    }
    said.are_in(&hypothesis) || said.are_in(&answer)
}

/// The files of a folder, and of the folders below, with one of the sentences; `unknown`: how many cannot be read.
fn quoting_files(folder: &Path, deeper: usize, said: &Quotes, found: &mut Vec<PathBuf>, unknown: &mut usize) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<fs::DirEntry> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && deeper > 0 => quoting_files(&path, deeper - 1, said, found, unknown),
            Ok(kind) if kind.is_file() => match read(&path) {
                Some(text) if quotes(said, &text) => found.push(path),
                Some(_) => {}
                None => *unknown += 1,
            },
            // A link may lead anywhere, and a folder this deep is none of Catena's.
            _ => {}
        }
    }
}

/// The reports of a folder, as the screen writes them, with one of the sentences.
fn quoting_reports(folder: &Path, said: &Quotes) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    // A link may lead anywhere.
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let is_named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("catena-"));
    let mut paths: Vec<PathBuf> = entries.flatten().filter(is_file).map(|entry| entry.path()).filter(is_named).collect();
    paths.sort();
    // Anyone can call a file so; what is no report stays.
    paths.retain(|path| read(path).is_some_and(|text| is_report(path, &text) && quotes(said, &text)));
    paths
}

/// Whether a text is a whole report as Catena writes it (`assets/report/`), and not one that has a part of a report. Its line "Catena 1.2.3
/// · run ID" says so: below the title in Markdown, at the end of a page.
fn is_report(path: &Path, text: &str) -> bool {
    let signs = |line: &str| line.contains("Catena ") && line.contains(" · run ");
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("md") => text.starts_with("# ") && text.lines().take(SIGNED_WITHIN).any(signs),
        Some("html") => text.starts_with(PAGE) && text.lines().rev().take(SIGNED_WITHIN).any(signs),
        Some("json") => serde_json::from_str::<Value>(text)
            .is_ok_and(|value| value.get("schema").and_then(Value::as_str).is_some_and(|schema| schema.starts_with("catena.trace/"))),
        _ => false,
    }
}

fn read(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|state| state.len() <= LARGEST);
    is_small.then(|| fs::read(path).ok()).flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a text has one of the sentences. In JSON, and in lines of it, texts are looked at one by one, without their escapes; so are
/// pages of HTML.
fn quotes(said: &Quotes, text: &str) -> bool {
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        return in_json(said, &value);
    }
    let in_line = |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|value| in_json(said, &value));
    said.are_in(text) || (text.starts_with(PAGE) && said.are_in(&without_references(text))) || text.lines().any(in_line)
}

fn without_references(page: &str) -> String {
    IN_HTML.iter().fold(page.to_owned(), |text, (reference, c)| text.replace(*reference, c))
}

fn in_json(said: &Quotes, value: &Value) -> bool {
    match value {
        Value::String(text) => said.are_in(text),
        Value::Array(values) => values.iter().any(|value| in_json(said, value)),
        Value::Object(values) => values.values().any(|value| in_json(said, value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_quote_are_found_whatever_their_form_and_others_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut said = Quotes::default();
        said.add("Adults begin with 50 mg once daily.");
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("a file");
        };
        put("duels.jsonl", "{\"plan\":1}\n{\"prompts\":[\"1. Zoloft:\\nAdults begin with\\u0020\\\"50 mg\\\" once daily.\\n\"]}\n");
        put("a/traces/run.jsonl", "{\"text\":\"Adults begin with 50 mg once daily.\"}\n");
        put("a/report.md", "Adults begin with 50 mg twice daily.");
        let (mut found, mut unknown) = (Vec::new(), 0);
        quoting_files(folder.path(), DEEPEST, &said, &mut found, &mut unknown);
        let names: Vec<_> = found.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!((names, unknown), (vec!["run.jsonl", "duels.jsonl"], 0));

        said.add("Patients' doses are > 50 mg/day.");
        let (signed, sentence) = ("Catena 1.0.0 · run a1", "Adults begin with 50 mg once daily.");
        let page = format!("<!DOCTYPE html>\n<q>Patients&#x27; doses are &gt; 50 mg&#x2f;day.</q>\n<p>{signed}</p>\n</html>");
        put("catena-dose.md", &format!("# Dose\n\n{signed}\n\n{sentence}"));
        put("catena-dose.html", &page);
        put("catena-dose.json", &format!("{{\"schema\":\"catena.trace/1\",\"text\":\"{sentence}\"}}"));
        let reports = ["catena-dose.html", "catena-dose.json", "catena-dose.md"].map(|name| folder.path().join(name));
        put("catena-notes.md", &format!("I wrote: {sentence}"));
        put("catena-protocol.md", &format!("My protocol, by the report:\n\n{signed}\n\n{sentence}"));
        put("catena-list.json", &format!("[\"catena.trace/1\",\"{sentence}\"]"));
        put("catena-dose.txt", &format!("# Dose\n\n{signed}\n\n{sentence}"));
        put("dose.md", &format!("# Dose\n\n{signed}\n\n{sentence}"));
        #[cfg(unix)]
        std::os::unix::fs::symlink("dose.md", folder.path().join("catena-link.md")).expect("a link");
        assert_eq!(quoting_reports(folder.path(), &said), reports, "notes are no report, and a link may lead anywhere");
    }
}
