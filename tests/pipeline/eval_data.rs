//! Question files: the real ones, broken ones, and which form a file has.

use std::collections::BTreeMap;

use crate::support::data::shared;
use catena::eval::dataset::{Dataset, DatasetError, DatasetFormat, EvalQuestion};
use catena::run::AnswerPart;

/// What a file of the shared data comes to.
struct Expected {
    file: &'static str,
    format: DatasetFormat,
    name: &'static str,
    cases: usize,
    /// How many have options, references, key points; key points in all.
    with: [usize; 4],
    groups: &'static [(&'static str, usize)],
}

const EXPECTED: [Expected; 7] = [
    Expected {
        file: "en-genmedgpt/genmedgpt5k.jsonl.gz",
        format: DatasetFormat::GenMedGpt,
        name: "genmedgpt5k",
        cases: 2726,
        with: [0, 2726, 0, 0],
        groups: &[("diagnosis", 1931), ("medication", 400), ("tests", 395)],
    },
    Expected {
        file: "en-medqa/us_4opt_test.jsonl.gz",
        format: DatasetFormat::MedQa,
        name: "us_4opt_test",
        cases: 637,
        with: [637, 0, 0, 0],
        groups: &[("step1", 341), ("step2&3", 296)],
    },
    Expected {
        file: "en-medmcqa/dev.jsonl.gz",
        format: DatasetFormat::MedMcqa,
        name: "dev",
        cases: 2092,
        with: [2092, 0, 0, 0],
        groups: &[("multi", 651), ("single", 1441)],
    },
    Expected {
        file: "en-pubmedqa/ori_pqal.jsonl.gz",
        format: DatasetFormat::PubMedQa,
        name: "ori_pqal",
        cases: 500,
        with: [500, 500, 0, 0],
        groups: &[("", 500)],
    },
    Expected {
        file: "zh-cmmlu/cmmlu_med.jsonl.gz",
        format: DatasetFormat::Cmmlu,
        name: "cmmlu_med",
        cases: 875,
        with: [875, 0, 0, 0],
        groups: &[],
    },
    Expected {
        file: "zh-cmb-clin/cmb_clin.jsonl.gz",
        format: DatasetFormat::CmbClin,
        name: "cmb_clin",
        cases: 104,
        with: [0, 104, 104, 536],
        groups: &[("", 104)],
    },
    Expected {
        file: "en-medquad/medquad_docs.jsonl.gz",
        format: DatasetFormat::MedQuad,
        name: "medquad_docs",
        cases: 8316,
        with: [0, 8316, 0, 0],
        groups: &[],
    },
];

#[test]
fn the_real_files_are_read_whole() {
    for expected in EXPECTED {
        let Some(path) = shared(expected.file) else { continue };
        let set = Dataset::open(&path, None).expect(expected.file);
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for case in &set.questions {
            *groups.entry(&case.group).or_default() += 1;
        }
        let count = |is: fn(&EvalQuestion) -> bool| set.questions.iter().filter(|case| is(case)).count();
        let with = [
            count(|case| !case.options.is_empty() && case.correct.len() == 1),
            count(|case| !case.references.is_empty()),
            count(|case| !case.key_points.is_empty()),
            set.questions.iter().map(|case| case.key_points.len()).sum(),
        ];
        println!("{} {} {with:?} {groups:?} {}", expected.file, set.questions.len(), set.rejected_in_words());
        assert_eq!(
            (set.format, set.name.as_str(), set.questions.len()),
            (expected.format, expected.name, expected.cases),
            "{}",
            expected.file
        );
        assert_eq!(set.rejected, BTreeMap::new(), "{}", expected.file);
        assert_eq!(with, expected.with, "{}", expected.file);
        if !expected.groups.is_empty() {
            assert_eq!(groups.into_iter().collect::<Vec<_>>(), expected.groups, "{}", expected.file);
        }
        // The form that it was told to have is the one that it is told to be.
        assert_eq!(Dataset::open(&path, Some(expected.format)).expect("the same"), set);
    }
}

