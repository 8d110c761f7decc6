//! Sessions: start, list, end. Refreshing is in `accounts::refresh`.

use std::cmp::Reverse;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_auth::opaque::{Generation, TokenSecret};
use yaniv_auth::token::{IssuedToken, LIFETIME as ACCESS_TOKEN_LIFETIME};
use yaniv_db::accounts::account_rows::{AccountRow, account_find, account_hold_in_txn};
use yaniv_db::accounts::sessions::{
    SessionRow, session_end, session_end_others, session_end_surplus_in_txn, session_insert_in_txn,
    session_list, session_lock,
};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::notifications::deliveries::{NEW_DEVICE, account_message_enqueue};
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::{AccountId, SessionId};

use crate::accounts::names::check_text;
use crate::accounts::register::Account;
use crate::kernel::{bounds, boxed};
use crate::{ServiceError, Services};

/// Lifetime of a session without a refresh.
pub(crate) const LIFETIME: TimeDelta = bounds::SESSIONS.life();
/// Maximum number of sessions of an account.
///
/// A new one replaces a session that was never refreshed, or the least recently used.
#[expect(clippy::as_conversions, reason = "a constant")]
pub const MOST_SESSIONS: i64 = bounds::SESSIONS.at_once as i64;
/// Maximum length of the name of a device or of a token, in characters.
const LONGEST_NAME: usize = 60;
/// Default name of a device.
const UNNAMED: &str = "unnamed";

/// Response to a log-in or a refresh.
pub struct LogIn {
    /// The account.
    pub account: Account,
    /// The session.
    pub session: SessionId,
    /// The access token.
    pub token: IssuedToken,
    /// The next refresh token.
    pub refresh_token: String,
    /// When an unused refresh token expires.
    pub refresh_expires_at: DateTime<Utc>,
    /// Marks the device as known to the account at the next log-in.
    pub device_token: String,
}

/// A session as its owner sees it.
pub struct OpenSession {
    /// Its identifier.
    pub id: SessionId,
    /// Name of the device, given by the client.
    pub device: String,
    /// When the session began.
    pub created_at: DateTime<Utc>,
    /// Day of the log-in or the newest refresh.
    pub last_used_on: NaiveDate,
    /// Day on which it expires.
    pub expires_on: NaiveDate,
    /// Whether it is the session of this request.
    pub current: bool,
}

/// A session that is not stored yet.
#[derive(Clone)]
pub(crate) struct NewSession {
    id: SessionId,
    secret: TokenSecret,
    device: String,
}

impl NewSession {
    /// Creates a session for this device.
    ///
    /// # Errors
    /// `InvalidField` if its name is out of bounds.
    pub(crate) fn new(device: Option<String>) -> Result<Self, ServiceError> {
        let device = device.unwrap_or_else(|| UNNAMED.to_owned());
        check_name("device", &device)?;
        let secret = TokenSecret::draw().map_err(ServiceError::internal)?;
        Ok(Self { id: SessionId::generate(), secret, device })
    }

    /// The account and the expiry of the session, if an earlier try has stored it.
    pub(crate) async fn begun_before(
        &self,
        connection: &Connection,
    ) -> Result<Option<(AccountRow, DateTime<Utc>)>, ServiceError> {
        let Some(row) = session_lock(connection, self.id).await? else { return Ok(None) };
        let account = account_find(connection, AccountId(row.account_id)).await?;
        Ok(account.map(|account| (account, row.expires_at)))
    }

    /// Stores the session and ends those beyond the limit. Returns its expiry and the ended sessions.
    pub(crate) async fn begin(
        &self,
        connection: &Connection,
        account: Uuid,
    ) -> Result<(DateTime<Utc>, Vec<Uuid>), ServiceError> {
        let now = clock_read(connection).await?;
        let (account_id, left) = (AccountId(account), MOST_SESSIONS - 1);
        let surplus = session_end_surplus_in_txn(connection, account_id, left, ACCESS_TOKEN_LIFETIME).await?;
        let row = SessionRow {
            id: self.id.0,
            account_id: account,
            created_at: now,
            last_used_at: now,
            rotated_at: now,
            expires_at: now + LIFETIME,
            ended_at: None,
            device: self.device.clone(),
            hash: self.secret.hash().to_vec(),
            previous_hash: None,
            salt: None,
        };
        session_insert_in_txn(connection, &row).await?;
        Ok((row.expires_at, surplus))
    }
}

impl Services {
    /// Starts a session after a password check, if the password is still the same and the account is not
    /// suspended. Tells the account of a device that was not `known`.
    pub(crate) async fn begin_session(
        &self,
        account: AccountRow,
        new: NewSession,
        known: bool,
    ) -> Result<LogIn, ServiceError> {
        let (row, begun) = (account.clone(), new.clone());
        let (expires_at, surplus) = self
            .durably(true, false, move |mut connection, _| {
                let (row, begun) = (row.clone(), begun.clone());
                async move {
                    connection
                        .transaction(async |connection| {
                            let id = AccountId(row.id);
                            let held = account_hold_in_txn(connection, id, &row.password_hash).await?;
                            check_suspension(connection, held.ok_or(ServiceError::InvalidCredentials)?)
                                .await?;
                            if !known {
                                account_message_enqueue(connection, id, NEW_DEVICE).await?;
                            }
                            begun.begin(connection, row.id).await
                        })
                        .await
                }
            })
            .await?;
        self.ended.add(surplus);
        self.log_in_of(account, &new, expires_at)
    }

