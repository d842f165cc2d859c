//! Reads the list of tensors in a PyTorch checkpoint (`data.pkl`): an interpreter of the few pickle instructions that such a list
//! contains. It runs no code, and its time and memory are proportional to the number of bytes, whatever they are: shared
//! values are reference-counted and nesting is limited.
//!
//! Candle's reader is unsuitable: it copies values at each reference, so a file of a hundred bytes can request terabytes,
//! and it indexes into tuples without checking their length.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The deepest nesting of tuples; checkpoints use four levels.
const DEEPEST: u8 = 16;

/// The supported formats of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberFormat {
    F32,
    F16,
    Bf16,
}

impl NumberFormat {
    pub(super) fn bytes(self) -> u64 {
        if self == Self::F32 { 4 } else { 2 }
    }
}

/// The description of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedTensor {
    /// The file in the archive with its numbers.
    pub(super) storage: String,
    /// `None`: an unsupported format (integers).
    pub(super) number: Option<NumberFormat>,
    /// Its offset in the file, in numbers.
    pub(super) offset: u64,
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<usize>,
}

#[derive(Debug, Clone)]
enum PickleValue {
    Int(i64),
    Text(Rc<str>),
    Global(Rc<str>),
    Tuple(Rc<[PickleValue]>, u8),
    Dict(usize),
    Storage(Rc<(String, Option<NumberFormat>)>),
    Tensor(Rc<ListedTensor>),
    /// Values that a list of tensors does not need: lists, booleans, other objects.
    Other,
}

#[derive(Default)]
struct PickleMachine {
    stack: Vec<PickleValue>,
    marks: Vec<usize>,
    memo: HashMap<u32, PickleValue>,
    dicts: Vec<BTreeMap<String, Rc<ListedTensor>>>,
}

/// The tensors of a pickled dictionary, by name. Entries that are no tensors are passed over.
///
/// # Errors
/// What is wrong with the bytes, in plain words.
pub(super) fn tensors(bytes: &[u8]) -> Result<BTreeMap<String, Rc<ListedTensor>>, String> {
    let mut machine = PickleMachine::default();
    let mut input = PickleInput { bytes, at: 0 };
    loop {
        let at = input.at;
        if machine.step(&mut input).map_err(|problem| format!("byte {at}: {problem}"))? {
            break;
        }
    }
    match machine.stack.pop() {
        Some(PickleValue::Dict(dict)) => machine.dicts.get(dict).cloned().ok_or_else(|| "no dictionary".into()),
        _ => Err("does not end with a dictionary of tensors".into()),
    }
}

struct PickleInput<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> PickleInput<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).ok_or("ends early")?;
        let taken = self.bytes.get(self.at..end).ok_or("ends early")?;
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.take(1).map(|b| b[0])
    }

    /// A little-endian number of `count` bytes, at most eight; signed where all eight, or as `signed` says.
    fn number(&mut self, count: usize, signed: bool) -> Result<i64, String> {
        let bytes = self.take(count)?;
        let mut whole = [if signed && bytes.last().is_some_and(|b| *b >= 0x80) { 0xFF } else { 0 }; 8];
        whole.get_mut(..count).ok_or("a number of more than eight bytes")?.copy_from_slice(bytes);
        Ok(i64::from_le_bytes(whole))
    }

    fn text(&mut self, count: usize) -> Result<Rc<str>, String> {
        std::str::from_utf8(self.take(count)?).map(Into::into).map_err(|_| "a name is not UTF-8".into())
    }

    fn line(&mut self) -> Result<&'a str, String> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest).ok_or("ends early")?;
        self.at += length + 1;
        std::str::from_utf8(&rest[..length]).map_err(|_| "a name is not UTF-8".into())
    }
}

impl PickleMachine {
    fn pop(&mut self) -> Result<PickleValue, String> {
        let floor = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() <= floor {
            return Err("takes a value where there is none".into());
        }
        self.stack.pop().ok_or_else(|| "takes a value where there is none".into())
    }

