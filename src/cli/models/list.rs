//! `catena models list`: the models that Catena knows, those on this machine, and those in use.

use std::io::{BufWriter, Write, stdout};

use super::used_as;
use crate::cli::exit;
use crate::config::{Config, ModelRole};
use crate::model::{Store, in_words, known_models};
use crate::text::sanitise_line;

pub(super) fn run(store: &Store, config: &Config) -> anyhow::Result<u8> {
    let mut out = BufWriter::new(stdout().lock());
    let known = known_models()?;
    let local = store.models()?;
    for role in ModelRole::ALL {
        writeln!(out, "{role}")?;
        let built_in = config.choice(role, None)? == crate::config::ModelChoice::BuiltIn;
        row(&mut out, built_in, role.built_in(), "-", "built in", "on this machine")?;
        for model in known.iter().filter(|model| model.role == role) {
            let here = local.iter().find(|local| local.path == store.place(model));
            let size = here.map_or_else(|| format!("about {}", in_words(model.megabytes * 1_000_000)), |local| in_words(local.bytes));
            let state = match here {
                Some(_) => "on this machine",
                None if store.is_unfinished(&model.name) => "partly downloaded",
                None => "not downloaded",
            };
            row(&mut out, used_as(config, &model.name)?.contains(&role), &model.name, &size, &model.licence, state)?;
        }
        for (name, table) in &config.remote {
            let remote = table.resolve(name)?;
            let used = matches!(config.choice(role, None)?, crate::config::ModelChoice::Remote(used) if used.name == *name);
            if used {
                row(&mut out, true, &format!("remote:{name}"), "-", &remote.model, &remote.base_url)?;
            }
        }
    }
    let own: Vec<_> = local.iter().filter(|local| known.iter().all(|model| store.place(model) != local.path)).collect();
    if !own.is_empty() {
        writeln!(out, "your own")?;
    }
    for model in own {
        let roles = used_as(config, &model.name)?;
        let state =
            if roles.is_empty() { "on this machine".into() } else { roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ") };
        row(&mut out, !roles.is_empty(), &model.name, &in_words(model.bytes), "-", &state)?;
    }
    let others: Vec<&String> = config.remote.keys().collect();
    if !others.is_empty() {
        let names: Vec<String> = others.into_iter().map(|name| format!("remote:{}", sanitise_line(name))).collect();
        writeln!(out, "servers in the configuration: {}", names.join(", "))?;
    }
    writeln!(
        out,
        "\n* marks the models in use. Folder of models: {}. To download a model: catena models pull NAME",
        store.folder().display()
    )?;
    out.flush()?;
    Ok(exit::DONE)
}

fn row(out: &mut impl Write, used: bool, name: &str, size: &str, licence: &str, state: &str) -> std::io::Result<()> {
    let mark = if used { "*" } else { " " };
    let [name, size, licence, state] = [name, size, licence, state].map(sanitise_line);
    writeln!(out, "{mark} {name:<20} {size:>13}  {licence:<20} {state}")
}
