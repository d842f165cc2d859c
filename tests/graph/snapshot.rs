//! Snapshots: what is written comes back; what was changed on the way is refused with a reason.

use std::collections::BTreeSet;
use std::fs;

use catena::graph::{BuildReport, Graph, GraphBuilder, Kind, Qualifiers, RoleRules, SnapshotError, Synonymy, starter_graph};
use proptest::prelude::*;

/// Everything that a graph says, in words.
fn content(graph: &Graph) -> BTreeSet<String> {
    let mut said = BTreeSet::new();
    for entity in graph.entity_ids() {
        let name = graph.entity_name(entity);
        said.insert(format!("{name} is {} {}", graph.kind(entity).as_str(), graph.is_condition(entity)));
        said.insert(format!("{name}: {} [{}] {}", graph.description(entity), graph.identifier(entity), graph.attributes(entity)));
        said.insert(format!("{name} weighs {} {}", graph.rarity(entity), graph.feature_weight(entity)));
        for alias in graph.aliases(entity) {
            assert!(graph.names().lookup_exact(alias).contains(&entity), "{alias}");
            said.insert(format!("{name} also {alias}"));
        }
        assert_eq!(graph.incoming(entity).iter().filter(|e| !graph.outgoing(e.to).iter().any(|o| o.to == entity)).count(), 0);
    }
    for triple in graph.triples() {
        let relation = graph.relation(triple.relation);
        let (head, tail) = (graph.entity_name(triple.head), graph.entity_name(triple.tail));
        let inherits = if relation.inherits { " inherited" } else { "" };
        let qualifiers = graph.qualifiers(triple.head, triple.relation, triple.tail);
        said.insert(format!("{head} —{}→ {tail} ({:?} {:?}){inherits} {qualifiers}", relation.name, relation.role, relation.player));
    }
    said
}

fn small() -> Graph {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("small");
    let reflux = builder.identified("D:1");
    builder.set_name(reflux, "Reflux");
    builder.set_kind(reflux, Kind::Disease);
    builder.set_description(reflux, "Acid comes up.");
    builder.add_alias(reflux, "GORD", Synonymy::Exact);
    let heartburn = builder.entity("胃灼热 heartburn");
    let symptom = builder.relation(rules.guess("has_symptom")).expect("room");
    builder.triple(reflux, symptom, heartburn);
    builder.qualify(reflux, symptom, heartburn, Qualifiers::default().with("frequency", "very common").with("when", "躺下"));
    builder.attribute(reflux, &Qualifiers::default().with("urgency", "routine"));
    builder.finish()
}

#[test]
fn qualifiers_and_attributes_belong_to_what_they_were_stated_of() {
    let graph = Graph::from_bytes(small().bytes(), "t").expect("opens");
    let find = |name| graph.find(name).expect("in the graph");
    let (reflux, heartburn) = (find("Reflux"), find("胃灼热 heartburn"));
    let relation = graph.outgoing(reflux)[0].relation;
    let stated = graph.qualifiers(reflux, relation, heartburn);
    assert_eq!((stated.len(), stated.get("frequency"), stated.get("when")), (2, Some("very common"), Some("躺下")));
    assert!(graph.qualifiers(heartburn, relation, reflux).is_empty() && graph.attributes(heartburn).is_empty());
    assert_eq!(graph.attributes(reflux).get("urgency"), Some("routine"));
    assert_eq!((graph.qualified_count(), graph.qualified().count()), (1, 1));
}

