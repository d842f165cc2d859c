//! N-Triples and Turtle.

use catena::graph::import::{GraphFormat, ImportSource, RdfOptions, RdfSyntax};
use catena::graph::{Graph, Role};

use super::graphs::{entities, file, graph_of, graph_of_bytes, left_out, rejected, set, triples};

const TURTLE: &str = r#"@prefix : <http://x.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .

:flu a :Disease ; rdfs:label "grippe"@fr, "flu"@en-GB, "流感"@zh ; skos:altLabel "influenza" ;
     obo:IAO_0000115 "An acute illness."@en ; rdfs:subClassOf :infection ; :hasSymptom :Fever, [ rdfs:label "chill" ; a :Symptom ], [ a :Symptom ] ;
     :icd "J11" ; owl:sameAs :other .
:Disease rdfs:label "disease" .
:Symptom rdfs:label "symptom"@en .
:Fever a :Symptom .
:hasSymptom a owl:ObjectProperty ; rdfs:label "has the symptom" .
:gone rdfs:label "gone" ; owl:deprecated true ; rdfs:subClassOf :infection .
:alone rdfs:label "alone" .
:list :items ( :a :b ) .
"#;

const N_TRIPLES: &str = r#"# the same
<http://x.org/hasSymptom> <http://www.w3.org/2000/01/rdf-schema#label> "has the symptom" .
<http://x.org/flu> <http://x.org/hasSymptom> _:b1 .
_:b1 <http://www.w3.org/2000/01/rdf-schema#label> "chill" .
_:b1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://x.org/Symptom> .
<http://x.org/flu> <http://x.org/hasSymptom> _:b2 .
_:b2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://x.org/Symptom> .
<http://x.org/flu> <http://x.org/hasSymptom> <http://x.org/Fever> .
<http://x.org/flu> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://x.org/infection> .
<http://x.org/flu> <http://purl.obolibrary.org/obo/IAO_0000115> "An acute illness."@en .
<http://x.org/flu> <http://www.w3.org/2004/02/skos/core#altLabel> "influenza" .
<http://x.org/flu> <http://www.w3.org/2000/01/rdf-schema#label> "\u6D41\u611F"@zh .
<http://x.org/flu> <http://www.w3.org/2000/01/rdf-schema#label> "grippe"@fr .
<http://x.org/flu> <http://www.w3.org/2000/01/rdf-schema#label> "flu"@en-GB .
<http://x.org/flu> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://x.org/Disease> .
<http://x.org/flu> <http://x.org/icd> "J11" .
<http://x.org/flu> <http://www.w3.org/2002/07/owl#sameAs> <http://x.org/other> .
<http://x.org/Disease> <http://www.w3.org/2000/01/rdf-schema#label> "disease" .
<http://x.org/Symptom> <http://www.w3.org/2000/01/rdf-schema#label> "symptom"@en .
<http://x.org/Fever> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://x.org/Symptom> .
<http://x.org/hasSymptom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#ObjectProperty> .
<http://x.org/gone> <http://www.w3.org/2000/01/rdf-schema#label> "gone" .
<http://x.org/gone> <http://www.w3.org/2002/07/owl#deprecated> "true"^^<http://www.w3.org/2001/XMLSchema#boolean> .
<http://x.org/gone> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://x.org/infection> .
<http://x.org/alone> <http://www.w3.org/2000/01/rdf-schema#label> "alone" .
"#;

fn check(graph: &Graph) {
    assert_eq!(
        entities(graph),
        ["Fever|symptom||", "alone|||", "chill|symptom||", "flu|disease|grippe, influenza, 流感|An acute illness.", "infection|||",]
    );
    let expected = ["flu -has the symptom-> Fever", "flu -has the symptom-> chill", "flu -is_a-> infection"];
    assert_eq!(triples(graph), set(&expected));
    let has = graph.relations().iter().find(|r| r.name == "has the symptom").expect("there");
    assert_eq!(has.role, Role::Symptom);
}

#[test]
fn turtle_and_n_triples_of_one_content_give_one_graph() {
    let (graph, report) = graph_of_bytes(GraphFormat::Turtle, TURTLE.as_bytes());
    check(&graph);
    assert_eq!(report.rejected_count(), 0, "{report:?}");
    for (what, count) in [
        ("literal of icd", 1),
        ("statement of sameAs", 1),
        ("statement about a blank node without a label", 2),
        ("statement about an obsolete resource", 1),
        ("obsolete resource", 1),
        ("class that only names a kind", 2),
        ("statement of first", 2),
    ] {
        assert_eq!(left_out(&report, what), count, "{what}: {:?}", report.left_out);
    }
    let (graph, report) = graph_of_bytes(GraphFormat::NTriples, N_TRIPLES.as_bytes());
    check(&graph);
    assert_eq!((report.lines, report.rejected_count()), (24, 0));
    let reversed: String = N_TRIPLES.lines().rev().fold(String::new(), |text, line| text + line + "\n");
    check(&graph_of_bytes(GraphFormat::NTriples, reversed.as_bytes()).0);
    // N-Triples are Turtle.
    check(&graph_of_bytes(GraphFormat::Turtle, N_TRIPLES.as_bytes()).0);
}

#[test]
fn the_languages_of_names_can_be_chosen() {
    let options = RdfOptions { languages: vec!["zh".into(), "fr".into()], ..RdfOptions::default() };
    let (graph, _) = graph_of(&ImportSource::Rdf { files: vec![file("x.ttl", TURTLE)], options });
    assert!(entities(&graph).contains(&"流感|disease|flu, grippe, influenza|An acute illness.".to_owned()), "{:?}", entities(&graph));
}

