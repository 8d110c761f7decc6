//! Parser of a shared match code, or a link with it.

/// A parsed code or link.
#[derive(Debug, PartialEq)]
pub(crate) struct Link {
    /// The link's service, if it names one.
    pub(crate) server: Option<String>,
    pub(crate) code: String,
}

/// Parses a code, `https://…/join/CODE` or `yaniv://join/CODE`. Anything else is taken for a code.
pub(crate) fn read(text: &str) -> Link {
    let text = text.trim();
    let Some((start, code)) = text.rsplit_once("join/") else { return Link::code(text) };
    let end = code.find(['/', '?', '#']).unwrap_or(code.len());
    let code = code.get(..end).unwrap_or_default();
    let server = start.strip_suffix('/').filter(|server| {
        let scheme = server.split_once("://").map(|(scheme, _)| scheme.to_lowercase());
        matches!(scheme.as_deref(), Some("http" | "https"))
    });
    Link { server: server.map(str::to_owned), ..Link::code(code) }
}

impl Link {
    fn code(text: &str) -> Self {
        Self { server: None, code: text.to_uppercase() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_where_its_code_does() {
        let server = |server: &str| Some(server.to_owned());
        for (text, led) in [
            ("7KQ2MXDR", None),
            (" 7kq2mxdr ", None),
            ("yaniv://join/7KQ2MXDR", None),
            ("https://yaniv.example/join/7KQ2MXDR", server("https://yaniv.example")),
            ("https://example.org/yaniv/join/7kq2mxdr/", server("https://example.org/yaniv")),
            ("http://127.0.0.1:8080/join/7KQ2MXDR?from=mail#top", server("http://127.0.0.1:8080")),
            ("https://join/join/7KQ2MXDR", server("https://join")),
        ] {
            assert_eq!(read(text), Link { server: led, code: "7KQ2MXDR".to_owned() }, "{text}");
        }
        assert_eq!(read("hello").code, "HELLO");
    }
}
