//! [`Keys`], the storage of the state: bytes by key, on disk or in memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Bound;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

use crate::dkg::error::DkgError;

/// What changes together: new values by key, none for what goes.
pub(in crate::dkg) type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// What is given every key with its value.
pub(in crate::dkg) type Each<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> Result<(), DkgError>;

/// Bytes by key, in the order of the keys.
pub(in crate::dkg) trait Keys {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DkgError>;

    /// Gives every key that begins so to `each`, in order.
    fn scan(&self, prefix: &[u8], each: Each<'_>) -> Result<(), DkgError>;

    /// Puts and deletes.
    fn write(&mut self, changes: Changes) -> Result<(), DkgError>;
}

/// Keys in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::dkg) struct MemoryKeys(BTreeMap<Vec<u8>, Vec<u8>>);

impl Keys for MemoryKeys {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, DkgError> {
        Ok(self.0.get(key).cloned())
    }

    fn scan(&self, prefix: &[u8], each: Each<'_>) -> Result<(), DkgError> {
        let from = self.0.range::<[u8], _>((Bound::Included(prefix), Bound::Unbounded));
        from.take_while(|(key, _)| key.starts_with(prefix)).try_for_each(|(key, value)| each(key, value))
    }

    fn write(&mut self, changes: Changes) -> Result<(), DkgError> {
        for (key, value) in changes {
            match value {
                Some(value) => self.0.insert(key, value),
                None => self.0.remove(&key),
            };
        }
        Ok(())
    }
}

/// A checksum of all keys and values, independent of their order: it shows whether two states are equal, and whether a state on disk is
/// complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::dkg) struct Digest(pub(in crate::dkg) u128);

impl Digest {
    /// What one key with its value is in the sum.
    fn of(key: &[u8], value: &[u8]) -> u128 {
        xxh3_128_with_seed(value, xxh3_64(key))
    }

    /// Takes a key in.
    pub(in crate::dkg) fn add(&mut self, key: &[u8], value: &[u8]) {
        self.0 = self.0.wrapping_add(Self::of(key, value));
    }
}

/// Changes that are not written yet, over what is.
pub(in crate::dkg) struct Draft<'a> {
    base: &'a dyn Keys,
    changes: BTreeMap<Vec<u8>, Slot>,
}

struct Slot {
    /// What the key with its old value was in the digest.
    before: u128,
    value: Option<Vec<u8>>,
}

impl<'a> Draft<'a> {
    pub(in crate::dkg) fn new(base: &'a dyn Keys) -> Self {
        Self { base, changes: BTreeMap::new() }
    }

    /// Reads a value where it lies.
    pub(super) fn read<T>(&self, key: &[u8], read: impl FnOnce(Option<&[u8]>) -> Result<T, DkgError>) -> Result<T, DkgError> {
        match self.changes.get(key) {
            Some(slot) => read(slot.value.as_deref()),
            None => read(self.base.get(key)?.as_deref()),
        }
    }

    /// A value that will be changed; none where there is none yet.
    pub(super) fn slot(&mut self, key: Vec<u8>) -> Result<&mut Option<Vec<u8>>, DkgError> {
        match self.changes.entry(key) {
            Entry::Occupied(slot) => Ok(&mut slot.into_mut().value),
            Entry::Vacant(free) => {
                let value = self.base.get(free.key())?;
                let before = value.as_deref().map_or(0, |value| Digest::of(free.key(), value));
                Ok(&mut free.insert(Slot { before, value }).value)
            }
        }
    }

    /// Replaces a value.
    pub(super) fn put(&mut self, key: Vec<u8>, value: Vec<u8>) -> Result<(), DkgError> {
        *self.slot(key)? = Some(value);
        Ok(())
    }

    /// Takes a key away.
    pub(super) fn delete(&mut self, key: Vec<u8>) -> Result<(), DkgError> {
        *self.slot(key)? = None;
        Ok(())
    }

    /// The changes, and the digest once they are written.
    pub(in crate::dkg) fn finish(self, mut digest: Digest) -> (Changes, Digest) {
        let mut changes = Changes::new();
        for (key, slot) in self.changes {
            let after = slot.value.as_deref().map_or(0, |value| Digest::of(&key, value));
            digest.0 = digest.0.wrapping_sub(slot.before).wrapping_add(after);
            if after != slot.before {
                changes.insert(key, slot.value);
            }
        }
        (changes, digest)
    }
}
