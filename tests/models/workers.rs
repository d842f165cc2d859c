//! Models on threads of their own: orders joined and split, stopped, refused; faults outlived.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::models::{Letters, Script, Table, generation, until};
use catena::model::{
    CancelToken, Constraint, EncoderHandle, Finish, GeneratorHandle, Matrix, ModelError, Prompt, RerankerHandle, Sampling, WorkerState,
};
use rayon::prelude::*;

/// An encoder that holds each call until it is let go, and tells how many texts it got.
fn gated(portion: usize) -> (EncoderHandle, Receiver<usize>, Sender<()>) {
    let (calls, got) = channel();
    let (go, gate) = channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let load = move || {
        let (calls, gate) = (calls.clone(), Arc::clone(&gate));
        Ok(Letters::new(portion, move |texts| {
            calls.send(texts.len()).expect("the test listens");
            gate.lock().expect("no panic").recv().expect("the test lets go");
            Ok(())
        }))
    };
    (EncoderHandle::start("letters", load).expect("a thread"), got, go)
}

fn texts(from: usize, count: usize) -> Vec<String> {
    (from..from + count).map(|i| format!("text {i}")).collect()
}

fn plain(count: usize) -> Matrix {
    let handle = EncoderHandle::start("letters", || Ok(Letters::new(10_000, |_| Ok(())))).expect("a thread");
    handle.encode(texts(0, count)).expect("encodes")
}

#[test]
fn queued_orders_are_joined_into_one_call_and_everybody_gets_their_own_rows() {
    let (handle, calls, go) = gated(100);
    let cancel = CancelToken::new();
    let first = handle.submit(texts(0, 3), &cancel).expect("ordered");
    assert_eq!(calls.recv().unwrap(), 3, "the first order does not wait for others");
    let waiting: Vec<_> = (0..5).map(|i| handle.submit(texts(3 + i * 7, 7), &cancel).expect("ordered")).collect();
    let large = handle.submit(texts(0, 80), &cancel).expect("ordered");
    until("six orders wait", || handle.status().queued == 6);
    assert_eq!(handle.status().state, WorkerState::Busy);
    for _ in 0..3 {
        go.send(()).unwrap();
    }
    assert_eq!(calls.recv().unwrap(), 35, "five orders in one call");
    assert_eq!(calls.recv().unwrap(), 80, "what would be more than a call takes waits for the next");
    let whole = plain(80);
    assert_eq!(first.wait().unwrap().data(), &whole.data()[..3 * whole.dim()]);
    for (i, order) in waiting.into_iter().enumerate() {
        let (dim, begin) = (whole.dim(), 3 + i * 7);
        assert_eq!(order.wait().unwrap().data(), &whole.data()[begin * dim..(begin + 7) * dim], "order {i}");
    }
    assert_eq!(large.wait().unwrap(), whole);
    until("idle", || handle.status().state == WorkerState::Idle);
    assert_eq!((handle.status().done, handle.status().queued), (7, 0));
}

#[test]
fn an_order_larger_than_a_call_is_cut_and_is_the_same() {
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&sizes);
    let load = move || {
        let told = Arc::clone(&told);
        Ok(Letters::new(32, move |texts| {
            told.lock().unwrap().push(texts.len());
            Ok(())
        }))
    };
    let handle = EncoderHandle::start("letters", load).expect("a thread");
    assert_eq!(handle.encode(texts(0, 80)).unwrap(), plain(80));
    assert_eq!(*sizes.lock().unwrap(), [32, 32, 16]);
    assert_eq!(handle.encode(Vec::new()).unwrap().rows(), 0);
}

