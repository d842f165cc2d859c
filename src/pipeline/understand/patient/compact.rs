//! Ages in the notations of notes: "2y8m F", "3y4/12", "8moM", "5/52 old", "58M". The same notations tell how long something has lasted, so
//! an age stands beside a sex, before "old", or at the beginning of a question or sentence.

use super::ages::months;
use super::reading::Question;
use super::{Age, Sex, YEAR};
use crate::text::Token;

/// How many words before an age may say whose it is.
const OWNED_WITHIN: usize = 3;
/// The most tokens of such an age, with "old" and the sex.
const TOKENS: usize = 6;
/// From this week on, a number of weeks beside a letter may be of a pregnancy; and the last one with which a text may begin.
const UNBORN: f32 = 18.0;
const OPENING: f32 = 10.0;
/// The oldest child whose age "18m" may tell, in months.
const IN_MONTHS: f32 = 36.0;
/// With these before it, a number and its unit tell how long, how far or how hot.
const LASTING: [&str; 25] = [
    "for", "past", "last", "since", "over", "x", "after", "within", "in", "every", "each", "next", "until", "till", "than", "to", "temp",
    "t", "walks", "walked", "walking", "walk", "of", "score", "day",
];
/// With these behind it, it is no age either.
const NO_AGE: [&str; 32] = [
    "ago",
    "back",
    "history",
    "hx",
    "hist",
    "h",
    "later",
    "post",
    "postop",
    "after",
    "since",
    "walk",
    "walks",
    "course",
    "duration",
    "pregnant",
    "gestation",
    "apart",
    "before",
    "prior",
    "into",
    "follow",
    "fu",
    "review",
    "away",
    "long",
    "supply",
    "wide",
    "deep",
    "from",
    "of",
    "o",
];
/// What goes on behind an age with which a text begins.
const TELLS: [&str; 20] = [
    "with",
    "w",
    "c",
    "has",
    "had",
    "who",
    "presents",
    "presenting",
    "presented",
    "brought",
    "and",
    "not",
    "wont",
    "refusing",
    "crying",
    "was",
    "is",
    "unwell",
    "woke",
    "previously",
];
/// Words of small children, with which "18m" is no man of 18.
const OF_CHILDREN: [&str; 18] = [
    "nappy",
    "nappies",
    "croup",
    "barking",
    "stridor",
    "bronchiolitis",
    "feeds",
    "feeding",
    "breastfed",
    "bottle",
    "nursery",
    "crying",
    "inconsolable",
    "immunisations",
    "teething",
    "toddler",
    "infant",
    "crawling",
];

/// An age in such a notation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Compact {
    pub(super) age: Age,
    /// One past its last token.
    pub(super) last: usize,
    /// The sex that is written beside it.
    pub(super) sex: Option<Sex>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Years,
    Months,
    Weeks,
    Days,
}

/// A run of digits or of letters, with its token.
struct Piece<'a> {
    text: &'a str,
    token: usize,
}

/// A number with its unit.
#[derive(Clone, Copy)]
struct Part {
    number: f32,
    of: Unit,
    /// "5/52".
    is_fraction: bool,
    /// Number and unit in one token.
    is_glued: bool,
    /// "m", "w" or "d", which may be anything else.
    is_bare: bool,
    /// "yo".
    is_old: bool,
    sex: Option<Sex>,
}

