//! Methods that answer from documents alone: IdepRAG (EbmKG, section 4), and its baselines by BM25, vectors and communities. The graph links the question and
//! stands behind the safety pass; passages make the answer. A language model, where there is one, names search terms and features, and writes the
//! answer from at most 8,000 words of passages.

use serde_json::{Value, json};

use super::Method;
use super::by_query::lines_of;
use super::run_state::RunState;
use crate::evidence::{Advisor, Library, Package, SearchMethod};
use crate::language::Knowledge;
use crate::language::consult::{Asking, consult_with};
use crate::language::context::{RunContext, StageError};
use crate::language::prompt::prompt_lines::{lines, question_part};
use crate::language::prompt::{PromptFor, untrusted};
use crate::language::{is_small, objects_in, texts_form};
use crate::model::{Constraint, GeneratorHandle, PromptPart, Sampling};
use crate::pipeline::answer::compose::{self, above};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::documents::{DocumentInput, ModelLine, WithPassages, answer_alone, fitting, offered};
use crate::pipeline::llm::without_citations;
use crate::run::{Answer, EventKind, Pruning, QuotedPassage, Refusal, Stage};

/// The most search terms of a model, and features of a package; the most characters of each.
const TERMS: usize = 12;
const TERM: usize = 100;
const FEATURES: usize = 5;
const FEATURE: usize = 200;
/// The most characters of a passage in a prompt.
const PASSAGE: usize = 2000;
/// The most statements of an answer.
const STATEMENTS: usize = 30;

/// Answers from passages.
pub(super) struct OfDocuments(pub(super) SearchMethod);

impl Method for OfDocuments {
    fn documents(&self) -> Option<SearchMethod> {
        Some(self.0)
    }
}

/// A language model that advises a search. Its calls are part of the run.
struct ModelAdvisor<'a, 'c> {
    ctx: &'a mut RunContext<'c>,
    generator: &'a GeneratorHandle,
    /// The whole question: a search may leave out what the case denies, which a model understands.
    question: &'a str,
    chinese: bool,
    /// The run was stopped, or a model that the run needs failed.
    ended: Option<StageError>,
    /// It failed or wrote nothing, and is not asked for features any more.
    failed: bool,
}

impl ModelAdvisor<'_, '_> {
    fn ask(&mut self, (what, form): (PromptFor, Constraint), fill: impl Fn(&str) -> Vec<PromptPart>) -> Option<String> {
        if self.ended.is_some() || self.failed {
            return None;
        }
        let sampling = Sampling { temperature: 0.0, constraint: Some(form), ..Sampling::default() };
        let asking = Asking { stage: Stage::Read, what, chinese: self.chinese, sampling, shown: false };
        match consult_with(self.ctx, self.generator, asking, fill) {
            Ok(Ok(reply)) => Some(reply),
            Ok(Err(why)) => {
                // A server that fails or is slow is not asked again.
                self.failed = true;
                self.say(&why);
                None
            }
            Err(error) => {
                self.ended = Some(error);
                None
            }
        }
    }

    fn say(&mut self, why: &str) {
        self.ctx.warn(format!("{why}; the passages are searched by rule."));
    }
}

impl Advisor for ModelAdvisor<'_, '_> {
    fn search_terms(&mut self, _sought: &str) -> Option<Vec<String>> {
        let question = self.question;
        let reply = self.ask((PromptFor::SearchTerms, texts_form("terms", TERMS, TERM)), |_| question_part(question))?;
        let terms = lines_of(&reply, TERMS);
        if terms.is_empty() || terms.iter().all(|term| term.chars().count() > TERM) {
            self.say("The language model named no search terms");
            return None;
        }
        Some(terms.into_iter().map(|term| untrusted(&term, TERM)).collect())
    }

