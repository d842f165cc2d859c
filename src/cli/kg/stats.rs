//! `catena kg stats`: a graph in numbers.

use std::io::{BufWriter, Write, stdout};

use crate::cli::exit;
use crate::graph::{Graph, GraphStats, Player, Relation};

/// The longest bar of the degree distribution, in characters.
const BAR: usize = 40;

pub(super) fn run(graph: &Graph) -> anyhow::Result<u8> {
    let stats = GraphStats::of(graph);
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "graph       {}", graph.name())?;
    writeln!(out, "entities    {}", stats.entities)?;
    writeln!(out, "triples     {}", stats.triples)?;
    writeln!(out, "names       {} (with aliases; case and spelling variants count once)", stats.names)?;
    writeln!(out, "conditions  {} (entities with symptoms, tests or treatments)", graph.condition_count())?;
    writeln!(out, "components  {} (the largest has {} entities)", stats.components, stats.largest_component)?;
    writeln!(out, "orphans     {} (entities without a triple)", stats.orphans)?;
    writeln!(out, "self-loops  {}", stats.self_loops)?;
    writeln!(out, "merged      {} (names merged with other entities; `catena kg check --merges` lists them)", graph.merge_count())?;
    if let Some(origin) = super::show::origin(graph) {
        writeln!(out, "origin      {origin}")?;
    }
    writeln!(out, "\nkinds")?;
    let mut kinds: Vec<_> = stats.kinds.iter().collect();
    kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(**count), kind.as_str()));
    for (kind, count) in kinds {
        writeln!(out, "  {count:>8}  {kind}")?;
    }
    writeln!(out, "\nrelations: triples, name, role (player)")?;
    for (relation, count) in &stats.relations {
        writeln!(out, "  {count:>8}  {}  {}", relation.name, role_text(relation))?;
    }
    let degrees = &stats.degrees;
    writeln!(
        out,
        "\ntriples per entity: {:.1} on average; half have at most {}, 90 % at most {}, 99 % at most {}, the most connected {}",
        degrees.mean, degrees.median, degrees.p90, degrees.p99, degrees.max
    )?;
    let widest = degrees.histogram.iter().map(|(_, entities)| *entities).max().unwrap_or(1);
    for (lowest, entities) in &degrees.histogram {
        let range = if *lowest < 2 { lowest.to_string() } else { format!("{lowest}–{}", lowest * 2 - 1) };
        let bar = "█".repeat((entities * BAR).div_ceil(widest));
        writeln!(out, "  {range:>13}  {entities:>8}  {bar}")?;
    }
    writeln!(out, "\nmost connected")?;
    for (name, degree) in &stats.hubs {
        writeln!(out, "  {degree:>8}  {name}")?;
    }
    out.flush()?;
    Ok(exit::DONE)
}

fn role_text(relation: &Relation) -> String {
    let player = match relation.player {
        Player::Head => "head",
        Player::Tail => "tail",
    };
    format!("{} ({player}){}", relation.role.as_str(), if relation.guessed { ", guessed from the name" } else { "" })
}
