//! Devices that models run on: opened by choice, listed with their memory; and the vector instructions of this build.

use candle_core::{Device, DeviceLocation};

use super::available_memory;
use crate::config::DeviceChoice;

/// The most graphics cards that are looked for.
const MOST_CARDS: usize = 16;

/// A device that was opened.
#[derive(Debug, Clone)]
pub struct OpenedDevice {
    /// The device.
    pub device: Device,
    /// Why it is not the chosen device, and what to do.
    pub warning: Option<String>,
}

/// Opens a device; if that fails, the processor, with a warning.
pub fn open_device(choice: DeviceChoice) -> OpenedDevice {
    let opened = match choice {
        DeviceChoice::Cpu => Ok(Device::Cpu),
        DeviceChoice::Auto => return OpenedDevice { device: first_card().unwrap_or(Device::Cpu), warning: None },
        DeviceChoice::Cuda(_) if !cfg!(feature = "cuda") => Err(without("cuda")),
        DeviceChoice::Cuda(number) => Device::new_cuda(number).map_err(|error| in_short(&error)),
        DeviceChoice::Metal(_) if !cfg!(feature = "metal") => Err(without("metal")),
        DeviceChoice::Metal(number) => Device::new_metal(number).map_err(|error| in_short(&error)),
    };
    match opened {
        Ok(device) => OpenedDevice { device, warning: None },
        Err(problem) => {
            let warning = format!("The device {choice} cannot be used: {problem}. Models run on the processor instead.");
            OpenedDevice { device: Device::Cpu, warning: Some(warning) }
        }
    }
}

fn without(feature: &str) -> String {
    format!("this build of Catena cannot use it (it was built without `--features {feature}`)")
}

fn in_short(error: &candle_core::Error) -> String {
    crate::text::sanitise_line(&error.to_string()).chars().take(200).collect()
}

fn first_card() -> Option<Device> {
    if cfg!(feature = "cuda")
        && let Ok(device) = Device::new_cuda(0)
    {
        return Some(device);
    }
    if cfg!(feature = "metal") { Device::new_metal(0).ok() } else { None }
}

/// An available device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// `cpu`, `cuda:0`, `metal:0`.
    pub name: String,
    /// Bytes of memory, total and free; `None` where the system does not say.
    pub memory: Option<(u64, u64)>,
}

impl DeviceInfo {
    /// Whether this entry describes `device`.
    pub fn is(&self, device: &Device) -> bool {
        let same = |kind: &str, number: usize| self.name == format!("{kind}:{number}");
        match device.location() {
            DeviceLocation::Cpu => self.name == "cpu",
            DeviceLocation::Cuda { gpu_id } => same("cuda", gpu_id),
            DeviceLocation::Metal { gpu_id } => same("metal", gpu_id),
        }
    }
}

/// The devices that this build can use, the processor first.
pub fn devices() -> Vec<DeviceInfo> {
    let mut devices = vec![DeviceInfo { name: DeviceChoice::Cpu.to_string(), memory: available_memory() }];
    if cfg!(feature = "cuda") {
        // Cards are numbered without gaps.
        let cards = (0..MOST_CARDS).map_while(|number| Device::new_cuda(number).ok().map(|device| (number, device)));
        devices.extend(
            cards.map(|(number, device)| DeviceInfo { name: DeviceChoice::Cuda(number).to_string(), memory: card_memory(&device) }),
        );
    }
    if cfg!(feature = "metal")
        && let Ok(device) = Device::new_metal(0)
    {
        devices.push(DeviceInfo { name: DeviceChoice::Metal(0).to_string(), memory: card_memory(&device) });
    }
    devices
}

/// Bytes of memory of a card, total and free.
#[cfg(feature = "cuda")]
fn card_memory(device: &Device) -> Option<(u64, u64)> {
    let stream = device.as_cuda_device().ok()?.cuda_stream();
    stream.context().bind_to_thread().ok()?;
    let (free, total) = candle_core::cuda_backend::cudarc::driver::result::mem_get_info().ok()?;
    Some((total as u64, free as u64))
}

