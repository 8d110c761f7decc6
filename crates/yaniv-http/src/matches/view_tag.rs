//! The ETag of the view of a match, for conditional requests.

use std::sync::OnceLock;

use sha2::{Digest, Sha256};
use yaniv_app::matches::read::ViewTag;

use crate::kernel::links::Links;
use crate::kernel::responses::hex;

/// The committed OpenAPI document; a test keeps it current. To make it anew would cost megabytes of memory.
const DOCUMENT: &[u8] = include_bytes!("../../../../openapi/yaniv.json");

/// The ETag of a view: a hash of all that the view depends on, and of the format in which this program prints it.
pub(crate) fn view_tag(mark: ViewTag, links: &Links) -> String {
    let ViewTag { version, dedications, updated_at, seat, dedication, names } = mark;
    let seat = seat.map_or(-1, |seat| i32::from(seat.number()));
    let (at, names) = (updated_at.timestamp_micros(), names.join("\n"));
    let link = links.join_link("").unwrap_or_default();
    let said = format!("{} {version} {dedications} {at} {seat} {dedication} {names} {link}", form());
    format!("W/\"{}\"", hex(&Sha256::digest(said), 12))
}

/// Hash of the OpenAPI document: a release that changes the format of responses changes all tags.
fn form() -> &'static str {
    static FORM: OnceLock<String> = OnceLock::new();
    FORM.get_or_init(|| hex(&Sha256::digest(DOCUMENT), 4))
}