#[test]
fn a_text_that_fails_costs_its_own_order_only() {
    let (calls, got) = channel();
    let (go, gate) = channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let load = move || {
        let (calls, gate) = (calls.clone(), Arc::clone(&gate));
        Ok(Letters::new(100, move |texts| {
            calls.send(()).ok();
            gate.lock().unwrap().recv().ok();
            if texts.iter().any(|text| text == "bad") {
                return Err(ModelError::Compute { name: "letters".into(), problem: "out of memory".into() });
            }
            Ok(())
        }))
    };
    let handle = EncoderHandle::start("letters", load).expect("a thread");
    let cancel = CancelToken::new();
    let first = handle.submit(texts(0, 1), &cancel).unwrap();
    got.recv().unwrap();
    let good = handle.submit(texts(0, 4), &cancel).unwrap();
    let bad = handle.submit(vec!["bad".into()], &cancel).unwrap();
    until("two orders wait", || handle.status().queued == 2);
    drop(go);
    first.wait().unwrap();
    assert_eq!(good.wait().unwrap(), plain(4));
    assert!(bad.wait().unwrap_err().to_string().contains("out of memory"));
    until("idle", || handle.status().state == WorkerState::Idle);
    assert!(handle.status().last_error.unwrap().contains("out of memory"), "it is reported");
    assert_eq!(handle.encode(texts(0, 2)).unwrap(), plain(2), "and the model goes on");
}

#[test]
fn what_nobody_waits_for_any_more_is_not_done() {
    let (handle, calls, go) = gated(10);
    let cancel = CancelToken::new();
    let first = handle.submit(texts(0, 30), &cancel).unwrap();
    assert_eq!(calls.recv().unwrap(), 10);
    let dropped = handle.submit(texts(0, 5), &cancel).unwrap();
    let stopped_by = CancelToken::new();
    let stopped = handle.submit(texts(0, 6), &stopped_by).unwrap();
    let wanted = handle.submit(texts(0, 7), &cancel).unwrap();
    drop(dropped);
    stopped_by.cancel();
    let began = Instant::now();
    assert!(matches!(stopped.wait(), Err(ModelError::Cancelled)));
    assert!(began.elapsed() < Duration::from_secs(5), "nobody waits for a model that is busy with something else");
    // Work under way stops at its next batch.
    drop(first);
    go.send(()).unwrap();
    assert_eq!(calls.recv().unwrap(), 7, "neither the rest of the first nor the two that were taken back");
    go.send(()).unwrap();
    assert_eq!(wanted.wait().unwrap(), plain(7));
}

#[test]
fn a_model_that_cannot_be_loaded_tells_everybody_and_can_be_loaded_later() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let load = move || match counted.fetch_add(1, Ordering::SeqCst) {
        0 => Err(ModelError::Load { name: "letters".into(), problem: "no such file".into() }),
        1 => panic!("the loader broke"),
        _ => Ok(Letters::new(8, |_| Ok(()))),
    };
    let handle = EncoderHandle::start("letters", load).expect("a thread");
    for _ in 0..2 {
        assert!(handle.dim().unwrap_err().to_string().contains("no such file"));
        assert!(handle.encode(texts(0, 1)).unwrap_err().to_string().contains("no such file"));
    }
    assert_eq!(handle.status().state, WorkerState::Failed);
    handle.restart().unwrap();
    assert!(handle.encode(texts(0, 1)).unwrap_err().to_string().contains("the loader broke"));
    handle.restart().unwrap();
    assert_eq!(handle.dim().unwrap(), plain(1).dim());
    assert_eq!(handle.encode(texts(0, 3)).unwrap(), plain(3));
    assert_eq!(tries.load(Ordering::SeqCst), 3, "nothing is tried that nobody asked for");
}

