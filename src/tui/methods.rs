//! The methods as a list shows them: what each does, and what it needs.

use crate::run::MethodName;

/// A method in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListedMethod {
    /// Its name, as `--method` takes it.
    pub(crate) name: &'static str,
    /// What it does, in a few words.
    pub(crate) what: &'static str,
    /// Whether it says nothing of worth without a language model.
    pub(crate) needs_model: bool,
}

/// All methods without their ablations, in the order of [`MethodName::NAMES`] and [`MethodName::OF_DOCUMENTS`].
pub(crate) const METHODS: [ListedMethod; MethodName::NAMES.len() + MethodName::OF_DOCUMENTS.len()] = [
    of("catena", "Catena's own: safety, differential, chains, cited answer", false),
    of("hykge", "HyKGE: chains between anchors of question and hypothesis, ranked by fragments", false),
    of("rok", "RoK: paths ranked by PageRank, and branches off them", false),
    of("wts", "WTS: triples retrieved, pruned and reasoned about, depth by depth", false),
    of("kgrag", "KGRAG: triples of the entities in the question, by similarity", false),
    of("qe", "Query expansion: the question with other words for its terms", true),
    of("con", "Chain-of-Note: notes on the triples, then the answer", true),
    of("cok", "Chain-of-Knowledge: a reasoning that is corrected step by step", true),
    of("kalmv", "KALMV: the answer is verified, and written again if it fails", true),
    of("kggpt", "KG-GPT: relations chosen for each part of the question", true),
    of("sure", "SuRe: summaries in favour of possible answers, weighed", true),
    of("tog", "Think-on-Graph: the model walks the graph step by step", true),
    of("mindmap", "MindMap: chains and triples put into sentences, then the answer", true),
    of("embed", "Embedding retrieval: the triples whose text is nearest to the question", false),
    of("cot", "Chain of thought: the model alone, after five examples of how to think", true),
    of("base", "The language model alone, without a graph", true),
    of("idep", "IdepRAG: passages of documents, by the topics of the question", false),
    of("bm25", "BM25: passages of documents, by their words", false),
    of("vector", "VectorRAG: passages of documents, by their vectors", false),
    of("graphrag", "GraphRAG: passages of documents, by communities of entities", false),
];

const fn of(name: &'static str, what: &'static str, needs_model: bool) -> ListedMethod {
    ListedMethod { name, what, needs_model }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_listed_once_by_its_name() {
        let names: Vec<&str> = MethodName::NAMES.into_iter().chain(MethodName::OF_DOCUMENTS).collect();
        assert_eq!(METHODS.map(|method| method.name).to_vec(), names);
        for method in METHODS {
            assert_eq!(method.name.parse::<MethodName>().map(|parsed| parsed.to_string()), Ok(method.name.to_owned()));
        }
    }
}
