//! Changes to record, and what is compared.

use std::fs;
use std::path::{Path, PathBuf};

use catena::dkg::{
    Act, Basis, Change, CheckOutcome, Dkg, Feedback, Import, ImportedTriple, Pin, PinnedChain, Preferences, Proposal, ProposalId,
    ProposalState, Proposed, Proposer, Rating, Statistics, Waiting,
};
use catena::graph::{Kind, LearnedTable, NamedEntity, NamedRelation, NamedTriple, Player, Role};
use tempfile::TempDir;

/// A folder for an evolving graph, not made yet.
pub(crate) fn folder() -> (TempDir, PathBuf) {
    let outer = tempfile::tempdir().expect("a folder");
    let path = outer.path().join("dkg");
    (outer, path)
}

pub(crate) fn journal(folder: &Path) -> PathBuf {
    folder.join("journal.jsonl")
}

/// One of a few triples: two spellings of each of `n / 2` names, so that some are the same.
pub(crate) fn triple(head: u8, tail: u8, spelling: bool) -> NamedTriple {
    let name = |number: u8| if spelling { format!("Zorb-{number}") } else { format!("zorb {number}") };
    NamedTriple::new(
        NamedEntity::new(name(head), &Kind::Disease),
        NamedRelation { name: "has_symptom".to_owned(), player: Player::Tail, role: Role::Symptom },
        NamedEntity::new(name(tail), &Kind::Symptom),
    )
}

pub(crate) fn feedback(number: u64) -> Change {
    Change::Feedback(Feedback {
        answer: format!("Answer {number}: \u{201c}a\u{201d}\nb"),
        cited: vec!["a → b → c".to_owned()],
        comment: String::new(),
        gold: String::new(),
        kg: "starter".to_owned(),
        models: Vec::new(),
        question: format!("Question {number}?"),
        rating: Rating::Good,
        run: format!("r-{number}"),
    })
}

pub(crate) fn proposal(act: Act, triple: NamedTriple, standing: CheckOutcome) -> Proposal {
    Proposal { act, basis: Basis::default(), new_entities: Vec::new(), proposer: Proposer::Rule, standing, triple }
}

pub(crate) fn proposed(feedback: u64, triples: Vec<NamedTriple>) -> Change {
    let proposals = triples.into_iter().map(|triple| proposal(Act::Add, triple, CheckOutcome::New)).collect();
    Change::Proposed(Proposed { feedback, proposals })
}

/// A chain that a rating pins for one kind of question.
pub(crate) fn pin(feedback: u64) -> Change {
    let fact = triple(1, 2, false);
    let entities = vec![fact.head.name.clone(), fact.tail.name.clone()];
    let chain = PinnedChain { entities, relations: vec![(fact.relation.name.clone(), true)], fact };
    Change::Pin(Pin { asks: vec!["treatment".to_owned()], chains: vec![chain], feedback, linked: vec!["zorb 1".to_owned()] })
}

pub(crate) fn accept(record: u64, item: u32) -> Change {
    Change::Accept { proposals: vec![ProposalId { item, record }] }
}

pub(crate) fn import(triples: Vec<NamedTriple>) -> Change {
    let triples = triples.into_iter().map(|triple| ImportedTriple { origin: String::new(), triple }).collect();
    Change::Import(Import { file: "a.tsv".to_owned(), sha256: "0".repeat(64), triples })
}

/// All that can be asked.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) table: LearnedTable,
    pub(crate) waiting: Waiting,
    pub(crate) statistics: Statistics,
    pub(crate) proposals: Vec<ProposalState>,
    pub(crate) preferences: Preferences,
    pub(crate) head: String,
}

pub(crate) fn seen(dkg: &Dkg) -> Seen {
    let mut proposals = Vec::new();
    for record in dkg.records(1..u64::MAX).expect("is read") {
        let record = record.expect("is sound");
        if let Change::Proposed(proposed) = &record.change {
            let ids = (0..proposed.proposals.len() as u32).map(|item| ProposalId { item, record: record.seq });
            proposals.extend(ids.map(|id| dkg.proposal(id).expect("is there")));
        }
    }
    Seen {
        table: dkg.table().expect("is read"),
        waiting: dkg.waiting().expect("is read"),
        statistics: dkg.statistics().expect("is read"),
        proposals,
        preferences: dkg.preferences().expect("is read"),
        head: dkg.head(),
    }
}

/// The same from the journal alone, in memory.
pub(crate) fn replayed(folder: &Path) -> Seen {
    seen(&Dkg::open_sound_part(folder).expect("opens"))
}

/// A graph with some of everything.
pub(crate) fn filled(folder: &Path) -> Dkg {
    let mut dkg = Dkg::open(folder).expect("opens");
    dkg.append(vec![feedback(1), proposed(1, vec![triple(1, 2, false), triple(1, 3, false), triple(2, 3, true)])]).expect("records");
    dkg.append(vec![accept(2, 0)]).expect("records");
    dkg.append(vec![import((0..40).map(|i| triple(i, i + 1, i % 2 == 0)).collect())]).expect("records");
    dkg.append(vec![accept(2, 1), Change::Reject { proposals: vec![ProposalId { item: 2, record: 2 }] }]).expect("records");
    dkg.append(vec![Change::Undo { record: 3 }]).expect("records");
    dkg
}

/// Every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
