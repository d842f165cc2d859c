//! Hetionet, PrimeKG, Neo4j, dictionaries.

use catena::graph::import::{GraphFormat, ImportError, ImportSource, Neo4jOptions};
use catena::graph::{Kind, Player, Role};

use super::graphs::{entities, file, graph_of, graph_of_bytes, gzipped, left_out, rejected, set, triples, try_import};

const NODES: &str = "id\tname\tkind\nCompound::DB1\tAspirin\tCompound\nDisease::D1\tmigraine\tDisease\nGene::1\tAB1\tGene\n\
                     Gene::1\tAB1\tGene\nGene::2\t\tGene\nSymptom::S1\tHeadache\tSymptom\n";
const EDGES: &str = "source\tmetaedge\ttarget\nCompound::DB1\tCtD\tDisease::D1\nDisease::D1\tDpS\tSymptom::S1\n\
                     Gene::1\tGr>G\tGene::1\nGene::9\tGiG\tGene::1\nGene::1\tGiG\tGene::9\nGene::1\tGiG\n";
const METAEDGES: &str = "metaedge\tabbreviation\tedges\tsource_nodes\nCompound - treats - Disease\tCtD\t755\t387\n\
                         Disease - presents - Symptom\tDpS\t3357\t133\nGene > regulates > Gene\tGr>G\t265672\t4634\nnonsense\tX\n";

fn hetionet(metaedges: bool) -> ImportSource {
    ImportSource::Hetionet {
        nodes: file("nodes.tsv.gz", gzipped(NODES.as_bytes())),
        edges: vec![file("edges.sif", EDGES)],
        metaedges: metaedges.then(|| file("metaedges.tsv", METAEDGES)),
    }
}

#[test]
fn hetionet_has_nodes_edges_and_readable_relations() {
    let (graph, report) = graph_of(&hetionet(true));
    assert_eq!(entities(&graph), ["AB1|gene||", "Aspirin|drug||", "Headache|symptom||", "migraine|disease||"]);
    let expected =
        ["Aspirin -Compound treats Disease-> migraine", "migraine -Disease presents Symptom-> Headache", "AB1 -Gene regulates Gene-> AB1"];
    assert_eq!(triples(&graph), set(&expected));
    let treats = graph.relations().iter().find(|r| r.display == "treats").expect("treats");
    assert_eq!((treats.role, treats.player), (Role::Treatment, Player::Head));
    assert_eq!(
        rejected(&report),
        [
            "5: metaedges.tsv: a metaedge that is not written as \"Kind - verb - Kind\"",
            "5: nodes.tsv.gz: a node whose identifier an earlier line already has",
            "6: nodes.tsv.gz: an empty column",
            "5: edges.sif: the source is not among the nodes",
            "6: edges.sif: the target is not among the nodes",
            "7: edges.sif: fewer than 3 tab-separated columns",
        ]
    );
    assert_eq!(report.lines, 4 + 6 + 6);
}

#[test]
fn hetionets_abbreviations_stay_without_their_table_and_have_their_roles() {
    let (graph, _) = graph_of(&hetionet(false));
    assert!(triples(&graph).contains("Aspirin -CtD-> migraine"));
    let treats = graph.relations().iter().find(|r| r.name == "CtD").expect("CtD");
    assert_eq!(treats.role, Role::Treatment);
}

#[test]
fn primekg_states_each_edge_once_and_the_way_round_it_is_meant() {
    let text = "relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source\n\
        indication,indication,1,DB1,drug,Aspirin,DrugBank,2,5,disease,migraine,MONDO\n\
        indication,indication,2,5,disease,migraine,MONDO,1,DB1,drug,Aspirin,DrugBank\n\
        disease_phenotype_positive,phenotype present,3,7,effect/phenotype,\"Headache, mild\",HPO,2,5,disease,migraine,MONDO\n\
        drug_drug,synergistic interaction,9,DB2,drug,Zinc,DrugBank,1,DB1,drug,Aspirin,DrugBank\n\
        protein_protein,ppi,1,1,gene/protein,G,NCBI,1,1,gene/protein,G\n\
        protein_protein,ppi,1,5,gene/protein,G5,NCBI,1,6,biological_process,growth,GO\n";
    let (graph, report) = graph_of_bytes(GraphFormat::PrimeKg, text.as_bytes());
    let expected = [
        "Aspirin -indication-> migraine",
        "migraine -disease_phenotype_positive-> Headache, mild",
        "Aspirin -drug_drug-> Zinc",
        "growth -protein_protein-> G5",
    ];
    assert_eq!(triples(&graph), set(&expected));
    assert_eq!(report.duplicates, 1);
    assert_eq!(rejected(&report), ["6: an empty column"]);
    assert_eq!(graph.kind(graph.find("Headache, mild").expect("there")), &Kind::Symptom);
    assert_eq!(graph.kind(graph.find("growth").expect("there")).as_str(), "biological process");
    let shown = graph.relations().iter().find(|r| r.name == "disease_phenotype_positive").expect("there");
    assert_eq!((shown.display.as_str(), shown.role), ("phenotype present", Role::Symptom));

    let lacking = ImportSource::PrimeKg { files: vec![file("kg.csv", "relation,display_relation,x_id\n")] };
    let Err(ImportError::Column { field, line: 1, .. }) = try_import(&lacking) else { panic!("a column is missing") };
    assert_eq!(field, "x_type");
}

