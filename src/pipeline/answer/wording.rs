//! The sentences of the built-in hypothesis and reader, in the question's language (`prompts/`).

use std::sync::LazyLock;

use serde::Deserialize;

use crate::graph::{EntityId, EvolvingGraph, Role};
use crate::pipeline::safety::wording::SafetyWording;
use crate::run::{AnswerPart, Urgency, UrgencyLevel, UrgencyReasonKind};
use crate::text::{is_chinese, is_cjk};

/// What an alarm's line names of what raised it; the rest is counted, and listed where somebody asks why.
pub(super) const RAISED: usize = 3;

/// The sentences of one language; see `prompts/en.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wording {
    #[serde(skip)]
    chinese: bool,
    list_and: String,
    list_comma: String,
    pub(crate) hypothesis: HypothesisWording,
    pub(crate) answer: AnswerWording,
    line: LineWording,
    part: PartWording,
    pub(crate) plan: PlanWording,
    pub(crate) raised: RaisedWording,
    pub(crate) model: ModelWording,
    pub(crate) safety: SafetyWording,
}

/// Sentences of the fixed lines of an answer; see [`super::plan`].
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanWording {
    pub(crate) urgent: String,
    pub(crate) read_as: String,
    pub(crate) nothing_carried_over: String,
    pub(crate) do_not_know: String,
    pub(crate) ambiguous: String,
    pub(crate) not_clinical: String,
    pub(crate) subject_unknown: String,
    pub(crate) too_little: String,
    /// The same of a medicine, a test or a complaint that the question points at and does not name: what is asked back.
    pub(crate) which_medicine: String,
    pub(crate) which_test: String,
    pub(crate) which_complaint: String,
    /// In place of a refusal, where documents say something all the same.
    pub(crate) only_documents: String,
    pub(crate) harm: String,
    pub(crate) harm_urgent: String,
    /// Instead of `harm`, to somebody who wants to harm himself.
    pub(crate) harm_self: String,
    pub(crate) left_out: String,
    pub(crate) left_out_too: String,
    pub(crate) complication_of: String,
    pub(crate) complications_of: String,
    /// What to do for a condition …
    pub(crate) care: String,
    /// … and its course.
    pub(crate) course: String,
    pub(crate) best_fit: String,
    pub(crate) best_fit_partly: String,
    /// Why it is first where another explains more.
    pub(crate) first_by_danger: String,
    pub(crate) first_by_flag: String,
    pub(crate) first_by_likelihood: String,
    pub(crate) by_new_drug: String,
    /// The same of a drug that must not be taken with what it may have caused.
    pub(crate) by_drug_to_stop: String,
    pub(crate) possible: String,
    /// Before it, where only complaints are told that many conditions share.
    pub(crate) unspecific: String,
    pub(crate) treated_first_with: String,
    pub(crate) managed_with: String,
    pub(crate) no_doses: String,
    pub(crate) listed: String,
    pub(crate) nothing_stored: String,
    pub(crate) only_related: String,
    pub(crate) explains: String,
    pub(crate) likelier: String,
    pub(crate) considered: String,
    pub(crate) recognised: String,
    pub(crate) signs: String,
    pub(crate) must_not_miss: String,
    pub(crate) causes: String,
    pub(crate) when: String,
    pub(crate) with_care: String,
    /// The same in the sentence that answers, where the caution stands further down.
    pub(crate) see_caution: String,
    /// Of a drug that treats a harmless cause of what may be an emergency.
    pub(crate) not_before_seen: String,
    /// What happens where a drug is stopped; `{drug}`, `{effect}`, `{action}`.
    pub(crate) stopping: String,
    /// What would make a finding urgent; `{finding}`, `{action}`.
    pub(crate) safety_net: String,
    /// What to do about a side effect; `{effect}`, `{drug}`, `{advice}`.
    pub(crate) side_effect: String,
    /// What is said about using a drug: how soon it works, how it is taken, a missed dose, driving; `{drug}`, `{said}`.
    pub(crate) works: String,
    pub(crate) taking: String,
    pub(crate) missed: String,
    pub(crate) driving: String,
    /// What is told of a topic; `{name}`, `{said}`, and where it is about two things `{other}`.
    pub(crate) topic: String,
    pub(crate) topic_beside: String,
    /// The same of what the answer takes a complaint for, and the traps of it; `{name}`, `{said}`.
    pub(crate) topic_supposed: String,
    pub(crate) beware: String,
    /// What is said where a dose was taken twice, by what that calls for; `{drug}`, `{said}`, `{next}`.
    pub(crate) twice_home: String,
    pub(crate) twice_ask: String,
    pub(crate) twice_emergency: String,
    pub(crate) twice_unknown: String,
    pub(crate) twice_alarm: String,
    /// What a drug is for: a first choice, itself or its class, and what else; `{drug}`, `{names}`, of the class also `{class}`.
    pub(crate) first_for: String,
    pub(crate) class_first_for: String,
    pub(crate) also_for: String,
    pub(crate) used_for: String,
    /// Behind an action that names a drug which the case forbids.
    pub(crate) go_now: String,
    /// Words of a place or service that takes emergencies: where one is named, it is clear where to go.
    places: Vec<String>,
    /// Words of an action that fetch help from outside, and what is said of a patient in hospital instead.
    pub(crate) in_hospital: Vec<[String; 2]>,
    pub(crate) not_here: String,
    pub(crate) critical: String,
    pub(crate) find_cause: String,
    pub(crate) self_harm: String,
    pub(crate) red_flag: String,
    pub(crate) suspected: String,
}

