//! `catena kg show`: an entity with its names, description and neighbours.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write, stdout};

use time::OffsetDateTime;

use crate::cli::exit;
use crate::cli::messages::note;
use crate::graph::{EntityId, Graph};
use crate::text::suggest::nearest;
use crate::text::{fold, sanitise_line};

/// The most neighbours to print for one relation.
const SHOWN: usize = 40;

pub(super) fn run(graph: &Graph, name: &str) -> anyhow::Result<u8> {
    let found: Vec<EntityId> = graph.names().lookup(name).into_iter().map(|(entity, _)| entity).collect();
    if found.is_empty() {
        let folded = fold(name);
        let alike = graph.entity_ids().map(|e| graph.entity_name(e)).filter(|n| !folded.is_empty() && fold(n).contains(&folded));
        let mut alike: Vec<&str> = alike.take(5).collect();
        // A slip of the fingers has no letters in a row in common with what was meant.
        alike.extend(
            nearest(name, graph.entity_ids().flat_map(|e| std::iter::once(graph.entity_name(e)).chain(graph.aliases(e))))
                .filter(|_| alike.is_empty()),
        );
        let hint = if alike.is_empty() { String::new() } else { format!(" Did you mean: {}?", alike.join(", ")) };
        note(&format!("the graph {} has no entity named {:?}.{hint}", graph.name(), sanitise_line(name)))?;
        return Ok(exit::NOTHING_LINKED);
    }
    let mut out = BufWriter::new(stdout().lock());
    for entity in found {
        show_entity(&mut out, graph, entity)?;
    }
    if let Some(origin) = origin(graph) {
        writeln!(out, "origin: {origin}")?;
    }
    out.flush()?;
    Ok(exit::DONE)
}

fn show_entity(out: &mut impl Write, graph: &Graph, entity: EntityId) -> std::io::Result<()> {
    let kind = graph.kind(entity).as_str();
    writeln!(out, "{} ({})", graph.entity_name(entity), if kind.is_empty() { "unknown kind" } else { kind })?;
    if !graph.description(entity).is_empty() {
        writeln!(out, "  {}", graph.description(entity))?;
    }
    let aliases: Vec<&str> = graph.aliases(entity).collect();
    if !aliases.is_empty() {
        writeln!(out, "  also: {}", aliases.join(", "))?;
    }
    if !graph.identifier(entity).is_empty() {
        writeln!(out, "  identifier: {}", graph.identifier(entity))?;
    }
    let attributes = graph.attributes(entity);
    if attributes.shown().next().is_some() {
        writeln!(out, "  {attributes}")?;
    }
    writeln!(out, "  triples: {} out, {} in", graph.outgoing(entity).len(), graph.incoming(entity).len())?;
    let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (arrow, is_head, edges) in [("→", true, graph.outgoing(entity)), ("←", false, graph.incoming(entity))] {
        for edge in edges {
            let label = format!("{arrow} {} {arrow}", graph.relation(edge.relation).display);
            let (head, tail) = if is_head { (entity, edge.to) } else { (edge.to, entity) };
            let qualifiers = graph.qualifiers(head, edge.relation, tail);
            let name = graph.entity_name(edge.to);
            let shown = if qualifiers.is_empty() { name.to_owned() } else { format!("{name} ({qualifiers})") };
            rows.entry(label).or_default().push(shown);
        }
    }
    for (label, names) in rows {
        let more = if names.len() > SHOWN { format!(", and {} more", names.len() - SHOWN) } else { String::new() };
        writeln!(out, "  {label} {}{more}", names[..names.len().min(SHOWN)].join(", "))?;
    }
    Ok(())
}

/// The files that a graph was imported from, the format and the date; `None` if it was not imported.
pub(super) fn origin(graph: &Graph) -> Option<String> {
    let from = graph.provenance();
    if from.format.is_empty() {
        return None;
    }
    let files = from.files.iter().map(|file| sanitise_line(file)).collect::<Vec<_>>().join(", ");
    let day = i64::try_from(from.imported_at).ok().and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    let when = day.map(|day| format!(", imported {}", day.date())).unwrap_or_default();
    Some(format!("{files} ({}){when}", from.format))
}
