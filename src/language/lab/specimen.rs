//! Specimens other than blood: the heading "CSF:" governs the results behind it to the end of the sentence, so that its white cells are those of the
//! cerebrospinal fluid; and without a heading, "CSF lymphocytes high" is none of the blood. The specimens are in `assets/analytes.toml`.

use super::analytes::{Analyte, NameUse, Specimen, called, heading_words, named_at, specimens};
use super::{Measured, gap};
use crate::text::{Token, tokenise};

/// The most words between a specimen and the colon behind it: "CSF results:".
const TO_COLON: usize = 3;
/// The most words of a test's name.
const NAME: usize = 8;

/// For each token the specimen whose heading governs it.
pub(super) struct Specimens(Vec<Option<&'static Specimen>>);

impl Specimens {
    pub(super) fn of(text: &str, tokens: &[Token]) -> Self {
        let mut governing = vec![None; tokens.len()];
        for first in 0..tokens.len() {
            let Some((specimen, begin)) = specimens().iter().find_map(|of| Some((of, heading_at(text, tokens, first, &of.headings)?)))
            else {
                continue;
            };
            let ends = |at: &usize| at.checked_sub(1).is_some_and(|before| ends_sentence(gap(text, tokens, before)));
            let of_blood = |at: &usize| heading_at(text, tokens, *at, &heading_words().blood).is_some();
            let last = (begin + 1..tokens.len()).find(|at| ends(at) || of_blood(at)).unwrap_or(tokens.len());
            governing.iter_mut().take(last).skip(begin).for_each(|slot| *slot = Some(specimen));
        }
        Self(governing)
    }

    /// Whether a heading says that what stands at a token is of another specimen than blood.
    pub(super) fn governs(&self, tokens: &[Token], at: usize) -> bool {
        self.of_test(tokens, at).is_some()
    }

    /// The specimen whose heading governs the test that begins at a token.
    fn of_test(&self, tokens: &[Token], at: usize) -> Option<&'static Specimen> {
        let word = tokens.get(at)?;
        self.0.get(at).copied().flatten().filter(|specimen| specimen.only.is_empty() || specimen.only.contains(&word.text))
    }

    /// The test of a specimen whose name begins at a token under its heading, one past its last word, and how the name counts.
    pub(super) fn test_at(&self, text: &str, tokens: &[Token], first: usize) -> Option<(&'static Analyte, usize, NameUse)> {
        let specimen = self.of_test(tokens, first)?;
        let word = tokens.get(first).filter(|token| !heading_words().blood.contains(&token.text))?;
        let whole = specimen.tests.iter().find_map(|prefix| {
            let mut name = tokenise(prefix);
            let begin = name.len();
            name.push(Token { after_break: false, after_stop: false, ..word.clone() });
            name.extend(tokens.iter().skip(first + 1).take(NAME).cloned());
            let (analyte, last, used) = named_at(text, &name, 0)?;
            (last > begin).then_some((analyte, first + last - begin, used))
        });
        // "白细胞" under 腹水: the other names of the same test.
        whole.or_else(|| {
            let (of_blood, last, used) = named_at(text, tokens, first)?;
            let names = of_blood.names.iter().flat_map(|name| specimen.tests.iter().map(move |prefix| format!("{prefix} {name}")));
            names.into_iter().find_map(|name| called(&name)).map(|analyte| (analyte, last, used))
        })
    }
}

/// Whether a result is of another specimen than blood, which its sentence names before it: "CSF lymphocytes high" is no lymphocytosis. The limits of blood
/// say nothing of it.
pub(super) fn is_of_other_fluid(text: &str, tokens: &[Token], result: &Measured) -> bool {
    let Some(start) = tokens.get(result.span.first).map(|token| token.start) else { return false };
    let sentence = text.get(..start).unwrap_or_default();
    let begin = sentence.rfind(['.', ';', '。', '；', '\n']).map_or(0, |at| at + 1);
    let before = sentence.get(begin..).unwrap_or_default().to_lowercase();
    let says = |word: &String| match word.is_ascii() {
        true => before.split(|c: char| !c.is_alphanumeric()).any(|said| said == word),
        false => before.contains(word),
    };
    let is_named = specimens().iter().flat_map(|specimen| &specimen.words).any(says);
    result.analyte.is_in_fluids() && (is_named || is_led_to_fluid(tokens, result.span.last))
}

/// How many words behind "in" may name the fluid: "WCC 90k in the joint fluid".
const FLUID_WITHIN: usize = 3;

/// Whether "in fluid" or the like stands right behind a result; not "in fluid overload".
fn is_led_to_fluid(tokens: &[Token], last: usize) -> bool {
    let joins = |at: usize| tokens.get(at).filter(|token| !token.after_break).map(|token| token.text.as_str());
    // A unit that is no part of the value may stand between: "90 k".
    let Some(begin) = (last..last + 2).find(|at| matches!(joins(*at), Some("in" | "on"))) else { return false };
    if begin > last && joins(last).is_none() {
        return false;
    }
    let is_fluid =
        |at: &usize| matches!(joins(*at), Some("fluid" | "aspirate" | "tap" | "csf" | "effusion" | "synovial" | "ascitic" | "pleural"));
    let is_whole = |at: &usize| (begin + 1..=*at).all(|between| joins(between).is_some());
    let is_other =
        |at: usize| matches!(joins(at + 1), Some("overload" | "balance" | "restriction" | "retention" | "resuscitation" | "challenge"));
    (begin + 1..=begin + FLUID_WITHIN).filter(is_whole).find(is_fluid).is_some_and(|at| !is_other(at))
}

/// One past the heading of these that begins at a token and ends with a colon.
fn heading_at(text: &str, tokens: &[Token], first: usize, headings: &[String]) -> Option<usize> {
    let says = |heading: &String| {
        let words = tokenise(heading);
        let said = tokens.get(first..first + words.len())?;
        said.iter().zip(&words).all(|(token, word)| token.text == word.text).then_some(first + words.len())
    };
    let past = headings.iter().filter_map(says).max()?;
    let is_colon = |at: usize| gap(text, tokens, at - 1).trim_start().starts_with([':', '：']);
    let may_stand = |at: usize| tokens.get(at).is_some_and(|token| heading_words().between.contains(&token.text));
    let end = (past..=past + TO_COLON).find(|at| is_colon(*at) || !may_stand(*at))?;
    (is_colon(end) && end < tokens.len()).then_some(end)
}

/// Whether a sentence ends between two tokens; the point of a number is within one token.
fn ends_sentence(between: &str) -> bool {
    between.contains(['.', ';', '。', '；', '\n', '!', '?', '！', '？'])
}
