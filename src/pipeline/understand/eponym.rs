//! Diseases and drugs that are called by a name that nobody knows: "Perrin-Holloway fever", 赫兰登-韦氏综合征, 瑞索芬他汀. The whole term is unknown:
//! it is neither a fever nor a statin, and nothing that resembles it may stand for it. The words are `eponym` in `assets/unknown.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::gap;
use super::recognised::RecognisedTypes;
use super::unknown::{eponym_words, is_disease_head, is_everyday_drug, is_unfamiliar};
use crate::graph::EvolvingNames;
use crate::language::common_words::is_common;
use crate::language::misspelling::Spellings;
use crate::language::phrase_table::PhraseTable;
use crate::language::recognise::Span;
use crate::run::LikelyKind;
use crate::text::{Token, tokenise};

/// The most words of an English name before its head, and the most characters of a Chinese one.
const WORDS: usize = 4;
const CHARACTERS: usize = 12;
/// How far before it a known name may begin.
const BEFORE: usize = 6;
/// How many characters that transliterate must stand before a short head.
const TRANSLITERATED: usize = 3;
/// The fewest letters of a word that names somebody.
const LETTERS: usize = 5;
/// How many characters may stand between such a name and its short head: 塔尔博特肌炎, 林德氏肾小管热.
const BETWEEN: usize = 4;
/// How many words may stand between a name in the possessive and a head: "Quillan's marrow fever".
const BETWEEN_OWNED: usize = 2;
/// How many characters of a surname may stand before the one that 氏 stands behind.
const SURNAME: usize = 3;
/// The most characters of a Chinese drug before its form, and the fewest.
const FORMED: usize = 8;
const FORMED_LEAST: usize = 3;

/// The words by which such names are known.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EponymWords {
    heads: Vec<String>,
    leads: Vec<String>,
    leads_names: Vec<String>,
    chinese_heads: Vec<String>,
    chinese_short_heads: Vec<String>,
    chinese_drug_heads: Vec<String>,
    chinese_forms: Vec<String>,
    transliterates: String,
    transliterates_drugs: String,
    stops_drugs: String,
    stops_between: String,
    goes_on: String,
    no_forms: String,
    particles: String,
    pub(super) no_names: Vec<String>,
}

static LEADS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&eponym_words().leads));

/// A term that is unknown as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Eponym {
    pub(super) span: Span,
    pub(super) kind: LikelyKind,
}

/// The unknown terms of a text. `tokens`: with misspelt words corrected, and as they are written. `names`: those of the graph.
pub(super) fn eponyms(
    text: &str,
    (tokens, as_written): (&[Token], &[Token]),
    names: EvolvingNames<'_>,
    spellings: &Spellings,
    types: &RecognisedTypes,
) -> Vec<Eponym> {
    let reader = EponymReader { text, tokens, as_written, names, spellings };
    let mut all: Vec<Eponym> = types.conditions().filter_map(|span| reader.recognised(span)).collect();
    for head in 0..tokens.len() {
        let found = reader.english(head).or_else(|| reader.chinese(head));
        let is_apart = |found: &Eponym| all.iter().all(|other| other.span.last <= found.span.first || found.span.last <= other.span.first);
        all.extend(found.filter(is_apart));
    }
    all.sort_by_key(|eponym| eponym.span.first);
    all
}

/// Whether words that were not understood name a disease as a whole, not only a part of it.
pub(super) fn names_disease(text: &str) -> bool {
    let words = eponym_words();
    let tokens = tokenise(text);
    let ends_so = |heads: &[String]| heads.iter().any(|head| text.ends_with(head.as_str()));
    tokens.len() > 1
        && (tokens.last().is_some_and(|last| words.heads.contains(&last.text))
            || ends_so(&words.chinese_heads)
            || ends_so(&words.chinese_short_heads))
}

struct EponymReader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The same before misspelt words were corrected.
    as_written: &'a [Token],
    names: EvolvingNames<'a>,
    spellings: &'a Spellings,
}

