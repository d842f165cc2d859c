//! Does the device compute what the processor computes?

use std::path::Path;

use candle_core::Device;
use candle_core::quantized::GgmlDType;
use catena::model::infer::bert;
use catena::model::infer::lm::{Computation, LanguageModel, Options};
use catena::model::{Generator, Matrix, ModelError, Prompt, Sampling};
use serde_json::json;

use super::bert_files::{BertKind, names};
use super::gguf::{self, Quantisation};
use super::lm_files::{self, Kind};
use super::report::{Problem, Report};
use super::shapes::{bert_models, language_models, shallow};
use super::{Bench, remove};

/// Positions at which logits are compared.
const POSITIONS: usize = 64;
/// Tokens that are written, each the likeliest.
const GREEDY: usize = 32;
/// The most that logits may differ, as a share: where all numbers are 32-bit floats, and where weights or inputs are rounded.
const EXACT: f64 = 1e-4;
const ROUNDED: f64 = 1e-2;
/// Inputs of quantised matrices are rounded, too, and a last bit that differs can make another code of one. The two computations of the
/// processor differ for the same reason; the device may differ as much as they do, but never by more than this.
const MOST: f64 = 0.1;
/// The most that a component of a unit vector, or a relevance, may differ.
const VECTORS: f64 = 1e-3;

pub(crate) fn open(path: &Path, device: &Device, computation: Computation) -> Result<LanguageModel, ModelError> {
    LanguageModel::open(path, device, &Options { computation, ..Options::default() })
}

/// On a processor the device's computation is that by candle's tensors, too, so that a dry run compares two.
fn on_device(path: &Path, bench: &Bench) -> Result<LanguageModel, ModelError> {
    open(path, &bench.device, Computation::Tensors)
}

/// Tokens that look random.
pub(crate) fn tokens(count: usize, vocabulary: usize) -> Vec<u32> {
    (0..count).map(|i| ((i * 7919 + 13) % (vocabulary - 1)) as u32).collect()
}

/// The root mean square of the difference, as a share of that of what is wanted.
fn difference(got: &[f32], want: &[f32]) -> f64 {
    let square = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x) * f64::from(x)).sum::<f64>();
    if got.len() != want.len() {
        return f64::INFINITY;
    }
    (square(&mut got.iter().zip(want).map(|(a, b)| a - b)) / square(&mut want.iter().copied())).sqrt()
}

/// Logits after each of the tokens, one by one, and after all of them at once.
fn logits(model: &mut LanguageModel, tokens: &[u32]) -> Result<Vec<Vec<f32>>, ModelError> {
    let mut all = vec![model.logits(tokens)?];
    all.push(model.logits(&tokens[..1])?);
    for end in 2..=tokens.len() {
        all.push(model.continue_logits(&tokens[..end])?);
    }
    Ok(all)
}

/// The most that logits differ at any position; not a number counts as the most of all.
fn furthest(got: &[Vec<f32>], want: &[Vec<f32>]) -> f64 {
    let differences = got.iter().zip(want).map(|(got, want)| difference(got, want));
    differences.fold(0.0, |most, x| {
        if x <= most {
            most
        } else if x.is_nan() {
            f64::INFINITY
        } else {
            x
        }
    })
}

fn greedy(model: &mut LanguageModel, start: &[u32]) -> Result<Vec<u32>, ModelError> {
    let mut tokens = start.to_vec();
    for _ in 0..GREEDY {
        let logits = model.continue_logits(&tokens)?;
        let likeliest = (0u32..).zip(&logits).max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(token, _)| token);
        tokens.push(likeliest);
    }
    Ok(tokens.split_off(start.len()))
}

/// One line for a model: logits, and in floats also the tokens and a cache that is used again.
fn compare(bench: &Bench, report: &mut Report, name: &str, path: &Path, floats: bool) -> Result<(), Problem> {
    let mut device = on_device(path, bench)?;
    let tokens = tokens(POSITIONS, device.vocabulary());
    let got = logits(&mut device, &tokens)?;
    let mut processor = open(path, &Device::Cpu, Computation::Fastest)?;
    let want = logits(&mut processor, &tokens)?;
    let by_kernels = furthest(&got, &want);
    let (off, rounding) = if bench.is_card() && !floats {
        let by_tensors = logits(&mut open(path, &Device::Cpu, Computation::Tensors)?, &tokens)?;
        (by_kernels.min(furthest(&got, &by_tensors)), Some(furthest(&by_tensors, &want)))
    } else {
        (by_kernels, None)
    };
    // On a processor the two computations are what is compared: how far they differ cannot be their own limit.
    let limit = if floats { EXACT } else { rounding.map_or(MOST, |rounding| ROUNDED.max(rounding).min(MOST)) };
    let figures = vec![("off", json!(off)), ("at_most", json!(limit)), ("of_the_processor", json!(rounding))];
    report.check(&format!("logits: {name}"), off <= limit, figures);
    if floats {
        let start = &tokens[..8];
        device.logits(start)?;
        processor.logits(start)?;
        let (got, want) = (greedy(&mut device, start)?, greedy(&mut processor, start)?);
        let alike = got.iter().zip(&want).take_while(|(a, b)| a == b).count();
        report.check(&format!("likeliest tokens: {name}"), got == want, vec![("alike", json!(alike)), ("of", json!(GREEDY))]);
        shared_prefix(bench, report, name, path)?;
    }
    Ok(())
}

