//! Damaged recordings on the screen; `benches/fold.rs` shows many more.

use crate::support::corpus;
use crate::support::damage::{Corpus, Random, owned};
use crate::support::drawn::{Terminals, show};

#[test]
fn damaged_recordings_are_shown_at_every_size() {
    let corpus = Corpus::of(corpus::recordings());
    let mut terminals = Terminals::open();
    let mut frames = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let (one, other) = (owned(&corpus.damaged(&mut random)), owned(&corpus.damaged(&mut random)));
        frames += show(one, other, &mut terminals, &mut random);
    }
    assert!(frames > 1200, "{frames} frames");
}
