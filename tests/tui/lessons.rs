//! Proposals and records, as a teacher might give them.

use catena::dkg::{Act, Basis, CheckOutcome, Proposal, ProposalId, ProposalState, Proposer, RecordCounts, Statistics, Status, Waiting};
use catena::feedback::RatingResult;
use catena::graph::{Kind, NamedEntity, NamedRelation, NamedTriple, Player, Role};
use catena::tui::{DkgStatus, LearnedOverview, LearnedRecord, Reply};

fn triple(head: (&str, Kind), relation: (&str, Player, Role), tail: (&str, Kind)) -> NamedTriple {
    let relation = NamedRelation { name: relation.0.into(), player: relation.1, role: relation.2 };
    NamedTriple::new(NamedEntity::new(head.0, &head.1), relation, NamedEntity::new(tail.0, &tail.1))
}

fn state(item: u32, triple: NamedTriple, standing: CheckOutcome) -> ProposalState {
    let status = match standing {
        CheckOutcome::New => Status::Pending,
        CheckOutcome::Redundant { .. } => Status::Redundant,
        CheckOutcome::Conflict { .. } => Status::Conflicting,
    };
    let basis = Basis {
        chains: vec!["Omeprazole → treats → Gastro-oesophageal reflux disease → has symptom → Heartburn".into()],
        why: "what treats a condition treats what is a symptom of it".into(),
    };
    let proposal = Proposal { act: Act::Add, basis, new_entities: Vec::new(), proposer: Proposer::Rule, standing, triple };
    ProposalState { id: ProposalId { item, record: 13 }, feedback: 12, proposal, first: None, status }
}

const TREATS: (&str, Player, Role) = ("treats", Player::Head, Role::Treatment);

/// Three that wait, one of them with a new entity and one that takes back; one held back; one that says nothing new.
pub(crate) fn waiting() -> Waiting {
    let heartburn = || ("Heartburn", Kind::Symptom);
    let mut new = state(1, triple(("Gaviscon", Kind::Drug), TREATS, heartburn()), CheckOutcome::New);
    new.proposal.new_entities = vec!["head".into()];
    new.proposal.proposer = Proposer::Model("qwen3-4b".into());
    new.proposal.basis.chains.clear();
    let mut retract = state(2, triple(("Penicillin", Kind::DrugClass), TREATS, heartburn()), CheckOutcome::New);
    retract.proposal.act = Act::Retract;
    retract.proposal.basis.why = "the answer that rests on it was found bad".into();
    let conflict = CheckOutcome::Conflict {
        learned: false,
        with: "Ibuprofen → contraindicated in → Peptic ulcer".into(),
        why: "the graph warns of it where this would be a treatment".into(),
    };
    let redundant = CheckOutcome::Redundant { distance: 0.0312, learned: true, with: "Omeprazole → treats → Acid reflux".into() };
    Waiting {
        pending: vec![state(0, triple(("Omeprazole", Kind::Drug), TREATS, heartburn()), CheckOutcome::New), new, retract],
        conflicting: vec![state(3, triple(("Ibuprofen", Kind::Drug), TREATS, ("Peptic ulcer", Kind::Disease)), conflict)],
        redundant: vec![state(4, triple(("Omeprazole", Kind::Drug), TREATS, ("Stomach reflux", Kind::Disease)), redundant)],
    }
}

/// A DKG that can be taught.
pub(crate) fn learning() -> Reply {
    Reply::DkgStatus(DkgStatus { learned: 1_204, pending: 3, ..DkgStatus::default() })
}

/// What came of a good rating.
pub(crate) fn rated() -> RatingResult {
    let Waiting { pending, redundant, conflicting } = waiting();
    RatingResult {
        record: 12,
        proposals: pending.into_iter().chain(redundant).chain(conflicting).collect(),
        warnings: vec!["The language model's reply was no JSON; the rules proposed instead.".into()],
        rejected: [("from a chain that you rejected".to_owned(), 2)].into(),
        pinned: Vec::new(),
        repeated: false,
        replaces: None,
    }
}

/// What was learned.
pub(crate) fn lessons() -> Reply {
    let lesson = |(record, text, void): (u64, &str, bool)| LearnedRecord {
        record,
        when: format!("2026-11-2{} 09:12 UTC", record % 10),
        text: text.into(),
        void,
    };
    let records = [
        (5, "Record 3 was undone", false),
        (4, "Rejected Penicillin → treats → Heartburn", false),
        (3, "Accepted 2: Omeprazole → treats → Heartburn; Gaviscon → treats → Heartburn", true),
        (2, "5 proposals because of record 1", false),
        (1, "Answer rated good: “I feel stomach reflux after eating. What medicine should I take?” (clear)", false),
    ];
    let by_type = RecordCounts { feedback: 1, proposed: 1, accept: 1, reject: 1, undo: 1, ..RecordCounts::default() };
    let statistics = Statistics { records: 5, by_type, learned: 1_204, pending: 3, redundant: 1, conflicting: 1, ..Statistics::default() };
    let growth = (0..60u64).map(|at| at * at / 3).chain([1_204]).collect();
    Reply::Learned(Box::new(LearnedOverview { statistics, growth, records: records.map(lesson).into() }))
}
