//! A model's vocabulary from its files: the metadata of a GGUF file, or a folder's `tokenizer.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::normalizers::{NFC, Prepend, Replace, Sequence as Normalisers};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{AddedToken, NormalizerWrapper, PreTokenizerWrapper, SplitDelimiterBehavior, Tokenizer};

use super::config::Family;
use super::folder::{read_json, read_text};
use super::gguf::Gguf;
use super::tokens::{Parts, Special, Spelling, Tokens};

/// `tokenizer.ggml.token_type`.
const UNKNOWN: i64 = 2;
const CONTROL: i64 = 3;
const USER_DEFINED: i64 = 4;
const BYTE: i64 = 6;

/// Pieces longer than this are never merged from others; SentencePiece itself stops far earlier.
const LONGEST_PIECE: usize = 256;

const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT4O: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// The vocabulary of a GGUF file, from its own metadata; if Catena does not know its kind, from a `tokenizer.json` next to the file.
///
/// # Errors
/// The field that is missing, damaged or unknown.
pub(super) fn of_gguf(file: &Gguf, family: Family, path: &Path) -> Result<Tokens, String> {
    match from_metadata(file, family) {
        Ok(parts) => Ok(Tokens::new(parts)),
        Err(problem) => match path.parent().filter(|folder| folder.join("tokenizer.json").is_file()) {
            Some(folder) => of_folder(folder),
            None => Err(problem),
        },
    }
}

fn from_metadata(file: &Gguf, family: Family) -> Result<Parts, String> {
    let model = file.text("tokenizer.ggml.model")?.ok_or("the field tokenizer.ggml.model is missing, so it has no vocabulary")?;
    let words = file.texts("tokenizer.ggml.tokens")?;
    if words.is_empty() {
        return Err("the field tokenizer.ggml.tokens is missing or empty".into());
    }
    let kinds = file.wholes("tokenizer.ggml.token_type")?;
    if !kinds.is_empty() && kinds.len() != words.len() {
        return Err(format!("the field tokenizer.ggml.token_type has {} entries for {} tokens", kinds.len(), words.len()));
    }
    let kind = |id: usize| kinds.get(id).copied().unwrap_or(1);
    let id_of = |field: &str| -> Result<Option<u32>, String> {
        match file.count(&format!("tokenizer.ggml.{field}"))? {
            Some(id) if id < words.len() => Ok(u32::try_from(id).ok()),
            Some(id) if id == u32::MAX as usize => Ok(None),
            Some(id) => Err(format!("the field tokenizer.ggml.{field} is {id}, but there are only {} tokens", words.len())),
            None => Ok(None),
        }
    };
    let (bos, eos) = (id_of("bos_token_id")?, id_of("eos_token_id")?);
    let mut stop = BTreeSet::new();
    for field in ["eot_token_id", "eom_token_id"] {
        stop.extend(id_of(field)?);
    }
    let pieces = model == "llama";
    let cut = if model == "gpt2" { word_cut(file, words, family)? } else { "" };
    let named: BTreeSet<usize> = [bos, eos].iter().flatten().chain(&stop).map(|id| *id as usize).collect();
    let mut specials = Vec::new();
    let mut blanks = Vec::new();
    let mut plain: BTreeMap<&str, u32> = BTreeMap::new();
    for (id, (word, number)) in words.iter().zip(0u32..).enumerate() {
        let control = kind(id) == CONTROL || named.contains(&id);
        if control || kind(id) == USER_DEFINED {
            if !control && word.chars().all(|c| c.is_whitespace() || c == '▁') {
                blanks.push(word);
                plain.insert(word, number);
                continue;
            }
            // As llama.cpp has it for this family; its own tokenizer.json says the same of most.
            let strip_after = family == Family::Phi3 && pieces && !matches!(word.as_str(), "<s>" | "<unk>" | "<|endoftext|>");
            specials.push(Special { text: word.clone(), id: number, control, strip_before: false, strip_after });
        } else {
            plain.insert(word, number);
        }
    }
    let mut tokenizer = match model {
        "gpt2" => byte_level(file, cut, &plain)?,
        "llama" => sentence_piece(file, words, kinds, &plain)?,
        other => {
            return Err(format!(
                "the field tokenizer.ggml.model is {other:?}, which Catena does not know; put its tokenizer.json next to the file"
            ));
        }
    };
    let blanks: Vec<AddedToken> = blanks.into_iter().map(|word| AddedToken::from(word.clone(), false).normalized(true)).collect();
    tokenizer.add_tokens(&blanks);
    let prefix = file.flag("tokenizer.ggml.add_space_prefix")?.unwrap_or(true);
    Ok(Parts {
        plain: tokenizer,
        specials,
        spelling: if pieces { Spelling::SentencePiece { prefix } } else { Spelling::ByteLevel },
        bos,
        eos,
        // As llama.cpp has it.
        add_bos: file.flag("tokenizer.ggml.add_bos_token")?.unwrap_or(pieces || matches!(cut, "llama-bpe" | "llama3" | "llama-v3")),
        stop,
    })
}

