//! The page that a notification opens, from the link template of its channel.

use reqwest::Url;
use uuid::Uuid;

use crate::notifications::channels::kinds::Kind;

/// Placeholder of the match, or of the challenge of an invitation.
pub(crate) const ID: &str = "{id}";
/// Placeholder of the kind of notification.
pub(crate) const KIND: &str = "{kind}";

/// The page. A template with `{id}` but without `{kind}` is a match page: notifications not about a match
/// open the start page of that site.
pub(crate) fn page(template: &str, kind: Kind, id: Option<Uuid>) -> String {
    if kind.is_of_match() || template.contains(KIND) || !template.contains(ID) {
        return fill_in(template, kind, id);
    }
    Url::parse(template).and_then(|url| url.join("/")).map_or_else(|_| template.to_owned(), String::from)
}

/// The template with its placeholders filled in.
pub(crate) fn fill_in(template: &str, kind: Kind, id: Option<Uuid>) -> String {
    let id = id.map(|id| id.to_string()).unwrap_or_default();
    template.replace(KIND, kind.name()).replace(ID, &id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_matches_is_opened_for_matches_only() {
        let id = Some(Uuid::nil());
        let [short, long] =
            ["https://play.example:8443/app/matches/{id}", "https://play.example/{kind}?id={id}"];
        let nil = "00000000-0000-0000-0000-000000000000";
        for (template, kind, id, expected) in [
            (short, Kind::YourTurn, id, format!("https://play.example:8443/app/matches/{nil}")),
            (short, Kind::Invited, id, "https://play.example:8443/".to_owned()),
            (short, Kind::Test, None, "https://play.example:8443/".to_owned()),
            (long, Kind::YourTurn, id, format!("https://play.example/your_turn?id={nil}")),
            (long, Kind::Invited, id, format!("https://play.example/invited?id={nil}")),
            (long, Kind::Test, None, "https://play.example/test?id=".to_owned()),
            ("https://play.example/", Kind::Invited, id, "https://play.example/".to_owned()),
        ] {
            assert_eq!(page(template, kind, id), expected);
        }
    }
}
