//! Export of an account as one JSON file, streamed while it is generated.

use std::borrow::Cow;

use actix_web::get;
use actix_web::web::{Bytes, Data};
use futures_util::stream::try_unfold;
use serde::Serialize;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use yaniv_app::Services;
use yaniv_app::lifecycle::account_export::{Export, ExportPart, ExportedAccount, ExportedMatch};
use yaniv_app::matchmaking::pairing_view::Pairing;
use yaniv_engine::Record;
use yaniv_http_macros::operation;
use yaniv_model::times::print_time;

use crate::accounts::account_body::AccountBody;
use crate::accounts::bot_body::BotBody;
use crate::accounts::profile_body::ProfileSummaryBody;
use crate::accounts::relations_body::{BlockBody, FriendBody};
use crate::accounts::session_body::{PersonalTokenBody, SessionSummaryBody};
use crate::calendar::calendar_body::CalendarBody;
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Account, Auth, Exports};
use crate::kernel::json::NoQuery;
use crate::kernel::responses::{ApiResult, Download, Media, print};
use crate::match_view::log_body::LogEntryBody;
use crate::match_view::match_body::MatchBody;
use crate::match_view::settings_body::MatchSettingsBody;
use crate::matchmaking::challenge_body::ChallengeBody;
use crate::matchmaking::pairing_body::PairingBody;
use crate::moderation::decision_body::SanctionBody;
use crate::moderation::report_body::ReportBody;
use crate::notifications::channel_body::{ChannelBody, NotificationSettingsBody};
use crate::passkeys::own::PasskeyBody;
use crate::ratings::rating_body::RatingBody;
use crate::turns::orders_body::StandingOrdersBody;

/// `format` of the file.
const FORMAT: &str = "yaniv-export/1";
/// The unbounded lists of the file, in order.
const LISTS: [&str; 8] =
    ["friends", "blocks", "pairings", "challenges", "reports", "sanctions", "matches", "unreadable_matches"];

/// Description of the schema.
const ABOUT: &str = "An export: one JSON object of the format `yaniv-export/1` (docs/export.md). A file; its fields \
     are defined by the format, not by this document: [JSON Schema](/docs/export.schema.json).";

/// An account's data as JSON.
pub(crate) enum AccountExport {}

impl Media for AccountExport {
    const TYPE: &'static str = "application/vnd.yaniv.export+json";
}

/// Schema of the file.
pub(crate) struct ExportBody;

impl PartialSchema for ExportBody {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(ABOUT))
            .additional_properties(Some(AdditionalProperties::FreeForm(true)))
            .into()
    }
}

impl ToSchema for ExportBody {
    fn name() -> Cow<'static, str> {
        "AccountExport".into()
    }
}

/// Export your account.
///
/// All data of the account in one file: account, calendar, sessions, tokens and passkeys (without the secrets), bots, channels,
/// ratings, friends, blocks, pairing requests, challenges, reports, sanctions, and every match in which you have a
/// seat, with its log and record. A running match contains only what you may know. The file is streamed while it is
/// generated: a complete one ends with `}`. The format `yaniv-export/1` is described in docs/export.md.
#[operation(
    get "/v1/account/export",
    tag = "accounts",
    answer = "The export as a JSON file.",
)]
pub(crate) async fn export_account(
    services: Data<Services>,
    caller: Auth<Account, Exports>,
    _: NoQuery,
) -> ApiResult<Download<AccountExport, ExportBody>> {
    let mut export = services.export(caller.access);
    // Fetch the first part before the response begins: until then an error can still be a problem response.
    let mut writer = Writer::default();
    let first = match export.next().await? {
        Some(part) => writer.part(part)?,
        None => String::new(),
    };
    let rest = try_unfold(Some(Sending { export, writer, ready: Some(first) }), step);
    Ok(Download::streamed_file("yaniv-export.json", rest))
}

/// After the response has begun, an error closes the connection: the client sees an incomplete file.
fn broken_off(error: ApiError) -> std::io::Error {
    std::io::Error::other(error.to_string())
}

/// State of the response stream.
struct Sending {
    export: Export,
    writer: Writer,
    /// The first part, already fetched.
    ready: Option<String>,
}

/// The next bytes, and the state after them.
async fn step(sending: Option<Sending>) -> std::io::Result<Option<(Bytes, Option<Sending>)>> {
    let Some(mut sending) = sending else { return Ok(None) };
    if let Some(text) = sending.ready.take() {
        return Ok(Some((Bytes::from(text), Some(sending))));
    }
    let part = sending.export.next().await.map_err(|error| broken_off(error.into()))?;
    let text = match part {
        Some(part) => sending.writer.part(part).map_err(broken_off)?,
        None => return Ok(Some((Bytes::from(sending.writer.end()), None))),
    };
    Ok(Some((Bytes::from(text), Some(sending))))
}

/// Writes one JSON object, field by field.
#[derive(Default)]
struct Writer {
    /// Number of opened `LISTS`.
    opened: usize,
    /// Whether the open list has an item.
    filled: bool,
}

