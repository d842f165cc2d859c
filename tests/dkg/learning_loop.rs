//! The loop of WTS without a language model: an apprenticeship that begins with an empty graph, then a mastership.

use std::io::BufReader;
use std::sync::Arc;

use crate::support::data::{shared, unpacked};
use crate::support::engine::open_graph;
use catena::eval::learning::{LearningTrial, TrainingSet, TrialRules, markdown};
use catena::feedback::{TeachSettings, Teacher};
use catena::graph::GraphBuilder;
use catena::model::CancelToken;

#[test]
fn answers_get_better_from_an_empty_graph_on() {
    let Some(questions) = shared("en-genmedgpt/genmedgpt5k.jsonl.gz") else { return };
    let set = TrainingSet::read(BufReader::new(unpacked(&questions)), "genmedgpt5k").expect("questions");
    let (mut apprenticeship, mut mastership) = set.halves(1);
    let number = |name: &str, default: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    apprenticeship.truncate(number("CATENA_LOOP_TAUGHT", 500));
    mastership.truncate(number("CATENA_LOOP_ASKED", 150));
    let engine = open_graph(GraphBuilder::new("empty").finish());
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = Teacher::open(folder.path(), Arc::new(engine), TeachSettings::default()).expect("opens");
    let (rules, cancel) = (TrialRules::default(), CancelToken::new());
    let trial = LearningTrial { teacher: &teacher, apprenticeship: &apprenticeship, mastership: &mastership, rules, cancel: &cancel };
    let curve = trial.run(&|_| {}).expect("a learning curve");
    println!("{}", markdown(&curve));
    assert!(curve.before.mean().abs() < f64::EPSILON, "an empty graph answers nothing");
    assert!(curve.learned.windows(2).all(|w| w[0].1 <= w[1].1), "nothing is taken back");
    // This version has 0.059. It had 0.115 before answers were cut to the tests and treatments of the leading condition and refused where
    // too little is understood, and 0.069 before the changes of decision 75; which of these moved it was not measured.
    assert!(curve.after_apprenticeship.mean() > 0.05, "{:?}", curve.after_apprenticeship);
    assert!(
        curve.after_mastership.mean() >= curve.after_apprenticeship.mean() - 0.02,
        "{:?} after {:?}",
        curve.after_mastership,
        curve.after_apprenticeship
    );
    assert_eq!(teacher.dkg().statistics().expect("counted").learned, curve.learned.last().expect("points").1);
}

#[test]
fn a_trial_says_how_much_would_be_learned_and_leaves_nothing_behind() {
    let home = tempfile::tempdir().expect("a folder");
    let lessons: String = (0..12)
        .map(|i| {
            let gold = r#"{"conditions":["Gastritis"]}"#;
            format!("{{\"id\":{i},\"question\":\"I have a burning stomach and belching since day {i}. What is it?\",\"gold\":{gold}}}\n")
        })
        .collect();
    let file = home.path().join("lessons.jsonl");
    std::fs::write(&file, lessons + "not a lesson\n").expect("is written");
    let report = home.path().join("report.md");
    let run = std::process::Command::new(crate::support::BINARY)
        .env("CATENA_HOME", home.path())
        .args(["dkg", "trial"])
        .arg(&file)
        .arg("--report")
        .arg(&report)
        .output()
        .expect("runs");
    let (told, warned) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{warned}");
    assert!(warned.contains("1 × no JSON object (first in line 13)"), "{warned}");
    assert!(told.contains("| before | 0.000 (0 of 6) | – | – | 0.000 |"), "{told}");
    assert!(told.contains("| after the apprenticeship | 1.000 (6 of 6) | – | – | 1.000 |"), "{told}");
    assert!(told.contains("learned triples") && told.contains('•'), "a curve is drawn: {told}");
    let written = std::fs::read_to_string(&report).expect("a report");
    assert!(written.contains(told.trim_end()) && written.starts_with("# Learning curve"), "{written}");
    let mut left: Vec<String> = std::fs::read_dir(home.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into())
        .collect();
    left.sort();
    assert_eq!(left, ["lessons.jsonl", "report.md"]);
}

/// WTS's own loop on lessons of one kind, from an empty graph: what is printed.
fn wts_trial(arguments: &[&str]) -> String {
    wts_trial_of(arguments, |i| (format!("I have a burning stomach and belching since day {i}"), "Gastritis"))
}

/// The same on twelve lessons: what the patient says, and the condition.
fn wts_trial_of(arguments: &[&str], lesson: impl Fn(usize) -> (String, &'static str)) -> String {
    let home = tempfile::tempdir().expect("a folder");
    let lessons: String = (0..12)
        .map(|i| {
            let (said, condition) = lesson(i);
            format!("{{\"id\":{i},\"question\":\"{said}. What is it?\",\"gold\":{{\"conditions\":[\"{condition}\"]}}}}\n")
        })
        .collect();
    std::fs::write(home.path().join("lessons.jsonl"), lessons).expect("is written");
    let run = std::process::Command::new(crate::support::BINARY)
        .env("CATENA_HOME", home.path())
        .args(["dkg", "trial"])
        .arg(home.path().join("lessons.jsonl"))
        .args(["--method", "wts", "--apprenticeship", "8"])
        .args(arguments)
        .output()
        .expect("runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).into_owned()
}

/// The number before some words.
fn count(told: &str, words: &str) -> u64 {
    let before = told[..told.find(words).unwrap_or_else(|| panic!("{words} in {told}"))].trim_end();
    before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn wts_learns_what_it_did_not_know_and_not_what_it_is_sure_of() {
    let told = wts_trial(&[]);
    assert!(told.contains("Apprenticeship: 8 questions") && told.contains("Mastership: 4 questions"), "{told}");
    assert!(told.contains("| before | 0.000"), "{told}");
    // The first lesson is learned from an empty graph; once it is known, it is answered with confidence at the first depth (d = H) and teaches
    // nothing more.
    assert!(count(&told, "learned, ") > 0, "{told}");
    assert!(told.contains("answered with confidence from what is near"), "{told}");
    // With H = 0 every confident answer teaches, and what it teaches is redundant.
    let always = wts_trial(&["--enough-within", "0"]);
    assert!(!always.contains("from what is near"), "{always}");
    assert!(count(&always, "redundant, ") > count(&told, "redundant, "), "{always} {told}");
    // Nobody rates: no answer is good.
    let alone = wts_trial(&["--without-feedback"]);
    assert!(alone.contains("0 answers were rated good"), "{alone}");
}

#[test]
fn without_the_redundancy_check_what_is_nearly_the_same_is_learned_too() {
    let lesson = |i: usize| {
        let (said, condition) = [
            ("cough", "Acute bronchitis"),
            ("a cough", "Bronchitis"),
            ("cough", "Chronic bronchitis"),
            ("coughing", "Acute bronchitis in adults"),
        ][i % 4];
        (format!("I have {said} and wheeze"), condition)
    };
    let checked = wts_trial_of(&["--enough-within", "0"], lesson);
    let unchecked = wts_trial_of(&["--enough-within", "0", "--without-redundancy-check"], lesson);
    assert!(count(&unchecked, "learned, ") > count(&checked, "learned, "), "{unchecked} {checked}");
    assert!(count(&unchecked, "redundant, ") < count(&checked, "redundant, "), "{unchecked} {checked}");
}
