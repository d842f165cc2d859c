//! Decides whether two names mean the same in other words: each word of either needs a match in the other. Vectors of whole names cannot
//! decide this: "type 1 diabetes" and "type 2 diabetes" are as near to each other as two spellings of one thing.

use std::collections::HashMap;

use crate::graph::stem;
use crate::model::{CancelToken, EncoderHandle, Matrix, ModelError, dot};
use crate::text::{StopWords, Token, fold, tokenise};

/// The cosine above which two words are forms of one ("abdomen" and "abdominal", 0.89; "ache" and "pain", 0.71, are not) …
const SAME_WORD: f32 = 0.75;
/// … and are spellings of one. In names of drugs nothing less will do: "prednisone" and "prednisolone" are at 0.90.
const SAME_SPELLING: f32 = 0.97;
/// Words so short are abbreviations, units and grades ("II", "HIV"), which are the same or not.
const ABBREVIATION: usize = 3;
/// Words that turn what they stand by into something else, each with its opposites, however near their vectors are.
const DISTINGUISHING: [&[&str]; 18] = [
    &["acute", "chronic", "subacute"],
    &["left", "right", "bilateral", "unilateral"],
    &["upper", "lower"],
    &["high", "low", "raised", "reduced", "increased", "decreased", "elevated"],
    &["with", "without"],
    &["no", "not"],
    &["primary", "secondary", "tertiary"],
    &["anterior", "posterior"],
    &["inner", "outer", "internal", "external", "middle"],
    &["male", "female"],
    &["benign", "malignant"],
    &["before", "after"],
    &["active", "inactive", "passive"],
    &["mild", "moderate", "severe"],
    &["first", "second", "third", "last"],
    &["man", "woman", "boy", "girl", "child", "adult", "newborn", "neonatal", "juvenile"],
    &["day", "night"],
    &["viral", "bacterial", "fungal", "parasitic"],
];

