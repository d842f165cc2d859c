//! The built-in encoder against the vectors that its recipe computed.

use catena::model::Encoder;
use catena::model::infer::StaticEncoder;
use serde_json::Value;

const TOLERANCE: f64 = 1e-4;

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(x * y)).sum::<f64>();
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    if norms == 0.0 { 0.0 } else { dot(a, b) / norms }
}

#[test]
fn vectors_equal_the_recipes_within_a_ten_thousandth() {
    let reference: Value = serde_json::from_str(include_str!("../data/encoder-reference.json")).expect("valid JSON");
    let mut encoder = StaticEncoder::built_in().expect("the built-in encoder loads");
    let texts = reference["texts"].as_array().expect("texts");
    assert!(texts.len() >= 40);
    for row in texts {
        let text = row["text"].as_str().expect("a text");
        let vector = encoder.encode(&[text.to_owned()]).expect("encodes");
        let norm = vector.row(0).iter().map(|x| f64::from(x * x)).sum::<f64>().sqrt();
        assert!((norm - row["norm"].as_f64().expect("a norm")).abs() < TOLERANCE, "norm of {text:?}: {norm} for {}", row["norm"]);
        for (got, want) in vector.row(0).iter().zip(row["sum_first_8"].as_array().expect("components")) {
            assert!((f64::from(*got) - want.as_f64().expect("a number")).abs() < TOLERANCE, "{text:?}");
        }
    }
    for pair in reference["pairs"].as_array().expect("pairs") {
        let text = |key: &str| pair[key].as_str().expect("a text").to_owned();
        let vectors = encoder.encode(&[text("a"), text("b")]).expect("encodes");
        let got = cosine(vectors.row(0), vectors.row(1));
        assert!((got - pair["cosine"].as_f64().expect("a cosine")).abs() < TOLERANCE, "{pair}: {got}");
    }
}

#[test]
fn vectors_of_texts_add_up() {
    let mut encoder = StaticEncoder::built_in().expect("the built-in encoder loads");
    let rows = encoder.encode(&["heartburn".into(), "胃痛".into(), "heartburn ; 胃痛".into()]).expect("encodes");
    for i in 0..rows.dim() {
        assert!((rows.row(0)[i] + rows.row(1)[i] - rows.row(2)[i]).abs() < 1e-5);
    }
}
