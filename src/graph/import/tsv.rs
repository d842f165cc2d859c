//! Triples as text: `head<TAB>relation<TAB>tail`, one a line, UTF-8.

use std::io::{BufRead, BufReader, Read};

use crate::graph::{BuildReport, Graph, GraphBuilder, RoleRules};
use crate::text::sanitise_line;

/// Longest name that is taken, in bytes; longer ones are surely not names.
const LONGEST_NAME: usize = 1000;

/// Why a graph could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file could not be opened or read.
    #[error("{file} could not be read: {source}")]
    Io {
        /// The file, as the user named it.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not one line of it is a triple.
    #[error("{file} holds no triple (head<TAB>relation<TAB>tail): {}", report.summary().unwrap_or_else(|| "it is empty".into()))]
    NoTriples {
        /// The file, as the user named it.
        file: String,
        /// What was wrong with its lines.
        report: Box<BuildReport>,
    },
}

/// Reads a graph from TSV. Blank lines and lines that begin with `#` are passed over; columns after the
/// third are ignored; lines that are no triple are counted with the reason.
///
/// # Errors
/// If reading fails or nothing in the file is a triple.
pub fn read_tsv(from: impl Read, file: &str, name: &str, rules: &RoleRules) -> Result<(Graph, BuildReport), ImportError> {
    let mut builder = GraphBuilder::new(name);
    let mut report = BuildReport::default();
    let mut reader = BufReader::with_capacity(1 << 16, from);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(|source| ImportError::Io { file: file.to_owned(), source })?;
        if read == 0 {
            break;
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = if number == 1 { text.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(text) } else { text };
        if text.first() == Some(&b'#') || text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        report.lines += 1;
        match take_line(&mut builder, text, rules) {
            Ok(()) => {}
            Err(reason) => report.reject(number, reason),
        }
    }
    if builder.stated_triples() == 0 {
        return Err(ImportError::NoTriples { file: file.to_owned(), report: Box::new(report) });
    }
    let graph = builder.finish_with(&mut report);
    Ok((graph, report))
}

/// Takes one line, or says why it is no triple.
fn take_line(builder: &mut GraphBuilder, line: &[u8], rules: &RoleRules) -> Result<(), &'static str> {
    let text = std::str::from_utf8(line).map_err(|_| "not valid UTF-8")?;
    let mut columns = text.split('\t').map(sanitise_line);
    let (Some(head), Some(relation), Some(tail)) = (columns.next(), columns.next(), columns.next()) else {
        return Err("fewer than three tab-separated columns");
    };
    if head.is_empty() || relation.is_empty() || tail.is_empty() {
        return Err("an empty column");
    }
    if head.len() > LONGEST_NAME || relation.len() > LONGEST_NAME || tail.len() > LONGEST_NAME {
        return Err("a name of more than 1000 bytes");
    }
    let relation = match builder.relation_by_name(&relation) {
        Some(known) => known,
        None => builder.relation(rules.guess(&relation)).ok_or("more than 65535 relation types")?,
    };
    let (head, tail) = (builder.entity(&head), builder.entity(&tail));
    builder.triple(head, relation, tail);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<(Graph, BuildReport), ImportError> {
        read_tsv(text, "t.tsv", "t", &RoleRules::built_in().expect("rules"))
    }

    #[test]
    fn good_lines_are_taken_and_bad_ones_counted_with_reasons() {
        let text = b"\xEF\xBB\xBF# comment\nA\ttreats\tB\nA\ttreats\tB\r\n\nonly two\tcolumns\nA\t\tB\nA\xFF\ttreats\tC\n\x1b[31mA\ttreats\tB\nA\ttreats\tB\textra\nD\tr\tD";
        let (graph, report) = read(text).expect("a graph");
        assert_eq!((report.lines, report.accepted, report.duplicates, report.rejected_count()), (8, 3, 2, 3));
        assert_eq!(report.rejected[0].line, 5);
        assert!(graph.find("[31mA").is_some(), "the escape character itself is gone");
        let summary = report.summary().expect("something was rejected");
        assert!(summary.contains("not valid UTF-8") && summary.contains("line 5"), "{summary}");
    }

    #[test]
    fn a_file_without_triples_is_an_error_that_says_why() {
        let error = read(b"a,b,c\n").expect_err("no triples").to_string();
        assert!(error.contains("t.tsv") && error.contains("fewer than three"), "{error}");
        assert!(read(b"").is_err());
    }
}
