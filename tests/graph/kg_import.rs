//! `catena kg import` for every format, as it is typed; what `kg check` and `kg show` then say.

use crate::support::{Catena, files_under};

fn import(catena: &Catena, args: &[&str]) -> crate::support::Ran {
    let ran = catena.run(["kg", "import"].iter().chain(args));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

fn says(text: &str, all: &[&str]) {
    for said in all {
        assert!(text.contains(said), "{said:?} in {text}");
    }
}

#[test]
fn a_table_with_columns_of_its_own() {
    let catena = Catena::new();
    catena.write("t.csv", "score;what;object;subject\n1;treats;Reflux;\"Omeprazole; 20 mg\"\n2;treats;Ulcer;Sucralfate\n3;;Ulcer;X\n");
    let ran = import(
        &catena,
        &["csv", "t.csv", "--name", "t", "--delimiter", ";", "--header", "yes", "--head", "subject", "--relation", "2", "--tail", "object"],
    );
    says(&ran.stdout, &["t: 4 entities, 2 triples"]);
    says(&ran.stderr, &["line 4 rejected: an empty column"]);
    says(&catena.run(["kg", "show", "omeprazole 20 mg", "--kg", "t"]).stdout, &["→ treats → Reflux", "origin: t.csv (csv), imported 20"]);
    let unknown = catena.run(["kg", "import", "csv", "t.csv", "--name", "u", "--delimiter", ";", "--head", "subjekt"]);
    assert_ne!(unknown.code, 0);
    says(&unknown.stderr, &["t.csv", "subjekt"]);
}

#[test]
fn hetionet_from_its_folder() {
    let catena = Catena::new();
    std::fs::create_dir(catena.path("het")).expect("a folder");
    catena.write("het/nodes.tsv", "id\tname\tkind\nCompound::DB1\tMetformin\tCompound\nDisease::DOID:9352\ttype 2 diabetes\tDisease\n");
    catena
        .write("het/edges.sif", "source\tmetaedge\ttarget\nCompound::DB1\tCtD\tDisease::DOID:9352\nCompound::DB1\tCtD\tDisease::nowhere\n");
    let ran = import(&catena, &["hetionet", "het", "--name", "het"]);
    says(&ran.stdout, &["2 entities, 1 triples"]);
    says(&ran.stderr, &["rejected"]);
    says(
        &catena.run(["kg", "show", "metformin", "--kg", "het"]).stdout,
        &["Metformin (drug)", "identifier: Compound::DB1", "triples: 1 out, 0 in"],
    );
    let alone = catena.run(["kg", "import", "hetionet", "het/nodes.tsv", "--name", "x"]);
    assert_eq!(alone.code, 2);
    says(&alone.stderr, &["edges", "is missing"]);
}

#[test]
fn an_ontology_is_checked_for_what_deserves_a_second_look() {
    let catena = Catena::new();
    catena.write(
        "d.obo",
        "format-version: 1.2\n\n[Term]\nid: DOID:1\nname: gastritis\nsynonym: \"stomach inflammation\" EXACT []\nis_a: DOID:2 ! stomach disease\n\n\
         [Term]\nid: DOID:2\nname: stomach disease\nsynonym: \"stomach inflammation\" RELATED []\n\n[Term]\nid: DOID:3\nname: old\nis_obsolete: true\n\n\
         [Term]\nid: MONDO:4\nname: Gastritis\nsynonym: \"it\" EXACT []\n",
    );
    let ran = import(&catena, &["obo", "d.obo", "--name", "d"]);
    says(&ran.stderr, &["left out 1: obsolete term", "names merged with other entities: 1;"]);
    let check = catena.run(["kg", "check", "d", "--merges"]);
    assert_eq!(check.code, 0, "{}", check.stderr);
    says(
        &check.stdout,
        &[
            "d: 2 entities, 1 triples",
            "file         intact",
            "left out     1: obsolete term",
            "merged       1 (names merged",
            "Gastritis [MONDO:4] → gastritis (same name)",
            "look at      1 names that belong to several entities",
            "stomach inflammation: ",
            "everyday words",
            "it (alias of gastritis)",
        ],
    );
    says(
        &catena.run(["kg", "show", "stomach inflammation", "--kg", "d"]).stdout,
        &["gastritis (disease)", "stomach disease (disease)", "DOID:1 | MONDO:4"],
    );
}

#[test]
fn names_of_kinds_rdf_neo4j_primekg_and_diseases_as_json() {
    let catena = Catena::new();
    catena.write("symptom.txt", "Cough\nFever\n");
    catena.write("words.txt", "Fever\nMalaria\n");
    import(&catena, &["dictionary", "symptom.txt", "words.txt=disease", "--name", "names"]);
    let stats = catena.run(["kg", "stats", "names"]).stdout;
    says(&stats, &["entities    4", "orphans     4", "2  disease", "2  symptom"]);

    catena.write("g.ttl", "@prefix x: <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . x:a rdfs:label \"Asthma\"@en ; x:causes x:b . x:b rdfs:label \"Wheeze\" .");
    says(&import(&catena, &["rdf", "g.ttl", "--name", "rdf"]).stdout, &["2 entities, 1 triples"]);

    catena.write("n.csv", "id:ID,name,:LABEL\n1,Asthma,Disease\n2,Wheeze,Symptom\n");
    catena.write("r.csv", ":START_ID,:END_ID,:TYPE\n1,2,HAS_SYMPTOM\n");
    says(&import(&catena, &["neo4j", "n.csv", "r.csv", "--name", "neo"]).stdout, &["2 entities, 1 triples"]);

    catena.write(
        "kg.csv",
        "relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source\n\
         indication,indication,1,DB1,drug,Metformin,DrugBank,2,5015,disease,diabetes,MONDO\n",
    );
    says(&import(&catena, &["primekg", "kg.csv", "--name", "prime"]).stdout, &["2 entities, 1 triples"]);

    catena.write("m.json", "{\"_id\":{\"$oid\":\"5\"},\"name\":\"肺炎\",\"desc\":\"肺部感染。\",\"symptom\":[\"咳嗽\",\"发热\"],\"check\":[\"胸片\"]}\n{\"name\":3}\n");
    let ran = import(&catena, &["disease-json", "m.json", "--name", "zh"]);
    says(&ran.stdout, &["4 entities, 3 triples"]);
    says(&ran.stderr, &["line 2 rejected"]);
    let trace = catena.trace("咳嗽和发热是什么病？", &["--kg", "zh"], 0);
    assert!(crate::support::strings(&trace["answer"]["entities"]).contains(&"肺炎"), "{}", trace["answer"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_import_leaves_nothing() {
    use std::io::Write;
    let catena = Catena::new();
    let pipe = catena.path("pipe.tsv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let mut child = catena.command(crate::support::BINARY, ["kg", "import", "tsv", "pipe.tsv", "--name", "half"]).spawn().expect("starts");
    let mut pipe = std::fs::OpenOptions::new().write(true).open(&pipe).expect("a reader is there");
    let lines = "Omeprazole\ttreats\tReflux\n".repeat(40_000);
    pipe.write_all(lines.as_bytes()).expect("is read");
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().expect("kill runs").success());
    // It may end before all of this is read.
    while pipe.write_all(lines.as_bytes()).is_ok() {}
    assert_eq!(child.wait().expect("ends").code(), Some(1));
    assert!(files_under(&catena.state()).is_empty());
}
