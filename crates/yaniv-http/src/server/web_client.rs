//! The web client: its files, and its page for every path of a screen.

use std::collections::HashMap;

use actix_web::http::Method;
use actix_web::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, LOCATION, VARY};
use actix_web::{HttpRequest, HttpResponse};

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::ApiResult;
use crate::server::files::File;

/// The page that shows every screen.
const PAGE: &str = "/index.html";
/// Below it are files whose names have a hash of their content.
const HASHED: &str = "/assets/";
/// Screens whose addresses are shared: previews of them are fetched by programs, which accept anything.
const SHARED: [&str; 2] = ["/join/", "/match/"];
/// Files that programs ask for under names of their own, and the files that they get.
const ALIASES: [(&str, &str); 1] = [("/favicon.ico", "/icons/icon-192.png")];
/// Where password managers look for the form that changes a password, and where it is.
const CHANGE_PASSWORD: (&str, &str) = ("/.well-known/change-password", "/settings/account");

/// A built web client, as the program embeds it.
#[derive(Clone, Copy, Debug)]
pub struct BuiltClient {
    /// Path and content of each file.
    pub files: &'static [(&'static str, &'static [u8])],
    /// Why there are none.
    pub missing: &'static str,
    /// The Content-Security-Policy of its page.
    pub policy: &'static str,
}

/// The files that are served, by their paths.
pub struct WebClient {
    files: HashMap<&'static str, &'static File>,
    missing: Option<&'static str>,
}

impl WebClient {
    /// The files of a client; without one, only a page that says why.
    pub fn new(client: BuiltClient) -> Self {
        let file = |&(path, content): &(&'static str, &'static [u8])| {
            let caching =
                if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
            File::embedded(path, media(path), content, caching, client.policy)
        };
        // One list for as long as the program runs.
        let files: &'static [File] = client.files.iter().map(file).collect::<Vec<_>>().leak();
        let missing = files.is_empty().then_some(client.missing);
        Self { files: files.iter().map(|file| (file.path, file)).collect(), missing }
    }

    /// No files and no page.
    pub fn off() -> Self {
        Self { files: HashMap::new(), missing: None }
    }

    /// Whether its screens are served, among them the one behind a join link.
    pub(crate) fn has_screens(&self) -> bool {
        self.files.contains_key(PAGE)
    }

    /// The file of a path; for a browser that opens another path, which is a screen of the client, its page.
    pub(crate) async fn answer(&self, request: HttpRequest) -> ApiResult<HttpResponse> {
        let path = request.path();
        let not_found = || ApiError::plain(ProblemCode::NotFound);
        if request.method() != Method::GET {
            return Err(not_found());
        }
        let alias = ALIASES.into_iter().find(|(name, _)| *name == path);
        let path = alias.map_or(path, |(_, file)| file);
        if let Some(file) = self.files.get(path) {
            return file.answer(request.clone()).await;
        }
        if path == CHANGE_PASSWORD.0 && self.has_screens() {
            return Ok(HttpResponse::SeeOther().insert_header((LOCATION, CHANGE_PASSWORD.1)).finish());
        }
        let accepted = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
        let by_browser = accepted.is_some_and(|types| types.contains("text/html"));
        let of_api = path == "/v1" || path.starts_with("/v1/");
        let shown = path == "/" || SHARED.iter().any(|start| path.starts_with(start));
        match (self.files.get(PAGE), self.missing) {
            (Some(page), _) if shown => page.answer(request.clone()).await,
            (Some(page), _) if by_browser && !of_api => {
                let mut answer = page.answer(request.clone()).await?;
                answer.headers_mut().append(VARY, HeaderValue::from_static("accept"));
                Ok(answer)
            }
            (None, Some(reason)) if path == "/" => Ok(without_client(reason)),
            (Some(_), _) if !of_api => {
                Err(not_found().with_headers(&[(VARY, HeaderValue::from_static("accept"))]))
            }
            _ => Err(not_found()),
        }
    }
}

fn without_client(reason: &str) -> HttpResponse {
    let reason = reason.replace('&', "&amp;").replace('<', "&lt;");
    HttpResponse::NotFound()
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>Yaniv</title>\n\
             <h1>The web client is missing</h1>\n\
             <p>The service runs; this program was built without its web client: {reason}</p>\n\
             <p>Build it again with npm. The API is described at <a href=\"/docs/\">/docs/</a>.</p>\n</html>\n"
        ))
}

/// The media type of a file, by the end of its name.
fn media(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("txt") => "text/plain; charset=utf-8",
        Some("webmanifest") => "application/manifest+json",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
