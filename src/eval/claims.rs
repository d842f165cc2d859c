//! Sets of claims whose label is known, `{"claim","label","kind"?}` a line, and what came of checking them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::dataset::DatasetError;
use super::metric::{DetectionScores, Verdicts};
use crate::run::{CheckedClaim, ClaimVerdict};
use crate::text::{open_lines, sanitise_line};

/// The longest claim, in bytes.
const LONGEST: usize = 20_000;
/// The longest kind, in characters.
const LONGEST_KIND: usize = 60;

/// A claim with its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledClaim {
    /// Its text.
    pub claim: String,
    /// What the sources say of it.
    pub label: ClaimVerdict,
    /// How it was made, such as by which alteration; may be empty.
    pub kind: String,
}

/// A set of claims.
#[derive(Debug, Clone, Default)]
pub struct ClaimSet {
    /// The claims.
    pub claims: Vec<LabelledClaim>,
    /// Rejected lines: for each reason how many, and the number of the first.
    pub rejected: BTreeMap<&'static str, (u64, u64)>,
}

#[derive(Deserialize)]
struct Line {
    claim: String,
    label: String,
    #[serde(default)]
    kind: String,
}

impl ClaimSet {
    /// Reads a file; gzip is unpacked.
    ///
    /// # Errors
    /// If it cannot be read or has no claim with a label.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let unreadable = |source: std::io::Error| DatasetError::Io { file: path.display().to_string(), source };
        let (mut lines, _) = open_lines(path).map_err(unreadable)?;
        let mut set = Self::default();
        while let Some(line) = lines.next().map_err(unreadable)? {
            match line.text.and_then(|text| parse(&text)) {
                Ok(claim) => set.claims.push(claim),
                Err(why) => set.rejected.entry(why).or_insert((0, line.number)).0 += 1,
            }
        }
        if set.claims.is_empty() {
            let why = "it has no line {\"claim\",\"label\"} with the label supported, contradicted or not_found";
            return Err(unreadable(std::io::Error::other(why)));
        }
        Ok(set)
    }
}

fn parse(text: &str) -> Result<LabelledClaim, &'static str> {
    let line: Line = serde_json::from_str(text).map_err(|_| "no object with a text \"claim\" and \"label\"")?;
    let label = ClaimVerdict::ALL.into_iter().find(|label| label.as_str().replace(' ', "_") == line.label);
    let label = label.ok_or("a label that is none of supported, contradicted, not_found")?;
    if line.claim.trim().is_empty() || line.claim.len() > LONGEST {
        return Err("a claim without text, or of more than 20,000 bytes");
    }
    Ok(LabelledClaim { claim: line.claim, label, kind: sanitise_line(&line.kind).chars().take(LONGEST_KIND).collect() })
}

/// The verdict on a text that may be several claims: contradicted if one is, supported if all are.
pub fn verdict_of(checked: &[CheckedClaim]) -> ClaimVerdict {
    if checked.iter().any(|claim| claim.verdict == ClaimVerdict::Contradicted) {
        ClaimVerdict::Contradicted
    } else if !checked.is_empty() && checked.iter().all(|claim| claim.verdict == ClaimVerdict::Supported) {
        ClaimVerdict::Supported
    } else {
        ClaimVerdict::NotFound
    }
}

/// What came of it.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimReport {
    claims: usize,
    /// Detected by the verdict "contradicted" alone.
    by_contradicted: DetectionScores,
    /// Detected by any verdict but "supported".
    by_not_supported: DetectionScores,
    kinds: Vec<KindRow>,
}

#[derive(Debug, Clone, Serialize)]
struct KindRow {
    kind: String,
    label: ClaimVerdict,
    supported: usize,
    contradicted: usize,
    not_found: usize,
}

