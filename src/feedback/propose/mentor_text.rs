//! Parses a mentor's gold answer: lists under headings, and running text.
//!
//! ```text
//! Conditions: reflux; stomach ulcer
//! Tests: gastroscopy
//! Medication:
//! - omeprazole
//! ```

use crate::graph::Kind;
use crate::text::{fold, is_cjk};

/// The most items of one section.
const ITEMS: usize = 32;
/// The most characters of an answer that are read.
const LONGEST: usize = 20_000;

/// What a section of the answer lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Symptoms,
    Conditions,
    Tests,
    Treatments,
    /// Treatments that are said to be drugs.
    Drugs,
    Cautions,
}

/// Headings (folded), in English and Chinese.
const HEADINGS: [(Section, &[&str]); 6] = [
    (Section::Symptoms, &["symptom", "symptoms", "findings", "signs", "症状", "体征", "表现"]),
    (
        Section::Conditions,
        &[
            "condition",
            "conditions",
            "diagnosis",
            "diagnoses",
            "disease",
            "diseases",
            "differential",
            "differentials",
            "differential diagnosis",
            "likely diagnosis",
            "possible conditions",
            "疾病",
            "诊断",
            "可能诊断",
            "考虑",
            "病名",
        ],
    ),
    (
        Section::Tests,
        &[
            "test",
            "tests",
            "investigation",
            "investigations",
            "examination",
            "examinations",
            "exam",
            "exams",
            "workup",
            "work up",
            "medical tests",
            "imaging",
            "labs",
            "检查",
            "化验",
            "检验",
            "辅助检查",
            "检查项目",
        ],
    ),
    (Section::Treatments, &["treatment", "treatments", "therapy", "therapies", "management", "治疗", "处理", "疗法", "治疗方案"]),
    (
        Section::Drugs,
        &["medication", "medications", "medicine", "medicines", "drug", "drugs", "prescription", "用药", "药物", "药品", "推荐药物"],
    ),
    (
        Section::Cautions,
        &[
            "caution",
            "cautions",
            "avoid",
            "contraindication",
            "contraindications",
            "contraindicated",
            "warning",
            "warnings",
            "precautions",
            "注意",
            "注意事项",
            "禁忌",
            "慎用",
            "避免",
            "禁用",
        ],
    ),
];

impl Section {
    /// The kind of what it lists, where the graph does not know it.
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Symptoms => Kind::Symptom,
            Self::Conditions => Kind::Disease,
            Self::Tests => Kind::Test,
            Self::Treatments => Kind::Treatment,
            Self::Drugs | Self::Cautions => Kind::Drug,
        }
    }
}

/// The answer in its sections.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MentorText {
    /// Names as written, each with its section, in order.
    pub(super) items: Vec<(Section, String)>,
    /// What stands under no heading.
    pub(super) free: String,
    /// Items beyond the most of a section.
    pub(super) left_out: u64,
    /// Whether the text was longer than is read.
    pub(super) cut: bool,
}

/// Reads an answer. Items are separated by semicolons where a line has any, else by commas; separators inside brackets or inside a name of the
/// graph (`is_name`: "hand, foot and mouth disease") do not count.
pub(super) fn parse(text: &str, is_name: &dyn Fn(&str) -> bool) -> MentorText {
    let mut gold = MentorText::default();
    let text = match text.char_indices().nth(LONGEST) {
        Some((end, _)) => {
            gold.cut = true;
            &text[..end]
        }
        None => text,
    };
    let mut section = None;
    for line in text.lines() {
        let line: String = line.chars().filter(|c| !matches!(c, '*' | '#' | '_' | '\r')).collect();
        let line = line.trim();
        if line.is_empty() {
            section = None;
            continue;
        }
        if let Some(alone) = heading(without_bullet(line).trim_end_matches([':', '：'])) {
            section = Some(alone);
            continue;
        }
        let mut from = 0;
        for (start, end, next) in headings_in(line) {
            gold.take(section, &line[from..start], is_name);
            (section, from) = (Some(next), end);
        }
        gold.take(section, &line[from..], is_name);
    }
    gold
}

