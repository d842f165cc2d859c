//! One writer at a time: the writer holds a lock on a file. The system releases it however the program ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;

/// The file's name.
const NAME: &str = "lock";

/// The lock. Dropping it releases it.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file alone would not do: a process that is being started holds a copy of it for a moment, and the lock with it.
        // Where unlocking fails, closing is all there is.
        let _ = self.0.unlock();
    }
}

/// The result of trying to lock.
pub(super) enum TriedLock {
    /// We hold the lock until this is dropped.
    Ours(Lock),
    /// Another process holds it; who, in words.
    Taken(String),
}

/// Tries to become the writer.
///
/// # Errors
/// If the file cannot be created or locked at all.
pub(super) fn try_lock(folder: &Path) -> io::Result<TriedLock> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(folder.join(NAME))?;
    match file.try_lock() {
        Ok(()) => {
            // The number is for messages only: the lock is what counts.
            file.set_len(0)?;
            write!(file, "{}", std::process::id())?;
            Ok(TriedLock::Ours(Lock(file)))
        }
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let read = file.take(20).read_to_string(&mut text);
            let number = read.ok().and_then(|_| text.trim().parse::<u32>().ok());
            Ok(TriedLock::Taken(match number {
                Some(number) if number == std::process::id() => "this program already has it open".to_owned(),
                Some(number) => format!("another Catena (process {number}) has it open"),
                None => "another Catena has it open".to_owned(),
            }))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}
