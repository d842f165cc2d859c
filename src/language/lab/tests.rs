//! Tests of reading results.

use super::*;
use crate::run::{AgeMonths, CasePatient, PatientSex, Pregnancy};
use crate::text::tokenise;

fn read(text: &str) -> Vec<Measured> {
    results(text, &tokenise(text))
}

fn findings(text: &str) -> Vec<Option<&'static str>> {
    read(text).into_iter().map(|measured| measured.findings().next().map(String::as_str)).collect()
}

fn directions(text: &str) -> Vec<(&'static str, ResultDirection)> {
    read(text).into_iter().map(|result| (result.test(), result.direction)).collect()
}

#[test]
fn values_outside_their_limits_are_findings() {
    assert_eq!(findings("glucose 300 mg/dL, K+ 6.1 and BP 180/110"), [Some("hyperglycaemia"), Some("hyperkalaemia"), Some("hypertension")]);
    assert_eq!(findings("Her blood sugar is 2.8 mmol/l."), [Some("hypoglycaemia")]);
    assert_eq!(findings("Hb 82 g/l, temperature of 39.2°C, temp 103"), [Some("anaemia"), Some("fever"), Some("fever")]);
    assert_eq!(findings("blood sugar 300mg/dl"), [Some("hyperglycaemia")]);
    assert_eq!(findings("血钾2.9"), [Some("hypokalaemia")]);
    for text in ["sugar dropped to 2.4 and I'm shaky", "血糖掉到2.5，心慌", "血糖降到2.5"] {
        assert_eq!(findings(text), [Some("hypoglycaemia")], "{text}");
    }
    assert!(findings("sugar dropped to 2 spoons").is_empty() && findings("血糖降2.5").is_empty(), "how much, and by how much");
}

#[test]
fn what_is_said_to_be_high_or_low_is_a_finding_too() {
    let told = |text: &str| -> Vec<(&str, String)> {
        let tokens = tokenise(text);
        let shown = |span: Span| text[tokens[span.first].start..tokens[span.last - 1].end].to_owned();
        results(text, &tokens).into_iter().filter_map(|told| Some((told.findings().next()?.as_str(), shown(told.span)))).collect()
    };
    assert_eq!(told("I have high levels of calcium in my blood"), [("hypercalcaemia", "high levels of calcium".to_owned())]);
    assert_eq!(told("my potassium level was really low"), [("hypokalaemia", "potassium level was really low".to_owned())]);
    assert_eq!(told("low K and a high BP"), [("hypokalaemia", "low K".to_owned()), ("hypertension", "high BP".to_owned())]);
    assert_eq!(told("血钾偏低"), [("hypokalaemia", "血钾偏低".to_owned())]);
    for nothing in ["a low sodium diet", "my potassium is not high", "I feel low, potassium was measured", "high fever and 20 mg of it"] {
        assert!(told(nothing).is_empty(), "{nothing}: {:?}", told(nothing));
    }
}

#[test]
fn values_within_their_limits_or_without_a_number_say_nothing() {
    assert_eq!(findings("sodium 140 mmol/l"), [None]);
    assert!(findings("is potassium bad for me?").is_empty());
    assert!(findings("my pulse in 2 places").is_empty());
    assert_eq!(findings("glucose 20"), [None], "20 mg/dl is low, 20 mmol/l is high");
    assert!(findings("calcium 600 mg daily, magnesium 400mg, TSH in 3 months").is_empty(), "doses and times are no values");
}

#[test]
fn a_power_of_ten_is_a_unit_and_a_number_of_times_is_none() {
    for text in ["platelets 60 x10^9/l", "platelets 60 x 10^9/L", "platelets 60 ×10⁹/L", "platelets 60 x109/l", "plt 60 x10*9/l"] {
        let values: Vec<_> = read(text).into_iter().map(|result| (result.value, result.direction)).collect();
        assert_eq!(values, [(Some(60.0), ResultDirection::Low)], "{text}");
        assert_eq!(read(text).first().and_then(Measured::shown_unit), Some("×10⁹/l"), "{text}");
    }
    assert!(findings("platelets 60 x 3 days").is_empty());
}

