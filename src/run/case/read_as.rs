//! The "Read as" line: the case in one line, as the doctor checks it. English, or Chinese for a Chinese question.

use super::duplicates::in_words;
use super::{
    AgeMonths, AskKind, Case, CaseAsk, CaseDrug, CasePatient, CaseResult, ConditionStatus, DrugStatus, FindingStatus, OrganFunction,
    PatientSex, ResultDirection, Smoking,
};
use crate::text::is_cjk;

/// Text of one language, chosen from a pair: English, Chinese.
pub(super) type Pair = (&'static str, &'static str);

pub(super) fn say(chinese: bool, pair: Pair) -> &'static str {
    if chinese { pair.1 } else { pair.0 }
}

impl Case {
    /// Whether nothing at all was read.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether anything was understood.
    pub(crate) fn is_understood(&self) -> bool {
        self.drugs.iter().any(|drug| drug.entity.is_some())
            || self.findings.iter().any(|finding| finding.entity.is_some())
            || !self.results.is_empty()
            || !self.conditions.is_empty()
    }

    /// The case in one line: "woman, 81 · takes digoxin; amiodarone new (1 week) · nausea; pulse 42 (low) · asks: cause". Empty if there is
    /// nothing to say.
    pub fn read_as(&self, chinese: bool) -> String {
        let (own, carried) = self.parted(chinese);
        let mut parts = own.told(chinese);
        let asks: Vec<String> = self.asks.iter().map(|ask| self.ask_reads_as(ask, chinese)).collect();
        if !asks.is_empty() {
            parts.push(format!("{}{}", say(chinese, ("asks: ", "问：")), asks.join(comma(chinese))));
        }
        let carried = carried.told(chinese);
        if !carried.is_empty() {
            parts.push(format!("{}{}", say(chinese, ("carried over: ", "沿用：")), carried.join(comma(chinese))));
        }
        parts.join(" · ")
    }

    /// Patient, drugs, conditions and findings, each as a part of the line.
    fn told(&self, chinese: bool) -> Vec<String> {
        let mut patient = self.patient.clone();
        // An allergy that is read as a drug, too, is told once.
        let is_told = |allergy: &String| self.allergic_to().any(|name| name.eq_ignore_ascii_case(allergy));
        patient.allergies.retain(|allergy| !is_told(allergy));
        let parts =
            [patient.read_as(chinese), self.drugs_read_as(chinese), self.conditions_read_as(chinese), self.findings_read_as(chinese)];
        parts.into_iter().filter(|part| !part.is_empty()).collect()
    }

    /// What is asked, with what it is asked of where the line does not name it elsewhere: "safety of magnetic resonance imaging".
    fn ask_reads_as(&self, ask: &CaseAsk, chinese: bool) -> String {
        let title = ask.kind.title(chinese);
        let is_named = |name: &str| {
            let mut entities = (self.drugs.iter().map(|drug| &drug.entity))
                .chain(self.conditions.iter().map(|condition| &condition.entity))
                .chain(self.findings.iter().map(|finding| &finding.entity));
            entities.any(|entity| entity.as_deref() == Some(name)) || self.results.iter().any(|result| result.test == name)
        };
        let is_of_drug = self.drugs.iter().any(|drug| drug.entity.as_ref().is_some_and(|entity| ask.of.contains(entity)));
        if is_of_drug {
            return title.to_owned();
        }
        let of: Vec<String> =
            ask.of.iter().filter(|name| !is_named(name) && chinese == name.chars().any(is_cjk)).map(|name| lower_first(name)).collect();
        match of.is_empty() {
            true => title.to_owned(),
            false if chinese => format!("{}的{title}", of.join(comma(chinese))),
            false => format!("{title} of {}", of.join(" and ")),
        }
    }

