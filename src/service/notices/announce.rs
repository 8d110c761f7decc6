//! What is to be told goes into the outbox: a row for each channel that wants to hear of it. Always in a transaction of
//! whoever knows that it has happened.

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::kinds::{Kind, Kinds};
use crate::ids::{AccountId, MatchId};
use crate::service::ServiceError;
use crate::store::challenge_members::challenge_member_list_asked;
use crate::store::channels::{ChannelRow, channel_list_listening};
use crate::store::deliveries::{NewDelivery, delivery_insert_all_in_txn};

/// How long it may take until another instance knows of a look. So long what a look may make needless waits.
const LOOKS_KNOWN: TimeDelta = TimeDelta::seconds(2);

/// Something that somebody is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// What it is of.
    pub kind: Kind,
    /// Whom it is told.
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
    /// What tells it from all others: it is told once.
    pub key: String,
}

impl Event {
    /// Something that happened in a match.
    pub(super) fn of_match(kind: Kind, account: Uuid, (id, version): (Uuid, i32), at: DateTime<Utc>) -> Self {
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

/// Puts events into the outbox. Channels that were made later are not told.
///
/// # Errors
/// Those of the database.
pub(super) async fn announce_in_txn(
    connection: &AsyncPgConnection,
    events: &[Event],
) -> Result<(), ServiceError> {
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

/// What goes into the outbox for a channel.
pub(super) fn row(event: &Event, channel: &ChannelRow) -> NewDelivery {
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

/// Tells those who are asked by a challenge, as far as they see it.
///
/// # Errors
/// Those of the database.
pub(in crate::service) async fn invite_in_txn(
    connection: &AsyncPgConnection,
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

/// Tells somebody that another player asks them to go on. The version is that of the match as it waits: it is not told
/// any more when they have acted since.
///
/// # Errors
/// Those of the database.
pub async fn nudge_in_txn(
    connection: &AsyncPgConnection,
    match_id: MatchId,
    version: i32,
    nudged: AccountId,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let event = Event::of_match(Kind::Nudged, nudged.0, (match_id.0, version), at);
    announce_in_txn(connection, &[event]).await
}
