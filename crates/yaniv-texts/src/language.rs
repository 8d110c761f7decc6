//! The languages of the players: a closed set.

/// A language that notifications are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English: of accounts that have chosen no language.
    #[default]
    English,
    /// Hebrew.
    Hebrew,
    /// Nepali.
    Nepali,
    /// Dutch.
    Dutch,
    /// German.
    German,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 5] = [Self::English, Self::Hebrew, Self::Nepali, Self::Dutch, Self::German];

    /// Its tag (BCP 47).
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Hebrew => "he",
            Self::Nepali => "ne",
            Self::Dutch => "nl",
            Self::German => "de",
        }
    }

    /// The language of a tag, by its first subtag: `de-AT` is German. `iw` is an old tag of Hebrew.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        let first = tag.split('-').next().unwrap_or_default();
        let first = if first.eq_ignore_ascii_case("iw") { "he" } else { first };
        Self::ALL.into_iter().find(|language| first.eq_ignore_ascii_case(language.tag()))
    }

    /// The language of an account, of whose stored tag the first subtag counts; English without one.
    #[must_use]
    pub fn of_account(tag: Option<&str>) -> Self {
        tag.and_then(Self::of_tag).unwrap_or_default()
    }

    /// The first of these languages that an `Accept-Language` header prefers (RFC 9110).
    #[must_use]
    pub fn accepted(header: &str) -> Option<Self> {
        let weighed = header.split(',').filter_map(|range| {
            let (tag, weight) = range.split_once(';').unwrap_or((range, ""));
            let weight =
                weight.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.parse::<f32>().ok());
            Some((Self::of_tag(tag.trim())?, weight.filter(|weight| *weight > 0.0)?))
        });
        // The first of equals.
        let best = weighed.reduce(|best, other| if other.1 > best.1 { other } else { best });
        best.map(|(language, _)| language)
    }

    /// Whether it is written from right to left.
    #[must_use]
    pub fn is_right_to_left(self) -> bool {
        self == Self::Hebrew
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_by_its_first_subtag() {
        for language in Language::ALL {
            assert_eq!(Language::of_tag(language.tag()), Some(language));
        }
        for (tag, language) in
            [("de-AT", Language::German), ("NL-be", Language::Dutch), ("iw", Language::Hebrew)]
        {
            assert_eq!(Language::of_tag(tag), Some(language));
        }
        for tag in ["", "fr", "d", "deu", "*"] {
            assert_eq!(Language::of_tag(tag), None, "{tag}");
        }
    }

    #[test]
    fn the_header_chooses_by_weight_and_then_by_order() {
        for (header, language) in [
            ("de", Some(Language::German)),
            ("fr-CH, fr;q=0.9, nl;q=0.7, de;q=0.8, *;q=0.5", Some(Language::German)),
            ("he-IL,he;q=0.9,en-US;q=0.8", Some(Language::Hebrew)),
            ("nl;q=0.5, ne;q=0.5", Some(Language::Dutch)),
            ("de;q=0, en;q=0.1", Some(Language::English)),
            ("fr, *", None),
            ("de;q=much", None),
            ("", None),
        ] {
            assert_eq!(Language::accepted(header), language, "{header}");
        }
    }
}
