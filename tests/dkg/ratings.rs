//! What ratings teach the ranking: chains that rated answers cited gain or lose, and what an answer left out is pinned for questions like it.

use std::path::Path;

use catena::dkg::{Act, ProposalId, Rating, Status};
use catena::feedback::{GivenRating, RatingResult, TeachSettings, Teacher};
use catena::graph::{ChainTable, Role};
use catena::method::Engine;
use catena::model::CancelToken;
use catena::run::{AnswerPart, Ask, AskOptions, Fate, Taught, Trace};

use crate::support::engine::built_in;
use crate::support::runs::REFLUX;

const DISEASE: &str = "Gastro-oesophageal reflux disease";

fn teacher(folder: &Path) -> Teacher {
    Teacher::open(folder, built_in(), TeachSettings::default()).expect("the folder is usable")
}

fn ask(engine: &Engine, method: &str, question: &str) -> Trace {
    let mut trace = Trace::default();
    let options = AskOptions { method: Some(method.parse().expect("a method")), ..AskOptions::default() };
    engine.run(question, options, &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    trace
}

fn rate(teacher: &Teacher, trace: &Trace, given: &GivenRating) -> RatingResult {
    teacher.rate(trace, given, &CancelToken::new()).expect("is recorded")
}

/// What was kept, with the scores.
fn kept(trace: &Trace) -> Vec<(String, f64)> {
    let score = |id: u32| trace.pruning.kept[id as usize - 1].score;
    trace.kept().map(|(id, _, chain)| (trace.table.text(chain), score(id))).collect()
}

/// The number of the first chain that the answer cites.
fn cited(trace: &Trace) -> u32 {
    trace.pruning.kept[trace.answer.citations[0] as usize - 1].chain
}

#[test]
fn cited_chains_gain_and_lose_within_a_bound_and_an_undo_takes_it_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    let engine = teacher.engine();
    let before = ask(engine, "catena", REFLUX);
    let taught = || engine.explain(&before, cited(&before)).expect("a chain").taught;
    assert_eq!(taught(), None, "nobody has rated anything");

    // Each is of another run: of one answer, only the latest rating counts.
    let again = |number: u32| {
        let mut trace = before.clone();
        trace.id = format!("{}-{number}", trace.id);
        trace
    };
    let bad = rate(&teacher, &again(99), &GivenRating::plain(Rating::Bad));
    assert_eq!(taught(), Some(Taught { good: 0, bad: 1, added: -0.02, pinned_by: None }));
    let after = ask(engine, "catena", REFLUX);
    assert_ne!(kept(&after), kept(&before), "what a bad answer cited lost");
    assert_eq!(kept(&after), kept(&ask(engine, "catena", REFLUX)), "the same each time");
    // Without its ratings, and by a method of a paper, nothing has changed.
    assert_eq!(kept(&ask(engine, "catena-ratings", REFLUX)), kept(&before));
    let published = ask(engine, "hykge", REFLUX);
    assert_eq!(engine.explain(&published, cited(&published)).expect("a chain").taught, None);

    // Good and bad answers outweigh each other, and many weigh no more than some.
    let good = rate(&teacher, &before, &GivenRating::plain(Rating::Good));
    assert_eq!(taught(), Some(Taught { good: 1, bad: 1, added: 0.0, pinned_by: None }));
    assert_eq!(kept(&ask(engine, "catena", REFLUX)), kept(&before));
    let changed = rate(&teacher, &again(99), &GivenRating::plain(Rating::Good));
    assert_eq!((changed.replaces, changed.repeated), (Some((bad.record, Rating::Bad)), false));
    assert_eq!(
        taught(),
        Some(Taught { good: 2, bad: 0, added: 0.04, pinned_by: None }),
        "whoever changes their mind is taken at their word"
    );
    teacher.undo(changed.record).expect("is recorded");
    assert_eq!(taught(), Some(Taught { good: 1, bad: 1, added: 0.0, pinned_by: None }), "and the earlier rating counts again");
    let many: Vec<u64> = (0..7).map(|number| rate(&teacher, &again(number), &GivenRating::plain(Rating::Good)).record).collect();
    assert_eq!(taught(), Some(Taught { good: 8, bad: 1, added: 0.08, pinned_by: None }));

    for record in many.into_iter().chain([good.record, bad.record]) {
        teacher.undo(record).expect("is recorded");
    }
    assert_eq!(taught(), None);
    assert_eq!(kept(&ask(engine, "catena", REFLUX)), kept(&before), "an undo leaves nothing behind");
}

