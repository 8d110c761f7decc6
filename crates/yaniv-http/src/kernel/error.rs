//! Maps errors of use cases to problems: the only place that chooses a status.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use actix_web::http::StatusCode;
use actix_web::http::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use actix_web::{HttpResponse, ResponseError};
use chrono::{DateTime, TimeDelta, Utc};
use yaniv_app::ServiceError;
use yaniv_app::accounts::password_attempts::{MOST_TRIES, TRIES_WITHIN};
use yaniv_app::feeds::streams::MOST_OF_ACCOUNT;
use yaniv_app::notifications::{ADDRESSES_WITHIN, CODES_WITHIN, ROTATED_SIGNS};
use yaniv_auth::access::Scope;
use yaniv_model::times::print_time;

use crate::forms::form::Misfit;
use crate::kernel::error_codes::{refused_play, refused_rated, refused_vacation};
use crate::kernel::problem::{Problem, ProblemCode, ProblemField, ProblemParameter};
use crate::kernel::rate_limit::{Allowance, Bucket};
use crate::match_view::match_body::MatchBody;

/// The most that `Retry-After` says, in seconds, as documented; `RateLimit` has the whole time.
const LONGEST_WAIT: i64 = 3600;
/// `WWW-Authenticate` of every 401.
const REALM: &str = "Bearer realm=\"yaniv\"";
/// `Retry-After` of 503, in seconds.
const RETRY_SECONDS: &str = "1";
/// `Retry-After` of `too_many_streams`, in seconds.
const STREAM_SECONDS: u32 = 5;
/// Header of draft-ietf-httpapi-ratelimit-headers.
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// Most parts of a request that a problem lists.
const MOST_FIELDS: usize = 20;
/// Most of them that its detail names.
const NAMED_FIELDS: usize = 3;
/// Longest detail, as `Problem` documents it.
const LONGEST_DETAIL: usize = 1000;
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// A response that is a problem. It may contain the view of a match, so `Debug` and `Display` show only its code.
pub struct ApiError {
    code: ProblemCode,
    problem: Box<Problem>,
    headers: Vec<(HeaderName, String)>,
}

