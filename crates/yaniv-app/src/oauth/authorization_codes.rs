//! Authorization codes: an app gets one when the player has allowed it, and exchanges it for a token.
//!
//! A code is valid once and for five minutes, for the app that can name the code verifier, as long as the session in
//! which the player allowed it is open. A second exchange revokes the token of the first: one of the two was not the app.

use chrono::TimeDelta;
use uuid::Uuid;
use yaniv_auth::access::{Access, Scopes};
use yaniv_auth::opaque::TokenSecret;
use yaniv_db::accounts::account_rows::account_lock;
use yaniv_db::accounts::sessions::session_is_open;
use yaniv_db::accounts::tokens::{
    PersonalTokenRow, personal_token_end, personal_token_find, personal_token_list,
};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::notifications::deliveries::{NEW_APP, account_message_enqueue};
use yaniv_db::oauth::authorization_codes::{
    AuthorizationCodeRow, authorization_code_find, authorization_code_insert_in_txn,
    authorization_code_use_in_txn,
};
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::{AccountId, SessionId, TokenId};

use crate::accounts::tokens::{CreatedToken, MOST_TOKENS, NewToken, create, hold};
use crate::kernel::boxed;
use crate::oauth::authorization_request::{
    AuthorizationParameters, AuthorizationRequest, RedirectUri, verifies,
};
use crate::{ServiceError, Services};

/// Lifetime of a code.
const LIFETIME: TimeDelta = TimeDelta::minutes(5);
/// Lifetime of a token, in days.
const TOKEN_DAYS: i32 = 365;
/// Maximum number of tokens of one app, such as on several devices; the oldest makes room.
const MOST_OF_ONE_APP: usize = 5;
/// Maximum number of tokens of all apps; the oldest makes room.
const MOST_OF_ALL_APPS: usize = 50;

/// What the player decides about, and the authorization response.
pub struct AppAuthorization {
    /// What the app calls itself.
    pub client_id: String,
    /// Its web origin or URI scheme.
    pub issued_to: String,
    /// What it asks for.
    pub scopes: Scopes,
    /// The redirect URI with the authorization response.
    pub redirect_to: String,
}

/// The request of an app to exchange a code.
#[derive(Clone)]
pub struct CodeExchange {
    /// The code.
    pub code: String,
    /// The secret of which the authorization request had the hash.
    pub code_verifier: String,
    /// As in the authorization request.
    pub client_id: String,
    /// As in the authorization request; clients of OAuth 2.0 send it.
    pub redirect_uri: Option<String>,
}

impl CodeExchange {
    fn fits(&self, row: &AuthorizationCodeRow) -> bool {
        self.client_id == row.client_id
            && self.redirect_uri.as_ref().is_none_or(|given| *given == row.redirect_uri)
            && verifies(&self.code_verifier, &row.code_challenge)
    }
}

impl Services {
    /// Checks an authorization request of an app. With `approved`, the authorization response has a code; otherwise it is
    /// the refusal, and nothing is stored. Needs a session: a leaked token must not create further tokens.
    ///
    /// # Errors
    /// `InvalidField`, `SessionRequired`, `TooManyTokens`; `InvalidToken` if the session has ended meanwhile.
    #[boxed]
    pub async fn authorize_app(
        &self,
        access: Access,
        parameters: AuthorizationParameters,
        issuer: Option<&str>,
        approved: bool,
    ) -> Result<AppAuthorization, ServiceError> {
        let session = access.session().ok_or(ServiceError::SessionRequired)?;
        let request = AuthorizationRequest::new(parameters, issuer)?;
        let (name, value) = if approved {
            ("code", self.create_authorization_code(access.account, session, request.clone()).await?)
        } else {
            ("error", "access_denied".to_owned())
        };
        Ok(AppAuthorization {
            client_id: request.client_id.clone(),
            issued_to: request.redirect_uri.issued_to(),
            scopes: request.scopes,
            redirect_to: request.response(name, &value, issuer),
        })
    }

    async fn create_authorization_code(
        &self,
        account: AccountId,
        session: SessionId,
        request: AuthorizationRequest,
    ) -> Result<String, ServiceError> {
        let secret = TokenSecret::draw().map_err(ServiceError::internal)?;
        self.durably(true, false, move |mut connection, _| {
            let request = request.clone();
            async move {
                connection
                    .transaction(async |connection| {
                        hold(connection, account, session, account).await?;
                        let tokens = personal_token_list(connection, account).await?;
                        if tokens.len() >= MOST_TOKENS {
                            return Err(ServiceError::TooManyTokens);
                        }
                        let row = AuthorizationCodeRow {
                            hash: secret.hash().to_vec(),
                            session_id: session.0,
                            client_id: request.client_id,
                            redirect_uri: request.redirect_uri.text,
                            code_challenge: request.code_challenge.to_vec(),
                            scopes: request.scopes.bits(),
                            expires_at: clock_read(connection).await? + LIFETIME,
                            token_id: None,
                        };
                        Ok(authorization_code_insert_in_txn(connection, &row).await?)
                    })
                    .await
            }
        })
        .await?;
        Ok(self.keeper.seal.authorization_code(&secret))
    }

