//! Killed at any moment: a process of its own records and says what was acknowledged, until it is killed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use catena::dkg::{Change, Dkg, StoreCheck};

use super::sample::{accept, feedback, folder, import, proposed, replayed, seen, triple};
use crate::support::data::Draw;

/// Set for the process that is to be killed: its folder.
const FOLDER: &str = "CATENA_TEST_CRASH_FOLDER";
/// How often one is killed, unless the environment says otherwise.
const CRASHES: u64 = 500;
/// So many crashes share a folder, one going on where the last ended.
const PER_FOLDER: u64 = 50;
/// The longest that a process lives after its first acknowledgment, microseconds.
const LONGEST_LIFE: usize = 40_000;

/// Records until it is killed; says what is acknowledged. Does nothing where it is not the process to be killed.
#[test]
fn records_until_it_is_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let mut dkg = Dkg::open(Path::new(&folder)).unwrap();
    let mut random = Draw(dkg.next_seq());
    let mut out = std::io::stdout().lock();
    for notice in dkg.notices() {
        writeln!(out, "\nnotice {notice}").unwrap();
    }
    loop {
        let first = dkg.next_seq();
        let mut any = || triple(random.below(12) as u8, random.below(12) as u8, random.below(2) == 0);
        let mut changes = vec![feedback(first), proposed(first, vec![any(), any()]), accept(first + 1, 0)];
        match first % 5 {
            0 => changes.push(import(vec![any(), any(), any()])),
            1 => changes.push(Change::Undo { record: first + 2 }),
            2 if first > 40 => _ = changes.drain(1..),
            _ => changes.push(Change::Reject { proposals: vec![catena::dkg::ProposalId { item: 1, record: first + 1 }] }),
        }
        for appended in dkg.append(changes).unwrap() {
            writeln!(out, "\nacknowledged {}", appended.seq).unwrap();
        }
        out.flush().unwrap();
    }
}

#[test]
fn nothing_acknowledged_is_lost_however_often_it_is_killed() {
    let crashes = std::env::var("CATENA_CRASHES").ok().and_then(|text| text.parse().ok()).unwrap_or(CRASHES);
    let mut random = Draw(99);
    let (mut repaired, mut torn, mut behind) = (0, 0, 0);
    let (mut outer, mut path) = folder();
    let mut acknowledged = 0;
    for crash in 0..crashes {
        if crash % PER_FOLDER == 0 {
            (outer, path) = folder();
            acknowledged = 0;
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::crash::records_until_it_is_killed", "--nocapture"])
            .env(FOLDER, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let (say, heard) = mpsc::channel();
        let reader = thread::spawn(move || {
            let mut last = 0;
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(seq) = line.strip_prefix("acknowledged ").and_then(|text| text.parse::<u64>().ok()) {
                    if last == 0 {
                        let _ = say.send(());
                    }
                    last = seq;
                }
            }
            last
        });
        // Some are killed while they are opening, most while they are recording.
        if crash % 10 == 9 {
            thread::sleep(Duration::from_micros(random.below(LONGEST_LIFE) as u64));
        } else {
            heard.recv_timeout(Duration::from_secs(60)).expect("something is acknowledged");
            thread::sleep(Duration::from_micros(random.below(LONGEST_LIFE) as u64));
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
        acknowledged = acknowledged.max(reader.join().unwrap());

        let verified = Dkg::verify(&path).unwrap();
        assert!(verified.records >= acknowledged, "crash {crash}: {acknowledged} acknowledged, {} there", verified.records);
        assert!(!matches!(verified.store, StoreCheck::Ahead { .. } | StoreCheck::Differs { .. }), "crash {crash}: {verified:?}");
        torn += u64::from(verified.torn > 0);
        behind += u64::from(matches!(verified.store, StoreCheck::Behind { .. }));
        repaired += u64::from(matches!(verified.store, StoreCheck::Damaged(_)));
        let dkg = Dkg::open(&path).unwrap();
        assert_eq!(dkg.read_only(), None);
        assert_eq!(dkg.next_seq(), verified.records + 1);
        if acknowledged > 0 {
            assert_eq!(dkg.record(acknowledged).unwrap().seq, acknowledged);
        }
        assert_eq!(seen(&dkg), replayed(&path), "crash {crash}");
    }
    drop(outer);
    println!("{crashes} crashes: store behind {behind}, damaged {repaired}; last line torn {torn}");
}