    /// The values since the last mark.
    fn since_mark(&mut self) -> Result<Vec<PickleValue>, String> {
        let mark = self.marks.pop().ok_or("refers to a mark where there is none")?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn tuple(&mut self, values: Vec<PickleValue>) -> Result<(), String> {
        let depth = values.iter().map(|v| if let PickleValue::Tuple(_, depth) = v { depth + 1 } else { 0 }).max().unwrap_or(0);
        if depth > DEEPEST {
            return Err("tuples stand too deep in each other".into());
        }
        self.stack.push(PickleValue::Tuple(values.into(), depth));
        Ok(())
    }

    fn last_of(&mut self, count: usize) -> Result<(), String> {
        let mut values = (0..count).map(|_| self.pop()).collect::<Result<Vec<_>, _>>()?;
        values.reverse();
        self.tuple(values)
    }

    fn remember(&mut self, place: u32) -> Result<(), String> {
        let value = self.stack.last().cloned().ok_or("remembers a value where there is none")?;
        self.memo.insert(place, value);
        Ok(())
    }

    fn recall(&mut self, place: u32) -> Result<(), String> {
        let value = self.memo.get(&place).cloned().ok_or("refers to a value that was not remembered")?;
        self.stack.push(value);
        Ok(())
    }

    fn set_items(&mut self, items: &[PickleValue]) -> Result<(), String> {
        if let Some(PickleValue::Dict(dict)) = self.stack.last()
            && let Some(dict) = self.dicts.get_mut(*dict)
        {
            for pair in items.chunks_exact(2) {
                if let [PickleValue::Text(name), PickleValue::Tensor(tensor)] = pair {
                    dict.insert(name.to_string(), Rc::clone(tensor));
                }
            }
        }
        Ok(())
    }

    fn new_dict(&mut self) -> PickleValue {
        self.dicts.push(BTreeMap::new());
        PickleValue::Dict(self.dicts.len() - 1)
    }

    /// One instruction; whether it was the last. Names are those of Python's `pickletools`.
    fn step(&mut self, input: &mut PickleInput<'_>) -> Result<bool, String> {
        match input.byte()? {
            0x80 => drop(input.byte()?),          // PROTO
            0x95 => drop(input.number(8, true)?), // FRAME
            b'.' => return Ok(true),              // STOP
            b'(' => self.marks.push(self.stack.len()),
            b'N' | 0x88 | 0x89 | b']' => self.stack.push(PickleValue::Other), // NONE, NEWTRUE, NEWFALSE, EMPTY_LIST
            b'G' => {
                input.take(8)?; // BINFLOAT
                self.stack.push(PickleValue::Other);
            }
            b'K' => self.integer(input.number(1, false)?),
            b'M' => self.integer(input.number(2, false)?),
            b'J' => self.integer(input.number(4, true)?),
            0x8A => {
                let count = input.byte()?; // LONG1
                let number = input.number(usize::from(count), true)?;
                self.integer(number);
            }
            b'X' => {
                let count = input.number(4, false)?; // BINUNICODE
                let text = input.text(count as usize)?;
                self.stack.push(PickleValue::Text(text));
            }
            0x8C => {
                let count = input.byte()?; // SHORT_BINUNICODE
                let text = input.text(usize::from(count))?;
                self.stack.push(PickleValue::Text(text));
            }
            b'c' => {
                let (module, name) = (input.line()?, input.line()?); // GLOBAL
                self.stack.push(PickleValue::Global(format!("{module}.{name}").into()));
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?); // STACK_GLOBAL
                let (PickleValue::Text(module), PickleValue::Text(name)) = (module, name) else {
                    return Err("a class without a name".into());
                };
                self.stack.push(PickleValue::Global(format!("{module}.{name}").into()));
            }
            b'q' => self.remember(u32::from(input.byte()?))?,
            b'r' => self.remember(input.number(4, false)? as u32)?,
            0x94 => self.remember(self.memo.len() as u32)?, // MEMOIZE
            b'h' => self.recall(u32::from(input.byte()?))?,
            b'j' => self.recall(input.number(4, false)? as u32)?,
            b')' => self.tuple(Vec::new())?,
            0x85 => self.last_of(1)?,
            0x86 => self.last_of(2)?,
            0x87 => self.last_of(3)?,
            b't' => {
                let values = self.since_mark()?;
                self.tuple(values)?;
            }
            b'}' => {
                let dict = self.new_dict();
                self.stack.push(dict);
            }
            b'a' => drop(self.pop()?),        // APPEND
            b'e' => drop(self.since_mark()?), // APPENDS
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?); // SETITEM
                self.set_items(&[key, value])?;
            }
            b'u' => {
                let items = self.since_mark()?; // SETITEMS
                self.set_items(&items)?;
            }
            b'b' => drop(self.pop()?), // BUILD: the attributes of an object whose entries are already there
            b'Q' => {
                let id = self.pop()?; // BINPERSID
                self.stack.push(storage(&id)?);
            }
            b'R' => {
                let (arguments, callable) = (self.pop()?, self.pop()?); // REDUCE
                let value = self.call(&callable, &arguments)?;
                self.stack.push(value);
            }
            other => return Err(format!("the instruction 0x{other:02X} does not occur in a list of tensors")),
        }
        Ok(false)
    }

    fn integer(&mut self, value: i64) {
        self.stack.push(PickleValue::Int(value));
    }

    fn call(&mut self, callable: &PickleValue, arguments: &PickleValue) -> Result<PickleValue, String> {
        let (PickleValue::Global(name), PickleValue::Tuple(arguments, _)) = (callable, arguments) else { return Ok(PickleValue::Other) };
        Ok(match (&**name, &**arguments) {
            ("collections.OrderedDict", []) => self.new_dict(),
            ("torch._utils._rebuild_parameter", [data, ..]) => data.clone(),
            ("torch._utils._rebuild_tensor_v2", [PickleValue::Storage(storage), PickleValue::Int(offset), shape, strides, ..]) => {
                PickleValue::Tensor(Rc::new(ListedTensor {
                    storage: storage.0.clone(),
                    number: storage.1,
                    offset: u64::try_from(*offset).map_err(|_| "a tensor begins before its numbers")?,
                    shape: sizes(shape)?,
                    strides: sizes(strides)?,
                }))
            }
            _ => PickleValue::Other,
        })
    }
}