impl Part {
    fn at(pieces: &[Piece<'_>], at: usize) -> Option<Self> {
        let (value, unit) = (pieces.get(at)?, pieces.get(at + 1)?);
        let number: f32 = value.text.parse().ok()?;
        let is_glued = value.token == unit.token;
        let part = |of: Unit| Self { number, of, is_fraction: false, is_glued, is_bare: false, is_old: false, sex: None };
        let fraction = match unit.text {
            "12" => Some(Unit::Months),
            "52" => Some(Unit::Weeks),
            "7" => Some(Unit::Days),
            _ => None,
        };
        if let Some(of) = fraction {
            return Some(Self { is_fraction: true, ..part(of) });
        }
        if let Some(of) = unit_of(unit.text) {
            return Some(Self { is_bare: matches!(unit.text, "m" | "w" | "d"), is_old: unit.text == "yo", ..part(of) });
        }
        // "14mf", "8mom", "2yf"; "14mm" is a length.
        let letters = [("f", Sex::Female), ("m", Sex::Male)];
        let (short, sex) = letters.into_iter().find_map(|(letter, sex)| Some((unit.text.strip_suffix(letter)?, sex)))?;
        let is_unit = short.len() > 1 || short == "y" || (short == "m" && sex == Sex::Female);
        let of = unit_of(short).filter(|_| is_glued && is_unit)?;
        Some(Self { is_old: short == "yo", sex: Some(sex), ..part(of) })
    }

    fn in_months(&self) -> f32 {
        let year = f32::from(YEAR);
        match self.of {
            Unit::Years => self.number * year,
            Unit::Months => self.number,
            Unit::Weeks => self.number * year / 52.0,
            Unit::Days => self.number * year / 365.0,
        }
    }
}

fn unit_of(word: &str) -> Option<Unit> {
    match word {
        "y" | "yr" | "yrs" | "yo" | "year" | "years" => Some(Unit::Years),
        "m" | "mo" | "mos" | "mth" | "mths" | "month" | "months" => Some(Unit::Months),
        "w" | "wk" | "wks" | "week" | "weeks" => Some(Unit::Weeks),
        "d" | "day" | "days" => Some(Unit::Days),
        _ => None,
    }
}

/// The sex that a word beside an age tells.
fn sex_of(word: &str) -> Option<Sex> {
    match word {
        "f" | "female" | "girl" | "woman" | "lady" => Some(Sex::Female),
        "m" | "male" | "boy" | "man" | "lad" | "gentleman" => Some(Sex::Male),
        _ => None,
    }
}

/// Whether a token is an age and a sex in one: "62M".
pub(in crate::pipeline::understand) fn is_age_and_sex(tokens: &[Token], at: usize) -> bool {
    Question { tokens }.shorthand(at).is_some()
}

/// Whether somebody writes age and sex as notes have them: "58M", "34yo". Parents write so, too: "my 3yo".
pub(in crate::pipeline::understand) fn is_note(tokens: &[Token]) -> bool {
    let question = Question { tokens };
    let is_owned =
        |at: usize| (at.saturating_sub(OWNED_WITHIN)..at).any(|before| matches!(question.word(before), "my" | "our" | "im" | "am"));
    let is_years = |at: usize| {
        let years = ["yo", "yof", "yom"].iter().find_map(|end| question.word(at).strip_suffix(end));
        years.is_some_and(|years| !years.is_empty() && years.bytes().all(|byte| byte.is_ascii_digit()))
    };
    (0..tokens.len()).any(|at| (question.shorthand(at).is_some() || is_years(at)) && !is_owned(at))
}

impl Question<'_> {
    /// The runs of digits and letters from a token on, up to the end of its clause.
    fn pieces(&self, at: usize) -> Vec<Piece<'_>> {
        let is_digit = |c: char| c.is_ascii_digit() || c == '.';
        let mut all = Vec::new();
        for token in at..at + TOKENS {
            if token > at && self.breaks(token) {
                break;
            }
            let mut rest = self.word(token);
            while let Some(first) = rest.chars().next() {
                let end = rest.find(|c: char| is_digit(c) != is_digit(first)).unwrap_or(rest.len());
                let (text, behind) = rest.split_at(end);
                all.push(Piece { text, token });
                rest = behind;
            }
        }
        all
    }

    /// The age that is written in short at a token.
    pub(super) fn compact(&self, at: usize) -> Option<Compact> {
        if !self.word(at).starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let pieces = self.pieces(at);
        let piece = |number: usize| pieces.get(number).map_or("", |piece| piece.text);
        let first = Part::at(&pieces, 0)?;
        let (mut part, mut next, mut full) = (first, 2, first.in_months());
        let mut has_both = false;
        // "2y8m", "3y4/12".
        let may_go_on = first.of == Unit::Years && !first.is_old && first.sex.is_none();
        let second = Part::at(&pieces, 2).filter(|second| may_go_on && second.of == Unit::Months && second.number < f32::from(YEAR));
        if let Some(second) = second {
            (part, next, full, has_both) = (second, 4, full + second.in_months(), true);
        }
        let mut is_old = part.is_old;
        if matches!(piece(next), "old" | "olds") || (piece(next) == "o" && piece(next + 1) != "e") {
            (is_old, next) = (true, next + 1);
        } else if piece(next) == "of" && piece(next + 1) == "age" {
            (is_old, next) = (true, next + 2);
        }
        // "2y F"; "2y f/u" says when somebody comes again.
        let is_follow_up = piece(next) == "f" && matches!(piece(next + 1), "u" | "up");
        let behind = sex_of(piece(next)).filter(|_| part.sex.is_none() && !is_follow_up);
        let is_letter = behind.is_some() && piece(next).len() == 1;
        next += usize::from(behind.is_some());
        let last = pieces.get(next - 1)?.token + 1;
        let written = Written { part, has_both, behind, is_letter, follows: piece(next), last };
        let is_age = is_old || self.is_age_here(at, &written);
        let age = months(full).filter(|_| is_age && first.number <= 400.0)?;
        Some(Compact { age, last, sex: part.sex.or(behind) })
    }

    /// Whether a number with its unit is an age by where it stands.
    fn is_age_here(&self, at: usize, written: &Written<'_>) -> bool {
        let Written { part, has_both, behind, is_letter, follows, last } = *written;
        let before = if at == 0 { "" } else { self.word(at - 1) };
        let begins_clause = at == 0 || self.breaks(at);
        let is_plausible = match part.of {
            Unit::Years => (1.0..=110.0).contains(&part.number),
            Unit::Months => part.number <= 72.0,
            Unit::Weeks => part.number < UNBORN || !is_letter && behind.is_some(),
            Unit::Days => part.number <= 60.0,
        };
        // "Croup in 18moF".
        let has_sex = part.sex.is_some() || behind.is_some();
        let is_lasting = !begins_clause && LASTING.contains(&before) && !(before == "in" && has_sex);
        if !is_plausible || is_lasting || NO_AGE.contains(&follows) {
            return false;
        }
        if part.sex.is_some() {
            return true;
        }
        let is_determiner = matches!(before, "a" | "an" | "my" | "our" | "this" | "the");
        let begins = begins_clause || is_determiner;
        let is_unclear = (part.is_fraction || part.is_bare) && !has_both;
        if behind.is_some() && (begins || !is_letter || !is_unclear) {
            return true;
        }
        // "Girl 18mo, …", "F, 2y8m": who is told at the beginning of a clause.
        let ends = self.breaks(last) || TELLS.contains(&follows);
        let is_told = at > 0 && sex_of(before).is_some() && (at == 1 || self.breaks(at - 1));
        let is_long = part.of == Unit::Days || (part.is_fraction && part.of == Unit::Weeks);
        if is_told && ends && !is_long && (!begins_clause || !is_unclear && part.of != Unit::Weeks) {
            return true;
        }
        // "18mo with croup": how a text begins; later a sentence only with what is nothing else.
        let opens = at == 0 || at == 1 && is_determiner;
        let is_bare_months = part.of == Unit::Months && part.is_bare && !has_both;
        let is_short = match part.of {
            Unit::Years => !part.is_fraction,
            Unit::Months if is_bare_months => {
                part.number <= IN_MONTHS && part.is_glued && (0..self.tokens.len()).any(|at| OF_CHILDREN.contains(&self.word(at)))
            }
            Unit::Months => part.is_glued && !part.is_fraction,
            Unit::Weeks => part.is_glued && part.number <= OPENING,
            Unit::Days => false,
        };
        // "2 years of pain": what is written in full may be how long.
        let is_in_full = matches!(part.of, Unit::Years) && !part.is_glued && !self.breaks(last);
        let is_sentence = begins_clause && at > 0 && (has_both || part.of == Unit::Months && part.is_glued && !is_unclear);
        let goes_on = !self.breaks(last) && TELLS.contains(&follows);
        let is_all = last >= self.tokens.len() && at == 0;
        (opens && has_both) || (opens && is_short && ends && !is_in_full && !is_all) || (is_sentence && ends && (has_both || goes_on))
    }

    /// Whether a token belongs to such an age that began before it.
    pub(super) fn is_in_compact(&self, at: usize) -> bool {
        (at.saturating_sub(TOKENS)..at).any(|from| self.compact(from).is_some_and(|age| age.last > at))
    }

    /// "58M", "67F": age and sex in one token.
    pub(super) fn shorthand(&self, at: usize) -> Option<(f32, Sex)> {
        let word = self.word(at);
        let sex = match word.chars().next_back()? {
            'm' => Sex::Male,
            'f' => Sex::Female,
            _ => return None,
        };
        let years: f32 = word.get(..word.len() - 1)?.parse().ok().filter(|years| (1.0..=110.0).contains(years))?;
        let before = at.checked_sub(1).map_or("", |before| self.word(before));
        let is_time = matches!(
            before,
            "for" | "past" | "last" | "since" | "over" | "x" | "after" | "walks" | "about" | "than" | "to" | "temp" | "t" | "of"
        );
        // "2m ago" is when, "6m walk" how far, and in "34F headache 6m" the second how long.
        let next = if self.breaks(at + 1) { "" } else { self.word(at + 1) };
        let is_other = matches!(next, "ago" | "history" | "hx" | "walk" | "walks" | "later");
        let is_noted = |from: usize| {
            let years = self.word(from).strip_suffix(['m', 'f']).and_then(|years| years.parse::<f32>().ok());
            years.is_some() && (from == 0 || self.breaks(from))
        };
        let is_further = at > 0 && !self.breaks(at) && (0..at).any(is_noted);
        ((at == 0 || !is_time) && !is_other && !is_further && !self.is_in_compact(at)).then_some((years, sex))
    }

    /// The sex that is written beside an age: "58M", "2y8m F".
    pub(super) fn sex_of_notes(&self, at: usize) -> Option<Sex> {
        match self.compact(at) {
            Some(age) => age.sex,
            None => self.shorthand(at).map(|(_, sex)| sex),
        }
    }
}

