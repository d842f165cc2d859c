//! What stands above an answer wherever it is shown: how urgent the case is, and how the question was read. Made from the trace, so that
//! both are shown before there is an answer, and after a correction.

use super::wording::Wording;
use crate::graph::Role;
use crate::run::{Answer, AnswerLine, AnswerPart, Trace, Urgency, UrgencyLevel};
use crate::text::sanitise_line;
use crate::words::{Language, words};

/// The lines above an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Headlines {
    /// An emergency or an urgent case: the level, and the whole line. `None` for a routine case.
    pub(crate) urgency: Option<(UrgencyLevel, String)>,
    /// The whole "Read as" line.
    pub(crate) read_as: Option<String>,
}

impl Headlines {
    /// The headlines of a run; none of an old recording without a case.
    pub(crate) fn of(trace: &Trace) -> Self {
        let wording = Wording::for_text(&trace.question);
        let of_answer = |part: AnswerPart| {
            let line = trace.answer.lines.iter().find(|line| line.part == part);
            line.map(|line| sanitise_line(&line.text)).filter(|text| !text.is_empty())
        };
        if trace.case.is_empty() && trace.urgency.level.is_none() {
            let emergency = wording.part(AnswerPart::Emergency);
            let level = |text: &String| if text.starts_with(emergency) { UrgencyLevel::Emergency } else { UrgencyLevel::Urgent };
            let urgency = of_answer(AnswerPart::Emergency).map(|text| (level(&text), text));
            return Self { urgency, read_as: of_answer(AnswerPart::ReadAs) };
        }
        let urgency = trace.urgency.level.zip(wording.alarm(&trace.urgency)).map(|(level, line)| (level, sanitise_line(&line)));
        let line = trace.case.read_as(wording.is_chinese());
        let nothing_carried_over = trace.case.looks_like_follow_up && trace.case.carried_over.is_empty();
        let more = if nothing_carried_over { wording.plan.nothing_carried_over.as_str() } else { "" };
        let read_as = (!line.is_empty()).then(|| format!("{}{}{}{more}", wording.plan.read_as, wording.colon(), sanitise_line(&line)));
        Self { urgency, read_as }
    }

    /// The alarm of a run in a few words, for where there is no room for its line: what it is, and what to think of.
    pub(crate) fn alarm_in_brief(trace: &Trace) -> Option<(UrgencyLevel, String)> {
        let wording = Wording::for_text(&trace.question);
        let (level, line) = Self::of(trace).urgency?;
        let Some(text) = trace.urgency.text.as_deref().filter(|text| !text.is_empty()) else { return Some((level, line)) };
        let (name, text) = wording.named_first(&trace.urgency, text);
        let text = text.split_inclusive(['.', '。', ';', '；']).next().unwrap_or(text).trim_end_matches(['.', '。', ';', '；']);
        let heading = wording.alarm(&Urgency { level: Some(level), ..Urgency::default() })?;
        Some((level, format!("{heading}{}{}", wording.colon(), sanitise_line(&format!("{name}{text}")))))
    }

    /// Whether a line of a text repeats one of these.
    pub(crate) fn has(&self, line: &str) -> bool {
        let line = sanitise_line(line);
        self.read_as.as_deref() == Some(line.as_str()) || self.urgency.as_ref().is_some_and(|(_, text)| *text == line)
    }
}

/// Where what a line says to do comes from, behind it: the entry of what it is about in the graph, or, of a value and after a procedure, a table.
pub(crate) fn source_of_care(line: &AnswerLine, l: Language) -> &'static str {
    let is_of_graph = !line.entity.is_empty() || !line.citations.is_empty();
    if is_of_graph { words!(l, " (from the graph's entry)") } else { words!(l, " (Catena's own text)") }
}

/// Whether lines of this part are headlines.
pub(crate) fn is_headline(part: AnswerPart) -> bool {
    matches!(part, AnswerPart::Emergency | AnswerPart::ReadAs)
}

