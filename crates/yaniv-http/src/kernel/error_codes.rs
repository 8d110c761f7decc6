//! The codes of refusals that come from crates of their own: the rules of the game, and the calendars of players. What
//! else is refused, `error` says.

use yaniv_app::lobby::rated_seats::RatedError;
use yaniv_clock::VacationError;
use yaniv_engine::Code;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// The status of each refusal of the rules (section 12).
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

/// Why vacation cannot be taken so.
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

/// Why a match cannot be rated.
pub(crate) fn refused_rated(error: RatedError) -> ApiError {
    ApiError::plain(match error {
        RatedError::NotRatable => ProblemCode::NotRatable,
        RatedError::NotAllowed => ProblemCode::RatedNotAllowed,
    })
}
