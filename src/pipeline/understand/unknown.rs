//! What was not understood: words that link to nothing, what they probably name, and whether the question is about them.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::asked_result::asks_of_effect;
use super::asks::Asked;
use super::eponym::{Eponym, EponymWords};
use super::layout::{Layout, Sentence, gap};
use super::likeness::has_failed;
use super::measured_unknown::is_measured;
use super::named::{Class, Named};
use super::offered_before::MeantBefore;
use super::recognised::RecognisedTypes;
use super::scope::WORDS;
use crate::language::common_words::is_common;
use crate::language::lab::is_name;
use crate::language::phrase_table::PhraseTable;
use crate::language::recognise::Span;
use crate::run::{AskKind, LikelyKind, NotUnderstood};
use crate::text::{Token, share_in_dictionary};

/// How far behind its cue a question's object may stand, in words.
const OBJECT_WITHIN: usize = 7;
/// The longest question that may follow another, in words.
const FOLLOW_UP_WORDS: usize = 16;
/// The share of a Chinese span's characters from which on it consists of everyday words, and names no drug.
const EVERYDAY: f64 = 0.5;
/// … if it has fewer characters than this.
const LONG_NAME: usize = 4;
/// The share from which on a longer one does.
const EVERYDAY_LONG: f64 = 0.75;
/// The shortest word that may be an unfamiliar one: shorter ones are mostly abbreviations.
const UNFAMILIAR: usize = 5;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    drug: Signs,
    condition: Signs,
    test: Signs,
    eponym: EponymWords,
    follow_up: FollowUp,
    drug_forms: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signs {
    endings: Vec<String>,
    before: Vec<String>,
    goes_on: Vec<String>,
    behind: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FollowUp {
    begins: Vec<String>,
    meant: MeantBefore,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/unknown.toml")).unwrap_or_default());

/// The words that mean what was named before.
pub(super) fn meant_before() -> &'static MeantBefore {
    &FILE.follow_up.meant
}

/// The words by which names that nobody knows are known.
pub(super) fn eponym_words() -> &'static EponymWords {
    &FILE.eponym
}

/// Phrases right before and right behind a word that tell its kind.
static BESIDE: LazyLock<[PhraseTable<LikelyKind>; 2]> = LazyLock::new(|| {
    let file = &*FILE;
    let kinds = [(&file.drug, LikelyKind::Drug), (&file.condition, LikelyKind::Condition), (&file.test, LikelyKind::Test)];
    let before = PhraseTable::of(kinds.iter().flat_map(|(signs, kind)| signs.before.iter().map(move |word| (word.as_str(), *kind))));
    let behind = PhraseTable::of(kinds.iter().flat_map(|(signs, kind)| signs.behind.iter().map(move |word| (word.as_str(), *kind))));
    [before, behind]
});
static FOLLOWS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&FILE.follow_up.begins));

/// Words that everybody knows, and medical ones: the vocabulary of the built-in encoder, and what it lacks of everyday words. A
/// name that is not among them is unfamiliar.
static FAMILIAR: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let everyday = EVERYDAY_WORDS.iter().copied();
    catena_encoder::VOCABULARY.lines().filter(|word| !word.starts_with("##")).chain(everyday).collect()
});
static EVERYDAY_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../../assets/common/everyday.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

/// Whether a word is in no vocabulary: an invented or very rare name.
pub(crate) fn is_unfamiliar(token: &Token) -> bool {
    let word = token.text.as_str();
    let singular = word.strip_suffix('s').unwrap_or(word);
    let known = |word: &str| FAMILIAR.contains(word);
    let inflected = ["ed", "ing", "ly", "er", "es", "d"]
        .iter()
        .any(|ending| word.strip_suffix(ending).is_some_and(|stem| known(stem) || known(&format!("{stem}e"))));
    !token.cjk
        && !crate::language::common_words::is_common(word)
        && word.len() >= UNFAMILIAR
        && word.chars().all(char::is_alphabetic)
        && !known(word)
        && !known(singular)
        && !inflected
}

/// Whether a word is what names of diseases end with: "syndrome", "dystrophy", "meningitis".
pub(super) fn is_disease_head(token: &Token) -> bool {
    let word = token.text.as_str();
    let is_one = |word: &str| {
        FILE.condition.behind.iter().any(|head| head == word) || FILE.condition.endings.iter().any(|end| word.ends_with(end.as_str()))
    };
    !token.cjk && word.len() > UNFAMILIAR && (is_one(word) || word.strip_suffix('s').is_some_and(is_one))
}