/// A second prompt with the same beginning gives the text that it gives alone.
fn shared_prefix(bench: &Bench, report: &mut Report, name: &str, path: &Path) -> Result<(), Problem> {
    let sampling = Sampling { max_tokens: GREEDY, temperature: 0.0, ..Sampling::default() };
    let text = |model: &mut LanguageModel, user: &str| -> Result<(Vec<u32>, usize), ModelError> {
        let done = model.generate(&Prompt::new("the heart and the head", user), &sampling, &mut |_| true)?;
        let of_text = done.new_tokens.unwrap_or(0);
        Ok((model.conversation().iter().rev().take(of_text).rev().copied().collect(), done.reused_tokens))
    };
    let mut model = on_device(path, bench)?;
    text(&mut model, "what hat")?;
    let (got, reused) = text(&mut model, "what other")?;
    let (want, _) = text(&mut on_device(path, bench)?, "what other")?;
    let figures = vec![("tokens", json!(want.len())), ("reused", json!(reused))];
    report.check(&format!("shared prefix: {name}"), got == want && reused > 0, figures);
    Ok(())
}

fn in_bf16(name: &str) -> GgmlDType {
    if name.ends_with(".weight") && !name.contains("norm") { GgmlDType::BF16 } else { GgmlDType::F32 }
}

/// Tiny models of every family, in every form.
pub(crate) fn families(bench: &Bench, report: &mut Report) {
    let kinds: [(&str, Kind); 4] =
        [("F32", lm_files::floats), ("BF16", in_bf16), ("Q8_0", lm_files::bytes), ("Q4_K, Q6_K, Q8_0, F16", lm_files::mixed)];
    for family in ["qwen2", "qwen3", "llama", "gemma3", "phi3"] {
        for (form, kind) in kinds {
            let name = format!("{family}, {form}");
            report.measure(&name, 2.0, |report| {
                let (_folder, path) = lm_files::gguf(&lm_files::Shape::of(family), kind);
                compare(bench, report, &name, &path, form == "F32")
            });
        }
    }
}

/// Models as wide as those that are measured, with two layers.
pub(crate) fn wide(bench: &Bench, report: &mut Report) {
    for shape in language_models(bench.tiny) {
        let forms = [Quantisation::Q4KM, Quantisation::Q8_0, Quantisation::Bf16, Quantisation::F32];
        // In floats the largest would take a third of the time, and compute what the smallest computes.
        for form in forms.into_iter().filter(|form| *form != Quantisation::F32 || shape.hidden < 2048) {
            let name = format!("{}, {}", shape.name, form.name());
            let seconds = if bench.tiny { 1.0 } else { 3.0 + shape.hidden as f64 / 600.0 };
            report.measure(&name, seconds, |report| {
                let path = bench.dir.join("wide.gguf");
                gguf::write(&path, &shallow(&shape, bench.tiny), form)?;
                let compared = compare(bench, report, &name, &path, form == Quantisation::F32);
                remove(&path);
                compared
            });
        }
    }
}

/// The most that two components differ.
fn apart(got: &Matrix, want: &Matrix) -> f64 {
    if got.data().len() != want.data().len() || got.rows() == 0 {
        return f64::INFINITY;
    }
    let differences = got.data().iter().zip(want.data()).map(|(a, b)| f64::from((a - b).abs()));
    differences.fold(0.0, |most, x| {
        if x <= most {
            most
        } else if x.is_nan() {
            f64::INFINITY
        } else {
            x
        }
    })
}

/// Vectors and relevances. A dry run compares texts one by one with all at once.
pub(crate) fn encoders(bench: &Bench, report: &mut Report) {
    let texts = names(40);
    for shape in bert_models(bench.tiny) {
        let seconds = if bench.tiny { 1.0 } else { 2.0 + shape.layers as f64 / 4.0 };
        report.measure(shape.name, seconds, |report| {
            let folder = shape.folder(&bench.dir)?;
            let off = match shape.kind {
                BertKind::Sentences => {
                    let got = bert::open_encoder(&folder, &bench.device)?.encode(&texts)?;
                    let mut processor = bert::open_encoder(&folder, &Device::Cpu)?;
                    let mut rows = Vec::new();
                    for text in &texts {
                        rows.extend_from_slice(processor.encode(std::slice::from_ref(text))?.data());
                    }
                    apart(&got, &Matrix::new(got.dim(), rows))
                }
                BertKind::Pairs => {
                    let (queries, documents) = texts.split_at(4);
                    let got = bert::open_reranker(&folder, &bench.device)?.score(queries, documents, &|| false)?;
                    let mut processor = bert::open_reranker(&folder, &Device::Cpu)?;
                    let mut rows = Vec::new();
                    for query in queries {
                        rows.extend_from_slice(processor.score(std::slice::from_ref(query), documents, &|| false)?.data());
                    }
                    apart(&got, &Matrix::new(documents.len(), rows))
                }
            };
            let name = format!("{}: {}", if shape.kind == BertKind::Pairs { "relevances" } else { "vectors" }, shape.name);
            report.check(&name, off <= VECTORS, vec![("off", json!(off)), ("at_most", json!(VECTORS))]);
            Ok(())
        });
    }
}
