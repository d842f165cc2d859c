//! Each failure has a variant of its own and says what to do; what may pass is tried again, and nothing is after text was given away.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use catena::model::{EmptyAnswer, RemoteError};
use serde_json::json;

use super::{config, config_at, failure, written};
use crate::support::http::{Scripted, Step, finish, json, piece, response, status, stream, stream_head, text};

/// The failure that a single reply comes to, without repetition, and that its message names the server and all of these.
fn single(reply: Vec<Step>, said: &[&str]) -> RemoteError {
    let server = Scripted::start([reply]);
    let (text, error) = failure(config(&server, "retries = 0\nstall_timeout = 0.3\nfirst_token_timeout = 0.6"));
    let message = error.to_string();
    assert!(message.contains("clinic (http://127.0.0.1:") && said.iter().all(|said| message.contains(said)), "{message}");
    assert!(!message.chars().any(char::is_control), "{message:?}");
    assert!(text.is_empty() || text == "It", "{text}");
    assert_eq!(server.requests().len(), 1);
    error
}

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    drop(listener);
    let (_, error) = failure(config_at(&url, "retries = 1"));
    assert!(matches!(error, RemoteError::Refused { .. }), "{error:?}");
    assert!(error.to_string().contains("start the server"));
}

#[test]
fn the_host_is_unknown() {
    let (_, error) = failure(config_at("http://no-such-host.invalid/v1", ""));
    assert!(matches!(error, RemoteError::NoSuchHost { .. }), "{error:?}");
}

