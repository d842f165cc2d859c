//! Texts of a given form: llguidance says which tokens may come next, and what is left to write once the limit of tokens is reached.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::panic_utils::catch_unwind;
use llguidance::toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};
use llguidance::{JsonCompileOptions, Matcher, ParserFactory};
use serde_json::Value;

use super::tokens::Tokens;
use crate::model::Constraint;

/// Longer tokens (long runs of blanks) are never drawn; the library takes at most 255 bytes.
const LONGEST_TOKEN: usize = 128;
/// The most tokens that bring a cut-off text to its end.
const LONGEST_END: usize = 4096;
/// The first byte of special tokens in the library's vocabulary.
const SPECIAL: u8 = TokTrie::SPECIAL_TOKEN_MARKER;

/// A vocabulary, prepared for texts of any form.
pub(super) struct Grammars {
    factory: ParserFactory,
}

/// A text of a given form while it is written.
pub(super) struct Form {
    matcher: Matcher,
    json: bool,
    /// Within JSON: whether the text is in a string, and after a backslash.
    in_string: bool,
    escaped: bool,
}

impl Grammars {
    /// Prepares a vocabulary for a model that computes logits for so many tokens.
    ///
    /// # Errors
    /// In plain words, if the vocabulary cannot be used.
    pub(super) fn new(tokens: &Tokens, vocabulary: usize) -> Result<Self, String> {
        let word = |id: u32| {
            if tokens.ends(id) {
                return [&[SPECIAL], format!("<|end {id}|>").as_bytes()].concat();
            }
            let bytes = tokens.bytes(id, false);
            if bytes.len() > LONGEST_TOKEN || bytes.first() == Some(&SPECIAL) { Vec::new() } else { bytes }
        };
        let count = u32::try_from(vocabulary).map_err(|_| "its vocabulary is too large".to_owned())?;
        let mut words: Vec<Vec<u8>> = (0..count).map(word).collect();
        // One that the model cannot write, for models without a token that ends texts.
        words.push([&[SPECIAL], b"<|end|>".as_slice()].concat());
        let ends: Vec<u32> = std::iter::once(count).chain((0..count).filter(|id| tokens.ends(*id))).collect();
        let prepare = AssertUnwindSafe(|| {
            let trie = TokTrie::from(&TokRxInfo::new(count + 1, count), &words).with_eos_tokens(&ends);
            let environment: TokEnv = Arc::new(ApproximateTokEnv::new(trie));
            let mut factory = ParserFactory::new_simple(&environment)?;
            factory.quiet();
            factory.limits_mut().verbose_errors = false;
            Ok(factory)
        });
        match catch_unwind(prepare) {
            Ok(factory) => Ok(Self { factory }),
            Err(error) => Err(format!("its vocabulary cannot be used for texts of a given form: {}", first_line(&error))),
        }
    }

    /// Begins a text.
    ///
    /// # Errors
    /// In plain words, if the constraint is wrong or too complex.
    pub(super) fn begin(&self, constraint: &Constraint) -> Result<Form, String> {
        let fail = |error: anyhow::Error| format!("the form that its text should have cannot be used: {}", first_line(&error));
        let parser = catch_unwind(AssertUnwindSafe(|| self.factory.create_parser(grammar(constraint)?))).map_err(fail)?;
        let json = matches!(constraint, Constraint::Json { .. });
        Ok(Form { matcher: Matcher::new(Ok(parser)), json, in_string: false, escaped: false })
    }
}

/// Whether a text has the form that a constraint asks for. `false` also if the constraint itself is wrong.
pub fn meets(constraint: &Constraint, text: &str) -> bool {
    let check = AssertUnwindSafe(|| {
        // Each byte is a token.
        let mut factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env())?;
        factory.quiet();
        let mut matcher = Matcher::new(factory.create_parser(grammar(constraint)?));
        let bytes: Vec<u32> = text.bytes().map(u32::from).collect();
        let taken = matcher.try_consume_tokens(&bytes)?;
        Ok(taken == bytes.len() && (matcher.is_accepting()? || matcher.stop_reason().is_ok() && matcher.is_stopped()))
    });
    catch_unwind(check).unwrap_or(false)
}

