//! Shared by all handlers: extractors, responses, problems, rate limits, middleware, metrics of requests.

pub mod cors;
pub mod drain_body;
pub mod error;
pub mod error_codes;
pub mod extract;
pub mod head;
pub mod html_page;
pub mod json;
pub mod large_answers;
pub mod links;
pub mod middleware;
pub mod misfits;
pub mod params;
pub mod problem;
pub mod rate_limit;
pub mod request_metrics;
pub mod responses;
