//! Numbers of tablets: "about thirty paracetamol", "two dozen of mum's amitriptyline", "a handful of", 三十多片. A count, unlike a dose, has no unit behind
//! it; a number that may as well be a strength ("took 50 sertraline") counts only beside words that tell of tablets.

mod spread;

use self::spread::{in_days, is_of_pack};
use super::times::{CHINESE_DIGITS, chinese_number, number_of};
use crate::language::recognise::Span;
use crate::text::{Token, clause_around};

/// From this number of tablets on, no prescription is meant.
pub(super) const TABLETS: f64 = 9.0;
/// More are a weight or a year.
pub(super) const MOST_TABLETS: f64 = 400.0;
/// From this number on, too much of any medicine was taken.
pub(super) const OF_ANY: f64 = 15.0;
/// What a handful holds, at least.
const HANDFUL: f64 = 16.0;
/// How far before a drug the number may stand, and how far before the number what was done, in words.
const BEFORE_DRUG: usize = 6;
const BEFORE_NUMBER: usize = 6;
/// How far after a drug the number of tablets may stand, and how far before the drug what was done, in words: "吃了一整盒多的对乙酰氨基酚（30片）".
const AFTER_DRUG: usize = 7;
const TAKEN_BEFORE_DRUG: usize = 12;
/// How far behind a drug it may be told that it was taken.
const TAKEN_BEHIND: usize = 7;
/// How many commas may stand between what was done and the number.
const ASIDES: usize = 2;
/// The usual strengths are multiples of this, in milligrams.
const STRENGTHS: f64 = 5.0;
/// What is counted.
pub(super) const COUNTED: [&str; 12] =
    ["tablets", "tablet", "tabs", "pills", "pill", "capsules", "caps", "caplets", "片", "粒", "颗", "枚"];
/// What holds many of them.
const CONTAINERS: [&str; 14] =
    ["packet", "packets", "pack", "packs", "box", "boxes", "bottle", "bottles", "strip", "strips", "tub", "tubs", "blister", "blisters"];
/// Words that tell of taking.
const TAKEN: [&str; 27] = [
    "took",
    // "Been through a pack of 16".
    "through",
    "taken",
    "take",
    "takes",
    "taking",
    "having",
    "necking",
    "necked",
    "swallowed",
    "swallow",
    "swallowing",
    "swallows",
    "gulped",
    "ate",
    "eaten",
    "ingested",
    "had",
    "downed",
    "overdosed",
    "overdose",
    "od",
    "ods",
    "吃",
    "吞",
    "服",
    "喝",
];
/// Those that nobody says of a prescribed dose.
const AT_ONCE: [&str; 16] = [
    "swallowed",
    "swallow",
    "swallowing",
    "swallows",
    "necked",
    "necking",
    "downed",
    "gulped",
    "ate",
    "eaten",
    "ingested",
    "overdosed",
    "overdose",
    "od",
    "ods",
    "吞",
];
/// Those that tell of what goes on, or may.
const GOES_ON: [&str; 5] = ["take", "takes", "taking", "having", "had"];
/// Words that may stand between the number and the drug.
const BETWEEN: [&str; 42] = [
    "x",
    "of",
    "the",
    "my",
    "her",
    "his",
    "their",
    "our",
    "your",
    "these",
    "those",
    "tablets",
    "tablet",
    "tabs",
    "pills",
    "pill",
    "capsules",
    "caplets",
    "several",
    "odd",
    "or",
    "so",
    "more",
    "strong",
    "strength",
    "extra",
    "mums",
    "moms",
    "dads",
    "grans",
    "nans",
    "mothers",
    "fathers",
    "grandmothers",
    "husbands",
    "wifes",
    "sisters",
    "brothers",
    "片",
    "粒",
    "颗",
    "枚",
];
const BETWEEN_CHINESE: [&str; 4] = ["了", "的", "多", "余"];
/// Words of a number that is not exact. No strength is said so.
const ABOUT: [&str; 17] = [
    "about",
    "around",
    "approximately",
    "approx",
    "roughly",
    "nearly",
    "almost",
    "over",
    "least",
    "maybe",
    "perhaps",
    "like",
    "some",
    "all",
    "probably",
    "than",
    "another",
];
/// What was counted, and not taken.
const KEPT: [&str; 11] =
    ["left", "prescribed", "dispensed", "delivered", "bought", "buy", "remaining", "cupboard", "supply", "spare", "issued"];

