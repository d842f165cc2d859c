//! Whose a finding is: a relative's, somebody else's; and what is only somebody's opinion. The words are in `assets/status.toml`.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::kin_allergy::{is_on_record, reports_in_chinese};
use super::layout::Layout;
use super::scope::{Scopes, WORDS, begins_own, is_contrast};
use crate::language::phrase_pattern::{pattern_at, words_of};
use crate::language::phrase_table::PhraseTable;
use crate::text::Token;

/// What follows 我 where somebody tells of himself: 我最近, 我也, 我总是.
const OF_SELF: [&str; 16] = ["最", "也", "总", "现", "今", "昨", "近", "经", "一", "有", "头", "胸", "肚", "这", "自", "常"];
/// What follows "I have" where it is an illness, and what follows "I am" where it is none.
const AN_ILLNESS: [&str; 12] = ["a", "an", "the", "this", "these", "also", "some", "similar", "constant", "terrible", "bad", "been"];
const NO_ILLNESS: [&str; 27] = [
    "a",
    "an",
    "the",
    "his",
    "her",
    "their",
    "worried",
    "concerned",
    "scared",
    "asking",
    "calling",
    "writing",
    "not",
    "so",
    "very",
    "really",
    "at",
    "in",
    "on",
    "sure",
    "giving",
    "trying",
    "wondering",
    "afraid",
    "desperate",
    "out",
    "just",
];
/// Kin that the list of relatives has not, one of whom may be the patient.
const KIN: &str = "granddaughter|grandson|grandchild|grandkid|boyfriend|girlfriend|fiance|fiancee|stepson|stepdaughter|孙女|孙子|外孙女|外孙|\
                   男朋友|女朋友";
/// People who ask for themselves where they are ill, and several, who are no one patient.
const ACQUAINTED: &str = "kids|kiddies|grandkids|grandchildren|granddaughters|grandsons|flatmate|flatmates|flat mate|housemate|housemates|\
                          house mate|roommate|roommates|room mate|colleague|colleagues|workmate|workmates|coworker|co worker|classmate|\
                          classmates|neighbour|neighbor|neighbours|my boss|lodger|室友|舍友|同事|同学|邻居|朋友|同屋";
/// Illnesses that one catches from another.
const ILLNESSES: &str = "cold|colds|flu|influenza|covid|covid19|coronavirus|norovirus|d v|d and v|dv|bug|virus|chickenpox|chicken pox|pox|\
                         measles|mumps|rubella|shingles|tonsillitis|strep|scarlet fever|croup|cough|coughs|coughing|sneezing|sniffles|\
                         sniffle|vomiting|puking|diarrhoea|diarrhea|gastroenteritis|gastro|impetigo|scabies|nits|threadworms|worms|\
                         conjunctivitis|meningitis|tb|tuberculosis|whooping cough|hand foot and mouth|slapped cheek|ringworm|rsv|\
                         bronchiolitis|glandular fever|感冒|流感|新冠|甲流|乙流|水痘|麻疹|腮腺炎|手足口|诺如|结核|百日咳|猩红热|支原体";
/// Words between somebody and what he has, those that say that he has it, and those behind "has" where it is no illness: "has told me that …".
const FILLING: &str = "all both just also recently who is are was were been at home in bed went came going still currently tested picked up \
                       school nursery work with for of each only";
const HAVING: &str = "died had has have having got gets getting caught developed diagnosed positive down off ill poorly sick full coughing sneezing \
                      vomiting puking";
const NOT_HAVING: &str = "told said given noticed suggested offered lent seen asked to me us taken swallowed collapsed fallen";
/// How many words what a relative has may reach.
pub(super) const RELATIVE_REACH: usize = 12;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Relatives {
    words: Vec<String>,
    report: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Opinions {
    pub(super) who: Vec<String>,
    lay: Vec<String>,
    holds: Vec<String>,
    within: usize,
    reach: usize,
}

/// How many words before what is told a relative may stand who has it: "my mum is diabetic".
const BESIDE_RELATIVE: usize = 4;

static RELATIVES: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(&WORDS.relatives.words));
static OPINIONS: LazyLock<[PhraseTable<()>; 3]> =
    LazyLock::new(|| [&WORDS.opinions.who, &WORDS.opinions.holds, &WORDS.opinions.lay].map(PhraseTable::of_phrases));
