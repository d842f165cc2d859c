//! The plan of an evaluation: the methods with their settings, and everything else that the figures depend on.

use std::fmt::Write;
use std::io::Read;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::Xxh3Default;

use crate::graph::EvolvingGraph;
use crate::method::Engine;
use crate::run::MethodName;
use crate::run::{Ask, ModelInfo, Models, Settings};

/// A method with settings: a row of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Arm {
    /// The method.
    pub method: MethodName,
    /// Longest chain, in relations.
    pub k: usize,
    /// How many chains are kept.
    pub top_k: usize,
}

impl Arm {
    /// Every method with every `k` and every `topK`, in that order, each once.
    pub fn all(methods: &[MethodName], ks: &[usize], top_ks: &[usize]) -> Vec<Self> {
        let mut arms = Vec::new();
        for &method in methods {
            for &k in ks {
                for &top_k in top_ks {
                    let arm = Self { method, k, top_k };
                    if !arms.contains(&arm) {
                        arms.push(arm);
                    }
                }
            }
        }
        arms
    }

    /// Its name among others: the method, with the settings in which they differ.
    pub fn label(&self, among: &[Self]) -> String {
        let mut label = self.method.to_string();
        // Writing to a text cannot fail.
        if among.iter().any(|other| other.k != self.k) {
            let _ = write!(label, " k={}", self.k);
        }
        if among.iter().any(|other| other.top_k != self.top_k) {
            let _ = write!(label, " topK={}", self.top_k);
        }
        label
    }

    /// Its name as part of a file's: always with the settings, so that it is the same whatever else is evaluated.
    pub(super) fn slug(&self) -> String {
        format!("{}-k{}-top{}", self.method, self.k, self.top_k)
    }

    /// The settings of its runs.
    pub(super) fn settings(&self, of: &Settings) -> Settings {
        Settings { k: self.k, top_k: self.top_k, ..of.clone() }
    }
}

/// What results depend on, besides method, `k` and `topK`: results of different ones are never mixed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalIdentity {
    /// The version of Catena.
    pub version: String,
    /// The first 16 hexadecimal digits of the program's SHA-256; empty where the system does not give the program to read.
    pub program: String,
    /// The questions.
    pub dataset: DatasetIdentity,
    /// The graph.
    pub kg: GraphIdentity,
    /// Names and kinds of the models; devices do not matter.
    pub models: Vec<String>,
    /// A number that changes with the encoder's weights.
    pub encoder: String,
    /// A number that changes with the prompts.
    pub prompts: String,
    /// Linking threshold, fragments and seed of the runs.
    pub settings: Settings,
    /// Whether the methods ran as their papers have them, without safety pass, gates and fixed lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bare: bool,
    /// The collections of documents in use: the name of each, and a number that changes with its bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
}

/// The questions that results belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetIdentity {
    /// The file's name.
    pub name: String,
    /// Its format.
    pub format: String,
    /// The SHA-256 of its bytes.
    pub digest: String,
}

/// The graph that results belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphIdentity {
    /// Its name.
    pub name: String,
    /// Entities of the base graph.
    pub entities: u64,
    /// Triples of the base graph.
    pub triples: u64,
    /// Triples learned from feedback, laid over it.
    pub learned: u64,
    /// A number that changes with any name, relation, role or triple.
    pub fingerprint: String,
}

