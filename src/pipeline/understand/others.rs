//! What people have who are named beside the patient: "a girl at nursery got meningitis", "my neighbour had the same and it was heart failure". The
//! words are in `assets/status.toml`.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::layout::Layout;
use super::scope::{CUES, Means, Scopes, WORDS, is_contrast};
use super::whose::{RELATIVE_REACH, is_relative, refers_back, tells_of_self, told_of_having};
use crate::language::phrase_table::PhraseTable;
use crate::language::recognise::Span;
use crate::text::{Token, clause_around};

/// How many words before somebody may make him nobody in particular: "if a customer has …".
const ASKED_WITHIN: usize = 4;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Others {
    who: Vec<String>,
    acquainted: Vec<String>,
    work: Vec<String>,
    places: Vec<String>,
    has: Vec<String>,
    /// What a Chinese complaint says: 麻, 咳, 喘.
    feels: Vec<String>,
    /// Who else a Chinese clause that begins with 我 may be about.
    about: Vec<String>,
    /// What says that a Chinese clause tells of long ago.
    long_ago: Vec<String>,
    /// … and what says that it never happened.
    never: Vec<String>,
}

static OWN: LazyLock<[PhraseTable<()>; 2]> = LazyLock::new(|| [&WORDS.others.feels, &WORDS.others.about].map(PhraseTable::of_phrases));
static LONG_AGO: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&WORDS.others.long_ago));
static OTHERS: LazyLock<[PhraseTable<()>; 3]> =
    LazyLock::new(|| [&WORDS.others.who, &WORDS.others.acquainted, &WORDS.others.places].map(PhraseTable::of_phrases));

impl Scopes {
    /// Marks what somebody has who is named by a place or as an acquaintance, in a text that tells of somebody else besides.
    pub(super) fn find_others(&mut self, tokens: &[Token], layout: &Layout) {
        let [who, acquainted, places] = &*OTHERS;
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        for person in who.find_all(tokens) {
            let sentence = layout.sentence(person.first);
            // "My girl at nursery has …", "Girl at nursery has …": it is about her.
            let is_own = (person.first.saturating_sub(4)..person.first).any(|at| matches!(word(at), "my" | "our"));
            let Some(place) = places.at(tokens, person.last).filter(|place| place.last < sentence.last) else { continue };
            let tells = |at: &usize| WORDS.others.has.iter().any(|has| has == word(*at));
            let Some(told) = (place.last..place.last + 3).find(tells) else { continue };
            let end = end_of_clause(tokens, told, sentence.last);
            if !is_own && (person.first > 4 || tells_of_self(tokens, end)) {
                self.mark(person.first..end, |marks| marks.family = true);
            }
        }
        for person in acquainted.find_all(tokens) {
            let sentence = layout.sentence(person.first);
            let near = person.first.saturating_sub(ASKED_WITHIN)..person.first;
            let is_nobody = near.into_iter().any(|at| {
                let is_if = matches!((word(at), word(at + 1)), ("如", "果") | ("要", "是") | ("万", "一") | ("假", "如"));
                is_if || matches!(word(at), "if" | "when" | "can" | "could" | "should" | "does" | "do" | "may" | "for" | "whether")
            });
            // A 小朋友 is a child, and a 女朋友 whom the question is about.
            let before = person.first.checked_sub(1).map_or("", word);
            if word(person.first) == "朋" && matches!(before, "小" | "男" | "女") {
                continue;
            }
            // "My friend's husband".
            let owns = usize::from(word(person.last) == "s") * 2;
            let place = places.at(tokens, person.last + owns).map_or(person.last + owns, |place| place.last);
            // 邻居脑梗了，我手麻; but 同事说我感冒了, 邻居的药.
            let is_chinese = tokens.get(person.first).is_some_and(|token| token.cjk);
            let speaks =
                |at| matches!(word(at), "说" | "我" | "给" | "叫" | "建" | "推" | "送" | "的" | "让" | "问" | "劝" | "介" | "帮" | "家");
            let told = if is_chinese { Some(place).filter(|at| !speaks(*at)) } else { told_of_having(tokens, place, sentence.last) };
            let Some(told) = told.filter(|_| !is_nobody) else { continue };
            let end = end_of_clause(tokens, told, sentence.last);
            // Who is gone on about, or is told of by somebody who tells nothing of himself, is the patient.
            let goes_on = tells_of_own(tokens, end..tokens.len()) && !refers_back(tokens, end);
            // Who asks whether he will catch it, or has been where it happened, asks about it: 室友是乙肝，我会被传染吗; 邻居煤气中毒，我也头痛.
            let is_shared = || {
                (person.first.saturating_sub(ASKED_WITHIN)..tokens.len()).any(|at| match (word(at), word(at + 1)) {
                    ("传", "染" | "给" | "上") | ("感", "染") => true,
                    ("我", "也") => tells_of_own_complaint(tokens, at),
                    ("一", "起") => matches!(word(at + 2), "吃" | "住" | "去" | "喝" | "睡" | "在" | "用"),
                    _ => false,
                })
            };
            if is_chinese && is_shared() {
                continue;
            }
            let is_self_told = is_chinese && tells_of_own_complaint(tokens, end);
            let is_beside = goes_on || is_self_told || tells_of_own(tokens, 0..person.first);
            if is_beside {
                self.mark(person.first..end, |marks| marks.family = true);
            }
        }
    }
}

