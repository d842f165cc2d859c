//! Questions that ask for a kind of drug: "first line antihypertensive in a man of 45", "what vaccine after splenectomy". The kind is
//! wanted, not taken; and where no condition is named, it is asked for what the kind treats, or for what the patient is at risk of.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::asks::Asked;
use super::layout::Layout;
use super::named::{Class, Named};
use crate::graph::{EntityId, Kind, Role, members_of};
use crate::language::knowledge::{Knowledge, named as named_entity};
use crate::language::phrase_table::PhraseTable;
use crate::run::AskKind;
use crate::text::Token;

/// How many words may stand between a word that chooses and the kind: "which newer antidepressants".
const APART: usize = 2;
/// The members of a class that are looked at.
const MEMBERS: usize = 200;
/// A class is for a condition if at least so many members treat it, half of all, and so many times as many as treat any other.
const LEAST: usize = 3;
const CLEARLY: usize = 2;
/// A state that puts at risk of more conditions than this (smoking) says too little of what is to be prevented.
const RISKS: usize = 8;

/// What drugs do by which they are asked for, and the drugs.
const OF_PURPOSE: [(&str, &[&str]); 2] =
    [("rate control", &["Beta blocker", "Diltiazem", "Verapamil", "Digoxin"]), ("rhythm control", &["Antiarrhythmic drug"])];
static PURPOSES: LazyLock<PhraseTable<usize>> =
    LazyLock::new(|| PhraseTable::of(OF_PURPOSE.iter().enumerate().map(|(number, (purpose, _))| (*purpose, number))));

static CHOOSES: LazyLock<PhraseTable<()>> = LazyLock::new(|| {
    let before = [
        "which",
        "what",
        "best",
        "first line",
        "first choice",
        "firstline",
        "1st line",
        "second line",
        "2nd line",
        "preferred",
        "choice of",
        "type of",
        "kind of",
        "class of",
        "recommended",
        "next",
        "alternative",
        "哪种",
        "哪个",
        "哪些",
        "哪类",
        "什么",
        "首选",
        "一线",
        "选哪种",
        "选什么",
    ];
    PhraseTable::of_phrases(before)
});
static CHOOSES_BEHIND: LazyLock<PhraseTable<()>> = LazyLock::new(|| {
    let behind = ["首选", "选哪", "用哪", "哪种", "哪个", "选什么", "of choice"];
    PhraseTable::of_phrases(behind)
});

/// What asks for what prevents, before it and behind it: nobody is told to be on "any vaccines".
static ASKS_TO_PREVENT: LazyLock<PhraseTable<()>> = LazyLock::new(|| {
    let before =
        ["list", "list the", "list all", "list of", "advise on", "advice on", "any", "need", "needs", "due", "要打", "该打", "需要打"];
    PhraseTable::of_phrases(before)
});
static ASKS_TO_PREVENT_BEHIND: LazyLock<PhraseTable<()>> = LazyLock::new(|| {
    let behind = [
        "needed",
        "are needed",
        "required",
        "are required",
        "recommended",
        "are recommended",
        "advised",
        "are advised",
        "indicated",
        "are indicated",
        "are due",
        "before",
        "does he need",
        "does she need",
        "do i need",
        "do they need",
        "do we give",
        "should i have",
        "should he have",
        "should she have",
    ];
    PhraseTable::of_phrases(behind)
});

/// What a class may stand before that is a dose of it.
const OF_DOSE: [&str; 12] =
    ["dose", "doses", "tablet", "tablets", "infusion", "injection", "appointment", "review", "level", "cycle", "round", "shot"];

/// A kind of drug that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WantedClass {
    /// The words, with those that choose.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Where the kind itself is named.
    pub(super) name: usize,
    pub(super) class: EntityId,
    pub(super) kind: AskKind,
}

