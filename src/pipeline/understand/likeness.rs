//! What something is only like ("a pain like a heart attack"); and words for drunkenness that do not say that the patient is drunk: a verb
//! ("I have drunk loads of water"), and a state that the text denies ("seems drunk, but she hasn't touched a drop").

use super::hedges::is_asked_whether;
use super::layout::Layout;
use super::times::number_of;
use crate::language::lay::is_part_of_body;
use crate::language::recognise::Span;
use crate::text::Token;

/// Within how many words behind a remedy it is said that it did nothing.
const FAILED_WITHIN: usize = 5;

/// Whether it is told of a remedy that it did nothing: "Bonjela hasn't touched it". Nothing is asked about it.
pub(super) fn has_failed(tokens: &[Token], span: Span) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let end = (span.last + FAILED_WITHIN).min(tokens.len());
    let near = (span.last..end).take_while(|at| !tokens.get(*at).is_some_and(|token| token.after_break));
    let helps = |word: &str| {
        matches!(
            word,
            "touched"
                | "touch"
                | "touching"
                | "helped"
                | "help"
                | "helping"
                | "worked"
                | "work"
                | "working"
                | "good"
                | "difference"
                | "effect"
                | "shifted"
        )
    };
    let denies = |at: usize| DENYING.contains(&word(at)) || matches!(word(at), "no" | "isnt" | "little");
    let is_denied = |at: usize| (span.last..at).any(denies);
    let does_nothing =
        |at: usize| matches!(word(at), "does" | "did" | "doing") && matches!(word(at + 1), "nothing" | "sod" | "naff" | "bugger" | "nowt");
    near.into_iter().any(|at| (helps(word(at)) && is_denied(at)) || does_nothing(at))
}

/// The words that may be the verb, and all that say how much somebody has drunk.
const VERB: &str = "drunk";
const STATES: [&str; 5] = ["drunk", "intoxicated", "tipsy", "inebriated", "hungover"];
/// Who speaks of himself with these is awake and has drunk something.
const I_HAVE: [&str; 7] = ["ive", "havent", "hadnt", "have", "had", "having", "weve"];
/// The same of others; "he's" may be "he is".
const HAS: [&str; 6] = ["has", "hes", "shes", "theyve", "theyd", "hed"];
/// What may stand between them and the verb.
const BETWEEN: [&str; 10] = ["not", "only", "just", "already", "hardly", "barely", "also", "even", "really", "never"];
/// Behind these, next to nothing was drunk.
const HARDLY: [&str; 4] = ["hardly", "barely", "scarcely", "little"];
/// How many words behind the verb may say what was hardly drunk.
const HARDLY_WITHIN: usize = 3;
/// What is drunk and holds no alcohol.
const SOFT: [&str; 16] = [
    "water",
    "squash",
    "juice",
    "tea",
    "coffee",
    "milk",
    "fluids",
    "fluid",
    "liquid",
    "liquids",
    "cola",
    "coke",
    "lemonade",
    "formula",
    "dioralyte",
    "cordial",
];
/// How far behind the verb its object may stand.
const OBJECT: usize = 7;
/// What nobody touched, and how that is said.
const DENYING: [&str; 9] = ["hasnt", "havent", "hadnt", "not", "never", "without", "didnt", "doesnt", "dont"];
const TOUCHING: [&str; 7] = ["touched", "touch", "touches", "touching", "had", "drunk", "drank"];
const DROPS: [&str; 6] = ["drop", "drink", "sip", "alcohol", "booze", "alcoholic"];
/// Behind "drink" these say since when there was none.
const SINCE: [&str; 4] = ["since", "of", "after", "from"];

/// What may stand between "like" and what something is like. "Like my gout" is the gout itself.
const LIKENED: [&str; 22] = [
    "a", "an", "the", "i", "im", "ive", "he", "hes", "she", "shes", "it", "its", "is", "was", "were", "am", "had", "has", "have", "having",
    "got", "being",
];
/// The most of these.
const MOST_LIKENED: usize = 4;

/// Whether a condition is only what something is like ("as if he had a stroke"), or what a clause asks ("is my liver failing").
pub(super) fn is_likeness(tokens: &[Token], span: Span) -> bool {
    if is_asked_whether(tokens, span) {
        return true;
    }
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let joined = |at: usize| tokens.get(at + 1).is_some_and(|next| !next.after_break);
    let least = span.first.saturating_sub(MOST_LIKENED + 1);
    let like = (least..span.first).rev().take_while(|at| joined(*at)).find(|at| !LIKENED.contains(&word(*at)));
    like.is_some_and(|at| match word(at) {
        "like" => true,
        "if" | "though" => at.checked_sub(1).is_some_and(|before| word(before) == "as" && joined(before)),
        _ => false,
    })
}

