//! Stored vectors of names: they find what an exact search finds, survive interruption, and are never believed when
//! they are damaged or belong to something else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::data::{lines, shared};
use crate::support::engine::encoder;
use catena::model::{
    BuildPhase, EXACT_UP_TO, Encoder, EncoderHandle, Matrix, ModelError, NameVectors, OpenedVectors, Rebuild, SearchedBy, TOLERANCE,
    VectorKey, VectorsError,
};
use proptest::prelude::*;

/// Vectors drawn from a text's checksum: near to nothing but themselves, and to texts that share a word.
struct Drawn {
    dim: usize,
    seed: u64,
}

impl Encoder for Drawn {
    fn name(&self) -> &str {
        "drawn"
    }
    fn dim(&self) -> usize {
        self.dim
    }
    fn delta(&self) -> f64 {
        0.7
    }
    fn encode(&mut self, texts: &[String]) -> Result<Matrix, ModelError> {
        let mut data = vec![0f32; texts.len() * self.dim];
        for (row, text) in data.chunks_exact_mut(self.dim).zip(texts) {
            for word in text.split_whitespace() {
                let mut state = word.bytes().fold(self.seed, |s, b| (s ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
                for component in row.iter_mut() {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    *component += (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
                }
            }
        }
        Ok(Matrix::new(self.dim, data))
    }
}

fn drawn(dim: usize, seed: u64) -> EncoderHandle {
    EncoderHandle::start("drawn", move || Ok(Drawn { dim, seed })).expect("a thread")
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|n| if n % 50 == 7 { String::new() } else { format!("word{} part{} n{n}", n % 97, n % 31) }).collect()
}

fn build(stem: &Path, key: &VectorKey, names: &dyn catena::model::NameRows, encoder: &EncoderHandle) -> NameVectors {
    NameVectors::build(stem, key, names, encoder, &mut |_| true).expect("built")
}

fn reason(stem: &Path, key: &VectorKey) -> Rebuild {
    match NameVectors::open(stem, key).expect("readable") {
        OpenedVectors::Rebuild(why) => why,
        OpenedVectors::Ready(vectors) => panic!("opened: {vectors:?}"),
    }
}

fn opened(stem: &Path, key: &VectorKey) -> NameVectors {
    match NameVectors::open(stem, key).expect("readable") {
        OpenedVectors::Ready(vectors) => vectors,
        OpenedVectors::Rebuild(why) => panic!("not opened: {why}"),
    }
}

fn queries(encoder: &EncoderHandle, texts: &[&str]) -> Matrix {
    encoder.encode(texts.iter().map(|t| (*t).to_owned()).collect()).expect("encodes").normalised()
}

fn beside(stem: &Path, added: &str) -> PathBuf {
    PathBuf::from(format!("{}{added}", stem.display()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn stored_vectors_find_what_vectors_in_memory_find(
        names in proptest::collection::vec("[a-d]{0,2}( [a-d]{1,2}){0,2}", 1..60),
        texts in proptest::collection::vec("[a-e]{0,2}( [a-d]{1,2}){0,2}", 0..5),
        above in -0.2f64..0.95,
        count in 0usize..6,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (stem, encoder) = (folder.path().join("g"), drawn(96, 3));
        let key = VectorKey::of(1, &encoder).unwrap();
        let stored = build(&stem, &key, &names, &encoder);
        let memory = NameVectors::in_memory(&names, &encoder).unwrap();
        let queries = encoder.encode(texts).unwrap().normalised();
        let all: Vec<u32> = (0..names.len() as u32).collect();
        let (a, b) = (memory.similarities(&all, &queries).unwrap(), stored.similarities(&all, &queries).unwrap());
        for (a, b) in a.iter().zip(&b) {
            prop_assert!((a - b).abs() <= TOLERANCE, "{a} {b}");
        }
        let (exact, found) = (memory.nearest(&queries, count, above).unwrap(), stored.nearest(&queries, count, above).unwrap());
        let every = memory.nearest(&queries, names.len(), -2.0).unwrap();
        prop_assert_eq!(exact.len(), found.len());
        for ((exact, found), every) in exact.iter().zip(&found).zip(&every) {
            prop_assert!(found.len() <= count);
            for pair in found.windows(2) {
                prop_assert!(pair[0].1 > pair[1].1 || (pair[0].1 == pair[1].1 && pair[0].0 < pair[1].0));
            }
            // Row by row, what is found is as near as what should be, but for rounding.
            for (place, (row, cosine)) in found.iter().enumerate() {
                prop_assert!(f64::from(*cosine) > above);
                let true_cosine = every.iter().find(|(r, _)| r == row).expect("a row with content").1;
                prop_assert!((true_cosine - cosine).abs() <= TOLERANCE);
                if let Some((_, best)) = exact.get(place) {
                    prop_assert!((best - cosine).abs() <= TOLERANCE);
                }
            }
            let sure = exact.iter().filter(|(_, c)| f64::from(*c) > above + f64::from(TOLERANCE)).count();
            prop_assert!(found.len() >= sure, "{exact:?} {found:?}");
        }
    }
}

#[test]
fn in_memory_results_are_candles_own() {
    let encoder = encoder();
    let names: Vec<String> = ["Headache", "Leg pain", "", "Fever", "Headache"].map(str::to_owned).to_vec();
    let queries = queries(&encoder, &["head pain", "", "fever"]);
    let vectors = encoder.encode(names.clone()).unwrap().normalised();
    let products = catena::model::VectorIndex::new(&vectors).unwrap().products(&queries).unwrap();
    let found = NameVectors::in_memory(&names, &encoder).unwrap().nearest(&queries, 3, 0.1).unwrap();
    for (query, found) in found.iter().enumerate() {
        let mut expected: Vec<(u32, f32)> = (0..).zip(products.row(query).iter().copied()).filter(|(_, c)| f64::from(*c) > 0.1).collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        expected.truncate(3);
        assert_eq!(*found, expected);
    }
    assert!(found[1].is_empty() && found[0].iter().all(|(row, _)| *row != 2));
}

#[test]
fn an_interrupted_build_goes_on_and_gives_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    let (encoder, names) = (drawn(64, 1), numbered(EXACT_UP_TO + 3000));
    let key = VectorKey::of(7, &encoder).unwrap();
    build(&whole, &key, &names, &encoder);
    let mut embedded = Vec::new();
    // Each attempt gets a little further; in between, what a killed process leaves: half a block.
    for stop in 0.. {
        let mut calls = 0;
        let result = NameVectors::build(&broken, &key, &names, &encoder, &mut |progress| {
            calls += 1;
            if calls == 1 && progress.phase == BuildPhase::Embedding {
                embedded.push(progress.done);
            }
            // Enough, sooner or later, for the index's first portion.
            calls < 7 + stop
        });
        match result {
            Ok(_) => break,
            Err(VectorsError::Interrupted) => {}
            Err(other) => panic!("{other}"),
        }
        assert!(stop < 40, "the build never ends");
        for draft in [".vectors.part", ".ann.part"] {
            let path = beside(&broken, draft);
            if path.exists() {
                let mut bytes = fs::read(&path).unwrap();
                bytes.extend([5; 1234]);
                fs::write(&path, bytes).unwrap();
            }
        }
    }
    assert!(embedded.len() > 3 && embedded.windows(2).all(|two| two[0] <= two[1]) && embedded[embedded.len() - 1] > 0, "{embedded:?}");
    for file in [".vectors", ".ann"] {
        assert_eq!(fs::read(beside(&whole, file)).unwrap(), fs::read(beside(&broken, file)).unwrap(), "{file}");
        assert!(!beside(&broken, &format!("{file}.part")).exists());
    }
}

#[test]
fn a_damaged_draft_is_kept_up_to_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    let (stem, encoder, names) = (folder.path().join("g"), drawn(64, 1), numbered(9000));
    let key = VectorKey::of(7, &encoder).unwrap();
    let stop_at = |stop: usize, first: &mut Option<usize>| {
        NameVectors::build(&stem, &key, &names, &encoder, &mut |progress| {
            first.get_or_insert(progress.done);
            progress.done < stop
        })
    };
    assert!(matches!(stop_at(8500, &mut None), Err(VectorsError::Interrupted)));
    let draft = beside(&stem, ".vectors.part");
    let mut bytes = fs::read(&draft).unwrap();
    // In the second of two complete blocks of 4,096 rows.
    let place = 256 + 4096 * 68 + 8 + 100;
    bytes[place] ^= 1;
    fs::write(&draft, bytes).unwrap();
    let mut first = None;
    stop_at(usize::MAX, &mut first).expect("built");
    assert_eq!(first, Some(4096));
    assert_eq!(opened(&stem, &key).len(), 9000);
}

#[test]
fn every_flipped_byte_and_every_cut_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (stem, encoder, names) = (folder.path().join("g"), drawn(64, 1), numbered(40));
    let key = VectorKey::of(7, &encoder).unwrap();
    build(&stem, &key, &names, &encoder);
    let path = beside(&stem, ".vectors");
    let sound = fs::read(&path).unwrap();
    let forget = || drop(fs::remove_file(beside(&stem, ".vectors.verified")));
    for place in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&path, bytes).unwrap();
        forget();
        let why = reason(&stem, &key);
        let named = match place {
            0..8 => matches!(why, Rebuild::Foreign { .. }),
            8..12 => matches!(why, Rebuild::OtherVersion { .. }),
            _ => matches!(why, Rebuild::Damaged { .. }),
        };
        assert!(named, "byte {place}: {why}");
    }
    for length in 0..sound.len() {
        fs::write(&path, &sound[..length]).unwrap();
        forget();
        assert!(matches!(reason(&stem, &key), Rebuild::WrongLength { .. } | Rebuild::Foreign { .. }), "{length} bytes");
    }
    fs::write(&path, [&sound[..], b"more"].concat()).unwrap();
    assert!(matches!(reason(&stem, &key), Rebuild::WrongLength { .. }));
    // What is damaged is built anew.
    assert_eq!(build(&stem, &key, &names, &encoder).len(), 40);
    assert_eq!(fs::read(&path).unwrap(), sound);
}

