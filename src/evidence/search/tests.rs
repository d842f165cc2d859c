//! Tests of the search of passages.

use super::*;
use crate::evidence::{Document, Section};
use crate::graph::starter_graph;

fn document(id: &str, title: &str, sections: &[(&str, &str)]) -> Document {
    let sections = sections.iter().map(|(name, text)| Section { name: (*name).into(), heading: String::new(), text: (*text).into() });
    Document { id: id.into(), title: title.into(), sections: sections.collect(), ..Document::default() }
}

fn collection(graph: &Graph) -> Collection {
    let documents = [
        document(
            "reflux",
            "Gastro-oesophageal reflux disease",
            &[
                ("symptoms", "The main sign is a burning feeling behind the breastbone. It is worse after meals."),
                ("treatment", "Antacids relieve it quickly. Proton pump inhibitors such as omeprazole heal the gullet."),
            ],
        ),
        document(
            "sertraline",
            "Zoloft (sertraline)",
            &[
                ("pregnancy", "Use in the third trimester may cause breathing trouble in the newborn."),
                ("dosage_and_administration", "Adults begin with 50 mg once daily. Treatment in the morning or evening."),
                ("adverse_reactions", "Nausea, dry mouth and sleep trouble are common during treatment."),
            ],
        ),
        document(
            "asthma",
            "Asthma",
            &[
                ("symptoms", "Wheeze and cough at night."),
                ("treatment", "Salbutamol opens the airways. • Inhaled steroids prevent attacks."),
            ],
        ),
    ];
    Collection::build("test", &documents, graph, &|_| true).expect("builds")
}

fn first(searcher: &mut Searcher<'_>, question: &str, method: SearchMethod) -> Option<(String, String)> {
    let found = searcher.search(question, method, &SearchOptions::default()).expect("searches");
    found.first().map(|passage| (passage.document.clone(), passage.section.clone()))
}

#[test]
fn a_section_is_found_by_what_is_asked_and_by_synonyms() {
    let graph = starter_graph().expect("a graph");
    let collection = collection(&graph);
    let mut searcher = Searcher::new(&collection, &graph).expect("a searcher");
    for (question, document, section) in [
        ("How do you treat GERD?", "reflux", "treatment"),
        ("Can I take zoloft while expecting a baby?", "sertraline", "pregnancy"),
        ("How much sertralin should I take?", "sertraline", "dosage_and_administration"),
        ("What are the side effects of Zoloft?", "sertraline", "adverse_reactions"),
        ("symptoms of asthma", "asthma", "symptoms"),
        ("Is something wrong behind my breast bone?", "reflux", "symptoms"),
    ] {
        assert_eq!(first(&mut searcher, question, SearchMethod::default()), Some((document.into(), section.into())), "{question}");
    }
    assert_eq!(first(&mut searcher, "wheeze at night", SearchMethod::Bm25), Some(("asthma".into(), "symptoms".into())));
    assert_eq!(first(&mut searcher, "wheeze at night", SearchMethod::Vector), Some(("asthma".into(), "symptoms".into())));
    assert_eq!(first(&mut searcher, "wheeze at night", SearchMethod::Hybrid), Some(("asthma".into(), "symptoms".into())));
}

#[test]
fn passages_are_verbatim_and_one_of_a_section_and_the_same_each_time() {
    let graph = starter_graph().expect("a graph");
    let collection = collection(&graph);
    let mut searcher = Searcher::new(&collection, &graph).expect("a searcher");
    for method in SearchMethod::ALL {
        let options = SearchOptions::default();
        let found = searcher.search("What is the treatment of asthma?", method, &options).expect("searches");
        assert!(!found.is_empty());
        let mut sections: Vec<(&str, &str)> = Vec::new();
        for passage in &found {
            let document = collection.document(&passage.document).expect("there");
            let text = &document.sections.iter().find(|section| section.name == passage.section).expect("there").text;
            assert_eq!(&text[passage.bytes.clone()], passage.text);
            let characters: String = text.chars().skip(passage.characters.start).take(passage.characters.len()).collect();
            assert_eq!(characters, passage.text, "offsets in characters: the text has a bullet");
            assert!(!sections.contains(&(&passage.document, &passage.section)));
            sections.push((&passage.document, &passage.section));
        }
        assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
        assert_eq!(searcher.search("What is the treatment of asthma?", method, &options).expect("searches"), found);
    }
}

#[test]
fn fewer_passages_are_the_first_of_more() {
    let graph = starter_graph().expect("a graph");
    let section =
        |at: usize| Section { name: "symptoms".into(), text: format!("Wheeze at night in case {at}. A cough, too."), ..Section::default() };
    let documents: Vec<Document> = (0..120)
        .map(|at| Document { id: format!("{at:03}"), title: "Asthma".into(), sections: vec![section(at * 7 % 5)], ..Document::default() })
        .collect();
    let collection = Collection::build("test", &documents, &graph, &|_| true).expect("builds");
    let mut searcher = Searcher::new(&collection, &graph).expect("a searcher");
    let mut of = |limit| {
        let options = SearchOptions { limit, ..SearchOptions::default() };
        searcher.ranking("Does asthma make you wheeze at night in case 3?", SearchMethod::default(), &options).expect("searches")
    };
    let all = of(1000);
    assert_eq!(all.len(), 120);
    for limit in [1, 10, 30, 31, 89, 90, 119] {
        assert_eq!(of(limit), all[..limit], "{limit}");
    }
}

