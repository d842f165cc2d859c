//! The statement of a triple, independent of graph and relation name: when one statement implies another, and when the two contradict.

use crate::graph::{EntityId, Player, RelationId, Role};
use crate::language::Knowledge;
use crate::text::fold;

/// A triple of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownTriple {
    pub(super) head: EntityId,
    pub(super) relation: RelationId,
    pub(super) tail: EntityId,
    pub(super) learned: bool,
}

impl KnownTriple {
    /// `head → relation → tail`.
    pub(super) fn text(&self, knowledge: &Knowledge) -> String {
        let graph = &knowledge.graph;
        let relation = graph.relation(self.relation);
        format!("{} \u{2192} {} \u{2192} {}", graph.entity_name(self.head), relation.display, graph.entity_name(self.tail))
    }
}

/// Whether a triple runs from the checked one's head to its tail, or back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Along,
    Against,
}

/// One of the two entities, by where it stands in the checked triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Head,
    Tail,
}

impl Side {
    fn other(self) -> Self {
        if self == Self::Head { Self::Tail } else { Self::Head }
    }
}

/// A statement about two entities.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement<'a> {
    role: Role,
    owner: Side,
    /// The relation's name; tells those apart that have no role.
    name: &'a str,
    way: Way,
}

/// Whether one entity is good or bad for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Influence {
    Good,
    Bad,
}

/// What a role says that one entity does to the other: how it acts, and whether the owner is the one that acts.
///
/// This is the whole table of contradictions: the same entity cannot be good and bad for the same other one. A drug that is a treatment
/// (first-line or not) or prevention of a state contradicts its being contraindicated in it, its causing it as an
/// adverse effect or complication, and its being a cause or risk factor of it. All other roles contradict nothing.
fn effect(role: Role) -> Option<(Influence, bool)> {
    match role {
        Role::Treatment | Role::FirstLine | Role::Prevention => Some((Influence::Good, false)),
        Role::Contraindication | Role::AdverseEffect | Role::Complication => Some((Influence::Bad, true)),
        Role::Cause | Role::RiskFactor => Some((Influence::Bad, false)),
        _ => None,
    }
}

/// A role in words.
fn in_words(role: Role) -> &'static str {
    match role {
        Role::Treatment => "a treatment",
        Role::FirstLine => "a first-line treatment",
        Role::Prevention => "a prevention",
        Role::Contraindication => "a contraindication",
        Role::AdverseEffect => "a side effect",
        Role::Complication => "a complication",
        Role::Cause => "a cause",
        Role::RiskFactor => "a risk factor",
        _ => "something else",
    }
}

impl<'a> Statement<'a> {
    pub(super) fn of(role: Role, player: Player, name: &'a str, way: Way) -> Self {
        let owner = match (player, way) {
            (Player::Tail, Way::Along) | (Player::Head, Way::Against) => Side::Head,
            (Player::Head, Way::Along) | (Player::Tail, Way::Against) => Side::Tail,
        };
        Self { role, owner, name, way }
    }

    /// Whether it says at least what another says of the same two entities.
    pub(super) fn implies(&self, other: &Self) -> bool {
        let same_way = self.owner == other.owner;
        match (self.role, other.role) {
            (Role::Related, Role::Related) => self.way == other.way && fold(self.name) == fold(other.name),
            (Role::Interaction, Role::Interaction) | (Role::Differential, Role::Differential) => true,
            (Role::FirstLine, Role::Treatment) | (Role::RedFlag, Role::Symptom) | (Role::Cause, Role::RiskFactor) => same_way,
            (one, two) => one == two && same_way,
        }
    }

    /// Whether it says the opposite of another, and how; symmetric.
    pub(super) fn opposes(&self, other: &Self) -> Option<String> {
        let (effect_here, owner_acts_here) = effect(self.role)?;
        let (effect_there, owner_acts_there) = effect(other.role)?;
        let actor = |statement: &Self, owner_acts: bool| if owner_acts { statement.owner } else { statement.owner.other() };
        let opposed = effect_here != effect_there && actor(self, owner_acts_here) == actor(other, owner_acts_there);
        opposed.then(|| format!("the known triple states {}, this one {}", in_words(self.role), in_words(other.role)))
    }

    /// The entity that has the player: whether it is the checked triple's head.
    pub(super) fn owner_is_head(&self) -> bool {
        self.owner == Side::Head
    }

    /// The role.
    pub(super) fn role(&self) -> Role {
        self.role
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Statement<'static>> {
        let ways = [Way::Along, Way::Against];
        let players = [Player::Head, Player::Tail];
        Role::ALL
            .into_iter()
            .flat_map(|role| players.into_iter().flat_map(move |player| ways.map(|way| Statement::of(role, player, "r", way))))
            .collect()
    }

    #[test]
    fn contradictions_are_symmetric_and_nothing_contradicts_what_it_says() {
        for one in all() {
            assert!(one.implies(&one) && one.opposes(&one).is_none(), "{one:?}");
            for two in all() {
                assert_eq!(one.opposes(&two).is_some(), two.opposes(&one).is_some(), "{one:?} {two:?}");
                assert!(!(one.implies(&two) && one.opposes(&two).is_some()), "{one:?} {two:?}");
            }
        }
    }

    #[test]
    fn a_drug_cannot_treat_what_it_is_contraindicated_in_whichever_way_it_is_written() {
        // Omeprazole (head) … Reflux (tail).
        let treats = Statement::of(Role::Treatment, Player::Head, "treats", Way::Along);
        let needs = Statement::of(Role::FirstLine, Player::Tail, "first_choice", Way::Against);
        let forbidden = Statement::of(Role::Contraindication, Player::Tail, "contraindicated_in", Way::Along);
        let causes = Statement::of(Role::Cause, Player::Head, "causes", Way::Along);
        let caused = Statement::of(Role::Cause, Player::Tail, "caused_by", Way::Along);
        for good in [treats, needs] {
            assert!(good.opposes(&forbidden).is_some() && good.opposes(&causes).is_some());
            assert!(good.opposes(&caused).is_none(), "that the disease brings about the drug is odd, and no contradiction");
        }
        assert!(needs.implies(&treats) && !treats.implies(&needs));
        assert!(forbidden.opposes(&causes).is_none());
    }
}
