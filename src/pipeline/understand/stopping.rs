//! Whether a question asks what happens if a drug is stopped, or tells that somebody means to stop it. The words are in `assets/stopping.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::Layout;
use super::whose::person_at;
use crate::language::phrase_table::PhraseTable;
use crate::run::{Case, CaseDrug, DrugStatus, FindingStatus};
use crate::text::{StopWords, Token, tokenise};

/// How many words behind the verb the drug may stand.
const WITHIN: usize = 6;
/// What may stand between the drug and what is done to it.
const ADVERBS: [&str; 6] = ["just", "ever", "safely", "suddenly", "abruptly", "simply"];
/// The most drugs that "them" may mean.
const MOST: usize = 3;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    verbs: Vec<String>,
    passives: Vec<String>,
    manners: Vec<String>,
    between: Vec<String>,
    beside: Vec<String>,
    these: Vec<String>,
    after_these: Vec<String>,
    means: Vec<String>,
    beside_chinese: Vec<String>,
    tapered: Vec<String>,
    harmless: Vec<String>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/stopping.toml")).unwrap_or_default());
/// The phrases for what is done, how, and that it is meant.
static PHRASES: LazyLock<[PhraseTable<()>; 4]> =
    LazyLock::new(|| [&FILE.verbs, &FILE.manners, &FILE.means, &FILE.passives].map(PhraseTable::of_phrases));

/// Chinese phrases beside which nothing else is told: those that stop, and those of the file.
static CHINESE: LazyLock<PhraseTable<()>> = LazyLock::new(|| {
    let lists = [&FILE.verbs, &FILE.manners, &FILE.means, &FILE.these, &FILE.beside_chinese];
    PhraseTable::of_phrases(lists.into_iter().flatten())
});

/// The drugs and classes that are never stopped suddenly, whatever small harm they do.
pub(crate) fn never_stopped_suddenly() -> &'static [String] {
    &FILE.tapered
}

/// The findings beside which it is said that a drug is never stopped suddenly: common side effects, none of which may be why it must be stopped at once.
pub(crate) fn small_harms() -> &'static [String] {
    &FILE.harmless
}

/// The drugs of a case of which the question asks what happens if they are stopped, by the names of their entities; only if it tells of nothing else.
pub(crate) fn asked_to_stop<'a>(question: &str, case: &'a Case) -> Vec<&'a str> {
    if tells_nothing_else(&tokenise(question), case) { asked_to_stop_beside(question, case) } else { Vec::new() }
}

/// The same, whatever else the question tells.
pub(crate) fn asked_to_stop_beside<'a>(question: &str, case: &'a Case) -> Vec<&'a str> {
    let tokens = tokenise(question);
    let layout = Layout::of(question, &tokens);
    let [verbs, manners, means, passives] = &*PHRASES;
    let in_use = |drug: &&CaseDrug| drug.status.was_given();
    let names = |drug: &'a CaseDrug| drug.entity.as_deref();
    let all_in_use: Vec<&str> = case.drugs.iter().filter(in_use).filter_map(names).collect();
    let is_meant = |at: usize| {
        let sentence = layout.sentence(at);
        sentence.asks || means.find_all(&tokens).iter().any(|found| (sentence.first..sentence.last).contains(&found.first))
    };
    let mut meant: Vec<&str> = Vec::new();
    for verb in verbs.find_all(&tokens).into_iter().filter(|verb| is_meant(verb.first)) {
        let last = layout.sentence(verb.first).last;
        let is_small = |at: &usize| tokens.get(*at).is_some_and(|token| FILE.between.contains(&token.text));
        let begins = (verb.last..last.min(verb.last + WITHIN)).find(|at| !is_small(at));
        let is_behind = |drug: &&CaseDrug| {
            let is_at = |token: &Token| drug.start <= token.start && token.end <= drug.end;
            begins.and_then(|at| tokens.get(at)).is_some_and(is_at)
        };
        let named: Vec<&str> =
            case.drugs.iter().filter(|drug| drug.status != DrugStatus::Allergic).filter(is_behind).filter_map(names).collect();
        let is_all =
            stands_for_drug(&tokens, verb.last) || ends_chinese(&tokens, verb.last) || ends_english(&tokens, (verb.first, verb.last));
        let means_all = named.is_empty() && all_in_use.len() <= MOST && is_all;
        meant.extend(if means_all { all_in_use.clone() } else { named });
    }
    // "Can bisoprolol be stopped?"
    for passive in passives.find_all(&tokens).into_iter().filter(|passive| is_meant(passive.first)) {
        let drug_before = |drug: &&CaseDrug| {
            let is_between =
                |token: &&Token| token.start >= drug.end && token.start < tokens.get(passive.first).map_or(0, |verb| verb.start);
            let is_before = tokens.get(passive.first).is_some_and(|verb| drug.end <= verb.start);
            is_before && tokens.iter().filter(is_between).all(|token| ADVERBS.contains(&token.text.as_str()))
        };
        meant.extend(case.drugs.iter().filter(|drug| drug.status != DrugStatus::Allergic).filter(drug_before).filter_map(names));
    }
    if all_in_use.len() <= MOST && manners.find_all(&tokens).into_iter().any(|found| is_meant(found.first)) {
        meant.extend(&all_in_use);
    }
    let mut seen = std::collections::BTreeSet::new();
    meant.retain(|name| seen.insert(*name));
    meant
}

