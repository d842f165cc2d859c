//! The recogniser of drugs and diseases with the weights in the program: how fast it loads and reads one question.
//!
//! `RAYON_NUM_THREADS=1 taskset -c 0 cargo bench --bench recogniser` for one core. The budget is 6 ms for a question of 30 words.

#![allow(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to measure")]

use catena::model::Recogniser;
use catena::model::infer::bert::{SHIPPED_RECOGNISER, open_embedded_recogniser};
use divan::Bencher;

/// Ten, thirty and sixty words, each in one sentence as the recogniser reads it.
const QUESTIONS: [&str; 3] = [
    "Can I take zorblaxin with warfarin if I have gout?",
    "My mother is 68, takes bisoprolol and zorblaxin for atrial fibrillation, and since Monday \
     she has been dizzy, so should she stop one of them or is this a different disease?",
    "My mother is 68, takes bisoprolol and zorblaxin for atrial fibrillation, and since Monday \
     she has been dizzy, so should she stop one of them or is this a different \
     disease, given that she also had a fall last year, that her brother has Brallenholm syndrome and a \
     weak heart, and that nobody has looked at her kidneys or her blood since the spring?",
];

fn main() {
    if SHIPPED_RECOGNISER.is_some() {
        divan::main();
    }
}

fn recogniser() -> Box<dyn Recogniser> {
    open_embedded_recogniser("w2ner", SHIPPED_RECOGNISER.expect("main looks for them")).expect("the weights load")
}

/// From the bytes in the program to a network.
#[divan::bench(sample_count = 20)]
fn load() -> Box<dyn Recogniser> {
    recogniser()
}

/// One question, by the number of its words.
#[divan::bench(args = [10, 30, 60], sample_count = 200)]
fn question(bencher: Bencher<'_, '_>, words: usize) {
    let text = QUESTIONS.iter().min_by_key(|text| text.split_whitespace().count().abs_diff(words)).expect("there are some");
    let sentences = [(*text).to_owned()];
    let mut network = recogniser();
    bencher.bench_local(|| network.recognise(&sentences, &|| false).expect("recognises"));
}
