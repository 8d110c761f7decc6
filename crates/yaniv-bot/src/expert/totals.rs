//! What the totals of the match make of a score: an exact hit that is reduced, and elimination.

use yaniv_engine::{EliminationAt, Rules};

/// More points than these are not aimed at.
const MOST_NEEDED: i32 = 25;

/// What the total of a player means for the score of the round.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    /// The score that hits the next total that is reduced, 1 to 25; `None` without one.
    pub(crate) need: Option<u16>,
    /// The highest score with which the player stays in the match.
    pub(crate) room: i32,
}

impl Total {
    pub(crate) fn of(rules: &Rules, total: i32) -> Total {
        let options = rules.options();
        let reduced = options.reductions.iter().filter(|one| one.to < one.at);
        let needed =
            reduced.map(|one| i32::from(one.at) - total).filter(|need| (1..=MOST_NEEDED).contains(need));
        let reached = options.elimination_at == EliminationAt::Reached;
        Total {
            need: needed.min().and_then(|need| u16::try_from(need).ok()),
            room: i32::from(options.elimination) - total - i32::from(reached),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaniv_engine::Preset;

    #[test]
    fn a_total_needs_what_hits_the_next_reduction() {
        let rules = Rules::new(Preset::Yaniv.options()).unwrap();
        let of = |total| {
            let total = Total::of(&rules, total);
            (total.need, total.room)
        };
        assert_eq!(of(0), (None, 200));
        assert_eq!(of(75), (Some(25), 125));
        assert_eq!(of(99), (Some(1), 101));
        assert_eq!(of(100), (None, 100));
        assert_eq!(of(200), (None, 0));
        let mut options = Preset::Dhumbal.options();
        options.elimination_at = EliminationAt::Reached;
        assert_eq!(Total::of(&Rules::new(options).unwrap(), 90), Total { need: None, room: 9 });
    }
}
