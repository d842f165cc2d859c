//! Graph, model and method are chosen on the screen, for the next question.

use std::sync::{Arc, Mutex};

use catena::run::Ask;
use catena::tui::{Effect, EngineChoice, EngineSource, OpenedEngine, Reply, SourceEntry, SourceKind, TuiOptions};

use crate::driven::Driven;
use crate::harness::{Bench, Script, options};

fn entry(name: &str, missing: Option<&str>) -> SourceEntry {
    SourceEntry { name: name.into(), detail: "imported".into(), missing: missing.map(str::to_owned) }
}

#[test]
fn every_method_is_listed_with_what_it_needs_and_the_chosen_one_is_asked() {
    for name in catena::run::MethodName::NAMES.into_iter().chain(catena::run::MethodName::OF_DOCUMENTS) {
        let mut bench = Bench::new(100, 30);
        bench.press(&[":"]).type_text("method").press(&["enter"]).type_text(name);
        assert!(bench.screen().contains(&format!(" {name}   ")), "{name}:\n{}", bench.screen());
    }
    let mut bench = Bench::new(100, 30);
    bench.press(&[":"]).type_text("method").press(&["enter"]);
    let screen = bench.screen();
    assert!(screen.contains("Which method answers the next question?"), "{screen}");
    assert!(bench.row_with(" catena   ").contains("in use"), "{screen}");
    assert!(bench.row_with("Chain-of-Note").contains("not now"), "{screen}");
    // One that lacks a model says why, and changes nothing.
    bench.type_text("con").press(&["enter"]);
    assert!(bench.screen().contains("needs a language model, and none is in use"), "{}", bench.screen());
    bench.press(&["space", "m"]).type_text("rok").press(&["enter"]);
    assert!(bench.screen().contains("The next question is answered by the method rok."), "{}", bench.screen());
    bench.type_text("fever").press(&["enter"]);
    let asked = bench.effects().into_iter().find_map(|effect| match effect {
        Effect::Ask { method, .. } => method.map(|method| method.to_string()),
        _ => None,
    });
    assert_eq!(asked.as_deref(), Some("rok"));
}

#[test]
fn what_cannot_be_used_says_why() {
    let mut bench = Bench::new(160, 48);
    bench.press(&[":"]).type_text("model").press(&["enter"]);
    assert!(bench.effects().contains(&Effect::ListSources(SourceKind::Generator)));
    let found = vec![entry("qwen3-8b", Some("not downloaded (about 5 GB): catena models pull qwen3-8b")), entry("graph", None)];
    bench.app.on_reply(Reply::Sources { kind: SourceKind::Generator, found: Ok(found) });
    bench.draw();
    let screen = bench.screen();
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}:\n{screen}"));
    assert!(at("in use") < at("qwen3-8b") && screen.contains("not now"), "what is in use comes first:\n{screen}");
    bench.type_text("qwen").press(&["enter"]);
    assert!(bench.screen().contains("catena models pull qwen3-8b"), "{}", bench.screen());
    assert!(!bench.effects().iter().any(|effect| matches!(effect, Effect::Reopen(_))));
}

/// Opens scripted engines, and remembers what was asked for.
#[derive(Debug, Default)]
struct Opens(Mutex<Vec<EngineChoice>>);

impl EngineSource for Opens {
    fn list(&self, _kind: SourceKind) -> Result<Vec<SourceEntry>, String> {
        Ok(vec![entry("starter", None), entry("hospital", None), entry("broken", None)])
    }

    fn open(&self, choice: &EngineChoice) -> Result<OpenedEngine, String> {
        self.0.lock().expect("not poisoned").push(choice.clone());
        match choice.graph.as_deref() {
            Some("broken") => Err("the file broken.kg is damaged".into()),
            _ => Ok((Arc::new(Script::default()) as Arc<dyn Ask>).into()),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graph_is_opened_and_one_that_fails_leaves_everything_as_it_was() {
    let source = Arc::new(Opens::default());
    let options = TuiOptions { source: Some(Arc::clone(&source) as Arc<dyn EngineSource>), ..options() };
    let session = Driven::start(async { Ok((Arc::new(Script::default()) as Arc<dyn Ask>).into()) }, options);
    session.shows(" entities").await;
    for (name, said) in
        [("hospital", "The next question is asked of the graph"), ("broken", "Nothing was changed: the file broken.kg is damaged")]
    {
        session.press(&[":"]);
        session.shows("What do you want to do?").await;
        session.type_text("graph");
        session.press(&["enter"]);
        session.shows("hospital").await;
        session.type_text(name);
        session.press(&["enter"]);
        session.shows(said).await;
    }
    let opened: Vec<Option<String>> = source.0.lock().expect("not poisoned").iter().map(|choice| choice.graph.clone()).collect();
    assert_eq!(opened, [Some("hospital".into()), Some("broken".into()), Some("hospital".into())], "the one before is opened again");
    session.ends().await;
}