/// A number of tablets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Count {
    /// Its tokens.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) number: f64,
    /// Whether it can be no strength.
    pub(super) is_sure: bool,
}

/// The number that begins at a token.
fn count_at(tokens: &[Token], at: usize) -> Option<Count> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let found = |last: usize, number: f64, is_sure: bool| Some(Count { first: at, last, number, is_sure });
    let chinese = |word: &str| CHINESE_DIGITS.contains(&word) || word == "两";
    if tokens.get(at)?.cjk {
        // 几十片, 一大把, 一百片, 三十多片.
        return match (word(at), word(at + 1), word(at + 2)) {
            ("几" | "数", "十", _) => found(at + 2, 30.0, true),
            ("一" | "几" | "两", "大", "把") => found(at + 3, HANDFUL, true),
            ("一" | "几" | "两", "把", _) => found(at + 2, HANDFUL, true),
            (tens, "百", _) if chinese(tens) => found(at + 2, 100.0, true),
            _ => {
                let (number, last) = chinese_number(tokens, at)?;
                let more = usize::from(matches!(word(last), "多" | "几" | "来" | "余"));
                found(last + more, f64::from(number), true)
            }
        };
    }
    let tens = |word: &str| {
        let place = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"].iter().position(|tens| *tens == word);
        place.map(|place| (place as f64 + 2.0) * 10.0)
    };
    let first = if word(at) == "fourty" { Some(40.0) } else { tens(word(at)) };
    if let Some(tens) = first {
        let ones = number_of(word(at + 1)).filter(|ones| *ones < 10.0 && word(at + 1).len() > 2 && *ones == ones.trunc());
        return found(at + 1 + usize::from(ones.is_some()), tens + ones.unwrap_or(0.0), true);
    }
    match (word(at), word(at + 1)) {
        ("a" | "half" | "big" | "whole", "handful" | "fistful" | "mouthful") => return found(at + 2, HANDFUL, true),
        ("handful" | "fistful" | "handfuls" | "mouthful", _) => return found(at + 1, HANDFUL, true),
        ("a", "dozen") => return found(at + 2, 12.0, true),
        ("dozen", _) => return found(at + 1, 12.0, true),
        ("dozens", _) => return found(at + 1, 24.0, true),
        ("a" | "one", "hundred") => return found(at + 2, 100.0, true),
        ("hundred" | "hundreds", _) => return found(at + 1, 100.0, true),
        (number, "dozen") => return found(at + 2, number_of(number)? * 12.0, true),
        (number, "hundred") => return found(at + 2, number_of(number)? * 100.0, true),
        _ => {}
    }
    let digits = word(at);
    if digits.starts_with(|c: char| c.is_ascii_digit()) {
        // A range ("20 to 30", "20-30") begins with the least. With a unit it is a strength.
        let number = digits.parse::<f64>().ok().filter(|number| number.fract() == 0.0)?;
        let is_range = matches!(word(at + 1), "to" | "or") && word(at + 2).parse::<f64>().is_ok();
        return found(if is_range { at + 3 } else { at + 1 }, number, is_range);
    }
    let number = number_of(digits).filter(|number| *number >= TABLETS && number.fract() == 0.0)?;
    found(at + 1, number, true)
}

/// Whether a token is a strength, or the unit of one: "500mg", "500 mg".
fn is_strength(tokens: &[Token], at: usize, from: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_number = |at: usize| at >= from && word(at).parse::<f64>().is_ok();
    let unit = |word: &str| matches!(word, "mg" | "mgs" | "mcg" | "g" | "milligram" | "milligrams");
    let whole = word(at);
    let joined = whole.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    (joined.len() < whole.len() && unit(joined))
        || (is_number(at) && unit(word(at + 1)))
        || (unit(whole) && at.checked_sub(1).is_some_and(is_number))
}