impl EponymReader<'_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    fn written(&self, at: usize) -> &str {
        self.token(at).and_then(|token| self.text.get(token.start..token.end)).unwrap_or_default()
    }

    /// Whether words that begin at token `first`, or near it, name something that goes on to token `head` or ends right before it.
    fn is_known(&self, first: usize, head: usize) -> bool {
        (first.saturating_sub(BEFORE)..head).any(|at| self.names.longest_at(self.tokens, at).is_some_and(|hit| hit.last >= head))
    }

    /// What the recogniser takes for one disease, if it begins with a name that nobody knows: of "Torvald nodular gastrosis" or
    /// "Harlow-type diabetic neuropathy" no part is the disease that it resembles. "Khadija's asthma" is asthma.
    fn recognised(&self, span: Span) -> Option<Eponym> {
        let words = eponym_words();
        let first = (span.first..span.last).find(|at| !self.token(*at).is_some_and(|token| is_grade(&token.text)))?;
        let is_named = |at: usize| {
            let written = self.written(at);
            let is_capital = written.starts_with(char::is_uppercase) && written.chars().any(char::is_lowercase);
            is_capital && self.as_written.get(at).is_some_and(is_unfamiliar) && self.is_name_like(at, span.last)
        };
        let is_joined = first + 2 < span.last && gap(self.text, self.tokens, first).contains(['-', '–']);
        let name = if is_named(first) || is_joined && is_named(first + 1) { first } else { return None };
        let rest = if is_joined { name + 2 } else { name + 1 };
        let is_broken = (name + 1..span.last).any(|at| self.token(at).is_none_or(|token| token.after_break || token.cjk));
        let is_known = (name..rest).any(|at| self.is_known(name, at + 1));
        if rest >= span.last || is_broken || is_known {
            return None;
        }
        let is_whole_known = self.names.longest_at(self.tokens, rest).is_some_and(|hit| hit.last >= span.last);
        let last = self.token(span.last - 1)?;
        let is_disease = is_whole_known
            || is_disease_head(last)
            || words.heads.contains(&last.text)
            || self.as_written.get(span.last - 1).is_some_and(is_unfamiliar)
            || (rest..span.last).any(|at| self.names.longest_at(self.tokens, at).is_some_and(|hit| hit.last >= span.last));
        let is_owned = self.written(name).contains(['\'', '’']);
        let before = name.checked_sub(1).and_then(|at| self.token(at)).filter(|_| !self.token(name).is_some_and(|t| t.after_break));
        let leads = (name.saturating_sub(2)..name).any(|at| LEADS.at(self.tokens, at).is_some_and(|found| found.last == name));
        let leads = leads || before.is_some_and(|token| words.leads_names.contains(&token.text));
        // "Mrs Okonkwo gout", "Khadija's bad eczema": a person has what is known.
        let is_patient = is_owned && is_whole_known && !leads;
        (is_disease && !is_patient).then_some(Eponym { span: Span { first: name, last: span.last }, kind: LikelyKind::Condition })
    }

    fn english(&self, head: usize) -> Option<Eponym> {
        let words = eponym_words();
        let token = self.token(head).filter(|token| !token.after_break && words.heads.contains(&token.text))?;
        let begins = |first: usize| self.is_name_like(first, head) && !self.token(first + 1).is_some_and(|next| next.after_break);
        let mut first = head;
        while first > 0 && head - first < WORDS && begins(first - 1) {
            first -= 1;
        }
        // "Quillan's marrow fever": between somebody's name and the head stand ordinary words.
        let owner = if first == head { Some(self.owner_before(head)?) } else { None };
        let first = owner.unwrap_or(first);
        if self.is_known(first, head) {
            return None;
        }
        let is_fever = token.text == "fever";
        let is_joined = first + 1 < head && gap(self.text, self.tokens, first).contains(['-', '–']);
        let is_new = (first..head).any(|at| self.as_written.get(at).is_some_and(is_unfamiliar));
        let is_capital = self.written(first).starts_with(char::is_uppercase);
        let is_owned = self.written(head - 1).contains(['\'', '’']);
        let before = first.checked_sub(1).and_then(|at| self.token(at)).filter(|_| !self.token(first).is_some_and(|t| t.after_break));
        let leads = (first.saturating_sub(2)..first).any(|at| LEADS.at(self.tokens, at).is_some_and(|found| found.last == first));
        let leads_name = leads || before.is_some_and(|token| words.leads_names.contains(&token.text));
        let is_named = match () {
            () if is_joined => is_capital || is_new || leads_name,
            () if owner.is_some() => is_new && leads_name,
            // "Sarah's fever".
            () if is_fever && is_owned => is_new && leads_name,
            () if is_capital && before.is_some() => leads_name,
            () if is_capital => is_new || !is_fever,
            () => is_new && leads,
        };
        is_named.then_some(Eponym { span: Span { first, last: head + 1 }, kind: LikelyKind::Condition })
    }

    /// The name that nobody knows, in the possessive, from which one or two ordinary words lead to a head.
    fn owner_before(&self, head: usize) -> Option<usize> {
        let is_apart = |from: usize| (from + 1..head).any(|at| self.token(at).is_none_or(|token| token.after_break || token.cjk));
        (2..=BETWEEN_OWNED + 1)
            .filter_map(|back| head.checked_sub(back))
            .find(|at| self.written(*at).contains(['\'', '’']) && self.is_name_like(*at, head) && !is_apart(*at))
    }

    /// Whether a word before a head may be a name that nobody knows.
    fn is_name_like(&self, at: usize, head: usize) -> bool {
        let (Some(token), Some(corrected)) = (self.as_written.get(at), self.token(at)) else { return false };
        if token.cjk || !token.text.chars().all(char::is_alphabetic) {
            return false;
        }
        let word = token.text.as_str();
        let written = self.written(at);
        let is_stressed = written.chars().filter(|c| c.is_alphabetic()).count() > 1 && !written.chars().any(char::is_lowercase);
        let is_capital = written.starts_with(char::is_uppercase) && !is_stressed;
        let beside_hyphen = (at + 1 < head && gap(self.text, self.tokens, at).contains(['-', '–']))
            || at.checked_sub(1).is_some_and(|before| gap(self.text, self.tokens, before).trim() == "-");
        // A word that looks like another is a name only where it is written as one: "haemoragic fever" is misspelt.
        if corrected.text != *word && !(is_capital && at > 0 && !token.after_break) {
            return false;
        }
        let stem = word.strip_suffix('s').filter(|_| written.contains(['\'', '’'])).unwrap_or(word);
        let is_word = is_common(stem) || is_common(word) || eponym_words().no_names.iter().any(|no| no == word || no == stem);
        // "Bexley-Morton" is not Morton's neuroma.
        let is_joined_to_new = beside_hyphen
            && is_capital
            && [at.checked_sub(1), Some(at + 1)].into_iter().flatten().any(|beside| self.as_written.get(beside).is_some_and(is_unfamiliar));
        let is_in_names = self.spellings.begins_a_name(stem) && !is_joined_to_new;
        !is_word && stem.len() >= LETTERS && !is_in_names && (is_unfamiliar(token) || is_capital || beside_hyphen)
    }

    fn chinese(&self, at: usize) -> Option<Eponym> {
        let words = eponym_words();
        let head = |heads: &[String]| {
            let length = |head: &String| {
                let chars: Vec<char> = head.chars().collect();
                let fits = chars
                    .iter()
                    .enumerate()
                    .all(|(i, c)| self.token(at + i).is_some_and(|token| token.cjk && token.text.chars().eq([*c]) && !token.after_break));
                fits.then_some(chars.len())
            };
            heads.iter().find_map(length)
        };
        let is_open = |from: usize| !self.is_known(from, at);
        let transliterates =
            |at: usize| self.token(at).is_some_and(|token| token.cjk && token.text.chars().all(|c| words.transliterates.contains(c)));
        // How far such characters go back, over hyphens.
        let run = |stops: &dyn Fn(usize) -> bool| {
            let mut first = at;
            while first > 0 && at - first < CHARACTERS && !self.token(first).is_some_and(|token| token.after_break) && !stops(first - 1) {
                first -= 1;
            }
            first
        };
        let condition = |first: usize, length: usize| Eponym { span: Span { first, last: at + length }, kind: LikelyKind::Condition };
        if let Some(length) = head(&words.chinese_heads) {
            let stops = |at: usize| {
                self.token(at)
                    .is_none_or(|token| is_common(&token.text) && !token.cjk || token.text.chars().any(|c| words.particles.contains(c)))
            };
            let first = run(&stops);
            return (at - first > 1 && is_open(first)).then(|| condition(first, length));
        }
        if let Some(found) = self.chinese_drug(at, &head) {
            return Some(found);
        }
        let length = head(&words.chinese_short_heads)?;
        let is_of_somebody = at.checked_sub(1).and_then(|before| self.token(before)).is_some_and(|token| token.text == "氏");
        let first = run(&|at: usize| !transliterates(at) && self.token(at).is_none_or(|token| token.text != "氏"));
        let is_long = at - first >= if is_of_somebody { 2 } else { TRANSLITERATED };
        if is_long {
            return is_open(first).then(|| condition(first, length));
        }
        // Between the name and the head, other characters may stand: 塔尔博特肌炎, 杭氏肺盾病.
        let is_between = |at: usize| {
            let stops = |c: char| words.particles.contains(c) || words.stops_between.contains(c);
            self.token(at).is_some_and(|token| token.cjk && !token.after_break && !token.text.chars().any(stops))
        };
        let ends = (1..=BETWEEN).map_while(|back| at.checked_sub(back).filter(|at| is_between(*at)));
        let ends: Vec<usize> = ends.collect();
        let is_somebody = |end: usize| {
            let is_shi = self.token(end - 1).is_some_and(|token| token.text == "氏");
            let name = if is_shi { end - 1 } else { end };
            let is_one_word = |at: usize| at + 1 == name || !self.token(at + 1).is_some_and(|token| token.after_break);
            let begin = (0..name).rev().take_while(|at| transliterates(*at) && is_one_word(*at)).take(CHARACTERS).last();
            // 氏 stands behind one character of any surname.
            let begin = begin.or_else(|| name.checked_sub(1).filter(|at| is_shi && is_between(*at)));
            begin.filter(|begin| is_shi || end - begin >= TRANSLITERATED)
        };
        let begin = ends.into_iter().filter(|end| *end > 0).find_map(is_somebody)?;
        let covers = |begin: usize| (begin.saturating_sub(BEFORE)..at).any(|from| self.covers(from, begin));
        let is_known_without = (begin.saturating_sub(SURNAME)..=begin).any(|from| self.is_known_without(from, at + length));
        (!covers(begin) && !is_known_without).then(|| condition(begin, length))
    }

    /// Whether a name of several characters that begins at `from` covers token `at`.
    fn covers(&self, from: usize, at: usize) -> bool {
        self.names.longest_at(self.tokens, from).is_some_and(|hit| from <= at && hit.last > at && hit.last > from + 1)
    }

    /// Whether the graph has the name without 氏: 桥本氏甲状腺炎.
    fn is_known_without(&self, first: usize, last: usize) -> bool {
        let tokens: Vec<Token> =
            self.tokens.get(first..last).unwrap_or_default().iter().filter(|token| token.text != "氏").cloned().collect();
        self.names.longest_at(&tokens, 0).is_some_and(|hit| hit.last == tokens.len())
    }

    /// A Chinese drug that nobody knows, by how a class of drugs ends at a token (澜舒替尼) or by how a drug is made up there (卡托瑞明缓释片). It is
    /// one for whomever it was given: 给我妈开了卡托瑞明缓释片.
    fn chinese_drug(&self, at: usize, head: &dyn Fn(&[String]) -> Option<usize>) -> Option<Eponym> {
        let words = eponym_words();
        let of = |characters: &str, at: usize| {
            self.token(at).is_some_and(|token| token.cjk && token.text.chars().all(|c| characters.contains(c)))
        };
        let breaks = |at: usize| self.token(at).is_none_or(|token| token.after_break);
        let back = |most: usize, goes_on: &dyn Fn(usize) -> bool| {
            let mut first = at;
            while first > 0 && at - first < most && !breaks(first) && goes_on(first - 1) {
                first -= 1;
            }
            first
        };
        let drug = |first: usize, length: usize| Eponym { span: Span { first, last: at + length }, kind: LikelyKind::Drug };
        let stops = |at: usize| !self.token(at).is_some_and(|token| token.cjk) || of(&words.particles, at) || of(&words.stops_drugs, at);
        let is_new =
            |first: usize, last: usize| !(first.saturating_sub(BEFORE)..last).any(|from| (first..last).any(|at| self.covers(from, at)));
        if let Some(mut length) = head(&words.chinese_drug_heads) {
            // 阿普利沙坦 is no 普利, and a form goes with the name: 替尼片.
            let goes_on = |from: usize| {
                let fits = |part: &&String| {
                    let chars: Vec<String> = part.chars().map(String::from).collect();
                    let written = |i: usize| self.token(from + i).filter(|token| !token.after_break).map(|token| &token.text);
                    chars.iter().enumerate().all(|(i, c)| written(i) == Some(c))
                };
                words.chinese_drug_heads.iter().chain(&words.chinese_forms).find(fits).map(|part| part.chars().count())
            };
            while let Some(more) = goes_on(at + length) {
                length += more;
            }
            // 蒙特罗氏: somebody's name, which ends as drugs do.
            if self.token(at + length).is_some_and(|next| !next.after_break && next.text == "氏") {
                return None;
            }
            let transliterates = |at: usize| of(&words.transliterates, at) || of(&words.transliterates_drugs, at);
            let mut first = back(CHARACTERS, &transliterates);
            // 加瑞索芬他汀: the verb is no part of it; 澜舒替尼: a first character that is no other word is.
            while first + 1 < at && of(&words.stops_drugs, first) {
                first += 1;
            }
            let is_begun =
                first > 0 && first < at && !breaks(first) && !stops(first - 1) && (first == 1 || breaks(first - 1) || stops(first - 2));
            let first = if is_begun { first - 1 } else { first };
            // What goes on is another name: 恩替洛韦酯联合. The head alone may be one, that of the class: 瑞索芬他汀.
            let goes_on = (at..at + length).any(|from| self.names.longest_at(self.tokens, from).is_some_and(|hit| hit.last > at + length));
            return (at > first && !goes_on && is_new(first, at)).then(|| drug(first, length));
        }
        let length = head(&words.chinese_forms)?;
        // 大片状影, 胶囊内镜, 腰椎正侧位片: no form of a drug.
        if self.token(at + length).is_some_and(|next| !next.after_break && next.cjk && words.goes_on.contains(next.text.as_str())) {
            return None;
        }
        let first = back(FORMED, &|at: usize| !stops(at));
        let name: String = self.tokens.get(first..at)?.iter().map(|token| token.text.as_str()).collect();
        let is_other = name.ends_with(|c: char| words.no_forms.contains(c));
        let is_name = at - first >= FORMED_LEAST && !is_other && is_new(first, at) && !is_everyday_drug(&name);
        is_name.then(|| drug(first, length))
    }
}

/// Whether a word says how far a disease has gone: "grade 2", "stage III", "type", "acute".
fn is_grade(word: &str) -> bool {
    matches!(
        word,
        "grade"
            | "stage"
            | "type"
            | "class"
            | "acute"
            | "chronic"
            | "severe"
            | "early"
            | "familial"
            | "suspected"
            | "possible"
            | "known"
            | "likely"
            | "ii"
            | "iii"
            | "iv"
    ) || word.starts_with(|c: char| c.is_ascii_digit())
}
