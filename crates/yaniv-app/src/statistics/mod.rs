//! Statistics: the worker that counts finished rounds, and the queries. Ratings are in `ratings`.

pub mod batch;
pub mod counting;
pub mod figures;
pub mod queries;
pub mod rebuild;
pub mod reply_times;
pub mod resume_points;
pub mod streaks;
pub mod worker;
