//! Files that are missing, damaged, of another model, or made to do harm: each is an error that names the file, none a panic or a
//! large allocation.

use std::io::Write;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use catena::model::ModelError;
use catena::model::infer::bert::{inspect, open_encoder, open_reranker};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use super::tiny::{Numbers, Shape, Tiny};

const CROSS: Shape = Shape { pooling: None, ..Shape::XLM };

/// Why a folder does not load.
fn problem(folder: &Path, pooling: bool) -> String {
    let error = if pooling { open_encoder(folder, &Device::Cpu).err() } else { open_reranker(folder, &Device::Cpu).err() };
    match error {
        Some(ModelError::Load { problem, .. }) => problem,
        other => panic!("loading should have failed, not come to {other:?}"),
    }
}

fn assert_says(tiny: &Tiny, parts: &[&str]) {
    let problem = problem(tiny.folder(), tiny.shape.pooling.is_some());
    for part in parts {
        assert!(problem.contains(part), "{problem:?} should say {part:?}");
    }
}

#[test]
fn a_missing_file_is_named() {
    for (file, shape) in [("config.json", Shape::BERT), ("tokenizer.json", CROSS), ("model.safetensors", Shape::XLM)] {
        let tiny = Tiny::new(shape, 31);
        std::fs::remove_file(tiny.path(file)).expect("a file");
        assert_says(&tiny, &[file]);
    }
    let tiny = Tiny::new(Shape::BERT, 31);
    std::fs::remove_file(tiny.path("1_Pooling/config.json")).expect("a file");
    assert_says(&tiny, &["1_Pooling/config.json", "mean or first"]);
    let problem = problem(&tiny.path("nowhere"), true);
    assert!(problem.contains("no such folder"), "{problem}");
    assert!(inspect(&tiny.path("nowhere")).is_err());
}

#[test]
fn a_configuration_out_of_range_is_refused_by_its_field() {
    let cases: [(&str, Value); 18] = [
        ("model_type", json!("qwen2")),
        ("model_type", json!(null)),
        ("hidden_size", json!(0)),
        ("hidden_size", json!(1u64 << 40)),
        ("hidden_size", json!(-48)),
        ("hidden_size", json!(null)),
        ("num_attention_heads", json!(5)),
        ("num_attention_heads", json!(1_000_000)),
        ("num_hidden_layers", json!(4_000_000_000u64)),
        ("intermediate_size", json!(u64::MAX)),
        ("vocab_size", json!(1u64 << 60)),
        ("max_position_embeddings", json!(2)),
        ("max_position_embeddings", json!(1u64 << 50)),
        ("type_vocab_size", json!(0)),
        ("layer_norm_eps", json!(-1.0)),
        ("hidden_act", json!("swiglu")),
        ("position_embedding_type", json!("relative_key")),
        ("pad_token_id", json!("none")),
    ];
    for (field, value) in cases {
        let tiny = Tiny::new(Shape::XLM, 32);
        tiny.set(field, value.clone());
        let named = if value == json!(-48) || value == json!("none") { "line 1" } else { field };
        assert_says(&tiny, &["config.json", named]);
        assert!(inspect(tiny.folder()).is_err(), "{field} {value}");
    }
}