/// What words `span` probably name.
fn likely_kind(tokens: &[Token], span: Span) -> Option<LikelyKind> {
    let word = tokens.get(span.last.checked_sub(1)?)?;
    let written: String = tokens.get(span.first..span.last)?.iter().map(|token| token.text.as_str()).collect();
    let ends = |signs: &Signs| {
        let text = if word.cjk { written.as_str() } else { word.text.as_str() };
        let longest = if word.cjk { 2 } else { 6 };
        signs.endings.iter().any(|ending| {
            text.ends_with(ending.as_str()) && text.chars().count() > ending.chars().count() && (word.cjk || text.len() >= longest)
        })
    };
    let file = &*FILE;
    let [before, behind] = &*BESIDE;
    let by_ending = || match () {
        () if ends(&file.condition) => Some(LikelyKind::Condition),
        () if ends(&file.test) => Some(LikelyKind::Test),
        () if ends(&file.drug) => Some(LikelyKind::Drug),
        () => None,
    };
    // "X 20 mg": an amount may stand between.
    let is_amount =
        |at: usize| tokens.get(at).is_some_and(|token| token.text.starts_with(|c: char| c.is_ascii_digit()) && !token.after_break);
    let next = if is_amount(span.last) && tokens.get(span.last + 1).is_some() { span.last + 1 } else { span.last };
    let glued = tokens.get(span.last).is_some_and(|token| {
        !token.after_break
            && (token.text.ends_with("mg") || token.text.ends_with("mcg"))
            && token.text.starts_with(|c: char| c.is_ascii_digit())
    });
    let apart = tokens.get(span.last).is_some_and(|token| token.after_break);
    // "One oval pinky patch" is of the skin: what may be a form of a drug or not makes a drug of an unfamiliar word only.
    let is_new = tokens.get(span.first..span.last)?.iter().any(|token| is_unfamiliar(token) || token.cjk);
    let may_be_form =
        |at: usize| is_new || !tokens.get(at).is_some_and(|token| matches!(token.text.as_str(), "patch" | "patches" | "drops" | "spray"));
    let by_next = || {
        let found = behind.at(tokens, next).filter(|_| !apart && may_be_form(next));
        found.map(|found| found.means).or(glued.then_some(LikelyKind::Drug))
    };
    let first = tokens.get(span.first)?;
    let by_before = || {
        let begin = span.first.saturating_sub(3);
        let unknown = tokens.get(span.first..span.last)?.iter().any(is_unfamiliar) || first.cjk;
        // 吃完饭: the verb goes on, and names nothing.
        let goes_on = [&file.drug, &file.condition, &file.test].iter().any(|signs| signs.goes_on.contains(&first.text));
        (begin..span.first)
            .take_while(|_| !goes_on)
            .find_map(|at| before.at(tokens, at).filter(|found| found.last == span.first && !first.after_break && unknown))
            .map(|found| found.means)
    };
    let likely = by_next().or_else(by_ending).or_else(by_before);
    // 用杯子, 吃了立马, 一大片: words that everybody knows. A longer one is taken for a name: to overlook a drug is worse.
    let is_everyday = || is_form(&written) || (written.chars().count() < LONG_NAME && share_in_dictionary(&written) >= EVERYDAY);
    // "Started Saturday 20 mg", "since April", "accept": a day, a month and a word that only ends like a drug are none.
    let is_plain = || span.last == span.first + 1 && !first.cjk && (is_common(&first.text) || is_no_drug(&first.text));
    likely.filter(|kind| !(*kind == LikelyKind::Drug && (first.cjk && is_everyday() || is_plain())))
}

/// Whether a word is no drug, however it ends and whatever stands beside it: a day, a month, an everyday word.
fn is_no_drug(word: &str) -> bool {
    const ENDS_SO: [&str; 5] = ["accept", "concept", "except", "intercept", "thermostat"];
    let is_everyday = |word: &str| EVERYDAY_WORDS.contains(word);
    let singular = word.strip_suffix('s').unwrap_or(word);
    FILE.eponym.no_names.iter().any(|no| no == word) || ENDS_SO.contains(&singular) || is_everyday(word) || is_everyday(singular)
}

