//! One match, played by its number: in the same plan, the same number gives the same match.

use chrono::{DateTime, TimeDelta, Utc};
use yaniv_app::lifecycle::synthetic_match::{WholeMatch, WholeRows};
use yaniv_app::lobby::create::NewMatch;
use yaniv_bot::Level;
use yaniv_engine::{Action, Draw, Match, Preset, Rules, Seat};
use yaniv_match::time_control::TimeControl;
use yaniv_model::ids::{AccountId, MatchId};

use super::people::{People, account, identifier};
use crate::Error;
use crate::player::Random;

/// Percentages of how matches end.
const NATURAL: usize = 2;
const GIVEN_UP: usize = 60;
const RUNNING: usize = 1;
const WAITING: usize = 1;
const CANCELLED: usize = 1;
/// Bound on the actions of a match that would not end.
const MOST_ACTIONS: usize = 4000;

/// What all matches of a database share.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of matches.
    pub matches: u64,
    /// When the first match was created.
    pub begins: DateTime<Utc>,
    /// When the last match was created.
    pub ends: DateTime<Utc>,
    /// Every match is played to its end by the rules, and its entries have idempotency keys.
    pub played_out: bool,
}

/// How a match ends.
#[derive(Clone, Copy)]
enum Fate {
    /// By the rules of its preset.
    Natural,
    /// All players but one resign after this many rounds.
    GivenUp(u16),
    /// After this many rounds.
    Short(u8),
    /// Not at all: it waits for a player after this many actions.
    Running(usize),
    /// It waits for players to join.
    Waiting,
    /// All players have left.
    Cancelled,
}

impl Plan {
    /// The accounts.
    #[must_use]
    pub fn people(&self) -> People {
        People::of(self.matches)
    }

    /// When a match was created.
    #[must_use]
    pub fn created(&self, number: u64) -> DateTime<Utc> {
        let span = u128::try_from((self.ends - self.begins).num_milliseconds()).unwrap_or_default();
        let passed = span * u128::from(number) / u128::from(self.matches.max(1));
        self.begins + TimeDelta::milliseconds(i64::try_from(passed).unwrap_or_default())
    }

    /// Plays a match.
    ///
    /// # Errors
    /// If the engine refuses an action that it listed.
    pub fn play(&self, number: u64) -> Result<WholeRows, Error> {
        self.play_with(number, self.created(number), None)
    }

    /// The same at another time, optionally with an account that must be in it; the match then ends.
    ///
    /// # Errors
    /// As above.
    pub fn play_with(
        &self,
        number: u64,
        created: DateTime<Utc>,
        with: Option<AccountId>,
    ) -> Result<WholeRows, Error> {
        let mut random = random_of(number);
        let fate = match with {
            Some(_) => Fate::GivenUp(1),
            None if self.played_out => Fate::Natural,
            None => fate(&mut random),
        };
        let mut rows = self.play_to(fate, (number, created), with, random)?;
        if self.played_out {
            give_keys(&mut rows, number);
        }
        Ok(rows)
    }

    fn play_to(
        &self,
        fate: Fate,
        (number, created): (u64, DateTime<Utc>),
        with: Option<AccountId>,
        mut random: Random,
    ) -> Result<WholeRows, Error> {
        let (new, size) = new_match(fate, &mut random)?;
        let id = MatchId(identifier(u64::try_from(created.timestamp_millis())?, number));
        let mut secret = [0; 32];
        secret.iter_mut().for_each(|byte| *byte = random.next().to_le_bytes()[0]);
        let mut at = DateTime::from_timestamp_millis(created.timestamp_millis()).unwrap_or(created);
        let mut played = WholeMatch::new(&new, (id, code(number), secret), at)?;
        let bots = is_over(fate) && with.is_none() && !new.rated;
        let joining = self.joining(fate, (size, bots), with, &mut random);
        for (account, level) in &joining {
            played.join(*account, *level, seed(&mut random), at)?;
            at += TimeDelta::milliseconds(milliseconds(&mut random, 3600));
        }
        let Some((host, _)) = joining.first().copied() else { return Ok(played.rows()?) };
        match fate {
            Fate::Waiting => return Ok(played.rows()?),
            Fate::Cancelled => played.leave(host, at)?,
            _ => {
                played.start(host, at)?;
                act(&mut played, fate, &new.rules, &mut at, &mut random)?;
            }
        }
        Ok(played.rows()?)
    }

    fn joining(
        &self,
        fate: Fate,
        (size, bots): (usize, bool),
        with: Option<AccountId>,
        random: &mut Random,
    ) -> Vec<(AccountId, Option<Level>)> {
        let people = self.people();
        let drawn = match fate {
            Fate::Waiting | Fate::Cancelled => people.drawn(1, random),
            _ => people.drawn(size, random),
        };
        let mut joining: Vec<_> = drawn.into_iter().map(|number| (account(number), None)).collect();
        if let Some(last) = joining.last_mut()
            && bots
            && random.below(100) < 12
            && let Some(level) = random.pick(&Level::ALL)
        {
            *last = (account(people.bot(*level)), Some(*level));
        }
        if let Some(with) = with
            && !joining.iter().any(|(account, _)| *account == with)
            && let Some(first) = joining.first_mut()
        {
            *first = (with, None);
        }
        joining
    }
}

fn random_of(number: u64) -> Random {
    Random(number.wrapping_mul(0x9e37_79b9).wrapping_add(17))
}

