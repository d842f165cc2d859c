//! The state against its definition, computed anew from the list of records every time, without a word of the library's.

use std::collections::{BTreeMap, BTreeSet};

use catena::dkg::{
    Act, ChainRatings, Change, CheckOutcome, Dkg, DkgError, Feedback, Pin, ProposalId, ProposalState, Proposed, Rating, Record,
    RecordEffect, Refusal, Status,
};
use catena::graph::NamedTriple;
use proptest::prelude::*;

use super::sample::{feedback, folder, import, pin, proposal, replayed, seen, triple};

/// Whether a record is void: some undo of it is not.
fn void(records: &[Record], seq: u64) -> bool {
    records.iter().any(|other| matches!(other.change, Change::Undo { record } if record == seq) && !void(records, other.seq))
}

fn proposal_of(records: &[Record], id: ProposalId) -> Option<ProposalState> {
    let record = records.iter().find(|record| record.seq == id.record)?;
    let Change::Proposed(Proposed { feedback, proposals }) = &record.change else { return None };
    let original = proposals.get(id.item as usize)?;
    let mut now = original.clone();
    let (mut first, mut decided) = (None, None);
    for later in records.iter().filter(|later| !void(records, later.seq)) {
        match &later.change {
            Change::Accept { proposals } if proposals.contains(&id) => decided = Some(Status::Accepted { record: later.seq }),
            Change::Reject { proposals } if proposals.contains(&id) => decided = Some(Status::Rejected { record: later.seq }),
            Change::Edit { proposal, triple, standing } if *proposal == id => {
                first = Some(original.triple.clone());
                (now.triple, now.standing, decided) = (triple.clone(), standing.clone(), None);
            }
            _ => {}
        }
    }
    let waiting = match now.standing {
        CheckOutcome::New => Status::Pending,
        CheckOutcome::Redundant { .. } => Status::Redundant,
        CheckOutcome::Conflict { .. } => Status::Conflicting,
    };
    let is_void = void(records, id.record) || void(records, *feedback);
    let status = if is_void { Status::Void } else { decided.unwrap_or(waiting) };
    Some(ProposalState { id, feedback: *feedback, proposal: now, first, status })
}

fn proposals(records: &[Record]) -> Vec<ProposalState> {
    let ids = records.iter().flat_map(|record| match &record.change {
        Change::Proposed(proposed) => (0..proposed.proposals.len() as u32).map(|item| ProposalId { item, record: record.seq }).collect(),
        _ => Vec::new(),
    });
    ids.filter_map(|id| proposal_of(records, id)).collect()
}

type Identity = (String, String, String, String, String);

fn identity(triple: &NamedTriple) -> Identity {
    let (head, relation, tail) = triple.folded();
    (head, triple.head.kind.clone(), relation, tail, triple.tail.kind.clone())
}

/// What is learned: by identity, the record it is shown with.
fn learned(records: &[Record]) -> BTreeMap<Identity, Vec<u64>> {
    let (mut supports, mut against): (BTreeMap<Identity, BTreeSet<u64>>, BTreeMap<Identity, u64>) = Default::default();
    for record in records.iter().filter(|record| !void(records, record.seq)) {
        if let Change::Import(import) = &record.change {
            for imported in &import.triples {
                supports.entry(identity(&imported.triple)).or_default().insert(record.seq);
            }
        }
    }
    for state in proposals(records) {
        let Status::Accepted { record } = state.status else { continue };
        match state.proposal.act {
            Act::Add => _ = supports.entry(identity(&state.proposal.triple)).or_default().insert(record),
            Act::Retract => {
                let last = against.entry(identity(&state.proposal.triple)).or_default();
                *last = record.max(*last);
            }
        }
    }
    let in_force = supports.into_iter().map(|(identity, records)| {
        let last = against.get(&identity).copied().unwrap_or(0);
        (identity, records.into_iter().filter(|record| *record > last).collect::<Vec<_>>())
    });
    in_force.filter(|(_, records)| !records.is_empty()).collect()
}

/// Feedback of each rating in turn.
fn rated(number: usize) -> Change {
    let Change::Feedback(given) = feedback(number as u64) else { panic!("it is feedback") };
    Change::Feedback(Feedback { rating: [Rating::Good, Rating::Bad, Rating::Gold][number % 3], ..given })
}

/// What the ratings in force say: of the one chain that all cite, and which records pin.
fn preferred(records: &[Record]) -> (ChainRatings, Vec<u64>) {
    let mut ratings = ChainRatings::default();
    let mut pins = Vec::new();
    for record in records.iter().filter(|record| !void(records, record.seq)) {
        match &record.change {
            Change::Feedback(given) if given.rating == Rating::Good => ratings.good += 1,
            Change::Feedback(given) if given.rating == Rating::Bad => ratings.bad += 1,
            Change::Pin(pin) if !void(records, pin.feedback) => pins.push(record.seq),
            _ => {}
        }
    }
    (ratings, pins)
}

