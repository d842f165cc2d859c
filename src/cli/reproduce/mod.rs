//! `catena reproduce`: fills tables of the papers with the configured models, beside the paper's own figures; or lists the tables with their state.

mod duel_file;
mod run;

use std::fmt::Write as _;
use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;

use super::args::{GraphArgs, ModelArgs};
use super::exit::{self, UsageError};
use crate::eval::reproduce::{Paper, PaperTable, papers};

#[derive(Debug, Args)]
pub(super) struct ReproduceArgs {
    /// The paper: hykge, rok, wts or ebmkg (with --list, default: all).
    #[arg(required_unless_present = "list")]
    paper: Option<String>,
    /// The number of the table (default: every table of the paper that can be filled).
    table: Option<u32>,
    /// List the tables: which can be filled, by which command, and what is missing.
    #[arg(long)]
    list: bool,
    /// The file of questions of a set, by the paper's name for it: --set "CMB-Exam=exam.jsonl". Sets that are not given are told, with the address where they
    /// are published.
    #[arg(long = "set", value_name = "NAME=FILE", value_parser = set_and_file)]
    sets: Vec<(String, PathBuf)>,
    /// The collection of documents for tables that compare retrieval of passages ("catena docs import" makes one).
    #[arg(long, value_name = "NAME")]
    docs: Option<String>,
    /// The number of questions of each set, drawn at random (default: all).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// The seed of every random choice.
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64 - 100))]
    seed: u64,
    /// How often each set is answered, each time with the next seed; tables then have mean ± standard deviation. HyKGE repeats five times.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
    seeds: u64,
    /// The folder for results and reports (default: one in Catena's data folder). The same command continues what was interrupted.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    graph: GraphArgs,
    #[command(flatten)]
    models: ModelArgs,
}

fn set_and_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.trim().is_empty() && !file.is_empty() => Ok((name.trim().to_owned(), PathBuf::from(file))),
        _ => Err(format!("{text:?} is no name and file; write --set \"CMB-Exam=exam.jsonl\"")),
    }
}

pub(super) fn run(args: &ReproduceArgs) -> anyhow::Result<u8> {
    let papers = papers()?;
    let named = args.paper.as_deref();
    if let Some(name) = named.filter(|name| !papers.paper.iter().any(|paper| paper.name == *name)) {
        let known: Vec<&str> = papers.paper.iter().map(|paper| paper.name.as_str()).collect();
        let name = crate::text::sanitise_line(name);
        return Err(UsageError(format!("there is no paper “{name}”; there are {}", known.join(", "))).into());
    }
    let chosen = papers.paper.iter().filter(|paper| named.is_none_or(|name| name == paper.name));
    let mut tables: Vec<(&Paper, &PaperTable)> = chosen.flat_map(|paper| paper.table.iter().map(move |table| (paper, table))).collect();
    if let Some(number) = args.table {
        tables.retain(|(_, table)| table.number == number);
        if tables.is_empty() {
            return Err(UsageError(format!("this paper has no table {number}; catena reproduce --list shows its tables")).into());
        }
    }
    if !args.list {
        return run::run(args, &papers, &tables);
    }
    let mut text = String::new();
    let mut before = "";
    for (paper, table) in tables {
        // Writing to a text cannot fail.
        if paper.name != before {
            let _ = writeln!(text, "{} ({})", paper.title, paper.name);
            before = &paper.name;
        }
        let _ = writeln!(text, "  Table {}: {}: {}", table.number, table.of, table.state());
        let filled_by = table.kind.map(|_| format!("catena reproduce {} {}", paper.name, table.number));
        for (what, value) in [("filled by", &filled_by), ("missing", &table.missing), ("by hand", &table.command)] {
            if let Some(value) = value {
                let _ = writeln!(text, "    {what}: {value}");
            }
        }
    }
    stdout().write_all(text.as_bytes())?;
    Ok(exit::DONE)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::Cli;
    use crate::run::MethodName;

    #[test]
    fn every_command_can_be_given() {
        let papers = papers().expect("TOML").paper;
        for command in papers.iter().flat_map(|paper| &paper.table).filter_map(|table| table.command.as_deref()) {
            let words: Vec<&str> = command.split(' ').collect();
            assert!(Cli::try_parse_from(&words).is_ok(), "{command}");
            let methods = words.iter().position(|word| *word == "--method").map(|at| words[at + 1]).expect("methods");
            if !words.contains(&"--docs") {
                assert!(methods.split(',').all(|method| method.parse::<MethodName>().is_ok()), "{command}");
            }
        }
    }

    #[test]
    fn sets_are_given_by_name() {
        assert_eq!(set_and_file("MedMCQA (single)=a=b.jsonl"), Ok(("MedMCQA (single)".into(), "a=b.jsonl".into())));
        assert!(set_and_file("file.jsonl").is_err() && set_and_file("=x").is_err() && set_and_file("X=").is_err());
    }
}
