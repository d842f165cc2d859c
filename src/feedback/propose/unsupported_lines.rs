//! Drafts from lines of an accepted answer that no chain supports: a language model's own statements, which the doctor accepted.

use super::cited_chains::of_question;
use super::draft::{Draft, Drafts};
use super::entity::Term;
use crate::dkg::Basis;
use crate::graph::{Kind, Role};
use crate::run::{AnswerPart, Trace};

/// The most entities of the question that a line is related to.
const SUBJECTS: usize = 6;

/// Drafts what the answer's unsupported lines say: a test or treatment belongs to the conditions that the question names, else to the first
/// that the answer gives, else to the question's symptoms; a condition has the question's symptoms.
pub(super) fn draft(trace: &Trace, drafts: &mut Drafts) {
    let question = of_question(trace);
    let of_kind = |kind: Kind| -> Vec<Term> {
        let anchors = trace.anchors.iter().filter(|anchor| question.contains(anchor.entity.as_str()));
        let of_kind = anchors.filter(|anchor| Kind::parse(&anchor.kind) == kind);
        of_kind.take(SUBJECTS).map(|anchor| Term::new(anchor.entity.clone(), kind.clone())).collect()
    };
    let (conditions, symptoms) = (of_kind(Kind::Disease), of_kind(Kind::Symptom));
    let first = trace.answer.lines.iter().find(|line| line.part == AnswerPart::Conditions && !line.entity.is_empty());
    let subjects: Vec<Term> = match (conditions.is_empty(), first) {
        (false, _) => conditions,
        (true, Some(line)) => vec![Term::new(line.entity.clone(), Kind::Disease)],
        (true, None) => symptoms.clone(),
    };
    for line in trace.answer.lines.iter().filter(|line| line.unsupported && !line.entity.is_empty()) {
        let why = format!("the answer that you rated good names {}; no chain supports it", line.entity);
        let basis = || Basis { chains: Vec::new(), why: why.clone() };
        let term = |kind| Term::new(line.entity.clone(), kind);
        // A language model's sentence belongs where the role that it claims does.
        let part = match (line.part, line.role) {
            (AnswerPart::ModelUnsupported, Some(role)) if role.is_treatment() || role == Role::Prevention => AnswerPart::Treatments,
            (AnswerPart::ModelUnsupported, Some(Role::Test | Role::Monitoring)) => AnswerPart::Tests,
            (AnswerPart::ModelUnsupported, _) => continue,
            (part, _) => part,
        };
        match part {
            AnswerPart::Tests | AnswerPart::Treatments => {
                let (role, kind) = if part == AnswerPart::Tests { (Role::Test, Kind::Test) } else { (Role::Treatment, Kind::Treatment) };
                let role = line.role.filter(|role| matches!(role, Role::Monitoring | Role::FirstLine | Role::Prevention)).unwrap_or(role);
                for subject in &subjects {
                    drafts.push(Draft::by_rule(subject.clone(), role, term(kind.clone()), basis()));
                }
            }
            AnswerPart::Conditions => {
                for symptom in &symptoms {
                    drafts.push(Draft::by_rule(term(Kind::Disease), Role::Symptom, symptom.clone(), basis()));
                }
            }
            AnswerPart::Emergency
            | AnswerPart::ReadAs
            | AnswerPart::NotUnderstood
            | AnswerPart::Summary
            | AnswerPart::Documents
            | AnswerPart::More => {}
            _ => drafts.reject("a caution without a chain, which names only one entity"),
        }
    }
}