/// What stands at a token and right behind it.
#[derive(Clone, Copy)]
struct Written<'a> {
    part: Part,
    /// Years and months.
    has_both: bool,
    behind: Option<Sex>,
    /// Whether the sex is one letter.
    is_letter: bool,
    /// The word behind it in its clause.
    follows: &'a str,
    last: usize,
}

#[cfg(test)]
mod tests {
    use super::super::Patient;
    use super::*;
    use crate::text::tokenise;

    fn read(text: &str) -> (Option<u16>, Option<Sex>) {
        let patient = Patient::of(&tokenise(text));
        (patient.age.filter(|age| age.from == age.to).map(|age| age.from), patient.sex)
    }

    #[test]
    fn compact_ages_are_read_with_the_sex_beside_them() {
        let (girl, boy) = (Some(Sex::Female), Some(Sex::Male));
        for (text, months, sex) in [
            ("1y4m F barking cough", 16, girl),
            ("3y 7m M off his legs", 43, boy),
            ("4y5/12 girl with a limp", 53, girl),
            ("2 yr 3 mth boy, wheezing", 27, boy),
            ("11mF vomiting", 11, girl),
            ("9moM, blotchy", 9, boy),
            ("5yoF with earache", 60, girl),
            ("2yF febrile", 24, girl),
            ("7/52 old, floppy", 1, None),
            ("baby 12/7 old, yellow", 0, None),
            ("15mo with croup", 15, None),
            ("7wk, not feeding", 1, None),
            ("1y9m, febrile convulsion", 21, None),
            ("15m, barking cough and stridor", 15, None),
            ("Advice please. 3y2m with a limp", 38, None),
            ("Girl 14mo, off feeds", 14, girl),
            ("4/12 M not gaining weight", 4, boy),
            ("18m girl with croup", 18, girl),
            ("6 y/o f, rash", 72, girl),
        ] {
            assert_eq!(read(text), (Some(months), sex), "{text}");
        }
        assert_eq!(read("58M chest pain"), (Some(58 * 12), boy));
        assert_eq!(read("34F, 3/52 of cough"), (Some(34 * 12), girl));
    }

    #[test]
    fn durations_distances_and_doses_are_no_ages() {
        for text in [
            "cough for 3m",
            "stent 2m ago",
            "5/52 history of diarrhoea",
            "breathless on a 6m walk",
            "3/7 fever and rash",
            "headaches x 2y",
            "prednisolone 10d course",
            "2y f/u after a stroke",
            "a mass of 14mm",
            "2 years of back pain",
            "review in 18mo",
        ] {
            assert_eq!(read(text).0, None, "{text}");
        }
        assert_eq!(read("34F headache 6m, worse"), (Some(34 * 12), Some(Sex::Female)), "how long is no age");
    }
}
