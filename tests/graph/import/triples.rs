//! Tables of triples.

use std::collections::BTreeSet;

use catena::graph::import::{Column, GraphFormat, HeaderLine, ImportError, ImportSource, TriplesOptions, read_tsv};
use catena::graph::{BuildReport, Graph, Role, RoleRules};
use catena::text::fold;
use proptest::prelude::*;

use super::graphs::{entities, file, graph_of, graph_of_bytes, rejected, set, triples, try_import};

fn read(text: &[u8]) -> Result<(Graph, BuildReport), ImportError> {
    read_tsv(text, "t.tsv", "t", &RoleRules::built_in().expect("rules"))
}

fn table(text: &str, options: TriplesOptions) -> ImportSource {
    ImportSource::Triples { files: vec![file("t", text)], options }
}

#[test]
fn good_lines_are_taken_and_bad_ones_counted_with_reasons() {
    let text = b"\xEF\xBB\xBF# comment\nA\ttreats\tB\nA\ttreats\tB\r\n\nonly two\tcolumns\nA\t\tB\nA\xFF\ttreats\tC\n\x1b[31mA\ttreats\tB\nA\ttreats\tB\textra\nD\tr\tD";
    let (graph, report) = read(text).expect("a graph");
    assert_eq!((report.lines, report.accepted, report.duplicates, report.rejected_count()), (8, 3, 2, 3));
    assert_eq!(rejected(&report), ["5: fewer than three tab-separated columns", "6: an empty column", "7: not valid UTF-8"]);
    assert!(graph.find("[31mA").is_some(), "the escape character itself is gone");
    assert_eq!(triples(&graph), set(&["A -treats-> B", "[31mA -treats-> B", "D -r-> D"]));
    let summary = report.summary().expect("something was rejected");
    assert!(summary.contains("not valid UTF-8") && summary.contains("line 5"), "{summary}");
}

#[test]
fn further_columns_are_qualifiers_and_malformed_ones_are_counted_with_the_reason() {
    let long = "x".repeat(600);
    let text = format!(
        "A\tinteracts_with\tB\tseverity=major\teffect=bleeding \x1b[1m= worse\n\
         B\tinteracts_with\tC\tSeverity=major\tan extra column\thttp://x.y?z=1\teffect=\taction={long}\tnote=kept\tnote=twice\n\
         C\tinteracts_with\tD\t\t\n"
    );
    let (graph, report) = read(text.as_bytes()).expect("a graph");
    let stated = |head: &str| {
        let head = graph.find(head).expect("there");
        let edge = graph.outgoing(head)[0];
        graph.qualifiers(head, edge.relation, edge.to).to_string()
    };
    assert_eq!([stated("A"), stated("B"), stated("C")], ["severity: major · effect: bleeding [1m= worse", "note: kept", ""]);
    assert_eq!((report.accepted, report.rejected_count()), (3, 0), "a malformed qualifier does not cost the triple");
    let counted: Vec<(&str, usize)> = report.left_out.iter().map(|(what, count)| (what.as_str(), *count)).collect();
    assert_eq!(
        counted,
        [
            ("a qualifier of more than 500 bytes", 1),
            ("a qualifier that is stated twice", 1),
            ("a qualifier whose key is not 1 to 32 letters a to z or _", 1),
            ("a qualifier without a value", 1),
        ]
    );
    // What a header names is no qualifier.
    let (graph, report) = read(b"head\trelation\ttail\tformula\nA\ttreats\tB\tx=1\twhen=early\n").expect("a graph");
    assert_eq!(
        (graph.qualified().map(|(_, stated)| stated.to_string()).collect::<Vec<_>>(), report.left_out.len()),
        (vec!["when: early".to_owned()], 0)
    );
}

#[test]
fn a_file_without_triples_is_an_error_that_says_why() {
    let error = read(b"a,b,c\n").expect_err("no triples").to_string();
    assert!(error.contains("t.tsv") && error.contains("fewer than three"), "{error}");
    assert!(read(b"").is_err());
    assert!(read(b"head\trelation\ttail\n").is_err(), "a header is no triple");
}

