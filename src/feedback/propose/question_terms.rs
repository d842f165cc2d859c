//! The terms of a question: symptoms and conditions that it names, known to the graph or new.

use super::cited_chains::of_question;
use super::entity::Term;
use crate::graph::{Kind, stem};
use crate::run::{MentionOrigin, Trace};
use crate::text::{StopWords, Token, capitalised, fold, tokenise};

/// The most words of content that a term has …
const WORDS: usize = 4;
/// … and characters, in Chinese.
const IDEOGRAPHS: usize = 8;
/// The most terms that are taken from one question.
const MOST: usize = 12;
/// Words between two unknown words that make one term of them ("dryness in my mouth").
const JOINING: [&str; 12] = ["in", "of", "on", "my", "the", "with", "to", "her", "his", "behind", "around", "when"];
/// Words that say that something is not there, where they stand shortly before it.
const DENYING: [&str; 8] = ["no", "without", "denies", "denied", "nor", "never", "neither", "not"];
const DENYING_CHINESE: [&str; 4] = ["没有", "无", "否认", "不伴"];
/// How many words before a mention are looked at for one of these.
const BEFORE: usize = 3;

/// Words that say nothing about a patient by themselves; they are cut off from both ends of a term. (Words that say nothing anywhere are stop words.)
const GENERIC: &str = "medical health hospital clinic clinics life work job home body area side part \
    stuff sensation feeling worse better worried worry concerned concern scared afraid normal sure idea reason cause caused \
    situation recent frequent occasional constant constantly persistent intermittent extreme intense strange weird unusual \
    difficult hard continue continues personal professional diagnosed diagnose found history case improve improving happened \
    happening long bit sudden general sharp usual plus losing lost speaking weak frequently slightly slight normally painful \
    believe worrying appear appeared cell wondering";

/// People whom a clause may be about instead of the patient, and what happens in a life.
const OTHER_PEOPLE: &str = "husband wife partner spouse fiance fiancee boyfriend girlfriend friend neighbour neighbor colleague boss landlord \
    roommate classmate";
const LIFE_EVENTS: &str =
    "died death funeral divorce divorced married marriage wedding widow widowed widower retirement redundancy unemployed holiday";
const OTHERS_CHINESE: [&str; 8] = ["去世", "离婚", "结婚", "丈夫", "妻子", "老公", "老婆", "退休"];

/// Words that are no symptom alone: parts of the body, which are where one is, and what is always trouble with something.
const NOT_ALONE: &str = "trouble difficulty difficulties abdomen ankle arm back belly bladder blood body bone bowel brain breast bum cheek chest ear elbow eye eyelid face finger \
    foot feet forehead genital groin gum hair hand head heart hip jaw joint kidney knee leg lip liver lung mouth muscle nail \
    neck nose penis rectum scalp shoulder skin spine stomach testicle throat toe tongue tooth teeth vagina wrist";

/// How names of diseases end, so that a question that names one which the graph does not have is about it.
const DISEASE_ENDINGS: [&str; 24] = [
    "syndrome",
    "disease",
    "disorder",
    "cancer",
    "tumor",
    "tumour",
    "infection",
    "itis",
    "osis",
    "emia",
    "aemia",
    "oma",
    "pathy",
    "fracture",
    "diabetes",
    "hernia",
    "病",
    "症",
    "炎",
    "癌",
    "瘤",
    "综合征",
    "sclerosis",
    "plasia",
];

/// Words that name no disease alone, so that recognition leaves them out; behind an unknown word they belong to its name ("Turner syndrome").
const DISEASE_NOUNS: [&str; 4] = ["syndrome", "syndromes", "disease", "disorder"];

/// The symptoms and conditions of a question.
#[derive(Debug, Default, PartialEq)]
pub(super) struct QuestionTerms {
    /// Symptoms, known or new.
    pub(super) symptoms: Vec<Term>,
    /// Conditions that it names, known or new.
    pub(super) conditions: Vec<Term>,
    /// How many of its words were no terms.
    pub(super) skipped: u64,
}

