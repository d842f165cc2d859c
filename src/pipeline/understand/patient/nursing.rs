//! A mother who nurses and asks for herself: the age that is told is her baby's, not the patient's.
//!
//! "My 6-week-old has a cold. I am breastfeeding, can I take ibuprofen?" is of a grown woman. So it is where she takes, or asks to take,
//! something herself, or tells what she has. In doubt the baby is the patient: where it may be in danger, and she tells of nothing of her own.

use super::FERTILE;
use super::reading::Question;
use crate::text::tokenise;

/// How many words may stand between "can I" and what is taken, and between a person and what is said of her.
const NEAR: usize = 4;
/// How many words behind a baby it may be told what it has.
const ILL_WITHIN: usize = 3;
/// Who a nursing mother is called.
const MOTHERS: [&str; 12] = ["mother", "mothers", "mum", "mom", "mam", "mummy", "mama", "woman", "lady", "patient", "wife", "female"];
/// What she does to what she takes herself. What may be used, started or got may be for the baby.
const TAKES: [&str; 9] = ["take", "taking", "took", "have", "having", "drink", "eat", "prescribed", "given"];
/// What is said of a baby that is ill.
const IS_ILL: [&str; 26] = [
    "has",
    "had",
    "keeps",
    "vomits",
    "vomited",
    "cries",
    "coughs",
    "wont",
    "will",
    "refuses",
    "got",
    "woke",
    "looks",
    "seems",
    "sounds",
    "feels",
    "who",
    "with",
    "throws",
    "brings",
    "spits",
    "developed",
    "isnt",
    "cant",
    "started",
    "hasnt",
];
/// What of hers she may complain of.
const OF_MOTHERS: [&str; 8] = ["breast", "breasts", "nipple", "nipples", "milk", "period", "periods", "head"];
/// What is dangerous in a baby. Who asks for herself beside it has an ill baby all the same.
const DANGERS: [&str; 29] = [
    "fever",
    "feverish",
    "temperature",
    "temp",
    "burning",
    "floppy",
    "drowsy",
    "lethargic",
    "sleepy",
    "unresponsive",
    "blue",
    "grunting",
    "breathing",
    "fits",
    "fitting",
    "seizure",
    "convulsion",
    "jaundice",
    "jaundiced",
    "yellow",
    "vomiting",
    "vomits",
    "dehydrated",
    "vomit",
    "feeds",
    "nappies",
    "navel",
    "umbilical",
    "apnoea",
];
/// What may be dangerous in a baby, where nothing is asked for the mother.
const SIGNS: [&str; 5] = ["cord", "rash", "weight", "hungry", "poor"];
/// Who the baby is called.
const BABIES: [&str; 12] = ["baby", "babies", "infant", "newborn", "daughter", "son", "child", "boy", "girl", "twins", "little", "old"];