/// The kinds of drugs that a text asks for. `may_ask`: whether a token stands where something can be asked.
pub(super) fn wanted_classes(
    knowledge: &Knowledge,
    tokens: &[Token],
    named: &[Named],
    may_ask: impl Fn(usize) -> bool,
) -> Vec<WantedClass> {
    let graph = &knowledge.graph;
    let is_class = |named: &&Named| named.class == Class::Drug && matches!(graph.kind(named.entity), Kind::DrugClass);
    let wanted = |of: &Named| {
        let (first, last) = (of.span.first, of.span.last);
        let joined = |from: usize, to: usize| tokens.get(from + 1..=to).is_none_or(|words| words.iter().all(|token| !token.after_break));
        let is_new = |at: usize| !named.iter().any(|other| other.span.first >= at && other.span.last <= first);
        // "What is a statin?" chooses none.
        let chooses = |from: usize, to: usize| {
            let between = tokens.get(from..to).unwrap_or_default();
            !between.iter().any(|token| {
                matches!(token.text.as_str(), "is" | "are" | "does" | "do" | "did" | "a" | "an" | "about" | "if" | "of" | "happens")
            })
        };
        let kind = kind_of(knowledge, of.entity);
        let prevents = kind == AskKind::Prevention;
        let before = (first.saturating_sub(APART + 3)..first)
            .find(|at| {
                let found = CHOOSES.at(tokens, *at);
                found
                    .or_else(|| ASKS_TO_PREVENT.at(tokens, *at).filter(|_| prevents))
                    .is_some_and(|found| found.last <= first && found.last + APART >= first && chooses(found.last, first))
            })
            .filter(|at| joined(*at, first) && is_new(*at));
        let behind = CHOOSES_BEHIND.at(tokens, last).or_else(|| ASKS_TO_PREVENT_BEHIND.at(tokens, last).filter(|_| prevents));
        let behind = behind.filter(|_| joined(first, last));
        // "Next antibiotic dose at six": what follows is a dose, no drug.
        let is_of_dose = tokens.get(last).is_some_and(|next| !next.after_break && OF_DOSE.contains(&next.text.as_str()));
        let before = before.filter(|at| !(is_of_dose && tokens.get(*at).is_some_and(|token| token.text == "next")));
        let (first, last) = match (before, behind) {
            (Some(at), _) => (at, last),
            (None, Some(found)) => (first, found.last),
            (None, None) if is_bare(knowledge, tokens, of) => (first, last),
            (None, None) => return None,
        };
        may_ask(first).then_some(WantedClass { first, last, name: of.span.first, class: of.entity, kind })
    };
    let wanted = named.iter().filter(is_class).filter_map(wanted);
    wanted.chain(wanted_purposes(knowledge, tokens, &may_ask)).collect()
}

/// Whether a text begins with a kind of drug and says for whom: "antidepressant in epilepsy". Nobody is given a group of which the members have only the
/// purpose in common, so it is asked which; of a narrow class, as statins, it may be asked whether it is safe.
fn is_bare(knowledge: &Knowledge, tokens: &[Token], of: &Named) -> bool {
    of.span.first == 0 && says_for_whom(tokens, of.span.last) && is_group(knowledge, of.entity)
}

fn says_for_whom(tokens: &[Token], at: usize) -> bool {
    let next = tokens.get(at).filter(|next| !next.after_break);
    next.is_some_and(|next| matches!(next.text.as_str(), "in" | "for" | "with" | "during"))
}

/// Whether a class is a group of classes that have the purpose in common, as antidepressants.
pub(super) fn is_group(knowledge: &Knowledge, class: EntityId) -> bool {
    let kinds = knowledge.facts().owners_of_role(class, Role::Broader);
    kinds.filter(|kind| matches!(knowledge.graph.kind(*kind), Kind::DrugClass)).take(LEAST).count() >= LEAST
}

/// What is asked for by what it does where no class has that name: "rate control in atrial fibrillation". Each of its drugs is wanted.
fn wanted_purposes(knowledge: &Knowledge, tokens: &[Token], may_ask: impl Fn(usize) -> bool) -> Vec<WantedClass> {
    let mut wanted = Vec::new();
    for at in 0..tokens.len() {
        let Some(found) = PURPOSES.at(tokens, at) else { continue };
        let chooses = |before: usize| {
            let words = tokens.get(before + 1..=at).unwrap_or_default();
            CHOOSES.at(tokens, before).is_some_and(|chosen| chosen.last <= at && chosen.last + APART >= at)
                && words.iter().all(|token| !token.after_break)
        };
        let first = (at.saturating_sub(APART + 3)..at).find(|before| chooses(*before));
        let is_bare = at == 0 && says_for_whom(tokens, found.last);
        let Some(first) = first.filter(|first| may_ask(*first)).or_else(|| is_bare.then_some(at)) else { continue };
        let drugs = OF_PURPOSE.get(found.means).copied().unwrap_or_default().1.iter();
        let drugs = drugs.filter_map(|name| named_entity(&knowledge.graph, name, ""));
        wanted.extend(drugs.map(|class| WantedClass { first, last: found.last, name: at, class, kind: AskKind::Treatment }));
    }
    wanted
}

