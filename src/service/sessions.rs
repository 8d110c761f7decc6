//! Log-ins that last: how they begin, on which devices there are any, and how they end. `refresh` has what is between.

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;

use super::accounts::Account;
use super::{ServiceError, Services};
use crate::auth::access::Access;
use crate::auth::opaque::TokenSecret;
use crate::auth::token::{IssuedToken, LIFETIME as ACCESS_TOKEN_LIFETIME};
use crate::ids::{AccountId, SessionId};
use crate::store::accounts::{AccountRow, account_hold_in_txn};
use crate::store::clock::clock_read;
use crate::store::sessions::{
    SessionRow, session_end, session_end_others, session_end_surplus_in_txn, session_insert_in_txn,
    session_list,
};

/// How long a session lasts without a refresh.
pub(super) const LIFETIME: TimeDelta = TimeDelta::days(60);
/// Sessions of an account at most; one that was never refreshed, or the one that was not used for longest, makes room.
pub const MOST_SESSIONS: i64 = 100;
/// Longest name of a device or of a token, in characters.
const LONGEST_NAME: usize = 60;
/// Name of a device whose client gave none.
const UNNAMED: &str = "unnamed";

/// A log-in, or a refresh of it.
pub struct LogIn {
    /// Who is logged in.
    pub account: Account,
    /// By which session.
    pub session: SessionId,
    /// What they show from now on.
    pub token: IssuedToken,
    /// What gets them the next.
    pub refresh_token: String,
    /// When that stops being accepted, if it is not used.
    pub refresh_expires_at: DateTime<Utc>,
    /// What shows at the next log-in that the device is known.
    pub device_token: String,
}

/// A session, as its owner sees it.
pub struct OpenSession {
    /// Its identifier.
    pub id: SessionId,
    /// Name that the client gave.
    pub device: String,
    /// When they logged in.
    pub created_at: DateTime<Utc>,
    /// The log-in or the newest refresh.
    pub last_used_at: DateTime<Utc>,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
    /// Whether it is the one that asks.
    pub current: bool,
}

/// A session that is about to begin.
#[derive(Clone)]
pub(super) struct NewSession {
    id: SessionId,
    secret: TokenSecret,
    device: String,
}

impl NewSession {
    /// A session on this device.
    ///
    /// # Errors
    /// `InvalidField` if its name is out of bounds.
    pub(super) fn new(device: Option<String>) -> Result<Self, ServiceError> {
        let device = device.unwrap_or_else(|| UNNAMED.to_owned());
        check_name("device", &device)?;
        let secret = TokenSecret::draw().map_err(ServiceError::internal)?;
        Ok(Self { id: SessionId::generate(), secret, device })
    }

    /// Stores it; it is the newest, and those that are too many end. Answers when it ends by itself, and which ended.
    pub(super) async fn begin(
        &self,
        connection: &AsyncPgConnection,
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
    /// Logs an account in whose password was just found right: if it still is, and the account is not suspended.
    pub(super) async fn begin_session(
        &self,
        account: AccountRow,
        new: NewSession,
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
                            begun.begin(connection, row.id).await
                        })
                        .await
                }
            })
            .await?;
        self.ended.add(surplus);
        self.log_in_of(account, &new, expires_at)
    }

    /// What a client gets that has a new session.
    pub(super) fn log_in_of(
        &self,
        account: AccountRow,
        new: &NewSession,
        expires_at: DateTime<Utc>,
    ) -> Result<LogIn, ServiceError> {
        self.log_in_with(account, new.id, &new.secret, expires_at)
    }

    /// The same for any secret of a session.
    pub(super) fn log_in_with(
        &self,
        account: AccountRow,
        session: SessionId,
        secret: &TokenSecret,
        refresh_expires_at: DateTime<Utc>,
    ) -> Result<LogIn, ServiceError> {
        let id = AccountId(account.id);
        let device_token = self.keeper.seal.device_token(id, session, &account.password_hash);
        let account = Account::from(account);
        let issued = self.keeper.tokens.issue(account.id, session, Utc::now());
        let refresh_token = self.keeper.seal.refresh_token(session, secret);
        let token = issued.map_err(ServiceError::internal)?;
        Ok(LogIn { account, session, token, refresh_token, refresh_expires_at, device_token })
    }

    /// The caller's sessions, the newest use at the top.
    ///
    /// # Errors
    /// Only those of the database.
    pub async fn sessions(&self, access: &Access) -> Result<Vec<OpenSession>, ServiceError> {
        let connection = self.store.connection().await?;
        let rows = session_list(&connection, access.account, MOST_SESSIONS).await?;
        let current = access.session();
        let open = rows.into_iter().map(|row| OpenSession {
            id: SessionId(row.id),
            device: row.device,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            expires_at: row.expires_at,
            current: current == Some(SessionId(row.id)),
        });
        Ok(open.collect())
    }

    /// Ends a session of the caller; the same one again changes nothing.
    ///
    /// # Errors
    /// `SessionNotFound` unless it is theirs.
    pub async fn end_session(&self, account: AccountId, id: SessionId) -> Result<(), ServiceError> {
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

    /// Ends the session that asks.
    ///
    /// # Errors
    /// `SessionNotFound` if it is none, but a personal token.
    pub async fn log_out(&self, access: &Access) -> Result<(), ServiceError> {
        let session = access.session().ok_or(ServiceError::SessionNotFound)?;
        self.end_session(access.account, session).await
    }

    /// Ends all sessions of the caller but the one that asks.
    ///
    /// # Errors
    /// Only those of the database.
    pub async fn end_other_sessions(&self, access: &Access) -> Result<(), ServiceError> {
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

/// Whether somebody may be logged in to an account.
///
/// # Errors
/// `AccountSuspended`.
async fn check_suspension(connection: &AsyncPgConnection, account: AccountRow) -> Result<(), ServiceError> {
    if account.suspended_at.is_some() && account.is_suspended(clock_read(connection).await?) {
        let AccountRow { suspended_until: until, suspension_reason: reason, .. } = account;
        return Err(ServiceError::AccountSuspended { until, reason });
    }
    Ok(())
}

/// Whether a device or a token may be called so.
///
/// # Errors
/// `InvalidField`.
pub(super) fn check_name(field: &'static str, name: &str) -> Result<(), ServiceError> {
    let right = (1..=LONGEST_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if right {
        return Ok(());
    }
    Err(ServiceError::InvalidField {
        field,
        detail: "has to be 1 to 60 characters without control characters",
    })
}