/// What raised an alarm.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RaisedWording {
    because: String,
    named: String,
    more: String,
    acute: String,
    severe: String,
    days: String,
    weeks: String,
    pregnant: String,
    male: String,
}

impl RaisedWording {
    /// A word of the lists that say what makes something an emergency; `None` for one that only unmakes it.
    pub(crate) fn of_word(&self, word: &str) -> Option<&str> {
        let said = match word {
            "acute" => &self.acute,
            "severe" => &self.severe,
            "days" => &self.days,
            "weeks" => &self.weeks,
            "pregnant" => &self.pregnant,
            "male" => &self.male,
            _ => return None,
        };
        Some(said)
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisWording {
    pub(crate) conditions: String,
    pub(crate) conditions_named: String,
    pub(crate) tests: String,
    pub(crate) treatments: String,
    pub(crate) cautions: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerWording {
    pub(crate) nothing_linked: String,
    pub(crate) not_linked: String,
    pub(crate) no_evidence: String,
    /// Said if no graph is used and there is no language model.
    pub(crate) no_model: String,
    /// A method answers from documents, and none are in use.
    pub(crate) no_documents: String,
    /// No passage fits the question.
    pub(crate) no_passage: String,
    /// Said if the doctor has rejected all evidence.
    pub(crate) all_rejected: String,
    pub(crate) rephrase: String,
    /// The mark after a sentence that is a language model's own.
    pub(crate) own: String,
    /// The note below a language model's text that cites no chain.
    pub(crate) uncited: String,
}

/// Why a language model's text is no part of the answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelWording {
    pub(crate) empty: String,
    pub(crate) loops: String,
    pub(crate) language: String,
    pub(crate) off_the_question: String,
    pub(crate) unsupported: String,
    pub(crate) failed: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineWording {
    condition: String,
    condition_named: String,
    condition_other: String,
    test: String,
    tests: String,
    monitoring: String,
    monitorings: String,
    treatment: String,
    treatments: String,
    first_line: String,
    first_lines: String,
    prevention: String,
    preventions: String,
    contraindication: String,
    adverse_effect: String,
    interaction: String,
    red_flag: String,
    complication: String,
    other: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartWording {
    conditions: String,
    care: String,
    tests: String,
    treatments: String,
    cautions: String,
    findings: String,
    emergency: String,
    not_understood: String,
    safety: String,
    summary: String,
    documents: String,
    more: String,
    model_note: String,
    model_adds: String,
    model_contradicted: String,
    model_unsupported: String,
}

static ENGLISH: LazyLock<Wording> = LazyLock::new(|| toml::from_str(include_str!("../../../prompts/en.toml")).unwrap_or_default());
static CHINESE: LazyLock<Wording> = LazyLock::new(|| {
    let wording: Wording = toml::from_str(include_str!("../../../prompts/zh.toml")).unwrap_or_default();
    Wording { chinese: true, ..wording }
});

/// How a line describes a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConditionReason {
    /// It explains findings of the question.
    Explains,
    /// The question names it.
    Named,
    /// The evidence leads to it in some other way.
    Related,
}

impl Wording {
    /// The wording in the language of a text: Chinese if at least a third of its letters are CJK.
    pub(crate) fn for_text(text: &str) -> &'static Self {
        if is_chinese(text) { &CHINESE } else { &ENGLISH }
    }

    /// Whether it is Chinese.
    pub(crate) fn is_chinese(&self) -> bool {
        self.chinese
    }

    /// The marks of a model's own sentences in every language.
    pub(crate) fn own_marks() -> [&'static str; 2] {
        [&ENGLISH.answer.own, &CHINESE.answer.own]
    }

    /// Fills the only gap of a sentence with a list.
    pub(crate) fn fill(&self, sentence: &str, names: &[String]) -> String {
        let list = self.list(names);
        sentence.replace("{names}", &list).replace("{others}", &list)
    }

    /// How many more there are than a list names: its last item.
    pub(crate) fn more(&self, count: usize) -> String {
        self.raised.more.replace("{count}", &count.to_string())
    }

    /// A list in words.
    pub(crate) fn list(&self, names: &[String]) -> String {
        match names {
            [] => String::new(),
            [only] => only.clone(),
            [most @ .., last] => format!("{}{}{last}", most.join(&self.list_comma), self.list_and),
        }
    }

    /// An entity's name in this language: in Chinese, its first Chinese alias if that is unambiguous.
    pub(crate) fn name(&self, graph: &EvolvingGraph, entity: EntityId) -> String {
        let own = graph.entity_name(entity);
        if !self.chinese || own.chars().any(is_cjk) {
            return own.to_owned();
        }
        let chinese = graph.aliases(entity).find(|alias| alias.chars().any(is_cjk));
        chinese.filter(|alias| graph.names().lookup_exact(alias) == [entity]).map_or_else(|| own.to_owned(), str::to_owned)
    }

    /// The same for an answer, where the reader also needs the name shown in the chains.
    pub(crate) fn name_with_original(&self, graph: &EvolvingGraph, entity: EntityId) -> String {
        let (local, own) = (self.name(graph, entity), graph.entity_name(entity));
        if local == own { local } else { format!("{local}（{own}）") }
    }

    /// What a line says of an entity in this role.
    pub(crate) fn role_line(&self, role: Role, others: &[String]) -> String {
        let line = &self.line;
        let sentence = match role {
            Role::Test => &line.test,
            Role::Monitoring => &line.monitoring,
            Role::Treatment => &line.treatment,
            Role::FirstLine => &line.first_line,
            Role::Prevention => &line.prevention,
            Role::Contraindication => &line.contraindication,
            Role::AdverseEffect => &line.adverse_effect,
            Role::Interaction => &line.interaction,
            Role::RedFlag => &line.red_flag,
            Role::Complication => &line.complication,
            Role::Symptom | Role::Cause | Role::RiskFactor | Role::Differential | Role::Broader | Role::Related => &line.other,
        };
        self.fill(sentence, others)
    }

    /// What a line says of several entities in this role.
    pub(crate) fn roles_line(&self, role: Role, others: &[String]) -> String {
        let sentence = match role {
            Role::Test => &self.line.tests,
            Role::Monitoring => &self.line.monitorings,
            Role::Treatment => &self.line.treatments,
            Role::FirstLine => &self.line.first_lines,
            Role::Prevention => &self.line.preventions,
            _ => return self.role_line(role, others),
        };
        self.fill(sentence, others)
    }

    /// What a line says of a condition.
    pub(crate) fn condition_line(&self, reason: ConditionReason, others: &[String]) -> String {
        match reason {
            ConditionReason::Explains => self.fill(&self.line.condition, others),
            ConditionReason::Named => self.line.condition_named.clone(),
            ConditionReason::Related => self.fill(&self.line.condition_other, others),
        }
    }

    /// The whole line of an alarm: "Emergency, because of Drooling: …". `None` for a routine case.
    pub(crate) fn alarm(&self, urgency: &Urgency) -> Option<String> {
        let heading = match urgency.level? {
            UrgencyLevel::Emergency => self.part(AnswerPart::Emergency),
            UrgencyLevel::Urgent => &self.plan.urgent,
            UrgencyLevel::Routine => return None,
        };
        let Some(text) = urgency.text.as_deref().filter(|text| !text.is_empty()) else { return Some(heading.to_owned()) };
        let (name, rest) = self.named_first(urgency, text);
        Some(format!("{heading}{}{}{name}{rest}", self.raised_by(urgency, text), self.colon()))
    }

    /// The text of an alarm behind its colon, in two: what it names first, with a full stop in place of a second colon, and what to do. "Palpitations. "
    /// and "With fainting, …"
    pub(crate) fn named_first<'t>(&self, urgency: &Urgency, text: &'t str) -> (String, &'t str) {
        let parted = urgency.because.iter().find_map(|reason| {
            let action = text.strip_prefix(reason.text.as_str()).filter(|_| !reason.text.is_empty())?.strip_prefix(self.colon())?;
            // What goes on in small letters is no sentence of its own.
            (!action.starts_with(char::is_lowercase)).then(|| (format!("{}{}{}", reason.text, self.full_stop(), self.space()), action))
        });
        parted.unwrap_or((String::new(), text))
    }

    fn full_stop(&self) -> &'static str {
        if self.chinese { "。" } else { "." }
    }

