//! Problem codes for errors of the engine, of calendars and of rated matches. All other errors are mapped in `error`.

use yaniv_app::lobby::rated_seats::RatedError;
use yaniv_clock::VacationError;
use yaniv_engine::Code;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// The problem code of each error code of the rules (`docs/rules.md`, section 12).
pub(crate) fn code_of(code: Code) -> ProblemCode {
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