#[test]
fn a_panic_is_reported_and_the_model_loaded_anew_once_by_itself() {
    let loads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&loads);
    let load = move || {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(Letters::new(8, |texts| {
            assert!(!texts.iter().any(|text| text == "boom"), "index out of bounds\u{1b}[31m");
            Ok(())
        }))
    };
    let handle = EncoderHandle::start("letters", load).expect("a thread");
    let boom = || handle.encode(vec!["boom".into()]).unwrap_err().to_string();
    let said = boom();
    assert!(said.contains("index out of bounds") && !said.contains('\u{1b}'), "{said}");
    assert_eq!(handle.encode(texts(0, 2)).unwrap(), plain(2));
    assert_eq!((loads.load(Ordering::SeqCst), handle.status().restarts), (2, 1));
    // It has proved itself since; so it is given another try. Twice in a row is a fault that stays.
    boom();
    boom();
    until("failed", || handle.status().state == WorkerState::Failed);
    assert!(handle.encode(texts(0, 1)).unwrap_err().to_string().contains("index out of bounds"));
    assert_eq!(loads.load(Ordering::SeqCst), 3);
    handle.restart().unwrap();
    assert_eq!(handle.encode(texts(0, 1)).unwrap(), plain(1));
}

#[test]
fn all_of_rayons_threads_may_wait_for_one_encoder() {
    // The encoder itself spreads over threads; if it took rayon's, nobody would come on.
    let handle = EncoderHandle::start("catena-static", catena::model::infer::StaticEncoder::built_in).expect("a thread");
    let threads = rayon::current_num_threads();
    let rows: Vec<usize> = (0..threads * 4).into_par_iter().map(|i| handle.encode(texts(i, 600)).expect("encodes").rows()).collect();
    assert_eq!(rows, vec![600; threads * 4]);
}

#[test]
fn pieces_come_as_they_are_written_cleaned_and_in_order() {
    let load = || {
        Ok(Script::boxed(|_, _, emit| {
            for piece in ["One", "", " \u{1b}[2Jtwo", "\u{202e}", " 三"] {
                assert!(emit(piece));
            }
            Ok(generation(Finish::Stop))
        }))
    };
    let handle = GeneratorHandle::start("script", load).expect("a thread");
    let mut text = String::new();
    let done = handle.generate(Prompt::new("s", "u"), Sampling::default(), &CancelToken::new(), &mut |piece| {
        text.push_str(piece);
        true
    });
    assert_eq!(done.unwrap().finish, Finish::Stop);
    assert_eq!(text, "One [2Jtwo 三");
    assert!(handle.status().tokens_per_second.is_some());
}

#[test]
fn writing_stops_when_nobody_reads_and_a_deaf_model_holds_nobody_up() {
    let (told, stopped) = channel();
    let told = Mutex::new(told);
    let load = move || {
        let told = told.lock().unwrap().clone();
        Ok(Script::boxed(move |prompt, _, emit| {
            if prompt.system == "deaf" {
                // It neither writes nor asks.
                thread::sleep(Duration::from_millis(1500));
                return Ok(generation(Finish::Stop));
            }
            let mut words = 0..;
            while emit(&format!("word{} ", words.next().unwrap_or(0))) {
                thread::sleep(Duration::from_millis(1));
            }
            told.send(()).ok();
            Ok(generation(Finish::Cancelled))
        }))
    };
    let handle = GeneratorHandle::start("script", load).expect("a thread");
    let mut read = 0;
    let enough = handle.generate(Prompt::new("s", "u"), Sampling::default(), &CancelToken::new(), &mut |_| {
        read += 1;
        read < 5
    });
    assert!(matches!(enough, Err(ModelError::Cancelled)));
    stopped.recv_timeout(Duration::from_secs(20)).expect("the model was told");

    let cancel = CancelToken::new();
    let canceller = cancel.clone();
    let mut looks = 0;
    let waiting = handle.generate(Prompt::new("deaf", "u"), Sampling::default(), &cancel, &mut |_| {
        looks += 1;
        if looks == 3 {
            canceller.cancel();
        }
        true
    });
    assert!(matches!(waiting, Err(ModelError::Cancelled)));
    assert_eq!(handle.status().state, WorkerState::Busy, "the model had not even noticed");
}