    /// What to do in an emergency for somebody who is no clinician: where to go, behind the text, if that does not say it.
    pub(crate) fn with_where_to_go(&self, text: &str) -> String {
        let is_said = self.plan.places.iter().any(|place| text.to_lowercase().contains(place.as_str()));
        if is_said { text.to_owned() } else { format!("{text}{}{}", self.space(), self.plan.go_now) }
    }

    /// What raised an alarm, as far as its own text does not say it.
    fn raised_by(&self, urgency: &Urgency, text: &str) -> String {
        use UrgencyReasonKind::{Named, Words};
        let facts = urgency.because.iter().filter(|reason| !matches!(reason.kind, Named | Words) && !reason.text.is_empty());
        let facts: Vec<String> = facts.map(|reason| reason.text.clone()).collect();
        if facts.is_empty() {
            let is_named = urgency.because.iter().any(|reason| reason.kind == Named);
            return if is_named { self.raised.named.clone() } else { String::new() };
        }
        let text = text.to_lowercase();
        if facts.iter().all(|fact| text.contains(&fact.to_lowercase())) {
            return String::new();
        }
        let mut names: Vec<String> = facts.iter().take(RAISED).cloned().collect();
        if facts.len() > RAISED {
            names.push(self.more(facts.len() - RAISED));
        }
        self.fill(&self.raised.because, &names)
    }

