//! Reads a model's weights from `model.safetensors` or `pytorch_model.bin`, tensor by tensor, so that only one copy
//! is in memory. A tensor's size is checked against the expected size and the file before memory is allocated.

use std::collections::BTreeMap;
use std::io::{BufReader, Read, SeekFrom};
use std::rc::Rc;

use safetensors::Dtype;
use safetensors::tensor::Metadata;
use zip::{CompressionMethod, ZipArchive};

use super::folder::{ModelFile, ModelFolder};
use super::pickle::{self, ListedTensor, NumberFormat};
use crate::model::ModelError;

pub(super) const SAFETENSORS: &str = "model.safetensors";
pub(super) const PYTORCH: &str = "pytorch_model.bin";

/// The largest header or list of tensors, in bytes (usual ones have some 60 KB).
const LARGEST_LIST: u64 = 16 << 20;

/// A file of tensors, open.
pub(super) struct WeightFile {
    folder: ModelFolder,
    file: &'static str,
    source: WeightSource,
    /// The prefix of the names of the network's tensors: empty, `bert.` or `roberta.`
    prefix: &'static str,
}

enum WeightSource {
    Safetensors { file: Box<dyn ModelFile>, begin: u64, list: Metadata },
    Pytorch(Archive),
}

/// A checkpoint of PyTorch: an archive with a list of tensors and their numbers.
struct Archive {
    archive: ZipArchive<BufReader<Box<dyn ModelFile>>>,
    /// Bytes of the whole file.
    length: u64,
    root: String,
    list: BTreeMap<String, Rc<ListedTensor>>,
}

impl WeightFile {
    /// Opens the file and reads its list of tensors.
    pub(super) fn open(folder: &ModelFolder) -> Result<Self, ModelError> {
        let (file, source) = if folder.has(SAFETENSORS) {
            (SAFETENSORS, open_safetensors(folder))
        } else if folder.has(PYTORCH) {
            (PYTORCH, open_pytorch(folder))
        } else {
            return Err(folder.fails(SAFETENSORS, format!("is missing, and so is {PYTORCH}; one of the two must hold the model's weights")));
        };
        let source = source.map_err(|problem| folder.fails(file, problem))?;
        let mut weights = Self { folder: folder.clone(), file, source, prefix: "" };
        let probe = |prefix: &&str| weights.has(&format!("{prefix}embeddings.word_embeddings.weight"));
        let Some(prefix) = ["", "bert.", "roberta."].into_iter().find(|prefix| probe(prefix)) else {
            return Err(weights.fails("the tensor embeddings.word_embeddings.weight is missing"));
        };
        weights.prefix = prefix;
        Ok(weights)
    }

    pub(super) fn fails(&self, problem: impl AsRef<str>) -> ModelError {
        self.folder.fails(self.file, problem)
    }

    /// Whether there is a tensor of this whole name.
    pub(super) fn has(&self, name: &str) -> bool {
        match &self.source {
            WeightSource::Safetensors { list, .. } => list.info(name).is_some(),
            WeightSource::Pytorch(archive) => archive.list.contains_key(name),
        }
    }

    /// A tensor of the network, by its name without the common prefix.
    pub(super) fn of_network(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let mut name = format!("{}{name}", self.prefix);
        if !self.has(&name) {
            // The name in the first BERT checkpoints.
            let old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta");
            name = if self.has(&old) { old } else { name };
        }
        self.whole(&name, shape)
    }