/// What words that were not understood probably name, by the words themselves and those beside them, else by the recogniser.
pub(super) fn unknown_kind(tokens: &[Token], span: Span, types: &RecognisedTypes) -> Option<LikelyKind> {
    likely_kind(tokens, span).or_else(|| types.kind(span)).filter(|_| !is_of_prescribing(tokens, span))
}

/// Whether a word only says how a drug is given, or who gave it: "UFH sc tds", "the locum gave".
fn is_of_prescribing(tokens: &[Token], span: Span) -> bool {
    const ROUTES: [&str; 11] = ["sc", "im", "iv", "po", "pr", "sl", "neb", "nebs", "subcut", "nocte", "mane"];
    let word = tokens.get(span.first).filter(|_| span.last == span.first + 1);
    word.is_some_and(|word| ROUTES.contains(&word.text.as_str()) || WORDS.opinions.who.contains(&word.text))
}

/// Whether what stands before the form of a Chinese drug is made of everyday words: 腹部平(片), 每天两(片).
pub(super) fn is_everyday_drug(name: &str) -> bool {
    let least = if name.chars().count() < LONG_NAME { EVERYDAY } else { EVERYDAY_LONG };
    is_form(name) || share_in_dictionary(name) >= least
}

/// Whether a Chinese text says only how a drug is made up: 缓释片.
fn is_form(text: &str) -> bool {
    FILE.drug_forms.iter().any(|form| text == form || text.strip_suffix('片').or(text.strip_suffix("胶囊")) == Some(form))
}

/// What a clause begins with that asks, and Chinese characters that ask.
const ASKS: [&str; 23] = [
    "what", "whats", "which", "how", "hows", "is", "are", "does", "do", "did", "can", "could", "should", "will", "would", "who", "when",
    "where", "why", "any", "anyone", "explain", "may",
];
const ASKS_CHINESE: &str = "吗么怎如何哪几谁";

/// What people ask about beside a drug in general: no drug is called so.
const TAKEN_WITH_DRUGS: [&str; 4] = ["drink", "drinks", "meal", "meals"];

/// What was not understood: `leftovers`, without what `is_read` says was read otherwise. `types`: what the recogniser says of unknown words.
pub(super) fn not_understood(
    text: &str,
    tokens: &[Token],
    (layout, named, asks): (&Layout, &[Named], &[Asked]),
    (leftovers, types): (&[Span], &RecognisedTypes),
    is_read: impl Fn(usize) -> bool,
) -> Vec<NotUnderstood> {
    let mut all = Vec::new();
    let has_drug = named.iter().any(|named| named.class == Class::Drug);
    for span in types.part(pieces(text, tokens, leftovers, is_read)) {
        let (Some(first), Some(last)) = (tokens.get(span.first), span.last.checked_sub(1).and_then(|at| tokens.get(at))) else { continue };
        let Some(words) = text.get(first.start..last.end) else { continue };
        // "Oluwaseun's asthma": somebody has what is known; a disease called after somebody is unknown as a whole.
        let is_owner = span.last == span.first + 1
            && words.ends_with("'s")
            && named.iter().any(|named| named.class == Class::Condition && named.span.first == span.last);
        // "My blood test" names a test, of which the result is told.
        let is_of_test = || tokens.get(span.last).is_some_and(|next| !next.after_break && is_name(&format!("{words} {}", next.text)));
        if is_owner || is_of_test() || TAKEN_WITH_DRUGS.contains(&words.to_lowercase().as_str()) {
            continue;
        }
        let likely = unknown_kind(tokens, span, types);
        let unfamiliar = tokens.get(span.first..span.last).unwrap_or_default().iter().any(is_unfamiliar);
        let is_subject = asks.iter().any(|ask| is_subject(ask, (layout, named), tokens, span, (likely, unfamiliar), has_drug));
        let is_drug = likely == Some(LikelyKind::Drug) && (unfamiliar || first.cjk);
        let is_subject = is_subject || (asks.is_empty() && is_drug && is_asked_of(layout, tokens, span));
        let is_subject = is_subject && !has_failed(tokens, span);
        let likely = likely.or_else(|| is_measured(text, tokens, span).then_some(LikelyKind::Test));
        let likely = likely.or(unfamiliar.then_some(LikelyKind::Other));
        all.push(NotUnderstood {
            text: words.to_owned(),
            likely,
            start: first.start,
            end: last.end,
            subject: is_subject,
            passage: false,
            may_mean: Vec::new(),
        });
    }
    all
}

