//! Figures from ratings that people or a judging model gave.
//!
//! **ACJ** (HyKGE, appendix A.2.2, Eq. 8): the mean of ratings of the retrieved knowledge: 1 useful, 0 relevant but useless, −1 irrelevant.
//!
//! **Advantage** (EbmKG, appendix A.6, Eq. 12 and 13): how much better one retrieval is than another, from how often its recall and its precision win,
//!
//! ```text
//! r = r_win / (1 − r_tie)      p = p_win / (1 − p_tie)      a = 4rp / (r + p) − 1
//! ```

/// The mean of ratings of −1, 0 and 1; `None` without ratings, or if a rating is none of these.
pub fn acj(ratings: &[i8]) -> Option<f64> {
    let is_rating = |rating: &i8| (-1..=1).contains(rating);
    let sum: i64 = ratings.iter().map(|rating| i64::from(*rating)).sum();
    (!ratings.is_empty() && ratings.iter().all(is_rating)).then(|| sum as f64 / ratings.len() as f64)
}

/// How often one of two was better, worse, and as good.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Duels {
    /// Won.
    pub wins: u64,
    /// Lost.
    pub losses: u64,
    /// Neither.
    pub ties: u64,
}

impl Duels {
    /// Wins among those that somebody won: the share of wins divided by 1 minus the share of ties. `None` where nobody won any.
    pub fn won(self) -> Option<f64> {
        let decided = self.wins + self.losses;
        (decided > 0).then(|| self.wins as f64 / decided as f64)
    }
}

/// The advantage of one retrieval over another, −1 to 1; 0 where they are as good. `None` where nothing was decided.
pub fn advantage(recall: Duels, precision: Duels) -> Option<f64> {
    let (r, p) = (recall.won()?, precision.won()?);
    Some(if r + p > 0.0 { 4.0 * r * p / (r + p) - 1.0 } else { -1.0 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn acj_is_the_mean_of_the_ratings() {
        // Eq. 8: (1 + 1 − 1 + 0) / 4.
        assert_eq!(acj(&[1, 1, -1, 0]), Some(0.25));
        assert_eq!(acj(&[-1]), Some(-1.0));
        assert_eq!((acj(&[]), acj(&[1, 2])), (None, None));
    }

    proptest! {
        #[test]
        fn advantage_is_that_of_equations_12_and_13(counts in prop::array::uniform6(0u64..30)) {
            let [rw, rl, rt, pw, pl, pt] = counts;
            let all = |w: u64, l: u64, t: u64| (w + l + t) as f64;
            prop_assume!(rw + rl > 0 && pw + pl > 0 && rw + pw > 0);
            // Transcribed with the shares that the paper has.
            let (r_win, r_tie) = (rw as f64 / all(rw, rl, rt), rt as f64 / all(rw, rl, rt));
            let (p_win, p_tie) = (pw as f64 / all(pw, pl, pt), pt as f64 / all(pw, pl, pt));
            let (r, p) = (r_win / (1.0 - r_tie), p_win / (1.0 - p_tie));
            let a = 4.0 * r * p / (r + p) - 1.0;
            let found = advantage(Duels { wins: rw, losses: rl, ties: rt }, Duels { wins: pw, losses: pl, ties: pt });
            prop_assert!((found.expect("decided") - a).abs() < 1e-9);
        }
    }

    #[test]
    fn who_wins_half_has_no_advantage_and_who_wins_none_the_least() {
        let half = Duels { wins: 3, losses: 3, ties: 9 };
        assert_eq!(advantage(half, half), Some(0.0));
        assert_eq!(advantage(Duels { losses: 2, ..half }, Duels { wins: 0, losses: 1, ties: 0 }), Some(-1.0));
        assert_eq!(advantage(Duels { wins: 0, losses: 1, ties: 0 }, Duels { wins: 0, losses: 1, ties: 0 }), Some(-1.0));
        assert_eq!(advantage(Duels { wins: 0, losses: 0, ties: 5 }, half), None);
    }
}
