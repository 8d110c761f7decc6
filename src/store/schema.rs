//! The tables as diesel knows them. Kept equal to the migrations by a test; no queries here.

diesel::table! {
    accounts (id) {
        id -> Uuid,
        username -> Text,
        password_hash -> Text,
        created_at -> Timestamptz,
        suspended_at -> Nullable<Timestamptz>,
        suspended_until -> Nullable<Timestamptz>,
        suspension_reason -> Nullable<Text>,
        display_name -> Nullable<Text>,
        display_skeleton -> Nullable<Text>,
        language -> Nullable<Text>,
        time_zone -> Nullable<Text>,
        username_skeleton -> Text,
        kind -> Text,
        owner_id -> Nullable<Uuid>,
        renamed_at -> Nullable<Timestamptz>,
        deletion_asked_at -> Nullable<Timestamptz>,
        deleted_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    server_secrets (name) {
        name -> Text,
        secret -> Bytea,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    matches (id) {
        id -> Uuid,
        code -> Text,
        rules -> Jsonb,
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
    }
}

diesel::table! {
    seats (match_id, account_id) {
        match_id -> Uuid,
        account_id -> Uuid,
        seat -> SmallInt,
        client_seed -> Text,
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
    }
}

diesel::table! {
    gifts (match_id, round) {
        match_id -> Uuid,
        round -> SmallInt,
        seat -> SmallInt,
        text -> Text,
        after_version -> Integer,
    }
}

diesel::table! {
    creation_keys (account_id, key_hash) {
        account_id -> Uuid,
        key_hash -> BigInt,
        fingerprint -> Integer,
        match_id -> Uuid,
    }
}

diesel::table! {
    open_matches (match_id) {
        match_id -> Uuid,
        code -> Text,
        preset -> Nullable<Text>,
        size -> SmallInt,
        free -> SmallInt,
        code_expires_at -> Nullable<Timestamptz>,
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
    blocks (blocker_id, blocked_id) {
        blocker_id -> Uuid,
        blocked_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    friend_wishes (wisher_id, wished_id) {
        wisher_id -> Uuid,
        wished_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    wishes (id) {
        id -> Bytea,
        size -> SmallInt,
        preset -> Nullable<Text>,
        rules -> Jsonb,
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
    challenge_keys (account_id, key_hash) {
        account_id -> Uuid,
        key_hash -> BigInt,
        fingerprint -> Integer,
        challenge_id -> Uuid,
        at -> Timestamptz,
    }
}

diesel::table! {
    sessions (id) {
        id -> Uuid,
        account_id -> Uuid,
        created_at -> Timestamptz,
        last_used_at -> Timestamptz,
        rotated_at -> Timestamptz,
        expires_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        device -> Text,
        hash -> Bytea,
        previous_hash -> Nullable<Bytea>,
        salt -> Nullable<Bytea>,
    }
}

diesel::table! {
    personal_tokens (id) {
        id -> Uuid,
        account_id -> Uuid,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
        scopes -> SmallInt,
        name -> Text,
        hash -> Bytea,
    }
}

diesel::table! {
    password_tries (key) {
        key -> Bytea,
        tries -> Array<Timestamptz>,
        last_at -> Timestamptz,
    }
}

diesel::table! {
    sign_up_invitations (id) {
        id -> Uuid,
        code_hash -> Bytea,
        note -> Text,
        uses -> Integer,
        used -> Integer,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        revoked_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    audit_entries (id) {
        id -> Uuid,
        at -> Timestamptz,
        by -> Text,
        action -> Text,
        subject_id -> Nullable<Uuid>,
        reason -> Nullable<Text>,
    }
}

diesel::joinable!(match_states -> matches (match_id));
diesel::joinable!(seats -> matches (match_id));
diesel::joinable!(seats -> accounts (account_id));
diesel::joinable!(open_matches -> matches (match_id));
diesel::joinable!(pairings -> wishes (wish_id));
diesel::joinable!(challenge_members -> challenges (challenge_id));
diesel::joinable!(challenge_members -> accounts (account_id));
diesel::allow_tables_to_appear_in_same_query!(
    accounts,
    server_secrets,
    matches,
    match_states,
    seats,
    actions,
    rounds,
    gifts,
    creation_keys,
    sessions,
    personal_tokens,
    blocks,
    friend_wishes,
    open_matches,
    join_codes,
    wishes,
    pairing_groups,
    pairings,
    pairing_keys,
    challenges,
    challenge_members,
    challenge_keys,
    password_tries,
    sign_up_invitations,
    audit_entries
);
