//! The prompts of language models: the built-in ones (`prompts/`) and the user's files of the same names, which replace them.

mod one_size;
pub(crate) mod prompt_lines;
mod template;
mod untrusted;

use std::io::Read;
use std::path::{Path, PathBuf};

use one_size::ONE_SIZE;

pub(crate) use template::Template;
pub(crate) use untrusted::untrusted;

/// The largest file that is read as a prompt, in bytes.
const LARGEST: u64 = 64 << 10;

/// What a prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptFor {
    /// HyKGE's hypothesis (2025, Eq. 1).
    Hypothesis,
    /// HyKGE's reader (2025, Eq. 5).
    Reader,
    /// WTS's extraction of triples from a question and its answer (its section 3.2, prompt 4).
    Triples,
    /// RoK's expansion of the question by reasoning in steps (its section 4.1).
    Expansion,
    /// RoK's choice of the triples that neighbour its paths (its section 4.2.2).
    Branches,
    /// RoK's answer in three parts (its section 4.3).
    ThreeParts,
    /// WTS's choice of the question's entities (its section 3.2, prompt 1).
    Entities,
    /// WTS's scores of triples (prompt 2).
    Scores,
    /// WTS's decision whether the triples suffice (the confidence of its algorithm 1).
    Enough,
    /// An answer without a graph.
    Base,
    /// QE's further terms for the question. From here on, large and small models share the prompts.
    QueryExpansion,
    /// CoN's notes on the retrieved triples.
    Notes,
    /// CoN's answer from its notes.
    FromNotes,
    /// CoK's steps of reasoning.
    Steps,
    /// CoK's correction of a step.
    CorrectedStep,
    /// CoK's answer from the corrected steps.
    FromSteps,
    /// KALMV's answer.
    VerifiedAnswer,
    /// KALMV's verifier.
    Verify,
    /// KG-GPT's division of the question.
    Split,
    /// KG-GPT's choice of relations.
    Relations,
    /// SuRe's possible answers.
    Candidates,
    /// SuRe's summary in favour of one.
    Summary,
    /// SuRe's check of a summary.
    Valid,
    /// SuRe's comparison of summaries.
    Rank,
    /// WTS's reasoning: confidence, answer and what supports it (prompt 3).
    Reasoned,
    /// CoT's answer after five examples.
    FromExamples,
    /// ToG's scores of an entity's relations.
    BeamRelations,
    /// ToG's scores of the entities behind a relation.
    BeamEntities,
    /// MindMap's paths in sentences.
    MapPaths,
    /// MindMap's neighbouring triples in sentences.
    MapNeighbours,
    /// MindMap's answer from both.
    FromMap,
    /// Which of two retrievals is better (EbmKG, appendix A.6).
    JudgeRetrieval,
    /// EbmKG's extraction of evidence (Eq. 1).
    Evidence,
    /// EbmKG's entities of evidence (Eq. 2).
    EvidenceEntities,
    /// EbmKG's summary of a topic (Eq. 4).
    TopicSummary,
    /// IdepRAG's search terms (its section 4.1).
    SearchTerms,
    /// IdepRAG's features with usefulness (Eq. 10).
    Features,
    /// IdepRAG's answer from passages.
    FromPassages,
    /// Names of drugs and diseases in the question (a recogniser of HyKGE's table 4).
    Names,
    /// Whether passages state a claim or say otherwise (EbmKG's hallucination check).
    CheckClaim,
    /// How useful retrieved passages are (EbmKG, Figure 15).
    JudgeUsefulness,
    /// All names in question and hypothesis (HyKGE's table 4).
    AllNames,
    /// Scores of chains (the same).
    ChainScores,
    /// The kept chains summed up (the same).
    ChainSummary,
    /// The key entities of question and expansion (RoK, appendix A.2.2).
    KeyEntities,
}