impl ClaimReport {
    /// Sums up; a verdict for each claim, in the order of the set.
    pub fn of(claims: &[LabelledClaim], verdicts: &[ClaimVerdict]) -> Self {
        let mut all = Verdicts::default();
        let mut kinds: BTreeMap<(&str, ClaimVerdict), [usize; ClaimVerdict::ALL.len()]> = BTreeMap::new();
        for (claim, verdict) in claims.iter().zip(verdicts) {
            all.add(claim.label, *verdict);
            let counts = kinds.entry((claim.kind.as_str(), claim.label)).or_default();
            for (count, other) in counts.iter_mut().zip(ClaimVerdict::ALL) {
                *count += usize::from(other == *verdict);
            }
        }
        let row = |((kind, label), [supported, contradicted, not_found]): ((&str, ClaimVerdict), [usize; 3])| KindRow {
            kind: kind.to_owned(),
            label,
            supported,
            contradicted,
            not_found,
        };
        Self {
            claims: claims.len(),
            by_contradicted: all.detection(&[ClaimVerdict::Contradicted]),
            by_not_supported: all.detection(&[ClaimVerdict::Contradicted, ClaimVerdict::NotFound]),
            kinds: kinds.into_iter().map(row).collect(),
        }
    }

    /// As tables.
    pub fn table(&self) -> String {
        let mut text =
            format!("{} claims\n\n| kind | label | supported | contradicted | not found |\n|---|---|---:|---:|---:|\n", self.claims);
        for row in &self.kinds {
            let kind = if row.kind.is_empty() { "–" } else { &row.kind };
            let (label, counts) = (row.label.as_str(), (row.supported, row.contradicted, row.not_found));
            // Writing to a text cannot fail.
            let _ = writeln!(text, "| {} | {label} | {} | {} | {} |", kind.replace('|', "/"), counts.0, counts.1, counts.2);
        }
        text.push_str("\nClaims that do not hold, detected by\n\n| verdict | precision | recall | F1 |\n|---|---:|---:|---:|\n");
        for (by, scores) in [("contradicted", self.by_contradicted), ("not supported", self.by_not_supported)] {
            let shown = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
            let _ = writeln!(text, "| {by} | {} | {} | {} |", shown(scores.precision), shown(scores.recall), shown(scores.f1));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ClaimVerdict::{Contradicted, NotFound, Supported};

    #[test]
    fn sets_are_read_and_bad_lines_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("claims.jsonl");
        let lines = [
            r#"{"claim":"Aspirin thins the blood.","label":"supported"}"#,
            r#"{"claim":"Aspirin thickens the blood.","label":"contradicted","kind":"direction"}"#,
            r#"{"claim":"x","label":"true"}"#,
            r#"{"claim":" ","label":"supported"}"#,
            "[]",
        ];
        std::fs::write(&file, lines.join("\n")).expect("a file");
        let set = ClaimSet::open(&file).expect("reads");
        let kinds: Vec<_> = set.claims.iter().map(|claim| (claim.label, claim.kind.as_str())).collect();
        assert_eq!(kinds, [(Supported, ""), (Contradicted, "direction")]);
        assert_eq!(set.rejected.values().map(|(count, _)| count).sum::<u64>(), 3);
        std::fs::write(&file, "{}").expect("a file");
        assert!(ClaimSet::open(&file).is_err_and(|error| error.to_string().contains("no line")));
    }

    #[test]
    fn verdicts_are_summed_up_by_kind_and_as_a_detection() {
        let checked = |verdicts: &[ClaimVerdict]| -> ClaimVerdict {
            let claims: Vec<CheckedClaim> =
                verdicts.iter().map(|verdict| CheckedClaim { verdict: *verdict, ..CheckedClaim::default() }).collect();
            verdict_of(&claims)
        };
        assert_eq!((checked(&[]), checked(&[Supported, NotFound]), checked(&[Supported])), (NotFound, NotFound, Supported));
        assert_eq!(checked(&[Supported, Contradicted]), Contradicted);

        let claim = |label, kind: &str| LabelledClaim { claim: "x".into(), label, kind: kind.into() };
        let claims = [claim(Supported, ""), claim(Contradicted, "denied"), claim(Contradicted, "denied")];
        let table = ClaimReport::of(&claims, &[Supported, Contradicted, NotFound]).table();
        assert!(table.contains("| – | supported | 1 | 0 | 0 |") && table.contains("| denied | contradicted | 0 | 1 | 1 |"), "{table}");
        assert!(
            table.contains("| contradicted | 1.000 | 0.500 | 0.667 |") && table.contains("| not supported | 1.000 | 1.000 | 1.000 |"),
            "{table}"
        );
    }
}
