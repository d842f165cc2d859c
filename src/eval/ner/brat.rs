//! BRAT's standoff files: mentions in `NAME.ann` (`T1⇥Disease 0 5;9 12⇥words`), their text in `NAME.txt` beside it.

use super::{MarkedMention, MarkedText};

/// A text with the mentions of its `.ann` file, and the number of lines that describe no mention in it. Relations, events and notes are left out.
pub(super) fn read(text: String, annotations: &str) -> (MarkedText, u64) {
    let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    places.push(text.len());
    let (mut mentions, mut faulty) = (Vec::new(), 0);
    for line in annotations.lines().filter(|line| line.starts_with('T')) {
        match mention(line, &places) {
            Some(mention) => mentions.push(mention),
            None => faulty += 1,
        }
    }
    (MarkedText { text, mentions, ..MarkedText::default() }, faulty)
}

fn mention(line: &str, places: &[usize]) -> Option<MarkedMention> {
    let described = line.split('\t').nth(1)?;
    let (of, spans) = described.split_once(' ')?;
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for span in spans.split(';') {
        let (begin, end) = span.split_once(' ')?;
        let (begin, end) = (*places.get(begin.parse::<usize>().ok()?)?, *places.get(end.parse::<usize>().ok()?)?);
        if begin >= end || parts.last().is_some_and(|before| before.1 > begin) {
            return None;
        }
        parts.push((begin, end));
    }
    Some(MarkedMention { parts, of: super::usual_type(of).to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_may_have_gaps_and_faulty_lines_are_counted() {
        let annotations =
            "T1\tDisease 5 10;22 28\trenal failure\nR1\tof Arg1:T1\nT2\tDrug 0 4\tÄbel\nT3\tDrug 9 999\tx\nT4\tDrug 5\tx\nT5\n";
        let (text, faulty) = read("Äbel renal and hepatic failed".into(), annotations);
        assert_eq!(faulty, 3);
        assert_eq!(text.mentions[0].parts, [(6, 11), (23, 29)]);
        assert_eq!((&*text.mentions[1].of, &text.text[text.mentions[1].span().0..text.mentions[1].span().1]), ("Chemical", "Äbel"));
    }
}
