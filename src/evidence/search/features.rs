//! Features of the evidence that a question needs, each with its usefulness (EbmKG, Eq. 10), without a language model: from the topics that the walk
//! found, what the question asks for, and the search condition of its task.

use std::collections::BTreeMap;

use super::SearchOptions;
use super::advisor::packages;
use super::question::Question;
use crate::evidence::collection::Collection;
use crate::evidence::label::Label;

/// Usefulness of evidence that neither the question nor its task asks for.
const LEAST: f32 = 0.1;
/// Usefulness by the task alone, where the question's words do not ask for the label.
const BY_TASK: f32 = 0.5;
/// What a topic about another entity than those of the question is worth.
const OTHER_ENTITY: f32 = 0.4;

/// What a search is for: it decides which labels are useful where the question's words do not tell (the paper's search conditions).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    Diagnosis,
    Treatment,
    Safety,
    /// A claim is checked (the paper's hallucination check): what states it, and what says otherwise.
    Check,
}

impl Task {
    /// The task of a search: a check, or that of the question.
    pub(super) fn of_search(question: &Question, checks: bool) -> Option<Self> {
        if checks { Some(Self::Check) } else { Self::of(question) }
    }

    /// The task of a question, by what it asks for most; `None` if it asks for nothing that decides.
    fn of(question: &Question) -> Option<Self> {
        let tasks = [Self::Diagnosis, Self::Treatment, Self::Safety];
        let asked = |label: &Label| tasks.into_iter().find(|task| task.labels().contains(&label.as_str()));
        question.asked.weights().iter().find_map(|(label, _)| asked(label))
    }

    /// The task's name, for a prompt.
    fn as_str(self) -> &'static str {
        match self {
            Self::Diagnosis => "diagnosis",
            Self::Treatment => "treatment",
            Self::Safety => "safety",
            Self::Check => "check",
        }
    }

    /// Whether the task needs evidence of a label.
    fn needs(self, label: Label) -> bool {
        self == Self::Check || self.labels().contains(&label.as_str())
    }

    /// The labels whose evidence the task needs more than that of others.
    fn labels(self) -> &'static [&'static str] {
        match self {
            Self::Diagnosis => &["symptoms", "causes", "diagnosis", "risk", "complications"],
            Self::Treatment => &["treatment", "indications", "dosage", "outlook"],
            Self::Safety => &[
                "contraindications",
                "interactions",
                "boxed_warning",
                "precautions",
                "adverse",
                "pregnancy",
                "lactation",
                "pediatric",
                "geriatric",
                "overdose",
            ],
            Self::Check => &[],
        }
    }
}

/// The name of a search's task; "any" if nothing tells.
pub(super) fn task_of(question: &Question, checks: bool) -> &'static str {
    Task::of_search(question, checks).map_or("any", Task::as_str)
}

/// A feature: what evidence should speak of, and how useful that is, 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Feature {
    pub(super) text: String,
    pub(super) usefulness: f32,
}

/// The features of a question: the question itself, and from each package of topics the most useful ones. Topics are shuffled into packages, so that each has
/// a share of the leading ones; seeded.
pub(super) fn features(collection: &Collection, question: &Question, topics: &[(u32, f32)], options: &SearchOptions) -> Vec<Feature> {
    let (weights, seed) = (&options.weights, options.seed);
    let task = Task::of_search(question, options.checks);
    let most = topics.iter().map(|(_, share)| *share).fold(f32::MIN_POSITIVE, f32::max);
    let useful = |(topic, share): &(u32, f32)| {
        let row = collection.topic_row(*topic)?;
        let label = Label::of_number(row.label);
        let by_task = task.is_some_and(|task| task.needs(label));
        let asked = question.asked.answered_by(label).max(if by_task { BY_TASK } else { LEAST });
        let own = question.entities.iter().find(|(entity, _)| *entity == row.entity).map_or(OTHER_ENTITY, |(_, weight)| *weight);
        let usefulness = asked * own * (share / most).sqrt();
        let words = label.words();
        let name = collection.entity_name(row.entity);
        let text = if words.is_empty() { name.to_owned() } else { format!("{name}: {words}") };
        Some(Feature { text, usefulness })
    };
    let mut chosen: BTreeMap<String, f32> = BTreeMap::new();
    for package in packages(topics, weights.packages, seed) {
        let mut own: Vec<Feature> = package.iter().filter_map(useful).collect();
        own.sort_by(|a, b| b.usefulness.total_cmp(&a.usefulness).then_with(|| a.text.cmp(&b.text)));
        for feature in own.into_iter().take(weights.features) {
            let known = chosen.entry(feature.text).or_default();
            *known = known.max(feature.usefulness);
        }
    }
    let own = Feature { text: question.text.clone(), usefulness: 1.0 };
    std::iter::once(own).chain(chosen.into_iter().map(|(text, usefulness)| Feature { text, usefulness })).collect()
}

/// The score of a piece of evidence: Σ uᵢ · exp(cos(e, fᵢ)) / Σ exp(cos(e, fⱼ)) (Eq. 9). `cosines`: with each feature.
pub(super) fn attention(cosines: &[f32], features: &[Feature]) -> f32 {
    let sum: f32 = cosines.iter().map(|cosine| cosine.exp()).sum();
    let useful: f32 = cosines.iter().zip(features).map(|(cosine, feature)| feature.usefulness * cosine.exp()).sum();
    if sum > 0.0 { useful / sum } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_needs_evidence_of_every_label_and_a_question_that_of_its_task() {
        let label = |id: &str| Label::parse(id).expect("a label");
        assert!(Task::Safety.needs(label("interactions")) && !Task::Safety.needs(label("symptoms")));
        assert!(Task::Check.needs(label("interactions")) && Task::Check.needs(label("symptoms")) && Task::Check.needs(Label::NONE));
        assert_eq!((task_of(&Question::default(), true), task_of(&Question::default(), false)), ("check", "any"));
    }

    #[test]
    fn attention_is_that_of_equation_9() {
        let feature = |usefulness| Feature { text: String::new(), usefulness };
        let features = [feature(1.0), feature(0.2)];
        let expected = (0.9f32.exp() + 0.2 * 0.1f32.exp()) / (0.9f32.exp() + 0.1f32.exp());
        assert!((attention(&[0.9, 0.1], &features) - expected).abs() < 1e-6);
        assert!(attention(&[0.9, 0.1], &features) > attention(&[0.1, 0.9], &features));
        assert_eq!(attention(&[], &[]), 0.0);
    }
}
