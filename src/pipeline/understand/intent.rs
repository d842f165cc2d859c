//! What a question asks for: conditions, tests, treatments, cautions. Told by cue words
//! (`assets/intents.toml`), so that the answer leads with it.

use std::sync::LazyLock;

use serde::Deserialize;

use super::patient::Patient;
use super::wanted_drug::WantedDrug;
use crate::graph::EntityId;
use crate::language::direction::result_at;
use crate::language::phrase_pattern::words_of;
use crate::language::phrase_table::PhraseTable;
use crate::run::{AnswerPart, AskKind, CaseAsk, ResultDirection};
use crate::text::{Token, clause_around, tokenise};

/// The cue words of each thing that can be asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct CueFile {
    ask: Vec<Cues>,
    permission: Permission,
    told: Told,
    suspected: Vec<String>,
    signs: Asking,
    orders: Asking,
}

/// Words that ask for something.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asking {
    #[serde(deserialize_with = "crate::language::wordings::deserialize")]
    says: Vec<String>,
}

/// Words that ask whether something may be taken.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Permission {
    may: Phrases,
    verbs: Phrases,
    open: Phrases,
}

/// Words that tell what was from what is asked for, each list as the file says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    before: Phrases,
    just_before: Phrases,
    subjects: Phrases,
    verbs: Phrases,
    after: Phrases,
    compounds: Phrases,
    someone: Phrases,
    done: Phrases,
    ends_asking: Phrases,
    asking: Phrases,
    denies: Phrases,
}

/// Words or short phrases, folded.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "Vec<String>")]
struct Phrases(Vec<Vec<String>>);

impl From<Vec<String>> for Phrases {
    fn from(phrases: Vec<String>) -> Self {
        Self(phrases.iter().map(|phrase| tokenise(phrase).into_iter().map(|token| token.text).collect()).collect())
    }
}

impl Phrases {
    /// How many tokens the longest of them has that begins at this token and stays within its clause.
    fn at(&self, tokens: &[Token], at: usize) -> Option<usize> {
        let fits = |phrase: &&Vec<String>| {
            let here = tokens.get(at..at + phrase.len());
            here.is_some_and(|here| {
                here.iter().zip(phrase.iter()).enumerate().all(|(i, (token, word))| token.text == *word && (i == 0 || !token.after_break))
            })
        };
        self.0.iter().filter(fits).map(Vec::len).max()
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cues {
    kind: AskKind,
    #[serde(deserialize_with = "crate::language::wordings::deserialize")]
    cues: Vec<String>,
    /// Only in a sentence that asks, or in the last.
    #[serde(default)]
    terse: Vec<String>,
    /// Like `terse`, and only at the end of a clause: "Add?", "Replace with?".
    #[serde(default)]
    closing: Vec<String>,
}

/// Where a cue counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CueUse {
    Anywhere,
    Terse,
    Closing,
}

#[derive(Debug, Default)]
struct CueTable {
    /// What each cue asks for, and where it counts.
    cues: PhraseTable<(AskKind, CueUse)>,
    permission: Permission,
    told: Told,
    /// What stands before the condition that a question takes to be its own.
    suspected: Vec<Vec<String>>,
    signs: PhraseTable<()>,
    orders: PhraseTable<()>,
}

/// How far before a cue a word of `told.before` may stand that makes it a thing told: two others between.
const TOLD_WITHIN: usize = 3;
/// The same of `told.just_before`.
const JUST_BEFORE: usize = 2;
/// How many words after someone it may be said what he did with the thing.
const DONE_WITHIN: usize = 3;

static CUES: LazyLock<CueTable> = LazyLock::new(|| CueTable::parse(include_str!("../../../assets/intents.toml")).unwrap_or_default());

impl Asking {
    fn table(&self) -> PhraseTable<()> {
        PhraseTable::of_phrases(&self.says)
    }
}

impl CueTable {
    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let file: CueFile = toml::from_str(text)?;
        let terse = file.ask.iter().flat_map(|ask| ask.terse.iter().map(|cue| (cue.as_str(), (ask.kind, CueUse::Terse))));
        let closing = file.ask.iter().flat_map(|ask| ask.closing.iter().map(|cue| (cue.as_str(), (ask.kind, CueUse::Closing))));
        let cues = file.ask.iter().flat_map(|ask| ask.cues.iter().map(|cue| (cue.as_str(), (ask.kind, CueUse::Anywhere))));
        // "Whats" is how many write "what is".
        let short: Vec<(String, (AskKind, CueUse))> =
            cues.clone().filter_map(|(cue, means)| Some((format!("whats {}", cue.strip_prefix("what is ")?), means))).collect();
        // "What can I take" is asked for others, too.
        let for_others: Vec<(String, (AskKind, CueUse))> = cues
            .clone()
            .filter(|(cue, _)| cue.split(' ').any(|word| word == "i"))
            .flat_map(|(cue, means)| OTHERS.map(|other| (with_person(cue, other), means)))
            .collect();
        let short: Vec<(String, (AskKind, CueUse))> = short.into_iter().chain(for_others).collect();
        let signs = file.signs.says.iter().map(|cue| (cue.as_str(), (AskKind::Diagnosis, CueUse::Anywhere)));
        let cues =
            PhraseTable::of(cues.chain(terse).chain(closing).chain(signs).chain(short.iter().map(|(cue, means)| (cue.as_str(), *means))));
        Ok(Self {
            cues,
            permission: file.permission,
            told: file.told,
            suspected: file.suspected.iter().map(|cue| words_of(cue)).collect(),
            signs: file.signs.table(),
            orders: file.orders.table(),
        })
    }
}

