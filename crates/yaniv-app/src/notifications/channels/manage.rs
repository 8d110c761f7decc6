//! Use cases of notification channels: create, read, change, delete.
//!
//! They make no network requests, so that responses reveal nothing about networks; the channel's test
//! (`delivery_log`) shows whether it works.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{TimeDelta, Utc};
use rand::TryRng;
use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_db::accounts::account_rows::account_lock;
use yaniv_db::accounts::sessions::session_is_open;
use yaniv_db::accounts::tokens::personal_token_is_valid;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::kernel::idempotency_keys::KeyKind;
use yaniv_db::moderation::marks::shared_browser_store_in_txn;
use yaniv_db::notifications::channels::{
    ChannelChange, ChannelRow, EMAIL, WEB_PUSH, channel_delete_in_txn, channel_find, channel_insert_in_txn,
    channel_list, channel_lock_by_endpoint, channel_replace_keys_in_txn, channel_update,
};
use yaniv_db::notifications::rotated_secrets::{rotated_secret_ends, secret_rotate_in_txn};
use yaniv_db::notifications::scan_positions::announcement_begin_all_in_txn;
use yaniv_db::{Connection, StoreError, Transactions};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, ChannelId, SessionId, TokenId};
use yaniv_outbound::Destination;
use yaniv_outbound::push::{AUTH_LENGTH, is_public_key};
use yaniv_outbound::webhook::{SECRET_LENGTH, print_secret};

use crate::accounts::sessions::{check_name, check_session};
use crate::kernel::idempotency::{store_key, stored_write};
use crate::kernel::{bounds, boxed};
use crate::notifications::channels::channel::{Channel, ChannelChanges, CreatedWebhook, NewPush, NewWebhook};
use crate::notifications::channels::email::remove_in_txn;
use crate::notifications::channels::kinds::{Kind, Kinds};
use crate::notifications::outbox::link;
use crate::{ServiceError, Services};

/// Maximum number of channels per account.
pub const MOST_CHANNELS: usize = bounds::CHANNELS.at_once;
/// How long a rotated secret keeps signing, in addition to the new one.
pub const ROTATED_SIGNS: TimeDelta = TimeDelta::hours(24);
/// Maximum number of rotations of a secret within `ROTATED_SIGNS`.
const MOST_ROTATIONS: usize = 10;

