//! Diesel table definitions and joins. A test keeps them equal to the migrations; no queries here.

mod calendars;
mod finding;
mod moderation;
mod notices;
mod people;
mod play;
mod rated;
mod statistics;

pub(crate) use calendars::*;
pub(crate) use finding::*;
pub(crate) use moderation::*;
pub(crate) use notices::*;
pub(crate) use people::*;
pub(crate) use play::*;
pub(crate) use rated::*;
pub(crate) use statistics::*;

diesel::joinable!(match_states -> matches (match_id));
diesel::joinable!(seats -> matches (match_id));
diesel::joinable!(seats -> accounts (account_id));
diesel::joinable!(open_matches -> matches (match_id));
diesel::joinable!(removals -> accounts (account_id));
diesel::joinable!(pairings -> pairing_criteria (wish_id));
diesel::joinable!(challenge_members -> challenges (challenge_id));
diesel::joinable!(challenge_members -> accounts (account_id));
diesel::joinable!(authorization_codes -> sessions (session_id));
diesel::joinable!(deliveries -> channels (channel_id));
diesel::joinable!(moderators -> accounts (account_id));
diesel::joinable!(reports -> moderation_decisions (decision_id));
diesel::allow_tables_to_appear_in_same_query!(
    accounts,
    server_secrets,
    newer_timelines,
    matches,
    match_states,
    seats,
    actions,
    rounds,
    archived_logs,
    shared_settings,
    dedications,
    creation_keys,
    idempotency_keys,
    scripts,
    sessions,
    transfer_codes,
    personal_tokens,
    authorization_codes,
    passkeys,
    passkey_challenges,
    blocks,
    friend_requests,
    open_matches,
    join_codes,
    removals,
    pairing_criteria,
    pairing_groups,
    pairings,
    pairing_keys,
    challenges,
    challenge_members,
    challenge_events,
    challenge_keys,
    password_tries,
    daily_counts,
    sign_up_invitations,
    audit_entries,
    moderators,
    moderation_decisions,
    reports,
    shared_browsers,
    quiet_hours,
    vacations,
    standing_orders,
    channels,
    deliveries,
    email_codes,
    email_counts,
    rotated_secrets,
    notification_positions,
    match_last_seen,
    notice_settings,
    match_player_stats,
    player_stats,
    service_totals,
    activity,
    rating_changes,
    ratings,
    rating_counts
);
