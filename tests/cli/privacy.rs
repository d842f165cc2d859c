//! Questions can hold patient data: nothing of them leaves the process but by the way that was asked for.

use crate::support::{BINARY, Catena, SMALL_GRAPH, files_under, ran};

#[test]
fn asking_writes_no_file_that_was_not_asked_for() {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    catena.write("batch.jsonl", "{\"question\":\"fever\"}\n");
    let commands: [&[&str]; 6] = [
        &["ask", "Jane Doe has a fever"],
        &["ask", "fever", "--json"],
        &["ask", "heartburn", "--kg", "small.tsv"],
        &["ask", "--batch", "batch.jsonl", "--json"],
        &["kg", "show", "fever"],
        &["check"],
    ];
    for arguments in commands {
        assert_eq!(catena.run(arguments).code, 0, "{arguments:?}");
        for folder in [catena.home(), catena.state()] {
            assert!(files_under(&folder).is_empty(), "{arguments:?} wrote {:?}", files_under(&folder));
        }
        assert_eq!(files_under(&catena.path("")), ["batch.jsonl", "small.tsv"], "{arguments:?}");
    }
    catena.trace("fever", &["--events", "run.jsonl"], 0);
    assert_eq!(files_under(&catena.path("")), ["batch.jsonl", "run.jsonl", "small.tsv"]);
    assert!(files_under(&catena.home()).is_empty() && files_under(&catena.state()).is_empty());
}

/// In a network namespace without interfaces nobody can be reached, and nothing is missed.
#[cfg(target_os = "linux")]
#[test]
fn asking_needs_no_network() {
    let catena = Catena::new();
    let allowed = catena.command("unshare", ["-rn", "true"]).output().is_ok_and(|output| output.status.success());
    if !allowed {
        eprintln!("SKIPPED: this system does not let its users make network namespaces (unshare -rn).");
        return;
    }
    let interfaces = ran(catena.command("unshare", ["-rn", "cat", "/proc/net/route", "/proc/net/ipv6_route"]).output().expect("runs"));
    assert!(!interfaces.stdout.contains("eth"), "the namespace has a route: {}", interfaces.stdout);
    let output = catena.command("unshare", ["-rn", BINARY, "ask", "I feel stomach reflux after eating. What medicine?"]).output();
    let ran = ran(output.expect("runs"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("Evidence"), "{}", ran.stdout);
}
