//! The trials, one file each. A new one is a file here and a line in [`ALL`].

mod account_enumeration;
mod flood;
mod overload;
mod password_guessing;

use super::figures::Figures;
use crate::Error;
use crate::faults::trial::Context;

/// A promise, and how it is tested.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The name on the command line: `p18`.
    pub name: &'static str,
    /// The promise.
    pub promise: &'static str,
    /// How often it is run.
    pub times: usize,
    /// How often in the short form.
    pub short: usize,
    /// The bug that is planted first, and must be detected.
    pub bug: &'static str,
    /// Tests the promise.
    pub run: fn(&Context) -> Result<Figures, Error>,
    /// A short run on a service with the planted bug.
    pub planted: fn(&Context) -> Result<Figures, Error>,
}

/// All trials, in the order in which they are run.
pub const ALL: &[Trial] =
    &[password_guessing::TRIAL, account_enumeration::TRIAL, overload::TRIAL, flood::TRIAL];
