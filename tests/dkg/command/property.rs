//! Whatever was learned, its export gives the same set in an empty evolving graph; twice, and in whichever order.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use catena::dkg::{Change, Dkg, Import, ImportedTriple};
use catena::feedback::{ExchangeForm, ImportReport, TeachSettings, Teacher, read_exchange};
use catena::feedback::{export, import};
use catena::graph::import::read_tsv;
use catena::graph::{Kind, NamedEntity, NamedRelation, NamedTriple, Player, Qualifiers, Role, RoleRules};
use catena::model::{CancelToken, EncoderHandle};
use proptest::prelude::*;

use crate::support::engine::{encoder, open};

const FORMS: [ExchangeForm; 3] = [ExchangeForm::Tsv, ExchangeForm::NTriples, ExchangeForm::JsonLines];
const NAMES: [&str; 8] = ["胃溃疡", "a:b/c%20d", "<x> \"y\" \\z", "Müller’s sign", "zorb", "ZORB 2", "it's = ?&#;", "naïve — x"];

fn teacher(folder: &Path) -> Teacher {
    static ENCODER: LazyLock<EncoderHandle> = LazyLock::new(encoder);
    let rules = RoleRules::built_in().unwrap();
    let (graph, _) = read_tsv("Fig\tgrows_on\tFig tree\n".as_bytes(), "small.tsv", "small", &rules).unwrap();
    let engine = open(graph, ENCODER.clone());
    Teacher::open(folder, Arc::new(engine), TeachSettings::default()).unwrap()
}

/// A triple by numbers: which names, and which of the relations.
fn triple((head, tail, relation): (usize, usize, usize)) -> NamedTriple {
    let (name, role, player, from, to) = [
        ("treats", Role::Treatment, Player::Head, Kind::Drug, Kind::Disease),
        ("has_symptom", Role::Symptom, Player::Tail, Kind::Disease, Kind::Symptom),
        ("found: in/with", Role::Related, Player::Tail, Kind::Other("gene 1".into()), Kind::default()),
        ("eases", Role::Treatment, Player::Head, Kind::Drug, Kind::Disease),
    ][relation]
        .clone();
    // Each relation has entities of its own, but those that mean the same share theirs.
    let group = if relation == 3 { 0 } else { relation };
    let named = |end: &str, number: usize, kind: &Kind| NamedEntity::new(format!("{end} {group} {}", NAMES[number]), kind);
    let qualifiers = match (head + tail) % 3 {
        0 => Qualifiers::default(),
        1 => Qualifiers::default().with("severity", "major"),
        _ => Qualifiers::default().with("severity", "moderate").with("effect", "a=b|c <d> \"e\" 出血").with("own_key", "x"),
    };
    let relation = NamedRelation { name: name.into(), player, role };
    NamedTriple { qualifiers, ..NamedTriple::new(named("head", head, &from), relation, named("tail", tail, &to)) }
}

fn learned(dkg: &Dkg) -> BTreeSet<NamedTriple> {
    dkg.learned().unwrap().into_iter().map(|learned| learned.triple).collect()
}

/// A folder in which triples are learned as they are.
fn filled(folder: &Path, triples: &[NamedTriple]) -> Dkg {
    let mut dkg = Dkg::open(folder).unwrap();
    let imported = |triple: &NamedTriple| ImportedTriple { origin: "tab\u{2003}less".into(), triple: triple.clone() };
    for part in triples.chunks(3) {
        let triples = part.iter().map(imported).collect();
        dkg.append(vec![Change::Import(Import { file: "a".into(), sha256: String::new(), triples })]).unwrap();
    }
    dkg
}

fn written(dkg: &Dkg, form: ExchangeForm, folder: &Path, name: &str) -> std::path::PathBuf {
    let mut bytes = Vec::new();
    let count = export(dkg, form, false, &mut bytes).unwrap();
    assert_eq!(count as usize, learned(dkg).len());
    if form == ExchangeForm::NTriples {
        assert!(oxttl::NTriplesParser::new().for_slice(&bytes).all(|triple| triple.is_ok()), "well-formed");
    }
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn take(teacher: &Teacher, file: &Path) -> ImportReport {
    import(teacher, read_exchange(file).unwrap(), &CancelToken::new()).unwrap()
}

fn numbers(relations: usize) -> impl Strategy<Value = Vec<(usize, usize, usize)>> {
    prop::collection::vec((0..NAMES.len(), 0..NAMES.len(), 0..relations), 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_export_gives_the_same_set_and_giving_it_twice_changes_nothing(numbers in numbers(4)) {
        let outer = tempfile::tempdir().unwrap();
        let triples: Vec<NamedTriple> = numbers.into_iter().map(triple).collect();
        let source = filled(&outer.path().join("source"), &triples);
        let meant = learned(&source);
        prop_assert!(!meant.is_empty());
        for (at, form) in FORMS.into_iter().enumerate() {
            let file = written(&source, form, outer.path(), "file");
            let target = teacher(&outer.path().join(format!("target-{at}")));
            let report = take(&target, &file);
            prop_assert_eq!(report.imported as usize, meant.len(), "{:?} {:?}", form, report);
            prop_assert_eq!(&learned(&target.dkg()), &meant, "{:?}", form);
            let head = target.dkg().head();
            let again = take(&target, &file);
            prop_assert_eq!((again.imported, again.records.len()), (0, 0));
            prop_assert_eq!(target.dkg().head(), head, "nothing was recorded");
            // An export of what was imported is the same set again, with the same origins.
            let once_more = written(&target.dkg(), form, outer.path(), "again");
            prop_assert!(read_exchange(&once_more).unwrap().triples.iter().all(|one| one.stated.origin == "tab less"));
        }
    }

    #[test]
    fn two_teams_files_give_the_same_set_in_either_order(one in numbers(3), other in numbers(3)) {
        let outer = tempfile::tempdir().unwrap();
        let [a, b] = [(one, "a"), (other, "b")].map(|(numbers, name)| {
            let triples: Vec<NamedTriple> = numbers.into_iter().map(triple).collect();
            let dkg = filled(&outer.path().join(name), &triples);
            (written(&dkg, ExchangeForm::Tsv, outer.path(), &format!("{name}.tsv")), learned(&dkg))
        });
        let union: BTreeSet<NamedTriple> = a.1.union(&b.1).cloned().collect();
        for (order, name) in [([&a.0, &b.0], "ab"), ([&b.0, &a.0], "ba")] {
            let target = teacher(&outer.path().join(name));
            order.into_iter().for_each(|file| _ = take(&target, file));
            prop_assert_eq!(&learned(&target.dkg()), &union, "{}", name);
        }
    }
}
