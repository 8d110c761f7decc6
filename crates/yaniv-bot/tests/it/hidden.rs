//! Bots know no more than their seat: hidden cards do not affect their decisions.

use proptest::prelude::*;
use yaniv_bot::{History, Level, Sight, decide, safe_turn, volunteer};
use yaniv_engine::{Action, Card, Match, PhaseKind, Position, Preset, Rules, Seat};

use crate::support::{Choose, Dice, random_legal, random_rules, shuffler};

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_positions_that_look_the_same_from_a_seat_get_the_same_action(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let (mut rules, mut players) = random_rules(&mut dice);
        if dice.below(2) == 0 {
            // The rules that networks were trained for.
            rules = Rules::new(dice.pick(Preset::ALL).options()).expect("a preset");
            players = players.min(rules.max_players());
        }
        let shuffler = shuffler(&mut dice, players);
        let mut state = Match::start(&rules, players, &shuffler).expect("checked");
        let mut history = History::new(1);
        for _ in 0..60 {
            if history.round() != state.round() {
                history = History::new(state.round());
            }
            for seat in (0..players).map(Seat::new) {
                let Some(other) = with_the_hidden_dealt_anew(&state, seat, &mut dice) else { continue };
                prop_assert_eq!(all_of(&state, seat, &history), all_of(&other, seat, &history));
            }
            let Some((seat, action)) = random_legal(&state, &mut dice) else { break };
            let slammed = state.legal(seat).slam.map(|slam| slam.card);
            let slammed = slammed.filter(|_| matches!(action, Action::Slam { .. }));
            let played = state.play(seat, &action, &shuffler).expect("listed");
            history.note(seat, &action, slammed, played.recycled);
        }
    }
}

/// All decisions of a bot in a seat.
fn all_of(state: &Match, seat: Seat, history: &History) -> Vec<Option<Action>> {
    let view = state.view(Some(seat));
    let sight = Sight { view: &view, rules: state.rules(), seat, history };
    let decided = Level::ALL.into_iter().map(|level| decide(&sight, level, 7));
    let wished = Level::ALL.into_iter().map(|level| volunteer(&sight, level));
    decided.chain(wished).chain([safe_turn(&view, state.rules())]).collect()
}

/// The same position with the hidden cards exchanged.
fn with_the_hidden_dealt_anew(state: &Match, viewer: Seat, dice: &mut Dice) -> Option<Match> {
    let view = state.view(Some(viewer));
    if state.phase() == PhaseKind::Over || (view.pile.is_empty() && view.stock == 0) {
        return None;
    }
    let mut position: Position = state.position();
    let hidden = |seat: usize| seat != viewer.index() && view.seats[seat].exposed.is_none();
    let mut places: Vec<&mut Vec<Card>> = vec![&mut position.stock];
    let seats = position.seats.iter_mut().enumerate().filter(|(seat, _)| hidden(*seat));
    places.extend(seats.map(|(_, seat)| &mut seat.hand));
    let mut cards: Vec<Card> = places.iter().flat_map(|place| place.iter().copied()).collect();
    dice.shuffle(&mut cards);
    for (place, card) in places.into_iter().flatten().zip(cards) {
        *place = card;
    }
    // The open slam-down of another seat is as hidden as its card.
    position.slam = position.slam.filter(|slam| slam.seat == viewer.number());
    Match::from_position(state.rules(), &position).ok()
}