#[test]
fn a_count_is_scaled_by_its_power_of_ten() {
    let first = |text: &str| read(text).first().map(|result| (result.test(), result.value, result.direction));
    for (text, value, direction) in [
        ("WBC 12000×10^6/L", 12.0, ResultDirection::High),
        ("WBC 6000 x10^6/l", 6.0, ResultDirection::Normal),
        ("WBC 14.2 x10^3/ul", 14.2, ResultDirection::High),
        ("white cells 14.2 x10^9/l", 14.2, ResultDirection::High),
    ] {
        assert_eq!(first(text), Some(("white cell count", Some(value), direction)), "{text}");
    }
    assert_eq!(first("platelets 90000 x10^6/l"), Some(("platelets", Some(90.0), ResultDirection::Low)));
}

#[test]
fn a_specimen_before_a_colon_governs_the_results_of_its_sentence() {
    let tests = |text: &str| -> Vec<(&str, Option<f64>)> { read(text).iter().map(|result| (result.test(), result.value)).collect() };
    assert_eq!(tests("CSF: WBC 2800×10^6/L"), [("CSF white cells", Some(2800.0))]);
    assert_eq!(tests("脑脊液：白细胞 2800×10^6/L"), [("CSF white cells", Some(2800.0))]);
    assert_eq!(tests("CSF results: WBC 120, glucose 1.2 mmol/l"), [("CSF white cells", Some(120.0)), ("CSF glucose", Some(1.2))]);
    for text in ["CSF: WBC 2. WBC 15", "CSF: WBC 2, bloods: WBC 15", "WBC 15. CSF: WBC 2"] {
        assert!(tests(text).contains(&("white cell count", Some(15.0))) && tests(text).len() == 2, "{text}: {:?}", tests(text));
    }
    assert_eq!(tests("headache, WBC 15"), [("white cell count", Some(15.0))]);
    let directions = |text: &str| -> Vec<ResultDirection> { read(text).iter().map(|result| result.direction).collect() };
    assert_eq!(directions("胸水：淋巴细胞 9×10^9/L"), [ResultDirection::Unknown]);
}

#[test]
fn a_grade_of_a_strip_is_no_value() {
    for text in ["Urine: glucose 3+, protein 2+", "glucose 3+ on dip", "urine glucose 2+"] {
        assert!(
            read(text).iter().all(|result| result.value.is_none() && result.direction != ResultDirection::Low),
            "{text}: {:?}",
            read(text)
        );
    }
    assert_eq!(read("glucose 3, protein 2+").first().and_then(|result| result.value), Some(3.0));
}

#[test]
fn of_values_that_changed_the_last_counts() {
    let values = |text: &str| -> Vec<Option<f64>> { read(text).into_iter().map(|result| result.value).collect() };
    for (text, value) in [
        ("plt 260 -> 92, new femoral DVT", 92.0),
        ("creatinine 88 → 131 → 240 umol/l", 240.0),
        ("Hb from 130 to 92 g/l", 92.0),
        ("eGFR 41 last yr now 26, repeat in 3 months", 26.0),
        ("Hb 131 g/l last month, now 88", 88.0),
        ("potassium 3.1 rising to 5.9 mmol/l", 5.9),
        ("肌酐由80升至131", 131.0),
        ("血红蛋白从120降到75", 75.0),
        ("BP 150/90 -> 85/40", 85.0),
        ("platelets 260 x10^9/l -> 92 x10^9/l", 92.0),
    ] {
        assert_eq!(values(text), [Some(value)], "{text}");
    }
    for (text, value) in [
        ("Hb 131, now on 20 mg prednisolone", 131.0),
        ("potassium 3.1 mmol/l. Now 6 weeks later she is well", 3.1),
        ("INR 8.2 today, 3 days after clarithromycin", 8.2),
        ("sodium 128, 3 falls", 128.0),
        ("sodium 128, now 3 falls", 128.0),
        ("BP 150/90, she walks", 150.0),
    ] {
        assert_eq!(values(text), [Some(value)], "{text}");
    }
}

