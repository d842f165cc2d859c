//! What somebody else has, if the asker is the patient: "my brother is allergic to penicillin but I'm not, I've been given amoxicillin",
//! 母亲有哮喘，本人没有. Neither the illness nor the sex of the other person is the patient's. Only statements of having something count ("is
//! allergic", "has asthma", 有, 对…过敏): an acute complaint of a relative stays the complaint. If the question goes on about the other person
//! ("he was given …"), that person is the patient.

use std::ops::Range;

use super::layout::{Layout, Section};
use super::others::tells_of_own_complaint;
use super::scope::{Scopes, is_contrast};
use super::whose::{person_at, tells_of_self};
use crate::language::negation::IsFindingAt;
use crate::text::{Token, clause_around};

/// How many words behind somebody may say that he has something, and how many behind that what it is.
const SAYS_WITHIN: usize = 2;
const ALLERGY_WITHIN: usize = 4;
/// How many characters behind somebody 有 may stand.
const HAS_WITHIN: usize = 3;
/// Words that say that somebody is or has something.
const IS: [&str; 3] = ["is", "was", "are"];
const HAS: [&str; 8] = ["has", "had", "have", "got", "gets", "suffers", "with", "developed"];
/// After these words, "him" is only somebody near the asker: "can I catch it from him?"
const NEAR: [&str; 9] = ["from", "with", "near", "around", "than", "like", "of", "off", "by"];
/// Words after "I'm on", "I take" or "can I take" that are not drugs.
const NO_DRUG: [&str; 33] = [
    "her", "him", "them", "his", "their", "my", "the", "a", "an", "to", "some", "care", "time", "holiday", "holidays", "leave", "duty",
    "call", "phone", "way", "hold", "shift", "own", "about", "over", "off", "this", "that", "another", "any", "edge", "top", "board",
];
/// Behind 我不 and 我没, what tells of no illness: 我不知道, 我没带体温计.
const NO_DENIAL: &str = "知敢懂放清确明想会太在带看让给法办能需要是很";
/// Who else a Chinese clause that begins with 我 is about, or for whom something is done.
const FOR_OTHERS: &str = "他她它给带陪帮替叫让们看听怕担";
/// Words that ask "which", about nobody in particular.
const WHICH: [&str; 5] = ["什", "哪", "怎", "多", "如"];

impl Scopes {
    /// Takes back that an emergency is another's: whose wife has a thunderclap headache asks for her, whatever he has himself. What a relative had, or has in his
    /// history, stays his. `is_emergency_at`: whether the name of an emergency begins at a token.
    pub(super) fn keep_emergencies(&mut self, tokens: &[Token], layout: &Layout, is_emergency_at: IsFindingAt<'_>) {
        for at in (0..tokens.len()).filter(|at| is_emergency_at(*at)) {
            let clause = clause_around(tokens, at);
            let says = |words: &[&str]| clause.clone().any(|at| tokens.get(at).is_some_and(|token| words.contains(&token.text.as_str())));
            let is_now = says(&["has", "is", "having"]) && !says(&["had", "died", "history", "ago", "previous", "once", "risk"]);
            if is_now && self.at(at).family && layout.section(at) != Section::Family {
                self.mark(at..clause.end, |marks| marks.family = false);
            }
        }
    }

    /// Marks what others have, if the asker is the patient.
    pub(super) fn find_beside_self(&mut self, tokens: &[Token], is_finding_at: IsFindingAt<'_>) {
        for told in of_others(tokens, is_finding_at) {
            self.mark(told, |marks| marks.family = true);
        }
    }
}

/// Where a text tells of what others have while the asker is the patient, in tokens. `is_finding_at`: whether the name of a finding or condition begins at
/// a token.
pub(super) fn of_others(tokens: &[Token], is_finding_at: IsFindingAt<'_>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // What a nursing mother takes, her child takes.
    if is_nursing(tokens) {
        return found;
    }
    let mut at = 0;
    while at < tokens.len() {
        let Some(last) = person_at(tokens, at) else {
            at += 1;
            continue;
        };
        found.extend(told_of(tokens, at..last, is_finding_at));
        at = last;
    }
    found
}

