//! The content in every situation and language, and its size.

use uuid::Uuid;
use yaniv_db::notifications::channels::WEB_PUSH;

use super::*;

fn claimed(kind: Kind) -> ClaimedDelivery {
    let now: DateTime<Utc> = "2026-11-24T06:00:00Z".parse().unwrap();
    ClaimedDelivery {
        id: Uuid::max(),
        channel_id: Uuid::nil(),
        account_id: Uuid::nil(),
        kind: kind.name().to_owned(),
        match_id: (!matches!(kind, Kind::Invited | Kind::Test)).then(Uuid::max),
        version: Some(20_000),
        challenge_id: (kind == Kind::Invited).then(Uuid::max),
        deadline: (kind == Kind::DeadlineNear).then(|| "2026-11-24T16:30:00Z".parse().unwrap()),
        happened_at: now,
        attempts: 0,
        format: WEB_PUSH.to_owned(),
        url: "https://push.example/send".to_owned(),
        host: "push.example".to_owned(),
        link: None,
        immediate: false,
        secret: vec![7; 16],
        previous_secret: None,
        public_key: None,
        open: true,
        holds: true,
        username: "ada".to_owned(),
        language: None,
        time_zone: None,
        challenger: None,
        waiting: Some(100),
        looked_at: None,
        quiet_zone: None,
        quiet_from: None,
        quiet_to: None,
        now,
    }
}

fn against(names: &[&str], player: Option<&str>, topic: Topic) -> Situation {
    let opponents = names.iter().map(|name| (*name).to_owned()).collect();
    Situation { opponents, player: player.map(str::to_owned), topic }
}

fn turn(phase: PhaseKind, first: bool) -> Topic {
    Topic::Turn(Turn { round: 3, phase, first, word: "yaniv".to_owned() })
}

fn over(place: Option<i32>, shared: bool) -> Topic {
    Topic::Match { rounds: 12, players: 4, place, shared }
}

/// Every situation of each kind, with its English title.
fn situations() -> Vec<(Kind, Situation, &'static str)> {
    use Kind::{DeadlineNear, Invited, MatchOver, Nudged, RoundOver, TableFull, Test, YourTurn};
    use PhaseKind::{Challenge, FinalTurn, MustPlay, Request, Swap, Turn as Play};
    let with = |player, topic| against(&["ben", "eva", "tom"], player, topic);
    vec![
        (YourTurn, with(None, turn(Play, false)), "Your turn"),
        (YourTurn, with(None, turn(Play, true)), "Your turn"),
        (YourTurn, with(None, turn(MustPlay, false)), "Your turn"),
        (YourTurn, with(Some("eva"), turn(FinalTurn, false)), "eva called Yaniv"),
        (YourTurn, with(Some("eva"), turn(Challenge, false)), "eva called Yaniv"),
        (YourTurn, with(Some("eva"), turn(Swap, false)), "eva offers to swap hands"),
        (YourTurn, with(Some("eva"), turn(Request, false)), "eva asks for a card"),
        (DeadlineNear, with(None, turn(Play, false)), "Your time runs out"),
        (TableFull, with(None, Topic::None), "Your table is full"),
        (Nudged, with(Some("tom"), turn(Play, false)), "tom is waiting for you"),
        (Invited, against(&[], Some("ben"), Topic::None), "Challenge from ben"),
        (RoundOver, with(None, Topic::Round { round: 3, scored: Some((7, 31)) }), "Round 3 is over"),
        (RoundOver, with(None, Topic::Round { round: 3, scored: None }), "Round 3 is over"),
        (MatchOver, with(None, over(Some(1), false)), "You have won!"),
        (MatchOver, with(None, over(Some(1), true)), "A shared win"),
        (MatchOver, with(None, over(Some(2), true)), "The match is over"),
        (MatchOver, with(None, over(None, false)), "The match is over"),
        (Test, against(&[], None, Topic::None), "Notifications work"),
    ]
}

fn content<'a>(told: &'a ClaimedDelivery, situation: &'a Situation) -> Content<'a> {
    Content::new(told, situation, None)
}

