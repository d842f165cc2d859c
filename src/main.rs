//! The `catena` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    catena::cli::main()
}
