//! The example questions of the first screen.

/// A question that shows what Catena does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Example {
    pub(crate) field: &'static str,
    pub(crate) question: &'static str,
}

/// One for each of six fields, two of them as patients speak, one in Chinese.
pub(crate) const EXAMPLES: [Example; 6] = [
    Example { field: "Stomach", question: "I feel stomach reflux after eating. What medicine should I take?" },
    Example { field: "Heart", question: "Chest pain on exertion that stops with rest: what is it, and which tests?" },
    Example { field: "Lungs", question: "Wheeze and night cough in a young adult: what is likely, which treatment?" },
    Example { field: "Nerves", question: "Throbbing one-sided headache, nausea, light sensitivity: what helps?" },
    Example { field: "Hormones", question: "Weight loss, tremor and palpitations: which condition, which blood tests?" },
    Example { field: "中文", question: "发热、咳嗽、咳黄痰三天，可能是什么病？应该做什么检查？" },
];