    fn features(&mut self, _sought: &str, package: &Package) -> Option<Vec<(String, f32)>> {
        let question = self.question;
        let rule = rule(package.task, self.chinese);
        let reply = self.ask((PromptFor::Features, features_form()), |gap| match gap {
            "question" => question_part(question),
            "rule" => vec![PromptPart { text: rule.to_owned(), rank: None }],
            _ => lines(package.topics.iter().cloned()),
        })?;
        match features_in(&reply) {
            Some(features) => Some(features),
            None => {
                self.say("The language model's reply names no feature with its usefulness");
                None
            }
        }
    }
}

/// The search condition of a task (EbmKG, Figure 9, in our words).
fn rule(task: &str, chinese: bool) -> &'static str {
    match (task, chinese) {
        ("diagnosis", false) => "Useful is what tells conditions apart: findings, causes, risks, tests and their results.",
        ("treatment", false) => "Useful is what is given, to whom, at which dose and for how long, and how it turns out.",
        ("safety", false) => {
            "Useful is what forbids or limits a treatment in this patient: contraindications, interactions, warnings, populations."
        }
        ("check", false) => {
            "Useful is what states the claim, or says otherwise: the same drug, disease, number, direction and group of patients."
        }
        (_, false) => "Useful is what answers the question directly.",
        ("diagnosis", true) => "有助于鉴别疾病的内容有用：表现、病因、危险因素、检查及其结果。",
        ("treatment", true) => "用什么治疗、用于谁、剂量和疗程及其结果的内容有用。",
        ("safety", true) => "禁止或限制该患者用药的内容有用：禁忌、相互作用、警告、特殊人群。",
        ("check", true) => "陈述该论断或与之不同的内容有用：同一药物、疾病、数字、方向和人群。",
        (_, true) => "直接回答问题的内容有用。",
    }
}

/// The form of a reply that [`features_in`] reads. Whole numbers, because a small model can write decimals without end.
fn features_form() -> Constraint {
    let text = json!({ "type": "string", "minLength": 1, "maxLength": FEATURE });
    let usefulness = json!({ "type": "integer", "minimum": 0, "maximum": 100 });
    let fields = json!({ "feature": text, "usefulness": usefulness });
    let feature = json!({ "type": "object", "properties": fields, "required": ["feature", "usefulness"], "additionalProperties": false });
    Constraint::json("features", json!({ "type": "array", "maxItems": FEATURES, "items": feature }))
}

/// The features of a reply: a JSON list, or else `0.80: feature` a line and 0 for none. `None` if nothing can be read.
fn features_in(reply: &str) -> Option<Vec<(String, f32)>> {
    let mut found = Vec::new();
    let mut take = |text: &str, usefulness: f32| {
        let text = untrusted(text.trim(), FEATURE);
        if (0.0..=1.0).contains(&usefulness) && !text.is_empty() && found.len() < FEATURES {
            found.push((text, usefulness));
        }
    };
    let mut says_none = false;
    if let Some(list) = objects_in(reply) {
        says_none = list.is_empty();
        for feature in &list {
            let usefulness = match &feature["usefulness"] {
                Value::Number(percent) if percent.is_u64() => percent.as_f64().map(|percent| percent / 100.0),
                other => other.as_f64(),
            };
            if let (Some(text), Some(usefulness)) = (feature["feature"].as_str(), usefulness) {
                take(text, usefulness as f32);
            }
        }
    } else {
        for line in reply.lines() {
            let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
            says_none |= line == "0";
            let Some((number, text)) = line.split_once([':', '：']) else { continue };
            let Ok(usefulness) = number.trim().parse::<f32>() else { continue };
            take(text, usefulness);
        }
    }
    (says_none || !found.is_empty()).then_some(found)
}

/// A line without its groups of passage ids: `[2, D9]`.
fn without_ids(line: &str) -> String {
    let is_id = |id: &str| !id.is_empty() && id.trim_start_matches(['D', 'd']).bytes().all(|byte| byte.is_ascii_digit());
    let mut kept = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        kept.push_str(before);
        match after.split_once(']') {
            Some((group, behind)) if group.split([',', ';', '，']).all(|id| is_id(id.trim())) => {
                kept.truncate(kept.trim_end().len());
                rest = behind;
            }
            _ => {
                kept.push('[');
                rest = after;
            }
        }
    }
    kept + rest
}

