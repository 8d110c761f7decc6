//! Measurements, and how they are printed.

pub mod figures;
pub mod machine;
pub mod measure;
pub mod number;
pub mod report;
pub mod targets;
