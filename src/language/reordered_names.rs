//! Names whose words a text says in another order, in another form or apart: "it hurts and goes through to my back" may say what *Pain going
//! through to the back* says. All content words of the name must stand close together in one clause, with nothing between them that
//! says something else: no other part of the body, no other direction, no denial.
//!
//! A finding may have a few other words between; the name of anything else only small words ("cancer of the pancreas"). In Chinese the
//! characters of a finding keep their order, with a few others between: 大脚趾突然又红又肿 names 大脚趾红肿.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use serde::Deserialize;

use self::clause::Text;
use super::exposure::is_exposure;
use super::fillers::filler_at;
use super::telling_words::{OneOf, are_said, needed};
use crate::graph::{EntityId, Graph, Kind};
use crate::text::{StopWords, Token, tokenise};

mod clause;

/// The most content words of a name that is found so; a single word needs no order.
const WORDS: std::ops::RangeInclusive<usize> = 2..=5;
/// The most other content words between those of a finding.
const BETWEEN: usize = 2;
/// The most words from the first to the last.
const WITHIN: usize = 11;
/// How long the Chinese names are that are found so; shorter ones are found as they are written only …
const CHARACTERS: std::ops::RangeInclusive<usize> = 3..=12;
/// … and those below this length with words of time and degree between at most: 眼睛最近有点黄.
const APART_FROM: usize = 4;
/// The most other characters between those of a Chinese name.
const APART: usize = 4;
/// The particle that may stand or not.
const OF: char = '的';
/// Characters that deny what follows.
const DENYING_CHARACTERS: [char; 6] = ['不', '没', '无', '未', '非', '别'];
/// Graphs with more names are searched for names as they are written only: the index would take seconds to make.
const MOST_NAMES: usize = 300_000;
/// Stop words that tell names apart.
pub(super) const TELLING: [&str; 13] =
    ["than", "before", "after", "up", "down", "under", "over", "out", "off", "unable", "cant", "cannot", "two"];
/// The form of the words that deny, and of those that say what cannot be done.
pub(super) const DENYING: &str = "not";
pub(super) const UNABLE: &str = "unable";
/// Who tells.
const SELF: &str = "i";
/// How many words before what is denied of it such a thing may stand: "the lump on my arm isn't".
const THING_WITHIN: usize = 5;
/// How far before a clause without a subject its subject may stand, in words, and who grows as a whole.
const CLAUSES_WITHIN: usize = 16;
const GROWING: [&str; 18] = [
    "he",
    "she",
    "hes",
    "shes",
    "son",
    "daughter",
    "baby",
    "child",
    "boy",
    "girl",
    "toddler",
    "newborn",
    "infant",
    "kid",
    "twin",
    "grandson",
    "granddaughter",
    "teenager",
];
/// What covers all of something, or is a colour of all of it.
const COVERING: [&str; 12] =
    ["stuff", "coating", "coat", "film", "layer", "patch", "patches", "fur", "discharge", "coloured", "colored", "tinge"];
/// What names a measurement together with the word before it: the blood of "blood tests" is none in the urine.
pub(super) const MEASURING: [&str; 8] = ["test", "tests", "sample", "samples", "scan", "scans", "check", "monitor"];

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Things on the body that grow, change or stay.
    things: Vec<String>,
    group: Vec<Group>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    words: Vec<String>,
}

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../assets/word_forms.toml")).unwrap_or_default());
/// The form that stands for each word of a group: the group's first word.
static FORMS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let of_group = |group: &'static Group| {
        let form = group.words.first().map_or("", String::as_str);
        group.words.iter().map(move |word| (word.as_str(), form))
    };
    FILE.group.iter().flat_map(of_group).collect()
});

/// The form in which words are compared; `None` for a word that carries no content.
pub(super) fn form_of(token: &Token) -> Option<String> {
    let word = token.text.as_str();
    if token.cjk {
        return None;
    }
    if let Some(form) = FORMS.get(word) {
        return Some((*form).to_owned());
    }
    if StopWords::built_in().contains(word) && !TELLING.contains(&word) {
        return None;
    }
    let is_word = word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    Some(if is_word { STEMMER.stem(word).into_owned() } else { word.to_owned() })
}

fn key(mut forms: Vec<String>) -> String {
    forms.sort_unstable();
    forms.dedup();
    forms.join(" ")
}

/// The characters of a Chinese name, and the entities that have it.
type CharacterName = (Vec<char>, Vec<EntityId>);

