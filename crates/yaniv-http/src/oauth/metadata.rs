//! Authorization server metadata (RFC 8414): where the endpoints are, and what they support.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde_json::json;
use yaniv_auth::access::Scope;

use crate::kernel::error::ApiError;
use crate::kernel::links::Links;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::ApiResult;
use crate::oauth::{AUTHORIZE, REVOKE, TOKEN};

/// The metadata. Without the public address there is no issuer.
///
/// # Errors
/// `not_found` if `YANIV_PUBLIC_URL` is not set.
pub(crate) async fn metadata(links: Data<Links>) -> ApiResult<HttpResponse> {
    let Some(issuer) = links.public_url() else {
        return Err(ApiError::new(ProblemCode::NotFound, "the operator has not set YANIV_PUBLIC_URL"));
    };
    let metadata = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}{AUTHORIZE}"),
        "token_endpoint": format!("{issuer}{TOKEN}"),
        "revocation_endpoint": format!("{issuer}{REVOKE}"),
        "service_documentation": format!("{issuer}/docs/"),
        "scopes_supported": Scope::OF_SESSION.map(Scope::name),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": true,
    });
    std::future::ready(Ok(HttpResponse::Ok().json(metadata))).await
}
