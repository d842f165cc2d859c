//! Animals that are named and are no patients: seen, or likened to.

use crate::text::Token;

/// Whether an animal is only seen, or what something is like: "seeing cats on the curtains", "barks like a dog", 咳嗽像狗叫.
pub(super) fn is_only_seen(tokens: &[Token], first: usize) -> bool {
    let word = |back: usize| first.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let is_described = matches!(word(1), "a" | "an" | "the" | "some" | "big" | "black" | "little" | "small" | "小" | "只");
    let back = if is_described { 2 } else { 1 };
    let is_likened = word(back) == "like" || word(back) == "像";
    let is_seen = matches!(word(back), "seeing" | "sees" | "saw") || matches!(word(back), "到" | "见") && word(back + 1) == "看";
    is_likened || is_seen
}

/// How many words before an animal may name the people whom it stands beside.
const BESIDE_WITHIN: usize = 8;
/// How many words behind an animal may say that it has it, too.
const TOO_WITHIN: usize = 6;
/// People who are ill together, and words behind which an animal is ill as well.
const TOGETHER: [&str; 8] = ["everyone", "everybody", "family", "us", "kids", "children", "household", "both"];
const TOGETHER_CHINESE: [&str; 7] = ["全家", "一家", "家人", "家里人", "我们", "大家", "大人"];

/// Whether an animal is named after people who are meant first: "do we all need treating, even the dog?", "we are all dizzy and the dog is limp, too",
/// 全家都头晕，狗也没精神.
pub(super) fn is_beside_people(tokens: &[Token], first: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_own = |at: usize| matches!(word(at), "the" | "my" | "our" | "a");
    let joins = |at: usize| matches!(word(at), "even" | "including");
    let joint = first.checked_sub(if first > 0 && is_own(first - 1) { 2 } else { 1 });
    let is_people = |at: usize| matches!(word(at), "we" | "us" | "everyone" | "everybody" | "family" | "kids" | "children");
    joint.is_some_and(|joint| joins(joint) && (joint.saturating_sub(BESIDE_WITHIN)..joint).any(is_people)) || is_ill_too(tokens, first)
}

/// Whether an animal has what people have who are told of before it.
fn is_ill_too(tokens: &[Token], first: usize) -> bool {
    let before = tokens.get(..first).unwrap_or_default();
    let written: String = before.iter().filter(|token| token.cjk).map(|token| token.text.as_str()).collect();
    let all =
        before.windows(2).any(|two| matches!(two, [one, two] if matches!(one.text.as_str(), "we" | "were" | "are") && two.text == "all"));
    let is_group = all
        || before.iter().any(|token| TOGETHER.contains(&token.text.as_str()))
        || TOGETHER_CHINESE.iter().any(|group| written.contains(group));
    let behind = tokens.get(first..tokens.len().min(first + TOO_WITHIN)).unwrap_or_default();
    let is_too = |(at, token): (usize, &Token)| {
        let next = behind.get(at + 1).map_or("", |next| next.text.as_str());
        match token.text.as_str() {
            "too" | "also" | "也" => true,
            "as" => next == "well",
            _ => false,
        }
    };
    is_group && behind.iter().enumerate().any(is_too)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn an_animal_that_is_ill_as_the_people_of_the_house_are_is_no_patient() {
        let is_beside = |text: &str| {
            let tokens = tokenise(text);
            let first = tokens.iter().position(|token| matches!(token.text.as_str(), "dog" | "狗" | "cat")).expect("is there");
            is_beside_people(&tokens, first)
        };
        for text in [
            "昨晚家里烧炭火锅关着窗，今早全家都有点头晕恶心，狗也没精神",
            "we are all dizzy and sick, the dog is wobbly too",
            "Everyone in the house has a headache and our cat is sleepy as well",
        ] {
            assert!(is_beside(text), "{text}");
        }
        for text in ["my dog is vomiting, he is tired too", "我家的狗吐了，也没精神", "the family dog limps", "全家都喜欢的狗吐了三天"]
        {
            assert!(!is_beside(text), "{text}");
        }
    }
}
