//! Shared test support: a small generator, random rule sets, random actions. No assertions about the rules.

use yaniv_engine::{
    Action, AllOut, Bonus, Card, Cards, Direction, Draw, EliminationAt, End, Match, OutOfTurn, OverLimit,
    Pickup, Points, Reduction, Response, RuleOptions, Rules, Seat, SeedChain, Shuffler, SlamDown, TieStarter,
    WrongCallOthers,
};

/// A source of choices: numbers from a seed here, the bytes of an input in the fuzz targets.
pub(crate) trait Choose {
    /// A number below `n`, which is taken as 1 when it is 0.
    fn below(&mut self, n: usize) -> usize;

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// `SplitMix64`: the same numbers on every machine.
#[derive(Clone)]
pub(crate) struct Dice(pub(crate) u64);

impl Choose for Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        let n = u64::try_from(n.max(1)).expect("64 bits");
        usize::try_from(z % n).expect("below n")
    }
}

/// A rule set with any option at any value, and a number of players it allows.
pub(crate) fn random_rules(dice: &mut impl Choose) -> (Rules, u8) {
    loop {
        let options = random_options(dice);
        let players = u8::try_from(2 + dice.below(7)).expect("small");
        let rules = Rules::new(options).expect("within the bounds");
        if rules.check_players(players).is_ok() {
            return (rules, players);
        }
    }
}

fn random_options(dice: &mut impl Choose) -> RuleOptions {
    let mut points = || u8::try_from(dice.below(21)).expect("small");
    let points = if points() > 14 {
        Points { ace: points(), jack: points(), queen: points(), king: points(), joker: points() }
    } else {
        RuleOptions::default().points
    };
    let mut reductions: Vec<Reduction> = (1..=dice.below(5))
        .map(|i| Reduction {
            at: u16::try_from(i * 25).expect("small"),
            to: u16::try_from(i * 12).expect("small"),
        })
        .collect();
    if dice.one_in(3) {
        reductions.insert(0, Reduction { at: 0, to: 7 });
    }
    let words: Vec<String> = ["yaniv", "yan", "jhyap"].iter().map(|word| (*word).to_owned()).collect();
    RuleOptions {
        decks: dice.pick(&[1, 1, 1, 2, 2, 3, 4]),
        second_deck_at: dice.pick(&[None, Some(2), Some(4), Some(5)]),
        suits: dice.pick(&[4, 4, 2]),
        jokers: dice.pick(&[2, 0, 1]),
        hand_size: dice.pick(&[5, 3, 4, 6, 7]),
        direction: dice.pick(Direction::ALL),
        points,
        one_eyed_jacks: dice.pick(&[None, Some(0), Some(20)]),
        ace_high: dice.one_in(2),
        jokers_in_runs: !dice.one_in(3),
        jokers_in_sets: dice.one_in(3),
        joker_pair: !dice.one_in(3),
        min_naturals: dice.pick(&[1, 2]),
        pickup: dice.pick(Pickup::ALL),
        call_limit: dice.pick(&[Some(5), Some(7), Some(13), Some(0), Some(200), None]),
        min_turns: dice.pick(&[0, 0, 1, 2]),
        call_words: words[..1 + dice.below(3)].to_vec(),
        word_penalty: dice.pick(&[0, 30]),
        over_limit: dice.pick(OverLimit::ALL),
        out_of_turn: dice.pick(OutOfTurn::ALL),
        response: dice.pick(Response::ALL),
        wrong_call_penalty: dice.pick(&[30, 0, 15, 100]),
        extra_penalty: dice.pick(&[0, 5]),
        wrong_call_others: dice.pick(WrongCallOthers::ALL),
        tie_is_wrong: dice.one_in(2),
        reductions,
        bonus: dice.pick(&[None, Some(Bonus { every: 1, points: 20 }), Some(Bonus { every: 3, points: 50 })]),
        elimination: dice.pick(&[200, 100, 30, 10]),
        elimination_at: dice.pick(EliminationAt::ALL),
        end: dice.pick(End::ALL),
        max_rounds: dice.pick(&[None, Some(1), Some(3), Some(20)]),
        all_out: dice.pick(AllOut::ALL),
        tie_starter: dice.pick(TieStarter::ALL),
        slam_down: dice.pick(SlamDown::ALL),
        card_requests: dice.one_in(2),
    }
}

