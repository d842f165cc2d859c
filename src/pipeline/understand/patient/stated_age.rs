//! Ages that are called one or stand before the sex: "age 24", "24 male".

use super::reading::Question;

/// With these before "age 24", it is no age of now, or of nobody.
const OF_THEN: [&str; 15] =
    ["at", "from", "by", "until", "since", "under", "over", "above", "below", "before", "after", "of", "bone", "mental", "gestational"];
/// "24 male patients" are as many.
const PEOPLE: [&str; 10] =
    ["patients", "people", "adults", "cases", "participants", "subjects", "students", "nurses", "doctors", "workers"];

/// Between these, a number alone behind Chinese kin is their age.
const KIN_FROM: f32 = 40.0;
const KIN_TO: f32 = 110.0;

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
        is_called_one || is_before_sex || self.is_behind_chinese_kin(at)
    }

    /// Whether a number right behind Chinese kin is their age: 我妈78吃华法林, 老爸今年81. A number that counts or measures is none: 我妈78公斤, 我爸60年得过.
    fn is_behind_chinese_kin(&self, at: usize) -> bool {
        const COUNTS: &str = "斤公千克年天日个周月次片粒度分秒米厘毫点号小多几只盒瓶块层楼";
        let is_age = self.number(at).is_some_and(|years| (KIN_FROM..=KIN_TO).contains(&years));
        let far = |back: usize| at.checked_sub(back).map_or("", |before| self.word(before));
        let skipped = if far(2) == "今" && far(1) == "年" { 2 } else { 0 };
        let who = far(1 + skipped);
        let is_kin = matches!(who, "妈" | "爸" | "爷" | "奶" | "公" | "婆" | "姥" | "父" | "母" | "亲" | "爹" | "娘");
        let is_own = ["我", "老", "他", "她", "妈", "爸", "爷", "奶", "外", "姥", "父", "母", "岳"].contains(&far(2 + skipped));
        let behind = self.tokens.get(at + 1);
        let ends = behind.is_none_or(|next| next.after_break || (next.cjk && !COUNTS.contains(next.text.as_str())));
        is_age && is_kin && is_own && ends && self.tokens.get(at).is_some_and(|token| !token.after_break)
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
    fn the_age_behind_kin_is_theirs() {
        for (text, years) in [
            ("My mother 78 takes warfarin. Can she take ibuprofen?", 78),
            ("my dad, 81, has a UTI", 81),
            ("mum is 84 with AF", 84),
            ("My mother 78 on apixaban fell", 78),
            ("我妈78吃华法林，能吃布洛芬吗", 78),
            ("老妈今年78，便秘", 78),
        ] {
            assert_eq!(age(text), Some((years * 12, years * 12)), "{text}");
        }
        for text in ["我妈78公斤，便秘", "我妈60年得过肝炎", "my mother takes 78 units", "my mum 2 tablets a day"] {
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
