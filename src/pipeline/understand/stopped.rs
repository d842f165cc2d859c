//! Chinese words around a drug that say whether it has been stopped (自行停胰岛素2天) or is only meant to be (能直接停掉吗), how long it has been taken
//! (艾司唑仑吃了一年), and that it is no allergen (青霉素不过敏).

use super::drugs::{DrugReader, Reach, Says};
use super::named::Named;
use crate::language::phrase_table::FoundPhrase;
use crate::language::recognise::Span;
use crate::run::DrugStatus;
use crate::text::{Token, clause_around};

/// The character before 停, or before how it is stopped (直接停), that says that nothing has been stopped yet: 能停, 要停, 没停, 怎么停 …
const MEANT: &str = "能要想该需应否别勿不没未敢么须备算议先";
/// … or the last of two such: 可以, 没有, 何时.
const MEANT_PAIRS: [&str; 4] = ["可以", "没有", "何时", "时候"];
/// How something is stopped.
const MANNERS: [&str; 9] = ["自行", "自己", "擅自", "突然", "直接", "马上", "立刻", "立即", "骤然"];
/// How many characters behind it may ask.
const ASKS_WITHIN: usize = 10;
/// What may stand before a time for how long something has been taken.
const ABOUT: &str = "好快已经大概约近有都了过着";

/// Whether a cue only says that a drug may be stopped: 能直接停掉氯硝西泮吗, 要不要停美托洛尔, 没停华法林; not 自行停丙戊酸3天 or 停了华法林一周.
pub(super) fn is_only_meant(tokens: &[Token], cue: &FoundPhrase<Says>) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_stop = |at: usize| matches!(word(at), "停" | "断");
    if cue.means.0 != DrugStatus::Stopped || !(cue.first..cue.last).any(is_stop) {
        return false;
    }
    let clause = clause_around(tokens, cue.first);
    let pair = |end: usize| end.checked_sub(2).filter(|at| *at >= clause.start).map(|at| [word(at), word(at + 1)].concat());
    let mut begin = cue.first;
    while pair(begin).is_some_and(|pair| MANNERS.contains(&pair.as_str())) {
        begin -= 2;
    }
    let before = begin.checked_sub(1).filter(|at| *at >= clause.start).map_or("", word);
    let is_meant = !before.is_empty() && MEANT.contains(before) || pair(begin).is_some_and(|pair| MEANT_PAIRS.contains(&pair.as_str()));
    let has_ended = word(cue.last.saturating_sub(1)) == "了" || word(cue.last) == "了";
    // 医生建议停了 tells of what was done, 没停了 of what was not.
    if is_meant && !(has_ended && matches!(before, "议" | "要" | "想" | "先")) {
        return true;
    }
    let behind = cue.last..clause.end.min(cue.last + ASKS_WITHIN);
    let is_time = |at: usize| {
        let is_number = word(at).starts_with(|c: char| c.is_ascii_digit()) || "一二两三四五六七八九十半几数".contains(word(at));
        is_number && (at + 1..at + 3).any(|unit| matches!(word(unit), "天" | "日" | "周" | "月" | "年" | "次" | "顿"))
    };
    if behind.clone().any(is_time) {
        return false;
    }
    let permits = |at: usize| matches!((word(at), word(at + 1)), ("可", "以") | ("行", "吗" | "不") | ("好", "吗") | ("能", "不"));
    let asks = |at: usize| matches!(word(at), "吗" | "会" | "行" | "怎");
    behind.clone().any(permits) || !has_ended && behind.into_iter().any(asks)
}

/// With what a sentence may begin that goes on about the drug of the one before.
const OPENS: [&str; 20] = [
    "i", "ive", "we", "weve", "he", "hes", "she", "shes", "they", "then", "but", "and", "so", "now", "just", "have", "has", "had", "mum",
    "dad",
];
/// What runs out where the drug is not named again: "ran out of my tablets".
const SUPPLY: [&str; 12] = ["it", "them", "my", "his", "her", "tablets", "pills", "meds", "medication", "medicine", "the", "stock"];
/// What stands for the drug behind "not had", and what may follow it there: "not had any of my tablets since Saturday".
const OF_DRUG: [&str; 12] = ["any", "it", "them", "of", "more", "left", "dose", "doses", "tablets", "pills", "my", "medication"];
/// How many such words there may be.
const OF_DRUG_WITHIN: usize = 5;
/// What may stand between "not" and a drug that was left out.
const TAKEN: [&str; 14] = ["had", "taken", "taking", "been", "injected", "given", "used", "any", "my", "his", "her", "the", "more", "have"];
/// With what it is told how long ago that began.
const TIMES: [&str; 13] = ["a", "an", "one", "two", "three", "four", "five", "several", "some", "days", "weeks", "months", "about"];
/// What reaches so far back says what became of the drug, whatever else is said of it: "on prednisolone for 3 years, ran out".
const FAR: usize = 9;

