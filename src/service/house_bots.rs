//! Bots of the house: accounts that nobody owns and nobody gets into, on whose seats the service plays.
//!
//! Here is who they are, how they come into matches, and what they play. When it is their turn is not asked here.
//! What a bot decides by is the engine's view of its seat and the log of the round without what was drawn: no more than
//! a person on its seat could know. Its chance comes from match, version and seat, so that everybody can check what it did.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use sha2::{Digest, Sha256};
use yaniv_bot::{History, Level, Sight};
use yaniv_engine::{Action, Card, Seat};

use super::ServiceError;
use super::challenge::{ChallengeStatus, Loaded};
use super::challenge_answers::accept_locked;
use super::lobby::LobbyChange;
use super::lobby_change::{apply, store};
use super::names::HOUSE_PREFIX;
use super::status::Status;
use super::table::Table;
use super::view::stored_action;
use crate::ids::AccountId;
use crate::store::accounts::AccountRow;
use crate::store::actions::{ActionRow, FLAG_RECYCLED, action_list};
use crate::store::challenges::challenge_find;
use crate::store::house_bots::{NewHouseBot, house_bot_insert_missing, house_bot_list};

/// Bots of each level: no match has more.
const EACH: usize = 9;

/// The level in a row of `accounts`, if it is a bot of the house.
pub fn level_of(stored: Option<&str>) -> Option<Level> {
    stored?.parse().ok()
}

/// The round in play, as everybody has seen it, from the log.
///
/// # Errors
/// Those of the database, and stored data that is damaged.
pub async fn history_load(connection: &AsyncPgConnection, table: &Table) -> Result<History, ServiceError> {
    let before = table.rounds.last().map_or(0, |round| round.last_version);
    let rows = action_list(connection, table.id(), before, table.version, i64::MAX).await?;
    history_of(table, &rows)
}

/// What a bot on this seat does now, where the match waits for it. None where it does not.
pub fn decide(table: &Table, history: &History, seat: Seat, level: Level) -> Option<Action> {
    let view = table.game.as_ref()?.view(Some(seat));
    let sight = Sight { view: &view, rules: table.rules(), seat, history };
    yaniv_bot::decide(&sight, level, seed(table, seat))
}

/// What a bot on this seat does without being waited for: a slam-down, or a request for a card.
pub fn volunteer(table: &Table, history: &History, seat: Seat, level: Level) -> Option<Action> {
    let view = table.game.as_ref()?.view(Some(seat));
    yaniv_bot::volunteer(&Sight { view: &view, rules: table.rules(), seat, history }, level)
}

/// The safe turn of a seat whose owner is absent. None where the match does not wait for it.
pub fn safe_turn(table: &Table, seat: Seat) -> Option<Action> {
    let view = table.game.as_ref()?.view(Some(seat));
    yaniv_bot::safe_turn(&view, table.rules())
}

/// A bot for each of these levels, no two the same; those that there are not yet are made.
pub(super) async fn take(
    connection: &AsyncPgConnection,
    levels: &[Level],
) -> Result<Vec<AccountRow>, ServiceError> {
    let mut bots: Vec<(Level, AccountRow)> = Vec::new();
    // In the same order everywhere, as two who make them wait for each other.
    for level in Level::ALL {
        let count = levels.iter().filter(|wanted| **wanted == level).count();
        if count > 0 {
            let rows = all_of(connection, level, |rows| rows.len() >= count).await?;
            bots.extend(rows.into_iter().map(|row| (level, row)));
        }
    }
    let mut taken = Vec::new();
    for level in levels {
        let place = bots.iter().position(|(other, _)| other == level).ok_or_else(none_left)?;
        taken.push(bots.remove(place).1);
    }
    Ok(taken)
}

/// Makes those of these names that are of bots of the house, if there are none yet.
pub(super) async fn make_named(connection: &AsyncPgConnection, names: &[String]) -> Result<(), ServiceError> {
    for level in Level::ALL {
        let own: Vec<String> = (1..=EACH).map(|number| name(level, number)).collect();
        let wanted: Vec<&String> = names.iter().filter(|name| own.contains(name)).collect();
        if !wanted.is_empty() {
            let there =
                |rows: &[AccountRow]| wanted.iter().all(|name| rows.iter().any(|row| row.username == **name));
            all_of(connection, level, there).await?;
        }
    }
    Ok(())
}

/// Has the bots of the house accept a challenge that has just been made, and answers how it stands then.
pub(super) async fn accept(
    connection: &AsyncPgConnection,
    challenger: AccountId,
    made: Loaded,
    at: DateTime<Utc>,
) -> Result<Loaded, ServiceError> {
    let bots = made.members.iter().filter(|member| level_of(member.level.as_deref()).is_some());
    let bots: Vec<AccountId> = bots.map(|member| AccountId(member.account_id)).collect();
    let id = made.id();
    let mut loaded = made;
    for bot in bots {
        if loaded.status(at) == ChallengeStatus::Open {
            accept_locked(connection, bot, loaded, "", at).await?;
        }
        let row = challenge_find(connection, challenger, id).await?.ok_or(ServiceError::ChallengeNotFound)?;
        loaded = Loaded::of(connection, row).await?;
    }
    Ok(loaded)
}

/// Takes the bots of the house out of a match that waits when nobody else is left in it, which ends it.
pub(super) async fn leave_with_the_last(
    connection: &AsyncPgConnection,
    table: &mut Table,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    if table.status != Status::Waiting || table.players.iter().any(|player| player.level.is_none()) {
        return Ok(());
    }
    let bots: Vec<AccountId> = table.players.iter().map(|player| player.account).collect();
    for bot in bots {
        let entry = apply(connection, table, bot, &LobbyChange::Leave, None, at).await?;
        store(connection, table, &entry).await?;
    }
    Ok(())
}

