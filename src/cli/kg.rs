//! `catena kg`: graphs.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write, stderr, stdout};
use std::path::Path;

use anyhow::Context;

use super::args::{GraphArgs, ImportFormat, KgCommand};
use super::exit::{self, Usage};
use super::open::{
    STARTER, chosen_graph_file, graph_file, graph_name, is_graph_name, notices, open_graph, role_rules, roles_file, surroundings,
};
use crate::config::{Config, Paths};
use crate::graph::import::read_tsv;
use crate::graph::{EntityId, Graph, GraphStats, Player, Relation, RoleRules};
use crate::text::{fold, sanitise_line};

/// How many neighbours of one relation `kg show` prints.
const SHOWN: usize = 40;
/// What stands at the head of the file that keeps a graph's roles.
const ROLES_NOTE: &str =
    "What the relations of this graph say (form: assets/roles.toml). Correct it here; `guessed = false` stops the notice.";

pub(super) fn run(command: KgCommand) -> anyhow::Result<u8> {
    let (paths, config) = surroundings()?;
    match command {
        KgCommand::Import { format: ImportFormat::Tsv { path, name, roles } } => {
            let rules = role_rules(&[roles.as_deref(), config.roles.as_deref()])?;
            import_tsv(&paths, &path, &name, &rules)
        }
        KgCommand::List => list(&paths, &config),
        KgCommand::Use { name } => choose(&paths, &name),
        KgCommand::Stats { name, graph } => {
            let graph = GraphArgs { kg: name.or(graph.kg), ..graph };
            stats(&open(&graph, &config, &paths)?)
        }
        KgCommand::Show { entity, graph } => show(&open(&graph, &config, &paths)?, &entity),
    }
}

fn open(args: &GraphArgs, config: &Config, paths: &Paths) -> anyhow::Result<Graph> {
    let (graph, report) = open_graph(args, config, paths)?;
    for notice in notices(&graph, report.as_ref()) {
        writeln!(stderr(), "catena: {notice}")?;
    }
    Ok(graph)
}

/// Reads the file, and only when all of it has been read puts the graph and its relations' roles in their place.
fn import_tsv(paths: &Paths, path: &Path, name: &str, rules: &RoleRules) -> anyhow::Result<u8> {
    if !is_graph_name(name) {
        return Err(Usage(format!("{name:?} cannot be a graph's name: use letters, digits, '-', '_' and '.', and not \"starter\"")).into());
    }
    let file = File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (graph, report) = read_tsv(file, &path.display().to_string(), name, rules)?;
    put_in_place(paths, name, &graph)?;
    for rejection in &report.rejected {
        writeln!(stderr(), "catena: line {} rejected: {}", rejection.line, rejection.reason)?;
    }
    for notice in notices(&graph, Some(&report)) {
        writeln!(stderr(), "catena: {notice}")?;
    }
    let (entities, triples) = (graph.entity_count(), graph.triple_count());
    writeln!(stdout(), "{name}: {entities} entities, {triples} triples. `catena kg use {name}` makes it the default.")?;
    Ok(exit::DONE)
}

/// Writes both files of a graph beside their places, and moves them there only when both are complete.
fn put_in_place(paths: &Paths, name: &str, graph: &Graph) -> anyhow::Result<()> {
    let (triples, roles) = (graph_file(paths, name), roles_file(paths, name));
    let draft_of = |what: &str| paths.graphs().join(format!("{name}.{what}.draft-{}", std::process::id()));
    let (triples_draft, roles_draft) = (draft_of("tsv"), draft_of("roles.toml"));
    let write = || -> anyhow::Result<()> {
        fs::create_dir_all(paths.graphs())?;
        write_triples(graph, &triples_draft)?;
        let text = RoleRules::of(graph.relations()).to_toml()?;
        fs::write(&roles_draft, format!("# {ROLES_NOTE}\n\n{text}"))?;
        // The graph is there once its triples are.
        fs::rename(&roles_draft, &roles)?;
        Ok(fs::rename(&triples_draft, &triples)?)
    };
    write()
        .inspect_err(|_| {
            // What was begun is of no use to anyone; the error that matters is the first.
            let _ = fs::remove_file(&triples_draft);
            let _ = fs::remove_file(&roles_draft);
            if !triples.is_file() {
                let _ = fs::remove_file(&roles);
            }
        })
        .with_context(|| format!("{} cannot be written", triples.display()))
}

