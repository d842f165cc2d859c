//! The header of a GGUF file: metadata and the positions of tensors. Every size is checked against the size of the file.
//!
//! Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>, versions 2 and 3. candle's reader is not used because a
//! hostile header can make it panic (an alignment of 0) or take many times the file's size (arrays of bytes).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use candle_core::quantized::GgmlDType;

use super::source::{RawMatrix, TensorSource, bytes_of};

/// Entries of all arrays together: the largest vocabularies have a quarter of a million tokens, with as many scores and types and twice as many merges.
const MOST_ENTRIES: u64 = 1 << 23;
/// Metadata fields and tensors.
const MOST_FIELDS: u64 = 1 << 16;
const LONGEST_KEY: u64 = 1 << 12;
const LONGEST_TEXT: u64 = 1 << 24;

/// A value of the metadata.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Whole(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    Texts(Vec<String>),
    /// Whole numbers, or truth values as 0 and 1.
    Wholes(Vec<i64>),
    Floats(Vec<f64>),
}

/// The position, type and shape of a tensor.
#[derive(Debug, Clone)]
struct TensorLocation {
    kind: GgmlDType,
    rows: usize,
    columns: usize,
    from: u64,
    bytes: usize,
}

/// An open GGUF file.
#[derive(Debug)]
pub(super) struct Gguf {
    file: File,
    metadata: BTreeMap<String, Value>,
    tensors: BTreeMap<String, TensorLocation>,
}

impl Gguf {
    /// Reads the header.
    ///
    /// # Errors
    /// The problem and its field, in plain words.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let file = File::open(path).map_err(|e| format!("it cannot be opened: {e}"))?;
        let size = file.metadata().map_err(|e| format!("its size cannot be read: {e}"))?.len();
        let mut header = GgufHeader { input: BufReader::new(file), at: 0, size, entries: 0 };
        let (metadata, tensors) = header.read()?;
        Ok(Self { file: header.input.into_inner(), metadata, tensors })
    }

    /// A text of the metadata.
    pub(super) fn text(&self, key: &str) -> Result<Option<&str>, String> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(_) => Err(format!("the field {key} is not a text")),
        }
    }

    /// A whole number that is not negative.
    pub(super) fn count(&self, key: &str) -> Result<Option<usize>, String> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Whole(number)) => usize::try_from(*number).map(Some).map_err(|_| format!("the field {key} is {number}")),
            // Some files give one number for each layer; if all are equal, they count as one.
            Some(Value::Wholes(numbers)) if numbers.windows(2).all(|pair| pair[0] == pair[1]) && !numbers.is_empty() => {
                usize::try_from(numbers[0]).map(Some).map_err(|_| format!("the field {key} is {}", numbers[0]))
            }
            Some(Value::Wholes(_)) => Err(format!("the field {key} differs from layer to layer, which Catena cannot compute")),
            Some(_) => Err(format!("the field {key} is not a whole number")),
        }
    }

    /// The same, of a field that must be there.
    pub(super) fn required(&self, key: &str) -> Result<usize, String> {
        self.count(key)?.ok_or_else(|| format!("the field {key} is missing"))
    }

    /// A number.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, String> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Float(number)) => Ok(Some(*number)),
            Some(Value::Whole(number)) => Ok(Some(*number as f64)),
            Some(_) => Err(format!("the field {key} is not a number")),
        }
    }

    /// A truth value.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, String> {
        match self.metadata.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(format!("the field {key} is not true or false")),
        }
    }

    /// A list of texts; empty where there is none.
    pub(super) fn texts(&self, key: &str) -> Result<&[String], String> {
        match self.metadata.get(key) {
            None => Ok(&[]),
            Some(Value::Texts(texts)) => Ok(texts),
            Some(_) => Err(format!("the field {key} is not a list of texts")),
        }
    }

    /// A list of whole numbers (or truth values); empty where there is none.
    pub(super) fn wholes(&self, key: &str) -> Result<&[i64], String> {
        match self.metadata.get(key) {
            None => Ok(&[]),
            Some(Value::Wholes(numbers)) => Ok(numbers),
            Some(_) => Err(format!("the field {key} is not a list of whole numbers")),
        }
    }

    /// A list of numbers; empty where there is none.
    pub(super) fn floats(&self, key: &str) -> Result<&[f64], String> {
        match self.metadata.get(key) {
            None => Ok(&[]),
            Some(Value::Floats(numbers)) => Ok(numbers),
            Some(_) => Err(format!("the field {key} is not a list of numbers")),
        }
    }

    /// Rows and columns of a tensor.
    pub(super) fn shape(&self, name: &str) -> Option<(usize, usize)> {
        self.tensors.get(name).map(|place| (place.rows, place.columns))
    }

    /// For every tensor its kind, number of values, and bytes.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (GgmlDType, u64, u64)> {
        self.tensors.values().map(|place| (place.kind, (place.rows * place.columns) as u64, place.bytes as u64))
    }
}