/// What is told of the person at some tokens, unless he is the patient.
fn told_of(tokens: &[Token], person: Range<usize>, is_finding_at: IsFindingAt<'_>) -> Option<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_chinese = tokens.get(person.start)?.cjk;
    let clause = clause_around(tokens, person.end.saturating_sub(1));
    let ends = |at: &usize| {
        let is_self = matches!(word(*at), "i" | "im" | "ive" | "my" | "me" | "我") || (word(*at) == "本" && word(*at + 1) == "人");
        is_self || is_contrast(word(*at))
    };
    let end = (person.end..clause.end).find(ends).unwrap_or(clause.end);
    let is_allergy = if is_chinese {
        (person.end..end).any(|at| word(at) == "过" && word(at + 1) == "敏" && word(at.saturating_sub(1)) != "不")
    } else {
        let is = |at: usize| IS.contains(&word(at)) || HAS.contains(&word(at));
        let owned = word(person.end.saturating_sub(1)).ends_with('s').then_some(person.end);
        let says = (person.end..end.min(person.end + SAYS_WITHIN)).find(|at| is(*at)).map(|at| at + 1).or(owned)?;
        (says..end.min(says + ALLERGY_WITHIN))
            .any(|at| matches!(word(at), "allergic" | "allergy" | "allergies" | "intolerant" | "anaphylaxis"))
    };
    if !is_allergy && !is_told_to_have(tokens, person.clone(), end, is_finding_at) {
        return None;
    }
    // "My mother has diabetes and her foot is black" goes on about her.
    let end = if is_allergy { end } else { (person.end..end).find(|at| word(*at) == "and").unwrap_or(end) };
    let before = person.start.saturating_sub(SAYS_WITHIN)..person.start;
    // "If my mother has …", 如果妈妈有….
    if before.into_iter().any(|at| matches!(word(at), "if" | "when" | "果" | "says" | "said" | "told" | "听")) {
        return None;
    }
    let told = person.start..end;
    let outside = |at: &usize| !told.contains(at);
    let is_other =
        denies_of_self(tokens, &outside, is_finding_at) || !goes_on_about(tokens, &outside) && is_patient(tokens, &told, is_finding_at);
    // "Allergic to penicillin, sulfa and latex but I'm not".
    let sentence_end = (end..tokens.len()).find(|at| ends(at) || tokens.get(*at).is_some_and(|token| token.after_stop && is_chinese));
    let end = sentence_end
        .filter(|last| *last < end + ALLERGY_WITHIN && is_allergy && (end..*last).any(|at| matches!(word(at), "and" | "or" | "和" | "及")))
        .unwrap_or(end);
    is_other.then_some(person.start..end)
}

/// Whether it is told that somebody has something: "has asthma", 有高血压; not 有点胸闷 or "has told me".
fn is_told_to_have(tokens: &[Token], person: Range<usize>, end: usize, is_finding_at: IsFindingAt<'_>) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    if tokens.get(person.start).is_some_and(|token| token.cjk) {
        let speaks = |at: usize| matches!(word(at), "说" | "给" | "让" | "叫" | "问" | "告" | "建" | "推" | "送");
        let has = |at: &usize| match word(*at) {
            "有" => !matches!(word(at + 1), "点" | "些" | "时" | "没" | "一" | "人" | "吗"),
            "患" | "得" => true,
            "确" => word(at + 1) == "诊",
            "是" => is_finding_at(at + 1),
            _ => false,
        };
        return (person.end..end.min(person.end + HAS_WITHIN)).take_while(|at| !speaks(*at)).any(|at| has(&at));
    }
    let says = (person.end..end.min(person.end + SAYS_WITHIN)).find(|at| HAS.contains(&word(*at)) || IS.contains(&word(*at)));
    says.is_some_and(|says| {
        let names = (says + 1..end.min(says + ALLERGY_WITHIN)).any(is_finding_at);
        // "Is having chest pain" tells of now.
        names && word(says + 1) != "having"
    })
}

