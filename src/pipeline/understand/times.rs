//! Times in a question: "for 3 days", "4/7 ago", "last week", "10d", "两周前".

use super::layout::gap;
use super::patient::compact_ages;
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
    let ages = compact_ages(tokens);
    let is_of_age = |time: &Time| ages.iter().any(|age| age.start < time.last && time.first < age.end);
    while at < tokens.len() {
        let found = time_at(text, tokens, at);
        at = found.map_or(at + 1, |time| time.last.max(at + 1));
        all.extend(found.filter(|time| {
            !is_rate(tokens, time.last)
                && !is_age(tokens, time.last)
                && !is_interval(tokens, time.first)
                && !is_once(tokens, time.last)
                && !is_of_age(time)
        }));
    }
    all
}

/// Whether what looks like hours is the heart rate behind another value: "BP 88/50 HR 120".
fn is_rate(tokens: &[Token], last: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    // "1 hr 30 min" goes on with minutes.
    let is_minutes = matches!(word(Some(last + 1)), "min" | "mins" | "minute" | "minutes");
    word(last.checked_sub(1)) == "hr" && word(Some(last)).starts_with(|c: char| c.is_ascii_digit()) && !is_minutes
}

/// The Chinese numerals of one to ten.
pub(super) const CHINESE_DIGITS: [&str; 10] = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];

