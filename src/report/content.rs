//! The content of a report, in its order: made from the trace once, and laid out by each template in its own form.

use std::time::SystemTime;

use serde::Serialize;
use time::OffsetDateTime;

use super::rows::{PassageRow, Prompt, Row, anchors, found, models, passages, prompts, settings, timings, triage};
use super::text::{AnswerLine, Piece, answer, marked};
use crate::graph::{Chain, ChainTable, Hop, LearnedTriples, triple_of};
use crate::pipeline::answer::against::Against;
use crate::pipeline::answer::headlines::{Headlines, has_shape, heading};
use crate::run::{AnswerPart, Evidence, Mark, Marks, MentionOrigin, Outcome, ScoredChain, Trace, TripleOrigin, UrgencyLevel};
use crate::text::{StopWords, is_chinese, sanitise, sanitise_line, stretch};

/// The most runners-up that a report lists; the others are only counted.
const MOST_RUNNERS_UP: usize = 30;
/// Shades of a heat strip.
const SHADES: f64 = 9.0;

/// The content of a report. All texts are sanitised; the templates escape them.
#[derive(Debug, Serialize)]
pub(super) struct Content {
    pub(super) version: &'static str,
    pub(super) id: String,
    /// Date and time of the question, if known.
    pub(super) asked: Option<String>,
    /// The question on one line, for titles.
    pub(super) title: String,
    pub(super) question: Vec<Piece>,
    /// What must not be missed, if the case is an emergency or urgent.
    pub(super) urgency: Option<UrgencyNote>,
    /// How the question was read, if that is recorded.
    pub(super) read_as: Option<String>,
    pub(super) hypothesis: Vec<Piece>,
    /// How the run ended, unless it ended with an answer.
    pub(super) state: Option<String>,
    /// Whether the evidence was changed after the answer was written.
    pub(super) stale: bool,
    pub(super) answer: Vec<AnswerLine>,
    /// The heading of what else the evidence holds, and the entities.
    pub(super) more_heading: &'static str,
    pub(super) more: Vec<String>,
    pub(super) by_model: bool,
    pub(super) corrected: Vec<String>,
    pub(super) unlinked: Vec<String>,
    pub(super) anchors: Vec<super::rows::Anchor>,
    pub(super) fragments: Vec<String>,
    /// The passages of documents that the answer cites.
    pub(super) passages: Vec<PassageRow>,
    pub(super) evidence: Vec<ChainRow>,
    pub(super) runners_up: Vec<ChainRow>,
    pub(super) runners_up_left_out: usize,
    /// The chains that are kept now, if the evidence was changed after the answer was written.
    pub(super) kept_since: Vec<String>,
    pub(super) found: Vec<Row>,
    pub(super) triage: Vec<Row>,
    pub(super) revisions: u32,
    pub(super) settings: Vec<Row>,
    pub(super) models: Vec<Row>,
    pub(super) timings: Vec<Row>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) warnings: Vec<String>,
    pub(super) legend: Vec<Sign>,
}

/// How urgent the case is.
#[derive(Debug, Serialize)]
pub(super) struct UrgencyNote {
    pub(super) level: &'static str,
    pub(super) text: String,
}

/// A mark in the legend.
#[derive(Debug, Serialize)]
pub(super) struct Sign {
    pub(super) sign: &'static str,
    pub(super) word: &'static str,
}

/// A kept chain, or a runner-up.
#[derive(Debug, Serialize)]
pub(super) struct ChainRow {
    /// The id by which the answer cites it; `None` for a runner-up.
    pub(super) id: Option<u32>,
    pub(super) cited: bool,
    pub(super) kind: &'static str,
    pub(super) score: String,
    pub(super) steps: Vec<ChainStep>,
    pub(super) text: String,
    pub(super) learned: bool,
    pub(super) strip: Vec<Cell>,
    /// The triples with qualifiers, and these.
    pub(super) qualified: Vec<(String, String)>,
    /// The learned triples, and where each comes from, as far as that is known.
    pub(super) origins: Vec<(String, String)>,
    /// The names and descriptions of its first and last entity.
    pub(super) ends: Vec<(String, String)>,
}

/// An entity of a chain, and the relation to the next.
#[derive(Debug, Serialize)]
pub(super) struct ChainStep {
    pub(super) name: String,
    pub(super) sign: &'static str,
    pub(super) mark: &'static str,
    pub(super) relation: Option<String>,
    pub(super) arrow: &'static str,
}

/// A cell of a heat strip: how similar the chain is to a fragment.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    /// From 0 to 9.
    pub(super) shade: u8,
    pub(super) score: String,
}