    fn drugs_read_as(&self, chinese: bool) -> String {
        let statuses: [(DrugStatus, Pair, Pair); 5] = [
            (DrugStatus::Taken, ("takes ", "正在用："), ("", "")),
            (DrugStatus::New, ("", ""), (" new", "（新用）")),
            (DrugStatus::Proposed, ("considers ", "拟用："), ("", "")),
            (DrugStatus::Stopped, ("stopped ", "已停："), ("", "")),
            (DrugStatus::Allergic, ("allergic to ", "过敏："), ("", "")),
        ];
        let groups = statuses.into_iter().filter_map(|(status, before, after)| {
            let of_status = self.drugs.iter().filter(|drug| drug.status == status);
            let mut named: Vec<String> =
                of_status.map(|drug| format!("{}{}{}", drug.shown(chinese), say(chinese, after), since(drug.days, chinese))).collect();
            // A regimen (R-CHOP) is several drugs under one name.
            let mut seen = std::collections::BTreeSet::new();
            named.retain(|drug| seen.insert(drug.clone()));
            (!named.is_empty()).then(|| format!("{}{}", say(chinese, before), named.join(comma(chinese))))
        });
        groups.collect::<Vec<_>>().join(semicolon(chinese))
    }

    fn conditions_read_as(&self, chinese: bool) -> String {
        let statuses: [(ConditionStatus, Pair); 4] = [
            (ConditionStatus::Known, ("has ", "有：")),
            (ConditionStatus::Suspected, ("suspected: ", "疑似：")),
            (ConditionStatus::Excluded, ("excluded: ", "已排除：")),
            (ConditionStatus::Past, ("past: ", "既往：")),
        ];
        let groups = statuses.into_iter().filter_map(|(status, before)| {
            let of_status = self.conditions.iter().filter(|condition| condition.status == status && !self.is_told_as_drug(condition));
            let named: Vec<String> = of_status.map(|condition| shown(condition.entity.as_deref(), &condition.text, chinese)).collect();
            (!named.is_empty()).then(|| format!("{}{}", say(chinese, before), named.join(comma(chinese))))
        });
        groups.collect::<Vec<_>>().join(semicolon(chinese))
    }

    fn findings_read_as(&self, chinese: bool) -> String {
        let mut parts: Vec<String> = Vec::new();
        let statuses: [(FindingStatus, Pair); 5] = [
            (FindingStatus::Present, ("", "")),
            (FindingStatus::Uncertain, ("possibly ", "可能：")),
            (FindingStatus::Resolved, ("resolved: ", "已缓解：")),
            (FindingStatus::Absent, ("no ", "无：")),
            (FindingStatus::FamilyHistory, ("family: ", "家族史：")),
        ];
        for (status, before) in statuses {
            let of_status = self.findings.iter().filter(|finding| finding.status == status);
            let named: Vec<String> = match chinese {
                true => in_words(of_status).into_iter().map(|(text, days)| format!("{text}{}", since(days, true))).collect(),
                false => of_status
                    .map(|finding| format!("{}{}", shown(finding.entity.as_deref(), &finding.text, false), since(finding.days, false)))
                    .collect(),
            };
            if named.is_empty() {
                continue;
            }
            let before = say(chinese, before);
            // "no fever, cough" may be read as a cough that is there. A colon holds for the whole list.
            let is_of_each = !chinese && matches!(status, FindingStatus::Absent | FindingStatus::Uncertain);
            parts.push(match is_of_each {
                true => named.iter().map(|name| format!("{before}{name}")).collect::<Vec<_>>().join(", "),
                false => format!("{before}{}", named.join(comma(chinese))),
            });
        }
        parts.extend(self.results.iter().map(|of| result(of, chinese)));
        parts.join(semicolon(chinese))
    }
}

impl CaseResult {
    /// The result in words.
    pub(crate) fn in_words(&self, chinese: bool) -> String {
        result(self, chinese)
    }
}