#[test]
fn words_and_signs_say_what_came_out() {
    use ResultDirection::{High, Negative, Normal, Positive};
    assert_eq!(directions("raised troponin"), [("troponin", High)]);
    assert_eq!(
        directions("Troponin normal, ECG unremarkable, CT head: clear."),
        [("troponin", Normal), ("ECG", Normal), ("CT head", Normal)]
    );
    assert_eq!(directions("D-dimer neg"), [("D-dimer", Negative)]);
    assert_eq!(directions("bili/ALT normal"), [("bilirubin", Normal), ("ALT", Normal)]);
    assert_eq!(directions("肌钙蛋白阴性，血红蛋白、血小板正常"), [("troponin", Negative), ("haemoglobin", Normal), ("platelets", Normal)]);
    assert_eq!(
        directions("HBsAg(+), 3+ protein, RF -ve"),
        [("HBsAg", Positive), ("urine protein", Positive), ("rheumatoid factor", Negative)]
    );
    assert!(directions("we did an ECG and a troponin").is_empty(), "a test that is merely named");
}

#[test]
fn a_unit_is_inferred_and_marked_and_others_decide_where_it_is_unclear() {
    let one = |text: &str| {
        let all = read(text);
        let last = all.last().expect("a result");
        (last.unit, last.unit_inferred, last.direction)
    };
    assert_eq!(one("Hb 8.2"), (Some("g/dl"), true, ResultDirection::Low));
    assert_eq!(one("Hb 82 g/L"), (Some("g/l"), false, ResultDirection::Low));
    assert_eq!(one("creat 202, glucose 28"), (Some("mmol/l"), true, ResultDirection::High));
    assert_eq!(one("creat 2.4, glucose 28"), (Some("mg/dl"), true, ResultDirection::Low));
}

#[test]
fn a_value_that_is_an_emergency_is_critical() {
    let critical = |text: &str| read(text).iter().any(|result| result.critical);
    for text in ["K 7.4", "sats 84% on air", "BP 78/40", "GCS 7", "BP 212/124", "glucose 1.9 mmol/l", "pulse 32"] {
        assert!(critical(text), "{text}");
    }
    for text in ["K 5.6", "sats 93%", "BP 150/90", "GCS 14", "pulse 118", "temp 39", "troponin normal"] {
        assert!(!critical(text), "{text}");
    }
}

#[test]
fn results_say_together_what_none_says_alone() {
    let first = |text: &str| read(text).iter().find(|result| result.is_of("pH")).and_then(|result| result.findings().next().cloned());
    assert_eq!(first("pH 7.21, pCO2 9.1").as_deref(), Some("respiratory acidosis"));
    assert_eq!(first("pCO2 9.1 and HCO3 12, pH 7.21").as_deref(), Some("acidosis"), "both");
    assert_eq!(first("pH 7.21, HCO3 9").as_deref(), Some("metabolic acidosis"));
    assert_eq!(first("pH 7.52, pCO2 3.1").as_deref(), Some("respiratory alkalosis"));
    assert_eq!(first("pH 7.21").as_deref(), Some("acidosis"));
    assert_eq!(first("pH 7.40, pCO2 9.1"), None);
}

#[test]
fn what_is_found_in_another_fluid_is_not_found_in_the_blood() {
    // What such a test is for has names of its own ("CSF glucose"); none of them is one of the blood.
    let of_blood = ["lymphocytosis", "raised lymphocytes", "hypoglycaemia", "acidaemia", "metabolic acidosis"];
    let found = |text: &str| read(text).iter().any(|result| result.findings().any(|finding| of_blood.contains(&finding.as_str())));
    for text in ["CSF lymphocytes high, glucose low", "pleural fluid pH 7.1", "脑脊液淋巴细胞升高"] {
        assert!(!found(text), "{text}");
    }
    assert!(found("CSF clear. Lymphocytes high") && found("lymphocytes high"));
}

