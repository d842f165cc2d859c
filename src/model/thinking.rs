//! Removes the thoughts of reasoning models (`<think> … </think>`) from an answer while it streams. Local models and servers both write them.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Takes the text in portions of any size and returns the answer without thoughts.
#[derive(Debug, Default)]
pub(crate) struct ThinkingFilter {
    /// Text that may turn out to be the beginning of a tag, or spaces before the answer.
    held: String,
    thinking: bool,
    /// Whether any of the answer has been returned.
    answered: bool,
    /// Whether there was any thinking.
    pub(crate) thought: bool,
}

impl ThinkingFilter {
    /// Adds text; returns the part of the answer that is now certain.
    pub(crate) fn push(&mut self, text: &str) -> String {
        self.held.push_str(text);
        let mut answer = String::new();
        loop {
            let mark = if self.thinking { CLOSE } else { OPEN };
            if let Some(at) = self.held.find(mark) {
                let rest = self.held.split_off(at + mark.len());
                self.held.truncate(at);
                let before = std::mem::replace(&mut self.held, rest);
                if !self.thinking {
                    self.give(&before, &mut answer);
                }
                self.thought = true;
                self.thinking = !self.thinking;
            } else {
                let keep = may_begin(&self.held, mark);
                let rest = self.held.split_off(self.held.len() - keep);
                let before = std::mem::replace(&mut self.held, rest);
                if !self.thinking {
                    self.give(&before, &mut answer);
                }
                return answer;
            }
        }
    }

    /// The held-back rest, at the end of the text.
    pub(crate) fn end(&mut self) -> String {
        let mut answer = String::new();
        let held = std::mem::take(&mut self.held);
        if !self.thinking {
            self.give(&held, &mut answer);
        }
        answer
    }

    /// Appends text to the answer, without spaces before its first word.
    fn give(&mut self, text: &str, answer: &mut String) {
        let text = if self.answered { text } else { text.trim_start() };
        if !text.is_empty() {
            self.answered = true;
            answer.push_str(text);
        }
    }
}

/// How many bytes at the end of the text may be the beginning of the tag.
fn may_begin(text: &str, mark: &str) -> usize {
    (1..mark.len()).rev().find(|length| text.ends_with(&mark[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(portions: &[&str]) -> String {
        let mut filter = ThinkingFilter::default();
        let text: String = portions.iter().map(|portion| filter.push(portion)).collect();
        text + &filter.end()
    }

    #[test]
    fn thinking_is_taken_out_wherever_the_text_is_cut() {
        for (text, answer) in [
            ("<think>hm\nwell</think>\n\nRest.", "Rest."),
            ("  <think></think>A<think>b</think> c", "A c"),
            ("a < b <thin ice </think> 头痛 <", "a < b <thin ice </think> 头痛 <"),
            ("<think>never ends", ""),
            ("<<think>x</think>y", "<y"),
            ("<think>is it 1 < 2?\n胃</think>Take < 3 [1]. <thi", "Take < 3 [1]. <thi"),
        ] {
            assert_eq!(filtered(&[text]), answer);
            let letters: Vec<String> = text.chars().map(String::from).collect();
            assert_eq!(filtered(&letters.iter().map(String::as_str).collect::<Vec<_>>()), answer);
        }
    }
}
