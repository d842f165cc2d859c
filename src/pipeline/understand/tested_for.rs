//! Infections that are named only as what a test looks for: "hepatitis B and C serology negative" rules them out. Only where a negative test does so
//! (attribute `ruled_out_by=test`): an early borreliosis, a swab of a wound and a missing antibody of an autoimmune disease rule out nothing.

use super::layout::{Layout, gap};
use super::named::{Class, Named};
use super::scope::Scopes;
use crate::graph::{EvolvingGraph, qualifier_keys as keys};
use crate::language::direction::{may_stand_between, result_at};
use crate::language::negation::Denied;
use crate::run::ResultDirection;
use crate::text::Token;

/// The most words between a condition and the end of what is said of its test.
const WITHIN: usize = 14;

/// The value of the attribute of an infection that a negative test rules out.
const BY_TEST: &str = "test";
/// The most characters of a Chinese name in a list.
const ITEM: usize = 4;

/// Marks the infections whose tests are negative as absent; what a negative test does not rule out, as uncertain.
pub(super) fn mark_tested_for(
    scopes: &mut Scopes,
    (text, tokens, layout): (&str, &[Token], &Layout),
    named: &[Named],
    graph: &EvolvingGraph,
) {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    // Whoever is known to have one has it, whatever a test under treatment says.
    let is_known = |named: &Named| {
        named.span.first.checked_sub(1).is_some_and(|before| matches!(word(before), "known" | "chronic" | "treated" | "性"))
    };
    let is_excluded = |named: &&Named| graph.attributes(named.entity).get(keys::RULED_OUT_BY) == Some(BY_TEST);
    let conditions: Vec<Named> = named.iter().filter(|named| named.class == Class::Condition && !is_known(named)).cloned().collect();
    let infections: Vec<Named> = conditions.iter().filter(is_excluded).cloned().collect();
    for tested in &conditions {
        let span = tested.span;
        // A list of tests is read only for infections: "heart failure, hepatitis B serology negative".
        let excluded = is_excluded(&tested);
        let list: &[Named] = if excluded { &infections } else { &[] };
        if !is_negative(text, tokens, layout, span.last, list) {
            continue;
        }
        if excluded {
            scopes.mark(span.first..span.last, |marks| marks.absent = true);
            scopes.denied.push(Denied { cue: span.first, first: span.first, last: span.last });
        } else if matches!(word(span.last), "film" | "films" | "smear" | "smears" | "rdt") {
            // "Malaria film negative": a test that may miss it does not say that the patient has it, either.
            scopes.mark(span.first..span.last, |marks| marks.uncertain = true);
        }
    }
    scopes.denied.sort_by_key(|denied| denied.cue);
}

