//! The token endpoint (RFC 6749, 4.1.3 and 5) and the revocation endpoint (RFC 7009).
//!
//! Forms and errors are those of the standards. Other errors (rate limit, body too large, no database) are problems, as
//! everywhere.

use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use yaniv_app::Services;
use yaniv_app::oauth::authorization_codes::CodeExchange;
use yaniv_auth::opaque::PERSONAL_PREFIX;

use crate::kernel::extract::{Anonymous, LogIns};
use crate::kernel::json::{arrived, is_encoded};
use crate::kernel::responses::ApiResult;

/// Parameters of a token request; others are ignored.
#[derive(Deserialize)]
struct TokenForm {
    grant_type: Option<String>,
    code: Option<String>,
    code_verifier: Option<String>,
    client_id: Option<String>,
    redirect_uri: Option<String>,
}

/// Parameters of a revocation request; others are ignored.
#[derive(Deserialize)]
struct RevocationForm {
    token: Option<String>,
}

/// An error of RFC 6749, 5.2: its code and description.
struct Refusal(&'static str, &'static str);

impl From<Refusal> for HttpResponse {
    fn from(Refusal(error, description): Refusal) -> Self {
        Self::BadRequest().json(json!({"error": error, "error_description": description}))
    }
}

/// Exchanges an authorization code for a token.
///
/// # Errors
/// `too_many_log_ins`, and those of the database.
pub(crate) async fn issue_token(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    request: HttpRequest,
    payload: Payload,
) -> ApiResult<HttpResponse> {
    client.count()?;
    let by_header = client_of_header(&request);
    let exchange = match form(&request, payload).await?.and_then(|form| exchange(form, by_header)) {
        Ok(exchange) => exchange,
        Err(refusal) => return Ok(refusal.into()),
    };
    let Some(created) = services.exchange_code(exchange).await? else {
        let refusal =
            "the code is unknown, used or expired, or client_id, redirect_uri or code_verifier is another";
        return Ok(Refusal("invalid_grant", refusal).into());
    };
    let scopes: Vec<&str> = created.token.scopes.iter().map(|scope| scope.name()).collect();
    Ok(HttpResponse::Ok().json(json!({
        "access_token": created.secret,
        "token_type": "Bearer",
        "expires_in": (created.token.expires_at - created.token.created_at).num_seconds(),
        "scope": scopes.join(" "),
    })))
}

/// Revokes a token of an app, or another personal token; one that is not valid changes nothing.
///
/// # Errors
/// `too_many_log_ins`, and those of the database.
pub(crate) async fn revoke_token(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    request: HttpRequest,
    payload: Payload,
) -> ApiResult<HttpResponse> {
    client.count()?;
    match form(&request, payload).await?.and_then(token_of) {
        Ok(token) => {
            services.revoke_presented_token(&token).await?;
            Ok(HttpResponse::Ok().finish())
        }
        Err(refusal) => Ok(refusal.into()),
    }
}

/// A form, in which no parameter may come twice.
async fn form<T: DeserializeOwned>(request: &HttpRequest, payload: Payload) -> ApiResult<Result<T, Refusal>> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let bytes = arrived(request, payload.into_inner()).await?;
    if is_encoded(request) {
        return Ok(Err(Refusal("invalid_request", "the body must have no Content-Encoding")));
    }
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Ok(Err(Refusal("invalid_request", "the body must be application/x-www-form-urlencoded")));
    }
    let refusal = |_| Refusal("invalid_request", "the body is not a form, or has a parameter twice");
    Ok(serde_urlencoded::from_bytes(&bytes).map_err(refusal))
}

/// A parameter; an empty one counts as missing.
fn present(value: Option<String>, missing: &'static str) -> Result<String, Refusal> {
    value.filter(|value| !value.is_empty()).ok_or(Refusal("invalid_request", missing))
}

fn token_of(form: RevocationForm) -> Result<String, Refusal> {
    let token = present(form.token, "token is missing")?;
    if token.starts_with(PERSONAL_PREFIX) {
        return Ok(token);
    }
    Err(Refusal("unsupported_token_type", "only tokens that begin with yaniv_pat_ are revoked here"))
}

/// The `client_id` of HTTP Basic, which some libraries send with an empty secret (RFC 6749, 2.3.1: both as in a form).
fn client_of_header(request: &HttpRequest) -> Option<String> {
    let (scheme, sent) = request.headers().get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let decoded = STANDARD.decode(sent.trim()).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    let client = String::from_utf8(decoded).ok()?.strip_suffix(':')?.to_owned();
    let parsed: Vec<(String, String)> = serde_urlencoded::from_str(&format!("client_id={client}")).ok()?;
    parsed.into_iter().next().map(|(_, client)| client)
}

fn exchange(form: TokenForm, by_header: Option<String>) -> Result<CodeExchange, Refusal> {
    if present(form.grant_type, "grant_type is missing")? != "authorization_code" {
        return Err(Refusal("unsupported_grant_type", "grant_type must be authorization_code"));
    }
    Ok(CodeExchange {
        code: present(form.code, "code is missing")?,
        code_verifier: present(form.code_verifier, "code_verifier is missing")?,
        client_id: present(form.client_id.or(by_header), "client_id is missing")?,
        redirect_uri: form.redirect_uri.filter(|uri| !uri.is_empty()),
    })
}
