//! Recordings on a screen: as the bytes say, and whole ones damaged as the bytes choose; played, reopened, side by side, at several sizes.
#![no_main]

use std::cell::RefCell;

use catena_fuzz::damage::{Random, owned};
use catena_fuzz::drawn::{Terminals, show};
use catena_fuzz::{corpus, recorded};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static TERMINALS: RefCell<Terminals> = RefCell::new(Terminals::open());
}

fuzz_target!(init: { corpus(); }, |input: &[u8]| {
    let mut random = Random::of_bytes(input);
    let damaged = owned(&corpus().damaged(&mut random));
    TERMINALS.with_borrow_mut(|terminals| show(damaged, recorded(input), terminals, &mut random));
});
