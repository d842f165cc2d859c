//! Files that were deleted, cut, overwritten, torn or tampered with.

use std::fs;
use std::io::Write;
use std::path::Path;

use catena::dkg::{Dkg, DkgError, StoreCheck};
use sha2::{Digest, Sha256};

use super::sample::{Seen, feedback, files, filled, folder, import, journal, replayed, seen, triple};
use crate::support::data::Draw;

/// A folder with some of everything, closed; and what was to be seen.
fn closed(folder: &Path) -> Seen {
    let dkg = filled(folder);
    dkg.verify_open().unwrap();
    seen(&dkg)
}

/// Opens and looks: everything is there, and one can go on.
fn whole_again(folder: &Path, before: &Seen, what: &str) -> Vec<String> {
    let mut dkg = Dkg::open(folder).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(dkg.read_only(), None, "{what}");
    assert_eq!(&seen(&dkg), before, "{what}: {:?}", dkg.notices());
    let notices = dkg.notices().to_vec();
    dkg.append(vec![import(vec![triple(90, 91, false)])]).unwrap();
    assert_eq!(seen(&dkg), replayed(folder), "{what}");
    notices
}

fn damaged_stores(folder: &Path) -> usize {
    fs::read_dir(folder)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("state.damaged-"))
        .count()
}

#[test]
fn a_store_that_was_deleted_is_made_again_without_a_word() {
    let (_outer, folder) = folder();
    let before = closed(&folder);
    fs::remove_dir_all(folder.join("state")).unwrap();
    assert_eq!(whole_again(&folder, &before, "deleted"), [] as [String; 0]);
    assert_eq!(Dkg::verify(&folder).unwrap().store, StoreCheck::Agrees);
}

#[test]
fn a_store_with_any_file_cut_overwritten_or_gone_is_made_again() {
    let mut noticed = 0;
    for seed in 0..40 {
        let (_outer, folder) = folder();
        let before = closed(&folder);
        let mut random = Draw(seed);
        let state: Vec<_> = files(&folder.join("state"));
        let file = &state[seed as usize % state.len()];
        let mut bytes = fs::read(file).unwrap();
        let what = match seed / state.len() as u64 % 5 {
            0 => {
                bytes.truncate(random.below(bytes.len()));
                "cut"
            }
            1 => {
                for _ in 0..=random.below(200) {
                    let at = random.below(bytes.len());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte = random.next() as u8;
                    }
                }
                "overwritten here and there"
            }
            2 => {
                bytes.fill_with(|| random.next() as u8);
                "overwritten"
            }
            3 => {
                bytes.fill(0);
                "zeroed"
            }
            _ => {
                bytes.clear();
                "gone"
            }
        };
        if what == "gone" {
            fs::remove_file(file).unwrap()
        } else {
            fs::write(file, &bytes).unwrap()
        }
        let what = format!("seed {seed}: {} {what}", file.display());
        noticed += usize::from(!whole_again(&folder, &before, &what).is_empty());
        assert!(damaged_stores(&folder) <= 1, "{what}");
        // A second time: of damaged stores one is kept.
        fs::write(folder.join("state").join("db"), vec![7; 1 << 20]).unwrap();
        drop(Dkg::open(&folder).unwrap());
        assert!(damaged_stores(&folder) <= 1, "{what}");
        assert_eq!(Dkg::verify(&folder).unwrap().store, StoreCheck::Agrees, "{what}");
    }
    assert!(noticed > 5, "the damage did no harm, so this test shows nothing");
}

