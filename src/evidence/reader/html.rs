//! HTML: headings begin sections, block elements break lines, list items become lines with a hyphen. Scripts, styles, navigation and other parts
//! that are no text are left out; nothing is loaded or run.

use crate::evidence::document::{Document, Section};

/// Elements whose content is no text of the document.
const SILENT: [&str; 12] =
    ["script", "style", "noscript", "template", "svg", "math", "iframe", "object", "nav", "select", "button", "textarea"];
/// Elements that begin on a line of their own.
const BLOCKS: [&str; 26] = [
    "p",
    "div",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "aside",
    "ul",
    "ol",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "blockquote",
    "pre",
    "br",
    "hr",
    "figure",
    "figcaption",
    "address",
    "form",
    "details",
    "summary",
    "body",
];
/// The longest tag, in bytes; what is longer is read as text.
const LONGEST_TAG: usize = 1 << 16;

pub(super) fn read(name: &str, text: &str) -> Document {
    let mut parser = Parser::default();
    parser.run(text);
    parser.begin_section(String::new());
    let title = [parser.title, parser.first_heading].into_iter().find(|title| !title.trim().is_empty());
    let title = title.map_or_else(|| super::plain::title_of(name), |title| title.trim().to_owned());
    Document { id: name.to_owned(), title, sections: parser.sections, ..Document::default() }
}

/// Where the text of the current place goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Body,
    Title,
    Heading,
}

#[derive(Debug, Default)]
struct Parser {
    sections: Vec<Section>,
    section: Section,
    title: String,
    heading: String,
    first_heading: String,
    place: Place,
}

impl Parser {
    fn run(&mut self, text: &str) {
        let mut rest = text;
        while let Some(open) = rest.find('<') {
            let (before, from) = rest.split_at(open);
            self.text(before);
            if let Some(comment) = from.strip_prefix("<!--") {
                rest = comment.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            let Some(close) = tag_end(from) else {
                // A lone "<" is text.
                self.text("<");
                rest = from.get(1..).unwrap_or_default();
                continue;
            };
            let tag = from.get(1..close).unwrap_or_default();
            rest = from.get(close + 1..).unwrap_or_default();
            let (closing, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
            let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
            if !closing && SILENT.contains(&name.as_str()) && !tag.ends_with('/') {
                rest = after_element(rest, &name);
                continue;
            }
            self.tag(&name, closing);
        }
        self.text(rest);
    }

    fn tag(&mut self, name: &str, closing: bool) {
        match name {
            "title" => self.place = if closing { Place::Body } else { Place::Title },
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                if closing {
                    let heading = std::mem::take(&mut self.heading);
                    if self.first_heading.is_empty() {
                        self.first_heading.clone_from(&heading);
                    }
                    self.begin_section(heading);
                    self.place = Place::Body;
                } else {
                    self.heading.clear();
                    self.place = Place::Heading;
                }
            }
            "li" if !closing => {
                self.line();
                self.section.text.push_str("- ");
            }
            "td" | "th" if !closing => self.text(" "),
            name if BLOCKS.contains(&name) => self.line(),
            _ => {}
        }
    }

    /// Ends the section before and begins one with this heading.
    fn begin_section(&mut self, heading: String) {
        let next = Section { name: heading.trim().to_owned(), ..Section::default() };
        self.sections.push(std::mem::replace(&mut self.section, next));
    }

    fn line(&mut self) {
        if self.place == Place::Body && !self.section.text.is_empty() && !self.section.text.ends_with('\n') {
            self.section.text.push('\n');
        }
    }

    /// Text, with its references replaced and its white space folded.
    fn text(&mut self, text: &str) {
        let target = match self.place {
            Place::Body => &mut self.section.text,
            Place::Title => &mut self.title,
            Place::Heading => &mut self.heading,
        };
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let (c, taken) = if c == '&' { reference(rest).unwrap_or((c, 1)) } else { (c, c.len_utf8()) };
            rest = rest.get(taken..).unwrap_or_default();
            if !c.is_whitespace() {
                target.push(c);
            } else if !target.is_empty() && !target.ends_with([' ', '\n']) {
                target.push(' ');
            }
        }
    }
}

/// Where a tag that begins the text ends: at ">" outside quotation marks. `None` if this is no tag.
fn tag_end(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate().take(LONGEST_TAG).skip(1);
    let (_, first) = bytes.next()?;
    if !(first.is_ascii_alphabetic() || matches!(first, b'/' | b'!' | b'?')) {
        return None;
    }
    let mut quote = None;
    for (at, byte) in bytes {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// What follows the end of an element whose content is skipped; nothing if it never ends.
fn after_element<'a>(text: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    let found = text.as_bytes().windows(end.len()).position(|window| window.eq_ignore_ascii_case(end.as_bytes()));
    let from = found.and_then(|at| text.get(at..)).unwrap_or_default();
    from.split_once('>').map_or("", |(_, after)| after)
}

/// The character of a reference ("&amp;", "&#233;") that begins the text, and its length in bytes.
fn reference(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" | "rsquo" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "deg" => '°',
        "micro" => 'µ',
        "bull" => '•',
        "hellip" => '…',
        "ge" => '≥',
        "le" => '≤',
        "plusmn" => '±',
        "times" => '×',
        "reg" => '®',
        "trade" => '™',
        "alpha" => 'α',
        "beta" => 'β',
        name => {
            let number = name.strip_prefix('#')?;
            let hexadecimal = number.strip_prefix(['x', 'X']);
            let code = hexadecimal.map_or_else(|| number.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok())?;
            char::from_u32(code)?
        }
    };
    Some((c, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_lists_are_kept_and_scripts_are_not() {
        let page = "<!doctype html><html><head><title>Gout &amp; pain</title><style>p{}</style></head><body><nav>Home</nav>\
            <p>A   form of\n arthritis.</p><h2 id='a>b'>Treatment</h2><ul><li>Colchicine<li>Rest &#233; 5 < 6</ul><script>alert('</p>')</script>\
            <!-- hidden --><p>More.</p></body></html>";
        let document = read("x.html", page);
        assert_eq!(document.title, "Gout & pain");
        assert_eq!(document.sections.len(), 2);
        assert_eq!(document.sections[0].text.trim(), "A form of arthritis.");
        assert_eq!(document.sections[1].name, "Treatment");
        assert_eq!(document.sections[1].text, "- Colchicine\n- Rest é 5 < 6\nMore.\n");
    }

    #[test]
    fn broken_pages_end() {
        for page in ["<", "<script>never", "<!-- open", "a < b & c &#xFFFFFFFF; &unknown;", "<p", "</", "<a href=\"", "<é>"] {
            let document = read("x.html", page);
            assert!(document.sections.len() == 1 && !document.sections[0].text.contains("never"), "{page}");
        }
    }
}
