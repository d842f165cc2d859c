//! openFDA drug labels: the `results` of its API and its bulk files, which are read one label at a time; and one label a line,
//! `{"set_id","effective","generic_name","brand_name","sections":{…}}`.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::Output;
use super::source::unpacked;
use crate::evidence::document::{Document, Section};
use crate::text::{Bounded, NumberedLines, clean_line};

/// The most bytes of one label, unpacked.
const LARGEST_LABEL: u64 = 32 << 20;
/// Keys of an API result that are texts but no sections.
const NO_SECTIONS: [&str; 6] =
    ["id", "set_id", "version", "effective_time", "spl_product_data_elements", "package_label_principal_display_panel"];
/// Where a label can be read.
const ADDRESS: &str = "https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid=";

pub(super) fn read(file: &Path, out: &mut Output<'_>) -> io::Result<()> {
    unpacked(file, &[".json", ".jsonl"], out, |bytes, out| {
        let mut input = io::BufReader::with_capacity(1 << 18, bytes);
        // A file of lines begins with a whole label; a file of results with the key of another thing.
        let begin = String::from_utf8_lossy(input.fill_buf()?).chars().take(4000).collect::<String>();
        let is_results = begin.contains("\"meta\"") && !begin.contains("\"sections\"") || begin.trim_start().starts_with('[');
        if is_results { read_results(input, out) } else { read_lines(input, out) }
    })
}

fn read_lines(input: impl BufRead, out: &mut Output<'_>) -> io::Result<()> {
    let mut lines = NumberedLines::new(input);
    while let Some(line) = lines.next()? {
        let number = line.number;
        let place = || format!("line {number}");
        match line.text.and_then(|text| serde_json::from_str::<Map<String, Value>>(&text).map_err(|_| "no drug label")) {
            Ok(label) => {
                if !out.put(document(&label), place) {
                    break;
                }
            }
            Err(why) => out.reject(why, place),
        }
    }
    Ok(())
}

/// Reads `results` one after the other; stops at the first that is too large or damaged, and counts that.
fn read_results(input: impl Read, out: &mut Output<'_>) -> io::Result<()> {
    let left = Rc::new(Cell::new(LARGEST_LABEL));
    let mut parser =
        serde_json::Deserializer::from_reader(io::BufReader::new(Bounded::new(input, Rc::clone(&left), "a part is too large")));
    let mut number = 0;
    let read = Top { out, left, number: &mut number }.deserialize(&mut parser);
    match read {
        Ok(()) => Ok(()),
        Err(_) if !out.wants_more() => Ok(()),
        Err(error) => {
            let why = if left_is_used(&error) { "a label of more than 32 MiB; what follows it" } else { "damaged JSON; what follows it" };
            out.reject(why, || format!("behind label {number}"));
            Ok(())
        }
    }
}

fn left_is_used(error: &serde_json::Error) -> bool {
    error.is_io()
}

/// The outermost value: a list of labels, or an object whose `results` are.
struct Top<'o, 's, 'n> {
    out: &'o mut Output<'s>,
    left: Rc<Cell<u64>>,
    number: &'n mut usize,
}

impl<'de> DeserializeSeed<'de> for Top<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("drug labels")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { out, left, number } = self;
        while let Some(key) = map.next_key::<String>()? {
            if key == "results" {
                map.next_value_seed(Top { out: &mut *out, left: Rc::clone(&left), number: &mut *number })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut labels: A) -> Result<(), A::Error> {
        while let Some(label) = labels.next_element::<Value>()? {
            *self.number += 1;
            self.left.set(LARGEST_LABEL);
            let number = *self.number;
            match &label {
                Value::Object(label) => {
                    if !self.out.put(document(label), || format!("label {number}")) {
                        return Err(serde::de::Error::custom("stopped"));
                    }
                }
                _ => self.out.reject("no drug label", || format!("label {number}")),
            }
        }
        Ok(())
    }
}

fn document(label: &Map<String, Value>) -> Document {
    let open_fda = label.get("openfda").and_then(Value::as_object).unwrap_or(label);
    let list = |key: &str| match open_fda.get(key) {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).map(|name| clean_line(name).into_owned()).collect(),
        Some(Value::String(name)) => vec![clean_line(name).into_owned()],
        _ => Vec::new(),
    };
    let text = |key: &str| label.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (brands, generics): (Vec<String>, Vec<String>) = (list("brand_name"), list("generic_name"));
    let set_id = text("set_id");
    let title = match (brands.first(), generics.first()) {
        (Some(brand), Some(generic)) if !brand.eq_ignore_ascii_case(generic) => format!("{brand} ({})", generic.to_lowercase()),
        (Some(name), _) | (_, Some(name)) => name.clone(),
        _ => String::new(),
    };
    let sections = match label.get("sections").and_then(Value::as_object) {
        Some(sections) => sections.iter().filter_map(|(name, text)| Some(section(name, text.as_str()?.to_owned()))).collect(),
        None => label.iter().filter_map(|(name, value)| result_section(name, value)).collect(),
    };
    let date = [text("effective"), text("effective_time")].into_iter().find(|date| !date.is_empty()).unwrap_or_default();
    Document {
        url: if set_id.is_empty() { String::new() } else { format!("{ADDRESS}{set_id}") },
        id: if set_id.is_empty() { text("id") } else { set_id },
        title,
        aliases: brands.into_iter().chain(generics.iter().flat_map(|generic| names_of(generic))).chain(list("substance_name")).collect(),
        source: list("manufacturer").into_iter().chain(list("manufacturer_name")).next().unwrap_or_else(|| text("manufacturer")),
        date,
        sections,
    }
}

