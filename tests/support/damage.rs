//! Damaged recordings, made from real ones: events left out, doubled, exchanged, moved, cut off or mixed with those of other runs, and values changed in
//! the JSON of a line. The same seed gives the same damage.

use std::borrow::Cow;
use std::sync::Arc;

use catena::run::{Event, EventFault, StageState, Trace};
use serde_json::Value;

/// A generator of random numbers (SplitMix64), or of those that a fuzzer chooses.
pub struct Random {
    state: u64,
    /// Two bytes for each number, as far as there are any.
    chosen: Vec<u8>,
    at: usize,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), chosen: Vec::new(), at: 0 }
    }

    /// The bytes are the first numbers.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self { chosen: bytes.to_vec(), ..Self::new(0) }
    }

    fn next(&mut self) -> u64 {
        if let Some([one, other]) = self.chosen.get(self.at..self.at + 2) {
            self.at += 2;
            return u64::from(u16::from_le_bytes([*one, *other]));
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `bound` - 1; 0 where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Whole recordings, all of one run's id, and each event as JSON.
pub struct Corpus {
    recordings: Vec<Vec<(Event, Value)>>,
}

/// The id of every run of a corpus.
const RUN: &str = "run";

impl Corpus {
    pub fn of(recordings: Vec<Vec<Event>>) -> Self {
        let line = |event: Event| {
            let event = Event { run: RUN.into(), ..event };
            let value = serde_json::to_value(&event).expect("an event is JSON");
            (event, value)
        };
        Self { recordings: recordings.into_iter().map(|events| events.into_iter().map(line).collect()).collect() }
    }

    /// One of the recordings, damaged in one to eight ways.
    pub fn damaged(&self, random: &mut Random) -> Vec<Cow<'_, Event>> {
        let recording = random.of(&self.recordings);
        let mut lines: Vec<(Cow<'_, Event>, &Value)> = recording.iter().map(|(event, value)| (Cow::Borrowed(event), value)).collect();
        for _ in 0..=random.below(8) {
            let (one, other) = (random.below(lines.len()), random.below(lines.len()));
            match random.below(16) {
                _ if lines.is_empty() => break,
                0 => drop(lines.remove(one)),
                1 => lines.insert(other, lines[one].clone()),
                2 => lines.swap(one, other),
                3 => {
                    let line = lines.remove(one);
                    lines.insert(random.below(lines.len() + 1), line);
                }
                4 if random.chance(40) => lines.truncate(one + 1),
                5 if random.chance(20) => drop(lines.drain(..one)),
                6 => drop(lines.drain(one.min(other)..one.max(other).min(one.min(other) + 6))),
                7..=9 => {
                    let from = random.of(&self.recordings);
                    let begin = random.below(from.len());
                    let end = (begin + 1 + random.below(12)).min(from.len());
                    let foreign = random.chance(15);
                    let of_run = |event: &Event| if foreign { Event { run: "other".into(), ..event.clone() } } else { event.clone() };
                    let slice: Vec<_> = from[begin..end].iter().map(|(event, value)| (Cow::Owned(of_run(event)), value)).collect();
                    lines.splice(one..one, slice);
                }
                _ => {
                    for _ in 0..=random.below(3) {
                        let mut value = lines[one].1.clone();
                        change(&mut value, random);
                        // What is no event is refused where it is read.
                        if let Ok(event) = serde_json::from_value::<Event>(value) {
                            lines[one].0 = Cow::Owned(event);
                        }
                    }
                }
            }
        }
        lines.into_iter().map(|(event, _)| event).collect()
    }
}

/// Changes something somewhere in a value.
fn change(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(fields) if !fields.is_empty() && random.chance(95) => {
            let at = random.below(fields.len());
            if let Some((key, value)) = fields.iter_mut().nth(at) {
                // The name of an event, and the run that it belongs to, seldom change: all the rest would not fit any more.
                if !matches!(key.as_str(), "event" | "run") || random.chance(10) {
                    change(value, random);
                }
            }
        }
        Value::Array(list) if !list.is_empty() && random.chance(75) => {
            let at = random.below(list.len());
            change(&mut list[at], random);
        }
        Value::Array(list) => {
            let (one, other) = (random.below(list.len()), random.below(list.len()));
            match random.below(6) {
                _ if list.is_empty() => list.push(Value::from(number(random))),
                0 => drop(list.remove(one)),
                1 => list.insert(other, list[one].clone()),
                2 => list.swap(one, other),
                3 => list.truncate(one),
                4 => list.clear(),
                _ => {
                    let copies = random.below(40);
                    let first = list[one].clone();
                    list.extend(std::iter::repeat_n(first, copies));
                }
            }
        }
        Value::Object(fields) => {
            if let Some(key) = fields.keys().nth(random.below(fields.len())).cloned() {
                fields.remove(&key);
            }
        }
        Value::Number(known) => {
            *value = match (known.as_u64(), random.below(3)) {
                (Some(known), 0) => Value::from(if random.chance(50) { known.wrapping_add(1) } else { known.saturating_sub(1) }),
                (Some(_), 1 | 2) => Value::from(number(random)),
                _ => Value::from(real(random)),
            }
        }
        Value::String(text) => {
            let cut = text.char_indices().nth(random.below(12)).map_or(text.len(), |(at, _)| at);
            *value = Value::from(match random.below(8) {
                0 => String::new(),
                1 => text[..cut].to_owned(),
                2 => format!("{text}{text}"),
                3 => "胃食管反流 \u{301}\u{200d}👩‍⚕️ \u{1b}[31m\u{202e}[1][99][".into(),
                4 => "- [1] x [4294967296] (the model's own) (the model's own)\n\n# y\n".repeat(1 + random.below(4)),
                5 => "long ".repeat(random.below(200)),
                6 => random
                    .of(&["question", "hypothesis", "both", "search", "read", "link", "tests", "path", "neighbour", "tail"])
                    .to_string(),
                _ => text.chars().rev().collect(),
            });
        }
        Value::Bool(known) => *value = Value::Bool(!*known),
        Value::Null => *value = if random.chance(50) { Value::from(number(random)) } else { Value::from("?") },
    }
}

fn number(random: &mut Random) -> u64 {
    *random.of(&[
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        9,
        10,
        11,
        16,
        20,
        31,
        63,
        64,
        100,
        255,
        256,
        1000,
        1001,
        65_535,
        65_536,
        9_999,
        10_000,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_fffe,
        0xffff_ffff,
        0x1_0000_0000,
        1 << 53,
        (1 << 53) + 1,
        i64::MAX as u64,
        u64::MAX - 1,
        u64::MAX,
    ])
}

fn real(random: &mut Random) -> f64 {
    *random.of(&[
        0.0,
        -0.0,
        0.5,
        1.0,
        -1.0,
        1.5,
        1e-300,
        -1e-9,
        7.99,
        99.0,
        1000.0,
        1001.0,
        1e9,
        3.15e10,
        3.2e10,
        1e19,
        1e40,
        1e300,
        -1e300,
        f64::MAX,
        f64::MIN,
        f64::EPSILON,
    ])
}

/// What must hold of every trace, whatever it was folded from.
pub fn assert_sound(trace: &Trace) {
    assert!(trace.table.is_sound());
    let chains = trace.table.chains.len();
    assert_eq!(trace.kept().count(), trace.pruning.kept.len());
    for (id, number, chain) in trace.kept() {
        assert_eq!((trace.kept_id(number), &trace.table.chains[number as usize]), (Some(id), chain));
    }
    assert!(trace.pruning.kept.iter().chain(&trace.pruning.runners_up).all(|scored| (scored.chain as usize) < chains));
    let cited = || trace.answer.citations.iter().chain(trace.answer.lines.iter().flat_map(|line| &line.citations));
    match &trace.evidence {
        Some(evidence) => {
            assert!(evidence.table.is_sound());
            assert!(evidence.pruning.kept.iter().all(|scored| (scored.chain as usize) < evidence.table.chains.len()));
            assert!(cited().all(|id| (1..=evidence.pruning.kept.len()).contains(&(*id as usize))));
        }
        None => assert_eq!(cited().count(), 0),
    }
    let time = |ms: f64| (0.0..=4e10).contains(&ms);
    assert!(time(trace.elapsed_ms));
    assert!(trace.stages.values().all(|state| match state {
        StageState::Waiting => true,
        StageState::Running { since_ms } => time(*since_ms),
        StageState::Done { elapsed_ms } => time(*elapsed_ms),
    }));
    assert!(trace.anchors.iter().all(|anchor| anchor.score.abs() <= 1000.0));
    let scores = trace.pruning.kept.iter().flat_map(|scored| scored.by_fragment.iter().chain([&scored.score]));
    assert!(scores.into_iter().all(|score| score.abs() <= 1000.0));
    let warned = |fault: &EventFault, count: &u64| trace.warnings.iter().any(|warning| *warning == fault.sentence(*count));
    assert!(trace.faults().iter().all(|(fault, count)| warned(fault, count)), "{:?} in {:?}", trace.faults(), trace.warnings);
    assert!(trace.warnings.len() <= 520, "{} warnings", trace.warnings.len());
    let _ = trace.is_stale();
}

/// The events as they would be read from a file.
pub fn owned(events: &[Cow<'_, Event>]) -> Vec<Event> {
    events.iter().map(|event| event.as_ref().clone()).collect()
}

/// The id under which a screen follows the run.
pub fn run_of(events: &[Event]) -> Arc<str> {
    events.first().map_or_else(|| RUN.into(), |event| Arc::clone(&event.run))
}