/// Under the heading of which part a line stands. A drug that may have caused what a condition explains stands beside the leading one, among the
/// conditions: they keep one heading.
pub(crate) fn stands_under(lines: &[AnswerLine], at: usize) -> AnswerPart {
    let is_drug = |line: &AnswerLine| line.part == AnswerPart::Cautions && line.role == Some(Role::AdverseEffect);
    let Some(line) = lines.get(at) else { return AnswerPart::Findings };
    if !is_drug(line) {
        return line.part;
    }
    let before = lines.get(..at).unwrap_or_default().iter().rfind(|line| !is_drug(line)).map(|line| line.part);
    let after = lines.get(at..).unwrap_or_default().iter().find(|line| !is_drug(line)).map(|line| line.part);
    if [before, after] == [Some(AnswerPart::Conditions); 2] { AnswerPart::Conditions } else { line.part }
}

/// Whether an answer has the fixed shape: lines that say by themselves what they are, above the details.
pub(crate) fn has_shape(answer: &Answer) -> bool {
    answer.lines.iter().any(|line| !line.part.has_heading())
}

/// The lines of an answer's text that none of its lines states, without headings: what is said where nothing was found.
pub(crate) fn unlisted<'a>(answer: &'a Answer, question: &str) -> Vec<&'a str> {
    let wording = Wording::for_text(question);
    let parts = [
        AnswerPart::Conditions,
        AnswerPart::Tests,
        AnswerPart::Treatments,
        AnswerPart::Cautions,
        AnswerPart::Findings,
        AnswerPart::Safety,
        AnswerPart::Documents,
        AnswerPart::ModelAdds,
        AnswerPart::ModelContradicted,
        AnswerPart::ModelUnsupported,
    ];
    let is_listed = |text: &str| answer.lines.iter().any(|line| !line.text.is_empty() && text.contains(line.text.as_str()));
    let texts = answer.text.lines().map(str::trim).filter(|text| !text.is_empty());
    texts.filter(|text| !is_listed(text) && !parts.iter().any(|part| wording.part(*part) == *text)).collect()
}

/// An answer's text with a heading above the lines of each part; as it is, where it does not consist of its lines or has headings already.
pub(crate) fn headed(answer: &Answer, question: &str) -> String {
    if answer.by_model {
        return answer.text.clone();
    }
    let wording = Wording::for_text(question);
    let (mut lines, mut part) = (answer.lines.iter().enumerate().peekable(), None);
    let mut text: Vec<&str> = Vec::new();
    let mut headed = String::new();
    for said in answer.text.lines() {
        let stated = said.trim_start_matches("- ");
        if let Some((at, line)) = lines.next_if(|(_, line)| !line.text.is_empty() && stated.starts_with(line.text.as_str()))
            && let under = stands_under(&answer.lines, at)
            && part.replace(under) != Some(under)
        {
            let heading = wording.part(under);
            let is_there =
                text.iter().rev().find(|line| !line.is_empty()).is_some_and(|last| last.trim_end_matches([':', '：']) == heading);
            if !is_there && line.part.has_heading() {
                headed.push_str(&format!("\n{heading}{}\n", wording.colon().trim_end()));
            } else if !is_there && !text.is_empty() && !is_headline(line.part) {
                headed.push('\n');
            }
        }
        headed.push_str(said);
        headed.push('\n');
        text.push(said);
    }
    headed.trim().to_owned()
}

