//! Another instance, damaged and unwritable journals: questions are answered, and it is said what is the matter.

use std::fs;
use std::io::Write;

use catena::dkg::Dkg;

use super::{QUESTION, asked, learned, rate, run};
use crate::support::Catena;

fn journal(catena: &Catena) -> std::path::PathBuf {
    catena.state().join("dkg/journal.jsonl")
}

#[test]
fn one_process_writes_and_all_others_read() {
    let catena = asked();
    rate(&catena, &["good", "--accept"]);
    let held = Dkg::open(&catena.state().join("dkg")).unwrap();
    assert_eq!(held.read_only(), None);
    let ran = run(&catena, &["dkg", "feedback", "run.jsonl", "good", "--kg", "small.tsv"], 1);
    assert!(ran.stderr.contains("has it open") && ran.stdout.is_empty(), "{}", ran.stderr);
    for refused in [&["dkg", "undo", "1"][..], &["dkg", "accept", "--all"]] {
        assert!(run(&catena, refused, 1).stderr.contains("has it open"));
    }
    assert!(learned(&catena.trace(QUESTION, &["--kg", "small.tsv"], 0)) > 0, "questions see what was learned");
    assert!(run(&catena, &["dkg", "verify"], 0).stdout.contains("cannot be compared now"));
    assert!(run(&catena, &["check"], 0).stdout.contains("the DKG cannot learn now: another Catena"));
    let ran = catena.run_with(["--accessible", "--kg", "small.tsv"], format!("{QUESTION}\ngood\n").as_bytes());
    assert!(ran.stdout.contains("can only be read here") && ran.stdout.contains("Nothing was recorded: "), "{}", ran.stdout);
    drop(held);
    rate(&catena, &["good"]);
}

#[test]
fn asking_keeps_nobody_from_writing() {
    let catena = asked();
    rate(&catena, &["good", "--accept"]);
    let reader = Dkg::open_read_only(&catena.state().join("dkg")).unwrap();
    assert!(!reader.learned().unwrap().is_empty());
    rate(&catena, &["good"]);
    drop(reader);
}

#[test]
fn a_damaged_journal_costs_what_was_learned_and_not_the_answer() {
    let catena = asked();
    rate(&catena, &["good", "--accept"]);
    let good = fs::read_to_string(journal(&catena)).unwrap();
    fs::write(journal(&catena), good.replacen("\"rating\":\"good\"", "\"rating\":\"gold\"", 1)).unwrap();
    let ran = run(&catena, &["ask", QUESTION, "--kg", "small.tsv"], 0);
    assert!(ran.stderr.contains("WITHOUT the DKG") && ran.stderr.contains("journal.jsonl, line 1"), "{}", ran.stderr);
    let ran = run(&catena, &["ask", QUESTION, "--kg", "small.tsv", "--json"], 0);
    assert!(ran.stderr.contains("line 1") && learned(&ran.json()) == 0, "{}", ran.stderr);
    let ran = run(&catena, &["dkg", "verify"], 1);
    assert!(ran.stderr.contains("line 1") && ran.stderr.contains("checksum"), "{}", ran.stderr);
    assert!(run(&catena, &["dkg", "feedback", "run.jsonl", "good", "--kg", "small.tsv"], 1).stderr.contains("line 1"));
    assert!(run(&catena, &["check"], 1).stdout.contains("CANNOT be used"));
    let talked = catena.run_with(["--accessible", "--kg", "small.tsv"], b"good\n");
    assert!(talked.stdout.contains("WITHOUT the DKG") && talked.stdout.contains("Catena cannot learn now"), "{}", talked.stdout);

    // What precedes the damage can still be saved.
    let lines: Vec<&str> = good.lines().collect();
    let mut last = lines[lines.len() - 1].replace("\"type\":\"accept\"", "\"type\":\"reject\"");
    last.push('\n');
    fs::write(journal(&catena), format!("{good}{last}")).unwrap();
    let ran = run(&catena, &["dkg", "export", "--to", "tsv"], 1);
    assert!(ran.stdout.lines().count() > 1 && ran.stderr.contains("line 4"), "{}{}", ran.stdout, ran.stderr);
    assert!(run(&catena, &["dkg", "log"], 1).stdout.contains("accepted"));

    fs::write(journal(&catena), good).unwrap();
    run(&catena, &["dkg", "verify"], 0);
    assert!(learned(&catena.trace(QUESTION, &["--kg", "small.tsv"], 0)) > 0);
}

#[test]
fn a_torn_line_was_never_confirmed_and_is_told_when_it_is_cut_off() {
    let catena = asked();
    rate(&catena, &["good", "--accept"]);
    let mut file = fs::OpenOptions::new().append(true).open(journal(&catena)).unwrap();
    file.write_all(b"{\"at_ms\":17").unwrap();
    drop(file);
    assert!(learned(&catena.trace(QUESTION, &["--kg", "small.tsv"], 0)) > 0);
    assert!(run(&catena, &["dkg", "verify"], 0).stdout.contains("11 bytes after the last record"));
    let ran = run(&catena, &["dkg", "undo", "3"], 0);
    assert!(ran.stderr.contains("last 11 bytes"), "{}", ran.stderr);
    assert!(run(&catena, &["dkg", "verify"], 0).stderr.is_empty());
}

#[test]
fn records_that_were_removed_are_noticed() {
    let catena = asked();
    rate(&catena, &["good", "--accept"]);
    let text = fs::read_to_string(journal(&catena)).unwrap();
    let first: String = text.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(journal(&catena), first).unwrap();
    assert!(run(&catena, &["dkg", "verify"], 1).stdout.contains("REMOVED"));
}

#[cfg(unix)]
#[test]
fn in_a_folder_that_cannot_be_written_one_can_ask_and_read() {
    use std::os::unix::fs::PermissionsExt;
    let catena = asked();
    rate(&catena, &["good", "--accept"]);
    let folder = catena.state().join("dkg");
    let mode = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(&folder, 0o500);
    for file in ["journal.jsonl", "lock"] {
        mode(&folder.join(file), 0o400);
    }
    let can_write = fs::OpenOptions::new().append(true).open(journal(&catena)).is_ok();
    if can_write {
        eprintln!("SKIPPED: this user may write what nobody may write.");
    } else {
        assert!(learned(&catena.trace(QUESTION, &["--kg", "small.tsv"], 0)) > 0);
        assert!(run(&catena, &["dkg", "undo", "3"], 1).stderr.contains("only be read"));
        assert!(run(&catena, &["check"], 0).stdout.contains("the DKG cannot learn now"));
        run(&catena, &["dkg", "log"], 0);
    }
    mode(&folder, 0o700);
    for file in ["journal.jsonl", "lock"] {
        mode(&folder.join(file), 0o600);
    }
}