/// What someone might do; numbers are taken modulo what there is.
#[derive(Debug, Clone)]
enum Act_ {
    Feedback,
    Proposed(usize, Vec<(u8, u8, bool, u8)>),
    Accept(Vec<usize>),
    Reject(Vec<usize>),
    Edit(usize, (u8, u8, bool, u8)),
    Undo(usize),
    UndoUndo(usize),
    Import(Vec<(u8, u8, bool)>),
    Pin(usize),
    Reopen,
}

fn standing(number: u8) -> CheckOutcome {
    match number % 5 {
        0 => CheckOutcome::Redundant { distance: f64::from(number) / 7.0, learned: true, with: "a → b → c".to_owned() },
        1 => CheckOutcome::Conflict { learned: false, with: "a → b → c".to_owned(), why: "w".to_owned() },
        _ => CheckOutcome::New,
    }
}

fn acts() -> impl Strategy<Value = Vec<Act_>> {
    let worded = || (0u8..4, 0u8..4, any::<bool>(), any::<u8>());
    let act = prop_oneof![
        2 => Just(Act_::Feedback),
        3 => (any::<usize>(), prop::collection::vec(worded(), 1..4)).prop_map(|(of, list)| Act_::Proposed(of, list)),
        6 => prop::collection::vec(any::<usize>(), 1..3).prop_map(Act_::Accept),
        2 => prop::collection::vec(any::<usize>(), 1..3).prop_map(Act_::Reject),
        2 => (any::<usize>(), worded()).prop_map(|(of, words)| Act_::Edit(of, words)),
        4 => any::<usize>().prop_map(Act_::Undo),
        2 => any::<usize>().prop_map(Act_::UndoUndo),
        2 => prop::collection::vec((0u8..4, 0u8..4, any::<bool>()), 1..6).prop_map(Act_::Import),
        2 => any::<usize>().prop_map(Act_::Pin),
        1 => Just(Act_::Reopen),
    ];
    prop::collection::vec(act, 1..40)
}

fn pick<T: Copy>(list: &[T], number: usize) -> Option<T> {
    (!list.is_empty()).then(|| list[number % list.len()])
}

/// The change that an act is at this point, with whether it is allowed.
fn change_of(act: &Act_, records: &[Record]) -> Option<(Change, bool)> {
    let of_type = |wanted: fn(&Change) -> bool| -> Vec<u64> {
        records.iter().filter(|record| wanted(&record.change)).map(|record| record.seq).collect()
    };
    let states = proposals(records);
    let ids: Vec<ProposalId> = states.iter().map(|state| state.id).collect();
    let in_force = |id: ProposalId| states.iter().any(|state| state.id == id && state.status != Status::Void);
    let chosen = |numbers: &[usize]| -> Option<(Vec<ProposalId>, bool)> {
        let list: Vec<ProposalId> = numbers.iter().filter_map(|number| pick(&ids, *number)).collect();
        let twice = list.iter().collect::<BTreeSet<_>>().len() < list.len();
        let allowed = !twice && list.iter().all(|id| in_force(*id));
        (!list.is_empty()).then_some((list, allowed))
    };
    Some(match act {
        Act_::Feedback => (rated(records.len()), true),
        Act_::Pin(of) => {
            let feedback = pick(&of_type(|change| matches!(change, Change::Feedback(_))), *of)?;
            (pin(feedback), !void(records, feedback))
        }
        Act_::Proposed(of, list) => {
            let feedback = pick(&of_type(|change| matches!(change, Change::Feedback(_))), *of)?;
            let worded = list.iter().map(|(head, tail, spelling, how)| {
                proposal(if how % 3 == 0 { Act::Retract } else { Act::Add }, triple(*head, *tail, *spelling), standing(*how))
            });
            (Change::Proposed(Proposed { feedback, proposals: worded.collect() }), !void(records, feedback))
        }
        Act_::Accept(numbers) => chosen(numbers).map(|(proposals, allowed)| (Change::Accept { proposals }, allowed))?,
        Act_::Reject(numbers) => chosen(numbers).map(|(proposals, allowed)| (Change::Reject { proposals }, allowed))?,
        Act_::Edit(of, (head, tail, spelling, how)) => {
            let id = pick(&ids, *of)?;
            (Change::Edit { proposal: id, triple: triple(*head, *tail, *spelling), standing: standing(*how) }, in_force(id))
        }
        Act_::Undo(of) => {
            let record = pick(&of_type(|_| true), *of)?;
            (Change::Undo { record }, !void(records, record))
        }
        Act_::UndoUndo(of) => {
            let record = pick(&of_type(|change| matches!(change, Change::Undo { .. })), *of)?;
            (Change::Undo { record }, !void(records, record))
        }
        Act_::Import(list) => (import(list.iter().map(|(head, tail, spelling)| triple(*head, *tail, *spelling)).collect()), true),
        Act_::Reopen => return None,
    })
}

