//! However a stream is cut and dressed, the text is the same.

use std::time::Duration;

use catena::model::{Finish, Generator, RemoteGenerator};
use serde_json::json;

use super::{config, config_at, written};
use crate::support::http::{Scripted, Step, finish, json, piece, stream, stream_head};

const TEXT: &str = "Reflux — 胃食管反流 — é\u{301} 🩺 heals.";

fn events() -> String {
    TEXT.chars().map(|c| piece(&c.to_string())).collect::<String>() + &finish("stop") + "data: [DONE]\n\n"
}

#[test]
fn a_stream_may_be_cut_inside_of_characters_and_lines() {
    let bytes = events().into_bytes();
    for length in [1, 2, 3, 7, 50, 1000] {
        let mut steps = vec![stream_head()];
        steps.extend(bytes.chunks(length).map(|chunk| Step::Send(chunk.to_vec())));
        let server = Scripted::start([steps]);
        let (text, result) = written(config(&server, ""));
        assert_eq!((text.as_str(), result.expect("a text").finish), (TEXT, Finish::Stop));
    }
    // Raw UTF-8 in place of escapes.
    let raw = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{TEXT}\"}},\"finish_reason\":\"stop\"}}]}}\n\n").into_bytes();
    for at in 0..raw.len() {
        let (one, two) = raw.split_at(at);
        let server = Scripted::start([vec![stream_head(), Step::Send(one.to_vec()), Step::Send(two.to_vec())]]);
        assert_eq!(written(config(&server, "")).0, TEXT, "cut at {at}");
    }
}

#[test]
fn line_ends_comments_marks_and_missing_ends_make_no_difference() {
    let done = "data: [DONE]\n\n";
    let bare = events().replace(done, "");
    for dressed in [
        events().replace('\n', "\r\n"),
        events().replace('\n', "\r"),
        format!("\u{FEFF}{}", events()),
        format!(": keep-alive\n\n{}", events().replace("\n\n", "\n\n: ping\n\n")),
        format!("event: message\nid: 1\nretry: 10\n{}", events()),
        bare.clone(),
        bare.trim_end().to_owned(),
        events().replace(&finish("stop"), ""),
        events().replace("data: ", "data:"),
        format!("{}data: not even JSON", events()),
    ] {
        let server = Scripted::start([vec![stream_head(), Step::Send(dressed.clone().into_bytes())]]);
        let (text, result) = written(config(&server, ""));
        assert_eq!(text, TEXT, "{result:?} {dressed:.80?}");
        assert!(result.is_ok());
    }
}

#[test]
fn a_server_that_never_ends_the_stream_is_not_waited_for() {
    let server = Scripted::start([vec![stream_head(), Step::Send(events().replace("data: [DONE]\n\n", "").into_bytes()), Step::Hold]]);
    let (text, result) = written(config(&server, "stall_timeout = 3600"));
    assert!(text == TEXT && result.is_ok());
    server.wait_for_leaving();
}

#[test]
fn a_slow_stream_is_no_failure() {
    let mut steps = vec![Step::Wait(Duration::from_millis(300)), stream_head(), Step::Wait(Duration::from_millis(300))];
    for text in ["It ", "is ", "slow."] {
        steps.extend([Step::Send(piece(text).into_bytes()), Step::Wait(Duration::from_millis(300))]);
    }
    steps.push(Step::Send(finish("length").into_bytes()));
    let server = Scripted::start([steps]);
    let (text, result) = written(config(&server, "first_token_timeout = 60\nstall_timeout = 30"));
    let generation = result.expect("a text");
    assert_eq!((text.as_str(), generation.finish), ("It is slow.", Finish::Length));
    // The server waits; on a busy machine the first piece is read late, which shortens the rest.
    assert!(generation.first_token_ms >= 600.0 && generation.decode_ms >= 300.0, "{generation:?}");
}

#[test]
fn thinking_is_no_part_of_the_answer() {
    let thought = json!({ "choices": [{ "delta": { "reasoning_content": "hm", "content": null } }] });
    let other = json!({ "choices": [{ "delta": { "reasoning": "hm" } }] });
    let server = Scripted::start([stream(&[
        format!("data: {thought}\n\n"),
        format!("data: {other}\n\n"),
        piece("<thi"),
        piece("nk>what"),
        piece(" if</th"),
        piece("ink>\n\n It"),
        piece(" is < well."),
        finish("stop"),
    ])]);
    assert_eq!(written(config(&server, "")).0, "It is < well.");
}

