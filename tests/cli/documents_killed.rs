//! `catena docs import` and `remove`, killed: the old collection is left or the new one, and both happen.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::data::Draw;
use crate::support::{BINARY, Catena};

/// How often a command is killed: 200 times by `CATENA_KILLS=200 cargo test --test cli kill_leaves`.
fn kills(few: usize) -> usize {
    std::env::var("CATENA_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(few)
}

/// Runs a command to its end; how long it takes.
fn timed(catena: &Catena, arguments: &[String]) -> Duration {
    let begun = Instant::now();
    let ran = catena.run(arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    begun.elapsed()
}

/// Runs a command and kills it: the first time at once, the second time as soon as there is something new, and then by chance within little
/// more than the time that it takes.
fn kill(catena: &Catena, arguments: &[String], at: usize, (draw, took): (&mut Draw, Duration), is_new: impl Fn() -> bool) {
    let mut running = catena.command(BINARY, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs");
    let within = took + took / 5;
    match at {
        0 => {}
        1 => {
            while running.try_wait().expect("a child").is_none() && !is_new() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        _ => std::thread::sleep(Duration::from_micros(draw.below(within.as_micros() as usize) as u64)),
    }
    running.kill().expect("killed");
    running.wait().expect("ended");
}

#[test]
fn a_kill_leaves_the_old_collection_or_the_new_one() {
    let with_documents = || {
        let catena = Catena::new();
        let file = catena.write("docs.jsonl", "{\"id\":\"a\",\"title\":\"Asthma\",\"text\":\"It wheezes.\"}\n");
        assert_eq!(catena.run(["docs", "import", "jsonl", &file.to_string_lossy(), "--name", "mine"]).code, 0);
        catena
    };
    let catena = with_documents();
    let file = catena.state().join("documents/mine.docs");
    let old = std::fs::read(&file).expect("the collection");
    let more: String = (0..200)
        .map(|i| format!("{{\"id\":\"{i}\",\"title\":\"Asthma {i}\",\"text\":\"Wheeze at night in case {i}. It gets better.\"}}\n"))
        .collect();
    let path = catena.write("more.jsonl", more);
    let arguments = ["docs", "import", "jsonl", &path.to_string_lossy(), "--name", "mine"].map(str::to_owned);
    let (whole, took) = {
        let other = with_documents();
        let took = timed(&other, &arguments);
        (std::fs::read(other.state().join("documents/mine.docs")).expect("the collection"), took)
    };
    let mut draw = Draw(21);
    let mut seen = [0; 2];
    let now = || std::fs::read(&file).expect("a collection");
    for at in 0..kills(12) {
        std::fs::write(&file, &old).expect("the old collection");
        kill(&catena, &arguments, at, (&mut draw, took), || now() != old);
        let left = now();
        assert!(left == old || left == whole, "neither the old collection nor the new one");
        seen[usize::from(left == whole)] += 1;
        assert_eq!(catena.run(["docs", "check"]).stdout, "mine: intact\n");
    }
    println!("killed before and after the new collection: {seen:?}");
    assert!(seen[0] > 0 && seen[1] > 0, "kills came before and after the new collection: {seen:?}");
}

#[test]
fn a_kill_leaves_the_old_addition_or_the_new_one_and_a_removed_text_is_nowhere() {
    let catena = Catena::new();
    let folder = catena.state().join("documents");
    let import = |name: &str, ids: std::ops::Range<usize>, text: &str| {
        let line = |id: usize| format!("{{\"id\":\"{id}\",\"title\":\"Asthma\",\"text\":\"Wheeze at night in case {id}. {text}\"}}\n");
        let path = catena.write(name, ids.map(line).collect::<String>()).to_string_lossy().into_owned();
        ["docs".to_owned(), "import".to_owned(), "jsonl".to_owned(), path, "--name".to_owned(), "mine".to_owned()]
    };
    let files = || ["mine.docs", "mine.docs.added"].map(|name| std::fs::read(folder.join(name)).ok());
    let restore = |files: &[Option<Vec<u8>>; 2]| {
        for (name, bytes) in ["mine.docs", "mine.docs.added"].iter().zip(files) {
            let file = folder.join(name);
            match bytes {
                Some(bytes) => std::fs::write(file, bytes).expect("written"),
                None => drop(std::fs::remove_file(file)),
            }
        }
    };
    assert_eq!(catena.run(import("base.jsonl", 0..40, "It gets better.")).code, 0);
    let old = files();
    // Two are new, two replaced.
    let arguments = import("more.jsonl", 38..42, "Secretword helps.");
    let begun = Instant::now();
    let ran = catena.run(&arguments);
    let took = begun.elapsed();
    assert!(ran.stdout.contains("mine: 42 documents (2 new, 2 replaced, 0 unchanged)"), "{} {}", ran.stdout, ran.stderr);
    let new = files();
    assert!(new[0] == old[0] && new[1].is_some(), "the base stays");
    let found = catena.run(["docs", "search", "secretword", "--docs", "mine", "--method", "bm25"]).stdout;
    assert_eq!(found.matches("Secretword helps.").count(), 4, "{found}");
    assert!(catena.run(["docs", "stats", "mine"]).stdout.contains("42  documents"));
    let shown = catena.run(["docs", "show", "mine", "39"]).stdout;
    assert!(shown.contains("Secretword") && !shown.contains("It gets better"), "{shown}");

    let mut draw = Draw(22);
    let mut killed = |arguments: &[String], at: usize, took: Duration, old: &[Option<Vec<u8>>; 2]| {
        kill(&catena, arguments, at, (&mut draw, took), || files() != *old);
        assert_eq!(catena.run(["docs", "check"]).stdout, "mine: intact\n");
        files()
    };
    let mut seen = [0; 2];
    for at in 0..kills(8) {
        restore(&old);
        let left = killed(&arguments, at, took, &old);
        assert!(left == old || left == new, "neither the old collection nor the new one");
        seen[usize::from(left == new)] += 1;
    }
    println!("killed before and after the addition: {seen:?}");
    assert!(seen[0] > 0 && seen[1] > 0, "kills came before and after the addition: {seen:?}");
    let remove = ["docs", "remove", "mine", "38", "39", "40", "41"].map(str::to_owned);
    let holds = |text: &str| {
        let mut files = std::fs::read_dir(&folder).expect("a folder").flatten().map(|entry| std::fs::read(entry.path()).expect("a file"));
        files.any(|bytes| bytes.windows(text.len()).any(|w| w.eq_ignore_ascii_case(text.as_bytes())))
    };
    restore(&new);
    let took = timed(&catena, &remove);
    seen = [0; 2];
    for at in 0..kills(8) {
        restore(&new);
        let left = killed(&remove, at, took, &new);
        let count = catena.run(["docs", "show", "mine"]).stdout.lines().count();
        assert_eq!(count, if left[0] == new[0] { 42 } else { 38 }, "the old collection or the new one");
        seen[usize::from(count == 38)] += 1;
        // Said again, it ends what was begun.
        catena.run(&remove);
        assert!(!holds("secretword") && files()[1].is_none());
    }
    println!("killed before and after the removal: {seen:?}");
    assert!(seen[0] > 0 && seen[1] > 0, "kills came before and after the removal: {seen:?}");
}