/// Whether it ends by being played.
fn is_over(fate: Fate) -> bool {
    !matches!(fate, Fate::Running(_) | Fate::Waiting | Fate::Cancelled)
}

fn fate(random: &mut Random) -> Fate {
    let rounds = random.below(3);
    let mut chance = random.below(100);
    let mut is = |share: usize| {
        let hit = chance < share;
        chance = chance.wrapping_sub(share);
        hit
    };
    match () {
        () if is(NATURAL) => Fate::Natural,
        () if is(GIVEN_UP) => Fate::GivenUp(if rounds == 0 { 2 } else { 1 }),
        () if is(RUNNING) => Fate::Running(5 + rounds * 10),
        () if is(WAITING) => Fate::Waiting,
        () if is(CANCELLED) => Fate::Cancelled,
        () => Fate::Short(u8::try_from(rounds).unwrap_or_default() + 1),
    }
}

fn new_match(fate: Fate, random: &mut Random) -> Result<(NewMatch, usize), Error> {
    let others = [Preset::YanivWikipedia, Preset::Jhyap, Preset::Dhumbal, Preset::Kluft, Preset::Speedy];
    let preset =
        if random.below(2) == 0 { Preset::Yaniv } else { *random.pick(&others).unwrap_or(&Preset::Yaniv) };
    let mut options = preset.options();
    let mut name = Some(preset.as_str().to_owned());
    if let Fate::Short(rounds) = fate {
        options.max_rounds = Some(rounds);
        name = None;
    }
    let size = match random.below(100) {
        0..70 => 2,
        70..85 => 3,
        85..95 => 4,
        // The half pack is for at most four.
        _ if preset == Preset::Speedy => 4,
        _ => 5 + random.below(2),
    };
    let new = NewMatch {
        rules: Rules::new(options)?,
        preset: name,
        size: i16::try_from(size)?,
        random_seats: random.below(5) == 0,
        public: random.below(10) < 3,
        code_time: None,
        // Running matches have no deadline: nothing automatic happens in them.
        time_control: if matches!(fate, Fate::Running(_)) {
            TimeControl::unlimited()
        } else {
            TimeControl::default()
        },
        sandbox: false,
        // Only with the rules of a preset, and between people.
        rated: is_over(fate) && !matches!(fate, Fate::Short(_)) && random.below(10) < 3,
        secret: None,
    };
    Ok((new, size))
}

fn act(
    played: &mut WholeMatch,
    fate: Fate,
    rules: &Rules,
    at: &mut DateTime<Utc>,
    random: &mut Random,
) -> Result<(), Error> {
    for acted in 0_usize.. {
        let Some(game) = played.game().filter(|game| !game.is_over()) else { break };
        let Some(seat) = game.next_to_act() else { break };
        let action = match fate {
            Fate::Running(most) if acted >= most => break,
            Fate::GivenUp(rounds) if game.round() > rounds => Action::Resign,
            _ if acted > MOST_ACTIONS => Action::Resign,
            _ => choose(game, rules, seat, random).ok_or("nothing can be done")?,
        };
        *at += TimeDelta::milliseconds(10_000 + milliseconds(random, 3 * 3600));
        played.play(seat, &action, *at)?;
    }
    Ok(())
}

/// Calls when allowed; otherwise discards the heaviest cards and usually draws from the stock.
fn choose(game: &Match, rules: &Rules, seat: Seat, random: &mut Random) -> Option<Action> {
    let legal = game.legal(seat);
    if legal.call {
        return Some(Action::Call { word: None });
    }
    if legal.challenge {
        return Some(if random.below(2) == 0 { Action::Challenge } else { Action::Expose });
    }
    if legal.pass {
        return Some(Action::Pass);
    }
    let heaviest = legal.discards.iter().max_by_key(|cards| rules.points(cards));
    let cards = if random.below(10) < 8 { heaviest } else { random.pick(&legal.discards) }?;
    let stock = legal.draws.iter().find(|draw| **draw == Draw::Stock);
    let draw = stock.filter(|_| random.below(10) < 7).or_else(|| random.pick(&legal.draws))?;
    Some(Action::Play { cards: cards.clone(), draw: *draw })
}

fn seed(random: &mut Random) -> &'static str {
    random.pick(&["", "", "", "blue", "my own seed"]).copied().unwrap_or_default()
}

/// Milliseconds of up to this many seconds.
fn milliseconds(random: &mut Random, most: usize) -> i64 {
    i64::try_from(random.below(1000 * most)).unwrap_or_default()
}

/// Gives the entries idempotency keys as phones would.
fn give_keys(rows: &mut WholeRows, number: u64) {
    let mut random = Random(number.wrapping_add(1));
    for entry in &mut rows.log {
        let [a, b, c, d, ..] = random.next().to_be_bytes();
        entry.key_hash = Some(i64::from_be_bytes(random.next().to_be_bytes()));
        entry.fingerprint = Some(i32::from_be_bytes([a, b, c, d]));
    }
}

/// The code of a match, unique for each number.
fn code(number: u64) -> String {
    const ALPHABET: &[u8] = b"23456789BCDFGHJKMNPQRSTVWXZ";
    let mut rest = u128::from(number) * 2_654_435_761 % 282_429_536_481;
    let letters = (0..8).map(|_| {
        let letter = usize::try_from(rest % 27).ok().and_then(|place| ALPHABET.get(place));
        rest /= 27;
        char::from(letter.copied().unwrap_or(b'2'))
    });
    letters.collect()
}
