//! Entities, relations and triples by name. The DKG's journal stores them in this form, because numbers hold for one
//! graph only; by name, a triple can be laid over any graph.

use serde::{Deserialize, Serialize};

use super::entity::Kind;
use super::qualifiers::Qualifiers;
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

/// A relation type by name, with its role.
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
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedTriple {
    /// Where the relation starts.
    pub head: NamedEntity,
    /// The relation.
    pub relation: NamedRelation,
    /// Where it ends.
    pub tail: NamedEntity,
    /// What it states beyond that; no part of what makes two triples the same.
    #[serde(default, skip_serializing_if = "Qualifiers::is_empty")]
    pub qualifiers: Qualifiers,
}

/// Says what it said before there were qualifiers if a triple has none: evaluations know a graph by this text.
impl std::fmt::Debug for NamedTriple {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = f.debug_struct("NamedTriple");
        fields.field("head", &self.head).field("relation", &self.relation).field("tail", &self.tail);
        if !self.qualifiers.is_empty() {
            fields.field("qualifiers", &self.qualifiers);
        }
        fields.finish()
    }
}

impl NamedTriple {
    /// A statement without qualifiers.
    pub fn new(head: NamedEntity, relation: NamedRelation, tail: NamedEntity) -> Self {
        Self { head, relation, tail, qualifiers: Qualifiers::default() }
    }

    /// The entity for which the other one plays the relation's role: of a treatment, the condition.
    pub fn owner(&self) -> &NamedEntity {
        match self.relation.player {
            Player::Head => &self.tail,
            Player::Tail => &self.head,
        }
    }

    /// The entity that plays the relation's role: of a condition, the treatment.
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

    /// The key by which triples are compared: head, relation and tail, folded. Triples with equal keys state the same, whatever their
    /// qualifiers.
    pub fn folded(&self) -> (String, String, String) {
        (fold(&self.head.name), fold(&self.relation.name), fold(&self.tail.name))
    }
}

/// A learned statement, and the journal record that taught it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedTriple {
    /// The statement.
    pub triple: NamedTriple,
    /// The number of the record.
    pub record: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triple_without_qualifiers_is_written_as_before_there_were_any() {
        let entity = |name: &str, kind: &Kind| NamedEntity::new(name, kind);
        let relation = NamedRelation { name: "treats".into(), player: Player::Head, role: Role::Treatment };
        let plain = NamedTriple::new(entity("a", &Kind::Drug), relation, entity("b", &Kind::Disease));
        let json = r#"{"head":{"kind":"drug","name":"a"},"relation":{"name":"treats","player":"head","role":"treatment"},"tail":{"kind":"disease","name":"b"}}"#;
        assert_eq!(serde_json::to_string(&plain).expect("JSON"), json);
        assert_eq!(serde_json::from_str::<NamedTriple>(json).expect("its own form"), plain);
        assert!(format!("{plain:?}").ends_with(r#"tail: NamedEntity { kind: "disease", name: "b" } }"#));
        let major = NamedTriple { qualifiers: Qualifiers::default().with("severity", "major"), ..plain.clone() };
        let json = serde_json::to_string(&major).expect("JSON");
        assert_eq!(serde_json::from_str::<NamedTriple>(&json).expect("its own form"), major);
        assert_eq!(major.folded(), plain.folded(), "qualifiers do not make it another triple");
    }
}
