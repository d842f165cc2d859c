//! `catena kg`: graphs. One file a verb.

mod check;
mod import;
mod list;
mod show;
mod stats;

use std::io::{Write, stderr};

use super::args::{GraphArgs, KgCommand};
use super::open::{notices, open_graph, surroundings};
use crate::config::{Config, Paths};
use crate::graph::Graph;

pub(super) fn run(command: KgCommand) -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    match command {
        KgCommand::Import { format } => import::run(&paths, &config, &format),
        KgCommand::List => list::list(&paths, &config),
        KgCommand::Use { name } => list::choose(&paths, &name),
        KgCommand::Stats { name, graph } => stats::run(&open(&named(name, graph), &config, &paths)?),
        KgCommand::Show { entity, graph } => show::run(&open(&graph, &config, &paths)?, &entity),
        KgCommand::Check { name, merges, graph } => check::run(&named(name, graph), merges, &config, &paths),
    }
}

/// A graph that is named as an argument comes before one that is named by the flag.
fn named(name: Option<String>, graph: GraphArgs) -> GraphArgs {
    GraphArgs { kg: name.or(graph.kg), ..graph }
}

fn open(args: &GraphArgs, config: &Config, paths: &Paths) -> anyhow::Result<Graph> {
    let opened = open_graph(args, config, paths)?;
    for notice in notices(&opened.graph, opened.report.as_ref()) {
        writeln!(stderr(), "catena: {notice}")?;
    }
    Ok(opened.graph)
}