#[test]
fn a_content_may_be_a_list_of_parts() {
    // Mistral's reference of its thinking models streams this form; Anthropic's models behind proxies send the last one.
    let event = |content: serde_json::Value| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": content } }] }));
    let server = Scripted::start([stream(&[
        event(json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }], "closed": false }])),
        event(json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "well" }] }, { "type": "text", "text": "It " }])),
        event(json!([])),
        event(json!([{ "type": "text", "text": "is " }, "quite "])),
        piece("well."),
        finish("stop"),
    ])]);
    let (text, result) = written(config(&server, ""));
    assert_eq!((text.as_str(), result.expect("a text").finish), ("It is quite well.", Finish::Stop));
    let thoughts = json!({ "choices": [{ "message": { "content": [{ "type": "thinking", "thinking": "hm", "signature": "x" }, { "type": "text", "text": "It is." }],
        "reasoning": { "steps": 1 } }, "finish_reason": "stop" }] });
    let server = Scripted::start([json(200, &thoughts)]);
    assert_eq!(written(config(&server, "")).0, "It is.");
}

#[test]
fn what_a_terminal_obeys_is_taken_out() {
    let server = Scripted::start([stream(&[piece("\u{1b}[31mIt\u{202E} is\r\n"), piece("\u{7}well"), finish("stop")])]);
    assert_eq!(written(config(&server, "")).0, "[31mIt is\nwell");
}

#[test]
fn usage_is_taken_where_it_is_given() {
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 40, "completion_tokens": 7, "prompt_tokens_details": { "cached_tokens": 30 } } });
    let server = Scripted::start([stream(&[piece("Well."), finish("stop"), format!("data: {usage}\n\n"), "data: [DONE]\n\n".into()])]);
    let generation = written(config(&server, "")).1.expect("a text");
    assert_eq!((generation.prompt_tokens, generation.reused_tokens, generation.new_tokens), (Some(40), 30, Some(7)));
    let server = Scripted::start([stream(&[piece("Well."), finish("stop")])]);
    let generation = written(config(&server, "")).1.expect("a text");
    assert_eq!((generation.prompt_tokens, generation.reused_tokens, generation.new_tokens), (None, 0, None));
}

#[test]
fn an_answer_that_is_no_stream_is_taken_whole() {
    let whole = json!({ "choices": [{ "message": { "role": "assistant", "content": "<think>x</think>It is." }, "finish_reason": "length" }], "usage": { "prompt_tokens": 1, "completion_tokens": 2 } });
    let server = Scripted::start([json(200, &whole)]);
    let (text, result) = written(config(&server, ""));
    let generation = result.expect("a text");
    assert_eq!((text.as_str(), generation.finish, generation.new_tokens), ("It is.", Finish::Length, Some(2)));
}

#[test]
fn the_request_says_what_was_asked_for() {
    let server = Scripted::start([stream(&[piece("Well."), finish("stop")]), stream(&[piece("Well."), finish("stop")])]);
    written(config(&server, "thinking_tokens = 100")).1.expect("a text");
    let request = &server.requests()[0];
    assert_eq!(request.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!((request.header("authorization"), request.header("content-type")), (None, Some("application/json")));
    let expected = json!({
        "model": "ward-model",
        "messages": [{ "role": "system", "content": "You are brief." }, { "role": "user", "content": "Why does it hurt?" }],
        "stream": true, "stream_options": { "include_usage": true },
        "max_tokens": 600, "temperature": 0.6, "top_p": 0.95, "seed": 0,
    });
    assert_eq!(request.json(), expected);
    written(config(&server, "preset = \"openai\"\nsampling = false")).1.expect("a text");
    let request = server.requests()[1].json();
    assert_eq!(request["max_completion_tokens"], 500);
    assert!(["temperature", "top_p", "seed", "max_tokens"].iter().all(|key| request.get(key).is_none()), "{request}");
    let generator = RemoteGenerator::open(config_at("http://127.0.0.1:1/v1", "")).expect("opens without asking");
    assert_eq!((generator.name(), generator.kind(), generator.device().as_str()), ("ward-model", "http", "remote"));
}
