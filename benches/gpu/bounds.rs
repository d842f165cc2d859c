//! What the device can do at best: bytes that it moves in a second, and operations. Speeds of models are shares of it.

use std::time::Instant;

use candle_core::{DType, Device, Result, Tensor};
use serde_json::json;

use super::Bench;
use super::report::Report;

/// The bounds of the device; not a number where they could not be measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Bytes read and written in a second, by a copy.
    pub(crate) bandwidth: f64,
    /// Multiplications and additions in a second, by a product of large matrices: of bf16 on a card, of 32-bit floats on a processor.
    pub(crate) arithmetic: f64,
    /// Seconds from the start of one small kernel to that of the next.
    pub(crate) launch: f64,
}

pub(crate) fn measure(bench: &Bench, report: &mut Report) -> Bounds {
    let mut bounds = Bounds { bandwidth: f64::NAN, arithmetic: f64::NAN, launch: f64::NAN };
    report.measure("bounds", 10.0, |report| {
        bounds.bandwidth = bandwidth(bench)?;
        let (kind, size) = if bench.is_card() { (DType::BF16, 8192) } else { (DType::F32, 512) };
        bounds.arithmetic = arithmetic(&bench.device, kind, size)?;
        let floats = arithmetic(&bench.device, DType::F32, if bench.is_card() { 4096 } else { 512 })?;
        bounds.launch = launch(&bench.device)?;
        report.figures(
            "bounds",
            vec![
                ("bandwidth_gb_s", json!(bounds.bandwidth / 1e9)),
                ("arithmetic_tflop_s", json!(bounds.arithmetic / 1e12)),
                ("of_f32_tflop_s", json!(floats / 1e12)),
                ("small_kernel_us", json!(bounds.launch * 1e6)),
            ],
        );
        Ok(())
    });
    bounds
}

/// The least seconds that one of some passes takes, each of `count` calls.
fn fastest(device: &Device, count: usize, mut call: impl FnMut() -> Result<Tensor>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..4 {
        device.synchronize()?;
        let began = Instant::now();
        for _ in 0..count {
            std::hint::black_box(call()?);
        }
        device.synchronize()?;
        best = best.min(began.elapsed().as_secs_f64() / count as f64);
    }
    Ok(best)
}

fn bandwidth(bench: &Bench) -> Result<f64> {
    let bytes = if bench.is_card() { 1usize << 30 } else { 1 << 26 };
    let tensor = Tensor::ones(bytes / 4, DType::F32, &bench.device)?;
    let seconds = fastest(&bench.device, 8, || tensor.copy())?;
    Ok(2.0 * bytes as f64 / seconds)
}

fn arithmetic(device: &Device, kind: DType, size: usize) -> Result<f64> {
    let random = || Tensor::rand(-1f32, 1f32, (size, size), device)?.to_dtype(kind);
    let (a, b) = (random()?, random()?);
    let seconds = fastest(device, 4, || a.matmul(&b))?;
    Ok(2.0 * (size as f64).powi(3) / seconds)
}

fn launch(device: &Device) -> Result<f64> {
    let small = Tensor::zeros(32, DType::F32, device)?;
    fastest(device, 1000, || small.affine(1.0, 1.0))
}
