//! Request for a new match, and validation shared by the operations that create matches.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::lobby::create::NewMatch;
use yaniv_bot::Level;
use yaniv_engine::{Preset, Rules, Seed};

use crate::kernel::error::ApiError;
use crate::kernel::params::check_range;
use crate::kernel::problem::ProblemCode;
use crate::lobby::time_control_request::TimeControlRequest;
use crate::rules::rule_request::RuleSetRequest;
use crate::values::words::{SeatOrder, Visibility};

/// A new match.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateMatchRequest {
    /// Number of seats.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub(crate) size: i32,
    /// The rules; the preset `yaniv` if left out.
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) rules: RuleSetRequest,
    /// The time control; the default one if left out (`TimeControlRequest`).
    #[serde(default, skip_serializing_if = "TimeControlRequest::is_default")]
    #[schema(required = false)]
    pub(crate) time_control: TimeControlRequest,
    /// Order of the seats: `joined` (default): joining order; `random`: drawn at the start from the committed seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) seat_order: Option<SeatOrder>,
    /// `private` (default): found only by its code; `public`: listed for every account while it waits for players, and
    /// readable by every account once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) visibility: Option<Visibility>,
    /// Whether the match counts for ratings. If so, the rules must be exactly a preset, and the players all registered
    /// people, or all bots.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(crate) rated: bool,
    /// `true` for a sandbox (test match), if the server allows them: private and unrated; its clock can be advanced
    /// (`advanceClock`) and its bots scripted (`writeScript`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(crate) sandbox: bool,
    /// Seed of a sandbox, in hexadecimal: the same seed, client seeds and actions give the same cards. If left out, it
    /// is random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        pattern = "^[0-9a-f]{64}$",
        examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    )]
    pub(crate) sandbox_seed: Option<String>,
    /// Levels of the house bots that take the next seats, one bot for each; at most `size` - 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 9, examples(json!(["medium"])))]
    pub(crate) bots: Vec<BotLevel>,
    /// Lifetime of the code in hours, 1 to 720; if left out, it does not expire before the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 720, examples(48))]
    pub(crate) join_code_expires_in_hours: Option<i32>,
    /// Your input to every shuffle (docs/fairness.md): at most 64 characters of printable ASCII without a comma; should
    /// be unpredictable.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("my lucky number is 7"))]
    pub(crate) client_seed: String,
}

/// Level of a house bot.
#[derive(Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BotLevel {
    /// As `medium`, with careless turns and calls.
    Easy,
    /// Looks one turn ahead.
    Medium,
    /// Also counts cards, and times its calls.
    Hard,
    /// Plays and calls by the value that trained networks give them. With rules that none was trained for, as `hard`.
    Expert,
}

impl CreateMatchRequest {
    fn sandbox_secret(&self) -> Result<Option<[u8; 32]>, ApiError> {
        let Some(seed) = &self.sandbox_seed else { return Ok(None) };
        let field = |detail: &str| ApiError::field(ProblemCode::InvalidBody, "sandbox_seed", detail);
        if !self.sandbox {
            return Err(field("is allowed only with sandbox"));
        }
        let seed = seed.parse::<Seed>().map_err(|_| field("must be 64 hexadecimal digits"))?;
        Ok(Some(*seed.as_bytes()))
    }

    /// Validates the request.
    ///
    /// # Errors
    /// `invalid_body` or `bad_rules`, with the field.
    pub(crate) fn new_match(&self) -> Result<NewMatch, ApiError> {
        let random_seats = self.seat_order == Some(SeatOrder::Random);
        let public = self.visibility == Some(Visibility::Public);
        let code_time = code_time("join_code_expires_in_hours", self.join_code_expires_in_hours)?;
        let (sandbox, secret) = (self.sandbox, self.sandbox_secret()?);
        if public && sandbox {
            let detail = "must be private with sandbox";
            return Err(ApiError::field(ProblemCode::InvalidBody, "visibility", detail));
        }
        Ok(NewMatch {
            public,
            code_time,
            sandbox,
            secret,
            rated: self.rated,
            ..new_match(self.size, &self.rules, &self.time_control, random_seats)?
        })
    }
}

impl From<BotLevel> for Level {
    fn from(level: BotLevel) -> Self {
        match level {
            BotLevel::Easy => Self::Easy,
            BotLevel::Medium => Self::Medium,
            BotLevel::Hard => Self::Hard,
            BotLevel::Expert => Self::Expert,
        }
    }
}

/// Validates the lifetime of a code or a challenge: 1 to 720 hours.
///
/// # Errors
/// `invalid_body`, with the field.
pub(crate) fn code_time(field: &str, hours: Option<i32>) -> Result<Option<TimeDelta>, ApiError> {
    let checked = hours.map(|hours| check_range(field, hours, 1..=720)).transpose();
    let hours = checked.map_err(|_| ApiError::field(ProblemCode::InvalidBody, field, "must be 1 to 720"))?;
    Ok(hours.map(|hours| TimeDelta::hours(i64::from(hours))))
}

/// Validates the fields shared by the operations that create matches.
///
/// # Errors
/// `invalid_body` or `bad_rules`, with the field.
pub(crate) fn new_match(
    size: i32,
    rules: &RuleSetRequest,
    time_control: &TimeControlRequest,
    random_seats: bool,
) -> Result<NewMatch, ApiError> {
    let size = check_range("size", size, 2..=10)
        .and_then(|size| i16::try_from(size).map_err(|_| ApiError::plain(ProblemCode::InvalidBody)))
        .map_err(|_| ApiError::field(ProblemCode::InvalidBody, "size", "must be 2 to 10"))?;
    let refused = |error: yaniv_engine::BadRules| ApiError::bad_rules(&error.option, error.detail);
    let rules = rules.options().and_then(Rules::new).map_err(refused)?;
    let same = |preset: &&Preset| preset.options() == *rules.options();
    let preset = Preset::ALL.iter().find(same).map(|preset| preset.as_str().to_owned());
    let time_control = time_control.time_control()?;
    Ok(NewMatch {
        rules,
        preset,
        size,
        random_seats,
        public: false,
        code_time: None,
        time_control,
        sandbox: false,
        rated: false,
        secret: None,
    })
}
