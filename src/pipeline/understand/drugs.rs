//! How each drug of a question is in play: taken, new, proposed, stopped, or the patient is allergic to it. The cues are in
//! `assets/drug-status.toml`; the nearest one decides.

use std::sync::LazyLock;

use serde::Deserialize;

use super::done_by_drug::caused_by;
use super::exchange::{Exchange, Share};
use super::intent::asks_permission;
use super::layout::{Layout, Section, Sentence, gap};
use super::named::{Class, Named};
use super::open_question::OpenQuestion;
use super::reactions::{ARROWS, ReactionWords, is_dose_of, is_remedy};
use super::replaced_drug::{has_denied_effect, is_followed, is_replaced, is_taken_beside_denial};
use super::scope::Scopes;
use super::stopped::is_only_meant;
use super::times::{Time, near};
use crate::language::phrase_table::{FoundPhrase, PhraseTable};
use crate::language::recognise::Span;
use crate::run::DrugStatus;
use crate::text::Token;

/// A drug that was started longer ago than this, in days, is no longer new.
const NEW_DAYS: f64 = 60.0;
/// How far from a drug a time may stand that says since when, in words.
const TIME_WITHIN: usize = 6;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    cue: Vec<Cue>,
    pub(super) reaction: ReactionWords,
    exchange: Exchange,
    share: Share,
    open_question: OpenQuestion,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cue {
    status: DrugStatus,
    #[serde(default)]
    reach: Reach,
    #[serde(default)]
    asking: bool,
    #[serde(default)]
    told: bool,
    says: Vec<String>,
    within: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reach {
    #[default]
    After,
    Before,
}

pub(super) static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(include_str!("../../../assets/drug-status.toml")).unwrap_or_default());

/// When a cue counts: in any sentence, only in one that asks, or only in one that does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    Always,
    Asking,
    Told,
}

pub(super) type Says = (DrugStatus, Reach, Counts, usize);

static CUES: LazyLock<PhraseTable<Says>> = LazyLock::new(|| {
    let counts = |cue: &Cue| match (cue.asking, cue.told) {
        (true, _) => Counts::Asking,
        (_, true) => Counts::Told,
        _ => Counts::Always,
    };
    PhraseTable::of(
        FILE.cue.iter().flat_map(|cue| cue.says.iter().map(move |says| (says.as_str(), (cue.status, cue.reach, counts(cue), cue.within)))),
    )
});

/// Reads how drugs are in play.
pub(super) struct DrugReader<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) layout: &'a Layout,
    pub(super) scopes: &'a Scopes,
    pub(super) times: &'a [Time],
    /// Where findings and conditions are named: a time behind one of them is its own.
    others: Vec<Span>,
    /// Where findings are named.
    pub(super) complaints: Vec<Span>,
    /// The names of allergies.
    pub(super) allergies: Vec<Span>,
    pub(super) cues: Vec<FoundPhrase<Says>>,
}

