//! P28: a flood by two accounts. They act, retry old keys and read slowly; other players do not wait, and memory stays bounded.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Error;
use crate::access::asker::{Asker, PASSWORD};
use crate::access::figures::Figures;
use crate::access::trials::Trial;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::Context;
use crate::load::results::machine;
use crate::load::results::number::median;
use crate::player::{Answer, Line, Request, View};

/// The trial; its `times` are seconds.
pub(super) const TRIAL: Trial = Trial {
    name: "p28",
    promise: "Two accounts that flood the service do not slow down others",
    times: 60,
    short: 3,
    bug: "the limits are off",
    run,
    planted,
};

/// Matches that the two play concurrently.
const MATCHES: usize = 8;
/// Connections that repeat an old action.
const REPEATING: usize = 20;
/// Connections that request a round and read it slowly.
const SLOW: usize = 8;
/// Other accounts; each creates a match every second.
const OTHERS: usize = 5;
/// Limits of an account, as a burst and per minute: actions, and repeated actions.
const ACTIONS: usize = 3_000;
const REPEATED: usize = 300;
/// The largest page of a round, in bytes.
const PAGE: usize = 200_000;
/// Bound of the 99th percentile of creating a match; not checked in the short form.
const MADE_WITHIN: Duration = Duration::from_millis(500);
const MADE_WITHIN_SHORT: Duration = Duration::from_secs(30);
/// On a slow machine, old actions are repeated for up to this much longer, until a request is rate limited.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a request is sent until it is answered.
const TRIES: usize = 3;
/// Bound of the service's peak memory, in megabytes.
const MEMORY: usize = 400;

fn run(context: &Context) -> Result<Figures, Error> {
    flood_a_stage(context, "on")
}

fn planted(context: &Context) -> Result<Figures, Error> {
    flood_a_stage(context, "off")
}

fn flood_a_stage(context: &Context, limits: &str) -> Result<Figures, Error> {
    let environment = [("YANIV_RATE_LIMITS", limits), ("YANIV_TRUSTED_PROXIES", "127.0.0.0/8")];
    let stage = Stage::with(context, "p28", &environment)?;
    let seconds = if limits == "on" { context.times } else { context.times.min(3) };
    let most = context.long_or_short(MADE_WITHIN, MADE_WITHIN_SHORT);
    let patience = if limits == "on" { PATIENCE } else { Duration::ZERO };
    let lasts = Duration::from_secs(u64::try_from(seconds)?);
    context.runtime.block_on(flood(&stage, (lasts, patience), most))
}

/// An account.
#[derive(Clone)]
struct Account {
    address: SocketAddr,
    token: String,
}

/// Counters over all connections.
#[derive(Default)]
struct Counts {
    accepted: AtomicUsize,
    repeated: AtomicUsize,
    limited: AtomicUsize,
    largest: AtomicUsize,
}

