//! Groups of people who wish the same, and the match that is made when a group is whole. `pairing` holds the lock and
//! the transaction.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::ServiceError;
use super::creation::{Drawn, NewMatch, new_row};
use super::lobby_change::{entry_of, state_of};
use super::people::kept_apart;
use super::settled::Player;
use super::table::Table;
use crate::ids::{AccountId, MatchId};
use crate::store::accounts::{AccountName, username_map};
use crate::store::actions::{ActionRow, KIND_JOINED, KIND_STARTED, action_insert_all_in_txn};
use crate::store::matches::match_insert_in_txn;
use crate::store::pairing_groups::{GroupRow, group_delete_in_txn, group_insert_in_txn, group_list_in_txn};
use crate::store::pairings::{PairingRow, pairing_settle_in_txn};
use crate::store::seats::seat_insert_all_in_txn;
use crate::store::wishes::WishRow;

/// The oldest group with a place in which nobody is whom the account must not meet, or a new one, whose secret is drawn now: before the others of it ask.
pub(super) async fn find_place(
    connection: &AsyncPgConnection,
    account: AccountId,
    wish: &WishRow,
    queue: &[PairingRow],
    at: DateTime<Utc>,
) -> Result<GroupRow, ServiceError> {
    let apart = kept_apart(connection, account, queue.iter().map(|row| row.account_id)).await?;
    let has_place = |group: &GroupRow| {
        let members = || queue.iter().filter(|row| row.match_id == group.match_id);
        i16::try_from(members().count()).is_ok_and(|count| count < wish.size)
            && members().all(|row| !apart.contains(&row.account_id))
    };
    let groups = group_list_in_txn(connection, &wish.id).await?;
    if let Some(group) = groups.into_iter().find(has_place) {
        return Ok(group);
    }
    let Drawn { id, secret, commitment } = Drawn::draw()?;
    let group = GroupRow { match_id: id.0, wish_id: wish.id.clone(), secret, commitment, created_at: at };
    group_insert_in_txn(connection, &group).await?;
    Ok(group)
}

/// Makes the match of a group: everybody joins in the order of asking, then it starts. All of it is worked out first and
/// stored as it stands then.
pub(super) async fn make_match(
    connection: &AsyncPgConnection,
    new: &NewMatch,
    group: GroupRow,
    members: &[PairingRow],
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let id = group.match_id;
    let drawn = Drawn { id: MatchId(id), secret: group.secret, commitment: group.commitment };
    let mut row = new_row(new, drawn, at)?;
    let mut table = Table::empty(&row)?;
    let entries = seat_all(connection, &mut table, members, at).await?;
    row.started_at = table.started_at;
    match_insert_in_txn(connection, &(row, state_of(&table))).await?;
    let seats: Vec<_> = table
        .players
        .iter()
        .map(|player| (player.account, player.stored_seat, player.client_seed.as_str()))
        .collect();
    seat_insert_all_in_txn(connection, table.id(), &seats).await?;
    action_insert_all_in_txn(connection, &entries).await?;
    let ids: Vec<Uuid> = members.iter().map(|member| member.id).collect();
    pairing_settle_in_txn(connection, &ids, at).await?;
    group_delete_in_txn(connection, id).await?;
    Ok(())
}

async fn seat_all(
    connection: &AsyncPgConnection,
    table: &mut Table,
    members: &[PairingRow],
    at: DateTime<Utc>,
) -> Result<Vec<ActionRow>, ServiceError> {
    let accounts: Vec<Uuid> = members.iter().map(|member| member.account_id).collect();
    let names = username_map(connection, &accounts).await?;
    let mut entries = Vec::new();
    for (stored_seat, member) in (0_i16..).zip(members) {
        let account = AccountId(member.account_id);
        // Also of an account whose deletion has begun: it waits until that takes the request back, or resigns.
        let AccountName { username, bot } =
            names.get(&account.0).cloned().ok_or(ServiceError::InvalidToken)?;
        let client_seed = member.client_seed.clone();
        table.join(Player { account, username, bot, client_seed: client_seed.clone(), stored_seat }, at);
        entries.push(entry_of(table, account, KIND_JOINED, client_seed, None));
    }
    table.start(at)?;
    if let Some(last) = members.last() {
        entries.push(entry_of(table, AccountId(last.account_id), KIND_STARTED, String::new(), None));
    }
    Ok(entries)
}
