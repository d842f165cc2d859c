//! Jinja as Hugging Face renders chat templates with it: jinja2 with Python's values, in minijinja. What the two read differently is
//! bridged here; `jinja_source.rs` bridges what minijinja cannot parse.

use minijinja::formatting::{FormatStyle, format};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Rest, Tuple, ValueKind, from_args};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::jinja_source::{FORMAT, readable};
use super::python_json::{Dumps, dumps};

/// Steps that a template may take: real ones need a few thousand.
const FUEL: u64 = 1_000_000;

/// The parts of the date that templates get when they ask for today's, as C's `strftime` names them: Friday, 26 July 2024, midnight, which
/// Llama's own template falls back to. The same question is to give the same answer tomorrow.
const DATE: [(char, &str); 34] = [
    ('a', "Fri"),
    ('A', "Friday"),
    ('b', "Jul"),
    ('B', "July"),
    ('c', "Fri Jul 26 00:00:00 2024"),
    ('C', "20"),
    ('d', "26"),
    ('D', "07/26/24"),
    ('e', "26"),
    ('f', "000000"),
    ('F', "2024-07-26"),
    ('G', "2024"),
    ('h', "Jul"),
    ('H', "00"),
    ('I', "12"),
    ('j', "208"),
    ('m', "07"),
    ('M', "00"),
    ('n', "\n"),
    ('p', "AM"),
    ('r', "12:00:00 AM"),
    ('R', "00:00"),
    ('S', "00"),
    ('t', "\t"),
    ('T', "00:00:00"),
    ('u', "5"),
    ('U', "29"),
    ('V', "30"),
    ('w', "5"),
    ('W', "30"),
    ('x', "07/26/24"),
    ('X', "00:00:00"),
    ('y', "24"),
    ('Y', "2024"),
];

/// Renders a template with these values.
///
/// # Errors
/// If the template is invalid, takes too many steps, or raises an error itself.
pub(super) fn render(source: &str, values: Value) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(method);
    environment
        .add_function("raise_exception", |text: String| -> Result<String, Error> { Err(Error::new(ErrorKind::InvalidOperation, text)) });
    environment.add_function("strftime_now", |format: String| date(&format));
    environment.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
    environment.add_test("sequence", |value: &Value| {
        value.is_undefined() || matches!(value.kind(), ValueKind::Seq | ValueKind::String | ValueKind::Map)
    });
    environment.add_filter("tojson", to_json);
    environment.add_filter(FORMAT, percent);
    environment.add_filter("format", |text: &str, values: Rest<Value>| format(FormatStyle::Printf, bounded(text)?, &values));
    let source = readable(source);
    environment.template_from_str(&source)?.render(values)
}

/// Hugging Face's `tojson`: `json.dumps` without escapes for other alphabets.
fn to_json(value: &Value, indent: Option<usize>, options: Kwargs) -> Result<String, Error> {
    let indent = indent.or(options.get::<Option<usize>>("indent")?);
    let how = Dumps {
        indent: indent.map(|columns| columns.min(32)),
        ascii: options.get::<Option<bool>>("ensure_ascii")?.unwrap_or(false),
        sorted: options.get::<Option<bool>>("sort_keys")?.unwrap_or(false),
        separators: options.get::<Option<Vec<String>>>("separators")?,
    };
    options.assert_all_used()?;
    dumps(value, &how)
}

/// Refuses a format whose widths could fill the memory; fuel does not count letters.
fn bounded(format_text: &str) -> Result<&str, Error> {
    let long = format_text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 3);
    if long || format_text.contains('*') {
        return Err(Error::new(
            ErrorKind::InvalidOperation,
            "a format with a width of more than three digits, or one that is given by a value",
        ));
    }
    Ok(format_text)
}

/// Python's `format % values`.
fn percent(format_text: &str, values: &Value) -> Result<String, Error> {
    let format_text = bounded(format_text)?;
    match values.downcast_object_ref::<Tuple>() {
        Some(tuple) => format(FormatStyle::Printf, format_text, &tuple.clone().into_vec()),
        None => format(FormatStyle::Printf, format_text, std::slice::from_ref(values)),
    }
}

