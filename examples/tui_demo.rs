//! Plays a scripted run on the screen, without a graph or a model: `cargo run --example tui_demo`.

#[path = "../tests/support/sample.rs"]
#[allow(dead_code)]
mod sample;

use std::sync::Arc;
use std::time::Duration;

use catena::model::CancelToken;
use catena::run::{Ask, AskOptions, EngineInfo, Event, RunHandle};
use catena::tui::{Colours, TuiOptions};
use tokio::sync::mpsc;

/// Answers each question with the same script, slowly enough to be watched.
struct Script;

impl Ask for Script {
    fn ask(&self, question: &str, _: AskOptions, events: mpsc::Sender<Event>) -> RunHandle {
        let id: Arc<str> = format!("{question}{:?}", std::time::Instant::now()).into();
        let handle = RunHandle { id: Arc::clone(&id), cancel: CancelToken::new() };
        let cancel = handle.cancel.clone();
        let script = if question.contains("cup") { sample::nothing(&id) } else { sample::answered(&id) };
        tokio::spawn(async move {
            let mut before = 0.0;
            for event in script {
                tokio::time::sleep(Duration::from_secs_f64((event.at_ms - before) / 10.0)).await;
                before = event.at_ms;
                if cancel.is_cancelled() || events.send(event).await.is_err() {
                    return;
                }
            }
        });
        handle
    }

    fn info(&self) -> EngineInfo {
        sample::info()
    }
}

#[tokio::main]
async fn main() -> Result<(), catena::tui::TuiError> {
    let theme = std::env::args().nth(1).unwrap_or_else(|| "dark".into());
    let open = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Ok((Arc::new(Script) as Arc<dyn Ask>).into())
    };
    catena::tui::run(open, TuiOptions { theme, colours: Colours::from_env(), ..TuiOptions::default() }).await
}
