//! Seeds and shuffles.

pub(crate) mod seeds;
pub(crate) mod shuffler;
