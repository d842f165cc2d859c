//! Files: gzipped, cut off, missing; progress and interruption.

use std::cell::Cell;

use catena::graph::RoleRules;
use catena::graph::import::{GraphFormat, ImportError, ImportSource, InputFile, TriplesOptions, import};

use super::graphs::{file, graph_of, gzipped, rejected, set, triples, try_import};

fn tsv(files: Vec<InputFile>) -> ImportSource {
    ImportSource::Triples { files, options: TriplesOptions::tsv() }
}

fn many_lines() -> String {
    (0..60_000).map(|i| format!("head number {i}\trelated\ttail number {}\n", i * 7919 % 60_000)).collect()
}

#[test]
fn gzip_is_told_by_its_first_bytes_and_several_members_are_one_file() {
    let mut bytes = gzipped(b"\xEF\xBB\xBFA\tr\tB\nC\tr");
    bytes.extend(gzipped(b"\tD\n"));
    let (graph, _) = graph_of(&tsv(vec![file("no-ending", bytes)]));
    assert_eq!(triples(&graph), set(&["A -r-> B", "C -r-> D"]));
}

#[test]
fn a_gzip_file_that_is_cut_off_or_damaged_is_an_error_in_every_format() {
    let bytes = gzipped(many_lines().as_bytes());
    let cut = tsv(vec![file("cut.gz", &bytes[..bytes.len() / 2])]);
    let Err(error) = try_import(&cut) else { panic!("half a file is no file") };
    assert!(matches!(error, ImportError::CutOff { .. }), "{error}");
    assert!(error.to_string().contains("cut.gz") && error.to_string().contains("cut off"), "{error}");
    assert!(try_import(&tsv(vec![file("cut.gz", &bytes[..bytes.len() - 3])])).is_err(), "its check sum is missing");
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 0xff;
    damaged[bytes.len() / 2 + 1] ^= 0xff;
    assert!(try_import(&tsv(vec![file("damaged.gz", damaged)])).is_err());
    for format in GraphFormat::ALL {
        let text = b"_:a <http://x/r> _:b .\n".repeat(20_000);
        let bytes = gzipped(&text);
        let source = match format {
            GraphFormat::Hetionet => ImportSource::Hetionet { nodes: file("n", &bytes[..bytes.len() - 9]), edges: vec![], metaedges: None },
            GraphFormat::Neo4j => continue, // Its header is wrong before the end is reached.
            GraphFormat::PrimeKg => continue,
            _ => ImportSource::from_bytes(format, &bytes[..bytes.len() - 9]),
        };
        // The file separator may be among the bytes: then the first part is cut off all the more.
        assert!(matches!(try_import(&source), Err(ImportError::CutOff { .. } | ImportError::Damaged { .. })), "{format:?}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = try_import(&tsv(vec![InputFile::on_disk("no/such/file.tsv")])).expect_err("not there").to_string();
    assert!(error.contains("no/such/file.tsv"), "{error}");
    assert!(matches!(try_import(&tsv(vec![])), Err(ImportError::Options(_))));
}

#[test]
fn several_files_are_one_graph_and_rejections_name_theirs() {
    let (graph, report) = graph_of(&tsv(vec![file("dir/a.tsv", "A\tr\tB\n"), file("b.tsv", "A\tr\tB\nbad\nB\tr\tC\n")]));
    assert_eq!(triples(&graph), set(&["A -r-> B", "B -r-> C"]));
    assert_eq!((report.accepted, report.duplicates), (2, 1));
    assert_eq!(rejected(&report), ["2: b.tsv: fewer than three tab-separated columns"]);
}

#[test]
fn progress_is_told_in_bytes_as_they_lie_there_and_can_stop_the_import() {
    let rules = RoleRules::built_in().expect("rules");
    for bytes in [many_lines().into_bytes(), gzipped(many_lines().as_bytes())] {
        let size = bytes.len() as u64;
        let source = tsv(vec![file("many", bytes)]);
        let mut told = Vec::new();
        import(&source, "t", &rules, &mut |progress| {
            told.push(progress);
            true
        })
        .expect("a graph");
        assert!(told.len() > 5, "told {} times", told.len());
        assert!(told.iter().all(|p| p.bytes_total == size && p.bytes_read <= size));
        assert!(told.windows(2).all(|w| w[0].bytes_read <= w[1].bytes_read && w[0].lines <= w[1].lines));
        let last = told.last().expect("some");
        assert_eq!((last.bytes_read, last.lines), (size, 60_000));

        let calls = Cell::new(0);
        let stopped = import(&source, "t", &rules, &mut |_| {
            calls.set(calls.get() + 1);
            calls.get() < 3
        });
        assert!(matches!(stopped, Err(ImportError::Interrupted)));
        assert_eq!(calls.get(), 3, "it stops at once");
    }
}

#[test]
fn every_format_can_be_interrupted() {
    let rules = RoleRules::built_in().expect("rules");
    for format in GraphFormat::ALL {
        let source = ImportSource::from_bytes(format, b"x");
        assert!(matches!(import(&source, "t", &rules, &mut |_| false), Err(ImportError::Interrupted)), "{format:?}");
    }
}
