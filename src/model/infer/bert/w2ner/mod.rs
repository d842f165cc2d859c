//! W2NER (Li et al. 2022, "Unified Named Entity Recognition as Word-Word Relation Classification") over a BERT network: mentions of drugs and diseases in a
//! text. `grid.rs` labels pairs of words, `decoding.rs` makes mentions of the labels. The recipe is in `assets/ner/train/`.

mod config;
mod decoding;
mod grid;
pub(super) mod shipped;

use candle_core::Device;

use super::config::BertConfig;
use super::folder::ModelFolder;
use super::runner::{NetworkRunner, RunError};
use super::tokens::{TokenisedText, TokenisedWord, Tokeniser};
use super::weights::WeightFile;
use crate::model::infer::device_name;
use crate::model::{ModelError, Recogniser, TypedMention};
use crate::text::is_cjk;
use config::GridConfig;
use decoding::decode;
use grid::GridNetwork;

/// The most words of a window, as in training: the grid grows with their square.
const MOST_WORDS: usize = 80;
/// The most pieces of a window, without the two tokens around it.
const MOST_PIECES: usize = 254;

/// A recogniser, from a folder of files.
pub(super) struct W2ner {
    name: String,
    tokeniser: Tokeniser,
    /// The tokens before and behind a text.
    around: (u32, u32),
    most_pieces: usize,
    runner: NetworkRunner,
    hidden: usize,
    grid: GridNetwork,
    types: Vec<crate::model::MentionType>,
}

impl W2ner {
    pub(super) fn open(folder: ModelFolder) -> Result<Self, ModelError> {
        let config = BertConfig::read(&folder)?;
        let of_grid = GridConfig::read(&folder)?;
        // The text is cut into windows here, not by the tokeniser.
        let tokeniser = Tokeniser::load(&folder, &config, usize::MAX)?;
        let Some(around) = tokeniser.token("[CLS]").zip(tokeniser.token("[SEP]")) else {
            return Err(folder.fails("tokenizer.json", "has no tokens [CLS] and [SEP]; the recogniser needs a tokeniser of BERT"));
        };
        let mut weights = WeightFile::open(&folder)?;
        let runner = NetworkRunner::load(&config, &mut weights, &Device::Cpu)?;
        let types = of_grid.types.clone();
        let grid = GridNetwork::load(of_grid, config.hidden, &mut weights)?;
        let most_pieces = MOST_PIECES.min(config.most_tokens().saturating_sub(2)).max(1);
        Ok(Self { name: folder.name, tokeniser, around, most_pieces, runner, hidden: config.hidden, grid, types })
    }

    /// The mentions of a sentence.
    fn sentence(&mut self, text: &str) -> Result<Vec<TypedMention>, ModelError> {
        let words = self.tokeniser.words(text)?;
        let mut mentions = Vec::new();
        for window in windows(&words, self.most_pieces) {
            // The training texts are English.
            let has_cjk = |word: &TokenisedWord| text.get(word.begin..word.end).is_some_and(|word| word.chars().any(is_cjk));
            if window.iter().any(has_cjk) {
                continue;
            }
            let vectors = self.vectors(window).map_err(|error| error.of(&self.name))?;
            let labels = self.grid.labels(&vectors);
            for path in decode(&labels, window.len()) {
                let Some(of) = self.types.get(path.of) else { continue };
                let parts = parts(&path.words, window);
                let mention = TypedMention { parts, of: *of };
                let is_sound = mention.parts.iter().all(|(begin, end)| begin < end && text.get(*begin..*end).is_some());
                if is_sound && !mentions.contains(&mention) {
                    mentions.push(mention);
                }
            }
        }
        Ok(mentions)
    }

