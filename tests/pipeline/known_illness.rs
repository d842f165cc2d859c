//! A known illness whose care is asked is answered, and what belongs to it starts no search; what does not belong to it and is dangerous does.

use catena::run::{AnswerPart, UrgencyLevel};

use crate::starter::{ask, entities};

#[test]
fn what_belongs_to_a_known_illness_is_not_diagnosed_anew() {
    for question in [
        "7 month old with bronchiolitis, RR 62, recession, sats 89, T 38.1. What to give?",
        "bronchiolitis day 3, RR 62, mod recession, sats 89 RA, T 38.1, no apnoea. admit? what to give",
    ] {
        let trace = ask(question);
        let text = &trace.answer.text;
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {text}");
        let treatments = entities(&trace, AnswerPart::Treatments);
        assert!(treatments.contains(&"Oxygen"), "{question}: {text}");
        assert!(!treatments.iter().any(|name| ["Salbutamol", "Prednisolone"].contains(name)), "{question}: {text}");
        assert!(entities(&trace, AnswerPart::Conditions).iter().all(|name| *name == "Bronchiolitis"), "{question}: {text}");
    }
    let trace = ask("UC, 34M, on IV hydrocortisone 100 qds day 3. Stools 9/day bloody, CRP 52, alb 26, Hb 98. what next?");
    assert!(!entities(&trace, AnswerPart::Conditions).contains(&"Colorectal cancer"), "{}", trace.answer.text);
    assert!(entities(&trace, AnswerPart::Treatments).contains(&"Ciclosporin"), "{}", trace.answer.text);
    let trace = ask(
        "adrenal incidentaloma 2.3cm L, unenhanced 4 HU, homogeneous. 57F BP 154/92 on amlodipine, K 4.1, BMI 29, HbA1c 45. what bloods, scan again?",
    );
    assert!(entities(&trace, AnswerPart::Tests).contains(&"Dexamethasone suppression test"), "{}", trace.answer.text);
    assert!(!entities(&trace, AnswerPart::Conditions).contains(&"Primary aldosteronism"), "{}", trace.answer.text);
    assert!(!matches!(trace.urgency.level, Some(UrgencyLevel::Urgent | UrgencyLevel::Emergency)), "{}", trace.answer.text);
}

#[test]
fn a_new_danger_beside_a_known_illness_raises_its_alarm() {
    for (question, first) in [
        ("known UC on mesalazine, rigid tender abdomen, fever. what next?", "Toxic megacolon"),
        ("known UC on mesalazine, rigid tender abdomen, fever. Treatment?", "Toxic megacolon"),
        ("Known asthma on salbutamol, sudden one-sided pleuritic chest pain and breathless. What next?", "Pneumothorax"),
        ("Known AF on apixaban, new right arm weakness and slurred speech. What next?", "Ischaemic stroke"),
        ("Known migraine on propranolol, thunderclap headache, vomiting. What to give?", "Subarachnoid haemorrhage"),
    ] {
        let trace = ask(question);
        assert_eq!(trace.urgency.level, Some(UrgencyLevel::Emergency), "{question}: {}", trace.answer.text);
        assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&first), "{question}: {}", trace.answer.text);
    }
    let trace = ask("Haemorrhoids using cream, rectal bleeding, 62F. What next?");
    assert_eq!(trace.urgency.level, Some(UrgencyLevel::Urgent), "{}", trace.answer.text);
    assert!(entities(&trace, AnswerPart::Conditions).contains(&"Colorectal cancer"), "what is graver than the illness is looked for");
    // What a drug in use treats and does not hold is what the next treatment is asked for.
    let trace = ask("Gout on allopurinol, BP 165/100 on amlodipine. what next?");
    assert!(trace.answer.text.contains("Hypertension, first"), "{}", trace.answer.text);
}

#[test]
fn a_guess_gives_way_to_the_emergency_whose_signs_are_told() {
    let trace = ask(
        "58M HTN. Sudden tearing pain between shoulder blades at rest 90 min ago, now central chest. BP 182/104, HR 96. Soft early diastolic murmur. \
         ECG 1mm ST dep V4-6, hs-trop 41. SHO wants to load aspirin/ticagrelor + fondaparinux as NSTEMI. ok?",
    );
    assert_eq!(trace.urgency.condition.as_deref(), Some("Aortic dissection"), "{}", trace.answer.text);
    let trace = ask(
        "61M ?PE sats 88, hypotensive-ish 98/60, HR 118. eGFR 27 (baseline 31), on metformin, furosemide, ramipril. radiology refusing contrast. \
         do i wait or do VQ?",
    );
    assert!(trace.urgency.condition.as_deref().is_some_and(|name| name.ends_with("ulmonary embolism")), "{}", trace.answer.text);
}

#[test]
fn what_a_drug_makes_and_what_was_looked_for_come_before_what_was_measured() {
    let trace = ask(
        "54M perf appendix, septic, emergency lap in 1h. T2DM on empagliflozin (took this am) + metformin. CBG 9.2, pH 7.24 HCO3 13 lac 1.9. \
         anaes says just septic acidosis",
    );
    assert_eq!(trace.urgency.condition.as_deref(), Some("Diabetic ketoacidosis"), "{}", trace.answer.text);
    let trace = ask("paraprotein IgG kappa 6 g/L found on raised ESR screen, Hb 138 Ca/creat normal, no bone pain. 68M. f/u and who");
    let first = Some(&"Monoclonal gammopathy of undetermined significance");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), first, "{}", trace.answer.text);
}

#[test]
fn falls_without_an_injury_are_no_broken_hip() {
    let trace =
        ask("72F new AF, HTN, T2DM, no stroke/HF/vasc dz. falls x3 last yr, Hb 118. CHA2DS2-VASc? reg wants aspirin instead cos falls");
    assert!(!entities(&trace, AnswerPart::Conditions).contains(&"Hip fracture"), "{}", trace.answer.text);
    let trace = ask("82F fell, hip pain, cannot bear weight, leg short and turned out. What is it?");
    assert_eq!(entities(&trace, AnswerPart::Conditions).first(), Some(&"Hip fracture"), "{}", trace.answer.text);
}
