//! The methods that answer questions, and their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::suggest::{did_you_mean, nearest};

/// The parts of HyKGE, or of Catena's own algorithm, that a run leaves out: the ablations of HyKGE's Table 2 (discussed in A.5), and Catena's ratings.
/// They can be combined.
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
    /// What earlier ratings say about chains is not used: none gains, loses or is pinned. Only Catena's own algorithm has this part.
    pub ratings: bool,
}

impl Without {
    /// The names of the parts, in the order in which the name of a method lists them.
    pub const PARTS: [&'static str; 6] = ["hypothesis", "chains", "description", "fragment", "rerank", "ratings"];

    /// How many of them HyKGE has: the first ones.
    const OF_HYKGE: usize = 5;

    /// The parts that a method has.
    fn parts_of(method: &str) -> &'static [&'static str] {
        let all: &'static [&'static str] = &Self::PARTS;
        if method == "hykge" { all.get(..Self::OF_HYKGE).unwrap_or(all) } else { all }
    }

    fn flags(mut self) -> [bool; 6] {
        self.each().map(|flag| *flag)
    }

    fn each(&mut self) -> [&mut bool; 6] {
        [&mut self.hypothesis, &mut self.chains, &mut self.description, &mut self.fragment, &mut self.rerank, &mut self.ratings]
    }
}

/// A method of answering a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MethodName {
    /// Catena's own algorithm, which grew out of HyKGE, complete or without some of its parts.
    Catena(Without),
    /// HyKGE as published (Jiang et al., 2025), complete or without some of its parts.
    Hykge(Without),
    /// HyKGE with a language model for one of its parts (its Table 4).
    HykgeByModel(ByModel),
    /// RoK: paths between all pairs of key entities, ranked by PageRank, and branches off them.
    Rok,
    /// WTS: triples retrieved, pruned and reasoned about depth by depth.
    Wts(Retrieval),
    /// KGRAG: the triples of the entities in the question, by similarity to the question.
    KgRag,
    /// No graph: the language model alone.
    Base,
    /// Embedding retrieval: the triples whose text is nearest to the question.
    Embed,
    /// Query expansion: KGRAG with terms of similar meaning by a language model.
    Qe,
    /// Chain-of-Note: a language model takes notes on the triples before it answers.
    Con,
    /// Chain-of-Knowledge: a language model's reasoning, corrected step by step.
    Cok,
    /// Knowledge-augmented verification: answers are verified, and retrieved or written again.
    Kalmv,
    /// KG-GPT: a language model chooses relations for the parts of the question.
    KgGpt,
    /// SuRe: summaries in favour of possible answers, weighed.
    Sure,
    /// Chain of thought: the language model alone, with five examples of how to think before answering.
    Cot,
    /// Think-on-Graph: a beam search on the graph, steered by a language model.
    Tog,
    /// MindMap: paths and neighbouring triples, put into sentences by a language model before it answers.
    MindMap,
    /// IdepRAG (EbmKG): the answer from passages of documents.
    Idep,
    /// The same from passages by BM25.
    Bm25,
    /// The same by the nearness of vectors (VectorRAG).
    Vector,
    /// The same by communities of entities (GraphRAG).
    GraphRag,
}

/// How WTS retrieves triples at each depth (its Table 2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Retrieval {
    /// EM-QSR: those that have an entity and are near enough to the question. The paper's own.
    #[default]
    QuestionSimilarity,
    /// EM-ESR: those that have an entity and are near enough to the entities' names.
    EntitySimilarity,
    /// EM: those that have an entity.
    ExactMatch,
}

/// The part of HyKGE that a language model takes over (its Table 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ByModel {
    /// "+ LLM for NER": it lists the names in question and hypothesis, in place of the recogniser.
    Names,
    /// "+ LLM for Reranker": it scores the chains.
    Rerank,
    /// "+ LLM for Summary": it sums the kept chains up, and the reader reads its summary.
    Summary,
}

impl ByModel {
    /// Every part.
    const ALL: [Self; 3] = [Self::Names, Self::Rerank, Self::Summary];

    /// The name of the method.
    fn as_str(self) -> &'static str {
        match self {
            Self::Names => "hykge+ner",
            Self::Rerank => "hykge+reranker",
            Self::Summary => "hykge+summary",
        }
    }
}

impl Default for MethodName {
    fn default() -> Self {
        Self::Catena(Without::default())
    }
}

/// WTS with another retrieval than its own.
const OTHER_RETRIEVAL: [&str; 2] = ["wts-em", "wts-esr"];

/// The name of no method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no method “{name}”{}", instead_of(name))]
pub struct UnknownMethod {
    /// The name that was given.
    pub name: String,
}