impl TensorSource for Gguf {
    fn tensor(&mut self, name: &str) -> Result<Option<RawMatrix>, String> {
        let Some(place) = self.tensors.get(name) else { return Ok(None) };
        let mut data = vec![0; place.bytes];
        self.file
            .seek(SeekFrom::Start(place.from))
            .and_then(|_| self.file.read_exact(&mut data))
            .map_err(|e| format!("the tensor {name} cannot be read: {e}"))?;
        Ok(Some(RawMatrix { name: name.into(), kind: place.kind, rows: place.rows, columns: place.columns, data }))
    }
}

type GgufFields = (BTreeMap<String, Value>, BTreeMap<String, TensorLocation>);

struct GgufHeader {
    input: BufReader<File>,
    at: u64,
    size: u64,
    entries: u64,
}

impl GgufHeader {
    fn read(&mut self) -> Result<GgufFields, String> {
        if &self.bytes::<4>("the first bytes")? != b"GGUF" {
            return Err("it is not a GGUF file: it does not begin with GGUF".into());
        }
        let version = self.u32("the version")?;
        if version != 2 && version != 3 {
            return Err(format!("its GGUF version is {version}; Catena reads versions 2 and 3"));
        }
        let tensor_count = self.u64("the number of tensors")?;
        let field_count = self.u64("the number of fields")?;
        if tensor_count > MOST_FIELDS || field_count > MOST_FIELDS {
            return Err(format!("it claims {tensor_count} tensors and {field_count} fields, more than any model has"));
        }
        let mut metadata = BTreeMap::new();
        for _ in 0..field_count {
            let key = self.text("the name of a field", LONGEST_KEY)?;
            let kind = self.u32(&key)?;
            let value = self.value(&key, kind)?;
            metadata.insert(key, value);
        }
        let mut found = Vec::new();
        for _ in 0..tensor_count {
            found.push(self.tensor()?);
        }
        let alignment = match metadata.get("general.alignment") {
            None => 32,
            Some(Value::Whole(a)) if (1..=1 << 20).contains(a) => a.unsigned_abs(),
            Some(other) => return Err(format!("the field general.alignment is {other:?}")),
        };
        let start = self.at.div_ceil(alignment) * alignment;
        let mut tensors = BTreeMap::new();
        for (name, mut place) in found {
            let from =
                start.checked_add(place.from).filter(|from| from.checked_add(place.bytes as u64).is_some_and(|end| end <= self.size));
            let Some(from) = from else {
                return Err(format!(
                    "the tensor {name} ends beyond the end of the file (it needs {} bytes); the file is not complete, copy or download it again",
                    place.bytes
                ));
            };
            place.from = from;
            if tensors.insert(name.clone(), place).is_some() {
                return Err(format!("the tensor {name} is in it twice"));
            }
        }
        Ok((metadata, tensors))
    }

    fn tensor(&mut self) -> Result<(String, TensorLocation), String> {
        let name = self.text("the name of a tensor", LONGEST_KEY)?;
        let field = format!("the description of the tensor {name}");
        let dimensions = self.u32(&field)?;
        if !(1..=4).contains(&dimensions) {
            return Err(format!("the tensor {name} has {dimensions} dimensions"));
        }
        let too_large = || format!("the tensor {name} is larger than any file");
        let mut columns = 0usize;
        let mut rows = 1usize;
        for dimension in 0..dimensions {
            let length = usize::try_from(self.u64(&field)?).map_err(|_| too_large())?;
            if dimension == 0 {
                columns = length;
            } else {
                rows = rows.checked_mul(length).ok_or_else(too_large)?;
            }
        }
        let kind = self.u32(&field)?;
        let kind = kind_of(kind).ok_or_else(|| {
            format!("the tensor {name} is stored in a format (number {kind}) that Catena cannot read; use a file with Q4_K_M, Q8_0 or F16 weights")
        })?;
        let from = self.u64(&field)?;
        rows.checked_mul(columns).ok_or_else(too_large)?;
        let bytes = bytes_of(kind, rows, columns)
            .ok_or_else(|| format!("the tensor {name}: rows of {columns} values do not divide into blocks of {kind:?}"))?;
        Ok((name, TensorLocation { kind, rows, columns, from, bytes }))
    }