/// A term that is unknown as a whole. A disease that the question names is what its care is asked of, unless that names another
/// (`names_another`).
pub(super) fn unknown_term(
    text: &str,
    tokens: &[Token],
    (layout, named, asks): (&Layout, &[Named], &[Asked]),
    eponym: Eponym,
    names_another: impl Fn(&Asked) -> bool,
) -> Option<NotUnderstood> {
    let span = eponym.span;
    let (first, last) = (tokens.get(span.first)?, span.last.checked_sub(1).and_then(|at| tokens.get(at))?);
    let has_drug = named.iter().any(|named| named.class == Class::Drug);
    let is_care = |ask: &Asked| {
        let is_of_condition = eponym.kind == LikelyKind::Condition && !names_another(ask);
        is_of_condition
            && match ask.kind {
                AskKind::Treatment | AskKind::Tests | AskKind::Causes | AskKind::Prognosis | AskKind::Prevention => true,
                AskKind::Diagnosis => layout.is_one_sentence(ask.first, span.first) && ask.of.is_empty(),
                _ => false,
            }
    };
    let is_meant = |ask: &Asked| is_care(ask) || is_subject(ask, (layout, named), tokens, span, (Some(eponym.kind), true), has_drug);
    Some(NotUnderstood {
        text: text.get(first.start..last.end)?.to_owned(),
        likely: Some(eponym.kind),
        start: first.start,
        end: last.end,
        subject: asks.iter().any(is_meant) || (asks.is_empty() && is_asked_of(layout, tokens, span)),
        ..NotUnderstood::default()
    })
}

/// Whether an ask is about words that were not understood.
fn is_subject(
    ask: &Asked,
    (layout, named): (&Layout, &[Named]),
    tokens: &[Token],
    span: Span,
    (likely, unfamiliar): (Option<LikelyKind>, bool),
    has_drug: bool,
) -> bool {
    let in_sentence = layout.is_one_sentence(ask.first, span.first);
    let behind = span.first >= ask.first && span.first <= ask.last + OBJECT_WITHIN;
    let before = span.last <= ask.first && span.last + 3 >= ask.first;
    let chinese = tokens.get(span.first).is_some_and(|token| token.cjk);
    let is_drug = likely == Some(LikelyKind::Drug);
    let asked_in = layout.sentence(ask.first);
    let asked_next = is_drug && unfamiliar && asked_in.first == layout.sentence(span.first).last;
    match ask.kind {
        AskKind::Safety
        | AskKind::Interactions
        | AskKind::Contraindications
        | AskKind::SideEffects
        | AskKind::Dose
        | AskKind::Monitoring => {
            let named_here = in_sentence && (is_drug || (unfamiliar && !chinese && is_object(tokens, span.first)));
            // "He takes cardivaxolin 40 mg. Can he have it with apixaban?": "it" is the unknown drug.
            let is_meant = || asked_next && (stands_for(asked_in, tokens) || names_nothing(asked_in, named));
            named_here || (is_drug && ask.of.is_empty() && !has_drug) || is_meant()
        }
        AskKind::Treatment | AskKind::Tests | AskKind::Causes | AskKind::Prognosis | AskKind::Prevention | AskKind::Diagnosis => {
            let is_named = unfamiliar || (ask.of.is_empty() && matches!(likely, Some(LikelyKind::Condition)) && !chinese);
            let is_here = in_sentence
                && (before || behind && (is_object(tokens, span.first) || likely.is_some_and(|kind| kind != LikelyKind::Other)))
                && is_named;
            // "Start cardivaxolin 10 mg. Does it raise the potassium?"
            is_here || (asked_next && stands_for(asked_in, tokens) && asks_of_effect(tokens, &asked_in))
        }
        AskKind::Other => false,
    }
}

/// Whether a sentence names no drug or condition of its own: "Started on Brelozitamide. Any interaction?"
fn names_nothing(sentence: Sentence, named: &[Named]) -> bool {
    let is_of = |named: &&Named| {
        matches!(named.class, Class::Drug | Class::Condition) && (sentence.first..sentence.last).contains(&named.span.first)
    };
    !named.iter().any(|named| is_of(&named))
}

