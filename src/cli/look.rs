//! Colours of an answer on a terminal; none through a pipe, or where `NO_COLOR` asks for none.

use std::io::{IsTerminal, stdout};

/// Headings stand out, citations recede.
const HEADING: &str = "\u{1b}[1m";
const CITATION: &str = "\u{1b}[36m";
const PLAIN: &str = "\u{1b}[0m";

/// How an answer looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    coloured: bool,
}

impl Look {
    /// As standard output allows.
    pub(super) fn of_stdout() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { coloured: stdout().is_terminal() && !refused }
    }

    /// A heading.
    pub(super) fn heading(self, text: &str) -> String {
        if self.coloured { format!("{HEADING}{text}{PLAIN}") } else { text.to_owned() }
    }

    /// A citation.
    pub(super) fn citation(self, text: &str) -> String {
        if self.coloured { format!("{CITATION}{text}{PLAIN}") } else { text.to_owned() }
    }

    /// An answer that was made safe to print: lines that nothing is said in are headings, numbers in brackets are citations.
    pub(super) fn answer(self, text: &str) -> String {
        if !self.coloured {
            return text.to_owned();
        }
        let lines: Vec<String> = text.lines().map(|line| self.line(line)).collect();
        lines.join("\n")
    }

    fn line(self, line: &str) -> String {
        let is_heading = !line.trim().is_empty() && !line.contains('[') && line.trim_end().ends_with([':', '：']) || line.starts_with('#');
        if is_heading {
            return self.heading(line);
        }
        let mut coloured = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(start) = rest.find('[') {
            let (before, from) = rest.split_at(start);
            coloured.push_str(before);
            let length = from.find(']').map(|end| end + 1);
            match length.filter(|length| from[1..length - 1].bytes().all(|byte| byte.is_ascii_digit()) && *length > 2) {
                Some(length) => {
                    coloured.push_str(&self.citation(&from[..length]));
                    rest = &from[length..];
                }
                None => {
                    coloured.push('[');
                    rest = &from[1..];
                }
            }
        }
        coloured.push_str(rest);
        coloured
    }
}

#[cfg(test)]
mod tests {
    use super::Look;

    #[test]
    fn headings_and_citations_are_coloured_and_nothing_else() {
        let (on, off) = (Look { coloured: true }, Look { coloured: false });
        let text = "Treatments:\n- Omeprazole [1][23] for [x] []\n";
        assert_eq!(off.answer(text), text);
        assert_eq!(on.answer(text), "\u{1b}[1mTreatments:\u{1b}[0m\n- Omeprazole \u{1b}[36m[1]\u{1b}[0m\u{1b}[36m[23]\u{1b}[0m for [x] []");
    }
}
