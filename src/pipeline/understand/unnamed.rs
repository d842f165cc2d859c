//! What a question asks about without naming it: this medicine, my results, how somebody feels. It is a clinical question that lacks its object, so that
//! what is missing is asked for.
//!
//! The words are in `assets/unnamed.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::signs::{Sign, is_any_told};
use crate::text::Token;

/// What is asked about, and not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unnamed {
    /// "Can I stop the tablets?"
    Medicine,
    /// "My bloods are a bit off."
    Test,
    /// "What is wrong with me?"
    Complaint,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    medicine: Vec<Sign>,
    test: Vec<Sign>,
    complaint: Vec<Sign>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/unnamed.toml")).unwrap_or_default());

impl Unnamed {
    /// What a question points at. A medicine comes first: it must not be stopped while the answer is awaited.
    pub(crate) fn of(tokens: &[Token]) -> Option<Self> {
        let kinds = [(Self::Medicine, &FILE.medicine), (Self::Test, &FILE.test), (Self::Complaint, &FILE.complaint)];
        kinds.into_iter().find(|(_, signs)| is_any_told(signs, tokens)).map(|(kind, _)| kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn of(text: &str) -> Option<Unnamed> {
        Unnamed::of(&tokenise(text))
    }

    #[test]
    fn the_list_is_valid() {
        let file: File = toml::from_str(include_str!("../../../assets/unnamed.toml")).expect("valid");
        assert!(!file.medicine.is_empty() && !file.test.is_empty() && !file.complaint.is_empty());
    }

    #[test]
    fn what_is_pointed_at_and_not_named_is_known_by_its_kind() {
        for (text, kind) in [
            ("那这个药还要继续吃吗？吃了感觉不太对劲", Unnamed::Medicine),
            ("is it ok if shes feeding the baby? and how long after", Unnamed::Medicine),
            ("can I drink with it?", Unnamed::Medicine),
            ("Should I keep taking the new tablets, they make me feel odd", Unnamed::Medicine),
            ("dr said my bloods are 'a bit off', whats wrong with me", Unnamed::Test),
            ("what does my scan mean", Unnamed::Test),
            ("化验单上有个箭头，要紧吗", Unnamed::Test),
            ("whats wrong with me", Unnamed::Complaint),
        ] {
            assert_eq!(of(text), Some(kind), "{text}");
        }
    }

    #[test]
    fn what_only_sounds_like_it_is_not() {
        for text in [
            "my tablet won't charge, what is wrong with it",
            "is it ok to take the drawing tablets on the train",
            "when do the exam results come back",
            "my google search results look wrong",
            "which wine can I drink with it, steak for dinner",
            "my laptop is slow, whats wrong with me",
            "is it safe to park here overnight",
            "电脑不太对劲，怎么办",
            "年度报告的检查结果怎么写",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
