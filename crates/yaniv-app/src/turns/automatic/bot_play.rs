//! Decisions of house bots. Their turns are scheduled by `due_matches` and played by `timeouts`.
//!
//! A bot decides on the engine's view of its seat and the log of the round without drawn cards: no more than
//! a human player on its seat could know. Its randomness is derived from match, version and seat, so that
//! every decision can be verified.

use sha2::{Digest, Sha256};
use yaniv_bot::{History, Level, Sight};
use yaniv_db::Connection;
use yaniv_engine::{Action, Seat};
use yaniv_match::MatchState;
use yaniv_match::event::LoggedEvent;

use crate::ServiceError;
use crate::matches::log::log_load;

/// Maximum number of log entries of a match in which only bots still play; then they resign.
///
/// Rules may make a match of 20,000 actions. Few matches of usual rules have as many entries.
const MOST_ALONE: i32 = 1_000;

/// The public history of the round in play, from the log.
///
/// # Errors
/// Those of the database, and damaged data.
pub(crate) async fn history_load(
    connection: &Connection,
    state: &MatchState,
) -> Result<History, ServiceError> {
    let before = state.rounds().last().map_or(0, |round| round.last_version);
    let (log, _) = log_load(connection, state.id(), (before, state.version()), i64::MAX).await?;
    Ok(history_of(state, &log))
}

/// The action of a bot on this seat; `None` if the seat does not have to act.
pub(crate) fn decide(state: &MatchState, history: &History, seat: Seat, level: Level) -> Option<Action> {
    let view = state.game()?.view(Some(seat));
    let sight = Sight { view: &view, rules: state.rules(), seat, history };
    yaniv_bot::decide(&sight, level, seed(state, seat))
}

/// The voluntary action of a bot on this seat: a slam-down, or a request for a card.
pub(crate) fn volunteer(state: &MatchState, history: &History, seat: Seat, level: Level) -> Option<Action> {
    let view = state.game()?.view(Some(seat));
    yaniv_bot::volunteer(&Sight { view: &view, rules: state.rules(), seat, history }, level)
}

/// Whether only bots are left, in a match that has gone on for long.
pub(crate) fn plays_alone_for_long(state: &MatchState) -> bool {
    let Some(game) = state.game().filter(|_| state.version() > MOST_ALONE) else { return false };
    let seats = (0_u8..).map(Seat::new).take(state.players().len());
    seats.filter(|seat| !game.is_out(*seat)).all(|seat| state.plays_itself(seat))
}

/// The safe turn of an absent player's seat; `None` if the seat does not have to act.
pub(crate) fn safe_turn(state: &MatchState, seat: Seat) -> Option<Action> {
    let view = state.game()?.view(Some(seat));
    yaniv_bot::safe_turn(&view, state.rules())
}

/// The public history of the round in play. Drawn cards are left out, except a card that was slammed down.
fn history_of(state: &MatchState, log: &[LoggedEvent]) -> History {
    let round = state.game().map_or(0, yaniv_engine::Match::round);
    let mut history = History::new(round);
    for entry in log.iter().filter(|entry| i32::from(entry.round) == i32::from(round)) {
        if let Some(action) = entry.action() {
            history.note(action.seat, &action.action, action.slammed(), action.recycled);
        }
    }
    history
}

/// The random seed of a decision, from public data: match, version and seat.
fn seed(state: &MatchState, seat: Seat) -> u64 {
    let text = format!("yaniv-bot/1\n{}\n{}\n{seat}", state.id(), state.version());
    let hash: [u8; 32] = Sha256::digest(text).into();
    u64::from_be_bytes(hash.first_chunk().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use yaniv_engine::{Card, Preset, RuleOptions, Rules};
    use yaniv_match::Calendars;
    use yaniv_match::event::{LogEvent, Name, Names};
    use yaniv_match::origin::ActionOrigin;
    use yaniv_match::status::Status;
    use yaniv_match::time_control::TimeControl;
    use yaniv_model::ids::AccountId;

    use super::*;
    use crate::lobby::create::{Drawn, NewMatch, new_row};
    use crate::matches::load::empty_match;

    /// A match of two with these levels, dealt.
    fn new_state(options: RuleOptions, levels: [Option<Level>; 2]) -> MatchState {
        let rules = Rules::new(options).unwrap();
        let new = NewMatch {
            rules,
            preset: None,
            size: 2,
            random_seats: false,
            public: false,
            code_time: None,
            time_control: TimeControl::unlimited(),
            sandbox: false,
            rated: false,
            secret: None,
        };
        let at = DateTime::UNIX_EPOCH;
        let row = new_row(&new, Drawn::draw().unwrap(), at).unwrap();
        let mut state = empty_match(&row).unwrap();
        let account = AccountId::generate();
        for level in levels {
            let account = AccountId::generate();
            let name = Name { username: format!("bot_{}", account.0), display_name: None, bot: true, level };
            let joined = LogEvent::Joined { account, client_seed: String::new() };
            state.apply(&joined, at, &Names::from([(account.0, name)])).unwrap();
        }
        let started = LogEvent::Started { account, calendars: Calendars::new() };
        state.apply(&started, at, &Names::new()).unwrap();
        state
    }

    #[test]
    fn two_bots_play_a_match_to_its_end_whatever_the_log_says_of_cards_drawn() {
        let mut state = new_state(Preset::Yaniv.options(), [Some(Level::Hard), Some(Level::Medium)]);
        let (mut log, mut others) = (Vec::new(), Vec::new());
        while let Some(seat) = state.game().and_then(yaniv_engine::Match::next_to_act) {
            let level = state.player(seat).unwrap().level.unwrap();
            let history = history_of(&state, &log);
            assert_eq!(history, history_of(&state, &others));
            let action = decide(&state, &history, seat, level).unwrap();
            assert_eq!(decide(&state, &history, seat, level), Some(action.clone()), "the same again");
            assert!(safe_turn(&state, seat).is_some());
            let step = state.play(seat, &action, ActionOrigin::Player).unwrap();
            state.stamp(&step, DateTime::UNIX_EPOCH);
            for (log, card) in [(&mut log, 1), (&mut others, 2)] {
                let steps = std::slice::from_ref(&step);
                let mut entry = LoggedEvent::of_steps(&state, seat, steps, state.at()).next().unwrap();
                if let LogEvent::Action(action) = &mut entry.event {
                    action.drew = vec![Card::from_index(card).unwrap()];
                }
                log.push(entry);
            }
            assert!(log.len() < 5_000, "it does not end");
        }
        assert_eq!(state.status(), Status::Finished);
        let seat = Seat::new(0);
        assert_eq!(decide(&state, &History::new(1), seat, Level::Easy), None, "there is nothing to do");
    }
    #[test]
    fn bots_play_alone_for_a_thousand_entries_at_most() {
        let easy = Some(Level::Easy);
        for (levels, alone) in [([easy, easy], true), ([easy, None], false)] {
            let mut state = new_state(RuleOptions { call_limit: Some(0), ..Preset::Yaniv.options() }, levels);
            while state.version() <= MOST_ALONE {
                assert!(!plays_alone_for_long(&state));
                let seat = state.game().and_then(yaniv_engine::Match::next_to_act).unwrap();
                let action = safe_turn(&state, seat).unwrap();
                let step = state.play(seat, &action, ActionOrigin::Player).unwrap();
                state.stamp(&step, DateTime::UNIX_EPOCH);
            }
            assert_eq!(plays_alone_for_long(&state), alone);
        }
    }
}
