//! Ages that are counted beside a word for a baby: "baby 5 weeks temp 38.4", "infant 9/12".

use super::Age;
use super::ages::{MONTH, months};
use super::reading::Question;

/// Beyond so many weeks, it is a pregnancy that is counted.
const OLDEST: u8 = 16;
/// How many words before the baby may say that it is not born, or that its mother is the patient.
const BEFORE: usize = 5;

impl Question<'_> {
    /// "Baby 5 weeks temp 38.4", "newborn, 10 days, will not feed": what is counted beside a baby is its age, unless what stands around it says otherwise, or
    /// the question is about its mother.
    pub(super) fn of_baby(&self, at: usize) -> Option<Age> {
        let number: f32 = self.word(at).parse().ok().filter(|number: &f32| (1.0..=f32::from(OLDEST)).contains(number))?;
        // "Baby is 7 weeks", "our baby is only 10 weeks".
        let steps = 1 + usize::from(matches!(self.before(at, 1), "only" | "just" | "nearly" | "almost" | "about" | "now"));
        let is_told = matches!(self.before(at, steps), "is" | "was" | "hes" | "shes");
        let steps = steps + usize::from(is_told);
        let is_baby = matches!(self.before(at, steps), "baby" | "newborn" | "neonate" | "infant")
            && (steps == 1 || is_told && (at + 1 - steps..=at).all(|at| !self.breaks(at)) && !self.may_be_unborn());
        if !is_baby || self.breaks(at + 1) || self.is_of_its_mother(at) {
            return None;
        }
        let ends = self.breaks(at + 2);
        let is_other = !ends
            && matches!(
                self.word(at + 2),
                "ago"
                    | "early"
                    | "late"
                    | "overdue"
                    | "premature"
                    | "preterm"
                    | "later"
                    | "after"
                    | "before"
                    | "of"
                    | "in"
                    | "from"
                    | "apart"
                    | "along"
            );
        let of_month = match self.word(at + 1) {
            // "Baby 3 days fever" may count the fever.
            "day" | "days" | "7" if ends => MONTH,
            "wk" | "wks" | "week" | "weeks" | "52" => MONTH / 7.0,
            "mth" | "mths" | "month" | "months" | "12" => 1.0,
            _ => return None,
        };
        (!is_other).then(|| months(number / of_month)).flatten()
    }

    /// Whether words tell of a baby that is not born yet: "my baby is 12 weeks, the scan was fine".
    fn may_be_unborn(&self) -> bool {
        let is_of_womb = |word: &str| {
            matches!(word, "scan" | "scans" | "bump" | "womb" | "due" | "along" | "trimester" | "fetus" | "foetus" | "heartbeat")
                || word.starts_with("kick")
        };
        (0..self.tokens.len()).any(|at| is_of_womb(self.word(at)))
    }

    /// Whether the baby is not born, or its mother is the patient.
    fn is_of_its_mother(&self, at: usize) -> bool {
        let near = at.saturating_sub(BEFORE)..at;
        let has = |word: &str| {
            let is_of_birth = matches!(word, "lost" | "carrying" | "expecting" | "delivered" | "had" | "have" | "having" | "with");
            is_of_birth || matches!(word, "mother" | "mum" | "mom" | "wife")
        };
        near.into_iter().any(|before| has(self.word(before)))
            || (0..self.tokens.len()).any(|at| self.word(at).starts_with("breast"))
            || self.pregnant().is_some()
    }
}

/// Where such ages stand, in tokens: they are no times since when something has been so.
pub(super) fn ages_of_babies(question: &Question<'_>) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..question.tokens.len()).filter(|at| question.of_baby(*at).is_some()).map(|at| at..at + 2)
}

#[cfg(test)]
mod tests {
    use super::super::Patient;
    use crate::text::tokenise;

    fn age(question: &str) -> Option<(u16, u16)> {
        Patient::of(&tokenise(question)).age.map(|age| (age.from, age.to))
    }

    #[test]
    fn what_is_counted_beside_a_baby_is_its_age() {
        for (text, months) in [
            ("baby 5 weeks temp 38.4 a bit sleepy", 1),
            ("newborn, 10 days, will not feed", 0),
            ("baby 4 months has a rash", 4),
            ("baby is 7 weeks, feels hot and thermometer says 38.4", 1),
            ("our baby is only 10 weeks and will not feed", 2),
            ("infant 9 mths barking cough", 9),
            ("Infant 9/12, rotavirus, no urine", 9),
            ("5周宝宝发烧38.5", 1),
        ] {
            assert_eq!(age(text), Some((months, months)), "{text}");
        }
        for text in [
            "had my baby 6 weeks ago and still bleeding",
            "baby 2 weeks overdue",
            "baby is 2 weeks overdue",
            "my baby is 12 weeks, the scan was fine",
            "baby 3 days fever",
            "had my baby 6 weeks early",
            "lost my baby 12 weeks, bleeding",
            "baby 30 weeks breech",
            "breastfeeding baby 6 weeks, sore breast",
            "I have a baby 8 weeks, feeling low",
        ] {
            assert!(age(text).is_none_or(|(from, to)| from != to), "{text}: {:?}", age(text));
        }
    }
}
