//! What was found so far: a JSON file that is rewritten after each result, so that a run that is cut off leaves what it has; and a table.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Map, Value, json};

/// Figures by their names.
pub(crate) type Figures = Vec<(&'static str, Value)>;

/// Why something could not be measured.
pub(crate) type Problem = Box<dyn std::error::Error>;

struct Line {
    section: &'static str,
    name: String,
    /// Of a line that checks something.
    passed: Option<bool>,
    figures: Figures,
    note: Option<String>,
}

pub(crate) struct Report {
    path: PathBuf,
    head: Value,
    lines: Vec<Line>,
    began: Instant,
    section: &'static str,
    /// Seconds from the start at which the section has to end.
    until: f64,
    ended: bool,
}

impl Report {
    pub(crate) fn new(path: PathBuf, head: Value) -> Self {
        Self { path, head, lines: Vec::new(), began: Instant::now(), section: "", until: 0.0, ended: false }
    }

    /// Begins a section, which gets so many seconds and what those before it have left.
    pub(crate) fn begin(&mut self, section: &'static str, seconds: f64) {
        self.section = section;
        self.until += seconds;
        println!("\n{section} (until {:.0} s)", self.until);
    }

    /// Measures something that takes about so many seconds, unless the section has less left. What fails, fails alone.
    pub(crate) fn measure(&mut self, name: &str, seconds: f64, work: impl FnOnce(&mut Self) -> Result<(), Problem>) {
        let left = self.until - self.began.elapsed().as_secs_f64();
        if left < seconds {
            let why = format!("left out: it takes about {seconds:.0} s, and {:.0} are left", left.max(0.0));
            self.add(Line { section: self.section, name: name.into(), passed: None, figures: Vec::new(), note: Some(why) });
            return;
        }
        let problem = match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(Ok(())) => return,
            Ok(Err(problem)) => problem.to_string(),
            Err(panic) => match panic.downcast_ref::<String>() {
                Some(text) => format!("panicked: {text}"),
                None => "panicked".into(),
            },
        };
        self.add(Line { section: self.section, name: name.into(), passed: Some(false), figures: Vec::new(), note: Some(problem) });
    }

    /// Something that was measured.
    pub(crate) fn figures(&mut self, name: &str, figures: Figures) {
        self.add(Line { section: self.section, name: name.into(), passed: None, figures, note: None });
    }

    /// Something that has to hold.
    pub(crate) fn check(&mut self, name: &str, passed: bool, figures: Figures) {
        self.add(Line { section: self.section, name: name.into(), passed: Some(passed), figures, note: None });
    }

    fn add(&mut self, line: Line) {
        println!("{:>5.0} s  {}", self.began.elapsed().as_secs_f64(), shown(&line));
        self.lines.push(line);
        self.write();
    }

    /// The whole file, beside the old one and then in its place, so that it is never half a file.
    fn write(&self) {
        let lines = self.lines.iter().map(|line| {
            let figures: Map<String, Value> = line.figures.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            json!({"section": line.section, "name": line.name, "passed": line.passed, "figures": figures, "note": line.note})
        });
        let document = json!({
            "about": self.head, "seconds": self.began.elapsed().as_secs_f64(), "ended": self.ended, "failed": self.failed(),
            "lines": lines.collect::<Vec<_>>(),
        });
        let beside = self.path.with_extension("part");
        let written = std::fs::write(&beside, format!("{document:#}\n")).and_then(|()| std::fs::rename(&beside, &self.path));
        if let Err(problem) = written {
            eprintln!("gpu: {} cannot be written: {problem}", self.path.display());
        }
    }

    fn failed(&self) -> usize {
        self.lines.iter().filter(|line| line.passed == Some(false)).count()
    }

    /// Prints the table. Whether every line that checks something has passed.
    pub(crate) fn end(&mut self) -> bool {
        self.ended = true;
        self.write();
        println!("\n{:#}", self.head);
        let mut section = "";
        for line in &self.lines {
            if line.section != section {
                section = line.section;
                println!("\n{section}");
            }
            println!("  {}", shown(line));
        }
        let checked = self.lines.iter().filter(|line| line.passed.is_some()).count();
        let failed = self.failed();
        println!("\n{checked} lines check something; {failed} of them failed. {:.0} s", self.began.elapsed().as_secs_f64());
        failed == 0 && checked > 0
    }
}

fn shown(line: &Line) -> String {
    let sign = match line.passed {
        Some(true) => "passed",
        Some(false) => "FAILED",
        None => "",
    };
    let figures: Vec<String> = line.figures.iter().map(|(name, value)| format!("{name} {}", number(value))).collect();
    format!("{sign:<7} {:<44} {} {}", line.name, figures.join("   "), line.note.as_deref().unwrap_or_default()).trim_end().to_owned()
}

/// A number with as many digits as it is worth.
fn number(value: &Value) -> String {
    match value.as_f64() {
        Some(x) if value.is_f64() && x.abs() >= 1e5 => format!("{x:.3e}"),
        Some(x) if value.is_f64() && x.abs() >= 100.0 => format!("{x:.0}"),
        Some(x) if value.is_f64() && x.abs() >= 0.01 => format!("{x:.3}"),
        Some(x) if value.is_f64() => format!("{x:.2e}"),
        _ => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}