#[test]
fn a_damaged_index_is_named_and_every_row_is_looked_at_until_it_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let (stem, encoder, names) = (folder.path().join("g"), drawn(64, 1), numbered(EXACT_UP_TO + 100));
    let key = VectorKey::of(7, &encoder).unwrap();
    assert!(matches!(build(&stem, &key, &names, &encoder).searched_by(), SearchedBy::Index { .. }));
    let path = beside(&stem, ".ann");
    let sound = fs::read(&path).unwrap();
    let mention = queries(&encoder, &["word3 part4 n14650"]);
    let places = (0..260).chain((260..sound.len()).step_by(sound.len() / 150)).chain([sound.len() - 9, sound.len() - 1]);
    for place in places {
        let mut bytes = sound.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&path, bytes).unwrap();
        drop(fs::remove_file(beside(&stem, ".ann.verified")));
        let vectors = opened(&stem, &key);
        assert!(matches!(vectors.searched_by(), SearchedBy::EveryRowUntilBuilt(why) if why != Rebuild::Missing), "byte {place}");
        if place % 64 == 0 {
            assert_eq!(vectors.nearest(&mention, 1, 0.5).unwrap()[0][0].0, 14650);
        }
    }
    for length in [0, 7, 8, 100, 255, 256, 257, sound.len() / 2, sound.len() - 1] {
        fs::write(&path, &sound[..length]).unwrap();
        assert!(matches!(opened(&stem, &key).searched_by(), SearchedBy::EveryRowUntilBuilt(_)), "{length} bytes");
    }
    // The index of other vectors: same graph and encoder by name, other bytes in the header.
    let other = folder.path().join("other");
    build(&other, &key, &numbered(EXACT_UP_TO + 101), &encoder);
    fs::copy(beside(&other, ".ann"), &path).unwrap();
    assert!(matches!(opened(&stem, &key).searched_by(), SearchedBy::EveryRowUntilBuilt(Rebuild::OtherVectors { .. })));
    build(&stem, &key, &names, &encoder);
    assert_eq!(fs::read(&path).unwrap(), sound);
}

