//! Who asks: somebody who tells of himself or of his own people, or a clinician who presents a patient.

use crate::text::Token;

/// Words with which people speak of themselves and of their own.
const OWN: [&str; 13] = ["im", "ive", "my", "mine", "myself", "our", "dad", "mum", "mom", "gran", "nan", "grandad", "hubby"];
const OWN_CHINESE: [&str; 7] = ["我", "孩子", "宝宝", "老公", "老婆", "爸", "妈"];
/// Words with which clinicians speak of those whom they treat.
const CLINICAL: [&str; 21] = [
    "patient",
    "patients",
    "pt",
    "pts",
    "ward",
    "clinic",
    "pmh",
    "gcs",
    "registrar",
    "sho",
    "fy1",
    "fy2",
    "resus",
    "bleep",
    "handover",
    "paramedic",
    "resident",
    "icu",
    "itu",
    "obs",
    "referral",
];
const CLINICAL_CHINESE: [&str; 12] =
    ["患者", "病人", "既往", "我院", "我科", "值班", "床位", "收治", "会诊", "首选", "流程", "我该如何处理"];
/// What clinicians call themselves: "I'm a GP", "as a nurse".
const PROFESSIONS: [&str; 9] = ["gp", "nurse", "doctor", "sho", "registrar", "midwife", "pharmacist", "paramedic", "medic"];

/// Whether the person who asks tells of himself or of his own people, and not as a clinician: "my dad", not "73M" and not "my patient".
pub(crate) fn is_lay(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.text.as_str()));
    let chinese: String = tokens.iter().filter(|token| token.cjk).map(|token| token.text.as_str()).collect();
    let says = |words: &[&str]| words.iter().any(|word| chinese.contains(word));
    let says_what_he_is = (1..tokens.len()).any(|at| {
        let before = at.checked_sub(2).map_or("", word);
        PROFESSIONS.contains(&word(at))
            && (matches!(word(at - 1), "a" | "the") && matches!(before, "im" | "am" | "as") || word(at - 1) == "as")
    });
    // "A 45 year old woman" is presented; "my 45 year old daughter" is told of. 男，50岁.
    let is_presented = |at: usize| {
        let is_old = at > 0 && word(at - 1) == "old" && matches!(word(at), "woman" | "man" | "lady" | "gentleman" | "male" | "female");
        let is_owned = (at.saturating_sub(6)..at).any(|before| matches!(word(before), "my" | "im" | "am" | "our"));
        let is_sex = matches!(word(at), "男" | "女")
            && tokens.get(at + 1).is_some_and(|next| next.after_break || next.text.starts_with(|c: char| c.is_ascii_digit()));
        (is_old && !is_owned) || (is_sex && tokens.get(at).is_some_and(|sex| at == 0 || sex.after_break))
    };
    let is_presented = (0..tokens.len()).any(is_presented);
    // "61f", "34yo", "7w old": the age and sex of a note.
    let is_note = |token: &Token| {
        let rest = token.text.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < token.text.len() && matches!(rest, "f" | "m" | "yo" | "yof" | "yom")
    };
    // "What do I use?" is asked by anybody.
    let is_asking = |at: usize| at > 0 && matches!(word(at - 1), "do" | "can" | "should" | "shall" | "could" | "would" | "may" | "did");
    let tells = (0..tokens.len()).any(|at| word(at) == "i" && !is_asking(at));
    (tells || has(&OWN) || says(&OWN_CHINESE))
        && !has(&CLINICAL)
        && !says(&CLINICAL_CHINESE)
        && !says_what_he_is
        && !is_presented
        && !tokens.iter().any(is_note)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn who_tells_of_his_own_is_no_clinician() {
        for question in
            ["My dad's chest hurts", "I'm a 27 year old woman and I bleed", "im bleeding, what should I do", "我妈胸口疼", "孩子发烧抽了"]
        {
            assert!(is_lay(&tokenise(question)), "{question}");
        }
        for question in [
            "73M, chest pain 2 h",
            "My patient has chest pain",
            "34yo G2P1, I think she bleeds",
            "患者男，我科会诊",
            "Chest pain, what do I give?",
        ] {
            assert!(!is_lay(&tokenise(question)), "{question}");
        }
    }
}