#[test]
fn merged_entities_keep_their_qualifiers_and_a_triple_stated_twice_has_those_of_both() {
    let rules = RoleRules::built_in().expect("rules");
    let mut builder = GraphBuilder::new("t");
    let [warfarin, again, nsaid] = ["Warfarin", "WARFARIN", "NSAID"].map(|name| builder.entity(name));
    let relation = builder.relation(rules.guess("interacts_with")).expect("room");
    let with = |key, value| Qualifiers::default().with(key, value);
    for (head, qualifiers) in [(warfarin, with("severity", "major")), (again, with("effect", "bleeding").with("when", "in old age"))] {
        builder.triple(head, relation, nsaid);
        builder.qualify(head, relation, nsaid, qualifiers);
    }
    builder.qualify(nsaid, relation, warfarin, with("severity", "of a triple that is not stated"));
    builder.attribute(again, &with("urgency", "urgent"));
    let graph = builder.finish();
    let (warfarin, nsaid) = (graph.find("warfarin").expect("there"), graph.find("NSAID").expect("there"));
    let edge = graph.outgoing(warfarin)[0];
    assert_eq!(graph.qualifiers(warfarin, edge.relation, nsaid).to_string(), "severity: major · effect: bleeding");
    assert_eq!(graph.qualified_count(), 1);
    assert_eq!(graph.attributes(warfarin).get("urgency"), Some("urgent"));
}

/// A snapshot of version 2, which has no sections for qualifiers and relations that do not say whether they inherit.
#[test]
#[cfg(target_endian = "little")]
fn a_graph_of_version_0_1_opens_without_qualifiers() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v0.1");
    let old = fs::read(fixtures.join("state/graphs/small.kg")).expect("the fixture");
    assert_eq!(old[8..12], 2u32.to_le_bytes());
    let graph = Graph::from_bytes(&old, "small.kg").expect("opens");
    let rules = RoleRules::built_in().expect("rules");
    let table = fs::File::open(fixtures.join("small.tsv")).expect("the fixture");
    let (now, _) = catena::graph::import::read_tsv(table, "small.tsv", "small", &rules).expect("a graph");
    assert_eq!(content(&graph), content(&now));
    assert_eq!((graph.qualified_count(), graph.qualified().count()), (0, 0));
    for relation in graph.relations() {
        assert_eq!(relation.inherits, relation.role.inherits(), "{}", relation.name);
    }
    let mut damaged = old.clone();
    damaged[8..12].copy_from_slice(&3u32.to_le_bytes());
    assert!(matches!(Graph::from_bytes(&damaged, "t"), Err(SnapshotError::Damaged { .. })));
}

#[test]
fn a_saved_graph_opens_with_the_same_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("starter.kg");
    let starter = starter_graph().expect("the starter graph");
    starter.save(&path).expect("saves");
    let opened = Graph::open(&path, "starter").expect("opens");
    assert_eq!(content(&opened), content(&starter));
    assert_eq!((opened.name(), opened.entity_count(), opened.triple_count()), ("starter", starter.entity_count(), starter.triple_count()));
    assert_eq!(opened.names_fingerprint(), starter.names_fingerprint());
    assert_eq!(opened.ambiguous_aliases(), starter.ambiguous_aliases());
    opened.verify().expect("is whole");
    #[cfg(unix)]
    for file in [&path, &folder.path().join("starter.kg.verified")] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(file).expect("there").permissions().mode() & 0o777, 0o600);
    }
    // A graph that is open stays what it is when another is put in its place.
    small().save(&path).expect("saves");
    assert_eq!(content(&opened), content(&starter));
    assert_eq!(Graph::open(&path, "s").expect("opens").entity_count(), 2);
}

#[test]
fn every_changed_byte_and_every_cut_is_noticed() {
    let whole = small().bytes().to_vec();
    assert!(Graph::from_bytes(&whole, "t").is_ok());
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        // Bytes between sections carry nothing and are the only ones that may change.
        match Graph::from_bytes(&changed, "t") {
            Ok(graph) => assert_eq!((whole[at], content(&graph)), (0, content(&small())), "byte {at}"),
            Err(error) => assert!(error.to_string().contains('t') && !error.to_string().is_empty()),
        }
    }
    for length in 0..whole.len() {
        let error = Graph::from_bytes(&whole[..length], "t").expect_err("cut off");
        let told = matches!(error, SnapshotError::Truncated { .. } | SnapshotError::NotASnapshot { .. });
        assert!(told, "{length} bytes: {error}");
    }
    let mut longer = whole;
    longer.push(0);
    assert!(matches!(Graph::from_bytes(&longer, "t"), Err(SnapshotError::Damaged { .. })));
}