/// The number of tablets right before a drug.
pub(super) fn count_before(tokens: &[Token], drug: Span) -> Option<Count> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_between =
        |at: usize, from: usize| BETWEEN.contains(&word(at)) || BETWEEN_CHINESE.contains(&word(at)) || is_strength(tokens, at, from);
    let counts = (drug.first.saturating_sub(BEFORE_DRUG)..drug.first).filter_map(|at| count_at(tokens, at));
    let mut joined = counts.filter(|count| {
        count.last <= drug.first
            && (count.last..drug.first).all(|at| is_between(at, count.last))
            && !(count.first + 1..=drug.first).any(|at| tokens.get(at).is_some_and(|token| token.after_break))
    });
    let mut count = joined.next()?;
    let before = (count.first.saturating_sub(2)..count.first).any(|at| ABOUT.contains(&word(at)));
    let is_counted = (count.last..drug.first).chain(drug.last..drug.last + 1).any(|at| COUNTED.contains(&word(at)));
    let has_strength = (count.last..drug.first).any(|at| is_strength(tokens, at, count.last) || word(at) == "x");
    count.is_sure |= before || is_counted || has_strength;
    (TABLETS..=MOST_TABLETS).contains(&count.number).then_some(count)
}

/// The number of tablets after a drug: only beside the word for what is counted, so that no strength is taken for a number.
pub(super) fn count_after(tokens: &[Token], drug: usize) -> Option<Count> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    // Behind one comma: "paracetamol, she swallowed about thirty tablets".
    let end = clause_end(tokens, drug, 1);
    let counts = (drug..end.min(drug + AFTER_DRUG)).filter_map(|at| count_at(tokens, at));
    let mut counted = counts.filter(|count| {
        let is_of_them = word(count.last) == "of" && matches!(word(count.last + 1), "them" | "those" | "these");
        let is_counted = COUNTED.contains(&word(count.last)) || is_of_them;
        (TABLETS..=MOST_TABLETS).contains(&count.number) && is_counted && !is_of_pack(tokens, drug, *count)
    });
    counted.next().map(|count| Count { last: count.last + 1, is_sure: true, ..count })
}

/// How a number of tablets was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// At once, or in secret.
    AtOnce,
    /// It was.
    Was,
    /// It goes on.
    GoesOn,
}

/// Whether it is told that a number of tablets of a drug was taken, and how. What is kept in a cupboard was not, and so many in so many days are a dose.
pub(super) fn is_taken(tokens: &[Token], count: Count, drug: Span) -> Option<Taken> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let (first, last) = (count.first.min(drug.first), count.last.max(drug.last));
    let stop = |at: usize| tokens.get(at).is_some_and(|token| token.after_stop);
    // "She took, she thinks, about thirty".
    let begin = (0..=first).rev().filter(|at| stop(*at)).nth(ASIDES).unwrap_or(0);
    let end = clause_end(tokens, last, 0);
    let window = if count.first < drug.first { BEFORE_NUMBER } else { TAKEN_BEFORE_DRUG };
    let before = begin.max(first.saturating_sub(window))..count.first.max(first);
    let behind = last..end.min(last + TAKEN_BEHIND);
    // "30 tablets left" were not taken, whatever was; "took 30 that were prescribed for her mother" were.
    let is_left = (count.last..last + 2).any(|at| matches!(word(at), "left" | "remaining" | "spare"));
    let is_kept = || (before.start..first).chain(behind.clone()).any(|at| KEPT.contains(&word(at)));
    let in_one = |at: usize| {
        matches!((word(at), word(at + 1)), ("at", "once") | ("one", "go") | ("single", "go") | ("one", "sitting"))
            || matches!((word(at), word(at + 1)), ("一", "次") | ("一", "下") | ("一", "口") | ("同", "时"))
    };
    let is_at_once = before.clone().chain(behind.clone()).any(in_one);
    // "30 paracetamol, swallowed last night": what is "to be taken" or "should be" was not.
    let is_behind = |at: &usize| {
        let word_before = word(at.saturating_sub(1));
        let is_planned = matches!(word_before, "be" | "to" | "not" | "can" | "should" | "being");
        (AT_ONCE.contains(&word(*at)) || matches!(word(*at), "taken" | "吃" | "服" | "喝")) && !is_planned
    };
    // What is nearest decides: "took ibuprofen, then bought 30 paracetamol".
    let nearest = before.clone().rev().find(|at| TAKEN.contains(&word(*at)) || KEPT.contains(&word(*at)));
    let verb = nearest.filter(|at| !KEPT.contains(&word(*at)));
    let told_behind = behind.clone().find(is_behind);
    let was_taken = verb.map(word).is_some_and(|verb| AT_ONCE.contains(&verb) || matches!(verb, "took" | "taken" | "吃" | "服"));
    // "Took 30 paracetamol and left a note", "… left over from his operation"; not "took one and has 30 left".
    let has = |at: usize| matches!(word(at), "has" | "have" | "got" | "is" | "are");
    let is_swallowed = was_taken && count.first < drug.first && verb.is_some_and(|verb| !(verb + 1..last).any(|at| stop(at) || has(at)));
    if (is_left && !is_swallowed) || (!was_taken && is_kept()) || in_days(tokens, count, end).is_some_and(|a_day| a_day < TABLETS) {
        return None;
    }
    match (verb.map(word), told_behind.map(word)) {
        (Some(verb), _) if AT_ONCE.contains(&verb) => Some(Taken::AtOnce),
        (_, Some(verb)) if AT_ONCE.contains(&verb) => Some(Taken::AtOnce),
        (verb, told) if is_at_once && (verb.is_some() || told.is_some() || count.is_sure) => Some(Taken::AtOnce),
        (Some(verb), _) if GOES_ON.contains(&verb) => Some(Taken::GoesOn),
        (Some(_), _) | (None, Some(_)) => Some(Taken::Was),
        (None, None) => None,
    }
}