fn grammar(constraint: &Constraint) -> anyhow::Result<TopLevelGrammar> {
    Ok(match constraint {
        Constraint::Json { schema, .. } => {
            let mut schema = schema.clone();
            // Blanks as most models write them; a choice of blanks is an invitation to write nothing else.
            let options = JsonCompileOptions {
                item_separator: ", ".into(),
                key_separator: ": ".into(),
                whitespace_flexible: false,
                ..JsonCompileOptions::default()
            };
            if schema.is_object() {
                options.apply_to(&mut schema);
            }
            TopLevelGrammar::from_json_schema(schema)
        }
        Constraint::Choice(texts) if texts.is_empty() => anyhow::bail!("there is nothing to choose from"),
        Constraint::Choice(texts) => {
            let texts: Vec<String> = texts.iter().map(|text| Value::from(text.as_str()).to_string()).collect();
            TopLevelGrammar::from_lark(format!("start: {}", texts.join(" | ")))
        }
        Constraint::Pattern(pattern) => TopLevelGrammar::from_regex(pattern),
    })
}

impl Form {
    /// Makes all tokens impossible that must not come next.
    ///
    /// # Errors
    /// In plain words, if the form became too complex.
    pub(super) fn restrict(&mut self, logits: &mut [f32]) -> Result<(), String> {
        let allowed = self.matcher.compute_mask_or_eos().map_err(|error| failed(&error))?;
        for (id, logit) in (0u32..).zip(logits.iter_mut()) {
            if !allowed.is_allowed(id) {
                *logit = f32::NEG_INFINITY;
            }
        }
        Ok(())
    }

    /// Takes the next token, which is none that ends the text.
    ///
    /// # Errors
    /// As [`Self::restrict`].
    pub(super) fn take(&mut self, token: u32, bytes: &[u8]) -> Result<(), String> {
        for byte in bytes {
            let escaped = std::mem::take(&mut self.escaped);
            match byte {
                b'"' if !escaped => self.in_string = !self.in_string,
                b'\\' if self.in_string && !escaped => self.escaped = true,
                _ => {}
            }
        }
        self.matcher.consume_token(token).map_err(|error| failed(&error))
    }

    /// Whether nothing can follow any more.
    pub(super) fn is_complete(&self) -> bool {
        self.matcher.is_stopped()
    }

    /// The next token of the shortest end of a text that was cut off, without asking the model: strings, arrays and objects are closed as soon as they may be, and
    /// what is required is left empty. `None`: the text is complete.
    ///
    /// # Errors
    /// As [`Self::restrict`].
    fn next_of_end(&mut self, tokens: &Tokens) -> Result<Option<u32>, String> {
        if self.is_complete() || self.matcher.is_accepting().map_err(|error| failed(&error))? {
            return Ok(None);
        }
        let allowed = self.matcher.compute_mask_or_eos().map_err(|error| failed(&error))?;
        let closing: &[u8] = if !self.json {
            b""
        } else if self.in_string {
            b"\""
        } else {
            b"}]"
        };
        let rank = |bytes: &[u8]| match bytes {
            [byte] if closing.contains(byte) => (0, 0),
            // What must come comes at once; within a string, whatever ends a character begun.
            _ if self.in_string => (1, bytes.len()),
            _ => (1, LONGEST_TOKEN - bytes.len().min(LONGEST_TOKEN)),
        };
        let mut best: Option<((usize, usize), u32)> = None;
        allowed.iter_set_entries(|id| {
            let id = id as u32;
            let bytes = tokens.bytes(id, false);
            if !tokens.ends(id) && !bytes.is_empty() {
                let candidate = (rank(&bytes), id);
                best = Some(best.map_or(candidate, |best| best.min(candidate)));
            }
        });
        Ok(best.map(|(_, token)| token))
    }

    /// The tokens that bring a cut-off text to a valid end.
    ///
    /// # Errors
    /// As [`Self::restrict`].
    pub(super) fn end(&mut self, tokens: &Tokens) -> Result<Vec<u32>, String> {
        let mut end = Vec::new();
        while end.len() < LONGEST_END
            && let Some(token) = self.next_of_end(tokens)?
        {
            self.take(token, &tokens.bytes(token, false))?;
            end.push(token);
        }
        Ok(end)
    }
}

fn failed(error: &anyhow::Error) -> String {
    format!("its text could not be kept to its form: {}", first_line(error))
}

fn first_line(error: &anyhow::Error) -> String {
    let text = error.to_string();
    crate::text::sanitise_line(text.lines().next().unwrap_or_default()).chars().take(200).collect()
}
