//! How fast language models read and write, as shares of what the device can do; what they need of its memory; how soon they stop.

use std::path::Path;
use std::time::{Duration, Instant};

use catena::model::infer::lm::{self, Computation, LanguageModel};
use catena::model::{Finish, Generator, Prompt, Sampling};
use serde_json::json;

use super::bounds::Bounds;
use super::correct::{open, tokens};
use super::gguf::{self, Quantisation, Shape};
use super::profile;
use super::report::{Problem, Report};
use super::shapes::language_models;
use super::{Bench, median, remove};

/// Tokens of short and long prompts, and tokens written.
const SHORT: usize = 512;
const LONG: usize = 2048;
const WRITTEN: usize = 128;
/// A stop has to be obeyed within so many milliseconds.
const STOP_MS: f64 = 100.0;

/// Sizes of one run; a dry run has smaller ones.
struct Sizes {
    short: usize,
    long: usize,
    written: usize,
    runs: usize,
}

pub(crate) fn measure(bench: &Bench, report: &mut Report, bounds: &Bounds) {
    let [small, middle, llama, qwen] = language_models(bench.tiny);
    let forms = [Quantisation::Q8_0, Quantisation::Q4KM, Quantisation::Bf16];
    // The most telling first: 7B is what a card is for.
    let order = [qwen, small, middle, llama].into_iter().flat_map(|shape| forms.map(|form| (shape, form)));
    for (shape, form) in order {
        let name = format!("{}, {}", shape.name, form.name());
        let gigabytes = shape.bytes_per_token(form) as f64 / 1e9;
        let seconds = if bench.tiny { 1.0 } else { 5.0 + 2.0 * gigabytes };
        report.measure(&name, seconds, |report| {
            let path = bench.dir.join("model.gguf");
            let measured = one(bench, report, bounds, &name, (&shape, form), &path);
            remove(&path);
            measured
        });
    }
}

fn one(
    bench: &Bench,
    report: &mut Report,
    bounds: &Bounds,
    name: &str,
    (shape, form): (&Shape, Quantisation),
    path: &Path,
) -> Result<(), Problem> {
    let sizes = if bench.tiny {
        Sizes { short: 64, long: 128, written: 16, runs: 1 }
    } else {
        Sizes { short: SHORT, long: LONG, written: WRITTEN, runs: 3 }
    };
    let began = Instant::now();
    gguf::write(path, shape, form)?;
    let writing = began.elapsed().as_secs_f64();
    let before = bench.used();
    let began = Instant::now();
    let mut model = open(path, &bench.device, Computation::Fastest)?;
    bench.device.synchronize()?;
    let opening = began.elapsed().as_secs_f64();
    let inspection = lm::inspect(path)?;

    let vocabulary = model.vocabulary();
    let (short, long) = (tokens(sizes.short, vocabulary), tokens(sizes.long, vocabulary));
    // The first pass compiles and loads kernels.
    model.logits(&long)?;
    let used = bench.used().zip(before).map(|(after, before)| after.saturating_sub(before) as f64 / 1e9);
    let mut read = |tokens: &[u32]| -> Result<f64, Problem> {
        let mut rates = Vec::new();
        for _ in 0..sizes.runs {
            let began = Instant::now();
            model.logits(tokens)?;
            rates.push(tokens.len() as f64 / began.elapsed().as_secs_f64());
        }
        Ok(median(rates))
    };
    let (read_short, read_long) = (read(&short)?, read(&long)?);
    let step = write_tokens(&mut model, &short, &sizes)?;
    let texts = texts(&mut model, &sizes)?;

    let bytes = shape.bytes_per_token(form) as f64 + (sizes.short + sizes.written / 2) as f64 * shape.kv_bytes_per_token() as f64;
    let operations = shape.operations_per_token() as f64;
    report.figures(
        &format!("speed: {name}"),
        vec![
            ("read_512_tok_s", json!(read_short)),
            ("share", json!(read_short * operations / bounds.arithmetic)),
            ("read_2048_tok_s", json!(read_long)),
            ("share_2048", json!(read_long * operations / bounds.arithmetic)),
            ("write_tok_s", json!(1.0 / step)),
            ("share_of_bandwidth", json!(bytes / step / bounds.bandwidth)),
            ("first_token_ms", json!(texts.first_token_ms)),
            ("with_drawing_tok_s", json!(texts.rate)),
        ],
    );
    let positions = sizes.long.next_multiple_of(256);
    report.figures(
        &format!("memory: {name}"),
        vec![
            ("used_gb", json!(used)),
            ("estimate_gb", json!(inspection.memory(positions) as f64 / 1e9)),
            ("estimate_8192_gb", json!(inspection.memory(lm::CONTEXT) as f64 / 1e9)),
            ("opened_in_s", json!(opening)),
            ("written_in_s", json!(writing)),
        ],
    );
    profile::of_step(bench, report, name, (shape, form), step)?;
    // In the middle of a prompt. A tiny model may be done before any time has passed.
    let reading = Duration::from_secs_f64(if bench.tiny { 0.0 } else { sizes.long as f64 / read_long / 2.0 });
    let in_prompt = When { in_prompt: true, after: reading };
    let in_text = When { in_prompt: false, after: Duration::ZERO };
    stop(bench, report, &format!("stop while it reads: {name}"), &mut model, in_prompt, &sizes)?;
    stop(bench, report, &format!("stop while it writes: {name}"), &mut model, in_text, &sizes)?;
    Ok(())
}

