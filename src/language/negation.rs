//! Negation: what a question says is absent, such as "no fever" or "denies cough or chills".
//!
//! A cue denies the words after it, up to the end of its clause, a word that begins another thought, or a limit of words
//! (NegEx, Chapman et al. 2001). A comma also ends it, unless the list continues to an "or". The words are in
//! `assets/negation.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::{Token, clause_around, tokenise};

/// The most words that a cue denies.
const WITHIN: usize = 6;
/// The same for 不, in characters.
const WITHIN_CHINESE_NOT: usize = 4;
/// Denies what follows it right away, or says what cannot be done.
const NOT: &str = "不";
/// The most words that a cue denies which denies a whole list.
const LIST_OF_ALL: usize = 40;
/// What makes an adjective of a noun: 无痛性.
const OF_KIND: &str = "性";
/// The most words of an item of a list that slashes join.
const ITEM: usize = 3;
/// How many words after a comma an "or" may follow that continues the list.
const LIST_WITHIN: usize = 6;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    cues: Vec<String>,
    not_after: Vec<String>,
    findings: Vec<String>,
    ends: Vec<String>,
    lists: Vec<String>,
    of_complaints: Vec<String>,
    failing: Vec<String>,
    complaints: Vec<String>,
    relatives: Vec<String>,
    not_denied: String,
    denied_pairs: Vec<String>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(include_str!("../../assets/negation.toml")).unwrap_or_default());
static CUES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let mut cues: Vec<Vec<String>> = WORDS.cues.iter().map(|cue| tokenise(cue).into_iter().map(|token| token.text).collect()).collect();
    // The longest match wins.
    cues.sort_by_key(|cue| std::cmp::Reverse(cue.len()));
    cues
});

/// Words that a cue denies, and the first word of the cue: tokens `cue..last`, of which `first..last` are denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Denied {
    pub(crate) cue: usize,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// Whether the name of a finding or condition begins at a token.
pub(crate) type IsFindingAt<'a> = &'a dyn Fn(usize) -> bool;

/// The denials of a text, in order. `is_finding_at`: what decides where a Chinese word only resembles a turn of phrase: 没打 has no complaint,
/// 没打呼噜 denies one.
pub(crate) fn denied(text: &str, tokens: &[Token], is_finding_at: IsFindingAt<'_>) -> Vec<Denied> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some(length) = cue_at(tokens, at, is_finding_at) else {
            at += 1;
            continue;
        };
        let first = at + length;
        let cue: String = tokens[at..first].iter().map(|token| token.text.as_str()).collect();
        let is_list = WORDS.lists.contains(&cue);
        let within = match () {
            () if is_list => LIST_OF_ALL,
            () if cue == NOT => WITHIN_CHINESE_NOT,
            () => WITHIN,
        };
        let end = tokens.len().min(first + within);
        let last = (first..end).find(|next| ends_at(text, tokens, (first, *next), is_list, is_finding_at)).unwrap_or(end);
        let last = if last > first { slashed_list(text, tokens, (first, last), is_finding_at) } else { last };
        if last > first {
            all.push(Denied { cue: at, first, last });
        }
        at = last.max(first);
    }
    all
}

/// Whether the complaint at this token is denied by one of the two words before it ("not really swollen"), or by "nothing" ("nothing swollen", "nothing
/// red or swollen").
pub(crate) fn is_denied_complaint(tokens: &[Token], at: usize) -> bool {
    let word = |back: usize| at.checked_sub(back).and_then(|before| tokens.get(before)).map_or("", |token| token.text.as_str());
    let joined = tokens.get(at).is_some_and(|token| !token.after_break);
    if joined && (word(1) == "nothing" || (word(1) == "or" && word(3) == "nothing")) {
        return true;
    }
    let before = (at.saturating_sub(2)..at).rev().take_while(|before| !tokens[before + 1].after_break);
    before.into_iter().any(|before| has(&WORDS.of_complaints, &tokens[before]) && (!tokens[before].cjk || before + 1 == at))
}

/// Whether a word only denies.
pub(crate) fn is_denying(word: &Token) -> bool {
    has(&WORDS.of_complaints, word)
}

/// Whether a word says in another way that something is not so, or not as it should be.
pub(crate) fn is_failing(word: &Token) -> bool {
    has(&WORDS.failing, word)
}

/// Whether a word denies the verb behind it and no complaint: "hasn't stopped vomiting" denies no vomiting, "the mole hasn't grown" the growth.
pub(crate) fn is_perfect_denial(word: &str) -> bool {
    matches!(word, "hasnt" | "havent" | "hadnt")
}

