//! MedQuAD: a document a line, `{"id","focus","synonyms","url","source","qa":[{"qtype","question","answer"},…]}`. Each answer is a section named
//! by its type of question.

use std::io;
use std::path::Path;

use serde::Deserialize;

use super::Output;
use crate::evidence::document::{Document, Section};
use crate::text::open_lines;

#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    focus: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    synonyms: Vec<String>,
    qa: Vec<Pair>,
}

#[derive(Debug, Deserialize)]
struct Pair {
    #[serde(default)]
    qtype: String,
    #[serde(default)]
    question: String,
    answer: String,
}

pub(super) fn read(file: &Path, out: &mut Output<'_>) -> io::Result<()> {
    let (mut lines, _) = open_lines(file)?;
    while let Some(line) = lines.next()? {
        let number = line.number;
        let place = || format!("line {number}");
        match line.text.and_then(|text| serde_json::from_str::<Line>(&text).map_err(|_| "no MedQuAD document")) {
            Ok(line) => {
                if !out.put(document(line), place) {
                    break;
                }
            }
            Err(why) => out.reject(why, place),
        }
    }
    Ok(())
}

fn document(line: Line) -> Document {
    let section = |pair: Pair| Section { name: pair.qtype, heading: pair.question, text: pair.answer };
    Document {
        id: line.id,
        title: line.focus,
        aliases: line.synonyms,
        source: line.source,
        url: line.url,
        date: String::new(),
        sections: line.qa.into_iter().map(section).collect(),
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::reader::DocumentFormat;
    use crate::evidence::reader::tests::read_text;

    #[test]
    fn answers_are_sections() {
        let text = concat!(
            r#"{"id":"d1","focus":"Asthma","source":"NHLBI","url":"https://x.org","synonyms":["Bronchial asthma"],"#,
            r#""qa":[{"qid":"1","qtype":"symptoms","question":"What are the symptoms of Asthma ?","answer":"Wheeze."},{"qtype":"causes","answer":""}]}"#,
            "\n{\"id\":\"d2\"}\n",
        );
        let (documents, report) = read_text(DocumentFormat::MedQuad, text);
        assert_eq!(documents.len(), 1);
        assert_eq!(documents[0].aliases, ["Bronchial asthma"]);
        assert_eq!(documents[0].sections.len(), 1, "an empty answer is no section");
        assert_eq!(documents[0].sections[0].name, "symptoms");
        assert_eq!(report.rejected.keys().collect::<Vec<_>>(), ["no MedQuAD document"]);
    }
}