/// A treatment of reflux that the graph knows and of which a chain was found, but which neither a kept chain nor the answer names.
fn left_out(trace: &Trace) -> String {
    let table: &ChainTable = &trace.table;
    let name = |node: u32| table.entities[node as usize].name.as_str();
    let is_kept = |wanted: &str| trace.kept().any(|(_, _, chain)| chain.nodes().iter().any(|node| name(*node) == wanted));
    let mut treatments: Vec<&str> = Vec::new();
    for hop in table.chains.iter().flat_map(catena::graph::Chain::hops) {
        let ends = [name(hop.from), name(hop.to)];
        let is_drug = |node: u32| table.entities[node as usize].kind == "drug";
        if table.relations[usize::from(hop.relation)].role == Role::Treatment && ends.contains(&DISEASE) {
            treatments.extend([hop.from, hop.to].into_iter().filter(|node| is_drug(*node)).map(name));
        }
    }
    let found = treatments.into_iter().find(|treatment| !is_kept(treatment) && !trace.answer.text.contains(treatment));
    found.expect("the graph knows more treatments than an answer names").to_owned()
}

fn gold(text: String) -> GivenRating {
    GivenRating { gold: text, ..GivenRating::plain(Rating::Gold) }
}

/// The kept chain that states the fact about a treatment, if there is one.
fn chain_of(trace: &Trace, treatment: &str) -> Option<u32> {
    let has = |name: &str, chain: &catena::graph::Chain| chain.nodes().iter().any(|node| trace.table.entities[*node as usize].name == name);
    trace.kept().find(|(_, _, chain)| has(treatment, chain) && has(DISEASE, chain)).map(|(_, number, _)| number)
}

fn states(trace: &Trace, treatment: &str) -> bool {
    trace.answer.lines.iter().any(|line| !line.citations.is_empty() && line.stated().any(|stated| stated == treatment))
}

#[test]
fn a_known_fact_that_was_ranked_out_is_pinned_for_questions_like_this_until_it_is_undone() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = teacher(folder.path());
    let before = ask(first.engine(), "catena", REFLUX);
    let treatment = left_out(&before);
    let rated = rate(&first, &before, &gold(format!("{treatment} treats gastro-oesophageal reflux disease.")));
    assert_eq!(rated.pinned, [format!("{treatment} \u{2192} treats \u{2192} {DISEASE}")]);
    drop(first);

    // It outlives the program, and is the same however often it is asked.
    let teacher = teacher(folder.path());
    let engine = teacher.engine();
    let after = ask(engine, "catena", REFLUX);
    let chain = chain_of(&after, &treatment).expect("its chain is kept");
    assert!(states(&after, &treatment), "the answer says it: {}", after.answer.text);
    assert_eq!(after.answer.text, ask(engine, "catena", REFLUX).answer.text);
    let pin = rated.record + 2;
    let pinned_by = |trace: &Trace| {
        (0..trace.table.chains.len() as u32)
            .filter(|number| trace.kept_id(*number).is_some())
            .filter_map(|number| engine.explain(trace, number).expect("a chain").taught?.pinned_by)
            .collect::<Vec<u64>>()
    };
    assert_eq!(pinned_by(&after), [pin]);
    assert!(matches!(engine.explain(&after, chain).expect("a chain").fate, Fate::Kept { pinned: false, .. }), "the doctor did not pin it");
    // First-line treatments keep their places.
    assert!(after.answer.text.contains("first: Proton pump inhibitor"), "{}", after.answer.text);

    // Not where something else is asked, nor without ratings.
    assert_eq!(pinned_by(&ask(engine, "catena", "Which tests confirm gastro-oesophageal reflux disease?")), [] as [u64; 0]);
    let without = ask(engine, "catena-ratings", REFLUX);
    assert_eq!((kept(&without), &without.answer.text), (kept(&before), &before.answer.text));

    // The doctor keeps it out.
    let key = catena::run::ChainKey::of(&after.table, &after.table.chains[chain as usize]);
    let run = crate::support::runs::Run { trace: after.clone(), events: Vec::new(), latest: 0 };
    let rejected = run.change(engine, &crate::support::runs::rejecting([key.clone()]));
    assert!(!rejected.kept().contains(&key), "a rejection goes before a pin");

    let undone = teacher.undo(rated.record).expect("is recorded");
    let again = ask(engine, "catena", REFLUX);
    assert_eq!((kept(&again), &again.answer.text), (kept(&before), &before.answer.text), "undone with the rating");
    teacher.undo(undone.record).expect("is recorded");
    assert!(states(&ask(engine, "catena", REFLUX), &treatment), "and back with it");
    teacher.undo(pin).expect("is recorded");
    assert!(!states(&ask(engine, "catena", REFLUX), &treatment), "or undone alone");
}

