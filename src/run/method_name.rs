//! The methods that answer questions, and their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The parts of HyKGE that a run leaves out: the ablations of its Table 2 (discussed in A.5). They can be combined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Without {
    /// "w/o HO": no hypothesis is written, so anchors and fragments come from the question alone. The built-in reader still weighs the anchors of
    /// the question.
    pub hypothesis: bool,
    /// "w/o Chains": no chains are searched between the anchors; the evidence is the single triples of each anchor. The paper does not say what
    /// replaces the chains; its A.8 calls it the subgraph with its noise.
    pub chains: bool,
    /// "w/o Description": neither the reranker nor the reader gets the descriptions of the ends of a chain. This matters only with a cross-encoder or
    /// a language model: the built-in ranking and reader use no descriptions.
    pub description: bool,
    /// "w/o Fragment": chains are ranked against question and hypothesis as one text, not against fragments of ten words.
    pub fragment: bool,
    /// "w/o Reranker": nothing ranks the chains; the first top-k in the order of the search are kept (shorter first, then by fewer hubs).
    pub rerank: bool,
}

impl Without {
    /// The names of the parts, in the order in which the name of a method lists them.
    pub const PARTS: [&'static str; 5] = ["hypothesis", "chains", "description", "fragment", "rerank"];

    fn flags(mut self) -> [bool; 5] {
        self.each().map(|flag| *flag)
    }

    fn each(&mut self) -> [&mut bool; 5] {
        [&mut self.hypothesis, &mut self.chains, &mut self.description, &mut self.fragment, &mut self.rerank]
    }
}

/// A method of answering a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MethodName {
    /// HyKGE, complete or without some of its parts.
    Hykge(Without),
    /// RoK: paths between all pairs of key entities, ranked by PageRank, and branches off them.
    Rok,
    /// WTS: triples retrieved, pruned and reasoned about depth by depth.
    Wts,
    /// KG-RAG: the triples of the entities in the question, by similarity to the question.
    KgRag,
    /// No graph: the language model alone.
    Base,
    /// Embedding retrieval: the triples whose text is nearest to the question.
    Embed,
}

impl Default for MethodName {
    fn default() -> Self {
        Self::Hykge(Without::default())
    }
}

/// The name of no method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no method “{name}”; there are {}, and hykge without parts of it: {}; also several, as hykge-hypothesis-rerank", MethodName::NAMES.join(", "), ablations())]
pub struct UnknownMethod {
    /// The name that was given.
    pub name: String,
}

fn ablations() -> String {
    Without::PARTS.map(|part| format!("hykge-{part}")).join(", ")
}

impl MethodName {
    /// The names of the methods, without the ablations of HyKGE.
    pub const NAMES: [&'static str; 6] = ["hykge", "rok", "wts", "kgrag", "embed", "base"];

    /// The parts of HyKGE that are left out; none for other methods.
    pub fn without(self) -> Without {
        match self {
            Self::Hykge(without) => without,
            _ => Without::default(),
        }
    }

    /// Every method, and HyKGE without each of its parts.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::default()];
        for part in 0..Without::PARTS.len() {
            let mut without = Without::default();
            *without.each()[part] = true;
            all.push(Self::Hykge(without));
        }
        all.extend([Self::Rok, Self::Wts, Self::KgRag, Self::Embed, Self::Base]);
        all
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hykge(without) => {
                f.write_str("hykge")?;
                let left_out = Without::PARTS.iter().zip(without.flags()).filter(|(_, left_out)| *left_out);
                left_out.into_iter().try_for_each(|(part, _)| write!(f, "-{part}"))
            }
            Self::Rok => f.write_str("rok"),
            Self::Wts => f.write_str("wts"),
            Self::KgRag => f.write_str("kgrag"),
            Self::Base => f.write_str("base"),
            Self::Embed => f.write_str("embed"),
        }
    }
}

impl FromStr for MethodName {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let unknown = || UnknownMethod { name: crate::text::sanitise_line(name) };
        let mut parts = name.split('-');
        let method = match parts.next() {
            Some("hykge") => {
                let mut without = Without::default();
                for part in parts {
                    let at = Without::PARTS.iter().position(|known| *known == part).ok_or_else(unknown)?;
                    *without.each()[at] = true;
                }
                return Ok(Self::Hykge(without));
            }
            Some("rok") => Self::Rok,
            Some("wts") => Self::Wts,
            Some("kgrag") => Self::KgRag,
            Some("base") => Self::Base,
            Some("embed") => Self::Embed,
            _ => return Err(unknown()),
        };
        if parts.next().is_some() { Err(unknown()) } else { Ok(method) }
    }
}

impl TryFrom<String> for MethodName {
    type Error = UnknownMethod;

    fn try_from(name: String) -> Result<Self, UnknownMethod> {
        name.parse()
    }
}

impl From<MethodName> for String {
    fn from(method: MethodName) -> Self {
        method.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_read_back_from_its_name() {
        let mut all = MethodName::all();
        all.push(MethodName::Hykge(Without { hypothesis: true, rerank: true, ..Without::default() }));
        for method in all {
            assert_eq!(method.to_string().parse(), Ok(method));
            let json = serde_json::to_string(&method).expect("serialises");
            assert_eq!(serde_json::from_str::<MethodName>(&json).expect("parses"), method);
        }
        assert_eq!("hykge-rerank-hypothesis".parse::<MethodName>().expect("known").to_string(), "hykge-hypothesis-rerank");
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        for name in ["", "hyke", "hykge-", "hykge-graph", "rok-chains", "HyKGE", "base-", "wts\u{1b}[31m"] {
            let error = name.parse::<MethodName>().expect_err(name).to_string();
            assert!(MethodName::NAMES.iter().all(|known| error.contains(known)) && error.contains("hykge-fragment"), "{error}");
            assert!(!error.contains('\u{1b}'));
        }
    }
}