/// The built-in prompts: file, text, name, gaps. In the order of [`PromptFor`], English before Chinese.
const BUILT_IN: [(&str, &str, &str, &[&str]); 20] = [
    ("hykge/hypothesis.en.md", include_str!("../../../prompts/hykge/hypothesis.en.md"), "hykge/hypothesis", &["question"]),
    ("hykge/hypothesis.zh.md", include_str!("../../../prompts/hykge/hypothesis.zh.md"), "hykge/hypothesis", &["question"]),
    ("hykge/reader.en.md", include_str!("../../../prompts/hykge/reader.en.md"), "hykge/reader", &["evidence", "question"]),
    ("hykge/reader.zh.md", include_str!("../../../prompts/hykge/reader.zh.md"), "hykge/reader", &["evidence", "question"]),
    ("wts/triples.en.md", include_str!("../../../prompts/wts/triples.en.md"), "wts/triples", &["known", "question", "answer"]),
    ("wts/triples.zh.md", include_str!("../../../prompts/wts/triples.zh.md"), "wts/triples", &["known", "question", "answer"]),
    ("rok/expansion.en.md", include_str!("../../../prompts/rok/expansion.en.md"), "rok/expansion", &["question"]),
    ("rok/expansion.zh.md", include_str!("../../../prompts/rok/expansion.zh.md"), "rok/expansion", &["question"]),
    ("rok/branches.en.md", include_str!("../../../prompts/rok/branches.en.md"), "rok/branches", &["question", "triples"]),
    ("rok/branches.zh.md", include_str!("../../../prompts/rok/branches.zh.md"), "rok/branches", &["question", "triples"]),
    ("rok/answer.en.md", include_str!("../../../prompts/rok/answer.en.md"), "rok/answer", &["evidence", "question"]),
    ("rok/answer.zh.md", include_str!("../../../prompts/rok/answer.zh.md"), "rok/answer", &["evidence", "question"]),
    ("wts/entities.en.md", include_str!("../../../prompts/wts/entities.en.md"), "wts/entities", &["question", "entities"]),
    ("wts/entities.zh.md", include_str!("../../../prompts/wts/entities.zh.md"), "wts/entities", &["question", "entities"]),
    ("wts/score.en.md", include_str!("../../../prompts/wts/score.en.md"), "wts/score", &["question", "triples"]),
    ("wts/score.zh.md", include_str!("../../../prompts/wts/score.zh.md"), "wts/score", &["question", "triples"]),
    ("wts/enough.en.md", include_str!("../../../prompts/wts/enough.en.md"), "wts/enough", &["question", "triples"]),
    ("wts/enough.zh.md", include_str!("../../../prompts/wts/enough.zh.md"), "wts/enough", &["question", "triples"]),
    ("base/answer.en.md", include_str!("../../../prompts/base/answer.en.md"), "base/answer", &["question"]),
    ("base/answer.zh.md", include_str!("../../../prompts/base/answer.zh.md"), "base/answer", &["question"]),
];

