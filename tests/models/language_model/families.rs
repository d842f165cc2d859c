//! Every family computes what candle's own models compute, by candle's operations and by our kernels.

use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{gemma3, llama, quantized_llama, quantized_phi3, quantized_qwen2, quantized_qwen3, qwen2, qwen3};
use catena::model::infer::lm::{Computation, LanguageModel, Options, inspect};

use crate::support::lm_files::{self, Kind, Random, Shape, Tensors};

const TENSORS: Options =
    Options { context: None, to_q8_0: false, threads: Some(2), computation: Computation::Tensors, repetition_penalty: None, min_p: None };
const FASTEST: Options =
    Options { context: None, to_q8_0: false, threads: Some(2), computation: Computation::Fastest, repetition_penalty: None, min_p: None };

fn some_tokens(shape: &Shape, count: usize) -> Vec<u32> {
    let mut random = Random(9);
    let vocabulary = lm_files::vocabulary(shape).0.len() as f32;
    (0..count).map(|_| ((random.unit() + 1.0) / 2.0 * vocabulary) as u32).collect()
}

/// The root mean square of the difference, as a share of that of what is wanted.
fn difference(got: &[f32], want: &[f32]) -> f32 {
    assert_eq!(got.len(), want.len());
    let square = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>();
    let wanted = square(&mut want.iter().copied());
    assert!(wanted > 0.01 * want.len() as f32, "the logits are not all alike");
    (square(&mut got.iter().zip(want).map(|(a, b)| a - b)) / wanted).sqrt()
}

fn open(path: &std::path::Path, options: &Options) -> LanguageModel {
    LanguageModel::open(path, &Device::Cpu, options).expect("loads")
}

/// Logits of candle's own model for the same file.
fn candles(shape: &Shape, path: &std::path::Path, tokens: &[u32]) -> Vec<f32> {
    let mut file = std::fs::File::open(path).expect("a file");
    let content = Content::read(&mut file).expect("a header");
    let input = Tensor::new(tokens, &Device::Cpu).and_then(|t| t.unsqueeze(0)).expect("tokens");
    let device = &Device::Cpu;
    let logits = match shape.family {
        "qwen2" => quantized_qwen2::ModelWeights::from_gguf(content, &mut file, device).and_then(|mut m| m.forward(&input, 0)),
        "qwen3" => quantized_qwen3::ModelWeights::from_gguf(content, &mut file, device).and_then(|mut m| m.forward(&input, 0)),
        "llama" => quantized_llama::ModelWeights::from_gguf(content, &mut file, device).and_then(|mut m| m.forward(&input, 0)),
        _ => quantized_phi3::ModelWeights::from_gguf(false, content, &mut file, device).and_then(|mut m| m.forward(&input, 0)),
    };
    logits.and_then(|l| l.flatten_all()?.to_vec1()).expect("logits")
}

/// With weights that are floats the numbers are candle's to 1e-4. Where weights are quantised, so are inputs: a last bit that differs can make another code
/// of one, which shows in the logits by a percent. Beside what the same weights give as floats, ours are off by less than 3 %, and over all models by no more
/// than candle's: which of the two is nearer for one model depends on the processor.
#[test]
fn gguf_logits_are_those_of_candles_models() {
    let mut all = (0.0, 0.0);
    for family in ["qwen2", "qwen3", "llama", "phi3"] {
        let shape = Shape::of(family);
        let tokens = some_tokens(&shape, 37);
        for (name, kind) in [("f32", lm_files::floats as Kind), ("q8_0", lm_files::bytes), ("mixed", lm_files::mixed)] {
            let (_folder, path) = lm_files::gguf(&shape, kind);
            let want = candles(&shape, &path, &tokens);
            let off = difference(&open(&path, &TENSORS).logits(&tokens).expect("logits"), &want);
            assert!(off < if name == "f32" { 1e-4 } else { 0.02 }, "{family} {name} by candle's operations: {off}");
            let (candles, ours) = off_exact(&shape, kind, &tokens);
            assert!(ours < 0.03 && ours <= 1.5 * candles + 1e-4, "{family} {name}: ours {ours}, candle's {candles}");
            all = (all.0 + candles, all.1 + ours);
        }
    }
    let (candles, ours) = all;
    assert!(ours <= 1.1 * candles, "ours {ours}, candle's {candles}, over all models");
}

