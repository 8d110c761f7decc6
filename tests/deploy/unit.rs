//! The unit of systemd: it is valid, and leaves the service few rights.

use std::process::Command;

use crate::{directory, installed, replaced, sample};

#[test]
fn the_unit_is_valid_and_gives_few_rights() {
    if !installed("systemd-analyze") {
        return;
    }
    let unit = directory("unit").join("yaniv.service");
    let text = replaced(&sample("yaniv.service"), "/usr/local/bin/yaniv", env!("CARGO_BIN_EXE_yaniv"));
    std::fs::write(&unit, text).unwrap();
    let analyze = |arguments: &[&str]| {
        let output = Command::new("systemd-analyze").args(arguments).arg(&unit).output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        said
    };
    assert_eq!(analyze(&["verify"]), "", "no warning");
    // Fails if the exposure exceeds the threshold, of 100 points.
    analyze(&["security", "--offline=true", "--threshold=15"]);
}
