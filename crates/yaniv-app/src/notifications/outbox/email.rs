//! The e-mail of a notification, and the codes that some of them carry.
//!
//! A code is drawn when its e-mail is sent, and only its hash is stored. A retry draws another one; both are valid.

use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::accounts::email_codes::{EmailCodeRow, email_code_insert};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::notifications::channels::ChannelRow;
use yaniv_db::notifications::deliveries::delivery_insert_all_in_txn;
use yaniv_db::notifications::delivery_claims::ClaimedDelivery;
use yaniv_model::ids::ChannelId;
use yaniv_outbound::{Answer, Mail};
use yaniv_texts::{EmailLine, email_line};

use crate::kernel::readable_codes::draw_secret_code;
use crate::notifications::Notifications;
use crate::notifications::channels::kinds::Kind;
use crate::notifications::outbox::content::Content;
use crate::notifications::outbox::enqueue::{Event, row};
use crate::notifications::outbox::situation::Situation;
use crate::{ServiceError, Services};

/// Enqueues an e-mail with a code, which the caller has counted if it is to a new address or asked for by anybody
/// (`channels::email_limits`).
///
/// # Errors
/// Those of the database.
pub(crate) async fn enqueue_code_in_txn(
    connection: &Connection,
    channel: &ChannelRow,
    kind: Kind,
) -> Result<(), ServiceError> {
    let now = clock_read(connection).await?;
    let event = Event {
        kind,
        account: channel.account_id,
        match_id: None,
        version: None,
        challenge_id: None,
        deadline: None,
        at: now,
        key: format!("{}:{}", kind.name(), Uuid::now_v7().simple()),
    };
    delivery_insert_all_in_txn(connection, &[row(&event, channel)]).await?;
    Ok(())
}

impl Services {
    /// Sends the e-mail of a notification, once.
    pub(crate) async fn send_email(
        &self,
        told: &ClaimedDelivery,
        situation: &Situation,
    ) -> Result<Answer, ServiceError> {
        let content = Content::new(told, situation, self.notices.public_url.as_deref());
        let code = match content.kind {
            Kind::VerifyEmail | Kind::ResetPassword | Kind::EmailRemoved => {
                Some(self.draw_code(told, content.kind).await?)
            }
            _ => None,
        };
        let unsubscribe = (!content.kind.is_fixed())
            .then(|| self.keeper.seal.unsubscribe_token(ChannelId(told.channel_id)));
        let mail = self.notices.email(&content, code.as_deref(), unsubscribe.as_deref());
        Ok(self.notices.mail.send(mail).await)
    }

    async fn draw_code(&self, told: &ClaimedDelivery, kind: Kind) -> Result<String, ServiceError> {
        let (code, hash) = draw_secret_code();
        let expires_at = told.now + kind.lifetime();
        let row = EmailCodeRow {
            hash: hash.to_vec(),
            channel_id: told.channel_id,
            purpose: kind.name(),
            expires_at,
        };
        email_code_insert(&*self.store.connection().await?, &row).await?;
        self.metrics.email_codes.inc();
        Ok(code)
    }
}

impl Notifications {
    /// The e-mail of a notification: greeting, text, link, and the code or the link to unsubscribe.
    fn email(&self, said: &Content<'_>, code: Option<&str>, unsubscribe: Option<&str>) -> Mail {
        let (language, text) = (said.language, &said.text);
        // Configured together with the mail server.
        let service = self.public_url.as_deref().unwrap_or_default();
        let mut body = format!(
            "{}\n\n{}\n{}\n\n{}\n",
            email_line(language, EmailLine::Greeting(&said.told.username)),
            text.title,
            text.body,
            self.email_link(said, service, code),
        );
        if let Some(code) = code {
            body.push_str(&format!("\n{}\n", email_line(language, EmailLine::Code(code))));
        }
        let unsubscribe =
            unsubscribe.map(|token| format!("{service}/unsubscribe/{token}?lang={}", language.tag()));
        if let Some(link) = &unsubscribe {
            // Mail programs show what follows "-- " as a signature.
            body.push_str(&format!("\n-- \n{}\n{link}\n", email_line(language, EmailLine::Unsubscribe)));
        }
        Mail {
            to: said.told.url.clone(),
            id: said.told.id.to_string(),
            subject: text.title.clone(),
            text: body,
            language: language.tag(),
            unsubscribe,
        }
    }

    /// The page of the web client that an e-mail opens. A code is in the fragment, which browsers do not send.
    fn email_link(&self, said: &Content<'_>, service: &str, code: Option<&str>) -> String {
        let code = code.unwrap_or_default();
        match said.kind {
            Kind::VerifyEmail | Kind::EmailRemoved => format!("{service}/verify-email#{code}"),
            Kind::ResetPassword => format!("{service}/reset-password#{code}"),
            Kind::PasswordChanged => format!("{service}/forgot-password"),
            Kind::NewDevice | Kind::PasskeyAdded | Kind::IdentityLinked => {
                format!("{service}/settings/account")
            }
            Kind::NewApp => format!("{service}/settings/apps"),
            _ => said.link.clone().unwrap_or_else(|| service.to_owned()),
        }
    }
}