/// The heading of a part in the language of a question.
pub(crate) fn heading(question: &str, part: AnswerPart) -> &'static str {
    Wording::for_text(question).part(part)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::run::{AskKind, Case, CaseAsk, CaseFinding, UrgencyReason, UrgencyReasonKind};

    #[test]
    fn a_drug_between_conditions_stands_under_their_heading() {
        let line = |part, role| AnswerLine {
            part,
            entity: "x".into(),
            also: Vec::new(),
            role,
            text: "x".into(),
            citations: vec![1],
            passages: Vec::new(),
            unsupported: false,
        };
        let drug = line(AnswerPart::Cautions, Some(Role::AdverseEffect));
        let (condition, test) = (line(AnswerPart::Conditions, None), line(AnswerPart::Tests, None));
        let under = |lines: &[&AnswerLine], at| stands_under(&lines.iter().map(|line| (*line).clone()).collect::<Vec<_>>(), at);
        assert_eq!(under(&[&condition, &drug, &drug, &condition], 1), AnswerPart::Conditions);
        assert_eq!(under(&[&condition, &drug, &drug, &condition], 2), AnswerPart::Conditions);
        assert_eq!(under(&[&drug, &condition], 0), AnswerPart::Cautions);
        assert_eq!(under(&[&condition, &drug, &test], 1), AnswerPart::Cautions);
        let caution = line(AnswerPart::Cautions, None);
        assert_eq!(under(&[&condition, &caution, &condition], 1), AnswerPart::Cautions, "only what a drug may have caused");
    }

    #[test]
    fn the_case_and_its_urgency_lead_in_the_language_of_the_question() {
        let mut trace = Trace::default();
        assert_eq!(Headlines::of(&trace), Headlines::default());
        trace.question = "cough?".into();
        trace.urgency = Urgency { level: Some(UrgencyLevel::Urgent), text: Some("see today".into()), ..Urgency::default() };
        let finding = CaseFinding { text: "cough".into(), entity: Some("Cough".into()), ..CaseFinding::default() };
        let asks = vec![CaseAsk { kind: AskKind::Causes, of: vec![] }];
        trace.case = Arc::new(Case { findings: vec![finding], asks, looks_like_follow_up: true, ..Case::default() });
        let lines = Headlines::of(&trace);
        assert_eq!(lines.urgency, Some((UrgencyLevel::Urgent, "Urgent: see today".into())));
        assert!(lines.read_as.as_ref().is_some_and(|line| line.starts_with("Read as: cough · asks: cause (Nothing")), "{lines:?}");
        assert!(lines.has("Urgent: see today") && !lines.has("Urgent"));
        let reason = |text: &str| UrgencyReason { kind: UrgencyReasonKind::RedFlag, text: text.into(), entity: None };
        trace.urgency.because = ["Confusion", "Fever", "Cough", "Chills", "Rash"].map(reason).into();
        let line = Headlines::of(&trace).urgency.map(|(_, line)| line);
        assert_eq!(line.as_deref(), Some("Urgent, because of Confusion, Fever, Cough and 2 more: see today"));
        assert_eq!(Headlines::alarm_in_brief(&trace), Some((UrgencyLevel::Urgent, "Urgent: see today".into())));
        // What the line says anyway is not said twice.
        trace.urgency.because = vec![reason("Today")];
        assert_eq!(Headlines::of(&trace).urgency.map(|(_, line)| line).as_deref(), Some("Urgent: see today"));
        trace.urgency.because = vec![UrgencyReason { kind: UrgencyReasonKind::Named, ..reason("Sepsis") }];
        assert_eq!(
            Headlines::of(&trace).urgency.map(|(_, line)| line).as_deref(),
            Some("Urgent, because the question names it: see today")
        );
        // What is named first has a full stop, in the whole line and in brief.
        trace.urgency.because = vec![UrgencyReason { kind: UrgencyReasonKind::Danger, ..reason("Palpitations") }];
        trace.urgency.text = Some("Palpitations: With fainting: call for help; else ECG.".into());
        let line = Headlines::of(&trace).urgency.map(|(_, line)| line);
        assert_eq!(line.as_deref(), Some("Urgent: Palpitations. With fainting: call for help; else ECG."));
        let brief = Headlines::alarm_in_brief(&trace).map(|(_, line)| line);
        assert_eq!(brief.as_deref(), Some("Urgent: Palpitations. With fainting: call for help"));
        trace.urgency.text = Some("Palpitations: see today".into());
        assert_eq!(Headlines::of(&trace).urgency.map(|(_, line)| line).as_deref(), Some("Urgent: Palpitations: see today"));
        trace.question = "咳嗽？".into();
        assert!(Headlines::of(&trace).read_as.is_some_and(|line| line.starts_with("理解为：")));
        trace.urgency.level = Some(UrgencyLevel::Routine);
        assert_eq!(Headlines::of(&trace).urgency, None);
    }
}