/// Reads a run's question: the anchors that it names (not those that the doctor rejected, nor what it denies), and what of it links to
/// nothing. `is_condition` tells of an entity without a kind that helps.
pub(super) fn question_terms(trace: &Trace, is_condition: impl Fn(&str) -> bool) -> QuestionTerms {
    let mut found = QuestionTerms::default();
    let of_question = of_question(trace);
    let new = unlinked(trace);
    for anchor in trace.anchors.iter().filter(|anchor| of_question.contains(anchor.entity.as_str())) {
        let spans: Vec<usize> = mentions(trace).filter(|(text, _, _)| *text == anchor.mention).map(|(_, start, _)| start).collect();
        // The pain of "joint pain" is not a term of its own.
        let is_part = |start: &usize| new.iter().any(|(from, to)| from < start && start < to);
        if !spans.is_empty() && spans.iter().all(is_part) {
            continue;
        }
        if !spans.is_empty() && spans.iter().all(|start| is_denied(&trace.question, *start)) {
            found.skipped += 1;
            continue;
        }
        let kind = Kind::parse(&anchor.kind);
        let term = Term::new(anchor.entity.clone(), kind.clone());
        match kind {
            Kind::Disease => found.conditions.push(term),
            Kind::Symptom => found.symptoms.push(term),
            Kind::Other(_) if is_condition(&anchor.entity) => found.conditions.push(term),
            Kind::Other(_) => found.symptoms.push(term),
            _ => {}
        }
    }
    let mut terms: Vec<String> = Vec::new();
    for (start, end) in new {
        let is_told = is_denied(&trace.question, start) || is_narrative(&trace.question, start);
        let term = trace.question.get(start..end).filter(|_| !is_told).and_then(sensible);
        match term.filter(|term| terms.len() < MOST && !terms.iter().any(|known| fold(known) == fold(term))) {
            Some(term) => terms.push(term),
            None => found.skipped += 1,
        }
    }
    for term in terms {
        let folded = fold(&term);
        if DISEASE_ENDINGS.iter().any(|ending| folded.ends_with(ending)) {
            found.conditions.push(Term::new(term, Kind::Disease));
        } else {
            found.symptoms.push(Term::new(term, Kind::Symptom));
        }
    }
    found
}

/// Whether a place stands in a clause about somebody else, or about what happened in a life: "Her husband died" names no symptom.
fn is_narrative(question: &str, at: usize) -> bool {
    let is_end = |c: char| matches!(c, '.' | '!' | '?' | ',' | ';' | '\n' | '。' | '，' | '；' | '！' | '？');
    let (Some(before), Some(after)) = (question.get(..at), question.get(at..)) else { return false };
    let start = before.rfind(is_end).map_or(0, |found| found + before[found..].chars().next().map_or(1, char::len_utf8));
    let end = at + after.find(is_end).unwrap_or(after.len());
    let clause = question.get(start..end).unwrap_or_default();
    tokenise(clause).iter().any(|token| has(OTHER_PEOPLE, &token.text) || has(LIFE_EVENTS, &token.text))
        || OTHERS_CHINESE.iter().any(|word| clause.contains(word))
}

/// Mentions of the question: text, start, end.
fn mentions(trace: &Trace) -> impl Iterator<Item = (&str, usize, usize)> {
    let of_question = trace.mentions.iter().filter(|mention| mention.origin == MentionOrigin::Question);
    of_question.map(|mention| (mention.text.as_str(), mention.start, mention.end))
}

/// Where the words stand that link to nothing; those that only [`JOINING`] words part are one. Words right behind what links are one with it:
/// of "pain in my legs" where only pain is known, the pain in the legs is what is new.
fn unlinked(trace: &Trace) -> Vec<(usize, usize)> {
    let is_unlinked = |text: &str| trace.unlinked.iter().any(|known| known == text);
    let mut spans: Vec<(usize, usize, bool)> = mentions(trace).map(|(text, start, end)| (start, end, is_unlinked(text))).collect();
    spans.sort_unstable();
    spans.dedup();
    let mut joined: Vec<(usize, usize, bool)> = Vec::new();
    for (start, end, new) in spans {
        match joined.last_mut() {
            Some(last) if new && trace.question.get(last.1..start).is_some_and(is_joining) => (last.1, last.2) = (end, true),
            // "joint pain" where only pain is known, and "abdominal pain" where each word is: the longest known name was taken, so the two
            // together have none yet.
            Some(last) if trace.question.get(last.1..start) == Some(" ") => (last.1, last.2) = (end, true),
            _ => joined.push((start, end, new)),
        }
    }
    let new = joined.into_iter().filter(|(_, _, new)| *new);
    new.map(|(start, end, _)| (start, end + disease_noun(&trace.question, end))).collect()
}