/// A section of an API result: a list of texts under a key of its own, without tables.
fn result_section(name: &str, value: &Value) -> Option<Section> {
    if NO_SECTIONS.contains(&name) || name.ends_with("_table") {
        return None;
    }
    let texts: Vec<&str> = value.as_array()?.iter().filter_map(Value::as_str).collect();
    Some(section(name, texts.join("\n"))).filter(|section| !section.text.is_empty())
}

fn section(name: &str, text: String) -> Section {
    Section { name: name.to_owned(), heading: name.replace('_', " "), text }
}

/// A generic name, and its parts without the salt: "ABACAVIR SULFATE AND LAMIVUDINE" is abacavir, lamivudine and both.
fn names_of(generic: &str) -> Vec<String> {
    const SALTS: [&str; 34] = [
        "sulfate",
        "hydrochloride",
        "hcl",
        "sodium",
        "potassium",
        "calcium",
        "magnesium",
        "maleate",
        "mesylate",
        "tartrate",
        "succinate",
        "fumarate",
        "phosphate",
        "acetate",
        "citrate",
        "besylate",
        "tosylate",
        "bromide",
        "hydrobromide",
        "chloride",
        "nitrate",
        "malate",
        "disodium",
        "monohydrate",
        "dihydrate",
        "trihydrate",
        "anhydrous",
        "hemihydrate",
        "dihydrochloride",
        "medoxomil",
        "mofetil",
        "alafenamide",
        "disoproxil",
        "tromethamine",
    ];
    let lower = generic.to_lowercase();
    let mut names = vec![lower.clone()];
    for part in lower.split([',', ';', '/']).flat_map(|part| part.split(" and ")) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let kept = words.iter().rposition(|word| !SALTS.contains(word)).map_or(0, |last| last + 1);
        let name = words.get(..kept).unwrap_or_default().join(" ");
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::reader::DocumentFormat;
    use crate::evidence::reader::tests::read_text;

    #[test]
    fn a_label_a_line() {
        let text = r#"{"set_id":"s1","effective":"20230929","generic_name":["ABACAVIR SULFATE AND LAMIVUDINE"],"brand_name":["Epzicom"],"manufacturer":["ViiV"],"sections":{"pregnancy":"8.1 Pregnancy Text.","overdosage":"10 Text."}}"#;
        let (documents, _) = read_text(DocumentFormat::OpenFda, text);
        let label = &documents[0];
        assert_eq!((label.id.as_str(), label.title.as_str()), ("s1", "Epzicom (abacavir sulfate and lamivudine)"));
        assert!(label.aliases.contains(&"abacavir".into()) && label.aliases.contains(&"lamivudine".into()), "{:?}", label.aliases);
        assert_eq!((label.source.as_str(), label.date.as_str(), label.sections.len()), ("ViiV", "20230929", 2));
        assert!(label.url.ends_with("setid=s1"));
    }

    #[test]
    fn results_are_read_one_by_one_also_packed() {
        let text = r#"{"meta":{"results":{"total":2}},"results":[
            {"set_id":"a","effective_time":"20200101","openfda":{"brand_name":["Zoloft"],"generic_name":["SERTRALINE HYDROCHLORIDE"]},
             "pregnancy":["8.1 Pregnancy. Text."],"pregnancy_table":["<table>"],"id":"x"},
            5, {"set_id":"b","openfda":{},"overdosage":["Text."]}, {"broken"#;
        let (documents, report) = read_text(DocumentFormat::OpenFda, text);
        assert_eq!(documents.len(), 2);
        assert_eq!(documents[0].title, "Zoloft (sertraline hydrochloride)");
        assert!(documents[0].aliases.contains(&"sertraline".into()));
        assert_eq!(documents[0].sections.len(), 1);
        assert_eq!(report.rejected.keys().collect::<Vec<_>>(), ["damaged JSON; what follows it", "no drug label"]);

        let mut packed = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        packed.start_file("labels.json", zip::write::SimpleFileOptions::default()).expect("a file");
        io::Write::write_all(&mut packed, &text.as_bytes()[..text.len() - 10]).expect("packs");
        let bytes = packed.finish().expect("packs").into_inner();
        assert_eq!(read_text(DocumentFormat::OpenFda, bytes).0, documents);
    }

    #[test]
    fn a_label_without_end_is_not_read_into_memory() {
        let mut text = br#"{"meta":{},"results":[{"set_id":"a","overdosage":["Text."]},{"set_id":""#.to_vec();
        text.resize(text.len() + (LARGEST_LABEL as usize) + (2 << 20), b'x');
        let (documents, report) = read_text(DocumentFormat::OpenFda, text);
        assert_eq!(documents.len(), 1);
        assert_eq!(report.rejected.keys().collect::<Vec<_>>(), ["a label of more than 32 MiB; what follows it"]);
    }
}
