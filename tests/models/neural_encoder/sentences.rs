//! Sentence encoders of all families beside candle-transformers, which pads nothing here: it gets one text at a time.

use std::path::Path;

use candle_core::Device;
use catena::model::infer::StaticEncoder;
use catena::model::infer::bert::{inspect, open_encoder};
use catena::model::{CancelToken, EncoderHandle};
use serde_json::{Value, json};

use super::tiny::{Family, Numbers, Shape, Tiny};

/// Components of unit vectors differ by no more than this.
const TOLERANCE: f32 = 1e-4;

fn texts(count: usize, most: usize) -> Vec<String> {
    let mut numbers = Numbers(3);
    (0..count)
        .map(|_| {
            let words = 1 + numbers.below(most);
            numbers.text(words)
        })
        .collect()
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}

fn assert_equals_candle_transformers(shape: Shape, seed: u64) {
    let tiny = Tiny::new(shape, seed);
    let mut encoder = open_encoder(tiny.folder(), &Device::Cpu).expect("the model loads");
    assert_eq!((encoder.dim(), encoder.delta()), (shape.hidden, 0.7));
    let texts = texts(30, 50);
    let rows = encoder.encode(&texts).expect("encodes");
    for (row, text) in texts.iter().enumerate() {
        let (got, want) = (rows.row(row), tiny.vector(text));
        let difference = largest_difference(got, &want);
        assert!(difference < TOLERANCE, "{shape:?} {text:?}: {difference}");
    }
    // The vectors tell texts apart, so that equality says something.
    assert!(largest_difference(rows.row(0), rows.row(1)) > 0.05);
}

#[test]
fn bert_equals_candle_transformers_with_either_pooling() {
    for (seed, pooling) in [(1, "mean"), (2, "cls")] {
        assert_equals_candle_transformers(Shape { pooling: Some(pooling), ..Shape::BERT }, seed);
    }
    assert_equals_candle_transformers(Shape { hidden: 64, heads: 2, inner: 256, ..Shape::BERT }, 3);
    assert_equals_candle_transformers(Shape { hidden: 30, heads: 3, inner: 17, ..Shape::BERT }, 4);
}

#[test]
fn xlm_roberta_equals_candle_transformers_with_positions_after_the_paddings_number() {
    for (seed, pooling) in [(5, "cls"), (6, "mean")] {
        assert_equals_candle_transformers(Shape { pooling: Some(pooling), ..Shape::XLM }, seed);
    }
}

#[test]
fn a_text_has_the_same_vector_alone_among_few_and_among_many() {
    for shape in [Shape::BERT, Shape::XLM] {
        let tiny = Tiny::new(shape, 7);
        let mut encoder = open_encoder(tiny.folder(), &Device::Cpu).expect("the model loads");
        let texts = texts(300, 30);
        let many = encoder.encode(&texts).expect("encodes");
        let few = encoder.encode(&texts[..3]).expect("encodes");
        for row in (0..texts.len()).step_by(7) {
            let alone = encoder.encode(&texts[row..=row]).expect("encodes");
            assert_eq!(alone.row(0), many.row(row), "{shape:?} {row}");
        }
        for row in 0..3 {
            assert_eq!(few.row(row), many.row(row));
        }
    }
}

#[test]
fn tokens_have_the_vectors_of_candle_transformers_without_the_templates_marks() {
    for (shape, seed) in [(Shape::BERT, 8), (Shape::XLM, 9)] {
        let tiny = Tiny::new(shape, seed);
        let mut encoder = open_encoder(tiny.folder(), &Device::Cpu).expect("the model loads");
        let texts: Vec<String> = ["fever with cough", "zorb", "pain of the heart after a meal"].map(str::to_owned).to_vec();
        let rows = encoder.encode_tokens(&texts).expect("encodes").expect("it has tokens");
        // A text of which it knows nothing has no token.
        let want: Vec<Vec<f32>> = [&texts[0], &texts[2]].iter().flat_map(|text| tiny.token_vectors(text)).collect();
        assert_eq!((rows.rows(), rows.dim()), (want.len(), shape.hidden));
        for (row, want) in want.iter().enumerate() {
            let difference = largest_difference(rows.row(row), want);
            assert!(difference < TOLERANCE, "{shape:?} token {row}: {difference}");
        }
        assert_eq!(encoder.encode_tokens(&[]).expect("nothing").expect("it has tokens").rows(), 0);
    }
}

#[test]
fn orders_of_tokens_and_of_texts_may_stand_in_one_queue() {
    let tiny = Tiny::new(Shape::BERT, 10);
    let folder = tiny.folder().to_owned();
    let texts: Vec<String> = ["fever with cough", "acid reflux"].map(str::to_owned).to_vec();
    let mut direct = open_encoder(&folder, &Device::Cpu).expect("the model loads");
    let tokens = direct.encode_tokens(&texts).expect("encodes");
    let rows = direct.encode(&texts).expect("encodes");
    let handle = EncoderHandle::start_boxed("tiny", move || open_encoder(&folder, &Device::Cpu)).expect("a thread");
    // While it loads, orders queue up.
    let cancel = CancelToken::new();
    let ordered: Vec<_> = (0..4).map(|_| handle.submit(texts.clone(), &cancel).expect("is taken")).collect();
    assert_eq!(handle.encode_tokens(texts.clone()).expect("encodes"), tokens);
    for order in ordered {
        assert_eq!(order.wait().expect("encodes"), rows);
    }
    let built_in = EncoderHandle::start(StaticEncoder::NAME, StaticEncoder::built_in).expect("a thread");
    assert_eq!(built_in.encode_tokens(texts).expect("is asked"), None, "it has vectors of whole texts only");
}

