//! A line of the journal: a record in canonical JSON, with the SHA-256 of the line before and its own.
//!
//! ```text
//! {"at_ms":…,"change":{…},"prev":"<64 hex>","seq":7,"sum":"<64 hex>"}
//! ```
//!
//! Canonical: keys in the order of their bytes at every level, no blanks, numbers and strings as `serde_json` writes them. `sum` is the last
//! key, so the text that it is the SHA-256 of is the line without its end.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::dkg::record::{Change, Record};

/// The longest line, without its newline, bytes. An import of some 50,000 triples fits.
pub(in crate::dkg) const LONGEST: usize = 16 << 20;

/// What comes between the text that is summed and the sum.
const BEFORE_SUM: &[u8] = b",\"sum\":\"";
/// What comes after the sum.
const AFTER_SUM: &[u8] = b"\"}";
/// How many bytes the sum's key and value have.
const SUM_BYTES: usize = BEFORE_SUM.len() + 64 + AFTER_SUM.len();

/// The SHA-256 of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::dkg) struct Sum(pub(in crate::dkg) [u8; 32]);

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Sum {
    /// Reads 64 lower-case hexadecimal digits.
    pub(in crate::dkg) fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut sum = [0; 32];
        if text.len() != 64 {
            return None;
        }
        for (byte, pair) in sum.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(sum))
    }
}

/// A line that was read.
pub(super) struct JournalLine {
    pub(super) record: Record,
    pub(super) prev: Sum,
    pub(super) sum: Sum,
}

/// What is wrong with a line.
pub(super) struct LineFault {
    pub(super) reason: String,
    /// Whether an interrupted write can leave such a line.
    pub(super) torn: bool,
    /// Whether nothing is wrong with it but that a newer version wrote it.
    pub(super) newer: bool,
}

/// Said of a record whose kind is not known here.
const NEWER: &str = "it is of a kind that this version of Catena does not know, so a newer version wrote it";

/// The kinds of changes that this version knows, by their names in the journal.
const KINDS: [&str; 8] = ["feedback", "proposed", "accept", "reject", "edit", "import", "pin", "undo"];

/// Whether a line is sealed as records are, but is of a kind that this version does not know.
fn is_of_newer_version(line: &[u8]) -> bool {
    let (text, end) = line.split_at(line.len().saturating_sub(SUM_BYTES));
    let found: [u8; 32] = Sha256::new().chain_update(text).chain_update(b"}").finalize().into();
    let stated = end.strip_prefix(BEFORE_SUM).and_then(|rest| rest.strip_suffix(AFTER_SUM));
    let is_sealed = stated == Some(Sum(found).to_string().as_bytes());
    let kind = || serde_json::from_slice::<Value>(line).ok()?.get("change")?.get("type")?.as_str().map(str::to_owned);
    is_sealed && kind().is_some_and(|kind| !KINDS.contains(&kind.as_str()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineFields {
    at_ms: u64,
    change: Change,
    prev: String,
    seq: u64,
    sum: String,
}

/// Writes a record as a line with its newline; gives its sum.
///
/// # Errors
/// If the record has a number that is not finite, which JSON cannot express.
pub(super) fn seal(record: &Record, prev: &Sum, out: &mut Vec<u8>) -> serde_json::Result<Sum> {
    let mut value = serde_json::to_value(record)?;
    if let Value::Object(fields) = &mut value {
        fields.insert("prev".to_owned(), Value::String(prev.to_string()));
    }
    let start = out.len();
    canonical(&value, out)?;
    let sum = Sum(Sha256::digest(&out[start..]).into());
    out.pop();
    out.extend(BEFORE_SUM);
    out.extend(sum.to_string().as_bytes());
    out.extend(AFTER_SUM);
    out.push(b'\n');
    Ok(sum)
}

/// Canonical JSON. The order is made here, whatever order `serde_json` keeps its maps in.
pub(super) fn canonical(value: &Value, out: &mut Vec<u8>) -> serde_json::Result<()> {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            fields.sort_unstable_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
            out.push(b'{');
            for (i, (key, value)) in fields.into_iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                serde_json::to_writer(&mut *out, key)?;
                out.push(b':');
                canonical(value, out)?;
            }
            out.push(b'}');
        }
        Value::Array(items) => {
            out.push(b'[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                canonical(item, out)?;
            }
            out.push(b']');
        }
        plain => serde_json::to_writer(&mut *out, plain)?,
    }
    Ok(())
}

