//! The browser's way to the OpenID Connect provider and back.
//!
//! The way back always ends at a page of this service: at the path that was asked for, with `#oidc_error=…` if there is no
//! identity: `denied` (by the player or the provider), `expired` (too late, used before, or begun in another browser),
//! `failed` (the
//! reason is in the log of the service).

use actix_web::cookie::Cookie;
use actix_web::http::header::{CACHE_CONTROL, LOCATION};
use actix_web::web::{Data, Query};
use actix_web::{HttpRequest, HttpResponse};
use serde::Deserialize;
use yaniv_app::Services;
use yaniv_app::oidc::provider_log_in::local_path;

use crate::accounts::identity_cookie::{IdentityCookie, LogInCookie};
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Anonymous, LogIns};
use crate::kernel::links::Links;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::ApiResult;

/// Path for a browser whose log-in is not known.
const START_AGAIN: &str = "/login";

/// Where to return, and whether the provider has to reauthenticate the player.
#[derive(Deserialize)]
pub(crate) struct LogInQuery {
    #[serde(default)]
    return_to: String,
    /// As for the provider (Core, section 3.1.2.1).
    prompt: Option<Prompt>,
}

/// What the provider is to ask for.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Prompt {
    /// The password, even if the browser is logged in there.
    Login,
}

/// Parameters of the authorization response (RFC 6749, section 4.1.2; RFC 9207); others are ignored.
#[derive(Deserialize)]
pub(crate) struct CallbackQuery {
    code: Option<String>,
    state: Option<String>,
    iss: Option<String>,
    error: Option<String>,
}

/// Sends the browser to the provider.
///
/// # Errors
/// `not_found` if there is no provider, `invalid_parameter`, `too_many_log_ins`.
pub(crate) async fn log_in(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    links: Data<Links>,
    request: HttpRequest,
) -> ApiResult<HttpResponse> {
    if services.oidc_provider().is_none() {
        return Err(ApiError::new(ProblemCode::NotFound, "the operator has configured no OpenID provider"));
    }
    client.count()?;
    let LogInQuery { return_to, prompt } = query(&request)?;
    Ok(match services.start_provider_log_in(&return_to, prompt.is_some()).await {
        Ok(start) => redirect(&start.url, [LogInCookie::set(&request, start.pending)]),
        Err(_) => redirect(&page(&links, local_path(&return_to), Some("failed")), []),
    })
}

/// Takes the browser back, and gives it the proven identity.
///
/// # Errors
/// `invalid_parameter`, `too_many_log_ins`, and those of the database.
pub(crate) async fn callback(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    links: Data<Links>,
    request: HttpRequest,
) -> ApiResult<HttpResponse> {
    client.count()?;
    let CallbackQuery { code, state, iss, error } = query(&request)?;
    let kept = LogInCookie::of(&request);
    let Some(pending) = services.pending_log_in(kept.kept(), &state.unwrap_or_default()) else {
        return Ok(redirect(&page(&links, START_AGAIN, Some("expired")), []));
    };
    let return_to = pending.return_to.clone();
    let used = LogInCookie::removed(&request);
    let failed = |reason| redirect(&page(&links, &return_to, Some(reason)), [used.clone()]);
    let Some(code) = code.filter(|_| error.is_none()) else {
        return Ok(failed("denied"));
    };
    if !services.use_pending_log_in(&pending).await? {
        return Ok(failed("expired"));
    }
    Ok(match services.finish_provider_log_in(pending, &code, iss.as_deref()).await {
        Ok(identity) => {
            let identity = IdentityCookie::set(&request, identity);
            redirect(&page(&links, &return_to, None), [used, identity])
        }
        Err(_) => failed("failed"),
    })
}

fn query<T: for<'de> Deserialize<'de>>(request: &HttpRequest) -> ApiResult<T> {
    let read = Query::<T>::from_query(request.query_string());
    read.map(Query::into_inner)
        .map_err(|_| ApiError::new(ProblemCode::InvalidParameter, "the query is not valid"))
}

/// A page of this service.
fn page(links: &Links, path: &str, error: Option<&str>) -> String {
    let fragment = error.map(|error| format!("#oidc_error={error}")).unwrap_or_default();
    format!("{}{path}{fragment}", links.public_url().unwrap_or_default())
}

fn redirect<const N: usize>(to: &str, cookies: [Cookie<'static>; N]) -> HttpResponse {
    let mut response = HttpResponse::SeeOther();
    response.insert_header((LOCATION, to)).insert_header((CACHE_CONTROL, "no-store"));
    for cookie in cookies {
        response.cookie(cookie);
    }
    response.finish()
}
