//! How players meet: links, quick pairing, challenges, rematches; and marked bots.

use serde_json::{Value, json};

use super::support::{PASSWORD, SHORT, Scratch, Service, Terminal, sit_down};

/// A player in the lobby.
fn at_home(url: &str, home: &Scratch, name: &str) -> Terminal {
    let mut terminal = Terminal::open(home, &["--server", url, "--user", name]);
    terminal.registers(name);
    terminal.hears("Your choice:");
    terminal
}

#[test]
fn a_link_leads_to_the_service_and_to_the_match() {
    let (service, home) = (Service::start(), Scratch::new());
    let url = service.url();
    let mut ada = at_home(&url, &home, "ada");
    ada.types("");
    let code = ada.creates(SHORT);
    // Only the link names the service.
    let link = format!("{url}/join/{}", code.to_lowercase());
    let mut bob = Terminal::open(&Scratch::new(), &["--join", &link]);
    bob.hears(&format!("Welcome to Yaniv at {url}"));
    bob.hears("Your name:");
    bob.types("bob");
    bob.registers("bob");
    bob.hears("ada invites to a match");
    bob.types("");
    bob.hears("At the table: ada, bob; 2 of 2 seats taken");
    bob.types("");
    // It can also be typed, in any form; links to other services are not followed.
    for shared in [link, format!("yaniv://join/{code}"), code.clone()] {
        bob.hears("Your choice:");
        bob.types(&shared);
        bob.hears("At the table: ada, bob");
        bob.types("");
    }
    bob.hears("Your choice:");
    bob.types(&format!("https://yaniv.example/join/{code}"));
    bob.hears("That link is of another service.");
}

#[test]
fn two_strangers_are_in_one_match_by_one_request_each() {
    let (service, home) = (Service::start(), Scratch::new());
    let url = service.url();
    let pair = ["--server", &url, "--pair", "2", "--rules", SHORT, "--user"];
    let mut ada = Terminal::open(&home, &[&pair[..], &["ada"]].concat());
    ada.registers("ada");
    ada.hears("You wait for a match of Yaniv with own rules with 2 players.");
    ada.hears("Waiting for others.");
    let mut bob = Terminal::open(&home, &[&pair[..], &["bob"]].concat());
    bob.registers("bob");
    for terminal in [&mut ada, &mut bob] {
        terminal.hears("Enough want to play: the match has begun.");
        terminal.hears("Round 1 of Yaniv");
    }

    // A request waits although its player has left, and can be withdrawn.
    let mut carol = at_home(&url, &home, "carol");
    carol.types("pair 3");
    carol.hears("with 3 players.");
    carol.types("");
    carol.hears("Matches to come");
    carol.hears("  1  Yaniv, 3 players: waits for others");
    carol.types("1");
    carol.hears("Waiting for others.");
    carol.types("leave");
    carol.hears("You no longer wait for this match: withdrawn.");
    assert!(!carol.hears("Your choice:").contains("Matches to come"));
    carol.types("pair 3 nonsense");
    carol.hears("There are no rules \"nonsense\"");
}

