//! Times in a question: "for 3 days", "4/7 ago", "last week", "10d", "两周前".

use super::layout::gap;
use crate::text::Token;

/// A time, in tokens `first..last`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Time {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) days: f64,
}

/// The times of a text, in order. Ages are none.
pub(super) fn times(text: &str, tokens: &[Token]) -> Vec<Time> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let found = time_at(text, tokens, at);
        at = found.map_or(at + 1, |time| time.last.max(at + 1));
        all.extend(found.filter(|time| !is_age(tokens, time.last) && !is_interval(tokens, time.first)));
    }
    all
}

/// A number, in figures or words, at a token.
pub(super) fn number_of(word: &str) -> Option<f64> {
    const WORDS: [&str; 20] = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    const CHINESE: [&str; 10] = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];
    let nth = |words: &[&str]| words.iter().position(|known| *known == word).map(|at| at as f64 + 1.0);
    match word {
        "a" | "an" => Some(1.0),
        "couple" | "两" => Some(2.0),
        "few" | "several" | "几" | "数" => Some(3.0),
        "半" => Some(0.5),
        _ => word.parse().ok().filter(|number: &f64| (0.0..1000.0).contains(number)).or_else(|| nth(&WORDS)).or_else(|| nth(&CHINESE)),
    }
}

fn time_at(text: &str, tokens: &[Token], at: usize) -> Option<Time> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let time = |last: usize, days: f64| Some(Time { first: at, last, days });
    match (word(at), word(at + 1)) {
        ("yesterday", _) => return time(at + 1, 1.0),
        ("today" | "tonight", _) => return time(at + 1, 0.0),
        ("last" | "this", "night" | "morning" | "afternoon" | "evening") => return time(at + 2, 0.5),
        ("last", "week") => return time(at + 2, 7.0),
        ("last", "month") => return time(at + 2, 30.0),
        ("last", "year" | "summer" | "winter" | "autumn" | "spring") => return time(at + 2, 365.0),
        ("昨", "天" | "晚") => return time(at + 2, 1.0),
        ("今", "天" | "晚" | "早") => return time(at + 2, 0.0),
        ("上", "周") => return time(at + 2, 7.0),
        ("day", day) => {
            if let Some(days) = day.parse().ok().filter(|days: &f64| (0.0..100.0).contains(days)) {
                return time(at + 2, days);
            }
        }
        _ => {}
    }
    // "10d", "6h": number and unit in one token.
    let digits = word(at).find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word(at).len());
    if let (Some(number), Some(unit)) = (word(at).get(..digits).and_then(|digits| digits.parse::<f64>().ok()), word(at).get(digits..)) {
        if !unit.is_empty() {
            let days = days_of(number, unit).filter(|_| unit != "m")?;
            return time(at + 1, days);
        }
        // "4/7": days; "2/52": weeks; "3/12": months.
        if gap(text, tokens, at) == "/" {
            let unit = match word(at + 1) {
                "7" => Some(1.0),
                "52" => Some(7.0),
                "12" => Some(30.0),
                _ => None,
            };
            return unit.and_then(|unit| time(at + 2, number * unit));
        }
    }
    let number = number_of(word(at))?;
    // "A few weeks" is three of them, once.
    if matches!(word(at), "a" | "an") && number_of(word(at + 1)).is_some() {
        return None;
    }
    let mut next = at + 1;
    if matches!(word(next), "of" | "or" | "more" | "to" | "个" | "多") {
        next += 1;
    }
    if number_of(word(next)).is_some() && matches!(word(next - 1), "or" | "to") {
        next += 1;
    }
    if matches!(word(next), "多" | "个") {
        next += 1;
    }
    // "小时", "分钟"
    let two: String = [word(next), word(next + 1)].concat();
    if let Some(days) = days_of(number, &two).filter(|_| tokens.get(next).is_some_and(|token| token.cjk)) {
        return time(next + 2, days);
    }
    days_of(number, word(next)).filter(|_| word(next).len() > 1).and_then(|days| time(next + 1, days))
}

fn days_of(number: f64, unit: &str) -> Option<f64> {
    let days = match unit {
        "min" | "mins" | "minute" | "minutes" | "分钟" => number / 1440.0,
        "h" | "hr" | "hrs" | "hour" | "hours" | "小时" | "钟头" => number / 24.0,
        "d" | "day" | "days" | "天" | "日" => number,
        "w" | "wk" | "wks" | "week" | "weeks" | "周" | "星期" | "礼拜" => number * 7.0,
        "m" | "mo" | "month" | "months" | "mth" | "mths" | "月" => number * 30.0,
        "y" | "yr" | "yrs" | "year" | "years" | "年" => number * 365.0,
        _ => return None,
    };
    Some((days * 1000.0).round() / 1000.0)
}

