//! A scripted run: what the engine might say about the reflux question, event by event.

use std::collections::BTreeMap;
use std::sync::Arc;

use catena::graph::{Chain, ChainKind, ChainTable, Player, Role, TableEntity, TableRelation};
use catena::run::{
    Anchor, AnchorOrigin, Answer, AnswerLine, AnswerPart, ChainKey, EngineInfo, EntityCard, Event, EventKind, Explanation, Fate, KgInfo,
    Mention, MentionOrigin, ModelActivity, ModelInfo, ModelRole, ModelState, Models, Outcome, Pruning, ScoredBy, ScoredChain, Settings,
    Stage, Triage, TripleOrigin,
};
use catena::tui::{Reply, SessionEntry};

pub(crate) const QUESTION: &str = "I feel stomach reflux after eating. What medicine should I take?";
pub(crate) const HYPOTHESIS: &str = "Stomach reflux may come with gastro-oesophageal reflux disease, gastritis or a peptic ulcer. Excess gastric acid \
    plays a part in each. Findings that go with them are heartburn, regurgitation and upper abdominal pain. Gastroscopy and a test for \
    Helicobacter pylori are usual. Omeprazole, an H2 blocker or an antacid is often used; penicillin is sometimes named.";

/// `(name, kind, description)`
const ENTITIES: [(&str, &str, &str); 14] = [
    ("Gastro-oesophageal reflux disease", "disease", "Stomach contents flow back into the oesophagus and cause symptoms or damage."),
    ("Heartburn", "symptom", "A burning feeling behind the breastbone that rises towards the throat."),
    ("Excess gastric acid", "disease", "More acid in the stomach than its lining bears."),
    ("Omeprazole", "drug", "A proton pump inhibitor: it blocks the last step of acid secretion."),
    ("Aluminium hydroxide", "drug", "An antacid that neutralises acid in the stomach."),
    ("Calcium carbonate", "drug", "An antacid; it also supplies calcium."),
    ("H2 blocker", "drug_class", "Drugs that block histamine H2 receptors of the stomach's parietal cells."),
    ("Gastroscopy", "test", "Looking into oesophagus, stomach and duodenum with an endoscope."),
    ("Peptic ulcer", "disease", "A breach in the lining of stomach or duodenum."),
    ("Helicobacter pylori", "pathogen", "A bacterium of the stomach; it causes gastritis and ulcers."),
    ("Amoxicillin", "drug", "A penicillin, part of the treatment that clears Helicobacter pylori."),
    ("Difficulty swallowing", "symptom", "Food or drink goes down with effort or sticks."),
    ("Gastritis", "disease", "Inflammation of the stomach's lining."),
    ("Proton pump inhibitor", "drug_class", "Drugs that block acid secretion almost completely."),
];

const RELATIONS: [(&str, Role, Player); 6] = [
    ("treats", Role::Treatment, Player::Head),
    ("has symptom", Role::Symptom, Player::Tail),
    ("is found by", Role::Test, Player::Tail),
    ("is caused by", Role::Cause, Player::Tail),
    ("has red flag", Role::RedFlag, Player::Tail),
    ("is a", Role::Broader, Player::Tail),
];

fn chain(kind: ChainKind, start: u32, hops: &[(u16, bool, u32)]) -> Chain {
    let mut chain = Chain::start(start);
    for (relation, forward, to) in hops {
        chain.push(*relation, *forward, *to);
    }
    chain.of_kind(kind)
}

