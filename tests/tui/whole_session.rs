//! A whole session, as a doctor would have it: the real engine, the real loop, keys in and screens out.

use std::path::Path;
use std::sync::Arc;

use catena::run::Ask;
use catena::tui::TuiOptions;

use crate::driven::Driven;
use crate::harness::options;
use crate::support::engine::built_in;

async fn start(folder: &Path) -> Driven {
    let open = async {
        let engine = tokio::task::spawn_blocking(built_in);
        Ok((Arc::new(engine.await.expect("no panic")) as Arc<dyn Ask>).into())
    };
    let options = TuiOptions { sessions: Some((folder.join("sessions"), 10)), reports: folder.join("reports"), ..options() };
    let session = Driven::start(open, options);
    session.shows("entities").await;
    session
}

/// The line of the kept chains of this rank.
fn kept(screen: &str, rank: usize) -> String {
    let start = format!("{rank:>2} 0.");
    let right = |line: &str| line.chars().skip(69).collect::<String>();
    let line = screen.lines().skip(12).map(right).find(|line| line.contains(&start));
    line.unwrap_or_else(|| panic!("no kept chain {rank}:\n{screen}"))
        .chars()
        .skip(10)
        .collect::<String>()
        .trim_end_matches([' ', '│', '┃'])
        .to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ask_triage_why_reread_filter_compare_replay_export() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let session = start(folder.path()).await;

    // Ask.
    session.type_text("I feel stomach reflux after eating. What medicine should I take?");
    session.press(&["enter"]);
    let answered = session.until("an answer", |screen| screen.contains("Answer from ") && screen.contains("5 Kept 10 of")).await;

    // Why? The explanation names where the triples come from.
    session.press(&["5", "home", "7", "z", "end"]);
    session.shows("Sources of its triples").await;
    session.press(&["z"]);

    // Triage: the best chain is rejected, the next moves up, and the answer is written anew.
    session.press(&["5", "home", "x"]);
    let ten = |screen: &str| (1..=10).map(|rank| kept(screen, rank)).collect::<Vec<_>>();
    let is_triaged = |screen: &str| screen.contains("· ✗ 1") && screen.contains("answered in") && ten(screen) != ten(&answered);
    let triaged = session.until("the best chain is out", is_triaged).await;
    assert_ne!(ten(&triaged), ten(&answered), "others are kept now");
    // Taken back and decided again.
    session.press(&["u"]);
    // What is said of the decision is there before the chains are chosen again.
    let is_back = |screen: &str| !screen.contains("· ✗ 1") && screen.contains("Undone") && ten(screen) == ten(&answered);
    session.until("everything is as before", is_back).await;
    session.press(&["ctrl+r"]);
    session.until("decided again", |screen| screen.contains("· ✗ 1")).await;

    // Read anew.
    session.press(&["r"]);
    session.until("a fresh answer", |screen| screen.contains("Answer from ") && !screen.contains("outdated: press")).await;

    // An anchor is added from the graph; more chains are found.
    session.press(&["a"]);
    session.type_text("gastric ul");
    session.shows("Peptic ulcer").await;
    session.press(&["enter"]);
    session.until("the anchor", |screen| screen.contains("3 Anchors 18") && screen.contains("answered in")).await;

    // A filter, and what it leaves.
    session.press(&["4", "f"]);
    session.type_text("omeprazole antacid");
    session.shows("filtered from").await;
    session.press(&["enter", "esc"]);
    session.until("all chains again", |screen| !screen.contains("filtered from")).await;

    // A setting, in place.
    session.press(&[",", "j", "left", "left", "enter"]);
    session.shows("5 Kept 8 of").await;

    // A second question, then the first beside it.
    session.press(&["i", "ctrl+l"]);
    session.type_text("Which tests are needed in type 2 diabetes?");
    session.press(&["enter"]);
    session
        .until("the second answer", |screen| screen.contains("Answer from ") && screen.contains("diabetes") && !screen.contains("reflux"))
        .await;
    session.press(&["6", "space", "c"]);
    session.shows("8 kept · changed").await;
    session.press(&["enter"]);
    session.shows("This run compared with an earlier one").await;
    session.shows("Only this run").await;
    session.press(&["esc"]);

    // Open the first again, from the disk, and play it.
    session.press(&["space", "h"]);
    session.shows("Earlier runs").await;
    session.type_text("stomach");
    session.until("only the first", |screen| screen.contains("8 kept · changed") && !screen.contains("   10 kept")).await;
    session.press(&["enter"]);
    let opened = session.shows("This is an earlier run").await;
    assert!(opened.contains("3 Anchors 18") && opened.contains("5 Kept 8 of"), "as it was left:\n{opened}");
    // What is reopened can be triaged further.
    session.press(&["5", "home", "p"]);
    session.until("a pin, and the run at its end", |screen| screen.contains("· ▲ 1") && !screen.contains("Esc stop")).await;
    session.press(&["space", "p", "space"]);
    session.shows("⏸ paused").await;
    session.press(&["esc"]);
    session.until("the whole run", |screen| screen.contains("5 Kept 8 of")).await;

    // Export.
    session.press(&["space", "e"]);
    session.type_text("markdown");
    session.press(&["enter"]);
    session.shows("Write the report to this file").await;
    session.press(&["enter"]);
    session.shows("Written to").await;
    let report = std::fs::read_dir(folder.path().join("reports")).expect("a folder").next().expect("a report").expect("readable");
    let text = std::fs::read_to_string(report.path()).expect("text");
    assert!(text.contains("stomach reflux") && text.contains("Peptic ulcer"), "{text}");

    session.ends().await;
    let recorded = std::fs::read_dir(folder.path().join("sessions")).expect("a folder");
    let runs = recorded.filter(|entry| entry.as_ref().expect("readable").path().extension().is_some_and(|end| end == "jsonl"));
    assert_eq!(runs.count(), 2, "each question is recorded once, with its revisions");
}
