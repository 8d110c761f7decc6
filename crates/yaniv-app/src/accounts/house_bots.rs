//! House bots: accounts without an owner and without log-in. Their turns are played in
//! `turns::automatic::bot_play`.

use yaniv_bot::Level;
use yaniv_db::Connection;
use yaniv_db::accounts::account_rows::AccountRow;
use yaniv_db::accounts::house_bots::{NewHouseBot, house_bot_insert_missing, house_bot_list};
use yaniv_model::ids::AccountId;

use crate::ServiceError;
use crate::accounts::names::HOUSE_PREFIX;

/// Number of bots per level: no match needs more.
const EACH: usize = 9;

/// Returns a distinct bot for each of these levels; missing bots are created.
pub(crate) async fn take(connection: &Connection, levels: &[Level]) -> Result<Vec<AccountRow>, ServiceError> {
    let mut bots: Vec<(Level, AccountRow)> = Vec::new();
    // Always in the same order: two transactions that create bots would otherwise deadlock.
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

/// Creates the bots of each level of which a name is in this list, unless they exist.
pub(crate) async fn make_named(connection: &Connection, names: &[String]) -> Result<(), ServiceError> {
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

/// All bots of a level; created if there are not enough.
async fn all_of(
    connection: &Connection,
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