/// Twelve telling chains, then as many more as it takes to have `count`.
pub(crate) fn table(count: usize) -> ChainTable {
    use ChainKind::{CoAncestor, CoOccurrence, Path};
    let mut chains = vec![
        chain(Path, 3, &[(0, true, 0)]),
        chain(Path, 6, &[(0, true, 0)]),
        chain(Path, 4, &[(0, true, 2), (3, false, 0)]),
        chain(Path, 5, &[(0, true, 2), (3, false, 0), (1, true, 1)]),
        chain(Path, 0, &[(1, true, 1)]),
        chain(CoAncestor, 0, &[(2, true, 7), (2, false, 8)]),
        chain(CoAncestor, 0, &[(1, true, 1), (1, false, 12)]),
        chain(CoAncestor, 3, &[(5, true, 13), (5, false, 3)]),
        chain(CoOccurrence, 0, &[(0, false, 3), (0, true, 8)]),
        chain(CoOccurrence, 8, &[(3, true, 9), (0, false, 10)]),
        chain(Path, 0, &[(4, true, 11)]),
        chain(CoOccurrence, 2, &[(0, false, 6), (0, true, 12)]),
    ];
    chains.truncate(count);
    for at in chains.len()..count {
        let at = at as u32;
        let kind = ChainKind::ALL[(at % 3) as usize];
        chains.push(chain(
            kind,
            at % 14,
            &[((at % 6) as u16, kind != CoOccurrence, (at / 3 + 1) % 14), ((at % 5) as u16, kind == Path, (at / 7 + 2) % 14)],
        ));
    }
    ChainTable {
        learned: Vec::new(),
        qualified: Vec::new(),
        entities: ENTITIES
            .iter()
            .map(|(name, kind, description)| TableEntity { name: (*name).into(), kind: (*kind).into(), description: (*description).into() })
            .collect(),
        relations: RELATIONS
            .iter()
            .map(|(name, role, player)| TableRelation {
                name: name.replace(' ', "_"),
                display: (*name).into(),
                role: *role,
                player: *player,
            })
            .collect(),
        chains,
    }
}

fn model(kind: &str, name: &str) -> ModelInfo {
    ModelInfo { kind: kind.into(), name: name.into(), device: "cpu".into() }
}

pub(crate) fn info() -> EngineInfo {
    EngineInfo {
        kg: KgInfo { name: "starter".into(), entities: 642, triples: 4120, learned: 0 },
        models: Models {
            generator: model("graph", "graph-derived"),
            encoder: model("candle", "catena-static"),
            reranker: model("candle", "encoder similarity"),
        },
        settings: Settings { k: 3, top_k: 10, delta: 0.7, fragment_words: 10, fragment_overlap: 4, seed: 0 },
        method: catena::run::MethodName::default(),
        has_documents: false,
        notices: Vec::new(),
        examples: None,
    }
}

fn mention(text: &str, word: &str, origin: MentionOrigin) -> Option<EventKind> {
    let start = text.find(word)?;
    let mention = Mention { text: word.into(), start, end: start + word.len(), origin, recogniser: "gazetteer".into() };
    Some(EventKind::MentionFound { mention })
}

fn anchor(entity: usize, score: f64, origin: AnchorOrigin, mention: &str) -> EventKind {
    let (name, kind, _) = ENTITIES[entity];
    EventKind::AnchorLinked {
        anchor: Anchor { entity: name.into(), kind: kind.into(), score, origin, mention: mention.into(), by_model: false },
    }
}

/// A line of an answer that names one entity.
pub(crate) fn line(part: AnswerPart, entity: &str, text: &str, citations: &[u32]) -> AnswerLine {
    AnswerLine {
        part,
        entity: entity.into(),
        role: None,
        text: text.into(),
        citations: citations.into(),
        passages: Vec::new(),
        also: Vec::new(),
        unsupported: false,
    }
}