impl MentorText {
    fn take(&mut self, section: Option<Section>, text: &str, is_name: &dyn Fn(&str) -> bool) {
        let Some(section) = section else {
            if !text.trim().is_empty() {
                self.free.push_str(text.trim());
                self.free.push('\n');
            }
            return;
        };
        for item in items(text, is_name) {
            let item = bare(item);
            let known = self.items.iter().filter(|(of, _)| *of == section);
            if item.is_empty() || is_nothing(item) || known.clone().any(|(_, name)| fold(name) == fold(item)) {
                continue;
            }
            if known.count() < ITEMS {
                self.items.push((section, item.to_owned()));
            } else {
                self.left_out += 1;
            }
        }
    }
}

/// An item without bullet and without the mark that ends it.
fn bare(item: &str) -> &str {
    without_bullet(item).trim().trim_end_matches(['.', '。', ';', '；', ',', '，']).trim()
}

fn is_nothing(item: &str) -> bool {
    ["none", "no", "n a", "nil", "无", "没有"].contains(&fold(item).as_str())
}

fn heading(text: &str) -> Option<Section> {
    let folded = fold(text);
    HEADINGS.iter().find(|(_, names)| names.contains(&folded.as_str())).map(|(section, _)| *section)
}

/// Headings within a line: where each begins, where its content does, and which. A heading stands at the line's start or after the end of a
/// sentence or list, and ends with a colon.
fn headings_in(line: &str) -> Vec<(usize, usize, Section)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, colon) in line.char_indices().filter(|(_, c)| matches!(c, ':' | '：')) {
        let before = &line[from..at];
        let start = from
            + before.rfind(['.', ';', '。', '；', '|']).map_or(0, |mark| mark + before[mark..].chars().next().map_or(1, char::len_utf8));
        if let Some(section) = heading(without_bullet(&line[start..at])) {
            found.push((start, at + colon.len_utf8(), section));
        }
        from = at + colon.len_utf8();
    }
    found
}

/// A line without "-", "•", "1.", "2)" before it.
fn without_bullet(line: &str) -> &str {
    let line = line.trim_start().trim_start_matches(['-', '•', '·', '–', '—', '>', '+']).trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].strip_prefix(['.', ')', '、']) {
        Some(rest) if (1..=2).contains(&digits) => rest.trim_start(),
        _ => line,
    }
}

/// The items of a list.
fn items<'t>(text: &'t str, is_name: &dyn Fn(&str) -> bool) -> Vec<&'t str> {
    let outside = outside_brackets(text);
    let has = |marks: &[char]| outside.iter().any(|(_, c)| marks.contains(c));
    let marks: &[char] = if has(&[';', '；']) { &[';', '；', '、'] } else { &[',', '，', '、'] };
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, c) in &outside {
        // A comma between digits is part of a number or a chemical name.
        let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        let in_number = *c == ',' && digit(text.as_bytes().get(at.wrapping_sub(1))) && digit(text.as_bytes().get(at + 1));
        if marks.contains(c) && !in_number {
            pieces.push((from, *at));
            from = at + c.len_utf8();
        }
    }
    pieces.push((from, text.len()));
    let mut items = whole_names(text, &pieces, is_name);
    let listed = items.len() > 1;
    let last_of_list = |item: &'_ str| -> usize {
        let trimmed = item.trim_start();
        let cut = ["and ", "or ", "和", "及", "以及"].iter().find(|joining| listed && trimmed.starts_with(*joining));
        item.len() - trimmed.len() + cut.map_or(0, |joining| joining.len())
    };
    if let Some(last) = items.last_mut() {
        *last = &last[last_of_list(last)..];
    }
    items
}

/// The most pieces that a name with commas has.
const MOST_PIECES: usize = 4;

/// The pieces of a text (from, to), those joined again that are one name together.
fn whole_names<'t>(text: &'t str, pieces: &[(usize, usize)], is_name: &dyn Fn(&str) -> bool) -> Vec<&'t str> {
    let mut items = Vec::new();
    let mut rest = pieces;
    while let Some(((from, to), _)) = rest.split_first() {
        let ends = rest.iter().take(MOST_PIECES).enumerate().skip(1).rev();
        let whole = ends.map(|(last, (_, end))| (last + 1, &text[*from..*end])).find(|(_, whole)| is_name(bare(whole)));
        let (taken, item) = whole.unwrap_or((1, &text[*from..*to]));
        items.push(item);
        rest = &rest[taken..];
    }
    items
}