/// People beside the patient, and whether they are kin, who may be the patient: "my grandson has croup".
static CONTACTS: LazyLock<PhraseTable<bool>> =
    LazyLock::new(|| PhraseTable::of(KIN.split('|').map(|who| (who, true)).chain(ACQUAINTED.split('|').map(|who| (who, false)))));
static CONTAGIOUS: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of_phrases(ILLNESSES.split('|')));

/// Where the words end that name somebody at a token: "brother", "brother's", 我妈, 邻居.
pub(super) fn person_at(tokens: &[Token], at: usize) -> Option<usize> {
    if is_period(tokens, at, at + 2) {
        return None;
    }
    let named = RELATIVES.at(tokens, at).map(|found| found.last).max(CONTACTS.at(tokens, at).map(|found| found.last));
    // "Brother's allergic" is one word.
    let owner = || {
        let token = tokens.get(at).filter(|token| !token.cjk)?;
        let one = Token { text: token.text.strip_suffix('s')?.to_owned(), ..token.clone() };
        RELATIVES.at(&[one], 0).map(|_| at + 1)
    };
    named.or_else(owner)
}

/// Whether 姨妈 is what women call their period, and no aunt: 大姨妈迟了, 姨妈没来, 姨妈痛.
fn is_period(tokens: &[Token], first: usize, last: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_aunt = word(first) == "姨" && word(first + 1) == "妈" && last == first + 2;
    let next = if word(last) == "还" || word(last) == "又" { last + 1 } else { last };
    is_aunt
        && (matches!(word(next), "来" | "迟" | "推" | "延" | "提" | "期" | "量" | "巾" | "干" | "晚" | "痛")
            || matches!((word(next), word(next + 1)), ("没" | "不", "来") | ("走", "了")))
}

/// Whether a relative is named at a token.
pub(super) fn is_relative(tokens: &[Token], at: usize) -> bool {
    RELATIVES.at(tokens, at).is_some() || CONTACTS.at(tokens, at).is_some()
}

/// Whether a text says by this word that the patient has something: "type 2 diabetic"; not "am I diabetic?", "my mum is diabetic" or "pre-diabetic".
pub(super) fn is_told_as_known(tokens: &[Token], layout: &Layout, scopes: &Scopes, word: &str) -> bool {
    let words = words_of(word);
    let is_told = |at: &usize| {
        let marks = scopes.at(*at);
        let is_other = marks.absent || marks.uncertain || marks.risk || marks.family || marks.opinion;
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map_or("", |token| token.text.as_str());
        // "My mum is diabetic".
        let is_of_relative = (at.saturating_sub(BESIDE_RELATIVE)..*at).any(|before| is_relative(tokens, before));
        !is_other && !is_of_relative && !layout.sentence(*at).asks && before != "pre"
    };
    (0..tokens.len()).filter(|at| pattern_at(tokens, *at, &words, &mut Vec::new()).is_some()).any(|at| is_told(&at))
}

/// Whether somebody tells from token `from` on of his own complaints: "my mother has diabetes and I am thirsty", 妈妈有糖尿病，我最近总口渴.
pub(super) fn tells_of_self(tokens: &[Token], from: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    (from..tokens.len()).any(|at| {
        let asks = at > 0 && matches!(word(at - 1), "should" | "can" | "could" | "do" | "must" | "may" | "shall" | "what" | "will" | "am");
        match (word(at), word(at + 1)) {
            ("i", "feel" | "felt" | "keep" | "suffer") => !asks,
            ("i", "have" | "had" | "got") => !asks && AN_ILLNESS.contains(&word(at + 2)),
            ("i", "am") => !asks && !NO_ILLNESS.contains(&word(at + 2)),
            ("im", next) => !NO_ILLNESS.contains(&next),
            ("ive", "had" | "got" | "been") => true,
            ("我", next) => OF_SELF.contains(&next) && tokens.get(at).is_some_and(|token| token.after_break),
            _ => false,
        }
    })
}

