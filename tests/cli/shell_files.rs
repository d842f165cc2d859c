//! `catena completions` and `catena man`: what a package installs beside the program.

use std::collections::BTreeSet;
use std::fs;

use crate::support::Catena;

#[test]
fn every_shell_gets_a_script_that_knows_the_commands_and_their_options() {
    let catena = Catena::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = catena.run(["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
        for word in ["ask", "feedback", "import", "completions", "top-k"] {
            assert!(ran.stdout.contains(word), "{shell}: {word}");
        }
    }
    let unknown = catena.run(["completions", "tcsh"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("bash"), "{}", unknown.stderr);
    assert_eq!(fs::read_dir(catena.state()).expect("a folder").count(), 0, "completions need no state");
}

#[test]
fn the_manual_has_a_page_for_each_command_and_nothing_else_is_written() {
    let catena = Catena::new();
    let folder = catena.path("share/man1");
    for _ in 0..2 {
        let ran = catena.run(["man", "share/man1"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    }
    let names: BTreeSet<String> =
        fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    for name in ["catena.1", "catena-ask.1", "catena-dkg.1", "catena-dkg-feedback.1", "catena-kg-import-hetionet.1", "catena-man.1"] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    assert!(names.iter().all(|name| name.starts_with("catena") && name.ends_with(".1") && !name.contains("help")), "{names:?}");
    let page = fs::read_to_string(folder.join("catena-dkg-feedback.1")).expect("a page");
    assert!(page.starts_with(".ie") || page.contains(".TH"), "{page:.80}");
    assert!(page.contains("gold") && page.contains("accept"), "a page has the options of its command");
    assert_eq!(fs::read_dir(catena.path("")).expect("a folder").count(), 1, "only the folder that was named");
    assert_eq!(fs::read_dir(catena.state()).expect("a folder").count(), 0, "the manual needs no state");
}

#[test]
fn the_manual_is_not_written_over_a_file() {
    let catena = Catena::new();
    let file = catena.write("pages", "mine");
    let ran = catena.run(["man", "pages"]);
    assert!(ran.code == 2 && ran.stderr.contains("is a file"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(file).expect("the file"), "mine");
}
