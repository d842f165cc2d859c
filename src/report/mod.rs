//! A run as a report, and its evidence as a drawing. Everything is made from the [`Trace`] alone.
//!
//! The evidence of a report is what its answer was written from, so that the citations hold; a report says so if other chains are kept now.
//! Texts of questions, graphs and models are sanitised, and then escaped for the format of the report by the templates' formatter
//! (`escape`), so that no template can forget to do so.

mod content;
mod drawing;
mod escape;
mod layout;
mod picture;
mod rows;
mod text;

use std::time::SystemTime;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

pub use drawing::{Drawing, Edge, Node};

use crate::run::{Trace, TraceDocument, TripleOrigin};
use content::Content;
use picture::Picture;

/// The most chains in the JSON of a report; kept chains are always included.
const MOST_CHAINS: usize = 10_000;

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown, as GitHub and most editors show it.
    Markdown,
    /// One self-contained HTML page: no script, no link to another host.
    Html,
    /// The evidence as a graph, in the DOT language of Graphviz.
    Dot,
    /// The trace as `ask --json` prints it (`catena.trace/1`).
    Json,
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A built-in template is faulty.
    #[error("a built-in template is faulty (please report this fault in Catena): {0}")]
    Template(#[from] minijinja::Error),
    /// The trace could not be written as JSON.
    #[error("the run cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Writes a run as a report. `asked` is when the question was asked, if known.
///
/// # Errors
/// If a built-in template is faulty, which tests rule out.
pub fn report(trace: &Trace, format: Format, asked: Option<SystemTime>) -> Result<String, ReportError> {
    report_with(trace, format, asked, &[])
}

/// The same with where learned triples come from, and why: that is known to the DKG, not to the run.
///
/// # Errors
/// As [`report`].
pub fn report_with(trace: &Trace, format: Format, asked: Option<SystemTime>, learned: &[TripleOrigin]) -> Result<String, ReportError> {
    if format == Format::Json {
        return json(trace);
    }
    let evidence = content::evidence(trace);
    let drawing = Drawing::of(trace, &evidence);
    let kept: Vec<u32> = evidence.pruning.kept.iter().map(|scored| scored.chain).collect();
    let content = Content::of(trace, asked, learned);
    let mut templates = Environment::new();
    templates.set_auto_escape_callback(escape::by_name);
    templates.set_formatter(escape::format);
    templates.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    templates.add_template("report.md", include_str!("../../assets/report/report.md"))?;
    templates.add_template("report.html", include_str!("../../assets/report/report.html"))?;
    templates.add_template("chain.html", include_str!("../../assets/report/chain.html"))?;
    templates.add_template("drawing.svg", include_str!("../../assets/report/drawing.svg"))?;
    templates.add_template("report.dot", include_str!("../../assets/report/report.dot"))?;
    let (name, picture, edges) = match format {
        Format::Markdown => ("report.md", None, Vec::new()),
        Format::Html => ("report.html", Picture::of(&drawing, &kept, trace), Vec::new()),
        Format::Dot | Format::Json => ("report.dot", None, dot_edges(&drawing, &kept)),
    };
    let nodes: Vec<_> = drawing
        .nodes
        .iter()
        .map(|node| context! { name => node.name.clone(), kind => node.kind.clone(), sign => node.mark.sign(), mark => node.mark.word(), anchor => node.is_anchor })
        .collect();
    let style = Value::from_safe_string(include_str!("../../assets/report/report.css").to_owned());
    Ok(templates.get_template(name)?.render(context! { r => Serde(content), picture => Serde(picture), nodes, edges, style })?)
}

fn dot_edges(drawing: &Drawing, kept: &[u32]) -> Vec<Value> {
    let ids = |chains: &[u32]| -> String {
        chains.iter().filter_map(|chain| kept.iter().position(|k| k == chain)).map(|at| format!("[{}]", at + 1)).collect()
    };
    let edge = |edge: &Edge| context! { from => edge.from, to => edge.to, label => edge.label.clone(), ids => ids(&edge.chains), learned => edge.learned };
    drawing.edges.iter().map(edge).collect()
}

/// The trace as JSON, on one line. If the answer is outdated, a warning says so: its citations are not ids of the chains that are kept now.
fn json(trace: &Trace) -> Result<String, ReportError> {
    let mut text = if trace.is_stale() {
        let mut trace = trace.clone();
        trace.warnings.push(
            "This answer is outdated: the evidence was changed after it was written. Its citations are ids of the chains that were kept then, \
             not of those that are kept now."
                .into(),
        );
        serde_json::to_string(&TraceDocument::of(&trace, MOST_CHAINS))?
    } else {
        serde_json::to_string(&TraceDocument::of(trace, MOST_CHAINS))?
    };
    text.push('\n');
    Ok(text)
}