impl EvalIdentity {
    /// What results of this engine depend on.
    pub fn of(engine: &std::sync::Arc<Engine>, dataset: DatasetIdentity, encoder: String) -> Self {
        let info = engine.info();
        let graph = &engine.knowledge().graph;
        let kg = GraphIdentity {
            name: info.kg.name,
            entities: info.kg.entities,
            triples: info.kg.triples,
            learned: info.kg.learned,
            fingerprint: fingerprint(graph),
        };
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            program: program(),
            dataset,
            kg,
            models: names(&info.models),
            encoder,
            prompts: engine.prompts().fingerprint(),
            settings: info.settings,
            bare: false,
            documents: engine.library().identities(),
        }
    }

    /// A short name for all of it; the name of the folder unless the user gives one.
    pub fn folder_name(&self) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let sum = hex(&Sha256::digest(json), 6);
        let plain = |text: &str| -> String {
            let stem = text.split('.').next().unwrap_or_default();
            stem.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).take(40).collect()
        };
        format!("{}-{}-{sum}", plain(&self.dataset.name), plain(&self.kg.name))
    }

    /// In what two differ, in words; `None` where they are the same.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let parts = [
            ("the version", self.version == other.version),
            ("the program", self.program == other.program),
            ("the file of questions", self.dataset == other.dataset),
            ("the graph", self.kg == other.kg),
            ("a model", self.models == other.models && self.encoder == other.encoder),
            ("a prompt", self.prompts == other.prompts),
            ("the documents", self.documents == other.documents),
            ("a setting", self.settings == other.settings && self.bare == other.bare),
        ];
        parts.iter().find(|(_, same)| !same).map(|(what, _)| (*what).to_owned())
    }
}

/// Kinds and names of models, as they stand in reports.
fn names(models: &Models) -> Vec<String> {
    let name = |role: &str, model: &ModelInfo| format!("{role}: {}", crate::text::sanitise_line(&model.name));
    vec![name("generator", &models.generator), name("encoder", &models.encoder), name("reranker", &models.reranker)]
}

/// A number that changes with any name, relation, role, triple or qualifier of a graph, and with what was learned.
fn fingerprint(graph: &EvolvingGraph) -> String {
    let base = graph.base();
    let mut hash = Xxh3Default::new();
    hash.update(&base.names_fingerprint().to_le_bytes());
    for relation in base.relations() {
        hash.update(relation.name.as_bytes());
        hash.update(relation.role.as_str().as_bytes());
        hash.update(&[0]);
    }
    for triple in base.triples() {
        hash.update(&triple.head.0.to_le_bytes());
        hash.update(&triple.relation.0.to_le_bytes());
        hash.update(&triple.tail.0.to_le_bytes());
    }
    for (triple, qualifiers) in base.qualified() {
        hash.update(&triple.head.0.to_le_bytes());
        hash.update(&triple.tail.0.to_le_bytes());
        hash.update(qualifiers.to_string().as_bytes());
    }
    for (entity, attributes) in base.entity_ids().map(|entity| (entity, base.attributes(entity))).filter(|(_, held)| !held.is_empty()) {
        hash.update(&entity.0.to_le_bytes());
        hash.update(attributes.to_string().as_bytes());
    }
    // What was learned has numbers in the order in which it came; its names tell it whatever that order was.
    let mut learned: Vec<String> = graph.learned().map(|triple| format!("{:?}", graph.named(triple))).collect();
    learned.sort_unstable();
    for triple in &learned {
        hash.update(triple.as_bytes());
    }
    format!("{:032x}", hash.digest128())
}

/// The beginning of the running program's sum: two builds of one version may answer differently.
fn program() -> String {
    let sum = || -> std::io::Result<String> {
        let mut file = std::fs::File::open(std::env::current_exe()?)?;
        let (mut hash, mut part) = (Sha256::new(), vec![0; 1 << 20]);
        loop {
            let read = file.read(&mut part)?;
            if read == 0 {
                return Ok(hex(&hash.finalize(), 8));
            }
            hash.update(&part[..read]);
        }
    };
    sum().unwrap_or_default()
}

/// The first bytes as hexadecimal digits.
fn hex(bytes: &[u8], most: usize) -> String {
    bytes.iter().take(most).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_are_named_by_what_they_differ_in() {
        let (catena, rok) = (MethodName::default(), MethodName::Rok);
        let two = Arm::all(&[catena, rok, catena], &[3], &[10]);
        assert_eq!(two.iter().map(|arm| arm.label(&two)).collect::<Vec<_>>(), ["catena", "rok"]);
        let swept = Arm::all(&[catena], &[1, 2], &[5, 10]);
        let labels: Vec<String> = swept.iter().map(|arm| arm.label(&swept)).collect();
        assert_eq!(labels, ["catena k=1 topK=5", "catena k=1 topK=10", "catena k=2 topK=5", "catena k=2 topK=10"]);
        assert_eq!(swept[1].slug(), "catena-k1-top10");
    }
}
