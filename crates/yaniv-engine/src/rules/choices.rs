//! Rule options with named values (rules §3). The table of all options is in `table.rs`.

/// Defines an option with named values: the enum, its names, and their parsing.
macro_rules! choices {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// All values, the default first.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The name of the default.
            pub const fn default_name() -> &'static str {
                [$($text),+][0]
            }

            /// The name in rules §3.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::BadNotation;

            fn from_str(text: &str) -> Result<$name, $crate::BadNotation> {
                $name::ALL
                    .iter()
                    .copied()
                    .find(|value| value.as_str() == text)
                    .ok_or($crate::BadNotation::new(concat!("must be one of: ", $($text, " "),+)))
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

pub(crate) use choices;

choices! {
    /// The order of play.
    Direction {
        /// Seats increase.
        Clockwise = "clockwise",
        /// Seats decrease.
        Counterclockwise = "counterclockwise",
    }
}
choices! {
    /// Cards that can be picked up from the pile.
    Pickup {
        /// The first and the last card.
        Ends = "ends",
        /// Any card of a set, the ends of a run.
        EndsOfRuns = "ends_of_runs",
        /// Any card.
        Any = "any",
        /// The card thrown last.
        Top = "top",
    }
}
choices! {
    /// Consequence of a call with more points than the limit (rules §7).
    OverLimit {
        /// It is refused.
        Reject = "reject",
        /// It is a wrong call, regardless of the other hands.
        Penalty = "penalty",
        /// The caller is out at once.
        Eliminate = "eliminate",
        /// The caller draws three cards and must play.
        DrawThree = "draw_three",
        /// The others may exchange hands with the caller, who then must play.
        Swap = "swap",
        /// Nothing; the caller must play.
        Ignore = "ignore",
    }
}
choices! {
    /// Consequence of a call out of turn (rules §7).
    OutOfTurn {
        /// It is refused.
        Reject = "reject",
        /// The round ends, 30 points for the caller.
        Penalty = "penalty",
    }
}
choices! {
    /// What follows a call (rules §6).
    Response {
        /// The round is scored.
        Reveal = "reveal",
        /// Everyone else has one more turn.
        FinalTurn = "final_turn",
        /// Everyone else exposes or challenges (Kluft).
        Challenge = "challenge",
    }
}
choices! {
    /// Scores of the other players after a failed call (rules §5).
    WrongCallOthers {
        /// Their points.
        Hand = "hand",
        /// Nothing.
        None = "none",
        /// Their points if more than the caller's, else nothing.
        AboveCaller = "above_caller",
        /// The lowest of them nothing, the others their points.
        LowestZero = "lowest_zero",
        /// Only the first of the lowest after the caller nothing.
        FirstLowestZero = "first_lowest_zero",
    }
}
choices! {
    /// Whether a player is out above or at the elimination total.
    EliminationAt {
        /// Above `elimination`.
        Over = "over",
        /// At `elimination` already.
        Reached = "reached",
    }
}
choices! {
    /// The end of the match (rules §8).
    End {
        /// One player is left.
        LastStanding = "last_standing",
        /// A player goes out at the end of a round.
        FirstElimination = "first_elimination",
    }
}
choices! {
    /// The result if all remaining players go out in one round.
    AllOut {
        /// The lowest total wins.
        LowestWins = "lowest_wins",
        /// Those players play one more round.
        Replay = "replay",
    }
}
choices! {
    /// The starter after a tie for the lowest hand (rules §5).
    TieStarter {
        /// The first of them after the caller, the caller last.
        LeftOfCaller = "left_of_caller",
        /// The first of them from the round's starter on.
        LeftOfDealer = "left_of_dealer",
    }
}
choices! {
    /// Plays after which a slam-down is possible (rules §9).
    SlamDown {
        /// Never.
        Off = "off",
        /// After any play.
        Any = "any",
        /// With a card from the stock.
        Stock = "stock",
        /// With a card from the stock, on sets and single cards.
        StockSets = "stock_sets",
    }
}
