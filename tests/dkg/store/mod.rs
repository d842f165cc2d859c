//! The evolving graph's journal and store: what is acknowledged is never lost, and the state is what the records say, whatever happens to
//! the files.

mod crash;
mod damage;
mod full_disk;
mod oracle;
mod sample;
mod writers;
