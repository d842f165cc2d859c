//! Writes files that only their owner can read, and that appear only once they are complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Creates (or empties) a file with mode 0600.
///
/// # Errors
/// If the file cannot be created.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // An existing file keeps its mode when it is opened.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// Creates a folder, and missing folders above it, that only their owner can enter.
///
/// # Errors
/// If a folder cannot be created.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // An existing folder may be open to others.
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Writes a draft next to the file, and moves it into place once it is complete and on disk. Readers see either the old file or
/// the new one; an interruption leaves the old one.
///
/// # Errors
/// If writing fails; the draft is then removed.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let draft = draft_beside(path);
    let result = (|| {
        let mut out = BufWriter::with_capacity(1 << 20, create_private(&draft)?);
        write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&draft, path)?;
        // Sync the folder, so that the new name survives a power cut; not every file system supports that.
        if let Some(Ok(folder)) = path.parent().map(File::open) {
            let _ = folder.sync_all();
        }
        Ok(())
    })();
    if result.is_err() {
        let _ = fs::remove_file(&draft);
    }
    result
}

/// The path of the draft of a file: its name with a mark and the process number.
fn draft_beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".draft-{}", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_draft() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        write_atomically(&path, |out| out.write_all(b"old")).expect("writes");
        let failed = write_atomically(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).expect("there"), b"old");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        }
    }
}