#[test]
fn genmedgpt_asks_for_the_entities_of_its_phase() {
    let Some(path) = shared("en-genmedgpt/genmedgpt5k.jsonl.gz") else { return };
    let set = Dataset::open(&path, None).expect("a set");
    let asked = |parts: &[AnswerPart]| set.questions.iter().filter(|case| case.gold.asked == parts).count();
    let counts = [&[AnswerPart::Conditions][..], &[AnswerPart::Tests], &[AnswerPart::Treatments], &[]].map(asked);
    assert_eq!(counts, [1701, 384, 400, 241]);
    let sample = set.sample(Some(50), 1);
    let of_phase = |phase: &str| sample.iter().filter(|case| case.group == phase).count();
    assert_eq!((sample.len(), ["diagnosis", "tests", "medication"].map(of_phase).iter().sum::<usize>()), (50, 50));
    assert!(["diagnosis", "tests", "medication"].map(of_phase).iter().all(|count| *count >= 5));
    assert_eq!(set.questions[0].gold.entities[&AnswerPart::Tests][1], ["Occupational therapy assessment (Speech therapy)"]);
}

/// Writes a file and reads it.
fn open(text: impl AsRef<[u8]>, format: Option<DatasetFormat>) -> Result<Dataset, DatasetError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("my.set.jsonl");
    std::fs::write(&path, text).expect("a file");
    Dataset::open(&path, format)
}

#[test]
fn broken_lines_are_counted_by_reason() {
    let mut text = b"not json\n{\"id\":1,\"question\":\"a\",\"answer\":\"x\"}\n\n\xff\n".to_vec();
    text.extend(b"{\"id\":\"1\",\"question\":\"b\",\"answer\":\"x\"}\n{\"id\":2}\n{\"id\":3,\"question\":\"c\"}\n[]\n");
    text.extend(format!("{{\"id\":4,\"question\":\"{}\"}}\n", "x".repeat(2 << 20)).bytes());
    text.extend(b"{\"question\":\"d\",\"options\":[\"x\",\"y\"],\"answer\":\"y\"}");
    let set = open(text, None).expect("two questions");
    assert_eq!((set.name.as_str(), set.format), ("my.set", DatasetFormat::Generic));
    assert_eq!(set.questions.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["1", "10"]);
    let expected = [
        ("a line of more than 1 MiB", (1, 9)),
        ("a repeated id", (1, 5)),
        ("no JSON object", (2, 1)),
        ("no question", (1, 6)),
        ("not valid UTF-8", (1, 4)),
        ("nothing to score an answer by", (1, 7)),
    ];
    assert_eq!(set.rejected, BTreeMap::from(expected));
    assert!(set.rejected_in_words().contains("2 × no JSON object (first in line 1)"));
    // sha256sum of the empty file's neighbour: a digest is of the bytes.
    let small = open("{\"question\":\"a\",\"answer\":\"x\"}\n", None).expect("one");
    assert_eq!(small.digest.len(), 64);
    assert_ne!(small.digest, set.digest);
}

#[test]
fn a_file_without_questions_says_why() {
    let told = |text: &str, format| open(text, format).expect_err("nothing").to_string();
    let nothing = told("", None);
    assert!(nothing.contains("my.set.jsonl has no usable question: it is empty") && nothing.contains("cmb-clin"), "{nothing}");
    let generic = told("{\"text\":\"a\"}\n", None);
    assert!(generic.contains("usable question as generic: 1 × no question (first in line 1)"), "{generic}");
    let wrong = told("{\"question\":\"a\",\"answer\":\"x\"}\n", Some(DatasetFormat::PubMedQa));
    assert!(wrong.contains("usable question as pubmedqa: 1 × no \"final_decision\" (first in line 1)"), "{wrong}");
    let missing = Dataset::open(std::path::Path::new("/nowhere/at all.jsonl"), None).expect_err("is not there").to_string();
    assert!(missing.starts_with("/nowhere/at all.jsonl cannot be read: "), "{missing}");
    assert!("medqa2".parse::<DatasetFormat>().expect_err("unknown").to_string().contains("medqa, medmcqa"));
    for format in DatasetFormat::ALL {
        assert_eq!(format.as_str().parse(), Ok(format));
    }
}

