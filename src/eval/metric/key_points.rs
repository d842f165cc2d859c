//! Key-point coverage (EbmKG, appendix A.5, Eq. 11): the share of a reference's key points that an answer covers,
//!
//! ```text
//! Score = Σᵢ |{ k ∈ Kᵢ : answer i covers k }| / Σᵢ |Kᵢ|
//! ```
//!
//! over the questions i with key points Kᵢ. In the paper people break references down into key points, and GPT-4o judges whether an answer covers one. Here neither
//! is to be had: key points are the sentences and listed items of a reference, and one is covered if at least [`COVERED`] of its content words are in
//! the answer, or if a sentence of the answer is as near to it as the encoder holds names of one thing to be (its δ), and if it is not contradicted: every
//! sentence that speaks of it denies what it does not (or the other way round), or has an opposite or another number in its place. Figures are comparable
//! with each other, not with the paper's.

use std::collections::BTreeSet;

use crate::evidence::says_otherwise;
use crate::model::{EncoderHandle, ModelError, dot};
use crate::text::{StopWords, tokenise};

/// The share of a key point's content words from which it is covered. Half of them are shared by statements that differ in what matters ("bleeding of the
/// stomach", "perforation of the stomach").
pub const COVERED: f64 = 0.6;
/// The share of a key point's content words from which a sentence speaks of it.
const SPEAKS_OF: f64 = 0.5;

/// The key points of a reference: its sentences and listed items, without numbering and without headings that only announce what follows.
///
/// ```
/// let points = catena::eval::metric::key_points("诊断：肾癌。\n诊断依据：\n①血尿；②肿块。Operate soon. 2. Check HbA1c 6.5%.");
/// assert_eq!(points, ["诊断：肾癌", "血尿", "肿块", "Operate soon", "Check HbA1c 6.5%"]);
/// ```
pub fn key_points(reference: &str) -> Vec<String> {
    sentences(reference).into_iter().filter(|piece| !piece.ends_with(['：', ':']) && !content(piece).is_empty()).collect()
}

/// Sentences and listed items of a text, without their numbering.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut end = |piece: &mut String| {
        let clean = without_number(piece.trim());
        if !clean.is_empty() {
            pieces.push(clean.to_owned());
        }
        piece.clear();
    };
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let ends = match c {
            '\n' | '。' | '；' | ';' | '！' | '？' | '!' | '?' | '\u{2460}'..='\u{2473}' => true,
            // "6.5" and "e.g.x" go on; "2." at the beginning is a number of a list.
            '.' => characters.peek().is_none_or(|next| next.is_whitespace()) && !piece.trim().chars().all(|c| c.is_ascii_digit()),
            _ => false,
        };
        if ends {
            end(&mut piece);
        } else {
            piece.push(c);
        }
    }
    end(&mut piece);
    pieces
}

/// A piece without its number in a list: "（1）", "(2)", "3.", "4、", "-", "•".
fn without_number(piece: &str) -> &str {
    let rest = piece.trim_start_matches(['-', '•', '*', '·', ' ']);
    let inside = rest.trim_start_matches(['（', '(']);
    let after = inside.trim_start_matches(|c: char| c.is_ascii_digit());
    let marked = after.strip_prefix(['）', ')', '、', '.', '．']);
    match marked {
        // "6.5 mg" is no number of a list.
        Some(text) if after.len() < inside.len() && !text.starts_with(|c: char| c.is_ascii_digit()) => text.trim(),
        _ => rest.trim(),
    }
}

/// The content words of a text, each once: words without stop words; of a script without spaces the pairs of neighbouring characters, since one character
/// says too little (a character that stands alone is a word).
fn content(text: &str) -> BTreeSet<String> {
    let tokens = tokenise(text);
    let stopped = StopWords::built_in().mark(&tokens);
    let words: Vec<_> = tokens.iter().zip(stopped).filter(|(_, stopped)| !stopped).map(|(token, _)| token).collect();
    let mut content = BTreeSet::new();
    for (at, word) in words.iter().enumerate() {
        let beside = |a: usize, b: usize| words.get(a).zip(words.get(b)).is_some_and(|(a, b)| a.cjk && b.cjk && a.end == b.start);
        let (before, after) = (at > 0 && beside(at - 1, at), beside(at, at + 1));
        if after {
            content.insert(format!("{}{}", word.text, words[at + 1].text));
        } else if !before {
            content.insert(word.text.clone());
        }
    }
    content
}

/// Whether a text has this share of words.
fn has_share(said: &BTreeSet<String>, words: &BTreeSet<String>, share: f64) -> bool {
    let found = words.iter().filter(|word| said.contains(*word)).count();
    !words.is_empty() && found as f64 >= share * words.len() as f64
}