pub(crate) fn answer() -> Answer {
    let lines = vec![
        line(AnswerPart::Conditions, ENTITIES[0].0, "Gastro-oesophageal reflux disease fits heartburn and excess gastric acid.", &[3, 5]),
        line(AnswerPart::Conditions, "Peptic ulcer", "Peptic ulcer is found by the same test and caused by Helicobacter pylori.", &[6, 10]),
        line(AnswerPart::Tests, "Gastroscopy", "Gastroscopy finds gastro-oesophageal reflux disease and peptic ulcer.", &[6]),
        line(AnswerPart::Treatments, "Omeprazole", "Omeprazole treats gastro-oesophageal reflux disease.", &[1]),
        line(AnswerPart::Treatments, "H2 blocker", "H2 blocker treats gastro-oesophageal reflux disease.", &[2]),
        line(AnswerPart::Treatments, "Aluminium hydroxide", "Aluminium hydroxide treats excess gastric acid.", &[3]),
        line(AnswerPart::Treatments, "Calcium carbonate", "Calcium carbonate treats excess gastric acid, and so heartburn.", &[4]),
        line(AnswerPart::Treatments, "Amoxicillin", "Amoxicillin, not penicillin in general, clears Helicobacter pylori.", &[10]),
        line(
            AnswerPart::Cautions,
            "Difficulty swallowing",
            "Difficulty swallowing is a warning sign that calls for early gastroscopy.",
            &[7],
        ),
    ];
    let cite = |line: &AnswerLine| line.citations.iter().map(|id| format!("[{id}]")).collect::<String>();
    Answer {
        text: lines.iter().map(|line| format!("{} {}\n", line.text, cite(line))).collect(),
        entities: vec!["Omeprazole".into(), "H2 blocker".into(), "Aluminium hydroxide".into(), "Calcium carbonate".into()],
        citations: vec![1, 2, 3, 4, 5, 6, 7, 10],
        passages: Vec::new(),
        corrected: vec!["Amoxicillin".into()],
        grounded: true,
        lines,
        by_model: false,
        more: Vec::new(),
        refining: false,
    }
}

fn pruning(kept: &[u32], runners_up: &[u32], fragments: usize) -> Pruning {
    let scored = |(at, chain): (usize, &u32)| ScoredChain {
        chain: *chain,
        score: 0.93 - 0.04 * at as f64,
        by_fragment: (0..fragments).map(|f| (0.95 - 0.05 * at as f64 - 0.12 * ((f + at) % 4) as f64).max(0.02)).collect(),
    };
    Pruning {
        fragments: [
            "stomach reflux eating medicine take",
            "stomach reflux gastro oesophageal reflux disease gastritis peptic ulcer",
            "gastric acid plays part findings heartburn regurgitation upper abdominal pain",
            "gastroscopy test helicobacter pylori usual omeprazole h2 blocker antacid",
        ][..fragments]
            .iter()
            .map(|f| (*f).to_owned())
            .collect(),
        kept: kept.iter().enumerate().map(scored).collect(),
        runners_up: runners_up.iter().enumerate().map(|(at, chain)| scored((at + kept.len(), chain))).collect(),
        scored: vec![ScoredBy { scorer: "graph cost".into(), chains: 125 }, ScoredBy { scorer: "encoder similarity".into(), chains: 60 }],
        of_model: 0,
    }
}

fn by_kind(table: &ChainTable) -> BTreeMap<ChainKind, u64> {
    let mut counts = BTreeMap::new();
    for chain in &table.chains {
        *counts.entry(chain.kind()).or_default() += 1;
    }
    counts
}

fn started(question: &str) -> EventKind {
    let EngineInfo { kg, models, settings, .. } = info();
    EventKind::RunStarted { question: question.into(), method: "hykge".into(), kg, settings, models }
}

fn timed(run: &str, kinds: Vec<(f64, EventKind)>) -> Vec<Event> {
    kinds.into_iter().map(|(at_ms, what)| Event { run: run.into(), at_ms, what }).collect()
}

