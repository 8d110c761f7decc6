//! The HTTP server: listening, health, version, documentation, web client, unknown paths, metrics.

pub mod connections;
mod docs;
pub mod fallback;
mod file_schemas;
mod files;
pub mod health;
pub mod info;
pub mod listen;
pub(crate) mod manual;
pub mod metrics;
pub mod server_body;
pub mod web_client;

pub use actix_web::dev::Server;
