//! Errors of the use cases. Their meaning over HTTP is decided in `http::kernel::error` alone.

use chrono::{DateTime, TimeDelta, Utc};
use yaniv_auth::access::Scope;
use yaniv_auth::password::PasswordError;
use yaniv_auth::token::InvalidToken;
use yaniv_clock::VacationError;
use yaniv_db::StoreError;
use yaniv_engine::PlayError;
use yaniv_match::MatchError;
use yaniv_match::view::MatchView;

use crate::lobby::rated_seats::RatedError;

/// Refusal or failure of a use case. Except for the last four, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The rules do not allow the action.
    #[error("the rules refuse the action: {}", .0.detail)]
    Rejected(PlayError),
    /// The match has changed since the caller read it; contains its current view.
    #[error("the match has moved on")]
    VersionConflict(Box<MatchView>),
    /// No such match, or not the caller's; the two are indistinguishable.
    #[error("no such match")]
    MatchNotFound,
    /// No match is waiting for players under this code.
    #[error("no such join code")]
    JoinCodeNotFound,
    /// The match waits for its players: no cards have been dealt.
    #[error("the match has not started")]
    NotStarted,
    /// The match has started: players can no longer join or leave.
    #[error("the match has started")]
    Started,
    /// All seats are taken.
    #[error("all seats are taken")]
    Full,
    /// The caller has a seat already.
    #[error("the caller has a seat already")]
    AlreadySeated,
    /// A bot plays the caller's seat: the caller has to take the seat back first.
    #[error("a bot holds the seat")]
    SeatHeld,
    /// No bot plays the caller's seat.
    #[error("no bot holds the seat")]
    SeatNotHeld,
    /// Sandboxes are switched off.
    #[error("there are no sandboxes here")]
    SandboxesOff,
    /// The match cannot be rated, or not with these players.
    #[error(transparent)]
    Rated(#[from] RatedError),
    /// The match is no sandbox.
    #[error("the match is no sandbox")]
    NotASandbox,
    /// No player has been late for long enough to be nudged, or there was a nudge recently.
    #[error("too early to nudge")]
    TooEarlyToNudge,
    /// Only the host may do this.
    #[error("only the host may do this")]
    HostOnly,
    /// A match needs two players.
    #[error("a match needs two players")]
    TooFewPlayers,
    /// No such matchmaking request, or not the caller's; the two are indistinguishable.
    #[error("no such request to be paired")]
    PairingNotFound,
    /// The matchmaking request has led to a match.
    #[error("the request has been paired")]
    AlreadyPaired,
    /// No such challenge, or not visible to the caller; the two are indistinguishable.
    #[error("no such challenge")]
    ChallengeNotFound,
    /// The challenge has ended or expired.
    #[error("the challenge is over")]
    ChallengeOver,
    /// The challenger cannot answer the challenge.
    #[error("the challenge is the caller's own")]
    OwnChallenge,
    /// Only the challenger may do this.
    #[error("only the challenger may do this")]
    ChallengerOnly,
    /// The account has reached its limit of open challenges.
    #[error("too many challenges are open")]
    TooManyChallenges,
    /// The account has made as many challenges as it may in a day.
    #[error("too many challenges were made today")]
    TooManyChallengesToday,
    /// The match has no such round, or not yet.
    #[error("no such round")]
    RoundNotFound,
    /// The round is not over yet.
    #[error("the round is not over")]
    RoundNotOver,
    /// The match is not over yet.
    #[error("the match is not over")]
    NotOver,
    /// No account has the opponent's name at this index.
    #[error("opponents[{0}]: no such account")]
    OpponentNotFound(usize),
    /// No account has this name.
    #[error("no such account")]
    AccountNotFound,
    /// The operation cannot be applied to the caller's own account.
    #[error("that is the caller")]
    OwnAccount,
    /// It is the caller's turn: standing orders are for later turns.
    #[error("it is the caller's turn")]
    AlreadyYourTurn,
    /// No such vacation, or not the caller's; the two are indistinguishable.
    #[error("no such vacation")]
    VacationNotFound,
    /// The vacation is not allowed, or is over.
    #[error(transparent)]
    Vacation(#[from] VacationError),
    /// House bots cannot be friends.
    #[error("a house bot cannot be a friend")]
    HouseBotNotAllowed,
    /// The account has reached its limit of open matchmaking requests.
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
    /// A display name is refused.
    #[error("display_name: {detail}")]
    InvalidDisplayName {
        /// Why, in a word.
        reason: &'static str,
        /// What it has to be.
        detail: &'static str,
    },
    /// A query parameter that the server did not issue.
    #[error("{0} is not valid")]
    InvalidParameter(&'static str),
    /// The account has seats in as many matches that wait as it may.
    #[error("too many matches wait")]
    TooManyWaitingMatches,
    /// The account plays as many matches as it may.
    #[error("too many matches run")]
    TooManyRunningMatches,
    /// The account has made as many matches as it may in a day.
    #[error("too many matches were made today")]
    TooManyMatchesToday,
    /// The account has made as many requests to be paired as it may in a day.
    #[error("too many requests to be paired were made today")]
    TooManyPairingsToday,
    /// The cursor of the account feed is of too long ago.
    #[error("the cursor is too old")]
    CursorTooOld,
    /// The idempotency key belongs to another request.
    #[error("the idempotency key belongs to another request")]
    KeyReused,
    /// The name is in use.
    #[error("the username is taken")]
    UsernameTaken,
    /// The name is reserved.
    #[error("the username is reserved")]
    UsernameReserved,
    /// The password in this field is on the list of common passwords, or equals the account's name.
    #[error("the password is easy to guess: it is in common use, or the name of the account")]
    PasswordCommon(&'static str),
    /// The display name of another account is equal or looks alike.
    #[error("the display name is taken")]
    DisplayNameTaken,
    /// The account is not a guest's.
    #[error("the account is not a guest's")]
    NotAGuest,
    /// Guests have no bots.
    #[error("a guest has no bots")]
    GuestNotAllowed,
    /// The caller has reached the limit of bots.
    #[error("too many bots")]
    TooManyBots,
    /// The caller has no such bot.
    #[error("no such bot")]
    BotNotFound,
    /// Unknown account or wrong password; the two are indistinguishable.
    #[error("wrong username or password")]
    InvalidCredentials,
    /// Too many wrong passwords; the time until the next try. The password was not checked.
    #[error("too many wrong passwords")]
    TooManyAttempts(TimeDelta),
    /// The password is right, but an administrator has suspended the account.
    #[error("the account is suspended")]
    AccountSuspended {
        /// When the suspension ends by itself.
        until: Option<DateTime<Utc>>,
        /// The reason shown to the owner.
        reason: Option<String>,
    },
    /// Registration is closed.
    #[error("registration is closed")]
    SignUpClosed,
    /// Registration needs an invitation.
    #[error("an invitation is needed")]
    InvitationRequired,
    /// The invitation does not exist or is no longer valid.
    #[error("the invitation is not valid")]
    InvitationInvalid,
    /// The access token is not one of this service, or has expired.
    #[error("the access token is not valid")]
    InvalidToken,
    /// The refresh token is not one of an open session.
    #[error("the refresh token is not valid")]
    InvalidRefreshToken,
    /// The transfer code is unknown, used, expired or void; the cases are indistinguishable.
    #[error("the transfer code is not valid")]
    TransferCodeInvalid,
    /// The request needs a proven identity of the OpenID Connect provider.
    #[error("no identity has been proven")]
    IdentityRequired,
    /// No account has the proven identity.
    #[error("no account has this identity")]
    IdentityUnknown,
    /// Another account has the proven identity.
    #[error("another account has this identity")]
    IdentityTaken,
    /// The account would be left without any log-in.
    #[error("the account has no password")]
    PasswordMissing,
    /// Browsers allow no passkeys at the address of this service.
    #[error("there are no passkeys here")]
    PasskeysOff,
    /// The challenge of a passkey is unknown, used or expired; the cases are indistinguishable.
    #[error("the challenge of the passkey is not valid")]
    PasskeyExpired,
    /// The answer of the browser does not prove that the caller has the passkey.
    #[error("the passkey is refused")]
    PasskeyRefused,
    /// No account has the passkey.
    #[error("no account has this passkey")]
    PasskeyUnknown,
    /// An account has the passkey already.
    #[error("an account has this passkey already")]
    PasskeyTaken,
    /// The caller has no such passkey.
    #[error("no such passkey")]
    PasskeyNotFound,
    /// The account has reached its limit of passkeys.
    #[error("too many passkeys")]
    TooManyPasskeys,
    /// This service sends no e-mail.
    #[error("there is no mail server")]
    EmailOff,
    /// The code from an e-mail is unknown, used or expired.
    #[error("the code of the e-mail is not valid")]
    EmailCodeInvalid,
    /// The e-mail address of the channel is not verified.
    #[error("the e-mail address is not verified")]
    EmailNotVerified,
    /// The address got as many codes as it may; another one can be sent after this time.
    #[error("too many e-mails to this address")]
    TooManyEmails(TimeDelta),
    /// The account has named as many new addresses as it may; another one can be named after this time.
    #[error("too many new addresses of this account")]
    TooManyAddresses(TimeDelta),
    /// As many codes were sent to new addresses as the operator allows; another one can be sent after this time.
    #[error("too many e-mails to new addresses")]
    EmailsFull(TimeDelta),
    /// The host has removed the caller from the match.
    #[error("the host has removed the caller from the match")]
    RemovedByHost,
    /// The match has no player of this name.
    #[error("no such player")]
    PlayerNotFound,
    /// A refresh token was used twice, the second time too late: its session has ended.
    #[error("the refresh token was used before")]
    RefreshTokenReused,
    /// The password sent with the token is wrong.
    #[error("wrong password")]
    WrongPassword,
    /// The token lacks the scope.
    #[error("the token lacks the scope {}", .0.name())]
    InsufficientScope(Scope),
    /// The account is no moderator.
    #[error("only a moderator may do this")]
    ModeratorOnly,
    /// The moderator has filed the report, or it is about a moderator.
    #[error("the moderator is involved in the report")]
    ModeratorInvolved,
    /// The account may not write texts that others see, until this time.
    #[error("the account is muted until {0}")]
    Muted(DateTime<Utc>),
    /// The match has no such dedication, or the caller does not see it; the two are indistinguishable.
    #[error("no such dedication")]
    DedicationNotFound,
    /// No such report.
    #[error("no such report")]
    ReportNotFound,
    /// The report has been decided, or the account is gone.
    #[error("the report is closed")]
    ReportClosed,
    /// Nothing has been decided.
    #[error("the report is open")]
    ReportOpen,
    /// The operation needs a session: personal tokens are refused, regardless of their scopes.
    #[error("a personal token will not do")]
    SessionRequired,
    /// The caller has no such session.
    #[error("no such session")]
    SessionNotFound,
    /// The caller has no such personal token.
    #[error("no such personal token")]
    TokenNotFound,
    /// The caller has reached the limit of personal tokens.
    #[error("too many personal tokens")]
    TooManyTokens,
    /// The account has reached its limit of open streams.
    #[error("too many streams of the account are open")]
    TooManyStreams,
    /// This instance has reached its limit of open streams.
    #[error("too many streams are open")]
    StreamsFull,
    /// The caller has no such channel.
    #[error("no such channel")]
    ChannelNotFound,
    /// The caller has reached the limit of channels.
    #[error("too many channels")]
    TooManyChannels,
    /// The channel's destination has reported that it is gone.
    #[error("the channel is gone")]
    ChannelGone,
    /// This instance sends no notifications.
    #[error("notifications are off")]
    NotificationsOff,
    /// The secret was rotated as often as it may be; the next time is after this.
    #[error("too many rotations of the secret")]
    TooManyRotations(TimeDelta),
    /// The channel has no secret to rotate.
    #[error("the channel is no webhook")]
    NotAWebhook,
    /// The address in this field is not an allowed destination.
    #[error("{0}: nothing is sent there")]
    UrlNotAllowed(&'static str),
    /// A concurrent request with the same key was faster; nothing was changed. `durable_write` reads again,
    /// so no caller sees this.
    #[error("another request used the key meanwhile")]
    Raced,
    /// Overload; nothing was changed.
    #[error("too busy")]
    Busy,
    /// The database cannot be reached; nothing was changed.
    #[error("the database cannot be reached")]
    Unavailable(#[source] StoreError),
    /// The write may or may not have happened: a retry with the same key finds out.
    #[error("the outcome is unknown")]
    OutcomeUnknown,
    /// A fault of the service.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ServiceError {
    /// Wraps any error as a fault of the service.
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

impl From<MatchError> for ServiceError {
    fn from(error: MatchError) -> Self {
        match error {
            MatchError::Rejected(refused) => Self::Rejected(refused),
            MatchError::NotStarted => Self::NotStarted,
            MatchError::BadRules(rules) => rules.into(),
            MatchError::Damaged(what) => StoreError::Damaged(what).into(),
        }
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
