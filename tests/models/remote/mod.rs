//! Models on servers, before a local server that says what its script says: every way to fail, streams cut anywhere, and what never
//! leaves this machine.

mod cancel;
mod context;
mod failures;
mod forms;
mod privacy;
mod streams;
mod vectors;

use crate::support::http::Scripted;
use catena::config::{RemoteConfig, RemoteTable};
use catena::model::{Generation, Generator, ModelError, Prompt, RemoteError, RemoteGenerator, Sampling};

/// The description of a server, with more lines of TOML.
fn config_at(url: &str, more: &str) -> RemoteConfig {
    let table = format!("base_url = \"{url}\"\nmodel = \"ward-model\"\nproxy = \"none\"\n{more}");
    let table: RemoteTable = toml::from_str(&table).expect("a table");
    table.resolve("clinic").expect("a usable table")
}

fn config(server: &Scripted, more: &str) -> RemoteConfig {
    config_at(&server.url(), more)
}

/// Asks, and gives what was written with how it ended.
fn written(config: RemoteConfig) -> (String, Result<Generation, ModelError>) {
    let mut generator = match RemoteGenerator::open(config) {
        Ok(generator) => generator,
        Err(error) => return (String::new(), Err(error.into())),
    };
    let mut text = String::new();
    let prompt = Prompt::new("You are brief.", "Why does it hurt?");
    let result = generator.generate(&prompt, &Sampling::default(), &mut |piece| {
        text.push_str(piece);
        true
    });
    (text, result)
}

fn failure(config: RemoteConfig) -> (String, RemoteError) {
    match written(config) {
        (text, Err(ModelError::Remote(error))) => (text, error),
        (text, other) => panic!("a remote failure, not {text:?} and {other:?}"),
    }
}
