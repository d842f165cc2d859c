//! Reading within bounds: a part that never ends, or a packed file that unpacks to absurdly much, is an error and fills no memory.

use std::cell::Cell;
use std::fs::Metadata;
use std::io::{self, Read};
use std::rc::Rc;

/// How much a packed file may unpack to, whatever its size …
const FREE: u64 = 64 << 20;
/// … and as how many times its size: texts pack to a tenth or so.
const RATIO: u64 = 200;
/// What is wrong with a file that unpacks to more.
pub(crate) const UNPACKS_TO_TOO_MUCH: &str =
    "it unpacks to more than 200 times its size, as no file of texts does; it may be made to fill the memory";

/// Reads until so many bytes came since its bound was set again.
pub(crate) struct Bounded<R> {
    input: R,
    left: Rc<Cell<u64>>,
    why: &'static str,
}

impl<R> Bounded<R> {
    /// A reader whose bound others set again, and what the error says that comes beyond it.
    pub(crate) fn new(input: R, left: Rc<Cell<u64>>, why: &'static str) -> Self {
        Self { input, left, why }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64).ok_or_else(|| io::Error::other(self.why))?;
        self.left.set(left);
        Ok(read)
    }
}

/// How many bytes a packed file may unpack to. Nothing is known of what is no file, such as a pipe.
pub(crate) fn most_unpacked(file: &Metadata) -> Rc<Cell<u64>> {
    let most = if file.is_file() { FREE.max(file.len().saturating_mul(RATIO)) } else { u64::MAX };
    Rc::new(Cell::new(most))
}
