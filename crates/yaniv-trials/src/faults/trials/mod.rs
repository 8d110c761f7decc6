//! The other trials, one file each, and the list of all. A new one is a file and a line in [`ALL`].

mod concurrent_writes;
mod ended_sessions;
mod hidden_cards;
mod listeners;
mod logs_without_secrets;
mod notifications;
mod pages;
mod pairing;
mod refresh_tokens;
mod repeated_writes;

use crate::faults::deadlines::{automatic_actions, clock_jumps, missed_turns, overdue};
use crate::faults::outages::{
    broken_connections, failover, full_disk, killed_archivers, killed_database, killed_instances,
    rolling_upgrade, upgrade, vanishing_clients,
};
use crate::faults::trial::Trial;

/// All trials, in the order in which they are run.
pub const ALL: &[Trial] = &[
    killed_instances::TRIAL,
    killed_database::TRIAL,
    broken_connections::TRIAL,
    failover::TRIAL,
    hidden_cards::TRIAL,
    repeated_writes::TRIAL,
    concurrent_writes::TRIAL,
    missed_turns::TRIAL,
    automatic_actions::TRIAL,
    vanishing_clients::TRIAL,
    notifications::TRIAL,
    listeners::TRIAL,
    ended_sessions::TRIAL,
    refresh_tokens::TRIAL,
    clock_jumps::TRIAL,
    full_disk::TRIAL,
    rolling_upgrade::TRIAL,
    logs_without_secrets::TRIAL,
    pairing::TRIAL,
    pages::TRIAL,
    overdue::TRIAL,
    killed_archivers::TRIAL,
    upgrade::TRIAL,
];
