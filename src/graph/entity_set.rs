//! A set of entities that also numbers its members: one bit for each entity, and a count for every 64 of them. A member's
//! number takes one look-up, without an array of one number per entity of the graph.

use super::entity::EntityId;

/// A set of entities. Call [`EntitySet::number_members`] after the last insertion; members are then numbered in the order of their ids.
#[derive(Debug, Clone, Default)]
pub(super) struct EntitySet {
    words: Vec<u64>,
    /// Members before each word.
    before: Vec<u32>,
}

impl EntitySet {
    /// An empty set over entities `0..entities`.
    pub(super) fn new(entities: usize) -> Self {
        Self { words: vec![0; entities.div_ceil(64)], before: Vec::new() }
    }

    /// Inserts an entity; `false` if the set already contains it or its number is out of range.
    #[inline]
    pub(super) fn insert(&mut self, entity: EntityId) -> bool {
        let Some(word) = self.words.get_mut(entity.index() / 64) else { return false };
        let bit = 1u64 << (entity.0 % 64);
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    /// Numbers the members and returns how many there are. Call it after the last insertion.
    pub(super) fn number_members(&mut self) -> usize {
        let mut members = 0;
        self.before = self
            .words
            .iter()
            .map(|word| {
                let before = members;
                members += word.count_ones();
                before
            })
            .collect();
        members as usize
    }

    /// Whether an entity is a member.
    #[inline]
    pub(super) fn contains(&self, entity: EntityId) -> bool {
        self.words.get(entity.index() / 64).is_some_and(|word| word >> (entity.0 % 64) & 1 == 1)
    }

    /// A member's number; `None` for an entity that is not in the set.
    #[inline]
    pub(super) fn number(&self, entity: EntityId) -> Option<u32> {
        let at = entity.index() / 64;
        let word = *self.words.get(at)?;
        let bit = 1u64 << (entity.0 % 64);
        if word & bit == 0 {
            return None;
        }
        Some(self.before.get(at)? + (word & (bit - 1)).count_ones())
    }

    /// The members in the order of their ids.
    pub(super) fn members(&self) -> Vec<EntityId> {
        let mut members = Vec::new();
        for (at, word) in (0u32..).zip(&self.words) {
            let mut rest = *word;
            while rest != 0 {
                members.push(EntityId(at * 64 + rest.trailing_zeros()));
                rest &= rest - 1;
            }
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_numbered_in_order() {
        let mut set = EntitySet::new(200);
        for id in [199, 0, 64, 63, 64] {
            set.insert(EntityId(id));
        }
        assert!(!set.insert(EntityId(0)));
        assert!(!set.insert(EntityId(5000)), "out of range");
        assert_eq!(set.number_members(), 4);
        assert_eq!(set.members(), [0, 63, 64, 199].map(EntityId));
        assert_eq!([0, 63, 64, 199, 1, 5000].map(|id| set.number(EntityId(id))), [Some(0), Some(1), Some(2), Some(3), None, None]);
    }
}
