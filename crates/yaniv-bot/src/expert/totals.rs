//! What the totals of the match make of a score: an exact hit that is reduced, and elimination.

use yaniv_engine::{EliminationAt, Rules};

use crate::sight::Sight;

/// More points than these are not aimed at.
const MOST_NEEDED: i32 = 25;
/// A reduction by fewer points is not aimed at: the networks have learned what 50 and 100 are worth.
const LEAST_REDUCED: i32 = 20;

/// The room in a match without reductions, or in sudden death. That elimination is near has not made an expert stronger without
/// reductions.
const FAR: i32 = 1000;

/// What the total of a player means for the score of the round.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    /// The score that hits the next total that is reduced, 1 to 25; `None` without one.
    pub(crate) need: Option<u16>,
    /// The highest score with which the player stays in the match, without a reduction.
    pub(crate) room: i32,
}

impl Total {
    /// The next reduction, and the points until elimination, of a player with this total. Sudden death eliminates nobody.
    pub(crate) fn of(sight: &Sight<'_>, total: i32) -> Total {
        let mut of_rules = Total::by_rules(sight.rules, total);
        if sight.view.sudden_death {
            of_rules.room = FAR;
        }
        of_rules
    }

    fn by_rules(rules: &Rules, total: i32) -> Total {
        let options = rules.options();
        let reached = options.elimination_at == EliminationAt::Reached;
        let highest = i32::from(options.elimination) - i32::from(reached);
        let reductions = options.reductions.iter().map(|one| (i32::from(one.at), i32::from(one.to)));
        let room = if options.reductions.is_empty() { FAR } else { highest - total };
        let needed = reductions
            .filter(|(at, to)| at - to >= LEAST_REDUCED && *to <= highest)
            .map(|(at, _)| at - total)
            .filter(|need| (1..=MOST_NEEDED).contains(need));
        Total { need: needed.min().and_then(|need| u16::try_from(need).ok()), room }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaniv_engine::{Preset, Reduction};

    #[test]
    fn a_total_needs_what_hits_the_next_reduction() {
        let rules = Rules::new(Preset::Yaniv.options()).unwrap();
        let of = |total| {
            let total = Total::by_rules(&rules, total);
            (total.need, total.room)
        };
        assert_eq!(of(0), (None, 200));
        assert_eq!(of(75), (Some(25), 125));
        assert_eq!(of(99), (Some(1), 101));
        assert_eq!(of(100), (None, 100));
        assert_eq!(of(200), (None, 0));
        let mut options = Preset::Dhumbal.options();
        let little = Reduction { at: 100, to: 90 };
        let still_out = Reduction { at: 120, to: 100 };
        options.reductions = vec![little, still_out];
        options.elimination_at = EliminationAt::Reached;
        let rules = Rules::new(options).unwrap();
        assert_eq!(Total::by_rules(&rules, 90), Total { need: None, room: 9 });
        assert_eq!(Total::by_rules(&rules, 99), Total { need: None, room: 0 });
    }
}