/// Whether a question tells of nothing but the drug and of stopping it: who bleeds must not read that a drug should not be stopped. Each Chinese
/// character must belong to a phrase that tells of nothing else.
fn tells_nothing_else(tokens: &[Token], case: &Case) -> bool {
    let is_drug = |token: &Token| case.drugs.iter().any(|drug| drug.start <= token.start && token.end <= drug.end);
    let is_beside = |token: &Token| {
        let is_number = token.text.starts_with(|c: char| c.is_ascii_digit());
        is_number || StopWords::built_in().contains(&token.text) || FILE.beside.contains(&token.text) || tells_of_stopping(&token.text)
    };
    let mut is_told = vec![false; tokens.len()];
    // Any of them counts, also within a longer one: 能不能, 直接停, 停掉.
    for found in (0..tokens.len()).flat_map(|at| CHINESE.all_at(tokens, at)) {
        is_told.iter_mut().take(found.last).skip(found.first).for_each(|told| *told = true);
    }
    let is_chinese = |(token, told): (&Token, bool)| if token.cjk { told } else { is_beside(token) };
    let has_finding = case.findings.iter().any(|of| matches!(of.status, FindingStatus::Present | FindingStatus::Uncertain));
    let is_all = tokens.iter().zip(is_told).all(|(token, told)| is_drug(token) || is_chinese((token, told)));
    is_all && !(has_finding && tokens.iter().any(|token| token.cjk))
}

/// Whether a Chinese clause ends behind the verb: 要不要停, 能停吗.
fn ends_chinese(tokens: &[Token], at: usize) -> bool {
    let is_chinese = at.checked_sub(1).and_then(|verb| tokens.get(verb)).is_some_and(|verb| verb.cjk);
    is_chinese
        && tokens
            .get(at)
            .is_none_or(|next| next.after_break || matches!(next.text.as_str(), "吗" | "呢" | "吧" | "了" | "可" | "行" | "好"))
}

/// Whether an English clause ends with the verb, which somebody is to do: "wants to stop", "Stop?", and not "won't stop", "will it stop?".
fn ends_english(tokens: &[Token], (first, last): (usize, usize)) -> bool {
    let is_first = tokens.get(first).is_some_and(|verb| first == 0 || verb.after_stop);
    let before = first.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let is_somebody = matches!(before, "to" | "i" | "we" | "she" | "he" | "they" | "or" | "and" | "please" | "you");
    let is_latin = tokens.get(first).is_some_and(|verb| !verb.cjk);
    is_latin && (is_first || is_somebody) && tokens.get(last).is_none_or(|next| next.after_break)
}

