//! Words that hedge or date a finding in one place and say something else in another: "is it just a migraine?", and "he has just had a fit".

use super::layout::Layout;
use crate::text::Token;

const MONTHS: [&str; 12] =
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/// Whether "just" tells when, and not how little: "he has just had a fit", "she just went blue", but "is it just a migraine?".
pub(super) fn is_just_of_time(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if word(at) != "just" {
        return false;
    }
    let next = word(at + 1);
    let is_joined = |at: usize| tokens.get(at).is_some_and(|token| !token.after_break);
    let is_being =
        |word: &str| matches!(word, "is" | "its" | "was" | "are" | "be" | "thats" | "isnt" | "or" | "maybe" | "probably" | "surely");
    let near = at.saturating_sub(3)..at;
    let is_said_to_be = near.rev().take_while(|before| is_joined(before + 1)).any(|before| is_being(word(before)));
    let begins = (at == 0 || !is_joined(at)) && matches!(next, "a" | "an" | "my" | "the" | "some" | "bad" | "normal");
    let has_happened = next.len() > 4 && next.ends_with("ed")
        || matches!(
            next,
            "now"
                | "then"
                | "had"
                | "been"
                | "got"
                | "gone"
                | "went"
                | "come"
                | "came"
                | "begun"
                | "began"
                | "after"
                | "before"
                | "about"
                | "woke"
                | "fell"
                | "given"
        );
    next != "be" && (has_happened || !(is_said_to_be || begins))
}

/// Whether a hedge is of a number: "for maybe fifteen seconds", "perhaps 3 times".
pub(super) fn is_hedged_number(tokens: &[Token], next: usize) -> bool {
    let is_hedge = next
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .is_some_and(|token| matches!(token.text.as_str(), "maybe" | "perhaps" | "possibly" | "probably" | "just"));
    let numbers = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "fifteen", "twenty", "thirty", "forty", "fifty",
        "sixty",
    ];
    is_hedge
        && tokens.get(next).is_some_and(|token| {
            !token.after_break && (token.text.starts_with(|c: char| c.is_ascii_digit()) || numbers.contains(&token.text.as_str()))
        })
}

/// "Had a fit in May", "had one last winter": over, as far as it is told, unless it began then.
pub(super) fn is_dated_had(tokens: &[Token], (first, last): (usize, usize), layout: &Layout) -> bool {
    let begins = |token: &Token| matches!(token.text.as_str(), "since" | "began" | "started" | "still" | "starting" | "keeps" | "ever");
    let rest = tokens.get(last..layout.sentence(first).last).unwrap_or_default();
    let near = rest.get(..rest.len().min(8)).unwrap_or_default();
    let is_dated = |two: &[Token]| {
        let [one, two] = two else { return false };
        let is_season = matches!(two.text.as_str(), "year" | "spring" | "summer" | "autumn" | "winter" | "christmas");
        (one.text == "in" && MONTHS.contains(&two.text.as_str())) || (one.text == "last" && is_season)
    };
    // "Three weeks ago": what somebody had for an hour is over, what came to stay began "since" or "started".
    let is_weeks_ago = |two: &[Token]| {
        let [one, two] = two else { return false };
        let is_unit = matches!(one.text.as_str(), "week" | "weeks" | "wks" | "month" | "months" | "year" | "years" | "yrs");
        is_unit && two.text == "ago"
    };
    tokens.get(first).is_some_and(|token| token.text == "had")
        && near.windows(2).any(|two| is_dated(two) || is_weeks_ago(two))
        && !near.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn just_hedges_what_something_is_and_not_what_has_happened() {
        let of_time = |text: &str| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == "just").expect("is there");
            is_just_of_time(&tokens, at)
        };
        for text in [
            "he has just had a seizure",
            "I just coughed up blood",
            "mum has just collapsed",
            "and just now stopped breathing",
            "its just gone numb",
            "she just went blue",
            "is it bad that I just threw up, its just started",
        ] {
            assert!(of_time(text), "{text}");
        }
        for text in [
            "is it just a migraine?",
            "could it just be wind",
            "Just a cold?",
            "probably just reflux",
            "its just my hay fever",
            "or just a virus",
        ] {
            assert!(!of_time(text), "{text}");
        }
    }

    #[test]
    fn a_hedge_before_a_number_is_of_the_number() {
        let of_number = |text: &str| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == "maybe").expect("is there");
            is_hedged_number(&tokens, at + 1)
        };
        assert!(of_number("stopped breathing for maybe fifteen seconds") && of_number("vomited maybe 6 times"));
        assert!(!of_number("maybe a stroke") && !of_number("a fit, maybe, twenty years ago"));
    }

    #[test]
    fn what_somebody_had_in_a_month_is_over_unless_it_began_then() {
        let is_over = |text: &str| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == "had").expect("is there");
            is_dated_had(&tokens, (at, at + 2), &Layout::of(text, &tokens))
        };
        assert!(
            is_over("he had a fit with a fever in may, sent home")
                && is_over("she had a clot last winter")
                && is_over("he had a fit 3 weeks ago, fine now")
        );
        for text in
            ["he had a fit this morning", "he had a fit 2 hours ago", "I had a cough that started in May", "had a rash since last summer"]
        {
            assert!(!is_over(text), "{text}");
        }
    }
}
