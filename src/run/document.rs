//! The trace as a document: `catena.trace/1`, the JSON that `catena ask --json` prints (schema: `assets/trace.schema.json`). All keys are
//! present, in the order of the schema.
//!
//! A document belongs to its answer: if the evidence was changed after the answer was written, the document holds the chains, anchors and
//! settings that the answer was written from, and a warning says that the answer is outdated.

use std::collections::BTreeSet;

use serde::Serialize;

use super::case::Case;
use super::event::{Anchor, Mention, Models, Pruning, Settings, Stage, Urgency};
use super::passage::{PassageId, QuotedPassage};
use super::trace::{StageState, Trace};
use super::triage::Triage;
use crate::graph::{Chain, ChainKind, ChainTable, Qualifiers};

/// A trace as a document. It borrows from the trace, so that only the texts of the chains are made for it.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    model_hypothesis_start: Option<usize>,
    mentions: &'a [Mention],
    anchors: Vec<&'a Anchor>,
    unlinked: &'a [String],
    chains: Vec<ChainDocument<'a>>,
    chains_found: u64,
    truncated: &'a Option<String>,
    kept: Vec<u32>,
    answer: AnswerDocument<'a>,
    timings_ms: Timings,
    warnings: Vec<&'a str>,
    case: &'a Case,
    urgency: &'a Urgency,
    passages: Vec<PassageDocument<'a>>,
    pruning: PruningDocument<'a>,
    prompts: &'a [super::SentPrompt],
    triage: &'a Triage,
    revisions: u32,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    qualifiers: Option<&'a Qualifiers>,
}

#[derive(Debug, Serialize)]
struct AnswerDocument<'a> {
    text: &'a str,
    entities: &'a [String],
    citations: &'a [u32],
    corrected: &'a [String],
    grounded: bool,
    lines: &'a [super::AnswerLine],
    passages: &'a [PassageId],
    more: &'a [String],
}

/// A passage of a document. `start` and `end` count characters of the section's text. `nth` says which of several sections of one name it
/// is: 1 is the second; the first is not said.
#[derive(Debug, Serialize)]
struct PassageDocument<'a> {
    id: PassageId,
    document: &'a str,
    section: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nth: Option<usize>,
    start: usize,
    end: usize,
    date: Option<&'a str>,
    url: Option<&'a str>,
    text: &'a str,
    collection: &'a str,
    title: &'a str,
}

impl<'a> PassageDocument<'a> {
    fn of(place: usize, passage: &'a QuotedPassage) -> Self {
        let given = |text: &'a String| Some(text.as_str()).filter(|text| !text.is_empty());
        Self {
            id: PassageId::at(place),
            document: &passage.document,
            section: given(&passage.section),
            nth: Some(passage.nth).filter(|nth| *nth > 0),
            start: passage.start,
            end: passage.end,
            date: given(&passage.date),
            url: given(&passage.url),
            text: &passage.text,
            collection: &passage.collection,
            title: &passage.title,
        }
    }
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
    #[serde(skip_serializing_if = "Option::is_none")]
    of_model: Option<usize>,
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

/// The warning of a document whose answer is outdated.
const STALE: &str = "The answer is outdated: the evidence was changed after it was written. Chains, anchors and settings are those that it was written from. Regenerate the answer to use the changed evidence.";

/// The part of a trace that a document is about: what the answer was written from, or what there is now.
struct Subject<'a> {
    table: &'a ChainTable,
    pruning: &'a Pruning,
    settings: &'a Option<Settings>,
    mentions: &'a [Mention],
    anchors: &'a [Anchor],
    unlinked: &'a [String],
    case: &'a Case,
    chains_found: u64,
    truncated: &'a Option<String>,
    /// Entities that the text names and the doctor rejected as anchors.
    rejected: &'a BTreeSet<String>,
}

impl<'a> Subject<'a> {
    fn of(trace: &'a Trace) -> Self {
        match &trace.evidence {
            Some(evidence) if trace.is_stale() => {
                let with = trace.read_with();
                Self {
                    table: &evidence.table,
                    pruning: &evidence.pruning,
                    settings: &with.settings,
                    mentions: &with.mentions,
                    anchors: &with.anchors,
                    unlinked: &with.unlinked,
                    case: &with.case,
                    chains_found: with.chains_found,
                    truncated: &with.truncated,
                    rejected: &with.rejected_anchors,
                }
            }
            _ => Self {
                table: &trace.table,
                pruning: &trace.pruning,
                settings: &trace.settings,
                mentions: &trace.mentions,
                anchors: &trace.anchors,
                unlinked: &trace.unlinked,
                case: &trace.case,
                chains_found: trace.chains_found,
                truncated: &trace.truncated,
                rejected: &trace.triage.rejected_anchors,
            },
        }
    }
}

