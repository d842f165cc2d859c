//! A Chinese question has a Chinese screen: no English heading, hint or sign's word is left, at any size and in any layout; and the same in
//! accessible mode and in `catena ask`.

use std::sync::Arc;

use catena::config::LanguageChoice;
use catena::graph::starter_graph;
use catena::method::{Engine, EngineOptions};
use catena::model::CancelToken;
use catena::run::{Ask, AskOptions, Event, Mark, Stage};
use catena::tui::{Pane, Reply, ScreenLayout, TuiOptions};

use crate::harness::{Bench, options};
use crate::lessons;
use crate::support::{Catena, sample};

const QUESTION: &str = "发热、咳嗽、咳黄痰三天，可能是什么病？应该做什么检查？";

/// Words that may stand in Latin letters on a Chinese screen: names of programs, of models and of keys.
const NAMES: [&str; 15] =
    ["Catena", "starter", "catena", "Enter", "Esc", "Tab", "Space", "Ctrl", "Alt", "Shift", "End", "Home", "PageUp", "PageDown", "topK"];

fn engine() -> Arc<Engine> {
    let encoder = Engine::start_encoder().expect("a thread");
    let graph = starter_graph().expect("built in");
    Arc::new(Engine::open(graph, encoder, &EngineOptions::default(), Vec::new()).expect("opens"))
}

fn recorded(engine: &Engine, question: &str) -> Vec<Event> {
    let mut events = Vec::new();
    engine.run(question, AskOptions::default(), &CancelToken::new(), &mut |event| {
        events.push(event);
        true
    });
    events
}

/// English headings, hints and words of the legend, as the English screen has them.
fn english() -> Vec<String> {
    let titles = Pane::ALL.iter().flat_map(|pane| [format!(" {pane:?} ")]);
    let legend = Mark::ALL.iter().map(|mark| format!("{} {}", mark.sign(), mark.word()));
    let stages = Stage::ALL.iter().map(|stage| format!("✓ {}", stage.as_str()));
    let others = [
        "this chain?",
        "kept as",
        "Sources of",
        "How well it fits",
        "linked from",
        "not linked",
        "from the graph",
        "shared result",
        "shared cause",
        "Conditions",
        "Tests",
        "Treatments",
        "Read as",
        "answered in",
        "? help",
        " why?",
        "x reject",
        "q quit",
        " new question",
        "L layout",
        "Tab pane",
        " triples",
        "Also:",
        "no chain",
    ];
    titles.chain(legend).chain(stages).chain(others.map(str::to_owned)).collect()
}

fn assert_no_english(screen: &str, what: &str) {
    for word in english() {
        assert!(!screen.contains(&word), "{word:?} in {what}:\n{screen}");
    }
    // What stands in the frames of the panes is no English word either.
    for line in screen.lines() {
        let frames = line.split('╭').skip(1).filter_map(|rest| rest.split_once('╮')).map(|(frame, _)| frame);
        for word in frames.flat_map(|frame| frame.split(|c: char| !c.is_ascii_alphabetic())).filter(|word| word.len() > 2) {
            assert!(NAMES.contains(&word), "{word:?} in a heading of {what}: {line}\n{screen}");
        }
    }
}

#[test]
fn a_chinese_question_has_no_english_heading_at_any_size() {
    let engine = engine();
    let events = recorded(&engine, QUESTION);
    let info = engine.info();
    for (width, height) in [(160, 48), (100, 30), (80, 24), (240, 60)] {
        for layout in [ScreenLayout::SideBySide, ScreenLayout::Clinic, ScreenLayout::Demo] {
            let mut bench = Bench::without_engine(width, height, &TuiOptions { layout, ..options() });
            bench.app.engine_opened(Ok(info.clone()));
            bench.app.on_reply(lessons::learning());
            bench.type_text(QUESTION).press(&["enter"]).run(&events);
            while bench.app.next_effect().is_some() {}
            for pane in ["1", "2", "3", "4", "5", "6", "7", "8"] {
                if pane != "1" {
                    bench.press(&[pane]);
                    assert_no_english(&bench.screen(), &format!("{layout:?} {width}x{height}, pane {pane}"));
                }
            }
        }
    }
}

#[test]
fn a_screen_that_changes_its_language_says_so_once_and_names_the_key() {
    let mut bench = Bench::new(100, 30);
    bench.type_text("发热三天，可能是什么病？").press(&["enter"]);
    assert!(bench.screen().contains("按 F6 可切换"), "{}", bench.screen());
    bench.run(&sample::answered("a")).press(&["j"]);
    assert!(!bench.screen().contains("F6"), "{}", bench.screen());
    let mut english = Bench::new(100, 30);
    english.type_text("What is it?").press(&["enter"]);
    assert!(!english.screen().contains("F6"), "{}", english.screen());
}