/// The whole run, with `count` chains.
pub(crate) fn answered_with(run: &str, count: usize) -> Vec<Event> {
    use AnchorOrigin::{Both, Hypothesis, Question};
    let mut kinds = vec![(0.0, started(QUESTION)), (0.1, EventKind::StageStarted { stage: Stage::Hypothesis })];
    for (at, word) in HYPOTHESIS.split_inclusive(' ').enumerate() {
        kinds.push((1.0 + at as f64 * 0.1, EventKind::HypothesisToken { text: word.into() }));
    }
    kinds.push((8.0, EventKind::StageFinished { stage: Stage::Hypothesis, elapsed_ms: 7.6 }));
    kinds.push((8.0, EventKind::StageStarted { stage: Stage::Recognise }));
    kinds.extend(mention(QUESTION, "stomach reflux", MentionOrigin::Question).map(|kind| (8.2, kind)));
    kinds.extend(mention(QUESTION, "medicine", MentionOrigin::Question).map(|kind| (8.2, kind)));
    for word in [
        "gastro-oesophageal reflux disease",
        "peptic ulcer",
        "Excess gastric acid",
        "heartburn",
        "Helicobacter pylori",
        "Omeprazole",
        "H2 blocker",
        "penicillin",
    ] {
        kinds.extend(mention(HYPOTHESIS, word, MentionOrigin::Hypothesis).map(|kind| (8.4, kind)));
    }
    kinds.push((8.5, EventKind::StageFinished { stage: Stage::Recognise, elapsed_ms: 0.4 }));
    kinds.push((8.5, EventKind::StageStarted { stage: Stage::Link }));
    let anchors = [
        anchor(0, 1.0, Both, "stomach reflux"),
        anchor(1, 1.0, Hypothesis, "heartburn"),
        anchor(2, 0.88, Hypothesis, "Excess gastric acid"),
        anchor(8, 1.0, Hypothesis, "peptic ulcer"),
        anchor(9, 1.0, Hypothesis, "Helicobacter pylori"),
        anchor(3, 1.0, Hypothesis, "Omeprazole"),
        anchor(6, 1.0, Hypothesis, "H2 blocker"),
        anchor(10, 0.71, Hypothesis, "penicillin"),
        anchor(12, 0.74, Question, "stomach"),
    ];
    kinds.extend(anchors.into_iter().map(|kind| (9.0, kind)));
    kinds.push((9.4, EventKind::MentionUnlinked { text: "medicine".into() }));
    kinds.push((9.4, EventKind::StageFinished { stage: Stage::Link, elapsed_ms: 0.9 }));
    kinds.push((9.4, EventKind::StageStarted { stage: Stage::Search }));
    let table = table(count);
    let (by_kind, found) = (by_kind(&table), table.chains.len() as u64);
    kinds.push((11.0, EventKind::ChainsProgress { found: found / 2 }));
    kinds.push((13.0, EventKind::ChainsFound { table: Arc::new(table), found, by_kind, truncated: None }));
    kinds.push((13.0, EventKind::StageFinished { stage: Stage::Search, elapsed_ms: 3.6 }));
    kinds.push((13.0, EventKind::StageStarted { stage: Stage::Prune }));
    kinds.push((24.0, EventKind::ChainsPruned { pruning: Arc::new(pruning(&[0, 1, 2, 3, 4, 5, 10, 8, 6, 9], &[7, 11], 4)) }));
    kinds.push((24.0, EventKind::StageFinished { stage: Stage::Prune, elapsed_ms: 11.0 }));
    kinds.push((24.0, EventKind::StageStarted { stage: Stage::Read }));
    kinds.push((25.0, EventKind::AnswerFinished { answer: answer() }));
    kinds.push((25.0, EventKind::StageFinished { stage: Stage::Read, elapsed_ms: 0.8 }));
    kinds.push((25.0, EventKind::Warning { text: "“medicine” links to nothing in the starter graph; it was not used.".into() }));
    kinds.push((25.2, EventKind::RunFinished { outcome: Outcome::Answered, total_ms: 25.2 }));
    timed(run, kinds)
}

/// The whole run, with 125 chains.
pub(crate) fn answered(run: &str) -> Vec<Event> {
    answered_with(run, 125)
}