/// Whether a kind of drug is for treating or, as vaccines are, for preventing: what it and its members do more.
fn kind_of(knowledge: &Knowledge, class: EntityId) -> AskKind {
    let facts = knowledge.facts();
    let count = |role: Role| {
        let all = std::iter::once(class).chain(members_of(&knowledge.graph, class, MEMBERS));
        all.map(|member| facts.owners_of_role(member, role).count()).sum::<usize>()
    };
    if count(Role::Prevention) > count(Role::Treatment) + count(Role::FirstLine) { AskKind::Prevention } else { AskKind::Treatment }
}

/// The condition that a kind of drug is for: most of its members treat it, and far fewer any other.
pub(super) fn condition_of(knowledge: &Knowledge, class: EntityId) -> Option<EntityId> {
    let facts = knowledge.facts();
    let members: Vec<EntityId> = std::iter::once(class).chain(members_of(&knowledge.graph, class, MEMBERS)).collect();
    let mut treated: BTreeMap<EntityId, usize> = BTreeMap::new();
    for member in &members {
        let mut of_member: Vec<EntityId> =
            facts.owners_of_role(*member, Role::FirstLine).chain(facts.owners_of_role(*member, Role::Treatment)).collect();
        of_member.sort_unstable();
        of_member.dedup();
        of_member.into_iter().for_each(|condition| *treated.entry(condition).or_default() += 1);
    }
    let (condition, most) = treated.iter().max_by_key(|(condition, count)| (**count, std::cmp::Reverse(**condition)))?;
    let next = treated.iter().filter(|(other, _)| *other != condition).map(|(_, count)| *count).max().unwrap_or(0);
    let is_clear = *most >= LEAST && 2 * most >= members.len() && *most >= CLEARLY * next;
    (is_clear && knowledge.is_condition(*condition)).then_some(*condition)
}

/// What the state of a patient puts at risk of: an infection, where the spleen is out.
fn risks_of(knowledge: &Knowledge, named: &[Named]) -> Vec<EntityId> {
    let facts = knowledge.facts();
    let is_state = |entity: &EntityId| matches!(knowledge.graph.kind(*entity), Kind::RiskFactor);
    // After an operation the patient is what it makes of him.
    let states = named.iter().flat_map(|named| std::iter::once(named.entity).chain(facts.owners_of_role(named.entity, Role::Cause)));
    let risks = states.filter(is_state).map(|state| facts.owners_of_role(state, Role::RiskFactor).collect::<Vec<_>>());
    let mut risks = risks.filter(|risks| (1..=RISKS).contains(&risks.len()));
    risks.next().unwrap_or_default()
}

/// Says of asks that name nothing what they are about: treatments of a kind are for what that kind treats, prevention is of what the
/// patient is at risk of. `is_told`: whether something else is named that can be meant.
pub(super) fn complete(knowledge: &Knowledge, asks: &mut [Asked], (wanted, named): (&[WantedClass], &[Named]), is_told: bool) {
    if is_told {
        return;
    }
    for ask in asks.iter_mut().filter(|ask| ask.of.is_empty()) {
        match ask.kind {
            AskKind::Treatment => {
                let classes = wanted.iter().filter(|wanted| wanted.kind == AskKind::Treatment);
                ask.of.extend(classes.filter_map(|wanted| condition_of(knowledge, wanted.class)).take(1));
            }
            AskKind::Prevention => ask.of = risks_of(knowledge, named),
            _ => {}
        }
    }
}

/// What a sentence asks of kinds of drugs besides what was found, unless it asks whether something is safe, how much, or what they cause.
pub(super) fn asked_of_classes(wanted: &[WantedClass], layout: &Layout, sentence: usize, found: &[Asked]) -> Vec<Asked> {
    let is_other = |ask: &Asked| !matches!(ask.kind, AskKind::Treatment | AskKind::Prevention | AskKind::Diagnosis | AskKind::Tests);
    if found.iter().any(is_other) {
        return Vec::new();
    }
    let is_new = |wanted: &&WantedClass| layout.is_one_sentence(wanted.first, sentence) && !found.iter().any(|ask| ask.kind == wanted.kind);
    let mut asked: Vec<Asked> = Vec::new();
    for wanted in wanted.iter().filter(is_new) {
        if !asked.iter().any(|ask| ask.kind == wanted.kind) {
            asked.push(Asked { kind: wanted.kind, first: wanted.first, last: wanted.last, of: Vec::new() });
        }
    }
    asked
}
