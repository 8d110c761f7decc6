//! Problems: every refusal of the API, its code, its status and what to do about it, in one table. Clients tell
//! problems apart by `code`; a code is never renamed nor used for something else.

use actix_web::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::match_view::match_body::MatchBody;

/// Defines the codes once: name, wire form, status, title, advice.
macro_rules! problem_codes {
    ($($name:ident, $code:literal, $status:ident, $title:literal, $advice:literal;)*) => {
        /// What went wrong, as a client tells it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ProblemCode {
            $(#[doc = $title] $name,)*
        }

        impl ProblemCode {
            /// All of them, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// As it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The status that goes with it, always the same.
            pub fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)* }
            }

            /// What it is, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// What a client does about it.
            pub fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }
        }
    };
}

problem_codes! {
    InvalidJson, "invalid_json", BAD_REQUEST, "The body is not JSON", "Send one JSON object.";
    IdempotencyKeyRequired, "idempotency_key_required", BAD_REQUEST, "The Idempotency-Key header is missing or malformed", "Send a fresh key of 16 to 64 characters, letters, digits, - and _, with each new action, and the same one with a retry.";
    InvalidToken, "invalid_token", UNAUTHORIZED, "The access token is missing, malformed or expired", "Refresh the token, or log in, and send it as Authorization: Bearer; then send the same request again, with the same key.";
    InvalidCredentials, "invalid_credentials", UNAUTHORIZED, "Unknown name or wrong password", "Ask the player again.";
    InvalidRefreshToken, "invalid_refresh_token", UNAUTHORIZED, "The refresh token is none of ours, or its session has ended or expired", "Log in.";
    RefreshTokenReused, "refresh_token_reused", UNAUTHORIZED, "The refresh token was used before: two have it, so its session has ended", "Log in. Keep the newest refresh token, and use each once.";
    WrongPassword, "wrong_password", FORBIDDEN, "That is not your password", "Ask the player again.";
    AccountSuspended, "account_suspended", FORBIDDEN, "An administrator has suspended the account", "Tell the player what detail says. All sessions and tokens of the account have ended.";
    SignUpClosed, "sign_up_closed", FORBIDDEN, "Nobody may register here", "Ask whoever runs the service for an account.";
    InvitationRequired, "invitation_required", FORBIDDEN, "Who registers here needs an invitation", "Ask the player for the code of an invitation, and send it in invitation.";
    InvitationInvalid, "invitation_invalid", FORBIDDEN, "There is no such invitation, or it is used up, expired or revoked", "Ask the player again.";
    InsufficientScope, "insufficient_scope", FORBIDDEN, "The token does not have the scope that the operation needs", "Use a token with the scope that is named in scope.";
    SessionRequired, "session_required", FORBIDDEN, "A personal token will not do here", "Log in, and use the access token of the session.";
    NotHost, "not_host", FORBIDDEN, "Only the host may start now", "Wait until all seats are taken, or for the host.";
    HostOnly, "host_only", FORBIDDEN, "Only the host may do this", "Ask the first of the seats.";
    SandboxesOff, "sandboxes_off", FORBIDDEN, "There are no sandboxes here", "Run a service of your own with YANIV_SANDBOXES=true.";
    ChallengerOnly, "challenger_only", FORBIDDEN, "Only who made the challenge may do this", "Decline the challenge.";
    NotFound, "not_found", NOT_FOUND, "There is no such resource", "Compare the path with the API's document.";
    MatchNotFound, "match_not_found", NOT_FOUND, "No such match among yours", "Check the id. Matches are open to those who have a seat; public ones that are over to everybody.";
    RoundNotFound, "round_not_found", NOT_FOUND, "The match has no such round, or not yet", "Ask for a round from 1 to that in play.";
    InvitationNotFound, "invitation_not_found", NOT_FOUND, "No match waits for players under this code", "Ask for a new code.";
    SessionNotFound, "session_not_found", NOT_FOUND, "No such session among yours", "List your sessions.";
    TokenNotFound, "token_not_found", NOT_FOUND, "No such personal token among yours", "List your personal tokens.";
    PairingNotFound, "pairing_not_found", NOT_FOUND, "No such request to be paired among yours", "Check the id, or ask again.";
    ChallengeNotFound, "challenge_not_found", NOT_FOUND, "No such challenge among yours", "Check the id, or list your challenges.";
    VacationNotFound, "vacation_not_found", NOT_FOUND, "No such vacation among yours", "Fetch your calendar.";
    AccountNotFound, "account_not_found", NOT_FOUND, "No account has this name", "Check the name: it has small letters only.";
    PresetNotFound, "preset_not_found", NOT_FOUND, "No preset has this name", "List the presets.";
    BotNotFound, "bot_not_found", NOT_FOUND, "No such bot among yours", "List your bots.";
    ChannelNotFound, "channel_not_found", NOT_FOUND, "No such channel among yours", "List your channels.";
    MethodNotAllowed, "method_not_allowed", METHOD_NOT_ALLOWED, "The resource has no such method", "Use one of those in the Allow header.";
    RequestTimeout, "request_timeout", REQUEST_TIMEOUT, "The body did not arrive in time", "Send the same request again, with the same key.";
    NotYourTurn, "not_your_turn", CONFLICT, "It is another player's turn", "Wait until your seat is in to_act.";
    YourTurn, "your_turn", CONFLICT, "It is your turn, or you are asked something", "Act; place orders when it is another's turn.";
    WrongPhase, "wrong_phase", CONFLICT, "The round is in a phase that does not take this action", "Look at table.phase and legal in the view.";
    CallTooEarly, "call_too_early", CONFLICT, "Not everybody has had enough turns for a call", "Play; call in a later turn.";
    AlreadyCalled, "already_called", CONFLICT, "You have called in this turn", "Play.";
    SeatOut, "seat_out", CONFLICT, "Your seat is out of the match", "There is nothing more to do; you may go on looking.";
    RoundOver, "round_over", CONFLICT, "The round is over", "Fetch the match.";
    MatchOver, "match_over", CONFLICT, "The match is over", "Fetch the match or its record.";
    VersionConflict, "version_conflict", CONFLICT, "The match is at another version than the one you named", "The view as it is now is in match: decide anew and send a new key.";
    MatchNotStarted, "match_not_started", CONFLICT, "The match waits for its players", "Start it, or wait for its host.";
    MatchStarted, "match_started", CONFLICT, "The match has started already", "Fetch the match; to give up, resign.";
    SeatHeld, "seat_held", CONFLICT, "You were absent, and a bot holds your seat", "Take the seat back with takeSeatBack, and fetch the match.";
    SeatNotHeld, "seat_not_held", CONFLICT, "No bot holds your seat", "Fetch the match, and play.";
    NotASandbox, "not_a_sandbox", CONFLICT, "The match is no sandbox", "Create one with sandbox: true.";
    RatedNotAllowed, "rated_not_allowed", CONFLICT, "Rated matches are played by people with accounts of their own, or by bots among themselves", "A guest claims the account first. People and bots play together where nothing is rated.";
    TooEarlyToNudge, "too_early_to_nudge", CONFLICT, "Nobody has been waited for long enough, or somebody was nudged of late", "Nudge after an hour of waiting, and 12 hours after the nudge before.";
    MatchNotOver, "match_not_over", CONFLICT, "The match is not over yet", "Offer a rematch when the match has a result.";
    RoundNotOver, "round_not_over", CONFLICT, "The round is not over yet", "Ask again when listRounds has the round.";
    MatchFull, "match_full", CONFLICT, "All seats are taken", "Create a match of your own.";
    AlreadySeated, "already_seated", CONFLICT, "You have a seat in this match", "Fetch the match.";
    TooFewPlayers, "too_few_players", CONFLICT, "A match needs two players", "Share the code and wait.";
    Yourself, "yourself", CONFLICT, "This is your own account", "Name somebody else.";
    HouseBot, "house_bot", CONFLICT, "A bot of the house is nobody's friend", "Challenge it, or name its level in createMatch.";
    AlreadyPaired, "already_paired", CONFLICT, "The request does not wait any more", "Fetch the request: it names the match that it has led to, which you may resign.";
    TooManyPairings, "too_many_pairings", CONFLICT, "You wait for as many wishes as an account may", "Withdraw one of those that listPairings shows.";
    ChallengeOver, "challenge_over", CONFLICT, "The challenge has ended or expired", "Fetch the challenge: it says how it ended, and names the match if there is one.";
    OwnChallenge, "own_challenge", CONFLICT, "You have made this challenge yourself", "Wait for the others, or withdraw it.";
    TooManyChallenges, "too_many_challenges", CONFLICT, "You have as many open challenges as an account may", "Withdraw one of those that listChallenges shows.";
    UsernameTaken, "username_taken", CONFLICT, "The name is in use", "Choose another, or log in if it is yours.";
    DisplayNameTaken, "display_name_taken", CONFLICT, "The display name is reserved, or looks like somebody else's name", "Choose another.";
    NotAGuest, "not_a_guest", CONFLICT, "The account is not a guest's", "Fetch your account: it may have been claimed already.";
    ClaimFirst, "claim_first", CONFLICT, "A guest has no bots", "Claim the account first.";
    TooManyBots, "too_many_bots", CONFLICT, "You have 10 bots", "Delete one that you do not need.";
    TooManyTokens, "too_many_tokens", CONFLICT, "You have 100 personal tokens", "Revoke one that you do not need.";
    VacationTooSoon, "vacation_too_soon", CONFLICT, "A vacation begins on a day that begins in an hour or later", "Announce a later first day.";
    VacationOverlap, "vacation_overlap", CONFLICT, "There is vacation on one of these days already", "Fetch your calendar, and announce other days.";
    VacationDaysUsed, "vacation_days_used", CONFLICT, "So many days of vacation are not left in that year, or too many are close together", "Look at allowances and vacations in your calendar, and announce fewer days.";
    VacationOver, "vacation_over", CONFLICT, "The vacation ends with this day anyway", "There is nothing to cancel.";
    TooManyChannels, "too_many_channels", CONFLICT, "You have 20 channels", "Delete one that you do not need.";
    ChannelGone, "channel_gone", CONFLICT, "The other side of the channel has said that it is gone", "Make a new one; or change the webhook, which tries it again.";
    NoticesOff, "notices_off", CONFLICT, "This server sends no notices at present", "Tell its host: CA certificates are missing. Channels can be made, and what waits is sent later.";
    NotAWebhook, "not_a_webhook", CONFLICT, "The channel has no secret that you know", "Nothing: browsers and services share what they need.";
    BodyTooLarge, "body_too_large", PAYLOAD_TOO_LARGE, "The body is larger than 16 KiB", "Send less.";
    UnsupportedMediaType, "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body is not declared as JSON", "Send Content-Type: application/json.";
    InvalidBody, "invalid_body", UNPROCESSABLE_ENTITY, "The body does not fit the operation", "Correct what is listed in fields.";
    InvalidParameter, "invalid_parameter", UNPROCESSABLE_ENTITY, "A parameter of the query does not fit the operation", "Correct the parameter that is listed in fields.";
    IdempotencyKeyReused, "idempotency_key_reused", UNPROCESSABLE_ENTITY, "The key belongs to another request", "Send a new key with a new request.";
    CardNotInHand, "card_not_in_hand", UNPROCESSABLE_ENTITY, "You do not hold one of these cards", "Choose from hand.";
    NotAMeld, "not_a_meld", UNPROCESSABLE_ENTITY, "These cards cannot be thrown together", "Choose from legal.discards.";
    RunOutOfOrder, "run_out_of_order", UNPROCESSABLE_ENTITY, "A run has to be thrown in order", "Send the cards ascending or descending.";
    DrawNotAvailable, "draw_not_available", UNPROCESSABLE_ENTITY, "This card cannot be drawn", "Choose from legal.draws.";
    CallOverLimit, "call_over_limit", UNPROCESSABLE_ENTITY, "Your hand has too many points for a call", "Play.";
    UnknownWord, "unknown_word", UNPROCESSABLE_ENTITY, "Nobody says that word here", "Choose from rules.call_words.";
    NotAllowedByRules, "not_allowed_by_rules", UNPROCESSABLE_ENTITY, "The rules of this match do not have this action, or not for you now", "Look at rules and legal in the view.";
    UsernameReserved, "username_reserved", UNPROCESSABLE_ENTITY, "Nobody may choose this name", "Choose another.";
    PasswordCommon, "password_common", UNPROCESSABLE_ENTITY, "This password is easy to guess", "Ask the player for another: several words, say, and not the name of the account.";
    BadRules, "bad_rules", UNPROCESSABLE_ENTITY, "The rule set is not valid", "Correct the option that is listed in fields.";
    NotRatable, "not_ratable", UNPROCESSABLE_ENTITY, "A rated match has exactly the rules of a preset, and is no sandbox", "Name a preset and no other option, or leave rated out.";
    UrlNotAllowed, "url_not_allowed", UNPROCESSABLE_ENTITY, "Notices are not sent to this address", "Give an https address on the usual port, of a host that everybody can reach.";
    TooManySignUps, "too_many_sign_ups", TOO_MANY_REQUESTS, "Too many registrations from this address", "Send the same request again after Retry-After seconds.";
    TooManyLogIns, "too_many_log_ins", TOO_MANY_REQUESTS, "Too many log-ins from this address", "Send the same request again after Retry-After seconds.";
    TooManyAttempts, "too_many_attempts", TOO_MANY_REQUESTS, "Too many wrong passwords: this one was not looked at", "Tell the player to wait for Retry-After seconds. On a device that was logged in before, send the device_token of its log-in.";
    TooManyRefreshes, "too_many_refreshes", TOO_MANY_REQUESTS, "Too many refreshes from this address", "Send the same request again after Retry-After seconds.";
    TooManyExports, "too_many_exports", TOO_MANY_REQUESTS, "Too many exports", "Send the same request again after Retry-After seconds.";
    TooManyCalendarChanges, "too_many_calendar_changes", TOO_MANY_REQUESTS, "Too many changes of your calendar", "Send the same request again, with the same key, after Retry-After seconds.";
    TooManyDownloads, "too_many_downloads", TOO_MANY_REQUESTS, "Too many downloads", "Go on after Retry-After seconds, with the last match that you have whole in after.";
    TooManyReads, "too_many_reads", TOO_MANY_REQUESTS, "Too many readings", "Send the same request again after Retry-After seconds; use ETags and poll less often.";
    TooManyWrites, "too_many_writes", TOO_MANY_REQUESTS, "Too many writes", "Send the same request again, with the same key, after Retry-After seconds.";
    TooManyActions, "too_many_actions", TOO_MANY_REQUESTS, "Too many actions", "Send the same request again, with the same key, after Retry-After seconds.";
    TooManyRefusedActions, "too_many_refused_actions", TOO_MANY_REQUESTS, "This action was refused, like too many before it", "Look at legal in the view, and choose from it.";
    TooManyRepeatedActions, "too_many_repeated_actions", TOO_MANY_REQUESTS, "Too many actions that had happened before", "The action has happened: fetch the match, or send the same request again after Retry-After seconds.";
    TooManyStreams, "too_many_streams", TOO_MANY_REQUESTS, "The account has as many streams open as it may", "Close one, or follow the inbox instead of each match; a stream whose connection was cut counts for half a minute at most.";
    Internal, "internal", INTERNAL_SERVER_ERROR, "A fault of the service", "Send the same request again, with the same key, at most three times.";
    Busy, "busy", SERVICE_UNAVAILABLE, "Too much at once", "Send the same request again, with the same key, after Retry-After seconds.";
    StreamsFull, "streams_full", SERVICE_UNAVAILABLE, "As many streams are open as the service takes", "Wait for events by the long poll instead, and try again later.";
    DatabaseUnavailable, "database_unavailable", SERVICE_UNAVAILABLE, "The database cannot be reached", "Send the same request again, with the same key, after Retry-After seconds.";
    OutcomeUnknown, "outcome_unknown", SERVICE_UNAVAILABLE, "Whether the write has happened is not known yet", "Send the same request again, after Retry-After seconds. With the same key, it happens once at most; without one, look first whether it has happened.";
}

