//! Requests to the DKG: one thread carries them out in order, so that neither the disk nor a
//! model that proposes ever holds a frame up.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use tokio::sync::mpsc;

use super::effects::{DkgRequest, DkgStatus, Reply};
use super::learned::LearnedOverview;
use crate::dkg::{CheckOutcome, DkgError, ProposalId};
use crate::feedback::{TeachError, Teacher};
use crate::graph::NamedTriple;
use crate::model::CancelToken;

/// Things that may wait to be done.
const WAITING: usize = 256;

/// The thread that teaches.
pub(super) struct TeacherThread {
    teacher: Teacher,
    orders: SyncSender<DkgRequest>,
    worker: JoinHandle<()>,
    cancel: CancelToken,
    /// Another instance writes: what it records is loaded before each question.
    reads_only: bool,
}

impl TeacherThread {
    /// Starts the thread; it first reports the state of the DKG.
    ///
    /// # Errors
    /// If no thread can be had.
    pub(super) fn start(teacher: Teacher, reply_sender: mpsc::Sender<Reply>) -> std::io::Result<Self> {
        let (orders, waiting) = sync_channel(WAITING);
        let cancel = CancelToken::new();
        let reads_only = teacher.dkg().read_only().is_some();
        let (own, token) = (teacher.clone(), cancel.clone());
        let worker = thread::Builder::new().name("catena-teacher".into()).spawn(move || work(&own, &waiting, &token, &reply_sender))?;
        Ok(Self { teacher, orders, worker, cancel, reads_only })
    }

    /// Queues a request; returns the reply if it cannot be carried out.
    pub(super) fn order(&self, order: DkgRequest) -> Option<Reply> {
        match self.orders.try_send(order) {
            Ok(()) => None,
            Err(TrySendError::Full(order)) => Some(not_done(order, "too many changes are waiting to be recorded; try again in a moment")),
            Err(TrySendError::Disconnected(order)) => Some(not_done(order, "the part of Catena that records has failed; restart Catena")),
        }
    }

    /// The teacher to refresh before a question, if another instance may have recorded something.
    pub(super) fn to_refresh(&self) -> Option<Teacher> {
        self.reads_only.then(|| self.teacher.clone())
    }

    /// Waits until every decision is on disk. If a model is still proposing, it is cancelled and its rating is not recorded.
    pub(super) fn close(self) {
        self.cancel.cancel();
        drop(self.orders);
        // A thread that panicked has said so already.
        let _ = self.worker.join();
    }
}

fn work(teacher: &Teacher, orders: &Receiver<DkgRequest>, cancel: &CancelToken, reply_sender: &mpsc::Sender<Reply>) {
    // A screen that is gone needs to be told nothing; what it asked for is done nevertheless.
    let tell = |reply: Reply| drop(reply_sender.blocking_send(reply));
    tell(standing(teacher));
    for order in orders {
        let changes = !matches!(order, DkgRequest::Queue | DkgRequest::Learned);
        tell(done(teacher, order, cancel));
        if changes {
            tell(standing(teacher));
        }
    }
}

/// The state of the DKG.
fn standing(teacher: &Teacher) -> Reply {
    // What several ratings propose counts once, as it is listed.
    let waiting = teacher.waiting();
    let dkg = teacher.dkg();
    match dkg.statistics() {
        Ok(statistics) => Reply::DkgStatus(DkgStatus {
            learned: statistics.learned,
            pending: waiting.map_or(statistics.pending, |waiting| waiting.pending.len() as u64),
            read_only: dkg.read_only().map(str::to_owned),
            notices: dkg.notices().to_vec(),
        }),
        Err(error) => failure("The state of the DKG could not be read", &error),
    }
}

fn failure(what: &str, error: &DkgError) -> Reply {
    Reply::Note { text: format!("{what}: {error}."), failed: true }
}

fn done(teacher: &Teacher, order: DkgRequest, cancel: &CancelToken) -> Reply {
    match order {
        DkgRequest::Rate { trace, given } => {
            let result = teacher.rate(&trace, &given, cancel).map(Box::new).map_err(|error| error.to_string());
            Reply::Rated { given, result }
        }
        DkgRequest::Teach(fact) => {
            let result = teacher.teach(&fact, false, cancel).map(Box::new).map_err(|error| error.to_string());
            Reply::Taught { fact, result }
        }
        DkgRequest::Accept(proposals) => {
            let result = teacher.accept(proposals.clone()).map_err(|error| error.to_string());
            Reply::Decided { accepted: true, proposals, result }
        }
        DkgRequest::Reject(proposals) => {
            let result = teacher.reject(proposals.clone()).map_err(|error| error.to_string());
            Reply::Decided { accepted: false, proposals, result }
        }
        DkgRequest::Edit { proposal, triple, other_relation } => {
            let result = edit(teacher, proposal, *triple, other_relation);
            Reply::Edited { result }
        }
        DkgRequest::Undo(record) => Reply::Undone { record, result: teacher.undo(record).map_err(|error| error.to_string()) },
        DkgRequest::Queue => match teacher.waiting() {
            Ok(waiting) => Reply::Queue(Box::new(waiting)),
            Err(error) => failure("The pending proposals could not be read", &error),
        },
        DkgRequest::Learned => match LearnedOverview::read(&teacher.dkg()) {
            Ok(overview) => Reply::Learned(Box::new(overview)),
            Err(error) => failure("The learned triples could not be read", &error),
        },
    }
}

/// The reply to a request that is not carried out.
pub(super) fn not_done(order: DkgRequest, reason: &str) -> Reply {
    let reason = reason.to_owned();
    match order {
        DkgRequest::Rate { given, .. } => Reply::Rated { given, result: Err(reason) },
        DkgRequest::Teach(fact) => Reply::Taught { fact, result: Err(reason) },
        DkgRequest::Accept(proposals) => Reply::Decided { accepted: true, proposals, result: Err(reason) },
        DkgRequest::Reject(proposals) => Reply::Decided { accepted: false, proposals, result: Err(reason) },
        DkgRequest::Edit { .. } => Reply::Edited { result: Err(reason) },
        DkgRequest::Undo(record) => Reply::Undone { record, result: Err(reason) },
        DkgRequest::Queue | DkgRequest::Learned => {
            Reply::Note { text: format!("The learned triples could not be read: {reason}."), failed: true }
        }
    }
}

fn edit(teacher: &Teacher, proposal: ProposalId, mut triple: NamedTriple, other_relation: bool) -> Result<(u64, CheckOutcome), String> {
    if other_relation {
        let name = std::mem::take(&mut triple.relation.name);
        triple.relation = teacher.relation(&name).ok_or_else(|| {
            format!("“{name}” is not a known relation. Write it as the graph does: treats, has symptom, diagnosed by, caused by …")
        })?;
    }
    let standing = teacher.edit(proposal, triple).map_err(|error: TeachError| error.to_string())?;
    // Nobody else writes, so that the last record is the one just written.
    Ok((teacher.dkg().next_seq().saturating_sub(1), standing))
}