#[test]
fn another_graph_or_encoder_is_reported_and_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let (stem, encoder, names) = (folder.path().join("a graph 1.0"), drawn(64, 1), numbered(30));
    let key = VectorKey::of(7, &encoder).unwrap();
    assert_eq!(reason(&stem, &key), Rebuild::Missing);
    build(&stem, &key, &names, &encoder);
    assert_eq!(opened(&stem, &key).len(), 30);
    assert_eq!(reason(&stem, &VectorKey { graph: 8, ..key.clone() }), Rebuild::OtherGraph);
    let retrained = VectorKey::of(7, &drawn(64, 2)).unwrap();
    assert_ne!(retrained.fingerprint, key.fingerprint);
    assert_eq!(VectorKey::of(7, &drawn(64, 1)).unwrap(), key);
    let wider = VectorKey::of(7, &drawn(65, 1)).unwrap();
    let renamed = VectorKey { encoder: "other".into(), ..key.clone() };
    for other in [&retrained, &wider, &renamed] {
        assert!(matches!(reason(&stem, other), Rebuild::OtherEncoder { .. }));
    }
    let more = numbered(31);
    let changed = VectorKey { graph: 8, ..key.clone() };
    assert_eq!(build(&stem, &changed, &more, &encoder).len(), 31);
    assert_eq!(reason(&stem, &key), Rebuild::OtherGraph);
}

