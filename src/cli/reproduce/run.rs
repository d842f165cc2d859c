//! Fills the tables: answers the questions or has passages judged, as far as that is not done already, and writes the reports.

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use serde_json::json;

use super::ReproduceArgs;
use super::duel_file::DuelFile;
use crate::cli::eval::{file_of, finish, identity};
use crate::cli::exit::{self, UsageError};
use crate::cli::interrupt::Interrupt;
use crate::cli::messages::note;
use crate::cli::open_engine::open_engine_without_dkg;
use crate::cli::progress::count_bar;
use crate::cli::setup::Setup;
use crate::cli::start_models::start_models;
use crate::config::{create_private_folder, write_atomically};
use crate::eval::dataset::{Dataset, EvalQuestion};
use crate::eval::report::{EvalReport, Evaluated, StageTimings, markdown as evaluation_markdown};
use crate::eval::reproduce::{
    Cell, CellReport, Column, Examined, Filled, Judge, Kind, Paper, PaperTable, Papers, RowReport, Shares, Source, TableReport, examine,
    markdown, needs, ours, times,
};
use crate::eval::{Arm, EvalFolder, EvalIdentity};
use crate::evidence::{DocumentStore, SearchMethod, SearchOptions, Searcher};
use crate::graph::MAX_HOPS;
use crate::method::{Engine, EngineOptions};
use crate::model::CancelToken;
use crate::run::{Ask, Settings};
use crate::text::sanitise;

/// How many passages of each retrieval the judge reads.
const PASSAGES: usize = 10;

/// What all tables of a run share.
struct Run<'a> {
    args: &'a ReproduceArgs,
    engine: Arc<Engine>,
    setup: &'a Setup,
    /// The sets that were given, by the paper's name.
    sets: BTreeMap<String, Dataset>,
    base: PathBuf,
    examined: Option<Examined>,
}

/// The runs of a set, one for each seed.
type Runs = Vec<(EvalReport, StageTimings)>;

pub(super) fn run(args: &ReproduceArgs, papers: &Papers, tables: &[(&Paper, &PaperTable)]) -> anyhow::Result<u8> {
    let known: Vec<&str> = tables.iter().flat_map(|(_, table)| table.sets()).collect();
    if let Some((name, _)) = args.sets.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        let mut names = known.clone();
        names.sort_unstable();
        names.dedup();
        let name = crate::text::sanitise_line(name);
        return Err(UsageError(format!("no table asked for has a set “{name}”; the sets are {}", names.join(", "))).into());
    }
    let is_given = |set: &str| args.sets.iter().any(|(given, _)| given == set);
    let can_run = |table: &PaperTable| table.kind.is_some() && table.sets().into_iter().any(is_given);
    let can: Vec<&(&Paper, &PaperTable)> = tables.iter().filter(|(_, table)| can_run(table)).collect();
    if can.is_empty() {
        for (paper, table) in tables {
            note(&nothing_runs(papers, paper, table))?;
        }
        return Ok(exit::FAILED);
    }
    let setup = Setup::load()?;
    let seed = i64::try_from(args.seed).ok();
    let engine = open_engine_without_dkg(
        &setup,
        &args.graph,
        start_models(&args.models, &setup)?,
        &EngineOptions { seed, ..EngineOptions::default() },
    )?;
    engine.notices().iter().try_for_each(|notice| note(notice))?;
    let mut sets = BTreeMap::new();
    for (name, file) in &args.sets {
        let set = Dataset::open(&file_of(file)?, None)?;
        if !set.rejected.is_empty() {
            note(&format!("of {name}, {}", set.rejected_in_words()))?;
        }
        sets.insert(name.clone(), set);
    }
    let examined = engine.models().generator.as_ref().map(|generator| examine(generator, &CancelToken::new())).transpose()?;
    if let Some(why) = examined.as_ref().and_then(|examined| examined.no_result.as_ref()) {
        note(&format!("the tables will not be results: {why}"))?;
    }
    let base = args.out.clone().unwrap_or_else(|| setup.paths.evaluations());
    let run = Run { args, engine: Arc::new(engine), setup: &setup, sets, base, examined };
    for (paper, table) in can {
        let report = run.fill(papers, paper, table)?;
        let folder = run.base.join(format!("reproduce-{}-{}", paper.name, table.number));
        create_private_folder(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let text = markdown(&report);
        write(&folder.join("report.md"), &text)?;
        write(&folder.join("report.json"), &serde_json::to_string_pretty(&report.without_times())?)?;
        writeln!(stdout(), "{text}")?;
        if let Some(times) = times(&report) {
            write(&folder.join("times.md"), &times)?;
            writeln!(stdout(), "{times}")?;
        }
        note(&format!("the report is in {}", folder.display()))?;
    }
    Ok(exit::DONE)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    write_atomically(path, |out| out.write_all(text.as_bytes())).with_context(|| format!("cannot write {}", path.display()))
}

