//! The built-in prompts that large and small models share: those of the methods that Catena is compared with, and short questions of its own.

/// File, text, name, gaps.
type BuiltIn = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// A prompt's file in a language.
macro_rules! prompt {
    ($name:literal, $language:literal, $gaps:expr) => {
        (concat!($name, ".", $language, ".md"), include_str!(concat!("../../../prompts/", $name, ".", $language, ".md")), $name, $gaps)
    };
}

/// In the order of [`super::PromptFor`], behind those of two sizes; English before Chinese.
pub(super) const ONE_SIZE: [BuiltIn; 62] = [
    prompt!("qe/expansion", "en", &["question"]),
    prompt!("qe/expansion", "zh", &["question"]),
    prompt!("chain-of-note/notes", "en", &["question", "triples"]),
    prompt!("chain-of-note/notes", "zh", &["question", "triples"]),
    prompt!("chain-of-note/answer", "en", &["question", "notes"]),
    prompt!("chain-of-note/answer", "zh", &["question", "notes"]),
    prompt!("cok/rationales", "en", &["question"]),
    prompt!("cok/rationales", "zh", &["question"]),
    prompt!("cok/correct", "en", &["question", "triples", "corrected", "step"]),
    prompt!("cok/correct", "zh", &["question", "triples", "corrected", "step"]),
    prompt!("cok/answer", "en", &["question", "corrected"]),
    prompt!("cok/answer", "zh", &["question", "corrected"]),
    prompt!("kalmv/answer", "en", &["question", "triples"]),
    prompt!("kalmv/answer", "zh", &["question", "triples"]),
    prompt!("kalmv/verify", "en", &["question", "triples", "answer"]),
    prompt!("kalmv/verify", "zh", &["question", "triples", "answer"]),
    prompt!("kggpt/split", "en", &["question"]),
    prompt!("kggpt/split", "zh", &["question"]),
    prompt!("kggpt/relations", "en", &["sentence", "relations"]),
    prompt!("kggpt/relations", "zh", &["sentence", "relations"]),
    prompt!("sure/candidates", "en", &["question", "triples"]),
    prompt!("sure/candidates", "zh", &["question", "triples"]),
    prompt!("sure/summary", "en", &["question", "triples", "candidate"]),
    prompt!("sure/summary", "zh", &["question", "triples", "candidate"]),
    prompt!("sure/valid", "en", &["question", "candidate", "summary"]),
    prompt!("sure/valid", "zh", &["question", "candidate", "summary"]),
    prompt!("sure/rank", "en", &["question", "summaries"]),
    prompt!("sure/rank", "zh", &["question", "summaries"]),
    prompt!("wts/answer", "en", &["question", "triples"]),
    prompt!("wts/answer", "zh", &["question", "triples"]),
    prompt!("cot/answer", "en", &["question"]),
    prompt!("cot/answer", "zh", &["question"]),
    prompt!("tog/relations", "en", &["question", "entity", "relations"]),
    prompt!("tog/relations", "zh", &["question", "entity", "relations"]),
    prompt!("tog/entities", "en", &["question", "triples"]),
    prompt!("tog/entities", "zh", &["question", "triples"]),
    prompt!("mindmap/paths", "en", &["chains"]),
    prompt!("mindmap/paths", "zh", &["chains"]),
    prompt!("mindmap/neighbours", "en", &["triples"]),
    prompt!("mindmap/neighbours", "zh", &["triples"]),
    prompt!("mindmap/answer", "en", &["question", "paths", "neighbours"]),
    prompt!("mindmap/answer", "zh", &["question", "paths", "neighbours"]),
    prompt!("judge/retrieval", "en", &["question", "first", "second"]),
    prompt!("judge/retrieval", "zh", &["question", "first", "second"]),
    prompt!("ebmkg/evidence", "en", &["document", "labels", "sentences"]),
    prompt!("ebmkg/evidence", "zh", &["document", "labels", "sentences"]),
    prompt!("ebmkg/entities", "en", &["evidence"]),
    prompt!("ebmkg/entities", "zh", &["evidence"]),
    prompt!("ebmkg/topic", "en", &["topic", "evidence"]),
    prompt!("ebmkg/topic", "zh", &["topic", "evidence"]),
    prompt!("idep/terms", "en", &["question"]),
    prompt!("idep/terms", "zh", &["question"]),
    prompt!("idep/features", "en", &["question", "rule", "topics"]),
    prompt!("idep/features", "zh", &["question", "rule", "topics"]),
    prompt!("idep/answer", "en", &["question", "passages"]),
    prompt!("idep/answer", "zh", &["question", "passages"]),
    prompt!("hykge/names", "en", &["question"]),
    prompt!("hykge/names", "zh", &["question"]),
    prompt!("judge/claim", "en", &["claim", "passages"]),
    prompt!("judge/claim", "zh", &["claim", "passages"]),
    prompt!("judge/usefulness", "en", &["question", "passages"]),
    prompt!("judge/usefulness", "zh", &["question", "passages"]),
];
