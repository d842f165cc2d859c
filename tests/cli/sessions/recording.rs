//! Recording and reading back: whole runs, runs cut short, large tables, revisions, ids that are no names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use catena::run::{ChainKey, Event, EventFault, EventKind, Outcome, Stage, Trace, Triage};
use catena::session::{SessionError, read_events, time_of_id};

use super::{asked, choosing, files, kept, record, revised, store};
use crate::support::sample;

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

/// What an anchor that is added, or taken away again, brings: other chains, a choice among them, and no other answer.
fn searched_again(run: &str, triage: Triage, chains: usize, kept: &[u32], at_ms: f64) -> Vec<Event> {
    let table = Arc::new(sample::table(chains));
    let whole = choosing(sample::answered_with(run, chains), kept, &[]);
    let pruned = whole.into_iter().map(|event| event.what).find(|what| matches!(what, EventKind::ChainsPruned { .. })).expect("a choice");
    let kinds = [
        EventKind::Revised { triage: Arc::new(triage), from: Stage::Search },
        EventKind::StageStarted { stage: Stage::Search },
        EventKind::ChainsFound { table, found: chains as u64, by_kind: BTreeMap::new(), truncated: None },
        EventKind::StageFinished { stage: Stage::Search, elapsed_ms: 1.0 },
        EventKind::StageStarted { stage: Stage::Prune },
        pruned,
        EventKind::StageFinished { stage: Stage::Prune, elapsed_ms: 1.0 },
        EventKind::RunFinished { outcome: Outcome::Answered, total_ms: at_ms },
    ];
    kinds.into_iter().map(|what| Event { run: run.into(), at_ms, what }).collect()
}

#[test]
fn an_anchor_added_to_a_large_run_and_undone_replays_at_every_event() {
    let (_folder, store) = store();
    let added = Triage { added_anchors: vec!["Gastritis".into()], ..Triage::default() };
    let mut live = large("run");
    live.extend(searched_again("run", added, 14_000, &[13_000, 13_900, 12_500, 4], 40.0));
    live.extend(searched_again("run", Triage::default(), 12_000, &[3, 11_000, 10_500], 50.0));
    record(&store, &live);
    let read = store.read("run").expect("is there").events;
    let (mut whole, mut cut) = (Trace::default(), Trace::default());
    assert_eq!(read.len(), live.len(), "a choice among a table that waits for it needs no second table");
    for (event, on_disk) in live.iter().zip(&read) {
        whole.apply(event);
        cut.apply(on_disk);
        assert_eq!(cut.kept().count(), cut.pruning.kept.len(), "every kept chain is one of the table");
        // A large table is written once the choice among it is known, so the recording holds the same events in the same order.
        assert_eq!(
            (kept(&cut), cut.is_stale(), cut.revisions),
            (kept(&whole), whole.is_stale(), whole.revisions),
            "{:.60}",
            format!("{:?}", event.what)
        );
    }
    assert_eq!((cut.table.chains.len(), kept(&cut).len(), cut.is_stale()), (10_002, 3, false));
    assert!(cut.faults().keys().all(|fault| *fault == EventFault::Citation), "{:?}", cut.faults());
}

#[test]
fn a_chain_that_was_rejected_is_there_when_the_run_is_opened_again_however_often_it_was_undone() {
    let (_folder, store) = store();
    let mut live = large("run");
    let found = Trace::fold(&live);
    // One that was kept, and one far down the list, which no choice ever named.
    for number in [11_000, 10_777] {
        let key = ChainKey::of(&found.table, &found.table.chains[number]);
        let rejected = Triage { rejected: [key.clone()].into(), ..Triage::default() };
        for (triage, choice) in [(&rejected, &[3, 10_500][..]), (&Triage::default(), &[3, 11_000, 10_500]), (&rejected, &[3, 10_500])] {
            let mut revision = revised("run", choice);
            revision[0].what = EventKind::Revised { triage: Arc::new(triage.clone()), from: Stage::Prune };
            live.extend(revision);
        }
        record(&store, &live);
        let (read, whole) = (store.read("run").expect("is there").trace(), Trace::fold(&live));
        let rejected_in = |trace: &Trace| {
            let verdicts = trace.triage.verdicts(&trace.table);
            trace.table.chains.iter().filter(|chain| verdicts.of(chain).is_rejected()).count()
        };
        assert_eq!(read.triage, whole.triage);
        assert!(rejected_in(&whole) > 0 && rejected_in(&read) == rejected_in(&whole), "{} of {}", rejected_in(&read), rejected_in(&whole));
        assert_eq!(kept(&read), kept(&whole));
    }
}
