//! The report in bars and lines.

use super::summary::{ArmReport, EvalReport};
use crate::eval::plan::Arm;
use crate::eval::score::Measure;
use crate::eval::statistics::Interval;
use crate::text::plot::{PlotBar, Series, bar_plot, line_plot};

/// A figure that speaks for an evaluation, with its name.
type Figure = (&'static str, fn(&ArmReport) -> Option<&Interval>);

/// A setting that may be varied, with its name.
type Setting = (&'static str, fn(&Arm) -> usize);

/// The figures that speak for an evaluation, by what its questions have: the first that is there leads.
const HEADLINES: [Figure; 7] = [
    ("key-entity match, mean of the parts", |arm| arm.key_entity_macro.as_ref()),
    ("exact match", |arm| arm.measures.get(&Measure::ExactMatch)),
    ("gold entities in the kept chains", |arm| arm.measures.get(&Measure::RecallKept)),
    ("gold entities in all chains", |arm| arm.measures.get(&Measure::RecallChains)),
    ("ROUGE-L recall", |arm| arm.measures.get(&Measure::RougeL)),
    ("BERTScore F1", |arm| arm.measures.get(&Measure::BertF1)),
    ("key points covered", |arm| arm.measures.get(&Measure::KeyPoints)),
];

/// The first figure that an evaluation has, with the name of what it measures.
pub fn headline(report: &EvalReport) -> Option<&'static str> {
    HEADLINES.iter().find(|(_, of)| report.arms.iter().any(|arm| of(arm).is_some())).map(|(name, _)| *name)
}

/// Bars of every headline figure that there is; where `k` or `topK` was varied, lines over it, as in HyKGE's Figure 4.
pub fn charts(report: &EvalReport) -> String {
    let mut drawn = Vec::new();
    for (name, of) in HEADLINES {
        let bar = |arm: &ArmReport| {
            let interval = of(arm)?;
            Some(PlotBar { name: arm.label.clone(), value: interval.value, interval: (interval.low, interval.high) })
        };
        let of_arms: Vec<PlotBar> = report.arms.iter().filter_map(bar).collect();
        if !of_arms.is_empty() {
            drawn.push(format!("{name}\n{}", bar_plot(&of_arms)));
        }
    }
    let varied: [Setting; 2] = [("k, the longest chain", |arm| arm.k), ("topK, how many chains are kept", |arm| arm.top_k)];
    for (along, setting) in varied {
        let mut values: Vec<usize> = report.arms.iter().map(|arm| setting(&arm.arm)).collect();
        values.sort_unstable();
        values.dedup();
        if values.len() < 2 {
            continue;
        }
        for (name, of) in HEADLINES {
            let figure = |arm: &ArmReport| Some(of(arm)?.value);
            drawn.extend(over(report, along, setting, name, &figure));
        }
        drawn.extend(over(report, along, setting, "chains found, mean", &|arm| Some(arm.chains.mean)));
    }
    drawn.join("\n\n")
}

/// Lines of a figure over a setting: one for each method with its other settings.
fn over(
    report: &EvalReport,
    along: &str,
    setting: fn(&Arm) -> usize,
    name: &str,
    figure: &dyn Fn(&ArmReport) -> Option<f64>,
) -> Option<String> {
    let mut series: Vec<Series> = Vec::new();
    for arm in &report.arms {
        let Some(value) = figure(arm) else { continue };
        // Arms that differ in nothing but the setting belong to one line.
        let others = |other: &&ArmReport| setting(&other.arm) == setting(&arm.arm);
        let same: Vec<Arm> = report.arms.iter().filter(others).map(|other| other.arm).collect();
        let name = arm.arm.label(&same);
        match series.iter_mut().find(|known| known.name == name) {
            Some(known) => known.points.push((setting(&arm.arm) as f64, value)),
            None => series.push(Series { name, points: vec![(setting(&arm.arm) as f64, value)] }),
        }
    }
    series.iter_mut().for_each(|series| series.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    (!series.is_empty()).then(|| line_plot(&series, along, name))
}
