//! Blocked accounts, friends and friend requests.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::Page;
use yaniv_app::accounts::relations::Person;

/// A page of the accounts that you have blocked.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BlockList)]
pub struct BlockListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Sorted by username.
    #[schema(max_items = 100)]
    pub items: Vec<BlockBody>,
    /// `cursor` of the next page. Left out on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 20, examples("bob"))]
    pub next_cursor: Option<String>,
}

/// An account that you have blocked.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Block)]
pub struct BlockBody {
    /// Username.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// Since when it has this state.
    #[serde(serialize_with = "crate::values::time::print")]
    pub since: DateTime<Utc>,
}

/// A page of your friends and open friend requests.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FriendList)]
pub struct FriendListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Sorted by username.
    #[schema(max_items = 100)]
    pub items: Vec<FriendBody>,
    /// `cursor` of the next page. Left out on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 20, examples("bob"))]
    pub next_cursor: Option<String>,
}

/// A friend or an open friend request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Friend)]
pub struct FriendBody {
    /// Username.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// `friend`; `asked_by_you`: has not answered your request; `asks_you`: accept with `addFriend`, decline with
    /// `removeFriend`. New values may be added.
    #[schema(max_length = 16, examples("friend"))]
    pub status: String,
    /// Since when it has this state.
    #[serde(serialize_with = "crate::values::time::print")]
    pub since: DateTime<Utc>,
}

impl From<Person> for BlockBody {
    fn from(person: Person) -> Self {
        Self { username: person.username, bot: person.bot, since: person.since }
    }
}

impl From<Person> for FriendBody {
    fn from(person: Person) -> Self {
        Self {
            status: person.standing.as_str().to_owned(),
            username: person.username,
            bot: person.bot,
            since: person.since,
        }
    }
}

impl From<Page<Person>> for BlockListBody {
    fn from(page: Page<Person>) -> Self {
        Self {
            server_time: None,
            items: page.items.into_iter().map(BlockBody::from).collect(),
            next_cursor: page.next_cursor,
        }
    }
}

impl From<Page<Person>> for FriendListBody {
    fn from(page: Page<Person>) -> Self {
        Self {
            server_time: None,
            items: page.items.into_iter().map(FriendBody::from).collect(),
            next_cursor: page.next_cursor,
        }
    }
}
