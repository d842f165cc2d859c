//! Names that a language model lists in question and hypothesis, in place of recognising them: HyKGE's "LLM for NER" (2025, Table 4), and
//! the extraction of key entities by RoK (appendix A.2.2). What it lists counts where it stands in one of the two texts.

use super::hykge_by_model::hypothesis_lines;
use crate::language::consult::consult_as;
use crate::language::context::{RunContext, StageError};
use crate::language::link::{Anchors, link_candidates, link_names};
use crate::language::link_by_cosine::link_by_cosine;
use crate::language::prompt::PromptFor;
use crate::language::prompt::prompt_lines::question_part;
use crate::language::recognise::Reading;
use crate::language::{texts_form, texts_in};
use crate::pipeline::answer::wording::Wording;
use crate::run::{MentionOrigin, Stage, Trace};
use crate::text::{StopWords, sanitise_line};

/// The most names, and the most characters of one.
const MOST: usize = 24;
const LONGEST: usize = 80;
/// The recogniser of such names, as mentions show it.
const RECOGNISER: &str = "llm";

/// Where a name stands: in which text, from which byte to which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    origin: MentionOrigin,
    start: usize,
    end: usize,
}

/// Has the model list the names; gives their places. `None`, with a warning, where it names nothing that stands there.
pub(super) fn names(
    ctx: &mut RunContext<'_>,
    (question, hypothesis): (&str, &str),
    prompt: PromptFor,
) -> Result<Option<Vec<Place>>, StageError> {
    let Some(generator) = ctx.asked_model() else { return Ok(None) };
    let chinese = Wording::for_text(question).is_chinese();
    let form = Some(texts_form("names", MOST, LONGEST));
    let reply = consult_as(ctx, generator, Stage::Recognise, (prompt, chinese), form, |gap| match gap {
        "hypothesis" => hypothesis_lines(hypothesis),
        _ => question_part(question),
    })?;
    let why = match reply.map(|reply| texts_in(&reply)) {
        Ok(Some(names)) => {
            let (places, missing) = places((question, hypothesis), &names);
            if !places.is_empty() {
                if !missing.is_empty() {
                    let missing: Vec<String> = missing.iter().map(|name| format!("“{}”", sanitise_line(name))).collect();
                    ctx.warn(format!(
                        "Names that stand neither in the question nor in the hypothesis are left out: {}.",
                        missing.join(", ")
                    ));
                }
                return Ok(Some(places));
            }
            "The language model listed no name that is in the question or the hypothesis".to_owned()
        }
        Ok(None) => "Catena could not read the language model's list of names".to_owned(),
        Err(why) => why,
    };
    ctx.warn(format!("{why}; Catena recognises the names without the model."));
    Ok(None)
}

/// The places of names in question and hypothesis, the first of each; and the names that stand in neither.
fn places<'n>((question, hypothesis): (&str, &str), names: &'n [String]) -> (Vec<Place>, Vec<&'n str>) {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for name in names.iter().take(MOST).map(|name| name.trim()).filter(|name| !name.is_empty()) {
        let before = found.len();
        for (origin, text) in [(MentionOrigin::Question, question), (MentionOrigin::Hypothesis, hypothesis)] {
            if let Some((start, end)) = place_in(text, name) {
                found.push(Place { origin, start, end });
            }
        }
        if found.len() == before {
            missing.push(name);
        }
    }
    (found, missing)
}

/// Where a name first stands in a text as a word of its own, whatever its capitals.
fn place_in(text: &str, name: &str) -> Option<(usize, usize)> {
    // Bytes keep their places: only ASCII letters change.
    let (text, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
    let ends = |beside: Option<char>| !beside.is_some_and(|c| c.is_ascii_alphanumeric());
    let is_own = |start: usize, end: usize| {
        let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
        ends(before.chars().next_back()) && ends(after.chars().next())
    };
    text.match_indices(&name).map(|(start, _)| (start, start + name.len())).find(|(start, end)| is_own(*start, *end))
}

/// The places that a trace has of what was listed by this prompt; none where it was not asked, or its list could not be used.
pub(super) fn of_trace(ctx: &RunContext<'_>, trace: &Trace, prompt: PromptFor, by_cosine: bool) -> Vec<Place> {
    let name = &ctx.prompts.of(prompt, false).name;
    if !trace.prompts.iter().any(|sent| sent.name == *name) {
        return Vec::new();
    }
    let listed = trace.mentions.iter().filter(|mention| !by_cosine || mention.recogniser == RECOGNISER);
    listed.map(|mention| Place { origin: mention.origin, start: mention.start, end: mention.end }).collect()
}

/// Links what stands in these places: each to its nearest name above δ, or, unless `by_cosine`, as names and phrases of other texts are.
pub(super) fn link(
    ctx: &mut RunContext<'_>,
    (question, hypothesis): (&str, &str),
    places: &[Place],
    by_cosine: bool,
    anchors: &mut Anchors,
) -> Result<(), StageError> {
    for (origin, text) in [(MentionOrigin::Question, question), (MentionOrigin::Hypothesis, hypothesis)] {
        let spans: Vec<(usize, usize)> =
            places.iter().filter(|place| place.origin == origin).map(|place| (place.start, place.end)).collect();
        if by_cosine && !spans.is_empty() {
            let mut reading = Reading::of(text, 0, origin, StopWords::built_in());
            ctx.with_encoder(|ctx| link_by_cosine(ctx, anchors, &mut reading, (&[], &spans, RECOGNISER), origin, false))?;
            continue;
        }
        for (start, end) in spans {
            let mut reading = Reading::of(text.get(start..end).unwrap_or_default(), start, origin, StopWords::built_in());
            let names = reading.names(ctx.knowledge.graph.names());
            link_names(ctx, anchors, &reading, &names, origin);
            let phrases = reading.candidates();
            ctx.with_encoder(|ctx| link_candidates(ctx, anchors, &mut reading, &phrases, origin, &|_, _| true))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_where_they_stand_as_words_of_their_own() {
        let (question, hypothesis) = ("Systems fail: MS or 胃炎?", "Maybe ms.\nOmeprazole, or gastritis.");
        let names = ["MS", "胃炎", "OMEPRAZOLE", "ulcer", " ", "gastriti"].map(str::to_owned);
        let (found, missing) = places((question, hypothesis), &names);
        let read = |place: &Place| {
            let text = if place.origin == MentionOrigin::Question { question } else { hypothesis };
            (place.start, &text[place.start..place.end])
        };
        assert_eq!(found.iter().map(read).collect::<Vec<_>>(), [(14, "MS"), (6, "ms"), (20, "胃炎"), (10, "Omeprazole")]);
        assert_eq!(missing, ["ulcer", "gastriti"]);
        assert_eq!(place_in("İİ ms", "ms"), Some((5, 7)), "bytes keep their places");
    }
}