impl Writer {
    fn part(&mut self, part: ExportPart) -> Result<String, ApiError> {
        match part {
            ExportPart::Account(account) => {
                let json = print(&AccountPart::from(*account))?;
                Ok(json.strip_suffix('}').unwrap_or_default().to_owned())
            }
            ExportPart::Friends(people) => self.items(1, people.into_iter().map(FriendBody::from)),
            ExportPart::Blocks(people) => self.items(2, people.into_iter().map(BlockBody::from)),
            ExportPart::Pairings(pairings) => self.items(3, pairings.into_iter().map(PairingPart::from)),
            ExportPart::Challenges(challenges) => {
                self.items(4, challenges.into_iter().map(ChallengeBody::from))
            }
            ExportPart::Reports(reports) => self.items(5, reports.into_iter().map(ReportBody::from)),
            ExportPart::Sanctions(sanctions) => self.items(6, sanctions.into_iter().map(SanctionBody::from)),
            ExportPart::Match(exported) => self.items(7, std::iter::once(*exported).map(MatchPart::from)),
            ExportPart::Unreadable(ids) => self.items(8, ids.into_iter().map(|id| id.0)),
        }
    }

    /// Writes items of a list; opens the list if needed.
    fn items(
        &mut self,
        list: usize,
        items: impl Iterator<Item = impl Serialize>,
    ) -> Result<String, ApiError> {
        let mut text = self.open(list);
        for item in items {
            text.push_str(if self.filled { ",\n" } else { "\n" });
            text.push_str(&print(&item)?);
            self.filled = true;
        }
        Ok(text)
    }

    fn open(&mut self, list: usize) -> String {
        let mut text = String::new();
        while self.opened < list {
            text.push_str(if self.opened > 0 { "]," } else { "," });
            text.push_str(&LISTS.get(self.opened).map(|name| format!("\n\"{name}\":[")).unwrap_or_default());
            self.opened += 1;
            self.filled = false;
        }
        text
    }

    fn end(&mut self) -> String {
        self.open(LISTS.len()) + "]}\n"
    }
}

/// The fields before the lists.
#[derive(Serialize)]
struct AccountPart {
    format: &'static str,
    exported_at: String,
    account: AccountBody,
    profile: ProfileSummaryBody,
    calendar: CalendarBody,
    sessions: Vec<SessionSummaryBody>,
    personal_tokens: Vec<PersonalTokenBody>,
    passkeys: Vec<PasskeyBody>,
    bots: Vec<BotPart>,
    channels: Vec<ChannelBody>,
    notification_settings: NotificationSettingsPart,
    ratings: Vec<RatingBody>,
}

/// Notification settings.
#[derive(Serialize)]
struct NotificationSettingsPart {
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
}

/// A bot and its tokens.
#[derive(Serialize)]
struct BotPart {
    bot: BotBody,
    personal_tokens: Vec<PersonalTokenBody>,
}

/// A pairing request and its client seed.
#[derive(Serialize)]
struct PairingPart {
    pairing: PairingBody,
    client_seed: String,
}

/// A match, as far as the account may know it.
#[derive(Serialize)]
struct MatchPart {
    #[serde(rename = "match")]
    view: MatchBody,
    settings: MatchSettingsBody,
    log: Vec<LogEntryBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standing_orders: Option<StandingOrdersBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Record>,
}

impl From<ExportedAccount> for AccountPart {
    fn from(exported: ExportedAccount) -> Self {
        let ExportedAccount {
            account,
            profile,
            calendar,
            at,
            sessions,
            tokens,
            passkeys,
            channels,
            notification_settings,
            ratings,
            bots,
        } = exported;
        let notification_settings = NotificationSettingsBody::new(notification_settings, at);
        let NotificationSettingsBody { quiet_from, quiet_to, time_zone, .. } = notification_settings;
        let bots = bots.into_iter().map(|(bot, tokens)| BotPart {
            bot: bot.into(),
            personal_tokens: tokens.into_iter().map(Into::into).collect(),
        });
        Self {
            format: FORMAT,
            exported_at: print_time(at),
            profile: profile.into(),
            calendar: calendar.into(),
            account: account.into(),
            sessions: sessions.into_iter().map(Into::into).collect(),
            personal_tokens: tokens.into_iter().map(Into::into).collect(),
            passkeys: passkeys.into_iter().map(Into::into).collect(),
            bots: bots.collect(),
            channels: channels.into_iter().map(Into::into).collect(),
            notification_settings: NotificationSettingsPart { quiet_from, quiet_to, time_zone },
            ratings: ratings.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<(Pairing, String)> for PairingPart {
    fn from((pairing, client_seed): (Pairing, String)) -> Self {
        Self { pairing: pairing.into(), client_seed }
    }
}

impl From<ExportedMatch> for MatchPart {
    fn from(exported: ExportedMatch) -> Self {
        let ExportedMatch { view, log, orders, record } = exported;
        let orders = orders.map(|orders| StandingOrdersBody::from(Some(orders)));
        Self {
            settings: MatchSettingsBody::from(&*view.settings),
            view: MatchBody::from(&view),
            log: log.iter().map(LogEntryBody::from).collect(),
            standing_orders: orders,
            record,
        }
    }
}