/// The same for small models: short, one task, one example, the question last.
const SMALL: [(&str, &str, &str, &[&str]); 20] = [
    (
        "hykge/hypothesis.small.en.md",
        include_str!("../../../prompts/hykge/hypothesis.small.en.md"),
        "hykge/hypothesis-small",
        &["question"],
    ),
    (
        "hykge/hypothesis.small.zh.md",
        include_str!("../../../prompts/hykge/hypothesis.small.zh.md"),
        "hykge/hypothesis-small",
        &["question"],
    ),
    (
        "hykge/reader.small.en.md",
        include_str!("../../../prompts/hykge/reader.small.en.md"),
        "hykge/reader-small",
        &["evidence", "question"],
    ),
    (
        "hykge/reader.small.zh.md",
        include_str!("../../../prompts/hykge/reader.small.zh.md"),
        "hykge/reader-small",
        &["evidence", "question"],
    ),
    (
        "wts/triples.small.en.md",
        include_str!("../../../prompts/wts/triples.small.en.md"),
        "wts/triples-small",
        &["known", "question", "answer"],
    ),
    (
        "wts/triples.small.zh.md",
        include_str!("../../../prompts/wts/triples.small.zh.md"),
        "wts/triples-small",
        &["known", "question", "answer"],
    ),
    ("rok/expansion.small.en.md", include_str!("../../../prompts/rok/expansion.small.en.md"), "rok/expansion-small", &["question"]),
    ("rok/expansion.small.zh.md", include_str!("../../../prompts/rok/expansion.small.zh.md"), "rok/expansion-small", &["question"]),
    ("rok/branches.small.en.md", include_str!("../../../prompts/rok/branches.small.en.md"), "rok/branches-small", &["question", "triples"]),
    ("rok/branches.small.zh.md", include_str!("../../../prompts/rok/branches.small.zh.md"), "rok/branches-small", &["question", "triples"]),
    ("rok/answer.small.en.md", include_str!("../../../prompts/rok/answer.small.en.md"), "rok/answer-small", &["evidence", "question"]),
    ("rok/answer.small.zh.md", include_str!("../../../prompts/rok/answer.small.zh.md"), "rok/answer-small", &["evidence", "question"]),
    (
        "wts/entities.small.en.md",
        include_str!("../../../prompts/wts/entities.small.en.md"),
        "wts/entities-small",
        &["question", "entities"],
    ),
    (
        "wts/entities.small.zh.md",
        include_str!("../../../prompts/wts/entities.small.zh.md"),
        "wts/entities-small",
        &["question", "entities"],
    ),
    ("wts/score.small.en.md", include_str!("../../../prompts/wts/score.small.en.md"), "wts/score-small", &["question", "triples"]),
    ("wts/score.small.zh.md", include_str!("../../../prompts/wts/score.small.zh.md"), "wts/score-small", &["question", "triples"]),
    ("wts/enough.small.en.md", include_str!("../../../prompts/wts/enough.small.en.md"), "wts/enough-small", &["question", "triples"]),
    ("wts/enough.small.zh.md", include_str!("../../../prompts/wts/enough.small.zh.md"), "wts/enough-small", &["question", "triples"]),
    ("base/answer.small.en.md", include_str!("../../../prompts/base/answer.small.en.md"), "base/answer-small", &["question"]),
    ("base/answer.small.zh.md", include_str!("../../../prompts/base/answer.small.zh.md"), "base/answer-small", &["question"]),
];

/// Why the user's prompts cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// A file or folder cannot be read.
    #[error("the prompt {} cannot be read: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file does not have the form of a prompt.
    #[error("the prompt {} {fault}. Fix the file, or remove it to use the built-in prompt", file.display())]
    Fault {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
    /// A file whose name belongs to no prompt.
    #[error("no prompt has the name of {}; the prompts that you can replace are {}", file.display(), known.join(", "))]
    Unknown {
        /// The file.
        file: PathBuf,
        /// The file names that are allowed.
        known: Vec<&'static str>,
    },
}

/// Up to this many parameters, in billions, a model gets the prompts for small models.
const SMALL_MODEL: f64 = 3.0;

/// Whether a model is small, by what its name says of its parameters ("smollm2-135m", "Qwen2.5-1.5B-Instruct"). A name that says nothing is
/// of a large one.
pub fn is_small(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let pieces = lower.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    let billions = pieces.filter_map(|piece| {
        let (number, unit) = piece.split_at_checked(piece.len().checked_sub(1)?)?;
        let number: f64 = number.parse().ok().filter(|number| *number > 0.0)?;
        match unit {
            "b" => Some(number),
            "m" => Some(number / 1000.0),
            _ => None,
        }
    });
    billions.fold(None, |most: Option<f64>, next| Some(most.map_or(next, |most| most.max(next)))).is_some_and(|size| size <= SMALL_MODEL)
}

/// All prompts, in both sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    full: [Template; BUILT_IN.len()],
    small: [Template; SMALL.len()],
    /// Those that both share.
    one_size: [Template; ONE_SIZE.len()],
    /// Those for small models are used.
    is_small: bool,
}

impl Default for Prompts {
    fn default() -> Self {
        Self::built_in()
    }
}

impl Prompts {
    /// The built-in prompts.
    pub fn built_in() -> Self {
        // A test ensures that each of them can be read.
        let parse = |(_, text, name, gaps): (&str, &str, &str, &[&str])| Template::parse(text, name, gaps, false).unwrap_or_default();
        Self { full: BUILT_IN.map(parse), small: SMALL.map(parse), one_size: ONE_SIZE.map(parse), is_small: false }
    }

