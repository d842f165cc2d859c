//! `catena dkg trial`: how much a file of questions with answers would teach, tried in a folder of its own.

use std::fs::{self, File};
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;

use super::tell;
use crate::cli::dkg_args::TrialArgs;
use crate::cli::dkg_overlay::teach_settings;
use crate::cli::exit;
use crate::cli::interrupt::Interrupt;
use crate::cli::models_open::open_models;
use crate::cli::open::open_engine;
use crate::cli::progress::count_bar;
use crate::config::{Config, Paths, write_atomically};
use crate::eval::learning::{LearningTrial, TrainingSet, TrialPhase, markdown};
use crate::feedback::Teacher;
use crate::graph::GraphBuilder;
use crate::method::{Engine, EngineOptions};
use crate::model::CancelToken;
use crate::text::sanitise_line;

pub(super) fn run(args: &TrialArgs, config: &Config, paths: &Paths) -> anyhow::Result<u8> {
    let set = TrainingSet::open(&args.file)?;
    if !set.rejected.is_empty() {
        tell(&format!("lines that were left out: {}", set.rejected_in_words()))?;
    }
    let (mut apprenticeship, mut mastership) = set.halves(args.seed);
    if let Some(limit) = args.limit {
        apprenticeship.truncate(limit.div_ceil(2));
        mastership.truncate(limit / 2);
    }
    let models = open_models(&args.models, config, paths)?;
    let engine = if args.graph.kg.is_some() {
        open_engine(&args.graph, models, config, paths, &EngineOptions::default(), &[])?
    } else {
        Engine::open(GraphBuilder::new("empty").finish(), models.ready()?, &EngineOptions::default(), Vec::new())?
    };
    let folder = Folder(paths.dkg().with_file_name(format!("dkg-trial-{}", std::process::id())));
    let teacher = Teacher::open(&folder.0, Arc::new(engine), teach_settings(config)?)?;
    let (cancel, interrupt) = (CancelToken::new(), Interrupt::listen());
    let bar = count_bar();
    let trial = LearningTrial { teacher: &teacher, apprenticeship: &apprenticeship, mastership: &mastership, cancel: &cancel };
    let curve = trial.run(&|progress| {
        if interrupt.asked() {
            cancel.cancel();
        }
        bar.set_message(match progress.phase {
            TrialPhase::Apprenticeship => "taught",
            TrialPhase::Mastership => "practised",
            TrialPhase::Measurement => "examined",
        });
        bar.set_length(progress.of as u64);
        bar.set_position(progress.done as u64);
    });
    bar.finish_and_clear();
    let curve = curve.context("the trial was not finished")?;
    let text = markdown(&curve);
    writeln!(stdout(), "{text}")?;
    if let Some(report) = &args.report {
        let from = sanitise_line(&args.file.file_name().unwrap_or_default().to_string_lossy());
        let head = format!(
            "# A trial of learning\n\n`catena {}`, {from}, seed {}, graph {}, encoder {}.\n\n",
            env!("CARGO_PKG_VERSION"),
            args.seed,
            sanitise_line(teacher.engine().knowledge().graph.name()),
            sanitise_line(teacher.engine().models().encoder.name())
        );
        let write = |out: &mut std::io::BufWriter<File>| out.write_all((head + &text).as_bytes());
        write_atomically(report, write).with_context(|| format!("{} cannot be written", report.display()))?;
    }
    Ok(exit::DONE)
}

/// A folder that goes when it is no longer needed.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What could not be removed harms nothing.
        let _ = fs::remove_dir_all(&self.0);
    }
}
