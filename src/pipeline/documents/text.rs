//! The text of an answer with its passages: ids behind the citations of a line, quotations below it, and the documents' own part at the end.

use crate::pipeline::answer::compose::text_of;
use crate::pipeline::llm::leading_citations;
use crate::run::event::AnswerLine;

/// The text with what `lines` cite of documents, and below it the lines of the documents' part. Lines that the text does not hold yet are
/// quotations; they go below the line before them.
pub(super) fn with_passages(text: &str, lines: &[AnswerLine], of_documents: &[AnswerLine], heading: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut at = 0;
    for line in lines.iter().filter(|line| !line.text.is_empty()) {
        let rest = text.get(at..).unwrap_or_default();
        if let Some(found) = rest.find(&line.text) {
            let end = found + line.text.len();
            let end = end + leading_citations(rest.get(end..).unwrap_or_default());
            joined.push_str(rest.get(..end).unwrap_or_default());
            at += end;
            if !line.passages.is_empty() && line.citations.is_empty() {
                joined.push(' ');
            }
            line.passages.iter().for_each(|id| joined.push_str(&format!("[{id}]")));
        } else if !line.passages.is_empty() {
            joined.push('\n');
            joined.push_str(&text_of(std::slice::from_ref(line)));
        }
    }
    joined.push_str(text.get(at..).unwrap_or_default());
    if !of_documents.is_empty() {
        if !joined.is_empty() {
            joined.push_str("\n\n");
        }
        joined.push_str(heading);
        joined.push('\n');
        joined.push_str(&text_of(of_documents));
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::PassageId;
    use crate::run::event::AnswerPart;

    fn line(part: AnswerPart, text: &str, citations: &[u32], passages: &[usize]) -> AnswerLine {
        AnswerLine {
            part,
            entity: String::new(),
            role: None,
            text: text.into(),
            citations: citations.to_vec(),
            passages: passages.iter().map(|place| PassageId::at(*place)).collect(),
            also: Vec::new(),
            unsupported: false,
        }
    }

    #[test]
    fn ids_follow_citations_and_quotations_follow_their_line() {
        let text = "Read as: x\n- A with B [1][2]\n\nTests\n- C [3]";
        let lines = [
            line(AnswerPart::ReadAs, "Read as: x", &[], &[]),
            line(AnswerPart::Safety, "A with B", &[1, 2], &[0]),
            line(AnswerPart::Safety, "“Quote.” (Label)", &[], &[0]),
            line(AnswerPart::Tests, "C", &[3], &[1]),
        ];
        let of_documents = [line(AnswerPart::Documents, "“More.” (Label)", &[], &[2])];
        assert_eq!(
            with_passages(text, &lines, &of_documents, "From the documents"),
            "Read as: x\n- A with B [1][2][D1]\n- “Quote.” (Label) [D1]\n\nTests\n- C [3][D2]\n\nFrom the documents\n- “More.” (Label) [D3]"
        );
        assert_eq!(with_passages("", &[], &of_documents, "From the documents"), "From the documents\n- “More.” (Label) [D3]");
        assert_eq!(with_passages(text, &lines[..1], &[], "x"), text);
    }
}
