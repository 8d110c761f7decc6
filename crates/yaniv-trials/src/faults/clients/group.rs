//! A group of players that plays one match after another.
//!
//! One of them acts at a time, as the rules require. Now and then a client also misbehaves: sends twice at once, acts
//! on an old version, or acts out of turn.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Error;
use crate::faults::clients::client::Client;
use crate::faults::clients::op::{End, Op, version};
use crate::faults::clients::resend::same_twin;
use crate::faults::clients::vanish::Vanisher;
use crate::player::{Random, View, Wish, choose};

/// Rule sets that cover all kinds of actions.
const RULES: [&str; 5] = [
    r#"{"preset": "yaniv", "max_rounds": 3}"#,
    r#"{"preset": "kluft", "max_rounds": 4}"#,
    r#"{"preset": "speedy", "max_rounds": 6}"#,
    r#"{"preset": "dhumbal_jokers", "max_rounds": 3}"#,
    r#"{"preset": "jhyap", "max_rounds": 4}"#,
];
/// The password of every player.
pub const PASSWORD: &str = "canary-password-5b1e";
/// The client seed of every player, followed by their number.
pub const CLIENT_SEED: &str = "canary-seed-77d0";

/// Players, and all writes they have sent.
pub struct Group {
    /// The players, by seat.
    pub players: Vec<Client>,
    /// Everything written, in order.
    pub ops: Vec<Op>,
    /// The match in play.
    pub match_id: Option<String>,
    /// Source of random choices.
    pub random: Random,
    /// One write in this many is followed by misbehaviour; 0 for none.
    pub mischief: usize,
    /// If set, each write is first sent by a client that vanishes.
    pub vanisher: Option<Vanisher>,
    /// Findings during play.
    pub findings: Vec<String>,
    next: Option<usize>,
}

impl Group {
    /// Registers some players.
    ///
    /// # Errors
    /// If they cannot be registered.
    pub async fn new(addresses: &[SocketAddr], name: &str, size: usize, seed: u64) -> Result<Self, Error> {
        let mut players = Vec::new();
        for number in 0..size {
            players.push(Client::register(addresses, &format!("{name}_{number}"), PASSWORD).await?);
        }
        let random = Random(seed);
        Ok(Self {
            players,
            ops: Vec::new(),
            match_id: None,
            random,
            mischief: 8,
            vanisher: None,
            findings: Vec::new(),
            next: None,
        })
    }

    /// Sets how long each player retries a write.
    pub fn set_patience(&mut self, patience: Duration) {
        self.players.iter_mut().for_each(|player| player.patience = patience);
    }

    /// Abandons the match in play and clears the history: the next step opens another match.
    pub fn begin_anew(&mut self) {
        self.match_id = None;
        self.next = None;
        self.ops.clear();
    }

    /// Opens a match, or acts in it. Returns when a write was acknowledged.
    ///
    /// # Errors
    /// If reading or opening is not possible for a long time.
    pub async fn step(&mut self) -> Result<Option<Instant>, Error> {
        let Some(match_id) = self.match_id.clone() else {
            return self.open().await.map(|()| self.last_ok());
        };
        let Some((seat, wish)) = self.decide(&match_id).await? else { return Ok(None) };
        let account = self.account(seat);
        let mut op = Op::action(&match_id, seat, &account, &wish);
        if let (Some(vanisher), Some(player)) = (&mut self.vanisher, self.players.get(seat)) {
            vanisher.vanish(&op, &player.token, &mut self.random).await;
        }
        self.send(seat, &mut op).await?;
        let ended = op.ended;
        self.follow(&op);
        self.ops.push(op);
        if self.mischief > 0 && self.random.below(self.mischief) == 0 {
            self.misbehave(&match_id, seat, &wish).await?;
        }
        Ok(ended)
    }

    /// Plays until a write of this group is acknowledged; a stuck match never gets there.
    ///
    /// # Errors
    /// If that does not happen in time.
    pub async fn is_alive(&mut self, within: Duration) -> Result<(), Error> {
        let begun = Instant::now();
        while begun.elapsed() < within {
            if self.step().await?.is_some() {
                return Ok(());
            }
        }
        Err(format!("match {:?} takes no further action", self.match_id).into())
    }

