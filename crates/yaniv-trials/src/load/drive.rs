//! Connections that take one match after the other and do its next step.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::header::{AUTHORIZATION, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH};
use hyper::{Method, Uri};

use super::follow::Follower;
use super::game::{Game, Step};
use super::pace::Pace;
use super::people::{self, Matches, People};
use super::wire::{Head, Sent, Wire};
use crate::Error;
use crate::load::results::measure::{Kind, Measure};
use crate::player::Random;

/// `Idempotency-Key`.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What the connections do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Send actions; read a view only when the cards are not known.
    Act,
    /// Send actions; for this share of them, the players read views: one before and two after.
    Mixed(f64),
    /// Read views without a tag.
    View,
    /// Read views with the known tag.
    Unchanged,
    /// Read one of this many rows from the bare handler.
    Bare(usize),
    /// Send actions of this seat to the constant handler.
    Constant(usize),
    /// Send actions, some twenty a second, and wait for the event of each in a stream of this instance.
    Follow(SocketAddr),
}

/// State shared by all connections.
pub struct Load {
    /// The players.
    pub people: People,
    /// Their matches.
    pub matches: Matches,
    /// The measurements.
    pub measure: RefCell<Measure>,
    /// What the connections do.
    pub mode: Mode,
    /// Seed of choices and keys; a new one for each phase, as no key may be reused.
    pub seed: u64,
    /// Schedule of requests; none to send without pauses.
    pub pace: Option<Pace>,
    /// Set at the end.
    pub stop: Cell<bool>,
}