#[test]
fn quotes_of_a_tsv_are_ordinary_characters_and_those_of_a_csv_protect() {
    let (graph, _) = read(b"\"A\ttreats\t5\" tube\n").expect("a graph");
    assert_eq!(triples(&graph), set(&["\"A -treats-> 5\" tube"]));
    let csv = "\"A, the first\",treats,\"said \"\"B\"\"\"\n# comment\n\n\"two\nlines\",treats,C\nshort,row\nD,treats,E\n";
    let (graph, report) = graph_of_bytes(GraphFormat::Csv, csv.as_bytes());
    assert_eq!(triples(&graph), set(&["A, the first -treats-> said \"B\"", "two lines -treats-> C", "D -treats-> E"]));
    assert_eq!(rejected(&report), ["6: fewer than three comma-separated columns"]);
    assert_eq!(report.lines, 4);
}

#[test]
fn a_quote_that_is_not_closed_costs_its_own_line() {
    let (graph, report) = graph_of_bytes(GraphFormat::Csv, b"A,treats,B\nC,treats,\"D\nE,treats,F\nG,treats,H");
    assert_eq!(triples(&graph), set(&["A -treats-> B", "E -treats-> F", "G -treats-> H"]));
    assert_eq!(rejected(&report), ["2: a quote is opened and not closed within 1 MiB"]);
}

#[test]
fn headings_are_recognised_and_columns_chosen_by_them() {
    let with_header = "id,Subject,PREDICATE,object,subject_type,object_type\n1,Omeprazole,treats,Reflux,Drug,Disease\n";
    let (graph, report) = graph_of_bytes(GraphFormat::Csv, with_header.as_bytes());
    assert_eq!(triples(&graph), set(&["Omeprazole -treats-> Reflux"]));
    assert_eq!(entities(&graph), ["Omeprazole|drug||", "Reflux|disease||"]);
    assert_eq!((report.lines, report.accepted), (1, 1));

    let by_name = TriplesOptions {
        head: Some(Column::parse("to")),
        relation: Some(Column::Name("How".into())),
        tail: Some(Column::Number(1)),
        ..TriplesOptions::csv()
    };
    let (graph, _) = graph_of(&table("from,how,to\nA,r,B\n", by_name.clone()));
    assert_eq!(triples(&graph), set(&["B -r-> A"]));

    let Err(error) = try_import(&table("from,what,to\nA,r,B\n", by_name)) else { panic!("no such column") };
    let ImportError::Column { file, line, field, .. } = &error else { panic!("{error}") };
    assert_eq!((file.as_str(), *line, field.as_str()), ("t", 1, "How"));
    assert!(error.to_string().contains("from, what, to"), "{error}");
}

#[test]
fn a_header_is_taken_or_not_as_told() {
    let text = "head;relation;tail\nA;r;B\n";
    let options = |header| TriplesOptions { delimiter: b';', header, ..TriplesOptions::csv() };
    let (graph, _) = graph_of(&table(text, options(HeaderLine::No)));
    assert_eq!(triples(&graph), set(&["head -relation-> tail", "A -r-> B"]));
    let (graph, _) = graph_of(&table(text, options(HeaderLine::Auto)));
    assert_eq!(triples(&graph), set(&["A -r-> B"]));
    let (graph, _) = graph_of(&table("x;y;z\nA;r;B\n", options(HeaderLine::Yes)));
    assert_eq!(triples(&graph), set(&["A -r-> B"]));
    let named = TriplesOptions { head: Some(Column::Name("x".into())), ..options(HeaderLine::No) };
    assert!(matches!(try_import(&table(text, named)), Err(ImportError::Options(_))));
    let zero = TriplesOptions { head: Some(Column::Number(0)), ..options(HeaderLine::No) };
    assert!(matches!(try_import(&table(text, zero)), Err(ImportError::Options(_))));
}

