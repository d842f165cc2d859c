//! The questions asked before. Kept in memory; kept in a file only where the user wants it, because
//! questions can hold patient data, and then readable by that user alone.

use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

/// As many as anyone steps through with the arrow keys.
const REMEMBERED: usize = 200;

#[derive(Debug, Default)]
pub(crate) struct History {
    questions: Vec<String>,
    /// How far back the editor has gone: 0 is the draft.
    back: usize,
    draft: String,
}

impl History {
    pub(crate) fn new(questions: Vec<String>) -> Self {
        let mut history = Self::default();
        questions.into_iter().for_each(|question| history.push(&question));
        history
    }

    pub(crate) fn push(&mut self, question: &str) {
        self.back = 0;
        self.draft.clear();
        if question.trim().is_empty() {
            return;
        }
        // A question that is asked again is offered once, as the newest.
        self.questions.retain(|earlier| earlier != question);
        self.questions.push(question.to_owned());
        if self.questions.len() > REMEMBERED {
            self.questions.remove(0);
        }
    }

    /// Whether a text was asked before.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.questions.iter().any(|question| question == text)
    }

    /// The questions asked before, the newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &str> {
        self.questions.iter().rev().map(String::as_str)
    }

    /// One further back; `draft` is what the editor holds, kept for the way forward.
    pub(crate) fn previous(&mut self, draft: &str) -> Option<&str> {
        if self.back == 0 {
            draft.clone_into(&mut self.draft);
            // A question that is still in the editor is not offered again.
            if self.questions.last().is_some_and(|last| last == draft) && self.questions.len() > 1 {
                self.back = 1;
            }
        }
        let at = self.questions.len().checked_sub(self.back + 1)?;
        self.back += 1;
        self.questions.get(at).map(String::as_str)
    }

    /// One forward, in the end the draft.
    pub(crate) fn next(&mut self) -> Option<&str> {
        self.back = self.back.checked_sub(1)?;
        match self.back {
            0 => Some(&self.draft),
            back => self.questions.get(self.questions.len() - back).map(String::as_str),
        }
    }
}

/// Reads a history file: one question a line, as a JSON string. A file that is not there is an empty history.
pub(crate) fn load(path: &Path) -> io::Result<Vec<String>> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut questions: Vec<String> = Vec::new();
    for line in BufReader::new(file).lines() {
        // A line cut short by a crash is no reason to lose the others.
        questions.extend(serde_json::from_str::<String>(&line?));
    }
    let first = questions.len().saturating_sub(REMEMBERED);
    Ok(questions.split_off(first))
}

/// Appends a question to a history file that only its owner can read.
pub(crate) fn append(path: &Path, question: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(0o600);
        let mut file = options.open(path)?;
        // A file that was there before may have been open to others.
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        writeln!(file, "{}", serde_json::to_string(question).map_err(io::Error::other)?)
    }
    #[cfg(not(unix))]
    {
        let mut file = options.open(path)?;
        writeln!(file, "{}", serde_json::to_string(question).map_err(io::Error::other)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_file_comes_back_and_is_private() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("history");
        assert!(load(&path).expect("no file, no history").is_empty());
        for question in ["first\nwith two lines", "胃痛"] {
            append(&path, question).expect("written");
        }
        std::fs::write(&path, std::fs::read_to_string(&path).expect("readable") + "\"cut sho").expect("written");
        assert_eq!(load(&path).expect("read"), ["first\nwith two lines", "胃痛"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            append(&path, "third").expect("written");
            assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        }
    }
}