impl ApiError {
    /// A problem with this detail.
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self { code, problem: Box::new(Problem::new(code, detail)), headers: Vec::new() }
    }

    /// A problem whose detail is its title.
    pub fn plain(code: ProblemCode) -> Self {
        Self::new(code, code.title())
    }

    /// A problem with one part of the request.
    pub fn field(code: ProblemCode, name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::fields(code, vec![ProblemField { name: name.into(), detail: detail.into() }])
    }

    /// A problem with parts of the request; the detail names the first of them.
    pub(crate) fn fields(code: ProblemCode, mut fields: Vec<ProblemField>) -> Self {
        let named = fields.iter().take(NAMED_FIELDS).map(|field| format!("{}: {}", field.name, field.detail));
        let mut detail = named.collect::<Vec<_>>().join("; ");
        if let Some(more) = fields.len().checked_sub(NAMED_FIELDS).filter(|more| *more > 0) {
            detail.push_str(&format!("; and {more} more"));
        }
        fields.truncate(MOST_FIELDS);
        let mut error = Self::new(code, detail.chars().take(LONGEST_DETAIL).collect::<String>());
        error.problem.fields = fields;
        error
    }

    /// An action that is refused, with the values that the detail mentions.
    pub(crate) fn refusal(
        code: ProblemCode,
        detail: String,
        fields: Vec<ProblemField>,
        parameters: Vec<ProblemParameter>,
    ) -> Self {
        let mut error = Self::new(code, detail);
        error.problem.fields = fields;
        error.problem.parameters = parameters;
        error
    }

    /// A problem with all parts of the request that do not fit its schema.
    pub(crate) fn misfits(code: ProblemCode, misfits: Vec<Misfit>) -> Self {
        let field = |Misfit { name, detail, .. }| ProblemField { name, detail };
        Self::fields(code, misfits.into_iter().map(field).collect())
    }

    /// Whether the problem names parts of the request, of which there may be more.
    pub(crate) fn names_parts(&self) -> bool {
        matches!(self.code, ProblemCode::InvalidBody | ProblemCode::InvalidParameter | ProblemCode::BadRules)
    }

    /// The same problem with all parts that do not fit the schema; none if it fits.
    pub(crate) fn with_misfits(&self, misfits: Vec<Misfit>) -> Option<Self> {
        if misfits.is_empty() {
            return None;
        }
        let is_told =
            |field: &&ProblemField| misfits.iter().any(|misfit| is_within(&misfit.name, &field.name));
        let besides: Vec<ProblemField> =
            self.problem.fields.iter().filter(|field| !is_told(field)).cloned().collect();
        let misfits = misfits.into_iter().map(|Misfit { name, detail, .. }| ProblemField { name, detail });
        let fields = misfits.chain(besides).collect();
        Some(Self { headers: self.headers.clone(), ..Self::fields(self.code, fields) })
    }

    /// An invalid rule set. The field is the path of the option in the body of `createMatch`.
    pub fn bad_rules(option: &str, detail: impl Into<String>) -> Self {
        let name = match option {
            "players" => "size".to_owned(),
            "opponents" => option.to_owned(),
            option => format!("rules.{option}"),
        };
        Self::field(ProblemCode::BadRules, name, detail)
    }

    fn insufficient_scope(scope: Scope) -> Self {
        let name = scope.name();
        let mut error =
            Self::new(ProblemCode::InsufficientScope, format!("the token lacks the scope {name}"));
        error.problem.scope = Some(name.to_owned());
        let asked = format!("{REALM}, error=\"insufficient_scope\", scope=\"{name}\"");
        error.headers.push((WWW_AUTHENTICATE, asked));
        error
    }

    /// A token is needed, and none was sent; by RFC 6750 the header then names no error.
    pub(crate) fn no_token() -> Self {
        Self { headers: vec![(WWW_AUTHENTICATE, REALM.to_owned())], ..Self::plain(ProblemCode::InvalidToken) }
    }

    /// The path does not support the method; `Allow` lists those that it does.
    pub fn method_not_allowed(allow: String) -> Self {
        Self { headers: vec![(ALLOW, allow)], ..Self::plain(ProblemCode::MethodNotAllowed) }
    }

    /// The bucket is empty; the next request is allowed after `seconds`.
    pub(crate) fn limited(bucket: Bucket, seconds: u64) -> Self {
        let (name, Allowance { count, seconds: window }) = (bucket.name(), bucket.allowance());
        let headers = vec![
            (RETRY_AFTER, seconds.to_string()),
            (RATE_LIMIT_POLICY, format!("\"{name}\";q={count};w={window}")),
            (RATE_LIMIT, format!("\"{name}\";r=0;t={seconds}")),
        ];
        Self { headers, ..Self::plain(bucket.code()) }
    }

    /// Too many wrong passwords; the next try is allowed after `wait`.
    fn too_many_attempts(wait: TimeDelta) -> Self {
        let seconds = wait.num_seconds().saturating_add(1).clamp(1, TRIES_WITHIN.num_seconds());
        let headers = vec![
            (RETRY_AFTER, seconds.to_string()),
            (RATE_LIMIT_POLICY, format!("\"attempts\";q={MOST_TRIES};w={}", TRIES_WITHIN.num_seconds())),
            (RATE_LIMIT, format!("\"attempts\";r=0;t={seconds}")),
        ];
        Self { headers, ..Self::plain(ProblemCode::TooManyAttempts) }
    }

    /// A limit that the database counts is reached: its name and period; the next is allowed after `wait`.
    fn too_many(code: ProblemCode, name: &str, wait: TimeDelta, within: TimeDelta) -> Self {
        let period = within.num_seconds();
        let seconds = wait.num_seconds().saturating_add(1).clamp(1, period);
        let headers = vec![
            (RETRY_AFTER, seconds.min(LONGEST_WAIT).to_string()),
            (RATE_LIMIT_POLICY, format!("\"{name}\";w={period}")),
            (RATE_LIMIT, format!("\"{name}\";r=0;t={seconds}")),
        ];
        Self { headers, ..Self::plain(code) }
    }

    /// The account has reached its limit of open streams.
    fn too_many_streams() -> Self {
        let headers = vec![
            (RETRY_AFTER, STREAM_SECONDS.to_string()),
            (RATE_LIMIT_POLICY, format!("\"streams\";q={MOST_OF_ACCOUNT}")),
            (RATE_LIMIT, format!("\"streams\";r=0;t={STREAM_SECONDS}")),
        ];
        Self { headers, ..Self::plain(ProblemCode::TooManyStreams) }
    }

    /// The account is suspended. Only a client with the right password sees the reason.
    fn suspended(until: Option<DateTime<Utc>>, reason: Option<String>) -> Self {
        let mut detail = "the account is suspended".to_owned();
        if let Some(until) = until {
            detail.push_str(&format!(" until {}", print_time(until)));
        }
        if let Some(reason) = reason {
            detail.push_str(&format!(": {reason}"));
        }
        Self::new(ProblemCode::AccountSuspended, detail)
    }

    /// The account is muted.
    fn muted(until: DateTime<Utc>) -> Self {
        let until = print_time(until);
        let detail = format!("the account is muted until {until}");
        let parameter = ProblemParameter { name: "muted_until".to_owned(), value: until };
        Self::refusal(ProblemCode::Muted, detail, Vec::new(), vec![parameter])
    }

    /// A refused display name, with the reason in a word.
    fn display_name(reason: &str, detail: &str) -> Self {
        let mut error = Self::field(ProblemCode::InvalidBody, "display_name", detail);
        error.problem.parameters =
            vec![ProblemParameter { name: "reason".to_owned(), value: reason.to_owned() }];
        error
    }

    /// The problem with additional headers.
    pub(crate) fn with_headers(mut self, headers: &[(HeaderName, HeaderValue)]) -> Self {
        let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
        self.headers.extend(
            headers.iter().filter_map(|(name, value)| text(value).map(|value| (name.clone(), value))),
        );
        self
    }

    /// The body of the answer.
    pub(crate) fn body(&self) -> serde_json::Value {
        serde_json::to_value(&self.problem).unwrap_or_default()
    }

    /// Whether the status is 4xx: the request is at fault, not the service.
    pub(crate) fn is_refusal(&self) -> bool {
        self.code.status().is_client_error()
    }
}

