//! Questions that are asked in general: "what causes chest pain in pregnancy", "pulmonary embolism in pregnancy: which scan?". A
//! pregnancy, a sex or a condition is named, but nobody is told of who has it now, so nobody must act at once. So it is where the question
//! says that nobody is ill, or that it is for a course, an exam, a poster or a card; the words are in `assets/gates.toml`.

use std::ops::Range;

use serde::Deserialize;

use super::gate::{Phrases, taught};
use super::overdose::is_overdose;
use crate::language::exposure::is_exposure;
use crate::language::lay::is_event;
use crate::run::{AskKind, Case, CaseCondition, ConditionStatus, FindingStatus};
use crate::text::{Token, clause_around, tokenise};

/// Words that speak of somebody, or of what happens now.
const OF_SOMEBODY: &str = "i im ive id me my mine myself we us our he hes she shes him his her hers they their them patient patients pt \
     husband wife partner mum mom mother dad father son daughter baby sister brother friend girlfriend boyfriend aunt uncle gran \
     grandma lady gentleman yo old today tonight now yesterday since ago sudden suddenly just morning started woke presents \
     presented presenting admitted referred known here woman man male female girl boy child infant newborn neonate toddler feels";
/// Who asks in Chinese leaves out that it is his own complaint (呕血是什么原因), unless he asks for a list (呕血的原因有哪些).
const LISTS_CHINESE: [&str; 4] = ["哪些", "几种", "常见", "列举"];
const OF_SOMEBODY_CHINESE: &str = "我他她咱您岁突刚今昨现天周月爸妈爷奶哥姐弟妹夫妻妇男女孩婴";

/// The most words of an accident that is told in a word or two.
const ACCIDENT: usize = 7;

/// What is so as a rule.
const USUAL: [&str; 4] = ["usually", "normally", "typically", "generally"];

/// Within how many words behind "nobody is ill" it says who else is well, or when.
const OTHERS_WITHIN: usize = 2;

/// What tells that a question is asked to teach or to learn, and what that somebody is ill all the same.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Taught {
    nobody: Phrases,
    others: Phrases,
    still: Phrases,
    purpose: Phrases,
    now: Phrases,
    somebody: Phrases,
}

impl Taught {
    /// Whether it is said that nobody is ill.
    fn says_nobody(&self, tokens: &[Token]) -> bool {
        self.nobody_at(tokens).next().is_some()
    }

    /// Where it is said; "nobody else is ill" and "nobody ill at home" speak of others.
    fn nobody_at<'a>(&'a self, tokens: &'a [Token]) -> impl Iterator<Item = (usize, usize)> + 'a {
        let is_of_others = move |last: usize| (last..last + OTHERS_WITHIN).any(|at| self.others.at(tokens, at).is_some());
        self.nobody.all(tokens).filter(move |(_, last)| !is_of_others(*last))
    }

    /// Whether somebody is ill now. The "now" of "nobody is ill now" says no such thing.
    fn tells_of_now(&self, tokens: &[Token]) -> bool {
        let is_denial = |(first, last): (usize, usize)| {
            self.nobody_at(tokens).any(|nobody| {
                let still = |at: usize| self.still.at(tokens, at).is_some_and(|end| at <= first && first < end);
                (nobody.0 < last && first < nobody.1) || (nobody.1..nobody.1 + OTHERS_WITHIN).any(still)
            })
        };
        self.now.all(tokens).any(|said| !is_denial(said))
    }

    /// Whether it is asked to teach or to learn, and nobody is ill beside it.
    fn is_told(&self, tokens: &[Token]) -> bool {
        (self.says_nobody(tokens) || self.purpose.any(tokens)) && !self.somebody.any(tokens) && !self.tells_of_now(tokens)
    }
}

/// Whether a question is asked to teach or to learn: nobody is told of who is ill, be it one of an age with a complaint. Where it says that
/// nobody is, one such word ("unwell") may be that.
fn is_taught(tokens: &[Token], case: &Case) -> bool {
    let words = taught();
    let present = case.findings.iter().filter(|finding| finding.status == FindingStatus::Present).count();
    let is_somebody = case.patient.age_months.is_some() || case.patient.sex.is_some();
    words.is_told(tokens) && !(is_somebody && present > usize::from(words.says_nobody(tokens)))
}