/// Whether an electric shock or a drink is only what something is like: "electric shock pains", "electric shocks like", 像浓茶.
pub(super) fn is_only_like(tokens: &[Token], span: Span) -> bool {
    const FEELINGS: [&str; 8] = ["pain", "pains", "feeling", "feelings", "sensation", "sensations", "like", "type"];
    let is_shock =
        span.last.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|last| matches!(last.text.as_str(), "shock" | "shocks"));
    let is_electric = tokens.get(span.first).is_some_and(|token| token.text.starts_with("electric"));
    // "VF, 3 shocks": of a defibrillator.
    let is_counted = span.last == span.first + 1
        && tokens.get(span.first).is_some_and(|token| token.text == "shocks")
        && span.first.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|before| number_of(&before.text).is_some());
    is_counted
        || is_electric && is_felt_shock(tokens, span)
        || is_like_drink(tokens, span)
        || is_shock && is_electric && tokens.get(span.last).is_some_and(|next| !next.after_break && FEELINGS.contains(&next.text.as_str()))
}

/// Whether shocks are felt in a part of the body, and no current is told of: "electric shocks in my cheek when I chew". One shock, or one of a plug, may be
/// the real thing.
fn is_felt_shock(tokens: &[Token], span: Span) -> bool {
    const CURRENT: [&str; 18] = [
        "plug",
        "plugs",
        "socket",
        "sockets",
        "toaster",
        "kettle",
        "wire",
        "wires",
        "wiring",
        "cable",
        "mains",
        "fence",
        "appliance",
        "lead",
        "switch",
        "lamp",
        "cooker",
        "taser",
    ];
    let word = |at: usize| tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
    let is_plural = span.last.checked_sub(1).is_some_and(|at| tokens.get(at).is_some_and(|token| token.text == "shocks"));
    let is_into = matches!(word(span.last), "in" | "down" | "through" | "along" | "across" | "up" | "into");
    let behind = span.last + 1..span.last + 4;
    let is_part = |at: usize| is_part_of_body(&[word(at).to_owned()]);
    let tells_of_current = || tokens.iter().any(|token| CURRENT.contains(&token.text.as_str()));
    is_plural && is_into && behind.into_iter().any(is_part) && !tells_of_current()
}

/// Whether a drink is only what something looks like: 小便像浓茶, "urine the colour of strong tea", "vomit like coffee". "I like coffee" is no likeness.
fn is_like_drink(tokens: &[Token], span: Span) -> bool {
    const DRINKS: [&str; 10] = ["coffee", "tea", "strong tea", "beer", "wine", "咖啡", "浓茶", "啤酒", "红酒", "酒"];
    const LOOKS: [&str; 9] = ["coloured", "colored", "colour", "color", "grounds", "granules", "色", "渣", "样"];
    const DESCRIBES: [&str; 9] = ["a", "the", "some", "black", "strong", "ground", "cold", "weak", "flat"];
    let words: Vec<&str> = tokens.get(span.first..span.last).unwrap_or_default().iter().map(|token| token.text.as_str()).collect();
    let is_chinese = tokens.get(span.first).is_some_and(|token| token.cjk);
    if !DRINKS.contains(&words.join(if is_chinese { "" } else { " " }).as_str()) {
        return false;
    }
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let joined = |at: usize| tokens.get(at + 1).is_some_and(|next| !next.after_break);
    let least = span.first.saturating_sub(3);
    let before = (least..span.first).rev().take_while(|at| joined(*at)).find(|at| !DESCRIBES.contains(&word(Some(*at))));
    let is_likened = before.is_some_and(|at| match word(Some(at)) {
        "像" => true,
        "of" => matches!(word(at.checked_sub(1)), "colour" | "color" | "shade"),
        "like" => matches!(
            word(at.checked_sub(1)),
            "looks"
                | "looked"
                | "look"
                | "looking"
                | "is"
                | "was"
                | "its"
                | "vomit"
                | "sick"
                | "urine"
                | "wee"
                | "pee"
                | "stuff"
                | "liquid"
                | "brown"
                | "dark"
                | "coloured"
                | "colored"
                | "frothy"
                | "foamy"
        ),
        _ => false,
    });
    is_likened || tokens.get(span.last).is_some_and(|next| !next.after_break && LOOKS.contains(&next.text.as_str()))
}