#[test]
fn foreign_newer_and_older_files_are_named_as_such() {
    let whole = small().bytes().to_vec();
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = whole.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        Graph::from_bytes(&changed, "t").expect_err("refused")
    };
    let mut mark: Vec<u8> = whole[12..16].to_vec();
    mark.reverse();
    assert!(matches!(with(12, &mark), SnapshotError::ForeignByteOrder { .. }));
    assert!(matches!(with(8, &99u32.to_ne_bytes()), SnapshotError::Newer { found: 99, .. }));
    assert!(matches!(with(8, &0u32.to_ne_bytes()), SnapshotError::Older { found: 0, .. }));
    assert!(matches!(with(0, b"PK"), SnapshotError::NotASnapshot { .. }));
    assert!(matches!(Graph::from_bytes(b"", "t"), Err(SnapshotError::NotASnapshot { .. })));
    let newer = with(8, &99u32.to_ne_bytes()).to_string();
    assert!(newer.contains("update Catena"), "{newer}");
}

#[test]
fn a_file_that_was_changed_after_its_check_is_checked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.kg");
    small().save(&path).expect("saves");
    Graph::open(&path, "g").expect("opens");
    let mut bytes = fs::read(&path).expect("the file");
    let last = bytes.iter().rposition(|b| *b != 0).expect("some byte");
    bytes[last] ^= 1;
    fs::write(&path, &bytes).expect("written");
    assert!(matches!(Graph::open(&path, "g"), Err(SnapshotError::Damaged { .. })));
    // A copy without the note beside it is checked in full, and then remembered.
    let copy = folder.path().join("copy.kg");
    fs::write(&copy, small().bytes()).expect("written");
    assert!(Graph::open(&copy, "copy").is_ok());
    assert!(folder.path().join("copy.kg.verified").is_file());
}

#[test]
fn other_roles_give_other_kinds_but_leave_what_was_stated() {
    let mut builder = GraphBuilder::new("t");
    let (a, b, c) = (builder.entity("a"), builder.entity("b"), builder.entity_of_kind("c", &Kind::Disease));
    let zaps = builder.relation(RoleRules::built_in().expect("rules").guess("zaps")).expect("room");
    builder.triple(a, zaps, b);
    builder.triple(a, zaps, c);
    let graph = builder.finish();
    let kind = |graph: &Graph, name: &str| graph.kind(graph.find(name).expect("there")).as_str().to_owned();
    assert_eq!([kind(&graph, "a"), kind(&graph, "b"), kind(&graph, "c")], ["", "", "disease"]);
    assert_eq!(graph.condition_count(), 1);
    let own = RoleRules::parse("[[rule]]\nexact = [\"zaps\"]\nrole = \"adverse_effect\"\nplayer = \"tail\"\n").expect("valid");
    let graph = graph.with_roles(&RoleRules::built_in().expect("rules").preceded_by(own));
    assert_eq!([kind(&graph, "a"), kind(&graph, "b"), kind(&graph, "c")], ["drug", "symptom", "disease"]);
}

