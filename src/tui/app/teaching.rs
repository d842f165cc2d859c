//! Ratings, the review, and what was learned: how the DKG stands, as far as the screen knows.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::run::Trace;
use crate::tui::effects::DkgStatus;
use crate::tui::learned::LearnedSheet;
use crate::tui::review::Review;

/// Ratings, the review, and what was learned.
#[derive(Debug, Default)]
pub(crate) struct TeachingState {
    /// How the DKG stands; `None` where there is none.
    pub(crate) status: Option<DkgStatus>,
    /// Runs whose ratings are being recorded, in order.
    pub(crate) ratings: VecDeque<Arc<Trace>>,
    /// The doctor was warned that leaving now loses a rating.
    pub(crate) warned_of_loss: bool,
    /// The run that was rated last, and why nothing of it waits for the review.
    pub(crate) came_of: Option<(String, String)>,
    pub(crate) review: Review,
    pub(crate) learned: LearnedSheet,
}

impl TeachingState {
    /// Whether ratings and decisions can be recorded.
    pub(crate) fn can_record(&self) -> bool {
        self.status.as_ref().is_some_and(|status| status.read_only.is_none())
    }
}