/// A name by its words.
#[derive(Debug, PartialEq, Eq)]
struct WordName {
    entity: EntityId,
    /// Whether other words may stand between.
    apart: bool,
    /// The words that deny or say what cannot be done, each with the word behind it: they must stand so.
    denials: Vec<(String, Option<String>)>,
    /// Small words that must be said with the others.
    needed: Vec<OneOf>,
}

/// Names of a graph by their words, whatever the order.
#[derive(Debug, Default)]
pub(crate) struct ReorderedNames {
    /// The names of each set of words.
    by_words: HashMap<String, Vec<WordName>>,
    /// Chinese names of findings by their first two characters: the whole name, and its entities.
    by_characters: HashMap<[char; 2], Vec<CharacterName>>,
}

/// A name found by its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reordered {
    /// The tokens that say it, in order.
    pub(crate) parts: Vec<usize>,
    pub(crate) entities: Vec<EntityId>,
}

impl ReorderedNames {
    /// The names of a graph; none if it has too many. Drugs and tests are left out: what they are called is exact.
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut names = Self::default();
        if graph.name_count() > MOST_NAMES {
            return names;
        }
        for row in 0..graph.name_count() {
            let entity = graph.entity_of_name(row);
            let is_finding = match graph.kind(entity) {
                Kind::Symptom => true,
                Kind::Disease | Kind::RiskFactor => false,
                _ => continue,
            };
            // "Itchy eyes when I use bleach": what gets into the eye is read with its way there.
            if is_exposure(graph.entity_name(entity)) {
                continue;
            }
            let tokens = tokenise(graph.name_at(row));
            if is_finding && tokens.iter().all(|token| token.cjk) {
                names.add_characters(&tokens, entity);
            }
            let of_tokens: Vec<Option<String>> = tokens.iter().map(form_of).collect();
            let Some(needed) = needed(&tokens, &of_tokens) else { continue };
            let forms: Vec<String> = of_tokens.into_iter().flatten().collect();
            if !WORDS.contains(&forms.len()) || tokens.iter().any(|token| token.cjk) {
                continue;
            }
            // "Losing weight without trying" says no more than its first words, once small words are left out.
            if forms.last().is_some_and(|form| form == DENYING) {
                continue;
            }
            let denials = denials(&forms);
            let of_words = names.by_words.entry(key(forms)).or_default();
            let name = WordName { entity, apart: is_finding, denials, needed };
            if !of_words.contains(&name) {
                of_words.push(name);
            }
        }
        names
    }

    /// The names that a text says, those of most words first, then the closest. Names may share words; who takes them decides.
    /// `is_closed`: tokens that belong to something else.
    pub(crate) fn found(&self, tokens: &[Token], is_closed: impl Fn(usize) -> bool) -> Vec<Reordered> {
        if self.by_words.is_empty() && self.by_characters.is_empty() {
            return Vec::new();
        }
        let forms: Vec<Option<String>> = tokens.iter().map(form_of).collect();
        let text = Text { tokens, forms };
        let mut found: Vec<(Reordered, usize)> = Vec::new();
        for first in 0..tokens.len() {
            if text.forms[first].is_some() && !is_closed(first) {
                self.from(&text, &is_closed, &mut vec![first], 0, &mut found);
            }
            if tokens[first].cjk && !is_closed(first) {
                self.characters_from(tokens, first, &is_closed, &mut found);
            }
        }
        let width = |reordered: &Reordered| reordered.parts.last().zip(reordered.parts.first()).map_or(0, |(last, first)| last - first);
        found.sort_by_key(|(reordered, between)| {
            (std::cmp::Reverse(reordered.parts.len()), *between, width(reordered), reordered.parts.first().copied())
        });
        found.into_iter().map(|(reordered, _)| reordered).collect()
    }

    /// Extends a choice of words by each that may follow, and keeps those that are a name. `between`: content words left out so far.
    fn from(
        &self,
        text: &Text<'_>,
        is_closed: &dyn Fn(usize) -> bool,
        parts: &mut Vec<usize>,
        between: usize,
        found: &mut Vec<(Reordered, usize)>,
    ) {
        if parts.len() > 1 {
            found.extend(self.named(text, parts, between).map(|reordered| (reordered, between)));
        }
        let (Some(first), Some(last)) = (parts.first().copied(), parts.last().copied()) else { return };
        if parts.len() == *WORDS.end() {
            return;
        }
        let mut between = between;
        for next in last + 1..text.tokens.len().min(first + WITHIN) {
            if text.tokens[next].after_break {
                return;
            }
            let Some(form) = &text.forms[next] else { continue };
            let is_said = parts.iter().any(|part| text.forms[*part].as_ref() == Some(form));
            if !is_closed(next) && !is_said {
                parts.push(next);
                self.from(text, is_closed, parts, between, found);
                parts.pop();
            }
            between += usize::from(!is_said);
            if between > BETWEEN {
                return;
            }
        }
    }

    fn add_characters(&mut self, tokens: &[Token], entity: EntityId) {
        let characters: Vec<char> = tokens.iter().flat_map(|token| token.text.chars()).filter(|c| *c != OF).collect();
        let [first, second, ..] = characters[..] else { return };
        if !CHARACTERS.contains(&characters.len()) {
            return;
        }
        let names = self.by_characters.entry([first, second]).or_default();
        match names.iter_mut().find(|(known, _)| *known == characters) {
            Some((_, entities)) => entities.push(entity),
            None => names.push((characters, vec![entity])),
        }
    }

    /// Chinese names whose characters follow each other from a token on, with a few others between.
    fn characters_from(&self, tokens: &[Token], first: usize, is_closed: &dyn Fn(usize) -> bool, found: &mut Vec<(Reordered, usize)>) {
        let character = |at: usize| tokens.get(at).filter(|token| token.cjk).and_then(|token| token.text.chars().next());
        let Some(begin) = character(first) else { return };
        let behind_filler = first + 1 + filler_at(tokens, first + 1);
        let seconds = (first + 1..first + 2 + APART).chain([behind_filler]).filter_map(character);
        let mut keys: Vec<[char; 2]> = seconds.map(|second| [begin, second]).collect();
        keys.sort_unstable();
        keys.dedup();
        for (name, entities) in keys.iter().filter_map(|key| self.by_characters.get(key)).flatten() {
            let mut parts = vec![first];
            let (mut between, mut skipped) = (0, 0);
            let mut at = first + 1;
            while let (Some(wanted), Some(said)) = (name.get(parts.len()), character(at)) {
                // A quotation mark or a space parts what a name has together.
                let is_joined = tokens.get(at - 1).zip(tokens.get(at)).is_some_and(|(before, token)| before.end == token.start);
                if !is_joined
                    || tokens.get(at).is_some_and(|token| token.after_break)
                    || is_closed(at)
                    || DENYING_CHARACTERS.contains(&said) && said != *wanted
                {
                    break;
                }
                let filler = if said == *wanted { 0 } else { filler_at(tokens, at) };
                if filler > 0 {
                    (skipped, at) = (skipped + filler, at + filler);
                    continue;
                }
                if said == *wanted {
                    parts.push(at);
                } else {
                    between += usize::from(said != OF);
                }
                if between > APART {
                    break;
                }
                at += 1;
            }
            let is_apart = if name.len() < APART_FROM { skipped > 0 && between == 0 } else { between + skipped > 0 };
            if parts.len() == name.len() && is_apart {
                found.push((Reordered { parts, entities: entities.clone() }, between));
            }
        }
    }

    fn named(&self, text: &Text<'_>, parts: &[usize], between: usize) -> Option<Reordered> {
        // "Non-bilious vomits" says nothing of bile; a name may have the "non" as well: "non-reactive pupils".
        let is_denied = |part: &usize| {
            let before = part.checked_sub(1).filter(|before| !parts.contains(before));
            before.and_then(|before| text.tokens.get(before)).is_some_and(|token| token.text == "non")
        };
        if parts.iter().any(is_denied) {
            return None;
        }
        let forms: Vec<String> = parts.iter().filter_map(|part| text.forms[*part].clone()).collect();
        let names = self.by_words.get(&key(forms.clone()))?;
        // "She won't drink and has a breath test" does not say *Not breathing*: a denial reaches the next word. And "if I don't, I wake up with
        // one" does not say *Won't wake up*: "I" begins anew.
        let reaches = |denial: usize, next: usize| {
            text.forms[denial + 1..next].iter().all(Option::is_none)
                && !text.tokens[denial + 1..next].iter().any(|token| token.text == SELF)
        };
        let denies_next = || {
            parts.windows(2).all(|pair| match pair {
                [denial, next] => text.forms[*denial].as_deref() != Some(DENYING) || reaches(*denial, *next),
                _ => true,
            })
        };
        let said = denials(&forms);
        let (first, last) = (parts.first().copied()?, parts.last().copied()?);
        if !said.is_empty() && is_of_scan(text.tokens, (first, last)) {
            return None;
        }
        // "The lump hasn't grown" tells of no child that does not.
        if !said.is_empty() && forms.len() == said.len() + 1 && is_of_thing(text.tokens, first) {
            return None;
        }
        if is_of_contents(text, parts) {
            return None;
        }
        // "Not sucking in at the ribs" denies another verb than "not sucking".
        if !said.is_empty() && is_phrasal(text.tokens, last) {
            return None;
        }
        let fits = |name: &&WordName| {
            (name.apart || between == 0)
                && name.denials == said
                && (said.is_empty() || denies_next())
                && are_said(&name.needed, text.tokens, first, last)
        };
        let mut entities: Vec<EntityId> = names.iter().filter(fits).map(|name| name.entity).collect();
        entities.sort_unstable();
        entities.dedup();
        (!entities.is_empty() && !text.says_else(parts)).then(|| Reordered { parts: parts.to_vec(), entities })
    }
}