/// Whether nobody is told of: neither a person, nor an age, a value, a drug in use or a time, and no finding but one of which the causes
/// are asked in general. Or it is asked to teach or to learn.
pub(crate) fn asks_in_general(tokens: &[Token], case: &Case) -> bool {
    let speaks_of = |token: &Token| {
        if token.cjk {
            OF_SOMEBODY_CHINESE.contains(token.text.as_str())
        } else {
            OF_SOMEBODY.split_whitespace().any(|word| word == token.text)
        }
    };
    let patient = &case.patient;
    let is_placed = patient.pregnancy.is_some_and(|pregnancy| pregnancy.week.is_some() || pregnancy.postpartum);
    let cjk: String = tokens.iter().filter(|token| token.cjk).map(|token| token.text.as_str()).collect();
    let may_be_own = !cjk.is_empty() && !LISTS_CHINESE.iter().any(|word| cjk.contains(word));
    let is_asked_of = |name: &Option<String>| {
        let causes = case.asks.iter().filter(|ask| ask.kind == AskKind::Causes);
        name.as_ref().is_some_and(|name| causes.into_iter().any(|ask| ask.of.contains(name)))
    };
    let is_told = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    // So many tablets that they are too many are being taken by somebody, whose name for it is not "overdose"; nor is bleach in the eye
    // called an injury by who has it.
    let is_counted = |condition: &CaseCondition| {
        let names = ["overdose", "poison", "toxic", "injury", "burn", "中毒", "过量", "伤"];
        let says_so = || names.iter().any(|word| condition.text.to_lowercase().contains(word));
        condition.entity.as_deref().is_some_and(|name| is_overdose(name) || is_exposure(name)) && !says_so()
    };
    let happens =
        case.conditions.iter().any(|condition| is_counted(condition) || condition.is_told_as_complaint()) || asks_what_to_do(tokens, case);
    let speaks_of_patient = tokens.iter().any(speaks_of) || (0..tokens.len()).any(|at| begins_with_patient(tokens, at));
    let is_of_nobody = !happens && patient.age_months.is_none() && !is_placed && case.results.is_empty() && !speaks_of_patient;
    if !happens && is_taught(tokens, case) || is_of_nobody && asks_what_is_usual(tokens, case) {
        return true;
    }
    !case.asks.is_empty()
        && !happens
        && patient.age_months.is_none()
        && !is_placed
        && case.results.is_empty()
        && !case.drugs.iter().any(|drug| drug.status.is_in_use())
        && case.findings.iter().filter(|finding| is_told(finding.status)).all(|finding| !may_be_own && is_asked_of(&finding.entity))
        && !speaks_of_patient
}

/// Whether it is asked what is so as a rule ("when do waters usually break?"), or whether one thing causes another ("does atorvastatin cause muscle
/// ache?").
fn asks_what_is_usual(tokens: &[Token], case: &Case) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let asks_usual = |clause: &Range<usize>| {
        let has = |words: &[&str]| clause.clone().any(|at| words.contains(&word(at)));
        let lasts = word(clause.start) == "how" && matches!(word(clause.start + 1), "long" | "often" | "many" | "much");
        matches!(word(clause.start), "when" | "how" | "what" | "which" | "why") && (has(&USUAL) || lasts && has(&["normal"]))
    };
    if !tokens.iter().skip(1).any(|token| token.after_break) {
        let causes = matches!(word(0), "does" | "do" | "can" | "could");
        return causes && tokens.iter().any(|token| matches!(token.text.as_str(), "cause" | "trigger" | "causing"))
            || asks_usual(&(0..tokens.len()));
    }
    // Beside another clause somebody's complaints may stand: all that is told stands where it is asked.
    let is_told = |status| matches!(status, FindingStatus::Present | FindingStatus::Uncertain);
    let findings = case.findings.iter().filter(|finding| is_told(finding.status)).map(|finding| finding.start);
    let mut told = findings.chain(case.conditions.iter().map(|condition| condition.start)).peekable();
    let is_asked = |start: usize| {
        let at = tokens.iter().position(|token| token.start >= start);
        at.is_some_and(|at| asks_usual(&clause_around(tokens, at)))
    };
    told.peek().is_some() && told.all(is_asked)
}

impl Case {
    /// Whether the question tells of somebody, and does not ask in general.
    pub(crate) fn is_about_a_patient(&self) -> bool {
        self.patient.age_months.is_some()
            || self.patient.sex.is_some()
            || self.patient.pregnancy.is_some()
            || self.findings.iter().any(|finding| finding.status == FindingStatus::Present)
            || self.results.iter().any(|result| result.value.is_some())
            || self.conditions.iter().any(|condition| condition.is_told_as_complaint() || self.has_befallen(condition))
            || self.drugs.iter().any(|drug| drug.status.is_in_use())
    }

    /// Whether a condition befell somebody: something caustic in the eye, or an overdose or accident that is told without a question ("snake bit my ankle"),
    /// or for which a drug is considered. "How do I treat a snake bite?" tells of nobody.
    pub(crate) fn has_befallen(&self, condition: &CaseCondition) -> bool {
        let name = condition.entity.as_deref().filter(|_| condition.status == ConditionStatus::Known);
        name.is_some_and(|name| {
            is_exposure(name) || ((self.asks.is_empty() || !self.drugs.is_empty()) && (is_overdose(name) || is_event(name)))
        })
    }
}