#[test]
fn malformed_statements_are_rejected_and_reading_goes_on() {
    let turtle = "@prefix : <http://x.org/> .\n:a :r :b .\n:a :r ^^ nonsense ;; .\n:a unknown:r :b .\n:c :r :d .\n";
    let (graph, report) = graph_of_bytes(GraphFormat::Turtle, turtle.as_bytes());
    assert_eq!(triples(&graph), set(&["a -r-> b", "c -r-> d"]));
    let lines: Vec<usize> = report.rejected.iter().map(|r| r.line).collect();
    assert!(lines.contains(&3) && lines.contains(&4) && !lines.contains(&5), "{:?}", rejected(&report));
    assert!(report.rejected.iter().all(|r| r.reason.starts_with("malformed: ")));

    let n_triples = "<http://x.org/a> <http://x.org/r> <http://x.org/b> .\n<http://x.org/a> <http://x.org/r> .\n\n<http://x.org/a b> <http://x.org/r> <http://x.org/b> .\n<http://x.org/c> <http://x.org/r> <http://x.org/d> . # note\nrubbish\n";
    let (graph, report) = graph_of_bytes(GraphFormat::NTriples, n_triples.as_bytes());
    assert_eq!(triples(&graph), set(&["a -r-> b", "c -r-> d"]));
    assert_eq!(report.rejected.iter().map(|r| r.line).collect::<Vec<_>>(), [2, 4, 6]);
}

#[test]
fn properties_in_one_word_are_understood() {
    let (graph, _) = graph_of_bytes(GraphFormat::Turtle, b"<http://x/Flu> <http://x/hasSymptom> <http://x/Fever> .");
    let has = &graph.relations()[0];
    assert_eq!((has.name.as_str(), has.display.as_str(), has.role), ("hasSymptom", "has symptom", Role::Symptom));
}

#[test]
fn the_syntax_is_told_by_the_files_ending_and_blank_nodes_stay_in_their_file() {
    let blank = "_:n <http://www.w3.org/2000/01/rdf-schema#label> \"NAME\" .\n<http://x/a> <http://x/r> _:n .\n";
    let files = vec![file("1.nt", blank.replace("NAME", "one")), file("2.ttl", blank.replace("NAME", "two"))];
    let (graph, _) = graph_of(&ImportSource::Rdf { files, options: RdfOptions::default() });
    assert_eq!(triples(&graph), set(&["a -r-> one", "a -r-> two"]));
    let forced = RdfOptions { syntax: Some(RdfSyntax::Turtle), ..RdfOptions::default() };
    let files = vec![file("x.nt", "@prefix : <http://x/> . :a :r :b .")];
    assert_eq!(triples(&graph_of(&ImportSource::Rdf { files, options: forced }).0), set(&["a -r-> b"]));
}

#[test]
fn relative_iris_are_relative_to_the_files_address() {
    // W3C's Turtle suite, turtle-subm-02 with an IRI for the literal: the reference reads `:a` as the test's own address with `#a`. rdflib
    // 7.1.1 does the same with the file's address when no base is given.
    let (graph, report) = graph_of_bytes(GraphFormat::Turtle, b"@prefix : <#> .\n:a :b :c .\n<d> <#b> <e/f> .\n<> :b </g> .\n");
    assert_eq!(rejected(&report), <[&str; 0]>::default());
    assert_eq!(triples(&graph), set(&["a -b-> c", "d -b-> f", "file -b-> g"]));
    // One relative IRI in two folders is two resources, here merged by name; with a stated base it is one.
    let files = |base: &str| ["1/x.ttl", "2/x.ttl"].map(|name| file(name, format!("{base}<a> <r> <b> .\n"))).to_vec();
    let merged = |base: &str| graph_of(&ImportSource::Rdf { files: files(base), options: RdfOptions::default() }).1.merged;
    assert_eq!((merged(""), merged("@base <http://x.org/> .\n")), (2, 0));
    // N-Triples have no relative IRIs (W3C's N-Triples suite, nt-syntax-bad-uri-06 to 09).
    let (_, report) = graph_of_bytes(GraphFormat::NTriples, b"<s> <http://x/p> <http://x/o> .\n<http://x/a> <http://x/p> <http://x/b> .\n");
    assert_eq!(report.rejected.iter().map(|r| r.line).collect::<Vec<_>>(), [1]);
}

#[test]
fn names_from_iris_are_decoded() {
    // Python: urllib.parse.unquote("Crohn%27s_disease") is "Crohn's_disease", unquote("%E6%84%9F%E5%86%92") is "感冒".
    let text = "@prefix d: <http://dbpedia.org/resource/> .\nd:Crohn%27s_disease d:has%20symptom d:Fever, d:%E6%84%9F%E5%86%92, d:%FF, d:a%2Fb, d:%1B%5B1m .\n";
    let (graph, report) = graph_of_bytes(GraphFormat::Turtle, text.as_bytes());
    assert_eq!(report.rejected_count(), 0, "{:?}", rejected(&report));
    let expected = ["Fever", "感冒", "%FF", "a/b", "[1m"].map(|tail| format!("Crohn's_disease -has symptom-> {tail}"));
    assert_eq!(triples(&graph), expected.into_iter().collect());
}