    /// Exchanges a code for a token; none if the code is unknown, used, expired or void, or belongs to another app.
    ///
    /// # Errors
    /// `TooManyTokens`, if the player has created others since.
    #[boxed]
    pub async fn exchange_code(&self, exchange: CodeExchange) -> Result<Option<CreatedToken>, ServiceError> {
        let Some(code) = self.keeper.seal.open_authorization_code(&exchange.code) else { return Ok(None) };
        let secret = TokenSecret::draw().map_err(ServiceError::internal)?;
        let id = TokenId::generate();
        let (row, ended) = self
            .durably(true, false, move |mut connection, _| {
                let exchange = exchange.clone();
                async move {
                    connection
                        .transaction(async |connection| {
                            redeem(connection, &code.hash(), &exchange, id, &secret).await
                        })
                        .await
                }
            })
            .await?;
        self.ended.add(ended);
        let secret = self.keeper.seal.personal_token(&secret);
        Ok(row.map(|row| CreatedToken { token: row.into(), secret, replayed: false }))
    }

    /// Revokes a personal token by its secret, for whoever holds it (RFC 7009). An invalid token changes nothing.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn revoke_presented_token(&self, token: &str) -> Result<(), ServiceError> {
        let Some(secret) = self.keeper.seal.open_personal_token(token) else { return Ok(()) };
        let ended = self
            .durably(true, false, move |connection, _| async move {
                let Some((row, _)) = personal_token_find(&connection, &secret.hash()).await? else {
                    return Ok(None);
                };
                personal_token_end(&connection, AccountId(row.account_id), TokenId(row.id)).await?;
                Ok::<_, ServiceError>(Some(row.id))
            })
            .await?;
        self.ended.add(ended);
        Ok(())
    }
}

/// Uses the code up and stores the token; returns the token, and the identifiers of revoked ones.
async fn redeem(
    connection: &Connection,
    code: &[u8],
    exchange: &CodeExchange,
    id: TokenId,
    secret: &TokenSecret,
) -> Result<(Option<PersonalTokenRow>, Vec<Uuid>), ServiceError> {
    let refused = Ok((None, Vec::new()));
    let Some((_, account)) = authorization_code_find(connection, code).await? else { return refused };
    // A change of the password, which ends sessions, and other exchanges come before or after.
    let locked = account_lock(connection, account).await?;
    let found = authorization_code_find(connection, code).await?;
    let Some((row, _)) = found.filter(|(row, _)| locked.is_some() && exchange.fits(row)) else {
        return refused;
    };
    match row.token_id {
        // Stored by an earlier try whose response was lost.
        Some(used) if used == id.0 => {
            let token = personal_token_find(connection, &secret.hash()).await?;
            return Ok((token.map(|(token, _)| token), Vec::new()));
        }
        Some(used) => {
            personal_token_end(connection, account, TokenId(used)).await?;
            tracing::info!(%account, "an authorization code was used twice: its token is revoked");
            return Ok((None, vec![used]));
        }
        None => {}
    }
    let is_late = row.expires_at <= clock_read(connection).await?;
    if is_late || !session_is_open(connection, SessionId(row.session_id)).await? {
        return refused;
    }
    let new = NewToken {
        name: row.client_id,
        scopes: Scopes::from_bits(row.scopes),
        days: TOKEN_DAYS,
        issued_to: Some(RedirectUri::new(row.redirect_uri)?.issued_to()),
    };
    let ended = make_room(connection, account, &new).await?;
    let token = create(connection, account, id, new, secret).await?;
    authorization_code_use_in_txn(connection, code, id).await?;
    Ok((Some(token), ended))
}

/// Sends the account a message about a new app, and revokes the oldest tokens of apps beyond the limits; returns their
/// identifiers.
async fn make_room(
    connection: &Connection,
    account: AccountId,
    new: &NewToken,
) -> Result<Vec<Uuid>, ServiceError> {
    let tokens = personal_token_list(connection, account).await?;
    let is_of_app = |token: &PersonalTokenRow| (&token.issued_to, &token.name) == (&new.issued_to, &new.name);
    let (of_app, of_others): (Vec<_>, Vec<_>) =
        tokens.into_iter().filter(|token| token.issued_to.is_some()).partition(is_of_app);
    if of_app.is_empty() {
        account_message_enqueue(connection, account, NEW_APP).await?;
    }
    // One place is for the new token.
    let kept = of_app.len().min(MOST_OF_ONE_APP.saturating_sub(1));
    let others_kept = MOST_OF_ALL_APPS.saturating_sub(kept.saturating_add(1));
    let surplus = of_app.into_iter().skip(kept).chain(of_others.into_iter().skip(others_kept));
    let mut ended = Vec::new();
    for token in surplus {
        personal_token_end(connection, account, TokenId(token.id)).await?;
        ended.push(token.id);
    }
    Ok(ended)
}