impl Content {
    pub(super) fn of(trace: &Trace, asked: Option<SystemTime>, origins: &[TripleOrigin]) -> Self {
        let marks = Marks::of(trace);
        let evidence = evidence(trace);
        let Evidence { table, pruning } = &evidence;
        let line = |text: &String| sanitise_line(text);
        let learned = table.learned_triples();
        let rows = |scored: &[ScoredChain], kept: bool| -> Vec<ChainRow> {
            let ids = (1u32..).map(|id| kept.then_some(id));
            let known = scored.iter().zip(ids).filter_map(|(scored, id)| Some((scored, id, table.chains.get(scored.chain as usize)?)));
            let row = |(scored, id, chain): (&ScoredChain, Option<u32>, &Chain)| ChainRow {
                origins: origins_of(table, chain, origins),
                ..chain_row(trace, (table, &learned), &marks, id, scored, chain)
            };
            known.map(row).collect()
        };
        let Headlines { urgency, read_as } = Headlines::of(trace);
        let urgency = urgency.map(|(level, text)| {
            let level = if level == UrgencyLevel::Emergency { "emergency" } else { "urgent" };
            UrgencyNote { level, text }
        });
        let stale = trace.is_stale();
        let kept_since =
            if stale { trace.kept().map(|(_, _, chain)| sanitise_line(&trace.table.text(chain))).collect() } else { Vec::new() };
        let runners_up = &pruning.runners_up[..pruning.runners_up.len().min(MOST_RUNNERS_UP)];
        Self {
            version: env!("CARGO_PKG_VERSION"),
            id: line(&trace.id),
            asked: asked.map(date),
            title: line(&trace.question),
            question: marked(&trace.question, &trace.mentions, MentionOrigin::Question, &marks),
            urgency,
            read_as,
            hypothesis: marked(&trace.hypothesis, &trace.mentions, MentionOrigin::Hypothesis, &marks),
            state: state(trace),
            stale,
            answer: answer(trace, &evidence, &marks),
            more_heading: heading(&trace.question, AnswerPart::More),
            more: trace.answer.more.iter().map(line).collect(),
            by_model: trace.answer.by_model,
            corrected: trace.answer.corrected.iter().map(|name| with_reason(trace, name)).collect(),
            // An answer of the fixed shape says itself what was not understood, where it matters.
            unlinked: if has_shape(&trace.answer) { Vec::new() } else { trace.unlinked.iter().map(line).collect() },
            anchors: anchors(trace, &marks),
            fragments: pruning.fragments.iter().map(|fragment| part(trace, fragment)).collect(),
            passages: passages(trace),
            evidence: rows(&pruning.kept, true),
            runners_up: rows(runners_up, false),
            runners_up_left_out: pruning.runners_up.len() - runners_up.len(),
            kept_since,
            found: found(trace, &evidence),
            triage: triage(&trace.triage),
            revisions: trace.revisions,
            settings: settings(trace),
            models: models(trace),
            timings: timings(trace),
            prompts: prompts(trace),
            warnings: trace.warnings.iter().map(|warning| sanitise(warning).into_owned()).collect(),
            legend: Mark::ALL
                .iter()
                .filter(|mark| **mark != Mark::Model || trace.anchors.iter().any(|anchor| anchor.by_model))
                .map(|mark| Sign { sign: mark.sign(), word: mark.word() })
                .collect(),
        }
    }
}

/// The evidence that the answer was written from, to which its citations refer; the chains that are kept now if there is no answer.
pub(super) fn evidence(trace: &Trace) -> Evidence {
    trace.evidence.clone().unwrap_or_else(|| Evidence { table: trace.table.clone(), pruning: trace.pruning.clone() })
}

/// A part of the hypothesis that the evidence speaks against, with the reason, where a chain states one.
fn with_reason(trace: &Trace, name: &str) -> String {
    match Against::of(trace, name) {
        Some(Against { treatment, relation, state, .. }) => sanitise_line(&format!("{treatment} ({relation} {state})")),
        None => sanitise_line(name),
    }
}

fn state(trace: &Trace) -> Option<String> {
    match &trace.outcome {
        Some(Outcome::Answered) => None,
        Some(Outcome::NothingFound) if trace.case.refusal.is_some() => {
            Some("Catena does not answer this question. It says why below.".into())
        }
        Some(Outcome::NothingFound) => Some("The graph holds no evidence for this question, so nothing is claimed.".into()),
        Some(Outcome::Cancelled) => Some("The run was stopped. What it had found by then is below.".into()),
        Some(Outcome::Failed { message }) => Some(format!("The run failed: {}", sanitise_line(message))),
        None => Some("The recording ends before the run does. What it holds is below.".into()),
    }
}