/// The run with a language model, as far as it has begun to write the answer.
pub(crate) fn writing(run: &str) -> Vec<Event> {
    let mut events = answered(run);
    if let EventKind::RunStarted { models, .. } = &mut events[0].what {
        models.generator = ModelInfo { kind: "loading".into(), name: "qwen3-8b".into(), device: String::new() };
    }
    let end = events.iter().position(|e| matches!(e.what, EventKind::AnswerFinished { .. })).unwrap_or(events.len());
    events.truncate(end);
    let Models { encoder, reranker, .. } = info().models;
    let models = Models { generator: model("candle", "qwen3-8b"), encoder, reranker };
    let activity = ModelActivity {
        role: ModelRole::Generator,
        state: ModelState::Busy,
        queued: 0,
        done: 12,
        total: 500,
        tokens_per_second: Some(31.4),
        spent: None,
    };
    events.extend(timed(
        run,
        vec![
            (24.5, EventKind::ModelsChanged { models }),
            (24.6, EventKind::ModelActive { activity }),
            (24.7, EventKind::AnswerToken { text: "- Omeprazole treats ".into() }),
            (24.8, EventKind::AnswerToken { text: "gastro-oesophageal".into() }),
        ],
    ));
    events
}

/// The same with its answer, of which the second line is the model's own.
pub(crate) fn written(run: &str) -> Vec<Event> {
    let mut events = writing(run);
    let own = AnswerLine {
        passages: Vec::new(),
        also: Vec::new(),
        unsupported: true,
        ..line(AnswerPart::Treatments, "Calcium carbonate", "Calcium carbonate is cheap (the model's own).", &[])
    };
    let answer = Answer {
        text: "Treatments\n- Omeprazole treats gastro-oesophageal reflux disease [1].\n- Calcium carbonate is cheap (the model's own)."
            .into(),
        entities: vec!["Omeprazole".into()],
        citations: vec![1],
        passages: Vec::new(),
        corrected: vec!["Calcium carbonate".into()],
        grounded: true,
        lines: vec![line(AnswerPart::Treatments, "Omeprazole", "Omeprazole treats gastro-oesophageal reflux disease.", &[1]), own],
        by_model: true,
        more: Vec::new(),
        refining: false,
    };
    events.extend(timed(
        run,
        vec![(30.0, EventKind::AnswerFinished { answer }), (30.0, EventKind::RunFinished { outcome: Outcome::Answered, total_ms: 30.0 })],
    ));
    events
}

/// The run as far as the search.
pub(crate) fn searching(run: &str) -> Vec<Event> {
    let mut events = answered(run);
    let end = events.iter().position(|e| matches!(e.what, EventKind::ChainsFound { .. })).unwrap_or(events.len());
    events.truncate(end);
    events
}

/// A run in which nothing could be linked.
pub(crate) fn nothing(run: &str) -> Vec<Event> {
    let question = "who won the cup?";
    let answer = Answer {
        text: "Nothing in the question could be linked to the starter graph, so there is no evidence to answer from.".into(),
        ..Answer::default()
    };
    let mut kinds = vec![(0.0, started(question))];
    for stage in Stage::ALL {
        kinds.push((0.9, EventKind::StageStarted { stage }));
        kinds.push((0.9, EventKind::StageFinished { stage, elapsed_ms: 0.3 }));
    }
    kinds.push((1.0, EventKind::MentionUnlinked { text: "won".into() }));
    kinds.push((1.0, EventKind::MentionUnlinked { text: "cup".into() }));
    kinds.push((1.2, EventKind::AnswerFinished { answer }));
    kinds.push((1.3, EventKind::RunFinished { outcome: Outcome::NothingFound, total_ms: 1.3 }));
    timed(run, kinds)
}

/// A run that fails in the search.
pub(crate) fn failed(run: &str) -> Vec<Event> {
    let mut events = searching(run);
    let message = "the language model at http://localhost:11434 did not reply within 30 s; start it, or choose another generator".into();
    let what = EventKind::RunFinished { outcome: Outcome::Failed { message }, total_ms: 30_012.0 };
    events.push(Event { run: run.into(), at_ms: 30_012.0, what });
    events
}