impl<'a> DrugReader<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token], layout: &'a Layout, scopes: &'a Scopes, times: &'a [Time]) -> Self {
        let mut cues = Vec::new();
        for at in 0..tokens.len() {
            // A phrase may say one thing of what follows and another of what stands before.
            let mut seen = Vec::new();
            for found in CUES.all_at(tokens, at) {
                let key = (found.means.1, found.means.2);
                if !seen.contains(&key) && seen.len() < 4 {
                    seen.push(key);
                    cues.push(found);
                }
            }
        }
        // What stands within a longer cue says nothing of its own: "on" in "started on".
        let spans: Vec<(usize, usize)> = cues.iter().map(|cue| (cue.first, cue.last)).collect();
        cues.retain(|cue| {
            !spans.iter().any(|(first, last)| *first <= cue.first && cue.last <= *last && last - first > cue.last - cue.first)
        });
        // 能停吗: what may be stopped is taken.
        for cue in cues.iter_mut().filter(|cue| is_only_meant(tokens, cue)) {
            cue.means.0 = DrugStatus::Taken;
        }
        Self { text, tokens, layout, scopes, times, others: Vec::new(), complaints: Vec::new(), allergies: Vec::new(), cues }
    }

    /// With everything that the text names.
    pub(super) fn beside(mut self, named: &[Named]) -> Self {
        let is_other = |named: &&Named| matches!(named.class, Class::Finding | Class::Condition);
        self.others = named.iter().filter(is_other).map(|named| named.span).collect();
        self.complaints = named.iter().filter(|named| named.class == Class::Finding).map(|named| named.span).collect();
        self.find_allergies(named);
        self.read_missed_doses(named);
        self
    }

    /// Where the first finding or condition behind a drug begins, unless it is what the drug is for ("warfarin for AF since May").
    fn other_behind(&self, last: usize) -> Option<usize> {
        let is_purpose = |span: &&Span| {
            let before = span.first.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or("", |token| token.text.as_str());
            matches!(before, "for" | "against" | "treat" | "治" | "治疗" | "控制" | "因")
        };
        self.others.iter().filter(|span| span.first >= last).find(|span| !is_purpose(span)).map(|span| span.first)
    }

    /// How a drug is in play, and for how many days; `None` where the question says that it is not.
    pub(super) fn status(&self, span: Span, drugs: &[Named]) -> Option<(DrugStatus, Option<f64>)> {
        let (first, last) = (span.first, span.last);
        let marks = self.scopes.at(first);
        let section = self.layout.section(first);
        let sentence = self.layout.sentence(first);
        let in_list = section == Section::Allergies;
        let allergic = (in_list && self.is_listed_allergen(span, drugs))
            || FILE.reaction.tell_of((self.text, self.tokens, self.times), sentence, span)
            || self.governing(span, drugs).any(|cue| cue.means.0 == DrugStatus::Allergic)
            || self.reacted_to(span, drugs);
        if marks.family && !marks.absent && FILE.share.asks_for(self.tokens, span) {
            return Some((DrugStatus::Proposed, None));
        }
        let is_beside = || is_taken_beside_denial(self.tokens, span, &self.scopes.denied, &self.others);
        let is_absent = marks.absent && !has_denied_effect(self.tokens, span, drugs) && !is_beside();
        if is_absent || marks.family || FILE.reaction.name(self.tokens, span) {
            return (!marks.family && self.is_left_out_since(span)).then_some((DrugStatus::Stopped, None));
        }
        if allergic {
            return Some((DrugStatus::Allergic, None));
        }
        // "Allergy: penicillin (adrenaline x2)": what was given then is in play no more than what is tolerated.
        if in_list || self.is_denied_allergen(span, drugs) {
            return None;
        }
        if let Some(status) = self.exchanged(span, drugs).or_else(|| self.missed_once(span, drugs)) {
            return Some((status, None));
        }
        // "On A and B, C started a week ago": what stands beside C alone says it of C.
        let others_between = |cue: &FoundPhrase<Says>| {
            let (from, to) = if cue.last <= first { (cue.last, first) } else { (last, cue.first) };
            drugs.iter().filter(|drug| from <= drug.span.first && drug.span.last <= to).count()
        };
        let nearest = self
            .governing(span, drugs)
            .min_by_key(|cue| (self.distance(cue, span, drugs), others_between(cue), std::cmp::Reverse(cue.last - cue.first)));
        let begin = drugs
            .iter()
            .rev()
            .map(|drug| drug.span)
            .find(|other| other.last <= first)
            .map_or(sentence.first, |other| other.last.max(sentence.first));
        let stop = drugs
            .iter()
            .map(|drug| drug.span)
            .find(|other| other.first >= last)
            .map_or(sentence.last, |other| other.first.min(sentence.last));
        let stop = self.other_behind(last).map_or(stop, |other| stop.min(other));
        let days = near(self.tokens, self.times, (first, last), (begin, stop), TIME_WITHIN);
        let says = if self.has_run_out(span, drugs) { Some(DrugStatus::Stopped) } else { nearest.map(|cue| cue.means.0) };
        let is_asked = sentence.asks || asks_permission(self.tokens, sentence.first, sentence.last).is_some();
        if says.is_none() && !is_asked && is_remedy(self.tokens, span) && self.is_behind_allergen(span, drugs) {
            return None;
        }
        let status = match (section, says) {
            (Section::Drugs, Some(DrugStatus::New | DrugStatus::Stopped)) => says?,
            (Section::Drugs, _) => DrugStatus::Taken,
            (_, Some(DrugStatus::New)) if days.is_some_and(|days| days > NEW_DAYS) => DrugStatus::Taken,
            // "Aripiprazole 10->15 mg": a higher dose is as good as a new drug.
            (_, None | Some(DrugStatus::Taken)) if self.is_raised(span) && days.is_none_or(|days| days <= NEW_DAYS) => DrugStatus::New,
            (_, None | Some(DrugStatus::Proposed)) if self.is_taken_for_long(span, drugs) => DrugStatus::Taken,
            (_, Some(DrugStatus::Taken)) if is_replaced(self.tokens, sentence, span, drugs) => DrugStatus::Stopped,
            (_, None | Some(DrugStatus::Taken)) if is_followed(self.tokens, sentence, span, drugs, days) => DrugStatus::Stopped,
            (_, Some(says)) => says,
            (Section::Plan, None) => DrugStatus::Proposed,
            // "Adrenaline dose for anaphylaxis": it is to be given.
            (_, None) if is_dose_of(self.tokens, span) => DrugStatus::Proposed,
            (_, None) if marks.past && section != Section::Past => DrugStatus::Stopped,
            // "On A, wants to add B": the other is what is asked about.
            (_, None) if is_asked && self.considers_another(span, drugs) => DrugStatus::Taken,
            // "Warfarin, AF, toothache: which painkiller?": it is told before the question, which is about something else.
            (_, None) if is_asked && self.is_of_case(sentence) && FILE.open_question.follows(self.tokens, sentence, span) => {
                DrugStatus::Taken
            }
            // "Ibuprofen caused heartburn, knee OA, alternative?"
            (_, None) if is_asked && caused_by(self.tokens, last).is_some() => DrugStatus::Taken,
            (_, None) if is_asked => DrugStatus::Proposed,
            (_, None) => DrugStatus::Taken,
        };
        let days = days.filter(|_| matches!(status, DrugStatus::New | DrugStatus::Taken | DrugStatus::Stopped));
        Some((status, days))
    }

    /// Whether a patient is told of: the text names a finding or a condition, or the sentence has a number.
    fn is_of_case(&self, sentence: Sentence) -> bool {
        let has_value = (sentence.first..sentence.last).any(|at| self.tokens.get(at).and_then(|token| amount(&token.text)).is_some());
        !self.others.is_empty() || has_value
    }

    /// Whether an arrow behind a drug leads from its dose to a higher one: "10->15 mg", "5 mg → 10 mg".
    fn is_raised(&self, span: Span) -> bool {
        let number = |at: usize| self.tokens.get(at).and_then(|token| amount(&token.text));
        let gap = |at: usize| {
            let (from, to) = self.tokens.get(at).zip(self.tokens.get(at + 1)).map_or((0, 0), |(one, next)| (one.end, next.start));
            self.text.get(from..to).unwrap_or_default()
        };
        let Some(first) = (span.last..span.last + 2).find(|at| number(*at).is_some()) else { return false };
        let arrow = (first..first + 2).find(|at| ARROWS.iter().any(|arrow| gap(*at).contains(arrow)));
        arrow.is_some_and(|at| number(at + 1).zip(number(first)).is_some_and(|(later, earlier)| later > earlier))
    }

    /// How a drug is in play that is to be exchanged for another, or another for it.
    fn exchanged(&self, span: Span, drugs: &[Named]) -> Option<DrugStatus> {
        let sentence = self.layout.sentence(span.first);
        let asks = sentence.asks || asks_permission(self.tokens, sentence.first, sentence.last).is_some();
        if FILE.exchange.leaves(self.tokens, sentence, span) {
            return Some(DrugStatus::Taken);
        }
        let is_exchange = |from: Span, to: Span| FILE.exchange.says(self.tokens, sentence, (from, to), asks);
        let others = drugs.iter().map(|drug| drug.span).filter(|other| *other != span);
        let near = others.filter(|other| other.first >= sentence.first && other.last <= sentence.last);
        near.into_iter().find_map(|other| {
            if span.last <= other.first && is_exchange(span, other) {
                Some(DrugStatus::Taken)
            } else {
                (other.last <= span.first && is_exchange(other, span)).then_some(DrugStatus::Proposed)
            }
        })
    }

    /// Whether a drug only stands in the report of a culture: "trimethoprim S, amoxicillin R", "sens cipro". One letter is a sign of it where
    /// another drug of the sentence has one, too.
    pub(super) fn is_of_culture(&self, span: Span, drugs: &[Named]) -> bool {
        let sentence = self.layout.sentence(span.first);
        let word = |at: usize| self.tokens.get(at).filter(|_| at < sentence.last).map_or("", |token| token.text.as_str());
        let is_told = |word: &str| matches!(word, "sens" | "sensitive" | "susceptible" | "resistant" | "敏感" | "耐药");
        let has_letter = |span: Span| matches!(word(span.last), "s" | "r" | "i");
        let in_sentence = |drug: &&Named| sentence.first <= drug.span.first && drug.span.last <= sentence.last;
        let lettered = || drugs.iter().filter(in_sentence).filter(|drug| has_letter(drug.span)).count() > 1;
        let before = span.first.checked_sub(1).filter(|at| *at >= sentence.first).map_or("", |at| word(at));
        let before = if before == "to" { span.first.checked_sub(2).map_or("", |at| word(at)) } else { before };
        // "Sensitive to nitrofurantoin, trimethoprim and cefalexin".
        let of_list = || {
            let previous = drugs.iter().filter(in_sentence).rev().find(|drug| drug.span.last <= span.first)?;
            let is_list = (previous.span.last..span.first).all(|at| matches!(word(at), "and" | "or" | "but" | "also"));
            let is_comma = |at: usize| matches!(gap(self.text, self.tokens, at).trim(), "" | "," | "/" | "、" | "，");
            let is_joined = (previous.span.last.saturating_sub(1)..span.first).all(is_comma);
            Some(is_list && is_joined && self.is_of_culture(previous.span, drugs))
        };
        is_told(before) || is_told(word(span.last)) || (has_letter(span) && lettered()) || of_list() == Some(true)
    }

    /// Whether the sentence considers another drug in so many words.
    fn considers_another(&self, span: Span, drugs: &[Named]) -> bool {
        let sentence = self.layout.sentence(span.first);
        let others = drugs.iter().filter(|drug| drug.span != span && drug.span.first >= sentence.first && drug.span.last <= sentence.last);
        others.into_iter().any(|other| {
            let nearest = self.governing(other.span, drugs).min_by_key(|cue| self.distance(cue, other.span, drugs));
            nearest.is_some_and(|cue| cue.means.0 == DrugStatus::Proposed && cue.means.2 != Counts::Asking)
        })
    }

    /// The cues that speak of a drug.
    pub(super) fn governing<'s>(&'s self, span: Span, drugs: &'s [Named]) -> impl Iterator<Item = &'s FoundPhrase<Says>> {
        let sentence = self.layout.sentence(span.first);
        let permission = asks_permission(self.tokens, sentence.first, sentence.last);
        let asks = sentence.asks || permission.is_some();
        // A verb asks only in the clause that asks: the last, or from "can I" on.
        let breaks_behind = (span.last..sentence.last).any(|at| self.tokens.get(at).is_some_and(|token| token.after_break));
        let asked_from = if breaks_behind { permission.map_or(usize::MAX, |(first, _)| first) } else { 0 };
        self.cues.iter().filter(move |cue| {
            let (_, reach, counts, within) = cue.means;
            let in_sentence = cue.first >= sentence.first && cue.last <= sentence.last;
            let apart = match reach {
                Reach::After => cue.last <= span.first,
                Reach::Before => cue.first >= span.last,
            };
            let heading = self.layout.is_heading(cue.first);
            // "青霉素不过敏", and the allergy of a brother.
            let marks = self.scopes.at(cue.first);
            let is_others = marks.family && !self.scopes.at(span.first).family;
            let is_denied = cue.means.0 == DrugStatus::Allergic && (marks.absent || is_others);
            in_sentence
                && apart
                && !is_denied
                && (cue.means.0 != DrugStatus::Allergic || self.calls_so(cue, span, drugs))
                && !heading
                && !self.is_of_another(cue, span, drugs)
                && match counts {
                    Counts::Always => true,
                    Counts::Asking => asks && cue.last > asked_from,
                    Counts::Told => !asks,
                }
                && self.distance(cue, span, drugs) <= within
        })
    }

    /// Whether a cue behind a drug speaks only of another in another clause: of one that stands between ("aspirin, simvastatin (new)"), or behind it
    /// ("on aspirin, started simvastatin").
    fn is_of_another(&self, cue: &FoundPhrase<Says>, span: Span, drugs: &[Named]) -> bool {
        let between = drugs.iter().find(|drug| drug.span.first >= span.last && drug.span.last <= cue.first);
        let breaks =
            |mut places: std::ops::RangeInclusive<usize>| places.any(|at| self.tokens.get(at).is_some_and(|token| token.after_break));
        let is_behind = |drug: &Named| {
            let joined = (cue.last..drug.span.first).all(|at| self.tokens.get(at).is_some_and(|token| is_joining(&token.text)));
            drug.span.first >= cue.last && joined && !breaks(cue.last..=drug.span.first)
        };
        let begins_clause = || self.tokens.get(cue.first).is_some_and(|token| token.after_break) && drugs.iter().any(is_behind);
        let is_beyond = || between.is_some_and(|drug| breaks(span.last..=drug.span.first)) && !self.ends_list(cue, span, drugs);
        cue.means.1 == Reach::Before && (is_beyond() || begins_clause())
    }

    /// How many words stand between a cue and a drug; the drugs of one list, and what joins them, count for nothing.
    pub(super) fn distance(&self, cue: &FoundPhrase<Says>, span: Span, drugs: &[Named]) -> usize {
        let (from, to) = if cue.last <= span.first { (cue.last, span.first) } else { (span.last, cue.first) };
        let words = (from..to).filter(|at| {
            let of_drug = drugs.iter().any(|drug| (drug.span.first..drug.span.last).contains(at));
            let joins = self.tokens.get(*at).is_none_or(|token| is_joining(&token.text));
            !of_drug && !joins && !self.is_in_allergy(*at)
        });
        let is_break = |at: &usize| self.tokens.get(*at).is_some_and(|token| token.after_break && !self.continues_list(*at, drugs));
        let (spaces, breaks): (Vec<usize>, Vec<usize>) = (from..=to).filter(is_break).partition(|at| self.is_after_space(*at));
        // 克拉霉素 过敏: a space between Chinese words is less than a mark.
        words.count() + spaces.len() + 3 * breaks.len()
    }

    /// Whether only a space stands before a token.
    fn is_after_space(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let between = before.zip(self.tokens.get(at)).and_then(|(before, token)| self.text.get(before.end..token.start));
        between.is_some_and(|between| between.trim().is_empty() && !between.contains(['\n', '\r']))
    }

    /// Whether a clause that begins at this token only continues a list of drugs ("ramipril 5 mg, aspirin").
    fn continues_list(&self, at: usize, drugs: &[Named]) -> bool {
        let is_drug = |at: usize| is_in_drug(drugs, at) || self.is_in_allergy(at);
        let before = at.saturating_sub(3);
        is_drug(at) || (at..at + 2).any(is_drug) && (before..at).any(is_drug)
    }
}

