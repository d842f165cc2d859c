//! Names for the synthetic graph: pronounceable, of several words, distinct (also when folded), of the lengths that medical names
//! have. As in real vocabularies many names differ in one word only. One in twenty is Chinese.

/// The kinds of entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Disease,
    Symptom,
    Drug,
    Test,
    Gene,
    Anatomy,
    Pathogen,
    RiskFactor,
    Procedure,
}

/// What the names of a kind are made of.
pub(crate) struct Style {
    pub(crate) kind: Kind,
    /// Of a thousand entities so many are of this kind.
    pub(crate) per_mille: u64,
    /// Ends of its words. No two kinds share one, so their names differ; each begins with a vowel, so that it can be told from the root.
    suffixes: [&'static str; 6],
    before: [&'static str; 12],
    after: [&'static str; 10],
    /// Two characters that end a Chinese name.
    chinese: [&'static str; 2],
}

/// In the order of [`Kind`].
pub(crate) const KINDS: [Style; 9] = [
    Style {
        kind: Kind::Disease,
        per_mille: 180,
        suffixes: ["itis", "osis", "opathy", "oma", "aemia", "oplegia"],
        before: [
            "Acute",
            "Chronic",
            "Primary",
            "Secondary",
            "Hereditary",
            "Recurrent",
            "Idiopathic",
            "Juvenile",
            "Severe",
            "Drug-induced",
            "Congenital",
            "Atypical",
        ],
        after: [
            "type 1",
            "type 2",
            "type 3",
            "with haemorrhage",
            "in pregnancy",
            "in remission",
            "stage II",
            "stage III",
            "with obstruction",
            "of childhood",
        ],
        chinese: ["炎症", "肿瘤"],
    },
    Style {
        kind: Kind::Symptom,
        per_mille: 110,
        suffixes: ["algia", "orrhoea", "asthenia", "uria", "ospasm", "odynia"],
        before: [
            "Mild",
            "Intermittent",
            "Burning",
            "Sudden",
            "Nocturnal",
            "Persistent",
            "Diffuse",
            "Localised",
            "Throbbing",
            "Postprandial",
            "Bilateral",
            "Painless",
        ],
        after: [
            "at night",
            "on exertion",
            "after meals",
            "when lying down",
            "in the morning",
            "with fever",
            "on the left",
            "on the right",
            "for weeks",
            "at rest",
        ],
        chinese: ["疼痛", "不适"],
    },
    Style {
        kind: Kind::Drug,
        per_mille: 200,
        suffixes: ["ine", "azole", "ol", "umab", "icillin", "astatin"],
        before: [
            "Liposomal",
            "Intravenous",
            "Oral",
            "Topical",
            "Inhaled",
            "Low-dose",
            "Pegylated",
            "Sustained-release",
            "Paediatric",
            "Recombinant",
            "Ophthalmic",
            "Rectal",
        ],
        after: [
            "hydrochloride",
            "sodium",
            "10 mg tablet",
            "40 mg capsule",
            "eye drops",
            "cream 2 %",
            "sulfate",
            "for injection",
            "oral suspension",
            "acetate",
        ],
        chinese: ["胶囊", "颗粒"],
    },
    Style {
        kind: Kind::Test,
        per_mille: 50,
        suffixes: ["ography", "oscopy", "ometry", "ogram", "assay", "imetry"],
        before: [
            "Serum",
            "Urine",
            "Ambulatory",
            "Contrast-enhanced",
            "Rapid",
            "Quantitative",
            "Fasting",
            "Repeat",
            "Bedside",
            "Functional",
            "Dynamic",
            "Screening",
        ],
        after: [
            "of the chest",
            "of the abdomen",
            "with biopsy",
            "panel",
            "at rest",
            "under load",
            "of the head",
            "with dye",
            "after 24 hours",
            "in series",
        ],
        chinese: ["检查", "造影"],
    },
    Style {
        kind: Kind::Gene,
        per_mille: 230,
        suffixes: ["in", "ase", "actin", "ogen", "eptor", "yl"],
        before: [
            "Mitochondrial",
            "Nuclear",
            "Soluble",
            "Putative",
            "Zinc finger",
            "Ubiquitin",
            "Transmembrane",
            "Cyclin",
            "Ribosomal",
            "Solute carrier",
            "Olfactory",
            "Homeobox",
        ],
        after: [
            "alpha subunit",
            "beta chain",
            "family member 4",
            "like 1",
            "receptor 2",
            "isoform B",
            "precursor",
            "pseudogene 7",
            "binding protein",
            "domain containing 3",
        ],
        chinese: ["基因", "蛋白"],
    },
    Style {
        kind: Kind::Anatomy,
        per_mille: 50,
        suffixes: ["um", "us", "ella", "odium", "ium", "oid"],
        before: [
            "Left",
            "Right",
            "Superior",
            "Inferior",
            "Anterior",
            "Posterior",
            "Medial",
            "Lateral",
            "Deep",
            "Superficial",
            "Distal",
            "Proximal",
        ],
        after: [
            "of the hand",
            "of the foot",
            "of the skull",
            "of the pelvis",
            "wall",
            "lobe",
            "of the spine",
            "of the thorax",
            "margin",
            "layer",
        ],
        chinese: ["韧带", "血管"],
    },
    Style {
        kind: Kind::Pathogen,
        per_mille: 60,
        suffixes: ["ella coli", "ivirus", "omonas", "ococcus", "obacter", "ibacillus"],
        before: [
            "Human",
            "Avian",
            "Resistant",
            "Group A",
            "Group B",
            "Feline",
            "Tropical",
            "Latent",
            "Zoonotic",
            "Endemic",
            "Novel",
            "Porcine",
        ],
        after: [
            "serotype 1",
            "serotype 2",
            "strain K12",
            "clade IIb",
            "biovar 3",
            "subtype H5",
            "serotype 6",
            "variant C",
            "strain T",
            "genotype 4",
        ],
        chinese: ["病毒", "杆菌"],
    },
    Style {
        kind: Kind::RiskFactor,
        per_mille: 40,
        suffixes: ["ism", "exposure", "abuse", "intake", "overload", "idleness"],
        before: [
            "Occupational",
            "Domestic",
            "Heavy",
            "Passive",
            "Prenatal",
            "Lifelong",
            "Seasonal",
            "Dietary",
            "Familial",
            "Excessive",
            "Early",
            "Prolonged",
        ],
        after: [
            "in childhood",
            "at work",
            "at home",
            "over ten years",
            "in adults",
            "during travel",
            "in the family",
            "since birth",
            "without protection",
            "under stress",
        ],
        chinese: ["习惯", "接触"],
    },
    Style {
        kind: Kind::Procedure,
        per_mille: 80,
        suffixes: ["ectomy", "oplasty", "ostomy", "otomy", "otherapy", "odesis"],
        before: [
            "Laparoscopic",
            "Open",
            "Partial",
            "Total",
            "Robot-assisted",
            "Emergency",
            "Elective",
            "Staged",
            "Percutaneous",
            "Radical",
            "Endoscopic",
            "Revision",
        ],
        after: [
            "with drainage",
            "with mesh",
            "of the knee",
            "of the hip",
            "under sedation",
            "with graft",
            "in two stages",
            "with stent",
            "of the jaw",
            "with fixation",
        ],
        chinese: ["手术", "疗法"],
    },
];

/// Roots of which words are made; few enough that many names share a word.
const ROOTS: u64 = 3_000;
const ONSETS: [&str; 20] = ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "gr", "st", "ph", "tr"];
const CHINESE_FIRST: [&str; 20] = [
    "急性", "慢性", "原发", "继发", "遗传", "复发", "先天", "老年", "小儿", "重度", "轻度", "中度", "局部", "弥漫", "双侧", "单侧", "过敏",
    "感染", "代谢", "免疫",
];
const CHINESE_PARTS: &str = "心肝脾肺肾胃肠胆膀胱脑骨髓皮肤眼耳鼻咽喉口齿舌颈肩肘腕髋膝踝胸腹背腰盆腺淋巴筋";

/// The name of the entity of this number among its kind. Different numbers below 500,000 have different names.
pub(crate) fn name(kind: Kind, number: u32) -> String {
    let style = &KINDS[kind as usize];
    // Of twenty names one is Chinese, seven have a word before, six a phrase behind, six both. Within each form the numbers go round a
    // ring of all combinations in large steps, so that neighbouring numbers (and so hubs) have names that are far apart.
    let (round, form) = (u64::from(number / 20), number % 20);
    match form {
        0 => chinese(style, round),
        1..=7 => {
            let code = step(round * 7 + u64::from(form - 1), 12 * 6 * ROOTS);
            format!("{} {}", style.before[(code % 12) as usize], word(style, code / 12))
        }
        8..=13 => {
            let code = step(round * 6 + u64::from(form - 8), 10 * 6 * ROOTS);
            capitalised(&format!("{} {}", word(style, code / 10), style.after[(code % 10) as usize]))
        }
        _ => {
            let code = step(round * 6 + u64::from(form - 14), 120 * 6 * ROOTS);
            let (before, after) = (style.before[(code % 12) as usize], style.after[(code / 12 % 10) as usize]);
            format!("{before} {} {after}", word(style, code / 120))
        }
    }
}

/// The place of a number on a ring; the step is a prime that divides no ring's size.
fn step(number: u64, ring: u64) -> u64 {
    number * 1_299_709 % ring
}

/// A word of one of [`ROOTS`] and one of six suffixes.
fn word(style: &Style, code: u64) -> String {
    let (suffix, root) = (style.suffixes[(code % 6) as usize], code / 6 % ROOTS);
    // Two or three syllables; 7,919 is prime to the number of syllable pairs, so roots differ in both.
    let syllables = root * 7_919 % 10_000;
    let mut word = String::new();
    let third = (root % 3 == 0).then_some(root * 31 % 100);
    for syllable in [Some(syllables / 100), Some(syllables % 100), third].into_iter().flatten() {
        word.push_str(ONSETS[(syllable / 5) as usize]);
        word.push(char::from(b"aeiou"[(syllable % 5) as usize]));
    }
    word + suffix
}

/// Parts of fixed length, so that different parts never make one name.
fn chinese(style: &Style, number: u64) -> String {
    let parts: Vec<char> = CHINESE_PARTS.chars().collect();
    let code = step(number, (20 * parts.len() * parts.len() * 2) as u64) as usize;
    let (first, rest) = (CHINESE_FIRST[code % 20], code / 20);
    let (a, b) = (parts[rest % parts.len()], parts[rest / parts.len() % parts.len()]);
    format!("{first}{a}{b}{}", style.chinese[rest / parts.len() / parts.len() % 2])
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
