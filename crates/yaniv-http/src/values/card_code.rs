//! Cards on the wire, by their codes.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use yaniv_engine::Card;

/// A card, as its code: `4D`, `XR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardCode(pub Card);

impl Serialize for CardCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.code())
    }
}

impl<'de> Deserialize<'de> for CardCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = <Cow<'_, str>>::deserialize(deserializer)?;
        code.parse().map(Self).map_err(|_| {
            serde::de::Error::custom(
                "no such card; a card is a rank A23456789TJQK and a suit CDHS, or XB or XR",
            )
        })
    }
}

impl PartialSchema for CardCode {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some("^([A23456789TJQK][CDHS]|X[BR])$"))
            .min_length(Some(2))
            .max_length(Some(2))
            .description(Some(
                "A card: rank (A 2 3 4 5 6 7 8 9 T J Q K) and suit (C D H S); XB and XR are the jokers.",
            ))
            .examples(["4D", "XR"])
            .into()
    }
}

impl ToSchema for CardCode {
    fn name() -> Cow<'static, str> {
        "Card".into()
    }
}

/// Codes of several cards.
pub fn codes(cards: impl IntoIterator<Item = Card>) -> Vec<CardCode> {
    cards.into_iter().map(CardCode).collect()
}