fn write_triples(graph: &Graph, path: &Path) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for triple in graph.triples() {
        let (head, tail) = (graph.entity_name(triple.head), graph.entity_name(triple.tail));
        // A line that begins with "#" would be read as a comment; white space around a name is not part of it.
        let guard = if head.starts_with('#') { " " } else { "" };
        writeln!(out, "{guard}{head}\t{}\t{tail}", graph.relation(triple.relation).name)?;
    }
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    Ok(())
}

fn list(paths: &Paths, config: &Config) -> anyhow::Result<u8> {
    let in_use = graph_name(&GraphArgs::default(), config, paths);
    let mut names = vec![STARTER.to_owned()];
    match fs::read_dir(paths.graphs()) {
        Ok(entries) => {
            for entry in entries {
                let path = entry?.path();
                if path.extension().is_some_and(|e| e == "tsv")
                    && let Some(stem) = path.file_stem()
                {
                    names.push(stem.to_string_lossy().into_owned());
                }
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", paths.graphs().display())),
    }
    names[1..].sort();
    for name in names {
        let mark = if name == in_use { "*" } else { " " };
        writeln!(stdout(), "{mark} {}", sanitise_line(&name))?;
    }
    Ok(exit::DONE)
}

fn choose(paths: &Paths, name: &str) -> anyhow::Result<u8> {
    if name != STARTER && !(is_graph_name(name) && graph_file(paths, name).is_file()) {
        return Err(Usage(format!("there is no imported graph {name:?}; `catena kg list` shows those there are")).into());
    }
    let file = chosen_graph_file(paths);
    fs::create_dir_all(paths.graphs())
        .and_then(|()| fs::write(&file, name))
        .with_context(|| format!("{} cannot be written", file.display()))?;
    writeln!(stdout(), "{name} is now used unless another graph is named.")?;
    Ok(exit::DONE)
}

fn stats(graph: &Graph) -> anyhow::Result<u8> {
    let stats = GraphStats::of(graph);
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "graph       {}", graph.name())?;
    writeln!(out, "entities    {}", stats.entities)?;
    writeln!(out, "triples     {}", stats.triples)?;
    writeln!(out, "names       {} (with aliases, folded)", stats.names)?;
    writeln!(out, "components  {}", stats.components)?;
    writeln!(out, "orphans     {}", stats.orphans)?;
    writeln!(out, "degree      {:.1} on average", stats.mean_degree)?;
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

fn show(graph: &Graph, name: &str) -> anyhow::Result<u8> {
    let found: Vec<EntityId> = graph.names().lookup(name).into_iter().map(|(entity, _)| entity).collect();
    if found.is_empty() {
        let folded = fold(name);
        let alike = graph.entity_ids().map(|e| graph.entity_name(e)).filter(|n| !folded.is_empty() && fold(n).contains(&folded));
        let alike: Vec<&str> = alike.take(5).collect();
        let hint = if alike.is_empty() { String::new() } else { format!(" Did you mean: {}?", alike.join(", ")) };
        writeln!(stderr(), "catena: the graph {} has no entity named {:?}.{hint}", graph.name(), sanitise_line(name))?;
        return Ok(exit::NOTHING_LINKED);
    }
    let mut out = BufWriter::new(stdout().lock());
    for entity in found {
        show_entity(&mut out, graph, entity)?;
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
    let mut rows: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for edge in graph.outgoing(entity) {
        let label = format!("→ {} →", graph.relation(edge.relation).display);
        rows.entry(label).or_default().push(graph.entity_name(edge.to));
    }
    for edge in graph.incoming(entity) {
        let label = format!("← {} ←", graph.relation(edge.relation).display);
        rows.entry(label).or_default().push(graph.entity_name(edge.to));
    }
    for (label, names) in rows {
        let more = if names.len() > SHOWN { format!(", and {} more", names.len() - SHOWN) } else { String::new() };
        writeln!(out, "  {label} {}{more}", names[..names.len().min(SHOWN)].join(", "))?;
    }
    Ok(())
}