/// Whether a question asks what a condition shows itself by: "the signs to look out for".
pub(crate) fn asks_for_signs(tokens: &[Token]) -> bool {
    !CUES.signs.find_all(tokens).is_empty()
}

/// Whether something is ordered to be told within these tokens: "list …".
pub(super) fn orders(tokens: &[Token], mut within: std::ops::Range<usize>) -> bool {
    within.any(|at| CUES.orders.at(tokens, at).is_some())
}

/// Where something is asked for: the first token of its cue, and one past the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AskedAt {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) kind: AskKind,
}

/// The part of the answer that a kind of question asks for.
pub(crate) fn part_of(kind: AskKind) -> Option<AnswerPart> {
    match kind {
        AskKind::Diagnosis | AskKind::Causes | AskKind::Prognosis => Some(AnswerPart::Conditions),
        AskKind::Tests | AskKind::Monitoring => Some(AnswerPart::Tests),
        AskKind::Treatment | AskKind::Prevention | AskKind::Dose => Some(AnswerPart::Treatments),
        AskKind::Safety | AskKind::Interactions | AskKind::Contraindications | AskKind::SideEffects => Some(AnswerPart::Cautions),
        AskKind::Other => None,
    }
}

/// What a question asks for, and of whom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Intent {
    /// The parts asked for, in the order of [`AnswerPart`]; empty when the question does not say.
    pub(crate) parts: Vec<AnswerPart>,
    /// What the question wants to prevent: it is to be avoided, not treated. Known once its names are linked.
    pub(crate) goals: Vec<EntityId>,
    /// The conditions that the question takes to be what it is about. Known once its names are linked.
    pub(crate) suspected: Vec<EntityId>,
    /// The drug that the question wants. Known once its names are linked.
    pub(crate) wanted: WantedDrug,
    /// Of whom it is asked.
    pub(crate) patient: Patient,
    /// For each token of the question whether it belongs to a cue.
    pub(crate) cue_tokens: Vec<bool>,
    /// Where each thing is asked for, in order.
    pub(crate) asked_at: Vec<AskedAt>,
}

impl Intent {
    /// Reads the intent of a question from its tokens.
    #[cfg(test)]
    pub(crate) fn of(tokens: &[Token]) -> Self {
        Self::read(tokens, |_| false, &[])
    }

