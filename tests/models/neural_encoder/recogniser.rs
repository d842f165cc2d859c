//! Recognisers (W2NER): mentions lie in the text and do not depend on the company of a sentence; broken folders are errors that name the file.

use catena::model::infer::bert::open_recogniser;
use catena::model::{CancelToken, ModelError, Recogniser, RecogniserHandle, TypedMention};
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};

use super::tiny::{Numbers, Shape, Tiny};

/// A file of tensors as bytes: name, kind of numbers, shape, bytes.
type Listed = (String, Dtype, Vec<usize>, Vec<u8>);

fn sizes() -> Value {
    json!({"form": 1, "types": ["Chemical", "Disease"], "word": 16, "channels": 16, "mlp": 16, "biaffine": 16, "place": 3, "dilations": [1, 2, 3]})
}

/// A tiny BERT with a grid of random weights over it; the words of its vocabulary are stored in bytes.
fn tiny() -> (Tiny, Vec<Listed>) {
    let tiny = Tiny::new(Shape::BERT, 77);
    let hidden = tiny.shape.hidden;
    let mut numbers = Numbers(5);
    let mut listed: Vec<Listed> = Vec::new();
    let floats = |name: &str, shape: &[usize], numbers: &[f32]| -> Listed {
        (name.to_owned(), Dtype::F32, shape.to_vec(), numbers.iter().flat_map(|x| x.to_le_bytes()).collect())
    };
    for (name, tensor) in &tiny.tensors {
        let all: Vec<f32> = tensor.flatten_all().and_then(|flat| flat.to_vec1()).expect("numbers");
        if name.as_str() == "embeddings.word_embeddings.weight" {
            let bytes = all.iter().map(|x| ((x * 127.0).round() as i8).cast_unsigned()).collect();
            listed.push((name.clone(), Dtype::I8, tensor.dims().to_vec(), bytes));
            listed.push(floats(&format!("{name}.scale"), &[tensor.dims()[0]], &vec![1.0 / 127.0; tensor.dims()[0]]));
        } else {
            listed.push(floats(name, tensor.dims(), &all));
        }
    }
    let dense = [("word", 16, hidden), ("gain", 16, 16), ("shift", 16, 16), ("base", 16, 22), ("mlp", 16, 48), ("mlp_out", 4, 16)];
    let mut shapes: Vec<(String, Vec<usize>)> = Vec::new();
    for (name, outputs, inputs) in dense.into_iter().chain([("subject", 16, hidden), ("object", 16, hidden)]) {
        shapes.extend([(format!("{name}.weight"), vec![outputs, inputs]), (format!("{name}.bias"), vec![outputs])]);
    }
    for number in 0..3 {
        shapes.extend([(format!("convolutions.{number}.weight"), vec![16, 16, 3, 3]), (format!("convolutions.{number}.bias"), vec![16])]);
    }
    shapes.extend([("distance.weight".into(), vec![19, 3]), ("region.weight".into(), vec![3, 3]), ("biaffine".into(), vec![4, 17, 17])]);
    for (name, shape) in shapes {
        let random: Vec<f32> = (0..shape.iter().product()).map(|_| numbers.below(2001) as f32 / 1000.0 - 1.0).collect();
        listed.push(floats(&format!("w2ner.{name}"), &shape, &random));
    }
    save(&tiny, &listed);
    tiny.write("w2ner.json", &sizes());
    (tiny, listed)
}

fn save(tiny: &Tiny, listed: &[Listed]) {
    let views = listed.iter().map(|(name, kind, shape, bytes)| (name, TensorView::new(*kind, shape.clone(), bytes).expect("a tensor")));
    safetensors::serialize_to_file(views, None, &tiny.path("model.safetensors")).expect("written");
}

fn problem(tiny: &Tiny) -> String {
    match open_recogniser(tiny.folder()).err() {
        Some(ModelError::Load { problem, .. }) => problem,
        other => panic!("loading should have failed, not come to {other:?}"),
    }
}

