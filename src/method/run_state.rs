//! What a run knows from its chains on: choosing them and reading the answer work on this.

use std::collections::HashSet;
use std::sync::Arc;

use super::Method;
use super::engine::TOP_K;
use super::planned::Planned;
use super::ranking::Scores;
use super::relevance::Worth;
use super::remembered;
use super::run_cache::RunCache;
use crate::evidence::{Library, SearchMethod};
use crate::graph::{Chain, EntityId};
use crate::language::Knowledge;
use crate::language::context::{RunContext, StageError};
use crate::language::link::Anchors;
use crate::language::partial_matches::PartialMatches;
use crate::language::pictures::Recognised;
use crate::pipeline::answer::compose::{self, KeptChains, above, cited, is_preamble, missing};
use crate::pipeline::answer::extractive::{ReadInput, all_rejected, corrections, no_evidence, read};
use crate::pipeline::answer::plan::PlannedLine;
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::differential::assess::{Assessment, assess};
use crate::pipeline::differential::evidence::CaseEvidence;
use crate::pipeline::differential::word_accounts::accounts;
use crate::pipeline::documents::{DocumentInput, WithPassages, with_documents};
use crate::pipeline::prune::ScoreCache;
use crate::pipeline::search::{self, Searched};
use crate::pipeline::understand::intent::Intent;
use crate::pipeline::understand::question::ReadQuestion;
use crate::run::{Answer, AnswerPart, Case, Decided, EventKind, MOST_KEPT, Outcome, Pruning, ScoredChain, Stage, Triage};

/// What the question itself says: what it asks for, and what it names.
#[derive(Debug, Clone, Default)]
pub(super) struct Understood {
    /// How the question was read, with the doctor's corrections.
    pub(super) case: Arc<Case>,
    pub(super) intent: Intent,
    /// Anchors that the question names, before the hypothesis was read.
    pub(super) anchors: Vec<(EntityId, f64)>,
    /// What its words are near to.
    partial_matches: PartialMatches,
    /// Conditions by their clinical pictures.
    pictures: Vec<(EntityId, f64)>,
    /// The condition whose picture fits clearly better than the others'.
    pub(super) recognised: Option<Recognised>,
}

impl Understood {
    /// What was understood, once the question is linked.
    pub(super) fn of(read: ReadQuestion, anchors: &Anchors) -> Self {
        let named = anchors.of_question().map(|anchor| (anchor.entity, anchor.score)).collect();
        let (partial_matches, pictures) = (anchors.partial_matches.clone(), anchors.pictures.clone());
        Self { case: read.case, intent: read.intent, anchors: named, partial_matches, pictures, recognised: anchors.recognised }
    }

    /// What the question speaks for, with what the doctor decided about its anchors.
    pub(super) fn assess(&self, ctx: &RunContext<'_>, in_force: &Anchors, triage: &Triage) -> Assessment {
        // Of a question that is refused and in which nothing was recognised, nothing is assumed.
        if self.case.refusal.is_some() && self.anchors.is_empty() && triage.added_anchors.is_empty() {
            return Assessment::default();
        }
        let evidence = CaseEvidence::of(ctx.knowledge, &self.case, self.recognised);
        if triage.rejected_anchors.is_empty() && triage.added_anchors.is_empty() {
            let accounts = accounts(&self.partial_matches, ctx.knowledge, !self.anchors.is_empty(), |_| false);
            return assess(ctx.knowledge, &self.anchors, (&accounts, &self.pictures), &self.intent, &evidence);
        }
        let graph = &ctx.knowledge.graph;
        let is_rejected = |entity| triage.rejected_anchors.contains(graph.entity_name(entity));
        let mut anchors = self.anchors.clone();
        anchors.retain(|(entity, _)| !triage.rejected_anchors.contains(graph.entity_name(*entity)));
        for added in in_force.all.iter().filter(|anchor| triage.added_anchors.iter().any(|name| name == graph.entity_name(anchor.entity))) {
            match anchors.iter_mut().find(|(entity, _)| *entity == added.entity) {
                Some(known) => known.1 = added.score,
                None => anchors.push((added.entity, added.score)),
            }
        }
        let accounts = accounts(&self.partial_matches, ctx.knowledge, !anchors.is_empty(), is_rejected);
        assess(ctx.knowledge, &anchors, (&accounts, &self.pictures), &self.intent, &evidence)
    }
}

