//! `catena ask --batch`: many questions, one trace a line, in the order of the input.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, IsTerminal, Write, stderr, stdin, stdout};
use std::path::Path;

use super::exit;
use super::messages::note;
use crate::method::Engine;
use crate::model::CancelToken;
use crate::run::{AskOptions, Outcome, Trace, TraceDocument};
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

/// Lines that are answered in parallel before they are printed.
const BATCH: usize = 32;
/// Some editors write this at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Answers every line. For a line that fails it prints `{"id","error"}` and goes on; the exit code is still 0.
pub(super) fn run(engine: &Engine, path: &Path, max_chains: usize) -> anyhow::Result<u8> {
    let reader: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path).with_context(|| format!("cannot read {}", path.display()))?))
    };
    let mut out = BufWriter::with_capacity(1 << 20, stdout().lock());
    let progress = progress_bar();
    let (mut lines, mut failed) = (0u64, 0u64);
    let mut batch: Vec<(u64, Vec<u8>)> = Vec::with_capacity(BATCH);
    let mut splits = reader.split(b'\n');
    loop {
        batch.clear();
        while batch.len() < BATCH
            && let Some(line) = splits.next()
        {
            let mut line = line.with_context(|| format!("cannot read {} after line {lines}", path.display()))?;
            lines += 1;
            if lines == 1 && line.starts_with(BYTE_ORDER_MARK) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                batch.push((lines, line));
            }
        }
        if batch.is_empty() {
            break;
        }
        let answers: Vec<(String, bool)> = batch.par_iter().map(|(number, line)| answer(engine, *number, line, max_chains)).collect();
        for (text, ok) in answers {
            failed += u64::from(!ok);
            out.write_all(text.as_bytes())?;
            out.write_all(b"\n")?;
            progress.inc(1);
        }
        out.flush()?;
    }
    progress.finish_and_clear();
    if failed > 0 {
        note(&format!("{failed} of {lines} lines could not be answered; their output lines say why"))?;
    }
    Ok(exit::DONE)
}

/// The output line for an input line, and whether it is a trace.
fn answer(engine: &Engine, number: u64, line: &[u8], max_chains: usize) -> (String, bool) {
    let fail = |id: serde_json::Value, error: String| (serde_json::json!({ "id": id, "error": error }).to_string(), false);
    let no_id = || serde_json::Value::from(number.to_string());
    let text = match std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) {
        Ok(text) => text,
        Err(error) => return fail(no_id(), format!("line {number} is not valid UTF-8: {error}")),
    };
    let form = "a JSON object with \"id\" and \"question\"";
    let line: serde_json::Map<String, serde_json::Value> = match serde_json::from_str(text) {
        Ok(line) => line,
        Err(error) => return fail(no_id(), format!("line {number} is not {form}: {error}")),
    };
    let id = match line.get("id") {
        Some(serde_json::Value::String(id)) if !id.is_empty() => id.clone(),
        Some(serde_json::Value::Number(id)) => id.to_string(),
        _ => number.to_string(),
    };
    let question = match line.get("question") {
        Some(serde_json::Value::String(question)) => question,
        Some(_) => return fail(id.into(), format!("the \"question\" of line {number} is not a string")),
        None => return fail(id.into(), format!("line {number} has no \"question\"")),
    };
    let mut trace = Trace::default();
    let options = AskOptions { id: Some(id.clone()), ..AskOptions::default() };
    let outcome = engine.run(question, options, &CancelToken::new(), &mut |event| {
        trace.apply(&event);
        true
    });
    if let Outcome::Failed { message } = outcome {
        return fail(id.into(), message);
    }
    match serde_json::to_string(&TraceDocument::of(&trace, max_chains)) {
        Ok(json) => (json, true),
        Err(error) => fail(id.into(), format!("cannot write the trace: {error}")),
    }
}

/// Counts answers on standard error, if that is a terminal and standard output is not.
fn progress_bar() -> ProgressBar {
    if !stderr().is_terminal() || stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{pos} questions answered, {per_sec}, {elapsed} elapsed") {
        bar.set_style(style);
    }
    bar
}
