//! Words of a pregnancy that the patient has not: one that is only wished or thought impossible ("I can't be pregnant", 能马上怀孕吗), another woman's, and the
//! weeks after which a child was born ("neonate 29/40").

use super::reading::Question;

/// How many words before "pregnant" may say that it cannot be.
const DENIED_WITHIN: usize = 3;
/// What may stand between "can't be" and "pregnant".
const BETWEEN: [&str; 6] = ["possibly", "really", "actually", "a", "an", "already"];
/// How soon somebody may, in Chinese: 能马上怀孕吗.
const SOON: [&str; 9] = ["马上", "立刻", "立即", "尽快", "正常", "顺利", "直接", "自然", "现在"];
/// How far before and behind the weeks it may be said that they are of a birth, in words.
const BORN_BEFORE: usize = 4;
const BORN_BEHIND: usize = 2;
/// Among how many words at the beginning of a text stands the newborn that it is about.
const OPENING: usize = 3;
/// What may stand between "born" and the weeks.
const HOW_BORN: [&str; 9] = ["at", "by", "via", "lscs", "svd", "section", "c", "emergency", "vaginally"];
/// Women of whom a parent may speak beside the own child, and are not the mother of it.
const WOMEN: [&str; 16] = [
    "sister",
    "friend",
    "cousin",
    "niece",
    "neighbour",
    "neighbor",
    "colleague",
    "auntie",
    "aunty",
    "aunt",
    "nanny",
    "childminder",
    "teacher",
    "workmate",
    "flatmate",
    "housemate",
];
/// Children who are the patient before she is named.
const CHILDREN: [&str; 16] = [
    "son",
    "daughter",
    "toddler",
    "baby",
    "boy",
    "girl",
    "child",
    "kid",
    "lad",
    "youngest",
    "oldest",
    "eldest",
    "grandson",
    "granddaughter",
    "kids",
    "children",
];
/// How far behind her it may be said that she is pregnant, in words.
const TOLD_WITHIN: usize = 14;

