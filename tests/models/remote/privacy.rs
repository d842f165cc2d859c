//! Keys are shown nowhere, go nowhere but to their server, and nothing is sent that nobody configured.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use catena::model::{Encoder, Generator, Prompt, RemoteEncoder, RemoteError, RemoteGenerator, RemoteReranker, Reranker, Sampling};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::{config, config_at, failure, written};
use crate::support::http::{Scripted, Step, json, piece, response, status, stream, text};
use crate::support::{Catena, SMALL_GRAPH};

const KEY: &str = "sk-hunter2-very-secret";

fn key_file(folder: &tempfile::TempDir, content: &str, mode: u32) -> PathBuf {
    let path = folder.path().join("key");
    let mut file = std::fs::File::create(&path).expect("a file");
    file.write_all(content.as_bytes()).expect("writes");
    file.set_permissions(std::fs::Permissions::from_mode(mode)).expect("a mode");
    path
}

#[test]
fn a_key_is_shown_nowhere_whatever_the_server_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let keyed = format!("key_file = \"{}\"\nretries = 0", key_file(&folder, &format!("{KEY}\n"), 0o600).display());
    let echo = format!("Incorrect API key provided: {KEY}; Bearer {KEY}");
    let echo_location = format!("Location: https://elsewhere.example/{KEY}");
    let replies: Vec<Vec<Step>> = vec![
        status(400, &echo),
        status(401, &echo),
        status(403, &echo),
        status(404, &echo),
        status(404, &format!("model {KEY}")),
        status(429, &echo),
        status(500, &echo),
        response(502, &[], &echo),
        response(302, &[&echo_location], ""),
        response(200, &["Content-Type: text/html"], &echo),
        json(200, &serde_json::json!({ "error": { "message": echo } })),
        stream(&[piece("It"), format!("data: {}\n\n", serde_json::json!({ "error": echo }))]),
        stream(&[format!("data: {echo}\n\n")]),
        stream(&[format!("data: {}\n\n", serde_json::json!({ "choices": echo }))]),
        vec![Step::Send(format!("HTTP/1.1 {echo}\r\n\r\n").into_bytes())],
    ];
    for reply in replies {
        let server = Scripted::start([reply.clone(), reply.clone(), reply]);
        let (_, error) = failure(config(&server, &keyed));
        assert_eq!(server.requests()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        let mut shown = format!("{error} {error:?}");
        let mut encoder = RemoteEncoder::open(config(&server, &format!("{keyed}\ndimension = 2"))).expect("opens");
        let mut reranker = RemoteReranker::open(config(&server, &keyed)).expect("opens");
        for error in [encoder.encode(&["a".into()]).err(), reranker.score(&["a".into()], &["b".into()], &|| false).err()] {
            let error = error.expect("fails");
            shown.push_str(&format!("{error} {error:?}"));
        }
        let generator = RemoteGenerator::open(config(&server, &keyed)).expect("opens");
        shown.push_str(&format!("{encoder:?} {reranker:?} {generator:?} {:?}", config(&server, &keyed)));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn a_key_file_that_others_can_read_is_refused_before_anything_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Scripted::start([]);
    for mode in [0o644, 0o640, 0o604, 0o660] {
        let file = key_file(&folder, KEY, mode);
        let (_, error) = failure(config(&server, &format!("key_file = \"{}\"", file.display())));
        assert!(matches!(error, RemoteError::KeyExposed { .. }) && error.to_string().contains("chmod 600"), "{error}");
    }
    for (content, said) in [("", "empty"), ("two words", "spaces"), ("sk-\u{e9}", "characters")] {
        let file = key_file(&folder, content, 0o600);
        let (_, error) = failure(config(&server, &format!("key_file = \"{}\"", file.display())));
        assert!(matches!(error, RemoteError::KeyUnusable { .. }) && error.to_string().contains(said), "{error}");
    }
    let (_, error) = failure(config(&server, &format!("key_file = \"{}\"", folder.path().join("none").display())));
    assert!(error.to_string().contains("none"), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn neither_key_nor_question_follows_to_another_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let keyed = format!("key_file = \"{}\"", key_file(&folder, KEY, 0o600).display());
    for code in [301, 302, 303, 307, 308] {
        let elsewhere = Scripted::start([]);
        let server = Scripted::start([response(code, &[&format!("Location: {}/chat/completions", elsewhere.url())], "")]);
        let (_, error) = failure(config(&server, &keyed));
        assert!(matches!(error, RemoteError::Redirected { .. }), "{error:?}");
        assert!(error.to_string().contains(&elsewhere.url()), "{error}");
        assert!(elsewhere.requests().is_empty());
    }
}

#[test]
fn a_configured_proxy_is_used() {
    let proxy = Scripted::start([text("By the proxy.")]);
    let mut remote = config_at("http://model-server.invalid/v1", "");
    remote.proxy = catena::config::RemoteTable {
        proxy: Some(
            toml::from_str::<catena::config::RemoteTable>(&format!("proxy = \"http://me:hunter2@{}\"", proxy.address()))
                .expect("valid")
                .proxy
                .expect("a proxy"),
        ),
        base_url: Some("http://model-server.invalid/v1".into()),
        model: Some("m".into()),
        ..catena::config::RemoteTable::default()
    }
    .resolve("clinic")
    .expect("valid")
    .proxy;
    assert!(!format!("{remote:?}").contains("hunter2"));
    assert_eq!(written(remote.clone()).0, "By the proxy.");
    let request = &proxy.requests()[0];
    assert_eq!(request.line, "POST http://model-server.invalid/v1/chat/completions HTTP/1.1");
    assert_eq!(request.header("proxy-authorization"), Some("Basic bWU6aHVudGVyMg=="));
    let shown = format!("{:?}", RemoteGenerator::open(remote).expect("opens"));
    assert!(!shown.contains("hunter2") && !shown.contains("bWU6aHVudGVyMg"), "{shown}");
}

/// Runs in a process of its own, with the environment that the test below gives it.
#[test]
fn child_of_the_environments_proxy() {
    let Some(url) = std::env::var_os("CATENA_TEST_PROXIED") else { return };
    let table = format!("base_url = \"{}\"\nmodel = \"m\"\nretries = 0", url.to_str().expect("a text"));
    let table: catena::config::RemoteTable = toml::from_str(&table).expect("valid");
    let mut generator = RemoteGenerator::open(table.resolve("clinic").expect("valid")).expect("opens");
    let mut said = String::new();
    let result = generator.generate(&Prompt::new("", "why?"), &Sampling::default(), &mut |piece| {
        said.push_str(piece);
        true
    });
    eprintln!("SAID {said} {result:?}");
}

#[test]
fn the_environments_proxy_is_used_but_not_for_this_machine() {
    let run = |url: &str, proxy: &Scripted| {
        let output = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "--nocapture", "remote::privacy::child_of_the_environments_proxy"])
            .env("CATENA_TEST_PROXIED", url)
            .env("HTTP_PROXY", format!("http://{}", proxy.address()))
            .env("http_proxy", format!("http://{}", proxy.address()))
            .env_remove("NO_PROXY")
            .env_remove("no_proxy")
            .output()
            .expect("runs");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let proxy = Scripted::start([text("By the proxy.")]);
    assert!(run("http://model-server.invalid/v1", &proxy).contains("SAID By the proxy."));
    let here = Scripted::start([text("From here.")]);
    let said = run(&here.url(), &proxy);
    assert!(said.contains("SAID From here."), "{said}");
    assert_eq!(proxy.requests().len(), 1);
}

#[test]
fn a_certificate_is_trusted_by_its_issuer_and_by_nobody_else() {
    let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tls"));
    let chain = vec![CertificateDer::from_pem_file(data.join("leaf.pem")).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(data.join("leaf.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("versions");
    let tls = Arc::new(tls.with_no_client_auth().with_single_cert(chain, key).expect("a certificate with its key"));
    let server = Scripted::start_with([text("Secure."), text("Secure.")], move |stream| {
        let connection = rustls::ServerConnection::new(Arc::clone(&tls)).expect("a connection");
        Box::new(rustls::StreamOwned::new(connection, stream))
    });
    let url = format!("https://localhost:{}/v1", server.address().port());
    let trusting = format!("retries = 0\nca_file = \"{}\"", data.join("ca.pem").display());
    let (said, result) = written(config_at(&url, &trusting));
    assert_eq!(said, "Secure.", "{result:?}");
    let (_, error) = failure(config_at(&url, "retries = 0"));
    assert!(matches!(error, RemoteError::Tls { .. }) && error.to_string().contains("ca_file"), "{error}");
    let (_, error) = failure(config_at(&url.replace("localhost", "127.0.0.2"), &trusting));
    assert!(matches!(error, RemoteError::Tls { .. } | RemoteError::Refused { .. }), "{error}");
    assert_eq!(server.requests().len(), 1);
    for (file, said) in [("none.pem", "none.pem"), ("leaf.key", "PEM")] {
        let (_, error) = failure(config_at(&url, &format!("ca_file = \"{}\"", data.join(file).display())));
        assert!(matches!(error, RemoteError::Setup { .. }) && error.to_string().contains(said), "{error}");
    }
}

#[test]
fn nothing_is_sent_to_a_server_that_is_described_but_not_chosen() {
    let server = Scripted::start([]);
    let catena = Catena::new();
    let table = format!("[remote.clinic]\nbase_url = \"{}\"\nmodel = \"m\"\n", server.url());
    std::fs::write(catena.state().join("config.toml"), table).expect("a file");
    catena.write("small.tsv", SMALL_GRAPH);
    for arguments in [&["ask", "heartburn"] as &[&str], &["ask", "heartburn", "--kg", "small.tsv"], &["check"], &["kg", "list"]] {
        assert_eq!(catena.run(arguments).code, 0, "{arguments:?}");
    }
    assert!(server.requests().is_empty());
}
