//! Whether the text shows that the patient is already treated in hospital: then nobody is told to call an ambulance, but senior help.
//!
//! The words are in `assets/in-hospital.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::gate::Phrases;
use super::register::is_lay;
use crate::run::{Case, ResultDirection};
use crate::text::Token;

/// How many signs of a hospital are needed; a strong one counts twice.
const ENOUGH: usize = 2;
const STRONG: usize = 2;
/// What is measured in arterial blood, in hospital.
const GASES: [&str; 4] = ["pCO2", "pO2", "base excess", "lactate"];

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Where the patient is, and who and what is only there.
    strong: Phrases,
    /// What is done there as a rule.
    weak: Phrases,
    /// Where else the patient may be, or who else may ask.
    elsewhere: Phrases,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/in-hospital.toml")).unwrap_or_default());

/// Whether a clinician tells of a patient who is treated in hospital now.
pub(crate) fn is_in_hospital(tokens: &[Token], case: &Case) -> bool {
    let words = &*FILE;
    if is_lay(tokens) || words.elsewhere.any(tokens) {
        return false;
    }
    let has_gases = case.results.iter().any(|result| result.value.is_some() && GASES.contains(&result.test.as_str()));
    let is_scored = case.results.iter().any(|result| result.test == "NEWS score" && result.direction != ResultDirection::Unknown);
    let strong = usize::from(words.strong.any(tokens)) + usize::from(has_gases || is_on_high_flow(tokens));
    let weak = words.weak.all(tokens).count() + usize::from(is_scored);
    strong * STRONG + weak >= ENOUGH
}

/// "On 10 L": so much oxygen comes from no cylinder at home.
fn is_on_high_flow(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_high = |at: usize| matches!(word(at), "8" | "10" | "12" | "15" | "8l" | "10l" | "12l" | "15l");
    let is_litres = |at: usize| word(at).ends_with('l') || matches!(word(at + 1), "l" | "litres" | "liters" | "lpm");
    (0..tokens.len()).any(|at| word(at) == "on" && is_high(at + 1) && is_litres(at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn is_in(text: &str) -> bool {
        is_in_hospital(&tokenise(text), &Case::default())
    }

    #[test]
    fn the_words_are_there() {
        assert!(FILE.strong.any(&tokenise("on the ward")) && FILE.weak.any(&tokenise("bloods sent")));
    }

    #[test]
    fn who_is_treated_in_hospital_is_known_by_place_people_and_what_is_done() {
        for text in [
            "On the ward: 70M, T 38.9, BP 85/50",
            "Septic, on ICU, noradrenaline running. What next?",
            "70F, hypoxic on 15 L, what is it?",
            "Med reg here, bloods sent, IV fluids running, BP 80/40",
            "患者在抢救室，血压80/40，怎么处理",
        ] {
            assert!(is_in(text), "{text}");
        }
        for text in [
            "My mum was on ICU last week, now she has chest pain at home",
            "GP here, 60M in surgery with chest pain, bloods taken yesterday",
            "Care home resident, 85F, drowsy, NEWS 8",
            "70M, crushing chest pain for an hour, sweating",
            "Paramedic: 60M on 15 L, sats 85%",
            "Discharged from the ward yesterday, now breathless",
            "我妈刚从ICU出院，在家胸痛",
            "was told the wait for the ward was 10 days, chest pain now, I'm 50",
        ] {
            assert!(!is_in(text), "{text}");
        }
    }
}
