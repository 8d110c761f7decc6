//! Tables of notification channels, codes sent by e-mail, the outbox, scan positions, and last views.

diesel::table! {
    channels (id) {
        id -> Uuid,
        account_id -> Uuid,
        session_id -> Nullable<Uuid>,
        format -> Text,
        name -> Text,
        url -> Text,
        host -> Text,
        link -> Nullable<Text>,
        kinds -> SmallInt,
        immediate -> Bool,
        secret -> Bytea,
        previous_secret -> Nullable<Bytea>,
        previous_until -> Nullable<Timestamptz>,
        public_key -> Nullable<Bytea>,
        created_at -> Timestamptz,
        delivered_at -> Nullable<Timestamptz>,
        failing_since -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
        verified_at -> Nullable<Timestamptz>,
        digest_at -> Nullable<Timestamptz>,
        token_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    email_codes (hash) {
        hash -> Bytea,
        channel_id -> Uuid,
        purpose -> Text,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    rotated_secrets (channel_id, secret) {
        channel_id -> Uuid,
        secret -> Bytea,
        signs_until -> Timestamptz,
    }
}

diesel::table! {
    email_counts (key) {
        key -> Bytea,
        tries -> Array<Timestamptz>,
        last_at -> Timestamptz,
    }
}

diesel::table! {
    deliveries (id) {
        id -> Uuid,
        channel_id -> Uuid,
        account_id -> Uuid,
        host -> Text,
        kind -> Text,
        event -> Text,
        match_id -> Nullable<Uuid>,
        version -> Nullable<Integer>,
        challenge_id -> Nullable<Uuid>,
        deadline -> Nullable<Timestamptz>,
        happened_at -> Timestamptz,
        due_at -> Timestamptz,
        lease -> Nullable<Uuid>,
        attempts -> SmallInt,
        tried_at -> Nullable<Timestamptz>,
        answer -> Nullable<SmallInt>,
        failure -> Nullable<Text>,
        outcome -> Nullable<Text>,
        done_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    notification_positions (match_id) {
        match_id -> Uuid,
        version -> Integer,
        waiting_on -> SmallInt,
    }
}

diesel::table! {
    match_last_seen (account_id, match_id) {
        account_id -> Uuid,
        match_id -> Uuid,
        at -> Timestamptz,
        version -> Integer,
    }
}

diesel::table! {
    notice_settings (account_id) {
        account_id -> Uuid,
        time_zone -> Text,
        quiet_from -> SmallInt,
        quiet_to -> SmallInt,
    }
}
