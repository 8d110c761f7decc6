//! The consent screen: the player allows an app, or does not.

use actix_web::post;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::oauth::authorization_codes::AppAuthorization;
use yaniv_app::oauth::authorization_request::AuthorizationParameters;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Account, Auth, Writes};
use crate::kernel::json::JsonBody;
use crate::kernel::links::Links;
use crate::kernel::responses::{ApiResult, Reply};

/// The authorization request of an app, with the decision of the player.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuthorizeAppRequest {
    /// Whether the player allows it. `false` stores nothing: it checks the request, and returns what to show.
    #[schema(examples(true))]
    approved: bool,
    /// `code`.
    #[schema(max_length = 40, examples("code"))]
    response_type: String,
    /// What the app calls itself: 1 to 60 characters, no control characters. Apps are not registered.
    #[schema(min_length = 1, max_length = 60, examples("Table Watch"))]
    client_id: String,
    /// Where the authorization response goes: `https`, `http` with a loopback address, or a scheme with a dot, such as `com.example.app`.
    #[schema(max_length = 500, examples("https://app.example/callback"))]
    redirect_uri: String,
    /// Scopes, separated by spaces; `read` if left out.
    #[serde(default)]
    #[schema(nullable = false, max_length = 100, examples("read play"))]
    scope: Option<String>,
    /// Repeated in the authorization response.
    #[serde(default)]
    #[schema(nullable = false, max_length = 500, examples("xyz"))]
    state: Option<String>,
    /// SHA-256 of the code verifier, in base64url without padding (PKCE, RFC 7636).
    #[schema(max_length = 128)]
    code_challenge: String,
    /// `S256`.
    #[schema(max_length = 40, examples("S256"))]
    code_challenge_method: String,
}

/// What the player decides about, and the authorization response.
#[derive(Serialize, ToSchema)]
#[schema(as = AppAuthorization)]
pub struct AppAuthorizationBody {
    /// What the app calls itself. Anybody can choose any name: show `issued_to`, too.
    #[schema(min_length = 1, max_length = 60, examples("Table Watch"))]
    pub client_id: String,
    /// Web origin or URI scheme of the app: where the authorization response goes.
    #[schema(max_length = 500, examples("https://app.example"))]
    pub issued_to: String,
    /// Scopes that the app asks for: `read`, `play`, `account`. New ones may be added.
    #[schema(min_items = 1, max_items = 8, examples("read"))]
    pub scopes: Vec<String>,
    /// The authorization response, to be opened: with `code` if `approved`, else with `error=access_denied`.
    #[schema(max_length = 4000, examples("https://app.example/callback?error=access_denied&state=xyz"))]
    pub redirect_to: String,
}

impl From<AppAuthorization> for AppAuthorizationBody {
    fn from(authorization: AppAuthorization) -> Self {
        let AppAuthorization { client_id, issued_to, scopes, redirect_to } = authorization;
        let scopes = scopes.iter().map(|scope| scope.name().to_owned()).collect();
        Self { client_id, issued_to, scopes, redirect_to }
    }
}

/// Allow an app to use your account (OAuth 2.1).
///
/// For the consent screen; the fields are the parameters of its address. Send `approved: false`, and show `issued_to`,
/// `client_id` and `scopes`. If the player allows the app, send `approved: true`, and open its `redirect_to`; otherwise that
/// of the first. Only a session can allow an app. How apps log in: docs/oauth.md.
#[operation(
    post "/v1/account/authorize-app",
    tag = "tokens",
    example = json!({
        "approved": true,
        "response_type": "code",
        "client_id": "Table Watch",
        "redirect_uri": "https://app.example/callback",
        "scope": "read play",
        "state": "xyz",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
    }),
    answer = "What to show, and the authorization response.",
    problems(SessionRequired, TooManyTokens),
)]
pub(crate) async fn authorize_app(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    links: Data<Links>,
    body: JsonBody<AuthorizeAppRequest>,
) -> ApiResult<Reply<AppAuthorizationBody>> {
    let request = body.0;
    let parameters = AuthorizationParameters {
        response_type: request.response_type,
        client_id: request.client_id,
        redirect_uri: request.redirect_uri,
        scope: request.scope,
        state: request.state,
        code_challenge: request.code_challenge,
        code_challenge_method: request.code_challenge_method,
    };
    let issuer = links.public_url();
    let authorization = services.authorize_app(caller.access, parameters, issuer, request.approved).await?;
    Ok(Reply::new(AppAuthorizationBody::from(authorization)))
}
