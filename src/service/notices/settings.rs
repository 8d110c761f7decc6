//! When somebody does not want to be told.

use chrono_tz::Tz;

use super::quiet::DAY;
use crate::ids::AccountId;
use crate::service::names::check_time_zone;
use crate::service::{ServiceError, Services};
use crate::store::accounts::account_find;
use crate::store::notice_settings::{
    NoticeSettingsRow, notice_settings_delete, notice_settings_find, notice_settings_save,
};

/// When an account wants to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoticeSettings {
    /// When not.
    pub quiet: Option<QuietTime>,
}

/// A part of every day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuietTime {
    /// Minute of the day at which it begins.
    pub from: i16,
    /// Minute of the day at which it ends.
    pub to: i16,
    /// Where the day is: a name of the IANA time zone database.
    pub time_zone: String,
}

/// Quiet hours that are wanted; where they live, if they say so here.
#[derive(Clone, Debug)]
pub struct WantedQuiet {
    /// From when, HH:MM.
    pub from: String,
    /// To when.
    pub to: String,
    /// Where.
    pub time_zone: Option<String>,
}

impl Services {
    /// The settings of the caller.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn notice_settings(&self, account: AccountId) -> Result<NoticeSettings, ServiceError> {
        let row = notice_settings_find(&*self.store.connection().await?, account).await?;
        Ok(row.into())
    }

    /// Puts settings in the place of those before.
    ///
    /// # Errors
    /// `InvalidField`.
    pub async fn set_notice_settings(
        &self,
        account: AccountId,
        quiet: Option<WantedQuiet>,
    ) -> Result<NoticeSettings, ServiceError> {
        let quiet = match quiet {
            Some(wanted) => Some(self.quiet_time(account, wanted).await?),
            None => None,
        };
        self.durably(true, false, move |connection, _| {
            let quiet = quiet.clone();
            async move {
                let Some(QuietTime { from, to, time_zone }) = quiet else {
                    notice_settings_delete(&connection, account).await?;
                    return Ok(NoticeSettings::default());
                };
                let row =
                    NoticeSettingsRow { account_id: account.0, time_zone, quiet_from: from, quiet_to: to };
                notice_settings_save(&connection, &row).await?;
                Ok(Some(row).into())
            }
        })
        .await
    }

    async fn quiet_time(&self, account: AccountId, wanted: WantedQuiet) -> Result<QuietTime, ServiceError> {
        let WantedQuiet { from, to, time_zone } = wanted;
        let from = minute("quiet_from", &from)?;
        let to = minute("quiet_to", &to)?;
        if from == to {
            let detail = "has to be another time than quiet_from";
            return Err(ServiceError::InvalidField { field: "quiet_to", detail });
        }
        let time_zone = match time_zone {
            Some(zone) => zone,
            None => {
                let row = account_find(&*self.store.connection().await?, account).await?;
                let zone = row.and_then(|row| row.time_zone);
                let detail = "is needed, as the account has none";
                zone.ok_or(ServiceError::InvalidField { field: "time_zone", detail })?
            }
        };
        check_time_zone(&time_zone)?;
        Ok(QuietTime { from, to, time_zone })
    }
}

impl From<Option<NoticeSettingsRow>> for NoticeSettings {
    fn from(row: Option<NoticeSettingsRow>) -> Self {
        let quiet = row.map(|row| {
            let NoticeSettingsRow { time_zone, quiet_from: from, quiet_to: to, .. } = row;
            QuietTime { from, to, time_zone }
        });
        Self { quiet }
    }
}

impl QuietTime {
    /// A minute of the day as people write it.
    #[must_use]
    pub fn print(minute: i16) -> String {
        format!("{:02}:{:02}", minute / 60, minute % 60)
    }
}

/// The zone of a name; names that are stored were checked, but the database of zones changes.
pub(super) fn zone(name: &str) -> Tz {
    name.parse().unwrap_or(Tz::UTC)
}

fn minute(field: &'static str, text: &str) -> Result<i16, ServiceError> {
    let wrong = || ServiceError::InvalidField { field, detail: "has to be a time of day, HH:MM" };
    let (hours, minutes) =
        text.split_once(':').filter(|(h, m)| h.len() == 2 && m.len() == 2).ok_or_else(wrong)?;
    let number = |text: &str, below: i16| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i16>().ok().filter(|number| digits && *number < below).ok_or_else(wrong)
    };
    let minute = number(hours, 24)? * 60 + number(minutes, 60)?;
    debug_assert!(minute < DAY);
    Ok(minute)
}
