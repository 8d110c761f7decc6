//! What a use case can answer instead of its result. What each means over HTTP is decided in `http::error` alone.

use chrono::{DateTime, TimeDelta, Utc};
use yaniv_clock::VacationError;
use yaniv_engine::PlayError;

use super::rated_seats::RatedError;
use super::view::MatchView;
use crate::auth::access::Scope;
use crate::auth::password::PasswordError;
use crate::auth::token::InvalidToken;
use crate::store::StoreError;

/// Refusal or failure of a use case. Except for the last four, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The rules do not allow the action.
    #[error("the rules refuse the action: {}", .0.detail)]
    Rejected(PlayError),
    /// The match has moved on since the caller looked; here is how it stands now.
    #[error("the match has moved on")]
    VersionConflict(Box<MatchView>),
    /// No such match, or not the caller's: nobody can tell which.
    #[error("no such match")]
    MatchNotFound,
    /// No match is waiting for players under this code.
    #[error("no such invitation")]
    InvitationNotFound,
    /// The match waits for its players: there are no cards yet.
    #[error("the match has not started")]
    NotStarted,
    /// The match has started: players no longer come or go.
    #[error("the match has started")]
    Started,
    /// All seats are taken.
    #[error("all seats are taken")]
    Full,
    /// The caller has a seat already.
    #[error("the caller has a seat already")]
    AlreadySeated,
    /// A bot holds the caller's seat: it has to be taken back first.
    #[error("a bot holds the seat")]
    SeatHeld,
    /// No bot holds the caller's seat.
    #[error("no bot holds the seat")]
    SeatNotHeld,
    /// There are no test matches here.
    #[error("there are no sandboxes here")]
    SandboxesOff,
    /// The match cannot be rated, or not with these players.
    #[error(transparent)]
    Rated(#[from] RatedError),
    /// The match is no test match.
    #[error("the match is no sandbox")]
    NotASandbox,
    /// Nobody has been waited for long enough to be nudged, or somebody has nudged of late.
    #[error("too early to nudge")]
    TooEarlyToNudge,
    /// Only the host may start before all seats are taken.
    #[error("only the host may start now")]
    NotHost,
    /// Only the host may do this.
    #[error("only the host may do this")]
    HostOnly,
    /// A match needs two players.
    #[error("a match needs two players")]
    TooFewPlayers,
    /// No such request to be paired, or not the caller's: nobody can tell which.
    #[error("no such request to be paired")]
    PairingNotFound,
    /// The request to be paired has led to a match.
    #[error("the request has been paired")]
    AlreadyPaired,
    /// No such challenge, or not one that the caller sees: nobody can tell which.
    #[error("no such challenge")]
    ChallengeNotFound,
    /// The challenge has ended or expired.
    #[error("the challenge is over")]
    ChallengeOver,
    /// Who made a challenge cannot answer it.
    #[error("the challenge is the caller's own")]
    OwnChallenge,
    /// Only who made the challenge may do this.
    #[error("only the challenger may do this")]
    ChallengerOnly,
    /// The account has as many open challenges as it may.
    #[error("too many challenges are open")]
    TooManyChallenges,
    /// The match has no such round, or not yet.
    #[error("no such round")]
    RoundNotFound,
    /// The round is not over yet.
    #[error("the round is not over")]
    RoundNotOver,
    /// The match is not over yet.
    #[error("the match is not over")]
    NotOver,
    /// No account has the name of the opponent at this place.
    #[error("opponents[{0}]: no such account")]
    OpponentNotFound(usize),
    /// No account has this name.
    #[error("no such account")]
    AccountNotFound,
    /// One cannot do that to oneself.
    #[error("that is the caller")]
    Yourself,
    /// It is the caller's turn: there is nothing to order for later.
    #[error("it is the caller's turn")]
    YourTurn,
    /// No such vacation, or not the caller's: nobody can tell which.
    #[error("no such vacation")]
    VacationNotFound,
    /// Vacation cannot be taken so, or is over.
    #[error(transparent)]
    Vacation(#[from] VacationError),
    /// A bot of the house is nobody's friend.
    #[error("a bot of the house is nobody's friend")]
    HouseBot,
    /// The account waits for as many wishes as it may.
    #[error("too many requests to be paired wait")]
    TooManyPairings,
    /// The rule set is out of bounds in this option.
    #[error("{option}: {detail}")]
    BadRules {
        /// Name of the option.
        option: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A field of the request is out of bounds.
    #[error("{field}: {detail}")]
    InvalidField {
        /// Name of the field.
        field: &'static str,
        /// What it has to be.
        detail: &'static str,
    },
    /// A parameter of the query is not one that an answer gave.
    #[error("{0} is not valid")]
    InvalidParameter(&'static str),
    /// The key belongs to another request.
    #[error("the idempotency key belongs to another request")]
    KeyReused,
    /// The name is in use.
    #[error("the username is taken")]
    UsernameTaken,
    /// The name is one that nobody may choose.
    #[error("the username is reserved")]
    UsernameReserved,
    /// Another account's name is the same, or looks like it.
    #[error("the display name is taken")]
    DisplayNameTaken,
    /// The account is not a guest's.
    #[error("the account is not a guest's")]
    NotAGuest,
    /// Guests have no bots.
    #[error("a guest has no bots")]
    ClaimFirst,
    /// The caller has as many bots as there may be.
    #[error("too many bots")]
    TooManyBots,
    /// The caller has no such bot.
    #[error("no such bot")]
    BotNotFound,
    /// No such account, or another password: nobody can tell which.
    #[error("wrong username or password")]
    InvalidCredentials,
    /// Too many wrong passwords; so long until another may be tried. Nothing was looked at.
    #[error("too many wrong passwords")]
    TooManyAttempts(TimeDelta),
    /// The password is right, but an administrator has suspended the account.
    #[error("the account is suspended")]
    AccountSuspended {
        /// When that ends by itself.
        until: Option<DateTime<Utc>>,
        /// What its owner is told.
        reason: Option<String>,
    },
    /// Nobody may register.
    #[error("nobody may register here")]
    SignUpClosed,
    /// Who registers needs an invitation.
    #[error("an invitation is needed")]
    InvitationRequired,
    /// No such invitation, or not any more.
    #[error("the invitation is not valid")]
    InvitationInvalid,
    /// Not a token of this service, or expired.
    #[error("the access token is not valid")]
    InvalidToken,
    /// Not a refresh token of a session that is open.
    #[error("the refresh token is not valid")]
    InvalidRefreshToken,
    /// A refresh token was used again too late: its session has ended.
    #[error("the refresh token was used before")]
    RefreshTokenReused,
    /// The password given besides the token is not the account's.
    #[error("wrong password")]
    WrongPassword,
    /// The token does not let its bearer do that.
    #[error("the token lacks the scope {}", .0.name())]
    InsufficientScope(Scope),
    /// That takes a log-in: a personal token will not do, whatever its scopes.
    #[error("a personal token will not do")]
    SessionRequired,
    /// The caller has no such session.
    #[error("no such session")]
    SessionNotFound,
    /// The caller has no such personal token.
    #[error("no such personal token")]
    TokenNotFound,
    /// The caller has as many personal tokens as there may be.
    #[error("too many personal tokens")]
    TooManyTokens,
    /// The account has as many streams open as it may.
    #[error("too many streams of the account are open")]
    TooManyStreams,
    /// This instance has as many streams open as it may.
    #[error("too many streams are open")]
    StreamsFull,
    /// The caller has no such channel.
    #[error("no such channel")]
    ChannelNotFound,
    /// The caller has as many channels as there may be.
    #[error("too many channels")]
    TooManyChannels,
    /// The other side of the channel has said that it is gone.
    #[error("the channel is gone")]
    ChannelGone,
    /// The channel has no secret to exchange.
    #[error("the channel is no webhook")]
    NotAWebhook,
    /// Nothing is sent to the address in this field.
    #[error("{0}: nothing is sent there")]
    UrlNotAllowed(&'static str),
    /// A twin with the same key was faster; nothing was changed. `durable` looks again, so no caller sees this.
    #[error("another request used the key meanwhile")]
    Raced,
    /// Too much at once; nothing was changed.
    #[error("too busy")]
    Busy,
    /// The database cannot be reached; nothing was changed.
    #[error("the database cannot be reached")]
    Unavailable(#[source] StoreError),
    /// The write may or may not have happened: the same key finds out.
    #[error("the outcome is unknown")]
    OutcomeUnknown,
    /// A fault of ours.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ServiceError {
    /// A fault of ours, from anything.
    pub fn internal(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(error.into())
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy => Self::Busy,
            StoreError::Unavailable(_) | StoreError::ConnectionLost(_) | StoreError::Silent => {
                Self::Unavailable(error)
            }
            StoreError::NotFound | StoreError::Taken(_) | StoreError::Damaged(_) | StoreError::Other(_) => {
                Self::internal(error)
            }
        }
    }
}

/// Asked for by transactions, whose beginning and end can fail.
impl From<diesel::result::Error> for ServiceError {
    fn from(error: diesel::result::Error) -> Self {
        StoreError::from(error).into()
    }
}

impl From<yaniv_engine::BadRules> for ServiceError {
    fn from(error: yaniv_engine::BadRules) -> Self {
        Self::BadRules { option: error.option, detail: error.detail }
    }
}

impl From<PasswordError> for ServiceError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Busy => Self::Busy,
            PasswordError::Failed(_) => Self::internal(error),
        }
    }
}

impl From<InvalidToken> for ServiceError {
    fn from(_: InvalidToken) -> Self {
        Self::InvalidToken
    }
}
