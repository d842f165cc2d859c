//! How a method that reasons depth by depth ended, and whether what it was asked is learned from (WTS, algorithm 1).

use serde::{Deserialize, Serialize};

/// How a run that reasons depth by depth ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoned {
    /// The depth at which it ended, from 1; 0 where nothing could be retrieved at all.
    pub depth: u64,
    /// The greatest depth that it could have reached (D).
    pub deepest: u64,
    /// Whether the last answer was given with confidence.
    pub confident: bool,
}

impl Reasoned {
    /// Whether triples are created from question and answer: the knowledge was there but badly connected (confident, beyond depth H), or was not there
    /// (not confident at the end).
    pub fn teaches(&self, enough_within: u64) -> bool {
        if self.confident { self.depth > enough_within } else { true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Algorithm 1 transcribed, from the answers' confidence at each depth: where it ends, and whether it creates triples.
    fn algorithm_1(confidence: &[bool], deepest: u64, hop: u64) -> (u64, bool) {
        let mut d = 1;
        while d <= deepest {
            let positive = confidence[d as usize - 1];
            if positive && d <= hop {
                return (d, false);
            } else if (positive && d > hop) || d == deepest {
                return (d, true);
            }
            d += 1;
        }
        (deepest, true)
    }

    #[test]
    fn triples_are_created_where_algorithm_1_creates_them() {
        for deepest in 1..5u64 {
            for hop in 0..deepest {
                for bits in 0..1u32 << deepest {
                    let confidence: Vec<bool> = (0..deepest).map(|d| bits >> d & 1 == 1).collect();
                    let depth = confidence.iter().position(|c| *c).map_or(deepest, |at| at as u64 + 1);
                    let reasoned = Reasoned { depth, deepest, confident: confidence[depth as usize - 1] };
                    assert_eq!(
                        (depth, reasoned.teaches(hop)),
                        algorithm_1(&confidence, deepest, hop),
                        "{confidence:?} D={deepest} H={hop}"
                    );
                }
            }
        }
    }
}
