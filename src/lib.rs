//! Yaniv over HTTP.
