//! For what a drug is wanted where the question does not say: "which antibiotic?" is asked for what antibiotics treat, "what instead of
//! clarithromycin?" for what clarithromycin treats, among all that the case tells.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::asked_class::{condition_of, is_group};
use super::intent::AskedAt;
use super::named::{Class, Named};
use crate::graph::{EntityId, Kind, Role, classes_of, members_of};
use crate::language::knowledge::{Knowledge, named as entity_named};
use crate::language::phrase_table::PhraseTable;
use crate::pipeline::differential::evidence::urgency_of;
use crate::run::{AskKind, Case, ConditionStatus, DrugStatus, FindingStatus};
use crate::text::Token;

/// The members of a class that are looked at.
const MEMBERS: usize = 200;
/// What is treated by so many times fewer of the drugs than something else is not what they are for.
const MAINLY: usize = 2;
/// A finding is treated for itself if at least one in so many of the drugs treats it.
const FINDING_SHARE: usize = 4;
/// How many words may stand between the words for a replacement and the drug: "instead of her regular clarithromycin".
const APART: usize = 2;

/// What stands before the drug that is to be replaced …
static REPLACES: LazyLock<PhraseTable<()>> = LazyLock::new(|| {
    let before = [
        "instead of",
        "in place of",
        "alternative to",
        "alternatives to",
        "alternative for",
        "substitute for",
        "replace",
        "replaces",
        "replacing",
        "swap",
        "代替",
        "替代",
        "取代",
    ];
    PhraseTable::of_phrases(before)
});
/// … and what asks for another drug without naming the one.
static ASKS_FOR_ANOTHER: LazyLock<PhraseTable<()>> = LazyLock::new(|| {
    let words = ["instead", "any alternative", "any alternatives", "换什么", "换成什么", "改用什么", "用什么代替"];
    PhraseTable::of_phrases(words)
});

/// The drug that a question wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WantedDrug {
    /// The kinds of drugs that it asks for.
    pub(crate) classes: Vec<EntityId>,
    /// The drugs for which it wants another.
    pub(crate) replaced: Vec<EntityId>,
    /// Whether it wants another without naming the one.
    wants_another: bool,
    /// What it says that they are for: "which antidepressant for bulimia?".
    purposes: Vec<EntityId>,
}

impl WantedDrug {
    /// Reads the words. `may_ask`: whether a token stands where something can be asked; `classes`: the kinds of drugs that are asked for,
    /// beside those whose names stand in words that ask for a treatment (`asked_at`).
    pub(super) fn of(
        knowledge: &Knowledge,
        (tokens, may_ask): (&[Token], impl Fn(usize) -> bool),
        named: &[Named],
        asked_at: &[AskedAt],
        mut classes: Vec<EntityId>,
    ) -> Self {
        let graph = &knowledge.graph;
        for at in asked_at.iter().filter(|ask| ask.kind == AskKind::Treatment).flat_map(|ask| ask.first..ask.last) {
            let hit = graph.names().longest_at(tokens, at);
            let entities = hit.into_iter().flat_map(|hit| hit.entities).map(|(entity, _)| entity);
            classes.extend(entities.filter(|entity| matches!(graph.kind(*entity), Kind::DrugClass)));
        }
        let is_behind = |of: &Named, last: usize| of.class == Class::Drug && (last..=last + APART).contains(&of.span.first);
        let mut replaced: Vec<EntityId> = Vec::new();
        let mut wants_another = false;
        // Whether something can be asked costs a look at the whole sentence, so the words are looked up first.
        for at in 0..tokens.len() {
            if let Some(found) = REPLACES.at(tokens, at) {
                let first = named.iter().filter(|of| is_behind(of, found.last)).map(|of| of.span.first).min();
                let drugs = named.iter().filter(|of| of.class == Class::Drug && Some(of.span.first) == first).map(|of| of.entity);
                if first.is_some() && may_ask(at) {
                    replaced.extend(drugs);
                }
            } else {
                wants_another |= ASKS_FOR_ANOTHER.at(tokens, at).is_some() && may_ask(at);
            }
        }
        // "What would you do about the potassium instead?" is about the potassium.
        let is_about_more = named.iter().any(|of| matches!(of.class, Class::Condition | Class::Finding | Class::Test));
        let is_for = |of: &&Named| {
            let before = of.span.first.saturating_sub(APART + 1)..of.span.first;
            let said = before.rev().find_map(|at| match tokens.get(at).map_or("", |token| token.text.as_str()) {
                "for" | "against" | "treat" | "treating" | "治" | "治疗" => Some(true),
                "a" | "an" | "the" | "his" | "her" | "my" | "acute" | "severe" | "mild" | "chronic" | "recurrent" | "new" => None,
                _ => Some(false),
            });
            said == Some(true)
        };
        let purposes = named.iter().filter(|of| matches!(of.class, Class::Condition | Class::Finding)).filter(is_for).map(|of| of.entity);
        let purposes = purposes.collect();
        Self { classes, wants_another: wants_another && replaced.is_empty() && !is_about_more, replaced, purposes }
    }

