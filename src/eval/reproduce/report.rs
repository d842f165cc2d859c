//! A filled table as Markdown: our figures beside the paper's, what differs in the set-up, what is missing. Times stand in a text of their own, since no two runs
//! share them; everything else is the same whenever the same is run.

use std::fmt::Write;

use serde::Serialize;

use super::fill::Filled;
use crate::text::sanitise_line;

/// Above and below every table whose figures are none.
const WATERMARK: &str = "**NOT A RESULT**";

/// A table beside the paper's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableReport {
    /// The paper.
    pub paper: String,
    /// The table's number.
    pub number: u32,
    /// What it compares.
    pub of: String,
    /// Why the figures are no results; `None`: they are.
    pub no_result: Option<String>,
    /// The command that gives the same.
    pub command: String,
    /// The language model that filled it; `None`: none.
    pub generator: Option<String>,
    /// What was used, by name: the paper's, and ours.
    pub setup: Vec<(String, String, String)>,
    /// What differs from the paper.
    pub differs: Vec<String>,
    /// What is missing, and where it is published.
    pub missing: Vec<String>,
    /// The titles of the columns.
    pub columns: Vec<String>,
    /// Whether shares are shown as percentages.
    pub percent: bool,
    /// The rows.
    pub rows: Vec<RowReport>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowReport {
    /// Its title.
    pub name: String,
    /// Its cells.
    pub cells: Vec<CellReport>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellReport {
    /// The paper's figure, as printed.
    pub paper: String,
    /// Ours.
    pub ours: Option<Filled>,
    /// It is a share.
    #[serde(skip)]
    pub is_share: bool,
    /// It is a time: told apart.
    #[serde(skip)]
    pub is_time: bool,
}

impl TableReport {
    /// Without the times: the same whenever the same is run.
    pub fn without_times(&self) -> Self {
        let mut report = self.clone();
        for cell in report.rows.iter_mut().flat_map(|row| &mut row.cells).filter(|cell| cell.is_time) {
            cell.ours = None;
        }
        report
    }
}

/// The table with all that belongs to it.
pub fn markdown(report: &TableReport) -> String {
    let mut text = String::new();
    // Writing to a text cannot fail.
    let _ = write_all(report, &mut text);
    text
}

/// The times of a table; `None` where it has none.
pub fn times(report: &TableReport) -> Option<String> {
    let has_times = report.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.is_time && cell.ours.is_some());
    has_times.then(|| {
        let mark = report.no_result.as_ref().map(|_| format!("{WATERMARK}\n\n")).unwrap_or_default();
        format!("# {}, Table {}: seconds\n\n{mark}{}", line(&report.paper), report.number, table(report, true))
    })
}

