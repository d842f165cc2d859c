//! Files made to do harm: each is an error or a report of rejected lines, quickly and in bounded memory.

use std::io::Write;

use catena::graph::RoleRules;
use catena::graph::import::{GraphFormat, ImportError, import_bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::graphs::{graph_of_bytes, rejected, set, triples};

#[test]
fn overlong_lines_and_names_are_rejected_and_reading_goes_on() {
    let mut text = b"A\tr\tB\n".to_vec();
    text.extend(vec![b'x'; 3 << 20]);
    text.extend(b"\nC\tr\tD\n");
    text.extend(format!("{}\tr\tE\n", "n".repeat(1001)).as_bytes());
    text.extend(format!("{}\tr\tE\n", "n".repeat(1000)).as_bytes());
    text.extend(vec![b'#'; 2 << 20]);
    text.extend(b"\nbad\n");
    text.extend(vec![b'y'; 2 << 20]);
    let (graph, report) = graph_of_bytes(GraphFormat::Tsv, &text);
    assert_eq!(report.accepted, 3);
    assert!(triples(&graph).contains("C -r-> D"));
    assert_eq!(
        rejected(&report),
        [
            "2: a line of more than 1 MiB",
            "4: a name of more than 1000 bytes",
            "7: fewer than three tab-separated columns",
            "8: a line of more than 1 MiB"
        ]
    );
    assert_eq!(report.lines, 7);
}

#[test]
fn a_gzip_bomb_of_one_line_is_read_through_without_being_held() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        encoder.write_all(&vec![b'a'; 1 << 20]).expect("in memory");
    }
    encoder.write_all(b"\nA\tr\tB\n").expect("in memory");
    let bytes = encoder.finish().expect("in memory");
    for format in [GraphFormat::Tsv, GraphFormat::Csv] {
        let text = if format == GraphFormat::Tsv { bytes.clone() } else { csv_bomb() };
        let (graph, report) = graph_of_bytes(format, &text);
        assert_eq!(triples(&graph), set(&["A -r-> B"]));
        assert_eq!(report.rejected_count(), 1);
    }
}

fn csv_bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(b"\"").expect("in memory");
    for _ in 0..64 {
        encoder.write_all(&vec![b'a'; 1 << 20]).expect("in memory");
    }
    encoder.write_all(b"\nA,r,B\n").expect("in memory");
    encoder.finish().expect("in memory")
}

#[test]
fn a_table_whose_quotes_never_close_is_given_up() {
    // From wherever it is read, a quote stays open.
    let text = "x\",a,\"b\n".repeat(400_000);
    let error = import_bytes(GraphFormat::Csv, text.as_bytes(), "t", &RoleRules::built_in().expect("rules")).map(|_| ());
    assert!(matches!(error, Err(ImportError::Malformed { .. })), "{error:?}");
}

#[test]
fn relation_types_beyond_what_there_is_room_for_are_rejected() {
    let text: String = (0..70_000).map(|i| format!("A\tr{i}\tB\n")).collect();
    // Without rules: 70,000 names are not to be guessed at here.
    let rules = RoleRules::parse("").expect("no rule is no error");
    let (builder, report) = import_bytes(GraphFormat::Tsv, text.as_bytes(), "t", &rules).expect("a graph");
    let graph = builder.finish();
    assert_eq!(graph.relations().len() + report.rejected_count(), 70_000);
    assert!(graph.relations().len() >= 65_535);
    assert_eq!(report.rejected_by_reason.len(), 1);
    assert!(report.rejected[0].reason.contains("65535"));
}

