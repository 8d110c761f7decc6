//! Sends requests, checks each exchange against the OpenAPI document, and searches the answer for secrets.

use std::sync::LazyLock;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::Value;
use yaniv_contract::{Contract, Exchange};
use yaniv_http::openapi;

use super::secrets;

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::new(&openapi::document()).unwrap());

/// A complete answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    /// The body, if the status is this one.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        if self.body.is_empty() { Value::Null } else { serde_json::from_str(&self.body).unwrap() }
    }

    /// Checks that it is this problem, in the right form.
    #[track_caller]
    pub(crate) fn expect_problem(&self, status: u16, code: &str) -> Value {
        let problem = self.expect(status);
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        for text in ["type", "title", "detail", "advice"] {
            assert!(!problem[text].as_str().unwrap().is_empty(), "{text} in {problem}");
        }
        problem
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// Fails if an answer, or a part of a stream, contains a secret.
pub(crate) async fn search(url: &reqwest::Url, headers: &HeaderMap, raw: &[u8]) {
    let address = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or_default());
    let parts: Vec<&[u8]> = headers.values().map(HeaderValue::as_bytes).chain([raw]).collect();
    secrets::search(&address, &parts).await.unwrap_or_else(|leak| panic!("{url}: {leak}"));
}

/// Sends a request. Checks its answer against the document, and for secrets.
pub(crate) async fn send(
    client: &reqwest::Client,
    request: reqwest::RequestBuilder,
) -> reqwest::Result<Answer> {
    let request = request.build().unwrap();
    let (method, url) = (request.method().clone(), request.url().clone());
    let sent = plain(request.headers());
    let body = request.body().and_then(|body| body.as_bytes()).map(<[u8]>::to_vec);
    let response = client.execute(request).await?;
    let (status, headers) = (response.status(), response.headers().clone());
    let raw = response.bytes().await?;
    search(&url, &headers, &raw).await;
    let answer = Answer { status, headers, body: String::from_utf8_lossy(&raw).into_owned() };
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let target = format!("{}{query}", url.path());
    let exchange = Exchange {
        method: method.as_str(),
        target: &target,
        sent,
        request: body.as_deref(),
        status: status.as_u16(),
        received: plain(&answer.headers),
        answer: answer.body.as_bytes(),
    };
    // A compressed body is the same answer, and is not decompressed here.
    if answer.header("content-encoding").is_none() {
        CONTRACT.check(&exchange).unwrap();
    }
    Ok(answer)
}

fn plain(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect()
}