/// Whether words only tell that, when and of whom somebody asks to stop: "bin", "tomorrow", "mum".
pub(crate) fn tells_of_stopping(words: &str) -> bool {
    let phrases = [&FILE.verbs, &FILE.passives, &FILE.manners, &FILE.these, &FILE.after_these, &FILE.between];
    let is_known = |word: &str| phrases.iter().any(|list| list.iter().any(|phrase| phrase.split(' ').any(|known| known == word)));
    let tokens = tokenise(words);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_said = is_known(&token.text).then_some(at + 1);
        let Some(next) = is_said.or_else(|| person_at(&tokens, at)) else { return false };
        at = next.max(at + 1);
    }
    true
}

/// Whether a word for the drug stands right behind the verb: "bin them tomorrow", and not "stop it hurting".
fn stands_for_drug(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let at = at + usize::from(matches!(word(at), "my" | "the" | "her" | "his" | "all"));
    let ends = tokens.get(at + 1).is_none_or(|next| next.after_break || FILE.after_these.contains(&next.text));
    FILE.these.iter().any(|these| these == word(at)) && ends
}

#[cfg(test)]
mod tests {
    use super::super::tests::topic_wordings;
    use super::*;

    fn case(question: &str, drugs: &[(&str, DrugStatus)]) -> Case {
        let drug = |(name, status): &(&str, DrugStatus)| {
            let start = question.find(name).unwrap_or_else(|| panic!("{name} in {question}"));
            CaseDrug {
                entity: Some((*name).to_owned()),
                text: (*name).to_owned(),
                status: *status,
                start,
                end: start + name.len(),
                days: None,
            }
        };
        Case { drugs: drugs.iter().map(drug).collect(), ..Case::default() }
    }

    #[test]
    fn the_file_is_valid() {
        let file: File = toml::from_str(include_str!("../../../assets/stopping.toml")).expect("valid");
        assert!(!file.verbs.is_empty() && !file.manners.is_empty() && !file.these.is_empty() && !file.means.is_empty());
    }

    #[test]
    fn wordings_of_stopping_are_recognised_and_what_is_only_told_is_not() {
        for (_, asks, wording) in topic_wordings().filter(|(topic, ..)| topic.starts_with("stopping:")) {
            let name = wording.split(['{', '}']).nth(1).expect("a name");
            let question = wording.replace(['{', '}'], "");
            let case = case(&question, &[(name, DrugStatus::Taken)]);
            assert_eq!(!asked_to_stop(&question, &case).is_empty(), asks, "{wording}");
        }
    }

    #[test]
    fn who_asks_about_stopping_a_drug_means_that_drug() {
        use DrugStatus::{Proposed, Taken};
        for question in [
            "Can I stop prednisolone?",
            "I've been on prednisolone for a year and want to bin them tomorrow",
            "I take prednisolone. Is it dangerous to stop dead?",
            "What happens if I come off my prednisolone?",
            "I am on prednisolone. How do I come off it?",
        ] {
            assert_eq!(asked_to_stop(question, &case(question, &[("prednisolone", Taken)])), ["prednisolone"], "{question}");
        }
        for question in [
            "I take prednisolone. How do I stop the bleeding?",
            "I take prednisolone. How can I stop it hurting?",
            "I take prednisolone. My knee is sore, what is it?",
            "He stopped prednisolone in May.",
            "I'm bleeding and take prednisolone, should I stop it?",
            "My tongue is swelling. Can I stop prednisolone?",
            "How do I stop a seizure with prednisolone?",
            "Should I stop breastfeeding while taking prednisolone?",
        ] {
            assert!(asked_to_stop(question, &case(question, &[("prednisolone", Taken)])).is_empty(), "{question}");
        }
        let question = "I take warfarin and prednisolone. Can I stop warfarin and use apixaban?";
        let drugs = [("prednisolone", Taken), ("apixaban", Proposed)];
        assert!(!asked_to_stop(question, &case(question, &drugs)).contains(&"prednisolone"));
    }
}
