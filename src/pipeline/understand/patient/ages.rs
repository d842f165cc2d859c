//! Ages that stand beside no "years old": "little one is 2", "my youngest (3)", "spots at 31", 宝宝刚满两个月, 刚满月, 仨月.

use super::reading::Question;
use super::{Age, YEAR, is_unit_of_time};
use crate::pipeline::understand::times::{CHINESE_DIGITS, chinese_number};

/// A month has about so many days.
pub(super) const MONTH: f32 = 30.0;
/// From this age on, a number that stands alone is somebody's age.
const ALONE: f32 = 16.0;
/// The same behind "at", where less may be a time.
const AT: f32 = 25.0;
/// How many characters may stand between a child and its age.
const WITHIN: usize = 7;
/// How many words before "at 31" may tell of something else.
const BEFORE_AT: usize = 12;
/// The weeks of a pregnancy in which a child is felt to move, and how many words behind it that may be told.
const UNBORN: std::ops::RangeInclusive<u16> = 18..=42;
const MOVES_WITHIN: usize = 8;
/// A text with more numbers may be a table.
const NUMBERS: usize = 5;
/// What ends the word for a child: 宝宝, 娃, 女儿.
const CHILD: &str = "宝娃婴孩崽囡囝";
/// What may stand between a child and its age, and what says that an age is reached.
const REACHED: &str = "刚才满快已经现在今年出生后了还没未不到大概约将近下来都就";
/// What makes a word with the 大 before it, which then says no age: 大腿, 大便, 大量, 大把.
const WITH_BIG: &str = "腿便量把汗出口多概约小肠脑臂拇姨片块批面部夫疱学家姐哥妈爸伯年";
/// Who is called small; 大小便 is no such.
const SMALL: &str = "孩宝男女朋";
/// Who a child is called, besides the words for people.
const CHILDREN: [&str; 22] = [
    "youngest",
    "eldest",
    "oldest",
    "one",
    "bairn",
    "kiddo",
    "tot",
    "lo",
    "dd",
    "ds",
    "twin",
    "twins",
    "bub",
    "bubba",
    "wean",
    "kid",
    "daughter",
    "son",
    "grandchild",
    "stepson",
    "stepdaughter",
    "toddler",
];
/// Whose they are.
const WHOSE: [&str; 9] = ["my", "our", "the", "her", "his", "little", "wee", "their", "middle"];
/// Who is spoken of, with "is".
const IS: [&str; 12] = ["hes", "shes", "theyre", "whos", "im", "mums", "dads", "nans", "grans", "wifes", "sons", "daughters"];
/// What may follow an age.
const GOES_ON: [&str; 31] = [
    "and",
    "takes",
    "taking",
    "on",
    "has",
    "had",
    "with",
    "but",
    "now",
    "so",
    "who",
    "she",
    "he",
    "just",
    "today",
    "tomorrow",
    "next",
    "otherwise",
    "got",
    "was",
    "woke",
    "keeps",
    "diabetic",
    "fit",
    "healthy",
    "usually",
    "normally",
    "lives",
    "smokes",
    "pregnant",
    "breastfeeding",
];
/// With these before "at 31", it is a value, a time, or an age of then or of somebody else.
const NO_AGE: [&str; 72] = [
    "sats",
    "sat",
    "bp",
    "pulse",
    "hr",
    "rate",
    "temp",
    "temperature",
    "is",
    "was",
    "are",
    "were",
    "stays",
    "steady",
    "stable",
    "up",
    "down",
    "high",
    "low",
    "peaked",
    "level",
    "levels",
    "sugar",
    "sugars",
    "running",
    "sitting",
    "saturation",
    "weight",
    "bmi",
    "hovering",
    "still",
    "reading",
    "count",
    "weighing",
    "gcs",
    "ef",
    "hba1c",
    "creatinine",
    "egfr",
    "born",
    "died",
    "dies",
    "diagnosed",
    "started",
    "start",
    "began",
    "begun",
    "menopause",
    "menarche",
    "periods",
    "first",
    "onset",
    "since",
    "when",
    "aged",
    "passed",
    "operation",
    "surgery",
    "heart",
    "stroke",
    "inr",
    "ferritin",
    "hb",
    "crp",
    "esr",
    "platelets",
    "oxygen",
    "fetal",
    "week",
    "weeks",
    "wks",
    "same",
];

