//! Explanations on request: why a chain was kept or not, where its triples come from, and which entities have names like the typed
//! text.

use super::driver::{Work, cached, state_of};
use super::engine::{Engine, kg_info, method_of};
use super::find::{for_revision, searched_before};
use super::ranking::scores_in;
use super::remembered;
use super::run_state::without_model;
use crate::evidence::Sought;
use crate::graph::{Chain, EntityId, EvolvingGraph, Graph, Player, RelationId, Triple};
use crate::language::Knowledge;
use crate::language::context::{RunContext, StageError};
use crate::language::knowledge::named;
use crate::model::CancelToken;
use crate::pipeline::documents::names_of;
use crate::pipeline::prune::by_ratings;
use crate::run::{
    ChainKey, EntityCard, Explanation, Fate, QuestionKind, QuotedPassage, ScoredChain, Stage, StageState, Taught, Trace, TripleOrigin,
};
use crate::text::sanitise_line;

/// The most aliases on a card.
const ALIASES: usize = 12;
/// The most source files that are named.
const FILES: usize = 3;

impl Engine {
    /// Entities whose names are like the typed text, best first.
    pub(super) fn entities_like(&self, typed: &str, most: usize) -> Vec<EntityCard> {
        let knowledge = self.knowledge();
        let graph = &knowledge.graph;
        let found = graph.names().complete(typed, most);
        let card = |entity, name: &str| {
            let card = card_of(graph, entity);
            let matched = Some(sanitise_line(name)).filter(|name| *name != card.name);
            EntityCard { matched, ..card }
        };
        found.into_iter().map(|completion| card(completion.entity, completion.name)).collect()
    }

    /// Everything known about a chain of a trace; `None` if there is no such chain.
    pub(super) fn explain_chain(&self, trace: &Trace, number: u32) -> Option<Explanation> {
        let chain = trace.table.chains.get(number as usize)?;
        let scored = self.score_again(trace, number);
        let told = || trace.pruning.kept.iter().chain(&trace.pruning.runners_up).find(|scored| scored.chain == number);
        let pinned = || trace.triage.verdict(&trace.table, chain) == crate::run::triage::Verdict::Pinned;
        let rejected = trace.triage.verdict(&trace.table, chain).reason();
        let fate = match (trace.kept_id(number), rejected) {
            _ if !matches!(trace.stage(Stage::Prune), StageState::Done { .. }) => Fate::Undecided,
            (Some(id), _) => Fate::Kept { id, pinned: pinned() },
            (None, Some(by)) => Fate::Rejected { by },
            (None, None) => match &scored {
                Some((fate, _)) => fate.clone(),
                None => match (told(), trace.pruning.kept.last()) {
                    (Some(scored), Some(least)) => Fate::Outscored { score: scored.score, least_kept: least.score },
                    _ => Fate::PrefilteredOut { read: trace.pruning.scored.last().map_or(0, |by| by.chains) },
                },
            },
        };
        // The score by which it was ranked takes precedence over the one computed now.
        let scored = match (scored, told()) {
            (Some((_, now)), Some(then)) => Some(ScoredChain { score: then.score, ..now }),
            (Some((_, now)), None) => Some(now),
            (None, then) => then.cloned(),
        };
        let knowledge = self.knowledge();
        let graph = &knowledge.graph;
        let entities = chain.nodes().iter().filter_map(|node| trace.table.entities.get(*node as usize)).map(|entity| {
            let of_table = || EntityCard {
                name: sanitise_line(&entity.name),
                kind: sanitise_line(&entity.kind),
                description: sanitise_line(&entity.description),
                ..EntityCard::default()
            };
            named(graph, &entity.name, &entity.kind).map_or_else(of_table, |entity| card_of(graph, entity))
        });
        let (entities, triples) = (entities.collect(), self.origins(graph, trace, chain));
        Some(Explanation { chain: number, fate, scored, entities, triples, taught: taught(&knowledge, trace, chain) })
    }

