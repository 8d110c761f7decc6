//! What everybody may see of an account.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::accounts::profiles::Profile;

/// An account, as everybody may see it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Profile)]
pub struct ProfileBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The account's name.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// Name to show beside it. No two accounts have names that look alike; but it may change. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Bob Marley"))]
    pub display_name: Option<String>,
    /// `true` for a guest, who has no password yet; left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub guest: bool,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// The last day of their vacation, where they are: their clocks stand until it is over, in matches that honour it. Left
    /// out for who is not on vacation today.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("2027-01-02"))]
    pub on_vacation_until: Option<NaiveDate>,
    /// How well it plays, if it is a bot of the house: `easy`, `medium` or `hard`. Left out for all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 16, pattern = "^[a-z]+$", examples("hard"))]
    pub level: Option<String>,
}

/// Profiles of several accounts.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProfileList)]
pub struct ProfileListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// By name. Accounts that there are not are left out.
    #[schema(max_items = 20)]
    pub items: Vec<ProfileSummaryBody>,
}

/// An account in a list, as everybody may see it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProfileSummary)]
pub struct ProfileSummaryBody {
    /// The account's name.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// Name to show beside it. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Bob Marley"))]
    pub display_name: Option<String>,
    /// `true` for a guest, who has no password yet; left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub guest: bool,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// The last day of their vacation, where they are: their clocks stand until it is over, in matches that honour it. Left
    /// out for who is not on vacation today.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("2027-01-02"))]
    pub on_vacation_until: Option<NaiveDate>,
    /// How well it plays, if it is a bot of the house: `easy`, `medium` or `hard`. Left out for all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 16, pattern = "^[a-z]+$", examples("hard"))]
    pub level: Option<String>,
}

impl From<Profile> for ProfileBody {
    fn from(profile: Profile) -> Self {
        let Profile { username, display_name, guest, bot, on_vacation_until, level } = profile;
        Self { server_time: None, username, display_name, guest, bot, on_vacation_until, level }
    }
}

impl From<Profile> for ProfileSummaryBody {
    fn from(profile: Profile) -> Self {
        let Profile { username, display_name, guest, bot, on_vacation_until, level } = profile;
        Self { username, display_name, guest, bot, on_vacation_until, level }
    }
}

impl From<Vec<Profile>> for ProfileListBody {
    fn from(profiles: Vec<Profile>) -> Self {
        Self { server_time: None, items: profiles.into_iter().map(Into::into).collect() }
    }
}