#[test]
fn files_are_private_and_checked_once() {
    let folder = tempfile::tempdir().unwrap();
    let (stem, encoder, names) = (folder.path().join("g"), drawn(64, 1), numbered(EXACT_UP_TO + 1));
    let key = VectorKey::of(7, &encoder).unwrap();
    build(&stem, &key, &names, &encoder);
    let files: BTreeSet<String> =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(files.into_iter().collect::<Vec<_>>(), ["g.ann", "g.ann.verified", "g.vectors", "g.vectors.verified"]);
    #[cfg(unix)]
    for file in [".ann", ".ann.verified", ".vectors", ".vectors.verified"] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(beside(&stem, file)).unwrap().permissions().mode() & 0o777, 0o600, "{file}");
    }
    // A change after the check changes the time of change, and the file is checked again.
    let path = beside(&stem, ".vectors");
    let mut bytes = fs::read(&path).unwrap();
    bytes[5000] ^= 4;
    fs::write(&path, bytes).unwrap();
    assert!(matches!(reason(&stem, &key), Rebuild::Damaged { .. }));
}

#[test]
fn no_names_and_no_queries_are_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let (stem, encoder, names) = (folder.path().join("g"), drawn(64, 1), Vec::new());
    let key = VectorKey::of(7, &encoder).unwrap();
    let vectors = build(&stem, &key, &names, &encoder);
    assert!(vectors.is_empty());
    assert_eq!(vectors.nearest(&queries(&encoder, &["a", "b"]), 3, 0.0).unwrap(), [vec![], vec![]]);
    assert_eq!(vectors.similarities(&[0, 5], &Matrix::default()).unwrap(), [0.0, 0.0]);
    let names = numbered(5);
    let vectors = build(&folder.path().join("h"), &key, &names, &encoder);
    assert!(vectors.nearest(&Matrix::default(), 3, 0.0).unwrap().is_empty());
    assert_eq!(vectors.similarities(&[9], &queries(&encoder, &["n1"])).unwrap(), [0.0]);
    let wide = Matrix::new(3, vec![1.0, 0.0, 0.0]);
    assert!(matches!(vectors.nearest(&wide, 1, 0.0), Err(VectorsError::OtherDimension { found: 3, expected: 64 })));
}

