//! Number and duration of requests by operation and class of status. Labels are names of the program, never of users.

use std::collections::HashMap;
use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Upper bounds of durations in seconds. Long polls may be longer.
const SECONDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];
/// Label of requests that are no operation: documentation, web client, unknown paths.
const NO_OPERATION: &str = "none";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    operation: &'static str,
    status: &'static str,
}

/// The requests since the start.
pub struct RequestMetrics {
    /// By path and method.
    operations: HashMap<String, Vec<(Method, &'static str)>>,
    requests: Family<Labels, Histogram, fn() -> Histogram>,
}

impl RequestMetrics {
    /// Starts with none, and adds them to a registry; `identified` has path, method and identifier of each operation.
    pub(crate) fn new(registry: &mut Registry, identified: Vec<(String, Method, String)>) -> Self {
        let mut operations: HashMap<String, Vec<_>> = HashMap::new();
        for (path, method, identifier) in identified {
            // Leaked once, so that no request copies a name.
            operations.entry(path).or_default().push((method, &*identifier.leak()));
        }
        let constructor: fn() -> Histogram = || Histogram::new(SECONDS);
        let requests = Family::new_with_constructor(constructor);
        let help = "Requests, until the answer begins";
        registry.register_with_unit("request_duration", help, Unit::Seconds, requests.clone());
        Self { operations, requests }
    }

    /// Counts a request; `route` is the pattern of its path.
    pub(crate) fn count(&self, method: &Method, route: &str, status: StatusCode, duration: Duration) {
        let mut methods = self.operations.get(route).into_iter().flatten();
        let operation = methods.find(|(known, _)| known == method).map_or(NO_OPERATION, |(_, name)| name);
        let status = match status.as_u16() / 100 {
            2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            _ => "5xx",
        };
        self.requests.get_or_create(&Labels { operation, status }).observe(duration.as_secs_f64());
    }
}