#[test]
fn thousands_of_one_name_are_merged_without_comparing_each_with_each() {
    let other = "[Term]\nid: B:1\nname: z\nsynonym: \"x\" EXACT []\n";
    let read = |id: &dyn Fn(usize) -> String| {
        let named: String = (0..50_000).map(|i| format!("[Term]\nid: {}1\nname: x\n\n", id(i))).collect();
        let synonymous: String = (0..50_000).map(|i| format!("[Term]\nid: {}2\nname: y{i}\nsynonym: \"X\" EXACT []\n\n", id(i))).collect();
        graph_of_bytes(GraphFormat::Obo, format!("{named}{synonymous}{other}").as_bytes())
    };
    // One source keeps all of them apart, so x is no name of one of them.
    let (graph, report) = read(&|i| format!("A:{i}n"));
    assert_eq!((graph.entity_count(), report.merged), (100_001, 0));
    // Each source keeps its x and its own synonym of it apart; the others do not know that.
    let (graph, report) = read(&|i| format!("A{i}:"));
    assert_eq!((graph.entity_count(), report.merged), (50_001, 50_000));
    let merged = graph.find("z").expect("a name of x now");
    assert_eq!(graph.identifier(merged).split(" | ").count(), 50_001);
}

#[test]
fn spaces_of_identifiers_are_cleaned_and_bounded() {
    // The space stands before every identifier: a long one would be stored as often as there are nodes.
    let (graph, _) = graph_of_bytes(GraphFormat::Neo4j, "id:ID(D\u{1b}[2J),name\n1,Flu\n".as_bytes());
    assert_eq!(graph.identifier(graph.find("Flu").expect("there")), "D[2J:1");
    let text = format!("id:ID({}),name\n1,Flu\n", "s".repeat(1 << 19));
    let error = import_bytes(GraphFormat::Neo4j, text.as_bytes(), "t", &RoleRules::built_in().expect("rules")).map(|_| ());
    assert!(matches!(error, Err(ImportError::Column { .. })), "{error:?}");
}

#[test]
fn iris_are_cleaned_and_bounded_before_they_are_identifiers() {
    let long = "l".repeat(1 << 14);
    let text = format!("<http://x.or\u{202e}g/Flu> <http://x.org/r> <http://x.org/{long}/Fever> .\n");
    for format in [GraphFormat::NTriples, GraphFormat::Turtle] {
        let (graph, report) = graph_of_bytes(format, text.as_bytes());
        assert_eq!(triples(&graph), set(&["Flu -r-> Fever"]));
        assert_eq!(graph.identifier(graph.find("Flu").expect("there")), "http://x.org/Flu");
        assert!(graph.identifier(graph.find("Fever").expect("there")).len() < 20);
        assert_eq!(report.left_out.values().sum::<usize>(), 1);
    }
}

#[test]
fn kinds_beyond_what_there_is_room_for_are_unknown() {
    let text: String = (0..70_000).map(|i| format!("{i}\thas_symptom\tB\tkind {i}\n")).collect();
    let (graph, _) = graph_of_bytes(GraphFormat::Tsv, format!("head\trelation\ttail\thead_kind\n{text}").as_bytes());
    assert_eq!(graph.kind(graph.find("1").expect("there")).as_str(), "kind 1");
    assert_eq!(graph.kind(graph.find("69999").expect("there")), &catena::graph::Kind::Disease, "inferred like any unknown kind");
    assert_eq!(graph.kind(graph.find("B").expect("there")), &catena::graph::Kind::Symptom);
    catena::graph::Graph::from_bytes(graph.bytes(), "t").expect("what was made can be opened");
}

#[test]
fn made_up_reasons_do_not_fill_the_memory() {
    let text: String = (0..2_000).map(|i| format!("{{\"name\": \"A\", \"field {i}\": [0], \"text {i}\": \"x\"}}\n")).collect();
    let (_, report) = graph_of_bytes(GraphFormat::DiseaseJson, text.as_bytes());
    assert_eq!(report.rejected_count(), 2_000);
    assert!(report.rejected_by_reason.len() <= 201 && report.left_out.len() <= 201);
    assert_eq!(report.left_out.values().sum::<usize>(), 2_000);
}