#[test]
fn encryption_with_who_speaks_none_fails_as_such() {
    let server = Scripted::start([]);
    let (_, error) = failure(config_at(&server.url().replace("http:", "https:"), ""));
    assert!(matches!(error, RemoteError::Tls { .. } | RemoteError::Connection { .. }), "{error:?}");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("https://{}/v1", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    let (_, error) = failure(config_at(&url, "retries = 0"));
    assert!(matches!(error, RemoteError::Tls { .. }), "{error:?}");
}

#[test]
fn a_connection_that_is_never_made_and_an_answer_that_never_begins_end_in_time() {
    // A listener that accepts nothing: the handshake of TLS never comes.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("https://{}/v1", listener.local_addr().expect("an address"));
    let (_, error) = failure(config_at(&url, "retries = 0\nconnect_timeout = 0.2"));
    assert!(matches!(error, RemoteError::ConnectTimeout { seconds, .. } if seconds == 0.2), "{error:?}");
    for head in [vec![Step::Hold], vec![stream_head(), Step::Hold], vec![stream_head(), Step::Send(b": busy\n\n".to_vec()), Step::Hold]] {
        let error = single(head, &["first_token_timeout"]);
        assert!(matches!(error, RemoteError::NoAnswer { seconds, .. } if seconds == 0.6), "{error:?}");
    }
}

#[test]
fn the_connection_breaks_before_an_answer() {
    assert!(matches!(single(vec![], &["connection"]), RemoteError::Connection { .. }));
    assert!(matches!(single(vec![Step::Send(b"HTTP/1.1 200".to_vec())], &[]), RemoteError::Connection { .. }));
    assert!(matches!(single(vec![Step::Send(b"\x16\x03\x01 what?\r\n\r\n".to_vec())], &[]), RemoteError::Connection { .. }));
}

#[test]
fn access_is_refused() {
    let server = Scripted::start([status(401, "no"), status(403, "no")]);
    for wanted in [401, 403] {
        // Cargo sets this variable for tests.
        let (_, error) = failure(config(&server, "key_env = \"CARGO_PKG_VERSION\""));
        let RemoteError::Unauthorised { status, .. } = error else { panic!("{error:?}") };
        assert_eq!(status, wanted);
        assert!(error.to_string().contains("variable CARGO_PKG_VERSION is wrong"), "{error}");
    }
    let error = single(status(401, "no"), &["key_env"]);
    assert!(matches!(error, RemoteError::Unauthorised { status: 401, .. }));
    let (_, error) = failure(config(&server, "key_env = \"CATENA_NO_SUCH_KEY\""));
    assert!(matches!(&error, RemoteError::KeyMissing { variable, .. } if variable == "CATENA_NO_SUCH_KEY"), "{error:?}");
    assert_eq!(server.requests().len(), 2, "nothing is asked without the key");
    assert_eq!(server.requests()[0].header("authorization"), Some(concat!("Bearer ", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn the_model_or_the_path_is_not_there() {
    for reply in [
        status(404, "The model `ward-model` does not exist."),
        json(404, &json!({ "error": "model \"ward-model\" not found, try pulling it first" })),
        json(404, &json!({ "error": { "message": "no", "code": "model_not_found" } })),
        json(404, &json!({ "object": "error", "message": "The model `ward-model` does not exist.", "code": 404 })),
    ] {
        let error = single(reply, &["ward-model", "catena models list"]);
        assert!(matches!(error, RemoteError::NoModel { .. }), "{error:?}");
    }
    for reply in [
        json(404, &json!({ "detail": "Not Found" })),
        response(404, &["Content-Type: text/html"], "<html><body>nginx: model</body></html>"),
        response(404, &[], "404 page not found"),
        status(405, "Method Not Allowed"),
    ] {
        let error = single(reply, &["/chat/completions", "/v1"]);
        assert!(matches!(error, RemoteError::NoPath { .. }), "{error:?}");
    }
}

#[test]
fn what_may_pass_is_tried_again() {
    for (first, second) in [
        (response(429, &["Retry-After: 0"], ""), status(503, "loading")),
        (status(500, "oh"), vec![]),
        (vec![], vec![stream_head()]),
        (vec![stream_head(), Step::Send(piece("<think>well").into_bytes())], status(502, "gateway")),
    ] {
        let server = Scripted::start([first, second, text("It is well.")]);
        let (text, result) = written(config(&server, "retries = 2"));
        assert_eq!((text.as_str(), result.is_ok(), server.requests().len()), ("It is well.", true, 3));
        assert_eq!(server.requests()[0].body, server.requests()[2].body);
    }
}

#[test]
fn what_does_not_pass_is_given_up_after_the_attempts_that_are_allowed() {
    let server = Scripted::start((0..9).map(|_| response(429, &["Retry-After: 0"], "{\"error\":\"slow \\u001b[31mdown\"}")));
    let (_, error) = failure(config(&server, "retries = 3"));
    assert!(matches!(error, RemoteError::Busy { attempts: 4, .. }), "{error:?}");
    assert!(error.to_string().contains("4 times") && error.to_string().contains("slow [31mdown"), "{error}");
    assert_eq!(server.requests().len(), 4);

    let server = Scripted::start((0..9).map(|_| status(503, "loading the model")));
    let (_, error) = failure(config(&server, "retries = 1"));
    assert!(matches!(error, RemoteError::Failing { attempts: 2, status: 503, .. }), "{error:?}");
    assert!(error.to_string().contains("loading the model"), "{error}");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn what_would_be_the_same_again_is_not_tried_again() {
    let quota = json(429, &json!({ "error": { "message": "you used it up", "code": "insufficient_quota" } }));
    for (reply, said) in [
        (status(400, "temperature is refused"), "temperature is refused"),
        (status(422, "no"), "422"),
        (status(501, "no"), "501"),
        (quota, "you used it up"),
        (response(429, &["Retry-After: 3600"], ""), "429"),
    ] {
        let server = Scripted::start([reply]);
        let (_, error) = failure(config(&server, "retries = 5"));
        assert!(error.to_string().contains(said), "{error}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_wish_to_wait_is_honoured() {
    let server = Scripted::start([response(429, &["Retry-After: 1"], ""), text("Now.")]);
    let began = Instant::now();
    assert_eq!(written(config(&server, "")).0, "Now.");
    assert!(began.elapsed() >= Duration::from_secs(1));
}

#[test]
fn nothing_is_repeated_after_text_was_given_away() {
    for (rest, stalls) in [(vec![], false), (vec![Step::Hold], true)] {
        let begun = vec![stream_head(), Step::Send(piece("It").into_bytes())];
        let server = Scripted::start([[begun, rest].concat(), text("never asked for")]);
        let (text, error) = failure(config(&server, "retries = 4\nstall_timeout = 0.3"));
        assert_eq!((text.as_str(), server.requests().len()), ("It", 1));
        match error {
            RemoteError::Stalled { seconds, .. } => assert!(stalls && seconds == 0.3),
            RemoteError::CutOff { .. } => assert!(!stalls),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn keep_alives_do_not_hide_a_stream_that_stalls() {
    let alive = || [Step::Wait(Duration::from_millis(100)), Step::Send(b": alive\n\n".to_vec())];
    let mut steps = vec![stream_head(), Step::Send(piece("It").into_bytes())];
    steps.extend((0..40).flat_map(|_| alive()));
    assert!(matches!(single(steps, &["stall_timeout"]), RemoteError::Stalled { .. }));
}

#[test]
fn broken_json_and_streams_that_break_off_are_told_apart() {
    let cut = vec![stream_head(), Step::Send([piece("It").as_bytes(), &piece("is").as_bytes()[..20]].concat())];
    assert!(matches!(single(cut, &["broke off"]), RemoteError::CutOff { .. }));
    let short = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n".to_vec();
    assert!(matches!(single(vec![Step::Send(short), Step::Send(piece("It").into_bytes())], &[]), RemoteError::CutOff { .. }));
    let error = single(stream(&[piece("It"), "data: {\"choices\": [nope]}\n\n".into(), finish("stop")]), &["not valid JSON", "line 1"]);
    assert!(matches!(error, RemoteError::NotJson { .. }));
    let error = single(response(200, &["Content-Type: application/json"], "{\"choices\": [{"), &["ends in the middle"]);
    assert!(matches!(error, RemoteError::NotJson { .. }));
    assert!(matches!(single(response(200, &["Content-Type: application/json"], ""), &["nothing"]), RemoteError::NotJson { .. }));
    let error = single(stream(&["data: {\"choices\": 7}\n\n".into(), finish("stop")]), &["does not understand"]);
    assert!(matches!(error, RemoteError::Unexpected { .. }));
}

#[test]
fn a_web_page_is_told_from_json() {
    let page = "<!DOCTYPE html><html><body>Please log in</body></html>";
    for reply in [response(200, &["Content-Type: text/html"], page), response(400, &["Content-Type: text/html"], page)] {
        let error = single(reply, &["web page", "base_url"]);
        assert!(matches!(error, RemoteError::WebPage { .. }), "{error:?}");
        assert!(!error.to_string().contains("log in<"), "{error}");
    }
}

#[test]
fn errors_within_a_stream_are_told() {
    let long = "x\u{1b}]0;title\u{7}".repeat(1000);
    for (event, said) in [
        (json!({ "error": { "message": "out of memory", "code": 500 } }), "out of memory"),
        (json!({ "error": "slot is gone" }), "slot is gone"),
        (json!({ "object": "error", "message": "engine died" }), "engine died"),
        (json!({ "error": { "message": long } }), "x]0;title"),
    ] {
        let error = single(stream(&[piece("It"), format!("event: error\ndata: {event}\n\n")]), &[said]);
        assert!(matches!(error, RemoteError::Reported { .. }), "{error:?}");
        assert!(error.to_string().len() < 800);
    }
    let error = single(json(200, &json!({ "error": { "message": "out of memory" } })), &["out of memory"]);
    assert!(matches!(error, RemoteError::Reported { .. }));
}

#[test]
fn an_empty_answer_and_a_filtered_one_are_failures() {
    for reply in [stream(&[finish("stop")]), stream(&["data: [DONE]\n\n".into()]), stream(&[piece(" \n "), finish("stop")])] {
        assert!(matches!(single(reply, &["empty"]), RemoteError::Empty { why: EmptyAnswer::Unknown, .. }));
    }
    let thoughts = json!({ "choices": [{ "delta": { "reasoning_content": "hm" } }] });
    for thinking in [piece("<think>hm, well"), format!("data: {thoughts}\n\n")] {
        let error = single(stream(&[thinking, finish("length")]), &["thinking_tokens"]);
        assert!(matches!(error, RemoteError::Empty { why: EmptyAnswer::ThoughtToTheLimit, .. }));
    }
    assert!(matches!(single(stream(&[piece("It"), finish("content_filter")]), &["filter"]), RemoteError::Filtered { .. }));
    // A thought that ends by itself has not met the limit (OpenAI's reference: finish_reason "length" says that).
    for thinking in [piece("<think>hm, well</think>"), format!("data: {thoughts}\n\n")] {
        let error = single(stream(&[thinking, finish("stop")]), &["thought and then ended"]);
        assert!(matches!(error, RemoteError::Empty { why: EmptyAnswer::ThoughtOnly, .. }), "{error}");
        assert!(!error.to_string().contains("thinking_tokens"), "{error}");
    }
    // OpenAI's reference of streamed tool calls.
    let call = json!({ "choices": [{ "delta": { "content": null, "tool_calls": [{ "index": 0, "id": "call_1", "type": "function",
        "function": { "name": "search", "arguments": "{}" } }] } }] });
    for reply in [
        stream(&[format!("data: {call}\n\n"), finish("tool_calls")]),
        json(200, &json!({ "choices": [{ "message": { "content": "", "tool_calls": [{ "id": "1" }] }, "finish_reason": "stop" }] })),
    ] {
        let error = single(reply, &["called a tool"]);
        assert!(matches!(error, RemoteError::Empty { why: EmptyAnswer::ToolCall, .. }), "{error}");
    }
}

#[test]
fn a_refusal_names_the_field_and_what_helps() {
    // FastAPI 0.115 (as vLLM, LiteLLM and others use it) for an invalid request.
    let fastapi = json!({ "detail": [{ "type": "missing", "loc": ["body", "user_id"], "msg": "Field required", "input": null }] });
    let error = single(json(422, &fastapi), &["user_id: Field required"]);
    assert!(matches!(error, RemoteError::Rejected { status: 422, .. }), "{error}");
    // What OpenAI says of its reasoning models, and LiteLLM of those.
    for said in [
        json!({ "error": { "message": "Unsupported value: 'temperature' does not support 0.6 with this model. Only the default (1) value is supported.",
            "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value" } }),
        json!({ "error": { "message": "litellm.UnsupportedParamsError: O-series models don't support temperature=0.6. Only temperature=1 is supported.",
            "type": "None", "param": "None", "code": "400" } }),
        json!({ "detail": [{ "type": "extra_forbidden", "loc": ["body", "top_p"], "msg": "Extra inputs are not permitted" }] }),
    ] {
        let error = single(json(400, &said), &["`sampling = false`"]);
        assert!(matches!(error, RemoteError::SamplingRejected { status: 400, .. }), "{error}");
    }
    // Where nothing of it was sent, it cannot help.
    let server = Scripted::start([json(400, &json!({ "error": "temperature is required" }))]);
    let (_, error) = failure(config(&server, "retries = 0\nsampling = false"));
    assert!(matches!(error, RemoteError::Rejected { .. }), "{error}");
}

#[test]
fn endless_streams_lines_and_bodies_end() {
    let event = piece(" ").repeat(4096).into_bytes();
    let mut endless = vec![stream_head()];
    endless.extend(std::iter::repeat_n(Step::Send(event.clone()), (20 << 20) / event.len()));
    assert!(matches!(single(endless, &["bytes"]), RemoteError::TooLarge { .. }));
    let line = vec![stream_head(), Step::Send(b"data: ".to_vec()), Step::Send(vec![b'x'; 2 << 20])];
    assert!(matches!(single(line, &[]), RemoteError::TooLarge { .. }));
    let mut refusal = response(500, &[], "");
    refusal[0] = Step::Send(b"HTTP/1.1 500 Oh\r\n\r\n".to_vec());
    refusal.extend(std::iter::repeat_n(Step::Send(vec![b'x'; 1 << 20]), 4));
    assert!(matches!(single(refusal, &["500"]), RemoteError::Failing { .. }));
    let deep = format!("data: {}\n\n", "[".repeat(100_000));
    assert!(matches!(single(stream(&[deep, finish("stop")]), &[]), RemoteError::NotJson { .. }));
}
