//! Reads a corpus of marked mentions, and tells the three forms apart.

use std::path::{Path, PathBuf};

use super::iob::IobReader;
use super::pubtator::PubtatorReader;
use super::{MarkedText, brat};
use crate::text::{LinesRejected, describe_rejected, describe_unreadable, open_lines};

/// The largest file of BRAT, in bytes.
const LARGEST: u64 = 64 << 20;

/// Why a corpus cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NerError {
    /// A file cannot be read.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// The file has no text.
    #[error(
        "{} has no marked text{rejected}; Catena reads IOB (a token and its tag on each line), PubTator, and BRAT (NAME.ann beside NAME.txt, or a folder of them)",
        path.display()
    )]
    Empty {
        /// The file or folder.
        path: PathBuf,
        /// What was rejected, in words.
        rejected: String,
    },
    /// A file of predictions has other texts than the corpus.
    #[error(
        "{} has other texts than the marked file: the first that differs is number {number} ({here} marked texts, {there} here). Write the predictions over the marked file: the same texts in the same order, and only other tags or mentions",
        path.display()
    )]
    OtherTexts {
        /// The file of predictions.
        path: PathBuf,
        /// The number of the first text that differs, from 1.
        number: usize,
        /// How many texts the corpus has.
        here: usize,
        /// How many texts the predictions have.
        there: usize,
    },
    /// A file of concepts has none.
    #[error(
        "{} has no term that refers to MeSH or OMIM; Catena reads concepts from OBO files whose terms have lines like \"xref: MESH:D006073\"",
        path.display()
    )]
    NoConcepts {
        /// The file.
        path: PathBuf,
    },
}

/// A corpus.
#[derive(Debug, Clone, Default)]
pub struct NerCorpus {
    /// Its texts.
    pub texts: Vec<MarkedText>,
    /// Lines and mentions that were left out, by reason: how many, and the number of the first line.
    rejected: LinesRejected,
}

impl NerCorpus {
    /// Reads a file (IOB, PubTator, either packed by gzip or not, or BRAT's `.ann`), or a folder of BRAT's files.
    ///
    /// # Errors
    /// If a file cannot be read, or there is no text.
    pub fn open(path: &Path) -> Result<Self, NerError> {
        let corpus =
            if path.is_dir() || path.extension().is_some_and(|ending| ending == "ann") { Self::brat(path)? } else { Self::lines(path)? };
        if corpus.texts.is_empty() {
            let rejected = if corpus.rejected.is_empty() { String::new() } else { format!(" ({})", corpus.rejected_in_words()) };
            return Err(NerError::Empty { path: path.to_owned(), rejected });
        }
        Ok(corpus)
    }

    /// What was left out, in words; empty if nothing was.
    pub fn rejected_in_words(&self) -> String {
        describe_rejected(&self.rejected)
    }

    /// The number of marked mentions.
    pub fn marked(&self) -> usize {
        self.texts.iter().map(|text| text.mentions.len()).sum()
    }

    fn reject(&mut self, why: &'static str, count: u64, line: u64) {
        self.rejected.entry(why).or_insert((0, line)).0 += count;
    }

    fn lines(path: &Path) -> Result<Self, NerError> {
        let unreadable = |error: &std::io::Error| NerError::Unreadable { path: path.to_owned(), why: describe_unreadable(error) };
        let (mut lines, _) = open_lines(path).map_err(|error| unreadable(&error))?;
        let (mut corpus, mut iob, mut pubtator) = (Self::default(), IobReader::default(), PubtatorReader::default());
        let (mut is_pubtator, mut before) = (None, 0);
        while let Some(line) = lines.next().map_err(|error| unreadable(&error))? {
            // Blank lines are left out, but counted.
            if line.number > before + 1 {
                iob.blank();
            }
            before = line.number;
            let read = line.text.and_then(|text| {
                if *is_pubtator.get_or_insert_with(|| text.contains("|t|")) { pubtator.line(&text) } else { iob.line(&text) }
            });
            if let Err(why) = read {
                corpus.reject(why, 1, line.number);
            }
        }
        corpus.texts = if is_pubtator == Some(true) {
            let (texts, misplaced) = pubtator.finish();
            if misplaced > 0 {
                corpus.reject("mentions that do not stand where they should", misplaced, 1);
            }
            texts
        } else {
            iob.finish()
        };
        Ok(corpus)
    }

    fn brat(path: &Path) -> Result<Self, NerError> {
        let unreadable = |path: &Path, why: String| NerError::Unreadable { path: path.to_owned(), why };
        let mut files = vec![path.to_owned()];
        if path.is_dir() {
            let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let entries = entries.map_err(|error| unreadable(path, error.to_string()))?;
            files = entries
                .into_iter()
                .map(|entry| entry.path())
                .filter(|file| file.extension().is_some_and(|ending| ending == "ann"))
                .collect();
            files.sort();
        }
        let whole = |path: &Path| -> Result<String, NerError> {
            let length = std::fs::metadata(path).map_err(|error| unreadable(path, error.to_string()))?.len();
            if length > LARGEST {
                return Err(unreadable(path, format!("it is larger than {} MiB", LARGEST >> 20)));
            }
            std::fs::read_to_string(path).map_err(|error| unreadable(path, error.to_string()))
        };
        let mut corpus = Self::default();
        for file in files {
            let (mut text, faulty) = brat::read(whole(&file.with_extension("txt"))?, &whole(&file)?);
            text.id = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if faulty > 0 {
                corpus.reject("lines of BRAT that describe no mention in the text", faulty, 1);
            }
            corpus.texts.push(text);
        }
        Ok(corpus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_apart_and_what_is_unusable_is_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let iob = NerCorpus::open(&write("a.tsv", "Gout\tB-Disease\n\nbad\nIt\tO\n")).expect("reads");
        assert_eq!(
            (iob.texts.len(), iob.marked(), iob.rejected_in_words()),
            (2, 1, "1 × a line without a token and a tag (first in line 3)".into())
        );
        let pubtator = NerCorpus::open(&write("b.txt", "1|t|Gout\n1|a|hurts\n1\t0\t4\tGout\tDisease\tD1\n")).expect("reads");
        assert_eq!((pubtator.texts[0].text.as_str(), pubtator.marked()), ("Gout hurts", 1));
        write("c.txt", "Gout hurts");
        write("c.ann", "T1\tDisease 0 4\tGout\n");
        for path in [folder.path().join("c.ann"), folder.path().to_owned()] {
            assert_eq!(NerCorpus::open(&path).expect("reads").marked(), 1);
        }
        assert!(matches!(NerCorpus::open(&write("d.tsv", "\n\n")), Err(NerError::Empty { .. })));
        assert!(matches!(NerCorpus::open(&folder.path().join("none")), Err(NerError::Unreadable { .. })));
    }
}
