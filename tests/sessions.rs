//! Sessions: recorded, cut, carried on, listed, searched, removed, compared.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail the test")]

#[path = "tui/sample.rs"]
#[allow(dead_code, reason = "the screen's tests use the rest of it")]
mod sample;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use catena::graph::ChainKind;
use catena::pipeline::{ChainKey, Event, EventKind, Outcome, Pruning, ScoredChain, Stage, Trace, Triage};
use catena::session::{KEPT_SESSIONS, SessionError, Store, compare, matching, read_events, time_of_id};
use proptest::prelude::*;
use tempfile::TempDir;

fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("sessions"), KEPT_SESSIONS).expect("opens");
    (folder, store)
}

fn record(store: &Store, events: &[Event]) {
    let mut recorder = store.recorder();
    for event in events {
        assert!(recorder.take(event).expect("is written"), "{event:?} was not recorded");
    }
}

/// The files of the folder, as paths, without the index.
fn files(folder: &TempDir) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(folder.path().join("sessions")).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some());
    files.sort();
    files
}

fn asked(run: &str, question: &str) -> Vec<Event> {
    let mut events = sample::answered_with(run, 12);
    if let EventKind::RunStarted { question: asked, .. } = &mut events[0].what {
        *asked = question.into();
    }
    events
}

fn scored(chains: &[u32]) -> Vec<ScoredChain> {
    chains
        .iter()
        .zip(1..)
        .map(|(chain, rank)| ScoredChain { chain: *chain, score: 1.0 / f64::from(rank), by_fragment: vec![0.5] })
        .collect()
}

/// Another choice of chains, in the place of the first.
fn choosing(mut events: Vec<Event>, kept: &[u32], runners_up: &[u32]) -> Vec<Event> {
    for event in &mut events {
        if let EventKind::ChainsPruned { pruning } = &mut event.what {
            *pruning = Arc::new(Pruning { kept: scored(kept), runners_up: scored(runners_up), ..Pruning::clone(pruning) });
        }
    }
    events
}

/// What a doctor's triage brings: another choice, and an answer from it.
fn revised(run: &str, kept: &[u32]) -> Vec<Event> {
    let triage = Triage { rejected_kinds: [ChainKind::CoAncestor].into(), ..Triage::default() };
    let kinds = [
        EventKind::Revised { triage: Arc::new(triage), from: Stage::Prune },
        EventKind::ChainsPruned { pruning: Arc::new(Pruning { kept: scored(kept), ..Pruning::default() }) },
        EventKind::AnswerFinished { answer: sample::answer() },
        EventKind::RunFinished { outcome: Outcome::Answered, total_ms: 40.0 },
    ];
    kinds.into_iter().map(|what| Event { run: run.into(), at_ms: 30.0, what }).collect()
}

fn kept(trace: &Trace) -> Vec<ChainKey> {
    trace.kept().map(|(_, _, chain)| ChainKey::of(&trace.table, chain)).collect()
}

