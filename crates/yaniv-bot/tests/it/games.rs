//! Whole matches: actions of bots are legal, and their matches end, under any rules.

use proptest::prelude::*;
use yaniv_bot::{History, Level, Sight, decide, safe_turn, volunteer};
use yaniv_engine::{Action, Match, Preset, Rules, Seat, Shuffler};

use crate::support::{Choose, Dice, random_rules, shuffler};

/// A match with the public events of its round.
struct Game {
    state: Match,
    shuffler: Shuffler,
    history: History,
}

/// The player of a seat.
#[derive(Clone, Copy)]
enum Player {
    Bot(Level),
    Absent,
}

impl Game {
    fn new(rules: &Rules, players: u8, dice: &mut Dice) -> Game {
        let shuffler = shuffler(dice, players);
        let state = Match::start(rules, players, &shuffler).expect("checked");
        Game { history: History::new(state.round()), state, shuffler }
    }

    fn play(&mut self, seat: Seat, action: &Action) {
        let slammed = self.state.legal(seat).slam.map(|slam| slam.card);
        let slammed = slammed.filter(|_| matches!(action, Action::Slam { .. }));
        let played = self.state.play(seat, action, &self.shuffler);
        let played = played.unwrap_or_else(|error| panic!("{seat}:{action}: {error}\n{:?}", self.state));
        self.history.note(seat, action, slammed, played.recycled);
        if self.history.round() != self.state.round() {
            self.history = History::new(self.state.round());
        }
    }

    fn ask(&self, seat: Seat, player: Player, seed: u64, waited_for: bool) -> Option<Action> {
        let view = self.state.view(Some(seat));
        let sight = Sight { view: &view, rules: self.state.rules(), seat, history: &self.history };
        match player {
            Player::Bot(level) if waited_for => decide(&sight, level, seed),
            Player::Bot(level) => volunteer(&sight, level),
            Player::Absent if waited_for => safe_turn(&view, self.state.rules()),
            Player::Absent => None,
        }
    }

    /// Plays to the end; returns the number of actions.
    fn finish(&mut self, players: &[Player], most: usize) -> Option<usize> {
        for step in 0..most {
            let seed = u64::try_from(step).expect("small");
            if self.state.is_over() {
                return Some(step);
            }
            let volunteers = (0..self.state.players()).map(Seat::new);
            let wish = volunteers
                .filter_map(|seat| Some((seat, self.ask(seat, players[seat.index()], seed, false)?)))
                .next();
            if let Some((seat, action)) = wish {
                self.play(seat, &action);
                continue;
            }
            let seat = self.state.next_to_act().expect("it goes on");
            let action = self.ask(seat, players[seat.index()], seed, true).expect("it is to act");
            self.play(seat, &action);
        }
        None
    }
}

fn mixed(players: u8, dice: &mut Dice) -> Vec<Player> {
    let levels: Vec<Player> = Level::ALL.into_iter().map(Player::Bot).collect();
    (0..players).map(|_| dice.pick(&levels)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_rules_bots_play_to_the_end(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let (rules, players) = random_rules(&mut dice);
        let seats = mixed(players, &mut dice);
        let mut game = Game::new(&rules, players, &mut dice);
        prop_assert!(game.finish(&seats, 200_000).is_some(), "{:?}", rules.options());
    }

    #[test]
    fn bots_play_on_with_an_absent_player(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let (rules, players) = random_rules(&mut dice);
        let mut seats = mixed(players, &mut dice);
        seats[0] = Player::Absent;
        let mut game = Game::new(&rules, players, &mut dice);
        // An absent player never calls: where bots cannot call either, they resign, and the last one left wins.
        prop_assert!(game.finish(&seats, 200_000).is_some(), "{:?}", rules.options());
    }
}

#[test]
fn all_presets_are_played_to_the_end_by_each_level() {
    for preset in Preset::ALL {
        let rules = Rules::new(preset.options()).expect("a preset");
        for level in Level::ALL {
            for players in [2, 4] {
                let mut dice = Dice(u64::from(players));
                let mut game = Game::new(&rules, players, &mut dice);
                let seats = vec![Player::Bot(level); usize::from(players)];
                let steps = game.finish(&seats, 20_000);
                assert!(steps.is_some_and(|steps| steps < 5_000), "{preset} {level} {players}: {steps:?}");
            }
        }
    }
}

#[test]
fn a_round_in_which_no_call_is_possible_ends() {
    let mut options = Preset::Dhumbal.options();
    options.call_limit = Some(0);
    options.points.jack = 10;
    let rules = Rules::new(options).expect("within the bounds");
    let mut game = Game::new(&rules, 3, &mut Dice(1));
    let steps = game.finish(&[Player::Bot(Level::Medium); 3], 20_001);
    assert!(steps.is_some_and(|steps| steps > 1_000), "{steps:?}");
}