#[test]
fn a_store_of_another_journal_of_an_older_or_of_a_newer_one_is_noticed() {
    let (_outer, folder) = folder();
    let before = closed(&folder);
    let whole = fs::read(journal(&folder)).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();

    // Records removed at the end.
    fs::write(journal(&folder), lines[..5].concat()).unwrap();
    assert_eq!(Dkg::verify(&folder).unwrap().store, StoreCheck::Ahead { records: 7 });
    let dkg = Dkg::open(&folder).unwrap();
    assert!(dkg.notices()[0].contains("the last 2 were removed"), "{:?}", dkg.notices());
    assert_eq!(seen(&dkg), replayed(&folder));
    drop(dkg);

    // Put back: the store is behind.
    fs::write(journal(&folder), &whole).unwrap();
    assert_eq!(Dkg::verify(&folder).unwrap().store, StoreCheck::Behind { records: 5 });
    assert_eq!(whole_again(&folder, &before, "behind"), [] as [String; 0]);

    // Another journal that is sound in itself.
    let (_other, other) = super::sample::folder();
    drop(filled(&other));
    let mut dkg = Dkg::open(&other).unwrap();
    dkg.append(vec![feedback(8), feedback(9)]).unwrap();
    drop(dkg);
    fs::copy(journal(&other), journal(&folder)).unwrap();
    assert!(matches!(Dkg::verify(&folder).unwrap().store, StoreCheck::Differs { record: 8, .. }));
    let dkg = Dkg::open(&folder).unwrap();
    assert!(dkg.notices()[0].contains("another journal"), "{:?}", dkg.notices());
    assert_eq!(seen(&dkg), replayed(&folder));
}

#[test]
fn a_last_line_torn_at_any_byte_is_cut_off_and_kept_aside() {
    let (_outer, folder) = folder();
    drop(filled(&folder));
    let before = fs::read(journal(&folder)).unwrap();
    let mut dkg = Dkg::open(&folder).unwrap();
    let expected = seen(&dkg);
    dkg.append(vec![super::sample::accept(2, 0)]).unwrap();
    drop(dkg);
    let whole = fs::read(journal(&folder)).unwrap();
    for end in before.len() + 1..whole.len() {
        let (_outer, other) = super::sample::folder();
        fs::create_dir(&other).unwrap();
        fs::write(journal(&other), &whole[..end]).unwrap();
        assert_eq!(Dkg::verify(&other).unwrap().torn, (end - before.len()) as u64);
        let mut dkg = Dkg::open(&other).unwrap();
        assert!(dkg.notices().iter().any(|notice| notice.contains("never confirmed")), "{:?}", dkg.notices());
        assert_eq!(seen(&dkg), expected);
        assert_eq!(fs::read(journal(&other)).unwrap(), before);
        let torn = files(&other).into_iter().find(|path| path.to_string_lossy().contains("journal.torn-")).unwrap();
        assert_eq!(fs::read(torn).unwrap(), &whole[before.len()..end]);
        dkg.append(vec![super::sample::accept(2, 0)]).unwrap();
        drop(dkg);
        assert_eq!(Dkg::verify(&other).unwrap().records, 8);
    }
    // What a file system leaves that had the length but not the bytes.
    for tail in [&b"\0\0\0\0\0\n"[..], &b"{\"at_ms\":17\n"[..], &[0; 5000][..]] {
        let (_outer, other) = super::sample::folder();
        fs::create_dir(&other).unwrap();
        fs::write(journal(&other), [&before, tail].concat()).unwrap();
        assert_eq!(seen(&Dkg::open(&other).unwrap()), expected);
        assert_eq!(fs::read(journal(&other)).unwrap(), before);
    }
}

/// Opens a journal without its store; gives the line that is refused.
fn refused(bytes: &[u8]) -> Option<u64> {
    let (_outer, folder) = folder();
    fs::create_dir(&folder).unwrap();
    fs::write(journal(&folder), bytes).unwrap();
    let verified = match Dkg::verify(&folder) {
        Err(DkgError::Broken { line, .. }) => Some(line),
        Err(error) => panic!("{error}"),
        Ok(_) => None,
    };
    match Dkg::open(&folder) {
        Err(DkgError::Broken { line, reason, sound, .. }) => {
            assert_eq!((Some(line), sound), (verified, line - 1), "{reason}");
            assert_eq!(fs::read(journal(&folder)).unwrap(), bytes, "a journal that is refused is left as it is");
            // What precedes it can be saved.
            let part = Dkg::open_sound_part(&folder).unwrap();
            assert_eq!(part.next_seq(), line);
            assert!(part.read_only().unwrap().contains(&format!("line {line}")));
        }
        Err(error) => panic!("{error}"),
        Ok(_) => assert_eq!(verified, None),
    }
    verified
}