/// Whether a thing on the body, which no name of a person's state is about, stands before a token in its clause: "the lump on my arm isn't …". A clause
/// without a subject of its own ("a mole on my arm since childhood, hasn't grown") goes on about the thing of the one before, if nobody is named between.
fn is_of_thing(tokens: &[Token], at: usize) -> bool {
    let joined = |at: &usize| tokens.get(*at).is_some_and(|token| !token.after_break);
    let behind = (at.saturating_sub(THING_WITHIN) + 1..=at).rev().take_while(joined);
    let is_thing = |token: &Token| FILE.things.contains(&token.text);
    let is_elliptic = tokens.get(at).is_some_and(|token| token.after_break)
        || at
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_some_and(|before| matches!(before.text.as_str(), "it" | "they" | "and"));
    let before = tokens.get(at.saturating_sub(CLAUSES_WITHIN)..at).unwrap_or_default().iter().rev();
    let is_of_one_before = || before.take_while(|token| !GROWING.contains(&token.text.as_str())).any(is_thing);
    behind.filter_map(|at| tokens.get(at - 1)).any(is_thing) || is_elliptic && is_of_one_before()
}

/// Whether the white that a name says of something is said of what is in it: "white threads in his poo" are no white stools. What covers the whole is
/// none of it: "white stuff on my tongue".
fn is_of_contents(text: &Text<'_>, parts: &[usize]) -> bool {
    let word = |at: usize| text.tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
    parts.iter().any(|part| {
        let next = part + 1;
        let is_other = !parts.contains(&next) && text.forms.get(next).is_some_and(Option::is_some) && !COVERING.contains(&word(next));
        text.tokens.get(*part).is_some_and(|token| token.text == "white")
            && is_other
            && matches!(word(next + 1), "in" | "inside" | "within")
    })
}

