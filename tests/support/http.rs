//! An HTTP server whose replies are scripted byte by byte.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

/// Longer than any test waits for something that will come.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the server does for one request, after it has read it.
#[derive(Debug, Clone)]
pub enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// Until the client goes away; a client that stays fails the test by its own timeout.
    Hold,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    pub line: String,
    pub headers: Vec<String>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a request's body is JSON")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |header: &&String| header.to_lowercase().starts_with(&format!("{}:", name.to_lowercase()));
        self.headers.iter().find(named).and_then(|header| header.split_once(':')).map(|(_, value)| value.trim())
    }
}

/// The server; it lives as long as the test's process.
pub struct Scripted {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    arrived: Mutex<Receiver<()>>,
    left: Mutex<Receiver<()>>,
}

impl Scripted {
    /// Answers the first request by the first reply, and so on; more requests than replies are answered by 599.
    pub fn start(replies: impl IntoIterator<Item = Vec<Step>>) -> Self {
        Self::start_with(replies, |stream| Box::new(stream))
    }

    /// The same, by a connection within the connection (TLS).
    pub fn start_with(
        replies: impl IntoIterator<Item = Vec<Step>>,
        wrap: impl Fn(TcpStream) -> Box<dyn Connection> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let replies: Arc<Mutex<VecDeque<Vec<Step>>>> = Arc::new(Mutex::new(replies.into_iter().collect()));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (arrive, arrived) = channel();
        let (leave, left) = channel();
        let kept = Arc::clone(&requests);
        let wrap = Arc::new(wrap);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (replies, kept, arrive, leave) = (Arc::clone(&replies), Arc::clone(&kept), arrive.clone(), leave.clone());
                let wrap = Arc::clone(&wrap);
                std::thread::spawn(move || {
                    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
                    serve(wrap(stream), &replies, &kept, &arrive, &leave);
                });
            }
        });
        Self { address, requests, arrived: Mutex::new(arrived), left: Mutex::new(left) }
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no thread failed").clone()
    }

    /// Waits until a request has been read in full (each one counts once).
    pub fn wait_for_request(&self) {
        self.arrived.lock().expect("one waits").recv_timeout(PATIENCE).expect("a request comes");
    }

    /// Waits until a client has gone away during [`Step::Hold`].
    pub fn wait_for_leaving(&self) {
        self.left.lock().expect("one waits").recv_timeout(PATIENCE).expect("the client goes away");
    }
}

/// What can be read and written.
pub trait Connection: Read + Write + Send {}
impl<T: Read + Write + Send> Connection for T {}

fn serve(
    connection: Box<dyn Connection>,
    replies: &Mutex<VecDeque<Vec<Step>>>,
    requests: &Mutex<Vec<Request>>,
    arrive: &Sender<()>,
    leave: &Sender<()>,
) {
    let mut reader = BufReader::new(connection);
    let Some(request) = read(&mut reader) else { return };
    requests.lock().expect("no thread failed").push(request);
    let steps = replies.lock().expect("no thread failed").pop_front().unwrap_or_else(|| status(599, "the script is at its end"));
    let _ = arrive.send(());
    for step in steps {
        match step {
            Step::Send(bytes) => {
                let sent = reader.get_mut().write_all(&bytes).and_then(|()| reader.get_mut().flush());
                if sent.is_err() {
                    let _ = leave.send(());
                    return;
                }
            }
            Step::Wait(time) => std::thread::sleep(time),
            Step::Hold => {
                let mut rest = [0; 64];
                while reader.read(&mut rest).is_ok_and(|count| count > 0) {}
                let _ = leave.send(());
                return;
            }
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut next = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0).map(|_| line.trim_end().to_owned())
    };
    let line = next()?;
    let mut headers = Vec::new();
    loop {
        match next()? {
            line if line.is_empty() => break,
            line => headers.push(line),
        }
    }
    let mut request = Request { line, headers, body: Vec::new() };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    request.body = vec![0; length];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

/// A whole response.
pub fn response(status: u16, headers: &[&str], body: impl AsRef<[u8]>) -> Vec<Step> {
    let mut head = format!("HTTP/1.1 {status} Reason\r\nContent-Length: {}\r\nConnection: close\r\n", body.as_ref().len());
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    vec![Step::Send([head.as_bytes(), b"\r\n", body.as_ref()].concat())]
}

/// A whole response of a status, with a JSON error as OpenAI has it.
pub fn status(status: u16, message: &str) -> Vec<Step> {
    json(status, &serde_json::json!({ "error": { "message": message, "type": "some_error", "code": null } }))
}

pub fn json(status: u16, body: &Value) -> Vec<Step> {
    response(status, &["Content-Type: application/json"], body.to_string())
}

/// The head of a stream that ends with the connection.
pub fn stream_head() -> Step {
    Step::Send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_vec())
}

/// One piece of text, as an event.
pub fn piece(text: &str) -> String {
    format!("data: {}\n\n", serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": null }] }))
}

/// That the text is complete, as an event.
pub fn finish(reason: &str) -> String {
    format!("data: {}\n\n", serde_json::json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))
}

/// A stream of these events, whole.
pub fn stream(events: &[String]) -> Vec<Step> {
    vec![stream_head(), Step::Send(events.concat().into_bytes())]
}

/// A text as a complete stream.
pub fn text(text: &str) -> Vec<Step> {
    stream(&[piece(text), finish("stop"), "data: [DONE]\n\n".into()])
}