async fn flood(
    stage: &Stage,
    (lasts, patience): (Duration, Duration),
    most: Duration,
) -> Result<Figures, Error> {
    let address = *stage.addresses.first().ok_or("there is no instance")?;
    let mut names = Vec::new();
    for number in 0..OTHERS + 2 {
        names.push(account(address, number).await?);
    }
    let others = names.split_off(2);
    let pair: [Account; 2] = names.try_into().map_err(|_| "there are no two accounts")?;
    let counts = Arc::new(Counts::default());
    let begun = Instant::now();

    // First the log grows.
    let matches = grow(&pair, begun + lasts, &counts).await?;
    let (accepted, took) = (counts.accepted.load(Ordering::Relaxed), begun.elapsed());

    // Then old actions are repeated, while others create matches.
    let repeating = Instant::now();
    let until = repeating + lasts;
    let mut tasks = JoinSet::new();
    let longest = matches.first().ok_or("there is no match")?;
    for number in 0..REPEATING {
        let (id, old) = matches.get(number % MATCHES).unwrap_or(longest);
        tasks.spawn(repeat(old.clone(), id.clone(), (until, until + patience), Arc::clone(&counts)));
    }
    for number in 0..SLOW {
        let (id, _) = matches.get(number % MATCHES).unwrap_or(longest);
        let reader = pair.get(number % 2).ok_or("there is no account")?;
        tasks.spawn(read_slowly(reader.clone(), id.clone(), until));
        tasks.spawn(measure_page(reader.clone(), id.clone(), Arc::clone(&counts)));
    }
    let mut making = JoinSet::new();
    for other in others {
        making.spawn(make_matches(other, until));
    }
    let mut made = Vec::new();
    while let Some(times) = making.join_next().await {
        made.extend(times??);
    }
    all(tasks).await?;
    let repeated_for = repeating.elapsed();

    let mut figures = Figures::default();
    let minutes = |took: Duration| usize::try_from(took.as_secs() / 60 + 1).unwrap_or(usize::MAX);
    let bound = 2 * ACTIONS * (1 + minutes(took));
    figures.at_most(format!("accepted actions of two accounts in {took:.0?}"), accepted, bound);
    let (repeated, limited) =
        (counts.repeated.load(Ordering::Relaxed), counts.limited.load(Ordering::Relaxed));
    figures.at_most("actions answered again", repeated, 2 * REPEATED * (1 + minutes(repeated_for)));
    figures.at_least("refused as too many", limited, 1);
    figures.at_most("bytes of a page of a round", counts.largest.load(Ordering::Relaxed), PAGE);
    figures.at_least("matches that others created", made.len(), OTHERS);
    made.sort_unstable();
    let middle = Duration::from_secs_f64(median(made.iter().map(Duration::as_secs_f64).collect()));
    figures.within("creating a match: median", middle, most);
    let p99 = made.get(made.len().saturating_mul(99) / 100).or(made.last()).copied().unwrap_or(most);
    figures.within("creating a match: p99", p99, most);
    let memory = stage.pid(0).and_then(machine::memory).ok_or("the instance is not running")?;
    let peak = usize::try_from(memory.peak / 1_048_576)?;
    figures.at_most("memory of the service, MB", peak, MEMORY);
    Ok(figures)
}

/// Plays matches of the two accounts until the deadline; returns each match with the request of its first play.
async fn grow(
    pair: &[Account; 2],
    until: Instant,
    counts: &Arc<Counts>,
) -> Result<Vec<(String, Old)>, Error> {
    let mut tasks = JoinSet::new();
    let mut matches = Vec::new();
    for _ in 0..MATCHES {
        let id = start_match(pair).await?;
        let (mut game, mut lines) = (Game::new(id.clone()), pair.clone().map(|account| account.line()));
        let first = game.play(pair, &mut lines, &format!("{id}-first")).await?;
        let (_, old) = first.filter(|(status, _)| *status == 200).ok_or("the first play is refused")?;
        tasks.spawn(play(pair.clone(), game, until, Arc::clone(counts)));
        matches.push((id, old));
    }
    all(tasks).await?;
    Ok(matches)
}