fn take_in(sum: &mut BTreeMap<NamedTriple, u64>, effect: &RecordEffect) {
    for triple in &effect.unlearned {
        assert!(sum.remove(triple).is_some(), "{triple:?} was not learned");
    }
    for new in &effect.learned {
        assert_eq!(sum.insert(new.triple.clone(), new.record), None, "{new:?} was learned");
    }
}

fn compare(dkg: &Dkg, records: &[Record], sum: &BTreeMap<NamedTriple, u64>) {
    let live = seen(dkg);
    assert_eq!(live, replayed(dkg.folder()));
    let expected = learned(records);
    let table: BTreeMap<NamedTriple, u64> = live.table.iter().map(|learned| (learned.triple, learned.record)).collect();
    assert_eq!(&table, sum);
    let by_identity: BTreeMap<Identity, u64> = table.iter().map(|(triple, record)| (identity(triple), *record)).collect();
    assert_eq!(by_identity.len(), table.len());
    assert_eq!(by_identity, expected.iter().map(|(identity, records)| (identity.clone(), records[0])).collect());
    for triple in table.keys() {
        assert_eq!(dkg.support_of(triple).unwrap(), expected[&identity(triple)]);
    }
    let states = proposals(records);
    assert_eq!(live.proposals, states);
    let of = |status: Status| states.iter().filter(|state| state.status == status).cloned().collect::<Vec<_>>();
    assert_eq!(live.waiting.pending, of(Status::Pending));
    assert_eq!(live.waiting.redundant, of(Status::Redundant));
    assert_eq!(live.waiting.conflicting, of(Status::Conflicting));
    let numbers = &live.statistics;
    let waiting = &live.waiting;
    assert_eq!(
        (numbers.records, numbers.learned, numbers.pending, numbers.redundant, numbers.conflicting),
        (
            records.len() as u64,
            table.len() as u64,
            waiting.pending.len() as u64,
            waiting.redundant.len() as u64,
            waiting.conflicting.len() as u64
        )
    );
    assert_eq!(numbers.growth.last().map_or(0, |point| point.learned), numbers.learned);
    let accepted = records.iter().map(|record| if let Change::Accept { proposals } = &record.change { proposals.len() } else { 0 });
    assert_eq!(numbers.days.iter().map(|day| day.accepted).sum::<u64>(), accepted.sum::<usize>() as u64);
    assert_eq!(numbers.days.iter().map(|day| day.undone).sum::<u64>(), numbers.by_type.undo);
    let pins: Vec<u64> = live.preferences.pins().iter().map(|(record, _)| *record).collect();
    assert_eq!((live.preferences.of_chain("a → b → c"), pins), preferred(records));
    assert_eq!(live.preferences.of_chain("c → b → a"), ChainRatings::default(), "nobody cited it");
    for record in records {
        assert_eq!(dkg.is_void(record.seq).unwrap(), void(records, record.seq));
        assert_eq!(dkg.record(record.seq).unwrap(), *record);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_live_state_is_what_the_records_say(acts in acts()) {
        let (_outer, folder) = folder();
        let mut dkg = Dkg::open(&folder).unwrap();
        let mut records: Vec<Record> = Vec::new();
        let mut sum = BTreeMap::new();
        for act in &acts {
            if matches!(act, Act_::Reopen) {
                drop(dkg);
                dkg = Dkg::open(&folder).unwrap();
                prop_assert_eq!(dkg.notices(), &[] as &[String]);
            }
            let Some((change, allowed)) = change_of(act, &records) else { continue };
            let known = matches!(&change, Change::Import(import)
                if import.triples.iter().all(|imported| learned(&records).contains_key(&identity(&imported.triple))));
            match dkg.append(vec![change]) {
                Err(DkgError::Refused(_)) => prop_assert!(!allowed, "{:?} was refused", act),
                Err(error) => prop_assert!(false, "{}", error),
                Ok(appended) => {
                    prop_assert!(allowed, "{:?} was taken", act);
                    prop_assert_eq!(appended.is_empty(), known);
                    for one in &appended {
                        take_in(&mut sum, &one.effect);
                        records.push(dkg.record(one.seq).unwrap());
                    }
                }
            }
        }
        compare(&dkg, &records, &sum);
        drop(dkg);
        compare(&Dkg::open(&folder).unwrap(), &records, &sum);
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_written() {
    let (_outer, folder) = folder();
    let mut dkg = super::sample::filled(&folder);
    let before = std::fs::read(super::sample::journal(&folder)).unwrap();
    let id = |record, item| ProposalId { item, record };
    let mut named = triple(1, 2, false);
    named.tail.name = "a\u{1b}[31mb".to_owned();
    let mut blank = triple(1, 2, false);
    blank.head.name = "?!".to_owned();
    let cases = [
        (Change::Accept { proposals: vec![id(2, 9)] }, Refusal::NoProposal(id(2, 9))),
        (Change::Accept { proposals: vec![id(2, 0), id(2, 0)] }, Refusal::Twice(id(2, 0))),
        (Change::Accept { proposals: Vec::new() }, Refusal::Nothing("proposal")),
        (import(Vec::new()), Refusal::Nothing("triple")),
        (Change::Undo { record: 0 }, Refusal::NoRecord(0)),
        (Change::Undo { record: 9 }, Refusal::NoRecord(9)),
        (Change::Undo { record: 3 }, Refusal::AlreadyUndone(3)),
        (super::sample::proposed(2, Vec::new()), Refusal::NoFeedback(2)),
        (pin(2), Refusal::NoFeedback(2)),
        (pin_of_nothing(), Refusal::Nothing("chain")),
        (import(vec![named]), Refusal::Name { name: "ab".to_owned(), reason: "it has blanks or control characters where none may be" }),
        (import(vec![blank]), Refusal::Name { name: "?!".to_owned(), reason: "it has neither letters nor digits" }),
        (
            Change::Edit {
                proposal: id(2, 0),
                triple: triple(1, 2, true),
                standing: CheckOutcome::Redundant { distance: f64::NAN, learned: false, with: String::new() },
            },
            Refusal::Distance,
        ),
    ];
    for (change, expected) in cases {
        // Something sound before it does not make it sound, and is not recorded either.
        match dkg.append(vec![feedback(7), change]) {
            Err(DkgError::Refused(refusal)) => {
                let (found, wanted) = (refusal.to_string(), expected.to_string());
                assert!(found == wanted || matches!(refusal, Refusal::Name { .. }), "{found} / {wanted}");
            }
            other => panic!("{other:?} in place of {expected}"),
        }
    }
    assert_eq!(std::fs::read(super::sample::journal(&folder)).unwrap(), before);
    dkg.append(vec![Change::Undo { record: 1 }]).unwrap();
    assert!(matches!(dkg.append(vec![super::sample::accept(2, 0)]), Err(DkgError::Refused(Refusal::VoidProposal(_)))));
    assert!(matches!(dkg.append(vec![super::sample::proposed(1, Vec::new())]), Err(DkgError::Refused(Refusal::VoidFeedback(1)))));
    assert!(matches!(dkg.append(vec![pin(1)]), Err(DkgError::Refused(Refusal::VoidFeedback(1)))));
}

fn pin_of_nothing() -> Change {
    let Change::Pin(pinned) = pin(1) else { panic!("it pins") };
    Change::Pin(Pin { chains: Vec::new(), ..pinned })
}

#[test]
fn a_batch_may_refer_to_itself_and_is_taken_whole() {
    let (_outer, folder) = folder();
    let mut dkg = Dkg::open(&folder).unwrap();
    let first = dkg.next_seq();
    let appended = dkg
        .append(vec![
            feedback(1),
            super::sample::proposed(first, vec![triple(1, 2, false)]),
            super::sample::accept(first + 1, 0),
            Change::Undo { record: first + 2 },
            Change::Undo { record: first + 3 },
        ])
        .unwrap();
    let counts: Vec<_> = appended.iter().map(|one| (one.effect.learned.len(), one.effect.unlearned.len())).collect();
    assert_eq!(counts, [(0, 0), (0, 0), (1, 0), (0, 1), (1, 0)]);
    assert_eq!(dkg.learned().unwrap().len(), 1);
    assert_eq!(seen(&dkg), replayed(&folder));
}

#[test]
fn a_long_chain_of_undos_is_followed_to_its_end() {
    let (_outer, folder) = folder();
    let mut dkg = Dkg::open(&folder).unwrap();
    let mut changes = vec![import(vec![triple(1, 2, false)])];
    changes.extend((1..=301).map(|record| Change::Undo { record }));
    let appended = dkg.append(changes).unwrap();
    assert_eq!(appended.last().unwrap().effect.unlearned.len(), 1);
    assert_eq!(dkg.learned().unwrap(), []);
    drop(dkg);
    assert_eq!(seen(&Dkg::open(&folder).unwrap()), replayed(&folder));
}
