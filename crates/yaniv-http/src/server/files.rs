//! Files that are the same for every client: compressed at their first request, kept compressed, sent with an ETag.

use std::io::{Read, Write};
use std::sync::OnceLock;

use actix_web::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, VARY,
};
use actix_web::web::{self, Bytes, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, has_tag, hex};

/// A file, and where it is served.
pub(crate) struct File {
    /// Its path in the URL.
    pub(crate) path: &'static str,
    media: &'static str,
    content: Content,
    /// `Cache-Control`; the common one if it is missing.
    caching: Option<&'static str>,
    /// `Content-Security-Policy`; the common one if it is missing.
    policy: Option<&'static str>,
    compressed: OnceLock<Compressed>,
}

enum Content {
    Made(fn() -> Vec<u8>),
    MadeOf(fn(&str) -> Vec<u8>, String),
    Embedded(&'static [u8]),
}

struct Compressed {
    gzip: Bytes,
    tag: String,
}

impl File {
    /// A file of this media type, with the function that makes its content.
    pub(crate) const fn new(path: &'static str, media: &'static str, content: fn() -> Vec<u8>) -> Self {
        let content = Content::Made(content);
        Self { path, media, content, caching: None, policy: None, compressed: OnceLock::new() }
    }

    /// The same; the content depends on a text.
    pub(crate) fn of(
        path: &'static str,
        media: &'static str,
        content: fn(&str) -> Vec<u8>,
        of: &str,
    ) -> Self {
        let content = Content::MadeOf(content, of.to_owned());
        Self { path, media, content, caching: None, policy: None, compressed: OnceLock::new() }
    }

    /// An embedded file of this media type, with its caching and policy.
    pub(crate) fn embedded(
        path: &'static str,
        media: &'static str,
        content: &'static [u8],
        caching: &'static str,
        policy: &'static str,
    ) -> Self {
        let content = Content::Embedded(content);
        Self {
            path,
            media,
            content,
            caching: Some(caching),
            policy: Some(policy),
            compressed: OnceLock::new(),
        }
    }

    /// Serves it.
    pub(crate) fn register(&'static self, config: &mut ServiceConfig) {
        config.route(self.path, web::get().to(move |request| self.answer(request)));
    }

    /// The file, or 304 if the client has it.
    pub(crate) async fn answer(&'static self, request: HttpRequest) -> ApiResult<HttpResponse> {
        let failed = |error| {
            tracing::error!(%error, path = self.path, "a file could not be sent");
            ApiError::plain(ProblemCode::Internal)
        };
        let file = web::block(move || self.compressed()).await.map_err(|error| failed(error.to_string()))?;
        let known = has_tag(&request, &file.tag);
        let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response.insert_header((ETAG, file.tag.as_str())).insert_header((VARY, "accept-encoding"));
        let own = [(CACHE_CONTROL, self.caching), (CONTENT_SECURITY_POLICY, self.policy)];
        for (name, value) in own {
            if let Some(value) = value {
                response.insert_header((name, value));
            }
        }
        if known {
            return Ok(response.finish());
        }
        response.content_type(self.media);
        // The middleware has reduced the header to gzip or nothing.
        if request.headers().contains_key(ACCEPT_ENCODING) {
            return Ok(response.insert_header((CONTENT_ENCODING, "gzip")).body(file.gzip.clone()));
        }
        let plain = web::block(move || file.plain()).await.map_err(|error| failed(error.to_string()))?;
        plain.map(|plain| response.body(plain)).map_err(|error| failed(error.to_string()))
    }

    fn compressed(&self) -> &Compressed {
        self.compressed.get_or_init(|| match &self.content {
            Content::Made(make) => Compressed::new(&make()),
            Content::MadeOf(make, of) => Compressed::new(&make(of)),
            Content::Embedded(content) => Compressed::new(content),
        })
    }
}

impl Compressed {
    fn new(content: &[u8]) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory does not fail.
        let gzip = encoder.write_all(content).and_then(|()| encoder.finish()).unwrap_or_default();
        let tag = format!("W/\"{}\"", hex(&Sha256::digest(content), 12));
        Self { gzip: gzip.into(), tag }
    }

    fn plain(&self) -> std::io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        GzDecoder::new(self.gzip.as_ref()).read_to_end(&mut plain)?;
        Ok(plain)
    }
}