impl Question<'_> {
    /// An age in months or years that Chinese tells: 三岁, 二十五岁, 一岁半, 刚满两个月, 出生十天, 刚满月.
    pub(super) fn chinese_age(&self, at: usize) -> Option<Age> {
        if let Some(age) = self.first_month(at) {
            return Some(age);
        }
        if let Some(age) = self.age_of_notes(at).or_else(|| self.behind_sex(at)) {
            return Some(age);
        }
        let is_numeral = |at: usize| CHINESE_DIGITS.contains(&self.word(at)) || matches!(self.word(at), "两" | "俩" | "仨" | "百");
        if at.checked_sub(1).is_some_and(is_numeral) {
            return None;
        }
        let (number, past) = chinese_number(self.tokens, at)?;
        let half = |past: usize| if self.word(past) == "半" { 0.5 } else { 0.0 };
        let is_reached = || self.is_childs(at, false);
        let is_born = || self.is_childs(at, true);
        // 6周宝宝发烧; but 咳嗽3周宝宝没精神 counts the cough, and 产后6周宝宝 the weeks since the birth.
        let begins = at == 0 || self.breaks(at);
        match (self.word(past), self.word(past + 1)) {
            ("岁", _) => months((number + half(past + 1)) * f32::from(YEAR)),
            ("周", "岁") => months((number + half(past + 2)) * f32::from(YEAR)),
            ("周", "宝" | "婴") if begins => months(number * 7.0 / MONTH),
            ("个", "月")
                if self.is_old(at, past + 2)
                    || (begins && matches!(self.word(past + 2), "宝" | "婴"))
                    || self.word(past + 2) == "的"
                    || (number <= 12.0 && self.is_of_baby(at, past + 2))
                    || is_reached() =>
            {
                months(number)
            }
            ("个", "半") if self.word(past + 2) == "月" && (self.is_old(at, past + 3) || is_reached()) => months(number + 0.5),
            ("月", "大") if self.is_old(at, past + 1) => months(number),
            ("月", _) if matches!(self.word(at), "俩" | "仨") && is_reached() => months(number),
            ("天", "大") if self.is_old(at, past + 1) => months(number / MONTH),
            ("日", "龄") => months(number / MONTH),
            ("天" | "日", _) if is_born() => months(number / MONTH),
            ("周", "大") if self.is_old(at, past + 1) => months(number * 7.0 / MONTH),
            ("周", _) if is_born() => months(number * 7.0 / MONTH),
            _ => None,
        }
    }

    /// Whether the 大 at token `old` says that what is counted at a token is an age: 三个月大发烧, but 这两天大宝发烧 and 三个月大腿疼 tell for how long.
    fn is_old(&self, at: usize, old: usize) -> bool {
        let (behind, next) = (self.word(old + 1), self.word(old + 2));
        let is_small = behind == "小" && !next.is_empty() && SMALL.contains(next);
        let ends = self.breaks(old + 1) || behind.is_empty() || !WITH_BIG.contains(behind) || is_small;
        self.word(old) == "大" && ends && !matches!(self.before(at, 1), "这" | "那")
    }

    /// The number behind or before the sex in Chinese notes: 男44, 54男.
    fn age_of_notes(&self, at: usize) -> Option<Age> {
        let years: f32 = self.word(at).parse().ok().filter(|years: &f32| years.fract() == 0.0 && (1.0..=110.0).contains(years))?;
        let is_unit =
            !self.breaks(at + 1) && matches!(self.word(at + 1), "个" | "天" | "日" | "周" | "月" | "年" | "例" | "名" | "人" | "次");
        let is_behind = at.checked_sub(1).is_some_and(|sex| self.chinese_sex(sex).is_some()) && !self.breaks(at) && !is_unit;
        let is_before = self.chinese_sex(at + 1).is_some() && !self.breaks(at + 1);
        (is_behind || is_before).then(|| months(years * f32::from(YEAR))).flatten()
    }

    /// 刚满月, 还没满月, 百天: ages without a number.
    fn first_month(&self, at: usize) -> Option<Age> {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| self.word(at));
        match (self.word(at), self.word(at + 1)) {
            ("满", "月") if matches!(before(1), "没" | "未" | "不") => Some(Age { from: 0, to: 0 }),
            ("满", "月") if matches!(before(1), "刚" | "才" | "出" | "快" | "过") => Some(Age { from: 0, to: 1 }),
            ("百", "天") if matches!(before(1), "刚" | "才" | "满" | "过" | "快" | "宝" | "娃") || self.word(at + 2) == "宝" => {
                months(3.0)
            }
            _ => None,
        }
    }

    /// Whether months right behind a baby are its age: 宝宝两个月发烧. `next`: the token behind them; 宝宝两个月没长体重 tells how long.
    fn is_of_baby(&self, at: usize, next: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| self.word(at));
        let is_baby = matches!((before(2), before(1)), ("宝", "宝") | ("婴", "儿"));
        let is_how_long = matches!(self.word(next), "没" | "不" | "了" | "来" | "以" | "后" | "前" | "内" | "多" | "都" | "一");
        is_baby && !self.breaks(at) && !is_how_long
    }

    /// Whether what is counted at a token is the age of a child: 宝宝刚满…, 出生…; "宝宝三天没大便" tells of something else. `in_days`: days
    /// need more than 才 or 刚, which may count how long it has been.
    fn is_childs(&self, at: usize, in_days: bool) -> bool {
        let begin = at.saturating_sub(WITHIN);
        let is_reached = |at: usize| self.word(at).chars().all(|c| REACHED.contains(c));
        let start = (begin..at).rev().find(|before| !is_reached(*before)).map_or(begin, |before| before + 1);
        let between: String = (start..at).map(|at| self.word(at)).collect();
        let who = |back: usize| start.checked_sub(back).map_or("", |who| self.word(who));
        let is_child = match who(1) {
            "" => false,
            // Of 孩子, not of 肚子; of 女儿, not of 一会儿.
            "子" => matches!(who(2), "孩" | "儿" | "小"),
            "儿" => matches!(who(2), "女" | "婴" | "幼"),
            word => CHILD.contains(word),
        };
        let is_event = matches!(who(1), "发" | "产" | "医" | "学" | "先");
        let is_born = !is_event && ["出生", "生下来", "生后"].iter().any(|word| between.contains(word));
        let says = ["满", "才", "刚", "快", "不到"].iter().any(|word| between.contains(word));
        is_born || is_child && if in_days { between.contains('满') } else { says }
    }

    /// Whether the weeks at a token are those of a pregnancy: "34 weeks, baby is moving less" is told of no baby of 34 weeks.
    pub(super) fn is_of_unborn(&self, at: usize) -> bool {
        let is_week = matches!(self.word(at + 1), "week" | "weeks" | "wk" | "wks" | "w");
        let is_late = self.word(at).parse::<u16>().is_ok_and(|week| UNBORN.contains(&week));
        let baby = (at + 2..at + 5).find(|at| matches!(self.word(*at), "baby" | "babys" | "bump" | "fetal" | "foetal"));
        let moves = |word: &str| word.starts_with("kick") || word.starts_with("mov");
        is_week && is_late && baby.is_some_and(|baby| (baby + 1..baby + MOVES_WITHIN).any(|at| moves(self.word(at))))
    }

    /// Ages that only their place tells, where no other is stated.
    pub(super) fn told_ages(&self) -> Vec<Age> {
        let mut ages: Vec<Age> = (0..self.tokens.len()).filter_map(|at| self.told_age(at)).collect();
        ages.sort_by_key(|age| age.from);
        ages.dedup();
        ages
    }

    fn told_age(&self, at: usize) -> Option<Age> {
        if let Some(age) = self.of_baby(at) {
            return Some(age);
        }
        let word = self.word(at);
        let years: f32 = word.parse().ok().filter(|years: &f32| years.fract() == 0.0 && (1.0..=110.0).contains(years))?;
        let is_told = self.is_of_child(at) || self.is_at_age(at, years) || self.stands_alone(at, years);
        is_told.then(|| months(years * f32::from(YEAR))).flatten()
    }

    pub(super) fn breaks(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| token.after_break)
    }

    pub(super) fn before(&self, at: usize, back: usize) -> &str {
        at.checked_sub(back).map_or("", |at| self.word(at))
    }

    /// "Little one is 2", "my youngest (3)", "hes 66 takes a statin", "she's just 4".
    fn is_of_child(&self, at: usize) -> bool {
        if !self.breaks(at + 1) && !GOES_ON.contains(&self.word(at + 1)) {
            return false;
        }
        let skipped = usize::from(matches!(self.before(at, 1), "just" | "only" | "nearly" | "almost" | "now" | "turned"));
        let back = |back: usize| self.before(at, back + skipped);
        let is_child = |at: usize| {
            let is_whose = (1..=2).any(|far| WHOSE.contains(&self.before(at, far)));
            CHILDREN.contains(&self.word(at)) && is_whose
        };
        let who = |far: usize| at.checked_sub(far + skipped).is_some_and(is_child);
        let is_he = matches!(back(2), "he" | "she" | "who") && back(1) == "is";
        // "My youngest (3)": the mark before the number is one of the brackets or commas.
        who(1) || (back(1) == "is" && who(2)) || IS.contains(&back(1)) || is_he
    }

    /// "Spotty along my jaw at 31": not the value, the time, or the age of somebody else.
    fn is_at_age(&self, at: usize, years: f32) -> bool {
        let begin = at.saturating_sub(BEFORE_AT);
        let is_other = |before: usize| self.is_person(before) || NO_AGE.contains(&self.word(before));
        let has_number = |before: usize| self.word(before).contains(|c: char| c.is_ascii_digit());
        years >= AT
            && self.before(at, 1) == "at"
            && at >= 2
            && self.breaks(at + 1)
            && !self.breaks(at)
            && !(begin..at - 1).any(|before| is_other(before) || has_number(before))
    }

    /// "…. 63", "postman, 49, bit heavy", "63, chest pain": a number alone between marks, and no other number beside it.
    fn stands_alone(&self, at: usize, years: f32) -> bool {
        let has_number = |at: usize| self.word(at).contains(|c: char| c.is_ascii_digit());
        let is_beside = at.checked_sub(1).is_some_and(has_number) || at.checked_sub(2).is_some_and(has_number) || has_number(at + 1);
        let is_value = at.checked_sub(1).is_some_and(|before| NO_AGE.contains(&self.word(before)));
        // A table of results has many numbers.
        let numbers = (0..self.tokens.len()).filter(|at| has_number(*at)).count();
        years >= ALONE
            && numbers <= NUMBERS
            && (at == 0 || self.breaks(at))
            && self.breaks(at + 1)
            && !is_beside
            && !is_value
            && self.tokens.len() > 1
    }
}