/// What was probably meant, and every method that there is.
fn instead_of(name: &str) -> String {
    let in_parts = meant_in_parts(name);
    let mut known: Vec<&str> = MethodName::NAMES.to_vec();
    known.extend(MethodName::OF_DOCUMENTS);
    known.extend(OTHER_RETRIEVAL);
    known.extend(in_parts.as_deref());
    let like = did_you_mean(name, known);
    let begin = if like.is_empty() { "; there are".to_owned() } else { format!("{like} There are") };
    format!(
        "{begin} {}, those that answer from documents ({}), {} (other retrieval), {} (a language model for a part), and catena or hykge \
         without parts: {}; also several, as hykge-hypothesis-rerank",
        MethodName::NAMES.join(", "),
        MethodName::OF_DOCUMENTS.join(", "),
        OTHER_RETRIEVAL.join(" and "),
        ByModel::ALL.map(ByModel::as_str).join(", "),
        ablations()
    )
}

/// A name with parts of which each part is like a known one: `hykge-rernk`. As a whole, names that share their beginning are all alike.
fn meant_in_parts(name: &str) -> Option<String> {
    let (method, parts) = name.split_once('-')?;
    let method = nearest(method, ["catena", "hykge"])?;
    let known = Without::parts_of(method);
    let parts = parts.split('-').map(|part| nearest(part, known.iter().copied())).collect::<Option<Vec<&str>>>()?;
    Some(format!("{method}-{}", parts.join("-")))
}

fn ablations() -> String {
    let of = |name: &'static str| Without::parts_of(name).iter().map(move |part| format!("{name}-{part}"));
    of("catena").chain(of("hykge")).collect::<Vec<_>>().join(", ")
}

impl MethodName {
    /// The names of the methods that answer from documents alone.
    pub const OF_DOCUMENTS: [&'static str; 4] = ["idep", "bm25", "vector", "graphrag"];

    /// The names of the methods that read the graph, without the ablations.
    pub const NAMES: [&'static str; 16] =
        ["catena", "hykge", "rok", "wts", "kgrag", "qe", "con", "cok", "kalmv", "kggpt", "sure", "tog", "mindmap", "embed", "cot", "base"];

    /// The parts that are left out; none for methods without ablations.
    pub fn without(self) -> Without {
        match self {
            Self::Catena(without) | Self::Hykge(without) => without,
            _ => Without::default(),
        }
    }

    /// Every method that reads the graph, Catena and HyKGE without each of their parts, and HyKGE with a language model for each.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (of, parts) in [Self::Catena, Self::Hykge].into_iter().zip([Without::PARTS.len(), Without::OF_HYKGE]) {
            all.push(of(Without::default()));
            for part in 0..parts {
                let mut without = Without::default();
                without.each().into_iter().skip(part).take(1).for_each(|flag| *flag = true);
                all.push(of(without));
            }
        }
        all.extend(ByModel::ALL.map(Self::HykgeByModel));
        all.extend([Self::Rok, Self::Wts(Retrieval::default()), Self::Wts(Retrieval::EntitySimilarity), Self::Wts(Retrieval::ExactMatch)]);
        all.extend([
            Self::KgRag,
            Self::Qe,
            Self::Con,
            Self::Cok,
            Self::Kalmv,
            Self::KgGpt,
            Self::Sure,
            Self::Tog,
            Self::MindMap,
            Self::Embed,
            Self::Cot,
            Self::Base,
        ]);
        all
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catena(without) | Self::Hykge(without) => {
                f.write_str(if matches!(self, Self::Catena(_)) { "catena" } else { "hykge" })?;
                let left_out = Without::PARTS.iter().zip(without.flags()).filter(|(_, left_out)| *left_out);
                left_out.into_iter().try_for_each(|(part, _)| write!(f, "-{part}"))
            }
            Self::HykgeByModel(part) => f.write_str(part.as_str()),
            Self::Rok => f.write_str("rok"),
            Self::Wts(Retrieval::QuestionSimilarity) => f.write_str("wts"),
            Self::Wts(Retrieval::EntitySimilarity) => f.write_str("wts-esr"),
            Self::Wts(Retrieval::ExactMatch) => f.write_str("wts-em"),
            Self::Qe => f.write_str("qe"),
            Self::Con => f.write_str("con"),
            Self::Cok => f.write_str("cok"),
            Self::Kalmv => f.write_str("kalmv"),
            Self::KgGpt => f.write_str("kggpt"),
            Self::Sure => f.write_str("sure"),
            Self::Cot => f.write_str("cot"),
            Self::Tog => f.write_str("tog"),
            Self::MindMap => f.write_str("mindmap"),
            Self::KgRag => f.write_str("kgrag"),
            Self::Base => f.write_str("base"),
            Self::Embed => f.write_str("embed"),
            Self::Idep => f.write_str("idep"),
            Self::Bm25 => f.write_str("bm25"),
            Self::Vector => f.write_str("vector"),
            Self::GraphRag => f.write_str("graphrag"),
        }
    }
}