#[test]
fn options_counted_from_zero_are_refused_whole() {
    let line = |id: usize, cop: usize| {
        format!("{{\"id\":\"{id}\",\"question\":\"?\",\"opa\":\"w\",\"opb\":\"x\",\"opc\":\"y\",\"opd\":\"z\",\"cop\":{cop}}}\n")
    };
    let set = open(line(1, 1) + &line(2, 4) + &line(3, 5), None).expect("two");
    assert_eq!(set.questions.iter().map(|case| case.correct[0]).collect::<Vec<_>>(), [0, 3]);
    assert_eq!(set.rejected, BTreeMap::from([("no \"cop\" from 1 to 4", (1, 3))]));
    let zero = open(line(1, 1) + &line(2, 0), None).expect_err("counted from 0").to_string();
    assert!(zero.contains("line 2: the key \"cop\" is 0"), "{zero}");
}

#[test]
fn a_packed_file_that_is_cut_off_says_so() {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all("{\"question\":\"a\",\"answer\":\"x\"}\n".repeat(50).as_bytes()).expect("packs");
    let packed = packer.finish().expect("packs");
    let told = open(&packed[..packed.len() / 2], None).expect_err("cut off").to_string();
    assert!(told.contains("gzip data is cut off"), "{told}");
}

#[test]
fn one_file_has_one_digest() {
    let Some(path) = shared("zh-cmb-clin/cmb_clin.jsonl.gz") else { return };
    let set = Dataset::open(&path, None).expect("a set");
    assert_eq!(set.digest, "36f12db4a1c2141aa1d1e184c37d1a460e747c750b8bbe478204a1b0b89129a6");
    let first = &set.questions[0];
    assert!(first.question.contains("右下腹痛") && first.question.ends_with("简述该病人的诊断及诊断依据。"));
    assert!(!first.question.contains("腹外疝"), "the title names the diagnosis");
    assert_eq!((first.id.as_str(), first.key_points[0].as_str()), ("0-1", "诊断：嵌顿性腹股沟斜疝合并肠梗阻"));
}