/// A result in words: "pulse 42 bpm (low)", "glucose 13 mmol/L (high; unit assumed)". A unit that could be no other is not called assumed.
pub(super) fn result(result: &CaseResult, chinese: bool) -> String {
    let second = result.second.map_or_else(String::new, |second| format!("/{}", number(second)));
    let value = result.value.map_or_else(String::new, |value| format!(" {}{second}", number(value)));
    let unit = result.unit.as_deref().map_or_else(String::new, |unit| format!(" {}", unit_as_written(unit)));
    let direction = match result.direction {
        ResultDirection::Low => say(chinese, ("low", "低")),
        ResultDirection::Normal => say(chinese, ("normal", "正常")),
        ResultDirection::High => say(chinese, ("high", "高")),
        ResultDirection::Positive => say(chinese, ("positive", "阳性")),
        ResultDirection::Negative => say(chinese, ("negative", "阴性")),
        ResultDirection::Unknown => "",
    };
    let is_assumed = result.unit.is_some() && result.unit_inferred && !crate::language::lab::has_one_unit(&result.test);
    let assumed = if is_assumed { say(chinese, ("unit assumed", "单位为推定")) } else { "" };
    let context = crate::language::lab::remark(result, chinese).unwrap_or_default();
    let remarks: Vec<&str> = [direction, context, assumed].into_iter().filter(|remark| !remark.is_empty()).collect();
    let remarks = match (remarks.is_empty(), chinese) {
        (true, _) => String::new(),
        (false, true) => format!("（{}）", remarks.join("；")),
        (false, false) => format!(" ({})", remarks.join("; ")),
    };
    let test = crate::language::lab::chinese_name(&result.test).filter(|_| chinese).unwrap_or(&result.test);
    format!("{test}{value}{unit}{remarks}")
}

/// A unit as doctors write it: a case keeps units in lower case, so that they can be compared.
fn unit_as_written(unit: &str) -> String {
    let part = |part: &str| match part {
        "c" => "°C".to_owned(),
        "f" => "°F".to_owned(),
        "mmhg" => "mmHg".to_owned(),
        "kpa" => "kPa".to_owned(),
        "l" | "dl" | "ml" => part.replace('l', "L"),
        "u" | "iu" | "ku" | "miu" | "mu" => part.replace("iu", "IU").replace('u', "U"),
        "meq" => "mEq".to_owned(),
        "mosm" => "mOsm".to_owned(),
        _ => match part.strip_prefix('u') {
            Some(rest @ ("mol" | "g")) => format!("µ{rest}"),
            _ => part.to_owned(),
        },
    };
    unit.split('/').map(part).collect::<Vec<_>>().join("/")
}