/// The methods of Python's texts, lists and dictionaries.
fn method(state: &mut State, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    match value.as_str() {
        Some(text) => {
            text_method(text, name, args).unwrap_or_else(|| minijinja_contrib::pycompat::unknown_method_callback(state, value, name, args))
        }
        None if name == "index" && matches!(value.kind(), ValueKind::Seq) => {
            let (wanted,): (&Value,) = from_args(args)?;
            let at = value.try_iter()?.position(|item| item == *wanted);
            at.map(Value::from).ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "the value is not in the list"))
        }
        None => minijinja_contrib::pycompat::unknown_method_callback(state, value, name, args),
    }
}

/// Methods of texts that minijinja lacks; `None` for the others.
fn text_method(text: &str, name: &str, args: &[Value]) -> Option<Result<Value, Error>> {
    let one = || from_args::<(&str,)>(args).map(|(one,)| one);
    let parted = |found: Option<(&str, &str)>, mark: &str, otherwise: [&str; 3]| {
        let parts = found.map_or(otherwise, |(before, after)| [before, mark, after]);
        Value::from(Tuple::new(parts.map(Value::from).to_vec()))
    };
    Some(match name {
        "removeprefix" => one().map(|prefix| Value::from(text.strip_prefix(prefix).unwrap_or(text))),
        "removesuffix" => one().map(|suffix| Value::from(text.strip_suffix(suffix).unwrap_or(text))),
        "index" | "rindex" => one().and_then(|part| {
            let at = if name == "index" { text.find(part) } else { text.rfind(part) };
            let count = |at: usize| Value::from(text.get(..at).unwrap_or_default().chars().count());
            at.map(count).ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "substring not found"))
        }),
        "partition" => one().map(|mark| parted(text.split_once(mark), mark, [text, "", ""])),
        "rpartition" => one().map(|mark| parted(text.rsplit_once(mark), mark, ["", "", text])),
        "rsplit" => rsplit(text, args),
        "format" => bounded(text).and_then(|text| format(FormatStyle::StrFormat, text, args)).map(Value::from),
        "casefold" => Ok(Value::from(text.to_lowercase())),
        "swapcase" => Ok(Value::from(text.chars().flat_map(swapped).collect::<String>())),
        "zfill" => from_args::<(usize,)>(args).map(|(width,)| Value::from(filled(text, width))),
        _ => return None,
    })
}

fn rsplit(text: &str, args: &[Value]) -> Result<Value, Error> {
    let (mark, most): (Option<&str>, Option<i64>) = from_args(args)?;
    let most = most.and_then(|most| usize::try_from(most).ok()).map_or(usize::MAX, |most| most.saturating_add(1));
    let mut parts: Vec<&str> = match mark {
        Some("") => return Err(Error::new(ErrorKind::InvalidOperation, "empty separator")),
        Some(mark) => text.rsplitn(most, mark).collect(),
        None => text.trim().rsplitn(most, char::is_whitespace).map(str::trim_end).filter(|part| !part.is_empty()).collect(),
    };
    parts.reverse();
    Ok(parts.into_iter().map(Value::from).collect())
}

fn swapped(c: char) -> Vec<char> {
    if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() }
}

/// A number with zeros before it, after its sign; of at most 1,000 characters.
fn filled(text: &str, width: usize) -> String {
    let missing = width.min(1000).saturating_sub(text.chars().count());
    let sign = if text.starts_with(['+', '-']) { 1 } else { 0 };
    let (sign, rest) = text.split_at(sign);
    format!("{sign}{}{rest}", "0".repeat(missing))
}

