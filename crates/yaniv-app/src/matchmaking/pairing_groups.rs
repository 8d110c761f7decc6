//! Pairing groups: pairing requests with the same criteria, and the match created when a group is full. The
//! lock and the transaction are in `pairing`.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::matchmaking::pairing_criteria::PairingCriteriaRow;
use yaniv_db::matchmaking::pairing_groups::{
    GroupRow, group_delete_in_txn, group_insert_in_txn, group_list_in_txn,
};
use yaniv_db::matchmaking::pairings::{PairingRow, pairing_settle_in_txn};
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;
use crate::accounts::relations::kept_apart;
use crate::lobby::create::{Drawn, NewMatch};
use crate::lobby::start_seated::make_started;

/// Finds a group with a free place for the account, or creates one.
///
/// Groups with members that the account must not meet are skipped. Of the others, the one with the longest
/// waiting request is taken; an empty one only as the last choice. The secret of a new group is drawn now,
/// before its other members ask.
pub(crate) async fn find_place(
    connection: &Connection,
    account: AccountId,
    wish: &PairingCriteriaRow,
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
    // The queue is sorted by age, oldest first.
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

/// Creates the match of a full group; the members join in the order of their requests.
pub(crate) async fn make_match(
    connection: &Connection,
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
