//! Operations on bots: accounts owned by another account, and their tokens.

use actix_web::web::Data;
use actix_web::{delete, get, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::accounts::tokens::NewToken;
use yaniv_auth::access::Scope;
use yaniv_http_macros::operation;

use crate::accounts::bot_body::{BotBody, BotListBody};
use crate::accounts::session_body::{CreatedPersonalTokenBody, PersonalTokenListBody};
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Account, Auth, KeyHeader, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::{BotPath, TokenPath};
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{AcceptedEmpty, ApiResult, Created, NoContent, Reply};

/// A new bot.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateBotRequest {
    /// Username: 3 to 20 characters of a-z, 0-9 and _.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada_bot"))]
    username: String,
    /// Name shown beside the username, with the bounds of `updateAccount`. Left out: none.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Ada's engine"))]
    display_name: Option<String>,
}

/// A new token for a bot.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateBotTokenRequest {
    /// Label of the token: 1 to 60 characters, no control characters.
    #[schema(min_length = 1, max_length = 60, examples("my server"))]
    name: String,
    /// Scopes of the token: `read` reads; `play` creates matches, joins them and acts in them.
    #[schema(min_items = 1, max_items = 2, examples(json!(["read", "play"])))]
    scopes: Vec<BotTokenScope>,
    /// Lifetime in days, 1 to 366.
    #[schema(minimum = 1, maximum = 366, examples(90))]
    expires_in_days: i32,
}

/// A scope that a bot's token can have.
#[derive(Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BotTokenScope {
    /// Read.
    Read,
    /// Create matches, join them and act in them.
    Play,
}

impl TryFrom<CreateBotTokenRequest> for NewToken {
    type Error = ApiError;

    fn try_from(request: CreateBotTokenRequest) -> Result<Self, ApiError> {
        let CreateBotTokenRequest { name, scopes, expires_in_days } = request;
        if scopes.len() > 2 {
            return Err(ApiError::field(ProblemCode::InvalidBody, "scopes", "must name each scope once"));
        }
        let scope = |scope: BotTokenScope| match scope {
            BotTokenScope::Read => Scope::Read,
            BotTokenScope::Play => Scope::Play,
        };
        let scopes = scopes.into_iter().map(scope).collect();
        Ok(Self { name, scopes, days: expires_in_days, issued_to: None })
    }
}

/// Create a bot.
///
/// A bot is an account that you own. It has no password and acts by tokens that you create (`createBotToken`). Every
/// player sees that it is a bot. It is deleted with your account. You may have 10. If no answer arrives, check
/// `listBots` before a retry.
#[operation(
    post "/v1/bots",
    tag = "bots",
    example = json!({"username": "ada_bot", "display_name": "Ada's engine"}),
    answer = "The bot.",
    problems(SessionRequired, UsernameTaken, DisplayNameTaken, TooManyBots, GuestNotAllowed, UsernameReserved, Muted),
)]
pub(crate) async fn create_bot(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<CreateBotRequest>,
) -> ApiResult<Created<BotBody>> {
    let CreateBotRequest { username, display_name } = body.0;
    let bot = services.create_bot(caller.access, username, display_name).await?;
    Ok(Created::new(BotBody::from(bot)))
}

/// List your bots.
///
/// Sorted by username.
#[operation(
    get "/v1/bots",
    tag = "bots",
    answer = "Your bots.",
)]
pub(crate) async fn list_bots(
    services: Data<Services>,
    caller: Auth<Account, Reads>,
    _: NoQuery,
) -> ApiResult<Reply<BotListBody>> {
    let bots = services.bots(caller.account).await?;
    Ok(Reply::new(BotListBody::new(bots, services.now())))
}

/// Delete a bot.
///
/// Like `deleteAccount`: its tokens end at once, and it leaves its matches within seconds. Needs a session. A repeated
/// request is 404 `bot_not_found`.
#[operation(
    delete "/v1/bots/{bot_id}",
    tag = "bots",
    answer = "The bot's tokens have ended; the deletion completes within seconds.",
    problems(SessionRequired),
)]
pub(crate) async fn delete_bot(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: BotPath,
    _: NoBody,
) -> ApiResult<AcceptedEmpty> {
    services.delete_bot(&caller.access, path.bot_id).await?;
    Ok(AcceptedEmpty)
}

/// Create a token for a bot.
///
/// The token authenticates as the bot, is sent like an access token, and is shown only in this answer. It can have no
/// scope that the calling token lacks. At most 100 per bot.
#[operation(
    post "/v1/bots/{bot_id}/tokens",
    tag = "bots",
    example = json!({"name": "my server", "scopes": ["read", "play"], "expires_in_days": 90}),
    answer = "The new token.",
    problems(SessionRequired, AccountSuspended, TooManyTokens),
)]
pub(crate) async fn create_bot_token(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: BotPath,
    key: KeyHeader,
    body: JsonBody<CreateBotTokenRequest>,
) -> ApiResult<Created<CreatedPersonalTokenBody>> {
    let key = key.of("createBotToken", &path.bot_id.to_string(), &body.0)?;
    let created = services.create_bot_token(caller.access, path.bot_id, body.0.try_into()?, key).await?;
    Ok(Created::of_write(created.replayed, CreatedPersonalTokenBody::from(created)))
}

/// List the tokens of a bot.
///
/// Names, scopes and times; never the tokens themselves.
#[operation(
    get "/v1/bots/{bot_id}/tokens",
    tag = "bots",
    answer = "The bot's tokens.",
)]
pub(crate) async fn list_bot_tokens(
    services: Data<Services>,
    caller: Auth<Account, Reads>,
    path: BotPath,
    _: NoQuery,
) -> ApiResult<Reply<PersonalTokenListBody>> {
    let tokens = services.bot_tokens(caller.account, path.bot_id).await?;
    Ok(Reply::new(PersonalTokenListBody::new(tokens, services.now())))
}

/// Revoke a token of a bot.
///
/// The token is refused within a second. A repeated request changes nothing.
#[operation(
    delete "/v1/bots/{bot_id}/tokens/{token_id}",
    tag = "bots",
    answer = "The token is revoked.",
    problems(TokenNotFound),
)]
pub(crate) async fn revoke_bot_token(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    bot: BotPath,
    token: TokenPath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.revoke_bot_token(caller.account, bot.bot_id, token.token_id).await?;
    Ok(NoContent::default())
}
