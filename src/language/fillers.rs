//! What Chinese puts between what hurts and how: in 胸口最近有点闷 the time and the degree part no words, 胸口闷 is said.

use crate::text::Token;

/// Words of time, habit and degree, the longest first.
const FILLERS: [&str; 29] = [
    "这段时间",
    "这几天",
    "这两天",
    "这些天",
    "这阵子",
    "有点儿",
    "有一点",
    "最近",
    "近来",
    "近期",
    "老是",
    "总是",
    "经常",
    "常常",
    "一直",
    "有点",
    "有些",
    "好像",
    "特别",
    "今天",
    "昨天",
    "现在",
    "非常",
    "稍微",
    "也",
    "都",
    "很",
    "挺",
    "老",
];
/// What makes another word of 老, 都 and 也 with the character behind.
const OTHER_WORD: &str = "是人婆公年师板家大太市许";

/// How many tokens a filler at a token has; 0 if none stands there. It must be within its words: something Chinese on both sides, and no pause.
pub(super) fn filler_at(tokens: &[Token], at: usize) -> usize {
    let joined = |at: usize| tokens.get(at).is_some_and(|token| token.cjk && !token.after_break);
    let Some(before) = at.checked_sub(1).and_then(|before| tokens.get(before)) else { return 0 };
    // 没有点 and 不经常 deny.
    if !before.cjk || matches!(before.text.as_str(), "没" | "不" | "无" | "未") {
        return 0;
    }
    let is_at = |filler: &&str| {
        let mut characters = filler.chars().enumerate();
        let length = filler.chars().count();
        characters.all(|(i, c)| joined(at + i) && tokens.get(at + i).is_some_and(|token| token.text.chars().eq([c]))) && joined(at + length)
    };
    let is_other_word = |filler: &&&str| {
        let is_one = filler.chars().count() == 1;
        is_one && tokens.get(at + 1).is_some_and(|next| OTHER_WORD.contains(&next.text))
    };
    FILLERS.iter().filter(|filler| is_at(filler)).find(|filler| !is_other_word(filler)).map_or(0, |filler| filler.chars().count())
}

/// The tokens of a text without fillers, by their places.
pub(super) fn without_fillers(tokens: &[Token]) -> Vec<usize> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let length = filler_at(tokens, at);
        if length == 0 {
            kept.push(at);
        }
        at += length.max(1);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn words_of_time_and_degree_are_skipped_within_a_clause() {
        let kept = |text: &str| {
            let tokens = tokenise(text);
            without_fillers(&tokens).into_iter().map(|at| tokens[at].text.clone()).collect::<String>()
        };
        for (text, without) in [
            ("胸口最近有点闷", "胸口闷"),
            ("声音这两天总是哑", "声音哑"),
            ("走路，最近喘", "走路最近喘"),
            ("胸口没有点心", "胸口没有点心"),
            ("嘴唇也很肿", "嘴唇肿"),
            ("胸口都闷", "胸口闷"),
            ("我老公胸口闷", "我老公胸口闷"),
            ("最近", "最近"),
        ] {
            assert_eq!(kept(text), without, "{text}");
        }
    }
}
