//! What ratings say about chains: how answers that cited them were rated, and which are pinned for questions like the rated one.
//!
//! Each rating and each pin in force has a key of its own, so that undoing one takes away its key alone. Of several ratings of one answer the latest counts.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::keys::{Draft, Keys};
use crate::dkg::error::DkgError;
use crate::dkg::record::{Feedback, Pin, Rating};

/// By record of a rating: the chains that the rated answer cited.
const RATED: u8 = b'r';
/// By record: what it pins.
const PINNED: u8 = b'k';

/// How many answers that cited a chain were rated good, and how many bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChainRatings {
    /// Rated good.
    pub good: u64,
    /// Rated bad.
    pub bad: u64,
}

impl ChainRatings {
    /// These and others together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { good: self.good + other.good, bad: self.bad + other.bad }
    }
}

/// What the ratings in force say about chains.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preferences {
    /// By the text of the chain.
    rated: HashMap<String, ChainRatings>,
    /// With their records, the oldest first.
    pins: Vec<(u64, Pin)>,
}

impl Preferences {
    /// Whether no rating says anything.
    pub fn is_empty(&self) -> bool {
        self.rated.is_empty() && self.pins.is_empty()
    }

    /// How answers were rated that cited the chain with this text.
    pub fn of_chain(&self, text: &str) -> ChainRatings {
        self.rated.get(text).copied().unwrap_or_default()
    }

    /// Whether any rated answer cited a chain.
    pub fn has_ratings(&self) -> bool {
        !self.rated.is_empty()
    }

    /// What is pinned, with the records that pin it, the oldest first.
    pub fn pins(&self) -> &[(u64, Pin)] {
        &self.pins
    }
}

/// The chains of a rating, as they are kept.
#[derive(Serialize, Deserialize)]
struct RatedChains {
    good: bool,
    cited: Vec<String>,
    /// The run of the answer; empty if that is not known.
    #[serde(default)]
    run: String,
}

fn damaged() -> DkgError {
    DkgError::store("what a rating says about chains is damaged")
}

fn key(prefix: u8, record: u64) -> Vec<u8> {
    let mut key = vec![prefix];
    key.extend(record.to_be_bytes());
    key
}

/// Takes a rating in, or away. Whether that changes anything: a gold answer does not say which of the cited chains were to blame.
pub(super) fn put_rating(draft: &mut Draft<'_>, record: u64, feedback: &Feedback, put: bool) -> Result<bool, DkgError> {
    let good = match feedback.rating {
        Rating::Good => true,
        Rating::Bad => false,
        Rating::Gold => return Ok(false),
    };
    if feedback.cited.is_empty() {
        return Ok(false);
    }
    if put {
        let rated = RatedChains { good, cited: feedback.cited.clone(), run: feedback.run.clone() };
        draft.put(key(RATED, record), serde_json::to_vec(&rated).map_err(|_| damaged())?)?;
    } else {
        draft.delete(key(RATED, record))?;
    }
    Ok(true)
}

/// Takes a pin in, or away.
pub(super) fn put_pin(draft: &mut Draft<'_>, record: u64, pin: &Pin, put: bool) -> Result<(), DkgError> {
    if put { draft.put(key(PINNED, record), serde_json::to_vec(pin).map_err(|_| damaged())?) } else { draft.delete(key(PINNED, record)) }
}

/// Reads all. Of pins only those count whose rating is in force.
pub(in crate::dkg) fn read(keys: &dyn Keys) -> Result<Preferences, DkgError> {
    let mut preferences = Preferences::default();
    // In the order of their records. Whoever rates the same answer again has changed their mind: the later rating takes the earlier one's place.
    let mut ratings: Vec<RatedChains> = Vec::new();
    let mut of_answer: HashMap<(String, Vec<String>), usize> = HashMap::new();
    keys.scan(&[RATED], &mut |_, value| {
        let rated: RatedChains = serde_json::from_slice(value).map_err(|_| damaged())?;
        let before = (!rated.run.is_empty()).then(|| of_answer.insert((rated.run.clone(), rated.cited.clone()), ratings.len())).flatten();
        if let Some(replaced) = before.and_then(|before| ratings.get_mut(before)) {
            replaced.cited.clear();
        }
        ratings.push(rated);
        Ok(())
    })?;
    for RatedChains { good, cited, .. } in ratings {
        let mut seen = std::collections::BTreeSet::new();
        for chain in cited {
            if seen.insert(chain.clone()) {
                let known = preferences.rated.entry(chain).or_default();
                *(if good { &mut known.good } else { &mut known.bad }) += 1;
            }
        }
    }
    let mut pins: Vec<(u64, Pin)> = Vec::new();
    keys.scan(&[PINNED], &mut |key, value| {
        let record = key.get(1..9).and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes).ok_or_else(damaged)?;
        pins.push((record, serde_json::from_slice(value).map_err(|_| damaged())?));
        Ok(())
    })?;
    let draft = Draft::new(keys);
    for (record, pin) in pins {
        if !super::is_void(&draft, pin.feedback)? {
            preferences.pins.push((record, pin));
        }
    }
    Ok(preferences)
}
