//! Where a model runs: decided from the setting, the devices and the memory that the model needs. Opens nothing.

use super::device::{DeviceInfo, devices, not_built_with, why_no_card};
use super::in_words;
use crate::config::DeviceChoice;

/// Where the guide says how Catena uses graphics cards.
const GUIDE: &str = "“Graphics cards” in docs/guide/install.md";

/// What build and machine offer to models.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// Whether this build can use NVIDIA cards.
    pub cuda: bool,
    /// Whether this build can use Apple's graphics processors.
    pub metal: bool,
    /// The devices that this build can use, the processor first.
    pub devices: Vec<DeviceInfo>,
    /// Why there is no card among them although this build could use one, in the driver's words.
    pub problem: Option<String>,
}

impl Machine {
    /// This build on this machine, at this moment.
    pub fn here() -> Self {
        let mut here = Self { cuda: cfg!(feature = "cuda"), metal: cfg!(feature = "metal"), devices: devices(), problem: None };
        if here.cards().next().is_none() {
            here.problem = why_no_card();
        }
        here
    }

    /// Counts memory as used: models are loaded later, and until then the system calls their memory free.
    pub fn set_aside(&mut self, device: DeviceChoice, bytes: u64) {
        let name = device.to_string();
        for info in self.devices.iter_mut().filter(|info| info.name == name) {
            info.memory = info.memory.map(|(total, free)| (total, free.saturating_sub(bytes)));
        }
    }

    /// The graphics cards, in the order of their numbers.
    fn cards(&self) -> impl Iterator<Item = (DeviceChoice, &DeviceInfo)> {
        self.devices.iter().filter_map(|info| match info.name.parse::<DeviceChoice>() {
            Ok(card @ (DeviceChoice::Cuda(_) | DeviceChoice::Metal(_))) => Some((card, info)),
            _ => None,
        })
    }

    fn find(&self, device: DeviceChoice) -> Option<&DeviceInfo> {
        let name = device.to_string();
        self.devices.iter().find(|info| info.name == name)
    }

    /// Why a card is not among the devices.
    fn why_missing(&self, card: DeviceChoice) -> String {
        match (card, &self.problem) {
            (DeviceChoice::Cuda(_), _) if !self.cuda => not_built_with("cuda"),
            (DeviceChoice::Metal(_), _) if !self.metal => not_built_with("metal"),
            (_, Some(problem)) => problem.clone(),
            (_, None) => {
                let names: Vec<&str> = self.devices.iter().map(|info| info.name.as_str()).collect();
                format!("this machine has only {}", names.join(", "))
            }
        }
    }
}

/// Free bytes of a device. One that does not report its memory is tried, so it counts as having enough.
fn free_of(info: &DeviceInfo) -> u64 {
    info.memory.map_or(u64::MAX, |(_, free)| free)
}

/// Where a model runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The device; never `auto`.
    pub device: DeviceChoice,
    /// What the user should know about it, and what to do.
    pub warning: Option<String>,
}

impl Placement {
    /// On a device, without a warning.
    pub fn on(device: DeviceChoice) -> Self {
        Self { device, warning: None }
    }
}

/// Decides where a model runs that needs so many bytes. An explicit choice is kept or refused, never replaced; `auto` takes the first card
/// with room, otherwise the processor. Whether the processor has room for what is placed there by choice is checked when the model is
/// loaded.
///
/// # Errors
/// Why no device can be used, and what to do: the chosen card is missing or too small, or `auto` finds room nowhere.
pub fn place(requested: DeviceChoice, machine: &Machine, model: &str, needed: u64) -> Result<Placement, String> {
    match requested {
        DeviceChoice::Cpu => Ok(Placement::on(DeviceChoice::Cpu)),
        DeviceChoice::Auto => place_by_auto(machine, model, needed),
        card @ (DeviceChoice::Cuda(_) | DeviceChoice::Metal(_)) => place_on_card(card, machine, needed),
    }
}