impl DrugReader<'_> {
    /// Whether a drug has run out or is no longer taken, as its sentence or the next one tells.
    pub(super) fn has_run_out(&self, span: Span, drugs: &[Named]) -> bool {
        let ran_out = |cue: &&FoundPhrase<Says>| matches!(cue.means, (DrugStatus::Stopped, Reach::Before, _, FAR..));
        let is_of_drug = |cue: &FoundPhrase<Says>| match self.word(cue.first) {
            "none" | "not" => !self.is_of_complaint(span, cue.first),
            _ => true,
        };
        self.governing(span, drugs).filter(ran_out).any(is_of_drug) || self.runs_out_next(span, drugs) || self.is_left_out_since(span)
    }

    /// Whether a drug has not been taken for some time: "not had any insulin since Friday", "hasn't taken his lithium for a week".
    pub(super) fn is_left_out_since(&self, span: Span) -> bool {
        let clause = clause_around(self.tokens, span.first);
        let is_between = |at: usize| TAKEN.contains(&self.word(at));
        let before = (clause.start..span.first).rev().find(|at| !is_between(*at));
        let is_denied = before.is_some_and(|at| matches!(self.word(at), "not" | "havent" | "hasnt" | "no" | "without"));
        let is_time = |at: usize| self.word(at).starts_with(|c: char| c.is_ascii_digit()) || TIMES.contains(&self.word(at));
        let is_long = match self.word(span.last) {
            "since" => true,
            "for" | "in" => is_time(span.last + 1),
            _ => false,
        };
        is_denied && is_long
    }

    /// Whether a complaint is named in the sentence of a drug before token `end`: then "none since" may be told of it, as in "nosebleeds on apixaban. None
    /// since May".
    fn is_of_complaint(&self, span: Span, end: usize) -> bool {
        let sentence = self.layout.sentence(span.first);
        self.complaints.iter().any(|complaint| sentence.first <= complaint.first && complaint.last <= end)
    }

    /// Whether the next sentence tells that the only drug of a sentence has run out or is no longer taken: "On prednisolone for 5 months. Ran out over the holiday",
    /// "… Haven't had any since Saturday". "Ran out of insulin" is told of the insulin alone, and "not had any bleeding since" of the bleeding.
    fn runs_out_next(&self, span: Span, drugs: &[Named]) -> bool {
        let sentence = self.layout.sentence(span.first);
        if sentence.last >= self.tokens.len() || sentence.asks {
            return false;
        }
        let next = self.layout.sentence(sentence.last);
        let own = drugs.iter().find(|drug| drug.span == span).map(|drug| drug.entity);
        let mut near = drugs.iter().filter(|drug| drug.span.first >= sentence.first && drug.span.last <= next.last);
        if near.any(|drug| Some(drug.entity) != own) {
            return false;
        }
        let Some(at) = (next.first..next.last).find(|at| !OPENS.contains(&self.word(*at))) else { return false };
        let is_drug = |at: usize| OF_DRUG.contains(&self.word(at)) || drugs.iter().any(|drug| drug.span.first == at);
        // Nothing but words for the drug may stand before the time.
        let is_since = |from: usize| {
            let time = (from..from + OF_DRUG_WITHIN).find(|at| !is_drug(*at));
            time.is_some_and(|at| at > from && matches!(self.word(at), "since" | "for"))
        };
        match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            ("ran" | "run", "out", "of") => SUPPLY.contains(&self.word(at + 3)) || drugs.iter().any(|drug| drug.span.first == at + 3),
            ("ran" | "run", "out", _) => true,
            ("havent" | "hasnt" | "not", "taken", _) => is_since(at + 2),
            ("havent" | "hasnt" | "not", "been", "taking") => is_since(at + 3),
            ("havent" | "hasnt" | "not", "had", _) => is_since(at + 2) && !self.is_of_complaint(span, sentence.last),
            ("none", "since", _) => !self.is_of_complaint(span, sentence.last),
            _ => false,
        }
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    /// Whether an allergy to a drug is denied right beside it, and nothing else is said of it in its clause: 青霉素不过敏, "not allergic to penicillin".
    pub(super) fn is_denied_allergen(&self, span: Span, drugs: &[Named]) -> bool {
        let clause = clause_around(self.tokens, span.first);
        let in_clause = |cue: &&FoundPhrase<Says>| clause.start <= cue.first && cue.last <= clause.end;
        let is_denied = |cue: &FoundPhrase<Says>| {
            let before = cue.first.checked_sub(1).map_or("", |at| self.word(at));
            cue.means.0 == DrugStatus::Allergic && (self.scopes.at(cue.first).absent || matches!(before, "not" | "不" | "无" | "没"))
        };
        let says_more = |cue: &FoundPhrase<Says>| cue.means.0 != DrugStatus::Allergic;
        self.cues.iter().filter(in_clause).any(|cue| is_denied(cue) && self.distance(cue, span, drugs) <= cue.means.3)
            && !self.governing(span, drugs).filter(in_clause).any(says_more)
    }

    /// Whether it is told how long a drug has been taken: 艾司唑仑吃了一年, 吃安眠药好几年了(艾司唑仑).
    pub(super) fn is_taken_for_long(&self, span: Span, drugs: &[Named]) -> bool {
        let is_in_brackets = |at: usize| self.gap(at).contains(['(', '（']);
        // What stands in brackets is the drug before.
        let bracketed = drugs.iter().map(|drug| drug.span).find(|other| other.first == span.last && is_in_brackets(other.first));
        let before = || drugs.iter().rev().map(|drug| drug.span).find(|other| other.last <= span.first);
        let named_before = is_in_brackets(span.first).then(before).flatten();
        let last = bracketed.map_or(span.last, |other| other.last);
        self.is_told_for_long(span.first, last)
            || named_before.is_some_and(|other| span.first - other.last <= ASKS_WITHIN && self.is_told_for_long(other.first, other.last))
    }

    /// The same of the drug in the tokens `first..last`.
    fn is_told_for_long(&self, first: usize, last: usize) -> bool {
        let takes = |at: usize| matches!(self.word(at), "吃" | "服" | "用" | "打" | "喝" | "注");
        let begins = |from: usize| (from..from + 4).find(|at| self.word(*at).is_empty() || !ABOUT.contains(self.word(*at)));
        let time = |from: usize| begins(from).and_then(|at| self.times.iter().find(|time| time.first == at));
        let is_behind = takes(last) && self.word(last + 1) != "多" && time(last + 1).is_some();
        // 能吃阿司匹林3天吗 asks.
        let verb = first.saturating_sub(2)..first;
        let may = |at: usize| MEANT.contains(self.word(at)) && !self.word(at).is_empty();
        let is_told = verb.clone().any(takes) && !(first.saturating_sub(5)..first).any(may);
        is_behind || is_told && time(last).is_some_and(|time| self.word(time.last) == "了")
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::DrugStatus;

    #[test]
    fn what_somebody_has_not_had_since_is_the_drug_only_where_nothing_else_is_named() {
        for (text, drug, expected) in [
            ("On warfarin for AF. Not had any bleeding since starting. Hit my head.", "Warfarin", DrugStatus::Taken),
            ("Dad takes apixaban. Hasn't had any falls since March. Today he vomited blood.", "Apixaban", DrugStatus::Taken),
            ("I am on clozapine. Haven't had any problems since 2019. Now I have a fever.", "Clozapine", DrugStatus::Taken),
            ("I take lithium for bipolar. Haven't taken any alcohol since 2015. Now vomiting.", "Lithium", DrugStatus::Taken),
            ("Nosebleeds on apixaban. None since May. Now dizzy.", "Apixaban", DrugStatus::Taken),
            ("On prednisolone 15 mg for 5 months. Haven't had any since Saturday. Feel dizzy.", "Prednisolone", DrugStatus::Stopped),
            ("On prednisolone 15 mg for 5 months. Not taken it for a week. Feel dizzy.", "Prednisolone", DrugStatus::Stopped),
            ("On clozapine. Not had any of my tablets since Friday. Feel sick.", "Clozapine", DrugStatus::Stopped),
            ("not had any insulin since Friday, type 1, feel sick", "Insulin", DrugStatus::Stopped),
            ("Hasn't taken his lithium for a week, sleepless", "Lithium", DrugStatus::Stopped),
            ("Type 1 diabetic on insulin. Ran out 2 days ago, now vomiting.", "Insulin", DrugStatus::Stopped),
        ] {
            let case = read(text);
            let status = case.drugs.iter().find(|known| known.entity.as_deref() == Some(drug)).map(|known| known.status);
            assert_eq!(status, Some(expected), "{text}: {:?}", case.drugs);
        }
    }
}