fn has(words: &[String], token: &Token) -> bool {
    words.contains(&token.text)
}

/// How many words an adjective of absence at this token has that describes the finding right behind it and denies nothing of that: 无痛 of 无痛血尿, 无痛性,
/// 无症状, and the 无热 of 无热惊厥. A pause behind it makes it a denial (无痛、无血尿), and so does a name that begins with what it lacks (无痛经).
pub(crate) fn adjective_at(tokens: &[Token], at: usize, is_finding_at: IsFindingAt<'_>) -> Option<usize> {
    let word = |at: usize| tokens.get(at).filter(|token| !token.after_break).map_or("", |token| token.text.as_str());
    let lacks = match (tokens.get(at)?.text.as_str(), word(at + 1), word(at + 2)) {
        ("无", "症", "状") => 3,
        ("无", "痛", _) if !is_finding_at(at + 1) => 2,
        // "No febrile seizures" is said with 热性惊厥.
        ("无", "热", next) if next != OF_KIND => 2,
        _ => return None,
    };
    let length = lacks + usize::from(word(at + lacks) == OF_KIND);
    (!word(at + length).is_empty() && is_finding_at(at + length)).then_some(length)
}

/// The number of words in the cue at this token; `None` if there is no cue, or if the words after it make it part of a finding.
fn cue_at(tokens: &[Token], at: usize, is_finding_at: IsFindingAt<'_>) -> Option<usize> {
    if adjective_at(tokens, at, is_finding_at).is_some() {
        return None;
    }
    let fits = |cue: &&Vec<String>| {
        cue.iter()
            .enumerate()
            .all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == *word && (i == 0 || !token.after_break)))
    };
    let length = match CUES.iter().find(fits) {
        Some(cue) => cue.len(),
        // "Not losing weight" denies what is done; "not only" and "not sure" do not.
        None if tokens.get(at).is_some_and(|token| token.text == "not") && is_gerund(tokens.get(at + 1)) => 1,
        None if denies_in_chinese(tokens, at, is_finding_at) => 1,
        None => return None,
    };
    // 有没有 asks; 但是不 does not.
    let is_not = tokens.get(at).is_some_and(|token| token.text == NOT);
    let after_other = !is_not && at.checked_sub(1).is_some_and(|before| has(&WORDS.not_after, &tokens[before]));
    // A Chinese word is told by its first character: 无尿 is a finding, 无血尿 is not.
    let is_chinese = tokens.get(at + length).is_some_and(|token| token.cjk);
    let within = if is_chinese { 1 } else { 2 };
    let finding = tokens[at + length..].iter().take(within).position(|token| has(&WORDS.findings, token));
    // "No hearing" is a finding; "no hearing loss" denies one.
    let is_complaint = |place: usize| pair_at(tokens, at + length, &WORDS.complaints) || is_finding_at(at + length + place);
    let is_finding = finding.is_some_and(|place| !is_complaint(place));
    (!after_other && !is_finding).then_some(length)
}

/// Whether a 不 at this token denies what follows.
fn denies_in_chinese(tokens: &[Token], at: usize, is_finding_at: IsFindingAt<'_>) -> bool {
    let Some(next) = tokens.get(at + 1).filter(|next| next.cjk && !next.after_break) else { return false };
    tokens.get(at).is_some_and(|token| token.text == NOT)
        && (!WORDS.not_denied.contains(&next.text) || pair_at(tokens, at + 1, &WORDS.denied_pairs) || is_finding_at(at + 1))
}

/// Whether one of these words of two characters begins at a token.
fn pair_at(tokens: &[Token], at: usize, pairs: &[String]) -> bool {
    let Some([one, two]) = tokens.get(at..at + 2) else { return false };
    !two.after_break && pairs.iter().any(|pair| *pair == format!("{}{}", one.text, two.text))
}

fn is_gerund(token: Option<&Token>) -> bool {
    token.is_some_and(|token| !token.after_break && token.text.len() > 5 && token.text.ends_with("ing"))
}

