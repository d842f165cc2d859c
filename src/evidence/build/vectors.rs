//! Vectors of units and of entities' names by the built-in encoder, rounded to 8 bits.

use super::analyse::Analysis;
use super::entities::EntityTable;
use crate::evidence::document::Document;
use crate::evidence::error::CollectionError;
use crate::evidence::segment::Part;
use crate::model::{Encoder, StaticEncoder};

/// How much of a unit's text its vector stands for, in bytes: what sentence encoders take, about 256 words.
const UNIT_TEXT: usize = 1600;
/// Texts that are encoded at a time.
const PORTION: usize = 4096;

/// Vectors of a collection.
pub(super) struct Vectors {
    pub(super) encoder: String,
    pub(super) dim: usize,
    units: Rounded,
    entities: Rounded,
}

/// Rows of unit length, each rounded to 8 bits with a scale of its own.
#[derive(Debug, Default)]
struct Rounded {
    scales: Vec<f32>,
    rows: Vec<i8>,
}

impl Rounded {
    fn push(&mut self, row: &[f32]) {
        let largest = row.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        let scale = largest / 127.0;
        self.scales.push(scale);
        self.rows.extend(row.iter().map(|value| if scale > 0.0 { (value / scale).round() as i8 } else { 0 }));
    }

    fn of(encoder: &mut StaticEncoder, texts: impl Iterator<Item = String>) -> Result<Self, CollectionError> {
        let mut rounded = Self::default();
        let mut texts = texts.peekable();
        while texts.peek().is_some() {
            let portion: Vec<String> = texts.by_ref().take(PORTION).collect();
            let matrix = encoder.encode(&portion)?.normalised();
            (0..matrix.rows()).for_each(|row| rounded.push(matrix.row(row)));
        }
        Ok(rounded)
    }
}

/// The beginning of a text, of at most so many bytes.
fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

pub(super) fn of(documents: &[Document], analyses: &[Analysis], table: &EntityTable) -> Result<Vectors, CollectionError> {
    let mut encoder = StaticEncoder::built_in()?;
    let units = documents.iter().zip(analyses).flat_map(|(document, analysis)| {
        document.sections.iter().zip(&analysis.sections).flat_map(move |(section, own)| {
            own.units.iter().map(move |unit| {
                let text = section.text.get(unit.span.clone()).unwrap_or_default();
                format!("{}. {}. {}", document.title, section.name.replace('_', " "), beginning(text, UNIT_TEXT))
            })
        })
    });
    let units = Rounded::of(&mut encoder, units)?;
    let entities = Rounded::of(&mut encoder, table.names.iter().cloned())?;
    Ok(Vectors { encoder: encoder.name().to_owned(), dim: encoder.dim(), units, entities })
}

impl Vectors {
    pub(super) fn put(self, put: &mut impl FnMut(Part, Vec<u8>)) {
        put(Part::UnitScales, bytemuck::cast_slice(&self.units.scales).to_vec());
        put(Part::UnitVectors, bytemuck::cast_slice(&self.units.rows).to_vec());
        put(Part::EntityScales, bytemuck::cast_slice(&self.entities.scales).to_vec());
        put(Part::EntityVectors, bytemuck::cast_slice(&self.entities.rows).to_vec());
    }
}
