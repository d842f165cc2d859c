//! What a sentence claims about entities of the graph: which are named, in which relation and direction, and whether it is denied.
//!
//! The rules are strict: words that they do not cover make no claim, and a sentence without a claim is not supported.

use std::ops::Range;

use super::citations::without;
use super::cues::{CueForm, Cues, Side};
use crate::graph::{EntityId, EvolvingGraph, Kind, Role};
use crate::language::recognise::Reading;
use crate::run::event::MentionOrigin;
use crate::text::StopWords;

/// How many unread words (see [`ReadSentence::unread`]) a clause may have that names nothing of the graph.
const BESIDE: usize = 2;

/// An entity that a clause names; several where a name is ambiguous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) entities: Vec<EntityId>,
    tokens: Range<usize>,
}

/// One relation that a clause claims. The numbers are places in [`Clause::named`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    /// The roles that may be meant, each with the places of owner and player; `None`: the case itself.
    pub(super) readings: Vec<(Role, Option<usize>, Option<usize>)>,
}

/// A clause of a sentence.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) named: Vec<Named>,
    pub(super) claims: Vec<Claim>,
    /// A word denies what it claims.
    pub(super) denied: bool,
    /// It warns: against a drug, of an effect or of a combination.
    pub(super) warns: bool,
}

/// A sentence as it was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ReadSentence {
    pub(super) clauses: Vec<Clause>,
    /// Words with content of their own that no claim accounts for: 2 for a word, 1 for a Chinese character.
    pub(super) unread: usize,
    /// A clause that names nothing of the graph has words with content.
    pub(super) says_something_else: bool,
    /// It gives a number, such as a dose.
    pub(super) has_number: bool,
}

/// Reads a sentence.
pub(super) fn read_sentence(graph: &EvolvingGraph, sentence: &str) -> ReadSentence {
    let plain = without(sentence);
    let text = plain.trim().trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '•' | '#' | '.' | ')' | ' ' | '、'));
    let mut reading = Reading::of(text, 0, MentionOrigin::Hypothesis, StopWords::built_in());
    let names = reading.names(graph.names());
    let words: Vec<&str> = reading.tokens.iter().map(|token| token.text.as_str()).collect();
    let mut entity_at: Vec<Option<usize>> = vec![None; words.len()];
    let all: Vec<Named> = names
        .into_iter()
        .enumerate()
        .map(|(at, name)| {
            let tokens = name.span.first..name.span.last;
            entity_at[tokens.clone()].fill(Some(at));
            Named { entities: name.entities.into_iter().map(|(entity, _)| entity).collect(), tokens }
        })
        .collect();
    let cues = Cues::built_in();
    let stopped = StopWords::built_in().mark(&reading.tokens);
    let mut read = ReadSentence::default();
    let mut accounted: Vec<bool> = entity_at.iter().map(Option::is_some).collect();
    let ranges = clauses(text, &reading, &entity_at, cues);
    for clause in ranges.iter().cloned() {
        let tokens = Tokens { graph, words: &words, entity_at: &entity_at, all: &all };
        read.clauses.push(tokens.clause(clause, cues, &mut accounted));
    }
    let mut unread = vec![0; words.len()];
    let mut at = 0;
    while at < words.len() {
        if accounted[at] || stopped[at] {
            at += 1;
        } else if let Some(count) = filler(cues, &words[at..]) {
            at += count;
        } else {
            read.has_number |= words[at].chars().any(|c| c.is_ascii_digit());
            unread[at] = if reading.tokens[at].cjk { 1 } else { 2 };
            at += 1;
        }
    }
    read.unread = unread.iter().sum();
    read.says_something_else =
        read.clauses.iter().zip(ranges).any(|(clause, range)| clause.named.is_empty() && unread[range].iter().sum::<usize>() > BESIDE);
    read
}

fn filler(cues: &Cues, words: &[&str]) -> Option<usize> {
    [&cues.fillers, &cues.to_a_side, &cues.to_the_means, &cues.between, &cues.denies, &cues.turns]
        .into_iter()
        .find_map(|list| list.at(words))
}

