//! Real matches, played with the engine alone, as the rows that the service would have stored.

use yaniv_engine::{Action, Draw, Match, Played, Preset, RecordResult, Rules, Seat, SeedChain, Shuffler};

use crate::Error;
use crate::player::Random;

/// How a match ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// By the rules.
    Natural,
    /// After this many rounds.
    Rounds(u8),
    /// A player resigns after this many actions.
    GivenUp(usize),
    /// Not at all: it is in play after this many actions.
    Live(usize),
}

/// A match as rows.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Whether it is in play.
    pub live: bool,
    /// The rule set, as JSON.
    pub rules: String,
    /// The position.
    pub state: Vec<u8>,
    /// Bit set of the seats that have to act.
    pub waiting_on: i16,
    /// The log.
    pub entries: Vec<Entry>,
    /// Finished rounds.
    pub rounds: Vec<Round>,
}

/// A row of the log.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// `a`, `j` or `s`.
    pub kind: &'static str,
    /// Round, 0 before play.
    pub round: i16,
    /// See the column.
    pub flags: i16,
    /// The acting seat; before play, the seat that joined, by number.
    pub seat: i16,
    /// Notation, or client seed.
    pub detail: String,
    /// Cards drawn.
    pub drew: Option<Vec<u8>>,
}

/// A row of the rounds.
#[derive(Clone, Debug)]
pub struct Round {
    /// From 1.
    pub round: i16,
    /// The seat that began.
    pub starter: i16,
    /// Version of the last action.
    pub last_version: i32,
    /// The result, as JSON.
    pub result: Option<String>,
}

/// Plays a match of two with the rules of the preset `yaniv`.
///
/// # Errors
/// If the engine refuses an action that it listed.
pub fn play(number: u64, end: End) -> Result<Sample, Error> {
    let mut options = Preset::Yaniv.options();
    if let End::Rounds(most) = end {
        options.max_rounds = Some(most);
    }
    let rules = Rules::new(options)?;
    let mut random = Random(number);
    let mut secret = [0; 32];
    secret
        .iter_mut()
        .for_each(|byte| *byte = random.next().to_le_bytes().first().copied().unwrap_or_default());
    let seeds = [String::new(), "blue".to_owned()];
    let shuffler = Shuffler::new(SeedChain::new(secret), &format!("growth-{number}"), &seeds);
    let mut game = Match::start(&rules, 2, &shuffler)?;
    let before =
        |kind, seat, detail: &str| Entry { kind, seat, detail: detail.to_owned(), ..Entry::default() };
    let mut sample = Sample {
        live: matches!(end, End::Live(_)),
        rules: serde_json::to_string(rules.options())?,
        state: Vec::new(),
        waiting_on: 0,
        entries: vec![before("j", 0, ""), before("j", 1, "blue"), before("s", 0, "")],
        rounds: Vec::new(),
    };
    for acted in 0_usize.. {
        let Some(seat) = game.next_to_act().filter(|_| !game.is_over()) else { break };
        let action = match end {
            End::Live(most) if acted >= most => break,
            End::GivenUp(most) if acted >= most => Action::Resign,
            _ => choose(&game, &rules, seat, &mut random).ok_or("nothing can be done")?,
        };
        let starter = game.starter();
        let played = game.play(seat, &action, &shuffler).map_err(|error| error.to_string())?;
        sample.push(seat, &action, starter, &played)?;
    }
    sample.state = game.to_bytes();
    sample.waiting_on = game.to_act().iter().fold(0, |bits, seat| bits | 1 << seat.number());
    Ok(sample)
}

impl Sample {
    fn push(&mut self, seat: Seat, action: &Action, starter: Seat, played: &Played) -> Result<(), Error> {
        let drew: Vec<u8> = played.drew.iter().map(|card| card.index()).collect();
        self.entries.push(Entry {
            kind: "a",
            round: i16::try_from(played.round)?,
            flags: i16::from(played.recycled)
                | i16::from(played.round_ended.is_some()) << 1
                | i16::from(played.match_ended.is_some()) << 2
                | i16::from(played.call.is_some()) << 8,
            seat: i16::from(seat.number()),
            detail: action.to_string(),
            drew: (!drew.is_empty()).then_some(drew),
        });
        if let Some(end) = &played.round_ended {
            let result = end.result.as_ref().map(RecordResult::from);
            self.rounds.push(Round {
                round: i16::try_from(end.round)?,
                starter: i16::from(starter.number()),
                last_version: i32::try_from(self.entries.len())?,
                result: result.map(|result| serde_json::to_string(&result)).transpose()?,
            });
        }
        Ok(())
    }
}

/// Calls when allowed; otherwise discards the heaviest cards and usually draws from the stock.
fn choose(game: &Match, rules: &Rules, seat: Seat, random: &mut Random) -> Option<Action> {
    let actions = game.legal_actions(seat);
    if let Some(call) = actions.iter().find(|action| matches!(action, Action::Call { .. })) {
        return Some(call.clone());
    }
    let weight = |action: &&Action| match action {
        Action::Play { cards, draw: Draw::Stock } => rules.points(cards) * 2 + 1,
        Action::Play { cards, .. } => rules.points(cards) * 2,
        _ => 0,
    };
    let heaviest = actions.iter().max_by_key(weight);
    let chosen = if random.below(10) < 8 { heaviest } else { random.pick(&actions) };
    chosen.cloned()
}
