//! Where accounts want to be told: made, changed, taken away. Nothing of it is asked on the network, so that nobody learns
//! anything about networks; whether a channel works, its test tells.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use rand::TryRng;
use uuid::Uuid;

use super::channel::{Channel, ChannelChanges, CreatedWebhook, NewPush, NewWebhook};
use super::kinds::Kinds;
use crate::auth::access::Access;
use crate::ids::{AccountId, ChannelId};
use crate::outward::Destination;
use crate::outward::push::{AUTH_LENGTH, is_public_key};
use crate::outward::webhook::{SECRET_LENGTH, print_secret};
use crate::service::sessions::check_name;
use crate::service::{ServiceError, Services};
use crate::store::accounts::account_lock;
use crate::store::channels::{
    ChannelChange, ChannelRow, WEB_PUSH, channel_delete, channel_find, channel_insert_in_txn, channel_list,
    channel_replace_keys_in_txn, channel_rotate, channel_update,
};
use crate::store::clock::clock_read;
use crate::store::match_announcements::announcement_begin_all_in_txn;

/// Channels of an account at most.
pub const MOST_CHANNELS: usize = 20;
/// How long a secret that was exchanged signs besides.
const BOTH_GOOD: TimeDelta = TimeDelta::hours(24);

impl Services {
    /// Makes a web push channel. The same endpoint again is the same channel, with what is said now. It ends with the log-in
    /// that makes it.
    ///
    /// # Errors
    /// `InvalidField`, `UrlNotAllowed`, `TooManyChannels`.
    pub async fn create_push_channel(&self, access: Access, new: NewPush) -> Result<Channel, ServiceError> {
        let destination = self.destination("endpoint", &new.endpoint)?;
        let read = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).unwrap_or_default();
        let (public, auth) = (read(&new.p256dh), read(&new.auth));
        if !is_public_key(&public) {
            let detail = "has to be a P-256 public key, 65 bytes as base64url";
            return Err(ServiceError::InvalidField { field: "p256dh", detail });
        }
        if auth.len() != AUTH_LENGTH {
            let detail = "has to be 16 bytes as base64url";
            return Err(ServiceError::InvalidField { field: "auth", detail });
        }
        let row = ChannelRow {
            session_id: access.session().map(|session| session.0),
            secret: auth,
            public_key: Some(public),
            ..self.row(access.account, WEB_PUSH, &destination, &new.changes)?
        };
        self.create_channel(row).await
    }

    /// Makes a webhook, with a secret that is shown this once.
    ///
    /// # Errors
    /// `InvalidField`, `UrlNotAllowed`, `TooManyChannels`.
    pub async fn create_webhook(
        &self,
        account: AccountId,
        new: NewWebhook,
    ) -> Result<CreatedWebhook, ServiceError> {
        let destination = self.destination("url", &new.url)?;
        let secret = draw_secret()?;
        let row = self.row(account, new.format.name(), &destination, &new.changes)?;
        let channel = self.create_channel(ChannelRow { secret: secret.clone(), ..row }).await?;
        Ok(CreatedWebhook { channel, secret: print_secret(&secret) })
    }

    /// The caller's channels, the newest at the top.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn channels(&self, account: AccountId) -> Result<Vec<Channel>, ServiceError> {
        let rows = channel_list(&*self.store.connection().await?, account).await?;
        Ok(rows.into_iter().map(Channel::from).collect())
    }

    /// A channel of the caller.
    ///
    /// # Errors
    /// `ChannelNotFound`.
    pub async fn channel(&self, account: AccountId, id: ChannelId) -> Result<Channel, ServiceError> {
        let row = channel_find(&*self.store.connection().await?, account, id).await?;
        row.map(Channel::from).ok_or(ServiceError::ChannelNotFound)
    }

    /// Changes a channel of the caller. A webhook that is gone is tried again.
    ///
    /// # Errors
    /// `ChannelNotFound`, `InvalidField`.
    pub async fn update_channel(
        &self,
        account: AccountId,
        id: ChannelId,
        changes: ChannelChanges,
    ) -> Result<Channel, ServiceError> {
        let change = self.checked(changes)?;
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

    /// Takes a channel of the caller away, with what waits for it.
    ///
    /// # Errors
    /// `ChannelNotFound`.
    pub async fn delete_channel(&self, account: AccountId, id: ChannelId) -> Result<(), ServiceError> {
        let found = self
            .durably(true, false, move |connection, _| async move {
                Ok(channel_delete(&connection, account, id).await?)
            })
            .await?;
        if found { Ok(()) } else { Err(ServiceError::ChannelNotFound) }
    }

    /// Gives a webhook of the caller another secret. For a day both sign.
    ///
    /// # Errors
    /// `ChannelNotFound`, `NotAWebhook`.
    pub async fn rotate_secret(
        &self,
        account: AccountId,
        id: ChannelId,
    ) -> Result<CreatedWebhook, ServiceError> {
        let secret = draw_secret()?;
        let printed = print_secret(&secret);
        let row = self
            .durably(false, false, move |connection, _| {
                let secret = secret.clone();
                async move {
                    let until = clock_read(&connection).await? + BOTH_GOOD;
                    let rotated = channel_rotate(&connection, account, id, &secret, until).await?;
                    match rotated {
                        Some(row) => Ok(row),
                        None if channel_find(&connection, account, id).await?.is_some() => {
                            Err(ServiceError::NotAWebhook)
                        }
                        None => Err(ServiceError::ChannelNotFound),
                    }
                }
            })
            .await?;
        Ok(CreatedWebhook { channel: row.into(), secret: printed })
    }

    async fn create_channel(&self, row: ChannelRow) -> Result<Channel, ServiceError> {
        let row = self
            .durably(true, false, move |mut connection, _| {
                let row = row.clone();
                async move { connection.transaction(async |connection| enter(connection, row).await).await }
            })
            .await?;
        self.notices.seen.want(true);
        Ok(row.into())
    }

    fn destination(&self, field: &'static str, text: &str) -> Result<Destination, ServiceError> {
        Destination::parse(text, self.notices.private).map_err(|_| ServiceError::UrlNotAllowed(field))
    }

    /// A row without its secret.
    fn row(
        &self,
        account: AccountId,
        format: &str,
        to: &Destination,
        changes: &ChannelChanges,
    ) -> Result<ChannelRow, ServiceError> {
        let host = to.host();
        let change = self.checked(changes.clone())?;
        Ok(ChannelRow {
            id: ChannelId::generate().0,
            account_id: account.0,
            session_id: None,
            format: format.to_owned(),
            name: change.name.unwrap_or_else(|| host.chars().take(60).collect()),
            url: to.url().as_str().to_owned(),
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
        })
    }

    fn checked(&self, changes: ChannelChanges) -> Result<ChannelChange, ServiceError> {
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
        })
    }
}

