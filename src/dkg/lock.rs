//! One writer at a time: a file that whoever writes holds locked. The system lets go of it however the program ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;

/// The file's name.
const NAME: &str = "lock";

/// The right to write.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file alone would not do: a process that is being started holds a copy of it for a moment, and the lock with it.
        // Where unlocking fails, closing is all there is.
        let _ = self.0.unlock();
    }
}

/// What came of trying.
pub(super) enum Tried {
    /// It is ours until this is dropped.
    Ours(Lock),
    /// Someone else has it; who, in words.
    Taken(String),
}

/// Tries to become the one who writes.
///
/// # Errors
/// If the file cannot be made or locked at all.
pub(super) fn try_lock(folder: &Path) -> io::Result<Tried> {
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
            Ok(Tried::Ours(Lock(file)))
        }
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let read = file.take(20).read_to_string(&mut text);
            let number = read.ok().and_then(|_| text.trim().parse::<u32>().ok());
            Ok(Tried::Taken(match number {
                Some(number) if number == std::process::id() => "this program has it open already".to_owned(),
                Some(number) => format!("another Catena (process {number}) has it open"),
                None => "another Catena has it open".to_owned(),
            }))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}