/// Whether what follows a time makes it an age or a week of pregnancy.
fn is_age(tokens: &[Token], last: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    matches!(word(last), "old" | "o" | "pregnant" | "gestation" | "大" | "postpartum")
        || (word(last) == "of" && matches!(word(last + 1), "age" | "pregnancy" | "gestation"))
}

/// Whether what stands before a time makes it how often something is done: "every 2 hours", 每隔两小时.
pub(super) fn is_interval(tokens: &[Token], first: usize) -> bool {
    let before = |back: usize| first.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    matches!(before(1), "every" | "each" | "per" | "每" | "隔") || (before(2) == "every" && number_of(before(1)).is_some())
}

/// Whether a time says how long after something else it was: "two weeks after hip surgery". "For three days after" lasts.
fn is_since_event(tokens: &[Token], time: &Time) -> bool {
    let next = tokens.get(time.last).filter(|next| !next.after_break).map_or("", |next| next.text.as_str());
    let before = time.first.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    matches!(next, "after" | "post" | "following" | "postop" | "postoperatively") && !matches!(before, "for" | "lasting" | "x" | "over")
}

/// The time nearest to tokens `first..last`: behind them at most `after` words away, or right before them ("3 day history of"), and not behind `stop` or
/// before `begin`.
pub(super) fn near(
    tokens: &[Token],
    times: &[Time],
    (first, last): (usize, usize),
    (begin, stop): (usize, usize),
    after: usize,
) -> Option<f64> {
    let mut lasting = times.iter().filter(|time| !is_since_event(tokens, time));
    let behind = lasting.find(|time| time.first >= last && time.first <= last + after && time.last <= stop);
    let leads = |from: usize| {
        let between = tokens.get(from..first).unwrap_or_default();
        let joined = tokens.get(from..=first).unwrap_or_default().iter().all(|token| !token.after_break);
        joined
            && between.iter().all(|token| {
                matches!(
                    token.text.as_str(),
                    "of" | "history"
                        | "hx"
                        | "the"
                        | "a"
                        | "new"
                        | "with"
                        | "worsening"
                        | "severe"
                        | "bad"
                        | "的"
                        | "前"
                        | "起"
                        | "左"
                        | "右"
                        | "双"
                        | "侧"
                )
            })
    };
    let before = || {
        times
            .iter()
            .rev()
            .filter(|time| !is_since_event(tokens, time))
            .find(|time| time.last <= first && time.last + 3 >= first && time.first >= begin && leads(time.last))
    };
    behind.or_else(before).map(|time| time.days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn times_in_figures_words_and_fractions() {
        let days = |text: &str| times(text, &tokenise(text)).into_iter().map(|time| time.days).collect::<Vec<_>>();
        assert_eq!(days("cough for 3 days"), [3.0]);
        assert_eq!(days("started 4/7 ago, 2/52 of cough"), [4.0, 14.0]);
        assert_eq!(days("T 39 x 10d, since yesterday; last week; a couple of weeks"), [10.0, 1.0, 7.0, 14.0]);
        assert_eq!(days("a few weeks ago, day 5"), [21.0, 5.0]);
        assert_eq!(days("头痛三天，两周前开始，8小时"), [3.0, 14.0, 0.333]);
        let text = "1周前右侧睾丸肿痛";
        let (tokens, found) = (tokenise(text), times(text, &tokenise(text)));
        assert_eq!(near(&tokens, &found, (5, 7), (0, tokens.len()), 5), Some(7.0));
        let since = |text: &str| {
            let tokens = tokenise(text);
            near(&tokens, &times(text, &tokens), (0, 2), (0, tokens.len()), 5)
        };
        for text in
            ["sore calf two weeks after a hip operation", "swollen leg 10 days post knee replacement", "chest pain 3 days following a fall"]
        {
            assert_eq!(since(text), None, "{text}: when it began, not how long it has lasted");
        }
        assert_eq!([since("sore calf for two weeks after a fall"), since("chest pain 3 days, after a fall")], [Some(14.0), Some(3.0)]);
        assert!(days("a 5 year old, 12 weeks pregnant, BP 120/80").is_empty());
        assert_eq!(days("two tablets every 2 hours for 3 days, 每隔两小时吃一次"), [3.0], "how often is no time since when");
    }
}
