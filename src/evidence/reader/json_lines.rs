//! JSON lines: `{"id","title","section","text","url","date"}` a line. Lines of one id that follow each other are one document; `aliases` and
//! `heading` may be given, too.

use std::io;
use std::path::Path;

use serde::Deserialize;

use super::Output;
use crate::evidence::document::{Document, Section};
use crate::text::open_lines;

/// A line. Ids and dates may be numbers.
#[derive(Debug, Deserialize)]
struct Line {
    id: Scalar,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    section: Option<Scalar>,
    #[serde(default)]
    heading: Option<String>,
    text: String,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    date: Option<Scalar>,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    aliases: Option<Vec<String>>,
}

/// A text or a number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Text(String),
    Number(serde_json::Number),
}

impl Scalar {
    pub(super) fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

pub(super) fn read(file: &Path, out: &mut Output<'_>) -> io::Result<()> {
    let (mut lines, _) = open_lines(file)?;
    let mut current: Option<(Document, u64)> = None;
    while let Some(line) = lines.next()? {
        let number = line.number;
        let place = || format!("line {number}");
        let parsed =
            line.text.and_then(|text| serde_json::from_str::<Line>(&text).map_err(|_| "no object with a text \"id\" and \"text\""));
        let line = match parsed {
            Ok(line) => line,
            Err(why) => {
                out.reject(why, place);
                continue;
            }
        };
        let id = line.id.text();
        let section = Section {
            name: line.section.map(Scalar::text).unwrap_or_default(),
            heading: line.heading.unwrap_or_default(),
            text: line.text,
        };
        if let Some((document, _)) = current.as_mut().filter(|(document, _)| document.id == id) {
            document.sections.push(section);
            continue;
        }
        let next = Document {
            id,
            title: line.title.unwrap_or_default(),
            aliases: line.aliases.unwrap_or_default(),
            source: line.source.unwrap_or_default(),
            url: line.url.unwrap_or_default(),
            date: line.date.map(Scalar::text).unwrap_or_default(),
            sections: vec![section],
        };
        if let Some((document, number)) = current.replace((next, number))
            && !out.put(document, || format!("line {number}"))
        {
            return Ok(());
        }
    }
    if let Some((document, number)) = current {
        out.put(document, || format!("line {number}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::evidence::reader::DocumentFormat;
    use crate::evidence::reader::tests::read_text;

    #[test]
    fn lines_of_one_id_are_one_document() {
        let text = concat!(
            r#"{"id":"a","title":"Asthma","section":"symptoms","text":"Wheeze.","url":"https://x.org","date":2020}"#,
            "\n",
            r#"{"id":"a","section":"treatment","text":"Salbutamol helps."}"#,
            "\n{broken\n\u{7f}\n",
            r#"{"id":7,"text":"Alone."}"#,
            "\n",
            r#"{"id":"empty","text":" "}"#,
        );
        let (documents, report) = read_text(DocumentFormat::JsonLines, text);
        assert_eq!(documents.len(), 2);
        assert_eq!((documents[0].title.as_str(), documents[0].date.as_str(), documents[0].sections.len()), ("Asthma", "2020", 2));
        assert_eq!(documents[1].id, "7");
        let rejected: Vec<_> = report.rejected.iter().map(|(why, (count, place))| (why.as_str(), *count, place.as_str())).collect();
        assert_eq!(rejected, [("a document without text", 1, "line 6"), ("no object with a text \"id\" and \"text\"", 2, "line 3")]);
    }

    #[test]
    fn hostile_lines_cost_themselves() {
        let mut bytes = b"\xff\xfe\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'[', 200_000));
        bytes.extend(b"\n{\"id\":\"a\",\"text\":\"\\u001b]0;x\\u0007 Text.\"}\n");
        bytes.resize(bytes.len() + (3 << 20), b'x');
        let (documents, report) = read_text(DocumentFormat::JsonLines, bytes);
        assert_eq!(documents.len(), 1);
        assert_eq!(documents[0].sections[0].text, "\u{1b}]0;x\u{7} Text.", "kept word for word; cleaned where it is shown");
        assert_eq!(report.rejected.values().map(|(count, _)| count).sum::<usize>(), 3);
    }
}