/// What a method's own search works on.
pub(super) struct Subject<'a> {
    pub(super) question: &'a str,
    pub(super) anchors: &'a Anchors,
    pub(super) understood: &'a Understood,
    pub(super) triage: &'a Triage,
    pub(super) cache: &'a RunCache,
    /// The paper's algorithm alone.
    pub(super) bare: bool,
}

/// What choosing and reading work on.
pub(super) struct RunState<'a> {
    pub(super) question: &'a str,
    pub(super) hypothesis: &'a str,
    /// The hypothesis is the graph's own, which advises against nothing that the graph supports.
    pub(super) own_words: bool,
    pub(super) anchors: &'a Anchors,
    pub(super) understood: &'a Understood,
    pub(super) assessment: &'a Assessment,
    pub(super) searched: &'a Searched,
    pub(super) triage: &'a Triage,
    /// Scores that a language model gave chains before, by number.
    pub(super) scores: &'a Scores,
    pub(super) cache: &'a RunCache,
    /// The answer as planned.
    pub(super) planned: &'a Planned,
    /// The paper's algorithm alone.
    pub(super) bare: bool,
}

impl RunState<'_> {
    /// All chains that were found.
    pub(super) fn chains(&self) -> &[Chain] {
        &self.searched.found.chains
    }

    /// Numbers of the chains that may be kept.
    pub(super) fn open(&self, decided: &Decided) -> Vec<u32> {
        let all = || (0..self.searched.found.chains.len() as u32).collect();
        decided.open.clone().unwrap_or_else(all)
    }

    /// How much entities are worth for the answer.
    pub(super) fn worth(&self) -> Worth {
        Worth::of(self.assessment, &self.understood.intent)
    }

    /// What the doctor's decisions mean where every chain lies between anchors.
    pub(super) fn decided_between_anchors(&self, ctx: &RunContext<'_>) -> Decided {
        Decided::of(self.triage, &self.searched.table, &self.anchors.described(&ctx.knowledge.graph), ctx.settings.k)
    }

    /// What the doctor's decisions mean for the chains.
    pub(super) fn decided(&self, ctx: &RunContext<'_>, method: &dyn Method) -> Decided {
        if self.triage.is_empty() { Decided::default() } else { method.decided(ctx, self) }
    }

    /// Chooses the chains that are kept.
    pub(super) fn prune(&self, ctx: &mut RunContext<'_>, method: &dyn Method, cache: &mut ScoreCache) -> Result<Arc<Pruning>, StageError> {
        let begun = ctx.begin(Stage::Prune);
        let mut decided = self.decided(ctx, method);
        self.report_pins(ctx, &decided);
        self.pin_remembered(ctx, &mut decided);
        let chosen = method.rank(ctx, self, &decided, cache)?;
        let pruning = Arc::new(self.join_proofs(method, &decided, chosen, ctx.settings.top_k));
        ctx.emit(EventKind::ChainsPruned { pruning: Arc::clone(&pruning) });
        ctx.end(Stage::Prune, begun.elapsed());
        Ok(pruning)
    }

    /// Keeps the chains that the planned answer rests on. They take the places of chains that no line cites, the last first, so that more
    /// than `top_k` are kept only where the lines rest on more. What the doctor rejected stays out.
    fn join_proofs(&self, method: &dyn Method, decided: &Decided, mut chosen: Pruning, top_k: usize) -> Pruning {
        let chains = &self.searched.found.chains;
        let plan = &self.planned.plan;
        // Without anchors nothing is left to prove anything by.
        let is_bare = self.anchors.all.is_empty() && !self.triage.rejected_anchors.is_empty();
        let is_open = |number: &u32| !is_bare && decided.rejected.binary_search(number).is_err();
        let is_of_safety = |line: &PlannedLine| line.part == AnswerPart::Safety;
        let joins = |line: &PlannedLine| method.joins_proofs() || is_preamble(line.part);
        let (for_safety, for_details) = {
            let kept = KeptChains::of(&self.searched.found, &chosen);
            let of = |belongs: &dyn Fn(&PlannedLine) -> bool| search::numbers_of(&missing(plan, &kept, belongs), chains);
            (of(&is_of_safety), of(&|line: &PlannedLine| joins(line) && !is_of_safety(line)))
        };
        let cited: HashSet<u32> = {
            let kept = KeptChains::of(&self.searched.found, &chosen);
            plan.lines.iter().filter(|line| joins(line)).flat_map(|line| &line.proofs).filter_map(|proof| kept.stating(proof)).collect()
        };
        // From the last: what neither a line cites nor the doctor pinned gives up its place.
        let ids = (1u32..).zip(chosen.kept.iter().map(|scored| scored.chain));
        let mut idle: Vec<u32> =
            ids.filter(|(id, chain)| !cited.contains(id) && !decided.pinned.contains(chain)).map(|(_, chain)| chain).collect();
        let mut least = chosen.kept.last().map_or(0.0, |scored| scored.score);
        // Who asked for fewer chains, or pinned more, gets no others but those of the safety pass; lines without evidence are left out then.
        let grows = top_k >= TOP_K && decided.pinned.len() <= top_k;
        for number in for_details.iter().copied().chain(for_safety.iter().copied()).filter(is_open) {
            if chosen.kept.iter().any(|scored| scored.chain == number) {
                continue;
            }
            if chosen.kept.len() >= top_k.min(MOST_KEPT) {
                match idle.pop() {
                    Some(chain) => {
                        // It was chosen, and is the best of those that are not kept.
                        let at = chosen.kept.iter().position(|scored| scored.chain == chain);
                        let given_up = at.map(|at| chosen.kept.remove(at));
                        chosen.runners_up.splice(0..0, given_up);
                    }
                    None if (grows || for_safety.contains(&number)) && chosen.kept.len() < MOST_KEPT => {}
                    None => continue,
                }
            }
            let runner_up = chosen.runners_up.iter().position(|scored| scored.chain == number);
            let scored = match runner_up {
                Some(at) => chosen.runners_up.remove(at),
                None => ScoredChain { chain: number, score: least, by_fragment: Vec::new() },
            };
            least = least.min(scored.score);
            chosen.kept.push(ScoredChain { score: least, ..scored });
        }
        chosen.runners_up.truncate(MOST_KEPT);
        chosen
    }

    /// Pins what ratings pinned for questions like this one.
    pub(super) fn pin_remembered(&self, ctx: &RunContext<'_>, decided: &mut Decided) {
        remembered::pin(&self.planned.remembered, &self.searched.table, ctx.settings.top_k, decided);
    }

    /// Says where pins are not kept to the letter.
    fn report_pins(&self, ctx: &mut RunContext<'_>, decided: &Decided) {
        let (pinned, top_k) = (decided.pinned.len(), ctx.settings.top_k);
        if pinned > MOST_KEPT {
            ctx.warn(format!("{pinned} chains are pinned; only the first {MOST_KEPT} can be kept."));
        } else if pinned > top_k {
            ctx.warn(format!("{pinned} chains are pinned, more than the {top_k} to keep: all pinned chains are kept, and no others."));
        }
        let missing = self.triage.pinned.len().saturating_sub(pinned);
        if missing > 0 {
            let (chains, are) = if missing == 1 { ("pinned chain", "is") } else { ("pinned chains", "are") };
            ctx.warn(format!("{missing} {chains} {are} not kept, because the graph does not state all of their triples (any more)."));
        }
    }

    /// The answer from the kept chains, without a language model, and whether one may add to it.
    pub(super) fn answer(&self, ctx: &mut RunContext<'_>, method: &dyn Method, pruning: &Pruning) -> (Answer, bool) {
        let wording = Wording::for_text(self.question);
        let input = self.read_input(ctx.knowledge, pruning);
        if !self.bare {
            ctx.emit(EventKind::UrgencyJudged { urgency: self.planned.urgency.clone() });
        }
        let kept = KeptChains::of(&self.searched.found, pruning);
        let graph = &ctx.knowledge.graph;
        let composed = |belongs: &dyn Fn(&PlannedLine) -> bool| cited(graph, &self.planned.plan, &kept, belongs);
        let refused = !self.bare && self.understood.case.refusal.is_some();
        if refused {
            let mut answer = compose::answer(composed(&|_| true), Vec::new());
            // What is stored about the rest is stated, but the question is not answered.
            answer.grounded = false;
            return (answer, false);
        }
        let preamble = composed(&|line: &PlannedLine| is_preamble(line.part));
        if pruning.kept.is_empty() {
            // Whatever a model would write now, it would invent; so none is asked.
            return (above(preamble, self.nothing_kept(ctx, wording)), false);
        }
        if !method.joins_proofs() || self.bare {
            return (above(preamble, read(&input)), true);
        }
        let whole = compose::answer(composed(&|_| true), corrections(&input));
        // Without anything that answers, what the chains state is better than nothing.
        let says_something = whole.lines.iter().any(|line| !is_preamble(line.part));
        // What was understood has been looked up, and nothing answers.
        // What is merely named, without a question or a drug, is told of as before.
        let case = &self.understood.case;
        let is_looked_up = case.is_understood() && (!case.asks.is_empty() || !case.drugs.is_empty());
        // A graph with qualified facts is read by the plan alone: what it leaves out is no answer.
        let is_looked_up = is_looked_up || graph.base().qualified_count() > 0;
        let answers = says_something || is_looked_up || !whole.citations.is_empty();
        (if answers { whole } else { above(preamble, read(&input)) }, true)
    }

    /// The answer with what the documents in use say.
    pub(super) fn with_documents(&self, ctx: &mut RunContext<'_>, library: &Library, pruning: &Pruning, answer: Answer) -> Answer {
        if self.bare || library.is_empty() {
            return answer;
        }
        let input = self.document_input((ctx.knowledge, ctx.settings.seed), library, pruning);
        match with_documents(&input, answer.clone()) {
            Ok(WithPassages { answer, passages }) => {
                ctx.emit(EventKind::PassagesFound { passages: Arc::new(passages) });
                answer
            }
            Err(error) => {
                ctx.warn(format!("The documents could not be searched, so nothing of them is cited: {error}"));
                answer
            }
        }
    }

    /// What documents are searched with.
    pub(super) fn document_input<'a>(
        &'a self,
        (knowledge, seed): (&'a Knowledge, i64),
        library: &'a Library,
        pruning: &'a Pruning,
    ) -> DocumentInput<'a> {
        DocumentInput {
            library,
            graph: &knowledge.graph,
            question: self.question,
            case: &self.understood.case,
            found: &self.searched.found,
            pruning,
            triage: self.triage,
            wording: Wording::for_text(self.question),
            seed: seed.unsigned_abs(),
            method: SearchMethod::default(),
        }
    }

    pub(super) fn read_input<'a>(&'a self, knowledge: &'a Knowledge, pruning: &'a Pruning) -> ReadInput<'a> {
        ReadInput {
            knowledge,
            found: &self.searched.found,
            pruning,
            anchors: self.anchors,
            assessment: self.assessment,
            intent: &self.understood.intent,
            wording: Wording::for_text(self.question),
            hypothesis: if self.own_words { "" } else { self.hypothesis },
        }
    }

    /// The answer where no chain was kept.
    pub(super) fn nothing_kept(&self, ctx: &RunContext<'_>, wording: &'static Wording) -> Answer {
        let none_left = self.anchors.all.is_empty() && !self.triage.rejected_anchors.is_empty();
        if self.searched.found.chains.is_empty() && !none_left {
            let name = |entity| wording.name(&ctx.knowledge.graph, entity);
            let understood: Vec<String> = self.anchors.all.iter().map(|anchor| name(anchor.entity)).collect();
            no_evidence(&understood, &self.anchors.unlinked, wording)
        } else {
            all_rejected(wording)
        }
    }
}

/// How a run ends that has this answer.
pub(super) fn outcome_of(answer: &Answer) -> Outcome {
    if answer.grounded || answer.by_model { Outcome::Answered } else { Outcome::NothingFound }
}

/// The answer where no language model answers and no graph is used.
pub(super) fn no_model(wording: &Wording) -> Answer {
    Answer { text: wording.answer.no_model.clone(), ..Answer::default() }
}

/// Tells the answer: its text from a byte offset on, as what is still to be shown, and then the whole. A model's text without a graph has been
/// shown as it was written.
pub(super) fn emit_answer(ctx: &mut RunContext<'_>, answer: Answer, shown: usize) {
    if !answer.by_model {
        for line in answer.text.get(shown..).unwrap_or_default().split_inclusive('\n') {
            ctx.emit(EventKind::AnswerToken { text: line.to_owned() });
        }
    }
    ctx.emit(EventKind::AnswerFinished { answer });
}

/// The choice of chains as it is without those that a language model brought.
pub(super) fn without_model(pruning: &Pruning) -> Pruning {
    let mut without = pruning.clone();
    without.kept.truncate(pruning.kept.len().saturating_sub(pruning.of_model));
    without.of_model = 0;
    without
}
