//! Who may write, and who may look.

use std::fs;
use std::path::Path;

use catena::dkg::{Dkg, DkgError, StoreCheck};

use super::sample::{feedback, files, filled, folder, import, journal, replayed, seen, triple};

#[test]
fn a_second_instance_reads_says_who_writes_and_sees_what_is_added() {
    let (_outer, folder) = folder();
    let mut first = filled(&folder);
    let mut second = Dkg::open(&folder).unwrap();
    assert!(second.read_only().unwrap().contains("open"), "{:?}", second.read_only());
    assert!(matches!(second.append(vec![feedback(1)]), Err(DkgError::ReadOnly { .. })));
    assert_eq!(seen(&second), seen(&first));
    assert!(matches!(Dkg::verify(&folder).unwrap().store, StoreCheck::InUse(_)));
    assert_eq!(first.verify_open().unwrap().store, StoreCheck::Agrees);

    assert_eq!(second.refresh().unwrap(), []);
    let appended = first.append(vec![import(vec![triple(70, 71, false), triple(1, 2, true)]), feedback(3)]).unwrap();
    assert_eq!(second.refresh().unwrap(), appended);
    assert_eq!(seen(&second), seen(&first));
    assert_eq!(first.refresh().unwrap(), []);

    drop(first);
    let mut third = Dkg::open(&folder).unwrap();
    assert_eq!((third.read_only(), third.notices()), (None, &[] as &[String]));
    third.append(vec![feedback(4)]).unwrap();
    second.refresh().unwrap();
    assert_eq!(seen(&second), seen(&third));
}

#[test]
fn what_is_written_while_someone_reads_is_not_taken_for_damage() {
    let (_outer, folder) = folder();
    let mut first = filled(&folder);
    first.append(vec![feedback(1)]).unwrap();
    let whole = fs::read(journal(&folder)).unwrap();
    fs::write(journal(&folder), &whole[..whole.len() - 9]).unwrap();
    let mut second = Dkg::open(&folder).unwrap();
    assert_eq!(second.next_seq(), 8);
    fs::write(journal(&folder), &whole).unwrap();
    assert_eq!(second.refresh().unwrap().len(), 1);
    assert_eq!(seen(&second), replayed(&folder));
    fs::write(journal(&folder), &whole[..100]).unwrap();
    assert!(matches!(second.refresh(), Err(DkgError::Changed { .. })));
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_anything() {
    use std::os::unix::fs::PermissionsExt;
    let (_outer, folder) = folder();
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(journal(&folder), b"{\"torn").unwrap();
    fs::set_permissions(journal(&folder), fs::Permissions::from_mode(0o644)).unwrap();
    drop(filled(&folder));
    let own = files(&folder).into_iter().filter(|path| path.parent() == Some(&folder));
    let modes: Vec<_> = own.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), mode(&path))).collect();
    assert_eq!(modes.len(), 3, "{modes:?}");
    assert!(modes.iter().all(|(_, mode)| *mode == 0o600), "{modes:?}");
    // sled gives its files what the process's mask says; nobody gets into their folder.
    assert_eq!((mode(&folder), mode(&folder.join("state"))), (0o700, 0o700));
}

#[test]
fn vectors_are_kept_by_encoder_and_text_and_do_not_outlive_a_damaged_store() {
    let (_outer, folder) = folder();
    let mut dkg = filled(&folder);
    dkg.put_vectors("a", &[("x", &[1.0, -0.5]), ("y", &[2.0])]).unwrap();
    dkg.put_vectors("b", &[("x", &[3.0])]).unwrap();
    let get = |dkg: &Dkg, encoder: &str, text: &str| dkg.vector(encoder, text).unwrap();
    for _ in 0..2 {
        assert_eq!(get(&dkg, "a", "x"), Some(vec![1.0, -0.5]));
        assert_eq!((get(&dkg, "a", "y"), get(&dkg, "b", "x"), get(&dkg, "b", "y")), (Some(vec![2.0]), Some(vec![3.0]), None));
        drop(dkg);
        dkg = Dkg::open(&folder).unwrap();
    }
    drop(dkg);
    fs::remove_dir_all(folder.join("state")).unwrap();
    assert_eq!(get(&Dkg::open(&folder).unwrap(), "a", "x"), None);
}

#[test]
fn many_records_are_found_by_their_numbers() {
    let (_outer, folder) = folder();
    let mut dkg = Dkg::open(&folder).unwrap();
    for part in 0..30u64 {
        dkg.append((0..10).map(|i| feedback(part * 10 + i)).collect()).unwrap();
        dkg.append(vec![import((0..part as u8 * 3 + 1).map(|i| triple(i, part as u8 + 100, false)).collect())]).unwrap();
    }
    let all: Vec<_> = dkg.records(1..u64::MAX).unwrap().map(Result::unwrap).collect();
    assert_eq!(all.len(), 330);
    for (place, record) in all.iter().enumerate() {
        assert_eq!(record.seq, place as u64 + 1);
        assert_eq!(&dkg.record(record.seq).unwrap(), record);
    }
    let some: Vec<_> = dkg.records(100..120).unwrap().map(Result::unwrap).collect();
    assert_eq!(some, all[99..119]);
    assert_eq!(dkg.records(400..500).unwrap().count(), 0);
    assert!(dkg.record(331).is_err() && dkg.record(0).is_err());
}