pub(crate) fn shuffler(dice: &mut impl Choose, players: u8) -> Shuffler {
    let root = std::array::from_fn(|_| u8::try_from(dice.below(256)).expect("a byte"));
    let seeds: Vec<String> = (0..players).map(|seat| format!("seed-{seat}")).collect();
    Shuffler::new(SeedChain::new(root), "a-match", &seeds)
}

pub(crate) fn seats(state: &Match) -> Vec<Seat> {
    (0..state.players()).map(Seat::new).collect()
}

/// A random action that is legal, with its seat. `None` when the match is over.
pub(crate) fn random_legal(state: &Match, dice: &mut impl Choose) -> Option<(Seat, Action)> {
    if dice.one_in(8) {
        let seat = dice.pick(&seats(state));
        let legal = state.legal(seat);
        if legal.slam.is_some() {
            return Some((seat, Action::Slam { first: dice.one_in(2) }));
        }
        if !legal.ask.is_empty() {
            return Some((seat, Action::Ask(dice.pick(&legal.ask))));
        }
        if legal.resign && dice.one_in(400) {
            return Some((seat, Action::Resign));
        }
    }
    let to_act = state.to_act();
    if to_act.is_empty() {
        return None;
    }
    let seat = dice.pick(&to_act);
    let legal = state.legal(seat);
    if legal.call && dice.one_in(2) {
        let word = dice.pick(&state.rules().options().call_words);
        let word = dice.one_in(2).then(|| word.parse().expect("a word"));
        return Some((seat, Action::Call { word }));
    }
    Some((
        seat,
        if legal.challenge {
            dice.pick(&[Action::Challenge, Action::Expose])
        } else if legal.swap {
            dice.pick(&[Action::Swap, Action::Stay])
        } else if legal.give {
            dice.pick(&[Action::Give, Action::Keep])
        } else if legal.pass {
            Action::Pass
        } else if legal.discards.is_empty() {
            Action::Call { word: None }
        } else {
            Action::Play { cards: dice.pick(&legal.discards), draw: dice.pick(&legal.draws) }
        },
    ))
}

/// Any action, legal or not: some of the seat's cards in some order with any draw, or something else.
pub(crate) fn random_action(state: &Match, seat: Seat, dice: &mut impl Choose) -> Action {
    let others = [
        Action::Call { word: None },
        Action::Call { word: Some("yan".parse().expect("a word")) },
        Action::Call { word: Some("nobody".parse().expect("a word")) },
        Action::Slam { first: false },
        Action::Slam { first: true },
        Action::Ask(any_card(dice)),
        Action::Give,
        Action::Keep,
        Action::Challenge,
        Action::Expose,
        Action::Swap,
        Action::Stay,
        Action::Pass,
    ];
    let view = state.view(Some(seat));
    let mut hand = view.hand.map(|hand| hand.cards).unwrap_or_default();
    if dice.one_in(3) || hand.is_empty() {
        return match view.pickable.first() {
            Some(card) if dice.one_in(4) => Action::Ask(*card),
            _ => dice.pick(&others),
        };
    }
    dice.shuffle(&mut hand);
    // Cards that may go together are likelier to be thrown together.
    if dice.one_in(2) {
        let first = hand[0];
        hand.retain(|card| card.is_joker() || card.rank() == first.rank() || card.suit() == first.suit());
    }
    let mut cards: Vec<Card> = hand.iter().copied().take(1 + dice.below(4)).collect();
    if dice.one_in(3) {
        cards.sort_unstable();
    }
    if dice.one_in(10) {
        cards.push(any_card(dice));
    }
    let draw = match dice.below(8) {
        0 => Draw::Pile(any_card(dice)),
        1 => Draw::Nothing,
        2 | 3 if !view.pile.is_empty() => Draw::Pile(dice.pick(&view.pile)),
        _ => Draw::Stock,
    };
    Action::Play { cards: Cards::from(cards), draw }
}

fn any_card(dice: &mut impl Choose) -> Card {
    Card::from_index(u8::try_from(dice.below(54)).expect("a card")).expect("below")
}