#[test]
fn the_comment_on_a_bad_answer_pins_what_it_states_and_teaches_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    let trace = ask(teacher.engine(), "catena", REFLUX);
    let treatment = left_out(&trace);
    let bad = |comment: String| GivenRating { comment, ..GivenRating::plain(Rating::Bad) };

    let vague = rate(&teacher, &trace, &bad(format!("Why is {treatment} missing here? Too long.")));
    assert_eq!(vague.pinned, [] as [String; 0], "a name is no fact");
    let unknown = rate(&teacher, &trace, &bad("Zavexil treats gastro-oesophageal reflux disease.".into()));
    assert_eq!((unknown.pinned.len(), unknown.proposals.len()), (0, 0), "what a bad answer's comment states is not learned");
    let stated = rate(&teacher, &trace, &bad(format!("Too long. {treatment} treats gastro-oesophageal reflux disease!")));
    assert_eq!(stated.pinned, [format!("{treatment} \u{2192} treats \u{2192} {DISEASE}")]);
    assert!(stated.proposals.iter().all(|state| state.proposal.act == Act::Retract));
    assert!(states(&ask(teacher.engine(), "catena", REFLUX), &treatment));
}

#[test]
fn what_the_answer_says_already_is_not_pinned() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    let trace = ask(teacher.engine(), "catena", REFLUX);
    let stated = "Potassium-competitive acid blocker";
    assert!(states(&trace, stated), "{}", trace.answer.text);
    assert_eq!(rate(&teacher, &trace, &gold(format!("{stated} treats gastro-oesophageal reflux disease."))).pinned, [] as [String; 0]);
}