    /// Scores a chain as pruning did. `None` if the graph is not the run's, or a model fails.
    fn score_again(&self, trace: &Trace, number: u32) -> Option<(Fate, ScoredChain)> {
        let settings = trace.settings.as_ref()?;
        let cancel = CancelToken::new();
        let mut nobody = |_| true;
        let models = self.models.info();
        let knowledge = self.knowledge();
        let mut ctx = self.context(&knowledge, trace.id.as_str().into(), settings, &models, &cancel, &mut nobody);
        self.weigh_again(&mut ctx, trace, number).ok().flatten()
    }

    fn weigh_again(&self, ctx: &mut RunContext<'_>, trace: &Trace, number: u32) -> Result<Option<(Fate, ScoredChain)>, StageError> {
        let same_graph = trace.kg == kg_info(ctx.knowledge);
        let remembered = self.cache.of(trace);
        let Some(searched) = searched_before(ctx, trace, same_graph, remembered.as_ref()) else { return Ok(None) };
        let method = super::method(method_of(trace));
        let work = Work {
            method: method.as_ref(),
            question: &trace.question,
            triage: &trace.triage,
            cache: &self.cache,
            cached: remembered,
            bare: false,
            follows: trace.follows.clone(),
            library: &self.library,
        };
        let found = for_revision(ctx, &work, trace, Stage::Read, Some(searched))?;
        if number as usize >= found.searched.found.chains.len() {
            // A language model brought it; it was not weighed with the others.
            return Ok(None);
        }
        let pruning = without_model(&trace.pruning);
        let assessment = found.assess(ctx, work.cached.as_ref(), work.triage);
        let scores = scores_in(&pruning);
        let state = state_of(&work, &found, &assessment, &scores);
        let mut decided = state.decided(ctx, work.method);
        state.pin_remembered(ctx, &mut decided);
        let mut cache = work.cached.as_ref().map(|run| run.scores.clone()).unwrap_or_default();
        let explained = work.method.explain(ctx, &state, (&decided, &pruning), &mut cache, number)?;
        self.cache.put(cached(ctx, &work, &found, &assessment, cache));
        Ok(explained)
    }

    /// What the documents in use say of a triple: the sentence that states it, or one that denies it, with where it stands.
    fn passage_about(&self, graph: &EvolvingGraph, triple: Triple) -> Option<String> {
        let relation = graph.relation(triple.relation);
        let (owner, player) = match relation.player {
            Player::Head => (triple.tail, triple.head),
            Player::Tail => (triple.head, triple.tail),
        };
        let end = |entity: EntityId| vec![names_of(graph, entity)];
        let sought = Sought { role: relation.role, owner: end(owner), player: end(player) };
        let quoted = |passage: QuotedPassage| format!("“{}” ({})", sanitise_line(passage.text.trim()), sanitise_line(&passage.source()));
        if let Some(passage) = self.library.stating(&sought, |_| true) {
            return Some(format!("a document states it, too: {}", quoted(passage)));
        }
        let against = self.library.denying(&sought)?;
        Some(format!("to be reviewed, because a document says otherwise: {}", quoted(against)))
    }