impl Services {
    /// Creates a web push channel, which ends with the session or token that creates it.
    ///
    /// The same endpoint, again by the same account, is the same channel: it gets the current keys and
    /// session or token and keeps its settings. By another account it is a new channel, and the old one is deleted.
    ///
    /// # Errors
    /// `InvalidField`, `UrlNotAllowed`, `TooManyChannels`.
    #[boxed]
    pub async fn create_push_channel(&self, access: Access, new: NewPush) -> Result<Channel, ServiceError> {
        let destination = self.destination("endpoint", &new.endpoint)?;
        let read = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).unwrap_or_default();
        let (public, auth) = (read(&new.p256dh), read(&new.auth));
        if !is_public_key(&public) {
            let detail = "must be a P-256 public key, 65 bytes as base64url";
            return Err(ServiceError::InvalidField { field: "p256dh", detail });
        }
        if auth.len() != AUTH_LENGTH {
            let detail = "must be 16 bytes as base64url";
            return Err(ServiceError::InvalidField { field: "auth", detail });
        }
        let row = ChannelRow {
            session_id: access.session().map(|session| session.0),
            token_id: access.token().map(|token| token.0),
            secret: auth,
            public_key: Some(public),
            ..row(access.account, WEB_PUSH, (destination.url().as_str(), destination.host()), &new.changes)?
        };
        Ok(self.create_channel(row, None).await?.0.into())
    }

    /// Creates a webhook, with a secret that is shown only once. If a token creates it, it ends with the token.
    ///
    /// # Errors
    /// `InvalidField`, `UrlNotAllowed`, `TooManyChannels`.
    #[boxed]
    pub async fn create_webhook(
        &self,
        access: Access,
        new: NewWebhook,
        key: Option<IdempotencyKey>,
    ) -> Result<CreatedWebhook, ServiceError> {
        let destination = self.destination("url", &new.url)?;
        let secret = draw_secret()?;
        let address = (destination.url().as_str(), destination.host());
        let row = row(access.account, new.format.name(), address, &new.changes)?;
        let token_id = access.token().map(|token| token.0);
        let (row, replayed) = self.create_channel(ChannelRow { secret, token_id, ..row }, key).await?;
        let secret = print_secret(&row.secret);
        Ok(CreatedWebhook { channel: row.into(), secret, replayed })
    }

    /// The caller's channels, newest first.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn channels(&self, account: AccountId) -> Result<Vec<Channel>, ServiceError> {
        let rows = channel_list(&*self.store.connection().await?, account).await?;
        Ok(rows.into_iter().map(Channel::from).collect())
    }

    /// A channel of the caller.
    ///
    /// # Errors
    /// `ChannelNotFound`.
    #[boxed]
    pub async fn channel(&self, account: AccountId, id: ChannelId) -> Result<Channel, ServiceError> {
        let row = channel_find(&*self.store.connection().await?, account, id).await?;
        row.map(Channel::from).ok_or(ServiceError::ChannelNotFound)
    }

    /// Changes a channel of the caller. A webhook marked as gone is enabled again.
    ///
    /// # Errors
    /// `ChannelNotFound`, `InvalidField`.
    #[boxed]
    pub async fn update_channel(
        &self,
        account: AccountId,
        id: ChannelId,
        changes: ChannelChanges,
    ) -> Result<Channel, ServiceError> {
        let change = checked(changes)?;
        let row = self
            .durably(true, false, move |connection, _| {
                let change = change.clone();
                async move {
                    let row =
                        channel_find(&connection, account, id).await?.ok_or(ServiceError::ChannelNotFound)?;
                    let again = (row.format != WEB_PUSH && row.ended_at.is_some()).then_some(None);
                    let change = ChannelChange { ended_at: again, ..change };
                    Ok(channel_update(&connection, account, id, &change).await?)
                }
            })
            .await?;
        row.map(Channel::from).ok_or(ServiceError::ChannelNotFound)
    }

    /// Deletes a channel of the caller, with its pending notifications. A verified e-mail address gets a
    /// notification. To delete an e-mail channel needs a session: an app must not remove the way to reset the password.
    ///
    /// # Errors
    /// `ChannelNotFound`, `SessionRequired`.
    #[boxed]
    pub async fn delete_channel(&self, access: Access, id: ChannelId) -> Result<(), ServiceError> {
        self.durably(true, false, move |mut connection, _| async move {
            connection.transaction(async |connection| delete(connection, access, id).await).await
        })
        .await?;
        self.notices.wake.ring();
        Ok(())
    }

    /// Rotates the secret of a webhook of the caller. The earlier ones sign for a day, that of the receiver among them
    /// however often this is repeated.
    ///
    /// # Errors
    /// `ChannelNotFound`, `NotAWebhook`, `TooManyRotations`.
    #[boxed]
    pub async fn rotate_secret(
        &self,
        account: AccountId,
        id: ChannelId,
    ) -> Result<CreatedWebhook, ServiceError> {
        let secret = draw_secret()?;
        let printed = print_secret(&secret);
        let row = self
            .durably(false, false, move |mut connection, _| {
                let secret = secret.clone();
                async move {
                    connection
                        .transaction(async |connection| rotate(connection, account, id, &secret).await)
                        .await
                }
            })
            .await?;
        Ok(CreatedWebhook { channel: row.into(), secret: printed, replayed: false })
    }

    /// Stores a channel; returns it, and whether an earlier request with the same key stored it.
    async fn create_channel(
        &self,
        row: ChannelRow,
        key: Option<IdempotencyKey>,
    ) -> Result<(ChannelRow, bool), ServiceError> {
        let entered = self
            .durably(true, false, move |mut connection, _| {
                let (row, key) = (row.clone(), key.clone());
                async move {
                    connection.transaction(async |connection| enter_once(connection, row, key).await).await
                }
            })
            .await?;
        self.notices.seen.want(true);
        Ok(entered)
    }

    fn destination(&self, field: &'static str, text: &str) -> Result<Destination, ServiceError> {
        Destination::parse(text, self.notices.private).map_err(|_| ServiceError::UrlNotAllowed(field))
    }
}

