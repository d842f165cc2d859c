//! What is usual for a model when its tokens are drawn: repetition penalty and min-p by family and size (`assets/decoding.toml`).

use serde::Deserialize;

use super::Options;
use super::config::Family;
use crate::model::Sampling;

const TEXT: &str = include_str!("../../../../assets/decoding.toml");

/// How tokens are drawn where a request says nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decoding {
    repetition_penalty: f32,
    min_p: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    family: Option<String>,
    /// For models with fewer parameters.
    below: Option<u64>,
    repetition_penalty: f32,
    min_p: f64,
}

#[derive(Deserialize)]
struct List {
    decoding: Vec<Entry>,
}

impl Decoding {
    /// What is usual for a model, unless its options say otherwise.
    ///
    /// # Errors
    /// If the built-in list is wrong, which a test rules out.
    pub(super) fn of(family: Family, parameters: u64, options: &Options) -> Result<Self, String> {
        let list: List = toml::from_str(TEXT).map_err(|error| format!("the built-in list of families is wrong: {error}"))?;
        let fits = |entry: &&Entry| {
            entry.family.as_ref().is_none_or(|name| name == family.name()) && entry.below.is_none_or(|below| parameters < below)
        };
        let usual = list.decoding.iter().find(fits).map_or((1.0, 0.0), |entry| (entry.repetition_penalty, entry.min_p));
        Ok(Self { repetition_penalty: options.repetition_penalty.unwrap_or(usual.0), min_p: options.min_p.unwrap_or(usual.1) })
    }

    /// A request with what it leaves open filled in.
    pub(super) fn settled(&self, sampling: &Sampling) -> Sampling {
        let penalty = if sampling.constraint.is_some() { 1.0 } else { sampling.repetition_penalty.unwrap_or(self.repetition_penalty) };
        Sampling { min_p: sampling.min_p.or(Some(self.min_p)), repetition_penalty: Some(penalty), ..sampling.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Constraint;

    #[test]
    fn small_models_are_held_more_tightly_than_large_ones() {
        let of = |family, billions: f64| {
            let decoding = Decoding::of(family, (billions * 1e9) as u64, &Options::default()).expect("a sound list");
            (decoding.repetition_penalty, decoding.min_p)
        };
        assert_eq!(of(Family::Llama, 0.135), (1.1, 0.05));
        assert_eq!(of(Family::Qwen2, 7.6), (1.05, 0.05));
        assert_eq!(of(Family::Gemma3, 1.0), (1.05, 0.05));
        assert_eq!(of(Family::Qwen3, 8.2), (1.0, 0.02));
    }

    #[test]
    fn options_and_requests_come_first_and_forms_are_not_penalised() {
        let options = Options { repetition_penalty: Some(1.3), min_p: Some(0.0), ..Options::default() };
        let decoding = Decoding::of(Family::Llama, 1, &options).expect("a sound list");
        let settled = decoding.settled(&Sampling::default());
        assert_eq!((settled.repetition_penalty, settled.min_p), (Some(1.3), Some(0.0)));
        let own = Sampling { repetition_penalty: Some(1.0), min_p: Some(0.2), ..Sampling::default() };
        assert_eq!(decoding.settled(&own), own);
        let form = Sampling { constraint: Some(Constraint::choice(["yes"])), ..Sampling::default() };
        assert_eq!(decoding.settled(&form).repetition_penalty, Some(1.0));
    }
}
