//! A mother who nurses and asks for herself in Chinese: 我在哺乳，能吃布洛芬吗.

use super::reading::Question;
use crate::text::Token;

/// What is dangerous in a baby.
const DANGERS_CHINESE: [&str; 20] = [
    "发烧",
    "发热",
    "体温",
    "黄疸",
    "抽搐",
    "惊厥",
    "吃奶少",
    "不吃奶",
    "吃奶差",
    "嗜睡",
    "发绀",
    "呼吸",
    "呕吐",
    "高烧",
    "吃得少",
    "吃的少",
    "不肯吃",
    "尿少",
    "脐",
    "体重",
];
/// Who the child is called in Chinese.
const CHILDREN_CHINESE: [&str; 5] = ["宝", "婴", "孩", "娃", "儿"];

impl Question<'_> {
    pub(super) fn is_chinese_nursing(&self, at: usize) -> bool {
        matches!((self.word(at), self.word(at + 1)), ("哺", "乳") | ("喂", "奶") | ("母", "乳"))
    }

    /// 我在哺乳，能吃布洛芬吗; not 给宝宝吃, nor where it is told what the baby has.
    pub(super) fn asks_in_chinese_for_mother(&self) -> bool {
        let text: String = self.tokens.iter().map(|token| token.text.as_str()).collect();
        // 哺乳期感冒发烧，宝宝3个月: the fever is hers.
        let mut is_hers = false;
        let told: String = clauses(self.tokens)
            .into_iter()
            .filter(|clause| {
                // 我感冒发烧38.7，浑身疼: what follows is hers, too, until the child is named.
                is_hers = tells_of_herself(clause) || is_hers && !is_of_child(clause);
                !is_hers && !is_of_mother_alone(clause)
            })
            .collect();
        let is_in_danger = DANGERS_CHINESE.iter().any(|said| told.contains(said));
        let is_mother =
            ["哺乳期", "我在哺乳", "我哺乳", "我正在哺乳", "在喂奶", "哺乳妈妈", "哺乳的妈妈", "哺乳母亲", "我喂母乳", "我在喂母乳"]
                .iter()
                .any(|said| text.contains(said));
        // 产后10天，宝宝吃得少: the child is told of.
        let is_mother = is_mother || (text.contains("产后") && !CHILDREN_CHINESE.iter().any(|child| text.contains(child)));
        // 吃奶 is the baby's.
        let text = text.replace("吃奶", "").replace("喝奶", "");
        let takes = ["吃", "服", "用", "喝", "打", "乳房", "乳头", "乳腺", "我头", "我发", "我咳", "我肚", "我感冒"]
            .iter()
            .any(|said| text.contains(said));
        // 我发现他发烧 is no fever of hers.
        let own = text.replace("我发现", "");
        let is_own = ["我发", "我有", "我体温"].iter().any(|said| own.contains(said));
        let is_in_danger = !is_own && is_in_danger;
        let is_babys = [
            "给宝宝",
            "给孩子",
            "给娃",
            "给他",
            "给她",
            "喂宝宝",
            "宝宝能",
            "宝宝可以",
            "宝宝发",
            "宝宝咳",
            "宝宝拉",
            "宝宝吐",
            "孩子发",
            "孩子咳",
        ]
        .iter()
        .any(|said| text.contains(said));
        is_mother && takes && !is_babys && !is_in_danger
    }
}

/// The clauses of a text, each as one word.
fn clauses(tokens: &[Token]) -> Vec<String> {
    let mut clauses: Vec<String> = Vec::new();
    for token in tokens {
        match clauses.last_mut() {
            Some(clause) if !token.after_break => clause.push_str(&token.text),
            _ => clauses.push(token.text.clone()),
        }
    }
    clauses
}

/// Whether a Chinese clause names a child, or what may be one.
fn is_of_child(clause: &str) -> bool {
    CHILDREN_CHINESE.iter().chain(&["他", "她", "传染", "小", "体温"]).any(|said| clause.contains(said))
}

/// Whether a Chinese clause begins with what a mother has herself: 我感冒发烧38.7, 我昨晚发烧; not 我发现他发烧 or 我给他量体温.
fn tells_of_herself(clause: &str) -> bool {
    const WHEN: [&str; 12] = ["今天", "昨天", "昨晚", "今早", "这两天", "这几天", "最近", "现在", "从昨天", "从今天", "前天", "自己"];
    const ILL: [&str; 18] = [
        "感冒",
        "发烧",
        "发热",
        "高烧",
        "低烧",
        "烧到",
        "有点发",
        "有点烧",
        "咳",
        "头",
        "嗓",
        "喉",
        "肚",
        "拉肚",
        "浑身",
        "全身",
        "恶心",
        "呕吐",
    ];
    let Some(rest) = clause.strip_prefix('我') else { return false };
    let rest = WHEN.iter().find_map(|when| rest.strip_prefix(when)).unwrap_or(rest);
    ILL.iter().any(|ill| rest.starts_with(ill)) && !CHILDREN_CHINESE.iter().any(|child| clause.contains(child))
}

/// Whether a Chinese clause tells of a nursing mother and of no child.
fn is_of_mother_alone(clause: &str) -> bool {
    clause.contains("哺乳期") && !CHILDREN_CHINESE.iter().any(|child| clause.contains(child))
}
