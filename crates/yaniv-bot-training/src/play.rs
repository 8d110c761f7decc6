//! Self-play, which gives training samples: who sits where, exploration, and what each situation led to.

use yaniv_bot::expert::{Expert, Inputs, POINTS_SCALE, Value, WeighedPlay, call_inputs, play_inputs};
use yaniv_bot::{Level, Sight, decide};
use yaniv_engine::{Action, Draw, Legal, PhaseKind, Rules, Seat};

use crate::dice::Dice;
use crate::learner::Outcome;
use crate::table::{Standing, Table, outcome};

/// TD(lambda): the weight of the outcome of the round in what a situation learns; the rest is the value of the next one.
const LAMBDA: f32 = 0.8;
/// Share of the plays that are exploration.
const EXPLORED: f32 = 0.05;
/// Exploration picks among this number of the best plays.
const EXPLORED_OF: usize = 6;
/// Share of the matches without bots of another level.
const AMONG_ITSELF: f32 = 0.5;

/// Training samples.
#[derive(Default)]
pub(crate) struct Samples {
    pub(crate) plays: Vec<(Inputs, Outcome)>,
    pub(crate) calls: Vec<(Inputs, Outcome)>,
    pub(crate) rounds: u64,
}

/// Who decides for a seat.
#[derive(Copy, Clone, PartialEq)]
enum Player {
    /// The networks; its turns are learned.
    Network,
    /// A level; its turns are learned where there are no networks yet.
    Level(Level),
}

/// The turns of a seat in a round: inputs, and the value that the play was given.
type Turns = Vec<(Inputs, Option<Outcome>)>;

/// Plays a match and adds what is to be learned. Without networks, `medium` and `hard` play.
pub(crate) fn play_match(rules: &Rules, expert: Option<&Expert>, dice: &mut Dice, samples: &mut Samples) {
    let players = players(rules, dice);
    let among_itself = dice.chance(AMONG_ITSELF);
    let own = dice.below(usize::from(players));
    let seats: Vec<Player> = (0..usize::from(players))
        .map(|seat| {
            let level = if dice.chance(0.5) { Level::Medium } else { Level::Hard };
            let network = expert.is_some() && (among_itself || seat == own);
            if network { Player::Network } else { Player::Level(level) }
        })
        .collect();
    let Some(mut table) = Table::deal(rules, players, dice.next()) else { return };
    let mut turns: Vec<Turns> = vec![Turns::new(); seats.len()];
    let mut standing = table.standing();
    while let Some(seat) = table.state.next_to_act() {
        let view = table.state.view(Some(seat));
        let (Some(legal), Some(player)) = (&view.legal, seats.get(seat.index())) else { return };
        let sight = table.sight(&view, seat);
        let in_turn = matches!(view.phase, PhaseKind::Turn | PhaseKind::MustPlay);
        let learned = in_turn && (*player == Player::Network || expert.is_none());
        if learned && legal.call && may_call(&sight) {
            samples
                .calls
                .extend(called(&table, &standing, seat).map(|outcome| (call_inputs(&sight), outcome)));
        }
        let decided = match (player, expert) {
            (Player::Network, Some(expert)) => act(expert, &sight, legal, dice),
            (Player::Level(level), _) => decide(&sight, *level, dice.next()).map(|action| (action, None)),
            (Player::Network, None) => None,
        };
        let Some((action, value)) = decided else { return };
        let before = learned.then(|| (view.clone(), table.history.clone()));
        let Some(played) = table.play(seat, &action) else { return };
        if let (Some((view, history)), Action::Play { cards, draw }) = (before, &action) {
            let drawn = match draw {
                Draw::Pile(card) => Some(*card),
                Draw::Stock | Draw::Nothing => played.drew,
            };
            let sight = Sight { view: &view, rules, seat, history: &history };
            if let Some(turns) = turns.get_mut(seat.index()) {
                turns.push((play_inputs(&sight, cards, *draw, drawn), value));
            }
        }
        if let Some(end) = played.round_ended {
            samples.rounds += 1;
            let after = table.standing();
            for (turns, seat) in turns.iter_mut().zip(0..).map(|(turns, seat)| (std::mem::take(turns), seat))
            {
                if let Some(result) = &end.result {
                    let outcome = outcome(rules, &standing, result, &after, Seat::new(seat));
                    look_back(turns, outcome, &mut samples.plays);
                }
            }
            standing = after;
        }
    }
}

/// The number of players: most often two. A match of more has more rounds, and more turns to learn from in each.
fn players(rules: &Rules, dice: &mut Dice) -> u8 {
    let players = match dice.below(20) {
        0..=15 => 2,
        16..=17 => 4,
        18 => 3,
        _ => 5,
    };
    players.min(rules.max_players())
}

fn may_call(sight: &Sight<'_>) -> bool {
    let points = sight.view.hand.as_ref().map_or(0, |hand| hand.points);
    points > 0 && sight.rules.options().call_limit.is_none_or(|limit| points <= limit)
}

/// The action of the networks with the value of the play; now and then, another play.
fn act(
    expert: &Expert,
    sight: &Sight<'_>,
    legal: &Legal,
    dice: &mut Dice,
) -> Option<(Action, Option<Outcome>)> {
    let mut weighing = expert.weigh(sight, legal);
    let action = weighing.best(sight).or_else(|| expert.decide(sight, dice.next()))?;
    let Action::Play { cards, draw } = &action else { return Some((action, None)) };
    let own = weighing.plays.iter().find(|play| play.cards == cards && play.draw == *draw);
    if own.is_none() || !dice.chance(EXPLORED) {
        let value = own.map(|play| as_outcome(play.value));
        return Some((action, value));
    }
    weighing.plays.sort_by_key(|play| std::cmp::Reverse(play.value.worth(sight)));
    weighing.plays.truncate(EXPLORED_OF);
    let tried: &WeighedPlay<'_> = weighing.plays.get(dice.below(weighing.plays.len()))?;
    Some((tried.action(), Some(as_outcome(tried.value))))
}

#[expect(clippy::as_conversions, reason = "values are far below what a float holds exactly")]
fn as_outcome(value: Value) -> Outcome {
    [value.points as f32 / (1000 * POINTS_SCALE) as f32, value.wins as f32 / 1000.0]
}

/// The outcome of a call in this situation; the others answer as `hard`.
fn called(table: &Table, standing: &Standing, seat: Seat) -> Option<Outcome> {
    let mut table = table.clone();
    let mut played = table.play(seat, &Action::Call { word: None })?;
    while played.round_ended.is_none() {
        let next = table.state.next_to_act()?;
        let view = table.state.view(Some(next));
        let action = decide(&table.sight(&view, next), Level::Hard, 1)?;
        played = table.play(next, &action)?;
    }
    Some(outcome(table.state.rules(), standing, &played.round_ended?.result?, &table.standing(), seat))
}

/// Adds the turns of a round, the last one first: each learns from its outcome and the value of the next one.
fn look_back(turns: Turns, outcome: Outcome, plays: &mut Vec<(Inputs, Outcome)>) {
    let mut target = outcome;
    for (inputs, value) in turns.into_iter().rev() {
        plays.push((inputs, target));
        if let Some(value) = value {
            target = std::array::from_fn(|which| {
                let (late, next) = (target.get(which), value.get(which));
                LAMBDA * late.copied().unwrap_or(0.0) + (1.0 - LAMBDA) * next.copied().unwrap_or(0.0)
            });
        }
    }
}