#[test]
fn every_situation_has_a_text_in_every_language_and_the_same_parameters() {
    for (kind, situation, title) in situations() {
        let mut told = claimed(kind);
        assert_eq!(content(&told, &situation).text.title, title);
        let parameters = content(&told, &situation).parameters();
        let mut bodies = Vec::new();
        for language in Language::ALL {
            told.language = Some(language.tag().to_owned());
            let said = content(&told, &situation);
            assert_eq!((said.language, said.parameters()), (language, parameters.clone()));
            assert!(!said.text.title.is_empty() && !bodies.contains(&said.text.body), "{:?}", said.text);
            bodies.push(said.text.body);
        }
    }
}

#[test]
fn the_parameters_are_those_of_the_kind() {
    let names = |kind, situation: &Situation| {
        let parameters = content(&claimed(kind), situation).parameters();
        parameters.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    let of_match = "username match_id version opponents";
    for (kind, situation, _) in situations() {
        let expected = match &situation.topic {
            Topic::None if kind == Kind::Invited => "username version challenge_id challenger".to_owned(),
            Topic::None if kind == Kind::TableFull => of_match.to_owned(),
            Topic::None => "username version".to_owned(),
            Topic::Turn(turn) => {
                let actor = situation.player.as_ref().map(|_| format!(" {}", actor(kind, turn.phase)));
                let deadline = if kind == Kind::DeadlineNear { " deadline" } else { "" };
                format!("{of_match} round phase{}{deadline}", actor.unwrap_or_default())
            }
            Topic::Round { scored: Some(_), .. } => format!("{of_match} round score total"),
            Topic::Round { .. } => format!("{of_match} round"),
            Topic::Match { place: Some(_), .. } => format!("{of_match} rounds players place"),
            Topic::Match { .. } => format!("{of_match} rounds players"),
        };
        assert_eq!(names(kind, &situation), expected);
    }
}

#[test]
fn a_deadline_is_in_the_zone_of_the_player() {
    let situation = against(&["ben"], None, turn(PhaseKind::Turn, false));
    let mut told = claimed(Kind::DeadlineNear);
    for (language, zone, body) in [
        (None, None, "Until Tue 16:30 UTC: round 3 against ben."),
        (Some("de-AT"), Some("Europe/Vienna"), "Bis Di 17:30: Runde 3 gegen ben."),
        (Some("nl"), Some("Pacific/Auckland"), "Tot wo 05:30: ronde 3 tegen ben."),
        (Some("ne"), Some("Asia/Kathmandu"), "मंगल 22:15 सम्म: राउन्ड 3, ben सँग।"),
        (Some("he"), Some("Asia/Jerusalem"), "עד יום ג׳ 18:30: סיבוב 3 מול \u{2068}ben\u{2069}."),
        (Some("fr"), Some("Europe/Gone"), "Until Tue 16:30: round 3 against ben."),
    ] {
        (told.language, told.time_zone) = (language.map(str::to_owned), zone.map(str::to_owned));
        assert_eq!(content(&told, &situation).text.body, body);
    }
}

#[test]
fn the_longest_content_leaves_room_for_the_longest_link() {
    let names: Vec<String> = (0..9).map(|number| format!("the_longest_username{number}")).collect();
    let names: Vec<&str> = names.iter().map(|name| &name[1..]).collect();
    for (kind, situation, _) in situations() {
        let player = situation.player.as_ref().map(|_| "the_longest_username");
        let situation = against(&names, player, situation.topic);
        for language in Language::ALL {
            let mut told = claimed(kind);
            told.language = Some(language.tag().to_owned());
            let link = format!("https://play.example/{{kind}}/{{id}}/{}", "a".repeat(967));
            assert_eq!(link.len(), 1000);
            told.link = Some(link);
            let said = content(&told, &situation);
            let size = crate::notifications::outbox::payload::declarative(&said).to_string().len();
            assert!(size <= 2900, "{kind:?} {language:?} {size}");
        }
    }
}