/// A date and time in UTC.
fn date(moment: SystemTime) -> String {
    let at = OffsetDateTime::from(moment);
    format!("{}-{:02}-{:02} {:02}:{:02} UTC", at.year(), u8::from(at.month()), at.day(), at.hour(), at.minute())
}

/// What is known of where the learned triples of a chain come from.
fn origins_of(table: &ChainTable, chain: &Chain, origins: &[TripleOrigin]) -> Vec<(String, String)> {
    if !chain.learned() {
        return Vec::new();
    }
    let text = |hop: Hop| {
        let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
        let name = |node: u32| table.entities.get(node as usize).map(|entity| entity.name.as_str());
        let display = &table.relations.get(usize::from(hop.relation))?.display;
        Some(sanitise_line(&format!("{} → {display} → {}", name(head)?, name(tail)?)))
    };
    let texts: Vec<String> = chain.hops().filter_map(text).collect();
    let known = origins.iter().filter(|origin| origin.learned && texts.contains(&origin.text));
    known.map(|origin| (sanitise_line(&origin.text), sanitise_line(&origin.source))).collect()
}

fn chain_row(
    trace: &Trace,
    (table, learned): (&ChainTable, &LearnedTriples),
    marks: &Marks,
    id: Option<u32>,
    scored: &ScoredChain,
    chain: &Chain,
) -> ChainRow {
    let states_learned_of =
        |node: u32| chain.learned() && chain.hops().any(|hop| (hop.from == node || hop.to == node) && learned.contains(&triple_of(hop)));
    let entity = |node: u32| table.entities.get(node as usize);
    let name = |node: u32| entity(node).map(|entity| sanitise_line(&entity.name)).unwrap_or_default();
    let mut hops = chain.hops();
    let steps = chain.nodes().iter().map(|node| {
        let hop = hops.next();
        let mark = match entity(*node).map_or(Mark::Graph, |entity| marks.of_name(&entity.name)) {
            Mark::Graph if states_learned_of(*node) => Mark::Learned,
            mark => mark,
        };
        let relation = hop.and_then(|hop| table.relations.get(usize::from(hop.relation))).map(|relation| sanitise_line(&relation.display));
        let arrow = if hop.is_some_and(|hop| hop.forward) { "→" } else { "←" };
        ChainStep { name: name(*node), sign: mark.sign(), mark: mark.word(), relation, arrow }
    });
    let steps = steps.collect();
    let qualified = chain.hops().filter_map(|hop| {
        let qualifiers = sanitise_line(&table.qualifiers(hop)?.in_language(is_chinese(&trace.question)));
        let (head, tail) = if hop.forward { (hop.from, hop.to) } else { (hop.to, hop.from) };
        let display = sanitise_line(&table.relations.get(usize::from(hop.relation))?.display);
        Some((format!("{} → {display} → {}", name(head), name(tail)), qualifiers)).filter(|(_, qualifiers)| !qualifiers.is_empty())
    });
    let qualified = qualified.collect();
    let ends = [chain.nodes().first(), chain.nodes().last()].into_iter().flatten().filter_map(|node| entity(*node));
    let described = ends.filter(|entity| !entity.description.is_empty());
    ChainRow {
        id,
        cited: id.is_some_and(|id| trace.answer.citations.contains(&id)),
        kind: super::rows::kind_word(chain.kind()),
        score: format!("{:.2}", scored.score),
        steps,
        text: sanitise_line(&table.text(chain)),
        learned: chain.learned(),
        strip: scored.by_fragment.iter().map(|score| cell(*score)).collect(),
        qualified,
        origins: Vec::new(),
        ends: described.map(|entity| (sanitise_line(&entity.name), sanitise_line(&entity.description))).collect(),
    }
}

/// A part of question or hypothesis as it stands there, with the words that are not compared.
fn part(trace: &Trace, fragment: &str) -> String {
    let texts = [&trace.question, &trace.hypothesis];
    let found = texts.into_iter().find_map(|text| stretch(text, fragment, StopWords::built_in()));
    sanitise_line(found.unwrap_or(fragment))
}

fn cell(score: f64) -> Cell {
    // Casting NaN gives 0, the lightest shade.
    let shade = (score.clamp(0.0, 1.0) * SHADES).round() as u8;
    Cell { shade, score: format!("{score:.2}") }
}
