//! The HTTP server: listening, health, version, unknown paths.

pub mod connections;
pub mod fallback;
pub mod health;
pub mod info;
pub mod listen;
pub mod server_body;

pub use actix_web::dev::Server;