#[test]
fn the_same_rating_of_the_same_answer_is_recorded_once_and_equal_proposals_are_listed_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = teacher(folder.path());
    let good = GivenRating::plain(Rating::Good);
    // Of some answers the graph states all that a good rating would propose.
    let joints = "My joints are stiff in the morning and my fingers are swollen. What could it be, and what helps?";
    let tired = "I am tired and pale, and my heart races on the stairs. Which tests do I need, and what helps?";
    let proposing = [REFLUX, joints, tired].into_iter().find_map(|question| {
        let trace = ask(first.engine(), "catena", question);
        let rated = rate(&first, &trace, &good);
        (!first.waiting().expect("is read").pending.is_empty()).then_some((trace, rated))
    });
    let (trace, rated) = proposing.expect("an answer proposes something");
    assert!(!rated.repeated);
    let next = first.dkg().next_seq();
    drop(first);

    // Also after a restart, and where no comment says more.
    let teacher = teacher(folder.path());
    for _ in 0..2 {
        let again = rate(&teacher, &trace, &good);
        assert_eq!((again.repeated, again.record, again.proposals.len()), (true, rated.record, rated.proposals.len()));
        assert!(again.warnings.iter().any(|warning| warning.contains("nothing new was recorded")), "{:?}", again.warnings);
        assert_eq!(teacher.dkg().next_seq(), next);
    }
    assert!(!rate(&teacher, &trace, &GivenRating { comment: "clear".into(), ..good.clone() }).repeated, "a comment says more");
    let bad = rate(&teacher, &trace, &GivenRating::plain(Rating::Bad));
    assert!(!bad.repeated && bad.replaces.is_some(), "another rating");
    assert!(!rate(&teacher, &trace, &good).repeated, "and good again is a change of mind, too");
    teacher.undo(bad.record).expect("is recorded");

    // The same question, asked and rated again, proposes the same: it is listed once, and decided about once.
    let asked_again = ask(teacher.engine(), "catena", &trace.question);
    assert_ne!(asked_again.id, trace.id);
    rate(&teacher, &asked_again, &good);
    let listed = teacher.waiting().expect("is read").pending;
    let distinct: std::collections::HashSet<_> = listed.iter().map(|state| (state.proposal.act, &state.proposal.triple)).collect();
    assert_eq!(distinct.len(), listed.len(), "each once");
    assert!(teacher.dkg().waiting().expect("is read").pending.len() > listed.len(), "the journal has them all");
    let one = listed.iter().find(|state| state.proposal.act == Act::Add).expect("something to learn");
    let decided = teacher.accept(vec![one.id]).expect("is recorded");
    assert_eq!(decided.learned, 1);
    let left = teacher.waiting().expect("is read").pending;
    assert!(!left.iter().any(|state| state.proposal.triple == one.proposal.triple), "the equal one does not come back");
    teacher.undo(decided.record).expect("is recorded");
    assert_eq!(teacher.waiting().expect("is read").pending.len(), listed.len(), "undone, it waits again, once");

    // A rating that was undone counts no more.
    teacher.undo(rated.record).expect("is recorded");
    let other = rate(&teacher, &trace, &GivenRating { comment: "clear".into(), ..good.clone() });
    assert!(other.repeated && other.record != rated.record, "the one with a comment is in force");
}

const COUGH: &str =
    "72-year-old man on amlodipine and ramipril, dry cough for 6 weeks and swollen ankles, no fever. What is the likely cause?";

fn named_in(trace: &Trace, part: AnswerPart, name: &str) -> bool {
    trace.answer.lines.iter().any(|line| line.part == part && !line.citations.is_empty() && line.text.contains(name))
}

#[test]
fn what_a_gold_answer_named_is_in_the_next_answer_to_this_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    let named =
        [(AnswerPart::Conditions, "Heart failure"), (AnswerPart::Tests, "Echocardiogram"), (AnswerPart::Treatments, "Loop diuretic")];
    let before = ask(teacher.engine(), "catena", COUGH);
    assert!(named.iter().any(|(part, name)| !named_in(&before, *part, name)), "{}", before.answer.text);
    let rated = rate(&teacher, &before, &gold("Conditions: Heart failure\nTests: Echocardiogram\nTreatments: Loop diuretic".into()));
    let after = ask(teacher.engine(), "catena", COUGH);
    for (part, name) in named {
        assert!(named_in(&after, part, name), "{name}: {}", after.answer.text);
    }
    teacher.undo(rated.record).expect("is recorded");
    assert_eq!(ask(teacher.engine(), "catena", COUGH).answer.text, before.answer.text, "undone with the rating");
}

#[test]
fn what_a_gold_answer_adds_to_the_graph_is_in_the_next_answer_once_it_is_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let teacher = teacher(folder.path());
    let before = ask(teacher.engine(), "catena", COUGH);
    let rated = rate(&teacher, &before, &gold("Conditions: Zavexil lung".into()));
    let next = || ask(teacher.engine(), "catena", COUGH);
    assert_eq!(next().answer.text, before.answer.text, "nothing is said that nobody accepted");
    let new: Vec<ProposalId> = rated.proposals.iter().filter(|state| state.status == Status::Pending).map(|state| state.id).collect();
    assert!(!new.is_empty() && rated.pinned.is_empty(), "{rated:?}");
    let accepted = teacher.accept(new).expect("is recorded");
    assert!(named_in(&next(), AnswerPart::Conditions, "Zavexil lung"), "{}", next().answer.text);
    teacher.undo(accepted.record).expect("is recorded");
    assert_eq!(next().answer.text, before.answer.text);
}