    /// The same prompts, for a small or a large model.
    #[must_use]
    pub fn sized(self, is_small: bool) -> Self {
        Self { is_small, ..self }
    }

    /// The built-in prompts, except those that a folder replaces by files of the same names (`hykge/reader.en.md`). A missing folder
    /// replaces none.
    ///
    /// # Errors
    /// If a file cannot be read, does not have a prompt's form, or belongs to no prompt. Such a file is never ignored, because the
    /// answers would then not be those that the user expects.
    pub fn with_those_in(folder: &Path) -> Result<Self, PromptError> {
        let mut prompts = Self::built_in();
        for file in markdown_below(folder, 0)? {
            let relative = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            if relative.eq_ignore_ascii_case("readme.md") {
                continue;
            }
            let known = || BUILT_IN.iter().chain(&SMALL).chain(&ONE_SIZE);
            let slots = prompts.full.iter_mut().chain(&mut prompts.small).chain(&mut prompts.one_size);
            let Some((slot, (_, _, name, gaps))) = slots.zip(known()).find(|(_, (known, ..))| *known == relative) else {
                return Err(PromptError::Unknown { file, known: known().map(|(known, ..)| *known).collect() });
            };
            let text = read(&file)?;
            *slot = Template::parse(&text, name, gaps, true).map_err(|fault| PromptError::Fault { file, fault })?;
        }
        Ok(prompts)
    }

    fn in_use(&self) -> &[Template; BUILT_IN.len()] {
        if self.is_small { &self.small } else { &self.full }
    }

    /// A fingerprint of the prompts in use, in hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        let hashes: Vec<&str> = self.in_use().iter().chain(&self.one_size).map(|template| template.hash.as_str()).collect();
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(hashes.concat().as_bytes()))
    }

    /// The prompt for a purpose, in Chinese or English.
    pub(crate) fn of(&self, what: PromptFor, chinese: bool) -> &Template {
        let place = 2 * (what as usize) + usize::from(chinese);
        match place.checked_sub(BUILT_IN.len()) {
            None => &self.in_use()[place],
            Some(place) => &self.one_size[place],
        }
    }
}