impl Question<'_> {
    /// Whether a mother who nurses is the patient.
    pub(super) fn is_nursing_mother(&self) -> bool {
        if (0..self.tokens.len()).any(|at| self.is_chinese_nursing(at)) {
            return self.asks_in_chinese_for_mother();
        }
        let nurses = (0..self.tokens.len()).any(|at| self.is_nursing(at));
        // "Can I give him ibuprofen?" asks for the baby.
        let gives = (0..self.tokens.len()).any(|at| matches!(self.word(at), "give" | "giving") && self.is_babys(at + 1));
        // "Woman breastfeeding a 6-week-old, UTI".
        let is_told_of_her = || (0..self.tokens.len()).any(|at| self.is_nursing(at) && self.is_mother_before(at));
        let of_her = || (self.asks_for_mother() || is_told_of_her() && !self.is_baby_ill() && !self.has_sign()) && !self.may_be_in_danger();
        nurses && !gives && (of_her() || (self.is_of_mother() && !self.is_baby_ill()))
    }

    /// "Breastfeeding", "I nurse my four-week-old", "lactating woman"; not "he is breastfed", nor a "nursing home".
    fn is_nursing(&self, at: usize) -> bool {
        let behind = |from: usize| self.is_baby_near(from);
        match self.word(at) {
            "breastfeeding" | "breastfeed" | "breastfeeds" | "lactating" => true,
            "breast" => {
                matches!(self.word(at + 1), "feeding" | "feed" | "feeds")
                    || (matches!(self.word(at.saturating_sub(1)), "sore" | "painful" | "tender") && self.is_hers(at))
            }
            "nursing" => self.word(at + 1) != "home" && (behind(at + 1) || self.is_of_self(at) || MOTHERS.contains(&self.word(at + 1))),
            "nurse" | "nurses" => self.is_of_self(at) && behind(at + 1),
            "mother" | "mum" | "mom" => self.word(at + 1) == "of" && behind(at + 2),
            // "I have a 3-week-old baby and a sore breast".
            "mastitis" => self.is_hers(at),
            "postpartum" | "postnatal" => self.is_after_birth(at),
            _ => false,
        }
    }

    /// Whether an ill breast may be a mother's: one is named, or speaks of what she has. Newborns have mastitis too.
    fn is_hers(&self, at: usize) -> bool {
        let is_named = |word: &str| MOTHERS.contains(&word) && !matches!(word, "patient" | "female");
        let speaks = || (0..self.tokens.len()).any(|at| matches!(self.word(at), "i" | "im" | "ive"));
        let has = |word: &str| matches!(word, "have" | "has" | "had" | "got" | "developed" | "with");
        let is_had = || (at.saturating_sub(3)..at).any(|before| has(self.word(before)));
        // "Her newborn, 12 days, mastitis, fever".
        let is_sure = || !self.may_be_in_danger() || is_had() || self.nurses_before(self.tokens.len());
        ((0..self.tokens.len()).any(|at| is_named(self.word(at))) || speaks()) && is_sure()
    }

    /// Whether it is told before a token, and not only by an ill breast, that somebody nurses.
    fn nurses_before(&self, at: usize) -> bool {
        (0..at).any(|before| !matches!(self.word(before), "mastitis" | "breast") && self.is_nursing(before))
    }

    /// Whether "I" or "am" stands right before a token: "I am still nursing".
    fn is_of_self(&self, at: usize) -> bool {
        (at.saturating_sub(3)..at).any(|before| matches!(self.word(before), "i" | "im" | "am"))
    }

    /// Whether a word belongs to a baby: "my 6 week old", "him".
    fn is_babys(&self, at: usize) -> bool {
        let is_age = || self.age_at(at).is_some_and(|age| age.to < FERTILE.from);
        BABIES.contains(&self.word(at)) || matches!(self.word(at), "him" | "it") || is_age()
    }

    /// Whether something is asked for the mother herself: "can I take", "is it safe for me", "may she have", "what should I do about my
    /// breast".
    fn asks_for_mother(&self) -> bool {
        let word = |at: usize| self.word(at);
        (0..self.tokens.len()).any(|at| {
            // "Should I take him to hospital?", "can I have advice?"
            let is_other = |at: usize| self.is_babys(at) || matches!(word(at), "her" | "my" | "our" | "advice" | "help");
            // "Should I stop breastfeeding?" may be asked because of the baby.
            let takes =
                |from: usize| (from..from + NEAR).any(|at| TAKES.contains(&word(at)) && !self.is_nursing(at + 1) && !is_other(at + 1));
            match word(at) {
                "can" | "may" | "should" | "could" | "shall" | "must" | "do" => {
                    (word(at + 1) == "i" || (word(at + 1) == "she" && self.is_mother_before(at))) && takes(at + 2)
                }
                "i" => {
                    let is_wish = matches!(word(at + 1), "want" | "need" | "wish" | "would" | "have") && takes(at + 2);
                    let is_taking =
                        matches!(word(at + 1), "am" | "was") && matches!(word(at + 2), "taking" | "on" | "prescribed" | "given");
                    matches!(word(at + 1), "take" | "took") || is_wish || is_taking
                }
                "im" => matches!(word(at + 1), "taking" | "on" | "prescribed"),
                "for" => word(at + 1) == "me" || (word(at + 1) == "my" && !self.is_babys(at + 2)),
                _ => false,
            }
        })
    }

    /// Whether it is told of the mother: she speaks of herself, or is the woman who is spoken of.
    fn is_of_mother(&self) -> bool {
        (0..self.tokens.len()).any(|at| match self.word(at) {
            "i" | "im" | "ive" => {
                matches!(self.word(at + 1), "have" | "had" | "got" | "feel" | "felt" | "suffer") && !self.is_baby_near(at + 2)
            }
            "my" => OF_MOTHERS.contains(&self.word(at + 1)),
            "nipple" | "nipples" | "mastitis" => true,
            "postnatal" | "postpartum" => self.is_after_birth(at) && !self.may_be_in_danger(),
            "breast" => matches!(self.word(at.saturating_sub(1)), "sore" | "painful" | "tender" | "red" | "hot" | "her" | "left" | "right"),
            "breastfeeding" | "lactating" | "nursing" | "feeding" => self.age_before(at),
            _ => false,
        })
    }

    /// Whether a baby is named right behind a token: "my 3-month-old", "twins".
    fn is_baby_near(&self, from: usize) -> bool {
        let ends = (from..from + NEAR).find(|at| self.tokens.get(*at).is_none_or(|token| token.after_break));
        (from..ends.unwrap_or(from + NEAR)).any(|at| self.is_babys(at))
    }

    /// Whether the age of a grown woman stands before a token: "32-year-old, breastfeeding".
    fn age_before(&self, at: usize) -> bool {
        (at.saturating_sub(NEAR)..at).any(|before| self.age_at(before).is_some_and(|age| age.from >= FERTILE.from))
    }

    /// Whether the baby is told to have something.
    fn is_baby_ill(&self) -> bool {
        (0..self.tokens.len()).any(|at| {
            // "Of six weeks", with the old of it: what follows is said of the baby.
            let is_baby = BABIES.contains(&self.word(at)) && self.word(at) != "little";
            let is_he = matches!(self.word(at), "he" | "she" | "hes" | "shes" | "his") && !self.is_mother_before(at);
            // In "I feed my 3 month old and got mastitis", the mother has it.
            let is_hers = |at: usize| {
                matches!(self.word(at - 1), "and" | "i")
                    && matches!(self.word(at), "had" | "got" | "started" | "developed" | "will" | "with")
            };
            let end = (at + 1..=at + ILL_WITHIN).find(|next| self.tokens.get(*next).is_none_or(|token| token.after_break));
            let mut behind = at + 1..end.unwrap_or(at + 1 + ILL_WITHIN);
            // "Woman breastfeeding her baby has mastitis".
            let is_of_birth = |at: usize| {
                let has = matches!(self.word(at), "has" | "had" | "with" | "got" | "developed");
                let of_birth = |at: usize| self.word(at) == "mastitis" || self.is_after_birth(at);
                // "Mum here: my 12-day-old has mastitis", "breastfeeding a baby who has mastitis": the baby's.
                let is_mine = |at: usize| self.word(at) == "my" && self.is_babys(at + 1);
                let is_mothers = self.nurses_before(at) && !(0..at).any(is_mine) && self.word(at - 1) != "who";
                has && is_mothers && self.is_mother_before(at) && (at + 1..at + 4).any(of_birth)
            };
            is_he || (is_baby && !behind.clone().any(is_of_birth) && behind.any(|next| IS_ILL.contains(&self.word(next)) && !is_hers(next)))
        })
    }

    /// Whether something is told that is dangerous in a baby, and not of herself: "my temperature".
    fn may_be_in_danger(&self) -> bool {
        let is_own = |at: usize| (at.saturating_sub(3)..at).any(|before| matches!(self.word(before), "my" | "ive" | "i"));
        // "She breast feeds".
        let is_fed = |at: usize| self.word(at) == "feeds" && self.word(at.saturating_sub(1)) == "breast";
        (0..self.tokens.len())
            .any(|at| DANGERS.contains(&self.word(at)) && !is_fed(at) && (!is_own(at) || self.is_baby_near(at.saturating_sub(3))))
    }

    /// Whether something is told that may be dangerous in a baby.
    fn has_sign(&self) -> bool {
        (0..self.tokens.len()).any(|at| SIGNS.contains(&self.word(at)))
    }

    /// Whether a word tells of what a woman has after a birth: "postnatal depression", "postpartum mother"; not "postnatal day 3".
    fn is_after_birth(&self, at: usize) -> bool {
        let is_hers = matches!(self.word(at + 1), "depression" | "psychosis" | "anxiety" | "blues" | "bleeding" | "thyroiditis");
        matches!(self.word(at), "postnatal" | "postpartum") && (is_hers || MOTHERS.contains(&self.word(at + 1)))
    }

    /// Whether a woman is spoken of before a token, so that "she" is she: "lactating woman …: can she have".
    fn is_mother_before(&self, at: usize) -> bool {
        (0..at).any(|before| MOTHERS.contains(&self.word(before)))
    }

    /// Whether a child is only wanted: 正准备要孩子, 想要个宝宝; but 医生要孩子吃药 tells of one.
    fn is_wanted_child(&self, at: usize, end: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| self.word(at));
        let skipped = usize::from(before(1) == "个");
        let is_wish =
            |back: usize| matches!(before(back), "想" | "备" | "算" | "划" | "能" | "以" | "再" | "没" | "不" | "急" | "着" | "在");
        let wants = matches!(before(1 + skipped), "要" | "生") && is_wish(2 + skipped);
        // What the child is to do stands behind it.
        let ends = self.breaks(end)
            || matches!(self.word(end), "的" | "了" | "前" | "吗" | "么" | "呢" | "所" | "可" | "有" | "但" | "能" | "该" | "，");
        wants && ends
    }

    /// Whether a Chinese text names one of these people as more than somebody who says or wants something: 老公说 "my husband says". `is_child`, `grown_up`:
    /// they are. The child that was just born (我姐生完孩子三天) is not the patient, nor is the grandmother whose tablets a child ate (孩子把奶奶的降压药吃了).
    pub(super) fn tells_of(&self, words: &[String], is_child: bool, grown_up: bool) -> bool {
        let says = |at: usize| matches!(self.word(at), "说" | "让" | "叫" | "劝" | "觉" | "认" | "问" | "催" | "逼" | "非" | "怪" | "怀");
        let is_born = |at: usize| {
            let before = |back: usize| at.checked_sub(back).map_or("", |at| self.word(at));
            // 新生宝宝, a newborn, is the patient.
            (before(1) == "生" && !matches!(before(2), "新" | "出"))
                || (matches!(before(1), "完" | "了" | "过" | "下") && matches!(before(2), "生" | "产"))
        };
        // 孩子把奶奶的降压药吃了; but 孩子奶奶的嘴歪了 is about her.
        let takes = |at: usize| {
            (at.saturating_sub(3)..at).any(|before| matches!(self.word(before), "把" | "吃" | "喝" | "吞" | "拿" | "偷" | "服"))
        };
        let child_before = |at: usize| ["孩子", "宝宝", "小孩", "娃"].iter().any(|child| self.places(child).any(|child| child < at));
        let owns = |at: usize, end: usize| self.word(end) == "的" && takes(at) && child_before(at);
        // 姐夫, 弟媳: the one whom a brother or a sister has married.
        let is_married = |end: usize| {
            let own = end.checked_sub(1).map_or("", |last| self.word(last));
            matches!((own, self.word(end)), ("姐" | "妹" | "姑" | "姨", "夫") | ("弟", "媳" | "妹" | "妇") | ("哥", "嫂") | ("女", "婿"))
        };
        // 孩子奶奶的嘴歪了: the grandmother of the child.
        let has_kin = |end: usize| {
            let next = end + usize::from(self.word(end) == "的");
            let is_doubled =
                matches!(self.word(next), "奶" | "爷" | "妈" | "爸" | "姥" | "姑" | "叔" | "舅") && self.word(next) == self.word(next + 1);
            let is_parent =
                matches!(self.word(next), "妈" | "爸") || (self.word(next) == "他" && matches!(self.word(next + 1), "妈" | "爸"));
            is_doubled
                || is_parent
                || matches!((self.word(next), self.word(next + 1)), ("外", "婆" | "公" | "祖") | ("姥", "爷") | ("姨", "妈"))
        };
        words.iter().any(|word| {
            let length = tokenise(word).len();
            let is_other = |at: usize| {
                says(at + length)
                    || is_married(at + length)
                    || (is_child && (is_born(at) || has_kin(at + length) || self.is_wanted_child(at, at + length)))
                    || (grown_up && owns(at, at + length))
            };
            self.places(word).any(|at| !is_other(at))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Question;
    use crate::pipeline::understand::patient::{GROWN_UP, Patient, Sex};
    use crate::text::tokenise;

    #[test]
    fn a_child_that_is_wanted_is_not_the_patient() {
        for text in ["正准备要孩子，高血压吃什么药", "想要孩子，高血压吃什么药", "打算要个宝宝，甲减怎么治", "计划要孩子了，癫痫"]
        {
            let patient = Patient::of(&tokenise(text));
            assert!(patient.age.is_none_or(|age| age.to >= GROWN_UP) && patient.pregnant != Some(true), "{text}: {patient:?}");
        }
        for text in ["孩子发烧怎么办", "医生要孩子吃药，咳嗽", "想要孩子快点退烧"] {
            assert!(Patient::of(&tokenise(text)).age.is_some_and(|age| age.from < GROWN_UP), "{text}");
        }
    }

    #[test]
    fn who_only_says_something_is_not_the_patient() {
        assert_eq!(Patient::of(&tokenise("月经推迟三周，肚子痛，老公说明天再去医院")).sex, None);
        assert_eq!(Patient::of(&tokenise("老公胸痛半小时")).sex, Some(Sex::Male));
    }

    #[test]
    fn the_age_of_the_baby_is_not_the_mothers() {
        for text in [
            "My 6-week-old has a cold. I am breastfeeding, can I take ibuprofen?",
            "I'm breastfeeding my 3 month old and have mastitis. Which antibiotic?",
            "Can I take codeine? I breastfeed my 2-month-old baby.",
            "My baby is 5 weeks old and I am nursing; is sertraline safe for me?",
            "Mother of a 10-day-old, breastfeeding, cracked nipples",
            "Lactating woman with a 7 week old infant: can she have metronidazole?",
            "I nurse my four-week-old daughter. Is it safe to take aspirin for my headache?",
            "breast feeding an 8 month old, I want to take pseudoephedrine",
            "Woman breastfeeding her 3-week-old baby has mastitis with fever. Which antibiotic?",
            "Mother of a 3-week-old baby has postnatal depression. Is sertraline safe?",
            "I have a 3-week-old baby and a sore breast, what can I take?",
            "Postpartum mother with a 2 month old, on lithium. Can she breastfeed?",
            "Woman breastfeeding a 6-week-old, UTI. Which antibiotic?",
            "哺乳期感冒发烧，宝宝3个月大，吃什么药？",
            "我在哺乳，宝宝6周大，可以吃布洛芬吗？",
            "哺乳期，宝宝3个月大，乳房红肿痛",
            "我在哺乳期，宝宝四个月，我感冒发烧38.7，浑身疼，能吃布洛芬吗？",
        ] {
            let patient = Patient::of(&tokenise(text));
            assert!(patient.age.is_none_or(|age| age.to >= GROWN_UP), "{text}: {:?}", patient.age);
            assert_eq!(patient.sex, Some(Sex::Female), "{text}");
        }
        let told = Patient::of(&tokenise("32-year-old, breastfeeding a 4-month-old, wants loratadine"));
        assert_eq!(told.age.map(|age| age.from / 12), Some(32));
    }

    #[test]
    fn no_baby_becomes_its_mother() {
        for text in [
            "12 day old, mastitis, fever 38.5, which antibiotic?",
            "Newborn 10 days old, tender breast with pus",
            "Baby boy, mastitis at 10 days",
            "My 12 day old, mastitis, fever 38.5. I am worried",
            "Mother says her newborn, 12 days, mastitis, fever 38.5",
            "Mum here: my 12 day old has mastitis and fever 39",
            "Woman breastfeeding her 6-week-old, projectile vomit after milk",
            "Woman breastfeeding her 8-day-old, navel red with pus, poor feeding",
            "Woman breastfeeding her 5 week old, green vomit",
            "产后10天，母乳喂养的宝宝吃得少，体重下降，尿少",
        ] {
            assert!(!Question { tokens: &tokenise(text) }.is_nursing_mother(), "{text}");
        }
        assert!(Question { tokens: &tokenise("I have mastitis and a fever, my baby is 3 weeks old") }.is_nursing_mother());
    }

    #[test]
    fn a_baby_that_is_ill_is_the_patient() {
        for (text, months) in [
            ("breastfeeding, my 6 week old baby has a fever", 1),
            ("Mother breastfeeding her 5 week old, fever 39", 1),
            ("My 2 week old baby has swollen breasts", 0),
            ("My 3 week old baby has mastitis", 0),
            ("Mother has postnatal depression; 6 week old, fever 39, floppy", 1),
            ("哺乳期，宝宝3个月大，发烧39度，吃什么药", 3),
            ("我在哺乳期，宝宝3个月大，我发现他发烧38.7，能吃布洛芬吗", 3),
            ("我在哺乳期，我感冒了，宝宝3个月大，发烧38.7，吃什么药", 3),
            ("I am breastfeeding my 5 week old, temperature 38.5 and not feeding, should I take him to hospital?", 1),
            ("breastfeeding mum, 5 week old baby fever 39, should I have him seen?", 1),
            ("My 5 week old has a fever. I'm breastfeeding. Can I have advice?", 1),
            ("I breastfeed my 6 week old baby, temperature 38.6", 1),
            ("I'm breastfeeding my 5 week old, high fever and rash", 1),
            ("breastfeeding a 6 week old, jaundice and sleepy", 1),
            ("My 6 week old is burning up. I am breastfeeding, can I take paracetamol?", 1),
            ("哺乳期宝宝5周大，吃奶少，体温38.9", 1),
            ("my 6-week-old vomits after every feed. I am breastfeeding.", 1),
            ("My 4 month old is breastfed, can I give him ibuprofen?", 4),
            ("I breastfeed my 3-month-old who has a rash", 3),
            ("my 2 month old daughter is breastfed. She has a rash.", 2),
            ("my breastfeeding baby is 6 weeks old and won't feed", 1),
            ("breastfeeding my 5 week old, he has a white tongue. What can I use?", 1),
            ("宝宝两个月大，母乳喂养，宝宝发烧", 2),
        ] {
            assert_eq!(Patient::of(&tokenise(text)).age.map(|age| age.from), Some(months), "{text}");
        }
    }
}
