//! Models that run in this process: BERT-family encoders and cross-encoders, decoder-only language models, the built-in static encoder.
//!
//! They share one kind of thread pool (`thread_pool`) and one module of mathematics (`maths`). Matrix products have two kernels: 32-bit floats
//! for BERT (`bert/kernel.rs`) and quantised weights for language models (`lm/cpu/kernel.rs`).

pub mod bert;
pub mod lm;
mod maths;
pub(crate) mod ngram;
pub(crate) mod static_encoder;
mod thread_pool;

use candle_core::{Device, DeviceLocation};

pub(crate) use maths::dot;
pub use static_encoder::StaticEncoder;

/// A device as traces show it: `cpu`, `cuda:0`, `metal:0`.
fn device_name(device: &Device) -> String {
    match device.location() {
        DeviceLocation::Cpu => "cpu".into(),
        DeviceLocation::Cuda { gpu_id } => format!("cuda:{gpu_id}"),
        DeviceLocation::Metal { gpu_id } => format!("metal:{gpu_id}"),
    }
}