impl CasePatient {
    pub(super) fn read_as(&self, chinese: bool) -> String {
        let mut parts: Vec<String> = Vec::new();
        // "My boy", of unknown age, is a child; a stated age is one below 16.
        let is_child = self.age_months.is_some_and(|age| age.to < 16 * 12 || (age.from == 0 && age.to <= 18 * 12));
        match self.sex {
            Some(PatientSex::Female) => parts.push(say(chinese, if is_child { ("girl", "女孩") } else { ("woman", "女") }).into()),
            Some(PatientSex::Male) => parts.push(say(chinese, if is_child { ("boy", "男孩") } else { ("man", "男") }).into()),
            // An age alone is only a number.
            None if is_child => parts.push(say(chinese, ("child", "儿童")).into()),
            None => {}
        }
        let told = self.age_months.filter(|age| !age.is_inferred());
        parts.extend(told.map(|age| match parts.is_empty() && !chinese {
            true => format!("aged {}", age.read_as(false)),
            false => age.read_as(chinese),
        }));
        if let Some(pregnancy) = self.pregnancy {
            let weeks = pregnancy.week.map(|week| format!("{week}{}", say(chinese, (" weeks", "周"))));
            let trimester =
                pregnancy.trimester.map(|trimester| if chinese { format!("第{trimester}孕期") } else { format!("trimester {trimester}") });
            let detail = weeks.or(trimester).map_or_else(String::new, |detail| format!(" {detail}"));
            let state = match (pregnancy.pregnant, pregnancy.postpartum) {
                (true, _) => say(chinese, ("pregnant", "妊娠")),
                (false, true) => say(chinese, ("postpartum", "产后")),
                (false, false) => say(chinese, ("not pregnant", "未孕")),
            };
            parts.push(format!("{state}{detail}"));
        }
        if self.breastfeeding {
            parts.push(say(chinese, ("breastfeeding", "哺乳")).into());
        }
        parts.extend(self.renal.and_then(|renal| organ(renal, ("kidney", "肾"), chinese)));
        parts.extend(self.hepatic.and_then(|hepatic| organ(hepatic, ("liver", "肝"), chinese)));
        parts.extend(self.smoking.map(|smoking| {
            let pair = match smoking {
                Smoking::Current => ("smokes", "吸烟"),
                Smoking::Former => ("ex-smoker", "已戒烟"),
                Smoking::Never => ("never smoked", "不吸烟"),
            };
            say(chinese, pair).to_owned()
        }));
        if !self.allergies.is_empty() {
            let allergies = self.allergies.join(comma(chinese));
            parts.push(format!("{}{allergies}", say(chinese, ("allergy: ", "过敏："))));
        }
        parts.join(comma(chinese))
    }
}

/// From this age on, in months, an open range is one that was told: "over 65", "elderly".
const TOLD_FROM: u16 = 60 * 12;

impl AgeMonths {
    /// Whether only a word for the patient says so: a woman is sixteen or older, and a son may be of any age below eighteen.
    fn is_inferred(self) -> bool {
        let is_open = self.to >= 120 * 12 && self.from < TOLD_FROM && self.from < self.to;
        is_open || (self.from == 0 && self.to == 18 * 12)
    }

    pub(super) fn read_as(self, chinese: bool) -> String {
        let (from, to) = (self.from / 12, self.to / 12);
        if self.to == 0 {
            return say(chinese, ("under 1 month", "不满1个月")).to_owned();
        }
        if self.to < 24 {
            let months = if self.from == self.to { self.from.to_string() } else { format!("{}–{}", self.from, self.to) };
            return format!("{months}{}", say(chinese, (if self.to == 1 { " month" } else { " months" }, "个月")));
        }
        match (from == to, to >= 120) {
            (true, _) => format!("{from}{}", say(chinese, ("", "岁"))),
            (false, true) => format!("{from}{}", say(chinese, ("+", "岁以上"))),
            (false, false) => format!("{from}–{to}{}", say(chinese, ("", "岁"))),
        }
    }
}

impl CaseDrug {
    pub(super) fn shown(&self, chinese: bool) -> String {
        shown(self.entity.as_deref(), &self.text, chinese)
    }
}

impl AskKind {
    /// The kind in one or two words.
    pub fn title(self, chinese: bool) -> &'static str {
        let pair = match self {
            Self::Diagnosis => ("diagnosis", "诊断"),
            Self::Tests => ("tests", "检查"),
            Self::Treatment => ("treatment", "治疗"),
            Self::Safety => ("safety", "用药安全"),
            Self::Interactions => ("interactions", "相互作用"),
            Self::Contraindications => ("contraindications", "禁忌"),
            Self::SideEffects => ("side effects", "副作用"),
            Self::Causes => ("cause", "病因"),
            Self::Prevention => ("prevention", "预防"),
            Self::Monitoring => ("monitoring", "监测"),
            Self::Prognosis => ("prognosis", "预后"),
            Self::Dose => ("dose", "剂量"),
            Self::Other => ("something else", "其他"),
        };
        say(chinese, pair)
    }
}

pub(super) fn comma(chinese: bool) -> &'static str {
    say(chinese, (", ", "、"))
}

