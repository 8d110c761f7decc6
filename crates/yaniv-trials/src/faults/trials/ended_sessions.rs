//! P14: ended sessions and tokens are refused at once by the instance that ended them, and within a second by all
//! others.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Error;
use crate::faults::clients::group::PASSWORD;
use crate::faults::clients::sessions::{Session, is_accepted, post};
use crate::faults::report::Report;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::player::{Line, Lost, Request};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p14",
    promise: "Ended sessions and tokens are refused within a second by every instance",
    injects: "log-outs, ended sessions, revoked tokens and changed passwords",
    times: 1000,
    short: 12,
    bug: "what is ended is not ended",
    run,
    planted,
};

/// How soon every instance refuses.
const WITHIN: Duration = Duration::from_secs(1);
/// Pause between two checks.
const LOOK: Duration = Duration::from_millis(20);
/// Minimum number of checks in the short form, where a stalled machine (it runs other tests, too) must not count as a
/// fault of the service. The long form uses the time alone.
const LOOKS: usize = 45;
/// Accounts tested concurrently.
const PEOPLE: usize = 8;

/// The ways to end a session or token, in turn.
#[derive(Clone, Copy)]
enum Way {
    LogOut,
    EndOne,
    EndOthers,
    RevokeToken,
    ChangePassword,
}

const WAYS: [Way; 5] = [Way::LogOut, Way::EndOne, Way::EndOthers, Way::RevokeToken, Way::ChangePassword];

fn run(context: &Context) -> Result<Outcome, Error> {
    let stage = Stage::new(context, "p14")?;
    Ok(end_some(context, &stage, context.times)?.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let stage = Stage::new(context, "p14_planted")?;
    context.runtime.block_on(async { Plant::EndlessSessions.plant(&stage.database().await?).await })?;
    Ok(end_some(context, &stage, WAYS.len())?.into())
}

fn end_some(context: &Context, stage: &Stage, times: usize) -> Result<Report, Error> {
    let mut report = Report::default();
    let (each, looks) = (times.div_ceil(PEOPLE), context.long_or_short(0, LOOKS));
    let tasks: Vec<_> = (0..PEOPLE)
        .map(|person| context.runtime.spawn(one_person(stage.addresses.clone(), person, each, looks)))
        .collect();
    let mut slowest = Duration::ZERO;
    for task in tasks {
        let (found, longest) = context.runtime.block_on(task)??;
        report.add(found);
        slowest = slowest.max(longest);
    }
    report.note(format!("refused by the other instance {} ms later at most", slowest.as_millis()));
    Ok(report)
}

/// Ends one session or token after the other; returns the longest time until the other instance refused it.
async fn one_person(
    addresses: Vec<SocketAddr>,
    person: usize,
    times: usize,
    looks: usize,
) -> Result<(Report, Duration), Error> {
    let (mut report, mut slowest) = (Report::default(), Duration::ZERO);
    let (&[first, second], name) =
        (addresses.first_chunk().ok_or("there are two")?, format!("ending_{person}"));
    for number in 0..times {
        let way = *WAYS.get((person + number) % WAYS.len()).ok_or("there are ways")?;
        let (here, there) = if number.is_multiple_of(2) { (first, second) } else { (second, first) };
        // A password is changed only once per account: each of these uses a new one.
        let name = match way {
            Way::ChangePassword => format!("changing_{person}_{number}"),
            _ => name.clone(),
        };
        let ended = ended(way, (here, there), &name, looks).await?;
        report.injected += 1;
        report.acknowledged += 1;
        match ended {
            Some(after) => slowest = slowest.max(after),
            None => {
                report.twice += 1;
                report.find(format!(
                    "{name} is accepted {WITHIN:?} after the end, or by the instance that ended it"
                ));
            }
        }
    }
    Ok((report, slowest))
}

/// What is to be ended: its token, and the request that ends it.
struct Ending {
    victim: String,
    method: &'static str,
    path: String,
    body: Option<Value>,
}

impl Ending {
    fn delete(victim: String, path: impl Into<String>) -> Self {
        Self { victim, method: "DELETE", path: path.into(), body: None }
    }

    /// Prepares what this session ends; if that is another session, it is opened at the other instance.
    async fn prepare(way: Way, session: &Session, here: &mut Line, there: &Session) -> Result<Self, Error> {
        Ok(match way {
            Way::LogOut => Self::delete(session.access.clone(), "/v1/sessions/current"),
            Way::EndOne => Self::delete(there.access.clone(), format!("/v1/sessions/{}", there.id)),
            Way::EndOthers => Self::delete(there.access.clone(), "/v1/sessions/others"),
            Way::RevokeToken => {
                let wish = json!({"name": "bot", "scopes": ["read", "play"], "expires_in_days": 30});
                let made =
                    post(here, "/v1/tokens", &session.access, &wish).await.map_err(|Lost(error)| error)?;
                let made: Value = serde_json::from_slice(&made.body)?;
                let text = |pointer: &str| made.pointer(pointer).and_then(Value::as_str);
                let id = text("/personal_token/token_id").ok_or("no personal token")?;
                Self::delete(text("/token").unwrap_or_default().to_owned(), format!("/v1/tokens/{id}"))
            }
            Way::ChangePassword => Self {
                victim: there.access.clone(),
                method: "POST",
                path: "/v1/account/change-password".to_owned(),
                body: Some(json!({"current_password": PASSWORD, "new_password": "another password"})),
            },
        })
    }
}

/// Ends it at one instance; returns when the other refused it, if both did so in time.
async fn ended(
    way: Way,
    (here, there): (SocketAddr, SocketAddr),
    name: &str,
    least: usize,
) -> Result<Option<Duration>, Error> {
    let (mut near, mut far) = (Line::new(here), Line::new(there));
    let (session, other) = (Session::begin(here, name).await?, Session::begin(there, name).await?);
    let ending = Ending::prepare(way, &session, &mut near, &other).await?;
    let victim = ending.victim.as_str();
    if !(is_accepted(&mut near, victim).await? && is_accepted(&mut far, victim).await?) {
        return Err("what is to be ended is not accepted before".into());
    }
    let body = ending.body.map(|body| body.to_string().into());
    let request = Request {
        method: ending.method,
        path: &ending.path,
        token: &session.access,
        body,
        ..Request::default()
    };
    let answer = near.send(&request).await.map_err(|Lost(error)| error)?;
    if answer.status != 204 {
        return Err(format!("{} is answered {}", ending.path, answer.status).into());
    }
    let begun = Instant::now();
    if is_accepted(&mut near, victim).await? {
        return Ok(None);
    }
    let mut looks = 0;
    while looks < least || begun.elapsed() <= WITHIN {
        looks += 1;
        if !is_accepted(&mut far, victim).await? {
            return Ok(Some(begun.elapsed()));
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(None)
}