/// Whether what words name is said to go as it should, so that nobody complains of it: "gaining weight well", "good weight gain". What follows "well" in
/// its clause makes something else of it: "pain well controlled", "well into the night".
pub(super) fn is_going_well(tokens: &[Token], span: Span) -> bool {
    const WELL: [&str; 8] = ["well", "nicely", "beautifully", "normally", "appropriately", "happily", "steadily", "lovely"];
    const GOES_ON: [&str; 12] = ["and", "but", "so", "since", "now", "on", "for", "with", "too", "at", "though", "otherwise"];
    let word = |at: usize| tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
    let ends = |at: usize| word(at).is_empty() || GOES_ON.contains(&word(at));
    // Only of somebody who gains, feeds or sleeps: nobody bleeds well.
    let is_wanted = |token: &Token| {
        matches!(
            token.text.as_str(),
            "gaining" | "gain" | "gains" | "gained" | "putting" | "put" | "weight" | "growing" | "eating" | "hungry"
        ) || token.text.starts_with("appetite")
    };
    let is_of_growth = tokens.get(span.first..span.last).is_some_and(|words| words.iter().any(is_wanted));
    let is_praised = span.first.checked_sub(1).is_some_and(|before| {
        let joined = tokens.get(span.first).is_some_and(|token| !token.after_break);
        joined && tokens.get(before).is_some_and(|token| matches!(token.text.as_str(), "good" | "excellent" | "healthy" | "normal"))
    });
    let is_as_expected = word(span.last) == "as" && matches!(word(span.last + 1), "expected" | "he" | "she" | "they");
    is_of_growth && (is_praised || is_as_expected || WELL.contains(&word(span.last)) && ends(span.last + 1))
}

/// Whether a name of drunkenness says something else: how much of what was drunk, or what the text denies.
pub(super) fn is_not_drunk(tokens: &[Token], layout: &Layout, span: Span) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if span.last != span.first + 1 || !STATES.contains(&word(span.first)) {
        return false;
    }
    is_verb(tokens, span.first) || denies_drink(tokens, layout, span.first)
}

/// "I've drunk loads", "he has drunk two litres of water".
fn is_verb(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if word(at) != VERB {
        return false;
    }
    let begin = (at.saturating_sub(2)..at).rev().find(|before| !BETWEEN.contains(&word(*before)));
    let by_me = begin.is_some_and(|have| {
        let speaks = word(have) == "ive" || have.checked_sub(1).is_some_and(|before| matches!(word(before), "i" | "we"));
        I_HAVE.contains(&word(have)) && speaks
    });
    let may_have = begin.is_some_and(|have| I_HAVE.contains(&word(have)) || HAS.contains(&word(have))) && word(at + 1) != "on";
    let mut clause = (at + 1..=at + OBJECT).take_while(|next| tokens.get(*next).is_some_and(|token| !token.after_break));
    // "Has hardly drunk anything": of somebody who is hardly drunk, "is" tells.
    let hardly = may_have && at.checked_sub(1).is_some_and(|before| HARDLY.contains(&word(before)));
    by_me || hardly || may_have && clause.any(|next| SOFT.contains(&word(next)))
}

/// The words that tell what was hardly drunk: "hardly drunk any water" is no thirst.
pub(super) fn hardly_drunk(tokens: &[Token]) -> Vec<std::ops::Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    // "He was a little drunk when he collapsed".
    let is_some = |at: usize| word(at) == "little" && at.checked_sub(1).is_some_and(|before| word(before) == "a");
    let drinks =
        |at: usize| HARDLY.contains(&word(at)) && !is_some(at) && matches!(word(at + 1), "drunk" | "drinks" | "drank" | "drinking");
    let ends = |at: &usize| {
        tokens.get(*at).is_none_or(|token| token.after_break) || matches!(word(*at), "and" | "but" | "since" | "for" | "with" | "when")
    };
    let range = |at: usize| at + 1..(at + 2..at + 2 + HARDLY_WITHIN).find(ends).unwrap_or(at + 2 + HARDLY_WITHIN);
    (0..tokens.len()).filter(|at| drinks(*at)).map(range).collect()
}

