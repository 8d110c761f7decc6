//! Bots: accounts that a player owns. They have no password and no session; they act by personal tokens that
//! their owner creates. House bots are in `accounts::house_bots`.

use yaniv_auth::access::{Access, Scope};
use yaniv_db::accounts::account_rows::{AccountRow, KIND_BOT, NewAccount, account_find};
use yaniv_db::accounts::bots::bot_list;
use yaniv_db::{Connection, Transactions};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, TokenId};

use crate::accounts::name_registry::store_account;
use crate::accounts::names::{check_display_name, check_not_reserved};
use crate::accounts::register::{Account, check_username};
use crate::accounts::tokens::{CreatedToken, NewToken, PersonalToken, hold};
use crate::kernel::mutes::check_not_muted;
use crate::kernel::{bounds, boxed};
use crate::{ServiceError, Services};

/// Maximum number of bots of an account.
pub const MOST_BOTS: usize = bounds::BOTS.at_once;

impl Services {
    /// Creates a bot owned by the caller.
    ///
    /// # Errors
    /// `InvalidField`, `UsernameReserved`, `UsernameTaken`, `DisplayNameTaken`, `GuestNotAllowed`,
    /// `SessionRequired`, `TooManyBots`, `Muted`.
    #[boxed]
    pub async fn create_bot(
        &self,
        access: Access,
        username: String,
        display_name: Option<String>,
    ) -> Result<Account, ServiceError> {
        check_username(&username)?;
        check_not_reserved(&username)?;
        let display_skeleton = display_name.as_deref().map(check_display_name).transpose()?;
        let new = NewAccount {
            id: AccountId::generate().0,
            username,
            password_hash: String::new(),
            kind: KIND_BOT,
            owner_id: Some(access.account.0),
            display_name,
            display_skeleton,
            language: None,
            oidc_issuer: None,
            oidc_subject: None,
        };
        let row = self
            .durably(true, false, move |mut connection, _| {
                let new = new.clone();
                async move {
                    connection.transaction(async |connection| create(connection, &access, &new).await).await
                }
            })
            .await?;
        Ok(row.into())
    }

    /// The caller's bots, by name.
    ///
    /// # Errors
    /// Only those of the database.
    #[boxed]
    pub async fn bots(&self, owner: AccountId) -> Result<Vec<Account>, ServiceError> {
        let rows = bot_list(&*self.store.connection().await?, owner).await?;
        Ok(rows.into_iter().map(Account::from).collect())
    }

    /// Creates a token for a bot of the caller.
    ///
    /// # Errors
    /// `BotNotFound`, and those of `create_token`.
    #[boxed]
    pub async fn create_bot_token(
        &self,
        access: Access,
        bot: AccountId,
        new: NewToken,
        key: Option<IdempotencyKey>,
    ) -> Result<CreatedToken, ServiceError> {
        if bot == access.account {
            return Err(ServiceError::BotNotFound);
        }
        if [Scope::Account, Scope::Moderate].into_iter().any(|scope| new.scopes.has(scope)) {
            return Err(ServiceError::InvalidField { field: "scopes", detail: "must be read, play or both" });
        }
        self.create_token_of(access, bot, new, key).await
    }

    /// Tokens of a bot of the caller, newest first.
    ///
    /// # Errors
    /// `BotNotFound`.
    #[boxed]
    pub async fn bot_tokens(
        &self,
        owner: AccountId,
        bot: AccountId,
    ) -> Result<Vec<PersonalToken>, ServiceError> {
        self.check_bot(owner, bot).await?;
        self.tokens(bot).await
    }

    /// Revokes a token of a bot of the caller; idempotent.
    ///
    /// # Errors
    /// `BotNotFound`, `TokenNotFound`.
    #[boxed]
    pub async fn revoke_bot_token(
        &self,
        owner: AccountId,
        bot: AccountId,
        token: TokenId,
    ) -> Result<(), ServiceError> {
        self.check_bot(owner, bot).await?;
        self.revoke_token(bot, token).await
    }

    /// Checks that the caller owns this bot.
    ///
    /// # Errors
    /// `BotNotFound`.
    pub(crate) async fn check_bot(&self, owner: AccountId, bot: AccountId) -> Result<(), ServiceError> {
        let found = self.bots(owner).await?.iter().any(|known| known.id == bot);
        if found { Ok(()) } else { Err(ServiceError::BotNotFound) }
    }
}

/// Stores a bot under the lock of its owner's account.
async fn create(
    connection: &Connection,
    access: &Access,
    new: &NewAccount,
) -> Result<AccountRow, ServiceError> {
    let session = access.session().ok_or(ServiceError::SessionRequired)?;
    hold(connection, access.account, session, access.account).await?;
    let owner = account_find(connection, access.account).await?.ok_or(ServiceError::InvalidToken)?;
    if owner.is_guest() {
        return Err(ServiceError::GuestNotAllowed);
    }
    let bots = bot_list(connection, access.account).await?;
    // Stored by an earlier try whose response was lost.
    if let Some(done) = bots.iter().find(|bot| bot.id == new.id) {
        return Ok(done.clone());
    }
    if bots.len() >= MOST_BOTS {
        return Err(ServiceError::TooManyBots);
    }
    check_not_muted(connection, access.account).await?;
    store_account(connection, new).await
}
