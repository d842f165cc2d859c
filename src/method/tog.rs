//! Think-on-Graph (WTS's baseline ToG, after Sun et al., 2023): a beam search on the graph. At each depth the language model scores the relations of each
//! entity of the beam, then the entities behind the best relations; the best triples are kept, and it says whether what was kept so far suffices.
//!
//! With width N = 3, each depth has at most N calls for relations, N² for entities and one for sufficiency (the first, from up to five entities, more); one
//! call writes the answer.

use std::collections::{BTreeMap, HashSet};

use super::by_model::AskedModel;
use super::by_query::by_query;
use super::from_triples::{AROUND, Baseline};
use super::ranking::Ranked;
use super::run_state::{RunState, Subject};
use super::triple_similarity::triple_of;
use crate::graph::{Chain, ChainKind, EntityId, FoundChains, RelationId, neighbourhood};
use crate::language::consult::consult_as;
use crate::language::context::{RunContext, StageError};
use crate::language::generate::QUESTION;
use crate::language::prompt::prompt_lines::{lines, numbered, question_part};
use crate::language::prompt::{PromptFor, untrusted};
use crate::language::{first_word_is_yes, scores_form, scores_in, yes_or_no_form};
use crate::model::{Constraint, GeneratorHandle, PromptPart};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::llm::ReaderPrompt;
use crate::run::Stage;

/// The width of the beam (N).
const WIDTH: usize = 3;
/// The most entities that the search starts from, as in WTS.
const TOPICS: usize = 5;
/// The most relations, and the most triples of one relation, that are scored in one call.
const SCORED: usize = 20;

/// Thinks on the graph.
pub(super) struct ThinkOnGraph;

impl Baseline for ThinkOnGraph {
    fn narrow(&self, ctx: &mut RunContext<'_>, subject: &Subject<'_>, found: &mut FoundChains) -> Result<(), StageError> {
        let Some(generator) = ctx.asked_model().filter(|_| !found.chains.is_empty()) else { return Ok(()) };
        let chinese = Wording::for_text(subject.question).is_chinese();
        let mut beam = Beam { ctx, generator, question: subject.question, chinese, taken: HashSet::new() };
        let chains = beam.search(subject.anchors.entities())?;
        if chains.is_empty() {
            ctx.warn("The language model gave no relation a score; the triples nearest to the question are used.");
            return Ok(());
        }
        let count = chains.len() as u64;
        let truncated = found.truncated.take();
        *found = FoundChains { chains, found: count, by_kind: [(ChainKind::Neighbour, count)].into(), truncated };
        Ok(())
    }

    /// In the order of the beam search; without a language model by similarity to the question.
    fn order(&self, ctx: &mut RunContext<'_>, state: &RunState<'_>, open: &[u32]) -> Result<Ranked, StageError> {
        let is_beam = ctx.asked_model().is_some() && state.chains().len() <= WIDTH * ctx.settings.k;
        if is_beam { Ok(Ranked::as_searched(open)) } else { by_query(ctx, state, state.question, open) }
    }

    fn write_answer(&self, ctx: &mut RunContext<'_>, asked: &AskedModel<'_>) -> Result<Option<String>, StageError> {
        asked.read(ctx, ReaderPrompt::default())
    }
}

/// A search in progress.
struct Beam<'r, 'c> {
    ctx: &'r mut RunContext<'c>,
    generator: &'r GeneratorHandle,
    question: &'r str,
    chinese: bool,
    /// Triples that were kept already.
    taken: HashSet<crate::graph::Triple>,
}

impl Beam<'_, '_> {
    /// The triples that were kept, in their order.
    fn search(&mut self, start: Vec<EntityId>) -> Result<Vec<Chain>, StageError> {
        let mut beam = start;
        let mut kept: Vec<Chain> = Vec::new();
        for depth in 1..=self.ctx.settings.k {
            let mut scored: Vec<(Chain, f64)> = Vec::new();
            for entity in beam.iter().take(TOPICS) {
                for (score, chains) in self.relations(*entity)? {
                    scored.extend(self.entities(&chains)?.into_iter().map(|(chain, of_entity)| (chain, score * of_entity)));
                }
            }
            // Equal scores keep their order.
            scored.sort_by(|a, b| b.1.total_cmp(&a.1));
            scored.truncate(WIDTH);
            self.taken.extend(scored.iter().filter_map(|(chain, _)| triple_of(chain)));
            beam = scored.iter().filter_map(|(chain, _)| chain.nodes().last().map(|node| EntityId(*node))).collect();
            kept.extend(scored.into_iter().map(|(chain, _)| chain));
            if beam.is_empty() || depth == self.ctx.settings.k || self.suffices(&kept)? {
                break;
            }
        }
        Ok(kept)
    }