#[test]
fn questions_without_anything_find_nothing_and_hostile_ones_do_no_harm() {
    let graph = starter_graph().expect("a graph");
    let collection = collection(&graph);
    let mut searcher = Searcher::new(&collection, &graph).expect("a searcher");
    let long = "asthma wheeze ".repeat(5000);
    for question in ["", "   ", "…", "the of and", "\u{1b}[31m\u{0}", long.as_str(), "zzzzzzzzzzzzqqqqq"] {
        for method in SearchMethod::ALL {
            let found = searcher.search(question, method, &SearchOptions { limit: 3, ..SearchOptions::default() }).expect("searches");
            assert!(found.len() <= 3);
        }
    }
    assert!(searcher.search("the of and", SearchMethod::Bm25, &SearchOptions::default()).expect("searches").is_empty());
}

#[test]
fn the_walk_comes_near_its_exact_limit() {
    let graph = starter_graph().expect("a graph");
    let collection = collection(&graph);
    let starts: Vec<(u32, f32)> =
        (0..collection.meta().entities as u32).filter(|e| collection.entity_name(*e) == "Asthma").map(|e| (e, 1.0)).collect();
    assert_eq!(starts.len(), 1);
    let weights = Weights { walk_length: 2, walks: 20_000, ..Weights::default() };
    let walked = walk::random_walk(&collection, &starts, &weights, 1);
    let exact = walk::pagerank(&collection, &starts, &weights);
    assert!(!exact.is_empty() && (exact.values().sum::<f32>() - 1.0).abs() < 1e-4);
    for (topic, share) in &exact {
        assert!((walked.get(topic).copied().unwrap_or(0.0) - share).abs() < 0.02, "topic {topic}: {walked:?} {exact:?}");
    }
    assert_eq!(walk::random_walk(&collection, &starts, &weights, 1), walked, "seeded");
    assert_eq!(walk::most_visited(&walked, 1).len(), 1);
}

/// Documents about conditions with made-up names, of which some are named by many of the others.
fn documents_about_each_other(count: usize) -> Vec<Document> {
    const BEGINNINGS: [&str; 20] = [
        "Bal", "Cor", "Dul", "Fen", "Gar", "Hol", "Jun", "Kel", "Lom", "Mur", "Nev", "Pol", "Quil", "Rov", "Sar", "Tol", "Vun", "Wex",
        "Yar", "Zim",
    ];
    const ENDINGS: [&str; 10] =
        ["aborosis", "ebritis", "icasma", "odrexia", "ugrania", "yvemia", "ankolia", "eplora", "izzuria", "ombracy"];
    let name = |at: usize| format!("{}{}", BEGINNINGS[at / ENDINGS.len() % BEGINNINGS.len()], ENDINGS[at % ENDINGS.len()]);
    let mut random = crate::text::SplitMix64::new(35);
    let mut other = || name(random.next_below(count).min(random.next_below(count)));
    let mut documents = Vec::new();
    for at in 0..count {
        let symptoms = format!("It can look like {} or {}. Some patients have {}, too.", other(), other(), other());
        let treatment = format!("Treat it like {}. What helps against {} also helps here and against {}.", other(), other(), other());
        documents.push(document(&format!("{at:03}"), &name(at), &[("symptoms", &symptoms), ("treatment", &treatment)]));
    }
    documents
}

#[test]
fn the_walk_of_the_default_length_finds_the_topics_of_its_exact_limit() {
    let graph = starter_graph().expect("a graph");
    let documents = documents_about_each_other(200);
    let collection = Collection::build("test", &documents, &graph, &|_| true).expect("builds");
    assert!(collection.meta().topics > 300, "many more than are kept: {}", collection.meta().topics);
    let weights = Weights::default();
    for at in [3, 47, 90, 133, 176] {
        let named = |entity: &u32| collection.entity_name(*entity) == documents[at].title;
        let starts: Vec<(u32, f32)> = (0..collection.meta().entities as u32).filter(named).map(|entity| (entity, 1.0)).collect();
        assert_eq!(starts.len(), 1);
        let exact = walk::pagerank(&collection, &starts, &weights);
        let topics = |visits| walk::most_visited(visits, weights.topics).into_iter().map(|(topic, _)| topic).collect::<Vec<u32>>();
        let (walked, limit) = (topics(&walk::random_walk(&collection, &starts, &weights, at as u64)), topics(&exact));
        assert_eq!((walked.len(), limit.len()), (weights.topics, weights.topics));
        let common = |first: usize| walked[..first].iter().filter(|topic| limit[..first].contains(topic)).count();
        let weight = |topics: &[u32]| topics.iter().map(|topic| exact.get(topic).copied().unwrap_or(0.0)).sum::<f32>();
        let share = weight(&walked) / weight(&limit);
        println!(
            "{}: {} of 20 and {} of 100 topics in common, with {share:.3} of their weight",
            documents[at].title,
            common(20),
            common(100)
        );
        // Topics at the end are visited a few times each, so that chance decides which are among them; they weigh little.
        assert!(common(20) >= 16 && common(100) >= 65 && share > 0.95, "{at}: {} {} {share}", common(20), common(100));
    }
}
