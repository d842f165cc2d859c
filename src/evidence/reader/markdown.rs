//! Markdown: a heading begins a section; the first heading of the highest level is the title. What stands above the first heading is a section
//! of its own.

use crate::evidence::document::{Document, Section};

pub(super) fn read(name: &str, text: &str) -> Document {
    let mut document = Document { id: name.to_owned(), ..Document::default() };
    let mut section = Section::default();
    let mut fence: Option<&str> = None;
    let mut best = usize::MAX;
    let body = without_front_matter(text);
    for line in body.split_inclusive('\n') {
        let bare = line.trim_end();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.trim_start().starts_with(mark));
        if let Some(mark) = mark {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
        }
        let heading = if fence.is_none() { heading(bare) } else { None };
        let Some((level, title)) = heading else {
            section.text.push_str(line);
            continue;
        };
        if level < best {
            best = level;
            document.title = title.to_owned();
        }
        document.sections.push(std::mem::replace(&mut section, Section { name: title.to_owned(), ..Section::default() }));
    }
    document.sections.push(section);
    if document.title.is_empty() {
        document.title = super::plain::title_of(name);
    }
    document
}

/// The level and the words of a heading with number signs.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    if !(1..=6).contains(&level) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let title = rest.trim().trim_end_matches('#').trim();
    (!title.is_empty()).then_some((level, title))
}

/// The text behind a block of metadata between lines of three hyphens.
fn without_front_matter(text: &str) -> &str {
    let inside = text.strip_prefix("---\n");
    inside.and_then(|inside| inside.split_once("\n---\n")).map_or(text, |(_, body)| body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_begin_sections() {
        let text =
            "---\nkey: value\n---\nBefore.\n\n# Gout ##\nWhat it is.\n## Treatment\n- Colchicine\n```\n# no heading\n```\n#nor this\n";
        let document = read("gout.md", text);
        assert_eq!(document.title, "Gout");
        let names: Vec<&str> = document.sections.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, ["", "Gout", "Treatment"]);
        assert_eq!(document.sections[2].text, "- Colchicine\n```\n# no heading\n```\n#nor this\n");
    }

    #[test]
    fn without_a_heading_the_file_gives_the_title() {
        assert_eq!(read("folder/low-back_pain.md", "Text.").title, "low back pain");
    }
}