    /// The vector of each word of a window: the largest of each component over its pieces.
    fn vectors(&mut self, window: &[TokenisedWord]) -> Result<Vec<f32>, RunError> {
        let pieces = |word: &TokenisedWord| word.pieces.len().min(self.most_pieces);
        let mut ids = vec![self.around.0];
        ids.extend(window.iter().flat_map(|word| word.pieces.iter().take(self.most_pieces).copied()));
        ids.push(self.around.1);
        let types = vec![0; ids.len()];
        let counts: Vec<usize> = window.iter().map(pieces).collect();
        let rows = self.runner.rows(&TokenisedText { ids, types, known: true })?;
        let mut rows = rows.chunks_exact(self.hidden).skip(1);
        let mut vectors = Vec::with_capacity(window.len() * self.hidden);
        for count in counts {
            let begin = vectors.len();
            vectors.resize(begin + self.hidden, f32::NEG_INFINITY);
            for row in rows.by_ref().take(count) {
                for (most, x) in vectors[begin..].iter_mut().zip(row) {
                    *most = most.max(*x);
                }
            }
        }
        Ok(vectors)
    }
}

impl Recogniser for W2ner {
    fn name(&self) -> &str {
        &self.name
    }

    fn device(&self) -> String {
        device_name(&Device::Cpu)
    }

    fn recognise(&mut self, sentences: &[String], cancelled: &dyn Fn() -> bool) -> Result<Vec<Vec<TypedMention>>, ModelError> {
        let mut found = Vec::with_capacity(sentences.len());
        for sentence in sentences {
            if cancelled() {
                return Err(ModelError::Cancelled);
            }
            found.push(self.sentence(sentence)?);
        }
        Ok(found)
    }
}

/// Words in windows that the network takes, one behind the other.
fn windows(words: &[TokenisedWord], most_pieces: usize) -> Vec<&[TokenisedWord]> {
    let (mut windows, mut begin, mut pieces) = (Vec::new(), 0, 0);
    for (at, word) in words.iter().enumerate() {
        let own = word.pieces.len().min(most_pieces);
        if at > begin && (at - begin == MOST_WORDS || pieces + own > most_pieces) {
            windows.extend(words.get(begin..at));
            (begin, pieces) = (at, 0);
        }
        pieces += own;
    }
    windows.extend(words.get(begin..).filter(|window| !window.is_empty()));
    windows
}

/// The bytes of a mention's words; words that follow one another are one part.
fn parts(path: &[usize], window: &[TokenisedWord]) -> Vec<(usize, usize)> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut before = None;
    for at in path {
        let Some(word) = window.get(*at) else { continue };
        match parts.last_mut().filter(|_| before.is_some_and(|before: usize| before + 1 == *at)) {
            Some(part) => part.1 = word.end,
            None => parts.push((word.begin, word.end)),
        }
        before = Some(*at);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(begin: usize, pieces: usize) -> TokenisedWord {
        TokenisedWord { pieces: vec![7; pieces], begin, end: begin + 2 }
    }

    #[test]
    fn windows_hold_every_word_once_and_fit_the_network() {
        let words: Vec<TokenisedWord> = (0..200).map(|at| word(at * 3, 1 + at % 5)).collect();
        let cut = windows(&words, 100);
        assert_eq!(cut.concat(), words);
        assert!(cut.iter().all(|window| window.len() <= MOST_WORDS && window.iter().map(|word| word.pieces.len()).sum::<usize>() <= 100));
        assert_eq!(windows(&[word(0, 900)], 100).len(), 1, "a word longer than the window is cut, not lost");
        assert!(windows(&[], 100).is_empty());
    }

    #[test]
    fn words_side_by_side_are_one_part_and_a_gap_makes_two() {
        let window: Vec<TokenisedWord> = (0..5).map(|at| word(at * 3, 1)).collect();
        assert_eq!(parts(&[1, 2], &window), [(3, 8)]);
        assert_eq!(parts(&[0, 1, 4], &window), [(0, 5), (12, 14)]);
        assert_eq!(parts(&[9], &window), []);
    }
}
