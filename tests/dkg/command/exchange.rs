//! Exports and imports through the program.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{QUESTION, asked, rate, run};
use crate::support::data::Draw;
use crate::support::{Catena, SMALL_GRAPH};

/// The learned triples, as text.
fn triples(catena: &Catena) -> BTreeSet<String> {
    let lines = run(catena, &["dkg", "export", "--to", "jsonl"], 0).lines();
    let named = |line: &Value| [&line["head"], &line["relation"], &line["tail"]].map(Value::to_string).join(" ");
    lines.iter().map(named).collect()
}

fn import(catena: &Catena, file: &str, code: i32) -> Value {
    run(catena, &["dkg", "import", file, "--kg", "small.tsv", "--json"], code).json()
}

fn other() -> Catena {
    let catena = Catena::new();
    catena.write("small.tsv", SMALL_GRAPH);
    catena
}

#[test]
fn what_one_team_learned_another_takes_over_once() {
    let catena = asked();
    rate(&catena, &["good", "--accept"]);
    let learned = triples(&catena);
    assert!(!learned.is_empty());
    for (form, ending) in [("tsv", "tsv"), ("nt", "nt"), ("jsonl", "jsonl")] {
        let file = format!("learned.{ending}");
        run(&catena, &["dkg", "export", "--to", form, "-o", &file], 0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(catena.path(&file)).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let text = std::fs::read_to_string(catena.path(&file)).unwrap();
        assert_eq!(run(&catena, &["dkg", "export", "--to", form], 0).stdout, text, "the same on standard output");
        assert!(!text.to_lowercase().contains(QUESTION) && text.contains("good"), "no question, but where it comes from: {text}");
        let asked_for = run(&catena, &["dkg", "export", "--to", form, "--with-questions"], 0);
        assert!(asked_for.stdout.contains(QUESTION) && asked_for.stderr.contains("patient data"));

        let (from_plain, from_full) = (other(), other());
        from_plain.write(&file, &text);
        from_full.write(&file, &asked_for.stdout);
        for catena in [from_plain, from_full] {
            let report = import(&catena, &file, 0);
            assert_eq!(
                (report["imported"].as_u64().unwrap(), &report["rejected"]),
                (learned.len() as u64, &serde_json::json!({})),
                "{report}"
            );
            assert_eq!(triples(&catena), learned, "{form}");
            let again = import(&catena, &file, 0);
            assert_eq!((again["records"].as_array().unwrap().len(), again["known"].as_u64().unwrap()), (0, learned.len() as u64));
            let log = run(&catena, &["dkg", "log"], 0).stdout;
            assert_eq!(log.lines().count(), 1, "the second import recorded nothing: {log}");
            let shown = run(&catena, &["dkg", "show", "1"], 0).stdout;
            assert!(shown.contains("answer rated good"), "it is kept where the other team had it from: {shown}");
            run(&catena, &["dkg", "undo", "1"], 0);
            assert!(triples(&catena).is_empty());
        }
    }
}

const HEADER: &str = "head\thead_kind\trelation\trole\tplayer\ttail\ttail_kind\trecord\torigin\n";

#[test]
fn what_contradicts_is_held_back_and_what_is_known_left_out() {
    let catena = other();
    let row = |head: &str, relation: &str, role: &str, tail: &str| format!("{head}\t\t{relation}\t{role}\thead\t{tail}\t\t1\tthem\n");
    let text = [
        HEADER.to_owned(),
        row("Omeprazole", "treats", "treatment", "Reflux"),
        row("omeprazole", "heals", "treatment", "REFLUX"),
        row("Diclofenac", "treats", "treatment", "Stomach ulcer"),
        row("Sucralfate", "treats", "treatment", "Stomach ulcer"),
        row("Sucralfate", "treats", "treatment", "Stomach ulcer"),
        row("Reflux", "treats", "treatment", "reflux"),
    ];
    catena.write("team.tsv", text.concat());
    let report = import(&catena, "team.tsv", 0);
    assert_eq!((&report["imported"], &report["known"]), (&1.into(), &1.into()), "{report}");
    assert_eq!((&report["redundant"]["count"], &report["redundant"]["first"][0]["line"]), (&2.into(), &2.into()), "{report}");
    assert_eq!((&report["conflicts"]["count"], &report["conflicts"]["first"][0]["line"]), (&1.into(), &4.into()), "{report}");
    assert_eq!(report["rejected"]["an entity related to itself"]["lines"], serde_json::json!([7]), "{report}");
    let said = run(&catena, &["dkg", "import", "team.tsv", "--kg", "small.tsv"], 0).stdout;
    assert!(said.contains("NOT imported") && said.contains("line 4: Diclofenac"), "{said}");
    assert_eq!(triples(&catena).len(), 1);
}

#[test]
fn broken_files_are_refused_with_line_and_field() {
    let catena = other();
    for (name, content, says) in [
        ("a.tsv", b"head\trelation\ttail\nx\ty\tz\n".to_vec(), "line 1, column 2: it is \"relation\" where \"head_kind\""),
        ("b.tsv", b"head\thead_kind\n".to_vec(), "column 3: the column \"relation\" is missing"),
        ("c.bin", vec![0xff, 0xfe, 0, 1], "line 1, the line: not valid UTF-8"),
        ("d.pdf", b"%PDF-1.7".to_vec(), "line 1, column 1"),
        ("e.tsv", [b"head".as_slice(), &b"\t".repeat(1_000_000)].concat(), "column 2"),
        ("f.tsv", vec![b'x'; 3 << 20], "line 1, the line: a line of more than 1 MiB"),
        ("g.tsv", HEADER.trim_end().replace("origin", "or\u{1b}[31migin").into_bytes(), "column 9"),
    ] {
        catena.write(name, content);
        let ran = run(&catena, &["dkg", "import", name, "--kg", "small.tsv"], 1);
        assert!(ran.stderr.contains(name) && ran.stderr.contains(says), "{name}: {}", ran.stderr);
    }
    assert!(!catena.state().join("dkg").exists(), "nothing is made for what is refused");
}

#[test]
fn broken_lines_cost_themselves_and_are_counted() {
    let catena = other();
    let sound = "Sucralfate\tdrug\ttreats\ttreatment\thead\tStomach ulcer\t\t1\tthem\n";
    let mut tsv = HEADER.as_bytes().to_vec();
    for line in [
        b"only\tthree\tfields\n".to_vec(),
        b"\t".repeat(1_000_000 / 2),
        b"\n\xff\xfe\t\n".to_vec(),
        sound.replace("Sucralfate", "Sucral\u{1b}[31mfate").into_bytes(),
        sound.replace("Sucralfate", &"x".repeat(3000)).into_bytes(),
        sound.replace("Sucralfate", "...").into_bytes(),
        sound.replace("treatment", "healing").into_bytes(),
        sound.replace("\thead\t", "\tneck\t").into_bytes(),
        sound.replace("\t1\t", "\tone\t").into_bytes(),
        vec![b'y'; 2 << 20],
        b"\n".to_vec(),
        sound.as_bytes().to_vec(),
    ] {
        tsv.extend(line);
    }
    catena.write("team.tsv", tsv);
    let report = import(&catena, "team.tsv", 0);
    assert_eq!(report["imported"], 1, "{report}");
    let reasons: Vec<(&String, &Value)> = report["rejected"].as_object().unwrap().iter().collect();
    let has = |part: &str, line: u64| {
        assert!(reasons.iter().any(|(reason, of)| reason.contains(part) && of["lines"][0] == line), "{part}: {reasons:?}")
    };
    for (part, line) in [
        ("it has 3 fields", 2),
        ("more than 9 fields", 3),
        ("not valid UTF-8", 4),
        ("head: control characters", 5),
        ("head: longer than 2000 bytes", 6),
        ("head: neither letters nor digits", 7),
        ("role: none", 8),
        ("player: neither", 9),
        ("record: no whole number", 10),
        ("more than 1 MiB", 11),
    ] {
        has(part, line);
    }

    let object = r#"{"head":{"kind":"drug","name":"Sucralfate"},"relation":{"name":"treats","player":"head","role":"treatment"},"tail":{"kind":"","name":"Stomach ulcer"}}"#;
    let lines = [
        "{".to_owned(),
        "{}".into(),
        object.replace("\"Sucralfate\"", "7"),
        object.replace("treatment", "healing"),
        "[".repeat(100_000),
        object.replace("\"tail\"", "\"tale\""),
        object.replace("Sucralfate", "Sucral\\u001b[31mfate"),
        object.to_owned(),
    ];
    catena.write("team.jsonl", lines.join("\n"));
    let report = import(&catena, "team.jsonl", 0);
    let count: u64 = report["rejected"].as_object().unwrap().values().map(|of| of["count"].as_u64().unwrap()).sum();
    assert_eq!((count, &report["known"]), (7, &1.into()), "{report}");
    assert!(report["rejected"].as_object().unwrap().keys().any(|reason| reason.contains("missing field `head`")), "{report}");

    let nt = "<urn:catena:entity:drug:Sucralfate> <urn:catena:relation:treatment:head:treats> <urn:catena:entity::Stomach%20ulcer> .\n";
    let lines = [
        nt.to_owned(),
        nt.replace(" .", ""),
        nt.replace("treatment", "healing"),
        nt.replace("Sucralfate", "Sucral%1B%5B31mfate"),
        nt.replace("Sucralfate", "%FF%FE"),
        nt.replace("catena:entity:drug", "other"),
        nt.replace("<urn:catena:entity::Stomach%20ulcer>", "\"text\""),
        "_:b <urn:p> <urn:o> .\n".into(),
        "<urn:s> <urn:p> <urn:o> .\n".into(),
    ];
    catena.write("team.nt", lines.concat());
    let report = import(&catena, "team.nt", 0);
    let count: u64 = report["rejected"].as_object().unwrap().values().map(|of| of["count"].as_u64().unwrap()).sum();
    assert_eq!((count, &report["known"]), (8, &1.into()), "{report}");
}

#[test]
fn a_file_of_nothing_but_broken_lines_fails_and_no_bytes_make_it_panic() {
    let catena = other();
    catena.write("team.tsv", format!("{HEADER}x\n"));
    import(&catena, "team.tsv", 1);
    catena.write("empty.jsonl", "");
    assert_eq!(import(&catena, "empty.jsonl", 0)["imported"], 0);
    let mut draw = Draw(7);
    let folder = tempfile::tempdir().unwrap();
    for begin in [HEADER, "{\"head\":", "<urn:catena:entity:a:b> <", ""] {
        for length in [1usize, 64, 5000] {
            let mut bytes = begin.as_bytes().to_vec();
            bytes.extend((0..length).map(|_| draw.next() as u8));
            let path = folder.path().join("x");
            std::fs::write(&path, bytes).unwrap();
            let _ = catena::feedback::read_exchange(&path);
        }
    }
}