fn place_on_card(card: DeviceChoice, machine: &Machine, needed: u64) -> Result<Placement, String> {
    let Some(info) = machine.find(card) else {
        return Err(format!(
            "the device {card} cannot be used: {}; see {GUIDE}, or set `device = \"auto\"` in the configuration to use the processor",
            machine.why_missing(card)
        ));
    };
    if needed <= free_of(info) {
        return Ok(Placement::on(card));
    }
    Err(format!(
        "it needs about {} of memory, and {card} has only {} free; close other programs that use the card, choose a smaller model \
         (`catena models list`), or set `device = \"auto\"` in the configuration to use the processor",
        in_words(needed),
        in_words(free_of(info))
    ))
}

fn place_by_auto(machine: &Machine, model: &str, needed: u64) -> Result<Placement, String> {
    if let Some((card, _)) = machine.cards().find(|(_, info)| needed <= free_of(info)) {
        return Ok(Placement::on(card));
    }
    let Some((card, info)) = machine.cards().max_by_key(|(_, info)| free_of(info)) else {
        // A build for processors alone has nothing to warn of.
        let warning = (machine.cuda || machine.metal).then(|| {
            let problem = machine.problem.as_deref().unwrap_or("none was found");
            format!(
                "No graphics card can be used ({problem}), so local models run on the processor, which is slower. See {GUIDE}, or set \
                 `device = \"cpu\"` in the configuration to end this warning."
            )
        });
        return Ok(Placement { device: DeviceChoice::Cpu, warning });
    };
    let (needs, has) = (in_words(needed), in_words(free_of(info)));
    let on_processor = machine.find(DeviceChoice::Cpu).map_or(u64::MAX, free_of);
    if needed > on_processor {
        return Err(format!(
            "it needs about {needs} of memory; {card} has only {has} free, and the processor {}; close other programs, or choose a smaller \
             model (`catena models list`)",
            in_words(on_processor)
        ));
    }
    let warning = format!(
        "The model {model} runs on the processor, which is slower: it needs about {needs} of memory, and {card} has only {has} free. To \
         use the card, close other programs that use it, or choose a smaller model (`catena models list`)."
    );
    Ok(Placement { device: DeviceChoice::Cpu, warning: Some(warning) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1_000_000_000;

    /// A build for NVIDIA cards on a machine with 32 GB free for the processor, and cards with these gigabytes free.
    fn with_cards(free: &[u64]) -> Machine {
        let mut devices = vec![DeviceInfo { name: "cpu".into(), memory: Some((64 * GB, 32 * GB)) }];
        let card = |(number, free): (usize, &u64)| DeviceInfo { name: format!("cuda:{number}"), memory: Some((80 * GB, free * GB)) };
        devices.extend(free.iter().enumerate().map(card));
        Machine { cuda: true, metal: false, devices, problem: None }
    }

    /// The same machine without a card that can be used.
    fn without_card() -> Machine {
        Machine { problem: Some("no CUDA-capable device is detected".into()), ..with_cards(&[]) }
    }

    /// A build for processors alone.
    fn plain_build() -> Machine {
        Machine { cuda: false, ..with_cards(&[]) }
    }

    #[test]
    fn the_processor_by_choice_is_the_processor_without_a_warning() {
        for machine in [plain_build(), without_card(), with_cards(&[8]), with_cards(&[80])] {
            assert_eq!(place(DeviceChoice::Cpu, &machine, "qwen", 16 * GB), Ok(Placement::on(DeviceChoice::Cpu)));
        }
    }

    #[test]
    fn auto_takes_the_first_card_with_room() {
        let card = |free: &[u64]| place(DeviceChoice::Auto, &with_cards(free), "qwen", 16 * GB);
        assert_eq!(card(&[24]), Ok(Placement::on(DeviceChoice::Cuda(0))));
        assert_eq!(card(&[16, 80]), Ok(Placement::on(DeviceChoice::Cuda(0))), "exactly enough is enough");
        assert_eq!(card(&[8, 24]), Ok(Placement::on(DeviceChoice::Cuda(1))));
        let apple = DeviceInfo { name: "metal:0".into(), memory: None };
        let machine = Machine { metal: true, devices: vec![apple], ..Machine::default() };
        let placed = place(DeviceChoice::Auto, &machine, "qwen", 16 * GB);
        assert_eq!(placed, Ok(Placement::on(DeviceChoice::Metal(0))), "a card that does not report its memory is tried");
    }

    #[test]
    fn auto_moves_what_no_card_has_room_for_to_the_processor_and_says_so() {
        let placed = place(DeviceChoice::Auto, &with_cards(&[4, 8, 2]), "qwen", 16 * GB).expect("the processor has room");
        assert_eq!(placed.device, DeviceChoice::Cpu);
        let warning = placed.warning.expect("it is slower");
        for part in ["qwen", "processor", "16.0 GB", "cuda:1 has only 8.0 GB", "smaller model"] {
            assert!(warning.contains(part), "{part}: {warning}");
        }
    }

    #[test]
    fn auto_refuses_what_there_is_room_for_nowhere() {
        let problem = place(DeviceChoice::Auto, &with_cards(&[8]), "llama", 40 * GB).expect_err("too large for all");
        for part in ["40.0 GB", "cuda:0 has only 8.0 GB", "the processor 32.0 GB", "smaller model"] {
            assert!(problem.contains(part), "{part}: {problem}");
        }
    }

    #[test]
    fn auto_without_a_card_warns_in_a_build_that_could_use_one_and_only_there() {
        let placed = place(DeviceChoice::Auto, &without_card(), "qwen", GB).expect("the processor");
        assert_eq!(placed.device, DeviceChoice::Cpu);
        let warning = placed.warning.clone().expect("the guide promises it");
        for part in ["No graphics card", "no CUDA-capable device", "processor", "install.md", "device = \"cpu\""] {
            assert!(warning.contains(part), "{part}: {warning}");
        }
        // It is the same for all models, so that it is said once.
        assert_eq!(place(DeviceChoice::Auto, &without_card(), "minilm", 0), Ok(placed));
        assert_eq!(place(DeviceChoice::Auto, &plain_build(), "qwen", GB), Ok(Placement::on(DeviceChoice::Cpu)));
    }

    #[test]
    fn a_card_by_choice_is_taken_if_it_has_room() {
        let placed = place(DeviceChoice::Cuda(1), &with_cards(&[80, 24]), "qwen", 16 * GB);
        assert_eq!(placed, Ok(Placement::on(DeviceChoice::Cuda(1))), "the first card is not asked");
    }

    #[test]
    fn a_card_by_choice_that_is_missing_or_too_small_is_an_error_that_says_what_to_do() {
        let small = place(DeviceChoice::Cuda(0), &with_cards(&[8, 80]), "qwen", 16 * GB).expect_err("too small");
        for part in ["16.0 GB", "cuda:0 has only 8.0 GB", "smaller model", "device = \"auto\""] {
            assert!(small.contains(part), "{part}: {small}");
        }
        for (card, machine, reason) in [
            (DeviceChoice::Cuda(0), plain_build(), "--features cuda"),
            (DeviceChoice::Metal(0), with_cards(&[80]), "--features metal"),
            (DeviceChoice::Cuda(0), without_card(), "no CUDA-capable device"),
            (DeviceChoice::Cuda(2), with_cards(&[80, 80]), "only cpu, cuda:0, cuda:1"),
        ] {
            let missing = place(card, &machine, "qwen", 0).expect_err("missing");
            for part in [card.to_string().as_str(), reason, "install.md", "device = \"auto\""] {
                assert!(missing.contains(part), "{part}: {missing}");
            }
        }
    }

    #[test]
    fn models_that_are_placed_one_after_the_other_share_a_card() {
        let mut machine = with_cards(&[24]);
        let mut placed = Vec::new();
        for (model, needed) in [("qwen", 16 * GB), ("bge", 12 * GB), ("minilm", GB)] {
            let placement = place(DeviceChoice::Auto, &machine, model, needed).expect("room");
            machine.set_aside(placement.device, needed);
            placed.push(placement.device);
        }
        assert_eq!(placed, [DeviceChoice::Cuda(0), DeviceChoice::Cpu, DeviceChoice::Cuda(0)]);
        assert_eq!(machine.devices.iter().map(free_of).collect::<Vec<_>>(), [20 * GB, 7 * GB]);
    }

    #[test]
    fn what_is_found_here_is_what_this_build_can_use() {
        let here = Machine::here();
        assert_eq!((here.cuda, here.metal), (cfg!(feature = "cuda"), cfg!(feature = "metal")));
        assert!(here.find(DeviceChoice::Cpu).is_some());
        let cards = here.cards().count();
        assert_eq!(here.problem.is_some(), cards == 0 && (here.cuda || here.metal), "{here:?}");
    }
}
