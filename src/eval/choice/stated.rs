//! Finds the options that a text names as its answer.

use crate::eval::dataset::AnswerOption;
use crate::eval::metric::without_citations;
use crate::text::fold;

/// What comes before the answer, in lower question. The last of them in a text decides: models think aloud first.
const CUES: [&str; 13] = [
    "answer is",
    "answers are",
    "answer:",
    "answers:",
    "option is",
    "options are",
    "choice is",
    "answer：",
    "答案",
    "选择",
    "应选",
    "故选",
    "选项",
];
/// What may stand before or around a label.
const DECORATION: [char; 20] =
    [' ', '\n', '*', '_', '"', '“', '”', '\'', '`', '(', '（', '[', '【', ':', '：', '为', '是', '-', '「', '《'];
/// What may stand between two labels.
const BETWEEN: [char; 9] = [' ', ',', '、', '，', '/', '&', ';', '；', '+'];

/// The options that a text names, by place, ascending: the labels behind its last cue ("The answer is C.", "答案：BD"), or those that it begins with ("B", "(B)", "B. …"),
/// or the option's text behind a cue or at the beginning, or the only label in brackets, or every option whose text it has. Citations are no labels. Nothing where it
/// names none.
pub fn stated(text: &str, options: &[AnswerOption]) -> Vec<usize> {
    let text = without_citations(text);
    let text = text.trim();
    let behind_cue = behind_last_cue(text);
    let places = [behind_cue, Some(text)];
    let by_label = || places.iter().flatten().map(|part| labels_at_start(part, options)).find(|found| !found.is_empty());
    let by_text = || places.iter().flatten().find_map(|part| text_at_start(part, options)).map(|place| vec![place]);
    let mut found = by_label()
        .or_else(by_text)
        .or_else(|| bracketed(text, options))
        .unwrap_or_else(|| named(behind_cue.unwrap_or(text), text, options));
    found.sort_unstable();
    found.dedup();
    found
}

/// What stands behind the last cue that something stands behind.
fn behind_last_cue(text: &str) -> Option<&str> {
    // Lower case of ASCII alone keeps every byte in its place.
    let lower = text.to_ascii_lowercase();
    let ends = CUES.iter().flat_map(|cue| lower.match_indices(cue).map(|(at, cue)| at + cue.len()));
    ends.filter(|end| !fold(&text[*end..]).is_empty()).max().map(|end| &text[end..])
}

/// The labels that a text begins with.
fn labels_at_start(text: &str, options: &[AnswerOption]) -> Vec<usize> {
    let mut rest = text.trim_start_matches(DECORATION);
    let is_bare = rest.len() == text.len();
    let mut found = Vec::new();
    while let Some((place, after)) = label_at(rest, options, is_bare && found.is_empty() && rest.chars().count() > 2) {
        found.push(place);
        let next = after.trim_start_matches([')', '）', ']', '】', '.', '*', '"', '”']);
        let joined = ["and ", "和", "与", "or "].iter().find_map(|word| next.trim_start().strip_prefix(word));
        let separated = next.starts_with(BETWEEN) || joined.is_some();
        let following = joined.unwrap_or(next).trim_start_matches(BETWEEN).trim_start_matches(['(', '（', '[', '【', '*']);
        let following =
            ["and ", "和", "与"].iter().find_map(|word| following.strip_prefix(word)).unwrap_or(following).trim_start_matches(['(', '（']);
        if !separated && !std::ptr::eq(next, after) {
            break;
        }
        rest = following;
    }
    found
}

/// The label that a text begins with, and what comes after it. `strict`: a small letter is none.
fn label_at<'t>(text: &'t str, options: &[AnswerOption], strict: bool) -> Option<(usize, &'t str)> {
    let fits = |label: &str| -> Option<&'t str> {
        let head = text.get(..label.len())?;
        let equal = if strict { head == label } else { head.eq_ignore_ascii_case(label) };
        let after = equal.then(|| &text[label.len()..])?;
        // "BD" are two labels, "Bleeding" is none, and neither is "B型".
        let next = after.chars().next();
        let ends = next.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '型' && c != '-' && c != '\'' && c != '’');
        let run = || after.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let is_run = label.len() == 1 && head == label && run().chars().all(|c| is_label(c, options));
        (ends || is_run).then_some(after)
    };
    // A small "a" with more behind it is an article.
    let is_article = |label: &str, after: &str| label.eq_ignore_ascii_case("a") && text.starts_with('a') && after.starts_with(' ');
    options.iter().enumerate().find_map(|(place, option)| {
        let after = fits(&option.label)?;
        let blank_behind_capital =
            option.label == "A" && after.starts_with(' ') && after.trim_start().starts_with(|c: char| c.is_lowercase());
        let joined = after.trim_start().starts_with("and ") || after.trim_start().starts_with("or ");
        (!is_article(&option.label, after) && (!blank_behind_capital || joined)).then_some((place, after))
    })
}

fn is_label(c: char, options: &[AnswerOption]) -> bool {
    options.iter().any(|option| option.label.len() == c.len_utf8() && option.label.starts_with(c))
}