/// For each pair of names, whether they mean the same. Each word is embedded once.
///
/// # Errors
/// If the encoder fails, or the work is cancelled.
pub(crate) fn same_meaning(encoder: &EncoderHandle, cancel: &CancelToken, pairs: &[NamePair<'_>]) -> Result<Vec<bool>, ModelError> {
    let mut words: Vec<String> = Vec::new();
    let mut slots: HashMap<String, usize> = HashMap::new();
    let mut slots_of = |name: &str| -> Vec<NameWord> {
        let mut of_name = Vec::new();
        for text in content_words(name) {
            let slot = *slots.entry(text.clone()).or_insert_with(|| {
                words.push(text.clone());
                words.len() - 1
            });
            of_name.push(NameWord { exact: is_exact(&text), stem: stem(&text).to_owned(), slot });
        }
        of_name
    };
    let compared: Vec<(Vec<NameWord>, Vec<NameWord>)> =
        pairs.iter().map(|pair| (slots_of(pair.names[0]), slots_of(pair.names[1]))).collect();
    let vectors = if words.is_empty() { Matrix::default() } else { encoder.encode_until(words, cancel)?.normalised() };
    let same = |(pair, (a, b)): (&NamePair<'_>, &(Vec<NameWord>, Vec<NameWord>))| {
        let least = if pair.remedies { SAME_SPELLING } else { SAME_WORD };
        spelled(pair.names[0]) == spelled(pair.names[1]) || (covers(&vectors, a, b, least) && covers(&vectors, b, a, least))
    };
    Ok(pairs.iter().zip(&compared).map(same).collect())
}

/// A name without what British and American spelling, hyphens and blanks differ in.
fn spelled(name: &str) -> String {
    let mut spelled = fold(name).replace(' ', "").replace("our", "or");
    while spelled.contains("oe") || spelled.contains("ae") {
        spelled = spelled.replace("oe", "e").replace("ae", "e");
    }
    spelled
}

/// Two names that are compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamePair<'a> {
    pub(crate) names: [&'a str; 2],
    /// Whether they are names of drugs or other treatments, many of which differ in a few letters.
    pub(crate) remedies: bool,
}

struct NameWord {
    /// Only the same word matches.
    exact: bool,
    stem: String,
    slot: usize,
}

/// Whether each word of `these` has a match among `those`.
fn covers(vectors: &Matrix, these: &[NameWord], those: &[NameWord], least: f32) -> bool {
    let matches = |one: &NameWord, other: &NameWord| {
        one.stem == other.stem || (!one.exact && !other.exact && dot(vectors.row(one.slot), vectors.row(other.slot)) > least)
    };
    !these.is_empty() && these.iter().all(|one| those.iter().any(|other| matches(one, other)))
}

/// Whether only the very same word is a match: numbers, abbreviations, words that have an opposite, single ideographs.
fn is_exact(word: &str) -> bool {
    word.chars().count() <= ABBREVIATION
        || word.bytes().any(|byte| byte.is_ascii_digit())
        || DISTINGUISHING.iter().any(|group| group.contains(&word))
        || ["hyper", "hypo"].iter().any(|prefix| word.starts_with(prefix))
}

/// The content words of a name, and its distinguishing words; all words where it has neither.
fn content_words(name: &str) -> Vec<String> {
    let tokens = tokenise(name);
    let stop = StopWords::built_in();
    let keeps = |token: &&Token| !stop.contains(&token.text) || DISTINGUISHING.iter().any(|group| group.contains(&token.text.as_str()));
    let content: Vec<String> = tokens.iter().filter(keeps).map(|token| token.text.clone()).collect();
    if content.is_empty() { tokens.into_iter().map(|token| token.text).collect() } else { content }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::infer::StaticEncoder;

    /// The names that stand for one thing, and those that do not; true for names of remedies.
    const SAME: [(&str, &str); 16] = [
        ("Gastro-oesophageal reflux disease", "Gastroesophageal reflux disease"),
        ("Stomach pain", "Pain in the stomach"),
        ("Abdominal pain", "Pain of the abdomen"),
        ("Abdominal ultrasound", "Ultrasound of the abdomen"),
        ("Shortness of breath", "Breath shortness"),
        ("Chest X-ray", "X-ray of the chest"),
        ("Swollen ankles", "Swelling of the ankle"),
        ("Painful urination", "Pain on urination"),
        ("Skin rash", "Rash on the skin"),
        ("Itchy eyes", "Itching of the eyes"),
        ("Liver function tests", "Tests of liver function"),
        ("Oesophageal cancer", "Esophageal cancer"),
        ("Anaemia", "Anemia"),
        ("Paediatric asthma", "Pediatric asthma"),
        ("Tumour of the lung", "Lung tumor"),
        ("胃的疼痛", "胃疼痛"),
    ];
    const OTHERS: [(&str, &str, bool); 28] = [
        ("Omeprazole", "Esomeprazole", true),
        ("Omeprazole", "Ranitidine", true),
        ("Prednisone", "Prednisolone", true),
        ("Metoprolol", "Atenolol", true),
        ("Amoxicillin", "Ampicillin", true),
        ("Insulin glargine", "Insulin lispro", true),
        ("Clonidine", "Quinidine", true),
        ("Losartan", "Valsartan", true),
        ("Fluticasone", "Fluoxetine", true),
        ("Hydroxyzine", "Hydralazine", true),
        ("Vitamin B12", "Vitamin B6", true),
        ("Hypertension", "Hypotension", false),
        ("Type 1 diabetes", "Type 2 diabetes", false),
        ("Acute pancreatitis", "Chronic pancreatitis", false),
        ("Hyperthyroidism", "Hypothyroidism", false),
        ("Hyperglycaemia", "Hypoglycaemia", false),
        ("Left arm pain", "Right arm pain", false),
        ("Abdominal CT", "Abdominal MRI", false),
        ("Hepatitis A", "Hepatitis B", false),
        ("Breast cancer", "Lung cancer", false),
        ("Heart failure", "Kidney failure", false),
        ("Diarrhoea", "Constipation", false),
        ("Back pain", "Neck pain", false),
        ("Sore throat", "Sore eyes", false),
        ("Mild asthma", "Severe asthma", false),
        ("Finger swelling", "Toe swelling", false),
        ("Pancreatitis", "Acute pancreatitis", false),
        ("高血压", "低血压", false),
    ];

    #[test]
    fn other_words_for_one_thing_are_told_from_words_for_another() {
        let encoder = EncoderHandle::start(StaticEncoder::NAME, StaticEncoder::built_in).expect("a thread");
        let same = SAME.iter().map(|(a, b)| NamePair { names: [a, b], remedies: false });
        let others = OTHERS.iter().map(|(a, b, remedies)| NamePair { names: [a, b], remedies: *remedies });
        let pairs: Vec<NamePair<'_>> = same.chain(others).collect();
        let found = same_meaning(&encoder, &CancelToken::new(), &pairs).expect("encodes");
        for (at, (pair, alike)) in pairs.iter().zip(found).enumerate() {
            assert_eq!(alike, at < SAME.len(), "{:?}", pair.names);
        }
    }
}
