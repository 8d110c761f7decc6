//! Tables of accounts, secrets, timelines, sessions, tokens, authorization codes, passkeys, password attempts, invitations, the audit
//! log, blocks and friend requests.

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
        level -> Nullable<Text>,
        oidc_issuer -> Nullable<Text>,
        oidc_subject -> Nullable<Text>,
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
    newer_timelines (system_identifier, timeline) {
        system_identifier -> BigInt,
        timeline -> BigInt,
        seen_at -> Timestamptz,
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
    transfer_codes (session_id) {
        session_id -> Uuid,
        hash -> Bytea,
        expires_at -> Timestamptz,
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
        issued_to -> Nullable<Text>,
    }
}

diesel::table! {
    authorization_codes (hash) {
        hash -> Bytea,
        session_id -> Uuid,
        client_id -> Text,
        redirect_uri -> Text,
        code_challenge -> Bytea,
        scopes -> SmallInt,
        expires_at -> Timestamptz,
        token_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    passkeys (id) {
        id -> Uuid,
        account_id -> Uuid,
        credential_id -> Bytea,
        credential -> Jsonb,
        name -> Text,
        created_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    passkey_challenges (hash) {
        hash -> Bytea,
        session_id -> Nullable<Uuid>,
        state -> Jsonb,
        expires_at -> Timestamptz,
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

diesel::table! {
    blocks (blocker_id, blocked_id) {
        blocker_id -> Uuid,
        blocked_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    friend_requests (wisher_id, wished_id) {
        wisher_id -> Uuid,
        wished_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    daily_counts (account_id, kind) {
        account_id -> Uuid,
        kind -> Text,
        day -> Date,
        made -> Integer,
    }
}
