//! JSON whose keys keep their order, which `serde_json::Value` does not promise.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value as far as its keys go.
#[derive(Debug)]
pub enum Ordered {
    Object(Vec<(String, Ordered)>),
    Array(Vec<Ordered>),
    Plain,
}

impl Ordered {
    /// The keys of an object, in the order in which they are written.
    pub fn keys(&self) -> Vec<&str> {
        match self {
            Self::Object(entries) => entries.iter().map(|(key, _)| key.as_str()).collect(),
            Self::Array(_) | Self::Plain => panic!("not an object: {self:?}"),
        }
    }

    /// What stands under a key.
    pub fn at(&self, key: &str) -> &Self {
        match self {
            Self::Object(entries) => entries.iter().find(|(k, _)| k == key).map_or_else(|| panic!("no {key}"), |(_, value)| value),
            Self::Array(_) | Self::Plain => panic!("not an object: {self:?}"),
        }
    }

    /// The items of an array, of which there must be some.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) if !items.is_empty() => items,
            _ => panic!("not an array with items: {self:?}"),
        }
    }
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Ordered;
            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("JSON")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered::Object(entries))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Ordered, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Ordered::Array(items))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Ordered, E> {
                Ok(Ordered::Plain)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Ordered, E> {
                Ok(Ordered::Plain)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Ordered, E> {
                Ok(Ordered::Plain)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Ordered, E> {
                Ok(Ordered::Plain)
            }
            fn visit_str<E>(self, _: &str) -> Result<Ordered, E> {
                Ok(Ordered::Plain)
            }
            fn visit_unit<E>(self) -> Result<Ordered, E> {
                Ok(Ordered::Plain)
            }
        }
        from.deserialize_any(Keys)
    }
}
