//! The alarm of the answer before: a question that follows it need not say again what raised it, and is no less urgent for that.

use super::urgency::suspected;
use crate::language::knowledge::{Knowledge, named};
use crate::pipeline::answer::wording::Wording;
use crate::run::{Case, ConditionStatus, Urgency, UrgencyLevel};

/// The alarm that a follow-up keeps: that of the answer before, where it is higher than that of the case now, or as high and nothing new is told, and nothing
/// rules its condition out.
pub(crate) fn kept(knowledge: &Knowledge, case: &Case, now: &Urgency, wording: &Wording) -> Option<Urgency> {
    let before = case.warned_before.as_deref()?;
    let is_out = |name: &String| {
        let of_case = |status| case.conditions.iter().any(|c| c.status == status && c.entity.as_ref() == Some(name));
        of_case(ConditionStatus::Excluded) || of_case(ConditionStatus::Past)
    };
    // As urgent, the condition of the answer before stands, unless the question tells of something new that may point elsewhere.
    let tells_more =
        case.findings.iter().any(|finding| finding.end > finding.start) || case.results.iter().any(|result| result.end > result.start);
    let is_lower = rank(before) < rank(now) || (rank(before) == rank(now) && tells_more);
    if is_lower || case.refusal.is_some() || before.condition.as_ref().is_some_and(is_out) {
        return None;
    }
    let condition = before.condition.as_deref().and_then(|name| named(&knowledge.graph, name, ""));
    let text = condition.map(|condition| suspected(knowledge, condition, (wording, &case.patient))).or_else(|| before.text.clone());
    Some(Urgency { text, ..before.clone() })
}

fn rank(urgency: &Urgency) -> u8 {
    match urgency.level {
        Some(UrgencyLevel::Emergency) => 2,
        Some(UrgencyLevel::Urgent) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_ranks_above_none() {
        let of = |level| rank(&Urgency { level, ..Urgency::default() });
        assert!(of(Some(UrgencyLevel::Emergency)) > of(Some(UrgencyLevel::Urgent)));
        assert!(of(Some(UrgencyLevel::Urgent)) > of(Some(UrgencyLevel::Routine)) && of(Some(UrgencyLevel::Routine)) == of(None));
    }
}
