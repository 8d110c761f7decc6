//! Commands in pages of the documentation that a test types: shell blocks after `<!-- typed: NAME -->`.

/// The block with this name, without the indentation of a list.
pub(crate) fn block(page: &str, name: &str) -> String {
    let text = std::fs::read_to_string(page).unwrap();
    let marker = format!("<!-- typed: {name} -->");
    let (_, rest) = text.split_once(&marker).unwrap_or_else(|| panic!("{page} has no {marker}"));
    let rest = rest.trim_start_matches(['\n', ' ']);
    let indent = text.lines().find(|line| line.contains(&marker)).unwrap();
    let indent = indent.len() - indent.trim_start().len();
    let lines = rest.lines().skip(1).map_while(|line| {
        let line = line.get(indent..).unwrap_or("");
        (!line.starts_with("```")).then_some(line)
    });
    lines.map(|line| format!("{line}\n")).collect()
}
