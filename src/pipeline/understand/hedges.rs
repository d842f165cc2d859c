//! Words that hedge a finding in one place and say something else in another: "is it just a migraine?", and "he has just had a fit".

use super::patient::is_unit_of_time;
use super::scope::Scopes;
use super::times::number_of;
use crate::language::recognise::Span;
use crate::text::Token;

/// How many words "not really" reaches.
const REALLY_WITHIN: usize = 3;
/// How many words before "just" may ask or guess.
const ASKED_WITHIN: usize = 4;

impl Scopes {
    /// What is hardly so is not sure, and not absent: 不怎么咳了, "isn't really coughing".
    pub(super) fn lessen(&mut self, tokens: &[Token]) {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        let is_hardly = |cue: usize| matches!(word(cue), "不" | "没") && word(cue + 1) == "怎" && word(cue + 2) == "么";
        let mut hardly: Vec<_> =
            self.denied.iter().filter(|denied| is_hardly(denied.cue)).map(|denied| denied.first..denied.last).collect();
        self.denied.retain(|denied| !is_hardly(denied.cue));
        // "Not really unwell no rash": the next denial is another.
        let goes_on =
            |token: &Token| !token.after_break && !matches!(token.text.as_str(), "no" | "not" | "without" | "and" | "but" | "nor");
        let is_joined = |at: usize| tokens.get(at).is_some_and(goes_on);
        let really = (1..tokens.len()).filter(|at| is_not_really(tokens, *at));
        hardly.extend(
            really.map(|at| at + 1..(at + 1..at + 1 + REALLY_WITHIN).find(|next| !is_joined(*next)).unwrap_or(at + 1 + REALLY_WITHIN)),
        );
        for range in hardly {
            self.mark(range, |marks| (marks.absent, marks.hardly) = (false, true));
        }
    }
}

/// The most characters between 是 and the 吗 that asks whether it is so.
const ASKED_CHINESE: usize = 10;
/// Behind these, something else is asked of it: 是糖尿病人能吃西瓜吗.
const GOES_ON_CHINESE: &str = "能可会要吃用需做打喝查治去应该敢人者的得";

impl Scopes {
    /// What 是 and 吗 stand around is asked, and not known: 这是糖尿病吗, 头痛是脑瘤吗.
    pub(super) fn find_asked_chinese(&mut self, tokens: &[Token]) {
        let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.text == word);
        let asks = (0..tokens.len()).filter(|at| ["吗", "嘛", "么"].iter().any(|word| is(*at, word)));
        for ask in asks.filter(|at| !at.checked_sub(1).is_some_and(|before| is(before, "什") || is(before, "怎") || is(before, "那"))) {
            let breaks = |at: &usize| tokens.get(at + 1).is_some_and(|token| token.after_break);
            let clause = (ask.saturating_sub(ASKED_CHINESE)..ask).rev().take_while(|at| !breaks(at));
            let goes_on = |at: usize| tokens.get(at).is_some_and(|token| GOES_ON_CHINESE.contains(&token.text));
            if let Some(begin) = clause.into_iter().find(|at| is(*at, "是")).filter(|begin| !(begin + 1..ask).any(goes_on)) {
                self.mark(begin + 1..ask, |marks| marks.uncertain = true);
            }
        }
    }
}

/// Whether a word of the rest of a sentence tells of what was long ago: "years ago", "as a child".
pub(super) fn is_of_the_past(rest: &[Token], word: &str) -> bool {
    let is_as_a = |three: &[Token]| matches!(three, [one, two, three] if one.text == "as" && two.text == "a" && three.text == word);
    matches!(word, "ago" | "previously" | "childhood")
        || matches!(word, "child" | "kid" | "baby" | "teenager") && rest.windows(3).any(is_as_a)
}