/// Stores a channel of an account that is then locked: they are counted.
async fn enter(connection: &AsyncPgConnection, mut row: ChannelRow) -> Result<ChannelRow, ServiceError> {
    let account = AccountId(row.account_id);
    account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    let others = channel_list(connection, account).await?;
    // This very one, if an earlier try was lost on its way back.
    if let Some(known) = others.iter().find(|other| other.id == row.id) {
        return Ok(known.clone());
    }
    let same = others.iter().find(|other| other.format == WEB_PUSH && other.url == row.url);
    if let Some(known) = same.filter(|_| row.format == WEB_PUSH) {
        row.id = known.id;
        channel_replace_keys_in_txn(connection, &row).await?;
        return Ok(channel_find(connection, account, ChannelId(known.id)).await?.unwrap_or(row));
    }
    if others.len() >= MOST_CHANNELS {
        return Err(ServiceError::TooManyChannels);
    }
    row.created_at = clock_read(connection).await?;
    channel_insert_in_txn(connection, &row).await?;
    announcement_begin_all_in_txn(connection, account).await?;
    Ok(row)
}

fn draw_secret() -> Result<Vec<u8>, ServiceError> {
    let mut secret = vec![0; SECRET_LENGTH];
    rand::rngs::SysRng.try_fill_bytes(&mut secret).map_err(ServiceError::internal)?;
    Ok(secret)
}

/// A page: it is shown to its owner, never asked for by us.
fn check_link(link: &str) -> Result<(), ServiceError> {
    let web = link.starts_with("https://") || link.starts_with("http://");
    // These two are not of addresses, and are written longer.
    let plain = link.chars().all(|letter| letter.is_ascii_graphic() && letter != '"' && letter != '\\');
    // As long as it is when it is sent.
    let filled_in = link.replace("{id}", &Uuid::nil().to_string());
    let once = link.matches("{id}").count() <= 1;
    if web && plain && once && Destination::parse(&filled_in, true).is_ok() {
        return Ok(());
    }
    let detail = "has to be an address of the web, in which {id} stands once for the match or the challenge; 1000 \
                  letters at most, when that is filled in";
    Err(ServiceError::InvalidField { field: "link", detail })
}
