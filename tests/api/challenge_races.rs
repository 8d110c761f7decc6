//! Concurrent answers to challenges, through two instances: each challenge ends in exactly one way, and if all have
//! accepted there is exactly one match of its members.

use std::collections::HashMap;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel_async::RunQueryDsl;
use serde_json::{Value, json};

use crate::challenges::text;
use crate::support::player::new_key;
use crate::support::{Answer, Player, TestApp, id};

const CHALLENGES: usize = 120;
const ACCOUNTS: usize = 30;
/// Concurrent challenges. A busy machine must read each request within the five seconds that a connection may take.
const AT_ONCE: usize = 5;

/// Concurrent actions of the members of a challenge.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plan {
    /// All accept.
    Accept,
    /// All accept, one of them through both instances at the same time.
    AcceptTwice,
    /// All accept while the challenger withdraws.
    Withdraw,
    /// All accept, and the last of them declines at the same time.
    Decline,
    /// All of that.
    Everything,
}

const PLANS: [Plan; 5] = [Plan::Accept, Plan::AcceptTwice, Plan::Withdraw, Plan::Decline, Plan::Everything];

#[derive(QueryableByName)]
struct Stored {
    #[diesel(sql_type = Text)]
    id: String,
    #[diesel(sql_type = Nullable<Text>)]
    outcome: Option<String>,
    #[diesel(sql_type = BigInt)]
    matches: i64,
    #[diesel(sql_type = BigInt)]
    seats: i64,
    #[diesel(sql_type = BigInt)]
    strangers: i64,
    #[diesel(sql_type = BigInt)]
    declined: i64,
}

async fn stored(app: &TestApp) -> Vec<Stored> {
    let mut connection = yaniv_db::connect(app.database.url()).await.unwrap();
    let query = "SELECT c.id::text AS id, c.outcome, \
         (SELECT count(*) FROM matches m WHERE m.id = c.match_id AND m.started_at = c.ended_at) AS matches, \
         (SELECT count(*) FROM seats s WHERE s.match_id = c.match_id) AS seats, \
         (SELECT count(*) FROM seats s WHERE s.match_id = c.match_id AND NOT EXISTS (SELECT FROM challenge_members m \
             WHERE m.challenge_id = c.id AND m.account_id = s.account_id)) AS strangers, \
         (SELECT count(*) FROM challenge_members m WHERE m.challenge_id = c.id AND m.declined_at IS NOT NULL) \
             AS declined FROM challenges c";
    diesel::sql_query(query).load(&mut connection).await.unwrap()
}

/// Retries while the service is busy.
async fn until_answered(ask: impl AsyncFn() -> Answer) -> Answer {
    loop {
        let answer = ask().await;
        if answer.status != 503 {
            return answer;
        }
    }
}

/// The answer as one word.
fn outcome(answer: &Answer) -> String {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let word = if answer.status == 200 { text(&body, "status") } else { text(&body, "code") };
    word.to_owned()
}

