//! Numbers of entities and relation types, and the kinds of entities.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// An entity's number in its graph: `0..graph.entity_count()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Pod, Zeroable)]
#[repr(transparent)]
pub struct EntityId(pub u32);

impl EntityId {
    /// As an index into per-entity arrays.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A relation type's number in its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Pod, Zeroable)]
#[repr(transparent)]
pub struct RelationId(pub u16);

impl RelationId {
    /// As an index into per-relation arrays.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The kind of an entity. Graphs bring their own kind names; Catena treats these specially.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A disease, syndrome, injury or other condition.
    Disease,
    /// A symptom or sign.
    Symptom,
    /// An investigation.
    Test,
    /// A drug.
    Drug,
    /// A group of drugs.
    DrugClass,
    /// A treatment other than a drug: a procedure, a therapy, a change of habits.
    Treatment,
    /// Something that makes a condition likelier.
    RiskFactor,
    /// An organism that causes disease.
    Pathogen,
    /// Any other kind, by the graph's name for it; empty if unknown.
    Other(String),
}

impl Default for Kind {
    /// Unknown.
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl Kind {
    /// Parses a kind's name as a graph's file writes it. Understands common synonyms, in English and Chinese.
    pub fn parse(name: &str) -> Self {
        match name.trim().to_lowercase().as_str() {
            "disease" | "condition" | "disorder" | "疾病" => Self::Disease,
            "symptom" | "sign" | "side effect" | "phenotype" | "症状" => Self::Symptom,
            "test" | "examination" | "check" | "investigation" | "检查" => Self::Test,
            "drug" | "compound" | "medication" | "药品" | "药物" => Self::Drug,
            "drug_class" | "drug class" | "pharmacologic class" => Self::DrugClass,
            "treatment" | "procedure" | "therapy" | "治疗" => Self::Treatment,
            "risk_factor" | "risk factor" => Self::RiskFactor,
            "pathogen" | "organism" => Self::Pathogen,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The kind's name as the trace prints it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Disease => "disease",
            Self::Symptom => "symptom",
            Self::Test => "test",
            Self::Drug => "drug",
            Self::DrugClass => "drug_class",
            Self::Treatment => "treatment",
            Self::RiskFactor => "risk_factor",
            Self::Pathogen => "pathogen",
            Self::Other(name) => name,
        }
    }
}
