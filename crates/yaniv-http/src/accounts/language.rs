//! The language of an account: in requests, and as the default from the `Accept-Language` header.

use std::convert::Infallible;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::ACCEPT_LANGUAGE;
use actix_web::{FromRequest, HttpRequest};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use yaniv_app::Language;

/// A language of notifications: a BCP 47 tag.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Language)]
pub enum LanguageTag {
    /// English.
    En,
    /// Hebrew.
    He,
    /// Nepali.
    Ne,
    /// Dutch.
    Nl,
    /// German.
    De,
}

impl From<LanguageTag> for Language {
    fn from(tag: LanguageTag) -> Self {
        match tag {
            LanguageTag::En => Self::English,
            LanguageTag::He => Self::Hebrew,
            LanguageTag::Ne => Self::Nepali,
            LanguageTag::Nl => Self::Dutch,
            LanguageTag::De => Self::German,
        }
    }
}

/// The `Accept-Language` header.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct LanguageHeader {
    /// The default of `language`: the first of the languages of notifications that it prefers. Browsers send it.
    #[param(
        rename = "Accept-Language",
        required = false,
        nullable = false,
        example = "de-AT, de;q=0.9, en;q=0.5"
    )]
    accepted: Option<String>,
}

impl LanguageHeader {
    /// The language of a new account.
    pub(crate) fn or(&self, chosen: Option<LanguageTag>) -> Language {
        let accepted = || self.accepted.as_deref().and_then(Language::accepted).unwrap_or_default();
        chosen.map_or_else(accepted, Language::from)
    }
}

impl FromRequest for LanguageHeader {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let value = request.headers().get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        ready(Ok(Self { accepted: value.map(str::to_owned) }))
    }
}