/// All bots of a level, made if those that there are will not do.
async fn all_of(
    connection: &AsyncPgConnection,
    level: Level,
    enough: impl Fn(&[AccountRow]) -> bool,
) -> Result<Vec<AccountRow>, ServiceError> {
    let rows = house_bot_list(connection, level.as_str()).await?;
    if enough(&rows) {
        return Ok(rows);
    }
    let new = |number| NewHouseBot::new(AccountId::generate().0, name(level, number), level.as_str());
    let missing: Vec<NewHouseBot> = (1..=EACH).map(new).collect();
    house_bot_insert_missing(connection, &missing).await?;
    Ok(house_bot_list(connection, level.as_str()).await?)
}

fn name(level: Level, number: usize) -> String {
    format!("{HOUSE_PREFIX}{level}_{number}")
}

fn none_left() -> ServiceError {
    ServiceError::internal(std::io::Error::other("the names of the bots of the house are in use"))
}

/// The round in play, from its entries of the log. What was drawn is left out, but for a card that was slammed down.
fn history_of(table: &Table, rows: &[ActionRow]) -> Result<History, ServiceError> {
    let round = table.game.as_ref().map_or(0, yaniv_engine::Match::round);
    let mut history = History::new(round);
    let played = rows.iter().filter(|row| row.is_action() && i32::from(row.round) == i32::from(round));
    for row in played {
        let action = stored_action(row)?;
        let shown = matches!(action, Action::Slam { .. });
        let slammed = row.drew.iter().flatten().find(|_| shown).copied().and_then(Card::from_index);
        let seat = row.seat.and_then(|seat| u8::try_from(seat).ok()).map(Seat::new);
        if let Some(seat) = seat {
            history.note(seat, &action, slammed, row.flags & FLAG_RECYCLED != 0);
        }
    }
    Ok(history)
}

/// The chance of a decision: of match, version and seat, which everybody knows.
fn seed(table: &Table, seat: Seat) -> u64 {
    let text = format!("yaniv-bot/1\n{}\n{}\n{seat}", table.id(), table.version);
    let hash: [u8; 32] = Sha256::digest(text).into();
    u64::from_be_bytes(hash.first_chunk().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use yaniv_engine::{Preset, Rules};

    use super::super::cause::Cause;
    use super::super::creation::{Drawn, NewMatch, new_row};
    use super::super::pace::Pace;
    use super::super::settled::Player;
    use super::super::table_start::Calendars;
    use super::*;
    use crate::store::actions::KIND_ACTION;

    /// A match of two bots, dealt.
    fn table() -> Table {
        let rules = Rules::new(Preset::Yaniv.options()).unwrap();
        let new = NewMatch {
            rules,
            preset: None,
            size: 2,
            random_seats: false,
            public: false,
            code_time: None,
            pace: Pace::unlimited(),
            sandbox: false,
            rated: false,
            secret: None,
        };
        let at = DateTime::UNIX_EPOCH;
        let row = new_row(&new, Drawn::draw().unwrap(), at).unwrap();
        let mut table = Table::empty(&row).unwrap();
        for (stored_seat, level) in [(0, Level::Hard), (1, Level::Medium)] {
            let (account, username) = (AccountId::generate(), name(level, 1));
            let level = Some(level);
            table.join(
                Player { account, username, bot: true, level, client_seed: String::new(), stored_seat },
                at,
            );
        }
        table.start(&Calendars::new(), at).unwrap();
        table
    }

    /// The entry of an action that was just played, with a card that it drew.
    fn entry(table: &Table, seat: Seat, action: &Action, drew: u8, flags: i16, round: i16) -> ActionRow {
        ActionRow {
            match_id: table.id().0,
            at: table.at,
            key_hash: None,
            fingerprint: None,
            version: table.version,
            round,
            flags,
            seat: Some(seat.number().into()),
            kind: KIND_ACTION,
            account_id: None,
            detail: action.to_string(),
            drew: Some(vec![drew]),
        }
    }

    #[test]
    fn two_bots_play_a_match_to_its_end_whatever_the_log_says_of_cards_drawn() {
        let mut table = table();
        let (mut rows, mut others) = (Vec::new(), Vec::new());
        while let Some(seat) = table.game.as_ref().and_then(yaniv_engine::Match::next_to_act) {
            let level = table.player(seat).unwrap().level.unwrap();
            let history = history_of(&table, &rows).unwrap();
            assert_eq!(history, history_of(&table, &others).unwrap());
            let action = decide(&table, &history, seat, level).unwrap();
            assert_eq!(decide(&table, &history, seat, level), Some(action.clone()), "the same again");
            assert!(safe_turn(&table, seat).is_some());
            let step = table.play(seat, &action, Cause::Player).unwrap();
            table.stamp(&step, DateTime::UNIX_EPOCH);
            let flags = if step.played.recycled { FLAG_RECYCLED } else { 0 };
            let round = i16::try_from(step.played.round).unwrap();
            rows.push(entry(&table, seat, &action, 1, flags, round));
            others.push(entry(&table, seat, &action, 2, flags, round));
            assert!(rows.len() < 5_000, "it does not end");
        }
        assert_eq!(table.status, Status::Finished);
        let seat = Seat::new(0);
        assert_eq!(decide(&table, &History::new(1), seat, Level::Easy), None, "there is nothing to do");
    }
}