/// The date in a format of `strftime`, with the flags of the GNU library: `-` without padding, `_` padded by blanks, `^` in capitals.
fn date(format: &str) -> String {
    let mut text = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let mut field = rest.next();
        let flag = field.filter(|flag| matches!(flag, '-' | '_' | '0' | '^'));
        if flag.is_some() {
            field = rest.next();
        }
        let known = field.and_then(|field| DATE.iter().find(|(name, _)| *name == field)).map(|(_, value)| *value);
        match (known, flag, field) {
            (Some(value), Some('-'), _) => text.push_str(value.strip_prefix('0').filter(|rest| !rest.is_empty()).unwrap_or(value)),
            (Some(value), Some('_'), _) => match value.strip_prefix('0').filter(|rest| !rest.is_empty()) {
                Some(rest) => text.extend([" ", rest]),
                None => text.push_str(value),
            },
            (Some(value), Some('^'), _) => text.push_str(&value.to_uppercase()),
            (Some(value), _, _) => text.push_str(value),
            (None, None, Some('%')) => text.push('%'),
            (None, flag, field) => text.extend(['%'].into_iter().chain(flag).chain(field)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    use super::*;

    fn rendered(source: &str) -> String {
        let values = context! {
            x => "v", none => (), list => vec!["a", "b"], number => 7,
            map => Value::from_pairs([("z", Value::from(1)), ("a", Value::from(vec![Value::from("é\n"), Value::from(()), Value::from(true), Value::from(0.5)]))]),
        };
        render(source, values).unwrap_or_else(|error| format!("{error:#}"))
    }

    /// What jinja2 3.1.6 renders, in the environment of transformers 4.57 (`_compile_jinja_template`), with the date fixed.
    #[test]
    fn templates_are_read_as_jinja2_reads_them() {
        for (source, reference) in [
            (
                "{{ none is iterable }} {{ 'a' is iterable }} {{ list is iterable }} {{ map is iterable }} {{ 7 is iterable }} {{ nothing is iterable }}",
                "False True True True False True",
            ),
            (
                "{{ 'a' is sequence }} {{ list is sequence }} {{ map is sequence }} {{ none is sequence }} {{ 7 is sequence }}",
                "True True True False False",
            ),
            ("a{% generation %} b {% endgeneration %}c", "a b c"),
            ("a {%- generation -%} b {%- endgeneration -%} c", "abc"),
            ("{{ map | tojson }}", "{\"z\": 1, \"a\": [\"é\\n\", null, true, 0.5]}"),
            ("{{ map | tojson(indent=2) }}", "{\n  \"z\": 1,\n  \"a\": [\n    \"é\\n\",\n    null,\n    true,\n    0.5\n  ]\n}"),
            (
                "{{ map | tojson(ensure_ascii=True, sort_keys=True, separators=(',', ':')) }}",
                "{\"a\":[\"\\u00e9\\n\",null,true,0.5],\"z\":1}",
            ),
            ("{{ {} | tojson }} {{ [] | tojson(indent=4) }} {{ \"<'\" | tojson }}", "{} [] \"<'\""),
            ("{% for key in map %}{{ key }}{% endfor %} {{ map.items() | list | length }}", "za 2"),
            (
                "{{ '%s' % x }} {{ \"%s-%02d\" % (x, number) }} {{ '%d%%' % number }} {{ 'a' ~ '%s' % x | upper }} {{ 9 % 4 }}",
                "v v-07 7% aV 1",
            ),
            ("{{ '%s' % map['z'] + '%s' % list[0].upper() }}{# '%s' % x #}{% raw %}{{ '%s' % x }}{% endraw %}", "1A{{ '%s' % x }}"),
            ("{% if 'a%sb' % x == 'avb' %}yes{% endif %} {{ \"it's %s\" % 'q' }}", "yes it's q"),
            (
                "{{ 'prefix_a'.removeprefix('prefix_') }} {{ 'a.b'.removesuffix('.b') }} {{ 'abc'.index('c') }} {{ list.index('b') }}",
                "a a 2 1",
            ),
            (
                "{{ 'a=b=c'.partition('=') }} {{ 'a=b=c'.rpartition('=')[2] }} {{ 'a b  c'.rsplit(none, 1) }} {{ 'a,b,c'.rsplit(',', 1)[0] }}",
                "('a', '=', 'b=c') c ['a b', 'c'] a,b",
            ),
            ("{{ '-7'.zfill(4) }} {{ 'aB'.swapcase() }}", "-007 Ab"),
            ("{{ strftime_now('%-d %B %Y, %-m/%d/%y %H:%M %% %Q %j') }}", "26 July 2024, 7/26/24 00:00 % %Q 208"),
        ] {
            assert_eq!(rendered(source), reference, "{source}");
        }
    }

    #[test]
    fn hostile_templates_end_and_do_not_panic() {
        for source in [
            "{{ '%s' % }}",
            "{{ '%s' %",
            "{{ 'a' % (",
            "{% generation",
            "{{ '%(x)s' % x }}",
            "{{ 'x'.index('y') }}",
            "{{ 'x'.rsplit('') }}",
            "{{ '%9999999999d' % 1 }}",
            "{{ '%*d' | format(9999999999, 1) }}",
            "{{ '{:9999999999}'.format(1) }}",
            "{{ '\u{e9}' % x }}",
        ] {
            rendered(source);
        }
        assert_eq!(rendered("{{ '7'.zfill(1000000000) }}").len(), 1000);
        assert_eq!(rendered("{{ [1] | tojson(indent=1000000000) }}").len(), 37);
        assert!(rendered("{{ 'x'.index('y') }}").contains("substring not found"));
    }
}