#[test]
fn neo4js_files_for_its_importer_are_told_apart_by_their_headings() {
    let relationships = ":START_ID(D),:END_ID(S),:TYPE,weight:float\n1,1,HAS_SYMPTOM,0.5\n1,2,HAS_SYMPTOM,\n9,1,HAS_SYMPTOM,\n1,1,,\n";
    let diseases = "id:ID(D),name,:LABEL,aliases:string[],description,year:int\n1,Influenza,Disease;Thing,flu;grippe;flu,\"A viral, acute illness\",1933\n";
    let symptoms = ":ID(S),name,:LABEL\n1,Fever,Symptom\n2,,Symptom\n1,Again,Symptom\n";
    let files = vec![file("r.csv", relationships), file("d.csv", diseases), file("s.csv", symptoms)];
    let (graph, report) = graph_of(&ImportSource::Neo4j { files, options: Neo4jOptions::default() });
    assert_eq!(entities(&graph), ["2|symptom||", "Fever|symptom||", "Influenza|disease|flu, grippe|A viral, acute illness"]);
    assert_eq!(triples(&graph), set(&["Influenza -HAS_SYMPTOM-> Fever", "Influenza -HAS_SYMPTOM-> 2"]));
    assert_eq!(
        rejected(&report),
        [
            "4: s.csv: a node whose identifier an earlier line already has",
            "4: r.csv: the start is not among the nodes",
            "5: r.csv: an empty column"
        ]
    );
    assert_eq!(left_out(&report, "additional label of a node"), 1);
    assert_eq!(left_out(&report, "property year"), 1);
    assert_eq!(left_out(&report, "alias that repeats a name of its node"), 1);
}

#[test]
fn what_apoc_exports_is_one_file() {
    let text = "\"_id\",\"_labels\",\"name\",\"synonyms\",\"_start\",\"_end\",\"_type\"\n\
                \"\",\"\",\"\",\"\",\"0\",\"1\",\"TREATS\"\n\
                \"0\",\":Drug:Chemical\",\"Aspirin\",\"[\"\"ASA\"\",\"\"acetylsalicylic acid\"\"]\",\"\",\"\",\"\"\n\
                \"1\",\":Disease\",\"migraine\",\"\",\"\",\"\",\"\"\n\
                \"\",\"\",\"\",\"\",\"0\",\"7\",\"TREATS\"\n";
    let (graph, report) = graph_of_bytes(GraphFormat::Neo4j, text.as_bytes());
    assert_eq!(entities(&graph), ["Aspirin|drug|ASA, acetylsalicylic acid|", "migraine|disease||"]);
    assert_eq!(triples(&graph), set(&["Aspirin -TREATS-> migraine"]));
    assert_eq!(rejected(&report), ["5: the end is not among the nodes"]);
}

#[test]
fn neo4js_columns_can_be_chosen_and_lacking_ones_are_named() {
    let options = Neo4jOptions { delimiter: b';', array_delimiter: '|', name: Some("titel".into()), aliases: vec!["auch".into()] };
    let files = vec![file("d.csv", ":ID;titel;name;auch\n1;Grippe;x;Influenza|Flu\n")];
    let (graph, _) = graph_of(&ImportSource::Neo4j { files, options });
    assert_eq!(entities(&graph), ["Grippe||Flu, Influenza|"]);
    for (headings, missing) in [("a,b\n", ":ID or :START_ID"), (":START_ID,:TYPE\n", ":END_ID"), (":START_ID,:END_ID\n", ":TYPE")] {
        let source = ImportSource::Neo4j { files: vec![file("x.csv", headings)], options: Neo4jOptions::default() };
        let Err(ImportError::Column { field, .. }) = try_import(&source) else { panic!("{headings} lacks a column") };
        assert_eq!(field, missing);
    }
}

#[test]
fn dictionaries_of_several_kinds_make_a_graph_of_names_only() {
    let files = vec![
        (file("disease.txt", "感冒\n\n  流感 \r\n感冒\n"), Some(Kind::Disease)),
        (file("drug.txt", gzipped("阿司匹林\n感冒\n\u{1b}\u{200b}\n".as_bytes())), Some(Kind::Drug)),
        (file("any.txt", "名\n"), None),
    ];
    let (graph, report) = graph_of(&ImportSource::Dictionary { files });
    assert_eq!(entities(&graph), ["名|||", "感冒|disease||", "感冒|drug||", "流感|disease||", "阿司匹林|drug||"]);
    assert!(triples(&graph).is_empty());
    assert_eq!(report.lines, 7);
    assert_eq!(left_out(&report, "name that is already listed"), 1);
    assert_eq!(rejected(&report), ["3: drug.txt: an empty column"]);
}
