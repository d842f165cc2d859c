//! Where the time of a written token goes: products with the matrices, measured alone, and everything else.

use std::borrow::Cow;
use std::time::Instant;

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor};
use serde_json::json;

use super::Bench;
use super::gguf::{Quantisation, Random, Shape, Storage};
use super::report::{Problem, Report};

/// Passes over the matrices of a layer.
const PASSES: usize = 20;

enum Matrix {
    Blocks(QMatMul),
    Floats(Tensor),
}

impl Matrix {
    fn random(storage: Storage, rows: usize, columns: usize, device: &Device) -> Result<Self> {
        let kind = match storage {
            Storage::Bf16 | Storage::F32 => {
                // As the model has it: a processor multiplies halves slowly.
                let kind = if storage == Storage::Bf16 && !device.is_cpu() { DType::BF16 } else { DType::F32 };
                return Ok(Self::Floats(Tensor::rand(-0.03f32, 0.03, (rows, columns), device)?.to_dtype(kind)?));
            }
            Storage::Q5_0 => GgmlDType::Q5_0,
            Storage::Q8_0 => GgmlDType::Q8_0,
            Storage::Q4K => GgmlDType::Q4K,
            Storage::Q6K => GgmlDType::Q6K,
        };
        let data = storage.random(&mut Random(3), rows * columns);
        let tensor = QTensor::new(QStorage::from_data(Cow::Borrowed(&data), device, kind)?, (rows, columns))?;
        Ok(Self::Blocks(QMatMul::from_qtensor(tensor)?))
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Blocks(matrix) => matrix.forward(x),
            Self::Floats(matrix) => x.to_dtype(matrix.dtype())?.matmul(&matrix.t()?)?.to_dtype(DType::F32),
        }
    }
}

/// Seconds that the products of one row with some matrices take together.
fn products(matrices: &[(Matrix, Tensor)], device: &Device) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..4 {
        device.synchronize()?;
        let began = Instant::now();
        for _ in 0..PASSES {
            for (matrix, x) in matrices {
                std::hint::black_box(matrix.forward(x)?);
            }
        }
        device.synchronize()?;
        best = best.min(began.elapsed().as_secs_f64() / PASSES as f64);
    }
    Ok(best)
}

/// The parts of a step that takes `step` seconds. A layer's matrices must be larger than the device's cache for this to be true: as in 7B.
pub(crate) fn of_step(
    bench: &Bench,
    report: &mut Report,
    name: &str,
    (shape, form): (&Shape, Quantisation),
    step: f64,
) -> std::result::Result<(), Problem> {
    if !bench.tiny && shape.hidden < 3000 {
        return Ok(());
    }
    let device = &bench.device;
    let made = |wanted: &dyn Fn(&str) -> bool| -> Result<Vec<(Matrix, Tensor)>> {
        let chosen = shape.stored(form).into_iter().filter(|(name, ..)| wanted(name));
        let made = chosen.map(|(_, rows, columns, storage)| {
            Ok((Matrix::random(storage, rows, columns, device)?, Tensor::rand(-1f32, 1.0, (1, columns), device)?))
        });
        made.collect()
    };
    // Layers 0 and 1 differ in what has six bits.
    let even = products(&made(&|name| name.starts_with("blk.0."))?, device)?;
    let odd = products(&made(&|name| name.starts_with("blk.1."))?, device)?;
    let output = if shape.tied { "token_embd.weight" } else { "output.weight" };
    let output = products(&made(&|name| name == output)?, device)?;
    let layers = shape.layers as f64 / 2.0 * (even + odd);
    report.figures(
        &format!("a step of {name}"),
        vec![
            ("step_ms", json!(step * 1e3)),
            ("layers_products_ms", json!(layers * 1e3)),
            ("output_product_ms", json!(output * 1e3)),
            ("rest_ms", json!((step - layers - output) * 1e3)),
            ("rest_share", json!(1.0 - (layers + output) / step)),
        ],
    );
    Ok(())
}
