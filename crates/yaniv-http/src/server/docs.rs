//! The documentation: the OpenAPI documents, the page that shows their operations, and the page of problem codes.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{self, ServiceConfig};
use utoipa_swagger_ui::Config;

use crate::kernel::problem::ProblemCode;
use crate::openapi::{Edition, document_in};
use crate::server::files::File;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All files.
static FILES: [File; 9] = [
    File::new("/openapi.json", "application/json", || document(Edition::V31)),
    File::new("/openapi-3.0.json", "application/json", || document(Edition::V30)),
    File::new("/docs/", HTML, || include_bytes!("docs/index.html").to_vec()),
    File::new("/docs/codes", HTML, || codes().into_bytes()),
    File::new("/docs/page.css", STYLE, || include_bytes!("docs/page.css").to_vec()),
    File::new("/docs/page.js", SCRIPT, || include_bytes!("docs/page.js").to_vec()),
    File::new("/docs/swagger-ui.css", STYLE, || swagger_ui("swagger-ui.css")),
    File::new("/docs/swagger-ui-bundle.js", SCRIPT, || swagger_ui("swagger-ui-bundle.js")),
    File::new("/docs/favicon-32x32.png", "image/png", || swagger_ui("favicon-32x32.png")),
];

/// Serves them.
pub(crate) fn docs(config: &mut ServiceConfig) {
    FILES.iter().for_each(|file| file.register(config));
    config.route("/docs", web::get().to(redirect_to_docs));
}

/// Their paths, which are not in the OpenAPI document.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.path).chain(["/docs"])
}

async fn redirect_to_docs() -> HttpResponse {
    std::future::ready(HttpResponse::PermanentRedirect().insert_header(("Location", "/docs/")).finish()).await
}

/// Without line breaks.
fn document(edition: Edition) -> Vec<u8> {
    serde_json::to_vec(&document_in(edition)).unwrap_or_default()
}

fn swagger_ui(name: &str) -> Vec<u8> {
    let file = utoipa_swagger_ui::serve(name, Arc::new(Config::from("/openapi.json")));
    file.ok().flatten().map(|file| file.bytes.into_owned()).unwrap_or_default()
}

/// The page of problem codes.
fn codes() -> String {
    let rows: String = ProblemCode::ALL.iter().map(row).collect();
    include_str!("docs/codes.html").replace("<!-- rows -->", &rows)
}

/// Titles and advice have no characters that HTML reserves; a test checks it.
fn row(code: &ProblemCode) -> String {
    let (name, status) = (code.as_str(), code.status().as_u16());
    let (title, advice) = (code.title(), code.advice());
    format!(
        "<tr id=\"{name}\"><td><a href=\"#{name}\"><code>{name}</code></a></td><td>{status}</td>\
         <td>{title}</td><td>{advice}</td></tr>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_row_that_is_html() {
        let page = codes();
        assert_eq!(page.matches("<tr id=").count(), ProblemCode::ALL.len());
        for code in ProblemCode::ALL {
            let text = format!("{}{}", code.title(), code.advice());
            assert!(!text.contains(['<', '>', '&']), "{text}");
        }
    }
}
