//! Notification settings of an account: its quiet hours. The computation of quiet hours is in `quiet_hours`.

use chrono_tz::Tz;
use yaniv_db::accounts::account_rows::account_find;
use yaniv_db::notifications::settings::{
    NoticeSettingsRow, notice_settings_delete, notice_settings_find, notice_settings_save,
};
use yaniv_model::ids::AccountId;

use crate::kernel::boxed;
use crate::kernel::calendars::check_time_zone;
use crate::notifications::channels::quiet_hours::DAY;
use crate::{ServiceError, Services};

/// Notification settings of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationSettings {
    /// Quiet hours, if any.
    pub quiet: Option<QuietTime>,
}

/// Daily quiet hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuietTime {
    /// Minute of the day at which it begins.
    pub from: i16,
    /// Minute of the day at which it ends.
    pub to: i16,
    /// Name of the time zone in the IANA database.
    pub time_zone: String,
}

/// Requested quiet hours. Without a time zone, that of the account is used.
#[derive(Clone, Debug)]
pub struct WantedQuiet {
    /// Beginning, HH:MM.
    pub from: String,
    /// End, HH:MM.
    pub to: String,
    /// Name of the time zone.
    pub time_zone: Option<String>,
}

impl Services {
    /// The caller's settings.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn notification_settings(
        &self,
        account: AccountId,
    ) -> Result<NotificationSettings, ServiceError> {
        let row = notice_settings_find(&*self.store.connection().await?, account).await?;
        Ok(row.into())
    }

    /// Replaces the caller's settings.
    ///
    /// # Errors
    /// `InvalidField`.
    #[boxed]
    pub async fn set_notification_settings(
        &self,
        account: AccountId,
        quiet: Option<WantedQuiet>,
    ) -> Result<NotificationSettings, ServiceError> {
        let quiet = match quiet {
            Some(wanted) => Some(self.quiet_time(account, wanted).await?),
            None => None,
        };
        self.durably(true, false, move |connection, _| {
            let quiet = quiet.clone();
            async move {
                let Some(QuietTime { from, to, time_zone }) = quiet else {
                    notice_settings_delete(&connection, account).await?;
                    return Ok(NotificationSettings::default());
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
            let detail = "must be another time than quiet_from";
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

impl From<Option<NoticeSettingsRow>> for NotificationSettings {
    fn from(row: Option<NoticeSettingsRow>) -> Self {
        let quiet = row.map(|row| {
            let NoticeSettingsRow { time_zone, quiet_from: from, quiet_to: to, .. } = row;
            QuietTime { from, to, time_zone }
        });
        Self { quiet }
    }
}

impl QuietTime {
    /// Formats a minute of the day as HH:MM.
    #[must_use]
    pub fn print(minute: i16) -> String {
        format!("{:02}:{:02}", minute / 60, minute % 60)
    }
}

/// Parses a stored time zone; UTC if the name has since been removed from the time zone database.
pub(crate) fn zone(name: &str) -> Tz {
    name.parse().unwrap_or(Tz::UTC)
}

fn minute(field: &'static str, text: &str) -> Result<i16, ServiceError> {
    let wrong = || ServiceError::InvalidField { field, detail: "must be a time of day, HH:MM" };
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