/// The `.md` files in a folder and its subfolders, sorted.
fn markdown_below(folder: &Path, depth: usize) -> Result<Vec<PathBuf>, PromptError> {
    let failed = |source| PromptError::Io { file: folder.to_path_buf(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if depth == 0 && error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() && depth < 2 {
            files.extend(markdown_below(&path, depth + 1)?);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<String, PromptError> {
    let failed = |source| PromptError::Io { file: file.to_path_buf(), source };
    let mut bytes = Vec::new();
    std::fs::File::open(file).map_err(failed)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    let fault = |fault: String| PromptError::Fault { file: file.to_path_buf(), fault };
    if bytes.len() as u64 > LARGEST {
        return Err(fault(format!("is larger than {} kB", LARGEST >> 10)));
    }
    String::from_utf8(bytes).map_err(|error| fault(format!("is not UTF-8: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Prompt, PromptPart};

    #[test]
    fn our_own_prompts_are_whole() {
        for (file, text, name, gaps) in BUILT_IN.into_iter().chain(SMALL).chain(ONE_SIZE) {
            let template = Template::parse(text, name, gaps, false).unwrap_or_else(|fault| panic!("{file} {fault}"));
            assert!(!template.own && template.version > 0 && template.hash.len() == 12, "{file}");
        }
        let prompts = Prompts::built_in();
        assert_ne!(prompts.of(PromptFor::Reader, true), prompts.of(PromptFor::Reader, false));
        assert_eq!(prompts.of(PromptFor::Reader, true).name, "hykge/reader");
        assert_eq!(
            (prompts.of(PromptFor::Base, true).name.as_str(), prompts.of(PromptFor::QueryExpansion, false).name.as_str()),
            ("base/answer", "qe/expansion")
        );
        assert_eq!(prompts.of(PromptFor::Reasoned, true).name, "wts/answer");
        assert_eq!(prompts.of(PromptFor::FromMap, true).name, "mindmap/answer");
    }

    #[test]
    fn small_models_get_short_prompts_with_the_question_last() {
        let (full, small) = (Prompts::built_in(), Prompts::built_in().sized(true));
        assert_ne!(full.fingerprint(), small.fingerprint());
        for what in
            [PromptFor::Hypothesis, PromptFor::Reader, PromptFor::Expansion, PromptFor::Branches, PromptFor::Scores, PromptFor::Base]
        {
            for chinese in [false, true] {
                let [long, short] = [&full, &small].map(|prompts| {
                    let part = |gap: &str| vec![PromptPart { text: format!("«{gap}»"), rank: None }];
                    prompts.of(what, chinese).fill(part)
                });
                let length = |prompt: &Prompt| prompt.system.len() + prompt.user(u32::MAX).len();
                assert!(length(&short) < length(&long), "{what:?}");
                let user = short.user(u32::MAX);
                let last = user.rfind('«').expect("a gap");
                assert!(user[last..].starts_with("«question»"), "{user}");
            }
        }
        assert_eq!(small.of(PromptFor::Reader, false).name, "hykge/reader-small");
        assert!(["smollm2-135m", "SmolLM2-135M-Instruct.Q4_1", "Qwen2.5-1.5B-Instruct", "gemma-3-1b-it"].into_iter().all(is_small));
        assert!(["Qwen2.5-7B", "llama-3.1-8b", "gpt-4o", "mistral", "", "b", "script"].into_iter().all(|name| !is_small(name)));
    }

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let prompts = Prompts::built_in();
        let filled = prompts.of(PromptFor::Reader, false).fill(|gap| match gap {
            "question" => vec![PromptPart { text: "{evidence}".into(), rank: None }],
            _ => vec![PromptPart { text: "[1] a\n".into(), rank: Some(0) }, PromptPart { text: "[2] b\n".into(), rank: Some(1) }],
        });
        let user = filled.user(u32::MAX);
        assert!(user.contains("<evidence>\n[1] a\n[2] b\n</evidence>") && user.contains("<question>\n{evidence}\n</question>"), "{user}");
        assert!(!filled.user(1).contains("[2]") && filled.system.contains("[1][4]"));
    }

    #[test]
    fn a_users_prompt_replaces_ours_and_a_broken_one_is_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Prompts::with_those_in(&folder.path().join("none")).expect("none replaced"), Prompts::built_in());
        std::fs::create_dir(folder.path().join("hykge")).expect("a folder");
        let file = folder.path().join("hykge/reader.en.md");
        let whole = "+++\nname = \"hykge/reader\"\nversion = 7\n+++\n# system\nBe brief.\n\n# user\n{evidence}\n{question}\n";
        let broken = [
            (whole.replace("{evidence}", ""), "lacks the gap {evidence}"),
            (whole.replace("{evidence}", "{evidence}{evidence}"), "2 times"),
            (whole.replace("{evidence}", "{evidence} {name}"), "{name}"),
            (whole.replace("Be brief", "Answer {question}"), "system message"),
            (whole.replace("# user", "# User"), "# user"),
            (whole.replace("version = 7", "version = \"x\""), "version"),
            (whole.replace("reader", "writer"), "hykge/writer"),
            (whole.replace("+++", "---"), "+++"),
            ("x".repeat(100_000), "larger"),
        ];
        for (text, expected) in broken {
            std::fs::write(&file, text).expect("a file");
            let error = Prompts::with_those_in(folder.path()).expect_err("refused").to_string();
            assert!(error.contains("reader.en.md") && error.contains(expected), "{error}");
        }
        std::fs::write(&file, whole).expect("a file");
        let prompts = Prompts::with_those_in(folder.path()).expect("whole");
        let own = prompts.of(PromptFor::Reader, false);
        assert!(own.own && own.version == 7);
        assert!(!prompts.of(PromptFor::Reader, true).own);
        std::fs::write(folder.path().join("hykge/raeder.en.md"), "").expect("a file");
        assert!(Prompts::with_those_in(folder.path()).expect_err("unknown").to_string().contains("hykge/reader.en.md"));
    }
}