#[test]
fn mentions_lie_in_the_text_and_are_the_same_in_any_company() {
    let (tiny, _) = tiny();
    let mut recogniser: Box<dyn Recogniser> = open_recogniser(tiny.folder()).expect("opens");
    let mut numbers = Numbers(9);
    let mut texts: Vec<String> = (0..30).map(|words| numbers.text(words)).collect();
    texts
        .extend(["", "  \n", "Übelkeit, “pain”\u{301} – fever!", "发烧 fever", &"x".repeat(5000), &"pain ".repeat(300)].map(str::to_owned));
    let together = recogniser.recognise(&texts, &|| false).expect("recognises");
    let alone: Vec<Vec<TypedMention>> =
        texts.iter().flat_map(|text| recogniser.recognise(std::slice::from_ref(text), &|| false).expect("recognises")).collect();
    assert_eq!(together, alone);
    assert!(together.iter().map(Vec::len).sum::<usize>() > 20, "random weights find something");
    for (text, mentions) in texts.iter().zip(&together) {
        for mention in mentions {
            assert!(mention.parts.iter().all(|(begin, end)| begin < end && text.get(*begin..*end).is_some()), "{text:?}: {mention:?}");
            assert!(mention.parts.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{mention:?}");
        }
    }
    let has_chinese = texts.iter().position(|text| text.contains('发')).expect("is there");
    assert_eq!(together[has_chinese], [], "the network reads English");
    assert!(matches!(recogniser.recognise(&texts, &|| true), Err(ModelError::Cancelled)));

    let folder = tiny.folder().to_owned();
    let handle = RecogniserHandle::start("tiny", move || open_recogniser(&folder)).expect("a thread");
    assert_eq!(handle.recognise(texts, &CancelToken::new()).expect("recognises"), together);
}

#[test]
fn broken_folders_are_told_by_file_and_field() {
    let cases = [
        ("form", json!(2), "form 1"),
        ("types", json!(["Chemical", "Chemical"]), "stand there once"),
        ("types", json!(["Gene"]), "Chemical and Disease"),
        ("types", json!([]), "empty"),
        ("word", json!(17), "multiple of 16"),
        ("channels", json!(1 << 20), "up to 1024"),
        ("mlp", json!(0), "mlp is 0"),
        ("place", json!(0), "place is 0"),
        ("dilations", json!([0]), "dilations"),
        ("dilations", json!([]), "dilations"),
        ("channels", json!(32), "shape"),
        ("biaffine", json!(-1), "w2ner.json"),
    ];
    let (tiny, listed) = tiny();
    for (field, value, says) in cases {
        let mut changed = sizes();
        changed[field] = value;
        tiny.write("w2ner.json", &changed);
        let problem = problem(&tiny);
        assert!(problem.contains(says), "{field}: {problem}");
    }
    tiny.write("w2ner.json", &sizes());

    let without = |name: &str| listed.iter().filter(|tensor| tensor.0 != name).cloned().collect::<Vec<Listed>>();
    let words = "embeddings.word_embeddings.weight";
    save(&tiny, &without("w2ner.biaffine"));
    assert!(problem(&tiny).contains("w2ner.biaffine is missing"));
    save(&tiny, &without(&format!("{words}.scale")));
    assert!(problem(&tiny).contains("no tensor of its scales"));
    let mut short = without(&format!("{words}.scale"));
    short.push((format!("{words}.scale"), Dtype::F32, vec![2], vec![0; 8]));
    save(&tiny, &short);
    assert!(problem(&tiny).contains("its scales are"));
    let mut damaged = without(&format!("{words}.scale"));
    damaged.push((format!("{words}.scale"), Dtype::F32, vec![30], [0xFF; 120].to_vec()));
    save(&tiny, &damaged);
    assert!(problem(&tiny).contains("not finite"));

    save(&tiny, &listed);
    let whole = std::fs::read(tiny.path("model.safetensors")).expect("a file");
    for length in [0, 7, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(tiny.path("model.safetensors"), &whole[..length]).expect("written");
        assert!(problem(&tiny).contains("model.safetensors"), "{length} bytes");
    }
    std::fs::remove_file(tiny.path("w2ner.json")).expect("a file");
    assert!(problem(&tiny).contains("w2ner.json"));
}

#[test]
fn bytes_times_their_scales_are_the_numbers() {
    // The same weights once in bytes and once in floats find the same.
    let (tiny, listed) = tiny();
    let mut of_bytes = open_recogniser(tiny.folder()).expect("opens");
    let floats: Vec<Listed> = listed
        .iter()
        .filter(|tensor| !tensor.0.ends_with(".scale"))
        .map(|(name, kind, shape, bytes)| {
            if *kind != Dtype::I8 {
                return (name.clone(), *kind, shape.clone(), bytes.clone());
            }
            let floats = bytes.iter().flat_map(|byte| (f32::from(byte.cast_signed()) * (1.0 / 127.0)).to_le_bytes()).collect();
            (name.clone(), Dtype::F32, shape.clone(), floats)
        })
        .collect();
    save(&tiny, &floats);
    let mut of_floats = open_recogniser(tiny.folder()).expect("opens");
    let texts: Vec<String> = (1..20).map(|words| Numbers(words).text(words as usize)).collect();
    assert_eq!(of_bytes.recognise(&texts, &|| false).expect("recognises"), of_floats.recognise(&texts, &|| false).expect("recognises"));
}