/// A number in Chinese characters (三十五) or in digits that begins at a token, and one past its last token.
pub(super) fn chinese_number(tokens: &[Token], at: usize) -> Option<(f32, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if let Ok(number) = word(at).parse::<f32>() {
        return Some((number, at + 1));
    }
    let digit = |at: usize| match word(at) {
        "两" | "俩" => Some(2.0),
        "仨" => Some(3.0),
        word => CHINESE_DIGITS.iter().position(|known| *known == word).map(|place| place as f32 + 1.0),
    };
    let first = digit(at)?;
    match (first, digit(at + 1), digit(at + 2)) {
        // 十五
        (10.0, Some(ones), _) if ones < 10.0 => Some((10.0 + ones, at + 2)),
        // 二十五
        (tens, Some(10.0), Some(ones)) if ones < 10.0 => Some((tens * 10.0 + ones, at + 3)),
        (tens, Some(10.0), _) => Some((tens * 10.0, at + 2)),
        (number, None, _) => Some((number, at + 1)),
        _ => None,
    }
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
    let nth = |words: &[&str]| words.iter().position(|known| *known == word).map(|at| at as f64 + 1.0);
    match word {
        "a" | "an" => Some(1.0),
        "couple" | "两" => Some(2.0),
        "few" | "several" | "几" | "数" => Some(3.0),
        "半" => Some(0.5),
        _ => {
            word.parse().ok().filter(|number: &f64| (0.0..1000.0).contains(number)).or_else(|| nth(&WORDS)).or_else(|| nth(&CHINESE_DIGITS))
        }
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
    // "4/7": days; "2/52": weeks; "3/12": months; "x2/52".
    let counted = word(at).strip_prefix('x').unwrap_or(word(at));
    let is_whole = gap(text, tokens, at) == "/" && counted.starts_with(|c: char| c.is_ascii_digit());
    if let Some(number) = counted.parse::<f64>().ok().filter(|_| is_whole) {
        // "BP 88/52" is no 88 weeks.
        let unit = match word(at + 1) {
            "7" if number <= 31.0 => Some(1.0),
            "52" if number <= 40.0 => Some(7.0),
            "12" if number <= 36.0 => Some(30.0),
            _ => None,
        };
        return unit.filter(|_| !is_date_or_score(text, tokens, at)).and_then(|unit| time(at + 2, number * unit));
    }
    // "10d", "6h": number and unit in one token.
    let digits = word(at).find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word(at).len());
    let split = (word(at).get(..digits).and_then(|digits| digits.parse::<f64>().ok()), word(at).get(digits..));
    if let (Some(number), Some(unit)) = split
        && !unit.is_empty()
    {
        let days = days_of(number, unit).filter(|_| unit != "m")?;
        return time(at + 1, days);
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

/// Whether a fraction at a token is part of a date ("14/12/2023", "on 7/12") or a score.
fn is_date_or_score(text: &str, tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = at.checked_sub(1).map_or("", word);
    let is_joined = matches!(gap(text, tokens, at + 1), "/" | "-" | ".") && word(at + 2).starts_with(|c: char| c.is_ascii_digit());
    let follows = at.checked_sub(1).is_some_and(|before| gap(text, tokens, before) == "/");
    let is_time = matches!(word(at + 2), "ago" | "history" | "hx" | "old" | "olds" | "of");
    let is_dated =
        matches!(before, "on" | "dated" | "date" | "dob" | "due" | "until" | "till" | "by" | "score" | "scored" | "scores" | "gcs");
    is_joined || follows || (is_dated && !is_time)
}

/// Whether what follows a time makes it an age or a week of pregnancy.
fn is_age(tokens: &[Token], last: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    matches!(word(last), "old" | "olds" | "o" | "pregnant" | "gestation" | "大" | "postpartum")
        || (word(last) == "of" && matches!(word(last + 1), "age" | "pregnancy" | "gestation"))
}

/// Whether what stands before a time makes it how often something is done: "every 2 hours", "once a month", 每隔两小时.
pub(super) fn is_interval(tokens: &[Token], first: usize) -> bool {
    let before = |back: usize| first.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let is_per = tokens.get(first).is_some_and(|token| matches!(token.text.as_str(), "a" | "an"));
    (is_per && matches!(before(1), "once" | "twice" | "times"))
        || matches!(before(1), "every" | "each" | "per" | "每" | "隔")
        || (before(2) == "every" && number_of(before(1)).is_some())
}

/// Whether what stands behind a time makes it how often something is: 一两个月一次.
fn is_once(tokens: &[Token], last: usize) -> bool {
    let word = |at: usize| tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
    matches!(word(last), "一" | "两" | "1") && matches!(word(last + 1), "次" | "回")
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

/// What happened longer ago than this, in days, is over if it is acute by nature.
const LONG_AGO: f64 = 42.0;
/// How many words may stand between what happened and when.
const TOLD_WITHIN: usize = 5;
/// What may stand between what happened and the time behind it: "NSTEMI w/ stent 14/12 ago", "PE in the left lung in March 2017".
const BEHIND: &str = "w with and treated stent stents stented stenting pci ppci cabg angioplasty thrombolysis thrombolysed thrombectomy lysed \
    des bms lad rca icu itu admission admitted hospital in the a an left right l r leg arm calf lung lungs inferior anterior \
    provoked unprovoked about around approx approximately roughly some over more than nearly almost just many requiring \
    first second third last previous pregnancy needing her his my was were happened occurred diagnosed early late back jan feb mar apr may jun jul aug sep oct nov dec \
    january february march april june july august september";
/// What may stand between a time and what happened then: "14/12 ago had an NSTEMI", 两年前得过脑梗.
const BEFORE: [&str; 39] = [
    "i", "he", "she", "we", "had", "have", "has", "a", "an", "the", "was", "with", "my", "his", "her", "first", "suffered", "small", "big",
    "mild", "他", "她", "我", "患", "得", "过", "曾", "因", "有", "了", "发", "生", "出", "现", "做", "动", "切", "住", "院",
];

/// Whether what tokens `first..last` name is told with a time of more than six weeks ago, or a year, right behind it or right before.
pub(super) fn was_long_ago(text: &str, tokens: &[Token], times: &[Time], (first, last): (usize, usize)) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let breaks = |at: usize| tokens.get(at).is_none_or(|token| token.after_break);
    let ends_sentence = |at: usize| gap(text, tokens, at).contains(['.', '?', '!', ';', '。', '？', '！', '；', '\n']);
    for at in last..tokens.len().min(last + TOLD_WITHIN + 1) {
        let told = long_ago_at(text, tokens, times, at);
        if breaks(at) {
            // "PE (2017)", "stroke, 3 years ago": "stroke, 3 years ago had a new hip" tells of the hip.
            if at == last && at > 0 && !ends_sentence(at - 1) && told.is_some_and(breaks) {
                return true;
            }
            break;
        }
        if told.is_some() {
            return true;
        }
        if !BEHIND.split(' ').any(|known| known == word(at)) {
            break;
        }
    }
    (first.saturating_sub(TOLD_WITHIN + 2)..first).any(|at| {
        let Some(end) = long_ago_at(text, tokens, times, at).filter(|end| *end <= first) else { return false };
        // "2019: PE", "in 2019, she had a PE"; of "hip surgery in 2019, PE" the year is the other's.
        let is_heading = breaks(at) || at == 0;
        let is_apart = breaks(end) && end <= first;
        (end..first).all(|at| BEFORE.contains(&word(at)))
            && (end + 1..=first).all(|at| !breaks(at))
            && (!is_apart || is_heading && end.checked_sub(1).is_some_and(|at| !ends_sentence(at)))
            && (is_apart || end < first || is_heading || tokens.get(first).is_some_and(|token| token.cjk))
    })
}

/// Whether a condition is by its name one that comes at once and passes.
pub(super) fn is_acute_event(name: &str) -> bool {
    const EVENTS: [&str; 20] = [
        "pneumonia",
        "thrombosis",
        "thromboembol",
        "embolism",
        "clot",
        "infarct",
        "stroke",
        "heart attack",
        "ischaemic attack",
        "acute coronary",
        "haemorrhage",
        "meningitis",
        "encephalitis",
        "sepsis",
        "pancreatitis",
        "pyelonephritis",
        "appendicitis",
        "pneumothorax",
        "dissection",
        "anaphyl",
    ];
    let name = name.to_lowercase();
    EVENTS.iter().any(|event| name.contains(event)) && !name.contains("chronic") && !name.contains("risk")
}

/// One past a time of long ago that stands at a token.
pub(super) fn long_ago_at(text: &str, tokens: &[Token], times: &[Time], at: usize) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let ago = |at: usize| match (word(at), word(at + 1)) {
        ("ago" | "back", _) => Some(at + 1),
        ("前", _) => Some(at + 1),
        ("以" | "之", "前") => Some(at + 2),
        _ => None,
    };
    if let Some(time) = times.iter().find(|time| time.first == at && time.days > LONG_AGO) {
        return ago(time.last).or_else(|| (word(at) == "last").then_some(time.last));
    }
    if matches!(word(at), "months" | "years" | "yrs" | "decades") {
        return ago(at + 1);
    }
    let at = if word(at) == "in" { at + 1 } else { at };
    // "05/2019"
    let is_month = gap(text, tokens, at) == "/" && word(at).parse::<u8>().is_ok_and(|month| (1..=12).contains(&month));
    let at = if is_month { at + 1 } else { at };
    let is_century = word(at).starts_with("19") || word(at).starts_with("20");
    let is_year = word(at).len() == 4 && is_century && word(at).bytes().all(|byte| byte.is_ascii_digit());
    // "2000 units" is a dose, and a whole date may be today's.
    let is_amount = matches!(word(at + 1), "units" | "unit" | "iu" | "mg" | "ml" | "kcal");
    let is_date = !is_month && at.checked_sub(1).is_some_and(|before| matches!(gap(text, tokens, before), "/" | "-"));
    let is_date = is_date || (is_month && at.checked_sub(2).is_some_and(|before| gap(text, tokens, before) == "/"));
    (is_year && !is_amount && !is_date).then(|| at + 1 + usize::from(word(at + 1) == "年"))
}

/// Whether 史 stands behind a name and tells of what was: not "急性心肌梗死史2小时", which is hours old.
pub(super) fn is_history_of(tokens: &[Token], behind: usize) -> bool {
    let is_told = tokens.get(behind).is_some_and(|token| token.text == "史" && !token.after_break);
    let mut next = tokens.iter().skip(behind + 1).take(3).take_while(|token| !token.after_break);
    is_told && !next.any(|token| token.text.contains(['时', '分', '天', '日']))
}

/// Whether something is told to come after what the words from `first` to `last` name: "LDL 4.1 after MI", 脑梗后. What began after it is told, not when it was.
pub(super) fn is_told_after(tokens: &[Token], first: usize, last: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = (0..first).rev().find(|at| !matches!(word(*at), "an" | "a" | "his" | "her" | "my" | "the" | "recent" | "acute"));
    let is_behind = before.is_some_and(|at| matches!(word(at), "after" | "post" | "following"));
    let is_joined = tokens.get(last).is_some_and(|token| token.text == "后" && !token.after_break);
    is_behind || (is_joined && !matches!(word(last + 1), "来" | "面"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn what_something_comes_after_is_told() {
        let told = |text: &str, first: usize, last: usize| is_told_after(&tokenise(text), first, last);
        assert!(told("LDL 4.1 after MI", 4, 5) || told("LDL 4.1 after MI", 3, 4));
        assert!(told("cough after his stroke", 3, 4) && told("脑梗后情绪低落", 0, 2));
        assert!(!told("stroke after surgery", 0, 1) && !told("脑梗后来", 0, 2));
    }

    #[test]
    fn fractions_of_notes_are_times_whatever_their_number() {
        let days = |text: &str| times(text, &tokenise(text)).into_iter().map(|time| time.days).collect::<Vec<_>>();
        assert_eq!(days("PE 17/12 ago"), [510.0]);
        assert_eq!(days("cough since 9/52, x11/7 fever"), [63.0, 11.0]);
        assert_eq!(days("hip replacement 15/12 ago, limp for 10/52"), [450.0, 70.0]);
        assert_eq!(days("5-6/52 of loose stools"), [42.0]);
        for text in [
            "BP 130/70",
            "new confusion, BP 88/52",
            "seen 14/12/2023",
            "clinic on 7/12",
            "pain 7/10",
            "2023/7/12 CT",
            "scored 5/7",
            "3y4/12 M limping",
            "1y9m F",
            "9/12 old",
        ] {
            assert!(days(text).is_empty(), "{text}: {:?}", days(text));
        }
    }

    #[test]
    fn what_happened_long_ago_is_told_with_its_time() {
        let was = |text: &str, name: &str| {
            let (tokens, named) = (tokenise(text), tokenise(name));
            let begins =
                |at: &usize| named.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == word.text));
            let first = (0..tokens.len()).find(begins).unwrap_or_else(|| panic!("{name} in {text}"));
            was_long_ago(text, &tokens, &times(text, &tokens), (first, first + named.len()))
        };
        for (text, name) in [
            ("STEMI with 2 stents 16/12 ago, tired", "STEMI with 2 stents"),
            ("PE w/ thrombolysis 9/52 ago", "PE"),
            ("stroke about 3 years ago", "stroke"),
            ("pneumonia in 2019", "pneumonia"),
            ("PE (2017), on warfarin", "PE"),
            ("pneumonia last winter, now well", "pneumonia"),
            ("2018: stroke", "stroke"),
            ("In 2016, she had a stroke", "stroke"),
            ("8/12 ago had an MI", "MI"),
            ("heart attack years ago", "heart attack"),
            ("In 2014, had a stroke, walks with a stick", "stroke"),
            ("两年前得过脑梗", "脑梗"),
            ("肺栓塞3个月前", "肺栓塞"),
        ] {
            assert!(was(text, name), "{text}");
        }
        for (text, name) in [
            ("MI 2/52 ago", "MI"),
            ("stroke 3 days ago", "stroke"),
            ("PE, 3 months ago had a new hip", "PE"),
            ("hip surgery in 2019, PE", "PE"),
            ("stroke now, TIA 2 years ago", "stroke"),
            ("?MI. 2019 hip surgery", "MI"),
            ("PE since 14/12/2023", "PE"),
            ("pneumonia for 3/12", "pneumonia"),
            ("MI after a stroke 2 years ago", "MI"),
        ] {
            assert!(!was(text, name), "{text}");
        }
    }

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
        assert!(days("嘴里烂小口子，一两个月一次").is_empty() && days("mouth ulcers once a month").is_empty());
        assert_eq!(days("two tablets every 2 hours for 3 days, 每隔两小时吃一次"), [3.0], "how often is no time since when");
    }
}