/// Whether a denial that began at token `first` ends before this token.
fn ends_at(text: &str, tokens: &[Token], (first, at): (usize, usize), is_list: bool, is_finding_at: IsFindingAt<'_>) -> bool {
    let token = &tokens[at];
    if has(&WORDS.ends, token) || (at > first && cue_at(tokens, at, is_finding_at).is_some()) {
        return true;
    }
    if !token.after_break {
        return false;
    }
    let begin = at.checked_sub(1).map_or(0, |before| tokens[before].end);
    let between = text.get(begin..token.start).unwrap_or_default();
    // A space between Chinese characters stands for a comma (否认 胸痛 发热); right behind the denial it is nothing.
    let is_space = token.cjk && between.trim().is_empty() && !between.contains(['\n', '\r']);
    let between = between.trim();
    if is_space && at == first {
        return false;
    }
    let is_comma = matches!(between, "," | "、" | "，" | "/");
    // A list ends behind its "or" or "and".
    let is_open = |from: usize| !tokens[from..at].iter().any(|token| matches!(token.text.as_str(), "or" | "nor" | "and"));
    if is_list && (is_comma || is_space) && at > first && is_open(first) && !tells_anew(tokens, at) {
        return false;
    }
    let goes_on = tokens[at..]
        .iter()
        .take(LIST_WITHIN)
        .take_while(|next| !has(&WORDS.ends, next))
        .any(|next| matches!(next.text.as_str(), "or" | "nor" | "或"));
    !(at > first && is_comma && (goes_on || between == "、"))
}

/// Where a list ends whose items slashes join, of which the words from `first` to `last` are the beginning: "no tinnitus/double vision/weakness" denies
/// all.
fn slashed_list(text: &str, tokens: &[Token], (first, mut last): (usize, usize), is_finding_at: IsFindingAt<'_>) -> usize {
    let is_word = |token: &Token| token.text.starts_with(char::is_alphabetic);
    let ends = |at: usize| {
        tokens.get(at).is_none_or(|token| token.after_break || has(&WORDS.ends, token)) || cue_at(tokens, at, is_finding_at).is_some()
    };
    let is_slash_before = |at: usize| {
        let between = at.checked_sub(1).and_then(|before| tokens.get(before)).zip(tokens.get(at));
        between.and_then(|(before, next)| text.get(before.end..next.start)).is_some_and(|between| between.trim() == "/")
    };
    // The reach of a denial may end within an item.
    if (first + 1..last).any(is_slash_before) && !is_slash_before(last) {
        last = (last..last + ITEM).find(|at| ends(*at)).unwrap_or(last + ITEM);
    }
    loop {
        let Some((before, next)) = last.checked_sub(1).and_then(|at| tokens.get(at)).zip(tokens.get(last)) else { return last };
        let is_joined = text.get(before.end..next.start).is_some_and(|between| between.trim() == "/");
        if !is_joined || !is_word(before) || !is_word(next) || has(&WORDS.ends, next) {
            return last;
        }
        last = (last + 1..last + ITEM).find(|at| ends(*at)).unwrap_or(last + ITEM);
    }
}

