//! Writes notifications to the outbox: one row per channel that wants the event. Always in the transaction
//! that causes or detects the event. Sending is in `dispatcher`.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::matchmaking::challenge_members::challenge_member_list_asked;
use yaniv_db::notifications::channels::{ChannelRow, channel_list_listening};
use yaniv_db::notifications::deliveries::{NewDelivery, delivery_insert_all_in_txn};
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;
use crate::notifications::channels::kinds::{Kind, Kinds};

/// Upper bound of the time until other instances know of a read. Notifications that a read would make
/// obsolete are delayed by it.
const LOOKS_KNOWN: TimeDelta = TimeDelta::seconds(2);

/// An event that an account is notified of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The kind of notification.
    pub kind: Kind,
    /// The notified account.
    pub account: Uuid,
    /// The match.
    pub match_id: Option<Uuid>,
    /// Version of the match.
    pub version: Option<i32>,
    /// The challenge.
    pub challenge_id: Option<Uuid>,
    /// The deadline.
    pub deadline: Option<DateTime<Utc>>,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// Deduplication key: each event is enqueued once per channel.
    pub key: String,
}

impl Event {
    /// An event of a match.
    pub(crate) fn of_match(kind: Kind, account: Uuid, (id, version): (Uuid, i32), at: DateTime<Utc>) -> Self {
        Self {
            kind,
            account,
            match_id: Some(id),
            version: Some(version),
            challenge_id: None,
            deadline: None,
            at,
            key: format!("{}:{}:{version}", kind.name(), id.simple()),
        }
    }
}

/// Enqueues events for all channels that want them and existed at the time of the event.
///
/// # Errors
/// Those of the database.
pub(crate) async fn announce_in_txn(connection: &Connection, events: &[Event]) -> Result<(), ServiceError> {
    if events.is_empty() {
        return Ok(());
    }
    let accounts: Vec<Uuid> = events.iter().map(|event| event.account).collect();
    let channels = channel_list_listening(connection, &accounts).await?;
    let rows: Vec<NewDelivery> = events
        .iter()
        .flat_map(|event| channels.iter().filter(|channel| wants(channel, event)).map(|to| row(event, to)))
        .collect();
    delivery_insert_all_in_txn(connection, &rows).await?;
    Ok(())
}

fn wants(channel: &ChannelRow, event: &Event) -> bool {
    channel.account_id == event.account
        && channel.created_at <= event.at
        && Kinds::from_bits(channel.kinds).has(event.kind)
}

/// The outbox row of an event, for a channel.
pub(crate) fn row(event: &Event, channel: &ChannelRow) -> NewDelivery {
    // The time of a sandbox may be far ahead.
    let now = event.at.min(Utc::now());
    let may_be_seen = !channel.immediate && event.match_id.is_some();
    NewDelivery {
        id: Uuid::now_v7(),
        channel_id: channel.id,
        account_id: event.account,
        host: channel.host.clone(),
        kind: event.kind.name().to_owned(),
        event: event.key.clone(),
        match_id: event.match_id,
        version: event.version,
        challenge_id: event.challenge_id,
        deadline: event.deadline,
        happened_at: event.at,
        due_at: if may_be_seen { now + LOOKS_KNOWN } else { now },
    }
}

/// Notifies the accounts asked by a challenge, as far as they can see it.
///
/// # Errors
/// Those of the database.
pub(crate) async fn invite_in_txn(
    connection: &Connection,
    challenge: Uuid,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let asked = challenge_member_list_asked(connection, challenge).await?;
    let event = |account| Event {
        kind: Kind::Invited,
        account,
        match_id: None,
        version: None,
        challenge_id: Some(challenge),
        deadline: None,
        at,
        key: format!("invited:{}", challenge.simple()),
    };
    announce_in_txn(connection, &asked.into_iter().map(event).collect::<Vec<_>>()).await
}

/// Notifies the host that all seats are taken, at this version of the match.
///
/// # Errors
/// Those of the database.
pub(crate) async fn table_full_in_txn(
    connection: &Connection,
    match_id: MatchId,
    version: i32,
    host: AccountId,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let event = Event::of_match(Kind::TableFull, host.0, (match_id.0, version), at);
    announce_in_txn(connection, &[event]).await
}

/// Notifies a player of another player's nudge.
///
/// The version is that of the waiting match: the notification is dropped if the player has acted since.
///
/// # Errors
/// Those of the database.
pub async fn nudge_in_txn(
    connection: &Connection,
    match_id: MatchId,
    version: i32,
    nudged: AccountId,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let event = Event::of_match(Kind::Nudged, nudged.0, (match_id.0, version), at);
    announce_in_txn(connection, &[event]).await
}