/// A refusal or failure, after RFC 9457. Tell problems apart by `code`; the texts may change.
#[derive(Debug, Serialize, ToSchema)]
pub struct Problem {
    /// A URN made of the code.
    #[serde(rename = "type")]
    #[schema(format = "uri", max_length = 100, examples("urn:yaniv:problem:not_your_turn"))]
    pub kind: String,
    /// What it is, in a few words; the same for every problem of this code.
    #[schema(max_length = 200, examples("It is another player's turn"))]
    pub title: String,
    /// The status of the answer.
    #[schema(minimum = 400, maximum = 599, examples(409))]
    pub status: i32,
    /// What it is in this case.
    #[schema(max_length = 1000, examples("seat 1 is to act"))]
    pub detail: String,
    /// Stable name of the problem. New ones may come: treat an unknown one by its status.
    #[schema(max_length = 64, pattern = "^[a-z_]+$", examples("not_your_turn"))]
    pub code: String,
    /// What a client does about it.
    #[schema(max_length = 500, examples("Wait until your seat is in to_act."))]
    pub advice: String,
    /// The parts of the request that are wrong.
    #[schema(max_items = 20)]
    pub fields: Vec<ProblemField>,
    /// With `insufficient_scope`: the scope that the token lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("play"))]
    pub scope: Option<String>,
    /// With `version_conflict`: the match as you may see it now.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub current: Option<Box<MatchBody>>,
}

/// A part of a request that is wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ProblemField {
    /// Its path in the body, or the name of the parameter or of the option.
    #[schema(max_length = 200, examples("cards[1]"))]
    pub name: String,
    /// What is wrong with it.
    #[schema(max_length = 1000, examples("no such card"))]
    pub detail: String,
}

impl Problem {
    /// The problem of a code.
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:yaniv:problem:{}", code.as_str()),
            title: code.title().to_owned(),
            status: i32::from(code.status().as_u16()),
            detail: detail.into(),
            code: code.as_str().to_owned(),
            advice: code.advice().to_owned(),
            fields: Vec::new(),
            scope: None,
            current: None,
        }
    }
}
