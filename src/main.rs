//! The executable; see `yaniv::program`.

use std::process::ExitCode;

fn main() -> ExitCode {
    yaniv::program::main()
}