/// What follows when the best kept chain is rejected: the chains are pruned anew, the answer stays.
pub(crate) fn revised(run: &str) -> Vec<Event> {
    let events = answered(run);
    let table = table(125);
    let mut triage = Triage::default();
    let pruning = events.iter().find_map(|event| if let EventKind::ChainsPruned { pruning } = &event.what { Some(pruning) } else { None });
    let mut pruning = pruning.map(|pruning| Pruning::clone(pruning)).unwrap_or_default();
    let best = pruning.kept.remove(0);
    triage.rejected.insert(ChainKey::of(&table, &table.chains[best.chain as usize]));
    pruning.kept.extend(pruning.runners_up.pop());
    timed(
        run,
        vec![
            (0.0, EventKind::Revised { triage: Arc::new(triage), from: Stage::Prune }),
            (0.1, EventKind::StageStarted { stage: Stage::Prune }),
            (1.1, EventKind::ChainsPruned { pruning: Arc::new(pruning) }),
            (1.2, EventKind::StageFinished { stage: Stage::Prune, elapsed_ms: 1.1 }),
            (1.3, EventKind::RunFinished { outcome: Outcome::Answered, total_ms: 1.3 }),
        ],
    )
}

/// All there is to say about a chain.
pub(crate) fn explanation(run: &str, chain: u32) -> Reply {
    let table = table(125);
    let of = &table.chains[chain as usize];
    let card = |node: &u32| {
        let entity = &table.entities[*node as usize];
        EntityCard {
            name: entity.name.clone(),
            kind: entity.kind.clone(),
            description: entity.description.clone(),
            aliases: vec!["GORD".into(), "acid reflux".into()],
            triples: 64,
            matched: None,
        }
    };
    let name = |node: u32| table.entities[node as usize].name.clone();
    let triples = of.hops().map(|hop| TripleOrigin {
        text: format!("{} → {} → {}", name(hop.from), table.relations[usize::from(hop.relation)].display, name(hop.to)),
        source: "the starter graph".into(),
        learned: false,
        qualifiers: catena::graph::Qualifiers::default(),
    });
    let fate = if chain < 12 { Fate::Kept { id: 2, pinned: false } } else { Fate::Outscored { score: 0.41, least_kept: 0.55 } };
    let explanation = Explanation {
        chain,
        fate,
        scored: Some(ScoredChain { chain, score: 0.41, by_fragment: vec![0.3, 0.41, 0.2, 0.1] }),
        triples: triples.collect(),
        entities: of.nodes().iter().map(card).collect(),
        taught: None,
    };
    Reply::Explanation { run: run.into(), revisions: 0, explanation: Box::new(explanation) }
}

/// What the graph has like what was typed.
pub(crate) fn entities(typed: &str) -> Reply {
    let card = |(name, kind, matched): (&str, &str, Option<&str>)| EntityCard {
        name: name.into(),
        kind: kind.into(),
        triples: 17,
        matched: matched.map(Into::into),
        ..EntityCard::default()
    };
    let cards = [("Gastritis", "disease", None), ("Gastroscopy", "test", None), ("Peptic ulcer", "disease", Some("gastric ulcer"))];
    Reply::Entities { typed: typed.into(), cards: cards.map(card).into() }
}

/// Three earlier runs.
pub(crate) fn sessions() -> Reply {
    let line = |(id, question, detail, when): (&str, &str, &str, &str)| SessionEntry {
        id: id.into(),
        question: question.into(),
        detail: detail.into(),
        when: when.into(),
    };
    let lines = [
        ("q3", QUESTION, "starter · answered · 8 kept", "2026-11-20 09:12"),
        ("q2", "Chest pain on exertion in a man of 60. Which tests?", "starter · answered · 10 kept · triaged 2 times", "2026-11-19 17:40"),
        ("q1", "who won the cup?", "starter · no evidence · 0 kept", "2026-11-18 08:01"),
    ];
    Reply::Sessions { lines: lines.map(line).into(), unreadable: 0 }
}