/// Whether a patient is told of who has neither an age nor a sex: "known AF, stroke now", "pt has meningitis", 患者肺栓塞. An asker is none ("how do I
/// treat anaphylaxis?"), nor is "a patient".
pub(crate) fn tells_of_a_patient(tokens: &[Token], case: &Case) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = |at: usize| at.checked_sub(1).map_or("", word);
    let begins_condition = |at: usize| {
        let start = tokens.get(at).map(|token| token.start);
        case.conditions.iter().any(|condition| Some(condition.start) == start && condition.end > condition.start)
    };
    let tells = |at: usize| match word(at) {
        "pt" | "now" | "today" | "tonight" | "feels" | "presents" | "presented" | "presenting" | "admitted" | "referred" | "现" | "今"
        | "刚" | "突" => true,
        "patient" => !matches!(before(at), "a" | "an" | "any" | "each" | "every" | "which" | "no"),
        "known" => begins_condition(at + 1),
        "患" | "病" => begins_with_patient(tokens, at),
        _ => false,
    };
    case.conditions.iter().any(|condition| condition.status == ConditionStatus::Past)
        || (0..tokens.len()).any(tells)
        || asks_what_to_do(tokens, case)
}

/// Whether an accident or an overdose stands first and alone, and it is asked at once what to do: "Choking child, what to do?", "Snake bite, what now?".
/// "What to do for choking in a child?" asks in general.
fn asks_what_to_do(tokens: &[Token], case: &Case) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let Some(behind) = (1..tokens.len().min(ACCIDENT)).find(|at| tokens.get(*at).is_some_and(|token| token.after_break)) else {
        return false;
    };
    let asks = matches!(
        (word(behind), word(behind + 1), word(behind + 2)),
        ("what", "to" | "now" | "next", _) | ("what", "do" | "should" | "can", "i" | "we") | ("help", ..) | ("怎", "么", "办")
    );
    let ends = tokens.get(behind).map_or(0, |token| token.start);
    let is_accident = |name: &String| is_overdose(name) || is_event(name);
    asks && case.conditions.iter().any(|condition| condition.end <= ends && condition.entity.as_ref().is_some_and(is_accident))
}

/// Whether a clause begins with the word for a patient: 患者肺栓塞, but not 肺栓塞患者.
fn begins_with_patient(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let begins = at == 0 || tokens.get(at).is_some_and(|token| token.after_break);
    begins && matches!((word(at), word(at + 1)), ("患", "者") | ("病", "人"))
}

