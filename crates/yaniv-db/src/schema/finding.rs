//! Tables of open matches, join codes, pairing requests and challenges.

diesel::table! {
    open_matches (match_id) {
        match_id -> Uuid,
        code -> Text,
        preset -> Nullable<Text>,
        size -> SmallInt,
        free -> SmallInt,
        code_expires_at -> Nullable<Timestamptz>,
        longest_turn -> Nullable<Integer>,
        rated -> Bool,
    }
}

diesel::table! {
    removals (match_id, version) {
        match_id -> Uuid,
        version -> Integer,
        account_id -> Uuid,
        removed_at -> Timestamptz,
        code -> Text,
    }
}

diesel::table! {
    join_codes (match_id, version) {
        match_id -> Uuid,
        version -> Integer,
        code -> Text,
        expires_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    pairing_criteria (id) {
        id -> Bytea,
        size -> SmallInt,
        preset -> Nullable<Text>,
        rules -> Jsonb,
        pace -> Nullable<Json>,
        rated -> Bool,
    }
}

diesel::table! {
    pairing_groups (match_id) {
        match_id -> Uuid,
        wish_id -> Bytea,
        secret -> Bytea,
        commitment -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    pairings (id) {
        id -> Uuid,
        wish_id -> Bytea,
        account_id -> Uuid,
        match_id -> Uuid,
        client_seed -> Text,
        commitment -> Text,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        paired_at -> Nullable<Timestamptz>,
        withdrawn_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    pairing_keys (account_id, key_hash) {
        account_id -> Uuid,
        key_hash -> BigInt,
        fingerprint -> Integer,
        pairing_id -> Uuid,
        at -> Timestamptz,
    }
}

diesel::table! {
    challenges (id) {
        id -> Uuid,
        challenger_id -> Uuid,
        match_id -> Uuid,
        rematch_of -> Nullable<Uuid>,
        rules -> Jsonb,
        preset -> Nullable<Text>,
        size -> SmallInt,
        seat_order -> Text,
        secret -> Nullable<Bytea>,
        commitment -> Text,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        outcome -> Nullable<Text>,
        ended_at -> Nullable<Timestamptz>,
        pace -> Nullable<Json>,
        rated -> Bool,
    }
}

diesel::table! {
    challenge_members (challenge_id, account_id) {
        challenge_id -> Uuid,
        account_id -> Uuid,
        place -> SmallInt,
        client_seed -> Text,
        accepted_at -> Nullable<Timestamptz>,
        declined_at -> Nullable<Timestamptz>,
        reason -> Nullable<Text>,
    }
}

diesel::table! {
    challenge_events (challenge_id, account_id, number) {
        challenge_id -> Uuid,
        account_id -> Uuid,
        number -> SmallInt,
        at -> Timestamptz,
    }
}

diesel::table! {
    challenge_keys (account_id, key_hash) {
        account_id -> Uuid,
        key_hash -> BigInt,
        fingerprint -> Integer,
        challenge_id -> Uuid,
        at -> Timestamptz,
    }
}