    /// The seat to act, and its choice. None if the match is over, or another seat has to act.
    ///
    /// # Errors
    /// If the match cannot be read.
    pub async fn decide(&mut self, match_id: &str) -> Result<Option<(usize, Wish)>, Error> {
        let seat = self.next.unwrap_or_default();
        let path = format!("/v1/matches/{match_id}");
        let player = self.players.get_mut(seat).ok_or("there is no such seat")?;
        let answer = player.read(&path).await?;
        let view = View::read(&answer.body)
            .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&answer.body)))?;
        if view.status == "finished" {
            self.match_id = None;
            return Ok(None);
        }
        self.next = view.table.as_ref().and_then(|table| table.to_act.first().copied());
        Ok(choose(&view, &mut self.random).map(|wish| (seat, wish)))
    }

    /// The account at a seat.
    #[must_use]
    pub fn account(&self, seat: usize) -> String {
        self.players.get(seat).map(|player| player.account.clone()).unwrap_or_default()
    }

    /// Creates a match, fills and starts it.
    ///
    /// # Errors
    /// If that is not possible for a long time.
    pub async fn open(&mut self) -> Result<(), Error> {
        let rules: Value = serde_json::from_str(self.random.pick(&RULES).copied().unwrap_or("{}"))?;
        self.open_with(&rules).await
    }

    /// The same with given rules.
    ///
    /// # Errors
    /// If that is not possible for a long time.
    pub async fn open_with(&mut self, rules: &Value) -> Result<(), Error> {
        let seed = |number: usize| format!("{CLIENT_SEED}-{number}");
        let size = self.players.len();
        let body = json!({"size": size, "rules": rules, "client_seed": seed(0)});
        let created = self.write("", 0, "/v1/matches".to_owned(), &body, ("joined", seed(0))).await?;
        let created = created.ok_or("a match cannot be created")?;
        let view = View::read(&created)?;
        let (id, code) = (view.match_id.to_owned(), view.join_code.to_owned());
        for number in 1..size {
            let path = format!("/v1/join-codes/{code}/seats");
            let body = json!({"client_seed": seed(number)});
            self.write(&id, number, path, &body, ("joined", seed(number))).await?;
        }
        let path = format!("/v1/matches/{id}/start");
        let started = self.write(&id, 0, path, &json!({}), ("started", String::new())).await?;
        self.next = started.and_then(|body| first_to_act(&body));
        self.match_id = Some(id);
        Ok(())
    }

    async fn write(
        &mut self,
        match_id: &str,
        player: usize,
        path: String,
        body: &Value,
        says: (&'static str, String),
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut op = Op::new(match_id, player, &self.account(player), path, body, says);
        self.players.get_mut(player).ok_or("there is no such seat")?.settle(&mut op).await?;
        let body = match &op.end {
            End::Ok { answer, .. } => Some(answer.body.to_vec()),
            _ => None,
        };
        if let (true, Some(body)) = (op.match_id.is_empty(), &body) {
            View::read(body)?.match_id.clone_into(&mut op.match_id);
        }
        self.ops.push(op);
        Ok(body)
    }

    async fn send(&mut self, seat: usize, op: &mut Op) -> Result<(), Error> {
        self.players.get_mut(seat).ok_or("there is no such seat")?.settle(op).await
    }

    /// Takes over match and version after a write.
    fn follow(&mut self, op: &Op) {
        self.next = match &op.end {
            End::Ok { answer, .. } => first_to_act(&answer.body),
            _ => None,
        };
    }

    /// An additional write: a duplicate sent at the same time, the same with another key, or one of another player.
    /// None of them may have an effect.
    async fn misbehave(&mut self, match_id: &str, seat: usize, wish: &Wish) -> Result<(), Error> {
        let other = (seat + 1) % self.players.len().max(1);
        match self.random.below(3) {
            0 => {
                if let (Some(op), Some(player)) = (self.ops.last(), self.players.get_mut(seat)) {
                    let twins = player.twins(op).await;
                    let differ = twins.iter().filter_map(|twin| same_twin(op, twin).err());
                    self.findings.extend(differ);
                }
            }
            1 => self.rival(match_id, seat, wish, version_of(wish)).await?,
            _ => {
                let now = self.ops.last().map_or(0, version_made);
                if now > 0 && self.next != Some(other) {
                    self.rival(match_id, other, wish, now).await?;
                }
            }
        }
        Ok(())
    }

    /// A write that must be refused.
    async fn rival(&mut self, match_id: &str, seat: usize, wish: &Wish, now: i32) -> Result<(), Error> {
        let mut wish = wish.clone();
        if let Some(fields) = wish.body.as_object_mut() {
            fields.insert("expected_version".to_owned(), now.into());
        }
        let mut op = Op::action(match_id, seat, &self.account(seat), &wish);
        self.send(seat, &mut op).await?;
        if matches!(op.end, End::Ok { .. }) {
            // An answer to a call by another player who was asked: legal.
            self.follow(&op);
        }
        self.ops.push(op);
        Ok(())
    }

    fn last_ok(&self) -> Option<Instant> {
        self.ops.last().and_then(|op| op.ended)
    }
}

fn version_of(wish: &Wish) -> i32 {
    let version = wish.body.get("expected_version").and_then(Value::as_i64);
    version.and_then(|version| i32::try_from(version).ok()).unwrap_or_default()
}

fn version_made(op: &Op) -> i32 {
    match &op.end {
        End::Ok { answer, .. } => version(&answer.body),
        _ => 0,
    }
}

fn first_to_act(body: &[u8]) -> Option<usize> {
    View::read(body).ok()?.table?.to_act.first().copied()
}