/// The option with whose text a text begins; of several the longest.
fn text_at_start(text: &str, options: &[AnswerOption]) -> Option<usize> {
    let folded = fold(text);
    let begins = |option: &AnswerOption| {
        let option = fold(&option.text);
        let after = folded.strip_prefix(option.as_str())?;
        let last_is_cjk = option.chars().last().is_some_and(crate::text::is_cjk);
        (!option.is_empty() && (last_is_cjk || after.is_empty() || !after.starts_with(char::is_alphanumeric))).then_some(option.len())
    };
    let found = options.iter().enumerate().filter_map(|(place, option)| Some((begins(option)?, place)));
    found.max_by_key(|(length, place)| (*length, std::cmp::Reverse(*place))).map(|(_, place)| place)
}

/// The one label that stands in brackets, however often.
fn bracketed(text: &str, options: &[AnswerOption]) -> Option<Vec<usize>> {
    let stands = |option: &AnswerOption| {
        let label = &option.label;
        // A number in brackets is more often a citation or an item of a list.
        let is_number = label.chars().all(|c| c.is_ascii_digit());
        !is_number && [format!("({label})"), format!("（{label}）"), format!("**{label}**")].iter().any(|form| text.contains(form))
    };
    let found: Vec<usize> = (0..options.len()).filter(|place| stands(&options[*place])).collect();
    (found.len() == 1).then_some(found)
}

/// The options whose texts occur behind the cue, or else anywhere; one whose text is part of another's does not count where that one stands.
fn named(behind_cue: &str, text: &str, options: &[AnswerOption]) -> Vec<usize> {
    let texts: Vec<String> = options.iter().map(|option| fold(&option.text)).collect();
    let found = |text: &str| {
        // Blanks around make a word of a script with blanks match whole words alone.
        let mut rest = format!(" {} ", fold(text));
        let mut order: Vec<usize> = (0..texts.len()).filter(|place| !texts[*place].is_empty()).collect();
        order.sort_by_key(|place| std::cmp::Reverse(texts[*place].len()));
        let mut found = Vec::new();
        for place in order {
            let wanted = &texts[place];
            let wanted = if wanted.chars().any(crate::text::is_cjk) { wanted.clone() } else { format!(" {wanted} ") };
            if rest.contains(&wanted) {
                found.push(place);
                rest = rest.replace(&wanted, " \u{0} ");
            }
        }
        found
    };
    let first = found(behind_cue);
    if first.is_empty() { found(text) } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(texts: &[&str]) -> Vec<AnswerOption> {
        texts.iter().zip('A'..).map(|(text, label)| AnswerOption { label: label.into(), text: (*text).into() }).collect()
    }

    #[test]
    fn labels_are_found_however_they_are_written() {
        let options = options(&["Aspirin", "Iron", "B12", "Both iron and B12"]);
        for (text, expected) in [
            ("B", &[1][..]),
            ("b", &[1]),
            ("(B)", &[1]),
            ("（B）", &[1]),
            ("B.", &[1]),
            ("B. Iron", &[1]),
            ("**B**: Iron [1][2]", &[1]),
            ("BD", &[1, 3]),
            ("D, B", &[1, 3]),
            ("B and D", &[1, 3]),
            ("The answer is C.", &[2]),
            ("The correct answer is (C), because of A.", &[2]),
            ("Option A is wrong. Final answer: **B, C**", &[1, 2]),
            ("Answer: A? No. The answer is D", &[3]),
            ("答案：BD", &[1, 3]),
            ("答案是B、D。", &[1, 3]),
            ("综上，故选C。", &[2]),
            ("The answer is a deficiency (C) [3].", &[2]),
            ("A deficiency of iron is likely.", &[1]),
            ("I would give aspirin.", &[0]),
            ("The answer is \"Both iron and B12\".", &[3]),
            ("Iron", &[1]),
            ("Both are needed: iron, and B12.", &[1, 2]),
            ("Zinc [1].", &[]),
            ("", &[]),
            ("[2]", &[]),
        ] {
            assert_eq!(stated(text, &options), expected, "{text:?}");
        }
    }

    #[test]
    fn yes_no_and_maybe_are_read_from_the_beginning_or_behind_the_cue() {
        let options = options(&["yes", "no", "maybe"]);
        for (text, expected) in [
            ("Yes, there is no doubt.", &[0][..]),
            ("No. It may be so.", &[1]),
            ("There is no evidence for it. The answer is maybe.", &[2]),
            ("Nobody knows.", &[]),
        ] {
            assert_eq!(stated(text, &options), expected, "{text:?}");
        }
    }

    #[test]
    fn a_label_is_not_the_beginning_of_a_word() {
        let options = options(&["A型流感", "B型流感", "C反应蛋白", "普通感冒"]);
        assert_eq!(stated("答案是B型流感", &options), [1]);
        assert_eq!(stated("普通感冒", &options), [3]);
        assert_eq!(stated("考虑普通感冒，不是B型流感。答案：D", &options), [3]);
        let numbered: Vec<AnswerOption> =
            [("1", "x"), ("2", "y")].map(|(label, text)| AnswerOption { label: label.into(), text: text.into() }).into();
        assert_eq!(stated("2. y", &numbered), [1]);
        assert_eq!(stated("Answer: 1", &numbered), [0]);
        assert!(stated("see [2]", &numbered).is_empty());
    }
}