/// The clauses of a sentence, as ranges of tokens.
fn clauses(text: &str, reading: &Reading<'_>, entity_at: &[Option<usize>], cues: &Cues) -> Vec<Range<usize>> {
    let tokens = &reading.tokens;
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let mut found = Vec::new();
    let mut start = 0;
    for at in 1..tokens.len() {
        // A name may hold brackets of its own.
        if entity_at[at].is_some() && entity_at[at] == entity_at[at - 1] {
            continue;
        }
        let gap = text.get(tokens[at - 1].end..tokens[at].start).unwrap_or_default();
        let cut = gap.contains([';', '；', '.', '。', '!', '?', '！', '？', '(', ')', '（', '）', '\n']);
        let turns = entity_at[at].is_none() && cues.turns.at(&words[at..]).is_some();
        if cut || turns {
            found.push(start..at);
            start = at;
        }
    }
    found.push(start..tokens.len());
    found
}

struct Tokens<'a> {
    graph: &'a EvolvingGraph,
    words: &'a [&'a str],
    /// For each token, the place of its name in `all`.
    entity_at: &'a [Option<usize>],
    all: &'a [Named],
}

/// A cue in a clause: its tokens, and how it relates things.
struct FoundCue<'c> {
    tokens: Range<usize>,
    form: &'c CueForm,
}

impl FoundCue<'_> {
    /// Whether it says that something must not be used.
    fn warns_against(&self) -> bool {
        match self.form {
            CueForm::Order(means) => means.iter().any(|(role, _)| *role == Role::Contraindication),
            CueForm::Preposition { roles, denied, .. } => !denied && roles.contains(&Role::Contraindication),
        }
    }
}

impl Tokens<'_> {
    fn clause(&self, range: Range<usize>, cues: &Cues, accounted: &mut [bool]) -> Clause {
        let mut named: Vec<Named> = Vec::new();
        for at in range.clone() {
            if let Some(place) = self.entity_at[at]
                && self.all[place].tokens.start == at
            {
                named.push(self.all[place].clone());
            }
        }
        let mut found: Vec<FoundCue<'_>> = Vec::new();
        let mut denied = false;
        let mut at = range.start;
        while at < range.end {
            // Names and cues hold words that would mean something else elsewhere.
            let free = (at..range.end).take_while(|token| self.entity_at[*token].is_none()).count();
            let open = &self.words[at..at + free];
            if free == 0 {
                at += 1;
            } else if let Some((cue, count)) = cues.at(open) {
                accounted[at..at + count].fill(true);
                found.push(FoundCue { tokens: at..at + count, form: &cue.form });
                at += count;
            } else if let Some(count) = cues.denies_nothing.at(open) {
                at += count;
            } else {
                denied |= cues.denies.at(open).is_some();
                at += 1;
            }
        }
        // "Should not be used to treat" claims no treatment.
        if found.iter().any(FoundCue::warns_against) {
            found.retain(FoundCue::warns_against);
        }
        let mut clause = Clause { denied, ..Clause::default() };
        let is_warning = |role: &Role| matches!(role, Role::Contraindication | Role::AdverseEffect | Role::Interaction);
        for cue in &found {
            let claims = match cue.form {
                CueForm::Order(means) => by_order(&named, &found, cue, means),
                CueForm::Preposition { roles, after, denied } => {
                    clause.denied |= *denied;
                    clause.warns |= !*denied && roles.iter().any(is_warning);
                    self.by_preposition(&named, cue, roles, *after, range.start, cues)
                }
            };
            if let CueForm::Order(means) = cue.form {
                clause.warns |= means.iter().any(|(role, _)| is_warning(role));
            }
            clause.claims.extend(claims);
        }
        // Half a claim counts only where there is no whole one.
        if clause.claims.iter().any(|claim| claim.is_whole()) {
            clause.claims.retain(Claim::is_whole);
        }
        clause.named = named;
        clause
    }

    /// What a preposition leads to is one side; where a means is named ("with omeprazole"), what has no preposition is that side too.
    fn by_preposition(&self, named: &[Named], cue: &FoundCue<'_>, roles: &[Role], after: Side, begin: usize, cues: &Cues) -> Vec<Claim> {
        #[derive(Clone, Copy, PartialEq)]
        enum Lead {
            Side,
            Means,
            Nothing,
        }
        let mut leads: Vec<Lead> = Vec::new();
        for (place, name) in named.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|before| named.get(before)).map_or(begin, |before| before.tokens.end);
            let words = &self.words[before..name.tokens.start];
            let from = (0..words.len()).rev().find(|at| cues.between.at(&words[*at..]).is_some()).map_or(0, |at| at + 1);
            let words = &words[from..];
            let glued = words.iter().all(|word| matches!(*word, "and" | "or" | "和" | "及" | "或" | "与"));
            // "For reflux, omeprazole" is no list; "for reflux, gastritis" is one.
            let alike = !words.is_empty() || place.checked_sub(1).is_some_and(|before| self.kind(&named[before]) == self.kind(name));
            let is_list = place > 0 && from == 0 && glued && alike;
            let lead = if is_list {
                leads.last().copied().unwrap_or(Lead::Nothing)
            } else if cues.to_a_side.within(words)
                || (after == Side::Owner && words.is_empty() && cue.tokens.start == name.tokens.end && self.is_of(cue))
            {
                Lead::Side
            } else if cues.to_the_means.within(words) {
                Lead::Means
            } else {
                Lead::Nothing
            };
            leads.push(lead);
        }
        // "A的症状": what stands directly before is its owner.
        let is_before = |place: usize| self.is_of(cue) && named[place].tokens.end == cue.tokens.start;
        let has_means = leads.contains(&Lead::Means);
        let on_side = |place: usize| leads[place] == Lead::Side || is_before(place) || (has_means && leads[place] == Lead::Nothing);
        let side: Vec<usize> = (0..named.len()).filter(|place| on_side(*place)).collect();
        let rest: Vec<usize> = (0..named.len()).filter(|place| !on_side(*place)).collect();
        let reading = |at_side: Option<usize>, other: Option<usize>| {
            let of = |role: &Role| if after == Side::Owner { (*role, at_side, other) } else { (*role, other, at_side) };
            Claim { readings: roles.iter().map(of).collect() }
        };
        match (side.is_empty(), rest.is_empty()) {
            (false, false) => {
                rest.iter().flat_map(|other| side.iter().map(move |one| (*one, *other))).map(|(a, b)| reading(Some(a), Some(b))).collect()
            }
            (true, false) => rest.iter().map(|other| reading(None, Some(*other))).collect(),
            _ => Vec::new(),
        }
    }

    fn kind(&self, named: &Named) -> Option<&Kind> {
        named.entities.first().map(|entity| self.graph.kind(*entity))
    }

    /// Whether a cue begins with the Chinese particle of possession.
    fn is_of(&self, cue: &FoundCue<'_>) -> bool {
        self.words.get(cue.tokens.start) == Some(&"的")
    }
}

