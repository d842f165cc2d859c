//! Cross-encoders beside candle-transformers; every score at its place.

use std::cell::Cell;

use candle_core::Device;
use catena::model::ModelError;
use catena::model::infer::bert::open_reranker;

use super::tiny::{Numbers, Shape, Tiny};

/// Scores, 0 to 1, differ by no more than this.
const TOLERANCE: f32 = 1e-4;

const SHAPES: [Shape; 2] = [Shape { pooling: None, ..Shape::BERT }, Shape { pooling: None, ..Shape::XLM }];

#[test]
fn every_score_stands_at_its_query_and_its_document() {
    for shape in SHAPES {
        let tiny = Tiny::new(shape, 21);
        let mut reranker = open_reranker(tiny.folder(), &Device::Cpu).expect("the model loads");
        let mut numbers = Numbers(22);
        // Lengths go up and down, so that computing by length means computing in another order.
        let queries: Vec<String> = [3, 1, 9, 5].iter().map(|n| numbers.text(*n)).collect();
        let documents: Vec<String> = [2, 14, 1, 7, 4, 11, 30].iter().map(|n| numbers.text(*n)).collect();
        let scores = reranker.score(&queries, &documents, &|| false).expect("scores");
        assert_eq!((scores.rows(), scores.dim()), (4, 7));
        let want: Vec<Vec<f32>> =
            queries.iter().map(|query| documents.iter().map(|document| tiny.relevance(query, document)).collect()).collect();
        for (row, want) in want.iter().enumerate() {
            for (column, want) in want.iter().enumerate() {
                let got = scores.row(row)[column];
                assert!((got - want).abs() < TOLERANCE, "{shape:?} {row} {column}: {got} for {want}");
            }
        }
        // What this would miss if all were alike: the transposed matrix, rows or columns in another order, the pair turned round.
        let all: Vec<f32> = want.concat();
        let transposed: Vec<f32> = (0..7).flat_map(|column| want.iter().map(move |row| row[column])).collect();
        assert!(all.iter().zip(&transposed).filter(|(a, b)| (*a - *b).abs() > 10.0 * TOLERANCE).count() > 14);
        let mut sorted = all.clone();
        sorted.sort_by(f32::total_cmp);
        assert!(sorted.windows(2).filter(|pair| pair[1] - pair[0] > 2.0 * TOLERANCE).count() > 20, "scores differ: {sorted:?}");
        assert!((tiny.relevance(&documents[1], &queries[2]) - want[2][1]).abs() > 10.0 * TOLERANCE);
    }
}

#[test]
fn long_pairs_are_cut_where_they_are_longest() {
    for shape in SHAPES {
        let tiny = Tiny::new(shape, 23);
        let mut reranker = open_reranker(tiny.folder(), &Device::Cpu).expect("the model loads");
        let mut numbers = Numbers(24);
        let queries = [numbers.text(4), numbers.text(60)];
        let documents = [numbers.text(80), numbers.text(5)];
        let scores = reranker.score(&queries, &documents, &|| false).expect("scores");
        for (row, query) in queries.iter().enumerate() {
            for (column, document) in documents.iter().enumerate() {
                let want = tiny.relevance(query, document);
                assert!((scores.row(row)[column] - want).abs() < TOLERANCE, "{shape:?} {row} {column}");
            }
        }
        let limit = tiny.tokens(&queries[0], Some(&documents[0])).0.len();
        assert!(tiny.tokens(&queries[1], Some(&documents[0])).0.len() == limit, "both fill the model");
    }
}

#[test]
fn many_pairs_have_the_scores_that_they_have_alone() {
    let tiny = Tiny::new(SHAPES[1], 25);
    let mut reranker = open_reranker(tiny.folder(), &Device::Cpu).expect("the model loads");
    let mut numbers = Numbers(26);
    let queries: Vec<String> = (0..30).map(|i| numbers.text(1 + i % 6)).collect();
    let documents: Vec<String> = (0..50).map(|i| numbers.text(1 + i * 7 % 13)).collect();
    let scores = reranker.score(&queries, &documents, &|| false).expect("scores");
    for (row, column) in [(0, 0), (0, 49), (29, 0), (29, 49), (7, 31), (21, 3)] {
        let alone = reranker.score(&queries[row..=row], &documents[column..=column], &|| false).expect("scores");
        assert_eq!(alone.data(), [scores.row(row)[column]], "{row} {column}");
    }
    assert!(scores.data().iter().all(|x| (0.0..=1.0).contains(x)));
}

#[test]
fn scoring_stops_between_batches_and_nothing_is_asked_of_nothing() {
    let tiny = Tiny::new(SHAPES[0], 27);
    let mut reranker = open_reranker(tiny.folder(), &Device::Cpu).expect("the model loads");
    let mut numbers = Numbers(28);
    let texts: Vec<String> = (0..60).map(|_| numbers.text(12)).collect();
    assert!(matches!(reranker.score(&texts, &texts, &|| true), Err(ModelError::Cancelled)));
    let asked = Cell::new(0);
    let cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() > 4
    };
    assert!(matches!(reranker.score(&texts, &texts, &cancelled), Err(ModelError::Cancelled)));
    assert_eq!(asked.get(), 5, "it is not asked again, and nothing is computed, after it said stop");
    assert_eq!(reranker.score(&[], &texts, &|| false).expect("nothing").rows(), 0);
    assert_eq!(reranker.score(&texts, &[], &|| false).expect("nothing").rows(), 0);
}