#[test]
fn a_share_is_no_count_and_a_fraction_is_so_many_percent() {
    use ResultDirection::{High, Low, Normal};
    for (text, direction) in [
        ("neutrophils 60%", Normal),
        ("lymphocytes 32 %", Normal),
        ("eosinophils 3％", Normal),
        ("中性粒细胞比例60%", Normal),
        ("中性粒细胞百分比88%", High),
        ("neutrophils 12", High),
        ("neutrophils 0.4", Low),
        ("transferrin saturation 0.28", Normal),
        ("TSAT 0.08", Low),
        ("SpO2 0.97", Normal),
        ("LVEF 0.6", Normal),
        ("haematocrit 0.42", Normal),
        ("haematocrit 42%", Normal),
    ] {
        assert_eq!(directions(text).first().map(|(_, direction)| *direction), Some(direction), "{text}");
    }
    assert!(read("potassium 60%").is_empty(), "of no test");
}

#[test]
fn a_share_of_cells_says_nothing_of_a_lack_and_a_doubtful_value_nothing_at_all() {
    for text in ["neutrophils 60%", "neutrophils 30%", "neutrophils 88%", "中性粒细胞比例45%"] {
        let results = read(text);
        assert!(!results.iter().any(|result| result.findings().any(|name| name == "neutropenia")), "{text}");
        assert!(results.iter().all(|result| result.against().next().is_none()), "{text}");
    }
    for text in ["B12 250 ng/l", "B12 200 pmol/l", "folate 4 ng/ml", "folate 8 nmol/l", "testosterone 9.5 nmol/l"] {
        assert_eq!(directions(text).first().map(|(_, direction)| *direction), Some(ResultDirection::Unknown), "{text}");
    }
    assert_eq!(directions("B12 450 ng/l").first().map(|(_, direction)| *direction), Some(ResultDirection::Normal));
}

#[test]
fn the_number_decides_whatever_the_word_before_it_says() {
    use ResultDirection::{High, Low, Normal};
    for (text, direction) in [
        ("transferrin saturation raised at 28%", Normal),
        ("转铁蛋白饱和度偏高28%", Normal),
        ("potassium high 4.2", Normal),
        ("血钾偏高4.3", Normal),
        ("haemoglobin low at 140 g/L", Normal),
        ("platelets dropped to 250", Normal),
        ("platelets dropped to 50", Low),
        ("potassium normal at 6.9", High),
        ("creatinine up 30%", High),
        ("sats down 2%", Low),
        ("potassium high 2 days ago", High),
        ("ferritin normal 2019", Normal),
    ] {
        assert_eq!(directions(text).first().map(|(_, direction)| *direction), Some(direction), "{text}");
    }
}

fn direction_of(text: &str, patient: &CasePatient) -> Option<ResultDirection> {
    let mut results = read(text);
    for_patient(&mut results, patient);
    results.last().map(|result| result.direction)
}

fn child() -> CasePatient {
    CasePatient { age_months: Some(AgeMonths { from: 48, to: 48 }), ..CasePatient::default() }
}

fn woman() -> CasePatient {
    CasePatient { age_months: Some(AgeMonths { from: 30 * 12, to: 30 * 12 }), sex: Some(PatientSex::Female), ..CasePatient::default() }
}

