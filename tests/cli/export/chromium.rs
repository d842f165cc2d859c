//! The page in a browser: it opens without an error and shows the evidence of the trace. `CATENA_TEST_CHROMIUM` names the browser,
//! else `chromium` is looked for; without one the tests are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use catena::report::{Format, report};
use catena::run::Trace;

use super::evidence;
use crate::support::data::skip;
use crate::support::sample;

/// The browser, or `None` with a word about it.
fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CATENA_TEST_CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = named.or_else(|| std::env::split_paths(&path).map(|folder| folder.join("chromium")).find(|file| file.is_file()));
    if found.is_none() {
        skip("there is no chromium here, and CATENA_TEST_CHROMIUM names none.");
    }
    found
}

/// Opens a page and gives what the browser wrote to standard output and to its log.
fn open(browser: &Path, folder: &Path, arguments: &[&str]) -> (String, String) {
    let page = format!("file://{}", folder.join("report.html").display());
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let always = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"];
    let output = Command::new(browser)
        .args(always)
        .args(["--enable-logging=stderr", "--log-level=0", &profile])
        .args(arguments)
        .arg(page)
        .output()
        .expect("the browser runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// The text of the DOM, without its tags; blanks are joined.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        text.push(' ');
        text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    let text = text.replace("&nbsp;", " ").replace('\u{a0}', " ").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_page_opens_without_errors_and_shows_the_evidence_of_the_trace() {
    let Some(browser) = chromium() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let trace = Trace::fold(&sample::answered("q19a1ff60b13-1-0"));
    std::fs::write(folder.path().join("report.html"), report(&trace, Format::Html, None).expect("is written")).expect("written");
    let picture = format!("--screenshot={}", folder.path().join("page.png").display());
    let (dom, log) = open(&browser, folder.path(), &["--dump-dom"]);
    assert!(!log.contains("CONSOLE"), "{log}");
    let (_, log) = open(&browser, folder.path(), &["--window-size=1200,2600", &picture]);
    assert!(!log.contains("CONSOLE"), "{log}");
    let png = std::fs::read(folder.path().join("page.png")).expect("a screenshot");
    assert!(png.len() > 20_000, "the page is empty: {} bytes", png.len());

    // In the DOM as the browser understood it: each chain under its number, its texts in order, and nothing else under a number.
    let texts = evidence(&trace);
    let chains: Vec<&str> = dom.split("<details class=\"chain").skip(1).collect();
    assert_eq!(chains.len(), texts.len());
    for (number, (chain, text)) in chains.iter().zip(&texts).enumerate() {
        let id = number + 1;
        assert!(chain.contains(&format!("id=\"chain-{id}\"")), "chain {id}");
        let summary = text_of(&chain[..chain.find("</summary>").expect("a summary")]);
        let bare = |text: &str| text.replace(['●', '○', '◆', '✚', '★'], "").split_whitespace().collect::<Vec<_>>().join(" ");
        let score = format!("{:.2}", trace.pruning.kept[number].score);
        assert!(bare(&summary).ends_with(&format!("{id} {score} {}", bare(text))), "{} is not {text}", bare(&summary));
    }
    for id in &trace.answer.citations {
        assert!(dom.contains(&format!("href=\"#chain-{id}\"")), "{id}");
    }
    // The graph has a box for each entity and an edge for each triple.
    let drawing = catena::report::Drawing::of_kept(&trace);
    assert_eq!(dom.matches("<g class=\"node").count(), drawing.nodes.len());
    assert_eq!(dom.matches("<g class=\"edge").count(), drawing.edges.len());
}

#[test]
fn the_browser_would_tell_of_an_error() {
    let Some(browser) = chromium() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let page = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\"><img src=\"http://127.0.0.1:9/x.png\">";
    std::fs::write(folder.path().join("report.html"), page).expect("written");
    let (_, log) = open(&browser, folder.path(), &["--dump-dom"]);
    assert!(log.contains("CONSOLE"), "an image was refused and the log says nothing: {log}");
}
