//! The pages of `docs` that the OpenAPI document refers to: as HTML, and as Markdown for programs.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::kernel::html_page::escaped;
use crate::server::files::File;

const HTML: &str = "text/html; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Defines the pages by their names.
macro_rules! pages {
    ($($name:literal),+ $(,)?) => {
        /// Name and Markdown of each page.
        const PAGES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../docs/", $name, ".md")))),+];

        /// The files of all pages.
        pub(crate) static FILES: [File; 2 * PAGES.len()] = [
            $(
                File::new(concat!("/docs/", $name), HTML, || page($name).into_bytes()),
                File::new(concat!("/docs/", $name, ".md"), MARKDOWN, || markdown($name).into()),
            )+
        ];
    };
}

pages!(
    "bots",
    "clocks",
    "events",
    "export",
    "fairness",
    "first-bot",
    "history",
    "notifications",
    "oauth",
    "ratings",
    "records",
    "rules",
    "standing-orders",
    "statistics",
);

fn markdown(name: &str) -> &'static str {
    PAGES.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text)
}

/// A page as HTML.
fn page(name: &str) -> String {
    let mut content = String::new();
    let mut title = String::new();
    html::push_html(&mut content, events(markdown(name), &mut title).into_iter());
    let links: Vec<String> =
        PAGES.iter().map(|(other, _)| format!("<a href=\"./{other}\">{other}</a>")).collect();
    include_str!("docs/manual.html")
        .replace("<!-- title -->", &escaped(&title))
        .replace("<!-- pages -->", &links.join(" "))
        .replace("<!-- content -->", &content)
}

/// The parts of a page: headings have identifiers, and links lead to pages that are served; others are plain text. The
/// first heading is the title.
fn events<'a>(text: &'a str, title: &mut String) -> Vec<Event<'a>> {
    let mut events: Vec<Event<'a>> = Vec::new();
    // Of the heading that is open: its place and its text.
    let mut heading: Option<(usize, String)> = None;
    let mut is_dead = false;
    for mut event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some((events.len(), String::new())),
            Event::End(TagEnd::Heading(level)) => {
                let (place, words) = heading.take().unwrap_or_default();
                if level == HeadingLevel::H1 && title.is_empty() {
                    title.clone_from(&words);
                }
                if let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(place) {
                    *id = Some(anchor(&words).into());
                }
            }
            Event::Text(ref words) | Event::Code(ref words) => {
                if let Some((_, heard)) = &mut heading {
                    heard.push_str(words);
                }
            }
            Event::Start(Tag::Link { ref mut dest_url, .. }) => match destination(dest_url) {
                Some(served) => *dest_url = served.into(),
                None => is_dead = true,
            },
            Event::End(TagEnd::Link) if std::mem::take(&mut is_dead) => continue,
            _ => {}
        }
        if !(is_dead && matches!(event, Event::Start(Tag::Link { .. }))) {
            events.push(event);
        }
    }
    events
}

/// Where a link leads; `None` to a file that is not served.
fn destination(url: &str) -> Option<String> {
    if url.contains("://") || url.starts_with('#') {
        return Some(url.to_owned());
    }
    let (file, place) = url.split_once('#').unwrap_or((url, ""));
    let mark = if place.is_empty() { "" } else { "#" };
    if file == "../openapi/yaniv.json" {
        return Some("/openapi.json".to_owned());
    }
    let name = file.strip_suffix(".md")?;
    PAGES.iter().any(|(known, _)| *known == name).then(|| format!("./{name}{mark}{place}"))
}

/// The identifier of a heading, as forges make it.
fn anchor(heading: &str) -> String {
    let letters = heading.to_lowercase();
    let letters = letters.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    letters.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_a_title_anchors_and_links_to_pages() {
        let mut title = String::new();
        let text = "# Of `cards`\n\n## 2. Two words\n\n[rules](rules.md#the-end), [json](../openapi/yaniv.json), [gone](../x.md)\n";
        let mut html = String::new();
        html::push_html(&mut html, events(text, &mut title).into_iter());
        assert_eq!(title, "Of cards");
        for part in ["id=\"2-two-words\"", "href=\"./rules#the-end\"", "href=\"/openapi.json\""] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(html.contains(" gone"), "{html}");
    }

    /// A link to a file that is not served would be dead.
    #[test]
    fn links_of_pages_lead_to_pages() {
        for (name, _) in PAGES {
            let page = page(name);
            assert!(page.contains("<h1") && !page.contains("<!-- "), "{name}");
            for link in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let local = link.strip_prefix("./").map(|rest| rest.split('#').next().unwrap());
                let known = local.is_none_or(|local| {
                    local.is_empty()
                        || local == "codes"
                        || local.contains("page.css")
                        || local.contains("favicon")
                        || PAGES.iter().any(|(name, _)| *name == local)
                });
                assert!(known && !link.starts_with("..") && !link.ends_with(".md"), "{name}: {link}");
            }
        }
    }
}
