//! The terminal interface: whole screens, the real loop under a script, and every size.

mod lists;
mod sample;
mod screens;
mod sizes;
mod support;
mod the_loop;
mod typing;