impl fmt::Debug for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.code.status()
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        response.insert_header((CONTENT_TYPE, "application/problem+json"));
        match self.status_code() {
            StatusCode::UNAUTHORIZED => {
                let invalid = matches!(self.code, ProblemCode::InvalidToken);
                let asked =
                    if invalid { format!("{REALM}, error=\"invalid_token\"") } else { REALM.to_owned() };
                response.insert_header((WWW_AUTHENTICATE, asked));
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                response.insert_header((RETRY_AFTER, RETRY_SECONDS));
            }
            // The rest of the body is not read.
            StatusCode::REQUEST_TIMEOUT | StatusCode::PAYLOAD_TOO_LARGE => {
                response.force_close().insert_header((CONNECTION, "close"));
            }
            _ => {}
        }
        for (name, value) in &self.headers {
            response.insert_header((name.clone(), value.as_str()));
        }
        match serde_json::to_vec(&self.problem) {
            Ok(body) => response.body(body),
            Err(_) => response.finish(),
        }
    }
}

impl From<ServiceError> for ApiError {
    #[expect(clippy::too_many_lines, reason = "a line for each error, in one place")]
    fn from(error: ServiceError) -> Self {
        use ProblemCode as P;
        match error {
            ServiceError::Rejected(refusal) => refused_play(refusal),
            ServiceError::VersionConflict(view) => {
                let mut conflict =
                    Self::new(P::VersionConflict, format!("the match is at version {}", view.version));
                conflict.problem.current = Some(Box::new(MatchBody::at_its_time(&view)));
                conflict
            }
            ServiceError::MatchNotFound => Self::plain(P::MatchNotFound),
            ServiceError::JoinCodeNotFound => Self::plain(P::JoinCodeNotFound),
            ServiceError::NotStarted => Self::plain(P::MatchNotStarted),
            ServiceError::Started => Self::plain(P::MatchStarted),
            ServiceError::Full => Self::plain(P::MatchFull),
            ServiceError::AlreadySeated => Self::plain(P::AlreadySeated),
            ServiceError::SeatHeld => Self::plain(P::SeatHeld),
            ServiceError::SeatNotHeld => Self::plain(P::SeatNotHeld),
            ServiceError::SandboxesOff => Self::plain(P::SandboxesOff),
            ServiceError::Rated(error) => refused_rated(error),
            ServiceError::NotASandbox => Self::plain(P::NotASandbox),
            ServiceError::TooEarlyToNudge => Self::plain(P::TooEarlyToNudge),
            ServiceError::HostOnly => Self::plain(P::HostOnly),
            ServiceError::TooFewPlayers => Self::plain(P::TooFewPlayers),
            ServiceError::PairingNotFound => Self::plain(P::PairingNotFound),
            ServiceError::ChallengeNotFound => Self::plain(P::ChallengeNotFound),
            ServiceError::ChallengeOver => Self::plain(P::ChallengeOver),
            ServiceError::OwnChallenge => Self::plain(P::OwnChallenge),
            ServiceError::ChallengerOnly => Self::plain(P::ChallengerOnly),
            ServiceError::TooManyChallenges => Self::plain(P::TooManyChallenges),
            ServiceError::TooManyChallengesToday => Self::plain(P::TooManyChallengesToday),
            ServiceError::TooManyPairingsToday => Self::plain(P::TooManyPairingsToday),
            ServiceError::TooManyWaitingMatches => Self::plain(P::TooManyWaitingMatches),
            ServiceError::TooManyRunningMatches => Self::plain(P::TooManyRunningMatches),
            ServiceError::TooManyMatchesToday => Self::plain(P::TooManyMatchesToday),
            ServiceError::CursorTooOld => Self::plain(P::CursorTooOld),
            ServiceError::RoundNotFound => Self::plain(P::RoundNotFound),
            ServiceError::RoundNotOver => Self::plain(P::RoundNotOver),
            ServiceError::NotOver => Self::plain(P::MatchNotOver),
            ServiceError::OpponentNotFound(place) => {
                Self::field(P::AccountNotFound, format!("opponents[{place}]"), "no account has this name")
            }
            ServiceError::AlreadyYourTurn => Self::plain(P::AlreadyYourTurn),
            ServiceError::VacationNotFound => Self::plain(P::VacationNotFound),
            ServiceError::Vacation(error) => refused_vacation(error),
            ServiceError::AccountNotFound => Self::plain(P::AccountNotFound),
            ServiceError::OwnAccount => Self::plain(P::OwnAccount),
            ServiceError::HouseBotNotAllowed => Self::plain(P::HouseBotNotAllowed),
            ServiceError::AlreadyPaired => Self::plain(P::AlreadyPaired),
            ServiceError::TooManyPairings => Self::plain(P::TooManyPairings),
            ServiceError::BadRules { option, detail } => Self::bad_rules(&option, detail),
            ServiceError::InvalidField { field, detail } => Self::field(P::InvalidBody, field, detail),
            ServiceError::InvalidDisplayName { reason, detail } => Self::display_name(reason, detail),
            ServiceError::InvalidParameter(name) => {
                Self::field(P::InvalidParameter, name, "must be a value from an earlier response")
            }
            ServiceError::KeyReused => Self::plain(P::IdempotencyKeyReused),
            ServiceError::UsernameTaken => Self::plain(P::UsernameTaken),
            ServiceError::UsernameReserved => Self::plain(P::UsernameReserved),
            ServiceError::PasswordCommon(field) => {
                Self::field(P::PasswordCommon, field, "must not be a common password or the username")
            }
            ServiceError::DisplayNameTaken => Self::plain(P::DisplayNameTaken),
            ServiceError::NotAGuest => Self::plain(P::NotAGuest),
            ServiceError::GuestNotAllowed => Self::plain(P::GuestNotAllowed),
            ServiceError::TooManyBots => Self::plain(P::TooManyBots),
            ServiceError::BotNotFound => Self::plain(P::BotNotFound),
            ServiceError::InvalidCredentials => Self::plain(P::InvalidCredentials),
            ServiceError::TooManyAttempts(wait) => Self::too_many_attempts(wait),
            ServiceError::AccountSuspended { until, reason } => Self::suspended(until, reason),
            ServiceError::SignUpClosed => Self::plain(P::SignUpClosed),
            ServiceError::InvitationRequired => Self::plain(P::InvitationRequired),
            ServiceError::InvitationInvalid => Self::plain(P::InvitationInvalid),
            ServiceError::InvalidToken => Self::plain(P::InvalidToken),
            ServiceError::InvalidRefreshToken => Self::plain(P::InvalidRefreshToken),
            ServiceError::RefreshTokenReused => Self::plain(P::RefreshTokenReused),
            ServiceError::TransferCodeInvalid => Self::plain(P::TransferCodeInvalid),
            ServiceError::IdentityRequired => Self::plain(P::IdentityRequired),
            ServiceError::IdentityUnknown => Self::plain(P::IdentityUnknown),
            ServiceError::IdentityTaken => Self::plain(P::IdentityTaken),
            ServiceError::PasswordMissing => Self::plain(P::PasswordMissing),
            ServiceError::PasskeysOff => Self::plain(P::PasskeysOff),
            ServiceError::PasskeyExpired => Self::plain(P::PasskeyExpired),
            ServiceError::PasskeyRefused => Self::plain(P::PasskeyRefused),
            ServiceError::PasskeyUnknown => Self::plain(P::PasskeyUnknown),
            ServiceError::PasskeyTaken => Self::plain(P::PasskeyTaken),
            ServiceError::PasskeyNotFound => Self::plain(P::PasskeyNotFound),
            ServiceError::TooManyPasskeys => Self::plain(P::TooManyPasskeys),
            ServiceError::EmailOff => Self::plain(P::EmailOff),
            ServiceError::EmailCodeInvalid => Self::plain(P::EmailCodeInvalid),
            ServiceError::EmailNotVerified => Self::plain(P::EmailNotVerified),
            ServiceError::TooManyEmails(wait) => {
                Self::too_many(P::TooManyEmails, "emails", wait, CODES_WITHIN)
            }
            ServiceError::TooManyAddresses(wait) => {
                Self::too_many(P::TooManyAddresses, "email_addresses", wait, ADDRESSES_WITHIN)
            }
            ServiceError::EmailsFull(wait) => Self::too_many(P::EmailsFull, "new_emails", wait, CODES_WITHIN),
            ServiceError::RemovedByHost => Self::plain(P::RemovedByHost),
            ServiceError::PlayerNotFound => Self::plain(P::PlayerNotFound),
            ServiceError::WrongPassword => Self::plain(P::WrongPassword),
            ServiceError::InsufficientScope(scope) => Self::insufficient_scope(scope),
            ServiceError::ModeratorOnly => Self::plain(P::ModeratorOnly),
            ServiceError::ModeratorInvolved => Self::plain(P::ModeratorInvolved),
            ServiceError::Muted(until) => Self::muted(until),
            ServiceError::DedicationNotFound => Self::plain(P::DedicationNotFound),
            ServiceError::ReportNotFound => Self::plain(P::ReportNotFound),
            ServiceError::ReportClosed => Self::plain(P::ReportClosed),
            ServiceError::ReportOpen => Self::plain(P::ReportOpen),
            ServiceError::SessionRequired => Self::plain(P::SessionRequired),
            ServiceError::SessionNotFound => Self::plain(P::SessionNotFound),
            ServiceError::TokenNotFound => Self::plain(P::TokenNotFound),
            ServiceError::TooManyTokens => Self::plain(P::TooManyTokens),
            ServiceError::TooManyStreams => Self::too_many_streams(),
            ServiceError::StreamsFull => Self::plain(P::StreamsFull),
            ServiceError::ChannelNotFound => Self::plain(P::ChannelNotFound),
            ServiceError::TooManyChannels => Self::plain(P::TooManyChannels),
            ServiceError::ChannelGone => Self::plain(P::ChannelGone),
            ServiceError::NotificationsOff => Self::plain(P::NotificationsOff),
            ServiceError::TooManyRotations(wait) => {
                Self::too_many(P::TooManyRotations, "rotations", wait, ROTATED_SIGNS)
            }
            ServiceError::NotAWebhook => Self::plain(P::NotAWebhook),
            ServiceError::UrlNotAllowed(name) => {
                Self::field(P::UrlNotAllowed, name, "must be a public https URL")
            }
            ServiceError::Busy | ServiceError::Raced => Self::plain(P::Busy),
            ServiceError::OutcomeUnknown => Self::plain(P::OutcomeUnknown),
            ServiceError::Unavailable(_) => {
                log_outage(&error);
                Self::plain(P::DatabaseUnavailable)
            }
            ServiceError::Internal(_) => {
                log_chain(&error);
                Self::plain(P::Internal)
            }
        }
    }
}

