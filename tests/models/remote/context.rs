//! Prompts that do not fit: the least important parts are left out, and that is reported.

use catena::model::{Generator, ModelError, Prompt, PromptPart, RemoteError, RemoteGenerator, Sampling};

use super::config;
use crate::support::http::{Scripted, Step, status, stream, text};

const TOO_LONG: &str = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.";

/// Nine chains of about a hundred tokens, and a question.
fn prompt() -> Prompt {
    let chain = |rank: u32| PromptPart { text: format!("chain {rank} ").repeat(40), rank: Some(rank) };
    let question = PromptPart { text: "Why?".into(), rank: None };
    Prompt { system: "Be brief.".into(), parts: std::iter::once(question).chain((1..=9).map(chain)).collect() }
}

fn asked(server: &Scripted, more: &str) -> (String, Result<Vec<u32>, ModelError>) {
    let mut generator = RemoteGenerator::open(config(server, more)).expect("opens");
    let mut said = String::new();
    let sampling = Sampling { max_tokens: 100, ..Sampling::default() };
    let result = generator.generate(&prompt(), &sampling, &mut |piece| {
        said.push_str(piece);
        true
    });
    (said, result.map(|generation| generation.left_out))
}

/// The chains that a request holds.
fn chains(server: &Scripted, request: usize) -> Vec<u32> {
    let sent = server.requests()[request].json()["messages"][1]["content"].to_string();
    assert!(sent.contains("Why?"));
    (1..=9).filter(|rank| sent.contains(&format!("chain {rank} "))).collect()
}

#[test]
fn what_a_server_refuses_as_too_long_is_asked_again_with_less() {
    let within = |said: &str| stream(&[format!("data: {}\n\n", serde_json::json!({ "error": { "message": said } }))]);
    let llama = serde_json::json!({ "error": { "code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error" } });
    for refusals in [
        [status(400, TOO_LONG), status(400, TOO_LONG)],
        [crate::support::http::json(400, &llama), status(500, "context size exceeded")],
        [within(TOO_LONG), status(413, "prompt is too long")],
    ] {
        let server = Scripted::start(refusals.into_iter().chain([text("Because.")]));
        let (said, left_out) = asked(&server, "retries = 0");
        assert_eq!((said.as_str(), left_out.expect("an answer")), ("Because.", vec![9, 8, 7, 6, 5]));
        assert_eq!(chains(&server, 0), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(chains(&server, 2), [1, 2, 3, 4]);
    }
}

#[test]
fn a_prompt_that_never_fits_is_a_failure() {
    let server = Scripted::start(std::iter::repeat_with(|| status(400, TOO_LONG)).take(20).collect::<Vec<Vec<Step>>>());
    let (_, result) = asked(&server, "");
    let Err(ModelError::Remote(error @ RemoteError::ContextExceeded { .. })) = result else { panic!("{result:?}") };
    assert!(error.to_string().contains("4096") && error.to_string().contains("ward-model"), "{error}");
    let last = server.requests().len() - 1;
    assert!(chains(&server, last).is_empty() && last < 8, "{last}");
}

#[test]
fn a_known_context_is_kept_to_from_the_start() {
    let server = Scripted::start([text("Because."), text("Because.")]);
    let (_, left_out) = asked(&server, "context = 750");
    let left_out = left_out.expect("an answer");
    assert_eq!(server.requests().len(), 1);
    assert!(!left_out.is_empty() && left_out.len() < 9 && left_out.is_sorted_by(|a, b| a > b), "{left_out:?}");
    assert_eq!(chains(&server, 0), (1..=9).filter(|rank| !left_out.contains(rank)).collect::<Vec<_>>());
    assert!(asked(&server, "context = 100000").1.expect("an answer").is_empty());
}
