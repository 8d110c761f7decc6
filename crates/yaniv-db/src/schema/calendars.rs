//! Tables of vacations and quiet hours.

diesel::table! {
    quiet_hours (account_id) {
        account_id -> Uuid,
        time_zone -> Text,
        from_minute -> SmallInt,
        to_minute -> SmallInt,
    }
}

diesel::table! {
    vacations (id) {
        id -> Uuid,
        account_id -> Uuid,
        time_zone -> Text,
        first_day -> Date,
        last_day -> Date,
        begins_at -> Timestamptz,
        ends_at -> Timestamptz,
        announced_at -> Timestamptz,
        cancelled_at -> Nullable<Timestamptz>,
        left_last_day -> Nullable<Date>,
        left_ends_at -> Nullable<Timestamptz>,
    }
}
