//! A card whose memory is full: a model that is opened there says so, and the processor takes over.

use std::process::Command;

use candle_core::{DType, Tensor};
use catena::config::DeviceChoice;
use catena::model::infer::lm::{self, Computation};
use catena::model::{DeviceInfo, Machine, open_device, place};
use serde_json::json;

use super::correct::{open, tokens};
use super::gguf::{self, Quantisation};
use super::report::{Problem, Report};
use super::shapes::language_models;
use super::{Bench, remove};

/// Bytes that the card's memory is filled with at once.
const STEP: usize = 256 << 20;

/// What the message of a card without memory says, in small letters.
const OUT_OF_MEMORY: [&str; 4] = ["out of memory", "out_of_memory", "alloc_failed", "failed to create metal resource"];

pub(crate) fn measure(bench: &Bench, report: &mut Report) {
    report.measure("a full card", 15.0, |report| {
        let path = bench.dir.join("small.gguf");
        gguf::write(&path, &language_models(bench.tiny)[0], Quantisation::Q8_0)?;
        let needed = lm::inspect(&path)?.memory(lm::CONTEXT);
        let full = fill(bench)?;
        let machine = if bench.is_card() { Machine::here() } else { pretended(needed) };
        report.figures("filled", vec![("gb", json!((full.len() * STEP) as f64 / 1e9)), ("model_needs_gb", json!(needed as f64 / 1e9))]);
        if bench.is_card() {
            let problem = open(&path, &bench.device, Computation::Fastest).err().map(|error| error.to_string()).unwrap_or_default();
            let said = problem.to_lowercase();
            let passed = OUT_OF_MEMORY.iter().any(|sign| said.contains(sign));
            report.check("a model that does not fit says so", passed, vec![("message", json!(problem))]);
        }
        let placed = place(DeviceChoice::Auto, &machine, "small", needed)?;
        let on_processor = placed.device == DeviceChoice::Cpu && placed.warning.is_some();
        report.check("`auto` places it on the processor", on_processor, vec![("warning", json!(placed.warning))]);
        let mut model = open(&path, &open_device(placed.device)?, Computation::Fastest)?;
        let logits = model.logits(&tokens(8, model.vocabulary()))?;
        report.check("the processor computes it", logits.iter().all(|logit| logit.is_finite()), vec![("logits", json!(logits.len()))]);
        drop(model);
        program(bench, report, &path)?;
        drop(full);
        if bench.is_card() {
            let afterwards = open(&path, &bench.device, Computation::Fastest).err().map(|error| error.to_string());
            report.check("with room again, the card takes it", afterwards.is_none(), vec![("message", json!(afterwards))]);
        }
        remove(&path);
        Ok(())
    });
}

/// Takes all memory of a card. A processor's is left alone: others need it.
fn fill(bench: &Bench) -> Result<Vec<Tensor>, Problem> {
    let mut taken = Vec::new();
    if bench.is_card() {
        while let Ok(tensor) = Tensor::zeros(STEP, DType::U8, &bench.device) {
            taken.push(tensor);
        }
        // What failed may have left an error behind, or work.
        bench.device.synchronize().unwrap_or_default();
    }
    Ok(taken)
}

/// A machine with a card that has half the memory that is needed.
fn pretended(needed: u64) -> Machine {
    let device = |name: &str, free: u64| DeviceInfo { name: name.into(), memory: Some((free, free)) };
    Machine { cuda: true, metal: false, devices: vec![device("cpu", 4 * needed), device("cuda:0", needed / 2)], problem: None }
}

/// The whole program answers, on the processor, and says why.
fn program(bench: &Bench, report: &mut Report, model: &std::path::Path) -> Result<(), Problem> {
    let Some(catena) = bench.catena.as_ref().filter(|_| bench.is_card()) else { return Ok(()) };
    let home = bench.dir.join("home");
    std::fs::create_dir_all(&home)?;
    std::fs::write(home.join("config.toml"), "device = \"auto\"\n")?;
    let output = Command::new(catena)
        .args(["ask", "--json", "--generator"])
        .arg(model)
        .arg("I feel stomach reflux after eating. What medicine should I take?")
        .env("CATENA_HOME", &home)
        .output()?;
    let trace: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let device = trace["models"]["generator"]["device"].as_str().unwrap_or_default().to_owned();
    let warnings = trace["warnings"].to_string();
    let passed = output.status.success() && device == "cpu" && warnings.contains("processor");
    report.check("`catena ask` answers all the same", passed, vec![("device", json!(device)), ("warnings", json!(warnings))]);
    Ok(())
}
