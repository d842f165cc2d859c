//! How good the built-in encoder is, measured as `assets/encoder/eval.py` does (which also measures its teacher).

use std::collections::{BTreeSet, HashSet};
use std::io::Read;

use crate::support::data::{Draw, shared, unpacked};
use catena::model::infer::StaticEncoder;
use catena::model::{Encoder, Matrix, VectorIndex};
use catena::text::fold;

/// Unit vectors of texts.
fn encode(texts: &[String]) -> Matrix {
    StaticEncoder::built_in().expect("the built-in encoder loads").encode(texts).expect("encodes").normalised()
}

/// Ranks from 0; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal - 1) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

/// Spearman's correlation: Pearson's of the ranks.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let centred = |values: &[f64]| -> Vec<f64> {
        let ranks = ranks(values);
        let mean = ranks.iter().sum::<f64>() / ranks.len() as f64;
        ranks.into_iter().map(|rank| rank - mean).collect()
    };
    let (a, b) = (centred(a), centred(b));
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
}

#[test]
fn spearmans_correlation_is_that_of_the_textbook() {
    assert!((spearman(&[1.0, 2.0, 3.0, 4.0], &[10.0, 20.0, 30.0, 1000.0]) - 1.0).abs() < 1e-12);
    assert!((spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
    assert!((spearman(&[1.0, 2.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 4.0]) - 0.948_683_298).abs() < 1e-9);
}

#[test]
fn similarities_are_ordered_as_the_teacher_orders_them() {
    let pairs: Vec<Vec<&str>> =
        include_str!("../../assets/encoder/term_pairs.tsv").lines().map(|line| line.split('\t').collect()).collect();
    assert!(pairs.len() >= 300);
    let column = |i: usize| encode(&pairs.iter().map(|pair| pair[i].to_owned()).collect::<Vec<_>>());
    let (a, b) = (column(0), column(1));
    let dot = |row: usize| a.row(row).iter().zip(b.row(row)).map(|(x, y)| f64::from(x * y)).sum::<f64>();
    let own: Vec<f64> = (0..pairs.len()).map(dot).collect();
    let teachers: Vec<f64> = pairs.iter().map(|pair| pair[2].parse().expect("a cosine")).collect();
    let correlation = spearman(&own, &teachers);
    println!("{} term pairs: Spearman correlation with the teacher {correlation:.4}", pairs.len());
    // This version has 0.9445.
    assert!(correlation >= 0.94, "{correlation}");
}

/// Names of all terms that are not obsolete, and synonyms that are not themselves such a name, each with its term.
fn disease_ontology(obo: &str) -> (Vec<String>, Vec<(String, String)>) {
    let (mut names, mut pairs) = (Vec::new(), BTreeSet::new());
    for block in obo.split("[Term]").skip(1).map(|block| block.split("[Typedef]").next().unwrap_or_default()) {
        if block.contains("is_obsolete: true") {
            continue;
        }
        let name = block.lines().find_map(|line| line.strip_prefix("name: ")).expect("every term has a name");
        names.push(name.to_owned());
        for line in block.lines().filter_map(|line| line.strip_prefix("synonym: \"")) {
            let mut synonym = String::new();
            let mut characters = line.chars();
            while let Some(c) = characters.next().filter(|c| *c != '"') {
                synonym.push(if c == '\\' { characters.next().unwrap_or(c) } else { c });
            }
            // Some end with where they come from: "… [SNOMEDCT_2005_07_31:…]".
            let source =
                synonym.rfind(" [").filter(|at| synonym.ends_with(']') && synonym[at + 2..].starts_with(|c: char| c.is_ascii_uppercase()));
            synonym.truncate(source.unwrap_or(synonym.len()));
            pairs.insert((synonym, name.to_owned()));
        }
    }
    let known: HashSet<String> = names.iter().map(|name| fold(name)).collect();
    let pairs = pairs.into_iter().filter(|(synonym, _)| !known.contains(&fold(synonym))).collect();
    (names, pairs)
}

#[test]
fn synonyms_are_nearest_to_their_own_term() {
    let Some(file) = shared("onto-doid/doid-2016-03-04.obo.gz") else { return };
    let mut obo = String::new();
    unpacked(&file).read_to_string(&mut obo).expect("UTF-8");
    let (names, pairs) = disease_ontology(&obo);
    assert!(names.len() > 6000 && pairs.len() > 5000, "{} names, {} synonyms", names.len(), pairs.len());
    let sample = Draw(7).sample(pairs, 1000);
    let index = VectorIndex::new(&encode(&names)).expect("an index");
    let queries = encode(&sample.iter().map(|(synonym, _)| synonym.clone()).collect::<Vec<_>>());
    let cosines = index.products(&queries).expect("products");
    let nearest = |row: usize| {
        let best = cosines.row(row).iter().zip(&names).max_by(|a, b| a.0.total_cmp(b.0));
        best.map(|(_, name)| name.as_str())
    };
    let right = sample.iter().enumerate().filter(|(row, (_, term))| nearest(*row) == Some(term)).count();
    println!("{right} of {} synonyms are nearest to their own term of {}", sample.len(), names.len());
    // This version has 554.
    assert!(right >= 550, "{right} of {}", sample.len());
}