/// Whether something is asked of a name that nobody knows by words that are no cue: in its sentence or the one behind it.
/// "Commence felotranib. Does it raise K?"
fn is_asked_of(layout: &Layout, tokens: &[Token], span: Span) -> bool {
    let own = layout.sentence(span.first);
    let asks = |sentence: Sentence| {
        let is_begun = |at: usize| at == sentence.first || tokens.get(at).is_some_and(|token| token.after_break);
        let asks_by = |at: usize| {
            tokens.get(at).is_some_and(|token| {
                if token.cjk { ASKS_CHINESE.contains(token.text.as_str()) } else { is_begun(at) && ASKS.contains(&token.text.as_str()) }
            })
        };
        sentence.asks || (sentence.first..sentence.last).any(asks_by)
    };
    asks(own) || own.last < tokens.len() && asks(layout.sentence(own.last))
}

/// Whether a sentence speaks of what the one before it named.
fn stands_for(sentence: Sentence, tokens: &[Token]) -> bool {
    let words = tokens.get(sentence.first..sentence.last).unwrap_or_default();
    words.iter().any(|word| matches!(word.text.as_str(), "it" | "its" | "this" | "them"))
}

/// Whether a word is the object of one that takes a name: "of X", "with X", "for type 3 X", "is X safe".
fn is_object(tokens: &[Token], first: usize) -> bool {
    let is_grade = |token: &Token| {
        matches!(token.text.as_str(), "type" | "stage" | "grade" | "a" | "an" | "acute" | "chronic" | "severe" | "new")
            || token.text.starts_with(|c: char| c.is_ascii_digit())
    };
    let before = (0..first).rev().find(|at| !tokens.get(*at).is_some_and(is_grade));
    let leads = |token: &Token| {
        matches!(
            token.text.as_str(),
            "of" | "to"
                | "for"
                | "with"
                | "on"
                | "take"
                | "taking"
                | "give"
                | "giving"
                | "use"
                | "using"
                | "add"
                | "start"
                | "is"
                | "are"
                | "does"
                | "and"
                | "or"
                | "between"
                | "about"
                | "confirm"
                | "confirms"
                | "causes"
                | "cause"
                | "treat"
                | "treats"
                | "prevent"
                | "diagnose"
                | "interact"
                | "plus"
                | "stop"
        )
    };
    before.is_none_or(|at| tokens.get(at).is_some_and(leads))
        && tokens.get(first).is_some_and(|token| !token.after_break || before.is_none())
}

/// The leftover spans without the words that were read otherwise.
fn pieces(text: &str, tokens: &[Token], leftovers: &[Span], is_read: impl Fn(usize) -> bool) -> Vec<Span> {
    let mut all: Vec<Span> = Vec::new();
    for leftover in leftovers {
        for at in leftover.first..leftover.last {
            let Some(token) = tokens.get(at) else { continue };
            let is_number = token.text.starts_with(|c: char| c.is_ascii_digit());
            let is_letter = token.text.chars().count() == 1 && !token.cjk;
            if is_read(at) || is_number || is_letter {
                continue;
            }
            match all.last_mut() {
                // What a slash or bracket parts is not one name.
                Some(span)
                    if span.last == at
                        && span.first >= leftover.first
                        && !gap(text, tokens, at - 1).contains(['/', '(', ')', '"', '“']) =>
                {
                    span.last = at + 1
                }
                _ => all.push(Span { first: at, last: at + 1 }),
            }
        }
    }
    all.retain(|span| span.last > span.first + 1 || tokens.get(span.first).is_some_and(|token| !token.cjk));
    all
}

/// Whether a question reads like one that follows another: "and if she is pregnant?", "what about children?".
pub(super) fn looks_like_follow_up(tokens: &[Token]) -> bool {
    let is_short = tokens.len() <= FOLLOW_UP_WORDS;
    let ends_so =
        tokens.len() <= 10 && tokens.first().is_some_and(|token| token.cjk) && tokens.last().is_some_and(|token| token.text == "呢");
    is_short && (FOLLOWS.at(tokens, 0).is_some() || ends_so)
}

#[cfg(test)]
#[path = "unknown_tests.rs"]
mod tests;