#[test]
fn of_a_child_the_word_beside_the_number_decides() {
    use ResultDirection::{High, Low, Normal};
    for (text, direction) in [
        ("creatinine raised at 62", High),
        ("raised creatinine of 62", High),
        ("creatinine 62 µmol/L (raised)", High),
        ("creatinine 62 µmol/L, which is high for her age", High),
        ("肌酐偏高62", High),
        ("肌酐62（升高）", High),
        // There are limits of her very age; a word beside a value within them decides all the same.
        ("heart rate slow at 85", Low),
        ("heart rate normal at 150", High),
        ("heart rate 62", Low),
        ("potassium low at 7.1", High),
        // Words of something else, or of how it went.
        ("creatinine 62, low mood", Normal),
        ("potassium low, creatinine 62", Normal),
        ("creatinine 62, raised potassium", High),
        ("no raised creatinine, creatinine 62", Normal),
        ("creatinine up to 62", Normal),
        ("weight loss, creatinine 62", Normal),
        // The limits are those of everybody.
        ("temperature raised at 37.4", Normal),
        ("oxygen saturation low at 96%", Normal),
    ] {
        assert_eq!(direction_of(text, &child()), Some(direction), "{text}");
    }
    let called_so = CasePatient { age_months: Some(AgeMonths { from: 0, to: 18 * 12 }), ..CasePatient::default() };
    assert_eq!(direction_of("heart rate slow at 85", &called_so), Some(Low), "a girl of no stated age");
    let both = "creatinine 62, raised potassium";
    let mut results = read(both);
    for_patient(&mut results, &child());
    assert_eq!(results.first().map(|result| result.direction), Some(Normal), "the word is the other's");
}

#[test]
fn of_adults_a_word_makes_nothing_of_a_normal_number_but_where_the_limits_are_of_others() {
    use ResultDirection::{High, Low, Normal};
    let man = CasePatient { sex: Some(PatientSex::Male), ..woman() };
    for text in ["creatinine raised at 98", "blood pressure raised at 132/84", "血压偏高132/84", "testosterone raised at 20 nmol/l"] {
        assert_eq!(direction_of(text, &man), Some(Normal), "{text}");
        assert_eq!(direction_of(text, &CasePatient::default()), Some(Normal), "{text}: nothing is known of the patient");
    }
    for (text, direction) in [
        ("creatinine raised at 98", High),
        ("blood pressure raised at 132/84", Normal),
        ("potassium raised at 5.0", Normal),
        ("haemoglobin normal at 108 g/L", Low),
        ("testosterone 6 nmol/L", High),
        // The limits of women decide over the word.
        ("testosterone raised at 1.2 nmol/L", Normal),
        ("testosterone low at 1.2 nmol/L", Normal),
    ] {
        assert_eq!(direction_of(text, &woman()), Some(direction), "{text}");
    }
}

#[test]
fn in_pregnancy_and_after_birth_limits_of_adults_give_way() {
    use ResultDirection::{High, Normal, Unknown};
    let pregnant = CasePatient { pregnancy: Some(Pregnancy { pregnant: true, ..Pregnancy::default() }), ..woman() };
    let after = CasePatient { pregnancy: Some(Pregnancy { postpartum: true, ..Pregnancy::default() }), ..woman() };
    for text in ["BP raised at 136/86", "BP 136/86, high", "high blood pressure of 136/86", "血压偏高136/86"] {
        assert_eq!(direction_of(text, &pregnant), Some(High), "{text}");
        assert_eq!(direction_of(text, &after), Some(High), "{text}");
    }
    assert_eq!(direction_of("BP 136/86", &pregnant), Some(Normal), "no word");
    assert_eq!(direction_of("BP normal at 152/96", &pregnant), Some(High), "the number");
    assert_eq!(direction_of("creatinine 92 µmol/l", &pregnant), Some(High), "limits of pregnancy");
    assert_eq!(direction_of("creatinine raised at 70 µmol/l", &pregnant), Some(Normal), "limits of pregnancy");
    assert_eq!(direction_of("haemoglobin 108 g/l", &pregnant), Some(Unknown));
    let critical = |text: &str| {
        let mut results = read(text);
        for_patient(&mut results, &pregnant);
        results.iter().any(|result| result.critical)
    };
    assert!(critical("haemoglobin 52 g/l") && critical("BP normal at 240/130") && !critical("BP raised at 136/86"));
}

