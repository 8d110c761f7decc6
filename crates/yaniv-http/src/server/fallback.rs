//! Responses to requests that match no operation: the web client, unknown paths, unsupported methods, CORS preflights.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use crate::kernel::cors::Origins;
use crate::kernel::error::ApiError;
use crate::server::docs;
use crate::server::web_client::WebClient;
use crate::{oauth, oidc, openapi};

/// The methods of each path; GET implies HEAD.
pub struct Methods(Vec<(String, Vec<String>)>);

impl Methods {
    /// Those of the operations, of the documentation, of the OpenID log-in, and, if there is OAuth, of its endpoints.
    pub(crate) fn new(has_oauth: bool) -> Self {
        let oauth = oauth::PATHS.into_iter().filter(|_| has_oauth);
        let beside = docs::paths().map(|path| (path, "GET")).chain(oauth).chain(oidc::PATHS);
        let beside = beside.map(|(path, method)| (path.to_owned(), vec![method.to_owned()]));
        Self(openapi::methods().into_iter().chain(beside).collect())
    }

    fn of(&self, path: &str) -> Option<String> {
        let fitting = self.0.iter().filter(|(template, _)| fits(template, path));
        // `/v1/sessions/refresh` fits `/v1/sessions/{session_id}`, too.
        let (_, methods) = fitting.min_by_key(|(template, _)| template.matches('{').count())?;
        let head = methods.iter().any(|method| method == "GET").then_some("HEAD");
        Some(methods.iter().map(String::as_str).chain(head).collect::<Vec<_>>().join(", "))
    }
}

/// Whether a path matches a template, in which `{…}` stands for one segment.
fn fits(template: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given))
                if wanted == given || (wanted.starts_with('{') && !given.is_empty()) => {}
            _ => return false,
        }
    }
}

/// Answers a preflight; otherwise 405 if the path has other methods. Other paths are the web client's, or 404.
pub async fn not_found(
    request: HttpRequest,
    methods: Data<Methods>,
    origins: Data<Origins>,
    client: Data<WebClient>,
) -> Result<HttpResponse, ApiError> {
    match methods.of(request.path()) {
        Some(allow) => origins
            .preflight(request.method(), request.headers(), &allow)
            .ok_or_else(|| ApiError::method_not_allowed(allow)),
        None => client.answer(request).await,
    }
}
