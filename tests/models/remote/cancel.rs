//! Whatever a request is waiting for, it is left at once when nobody wants the answer any more. All timeouts are an hour: who comes
//! back at all was not waiting for one of them.

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use catena::config::RemoteConfig;
use catena::model::{Finish, Generation, Generator, ModelError, Prompt, RemoteGenerator, RemoteReranker, Reranker, Sampling};

use super::{config, config_at};
use crate::support::http::{Scripted, Step, piece, response, stream_head};

const PATIENT: &str = "connect_timeout = 3600\nfirst_token_timeout = 3600\nstall_timeout = 3600\nretries = 100";
/// Far above the 20 ms between two looks, for machines that have much else to do.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Cancels once `reached` returns, and gives what came of it.
fn cancelled_at(config: RemoteConfig, reached: impl FnOnce() + Send) -> (String, Generation) {
    let stop = AtomicBool::new(false);
    let mut text = String::new();
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            reached();
            stop.store(true, Ordering::SeqCst);
            Instant::now()
        });
        let mut generator = RemoteGenerator::open(config).expect("opens");
        let generation = generator.generate(&Prompt::new("", "why?"), &Sampling::default(), &mut |piece| {
            text.push_str(piece);
            !stop.load(Ordering::SeqCst)
        });
        let stopped = watch.join().expect("the state was reached");
        assert!(stopped.elapsed() < AT_ONCE, "{:?}", stopped.elapsed());
        (text, generation.expect("a cancelled text is no failure"))
    })
}

#[test]
fn while_connecting() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("https://{}/v1", listener.local_addr().expect("an address"));
    let (text, generation) = cancelled_at(config_at(&url, PATIENT), move || {
        let held = listener.accept().expect("a connection");
        std::mem::forget(held);
    });
    assert_eq!((text.as_str(), generation.finish), ("", Finish::Cancelled));
}

#[test]
fn while_waiting_for_the_first_word_and_between_words() {
    for (steps, said) in [
        (vec![Step::Hold], ""),
        (vec![stream_head(), Step::Hold], ""),
        (vec![stream_head(), Step::Send(piece("It").into_bytes()), Step::Hold], "It"),
    ] {
        let server = Scripted::start([steps]);
        let (text, generation) = cancelled_at(config(&server, PATIENT), || {
            server.wait_for_request();
            std::thread::sleep(Duration::from_millis(200));
        });
        assert_eq!((text.as_str(), generation.finish), (said, Finish::Cancelled));
        // The server learns of it, too.
        server.wait_for_leaving();
    }
}

#[test]
fn while_backing_off() {
    let server = Scripted::start([response(429, &["Retry-After: 30"], "")]);
    let (_, generation) = cancelled_at(config(&server, PATIENT), || server.wait_for_request());
    assert_eq!(generation.finish, Finish::Cancelled);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn at_the_very_first_word() {
    let mut steps = vec![stream_head()];
    steps.extend((0..1000).map(|_| Step::Send(piece("word ").into_bytes())));
    steps.push(Step::Hold);
    let server = Scripted::start([steps]);
    let mut generator = RemoteGenerator::open(config(&server, PATIENT)).expect("opens");
    let mut words = 0;
    let mut emit = |piece: &str| {
        words += usize::from(!piece.is_empty());
        words < 3
    };
    let generation = generator.generate(&Prompt::new("", "why?"), &Sampling::default(), &mut emit).expect("no failure");
    assert_eq!((generation.finish, words), (Finish::Cancelled, 3));
    server.wait_for_leaving();
}

#[test]
fn while_scores_are_waited_for() {
    let server = Scripted::start([vec![Step::Hold]]);
    let mut reranker = RemoteReranker::open(config(&server, PATIENT)).expect("opens");
    let asked = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            server.wait_for_request();
            asked.store(true, Ordering::SeqCst);
        });
        let result = reranker.score(&["q".into()], &["d".into()], &|| asked.load(Ordering::SeqCst));
        assert!(matches!(result, Err(ModelError::Cancelled)), "{result:?}");
    });
}
