//! `w2ner.json`: the sizes of the grid's layers, and the types of mentions.

use serde::Deserialize;

use super::super::folder::ModelFolder;
use crate::model::{MentionType, ModelError};

const FILE: &str = "w2ner.json";
/// The form of the file that this program reads.
const FORM: u32 = 1;
/// Sizes of layers are multiples of the width of a panel, so that rows have no padding between them.
const MULTIPLE: usize = super::super::kernel::PANEL_WIDTH;
/// The largest size of a layer of the grid.
const LARGEST: usize = 1024;
/// The most convolutions, and the largest gap between the cells that one reads.
const MOST_CONVOLUTIONS: usize = 8;

/// The sizes, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GridConfig {
    /// Components of a word in the grid.
    pub(super) word: usize,
    /// Channels of a cell.
    pub(super) channels: usize,
    /// Components between the layers of the MLP.
    pub(super) mlp: usize,
    /// Components of a word in the biaffine product.
    pub(super) biaffine: usize,
    /// Components of the embeddings of distance and region.
    pub(super) place: usize,
    /// The dilation of each convolution.
    pub(super) dilations: Vec<usize>,
    /// The types, in the order of their labels.
    pub(super) types: Vec<MentionType>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    form: u32,
    types: Vec<String>,
    word: usize,
    channels: usize,
    mlp: usize,
    biaffine: usize,
    place: usize,
    dilations: Vec<usize>,
}

impl GridConfig {
    /// Reads and checks it.
    pub(super) fn read(folder: &ModelFolder) -> Result<Self, ModelError> {
        let read: ConfigFile = folder.json(FILE)?;
        let fails = |problem: String| Err(folder.fails(FILE, problem));
        if read.form != FORM {
            return fails(format!("form is {}; this version of Catena reads form {FORM}", read.form));
        }
        for (name, size) in [("word", read.word), ("channels", read.channels), ("mlp", read.mlp), ("biaffine", read.biaffine)] {
            if size == 0 || size > LARGEST || !size.is_multiple_of(MULTIPLE) {
                return fails(format!("{name} is {size}; it must be a multiple of {MULTIPLE} up to {LARGEST}"));
            }
        }
        if !(1..=LARGEST).contains(&read.place) {
            return fails(format!("place is {}; it must be from 1 to {LARGEST}", read.place));
        }
        let is_sound = |dilation: &usize| (1..=MOST_CONVOLUTIONS).contains(dilation);
        if read.dilations.is_empty() || read.dilations.len() > MOST_CONVOLUTIONS || !read.dilations.iter().all(is_sound) {
            return fails(format!("dilations must be 1 to {MOST_CONVOLUTIONS} numbers from 1 to {MOST_CONVOLUTIONS}"));
        }
        let mut types = Vec::new();
        for name in &read.types {
            match MentionType::named(name).filter(|of| !types.contains(of)) {
                Some(of) => types.push(of),
                None => return fails(format!("types has {name:?}; each must be one of Chemical and Disease, and stand there once")),
            }
        }
        if types.is_empty() {
            return fails("types is empty".into());
        }
        let ConfigFile { word, channels, mlp, biaffine, place, dilations, .. } = read;
        Ok(Self { word, channels, mlp, biaffine, place, dilations, types })
    }

    /// The number of labels: none, next neighbouring word, and tail–head of each type.
    pub(super) fn labels(&self) -> usize {
        super::decoding::TAIL_HEAD as usize + self.types.len()
    }
}
