//! Imports another team's triples, with the same checks as proposals.
//!
//! Triples that are redundant with the base graph are left out, and contradictory ones are held back. A *learned* triple makes another
//! redundant only if it says at least as much: otherwise the result of two imports would depend on their order.

use std::collections::{BTreeMap, HashSet};

use super::provenance::identity;
use super::read::{Imported, ReadFile, Rejected, Rejections};
use crate::dkg::error::DkgError;
use crate::dkg::record::{Change, CheckOutcome, Import, ImportedTriple};
use crate::feedback::check::{CheckSettings, Checked, Checker};
use crate::feedback::teacher::{TeachError, Teacher};
use crate::graph::NamedTriple;
use crate::model::CancelToken;

/// How many triples are checked together and written in one record.
const PORTION: usize = 10_000;
/// Or so many bytes of names, so that the record fits a line of the journal.
const PORTION_BYTES: usize = 4 << 20;
/// How many of the triples that are left out or held back are listed; all are counted.
const LISTED: usize = 1000;

/// A triple that was not imported.
#[derive(Debug, Clone, PartialEq)]
pub struct NotImported {
    /// Its line in the file.
    pub line: u64,
    /// The triple.
    pub triple: NamedTriple,
    /// The check against known triples.
    pub standing: CheckOutcome,
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportReport {
    /// The records that were written; empty where nothing was new.
    pub records: Vec<u64>,
    /// How many triples were imported.
    pub imported: u64,
    /// How many were learned before, or are in the file twice.
    pub known: u64,
    /// How many are redundant, and the first of them.
    pub redundant: (u64, Vec<NotImported>),
    /// How many contradict a known triple, and the first of them.
    pub conflicts: (u64, Vec<NotImported>),
    /// Rejected lines, by reason.
    pub rejected: BTreeMap<String, Rejected>,
}

/// Imports the valid new triples of a file. Importing the same file again changes nothing.
///
/// # Errors
/// If the DKG is read-only, or the encoder fails; records written before the error stay, and the next import skips their triples.
pub fn import(teacher: &Teacher, file: ReadFile, cancel: &CancelToken) -> Result<ImportReport, TeachError> {
    if let Some(reason) = teacher.dkg().read_only() {
        return Err(DkgError::ReadOnly { reason: reason.to_owned() }.into());
    }
    let mut report = ImportReport::default();
    let mut rejected = Rejections(file.rejected);
    let mut known: HashSet<u128> = teacher.dkg().learned()?.iter().map(|learned| identity(&learned.triple)).collect();
    let mut left = file.triples;
    let stated = left.len();
    left.retain(|imported| known.insert(identity(&imported.stated.triple)));
    report.known = (stated - left.len()) as u64;
    while !left.is_empty() {
        let rest = left.split_off(portion(&left));
        let portion = std::mem::replace(&mut left, rest);
        let taken = checked(teacher, portion, &mut report, &mut rejected, cancel)?;
        if taken.is_empty() {
            continue;
        }
        let triples = taken.into_iter().map(|imported| imported.stated).collect();
        let change = Change::Import(Import { file: file.file.clone(), sha256: file.sha256.clone(), triples });
        let outcome = teacher.record(change)?;
        report.imported += outcome.learned as u64;
        report.records.extend(Some(outcome.record).filter(|record| *record > 0));
    }
    report.rejected = rejected.0;
    Ok(report)
}

/// How many of the first triples make a portion.
fn portion(triples: &[Imported]) -> usize {
    let mut bytes = 0;
    let fits = |imported: &&Imported| {
        let ImportedTriple { origin, triple } = &imported.stated;
        let qualifiers: usize = triple.qualifiers.iter().map(|(key, value)| key.len() + value.len()).sum();
        bytes += origin.len() + triple.head.name.len() + triple.relation.name.len() + triple.tail.name.len() + qualifiers;
        bytes <= PORTION_BYTES
    };
    triples.iter().take(PORTION).take_while(fits).count().clamp(1, triples.len())
}

/// Those of a portion that are to be learned; the others are reported.
fn checked(
    teacher: &Teacher,
    portion: Vec<Imported>,
    report: &mut ImportReport,
    rejected: &mut Rejections,
    cancel: &CancelToken,
) -> Result<Vec<Imported>, TeachError> {
    let knowledge = teacher.engine().knowledge();
    let encoder = &teacher.engine().models().encoder;
    let settings = &teacher.settings().check;
    let same_meaning = CheckSettings { compare_relation: true, ..settings.clone() };
    let checker = Checker { knowledge: &knowledge, encoder, settings, cancel };
    let alone = |settings, triple: &NamedTriple| -> Result<Option<Checked>, TeachError> {
        Ok(Checker { settings, ..checker }.check_exactly(std::slice::from_ref(triple))?.pop())
    };
    let triples: Vec<NamedTriple> = portion.iter().map(|imported| imported.stated.triple.clone()).collect();
    let mut taken = Vec::with_capacity(portion.len());
    for (imported, checked) in portion.into_iter().zip(checker.check_many(&triples)?) {
        let Imported { line, stated: ImportedTriple { triple, .. } } = &imported;
        let mut checked = checked;
        if let Ok(CheckOutcome::Redundant { distance, .. }) = &checked
            && *distance <= 0.0
        {
            // Another triple of the file may be the reason; that one does not count.
            checked = alone(settings, triple)?.unwrap_or(checked);
        }
        if let Ok(CheckOutcome::Redundant { learned: true, .. }) = &checked {
            checked = alone(&same_meaning, triple)?.unwrap_or(checked);
        }
        let held = |standing| NotImported { line: *line, triple: triple.clone(), standing };
        match checked {
            Ok(CheckOutcome::New) => taken.push(imported),
            Ok(standing @ CheckOutcome::Redundant { .. }) => list(&mut report.redundant, || held(standing)),
            Ok(standing @ CheckOutcome::Conflict { .. }) => list(&mut report.conflicts, || held(standing)),
            Err(unfit) => rejected.add(*line, unfit.reason().to_owned()),
        }
    }
    Ok(taken)
}

fn list((count, listed): &mut (u64, Vec<NotImported>), held: impl FnOnce() -> NotImported) {
    *count += 1;
    if listed.len() < LISTED {
        listed.push(held());
    }
}