    fn ask(
        &mut self,
        what: PromptFor,
        form: Constraint,
        fill: impl Fn(&str) -> Vec<PromptPart>,
        instead: &str,
    ) -> Result<Option<String>, StageError> {
        let reply = consult_as(self.ctx, self.generator, Stage::Search, (what, self.chinese), Some(form), fill)?;
        Ok(reply.map_err(|why| self.ctx.warn(format!("{why}; {instead}."))).ok())
    }

    /// The relations of an entity that lead on, best first, with their scores and triples.
    fn relations(&mut self, entity: EntityId) -> Result<Vec<(f64, Vec<Chain>)>, StageError> {
        let graph = &self.ctx.knowledge.graph;
        let mut by_relation: BTreeMap<(String, bool), Vec<Chain>> = BTreeMap::new();
        for chain in neighbourhood(graph, &[entity], AROUND).chains {
            let (Some(hop), Some(triple)) = (chain.hops().next(), triple_of(&chain)) else { continue };
            if !self.taken.contains(&triple) {
                let name = graph.relation(RelationId(hop.relation)).name.replace('_', " ");
                by_relation.entry((name, hop.forward)).or_default().push(chain);
            }
        }
        let of: Vec<((String, bool), Vec<Chain>)> = by_relation.into_iter().take(SCORED).collect();
        if of.is_empty() {
            return Ok(Vec::new());
        }
        let name = graph.entity_name(entity).to_owned();
        let listed = lines(of.iter().map(|((name, forward), _)| if *forward { format!("→ {name}") } else { format!("← {name}") }));
        let question = self.question;
        let fill = |gap: &str| match gap {
            "entity" => vec![PromptPart { text: untrusted(&name, QUESTION), rank: None }],
            "relations" => listed.clone(),
            _ => question_part(question),
        };
        let reply = self.ask(PromptFor::BeamRelations, scores_form(of.len()), fill, "this entity leads nowhere")?;
        let scores = reply.map(|reply| scores_in(&reply, of.len())).unwrap_or_default();
        let mut scored: Vec<(f64, Vec<Chain>)> =
            of.into_iter().zip(1..).filter_map(|((_, chains), number)| Some((*scores.get(&number)?, chains))).collect();
        scored.retain(|(score, _)| *score > 0.0);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored.truncate(WIDTH);
        Ok(scored)
    }

    /// The triples of a relation with the scores of the entities at their ends. A lone triple is not asked about. Without scores all count alike.
    fn entities(&mut self, chains: &[Chain]) -> Result<Vec<(Chain, f64)>, StageError> {
        let shown = chains.get(..SCORED).unwrap_or(chains);
        let alike = || shown.iter().map(|chain| (*chain, 1.0 / shown.len() as f64)).collect();
        if shown.len() < 2 {
            return Ok(alike());
        }
        let parts = numbered(&self.ctx.knowledge.graph, shown);
        let question = self.question;
        let fill = |gap: &str| match gap {
            "triples" => parts.clone(),
            _ => question_part(question),
        };
        let reply = self.ask(PromptFor::BeamEntities, scores_form(shown.len()), fill, "the entities count alike")?;
        let scores = reply.map(|reply| scores_in(&reply, shown.len())).unwrap_or_default();
        if scores.is_empty() {
            return Ok(alike());
        }
        Ok(shown.iter().zip(1..).map(|(chain, number)| (*chain, scores.get(&number).copied().unwrap_or(0.0))).collect())
    }

    fn suffices(&mut self, kept: &[Chain]) -> Result<bool, StageError> {
        let parts = numbered(&self.ctx.knowledge.graph, kept);
        let question = self.question;
        let fill = |gap: &str| match gap {
            "triples" => parts.clone(),
            _ => question_part(question),
        };
        let reply = self.ask(PromptFor::Enough, yes_or_no_form(self.chinese), fill, "the search goes on")?;
        Ok(reply.is_some_and(|reply| first_word_is_yes(&reply)))
    }
}
