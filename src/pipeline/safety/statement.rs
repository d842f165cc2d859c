//! What the safety pass states of two things of a case, how serious it is, and in which order statements come.

use super::items::Standing;
use super::states::WhenHolds;
use crate::graph::{Chain, EntityId, Qualifiers, Role, Triple, qualifier_keys as keys};

/// How serious a statement is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum SafetyRank {
    /// Contraindicated, absolutely or without a word on it; an allergy.
    Contraindicated,
    /// A major interaction.
    Major,
    /// A relative contraindication.
    Relative,
    /// An interaction whose severity is not stated.
    Unstated,
    /// A moderate interaction.
    Moderate,
    /// A minor interaction.
    Minor,
}

impl SafetyRank {
    /// All ranks, the worst first.
    pub(crate) const ALL: [Self; 6] = [Self::Contraindicated, Self::Major, Self::Relative, Self::Unstated, Self::Moderate, Self::Minor];

    /// The rank of a stored statement.
    pub(super) fn of(role: Role, qualifiers: &Qualifiers) -> Self {
        match (role, qualifiers.get(keys::SEVERITY)) {
            (_, Some("contraindicated" | "absolute")) => Self::Contraindicated,
            (_, Some("major")) => Self::Major,
            (_, Some("relative")) => Self::Relative,
            (_, Some("moderate")) => Self::Moderate,
            (_, Some("minor")) => Self::Minor,
            (Role::Contraindication, _) => Self::Contraindicated,
            _ => Self::Unstated,
        }
    }
}

/// What kind of statement it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum SafetyKind {
    /// The owner must not be used in the state that is the player.
    Contraindication,
    /// The patient is allergic to the player; the owner is the same, one of its kind, or contains it.
    Allergy,
    /// The two interact.
    Interaction,
}

/// A stored statement on which a safety statement rests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafetyPart {
    /// The stored triple; `None` for an allergy to the drug itself or to its class.
    pub(crate) stated: Option<Triple>,
    /// The entity on the owner's side of the stored triple: the owner, or a class that it belongs to.
    pub(crate) stated_owner: EntityId,
    /// The same on the player's side.
    pub(crate) stated_player: EntityId,
    /// The member of the owner or player of which alone it holds; `None` if it holds of both as they are.
    pub(crate) member: Option<EntityId>,
    /// Whether that is a member of the owner.
    pub(crate) member_of_owner: bool,
    /// Its qualifiers.
    pub(crate) qualifiers: Qualifiers,
    /// How serious it is.
    pub(crate) rank: SafetyRank,
    /// Whether its condition holds.
    pub(crate) when: WhenHolds,
    /// The illness of the patient in which doctors give the two together all the same; `None` if there is none.
    pub(crate) standard_in: Option<EntityId>,
    /// The stored triples that prove it, from owner to player; without relations if it needs none.
    pub(crate) chain: Chain,
}

/// What the graph states of two things of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SafetyStatement {
    /// Its kind.
    pub(crate) kind: SafetyKind,
    /// The drug; of an interaction, the one that is considered or new, else the first by name.
    pub(crate) owner: EntityId,
    /// The state, allergen or other drug.
    pub(crate) player: EntityId,
    /// How the owner is in play.
    pub(crate) owner_standing: Standing,
    /// How the player is in play.
    pub(crate) player_standing: Standing,
    /// What it rests on, the most serious first; never empty.
    pub(crate) parts: Vec<SafetyPart>,
    /// Whether something that is considered, new or asked about is involved.
    pub(crate) proposed: bool,
    /// Whether the question says both ends: neither only follows from what it says.
    pub(crate) said: bool,
    /// Whether it only may apply: to a member, in a past condition, under a condition that the case does not meet.
    pub(crate) possible: bool,
}

impl SafetyStatement {
    /// The role that the player plays for the owner.
    pub(crate) fn role(&self) -> Role {
        match self.kind {
            SafetyKind::Interaction => Role::Interaction,
            SafetyKind::Contraindication | SafetyKind::Allergy => Role::Contraindication,
        }
    }

    /// How serious it is.
    pub(crate) fn rank(&self) -> SafetyRank {
        self.parts.iter().map(|part| part.rank).min().unwrap_or(SafetyRank::Unstated)
    }

    /// Whether it is an interaction of what is given together in an illness of the patient.
    pub(crate) fn is_standard(&self) -> bool {
        let worst = self.rank();
        self.kind == SafetyKind::Interaction && self.parts.iter().filter(|part| part.rank == worst).all(|part| part.standard_in.is_some())
    }

    /// The chains that prove it. An allergy to the drug itself needs none: the question says it.
    pub(crate) fn chains(&self) -> impl Iterator<Item = Chain> + '_ {
        self.parts.iter().map(|part| part.chain).filter(|chain| !chain.is_empty())
    }

    /// Whether it is about these two, in either order.
    pub(crate) fn is_about(&self, a: EntityId, b: EntityId) -> bool {
        (self.owner, self.player) == (a, b) || (self.owner, self.player) == (b, a)
    }

    /// What to think of the owner as a treatment of the case.
    pub(super) fn verdict(&self) -> Verdict {
        let unconditional = |part: &&SafetyPart| part.when == WhenHolds::Yes && part.member.is_none();
        let worst = |rank| self.parts.iter().filter(unconditional).any(|part| part.rank <= rank);
        let absolute = || self.parts.iter().filter(unconditional).any(|part| part.qualifiers.get(keys::SEVERITY) == Some("absolute"));
        let forbids = match self.kind {
            SafetyKind::Allergy => worst(SafetyRank::Contraindicated),
            SafetyKind::Contraindication if self.player_standing == Standing::Past => absolute(),
            SafetyKind::Contraindication => !self.possible && worst(SafetyRank::Contraindicated),
            // Of two drugs in use that interact in an unknown degree, neither is a treatment of what they may have caused.
            SafetyKind::Interaction if self.owner_standing.is_in_use() && self.player_standing.is_in_use() => worst(SafetyRank::Unstated),
            SafetyKind::Interaction => self.player_standing.is_in_use() && worst(SafetyRank::Major),
        };
        if forbids { Verdict::Forbidden } else { Verdict::Caution }
    }
}

/// What to think of a drug as a treatment of the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Verdict {
    /// It must not be offered.
    Forbidden,
    /// It may be offered with this caution.
    Caution,
}
