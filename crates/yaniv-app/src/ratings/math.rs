//! Rating formulas: from strengths and places to new strengths. Pure. The formulas and their reasons are in
//! `docs/ratings.md`.

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

/// Stored units per unit of the formulas: strengths are rounded to millionths after each match.
const MILLIONTHS: f64 = 1_000_000.0;
/// Displayed units per unit of the formulas.
const SHOWN: f64 = 60.0;
/// Strength and uncertainty of a new player.
const NEW: Strength = Strength { mu: 25_000_000, sigma: 8_333_333 };
/// Drift of strength between matches: a hundredth of the initial uncertainty.
const DRIFT: f64 = 25.0 / 300.0;
/// Spread of performance around strength, by chance.
const BETA: f64 = 25.0 / 6.0;
/// A rating with a larger displayed deviation is provisional.
const PROVISIONAL_ABOVE: i32 = 350;

/// Estimated strength of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// The mean, in millionths.
    pub mu: i32,
    /// The uncertainty, in millionths.
    pub sigma: i32,
}

impl Default for Strength {
    fn default() -> Self {
        NEW
    }
}

impl Strength {
    /// The displayed rating: 1500 for a new player.
    pub fn rating(self) -> i32 {
        whole(f64::from(self.mu) / MILLIONTHS * SHOWN)
    }

    /// The displayed deviation: 500 for a new player.
    pub fn deviation(self) -> i32 {
        whole(f64::from(self.sigma) / MILLIONTHS * SHOWN)
    }

    /// Whether the rating is too uncertain for the leaderboard.
    pub fn is_provisional(self) -> bool {
        self.deviation() > PROVISIONAL_ABOVE
    }

    /// The strength before a match: slightly more uncertain than after the previous one.
    fn drifted(self) -> WengLinRating {
        let sigma = (f64::from(self.sigma) / MILLIONTHS).hypot(DRIFT);
        let most = f64::from(NEW.sigma) / MILLIONTHS;
        WengLinRating { rating: f64::from(self.mu) / MILLIONTHS, uncertainty: sigma.min(most) }
    }
}

/// Strengths after a match, in the given order. Places count from 1; equal ones are shared.
pub(crate) fn rate(players: &[(Strength, u8)]) -> Vec<Strength> {
    let before: Vec<[WengLinRating; 1]> = players.iter().map(|(strength, _)| [strength.drifted()]).collect();
    let teams: Vec<(&[WengLinRating], MultiTeamOutcome)> = before
        .iter()
        .zip(players)
        .map(|(team, (_, place))| (team.as_slice(), MultiTeamOutcome::new(usize::from(*place))))
        .collect();
    let config = WengLinConfig { beta: BETA, ..WengLinConfig::new() };
    let after = weng_lin_multi_team(&teams, &config);
    let weight = weight(players.len());
    before
        .iter()
        .flatten()
        .zip(after.iter().flatten())
        .map(|(before, after)| {
            let mu = before.rating + weight * (after.rating - before.rating);
            let (was, is) = (before.uncertainty.powi(2), after.uncertainty.powi(2));
            Strength {
                mu: whole(mu * MILLIONTHS),
                sigma: whole((was - weight * (was - is)).sqrt() * MILLIONTHS),
            }
        })
        .collect()
}

/// Weight of a pair of players in a match of this size.
///
/// All pairs of a player share that player's single performance, so they must not count as separate matches:
/// together they count like 1 match of two, up to 1.8 in a match of ten.
fn weight(players: usize) -> f64 {
    u32::try_from(players).map_or(0.0, |players| 2.0 / f64::from(players.max(2)))
}