async fn all(mut tasks: JoinSet<Result<(), Error>>) -> Result<(), Error> {
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

/// An account that sends from its own address.
async fn account(address: SocketAddr, number: usize) -> Result<Account, Error> {
    let mut asker = Asker::new(address);
    asker.forwarded = format!("10.28.0.{number}");
    let name = format!("flood_{number}");
    asker.register(&name).await?;
    let token = asker.log_in(&name, PASSWORD, None).await?.text("access_token");
    Ok(Account { address, token })
}

impl Account {
    fn line(&self) -> Line {
        Line::new(self.address)
    }

    async fn write(&self, path: &str, body: &Value) -> Result<Bytes, Error> {
        let body = Some(Bytes::from(body.to_string()));
        let request = Request { method: "POST", path, token: &self.token, body, ..Request::default() };
        let answer = send(&mut self.line(), &request).await?;
        if answer.status < 300 { Ok(answer.body) } else { Err(format!("{path}: {}", answer.status).into()) }
    }
}

/// Starts a match of the two; returns its identifier.
async fn start_match(pair: &[Account; 2]) -> Result<String, Error> {
    let body = pair[0].write("/v1/matches", &json!({"size": 2})).await?;
    let view = View::read(&body)?;
    pair[1].write(&format!("/v1/join-codes/{}/seats", view.join_code), &json!({})).await?;
    pair[0].write(&format!("/v1/matches/{}/start", view.match_id), &json!({})).await?;
    Ok(view.match_id.to_owned())
}

/// An accepted action: its player, key and body.
#[derive(Clone)]
struct Old {
    account: Account,
    key: String,
    body: Bytes,
}

/// A match as both players together know it: the seat to act, the version, and both hands.
struct Game {
    id: String,
    version: i32,
    round: i32,
    seat: usize,
    /// Round number and hand of each.
    hands: [(i32, Vec<String>); 2],
}

impl Game {
    /// A match that was just started; nothing is known of it yet.
    fn new(id: String) -> Self {
        Self { id, version: 0, round: 0, seat: 0, hands: <[(i32, Vec<String>); 2]>::default() }
    }

    /// Updates from an answer to one of the two.
    fn learn(&mut self, body: &[u8]) -> Result<(), Error> {
        let view = View::read(body)?;
        let table = view.table.as_ref().ok_or("the match has not started")?;
        self.version = view.version;
        self.round = table.round;
        self.seat = table.to_act.first().copied().unwrap_or(usize::MAX);
        let own = view.your_seat.and_then(|seat| self.hands.get_mut(seat));
        if let (Some(own), Some(hand)) = (own, &view.hand) {
            *own = (table.round, hand.cards.iter().map(|card| (*card).to_owned()).collect());
        }
        Ok(())
    }

    /// One play of the seat to act, which never calls; returns its status, or none if the match is over.
    async fn play(
        &mut self,
        pair: &[Account; 2],
        lines: &mut [Line; 2],
        key: &str,
    ) -> Result<Option<(u16, Old)>, Error> {
        let known =
            self.hands.get(self.seat).is_some_and(|(round, _)| *round == self.round && self.version > 0);
        if !known {
            let path = format!("/v1/matches/{}", self.id);
            for (account, line) in pair.iter().zip(lines.iter_mut()) {
                let request = Request { path: &path, token: &account.token, ..Request::default() };
                let answer = send(line, &request).await?;
                if answer.status != 200 {
                    return Ok(None);
                }
                self.learn(&answer.body)?;
            }
        }
        let hand = self.hands.get(self.seat).and_then(|(_, cards)| cards.first());
        let (Some(card), Some(account), Some(line)) = (hand, pair.get(self.seat), lines.get_mut(self.seat))
        else {
            return Ok(None);
        };
        let body = json!({"expected_version": self.version, "cards": [card], "draw_from": "stock"});
        let body = Bytes::from(body.to_string());
        let old = Old { account: account.clone(), key: key.to_owned(), body };
        let (status, answer) = send_play(line, &old, &self.id).await?;
        if status == 200 {
            self.learn(&answer)?;
        } else if status != 429 {
            self.version = 0;
        }
        Ok(Some((status, old)))
    }
}

/// Plays without ever calling, one action after the other, until the deadline.
async fn play(pair: [Account; 2], mut game: Game, until: Instant, counts: Arc<Counts>) -> Result<(), Error> {
    let mut lines = pair.clone().map(|account| account.line());
    let mut number = 0_usize;
    while Instant::now() < until {
        number += 1;
        let key = format!("{}-{number:08}", game.id.get(..20).unwrap_or_default());
        match game.play(&pair, &mut lines, &key).await? {
            Some((200, _)) => _ = counts.accepted.fetch_add(1, Ordering::Relaxed),
            Some((429, _)) => tokio::time::sleep(Duration::from_millis(50)).await,
            Some(_) => {}
            None => return Ok(()),
        }
    }
    Ok(())
}

/// Sends a request, on a new connection if the service closed the idle one. Every request may be sent twice: it reads,
/// has a key, or creates something that is not counted.
async fn send(line: &mut Line, request: &Request<'_>) -> Result<Answer, Error> {
    let mut lost = String::new();
    for _ in 0..TRIES {
        match line.send(request).await {
            Ok(answer) => return Ok(answer),
            Err(why) => lost = why.0,
        }
    }
    Err(format!("{} {}: {lost}", request.method, request.path).into())
}

async fn send_play(line: &mut Line, play: &Old, id: &str) -> Result<(u16, Bytes), Error> {
    let path = format!("/v1/matches/{id}/plays");
    let (token, key) = (play.account.token.as_str(), Some(play.key.as_str()));
    let body = Some(play.body.clone());
    let request = Request { method: "POST", path: &path, token, key, body, ..Request::default() };
    let answer = send(line, &request).await?;
    Ok((answer.status, answer.body))
}

/// Repeats an old action, one request after the other.
async fn repeat(
    old: Old,
    id: String,
    (until, at_last): (Instant, Instant),
    counts: Arc<Counts>,
) -> Result<(), Error> {
    let mut line = old.account.line();
    let go_on = || {
        let none_refused = counts.limited.load(Ordering::Relaxed) == 0;
        Instant::now() < if none_refused { at_last } else { until }
    };
    while go_on() {
        match send_play(&mut line, &old, &id).await?.0 {
            200 => _ = counts.repeated.fetch_add(1, Ordering::Relaxed),
            429 => _ = counts.limited.fetch_add(1, Ordering::Relaxed),
            _ => {}
        }
    }
    Ok(())
}

/// Requests a round on one connection again and again, and reads the answers a few bytes at a time.
async fn read_slowly(reader: Account, id: String, until: Instant) -> Result<(), Error> {
    let mut stream = TcpStream::connect(reader.address).await?;
    let asked = format!(
        "GET /v1/matches/{id}/rounds/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n",
        reader.token
    );
    let mut buffer = [0; 256];
    while Instant::now() < until {
        // The service may have closed it.
        if stream.write_all(asked.as_bytes()).await.is_err() {
            return Ok(());
        }
        let read = tokio::time::timeout(Duration::from_millis(200), stream.read(&mut buffer)).await;
        if matches!(read, Ok(Ok(0) | Err(_))) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    Ok(())
}

/// Size of an answer that holds a round.
async fn measure_page(reader: Account, id: String, counts: Arc<Counts>) -> Result<(), Error> {
    let path = format!("/v1/matches/{id}/rounds/1");
    let request = Request { path: &path, token: &reader.token, ..Request::default() };
    let answer = send(&mut reader.line(), &request).await?;
    if answer.status == 200 {
        counts.largest.fetch_max(answer.body.len(), Ordering::Relaxed);
    }
    Ok(())
}

/// Creates a match every second; returns how long each took.
async fn make_matches(other: Account, until: Instant) -> Result<Vec<Duration>, Error> {
    let mut times = Vec::new();
    while Instant::now() < until {
        let mut asker = Asker::new(other.address);
        let body = Bytes::from(json!({"size": 2}).to_string());
        let reply = asker.ask(Method::POST, "/v1/matches", &other.token, body).await?;
        if reply.status != 201 {
            return Err(format!("creating a match: {}", reply.name()).into());
        }
        times.push(reply.took);
        // Few matches of an account may wait at a time.
        let made = reply.json();
        let id = made.get("match_id").and_then(serde_json::Value::as_str).unwrap_or_default();
        asker.ask(Method::POST, &format!("/v1/matches/{id}/leave"), &other.token, Bytes::new()).await?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(times)
}
