//! Example questions for the first screen, and what a graph must know for each.

use std::borrow::Cow;

/// A question that shows what Catena does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// What it is about, in a word.
    pub field: Cow<'static, str>,
    /// The question.
    pub question: Cow<'static, str>,
}

/// The most examples.
pub(crate) const MOST_EXAMPLES: usize = 6;

/// The examples of the program, one for each of six fields, two of them as patients speak, one in Chinese; each with the names on which it
/// rests.
static BUILT_IN: [(Example, &[&str]); MOST_EXAMPLES] = [
    (example("Stomach", "I feel stomach reflux after eating. What medicine should I take?"), &["stomach reflux"]),
    (example("Heart", "Chest pain on exertion that stops with rest: what is it, and which tests?"), &["chest pain"]),
    (example("Lungs", "Wheeze and night cough in a young adult: what is likely, which treatment?"), &["wheeze", "cough"]),
    (example("Nerves", "Throbbing one-sided headache, nausea, light sensitivity: what helps?"), &["headache", "nausea"]),
    (
        example("Hormones", "Weight loss, tremor and palpitations: which condition, which blood tests?"),
        &["weight loss", "tremor", "palpitations"],
    ),
    (example("中文", "发热、咳嗽、咳黄痰三天，可能是什么病？应该做什么检查？"), &["发热", "咳嗽"]),
];

const fn example(field: &'static str, question: &'static str) -> Example {
    Example { field: Cow::Borrowed(field), question: Cow::Borrowed(question) }
}

/// The examples of the program with their names.
pub(crate) fn built_in_examples() -> &'static [(Example, &'static [&'static str])] {
    &BUILT_IN
}
