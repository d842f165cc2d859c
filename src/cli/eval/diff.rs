//! `catena eval --diff` and `--open`: the questions on which two methods differ.

use std::io::{BufWriter, Write, stdout};

use crate::cli::eval_args::EvalArgs;
use crate::cli::exit::{self, UsageError};
use crate::cli::screen;
use crate::eval::dataset::EvalQuestion;
use crate::eval::metric::entities_counted;
use crate::eval::{Arm, Differing, EvalFolder, Measure, differing};
use crate::run::{AnswerPart, Event};
use crate::session::read_events;
use crate::text::sanitise_line;
use crate::tui::{Expected, RunPair};

/// The most entities of an answer to list.
const ENTITIES: usize = 6;
/// The most questions to open at once: their recordings are held in memory.
const OPENED: usize = 500;

pub(super) fn run(args: &EvalArgs, folder: &EvalFolder, questions: &[&EvalQuestion], arms: &[Arm]) -> anyhow::Result<u8> {
    let [first, second, ..] = arms else {
        return Err(UsageError("name two different methods: --method A,B".into()).into());
    };
    let found = differing(folder, questions, *first, *second, args.measure)?;
    let names = [first.label(arms), second.label(arms)];
    if let Some(id) = &args.open {
        return open(folder, [*first, *second], &found, names, id);
    }
    let mut out = BufWriter::new(stdout().lock());
    if found.is_empty() {
        writeln!(out, "{} and {} score the same on all {} questions.", names[0], names[1], questions.len())?;
    }
    for differing in &found {
        print(&mut out, differing, &names)?;
    }
    if let Some(first) = found.first() {
        let better = found.iter().filter(|d| (d.shares.1 > d.shares.0) == d.measure.is_better_high()).count();
        writeln!(
            out,
            "{} of {} questions differ: {} is better on {better}, {} on {}.\nTo see them side by side, use --open {} instead of --diff.",
            found.len(),
            questions.len(),
            names[1],
            names[0],
            found.len() - better,
            sanitise_line(&first.question.id)
        )?;
    }
    out.flush()?;
    Ok(exit::DONE)
}

/// Opens the questions in the terminal interface, with both runs side by side.
fn open(folder: &EvalFolder, arms: [Arm; 2], found: &[Differing<'_>], names: [String; 2], id: &str) -> anyhow::Result<u8> {
    let shown = match (found.iter().position(|differing| differing.question.id == id), id) {
        (Some(position), _) => position,
        (None, "") => 0,
        _ => {
            let why = "the methods score the same on it, or it was not asked. --diff lists the questions on which they differ";
            return Err(UsageError(format!("nothing to compare on question {id:?}: {why}")).into());
        }
    };
    if found.is_empty() {
        return Err(UsageError(format!("{} and {} score the same on all questions: nothing to compare", names[0], names[1])).into());
    }
    // Open a window around the first one shown.
    let begin = shown.saturating_sub(OPENED / 2).min(found.len().saturating_sub(OPENED));
    let window = &found[begin..found.len().min(begin + OPENED)];
    let recorded = |arm: Arm, question: &EvalQuestion| -> anyhow::Result<Vec<Event>> {
        Ok(read_events(&folder.trace_file(arm, &question.id))?.events)
    };
    let pair = |differing: &Differing<'_>| -> anyhow::Result<RunPair> {
        let question = differing.question;
        Ok(RunPair {
            title: format!("{} · {}", sanitise_line(&question.id), measured(differing.measure)),
            expected: question.gold.asked.iter().map(|part| expected(question, *part)).collect(),
            names: names.clone(),
            shares: [differing.shares.0, differing.shares.1].map(|share| format!("{share:.2}")),
            first: recorded(arms[0], question)?,
            second: recorded(arms[1], question)?,
        })
    };
    screen::side_by_side(window.iter().map(pair).collect::<anyhow::Result<_>>()?, shown - begin)
}

/// The metric, with how many entities of an answer count.
fn measured(measure: Measure) -> String {
    let part = [AnswerPart::Conditions, AnswerPart::Tests, AnswerPart::Treatments]
        .into_iter()
        .find(|part| Measure::key_entity(*part) == Some(measure));
    part.map_or_else(|| measure.label().to_owned(), |part| format!("{}, first {} of an answer", measure.label(), entities_counted(part)))
}

/// The gold entities of one part of the answer.
fn expected(question: &EvalQuestion, part: AnswerPart) -> Expected {
    Expected { part: part.title().to_lowercase(), entities: question.gold.of_part(part).to_vec() }
}

fn print(out: &mut impl Write, differing: &Differing<'_>, names: &[String; 2]) -> std::io::Result<()> {
    let Differing { question, measure, shares, only_first, only_second } = differing;
    writeln!(out, "{}  {}", sanitise_line(&question.id), sanitise_line(&question.question))?;
    for part in &question.gold.asked {
        let gold: Vec<&str> = question.gold.of_part(*part).iter().filter_map(|names| names.first()).map(String::as_str).collect();
        writeln!(out, "  expected {}: {}", part.title().to_lowercase(), gold.join(", "))?;
    }
    for (name, share, only) in [(&names[0], shares.0, only_first), (&names[1], shares.1, only_second)] {
        let more = only.len().saturating_sub(ENTITIES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let stated = only.iter().take(ENTITIES).map(|entity| sanitise_line(entity)).collect::<Vec<_>>().join(", ");
        let alone = if only.is_empty() { "no further entity".to_owned() } else { format!("{stated}{more}") };
        writeln!(out, "  {name}: {} {share:.2}; only this answer states: {alone}", measure.label())?;
    }
    writeln!(out)
}
