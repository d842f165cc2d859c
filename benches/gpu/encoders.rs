//! How many names encoders embed in a second, how many chains cross-encoders score, and whether the built-in static encoder would gain by
//! a card.

use std::time::Instant;

use candle_core::{DType, Device, Tensor};
use catena::model::infer::bert;
use catena::model::{Encoder, StaticEncoder};
use serde_json::json;

use super::bert_files::{BertKind, BertShape, names};
use super::report::{Problem, Report};
use super::shapes::bert_models;
use super::{Bench, median};

/// Texts in one call.
const BATCHES: [usize; 3] = [1, 64, 512];
/// A cross-encoder reads every fragment of a question with every chain.
const FRAGMENTS: usize = 24;
const CHAINS: usize = 250;

pub(crate) fn measure(bench: &Bench, report: &mut Report) {
    for shape in bert_models(bench.tiny) {
        let seconds = if bench.tiny { 1.0 } else { 5.0 + shape.layers as f64 / 2.0 };
        report.measure(shape.name, seconds, |report| match shape.kind {
            BertKind::Sentences => encoder(bench, report, &shape),
            BertKind::Pairs => cross_encoder(bench, report, &shape),
        });
    }
    report.measure("static encoder", 4.0, |report| built_in(bench, report));
}

/// Names in a second, in calls of so many: the middle of five rounds of about a quarter of a second at most.
fn rate(all: &[String], batch: usize, rounds: usize, mut call: impl FnMut(&[String]) -> Result<(), Problem>) -> Result<f64, Problem> {
    let batches: Vec<&[String]> = all.chunks_exact(batch).collect();
    let mut rates = Vec::new();
    if let Some(first) = batches.first() {
        call(first)?;
    }
    for _ in 0..rounds {
        let (began, mut done) = (Instant::now(), 0);
        for texts in &batches {
            call(texts)?;
            done += texts.len();
            if began.elapsed().as_secs_f64() > 0.25 {
                break;
            }
        }
        rates.push(done as f64 / began.elapsed().as_secs_f64());
    }
    Ok(median(rates))
}

fn rounds(bench: &Bench) -> usize {
    if bench.tiny { 1 } else { 5 }
}

/// Rates at each size of call, as figures.
fn at_batches(
    bench: &Bench,
    names: [&'static str; 3],
    mut call: impl FnMut(&[String]) -> Result<(), Problem>,
) -> Result<Vec<(&'static str, serde_json::Value)>, Problem> {
    let texts = super::bert_files::names(1024);
    let mut figures = Vec::new();
    for (name, batch) in names.into_iter().zip(BATCHES) {
        figures.push((name, json!(rate(&texts, batch, rounds(bench), &mut call)?)));
    }
    Ok(figures)
}

fn encoder(bench: &Bench, report: &mut Report, shape: &BertShape) -> Result<(), Problem> {
    let folder = shape.folder(&bench.dir)?;
    let before = bench.used();
    let mut device = bert::open_encoder(&folder, &bench.device)?;
    let labels = ["names_s_by_1", "by_64", "by_512"];
    let figures = at_batches(bench, labels, |texts| Ok(device.encode(texts).map(drop)?))?;
    let used = used_since(bench, before);
    report.figures(&format!("{} on the device", shape.name), figures);
    if bench.is_card() {
        let mut processor = bert::open_encoder(&folder, &Device::Cpu)?;
        let figures = at_batches(bench, labels, |texts| Ok(processor.encode(texts).map(drop)?))?;
        report.figures(&format!("{} on the processor", shape.name), figures);
    }
    let estimate = bert::inspect(&folder)?.bytes as f64 / 1e9;
    report.figures(&format!("memory: {}", shape.name), vec![("used_gb", json!(used)), ("estimate_gb", json!(estimate))]);
    Ok(())
}

/// Gigabytes of the device's memory that were taken since.
fn used_since(bench: &Bench, before: Option<u64>) -> Option<f64> {
    bench.used().zip(before).map(|(after, before)| after.saturating_sub(before) as f64 / 1e9)
}

fn cross_encoder(bench: &Bench, report: &mut Report, shape: &BertShape) -> Result<(), Problem> {
    let folder = shape.folder(&bench.dir)?;
    let before = bench.used();
    let mut model = bert::open_reranker(&folder, &bench.device)?;
    let (fragments, chains) = if bench.tiny { (2, 20) } else { (FRAGMENTS, CHAINS) };
    let all = names(4 * (fragments + chains));
    // A fragment has about ten words, a chain three names and two relations.
    let joined: Vec<String> = all.chunks_exact(4).map(|names| names.join(" ")).collect();
    let (queries, documents) = joined.split_at(fragments);
    model.score(&queries[..1], &documents[..documents.len().min(32)], &|| false)?;
    let mut times = Vec::new();
    for _ in 0..rounds(bench).min(2) {
        let began = Instant::now();
        model.score(queries, documents, &|| false)?;
        times.push(began.elapsed().as_secs_f64());
    }
    let seconds = median(times);
    let used = used_since(bench, before);
    report.figures(
        &format!("{} on the device", shape.name),
        vec![
            ("chains_s", json!(documents.len() as f64 / seconds)),
            ("pairs_s", json!((documents.len() * queries.len()) as f64 / seconds)),
            ("chains", json!(documents.len())),
            ("fragments", json!(queries.len())),
            ("seconds", json!(seconds)),
        ],
    );
    let estimate = bert::inspect(&folder)?.bytes as f64 / 1e9;
    report.figures(&format!("memory: {}", shape.name), vec![("used_gb", json!(used)), ("estimate_gb", json!(estimate))]);
    let cancelled = model.score(queries, documents, &|| true).is_err_and(|error| matches!(error, catena::model::ModelError::Cancelled));
    report.check(&format!("stop: {}", shape.name), cancelled, Vec::new());
    Ok(())
}

/// The static encoder as it is, and on the device what it would have to do there at least: look up rows and add them up. Cutting texts into
/// tokens is not even counted there.
fn built_in(bench: &Bench, report: &mut Report) -> Result<(), Problem> {
    let mut encoder = StaticEncoder::built_in()?;
    let labels = ["names_s_by_1", "by_64", "by_512"];
    let figures = at_batches(bench, labels, |texts| Ok(encoder.encode(texts).map(drop)?))?;
    report.figures("static encoder on the processor", figures);
    let (rows, dim, each) = (60_000u32, encoder.dim(), 12);
    let table = Tensor::rand(-1f32, 1f32, (rows as usize, dim), &bench.device)?.to_dtype(DType::F32)?;
    let figures = at_batches(bench, labels, |texts| {
        let ids: Vec<u32> = (0..(texts.len() * each) as u32).map(|i| i * 7919 % rows).collect();
        let ids = Tensor::from_vec(ids, texts.len() * each, &bench.device)?;
        let sums = table.index_select(&ids, 0)?.reshape((texts.len(), each, dim))?.sum(1)?;
        sums.to_vec2::<f32>()?;
        Ok(())
    })?;
    report.figures("its sums on the device, without tokens", figures);
    Ok(())
}