impl Scopes {
    /// Marks what a Chinese clause tells to have been: a time long ago, the condition, and 过 (去年脑梗过). 以前没用过 denies it.
    pub(super) fn find_long_ago(&mut self, tokens: &[Token]) {
        for at in (0..tokens.len()).filter(|at| tokens.get(*at).is_some_and(|token| token.text == "过")) {
            let clause = clause_around(tokens, at);
            let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
            // 晕过去, 服药过量, 过敏 and 不过 say nothing of the past; nor does 十分钟之前.
            let is_other_word = matches!(word(Some(at + 1)), "量" | "敏" | "去" | "来" | "期" | "度" | "程" | "多")
                || matches!(word(at.checked_sub(1)), "不" | "难" | "超" | "经" | "通");
            let is_just = |first: usize| matches!(word(first.checked_sub(1)), "钟" | "时" | "天" | "刚" | "晚");
            let is_never = |at: usize| tokens.get(at).is_some_and(|token| WORDS.others.never.contains(&token.text));
            let is_ago = |first: &usize| LONG_AGO.at(tokens, *first).is_some_and(|ago| ago.last <= at) && !is_just(*first);
            let ago = (clause.start..at).find(is_ago).filter(|_| !is_other_word);
            if let Some(ago) = ago.filter(|_| !(clause.start..at).any(is_never)) {
                self.mark(ago..at, |marks| marks.past = true);
            }
        }
    }

    /// A cue within a name says nothing of it: 呼吸音消失 is there now. `is_reordered`: nor does the word that begins it deny it.
    pub(super) fn take_own_cues(&mut self, tokens: &[Token], span: Span, is_reordered: bool) {
        if is_reordered {
            self.take_own_denial(tokens, span);
        }
        let own = tokens.get(span.first..span.last).unwrap_or_default();
        if own.len() > 1 && CUES.find_all(own).iter().any(|cue| cue.first > 0 && cue.means.0 == Means::Resolved) {
            self.mark(span.first..span.last, |marks| marks.resolved = false);
        }
    }
}

/// Whether the writer of a Chinese text tells of a complaint of his own from a token on: 我手麻, 我也吐了; not 我该怎么办 or 我看他吐了, which leave the
/// patient who he was.
pub(super) fn tells_of_own_complaint(tokens: &[Token], from: usize) -> bool {
    let [feels, about] = &*OWN;
    let is_own = |at: usize| {
        let rest = at + 1..clause_around(tokens, at).end;
        rest.clone().any(|at| feels.at(tokens, at).is_some()) && !rest.clone().any(|at| about.at(tokens, at).is_some())
    };
    (from..tokens.len()).any(|at| tokens.get(at).is_some_and(|token| token.text == "我") && is_own(at))
}