/// Whether a text denies of the asker what another has: "but I'm not", "I don't", 我不过敏, 本人没有.
fn denies_of_self(tokens: &[Token], outside: &dyn Fn(&usize) -> bool, is_finding_at: IsFindingAt<'_>) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let ends = |at: usize| tokens.get(at).is_none_or(|token| token.after_break);
    (0..tokens.len()).filter(outside).any(|at| {
        let asks = matches!(word(at.saturating_sub(1)), "do" | "should" | "can" | "could" | "am" | "must");
        let behind = match (word(at), word(at + 1), word(at + 2)) {
            ("im", "not", _) | ("i", "dont" | "havent" | "didnt" | "wasnt" | "amnt", _) | ("ive", "not" | "never", _) => at + 2,
            ("i", "am" | "do" | "have", "not") => at + 3,
            ("我", ..) => return denies_in_chinese(tokens, at + 1, is_finding_at),
            ("本", "人", _) => return word(at.saturating_sub(1)) != "者" && denies_in_chinese(tokens, at + 2, is_finding_at),
            _ => return false,
        };
        !asks && (ends(behind) || word(behind) == "allergic" || word(behind) == "have" && is_finding_at(behind + 1))
    })
}

/// Whether what stands behind 我 or 本人 denies that he has something: 不过敏, 没有, 没得过.
fn denies_in_chinese(tokens: &[Token], at: usize, is_finding_at: IsFindingAt<'_>) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let ends = |at: usize| tokens.get(at).is_none_or(|token| token.after_break);
    let at = at + usize::from(matches!(word(at), "也" | "并" | "从" | "都")) + 2 * usize::from((word(at), word(at + 1)) == ("自", "己"));
    match (word(at), word(at + 1)) {
        ("不", "过") => word(at + 2) == "敏",
        ("不", "是") => ends(at + 2),
        ("没" | "未", "得" | "患") => true,
        ("没", "有") => ends(at + 2) || is_finding_at(at + 2) || matches!(word(at + 2), "得" | "患" | "过"),
        ("没" | "无", _) => ends(at + 1) || is_finding_at(at + 1),
        ("否", "认") => true,
        _ => false,
    }
}

/// Whether a text goes on about the other: "he was given …", not "can I catch it from him?".
fn goes_on_about(tokens: &[Token], outside: &dyn Fn(&usize) -> bool) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    (0..tokens.len()).filter(outside).any(|at| {
        let before = at.checked_sub(1).map_or("", word);
        match word(at) {
            "he" | "she" | "his" | "her" | "him" | "hes" | "shes" | "they" | "them" | "their" => !NEAR.contains(&before),
            "他" | "她" => !matches!(before, "被" | "和" | "跟" | "与" | "离" | "像" | "其" | "随"),
            _ => false,
        }
    })
}

