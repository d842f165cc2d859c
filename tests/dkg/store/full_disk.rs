//! A disk that is full, and one that must not be written. They take a file system of the test's own (user namespaces, Linux); without
//! one the tests are skipped.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use catena::dkg::{Dkg, DkgError, StoreCheck};

use crate::support::data::skip;

use super::sample::{feedback, filled, folder, journal, replayed, seen};

/// Set for the test when it runs again inside, to the folder that it may use there.
const INSIDE: &str = "CATENA_TEST_INSIDE";

fn inside() -> Option<String> {
    std::env::var(INSIDE).ok()
}

/// Runs a test of this file again with a small file system of its own mounted on a folder.
fn again(test: &str, options: &str) -> Option<Output> {
    let outer = tempfile::tempdir().expect("a folder");
    let program = std::env::current_exe().expect("a program");
    let script = format!("mount -t tmpfs -o {options} none \"$1\" && CATENA_TEST_INSIDE=\"$1/dkg\" \"$2\" --exact \"$3\" --nocapture");
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", &script, "sh"])
        .args([outer.path().as_os_str(), program.as_os_str(), test.as_ref()])
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            skip(&format!("unshare cannot be run ({error})"));
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if !said.contains("running 1 test") {
        skip(&format!("no file system can be mounted for this test alone ({})", said.trim()));
        return None;
    }
    Some(output)
}

fn must_pass(output: Option<Output>) {
    if let Some(output) = output {
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("inside: done"), "{said}");
    }
}

#[test]
fn a_full_disk_loses_nothing_and_is_said() {
    let Some(folder) = inside() else {
        return must_pass(again("store::full_disk::a_full_disk_loses_nothing_and_is_said", "size=3m"));
    };
    let folder = Path::new(&folder);
    let mut dkg = filled(folder);
    let ballast = folder.with_file_name("ballast");
    let mut taken = 0;
    let mut failures = 0;
    for round in 0..6 {
        // The disk is filled up to the last bytes; then records are written until there is no room.
        let mut bytes = vec![1; 8 << 20];
        while fs::write(&ballast, &bytes).is_err() && bytes.len() > 1 {
            bytes.truncate(bytes.len() * 9 / 10);
        }
        for number in 0.. {
            match dkg.append(vec![feedback(number), feedback(number + 1)]) {
                Ok(appended) => taken = appended[1].seq,
                Err(error @ DkgError::NotWritten { .. }) => {
                    assert!(error.to_string().contains("make room on the disk"), "{error}");
                    failures += 1;
                    break;
                }
                Err(error) => panic!("{error}"),
            }
            assert!(number < 100_000, "the disk does not get full");
        }
        assert_eq!(dkg.next_seq(), taken.max(7) + 1);
        assert_eq!(dkg.verify_open().unwrap().torn, 0);
        fs::remove_file(&ballast).unwrap();
        // With room again one can go on, in this program or the next.
        if round % 2 == 1 {
            drop(dkg);
            dkg = Dkg::open(folder).unwrap();
        }
        taken = dkg.append(vec![feedback(0)]).unwrap()[0].seq;
        assert_eq!(seen(&dkg), replayed(folder));
    }
    assert_eq!(failures, 6);
    drop(dkg);
    let verified = Dkg::verify(folder).unwrap();
    assert_eq!((verified.records, verified.torn), (taken, 0));
    println!("inside: done");
}

#[test]
fn a_disk_that_must_not_be_written_can_be_read() {
    let Some(inside) = inside() else {
        return must_pass(again("store::full_disk::a_disk_that_must_not_be_written_can_be_read", "size=20m"));
    };
    let folder = Path::new(&inside);
    let before = seen(&filled(folder));
    let mounted = folder.parent().unwrap();
    assert!(Command::new("mount").args(["-o", "remount,ro"]).arg(mounted).status().unwrap().success());
    let mut dkg = Dkg::open(folder).unwrap();
    assert!(dkg.read_only().is_some());
    assert_eq!(seen(&dkg), before);
    assert!(matches!(dkg.append(vec![feedback(1)]), Err(DkgError::ReadOnly { .. })));
    let verified = Dkg::verify(folder).unwrap();
    assert_eq!(verified.records, 7);
    assert!(matches!(verified.store, StoreCheck::InUse(_)), "{verified:?}");
    println!("inside: done");
}

/// Whoever is root may write everything; so this shows something only for others.
#[cfg(unix)]
#[test]
fn a_journal_that_must_not_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let (_outer, folder) = folder();
    let before = seen(&filled(&folder));
    fs::set_permissions(journal(&folder), fs::Permissions::from_mode(0o400)).unwrap();
    if fs::OpenOptions::new().append(true).open(journal(&folder)).is_ok() {
        eprintln!("SKIPPED: this user may write what is marked as read-only (as root may).");
        return;
    }
    let dkg = Dkg::open(&folder).unwrap();
    assert!(dkg.read_only().unwrap().contains("cannot be written"), "{:?}", dkg.read_only());
    assert_eq!(seen(&dkg), before);
}
