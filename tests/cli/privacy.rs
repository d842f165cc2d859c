//! Questions can hold patient data: nothing of them leaves the process but by the way that was asked for.

#[cfg(target_os = "linux")]
use crate::support::data::skip;
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

/// The names of network interfaces, from what the system says of them (two lines of heading, then "name: figures").
#[cfg(target_os = "linux")]
fn interfaces(table: &str) -> Vec<String> {
    table.lines().skip(2).filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim().to_owned()).collect()
}

/// In a network namespace without interfaces nobody can be reached, and nothing is missed.
#[cfg(target_os = "linux")]
#[test]
fn asking_needs_no_network() {
    let catena = Catena::new();
    let allowed = catena.command("unshare", ["-rn", "true"]).output().is_ok_and(|output| output.status.success());
    if !allowed {
        return skip("this system does not let its users make network namespaces (unshare -rn).");
    }
    // Whatever interfaces this machine has, by whatever names, none is within but the loopback, and that is down and leads nowhere.
    let within = |file: &str| ran(catena.command("unshare", ["-rn", "cat", file]).output().expect("runs")).stdout;
    assert_eq!(interfaces(&within("/proc/net/dev")), ["lo"]);
    let outside = interfaces(&std::fs::read_to_string("/proc/net/dev").expect("the machine's interfaces"));
    let routes = within("/proc/net/route") + &within("/proc/net/ipv6_route");
    for name in outside.iter().filter(|name| *name != "lo") {
        let of_it = |line: &str| line.split_whitespace().any(|word| word == name);
        assert!(!routes.lines().any(of_it), "the namespace has a route by {name}: {routes}");
    }
    assert!(within("/proc/net/route").lines().count() <= 1, "at most the heading: {routes}");
    assert!(within("/proc/net/ipv6_route").lines().all(|line| line.ends_with(" lo")), "{routes}");
    let output = catena.command("unshare", ["-rn", BINARY, "ask", "I feel stomach reflux after eating. What medicine?"]).output();
    let ran = ran(output.expect("runs"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("Evidence"), "{}", ran.stdout);
}