/// How far candle's operations and our kernels are off what the same weights give as floats.
fn off_exact(shape: &Shape, kind: Kind, tokens: &[u32]) -> (f32, f32) {
    let (folder, path) = lm_files::gguf(shape, kind);
    let exact = folder.path().join("exact.gguf");
    lm_files::write_gguf(&exact, &lm_files::metadata(shape), &lm_files::rounded(&lm_files::weights(shape, 1), kind), lm_files::floats);
    let want = open(&exact, &TENSORS).logits(tokens).expect("logits");
    let off = |options| difference(&open(&path, options).logits(tokens).expect("logits"), &want);
    (off(&TENSORS), off(&FASTEST))
}

fn variables(tensors: &Tensors, change: impl Fn(&str, f32) -> f32) -> VarBuilder<'static> {
    let named = tensors.iter().map(|(name, (dims, values))| {
        let values: Vec<f32> = values.iter().map(|value| change(name, *value)).collect();
        (lm_files::hugging_face(name), Tensor::from_vec(values, dims.as_slice(), &Device::Cpu).expect("a tensor"))
    });
    VarBuilder::from_tensors(named.collect(), DType::F32, &Device::Cpu)
}

fn named(name: &str) -> String {
    name.to_owned()
}

/// candle's quantised Gemma 3 has SiLU where Gemma has GELU, so the reference is its model of full precision. That one sees one position more than a
/// window has, so the window is wider here than the prompt (the next test is about windows), and it stops with more than one key-value head.
#[test]
fn gemma_logits_are_those_of_candles_model() {
    let shape = Shape { layers: 7, kv_heads: 1, ..Shape::of("gemma3") };
    let tensors = lm_files::weights(&shape, 1);
    let (_folder, path) = lm_files::gguf(&shape, lm_files::floats);
    let tokens = some_tokens(&shape, 33);
    let config = gemma3::Config {
        attention_bias: false,
        head_dim: shape.head_dim,
        hidden_activation: candle_nn::Activation::GeluPytorchTanh,
        hidden_size: shape.hidden,
        intermediate_size: shape.feed_forward,
        num_attention_heads: shape.heads,
        num_hidden_layers: shape.layers,
        num_key_value_heads: shape.kv_heads,
        rms_norm_eps: 1e-6,
        rope_theta: 1e6,
        rope_local_base_freq: 1e4,
        vocab_size: lm_files::vocabulary(&shape).0.len(),
        final_logit_softcapping: None,
        attn_logit_softcapping: None,
        query_pre_attn_scalar: shape.head_dim,
        sliding_window: shape.window,
        sliding_window_pattern: 6,
        max_position_embeddings: shape.context,
    };
    // In its own files Gemma's norms are held less 1; and there the norm before the feed-forward part has the long name.
    let renamed: std::collections::HashMap<String, Tensor> = tensors
        .iter()
        .map(|(name, (dims, values))| {
            let less = if name.contains("norm") { 1.0 } else { 0.0 };
            let values: Vec<f32> = values.iter().map(|value| value - less).collect();
            let theirs = if name.contains("ffn_norm") {
                lm_files::hugging_face(name).replace("post_attention_layernorm", "pre_feedforward_layernorm")
            } else {
                lm_files::hugging_face(name)
            };
            (theirs, Tensor::from_vec(values, dims.as_slice(), &Device::Cpu).expect("a tensor"))
        })
        .collect();
    let variables = VarBuilder::from_tensors(renamed, DType::F32, &Device::Cpu);
    let input = Tensor::new(tokens.as_slice(), &Device::Cpu).and_then(|t| t.unsqueeze(0)).expect("tokens");
    let want: Vec<f32> = gemma3::Model::new(false, &config, variables)
        .and_then(|mut model| model.forward(&input, 0)?.flatten_all()?.to_vec1())
        .expect("candle's logits");
    for options in [TENSORS, FASTEST] {
        let off = difference(&open(&path, &options).logits(&tokens).expect("logits"), &want);
        assert!(off < 1e-4, "{:?}: {off}", options.computation);
    }
    for kind in [lm_files::bytes as Kind, lm_files::mixed] {
        let (candles, ours) = off_exact(&shape, kind, &tokens);
        assert!(ours < 0.05 && ours <= 1.1 * candles, "quantised: ours {ours}, candle's {candles}");
    }
}

