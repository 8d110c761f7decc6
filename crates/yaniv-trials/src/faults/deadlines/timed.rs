//! Matches with a time limit for each turn, played by two accounts.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::Error;
use crate::faults::clients::client::Client;
use crate::faults::clients::group::PASSWORD;
use crate::faults::clients::op::{End, Op};
use crate::faults::setup::moved_clock::SECOND;
use crate::player::{Random, View, Wish, choose};

/// Up to this long after the deadline is in time, in microseconds.
pub const GRACE: i64 = 2 * SECOND;
/// The version at which a match of two begins: two joined, and it was started.
pub const OPENED_AT: usize = 3;
/// How many matches are opened concurrently.
const AT_ONCE: usize = 8;

/// A match, and the connections of its two players.
pub struct Timed {
    /// The match.
    pub id: String,
    /// The players, by seat.
    pub players: [Client; 2],
    /// Source of random choices.
    pub random: Random,
}

/// The turn: seat, deadline, and what that player would play.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Version to act on.
    pub version: i32,
    /// The seat to act.
    pub seat: usize,
    /// The deadline, from the API, in microseconds.
    pub deadline: i64,
    /// What to play.
    pub wish: Wish,
}

/// The accounts that play all matches of a trial.
///
/// # Errors
/// If they cannot be registered.
pub async fn accounts(addresses: &[SocketAddr]) -> Result<[Client; 2], Error> {
    let one = Client::register(addresses, "timed_one", PASSWORD).await?;
    Ok([one, Client::register(addresses, "timed_two", PASSWORD).await?])
}

/// Opens this many matches with this many seconds for each turn.
///
/// # Errors
/// If that is not possible for a long time.
pub async fn open_all(players: &[Client; 2], count: usize, seconds: u32) -> Result<Vec<Timed>, Error> {
    let mut tasks = Vec::new();
    for part in 0..AT_ONCE.min(count) {
        let [one, two] = players;
        let mut openers = [one.twin(), two.twin()];
        let own = (part..count).step_by(AT_ONCE);
        tasks.push(tokio::spawn(async move {
            let mut opened = Vec::new();
            for number in own {
                let id = open(&mut openers, seconds).await?;
                let random = Random(u64::try_from(number)?.wrapping_mul(0x9e37_79b9));
                let [one, two] = &openers;
                opened.push(Timed { id, players: [one.twin(), two.twin()], random });
            }
            Ok::<_, Error>(opened)
        }));
    }
    let mut opened = Vec::new();
    for task in tasks {
        opened.extend(task.await??);
    }
    Ok(opened)
}

async fn open(players: &mut [Client; 2], seconds: u32) -> Result<String, Error> {
    let time_control = json!({"clock": "turn", "turn_seconds": seconds, "then": "safe_turns"});
    let [one, two] = players;
    let created =
        write(one, "/v1/matches".to_owned(), &json!({"size": 2, "time_control": time_control})).await?;
    let view = View::read(&created)?;
    let seat = json!({"client_seed": "two"});
    write(two, format!("/v1/join-codes/{}/seats", view.join_code), &seat).await?;
    write(one, format!("/v1/matches/{}/start", view.match_id), &json!({})).await?;
    Ok(view.match_id.to_owned())
}

async fn write(player: &mut Client, path: String, body: &Value) -> Result<Vec<u8>, Error> {
    let mut op = Op::new("", 0, &player.account, path, body, ("", String::new()));
    player.settle(&mut op).await?;
    match op.end {
        End::Ok { answer, .. } => Ok(answer.body.to_vec()),
        end => Err(format!("POST {} ends {end:?}", op.path).into()),
    }
}

impl Timed {
    /// The same match, with other connections of its players.
    #[must_use]
    pub fn of_others(&self, one: &Client, two: &Client) -> Self {
        let players = [one.twin(), two.twin()];
        Self { id: self.id.clone(), players, random: self.random.clone() }
    }

    /// The turn, once the match is past a version; none if that does not happen in time.
    ///
    /// # Errors
    /// If the match cannot be read, or no seat can play.
    pub async fn turn(&mut self, past: i32, patience: Duration) -> Result<Option<Turn>, Error> {
        let (begun, mut reader) = (Instant::now(), 0);
        let path = format!("/v1/matches/{}", self.id);
        loop {
            let answer = self.player(reader)?.read(&path).await?;
            let said: Value = serde_json::from_slice(&answer.body)?;
            let view = View::read(&answer.body)?;
            let seat = view.table.as_ref().and_then(|table| table.to_act.first().copied());
            let seat = seat.ok_or_else(|| format!("{} waits for no seat: {}", self.id, view.status))?;
            match view.version > past {
                true if seat == reader => return self.of(&said, view, seat).map(Some),
                true => reader = seat,
                false if begun.elapsed() > patience => return Ok(None),
                false => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    fn of(&mut self, said: &Value, mut view: View<'_>, seat: usize) -> Result<Turn, Error> {
        if let Some(legal) = &mut view.legal {
            // A call ends the round, and eventually the match.
            legal.call = false;
        }
        let version = view.version;
        let wish = choose(&view, &mut self.random).ok_or_else(|| format!("{}: nothing to play", self.id))?;
        let deadline = time_at(said, &format!("/seats/{seat}/deadline"));
        let deadline = deadline.ok_or_else(|| format!("{} waits without a deadline", self.id))?;
        Ok(Turn { version, seat, deadline, wish })
    }

    /// The player at a seat.
    ///
    /// # Errors
    /// If there is none.
    pub fn player(&mut self, seat: usize) -> Result<&mut Client, Error> {
        self.players.get_mut(seat).ok_or_else(|| "there is no such seat".into())
    }

    /// The action of a turn.
    #[must_use]
    pub fn op(&self, turn: &Turn) -> Op {
        let account = self.players.get(turn.seat).map(|player| player.account.as_str()).unwrap_or_default();
        Op::action(&self.id, turn.seat, account, &turn.wish)
    }
}

/// A time in an answer, in microseconds.
#[must_use]
pub fn time_at(answer: &Value, pointer: &str) -> Option<i64> {
    let time: DateTime<Utc> = answer.pointer(pointer)?.as_str()?.parse().ok()?;
    Some(time.timestamp_micros())
}
