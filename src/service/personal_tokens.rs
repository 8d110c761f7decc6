//! Personal tokens: for bots and scripts, with no more rights than they need. The token itself is shown once.

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};

use super::sessions::check_name;
use super::{ServiceError, Services};
use crate::auth::access::{Access, Scopes};
use crate::auth::opaque::TokenSecret;
use crate::ids::{AccountId, SessionId, TokenId};
use crate::store::accounts::account_lock;
use crate::store::bots::bot_lock;
use crate::store::clock::clock_read;
use crate::store::personal_tokens::{
    PersonalTokenRow, personal_token_end, personal_token_insert_in_txn, personal_token_list,
};
use crate::store::sessions::session_is_open;

/// Tokens of an account at most.
pub const MOST_TOKENS: usize = 100;
/// Longest life of a token, in days.
const LONGEST_LIFE: i32 = 366;

/// What is wanted of a new token.
#[derive(Clone)]
pub struct NewToken {
    /// What its owner calls it.
    pub name: String,
    /// What it is good for.
    pub scopes: Scopes,
    /// How long, in days.
    pub days: i32,
}

/// A token, as its owner sees it: without the token.
pub struct PersonalToken {
    /// Its identifier.
    pub id: TokenId,
    /// What its owner calls it.
    pub name: String,
    /// What it is good for.
    pub scopes: Scopes,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Newest use, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it stops being accepted.
    pub expires_at: DateTime<Utc>,
}

/// A new token, with the token.
pub struct CreatedToken {
    /// What the owner sees of it.
    pub token: PersonalToken,
    /// What is sent as `Authorization: Bearer`.
    pub secret: String,
}

impl From<PersonalTokenRow> for PersonalToken {
    fn from(row: PersonalTokenRow) -> Self {
        Self {
            id: TokenId(row.id),
            name: row.name,
            scopes: Scopes::from_bits(row.scopes),
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            expires_at: row.expires_at,
        }
    }
}

impl Services {
    /// Makes a token. Only who has logged in can: a token that leaks must leave no other behind.
    ///
    /// # Errors
    /// `InvalidField`, `SessionRequired`, `TooManyTokens`; `InvalidToken` if the session has ended meanwhile.
    pub async fn create_token(&self, access: Access, new: NewToken) -> Result<CreatedToken, ServiceError> {
        self.create_token_of(access, access.account, new).await
    }

    /// The same for the caller or a bot of the caller's.
    pub(super) async fn create_token_of(
        &self,
        access: Access,
        bearer: AccountId,
        new: NewToken,
    ) -> Result<CreatedToken, ServiceError> {
        check(&new)?;
        let session = access.session().ok_or(ServiceError::SessionRequired)?;
        let secret = TokenSecret::draw().map_err(ServiceError::internal)?;
        let id = TokenId::generate();
        let row = self
            .durably(true, false, move |mut connection, _| {
                let new = new.clone();
                async move {
                    connection
                        .transaction(async |connection| {
                            hold(connection, access.account, session, bearer).await?;
                            create(connection, bearer, id, new, &secret).await
                        })
                        .await
                }
            })
            .await?;
        Ok(CreatedToken { token: row.into(), secret: self.keeper.seal.personal_token(&secret) })
    }

    /// The caller's tokens, the newest at the top.
    ///
    /// # Errors
    /// Only those of the database.
    pub async fn tokens(&self, account: AccountId) -> Result<Vec<PersonalToken>, ServiceError> {
        let rows = personal_token_list(&*self.store.connection().await?, account).await?;
        Ok(rows.into_iter().map(PersonalToken::from).collect())
    }

    /// Revokes a token of the caller; the same one again changes nothing.
    ///
    /// # Errors
    /// `TokenNotFound` unless it is theirs.
    pub async fn revoke_token(&self, account: AccountId, id: TokenId) -> Result<(), ServiceError> {
        let found = self
            .durably(true, false, move |connection, _| async move {
                Ok(personal_token_end(&connection, account, id).await?)
            })
            .await?;
        if !found {
            return Err(ServiceError::TokenNotFound);
        }
        self.ended.add([id.0]);
        Ok(())
    }
}

fn check(new: &NewToken) -> Result<(), ServiceError> {
    check_name("name", &new.name)?;
    if new.scopes.is_empty() {
        return Err(ServiceError::InvalidField { field: "scopes", detail: "has to name a scope" });
    }
    if !(1..=LONGEST_LIFE).contains(&new.days) {
        return Err(ServiceError::InvalidField { field: "expires_in_days", detail: "has to be 1 to 366" });
    }
    Ok(())
}

/// Locks the account of who makes a token, and the bot that it is for: with it, a change of the password comes before or
/// after, and by what was revoked before nothing is made that lasts.
pub(super) async fn hold(
    connection: &AsyncPgConnection,
    account: AccountId,
    session: SessionId,
    bearer: AccountId,
) -> Result<(), ServiceError> {
    account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    if !session_is_open(connection, session).await? {
        return Err(ServiceError::InvalidToken);
    }
    if bearer != account {
        let bot = bot_lock(connection, account, bearer).await?.ok_or(ServiceError::BotNotFound)?;
        if bot.is_suspended(clock_read(connection).await?) {
            let (until, reason) = (bot.suspended_until, bot.suspension_reason);
            return Err(ServiceError::AccountSuspended { until, reason });
        }
    }
    Ok(())
}

/// Stores a token of an account that is locked.
async fn create(
    connection: &AsyncPgConnection,
    bearer: AccountId,
    id: TokenId,
    new: NewToken,
    secret: &TokenSecret,
) -> Result<PersonalTokenRow, ServiceError> {
    // Not this one, if an earlier try was lost on its way back.
    let others = personal_token_list(connection, bearer).await?;
    if others.iter().filter(|other| other.id != id.0).count() >= MOST_TOKENS {
        return Err(ServiceError::TooManyTokens);
    }
    let now = clock_read(connection).await?;
    let row = PersonalTokenRow {
        id: id.0,
        account_id: bearer.0,
        created_at: now,
        expires_at: now + TimeDelta::days(i64::from(new.days)),
        last_used_at: None,
        ended_at: None,
        scopes: new.scopes.bits(),
        name: new.name,
        hash: secret.hash().to_vec(),
    };
    personal_token_insert_in_txn(connection, &row).await?;
    Ok(row)
}