    /// Reads the intent of a question. `asks`: whether a token stands in a sentence that asks, or in the last, where a word alone may ask;
    /// `drugs`: first and last token, and one more, of drugs whose names have several words.
    pub(crate) fn read(tokens: &[Token], asks: impl Fn(usize) -> bool, drugs: &[(usize, usize)]) -> Self {
        let mut intent = Self { cue_tokens: vec![false; tokens.len()], patient: Patient::of(tokens), ..Self::default() };
        for first in 0..tokens.len() {
            for found in CUES.cues.all_at(tokens, first) {
                let (kind, counts) = found.means;
                let terse = counts != CueUse::Anywhere;
                if terse && !asks(first) {
                    continue;
                }
                let Some(last) = found.own.last().map(|word| word + 1) else { continue };
                if counts == CueUse::Closing && tokens.get(last).is_some_and(|next| !next.after_break) {
                    continue;
                }
                // The "combined pill" is neither combined with anything nor asked for.
                if drugs.iter().any(|(from, to)| *from <= first && last <= *to && to - from > last - first) {
                    continue;
                }
                for word in found.own {
                    intent.cue_tokens[word] = true;
                }
                if kind == AskKind::Causes && intent.asks_why_of_answer(tokens, first) {
                    continue;
                }
                let is_done = kind == AskKind::Tests && has_result(tokens, first, last);
                let is_given = kind == AskKind::Dose && tells_doses(tokens, first);
                if !is_done && !is_given && (terse || !is_told(tokens, first, last, kind)) {
                    intent.asked_at.push(AskedAt { first, last, kind });
                }
            }
        }
        // What stands within a longer cue asks for nothing of its own: "side effects of the treatment".
        let all = intent.asked_at.clone();
        let is_within = |ask: &AskedAt| {
            all.iter().any(|other| other.first <= ask.first && ask.last <= other.last && other.last - other.first > ask.last - ask.first)
        };
        intent.asked_at.retain(|ask| !is_within(ask));
        intent.find_parts();
        intent
    }

    /// Whether a "why" asks for the reason of what is answered, and not for what causes a complaint: "is it safe? If not, why not?"
    fn asks_why_of_answer(&self, tokens: &[Token], first: usize) -> bool {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        let ends = tokens.get(first + 1).is_none_or(|next| next.after_break || matches!(next.text.as_str(), "or" | "and" | "not"));
        let asks_leave = |ask: &AskedAt| matches!(ask.kind, AskKind::Safety | AskKind::Interactions | AskKind::Contraindications);
        word(first) == "why" && (word(first + 1) == "not" || (ends && self.asked_at.iter().any(asks_leave)))
    }

    fn find_parts(&mut self) {
        self.parts = self.asked_at.iter().filter_map(|ask| part_of(ask.kind)).collect();
        self.parts.sort_unstable();
        self.parts.dedup();
    }

    /// Takes the parts from what the case asks for.
    pub(crate) fn take_asks(&mut self, asks: &[CaseAsk]) {
        self.parts = asks.iter().filter_map(|ask| part_of(ask.kind)).collect();
        self.parts.sort_unstable();
        self.parts.dedup();
    }

    /// What stands within a name asks for nothing: "drug abuse" for no drug. `names`: of findings and conditions, first and last token of each, and one more.
    pub(crate) fn without_names(&mut self, names: impl Iterator<Item = (usize, usize)>) {
        for (from, to) in names {
            self.asked_at.retain(|ask| ask.first < from || ask.last > to);
        }
        self.find_parts();
    }

    /// Whether a part is asked for.
    pub(crate) fn asks(&self, part: AnswerPart) -> bool {
        self.parts.contains(&part)
    }
}

/// Whether the sentence `first..last` asks if something may be taken, and where.
pub(crate) fn asks_permission(tokens: &[Token], first: usize, last: usize) -> Option<(usize, usize)> {
    let Permission { may, verbs, open } = &CUES.permission;
    (first..last).find_map(|at| {
        let length = may.at(tokens.get(..last)?, at)?;
        let is_open = (at.saturating_sub(4).max(first)..at).any(|before| open.at(tokens, before).is_some());
        let after = at + length;
        let verb = (after..last.min(after + 7)).find_map(|verb| Some(verb + verbs.at(tokens.get(..last)?, verb)?));
        verb.filter(|_| !is_open).map(|end| (at, end))
    })
}

