//! What a case asks, in the order asked, and of what.

use super::ask_cues::{
    STANDS_FOR_DRUGS, begins_before, begins_behind, is_only_forbidden, is_told_dose, is_told_result, names_help, names_kind,
};
use super::asked_class::{WantedClass, asked_of_classes};
use super::done_by_drug::is_done_by_drug;
use super::intent::{AskedAt, Intent, asks_permission};
use super::layout::{Layout, Sentence};
use super::missed_dose::is_missed_dose;
use super::named::{Class, Named};
use super::prevention::{asked_against, is_to_be_prevented};
use super::scope::Scopes;
use super::unknown::is_unfamiliar;
use crate::graph::EntityId;
use crate::language::lab::is_name;
use crate::run::AskKind;
use crate::text::Token;

/// The most words between a cue and what it asks about.
const APART: usize = 6;
/// The most words between what it asks about and a cue behind that.
const APART_BEHIND: usize = 3;

/// A question of no more words than these tells nothing beside what is named in it: about the length of "type 2 diabetes on metformin and gliclazide, HbA1c 9.1,
/// eGFR 48, BMI 34: what is the next step?". A Chinese character is half a word.
const BRIEF: usize = 25;

/// One thing asked: the first token of its cue, and the entities that it is about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) kind: AskKind,
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) of: Vec<EntityId>,
}

/// What asks are read from.
pub(super) struct AskReader<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) layout: &'a Layout,
    pub(super) scopes: &'a Scopes,
    pub(super) named: &'a [Named],
    /// The tests and treatments of which it matters whether the patient may have them: the graph says that they must not be used in
    /// something that the question names. They are asked about as drugs are.
    pub(super) procedures: &'a [EntityId],
    /// What happened to the patient: a bite, a swallowed battery. It is no condition in which something could be unsafe.
    pub(super) exposures: &'a [EntityId],
    /// For each token whether it belongs to words that were not understood and are probably a drug.
    pub(super) unknown_drug: &'a [bool],
    /// The kinds of drugs that are asked for.
    pub(super) wanted: &'a [WantedClass],
    /// What the patient is: pregnant, of an age. Where something else is named, it is no state that is to be treated.
    pub(super) states: &'a [EntityId],
    /// What a patient can be, whether this one is or not: pregnant, breastfeeding.
    pub(super) further_states: &'a [EntityId],
}

/// How many words a text has; a Chinese character is half a word.
fn length_of(tokens: &[Token]) -> usize {
    tokens.len() - tokens.iter().filter(|token| token.cjk).count() / 2
}