#[test]
fn a_changed_journal_is_refused_with_its_line() {
    let (_outer, folder) = folder();
    drop(filled(&folder));
    let whole = fs::read(journal(&folder)).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(refused(&whole), None);

    let last = whole.len() - lines[lines.len() - 1].len();
    let mut random = Draw(5);
    for _ in 0..150 {
        let at = random.below(last);
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << random.below(8);
        let line = 1 + whole[..at].iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!(refused(&bytes), Some(line), "byte {at} of line {line}");
    }
    for removed in 0..lines.len() - 1 {
        let mut rest = lines.clone();
        rest.remove(removed);
        assert_eq!(refused(&rest.concat()), Some(removed as u64 + 1), "without line {}", removed + 1);
        let mut swapped = lines.clone();
        swapped.swap(removed, removed + 1);
        assert_eq!(refused(&swapped.concat()), Some(removed as u64 + 1), "line {} swapped", removed + 1);
        let mut twice = lines.clone();
        twice.insert(removed, lines[removed]);
        assert_eq!(refused(&twice.concat()), Some(removed as u64 + 2), "line {} twice", removed + 1);
    }
    // The last line: no write that was cut short leaves JSON with a wrong sum.
    let mut bytes = whole.clone();
    let at = whole.windows(9).rposition(|part| part == b"\"record\":").unwrap() + 9;
    bytes[at] = b'2';
    assert_eq!(refused(&bytes), Some(lines.len() as u64));
    // Longer than lines may be; and never ending, which is torn.
    let long = vec![b'a'; (16 << 20) + 2];
    assert_eq!(refused(&[lines[0], &long, b"\n", lines[1]].concat()), Some(2));
    assert_eq!(refused(&[lines[0], &long].concat()), None);
}

#[test]
fn a_journal_of_a_newer_version_is_refused_as_that_and_read_as_far_as_it_is_known() {
    let (_outer, folder) = folder();
    drop(filled(&folder));
    // A record of an unknown kind, sealed as all are.
    let text = format!("{{\"at_ms\":1,\"change\":{{\"type\":\"dream\"}},\"prev\":\"{}\",\"seq\":8", "0".repeat(64));
    let sum: String = Sha256::digest(format!("{text}}}")).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut file = fs::OpenOptions::new().append(true).open(journal(&folder)).unwrap();
    writeln!(file, "{text},\"sum\":\"{sum}\"}}").unwrap();
    let after = fs::read(journal(&folder)).unwrap();

    let error = Dkg::open(&folder).unwrap_err();
    assert!(matches!(error, DkgError::Broken { newer: true, line: 8, sound: 7, .. }), "{error:?}");
    let said = error.to_string();
    assert!(said.contains("a newer version wrote it") && said.contains("use the newer version"), "{said}");
    assert!(!said.contains("damaged") && !said.contains("backup"), "{said}");
    assert_eq!(fs::read(journal(&folder)).unwrap(), after, "nothing is cut off");
    assert_eq!(replayed(&folder).statistics.records, 7, "what is known can be read");
}

#[test]
fn a_journal_that_is_changed_while_it_is_open_takes_nothing_more() {
    let (_outer, folder) = folder();
    let mut dkg = filled(&folder);
    fs::OpenOptions::new().append(true).open(journal(&folder)).unwrap().write_all(b"x\n").unwrap();
    assert!(matches!(dkg.append(vec![feedback(1)]), Err(DkgError::Changed { .. })));
    assert!(matches!(dkg.append(vec![feedback(1)]), Err(DkgError::Unconfirmed { .. })));
}
