//! What a question wants to prevent: it is asked about and is not there, so that nothing is done about having it. The words are in
//! `assets/prevention.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::negation::is_denying;
use crate::language::phrase_table::PhraseTable;
use crate::run::{AskKind, CaseAsk};
use crate::text::Token;

/// How far before a name the words may begin that say it is to be prevented, and how far behind its first item a list may go on, in words.
const BEFORE: usize = 9;
const IN_LIST: usize = 5;
/// How far before a name "against" may stand, and how far before that a word that weighs, in words.
const AGAINST_WITHIN: usize = 4;
const WEIGHED_WITHIN: usize = 3;
/// How far before "get" it may be denied, and how far before that the purpose may stand, in words.
const DENIED_WITHIN: usize = 5;
const PURPOSE_WITHIN: usize = 8;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    before: Vec<String>,
    behind: Vec<String>,
    ends: Vec<String>,
    between: Vec<String>,
    get: Vec<String>,
    purpose: Vec<String>,
    not: Vec<String>,
    against: Against,
    journey: Journey,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Against {
    words: Vec<String>,
    weighs: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Journey {
    ahead: Vec<String>,
    back: Vec<String>,
    drugs: Vec<String>,
    seeks: Vec<String>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/prevention.toml")).unwrap_or_default());

fn table(phrases: &'static [String]) -> PhraseTable<()> {
    PhraseTable::of_phrases(phrases)
}

static BEFORE_IT: LazyLock<PhraseTable<()>> = LazyLock::new(|| table(&FILE.before));
static BEHIND_IT: LazyLock<PhraseTable<()>> = LazyLock::new(|| table(&FILE.behind));
static GET: LazyLock<PhraseTable<()>> = LazyLock::new(|| table(&FILE.get));
static NOT: LazyLock<PhraseTable<()>> = LazyLock::new(|| table(&FILE.not));
static AHEAD: LazyLock<PhraseTable<()>> = LazyLock::new(|| table(&FILE.journey.ahead));
static BACK: LazyLock<PhraseTable<()>> = LazyLock::new(|| table(&FILE.journey.back));

/// Whether the words beside a name (tokens `first..last`) say that it is to be prevented: "stroke prevention", "so that we don't catch it".
pub(crate) fn is_to_be_prevented(tokens: &[Token], first: usize, last: usize) -> bool {
    says_so_before(tokens, first).is_some()
        || says_so_itself(tokens, first, last)
        || tokens.get(last).is_some_and(|token| !token.after_break) && (BEHIND_IT.at(tokens, last).is_some() || ends_so(tokens, last))
        || is_not_to_be_got(tokens, first)
        || is_of_journey(tokens, (first, last))
}

/// Whether a name of several words ends with one that says so: "bone protection" is wanted by somebody who has no osteoporosis yet.
fn says_so_itself(tokens: &[Token], first: usize, last: usize) -> bool {
    let end = last.checked_sub(1).filter(|end| *end > first).and_then(|end| tokens.get(end));
    end.is_some_and(|word| matches!(word.text.as_str(), "protection" | "prevention" | "prophylaxis" | "护"))
}

/// Whether a word that says it stands at token `at` and ends its clause.
fn ends_so(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| FILE.ends.contains(&token.text)) && tokens.get(at + 1).is_none_or(|next| next.after_break)
}

/// Where the words begin that say before a name that it is to be prevented.
pub(super) fn says_so_before(tokens: &[Token], first: usize) -> Option<usize> {
    (first.saturating_sub(BEFORE)..first).find(|at| {
        let Some(found) = BEFORE_IT.at(tokens, *at).filter(|found| found.last <= first) else { return false };
        joins(tokens, found.last, first)
    })
}

/// Whether between words that say it and a name only stands what may: an article, or other names of a list.
fn joins(tokens: &[Token], from: usize, to: usize) -> bool {
    let between = tokens.get(from..to).unwrap_or_default();
    let may_stand = |token: &Token| FILE.between.contains(&token.text);
    let is_open = tokens.get(from..=to).is_some_and(|all| all.iter().all(|token| !token.after_break));
    let is_list = || {
        let is_and = |token: &Token| matches!(token.text.as_str(), "and" | "or" | "和" | "或" | "及" | "与");
        between.len() <= IN_LIST && between.len() > 1 && between.last().is_some_and(is_and)
    };
    is_open && (between.iter().all(may_stand) || is_list())
}

/// Whether a name is not to be got: "so I don't get it", "to avoid catching it"; but not "I don't get it".
fn is_not_to_be_got(tokens: &[Token], first: usize) -> bool {
    let gets = (first.saturating_sub(BEFORE)..first).find(|at| {
        let Some(found) = GET.at(tokens, *at).filter(|found| found.last <= first) else { return false };
        joins(tokens, found.last, first)
    });
    let Some(gets) = gets else { return false };
    let begin = (gets.saturating_sub(DENIED_WITHIN)..gets)
        .rev()
        .find(|at| tokens.get(at + 1).is_some_and(|token| token.after_break && *at + 1 < gets))
        .map_or(gets.saturating_sub(DENIED_WITHIN), |at| at + 1);
    let has_purpose = |at: usize| {
        let before = tokens.get(at.saturating_sub(PURPOSE_WITHIN)..at).unwrap_or_default();
        before.iter().any(|token| FILE.purpose.contains(&token.text))
    };
    // "Have" is too common a word: "so I don't have a fever" tells of none.
    let may_be_had = |at: usize| tokens.get(gets).is_some_and(|token| token.text != "have") || has_so(tokens, at);
    (begin..gets).any(|at| {
        let is_not = NOT.at(tokens, at).is_some_and(|found| found.last <= gets);
        let is_denied = tokens.get(at).is_some_and(|token| is_denying(token) || matches!(token.text.as_str(), "wont" | "cant"));
        may_be_had(at) && (is_not || (is_denied && has_purpose(at)))
    })
}

/// Whether "so that" or "how" stands before.
fn has_so(tokens: &[Token], at: usize) -> bool {
    let words = tokens.get(at.saturating_sub(PURPOSE_WITHIN)..at).unwrap_or_default();
    words.windows(2).any(|two| matches!(two, [so, that] if so.text == "so" && that.text == "that"))
}

/// Whether a drug for it is asked for a journey that is still to come: "off to Ghana, which malaria tablets?".
fn is_of_journey(tokens: &[Token], (first, last): (usize, usize)) -> bool {
    let has = |table: &PhraseTable<()>| (0..tokens.len()).any(|at| table.at(tokens, at).is_some());
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let is_drug = |word: &str| FILE.journey.drugs.iter().any(|drug| drug == word);
    let seeks = |word: &str| is_drug(word) || FILE.journey.seeks.iter().any(|seeks| seeks == word);
    let is_for = matches!(word(first.checked_sub(1)), "for" | "against") && seeks(word(first.checked_sub(2)));
    let is_open = tokens.get(last).is_some_and(|token| !token.after_break);
    (is_for || (is_open && is_drug(word(Some(last))))) && has(&AHEAD) && !has(&BACK)
}

/// Where "against" stands before a name (tokens `first..last`) of something that is there, so that what helps is asked for: "what can be
/// done against the pain". With a word of prevention it is to be prevented, and evidence against it weighs what it is.
pub(super) fn asked_against(tokens: &[Token], (first, last): (usize, usize)) -> Option<usize> {
    let is_against = |at: &usize| tokens.get(*at).is_some_and(|token| FILE.against.words.contains(&token.text));
    let at = (first.saturating_sub(AGAINST_WITHIN)..first).rev().find(is_against).filter(|at| joins(tokens, at + 1, first))?;
    let before = tokens.get(at.saturating_sub(WEIGHED_WITHIN)..at).unwrap_or_default();
    let is_weighed = before.iter().any(|token| FILE.against.weighs.contains(&token.text));
    (!is_weighed && !is_to_be_prevented(tokens, first, last)).then_some(at)
}

/// Where the name of what is to be prevented ends within the name of a drug for it, where a journey is still to come: "malaria tablets".
pub(super) fn end_of_goal(tokens: &[Token], (first, last): (usize, usize)) -> Option<usize> {
    let end = last.checked_sub(1).filter(|end| *end > first)?;
    is_of_journey(tokens, (first, end)).then_some(end)
}

/// Makes of what is asked about what is to be prevented (`goals`) a question for its prevention: "what do I take so I don't get it" asks
/// for no treatment of it. `is_open`: whether nothing is told that care could be for.
pub(super) fn settle(asks: &mut Vec<CaseAsk>, goals: &[String], is_open: bool) {
    if goals.is_empty() {
        return;
    }
    let is_of_goals = |ask: &CaseAsk| !ask.of.is_empty() && ask.of.iter().all(|name| goals.contains(name));
    let is_care =
        |kind| matches!(kind, AskKind::Treatment | AskKind::Tests | AskKind::Safety | AskKind::Contraindications | AskKind::Diagnosis);
    let is_other = |ask: &CaseAsk| match ask.kind {
        AskKind::Treatment | AskKind::Contraindications | AskKind::Safety => is_of_goals(ask) || (ask.of.is_empty() && is_open),
        kind => is_care(kind) && is_of_goals(ask),
    };
    let asks_how = !asks.is_empty() && asks.iter().all(|ask| ask.kind == AskKind::Treatment && ask.of.is_empty());
    let is_asked = asks_how || asks.iter().any(|ask| ask.kind == AskKind::Prevention || is_other(ask)) || (asks.is_empty() && is_open);
    if !is_asked {
        return;
    }
    asks.retain(|ask| !is_other(ask));
    match asks.iter_mut().find(|ask| ask.kind == AskKind::Prevention) {
        // "Gout prophylaxis in CKD" prevents the gout.
        Some(ask) => ask.of = goals.to_vec(),
        None => asks.push(CaseAsk { kind: AskKind::Prevention, of: goals.to_vec() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn the_file_is_valid() {
        let file: File = toml::from_str(include_str!("../../../assets/prevention.toml")).expect("valid");
        assert!([&file.before, &file.behind, &file.between, &file.get, &file.not, &file.journey.ahead].iter().all(|list| !list.is_empty()));
        assert!(!file.against.words.is_empty() && !file.against.weighs.is_empty());
    }

    #[test]
    fn against_asks_for_what_helps_unless_a_word_of_prevention_stands_before_it() {
        let asked = |text: &str, name: &str| {
            let (tokens, words) = (tokenise(text), tokenise(name));
            let fits =
                |at: &usize| words.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == word.text));
            let first = (0..tokens.len()).find(fits).expect("is there");
            asked_against(&tokens, (first, first + words.len())).is_some()
        };
        for (text, name) in [
            ("What helps against the itching?", "itching"),
            ("Is there anything to do against a severe migraine?", "migraine"),
            ("Which tablets against gout?", "gout"),
        ] {
            assert!(asked(text, name), "{text}");
        }
        for (text, name) in [
            ("What protects against gout?", "gout"),
            ("Are there vaccines against cholera?", "cholera"),
            ("Does a shot against tetanus hurt?", "tetanus"),
            ("What speaks against gout?", "gout"),
            ("Off to Ghana, which tablets against malaria?", "malaria"),
            ("The doctor was against it. Migraine again", "migraine"),
        ] {
            assert!(!asked(text, name), "{text}");
        }
    }

    #[test]
    fn what_is_to_be_prevented_is_told_from_what_is_there() {
        let is_prevented = |text: &str, name: &str| {
            let (tokens, words) = (tokenise(text), tokenise(name));
            let fits =
                |at: &usize| words.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == word.text));
            let first = (0..tokens.len()).find(fits).expect("is there");
            is_to_be_prevented(&tokens, first, first + words.len())
        };
        for (text, name) in [
            ("Off to Ghana in May. Which malaria tablets should I take?", "malaria"),
            ("what do we take so the kids don't catch cholera", "cholera"),
            ("How do I keep him from getting another kidney stone?", "kidney stone"),
            ("prophylaxis for typhoid and cholera", "cholera"),
            ("How can I protect my daughter against measles?", "measles"),
            ("Which anticoagulant for stroke prevention?", "stroke"),
            ("how to avoid dengue", "dengue"),
            ("下周去老挝旅游，吃什么药防疟疾", "疟疾"),
            ("吃什么才不会得痛风", "痛风"),
            ("怎样避免再次中风", "中风"),
            ("How are kidney stones prevented?", "kidney stones"),
            ("Can a second stroke be prevented", "stroke"),
        ] {
            assert!(is_prevented(text, name), "{text}");
        }
        for (text, name) in [
            ("I don't get headaches, but now gout", "gout"),
            ("I have chest pain, need help, flying to Spain tomorrow", "chest pain"),
            ("gout, tablets do not help, off to Spain", "gout"),
            ("Back from Ghana with malaria. What do I take?", "malaria"),
            ("She is going to hospital with gout, which tablets?", "gout"),
            ("I have had measles. How do I protect my daughter?", "measles"),
            ("Gout prevented him from walking", "gout"),
            ("我得了疟疾，吃什么药", "疟疾"),
            ("去老挝旅游回来得了疟疾，吃什么药", "疟疾"),
        ] {
            assert!(!is_prevented(text, name), "{text}");
        }
    }

    #[test]
    fn care_asked_of_what_is_to_be_prevented_asks_for_prevention() {
        let ask = |kind, of: &[&str]| CaseAsk { kind, of: of.iter().map(|name| (*name).to_owned()).collect() };
        let goals = ["Malaria".to_owned()];
        let settled = |mut asks: Vec<CaseAsk>, is_open: bool| {
            settle(&mut asks, &goals, is_open);
            asks
        };
        let prevention = ask(AskKind::Prevention, &["Malaria"]);
        assert_eq!(settled(vec![ask(AskKind::Treatment, &["Malaria"])], true), std::slice::from_ref(&prevention));
        assert_eq!(settled(vec![ask(AskKind::Treatment, &[]), prevention.clone()], true), std::slice::from_ref(&prevention));
        let of_other = ask(AskKind::Treatment, &["Gout"]);
        assert_eq!(settled(vec![of_other.clone(), prevention.clone()], true), [of_other, prevention.clone()]);
        let of_case = ask(AskKind::Treatment, &[]);
        assert_eq!(settled(vec![of_case.clone(), prevention.clone()], false), [of_case, prevention], "the findings are treated");
        let mut none = vec![ask(AskKind::Safety, &[])];
        settle(&mut none, &[], true);
        assert_eq!(none, [ask(AskKind::Safety, &[])]);
    }
}
