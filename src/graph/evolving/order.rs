//! The positions of new names among old ones. The base graph is numbered by name; learned entities get the numbers after it, in
//! the order of learning, so their positions in the order of names must be computed.

use std::cmp::Ordering;

/// The positions of new names among old ones; the numbers of old ones follow their names.
#[derive(Debug, Clone, Default)]
pub(super) struct NameOrder {
    old: u32,
    /// For each new name, in the order of names: how many old ones come before it.
    before: Vec<u32>,
    /// For each new name, in the order of names: its number among the new ones.
    new: Vec<u32>,
    /// For each new name, by number: its position among the new ones.
    place: Vec<u32>,
}

/// The first number in `0..count` for which `reached` is true, by binary search; `count` if it is never true.
pub(super) fn first_from(count: usize, reached: impl Fn(u32) -> bool) -> u32 {
    let (mut from, mut to) = (0, count as u32);
    while from < to {
        let middle = from + (to - from) / 2;
        if reached(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}

impl NameOrder {
    /// The order of `old` names without new ones.
    pub(super) fn new(old: u32) -> Self {
        Self { old, ..Self::default() }
    }

    /// Adds new names, each with how many old ones come before it. `order` compares two new ones by name. The cost grows with the number of
    /// all new names, because their positions move.
    pub(super) fn insert(&mut self, mut added: Vec<(u32, u32)>, order: impl Fn(u32, u32) -> Ordering) {
        if added.is_empty() {
            return;
        }
        let by_name = |a: &(u32, u32), b: &(u32, u32)| a.1.cmp(&b.1).then_with(|| order(a.0, b.0));
        added.sort_by(by_name);
        let known: Vec<(u32, u32)> = self.new.iter().copied().zip(self.before.iter().copied()).collect();
        let mut all = Vec::with_capacity(known.len() + added.len());
        let mut from = 0;
        for new in added {
            // Binary search, because few names are added to many.
            let to = from + known[from..].partition_point(|old| by_name(old, &new).is_lt());
            all.extend_from_slice(&known[from..to]);
            all.push(new);
            from = to;
        }
        all.extend_from_slice(&known[from..]);
        self.place = vec![0; all.len()];
        for ((new, _), at) in all.iter().zip(0..) {
            if let Some(place) = self.place.get_mut(*new as usize) {
                *place = at;
            }
        }
        (self.new, self.before) = all.into_iter().unzip();
    }

    #[inline]
    pub(super) fn rank(&self, number: u32) -> u32 {
        if self.before.is_empty() {
            return number;
        }
        if number < self.old {
            // A new name after `before` old ones precedes the old name with number `before`.
            return number + self.before.partition_point(|before| *before <= number) as u32;
        }
        let place = self.place.get((number - self.old) as usize).copied().unwrap_or(0);
        self.before.get(place as usize).map_or(number, |before| before + place)
    }

    #[inline]
    pub(super) fn at_rank(&self, rank: u32) -> u32 {
        if self.before.is_empty() {
            return rank;
        }
        // The rank of the new name at position `p` is before[p] + p, which rises with p.
        let (mut from, mut to) = (0, self.before.len());
        while from < to {
            let middle = from + (to - from) / 2;
            if self.before[middle] + (middle as u32) < rank {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        match self.before.get(from) {
            Some(before) if before + from as u32 == rank => self.old + self.new[from],
            _ => rank - from as u32,
        }
    }
}
