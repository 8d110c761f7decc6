//! Public profiles.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::accounts::profiles::Profile;

/// Public profile of an account.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Profile)]
pub struct ProfileBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Username.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// Name to show beside the username. Unique: no two look alike. It may change. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Bob Marley"))]
    pub display_name: Option<String>,
    /// `true` for a guest account that is not claimed yet; left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub guest: bool,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// Last day of the current vacation: clocks are paused until it ends, in matches that honour vacations. Left out if
    /// the player is not on vacation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("2027-01-02"))]
    pub on_vacation_until: Option<NaiveDate>,
    /// Level of a house bot: `easy`, `medium`, `hard` or `expert`. Left out for other accounts.
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
    /// Sorted by username. Unknown accounts are left out.
    #[schema(max_items = 20)]
    pub items: Vec<ProfileSummaryBody>,
}

/// Public profile of an account in a list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProfileSummary)]
pub struct ProfileSummaryBody {
    /// Username.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// Name to show beside the username. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Bob Marley"))]
    pub display_name: Option<String>,
    /// `true` for a guest account that is not claimed yet; left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub guest: bool,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// Last day of the current vacation: clocks are paused until it ends, in matches that honour vacations. Left out if
    /// the player is not on vacation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("2027-01-02"))]
    pub on_vacation_until: Option<NaiveDate>,
    /// Level of a house bot: `easy`, `medium`, `hard` or `expert`. Left out for other accounts.
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
