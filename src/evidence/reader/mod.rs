//! Readers of documents: one file for each format. All read a part at a time, and what they cannot use is counted with its reason.

mod html;
mod json_lines;
mod markdown;
mod medline_plus;
mod medquad;
mod open_fda;
mod pdf;
mod plain;
mod source;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::document::{Document, ReadReport, Section};

/// A format of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentFormat {
    /// Drug labels of openFDA: results of its API, its bulk files (also zipped), or one label a line with `sections`.
    OpenFda,
    /// MedQuAD: a document a line, with questions and answers.
    MedQuad,
    /// JSON lines `{"id","title","section","text","url","date"}`; lines of one id are one document.
    JsonLines,
    /// Markdown: headings begin sections.
    Markdown,
    /// Plain text.
    Plain,
    /// HTML: headings begin sections; scripts and styles are left out.
    Html,
    /// MedlinePlus's health topics in XML.
    MedlinePlus,
    /// PDF with text; a page is a section.
    Pdf,
}

/// An unknown format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format of documents {name:?}; the formats are {}", DocumentFormat::listed())]
pub struct UnknownDocumentFormat {
    name: String,
}

/// Why documents cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {why}", file.display())]
    Unreadable {
        /// The file or folder.
        file: PathBuf,
        /// Why, in words.
        why: String,
    },
    /// The caller no longer wants the documents.
    #[error("stopped; nothing was changed")]
    Stopped,
}

impl DocumentFormat {
    /// All formats.
    pub const ALL: [Self; 8] =
        [Self::OpenFda, Self::MedQuad, Self::JsonLines, Self::Markdown, Self::Plain, Self::Html, Self::MedlinePlus, Self::Pdf];

    /// What it is called on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenFda => "openfda",
            Self::MedQuad => "medquad",
            Self::JsonLines => "jsonl",
            Self::Markdown => "markdown",
            Self::Plain => "text",
            Self::Html => "html",
            Self::MedlinePlus => "medlineplus",
            Self::Pdf => "pdf",
        }
    }

    fn listed() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// The endings of files that are read when a folder is given.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::OpenFda => &[".json", ".json.gz", ".json.zip", ".jsonl", ".jsonl.gz"],
            Self::MedQuad | Self::JsonLines => &[".jsonl", ".jsonl.gz"],
            Self::Markdown => &[".md", ".markdown"],
            Self::Plain => &[".txt", ".text"],
            Self::Html => &[".html", ".htm", ".xhtml"],
            Self::MedlinePlus => &[".xml", ".xml.gz", ".xml.zip", ".zip"],
            Self::Pdf => &[".pdf"],
        }
    }
}

impl fmt::Display for DocumentFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for DocumentFormat {
    type Err = UnknownDocumentFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|format| format.as_str() == name);
        let known = known.or(match name {
            "drug-labels" => Some(Self::OpenFda),
            "json-lines" => Some(Self::JsonLines),
            "md" => Some(Self::Markdown),
            "txt" | "plain" => Some(Self::Plain),
            _ => None,
        });
        known.ok_or_else(|| UnknownDocumentFormat { name: name.to_owned() })
    }
}

/// The most bytes of documents that are read at a time: all are kept until their collection is built.
const MOST_TAKEN: u64 = 1 << 30;
/// What a document takes besides its texts, in bytes.
const OVERHEAD: u64 = 512;

/// How many bytes a document takes.
fn size_of(document: &Document) -> u64 {
    let section = |section: &Section| section.name.len() + section.heading.len() + section.text.len();
    let texts = document.sections.iter().map(section).sum::<usize>() + document.aliases.iter().map(String::len).sum::<usize>();
    OVERHEAD + (texts + document.title.len()) as u64
}

/// Takes documents one by one. Returns `false` if no more are wanted.
pub type Sink<'a> = dyn FnMut(Document) -> bool + 'a;

/// What a reader writes to: the sink for what can be used, the report for what cannot.
pub(super) struct Output<'a> {
    sink: &'a mut Sink<'a>,
    report: ReadReport,
    stopped: bool,
    /// The bytes that the documents take.
    taken: u64,
}

impl Output<'_> {
    /// Takes a document, or counts why not. Returns whether more are wanted.
    pub(super) fn put(&mut self, document: Document, place: impl FnOnce() -> String) -> bool {
        match document.checked() {
            Ok(document) => {
                self.taken = self.taken.saturating_add(size_of(&document));
                if self.is_full() {
                    self.report.reject("more than 1 GiB of documents in one import; what follows it: import that by itself", place);
                } else {
                    self.report.documents += 1;
                    self.stopped |= !(self.sink)(document);
                }
            }
            Err(why) => self.report.reject(why, place),
        }
        self.wants_more()
    }

    /// Whether more documents are wanted, and there is room for them.
    pub(super) fn wants_more(&self) -> bool {
        !self.stopped && !self.is_full()
    }

    fn is_full(&self) -> bool {
        self.taken > MOST_TAKEN
    }

    /// Counts a part that cannot be used.
    pub(super) fn reject(&mut self, why: &str, place: impl FnOnce() -> String) {
        self.report.reject(why, place);
    }
}

