//! Entities, relations and triples by name: as they are written down where no graph's numbers hold, and as they
//! are laid over any graph.

use serde::{Deserialize, Serialize};

use super::entity::Kind;
use super::role::{Player, Relation, Role};
use crate::text::fold;

/// An entity by its preferred name and kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedEntity {
    /// The kind's name, as [`Kind::as_str`] gives it; empty when unknown.
    pub kind: String,
    /// The preferred name.
    pub name: String,
}

impl NamedEntity {
    /// An entity of this name and kind.
    pub fn new(name: impl Into<String>, kind: &Kind) -> Self {
        Self { kind: kind.as_str().to_owned(), name: name.into() }
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        Kind::parse(&self.kind)
    }
}

/// A relation type by name, with what it means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedRelation {
    /// The name, as graphs write it ("has_symptom").
    pub name: String,
    /// The end that plays the role.
    pub player: Player,
    /// What the player is to the other end.
    pub role: Role,
}

impl From<&Relation> for NamedRelation {
    fn from(relation: &Relation) -> Self {
        Self { name: relation.name.clone(), player: relation.player, role: relation.role }
    }
}

/// A statement by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedTriple {
    /// Where the relation starts.
    pub head: NamedEntity,
    /// The relation.
    pub relation: NamedRelation,
    /// Where it ends.
    pub tail: NamedEntity,
}

impl NamedTriple {
    /// The entity that has the relation's player (the condition, of a treatment).
    pub fn owner(&self) -> &NamedEntity {
        match self.relation.player {
            Player::Head => &self.tail,
            Player::Tail => &self.head,
        }
    }

    /// The entity that plays the relation's role (the treatment, of a condition).
    pub fn player(&self) -> &NamedEntity {
        match self.relation.player {
            Player::Head => &self.head,
            Player::Tail => &self.tail,
        }
    }

    /// `head → relation → tail`, with the relation's name in words.
    pub fn text(&self) -> String {
        format!("{} \u{2192} {} \u{2192} {}", self.head.name, self.relation.name.replace('_', " "), self.tail.name)
    }

    /// What two triples have in common that say the same: both ends and the relation, folded.
    pub fn folded(&self) -> (String, String, String) {
        (fold(&self.head.name), fold(&self.relation.name), fold(&self.tail.name))
    }
}

/// A statement that was learned, and by which record of the journal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedTriple {
    /// The statement.
    pub triple: NamedTriple,
    /// The record's number.
    pub record: u64,
}
