//! The file of a judge's duels: a first line that says what they depend on, then one line for each question. What is written is not judged again.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::config::create_private_folder;
use crate::eval::reproduce::DuelRow;
use crate::session::whole_lines;

/// The file, open for writing.
pub(super) struct DuelFile {
    file: File,
    pub(super) rows: Vec<DuelRow>,
}

impl DuelFile {
    /// Opens or begins it. An incomplete last line is removed.
    ///
    /// # Errors
    /// If it is of another plan, or cannot be used.
    pub(super) fn open(path: &Path, plan: &Value) -> anyhow::Result<Self> {
        let failed = || format!("cannot use {}", path.display());
        if let Some(folder) = path.parent() {
            create_private_folder(folder).with_context(failed)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).with_context(failed)?;
        if file.try_lock().is_err() {
            bail!("another program writes {}", path.display());
        }
        let length = file.metadata().with_context(failed)?.len();
        let whole = whole_lines(&mut file, length).with_context(failed)?;
        file.set_len(whole).with_context(failed)?;
        file.seek(SeekFrom::Start(0)).with_context(failed)?;
        let mut lines = BufReader::new(&file).lines();
        let known = lines.next().transpose().with_context(failed)?;
        let mut rows = Vec::new();
        match known {
            Some(known) if serde_json::from_str::<Value>(&known).ok().as_ref() != Some(plan) => {
                bail!("{} holds duels of other questions, documents or models; choose another folder with --out", path.display())
            }
            Some(_) => {
                for line in lines {
                    let row = serde_json::from_str(&line.with_context(failed)?).with_context(failed)?;
                    rows.push(row);
                }
            }
            None => {}
        }
        let is_new = whole == 0;
        let mut opened = Self { file, rows };
        opened.file.seek(SeekFrom::End(0)).with_context(failed)?;
        if is_new {
            opened.write_line(plan).with_context(failed)?;
        }
        Ok(opened)
    }

    /// Writes a duel.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn add(&mut self, row: DuelRow) -> anyhow::Result<()> {
        self.write_line(&serde_json::to_value(&row)?).context("a duel cannot be written")?;
        self.rows.push(row);
        Ok(())
    }

    fn write_line(&mut self, value: &Value) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}
