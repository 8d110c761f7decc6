//! What the service is compared with: the bare handlers, and the same durable write without a service.

pub mod bare;
pub mod own_bench;
pub mod yardstick;
