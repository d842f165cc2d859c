//! Texts of a given form from servers: how they are asked for, and what happens where a server refuses.

use catena::model::{Constraint, Generator, ModelError, Prompt, RemoteError, RemoteGenerator, Sampling};
use serde_json::{Value, json};

use super::config;
use crate::support::http::{Scripted, Step, status, text};

const REFUSED: &str = "'response_format.type' : value is not one of the allowed values ['text']";

fn triples() -> Constraint {
    let name = json!({ "type": "string", "maxLength": 40 });
    let triple = json!({ "type": "object", "properties": { "head": name }, "required": ["head"], "additionalProperties": false });
    Constraint::json("triples", json!({ "type": "array", "maxItems": 4, "items": triple }))
}

fn asked(generator: &mut RemoteGenerator, constraint: &Constraint) -> (String, Result<(), ModelError>) {
    let mut said = String::new();
    let sampling = Sampling { constraint: Some(constraint.clone()), ..Sampling::default() };
    let result = generator.generate(&Prompt::new("Be brief.", "Why?"), &sampling, &mut |piece| {
        said.push_str(piece);
        true
    });
    (said, result.map(|_| ()))
}

/// How each request asked for a form.
fn formats(server: &Scripted) -> Vec<String> {
    let format = |body: Value| body["response_format"]["type"].as_str().unwrap_or("none").to_owned();
    server.requests().iter().map(|request| format(request.json())).collect()
}

fn open(server: &Scripted, more: &str) -> RemoteGenerator {
    RemoteGenerator::open(config(server, more)).expect("opens")
}

#[test]
fn a_schema_is_sent_and_what_it_wraps_is_taken_out() {
    let replies = [r#"{"answer": "yes"}"#, r#"{"answer":"1: 0.50; 2: 1.00"}"#, r#"{"triples": [{"head": "Reflux"}]}"#, "yes"];
    let server = Scripted::start(replies.map(text));
    let mut generator = open(&server, "");
    let choice = Constraint::choice(["yes", "no"]);
    let pattern = Constraint::Pattern("[0-9]: [01]\\.[0-9]{2}(?:; [0-9]: [01]\\.[0-9]{2})*".into());
    assert_eq!(asked(&mut generator, &choice).0, "yes");
    assert_eq!(asked(&mut generator, &pattern).0, "1: 0.50; 2: 1.00");
    assert_eq!(asked(&mut generator, &triples()).0, r#"[{"head":"Reflux"}]"#);
    // A server that takes the field and does not know it.
    assert_eq!(asked(&mut generator, &choice).0, "yes");
    assert_eq!(formats(&server), ["json_schema"; 4]);
    let sent = |at: usize| server.requests()[at].json()["response_format"]["json_schema"].clone();
    assert_eq!((&sent(0)["name"], &sent(0)["strict"]), (&json!("answer"), &json!(true)));
    assert_eq!(sent(0)["schema"]["properties"]["answer"]["enum"], json!(["yes", "no"]));
    assert!(sent(1)["schema"]["properties"]["answer"]["pattern"].as_str().is_some_and(|p| p.starts_with("^(?:[0-9]") && p.ends_with(")$")));
    assert_eq!(sent(2)["schema"]["properties"]["triples"]["items"]["properties"]["head"]["maxLength"], 40);
    // Requests without a form are as they were.
    let server = Scripted::start([text("Because.")]);
    let done = open(&server, "").generate(&Prompt::new("", "Why?"), &Sampling::default(), &mut |_| true);
    assert!(done.is_ok() && formats(&server) == ["none"]);
}

#[test]
fn a_server_that_refuses_schemas_is_asked_in_simpler_ways_and_that_is_remembered() {
    for code in [400, 422] {
        let server = Scripted::start([
            status(code, REFUSED),
            status(code, REFUSED),
            text(r#"Here: [{"head": "Reflux"}]"#),
            text("[]"),
            status(code, REFUSED),
            text("yes"),
        ]);
        let mut generator = open(&server, "retries = 0");
        assert_eq!(asked(&mut generator, &triples()).0, r#"Here: [{"head": "Reflux"}]"#);
        assert_eq!(formats(&server), ["json_schema", "json_object", "none"]);
        assert_eq!(asked(&mut generator, &triples()).0, "[]");
        // Other texts are another matter: a server may know schemas without knowing all of them.
        assert_eq!(asked(&mut generator, &Constraint::choice(["yes", "no"])).0, "yes");
        assert_eq!(formats(&server)[3..], ["none", "json_schema", "none"]);
    }
}

#[test]
fn other_refusals_are_failures_and_teach_nothing() {
    let replies: Vec<Vec<Step>> = vec![
        status(401, "no"),
        status(400, "the message is empty"),
        status(400, "the message is empty"),
        // Settings of sampling have nothing to do with the form: asking in a simpler way would not help.
        status(400, "the temperature is wrong"),
        text("yes"),
    ];
    let server = Scripted::start(replies);
    let mut generator = open(&server, "retries = 0");
    let choice = Constraint::choice(["yes", "no"]);
    assert!(matches!(asked(&mut generator, &choice).1, Err(ModelError::Remote(RemoteError::Unauthorised { .. }))));
    let Err(ModelError::Remote(error @ RemoteError::Rejected { status: 400, .. })) = asked(&mut generator, &choice).1 else {
        panic!("refused")
    };
    assert!(error.to_string().contains("the message is empty"));
    let refused = asked(&mut generator, &choice).1;
    assert!(matches!(refused, Err(ModelError::Remote(RemoteError::SamplingRejected { status: 400, .. }))), "{refused:?}");
    assert_eq!(asked(&mut generator, &choice).0, "yes");
    assert_eq!(formats(&server), ["json_schema", "json_schema", "none", "json_schema", "json_schema"]);
}