impl Scopes {
    /// Marks what somebody holds it to be.
    pub(super) fn find_opinions(&mut self, text: &str, tokens: &[Token], layout: &Layout) {
        let [who, holds, lay] = &*OPINIONS;
        for person in who.find_all(tokens).into_iter().chain(lay.find_all(tokens)) {
            let sentence = layout.sentence(person.first);
            let said = holds
                .find_all(tokens)
                .into_iter()
                .map(|said| (said.first, said.last))
                .find(|said| said.0 >= person.last && said.0 < person.last + WORDS.opinions.within && said.1 <= sentence.last);
            // "Surgeons: 'not a leak'".
            let said = said.or_else(|| is_quoted(text, tokens, person.last).then_some((person.last, person.last)));
            let Some((_, last)) = said else { continue };
            // "The doctor says I have gout" tells of a diagnosis.
            let tells = |at: usize| {
                tokens
                    .get(at)
                    .is_some_and(|token| matches!(token.text.as_str(), "have" | "ive" | "has" | "got" | "my" | "我" | "得" | "有"))
            };
            // What a friend says or the internet is a guess however it is put.
            let is_lay = lay.at(tokens, person.first).is_some();
            if !is_lay && (last..last + 3).any(tells) {
                continue;
            }
            let end = sentence.last.min(last + WORDS.opinions.reach);
            // "Says it is gastritis, 62-year-old diabetic", "says it is gas, I have gallstones": the patient is described.
            let describes = |token: &Token| token.after_break && begins_own(token);
            let ends = |at: &usize| tokens.get(*at).is_some_and(|token| is_contrast(&token.text) || *at > last && describes(token));
            let end = (last..end).find(ends).unwrap_or(end);
            self.mark(last..end, |marks| (marks.opinion, marks.hearsay) = (true, marks.hearsay || is_lay));
        }
    }

