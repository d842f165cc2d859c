//! PDF with text, by lopdf: each page is a section. Pages without text (scanned ones) are reported. A file is bounded in bytes, unpacked bytes, pages and
//! time, so that a file that unpacks without end, or whose parts refer to each other in a ring, ends as a rejected one.

use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use lopdf::LoadOptions;

use super::Output;
use super::plain::title_of;
use crate::evidence::document::{Document, Section};

/// The largest file, in bytes.
const LARGEST: u64 = 64 << 20;
/// The most bytes that one stream may unpack to.
const UNPACKED: usize = 64 << 20;
/// The most pages.
const PAGES: usize = 3000;
/// The most bytes of text.
const LARGEST_TEXT: usize = 64 << 20;
/// The longest time for a file.
const LONGEST: Duration = Duration::from_secs(60);

/// The texts of the pages, and which of them could not be read.
struct Pages {
    texts: Vec<String>,
    unreadable: usize,
}

pub(super) fn read(file: &Path, shown: &str, out: &mut Output<'_>) -> io::Result<()> {
    read_within(file, shown, out, LONGEST)
}

fn read_within(file: &Path, shown: &str, out: &mut Output<'_>, longest: Duration) -> io::Result<()> {
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        out.reject("a file of more than 64 MiB", || shown.to_owned());
        return Ok(());
    }
    // On a thread of its own: one that does not end is left behind, and ends with the program.
    let (send, receive) = channel();
    std::thread::Builder::new().name("pdf".into()).stack_size(16 << 20).spawn(move || {
        // Nobody may wait any more.
        let _ = send.send(pages(&bytes));
    })?;
    let pages = match receive.recv_timeout(longest) {
        Ok(Ok(pages)) => pages,
        Ok(Err(why)) => {
            out.reject(why, || shown.to_owned());
            return Ok(());
        }
        Err(RecvTimeoutError::Timeout) => {
            out.reject("a PDF that takes longer than a minute", || shown.to_owned());
            return Ok(());
        }
        Err(RecvTimeoutError::Disconnected) => {
            out.reject("a damaged PDF", || shown.to_owned());
            return Ok(());
        }
    };
    let sections: Vec<Section> = (1..)
        .zip(&pages.texts)
        .filter(|(_, text)| text.chars().any(char::is_alphanumeric))
        .map(|(page, text)| Section { name: format!("page {page}"), heading: heading_of(text), text: text.clone() })
        .collect();
    let without = pages.texts.len() - sections.len() - pages.unreadable.min(pages.texts.len() - sections.len());
    for (count, why) in [(without, "a page without text, perhaps scanned"), (pages.unreadable, "a page that cannot be read")] {
        (0..count).for_each(|_| out.reject(why, || shown.to_owned()));
    }
    if sections.is_empty() {
        out.reject("a PDF without text, perhaps scanned: recognise its text first (OCR)", || shown.to_owned());
        return Ok(());
    }
    out.put(Document { id: shown.to_owned(), title: title_of(shown), sections, ..Document::default() }, || shown.to_owned());
    Ok(())
}

fn pages(bytes: &[u8]) -> Result<Pages, &'static str> {
    let options = LoadOptions::with_max_decompressed_size(UNPACKED);
    let pdf = lopdf::Document::load_mem_with_options(bytes, options).map_err(|_| "a damaged PDF, or one that unpacks to too much")?;
    if pdf.is_encrypted() {
        return Err("a PDF with a password");
    }
    let numbers: Vec<u32> = pdf.get_pages().into_keys().take(PAGES + 1).collect();
    if numbers.len() > PAGES {
        return Err("a PDF of more than 3,000 pages");
    }
    let (mut texts, mut unreadable, mut length) = (Vec::with_capacity(numbers.len()), 0, 0);
    for number in numbers {
        let text = pdf.extract_text_with_limit(&[number], UNPACKED);
        unreadable += usize::from(text.is_err());
        let text = text.unwrap_or_default();
        length += text.len();
        if length > LARGEST_TEXT {
            return Err("a PDF of more than 64 MiB of text");
        }
        texts.push(text);
    }
    Ok(Pages { texts, unreadable })
}

