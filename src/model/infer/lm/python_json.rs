//! JSON as Python's `json.dumps` writes it, which chat templates show to their models.

use std::fmt::Write;

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

/// The deepest nesting.
const DEEPEST: usize = 64;

/// The options of `json.dumps`.
pub(super) struct Dumps {
    /// Columns for each level; `None` for one line.
    pub(super) indent: Option<usize>,
    /// Whether other letters than ASCII's are escaped.
    pub(super) ascii: bool,
    /// Whether keys are sorted.
    pub(super) sorted: bool,
    /// What stands between items, and between key and value.
    pub(super) separators: Option<Vec<String>>,
}

/// Writes a value.
///
/// # Errors
/// If it nests too deep or is no value of JSON.
pub(super) fn dumps(value: &Value, how: &Dumps) -> Result<String, Error> {
    let (item, key) = match how.separators.as_deref() {
        Some([item, key]) => (item.as_str(), key.as_str()),
        _ if how.indent.is_some() => (",", ": "),
        _ => (", ", ": "),
    };
    let mut writer = Writer { out: String::new(), how, item, key };
    writer.value(value, 0)?;
    Ok(writer.out)
}

struct Writer<'a> {
    out: String,
    how: &'a Dumps,
    item: &'a str,
    key: &'a str,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        if depth > DEEPEST {
            return Err(Error::new(ErrorKind::InvalidOperation, "a value nests too deep for JSON"));
        }
        match value.kind() {
            ValueKind::None => self.out.push_str("null"),
            ValueKind::Bool => self.out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => self.number(value),
            ValueKind::String => self.text(value.as_str().unwrap_or_default()),
            ValueKind::Seq | ValueKind::Iterable => {
                let items: Vec<Value> = value.try_iter()?.collect();
                self.list(['[', ']'], &items, depth, |writer, item| writer.value(item, depth + 1))?;
            }
            ValueKind::Map => {
                let mut keys: Vec<Value> = value.try_iter()?.collect();
                if self.how.sorted {
                    keys.sort();
                }
                self.list(['{', '}'], &keys, depth, |writer, key| {
                    writer.text(&key_text(key));
                    writer.out.push_str(writer.key);
                    writer.value(&value.get_item(key)?, depth + 1)
                })?;
            }
            other => return Err(Error::new(ErrorKind::InvalidOperation, format!("a value of the type {other} has no form in JSON"))),
        }
        Ok(())
    }

    fn list(
        &mut self,
        [open, close]: [char; 2],
        items: &[Value],
        depth: usize,
        write: impl Fn(&mut Self, &Value) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.out.push(open);
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.out.push_str(self.item);
            }
            self.new_line(depth + 1);
            write(self, item)?;
        }
        if !items.is_empty() {
            self.new_line(depth);
        }
        self.out.push(close);
        Ok(())
    }

    fn new_line(&mut self, depth: usize) {
        if let Some(columns) = self.how.indent {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', columns * depth));
        }
    }

    /// A number as Python shows it: a float always has a point or an exponent.
    fn number(&mut self, value: &Value) {
        let text = value.to_string();
        self.out.push_str(&text);
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                c if c < ' ' || self.how.ascii && !c.is_ascii() => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        // Writing to a text cannot fail.
                        let _ = write!(self.out, "\\u{unit:04x}");
                    }
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}

/// A key as Python writes it: texts as they are, other values as in JSON.
fn key_text(key: &Value) -> String {
    match key.kind() {
        ValueKind::None => "null".into(),
        ValueKind::Bool => if key.is_true() { "true" } else { "false" }.into(),
        _ => key.to_string(),
    }
}