    /// Marks what relatives have. The question is about a relative where it begins with one; then nothing is marked.
    pub(super) fn find_relatives(&mut self, tokens: &[Token], layout: &Layout) {
        let mut named = RELATIVES.find_all(tokens);
        named.retain(|found| !is_period(tokens, found.first, found.last));
        let speaks_of_self = |from: usize, to: usize| {
            let said = tokens.get(from..to).unwrap_or_default();
            said.iter().any(|token| matches!(token.text.as_str(), "i" | "im" | "ive" | "me" | "my" | "我"))
        };
        for (number, found) in named.iter().enumerate() {
            let next = tokens.get(found.last).map_or("", |token| token.text.as_str());
            let sentence = layout.sentence(found.first);
            let told = tokens.get(found.last..(found.last + 3).min(sentence.last)).unwrap_or_default();
            let had = told.iter().any(|token| {
                matches!(token.text.as_str(), "had" | "died" | "has" | "with" | "have" | "diagnosed" | "患" | "有" | "得" | "以" | "曾")
            });
            let only_had = told.iter().take(2).any(|token| matches!(token.text.as_str(), "had" | "died" | "diagnosed"));
            // "His wife found him after a seizure".
            let finds = next == "found" && told.get(1).is_some_and(|token| matches!(token.text.as_str(), "him" | "her" | "them" | "me"));
            let reports = finds || told.iter().any(|token| WORDS.relatives.report.contains(&token.text)) || reports_in_chinese(told);
            let reports = reports || is_on_record(tokens, found.last, sentence.last);
            let owns =
                matches!(next, "s") || tokens.get(found.first).is_some_and(|token| token.text.ends_with('s') && token.text.len() > 3);
            // "我和老公都头疼", "me and my husband feel sick": what both have, the patient has.
            let joined = (found.first.saturating_sub(4)..found.first).any(|at| {
                let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
                matches!(word(at), "我" | "i" | "me" | "she" | "he" | "both") && matches!(word(at + 1), "和" | "跟" | "与" | "and")
            });
            let joined = joined || matches!((next, told.get(1).map_or("", |token| token.text.as_str())), ("and", "i" | "me"));
            // Somebody else is spoken of before: "74 yr old teacher … Mother had a stroke", "I have a cough. My father …".
            let begins_text = number == 0 && tokens.get(..found.first).unwrap_or_default().iter().all(|token| greets(tokens, token));
            // "His brother has schizophrenia; he now hears voices": he is the patient.
            let owner = found.first.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
            let told_of = match owner {
                "his" => "he",
                "her" => "she",
                _ => "",
            };
            let is_of_another = tokens.get(sentence.first..).unwrap_or_default().iter().any(|token| token.text == told_of);
            let begins_text = begins_text && !is_of_another;
            let has_it = had && tells_of_self(tokens, found.last);
            // "If a friend has a fit": nobody in particular has it.
            let asked = found.first.saturating_sub(3)..found.first;
            let is_asked = |at: usize| tokens.get(at).is_some_and(|token| matches!(token.text.as_str(), "if" | "when"));
            let is_nobody = matches!(owner, "a" | "an") && asked.into_iter().any(is_asked);
            let protagonist = begins_text && !has_it && !(only_had && speaks_of_self(found.last, tokens.len()));
            // A direct apposition: "brother T1DM", "mother hypothyroid".
            let is_in_notes = !matches!(owner, "my" | "our");
            let apposed = is_in_notes
                && told
                    .first()
                    .is_some_and(|token| !token.after_break && !matches!(token.text.as_str(), "and" | "is" | "was" | "who" | "to" | "for"));
            // "Brought in by his wife with a stroke", "brings her son with a fever": the patient has it.
            let brings = |at: usize| {
                let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
                matches!(word(at), "by" | "brings" | "brought" | "bringing")
            };
            // "Since his wife died low mood" tells of him; "since his father died of a stroke" does not.
            let is_of = |at: usize| tokens.get(at).is_some_and(|token| matches!(token.text.as_str(), "of" | "from" | "with" | "after"));
            let is_since = found
                .first
                .checked_sub(2)
                .and_then(|at| tokens.get(at))
                .is_some_and(|token| matches!(token.text.as_str(), "since" | "after"));
            let joined = joined || next == "died" && is_since && !(found.last..found.last + 6).any(is_of);
            let joined = joined || next == "with" && (found.first.saturating_sub(5).max(sentence.first)..found.first).any(brings);
            if protagonist || is_nobody || joined || reports || owns || !(had || apposed) {
                continue;
            }
            let end = sentence.last.min(found.last + RELATIVE_REACH);
            let ends = |at: &usize| {
                let Some(token) = tokens.get(*at) else { return true };
                // "Mother had a stroke, and I feel dizzy"
                is_contrast(&token.text)
                    || matches!(token.text.as_str(), "i" | "im" | "ive" | "he" | "she" | "my" | "so" | "我")
                    || (token.after_break && *at > found.last)
            };
            let end = (found.last..end).find(ends).unwrap_or(end);
            let end = if matches!(owner, "my" | "our" | "his" | "her") && goes_on(tokens, end, sentence.last) {
                let most = sentence.last.min(end + RELATIVE_REACH);
                (end + 1..most).find(ends).unwrap_or(most)
            } else {
                end
            };
            self.mark(found.first..end, |marks| marks.family = true);
        }
        for contact in contacts(tokens, layout) {
            self.mark(contact, |marks| marks.family = true);
        }
    }
}

/// Whether a colon and a quotation mark stand before a token: what follows are somebody's words.
fn is_quoted(text: &str, tokens: &[Token], at: usize) -> bool {
    let (from, to) = (at.checked_sub(1).and_then(|before| tokens.get(before)), tokens.get(at));
    let between = from.zip(to).and_then(|(one, next)| text.get(one.end..next.start)).unwrap_or_default();
    between.contains([':', '：']) && between.contains(['\'', '"', '“', '‘', '「', '”', '’'])
}