    /// Says of questions for a treatment that name nothing what they are about: what the case tells that the wanted drug, or the one to be
    /// replaced, treats. Where the case tells nothing of it, they stay as they are.
    pub(super) fn aim(&mut self, knowledge: &Knowledge, case: &mut Case) {
        let graph = &knowledge.graph;
        let find = |name: &Option<String>| name.as_deref().and_then(|name| entity_named(graph, name, ""));
        let mut drugs: BTreeSet<EntityId> = self.classes.iter().copied().collect();
        for class in &self.classes {
            drugs.extend(members_of(graph, *class, MEMBERS));
        }
        if self.wants_another {
            // Where it is not said which drug is to be replaced, it is what somebody considers or has just begun, of the kind that is asked for.
            let is_meant = |status| matches!(status, DrugStatus::Proposed | DrugStatus::New);
            let meant = case.drugs.iter().filter(|drug| is_meant(drug.status)).filter_map(|drug| find(&drug.entity));
            self.replaced = meant.filter(|drug| drugs.is_empty() || drugs.contains(drug)).collect();
        }
        if drugs.is_empty() {
            drugs.extend(self.replaced.iter().flat_map(|drug| std::iter::once(*drug).chain(classes_of(graph, *drug))));
        }
        if drugs.is_empty() {
            return;
        }
        let facts = knowledge.facts();
        let has = ConditionStatus::is_now;
        let conditions = case.conditions.iter().filter(|condition| has(condition.status)).filter_map(|condition| find(&condition.entity));
        let findings = case.findings.iter().filter(|finding| finding.status == FindingStatus::Present);
        let told = conditions.chain(findings.filter_map(|finding| find(&finding.entity)));
        // Antiemetics are for vomiting: that one of them also treats migraine makes it no question about migraine.
        let treated: Vec<(EntityId, usize)> = told
            .map(|entity| {
                // What treats pneumonia is given for an infection of the lower airways, too.
                let kinds = std::iter::once(entity).chain(facts.owners_of_role(entity, Role::Broader));
                let of_role = |kind, role| facts.players_of_role(kind, role).filter(|drug| drugs.contains(drug));
                let treating = kinds.flat_map(|kind| of_role(kind, Role::FirstLine).chain(of_role(kind, Role::Treatment)));
                (entity, treating.collect::<BTreeSet<EntityId>>().len())
            })
            // Vomiting is what antiemetics are for. That three antibiotics ease pain on passing water makes it no question about that pain: what
            // the pain is a sign of is treated.
            .filter(|(entity, count)| knowledge.is_condition(*entity) || FINDING_SHARE * count >= drugs.len())
            .collect();
        let most = treated.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let treated = treated.into_iter().filter(|(_, count)| *count > 0 && MAINLY * count >= most);
        let treated: Vec<String> = treated.map(|(entity, _)| graph.entity_name(entity).to_owned()).collect();
        let open = case.asks.iter_mut().filter(|ask| ask.kind == AskKind::Treatment && ask.of.is_empty());
        open.for_each(|ask| ask.of.clone_from(&treated));
        // Beside a critical value, what it is a sign of is asked about, too.
        if !self.classes.is_empty() && !case.results.iter().any(|result| result.critical) {
            self.choose(knowledge, case, &treated);
        }
    }

    /// Lets the kind of drug that is asked for choose among the conditions: "which antihypertensive in asthma and gout?" asks about neither of them.
    /// `treated`: what of the case members of it treat. What it is said to be for stays what is asked about.
    fn choose(&self, knowledge: &Knowledge, case: &mut Case, treated: &[String]) {
        let graph = &knowledge.graph;
        let is_pregnant = case.patient.pregnancy.is_some_and(|pregnancy| pregnancy.pregnant);
        let main = || {
            let mut groups = self.classes.iter().filter(|class| is_group(knowledge, **class));
            let main = groups.find_map(|class| condition_of(knowledge, *class))?;
            // In a pregnancy, as the graph states it for one.
            let kinds = knowledge.facts().owners_of_role(main, Role::Broader);
            let mut of_pregnancy = kinds.filter(|kind| graph.entity_name(*kind).ends_with("in pregnancy"));
            Some(of_pregnancy.next().filter(|_| is_pregnant).unwrap_or(main))
        };
        let is_meant = |name: &String| {
            let entity = entity_named(graph, name, "");
            treated.contains(name) || entity.is_some_and(|entity| self.purposes.contains(&entity) || !knowledge.is_condition(entity))
        };
        let is_emergency =
            |name: &String| entity_named(graph, name, "").is_some_and(|entity| urgency_of(knowledge, entity) == Some("emergency"));
        for ask in case.asks.iter_mut().filter(|ask| ask.kind == AskKind::Treatment) {
            if ask.of.iter().any(is_meant) {
                // An emergency that is asked about as well is not passed over.
                ask.of.retain(|name| is_meant(name) || is_emergency(name));
            } else if !treated.is_empty() {
                ask.of = treated.to_vec();
            } else if let Some(main) = main() {
                ask.of = vec![graph.entity_name(main).to_owned()];
            }
        }
    }
}
