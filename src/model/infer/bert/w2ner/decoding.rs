//! From the labels of a word–word grid to mentions: flat, overlapped and discontinuous ones (Li et al. 2022, §3.4).
//!
//! A cell `(i, j)` with `i < j` that says *next neighbouring word* leads from word i to word j of one mention; a cell `(t, h)` with `h ≤ t`
//! that says *tail–head* of a type closes a mention of that type from word h to word t. Each path from h to t is a mention.

/// The label of words without a relation.
#[cfg(test)]
pub(super) const NONE: u8 = 0;
/// The second word follows the first in a mention.
pub(super) const NEXT: u8 = 1;
/// The first word is the last of a mention, the second its first; plus the number of the type.
pub(super) const TAIL_HEAD: u8 = 2;

/// The most mentions of one grid: a damaged network could claim one for each subset of the words.
pub(super) const MOST_MENTIONS: usize = 256;

/// A mention: its words in order, and the number of its type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WordPath {
    pub(super) words: Vec<usize>,
    pub(super) of: usize,
}

/// The mentions of a grid of `size · size` labels, row by row, in the order of their first word, their last word and their path;
/// at most [`MOST_MENTIONS`].
pub(super) fn decode(labels: &[u8], size: usize) -> Vec<WordPath> {
    let label = |row: usize, column: usize| labels.get(row * size + column).copied().unwrap_or(0);
    let following: Vec<Vec<usize>> = (0..size).map(|i| (i + 1..size).filter(|j| label(i, *j) == NEXT).collect()).collect();
    let followers = |word: usize| following.get(word).map_or(&[][..], Vec::as_slice);
    let mut mentions = Vec::new();
    let mut reaches = vec![false; size];
    for head in 0..size {
        for tail in head..size {
            let Some(of) = label(tail, head).checked_sub(TAIL_HEAD) else { continue };
            // Which words lead to the tail: no path is followed in vain.
            reaches.fill(false);
            for word in (head..=tail).rev() {
                let leads = word == tail || followers(word).iter().any(|next| *next <= tail && reaches.get(*next) == Some(&true));
                if let Some(reaches) = reaches.get_mut(word) {
                    *reaches = leads;
                }
            }
            let mut paths: Vec<Vec<usize>> = Vec::new();
            if reaches.get(head) == Some(&true) {
                paths.push(vec![head]);
            }
            while let Some(path) = paths.pop() {
                let last = path.last().copied().unwrap_or(tail);
                if last == tail {
                    mentions.push(WordPath { words: path, of: usize::from(of) });
                    if mentions.len() == MOST_MENTIONS {
                        return mentions;
                    }
                    continue;
                }
                let leading = followers(last).iter().rev().filter(|next| **next <= tail && reaches.get(**next) == Some(&true));
                paths.extend(leading.map(|next| path.iter().copied().chain([*next]).collect()));
            }
        }
    }
    mentions
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By definition: every subset of the words between a head and its tail whose neighbours are all linked.
    fn brute_force(labels: &[u8], size: usize) -> Vec<WordPath> {
        let mut mentions = Vec::new();
        for head in 0..size {
            for tail in head..size {
                let label = labels[tail * size + head];
                if label < TAIL_HEAD {
                    continue;
                }
                let subsets = 0..1u32 << size;
                let words = subsets.map(|subset| (0..size).filter(|word| subset & (1 << word) != 0).collect::<Vec<_>>());
                let mut paths: Vec<Vec<usize>> = words
                    .filter(|words| words.first() == Some(&head) && words.last() == Some(&tail))
                    .filter(|words| words.windows(2).all(|pair| labels[pair[0] * size + pair[1]] == NEXT))
                    .collect();
                paths.sort();
                mentions.extend(paths.into_iter().map(|words| WordPath { words, of: usize::from(label - TAIL_HEAD) }));
            }
        }
        mentions.truncate(MOST_MENTIONS);
        mentions
    }

    fn grid(size: usize, cells: &[(usize, usize, u8)]) -> Vec<u8> {
        let mut labels = vec![NONE; size * size];
        for (row, column, label) in cells {
            labels[row * size + column] = *label;
        }
        labels
    }

    #[test]
    fn flat_overlapped_and_discontinuous_mentions_come_out() {
        // "aching in legs and shoulders": aching in legs, aching in shoulders (Li et al. 2022, figure 1).
        let labels = grid(5, &[(0, 1, NEXT), (1, 2, NEXT), (1, 4, NEXT), (2, 0, TAIL_HEAD), (4, 0, TAIL_HEAD + 1), (3, 3, TAIL_HEAD)]);
        let path = |words: &[usize], of: usize| WordPath { words: words.to_vec(), of };
        assert_eq!(decode(&labels, 5), [path(&[0, 1, 2], 0), path(&[0, 1, 4], 1), path(&[3], 0)]);
    }

    #[test]
    fn a_head_without_a_path_to_its_tail_is_no_mention_and_bounds_hold() {
        assert_eq!(decode(&grid(3, &[(2, 0, TAIL_HEAD), (0, 1, NEXT)]), 3), []);
        assert_eq!(decode(&[], 4), []);
        let size = 20;
        let mut dense = vec![NEXT; size * size];
        dense[(size - 1) * size] = TAIL_HEAD;
        assert_eq!(decode(&dense, size).len(), MOST_MENTIONS);
    }

    proptest! {
        #[test]
        fn decoding_finds_what_brute_force_finds(
            (size, labels) in (0usize..9).prop_flat_map(|size| {
                let label = prop_oneof![4 => Just(NONE), 3 => Just(NEXT), 1 => TAIL_HEAD..TAIL_HEAD + 2];
                (Just(size), proptest::collection::vec(label, size * size))
            })
        ) {
            prop_assert_eq!(decode(&labels, size), brute_force(&labels, size));
        }
    }
}
