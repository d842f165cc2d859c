//! Tables of triples.

use std::collections::BTreeSet;

use catena::graph::import::{Column, GraphFormat, HeaderLine, ImportError, ImportSource, TriplesOptions, read_tsv};
use catena::graph::{BuildReport, Graph, Role, RoleRules};
use catena::text::fold;
use proptest::prelude::*;

use super::graphs::{entities, file, graph_of, graph_of_bytes, left_out, rejected, set, triples, try_import};

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
fn a_carriage_return_alone_ends_a_line() {
    // pandas 2.2 (`read_csv(sep="\\t", header=None)`) and Python's universal newlines see two rows.
    for end in ["\r", "\n", "\r\n"] {
        let text = format!("Ulcer\thas\tPain{end}Gastritis\thas\tPain{end}{end}only two\tcolumns{end}");
        let (graph, report) = read(text.as_bytes()).expect("a graph");
        assert_eq!(triples(&graph), set(&["Ulcer -has-> Pain", "Gastritis -has-> Pain"]), "{end:?}");
        assert_eq!(rejected(&report), ["4: fewer than three tab-separated columns"], "{end:?}");
        let (graph, report) = graph_of_bytes(GraphFormat::Csv, text.replace('\t', ",").as_bytes());
        assert_eq!(triples(&graph), set(&["Ulcer -has-> Pain", "Gastritis -has-> Pain"]), "{end:?}");
        assert_eq!(rejected(&report), ["4: fewer than three comma-separated columns"], "{end:?}");
    }
}

#[test]
fn line_ends_at_the_border_of_a_portion_are_one() {
    // The importer reads 256 KiB at once; each length of the first name moves a CRLF over such a border.
    for length in 0..8 {
        let lines: String = (0..20_000).map(|i| format!("{}{i:05}\tr\tB{i:05}\r\n", "x".repeat(length))).collect();
        let (_, report) = read(format!("{lines}bad\r\n").as_bytes()).expect("a graph");
        assert_eq!((report.lines, rejected(&report)), (20_001, vec!["20001: fewer than three tab-separated columns".to_owned()]));
    }
}

#[test]
fn no_line_that_begins_with_a_number_sign_is_lost_uncounted() {
    // csv.reader of Python 3 knows no comments: it has all rows of such a file.
    let text = "# a comment\n#head\trelation\ttail\n#5 metatarsal\tpart_of\tFoot\n#A\ttreats\tB\n# C\ttreats\tD\n#\nE\ttreats\tF\n";
    for (format, text) in [(GraphFormat::Tsv, text.to_owned()), (GraphFormat::Csv, text.replace('\t', ","))] {
        let (graph, report) = graph_of_bytes(format, text.as_bytes());
        assert_eq!(triples(&graph), set(&["#5 metatarsal -part_of-> Foot", "E -treats-> F"]));
        assert_eq!((report.lines, report.rejected_count()), (2, 0));
        assert_eq!(left_out(&report, "line that begins with # and has three columns, taken as a comment"), 2, "{:?}", report.left_out);
    }
    // In quotes it is no comment, as in every CSV.
    let (graph, report) = graph_of_bytes(GraphFormat::Csv, b"\"#A\",treats,B\n");
    assert_eq!((triples(&graph), report.left_out.len()), (set(&["#A -treats-> B"]), 0));
    // Commented rows before a header do not hide it.
    let (graph, _) = graph_of_bytes(GraphFormat::Csv, b"# made by: a, b, c\nsubject,predicate,object\nA,treats,B\n");
    assert_eq!(triples(&graph), set(&["A -treats-> B"]));
}

#[test]
fn what_separates_words_becomes_a_blank() {
    // Python's str.split() and str.splitlines() separate at each of these.
    for gap in ["\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"] {
        let (graph, _) = read(format!("Ulcer\thas\tabdominal{gap}pain\n").as_bytes()).expect("a graph");
        assert_eq!(triples(&graph), set(&["Ulcer -has-> abdominal pain"]), "{gap:?}");
    }
}

