//! `catena dkg`: the evolving graph. One file a verb.

mod decide;
mod describe;
mod export;
mod feedback;
mod import;
mod log;
mod review;
mod show;
mod stats;
mod trial;
mod undo;
mod verify;

use std::io::{Write, stderr};
use std::path::Path;

use super::args::{GraphArgs, ModelArgs};
use super::dkg_args::DkgCommand;
use super::dkg_overlay::teach_settings;
use super::exit;
use super::models_open::open_models;
use super::open::{open_engine, surroundings};
use crate::config::{Config, Paths};
use crate::dkg::{Dkg, DkgError};
use crate::feedback::Teacher;
use crate::method::EngineOptions;
use crate::text::sanitise;

pub(super) fn run(command: DkgCommand) -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    let folder = paths.dkg();
    match command {
        DkgCommand::Feedback(args) => feedback::run(&args, &config, &paths),
        DkgCommand::Review { json } => reading(&folder, |dkg| review::run(dkg, json)),
        DkgCommand::Accept(args) => decide::run(&folder, args, decide::Decision::Accept),
        DkgCommand::Reject(args) => decide::run(&folder, args, decide::Decision::Reject),
        DkgCommand::Log { stats: true, json, .. } => reading(&folder, |dkg| stats::run(dkg, json)),
        DkgCommand::Log { limit, json, .. } => reading(&folder, |dkg| log::run(dkg, limit, json)),
        DkgCommand::Show { what, json } => reading(&folder, |dkg| show::run(dkg, &what, json)),
        DkgCommand::Trial(args) => trial::run(&args, &config, &paths),
        DkgCommand::Undo { records } => undo::run(&folder, &records),
        DkgCommand::Verify { json } => verify::run(&folder, json),
        DkgCommand::Export(args) => reading(&folder, |dkg| export::run(dkg, &args)),
        DkgCommand::Import(args) => import::run(&args, &config, &paths),
    }
}

/// Opens what was learned to be read. Of a journal that is damaged it is what precedes the damage, which is said, and the exit code says so too.
fn reading(folder: &Path, read: impl FnOnce(&Dkg) -> anyhow::Result<u8>) -> anyhow::Result<u8> {
    match Dkg::open_read_only(folder) {
        Ok(dkg) => read(&dkg),
        Err(error @ DkgError::Broken { .. }) => {
            tell(&format!("{error}. What follows is what precedes that line"))?;
            let code = read(&Dkg::open_sound_part(folder)?)?;
            Ok(if code == exit::DONE { exit::FAILED } else { code })
        }
        Err(error) => Err(error.into()),
    }
}

/// Opens what was learned to be changed.
fn writing(folder: &Path) -> anyhow::Result<Dkg> {
    let dkg = Dkg::open(folder)?;
    dkg.notices().iter().try_for_each(|notice| tell(notice))?;
    if let Some(reason) = dkg.read_only() {
        return Err(DkgError::ReadOnly { reason: reason.to_owned() }.into());
    }
    Ok(dkg)
}

/// The same with the engine whose graph proposals are checked against. Nothing is opened for longer than that where nothing may be written.
fn teacher(graph: &GraphArgs, models: &ModelArgs, config: &Config, paths: &Paths) -> anyhow::Result<Teacher> {
    let settings = teach_settings(config)?;
    let dkg = writing(&paths.dkg())?;
    let models = open_models(models, config, paths)?;
    let engine = open_engine(graph, models, config, paths, &EngineOptions::default(), &[])?;
    engine.notices().iter().try_for_each(|notice| tell(notice))?;
    Ok(Teacher::with(dkg, engine.into(), settings)?)
}

/// Says something that is no data.
fn tell(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(stderr(), "catena: {}", sanitise(text))?)
}