#[test]
fn identifiers_keep_entities_of_one_name_apart_and_join_those_of_several() {
    let text = "head_id\thead\trelation\ttail\ttail_id\thead_kind\n\
                1\tCold\tcauses\tSneezing\t3\tdisease\n\
                2\tCold\tfeels_like\tIce\t\tsensation\n\
                1\tCommon cold\tcauses\tCough\t4\tdisease\n";
    let (graph, report) = graph_of(&table(text, TriplesOptions::tsv()));
    let cold: Vec<String> = entities(&graph).into_iter().filter(|e| e.starts_with("Cold|")).collect();
    assert_eq!(cold, ["Cold|disease|Common cold|", "Cold|sensation||"]);
    assert_eq!(triples(&graph), set(&["Cold -causes-> Sneezing", "Cold -feels_like-> Ice", "Cold -causes-> Cough"]));
    assert_eq!(report.accepted, 3);
}

#[test]
fn relations_get_their_roles() {
    let (graph, _) = read("奥美拉唑\t治疗\t胃食管反流\n".as_bytes()).expect("a graph");
    assert_eq!(graph.relations()[0].role, Role::Treatment);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any triples, written as CSV with quotes wherever they are needed or not, come back.
    #[test]
    fn triples_written_as_csv_come_back(rows in prop::collection::vec((name(), name(), name(), any::<bool>()), 1..20), crlf in any::<bool>()) {
        let quote = |text: &str, always: bool| {
            if always || text.contains([',', '"', '#']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
        };
        let end = if crlf { "\r\n" } else { "\n" };
        let text: String = rows.iter().map(|(h, r, t, q)| format!("{},{},{}{end}", quote(h, *q), quote(r, !*q), quote(t, *q))).collect();
        let options = TriplesOptions { header: HeaderLine::No, ..TriplesOptions::csv() };
        let (graph, report) = graph_of(&table(&text, options));
        let rows: Vec<_> = rows.iter().map(|(h, r, t, _)| (h, r, t)).collect();
        prop_assert_eq!(report.rejected_count(), 0);
        prop_assert_eq!(folded_triples(&graph), expected(&rows));
    }

    /// Likewise as TSV, which has no quotes.
    #[test]
    fn triples_written_as_tsv_come_back(rows in prop::collection::vec((name(), name(), name()), 1..20)) {
        let text: String = rows.iter().map(|(h, r, t)| format!("{h}\t{r}\t{t}\n")).collect();
        let (graph, report) = graph_of(&table(&text, TriplesOptions { header: HeaderLine::No, ..TriplesOptions::tsv() }));
        let rows: Vec<_> = rows.iter().filter(|(h, ..)| !h.starts_with('#')).map(|(h, r, t)| (h, r, t)).collect();
        prop_assert_eq!(report.lines, rows.len());
        prop_assert_eq!(folded_triples(&graph), expected(&rows));
    }
}

/// The form in which two spellings of one name are equal; names of signs alone are equal only to themselves.
fn key(name: &str) -> String {
    let folded = fold(name);
    if folded.is_empty() { name.to_owned() } else { folded }
}

/// A graph's triples, whichever spelling of a name it has kept.
fn folded_triples(graph: &Graph) -> BTreeSet<String> {
    let text = |t: catena::graph::Triple| {
        format!("{} -{}-> {}", key(graph.entity_name(t.head)), graph.relation(t.relation).name, key(graph.entity_name(t.tail)))
    };
    graph.triples().map(text).collect()
}

/// What rows say: those between two spellings of one name say nothing.
fn expected(rows: &[(&String, &String, &String)]) -> BTreeSet<String> {
    let says = |h: &str, t: &str| h == t || key(h) != key(t);
    rows.iter().filter(|(h, _, t)| says(h, t)).map(|(h, r, t)| format!("{} -{r}-> {}", key(h), key(t))).collect()
}

/// Names without white space at their ends, which cleaning would take away. "~" stands first so that not every
/// line of a TSV is a comment or none.
fn name() -> impl Strategy<Value = String> {
    r#"[~A-Za-z0-9头痛",;'#é()-]([ ]?[A-Za-z0-9头痛",;'#é()-]){0,8}"#.prop_filter("a name", |name| !name.starts_with('#'))
}