/// The row of a new channel at an address with a host, without its secret.
pub(super) fn row(
    account: AccountId,
    format: &str,
    (url, host): (&str, String),
    changes: &ChannelChanges,
) -> Result<ChannelRow, ServiceError> {
    let change = checked(changes.clone())?;
    Ok(ChannelRow {
        id: ChannelId::generate().0,
        account_id: account.0,
        session_id: None,
        format: format.to_owned(),
        name: change.name.unwrap_or_else(|| host.chars().take(60).collect()),
        url: url.to_owned(),
        host,
        link: change.link.flatten(),
        kinds: change.kinds.unwrap_or(Kinds::default().bits()),
        immediate: change.immediate.unwrap_or(false),
        secret: Vec::new(),
        previous_secret: None,
        previous_until: None,
        public_key: None,
        created_at: Utc::now(),
        delivered_at: None,
        failing_since: None,
        ended_at: None,
        verified_at: None,
        token_id: None,
    })
}

fn checked(changes: ChannelChanges) -> Result<ChannelChange, ServiceError> {
    let ChannelChanges { name, kinds, link, immediate } = changes;
    if let Some(name) = &name {
        check_name("name", name)?;
    }
    if let Some(link) = link.as_ref().filter(|link| !link.is_empty()) {
        check_link(link)?;
    }
    Ok(ChannelChange {
        name,
        link: link.map(|link| Some(link).filter(|link| !link.is_empty())),
        kinds: kinds.map(Kinds::bits),
        immediate,
        ended_at: None,
        // A digest that is switched on again is scheduled anew.
        digest_at: kinds.map(|_| None),
    })
}

/// Stores a channel, unless the account has sent the key before.
async fn enter_once(
    connection: &Connection,
    row: ChannelRow,
    key: Option<IdempotencyKey>,
) -> Result<(ChannelRow, bool), ServiceError> {
    let account = AccountId(row.account_id);
    if let Some(known) = stored_write(connection, account, KeyKind::Channel, key.as_ref()).await? {
        let found = channel_find(connection, account, ChannelId(known.target)).await?;
        return Ok((found.ok_or(ServiceError::ChannelNotFound)?, true));
    }
    let row = enter(connection, row).await?;
    store_key(connection, account, KeyKind::Channel, key.as_ref(), (row.id, 0, row.created_at)).await?;
    Ok((row, false))
}