impl AskReader<'_> {
    /// What is asked, in order, each kind once.
    pub(super) fn asks(&self, intent: &Intent) -> Vec<Asked> {
        let mut all: Vec<Asked> = Vec::new();
        let mut cues = intent.asked_at.clone();
        cues.retain(|cue| !self.layout.is_heading(cue.first));
        for sentence in &self.layout.sentences {
            let of_sentence: Vec<AskedAt> =
                cues.iter().filter(|cue| (sentence.first..sentence.last).contains(&cue.first)).copied().collect();
            let permission = asks_permission(self.tokens, sentence.first, sentence.last).filter(|(first, _)| {
                let is_question = sentence.asks
                    || self.begins_question(*first, sentence.first)
                    || sentence.last == self.tokens.len() && self.layout.sentences.len() > 1;
                is_question && self.has_drug(sentence.first, sentence.last)
            });
            let mut found: Vec<Asked> = Vec::new();
            let mut is_of_something_else = false;
            let avoids = |cue: &&AskedAt| matches!(cue.kind, AskKind::Interactions | AskKind::Contraindications);
            let avoided: Vec<usize> = of_sentence.iter().filter(avoids).map(|cue| cue.first).collect();
            if let Some((first, last)) = permission {
                found.push(Asked { kind: AskKind::Safety, first, last, of: Vec::new() });
            }
            let tells = self.named.iter().any(|named| named.class == Class::Finding && !self.is_silent(named));
            let against = self.against(sentence);
            for cue in &of_sentence {
                // "Should I take ibuprofen for it" asks about ibuprofen.
                let is_permission = permission.is_some_and(|(first, last)| cue.first < last && first < cue.last)
                    && matches!(cue.kind, AskKind::Treatment | AskKind::Safety | AskKind::SideEffects);
                if is_permission {
                    continue;
                }
                // "Is there anything against the itching?" asks what helps.
                if cue.kind == AskKind::Safety && against.as_ref().is_some_and(|ask| (cue.first..cue.last).contains(&ask.first)) {
                    continue;
                }
                // "On low-dose ICS. Next step?" tells how much is taken, "forgot this morning's dose" what was not.
                let is_no_dose = || is_told_dose(self.tokens, cue.first) || is_missed_dose(self.tokens, cue.first, cue.last);
                if cue.kind == AskKind::Dose && is_no_dose() {
                    continue;
                }
                if cue.kind == AskKind::Tests && is_told_result(self.tokens, cue.last) {
                    continue;
                }
                // "Should I stop breastfeeding on that side?" does not ask about a drug.
                if tells && cue.kind == AskKind::Safety && self.is_of_something_else(cue, sentence) {
                    is_of_something_else = true;
                    continue;
                }
                let kind = match cue.kind {
                    // Of two drugs it is asked whether they go together.
                    AskKind::Interactions if self.drugs(sentence.first, sentence.last).count() > 1 => AskKind::Safety,
                    // "Starting clozapine: what bloods do I need?"
                    AskKind::Tests if self.is_about_a_drug_alone(sentence.first, sentence.last) => AskKind::Monitoring,
                    // "Which bloods before starting azathioprine for Crohn's?"
                    AskKind::Tests if self.begins_a_drug(sentence) => AskKind::Monitoring,
                    kind => kind,
                };
                found.push(Asked { kind, first: cue.first, last: cue.last, of: Vec::new() });
            }
            // "Which drugs interact with A": "drugs" asks for no treatment.
            let is_caution = |kind: AskKind| {
                matches!(
                    kind,
                    AskKind::Safety | AskKind::Interactions | AskKind::Contraindications | AskKind::SideEffects | AskKind::Monitoring
                )
            };
            if found.iter().any(|ask| is_caution(ask.kind)) {
                found.retain(|ask| ask.kind != AskKind::Treatment || !self.is_drug_word(ask.first, ask.last));
            }
            // "Which painkillers should be avoided?" asks for none.
            found.retain(|ask| ask.kind != AskKind::Treatment || !avoided.iter().any(|at| is_only_forbidden(self.tokens, ask.last, *at)));
            // "Which antiplatelets and for how long?" asks how long they are given.
            let is_wanted =
                |wanted: &WantedClass| wanted.kind == AskKind::Treatment && (sentence.first..sentence.last).contains(&wanted.first);
            let asks_which = self.wanted.iter().any(is_wanted) || found.iter().any(|ask| ask.kind == AskKind::Treatment);
            found.retain(|ask| !(asks_which && ask.kind == AskKind::Prognosis && self.is_of_course(ask.first)));
            let of_classes = asked_of_classes(self.wanted, self.layout, sentence.first, &found);
            found.extend(of_classes);
            if found.is_empty() && !is_of_something_else && !self.is_answered(sentence) {
                found.extend(against);
            }
            if found.is_empty() && sentence.asks && !is_of_something_else && !self.is_answered(sentence) {
                found.extend(self.bare(sentence.first, sentence.last));
            }
            found.sort_by_key(|ask| (ask.first, std::cmp::Reverse(ask.last)));
            let ends: Vec<usize> = found.iter().skip(1).map(|ask| ask.first).chain([sentence.last]).collect();
            for (mut ask, end) in found.into_iter().zip(ends) {
                ask.of = self.of(&ask, sentence.first, end.max(ask.last), sentence.last);
                match all.iter_mut().find(|known| known.kind == ask.kind) {
                    Some(known) => known.of.extend(ask.of.into_iter().filter(|entity| !known.of.contains(entity)).collect::<Vec<_>>()),
                    None => all.push(ask),
                }
            }
        }
        // "My hearing is fine" asks for nothing. Without anything that could be unsafe, findings are told for another reason.
        let is_finding = |named: &Named| named.class == Class::Finding && !self.is_silent(named);
        let is_condition =
            |named: &Named| named.class == Class::Condition && !self.is_silent(named) && !self.exposures.contains(&named.entity);
        let is_exposure = |named: &Named| self.exposures.contains(&named.entity);
        let tells = self.named.iter().any(|named| is_finding(named) || is_exposure(named));
        // "Type 2 diabetes on metformin. What next?" asks how to treat what is named. Where a finding is told, it may ask what that is; and a longer
        // text tells something, whether it was understood or not.
        // What a drug has done is told as the reason for another: "colchicine gave him diarrhoea, gout. What next?"
        let is_open = |named: &Named| is_finding(named) && !is_done_by_drug(self.tokens, named.span, self.named);
        let is_told = length_of(self.tokens) > BRIEF || self.named.iter().any(is_open);
        let names_condition = |named: &Named| is_condition(named) && !self.states.contains(&named.entity);
        if !is_told && self.has_drug(0, self.tokens.len()) && self.named.iter().any(names_condition) {
            let treatment = all.iter().find(|ask| ask.kind == AskKind::Treatment).map(|ask| (ask.first, ask.last));
            all.retain(|ask| ask.kind != AskKind::Diagnosis || treatment != Some((ask.first, ask.last)));
        }
        if !self.has_drug(0, self.tokens.len()) && tells && !self.named.iter().any(is_condition) {
            all.retain(|ask| ask.kind != AskKind::Safety || self.names_something_new(ask));
        }
        all
    }

    /// Whether "how long" stands behind "for", so that it asks for how long something is given.
    fn is_of_course(&self, first: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.text.as_str());
        word(first) == "how" && word(first + 1) == "long" && first.checked_sub(1).is_some_and(|before| word(before) == "for")
    }

    /// Whether the sentence of an ask has a word that is in no vocabulary: it may be the drug.
    fn names_something_new(&self, ask: &Asked) -> bool {
        let sentence = self.layout.sentence(ask.first);
        let is_named = |at: usize| self.named.iter().any(|named| (named.span.first..named.span.last).contains(&at));
        (sentence.first..sentence.last).any(|at| !is_named(at) && self.tokens.get(at).is_some_and(is_unfamiliar))
    }

    /// What a sentence asks that has no cue but a question mark: "Nitrofurantoin?", "Pulled muscle?", "CT head?".
    fn bare(&self, first: usize, last: usize) -> Option<Asked> {
        let named = || self.named.iter().filter(move |named| named.span.first >= first && named.span.last <= last);
        let unknown = (first..last).any(|at| self.unknown_drug.get(at).copied().unwrap_or(false));
        let has = |class: Class| named().any(|named| named.class == class && !self.is_silent(named));
        let is_short = last - first <= 12;
        // "Prednisolone for PMR, bone protection?"
        let is_goal = |named: &Named| named.class == Class::Condition && is_to_be_prevented(self.tokens, named.span.first, named.span.last);
        let kind = match () {
            () if named().any(is_goal) => AskKind::Prevention,
            // "Imaging? Painkillers?" asks whether any are given, and which.
            () if names_kind(self.tokens, first, last) => AskKind::Treatment,
            () if has(Class::Drug) || unknown => AskKind::Safety,
            () if has(Class::Condition) && is_short => AskKind::Diagnosis,
            () if has(Class::Test) && is_short => AskKind::Tests,
            // "Put calamine on it. Should I go to hospital?" asks what it is, whatever was put on it.
            () if is_short && names_help(self.tokens, first, last) && self.tells_of_finding() => AskKind::Diagnosis,
            // "CHA2DS2-VASc?" asks for the figure, and for what follows from it.
            () if self.is_measure(first, last) => AskKind::Other,
            // "Is that right?" behind a drug; "Pulled muscle?" behind findings.
            () if is_short && self.drug_before(first) => AskKind::Safety,
            () if is_short && self.tells_of_finding() => AskKind::Diagnosis,
            () => return None,
        };
        Some(Asked { kind, first, last: first, of: Vec::new() })
    }

    /// Whether a finding is told.
    fn tells_of_finding(&self) -> bool {
        self.named.iter().any(|named| named.class == Class::Finding && !self.is_silent(named))
    }

    /// Whether a sentence is nothing but the name of what is measured or counted.
    fn is_measure(&self, first: usize, last: usize) -> bool {
        let words = self.tokens.get(first..last).unwrap_or_default().iter().map(|token| token.text.as_str());
        is_name(&words.collect::<Vec<_>>().join(" "))
    }

    /// What a sentence without another cue asks by "against": what helps. Whether a drug that it names does is a question for safety.
    fn against(&self, sentence: &Sentence) -> Option<Asked> {
        let is_ill = |named: &&Named| {
            let in_sentence = named.span.first >= sentence.first && named.span.last <= sentence.last;
            in_sentence && matches!(named.class, Class::Condition | Class::Finding) && !self.is_silent(named)
        };
        let at = |named: &Named| asked_against(self.tokens, (named.span.first, named.span.last)).filter(|at| *at >= sentence.first);
        let first = self.named.iter().filter(is_ill).find_map(at).filter(|_| !self.has_drug(sentence.first, sentence.last))?;
        Some(Asked { kind: AskKind::Treatment, first, last: first + 1, of: Vec::new() })
    }

    /// Whether a cue for safety is followed, in a sentence without a drug or condition, by a word that stands for neither.
    fn is_of_something_else(&self, cue: &AskedAt, sentence: &Sentence) -> bool {
        let (first, last) = (sentence.first, sentence.last);
        let names = |named: &Named| {
            (self.is_used(named) || named.class == Class::Condition) && named.span.first >= first && named.span.last <= last
        };
        let next = self.tokens.get(cue.last).filter(|next| cue.last < last && !next.after_break && !next.cjk);
        !self.has_drug(first, last)
            && !self.named.iter().any(names)
            && next.is_some_and(|next| !STANDS_FOR_DRUGS.contains(&next.text.as_str()))
    }

    /// Whether a sentence speaks of a drug that is to be begun, and nobody tells what is wrong.
    fn begins_a_drug(&self, sentence: &Sentence) -> bool {
        let is_told = |named: &Named| named.class == Class::Finding && !self.is_silent(named);
        if self.named.iter().any(is_told) {
            return false;
        }
        let begins = |drug: &Named| {
            let told_in = self.layout.sentence(drug.span.first);
            begins_before(self.tokens, told_in.first, drug.span.first) || begins_behind(self.tokens, drug.span.last, told_in.last)
        };
        let mut here = self.drugs(sentence.first, sentence.last);
        // "Azathioprine, new start for Crohn's. Which bloods, how often?": the question itself names nothing.
        let in_sentence = |named: &&Named| named.span.first >= sentence.first && named.span.last <= sentence.last;
        let names_nothing = || !self.named.iter().filter(in_sentence).any(|named| matches!(named.class, Class::Drug | Class::Condition));
        here.any(begins) || (names_nothing() && self.named.iter().filter(|named| named.class == Class::Drug).any(begins))
    }

    /// Whether the one who asks answers himself: "Weight loss? No. Fever? None."
    fn is_answered(&self, sentence: &Sentence) -> bool {
        let answers = |token: &Token| {
            matches!(
                token.text.as_str(),
                "no" | "none" | "nil" | "nope" | "never" | "yes" | "yep" | "neg" | "negative" | "无" | "有" | "否"
            )
        };
        self.tokens.get(sentence.last).is_some_and(answers)
    }

    /// Whether a cue is only a word for drugs.
    fn is_drug_word(&self, first: usize, last: usize) -> bool {
        let word: String = self.tokens.get(first..last).unwrap_or_default().iter().map(|token| token.text.as_str()).collect();
        matches!(
            word.as_str(),
            "drug"
                | "drugs"
                | "medicine"
                | "medicines"
                | "medication"
                | "medications"
                | "meds"
                | "pill"
                | "pills"
                | "tablet"
                | "tablets"
                | "abx"
                | "药"
                | "用药"
                | "治疗"
        )
    }

    /// Whether the sentence before token `first` names a drug.
    fn drug_before(&self, first: usize) -> bool {
        let before = first.checked_sub(1).map(|at| self.layout.sentence(at));
        before.is_some_and(|before| self.drugs(before.first, before.last).next().is_some())
    }

    /// The drugs that a question without one is about: those of its sentence or the one before, or the only one of the text.
    fn drugs_meant(&self, begin: usize, sentence_end: usize) -> Vec<EntityId> {
        let ids = |first: usize, last: usize| self.drugs(first, last).map(|named| named.entity).collect::<Vec<_>>();
        let mut meant = ids(begin, sentence_end);
        if let Some(before) = begin.checked_sub(1).map(|at| self.layout.sentence(at)).filter(|_| meant.is_empty()) {
            meant = ids(before.first, before.last);
        }
        if meant.is_empty() {
            meant = ids(0, self.tokens.len());
            meant.dedup();
            meant.truncate(if meant.len() == 1 { 1 } else { 0 });
        }
        meant
    }

    /// The condition that a question without one is about: the last of the sentence before, or the only one of the text.
    fn condition_meant(&self, begin: usize) -> Vec<EntityId> {
        let is_condition =
            |named: &&Named| named.class == Class::Condition && !self.is_silent(named) && !self.states.contains(&named.entity);
        let before = begin.checked_sub(1).map(|at| self.layout.sentence(at));
        let in_sentence = |named: &&Named| before.is_some_and(|before| (before.first..before.last).contains(&named.span.first));
        let mut all: Vec<EntityId> = self.named.iter().filter(is_condition).map(|named| named.entity).collect();
        all.dedup();
        let last = self.named.iter().rev().filter(is_condition).find(in_sentence).map(|named| named.entity);
        last.or_else(|| <[EntityId; 1]>::try_from(all).ok().map(|[only]| only)).into_iter().collect()
    }

    /// Whether a question begins here although no mark ends it: "can i take …", "我能吃 …".
    fn begins_question(&self, at: usize, sentence: usize) -> bool {
        let is_polite = |token: &Token| {
            matches!(token.text.as_str(), "so" | "and" | "please" | "hi" | "hello" | "also" | "is" | "it" | "doctor" | "but" | "then")
        };
        let leads = self.tokens.get(sentence..at).unwrap_or_default().iter().all(is_polite);
        let breaks = self.tokens.get(at).is_some_and(|token| token.after_break);
        leads || breaks || self.tokens.get(at).is_some_and(|token| token.cjk)
    }

    fn has_drug(&self, first: usize, last: usize) -> bool {
        self.drugs(first, last).next().is_some() || (first..last).any(|at| self.unknown_drug.get(at).copied().unwrap_or(false))
    }

    fn drugs(&self, first: usize, last: usize) -> impl Iterator<Item = &Named> {
        self.named
            .iter()
            .filter(move |named| self.is_used(named) && named.span.first >= first && named.span.last <= last && !self.is_silent(named))
    }

    /// Whether a sentence names a drug and no condition, and no finding is told anywhere.
    fn is_about_a_drug_alone(&self, first: usize, last: usize) -> bool {
        let is_told = |named: &Named| named.class == Class::Finding && !self.is_silent(named);
        let in_sentence = |named: &&Named| named.span.first >= first && named.span.last <= last;
        let mut of_sentence = self.named.iter().filter(in_sentence);
        self.drugs(first, last).next().is_some()
            && !of_sentence.any(|named| named.class == Class::Condition)
            && !self.named.iter().any(is_told)
    }

    /// Whether something named is a drug, or a procedure that may harm this patient.
    fn is_used(&self, named: &Named) -> bool {
        named.class == Class::Drug || self.procedures.contains(&named.entity)
    }

    /// Whether something is a state that the patient is, or may come to be, in.
    fn is_mere_state(&self, entity: EntityId) -> bool {
        self.states.contains(&entity) || self.further_states.contains(&entity)
    }

    fn is_silent(&self, named: &Named) -> bool {
        let marks = self.scopes.at(named.span.first);
        marks.absent || marks.family
    }

    /// The entities that an ask is about, in its sentence from `begin` on; its part of the sentence ends at `end`.
    fn of(&self, ask: &Asked, begin: usize, end: usize, sentence_end: usize) -> Vec<EntityId> {
        let open = |named: &&Named| !self.is_silent(named) && named.span.first >= begin && named.span.last <= sentence_end;
        let of_class = |classes: &'static [Class]| move |named: &&Named| classes.contains(&named.class);
        let mut of: Vec<EntityId> = match ask.kind {
            AskKind::Safety => {
                let drugs = self.named.iter().filter(open).filter(|named| self.is_used(named));
                let states =
                    self.named.iter().filter(open).filter(of_class(&[Class::Condition])).filter(|named| named.span.first >= ask.first);
                let mut named: Vec<&Named> = drugs.chain(states).collect();
                named.sort_by_key(|named| named.span.first);
                let mut of: Vec<EntityId> = named.into_iter().map(|named| named.entity).collect();
                // "Yes or no?" asks about the drugs of the sentence before.
                if of.is_empty() {
                    of = self.drugs_meant(begin, sentence_end);
                }
                of
            }
            AskKind::Interactions | AskKind::Contraindications | AskKind::SideEffects | AskKind::Dose | AskKind::Monitoring => {
                let mut drugs = self.group(ask, begin, end, sentence_end, &[Class::Drug]);
                let conditions = || {
                    let mut of = self.group(ask, begin, end, sentence_end, &[Class::Condition, Class::Finding]);
                    // "About to start isotretinoin. What about pregnancy, and what checks?"
                    of.retain(|entity| ask.kind != AskKind::Monitoring || !self.is_mere_state(*entity));
                    of
                };
                if drugs.is_empty() && (ask.kind == AskKind::Dose || conditions().is_empty()) {
                    drugs = self.drugs_meant(begin, sentence_end);
                }
                if drugs.is_empty() && ask.kind != AskKind::Dose {
                    let known = self.group(ask, begin, end, sentence_end, &[Class::Condition, Class::Finding]);
                    // "Contraindications to lumbar puncture".
                    let is_of_procedure = known.is_empty() && ask.kind == AskKind::Contraindications;
                    if is_of_procedure { self.group(ask, begin, end, sentence_end, &[Class::Test, Class::Other]) } else { known }
                } else {
                    drugs
                }
            }
            AskKind::Diagnosis => self.group(ask, begin, end, sentence_end, &[Class::Condition]),
            AskKind::Treatment | AskKind::Tests | AskKind::Prognosis => {
                self.group(ask, begin, end, sentence_end, &[Class::Condition, Class::Finding])
            }
            AskKind::Prevention => {
                let mut of = self.group(ask, begin, end, sentence_end, &[Class::Condition, Class::Finding]);
                of.retain(|entity| !self.states.contains(entity));
                // "Hepatitis B in pregnancy. How do I stop the baby getting it?"
                if of.is_empty() { self.condition_meant(begin) } else { of }
            }
            AskKind::Causes => self.group(ask, begin, end, sentence_end, &[Class::Condition, Class::Finding, Class::Drug]),
            AskKind::Other => Vec::new(),
        };
        let mut seen = Vec::new();
        of.retain(|entity| {
            !seen.contains(entity) && {
                seen.push(*entity);
                true
            }
        });
        of
    }

    /// The entities of these classes behind a cue or within it, joined to a list; else those right before it.
    fn group(&self, ask: &Asked, begin: usize, end: usize, sentence_end: usize, classes: &[Class]) -> Vec<EntityId> {
        let may_fit = |named: &&Named| classes.contains(&named.class) && !self.is_silent(named);
        // "How is eclampsia treated in pregnancy" asks for no treatment of a pregnancy.
        let is_care = matches!(ask.kind, AskKind::Treatment | AskKind::Tests | AskKind::Prognosis | AskKind::Prevention | AskKind::Causes);
        let is_state = |named: &&Named| self.states.contains(&named.entity);
        let in_sentence = |named: &&Named| named.span.first >= begin && named.span.last <= sentence_end;
        let is_beside_state = is_care && self.named.iter().filter(may_fit).filter(in_sentence).any(|named| !is_state(&named));
        let fits = |named: &&Named| may_fit(named) && !(is_beside_state && is_state(named));
        let behind: Vec<&Named> = self
            .named
            .iter()
            .filter(fits)
            .filter(|named| named.span.first >= ask.first && named.span.last <= end.min(sentence_end))
            .collect();
        let mut of = Vec::new();
        let mut past = ask.last;
        for named in behind {
            let apart = named.span.first.saturating_sub(past);
            let most = if of.is_empty() { APART } else { 2 };
            let goes_on = of.is_empty() || self.joins(past, named.span.first);
            if apart > most || !goes_on {
                break;
            }
            of.push(named.entity);
            past = named.span.last;
        }
        if of.is_empty() {
            let joined = |named: &Named| (named.span.last..=ask.first).all(|at| self.tokens.get(at).is_none_or(|token| !token.after_break));
            let near =
                |named: &&Named| named.span.first >= begin && named.span.last <= ask.first && named.span.last + APART_BEHIND >= ask.first;
            let before = self.named.iter().rev().filter(fits).find(near).filter(|named| joined(named));
            of.extend(before.map(|named| named.entity));
        }
        of
    }

    /// Whether only what joins a list stands in these tokens.
    fn joins(&self, from: usize, to: usize) -> bool {
        self.tokens
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .all(|token| matches!(token.text.as_str(), "and" | "or" | "versus" | "vs" | "plus" | "with" | "和" | "与" | "及" | "或"))
    }
}
