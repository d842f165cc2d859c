//! A first-time user at 100 columns and 30 rows: asks, reads why, rejects, teaches, asks again, shows it as a demo, exports. Each key is on the
//! screen when it is needed, and there are at most forty.

use std::path::Path;
use std::sync::Arc;

use catena::feedback::{TeachSettings, Teacher};
use catena::tui::{OpenedEngine, TuiOptions};

use crate::driven::Driven;
use crate::harness::options;
use crate::support::engine::built_in;

const MOST_KEYS: usize = 40;

struct FirstUser {
    session: Driven,
    keys: usize,
}

impl FirstUser {
    async fn start(folder: &Path) -> Self {
        let dkg = folder.join("dkg");
        let opened = move || {
            let engine = built_in();
            let teacher = Teacher::open(&dkg, Arc::clone(&engine), TeachSettings::default()).expect("the folder is usable");
            OpenedEngine { engine: Arc::new(engine), teacher: Some(teacher), notices: Vec::new() }
        };
        let open = async move { Ok(tokio::task::spawn_blocking(opened).await.expect("no panic")) };
        let options = TuiOptions { sessions: Some((folder.join("sessions"), 10)), reports: folder.join("reports"), ..options() };
        let session = Driven::start_at((100, 30), open, options);
        session.shows(" entities").await;
        Self { session, keys: 0 }
    }

    /// Presses keys that a hint on the screen names.
    async fn press(&mut self, hint: &str, keys: &[&str]) {
        self.session.until(&format!("the hint “{hint}”"), |screen| screen.contains(hint)).await;
        self.session.press(keys);
        self.keys += keys.len();
    }

    async fn ask(&mut self, question: &str) {
        self.session.type_text(question);
        self.press("Enter ask", &["enter"]).await;
        let is_answered = |screen: &str| screen.contains("Answer from ") && screen.contains("answered in") && !screen.contains("Esc stop");
        self.session.until("an answer", is_answered).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asks_understands_corrects_teaches_shows_and_exports_with_forty_keys() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut user = FirstUser::start(folder.path()).await;
    let question = "I feel stomach reflux after eating. What medicine should I take?";

    // Ask, and read the answer: its first line is selected, and the legend explains every sign that is seen.
    user.ask(question).await;
    let screen = user.session.shows("Read as").await;
    for word in ["● question", "○ hypothesis", "◆ graph"] {
        assert!(screen.contains(word), "{word}:\n{screen}");
    }

    // Why does its first line stand there?
    user.press("Enter why?", &["enter"]).await;
    user.session.shows("kept as ").await;
    user.press("Enter back", &["enter"]).await;

    // Reject a chain; the answer follows at once.
    user.press("5 Kept", &["5"]).await;
    user.press("x reject", &["x"]).await;
    user.session.until("it is out", |screen| screen.contains("✗ 1") && !screen.contains("outdated")).await;

    // Teach a fact, and accept it.
    user.press("Space t teach", &["space", "t"]).await;
    user.session.shows("Teach a fact").await;
    for text in ["Bisodol", "treats", "Gastro-oesophageal reflux disease"] {
        user.session.type_text(text);
        user.press("Enter goes on to the next field", &["enter"]).await;
    }
    user.press("Enter records", &["enter"]).await;
    user.session.shows("1 to review").await;
    user.press("Space r review", &["space", "r"]).await;
    user.session.shows("Waiting for your decision").await;
    user.press("a accept", &["a"]).await;
    user.session.shows("1 learned").await;
    user.press("Esc close", &["esc"]).await;

    // Ask again, and see it.
    user.press("i new question", &["i"]).await;
    user.ask(question).await;
    user.session.until("what was learned", |screen| screen.contains('★') && screen.contains("Bisodol")).await;

    // Show it to a colleague, by the layout with room for the whole answer: besides the title and the legend, a kept chain has the sign.
    user.press("L layout", &["L"]).await;
    let is_marked = |screen: &str| screen.contains("Layout: clinic") && screen.lines().filter(|line| line.contains('★')).count() > 2;
    user.session.until("a kept chain with the sign of what was learned", is_marked).await;
    // The key that led here leads on.
    user.press("Layout: clinic", &["L"]).await;
    user.session.shows("next step").await;
    for _ in 0..4 {
        user.press("Space next step", &["space"]).await;
    }

    // Export it.
    user.press("E export", &["E"]).await;
    user.session.shows("Export this run as").await;
    user.press("Enter choose", &["enter"]).await;
    user.press("Enter writes it", &["enter"]).await;
    user.session.shows("Written to").await;
    assert!(user.keys <= MOST_KEYS, "{} keys", user.keys);
    user.session.ends().await;
}