/// The storage of numbers: `("storage", class, key, device, count)`.
fn storage(id: &PickleValue) -> Result<PickleValue, String> {
    let PickleValue::Tuple(parts, _) = id else { return Err("numbers without a place".into()) };
    let [PickleValue::Text(kind), PickleValue::Global(class), PickleValue::Text(key), ..] = &**parts else {
        return Err("numbers without a place".into());
    };
    if &**kind != "storage" {
        return Err("numbers without a place".into());
    }
    let number = match &**class {
        "torch.FloatStorage" => Some(NumberFormat::F32),
        "torch.HalfStorage" => Some(NumberFormat::F16),
        "torch.BFloat16Storage" => Some(NumberFormat::Bf16),
        _ => None,
    };
    Ok(PickleValue::Storage(Rc::new((key.to_string(), number))))
}

fn sizes(value: &PickleValue) -> Result<Vec<usize>, String> {
    let PickleValue::Tuple(parts, _) = value else { return Err("a tensor without a shape".into()) };
    let size = |part: &PickleValue| if let PickleValue::Int(n) = part { usize::try_from(*n).ok() } else { None };
    parts.iter().map(size).collect::<Option<Vec<_>>>().filter(|s| s.len() <= 8).ok_or_else(|| "a tensor without a shape".into())
}