#[test]
fn tensors_that_are_missing_or_of_another_shape_are_named() {
    let cases = [
        ("num_hidden_layers", json!(4), "encoder.layer.3.attention.self.query.weight is missing"),
        (
            "intermediate_size",
            json!(96),
            "encoder.layer.0.intermediate.dense.weight has the shape [100, 64], but config.json asks for [96, 64]",
        ),
        ("vocab_size", json!(4_000_000), "embeddings.word_embeddings.weight has the shape [30, 64]"),
        ("max_position_embeddings", json!(99), "embeddings.position_embeddings.weight"),
    ];
    for (field, value, says) in cases {
        let tiny = Tiny::new(Shape::XLM, 33);
        tiny.set(field, value);
        assert_says(&tiny, &["model.safetensors", says]);
    }
    let mut tiny = Tiny::new(CROSS, 34);
    let two = Tensor::zeros((2, 64), DType::F32, &Device::Cpu).expect("a tensor");
    tiny.tensors.insert("classifier.out_proj.weight".into(), two);
    candle_core::safetensors::save(&tiny.tensors, tiny.path("model.safetensors")).expect("weights can be written");
    assert_says(&tiny, &["classifier.out_proj.weight has the shape [2, 64]"]);
    // An encoder is no cross-encoder.
    let encoder = Tiny::new(Shape::XLM, 35);
    assert!(problem(encoder.folder(), false).contains("classifier.dense.weight is missing"));
    // Numbers that are none.
    let mut tiny = Tiny::new(Shape::BERT, 36);
    let wrong = (&tiny.tensors["embeddings.LayerNorm.bias"] * f64::NAN).expect("a tensor");
    tiny.tensors.insert("embeddings.LayerNorm.bias".into(), wrong);
    candle_core::safetensors::save(&tiny.tensors, tiny.path("model.safetensors")).expect("weights can be written");
    assert_says(&tiny, &["embeddings.LayerNorm.bias", "not finite"]);
}

