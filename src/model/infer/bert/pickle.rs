//! The list of tensors in a PyTorch checkpoint (`data.pkl`): a machine for the few instructions of Python's
//! pickle that such a list is made of. It runs no code, and whatever the bytes are, it takes time and memory in
//! proportion to their number: shared values are counted references, nesting is bounded.
//!
//! Candle's reader is not used for it: it copies values whenever they are referred to, so that a file of a hundred
//! bytes can ask for terabytes, and indexes into tuples without looking at their length.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// How deep tuples may stand in each other; those of a checkpoint are four deep.
const DEEPEST: u8 = 16;

/// Kinds of numbers that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    F32,
    F16,
    Bf16,
}

impl Number {
    pub(super) fn bytes(self) -> u64 {
        if self == Self::F32 { 4 } else { 2 }
    }
}

/// A tensor as the list describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    /// Which file of the archive holds its numbers.
    pub(super) storage: String,
    /// `None`: a kind that no weight has (whole numbers).
    pub(super) number: Option<Number>,
    /// Where it begins, in numbers.
    pub(super) offset: u64,
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<usize>,
}

#[derive(Debug, Clone)]
enum Value {
    Int(i64),
    Text(Rc<str>),
    Global(Rc<str>),
    Tuple(Rc<[Value]>, u8),
    Dict(usize),
    Storage(Rc<(String, Option<Number>)>),
    Tensor(Rc<Listed>),
    /// Whatever a list of tensors does not need: lists, truth values, other objects.
    Other,
}

#[derive(Default)]
struct Machine {
    stack: Vec<Value>,
    marks: Vec<usize>,
    memo: HashMap<u32, Value>,
    dicts: Vec<BTreeMap<String, Rc<Listed>>>,
}

/// The tensors of a pickled dictionary, by name. Entries that are no tensors are passed over.
///
/// # Errors
/// What is wrong with the bytes, in plain words.
pub(super) fn tensors(bytes: &[u8]) -> Result<BTreeMap<String, Rc<Listed>>, String> {
    let mut machine = Machine::default();
    let mut input = Input { bytes, at: 0 };
    loop {
        let at = input.at;
        if machine.step(&mut input).map_err(|problem| format!("byte {at}: {problem}"))? {
            break;
        }
    }
    match machine.stack.pop() {
        Some(Value::Dict(dict)) => machine.dicts.get(dict).cloned().ok_or_else(|| "no dictionary".into()),
        _ => Err("does not end with a dictionary of tensors".into()),
    }
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
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

impl Machine {
    fn pop(&mut self) -> Result<Value, String> {
        let floor = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() <= floor {
            return Err("takes a value where there is none".into());
        }
        self.stack.pop().ok_or_else(|| "takes a value where there is none".into())
    }

    /// The values since the last mark.
    fn since_mark(&mut self) -> Result<Vec<Value>, String> {
        let mark = self.marks.pop().ok_or("refers to a mark where there is none")?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn tuple(&mut self, values: Vec<Value>) -> Result<(), String> {
        let depth = values.iter().map(|v| if let Value::Tuple(_, depth) = v { depth + 1 } else { 0 }).max().unwrap_or(0);
        if depth > DEEPEST {
            return Err("tuples stand too deep in each other".into());
        }
        self.stack.push(Value::Tuple(values.into(), depth));
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

    fn set_items(&mut self, items: &[Value]) -> Result<(), String> {
        if let Some(Value::Dict(dict)) = self.stack.last()
            && let Some(dict) = self.dicts.get_mut(*dict)
        {
            for pair in items.chunks_exact(2) {
                if let [Value::Text(name), Value::Tensor(tensor)] = pair {
                    dict.insert(name.to_string(), Rc::clone(tensor));
                }
            }
        }
        Ok(())
    }

    fn new_dict(&mut self) -> Value {
        self.dicts.push(BTreeMap::new());
        Value::Dict(self.dicts.len() - 1)
    }

    /// One instruction; whether it was the last. Names are those of Python's `pickletools`.
    fn step(&mut self, input: &mut Input<'_>) -> Result<bool, String> {
        match input.byte()? {
            0x80 => drop(input.byte()?),          // PROTO
            0x95 => drop(input.number(8, true)?), // FRAME
            b'.' => return Ok(true),              // STOP
            b'(' => self.marks.push(self.stack.len()),
            b'N' | 0x88 | 0x89 | b']' => self.stack.push(Value::Other), // NONE, NEWTRUE, NEWFALSE, EMPTY_LIST
            b'G' => {
                input.take(8)?; // BINFLOAT
                self.stack.push(Value::Other);
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
                self.stack.push(Value::Text(text));
            }
            0x8C => {
                let count = input.byte()?; // SHORT_BINUNICODE
                let text = input.text(usize::from(count))?;
                self.stack.push(Value::Text(text));
            }
            b'c' => {
                let (module, name) = (input.line()?, input.line()?); // GLOBAL
                self.stack.push(Value::Global(format!("{module}.{name}").into()));
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?); // STACK_GLOBAL
                let (Value::Text(module), Value::Text(name)) = (module, name) else { return Err("a class without a name".into()) };
                self.stack.push(Value::Global(format!("{module}.{name}").into()));
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
        self.stack.push(Value::Int(value));
    }

    fn call(&mut self, callable: &Value, arguments: &Value) -> Result<Value, String> {
        let (Value::Global(name), Value::Tuple(arguments, _)) = (callable, arguments) else { return Ok(Value::Other) };
        Ok(match (&**name, &**arguments) {
            ("collections.OrderedDict", []) => self.new_dict(),
            ("torch._utils._rebuild_parameter", [data, ..]) => data.clone(),
            ("torch._utils._rebuild_tensor_v2", [Value::Storage(storage), Value::Int(offset), shape, strides, ..]) => {
                Value::Tensor(Rc::new(Listed {
                    storage: storage.0.clone(),
                    number: storage.1,
                    offset: u64::try_from(*offset).map_err(|_| "a tensor begins before its numbers")?,
                    shape: sizes(shape)?,
                    strides: sizes(strides)?,
                }))
            }
            _ => Value::Other,
        })
    }
}

/// Where numbers are: `("storage", class, key, device, count)`.
fn storage(id: &Value) -> Result<Value, String> {
    let Value::Tuple(parts, _) = id else { return Err("numbers without a place".into()) };
    let [Value::Text(kind), Value::Global(class), Value::Text(key), ..] = &**parts else { return Err("numbers without a place".into()) };
    if &**kind != "storage" {
        return Err("numbers without a place".into());
    }
    let number = match &**class {
        "torch.FloatStorage" => Some(Number::F32),
        "torch.HalfStorage" => Some(Number::F16),
        "torch.BFloat16Storage" => Some(Number::Bf16),
        _ => None,
    };
    Ok(Value::Storage(Rc::new((key.to_string(), number))))
}

fn sizes(value: &Value) -> Result<Vec<usize>, String> {
    let Value::Tuple(parts, _) = value else { return Err("a tensor without a shape".into()) };
    let size = |part: &Value| if let Value::Int(n) = part { usize::try_from(*n).ok() } else { None };
    parts.iter().map(size).collect::<Option<Vec<_>>>().filter(|s| s.len() <= 8).ok_or_else(|| "a tensor without a shape".into())
}