/// Whether somebody tells of complaints of his own, and not only of his work or his people: "my ankles swell", "I get headaches"; not "I am a carer, my
/// client …".
fn tells_of_own(tokens: &[Token], within: Range<usize>) -> bool {
    let [_, acquainted, _] = &*OTHERS;
    let word = |at: usize| tokens.get(at).filter(|_| within.contains(&at)).map_or("", |token| token.text.as_str());
    let said = tokens.get(..within.end).unwrap_or_default();
    let is_people =
        |at: usize| acquainted.at(tokens, at).is_some() || is_relative(tokens, at) || WORDS.others.work.iter().any(|work| work == word(at));
    within.clone().any(|at| match (word(at), word(at + 1)) {
        ("my", next) => !next.is_empty() && !is_people(at + 1) && !is_people(at + 2),
        ("i", "get" | "keep" | "feel" | "suffer" | "woke" | "wake") | ("ive", "had" | "got" | "been") => true,
        _ => false,
    }) || tells_of_self(said, within.start)
}

/// Where it ends what is told of somebody from a token on: with the clause, unless the next is about the same.
fn end_of_clause(tokens: &[Token], told: usize, sentence: usize) -> usize {
    let end = sentence.min(told + RELATIVE_REACH);
    let ends = |at: &usize| {
        tokens.get(*at).is_none_or(|token| {
            let is_self = matches!(token.text.as_str(), "i" | "im" | "ive" | "me" | "my" | "we" | "he" | "she");
            token.after_break || is_contrast(&token.text) || (is_self && *at > told)
        })
    };
    (told..end).find(ends).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::{ConditionStatus, FindingStatus, PatientSex};

    #[test]
    fn what_is_long_over_in_chinese_is_past() {
        let case = read("我爸去年脑梗过 现在恢复的挺好 阿司匹林要吃一辈子吗");
        assert!(case.conditions.iter().all(|condition| condition.status == ConditionStatus::Past), "{:?}", case.conditions);
        assert!(!case.conditions.is_empty());
    }

    #[test]
    fn a_neighbour_is_not_the_patient() {
        let case = read("我邻居脑梗了 我手麻");
        assert!(!case.findings.iter().any(|finding| finding.status == FindingStatus::Present && finding.text.contains("脑梗")));
        assert!(!case.conditions.iter().any(|condition| condition.status == ConditionStatus::Known), "{:?}", case.conditions);
        assert!(case.findings.iter().any(|finding| finding.status == FindingStatus::Present), "the numb hand is his own");
    }

    #[test]
    fn a_friend_is_the_patient_where_the_writer_complains_of_nothing() {
        for text in [
            "我朋友突然胸痛出汗 我该怎么办",
            "同事晕倒了 我在旁边 怎么急救",
            "朋友一直吐血，我看他吐了好几次",
            "朋友突然胸痛大汗，我想麻烦问一下怎么办",
        ] {
            let case = read(text);
            assert!(case.findings.iter().all(|finding| finding.status != FindingStatus::FamilyHistory), "{text}: {:?}", case.findings);
            assert!(!case.findings.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_never_was_is_not_past_and_what_is_now_stays() {
        let case = read("以前没得过中风");
        assert!(case.conditions.iter().all(|condition| condition.status != ConditionStatus::Past), "{case:?}");
        let case = read("胸痛以前做过支架");
        assert!(case.findings.iter().any(|finding| finding.status == FindingStatus::Present), "{:?}", case.findings);
    }

    #[test]
    fn a_list_that_is_denied_goes_on_over_spaces() {
        let case = read("否认 胸痛 呼吸困难 发热");
        assert!(!case.findings.is_empty() && case.findings.iter().all(|finding| finding.status == FindingStatus::Absent), "{case:?}");
        let case = read("没有外伤 头痛呕吐");
        assert!(case.findings.iter().any(|finding| finding.status == FindingStatus::Present), "{:?}", case.findings);
    }

    #[test]
    fn a_sister_in_law_is_a_woman_and_a_brother_in_law_a_man() {
        for (text, sex) in [
            ("我姐夫胸痛", PatientSex::Male),
            ("我弟妹肚子痛", PatientSex::Female),
            ("我弟媳发烧", PatientSex::Female),
            ("我哥胸痛", PatientSex::Male),
        ] {
            assert_eq!(read(text).patient.sex, Some(sex), "{text}");
        }
    }

    #[test]
    fn absent_breath_sounds_are_there_now() {
        let case = read("右肺呼吸音消失，气管偏移");
        assert!(
            case.findings.iter().any(|finding| finding.text.contains("呼吸音") && finding.status == FindingStatus::Present),
            "{:?}",
            case.findings
        );
    }
}
