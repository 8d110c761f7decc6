//! Tables of matches: settings and state, seats, the action log, rounds, archived logs, dedications,
//! standing orders, scripts, idempotency keys.

diesel::table! {
    matches (id) {
        id -> Uuid,
        code -> Text,
        rules -> Nullable<Jsonb>,
        preset -> Nullable<Text>,
        size -> SmallInt,
        seat_order -> Text,
        secret -> Bytea,
        commitment -> Text,
        created_at -> Timestamptz,
        started_at -> Nullable<Timestamptz>,
        finished_at -> Nullable<Timestamptz>,
        visibility -> Text,
        code_expires_at -> Nullable<Timestamptz>,
        pace -> Nullable<Json>,
        sandbox -> Bool,
        rated -> Bool,
        rated_at -> Nullable<Timestamptz>,
        archived_at -> Nullable<Timestamptz>,
        settings_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    match_states (match_id) {
        match_id -> Uuid,
        version -> Integer,
        status -> Text,
        waiting_on -> SmallInt,
        state -> Nullable<Bytea>,
        updated_at -> Timestamptz,
        gifts -> SmallInt,
        check_at -> Nullable<Timestamptz>,
        clocks -> Nullable<Text>,
        ordered -> SmallInt,
    }
}

diesel::table! {
    standing_orders (match_id, seat) {
        match_id -> Uuid,
        seat -> SmallInt,
        account_id -> Uuid,
        version -> Integer,
        round -> SmallInt,
        turns -> SmallInt,
        hand -> Bytea,
        orders -> Jsonb,
        placed_at -> Timestamptz,
        state -> Text,
        reason -> Nullable<Text>,
        ended_at -> Nullable<Timestamptz>,
        ended_version -> Nullable<Integer>,
    }
}

diesel::table! {
    seats (match_id, account_id) {
        match_id -> Uuid,
        account_id -> Uuid,
        seat -> SmallInt,
        client_seed -> Text,
        closed_at -> Nullable<Timestamptz>,
        preset -> Nullable<Text>,
        rated -> Bool,
        public -> Bool,
    }
}

diesel::table! {
    actions (match_id, version) {
        match_id -> Uuid,
        at -> Timestamptz,
        key_hash -> Nullable<BigInt>,
        fingerprint -> Nullable<Integer>,
        version -> Integer,
        round -> SmallInt,
        flags -> SmallInt,
        seat -> Nullable<SmallInt>,
        kind -> CChar,
        account_id -> Nullable<Uuid>,
        detail -> Text,
        drew -> Nullable<Bytea>,
    }
}

diesel::table! {
    rounds (match_id, round) {
        match_id -> Uuid,
        round -> SmallInt,
        starter -> SmallInt,
        last_version -> Integer,
        result -> Nullable<Json>,
        ended_at -> Timestamptz,
        counted_at -> Nullable<Timestamptz>,
        next_state -> Nullable<Bytea>,
        next_clocks -> Nullable<Text>,
    }
}

diesel::table! {
    archived_logs (match_id) {
        match_id -> Uuid,
        format -> SmallInt,
        checksum -> Integer,
        packed -> Bytea,
    }
}

diesel::table! {
    shared_settings (id) {
        id -> Uuid,
        rules -> Jsonb,
        pace -> Nullable<Json>,
    }
}

diesel::table! {
    dedications (match_id, round) {
        match_id -> Uuid,
        round -> SmallInt,
        seat -> SmallInt,
        text -> Text,
        after_version -> Integer,
    }
}

diesel::table! {
    scripts (match_id, seat) {
        match_id -> Uuid,
        seat -> SmallInt,
        actions -> Text,
    }
}

diesel::table! {
    idempotency_keys (account_id, kind, key_hash) {
        account_id -> Uuid,
        kind -> Text,
        key_hash -> BigInt,
        fingerprint -> Integer,
        at -> Timestamptz,
        entries -> SmallInt,
        match_id -> Nullable<Uuid>,
        pairing_id -> Nullable<Uuid>,
        challenge_id -> Nullable<Uuid>,
        vacation_id -> Nullable<Uuid>,
        channel_id -> Nullable<Uuid>,
        token_id -> Nullable<Uuid>,
    }
}

// Empty, as are `pairing_keys` and `challenge_keys`: instances of 1.0.0 delete from them. The next release drops them.
diesel::table! {
    creation_keys (account_id, key_hash) {
        account_id -> Uuid,
        key_hash -> BigInt,
        fingerprint -> Integer,
        match_id -> Uuid,
        entries -> SmallInt,
    }
}