/// Where a text tells of what somebody beside the patient has: "granddaughter had a cold", "kids all have D&V", 孙女感冒了. Kin with whom a text
/// begins, and somebody of whom it goes on to speak, is the patient.
fn contacts(tokens: &[Token], layout: &Layout) -> Vec<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut found = Vec::new();
    for person in CONTACTS.find_all(tokens) {
        let sentence = layout.sentence(person.first);
        let is_chinese = tokens.get(person.first).is_some_and(|token| token.cjk);
        let breaks = |at: &usize| tokens.get(*at).is_some_and(|token| token.after_break);
        let clause_end = (person.last..sentence.last).find(breaks).unwrap_or(sentence.last);
        // 孙女士 is a lady; 同事说我感冒了 tells of the patient.
        let speaks = |at: &usize| matches!(word(*at), "我" | "说" | "给" | "叫" | "建" | "推" | "送");
        let clause_end = (person.last..clause_end).find(speaks).unwrap_or(clause_end);
        // "Can kids have it for a cold?"
        let before = person.first.checked_sub(1).map_or("", word);
        let is_asked = matches!(before, "can" | "could" | "should" | "do" | "may");
        if is_asked || is_chinese && word(person.last) == "士" {
            continue;
        }
        let told = if is_chinese { Some(person.last) } else { told_of_having(tokens, person.last, clause_end) };
        let Some(told) = told.filter(|told| *told < clause_end) else { continue };
        let most = clause_end.min(told + RELATIVE_REACH);
        let ill = (told..most).find_map(|at| CONTAGIOUS.at(tokens, at)).filter(|ill| ill.last <= clause_end);
        let opens = |token: &Token| greets(tokens, token) || matches!(token.text.as_str(), "all" | "quick" | "question" | "there" | "ok");
        let begins = tokens.get(..person.first).unwrap_or_default().iter().all(opens);
        if begins && (refers_back(tokens, person.last) || (person.means && !speaks_of_himself(tokens, person.last))) {
            continue;
        }
        let has = told + usize::from(is_chinese);
        let is_told = !is_chinese || (told..has + 2).any(|at| matches!(word(at), "有" | "得" | "患"));
        if ill.is_none() && (begins || !person.means || !is_told) {
            continue;
        }
        let ends = |at: &usize| {
            let is_number = word(*at).starts_with(|c: char| c.is_ascii_digit());
            let is_other = matches!(word(*at), "i" | "im" | "ive" | "he" | "she" | "my" | "me" | "so" | "since" | "while" | "today" | "我");
            is_contrast(word(*at)) || is_number || is_other || (word(*at) == "and" && clause_end - *at > 3)
        };
        let from = ill.map_or(told + 1, |ill| ill.last);
        let end = (from..most.max(from)).find(ends).unwrap_or(most.max(from));
        found.push(person.first..end);
    }
    found
}

/// The last word of those that say that somebody has something, from a token on: "all have", "is off with".
pub(super) fn told_of_having(tokens: &[Token], from: usize, last: usize) -> Option<usize> {
    let is_in = |list: &str, word: &str| list.split_whitespace().any(|says| says == word);
    let mut told = None;
    for at in from..last {
        let word = tokens.get(at)?.text.as_str();
        if is_in(NOT_HAVING, word) || WORDS.relatives.report.iter().any(|says| says == word) {
            return None;
        } else if is_in(HAVING, word) {
            told = Some(at);
        } else if !is_in(FILLING, word) {
            break;
        }
    }
    told
}

/// Whether a text goes on about somebody: "what can I give her?", "what to give".
pub(super) fn refers_back(tokens: &[Token], from: usize) -> bool {
    let refers = |token: &Token| {
        matches!(token.text.as_str(), "she" | "he" | "her" | "him" | "his" | "they" | "them" | "shes" | "hes" | "give" | "她" | "他")
    };
    tokens.get(from..).unwrap_or_default().iter().any(refers)
}

/// Whether somebody speaks of himself from a token on, more than to ask what to do: "I need", "my temp", not "what can I give".
fn speaks_of_himself(tokens: &[Token], from: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    (from..tokens.len()).any(|at| match word(at) {
        "me" | "my" | "im" | "ive" => true,
        "i" => {
            let asks = matches!(word(at.saturating_sub(1)), "should" | "can" | "could" | "do" | "must" | "may" | "shall");
            let acts =
                matches!(word(at + 1), "give" | "do" | "treat" | "use" | "know" | "tell" | "call" | "worry" | "help" | "wonder" | "think");
            !asks && !acts
        }
        "我" => !matches!(word(at + 1), "该" | "能" | "可" | "要" | "应" | "想" | "怎" | "们"),
        _ => false,
    })
}

/// What kin is called, and says nothing of anybody else.
const KINDS_OF_KIN: &str = "elderly older oldest eldest young younger youngest teenage teen adult little baby newborn diabetic \
                            pregnant asthmatic epileptic disabled frail poorly own lovely only middle";

