//! What the service does under load and under faults.
//!
//! Programs that ask real instances over HTTP, on a real PostgreSQL, and print figures: `load` how fast it is, `history` how fast
//! with very many matches, `faults` that
//! nothing is lost when things break, `access` that strangers can do no harm. [`instance`] starts instances of the
//! service (as processes of their own, to be measured and killed), [`player`] is the client of both.

pub mod access;
pub mod faults;
pub mod growth;
pub mod history;
pub mod instance;
pub mod load;
pub mod player;

/// What goes wrong in a trial itself, rather than in what it tries.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
