//! Tables of moderators, reports, decisions and shared browsers.

diesel::table! {
    moderators (account_id) {
        account_id -> Uuid,
        added_at -> Timestamptz,
    }
}

diesel::table! {
    moderation_decisions (id) {
        id -> Uuid,
        account_id -> Uuid,
        kind -> Text,
        reason -> Text,
        until -> Nullable<Timestamptz>,
        match_id -> Nullable<Uuid>,
        round -> Nullable<SmallInt>,
        removed_text -> Nullable<Text>,
        decided_at -> Timestamptz,
        moderator_id -> Nullable<Uuid>,
        undone_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    reports (id) {
        id -> Uuid,
        reporter_id -> Nullable<Uuid>,
        subject_id -> Uuid,
        about -> Text,
        reason -> Text,
        match_id -> Nullable<Uuid>,
        round -> Nullable<SmallInt>,
        comment -> Text,
        seen_text -> Text,
        automatic -> Bool,
        created_at -> Timestamptz,
        closed_at -> Nullable<Timestamptz>,
        decision_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    shared_browsers (account_id, other_id) {
        account_id -> Uuid,
        other_id -> Uuid,
        seen_at -> Timestamptz,
    }
}