#[test]
fn a_text_is_cut_at_the_models_limit_and_at_that_of_its_sentences() {
    let words: Vec<String> = texts(1, 1).into_iter().chain(texts(60, 1)).collect();
    for (shape, limit) in [(Shape::BERT, 40), (Shape::XLM, 32)] {
        let tiny = Tiny::new(shape, 8);
        let check = |limit: usize| {
            let mut encoder = open_encoder(tiny.folder(), &Device::Cpu).expect("the model loads");
            let texts = [words.join(" "), words[..limit - 2].join(" "), words[..limit - 3].join(" ")];
            let rows = encoder.encode(&texts).expect("encodes");
            assert_eq!(rows.row(0), rows.row(1), "the first {limit} tokens count");
            assert!(largest_difference(rows.row(0), rows.row(2)) > 1e-3, "all of the {limit} count");
            assert_eq!(inspect(tiny.folder()).expect("a model").max_tokens, limit);
        };
        check(limit);
        tiny.write("sentence_bert_config.json", &json!({"max_seq_length": 12, "do_lower_case": false}));
        check(12);
        tiny.write("sentence_bert_config.json", &json!({"max_seq_length": 100_000}));
        check(limit);
    }
}

#[test]
fn what_the_model_does_not_know_at_all_is_a_row_of_zeros() {
    let unknown = ["", " ", "xyzzy", "\u{1F642} ?"].map(String::from);
    for shape in [Shape::BERT, Shape::XLM] {
        let tiny = Tiny::new(shape, 9);
        let mut encoder = open_encoder(tiny.folder(), &Device::Cpu).expect("the model loads");
        let rows = encoder.encode(&unknown).expect("encodes");
        assert_eq!((rows.rows(), rows.dim()), (4, shape.hidden));
        assert!(rows.data().iter().all(|x| *x == 0.0), "{shape:?}");
        let rows = encoder.encode(&["xyzzy pain".into()]).expect("encodes");
        assert!(rows.data().iter().any(|x| *x != 0.0));
    }
}

#[test]
fn files_of_sentence_transformers_and_catena_toml_are_obeyed() {
    let tiny = Tiny::new(Shape::BERT, 10);
    std::fs::rename(tiny.path("1_Pooling"), tiny.path("2_Pooling")).expect("a folder can be renamed");
    let kind = |name: &str| format!("sentence_transformers.models.{name}");
    tiny.write(
        "modules.json",
        &json!([{"idx": 0, "path": "", "type": kind("Transformer")}, {"idx": 1, "path": "2_Pooling", "type": kind("Pooling")},
            {"idx": 2, "path": "3_Normalize", "type": kind("Normalize")}]),
    );
    std::fs::write(tiny.path("catena.toml"), "delta = 0.83\n").expect("a file");
    let mut encoder = open_encoder(tiny.folder(), &Device::Cpu).expect("the model loads");
    assert_eq!(encoder.delta(), 0.83);
    let text = "stomach pain after the meal";
    assert!(largest_difference(encoder.encode(&[text.into()]).expect("encodes").row(0), &tiny.vector(text)) < TOLERANCE);
    // As later versions of sentence-transformers write it.
    tiny.write("2_Pooling/config.json", &json!({"embedding_dimension": 48, "pooling_mode": "cls"}));
    let first = open_encoder(tiny.folder(), &Device::Cpu).expect("loads").encode(&[text.into()]).expect("encodes");
    assert!(largest_difference(first.row(0), &tiny.vector(text)) > 1e-3);
}

#[test]
fn what_is_told_of_a_folder_is_what_it_holds() {
    for shape in [Shape::BERT, Shape::XLM, Shape { pooling: None, ..Shape::BERT }, Shape { pooling: None, ..Shape::XLM }] {
        let tiny = Tiny::new(shape, 11);
        let found = inspect(tiny.folder()).expect("a model");
        let held: usize = tiny.tensors.values().map(candle_core::Tensor::elem_count).sum();
        assert_eq!(found.parameters, held as u64, "{shape:?}");
        assert_eq!(found.cross_encoder, shape.pooling.is_none());
        assert_eq!(found.architecture, if shape.family == Family::Bert { "bert" } else { "xlm-roberta" });
        assert!(found.bytes > found.parameters * 4 && found.file_bytes > found.parameters * 4);
    }
}

/// A checkpoint that PyTorch wrote, with vectors that transformers computed from it (`tests/data/tiny-bert.py`).
#[test]
fn a_pytorch_checkpoint_gives_the_vectors_of_transformers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tiny-bert");
    let expected: Vec<Value> = serde_json::from_slice(&std::fs::read(folder.join("expected.json")).expect("a file")).expect("JSON");
    let mut encoder = open_encoder(&folder, &Device::Cpu).expect("the model loads");
    for row in &expected {
        let want: Vec<f32> = row["vector"].as_array().expect("a vector").iter().map(|x| x.as_f64().expect("a number") as f32).collect();
        let got = encoder.encode(&[row["text"].as_str().expect("a text").into()]).expect("encodes");
        assert!(largest_difference(got.row(0), &want) < TOLERANCE, "{row}");
    }
    assert!(expected.len() >= 4);
}
