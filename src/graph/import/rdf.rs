//! Imports RDF as N-Triples or Turtle, parsed by `oxttl`; `rdf_nodes.rs` builds the graph from the statements.
//!
//! N-Triples are read line by line, so a malformed line affects no other. In Turtle, reading continues after the dot that ends
//! a malformed statement; relative IRIs are relative to the file's address until it states a base (RFC 3986, section 5.1.3).

use oxttl::{NTriplesParser, TurtleParseError, TurtleParser, TurtleSyntaxError};

use super::error::ImportError;
use super::input::{InputBytes, InputFile};
use super::lines::{ImportLine, ImportLines};
use super::rdf_nodes::RdfStatements;
use super::session::{ImportSession, Reason};

/// The syntax of an RDF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RdfSyntax {
    /// N-Triples: one statement on each line.
    NTriples,
    /// Turtle.
    Turtle,
}

/// How to read RDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RdfOptions {
    /// The syntax; by default it follows from the file name's ending, otherwise Turtle, which includes N-Triples.
    pub syntax: Option<RdfSyntax>,
    /// The languages of labels and descriptions, preferred ones first; an empty text means no language tag. Labels in other
    /// languages become aliases.
    pub languages: Vec<String>,
}

impl Default for RdfOptions {
    fn default() -> Self {
        Self { syntax: None, languages: ["en", "", "zh"].map(str::to_owned).into() }
    }
}

/// How many malformed Turtle statements are tolerated; locating each costs reading its line again.
const MOST_MALFORMED: usize = 10_000;
/// After how many statements progress is reported.
const STATEMENTS_A_TICK: usize = 4096;
/// The longest part of a parser's message that is shown, in characters; messages may quote the file.
const LONGEST_MESSAGE: usize = 160;

/// Reads the files and builds a graph from all their statements.
pub(super) fn read(files: &[InputFile], options: &RdfOptions, session: &mut ImportSession) -> Result<(), ImportError> {
    let mut statements = RdfStatements::new(&options.languages);
    for (number, file) in files.iter().enumerate() {
        statements.begin_file(number);
        let source = file.open(session)?;
        match options.syntax.unwrap_or_else(|| syntax_by_name(file.short_name())) {
            RdfSyntax::NTriples => read_lines(source, &mut statements, session)?,
            RdfSyntax::Turtle => read_turtle(source, &file.address(), &mut statements, session)?,
        }
    }
    statements.build(session)
}

fn syntax_by_name(name: &str) -> RdfSyntax {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    if [".nt", ".ntriples"].iter().any(|ending| name.ends_with(ending)) { RdfSyntax::NTriples } else { RdfSyntax::Turtle }
}

fn read_lines(source: InputBytes, statements: &mut RdfStatements, session: &mut ImportSession) -> Result<(), ImportError> {
    let mut lines = ImportLines::new(source, Some(b'#'));
    while let Some(line) = lines.next(session)? {
        if let Err(reason) = take_line(line, statements, session) {
            session.reject(line.number, &reason);
        }
    }
    Ok(())
}

fn take_line(line: ImportLine, statements: &mut RdfStatements, session: &mut ImportSession) -> Result<(), Reason> {
    for result in NTriplesParser::new().for_slice(line.text()?) {
        let triple = result.map_err(|error| message_of(&error))?;
        statements.add(triple, session);
    }
    Ok(())
}

fn read_turtle(source: InputBytes, address: &str, statements: &mut RdfStatements, session: &mut ImportSession) -> Result<(), ImportError> {
    let (reader, rest) = source.into_rest();
    // The address is a valid IRI; if it were not, relative IRIs would be rejected one by one.
    let parser = TurtleParser::new().with_base_iri(address).unwrap_or_default();
    let mut malformed = 0;
    let mut since_tick = 0;
    for result in parser.for_reader(reader) {
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
