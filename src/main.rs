//! The executable. What it does is in `yaniv::program`.

use std::process::ExitCode;

fn main() -> ExitCode {
    yaniv::program::main()
}