#[test]
fn names_in_quotes_of_a_tsv_are_hinted_at() {
    // csv.reader(delimiter="\t") gives `said "B"`, csv.reader(delimiter="\t", quoting=csv.QUOTE_NONE) what stands there.
    let text = b"\"said \"\"B\"\"\"\ttreats\tC\nD\ttreats\tE\n";
    let (graph, report) = read(text).expect("a graph");
    assert_eq!(triples(&graph), set(&["\"said \"\"B\"\"\" -treats-> C", "D -treats-> E"]));
    let hints: Vec<(&str, usize)> = report.hints.iter().map(|(what, count)| (what.as_str(), *count)).collect();
    assert!(matches!(hints[..], [(what, 1)] if what.contains("as CSV with a tab")), "{hints:?}");
    let options = TriplesOptions { delimiter: b'\t', ..TriplesOptions::csv() };
    let (graph, report) = graph_of(&table(std::str::from_utf8(text).expect("text"), options));
    assert_eq!((triples(&graph), report.hints.len()), (set(&["said \"B\" -treats-> C", "D -treats-> E"]), 0));
}

#[test]
fn entities_with_different_identifiers_of_one_namespace_are_never_joined() {
    // As 14 pathways of Hetionet, which networkx keeps as different nodes: one name, two identifiers of one source.
    let text = "head_id\thead\trelation\ttail\ttail_id\thead_kind\n\
                Pathway::PC7_1\tsignaling\thas\tG1\tGene::1\tpathway\n\
                Pathway::WP2\tSignaling\thas\tG2\tGene::2\tpathway\n\
                KEGG:3\tsignaling\thas\tG3\tGene::3\tpathway\n\
                \tsignaling\thas\tG4\tGene::4\tpathway\n";
    let (graph, report) = graph_of(&table(text, TriplesOptions::tsv()));
    let pathways: Vec<String> = graph
        .entity_ids()
        .filter(|e| graph.kind(*e).as_str() == "pathway")
        .map(|e| format!("{} {}", graph.entity_name(e), graph.outgoing(e).len()))
        .collect();
    assert_eq!(pathways, ["Signaling 1", "signaling 1", "signaling 1", "signaling 1"], "which of the two the others are is not known");
    assert_eq!((report.merged, report.accepted), (0, 4));
    // Of different namespaces they are one, and so is one without identifier.
    let (graph, report) = graph_of(&table(&text.replace("Pathway::WP2", "WP:2"), TriplesOptions::tsv()));
    let signaling = graph.find("signaling").expect("there");
    assert_eq!((report.merged, graph.outgoing(signaling).len()), (3, 4));
}

#[test]
fn synonyms_do_not_join_what_identifiers_separate() {
    let obo = |order: [usize; 3]| {
        let terms = [
            "[Term]\nid: DOID:1\nname: influenza\nsynonym: \"grippe\" EXACT []\n\n",
            "[Term]\nid: DOID:2\nname: parainfluenza\nsynonym: \"grippe\" EXACT []\n\n",
            "[Term]\nid: MONDO:3\nname: grippe\n\n",
        ];
        graph_of_bytes(GraphFormat::Obo, order.map(|i| terms[i]).concat().as_bytes())
    };
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let (graph, report) = obo(order);
        let names: Vec<&str> = graph.entity_ids().map(|e| graph.entity_name(e)).collect();
        assert_eq!((names, report.merged), (vec!["grippe", "parainfluenza"], 1), "by any order of the lines: {:?}", entities(&graph));
    }
}

#[test]
fn of_several_spellings_the_commonest_is_shown() {
    // collections.Counter(names).most_common(1), ties in alphabetical order.
    let rows = ["GERD", "Reflux disease", "Reflux disease", "gord"].map(|name| format!("C1\t{name}\thas\t{name} sign\n"));
    let text = format!("head_id\thead\trelation\ttail\n{}", rows.concat());
    let (graph, _) = graph_of(&table(&text, TriplesOptions::tsv()));
    assert!(entities(&graph).contains(&"Reflux disease||GERD, gord|".to_owned()), "{:?}", entities(&graph));
    // Without identifiers, likewise: "Flu" in three rows, "flu" in four of two kinds.
    let rows = ["Flu\ta\t1\t", "Flu\ta\t2\t", "Flu\ta\t3\t", "flu\ta\t4\tdisease", "flu\ta\t5\tdisease", "flu\ta\t6\t", "flu\ta\t7\t"];
    let (graph, _) = graph_of(&table(&format!("head\trelation\ttail\thead_kind\n{}\n", rows.join("\n")), TriplesOptions::tsv()));
    assert_eq!(graph.entity_name(graph.find("flu").expect("there")), "flu");
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
