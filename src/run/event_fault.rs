//! What can be wrong with an event: recordings and sessions are files, which anyone can edit and any disk can damage. The fold leaves out or
//! corrects what does not fit, counts it by these reasons, and says so in the run's warnings.

/// Why the fold leaves out an event, or corrects a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventFault {
    /// The event comes before the start of the run.
    BeforeStart,
    /// The event carries the id of another run.
    OtherRun,
    /// The event comes after the end of the run and does not begin a revision.
    AfterEnd,
    /// A stage starts while it is running, or ends while it is not.
    StageOrder,
    /// A time is not a number from 0 to `LONGEST_MS`.
    Time,
    /// A count is larger than `MOST_COUNTED`.
    Count,
    /// A setting is out of its range.
    Setting,
    /// A score is not a number, or larger than `MOST_SCORE`.
    Score,
    /// A text is longer than `LONGEST_TEXT`.
    Text,
    /// A list already has as many entries as a run can have.
    TooMany,
    /// A mention ends before it starts, or lies outside the question.
    Mention,
    /// A chain refers to an entity or a relation that its table does not hold, or has no relation or too many.
    Table,
    /// A choice refers to a chain that the table does not hold, names a chain twice, or has scores that do not fit.
    Choice,
    /// A case holds too much, or an offset outside the question.
    Case,
    /// A passage ends before it starts, or says nothing.
    Passage,
    /// A citation is not the id of a chain or passage that the answer was written from.
    Citation,
}

/// The longest time within a run: a year, in milliseconds.
pub(crate) const LONGEST_MS: f64 = 365.0 * 86_400_000.0;
/// The largest count: as far as every whole number is a double, too.
pub(crate) const MOST_COUNTED: u64 = 1 << 53;
/// The largest score, with either sign. Similarities lie between -1 and 1, and no scorer gives more than a hundred.
pub(crate) const MOST_SCORE: f64 = 1000.0;
/// The most bytes of a hypothesis or an answer.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;
/// The most mentions, texts without a link, prompts and lines of an answer. The longest question has fewer words.
pub(crate) const MOST_LISTED: usize = 200_000;
/// The most anchors; a run links at most 64.
pub(crate) const MOST_ANCHORS: usize = 1000;
/// The most warnings.
pub(crate) const MOST_WARNINGS: usize = 500;

impl EventFault {
    /// What is wrong and what the fold did about it, for `count` such faults, in plain words.
    pub fn sentence(self, count: u64) -> String {
        let (one, many) = match self {
            Self::BeforeStart => ("an event before the start of the run is left out", "events before the start of the run are left out"),
            Self::OtherRun => ("an event of another run is left out", "events of other runs are left out"),
            Self::AfterEnd => ("an event after the end of the run is left out", "events after the end of the run are left out"),
            Self::StageOrder => {
                ("a stage starts or ends out of order; this is ignored", "stages start or end out of order; this is ignored")
            }
            Self::Time => ("an impossible time is corrected", "impossible times are corrected"),
            Self::Count => ("an impossible number is corrected", "impossible numbers are corrected"),
            Self::Setting => ("a setting out of its range is corrected", "settings out of their range are corrected"),
            Self::Score => ("an impossible score is corrected", "impossible scores are corrected"),
            Self::Text => ("a text that is too long is cut short", "texts that are too long are cut short"),
            Self::TooMany => ("an entry is left out of a list that is too long", "entries are left out of lists that are too long"),
            Self::Mention => ("a mention that does not fit the text is left out", "mentions that do not fit the text are left out"),
            Self::Table => (
                "a list of chains refers to entities or relations that it does not hold; its chains are not shown",
                "lists of chains refer to entities or relations that they do not hold; their chains are not shown",
            ),
            Self::Choice => (
                "a choice of chains does not fit the list of chains; it is not shown",
                "choices of chains do not fit the list of chains; they are not shown",
            ),
            Self::Case => (
                "a part of how the question was read does not fit the question; it is corrected",
                "parts of how the question was read do not fit the question; they are corrected",
            ),
            Self::Passage => ("a passage of a document that cannot be is left out", "passages of documents that cannot be are left out"),
            Self::Citation => (
                "a citation of something that the answer does not rest on is left out",
                "citations of things that the answer does not rest on are left out",
            ),
        };
        if count == 1 { format!("Damaged recording: {one}.") } else { format!("Damaged recording: {count} {many}.") }
    }
}