/// Whether a path is another one, or that of a part of it.
fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Logs an internal error with all its causes; the response does not contain them.
fn log_chain(error: &dyn std::error::Error) {
    tracing::error!(%error, causes = ?causes(error), "a request failed");
}

/// Interval between error lines about a lost database.
const OUTAGE_EVERY: Duration = Duration::from_secs(60);
/// When the last one was logged, and the failed requests since.
static OUTAGE: Mutex<(Option<Instant>, u64)> = Mutex::new((None, 0));

/// Logs a request that failed as the database is lost: many do, and the disk may be the reason. So it is an error once a
/// minute, with the number of the others.
fn log_outage(error: &dyn std::error::Error) {
    let mut outage = OUTAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let (logged, more) = &mut *outage;
    if logged.is_some_and(|logged| logged.elapsed() < OUTAGE_EVERY) {
        *more = more.saturating_add(1);
        drop(outage);
        tracing::debug!(%error, causes = ?causes(error), "a request failed, as the database is lost");
        return;
    }
    let more = std::mem::take(more);
    *logged = Some(Instant::now());
    drop(outage);
    tracing::error!(%error, causes = ?causes(error), more, "requests fail, as the database is lost; more of them at level debug");
}

fn causes(error: &dyn std::error::Error) -> Vec<String> {
    std::iter::successors(error.source(), |error| error.source()).map(ToString::to_string).collect()
}