fn semicolon(chinese: bool) -> &'static str {
    say(chinese, ("; ", "；"))
}

fn organ(function: OrganFunction, name: Pair, chinese: bool) -> Option<String> {
    let degree = match function {
        OrganFunction::Normal => return None,
        OrganFunction::Impaired => ("impaired", "功能受损"),
        OrganFunction::Mild => ("mildly impaired", "功能轻度受损"),
        OrganFunction::Moderate => ("moderately impaired", "功能中度受损"),
        OrganFunction::Severe => ("severely impaired", "功能重度受损"),
        OrganFunction::Dialysis => ("on dialysis", "透析"),
    };
    Some(if chinese { format!("{}{}", name.1, degree.1) } else { format!("{} {}", name.0, degree.0) })
}

/// How an item is shown: by the graph's name in English, so that the doctor sees what it was taken for; in Chinese as it was written.
pub(super) fn shown(entity: Option<&str>, text: &str, chinese: bool) -> String {
    match entity {
        Some(entity) if !chinese => lower_first(entity),
        _ => text.to_owned(),
    }
}

/// A name within a sentence: its first letter small, unless the word is an abbreviation.
fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() && !second.is_ascii_digit() => {
            first.to_lowercase().chain(name.chars().skip(1)).collect()
        }
        _ => name.to_owned(),
    }
}

/// Below so many days, a whole number of weeks is told in weeks.
const WEEKS: f64 = 90.0;

/// A time in brackets: " (1 week)".
pub(super) fn since(days: Option<f64>, chinese: bool) -> String {
    let Some(days) = days.filter(|days| *days > 0.0) else { return String::new() };
    let units: [(f64, Pair, Pair); 5] = [
        (365.0, ("year", "年"), ("years", "年")),
        (30.0, ("month", "个月"), ("months", "个月")),
        (7.0, ("week", "周"), ("weeks", "周")),
        (1.0, ("day", "天"), ("days", "天")),
        (1.0 / 24.0, ("hour", "小时"), ("hours", "小时")),
    ];
    // "6 weeks" stay weeks, as they were told, up to three months; a month is told as one.
    let is_of_weeks = days < WEEKS && (days / 7.0).fract() < 0.01 && days >= 7.0;
    let unit = units.iter().find(|(length, ..)| if is_of_weeks { *length <= 7.0 } else { days >= *length * 0.999 });
    let Some((length, one, many)) = unit else { return say(chinese, (" (minutes)", "（数分钟）")).to_owned() };
    let count = (days / length).round();
    let name = say(chinese, if count <= 1.0 { *one } else { *many });
    if chinese { format!("（{count}{name}）") } else { format!(" ({count} {name})") }
}