/// Whether a clause begins here that tells of what is there, or of somebody else: "cough for 3 weeks", 咳嗽两月, 父亲患肺癌.
fn tells_anew(tokens: &[Token], at: usize) -> bool {
    let clause = tokens.get(clause_around(tokens, at)).unwrap_or_default();
    let is_number = |token: &Token| {
        token.text.starts_with(|c: char| c.is_ascii_digit()) || "一二两三四五六七八九十半数几".contains(token.text.as_str())
    };
    let is_time = |token: &Token| {
        let word = token.text.trim_start_matches(|c: char| c.is_ascii_digit());
        "天周月年日时".contains(word) && token.cjk
            || matches!(word, "day" | "days" | "week" | "weeks" | "month" | "months" | "year" | "years")
    };
    // "Cough for 3 weeks", 咳嗽两月; but "weight loss over 3 months" and 近3月体重下降 are as well denied as what stands before.
    let lasts = clause.iter().enumerate().any(|(i, token)| {
        let behind = clause.get(i + 1..(i + 3).min(clause.len())).unwrap_or_default();
        let time = behind.iter().position(is_time).map(|place| i + 1 + place);
        let since = i
            .checked_sub(1)
            .and_then(|before| clause.get(before))
            .is_some_and(|token| matches!(token.text.as_str(), "for" | "x" | "since"));
        let ends = |time: usize| time + 2 >= clause.len() && i > 0;
        is_number(token) && time.is_some_and(|time| since || (clause.get(time).is_some_and(|token| token.cjk) && ends(time)))
    });
    let is_relative = clause.windows(2).next().is_some_and(|two| {
        let pair: String = two.iter().map(|token| token.text.as_str()).collect();
        WORDS.relatives.contains(&pair)
    });
    lasts || is_relative
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let tokens = tokenise(text);
        denied(text, &tokens, &|_| false).into_iter().map(|d| text[tokens[d.first].start..tokens[d.last - 1].end].to_owned()).collect()
    }

    #[test]
    fn what_is_denied_ends_with_its_clause_or_another_thought() {
        assert_eq!(words("Cough but no fever. Headache too."), ["fever"]);
        assert_eq!(words("I have no fever and I have a cough"), ["fever and"]);
        assert_eq!(words("She denies chest pain, cough, or fever, and vomits."), ["chest pain, cough, or fever"]);
        assert_eq!(words("No fever, headache since Monday"), ["fever"]);
        assert_eq!(words("nil cough/wheeze/haemoptysis, short of breath"), ["cough/wheeze/haemoptysis"]);
        assert_eq!(words("no visual loss / jaw pain / scalp tenderness but a headache"), ["visual loss / jaw pain / scalp tenderness"]);
        assert_eq!(words("without rash/joint pain. Vomiting/fever"), ["rash/joint pain"]);
        assert_eq!(words("no fever 3/7, no cough/now wheezy"), ["fever 3/7", "cough"], "another thought is no item");
        assert_eq!(
            words("no rash/joint swelling/mouth ulcers/hair thinning/dry eyes"),
            ["rash/joint swelling/mouth ulcers/hair thinning/dry eyes"]
        );
        assert_eq!(words("headache without stiff neck but with vomiting"), ["stiff neck"]);
        assert_eq!(words("heartburn, not losing weight"), ["losing weight"]);
        assert_eq!(words("没有发热，咳嗽三天"), ["发热"]);
        assert_eq!(words("否认发热、盗汗、体重下降，咳嗽两月"), ["发热、盗汗、体重下降"]);
        assert_eq!(words("否认胸痛，父亲患肺癌"), ["胸痛"]);
        assert_eq!(words("denies fever, rash, cough for 3 weeks"), ["fever, rash"]);
        assert_eq!(words("denies fever, weight loss over 3 months, rash"), ["fever, weight loss over 3 months, rash"]);
        assert_eq!(words("否认发热、近3月体重下降、盗汗"), ["发热、近3月体重下降、盗汗"]);
        assert_eq!(words("不红不肿不发烧"), ["红", "肿", "发烧"]);
        assert_eq!(words("浑身滚烫但是不出汗，肛门不疼，青霉素不过敏"), ["出汗", "疼", "过敏"]);
        assert_eq!(words("无血尿，无尿频"), ["血尿", "尿频"]);
        for finding in ["睡不着，喘不上气", "月经不规则，不吃奶，不舒服", "无尿", "没有胃口", "叫不醒", "呼吸不畅"]
        {
            assert!(words(finding).is_empty(), "{finding}");
        }
        assert!(words("有没有发烧").is_empty());
    }

    #[test]
    fn the_name_of_a_complaint_is_denied_though_its_first_word_is_what_a_body_does() {
        let text = "No hearing loss, no sleep for days";
        let tokens = tokenise(text);
        let is_name = |at: usize| tokens[at].text == "hearing";
        let denied: Vec<usize> = denied(text, &tokens, &is_name).into_iter().map(|denied| denied.first).collect();
        assert_eq!(denied, [1], "no sleep is a finding");
    }

    #[test]
    fn painless_describes_the_finding_behind_it_and_denies_the_pain_alone() {
        let first_denied = |text: &str| {
            let tokens = tokenise(text);
            let names = ["血尿", "尿血", "便血", "颈部肿块", "惊厥", "热惊厥", "痛经"];
            let is_name = |at: usize| names.iter().any(|name| text[tokens[at].start..].starts_with(name));
            denied(text, &tokens, &is_name).first().map(|denied| text[tokens[denied.first].start..].to_owned())
        };
        for told in ["无痛血尿", "无痛尿血三天", "无痛便血", "无症状血尿", "无痛性颈部肿块", "无热惊厥"] {
            assert_eq!(first_denied(told), None, "{told}");
        }
        for denial in ["无痛、无血尿", "无痛，有血尿", "无痛", "无痛 血尿"] {
            assert!(first_denied(denial).is_some_and(|rest| rest.starts_with('痛')), "{denial}");
        }
        assert_eq!(first_denied("无痛经"), Some("痛经".to_owned()));
        assert_eq!(first_denied("无血尿"), Some("血尿".to_owned()));
    }

    #[test]
    fn what_is_missing_and_turns_of_phrase_are_not_denied() {
        for text in [
            "I have no appetite",
            "there is no sensation in my foot",
            "I can no longer walk",
            "it does not go away",
            "I cannot sleep",
            "没有食欲",
        ] {
            assert!(words(text).is_empty(), "{text}: {:?}", words(text));
        }
    }
}