    fn value(&mut self, key: &str, kind: u32) -> Result<Value, String> {
        Ok(match kind {
            8 => Value::Text(self.text(key, LONGEST_TEXT)?),
            7 => Value::Bool(self.bytes::<1>(key)?[0] != 0),
            6 | 12 => Value::Float(self.float(key, kind)?),
            0..=5 | 10 | 11 => Value::Whole(self.whole(key, kind)?),
            9 => {
                let kind = self.u32(key)?;
                let count = self.u64(key)?;
                self.entries = self.entries.saturating_add(count);
                // Every entry takes a byte at least.
                if self.entries > MOST_ENTRIES || count > self.size - self.at.min(self.size) {
                    return Err(format!("the field {key} claims {count} entries, more than the file or any model can hold"));
                }
                match kind {
                    8 => Value::Texts((0..count).map(|_| self.text(key, LONGEST_TEXT)).collect::<Result<_, _>>()?),
                    6 | 12 => Value::Floats((0..count).map(|_| self.float(key, kind)).collect::<Result<_, _>>()?),
                    0..=5 | 7 | 10 | 11 => Value::Wholes((0..count).map(|_| self.whole(key, kind)).collect::<Result<_, _>>()?),
                    _ => return Err(format!("the field {key} is a list of a type that Catena cannot read (number {kind})")),
                }
            }
            _ => return Err(format!("the field {key} has a type (number {kind}) that GGUF does not define")),
        })
    }

    fn whole(&mut self, key: &str, kind: u32) -> Result<i64, String> {
        Ok(match kind {
            0 | 7 => i64::from(self.bytes::<1>(key)?[0]),
            1 => i64::from(i8::from_le_bytes(self.bytes(key)?)),
            2 => i64::from(u16::from_le_bytes(self.bytes(key)?)),
            3 => i64::from(i16::from_le_bytes(self.bytes(key)?)),
            4 => i64::from(self.u32(key)?),
            5 => i64::from(i32::from_le_bytes(self.bytes(key)?)),
            10 => i64::try_from(self.u64(key)?).map_err(|_| format!("the field {key} is larger than any number in a model"))?,
            _ => i64::from_le_bytes(self.bytes(key)?),
        })
    }

    fn float(&mut self, key: &str, kind: u32) -> Result<f64, String> {
        Ok(if kind == 6 { f64::from(f32::from_le_bytes(self.bytes(key)?)) } else { f64::from_le_bytes(self.bytes(key)?) })
    }

    fn text(&mut self, what: &str, longest: u64) -> Result<String, String> {
        let length = self.u64(what)?;
        if length > longest || length > self.size - self.at.min(self.size) {
            return Err(format!("{what} claims a length of {length} bytes, more than it can have"));
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|e| e.to_string())?];
        self.fill(&mut bytes, what)?;
        // Some vocabularies hold tokens that are parts of characters; they are never asked for by name.
        Ok(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    fn u32(&mut self, what: &str) -> Result<u32, String> {
        Ok(u32::from_le_bytes(self.bytes(what)?))
    }

    fn u64(&mut self, what: &str) -> Result<u64, String> {
        Ok(u64::from_le_bytes(self.bytes(what)?))
    }

    fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N], String> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8], what: &str) -> Result<(), String> {
        self.input.read_exact(bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => format!("the file ends within {what}; it is not complete, copy or download it again"),
            _ => format!("reading {what} failed: {error}"),
        })?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

/// A form of storage by its number in files.
fn kind_of(number: u32) -> Option<GgmlDType> {
    Some(match number {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        30 => GgmlDType::BF16,
        _ => return None,
    })
}