fn write_all(report: &TableReport, out: &mut String) -> std::fmt::Result {
    writeln!(out, "# {}, Table {}: {}\n", line(&report.paper), report.number, line(&report.of))?;
    if let Some(why) = &report.no_result {
        writeln!(out, "> {WATERMARK}: {}.\n", line(why))?;
    }
    match &report.generator {
        Some(name) => writeln!(out, "Filled with the language model {}.\n", line(name))?,
        None => writeln!(out, "Filled without a language model.\n")?,
    }
    writeln!(out, "```sh\n{}\n```\n", report.command.replace("```", ""))?;
    writeln!(out, "{}", table(report, false))?;
    writeln!(
        out,
        "Left the paper's figure, right ours: in brackets the 95 % interval over the questions, or ± the standard deviation over seeds. * differs from the paper's \
         own method with p < 0.05 (paired bootstrap). – was not measured.\n"
    )?;
    if let Some(why) = &report.no_result {
        writeln!(out, "> {WATERMARK}: {}.\n", line(why))?;
    }
    writeln!(out, "## Set-up\n\n| | paper | here |\n|---|---|---|")?;
    for (what, paper, here) in &report.setup {
        writeln!(out, "| {} | {} | {} |", cell(what), cell(paper), cell(here))?;
    }
    writeln!(out)?;
    for (title, lines) in [("What differs", &report.differs), ("What is missing", &report.missing)] {
        if !lines.is_empty() {
            writeln!(out, "## {title}\n")?;
            for said in lines {
                writeln!(out, "- {}", line(said))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

fn table(report: &TableReport, times: bool) -> String {
    let mark = if report.no_result.is_some() { " (not a result)" } else { "" };
    let mut text = String::from("| |");
    for column in &report.columns {
        text.push_str(&format!(" {}: paper | here{mark} |", cell(column)));
    }
    text.push_str(&format!("\n|---|{}\n", "---|---|".repeat(report.columns.len())));
    for row in &report.rows {
        text.push_str(&format!("| {} |", cell(&row.name)));
        for of in &row.cells {
            let ours = match &of.ours {
                None => "–".to_owned(),
                Some(_) if of.is_time && !times => "see times.md".to_owned(),
                Some(_) if !of.is_time && times => String::new(),
                Some(filled) => shown(filled, report.percent && of.is_share),
            };
            text.push_str(&format!(" {} | {ours} |", cell(&of.paper)));
        }
        text.push('\n');
    }
    text
}

/// A figure as a table shows it.
fn shown(filled: &Filled, percent: bool) -> String {
    let number = |value: f64| {
        if percent {
            format!("{:.1}", 100.0 * value)
        } else if value.fract() == 0.0 && value.abs() >= 1.0 {
            format!("{value:.0}")
        } else {
            format!("{value:.3}")
        }
    };
    let star = if filled.p.is_some_and(|p| p < 0.05) { " *" } else { "" };
    let around = match (filled.interval, filled.deviation) {
        (Some((low, high)), _) => format!(" [{}, {}]", number(low), number(high)),
        (_, Some((deviation, _))) => format!(" ± {}", number(deviation)),
        _ => String::new(),
    };
    format!("{}{around}{star}", number(filled.value))
}

fn line(text: &str) -> String {
    sanitise_line(text)
}

fn cell(text: &str) -> String {
    line(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(no_result: Option<&str>) -> TableReport {
        let cell = |ours: Option<Filled>, is_time: bool| CellReport { paper: "49.65".into(), ours, is_share: !is_time, is_time };
        let filled = Filled { value: 0.25, interval: Some((0.2, 0.3)), deviation: None, p: Some(0.01) };
        TableReport {
            paper: "HyKGE".into(),
            number: 2,
            of: "exact match".into(),
            no_result: no_result.map(str::to_owned),
            command: "catena reproduce hykge 2".into(),
            generator: Some("SmolLM2-135M".into()),
            setup: vec![("language model".into(), "GPT-3.5".into(), "SmolLM2-135M".into())],
            differs: vec!["prompts are ours".into()],
            missing: vec!["CMB-Exam: https://example.org".into()],
            columns: vec!["EM".into(), "seconds".into(), "PCR".into()],
            percent: true,
            rows: vec![RowReport {
                name: "KG|RAG".into(),
                cells: vec![cell(Some(filled), false), cell(Some(Filled::count(1.5)), true), cell(None, false)],
            }],
        }
    }

    #[test]
    fn our_figures_stand_beside_the_papers_and_times_apart() {
        let text = markdown(&report(None));
        assert!(text.contains("| KG\\|RAG | 49.65 | 25.0 [20.0, 30.0] * | 49.65 | see times.md | 49.65 | – |"), "{text}");
        assert!(text.contains("Filled with the language model SmolLM2-135M.") && text.contains("- CMB-Exam: https://example.org"));
        assert!(!text.contains("1.500") && !text.to_uppercase().contains("NOT A RESULT"));
        assert!(times(&report(None)).expect("times").contains("1.500"));
        let json = serde_json::to_string(&report(None).without_times()).expect("JSON");
        assert!(!json.contains("1.5") && json.contains("0.25"), "{json}");
    }

    #[test]
    fn what_is_no_result_says_so_above_in_and_below_the_table() {
        let text = markdown(&report(Some("the weights are random")));
        assert_eq!((text.matches(WATERMARK).count(), text.matches("here (not a result)").count()), (2, 3), "{text}");
        assert!(times(&report(Some("random"))).expect("times").contains(WATERMARK));
    }
}
