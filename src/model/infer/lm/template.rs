//! The format of a conversation that the model was trained on: its own chat template, rendered by minijinja as Hugging Face does.
//!
//! The template is rendered once, with placeholders for the texts. Its own text is then the same for every question, and
//! nothing in a question can be mistaken for a part of the template.

use std::path::Path;

use minijinja::{Error, Value, context};

use super::config::Family;
use super::folder::{read_json, read_text};
use super::jinja;
use super::tokens::{Piece, Tokens};
use crate::text::sanitise_line;

/// The first and last character of a placeholder, of a private area: no template contains them.
const MARKS: [char; 2] = ['\u{f8f0}', '\u{f8f1}'];
/// Placeholders for the texts while the template is rendered.
const SYSTEM: &str = "\u{f8f0}system\u{f8f1}";
const USER: &str = "\u{f8f0}user\u{f8f1}";
/// The longest part of a template's error that is shown, in characters; it may quote the template.
const LONGEST_PROBLEM: usize = 200;

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
    /// Why the model's own template is not used.
    warning: Option<String>,
}

impl ChatTemplate {
    /// Renders the model's own template; if it has none or that one cannot be used, the usual one of its family.
    ///
    /// # Errors
    /// If the usual one cannot be rendered with this vocabulary (its special tokens are damaged).
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
        let usual = || Self::rendered(&format!("{own}\n"), tokens);
        let Some(template) = template else { return usual() };
        Self::rendered(template, tokens).or_else(|problem| {
            let problem: String = sanitise_line(&problem).chars().take(LONGEST_PROBLEM).collect();
            let warning = format!(
                "its chat template {problem}; Catena uses the form that is usual for {} models instead, so the model may answer worse",
                family.name()
            );
            Ok(Self { warning: Some(warning), ..usual()? })
        })
    }

    /// Why the model's own template is not used, if it is not.
    pub(super) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    fn rendered(source: &str, tokens: &Tokens) -> Result<Self, String> {
        let render = |messages: Value| render(source, messages, tokens).map(|text| cut(&text));
        let message = |role: &str, content: &str| context! { role => role, content => content };
        let has = |parts: &[TemplatePart], part: &TemplatePart| parts.contains(part);
        let without = render(Value::from(vec![message("user", USER)])).map_err(|e| format!("is broken: {e}"))?;
        if holds_mark(&without) {
            return Err("cuts the question into pieces".into());
        }
        if !has(&without, &TemplatePart::User) {
            return Err("omits the question".into());
        }
        let with_system = render(Value::from(vec![message("system", SYSTEM), message("user", USER)]))
            .ok()
            .filter(|parts| has(parts, &TemplatePart::System) && has(parts, &TemplatePart::User) && !holds_mark(parts));
        let with_system = match with_system {
            Some(parts) => parts,
            // The template has no system role: the system message precedes the question.
            None => {
                without.iter().cloned().flat_map(|part| if part == TemplatePart::User { system_then_user() } else { vec![part] }).collect()
            }
        };
        Ok(Self { with_system, without, warning: None })
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

/// Whether a part of a placeholder is left over, because the template took a text apart.
fn holds_mark(parts: &[TemplatePart]) -> bool {
    parts.iter().any(|part| matches!(part, TemplatePart::Literal(text) if text.contains(MARKS)))
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
    let values = context! {
        messages => messages,
        add_generation_prompt => true,
        enable_thinking => false,
        bos_token => tokens.bos_text(),
        eos_token => tokens.eos_text(),
        tools => (),
        documents => (),
    };
    jinja::render(source, values)
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