/// Stores a channel. Locks the account, as its channels are counted.
async fn enter(connection: &Connection, mut row: ChannelRow) -> Result<ChannelRow, ServiceError> {
    let account = AccountId(row.account_id);
    account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    // `channel_list` omits channels of ended sessions and tokens, and a new channel must not belong to one.
    if let Some(session) = row.session_id
        && !session_is_open(connection, SessionId(session)).await?
    {
        return Err(ServiceError::InvalidToken);
    }
    if let Some(token) = row.token_id
        && !personal_token_is_valid(connection, TokenId(token)).await?
    {
        return Err(ServiceError::InvalidToken);
    }
    let others = channel_list(connection, account).await?;
    // The same row, if an earlier attempt succeeded and its response was lost.
    if let Some(known) = others.iter().find(|other| other.id == row.id) {
        return Ok(known.clone());
    }
    let same =
        if row.format == WEB_PUSH { channel_lock_by_endpoint(connection, &row.url).await? } else { None };
    let known = same.as_ref().filter(|known| known.account_id == row.account_id);
    let counted = |id: Uuid| others.iter().any(|other| other.id == id);
    if others.len() >= MOST_CHANNELS && !known.is_some_and(|known| counted(known.id)) {
        return Err(ServiceError::TooManyChannels);
    }
    announcement_begin_all_in_txn(connection, account).await?;
    if let Some(known) = known {
        return Ok(channel_replace_keys_in_txn(connection, known.id, &row).await?);
    }
    if let Some(taken_over) = same {
        channel_delete_in_txn(connection, taken_over.id).await?;
        // For a mark (moderation/marks.rs).
        shared_browser_store_in_txn(connection, row.account_id, taken_over.account_id).await?;
    }
    row.created_at = clock_read(connection).await?;
    channel_insert_in_txn(connection, &row).await.map_err(|error| match error {
        // A concurrent request registered the same endpoint.
        StoreError::Taken(_) => ServiceError::Raced,
        other => other.into(),
    })?;
    Ok(row)
}

async fn delete(connection: &Connection, access: Access, id: ChannelId) -> Result<(), ServiceError> {
    let row = channel_find(connection, access.account, id).await?.ok_or(ServiceError::ChannelNotFound)?;
    if row.format != EMAIL {
        return Ok(channel_delete_in_txn(connection, row.id).await?);
    }
    check_session(&access)?;
    account_lock(connection, access.account).await?.ok_or(ServiceError::InvalidToken)?;
    // As it is under the lock.
    let row = channel_find(connection, access.account, id).await?.ok_or(ServiceError::ChannelNotFound)?;
    remove_in_txn(connection, &row).await
}

/// Rotates a secret. Locks the account, as its rotations are counted.
async fn rotate(
    connection: &Connection,
    account: AccountId,
    id: ChannelId,
    secret: &[u8],
) -> Result<ChannelRow, ServiceError> {
    let row = channel_find(connection, account, id).await?.ok_or(ServiceError::ChannelNotFound)?;
    if [WEB_PUSH, EMAIL].contains(&row.format.as_str()) {
        return Err(ServiceError::NotAWebhook);
    }
    account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    let ends = rotated_secret_ends(connection, row.id).await?;
    let now = clock_read(connection).await?;
    if let Some(first) = ends.first().filter(|_| ends.len() >= MOST_ROTATIONS) {
        return Err(ServiceError::TooManyRotations(*first - now));
    }
    Ok(secret_rotate_in_txn(connection, row.id, secret, now + ROTATED_SIGNS).await?)
}

fn draw_secret() -> Result<Vec<u8>, ServiceError> {
    let mut secret = vec![0; SECRET_LENGTH];
    rand::rngs::SysRng.try_fill_bytes(&mut secret).map_err(ServiceError::internal)?;
    Ok(secret)
}

/// Validates a link. It is only shown to the channel's owner; the service never requests it.
fn check_link(link: &str) -> Result<(), ServiceError> {
    let web = link.starts_with("https://") || link.starts_with("http://");
    // A URL contains neither unencoded; encoding makes them longer.
    let plain = link.chars().all(|letter| letter.is_ascii_graphic() && letter != '"' && letter != '\\');
    // At its maximum length, with placeholders filled in.
    let filled_in = link::fill_in(link, Kind::DeadlineNear, Some(Uuid::nil()));
    let once = [link::ID, link::KIND].iter().all(|placeholder| link.matches(placeholder).count() <= 1);
    if web && plain && once && Destination::parse(&filled_in, true).is_ok() {
        return Ok(());
    }
    let detail = "must be a web address in which {kind} (the kind of notification) and {id} (the match or the challenge) \
                  each occur at most once, with at most 1000 characters when these are filled in";
    Err(ServiceError::InvalidField { field: "link", detail })
}
