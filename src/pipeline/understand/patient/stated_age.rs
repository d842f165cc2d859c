//! Ages that are called one or stand before the sex: "age 24", "24 male".

use super::reading::Question;

/// With these before "age 24", it is no age of now, or of nobody.
const OF_THEN: [&str; 15] =
    ["at", "from", "by", "until", "since", "under", "over", "above", "below", "before", "after", "of", "bone", "mental", "gestational"];
/// "24 male patients" are as many.
const PEOPLE: [&str; 10] =
    ["patients", "people", "adults", "cases", "participants", "subjects", "students", "nurses", "doctors", "workers"];

impl Question<'_> {
    /// Whether a number is called an age, or begins a sentence before the sex.
    pub(super) fn is_stated_age(&self, at: usize) -> bool {
        let before = |steps: usize| at.checked_sub(steps).map_or("", |before| self.word(before));
        let one = self.word(at + 1);
        let ends = self.tokens.get(at + 1).is_none_or(|next| next.after_break);
        let goes_on = matches!(one, "male" | "female" | "man" | "woman" | "m" | "f" | "yr" | "yrs" | "years");
        let begins = at == 0 || self.tokens.get(at).is_some_and(|token| token.after_break);
        let is_called_one = before(1) == "age" && !OF_THEN.contains(&before(2)) && (ends || goes_on);
        let is_before_sex = begins && !ends && matches!(one, "male" | "female") && !PEOPLE.contains(&self.word(at + 2));
        is_called_one || is_before_sex
    }

    /// Whether a number of months is said to be somebody's age: "she is 11 months", and nothing of a pregnancy or of how long it has been so.
    pub(super) fn is_told_in_months(&self, at: usize) -> bool {
        let before = |steps: usize| at.checked_sub(steps).map_or("", |before| self.word(before));
        let from = if matches!(before(1), "only" | "just" | "about" | "nearly" | "almost") { 2 } else { 1 };
        let is_somebody = match before(from) {
            "hes" | "shes" => true,
            "is" => matches!(before(from + 1), "he" | "she" | "baby" | "son" | "daughter" | "boy" | "girl"),
            _ => false,
        };
        is_somebody && self.tokens.get(at + 2).is_none_or(|next| next.after_break)
    }

    /// Whether a number stands in "my baby of 3 weeks".
    pub(super) fn is_aged_child(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| self.word(at));
        before(1) == "of"
            && matches!(before(2), "baby" | "infant" | "newborn" | "neonate" | "toddler" | "child" | "boy" | "girl" | "son" | "daughter")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Patient;
    use crate::text::tokenise;

    #[test]
    fn an_age_is_read_where_it_is_called_one_or_stands_before_the_sex() {
        for (text, months) in [
            ("Bilirubin 2.4. Age 24 male, no pain", (288, 288)),
            ("urine dark, age 24", (288, 288)),
            ("age 61 yrs, cough", (732, 732)),
            ("24 male, jaundice", (288, 288)),
            ("Sir, 35 female with joint pain", (420, 420)),
        ] {
            assert_eq!(age(text), Some(months), "{text}");
        }
        for text in ["had a stroke at age 24, now dizzy", "my cousins are under age 5", "24 male patients with jaundice"] {
            assert_eq!(age(text).filter(|(from, to)| from == to), None, "{text}");
        }
    }

    #[test]
    fn months_of_life_are_told_of_somebody() {
        assert_eq!(age("my baby swallowed a pill, she is 11 months"), Some((11, 11)));
        assert_eq!(age("shes only 7 months, hot and floppy"), Some((7, 7)));
        assert_eq!(age("My baby of 3 weeks has a temperature of 38.5"), Some((0, 0)));
        for text in ["she is 5 months pregnant", "it is 6 months"] {
            assert_eq!(age(text).filter(|(from, to)| from == to), None, "{text}");
        }
    }

    fn age(question: &str) -> Option<(u16, u16)> {
        Patient::of(&tokenise(question)).age.map(|age| (age.from, age.to))
    }
}