#[test]
fn a_challenge_is_declined_with_a_reason_or_accepted_and_played() {
    let (service, home) = (Service::start(), Scratch::new());
    let url = service.url();
    let (mut ada, mut bob) = (at_home(&url, &home, "ada"), at_home(&url, &home, "bob"));
    bob.types("challenge nobody_there");
    bob.hears("Not possible: ");
    bob.hears("Your choice:");
    bob.types(&format!("challenge Ada {SHORT}"));
    bob.hears("No answer yet from ada.");
    ada.types("");
    ada.hears("  1  bob challenges ada: Yaniv with own rules");
    ada.types("1");
    ada.hears("3 cards each");
    ada.hears("Accept? [y/n]");
    ada.types("n");
    ada.hears("  2  not now");
    ada.hears("Your reason [1]:");
    ada.types("2");
    ada.hears("You have declined.");
    bob.hears("ada has declined: not now.");
    bob.hears("Your choice:");
    bob.types("old");
    bob.hears("You challenge ada: Yaniv with own rules. ada has declined: not now.");
    bob.hears("Your choice:");
    bob.types("quit");
    bob.closes();

    // A player who was away finds the match in the list.
    let mut bob = Terminal::open(&home, &["--user", "bob", "--challenge", "ada", "--rules", SHORT]);
    bob.hears("No answer yet from ada.");
    bob.types("");
    bob.hears("  1  You challenge ada: Yaniv with own rules. No answer yet from ada.");
    ada.hears("Your choice:");
    ada.types("");
    ada.hears("  1  bob challenges ada");
    ada.types("1");
    ada.hears("Accept?");
    ada.types("y");
    ada.hears("Everybody has accepted: the match has begun.");
    ada.hears("Round 1 of Yaniv");
    bob.types("");
    bob.hears("  1  Yaniv with own rules, round 1: bob 0, ada 0.");
}

#[test]
fn the_same_people_play_again() {
    let (service, home) = (Service::start(), Scratch::new());
    let [mut first, mut second] = sit_down(&service.url(), &home);
    for terminal in [&mut first, &mut second] {
        terminal.types("auto");
    }
    for terminal in [&mut first, &mut second] {
        terminal.hears("The match is over: ");
        terminal.hears("Again? rematch offers it.");
    }
    first.types("scores");
    first.hears("(points of the round");
    first.types("rematch");
    first.hears("No answer yet from ");
    second.hears(" offers a rematch: rematch accepts, decline declines.");
    second.types("rematch");
    for terminal in [&mut first, &mut second] {
        terminal.hears("Everybody has accepted: the match has begun.");
        terminal.hears("Round 1 of Yaniv");
    }
    // A player who opens the old match later is led to the new one.
    let mover = if first.has_heard("Your move:") { &mut second } else { &mut first };
    mover.types("back");
    mover.hears("Your choice:");
    mover.types("old");
    mover.hears("over since");
    mover.types("1");
    mover.hears("A rematch has begun: rematch goes there.");
    mover.types("rematch");
    mover.hears("Round 1 of Yaniv");
}

/// The bot is created by HTTP requests, as there is no command for it.
#[tokio::test(flavor = "multi_thread")]
async fn bots_are_marked_in_the_list_and_at_the_table() {
    let (service, home) = (Service::start(), Scratch::new());
    let url = service.url();
    let mut ada = at_home(&url, &home, "ada");
    ada.types("");
    let code = ada.creates(SHORT);
    let http = reqwest::Client::new();
    let post = async |path: String, token: String, body: Value| {
        let request = http.post(format!("{url}{path}")).bearer_auth(token).json(&body);
        request.send().await.unwrap().json::<Value>().await.unwrap()
    };
    let log_in = json!({"username": "ada", "password": PASSWORD});
    let session = post("/v1/sessions".to_owned(), String::new(), log_in).await;
    let owner = session["access_token"].as_str().unwrap().to_owned();
    let bot = post("/v1/bots".to_owned(), owner.clone(), json!({"username": "robin"})).await;
    let path = format!("/v1/bots/{}/tokens", bot["bot_id"].as_str().unwrap());
    let wish = json!({"name": "test", "scopes": ["read", "play"], "expires_in_days": 1});
    let token = post(path, owner, wish).await["token"].as_str().unwrap().to_owned();
    post(format!("/v1/join-codes/{code}/seats"), token, json!({})).await;
    ada.hears("At the table: ada, robin (bot); 2 of 2 seats taken.");
    ada.types("");
    ada.hears("2 of 2 seats taken (ada, robin (bot))");
    ada.types("1");
    ada.hears("All are here");
    ada.types("start");
    ada.hears("robin (bot)");
}
