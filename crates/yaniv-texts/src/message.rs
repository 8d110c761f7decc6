//! The messages, and the facts that they may mention.

/// A message: the same in all languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// The player has to play.
    YourTurn,
    /// The player has to play for the first time in the match.
    MatchStarted,
    /// The player has a last turn after a call.
    LastTurn,
    /// The player answers a call.
    AnswerCall,
    /// The player answers an offer to swap hands.
    AnswerSwap,
    /// The player answers a card request.
    AnswerRequest,
    /// The player's deadline is near.
    DeadlineNear,
    /// All seats of the player's match are taken.
    TableFull,
    /// Another player reminds them.
    Nudged,
    /// Another player challenges them.
    Invited,
    /// A round is over and scored.
    RoundOver,
    /// A round is over without a score.
    RoundUnscored,
    /// The match is over: the player has won.
    MatchWon,
    /// The match is over: the player has won with others.
    MatchShared,
    /// The match is over: others have won.
    MatchLost,
    /// The match is over without a ranking.
    MatchEnded,
    /// Matches wait for the player.
    Digest,
    /// The player proves access to a mailbox.
    VerifyEmail,
    /// The player sets a new password.
    ResetPassword,
    /// A log-in with the password, on a device that was not known.
    NewDevice,
    /// An app got access to the account.
    NewApp,
    /// The password was changed.
    PasswordChanged,
    /// A passkey was added.
    PasskeyAdded,
    /// An identity of the OpenID provider was linked.
    IdentityLinked,
    /// A test of a channel.
    Test,
}

impl Message {
    /// All messages.
    pub const ALL: [Self; 25] = [
        Self::YourTurn,
        Self::MatchStarted,
        Self::LastTurn,
        Self::AnswerCall,
        Self::AnswerSwap,
        Self::AnswerRequest,
        Self::DeadlineNear,
        Self::TableFull,
        Self::Nudged,
        Self::Invited,
        Self::RoundOver,
        Self::RoundUnscored,
        Self::MatchWon,
        Self::MatchShared,
        Self::MatchLost,
        Self::MatchEnded,
        Self::Digest,
        Self::VerifyEmail,
        Self::ResetPassword,
        Self::NewDevice,
        Self::NewApp,
        Self::PasswordChanged,
        Self::PasskeyAdded,
        Self::IdentityLinked,
        Self::Test,
    ];

    /// Its name in the files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::YourTurn => "your-turn",
            Self::MatchStarted => "match-started",
            Self::LastTurn => "last-turn",
            Self::AnswerCall => "answer-call",
            Self::AnswerSwap => "answer-swap",
            Self::AnswerRequest => "answer-request",
            Self::DeadlineNear => "deadline-near",
            Self::TableFull => "table-full",
            Self::Nudged => "nudged",
            Self::Invited => "invited",
            Self::RoundOver => "round-over",
            Self::RoundUnscored => "round-unscored",
            Self::MatchWon => "match-won",
            Self::MatchShared => "match-shared",
            Self::MatchLost => "match-lost",
            Self::MatchEnded => "match-ended",
            Self::Digest => "digest",
            Self::VerifyEmail => "verify-email",
            Self::ResetPassword => "reset-password",
            Self::NewDevice => "new-device",
            Self::NewApp => "new-app",
            Self::PasswordChanged => "password-changed",
            Self::PasskeyAdded => "passkey-added",
            Self::IdentityLinked => "identity-linked",
            Self::Test => "test",
        }
    }
}

/// What a message may mention; a message ignores the rest.
#[derive(Clone, Debug, Default)]
pub struct Facts<'a> {
    /// Usernames of the opponents.
    pub opponents: &'a [String],
    /// Username of the player who called, asks, reminds or challenges.
    pub player: &'a str,
    /// The word of a call.
    pub word: &'a str,
    /// Number of the round.
    pub round: i32,
    /// The player's score of the round.
    pub points: i32,
    /// Number of rounds of the match.
    pub rounds: i32,
    /// The player's place.
    pub place: i32,
    /// Number of players.
    pub players: i32,
    /// The deadline, as `deadline` prints it.
    pub deadline: &'a str,
    /// Number of matches that wait for the player.
    pub matches: i32,
}