/// Whether it is a scan, or who did it, that could not see something: "US couldn't see the appendix".
fn is_of_scan(tokens: &[Token], (first, last): (usize, usize)) -> bool {
    const SCANS: [&str; 16] = [
        "us",
        "uss",
        "usg",
        "ultrasound",
        "scan",
        "scans",
        "ct",
        "mri",
        "xray",
        "camera",
        "endoscopy",
        "colonoscopy",
        "sonographer",
        "radiologist",
        "doctor",
        "they",
    ];
    const ITSELF: [&str; 22] = [
        "anything", "properly", "clearly", "well", "out", "from", "at", "in", "on", "my", "the", "to", "with", "a", "far", "much", "and",
        "or", "since", "for", "now", "straight",
    ];
    let word = |at: usize| tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
    let sees = tokens.get(last).is_some_and(|token| token.text == "see");
    let is_scan = first.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|before| SCANS.contains(&before.text.as_str()));
    let next = word(last + 1);
    sees && (is_scan || !next.is_empty() && !ITSELF.contains(&next))
}

/// Whether a particle behind the verb at a token makes another verb of it: what follows it is another preposition, or the end of the clause.
fn is_phrasal(tokens: &[Token], verb: usize) -> bool {
    let word = |at: usize| tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
    matches!(word(verb + 1), "in" | "out" | "up" | "off")
        && matches!(word(verb + 2), "" | "at" | "on" | "under" | "between" | "around" | "round" | "of")
}

/// The words of a name that deny the next ("not painful") or say what cannot be done ("cannot be woken"), with the word behind each.
fn denials(forms: &[String]) -> Vec<(String, Option<String>)> {
    let is_denial = |form: &String| form == DENYING || form == UNABLE;
    let is_one = |(_, form): &(usize, &String)| is_denial(form);
    let mut denials: Vec<_> =
        forms.iter().enumerate().filter(is_one).map(|(at, form)| (form.clone(), forms.get(at + 1).cloned())).collect();
    denials.sort_unstable();
    denials
}

#[cfg(test)]
mod tests;
