//! HyKGE with a language model for one of its parts (its Table 4): the calls, what is in them, and what becomes of the replies.

use std::sync::{Arc, Mutex};

use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::{AnchorOrigin, AnswerPart, Ask, AskOptions, Case, Fate, MentionOrigin, Stage, Trace, Triage};

use super::baselines::{QUESTION, TRIPLES, ask_usual, triples};
use super::models::engine_of;
use super::{ask_by, kept, texts};
use crate::support::engine::{graph_of, starter};
use crate::support::runs::{Run, rejecting, reopened};

const HYPOTHESIS: &str = "It may be zorbitis. Frizzol might help.";

fn origin(trace: &Trace, name: &str) -> Option<AnchorOrigin> {
    trace.anchors.iter().find(|anchor| anchor.entity == name).map(|anchor| anchor.origin)
}

/// The names that the model listed and that are linked: text, and where it stands.
fn listed(trace: &Trace) -> Vec<(&str, MentionOrigin)> {
    let by_model = trace.mentions.iter().filter(|mention| mention.recogniser == "llm");
    by_model.map(|mention| (mention.text.as_str(), mention.origin)).collect()
}

#[test]
fn names_are_those_that_the_model_lists_in_question_and_hypothesis() {
    let asked = ask_usual("hykge+ner", &[HYPOTHESIS, r#"["Quux pain", "Frizzol", "warfarin"]"#, "Frizzol treats Zorbitis."]);
    assert_eq!(asked.prompts(), ["hykge/hypothesis", "hykge/ner", "hykge/reader"]);
    assert_eq!(asked.forms, ["", "names", ""]);
    assert!(asked.calls[1].contains(QUESTION) && asked.calls[1].contains(HYPOTHESIS), "question and hypothesis in one call");
    let trace = asked.trace();
    assert_eq!(listed(trace), [("quux pain", MentionOrigin::Question), ("Frizzol", MentionOrigin::Hypothesis)]);
    assert_eq!(origin(trace, "Quux pain"), Some(AnchorOrigin::Question));
    assert_eq!(origin(trace, "Frizzol"), Some(AnchorOrigin::Hypothesis));
    assert_eq!((trace.anchors.len(), origin(trace, "Zorbitis")), (2, None), "what it does not list is no anchor: {:?}", trace.anchors);
    assert!(texts(trace).iter().any(|text| text.contains("Frizzol") && text.contains("Quux pain")), "between the two: {:?}", texts(trace));
    assert!(asked.run.warned("neither in the question nor in the hypothesis") && asked.run.warned("warfarin"), "{:?}", trace.warnings);
}

#[test]
fn a_list_of_nothing_leaves_the_names_to_the_usual_recogniser() {
    let usual = ask_usual("hykge", &[HYPOTHESIS, "Frizzol treats Zorbitis."]);
    for (reply, why) in [
        ("[]", "listed no name"),
        (r#"["warfarin", "gout"]"#, "listed no name"),
        ("quux pain, Frizzol", "could not read"),
        (r#"{"names": 3}"#, "could not read"),
        (" \n", "sent an empty answer"),
    ] {
        let asked = ask_usual("hykge+ner", &[HYPOTHESIS, reply, "Frizzol treats Zorbitis."]);
        let trace = asked.trace();
        assert!(
            asked.run.warned(why) && asked.run.warned("Catena recognises the names without the model"),
            "{reply:?}: {:?}",
            trace.warnings
        );
        assert_eq!((&trace.anchors, kept(trace)), (&usual.trace().anchors, kept(usual.trace())), "{reply:?}");
        assert_eq!(trace.mentions, usual.trace().mentions, "{reply:?}: nothing is told twice");
    }
}

/// An engine whose model replies by its prompt, and what it was asked.
fn by_prompt(of_part: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> (Engine, Arc<Mutex<Vec<String>>>) {
    engine_of(graph_of(TRIPLES), move |prompt| {
        let usual = || if prompt.contains("<evidence>") { "Frizzol treats Zorbitis." } else { HYPOTHESIS };
        Some(of_part(prompt).unwrap_or_else(|| usual().to_owned()))
    })
}

#[test]
fn a_run_that_is_linked_again_keeps_the_names_that_were_listed() {
    let (engine, asked) = by_prompt(|prompt| prompt.trim_end().ends_with("Names:").then(|| r#"["quux pain", "Frizzol"]"#.into()));
    let run = ask_by(&engine, "hykge+ner", QUESTION);
    assert_eq!((run.trace.anchors.len(), asked.lock().unwrap().len()), (2, 3), "{:?}", run.trace.anchors);
    let again = reopened(&run).revise(&engine, &Triage::default(), Stage::Link);
    assert_eq!((&again.trace.anchors, again.kept()), (&run.trace.anchors, run.kept()));
    assert_eq!(listed(&again.trace), listed(&run.trace));
    assert_eq!(asked.lock().unwrap().len(), 3, "the model is not asked again");
}

#[test]
fn the_best_chains_stand_as_the_model_scores_them() {
    let of_rank = |prompt: &str| {
        let count = triples(prompt).len();
        prompt.contains("<chains>").then(|| format!("{count}: 0.90; 1: 0.80; {}: 1.00", count + 1))
    };
    let (engine, asked) = by_prompt(of_rank);
    let run = ask_by(&engine, "hykge+reranker", QUESTION);
    let names: Vec<&str> = run.trace.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["hykge/hypothesis", "hykge/rank", "hykge/reader"]);
    let call = asked.lock().unwrap()[1].clone();
    let shown: Vec<String> = triples(&call).into_iter().map(str::to_owned).collect();
    assert!(call.contains(QUESTION) && call.contains(HYPOTHESIS) && shown.len() > 2, "{call}");
    // Eq. 4 says which are shown, in its order, which the chains keep that have no score.
    let (usual, _) = by_prompt(|_| None);
    let by_reranker = kept(&ask_by(&usual, "hykge", QUESTION).trace);
    assert_eq!(shown[..by_reranker.len()], by_reranker);
    assert!(shown.len() <= 40 && by_reranker.len() == shown.len().min(10), "topK is 10 here: {shown:?}");
    let mut expected = vec![shown[shown.len() - 1].clone(), shown[0].clone()];
    expected.extend_from_slice(&shown[1..shown.len() - 1]);
    assert_eq!(kept(&run.trace), expected[..by_reranker.len()]);
    let scores: Vec<f64> = run.trace.pruning.kept.iter().map(|scored| scored.score).collect();
    assert!((scores[0] - 0.95).abs() < 1e-9 && (scores[1] - 0.9).abs() < 1e-9 && scores[2] <= 0.5, "{scores:?}");
    let by = run.trace.pruning.scored.last().expect("a scorer");
    assert_eq!((by.scorer.as_str(), by.chains), ("script", 2), "a number that was not asked for does not count");
    run.assert_sound();
    // Carried on, the chains stand as they did, and the model is not asked for its scores again.
    let first = run.kept()[0].clone();
    let revised = reopened(&run).change(&engine, &rejecting([first]));
    assert_eq!(kept(&revised.trace), expected[1..].iter().take(10).cloned().collect::<Vec<_>>());
    let explained = Arc::new(engine).explain(&run.trace, run.trace.pruning.kept[1].chain).expect("a chain");
    assert!(matches!(explained.fate, Fate::Kept { .. }), "{:?}", explained.fate);
    assert_eq!(asked.lock().unwrap().len(), 3);
}

#[test]
fn a_reply_without_scores_leaves_the_order_of_the_reranker() {
    let usual = ask_usual("hykge", &[HYPOTHESIS, "Frizzol treats Zorbitis."]);
    for (reply, why) in [("The first is best.", "gave no scores"), ("1: 7; 0: 0.5", "gave no scores"), (" \n", "sent an empty answer")] {
        let asked = ask_usual("hykge+reranker", &[HYPOTHESIS, reply, "Frizzol treats Zorbitis."]);
        assert!(asked.run.warned(why) && asked.run.warned("keep the order of the reranker"), "{reply:?}: {:?}", asked.trace().warnings);
        assert_eq!(kept(asked.trace()), kept(usual.trace()), "{reply:?}");
    }
}

#[test]
fn the_reader_reads_a_summary_of_the_kept_chains() {
    let summary = "Frizzol is said to treat zorbitis.\nZorbitis hurts.";
    let asked = ask_usual("hykge+summary", &[HYPOTHESIS, summary, "Frizzol treats Zorbitis."]);
    assert_eq!(asked.prompts(), ["hykge/hypothesis", "hykge/summary", "hykge/reader"]);
    assert!(asked.calls[1].contains(QUESTION));
    assert_eq!(triples(&asked.calls[1]), kept(asked.trace()), "the kept chains in their order");
    let last = &asked.calls[2];
    assert!(last.contains(&format!("<evidence>\n{summary}\n</evidence>")) && last.contains(QUESTION), "{last}");
    assert!(!kept(asked.trace()).iter().any(|chain| last.contains(chain.as_str())), "and not the chains: {last}");
    let answer = &asked.trace().answer;
    assert!(answer.by_model && answer.text.contains("Frizzol treats Zorbitis"), "{}", answer.text);
    // Without a summary it reads the chains.
    let asked = ask_usual("hykge+summary", &[HYPOTHESIS, " \n", "Frizzol treats Zorbitis."]);
    assert!(asked.run.warned("reads the chains themselves"), "{:?}", asked.trace().warnings);
    assert!(kept(asked.trace()).iter().all(|chain| asked.calls[2].contains(chain.as_str())), "{}", asked.calls[2]);
}

/// What stands above the answers to a question and to one that follows it.
fn warned_of(engine: &Engine, method: &str, questions: [&str; 2]) -> Vec<Vec<String>> {
    let mut follows: Option<Arc<Case>> = None;
    let mut said = Vec::new();
    for question in questions {
        let mut run = Run { trace: Trace::default(), events: Vec::new(), latest: 0 };
        let options = AskOptions { method: Some(super::method(method)), follows: follows.clone(), ..AskOptions::default() };
        engine.run(question, options, &CancelToken::new(), &mut |event| run.take(event));
        let lines = run.trace.answer.lines.iter().filter(|line| line.part == AnswerPart::Safety);
        said.push(lines.map(|line| line.text.clone()).collect());
        follows = Some(Arc::clone(&run.trace.case));
    }
    said
}

#[test]
fn what_the_model_does_not_list_is_warned_of_all_the_same() {
    let (engine, _) = engine_of(starter(), |prompt| {
        Some(if prompt.trim_end().ends_with("Names:") { r#"["pain"]"#.into() } else { "It goes well together. The pain passes.".into() })
    });
    for questions in [
        ["Can I take ibuprofen with warfarin for the pain?", "And what else helps the pain?"],
        ["I take warfarin and have pain.", "Can I take ibuprofen for the pain?"],
    ] {
        let [usual, by_model] = ["hykge", "hykge+ner"].map(|method| warned_of(&engine, method, questions));
        assert!(usual.iter().any(|said| !said.is_empty()), "{questions:?}");
        assert_eq!(by_model, usual, "{questions:?}");
    }
}