/// The length of the word with which the name of a disease goes on behind a place, with the space before it; 0 if there is none.
fn disease_noun(question: &str, end: usize) -> usize {
    let Some(rest) = question.get(end..).and_then(|rest| rest.strip_prefix(' ')) else { return 0 };
    let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if DISEASE_NOUNS.iter().any(|noun| word.eq_ignore_ascii_case(noun)) { 1 + word.len() } else { 0 }
}

fn is_joining(between: &str) -> bool {
    let words = tokenise(between);
    !between.contains([',', ';', '.', '?', '!', '\n', '，', '。', '；', '、'])
        && (1..=3).contains(&words.len())
        && words.iter().all(|word| JOINING.contains(&word.text.as_str()))
}

/// Whether words shortly before a place, within its clause, say that what stands there is not there.
fn is_denied(question: &str, start: usize) -> bool {
    let Some(before) = question.get(..start) else { return false };
    let clause = before.rsplit(['.', ';', '?', '!', '\n', '。', '；', '？', '！', '，']).next().unwrap_or(before);
    let words = tokenise(clause);
    let mut said = false;
    for word in words.iter().rev().take(BEFORE) {
        said |= DENYING.contains(&word.text.as_str());
        if word.after_break {
            break;
        }
    }
    said || DENYING_CHINESE.iter().any(|word| clause.trim_end().ends_with(word))
}

/// A term as it can be learned, or `None` where it is not one: its first and last word say something, there are few of them, and
/// no number is among them.
fn sensible(text: &str) -> Option<String> {
    let tokens = tokenise(text);
    let stop = StopWords::built_in();
    let says = |word: &str| !stop.contains(word) && !has(GENERIC, word);
    let first = tokens.iter().position(|token| says(&token.text))?;
    let last = tokens.iter().rposition(|token| says(&token.text))?;
    let kept = &tokens[first..=last];
    let ideographs = kept.iter().filter(|token| token.cjk).count();
    let content = kept.iter().filter(|token| !token.cjk && says(&token.text)).count();
    let has_number = kept.iter().any(|token| token.text.bytes().any(|byte| byte.is_ascii_digit()));
    let is_short = ideographs <= IDEOGRAPHS && content <= WORDS && kept.len() <= 2 * WORDS.max(IDEOGRAPHS);
    let says_enough = ideographs >= 2 || kept.iter().any(|token| !token.cjk && token.text.chars().count() > 2);
    let written = as_name(text, kept)?;
    let incomplete = kept.iter().all(|token| !says(&token.text) || has(NOT_ALONE, &token.text));
    (!has_number && is_short && says_enough && !incomplete).then(|| capitalised(&written))
}

/// Words as written, without whose they are: an entity's name speaks of no patient.
fn as_name(text: &str, tokens: &[Token]) -> Option<String> {
    let is_whose = |token: &Token| ["my", "her", "his", "the"].contains(&token.text.as_str());
    if !tokens.iter().any(is_whose) {
        return text.get(tokens.first()?.start..tokens.last()?.end).map(str::to_owned);
    }
    let words: Option<Vec<&str>> = tokens.iter().filter(|token| !is_whose(token)).map(|token| text.get(token.start..token.end)).collect();
    words.map(|words| words.join(" "))
}

