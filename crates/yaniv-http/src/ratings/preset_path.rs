//! A preset in the path.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use utoipa::IntoParams;
use yaniv_engine::Preset;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// A preset in the path. Any other text is 404 `preset_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PresetPath {
    /// Name of the preset.
    #[param(value_type = String, max_length = 32, pattern = "^[a-z_]+$", example = "yaniv")]
    pub(crate) preset: Preset,
}

impl FromRequest for PresetPath {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let preset = request.match_info().get("preset").and_then(|name| name.parse().ok());
        ready(
            preset.map(|preset| Self { preset }).ok_or_else(|| ApiError::plain(ProblemCode::PresetNotFound)),
        )
    }
}
