//! Groups of people who wish the same, and the match that is made when a group is whole. `pairing` holds the lock and
//! the transaction.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::ServiceError;
use super::creation::{Drawn, NewMatch};
use super::made_match::make_started;
use super::people::kept_apart;
use crate::ids::{AccountId, MatchId};
use crate::store::pairing_groups::{GroupRow, group_delete_in_txn, group_insert_in_txn, group_list_in_txn};
use crate::store::pairings::{PairingRow, pairing_settle_in_txn};
use crate::store::wishes::WishRow;

/// Of the groups with a place in which nobody is whom the account must not meet, the one where somebody has waited
/// longest; an empty one only if there is no other. Or a new one, whose secret is drawn now: before the others of it ask.
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
    // The queue has the oldest request first.
    let waited = |group: &GroupRow| queue.iter().position(|row| row.match_id == group.match_id);
    let found = groups.into_iter().filter(has_place);
    if let Some(group) = found.min_by_key(|group| waited(group).unwrap_or(usize::MAX)) {
        return Ok(group);
    }
    let Drawn { id, secret, commitment } = Drawn::draw()?;
    let group = GroupRow { match_id: id.0, wish_id: wish.id.clone(), secret, commitment, created_at: at };
    group_insert_in_txn(connection, &group).await?;
    Ok(group)
}

/// Makes the match of a group: everybody joins in the order of asking.
pub(super) async fn make_match(
    connection: &AsyncPgConnection,
    new: &NewMatch,
    group: GroupRow,
    members: &[PairingRow],
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let id = group.match_id;
    let drawn = Drawn { id: MatchId(id), secret: group.secret, commitment: group.commitment };
    let joining = members.iter().map(|member| (AccountId(member.account_id), member.client_seed.clone()));
    make_started(connection, new, drawn, &joining.collect::<Vec<_>>(), at).await?;
    let ids: Vec<Uuid> = members.iter().map(|member| member.id).collect();
    pairing_settle_in_txn(connection, &ids, at).await?;
    group_delete_in_txn(connection, id).await?;
    Ok(())
}
