//! Problems: every error of the API, with code, status, title and advice, in one table. Clients distinguish problems by
//! `code`; a code is never renamed or reused.

use actix_web::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::match_view::match_body::MatchBody;

/// Defines the codes once: name, wire form, status, title, advice.
macro_rules! problem_codes {
    ($($name:ident, $code:literal, $status:ident, $title:literal, $advice:literal;)*) => {
        /// The code of a problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ProblemCode {
            $(#[doc = $title] $name,)*
        }

        impl ProblemCode {
            /// All codes, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code in JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The HTTP status of the code.
            pub fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)* }
            }

            /// What is wrong, in one clause.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// What the client does.
            pub fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }
        }
    };
}

problem_codes! {
    InvalidJson, "invalid_json", BAD_REQUEST, "The body is not valid JSON", "Send one JSON object.";
    IdempotencyKeyRequired, "idempotency_key_required", BAD_REQUEST, "The Idempotency-Key header is missing or malformed", "Send a new key (16 to 64 characters of A-Z, a-z, 0-9, - and _) with each new write, and the same key with a retry.";
    InvalidToken, "invalid_token", UNAUTHORIZED, "The access token is missing, malformed, expired or revoked", "Refresh the token or log in, send it as Authorization: Bearer, and repeat the request, with the same key if it has one.";
    InvalidCredentials, "invalid_credentials", UNAUTHORIZED, "Unknown username or wrong password", "Ask the player for both again.";
    InvalidRefreshToken, "invalid_refresh_token", UNAUTHORIZED, "The refresh token is unknown, or its session has ended or expired", "Log in.";
    RefreshTokenReused, "refresh_token_reused", UNAUTHORIZED, "The refresh token was already used, so its session has ended", "Log in. Use each refresh token once, and keep only the newest.";
    TransferCodeInvalid, "transfer_code_invalid", UNAUTHORIZED, "The transfer code is unknown, used or expired, or its session has ended", "Get a new code on the device that is logged in. A code is valid once, for two minutes.";
    WrongPassword, "wrong_password", FORBIDDEN, "The password is wrong", "Ask the player for it again.";
    AccountSuspended, "account_suspended", FORBIDDEN, "An administrator has suspended the account", "Show detail to the player. All sessions and tokens of the account have ended.";
    SignUpClosed, "sign_up_closed", FORBIDDEN, "Registration is closed", "Ask the operator of the server for an account.";
    InvitationRequired, "invitation_required", FORBIDDEN, "Registration needs an invitation", "Ask the player for an invitation code, and send it in invitation.";
    InvitationInvalid, "invitation_invalid", FORBIDDEN, "The invitation is unknown, used up, expired or revoked", "Ask the player for another invitation code.";
    InsufficientScope, "insufficient_scope", FORBIDDEN, "The token lacks the scope that the operation needs", "Use a token with the scope named in scope.";
    SessionRequired, "session_required", FORBIDDEN, "The operation does not accept personal tokens", "Log in, and use the access token of the session.";
    ModeratorOnly, "moderator_only", FORBIDDEN, "Only a moderator may do this", "Ask the operator of the server to make the account a moderator.";
    ModeratorInvolved, "moderator_involved", FORBIDDEN, "You have filed this report, or it is about a moderator", "Leave a report of yours to another moderator, and one about a moderator to the operator of the server.";
    Muted, "muted", FORBIDDEN, "A moderator has muted the account", "Show until when (muted_until in parameters) to the player, and the reason (listSanctions). Playing goes on as usual.";
    HostOnly, "host_only", FORBIDDEN, "Only the host may do this", "Ask the host (host_seat of the match). Only startMatch is for any player, when all seats are taken.";
    EmailCodeInvalid, "email_code_invalid", FORBIDDEN, "The code from the e-mail is unknown, used or expired", "Ask the player for the code of the newest e-mail, or request another one.";
    IdentityRequired, "identity_required", FORBIDDEN, "The player has not just logged in at the OpenID provider", "Open /oidc/login?return_to=… in the browser, with prompt=login for an account without a password, and repeat the request within ten minutes of the return.";
    PasskeyExpired, "passkey_expired", FORBIDDEN, "The options of the passkey are unknown, used or expired", "Request new options, and ask the browser again.";
    PasskeyRefused, "passkey_refused", FORBIDDEN, "The answer of the browser does not prove that you have the passkey", "Request new options, and ask the browser again; else log in in another way. The page must be at the server's public address.";
    RemovedByHost, "removed_by_host", FORBIDDEN, "The host has removed you from this match", "Join another match. Another code from the host admits you again.";
    SandboxesOff, "sandboxes_off", FORBIDDEN, "This server has no sandboxes", "Run a server of your own with YANIV_SANDBOXES=true.";
    ChallengerOnly, "challenger_only", FORBIDDEN, "Only the challenger may do this", "Decline the challenge instead.";
    NotFound, "not_found", NOT_FOUND, "No such resource", "Check the path against the OpenAPI document.";
    MatchNotFound, "match_not_found", NOT_FOUND, "No such match, or you may not see it", "Check match_id. Players see their matches; every account sees public matches that are over.";
    PlayerNotFound, "player_not_found", NOT_FOUND, "The match has no player of this name", "Fetch the match: seats has the players.";
    RoundNotFound, "round_not_found", NOT_FOUND, "The match has no such round, or not yet", "Request a round from 1 to the one in play.";
    DedicationNotFound, "dedication_not_found", NOT_FOUND, "The match has no such dedication, or you may not see it", "Check the round.";
    ReportNotFound, "report_not_found", NOT_FOUND, "No such report", "List the reports.";
    JoinCodeNotFound, "join_code_not_found", NOT_FOUND, "No match with this code is waiting for players", "Ask for a new code.";
    SessionNotFound, "session_not_found", NOT_FOUND, "You have no such session", "List your sessions.";
    TokenNotFound, "token_not_found", NOT_FOUND, "No such personal token", "List the personal tokens.";
    PairingNotFound, "pairing_not_found", NOT_FOUND, "You have no such pairing request", "Check pairing_id, or request a new pairing.";
    ChallengeNotFound, "challenge_not_found", NOT_FOUND, "No such challenge, or you may not see it", "Check challenge_id, or list your challenges.";
    VacationNotFound, "vacation_not_found", NOT_FOUND, "You have no such vacation", "Fetch your calendar.";
    AccountNotFound, "account_not_found", NOT_FOUND, "No account has this name", "Check the name; it is in lower case.";
    IdentityUnknown, "identity_unknown", NOT_FOUND, "No account has this identity", "Ask the player for a username, and use registerWithIdentity; or log in, and use linkIdentity.";
    PasskeyUnknown, "passkey_unknown", NOT_FOUND, "No account has this passkey", "Tell the player that it has been deleted here; log in in another way, and remove it from the device.";
    PasskeyNotFound, "passkey_not_found", NOT_FOUND, "You have no such passkey", "List your passkeys.";
    PresetNotFound, "preset_not_found", NOT_FOUND, "No preset has this name", "List the presets.";
    BotNotFound, "bot_not_found", NOT_FOUND, "You have no such bot", "List your bots.";
    ChannelNotFound, "channel_not_found", NOT_FOUND, "You have no such channel", "List your channels.";
    MethodNotAllowed, "method_not_allowed", METHOD_NOT_ALLOWED, "The resource does not support this method", "Use a method from the Allow header.";
    RequestTimeout, "request_timeout", REQUEST_TIMEOUT, "The body did not arrive in time", "Send the same request again, with the same key if it has one.";
    NotYourTurn, "not_your_turn", CONFLICT, "It is another player's turn", "Wait until your seat is in table.to_act; for a dedication, until you are the dealer.";
    AlreadyYourTurn, "already_your_turn", CONFLICT, "The match waits for your own action", "Act; place standing orders while the match waits for another player.";
    WrongPhase, "wrong_phase", CONFLICT, "The round is in a phase that does not allow this action", "Check table.phase and legal in the view.";
    CallTooEarly, "call_too_early", CONFLICT, "Not every player has had enough turns for a call", "Play; call in a later turn.";
    AlreadyCalled, "already_called", CONFLICT, "You have already called in this turn", "Play.";
    SeatOut, "seat_out", CONFLICT, "Your seat is out of the match", "Stop acting in this match; you can still read it.";
    RoundOver, "round_over", CONFLICT, "The round is over", "Fetch the match.";
    MatchOver, "match_over", CONFLICT, "The match is over", "Fetch the match or its record.";
    VersionConflict, "version_conflict", CONFLICT, "The match is not at the version that you named", "Decide again from the current view in match, and send a new key if the operation takes one.";
    MatchNotStarted, "match_not_started", CONFLICT, "The match has not started", "Start it, or wait for its host.";
    MatchStarted, "match_started", CONFLICT, "The match has already started", "Fetch the match; to give up, resign.";
    SeatHeld, "seat_held", CONFLICT, "A bot holds your seat because you were absent", "Take the seat back with takeSeatBack, and fetch the match.";
    SeatNotHeld, "seat_not_held", CONFLICT, "No bot holds your seat", "Fetch the match, and play.";
    NotASandbox, "not_a_sandbox", CONFLICT, "The match is not a sandbox", "Create one with sandbox: true.";
    RatedNotAllowed, "rated_not_allowed", CONFLICT, "A rated match takes registered people only, or bots only", "If you are a guest, claim the account first. People and bots can play each other in unrated matches.";
    TooEarlyToNudge, "too_early_to_nudge", CONFLICT, "No player has been late for long enough, or the last nudge is too recent", "Nudge after 1 hour of waiting, and 12 hours after the last nudge.";
    MatchNotOver, "match_not_over", CONFLICT, "The match is not over yet", "Offer a rematch when the match has a result.";
    RoundNotOver, "round_not_over", CONFLICT, "The round is not over yet", "Retry when listRounds has the round.";
    MatchFull, "match_full", CONFLICT, "All seats are taken", "Join or create another match.";
    AlreadySeated, "already_seated", CONFLICT, "You already have a seat in this match", "Fetch the match.";
    TooFewPlayers, "too_few_players", CONFLICT, "A match needs at least two players", "Share the code and wait.";
    ReportClosed, "report_closed", CONFLICT, "The report is closed", "Fetch the report: it has the decision, which can be undone.";
    ReportOpen, "report_open", CONFLICT, "The report has not been decided", "Decide it.";
    OwnAccount, "own_account", CONFLICT, "This is your own account", "Name another account; to leave a match yourself, use leaveMatch.";
    HouseBotNotAllowed, "house_bot_not_allowed", CONFLICT, "A house bot cannot be a friend", "Challenge it, or name its level in createMatch.";
    AlreadyPaired, "already_paired", CONFLICT, "The pairing request has led to a match", "Fetch the request: it names the match, which you may resign.";
    TooManyPairings, "too_many_pairings", CONFLICT, "You have as many waiting pairing requests as an account may", "Withdraw one that listPairings shows.";
    ChallengeOver, "challenge_over", CONFLICT, "The challenge has ended or expired", "Fetch the challenge: it has the outcome, and the match if there is one.";
    OwnChallenge, "own_challenge", CONFLICT, "You are the challenger", "Wait for the others, or withdraw the challenge.";
    TooManyChallenges, "too_many_challenges", CONFLICT, "You have as many open challenges as an account may", "Withdraw one that listChallenges shows.";
    TooManyChallengesToday, "too_many_challenges_today", CONFLICT, "You have made 300 challenges today (UTC), the maximum", "Challenge again tomorrow.";
    TooManyPairingsToday, "too_many_pairings_today", CONFLICT, "You have made 300 pairing requests today (UTC), the maximum", "Request pairings again tomorrow.";
    TooManyWaitingMatches, "too_many_waiting_matches", CONFLICT, "You have seats in 20 matches that have not started, the maximum", "Start or leave one that getHome shows.";
    TooManyRunningMatches, "too_many_running_matches", CONFLICT, "You have seats in 1,000 running matches, the maximum", "Play some to their end first.";
    TooManyMatchesToday, "too_many_matches_today", CONFLICT, "You have created 500 matches today (UTC), the maximum", "Join a match, or create one tomorrow.";
    UsernameTaken, "username_taken", CONFLICT, "The username is taken", "Choose another, or log in if it is yours.";
    DisplayNameTaken, "display_name_taken", CONFLICT, "The display name is reserved, or looks like another account's name", "Choose another.";
    IdentityTaken, "identity_taken", CONFLICT, "Another account has this identity", "Log in to it with logInWithIdentity.";
    PasskeyTaken, "passkey_taken", CONFLICT, "An account has this passkey already", "Log in with it, or create another one.";
    TooManyPasskeys, "too_many_passkeys", CONFLICT, "You have 20 passkeys, the maximum", "Delete one that you do not need.";
    PasskeysOff, "passkeys_off", CONFLICT, "Players cannot use passkeys on this server", "Offer passkeys only if passkeys of getServer is true.";
    PasswordMissing, "password_missing", CONFLICT, "The account has no password", "Set one with changePassword; otherwise nobody could log in.";
    NotAGuest, "not_a_guest", CONFLICT, "The account is not a guest account", "Fetch your account: it may already be claimed.";
    GuestNotAllowed, "guest_not_allowed", CONFLICT, "A guest cannot have bots", "Claim the account first.";
    TooManyBots, "too_many_bots", CONFLICT, "You have 10 bots, the maximum", "Delete one that you do not need.";
    TooManyTokens, "too_many_tokens", CONFLICT, "The account has 100 personal tokens, the maximum", "Revoke one that you do not need.";
    VacationTooSoon, "vacation_too_soon", CONFLICT, "The first day of a vacation must begin in an hour or later", "Announce a later first day.";
    VacationOverlap, "vacation_overlap", CONFLICT, "One of these days is already vacation", "Fetch your calendar, and announce other days.";
    VacationDaysUsed, "vacation_days_used", CONFLICT, "Not enough vacation days are left in the year, or in 90 days in a row", "Check allowances and vacations in your calendar, and announce fewer days.";
    VacationOver, "vacation_over", CONFLICT, "The vacation already ends with this day", "Do nothing: no later day can be cancelled.";
    TooManyChannels, "too_many_channels", CONFLICT, "You have 20 channels, the maximum", "Delete one that you do not need.";
    ChannelGone, "channel_gone", CONFLICT, "The receiver of the channel has reported that it is gone", "Create a new channel; or update a webhook, which reactivates it.";
    NotificationsOff, "notifications_off", CONFLICT, "This server currently sends no notifications", "Tell its operator: CA certificates are missing. Channels can be created; what waits is sent later.";
    EmailOff, "email_off", CONFLICT, "This server sends no e-mail", "Offer e-mail only if sends_email of getServer is true.";
    EmailNotVerified, "email_not_verified", CONFLICT, "The e-mail address is not verified yet", "Ask the player for the code from the e-mail (verifyEmail); createEmailChannel with the same address sends another one.";
    NotAWebhook, "not_a_webhook", CONFLICT, "The channel is not a webhook, so it has no secret", "Do nothing: a push subscription has its own keys.";
    BodyTooLarge, "body_too_large", PAYLOAD_TOO_LARGE, "The body is larger than 16 KiB", "Send a smaller body.";
    UnsupportedMediaType, "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The Content-Type is not application/json", "Send Content-Type: application/json.";
    UnsupportedContentEncoding, "unsupported_content_encoding", UNSUPPORTED_MEDIA_TYPE, "The body has a Content-Encoding", "Send the body as it is, without Content-Encoding.";
    InvalidBody, "invalid_body", UNPROCESSABLE_ENTITY, "The body is not valid for the operation", "Correct the parts listed in fields.";
    InvalidParameter, "invalid_parameter", UNPROCESSABLE_ENTITY, "A parameter is not valid for the operation", "Correct the parameter listed in fields.";
    CursorTooOld, "cursor_too_old", UNPROCESSABLE_ENTITY, "The cursor of the account feed is older than 30 days", "Get a new one with after=now, then read your lists (getHome).";
    IdempotencyKeyReused, "idempotency_key_reused", UNPROCESSABLE_ENTITY, "The key belongs to another request", "Send a new key with a new request.";
    CardNotInHand, "card_not_in_hand", UNPROCESSABLE_ENTITY, "You do not hold one of these cards", "Choose cards from hand.";
    NotAMeld, "not_a_meld", UNPROCESSABLE_ENTITY, "These cards cannot be discarded together", "Choose from legal.discards.";
    RunOutOfOrder, "run_out_of_order", UNPROCESSABLE_ENTITY, "The cards of a run must be sent in order", "Send the cards ascending or descending.";
    DrawNotAvailable, "draw_not_available", UNPROCESSABLE_ENTITY, "This card cannot be drawn", "Choose from legal.draws.";
    CallOverLimit, "call_over_limit", UNPROCESSABLE_ENTITY, "Your hand has too many points for a call", "Play; in standing orders, call at no more than limit in parameters.";
    UnknownWord, "unknown_word", UNPROCESSABLE_ENTITY, "The rules have no such call word", "Choose from rules.call_words (getMatchSettings).";
    NotAllowedByRules, "not_allowed_by_rules", UNPROCESSABLE_ENTITY, "The rules of this match do not allow this action, or not now", "Check the rules (getMatchSettings) and legal in the view.";
    UsernameReserved, "username_reserved", UNPROCESSABLE_ENTITY, "The username is reserved", "Choose another.";
    PasswordCommon, "password_common", UNPROCESSABLE_ENTITY, "The password is easy to guess", "Ask the player for another: several words, for example, and not the username.";
    BadRules, "bad_rules", UNPROCESSABLE_ENTITY, "The rule set is not valid", "Correct the option listed in fields.";
    NotRatable, "not_ratable", UNPROCESSABLE_ENTITY, "A rated match needs exactly the rules of a preset, and cannot be a sandbox", "Name a preset and no other option, or leave rated out.";
    UrlNotAllowed, "url_not_allowed", UNPROCESSABLE_ENTITY, "Notifications cannot be sent to this URL", "Give an https URL on the default port, with a host that is publicly reachable.";
    TooManySignUps, "too_many_sign_ups", TOO_MANY_REQUESTS, "Too many registrations from this address", "Send the same request again after Retry-After seconds.";
    TooManyLogIns, "too_many_log_ins", TOO_MANY_REQUESTS, "Too many log-ins from this address", "Send the same request again after Retry-After seconds.";
    TooManyAttempts, "too_many_attempts", TOO_MANY_REQUESTS, "Too many wrong passwords; this one was not checked", "Tell the player to wait for Retry-After seconds. On a device that was logged in before, send its device_token.";
    TooManyEmails, "too_many_emails", TOO_MANY_REQUESTS, "Three codes were sent to this address within an hour", "Tell the player to look for the e-mail, also among the spam; send the same request again after Retry-After seconds.";
    TooManyAddresses, "too_many_addresses", TOO_MANY_REQUESTS, "The account has named five new e-mail addresses within a day", "Tell the player to use the code of the last e-mail, or to send the same request again after Retry-After seconds.";
    EmailsFull, "emails_full", TOO_MANY_REQUESTS, "The server has sent as many codes to new e-mail addresses as it may in an hour", "Tell the player to try again after Retry-After seconds.";
    TooManyRotations, "too_many_rotations", TOO_MANY_REQUESTS, "The secret of the webhook was rotated ten times within a day", "Use the secret of one of the last rotations: all of them sign. Rotate again after Retry-After seconds.";
    TooManyRefreshes, "too_many_refreshes", TOO_MANY_REQUESTS, "Too many refreshes from this address", "Send the same request again after Retry-After seconds.";
    TooManyJoinCodeReads, "too_many_join_code_reads", TOO_MANY_REQUESTS, "Too many codes were read from this address", "Send the same request again after Retry-After seconds.";
    TooManyExports, "too_many_exports", TOO_MANY_REQUESTS, "Too many exports", "Send the same request again after Retry-After seconds.";
    TooManyCalendarChanges, "too_many_calendar_changes", TOO_MANY_REQUESTS, "Too many changes of your calendar", "Send the same request again after Retry-After seconds.";
    TooManyReports, "too_many_reports", TOO_MANY_REQUESTS, "Too many reports", "Send the same request again after Retry-After seconds.";
    TooManyDownloads, "too_many_downloads", TOO_MANY_REQUESTS, "Too many downloads", "Continue after Retry-After seconds, with the match_id of the last complete line in after.";
    TooManyReads, "too_many_reads", TOO_MANY_REQUESTS, "Too many reads", "Send the same request again after Retry-After seconds; use ETags and poll less often.";
    TooManyWrites, "too_many_writes", TOO_MANY_REQUESTS, "Too many writes", "Send the same request again, with the same key if it has one, after Retry-After seconds.";
    TooManyActions, "too_many_actions", TOO_MANY_REQUESTS, "Too many actions", "Send the same request again, with the same key, after Retry-After seconds.";
    TooManyRefusedActions, "too_many_refused_actions", TOO_MANY_REQUESTS, "Too many refused actions, this one included", "Choose from legal in the view.";
    TooManyRepeatedActions, "too_many_repeated_actions", TOO_MANY_REQUESTS, "Too many repeated actions", "The action has happened: fetch the match, or send the same request again after Retry-After seconds.";
    TooManyStreams, "too_many_streams", TOO_MANY_REQUESTS, "The account has too many open streams", "Close one, or use streamEvents in place of a stream for each match. A stream whose connection was cut counts for up to 30 seconds.";
    Internal, "internal", INTERNAL_SERVER_ERROR, "Internal error", "Send the same request again, with the same key if it has one, at most three times.";
    Busy, "busy", SERVICE_UNAVAILABLE, "The service is overloaded", "Send the same request again, with the same key if it has one, after Retry-After seconds.";
    StreamsFull, "streams_full", SERVICE_UNAVAILABLE, "The service has reached its limit of open streams", "Use the long poll instead, and retry later.";
    DatabaseUnavailable, "database_unavailable", SERVICE_UNAVAILABLE, "The database cannot be reached", "Send the same request again, with the same key if it has one, after Retry-After seconds.";
    OutcomeUnknown, "outcome_unknown", SERVICE_UNAVAILABLE, "It is not known yet whether the write has happened", "Send the same request again after Retry-After seconds. With the same key it happens at most once; without a key, first check whether it has happened.";
}

