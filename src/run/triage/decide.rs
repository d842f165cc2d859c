//! What each decision of the doctor changes in a triage. The screen and the plain mode both use these functions.

use super::{ChainKey, Triage};
use crate::run::event::Settings;
use crate::run::passage::PassageKey;

/// Linking thresholds that differ by no more than this are equal.
const SAME_DELTA: f64 = 1e-9;

impl Triage {
    /// Removes every decision about this very chain, read from either end. Rules still apply to it.
    pub fn forget(&mut self, key: &ChainKey) {
        for key in [key, &key.reversed()] {
            self.pinned.remove(key);
            self.rejected.remove(key);
            self.restored.remove(key);
        }
    }

    /// Pins a chain: it is kept whatever its score.
    pub fn pin(&mut self, key: ChainKey) {
        self.forget(&key);
        self.pinned.insert(key);
    }

    /// Rejects a chain.
    pub fn reject(&mut self, key: ChainKey) {
        self.forget(&key);
        self.rejected.insert(key);
    }

    /// Restores a rejected chain; if a rule rejects it, as an exception from the rule.
    pub fn let_in(&mut self, key: ChainKey) {
        let alone = self.rejected.contains(&key) || self.rejected.contains(&key.reversed());
        self.forget(&key);
        if !alone {
            self.restored.insert(key);
        }
    }

    /// Pins a passage: the answer quotes it.
    pub fn pin_passage(&mut self, key: PassageKey) {
        self.rejected_passages.remove(&key);
        self.pinned_passages.insert(key);
    }

    /// Rejects a passage: nothing cites it.
    pub fn reject_passage(&mut self, key: PassageKey) {
        self.pinned_passages.remove(&key);
        self.rejected_passages.insert(key);
    }

    /// Removes every decision about a passage.
    pub fn forget_passage(&mut self, key: &PassageKey) {
        self.pinned_passages.remove(key);
        self.rejected_passages.remove(key);
    }

    /// Makes an entity an anchor: a rejected one is restored, any other is added by its name.
    pub fn add_anchor(&mut self, name: &str) {
        if !self.rejected_anchors.remove(name) && !self.added_anchors.iter().any(|added| added == name) {
            self.added_anchors.push(name.to_owned());
        }
    }

    /// Removes an anchor: one that was added is removed from the list, one that was linked is rejected.
    pub fn drop_anchor(&mut self, name: &str) {
        let before = self.added_anchors.len();
        self.added_anchors.retain(|added| added != name);
        if self.added_anchors.len() == before {
            self.rejected_anchors.insert(name.to_owned());
        }
    }

    /// Removes every decision about an anchor.
    pub fn forget_anchor(&mut self, name: &str) {
        self.rejected_anchors.remove(name);
        self.added_anchors.retain(|added| added != name);
    }

    /// Sets k, top-k and δ. A value that equals the one the run was `started` with is not a decision.
    pub fn set(&mut self, started: &Settings, wanted: &Settings) {
        self.k = Some(wanted.k).filter(|k| *k != started.k);
        self.top_k = Some(wanted.top_k).filter(|top_k| *top_k != started.top_k);
        self.delta = Some(wanted.delta).filter(|delta| (delta - started.delta).abs() > SAME_DELTA);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> ChainKey {
        ChainKey { entities: vec!["A".into(), "B".into()], relations: vec![("treats".into(), true)] }
    }

    #[test]
    fn a_chain_is_decided_about_once_from_either_end() {
        let mut triage = Triage::default();
        triage.reject(key());
        triage.pin(key().reversed());
        assert_eq!((triage.pinned.len(), triage.rejected.len()), (1, 0));
        triage.reject(key());
        assert_eq!((triage.pinned.len(), triage.rejected.len()), (0, 1));
        triage.let_in(key().reversed());
        assert_eq!(triage, Triage::default(), "it was out by itself");
        triage.rejected_through.insert("A".into());
        triage.let_in(key());
        assert_eq!(triage.restored.len(), 1, "an exception from the rule");
        triage.forget(&key());
        assert_eq!(triage.restored.len(), 0);
    }

    #[test]
    fn anchors_come_and_go() {
        let mut triage = Triage::default();
        triage.add_anchor("Fever");
        triage.add_anchor("Fever");
        assert_eq!(triage.added_anchors, ["Fever"]);
        triage.drop_anchor("Fever");
        assert_eq!(triage, Triage::default());
        triage.drop_anchor("Cough");
        assert!(triage.rejected_anchors.contains("Cough"));
        triage.add_anchor("Cough");
        assert_eq!(triage, Triage::default());
    }

    #[test]
    fn settings_as_the_run_was_started_with_are_not_decided() {
        let started = Settings { k: 3, top_k: 10, delta: 0.7, fragment_words: 10, fragment_overlap: 4, seed: 0 };
        let mut triage = Triage::default();
        triage.set(&started, &Settings { k: 2, ..started.clone() });
        assert_eq!((triage.k, triage.top_k, triage.delta), (Some(2), None, None));
        triage.set(&started, &started);
        assert_eq!(triage, Triage::default());
    }
}