/// Why a table cannot be filled, and what to do.
fn nothing_runs(papers: &Papers, paper: &Paper, table: &PaperTable) -> String {
    let mut text = format!("{}, Table {}: {}.", paper.title, table.number, table.of);
    if table.kind.is_some() {
        text.push_str(" None of its sets was given. Give a file for one or more:");
        for set in table.sets() {
            text.push_str(&format!("\n  --set \"{set}=FILE\"   {}", published(papers, set)));
        }
    } else {
        text.push_str(&format!(" It cannot be filled yet: {}.", table.missing.as_deref().unwrap_or("nothing here fills it")));
        if let Some(command) = &table.command {
            text.push_str(&format!(" What comes nearest: {command}"));
        }
    }
    text
}

fn published<'p>(papers: &'p Papers, set: &str) -> &'p str {
    papers.set.iter().find(|known| known.name == set).map_or("", |known| known.published.as_str())
}

impl Run<'_> {
    fn fill(&self, papers: &Papers, paper: &Paper, table: &PaperTable) -> anyhow::Result<TableReport> {
        let given: Vec<&str> = table.sets().into_iter().filter(|set| self.sets.contains_key(*set)).collect();
        let mut differs = table.differs.clone();
        let mut answers: BTreeMap<&str, Runs> = BTreeMap::new();
        let mut duels: BTreeMap<(&str, SearchMethod), Shares> = BTreeMap::new();
        match table.kind {
            Some(Kind::Answers) => {
                for needs in needs(table)?.into_iter().filter(|needs| given.contains(&needs.set)) {
                    let usual = self.usual_k();
                    let settings = self.engine.info().settings;
                    let arm = |(method, k): &(_, Option<usize>)| Arm {
                        method: *method,
                        k: k.unwrap_or(usual).min(MAX_HOPS),
                        top_k: settings.top_k,
                    };
                    let arms: Vec<Arm> = needs.arms.iter().map(arm).collect();
                    let runs = (0..self.args.seeds).map(|nth| self.answer(needs.set, &arms, nth)).collect::<anyhow::Result<Runs>>()?;
                    answers.insert(needs.set, runs);
                }
            }
            Some(Kind::Duels) => {
                for set in &given {
                    for rival in table.rivals(set)? {
                        let shares = self.duels(set, rival)?;
                        if shares.unreadable > 0 {
                            differs.push(format!("{set}, {rival}: {} judgements could not be read and do not count", shares.unreadable));
                        }
                        duels.insert((set, rival), shares);
                    }
                }
            }
            Some(Kind::Sets) | None => {}
        }
        let mut rows = Vec::new();
        for row in &table.rows {
            let mut cells = Vec::new();
            for (column, figure) in table.columns.iter().zip(&row.paper) {
                let cell = table.cell(row, column)?.filter(|cell| given.contains(&cell.set));
                let source = cell.as_ref().and_then(|cell| Source::of(cell.by));
                let filled = cell.as_ref().zip(source).and_then(|(cell, source)| match source {
                    Source::Counts => self.count(cell),
                    Source::Duels => duels.get(&(cell.set, cell.against)).and_then(|shares| shares.share(cell.by)).map(Filled::count),
                    _ => ours(cell, answers.get(cell.set)?, self.usual_k()),
                });
                let is_share = source.is_some_and(Source::is_share);
                cells.push(CellReport { paper: figure.clone(), ours: filled, is_share, is_time: source == Some(Source::Seconds) });
            }
            rows.push(RowReport { name: row.name.clone(), cells });
        }
        let mut missing: Vec<String> = table.missing.iter().cloned().collect();
        for set in table.sets().into_iter().filter(|set| !given.contains(set)) {
            missing.push(format!("{set} was not given (--set \"{set}=FILE\"); it is published at {}", published(papers, set)));
        }
        let title = |column: &Column| match &column.set {
            Some(set) => format!("{set}, {}", column.of),
            None => column.of.clone(),
        };
        let asks = table.kind != Some(Kind::Sets);
        let examined = self.examined.as_ref().filter(|_| asks);
        Ok(TableReport {
            paper: paper.title.clone(),
            number: table.number,
            of: table.of.clone(),
            no_result: examined.and_then(|examined| examined.no_result.clone()),
            command: self.command(paper, table, &given),
            generator: examined.map(|examined| examined.name.clone()),
            setup: self.setup_of(table, &given),
            differs,
            missing,
            columns: table.columns.iter().map(title).collect(),
            percent: table.percent,
            rows,
        })
    }

    fn usual_k(&self) -> usize {
        self.engine.info().settings.k.min(MAX_HOPS)
    }

    fn sample(&self, set: &Dataset) -> Vec<EvalQuestion> {
        let limit = self.args.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        set.sample(limit, self.args.seed).into_iter().cloned().collect()
    }

    /// Answers a set with these methods, as far as that is not done.
    fn answer(&self, name: &str, arms: &[Arm], nth: u64) -> anyhow::Result<(EvalReport, StageTimings)> {
        let set = self.set(name)?;
        let questions = self.sample(set);
        let questions: Vec<&EvalQuestion> = questions.iter().collect();
        let seed = self.args.seed + nth;
        let known = identity(&self.engine, set)?;
        let settings = Settings { seed: i64::try_from(seed)?, ..known.settings.clone() };
        let identity = EvalIdentity { bare: true, settings: settings.clone(), ..known };
        let mut folder = EvalFolder::open(&self.base.join(identity.folder_name()), &identity)?;
        finish(&self.engine, &settings, &questions, (arms, true), &mut folder)?;
        let rejected = set.rejected.iter().map(|(reason, counts)| ((*reason).to_owned(), *counts)).collect();
        let command = format!("part of catena reproduce, {name}, seed {seed}");
        let evaluated =
            Evaluated { command, identity, questions: &questions, in_file: set.questions.len(), rejected, arms, seed: self.args.seed };
        let report = EvalReport::of(&folder, evaluated);
        folder.write_report("report.json", &serde_json::to_string_pretty(&report)?)?;
        folder.write_report("report.md", &evaluation_markdown(&report))?;
        Ok((report, StageTimings::of(&folder, &questions, arms)))
    }

    fn set(&self, name: &str) -> anyhow::Result<&Dataset> {
        self.sets.get(name).with_context(|| format!("the set {name} was not given"))
    }

    /// Has the judge compare IdepRAG's passages with those of another search, as far as that is not done.
    fn duels(&self, name: &str, rival: SearchMethod) -> anyhow::Result<Shares> {
        let set = self.set(name)?;
        let Some(generator) = &self.engine.models().generator else {
            return Err(UsageError("a judge is needed; name a language model with --generator".into()).into());
        };
        let Some(docs) = &self.args.docs else {
            return Err(UsageError("documents are needed; name a collection with --docs (`catena docs list` lists them)".into()).into());
        };
        let store = DocumentStore::of(&self.setup.paths);
        if !store.has(docs) {
            return Err(UsageError(format!("there is no collection {docs:?}; `catena docs list` lists them")).into());
        }
        let collection = store.open(docs)?;
        let questions = self.sample(set);
        let known = identity(&self.engine, set)?;
        let plan = json!({
            "duels": [SearchMethod::default().to_string(), rival.to_string()], "passages": PASSAGES, "documents": collection.meta(),
            "dataset": known.dataset, "kg": known.kg, "models": known.models, "prompts": known.prompts, "seed": self.args.seed,
        });
        let mut file = DuelFile::open(&self.base.join(format!("duels-{}-{rival}.jsonl", slug(name))), &plan)?;
        let knowledge = self.engine.knowledge();
        let mut searcher = Searcher::new(&collection, knowledge.graph.base())?;
        let options = SearchOptions { limit: PASSAGES, seed: self.args.seed, ..SearchOptions::default() };
        let (cancel, interrupt, bar) = (CancelToken::new(), Interrupt::listen(), count_bar());
        bar.set_message(format!("judged against {rival}"));
        bar.set_length(questions.len() as u64);
        for question in &questions {
            if !file.rows.iter().any(|row| row.id == question.id) {
                if interrupt.requested() {
                    bail!("stopped after {} of {} duels; the same command continues from there", file.rows.len(), questions.len());
                }
                let mut texts = |method| -> anyhow::Result<Vec<String>> {
                    let found = searcher.search(&question.question, method, &options)?;
                    Ok(found.into_iter().map(|passage| format!("{}: {}", passage.title, passage.text)).collect())
                };
                let (idep, other) = (texts(SearchMethod::default())?, texts(rival)?);
                let judge = Judge { generator, prompts: self.engine.prompts(), cancel: &cancel };
                file.add(judge.judge(&question.id, &question.question, &idep, &other)?)?;
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(Shares::of(file.rows.iter().filter(|row| questions.iter().any(|question| question.id == row.id))))
    }

    fn count(&self, cell: &Cell<'_>) -> Option<Filled> {
        let knowledge = self.engine.knowledge();
        let graph = knowledge.graph.base();
        let count = match cell.by {
            "questions" => self.sets.get(cell.set)?.questions.len(),
            "relations" => graph.relations().len(),
            "entities" => graph.entity_count(),
            _ => return None,
        };
        Some(Filled::count(count as f64))
    }

    /// What was used.
    fn setup_of(&self, table: &PaperTable, given: &[&str]) -> Vec<(String, String, String)> {
        let info = self.engine.info();
        let settings = &info.settings;
        let paper = "as its text says";
        let line = |what: &str, paper: &str, here: String| (what.to_owned(), paper.to_owned(), here);
        let mut lines = vec![
            line("language model", table.generator.as_deref().unwrap_or("none"), info.models.generator.name.clone()),
            line("encoder", paper, info.models.encoder.name.clone()),
            line("reranker", paper, info.models.reranker.name.clone()),
            line("graph", paper, format!("{}: {} entities, {} triples", info.kg.name, info.kg.entities, info.kg.triples)),
            line(
                "settings",
                paper,
                format!(
                    "k {}, topK {}, δ {}, fragments of {} words with overlap {}",
                    settings.k, settings.top_k, settings.delta, settings.fragment_words, settings.fragment_overlap
                ),
            ),
            line("seeds", paper, format!("{} from {}", self.args.seeds, self.args.seed)),
        ];
        for name in given {
            let Some(set) = self.sets.get(*name) else { continue };
            let asked = self.args.limit.map_or(set.questions.len() as u64, |limit| limit.min(set.questions.len() as u64));
            lines.push(line(
                name,
                paper,
                format!("{asked} of {} questions from {}, SHA-256 {}", set.questions.len(), set.name, set.digest),
            ));
        }
        lines
    }

    /// The command that gives the same report.
    fn command(&self, paper: &Paper, table: &PaperTable, given: &[&str]) -> String {
        let args = self.args;
        let mut text = format!("catena reproduce {} {}", paper.name, table.number);
        for (name, file) in args.sets.iter().filter(|(name, _)| given.contains(&name.as_str())) {
            text.push_str(&format!(" --set \"{name}={}\"", file.display()));
        }
        let options = [
            ("docs", args.docs.clone()),
            ("limit", args.limit.map(|limit| limit.to_string())),
            ("seed", Some(args.seed.to_string())),
            ("seeds", Some(args.seeds.to_string())),
            ("kg", args.graph.kg.clone()),
            ("roles", args.graph.roles.as_ref().map(|path| path.display().to_string())),
            ("generator", args.models.generator.clone()),
            ("encoder", args.models.encoder.clone()),
            ("reranker", args.models.reranker.clone()),
        ];
        for (name, value) in options.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            let quoted = if value.contains(char::is_whitespace) { format!("{value:?}") } else { value };
            text.push_str(&format!(" --{name} {quoted}"));
        }
        sanitise(&text).into_owned()
    }
}

/// A set's name as part of a file's.
fn slug(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}
