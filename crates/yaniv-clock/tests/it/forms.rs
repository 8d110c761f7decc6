//! The stored forms, and the refusal of invalid ones.

use yaniv_clock::{AbsentSettings, AbsentStep, AfterMisses, Clock, ClockSettings, QuietHours};

#[test]
fn settings_are_flat_and_leave_out_what_is_absent() {
    let default = serde_json::to_string(&ClockSettings::default()).unwrap();
    let expected = concat!(
        r#"{"clock":"bank","bank_seconds":259200,"gain_seconds":43200,"cap_seconds":432000,"#,
        r#""vacation":true,"quiet_hours":true}"#
    );
    assert_eq!(default, expected);
    let none = ClockSettings { clock: Clock::None, vacation: false, quiet_hours: true };
    assert_eq!(
        serde_json::to_string(&none).unwrap(),
        r#"{"clock":"none","vacation":false,"quiet_hours":true}"#
    );
}

#[test]
fn settings_out_of_bounds_are_refused() {
    let read = |fields: &str| {
        let text = format!(r#"{{{fields},"vacation":true,"quiet_hours":true}}"#);
        serde_json::from_str::<ClockSettings>(&text).map_err(|error| error.to_string())
    };
    let bank = |start: u32, gain: u32, cap: u32| {
        read(&format!(r#""clock":"bank","bank_seconds":{start},"gain_seconds":{gain},"cap_seconds":{cap}"#))
    };
    assert!(bank(300, 60, 300).is_ok());
    assert!(bank(2_592_000, 604_800, 2_592_000).is_ok());
    assert!(bank(299, 60, 300).unwrap_err().contains("bank_seconds must be from 300"));
    assert!(bank(300, 59, 300).unwrap_err().contains("gain_seconds"));
    assert!(bank(300, 604_801, 300).unwrap_err().contains("gain_seconds"));
    assert!(bank(300, 60, 2_592_001).unwrap_err().contains("cap_seconds"));
    assert!(bank(301, 60, 300).unwrap_err().contains("cap_seconds must be bank_seconds at least"));
    let turn = |seconds: u32| read(&format!(r#""clock":"turn","turn_seconds":{seconds}"#));
    assert!(turn(60).is_ok() && turn(2_592_000).is_ok());
    assert!(turn(59).is_err() && turn(2_592_001).is_err());
    assert!(read(r#""clock":"turn""#).unwrap_err().contains("turn_seconds"));
    assert!(read(r#""clock":"none","turn_seconds":60"#).unwrap_err().contains("turn_seconds"));
    assert!(read(r#""clock":"none","hours":60"#).unwrap_err().contains("unknown field"));
}

#[test]
fn quiet_hours_are_bounded() {
    let read = |from: u16, to: u16| {
        let text = format!(r#"{{"time_zone":"Europe/Berlin","from_minute":{from},"to_minute":{to}}}"#);
        serde_json::from_str::<QuietHours>(&text)
    };
    let night = read(1320, 480).unwrap();
    assert_eq!(night.minutes(), 600);
    let text = r#"{"time_zone":"Europe/Berlin","from_minute":1320,"to_minute":480}"#;
    assert_eq!(serde_json::to_string(&night).unwrap(), text);
    assert!(
        read(1320, 481).is_err()
            && read(0, 0).is_err()
            && read(1440, 10).is_err()
            && read(1000, 1440).is_err()
    );
    assert!(read(0, 1).is_ok() && read(1439, 0).is_ok());
    let nowhere = r#"{"time_zone":"Europe/Nowhere","from_minute":0,"to_minute":60}"#;
    assert!(serde_json::from_str::<QuietHours>(nowhere).is_err());
}

#[test]
fn the_ladder_goes_up_by_misses_in_a_row() {
    let steps = |settings: AbsentSettings| (1..=4).map(|missed| settings.step(missed)).collect::<Vec<_>>();
    use AbsentStep::{Bot, Out, SafeTurn};
    assert_eq!(steps(AbsentSettings::default()), [SafeTurn, SafeTurn, Bot, Bot]);
    assert_eq!(steps(AbsentSettings::new(1, AfterMisses::Out).unwrap()), [Out, Out, Out, Out]);
    assert_eq!(steps(AbsentSettings::new(2, AfterMisses::SafeTurns).unwrap()), [SafeTurn; 4]);
    assert!(
        AbsentSettings::new(0, AfterMisses::Bot).is_none()
            && AbsentSettings::new(11, AfterMisses::Bot).is_none()
    );
    assert!(serde_json::from_str::<AbsentSettings>(r#"{"misses":11,"then":"bot"}"#).is_err());
}