/// Whether the asker tells of himself as the patient outside of what is told of another.
fn is_patient(tokens: &[Token], told: &Range<usize>, is_finding_at: IsFindingAt<'_>) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_given =
        |at: usize| matches!(word(at), "given" | "prescribed" | "started" | "put" | "offered" | "vaccinated" | "immunised" | "diagnosed");
    let is_drug =
        |at: usize| !word(at).is_empty() && !NO_DRUG.contains(&word(at)) && !tokens.get(at).is_some_and(|token| token.after_break);
    let is_mine = |at: usize| !NO_DRUG.contains(&word(at)) || word(at) == "a" || word(at) == "an";
    let says = |at: usize| {
        let asks = matches!(word(at.saturating_sub(1)), "can" | "could" | "should" | "may" | "might" | "will" | "would");
        match (word(at), word(at + 1), word(at + 2)) {
            ("i", "catch", _) if asks => true,
            ("i", "take", _) if asks => is_drug(at + 2),
            ("i", "get" | "have", "it") if asks => true,
            ("i", "have" | "am", "been" | "being") => is_given(at + 3) && is_mine(at + 4),
            ("i", "was" | "got" | "am", _) if is_given(at + 2) => is_mine(at + 3),
            ("i", "had" | "have" | "get" | "got", _) => is_finding_at(at + 2),
            ("ive", "had" | "got", _) => is_finding_at(at + 2),
            ("ive" | "im", "been" | "being", _) => is_given(at + 2) && is_mine(at + 3),
            ("im", "on" | "taking", _) => is_drug(at + 2),
            ("i", "am", "on" | "taking") => is_drug(at + 3),
            ("i", "take", _) => is_drug(at + 2),
            ("gave" | "prescribed" | "offered" | "given", "me", _) => is_mine(at + 2),
            ("put", "me", "on") => is_drug(at + 3),
            ("我", ..) => tells_in_chinese(tokens, at, 1, is_finding_at),
            ("本", "人", _) => {
                !matches!(word(at.saturating_sub(1)), "者" | "他" | "她" | "爸" | "妈") && tells_in_chinese(tokens, at, 2, is_finding_at)
            }
            _ => false,
        }
    };
    (0..tokens.len()).filter(|at| !told.contains(at)).any(says) || tells_of_self(tokens, told.end)
}

/// Whether a Chinese clause tells of the asker as the patient: 我28岁, 本人男, 我在吃华法林, 我脚疼, 我能吃布洛芬吗; not 我给他吃药, 我能用什么. `length`: that
/// of 我 or 本人.
fn tells_in_chinese(tokens: &[Token], at: usize, length: usize, is_finding_at: IsFindingAt<'_>) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let clause = clause_around(tokens, at);
    let mut begin = at + length;
    // 我妈, 我的朋友, 我家 and 我们 are others.
    if person_at(tokens, at).is_some() || person_at(tokens, begin).is_some() || matches!(word(begin), "家" | "们" | "的" | "和" | "跟")
    {
        return false;
    }
    if (begin..clause.end).any(|at| FOR_OTHERS.contains(word(at)) || WHICH.contains(&word(at)) || person_at(tokens, at).is_some()) {
        return false;
    }
    if NO_DENIAL.contains(word(begin + 1)) && matches!(word(begin), "不" | "没") {
        return false;
    }
    while begin < clause.end
        && matches!(word(begin), "也" | "自" | "己" | "现" | "在" | "正" | "最" | "近" | "一" | "直" | "今" | "年" | "每" | "天")
    {
        begin += 1;
    }
    let is_number = |at: usize| word(at).starts_with(|c: char| c.is_ascii_digit()) || "一二三四五六七八九十".contains(word(at));
    let may = matches!(word(begin), "能" | "可" | "会" | "需" | "要" | "该");
    let takes = |at: usize| matches!(word(at), "吃" | "服" | "用" | "打" | "喝") && !matches!(word(at + 1), "惊" | "饭" | "心" | "电");
    let verb = if may { (begin..clause.end.min(begin + 5)).find(|at| takes(*at)) } else { Some(begin).filter(|at| takes(*at)) };
    let catches = may && (begin..clause.end).any(|at| matches!((word(at), word(at + 1)), ("传", "染") | ("遗", "传") | ("得", _)));
    let is_aged = is_number(begin) && (begin..clause.end.min(begin + 5)).any(|at| word(at) == "岁");
    let is_of_sex = matches!(word(begin), "男" | "女") || word(begin) == "是" && matches!(word(begin + 1), "男" | "女");
    let has = matches!(word(begin), "有" | "得" | "患") && (begin + 1..begin + 3).any(is_finding_at);
    verb.is_some() || catches || is_aged || is_of_sex || has || tells_of_own_complaint(tokens, at) && length == 1
}

/// Whether somebody nurses a child.
fn is_nursing(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    (0..tokens.len()).any(|at| {
        word(at).starts_with("breastfe")
            || word(at) == "nursing"
            || matches!((word(at), word(at + 1)), ("哺", "乳") | ("喂", "奶") | ("母", "乳"))
    })
}