/// Which key points an answer covers by its words alone: for each whether it has them, and not every sentence that speaks of it says otherwise.
pub fn covered_by_words(points: &[String], answer: &str) -> Vec<bool> {
    let said = content(answer);
    let sentences: Vec<(String, BTreeSet<String>)> = sentences(answer)
        .into_iter()
        .map(|sentence| {
            let words = content(&sentence);
            (sentence, words)
        })
        .collect();
    let is_covered = |point: &String| {
        let words = content(point);
        if !has_share(&said, &words, COVERED) {
            return false;
        }
        let mut about = sentences.iter().filter(|(_, own)| has_share(own, &words, SPEAKS_OF)).peekable();
        about.peek().is_none() || about.any(|(sentence, _)| !says_otherwise(point, sentence))
    };
    points.iter().map(is_covered).collect()
}

/// For each key point whether an answer covers it, by its words or by nearness of a sentence.
///
/// # Errors
/// If the encoder fails.
pub fn covered(points: &[String], answer: &str, encoder: &EncoderHandle) -> Result<Vec<bool>, ModelError> {
    let mut covered = covered_by_words(points, answer);
    let sentences = sentences(answer);
    let open: Vec<usize> = (0..points.len()).filter(|point| !covered[*point]).collect();
    if open.is_empty() || sentences.is_empty() {
        return Ok(covered);
    }
    let delta = encoder.delta()?;
    let texts = open.iter().map(|point| points[*point].clone()).chain(sentences.iter().cloned()).collect();
    let rows = encoder.encode(texts)?.normalised();
    for (row, point) in open.iter().enumerate() {
        let is_near = |at: usize| f64::from(dot(rows.row(row), rows.row(open.len() + at))) > delta;
        let mut near = sentences.iter().enumerate().take(rows.rows().saturating_sub(open.len()));
        covered[*point] = near.any(|(at, sentence)| is_near(at) && !says_otherwise(&points[*point], sentence));
    }
    Ok(covered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_cut_at_sentences_and_items() {
        let reference =
            "（1）诊断：肾癌\n   （2）诊断依据：①血尿2个月。 ②B超：占位；\n1.病史和体检\n  2.导尿试验\n3、 pH=7.52，为碱中毒。\n答案： C";
        let expected = ["诊断：肾癌", "血尿2个月", "B超：占位", "病史和体检", "导尿试验", "pH=7.52，为碱中毒", "答案： C"];
        assert_eq!(key_points(reference), expected);
        assert_eq!(key_points("Give 0.5 mg. Wait; then operate! - No aspirin"), ["Give 0.5 mg", "Wait", "then operate", "No aspirin"]);
        assert!(key_points("。\n ①  诊断依据：").is_empty());
    }

    #[test]
    fn a_point_that_is_contradicted_is_not_covered() {
        let covers = |point: &str, answer: &str| covered_by_words(&[point.into()], answer) == [true];
        assert!(covers("Aspirin is indicated after the infarction", "After the infarction aspirin is indicated."));
        assert!(!covers("Aspirin is indicated after the infarction", "Aspirin is not indicated after the infarction."));
        assert!(!covers("Aspirin is not indicated in the bleeding ulcer", "Aspirin is indicated in the bleeding ulcer."));
        assert!(!covers("Potassium is raised in renal failure", "Potassium is lowered in renal failure."));
        assert!(!covers("Begin zorbazine with 5 mg daily", "Begin zorbazine with 10 mg daily."));
        assert!(!covers("患者无发热", "患者发热。") && covers("患者发热", "患者发热三天。"));
        // One sentence that agrees is enough, whatever others say.
        assert!(covers("Begin zorbazine with 5 mg daily", "Begin zorbazine with 5 mg daily. Never begin zorbazine with 10 mg daily."));
    }

    #[test]
    fn a_point_is_covered_by_three_fifths_of_its_words() {
        let points: [String; 2] = ["Acute bacterial meningitis with sepsis needs ceftriaxone".into(), "Rest".into()];
        // acute, bacterial, meningitis, sepsis, needs?, ceftriaxone: counted without stop words.
        let words = content(&points[0]).len();
        assert!(words >= 5, "{:?}", content(&points[0]));
        assert_eq!(covered_by_words(&points, "Acute bacterial meningitis, sepsis: ceftriaxone."), [true, false]);
        assert_eq!(covered_by_words(&points, "Bacterial meningitis, and rest."), [false, true]);
        assert_eq!(covered_by_words(&points, ""), [false, false]);
        // 肾癌可能 has the pairs 肾癌, 癌可, 可能.
        assert_eq!(content("肾癌").into_iter().collect::<Vec<_>>(), ["肾癌"]);
        assert_eq!(covered_by_words(&["肾癌".into()], "左肾癌。"), [true]);
        assert_eq!(covered_by_words(&["肾癌".into()], "肾，癌"), [false]);
    }
}