/// Whether a token belongs to one of some drugs.
pub(super) fn is_in_drug(drugs: &[Named], at: usize) -> bool {
    drugs.iter().any(|drug| (drug.span.first..drug.span.last).contains(&at))
}

/// The number with which a dose begins: "10", "10mg".
fn amount(word: &str) -> Option<f64> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
    word.get(..end)?.parse().ok()
}

/// Whether a word only joins the drugs of a list, or says how much of them.
fn is_joining(word: &str) -> bool {
    let is_amount = word.starts_with(|c: char| c.is_ascii_digit());
    is_amount
        || matches!(
            word,
            "and"
                | "or"
                | "plus"
                | "the"
                | "a"
                | "an"
                | "some"
                | "mg"
                | "mcg"
                | "g"
                | "ml"
                | "od"
                | "bd"
                | "tds"
                | "qds"
                | "prn"
                | "daily"
                | "oral"
                | "iv"
                | "po"
                | "his"
                | "her"
                | "my"
                | "low"
                | "dose"
                | "high"
                | "tablets"
                | "和"
                | "及"
                | "与"
                | "加"
        )
}

/// Whether a later status of the same drug says more than the first: a drug is named, and then proposed, stopped or found to be an allergen.
pub(super) fn says_more(known: DrugStatus, later: DrugStatus) -> bool {
    let rank = |status: DrugStatus| match status {
        DrugStatus::Taken => 0,
        DrugStatus::Proposed => 1,
        DrugStatus::New => 2,
        DrugStatus::Stopped => 3,
        DrugStatus::Allergic => 4,
    };
    rank(later) > rank(known) && !(known == DrugStatus::Taken && later == DrugStatus::Proposed)
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use super::*;

    #[test]
    fn the_file_is_valid() {
        let file: File = toml::from_str(include_str!("../../../assets/drug-status.toml")).expect("valid");
        assert!(file.cue.iter().all(|cue| !cue.says.is_empty()));
    }

    fn is_allergen(text: &str, drug: &str) -> bool {
        let case = read(text);
        let is_one = case.drugs.iter().any(|known| known.entity.as_deref() == Some(drug) && known.status == DrugStatus::Allergic);
        assert_eq!(is_one, case.patient.allergies.iter().any(|allergen| allergen == drug), "{text}: {:?}", case.patient.allergies);
        is_one
    }

    #[test]
    fn what_treats_a_reaction_is_no_allergen_beside_one() {
        assert!(is_allergen("Cat bite. Amoxicillin 2011 -> throat swelling + adrenaline. What instead of co-amoxiclav?", "Amoxicillin"));
        assert!(!is_allergen("Started amoxicillin -> rash yesterday", "Amoxicillin"), "it is new");
        for (text, drug) in [
            ("Allergies: penicillin - anaphylaxis 2011 (adrenaline IM, hydrocortisone)", "Adrenaline"),
            ("Drug card for the ward: adrenaline doses in anaphylaxis for a 9 year old", "Adrenaline"),
            ("Anaphylaxis to trimethoprim in 2015, adrenaline given twice. Now has a UTI.", "Adrenaline"),
            ("Severe anaphylaxis to ceftriaxone (hydrocortisone 200 mg), now wheezy", "Hydrocortisone"),
            ("过敏性休克时肾上腺素治疗过敏的剂量", "Adrenaline"),
        ] {
            assert!(!is_allergen(text, drug), "{text}: {:?}", read(text).drugs);
        }
        for (text, drug) in [
            ("Allergies: doxycycline - anaphylaxis 2011 (adrenaline IM, hydrocortisone)", "Doxycycline"),
            ("Anaphylaxis to trimethoprim in 2015, adrenaline given twice. Now has a UTI.", "Trimethoprim"),
            ("allergic to adrenaline", "Adrenaline"),
            ("Known hydrocortisone allergy, which steroid?", "Hydrocortisone"),
            ("Allergies: hydrocortisone, trimethoprim", "Hydrocortisone"),
            ("She is allergic to trimethoprim and hydrocortisone", "Hydrocortisone"),
            ("对肾上腺素过敏", "Adrenaline"),
            ("trimethoprim anaphylaxis", "Trimethoprim"),
            ("Allergies: penicillin, trimethoprim 2019", "Trimethoprim"),
        ] {
            assert!(is_allergen(text, drug), "{text}: {:?}", read(text).drugs);
        }
    }

    #[test]
    fn what_is_for_a_reaction_or_tolerated_is_no_allergen() {
        for (text, drug) in [
            ("salbutamol for anaphylaxis with wheeze, how much?", "Salbutamol"),
            ("Allergies: trimethoprim (tolerates doxycycline)", "Doxycycline"),
            ("allergic to trimethoprim, given doxycycline instead", "Doxycycline"),
        ] {
            assert!(!is_allergen(text, drug), "{text}: {:?}", read(text).drugs);
        }
        assert!(is_allergen("rash when given doxycycline, allergic to doxycycline", "Doxycycline"));
        assert!(is_allergen("doxycycline in 2017 - anaphylaxis", "Doxycycline"));
    }
}