/// The characters that stand in no bracket, with their places.
fn outside_brackets(text: &str) -> Vec<(usize, char)> {
    let mut depth = 0usize;
    let mut outside = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '（' | '【' => depth += 1,
            ')' | ']' | '）' | '】' => depth = depth.saturating_sub(1),
            c if depth == 0 => outside.push((at, c)),
            _ => {}
        }
    }
    // A bracket that is never closed encloses nothing.
    if depth > 0 { text.char_indices().collect() } else { outside }
}

/// The two things that "a and b" may be.
pub(super) fn halves(item: &str) -> Option<[&str; 2]> {
    let (one, two) = item.split_once(" and ").or_else(|| item.split_once(" or ")).or_else(|| {
        let at = item.char_indices().find(|(_, c)| matches!(c, '和' | '及'))?;
        item.chars().all(is_cjk).then(|| (&item[..at.0], &item[at.0 + at.1.len_utf8()..]))
    })?;
    let (one, two) = (one.trim(), two.trim());
    (!one.is_empty() && !two.is_empty()).then_some([one, two])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<(Section, String)> {
        parse(text, &|_| false).items
    }

    fn pairs(items: &[(Section, &str)]) -> Vec<(Section, String)> {
        items.iter().map(|(section, name)| (*section, (*name).to_owned())).collect()
    }

    #[test]
    fn lists_under_headings_are_read_in_every_form() {
        use Section::*;
        let text = "Conditions: Reflux; stomach ulcer, chronic\nTESTS: gastroscopy (OGD; with biopsy), 24-hour pH test, and urea breath test.\n\
                    **Medication:**\n- Omeprazole\n2. Ranitidine\n\nTreatment: rest. Avoid: ibuprofen";
        let expected = [
            (Conditions, "Reflux"),
            (Conditions, "stomach ulcer, chronic"),
            (Tests, "gastroscopy (OGD; with biopsy)"),
            (Tests, "24-hour pH test"),
            (Tests, "urea breath test"),
            (Drugs, "Omeprazole"),
            (Drugs, "Ranitidine"),
            (Treatments, "rest"),
            (Cautions, "ibuprofen"),
        ];
        assert_eq!(listed(text), pairs(&expected));
        assert_eq!(
            listed("疾病：胃食管反流病、胃溃疡\n检查：胃镜\n用药：奥美拉唑，雷尼替丁。\n注意：无"),
            pairs(&[(Conditions, "胃食管反流病"), (Conditions, "胃溃疡"), (Tests, "胃镜"), (Drugs, "奥美拉唑"), (Drugs, "雷尼替丁")])
        );
    }

    #[test]
    fn a_name_with_commas_is_one_item() {
        let is_name = |name: &str| ["hand, foot and mouth disease", "vaccine, live"].contains(&name.to_lowercase().as_str());
        use Section::*;
        let text =
            "Conditions: Hand, foot and mouth disease\nTreatments: rest, vaccine, live, fluids, and paracetamol\nTests: - none, hand";
        let expected = [
            (Conditions, "Hand, foot and mouth disease"),
            (Treatments, "rest"),
            (Treatments, "vaccine, live"),
            (Treatments, "fluids"),
            (Treatments, "paracetamol"),
            (Tests, "hand"),
        ];
        assert_eq!(parse(text, &is_name).items, pairs(&expected));
    }

    #[test]
    fn what_stands_under_no_heading_is_running_text() {
        let gold = parse("It is reflux: take omeprazole.\nTests: gastroscopy\n\nCome back in a week.", &|_| false);
        assert_eq!(gold.items, pairs(&[(Section::Tests, "gastroscopy")]));
        assert_eq!(gold.free, "It is reflux: take omeprazole.\nCome back in a week.\n");
        assert_eq!(halves("reflux and ulcer"), Some(["reflux", "ulcer"]));
        assert_eq!((halves("reflux"), halves("胃炎和胃溃疡")), (None, Some(["胃炎", "胃溃疡"])));
    }

    #[test]
    fn hostile_answers_are_bounded() {
        let many: String = (0..100).map(|i| format!("drug {i};")).collect();
        let gold = parse(&format!("Drugs: {many}"), &|_| false);
        assert_eq!((gold.items.len(), gold.left_out), (ITEMS, 68));
        assert!(parse(&"Tests: ((((a; b\n".repeat(10_000), &|_| true).cut);
        assert_eq!(parse(": : ：;;;()", &|_| true).items, []);
    }
}
