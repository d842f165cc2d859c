//! Names that hold a denial, and text that is like them without it: "spots that do fade" must not be read as *Spots that do not fade*, of which it has
//! every word but the one that matters.

use super::negation::{is_denying, is_failing};
use super::recognise::Span;
use super::reordered_names::{DENYING, UNABLE, form_of};
use crate::text::Token;

/// How far before words a denial may stand that belongs to them: "does not really fade".
const BEFORE: usize = 2;
/// Characters that deny, and those that say the same of what goes badly: 睡得差 is like 睡不好.
const DENYING_CHARACTERS: &str = "不没无未非难少差弱";

/// Whether a name may hold a denial at all: a cheap look, since a question is compared with thousands of names.
fn may_deny(name: &str) -> bool {
    ["no", "No", "nt", "n't", "n’t", "ithout", "ever", "nable"].iter().any(|part| name.contains(part))
        || name.contains(['不', '没', '无', '未'])
}

/// Whether a token denies in a name.
pub(crate) fn denies(token: &Token) -> bool {
    if token.cjk {
        return matches!(token.text.as_str(), "不" | "没" | "无" | "未");
    }
    is_denying(token) || form_of(token).is_some_and(|form| form == DENYING || form == UNABLE)
}

/// Whether a token of a text denies, or says that something goes badly.
fn says_denial(token: &Token) -> bool {
    let word = token.text.as_str();
    match token.cjk {
        true => DENYING_CHARACTERS.contains(word),
        false => denies(token) || is_failing(token) || word.ends_with("less"),
    }
}

/// The words of a text at a span, with what may deny them before it.
fn with_denial(tokens: &[Token], span: Span) -> &[Token] {
    let joins = |at: &usize| tokens.get(*at).is_some_and(|token| !token.after_break);
    let back = (span.first.saturating_sub(BEFORE) + 1..=span.first).rev().take_while(joins).count();
    tokens.get(span.first - back..span.last).unwrap_or_default()
}

/// Whether a name holds a denial that the words of a span do not say.
pub(crate) fn lacks_denial(name: &[Token], tokens: &[Token], span: Span) -> bool {
    name.iter().any(denies) && !with_denial(tokens, span).iter().any(says_denial)
}

/// Whether the words of a span say without a denial what a name denies.
pub(crate) fn contradicts(name: &str, tokens: &[Token], span: Span) -> bool {
    if !may_deny(name) {
        return false;
    }
    let name = crate::text::tokenise(name);
    let said = with_denial(tokens, span);
    let is_said = |denied: &Token| said.iter().any(|token| is_same(token, denied));
    // What is denied is the first word of content behind the denial.
    let denied = |at: usize| name.get(at + 1..).unwrap_or_default().iter().find(|token| token.cjk || form_of(token).is_some());
    let contradicts = |(at, token): (usize, &Token)| denies(token) && denied(at).is_some_and(is_said);
    !said.iter().any(says_denial) && name.iter().enumerate().any(contradicts)
}

/// The forms of what English words say is lacking: the first word of content behind each denial ("with no pain"), and what "-less" takes away ("painless").
pub(crate) fn lacking(tokens: &[Token]) -> Vec<String> {
    let of_denial = |at: usize| tokens.get(at + 1..).unwrap_or_default().iter().find_map(form_of);
    let lacking = |(at, token): (usize, &Token)| match token.text.strip_suffix("less").filter(|word| word.len() > 2) {
        Some(word) => Some(word.to_owned()),
        None => denies(token).then(|| of_denial(at)).flatten(),
    };
    tokens.iter().enumerate().filter(|(_, token)| !token.cjk).filter_map(lacking).collect()
}

fn is_same(one: &Token, other: &Token) -> bool {
    if one.cjk || other.cjk { one.text == other.text } else { form_of(one).is_some_and(|form| form_of(other) == Some(form)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn whole(text: &str) -> (Vec<Token>, Span) {
        let tokens = tokenise(text);
        let span = Span { first: 0, last: tokens.len() };
        (tokens, span)
    }

    #[test]
    fn what_a_name_denies_is_not_said_by_the_words_without_the_denial() {
        for (text, name) in [
            ("pink spots that do fade with the glass", "spots don't fade with glass"),
            ("the rash fades when pressed", "rash that does not fade"),
            ("sleeping well", "not sleeping"),
            ("压之褪色", "压之不褪色"),
        ] {
            let (tokens, span) = whole(text);
            assert!(contradicts(name, &tokens, span) && lacks_denial(&tokenise(name), &tokens, span), "{text}: {name}");
        }
    }

    #[test]
    fn a_denial_in_other_words_is_one() {
        for (text, name) in [
            ("spots that won't fade with the glass", "spots don't fade with glass"),
            ("struggling to sleep", "cannot sleep"),
            ("my sleep is poor", "not sleeping"),
            ("压上去没有褪色", "压之不褪色"),
            ("red itchy spots", "red spots"),
        ] {
            let (tokens, span) = whole(text);
            assert!(!contradicts(name, &tokens, span) && !lacks_denial(&tokenise(name), &tokens, span), "{text}: {name}");
        }
        let tokens = tokenise("it does not fade");
        assert!(!contradicts("rash does not fade", &tokens, Span { first: 3, last: 4 }), "the denial stands before the span");
    }

    #[test]
    fn what_is_lacking_is_told_by_a_denial_or_by_less() {
        let words = |text: &str| lacking(&tokenise(text));
        assert_eq!(words("red urine with no pain"), ["pain"]);
        assert_eq!(words("Painless blood in urine"), ["pain"]);
        assert_eq!(words("red eyes without any discharge"), words("red eyes, not discharging"));
        assert_eq!(words("baby hasn't grown"), words("baby not growing"));
        assert!(words("painful red urine").is_empty() && words("less of it, 无痛").is_empty());
    }
}
