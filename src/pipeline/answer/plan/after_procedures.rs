//! What went wrong after a procedure: what it is until proven otherwise, and what to do. It stands in place of what the signs alone would point at.

use super::{PlanInput, PlannedLine};
use crate::pipeline::understand::after_procedure::AfterProcedure;
use crate::run::event::AnswerPart;
use crate::text::capitalised;

/// Whether that is the answer: nothing else in the case is more urgent.
pub(super) fn is_all(input: &PlanInput<'_>) -> bool {
    input.after_procedure.first().is_some_and(|first| input.urgency.level.is_none_or(|level| level <= first.level()))
}

/// A line for each procedure. What the alarm says already is not said again.
pub(super) fn lines(input: &PlanInput<'_>) -> Vec<PlannedLine> {
    let chinese = input.wording.is_chinese();
    let line = |after: &AfterProcedure| {
        let (act, text) = (after.act(chinese), after.text(chinese));
        let is_said = input.urgency.text.as_deref().is_some_and(|said| said.contains(act));
        let said = if is_said { text.to_owned() } else { format!("{act}{}{}", input.wording.between_sentences(), capitalised(text)) };
        let name = capitalised(after.when(chinese));
        PlannedLine::saying(AnswerPart::Care, input.wording.plan.topic.replace("{name}", &name).replace("{said}", &said))
    };
    input.after_procedure.iter().map(line).collect()
}
