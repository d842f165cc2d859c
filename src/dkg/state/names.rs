//! Names by number. Entities and relations stand in the state once, each as it is spelled, and triples refer to them by number.
//!
//! They are spread over [`BUCKETS`] values by their hash. A value holds `u32` hash, `u16` length, bytes, one after another; a number is
//! place in the value · [`BUCKETS`] + value. sled takes a microsecond and more for each key, so a million triples in a key each would take seconds
//! to open; in a few thousand values they take a twentieth of one, and a change still rewrites only some kilobytes.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as NoRole, StrDeserializer};
use xxhash_rust::xxh3::xxh3_64;

use super::keys::{Draft, Keys};
use crate::dkg::error::DkgError;
use crate::graph::{NamedEntity, NamedRelation, Player, Qualifiers, Role};

/// How many values the names, and the triples, are spread over.
pub(super) const BUCKETS: u32 = 4096;

const PREFIX: u8 = b'n';
/// Hash and length.
const HEADER: usize = 6;

/// The key of a bucket.
pub(super) fn bucket_key(prefix: u8, bucket: u32) -> Vec<u8> {
    let [.., high, low] = bucket.to_be_bytes();
    vec![prefix, high, low]
}

fn damaged() -> DkgError {
    DkgError::store("a name is missing")
}

/// The names of a bucket, in order.
struct Entries<'a>(&'a [u8]);

impl<'a> Iterator for Entries<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (header, rest) = self.0.split_at_checked(HEADER)?;
        let hash = u32::from_le_bytes(header[..4].try_into().ok()?);
        let length = u16::from_le_bytes(header[4..].try_into().ok()?);
        let (name, rest) = rest.split_at_checked(length.into())?;
        self.0 = rest;
        Some((hash, name))
    }
}

/// The number of a name, which gets one if it has none.
fn intern(draft: &mut Draft<'_>, name: &[u8]) -> Result<u32, DkgError> {
    let hash = xxh3_64(name);
    let (bucket, hash) = ((hash % u64::from(BUCKETS)) as u32, (hash >> 32) as u32);
    let key = bucket_key(PREFIX, bucket);
    let mut count = 0;
    let known = draft.read(&key, |bytes| {
        for (other, entry) in Entries(bytes.unwrap_or_default()) {
            if other == hash && entry == name {
                return Ok(Some(count));
            }
            count += 1;
        }
        Ok(None)
    })?;
    if let Some(place) = known {
        return Ok(place * BUCKETS + bucket);
    }
    // Names are bounded where changes are checked.
    let length = u16::try_from(name.len()).map_err(|_| DkgError::store("a name is too long"))?;
    let bytes = draft.slot(key)?.get_or_insert_default();
    bytes.extend(hash.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(name);
    Ok(count * BUCKETS + bucket)
}

/// The number of an entity.
pub(super) fn intern_entity(draft: &mut Draft<'_>, entity: &NamedEntity) -> Result<u32, DkgError> {
    intern(draft, format!("{}\0{}", entity.kind, entity.name).as_bytes())
}

/// The number of a relation with the qualifiers of a triple. They share a number, so that triples without qualifiers take no more room.
pub(super) fn intern_relation(draft: &mut Draft<'_>, relation: &NamedRelation, qualifiers: &Qualifiers) -> Result<u32, DkgError> {
    let player = match relation.player {
        Player::Head => "h",
        Player::Tail => "t",
    };
    let mut name = format!("\0{player}\0{}\0{}", relation.role.as_str(), relation.name);
    for (key, value) in qualifiers.iter() {
        name.push_str(&format!("\0{key}={value}"));
    }
    intern(draft, name.as_bytes())
}

fn entity(bytes: &[u8]) -> Option<NamedEntity> {
    let (kind, name) = std::str::from_utf8(bytes).ok()?.split_once('\0')?;
    Some(NamedEntity { kind: kind.to_owned(), name: name.to_owned() })
}

fn relation(bytes: &[u8]) -> Option<(NamedRelation, Qualifiers)> {
    // Names and values have no control characters.
    let mut parts = std::str::from_utf8(bytes).ok()?.strip_prefix('\0')?.split('\0');
    let player = match parts.next()? {
        "h" => Player::Head,
        "t" => Player::Tail,
        _ => return None,
    };
    let role: StrDeserializer<'_, NoRole> = parts.next()?.into_deserializer();
    let role = Role::deserialize(role).ok()?;
    let relation = NamedRelation { name: parts.next()?.to_owned(), player, role };
    Some((relation, Qualifiers::of_columns(parts).ok()?))
}

fn name_of<T>(draft: &Draft<'_>, number: u32, parse: impl FnOnce(&[u8]) -> Option<T>) -> Result<T, DkgError> {
    draft.read(&bucket_key(PREFIX, number % BUCKETS), |bytes| {
        let name = Entries(bytes.unwrap_or_default()).nth((number / BUCKETS) as usize);
        name.and_then(|(_, name)| parse(name)).ok_or_else(damaged)
    })
}

/// An entity by its number.
pub(super) fn entity_of(draft: &Draft<'_>, number: u32) -> Result<NamedEntity, DkgError> {
    name_of(draft, number, entity)
}

/// A relation, and the qualifiers of a triple, by their number.
pub(super) fn relation_of(draft: &Draft<'_>, number: u32) -> Result<(NamedRelation, Qualifiers), DkgError> {
    name_of(draft, number, relation)
}

/// All names, numbered again in the order of use.
pub(super) struct AllNames {
    buckets: Vec<(Vec<u8>, Vec<u32>)>,
}

impl AllNames {
    pub(super) fn read(keys: &dyn Keys) -> Result<Self, DkgError> {
        let mut buckets = vec![(Vec::new(), Vec::new()); BUCKETS as usize];
        keys.scan(&[PREFIX], &mut |key, value| {
            let bucket = key.get(1..3).and_then(|bytes| bytes.try_into().ok()).map(u16::from_be_bytes).ok_or_else(damaged)?;
            let (bytes, starts) = buckets.get_mut(usize::from(bucket)).ok_or_else(damaged)?;
            let mut at = 0;
            for (_, name) in Entries(value) {
                starts.push(at);
                at += (HEADER + name.len()) as u32;
            }
            *bytes = value.to_vec();
            Ok(())
        })?;
        Ok(Self { buckets })
    }

    fn bytes(&self, number: u32) -> Result<&[u8], DkgError> {
        let (bytes, starts) = &self.buckets[(number % BUCKETS) as usize];
        let start = starts.get((number / BUCKETS) as usize).ok_or_else(damaged)?;
        Entries(&bytes[*start as usize..]).next().map(|(_, name)| name).ok_or_else(damaged)
    }
}

/// Names numbered in the order in which they are asked for.
pub(super) struct Renumbered<'a, T> {
    names: &'a AllNames,
    parse: fn(&[u8]) -> Option<T>,
    numbers: HashMap<u32, u32>,
    pub(super) list: Vec<T>,
}

