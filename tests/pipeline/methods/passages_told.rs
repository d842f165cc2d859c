//! What a language model is told of documents: the best sentence of each section that fits, then others of these sections, word for word,
//! within bounds.

use std::collections::BTreeSet;
use std::sync::Arc;

use catena::config::RemoteTable;
use catena::evidence::{Collection, Document, Library};
use catena::method::{EngineModels, EngineOptions};
use catena::model::{Generator, GeneratorHandle, RemoteGenerator};
use catena::run::AnswerPart;

use super::ask_by;
use super::documents::document;
use crate::support::engine::{encoder, open_with, starter};
use crate::support::http::{self, Scripted};
use crate::support::runs::Run;

const CLINICS: usize = 24;
const PLANS: usize = 40;
const QUESTION: &str = "How is gout treated?";

fn documents() -> Vec<Document> {
    let plan = |clinic: usize| {
        move |plan: usize| format!("Colchicine by plan {plan} of clinic {clinic} relieves an attack of gout within some hours.")
    };
    let of = |clinic: usize| (0..PLANS).map(plan(clinic)).collect::<Vec<_>>().join(" ");
    (0..CLINICS).map(|clinic| document(&format!("{clinic:02}"), "Gout", &[("treatment", &of(clinic))])).collect()
}

/// Asks a model of a name. It answers so, and names features in the same reply: how many packages of topics there are does not matter.
fn asked(name: &'static str, answer: &str) -> Run {
    let mut replies = vec![http::text("gout\ncolchicine\nattack\njoint\nurate")];
    replies.extend(vec![http::text(&format!("0.9: what relieves an attack of gout\n{answer}")); 8]);
    let server = Scripted::start(replies);
    let table = format!("base_url = \"{}\"\nmodel = \"{name}\"\nproxy = \"none\"\nretries = 0\n", server.url());
    let table: RemoteTable = toml::from_str(&table).expect("a table");
    let config = table.resolve("clinic").expect("a usable table");
    let open = move || Ok(Box::new(RemoteGenerator::open(config.clone())?) as Box<dyn Generator>);
    let generator = GeneratorHandle::start(name, open).expect("a thread");
    let collection = Collection::build("mine", &documents(), &starter(), &|_| true).expect("builds");
    let options = EngineOptions { library: Arc::new(Library::of(vec![("mine".into(), collection)])), ..EngineOptions::default() };
    let engine = open_with(starter(), EngineModels { generator: Some(generator), ..EngineModels::from(encoder()) }, &options);
    ask_by(&engine, "idep", QUESTION)
}

/// The passages that the model was told, in order.
fn told(run: &Run) -> Vec<String> {
    let prompt = run.trace.prompts.iter().find(|prompt| prompt.name == "idep/answer").expect("the prompt for the answer");
    let lines: Vec<&str> = prompt.user.lines().filter(|line| line.starts_with("[D")).collect();
    let passage = |(number, line): (usize, &&str)| {
        let (place, text) = line.split_once(": ").expect("a source");
        assert_eq!(place, format!("[D{}] Gout, treatment", number + 1));
        text.to_owned()
    };
    lines.iter().enumerate().map(passage).collect()
}

fn clinic(passage: &str) -> &str {
    passage.split_once("clinic ").and_then(|(_, rest)| rest.split(' ').next()).expect("a clinic")
}

#[test]
fn the_sections_that_fit_are_told_further_up_to_8000_words() {
    let run = asked("ward", "I do not know.");
    let told = told(&run);
    let all = documents();
    let is_verbatim = |text: &str| all.iter().any(|document| document.sections[0].text.contains(text));
    assert!(told.iter().all(|text| is_verbatim(text) && text.ends_with('.')), "word for word");
    assert_eq!(told.iter().collect::<BTreeSet<_>>().len(), told.len(), "each once");
    let words: usize = told.iter().map(|text| text.split_whitespace().count()).sum();
    assert!((7_900..=8_000).contains(&words), "{words} words");
    // The best sentence of each section comes first, so that the others are left out first where the context is short.
    let first: BTreeSet<&str> = told[..CLINICS].iter().map(|text| clinic(text)).collect();
    assert_eq!(first.len(), CLINICS, "one of each");
    let further: Vec<&str> = told[CLINICS..].iter().map(|text| clinic(text)).collect();
    assert!(further.windows(2).filter(|pair| pair[0] != pair[1]).count() < CLINICS, "section by section: {further:?}");
    assert_eq!(further[0], clinic(&told[0]), "in their order");
    assert_eq!(further.iter().filter(|own| **own == further[0]).count(), PLANS - 1, "all of the first");

    // What is told further can be cited, and is found at its place.
    let cited = CLINICS + 7;
    let run = asked("ward", &format!("{} [D{}]", told[cited], cited + 1));
    let line = run.trace.answer.lines.iter().find(|line| line.part == AnswerPart::ModelAdds).expect("a statement with its passage");
    let passage = &run.trace.passages[line.passages[0].place()];
    assert_eq!(passage.text, told[cited]);
    let section = &all.iter().find(|document| document.id == passage.document).expect("the document").sections[0];
    let stands: String = section.text.chars().skip(passage.start).take(passage.end - passage.start).collect();
    assert_eq!(stands, passage.text);
}

#[test]
fn a_small_model_is_told_less() {
    for name in ["ward-1b", "ward-135m"] {
        let words: usize = told(&asked(name, "I do not know.")).iter().map(|text| text.split_whitespace().count()).sum();
        assert!((1_400..=1_500).contains(&words), "{name}: {words} words");
    }
}
