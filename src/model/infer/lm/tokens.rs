//! Texts to tokens and back. Only the chat template can produce control tokens: the text of a question, a graph or an answer is always plain
//! text, even if it contains `<|im_end|>`.

use std::collections::{BTreeMap, BTreeSet};

use tokenizers::Tokenizer;

/// A piece of a conversation to encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text of the chat template, with control tokens.
    Template(&'a str),
    /// Any other text, without control tokens.
    Content(&'a str),
}

/// How the vocabulary spells bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Each byte as a character of GPT-2's alphabet.
    ByteLevel,
    /// Spaces as `▁`, bytes outside the vocabulary as `<0xAB>`; `prefix`: each text gets a leading space.
    SentencePiece { prefix: bool },
}

/// A special token, which is matched as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Special {
    pub(super) text: String,
    pub(super) id: u32,
    /// A control token, which is never shown.
    pub(super) control: bool,
    /// Spaces before it belong to it.
    pub(super) strip_before: bool,
    /// Spaces after it belong to it.
    pub(super) strip_after: bool,
}

/// The parts of a vocabulary; see [`Tokens::new`].
#[derive(Debug)]
pub(super) struct Parts {
    /// Without added tokens, except those that consist of spaces.
    pub(super) plain: Tokenizer,
    pub(super) specials: Vec<Special>,
    pub(super) spelling: Spelling,
    pub(super) bos: Option<u32>,
    pub(super) eos: Option<u32>,
    /// The model expects `bos` first, whatever the chat template says.
    pub(super) add_bos: bool,
    /// More tokens that end a text, in addition to those known by name.
    pub(super) stop: BTreeSet<u32>,
}

/// Names of tokens that end a turn, in the families.
const ENDS: [&str; 8] = ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<|eom_id|>", "<end_of_turn>", "<|end|>", "</s>"];

/// A model's vocabulary.
#[derive(Debug)]
pub(super) struct Tokens {
    parts: Parts,
    by_first: BTreeMap<char, Vec<usize>>,
    by_id: BTreeMap<u32, usize>,
    bytes: BTreeMap<char, u8>,
}

impl Tokens {
    pub(super) fn new(mut parts: Parts) -> Self {
        for special in &parts.specials {
            if special.control && ENDS.contains(&special.text.as_str()) {
                parts.stop.insert(special.id);
            }
        }
        parts.stop.extend(parts.eos);
        let mut by_first: BTreeMap<char, Vec<usize>> = BTreeMap::new();
        for (at, special) in parts.specials.iter().enumerate() {
            if let Some(first) = special.text.chars().next() {
                by_first.entry(first).or_default().push(at);
            }
        }
        for found in by_first.values_mut() {
            found.sort_by_key(|at| std::cmp::Reverse(parts.specials[*at].text.len()));
        }
        let by_id = parts.specials.iter().enumerate().map(|(at, special)| (special.id, at)).collect();
        Self { parts, by_first, by_id, bytes: byte_alphabet().map(|(byte, spelled)| (spelled, byte)).collect() }
    }

    /// Tokens of a conversation.
    ///
    /// # Errors
    /// If the vocabulary lacks what it needs (damaged files).
    pub(super) fn encode(&self, pieces: &[Piece]) -> Result<Vec<u32>, String> {
        let mut ids = Vec::new();
        let mut plain = String::new();
        for piece in pieces {
            match piece {
                Piece::Content(text) => plain.push_str(text),
                Piece::Template(text) => {
                    let mut rest = *text;
                    while let Some((at, special)) = self.first_special(rest) {
                        let (before, after) = (&rest[..at], &rest[at + special.text.len()..]);
                        plain.push_str(if special.strip_before { before.trim_end() } else { before });
                        self.encode_plain(&plain, &mut ids)?;
                        plain.clear();
                        ids.push(special.id);
                        rest = if special.strip_after { after.trim_start() } else { after };
                    }
                    plain.push_str(rest);
                }
            }
        }
        self.encode_plain(&plain, &mut ids)?;
        if let Some(bos) = self.parts.bos.filter(|bos| self.parts.add_bos && ids.first() != Some(bos)) {
            ids.insert(0, bos);
        }
        Ok(ids)
    }