impl<'a> TraceDocument<'a> {
    /// The document of a trace, with at most `max_chains` chains. Kept chains are always included, and come first.
    ///
    /// Ids hold for this trace only: kept chains are 1, 2, … by rank, as the answer cites them; the others follow in the order of the search.
    pub fn of(trace: &'a Trace, max_chains: usize) -> Self {
        let Subject { table, pruning, settings, mentions, anchors, unlinked, case, chains_found, truncated, rejected } = Subject::of(trace);
        let kept_count = pruning.kept.len();
        // Numbers of kept chains, sorted, so that the id of any other chain follows without numbering them all.
        let mut ranks: Vec<(u32, u32)> = pruning.kept.iter().map(|scored| scored.chain).zip(1..).collect();
        ranks.sort_unstable();
        let kept_id =
            |chain: u32| ranks.binary_search_by_key(&chain, |(kept, _)| *kept).ok().and_then(|at| ranks.get(at)).map(|(_, id)| *id);
        let id_of = |chain: u32| {
            let kept_before = ranks.partition_point(|(kept, _)| *kept < chain);
            kept_id(chain).unwrap_or(chain.saturating_add(1 + (kept_count - kept_before) as u32))
        };
        let runner_up = |chain: u32| pruning.runners_up.iter().find(|scored| scored.chain == chain).map(|scored| scored.score);

        let kept = pruning.kept.iter().zip(1..).filter_map(|(scored, id)| Some((id, scored, table.chains.get(scored.chain as usize)?)));
        let mut chains: Vec<ChainDocument<'a>> =
            kept.map(|(id, scored, chain)| chain_document(table, id, chain, Some(scored.score))).collect();
        let others = table.chains.iter().zip(0u32..).filter(|(_, number)| kept_id(*number).is_none());
        for (chain, number) in others.take(max_chains.saturating_sub(kept_count)) {
            chains.push(chain_document(table, id_of(number), chain, runner_up(number)));
        }
        let mut warnings: Vec<&str> = trace.warnings.iter().map(String::as_str).collect();
        if trace.is_stale() {
            warnings.push(STALE);
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
            settings,
            models: &trace.models,
            hypothesis: &trace.hypothesis,
            model_hypothesis_start: trace.model_hypothesis,
            mentions,
            anchors: anchors.iter().filter(|anchor| !rejected.contains(&anchor.entity)).collect(),
            unlinked,
            chains,
            chains_found,
            truncated,
            kept: (1..=kept_count as u32).collect(),
            answer: AnswerDocument {
                text: &trace.answer.text,
                entities: &trace.answer.entities,
                citations: &trace.answer.citations,
                corrected: &trace.answer.corrected,
                grounded: trace.answer.grounded,
                lines: &trace.answer.lines,
                passages: &trace.answer.passages,
                more: &trace.answer.more,
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
            warnings,
            case,
            urgency: &trace.urgency,
            passages: trace.passages.iter().enumerate().map(|(place, passage)| PassageDocument::of(place, passage)).collect(),
            pruning: PruningDocument {
                fragments: &pruning.fragments,
                scored: &pruning.scored,
                of_model: Some(pruning.of_model).filter(|count| *count > 0),
                kept: pruning.kept.iter().map(score_document).collect(),
                runners_up: pruning.runners_up.iter().map(score_document).collect(),
            },
            prompts: &trace.prompts,
            triage: &trace.triage,
            revisions: trace.revisions,
        }
    }
}

fn chain_document<'a>(table: &'a ChainTable, id: u32, chain: &Chain, score: Option<f64>) -> ChainDocument<'a> {
    ChainDocument {
        id,
        kind: chain.kind(),
        entities: chain.nodes().iter().filter_map(|node| table.entities.get(*node as usize)).map(|entity| entity.name.as_str()).collect(),
        relations: chain
            .hops()
            .filter_map(|hop| {
                let name = &table.relations.get(usize::from(hop.relation))?.name;
                Some(RelationDocument { name, forward: hop.forward, qualifiers: table.qualifiers(hop) })
            })
            .collect(),
        text: table.text(chain),
        score,
        learned: chain.learned(),
    }
}