#[test]
fn the_forms_of_the_papers_sets_are_told_and_read() {
    let exam = r#"{"exam_type":"医师考试","exam_class":"执业医师","exam_subject":"口腔","question":"下列哪些是？","answer":"BD","question_type":"多项选择题","option":{"A":"甲","B":"乙","C":"丙","D":"丁","E":""}}"#;
    let one = exam.replace("多项", "单项").replace("BD", "C");
    let set = open(format!("{exam}\n{one}\n{}\n", exam.replace("BD", "BZ")), None).expect("two");
    assert_eq!((set.format, set.rejected.len()), (DatasetFormat::CmbExam, 1));
    let of = |at: usize| (&set.questions[at].correct[..], set.questions[at].options.len(), set.questions[at].has_several);
    assert_eq!((of(0), of(1)), ((&[1, 3][..], 4, true), (&[2][..], 4, false)));
    assert!(set.questions[0].asked_for_labels().ends_with("D. 丁\n只回答所有正确选项的字母。"), "{}", set.questions[0].asked_for_labels());

    let sciq = r#"{"question":"What makes winds turn?","correct_answer":"Coriolis","distractor1":"muon","distractor2":"centrifugal","distractor3":"tropical","support":"Read me."}"#;
    let set = open(format!("{sciq}\n"), None).expect("one");
    let question = &set.questions[0];
    let texts: Vec<&str> = question.options.iter().map(|option| option.text.as_str()).collect();
    assert_eq!(
        (set.format, texts, &question.correct[..]),
        (DatasetFormat::SciQ, vec!["centrifugal", "Coriolis", "muon", "tropical"], &[1][..])
    );
    assert!(!question.asked_as().contains("Read me") && question.asked_for_labels().ends_with("the letter of the right option alone."));

    let science = r#"{"id":"7","question":"Which is a solid?","choices":["ice","steam"],"answer":0,"hint":"","image":null,"subject":"natural science","split":"test"}"#;
    let pictured = science.replace("null", "\"image.png\"").replace("\"7\"", "\"8\"");
    let hinted = science.replace("\"hint\":\"\"", "\"hint\":\"Read.\"").replace("\"7\"", "\"9\"");
    let set = open(
        format!("{science}\n{pictured}\n{hinted}\n{}\n", science.replace("\"answer\":0", "\"answer\":2").replace("\"7\"", "\"10\"")),
        None,
    )
    .expect("one");
    assert_eq!((set.format, set.questions.len(), set.questions[0].group.as_str()), (DatasetFormat::ScienceQa, 1, "natural science"));
    let expected =
        [("a problem with an image", (1, 2)), ("a problem with a text to read", (1, 3)), ("an answer that is none of the options", (1, 4))];
    assert_eq!(set.rejected, BTreeMap::from(expected));

    let web =
        r#"{"url":"http://www.freebase.com/view/en/jamaica","question":"what do they speak?","answers":["Jamaican Creole","English"]}"#;
    let set = open(format!("{web}\n{}\n", web.replace(r#"["Jamaican Creole","English"]"#, "[]")), None).expect("one");
    assert_eq!(
        (set.format, &set.questions[0].references[..]),
        (DatasetFormat::WebQuestions, &["Jamaican Creole".to_owned(), "English".to_owned()][..])
    );
    assert_eq!(set.rejected, BTreeMap::from([("an answer that is no text", (1, 2))]));
}

#[test]
fn rows_of_mmcus_sheets_are_read_with_the_labels_of_their_columns() {
    let row = |cells: &str| format!("{{\"subject\":\"药理学200题\",\"row\":[{cells}]}}\n");
    let lines = [
        row(r#""阿司匹林的作用是","A、解热","B.镇痛","Ｃ、抗血小板","D: 止血","ABC",null"#),
        row(r#""剂量是多少？\n请选择",1,2.5,"3","C型肝炎","ＢＤ""#),
        row(r#""下列错误的是","甲",null,"丙","","C""#),
        row(r#""没有这个选项","甲","乙","丙","丁","E""#),
        row(r#""只有一个选项","甲","A""#),
        row(r#"null,"甲","乙","A""#),
        row(r#"null,"""#),
        row(r#""题目""#),
    ];
    let set = open(lines.concat(), None).expect("three");
    assert_eq!((set.format, set.questions.len(), "mmcu".parse().ok()), (DatasetFormat::Mmcu, 3, Some(DatasetFormat::Mmcu)));
    let options = |at: usize| -> Vec<(&str, &str)> {
        set.questions[at].options.iter().map(|option| (option.label.as_str(), option.text.as_str())).collect()
    };
    assert_eq!(options(0), [("A", "解热"), ("B", "镇痛"), ("C", "抗血小板"), ("D", "止血")]);
    assert_eq!(options(1), [("A", "1"), ("B", "2.5"), ("C", "3"), ("D", "C型肝炎")], "a letter of the text is no label");
    assert_eq!(options(2), [("A", "甲"), ("C", "丙")], "each option has the label of its column");
    let correct: Vec<&[usize]> = set.questions.iter().map(|question| &question.correct[..]).collect();
    assert_eq!(correct, [&[0, 1, 2][..], &[1, 3], &[1]]);
    let first = &set.questions[0];
    assert_eq!((first.id.as_str(), first.group.as_str(), first.has_several), ("1", "药理学200题", true));
    assert!(first.asked_for_labels().ends_with("只回答所有正确选项的字母。"), "{}", first.asked_for_labels());
    let expected = [
        ("an answer that is none of the options", (1, 4)),
        ("fewer than two options", (1, 5)),
        ("no question", (2, 6)),
        ("no answer", (1, 8)),
    ];
    assert_eq!(set.rejected, BTreeMap::from(expected));
}