/// Reads the documents of a file, or of a folder's files of this format, in the order of their names.
///
/// # Errors
/// If a file cannot be read, or the sink wants no more.
pub fn read<'a>(format: DocumentFormat, path: &Path, sink: &'a mut Sink<'a>) -> Result<ReadReport, ReadError> {
    let unreadable =
        |file: &Path, error: &io::Error| ReadError::Unreadable { file: file.to_owned(), why: crate::text::describe_unreadable(error) };
    let files = source::files(path, format.endings()).map_err(|error| unreadable(path, &error))?;
    let mut out = Output { sink, report: ReadReport::default(), stopped: false, taken: 0 };
    for file in files {
        // The folder's own name is no part of a document's id.
        let name = file.strip_prefix(path).ok().filter(|name| !name.as_os_str().is_empty()).unwrap_or(&file);
        let shown = if name == file { file.file_name().unwrap_or_default().to_string_lossy() } else { name.to_string_lossy() };
        let done = match format {
            DocumentFormat::OpenFda => open_fda::read(&file, &mut out),
            DocumentFormat::MedQuad => medquad::read(&file, &mut out),
            DocumentFormat::JsonLines => json_lines::read(&file, &mut out),
            DocumentFormat::Markdown => source::text_file(&file, &shown, &mut out, markdown::read),
            DocumentFormat::Plain => source::text_file(&file, &shown, &mut out, plain::read),
            DocumentFormat::Html => source::text_file(&file, &shown, &mut out, html::read),
            DocumentFormat::MedlinePlus => medline_plus::read(&file, &mut out),
            DocumentFormat::Pdf => pdf::read(&file, &shown, &mut out),
        };
        done.map_err(|error| unreadable(&file, &error))?;
        if out.stopped {
            return Err(ReadError::Stopped);
        }
        if !out.wants_more() {
            break;
        }
    }
    Ok(out.report)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Reads a text of this format.
    pub(in crate::evidence) fn read_text(format: DocumentFormat, text: impl AsRef<[u8]>) -> (Vec<Document>, ReadReport) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, text).expect("a file");
        let mut documents = Vec::new();
        let report = read(format, &file, &mut |document| {
            documents.push(document);
            true
        })
        .expect("reads");
        (documents, report)
    }

    #[test]
    fn formats_have_names() {
        for format in DocumentFormat::ALL {
            assert_eq!(format.as_str().parse(), Ok(format));
        }
        assert!("docx".parse::<DocumentFormat>().is_err_and(|error| error.to_string().contains("openfda, medquad, jsonl")));
    }

    #[test]
    fn the_files_of_a_folder_are_read_in_order_and_can_be_stopped() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("b.md", "# B\nText b."), ("a.md", "# A\nText a."), ("c.txt", "Other.")] {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let mut ids = Vec::new();
        let report = read(DocumentFormat::Markdown, folder.path(), &mut |document| {
            ids.push(document.id);
            true
        });
        assert_eq!(report.expect("reads").documents, 2);
        assert_eq!(ids, ["a.md", "b.md"]);
        let stopped = read(DocumentFormat::Markdown, folder.path(), &mut |_| false);
        assert!(matches!(stopped, Err(ReadError::Stopped)));
        let missing = read(DocumentFormat::Markdown, &folder.path().join("none"), &mut |_| true);
        assert!(matches!(missing, Err(ReadError::Unreadable { .. })));
    }

    #[test]
    fn no_more_is_taken_than_fits() {
        let mut count = 0;
        let mut sink = |_: Document| {
            count += 1;
            true
        };
        let mut out = Output { sink: &mut sink, report: ReadReport::default(), stopped: false, taken: MOST_TAKEN - 1000 };
        let document = || Document {
            id: "a".into(),
            sections: vec![Section { text: "Wheeze.".repeat(30), ..Section::default() }],
            ..Document::default()
        };
        assert!(out.put(document(), String::new), "the first fits");
        assert!(!out.put(document(), || "line 2".to_owned()), "the second does not, and ends the reading");
        let (rejected, documents) = (out.report.rejected, out.report.documents);
        assert_eq!((count, documents), (1, 1));
        assert!(rejected.iter().any(|(why, (_, place))| why.starts_with("more than 1 GiB") && place == "line 2"), "{rejected:?}");
    }
}
