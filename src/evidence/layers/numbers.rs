//! The numbers that rows have in a collection of two files: those that they would have in one.

/// How rows of one kind are numbered: those of the base that are left, and among them those of the addition.
#[derive(Debug, Clone, Default)]
pub(in crate::evidence) struct Numbers {
    /// How many rows the base has.
    base: u32,
    /// The rows of the base that are gone, in order.
    removed: Vec<u32>,
    /// For each row of the addition its number; they rise.
    added: Vec<u32>,
    /// The numbers of those that the base does not have, too.
    inserted: Vec<u32>,
}

/// The first of `0..count` that is not accepted, where all that are come first.
fn first_not(count: usize, accepts: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (0, count);
    while from < to {
        let middle = from + (to - from) / 2;
        if accepts(middle) { from = middle + 1 } else { to = middle }
    }
    from
}

/// A count as a number of rows, of which there are less than four thousand million.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Numbers {
    /// `removed`: the rows of the base that are gone, in order, none of them also in the addition. `places`: for each row of the addition,
    /// in order, the row of the base before which it stands, and whether it is that row.
    pub(in crate::evidence) fn of(base: usize, removed: Vec<u32>, places: impl IntoIterator<Item = (u32, bool)>) -> Self {
        let mut numbers = Self { base: number(base), removed, added: Vec::new(), inserted: Vec::new() };
        for (before, is_same) in places {
            let own = numbers.left_before(before).saturating_add(number(numbers.inserted.len()));
            numbers.added.push(own);
            if !is_same {
                numbers.inserted.push(own);
            }
        }
        numbers
    }

    /// How many rows of the base before this one are left.
    fn left_before(&self, row: u32) -> u32 {
        row.saturating_sub(number(self.removed.partition_point(|removed| *removed < row)))
    }

    /// How many rows there are.
    pub(in crate::evidence) fn len(&self) -> usize {
        (self.base as usize + self.inserted.len()).saturating_sub(self.removed.len())
    }

    /// The row of the base with a number; `None` if the base has none.
    pub(in crate::evidence) fn in_base(&self, own: u32) -> Option<u32> {
        let before = self.inserted.partition_point(|inserted| *inserted < own);
        if self.inserted.get(before) == Some(&own) {
            return None;
        }
        let left = own.saturating_sub(number(before));
        let gone = |at: usize| self.removed.get(at).is_some_and(|removed| removed.saturating_sub(number(at)) <= left);
        Some(left.saturating_add(number(first_not(self.removed.len(), gone)))).filter(|row| *row < self.base)
    }

    /// The row of the addition with a number; `None` if the addition has none.
    pub(in crate::evidence) fn in_added(&self, own: u32) -> Option<u32> {
        self.added.binary_search(&own).ok().map(number)
    }

    /// The number of a row of the base; `None` if it is gone.
    pub(in crate::evidence) fn of_base(&self, row: u32) -> Option<u32> {
        if row >= self.base || self.is_removed(row) {
            return None;
        }
        let left = self.left_before(row);
        let before = |at: usize| self.inserted.get(at).is_some_and(|inserted| inserted.saturating_sub(number(at)) <= left);
        Some(left.saturating_add(number(first_not(self.inserted.len(), before))))
    }

    /// The number of a row of the addition.
    pub(in crate::evidence) fn of_added(&self, row: u32) -> Option<u32> {
        self.added.get(row as usize).copied()
    }

    /// Whether a row of the base is gone.
    pub(in crate::evidence) fn is_removed(&self, row: u32) -> bool {
        self.removed.binary_search(&row).is_ok()
    }

    /// The rows of the base that are gone.
    pub(in crate::evidence) fn removed(&self) -> &[u32] {
        &self.removed
    }

    /// The rows of the addition that the base does not have.
    pub(in crate::evidence) fn only_added(&self) -> impl Iterator<Item = u32> {
        (0u32..).zip(&self.added).filter(|(_, own)| self.inserted.binary_search(own).is_ok()).map(|(row, _)| row)
    }

    /// The values of all rows in the order of their numbers.
    pub(in crate::evidence) fn merged<T: Copy>(&self, base: &[T], added: &[T]) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        let (mut removed, mut inserted) = (self.removed.iter().peekable(), self.only_added().peekable());
        let is_next = |all: &Vec<T>, row: Option<&u32>| row.and_then(|row| self.of_added(*row)) == Some(number(all.len()));
        for (row, value) in (0u32..).zip(base) {
            if removed.next_if_eq(&&row).is_some() {
                continue;
            }
            while is_next(&all, inserted.peek()) {
                all.extend(inserted.next().and_then(|row| added.get(row as usize)));
            }
            all.push(*value);
        }
        all.extend(inserted.filter_map(|row| added.get(row as usize)));
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rows are even keys of the base and any of the addition; keys that both have are one row.
        #[test]
        fn rows_have_the_numbers_that_they_have_in_one_list(
            base in prop::collection::btree_set(0u32..60, 0..30),
            added in prop::collection::btree_set(0u32..60, 0..12),
            gone in prop::collection::btree_set(0u32..60, 0..12),
        ) {
            let base: Vec<u32> = base.into_iter().collect();
            let added: Vec<u32> = added.into_iter().collect();
            let place = |key: &u32| base.binary_search(key).map_or_else(|at| (at as u32, false), |at| (at as u32, true));
            let removed = (0u32..).zip(&base).filter(|(_, key)| gone.contains(key) && !added.contains(key)).map(|(row, _)| row);
            let numbers = Numbers::of(base.len(), removed.collect(), added.iter().map(place));
            let mut all: Vec<u32> = base.iter().filter(|key| !gone.contains(key)).chain(&added).copied().collect();
            all.sort_unstable();
            all.dedup();
            prop_assert_eq!(numbers.len(), all.len());
            prop_assert_eq!(numbers.merged(&base, &added), all.clone());
            for (own, key) in (0u32..).zip(&all) {
                prop_assert_eq!(numbers.in_base(own), base.binary_search(key).ok().map(|row| row as u32));
                prop_assert_eq!(numbers.in_added(own), added.binary_search(key).ok().map(|row| row as u32));
            }
            for (row, key) in (0u32..).zip(&base) {
                prop_assert_eq!(numbers.of_base(row), all.binary_search(key).ok().map(|own| own as u32));
                prop_assert_eq!(numbers.is_removed(row), !all.contains(key));
            }
            for (row, key) in (0u32..).zip(&added) {
                prop_assert_eq!(numbers.of_added(row), all.binary_search(key).ok().map(|own| own as u32));
            }
            prop_assert_eq!(numbers.in_base(all.len() as u32), None);
            prop_assert_eq!(numbers.of_base(base.len() as u32), None);
        }
    }
}
