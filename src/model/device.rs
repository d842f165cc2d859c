//! Devices that models run on: opened, listed with their memory; and the vector instructions of this build.

use candle_core::Device;

use super::available_memory;
use crate::config::DeviceChoice;

/// The most graphics cards that are looked for.
const MOST_CARDS: usize = 16;

/// Opens a device. `auto` names none: [`super::place`] chooses one before, and here it is the processor.
///
/// # Errors
/// Why the device cannot be used, in plain words.
pub fn open_device(choice: DeviceChoice) -> Result<Device, String> {
    match choice {
        DeviceChoice::Cpu | DeviceChoice::Auto => Ok(Device::Cpu),
        DeviceChoice::Cuda(_) if !cfg!(feature = "cuda") => Err(not_built_with("cuda")),
        DeviceChoice::Cuda(number) => Device::new_cuda(number).map_err(|error| in_short(&error)),
        DeviceChoice::Metal(_) if !cfg!(feature = "metal") => Err(not_built_with("metal")),
        DeviceChoice::Metal(number) => Device::new_metal(number).map_err(|error| in_short(&error)),
    }
}

/// Why a build cannot use a kind of card.
pub(super) fn not_built_with(feature: &str) -> String {
    format!("this build of Catena cannot use it (it was built without `--features {feature}`)")
}

/// What a card's error says, in one line, without the backtrace that candle appends where `RUST_BACKTRACE` is set.
fn in_short(error: &candle_core::Error) -> String {
    let text = error.to_string();
    let said: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.starts_with("0: ")).collect();
    crate::text::sanitise_line(&said.join(" ")).chars().take(200).collect()
}

/// Why the first card cannot be opened, as its driver says it; `None` if it can, or if this build uses no cards.
pub(super) fn why_no_card() -> Option<String> {
    let opened = if cfg!(feature = "cuda") {
        Device::new_cuda(0)
    } else if cfg!(feature = "metal") {
        Device::new_metal(0)
    } else {
        return None;
    };
    opened.err().map(|error| in_short(&error))
}

/// An available device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// `cpu`, `cuda:0`, `metal:0`.
    pub name: String,
    /// Bytes of memory, total and free; `None` where the system does not say.
    pub memory: Option<(u64, u64)>,
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
    fn a_card_that_cannot_be_opened_says_why() {
        assert!(open_device(DeviceChoice::Cpu).expect("always there").is_cpu());
        for choice in [DeviceChoice::Cuda(99), DeviceChoice::Metal(99)] {
            let problem = open_device(choice).expect_err("no machine has a hundred cards");
            assert!(!problem.is_empty() && !problem.contains('\n'), "{problem}");
        }
        if cfg!(not(any(feature = "cuda", feature = "metal"))) {
            let problem = open_device(DeviceChoice::Cuda(0)).expect_err("a plain build uses no cards");
            assert!(problem.contains("--features cuda"), "{problem}");
            assert_eq!(why_no_card(), None, "a plain build looks for no card");
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
    fn a_backtrace_is_no_part_of_what_a_card_says() {
        let error = candle_core::Error::Msg("no device\n   0: catena::main\n   1: start".into());
        assert_eq!(in_short(&error), "no device");
        assert_eq!(in_short(&candle_core::Error::Msg("out of\nmemory".into())), "out of memory");
    }

    #[test]
    fn unused_instructions_are_named_with_the_remedy() {
        let set = InstructionSet { compiled: vec!["avx2"], unused: vec!["avx512f", "avx512vnni"] };
        let warning = set.warning().expect("some are unused");
        assert!(warning.contains("avx512f, avx512vnni") && warning.contains("target-cpu=native"), "{warning}");
        assert_eq!(InstructionSet { compiled: vec!["avx2"], unused: vec![] }.warning(), None);
    }
}
