//! The folder: lists and their index, search, removal.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

use catena::run::Trace;
use catena::session::{SessionError, Store, time_of_id};
use tempfile::TempDir;

use super::{asked, record, revised, store};
use crate::support::sample;

#[cfg(unix)]
#[test]
fn a_folder_that_was_open_to_others_is_closed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    Store::open(folder.path(), 10).expect("opens");
    assert_eq!(fs::metadata(folder.path()).expect("there").permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_list_says_what_was_asked_and_what_came_of_it() {
    let (_folder, store) = store();
    record(&store, &sample::answered("q19a1ff60b13-1-0"));
    let mut all = sample::answered("q19a1ff60b14-1-1");
    all.extend(revised("q19a1ff60b14-1-1", &[0, 1]));
    record(&store, &all);
    record(&store, &sample::answered("q19a1ff60b12-1-2")[..40]);
    let listing = store.list().expect("lists");
    assert!(listing.unreadable.is_empty(), "{:?}", listing.unreadable);
    let ids: Vec<&str> = listing.sessions.iter().map(|session| session.id.as_str()).collect();
    assert_eq!(ids, ["q19a1ff60b14-1-1", "q19a1ff60b13-1-0", "q19a1ff60b12-1-2"], "newest first");
    let [newest, middle, oldest] = &listing.sessions[..] else { panic!("three sessions") };
    for (session, events) in [(newest, &all[..]), (middle, &sample::answered("q19a1ff60b13-1-0")[..])] {
        let trace = Trace::fold(events);
        assert_eq!((session.question.as_str(), session.graph.as_str(), session.method.as_str()), (sample::QUESTION, "starter", "hykge"));
        assert_eq!(session.outcome, trace.outcome);
        assert_eq!((session.anchors, session.chains), (trace.anchors.len() as u64, trace.chains_found));
        assert_eq!((session.kept, session.revisions), (trace.pruning.kept.len() as u64, u64::from(trace.revisions)));
    }
    assert_eq!((newest.kept, newest.revisions, newest.outcome_word()), (2, 1, "answered"));
    assert_eq!((oldest.outcome.as_ref(), oldest.outcome_word()), (None, "unfinished"));
    assert_eq!(Some(newest.asked()), time_of_id(&newest.id));
}
#[test]
fn a_broken_file_is_named_with_its_line_and_hides_no_other() {
    let (folder, store) = store();
    record(&store, &sample::answered("good"));
    record(&store, &sample::answered_with("bad", 12));
    let path = folder.path().join("sessions").join("bad.jsonl");
    let mut lines: Vec<String> = fs::read_to_string(&path).expect("readable").lines().map(str::to_owned).collect();
    lines[4] = "{\"run\":\"bad\"".into();
    fs::write(&path, lines.join("\n") + "\n").expect("written");
    fs::write(folder.path().join("sessions").join("empty.jsonl"), "").expect("written");
    fs::write(folder.path().join("sessions").join("note.txt"), "mine").expect("written");
    let error = store.read("bad").expect_err("is broken").to_string();
    assert!(error.contains("bad.jsonl") && error.contains("line 5"), "{error}");
    let listing = store.list().expect("lists");
    assert_eq!(listing.sessions.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["good"]);
    let told: Vec<(&str, bool)> =
        listing.unreadable.iter().map(|u| (u.file.as_str(), u.reason.contains("line 5") || u.reason.contains("empty"))).collect();
    assert_eq!(told, [("bad.jsonl", true), ("empty.jsonl", true)]);
    assert_eq!(store.list().expect("lists"), listing, "the second list is from the index");
}
#[test]
fn a_list_does_not_read_what_has_not_changed_and_makes_a_lost_index_anew() {
    let (folder, store) = store();
    for run in 0..5 {
        record(&store, &asked(&format!("run-{run}"), &format!("question {run}")));
    }
    let listing = store.list().expect("lists");
    // A file that looks unchanged is not opened: what it holds now is not seen.
    let path = folder.path().join("sessions").join("run-3.jsonl");
    let (text, changed) =
        (fs::read_to_string(&path).expect("readable"), fs::metadata(&path).and_then(|state| state.modified()).expect("a time"));
    fs::write(&path, text.replace("question 3", "question X")).expect("written");
    let set = |time| fs::File::options().append(true).open(&path).expect("opens").set_modified(time).expect("a time");
    set(changed);
    assert_eq!(store.list().expect("lists"), listing);
    // One that has changed is, and so is all when there is no index, or only half of one.
    set(changed + Duration::from_secs(1));
    let anew = store.list().expect("lists");
    assert_eq!(anew.sessions.iter().filter(|session| session.question == "question X").count(), 1);
    let index = folder.path().join("sessions").join("index");
    let held = fs::read(&index).expect("there is an index");
    for broken in [&b""[..], &held[..held.len() / 2], b"\xff\xfe nonsense"] {
        fs::write(&index, broken).expect("written");
        assert_eq!(store.list().expect("lists"), anew);
    }
    fs::remove_file(&index).expect("removed");
    assert_eq!(store.list().expect("lists"), anew);
    assert_eq!(fs::read(&index).expect("it is there again").len(), held.len());
}

/// Every byte in the folder.
fn holds(folder: &TempDir, text: &str) -> bool {
    let read = |path| String::from_utf8_lossy(&fs::read(path).expect("readable")).contains(text);
    fs::read_dir(folder.path().join("sessions")).expect("a folder").any(|entry| read(entry.expect("an entry").path()))
}

#[test]
fn of_a_deleted_session_nothing_is_left() {
    let (folder, store) = store();
    record(&store, &asked("run-1", "Jane Doe has a fever"));
    record(&store, &asked("run-2", "a cough"));
    store.list().expect("lists");
    assert!(holds(&folder, "Jane Doe"));
    store.delete("run-1").expect("is removed");
    assert!(!holds(&folder, "Jane Doe") && holds(&folder, "a cough"));
    assert!(matches!(store.delete("run-1"), Err(SessionError::Unknown { .. })));
    assert_eq!(store.list().expect("lists").sessions.len(), 1);
}

#[test]
fn the_oldest_go_when_there_are_too_many() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("sessions"), 3).expect("opens");
    let begin = SystemTime::now() - Duration::from_secs(1000);
    for run in 0..6u64 {
        record(&store, &asked(&format!("run-{run}"), &format!("question {run}")));
        let path = folder.path().join("sessions").join(format!("run-{run}.jsonl"));
        fs::File::options().append(true).open(path).expect("opens").set_modified(begin + Duration::from_secs(run)).expect("a time");
    }
    let left: BTreeSet<String> = store.list().expect("lists").sessions.into_iter().map(|session| session.question).collect();
    assert_eq!(left, ["question 3", "question 4", "question 5"].map(String::from).into());
    assert!(!holds(&folder, "question 0"));
}
