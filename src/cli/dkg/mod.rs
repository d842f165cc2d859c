//! `catena dkg`: the DKG, which grows with feedback. One file per subcommand.

mod decide;
mod describe;
mod export;
mod feedback;
mod import;
mod learning_curve;
mod log;
mod review;
mod show;
mod stats;
mod teach;
mod undo;
mod verify;

use std::path::Path;

use super::args::{GraphArgs, ModelArgs};
use super::dkg_args::DkgCommand;
use super::exit;
use super::messages::note;
use super::open_engine::{open_engine_without_dkg, teach_settings};
use super::setup::Setup;
use super::start_models::start_models;
use crate::dkg::{Dkg, DkgError};
use crate::feedback::Teacher;
use crate::method::EngineOptions;

pub(super) fn run(command: DkgCommand) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    let folder = setup.paths.dkg();
    match command {
        DkgCommand::Feedback(args) => feedback::run(&args, &setup),
        DkgCommand::Teach(args) => teach::run(&args, &setup),
        DkgCommand::Review { json } => read_dkg(&folder, |dkg| review::run(dkg, json)),
        DkgCommand::Accept(args) => decide::run(&folder, args, decide::Decision::Accept),
        DkgCommand::Reject(args) => decide::run(&folder, args, decide::Decision::Reject),
        DkgCommand::Log { stats: true, json, .. } => read_dkg(&folder, |dkg| stats::run(dkg, json)),
        DkgCommand::Log { limit, json, .. } => read_dkg(&folder, |dkg| log::run(dkg, limit, json)),
        DkgCommand::Show { what, json } => read_dkg(&folder, |dkg| show::run(dkg, &what, json)),
        DkgCommand::Trial(args) => learning_curve::run(&args, &setup),
        DkgCommand::Undo { records } => undo::run(&folder, &records),
        DkgCommand::Verify { json } => verify::run(&folder, json),
        DkgCommand::Export(args) => read_dkg(&folder, |dkg| export::run(dkg, &args)),
        DkgCommand::Import(args) => import::run(&args, &setup),
    }
}

/// Opens the DKG to read it. If the journal is damaged, reads the part before the damage, prints a note and returns the exit code for failure.
fn read_dkg(folder: &Path, read: impl FnOnce(&Dkg) -> anyhow::Result<u8>) -> anyhow::Result<u8> {
    match Dkg::open_read_only(folder) {
        Ok(dkg) => read(&dkg),
        Err(error @ DkgError::Broken { .. }) => {
            note(&format!("{error}. What follows covers only the records before that line"))?;
            let code = read(&Dkg::open_sound_part(folder)?)?;
            Ok(if code == exit::DONE { exit::FAILED } else { code })
        }
        Err(error) => Err(error.into()),
    }
}

/// Opens the DKG to change it.
///
/// # Errors
/// If it cannot be opened, or only read.
fn writable_dkg(folder: &Path) -> anyhow::Result<Dkg> {
    let dkg = Dkg::open(folder)?;
    dkg.notices().iter().try_for_each(|notice| note(notice))?;
    if let Some(reason) = dkg.read_only() {
        return Err(DkgError::ReadOnly { reason: reason.to_owned() }.into());
    }
    Ok(dkg)
}

/// Opens the DKG to change it, with an engine that checks proposals against its graph. Opens the DKG first: if it is read-only, no model loads.
fn open_teacher(graph: &GraphArgs, models: &ModelArgs, setup: &Setup) -> anyhow::Result<Teacher> {
    let settings = teach_settings(&setup.config)?;
    let dkg = writable_dkg(&setup.paths.dkg())?;
    let models = start_models(models, setup)?;
    let engine = open_engine_without_dkg(setup, graph, models, &EngineOptions::default())?;
    engine.notices().iter().try_for_each(|notice| note(notice))?;
    Ok(Teacher::with(dkg, engine.into(), settings)?)
}
