//! MedlinePlus's health topics (`mplus_topics_…xml`, also zipped): each topic is a document, with its other names; its summary is HTML within XML, whose
//! headings begin sections. Topics in other languages than English are left out and counted.

use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::Output;
use super::html;
use super::source::unpacked;
use crate::evidence::document::Document;
use crate::text::Bounded;

/// The most bytes of one topic, unpacked.
const LARGEST_TOPIC: u64 = 8 << 20;

/// A topic while it is read.
#[derive(Default)]
struct Topic {
    document: Document,
    language: String,
    summary: String,
}

pub(super) fn read(file: &Path, out: &mut Output<'_>) -> io::Result<()> {
    unpacked(file, &[".xml"], out, |bytes, out| {
        let left = Rc::new(Cell::new(LARGEST_TOPIC));
        let mut number = 0;
        match topics(Bounded::new(bytes, Rc::clone(&left), "a part is too large"), &left, out, &mut number) {
            Ok(()) => {}
            Err(quick_xml::Error::Io(_)) => out.reject("a topic of more than 8 MiB; what follows it", || format!("behind topic {number}")),
            Err(_) => out.reject("damaged XML; what follows it", || format!("behind topic {number}")),
        }
        Ok(())
    })
}

fn topics(input: impl Read, left: &Cell<u64>, out: &mut Output<'_>, number: &mut usize) -> Result<(), quick_xml::Error> {
    let mut reader = Reader::from_reader(BufReader::with_capacity(1 << 16, input));
    let mut buffer = Vec::new();
    let mut topic: Option<Topic> = None;
    // The element whose text is read, and the text.
    let mut inside = String::new();
    let mut text = String::new();
    let mut ended = false;
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer)? {
            Event::Start(start) => {
                let name = start.name();
                if name.as_ref() == "health-topic" {
                    left.set(LARGEST_TOPIC);
                    topic = Some(begin(&start));
                } else {
                    inside = name.as_ref().to_owned();
                    text.clear();
                }
            }
            Event::Text(piece) => text.push_str(&piece.xml10_content()),
            Event::CData(piece) => text.push_str(&piece.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(c)) => text.push(c),
                _ => text.push_str(match reference.xml10_content().as_ref() {
                    "lt" => "<",
                    "gt" => ">",
                    "amp" => "&",
                    "quot" => "\"",
                    "apos" => "'",
                    // An entity of the document's own may stand for anything, also for itself.
                    _ => " ",
                }),
            },
            Event::End(end) => {
                let name = end.name();
                if name.as_ref() == "health-topic" {
                    *number += 1;
                    if let Some(topic) = topic.take()
                        && !put(topic, out, *number)
                    {
                        return Ok(());
                    }
                } else if let (Some(topic), true) = (&mut topic, name.as_ref() == inside) {
                    match inside.as_str() {
                        "also-called" => topic.document.aliases.push(text.trim().to_owned()),
                        "full-summary" => topic.summary = std::mem::take(&mut text),
                        _ => {}
                    }
                    inside.clear();
                }
                ended |= name.as_ref() == "health-topics";
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if *number == 0 && !ended {
        out.reject("no health topic", || "the file".to_owned());
    } else if !ended {
        out.reject("the file ends within its topics", || format!("behind topic {number}"));
    }
    Ok(())
}

fn begin(start: &BytesStart<'_>) -> Topic {
    let value = |name: &str| {
        let found = start.attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
        unescape(&found.value).ok().map(|value| value.into_owned())
    };
    let of = |name: &str| value(name).unwrap_or_default();
    // Dates are written as month/day/year.
    let date = match of("date-created").split('/').collect::<Vec<_>>().as_slice() {
        [month, day, year] => format!("{year}-{month}-{day}"),
        _ => String::new(),
    };
    let document =
        Document { id: of("id"), title: of("title"), source: "MedlinePlus".to_owned(), url: of("url"), date, ..Document::default() };
    Topic { document, language: of("language"), summary: String::new() }
}

fn put(topic: Topic, out: &mut Output<'_>, number: usize) -> bool {
    let Topic { mut document, language, summary } = topic;
    if !language.is_empty() && language != "English" {
        out.reject("a topic in another language than English", || format!("topic {number}"));
        return out.wants_more();
    }
    document.sections = html::read(&document.title, &summary).sections;
    for section in document.sections.iter_mut().filter(|section| section.name.is_empty()) {
        section.name = "summary".to_owned();
    }
    out.put(document, || format!("topic {number}"))
}

#[cfg(test)]
mod tests {
    use super::super::DocumentFormat;
    use super::super::tests::read_text;

    const TOPICS: &str = concat!(
        r#"<?xml version="1.0"?><!DOCTYPE x [<!ENTITY lol "&lol;&lol;">]><health-topics total="3">"#,
        r#"<health-topic title="Gout &amp; pain" url="https://medlineplus.gov/gout.html" id="62" language="English" date-created="10/22/2022">"#,
        r"<also-called>Podagra</also-called><full-summary>&lt;p&gt;A form of arthritis.&lt;/p&gt;&lt;h3&gt;How is gout treated?&lt;/h3&gt;&lt;ul&gt;&lt;li&gt;Colchicine &amp;amp; rest&lt;/li&gt;&lt;/ul&gt;&lol;</full-summary>",
        r#"<group>Bones</group></health-topic><health-topic title="Gota" id="63" language="Spanish"><full-summary>x</full-summary></health-topic>"#,
        r#"<health-topic title="Empty" id="64" language="English"><full-summary></full-summary></health-topic></health-topics>"#,
    );

    #[test]
    fn topics_have_sections_other_names_and_dates() {
        let (documents, report) = read_text(DocumentFormat::MedlinePlus, TOPICS);
        assert_eq!(documents.len(), 1, "{report:?}");
        let gout = &documents[0];
        assert_eq!((gout.id.as_str(), gout.title.as_str(), gout.date.as_str()), ("62", "Gout & pain", "2022-10-22"));
        assert_eq!((gout.aliases.as_slice(), gout.url.as_str()), (["Podagra".to_owned()].as_slice(), "https://medlineplus.gov/gout.html"));
        assert_eq!(gout.sections.iter().map(|section| section.name.as_str()).collect::<Vec<_>>(), ["summary", "How is gout treated?"]);
        assert!(gout.sections[1].text.contains("- Colchicine & rest"), "{:?}", gout.sections);
        let reasons: Vec<&str> = report.rejected.keys().map(String::as_str).collect();
        assert_eq!(reasons, ["a document without text", "a topic in another language than English"]);
    }

    #[test]
    fn damaged_files_end_and_are_told() {
        for damaged in ["", "<health-topics>", "<a><b></a>", &TOPICS[..TOPICS.len() / 2], "\u{0}\u{1b}[31m", "<health-topic id="] {
            let (_, report) = read_text(DocumentFormat::MedlinePlus, damaged);
            assert!(!report.rejected.is_empty(), "{damaged:?}");
        }
        let huge = format!("<health-topics><health-topic id=\"1\"><full-summary>{}", "x".repeat(9 << 20));
        let (documents, report) = read_text(DocumentFormat::MedlinePlus, huge);
        assert!(documents.is_empty() && report.rejected.contains_key("a topic of more than 8 MiB; what follows it"), "{report:?}");
    }
}