#[test]
fn a_fall_to_half_under_a_drug_that_does_it_harm_is_a_finding_within_the_limits() {
    let found = |text: &str, drug: &str| {
        let mut results = read(text);
        results.iter_mut().for_each(|result| result.allow_for(|name| name == drug, |_| false));
        let against: Vec<&str> = results.iter().flat_map(Measured::against).collect();
        (results.first().and_then(|result| result.findings().next().cloned()), against.contains(&"thrombocytopenia"))
    };
    for text in [
        "platelets fallen to 150 from 360",
        "platelets have fallen from 360 to 150",
        "platelets 360 -> 150",
        "platelet count dropped from 360 to 150",
        "plt 150 (were 360)",
        "platelets 150 x10^9/l, previously 360",
        "血小板由360降至150",
        "血小板150（原360）",
    ] {
        assert_eq!(found(text, "enoxaparin"), (Some("fall in platelets after heparin".to_owned()), false), "{text}");
        assert_eq!(found(text, "aspirin"), (None, true), "{text}");
    }
    for text in ["platelets 260 -> 190", "platelets 150 from day 5", "platelets 150", "platelets rose from 150 to 360"] {
        assert_eq!(found(text, "enoxaparin").0, None, "{text}");
    }
}

/// The tests that a text calls normal or negative.
fn well(text: &str) -> Vec<&'static str> {
    let is_well = |result: &&Measured| matches!(result.direction, ResultDirection::Normal | ResultDirection::Negative);
    read(text).iter().filter(is_well).map(Measured::test).collect()
}

#[test]
fn what_is_said_at_the_end_of_a_list_is_said_of_all_of_it() {
    for (text, tests) in [
        ("ferritin b12 thyroid coeliac all normal", vec!["ferritin", "vitamin B12", "thyroid function tests", "coeliac serology"]),
        ("CRP, 9am cortisol, gluc N", vec!["CRP", "cortisol", "glucose"]),
        ("liver + kidneys + urine test ok", vec!["liver function tests", "renal function", "urine dipstick"]),
        ("LFTs, U&Es and bone profile unremarkable", vec!["liver function tests", "urea and electrolytes", "bone profile"]),
        ("ECG+CXR NAD", vec!["ECG", "chest X-ray"]),
        ("heart scan spot on, breathing test perfect", vec!["echocardiogram", "spirometry"]),
        ("ecg, thyroid, 24hr tape - all normal", vec!["ECG", "thyroid function tests", "ambulatory ECG"]),
        ("normal FBC, U&E and CRP.", vec!["full blood count", "urea and electrolytes", "CRP"]),
        ("肝功能、肾功能、甲功都正常", vec!["liver function tests", "renal function", "thyroid function tests"]),
        ("抽血甲功全部正常", vec!["blood tests", "thyroid function tests"]),
    ] {
        assert_eq!(well(text), tests, "{text}");
    }
}

#[test]
fn a_list_takes_no_more_than_its_tests() {
    for text in [
        "fatty liver, sugar fine",
        "underactive thyroid, sugar fine",
        "polycystic kidneys, sugar fine",
        "coeliac, sugar fine",
        "on folate, sugar fine",
        "taking iron and folate, sugar fine",
    ] {
        assert_eq!(well(text), ["glucose"], "{text}");
    }
    for text in
        ["known coeliac, stable", "known coeliac stable on diet", "thyroid normal size", "kidneys hurt, all fine otherwise", "血压测不到"]
    {
        assert!(well(text).is_empty(), "{text}: {:?}", well(text));
    }
    let of_own = directions("Bloods: low ferritin, raised CRP");
    assert_eq!(of_own, [("ferritin", ResultDirection::Low), ("CRP", ResultDirection::High)]);
    assert_eq!(well("CT head: clear, MRI: fine"), ["CT head", "MRI"]);
    assert_eq!(well("CRP, normal ECG"), ["ECG"], "what stands before a test is said of no other before it");
    assert_eq!(well("normal ECG, CT shows a mass"), ["ECG"]);
}

