//! Examples of problems, as the service prints them: by the code that prints an answer.

use serde_json::Value;
use yaniv_app::ServiceError;
use yaniv_auth::access::Scope;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// A problem with this code.
pub(crate) fn problem_example(code: ProblemCode) -> Value {
    use ProblemCode as P;
    let error = match code {
        P::InvalidBody => ApiError::field(code, "size", "must be a whole number from 2 to 10"),
        P::InvalidParameter => ApiError::field(code, "limit", "must be a whole number from 1 to 100"),
        P::BadRules => ApiError::bad_rules("elimination", "must be 20 to 500"),
        P::InsufficientScope => ServiceError::InsufficientScope(Scope::Play).into(),
        P::NotYourTurn => ApiError::new(code, "seat 1 is to act"),
        P::VersionConflict => ApiError::new(code, "the match is at version 42"),
        P::InvalidJson => ApiError::new(code, "the body ends within a value"),
        _ => ApiError::plain(code),
    };
    error.body()
}
