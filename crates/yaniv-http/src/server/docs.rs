//! The documentation: the OpenAPI documents, the page that shows their operations, the page of problem codes, and the
//! pages of `manual`.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{self, ServiceConfig};
use utoipa_swagger_ui::Config;

use crate::kernel::middleware::DOCUMENTS;
use crate::kernel::problem::ProblemCode;
use crate::openapi::{Edition, at_address, document_in};
use crate::server::file_schemas::{export_schema, record_schema};
use crate::server::files::File;
use crate::server::manual;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCHEMA: &str = "application/schema+json";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All files but the documents.
static FILES: [File; 9] = [
    File::new("/docs/", HTML, || include_bytes!("docs/index.html").to_vec()),
    File::new("/docs/codes", HTML, || codes().into_bytes()),
    File::new("/docs/record.schema.json", SCHEMA, record_schema),
    File::new("/docs/export.schema.json", SCHEMA, export_schema),
    File::new("/docs/page.css", STYLE, || include_bytes!("docs/page.css").to_vec()),
    File::new("/docs/page.js", SCRIPT, || include_bytes!("docs/page.js").to_vec()),
    File::new("/docs/swagger-ui.css", STYLE, || swagger_ui("swagger-ui.css")),
    File::new("/docs/swagger-ui-bundle.js", SCRIPT, || swagger_ui("swagger-ui-bundle.js")),
    File::new("/docs/favicon-32x32.png", "image/png", || swagger_ui("favicon-32x32.png")),
];

/// The OpenAPI documents of a service with this public address, if it has one; for as long as the program runs.
pub(crate) fn documents(public_url: Option<&str>) -> &'static [File] {
    let [newer, older] = DOCUMENTS;
    let (json, url) = ("application/json", public_url.unwrap_or_default());
    let files = [
        File::of(newer, json, |url| document(Edition::V31, url), url),
        File::of(older, json, |url| document(Edition::V30, url), url),
    ];
    Box::leak(Box::new(files))
}

/// Serves all.
pub(crate) fn docs(config: &mut ServiceConfig, documents: &'static [File]) {
    FILES.iter().chain(documents).chain(&manual::FILES).for_each(|file| file.register(config));
    config.route("/docs", web::get().to(redirect_to_docs));
}

/// Their paths, which are not in the OpenAPI document.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    FILES.iter().chain(&manual::FILES).map(|file| file.path).chain(DOCUMENTS).chain(["/docs"])
}

async fn redirect_to_docs() -> HttpResponse {
    std::future::ready(HttpResponse::PermanentRedirect().insert_header(("Location", "/docs/")).finish()).await
}

/// Without line breaks; with the public address, if there is one.
fn document(edition: Edition, public_url: &str) -> Vec<u8> {
    let mut document = document_in(edition);
    if !public_url.is_empty() {
        at_address(&mut document, public_url);
    }
    serde_json::to_vec(&document).unwrap_or_default()
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
