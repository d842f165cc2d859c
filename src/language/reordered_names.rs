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

use super::direction::direction_at;
use super::lay::is_part_of_body;
use crate::graph::{EntityId, Graph, Kind};
use crate::text::{StopWords, Token, tokenise};

/// The most content words of a name that is found so; a single word needs no order.
const WORDS: std::ops::RangeInclusive<usize> = 2..=5;
/// The most other content words between those of a finding.
const BETWEEN: usize = 2;
/// The most words from the first to the last.
const WITHIN: usize = 11;
/// How long the Chinese names are that are found so; shorter ones are found as they are written only.
const CHARACTERS: std::ops::RangeInclusive<usize> = 4..=12;
/// The most other characters between those of a Chinese name.
const APART: usize = 4;
/// The particle that may stand or not.
const OF: char = '的';
/// Characters that deny what follows.
const DENYING_CHARACTERS: [char; 6] = ['不', '没', '无', '未', '非', '别'];
/// Graphs with more names are searched for names as they are written only: the index would take seconds to make.
const MOST_NAMES: usize = 300_000;
/// Stop words that tell names apart.
const TELLING: [&str; 13] = ["than", "before", "after", "up", "down", "under", "over", "out", "off", "unable", "cant", "cannot", "two"];
/// What stands before a place on the body, and between it and the part: "on the back of my left hand".
const PLACING: [&str; 3] = ["on", "in", "at"];
const OWNING: [&str; 15] = ["the", "a", "my", "his", "her", "our", "your", "their", "left", "right", "upper", "lower", "of", "one", "side"];
/// The most words between the two.
const PLACE: usize = 6;
/// The form of the words that deny, and of those that say what cannot be done.
const DENYING: &str = "not";
const UNABLE: &str = "unable";
/// Verbs after which stands what is seen.
const SEEING: [&str; 3] = ["see", "sees", "seeing"];
/// Who tells.
const SELF: &str = "i";
/// What names a measurement together with the word before it: the blood of "blood tests" is none in the urine.
pub(super) const MEASURING: [&str; 8] = ["test", "tests", "sample", "samples", "scan", "scans", "check", "monitor"];

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    group: Vec<Group>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    words: Vec<String>,
}

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
/// The form that stands for each word of a group: the group's first word.
static FORMS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../assets/word_forms.toml")).unwrap_or_default();
    let of_group = |group: Group| {
        let form = group.words.first().cloned().unwrap_or_default();
        group.words.into_iter().map(move |word| (word, form.clone())).collect::<Vec<_>>()
    };
    file.group.into_iter().flat_map(of_group).collect()
});