/// A number without needless digits.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::case::{CaseCondition, CaseDrug, CaseFinding};

    #[test]
    fn units_are_written_as_doctors_write_them() {
        for (unit, written) in [
            ("mmhg", "mmHg"),
            ("c", "°C"),
            ("mmol/l", "mmol/L"),
            ("umol/l", "µmol/L"),
            ("ug/ml", "µg/mL"),
            ("iu/l", "IU/L"),
            ("u/l", "U/L"),
            ("miu/l", "mIU/L"),
            ("g/dl", "g/dL"),
            ("/min", "/min"),
            ("%", "%"),
        ] {
            assert_eq!(unit_as_written(unit), written);
        }
    }

    #[test]
    fn an_age_says_that_it_is_one() {
        let aged = |from: u16, to: u16, sex| {
            let patient = CasePatient { age_months: Some(AgeMonths { from, to }), sex, ..CasePatient::default() };
            Case { patient, ..Case::default() }.read_as(false)
        };
        assert_eq!(aged(72 * 12, 72 * 12 + 11, None), "aged 72");
        assert_eq!(aged(48, 59, None), "child, 4");
        assert_eq!(aged(65 * 12, 1440, None), "aged 65+");
        assert_eq!(aged(16 * 12, 1440, Some(PatientSex::Female)), "woman", "nobody told an age");
        assert_eq!(aged(0, 18 * 12, Some(PatientSex::Male)), "boy");
        assert_eq!(aged(72 * 12, 72 * 12 + 11, Some(PatientSex::Male)), "man, 72");
    }

    #[test]
    fn a_regimen_is_named_once() {
        let drug = |entity: &str| CaseDrug {
            text: "R-CHOP".into(),
            entity: Some(entity.into()),
            status: DrugStatus::Proposed,
            ..CaseDrug::default()
        };
        let case = Case { drugs: vec![drug("Rituximab"), drug("Vincristine")], ..Case::default() };
        assert_eq!(case.read_as(true), "拟用：R-CHOP");
        assert_eq!(case.read_as(false), "considers rituximab, vincristine");
    }

    #[test]
    fn each_finding_that_is_denied_or_uncertain_says_so() {
        let finding = |name: &str, status| CaseFinding { text: name.into(), entity: Some(name.into()), status, ..CaseFinding::default() };
        let case = Case {
            findings: vec![
                finding("Rash", FindingStatus::Absent),
                finding("Headache", FindingStatus::Present),
                finding("Photophobia", FindingStatus::Absent),
                finding("Neck stiffness", FindingStatus::Uncertain),
                finding("Drowsiness", FindingStatus::Uncertain),
                finding("Diplopia", FindingStatus::Absent),
            ],
            ..Case::default()
        };
        assert_eq!(case.read_as(false), "headache; possibly neck stiffness, possibly drowsiness; no rash, no photophobia, no diplopia");
        assert_eq!(case.read_as(true), "Headache；可能：Neck stiffness、Drowsiness；无：Rash、Photophobia、Diplopia");
    }

    #[test]
    fn a_case_reads_as_one_line_in_both_languages() {
        let drug =
            |text: &str, status, days| CaseDrug { entity: Some(text.into()), text: text.into(), status, days, ..CaseDrug::default() };
        let case = Case {
            patient: CasePatient {
                age_months: Some(AgeMonths { from: 81 * 12, to: 81 * 12 + 11 }),
                sex: Some(PatientSex::Female),
                ..CasePatient::default()
            },
            drugs: vec![
                drug("Digoxin", DrugStatus::Taken, None),
                drug("Furosemide", DrugStatus::Taken, None),
                drug("Amiodarone", DrugStatus::New, Some(7.0)),
            ],
            findings: vec![CaseFinding { text: "nauseated".into(), entity: Some("Nausea".into()), ..CaseFinding::default() }],
            results: vec![CaseResult { test: "pulse".into(), value: Some(42.0), direction: ResultDirection::Low, ..CaseResult::default() }],
            asks: vec![CaseAsk { kind: AskKind::Causes, of: vec![] }],
            ..Case::default()
        };
        assert_eq!(
            case.read_as(false),
            "woman, 81 · takes digoxin, furosemide; amiodarone new (1 week) · nausea; pulse 42 (low) · asks: cause"
        );
        assert_eq!(
            case.read_as(true),
            "女、81岁 · 正在用：Digoxin、Furosemide；Amiodarone（新用）（1周） · nauseated；心率 42（低） · 问：病因"
        );
        assert_eq!(Case::default().read_as(false), "");
        let of = |name: &str| vec!["Pacemaker".to_owned(), name.to_owned()];
        let asked = Case {
            conditions: vec![CaseCondition { entity: Some("Pacemaker".into()), ..CaseCondition::default() }],
            asks: vec![CaseAsk { kind: AskKind::Safety, of: of("Magnetic resonance imaging") }],
            ..Case::default()
        };
        assert_eq!(asked.read_as(false), "has pacemaker · asks: safety of magnetic resonance imaging");
    }
}