/// The first line of a page, if it is short enough for a heading.
fn heading_of(text: &str) -> String {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if first.chars().count() <= 80 && !first.ends_with('.') { first.to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::super::DocumentFormat;
    use super::super::tests::read_text;

    /// A PDF of these pages, by their content streams; `kids` replaces the list of pages.
    fn pdf(pages: &[&str], kids: Option<&str>) -> Vec<u8> {
        let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned(), String::new()];
        objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".into());
        let mut listed = Vec::new();
        for content in pages {
            let page = objects.len() + 1;
            listed.push(format!("{page} 0 R"));
            objects.push(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
                page + 1
            ));
            objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
        }
        let kids = kids.map_or_else(|| listed.join(" "), str::to_owned);
        objects[1] = format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len());
        let mut bytes = b"%PDF-1.4\n".to_vec();
        let mut offsets = Vec::new();
        for (number, object) in (1..).zip(&objects) {
            offsets.push(bytes.len());
            bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
        }
        let table = bytes.len();
        bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
        for offset in offsets {
            bytes.extend(format!("{offset:010} 00000 n \n").bytes());
        }
        bytes.extend(format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1).bytes());
        bytes
    }

    const TEXT: &str = "BT /F1 12 Tf 50 700 Td (Gout) Tj 0 -20 Td (Colchicine relieves an attack.) Tj ET";

    #[test]
    fn pages_are_sections_and_scanned_ones_are_reported() {
        let (documents, report) = read_text(DocumentFormat::Pdf, pdf(&[TEXT, "q Q"], None));
        assert_eq!(documents.len(), 1, "{report:?}");
        assert_eq!(documents[0].sections.len(), 1);
        assert_eq!(documents[0].sections[0].name, "page 1");
        assert!(documents[0].sections[0].text.contains("Colchicine relieves an attack."), "{:?}", documents[0].sections);
        assert_eq!(report.rejected.get("a page without text, perhaps scanned").map(|(count, _)| *count), Some(1));

        let (documents, report) = read_text(DocumentFormat::Pdf, pdf(&["q Q"], None));
        assert!(documents.is_empty() && report.rejected.keys().any(|why| why.contains("OCR")), "{report:?}");
    }

    #[test]
    fn rings_damage_and_bombs_end() {
        // Pages that are their own parents, and a page tree within itself.
        for kids in ["2 0 R", "2 0 R 2 0 R 4 0 R", "4 0 R 4 0 R", "99 0 R"] {
            let (documents, report) = read_text(DocumentFormat::Pdf, pdf(&[TEXT], Some(kids)));
            assert!(documents.len() == 1 || !report.rejected.is_empty(), "{kids}");
        }
        let whole = pdf(&[TEXT], None);
        for length in [0, 5, 20, whole.len() / 2, whole.len() - 20] {
            let (documents, report) = read_text(DocumentFormat::Pdf, &whole[..length]);
            assert!(documents.len() == 1 || !report.rejected.is_empty(), "{length} bytes");
        }
        for at in (0..whole.len()).step_by(7) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x21;
            let (documents, report) = read_text(DocumentFormat::Pdf, damaged);
            assert!(documents.len() == 1 || !report.rejected.is_empty(), "byte {at}");
        }
    }

    #[test]
    fn a_stream_that_unpacks_to_too_much_is_refused() {
        use std::io::Write;
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        let zeros = vec![b' '; 1 << 20];
        (0..80).for_each(|_| packed.write_all(&zeros).expect("packs"));
        let packed = packed.finish().expect("packs");
        let whole = pdf(&["PLACE"], None);
        let text = b"<< /Length 5 >>\nstream\nPLACE";
        let at = whole.windows(text.len()).position(|window| window == text).expect("there");
        let mut bytes = whole[..at].to_vec();
        bytes.extend(format!("<< /Filter /FlateDecode /Length {} >>\nstream\n", packed.len()).bytes());
        bytes.extend(&packed);
        bytes.extend(&whole[at + text.len()..]);
        // The table of objects lies elsewhere now.
        let table = bytes.windows(5).position(|window| window == b"xref\n").expect("there");
        let end = String::from_utf8_lossy(&bytes[bytes.len() - 60..]).into_owned();
        let before = end.split("startxref\n").nth(1).and_then(|rest| rest.lines().next()).expect("there").to_owned();
        let tail = end.replace(&format!("startxref\n{before}"), &format!("startxref\n{table}"));
        bytes.truncate(bytes.len() - 60);
        bytes.extend(tail.bytes());
        let (documents, report) = read_text(DocumentFormat::Pdf, bytes);
        assert!(documents.is_empty() && !report.rejected.is_empty(), "{report:?}");
    }
}