    /// A tensor by its whole name.
    pub(super) fn whole(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let found = match &self.source {
            WeightSource::Safetensors { list, .. } => list.info(name).map(|info| info.shape.clone()),
            WeightSource::Pytorch(archive) => archive.list.get(name).map(|listed| listed.shape.clone()),
        };
        let Some(found) = found else { return Err(self.fails(format!("the tensor {name} is missing"))) };
        if found != shape {
            return Err(self.fails(format!("the tensor {name} has the shape {found:?}, but config.json asks for {shape:?}")));
        }
        let count = shape.iter().product();
        let numbers = match &mut self.source {
            WeightSource::Safetensors { file, begin, list } => list.info(name).ok_or_else(|| "it is missing".to_owned()).and_then(|info| {
                let number = match info.dtype {
                    Dtype::F32 => NumberFormat::F32,
                    Dtype::F16 => NumberFormat::F16,
                    Dtype::BF16 => NumberFormat::Bf16,
                    Dtype::I8 => return rows_of_bytes(file.as_mut(), *begin, (name, shape), list),
                    other => return Err(format!("its numbers are {other:?}; Catena reads F32, F16, BF16, I8")),
                };
                file.seek(SeekFrom::Start(*begin + info.data_offsets.0 as u64)).map_err(|error| error.to_string())?;
                numbers(file, number, count)
            }),
            WeightSource::Pytorch(archive) => archive.numbers(name, count),
        };
        let numbers = numbers.map_err(|problem| self.fails(format!("the tensor {name}: {problem}")))?;
        if numbers.iter().all(|x| x.is_finite()) {
            return Ok(numbers);
        }
        Err(self.fails(format!("the tensor {name} holds numbers that are not finite; the file is damaged")))
    }
}

/// A tensor of bytes: each row (all numbers of one index of the first axis) times its scale, which stands in the tensor `NAME.scale`.
fn rows_of_bytes(file: &mut dyn ModelFile, begin: u64, (name, shape): (&str, &[usize]), list: &Metadata) -> Result<Vec<f32>, String> {
    let rows = shape.first().copied().unwrap_or(0);
    let scale = list.info(&format!("{name}.scale")).ok_or("its numbers are I8, but there is no tensor of its scales")?;
    if scale.dtype != Dtype::F32 || scale.shape != [rows] {
        return Err(format!("its scales are {:?} of the shape {:?}; they must be F32 of the shape {:?}", scale.dtype, scale.shape, [rows]));
    }
    let mut read = |at: usize, bytes: usize| -> Result<Vec<u8>, String> {
        file.seek(SeekFrom::Start(begin + at as u64)).map_err(|error| error.to_string())?;
        let mut read = vec![0; bytes];
        file.read_exact(&mut read).map_err(|error| format!("it cannot be read to its end ({error})"))?;
        Ok(read)
    };
    let scales = read(scale.data_offsets.0, rows * 4)?;
    let info = list.info(name).ok_or("it is missing")?;
    let count = shape.iter().product();
    let bytes = read(info.data_offsets.0, count)?;
    let scales = scales.as_chunks::<4>().0.iter().map(|scale| f32::from_le_bytes(*scale));
    // Row by row into one buffer: an iterator over all numbers took a tenth of a second of every start.
    let mut numbers = Vec::with_capacity(count);
    for (row, scale) in bytes.chunks_exact((count / rows.max(1)).max(1)).zip(scales) {
        numbers.extend(row.iter().map(|byte| f32::from(byte.cast_signed()) * scale));
    }
    Ok(numbers)
}

fn open_safetensors(folder: &ModelFolder) -> Result<WeightSource, String> {
    let (mut file, length) = folder.open(SAFETENSORS).map_err(|error| error.to_string())?;
    let mut size = [0; 8];
    file.read_exact(&mut size).map_err(|_| "is too short to be a file of tensors")?;
    let size = u64::from_le_bytes(size);
    if size > LARGEST_LIST || size > length.saturating_sub(8) {
        return Err(format!("claims a header of {size} bytes, which is impossible; the file is damaged or incomplete"));
    }
    let mut header = vec![0; size as usize];
    file.read_exact(&mut header).map_err(|error| error.to_string())?;
    let list: Metadata = serde_json::from_slice(&header).map_err(|error| format!("its header is damaged ({error})"))?;
    let begin = 8 + size;
    let end = list.tensors().values().map(|info| info.data_offsets.1 as u64).max().unwrap_or(0);
    if begin.checked_add(end) != Some(length) {
        return Err(format!("has {length} bytes, but its header describes {}; it is incomplete or damaged", begin.saturating_add(end)));
    }
    Ok(WeightSource::Safetensors { file, begin, list })
}