/// Whether a clause asks nothing but whether something of the patient is so ill: "is my liver failing", "are her kidneys failing"; not "is my asthma getting
/// worse", of which the asthma is known.
pub(super) fn is_asked_whether(tokens: &[Token], span: Span) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let breaks = |at: usize| tokens.get(at).is_none_or(|token| token.after_break);
    let is_owner = |at: usize| matches!(word(at), "my" | "his" | "her" | "our" | "their");
    // The name may begin with the owner.
    let owner = if is_owner(span.first) { Some(span.first) } else { span.first.checked_sub(1).filter(|at| is_owner(*at)) };
    let Some(owner) = owner else { return false };
    let Some(verb) = owner.checked_sub(1).filter(|at| matches!(word(*at), "is" | "are")) else { return false };
    let begins = verb == 0 || breaks(verb) || matches!(word(verb - 1), "so" | "and" | "but" | "or" | "mean" | "if" | "whether");
    let ends = breaks(span.last) || matches!(word(span.last), "or" | "because" | "then" | "now" | "yet" | "doctor" | "doc" | "please");
    let is_joined = (verb + 1..span.last).all(|at| !breaks(at));
    // The name says what of the patient it is, and what ails it.
    begins && ends && is_joined && span.last > owner + 2
}

/// Whether "really" stands behind a denial at a token: "not really", "isn't really".
pub(super) fn is_not_really(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map_or("", |token| token.text.as_str());
    let denies = matches!(before, "not" | "isnt" | "arent" | "wasnt" | "doesnt" | "dont" | "didnt" | "hasnt" | "havent");
    denies && tokens.get(at).is_some_and(|token| token.text == "really" && !token.after_break)
}

/// Whether "just" tells when, and not how little: "he has just had a fit", "she just went blue"; not "is it just a migraine?" or "I think he's just
/// having a stroke".
pub(super) fn is_just_of_time(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if word(at) != "just" {
        return false;
    }
    let asks = |word: &str| {
        let is_asking = matches!(
            word,
            "is" | "are" | "was" | "were" | "isnt" | "could" | "would" | "should" | "can" | "may" | "might" | "do" | "does" | "did"
        );
        is_asking
            || matches!(
                word,
                "or" | "maybe" | "probably" | "perhaps" | "possibly" | "think" | "thinks" | "reckon" | "wonder" | "if" | "whether"
            )
    };
    let is_joined = |at: usize| tokens.get(at).is_some_and(|token| !token.after_break);
    let near = (at.saturating_sub(ASKED_WITHIN)..at).rev().take_while(|before| is_joined(before + 1));
    let is_asked = near.into_iter().any(|before| asks(word(before)));
    let next = word(at + 1);
    let has_happened = next.len() > 4 && next.ends_with("ed")
        || matches!(
            next,
            "now" | "had" | "been" | "got" | "gone" | "went" | "come" | "came" | "begun" | "began" | "woke" | "fell" | "threw" | "given"
        );
    has_happened && !is_asked
}

/// Whether a hedge is of a number: "for maybe fifteen seconds", "perhaps 3 times".
pub(super) fn is_hedged_number(tokens: &[Token], next: usize) -> bool {
    let word = |at: usize| tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
    let hedge = next.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let unit = word(next + 1);
    let is_counted = is_unit_of_time(unit) || matches!(unit, "times" | "second" | "seconds" | "secs" | "sec");
    matches!(hedge, "maybe" | "perhaps" | "possibly" | "probably" | "just") && number_of(word(next)).is_some() && is_counted
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
            "mum had a funny turn, its just started",
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
    fn who_only_asks_whether_an_organ_fails_does_not_tell_it() {
        let asked = |text: &str, first: usize, last: usize| is_asked_whether(&tokenise(text), Span { first, last });
        assert!(asked("should i stop drinking? is my liver failing", 6, 8) && asked("are her kidneys failing?", 2, 4));
        assert!(!asked("is my asthma getting worse?", 2, 3) && !asked("my liver is failing", 0, 4));
        assert!(!asked("is my heart failure tablet safe", 2, 4) && !asked("my heart is bad, my liver failing", 5, 7));
    }

    #[test]
    fn a_hedge_before_a_number_is_of_the_number() {
        let of_number = |text: &str| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == "maybe").expect("is there");
            is_hedged_number(&tokens, at + 1)
        };
        assert!(of_number("stopped breathing for maybe fifteen seconds") && of_number("vomited maybe 6 times"));
        assert!(
            !of_number("maybe a stroke")
                && !of_number("maybe 3rd degree heart block")
                && !of_number("maybe two broken ribs")
                && !of_number("a fit, maybe, twenty years ago")
        );
    }
}
