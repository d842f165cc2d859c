//! Checks of the parts of an event, before the trace takes them in. Each gives the part as it can be trusted, and says what was wrong with it.

use std::collections::HashSet;

use super::case::CaseCorrection;
use super::event::{
    Anchor, Answer, KgInfo, Mention, MentionOrigin, ModelActivity, Pruning, ScoredChain, Settings, TokensSpent, Urgency, UrgencyReason,
};
use super::event_fault::{EventFault, LONGEST_MS, LONGEST_TEXT, MOST_COUNTED, MOST_LISTED, MOST_SCORE};
use super::passage::{MOST_PASSAGES, PassageId, QuotedPassage};
use super::triage::{MOST_KEPT, Triage};
use crate::graph::{ChainTable, MAX_HOPS};
use crate::text::sanitise_line;

/// What was wrong with an event, each reason as often as it was met.
pub(super) type Faults = Vec<EventFault>;

/// A time in milliseconds, from 0 to [`LONGEST_MS`].
pub(super) fn time(ms: f64, faults: &mut Faults) -> f64 {
    if (0.0..=LONGEST_MS).contains(&ms) {
        return ms;
    }
    faults.push(EventFault::Time);
    if ms > LONGEST_MS { LONGEST_MS } else { 0.0 }
}

/// A count of at most [`MOST_COUNTED`].
pub(super) fn count(counted: u64, faults: &mut Faults) -> u64 {
    if counted > MOST_COUNTED {
        faults.push(EventFault::Count);
    }
    counted.min(MOST_COUNTED)
}

/// Whether a score is a number that a scorer can give.
fn is_score(score: f64) -> bool {
    score.abs() <= MOST_SCORE
}

/// The settings, each within its range.
pub(super) fn settings(of_run: &Settings, faults: &mut Faults) -> Settings {
    let mut within = of_run.clone();
    within.k = within.k.clamp(1, MAX_HOPS);
    within.top_k = within.top_k.clamp(1, MOST_KEPT);
    within.delta = if within.delta.is_nan() { 0.0 } else { within.delta.clamp(0.0, 1.0) };
    within.fragment_words = within.fragment_words.min(MOST_LISTED);
    within.fragment_overlap = within.fragment_overlap.min(MOST_LISTED);
    if within != *of_run {
        faults.push(EventFault::Setting);
    }
    within
}

/// How urgent a case is, with texts that can be shown.
pub(super) fn urgency(urgency: &Urgency, faults: &mut Faults) -> Urgency {
    let line = |text: &str| sanitise_line(cut(text, LONGEST_TEXT));
    if urgency.because.len() > MOST_LISTED {
        faults.push(EventFault::TooMany);
    }
    let reason =
        |reason: &UrgencyReason| UrgencyReason { kind: reason.kind, text: line(&reason.text), entity: reason.entity.as_deref().map(line) };
    Urgency {
        level: urgency.level,
        text: urgency.text.as_deref().map(line),
        condition: urgency.condition.as_deref().map(line),
        because: urgency.because.iter().take(MOST_LISTED).map(reason).collect(),
    }
}

/// The graph, with numbers that can be.
pub(super) fn kg(kg: &KgInfo, faults: &mut Faults) -> KgInfo {
    KgInfo {
        name: kg.name.clone(),
        entities: count(kg.entities, faults),
        triples: count(kg.triples, faults),
        learned: count(kg.learned, faults),
    }
}

/// What a model is doing, with numbers that can be.
pub(super) fn activity(activity: &ModelActivity, faults: &mut Faults) -> ModelActivity {
    // JSON has no infinite numbers; a model that took no time has no speed.
    let stated = activity.tokens_per_second.filter(|speed| speed.is_finite());
    let speed = stated.filter(|speed| (0.0..=LONGEST_MS).contains(speed));
    if speed != stated {
        faults.push(EventFault::Count);
    }
    ModelActivity {
        queued: count(activity.queued, faults),
        done: count(activity.done, faults),
        total: count(activity.total, faults),
        tokens_per_second: speed,
        spent: activity.spent.map(|spent| TokensSpent {
            read: spent.read.map(|tokens| count(tokens, faults)),
            written: spent.written.map(|tokens| count(tokens, faults)),
        }),
        ..*activity
    }
}

/// The decisions, with settings within their ranges; `None` where they are so already.
pub(super) fn triage(decided: &Triage, faults: &mut Faults) -> Option<Triage> {
    let (k, top_k) = (decided.k.map(|k| k.clamp(1, MAX_HOPS)), decided.top_k.map(|top_k| top_k.clamp(1, MOST_KEPT)));
    let delta = decided.delta.filter(|delta| !delta.is_nan()).map(|delta| delta.clamp(0.0, 1.0));
    let case_is_sound = decided.case.len() <= MOST_LISTED && decided.case.iter().all(CaseCorrection::is_sound);
    if (k, top_k, delta) == (decided.k, decided.top_k, decided.delta) && case_is_sound {
        return None;
    }
    faults.push(EventFault::Setting);
    let sound = decided.case.iter().filter(|correction| correction.is_sound());
    let case = sound.take(MOST_LISTED).cloned().collect();
    Some(Triage { k, top_k, delta, case, ..decided.clone() })
}

