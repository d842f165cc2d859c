//! A run as a report, and its evidence as a drawing. Everything is made from the [`Trace`] alone.
//!
//! The evidence of a report is what its answer was read from, so that the answer's citations hold; a report says it where other chains
//! are kept since. Texts of questions, graphs and models are sanitised, and then escaped by the form of the report: by the templates'
//! formatter (`escape`), so that nothing in a template can forget it.

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

use crate::run::{Trace, TraceDocument};
use content::Content;
use picture::Picture;

/// How many chains the JSON of a report holds at most; the kept ones are always there.
const MOST_CHAINS: usize = 10_000;

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown, as GitHub and most editors read it.
    Markdown,
    /// One HTML page that needs nothing but itself: no script, no address.
    Html,
    /// The evidence as a graph in the language of Graphviz.
    Dot,
    /// The trace as `ask --json` prints it (`catena.trace/1`).
    Json,
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A built-in template does not fit what it is to say.
    #[error("the report could not be written; this is a fault of Catena, please report it: {0}")]
    Template(#[from] minijinja::Error),
    /// The trace could not be put into JSON.
    #[error("the report could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Writes a run as a report. `asked` is when the question was asked, where that is known.
///
/// # Errors
/// If a built-in template is at fault, which tests exclude.
pub fn report(trace: &Trace, format: Format, asked: Option<SystemTime>) -> Result<String, ReportError> {
    if format == Format::Json {
        return json(trace);
    }
    let evidence = content::evidence(trace);
    let drawing = Drawing::of(trace, &evidence);
    let kept: Vec<u32> = evidence.pruning.kept.iter().map(|scored| scored.chain).collect();
    let content = Content::of(trace, asked);
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

/// The trace as JSON, on one line. An answer that was read before the evidence was triaged says so in the warnings: its citations are
/// not the ids of the chains that are kept now.
fn json(trace: &Trace) -> Result<String, ReportError> {
    let mut text = if trace.is_stale() {
        let mut trace = trace.clone();
        trace.warnings.push(
            "the evidence was triaged after this answer was read, and has not been read again: the answer's citations mean the chains that were \
             kept then, not those that are kept now"
                .into(),
        );
        serde_json::to_string(&TraceDocument::of(&trace, MOST_CHAINS))?
    } else {
        serde_json::to_string(&TraceDocument::of(trace, MOST_CHAINS))?
    };
    text.push('\n');
    Ok(text)
}
