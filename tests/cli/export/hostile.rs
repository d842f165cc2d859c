//! Everything foreign is text and nothing else, in every form.

use catena::report::{Format, report};
use catena::run::{EventKind, Trace};

use super::small_run;

const EVIL: &str = "<script>alert(1)</script> \"quoted\" 'single' ]]> --> \\back\\ `tick` | pipe | [link](javascript:x) ![i](http://evil.example/x.png) \
    *b* _u_ {{ r.id }} {% raw %} &amp; \u{1b}[31m\u{202e}txt\u{2066}\u{200f}\u{7}\n# head\n- item\n</style></title></svg>";

/// The run with hostile text wherever text can stand.
fn hostile() -> Trace {
    let mut events = small_run();
    for event in &mut events {
        match &mut event.what {
            EventKind::RunStarted { question, method, kg, models, .. } => {
                *question = EVIL.into();
                *method = EVIL.into();
                kg.name = EVIL.into();
                models.generator.name = EVIL.into();
            }
            EventKind::HypothesisToken { text } => *text = EVIL.into(),
            EventKind::AnchorLinked { anchor } => {
                anchor.kind = EVIL.into();
                anchor.mention = EVIL.into();
            }
            EventKind::MentionUnlinked { text } | EventKind::Warning { text } => *text = EVIL.into(),
            EventKind::ChainsFound { table, truncated, .. } => {
                *truncated = Some(EVIL.into());
                let table = std::sync::Arc::make_mut(table);
                for (at, entity) in table.entities.iter_mut().enumerate() {
                    entity.name = format!("{EVIL} {at}");
                    entity.kind = EVIL.into();
                    entity.description = EVIL.into();
                }
                for relation in &mut table.relations {
                    relation.display = EVIL.into();
                }
            }
            EventKind::ChainsPruned { pruning } => std::sync::Arc::make_mut(pruning).fragments.iter_mut().for_each(|f| *f = EVIL.into()),
            EventKind::AnswerFinished { answer } => {
                answer.text = format!("{EVIL}\n- {EVIL} [1]");
                answer.corrected = vec![EVIL.into()];
            }
            _ => {}
        }
    }
    Trace::fold(&events)
}

/// Nothing that could steer a terminal or turn the line around.
fn assert_harmless(text: &str) {
    let harmful =
        |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}');
    assert_eq!(text.chars().find(|c| harmful(*c)), None);
}

#[test]
fn a_page_holds_foreign_text_as_text() {
    let html = report(&hostile(), Format::Html, None).expect("is written");
    assert_harmless(&html);
    assert!(!html.contains("<script") && !html.contains("<img"));
    for (tag, times) in [("</style>", 1), ("</title></head>", 0), ("</svg>", 1), ("<svg", 1), ("<html", 1), ("</html>", 1)] {
        assert_eq!(html.matches(tag).count(), times, "{tag}");
    }
    assert!(html.contains("&lt;script&gt;") && html.contains("{{ r.id }}"), "it is shown, and is no template");
    // Between tags no bare ampersand but those of entities, within attributes no quote but their own: the parts must pair up.
    let body = &html[html.find("<body>").expect("a body")..];
    for tag in body.split('<').skip(1) {
        let (inside, _) = tag.split_once('>').expect("every < belongs to a tag of ours");
        assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
    }
    for name in ["script", "img", "iframe", "object", "a href=\"j"] {
        assert!(!body.contains(&format!("<{name}")), "{name}");
    }
}

#[test]
fn markdown_holds_foreign_text_as_text() {
    let text = report(&hostile(), Format::Markdown, None).expect("is written");
    assert_harmless(&text);
    // What is left when every escaped character is taken out is what Markdown reads as its own.
    let mut escapes = false;
    let unescaped: String = text
        .chars()
        .filter(|c| {
            let is_text = escapes;
            escapes = !escapes && *c == '\\';
            !is_text && !escapes
        })
        .collect();
    for tag in unescaped.split('<').skip(1) {
        assert!(tag.starts_with("a id=\"chain-") || tag.starts_with("/a>") || tag.starts_with("br>"), "{tag:.40}");
    }
    for form in ["](javascript", "![", "`", "\n# head", "</style>", "://", "~~"] {
        assert!(!unescaped.contains(form), "{form}");
    }
    assert!(text.contains("\\<script\\>"));
    // A bar of a name is no border: every row of the evidence has the columns of its head.
    let borders = |line: &str| line.replace("\\\\", "").replace("\\|", "").matches('|').count();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| <a id=")).collect();
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|row| borders(row) == 6), "{}", rows[0]);
}

#[test]
fn dot_holds_foreign_text_within_its_quotes() {
    let text = report(&hostile(), Format::Dot, None).expect("is written");
    assert_harmless(&text);
    for line in text.lines() {
        let quotes = line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
        assert_eq!(quotes % 2, 0, "{line}");
        assert!(line.trim_end().ends_with([';', '{', '}', '.']), "a statement goes on: {line}");
    }
}
