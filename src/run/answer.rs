//! The answer of a run: its lines, the parts that they belong to, and how urgent the case is.

use serde::{Deserialize, Serialize};

use super::passage::PassageId;
use crate::graph::Role;

/// How soon somebody must act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrgencyLevel {
    /// Later, in the normal course.
    Routine,
    /// Within a day to two weeks.
    Urgent,
    /// Within minutes to hours.
    Emergency,
}

/// How urgent a case is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Urgency {
    /// The level; `None` if nothing says.
    pub level: Option<UrgencyLevel>,
    /// What to think of and what to do, in one line; `None` for a routine case.
    pub text: Option<String>,
    /// The condition, as the graph names it, because of which somebody must act; `None` if it is a finding or value by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What of the case raised it, what counts most first; empty in recordings of older versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<UrgencyReason>,
}

/// Something in the case that raised its urgency.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UrgencyReason {
    /// What it does.
    pub kind: UrgencyReasonKind,
    /// It in words, in the language of the question.
    pub text: String,
    /// The entity of the graph, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
}

/// How something in the case raised its urgency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrgencyReasonKind {
    /// The condition explains it.
    #[default]
    Finding,
    /// A red flag of the condition.
    RedFlag,
    /// It is dangerous by itself.
    Danger,
    /// It makes the condition or finding an emergency, which would else be less.
    Company,
    /// A critical value.
    Result,
    /// A drug in use that can cause the condition.
    Drug,
    /// The question names the condition.
    Named,
    /// The question says it in words of its own, such as a wish to die.
    Words,
}

/// The part of an answer that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerPart {
    /// That it is an emergency, and what to do.
    Emergency,
    /// How the question was read.
    ReadAs,
    /// What was not understood.
    NotUnderstood,
    /// Interactions and contraindications that concern the case.
    Safety,
    /// The sentence that answers the question.
    Summary,
    /// Conditions to consider.
    Conditions,
    /// What to do for a condition besides tests and drugs, and what course it takes.
    Care,
    /// Tests to consider.
    Tests,
    /// Treatments to consider.
    Treatments,
    /// Cautions.
    Cautions,
    /// Other findings in the evidence.
    Findings,
    /// What documents say, word for word, where the graph does not answer.
    Documents,
    /// What else the evidence holds; folded on the screen.
    More,
    /// Why nothing of the language model's text is part of the answer.
    ModelNote,
    /// What the language model adds, and kept chains state too.
    ModelAdds,
    /// What the language model says, and the evidence contradicts.
    ModelContradicted,
    /// What the language model says without evidence; folded on the screen.
    ModelUnsupported,
}

impl AnswerPart {
    /// Whether its lines stand under a heading. The others say by themselves what they are.
    pub fn has_heading(self) -> bool {
        !matches!(self, Self::Emergency | Self::ReadAs | Self::NotUnderstood | Self::Summary | Self::ModelNote)
    }

    /// Whether its lines are about a language model's text. They stand below all others.
    pub fn is_of_model(self) -> bool {
        matches!(self, Self::ModelNote | Self::ModelAdds | Self::ModelContradicted | Self::ModelUnsupported)
    }

    /// Whether the screen folds its lines.
    pub fn is_folded(self) -> bool {
        matches!(self, Self::More | Self::ModelUnsupported)
    }

    /// The heading of the part.
    pub fn title(self) -> &'static str {
        match self {
            Self::Emergency => "Emergency",
            Self::ReadAs => "Read as",
            Self::NotUnderstood => "Not understood",
            Self::Safety => "Interactions and contraindications",
            Self::Summary => "In short",
            Self::Conditions => "Conditions",
            Self::Care => "What to do",
            Self::Tests => "Tests",
            Self::Treatments => "Treatments",
            Self::Cautions => "Cautions",
            Self::Findings => "Related findings",
            Self::Documents => "From the documents",
            Self::More => "Also in the evidence",
            Self::ModelNote => "About the language model",
            Self::ModelAdds => "The language model adds, with evidence",
            Self::ModelContradicted => "The language model also says this, but the evidence contradicts it",
            Self::ModelUnsupported => "The language model also says, without evidence",
        }
    }
}

/// One cited line of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerLine {
    /// The part it belongs to.
    pub part: AnswerPart,
    /// The entity that it states; of several, the first.
    pub entity: String,
    /// The other entities that it states in the same role, in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The role that the entity plays, where one is known.
    pub role: Option<Role>,
    /// The line's text, without the citations.
    pub text: String,
    /// Ids of the chains that it rests on (1 is the best kept chain).
    pub citations: Vec<u32>,
    /// Passages of documents that say so too, or that it quotes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<PassageId>,
    /// Whether something in it is the language model's own: about entities of the graph, and not supported by what it cites.
    #[serde(default)]
    pub unsupported: bool,
}

impl AnswerLine {
    /// The entities that it states.
    pub fn stated(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.entity).filter(|entity| !entity.is_empty()).chain(&self.also).map(String::as_str)
    }

    /// Whether it quotes a passage of a document, rather than to state something that the passage states too.
    pub fn is_quote(&self) -> bool {
        self.citations.is_empty() && !self.passages.is_empty() && !self.part.is_of_model()
    }
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The whole text, with `[n]` citations of chains and `[Dn]` citations of passages.
    pub text: String,
    /// What it states as its result, most confident first.
    pub entities: Vec<String>,
    /// Ids of the cited chains, ascending.
    pub citations: Vec<u32>,
    /// The cited passages, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<PassageId>,
    /// Entities about which the hypothesis said otherwise than the evidence.
    pub corrected: Vec<String>,
    /// `false`: no evidence was found, and the answer says so.
    pub grounded: bool,
    /// The text's lines that state something about an entity. An extractive answer consists of them; a language model's
    /// text has others between them.
    #[serde(default)]
    pub lines: Vec<AnswerLine>,
    /// Whether a language model wrote the text.
    #[serde(default)]
    pub by_model: bool,
    /// Entities of folded lines: also in the evidence, and no part of the answer.
    #[serde(default)]
    pub more: Vec<String>,
    /// The answer is complete as it is, and a language model is still writing what may be added to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refining: bool,
}