#[test]
fn names_unify_and_homonyms_stay_apart() {
    let mut builder = GraphBuilder::new("t");
    let rules = RoleRules::built_in().expect("rules");
    let r = builder.relation(rules.guess("related_to")).expect("room");
    let one = builder.entity("Crohn's disease");
    let two = builder.entity("crohns DISEASE");
    let cold_disease = builder.entity_of_kind("Cold", &Kind::Disease);
    let cold_symptom = builder.entity_of_kind("cold", &Kind::Symptom);
    let (first, second) = (builder.identified("DOID:1"), builder.identified("DOID:2"));
    for (entity, name) in [(first, "Alpha"), (second, "Beta")] {
        builder.set_name(entity, name);
        builder.set_kind(entity, Kind::Disease);
    }
    builder.add_alias(first, "beta", Synonymy::Exact);
    let listed = builder.entity_of_kind("Gamma", &Kind::Disease);
    builder.add_alias(first, "gamma", Synonymy::Exact);
    let loose = builder.entity_of_kind("Delta", &Kind::Disease);
    builder.add_alias(first, "delta", Synonymy::Loose);
    let unnamed = builder.identified("DOID:9");
    for (head, tail) in
        [(one, cold_disease), (two, cold_symptom), (one, cold_symptom), (one, two), (first, second), (listed, loose), (unnamed, one)]
    {
        builder.triple(head, r, tail);
    }
    let mut report = BuildReport::default();
    let graph = builder.finish_with(&mut report);
    let names: Vec<String> = graph.entity_ids().map(|e| format!("{} ({})", graph.entity_name(e), graph.kind(e).as_str())).collect();
    let want =
        ["Alpha (disease)", "Beta (disease)", "Cold (disease)", "Crohn's disease ()", "DOID:9 ()", "Delta (disease)", "cold (symptom)"];
    assert_eq!(names, want);
    assert_eq!(report.merged, 2);
    let merges: Vec<_> = graph.merges().map(|m| (m.merged, m.kept, m.why)).collect();
    assert_eq!(merges, [("Gamma", "Alpha", "exact synonym"), ("crohns DISEASE", "Crohn's disease", "same name")]);
    // "two → cold" and "one → cold" became one triple; "one → two" says nothing any more.
    assert_eq!((report.accepted, report.duplicates), (5, 1));
    let left_out: Vec<_> = report.left_out.iter().map(|(what, count)| (what.as_str(), *count)).collect();
    // "gamma" of Alpha and the merged "Gamma" fold alike, as do the two spellings of Crohn's disease.
    assert_eq!(left_out, [("alias that repeats another name of its entity", 2), ("triple between two names of one entity", 1)]);
    assert_eq!(graph.find("gamma"), graph.find("Alpha"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is collected comes back from the bytes, and no line's order matters.
    #[test]
    fn any_graph_survives_being_written_and_read(triples in prop::collection::vec(("[a-dA-D' ]{1,3}|[胃痛]{1,2}", "[rs]", "[a-d ()]{1,6}"), 1..30)) {
        let build = |triples: &[(String, String, String)]| {
            let rules = RoleRules::built_in().expect("rules");
            let mut builder = GraphBuilder::new("t");
            for (head, relation, tail) in triples {
                let relation = builder.relation(rules.guess(relation)).expect("room");
                let (head, tail) = (builder.entity(head), builder.entity(tail));
                builder.triple(head, relation, tail);
            }
            builder.finish()
        };
        let graph = build(&triples);
        let read = Graph::from_bytes(graph.bytes(), "t").expect("what was written is sound");
        prop_assert_eq!(content(&read), content(&graph));
        let mut reversed = triples;
        reversed.reverse();
        let other = build(&reversed);
        prop_assert_eq!(content(&other), content(&graph));
        prop_assert_eq!(other.bytes().len(), graph.bytes().len());
    }

    /// Files that begin like a snapshot and go on as they like are refused, never trusted.
    #[test]
    fn garbage_behind_a_header_is_refused(garbage in prop::collection::vec(any::<u8>(), 0..400), keep in 0usize..600) {
        let mut bytes = small().bytes().to_vec();
        let keep = keep.min(bytes.len());
        bytes.truncate(keep);
        bytes.extend(garbage);
        if bytes != small().bytes() {
            prop_assert!(Graph::from_bytes(&bytes, "t").is_err());
        }
    }
}