/// Whether a word before the first relative of a text says nothing of anybody else.
fn greets(tokens: &[Token], token: &Token) -> bool {
    // "My 40 year old husband".
    let is_age = token.text.starts_with(|c: char| c.is_ascii_digit()) || matches!(token.text.as_str(), "year" | "yr" | "yo" | "old");
    let is_owned = tokens.first().is_some_and(|first| matches!(first.text.as_str(), "my" | "our"));
    // "My elderly mother", "my teenage son".
    ((is_age || KINDS_OF_KIN.split_whitespace().any(|kind| kind == token.text)) && is_owned && !token.after_break)
        || matches!(
            token.text.as_str(),
            "hi" | "hello"
                | "dear"
                | "doctor"
                | "dr"
                | "my"
                | "our"
                | "the"
                | "so"
                | "please"
                | "hey"
                | "help"
                | "a"
                | "your"
                | "his"
                | "her"
                | "good"
                | "morning"
                | "evening"
                | "also"
                | "and"
                | "is"
                | "can"
                | "should"
                | "if"
                | "how"
                | "what"
                | "why"
                | "我"
                | "你"
                | "您"
                | "好"
                | "医"
                | "生"
                | "请"
                | "问"
                | "家"
                | "的"
        )
}

/// Whether a clause at a token goes on about who was spoken of: "my nephew slept here, came out in chickenpox".
fn goes_on(tokens: &[Token], at: usize, last: usize) -> bool {
    let word = |at: usize| tokens.get(at).filter(|_| at < last).map_or("", |token| token.text.as_str());
    let begins = tokens.get(at).is_some_and(|token| token.after_break);
    let at = if matches!(word(at), "then" | "and" | "who" | "but") { at + 1 } else { at };
    let at = if matches!(word(at), "then" | "now" | "has" | "have") { at + 1 } else { at };
    begins
        && match word(at) {
            "came" | "come" | "broke" | "covered" => matches!(word(at + 1), "out" | "up" | "down" | "in"),
            "went" | "gone" => word(at + 1) == "down",
            "caught" | "diagnosed" => true,
            "tested" => word(at + 1) == "positive",
            "was" | "been" => matches!(word(at + 1), "diagnosed" | "found"),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::super::tests::is_of_another;

    #[test]
    fn what_somebody_beside_the_patient_has_is_not_the_patients() {
        for (text, word) in [
            ("On cyclophosphamide, shivering. The grandkids had colds at the weekend.", "colds"),
            ("38F pregnant, tickly throat. Housemate tested positive for covid.", "covid"),
            ("Kids all have D&V. Throwing up since 3am, 30 weeks pregnant", "v"),
            ("My colleague is off with norovirus, do I need to stay away?", "norovirus"),
            ("Temp 39 on chemo. Grandson came down with chickenpox on Friday", "chickenpox"),
            ("发烧39度，化疗中，外孙得了水痘", "水"),
            ("咳嗽3周，姨妈有乳腺癌", "乳"),
            ("咳嗽三天，室友感冒", "感"),
            ("Cough and fever, hubby had flu last week", "flu"),
        ] {
            assert!(is_of_another(text, word), "{text}");
        }
    }

    #[test]
    fn the_patient_may_be_kin_and_what_is_told_of_the_patient_stays() {
        for (text, word) in [
            ("My daughter has a cold, what can I give her?", "cold"),
            ("Kids all have D&V, what can I give?", "v"),
            ("My grandson has croup, what should I do?", "croup"),
            ("My flatmate has taken 30 paracetamol", "paracetamol"),
            ("My neighbour has chest pain and has collapsed, what now?", "chest"),
            ("Shivery. My colleague said flu is going round", "flu"),
            ("The kids had colds and now I have a fever", "fever"),
            ("How much paracetamol can kids have for a cold?", "cold"),
            ("孙女士感冒三天", "感"),
            ("25岁女性，大姨妈迟了半个月", "迟"),
            ("孙女感冒了，能吃什么药", "感"),
            ("同事说我感冒了", "感"),
        ] {
            assert!(!is_of_another(text, word), "{text}");
        }
    }
}
