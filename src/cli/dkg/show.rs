//! `catena dkg show`: a record, a proposal, or what the DKG learned about an entity.

use std::io::{BufWriter, Write, stdout};

use serde_json::json;

use super::describe::{self, print_proposal, proposal_json, type_name, when};
use crate::cli::exit;
use crate::cli::messages::note;
use crate::dkg::{Change, Dkg, Feedback, ProposalId, Record, origin_of, rating_word};
use crate::graph::LearnedTriple;
use crate::text::{fold, sanitise, sanitise_line};

/// The most triples to list.
const LISTED: usize = 1000;

pub(super) fn run(dkg: &Dkg, what: &str, json: bool) -> anyhow::Result<u8> {
    let mut out = BufWriter::new(stdout().lock());
    let code = if let Ok(number) = what.trim().parse::<u64>() {
        show_record(&mut out, dkg, &dkg.record(number)?, json)?;
        exit::DONE
    } else if let Ok(id) = what.trim().parse::<ProposalId>() {
        let state = dkg.proposal(id)?;
        if json {
            writeln!(out, "{}", sanitise(&proposal_json(&state).to_string()))?;
        } else {
            print_proposal(&mut out, &state)?;
            state.proposal.basis.chains.iter().try_for_each(|chain| writeln!(out, "           from {}", sanitise_line(chain)))?;
            if let Some(first) = &state.first {
                writeln!(out, "           originally: {}", sanitise_line(&first.text()))?;
            }
        }
        exit::DONE
    } else {
        show_learned(&mut out, dkg, what, json)?
    };
    out.flush()?;
    Ok(code)
}

fn show_record(out: &mut dyn Write, dkg: &Dkg, record: &Record, json: bool) -> anyhow::Result<()> {
    if json {
        // JSON escapes control characters; this removes those that reorder or hide text.
        let text = serde_json::to_string(record)?;
        return Ok(writeln!(out, "{}", sanitise(&text))?);
    }
    writeln!(out, "record    {} ({})", record.seq, type_name(&record.change))?;
    writeln!(out, "written   {}", when(record.at_ms))?;
    if dkg.is_void(record.seq)? {
        writeln!(out, "undone    by a later record")?;
    }
    match &record.change {
        Change::Feedback(feedback) => show_feedback(out, feedback)?,
        Change::Proposed(proposed) => {
            writeln!(out, "because of record {}", proposed.feedback)?;
            for item in 0..u32::try_from(proposed.proposals.len()).unwrap_or(u32::MAX) {
                print_proposal(out, &dkg.proposal(ProposalId { item, record: record.seq })?)?;
            }
        }
        Change::Accept { proposals } | Change::Reject { proposals } => {
            for id in proposals {
                print_proposal(out, &dkg.proposal(*id)?)?;
            }
        }
        Change::Import(import) => {
            writeln!(out, "file      {} (SHA-256 {})", sanitise_line(&import.file), sanitise_line(&import.sha256))?;
            for imported in &import.triples {
                let origin = sanitise_line(&imported.origin);
                let origin = if origin.is_empty() { origin } else { format!("  [{origin}]") };
                writeln!(out, "  {}{origin}", sanitise_line(&imported.triple.text()))?;
            }
        }
        Change::Pin(pin) => {
            writeln!(out, "because of record {}", pin.feedback)?;
            writeln!(out, "asked     {}", sanitise_line(&pin.asks.join(", ")))?;
            writeln!(out, "about     {}", sanitise_line(&pin.linked.join("; ")))?;
            for chain in &pin.chains {
                writeln!(out, "  {}", sanitise_line(&chain.fact.text()))?;
            }
        }
        Change::Edit { .. } | Change::Undo { .. } => writeln!(out, "{}", describe::record(dkg, record)?)?,
    }
    Ok(())
}

fn show_feedback(out: &mut dyn Write, feedback: &Feedback) -> std::io::Result<()> {
    let lines = [
        ("rating", rating_word(feedback.rating).to_owned()),
        ("run", feedback.run.clone()),
        ("graph", feedback.kg.clone()),
        ("models", feedback.models.join("; ")),
        ("question", feedback.question.clone()),
        ("answer", feedback.answer.clone()),
        ("gold", feedback.gold.clone()),
        ("comment", feedback.comment.clone()),
    ];
    for (name, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
        let text = sanitise(text).trim_end().replace('\n', "\n          ");
        writeln!(out, "{name:<9} {text}")?;
    }
    feedback.cited.iter().try_for_each(|chain| writeln!(out, "cited     {}", sanitise_line(chain)))
}

/// Prints the learned triples about an entity, or one triple.
fn show_learned(out: &mut dyn Write, dkg: &Dkg, what: &str, json: bool) -> anyhow::Result<u8> {
    let separated = what.replace("->", "\t").replace('\u{2192}', "\t");
    let parts: Vec<String> = separated.split('\t').map(|part| fold(&part.replace('_', " "))).collect();
    let is_meant = |learned: &LearnedTriple| {
        let (head, relation, tail) = learned.triple.folded();
        match parts.as_slice() {
            [entity] => *entity == head || *entity == tail,
            [from, to] => *from == head && *to == tail,
            [from, by, to] => {
                *from == head && *to == tail && (*by == relation || *by == fold(&learned.triple.relation.name.replace('_', " ")))
            }
            _ => false,
        }
    };
    let mut found = dkg.learned()?;
    found.retain(is_meant);
    if found.is_empty() {
        note(&format!("the DKG has learned nothing about {:?}; `catena dkg log` lists its records", sanitise_line(what)))?;
        return Ok(exit::NOTHING_LINKED);
    }
    for LearnedTriple { triple, record } in found.iter().take(LISTED) {
        let origin = origin_of(dkg, *record)?;
        let records = dkg.support_of(triple)?;
        if json {
            let line = json!({ "triple": triple, "text": triple.text(), "record": record, "records": records, "origin": origin });
            writeln!(out, "{}", sanitise(&line.to_string()))?;
            continue;
        }
        let kind = |kind: &str| if kind.is_empty() { String::new() } else { format!(" ({})", kind.replace('_', " ")) };
        let (head, tail) = (kind(&triple.head.kind), kind(&triple.tail.kind));
        let relation = triple.relation.name.replace('_', " ");
        writeln!(out, "{}", sanitise_line(&format!("{}{head} → {relation} → {}{tail}", triple.head.name, triple.tail.name)))?;
        if !triple.qualifiers.is_empty() {
            writeln!(out, "  {}", sanitise_line(&triple.qualifiers.to_string()))?;
        }
        let all: Vec<String> = records.iter().map(u64::to_string).collect();
        writeln!(out, "  record {}: {}", all.join(", "), sanitise_line(&origin))?;
    }
    if found.len() > LISTED {
        writeln!(out, "and {} more; `catena dkg export --to tsv` exports all", found.len() - LISTED)?;
    }
    Ok(exit::DONE)
}