#[test]
fn deeply_nested_turtle_is_borne() {
    // What could go wrong is the stack.
    for nested in ["( ", "[ <http://x/r> ", "<http://x/s> <http://x/r> [ <http://x/r> "] {
        let text = format!("<http://x/a> <http://x/r> <http://x/b> . <http://x/a> <http://x/r> {}", nested.repeat(200_000));
        let (graph, report) = graph_of_bytes(GraphFormat::Turtle, text.as_bytes());
        assert!(triples(&graph).contains("a -r-> b"));
        assert!(report.rejected_count() > 0);
    }
}

#[test]
fn control_characters_and_reordering_marks_never_reach_the_graph() {
    let evil = "A\u{0}\u{1b}]0;x\u{7}\u{202e}B";
    for (format, text) in [
        (GraphFormat::Tsv, format!("{evil}\tr\tC\n")),
        (GraphFormat::Csv, format!("\"{evil}\",r,C\n")),
        (GraphFormat::Obo, format!("[Term]\nid: X:1\nname: {evil}\nsynonym: \"{evil} 2\" EXACT []\ndef: \"{evil}\" []\n")),
        (GraphFormat::NTriples, "<http://x/a> <http://www.w3.org/2000/01/rdf-schema#label> \"A\\u0000\\u001b\\u202eB\" .\n".to_owned()),
        (
            GraphFormat::DiseaseJson,
            "{\"name\": \"A\\u0000\\u001b\\u202eB\", \"desc\": \"\\u001b[2J\", \"x\\u001by\": [\"\\u0007C\"]}\n".to_owned(),
        ),
        (GraphFormat::Dictionary, format!("{evil}\n")),
        (GraphFormat::Neo4j, format!(":ID,name,aliases,description\n{evil},{evil},{evil},{evil}\n")),
    ] {
        let (graph, _) = graph_of_bytes(format, text.as_bytes());
        let all: Vec<String> = super::graphs::entities(&graph).into_iter().chain(triples(&graph)).collect();
        assert!(!all.is_empty());
        assert!(all.iter().all(|text| !text.chars().any(|c| c.is_control() || c == '\u{202e}')), "{format:?}: {all:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever the bytes, an import ends with a graph or an error, and a graph can be finished.
    #[test]
    fn any_bytes_are_borne(format in prop::sample::select(GraphFormat::ALL.to_vec()), text in hostile_text()) {
        if let Ok((builder, report)) = import_bytes(format, &text, "t", &RoleRules::built_in().expect("rules")) {
            prop_assert!(report.rejected.len() <= catena::graph::BuildReport::SHOWN);
            let graph = builder.finish();
            prop_assert_eq!(graph.name(), "t");
        }
    }
}

/// Bytes put together of what the formats are made of.
fn hostile_text() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"\n",
        b"\r\n",
        b"\t",
        b",",
        b"\"",
        b"#",
        b"!",
        b"[Term]\n",
        b"id: X:1\n",
        b"name: n\n",
        b"is_a: X:1\n",
        b"synonym: \"s\" EXACT []\n",
        b"relationship: r X:1",
        b"[Typedef]\n",
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\x1c",
        b"\x1f\x8b",
        b"\xff",
        b"\0",
        b"\xEF\xBB\xBF",
        b"head\trelation\ttail\n",
        b"id\tname\tkind\n",
        b"source\tmetaedge\ttarget\n",
        b":ID,name,:LABEL\n",
        b":START_ID,:END_ID,:TYPE\n",
        b"_id,_labels,name,_start,_end,_type\n",
        b"1,",
        b"{\"name\":\"d\",\"symptom\":[\"s\"]}\n",
        b"<http://x/a> ",
        b"<http://x/r> ",
        b"_:b ",
        b".\n",
        b"\"l\"@en ",
        b"@prefix : <http://x/> .\n",
        b":a :r :b .\n",
        b"( ",
        b") ",
        b"[] ",
        b"a ",
        b"; ",
        b"relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source\n",
    ];
    let piece = prop_oneof![4 => prop::sample::select(pieces).prop_map(<[u8]>::to_vec), 1 => prop::collection::vec(any::<u8>(), 0..12)];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}