/// The form in which words are compared; `None` for a word that carries no content.
pub(super) fn form_of(token: &Token) -> Option<String> {
    let word = token.text.as_str();
    if token.cjk {
        return None;
    }
    if let Some(form) = FORMS.get(word) {
        return Some(form.clone());
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
            let tokens = tokenise(graph.name_at(row));
            if is_finding && tokens.iter().all(|token| token.cjk) {
                names.add_characters(&tokens, entity);
            }
            let forms: Vec<String> = tokens.iter().filter_map(form_of).collect();
            if !WORDS.contains(&forms.len()) || tokens.iter().any(|token| token.cjk) {
                continue;
            }
            // "Losing weight without trying" says no more than its first words, once small words are left out.
            if forms.last().is_some_and(|form| form == DENYING) {
                continue;
            }
            let denials = denials(&forms);
            let of_words = names.by_words.entry(key(forms)).or_default();
            let name = WordName { entity, apart: is_finding, denials };
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
        let seconds = (first + 1..first + 2 + APART).filter_map(character);
        let mut keys: Vec<[char; 2]> = seconds.map(|second| [begin, second]).collect();
        keys.sort_unstable();
        keys.dedup();
        for (name, entities) in keys.iter().filter_map(|key| self.by_characters.get(key)).flatten() {
            let mut parts = vec![first];
            let mut between = 0;
            let mut at = first + 1;
            while let (Some(wanted), Some(said)) = (name.get(parts.len()), character(at)) {
                if tokens.get(at).is_some_and(|token| token.after_break)
                    || is_closed(at)
                    || DENYING_CHARACTERS.contains(&said) && said != *wanted
                {
                    break;
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
            if parts.len() == name.len() && between > 0 {
                found.push((Reordered { parts, entities: entities.clone() }, between));
            }
        }
    }

    fn named(&self, text: &Text<'_>, parts: &[usize], between: usize) -> Option<Reordered> {
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
        let fits = |name: &&WordName| (name.apart || between == 0) && name.denials == said && (said.is_empty() || denies_next());
        let mut entities: Vec<EntityId> = names.iter().filter(fits).map(|name| name.entity).collect();
        entities.sort_unstable();
        entities.dedup();
        (!entities.is_empty() && !text.says_else(parts)).then(|| Reordered { parts: parts.to_vec(), entities })
    }
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

/// A text, with the form of each word that carries content.
struct Text<'a> {
    tokens: &'a [Token],
    forms: Vec<Option<String>>,
}

impl Text<'_> {
    /// Whether a word between these changes what they say: another part of the body, a direction, a denial.
    fn says_else(&self, parts: &[usize]) -> bool {
        let (Some(first), Some(last)) = (parts.first().copied(), parts.last().copied()) else { return true };
        let direction = |at: usize| direction_at(self.tokens, at).map(|(direction, _)| direction);
        let own = parts.iter().find_map(|part| direction(*part));
        let is_measuring = |at: usize| self.tokens.get(at).is_some_and(|token| MEASURING.contains(&token.text.as_str()));
        if (first..=last + 1).any(|at| {
            is_measuring(at) && !parts.contains(&at) && (at <= last || self.tokens.get(at).is_some_and(|token| !token.after_break))
        }) {
            return true;
        }
        let seen = parts.windows(2).any(|pair| matches!(pair, [sees, place] if self.sees_something(*sees, *place)));
        if seen || parts.iter().any(|part| self.tells_since_when(*part)) {
            return true;
        }
        let has_part = parts.iter().any(|part| self.is_part_of_body(*part));
        // "The bottom of my thumb" is a place on the thumb.
        if self.is_part_of_body(last) && self.is_of_another_part(last) {
            return true;
        }
        (first..=last).filter(|at| !parts.contains(at)).any(|at| {
            let denies = self.forms.get(at).is_some_and(|form| form.as_deref() == Some(DENYING));
            let turns = own.is_some() && direction(at).is_some_and(|other| Some(other) != own);
            denies || turns || (self.is_part_of_body(at) && (has_part || !self.is_place(at)))
        })
    }

    /// Whether the part of the body at a token is one of another part: "the back of my hand".
    fn is_of_another_part(&self, at: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
        let owned = at + 2..(at + 5).min(self.tokens.len());
        let part = owned.clone().find(|next| self.is_part_of_body(*next));
        word(at + 1) == "of" && part.is_some_and(|part| (owned.start..part).all(|between| OWNING.contains(&word(between))))
    }

    /// Whether the word at a token tells since when: "no urine since last night" is none at night.
    fn tells_since_when(&self, at: usize) -> bool {
        let word = |back: usize| at.checked_sub(back).and_then(|at| self.tokens.get(at)).map_or("", |token| token.text.as_str());
        word(1) == "last" && matches!(word(2), "since" | "from") && matches!(word(0), "night" | "evening")
    }

    /// Whether something else is seen at the place that a token names: "seeing cats on the curtains" is no curtain over the vision.
    fn sees_something(&self, sees: usize, place: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let is_seen = |at: usize| !OWNING.contains(&word(at)) && PLACING.contains(&word(at + 1));
        SEEING.contains(&word(sees)) && (sees + 1..place).any(is_seen)
    }

    fn is_part_of_body(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| is_part_of_body(std::slice::from_ref(&token.text)))
    }

    /// Whether the part of the body at a token only says where something is: "the mole on my left shoulder has grown".
    fn is_place(&self, at: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        let begin = (at.saturating_sub(PLACE)..at).rev().take_while(|before| !PLACING.contains(&word(*before))).last().unwrap_or(at);
        begin.checked_sub(1).is_some_and(|before| {
            PLACING.contains(&word(before)) && (begin..at).all(|between| OWNING.contains(&word(between)) || self.is_part_of_body(between))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    fn found(names: &[(&str, Kind)], text: &str) -> Vec<String> {
        let mut builder = GraphBuilder::new("t");
        for (name, kind) in names {
            let entity = builder.entity(name);
            builder.set_kind(entity, kind.clone());
        }
        let graph = builder.finish();
        let index = ReorderedNames::of(&graph);
        let said = index.found(&tokenise(text), |_| false);
        said.iter().flat_map(|said| &said.entities).map(|entity| graph.entity_name(*entity).to_owned()).collect()
    }

    #[test]
    fn words_in_another_order_and_form_name_a_finding() {
        let names = [("Pain radiating to the back", Kind::Symptom), ("Splinter haemorrhages", Kind::Symptom)];
        for text in ["pain that radiates through to my back", "his back: no. Severe pain, radiates", "radiation of the pain to the back"] {
            let is_named = !text.contains("no.");
            assert_eq!(found(&names, text) == ["Pain radiating to the back"], is_named, "{text}");
        }
        assert_eq!(found(&names, "hemorrhages of splinter type"), ["Splinter haemorrhages"]);
    }

    #[test]
    fn what_stands_between_may_say_something_else() {
        let names = [("Chest pain", Kind::Symptom), ("High potassium", Kind::Symptom), ("Swollen leg", Kind::Symptom)];
        for text in
            ["chest fine, leg pain", "chest and leg pain", "high calcium and low potassium", "leg that is not swollen", "chest, pain"]
        {
            assert!(found(&names, text).is_empty(), "{text}: {:?}", found(&names, text));
        }
        assert_eq!(found(&names, "leg has become very swollen"), ["Swollen leg"]);
        let names = [("Growing mole", Kind::Symptom), ("Swollen leg", Kind::Symptom)];
        assert_eq!(found(&names, "the mole on my left shoulder is growing"), ["Growing mole"], "a place says nothing else");
        for text in ["the mole and my belly growing", "swollen patch on my arm and leg"] {
            assert!(found(&names, text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_seen_at_a_place_is_no_fault_of_the_sight_there() {
        let names = [("Curtain in the vision", Kind::Symptom), ("Shadow in the vision", Kind::Symptom)];
        let seen = ["she sees spiders on the curtain", "sees a man in the shadow", "seeing small dogs at the curtain"];
        assert!(seen.iter().all(|text| found(&names, text).is_empty()));
        assert_eq!(found(&names, "seeing a dark curtain on the left"), ["Curtain in the vision"]);
        let names = [("Urination at night", Kind::Symptom)];
        assert!(found(&names, "urination stopped since last night").is_empty() && !found(&names, "every night urination").is_empty());
    }

    #[test]
    fn a_condition_is_named_by_its_own_words_only_and_drugs_exactly() {
        let names = [("Pancreatic cancer", Kind::Disease), ("Heart failure", Kind::Disease), ("Sodium valproate", Kind::Drug)];
        assert_eq!(found(&names, "failure of the heart"), ["Heart failure"]);
        assert!(found(&names, "heart murmur, failure to thrive").is_empty());
        assert!(found(&names, "heart surgery failure").is_empty());
        assert!(found(&names, "valproate of sodium").is_empty());
    }

    #[test]
    fn a_denial_keeps_its_place() {
        let names = [("Swelling that is not painful", Kind::Symptom), ("Losing weight without trying", Kind::Symptom)];
        assert_eq!(found(&names, "the swelling is not at all painful"), ["Swelling that is not painful"]);
        for text in ["it is not swollen but painful", "I am not losing weight"] {
            assert!(found(&names, text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_measurement_and_what_can_be_done_say_something_else() {
        let names = [
            ("Blood in the urine", Kind::Symptom),
            ("Cannot be woken", Kind::Symptom),
            ("Tender temporal artery", Kind::Symptom),
            ("Non-blanching rash", Kind::Symptom),
            ("Won't wake up", Kind::Symptom),
        ];
        assert!(found(&names, "if I dont I wake up with a headache").is_empty());
        assert_eq!(found(&names, "why wont he wake up"), ["Won't wake up"]);
        for text in
            ["wee test + blood tests fine", "urine and blood tests", "woken at night and I cannot move", "temporal arteries are non-tender"]
        {
            assert!(found(&names, text).is_empty(), "{text}: {:?}", found(&names, text));
        }
        for (text, name) in [
            ("there is blood in my wee", "Blood in the urine"),
            ("I cannot get him woken", "Cannot be woken"),
            ("the temporal artery is tender", "Tender temporal artery"),
            ("a rash that does not blanch", "Non-blanching rash"),
        ] {
            assert_eq!(found(&names, text), [name], "{text}");
        }
    }

    #[test]
    fn chinese_names_keep_their_order_and_may_stand_apart() {
        let names = [("大脚趾红肿", Kind::Symptom)];
        assert_eq!(found(&names, "半夜大脚趾突然又红又肿"), ["大脚趾红肿"]);
        for text in ["大脚趾不红肿", "大脚趾。又红又肿", "红肿的大脚趾", "大脚趾昨天晚上撞了红肿"] {
            assert!(found(&names, text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_forms_are_folded_and_each_word_has_one() {
        let file: File = toml::from_str(include_str!("../../assets/word_forms.toml")).expect("valid");
        let words: Vec<&String> = file.group.iter().flat_map(|group| &group.words).collect();
        assert!(words.iter().all(|word| crate::text::fold(word) == **word));
        let distinct: std::collections::HashSet<&&String> = words.iter().collect();
        assert_eq!(distinct.len(), words.len(), "a word in two groups");
        assert!(FORMS.get("without").is_some_and(|form| form == DENYING));
    }

    proptest::proptest! {
        #[test]
        fn any_order_of_a_names_words_names_it(order in proptest::sample::subsequence(vec![0_usize, 1, 2], 3), swap in 0..3_usize) {
            let words = ["white", "patches", "tongue"];
            let mut order = order;
            order.rotate_left(swap);
            let text = order.iter().map(|at| words[*at]).collect::<Vec<_>>().join(" on the ");
            proptest::prop_assert_eq!(found(&[("White patches on the tongue", Kind::Symptom)], &text).len(), 1);
        }
    }
}
