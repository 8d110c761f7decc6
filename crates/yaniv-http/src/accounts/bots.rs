//! Operations on bots: accounts that somebody owns, and the tokens that they act by.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, delete, get, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::accounts::tokens::NewToken;
use yaniv_auth::access::Scope;

use crate::accounts::bot_body::{BotBody, BotListBody};
use crate::accounts::deletion::accepted;
use crate::accounts::session_body::{CreatedPersonalTokenBody, PersonalTokenListBody};
use crate::kernel::error::ApiError;
use crate::kernel::extract::Owner;
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::{BotPath, TokenPath};
use crate::kernel::problem::{Problem, ProblemCode};
use crate::kernel::responses::{done, plain};

/// What a new bot is called.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateBotRequest {
    /// 3 to 20 of a-z, 0-9 and underscore.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada_bot"))]
    username: String,
    /// Name that others are shown beside the username, as in `updateAccount`.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Ada's engine"))]
    display_name: Option<String>,
}

/// What is wanted of a new token for a bot.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateBotTokenRequest {
    /// What to call it: 1 to 60 characters, no control characters.
    #[schema(min_length = 1, max_length = 60, examples("my server"))]
    name: String,
    /// What it is good for: `read`, to look; `play`, to create matches, join them and act in them.
    #[schema(min_items = 1, max_items = 2, examples(json!(["read", "play"])))]
    scopes: Vec<BotTokenScope>,
    /// For how many days it is good, 1 to 366.
    #[schema(minimum = 1, maximum = 366, examples(90))]
    expires_in_days: i32,
}

/// A kind of operations that a bot may be allowed.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BotTokenScope {
    /// To look.
    Read,
    /// To create matches, join them and act in them.
    Play,
}

impl TryFrom<CreateBotTokenRequest> for NewToken {
    type Error = ApiError;

    fn try_from(request: CreateBotTokenRequest) -> Result<Self, ApiError> {
        let CreateBotTokenRequest { name, scopes, expires_in_days } = request;
        if scopes.len() > 2 {
            return Err(ApiError::field(ProblemCode::InvalidBody, "scopes", "has to name each scope once"));
        }
        let scope = |scope: BotTokenScope| match scope {
            BotTokenScope::Read => Scope::Read,
            BotTokenScope::Play => Scope::Play,
        };
        Ok(Self { name, scopes: scopes.into_iter().map(scope).collect(), days: expires_in_days })
    }
}

/// Create a bot.
///
/// An account of its own, which you own: it has no password and acts by tokens that you make (`createBotToken`). Everybody
/// sees that it is a bot. It goes when your account is deleted. You may have 10. If no answer arrives, `listBots` shows
/// whether it is there.
#[utoipa::path(
    operation_id = "createBot",
    tag = "bots",
    security(("access_token" = ["account"])),
    request_body(content = CreateBotRequest,
        example = json!({"username": "ada_bot", "display_name": "Ada's engine"})),
    responses(
        (status = 201, description = "The bot.", body = BotBody),
        (status = 403, description = "`session_required`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`username_taken`, `display_name_taken`, `too_many_bots`, `claim_first`.",
            body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`username_reserved`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/bots")]
pub(crate) async fn create_bot(
    services: Data<Services>,
    owner: Owner,
    body: JsonBody<CreateBotRequest>,
) -> Result<HttpResponse, ApiError> {
    let CreateBotRequest { username, display_name } = body.0;
    let bot = services.create_bot(owner.0, username, display_name).await?;
    plain(StatusCode::CREATED, &BotBody::from(bot))
}

/// List your bots.
///
/// By name.
#[utoipa::path(
    operation_id = "listBots",
    tag = "bots",
    security(("access_token" = ["account"])),
    responses((status = 200, description = "Your bots.", body = BotListBody))
)]
#[get("/v1/bots")]
pub(crate) async fn list_bots(
    services: Data<Services>,
    owner: Owner,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let bots = services.bots(owner.0.account).await?;
    plain(StatusCode::OK, &BotListBody::new(bots, services.now()))
}

/// Delete a bot.
///
/// As `deleteAccount` does with yours: its tokens are worthless at once, and it leaves its matches within seconds. Deleted
/// again, it is not found.
#[utoipa::path(
    operation_id = "deleteBot",
    tag = "bots",
    security(("access_token" = ["account"])),
    params(BotPath),
    responses((status = 202, description = "Nothing acts as this bot any more, and the rest is under way."))
)]
#[delete("/v1/bots/{bot_id}")]
pub(crate) async fn delete_bot(
    services: Data<Services>,
    owner: Owner,
    path: BotPath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.delete_bot(owner.0.account, path.bot_id).await?;
    Ok(accepted())
}

/// Create a token for a bot.
///
/// It is sent like an access token, speaks for the bot, and is shown this once. It can have no scope that the token which
/// asks for it lacks. A bot has 100 at most.
#[utoipa::path(
    operation_id = "createBotToken",
    tag = "bots",
    security(("access_token" = ["account"])),
    params(BotPath),
    request_body(content = CreateBotTokenRequest,
        example = json!({"name": "my server", "scopes": ["read", "play"], "expires_in_days": 90})),
    responses(
        (status = 201, description = "The token.", body = CreatedPersonalTokenBody),
        (status = 403, description = "`session_required`, `account_suspended`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`too_many_tokens`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/bots/{bot_id}/tokens")]
pub(crate) async fn create_bot_token(
    services: Data<Services>,
    owner: Owner,
    path: BotPath,
    body: JsonBody<CreateBotTokenRequest>,
) -> Result<HttpResponse, ApiError> {
    let created = services.create_bot_token(owner.0, path.bot_id, body.0.try_into()?).await?;
    plain(StatusCode::CREATED, &CreatedPersonalTokenBody::from(created))
}

/// List the tokens of a bot.
///
/// With their names, scopes and times; never the tokens themselves.
#[utoipa::path(
    operation_id = "listBotTokens",
    tag = "bots",
    security(("access_token" = ["account"])),
    params(BotPath),
    responses((status = 200, description = "The bot's tokens.", body = PersonalTokenListBody))
)]
#[get("/v1/bots/{bot_id}/tokens")]
pub(crate) async fn list_bot_tokens(
    services: Data<Services>,
    owner: Owner,
    path: BotPath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let tokens = services.bot_tokens(owner.0.account, path.bot_id).await?;
    plain(StatusCode::OK, &PersonalTokenListBody::new(tokens, services.now()))
}

/// Revoke a token of a bot.
///
/// It is refused within a second. Revoking it again changes nothing.
#[utoipa::path(
    operation_id = "revokeBotToken",
    tag = "bots",
    security(("access_token" = ["account"])),
    params(BotPath, TokenPath),
    responses(
        (status = 204, description = "The token is worthless."),
        (status = 404, description = "`token_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[delete("/v1/bots/{bot_id}/tokens/{token_id}")]
pub(crate) async fn revoke_bot_token(
    services: Data<Services>,
    owner: Owner,
    bot: BotPath,
    token: TokenPath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.revoke_bot_token(owner.0.account, bot.bot_id, token.token_id).await?;
    Ok(done())
}
