//! What gets into the eye: "bleach splashed in my eye", "got an eyeful of oven cleaner", 漂白剂溅进眼睛.
//!
//! What it is and how it got there may stand in any words between; a list of whole phrases never has them all. So a substance and the eye
//! of one clause are joined by a word for the way: into the eye, or what splashes. The words are in `assets/lay.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::phrase_table::PhraseTable;
use super::recognise::Span;
use crate::text::{Token, clause_around};

/// How many words may stand between the substance and the way to the eye.
const APART: usize = 5;
/// How many words may stand between the way and the eye: "into her face and both".
const ON_THE_WAY: usize = 4;
/// How many words may stand between the eye and the substance that is told behind it, and the Chinese characters.
const BEHIND: usize = 7;
const CHARACTERS: usize = 10;

/// The words of an exposure.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    /// What it is called in graphs.
    name: String,
    /// What gets there.
    what: Vec<String>,
    /// The same words where they mean something else.
    not_what: Vec<String>,
    /// The part of the body; and what follows it where it names something else.
    place: Vec<String>,
    not_place: Vec<String>,
    /// What leads to it from the substance, and what may stand between the two.
    into: Vec<String>,
    between: Vec<String>,
    /// What tells that something gets there, wherever it stands.
    gets: Vec<String>,
}

/// The words as tables.
struct Tables {
    what: PhraseTable<bool>,
    place: PhraseTable<bool>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let words = words();
    // The longest phrase at a place decides, so that "lime green" is no lime.
    let both = |yes: &'static [String], no: &'static [String]| {
        PhraseTable::of(no.iter().map(|word| (word.as_str(), false)).chain(yes.iter().map(|word| (word.as_str(), true))))
    };
    Tables { what: both(&words.what, &words.not_what), place: both(&words.place, &words.not_place) }
});

fn words() -> &'static Words {
    super::lay::exposure()
}

/// Where a text tells that something caustic gets into an eye, with what that is called.
pub(crate) fn exposures(tokens: &[Token]) -> Vec<(Span, &'static str)> {
    let found = |table: &PhraseTable<bool>| -> Vec<Span> {
        let all = table.find_all(tokens).into_iter().filter(|found| found.means);
        all.map(|found| Span { first: found.first, last: found.last }).collect()
    };
    let (substances, places) = (found(&TABLES.what), found(&TABLES.place));
    let mut all: Vec<(Span, &'static str)> = Vec::new();
    for what in substances {
        let place = places.iter().find(|place| gets_there(tokens, what, **place));
        let Some(place) = place else { continue };
        let span = Span { first: what.first.min(place.first), last: what.last.max(place.last) };
        if all.last().is_none_or(|(known, _)| known.last <= span.first) {
            all.push((span, words().name.as_str()));
        }
    }
    all
}

/// Whether an entity of this name is what comes of such an exposure.
pub(crate) fn is_exposure(name: &str) -> bool {
    words().name == name
}

/// Whether a substance gets to a place of the same clause.
fn gets_there(tokens: &[Token], what: Span, place: Span) -> bool {
    let clause = clause_around(tokens, what.first);
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_one_of = |at: usize, list: &[String]| list.iter().any(|known| known == word(at));
    if !clause.contains(&place.first) {
        return false;
    }
    let is_told = || clause.clone().any(|at| is_one_of(at, &words().gets));
    if tokens.get(place.first).is_some_and(|token| token.cjk) {
        let apart = place.first.max(what.first).saturating_sub(place.last.min(what.last));
        return apart <= CHARACTERS && is_told();
    }
    if place.first >= what.last {
        // "Bleach splashed in my eye": what stands before the eye leads into it.
        let way = (what.last..place.first).rev().find(|at| is_one_of(*at, &words().into));
        return way.is_some_and(|way| {
            way - what.last <= APART
                && place.first - way <= ON_THE_WAY + 1
                && (way + 1..place.first).all(|at| is_one_of(at, &words().between))
        });
    }
    // "Bleach" may also stand after the eye: "My eye was splashed with bleach".
    what.first >= place.last && what.first - place.last <= BEHIND && is_told()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn found(text: &str) -> Option<String> {
        let tokens = tokenise(text);
        let (span, _) = exposures(&tokens).into_iter().next()?;
        let (first, last) = (tokens.get(span.first)?, tokens.get(span.last - 1)?);
        text.get(first.start..last.end).map(str::to_owned)
    }

    #[test]
    fn what_is_caustic_gets_into_the_eye_in_any_words() {
        for text in [
            "Bleach splashed in my eye",
            "battery acid sprayed into his eyes at work",
            "Oven cleaner squirted in her face and eyes",
            "My toddler squeezed a laundry capsule into his eye",
            "Caustic soda splashed into the left eye ten minutes ago",
            "Sulphuric acid hit my eye",
            "carbolic acid in her eye",
            "trichloroacetic acid splashed into his eye",
            "wet concrete flicked up into my right eye",
            "hair dye ran down and got in my eye",
            "drain unblocker spat at me and went in both eyes",
            "some pool chlorine in both eyes",
            "my eye was splashed with ammonia",
            "got an eyeful of descaler",
            "I rubbed my eye with bleach on my fingers",
            "漂白剂溅进眼睛",
            "眼睛溅入漂白水怎么办",
            "石灰不小心弄到眼睛里了",
            "洁厕灵溅进了左眼",
        ] {
            assert!(found(text).is_some(), "{text}");
        }
        assert_eq!(found("Lime fell into the eye of a builder").as_deref(), Some("Lime fell into the eye"));
    }

    #[test]
    fn what_is_not_caustic_or_not_in_the_eye_is_none() {
        for text in [
            "hyaluronic acid in eye drops",
            "plaster over the eye after surgery",
            "put a plaster on her eye",
            "fusidic acid in the eye twice a day",
            "acid reflux and itching in my eyes",
            "lime green discharge in my eye",
            "sand in my eye",
            "bleach on my hands",
            "my eyes are red, I use bleach at work",
            "he drank bleach, eyes look fine",
            "my cleaner has something in her eye",
            "chlorine makes my eyes itch",
            "水泥工人，眼睛干涩",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
