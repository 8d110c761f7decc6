//! Operations on e-mail channels: create and verify. Everything else is that of all channels (`channels`).

use actix_web::web::Data;
use actix_web::{HttpRequest, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::notifications::NewEmail;
use yaniv_http_macros::operation;

use crate::accounts::identity_cookie::IdentityCookie;
use crate::kernel::extract::{Account, Anonymous, Auth, LogIns, Writes};
use crate::kernel::json::JsonBody;
use crate::kernel::params::check_length;
use crate::kernel::responses::{ApiResult, Created, NoContent};
use crate::notifications::channel_body::ChannelBody;
use crate::notifications::channel_request::NotificationKind;
use crate::notifications::channels::changes;

/// A new e-mail channel.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateEmailChannelRequest {
    /// The e-mail address, in ASCII.
    #[schema(max_length = 254, examples("ada@example.org"))]
    email: String,
    /// The account's password. Left out only if the account has none: then the identity counts that the browser has just
    /// proven (`/oidc/login?prompt=login`).
    #[serde(default)]
    #[schema(nullable = false, max_length = 128, format = Password, examples("a long enough secret"))]
    current_password: Option<String>,
    /// Kinds of notifications; default: `deadline_near`, `invited` and `digest`. None if empty: then the address is only
    /// for messages about the account.
    #[serde(default)]
    #[schema(nullable = false, max_items = 8)]
    kinds: Option<Vec<NotificationKind>>,
    /// The page that a notification opens; `{kind}` stands for its kind, `{id}` for the match or challenge. Default: the
    /// start page of the service.
    #[serde(default)]
    #[schema(
        nullable = false,
        max_length = 1000,
        examples("https://play.example/notifications/{kind}/{id}")
    )]
    link: Option<String>,
}

/// A code from an e-mail.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyEmailRequest {
    /// The code; upper or lower case, with or without hyphens.
    #[schema(max_length = 40, examples("7KQ2M-XDR9B-CFGHJ"))]
    code: String,
}

/// Create an e-mail channel.
///
/// The address gets an e-mail with a code for `verifyEmail`, and nothing else until then. Once verified, it takes the
/// place of your earlier address, which is told and can be taken back for seven days, and also gets messages about the
/// account: a log-in on a new device, a changed password, the code to reset a forgotten one. The same address again is the
/// same channel; if it is not verified, another code is sent. An address gets at most three codes in an hour, an account may
/// name five new addresses in a day, and a server sends a bounded number of codes to new addresses. An unverified channel is
/// deleted after seven days. Guests claim the account first.
#[operation(
    post "/v1/email-channels",
    tag = "notifications",
    example = json!({"email": "ada@example.org", "current_password": "a long enough secret"}),
    answer = "The channel.",
    problems(TooManyChannels, EmailOff, WrongPassword, TooManyAttempts, TooManyEmails, TooManyAddresses, EmailsFull,
        IdentityRequired),
)]
pub(crate) async fn create_email_channel(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    request: HttpRequest,
    body: JsonBody<CreateEmailChannelRequest>,
) -> ApiResult<Created<ChannelBody>> {
    let CreateEmailChannelRequest { email, current_password, kinds, link } = body.0;
    let changes = changes(None, kinds, link, None)?;
    let identity = IdentityCookie::of(&request);
    let proof = identity.proof("current_password", current_password, &services);
    let new = NewEmail { address: email, proof, changes };
    let channel = services.create_email_channel(caller.access, new).await?;
    Ok(Created::new(ChannelBody::from(channel)).with_cookie(identity.removed(&request)))
}

/// Verify an e-mail address.
///
/// Needs no token: the link in the e-mail may open on another device. Within the 24 hours of the code, repeating the
/// request changes nothing. With the code that an address gets when it is replaced or deleted (`email_removed`), valid for
/// seven days, the address becomes that of the account again, in the place of the one that it has.
#[operation(
    post "/v1/email-verifications",
    tag = "notifications",
    example = json!({"code": "7KQ2M-XDR9B-CFGHJ"}),
    answer = "The address is verified.",
    problems(EmailCodeInvalid),
)]
pub(crate) async fn verify_email(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    body: JsonBody<VerifyEmailRequest>,
) -> ApiResult<NoContent> {
    client.count()?;
    check_length("code", Some(&body.0.code), 40)?;
    services.verify_email(&body.0.code).await?;
    Ok(NoContent::default())
}
