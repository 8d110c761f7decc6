//! Refusals name the cards, the reason and the values of the rules.

use yaniv_engine::{Action, Card, Code, Match, RuleOptions, Rules, Seat, SeedChain, Shuffler};

fn cards(codes: &str) -> Vec<Card> {
    codes.split(' ').map(|code| code.parse().expect("a card")).collect()
}

fn game(options: RuleOptions) -> Match {
    let shuffler = Shuffler::new(SeedChain::new([7; 32]), "refusals", &[String::new(), String::new()]);
    Match::start(&Rules::new(options).expect("within the bounds"), 2, &shuffler).expect("a match of two")
}

#[test]
fn what_is_no_meld_has_a_reason() {
    let usual = RuleOptions::default();
    let no_jokers = RuleOptions { jokers_in_runs: false, joker_pair: false, ..usual.clone() };
    let two_naturals = RuleOptions { min_naturals: 2, ..usual.clone() };
    for (options, thrown, reason) in [
        (&no_jokers, "XB XR", "jokers_alone"),
        (&usual, "9C XR", "joker_in_set"),
        (&usual, "9C TD", "different_suits"),
        (&usual, "9C TC JD", "different_suits"),
        (&usual, "9C 9D 8C", "different_suits"),
        (&usual, "9C TC", "too_few_cards"),
        (&usual, "9C JC QC", "not_consecutive"),
        (&usual, "AC KC QC", "not_consecutive"),
        (&usual, "9C 9C TC", "equal_ranks"),
        (&no_jokers, "9C XR JC", "joker_in_run"),
        (&two_naturals, "9C XR XB", "too_few_naturals"),
    ] {
        let thrown = cards(thrown);
        let refusal = game(options.clone()).check_discard(&thrown, &thrown).expect_err(reason);
        assert_eq!(refusal.code, Code::NotAMeld, "{thrown:?}");
        assert_eq!(refusal.values("reason").collect::<Vec<_>>(), [reason], "{thrown:?}: {refusal}");
    }
    let run = cards("TC 9C JC");
    let refusal = game(usual).check_discard(&run, &run).expect_err("out of order");
    assert_eq!(refusal.code, Code::RunOutOfOrder);
}

#[test]
fn each_card_that_is_not_in_the_hand_is_named_with_its_place() {
    let refusal = game(RuleOptions::default())
        .check_discard(&cards("9C 9D"), &cards("9C 9S 9C 9D"))
        .expect_err("two are missing");
    assert_eq!(refusal.code, Code::CardNotInHand);
    assert_eq!(refusal.values("place").collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(refusal.values("card").collect::<Vec<_>>(), ["9S", "9C"]);
}

#[test]
fn a_seat_that_does_not_exist_sees_and_does_nothing() {
    let mut state = game(RuleOptions::default());
    for seat in [2, 3, 9, 255].map(Seat::new) {
        assert_eq!(state.view(Some(seat)), state.view(None));
        assert_eq!(state.legal_actions(seat), []);
        assert_eq!((state.total(seat), state.is_out(seat)), (0, true));
        let shuffler = Shuffler::unseeded();
        let refusal = state.play(seat, &Action::Call { word: None }, &shuffler).expect_err("nobody's");
        assert_eq!(refusal.code, Code::SeatOut);
    }
}