#[test]
fn a_short_name_is_the_measure_that_its_number_fits() {
    assert_eq!(findings("gout, UA 610"), [Some("hyperuricaemia")]);
    assert_eq!(directions("UA clear"), [("urine dipstick", ResultDirection::Normal)]);
    assert_eq!(directions("S osm 251, U osm 510"), [("osmolality", ResultDirection::Low), ("urine osmolality", ResultDirection::Normal)]);
    assert_eq!(findings("tremor, Li 2.6"), [Some("lithium toxicity")]);
    assert!(findings("Li 600 nocte").is_empty());
}

#[test]
fn antibodies_against_hepatitis_b_keep_their_own_signs() {
    use ResultDirection::{Negative, Positive};
    assert_eq!(
        directions("HBsAg(-) 抗HBs(+) 抗HBc(+)，HBV DNA低于检测下限"),
        [("HBsAg", Negative), ("anti-HBs", Positive), ("anti-HBc", Positive), ("HBV DNA", Negative)]
    );
    assert!(read("抗HBc(+)").iter().all(|result| result.findings().next().is_none()));
}

#[test]
fn a_temperature_is_read_as_chinese_tells_it() {
    let values = |text: &str| -> Vec<Option<f64>> { read(text).into_iter().map(|result| result.value).collect() };
    for (text, value) in
        [("夜里量38.7，没精神", 38.7), ("孩子昨晚烧到39度5", 39.5), ("早上测了37.9", 37.9), ("发烧38度6", 38.6), ("烧到40，一直哭", 40.0)]
    {
        assert_eq!(values(text), [Some(value)], "{text}");
    }
    for text in ["用量38.5", "洗澡水温38度", "屈膝40度", "头围量38.5", "烧39天", "屈膝三十九度"] {
        assert!(values(text).is_empty(), "{text}: {:?}", values(text));
    }
}

#[test]
fn a_plus_that_joins_nothing_is_a_positive_result() {
    use ResultDirection::Positive;
    assert_eq!(directions("TRAb +, palpitations"), [("TSH receptor antibodies", Positive)]);
    assert_eq!(directions("HLA-B27+ back pain"), [("HLA-B27", Positive)]);
    assert_eq!(directions("Hct 0.58 JAK2+").last(), Some(&("JAK2", Positive)));
    for text in ["CRP + ESR please", "CRP +/- ESR", "K+, Na+", "on iron + folate"] {
        assert!(read(text).iter().all(|result| result.direction != Positive), "{text}");
    }
}

#[test]
fn cells_in_a_fluid_are_none_of_the_blood() {
    assert!(findings("hot knee, WCC 90k in fluid").iter().all(Option::is_none));
    assert_eq!(findings("WCC 19 in fluid overload"), [Some("leukocytosis")]);
    assert_eq!(findings("on lithium, level 2.1"), [Some("lithium toxicity")]);
    assert_eq!(findings("on lithium, Hb level 60"), [Some("anaemia")]);
}

#[test]
fn thousands_end_with_their_sentence_and_nothing_at_all_is_low() {
    assert_eq!(findings("30M, CK 14,000. Cause?"), [Some("raised creatine kinase")]);
    assert_eq!(findings("haptoglobin undetectable"), [Some("low haptoglobin")]);
    assert_eq!(findings("sweat Cl 88"), [Some("cystic fibrosis")]);
}

#[test]
fn a_bone_density_score_is_below_nought() {
    assert_eq!(findings("T-score -3.1"), [Some("osteoporosis")]);
    assert!(findings("T-score -1.8").iter().all(Option::is_none));
}
