//! `catena docs import --generator`: what a language model read before a kill is not asked for again.

use std::process::Stdio;

use crate::support::http::{Scripted, Step, stream_head, text};
use crate::support::{BINARY, Catena};

/// What was read is kept after so many documents.
const KEPT_EVERY: usize = 10;
const DOCUMENTS: usize = KEPT_EVERY + 2;

#[test]
fn an_import_that_was_killed_goes_on_where_it_was() {
    let catena = Catena::new();
    let lines = (0..DOCUMENTS).map(|at| format!("{{\"id\":\"{at}\",\"title\":\"Asthma\",\"text\":\"Wheeze at night in case {at}.\"}}\n"));
    let file = catena.write("docs.jsonl", lines.collect::<String>());
    let file = file.to_string_lossy();
    let arguments = ["docs", "import", "jsonl", &file, "--name", "mine", "--generator", "clinic"];
    let configure = |server: &Scripted| {
        let table = format!("[remote.clinic]\nbase_url = \"{}\"\nmodel = \"ward\"\nproxy = \"none\"\nretries = 0\n", server.url());
        std::fs::create_dir_all(catena.state()).expect("a folder");
        std::fs::write(catena.state().join("config.toml"), table).expect("a configuration");
    };
    // The model answers for the first documents and never for the next.
    let mut replies = vec![text("0"); KEPT_EVERY];
    replies.push(vec![stream_head(), Step::Hold]);
    let server = Scripted::start(replies);
    configure(&server);
    let mut running = catena.command(BINARY, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs");
    (0..=KEPT_EVERY).for_each(|_| server.wait_for_request());
    running.kill().expect("killed");
    running.wait().expect("ended");
    assert_eq!(catena.run(["docs", "list"]).stdout, "", "nothing was imported");

    let server = Scripted::start(vec![text("0"); DOCUMENTS]);
    configure(&server);
    let ran = catena.run(arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(server.requests().len(), DOCUMENTS - KEPT_EVERY, "only what it had not read is asked for");
    assert!(
        ran.stdout.contains(&format!("read {} parts and {KEPT_EVERY} parts were read before", DOCUMENTS - KEPT_EVERY)),
        "{}",
        ran.stdout
    );
    let left: Vec<String> = std::fs::read_dir(catena.state().join("documents"))
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.contains("draft"))
        .collect();
    assert!(left.is_empty(), "no draft is left: {left:?}");
}
