//! RDF as N-Triples or Turtle, parsed by `oxttl`; `rdf_nodes.rs` makes a graph of the statements.
//!
//! N-Triples are read line by line, so a malformed one costs itself. In Turtle, reading goes on after the dot that ends
//! a malformed statement.

use oxttl::{NTriplesParser, TurtleParseError, TurtleParser, TurtleSyntaxError};

use super::error::ImportError;
use super::input::{InputFile, Source};
use super::lines::{Line, Lines};
use super::rdf_nodes::Statements;
use super::session::{Reason, Session};

/// How RDF is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RdfSyntax {
    /// N-Triples: a statement a line.
    NTriples,
    /// Turtle.
    Turtle,
}

/// How RDF is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RdfOptions {
    /// How it is written; by default by the file's ending, and Turtle, of which N-Triples are a part, where that says nothing.
    pub syntax: Option<RdfSyntax>,
    /// The languages of labels and descriptions, the preferred first; empty: without a language. Labels in other
    /// languages become aliases.
    pub languages: Vec<String>,
}

impl Default for RdfOptions {
    fn default() -> Self {
        Self { syntax: None, languages: ["en", "", "zh"].map(str::to_owned).into() }
    }
}

/// How many malformed statements of Turtle are borne: to find each one's place costs reading its line anew.
const MOST_MALFORMED: usize = 10_000;
/// After how many statements the progress is told.
const STATEMENTS_A_TICK: usize = 4096;
/// Longest part of a message of the parser's that is kept, in characters; it may quote the file.
const LONGEST_MESSAGE: usize = 160;

/// Reads the files and makes a graph of all their statements.
pub(super) fn read(files: &[InputFile], options: &RdfOptions, session: &mut Session) -> Result<(), ImportError> {
    let mut statements = Statements::new(&options.languages);
    for (number, file) in files.iter().enumerate() {
        statements.begin_file(number);
        let source = file.open(session)?;
        match options.syntax.unwrap_or_else(|| syntax_by_name(file.short_name())) {
            RdfSyntax::NTriples => read_lines(source, &mut statements, session)?,
            RdfSyntax::Turtle => read_turtle(source, &mut statements, session)?,
        }
    }
    statements.build(session)
}

fn syntax_by_name(name: &str) -> RdfSyntax {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    if [".nt", ".ntriples"].iter().any(|ending| name.ends_with(ending)) { RdfSyntax::NTriples } else { RdfSyntax::Turtle }
}

fn read_lines(source: Source, statements: &mut Statements, session: &mut Session) -> Result<(), ImportError> {
    let mut lines = Lines::new(source, Some(b'#'));
    while let Some(line) = lines.next(session)? {
        if let Err(reason) = take_line(line, statements, session) {
            session.reject(line.number, &reason);
        }
    }
    Ok(())
}

fn take_line(line: Line, statements: &mut Statements, session: &mut Session) -> Result<(), Reason> {
    for result in NTriplesParser::new().for_slice(line.text()?) {
        let triple = result.map_err(|error| message_of(&error))?;
        statements.add(triple, session);
    }
    Ok(())
}

fn read_turtle(source: Source, statements: &mut Statements, session: &mut Session) -> Result<(), ImportError> {
    let (reader, rest) = source.into_rest();
    let mut malformed = 0;
    let mut since_tick = 0;
    for result in TurtleParser::new().for_reader(reader) {
        since_tick += 1;
        if since_tick >= STATEMENTS_A_TICK {
            session.tick()?;
            since_tick = 0;
        }
        match result {
            Ok(triple) => {
                session.count_line();
                statements.add(triple, session);
            }
            Err(TurtleParseError::Io(error)) => return Err(rest.error(error)),
            Err(TurtleParseError::Syntax(error)) => {
                session.count_line();
                malformed += 1;
                let line = usize::try_from(error.location().start.line).unwrap_or(usize::MAX).saturating_add(1);
                let problem = message_of(&error).into_owned();
                if malformed > MOST_MALFORMED {
                    return Err(ImportError::Malformed { file: rest.file, line, problem, count: malformed });
                }
                session.reject(line, &problem);
            }
        }
    }
    Ok(())
}

fn message_of(error: &TurtleSyntaxError) -> Reason {
    let message: String = error.message().chars().take(LONGEST_MESSAGE).collect();
    Reason::Owned(format!("malformed: {message}"))
}
