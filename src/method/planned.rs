//! The planned answer of a run: made from the case and the assessment before chains are chosen, around every method.

use super::run_state::Understood;
use crate::graph::{Chain, EntityId, Role};
use crate::language::context::RunContext;
use crate::pipeline::answer::plan::{Plan, PlanInput, PlannedSafety, urgency};
use crate::pipeline::answer::wording::Wording;
use crate::pipeline::differential::assess::Assessment;
use crate::pipeline::differential::evidence::CaseEvidence;
use crate::run::Urgency;

/// A plan, and how urgent the case is.
#[derive(Debug, Clone, Default)]
pub(super) struct Planned {
    pub(super) plan: Plan,
    pub(super) urgency: Urgency,
}

impl Planned {
    /// Plans the answer to a question.
    pub(super) fn of(ctx: &RunContext<'_>, understood: &Understood, assessment: &Assessment, question: &str) -> Self {
        let knowledge = ctx.knowledge;
        let wording = Wording::for_text(question);
        let evidence = CaseEvidence::of(knowledge, &understood.case);
        let urgency = urgency::judge(knowledge, &understood.case, &evidence, assessment, wording);
        let of_question: Vec<EntityId> = understood.anchors.iter().map(|(entity, _)| *entity).collect();
        let facts = knowledge.facts();
        let forbids = |drug: EntityId| of_question.iter().any(|state| facts.states(drug, *state, |role| role == Role::Contraindication));
        let safety = PlannedSafety { forbids: Some(&forbids), ..PlannedSafety::default() };
        let plan = Plan::of(&PlanInput {
            knowledge,
            case: &understood.case,
            evidence: &evidence,
            assessment,
            urgency: &urgency,
            safety: &safety,
            wording,
            of_question: &of_question,
        });
        Self { plan, urgency }
    }

    /// The chains that the answer rests on.
    pub(super) fn needed(&self) -> Vec<Chain> {
        self.plan.proofs().copied().collect()
    }
}