impl Question<'_> {
    /// Whether the person at a token is what somebody once was, or with whom he lives: "as a child", "never been with a man".
    pub(super) fn is_as_or_with(&self, at: usize) -> bool {
        let is_article = at > 1 && matches!(self.before(at, 1), "a" | "an");
        let is_partner = || {
            let lives = matches!(
                self.before(at, 3),
                "been" | "sex" | "slept" | "sleep" | "sleeping" | "married" | "relationship" | "intercourse" | "dating"
            );
            matches!(self.before(at, 2), "with" | "to") && lives || matches!(self.before(at, 2), "dating" | "marry")
        };
        is_article && (self.before(at, 2) == "as" || is_partner())
    }

    /// Whether the asker tells of living with one of these people, who is "he" or "she" then: "been with my husband 20 years, has he cheated?"
    pub(super) fn lives_with(&self, people: &[&str]) -> bool {
        (0..self.tokens.len()).any(|at| {
            let is_with = self.before(at, 2) == "with" && self.before(at, 1) == "my" && at > 2;
            is_with
                && people.contains(&self.word(at))
                && matches!(self.before(at, 3), "been" | "sex" | "slept" | "sleep" | "live" | "living" | "married" | "together")
        })
    }

    /// Whether somebody tells what he takes and asks whether to go on with it: his child's illness is told beside.
    pub(super) fn asks_of_own_drug(&self) -> bool {
        let takes = |at: usize| {
            self.word(at) == "i"
                && matches!(self.word(at + 1), "take" | "takes")
                && !matches!(self.before(at, 1), "can" | "should" | "may" | "do" | "if")
        };
        let goes_on = |at: usize| {
            matches!(self.word(at), "can" | "should" | "shall" | "do" | "must")
                && self.word(at + 1) == "i"
                && matches!(self.word(at + 2), "keep" | "stop" | "continue" | "carry" | "skip")
        };
        (0..self.tokens.len()).any(takes) && (0..self.tokens.len()).any(goes_on)
    }

    /// Whether a word of a pregnancy at a token tells of one that somebody wishes, asks about or thinks impossible.
    pub(super) fn is_not_yet(&self, at: usize) -> bool {
        if self.tokens.get(at).is_some_and(|token| token.cjk) {
            return self.is_wished_in_chinese(at);
        }
        let near = (at.saturating_sub(DENIED_WITHIN + 1)..at).rev().take_while(|before| !self.breaks(before + 1));
        let be = near.into_iter().find(|before| !BETWEEN.contains(&self.word(*before)));
        let denies = |be: usize| match self.before(be, 1) {
            "cant" | "cannot" | "couldnt" => true,
            "not" => matches!(self.before(be, 2), "can" | "could"),
            word => BETWEEN.contains(&word) && matches!(self.before(be, 2), "cant" | "cannot" | "couldnt"),
        };
        be.is_some_and(|be| self.word(be) == "be" && denies(be))
    }

    /// 能马上怀孕吗, 什么时候可以怀孕; not 可能怀孕, 怀孕能吃, 能给怀孕的人吃.
    fn is_wished_in_chinese(&self, at: usize) -> bool {
        let mut begin = if self.word(at) == "孕" && self.before(at, 1) == "怀" && !self.breaks(at) { at - 1 } else { at };
        let before = |begin: usize, back: usize| {
            let is_joined = (begin + 1).saturating_sub(back)..=begin;
            if is_joined.into_iter().any(|at| self.breaks(at)) { "" } else { self.before(begin, back) }
        };
        let pair = |begin: usize| [before(begin, 2), before(begin, 1)].concat();
        while begin >= 2 && SOON.contains(&pair(begin).as_str()) {
            begin -= 2;
        }
        if matches!(before(begin, 1), "再" | "就" | "先") {
            begin -= 1;
        }
        match before(begin, 1) {
            "能" => before(begin, 2) != "可",
            "以" => before(begin, 2) == "可",
            _ => false,
        }
    }

    /// Whether a word of a pregnancy at a token is told of a woman who is named beside the child that is asked about, and nothing is asked for her.
    pub(super) fn is_of_other_woman(&self, at: usize) -> bool {
        let named = (at.saturating_sub(TOLD_WITHIN)..at).rev().find(|woman| {
            WOMEN.contains(&self.word(*woman)) && matches!(self.before(*woman, 1), "my" | "his" | "her" | "our" | "a" | "the")
        });
        let Some(woman) = named else { return false };
        let is_child = |at: usize| {
            let is_mine = (at.saturating_sub(3)..at).any(|before| matches!(self.word(before), "my" | "our"));
            is_mine && (CHILDREN.contains(&self.word(at)) || self.age_at(at).is_some_and(|age| age.to < super::FERTILE.from))
        };
        // "My sister, who has a son, is pregnant": she is told of first.
        let is_beside = (0..woman.saturating_sub(1)).any(is_child);
        let speaks_of_self = (woman + 1..at).any(|at| matches!(self.word(at), "i" | "im" | "ive" | "me"));
        let asks = |at: usize| {
            let is_she = matches!(self.word(at + 1), "she" | "her" | "hers" | "shes");
            is_she
                && matches!(
                    self.word(at),
                    "can"
                        | "could"
                        | "should"
                        | "shall"
                        | "must"
                        | "may"
                        | "will"
                        | "would"
                        | "does"
                        | "is"
                        | "if"
                        | "for"
                        | "give"
                        | "about"
                        | "to"
                        | "tell"
                )
        };
        is_beside && !speaks_of_self && !(0..self.tokens.len()).any(asks)
    }

    /// Whether the weeks at a token are those after which a child was born: "neonate 29/40", "born at 31/40", "ex-28/40", "28/40 prem". "Preterm labour 29/40" is of
    /// a woman who is pregnant.
    pub(super) fn is_born_at(&self, at: usize) -> bool {
        let is_forty = self.word(at + 1) == "40" || self.word(at + 2) == "40";
        let is_newborn = |at: usize| matches!(self.word(at), "neonate" | "newborn" | "nnu" | "nicu" | "scbu");
        let mut before = (at.saturating_sub(BORN_BEFORE)..at).rev().take_while(|before| !self.breaks(before + 1));
        let is_before = before.clone().any(is_newborn) || self.before(at, 1) == "ex" && !self.breaks(at);
        let how = before.find(|before| !HOW_BORN.contains(&self.word(*before)));
        let is_born = how.is_some_and(|at| matches!(self.word(at), "born" | "stillborn" | "delivered"));
        let is_behind = (at + 2..at + 2 + BORN_BEHIND).any(|at| {
            let is_labour = matches!(self.word(at + 1), "labour" | "labor" | "rupture" | "contractions" | "delivery");
            !self.breaks(at) && (is_newborn(at) || matches!(self.word(at), "prem" | "premie" | "preemie") && !is_labour)
        });
        // "Newborn girl, 37/40, jaundiced": who is spoken of is born.
        let is_of_child = |word: usize| matches!(self.word(word), "boy" | "girl" | "male" | "female" | "infant" | "baby");
        let subject = (at.saturating_sub(3)..at).rev().find(|before| !is_of_child(*before));
        let is_subject = subject.is_some_and(|at| at < OPENING && is_newborn(at));
        is_forty && (is_before || is_born || is_behind || is_subject)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Patient, Sex};
    use crate::text::tokenise;

    fn pregnant(text: &str) -> Option<bool> {
        Patient::of(&tokenise(text)).pregnant
    }

    #[test]
    fn who_is_lived_with_is_not_the_patient() {
        let sex = |text: &str| Patient::of(&tokenise(text)).sex;
        assert_eq!(sex("I'm 34, never been with a man. Do I need smears?"), None);
        assert_eq!(sex("a man with chest pain"), Some(Sex::Male));
        assert_eq!(sex("My husband has chest pain, he is sweating"), Some(Sex::Male));
        let age = |text: &str| Patient::of(&tokenise(text)).age;
        assert!(
            age("I take thiamazole and have a sore throat. My kid has strep. Can I keep taking it?").is_none_or(|age| age.to > 18 * 12)
        );
    }

    #[test]
    fn a_pregnancy_that_cannot_be_is_wished_or_is_anothers_is_not_stated() {
        for text in [
            "i cant be pregnant im at uni",
            "能马上怀孕吗",
            "停药后多久可以怀孕",
            "My son 4yo has chickenpox. My sister was round on sunday and shes 20 weeks pregnant.",
        ] {
            assert_eq!(pregnant(text), None, "{text}");
        }
        for text in [
            "I'm pregnant and can't be sure which week",
            "怀孕了能吃布洛芬吗",
            "怀孕三个月",
            "My sister is 20 weeks pregnant and bleeding",
            "My son has chickenpox. My sister is 20 weeks pregnant, can she catch it?",
            "My son has chickenpox and I'm 20 weeks pregnant",
        ] {
            assert_eq!(pregnant(text), Some(true), "{text}");
        }
    }
}
