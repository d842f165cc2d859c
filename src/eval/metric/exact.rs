//! Exact match and partial correct rate (HyKGE, appendix A.2.2, Eq. 6 and 7), for questions with options:
//!
//! ```text
//! EM  = questions whose chosen options are exactly the right ones / all questions
//! PCR = questions whose chosen options are some of the right ones and no wrong one / all questions
//! ```
//!
//! Where one option is right, both are the accuracy. Nothing chosen is not correct, whichever way.

/// Whether exactly the right options were chosen. Both lists name options by place, in any order, each once.
pub fn exact_match(chosen: &[usize], correct: &[usize]) -> bool {
    partly_correct(chosen, correct) && chosen.len() == correct.len()
}

/// Whether some of the right options were chosen, and no wrong one.
pub fn partly_correct(chosen: &[usize], correct: &[usize]) -> bool {
    !chosen.is_empty() && chosen.iter().all(|option| correct.contains(option))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_option_is_partly_correct_and_a_wrong_one_is_not() {
        for (chosen, exact, partly) in [
            (&[1, 3][..], true, true),
            (&[3, 1], true, true),
            (&[3], false, true),
            (&[1, 2, 3], false, false),
            (&[0], false, false),
            (&[], false, false),
        ] {
            assert_eq!((exact_match(chosen, &[1, 3]), partly_correct(chosen, &[1, 3])), (exact, partly), "{chosen:?}");
        }
    }
}