impl CaseCondition {
    /// Whether it is told as what happens to somebody, and not by its name: "coughing up a lot of blood", "an adder bit me".
    pub(crate) fn is_told_as_complaint(&self) -> bool {
        let words = |text: &str| tokenise(text).into_iter().map(|token| token.text).collect::<Vec<_>>();
        let (told, name) = (words(&self.text), self.entity.as_deref().map(words).unwrap_or_default());
        let happens = match told.as_slice() {
            [verb, out, ..] if out == "出" => ["咳", "吐", "呕", "流"].contains(&verb.as_str()),
            [verb, out, ..] => verb.ends_with("ing") && ["up", "out", "down", "off"].contains(&out.as_str()),
            _ => false,
        };
        // "Blue inhaler not working": what should help does not.
        let has = |words: &[&str]| told.iter().any(|word| words.contains(&word.as_str()));
        let fails = has(&["not", "isnt", "doesnt", "stopped", "nothing"]) && has(&["working", "helping", "work", "help", "doing"]);
        let is_somebodys = told.iter().any(|word| {
            matches!(word.as_str(), "me" | "my" | "myself" | "him" | "his" | "himself" | "her" | "herself" | "our" | "us" | "them")
        });
        self.status == ConditionStatus::Known && (happens || fails || is_somebodys) && !told.iter().any(|word| name.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{CaseAsk, CaseFinding};

    #[test]
    fn what_is_asked_to_teach_is_asked_in_general_unless_somebody_is_ill_beside_it() {
        let general = |text: &str| asks_in_general(&tokenise(text), &Case::default());
        for text in [
            "For a teaching session: first treatment of ketoacidosis in adults?",
            "I'm revising for finals, how is meningitis managed?",
            "Poster for the staff room, no one is hurt: choking in an infant, what helps?",
            "Nobody's ill right now, what are the signs of sepsis?",
            "Updating our protocol: adrenaline dose in anaphylaxis for a child of 6?",
            "没有人生病，做急救海报：脑卒中的表现有哪些",
            "下周讲课备课用：过敏性休克肾上腺素剂量多少",
        ] {
            assert!(general(text), "{text}");
        }
        for text in [
            "Teaching today, and now a student has collapsed",
            "I'm on a first aid course and the man next to me isn't breathing",
            "Nobody else is ill, my son has a stiff neck and fever",
            "Nobody ill at home, 4 year old with fever and a rash that does not fade",
            "Nobody is ill except my dad whose face has dropped",
            "Making posters when she suddenly could not speak",
            "What is the protocol for anaphylaxis, pt going blue",
            "培训的时候同事突然倒下了",
        ] {
            assert!(!general(text), "{text}");
        }
        let fever = CaseFinding { entity: Some("Fever".into()), status: FindingStatus::Present, ..CaseFinding::default() };
        let vignette =
            |sex| Case { patient: crate::run::CasePatient { sex, ..Default::default() }, findings: vec![fever.clone()], ..Case::default() };
        let exam = tokenise("Exam question: fever and neck stiffness, what is it?");
        assert!(asks_in_general(&exam, &vignette(None)));
        assert!(!asks_in_general(&exam, &vignette(Some(crate::run::PatientSex::Female))), "a patient");
    }

    #[test]
    fn a_question_without_a_person_is_asked_in_general() {
        let ask = |kind, of: &[&str]| CaseAsk { kind, of: of.iter().map(|name| (*name).to_owned()).collect() };
        let finding = CaseFinding { entity: Some("Chest pain".into()), ..CaseFinding::default() };
        let of_causes = Case { asks: vec![ask(AskKind::Causes, &["Chest pain"])], findings: vec![finding.clone()], ..Case::default() };
        assert!(asks_in_general(&tokenise("What causes chest pain in pregnancy?"), &of_causes));
        assert!(!asks_in_general(&tokenise("What causes my chest pain?"), &of_causes), "somebody's");
        assert!(!asks_in_general(&tokenise("What causes sudden chest pain?"), &of_causes), "it happens now");
        assert!(!asks_in_general(&tokenise("呕血是什么原因"), &of_causes), "his own");
        assert!(asks_in_general(&tokenise("呕血的原因有哪些"), &of_causes), "a list");
        let of_care = Case { asks: vec![ask(AskKind::Treatment, &["Chest pain"])], findings: vec![finding], ..Case::default() };
        assert!(!asks_in_general(&tokenise("Chest pain, what to do?"), &of_care), "a complaint");
        let overdose = |text: &str| CaseCondition {
            entity: Some("Paracetamol overdose".into()),
            text: text.into(),
            status: crate::run::ConditionStatus::Known,
            start: 0,
            end: text.len(),
        };
        let safety = |text: &str| Case { asks: vec![ask(AskKind::Safety, &[])], conditions: vec![overdose(text)], ..Case::default() };
        assert!(!asks_in_general(&tokenise("paracetamol hourly for two days, ok?"), &safety("paracetamol")), "somebody takes them");
        assert!(asks_in_general(&tokenise("paracetamol overdose, ok?"), &safety("paracetamol overdose")));
        let of_care = |entity: &str, text: &str| Case {
            asks: vec![ask(AskKind::Treatment, &[entity])],
            conditions: vec![CaseCondition { entity: Some(entity.into()), ..overdose(text) }],
            ..Case::default()
        };
        let told = of_care("Massive haemoptysis", "coughing up a lot of blood");
        assert!(!asks_in_general(&tokenise("What helps against coughing up a lot of blood?"), &told), "it happens to somebody");
        assert!(!asks_in_general(&tokenise("咳出很多血怎么办"), &of_care("Massive haemoptysis", "咳出很多血")));
        let bitten = |text: &str| CaseCondition { entity: Some("Snake bite".into()), ..overdose(text) };
        assert!(bitten("an adder got me").is_told_as_complaint(), "it happened to somebody");
        assert!(!bitten("an adder").is_told_as_complaint() && !bitten("snake bite on my leg").is_told_as_complaint(), "its name");
        for (entity, text) in
            [("Bleeding peptic ulcer", "bleeding ulcer"), ("Pertussis", "whooping cough"), ("Cerebral oedema", "swelling of the brain")]
        {
            assert!(asks_in_general(&tokenise(&format!("What helps against {text}?")), &of_care(entity, text)), "{text}");
        }
        let of_scan = Case { asks: vec![ask(AskKind::Tests, &[])], ..Case::default() };
        assert!(asks_in_general(&tokenise("Pulmonary embolism in pregnancy: which scan?"), &of_scan));
        assert!(
            asks_in_general(&tokenise("妊娠期肺栓塞做什么检查"), &of_scan)
                && !asks_in_general(&tokenise("我怀孕了，肺栓塞怎么办"), &of_scan)
        );
    }
}
