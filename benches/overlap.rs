//! How long after the last token of a language model's hypothesis the kept chains are there: the stages overlap, so it should be
//! less than 50 ms on the starter graph.
//!
//! `cargo bench --bench overlap`
//!
//! The language model is a script that writes at a steady pace, through the real thread. Measured from the moment at which it gives
//! its last token to the moment at which the event of the kept chains comes.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark that cannot be set up has nothing to measure, and it reports")]

mod support;

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use catena::method::{Engine, EngineModels, EngineOptions};
use catena::model::CancelToken;
use catena::model::{Finish, Generation, Generator, GeneratorHandle, ModelError, Prompt, Sampling};
use catena::run::{AskOptions, EventKind, Outcome};
use support::{REFLUX, starter};

/// Runs of each case.
const RUNS: usize = 40;

const ENGLISH: &str = "Reflux after meals most often means gastro-oesophageal reflux disease; heartburn and regurgitation would go with it. \
    A peptic ulcer, gastritis or functional dyspepsia can feel alike, and Helicobacter pylori infection lies behind many ulcers. \
    Difficulty swallowing, weight loss, vomiting of blood or black stools would be red flags. Gastroscopy tells these apart, and a urea breath \
    test or a stool antigen test finds Helicobacter pylori. A proton pump inhibitor such as omeprazole or lansoprazole is the first choice; \
    an H2 blocker such as famotidine is milder, and antacids such as calcium carbonate or aluminium hydroxide bring quick relief. It is not \
    recommended to take ibuprofen or aspirin, as they can cause a peptic ulcer. Meals late in the evening, coffee and alcohol should be avoided. \
    Obesity and hiatal hernia make reflux more likely.";

const CHINESE: &str = "饭后反酸多见于胃食管反流病，常伴有烧心和反流。消化性溃疡、胃炎或功能性消化不良也可有类似表现，幽门螺杆菌感染是溃疡的常见原因。\
    吞咽困难、体重下降、呕血或黑便属于警示征象。胃镜检查有助于鉴别，尿素呼气试验可发现幽门螺杆菌。首选质子泵抑制剂，如奥美拉唑或兰索拉唑；\
    法莫替丁等较为温和，碳酸钙和氢氧化铝等抗酸药可迅速缓解。不建议服用布洛芬或阿司匹林。";

/// Writes a text at a pace and notes when it gave the last of it.
struct Paced {
    text: &'static str,
    pause: Duration,
    last: Arc<Mutex<Instant>>,
}

impl Generator for Paced {
    fn name(&self) -> &str {
        "paced"
    }
    fn kind(&self) -> &'static str {
        "candle"
    }
    fn device(&self) -> String {
        "cpu".into()
    }
    fn generate(&mut self, _: &Prompt, _: &Sampling, emit: &mut dyn FnMut(&str) -> bool) -> Result<Generation, ModelError> {
        // Four characters are about a token in English, one is in Chinese.
        let size = if self.text.is_ascii() { 4 } else { 1 };
        let characters: Vec<char> = self.text.chars().collect();
        for piece in characters.chunks(size) {
            thread::sleep(self.pause);
            *self.last.lock().expect("no panic") = Instant::now();
            emit(&piece.iter().collect::<String>());
        }
        Ok(Generation {
            finish: Finish::Stop,
            left_out: Vec::new(),
            prompt_tokens: None,
            reused_tokens: 0,
            new_tokens: None,
            first_token_ms: 0.0,
            decode_ms: 0.0,
        })
    }
}

fn measure(name: &str, question: &str, text: &'static str, pause: Duration, runs: usize) {
    let last = Arc::new(Mutex::new(Instant::now()));
    let noted = Arc::clone(&last);
    let load = move || Ok(Box::new(Paced { text, pause, last: Arc::clone(&noted) }) as Box<dyn Generator>);
    let generator = GeneratorHandle::start("paced", load).expect("a thread");
    let models = EngineModels { generator: Some(generator), ..EngineModels::from(Engine::start_encoder().expect("a thread")) };
    let engine = Engine::open(starter(), models, &EngineOptions::default(), Vec::new()).expect("opens");
    let (mut times, mut anchors, mut chains) = (Vec::new(), 0, 0);
    for _ in 0..runs {
        let cancel = CancelToken::new();
        anchors = 0;
        let outcome = engine.run(question, AskOptions::default(), &cancel, &mut |event| {
            match event.what {
                EventKind::AnchorLinked { .. } => anchors += 1,
                EventKind::ChainsFound { found, .. } => chains = found,
                EventKind::ChainsPruned { .. } => {
                    times.push(last.lock().expect("no panic").elapsed().as_secs_f64() * 1000.0);
                    // What comes after is not measured.
                    cancel.cancel();
                }
                _ => {}
            }
            true
        });
        assert_eq!(outcome, Outcome::Cancelled);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    println!(
        "{name:<34} {anchors:>3} links {chains:>6} chains   median {:>6.1} ms   95 % {:>6.1} ms   worst {:>6.1} ms",
        at(0.5),
        at(0.95),
        at(1.0)
    );
}

fn main() {
    // `cargo test --benches` and `cargo check` only see that it compiles.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let chinese = "我吃完饭后反酸，应该吃什么药？";
    measure("English, 200 tokens a second", REFLUX, ENGLISH, Duration::from_millis(5), RUNS);
    measure("English, 50 tokens a second", REFLUX, ENGLISH, Duration::from_millis(20), RUNS / 8);
    measure("English, all at once", REFLUX, ENGLISH, Duration::ZERO, RUNS);
    measure("Chinese, 200 tokens a second", chinese, CHINESE, Duration::from_millis(5), RUNS);
    measure("Chinese, all at once", chinese, CHINESE, Duration::ZERO, RUNS);
}
