//! Linking at size: the vectors of all names built, opened and searched, by index and by looking at every row.
//!
//! `cargo bench --bench linking` takes 100,000 names; `CATENA_BENCH_FULL=1` adds 1,288,721 (some minutes, 1 GB of disk);
//! `CATENA_BENCH_FOLDER=FOLDER` keeps what is built there, for the next run to open;
//! `CATENA_BENCH_NAMES=FILE` takes the names of a file instead, one a line. No framework: a build is measured once, and
//! what is searched is checked for what it finds.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, and one that cannot be set up has nothing to measure")]

mod support;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catena::method::Engine;
use catena::model::{BuildPhase, EncoderHandle, Matrix, NameVectors, OpenedVectors, VectorKey};
use support::Random;

/// Mentions of a question.
const MENTIONS: usize = 23;
/// Questions' worth of mentions.
const QUESTIONS: usize = 87;

const QUALIFIERS: [&str; 24] = [
    "acute",
    "chronic",
    "left",
    "severe",
    "mild",
    "recurrent",
    "congenital",
    "secondary",
    "familial",
    "juvenile",
    "benign",
    "malignant",
    "diffuse",
    "bilateral",
    "upper",
    "lower",
    "idiopathic",
    "progressive",
    "autosomal dominant",
    "late onset",
    "viral",
    "bacterial",
    "allergic",
    "transient",
];
const SITES: [&str; 24] = [
    "heart",
    "lung",
    "liver",
    "kidney",
    "stomach",
    "skin",
    "bone",
    "brain",
    "eye",
    "ear",
    "thyroid",
    "pancreas",
    "colon",
    "bladder",
    "prostate",
    "breast",
    "muscle",
    "nerve",
    "retina",
    "aorta",
    "joint",
    "spine",
    "throat",
    "lymph node",
];
const HEADS: [&str; 24] = [
    "pain",
    "cancer",
    "disease",
    "syndrome",
    "infection",
    "deficiency",
    "disorder",
    "failure",
    "fracture",
    "abscess",
    "bleeding",
    "stenosis",
    "dystrophy",
    "fibrosis",
    "edema",
    "ulcer",
    "rash",
    "cyst",
    "tablet",
    "injection",
    "receptor",
    "measurement",
    "imaging",
    "transplant",
];
const ENDINGS: [&str; 12] = ["osis", "ine", "algia", "itis", "oma", "emia", "pathy", "ectomy", "azole", "mycin", "pril", "statin"];

fn pick(random: &mut Random, words: &[&str]) -> String {
    words[random.below(words.len() as u32) as usize].to_owned()
}

/// A word that can be pronounced.
fn stem(random: &mut Random) -> String {
    let mut stem = String::new();
    for _ in 0..2 + random.below(2) {
        stem.push(char::from(b"bcdfghklmnprstvz"[random.below(16) as usize]));
        stem.push(char::from(b"aeiou"[random.below(5) as usize]));
    }
    stem + &pick(random, &ENDINGS)
}

/// A name of one to six words, as they are built in medicine; some stems are frequent, most are rare.
fn name(random: &mut Random, stems: &[String]) -> String {
    let known = |random: &mut Random| {
        let most = random.below(stems.len() as u32) + 1;
        stems[random.below(most) as usize].clone()
    };
    let (qualifier, site, head) = (pick(random, &QUALIFIERS), pick(random, &SITES), pick(random, &HEADS));
    match random.below(8) {
        0 => format!("{} {head}", known(random)),
        1 => format!("{qualifier} {}", known(random)),
        2 => format!("{qualifier} {site} {head} type {}", 1 + random.below(40)),
        3 => format!("{} {} {head}", known(random), known(random)),
        4 => format!("{} of {qualifier} {site}", known(random)),
        5 => format!("{qualifier} {} with {site} {head}", known(random)),
        6 => stem(random),
        _ => {
            let letters: String = (0..3 + random.below(2)).map(|_| char::from(b'A' + random.below(26) as u8)).collect();
            format!("{letters}{}", random.below(40))
        }
    }
}

fn names(count: usize) -> Vec<String> {
    let mut random = Random(1);
    let stems: Vec<String> = (0..60_000).map(|_| stem(&mut random)).collect();
    let mut known = HashSet::new();
    std::iter::repeat_with(|| name(&mut random, &stems)).filter(|name| known.insert(name.clone())).take(count).collect()
}

/// How a text mentions a name: a word more or less, a letter missing, the words in another order.
fn mention(name: &str, random: &mut Random) -> String {
    let mut words: Vec<String> = name.split(' ').map(str::to_lowercase).collect();
    let place = random.below(words.len() as u32) as usize;
    let letters = words[place].chars().count();
    match random.below(4) {
        0 if words.len() > 2 => drop(words.remove(place)),
        1 => words.insert(place, pick(random, &QUALIFIERS)),
        2 if letters > 4 => {
            let gone = 1 + random.below(letters as u32 - 1) as usize;
            words[place] = words[place].chars().enumerate().filter(|(at, _)| *at != gone).map(|(_, letter)| letter).collect();
        }
        _ => words.reverse(),
    }
    words.join(" ")
}

fn median(mut times: Vec<Duration>) -> String {
    times.sort();
    let ms = |share: usize| times[times.len() * share / 100].as_secs_f64() * 1e3;
    format!("median {:.2} ms, 9 of 10 below {:.2} ms", ms(50), ms(90))
}