/// The words that stand before the condition that a question takes to be its own.
pub(crate) fn suspected_cues() -> &'static [Vec<String>] {
    &CUES.suspected
}

/// Who may stand where a cue says "I".
const OTHERS: [&str; 4] = ["we", "he", "she", "they"];

/// A cue in the first person, asked for another.
fn with_person(cue: &str, other: &str) -> String {
    let words: Vec<&str> = cue.split(' ').map(|word| if word == "i" { other } else { word }).collect();
    words.join(" ")
}

/// Whether a word for doses only counts those that were given: "two doses of lorazepam given". Asked how many may be, nobody says how many.
fn tells_doses(tokens: &[Token], at: usize) -> bool {
    const COUNTS: [&str; 12] = ["one", "two", "three", "four", "five", "six", "both", "several", "multiple", "repeated", "full", "further"];
    const GIVEN: [&str; 10] = ["given", "received", "administered", "had", "got", "gave", "after", "despite", "already", "failed"];
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_dose = matches!(word(at), "dose" | "doses");
    let is_count = |word: &str| COUNTS.contains(&word) || word.parse::<u32>().is_ok();
    let is_counted =
        at.checked_sub(1).is_some_and(|before| is_count(word(before)) && !tokens.get(at).is_some_and(|token| token.after_break));
    let clause = clause_around(tokens, at);
    let is_given = clause.clone().any(|at| GIVEN.contains(&word(at)));
    let asks = clause.clone().any(|at| matches!(word(at), "how" | "what" | "which" | "should" | "can" | "may"));
    is_dose && is_counted && is_given && !asks
}

/// Whether the cue in tokens `first..last` tells of what was or is, and does not ask for it: "after some tests".
fn is_told(tokens: &[Token], first: usize, last: usize, kind: AskKind) -> bool {
    let Some(part) = part_of(kind) else { return false };
    let told = &CUES.told;
    if is_likely_to(tokens, last) {
        return true;
    }
    // From the clause's first word on.
    let begin = clause_around(tokens, first).start;
    if part == AnswerPart::Cautions && last > first + 1 {
        // Whoever asks what can be taken asks for a treatment.
        let open = |token: &Token| matches!(token.text.as_str(), "what" | "which" | "anything" | "something");
        return tokens[first].text == "can" && tokens[begin..first].iter().rev().take(TOLD_WITHIN).any(open);
    }
    let in_chinese = tokens[first..last].iter().all(|token| token.cjk);
    if last > first + 1 && !in_chinese && !is_improvement(tokens, last) {
        return false;
    }
    let goes_on = tokens.get(last).is_some_and(|token| !token.after_break);
    // "治疗3周": for how long.
    if in_chinese && goes_on && tokens.get(last).is_some_and(|token| super::times::number_of(&token.text).is_some()) {
        return true;
    }
    if goes_on && told.compounds.at(tokens, last).is_some() {
        return true;
    }
    if is_asked(tokens, begin, first) || (in_chinese && is_asked(tokens, first, last)) {
        return false;
    }
    if last > first + 1 && !in_chinese {
        return stands_before(tokens, begin, first, JUST_BEFORE, &told.denies);
    }
    let is_done_by = || {
        let verb = told.verbs.at(tokens, first).is_some();
        verb && stands_before(tokens, begin, first, 1, &told.subjects)
    };
    // A caution is asked for of what is taken or done.
    if part == AnswerPart::Cautions {
        return is_done_by();
    }
    stands_before(tokens, begin, first, TOLD_WITHIN, &told.before)
        || stands_before(tokens, begin, first, JUST_BEFORE, &told.just_before)
        || is_done_by()
        || (goes_on && (told.after.at(tokens, last).is_some() || clause_tells(tokens, last)))
}