#[expect(clippy::as_conversions, reason = "there is no other way; it saturates")]
fn whole(number: f64) -> i32 {
    number.round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(players: &[(Strength, u8)]) -> Vec<(i32, i32)> {
        rate(players).into_iter().map(|after| (after.rating(), after.deviation())).collect()
    }

    /// The formulas of the documentation, written out pair by pair, and summed.
    fn by_hand(players: &[(f64, f64, u8)]) -> Vec<(f64, f64)> {
        let weight = 2.0 / f64::from(u32::try_from(players.len()).unwrap());
        let drifted = |sigma: f64| (sigma * sigma + DRIFT * DRIFT).sqrt().min(25.0 / 3.0);
        let one = |(index, &(mu, sigma, place)): (usize, &(f64, f64, u8))| {
            let sigma = drifted(sigma);
            let (mut omega, mut delta) = (0.0, 0.0);
            for (_, &(other, its, at)) in players.iter().enumerate().filter(|(other, _)| *other != index) {
                let c = (sigma * sigma + drifted(its).powi(2) + 2.0 * BETA * BETA).sqrt();
                let expected = 1.0 / (1.0 + ((other - mu) / c).exp());
                let score = if place < at {
                    1.0
                } else if place == at {
                    0.5
                } else {
                    0.0
                };
                omega += sigma * sigma / c * (score - expected);
                delta += sigma / c * (sigma / c).powi(2) * expected * (1.0 - expected);
            }
            (mu + weight * omega, sigma * (1.0 - weight * delta.min(1.0)).sqrt())
        };
        players.iter().enumerate().map(one).collect()
    }

    #[test]
    fn the_examples_of_the_documentation_are_right() {
        let new = Strength::default();
        assert_eq!((new.rating(), new.deviation(), new.is_provisional()), (1500, 500, true));
        assert_eq!(shown(&[(new, 1), (new, 2)]), [(1658, 484), (1342, 484)]);
        assert_eq!(shown(&[(new, 1), (new, 1)]), [(1500, 484), (1500, 484)]);
        let four = [(1737, 476), (1579, 476), (1421, 476), (1263, 476)];
        assert_eq!(shown(&[(new, 1), (new, 2), (new, 3), (new, 4)]), four);
        let ten: Vec<(Strength, u8)> = (1..=10).map(|place| (new, place)).collect();
        assert_eq!(shown(&ten)[0], (1785, 471));
        let known = Strength { mu: 30_000_000, sigma: 1_800_000 };
        assert_eq!((known.rating(), known.deviation(), known.is_provisional()), (1800, 108, false));
    }

    #[test]
    fn the_formulas_of_the_documentation_give_the_same() {
        let players =
            [(31.25, 2.5, 2), (24.0, 8.333_333, 1), (19.5, 1.5, 4), (27.125, 4.0, 2), (22.0, 6.5, 5)];
        let millionths = |number: f64| whole(number * MILLIONTHS);
        let strengths: Vec<(Strength, u8)> = players
            .iter()
            .map(|&(mu, sigma, place)| (Strength { mu: millionths(mu), sigma: millionths(sigma) }, place))
            .collect();
        for (after, (mu, sigma)) in rate(&strengths).into_iter().zip(by_hand(&players)) {
            assert!((after.mu - millionths(mu)).abs() <= 1, "{after:?} {mu}");
            assert!((after.sigma - millionths(sigma)).abs() <= 1, "{after:?} {sigma}");
        }
    }

    #[test]
    fn a_rating_is_not_provisional_for_long_and_never_certain() {
        let mut both = [Strength::default(); 2];
        let mut provisional = 0;
        for number in 0..2_000_u32 {
            let places = if number % 2 == 0 { [1, 2] } else { [2, 1] };
            let after = rate(&[(both[0], places[0]), (both[1], places[1])]);
            both = [after[0], after[1]];
            provisional += u32::from(both[0].is_provisional());
        }
        assert_eq!(provisional, 12);
        assert!((80..=100).contains(&both[0].deviation()), "{}", both[0].deviation());
        assert!((1400..=1600).contains(&both[0].rating()), "{}", both[0].rating());
    }

    #[test]
    fn the_order_in_which_players_are_named_makes_no_difference() {
        let new = Strength::default();
        let known = Strength { mu: 30_000_000, sigma: 2_000_000 };
        let there = rate(&[(new, 1), (known, 2), (new, 3)]);
        let mut back = rate(&[(new, 3), (known, 2), (new, 1)]);
        back.reverse();
        for (one, other) in there.iter().zip(&back) {
            assert!((one.mu - other.mu).abs() <= 1 && (one.sigma - other.sigma).abs() <= 1);
        }
    }
}
