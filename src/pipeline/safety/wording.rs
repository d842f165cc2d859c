//! The sentences of the safety pass, one set for each language (`[safety]` in `prompts/`). [`super::lines`] fills them in.

use serde::Deserialize;

use super::lists::{Frequency, ListKind};
use super::statement::{SafetyPart, SafetyRank};
use crate::graph::{Role, qualifier_keys as keys};

/// The sentences of the safety pass in one language; see `prompts/en.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SafetyWording {
    pub(super) interaction: String,
    pub(super) contraindication: String,
    pub(super) bare_interaction: String,
    pub(super) bare_contraindication: String,
    /// Of two drugs that are given together in an illness of the patient; `{a}`, `{b}`, `{severity}`, `{state}`, `{effect}`.
    pub(super) standard: String,
    pub(super) side_effect: String,
    pub(super) effect: String,
    pub(super) also: String,
    pub(super) action: String,
    pub(super) when: String,
    pub(super) when_ruled_out: String,
    pub(super) while_changing: String,
    pub(super) by_class: String,
    pub(super) by_member: String,
    pub(super) stopped: String,
    pub(super) past: String,
    pub(super) suspected: String,
    pub(super) allergen: String,
    pub(super) allergy_same: String,
    pub(super) allergy_member: String,
    pub(super) allergy_class: String,
    pub(super) members_interaction: String,
    pub(super) members_contraindication: String,
    pub(super) kinds_contraindication: String,
    pub(super) member: String,
    /// What is stated to be usual or acceptable, in a state and with a drug; `{a}`, `{b}`, `{note}`.
    pub(super) usable_in: String,
    pub(super) usable_with: String,
    /// Two products that hold one ingredient; `{a}`, `{b}`, `{drug}`.
    pub(super) same_ingredient: String,
    pub(super) none_interaction: String,
    pub(super) none_interactions: String,
    pub(super) none_contraindication: String,
    pub(super) none_contraindications: String,
    pub(super) not_known: String,
    pub(super) not_known_alone: String,
    pub(super) ambiguous: String,
    pub(super) state_not_known: String,
    pub(super) left_out: String,
    pub(super) list_interactions: String,
    pub(super) list_contraindications: String,
    pub(super) list_contraindicated_in: String,
    pub(super) list_side_effects: String,
    pub(super) list_may_cause: String,
    /// A list of one kind of thing.
    pub(super) list_of_kind: String,
    pub(super) none_of_kind: String,
    /// How many entries of a list are not said.
    pub(super) omitted: String,
    pub(super) brings_on: String,
    pub(super) no_interactions: String,
    pub(super) no_contraindications: String,
    pub(super) no_contraindicated_in: String,
    pub(super) no_side_effects: String,
    pub(super) no_may_cause: String,
    severity: SeverityWording,
    frequency: FrequencyWording,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeverityWording {
    absolute: String,
    contraindicated: String,
    contraindicated_combination: String,
    relative: String,
    major: String,
    moderate: String,
    minor: String,
    unstated: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrequencyWording {
    very_common: String,
    common: String,
    uncommon: String,
    rare: String,
}

impl SafetyWording {
    /// How serious a statement of this role is, in words.
    pub(super) fn severity(&self, role: Role, rank: SafetyRank, stated: Option<&str>) -> &str {
        let words = &self.severity;
        match rank {
            SafetyRank::Contraindicated if role == Role::Interaction => &words.contraindicated_combination,
            SafetyRank::Contraindicated if stated == Some("absolute") => &words.absolute,
            SafetyRank::Contraindicated => &words.contraindicated,
            SafetyRank::Relative => &words.relative,
            SafetyRank::Major => &words.major,
            SafetyRank::Moderate => &words.moderate,
            SafetyRank::Minor => &words.minor,
            SafetyRank::Unstated => &words.unstated,
        }
    }

    /// The same for a part of a statement.
    pub(super) fn severity_of(&self, role: Role, part: &SafetyPart) -> &str {
        self.severity(role, part.rank, part.qualifiers.get(keys::SEVERITY))
    }

    /// How frequent a side effect is, in words; empty if that is not stated.
    pub(super) fn frequency(&self, frequency: Frequency) -> &str {
        let words = &self.frequency;
        match frequency {
            Frequency::VeryCommon => &words.very_common,
            Frequency::Common => &words.common,
            Frequency::Uncommon => &words.uncommon,
            Frequency::Rare => &words.rare,
            Frequency::Unstated => "",
        }
    }

    /// The heading of a list, or what is said if it is empty.
    pub(super) fn list(&self, kind: ListKind, is_empty: bool) -> &str {
        match (kind, is_empty) {
            (ListKind::Interactions, false) => &self.list_interactions,
            (ListKind::Contraindications, false) => &self.list_contraindications,
            (ListKind::ContraindicatedIn, false) => &self.list_contraindicated_in,
            (ListKind::SideEffects, false) => &self.list_side_effects,
            (ListKind::MayCause, false) => &self.list_may_cause,
            (ListKind::Triggers, _) => &self.list_of_kind,
            (ListKind::Interactions, true) => &self.no_interactions,
            (ListKind::Contraindications, true) => &self.no_contraindications,
            (ListKind::ContraindicatedIn, true) => &self.no_contraindicated_in,
            (ListKind::SideEffects, true) => &self.no_side_effects,
            (ListKind::MayCause, true) => &self.no_may_cause,
        }
    }
}
