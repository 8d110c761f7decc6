//! `yaniv play`, driven through pipes.

use super::support::{PASSWORD, Scratch, Service, Terminal, sit_down};

#[test]
fn who_needs_an_invitation_is_asked_for_it() {
    let (service, home) = (Service::start_with(&[("YANIV_SIGN_UP", "invitation")]), Scratch::new());
    let code = service.invitation();
    let mut ada = Terminal::open(&home, &["--server", &service.url(), "--user", "ada"]);
    ada.hears("Is ada a new player here? [y/n]");
    ada.types("y");
    ada.hears("Choose a password");
    ada.types(PASSWORD);
    ada.hears("The same again:");
    ada.types(PASSWORD);
    ada.hears("needs an invitation.");
    ada.hears("The code of your invitation:");
    ada.types("nonsense");
    ada.hears("The invitation is unknown");
    ada.hears("The code of your invitation:");
    ada.types(&code.to_lowercase());
    ada.hears("You are registered as ada.");
}

#[test]
fn two_play_by_typing() {
    let (service, home) = (Service::start(), Scratch::new());
    let [mut first, mut second] = sit_down(&service.url(), &home);
    let table = first.hears("Your move:");
    for part in ["Pile: ", "Stock: ", "Your cards: ", "You can throw", "your turn", "s   from the stock"] {
        assert!(table.contains(part), "{part} in {table}");
    }
    // Invalid input is explained, and nothing is sent.
    for (typed, answer) in [
        ("99 s", "There is no throw number 99"),
        ("hello", "What is \"hello\"?"),
        ("1 p9", "You cannot draw like that now"),
        ("s", "What do you throw?"),
        ("keep", "Nobody has asked you for a card"),
        ("slam", "There is nothing to slam down now"),
        ("1 s !", "There is no slamming down in this match"),
        ("help", "A turn is: throw one or more cards, then draw one."),
        ("rules", "3 cards each from one pack of hearts and spades with a joker"),
        ("scores", "No round is over yet."),
        ("log", "dealt the first cards."),
        ("", "Round 1 of Yaniv"),
    ] {
        first.types(typed);
        first.hears(answer);
    }
    second.types("1 s");
    second.hears("It is not your turn. Waiting for ");
    assert!(!second.has_heard("You threw"), "not before their turn");

    // A player who waits may leave, and sees afterwards what has happened.
    second.types("");
    second.hears("Your matches");
    second.hears("Your choice:");

    first.types("1 s");
    first.hears("You threw ");
    let drew = first.hears("from the stock.");
    assert!(drew.contains(" and drew "), "{drew}");
    first.hears("Waiting for ");
    second.types("");
    second.hears("Your turn");
    second.hears("Your choice:");
    second.types("1");
    let told = second.hears("drew from the stock.");
    assert!(told.contains(" threw "), "{told}");
    second.hears("Your move:");
    // Cards can be typed, too: the first discard as listed.
    second.types("table");
    second.hears("and draw");
    second.hears("   1  ");
    let listed = second.hears(" off").replace(" off", "");
    let cards: Vec<&str> = listed.split_whitespace().filter(|word| word.parse::<i32>().is_err()).collect();
    second.types(&format!("{} s", cards.join(" ").to_lowercase()));
    second.hears("You threw ");

    for terminal in [&mut first, &mut second] {
        terminal.types("auto");
    }
    for terminal in [&mut first, &mut second] {
        terminal.hears("Round 1 is over: ");
        terminal.hears("The match is over: ");
        terminal.hears("  2. ");
        terminal.types("quit");
    }
    let said = first.closes();
    assert!(!said.contains(PASSWORD) && !said.contains('\x1b'), "plain text: {said}");
    second.closes();
}

#[test]
fn two_programs_play_a_whole_match_by_themselves() {
    let (service, home) = (Service::start(), Scratch::new());
    let url = service.url();
    let mut ada = Terminal::open(&home, &["--server", &url, "--user", "ada", "--auto"]);
    ada.registers("ada");
    let code = ada.creates("yaniv max_rounds=2");
    let mut bob = Terminal::open(&home, &["--server", &url, "--user", "bob", "--auto", &code]);
    bob.registers("bob");
    ada.hears("The match is over: ");
    ada.types("quit");
    let (ada, bob) = (ada.closes(), bob.closes());
    for said in [&ada, &bob] {
        assert!(said.contains("Round 1 is over: ") && said.contains("Round 2 is over: "), "{said}");
    }
    let winner = |said: &str| said.contains("The match is over: you win!");
    assert!(winner(&ada) != winner(&bob) || ada.contains("the win is shared"), "{ada}\n{bob}");
}

#[test]
fn a_turn_survives_a_service_that_goes_away() {
    let (mut service, home) = (Service::start(), Scratch::new());
    let [mut first, mut second] = sit_down(&service.url(), &home);
    first.hears("Your move:");
    service.kill();
    second.hears("No answer from ");
    first.types("1 s");
    first.hears("No answer from ");
    service.restart();
    first.hears("The service answers again.");
    first.hears("You threw ");
    second.hears("drew from the stock.");
    second.hears("Your move:");
    second.types("log");
    let log = second.hears("Your move:");
    assert_eq!(log.matches(" threw ").count(), 1, "once: {log}");
    first.types("quit");
    second.types("quit");
    first.closes();
    second.closes();
}