#[test]
fn an_endless_text_is_cut_off() {
    let load = || {
        Ok(Script::boxed(|_, _, emit| {
            let mut written = 0;
            while emit(&(0..128).map(|word| format!("x{:06} ", written * 128 + word)).collect::<String>()) {
                written += 1;
                assert!(written < 10_000, "ten megabytes for ten tokens");
            }
            Ok(generation(Finish::Length))
        }))
    };
    let handle = GeneratorHandle::start("script", load).expect("a thread");
    let mut bytes = 0;
    let sampling = Sampling { max_tokens: 10, ..Sampling::default() };
    let done = handle.generate(Prompt::new("s", "u"), sampling, &CancelToken::new(), &mut |piece| {
        bytes += piece.len();
        true
    });
    assert_eq!(done.unwrap().finish, Finish::Length);
    assert!(bytes < 4096, "{bytes}");
}

#[test]
fn a_loop_ends_a_text_cleanly_but_not_one_of_a_given_form_nor_a_thought() {
    let load = || {
        Ok(Script::boxed(|_, _, emit| {
            emit("<think>");
            for _ in 0..9 {
                assert!(emit("Let me look at this again. "), "thoughts go round in circles");
            }
            emit("</think>Antacids can help. ");
            for count in 0..1000 {
                if !emit("Avoid large meals before sleep. ") {
                    assert!(count < 5, "{count}");
                    return Ok(generation(Finish::Cancelled));
                }
            }
            Ok(generation(Finish::Stop))
        }))
    };
    let handle = GeneratorHandle::start("script", load).expect("a thread");
    let write = |constraint| {
        let mut text = String::new();
        let sampling = Sampling { max_tokens: 10_000, constraint, ..Sampling::default() };
        let done = handle.generate(Prompt::new("s", "u"), sampling, &CancelToken::new(), &mut |piece| {
            text.push_str(piece);
            true
        });
        (text, done.expect("writes").finish)
    };
    let (text, finish) = write(None);
    assert_eq!((text.trim_end(), finish), ("Antacids can help. Avoid large meals before sleep.", Finish::Loop));
    let (text, finish) = write(Some(Constraint::Pattern(".*".into())));
    assert_eq!((text.matches("Avoid").count(), finish), (1000, Finish::Stop));
}

#[test]
fn a_panic_in_the_middle_of_a_text_is_an_error() {
    let load = || {
        Ok(Script::boxed(|_, _, emit| {
            emit("half a ");
            panic!("no such tensor")
        }))
    };
    let handle = GeneratorHandle::start("script", load).expect("a thread");
    let mut text = String::new();
    let failed = handle.generate(Prompt::new("s", "u"), Sampling::default(), &CancelToken::new(), &mut |piece| {
        text.push_str(piece);
        true
    });
    assert!(failed.unwrap_err().to_string().contains("no such tensor"));
    assert_eq!(text, "half a ");
}

#[test]
fn scores_of_the_wrong_shape_or_that_are_no_numbers_are_refused() {
    let score = |f: fn(&[String], &[String]) -> Matrix| {
        let load = move || Ok(Table::boxed("cpu", move |queries, documents| Ok(f(queries, documents))));
        let handle = RerankerHandle::start("table", load).expect("a thread");
        handle.score(texts(0, 2), texts(0, 3), &CancelToken::new())
    };
    assert_eq!(score(|q, d| Matrix::new(d.len(), vec![0.5; q.len() * d.len()])).unwrap().dim(), 3);
    assert!(score(|q, d| Matrix::new(q.len(), vec![0.5; q.len() * d.len()])).is_err(), "transposed");
    assert!(score(|_, d| Matrix::new(d.len(), vec![0.5; d.len()])).is_err(), "a row is missing");
    assert!(score(|q, d| Matrix::new(d.len(), vec![f32::NAN; q.len() * d.len()])).is_err());
}