#[test]
fn sheets_and_help_are_chinese_too() {
    let engine = engine();
    let events = recorded(&engine, QUESTION);
    let mut bench = Bench::new(160, 48);
    bench.app.on_reply(lessons::learning());
    bench.type_text(QUESTION).press(&["enter"]).run(&events);
    while bench.app.next_effect().is_some() {}
    for keys in [&["?"][..], &["m"], &["s"], &["c"], &["a"], &[":"], &["space", "h"], &["space", "e"], &["space", "t"], &["space", "d"]] {
        bench.press(&["6"]).press(keys);
        assert_no_english(&bench.screen(), &format!("{keys:?}"));
        bench.press(&["esc", "esc"]);
    }
    // Every line of the help is Chinese: it has been translated binding by binding.
    bench.press(&["6", "?"]);
    for _ in 0..8 {
        let screen = bench.screen();
        for line in screen.lines() {
            let mut run_on = line.split(|c: char| !(c.is_ascii_alphabetic() || c == ' ')).map(str::trim);
            let long = run_on.find(|text| text.split(' ').filter(|word| word.len() > 2 && !NAMES.contains(word)).count() > 3);
            assert!(long.is_none(), "{long:?} in {line}\n{screen}");
        }
        bench.press(&["pagedown"]);
    }
}

#[test]
fn a_language_that_is_set_holds_for_every_question() {
    let engine = engine();
    let events = recorded(&engine, "I feel stomach reflux after eating. What medicine should I take?");
    let mut bench = Bench::with(160, 48, &TuiOptions { language: LanguageChoice::Chinese, ..options() });
    assert!(bench.screen().contains("试一试"), "{}", bench.screen());
    bench.type_text("reflux").press(&["enter"]).run(&events);
    assert!(bench.screen().contains(" 回答 ") && bench.screen().contains("为什么是这条链"), "{}", bench.screen());
    let events = recorded(&engine, QUESTION);
    let mut bench = Bench::with(160, 48, &TuiOptions { language: LanguageChoice::English, ..options() });
    bench.type_text("x").press(&["enter"]).run(&events);
    assert!(bench.screen().contains(" Answer ") && bench.screen().contains("this chain?"), "{}", bench.screen());
}

#[test]
fn a_key_switches_the_language_of_the_screen_wherever_one_is() {
    // On the first screen, and while a question is typed, which stays.
    let mut bench = Bench::new(160, 48);
    bench.type_text("reflux").press(&["f6"]);
    let screen = bench.screen();
    assert!(screen.contains("界面已切换为中文。按 F6 切换为英文。") && screen.contains("reflux"), "{screen}");
    bench.press(&["f6"]);
    assert!(bench.screen().contains("The screen is now in English. Press F6 for Chinese."), "{}", bench.screen());
    // In the panes: what was drawn before is drawn again.
    bench.press(&["enter"]).run(&sample::answered("a"));
    assert!(bench.screen().contains(" Answer ") && bench.screen().contains("this chain?"), "{}", bench.screen());
    bench.press(&["f6"]);
    assert!(bench.screen().contains(" 回答 ") && bench.screen().contains("为什么是这条链"), "{}", bench.screen());
    bench.press(&["f6"]);
    assert!(bench.screen().contains(" Answer ") && bench.screen().contains("this chain?"), "{}", bench.screen());
    // Who does not know the key finds it by its name.
    bench.press(&[":"]).type_text("language of the screen");
    assert!(bench.row_with("Language of the screen").contains("F6"), "{}", bench.screen());
    bench.press(&["enter"]);
    assert!(bench.screen().contains(" 回答 "), "{}", bench.screen());
}

#[test]
fn messages_of_a_chinese_run_are_chinese_where_they_never_change() {
    let mut bench = Bench::with(160, 48, &TuiOptions { language: LanguageChoice::Chinese, ..options() });
    bench.press(&["enter"]);
    assert!(bench.screen().contains("还没有问题"), "{}", bench.screen());
    bench.app.on_reply(Reply::Note { text: "Nothing to ask yet: type a question first.".into(), failed: false });
    bench.draw();
    assert!(!bench.screen().contains("Nothing to ask"));
}

#[test]
fn accessible_mode_and_ask_speak_the_language_of_the_question() {
    let catena = Catena::new();
    let lines = [QUESTION, "help", "kept", "anchors", "hypothesis", "why 1", "case", "chains", "answer", "quit"].join("\n") + "\n";
    let ran = catena.run_with(["--accessible"], lines.as_bytes());
    let said = &ran.stdout;
    for words in [
        "Catena 已作答",
        "以下是回答。",
        "输入 kept 收听",
        "保留链 1：",
        "锚点 1：",
        "以下是假设。",
        "它是 ",
        "的来源是：",
        "所问：",
        "链 1：",
        "Catena 已关闭。",
    ] {
        assert!(said.contains(words), "{words} in {said}");
    }
    let after: Vec<&str> = said.lines().skip_while(|line| !line.contains("已作答")).collect();
    for english in
        ["Catena found", "This is", "Kept chain", "Its score", "It is kept", "Anchor ", "The source", "It matches", "Type ", "rests on"]
    {
        assert!(!after.iter().any(|line| line.contains(english)), "{english:?} in {after:?}");
    }
    let ran = catena.run(["ask", QUESTION]);
    assert!(ran.stdout.contains("\n证据 （保留 ") && !ran.stdout.contains("Evidence"), "{}", ran.stdout);
    let ran = catena.run(["ask", "heartburn after eating, what medicine?"]);
    assert!(ran.stdout.contains("\nEvidence ("), "{}", ran.stdout);
}