/// How texts are cut into words: the field `tokenizer.ggml.pre`. Old files lack it, or have `default`; for these it is inferred. The wrong cut
/// gives wrong tokens without any sign of it ("2024" in one token or in four).
fn word_cut<'a>(file: &'a Gguf, words: &[String], family: Family) -> Result<&'a str, String> {
    let stated = file.text("tokenizer.ggml.pre")?;
    if let Some(stated) = stated.filter(|stated| *stated != "default") {
        return Ok(stated);
    }
    let has = |text: &str| words.iter().any(|word| word == text);
    let digits = words.iter().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())).map(String::len).max().unwrap_or(0);
    match family {
        Family::Qwen2 | Family::Qwen3 if digits <= 1 && has("<|endoftext|>") && has("<|im_start|>") => Ok("qwen2"),
        Family::Llama if digits <= 3 && has("<|begin_of_text|>") && has("<|start_header_id|>") => Ok("llama-bpe"),
        _ => Err(format!(
            "the field tokenizer.ggml.pre is {}, and the vocabulary does not tell how texts are cut into words; put the model's \
             tokenizer.json next to the file, or convert the model again with a current version of llama.cpp",
            if stated.is_some() { "\"default\"" } else { "missing" }
        )),
    }
}

/// GPT-2's way: bytes as letters, merges in a given order, words cut by an expression before.
fn byte_level(file: &Gguf, pre: &str, plain: &BTreeMap<&str, u32>) -> Result<Tokenizer, String> {
    let merges = file.texts("tokenizer.ggml.merges")?;
    let mut pairs = Vec::with_capacity(merges.len());
    for merge in merges {
        let (left, right) =
            merge.split_once(' ').ok_or("the field tokenizer.ggml.merges has a merge that does not consist of two pieces")?;
        pairs.push((left.to_owned(), right.to_owned()));
    }
    let split = |expression: &str| {
        Split::new(SplitPattern::Regex(expression.into()), SplitDelimiterBehavior::Isolated, false)
            .map(PreTokenizerWrapper::from)
            .map_err(|e| format!("texts cannot be split into words as {pre:?} says: {e}"))
    };
    let letters = |own_words| PreTokenizerWrapper::from(ByteLevel::new(false, true, own_words));
    let (cut, whole_words) = match pre {
        "llama-bpe" | "llama3" | "llama-v3" => (vec![split(LLAMA3)?, letters(false)], true),
        // llama.cpp merges its words from letters even if they are in the vocabulary.
        "smaug-bpe" => (vec![split(LLAMA3)?, letters(false)], false),
        "qwen2" | "deepseek-r1-qwen" => (vec![split(QWEN2)?, letters(false)], false),
        "gpt-4o" | "llama4" => (vec![split(GPT4O)?, letters(false)], false),
        "smollm" => (vec![Digits::new(true).into(), letters(true)], false),
        "gpt-2" | "gpt2" => (vec![letters(true)], false),
        other => {
            return Err(format!(
                "the field tokenizer.ggml.pre is {other:?}, which Catena does not know; put the model's tokenizer.json next to the file"
            ));
        }
    };
    let vocabulary: Vocab = plain.iter().map(|(word, id)| ((*word).to_owned(), *id)).collect();
    let model = BPE::builder()
        .vocab_and_merges(vocabulary, pairs)
        .ignore_merges(whole_words)
        .build()
        .map_err(|e| format!("the vocabulary and its merges are inconsistent: {e}"))?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_pre_tokenizer(Some(Sequence::new(cut)));
    if pre == "qwen2" {
        tokenizer.with_normalizer(Some(NFC));
    }
    Ok(tokenizer)
}

/// SentencePiece's way: pieces with scores. The best-scored piece is merged first, which is a merge list ordered by score.
fn sentence_piece(file: &Gguf, words: &[String], kinds: &[i64], plain: &BTreeMap<&str, u32>) -> Result<Tokenizer, String> {
    let scores = file.floats("tokenizer.ggml.scores")?;
    if scores.len() != words.len() {
        return Err(format!("the field tokenizer.ggml.scores has {} entries for {} tokens", scores.len(), words.len()));
    }
    let mergeable =
        |word: &str| plain.get(word).is_some_and(|id| !matches!(kinds.get(*id as usize), Some(&(UNKNOWN | BYTE | USER_DEFINED))));
    let mut merges: Vec<(f64, u32, &str, &str)> = Vec::new();
    for (word, id) in plain.iter().filter(|(word, _)| word.len() <= LONGEST_PIECE && mergeable(word)) {
        for (at, _) in word.char_indices().skip(1) {
            let (left, right) = word.split_at(at);
            if mergeable(left) && mergeable(right) {
                merges.push((scores[*id as usize], *id, left, right));
            }
        }
    }
    merges.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.len().cmp(&b.2.len())));
    let merges = merges.into_iter().map(|(_, _, left, right)| (left.to_owned(), right.to_owned())).collect();
    let vocabulary: Vocab = plain.iter().map(|(word, id)| ((*word).to_owned(), *id)).collect();
    let unknown =
        file.count("tokenizer.ggml.unknown_token_id")?.and_then(|id| words.get(id)).filter(|word| plain.contains_key(word.as_str()));
    let mut builder = BPE::builder().vocab_and_merges(vocabulary, merges).byte_fallback(true).fuse_unk(true);
    if let Some(unknown) = unknown {
        builder = builder.unk_token(unknown.clone());
    }
    let model = builder.build().map_err(|e| format!("the vocabulary is inconsistent: {e}"))?;
    let mut steps: Vec<NormalizerWrapper> = Vec::new();
    if file.flag("tokenizer.ggml.add_space_prefix")?.unwrap_or(true) {
        steps.push(Prepend::new("▁".into()).into());
    }
    steps.push(Replace::new(" ", "▁").map_err(|e| e.to_string())?.into());
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_normalizer(Some(Normalisers::new(steps)));
    Ok(tokenizer)
}