fn open_pytorch(folder: &ModelFolder) -> Result<WeightSource, String> {
    let (file, length) = folder.open(PYTORCH).map_err(|error| error.to_string())?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| {
        format!("is not an archive as PyTorch 1.6 and later write it ({error}); it is damaged, or an older file that must be saved again")
    })?;
    let suffix = "/data.pkl";
    let list = archive.file_names().filter_map(Result::ok).find(|name| name.ends_with(suffix)).map(|name| name.into_owned());
    let list = list.ok_or("holds no data.pkl, the list of its tensors")?;
    let root = list.strip_suffix(suffix).unwrap_or_default().to_owned();
    let mut bytes = Vec::new();
    let entry = archive.by_name(&list).map_err(|error| format!("{list}: {error}"))?;
    entry.take(LARGEST_LIST + 1).read_to_end(&mut bytes).map_err(|error| format!("{list}: {error}"))?;
    if bytes.len() as u64 > LARGEST_LIST {
        return Err(format!("{list} is larger than a list of tensors can be"));
    }
    let list = pickle::tensors(&bytes).map_err(|problem| format!("{list}, {problem}"))?;
    Ok(WeightSource::Pytorch(Archive { archive, length, root, list }))
}

impl Archive {
    /// The numbers of a tensor of the list, `count` of them.
    fn numbers(&mut self, name: &str, count: usize) -> Result<Vec<f32>, String> {
        let listed = self.list.get(name).ok_or("it is missing")?;
        let number = listed.number.ok_or("its numbers are not of a kind that Catena reads (float, half, bfloat16)")?;
        let mut stride = 1usize;
        for (size, found) in listed.shape.iter().zip(&listed.strides).rev() {
            if *found != stride && *size != 1 {
                return Err("it is stored column by column, which is not read".into());
            }
            stride = stride.saturating_mul(*size);
        }
        let name = format!("{}/data/{}", self.root, listed.storage);
        let mut entry = self.archive.by_name(&name).map_err(|error| format!("{name}: {error}"))?;
        // Checked against the entry's stated size and the file's length. Compressed entries could be larger than the
        // file, so they are rejected; checkpoints are not compressed.
        let end = listed.offset.checked_add(count as u64).and_then(|end| end.checked_mul(number.bytes()));
        let fits = end.is_some_and(|end| end <= entry.size().min(self.length)) && entry.compression() == CompressionMethod::Stored;
        if !fits {
            return Err(format!("{name} does not hold {count} numbers"));
        }
        let skipped = listed.offset * number.bytes();
        std::io::copy(&mut entry.by_ref().take(skipped), &mut std::io::sink()).map_err(|error| format!("{name}: {error}"))?;
        numbers(&mut entry, number, count)
    }
}

/// Reads numbers as `f32`. The source is known to contain this many.
fn numbers(source: &mut impl Read, number: NumberFormat, count: usize) -> Result<Vec<f32>, String> {
    let incomplete = |error: std::io::Error| format!("it cannot be read to its end ({error})");
    if number == NumberFormat::F32 {
        let mut numbers = vec![0f32; count];
        source.read_exact(bytemuck::cast_slice_mut(&mut numbers)).map_err(incomplete)?;
        for x in &mut numbers {
            *x = f32::from_bits(u32::from_le(x.to_bits()));
        }
        return Ok(numbers);
    }
    let mut bytes = vec![0u8; count * 2];
    source.read_exact(&mut bytes).map_err(incomplete)?;
    let pairs = bytes.as_chunks::<2>().0.iter();
    Ok(if number == NumberFormat::F16 {
        pairs.map(|b| half::f16::from_le_bytes(*b).to_f32()).collect()
    } else {
        pairs.map(|b| half::bf16::from_le_bytes(*b).to_f32()).collect()
    })
}