/// Names of Hetionet, of the Disease Ontology and of the Chinese dictionaries.
fn real_names() -> Option<Vec<String>> {
    let mut names = BTreeSet::new();
    let hetionet = shared("hetionet/hetionet-v1.0-nodes.tsv.gz")?;
    names.extend(lines(&hetionet).filter_map(|line| line.split('\t').nth(1).map(str::to_owned)));
    for line in lines(&shared("onto-doid/doid-2016-03-04.obo.gz")?) {
        let name = line.strip_prefix("name: ").or_else(|| line.strip_prefix("synonym: \"")?.split('"').next());
        names.extend(name.map(str::to_owned));
    }
    for dictionary in ["disease", "symptom", "drug", "check"] {
        names.extend(lines(&shared(&format!("zh-disease-kb/{dictionary}.txt.gz"))?));
    }
    Some(names.into_iter().filter(|name| !name.trim().is_empty()).collect())
}

/// How a text mentions a name: with a word more or less, a letter missing, the words in another order.
fn mention(name: &str, number: usize) -> String {
    let mut words: Vec<String> = name.split(' ').map(str::to_lowercase).collect();
    let place = number / 4 % words.len();
    let letters = words[place].chars().count();
    match number % 4 {
        0 if words.len() > 2 => drop(words.remove(place)),
        1 => words.insert(place, ["severe", "acute", "my", "慢性"][number / 16 % 4].to_owned()),
        2 if letters > 3 => {
            let gone = 1 + number / 8 % (letters - 1);
            words[place] = words[place].chars().enumerate().filter(|(at, _)| *at != gone).map(|(_, letter)| letter).collect();
        }
        _ => words.reverse(),
    }
    words.join(" ")
}

#[test]
fn the_index_finds_the_nearest_of_real_names() {
    let Some(names) = real_names() else { return };
    assert!(names.len() > 3 * EXACT_UP_TO, "{} names", names.len());
    let folder = tempfile::tempdir().unwrap();
    let (stem, encoder) = (folder.path().join("real"), encoder());
    let key = VectorKey::of(1, &encoder).unwrap();
    let by_index = build(&stem, &key, &names, &encoder);
    assert!(matches!(by_index.searched_by(), SearchedBy::Index { .. }));
    fs::remove_file(beside(&stem, ".ann")).unwrap();
    let by_row = opened(&stem, &key);
    assert_eq!(by_row.searched_by(), SearchedBy::EveryRowUntilBuilt(Rebuild::Missing));
    let texts: Vec<String> = (0..1200).map(|n| mention(&names[n * names.len() / 1200], n)).collect();
    let queries = encoder.encode(texts.clone()).unwrap().normalised();
    let (found, exact) = (by_index.nearest(&queries, 3, 0.3).unwrap(), by_row.nearest(&queries, 3, 0.3).unwrap());
    let mut missed = Vec::new();
    let mut asked = 0;
    for ((found, exact), text) in found.iter().zip(&exact).zip(&texts) {
        let Some(best) = exact.first() else { continue };
        asked += 1;
        if found.first().is_none_or(|found| found.1 < best.1) {
            missed.push((text, &names[best.0 as usize], best.1));
        }
    }
    assert!(asked > 1000 && missed.len() * 100 <= asked, "{} of {asked} missed: {missed:?}", missed.len());
    // Cosines are those of the encoder, but for rounding.
    let vectors = encoder.encode(exact.iter().flatten().map(|(row, _)| names[*row as usize].clone()).collect()).unwrap().normalised();
    let mut row = 0;
    for (query, exact) in exact.iter().enumerate() {
        for (_, cosine) in exact {
            let own: f32 = queries.row(query).iter().zip(vectors.row(row)).map(|(a, b)| a * b).sum();
            assert!((own - cosine).abs() < TOLERANCE, "{own} {cosine}");
            row += 1;
        }
    }
    // A name is found by its own spelling, however short it is.
    let spelled: Vec<String> = names.iter().step_by(97).cloned().collect();
    let found = by_index.nearest(&encoder.encode(spelled.clone()).unwrap().normalised(), 1, 0.9).unwrap();
    let lost: Vec<&String> = spelled.iter().zip(&found).filter(|(_, found)| found.is_empty()).map(|(name, _)| name).collect();
    // Some have no content at all.
    assert!(lost.len() * 500 <= spelled.len(), "{lost:?}");
}