/// With one layer whose window is 8, the logits depend on the last 8 tokens and on no other.
#[test]
fn a_window_is_as_long_as_it_says() {
    let shape = Shape { layers: 1, window: 8, ..Shape::of("gemma3") };
    let (_folder, path) = lm_files::gguf(&shape, lm_files::floats);
    let tokens = some_tokens(&shape, 40);
    for options in [TENSORS, FASTEST] {
        let mut model = open(&path, &options);
        let want = model.logits(&tokens).expect("logits");
        for (changed, seen) in [(31, false), (32, true), (0, false), (38, true)] {
            let mut other = tokens.clone();
            other[changed] = (other[changed] + 1) % 200;
            let off = difference(&model.logits(&other).expect("logits"), &want);
            assert_eq!(off > 1e-3, seen, "{:?}, token {changed}: {off}", options.computation);
        }
    }
}

/// Tokens that come one by one see what they see when they come together, also where the room for keys and values and the table of rotations grow
/// (at 256 positions), and where a window has left the first positions behind.
#[test]
fn tokens_one_by_one_give_what_they_give_together() {
    for family in ["qwen2", "qwen3", "llama", "gemma3", "phi3"] {
        // Six layers, so that one of Gemma's sees all positions.
        let shape = Shape { layers: 6, window: 8, ..Shape::of(family) };
        let (_folder, path) = lm_files::gguf(&shape, lm_files::floats);
        let tokens = some_tokens(&shape, 262);
        let mut together = open(&path, &TENSORS);
        for options in [TENSORS, FASTEST] {
            let mut model = open(&path, &options);
            model.logits(&tokens[..250]).expect("logits");
            for end in 251..=tokens.len() {
                let got = model.continue_logits(&tokens[..end]).expect("logits");
                if [252, 257, 262].contains(&end) {
                    let off = difference(&got, &together.logits(&tokens[..end]).expect("logits"));
                    assert!(off < 1e-4, "{family} {:?}, {end} tokens: {off}", options.computation);
                }
            }
        }
    }
}

#[test]
fn folder_logits_are_those_of_candles_models() {
    for (family, files, scaled) in [("qwen2", 1, false), ("qwen3", 3, false), ("llama", 2, false), ("llama", 1, true)] {
        let shape = Shape::of(family);
        let tensors = lm_files::weights(&shape, 2);
        let folder = lm_files::folder(&shape, &tensors, DType::F32, files);
        let mut config = lm_files::config(&shape);
        if scaled {
            config["rope_scaling"] = serde_json::json!({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                "original_max_position_embeddings": 64});
            std::fs::write(folder.path().join("config.json"), config.to_string()).expect("written");
        }
        let tokens = some_tokens(&shape, 41);
        let input = Tensor::new(tokens.as_slice(), &Device::Cpu).and_then(|t| t.unsqueeze(0)).expect("tokens");
        let variables = variables(&tensors, |_, value| value);
        let parse = "a configuration";
        let want: Vec<f32> = match family {
            "qwen2" => qwen2::ModelForCausalLM::new(&serde_json::from_value(config).expect(parse), variables)
                .and_then(|mut m| m.forward(&input, 0)),
            "qwen3" => qwen3::ModelForCausalLM::new(&serde_json::from_value(config).expect(parse), variables)
                .and_then(|mut m| m.forward(&input, 0)),
            _ => {
                let config = serde_json::from_value::<llama::LlamaConfig>(config).expect(parse).into_config(false);
                let mut cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu).expect("a cache");
                llama::Llama::load(variables, &config).and_then(|m| m.forward(&input, 0, &mut cache))
            }
        }
        .and_then(|l| l.flatten_all()?.to_vec1())
        .expect("candle's logits");
        for options in [TENSORS, FASTEST] {
            let off = difference(&open(folder.path(), &options).logits(&tokens).expect("logits"), &want);
            assert!(off < 1e-4, "{family} {:?}: {off}", options.computation);
            let in_bytes = Options { to_q8_0: true, ..options };
            let off = difference(&open(folder.path(), &in_bytes).logits(&tokens).expect("logits"), &want);
            assert!(off > 1e-5 && off < 0.08, "{family} in bytes: {off}");
        }
        for kind in [DType::F16, DType::BF16] {
            let folder = lm_files::folder(&shape, &tensors, kind, files);
            std::fs::write(folder.path().join("config.json"), {
                let mut config = lm_files::config(&shape);
                if scaled {
                    config["rope_scaling"] = serde_json::json!({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                        "high_freq_factor": 4.0, "original_max_position_embeddings": 64});
                }
                config.to_string()
            })
            .expect("written");
            let [a, b] = [TENSORS, FASTEST].map(|options| open(folder.path(), &options).logits(&tokens).expect("logits"));
            assert!(difference(&a, &b) < 1e-3 && difference(&a, &want) < 0.05, "{family} {kind:?}");
        }
    }
}

