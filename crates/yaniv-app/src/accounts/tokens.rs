//! Personal tokens: for bots, scripts and apps, with limited scopes. The secret is shown once.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use yaniv_auth::access::{Access, Scope, Scopes};
use yaniv_auth::opaque::TokenSecret;
use yaniv_db::accounts::account_rows::account_lock;
use yaniv_db::accounts::bots::bot_lock;
use yaniv_db::accounts::sessions::session_is_open;
use yaniv_db::accounts::tokens::{
    PersonalTokenRow, personal_token_end, personal_token_find_by_id, personal_token_insert_in_txn,
    personal_token_list,
};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::kernel::idempotency_keys::KeyKind;
use yaniv_db::moderation::moderators::moderator_hold_in_txn;
use yaniv_db::{Connection, Transactions};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, SessionId, TokenId};

use crate::accounts::sessions::{check_name, day_of};
use crate::kernel::idempotency::{store_key, stored_write};
use crate::kernel::{bounds, boxed};
use crate::{ServiceError, Services};

/// Maximum number of tokens of an account, those of apps among them.
pub const MOST_TOKENS: usize = bounds::TOKENS.at_once;
/// Maximum lifetime of a token, in days.
const LONGEST_LIFE: i32 = 366;

/// Request for a new token.
#[derive(Clone)]
pub struct NewToken {
    /// Name given by the owner.
    pub name: String,
    /// Scopes.
    pub scopes: Scopes,
    /// Lifetime in days.
    pub days: i32,
    /// Origin or scheme of the app that gets it by OAuth; none if the owner creates it.
    pub issued_to: Option<String>,
}

/// A token as its owner sees it, without the secret.
pub struct PersonalToken {
    /// Its identifier.
    pub id: TokenId,
    /// Name given by the owner, or the `client_id` of the app.
    pub name: String,
    /// Scopes.
    pub scopes: Scopes,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Day of the newest use.
    pub last_used_on: Option<NaiveDate>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// Origin or scheme of the app that got it by OAuth.
    pub issued_to: Option<String>,
}

/// A new token, with its secret.
pub struct CreatedToken {
    /// The token as its owner sees it.
    pub token: PersonalToken,
    /// The secret, sent as `Authorization: Bearer`.
    pub secret: String,
    /// Whether an earlier request with the same key created it.
    pub replayed: bool,
}

impl From<PersonalTokenRow> for PersonalToken {
    fn from(row: PersonalTokenRow) -> Self {
        Self {
            id: TokenId(row.id),
            name: row.name,
            scopes: Scopes::from_bits(row.scopes),
            created_at: row.created_at,
            last_used_on: row.last_used_at.map(day_of),
            expires_at: row.expires_at,
            issued_to: row.issued_to,
        }
    }
}

impl Services {
    /// Creates a token. Needs a session: a leaked token must not create further tokens.
    ///
    /// # Errors
    /// `InvalidField`, `SessionRequired`, `ModeratorOnly`, `TooManyTokens`, `KeyReused`; `InvalidToken` if the session
    /// has ended meanwhile.
    #[boxed]
    pub async fn create_token(
        &self,
        access: Access,
        new: NewToken,
        key: Option<IdempotencyKey>,
    ) -> Result<CreatedToken, ServiceError> {
        self.create_token_of(access, access.account, new, key).await
    }

    /// Creates a token for the caller or a bot of the caller.
    pub(crate) async fn create_token_of(
        &self,
        access: Access,
        bearer: AccountId,
        new: NewToken,
        key: Option<IdempotencyKey>,
    ) -> Result<CreatedToken, ServiceError> {
        check(&new)?;
        let session = access.session().ok_or(ServiceError::SessionRequired)?;
        let drawn = TokenSecret::draw().map_err(ServiceError::internal)?;
        let (seal, of) = (self.keeper.seal.clone(), key.clone());
        let secret_of = move |id| of.as_ref().map_or(drawn, |key| seal.secret_by_key(id, &key.key));
        let id = TokenId::generate();
        let secret = secret_of(id);
        let (row, replayed) = self
            .durably(true, false, move |mut connection, _| {
                let (new, key) = (new.clone(), key.clone());
                async move {
                    connection
                        .transaction(async |connection| {
                            hold(connection, access.account, session, bearer).await?;
                            if let Some(known) = stored(connection, access.account, key.as_ref()).await? {
                                return Ok((known, true));
                            }
                            let row = create(connection, bearer, id, new, &secret).await?;
                            let target = (row.id, 0, row.created_at);
                            store_key(connection, access.account, KeyKind::Token, key.as_ref(), target)
                                .await?;
                            Ok((row, false))
                        })
                        .await
                }
            })
            .await?;
        let secret = self.keeper.seal.personal_token(&secret_of(TokenId(row.id)));
        Ok(CreatedToken { token: row.into(), secret, replayed })
    }

    /// The caller's tokens, newest first.
    ///
    /// # Errors
    /// Only those of the database.
    #[boxed]
    pub async fn tokens(&self, account: AccountId) -> Result<Vec<PersonalToken>, ServiceError> {
        let rows = personal_token_list(&*self.store.connection().await?, account).await?;
        Ok(rows.into_iter().map(PersonalToken::from).collect())
    }

    /// Revokes a token of the caller; idempotent.
    ///
    /// # Errors
    /// `TokenNotFound` unless it is the caller's.
    #[boxed]
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

/// The token that an earlier request with the same key created, revoked or not.
async fn stored(
    connection: &Connection,
    account: AccountId,
    key: Option<&IdempotencyKey>,
) -> Result<Option<PersonalTokenRow>, ServiceError> {
    match stored_write(connection, account, KeyKind::Token, key).await? {
        Some(known) => Ok(personal_token_find_by_id(connection, TokenId(known.target)).await?),
        None => Ok(None),
    }
}

fn check(new: &NewToken) -> Result<(), ServiceError> {
    check_name("name", &new.name)?;
    if new.scopes.is_empty() {
        return Err(ServiceError::InvalidField { field: "scopes", detail: "must name a scope" });
    }
    if !(1..=LONGEST_LIFE).contains(&new.days) {
        return Err(ServiceError::InvalidField { field: "expires_in_days", detail: "must be 1 to 366" });
    }
    Ok(())
}

/// Locks the accounts of the creator and of the bot that gets the token.
///
/// A change of the password comes before or after: no lasting token is created with a revoked credential.
pub(crate) async fn hold(
    connection: &Connection,
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

/// Stores a token of a locked account. Only a moderator's may have the scope `moderate`.
pub(crate) async fn create(
    connection: &Connection,
    bearer: AccountId,
    id: TokenId,
    new: NewToken,
    secret: &TokenSecret,
) -> Result<PersonalTokenRow, ServiceError> {
    if new.scopes.has(Scope::Moderate) && !moderator_hold_in_txn(connection, bearer).await? {
        return Err(ServiceError::ModeratorOnly);
    }
    // Except this one, stored by an earlier try whose response was lost.
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
        issued_to: new.issued_to,
    };
    personal_token_insert_in_txn(connection, &row).await?;
    Ok(row)
}