/// "She hasn't touched a drop", "without having had a drink", in the same sentence or the next.
fn denies_drink(tokens: &[Token], layout: &Layout, at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let here = layout.sentence(at);
    let end = layout.sentence(here.last).last.max(here.last);
    (at + 1..end).any(|touched| {
        let denied = (touched.saturating_sub(2)..touched).any(|before| before > at && DENYING.contains(&word(before)));
        let mut sips = (touched + 1..touched + 4).take_while(|next| tokens.get(*next).is_some_and(|token| !token.after_break));
        TOUCHING.contains(&word(touched)) && denied && sips.any(|next| DROPS.contains(&word(next)) && !SINCE.contains(&word(next + 1)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn what_goes_as_it_should_is_no_complaint() {
        let goes_well = |text: &str, first: usize, last: usize| is_going_well(&tokenise(text), Span { first, last });
        assert!(goes_well("gaining weight well, feeds well", 0, 2) && goes_well("putting on weight nicely and sleeping", 0, 3));
        assert!(goes_well("good weight gain", 1, 3));
        for (text, first, last) in [
            ("gaining weight fast", 0, 2),
            ("bleeding well into the night", 0, 1),
            ("gaining weight, well I do not know", 0, 2),
            ("weight gain well above the centile", 0, 2),
        ] {
            assert!(!goes_well(text, first, last), "{text}");
        }
    }

    fn is_drunk(text: &str) -> bool {
        let tokens = tokenise(text);
        let at = tokens.iter().position(|token| STATES.contains(&token.text.as_str())).expect("is there");
        !is_not_drunk(&tokens, &Layout::of(text, &tokens), Span { first: at, last: at + 1 })
    }

    #[test]
    fn a_remedy_that_did_nothing_is_not_asked_about() {
        let failed = |text: &str| {
            let tokens = crate::text::tokenise(text);
            has_failed(&tokens, Span { first: 0, last: 1 })
        };
        for text in
            ["Bonjela hasn't touched it", "Zanflurex did nothing for me", "quilmodrane has made no difference", "Nostrolin isn't working"]
        {
            assert!(failed(text), "{text}");
        }
        for text in ["Bonjela for a baby?", "Zanflurex helped a lot", "quilmodrane with alcohol, does it work", "Nostrolin. Nothing helps"]
        {
            assert!(!failed(text), "{text}");
        }
    }

    #[test]
    fn shocks_and_drinks_may_be_what_something_is_like() {
        let is_like = |text: &str, first: &str, words: usize| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == first).expect("is there");
            is_only_like(&tokens, Span { first: at, last: at + words })
        };
        assert!(is_like("electric shocks in my cheek when I chew", "electric", 2));
        assert!(!is_like("electric shocks in my hand from the toaster", "electric", 2));
        assert!(!is_like("electric shock in my hand", "electric", 2));
        assert!(is_like("my wee is the colour of strong tea", "strong", 2) && is_like("vomit looks like coffee", "coffee", 1));
        assert!(is_like("小便像浓茶", "浓", 2) && is_like("吐咖啡色的东西", "咖", 2));
        assert!(!is_like("I like coffee", "coffee", 1) && !is_like("I drink strong tea", "strong", 2) && !is_like("我喝浓茶", "浓", 2));
    }

    #[test]
    fn what_something_is_like_is_not_told_to_be_there() {
        let is_like = |text: &str| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == "stroke").expect("is there");
            is_likeness(&tokens, Span { first: at, last: at + 1 })
        };
        for text in ["face droops as if she had a stroke", "it is like a stroke", "looks as though he's having a stroke"] {
            assert!(is_like(text), "{text}");
        }
        for text in
            ["had a stroke", "that is what it was like. stroke advice", "it is like my stroke last year", "if she has a stroke, what then"]
        {
            assert!(!is_like(text), "{text}");
        }
    }

    #[test]
    fn who_is_a_little_drunk_has_not_hardly_drunk() {
        let hardly = |text: &str| !hardly_drunk(&tokenise(text)).is_empty();
        assert!(hardly("has hardly drunk any water") && hardly("she has little drunk today"));
        assert!(!hardly("He was a little drunk when he collapsed"));
    }

    #[test]
    fn what_was_drunk_and_what_is_denied_is_no_drunkenness() {
        for text in [
            "I have drunk gallons and still cannot pee",
            "ive only drunk a bit today",
            "she has drunk two pints of squash since noon",
            "she has hardly drunk anything since yesterday",
            "he's drunk all his milk and is still hungry",
            "she seems drunk but hasn't touched any alcohol",
            "Dad looks drunk. He hasn't had a drink for years",
            "as if intoxicated, though he has not had a drop",
        ] {
            assert!(!is_drunk(text), "{text}");
        }
        for text in [
            "she is drunk and cannot be woken",
            "he's drunk loads and will not wake up",
            "got drunk last night, not had any breakfast",
            "found drunk in the street, had a fall",
            "very drunk, hasn't had anything to eat",
            "he was drunk and hit his head; vomits water",
            "he's drunk on vodka and coke",
            "still drunk, hasn't had a drink since midnight",
        ] {
            assert!(is_drunk(text), "{text}");
        }
    }
}