/// Seconds that a token takes that is written after the short prompt.
fn write_tokens(model: &mut LanguageModel, prompt: &[u32], sizes: &Sizes) -> Result<f64, Problem> {
    let mut all = prompt.to_vec();
    model.logits(&all)?;
    let mut steps = Vec::new();
    for i in 0..sizes.written {
        all.push((i * 31) as u32);
        let began = Instant::now();
        model.continue_logits(&all)?;
        steps.push(began.elapsed().as_secs_f64());
    }
    Ok(median(steps))
}

struct Texts {
    first_token_ms: f64,
    rate: f64,
}

/// A text after a prompt of about the short length (each letter is a token), drawing and all.
fn texts(model: &mut LanguageModel, sizes: &Sizes) -> Result<Texts, Problem> {
    let sampling = Sampling { max_tokens: sizes.written, ..Sampling::default() };
    let (mut first, mut rates) = (Vec::new(), Vec::new());
    for run in 0..sizes.runs {
        // Another beginning, so that nothing is used again.
        let prompt = Prompt::new("", format!("{run}{}", "abc ".repeat(sizes.short / 4)));
        model.logits(&[0])?;
        let done = model.generate(&prompt, &sampling, &mut |_| true)?;
        first.push(done.first_token_ms);
        rates.push(done.new_tokens.unwrap_or(0).saturating_sub(1) as f64 * 1e3 / done.decode_ms);
    }
    Ok(Texts { first_token_ms: median(first), rate: median(rates) })
}

/// A caller who wants no more after a while. Counted: the longest time between two moments at which the model asks, and the time from "no"
/// to its return.
fn stop(bench: &Bench, report: &mut Report, name: &str, model: &mut LanguageModel, when: When, sizes: &Sizes) -> Result<(), Problem> {
    let prompt = Prompt::new("", if when.in_prompt { "xyz ".repeat(sizes.long / 4) } else { "xyz ".into() });
    // A text may end by itself before; another seed gives another one.
    for seed in 0..8 {
        let max_tokens = if when.in_prompt { 1 } else { 4 * sizes.written };
        let sampling = Sampling { max_tokens, seed, ..Sampling::default() };
        model.logits(&[0])?;
        let began = Instant::now();
        let (mut last, mut gap, mut pieces) = (began, Duration::ZERO, 0);
        let mut asked = None;
        let done = model.generate(&prompt, &sampling, &mut |piece| {
            let now = Instant::now();
            (gap, last) = (gap.max(now - last), now);
            pieces += usize::from(!piece.is_empty());
            let go_on = now - began < when.after || (!when.in_prompt && pieces < 4);
            if !go_on {
                asked.get_or_insert(now);
            }
            go_on
        })?;
        let Some(asked) = asked else { continue };
        let returned = asked.elapsed().as_secs_f64() * 1e3;
        bench.device.synchronize()?;
        let idle = asked.elapsed().as_secs_f64() * 1e3;
        let gap = gap.as_secs_f64() * 1e3;
        let figures = vec![("longest_gap_ms", json!(gap)), ("returned_ms", json!(returned)), ("idle_ms", json!(idle))];
        // On a processor, which others use too, the time is a figure.
        let in_time = !bench.is_card() || gap + returned <= STOP_MS;
        report.check(name, done.finish == Finish::Cancelled && in_time, figures);
        return Ok(());
    }
    Err(format!("{name}: no text was long enough to be stopped").into())
}

/// When a caller wants no more.
#[derive(Debug, Clone, Copy)]
struct When {
    /// While the prompt is read, not while the text is written.
    in_prompt: bool,
    after: Duration,
}