/// Whether a list has a word, or the word that this is a plural of.
fn has(list: &str, word: &str) -> bool {
    // Stems of four letters or fewer keep their plural ("legs").
    let singular = word.strip_suffix('s').unwrap_or(word);
    list.split(' ').any(|known| [word, singular, stem(word)].contains(&known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Anchor, AnchorOrigin, Mention};

    fn asked(question: &str, linked: &[(&str, &str, &str)], unlinked: &[&str]) -> Trace {
        let mention = |text: &str| {
            let start = question.find(text).expect("in the question");
            Mention { text: text.into(), start, end: start + text.len(), origin: MentionOrigin::Question, recogniser: "candidate".into() }
        };
        let anchor = |(text, entity, kind): &(&str, &str, &str)| Anchor {
            entity: (*entity).into(),
            kind: (*kind).into(),
            score: 1.0,
            origin: AnchorOrigin::Question,
            mention: (*text).into(),
            by_model: false,
        };
        let mut trace = Trace::default();
        trace.question = question.into();
        trace.mentions = linked.iter().map(|(text, ..)| mention(text)).chain(unlinked.iter().map(|text| mention(text))).collect();
        trace.anchors = linked.iter().map(anchor).collect();
        trace.unlinked = unlinked.iter().map(|text| (*text).to_owned()).collect();
        trace
    }

    fn names(terms: &[Term]) -> Vec<&str> {
        terms.iter().map(|term| term.name.as_str()).collect()
    }

    #[test]
    fn unknown_words_are_symptoms_if_they_say_something() {
        let question = "I have a hoarse voice, dryness in my mouth and 3 constant troubles at home. I might have Turner syndrome, no rash.";
        let trace = asked(question, &[], &["hoarse voice", "dryness", "mouth", "constant troubles", "home", "Turner syndrome", "rash"]);
        let found = question_terms(&trace, |_| false);
        assert_eq!(names(&found.symptoms), ["Hoarse voice", "Dryness in mouth"]);
        assert_eq!(names(&found.conditions), ["Turner syndrome"]);
        assert_eq!(found.skipped, 3);
    }

    #[test]
    fn what_happened_in_a_life_is_no_symptom() {
        let question = "Her husband died in May, and since then she has a burning mouth. 她丈夫去世，口干";
        let trace = asked(question, &[], &["died", "burning mouth", "去世", "口干"]);
        let found = question_terms(&trace, |_| false);
        assert_eq!(names(&found.symptoms), ["Burning mouth", "口干"]);
    }

    #[test]
    fn words_behind_a_known_symptom_make_a_new_one_with_it() {
        let linked = [("pain", "Pain", "symptom")];
        let trace = asked("I have pain in my left leg, and itching of the toes.", &linked, &["left leg", "itching", "toes"]);
        let found = question_terms(&trace, |_| false);
        assert_eq!(names(&found.symptoms), ["Pain", "Pain in left leg", "Itching of toes"]);
    }

    #[test]
    fn a_name_of_two_words_is_new_where_only_its_words_are_known() {
        let linked = [("pain", "Pain", "symptom"), ("Abdominal", "Abdominal", "symptom"), ("cramps", "Cramps", "symptom")];
        let trace = asked("My joint pain came first. Abdominal cramps too.", &linked, &["joint"]);
        assert_eq!(names(&question_terms(&trace, |_| false).symptoms), ["Abdominal", "Joint pain", "Abdominal cramps"]);
    }

    #[test]
    fn what_is_denied_or_rejected_is_not_told() {
        let question = "Cough without fever, and heartburn.";
        let linked = [("Cough", "Cough", "symptom"), ("fever", "Fever", "symptom"), ("heartburn", "Heartburn", "symptom")];
        let mut trace = asked(question, &linked, &[]);
        assert_eq!(names(&question_terms(&trace, |_| false).symptoms), ["Cough", "Heartburn"]);
        let triage = crate::run::Triage { rejected_anchors: ["Cough".to_owned()].into(), ..Default::default() };
        trace.triage = std::sync::Arc::new(triage);
        assert_eq!(names(&question_terms(&trace, |_| false).symptoms), ["Heartburn"]);
    }

    #[test]
    fn long_runs_and_numbers_are_no_terms() {
        for text in ["my legs", "eyes", "alpha beta gamma delta epsilon", "b12 level", "x", "痛", "两个星期以来一直非常难受"] {
            assert_eq!(sensible(text), None, "{text}");
        }
        assert_eq!(sensible("difficulty in swallowing").as_deref(), Some("Difficulty in swallowing"));
        assert_eq!(sensible("constant ringing sound").as_deref(), Some("Ringing sound"));
        assert_eq!(sensible("反酸").as_deref(), Some("反酸"));
    }
}