    /// The heading of a part.
    pub(crate) fn part(&self, part: AnswerPart) -> &str {
        match part {
            AnswerPart::Conditions => &self.part.conditions,
            AnswerPart::Care => &self.part.care,
            AnswerPart::Tests => &self.part.tests,
            AnswerPart::Treatments => &self.part.treatments,
            AnswerPart::Cautions => &self.part.cautions,
            AnswerPart::Findings => &self.part.findings,
            AnswerPart::Emergency => &self.part.emergency,
            AnswerPart::ReadAs => &self.plan.read_as,
            AnswerPart::NotUnderstood => &self.part.not_understood,
            AnswerPart::Safety => &self.part.safety,
            AnswerPart::Summary => &self.part.summary,
            AnswerPart::Documents => &self.part.documents,
            AnswerPart::More => &self.part.more,
            AnswerPart::ModelNote => &self.part.model_note,
            AnswerPart::ModelAdds => &self.part.model_adds,
            AnswerPart::ModelContradicted => &self.part.model_contradicted,
            AnswerPart::ModelUnsupported => &self.part.model_unsupported,
        }
    }

    /// Alternatives in words: "a or b".
    pub(crate) fn either(&self, names: &[String]) -> String {
        names.join(if self.chinese { "或" } else { " or " })
    }

    /// What separates the statements of one line.
    pub(crate) fn semicolon(&self) -> &'static str {
        if self.chinese { "；" } else { "; " }
    }

    /// What separates two sentences.
    pub(crate) fn space(&self) -> &'static str {
        if self.chinese { "" } else { " " }
    }

    /// The text between a line's entity and its description.
    pub(crate) fn colon(&self) -> &'static str {
        if self.chinese { "：" } else { ": " }
    }

    /// What stands between the parts of a sentence.
    pub(crate) fn between_parts(&self) -> &'static str {
        if self.chinese { "；" } else { "; " }
    }

    /// What stands between two sentences.
    pub(crate) fn between_sentences(&self) -> &'static str {
        if self.chinese { "" } else { " " }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_are_complete() {
        for text in [include_str!("../../../prompts/en.toml"), include_str!("../../../prompts/zh.toml")] {
            let wording: Wording = toml::from_str(text).expect("valid wording");
            for sentence in [&wording.hypothesis.conditions, &wording.hypothesis.tests, &wording.answer.not_linked] {
                assert!(sentence.contains("{names}"));
            }
            for sentence in [&wording.line.condition, &wording.line.first_line, &wording.line.contraindication] {
                assert!(sentence.contains("{others}"));
            }
        }
    }

    #[test]
    fn the_language_follows_the_question() {
        assert!(!Wording::for_text("heartburn after eating").chinese);
        assert!(Wording::for_text("胃痛 B12?").chinese);
        assert!(!Wording::for_text("").chinese);
        let names = ["a", "b", "c"].map(String::from);
        assert_eq!(Wording::for_text("x").fill("[{names}]", &names), "[a, b and c]");
    }
}
