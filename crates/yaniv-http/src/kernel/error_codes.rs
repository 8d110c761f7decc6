//! Problem codes for errors of the engine, of calendars and of rated matches. All other errors are mapped in `error`.

use yaniv_app::lobby::rated_seats::RatedError;
use yaniv_clock::VacationError;
use yaniv_engine::{Code, Parameter, PlayError};

use crate::kernel::error::ApiError;
use crate::kernel::problem::{ProblemCode, ProblemField, ProblemParameter};

/// The problem code of each error code of the rules (`docs/rules.md`, section 12).
fn code_of(code: Code) -> ProblemCode {
    match code {
        Code::NotYourTurn => ProblemCode::NotYourTurn,
        Code::WrongPhase => ProblemCode::WrongPhase,
        Code::CardNotInHand => ProblemCode::CardNotInHand,
        Code::NotAMeld => ProblemCode::NotAMeld,
        Code::RunOutOfOrder => ProblemCode::RunOutOfOrder,
        Code::DrawNotAvailable => ProblemCode::DrawNotAvailable,
        Code::CallOverLimit => ProblemCode::CallOverLimit,
        Code::CallTooEarly => ProblemCode::CallTooEarly,
        Code::AlreadyCalled => ProblemCode::AlreadyCalled,
        Code::UnknownWord => ProblemCode::UnknownWord,
        Code::NotAllowedByRules => ProblemCode::NotAllowedByRules,
        Code::SeatOut => ProblemCode::SeatOut,
        Code::RoundOver => ProblemCode::RoundOver,
        Code::MatchOver => ProblemCode::MatchOver,
        Code::BadNotation | Code::BadPosition => ProblemCode::InvalidBody,
        Code::BadRules => ProblemCode::BadRules,
    }
}

/// The problem of an action that the rules refuse. The bodies of all actions name their parts alike.
pub(crate) fn refused_play(refusal: PlayError) -> ApiError {
    let fields = parts(&refusal);
    let parameter = |Parameter { name, value }| ProblemParameter { name: name.to_owned(), value };
    let parameters = refusal.parameters.into_iter().map(parameter).collect();
    ApiError::refusal(code_of(refusal.code), refusal.detail.into_owned(), fields, parameters)
}

/// The parts of the body that a refusal is about.
fn parts(refusal: &PlayError) -> Vec<ProblemField> {
    let order = refusal.values("play").next().map(|place| format!("plays[{place}].")).unwrap_or_default();
    let part =
        |name: &str, detail: &str| ProblemField { name: format!("{order}{name}"), detail: detail.to_owned() };
    let whole = |name: &str| vec![part(name, &refusal.detail)];
    let has = |name: &str| refusal.values(name).next().is_some();
    match refusal.code {
        Code::CardNotInHand => refusal
            .values("place")
            .map(|place| part(&format!("cards[{place}]"), "is not in your hand"))
            .collect(),
        Code::NotAMeld | Code::RunOutOfOrder => whole("cards"),
        Code::DrawNotAvailable if has("asked_card") => whole("card"),
        Code::DrawNotAvailable if has("card") => whole("draw_card"),
        Code::DrawNotAvailable => whole("draw_from"),
        Code::UnknownWord => whole("word"),
        _ => Vec::new(),
    }
}

/// The problem of a refused vacation.
pub(crate) fn refused_vacation(error: VacationError) -> ApiError {
    let code = match error {
        VacationError::Order | VacationError::TooFar => {
            return ApiError::field(ProblemCode::InvalidBody, "last_day", error.to_string());
        }
        VacationError::TooSoon => ProblemCode::VacationTooSoon,
        VacationError::Overlap => ProblemCode::VacationOverlap,
        VacationError::Allowance { .. } | VacationError::Crowded => ProblemCode::VacationDaysUsed,
        VacationError::Over => ProblemCode::VacationOver,
    };
    ApiError::new(code, error.to_string())
}

/// The problem of a match that cannot be rated.
pub(crate) fn refused_rated(error: RatedError) -> ApiError {
    ApiError::plain(match error {
        RatedError::NotRatable => ProblemCode::NotRatable,
        RatedError::NotAllowed => ProblemCode::RatedNotAllowed,
    })
}
