//! Warnings of models that are still loading when the run begins.

use std::sync::mpsc::channel;

use crate::support::engine::{encoder, open, starter};
use crate::support::models::{Script, generation};
use crate::support::runs::{REFLUX, ask};
use catena::method::{EngineModels, LateWarnings};
use catena::model::{CancelToken, Finish, GeneratorHandle};
use catena::run::{AskOptions, EventKind, Trace};

#[test]
fn a_warning_that_comes_while_a_model_loads_is_in_the_answer_that_waited_for_it_and_in_later_ones() {
    let late_warnings = LateWarnings::default();
    let (warnings, (go, wait)) = (late_warnings.clone(), channel::<()>());
    let load = move || {
        // Only when the run has begun.
        let _ = wait.recv();
        warnings.add("The model script runs on the processor.".into());
        Ok(Script::boxed(|_, _, emit| {
            emit("Omeprazole treats reflux.");
            Ok(generation(Finish::Stop))
        }))
    };
    let generator = Some(GeneratorHandle::start("script", load).expect("a thread"));
    let engine = open(starter(), EngineModels { generator, late_warnings, ..EngineModels::from(encoder()) });
    let mut events = Vec::new();
    engine.run(REFLUX, AskOptions::default(), &CancelToken::new(), &mut |event| {
        if matches!(event.what, EventKind::RunStarted { .. }) {
            go.send(()).expect("the model's thread waits");
        }
        events.push(event);
        true
    });
    let of = |trace: &Trace| trace.warnings.iter().filter(|warning| warning.contains("runs on the processor")).count();
    assert_eq!(of(&Trace::fold(&events)), 1);
    assert!(matches!(events.last().expect("an end").what, EventKind::RunFinished { .. }));
    assert_eq!(of(&ask(&engine, REFLUX).trace), 1);
}