/// One connection, until stopped.
pub async fn work(load: Rc<Load>, wire: Wire, number: usize) {
    let seed = load.seed ^ u64::try_from(number).unwrap_or_default();
    let mut hand = Hand { load, wire, random: Random(seed), no_match: None };
    while !hand.load.stop.get() {
        let done = match hand.load.mode {
            Mode::Bare(rows) => hand.bare(rows).await,
            Mode::Constant(seat) => hand.constant(seat).await,
            Mode::Follow(address) => hand.follow(address).await,
            _ => hand.take_match().await,
        };
        if let Err(error) = done {
            hand.load.measure.borrow_mut().refused(error.to_string());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// Reads every match once as its first player, so that a tag is known.
pub async fn look_once(load: Rc<Load>, wire: Wire, waiting: Matches) -> Result<(), Error> {
    let mut hand = Hand { load, wire, random: Random(1), no_match: None };
    loop {
        let Some(mut game) = waiting.borrow_mut().pop_front() else { return Ok(()) };
        let looked = hand.look(&mut game, 0, false, false).await;
        hand.load.matches.borrow_mut().push_back(game);
        looked?;
    }
}

/// A match's view from the seat to act, with that seat.
///
/// # Errors
/// If the view is refused, or there is no match.
pub async fn sample(load: Rc<Load>, wire: Wire) -> Result<(String, usize), Error> {
    let mut hand = Hand { load, wire, random: Random(1), no_match: None };
    let mut game = hand.load.matches.borrow_mut().pop_front().ok_or("there is no match")?;
    let seat = game.to_act();
    let looked = hand.look(&mut game, seat, false, false).await;
    hand.load.matches.borrow_mut().push_back(game);
    looked?;
    Ok((String::from_utf8_lossy(&hand.wire.body).into_owned(), seat))
}

struct Hand {
    load: Rc<Load>,
    wire: Wire,
    random: Random,
    /// Placeholder where there is no match.
    no_match: Option<Game>,
}

impl Hand {
    async fn take_match(&mut self) -> Result<(), Error> {
        let taken = self.load.matches.borrow_mut().pop_front();
        let Some(mut game) = taken else {
            tokio::task::yield_now().await;
            return Ok(());
        };
        let done = self.turn(&mut game).await;
        if done.is_err() {
            game.forget();
        }
        self.load.matches.borrow_mut().push_back(game);
        done
    }

    async fn turn(&mut self, game: &mut Game) -> Result<(), Error> {
        match self.load.mode {
            Mode::Act | Mode::Bare(_) | Mode::Constant(_) | Mode::Follow(_) => {
                self.act(game).await.map(|_| ())
            }
            Mode::View => {
                let seat = self.random.below(2);
                self.look(game, seat, false, false).await
            }
            Mode::Unchanged => self.look(game, 0, true, false).await,
            Mode::Mixed(share) => self.mixed(game, share).await,
        }
    }

    async fn mixed(&mut self, game: &mut Game, share: f64) -> Result<(), Error> {
        let looks = crate::load::results::number::real(self.random.next() >> 32) < share * 4_294_967_296.0;
        if looks {
            self.look(game, game.to_act(), true, true).await?;
        }
        if let Some(seat) = self.act(game).await?.filter(|_| looks) {
            self.look(game, seat, true, true).await?;
            self.look(game, seat, true, true).await?;
        }
        Ok(())
    }

    /// Sends the next action, after reading a view if needed; returns the seat.
    async fn act(&mut self, game: &mut Game) -> Result<Option<usize>, Error> {
        if let Step::Look(seat) = game.step(&mut self.random) {
            self.look(game, seat, false, false).await?;
        }
        match game.step(&mut self.random) {
            Step::Look(_) => Err("a player has looked and still does not know its cards".into()),
            Step::Over => {
                let begun = self.due().await;
                *game = *people::create(&mut self.wire, &self.load.people, game.players).await?;
                self.answered(Kind::Renewal, begun);
                Ok(None)
            }
            Step::Act { seat, path, body } => {
                self.send_action(game, seat, path, body).await?;
                let version = game.version();
                if let Some(Some(seen)) = game.seen.get_mut(seat) {
                    seen.1 = version;
                }
                Ok(Some(seat))
            }
        }
    }

    async fn send_action(
        &mut self,
        game: &mut Game,
        seat: usize,
        path: Uri,
        body: Bytes,
    ) -> Result<(), Error> {
        let begun = self.due().await;
        let mut headers = self.headers(game, seat)?;
        let key = format!("{:016x}{:016x}", self.random.next(), self.random.next());
        headers.insert(KEY, HeaderValue::try_from(key)?);
        let asked = body.clone();
        let head = self.wire.send(Sent { method: Method::POST, path, headers, body }).await?;
        if head.status != 200 {
            return Err(self.refusal("action", &head, &asked));
        }
        self.answered(Kind::Action, begun);
        game.learn(seat, &self.wire.body)
    }

    /// The client's own cost of an action: all of one, but with a constant response.
    async fn constant(&mut self, seat: usize) -> Result<(), Error> {
        let mut game = match self.no_match.take() {
            Some(game) => game,
            None => Game::new("none", [0, 1])?,
        };
        let body = match game.step(&mut self.random) {
            Step::Act { body, .. } => body,
            Step::Look(_) | Step::Over => Bytes::new(),
        };
        let done = self.send_action(&mut game, seat, Uri::from_static("/constant"), body).await;
        self.no_match = Some(game);
        done
    }

    /// Plays one match and follows it, until it is over.
    async fn follow(&mut self, address: SocketAddr) -> Result<(), Error> {
        let taken = self.load.matches.borrow_mut().pop_front();
        let mut game = taken.ok_or("there is no match")?;
        let authorization = self.headers(&game, 0)?.remove(AUTHORIZATION).ok_or("no token")?;
        let mut follower = Follower::open(address, game.stream()?, authorization).await?;
        while !self.load.stop.get() && self.act(&mut game).await?.is_some() {
            let answered = Instant::now();
            follower.wait_for(game.version()).await?;
            self.answered(Kind::Event, answered);
            let pause = Duration::from_millis(30 + u64::try_from(self.random.below(40))?);
            tokio::time::sleep(pause).await;
        }
        self.load.matches.borrow_mut().push_back(game);
        Ok(())
    }

    async fn look(&mut self, game: &mut Game, seat: usize, tagged: bool, since: bool) -> Result<(), Error> {
        let begun = self.due().await;
        let mut headers = self.headers(game, seat)?;
        let seen = game.seen.get(seat).and_then(Option::as_ref);
        let path = match seen {
            Some((_, version)) if since => game.view_since(*version)?,
            _ => game.view.clone(),
        };
        if let Some((tag, _)) = seen.filter(|_| tagged) {
            headers.insert(IF_NONE_MATCH, tag.clone());
        }
        let head = self.wire.send(get(path, headers)).await?;
        match head.status {
            200 => self.answered(Kind::View, begun),
            304 if tagged => {
                self.answered(Kind::Unchanged, begun);
                return Ok(());
            }
            _ => return Err(self.refusal("view", &head, &Bytes::new())),
        }
        if self.load.mode != Mode::View {
            game.learn(seat, &self.wire.body)?;
        }
        let version = game.version();
        if let (Some(seen), Some(tag)) = (game.seen.get_mut(seat), head.headers.get(ETAG)) {
            *seen = Some((tag.clone(), version));
        }
        Ok(())
    }

    async fn bare(&mut self, rows: usize) -> Result<(), Error> {
        let begun = self.due().await;
        let path = Uri::try_from(format!("/states/{}", self.random.below(rows)))?;
        let head = self.wire.send(get(path, HeaderMap::with_capacity(2))).await?;
        if head.status != 200 {
            return Err(self.refusal("bare select", &head, &Bytes::new()));
        }
        self.answered(Kind::View, begun);
        Ok(())
    }

    /// The start time of a request.
    async fn due(&self) -> Instant {
        match &self.load.pace {
            Some(pace) => pace.next().await,
            None => Instant::now(),
        }
    }

    fn headers(&self, game: &Game, seat: usize) -> Result<HeaderMap, Error> {
        let player = game.players.get(seat).and_then(|player| self.load.people.get(*player));
        let mut headers = HeaderMap::with_capacity(6);
        headers.insert(AUTHORIZATION, player.ok_or("an empty seat")?.clone());
        Ok(headers)
    }

    fn answered(&self, kind: Kind, begun: Instant) {
        let mut measure = self.load.measure.borrow_mut();
        measure.answered(kind, begun.elapsed());
        measure.bytes += u64::try_from(self.wire.body.len()).unwrap_or_default();
    }

    /// Counts the error by its code; prints the first of each in full.
    fn refusal(&self, what: &str, head: &Head, asked: &Bytes) -> Error {
        let text = String::from_utf8_lossy(&self.wire.body);
        let code = text.split("\"code\":\"").nth(1).and_then(|rest| rest.split('"').next());
        let key = format!("{what}: {} {}", head.status, code.unwrap_or("without a code"));
        if self.load.measure.borrow().refused.is_empty() {
            eprintln!(
                "NOT AS IT SHOULD BE: {key}\n  asked: {}\n  answer: {text}",
                String::from_utf8_lossy(asked)
            );
        }
        key.into()
    }
}

fn get(path: Uri, headers: HeaderMap) -> Sent {
    Sent { method: Method::GET, path, headers, body: Bytes::new() }
}