/// Whether a mention can stand in the text that it is of. A hypothesis may still be on its way.
pub(super) fn mention_fits(mention: &Mention, question: &str) -> bool {
    match mention.origin {
        MentionOrigin::Question => question.get(mention.start..mention.end).is_some(),
        MentionOrigin::Hypothesis => mention.start <= mention.end && mention.end <= LONGEST_TEXT,
    }
}

/// An anchor with a score that can be.
pub(super) fn anchor(anchor: &Anchor, faults: &mut Faults) -> Anchor {
    if is_score(anchor.score) {
        return anchor.clone();
    }
    faults.push(EventFault::Score);
    Anchor { score: 0.0, ..anchor.clone() }
}

/// Whether a choice is of chains of this table, each once, with scores that can be and one for each fragment at most.
pub(super) fn choice_fits(pruning: &Pruning, table: &ChainTable) -> bool {
    let mut seen = HashSet::new();
    // A score of the chain as a whole may stand in place of those by fragment.
    let columns = pruning.fragments.len().max(1);
    let fits = |scored: &ScoredChain| {
        (scored.chain as usize) < table.chains.len()
            && is_score(scored.score)
            && scored.by_fragment.len() <= columns
            && scored.by_fragment.iter().all(|score| is_score(*score))
    };
    if pruning.of_model > pruning.kept.len() {
        return false;
    }
    let short = [&pruning.kept, &pruning.runners_up].into_iter().all(|list| list.len() <= MOST_KEPT);
    short
        && pruning.kept.iter().chain(&pruning.runners_up).all(|scored| fits(scored) && seen.insert(scored.chain))
        && pruning.scored.iter().all(|by| by.chains <= MOST_COUNTED)
}

/// The passages that can be, at most [`MOST_PASSAGES`]; `None` where all of them can. Ids are places, so that after one that cannot be none is taken.
pub(super) fn passages(found: &[QuotedPassage], faults: &mut Faults) -> Option<Vec<QuotedPassage>> {
    let is_sound = |passage: &&QuotedPassage| {
        let fields = [&passage.collection, &passage.document, &passage.title, &passage.section, &passage.date, &passage.url, &passage.text];
        passage.start < passage.end && !passage.text.is_empty() && fields.iter().all(|field| field.len() <= LONGEST_TEXT)
    };
    let sound: Vec<QuotedPassage> = found.iter().take(MOST_PASSAGES).take_while(is_sound).cloned().collect();
    if sound.len() == found.len() {
        return None;
    }
    faults.push(if found.len() > MOST_PASSAGES { EventFault::TooMany } else { EventFault::Passage });
    Some(sound)
}

/// An answer whose citations are ids of the `kept` chains and of the `passages` that it was written from.
pub(super) fn answer(of_event: &Answer, kept: usize, passages: usize, faults: &mut Faults) -> Answer {
    let mut answer = of_event.clone();
    let mut cites = |citations: &mut Vec<u32>| {
        let before = citations.len();
        citations.retain(|id| (1..=kept).contains(&(*id as usize)));
        faults.extend(std::iter::repeat_n(EventFault::Citation, before - citations.len()));
    };
    cites(&mut answer.citations);
    answer.lines.iter_mut().for_each(|line| cites(&mut line.citations));
    let mut quotes = |cited: &mut Vec<PassageId>| {
        let before = cited.len();
        cited.retain(|id| id.place() < passages);
        faults.extend(std::iter::repeat_n(EventFault::Citation, before - cited.len()));
    };
    quotes(&mut answer.passages);
    answer.lines.iter_mut().for_each(|line| quotes(&mut line.passages));
    if answer.text.len() > LONGEST_TEXT {
        faults.push(EventFault::Text);
        answer.text.truncate(cut(&answer.text, LONGEST_TEXT).len());
    }
    for list in [&mut answer.entities, &mut answer.corrected] {
        faults.extend(std::iter::repeat_n(EventFault::TooMany, list.len().saturating_sub(MOST_LISTED)));
        list.truncate(MOST_LISTED);
    }
    faults.extend(std::iter::repeat_n(EventFault::TooMany, answer.lines.len().saturating_sub(MOST_LISTED)));
    answer.lines.truncate(MOST_LISTED);
    answer
}

/// Appends to a text as much as there is room for.
pub(super) fn append(text: &mut String, more: &str, faults: &mut Faults) {
    let room = LONGEST_TEXT.saturating_sub(text.len());
    if more.len() > room {
        faults.push(EventFault::Text);
    }
    text.push_str(cut(more, room));
}

/// The beginning of a text, of at most `most` bytes.
pub(super) fn cut(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Appends to a list as long as it is no longer than `most`.
pub(super) fn push<T: Clone>(list: &mut Vec<T>, entry: &T, most: usize, faults: &mut Faults) {
    if list.len() < most {
        list.push(entry.clone());
    } else {
        faults.push(EventFault::TooMany);
    }
}