impl<'a> Renumbered<'a, NamedEntity> {
    pub(super) fn entities(names: &'a AllNames) -> Self {
        Self { names, parse: entity, numbers: HashMap::new(), list: Vec::new() }
    }
}

impl<'a> Renumbered<'a, (NamedRelation, Qualifiers)> {
    pub(super) fn relations(names: &'a AllNames) -> Self {
        Self { names, parse: relation, numbers: HashMap::new(), list: Vec::new() }
    }
}

impl<T> Renumbered<'_, T> {
    pub(super) fn number(&mut self, number: u32) -> Result<u32, DkgError> {
        if let Some(known) = self.numbers.get(&number) {
            return Ok(*known);
        }
        let new = self.list.len() as u32;
        self.list.push((self.parse)(self.names.bytes(number)?).ok_or_else(damaged)?);
        self.numbers.insert(number, new);
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dkg::state::keys::MemoryKeys;
    use crate::graph::Kind;

    #[test]
    fn every_name_has_one_number_and_comes_back_as_it_was() {
        let base = MemoryKeys::default();
        let mut draft = Draft::new(&base);
        let entities: Vec<NamedEntity> =
            (0..20_000).map(|i| NamedEntity::new(format!("Müller {i}"), if i % 2 == 0 { &Kind::Drug } else { &Kind::Disease })).collect();
        let relations = [Player::Head, Player::Tail].map(|player| NamedRelation { name: "m".to_owned(), player, role: Role::FirstLine });
        let numbers: Vec<u32> = entities.iter().map(|entity| intern_entity(&mut draft, entity).expect("room")).collect();
        let major = Qualifiers::default().with("severity", "major").with("effect", "出血: a=b");
        let none = Qualifiers::default();
        let of_relations = relations.each_ref().map(|relation| intern_relation(&mut draft, relation, &none).expect("room"));
        let qualified = intern_relation(&mut draft, &relations[0], &major).expect("room");
        assert_eq!(relation_of(&draft, qualified).expect("there"), (relations[0].clone(), major));
        for (entity, number) in entities.iter().zip(&numbers) {
            assert_eq!(intern_entity(&mut draft, entity).expect("room"), *number);
            assert_eq!(entity_of(&draft, *number).expect("there"), *entity);
        }
        for (relation, number) in relations.iter().zip(of_relations) {
            assert_eq!(relation_of(&draft, number).expect("there"), (relation.clone(), none.clone()));
        }
        let mut sorted = numbers;
        sorted.extend(of_relations);
        sorted.push(qualified);
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 20_003);
        assert!(entity_of(&draft, u32::MAX).is_err());
    }
}