/// Sends all requests at once; returns each answer by its action. Withdrawing or declining may be sent first.
async fn act(
    challenge: &str,
    members: &[Player],
    others: &[Player],
    plan: Plan,
    ending_first: bool,
) -> Vec<(&'static str, String)> {
    let here = |number: usize| if number.is_multiple_of(2) { &members[number] } else { &others[number] };
    let last = members.len() - 1;
    let accepting = (1..=last).map(async |number| {
        let accept = async |player: &Player| {
            until_answered(async || player.accept_challenge(challenge, "seed").await).await
        };
        if number == 1 && matches!(plan, Plan::AcceptTwice | Plan::Everything) {
            let (one, two) = tokio::join!(accept(&members[number]), accept(&others[number]));
            assert_eq!(outcome(&one), outcome(&two), "twins");
            return ("accept", outcome(&one));
        }
        ("accept", outcome(&accept(here(number)).await))
    });
    let withdrawing = async {
        let ask = async || others[0].withdraw_challenge(challenge).await;
        match plan {
            Plan::Withdraw | Plan::Everything => Some(("withdraw", outcome(&until_answered(ask).await))),
            _ => None,
        }
    };
    let declining = async {
        let ask = async || here(last).decline_challenge(challenge, &json!({"reason": "not_now"})).await;
        match plan {
            Plan::Decline | Plan::Everything => Some(("decline", outcome(&until_answered(ask).await))),
            _ => None,
        }
    };
    let accepting = futures_util::future::join_all(accepting);
    let (mut told, withdrawn, declined) = if ending_first {
        let (withdrawn, declined) = tokio::join!(withdrawing, declining);
        (accepting.await, withdrawn, declined)
    } else {
        tokio::join!(accepting, withdrawing, declining)
    };
    told.extend(withdrawn.into_iter().chain(declined));
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn every_challenge_ends_in_exactly_one_way() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let mut players = Vec::new();
    for batch in 0..ACCOUNTS / AT_ONCE {
        let names: Vec<String> = (0..AT_ONCE).map(|place| format!("racer_{batch}_{place}")).collect();
        players.extend(futures_util::future::join_all(names.iter().map(|name| app.player(name))).await);
    }
    let others: Vec<Player> = players.iter().map(|player| player.at(second)).collect();
    let mut ended: HashMap<String, usize> = HashMap::new();
    let mut told = HashMap::new();
    for batch in 0..CHALLENGES / AT_ONCE {
        let racing = (0..AT_ONCE).map(async |place| {
            let number = batch * AT_ONCE + place;
            let (size, plan) = (3 + number % 3, PLANS[number % PLANS.len()]);
            let member = |step: usize| (number + step * 7) % ACCOUNTS;
            let (members, twins): (Vec<_>, Vec<_>) =
                (0..size).map(|step| (players[member(step)].clone(), others[member(step)].clone())).unzip();
            let opponents: Vec<&str> = members[1..].iter().map(|player| player.name.as_str()).collect();
            let body = json!({"opponents": opponents});
            // With a key: a retry creates no second challenge.
            let key = new_key();
            let ask = async || members[0].challenge(Some(&key), &body).await;
            let made = until_answered(ask).await.expect(201);
            // First in a third of the batches, so that each ending occurs.
            let said = act(id(&made), &members, &twins, plan, batch % 3 == 0).await;
            let path = format!("/v1/challenges/{}", id(&made));
            let get =
                async |player: &Player| until_answered(async || player.get(&path).await).await.expect(200);
            let seen = get(&twins[0]).await;
            for member in &members {
                let mine = get(member).await;
                assert_eq!((&mine["status"], &mine["match_id"]), (&seen["status"], &seen["match_id"]));
            }
            (id(&made).to_owned(), size, text(&seen, "status").to_owned(), said, plan)
        });
        for (challenge, size, status, said, plan) in futures_util::future::join_all(racing).await {
            check_told(&status, &said, plan);
            *ended.entry(status.clone()).or_default() += 1;
            told.insert(challenge, (size, status));
        }
    }
    for row in stored(&app).await {
        let (size, status) = &told[&row.id];
        assert_eq!(row.outcome.as_ref(), Some(status));
        let size = if status == "accepted" { i64::try_from(*size).unwrap() } else { 0 };
        assert_eq!((row.matches, row.seats, row.strangers), (i64::from(size > 0), size, 0), "{}", row.id);
        assert_eq!(row.declined, i64::from(status == "declined"));
    }
    assert_eq!(ended.values().sum::<usize>(), CHALLENGES);
    assert!(ended.len() == 3 && ended.values().all(|count| *count > 4), "all ways were seen: {ended:?}");
}

/// The answer that claims to have ended it is correct, and there is only one.
fn check_told(status: &str, said: &[(&'static str, String)], plan: Plan) {
    let all = |what: &'static str| said.iter().filter(move |(did, _)| *did == what);
    match plan {
        Plan::Accept | Plan::AcceptTwice => assert_eq!(status, "accepted"),
        _ => assert!(["accepted", "withdrawn", "declined"].contains(&status), "{status}"),
    }
    for (did, word) in all("withdraw").chain(all("decline")) {
        let ending = if *did == "withdraw" { "withdrawn" } else { "declined" };
        assert_eq!(word == ending, status == ending, "{did}: {word}, but it is {status}");
        assert!(word == ending || word == "challenge_over", "{did}: {word}");
    }
    let made = all("accept").filter(|(_, word)| word == "accepted").count();
    assert_eq!(made, usize::from(status == "accepted"), "one of them was the last: {said:?}");
    for (_, word) in all("accept") {
        assert!(["open", "accepted", "challenge_over"].contains(&word.as_str()), "{word}");
        assert!(word != "challenge_over" || status != "accepted", "{said:?}");
    }
}