/// Reads a line without its newline and checks its own sum.
pub(super) fn unseal(line: &[u8]) -> Result<JournalLine, LineFault> {
    let fault = |reason: String, torn: bool| LineFault { reason, torn, newer: false };
    if line.contains(&0) {
        return Err(fault("it has bytes that are not text".to_owned(), true));
    }
    let fields: LineFields = serde_json::from_slice(line).map_err(|error| {
        if std::str::from_utf8(line).is_err() || serde_json::from_slice::<IgnoredAny>(line).is_err() {
            fault("it is not JSON".to_owned(), true)
        } else {
            // The reason may quote the file.
            if is_of_newer_version(line) {
                return LineFault { newer: true, ..fault(NEWER.to_owned(), false) };
            }
            fault(format!("it is not a record: {}", crate::text::clean_line(&error.to_string())), false)
        }
    })?;
    let changed = || fault("its checksum is wrong: the line was changed after it was written".to_owned(), false);
    let (text, end) = line.split_at(line.len().saturating_sub(SUM_BYTES));
    let (Some(prev), Some(sum)) = (Sum::parse(&fields.prev), Sum::parse(&fields.sum)) else {
        return Err(changed());
    };
    let stated = end.strip_prefix(BEFORE_SUM).and_then(|rest| rest.strip_suffix(AFTER_SUM));
    let found: [u8; 32] = Sha256::new().chain_update(text).chain_update(b"}").finalize().into();
    if stated != Some(fields.sum.as_bytes()) || found != sum.0 {
        return Err(changed());
    }
    Ok(JournalLine { record: Record { at_ms: fields.at_ms, change: fields.change, seq: fields.seq }, prev, sum })
}

/// The number of a line's record, from the end of the line, without parsing the line.
pub(super) fn seq_of(line: &[u8]) -> Option<u64> {
    const KEY: &[u8] = b"\"seq\":";
    let text = line.get(..line.len().checked_sub(SUM_BYTES)?)?;
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = text.split_at(text.len() - digits);
    before.ends_with(KEY).then(|| std::str::from_utf8(number).ok()?.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_line_is_canonical_and_says_its_number_at_its_end() {
        let record = Record { at_ms: 5, change: Change::Undo { record: 3 }, seq: 12 };
        let mut line = Vec::new();
        let sum = seal(&record, &Sum::default(), &mut line).expect("JSON");
        let text = String::from_utf8(line.clone()).expect("text");
        let zeros = "0".repeat(64);
        assert_eq!(
            text,
            format!("{{\"at_ms\":5,\"change\":{{\"record\":3,\"type\":\"undo\"}},\"prev\":\"{zeros}\",\"seq\":12,\"sum\":\"{sum}\"}}\n")
        );
        assert_eq!(Sum(Sha256::digest(text.replace(&format!(",\"sum\":\"{sum}\""), "").trim_end()).into()), sum);
        assert_eq!(Sum::parse(&sum.to_string()), Some(sum));
        line.pop();
        assert_eq!(seq_of(&line), Some(12));
        assert_eq!(unseal(&line).ok().map(|line| (line.record, line.prev, line.sum)), Some((record, Sum::default(), sum)));
    }

    #[test]
    fn a_record_of_a_newer_version_is_called_that_and_not_damaged() {
        let mut line = Vec::new();
        seal(&Record { at_ms: 5, change: Change::Undo { record: 3 }, seq: 12 }, &Sum::default(), &mut line).expect("JSON");
        let sealed = |text: &str| {
            let (text, _) = text.split_at(text.len() - SUM_BYTES - 1);
            let sum = Sum(Sha256::digest(format!("{text}}}")).into());
            format!("{text},\"sum\":\"{sum}\"}}").into_bytes()
        };
        let text = String::from_utf8(line).expect("text");
        let newer = text.replace("\"undo\"", "\"dream\"");
        let reason = |line: &[u8]| unseal(line).err().map(|fault| (fault.reason, fault.torn)).expect("is refused");
        assert_eq!(reason(&sealed(&newer)), (NEWER.to_owned(), false));
        // Without its seal nobody knows who wrote it; and what is known but senseless is damage.
        assert!(reason(newer.trim_end().as_bytes()).0.starts_with("it is not a record"));
        assert!(reason(&sealed(&text.replace("\"record\"", "\"recrod\""))).0.starts_with("it is not a record"));
        assert!(unseal(&sealed(&text)).is_ok());
    }

    #[test]
    fn every_kind_of_change_is_known_by_name() {
        let known = serde_json::from_str::<Change>("{\"type\":\"dream\"}").expect_err("no such kind").to_string();
        let expected = KINDS.map(|kind| format!("`{kind}`")).join(", ");
        assert!(known.contains(&expected), "{known}");
    }

    #[test]
    fn keys_are_sorted_at_every_level_and_any_changed_byte_is_noticed() {
        let value = serde_json::json!({"b": [{"z": 1, "a": "é\n"}], "a": {"d": null, "c": 0.5}});
        let mut text = Vec::new();
        canonical(&value, &mut text).expect("JSON");
        assert_eq!(String::from_utf8(text).expect("text"), "{\"a\":{\"c\":0.5,\"d\":null},\"b\":[{\"a\":\"é\\n\",\"z\":1}]}");

        let mut line = Vec::new();
        seal(&Record { at_ms: 5, change: Change::Undo { record: 3 }, seq: 12 }, &Sum::default(), &mut line).expect("JSON");
        line.pop();
        for at in 0..line.len() {
            for change in [1u8, 2, 16, 128] {
                let mut other = line.clone();
                other[at] ^= change;
                assert!(unseal(&other).is_err(), "{}", String::from_utf8_lossy(&other));
            }
        }
    }
}
