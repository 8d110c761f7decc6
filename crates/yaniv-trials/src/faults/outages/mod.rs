//! Trials of outages: killed processes, broken connections, a full disk, upgrades.

pub(crate) mod broken_connections;
pub(crate) mod failover;
pub(crate) mod full_disk;
pub(crate) mod killed_archivers;
pub(crate) mod killed_database;
pub(crate) mod killed_instances;
pub(crate) mod rolling_upgrade;
pub(crate) mod upgrade;
pub(crate) mod vanishing_clients;