    /// Tokens of a text that follows others.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub(super) fn encode_next(&self, text: &str) -> Result<Vec<u32>, String> {
        let mut ids = Vec::new();
        self.encode_plain(text, &mut ids)?;
        Ok(ids)
    }

    fn first_special<'a>(&'a self, text: &str) -> Option<(usize, &'a Special)> {
        text.char_indices().find_map(|(at, first)| {
            let found = self.by_first.get(&first)?.iter().map(|i| &self.parts.specials[*i]);
            found.into_iter().find(|special| text[at..].starts_with(&special.text)).map(|special| (at, special))
        })
    }

    fn encode_plain(&self, text: &str, ids: &mut Vec<u32>) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        let encode = |text: &str| self.parts.plain.encode_fast(text, false).map_err(|e| format!("a text cannot be split into tokens: {e}"));
        let encoded = encode(text)?;
        if !encoded.get_ids().iter().any(|id| self.is_control(*id)) {
            ids.extend_from_slice(encoded.get_ids());
            return Ok(());
        }
        // A vocabulary that has control tokens among its words: letter by letter, it cannot spell them.
        for letter in text.chars() {
            let encoded = encode(letter.encode_utf8(&mut [0; 4]))?;
            ids.extend(encoded.get_ids().iter().filter(|id| !self.is_control(**id)));
        }
        Ok(())
    }

    fn is_control(&self, id: u32) -> bool {
        self.by_id.get(&id).is_some_and(|at| self.parts.specials[*at].control)
    }

    /// Whether a text ends with this token.
    pub(super) fn ends(&self, id: u32) -> bool {
        self.parts.stop.contains(&id)
    }

    /// The bytes that a token stands for; none for control tokens. `first`: no text was written yet.
    pub(super) fn bytes(&self, id: u32, first: bool) -> Vec<u8> {
        if let Some(at) = self.by_id.get(&id) {
            let special = &self.parts.specials[*at];
            return if special.control { Vec::new() } else { special.text.clone().into_bytes() };
        }
        let Some(spelled) = self.parts.plain.id_to_token(id) else { return Vec::new() };
        match self.parts.spelling {
            Spelling::ByteLevel => {
                let mut bytes = Vec::with_capacity(spelled.len());
                for c in spelled.chars() {
                    match self.bytes.get(&c) {
                        Some(byte) => bytes.push(*byte),
                        None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    }
                }
                bytes
            }
            Spelling::SentencePiece { prefix } => {
                if let Some(byte) = byte_token(&spelled) {
                    return vec![byte];
                }
                let text = spelled.replace('▁', " ");
                let text = if first && prefix { text.strip_prefix(' ').unwrap_or(&text) } else { &text };
                text.as_bytes().to_vec()
            }
        }
    }

    /// The text of the token that begins every conversation; empty if there is none.
    pub(super) fn bos_text(&self) -> String {
        self.text_of(self.parts.bos)
    }

    /// The text of the token that ends one.
    pub(super) fn eos_text(&self) -> String {
        self.text_of(self.parts.eos)
    }

    /// Whether there is a special token of this text.
    pub(super) fn knows(&self, text: &str) -> bool {
        self.parts.specials.iter().any(|special| special.text == text)
    }

    fn text_of(&self, id: Option<u32>) -> String {
        id.and_then(|id| self.by_id.get(&id)).map_or_else(String::new, |at| self.parts.specials[*at].text.clone())
    }
}

/// The byte that a token `<0xAB>` stands for.
fn byte_token(spelled: &str) -> Option<u8> {
    let digits = spelled.strip_prefix("<0x")?.strip_suffix('>').filter(|digits| digits.len() == 2)?;
    u8::from_str_radix(digits, 16).ok()
}

/// GPT-2's alphabet: printable bytes stand for themselves, the others for the characters from U+0100 on.
fn byte_alphabet() -> impl Iterator<Item = (u8, char)> {
    let mut odd = 0x100u32;
    (0..=255u8).filter_map(move |byte| {
        let spelled = match byte {
            b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => char::from(byte),
            _ => {
                odd += 1;
                char::from_u32(odd - 1)?
            }
        };
        Some((byte, spelled))
    })
}
