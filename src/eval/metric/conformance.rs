//! ROUGE and BLEU beside rouge_score and NLTK, on random texts that `tests/conformance/run.sh` makes.

use serde_json::Value as Json;

use super::{bleu, rouge_l, rouge_n, words};

#[test]
#[ignore = "tests/conformance/run.sh runs it"]
fn conformance_overlap_of_texts() {
    let folder = std::env::var_os("CATENA_CONFORMANCE").expect("tests/conformance/run.sh sets CATENA_CONFORMANCE");
    let lines = std::fs::read_to_string(std::path::Path::new(&folder).join("overlaps.jsonl")).expect("the references");
    let (mut cases, mut worst) = (0, 0.0f64);
    for line in lines.lines() {
        let case: Json = serde_json::from_str(line).expect("JSON");
        let text = words(case["text"].as_str().expect("a text"));
        let references: Vec<Vec<String>> =
            case["references"].as_array().expect("a list").iter().map(|text| words(text.as_str().expect("a text"))).collect();
        let first = &references[0];
        let ours = [
            rouge_n(&text, first, 1),
            rouge_n(&text, first, 2),
            rouge_l(&text, first),
            bleu(&text, &references, 1),
            bleu(&text, &references, 4),
        ];
        let theirs = case["rouge"].as_array().expect("a list").iter().chain(case["bleu"].as_array().expect("a list"));
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            worst = worst.max((ours.expect("a value") - theirs.as_f64().expect("a number")).abs());
        }
        cases += 1;
    }
    println!("metrics: {cases} pairs of texts; ROUGE-1, -2, -L and BLEU-1, -4 differ from rouge_score and NLTK by {worst:e} at most");
    assert!(cases == 1000 && worst < 1e-9, "{worst}");
}
