//! Encoders and cross-encoders on servers: everything is attached to what it belongs to, or refused.

use catena::model::{Encoder, ModelError, RemoteEncoder, RemoteError, RemoteReranker, Reranker};
use serde_json::{Value, json};

use super::config;
use crate::support::http::{Scripted, json, status};

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn embeddings(rows: &[(usize, [f64; 2])]) -> Vec<crate::support::http::Step> {
    let data: Vec<Value> = rows.iter().map(|(index, row)| json!({ "object": "embedding", "index": index, "embedding": row })).collect();
    json(200, &json!({ "object": "list", "data": data }))
}

#[test]
fn vectors_are_put_in_order_batched_and_of_length_one() {
    let server =
        Scripted::start([embeddings(&[(0, [1.0, 0.0])]), embeddings(&[(1, [0.0, 5.0]), (0, [3.0, 4.0])]), embeddings(&[(0, [0.0, 0.0])])]);
    let mut encoder = RemoteEncoder::open(config(&server, "batch = 2\ndelta = 0.8")).expect("opens");
    assert_eq!((encoder.dim(), encoder.delta(), encoder.name(), encoder.kind()), (2, 0.8, "ward-model", "http"));
    let rows = encoder.encode(&texts(&["a", " ", "b", "c"])).expect("vectors");
    assert_eq!(rows.data(), [0.6, 0.8, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let requests = server.requests();
    assert_eq!(requests[1].line, "POST /v1/embeddings HTTP/1.1");
    assert_eq!(requests[1].json()["input"], json!(["a", "b"]));
    assert_eq!(requests[2].json()["input"], json!(["c"]));
    assert!(encoder.encode(&[]).expect("nothing").data().is_empty());
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_known_dimension_asks_nothing_and_is_held_to() {
    let server = Scripted::start([embeddings(&[(0, [1.0, 0.0])])]);
    let mut encoder = RemoteEncoder::open(config(&server, "dimension = 3")).expect("opens");
    assert_eq!((encoder.dim(), encoder.delta(), server.requests().len()), (3, 0.7, 0));
    let error = encoder.encode(&texts(&["a"])).expect_err("two components").to_string();
    assert!(error.contains("2 components, not 3"), "{error}");
}

#[test]
fn vectors_that_fit_no_text_are_refused() {
    let ragged = json!({ "data": [{ "index": 0, "embedding": [1.0, 2.0] }, { "index": 1, "embedding": [1.0] }] });
    let cases = [
        (embeddings(&[(0, [1.0, 0.0])]), "have no vector"),
        (embeddings(&[(0, [1.0, 0.0]), (0, [1.0, 0.0])]), "two vectors"),
        (embeddings(&[(0, [1.0, 0.0]), (2, [1.0, 0.0])]), "text 2 of 2"),
        (json(200, &ragged), "1 components"),
        (json(200, &json!({ "data": [] })), "have no vector"),
        (json(200, &json!({ "embeddings": [[1.0]] })), "data"),
        (json(200, &json!({ "data": [{ "index": 0, "embedding": ["x\u{1b}[31m"] }] })), "does not understand"),
        (json(200, &json!({ "data": [{ "index": 0, "embedding": [1e300, 0] }, { "index": 1, "embedding": [1, 0] }] })), "not a number"),
        (json(200, &json!({ "error": { "message": "out of memory" } })), "out of memory"),
        (status(404, "The model does not exist"), "no model"),
    ];
    for (reply, said) in cases {
        let server = Scripted::start([reply]);
        let mut encoder = RemoteEncoder::open(config(&server, "dimension = 2")).expect("opens");
        let error = encoder.encode(&texts(&["a", "b"])).expect_err(said);
        assert!(matches!(error, ModelError::Remote(_)) && error.to_string().contains(said), "{said}: {error}");
        assert!(!error.to_string().chars().any(char::is_control), "{error:?}");
    }
}

/// Scores that say which query and document they belong to.
fn reply(request: &Value) -> Value {
    let number = |text: &str| text[1..].parse::<f64>().expect("a number");
    let query = number(request["query"].as_str().expect("a query"));
    let documents = request["documents"].as_array().expect("documents");
    let score = |document: &Value| query / 10.0 + number(document.as_str().expect("a text")) / 100.0;
    let mut results: Vec<Value> =
        documents.iter().enumerate().map(|(index, document)| json!({ "index": index, "relevance_score": score(document) })).collect();
    results.reverse();
    json!({ "model": "m", "results": results })
}

#[test]
fn scores_belong_to_their_query_and_document() {
    let (queries, documents) = (texts(&["q1", "q2"]), texts(&["d1", "d2", "d3"]));
    let batches = [("q1", vec!["d1", "d2"]), ("q1", vec!["d3"]), ("q2", vec!["d1", "d2"]), ("q2", vec!["d3"])];
    let replies = batches.iter().map(|(query, documents)| json(200, &reply(&json!({ "query": query, "documents": documents }))));
    let server = Scripted::start(replies);
    let mut reranker = RemoteReranker::open(config(&server, "batch = 2")).expect("opens");
    let scores = reranker.score(&queries, &documents, &|| false).expect("scores");
    assert_eq!((scores.rows(), scores.dim()), (2, 3));
    let expected = [0.11, 0.12, 0.13, 0.21, 0.22, 0.23];
    assert!(scores.data().iter().zip(expected).all(|(score, wanted)| (score - wanted).abs() < 1e-6), "{scores:?}");
    for (request, (query, documents)) in server.requests().iter().zip(&batches) {
        assert_eq!(request.line, "POST /v1/rerank HTTP/1.1");
        assert_eq!((&request.json()["query"], &request.json()["documents"]), (&json!(query), &json!(documents)));
    }
    assert_eq!(reranker.score(&[], &documents, &|| false).expect("nothing").rows(), 0);
    assert_eq!(reranker.score(&queries, &[], &|| false).expect("nothing").data(), [0f32; 0]);
}

#[test]
fn a_server_that_calls_documents_texts_is_understood_and_remembered() {
    let plain = json!([{ "index": 1, "score": 0.25 }, { "index": 0, "score": 0.75 }]);
    let server = Scripted::start([status(422, "missing field `texts`"), json(200, &plain), json(200, &plain)]);
    let mut reranker = RemoteReranker::open(config(&server, "")).expect("opens");
    for _ in 0..2 {
        let scores = reranker.score(&texts(&["q"]), &texts(&["a", "b"]), &|| false).expect("scores");
        assert_eq!(scores.data(), [0.75, 0.25]);
    }
    assert_eq!(server.requests().len(), 3);
    assert_eq!(server.requests()[2].json()["texts"], json!(["a", "b"]));
}

#[test]
fn scores_that_fit_no_document_or_scale_are_refused() {
    let results = |results: Value| json(200, &json!({ "results": results }));
    let score = |index: usize, score: f64| json!({ "index": index, "relevance_score": score });
    for (reply, said) in [
        (results(json!([score(0, 0.5)])), "have no score"),
        (results(json!([score(0, 0.5), score(0, 0.5)])), "two scores"),
        (results(json!([score(0, 0.5), score(7, 0.5)])), "document 7 of 2"),
        (results(json!([score(0, 0.5), score(1, 4.2)])), "logit"),
        (results(json!([{ "index": -1, "relevance_score": 1 }])), "does not understand"),
        (json(200, &json!({ "scores": [0.5, 0.5] })), "does not understand"),
    ] {
        let server = Scripted::start([reply]);
        let mut reranker = RemoteReranker::open(config(&server, "")).expect("opens");
        let error = reranker.score(&texts(&["q"]), &texts(&["a", "b"]), &|| false).expect_err(said);
        assert!(matches!(error, ModelError::Remote(RemoteError::Unexpected { .. })) && error.to_string().contains(said), "{error}");
    }
    let server = Scripted::start([results(json!([score(0, 0.0), score(1, -4.0)]))]);
    let mut reranker = RemoteReranker::open(config(&server, "scores = \"logit\"")).expect("opens");
    let scores = reranker.score(&texts(&["q"]), &texts(&["a", "b"]), &|| false).expect("scores");
    assert!((scores.data()[0] - 0.5).abs() < 1e-6 && (scores.data()[1] - 0.017_986).abs() < 1e-6, "{scores:?}");
}
