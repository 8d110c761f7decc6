//! Two players play whole matches through the client that progenitor generated from the document.
//!
//! Usage: `yaniv-rust-client [URL]`

#[allow(clippy::all, unused_imports, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}

use std::error::Error as StdError;
use std::time::Duration;

use generated::types::{
    AnswerCallRequest, AnswerCardRequestRequest, AnswerSwapRequest, CallAnswer, CardRequestAnswer,
    CreateMatchRequest, Credentials, JoinMatchRequest, MakeCallRequest, Match, PassTurnRequest,
    PlayCardsRequest, Problem, RequestCardRequest, RuleSetRequest, SlamDownRequest, SwapAnswer,
};
use generated::{ByteStream, Client, Error, ResponseValue};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use uuid::Uuid;

type Result<T> = std::result::Result<T, Box<dyn StdError + Send + Sync>>;

/// What the service has answered, for good.
enum Reply<T> {
    Done(T),
    /// `version_conflict`: the other player was faster. The problem has the match as it is now.
    Conflict(Option<Match>),
}

/// Sends a request until its answer is final. An answer is final only if it is the service's own: a body of the
/// document, or a problem with a code. Anything else (no connection, a proxy's page) is no answer: ask again.
async fn settle<T>(
    send: impl AsyncFn() -> std::result::Result<ResponseValue<T>, Error<ByteStream>>,
) -> Result<Reply<T>> {
    for _ in 0..30 {
        let problem = match send().await {
            Ok(response) => return Ok(Reply::Done(response.into_inner())),
            Err(Error::ErrorResponse(response)) => {
                let status = response.status();
                let again = status.is_server_error() || [408, 429].contains(&status.as_u16());
                let body = read(response.into_inner()).await;
                if again {
                    None
                } else {
                    body.ok().and_then(|body| serde_json::from_slice::<Problem>(&body).ok())
                }
            }
            Err(_) => None,
        };
        match problem {
            Some(problem) if problem.code.to_string() == "version_conflict" => {
                return Ok(Reply::Conflict(problem.match_));
            }
            Some(problem) => return Err(format!("{}: {}", *problem.code, *problem.detail).into()),
            None => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
    Err("no final answer".into())
}

/// The same where no conflict can be.
async fn done<T>(
    send: impl AsyncFn() -> std::result::Result<ResponseValue<T>, Error<ByteStream>>,
) -> Result<T> {
    match settle(send).await? {
        Reply::Done(body) => Ok(body),
        Reply::Conflict(_) => Err("a conflict without a version".into()),
    }
}

async fn read(stream: ByteStream) -> Result<Vec<u8>> {
    use futures_util::TryStreamExt;
    let parts: Vec<_> = stream.into_inner().try_collect().await?;
    Ok(parts.concat())
}

/// A key for one write: each of its attempts has it. The generated client has a type for the key of each operation.
fn key<T: std::str::FromStr<Err: StdError + Send + Sync + 'static>>() -> Result<T> {
    Ok(Uuid::new_v4().to_string().parse()?)
}

/// A new account, and a client with its token.
async fn register(url: &str) -> Result<Client> {
    let name = format!("rs_{}", &Uuid::new_v4().simple().to_string()[..12]);
    let credentials: Credentials =
        serde_json::from_value(serde_json::json!({"username": name, "password": Uuid::new_v4()}))?;
    let stranger = Client::new(url);
    let session = done(async || stranger.register_account(None, &credentials).await).await?;
    let mut token = HeaderValue::try_from(format!("Bearer {}", *session.access_token))?;
    token.set_sensitive(true);
    let headers = HeaderMap::from_iter([(AUTHORIZATION, token)]);
    let http =
        reqwest::Client::builder().default_headers(headers).timeout(Duration::from_secs(15)).build()?;
    Ok(Client::new_with_client(url, http))
}

/// What a player does now, if anything, and the match after it.
async fn act(client: &Client, seen: &Match) -> Result<Option<Reply<Match>>> {
    let (Some(legal), Some(hand)) = (&seen.legal, &seen.hand) else { return Ok(None) };
    let (id, expected_version) = (&seen.match_id, seen.version);
    let reply = if legal.answer_card_request == Some(true) {
        let body = AnswerCardRequestRequest { expected_version, answer: CardRequestAnswer::Give };
        let key = key()?;
        settle(async || client.answer_card_request(id, &key, &body).await).await?
    } else if legal.answer_call == Some(true) {
        let answer = if hand.points < 8 { CallAnswer::Challenge } else { CallAnswer::Expose };
        let body = AnswerCallRequest { expected_version, answer };
        let key = key()?;
        settle(async || client.answer_call(id, &key, &body).await).await?
    } else if legal.answer_swap == Some(true) {
        let answer = if hand.points > 25 { SwapAnswer::Swap } else { SwapAnswer::Stay };
        let body = AnswerSwapRequest { expected_version, answer };
        let key = key()?;
        settle(async || client.answer_swap(id, &key, &body).await).await?
    } else if legal.slam_card.is_some() {
        let body = SlamDownRequest { expected_version, first: None };
        let key = key()?;
        settle(async || client.slam_down(id, &key, &body).await).await?
    } else if let Some(card) = legal.ask.first() {
        let body = RequestCardRequest { expected_version, card: card.clone() };
        let key = key()?;
        settle(async || client.request_card(id, &key, &body).await).await?
    } else if legal.call == Some(true) {
        let body = MakeCallRequest { expected_version, word: None };
        let key = key()?;
        settle(async || client.make_call(id, &key, &body).await).await?
    } else if legal.pass == Some(true) {
        let body = PassTurnRequest { expected_version };
        let key = key()?;
        settle(async || client.pass_turn(id, &key, &body).await).await?
    } else if let (Some(cards), Some(draw)) =
        (legal.discards.iter().max_by_key(|cards| cards.len()), legal.draws.first())
    {
        let (cards, draw_from, draw_card) = (cards.clone(), draw.draw_from, draw.draw_card.clone());
        let body = PlayCardsRequest { expected_version, cards, draw_from, draw_card, slam_down: None };
        let key = key()?;
        settle(async || client.play_cards(id, &key, &body).await).await?
    } else {
        return Ok(None);
    };
    Ok(Some(reply))
}

/// Plays one seat until the match has a result; also counts the conflicts that it met.
async fn play_seat(client: &Client, id: Uuid) -> Result<(Match, usize)> {
    let mut conflicts = 0;
    let mut seen = done(async || client.get_match(&id, None, None).await).await?;
    while seen.result.is_none() {
        seen = match act(client, &seen).await? {
            Some(Reply::Done(after)) => after,
            Some(Reply::Conflict(Some(current))) => {
                conflicts += 1;
                current
            }
            Some(Reply::Conflict(None)) | None => {
                tokio::time::sleep(Duration::from_millis(100)).await;
                done(async || client.get_match(&id, None, None).await).await?
            }
        };
    }
    Ok((seen, conflicts))
}

async fn play_match(host: &Client, guest: &Client, rules: serde_json::Value) -> Result<usize> {
    let name = rules["preset"].clone();
    let new: CreateMatchRequest = serde_json::from_value(serde_json::json!({"size": 2, "rules": rules}))?;
    let _: Option<&RuleSetRequest> = new.rules.as_ref();
    let (create, join, start) = (key()?, key()?, key()?);
    let made = done(async || host.create_match(Some(&create), &new).await).await?;
    let (id, code) = (made.match_id, made.join_code.ok_or("no code")?);
    let code = code.parse()?;
    let seed = JoinMatchRequest { client_seed: Some("rust".parse()?) };
    done(async || guest.join_match(&code, Some(&join), &seed).await).await?;
    done(async || host.start_match(&id, Some(&start)).await).await?;
    let (first, second) = tokio::try_join!(play_seat(host, id), play_seat(guest, id))?;
    let record = read(done(async || host.get_record(&id).await).await?).await?;
    let record: serde_json::Value = serde_json::from_slice(&record)?;
    assert_eq!(record["format"], "yaniv-record/1");
    println!("rust: {name}: {} rounds, {} actions", first.0.scores.len(), first.0.version);
    Ok(first.1 + second.1)
}

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:8080".to_owned());
    let (ada, bob) = (register(&url).await?, register(&url).await?);
    // Together they lead through every phase that a match can be in.
    let matches = [
        serde_json::json!({"preset": "speedy", "max_rounds": 3}),
        serde_json::json!({"preset": "kluft", "max_rounds": 3}),
        serde_json::json!({"preset": "yaniv", "max_rounds": 2, "over_limit": "swap", "response": "final_turn",
            "slam_down": "any", "card_requests": true}),
    ];
    let mut conflicts = 0;
    for rules in matches {
        conflicts += play_match(&ada, &bob, rules).await?;
    }
    println!("rust: {conflicts} version conflicts resolved");
    Ok(())
}