#[cfg(not(feature = "cuda"))]
fn card_memory(_device: &Device) -> Option<(u64, u64)> {
    None
}

/// The vector instructions that this build uses, and those that it leaves unused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionSet {
    /// What candle's kernels were compiled for.
    pub compiled: Vec<&'static str>,
    /// What the processor has and this build does not use.
    pub unused: Vec<&'static str>,
}

impl InstructionSet {
    /// What to do if the build does not use all of the processor's instructions.
    pub fn warning(&self) -> Option<String> {
        if self.unused.is_empty() {
            return None;
        }
        Some(format!(
            "This build does not use this processor's {} instructions, so local models run several times slower. To use them, build Catena on this \
             machine: run `cargo build --release` in Catena's own folder, or set RUSTFLAGS=\"-C target-cpu=native\".",
            self.unused.join(", ")
        ))
    }
}

/// The vector instructions of this build and this processor.
pub fn instruction_set() -> InstructionSet {
    let known = instructions();
    let named = |wanted: fn(&(&'static str, bool, bool)) -> bool| known.iter().filter(|one| wanted(one)).map(|(name, ..)| *name).collect();
    InstructionSet { compiled: named(|(_, compiled, _)| *compiled), unused: named(|(_, compiled, present)| !compiled && *present) }
}

/// Name, whether this build was made for it, whether the processor has it.
#[cfg(target_arch = "x86_64")]
fn instructions() -> Vec<(&'static str, bool, bool)> {
    vec![
        ("avx2", cfg!(target_feature = "avx2"), is_x86_feature_detected!("avx2")),
        ("fma", cfg!(target_feature = "fma"), is_x86_feature_detected!("fma")),
        ("f16c", cfg!(target_feature = "f16c"), is_x86_feature_detected!("f16c")),
        ("avx512f", cfg!(target_feature = "avx512f"), is_x86_feature_detected!("avx512f")),
        ("avx512vnni", cfg!(target_feature = "avx512vnni"), is_x86_feature_detected!("avx512vnni")),
    ]
}

#[cfg(target_arch = "aarch64")]
fn instructions() -> Vec<(&'static str, bool, bool)> {
    use std::arch::is_aarch64_feature_detected;
    vec![
        ("neon", cfg!(target_feature = "neon"), is_aarch64_feature_detected!("neon")),
        ("dotprod", cfg!(target_feature = "dotprod"), is_aarch64_feature_detected!("dotprod")),
        ("i8mm", cfg!(target_feature = "i8mm"), is_aarch64_feature_detected!("i8mm")),
    ]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instructions() -> Vec<(&'static str, bool, bool)> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_opened_falls_back_and_says_why() {
        assert!(open_device(DeviceChoice::Cpu).warning.is_none());
        assert!(open_device(DeviceChoice::Auto).warning.is_none());
        for choice in [DeviceChoice::Cuda(99), DeviceChoice::Metal(99)] {
            let opened = open_device(choice);
            let warning = opened.warning.expect("no machine has a hundred cards");
            assert!(opened.device.is_cpu() && warning.contains(&choice.to_string()) && warning.contains("processor"), "{warning}");
        }
    }

    #[test]
    fn the_processor_is_listed_with_its_memory() {
        let devices = devices();
        assert_eq!(devices[0].name, "cpu");
        if cfg!(target_os = "linux") {
            let (total, free) = devices[0].memory.expect("Linux tells it");
            assert!(free > 0 && free <= total);
        }
    }

    #[test]
    fn unused_instructions_are_named_with_the_remedy() {
        let set = InstructionSet { compiled: vec!["avx2"], unused: vec!["avx512f", "avx512vnni"] };
        let warning = set.warning().expect("some are unused");
        assert!(warning.contains("avx512f, avx512vnni") && warning.contains("target-cpu=native"), "{warning}");
        assert_eq!(InstructionSet { compiled: vec!["avx2"], unused: vec![] }.warning(), None);
    }
}
