//! The folder of an evaluation: its plan, and the results as they come. A result is written before it counts, so an interrupted evaluation
//! continues where it stopped.
//!
//! ```text
//! plan.json        what the results depend on
//! results.jsonl    one line per question and method
//! traces/          one recording per question and method ("catena replay" plays them)
//! report.json  report.md  timings.json
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::error::EvalError;
use super::plan::{Arm, EvalIdentity};
use super::score::AnswerScores;
use crate::config::{create_private, create_private_folder, write_atomically};
use crate::run::{Event, write_event};
use crate::session::{file_name, shortened, whole_lines};

/// How many chains a recording has beyond those that were kept or came close.
const CHAINS: usize = 200;
/// The longest line of a result, bytes.
const LONGEST: u64 = 1 << 22;

/// The result of one question with one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalRow {
    /// Method and settings.
    pub arm: Arm,
    /// The question's id.
    pub id: String,
    /// How the run ended.
    pub ended: RunEnd,
    /// The scores.
    pub scores: AnswerScores,
    /// The entities of the answer, most confident first; at most twelve.
    pub entities: Vec<String>,
    /// Chains found before pruning.
    pub chains: u64,
    /// Whether the search stopped early.
    pub truncated: bool,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// With an answer from evidence.
    Answered,
    /// Nothing was found, and the answer says so.
    NothingFound,
    /// It failed; why. The question is asked again when the evaluation continues.
    Failed(String),
}

/// The folder, open for writing by one program.
#[derive(Debug)]
pub struct EvalFolder {
    folder: PathBuf,
    results: Mutex<File>,
    rows: BTreeMap<(Arm, String), EvalRow>,
}

impl EvalFolder {
    /// Opens or creates the folder and reads its results. An incomplete last line is removed.
    ///
    /// # Errors
    /// If it belongs to another evaluation, another program writes there, or a file cannot be used.
    pub fn open(folder: &Path, identity: &EvalIdentity) -> Result<Self, EvalError> {
        create_private_folder(&folder.join("traces")).map_err(EvalError::io(folder, "created"))?;
        create_private_folder(folder).map_err(EvalError::io(folder, "created"))?;
        let path = folder.join("results.jsonl");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(EvalError::io(&path, "opened"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(EvalError::InUse { folder: folder.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(EvalError::io(&path, "locked")(source)),
        }
        check_plan(folder, identity)?;
        let length = file.metadata().map_err(EvalError::io(&path, "read"))?.len();
        let whole = whole_lines(&mut file, length).map_err(EvalError::io(&path, "read"))?;
        file.set_len(whole).map_err(EvalError::io(&path, "written"))?;
        file.seek(SeekFrom::Start(0)).map_err(EvalError::io(&path, "read"))?;
        let rows = read_rows(&file, &path)?;
        file.seek(SeekFrom::End(0)).map_err(EvalError::io(&path, "read"))?;
        Ok(Self { folder: folder.to_owned(), results: Mutex::new(file), rows })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The result of a question with a method; `None` where there is none, or the run failed.
    pub fn row(&self, arm: Arm, id: &str) -> Option<&EvalRow> {
        self.rows.get(&(arm, id.to_owned())).filter(|row| !matches!(row.ended, RunEnd::Failed(_)))
    }

    /// The same, failed runs included.
    pub(super) fn any_row(&self, arm: Arm, id: &str) -> Option<&EvalRow> {
        self.rows.get(&(arm, id.to_owned()))
    }

    /// Where the recording of a run is, or would be.
    pub fn trace_file(&self, arm: Arm, id: &str) -> PathBuf {
        self.folder.join("traces").join(file_name(&run_id(arm, id)))
    }

    /// Writes a result and the recording of its run.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn write(&self, row: &EvalRow, events: &[Event]) -> Result<(), EvalError> {
        let path = self.trace_file(row.arm, &row.id);
        let recorded = create_private(&path).and_then(|file| {
            let mut out = std::io::BufWriter::new(file);
            shortened(events, CHAINS).iter().try_for_each(|event| write_event(&mut out, event))?;
            out.flush()
        });
        recorded.map_err(EvalError::io(&path, "written"))?;
        let path = self.folder.join("results.jsonl");
        let mut line = serde_json::to_vec(row).map_err(|error| EvalError::io(&path, "written")(error.into()))?;
        line.push(b'\n');
        // One call a line: a program that is ended in the middle leaves whole lines, and at most one that is not.
        let mut file = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line).map_err(EvalError::io(&path, "written"))
    }

    /// Adds rows that were written since the folder was opened.
    pub(super) fn take(&mut self, rows: Vec<EvalRow>) {
        self.rows.extend(rows.into_iter().map(|row| ((row.arm, row.id.clone()), row)));
    }

    /// Writes a file of the report, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_report(&self, name: &str, text: &str) -> Result<PathBuf, EvalError> {
        let path = self.folder.join(name);
        write_atomically(&path, |out| out.write_all(text.as_bytes())).map_err(EvalError::io(&path, "written"))?;
        Ok(path)
    }
}

/// The id of a question's run with a method.
pub(super) fn run_id(arm: Arm, id: &str) -> String {
    format!("{}-{id}", arm.slug())
}

/// Writes the plan of the evaluation, or checks that it is the same.
fn check_plan(folder: &Path, identity: &EvalIdentity) -> Result<(), EvalError> {
    let path = folder.join("plan.json");
    match fs::read(&path) {
        Ok(bytes) => {
            let known: Option<EvalIdentity> = serde_json::from_slice(&bytes).ok();
            let differs = match &known {
                Some(known) => known.difference(identity),
                None => Some("its plan.json cannot be read, so it".to_owned()),
            };
            differs.map_or(Ok(()), |differs| Err(EvalError::OtherPlan { folder: folder.to_owned(), differs }))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let write = |out: &mut std::io::BufWriter<File>| Ok(serde_json::to_writer_pretty(out, identity)?);
            write_atomically(&path, write).map_err(EvalError::io(&path, "written"))
        }
        Err(source) => Err(EvalError::io(&path, "read")(source)),
    }
}

fn read_rows(file: &File, path: &Path) -> Result<BTreeMap<(Arm, String), EvalRow>, EvalError> {
    let mut rows = BTreeMap::new();
    let mut from = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = std::io::Read::take(&mut from, LONGEST).read_until(b'\n', &mut line).map_err(EvalError::io(path, "read"))?;
        if read == 0 {
            break;
        }
        let row: EvalRow = serde_json::from_slice(&line).map_err(|error| EvalError::Line {
            file: path.to_owned(),
            line: number,
            reason: error.to_string(),
        })?;
        // A later line of the same question is of a run that failed before.
        rows.insert((row.arm, row.id.clone()), row);
    }
    Ok(rows)
}