    /// The origin of each triple of a chain.
    fn origins(&self, graph: &EvolvingGraph, trace: &Trace, chain: &Chain) -> Vec<TripleOrigin> {
        let key = ChainKey::of(&trace.table, chain);
        let entities: Vec<Option<EntityId>> = chain
            .nodes()
            .iter()
            .filter_map(|node| trace.table.entities.get(*node as usize))
            .map(|entity| named(graph, &entity.name, &entity.kind))
            .collect();
        // A key has fewer parts than its chain where the table does not hold all of them.
        let origin = |(at, hop): (usize, crate::graph::Hop)| {
            let (name, forward) = key.relations.get(at)?;
            let relation = graph.relations().iter().position(|known| known.name == *name);
            let display = &trace.table.relations.get(usize::from(hop.relation))?.display;
            let (head, tail) = if *forward { (at, at + 1) } else { (at + 1, at) };
            let triple = match (*entities.get(head)?, relation, *entities.get(tail)?) {
                (Some(head), Some(relation), Some(tail)) => Some(Triple { head, relation: RelationId(relation as u16), tail }),
                _ => None,
            };
            let stated = triple.filter(|triple| graph.states(*triple));
            let record = stated.and_then(|triple| graph.record_of(triple));
            let text = sanitise_line(&format!("{} \u{2192} {display} \u{2192} {}", key.entities.get(head)?, key.entities.get(tail)?));
            let source = match (stated, record) {
                (_, Some(record)) => match self.origin_of(record) {
                    Some(told) => format!("learned (record {record}): {}", sanitise_line(&told)),
                    None => format!("learned from feedback (record {record} of the journal)"),
                },
                (Some(_), None) => source_of(graph.base()),
                (None, None) => format!(
                    "{} of that time; what is known now does not state it",
                    if chain.learned() { "what was learned, or the graph," } else { "the graph" }
                ),
            };
            let source = match stated.and_then(|triple| self.passage_about(graph, triple)) {
                Some(passage) => format!("{source}; {passage}"),
                None => source,
            };
            // What the run knew takes precedence over what the graph states now.
            let known = trace.table.qualifiers(hop).cloned();
            let now = || stated.map(|triple| graph.qualifiers(triple.head, triple.relation, triple.tail)).unwrap_or_default();
            Some(TripleOrigin { text, source, learned: record.is_some(), qualifiers: known.unwrap_or_else(now) })
        };
        chain.hops().enumerate().filter_map(origin).collect()
    }
}

/// What ratings did about a chain, where the method of its run listens to them.
fn taught(knowledge: &Knowledge, trace: &Trace, chain: &Chain) -> Option<Taught> {
    if !super::method(method_of(trace)).uses_ratings() {
        return None;
    }
    let ratings = knowledge.preferences();
    let of = |chain: &Chain| ratings.of_chain(&trace.table.text(chain));
    let both = of(chain).plus(of(&chain.reversed()));
    let key = ChainKey::of(&trace.table, chain);
    let remembered = remembered::of_kind(knowledge, &QuestionKind::of_trace(trace));
    let pinned_by = remembered.iter().find(|one| one.key == key || one.key == key.reversed()).map(|one| one.record);
    let taught = Taught { good: both.good, bad: both.bad, added: by_ratings(both), pinned_by };
    (taught != Taught::default()).then_some(taught)
}

/// An entity as the graph describes it.
fn card_of(graph: &EvolvingGraph, entity: EntityId) -> EntityCard {
    EntityCard {
        name: sanitise_line(graph.entity_name(entity)),
        kind: sanitise_line(graph.kind(entity).as_str()),
        description: sanitise_line(graph.description(entity)),
        aliases: graph.aliases(entity).take(ALIASES).map(sanitise_line).collect(),
        triples: graph.degree(entity) as u64,
        matched: None,
    }
}

/// The name of a graph and, if known, of the files it was imported from; never the folders that they were in.
fn source_of(graph: &Graph) -> String {
    let (name, from) = (sanitise_line(graph.name()), graph.provenance());
    let file = |path: &String| sanitise_line(path.rsplit(['/', '\\']).next().unwrap_or(path));
    let mut files: Vec<String> = from.files.iter().take(FILES).map(file).collect();
    if from.files.len() > FILES {
        files.push(format!("{} more", from.files.len() - FILES));
    }
    match (from.format.is_empty(), files.is_empty()) {
        (true, _) => format!("the graph {name}"),
        (false, true) => format!("the graph {name}, imported from {}", sanitise_line(&from.format)),
        (false, false) => format!("the graph {name}, imported from {} ({})", sanitise_line(&from.format), files.join(", ")),
    }
}