/// Whether a word for tests has its result right behind it, so that nobody asks for it: "scans all clear", "breathing test spot on", 检查都正常.
fn has_result(tokens: &[Token], first: usize, last: usize) -> bool {
    let begin = clause_around(tokens, first).start;
    let in_chinese = tokens[first].cjk;
    if last > first + 1 && !in_chinese || is_asked(tokens, begin, first) {
        return false;
    }
    // "Tests for stable angina" has none.
    let leads =
        |token: &Token| matches!(token.text.as_str(), "for" | "in" | "to" | "of" | "with" | "if" | "when" | "while" | "during" | "before");
    let ends = |at: usize| {
        let goes_on = |next: &Token| {
            in_chinese || matches!(next.text.as_str(), "and" | "but" | "so" | "last" | "this" | "on" | "yesterday" | "today")
        };
        tokens.get(at).is_none_or(|next| next.after_break || goes_on(next))
    };
    let is_result = |at: usize| {
        let means = [ResultDirection::Normal, ResultDirection::Negative, ResultDirection::Positive];
        result_at(tokens, at).is_some_and(|found| means.contains(&found.means) && ends(found.last))
    };
    let behind = last..tokens.len().min(last + TOLD_WITHIN + 2);
    behind.take_while(|at| !tokens[*at].after_break && !leads(&tokens[*at])).any(is_result)
}

/// Whether a cue of several words that ends here speaks of getting better: "it does not get better" asks for nothing.
fn is_improvement(tokens: &[Token], last: usize) -> bool {
    matches!(tokens[last - 1].text.as_str(), "better" | "of")
}

/// Whether a cue that ends here asks what is likely to happen or to be done: "what is likely to interact".
fn is_likely_to(tokens: &[Token], last: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let goes_on = tokens.get(last).is_some_and(|token| !token.after_break);
    // "Likely to be gout", "likely to have gout": that is what it is.
    goes_on && word(last - 1) == "likely" && word(last) == "to" && !matches!(word(last + 1), "be" | "have")
}

/// Whether one of the phrases ends at most `within` tokens before token `first`, in the clause that begins at `begin`.
fn stands_before(tokens: &[Token], begin: usize, first: usize, within: usize, phrases: &Phrases) -> bool {
    (begin..first).any(|at| phrases.at(&tokens[..first], at).is_some_and(|length| at + length + within > first))
}

/// Whether something is asked before token `first` in the clause that begins at `begin`.
fn is_asked(tokens: &[Token], begin: usize, first: usize) -> bool {
    let told = &CUES.told;
    let ended = (begin..first).rev().find(|at| told.ends_asking.at(tokens, *at).is_some());
    (ended.map_or(begin, |at| at + 1)..first).any(|at| {
        let is_denied = || told.denies.at(tokens, at + 1).is_some() || (at > begin && told.denies.at(tokens, at - 1).is_some());
        // "I can feel" asks for nothing.
        let is_able =
            || at > begin && matches!(tokens[at].text.as_str(), "can" | "could" | "would") && told.someone.at(tokens, at - 1).is_some();
        told.asking.at(&tokens[..first], at).is_some() && !is_denied() && !is_able()
    })
}

/// Whether a clause begins at token `at` that tells of the thing before it: "(the medication) that I have been taking".
fn clause_tells(tokens: &[Token], at: usize) -> bool {
    let told = &CUES.told;
    let opens = |token: &Token| matches!(token.text.as_str(), "that" | "which" | "my" | "the" | "our");
    let who = (at..tokens.len()).take(3).find(|next| !opens(&tokens[*next]));
    let Some(who) = who.filter(|who| told.someone.at(tokens, *who).is_some()) else { return false };
    for next in who + 1..tokens.len().min(who + 1 + DONE_WITHIN) {
        if tokens[next].after_break || told.asking.at(tokens, next).is_some() || tokens[next].text == "to" {
            return false;
        }
        if told.done.at(tokens, next).is_some() {
            return true;
        }
    }
    false
}

#[cfg(test)]
#[path = "intent_tests.rs"]
mod tests;