/// An error (RFC 9457). Distinguish problems by `code`; the texts may change.
#[derive(Debug, Serialize, ToSchema)]
pub struct Problem {
    /// URN with the code.
    #[serde(rename = "type")]
    #[schema(format = "uri", max_length = 100, examples("urn:yaniv:problem:not_your_turn"))]
    pub kind: String,
    /// What is wrong, in one clause; the same for every problem with this code.
    #[schema(max_length = 200, examples("It is another player's turn"))]
    pub title: String,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599, examples(409))]
    pub status: i32,
    /// What is wrong in this case.
    #[schema(max_length = 1000, examples("seat 1 is to act"))]
    pub detail: String,
    /// Stable code. New codes may be added: handle an unknown one by its status.
    #[schema(max_length = 64, pattern = "^[a-z_]+$", examples("not_your_turn"))]
    pub code: String,
    /// What the client does.
    #[schema(
        max_length = 500,
        examples("Wait until your seat is in table.to_act; for a dedication, until you are the dealer.")
    )]
    pub advice: String,
    /// The parts of the request that are wrong; empty if none is.
    #[schema(max_items = 20)]
    pub fields: Vec<ProblemField>,
    /// The values that the detail mentions, so that clients can write a text of their own. By the code of a refused
    /// action: `card_not_in_hand`: `place` (index in `cards`) and `card` of each missing card; `not_a_meld`: `reason`
    /// (`jokers_alone`, `joker_in_set`, `joker_in_run`, `too_few_cards`, `too_many_cards`, `too_few_naturals`,
    /// `different_suits`, `equal_ranks`, `not_consecutive`); `draw_not_available`: `draw`, `card` or `asked_card`, and
    /// `available` for each possible draw (`stock`, `nothing`, a card); `call_over_limit`: `points`, `limit`;
    /// `call_too_early`: `min_turns`; `unknown_word`: `word`, and `known_word` for each known one;
    /// `not_allowed_by_rules`: `option`, and `needed` for each value that it needs. With standing orders also `play`
    /// (index in `plays`). `muted`: `muted_until`. A refused `display_name`: `reason` (`length`, `characters`, `spaces`,
    /// `marks`, `scripts`).
    #[schema(max_items = 100)]
    pub parameters: Vec<ProblemParameter>,
    /// With `insufficient_scope`: the missing scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("play"))]
    pub scope: Option<String>,
    /// With `version_conflict`: your current view of the match.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub current: Option<Box<MatchBody>>,
}

/// A part of a request that is wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ProblemField {
    /// Path in the body, or name of the parameter or option.
    #[schema(max_length = 200, examples("cards[1]"))]
    pub name: String,
    /// What is wrong with it.
    #[schema(max_length = 1000, examples("no such card"))]
    pub detail: String,
}

/// A value in a problem. A name may occur several times.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ProblemParameter {
    /// Name. New names may be added.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("limit"))]
    pub name: String,
    /// Value; numbers as decimal text.
    #[schema(max_length = 100, examples("5"))]
    pub value: String,
}

impl Problem {
    /// A problem with a code and a detail.
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:yaniv:problem:{}", code.as_str()),
            title: code.title().to_owned(),
            status: i32::from(code.status().as_u16()),
            detail: detail.into(),
            code: code.as_str().to_owned(),
            advice: code.advice().to_owned(),
            fields: Vec::new(),
            parameters: Vec::new(),
            scope: None,
            current: None,
        }
    }
}