/// A GGUF file of the architecture llama has its queries and keys in another order, and Llama 3.1's scaling as a tensor of factors: the
/// same model both ways gives the same logits.
#[test]
fn llama_is_the_same_from_a_file_and_from_a_folder() {
    let shape = Shape::of("llama");
    let mut tensors = lm_files::weights(&shape, 3);
    let folder = lm_files::folder(&shape, &tensors, DType::F32, 1);
    let mut config = lm_files::config(&shape);
    config["rope_scaling"] = serde_json::json!({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64});
    std::fs::write(folder.path().join("config.json"), config.to_string()).expect("written");
    let half = shape.head_dim / 2;
    for (name, (dims, values)) in &mut tensors {
        if name.contains("attn_q.") || name.contains("attn_k.") {
            let old = values.clone();
            for row in 0..dims[0] {
                let (head, at) = (row / shape.head_dim, row % shape.head_dim);
                let from = head * shape.head_dim + at % 2 * half + at / 2;
                values[row * dims[1]..(row + 1) * dims[1]].copy_from_slice(&old[from * dims[1]..(from + 1) * dims[1]]);
            }
        }
    }
    let factors = (0..half).map(|i| {
        let wavelength = 2.0 * std::f32::consts::PI * 10_000f32.powf(i as f32 / half as f32);
        let smooth = ((64.0 / wavelength - 1.0) / 3.0).clamp(0.0, 1.0);
        1.0 / ((1.0 - smooth) / 8.0 + smooth)
    });
    tensors.insert("rope_freqs.weight".into(), (vec![half], factors.collect()));
    let file = folder.path().join("same.gguf");
    lm_files::write_gguf(&file, &lm_files::metadata(&shape), &tensors, lm_files::floats);
    let tokens = some_tokens(&shape, 50);
    for options in [TENSORS, FASTEST] {
        let want = open(folder.path(), &options).logits(&tokens).expect("logits");
        let off = difference(&open(&file, &options).logits(&tokens).expect("logits"), &want);
        assert!(off < 1e-4, "{off}");
    }
}

#[test]
fn headers_tell_what_a_model_is() {
    let shape = Shape::of("gemma3");
    let (_folder, path) =
        lm_files::gguf_with(&shape, lm_files::bytes, &[("tokenizer.chat_template", Value::String("{{ messages }}".into()))]);
    let told = inspect(&path).expect("headers");
    assert_eq!((named(&told.architecture), told.format, named(&told.stored_as)), (named("gemma3"), "gguf", named("Q8_0")));
    let values: usize = lm_files::weights(&shape, 1).values().map(|(dims, _)| dims.iter().product::<usize>()).sum();
    assert_eq!(told.parameters, values as u64);
    assert_eq!(told.kv_bytes_per_token, 2 * 2 * 2 * 64 * 4);
    assert!(told.chat_template && told.context == 512 && told.name == "tiny");
    let length = std::fs::metadata(&path).expect("a file").len();
    assert!(told.weight_bytes < length && told.weight_bytes > length / 2);
    assert!(told.memory(100) >= told.weight_bytes + 100 * told.kv_bytes_per_token);
    let shape = Shape::of("llama");
    let folder = lm_files::folder(&shape, &lm_files::weights(&shape, 1), DType::BF16, 2);
    let told = inspect(folder.path()).expect("headers");
    assert_eq!((told.format, named(&told.stored_as), told.chat_template), ("safetensors", named("BF16"), false));
}
