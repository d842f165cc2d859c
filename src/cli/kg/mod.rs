//! `catena kg`: one file per subcommand.

mod check;
mod import;
mod list;
mod show;
mod stats;

use super::args::{GraphArgs, KgCommand};
use super::graphs::open_graph;
use super::messages::note;
use super::setup::Setup;
use crate::graph::Graph;

pub(super) fn run(command: KgCommand) -> anyhow::Result<u8> {
    let setup = Setup::load()?;
    match command {
        KgCommand::Import { format } => import::run(&setup, &format),
        KgCommand::List => list::list(&setup),
        KgCommand::Use { name } => list::choose(&setup.paths, &name),
        KgCommand::Stats { name, graph } => stats::run(&open(&named(name, graph), &setup)?),
        KgCommand::Show { entity, graph } => show::run(&open(&graph, &setup)?, &entity),
        KgCommand::Check { name, merges, graph } => check::run(&named(name, graph), merges, &setup),
    }
}

/// A graph named as an argument comes before `--kg`.
fn named(name: Option<String>, graph: GraphArgs) -> GraphArgs {
    GraphArgs { kg: name.or(graph.kg), ..graph }
}

fn open(args: &GraphArgs, setup: &Setup) -> anyhow::Result<Graph> {
    let opened = open_graph(args, setup)?;
    opened.notices().iter().try_for_each(|notice| note(notice))?;
    Ok(opened.graph)
}
