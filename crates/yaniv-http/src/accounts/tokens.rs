//! Operations on personal tokens.

use actix_web::web::Data;
use actix_web::{delete, get, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::accounts::tokens::NewToken;
use yaniv_auth::access::Scope;
use yaniv_http_macros::operation;

use crate::accounts::session_body::{CreatedPersonalTokenBody, PersonalTokenListBody};
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Account, Auth, KeyHeader, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::TokenPath;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Created, NoContent, Reply};

/// A new personal token.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateTokenRequest {
    /// Label of the token: 1 to 60 characters, no control characters.
    #[schema(min_length = 1, max_length = 60, examples("my bot"))]
    name: String,
    /// Scopes of the token: `read` reads; `play` creates matches, joins them and acts in them; `account` manages
    /// sessions, personal tokens, the password, friends and blocks; `moderate` is for moderators.
    #[schema(min_items = 1, max_items = 4, examples(json!(["read", "play"])))]
    scopes: Vec<TokenScope>,
    /// Lifetime in days, 1 to 366.
    #[schema(minimum = 1, maximum = 366, examples(90))]
    expires_in_days: i32,
}

/// A scope. Each operation names the one that it needs as `x-scope`.
#[derive(Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TokenScope {
    /// Read.
    Read,
    /// Create matches, join them and act in them.
    Play,
    /// Manage sessions, personal tokens, the password, friends and blocks.
    Account,
    /// Read and decide reports, as a moderator.
    Moderate,
}

impl TryFrom<CreateTokenRequest> for NewToken {
    type Error = ApiError;

    fn try_from(request: CreateTokenRequest) -> Result<Self, ApiError> {
        let CreateTokenRequest { name, scopes, expires_in_days } = request;
        if scopes.len() > Scope::ALL.len() {
            return Err(ApiError::field(ProblemCode::InvalidBody, "scopes", "must name each scope once"));
        }
        let scopes = scopes.into_iter().map(Scope::from).collect();
        Ok(Self { name, scopes, days: expires_in_days, issued_to: None })
    }
}

impl From<TokenScope> for Scope {
    fn from(scope: TokenScope) -> Self {
        match scope {
            TokenScope::Read => Self::Read,
            TokenScope::Play => Self::Play,
            TokenScope::Account => Self::Account,
            TokenScope::Moderate => Self::Moderate,
        }
    }
}

/// Create a personal token.
///
/// For bots and scripts. It is sent like an access token, has the lifetime and scopes that you choose, and is shown
/// only in this answer. Only a session can create one, so that a leaked token cannot create others. At most 100 per
/// account.
#[operation(
    post "/v1/tokens",
    tag = "tokens",
    example = json!({"name": "my bot", "scopes": ["read", "play"], "expires_in_days": 90}),
    answer = "The new token.",
    problems(SessionRequired, ModeratorOnly, TooManyTokens),
)]
pub(crate) async fn create_token(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    key: KeyHeader,
    body: JsonBody<CreateTokenRequest>,
) -> ApiResult<Created<CreatedPersonalTokenBody>> {
    let key = key.of("createToken", "", &body.0)?;
    let created = services.create_token(caller.access, body.0.try_into()?, key).await?;
    Ok(Created::of_write(created.replayed, CreatedPersonalTokenBody::from(created)))
}

/// List your personal tokens.
///
/// Names, scopes and times; never the tokens themselves. Those that apps got by OAuth have `issued_to`.
#[operation(
    get "/v1/tokens",
    tag = "tokens",
    answer = "Your personal tokens.",
)]
pub(crate) async fn list_tokens(
    services: Data<Services>,
    caller: Auth<Account, Reads>,
    _: NoQuery,
) -> ApiResult<Reply<PersonalTokenListBody>> {
    let tokens = services.tokens(caller.account).await?;
    Ok(Reply::new(PersonalTokenListBody::new(tokens, services.now())))
}

/// Revoke a personal token.
///
/// The token is refused within a second. A repeated request changes nothing.
#[operation(
    delete "/v1/tokens/{token_id}",
    tag = "tokens",
    answer = "The token is revoked.",
    problems(TokenNotFound),
)]
pub(crate) async fn revoke_token(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: TokenPath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.revoke_token(caller.account, path.token_id).await?;
    Ok(NoContent::default())
}