/// The vocabulary of a folder: `tokenizer.json`, with what `tokenizer_config.json`, `generation_config.json` and `config.json` say of the ends of texts.
///
/// # Errors
/// The file and field that is missing or damaged.
pub(super) fn of_folder(folder: &Path) -> Result<Tokens, String> {
    let text = read_text(folder, "tokenizer.json")?.ok_or("the folder has no tokenizer.json")?;
    let mut json: Value = serde_json::from_str(&text).map_err(|e| format!("tokenizer.json is damaged: {e}"))?;
    let mut specials = Vec::new();
    let mut blanks = Vec::new();
    for added in json["added_tokens"].as_array().cloned().unwrap_or_default() {
        let (Some(text), Some(id)) = (added["content"].as_str(), added["id"].as_u64().and_then(|id| u32::try_from(id).ok())) else {
            return Err("tokenizer.json: an entry of added_tokens has no content or id".into());
        };
        if added["special"].as_bool() != Some(true) && text.chars().all(|c| c.is_whitespace() || c == '▁') {
            blanks.push(added);
            continue;
        }
        specials.push(Special {
            text: text.into(),
            id,
            control: added["special"].as_bool() == Some(true),
            strip_before: added["lstrip"].as_bool() == Some(true),
            strip_after: added["rstrip"].as_bool() == Some(true),
        });
    }
    let spelling = if mentions(&json["decoder"], "ByteLevel") || mentions(&json["pre_tokenizer"], "ByteLevel") {
        Spelling::ByteLevel
    } else {
        let metaspace = |part: &Value| mentions(part, "Metaspace") && !part.to_string().contains("\"never\"");
        Spelling::SentencePiece { prefix: mentions(&json["normalizer"], "Prepend") || metaspace(&json["pre_tokenizer"]) }
    };
    if let Some(fields) = json.as_object_mut() {
        fields.insert("added_tokens".into(), Value::Array(blanks));
        // What is put around or cut off a text is not for the tokenizer to say here.
        for field in ["truncation", "padding", "post_processor"] {
            fields.insert(field.into(), Value::Null);
        }
    }
    let plain: Tokenizer = serde_json::from_value(json).map_err(|e| format!("tokenizer.json cannot be used: {e}"))?;
    let [own, generation, model] = ["tokenizer_config.json", "generation_config.json", "config.json"]
        .map(|name| read_json(folder, name).map(|json| json.unwrap_or_else(|| json!({}))));
    let (own, generation, model) = (own?, generation?, model?);
    let named = |field: &str| -> Option<u32> {
        let text = own[field].as_str().or(own[field]["content"].as_str())?;
        specials.iter().find(|special| special.text == text).map(|special| special.id)
    };
    let mut stop = BTreeSet::new();
    for ids in [&generation["eos_token_id"], &model["eos_token_id"]] {
        let one = ids.as_u64().into_iter();
        stop.extend(one.chain(ids.as_array().into_iter().flatten().filter_map(Value::as_u64)).filter_map(|id| u32::try_from(id).ok()));
    }
    let bos = named("bos_token").or_else(|| model["bos_token_id"].as_u64().and_then(|id| u32::try_from(id).ok()));
    let eos = named("eos_token");
    let add_bos = own["add_bos_token"].as_bool().unwrap_or(false) && named("bos_token").is_some();
    Ok(Tokens::new(Parts { plain, specials, spelling, bos, eos, add_bos, stop }))
}

/// Whether a part of a `tokenizer.json` is, or holds, a step of this type.
fn mentions(part: &Value, kind: &str) -> bool {
    match part {
        Value::Object(fields) => fields.iter().any(|(key, value)| (key == "type" && value == kind) || mentions(value, kind)),
        Value::Array(parts) => parts.iter().any(|part| mentions(part, kind)),
        _ => false,
    }
}