impl FromStr for MethodName {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let unknown = || UnknownMethod { name: crate::text::sanitise_line(name) };
        let mut parts = name.split('-');
        let method = match parts.next() {
            Some(of @ ("catena" | "hykge")) => {
                let mut without = Without::default();
                for part in parts {
                    let at = Without::parts_of(of).iter().position(|known| *known == part).ok_or_else(unknown)?;
                    without.each().into_iter().skip(at).take(1).for_each(|flag| *flag = true);
                }
                return Ok(if of == "catena" { Self::Catena(without) } else { Self::Hykge(without) });
            }
            Some(of) if of.starts_with("hykge+") => {
                Self::HykgeByModel(ByModel::ALL.into_iter().find(|part| part.as_str() == of).ok_or_else(unknown)?)
            }
            Some("rok") => Self::Rok,
            Some("wts") => Self::Wts(match parts.next() {
                None => Retrieval::QuestionSimilarity,
                Some("esr") => Retrieval::EntitySimilarity,
                Some("em") => Retrieval::ExactMatch,
                Some(_) => return Err(unknown()),
            }),
            Some("qe") => Self::Qe,
            Some("con") => Self::Con,
            Some("cok") => Self::Cok,
            Some("kalmv") => Self::Kalmv,
            Some("kggpt") => Self::KgGpt,
            Some("sure") => Self::Sure,
            Some("cot") => Self::Cot,
            Some("tog") => Self::Tog,
            Some("mindmap") => Self::MindMap,
            Some("kgrag") => Self::KgRag,
            Some("base") => Self::Base,
            Some("embed") => Self::Embed,
            Some("idep") => Self::Idep,
            Some("bm25") => Self::Bm25,
            Some("vector") => Self::Vector,
            Some("graphrag") => Self::GraphRag,
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
        all.extend([MethodName::Idep, MethodName::Bm25, MethodName::Vector, MethodName::GraphRag]);
        all.push(MethodName::Hykge(Without { hypothesis: true, rerank: true, ..Without::default() }));
        for method in all {
            assert_eq!(method.to_string().parse(), Ok(method));
            let json = serde_json::to_string(&method).expect("serialises");
            assert_eq!(serde_json::from_str::<MethodName>(&json).expect("parses"), method);
        }
        let names: Vec<String> = MethodName::all().iter().map(MethodName::to_string).collect();
        assert!(names.contains(&"catena-ratings".to_owned()) && !names.contains(&"hykge-ratings".to_owned()), "ratings are Catena's own");
        assert_eq!("catena-ratings".parse(), Ok(MethodName::Catena(Without { ratings: true, ..Without::default() })));
        assert_eq!(MethodName::default().to_string(), "catena");
        assert_eq!("hykge-rerank-hypothesis".parse::<MethodName>().expect("known").to_string(), "hykge-hypothesis-rerank");
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        for name in [
            "",
            "hyke",
            "hykge-",
            "hykge+",
            "hykge+hypothesis",
            "hykge+ner-chains",
            "hykge-graph",
            "hykge-ratings",
            "rok-chains",
            "wts-x",
            "wts-em-esr",
            "HyKGE",
            "base-",
            "wts\u{1b}[31m",
        ] {
            let error = name.parse::<MethodName>().expect_err(name).to_string();
            assert!(
                MethodName::NAMES.iter().all(|known| error.contains(known))
                    && error.contains("hykge-fragment")
                    && error.contains("hykge+summary")
                    && error.contains("catena-fragment"),
                "{error}"
            );
            assert!(!error.contains('\u{1b}'));
        }
    }

    #[test]
    fn a_slip_in_a_name_is_told_with_what_was_meant() {
        for (typed, meant) in [
            ("hykg", Some("hykge")),
            ("Catena", Some("catena")),
            ("mindmpa", Some("mindmap")),
            ("grahprag", Some("graphrag")),
            ("wts-emm", Some("wts-em")),
            ("hykge-rernk", Some("hykge-rerank")),
            ("catena-hypothsis-rerank", Some("catena-hypothesis-rerank")),
            ("oracle", None),
            ("hykge-graph", None),
        ] {
            let error = typed.parse::<MethodName>().expect_err(typed).to_string();
            match meant {
                Some(meant) => assert!(error.contains(&format!(" Did you mean \"{meant}\"? There are catena, ")), "{error}"),
                None => assert!(!error.contains("Did you mean") && error.contains("; there are catena, "), "{error}"),
            }
        }
    }
}
