//! Reads the journal: from a position on, checking every link of the hash chain; or one record by its number.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::line::{JournalLine, LONGEST, LineFault, seq_of, unseal};
use super::{Position, path_in};
use crate::dkg::error::{DkgError, Refusal};
use crate::dkg::record::Record;

/// Bytes of lines that are checked together, on all cores.
const PORTION: usize = 4 << 20;
/// How much is read at once where a single record is looked for, bytes.
const GLIMPSE: usize = 1 << 12;

/// How far a journal is intact.
#[derive(Debug, Clone, Copy)]
pub(in crate::dkg) struct Walked {
    /// Where the last whole record ends.
    pub(in crate::dkg) position: Position,
    /// How many bytes of an interrupted write follow.
    pub(in crate::dkg) torn: u64,
}

/// Reads all records from a place on, in order, and checks each. `each` gets the record and the place where it ends.
///
/// # Errors
/// [`DkgError::Broken`] at the first damaged line, after `each` got the records before it; any error of `each`.
pub(in crate::dkg) fn walk(
    folder: &Path,
    from: Position,
    each: &mut dyn FnMut(&Record, Position) -> Result<(), DkgError>,
) -> Result<Walked, DkgError> {
    let path = path_in(folder);
    let mut file = match File::open(&path) {
        // A folder in which nothing was ever recorded.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && from.length == 0 => {
            return Ok(Walked { position: from, torn: 0 });
        }
        file => file.map_err(DkgError::io(&path, "read"))?,
    };
    let failed = || DkgError::io(&path, "read");
    file.seek(SeekFrom::Start(from.length)).map_err(failed())?;
    let mut input = BufReader::with_capacity(1 << 18, file);
    let mut position = from;
    let mut lines = WholeLines::default();
    loop {
        lines.fill(&mut input).map_err(failed())?;
        let checked: Vec<Result<JournalLine, LineFault>> = lines.all().into_par_iter().map(unseal).collect();
        let last = lines.complete && lines.torn == 0;
        let count = checked.len();
        for (i, (line, length)) in checked.into_iter().zip(lines.lengths()).enumerate() {
            let linked = line.and_then(|line| follows(line, &position));
            match linked {
                Ok(line) => {
                    position = Position { seq: line.record.seq, length: position.length + length, sum: line.sum };
                    each(&line.record, position)?;
                }
                Err(fault) if fault.torn && last && i + 1 == count => return Ok(Walked { position, torn: length }),
                Err(fault) => return Err(broken(&path, position.seq, fault)),
            }
        }
        if lines.too_long {
            return Err(damaged(&path, position.seq, format!("it is longer than {LONGEST} bytes")));
        }
        if lines.complete {
            return Ok(Walked { position, torn: lines.torn });
        }
    }
}

/// Checks that a line comes right after what was read.
fn follows(line: JournalLine, position: &Position) -> Result<JournalLine, LineFault> {
    let fault = |reason: String| LineFault { reason, torn: false, newer: false };
    let expected = position.seq + 1;
    if line.record.seq != expected {
        return Err(fault(format!(
            "it is record {} where {expected} belongs: lines before it were removed, inserted or swapped",
            line.record.seq
        )));
    }
    if line.prev != position.sum {
        return Err(fault("it does not follow the line before it: one of the two was replaced or inserted".to_owned()));
    }
    Ok(line)
}

fn broken(path: &Path, sound: u64, fault: LineFault) -> DkgError {
    DkgError::Broken { file: path.to_path_buf(), line: sound + 1, reason: fault.reason, sound, newer: fault.newer }
}

fn damaged(path: &Path, sound: u64, reason: String) -> DkgError {
    broken(path, sound, LineFault { reason, torn: false, newer: false })
}

/// Some whole lines of a file.
#[derive(Default)]
struct WholeLines {
    bytes: Vec<u8>,
    /// Where each line ends, past its newline.
    ends: Vec<usize>,
    /// Whether the file has no more whole lines.
    complete: bool,
    /// How many bytes come after the last whole line.
    torn: u64,
    /// Whether the next line is longer than lines may be.
    too_long: bool,
}

impl WholeLines {
    fn fill(&mut self, input: &mut impl BufRead) -> std::io::Result<()> {
        self.bytes.clear();
        self.ends.clear();
        while self.bytes.len() < PORTION {
            let start = self.bytes.len();
            let read = input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut self.bytes)?;
            if self.bytes.last() == Some(&b'\n') && read > 0 {
                self.ends.push(self.bytes.len());
                continue;
            }
            self.bytes.truncate(start);
            if read <= LONGEST {
                (self.complete, self.torn) = (true, read as u64);
                return Ok(());
            }
            // Too long; but if it never ends it was cut short.
            let mut length = read as u64;
            loop {
                let part = input.fill_buf()?;
                if part.is_empty() {
                    (self.complete, self.torn) = (true, length);
                    return Ok(());
                }
                if memchr::memchr(b'\n', part).is_some() {
                    self.too_long = true;
                    return Ok(());
                }
                let read = part.len();
                length += read as u64;
                input.consume(read);
            }
        }
        self.complete = input.fill_buf()?.is_empty();
        Ok(())
    }

    /// The lines, without their newlines.
    fn all(&self) -> Vec<&[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..end - 1]).collect()
    }

    /// Their lengths, with newlines.
    fn lengths(&self) -> Vec<u64> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| (end - start) as u64).collect()
    }
}

