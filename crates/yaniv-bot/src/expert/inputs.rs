//! The numbering of the inputs of the networks, which are binary features. A block has one input for each value of a
//! quantity.

/// A list of inputs that are on.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    list: Vec<u16>,
}

/// Consecutive inputs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Block {
    first: u16,
    size: u16,
}

impl Inputs {
    /// The inputs.
    pub fn as_slice(&self) -> &[u16] {
        &self.list
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    /// Turns on the input of a value; the last one stands for all higher values.
    pub(crate) fn set(&mut self, block: Block, value: usize) {
        let place = u16::try_from(value).unwrap_or(u16::MAX).min(block.size - 1);
        self.list.push(block.first + place);
    }

    /// Turns on the first `count` inputs.
    pub(crate) fn count(&mut self, block: Block, count: usize) {
        let count = u16::try_from(count).unwrap_or(u16::MAX).min(block.size);
        self.list.extend(block.first..block.first + count);
    }
}

impl Block {
    /// The numbers of its inputs.
    pub(crate) fn numbers(self) -> std::ops::Range<usize> {
        usize::from(self.first)..usize::from(self.first + self.size)
    }
}

/// The blocks of another player.
pub(crate) struct OtherBlocks {
    /// Cards in the hand and turns taken, together.
    pub(crate) cards_turns: Block,
    /// Points of the cards that the player is known to hold, and that there are any.
    pub(crate) known_points: Block,
    /// Number of cards that are hidden.
    pub(crate) hidden: Block,
    /// Points of the last discard, and of the one before.
    pub(crate) thrown: [Block; 2],
    /// What was drawn last.
    pub(crate) drew: Block,
    /// Points of the lightest card that was left on the pile for one of the stock, at the last turn and the one before.
    pub(crate) refused: [Block; 2],
    /// Chance that the hand is within the limit of a call.
    pub(crate) can_call: Block,
}

impl OtherBlocks {
    const fn after(before: Block) -> OtherBlocks {
        let cards_turns = after(before, 49);
        let known_points = after(cards_turns, 16);
        let hidden = after(known_points, 7);
        let thrown = [after(hidden, 8), after(after(hidden, 8), 8)];
        let drew = after(thrown[1], 10);
        let refused = [after(drew, 9), after(after(drew, 9), 9)];
        let can_call = after(refused[1], CHANCES);
        OtherBlocks { cards_turns, known_points, hidden, thrown, drew, refused, can_call }
    }
}

const fn after(before: Block, size: u16) -> Block {
    Block { first: before.first + before.size, size }
}

const fn inputs_to(last: Block) -> usize {
    // Lossless; `usize::from` is not const.
    #[expect(clippy::as_conversions, reason = "u16 to usize loses nothing")]
    let inputs = (last.first + last.size) as usize;
    inputs
}

/// Levels of a chance.
const CHANCES: u16 = 16;

// Both networks: the others and what is unseen.

/// The next player.
pub(crate) const NEXT: OtherBlocks = OtherBlocks::after(Block { first: 0, size: 0 });
/// The one of the others who seems closest to a call, where there is more than one: cards and turns, known points, hidden
/// cards, chance to be within the limit.
pub(crate) const CLOSEST_CARDS_TURNS: Block = after(NEXT.can_call, 49);
pub(crate) const CLOSEST_KNOWN_POINTS: Block = after(CLOSEST_CARDS_TURNS, 16);
pub(crate) const CLOSEST_HIDDEN: Block = after(CLOSEST_KNOWN_POINTS, 7);
pub(crate) const CLOSEST_CAN_CALL: Block = after(CLOSEST_HIDDEN, CHANCES);
/// Number of other players.
pub(crate) const OTHERS: Block = after(CLOSEST_CAN_CALL, 5);
/// Number of unseen cards of at most three points.
pub(crate) const UNSEEN_LOW: Block = after(OTHERS, 12);
/// Number of unseen jokers.
pub(crate) const UNSEEN_JOKERS: Block = after(UNSEEN_LOW, 4);
/// Cards of the stock, in fives.
pub(crate) const STOCK: Block = after(UNSEEN_JOKERS, 7);
/// Own turns.
pub(crate) const OWN_TURNS: Block = after(STOCK, 10);
/// Chance that any other hand is within the limit of a call.
pub(crate) const ANY_CAN_CALL: Block = after(OWN_TURNS, CHANCES);
/// Points that the own total and that of the next player need to be reduced: 0 if that is far or never. For the next
/// player, 13 stands for 13 to 25.
pub(crate) const NEEDS: [Block; 2] = [after(ANY_CAN_CALL, 26), after(after(ANY_CAN_CALL, 26), 14)];
/// Points that the own total and that of the next player may grow without going out, by `room_level`.
pub(crate) const ROOMS: [Block; 2] = [after(NEEDS[1], 12), after(after(NEEDS[1], 12), 12)];

/// The round decides the match.
pub(crate) const DECIDES: Block = after(ROOMS[1], 1);

// The network of plays: the own hand after the turn, and what it leaves to the next player.

/// For each rank: whether there is one card, two, three.
#[expect(clippy::indexing_slicing, reason = "ranks are below 13, and the compiler checks it")]
pub(crate) const RANKS: [Block; 13] = {
    let mut blocks = [after(DECIDES, 3); 13];
    let mut rank = 1;
    while rank < 13 {
        blocks[rank] = after(blocks[rank - 1], 3);
        rank += 1;
    }
    blocks
};
/// Number of jokers.
pub(crate) const JOKERS: Block = after(RANKS[12], 2);
/// Number of cards.
pub(crate) const CARDS: Block = after(JOKERS, 9);
/// Points, by `points_level`.
pub(crate) const POINTS: Block = after(CARDS, 31);
/// Points after the heaviest next discard.
pub(crate) const POINTS_LEFT: Block = after(POINTS, 31);
/// Points after the two heaviest next discards.
pub(crate) const POINTS_LEFT_LATER: Block = after(POINTS_LEFT, 19);
/// Cards after the heaviest next discard.
pub(crate) const CARDS_LEFT: Block = after(POINTS_LEFT_LATER, 7);
/// Pairs of cards of one suit that are neighbours, and that have one rank between them.
pub(crate) const NEIGHBOURS: [Block; 2] = [after(CARDS_LEFT, 4), after(after(CARDS_LEFT, 4), 4)];
/// Points of the lightest card.
pub(crate) const LIGHTEST: Block = after(NEIGHBOURS[1], 12);
/// Unseen cards that make a set with one of the hand, and those of at least seven points.
pub(crate) const SET_OUTS: [Block; 2] = [after(LIGHTEST, 13), after(after(LIGHTEST, 13), 9)];
/// Unseen cards that make a run with two of the hand.
pub(crate) const RUN_OUTS: Block = after(SET_OUTS[1], 5);
/// Points after the heaviest next discard, by `few_points_level`, together with the cards of the next player.
pub(crate) const LEFT_AND_NEXT: Block = after(RUN_OUTS, 30);
/// Points of the own cards that others know, and that there are any.
pub(crate) const SHOWN_POINTS: Block = after(LEFT_AND_NEXT, 16);
/// Number of own cards that others know.
pub(crate) const SHOWN: Block = after(SHOWN_POINTS, 6);
/// Whether the card was drawn from the stock, the pile or not at all.
pub(crate) const SOURCE: Block = after(SHOWN, 3);
/// For each rank and the joker: whether the next player can pick one up.
pub(crate) const OFFERED: Block = after(SOURCE, 14);
/// Points of the lightest card that the next player can pick up.
pub(crate) const OFFERED_POINTS: Block = after(OFFERED, 15);
/// Number of cards thrown.
pub(crate) const THROWN: Block = after(OFFERED_POINTS, 6);
/// An offered card fits a card that the next player is known to hold: in rank, in a run.
pub(crate) const OFFERED_FITS: Block = after(THROWN, 2);
/// Unseen cards of the rank of the lightest offered card.
pub(crate) const OFFERED_UNSEEN: Block = after(OFFERED_FITS, 6);
/// Points of the hand, and after the heaviest next discard, beyond those that the own total needs to be reduced, by
/// `beyond_level`.
pub(crate) const BEYOND_NEED: [Block; 2] = [after(OFFERED_UNSEEN, 26), after(after(OFFERED_UNSEEN, 26), 26)];
/// Points of the hand beyond those that the own total may grow, by `beyond_room_level`.
pub(crate) const BEYOND_ROOM: Block = after(BEYOND_NEED[1], 12);
/// Number of inputs of the network of plays.
pub const PLAY_INPUTS: usize = inputs_to(BEYOND_ROOM);

// The network of calls: the own hand before the turn.

/// Own points at the call.
pub(crate) const CALL_POINTS: Block = after(DECIDES, 14);
/// Own cards at the call.
pub(crate) const CALL_CARDS: Block = after(CALL_POINTS, 7);
/// Chance that the hand of the next player, of the closest, of any other defeats the call.
pub(crate) const BEATEN: [Block; 3] = [
    after(CALL_CARDS, CHANCES),
    after(after(CALL_CARDS, CHANCES), CHANCES),
    after(after(after(CALL_CARDS, CHANCES), CHANCES), CHANCES),
];
/// Points after the heaviest discard, if the seat played on.
pub(crate) const CALL_LEFT: Block = after(BEATEN[2], 9);
/// Points of a failed call beyond those that the own total may grow, by `beyond_room_level`.
pub(crate) const FAILED_BEYOND_ROOM: Block = after(CALL_LEFT, 12);
/// Number of inputs of the network of calls.
pub const CALL_INPUTS: usize = inputs_to(FAILED_BEYOND_ROOM);

/// The level of points of a hand: exact up to 24, then coarser.
pub(crate) fn points_level(points: u16) -> usize {
    match points {
        0..=24 => usize::from(points),
        25..=27 => 25,
        28..=31 => 26,
        32..=36 => 27,
        37..=42 => 28,
        43..=50 => 29,
        _ => 30,
    }
}

/// Twelve levels of the points that a total may grow.
pub(crate) fn room_level(room: i32) -> usize {
    const FROM: [i32; 11] = [3, 6, 9, 13, 19, 26, 31, 34, 38, 46, 61];
    FROM.partition_point(|from| *from <= room)
}

/// The level of `beyond_level` if no points are needed.
pub(crate) const NO_NEED: usize = 25;

/// The level of points beyond those that are needed: 0 to 24 for -12 to 12.
pub(crate) fn beyond_level(points: u16, need: Option<u16>) -> usize {
    need.map_or(NO_NEED, |need| usize::from((points + 12).saturating_sub(need).min(24)))
}

/// Twelve levels of points beyond the room for them: 0 far below, 6 exactly as many as fit.
pub(crate) fn beyond_room_level(points: u16, room: i32) -> usize {
    const FROM: [i32; 11] = [-15, -10, -6, -3, -1, 0, 1, 2, 4, 7, 11];
    let beyond = i32::from(points) - room;
    FROM.partition_point(|from| *from <= beyond)
}

/// Six levels of points left.
pub(crate) fn few_points_level(points: u16) -> usize {
    match points {
        0..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        9..=12 => 3,
        13..=18 => 4,
        _ => 5,
    }
}

/// The level of points left later: exact up to 15, then coarser.
pub(crate) fn later_level(points: u16) -> usize {
    match points {
        0..=15 => usize::from(points),
        16..=20 => 16,
        21..=28 => 17,
        _ => 18,
    }
}

/// The level of the points of known cards: 0 without a card.
pub(crate) fn known_level(cards: usize, points: u16) -> usize {
    match (cards, points) {
        (0, _) => 0,
        (_, 0..=11) => usize::from(points) + 1,
        (_, 12..=15) => 13,
        (_, 16..=20) => 14,
        _ => 15,
    }
}

/// The level of the points of a discard: 0 without one.
pub(crate) fn thrown_level(points: Option<u16>) -> usize {
    match points {
        None => 0,
        Some(0..=3) => 1,
        Some(4..=6) => 2,
        Some(7..=8) => 3,
        Some(9..=10) => 4,
        Some(11..=14) => 5,
        Some(15..=20) => 6,
        Some(_) => 7,
    }
}

/// The level of the points of a card that was drawn or left on the pile: 0 to 7.
pub(crate) fn card_level(points: u8) -> usize {
    match points {
        0..=4 => usize::from(points),
        5..=6 => 5,
        7..=8 => 6,
        _ => 7,
    }
}

/// The level of a chance in thousandths.
pub(crate) fn chance_level(thousandths: u32) -> usize {
    const FROM: [u32; 15] = [1, 3, 6, 12, 25, 50, 90, 140, 200, 275, 360, 460, 580, 720, 870];
    FROM.partition_point(|from| *from <= thousandths)
}
