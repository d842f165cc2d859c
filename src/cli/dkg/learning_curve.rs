//! `catena dkg trial`: the learning curve over a file of questions with answers, measured in a temporary DKG.

use std::fs::{self, File};
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;

use crate::cli::dkg_args::TrialArgs;
use crate::cli::exit;
use crate::cli::interrupt::Interrupt;
use crate::cli::messages::note;
use crate::cli::open_engine::{open_engine_without_dkg, teach_settings};
use crate::cli::progress::count_bar;
use crate::cli::setup::Setup;
use crate::cli::start_models::start_models;
use crate::config::write_atomically;
use crate::eval::learning::{LearningTrial, TrainingSet, TrialPhase, TrialRules, markdown};
use crate::feedback::{CheckSettings, Teacher};
use crate::graph::GraphBuilder;
use crate::method::{Engine, EngineOptions};
use crate::model::CancelToken;
use crate::run::MethodName;
use crate::text::sanitise_line;

pub(super) fn run(args: &TrialArgs, setup: &Setup) -> anyhow::Result<u8> {
    let set = TrainingSet::open(&args.file)?;
    if !set.rejected.is_empty() {
        note(&format!("lines left out: {}", set.rejected_in_words()))?;
    }
    let (mut apprenticeship, mut mastership) = set.halves(args.seed);
    if let Some(first) = args.apprenticeship {
        apprenticeship.append(&mut mastership);
        apprenticeship.truncate(args.limit.unwrap_or(usize::MAX));
        mastership = apprenticeship.split_off(first.min(apprenticeship.len()));
    } else if let Some(limit) = args.limit {
        apprenticeship.truncate(limit.div_ceil(2));
        mastership.truncate(limit / 2);
    }
    let method = args.method.unwrap_or_default();
    let rules = TrialRules { method, enough_within: args.enough_within, without_feedback: args.without_feedback };
    let mut settings = teach_settings(&setup.config)?;
    if matches!(method, MethodName::Wts(_)) {
        // Triples from the question alone are added as well; retractions still wait.
        settings.auto_accept = true;
        settings.check = CheckSettings { compare_relation: false, whole_dkg: true, ..settings.check };
    }
    if args.without_redundancy_check {
        settings.check = CheckSettings { compare_relation: true, redundancy_distance: -1.0, whole_dkg: false, ..settings.check };
    }
    let models = start_models(&args.models, setup)?;
    let engine = if args.graph.kg.is_some() {
        open_engine_without_dkg(setup, &args.graph, models, &EngineOptions::default())?
    } else {
        Engine::open(GraphBuilder::new("empty").finish(), models.ready()?, &EngineOptions::default(), Vec::new())?
    };
    let folder = TemporaryFolder(setup.paths.dkg().with_file_name(format!("dkg-trial-{}", std::process::id())));
    let teacher = Teacher::open(&folder.0, Arc::new(engine), settings)?;
    let (cancel, interrupt) = (CancelToken::new(), Interrupt::listen());
    let bar = count_bar();
    let trial = LearningTrial { teacher: &teacher, apprenticeship: &apprenticeship, mastership: &mastership, rules, cancel: &cancel };
    let curve = trial.run(&|progress| {
        if interrupt.requested() {
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
    let curve = curve.context("the trial did not finish")?;
    let text = markdown(&curve);
    writeln!(stdout(), "{text}")?;
    if let Some(report) = &args.report {
        let from = sanitise_line(&args.file.file_name().unwrap_or_default().to_string_lossy());
        let head = format!(
            "# Learning curve\n\n`catena {}`, {from}, method {method}, seed {}, graph {}, encoder {}.\n\n",
            env!("CARGO_PKG_VERSION"),
            args.seed,
            sanitise_line(teacher.engine().knowledge().graph.name()),
            sanitise_line(teacher.engine().models().encoder.name())
        );
        let write = |out: &mut std::io::BufWriter<File>| out.write_all((head + &text).as_bytes());
        write_atomically(report, write).with_context(|| format!("cannot write {}", report.display()))?;
    }
    Ok(exit::DONE)
}

/// A folder that is removed when dropped.
struct TemporaryFolder(PathBuf);

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}