/// Finds a record among the first `length` bytes, which must be whole lines, by binary search in the file: each line has its number at its
/// end.
///
/// # Errors
/// If there is none, or its line is damaged.
pub(in crate::dkg) fn find(folder: &Path, length: u64, seq: u64) -> Result<Record, DkgError> {
    let path = path_in(folder);
    let mut file = File::open(&path).map_err(DkgError::io(&path, "read"))?;
    let (_, line) = locate(&mut file, &path, length, seq)?.ok_or(Refusal::NoRecord(seq))?;
    record_of(&path, seq, &line)
}

/// The records of a range of numbers, in order.
///
/// # Errors
/// If the journal cannot be read.
pub(in crate::dkg) fn records(folder: &Path, length: u64, range: std::ops::Range<u64>) -> Result<JournalRecords, DkgError> {
    let path = path_in(folder);
    let mut records = JournalRecords { input: None, path, next: range.start.max(1), end: range.end };
    if length == 0 || records.next >= records.end {
        return Ok(records);
    }
    let failed = || DkgError::io(&records.path, "read");
    let mut file = File::open(&records.path).map_err(failed())?;
    let start = locate(&mut file, &records.path, length, records.next)?.map_or(length, |(start, _)| start);
    file.seek(SeekFrom::Start(start)).map_err(failed())?;
    records.input = Some(BufReader::with_capacity(1 << 16, file).take(length - start));
    Ok(records)
}

/// Records in order, each checked by itself.
#[derive(Debug)]
pub struct JournalRecords {
    input: Option<std::io::Take<BufReader<File>>>,
    path: PathBuf,
    next: u64,
    end: u64,
}

impl Iterator for JournalRecords {
    type Item = Result<Record, DkgError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let seq = self.next;
        let mut line = Vec::new();
        let read = self.input.as_mut()?.take(LONGEST as u64 + 1).read_until(b'\n', &mut line);
        let result = match read {
            Ok(0) => return None,
            Ok(_) => {
                line.pop();
                record_of(&self.path, seq, &line)
            }
            Err(source) => Err(DkgError::io(&self.path, "read")(source)),
        };
        self.next = if result.is_ok() { seq + 1 } else { self.end };
        Some(result)
    }
}

fn record_of(path: &Path, seq: u64, line: &[u8]) -> Result<Record, DkgError> {
    match unseal(line) {
        Ok(line) if line.record.seq == seq => Ok(line.record),
        Ok(_) => Err(damaged(path, seq - 1, "lines before it were removed, inserted or swapped".to_owned())),
        Err(fault) => Err(broken(path, seq - 1, fault)),
    }
}

/// Where the line of a record begins, and the line without its newline.
fn locate(file: &mut File, path: &Path, length: u64, seq: u64) -> Result<Option<(u64, Vec<u8>)>, DkgError> {
    // The line that is looked for begins in low..high, which begins with a line.
    let (mut low, mut high) = (0, length);
    while low < high {
        let middle = low + (high - low) / 2;
        let start = line_start(file, low, middle).map_err(DkgError::io(path, "read"))?;
        let line = line_at(file, start, length).map_err(DkgError::io(path, "read"))?;
        let Some(found) = seq_of(&line) else {
            return Err(damaged(path, seq.saturating_sub(1), "a line near it is not a record".to_owned()));
        };
        match found.cmp(&seq) {
            std::cmp::Ordering::Equal => return Ok(Some((start, line))),
            std::cmp::Ordering::Less => low = start + line.len() as u64 + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    Ok(None)
}

/// Where the line begins that has the byte at `at`; not before `low`.
fn line_start(file: &mut File, low: u64, at: u64) -> std::io::Result<u64> {
    let mut end = at;
    let mut bytes = [0; GLIMPSE];
    while end > low {
        let start = end.saturating_sub(GLIMPSE as u64).max(low);
        let part = &mut bytes[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(part)?;
        if let Some(newline) = memchr::memrchr(b'\n', part) {
            return Ok(start + newline as u64 + 1);
        }
        end = start;
    }
    Ok(low)
}

/// The line that begins at `start`, without its newline.
fn line_at(file: &mut File, start: u64, length: u64) -> std::io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let most = (length - start).min(LONGEST as u64 + 1);
    let mut line = Vec::new();
    BufReader::with_capacity(GLIMPSE, file.take(most)).read_until(b'\n', &mut line)?;
    line.pop();
    Ok(line)
}