/// The statements of a reply with the passages that they cite, `[D2]` or `[2]`.
fn statements_in(reply: &str, told: usize) -> Vec<ModelLine> {
    let line = |line: &str| {
        let mut cites: Vec<usize> = Vec::new();
        for group in line.split(['[', '【']).skip(1).filter_map(|rest| rest.split([']', '】']).next()) {
            for id in group.split([',', ';', ' ', '，']).map(|id| id.trim().trim_start_matches(['D', 'd'])) {
                let place = id.parse::<usize>().ok().and_then(|id| id.checked_sub(1)).filter(|place| *place < told);
                cites.extend(place.filter(|place| !cites.contains(place)));
            }
        }
        let text = without_citations(&without_ids(&crate::text::sanitise_line(line)));
        let text = text.trim().trim_start_matches(['-', '*', '•', ' ']).replace("**", "");
        text.chars().any(char::is_alphabetic).then_some(ModelLine { text, cites })
    };
    reply.lines().filter_map(line).take(STATEMENTS).collect()
}

impl RunState<'_> {
    /// The answer of a method that answers from documents, below the safety pass.
    pub(super) fn answer_from_documents(
        &self,
        ctx: &mut RunContext<'_>,
        library: &Library,
        pruning: &Pruning,
        method: SearchMethod,
    ) -> Result<Answer, StageError> {
        let wording = Wording::for_text(self.question);
        let (knowledge, seed): (&Knowledge, i64) = (ctx.knowledge, ctx.settings.seed);
        let input = DocumentInput { method, ..self.document_input((knowledge, seed), library, pruning) };
        let preamble = match self.preamble_or_refusal(ctx, pruning) {
            Ok(preamble) => above(preamble, Answer::default()),
            // What the graph does not know, documents may.
            Err(refusal) if matches!(self.understood.case.refusal, Some(Refusal::Harm | Refusal::NotClinical)) => return Ok(*refusal),
            Err(refusal) => *refusal,
        };
        if library.is_empty() {
            return Ok(below(preamble, &wording.answer.no_documents));
        }
        let generator = ctx.generator.filter(|_| !self.bare || method == SearchMethod::default());
        let found = match generator {
            Some(generator) => {
                let mut advisor = ModelAdvisor {
                    ctx: &mut *ctx,
                    generator,
                    question: self.question,
                    chinese: wording.is_chinese(),
                    ended: None,
                    failed: false,
                };
                let found = fitting(&input, Some(&mut advisor));
                if let Some(error) = advisor.ended {
                    return Err(error);
                }
                found
            }
            None => fitting(&input, None),
        };
        ctx.check()?;
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                ctx.warn(format!("The documents could not be searched, so nothing of them is cited: {error}"));
                return Ok(below(preamble, &wording.answer.no_passage));
            }
        };
        if found.is_empty() {
            ctx.emit(EventKind::PassagesFound { passages: std::sync::Arc::default() });
            return Ok(below(preamble, &wording.answer.no_passage));
        }
        let told = generator.map_or_else(Vec::new, |generator| offered(&input, &found, is_small(generator.name())));
        let written = match generator {
            Some(generator) => self.written_from(ctx, generator, &told)?.map(|written| (written, told.as_slice())),
            None => None,
        };
        let WithPassages { answer, passages } = answer_alone(&input, preamble, &found, written);
        ctx.emit(EventKind::PassagesFound { passages: std::sync::Arc::new(passages) });
        if answer.by_model {
            ctx.emit(EventKind::AnswerToken { text: answer.text.clone() });
        }
        Ok(answer)
    }

    /// A language model's statements from the passages that it is told; `None` where there are none, with a warning.
    fn written_from(
        &self,
        ctx: &mut RunContext<'_>,
        generator: &GeneratorHandle,
        told: &[QuotedPassage],
    ) -> Result<Option<Vec<ModelLine>>, StageError> {
        let chinese = Wording::for_text(self.question).is_chinese();
        let sampling = Sampling { temperature: 0.0, max_tokens: 700, ..Sampling::default() };
        let asking = Asking { stage: Stage::Read, what: PromptFor::FromPassages, chinese, sampling, shown: false };
        let line = |(number, passage): (u32, &QuotedPassage)| PromptPart {
            text: format!("[D{number}] {}: {}\n", untrusted(&passage.source(), 200), untrusted(&passage.text, PASSAGE)),
            rank: Some(number),
        };
        let reply = consult_with(ctx, generator, asking, |gap| match gap {
            "question" => question_part(self.question),
            _ => (1u32..).zip(told).map(line).collect(),
        })?;
        const INSTEAD: &str = "the passages are quoted as they are";
        let statements = match reply {
            Ok(reply) => statements_in(&reply, told.len()),
            Err(why) => {
                ctx.warn(format!("{why}; {INSTEAD}."));
                return Ok(None);
            }
        };
        if statements.iter().all(|line| line.cites.is_empty()) {
            ctx.warn(format!("The language model's answer cites no passage that it was told; {INSTEAD}."));
            return Ok(None);
        }
        ctx.models_may_be_known();
        Ok(Some(statements))
    }
}

