//! BERTScore and perplexity beside bert-score 0.3.13 and transformers 4.57.6, on the weights of all-MiniLM-L6-v2 (`CATENA_TEST_MINILM`) and
//! SmolLM2-135M-Instruct (`CATENA_TEST_SMOLLM2`). `tests/conformance/metrics.py` renews the reference.

use std::path::PathBuf;

use candle_core::Device;
use catena::eval::metric::{BertScore, bert_score, perplexity, token_vectors};
use catena::model::infer::bert;
use catena::model::infer::lm::{LanguageModel, Options};
use catena::model::{EncoderHandle, Generator};
use serde::Deserialize;

use crate::support::data::skip;
use crate::support::models::OpenedEncoder;

/// Sums of 32-bit numbers in another order.
const ROUNDING: f64 = 1e-5;

#[derive(Deserialize)]
struct Reference {
    bert_score: Vec<Pair>,
    perplexity: Vec<Text>,
}

/// Precision, recall and F1 of a text, with `[CLS]` and `[SEP]` among the possible matches (as published) and without them.
#[derive(Deserialize)]
struct Pair {
    text: String,
    reference: String,
    published: [f64; 3],
    words: [f64; 3],
}

#[derive(Deserialize)]
struct Text {
    text: String,
    ids: Vec<u32>,
    perplexity: f64,
    /// The same, with 8-bit rounding.
    rounded: f64,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../data/metric-reference.json")).expect("valid JSON")
}

/// What an environment variable names. `None` where it is not set: the test is skipped.
fn named(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        skip(&format!("{variable} names no model."));
    }
    path
}

/// The largest difference of precision, recall or F1.
fn difference(ours: BertScore, theirs: [f64; 3]) -> f64 {
    [ours.precision, ours.recall, ours.f1].iter().zip(theirs).map(|(ours, theirs)| (ours - theirs).abs()).fold(0.0, f64::max)
}

/// bert-score gives `[CLS]` and `[SEP]` no weight but lets words match them. It reads a text as a whole and counts full stops, which match
/// each other well; Catena reads sentence by sentence and leaves them out.
#[test]
fn bert_score_is_that_of_the_package_but_for_its_marks() {
    let Some(folder) = named("CATENA_TEST_MINILM") else { return };
    let open = move || Ok(OpenedEncoder(bert::open_encoder(&folder, &Device::Cpu).expect("the model loads")));
    let encoder = EncoderHandle::start("minilm", open).expect("a thread");
    let pairs = reference().bert_score;
    let (mut sentences, mut marks, mut cut) = (0.0f64, 0.0f64, 0.0f64);
    for pair in &pairs {
        let vectors = |text: &str| token_vectors(text, &encoder).expect("encodes");
        let ours = bert_score(&vectors(&pair.text), &vectors(&pair.reference)).expect("tokens");
        // Only texts of several sentences end with a full stop.
        if pair.text.ends_with('.') {
            cut = cut.max(difference(ours, pair.published));
        } else {
            sentences = sentences.max(difference(ours, pair.words));
            marks = marks.max(difference(ours, pair.published));
        }
    }
    println!(
        "BERTScore of {} pairs, largest difference from bert-score: sentences {sentences:.1e} ({marks:.3} where words may match [CLS] and [SEP]); texts of several sentences {cut:.3}",
        pairs.len()
    );
    assert!(pairs.len() == 24 && sentences < ROUNDING, "{sentences}");
    assert!(marks < 0.06 && cut < 0.15, "{marks} {cut}");
}

/// The weights are the same numbers in both. Catena rounds what they are multiplied with to eight bits, as llama.cpp does; transformers does
/// not, but can be made to.
#[test]
fn perplexity_is_that_of_transformers() {
    let Some(file) = named("CATENA_TEST_SMOLLM2") else { return };
    let mut model =
        LanguageModel::open(&file, &Device::Cpu, &Options { context: Some(1024), ..Options::default() }).expect("the model loads");
    let texts = reference().perplexity;
    // Logarithms: sums over all tokens, and the largest difference from the exact one of a text. Of ours, and of the rounded reference.
    let (mut exact, mut ours_all, mut rounded_all, mut count) = (0.0, 0.0, 0.0, 0usize);
    let (mut worst, mut worst_rounded) = (0.0f64, 0.0f64);
    for text in &texts {
        assert_eq!(model.text_tokens(&text.text).expect("tokens"), text.ids, "{}", text.text);
        let logs = model.log_probabilities(None, &text.text, &mut || true).expect("computes").expect("a language model");
        assert_eq!(logs.len(), text.ids.len() - 1, "each token but the first has a probability");
        let ours = perplexity(&logs).expect("a value");
        worst = worst.max((ours / text.perplexity).ln().abs());
        worst_rounded = worst_rounded.max((text.rounded / text.perplexity).ln().abs());
        let tokens = logs.len() as f64;
        ours_all += ours.ln() * tokens;
        exact += text.perplexity.ln() * tokens;
        rounded_all += text.rounded.ln() * tokens;
        count += logs.len();
    }
    let [ours, exact, rounded] = [ours_all, exact, rounded_all].map(|sum: f64| (sum / count as f64).exp());
    println!(
        "perplexity of {} texts, {count} tokens: {ours:.1}, transformers {exact:.1}, rounded {rounded:.1}; one text differs by {:.0} % (rounded {:.0} %) at most",
        texts.len(),
        100.0 * (worst.exp() - 1.0),
        100.0 * (worst_rounded.exp() - 1.0)
    );
    assert!((ours / exact).ln().abs() < 0.03 && worst < worst_rounded, "{ours} {exact} {worst} {worst_rounded}");
}
