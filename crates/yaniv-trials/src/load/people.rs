//! Accounts that play, and their first matches, all created through the API.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::rc::Rc;

use bytes::Bytes;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use hyper::{Method, Uri};
use serde::Deserialize;
use tokio::task::JoinSet;

use super::game::Game;
use super::wire::{Sent, Wire};
use crate::Error;
use crate::player::Random;

/// Concurrent requests during setup: as many as keep two cores busy.
const HANDS: usize = 32;

/// The players: the `Authorization` header of each.
pub type People = Rc<Vec<HeaderValue>>;

/// Matches that no connection is working on.
pub type Matches = Rc<RefCell<VecDeque<Box<Game>>>>;

#[derive(Deserialize)]
struct Session {
    access_token: String,
}

#[derive(Deserialize)]
struct Created<'a> {
    match_id: &'a str,
    join_code: &'a str,
}

/// Registers accounts.
///
/// # Errors
/// If the service refuses one.
pub async fn register(addresses: &[SocketAddr], count: usize, run: u64) -> Result<People, Error> {
    let next = Rc::new(RefCell::new(0..count));
    let mut hands = JoinSet::new();
    for address in addresses.iter().cycle().take(HANDS.min(count)).copied() {
        let next = Rc::clone(&next);
        hands.spawn_local(async move {
            let mut wire = Wire::new(address);
            let mut tokens = Vec::new();
            loop {
                let Some(number) = next.borrow_mut().next() else { return Ok::<_, Error>(tokens) };
                let body =
                    format!("{{\"username\":\"l{run:x}_{number}\",\"password\":\"correct horse {number}\"}}");
                post(&mut wire, None, "/v1/accounts", body).await?;
                let session: Session = serde_json::from_slice(&wire.body)?;
                let mut header = HeaderValue::try_from(format!("Bearer {}", session.access_token))?;
                header.set_sensitive(true);
                tokens.push(header);
            }
        });
    }
    let mut people = Vec::new();
    while let Some(done) = hands.join_next().await {
        people.append(&mut done??);
    }
    Ok(Rc::new(people))
}

/// Starts matches of two; each account plays in many of them.
///
/// # Errors
/// If the service refuses one.
pub async fn begin(addresses: &[SocketAddr], people: &People, count: usize) -> Result<Matches, Error> {
    let matches = Matches::default();
    let next = Rc::new(RefCell::new(0..count));
    let mut hands = JoinSet::new();
    for address in addresses.iter().cycle().take(HANDS.min(count)).copied() {
        let (next, people, matches) = (Rc::clone(&next), Rc::clone(people), Rc::clone(&matches));
        hands.spawn_local(async move {
            let mut wire = Wire::new(address);
            loop {
                let Some(number) = next.borrow_mut().next() else { return Ok::<_, Error>(()) };
                let game = create(&mut wire, &people, pair(number, people.len())).await?;
                matches.borrow_mut().push_back(game);
            }
        });
    }
    while let Some(done) = hands.join_next().await {
        done??;
    }
    Ok(matches)
}

/// Starts one match: creates, joins, deals.
///
/// # Errors
/// If the service refuses.
pub async fn create(wire: &mut Wire, people: &People, players: [usize; 2]) -> Result<Box<Game>, Error> {
    let [host, guest] = players;
    let (host, guest) = (people.get(host), people.get(guest));
    post(wire, host, "/v1/matches", "{\"size\":2,\"rules\":{\"preset\":\"yaniv\"}}".to_owned()).await?;
    let created: Created<'_> = serde_json::from_slice(&wire.body)?;
    let id = created.match_id.to_owned();
    let seats = format!("/v1/join-codes/{}/seats", created.join_code);
    post(wire, guest, &seats, "{\"client_seed\":\"blue\"}".to_owned()).await?;
    post(wire, host, &format!("/v1/matches/{id}/start"), String::new()).await?;
    let mut game = Box::new(Game::new(&id, players)?);
    game.learn(0, &wire.body)?;
    Ok(game)
}

/// Two different accounts for a match; all pairs are equally frequent.
fn pair(number: usize, people: usize) -> [usize; 2] {
    let mut random = Random(u64::try_from(number).unwrap_or_default());
    let host = number % people;
    [host, (host + 1 + random.below(people - 1)) % people]
}

async fn post(wire: &mut Wire, who: Option<&HeaderValue>, path: &str, body: String) -> Result<(), Error> {
    let mut headers = HeaderMap::with_capacity(4);
    if let Some(who) = who {
        headers.insert(AUTHORIZATION, who.clone());
    }
    let path = Uri::try_from(path)?;
    let asked = path.clone();
    let head = wire.send(Sent { method: Method::POST, path, headers, body: Bytes::from(body) }).await?;
    if head.status >= 300 {
        return Err(format!("POST {asked}: {} {}", head.status, String::from_utf8_lossy(&wire.body)).into());
    }
    Ok(())
}
