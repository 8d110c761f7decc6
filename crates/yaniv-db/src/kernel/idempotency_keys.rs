//! Rows of `idempotency_keys`: keys of writes without an entry in an action log, with what the write created or
//! found. Keys of other writes are in the log (`matches::log`).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::schema::idempotency_keys;

/// What a write creates. The same key may be sent once for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// A match.
    Match,
    /// A matchmaking request.
    Pairing,
    /// A challenge, or an offer of a rematch.
    Challenge,
    /// A vacation.
    Vacation,
    /// A webhook.
    Channel,
    /// A personal token, of the account or of a bot.
    Token,
}

impl KeyKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Pairing => "pairing",
            Self::Challenge => "challenge",
            Self::Vacation => "vacation",
            Self::Channel => "channel",
            Self::Token => "token",
        }
    }
}

/// A stored idempotency key.
#[derive(Clone, Copy, Debug)]
pub struct KeyRow {
    /// Fingerprint: hash of operation and body.
    pub fingerprint: i32,
    /// What was created or found.
    pub target: Uuid,
    /// Number of log entries written by the creation of a match; 0 for other kinds.
    pub entries: i16,
    /// Time of the response.
    pub at: DateTime<Utc>,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = idempotency_keys)]
struct Row {
    account_id: Uuid,
    kind: String,
    key_hash: i64,
    fingerprint: i32,
    at: DateTime<Utc>,
    entries: i16,
    match_id: Option<Uuid>,
    pairing_id: Option<Uuid>,
    challenge_id: Option<Uuid>,
    vacation_id: Option<Uuid>,
    channel_id: Option<Uuid>,
    token_id: Option<Uuid>,
}

impl Row {
    fn target(&self) -> Option<Uuid> {
        let of_play = self.match_id.or(self.pairing_id).or(self.challenge_id).or(self.vacation_id);
        of_play.or(self.channel_id).or(self.token_id)
    }
}

/// Finds an idempotency key of this account.
///
/// # Errors
/// Any database error.
pub async fn key_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    kind: KeyKind,
    key_hash: i64,
) -> Result<Option<KeyRow>, StoreError> {
    let found: Option<Row> = idempotency_keys::table
        .find((account.0, kind.as_str(), key_hash))
        .select(Row::as_select())
        .first(&mut connection)
        .await
        .optional()?;
    let Some(row) = found else { return Ok(None) };
    let target = row.target().ok_or(StoreError::NotFound)?;
    Ok(Some(KeyRow { fingerprint: row.fingerprint, target, entries: row.entries, at: row.at }))
}

/// Stores a key, in the transaction of its write, after what it refers to.
///
/// # Errors
/// `Taken("idempotency_keys_pkey")` if a concurrent request with the same key was first.
pub async fn key_insert_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    kind: KeyKind,
    key_hash: i64,
    new: &KeyRow,
) -> Result<(), StoreError> {
    let target = |of: KeyKind| (of == kind).then_some(new.target);
    let row = Row {
        account_id: account.0,
        kind: kind.as_str().to_owned(),
        key_hash,
        fingerprint: new.fingerprint,
        at: new.at,
        entries: new.entries,
        match_id: target(KeyKind::Match),
        pairing_id: target(KeyKind::Pairing),
        challenge_id: target(KeyKind::Challenge),
        vacation_id: target(KeyKind::Vacation),
        channel_id: target(KeyKind::Channel),
        token_id: target(KeyKind::Token),
    };
    diesel::insert_into(idempotency_keys::table).values(&row).execute(&mut connection).await?;
    Ok(())
}
