//! Challenges between players of whom one has blocked the other: no player is informed, none is seated.

use serde_json::{Value, json};

use crate::challenges::{get, listed, text};
use crate::support::{Player, TestApp, id};

async fn nothing_for(player: &Player, challenge: &str) {
    let path = format!("/v1/challenges/{challenge}");
    let none = player.get("/v1/challenges/0193aa00-0000-7000-8000-00000000000f").await;
    assert_eq!(player.get(&path).await.body, none.body);
    let accepted = player.accept_challenge(challenge, "").await;
    accepted.expect_problem(404, "challenge_not_found");
    assert_eq!(accepted.body, none.body);
    let declined = player.decline_challenge(challenge, &json!({})).await;
    declined.expect_problem(404, "challenge_not_found");
    assert!(!listed(player, "").await.contains(&challenge.to_owned()));
}

async fn make(player: &Player, opponents: &[&str]) -> String {
    id(&player.challenge(None, &json!({"opponents": opponents})).await.expect(201)).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_challenge_between_people_apart_looks_like_one_that_is_not_answered() {
    let app = TestApp::start().await;
    let (ada, bob, eve) = (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let friendly = make(&ada, &["eve"]).await;
    for blocker in [&ada, &bob] {
        let blocked = if blocker.name == "ada" { "bob" } else { "ada" };
        blocker.put(&format!("/v1/blocks/{blocked}")).await.expect(204);
        // The answer is the same as for any other challenge.
        let (with_bob, with_eve) = (make(&ada, &["bob"]).await, make(&ada, &["eve"]).await);
        let blank = |view: Value| {
            let members = view["members"].as_array().unwrap().len();
            (text(&view, "status").to_owned(), members, view["members"][1]["answer"].clone())
        };
        assert_eq!(blank(get(&ada, &with_bob).await), blank(get(&ada, &with_eve).await));
        nothing_for(&bob, &with_bob).await;
        // A third player sees it, and may accept; it does not start.
        let three = make(&ada, &["bob", "eve"]).await;
        nothing_for(&bob, &three).await;
        eve.accept_challenge(&three, "").await.expect(200);
        assert_eq!(text(&get(&ada, &three).await, "status"), "open");
        assert_eq!(text(&get(&ada, &with_bob).await, "status"), "open");
        blocker.delete(&format!("/v1/blocks/{blocked}")).await.expect(204);
        // After the block is lifted, it is there again.
        let seated = bob.accept_challenge(&three, "").await.expect(200);
        assert_eq!(text(&seated, "status"), "accepted");
    }
    // Two opponents, one of whom blocked the other: neither sees it, and the challenger is not informed.
    bob.put("/v1/blocks/eve").await.expect(204);
    let both = make(&ada, &["bob", "eve"]).await;
    nothing_for(&bob, &both).await;
    nothing_for(&eve, &both).await;
    assert_eq!(text(&get(&ada, &both).await, "status"), "open");
    get(&eve, &friendly).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_block_prevents_seating_and_is_not_revealed() {
    let app = TestApp::start().await;
    let (ada, bob, eve) = (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    // The challenger withdraws it.
    let made = make(&ada, &["bob", "eve"]).await;
    bob.accept_challenge(&made, "").await.expect(200);
    ada.put("/v1/blocks/bob").await.expect(204);
    for player in [&ada, &bob, &eve] {
        assert_eq!(text(&get(player, &made).await, "status"), "withdrawn");
    }
    ada.delete("/v1/blocks/bob").await.expect(204);

    // A player who has accepted declines, without a visible reason.
    let accepted = make(&ada, &["bob", "eve"]).await;
    bob.accept_challenge(&accepted, "").await.expect(200);
    bob.put("/v1/blocks/ada").await.expect(204);
    let seen = get(&ada, &accepted).await;
    assert_eq!(
        (text(&seen, "status"), text(&seen["members"][1], "decline_reason")),
        ("declined", "no_reason")
    );
    eve.accept_challenge(&accepted, "").await.expect_problem(409, "challenge_over");
    bob.delete("/v1/blocks/ada").await.expect(204);

    // A player who has not answered no longer sees it; for the others, including the blocked one, it is unanswered.
    for (blocker, blocked) in [(&bob, &ada), (&bob, &eve)] {
        let silent = make(&ada, &["bob", "eve"]).await;
        blocker.put(&format!("/v1/blocks/{}", blocked.name)).await.expect(204);
        nothing_for(&bob, &silent).await;
        assert_eq!(text(&get(&eve, &silent).await, "status"), "open");
        let answer = eve.accept_challenge(&silent, "").await.expect(200);
        assert_eq!((text(&answer, "status"), &answer["members"][1]["answer"]), ("open", &json!("none")));
        assert_eq!(text(&get(&ada, &silent).await, "status"), "open");
        blocker.delete(&format!("/v1/blocks/{}", blocked.name)).await.expect(204);
    }
    for player in [&ada, &bob, &eve] {
        assert_eq!(player.get("/v1/matches").await.expect(200)["items"], json!([]), "nobody was seated");
    }
}

/// A block stored past the service: it is detected when the last player accepts.
#[tokio::test(flavor = "multi_thread")]
async fn the_last_to_accept_is_not_seated_with_people_who_are_apart() {
    let app = TestApp::start().await;
    let (ada, bob, eve) = (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let block = |blocker: &str, blocked: &str| {
        format!(
            "INSERT INTO blocks SELECT a.id, b.id FROM accounts a, accounts b \
             WHERE a.username = '{blocker}' AND b.username = '{blocked}'"
        )
    };
    for (blocker, blocked, status) in [("bob", "ada", "declined"), ("ada", "bob", "withdrawn")] {
        let made = make(&ada, &["bob", "eve"]).await;
        bob.accept_challenge(&made, "").await.expect(200);
        app.run(&block(blocker, blocked)).await;
        eve.accept_challenge(&made, "").await.expect_problem(409, "challenge_over");
        assert_eq!(text(&get(&ada, &made).await, "status"), status);
        app.run("DELETE FROM blocks").await;
    }
    assert_eq!(eve.get("/v1/matches").await.expect(200)["items"], json!([]));
}

/// The block comes before or after the last acceptance, never half-way.
#[tokio::test(flavor = "multi_thread")]
async fn a_block_at_the_same_moment_as_the_last_acceptance_ends_it_one_way_or_the_other() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let (ada, bob, eve) = (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let there = bob.at(second);
    let mut seated = 0;
    for round in 0..20 {
        let made = make(&ada, &["bob", "eve"]).await;
        bob.accept_challenge(&made, "").await.expect(200);
        let blocked = if round % 2 == 0 { "ada" } else { "eve" };
        let path = format!("/v1/blocks/{blocked}");
        let (blocking, accepting) = tokio::join!(there.put(&path), eve.accept_challenge(&made, ""));
        blocking.expect(204);
        let accepted = accepting.status == 200;
        if accepted {
            assert_eq!(text(&accepting.expect(200), "status"), "accepted");
            seated += 1;
        }
        let seen = get(&ada, &made).await;
        assert_eq!(text(&seen, "status"), if accepted { "accepted" } else { "declined" });
        there.delete(&path).await.expect(204);
    }
    let matches = eve.get("/v1/matches").await.expect(200);
    assert_eq!(matches["items"].as_array().unwrap().len(), seated);
}
