//! The format of a conversation that the model was trained on: its own chat template, rendered by minijinja as Hugging Face does.
//!
//! The template is rendered once, with placeholders for the texts. Its own text is then the same for every question, and
//! nothing in a question can be mistaken for a part of the template.

use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Value};
use minijinja::{Environment, Error, ErrorKind, context};

use super::config::Family;
use super::folder::{read_json, read_text};
use super::tokens::{Piece, Tokens};

/// Placeholders for the texts while the template is rendered: characters of a private area, which no template contains.
const SYSTEM: &str = "\u{f8f0}system\u{f8f1}";
const USER: &str = "\u{f8f0}user\u{f8f1}";

/// Steps that a template may take: real ones need a few thousand.
const FUEL: u64 = 1_000_000;

/// Templates that ask for today's date get this one, which Llama's own template falls back to: the same question is to give the same
/// answer tomorrow.
const DATE: [(char, &str); 8] =
    [('d', "26"), ('m', "07"), ('b', "Jul"), ('B', "July"), ('Y', "2024"), ('y', "24"), ('a', "Fri"), ('A', "Friday")];

const CHATML: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n";
const QWEN3: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n<think>\n\n</think>\n\n";
const LLAMA3: &str = "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n{{ m.content }}<|eot_id|>{% endfor %}<|start_header_id|>assistant<|end_header_id|>\n\n";
const LLAMA2: &str = "{{ bos_token }}[INST] {% for m in messages %}{% if m.role == 'system' %}<<SYS>>\n{{ m.content }}\n<</SYS>>\n\n{% else %}{{ m.content }}{% endif %}{% endfor %} [/INST]";
const GEMMA: &str = "{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system role') }}{% endif %}<start_of_turn>user\n{{ m.content }}<end_of_turn>\n{% endfor %}<start_of_turn>model\n";
const PHI3: &str = "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}<|end|>\n{% endfor %}<|assistant|>\n";

/// A part of a rendered template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Literal(String),
    System,
    User,
}

/// A rendered chat template for a conversation with one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChatTemplate {
    with_system: Vec<TemplatePart>,
    without: Vec<TemplatePart>,
}

impl ChatTemplate {
    /// Renders the model's own template, or the usual one of its family.
    ///
    /// # Errors
    /// If the template is invalid, or omits the question.
    pub(super) fn new(template: Option<&str>, family: Family, tokens: &Tokens) -> Result<Self, String> {
        let own = match family {
            Family::Qwen2 => CHATML,
            Family::Qwen3 => QWEN3,
            Family::Llama if tokens.knows("<|start_header_id|>") => LLAMA3,
            Family::Llama if tokens.knows("<|im_start|>") => CHATML,
            Family::Llama => LLAMA2,
            Family::Gemma3 => GEMMA,
            Family::Phi3 => PHI3,
        };
        // The last line break of a template is not part of it.
        let source = template.map_or_else(|| format!("{own}\n"), str::to_owned);
        let render = |messages: Value| render(&source, messages, tokens).map(|text| cut(&text));
        let message = |role: &str, content: &str| context! { role => role, content => content };
        let has = |parts: &[TemplatePart], part: &TemplatePart| parts.contains(part);
        let without = render(Value::from(vec![message("user", USER)])).map_err(|e| format!("its chat template is broken: {e}"))?;
        if !has(&without, &TemplatePart::User) {
            return Err("its chat template omits the question".into());
        }
        let with_system = render(Value::from(vec![message("system", SYSTEM), message("user", USER)]))
            .ok()
            .filter(|parts| has(parts, &TemplatePart::System) && has(parts, &TemplatePart::User));
        let with_system = match with_system {
            Some(parts) => parts,
            // The template has no system role: the system message precedes the question.
            None => {
                without.iter().cloned().flat_map(|part| if part == TemplatePart::User { system_then_user() } else { vec![part] }).collect()
            }
        };
        Ok(Self { with_system, without })
    }

    /// The pieces of a conversation.
    pub(super) fn pieces<'a>(&'a self, system: &'a str, user: &'a str) -> Vec<Piece<'a>> {
        let system = system.trim();
        let parts = if system.is_empty() { &self.without } else { &self.with_system };
        let piece = |part: &'a TemplatePart| match part {
            TemplatePart::Literal(text) => Piece::Template(text),
            TemplatePart::System => Piece::Content(system),
            TemplatePart::User => Piece::Content(user.trim()),
        };
        parts.iter().map(piece).collect()
    }
}

fn system_then_user() -> Vec<TemplatePart> {
    vec![TemplatePart::System, TemplatePart::Literal("\n\n".into()), TemplatePart::User]
}

/// Splits a rendered template into literal text and placeholders.
fn cut(text: &str) -> Vec<TemplatePart> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((at, mark, part)) = [(SYSTEM, TemplatePart::System), (USER, TemplatePart::User)]
        .into_iter()
        .filter_map(|(mark, part)| Some((rest.find(mark)?, mark, part)))
        .min_by_key(|(at, ..)| *at)
    {
        parts.push(TemplatePart::Literal(rest[..at].into()));
        parts.push(part);
        rest = &rest[at + mark.len()..];
    }
    parts.push(TemplatePart::Literal(rest.into()));
    parts.retain(|part| *part != TemplatePart::Literal(String::new()));
    parts
}

fn render(source: &str, messages: Value, tokens: &Tokens) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment
        .add_function("raise_exception", |text: String| -> Result<String, Error> { Err(Error::new(ErrorKind::InvalidOperation, text)) });
    environment.add_function("strftime_now", |format: String| date(&format));
    // Keywords of Python's json.dumps that templates give do not matter to us: nothing is listed for the model.
    environment.add_filter("tojson", |value: Value, _: Kwargs| serde_json::to_string(&value).unwrap_or_default());
    let template = environment.template_from_str(source)?;
    template.render(context! {
        messages => messages,
        add_generation_prompt => true,
        enable_thinking => false,
        bos_token => tokens.bos_text(),
        eos_token => tokens.eos_text(),
        tools => (),
        documents => (),
    })
}

fn date(format: &str) -> String {
    let mut text = String::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        match rest.next() {
            Some(field) => match DATE.iter().find(|(name, _)| *name == field) {
                Some((_, value)) => text.push_str(value),
                // Hours, minutes, seconds.
                None if matches!(field, 'H' | 'M' | 'S' | 'I') => text.push_str("00"),
                None => text.push(field),
            },
            None => text.push('%'),
        }
    }
    text
}

/// The chat template of a folder: `chat_template.jinja`, or in `tokenizer_config.json`.
///
/// # Errors
/// If a file is damaged.
pub(super) fn of_folder(folder: &Path) -> Result<Option<String>, String> {
    if let Some(template) = read_text(folder, "chat_template.jinja")? {
        return Ok(Some(template));
    }
    let Some(json) = read_json(folder, "tokenizer_config.json")? else { return Ok(None) };
    let template = &json["chat_template"];
    // Some models have several, by name.
    let default = || template.as_array()?.iter().find(|entry| entry["name"] == "default")?["template"].as_str();
    Ok(template.as_str().or_else(default).map(str::to_owned))
}