/// An answer with a sentence below what stands above it.
fn below(mut preamble: Answer, sentence: &str) -> Answer {
    if !preamble.text.is_empty() {
        preamble.text.push_str(compose::separator());
        preamble.text.push('\n');
    }
    preamble.text.push_str(sentence);
    preamble
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::infer::lm::meets;

    #[test]
    fn features_of_the_form_that_is_asked_for_are_read() {
        let reply = "[{\"feature\": \"dose in renal failure\", \"usefulness\": 90}, {\"feature\": \"接触史\", \"usefulness\": 0}]";
        assert!(meets(&features_form(), reply));
        let read = [("dose in renal failure".to_owned(), 0.9), ("接触史".to_owned(), 0.0)];
        assert_eq!(features_in(reply).expect("some"), read);
        assert!(meets(&features_form(), "[]"));
        assert_eq!(features_in("[]"), Some(Vec::new()), "none helps");
        // A server may write shares, leave something out, or name too much.
        let loose =
            "{\"features\": [{\"feature\": \"a\", \"usefulness\": 0.5}, {\"feature\": \"b\"}, {\"feature\": \"c\", \"usefulness\": 700}]}";
        assert_eq!(features_in(loose), Some(vec![("a".to_owned(), 0.5)]));
        for wrong in ["0.9: dose", "[\"dose\"]", "[{\"feature\": \"dose\", \"usefulness\": 101}]"] {
            assert!(!meets(&features_form(), wrong), "{wrong}");
        }
        assert_eq!(features_in("[\"dose\"]"), None);
        assert_eq!(features_in("0.9: dose [1]").map(|features| features.len()), Some(1), "a citation is no list");
    }

    #[test]
    fn replies_are_read_leniently() {
        let features = features_in("- 0.9: dose in renal failure\n1：接触史\n7: x\n0.5 no colon\n").expect("some");
        assert_eq!(features, [("dose in renal failure".to_owned(), 0.9), ("接触史".to_owned(), 1.0)]);
        assert_eq!(features_in("0"), Some(Vec::new()));
        assert!(features_in("It depends.").is_none() && features_in("").is_none());

        let lines = statements_in("- Begin with **5 mg** [D1].\nAvoid alcohol [2, D9] [D2].\n\n[D1]\nNo citation.", 2);
        let read: Vec<(&str, &[usize])> = lines.iter().map(|line| (line.text.as_str(), line.cites.as_slice())).collect();
        assert_eq!(read, [("Begin with 5 mg.", [0].as_slice()), ("Avoid alcohol.", [1].as_slice()), ("No citation.", [].as_slice())]);
    }
}