fn megabytes(path: &Path) -> f64 {
    std::fs::metadata(path).map_or(0.0, |state| state.len() as f64 / 1e6)
}

fn opened(stem: &Path, key: &VectorKey) -> NameVectors {
    match NameVectors::open(stem, key).expect("readable") {
        OpenedVectors::Ready(vectors) => vectors,
        OpenedVectors::Rebuild(why) => unreachable!("just built, but {why}"),
    }
}

fn measure(title: &str, names: &[String], encoder: &EncoderHandle) {
    println!("\n{title}: {} names, such as {:?}", names.len(), &names[..4.min(names.len())]);
    let temporary = tempfile::tempdir().expect("a folder");
    let folder =
        std::env::var_os("CATENA_BENCH_FOLDER").map_or_else(|| temporary.path().to_owned(), PathBuf::from).join(names.len().to_string());
    std::fs::create_dir_all(&folder).expect("a folder");
    let stem = folder.join("graph");
    let key = VectorKey::of(1, encoder).expect("the encoder works");
    let began = Instant::now();
    let mut marks: Vec<(BuildPhase, Duration)> = Vec::new();
    let names = names.to_vec();
    NameVectors::build(&stem, &key, &names, encoder, &mut |progress| {
        match marks.last_mut() {
            Some(mark) if mark.0 == progress.phase => mark.1 = began.elapsed(),
            _ => marks.push((progress.phase, began.elapsed())),
        }
        true
    })
    .expect("built");
    println!("build            {:.1} s in all; ends of phases {marks:.1?}", began.elapsed().as_secs_f64());
    let (vectors, index) = (folder.join("graph.vectors"), folder.join("graph.ann"));
    println!("files            vectors {:.1} MB, index {:.1} MB", megabytes(&vectors), megabytes(&index));
    for (path, what) in [(&vectors, "graph.vectors.verified"), (&index, "graph.ann.verified")] {
        drop((std::fs::remove_file(folder.join(what)), path));
    }
    let began = Instant::now();
    drop(opened(&stem, &key));
    println!("first opening    {:.2} ms (reads and checks everything; pages are in memory)", began.elapsed().as_secs_f64() * 1e3);
    let began = Instant::now();
    let by_index = opened(&stem, &key);
    println!("opening again    {:.2} ms; {:?}", began.elapsed().as_secs_f64() * 1e3, by_index.searched_by());
    let aside = folder.join("aside");
    std::fs::rename(&index, &aside).expect("moved");
    let by_row = opened(&stem, &key);
    std::fs::rename(&aside, &index).expect("moved back");

    let mut random = Random(5);
    let texts: Vec<String> =
        (0..MENTIONS * QUESTIONS).map(|_| mention(&names[random.below(names.len() as u32) as usize], &mut random)).collect();
    println!("mentions         {:?}", &texts[..6]);
    let questions: Vec<Matrix> =
        texts.chunks(MENTIONS).map(|texts| encoder.encode(texts.to_vec()).expect("encodes").normalised()).collect();
    let (mut times, mut found) = (Vec::new(), Vec::new());
    for question in questions.iter().chain(&questions) {
        let began = Instant::now();
        let nearest = by_index.nearest(question, 3, 0.3).expect("searches");
        times.push(began.elapsed());
        found.push(nearest);
    }
    println!("search by index  {} for {MENTIONS} mentions", median(times.split_off(QUESTIONS)));
    let (mut times, mut exact) = (Vec::new(), Vec::new());
    for question in &questions {
        let began = Instant::now();
        exact.push(by_row.nearest(question, 3, 0.3).expect("searches"));
        times.push(began.elapsed());
    }
    println!("search every row {}", median(times));
    let delta = encoder.delta().expect("loaded");
    for above in [0.3, delta] {
        let pairs = found.iter().take(QUESTIONS).flatten().zip(exact.iter().flatten());
        let best: Vec<bool> = pairs
            .filter(|(_, exact)| exact.first().is_some_and(|best| f64::from(best.1) > above))
            .map(|(found, exact)| found.first().zip(exact.first()).is_some_and(|(found, exact)| found.1 >= exact.1))
            .collect();
        let hits = best.iter().filter(|hit| **hit).count();
        println!(
            "recall@1         {:.4} of {} mentions with a name nearer than {above}",
            hits as f64 / best.len().max(1) as f64,
            best.len()
        );
    }
    let rows: Vec<u32> = (0..100_000).map(|_| random.below(names.len() as u32)).collect();
    let fragments = encoder.encode(texts[..24].to_vec()).expect("encodes").normalised();
    let times = (0..20).map(|_| {
        let began = Instant::now();
        by_index.similarities(&rows, &fragments).expect("compares");
        began.elapsed()
    });
    println!("similarities     {} for 100,000 rows and 24 texts", median(times.collect()));
}

fn main() {
    let encoder = Engine::start_encoder().expect("a thread");
    if let Ok(file) = std::env::var("CATENA_BENCH_NAMES") {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let names: Vec<String> = text.lines().map(str::to_owned).collect();
        measure(&file, &names, &encoder);
        return;
    }
    measure("synthetic", &names(100_000), &encoder);
    if std::env::var_os("CATENA_BENCH_FULL").is_some() {
        measure("synthetic, full size", &names(1_288_721), &encoder);
    }
}