/// One past the clause of a token, or past so many more.
fn clause_end(tokens: &[Token], from: usize, more: usize) -> usize {
    let mut stops = (from..tokens.len()).filter(|at| tokens.get(*at).is_some_and(|token| token.after_stop));
    stops.nth(more).unwrap_or(tokens.len())
}

/// Whether a number that is told without a word for tablets may be a strength in milligrams: "takes 50 atenolol".
pub(super) fn may_be_strength(count: Count) -> bool {
    !count.is_sure && count.number % STRENGTHS == 0.0
}

/// "Took a whole packet of paracetamol", "swallowed two boxes of ibuprofen": containers that were emptied.
pub(super) fn container_before(tokens: &[Token], drug: Span) -> Option<Count> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let begin = drug.first.saturating_sub(BEFORE_DRUG);
    let at = (begin..drug.first).rev().find(|at| CONTAINERS.contains(&word(*at)))?;
    let is_joined = (at + 1..drug.first).all(|at| BETWEEN.contains(&word(at)) || is_strength(tokens, at, begin));
    let is_broken = (at + 1..=drug.first).any(|at| tokens.get(at).is_some_and(|token| token.after_break));
    let first = at.checked_sub(1)?;
    let is_whole = matches!(word(first), "whole" | "entire" | "full");
    let is_one = || matches!(word(first), "a" | "the" | "his" | "her" | "my" | "their") || number_of(word(first)).is_some();
    // "Took a packet of paracetamol home".
    let is_carried = matches!(word(drug.last), "home" | "from" | "back" | "away")
        || (word(drug.last) == "with" && matches!(word(drug.last + 1), "him" | "her" | "me" | "them" | "us"))
        || (word(drug.last) == "to" && matches!(word(drug.last + 1), "work" | "school" | "hospital" | "the" | "him" | "her"));
    let count = Count { first, last: at + 1, number: HANDFUL, is_sure: true };
    let clause = clause_around(tokens, first);
    let before = clause.start.max(first.saturating_sub(BEFORE_NUMBER))..first;
    let is_told = |at: usize| {
        let verb = word(at);
        TAKEN.contains(&verb) && (is_whole && verb == "had" || !GOES_ON.contains(&verb)) && (is_whole || verb != "through")
    };
    let is_taken_now = is_taken(tokens, count, drug).is_some() && before.clone().any(is_told);
    let is_planned = before.into_iter().any(|at| super::overdose::PLANNED.contains(&word(at)) || word(at) == "not");
    (is_joined && !is_broken && (is_whole || is_one()) && !is_carried && is_taken_now && !is_planned).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    /// How so many tablets of a drug were taken, and whether the number may be a strength.
    fn told(text: &str, drug: &str) -> Option<(f64, Taken, bool)> {
        let (tokens, words) = (tokenise(text), tokenise(drug));
        let fits = |at: &usize| words.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == word.text));
        let first = (0..tokens.len()).find(fits).expect("is there");
        let span = Span { first, last: first + words.len() };
        let count = count_before(&tokens, span).or_else(|| count_after(&tokens, span.last))?;
        is_taken(&tokens, count, span).map(|taken| (count.number, taken, may_be_strength(count)))
    }

    #[test]
    fn tablets_that_were_taken_are_counted_in_figures_and_words() {
        for (text, number) in [
            ("My friend swallowed about thirty paracetamol last night", 30.0),
            ("I took about 30 paracetamol", 30.0),
            ("took 24 tablets of paracetamol", 24.0),
            ("she has downed thirty five paracetamol", 35.0),
            ("he took two dozen paracetamol", 24.0),
            ("took a dozen paracetamol", 12.0),
            ("took a handful of paracetamol", 16.0),
            ("had around forty 500mg paracetamol", 40.0),
            ("took 20 x 500 mg paracetamol", 20.0),
            ("30 paracetamol tablets at once", 30.0),
            ("thirty paracetamol swallowed at midnight", 30.0),
            ("swallowed twenty of my mum's paracetamol", 20.0),
            ("paracetamol, she swallowed about thirty tablets", 30.0),
            ("took 40 paracetamol over two days", 40.0),
            ("took 40 paracetamol that were prescribed for her mother", 40.0),
            ("took 30 paracetamol three days ago", 30.0),
            ("back pain for two weeks, took 30 paracetamol last night", 30.0),
            ("has had back pain for two weeks and swallowed 30 paracetamol", 30.0),
            ("took 30 paracetamol and left a note", 30.0),
            ("took 30 paracetamol left over from his operation", 30.0),
            ("took 24 paracetamol in despair three days after splitting up", 24.0),
            ("she took, she thinks, about thirty paracetamol", 30.0),
        ] {
            assert_eq!(told(text, "paracetamol").map(|(number, ..)| number), Some(number), "{text}");
        }
        for (text, number) in [
            ("我朋友昨晚吞了三十片对乙酰氨基酚", 30.0),
            ("吃了二十多片对乙酰氨基酚", 20.0),
            ("对乙酰氨基酚吃了几十片", 30.0),
            ("吞了一大把对乙酰氨基酚", 16.0),
        ] {
            assert_eq!(told(text, "对乙酰氨基酚").map(|(number, ..)| number), Some(number), "{text}");
        }
    }

    #[test]
    fn a_dose_a_stock_and_a_course_are_none() {
        for text in [
            "took two paracetamol",
            "took 1 g of paracetamol",
            "took 10 mg of paracetamol",
            "took 1000 paracetamol",
            "aged 30 on long-term paracetamol",
            "has had 30 paracetamol left in the cupboard",
            "paracetamol, took two, 30 tablets left",
            "prescribed thirty paracetamol",
            "took ibuprofen, then bought 30 paracetamol",
            "took thirty paracetamol over ten days",
            "took 16 paracetamol in the last 3 days",
            "20 paracetamol to be taken as needed",
            "took 2 paracetamol from a pack of 16 tablets, still headache",
            "took thirty paracetamol over ten days after surgery",
            "took ibuprofen and has 30 paracetamol left",
            "paracetamol",
        ] {
            assert_eq!(told(text, "paracetamol"), None, "{text}");
        }
        assert_eq!(told("三天吃了十二片对乙酰氨基酚", "对乙酰氨基酚"), None);
        for text in ["吃了两片对乙酰氨基酚", "对乙酰氨基酚（30片装）吃了两片，还是发烧", "一个月吃了三十片对乙酰氨基酚"]
        {
            assert_eq!(told(text, "对乙酰氨基酚"), None, "{text}");
        }
        assert!(told("失眠一个月吃了三十片对乙酰氨基酚", "对乙酰氨基酚").is_some());
        assert!(told("takes 50 atenolol", "atenolol").is_some_and(|(_, taken, strength)| taken == Taken::GoesOn && strength));
        assert!(told("took about 50 atenolol", "atenolol").is_some_and(|(_, _, strength)| !strength));
    }

    #[test]
    fn a_container_is_emptied_where_it_was_swallowed() {
        let emptied = |text: &str| {
            let tokens = tokenise(text);
            let first = tokens.iter().position(|token| token.text == "paracetamol").expect("is there");
            container_before(&tokens, Span { first, last: first + 1 }).is_some()
        };
        for text in [
            "took a whole packet of paracetamol",
            "she swallowed two boxes of paracetamol last night",
            "took a packet of paracetamol with vodka",
            "had a whole bottle of her paracetamol",
        ] {
            assert!(emptied(text), "{text}");
        }
        for text in [
            "bought a packet of paracetamol",
            "had a packet of paracetamol",
            "took a packet of paracetamol home",
            "took a packet of paracetamol over two weeks",
            "can I take a whole packet of paracetamol",
            "took ibuprofen, a packet of paracetamol is left",
        ] {
            assert!(!emptied(text), "{text}");
        }
    }
}