#[test]
fn a_run_comes_back_as_it_was_and_is_only_for_its_owner() {
    let (folder, store) = store();
    let events = sample::answered("q19a1ff60b13-1-0");
    record(&store, &events);
    let read = store.read("q19a1ff60b13-1-0").expect("is there");
    assert_eq!((read.events.as_slice(), read.torn), (events.as_slice(), 0));
    assert_eq!(read.trace(), Trace::fold(&events));
    assert_eq!(read.asked, time_of_id("q19a1ff60b13-1-0"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        store.list().expect("lists");
        assert_eq!(mode(&folder.path().join("sessions")), 0o700);
        for entry in fs::read_dir(folder.path().join("sessions")).expect("a folder") {
            let path = entry.expect("an entry").path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
    assert!(matches!(store.read("other"), Err(SessionError::Unknown { .. })));
}

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
fn a_last_line_that_was_cut_short_is_the_only_one_that_is_lost() {
    let (folder, store) = store();
    let events = sample::answered_with("run", 12);
    record(&store, &events);
    let path = files(&folder).remove(0);
    let whole = fs::read(&path).expect("readable");
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("several lines") + 1;
    for length in last + 1..whole.len() - 1 {
        fs::write(&path, &whole[..length]).expect("written");
        let read = store.read("run").expect("is read");
        assert_eq!((read.events.len(), read.torn), (events.len() - 1, 1), "cut after {} bytes of the last line", length - last);
    }
    // Without the end of the line nothing is lost; at the end of a line nothing is torn.
    for (length, lost) in [(whole.len() - 1, 0), (last, 1)] {
        fs::write(&path, &whole[..length]).expect("written");
        let read = store.read("run").expect("is read");
        assert_eq!((read.events.len(), read.torn), (events.len() - lost, 0));
    }
    // It is listed too, and what comes later stands on a line of its own.
    fs::write(&path, &whole[..last + 9]).expect("written");
    assert_eq!(store.list().expect("lists").sessions[0].outcome, None);
    let mut recorder = store.recorder();
    for event in revised("run", &[1, 0]) {
        assert!(recorder.take(&event).expect("written"));
    }
    let read = store.read("run").expect("is read");
    assert_eq!((read.torn, read.trace().revisions), (0, 1));
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
fn ids_are_not_trusted_as_names_of_files() {
    let (folder, store) = store();
    let long = "q".repeat(5000);
    let ids = ["../../outside", "/etc/passwd", "a/b", "", ".", "..", "a\0b", "Q1", "index", "x-1", "con", "a.jsonl", "-rf", "头痛", &long];
    for id in ids {
        record(&store, &asked(id, &format!("question of {id}")));
    }
    assert_eq!(files(&folder).len(), ids.len(), "{:?}", files(&folder));
    let outside: Vec<_> = fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(outside, ["sessions"]);
    for id in ids {
        assert_eq!(store.read(id).expect("is there").events[0].run.as_ref(), id);
    }
    assert_eq!(store.list().expect("lists").sessions.len(), ids.len());
}

/// Twelve thousand chains, of which some beyond the ten-thousandth are kept.
fn large(run: &str) -> Vec<Event> {
    choosing(sample::answered_with(run, 12_000), &[3, 11_000, 10_500], &[11_999, 5])
}

#[test]
fn a_large_table_is_cut_and_nothing_that_matters_is_missing() {
    let (_folder, store) = store();
    let events = large("run");
    record(&store, &events);
    let (whole, cut) = (Trace::fold(&events), store.read("run").expect("is there").trace());
    assert_eq!(cut.table.chains.len(), 10_003);
    assert_eq!((cut.chains_found, &cut.by_kind), (12_000, &whole.by_kind), "what was found is what was found");
    assert_eq!(kept(&cut), kept(&whole));
    let runners_up = |trace: &Trace| -> Vec<ChainKey> {
        trace.pruning.runners_up.iter().map(|s| ChainKey::of(&trace.table, &trace.table.chains[s.chain as usize])).collect()
    };
    assert_eq!(runners_up(&cut), runners_up(&whole));
    for number in [0, 17, 9_999] {
        assert_eq!(cut.table.text(&cut.table.chains[number]), whole.table.text(&whole.table.chains[number]));
    }
    let scores = |trace: &Trace| trace.pruning.kept.iter().map(|s| (s.score, s.by_fragment.clone())).collect::<Vec<_>>();
    assert_eq!(scores(&cut), scores(&whole));
    assert_eq!((cut.answer, cut.warnings, cut.stages, cut.outcome), (whole.answer, whole.warnings, whole.stages, whole.outcome));
    let read = store.read("run").expect("is there").events;
    assert!(read.windows(2).all(|pair| pair[0].at_ms <= pair[1].at_ms), "time runs forward");
}

#[test]
fn a_run_that_ends_before_the_choice_keeps_its_chains() {
    let (_folder, store) = store();
    let mut events = large("run");
    let found = events.iter().position(|event| matches!(event.what, EventKind::ChainsFound { .. })).expect("chains");
    events.truncate(found + 2);
    events.push(Event { run: "run".into(), at_ms: 14.0, what: EventKind::RunFinished { outcome: Outcome::Cancelled, total_ms: 14.0 } });
    record(&store, &events);
    let trace = store.read("run").expect("is there").trace();
    assert_eq!((trace.table.chains.len(), trace.outcome), (10_000, Some(Outcome::Cancelled)));
}

#[test]
fn a_revision_is_appended_and_may_choose_chains_that_were_cut() {
    let (_folder, store) = store();
    let mut events = large("run");
    let mut recorder = store.recorder();
    for event in &events {
        recorder.take(event).expect("written");
    }
    // First one that stays within what is on disk, then one that does not.
    for choice in [&[11_000, 7][..], &[10_001, 3, 11_998]] {
        let revision = revised("run", choice);
        for event in &revision {
            assert!(recorder.take(event).expect("written"));
        }
        events.extend(revision);
        let (read, whole) = (store.read("run").expect("is there").trace(), Trace::fold(&events));
        assert_eq!(kept(&read), kept(&whole));
        assert_eq!((read.revisions, read.is_stale()), (whole.revisions, whole.is_stale()));
        assert_eq!(read.triage, whole.triage);
    }
    // Opened again, its chains are numbered as on disk.
    let again = store.read("run").expect("is there").trace();
    recorder.reopened("run");
    let number = again.table.chains.len() as u32 - 1;
    for event in revised("run", &[number]) {
        assert!(recorder.take(&event).expect("written"));
    }
    let read = store.read("run").expect("is there").trace();
    assert_eq!(kept(&read), [ChainKey::of(&again.table, &again.table.chains[number as usize])]);
}

#[test]
fn a_revision_whose_numbers_could_mean_other_chains_is_not_recorded() {
    let (_folder, store) = store();
    let mut recorder = store.recorder();
    for run in 0..10 {
        for event in &large(&format!("run-{run}")) {
            recorder.take(event).expect("written");
        }
    }
    let before = store.read("run-0").expect("is there");
    for event in revised("run-0", &[11_000]) {
        assert!(!recorder.take(&event).expect("nothing fails"), "the table of the first run is forgotten");
    }
    assert_eq!(store.read("run-0").expect("is there"), before);
    recorder.reopened("run-0");
    for event in revised("run-0", &[4]) {
        assert!(recorder.take(&event).expect("written"));
    }
    assert_eq!(store.read("run-0").expect("is there").trace().revisions, 1);
}

#[test]
fn what_was_not_seen_from_its_beginning_is_not_recorded() {
    let (folder, store) = store();
    let mut recorder = store.recorder();
    for event in &sample::answered("run")[1..] {
        assert!(!recorder.take(event).expect("nothing fails"));
    }
    for event in revised("never", &[0]) {
        assert!(!recorder.take(&event).expect("nothing fails"));
    }
    assert!(files(&folder).is_empty());
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

#[test]
fn a_search_finds_sessions_in_which_every_word_occurs() {
    let (_folder, store) = store();
    record(&store, &asked("run-1", "Ménière’s disease and FEVER"));
    record(&store, &asked("run-2", "我吃完饭后烧心，应该吃什么药？"));
    record(&store, &asked("run-3", "fever after a journey"));
    let sessions = store.list().expect("lists").sessions;
    let found = |query: &str| -> BTreeSet<String> { matching(&sessions, query).into_iter().map(|s| s.id.clone()).collect() };
    assert_eq!(found("fever").len(), 2);
    assert_eq!(found("fever  menieres"), ["run-1".to_owned()].into());
    assert_eq!(found("烧心 药"), ["run-2".to_owned()].into());
    assert_eq!(found("answered starter hykge").len(), 3);
    assert_eq!(found("fever cough").len(), 0);
    assert_eq!((found(" ").len(), found("?!").len()), (3, 3));
}

#[test]
fn times_are_read_from_ids_that_catena_gave_alone() {
    let time = time_of_id("q19a1ff60b13-4734-0").expect("a time");
    assert_eq!(time.duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_millis(), 0x19a_1ff6_0b13);
    for id in ["", "q", "q-", "a", "question-1", "q123-1", "qzzzzzzzzzzz-1", "q19a1ff60b13", "qffffffffffffffff-1"] {
        assert_eq!(time_of_id(id), None, "{id}");
    }
}

#[test]
fn a_file_that_is_no_recording_is_refused_in_plain_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.jsonl");
    for (text, says) in [("", "run_started"), ("hello\n", "line 1"), ("hello", "run_started"), ("\u{0}\u{1}\n", "line 1")] {
        fs::write(&path, text).expect("written");
        let error = read_events(&path).expect_err("is refused").to_string();
        assert!(error.contains(says) && error.contains("x.jsonl"), "{text:?}: {error}");
    }
    assert!(matches!(read_events(folder.path()), Err(SessionError::Read { .. })));
}

/// A run of which some things are otherwise.
fn variant(kept: Vec<u32>, dropped: usize, k: usize, question: bool, reject: bool) -> Trace {
    let mut kept = kept;
    let mut seen = BTreeSet::new();
    kept.retain(|chain| seen.insert(*chain));
    let mut events = choosing(sample::answered_with("run", 40), &kept, &[]);
    if let EventKind::RunStarted { question: asked, settings, .. } = &mut events[0].what {
        settings.k = k;
        if question {
            asked.push_str(" And why?");
        }
    }
    let mut anchors = 0;
    events.retain(|event| {
        anchors += usize::from(matches!(event.what, EventKind::AnchorLinked { .. }));
        !matches!(event.what, EventKind::AnchorLinked { .. }) || anchors > dropped
    });
    if let Some(Event { what: EventKind::AnswerFinished { answer }, .. }) =
        events.iter_mut().find(|event| matches!(event.what, EventKind::AnswerFinished { .. }))
    {
        answer.entities.truncate(k);
    }
    let mut trace = Trace::fold(&events);
    if reject {
        trace.triage = Arc::new(Triage { rejected_through: ["Heartburn".to_owned()].into(), ..Triage::default() });
    }
    trace
}

fn variants() -> impl Strategy<Value = Trace> {
    (proptest::collection::vec(0u32..40, 0..8), 0usize..5, 1usize..4, any::<bool>(), any::<bool>())
        .prop_map(|(kept, dropped, k, question, reject)| variant(kept, dropped, k, question, reject))
}

#[test]
fn a_comparison_says_what_was_gained_and_lost() {
    let (before, after) = (variant(vec![0, 1, 2], 0, 3, false, false), variant(vec![2, 3], 2, 2, false, true));
    let comparison = compare(&before, &after);
    let texts = |changes: &[catena::session::ChainChange]| changes.iter().map(|c| c.text.clone()).collect::<Vec<_>>();
    let text = |number: usize| before.table.text(&before.table.chains[number]);
    assert_eq!(texts(&comparison.chains_gained), [text(3)]);
    assert_eq!(texts(&comparison.chains_lost), [text(0), text(1)]);
    assert_eq!(comparison.chains_kept.iter().map(|c| (c.before, c.after)).collect::<Vec<_>>(), [(Some(3), Some(1))]);
    assert_eq!(comparison.anchors_lost.len(), 2);
    assert!(comparison.anchors_gained.is_empty());
    assert_eq!(
        comparison.settings.iter().map(|d| (d.what.as_str(), d.before.as_str(), d.after.as_str())).collect::<Vec<_>>(),
        [("k", "3", "2")]
    );
    assert_eq!(comparison.triage.len(), 1);
    assert_eq!(comparison.entities_lost, ["Aluminium hydroxide"]);
    assert!(!comparison.is_same());
}

#[test]
fn chains_that_only_one_run_found_are_counted_and_shown() {
    let (few, many) = (Trace::fold(&sample::answered_with("a", 12)), Trace::fold(&sample::answered_with("b", 125)));
    let comparison = compare(&few, &many);
    assert_eq!(comparison.found, (12, 125));
    assert_eq!(comparison.found_lost, (0, Vec::new()));
    assert!(comparison.found_gained.0 > 100 && comparison.found_gained.1.len() == 20, "{:?}", comparison.found_gained);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_run_compared_with_itself_shows_nothing_and_swapping_swaps(a in variants(), b in variants()) {
        prop_assert!(compare(&a, &a).is_same());
        let (there, back) = (compare(&a, &b), compare(&b, &a));
        let turned = |changes: &[catena::session::ChainChange]| {
            changes.iter().map(|c| (c.key.clone(), c.after, c.before)).collect::<Vec<_>>()
        };
        let straight = |changes: &[catena::session::ChainChange]| {
            changes.iter().map(|c| (c.key.clone(), c.before, c.after)).collect::<Vec<_>>()
        };
        prop_assert_eq!(straight(&there.chains_gained), turned(&back.chains_lost));
        prop_assert_eq!(straight(&there.chains_lost), turned(&back.chains_gained));
        let names = |changes: &[catena::session::AnchorChange]| changes.iter().map(|c| c.entity.clone()).collect::<Vec<_>>();
        prop_assert_eq!(names(&there.anchors_gained), names(&back.anchors_lost));
        prop_assert_eq!(names(&there.anchors_lost), names(&back.anchors_gained));
        prop_assert_eq!(names(&there.anchors_kept), names(&back.anchors_kept));
        prop_assert_eq!(&there.entities_gained, &back.entities_lost);
        prop_assert_eq!(&there.found_gained, &back.found_lost);
        prop_assert_eq!(there.found, (back.found.1, back.found.0));
        for (one, other) in there.settings.iter().zip(&back.settings).chain(there.triage.iter().zip(&back.triage)) {
            prop_assert_eq!((&one.what, &one.before, &one.after), (&other.what, &other.after, &other.before));
        }
        prop_assert_eq!(there.settings.len(), back.settings.len());
        prop_assert_eq!(there.is_same(), back.is_same());
    }
}