/// What stands before a cue is related to what stands after it, up to the next cue of this form.
fn by_order(named: &[Named], found: &[FoundCue<'_>], cue: &FoundCue<'_>, means: &[(Role, bool)]) -> Vec<Claim> {
    let next = found
        .iter()
        .filter(|other| matches!(other.form, CueForm::Order(_)) && other.tokens.start >= cue.tokens.end)
        .map(|other| other.tokens.start)
        .filter(|start| named.iter().any(|name| name.tokens.start >= cue.tokens.end && name.tokens.end <= *start))
        .min()
        .unwrap_or(usize::MAX);
    let before: Vec<usize> = (0..named.len()).filter(|place| named[*place].tokens.end <= cue.tokens.start).collect();
    let after: Vec<usize> =
        (0..named.len()).filter(|place| named[*place].tokens.start >= cue.tokens.end && named[*place].tokens.end <= next).collect();
    let symmetric = means.iter().any(|(role, first)| *first && means.contains(&(*role, false)));
    let reading = |first: Option<usize>, last: Option<usize>| {
        let of = |(role, owner_first): &(Role, bool)| if *owner_first { (*role, first, last) } else { (*role, last, first) };
        Claim { readings: means.iter().map(of).collect() }
    };
    match (before.is_empty(), after.is_empty()) {
        (false, false) => before.iter().flat_map(|a| after.iter().map(|b| reading(Some(*a), Some(*b)))).collect(),
        // "A and B interact": both stand on one side.
        (false, true) if symmetric && before.len() > 1 => before.windows(2).map(|pair| reading(Some(pair[0]), Some(pair[1]))).collect(),
        (false, true) => before.iter().map(|a| reading(Some(*a), None)).collect(),
        (true, false) => after.iter().map(|b| reading(None, Some(*b))).collect(),
        (true, true) => Vec::new(),
    }
}

impl Claim {
    fn is_whole(&self) -> bool {
        self.readings.iter().all(|(_, owner, player)| owner.is_some() && player.is_some())
    }

    /// The places of what it is about.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.readings.first().into_iter().flat_map(|(_, owner, player)| [*owner, *player]).flatten()
    }
}
