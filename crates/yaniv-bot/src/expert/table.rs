//! The inputs that are the same for all plays of a decision: the other players, and what is unseen.

use yaniv_engine::{PublicSeat, Response};

use crate::expert::chance::Pool;
use crate::expert::hand::{Hand, Values};
use crate::expert::inputs::{
    ANY_CAN_CALL, BEATEN, Block, CALL_CARDS, CALL_LEFT, CALL_POINTS, CLOSEST_CAN_CALL, CLOSEST_CARDS_TURNS,
    CLOSEST_HIDDEN, CLOSEST_KNOWN_POINTS, DECIDES, FAILED_BEYOND_ROOM, Inputs, NEEDS, NEXT, OTHERS,
    OWN_TURNS, OtherBlocks, ROOMS, STOCK, UNSEEN_JOKERS, UNSEEN_LOW, beyond_room_level, card_level,
    chance_level, known_level, room_level, thrown_level,
};
use crate::expert::totals::Total;
use crate::expert::trail::{Trail, trails};
use crate::sight::Sight;
use crate::unseen::Unseen;

/// Cards of at most this number of points are light.
const LIGHT: usize = 3;

/// What a decision knows beside the own hand.
pub(crate) struct Table<'a> {
    sight: &'a Sight<'a>,
    unseen: &'a Unseen,
    pool: Pool,
    trails: Vec<Trail>,
    next: Option<&'a PublicSeat>,
    /// Of the others, without the next one: the one with the fewest cards, then the most turns.
    closest: Option<&'a PublicSeat>,
}

impl<'a> Table<'a> {
    pub(crate) fn of(sight: &'a Sight<'a>, unseen: &'a Unseen) -> Table<'a> {
        let next = sight.next().filter(|next| next.seat != sight.seat);
        let rest = sight.others().filter(|other| next.is_none_or(|next| next.seat != other.seat));
        Table {
            sight,
            unseen,
            pool: Pool::of(unseen, sight.rules),
            trails: trails(sight.rules, sight.events(), sight.view.seats.len()),
            next,
            closest: rest.min_by_key(|other| (other.cards, u16::MAX - other.turns)),
        }
    }

    /// The inputs of both networks.
    pub(crate) fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        if let Some(next) = self.next {
            let blocks = [NEXT.cards_turns, NEXT.known_points, NEXT.hidden, NEXT.can_call];
            self.other(&mut inputs, blocks, next);
            self.last_turns(&mut inputs, &NEXT, next);
        }
        if let Some(closest) = self.closest {
            let blocks = [CLOSEST_CARDS_TURNS, CLOSEST_KNOWN_POINTS, CLOSEST_HIDDEN, CLOSEST_CAN_CALL];
            self.other(&mut inputs, blocks, closest);
        }
        inputs.count(OTHERS, self.sight.others().count());
        inputs.count(UNSEEN_LOW, self.pool.up_to(LIGHT));
        let jokers = self.unseen.kinds().filter(|(card, _)| card.is_joker()).map(|(_, count)| count);
        inputs.set(UNSEEN_JOKERS, jokers.map(usize::from).sum());
        inputs.set(STOCK, usize::from(self.sight.view.stock / 5));
        inputs.set(OWN_TURNS, usize::from(self.sight.turns()));
        let limit = self.sight.rules.options().call_limit;
        inputs.set(ANY_CAN_CALL, chance_level(self.any(limit)));
        let totals = [Some(self.sight.total()), self.next.map(|next| next.total)];
        for ((needs, rooms), total) in NEEDS.into_iter().zip(ROOMS).zip(totals) {
            let total = Total::of(self.sight, total.unwrap_or(0));
            inputs.set(needs, total.need.map_or(0, usize::from));
            inputs.set(rooms, room_level(total.room));
        }
        inputs.count(DECIDES, usize::from(self.sight.decides_match()));
        inputs
    }

    /// The inputs of the network of calls.
    pub(crate) fn call_inputs(&self, values: &Values) -> Inputs {
        let mut inputs = self.inputs();
        let points = self.sight.points();
        inputs.set(CALL_POINTS, usize::from(points));
        inputs.set(CALL_CARDS, self.sight.hand().len());
        let options = self.sight.rules.options();
        let ties = options.tie_is_wrong && options.response != Response::Challenge;
        let defeats = if ties { Some(points) } else { points.checked_sub(1) };
        let of = |other: Option<&PublicSeat>| other.map_or(0, |other| self.at_most(other, defeats));
        for (block, chance) in BEATEN.into_iter().zip([of(self.next), of(self.closest), self.any(defeats)]) {
            inputs.set(block, chance_level(chance));
        }
        let left = Hand::of(self.sight.rules, self.sight.hand()).after_heaviest(values);
        inputs.set(CALL_LEFT, usize::from(left.points));
        let room = Total::of(self.sight, self.sight.total()).room;
        inputs
            .set(FAILED_BEYOND_ROOM, beyond_room_level(points + u16::from(options.wrong_call_penalty), room));
        inputs
    }

    /// What another player holds, as far as it is known.
    fn other(&self, inputs: &mut Inputs, blocks: [Block; 4], other: &PublicSeat) {
        let [cards_turns, known_points, hidden, can_call] = blocks;
        let turns = match other.turns {
            0..=3 => other.turns,
            4..=5 => 4,
            6..=8 => 5,
            _ => 6,
        };
        let cards = other.cards.clamp(1, 7) - 1;
        inputs.set(cards_turns, usize::from(cards * 7 + turns));
        let known = self.unseen.known(other.seat);
        inputs.set(known_points, known_level(known.len(), self.sight.rules.points(known)));
        inputs.set(hidden, usize::from(other.cards).saturating_sub(known.len()));
        let limit = self.sight.rules.options().call_limit;
        inputs.set(can_call, chance_level(self.at_most(other, limit)));
    }

    /// What another player threw, drew and refused.
    fn last_turns(&self, inputs: &mut Inputs, blocks: &OtherBlocks, other: &PublicSeat) {
        if let Some(trail) = self.trails.get(other.seat.index()) {
            for (block, points) in blocks.thrown.into_iter().zip(trail.thrown) {
                inputs.set(block, thrown_level(points));
            }
            let points = |card| card_level(self.sight.rules.card_points(card));
            inputs.set(
                blocks.drew,
                trail.drew.map_or(0, |drew| drew.map_or(1, |card| (points(card) + 2).min(9))),
            );
            for (block, refused) in blocks.refused.into_iter().zip(trail.refused) {
                inputs.set(block, refused.map_or(0, |points| card_level(points) + 1));
            }
        }
    }

    /// The chance in thousandths that a player holds at most this number of points.
    fn at_most(&self, other: &PublicSeat, points: Option<u16>) -> u32 {
        let known = self.unseen.known(other.seat);
        let hidden = usize::from(other.cards).saturating_sub(known.len());
        let rest = points.and_then(|points| points.checked_sub(self.sight.rules.points(known)));
        self.pool.chance(hidden, rest)
    }

    /// The chance in thousandths that any other player holds at most this number of points.
    fn any(&self, points: Option<u16>) -> u32 {
        let none = self.sight.others().map(|other| 1000 - self.at_most(other, points));
        1000 - none.fold(1000, |all, one| all * one / 1000)
    }
}
