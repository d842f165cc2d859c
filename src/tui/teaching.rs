//! The evolving graph beside the screen: one thread does what is asked of it, one thing after the other, so that neither the disk nor a
//! model that proposes ever holds a frame up.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use tokio::sync::mpsc;

use super::command::{Found, Learning, Teach};
use super::learned::Lessons;
use crate::dkg::{CheckOutcome, DkgError, ProposalId};
use crate::feedback::{TeachError, Teacher};
use crate::graph::NamedTriple;
use crate::model::CancelToken;

/// Things that may wait to be done.
const WAITING: usize = 256;

/// The thread that teaches.
pub(super) struct Teaching {
    teacher: Teacher,
    orders: SyncSender<Teach>,
    worker: JoinHandle<()>,
    cancel: CancelToken,
    /// Somebody else writes: what they record is taken in before each question.
    reads_only: bool,
}

impl Teaching {
    /// Starts the thread; it first says how the evolving graph stands.
    ///
    /// # Errors
    /// If no thread can be had.
    pub(super) fn start(teacher: Teacher, finds: mpsc::Sender<Found>) -> std::io::Result<Self> {
        let (orders, waiting) = sync_channel(WAITING);
        let cancel = CancelToken::new();
        let reads_only = teacher.dkg().read_only().is_some();
        let (own, token) = (teacher.clone(), cancel.clone());
        let worker = thread::Builder::new().name("catena-teacher".into()).spawn(move || work(&own, &waiting, &token, &finds))?;
        Ok(Self { teacher, orders, worker, cancel, reads_only })
    }

    /// Has something done; gives what is to be said where it will not be.
    pub(super) fn order(&self, order: Teach) -> Option<Found> {
        match self.orders.try_send(order) {
            Ok(()) => None,
            Err(TrySendError::Full(order)) => Some(not_done(order, "too much else waits to be recorded; try again in a moment")),
            Err(TrySendError::Disconnected(order)) => {
                Some(not_done(order, "the part of Catena that records has failed; start Catena anew"))
            }
        }
    }

    /// The teacher to be refreshed before a question, where there may be something to take in.
    pub(super) fn to_refresh(&self) -> Option<Teacher> {
        self.reads_only.then(|| self.teacher.clone())
    }

    /// Waits until every decision is on disk. What a model still proposes is given up: then its rating is not recorded.
    pub(super) fn close(self) {
        self.cancel.cancel();
        drop(self.orders);
        // A thread that panicked has said so already.
        let _ = self.worker.join();
    }
}

fn work(teacher: &Teacher, orders: &Receiver<Teach>, cancel: &CancelToken, finds: &mpsc::Sender<Found>) {
    // A screen that is gone needs to be told nothing; what it asked for is done nevertheless.
    let tell = |found: Found| drop(finds.blocking_send(found));
    tell(standing(teacher));
    for order in orders {
        let changes = !matches!(order, Teach::Queue | Teach::Lessons);
        tell(done(teacher, order, cancel));
        if changes {
            tell(standing(teacher));
        }
    }
}

/// How the evolving graph stands.
fn standing(teacher: &Teacher) -> Found {
    let dkg = teacher.dkg();
    match dkg.statistics() {
        Ok(statistics) => Found::Learning(Learning {
            learned: statistics.learned,
            pending: statistics.pending,
            read_only: dkg.read_only().map(str::to_owned),
            notices: dkg.notices().to_vec(),
        }),
        Err(error) => failure("How much was learned could not be found out", &error),
    }
}

fn failure(what: &str, error: &DkgError) -> Found {
    Found::Note { text: format!("{what}: {error}."), failed: true }
}

fn done(teacher: &Teacher, order: Teach, cancel: &CancelToken) -> Found {
    match order {
        Teach::Rate { trace, given } => {
            let result = teacher.rate(&trace, &given, cancel).map(Box::new).map_err(|error| error.to_string());
            Found::Rated { given, result }
        }
        Teach::Accept(proposals) => {
            let result = teacher.accept(proposals.clone()).map_err(|error| error.to_string());
            Found::Decided { accepted: true, proposals, result }
        }
        Teach::Reject(proposals) => {
            let result = teacher.reject(proposals.clone()).map_err(|error| error.to_string());
            Found::Decided { accepted: false, proposals, result }
        }
        Teach::Edit { proposal, triple, other_relation } => {
            let result = edit(teacher, proposal, *triple, other_relation);
            Found::Edited { result }
        }
        Teach::Undo(record) => Found::Undone { record, result: teacher.undo(record).map_err(|error| error.to_string()) },
        Teach::Queue => match teacher.waiting() {
            Ok(waiting) => Found::Queue(Box::new(waiting)),
            Err(error) => failure("What waits for the review could not be read", &error),
        },
        Teach::Lessons => match Lessons::read(&teacher.dkg()) {
            Ok(lessons) => Found::Lessons(Box::new(lessons)),
            Err(error) => failure("What was learned could not be read", &error),
        },
    }
}

/// What is said of something that will not be done.
pub(super) fn not_done(order: Teach, reason: &str) -> Found {
    let reason = reason.to_owned();
    match order {
        Teach::Rate { given, .. } => Found::Rated { given, result: Err(reason) },
        Teach::Accept(proposals) => Found::Decided { accepted: true, proposals, result: Err(reason) },
        Teach::Reject(proposals) => Found::Decided { accepted: false, proposals, result: Err(reason) },
        Teach::Edit { .. } => Found::Edited { result: Err(reason) },
        Teach::Undo(record) => Found::Undone { record, result: Err(reason) },
        Teach::Queue | Teach::Lessons => Found::Note { text: format!("What was learned could not be read: {reason}."), failed: true },
    }
}

fn edit(teacher: &Teacher, proposal: ProposalId, mut triple: NamedTriple, other_relation: bool) -> Result<(u64, CheckOutcome), String> {
    if other_relation {
        let name = std::mem::take(&mut triple.relation.name);
        triple.relation = teacher.relation(&name).ok_or_else(|| {
            format!(
                "“{name}” is no relation whose meaning is known. Write it as the graph does: treats, has symptom, diagnosed by, caused by …"
            )
        })?;
    }
    let standing = teacher.edit(proposal, triple).map_err(|error: TeachError| error.to_string())?;
    // Nobody else writes, so that the last record is the one just written.
    Ok((teacher.dkg().next_seq().saturating_sub(1), standing))
}
