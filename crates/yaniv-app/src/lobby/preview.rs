//! What a join code leads to, for everyone who has the code, with or without an account. Joining is in
//! `join_leave_start`.

use std::sync::Arc;

use yaniv_db::Connection;
use yaniv_db::kernel::clock::clock_read;
use yaniv_engine::Seat;
use yaniv_match::MatchState;
use yaniv_match::join_code::JoinCode;
use yaniv_match::settings::{Settings, host_seat};
use yaniv_match::status::Status;
use yaniv_model::ids::AccountId;

use crate::accounts::relations::are_apart;
use crate::kernel::boxed;
use crate::lobby::join_leave_start::{match_by_code, normal_code};
use crate::matches::load::load_match;
use crate::{ServiceError, Services};

/// A match as the holder of its join code sees it.
pub struct MatchPreview {
    /// The settings.
    pub settings: Arc<Settings>,
    /// The status: waiting, unless the caller has a seat.
    pub status: Status,
    /// The join code.
    pub join_code: Arc<JoinCode>,
    /// Whether the code of the request admits players, if there is a free seat.
    pub open: bool,
    /// The caller's seat, if any.
    pub your_seat: Option<Seat>,
    /// The players, by seat.
    pub players: Vec<PreviewPlayer>,
}

/// A player of a match, as the holder of its join code sees it.
pub struct PreviewPlayer {
    /// The account's name.
    pub username: String,
    /// Display name.
    pub display_name: Option<String>,
    /// Whether it is a bot.
    pub bot: bool,
    /// Whether it is the host.
    pub host: bool,
}

impl Services {
    /// The match of a join code: one that waits for players, or one in which the caller has a seat.
    ///
    /// An anonymous caller sees what a new account would.
    ///
    /// # Errors
    /// `JoinCodeNotFound`: the code is unknown, revoked or expired, the match has started, or a block
    /// separates the caller from a player.
    #[boxed]
    pub async fn match_preview(
        &self,
        account: Option<AccountId>,
        code: &str,
    ) -> Result<MatchPreview, ServiceError> {
        let connection = self.store.connection().await?;
        let id = match_by_code(&connection, code).await?;
        let state = load_match(&connection, id).await?.ok_or(ServiceError::JoinCodeNotFound)?;
        let your_seat = account.and_then(|account| state.seat_of(account));
        let now = clock_read(&connection).await?;
        let open = state.status() == Status::Waiting && state.join_code().opens(&normal_code(code), now);
        if your_seat.is_none() && (!open || is_apart(&connection, account, &state).await?) {
            return Err(ServiceError::JoinCodeNotFound);
        }
        Ok(MatchPreview {
            players: players(&state),
            settings: Arc::clone(state.settings()),
            status: state.status(),
            join_code: Arc::clone(state.join_code()),
            open,
            your_seat,
        })
    }
}

async fn is_apart(
    connection: &Connection,
    account: Option<AccountId>,
    state: &MatchState,
) -> Result<bool, ServiceError> {
    match account {
        Some(account) => Ok(are_apart(connection, account, state).await?),
        None => Ok(false),
    }
}

fn players(state: &MatchState) -> Vec<PreviewPlayer> {
    let host = host_seat(state.players());
    let players = state.players().iter().map(|player| PreviewPlayer {
        username: player.username.clone(),
        display_name: player.display_name.clone(),
        bot: player.bot,
        host: host.is_some() && state.seat_of(player.account) == host,
    });
    players.collect()
}
