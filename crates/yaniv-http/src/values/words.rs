//! Words that clients may send, one type for each list. What a word means is said where it is used.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use yaniv_app::matchmaking::challenge_view::ChallengeStatus;
use yaniv_app::statistics::worker::CUSTOM;
use yaniv_clock::AfterMisses;
use yaniv_engine::Preset;
use yaniv_match::status::Status;

/// Defines a list: a type, and its words.
macro_rules! words {
    ($($(#[doc = $doc:tt])+ $name:ident { $($(#[doc = $of:tt])+ $variant:ident = $word:tt),+ $(,)? })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
            pub(crate) enum $name { $($(#[doc = $of])+ #[serde(rename = $word)] $variant),+ }

            impl $name {
                /// All of them.
                pub(crate) const ALL: &[Self] = &[$(Self::$variant),+];

                /// The word.
                pub(crate) const fn as_str(self) -> &'static str {
                    match self { $(Self::$variant => $word),+ }
                }
            }
        )+
    };
}

words! {
    /// Order of the seats of a new match: `joined`: joining order; `random`: drawn at the start, from the committed seed.
    SeatOrder {
        /// Joining order.
        Joined = "joined",
        /// Drawn at the start.
        Random = "random",
    }

    /// Who finds a match: `private`: who has its code; `public`: every account.
    Visibility {
        /// Who has its code.
        Private = "private",
        /// Every account.
        Public = "public",
    }

    /// Kind of clock: `bank`: a turn uses time from a bank and adds a gain to it; `turn`: a fixed time for each turn;
    /// `none`: no clock.
    ClockKind {
        /// No clock.
        None = "none",
        /// A fixed time for each turn.
        Turn = "turn",
        /// A bank, and a gain for each turn.
        Bank = "bank",
    }

    /// What happens after missed deadlines: `bot`: a bot holds the seat until its player takes it back; `out`: the
    /// player is out; `safe_turns`: only safe turns, as before.
    AbsentRule {
        /// A bot holds the seat.
        Bot = "bot",
        /// The player is out.
        Out = "out",
        /// Only safe turns.
        SafeTurns = "safe_turns",
    }

    /// Status of a match.
    MatchStatus {
        /// Waiting for players.
        Waiting = "waiting",
        /// In play.
        Running = "running",
        /// Over.
        Finished = "finished",
    }

    /// Result of a match for a player.
    MatchResult {
        /// First, perhaps with others.
        Won = "won",
        /// Any other place.
        Lost = "lost",
    }

    /// Who made a challenge.
    ChallengeDirection {
        /// Others.
        Incoming = "incoming",
        /// The caller.
        Outgoing = "outgoing",
    }

    /// Status of a challenge.
    ChallengeState {
        /// Waiting for answers.
        Open = "open",
        /// Accepted by all.
        Accepted = "accepted",
        /// Declined by a member.
        Declined = "declined",
        /// Withdrawn by the challenger.
        Withdrawn = "withdrawn",
        /// Not accepted in time.
        Expired = "expired",
    }
}

/// A preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PresetName(pub(crate) Preset);

/// A preset, or `custom` (`None`) for rules that match none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PresetOrCustom(pub(crate) Option<Preset>);

impl PresetOrCustom {
    /// The word.
    pub(crate) fn as_str(self) -> &'static str {
        self.0.map_or(CUSTOM, Preset::as_str)
    }
}

impl From<AbsentRule> for AfterMisses {
    fn from(then: AbsentRule) -> Self {
        match then {
            AbsentRule::Bot => Self::Bot,
            AbsentRule::Out => Self::Out,
            AbsentRule::SafeTurns => Self::SafeTurns,
        }
    }
}

impl From<AfterMisses> for AbsentRule {
    fn from(then: AfterMisses) -> Self {
        match then {
            AfterMisses::Bot => Self::Bot,
            AfterMisses::Out => Self::Out,
            AfterMisses::SafeTurns => Self::SafeTurns,
        }
    }
}

impl From<MatchStatus> for Status {
    fn from(status: MatchStatus) -> Self {
        match status {
            MatchStatus::Waiting => Self::Waiting,
            MatchStatus::Running => Self::Running,
            MatchStatus::Finished => Self::Finished,
        }
    }
}

impl From<ChallengeState> for ChallengeStatus {
    fn from(status: ChallengeState) -> Self {
        match status {
            ChallengeState::Open => Self::Open,
            ChallengeState::Accepted => Self::Accepted,
            ChallengeState::Declined => Self::Declined,
            ChallengeState::Withdrawn => Self::Withdrawn,
            ChallengeState::Expired => Self::Expired,
        }
    }
}

/// The names of all presets.
pub(crate) fn presets() -> impl Iterator<Item = &'static str> {
    Preset::ALL.iter().map(|preset| preset.as_str())
}

/// A text that is one of these words.
fn one_of(words: impl Iterator<Item = &'static str>) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words.collect::<Vec<_>>())).into()
}

impl<'de> Deserialize<'de> for PresetName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <Cow<'_, str>>::deserialize(deserializer)?;
        name.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for PresetOrCustom {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <Cow<'_, str>>::deserialize(deserializer)?;
        if name == CUSTOM {
            return Ok(Self(None));
        }
        name.parse().map(|preset| Self(Some(preset))).map_err(serde::de::Error::custom)
    }
}

impl PartialSchema for PresetName {
    fn schema() -> RefOr<Schema> {
        one_of(presets())
    }
}

impl PartialSchema for PresetOrCustom {
    fn schema() -> RefOr<Schema> {
        one_of(presets().chain([CUSTOM]))
    }
}

impl ToSchema for PresetName {}
impl ToSchema for PresetOrCustom {}