#[test]
fn foreign_files_are_told_from_the_models_own() {
    let (tiny, other) = (Tiny::new(Shape::BERT, 37), Tiny::new(Shape::XLM, 37));
    tiny.set("vocab_size", json!(20));
    assert_says(&tiny, &["tokenizer.json", "another model"]);
    std::fs::copy(other.path("1_Pooling/config.json"), tiny.path("1_Pooling/config.json")).expect("a copy");
    assert_says(&tiny, &["1_Pooling/config.json", "word_embedding_dimension is 64"]);
    tiny.write("1_Pooling/config.json", &json!({"pooling_mode_max_tokens": true}));
    assert_says(&tiny, &["1_Pooling/config.json", "neither the mean"]);
    tiny.write("modules.json", &json!([{"path": "../../etc", "type": "sentence_transformers.models.Pooling"}]));
    assert_says(&tiny, &["modules.json", "path"]);
    tiny.write("modules.json", &json!([{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]));
    assert_says(&tiny, &["modules.json", "Dense"]);
    let tiny = Tiny::new(Shape::BERT, 38);
    for (text, says) in [("delta = 7", "delta is 7"), ("detla = 0.7", "detla"), ("delta = \"\u{1b}[31m", "line 1")] {
        std::fs::write(tiny.path("catena.toml"), text).expect("a file");
        assert_says(&tiny, &["catena.toml", says]);
        assert!(!problem(tiny.folder(), true).contains('\u{1b}'));
    }
}

#[test]
fn damaged_safetensors_are_refused() {
    let tiny = Tiny::new(Shape::BERT, 39);
    let whole = std::fs::read(tiny.path("model.safetensors")).expect("a file");
    let mut claims = whole.clone();
    claims[..8].copy_from_slice(&(u64::MAX / 2).to_le_bytes());
    let mut longer = whole.clone();
    longer.push(0);
    for bytes in [&whole[..whole.len() - 1], &whole[..1000], &whole[..5], &[], &longer, &claims, b"<!DOCTYPE html><html>not found</html>"] {
        std::fs::write(tiny.path("model.safetensors"), bytes).expect("a file");
        assert_says(&tiny, &["model.safetensors"]);
    }
}

/// A PyTorch checkpoint of a list of tensors and one file of numbers.
fn checkpoint(path: &Path, list: &[u8], numbers: &[u8]) {
    let mut archive = zip::ZipWriter::new(std::fs::File::create(path).expect("a file"));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in [("archive/data.pkl", list), ("archive/data/0", numbers)] {
        archive.start_file(name, stored).expect("an entry");
        archive.write_all(bytes).expect("bytes");
    }
    archive.finish().expect("an archive");
}

#[test]
fn hostile_checkpoints_of_pytorch_are_refused_at_once() {
    let tiny = Tiny::new(Shape::BERT, 40);
    std::fs::remove_file(tiny.path("model.safetensors")).expect("a file");
    let says = |parts: &[&str]| assert_says(&tiny, &[&["pytorch_model.bin"], parts].concat());
    let path = tiny.path("pytorch_model.bin");
    std::fs::write(&path, b"\x80\x02}q\x00.").expect("a file");
    says(&["archive"]);
    // Values that double forty times (a bomb), tuples a million deep, code to be run, endless text, values from nowhere.
    let bomb = [b"\x80\x02)q\x00".to_vec(), b"h\x00h\x00\x86q\x00".repeat(40), b".".to_vec()].concat();
    checkpoint(&path, &bomb, &[]);
    says(&["too deep"]);
    checkpoint(&path, &[b")".to_vec(), b"\x85".repeat(1_000_000)].concat(), &[]);
    says(&["too deep"]);
    for list in [
        &b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."[..],
        b"X\xFF\xFF\xFF\xFFa",
        b"h\x07.",
        b"t.",
        b"R.",
        b"\x8A\xFFa",
        b"",
        b"0.",
        b"(((s.",
    ] {
        checkpoint(&path, list, &[]);
        says(&["data.pkl"]);
    }
    // Tensors of the right shapes, for which there are only two numbers.
    let mut list = b"\x80\x02}".to_vec();
    for (name, rows) in [("embeddings.word_embeddings.weight", 30), ("encoder.layer.0.attention.self.query.weight", 48)] {
        list.extend([b"X", &(name.len() as u32).to_le_bytes()[..], name.as_bytes()].concat());
        list.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000");
        list.extend([b"X\x03\x00\x00\x00cpuJ\xFF\xFF\xFF\x7FtQK\x00K", &[rows][..], b"K\x30\x86K\x30K\x01\x86\x89)tRs"].concat());
    }
    list.push(b'.');
    checkpoint(&path, &list, &[0; 8]);
    says(&["encoder.layer.0.attention.self.query.weight", "archive/data/0 does not hold 2304 numbers"]);
}

/// Bytes of every file are changed here and there: an error, or a model that computes; never a panic.
#[test]
fn changed_bytes_never_end_in_a_panic() {
    let mut numbers = Numbers(41);
    for shape in [Shape::BERT, CROSS] {
        let tiny = Tiny::new(shape, 42);
        let files: &[&str] = if shape.pooling.is_some() {
            &["config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"]
        } else {
            &["config.json", "tokenizer.json", "model.safetensors"]
        };
        for file in files {
            let whole = std::fs::read(tiny.path(file)).expect("a file");
            for _ in 0..60 {
                let mut bytes = whole.clone();
                for _ in 0..1 + numbers.below(3) {
                    let reach = bytes.len().min(4000);
                    bytes[numbers.below(reach)] = numbers.next() as u8;
                }
                std::fs::write(tiny.path(file), &bytes).expect("a file");
                if shape.pooling.is_some() {
                    let _ = open_encoder(tiny.folder(), &Device::Cpu).map(|mut model| model.encode(&["pain after meal".into()]));
                } else {
                    let score = |mut model: Box<dyn catena::model::Reranker>| model.score(&["pain".into()], &["fever".into()], &|| false);
                    let _ = open_reranker(tiny.folder(), &Device::Cpu).map(score);
                }
                let _ = inspect(tiny.folder());
            }
            std::fs::write(tiny.path(file), &whole).expect("a file");
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tiny-bert");
    let tiny = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(tiny.path().join("1_Pooling")).expect("a folder");
    for file in ["config.json", "tokenizer.json", "1_Pooling/config.json"] {
        std::fs::copy(folder.join(file), tiny.path().join(file)).expect("a copy");
    }
    let whole = std::fs::read(folder.join("pytorch_model.bin")).expect("a file");
    for _ in 0..400 {
        let mut bytes = whole.clone();
        for _ in 0..1 + numbers.below(4) {
            let at = numbers.below(bytes.len());
            bytes[at] = numbers.next() as u8;
        }
        std::fs::write(tiny.path().join("pytorch_model.bin"), &bytes).expect("a file");
        let _ = open_encoder(tiny.path(), &Device::Cpu).map(|mut model| model.encode(&["pain".into()]));
    }
}
