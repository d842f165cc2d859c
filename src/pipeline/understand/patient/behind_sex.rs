//! The sex in Chinese notes, and the age in months, weeks or days of a child in Chinese notes, behind the sex: "患儿，男，2月，发热半天", 女婴，20天, 男婴45天.

use super::ages::{MONTH, months};
use super::reading::Question;
use super::{Age, Sex};
use crate::pipeline::understand::times::chinese_number;

/// The most months, weeks and days that are an age so.
const MONTHS: f32 = 36.0;
const WEEKS: f32 = 16.0;
const DAYS: f32 = 100.0;
/// What says that the patient is a child: 患儿, 男婴, 新生儿, 宝宝.
const CHILD: &str = "儿婴宝";

impl Question<'_> {
    /// The sex that a single character tells in Chinese notes: "男，44岁", 男44, 54男, 患者女.
    pub(super) fn chinese_sex(&self, at: usize) -> Option<Sex> {
        let sex = match self.word(at) {
            "男" => Sex::Male,
            "女" => Sex::Female,
            _ => return None,
        };
        let is_number = |at: usize| self.word(at).starts_with(|c: char| c.is_ascii_digit());
        let is_self = self.before(at, 2) == "本" && self.before(at, 1) == "人";
        let begins = at == 0 || self.breaks(at) || self.before(at, 1) == "者" || is_self;
        let is_alone = begins && (self.breaks(at + 1) && at + 1 < self.tokens.len() || is_number(at + 1));
        let is_behind = at.checked_sub(1).is_some_and(is_number) && !self.breaks(at);
        // 我是女的; but 是男是女 asks.
        let is_told =
            self.before(at, 1) == "是" && self.before(at, 2) == "我" && matches!(self.word(at + 1), "的" | "性" | "生" | "人" | "士");
        (is_alone || is_told || is_behind && (self.breaks(at + 1) || !matches!(self.word(at + 1), "儿" | "孩" | "婴" | "童" | "友" | "朋")))
            .then_some(sex)
    }

    /// The age that fills the clause right behind the sex of a child. Of somebody who is not called a child, only so many 个月 or 月 are an age, and none
    /// that is told with more: "女，3月前起病", "男，2天前摔倒" and "女，10天" tell since when.
    pub(super) fn behind_sex(&self, at: usize) -> Option<Age> {
        let (number, past) = chinese_number(self.tokens, at)?;
        let sex = at.checked_sub(1)?;
        let is_called_child = (sex.saturating_sub(3)..sex + 1).any(|at| !self.word(at).is_empty() && CHILD.contains(self.word(at)));
        let is_sex = match self.word(sex) {
            "男" | "女" => sex == 0 || self.breaks(sex) || self.before(sex, 1) == "者" || self.before(sex, 1) == "儿",
            // 女婴, 男宝宝, 男性.
            "婴" | "性" => matches!(self.before(sex, 1), "男" | "女"),
            "宝" | "儿" => matches!(self.before(sex, 2), "男" | "女"),
            _ => false,
        };
        if !is_sex {
            return None;
        }
        let half = |at: usize| if self.word(at) == "半" { 0.5 } else { 0.0 };
        let (age, end, is_of_month) = match (self.word(past), self.word(past + 1), self.word(past + 2)) {
            ("个", "月", "零" | "又") => return None,
            ("个", "半", "月") => (number + 0.5, past + 3, true),
            ("个", "月", _) => (number + half(past + 2), past + 2 + usize::from(self.word(past + 2) == "半"), true),
            ("月", ..) => (number, past + 1, true),
            ("周", ..) if is_called_child && number <= WEEKS => (number * 7.0 / MONTH, past + 1, false),
            ("天" | "日", ..) if is_called_child && number <= DAYS => (number / MONTH, past + 1, false),
            _ => return None,
        };
        let end = end + usize::from(matches!(self.word(end), "大" | "龄"));
        let is_age = self.breaks(end) && age <= MONTHS && (is_called_child || is_of_month);
        is_age.then(|| months(age)).flatten()
    }
}

/// Where such ages stand, in tokens: they are no times since when something has been so.
pub(super) fn ages_behind_sex(question: &Question<'_>) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..question.tokens.len()).filter(|at| question.behind_sex(*at).is_some()).map(|at| {
        let end = (at + 1..question.tokens.len()).find(|next| question.breaks(*next)).unwrap_or(question.tokens.len());
        at..end
    })
}
