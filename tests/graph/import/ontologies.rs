//! OBO.

use catena::graph::Kind;
use catena::graph::import::{GraphFormat, ImportSource};

use super::graphs::{entities, file, graph_of, graph_of_bytes, left_out, rejected, set, triples};

const SMALL: &str = r#"format-version: 1.4
! a comment

[Term]
id: DOID:2
name: flu
def: "An \"acute\" illness,\ncaused by viruses." [url:x with blanks]
synonym: "influenza" EXACT []
synonym: "grippe" RELATED [X:1]
synonym: "grippe" EXACT []
synonym: "flu" EXACT []
synonym: "not closed EXACT []
xref: MESH:1
alt_id: DOID:22
is_a: DOID:1 ! disease
is_a: DOID:1 {source="x"}
is_a: DOID:9 ! gone
is_a: DOID:404
relationship: RO:1 DOID:3 ! fever
no clause at all

[Term]
name: nobody

[Term]
id: DOID:5

[Term]
id: DOID:2
name: flu again
synonym: "x" EXACT []

[Term]
id: DOID:9
name: gone
synonym: "away" EXACT []
is_a: DOID:1
is_obsolete: true

[Term]
id: DOID:3
name: fever \{high\} {comment="x"} ! note
is_a: DOID:22

[Instance]
id: i

[Typedef]
id: RO:1
name: has symptom

[Term]
id: DOID:1
name: disease
"#;

#[test]
fn terms_synonyms_and_references_are_taken_and_the_rest_is_accounted_for() {
    let (graph, report) = graph_of_bytes(GraphFormat::Obo, SMALL.as_bytes());
    assert_eq!(
        entities(&graph),
        ["disease|disease||", "fever {high}|disease||", "flu|disease|grippe, influenza|An \"acute\" illness, caused by viruses.",]
    );
    assert_eq!(triples(&graph), set(&["flu -is_a-> disease", "flu -has symptom-> fever {high}", "fever {high} -is_a-> flu"]));
    assert_eq!(report.duplicates, 1);
    assert_eq!(
        rejected(&report),
        [
            "12: a synonym that is not in quotes, or whose quote is not closed",
            "20: not a clause: expected a tag, a colon and a value",
            "22: a term without an identifier",
            "25: a term without a name",
            "28: a term whose identifier an earlier term already has",
            "17: an is_a that refers to an obsolete term",
            "18: an is_a that refers to a term that is not defined",
        ]
    );
    for (what, count) in [
        ("synonym that repeats a name of its term", 2),
        ("obsolete term", 1),
        ("synonym of an obsolete term", 1),
        ("is_a of an obsolete term", 1),
        ("synonym of a rejected term", 1),
        ("clause xref", 1),
        ("frame that is neither a term nor a relation", 1),
    ] {
        assert_eq!(left_out(&report, what), count, "{what}");
    }
}

#[test]
fn kinds_come_from_identifiers_unless_told() {
    let text = "[Term]\nid: HP:1\nname: Cough\n\n[Term]\nid: GO:1\nname: growth\nnamespace: biological_process\n";
    let (graph, _) = graph_of_bytes(GraphFormat::Obo, text.as_bytes());
    assert_eq!(entities(&graph), ["Cough|symptom||", "growth|biological process||"]);
    let (graph, _) = graph_of(&ImportSource::Obo { files: vec![file("x", text)], kind: Some(Kind::Drug) });
    assert_eq!(entities(&graph), ["Cough|drug||", "growth|drug||"]);
}

#[test]
fn terms_may_refer_to_those_of_other_files() {
    let files = vec![
        file("a.obo", "[Term]\nid: HP:2\nname: dry cough\nis_a: HP:1\nis_a: HP:7\n"),
        file("b.obo", "[Term]\nid: HP:1\nname: cough\n"),
    ];
    let (graph, report) = graph_of(&ImportSource::Obo { files, kind: None });
    assert_eq!(triples(&graph), set(&["dry cough -is_a-> cough"]));
    assert_eq!(rejected(&report), ["5: a.obo: an is_a that refers to a term that is not defined"]);
}