    /// Builds the response for a new session.
    pub(crate) fn log_in_of(
        &self,
        account: AccountRow,
        new: &NewSession,
        expires_at: DateTime<Utc>,
    ) -> Result<LogIn, ServiceError> {
        self.log_in_with(account, new.id, &new.secret, None, expires_at)
    }

    /// Builds the response for any secret of a session, with the generation of the refresh if there was one.
    pub(crate) fn log_in_with(
        &self,
        account: AccountRow,
        session: SessionId,
        secret: &TokenSecret,
        generation: Option<Generation>,
        refresh_expires_at: DateTime<Utc>,
    ) -> Result<LogIn, ServiceError> {
        let id = AccountId(account.id);
        let device_token = self.keeper.seal.device_token(id, session, &account.password_hash);
        let account = Account::from(account);
        let issued = self.keeper.tokens.issue(account.id, session, generation, Utc::now());
        let refresh_token = self.keeper.seal.refresh_token(session, secret);
        let token = issued.map_err(ServiceError::internal)?;
        Ok(LogIn { account, session, token, refresh_token, refresh_expires_at, device_token })
    }

    /// The caller's sessions, most recently used first; those used on the same day by their log-in.
    ///
    /// # Errors
    /// Only those of the database.
    #[boxed]
    pub async fn sessions(&self, access: &Access) -> Result<Vec<OpenSession>, ServiceError> {
        let connection = self.store.connection().await?;
        let rows = session_list(&connection, access.account, MOST_SESSIONS).await?;
        let current = access.session();
        let open = rows.into_iter().map(|row| OpenSession {
            id: SessionId(row.id),
            device: row.device,
            created_at: row.created_at,
            last_used_on: day_of(row.last_used_at),
            expires_on: day_of(row.expires_at),
            current: current == Some(SessionId(row.id)),
        });
        let mut open: Vec<OpenSession> = open.collect();
        // The order must not reveal more than the printed times.
        open.sort_by_key(|session| Reverse((session.last_used_on, session.created_at, session.id.0)));
        Ok(open)
    }

    /// Ends a session of the caller; idempotent. Needs a session: a guest whose sessions an app ends has lost the account.
    ///
    /// # Errors
    /// `SessionRequired`; `SessionNotFound` unless it is the caller's.
    #[boxed]
    pub async fn end_session(&self, access: &Access, id: SessionId) -> Result<(), ServiceError> {
        check_session(access)?;
        let account = access.account;
        let found = self
            .durably(true, false, move |connection, _| async move {
                Ok(session_end(&connection, account, id).await?)
            })
            .await?;
        if !found {
            return Err(ServiceError::SessionNotFound);
        }
        self.ended.add([id.0]);
        Ok(())
    }

    /// Ends the session of this request.
    ///
    /// # Errors
    /// `SessionNotFound` if the caller uses a personal token.
    #[boxed]
    pub async fn log_out(&self, access: &Access) -> Result<(), ServiceError> {
        let session = access.session().ok_or(ServiceError::SessionNotFound)?;
        self.end_session(access, session).await
    }

    /// Whether a refresh token is of the session of this request.
    pub fn is_refresh_token_of(&self, access: &Access, token: &str) -> bool {
        let opened = self.keeper.seal.open_refresh_token(token);
        opened.is_some_and(|(session, _)| access.session() == Some(session))
    }

    /// Ends all sessions of the caller except the one of this request, which has to be of a session.
    ///
    /// # Errors
    /// `SessionRequired`.
    #[boxed]
    pub async fn end_other_sessions(&self, access: &Access) -> Result<(), ServiceError> {
        check_session(access)?;
        let (account, kept) = (access.account, access.session());
        let ended = self
            .durably(true, false, move |connection, _| async move {
                Ok(session_end_others(&connection, account, kept).await?)
            })
            .await?;
        self.ended.add(ended);
        Ok(())
    }
}

/// The day of the last use of a session or token, in UTC.
///
/// From the exact time, a thief of a refresh token would learn when the owner refreshes, and could come right
/// after; the day is enough for the owner to recognize an unknown device.
pub(crate) fn day_of(at: DateTime<Utc>) -> NaiveDate {
    at.date_naive()
}

/// Checks that an account is not suspended.
///
/// # Errors
/// `AccountSuspended`.
pub(crate) async fn check_suspension(
    connection: &Connection,
    account: AccountRow,
) -> Result<(), ServiceError> {
    if account.suspended_at.is_some() && account.is_suspended(clock_read(connection).await?) {
        let AccountRow { suspended_until: until, suspension_reason: reason, .. } = account;
        return Err(ServiceError::AccountSuspended { until, reason });
    }
    Ok(())
}

/// Checks that a session has authenticated the caller, for what its owner could not undo if a token did it
/// (`tests/api/access.txt` has the list).
///
/// # Errors
/// `SessionRequired`.
pub(crate) fn check_session(access: &Access) -> Result<(), ServiceError> {
    access.session().map(drop).ok_or(ServiceError::SessionRequired)
}

/// Checks the name of a device or a token.
///
/// # Errors
/// `InvalidField`.
pub(crate) fn check_name(field: &'static str, name: &str) -> Result<(), ServiceError> {
    check_text(field, name, LONGEST_NAME)
}
