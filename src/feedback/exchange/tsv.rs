//! TSV: reads and writes a header, then one triple per line. Names contain no tabs, so nothing is escaped. Qualifiers follow the columns of
//! the header, each as `key=value`.

use std::io::{self, Write};

use super::export::Form;
use super::provenance::{Provenance, clipped};
use super::read::player_of;
use super::read::role_of;
use crate::dkg::record::ImportedTriple;
use crate::graph::{NamedEntity, NamedRelation, NamedTriple, Player, Qualifiers};

/// The columns.
pub(super) const COLUMNS: [&str; 9] = ["head", "head_kind", "relation", "role", "player", "tail", "tail_kind", "record", "origin"];
/// Those that come after them where questions are asked for.
const QUESTIONS: [&str; 3] = ["question", "answer", "gold"];

/// Writes rows.
pub(super) struct Rows {
    pub(super) with_questions: bool,
}

impl Form for Rows {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut header = COLUMNS.to_vec();
        if self.with_questions {
            header.extend(QUESTIONS);
        }
        writeln!(out, "{}", header.join("\t"))
    }

    fn triple(&mut self, triple: &NamedTriple, from: &Provenance, out: &mut dyn Write) -> io::Result<()> {
        let NamedTriple { head, relation, tail, qualifiers } = triple;
        let qualifiers: Vec<String> = qualifiers.columns().collect();
        let (record, origin) = (from.record.to_string(), from.words());
        let (role, player) = (relation.role.as_str(), player_word(relation.player));
        let mut row = vec![&head.name, &head.kind, &relation.name, role, player, &tail.name, &tail.kind, &record, &origin];
        if self.with_questions {
            row.extend([&from.question, &from.answer, &from.gold].map(|text| text.as_deref().unwrap_or_default()));
        }
        row.extend(qualifiers.iter().map(String::as_str));
        writeln!(out, "{}", row.join("\t"))
    }
}

/// The end that plays the role, as a word.
pub(super) fn player_word(player: Player) -> &'static str {
    match player {
        Player::Head => "head",
        Player::Tail => "tail",
    }
}

/// How many columns a header has; else which of its columns is wrong, from 1, and what is wrong with it.
pub(super) fn columns(header: &str) -> Result<usize, (usize, String)> {
    let expected: Vec<&str> = COLUMNS.iter().chain(&QUESTIONS).copied().collect();
    let mut count = 0;
    for (at, name) in header.split('\t').enumerate() {
        match expected.get(at) {
            Some(known) if *known == name => count += 1,
            Some(known) => return Err((at + 1, format!("it is {:?} where {known:?} should stand", shown(name)))),
            None => return Err((at + 1, format!("there are no more than {} columns", expected.len()))),
        }
    }
    match count {
        9 | 12 => Ok(count),
        _ => Err((count + 1, format!("the column {:?} is missing", expected.get(count).copied().unwrap_or_default()))),
    }
}

fn shown(name: &str) -> String {
    crate::text::sanitise_line(name).chars().take(40).collect()
}

/// Reads a row.
///
/// # Errors
/// What is wrong with which field, without what it holds.
pub(super) fn row(line: &str, columns: usize) -> Result<ImportedTriple, String> {
    let mut rest = line.split('\t');
    let fields: Vec<&str> = rest.by_ref().take(columns).collect();
    if fields.len() != columns {
        return Err(format!("it has {} fields where the header has {columns}", fields.len()));
    }
    let mut qualifiers = Qualifiers::default();
    for field in rest {
        if !field.contains('=') {
            return Err(format!("it has more than {columns} fields where the header has {columns}"));
        }
        qualifiers.add_column(field).map_err(|fault| format!("qualifiers: {fault}"))?;
    }
    let [head, head_kind, relation, role, player, tail, tail_kind, record, origin, ..] = fields[..] else {
        return Err("it has too few fields".into());
    };
    record.parse::<u64>().map_err(|_| "record: no whole number".to_owned())?;
    let entity = |name: &str, kind: &str| NamedEntity { kind: kind.to_owned(), name: name.to_owned() };
    let relation = NamedRelation { name: relation.to_owned(), player: player_of(player)?, role: role_of(role)? };
    let triple = NamedTriple { head: entity(head, head_kind), relation, tail: entity(tail, tail_kind), qualifiers };
    Ok(ImportedTriple { origin: clipped(origin), triple })
}