pub(super) fn months(months: f32) -> Option<Age> {
    let full = (months + 0.01).floor();
    (0.0..=120.0 * f32::from(YEAR)).contains(&full).then_some(Age { from: full as u16, to: full as u16 })
}

/// What follows a number that is no age: "boy 15 kg", "man 180 cm".
const MEASURES: &str = "x times to of mg ml kg kgs kilo kilos kilogram kilograms stone lb lbs pounds cm foot feet";

/// Whether a word behind a number makes it no age.
pub(super) fn is_measure(word: &str) -> bool {
    MEASURES.split_whitespace().any(|measure| measure == word)
}

/// From this number on, "man of 62" tells an age: a woman may be of three children, a man of six foot. A boy of six is six.
const YOUNGEST: f32 = 16.0;

impl Question<'_> {
    /// Whether a number is the age in "man of 62"; not in "a woman of 30 weeks", "a man of 90 kg" or "a mother of 3".
    pub(super) fn is_age_of_somebody(&self, at: usize) -> bool {
        let somebody = at.checked_sub(2).map_or("", |who| self.word(who));
        let is_somebody = matches!(
            somebody,
            "man" | "woman" | "lady" | "gentleman" | "male" | "female" | "boy" | "girl" | "bloke" | "guy" | "lad" | "patient"
        );
        let next = self.tokens.get(at + 1);
        let goes_on =
            |word: &str| matches!(word, "with" | "who" | "and" | "has" | "had" | "on" | "presents" | "presenting" | "complaining");
        let ends = next.is_none_or(|next| next.after_break || goes_on(&next.text));
        let is_child = matches!(somebody, "boy" | "girl" | "lad");
        // "Boy of 3 swallowed", but "boy of 3 months" and "of 20 kg".
        let is_measured = next.is_some_and(|next| is_unit_of_time(&next.text) || is_measure(&next.text));
        let ends = ends || (is_child && !is_measured);
        let is_age = |number: f32| if is_child { (1.0..=18.0).contains(&number) } else { number >= YOUNGEST };
        let is_of = is_somebody && ends && self.word(at - 1) == "of" && self.number(at).is_some_and(is_age);
        is_of || self.is_stated_age(at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Patient, Sex};
    use super::*;
    use crate::text::tokenise;

    fn age(question: &str) -> Option<(u16, u16)> {
        Patient::of(&tokenise(question)).age.map(|age| (age.from, age.to))
    }

    #[test]
    fn chinese_ages_are_read_in_days_months_and_years() {
        for (text, months) in [
            ("宝宝刚满三个月，咳嗽", (3, 3)),
            ("宝宝两个月发烧38.5度", (2, 2)),
            ("娃才两个月，发烧", (2, 2)),
            ("孩子出生十天，皮肤发黄", (0, 0)),
            ("宝宝出生后两个月了，吐奶", (2, 2)),
            ("宝宝才仨月，拉肚子", (3, 3)),
            ("刚满月的宝宝鼻塞", (0, 1)),
            ("宝宝还没满月就发烧", (0, 0)),
            ("娃一岁半，出疹子", (18, 18)),
            ("患者二十五岁，腹痛", (300, 300)),
            ("女，十五岁，痛经", (180, 180)),
            ("男41 痛风3年", (492, 492)),
            ("我54男的，便血", (648, 648)),
        ] {
            assert_eq!(age(text), Some(months), "{text}");
        }
        for text in ["宝宝三天没大便", "宝宝咳嗽两个月了", "娃发烧三天", "宝宝两个月没长体重"] {
            assert!(age(text).is_none_or(|(from, to)| from != to), "{text}: {:?}", age(text));
        }
    }

    #[test]
    fn the_weeks_of_a_child_that_moves_in_the_womb_are_no_age() {
        for text in
            ["34 weeks, baby is moving less than usual", "31 wks and the baby has not kicked today", "36 weeks, my bump hardly moves"]
        {
            assert!(age(text).is_none_or(|(from, to)| from != to), "{text}: {:?}", age(text));
        }
        assert_eq!(age("6 week old baby not moving his arm"), Some((1, 1)));
    }

    #[test]
    fn the_sex_of_chinese_notes_is_one_character() {
        let sex = |question: &str| Patient::of(&tokenise(question)).sex;
        assert_eq!(sex("男41 痛风3年"), Some(Sex::Male));
        assert_eq!(sex("女，十五岁，痛经"), Some(Sex::Female));
        assert_eq!(sex("我54男的，便血"), Some(Sex::Male));
        assert_eq!(sex("3男2女都发热"), None);
        assert_eq!(sex("男女都会得吗"), None);
    }

    #[test]
    fn big_is_old_only_where_it_begins_no_other_word() {
        for text in
            ["这两天大腿疼", "近三个月大腿根疼", "三天大便干", "两周大小便失禁", "三天大量出汗", "三个月大夫让我吃药", "四个月大把掉头发"]
        {
            assert_eq!(age(text), None, "{text}");
        }
        for text in ["三个月大的宝宝", "三个月大，发烧", "三个月大发烧", "三个月大了", "三个月大小宝宝", "三个月大", "三个月大高烧"]
        {
            assert_eq!(age(text), Some((3, 3)), "{text}");
        }
    }

    #[test]
    fn ages_are_read_by_their_place() {
        let years = |question: &str| age(question).map(|(from, to)| (from / YEAR, to / YEAR));
        for (text, is) in [
            ("little one is 4, barking cough", 4),
            ("my youngest (3) has a rash", 3),
            ("our eldest is 15 and keeps fainting", 15),
            ("he went droopy for ten minutes. hes 66 takes a statin", 66),
            ("Spots on my chin at 34, so embarrassing", 34),
            ("can i get it over the counter. 58", 58),
            ("postman, 47, heel pain", 47),
            ("Man of 62, food gets stuck", 62),
            ("71, breathless on the stairs", 71),
        ] {
            assert_eq!(years(text), Some((is, is)), "{text}");
        }
        for text in [
            "take 2 tablets at 10",
            "sats at 91",
            "my pulse was fine at 64",
            "mum had a stroke at 52 and now my head hurts",
            "he is 6 foot",
            "hes 20 mins late for it",
            "INR 2.4, 63",
            "periods started at 31",
            "a man of 90 kg with a rash",
            "woman of 3 children, heavy periods",
            "woman of 30 weeks with a headache",
            "sodium, 128",
        ] {
            assert!(years(text).is_none_or(|(from, to)| from != to), "{text}: {:?}", years(text));
        }
    }
}
