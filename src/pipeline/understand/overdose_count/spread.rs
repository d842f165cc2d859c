//! Numbers of tablets that were not taken at once: so many in so many days, or as many as a pack holds.

use super::{Count, TAKEN};
use crate::pipeline::understand::times::{CHINESE_DIGITS, number_of};
use crate::text::Token;

/// How far behind a number it may be told in how many days they were taken, in words, and how far before it in characters.
const DAYS_WITHIN: usize = 9;
const DAYS_CHINESE: usize = 5;

/// How many a day they are, where it is told behind them in how many days they were taken ("over three days", "in the last week"), or in Chinese right before
/// (三天吃了三十片). For how long something has hurt is no such time, and what was taken last night was taken at once.
pub(super) fn in_days(tokens: &[Token], count: Count, end: usize) -> Option<f64> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let unit = |at: usize| match word(at) {
        "day" | "days" | "天" => Some(1.0),
        "week" | "weeks" | "周" => Some(7.0),
        "month" | "months" | "fortnight" => Some(14.0),
        // 一个月吃了三十片; not 上个月 or 失眠三个月.
        "月" if is_month(tokens, at) => Some(14.0),
        _ => None,
    };
    let behind = count.last..end.min(count.last + DAYS_WITHIN);
    let is_at_once = |at: usize| {
        matches!(word(at), "night" | "once" | "today" | "yesterday" | "tonight" | "evening" | "morning" | "hour" | "hours" | "ago" | "go")
    };
    if behind.clone().any(is_at_once) {
        return None;
    }
    let days = |at: usize| Some(unit(at)? * at.checked_sub(1).and_then(|before| number_of(word(before))).unwrap_or(1.0));
    let spans = |at: usize| matches!(word(at), "over" | "in" | "within" | "during" | "across" | "throughout" | "spread");
    // "In despair three days after splitting up" is a time, no span.
    let is_of_event = |at: usize| matches!(word(at + 1), "after" | "before" | "since" | "following" | "later" | "earlier");
    let is_span = |at: usize| {
        let from = at.saturating_sub(if is_of_event(at) { 2 } else { 4 }).max(count.last);
        (from..at).any(spans)
    };
    let english = behind.filter(|at| is_span(*at)).find_map(days);
    // 三天吃了三十片, 三天内吃了三十片.
    let before = count.first.saturating_sub(DAYS_CHINESE)..count.first;
    let is_chinese = |at: &usize| tokens.get(*at).is_some_and(|token| token.cjk) && !matches!(word(at + 1), "前" | "后" | "来");
    let is_joined = !before.clone().skip(1).any(|at| tokens.get(at).is_some_and(|token| token.after_break));
    let chinese = || before.filter(is_chinese).find_map(days).filter(|_| is_joined);
    english.or_else(chinese).filter(|days| *days > 1.0).map(|days| count.number / days)
}

/// Whether 月 ends a number of months with which a clause begins: 一个月吃了三十片, 最近两个月….
fn is_month(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let Some(number) = at.checked_sub(2).filter(|_| word(at - 1) == "个") else { return false };
    let is_number =
        CHINESE_DIGITS.contains(&word(number)) || word(number) == "两" || word(number).bytes().all(|byte| byte.is_ascii_digit());
    let begins = number == 0 || tokens.get(number).is_some_and(|token| token.after_break);
    is_number && (begins || matches!(word(number - 1), "我" | "他" | "她" | "近" | "去"))
}

/// Whether a number behind a drug is what its pack holds: "two paracetamol from a pack of 16 tablets", 30片装. A pack that was emptied was taken.
pub(super) fn is_of_pack(tokens: &[Token], drug: usize, count: Count) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let from = (drug..count.first).rev().find(|at| word(*at) == "from");
    let is_from = from.is_some_and(|from| !(from..count.first).any(|at| TAKEN.contains(&word(at))));
    let is_whole = || tokens.iter().any(|token| matches!(token.text.as_str(), "整" | "全" | "都" | "光"));
    is_from || matches!(word(count.last + 1), "装" | "盒" | "包") && !is_whole()
}