/// Whether a negative test is told behind the name of an infection that ends before token `first`, of which `infections` may be others of a list.
fn is_negative(text: &str, tokens: &[Token], layout: &Layout, first: usize, infections: &[Named]) -> bool {
    let Some(end) = first.checked_sub(1).map(|before| layout.sentence(before).last.min(first + WITHIN)) else { return false };
    let joins = |at: usize| {
        at.checked_sub(1)
            .is_some_and(|before| matches!(gap(text, tokens, before).trim(), "" | "," | "/" | "、" | "，" | "&" | "+" | "-" | "("))
    };
    // The other infections of the list: "hepatitis B and C", 乙肝、丙肝; 戊肝 may be a name that the graph has not.
    let is_chinese_item = |at: usize| {
        let is_begin = |at: &usize| at.checked_sub(1).is_some_and(|before| gap(text, tokens, before).trim() == "、");
        let begin = (at.saturating_sub(ITEM - 1)..=at).rev().find(is_begin);
        begin.is_some_and(|begin| (begin..=at).all(|at| tokens[at].cjk && test_at(tokens, at).is_none()))
    };
    let mut at = first;
    let mut is_list = false;
    while at < end && joins(at) {
        let other = infections.iter().find(|named| named.span.first == at);
        let word = tokens.get(at).map_or("", |token| token.text.as_str());
        at = match other {
            Some(other) => other.span.last,
            None if is_chinese_item(at) => at + 1,
            None if is_joint(word) || (word.len() == 1 && word.starts_with(char::is_alphanumeric)) => at + 1,
            None => break,
        };
        is_list = true;
    }
    // "HIV, swabs negative", "flu and swabs negative": the test is another's.
    let is_of_it = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map_or("", |token| token.text.as_str());
        at.checked_sub(1).is_some_and(|before| matches!(gap(text, tokens, before).trim(), "" | "/" | "-"))
            && !matches!(before, "and" | "or")
    };
    let tests = at;
    if !is_of_it(at) && test_at(tokens, at).is_some() {
        return false;
    }
    while let Some(length) = (at < end && joins(at)).then(|| test_at(tokens, at)).flatten() {
        at += length;
    }
    let has_test = at > tests;
    let mut is_of_all = false;
    while at < end && joins(at) {
        if result_at(tokens, at).is_some() {
            break;
        }
        let Some(token) = tokens.get(at).filter(|token| is_of_all_word(&token.text) || is_between(token)) else { break };
        is_of_all |= is_of_all_word(&token.text);
        at += 1;
    }
    let word = |at: usize| tokens.get(at).filter(|_| at < end).map_or("", |token| token.text.as_str());
    let is_minus = at.checked_sub(1).is_some_and(|before| gap(text, tokens, before).trim().ends_with(['-', '−'])) && word(at) == "ve";
    let said = result_at(tokens, at).filter(|_| at < end);
    is_of_all |= said.as_ref().is_some_and(|_| is_of_all_word(word(at)));
    let says_no = is_minus || said.is_some_and(|said| said.means == ResultDirection::Negative);
    says_no && (has_test || (is_list && is_of_all))
}

/// A word that joins the items of a list.
fn is_joint(word: &str) -> bool {
    matches!(word, "and" | "or" | "和" | "及" | "与" | "或" | "virus" | "viral")
}

/// A word between a test and its result.
fn is_between(token: &Token) -> bool {
    may_stand_between(token)
        || is_times(&token.text)
        || matches!(token.text.as_str(), "is" | "was" | "came" | "back" | "returned" | "为" | "是" | "呈" | "结" | "果")
}

/// "×3" or "x3": how often it was tested.
fn is_times(word: &str) -> bool {
    word.strip_prefix('x').unwrap_or(word).bytes().all(|byte| byte.is_ascii_digit())
}

/// A word that says that a result is of each test of a list.
fn is_of_all_word(word: &str) -> bool {
    matches!(word, "all" | "both" | "均" | "都" | "全")
}

/// The number of tokens of the word for a test at a token.
fn test_at(tokens: &[Token], at: usize) -> Option<usize> {
    const CHINESE: [&str; 10] = ["标志物", "抗体", "抗原", "血清学", "检测", "筛查", "核酸", "五项", "两对半", "培养"];
    let word = tokens.get(at)?.text.as_str();
    let is_test = matches!(
        word,
        "test"
            | "tests"
            | "screen"
            | "screens"
            | "serology"
            | "serologies"
            | "markers"
            | "antibody"
            | "antibodies"
            | "abs"
            | "ab"
            | "antigen"
    ) || matches!(
        word,
        "antigens"
            | "ag"
            | "igm"
            | "igg"
            | "pcr"
            | "swab"
            | "swabs"
            | "culture"
            | "cultures"
            | "titres"
            | "titers"
            | "naat"
            | "film"
            | "films"
            | "smear"
            | "smears"
            | "rdt"
    );
    let chinese = || {
        CHINESE.iter().map(|name| name.chars().count()).zip(CHINESE).find(|(length, name)| {
            let said: String = tokens.iter().skip(at).take(*length).map(|token| token.text.as_str()).collect();
            said == *name
        })
    };
    if is_test { Some(1) } else { chinese().map(|(length, _)| length) }
}
