//! The trace as the outside sees it: `catena.trace/1`, the JSON that `catena ask --json` prints
//! (design §6; keys in that order, all present).

use serde::Serialize;

use super::event::{Anchor, Mention, Models, Pruning, Settings, Stage};
use super::trace::{StageState, Trace};
use crate::graph::{Chain, ChainKind};

/// A trace in the outside form. Borrowed, so that making it costs nothing but the chains' texts.
#[derive(Debug, Serialize)]
pub struct TraceDocument<'a> {
    schema: &'static str,
    id: &'a str,
    question: &'a str,
    method: &'a str,
    kg: &'a super::KgInfo,
    settings: &'a Option<Settings>,
    models: &'a Option<Models>,
    hypothesis: &'a str,
    mentions: &'a [Mention],
    anchors: &'a [Anchor],
    unlinked: &'a [String],
    chains: Vec<ChainDocument<'a>>,
    chains_found: u64,
    truncated: &'a Option<String>,
    kept: Vec<u32>,
    answer: AnswerDocument<'a>,
    timings_ms: Timings,
    warnings: &'a [String],
    pruning: PruningDocument<'a>,
    prompts: &'a [super::SentPrompt],
}

#[derive(Debug, Serialize)]
struct ChainDocument<'a> {
    id: u32,
    kind: ChainKind,
    entities: Vec<&'a str>,
    relations: Vec<RelationDocument<'a>>,
    text: String,
    score: Option<f64>,
    learned: bool,
}

#[derive(Debug, Serialize)]
struct RelationDocument<'a> {
    name: &'a str,
    forward: bool,
}

#[derive(Debug, Serialize)]
struct AnswerDocument<'a> {
    text: &'a str,
    entities: &'a [String],
    citations: &'a [u32],
    corrected: &'a [String],
    grounded: bool,
    lines: &'a [super::AnswerLine],
}

#[derive(Debug, Serialize)]
struct Timings {
    hypothesis: f64,
    recognise: f64,
    link: f64,
    search: f64,
    prune: f64,
    read: f64,
    total: f64,
}

#[derive(Debug, Serialize)]
struct PruningDocument<'a> {
    fragments: &'a [String],
    scored: &'a [super::ScoredBy],
    kept: Vec<ScoreDocument<'a>>,
    runners_up: Vec<ScoreDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct ScoreDocument<'a> {
    id: u32,
    score: f64,
    by_fragment: &'a [f64],
}

fn rounded(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}

impl<'a> TraceDocument<'a> {
    /// The document of a trace with at most `max_chains` chains; kept ones are always there, first.
    ///
    /// Ids are given here and hold for this trace: kept chains are 1, 2, … in rank order (which the
    /// answer's citations use), the others follow in the search's order.
    pub fn of(trace: &'a Trace, max_chains: usize) -> Self {
        let pruning: &Pruning = &trace.pruning;
        let kept_count = pruning.kept.len();
        // Numbers of kept chains, so that the ids of the others are told without numbering them all.
        let mut kept_numbers: Vec<u32> = pruning.kept.iter().map(|scored| scored.chain).collect();
        kept_numbers.sort_unstable();
        kept_numbers.dedup();
        let id_of = |chain: u32| {
            let kept_before = kept_numbers.partition_point(|kept| *kept < chain);
            trace.kept_id(chain).unwrap_or(chain + 1 + (kept_count - kept_before) as u32)
        };
        let runner_up = |chain: u32| pruning.runners_up.iter().find(|scored| scored.chain == chain).map(|scored| scored.score);

        let mut chains: Vec<ChainDocument<'a>> =
            trace.kept().zip(&pruning.kept).map(|((id, _, chain), scored)| chain_document(trace, id, chain, Some(scored.score))).collect();
        let others = trace.table.chains.iter().zip(0u32..).filter(|(_, number)| trace.kept_id(*number).is_none());
        for (chain, number) in others.take(max_chains.saturating_sub(kept_count)) {
            chains.push(chain_document(trace, id_of(number), chain, runner_up(number)));
        }

        let time = |stage| match trace.stage(stage) {
            StageState::Done { elapsed_ms } => rounded(elapsed_ms),
            StageState::Waiting | StageState::Running { .. } => 0.0,
        };
        let score_document = |scored: &'a super::ScoredChain| ScoreDocument {
            id: id_of(scored.chain),
            score: scored.score,
            by_fragment: &scored.by_fragment,
        };
        Self {
            schema: "catena.trace/1",
            id: &trace.id,
            question: &trace.question,
            method: &trace.method,
            kg: &trace.kg,
            settings: &trace.settings,
            models: &trace.models,
            hypothesis: &trace.hypothesis,
            mentions: &trace.mentions,
            anchors: &trace.anchors,
            unlinked: &trace.unlinked,
            chains,
            chains_found: trace.chains_found,
            truncated: &trace.truncated,
            kept: (1..=kept_count as u32).collect(),
            answer: AnswerDocument {
                text: &trace.answer.text,
                entities: &trace.answer.entities,
                citations: &trace.answer.citations,
                corrected: &trace.answer.corrected,
                grounded: trace.answer.grounded,
                lines: &trace.answer.lines,
            },
            timings_ms: Timings {
                hypothesis: time(Stage::Hypothesis),
                recognise: time(Stage::Recognise),
                link: time(Stage::Link),
                search: time(Stage::Search),
                prune: time(Stage::Prune),
                read: time(Stage::Read),
                total: rounded(trace.elapsed_ms),
            },
            warnings: &trace.warnings,
            pruning: PruningDocument {
                fragments: &pruning.fragments,
                scored: &pruning.scored,
                kept: pruning.kept.iter().map(score_document).collect(),
                runners_up: pruning.runners_up.iter().map(score_document).collect(),
            },
            prompts: &trace.prompts,
        }
    }
}

fn chain_document<'a>(trace: &'a Trace, id: u32, chain: &Chain, score: Option<f64>) -> ChainDocument<'a> {
    let table = &trace.table;
    ChainDocument {
        id,
        kind: chain.kind(),
        entities: chain.nodes().iter().map(|node| table.entities[*node as usize].name.as_str()).collect(),
        relations: chain
            .hops()
            .map(|hop| RelationDocument { name: &table.relations[usize::from(hop.relation)].name, forward: hop.forward })
            .collect(),
        text: table.text(chain),
        score,
        learned: chain.learned(),
    }
}
