//! `catena ask --batch`: each line an answer, in order, whatever the lines hold.

use crate::support::Catena;
use serde_json::Value;

fn batch(content: &[u8]) -> (i32, Vec<Value>, String) {
    let catena = Catena::new();
    catena.write("batch.jsonl", content);
    let ran = catena.run(["ask", "--batch", "batch.jsonl", "--json"]);
    (ran.code, ran.lines(), ran.stderr)
}

fn ids(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["id"].as_str().expect("an id")).collect()
}

/// The line is an error that says so, and nothing else.
fn assert_error(line: &Value, id: &str, said: &str) {
    let object = line.as_object().expect("an object");
    assert!(object.len() == 2 && object.contains_key("error"), "{line}");
    assert_eq!(object["id"], id);
    assert!(object["error"].as_str().expect("a text").contains(said), "{said:?} in {line}");
}

#[test]
fn every_line_is_answered_in_order_and_a_bad_one_stops_nothing() {
    let content = b"\xEF\xBB\xBF{\"id\":\"first\",\"question\":\"fever\"}\r
not json
{\"id\":\"c\"}
{\"id\":\"d\",\"question\":5}
[\"e\",\"fever\"]

   \t
{\"id\":\"h\",\"question\":\"\xFF\"}
{\"id\":9,\"question\":\"who won the cup?\"}
{\"question\":\"cough\",\"extra\":true}
{\"id\":\"first\",\"question\":\"cough\"}
{\"id\":null,\"question\":null}
{\"id\":\"m\",\"question\":\"\"}
{\"id\":\"n\",\"question\":\"\\u001b[31m fever\\u0000\"}
{\"id\":\"last\",\"question\":\"headache\"}";
    let (code, lines, stderr) = batch(content);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(ids(&lines), ["first", "2", "c", "d", "5", "8", "9", "10", "first", "12", "m", "n", "last"]);
    assert_error(&lines[1], "2", "line 2");
    assert_error(&lines[2], "c", "no \"question\"");
    assert_error(&lines[3], "d", "not a string");
    assert_error(&lines[4], "5", "line 5");
    assert_error(&lines[5], "8", "UTF-8");
    assert_error(&lines[9], "12", "not a string");
    assert!(stderr.contains("6 of 15 lines"), "{stderr}");
    for (line, anchor) in [(0, "Fever"), (7, "Cough"), (8, "Cough"), (11, "Fever"), (12, "Headache")] {
        assert_eq!(lines[line]["schema"], "catena.trace/1");
        assert_eq!(lines[line]["anchors"][0]["entity"], anchor, "line {line}");
    }
    assert_eq!(lines[6]["answer"]["grounded"], false);
    assert_eq!(lines[10]["answer"]["grounded"], false);
    assert_eq!(lines[11]["question"], "[31m fever");
}

#[test]
fn many_blank_lines_are_no_end() {
    let content =
        format!("{}{{\"id\":\"a\",\"question\":\"fever\"}}{}{{\"id\":\"b\",\"question\":\"cough\"}}\n", "\n".repeat(100), "\n".repeat(100));
    let (code, lines, stderr) = batch(content.as_bytes());
    assert_eq!((code, ids(&lines)), (0, vec!["a", "b"]), "{stderr}");
}

#[test]
fn more_lines_than_are_worked_on_at_once_keep_their_order() {
    let words = ["fever", "cough", "headache", "who won the cup?"];
    let content: String = (0..70).map(|i| format!("{{\"id\":\"n{i}\",\"question\":\"{}\"}}\n", words[i % 4])).collect();
    let (code, lines, _) = batch(content.as_bytes());
    assert_eq!(code, 0);
    assert_eq!(ids(&lines), (0..70).map(|i| format!("n{i}")).collect::<Vec<_>>());
    assert!(lines.iter().zip(words.iter().cycle()).all(|(line, word)| line["question"] == *word));
}

#[test]
fn a_batch_says_what_single_questions_say() {
    let catena = Catena::new();
    let question = "fever and cough: which test?";
    let batch = catena.run_with(["ask", "--batch", "-", "--json", "--k", "2"], format!("{{\"question\":\"{question}\"}}").as_bytes());
    let (mut batch, mut single) = (batch.json(), catena.trace(question, &["--k", "2"], 0));
    for trace in [&mut batch, &mut single] {
        trace.as_object_mut().expect("an object").retain(|key, _| key != "id" && key != "timings_ms");
    }
    assert_eq!(batch, single);
}

#[test]
fn an_empty_batch_is_done_at_once() {
    for content in [&b""[..], b"\n\n", b"\xEF\xBB\xBF\n"] {
        let (code, lines, stderr) = batch(content);
        assert_eq!((code, lines.len(), stderr.as_str()), (0, 0, ""), "{content:?}");
    }
}
