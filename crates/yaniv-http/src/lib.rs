//! The REST API: handlers, bodies, the OpenAPI document. A handler extracts, calls one use case and returns its result.
//! No SQL and no rules here; errors are mapped to statuses only in `kernel::error`.

pub mod accounts;
pub mod calendar;
pub mod feeds;
pub mod forms;
pub mod history;
pub mod home;
pub mod kernel;
pub mod lifecycle;
pub mod lobby;
pub mod match_view;
pub mod matches;
pub mod matchmaking;
pub mod moderation;
pub mod notifications;
pub mod oauth;
pub mod oidc;
pub mod openapi;
pub mod passkeys;
pub mod ratings;
pub mod rules;
pub mod server;
pub mod statistics;
pub mod turns;
pub mod values;

pub use crate::kernel::cors::Origins;
pub use crate::kernel::large_answers::{LargeAnswers, count_large_answers};
pub use crate::kernel::links::{CODE, Links};
pub use crate::kernel::middleware::guard;
pub use crate::kernel::rate_limit::Limits;
pub use crate::lobby::join_page::join_page;
use crate::openapi::Operations;
pub use crate::server::fallback::{Methods, not_found};

/// All operations. Each has its full path in its attribute, so that a search for a URL finds its handler.
pub fn routes(config: &mut impl Operations) {
    // Routes are matched in this order: the most frequent first.
    config.service(crate::turns::play::play_cards).service(crate::matches::read::get_match);
    people(config);
    contacts(config);
    played(config);
    moderated(config);
    config
        .service(crate::lobby::create::create_match)
        .service(crate::matches::read::list_matches)
        .service(crate::matches::settings::get_match_settings)
        .service(crate::lobby::join::get_match_by_code)
        .service(crate::lobby::join::join_match)
        .service(crate::lobby::join::leave_match)
        .service(crate::lobby::join::remove_player)
        .service(crate::lobby::join::start_match)
        .service(crate::lobby::join_codes::renew_code)
        .service(crate::lobby::join_codes::revoke_code)
        .service(crate::lobby::open_matches::list_open_matches)
        .service(crate::matchmaking::pairings::request_pairing)
        .service(crate::matchmaking::pairings::list_pairings)
        .service(crate::matchmaking::pairings::get_pairing)
        .service(crate::matchmaking::pairings::withdraw_pairing)
        .service(crate::matchmaking::challenges::create_challenge)
        .service(crate::matchmaking::challenges::list_challenges)
        .service(crate::matchmaking::challenges::get_challenge)
        .service(crate::matchmaking::challenge_answers::accept_challenge)
        .service(crate::matchmaking::challenge_answers::decline_challenge)
        .service(crate::matchmaking::challenge_answers::withdraw_challenge)
        .service(crate::matchmaking::rematches::offer_rematch)
        .service(crate::matchmaking::rematches::get_rematch)
        .service(crate::turns::orders::set_standing_orders)
        .service(crate::turns::orders::get_standing_orders)
        .service(crate::turns::orders::remove_standing_orders)
        .service(crate::turns::play::make_call)
        .service(crate::turns::side_actions::dedicate_card)
        .service(crate::turns::side_actions::slam_down)
        .service(crate::turns::side_actions::request_card)
        .service(crate::turns::answers::answer_card_request)
        .service(crate::turns::answers::answer_call)
        .service(crate::turns::answers::answer_swap)
        .service(crate::turns::side_actions::pass_turn)
        .service(crate::turns::play::resign_match)
        .service(crate::history::log::list_log)
        .service(crate::turns::seat_events::take_seat_back)
        .service(crate::turns::sandboxes::advance_clock)
        .service(crate::turns::sandboxes::write_script)
        .service(crate::turns::seat_events::nudge_players)
        .service(crate::history::log::list_clock_changes)
        .service(crate::feeds::match_feed::list_match_events)
        .service(crate::feeds::match_feed::stream_match_events)
        .service(crate::feeds::account_feed::list_events)
        .service(crate::feeds::account_feed::stream_events)
        .service(crate::matches::my_turns::list_turns)
        .service(crate::home::overview::get_home)
        .service(crate::rules::list::list_presets)
        .service(crate::rules::list::list_rule_options)
        .service(crate::server::health::get_health)
        .service(crate::server::health::get_readiness)
        .service(crate::server::info::get_server);
}

/// Past matches, statistics, ratings.
fn played(config: &mut impl Operations) {
    config
        .service(crate::history::past_matches::list_history)
        .service(crate::history::replays::get_recap)
        .service(crate::history::records::list_rounds)
        .service(crate::history::replays::get_round)
        .service(crate::history::replays::get_round_analysis)
        .service(crate::history::records::get_record)
        .service(crate::history::records::get_record_text)
        .service(crate::history::record_export::stream_records)
        .service(crate::history::records::get_fairness)
        .service(crate::history::past_matches::list_profile_matches)
        .service(crate::statistics::read::get_service_statistics)
        .service(crate::statistics::read::get_statistics)
        .service(crate::statistics::read::list_statistics_by_month)
        .service(crate::statistics::read::get_head_to_head)
        .service(crate::ratings::read::list_ratings)
        .service(crate::ratings::read::list_rating_changes)
        .service(crate::ratings::read::list_leaderboard)
        .service(crate::ratings::read::get_leaderboard_neighbours);
}

/// Reports and decisions.
fn moderated(config: &mut impl Operations) {
    config
        .service(crate::moderation::reports::report_player)
        .service(crate::moderation::reports::report_match)
        .service(crate::moderation::reports::report_dedication)
        .service(crate::moderation::reports::list_reports)
        .service(crate::moderation::sanctions::list_sanctions)
        .service(crate::moderation::queue::list_report_queue)
        .service(crate::moderation::queue::get_report)
        .service(crate::moderation::queue::decide_report)
        .service(crate::moderation::queue::undo_decision)
        .service(crate::moderation::queue::list_decisions);
}

/// Accounts, credentials, calendars.
fn people(config: &mut impl Operations) {
    config
        .service(crate::accounts::register::register_account)
        .service(crate::accounts::register::log_in)
        .service(crate::accounts::register::get_account)
        .service(crate::accounts::register::change_password)
        .service(crate::oidc::identities::log_in_with_identity)
        .service(crate::oidc::identities::register_with_identity)
        .service(crate::oidc::identities::link_identity)
        .service(crate::oidc::identities::unlink_identity)
        .service(crate::passkeys::log_in::create_passkey_log_in_options)
        .service(crate::passkeys::log_in::log_in_with_passkey)
        .service(crate::passkeys::own::create_passkey_options)
        .service(crate::passkeys::own::create_passkey)
        .service(crate::passkeys::own::list_passkeys)
        .service(crate::passkeys::own::delete_passkey)
        .service(crate::accounts::profiles::update_account)
        .service(crate::accounts::profiles::get_profile)
        .service(crate::accounts::profiles::list_profiles)
        .service(crate::calendar::calendars::get_calendar)
        .service(crate::calendar::calendars::set_quiet_hours)
        .service(crate::calendar::calendars::remove_quiet_hours)
        .service(crate::calendar::calendars::announce_vacation)
        .service(crate::calendar::calendars::cancel_vacation)
        .service(crate::accounts::guests::create_guest)
        .service(crate::accounts::guests::claim_account)
        .service(crate::lifecycle::account_deletion::delete_account)
        .service(crate::lifecycle::export::export_account)
        .service(crate::accounts::bots::create_bot)
        .service(crate::accounts::bots::list_bots)
        .service(crate::accounts::bots::delete_bot)
        .service(crate::accounts::bots::create_bot_token)
        .service(crate::accounts::bots::list_bot_tokens)
        .service(crate::accounts::bots::revoke_bot_token)
        .service(crate::accounts::sessions::refresh_session)
        .service(crate::accounts::sessions::list_sessions)
        .service(crate::accounts::sessions::log_out)
        .service(crate::accounts::sessions::end_other_sessions)
        .service(crate::accounts::sessions::end_session)
        .service(crate::accounts::transfer_codes::create_transfer_code)
        .service(crate::accounts::transfer_codes::transfer_session)
        .service(crate::lifecycle::password_resets::request_password_reset)
        .service(crate::lifecycle::password_resets::reset_password)
        .service(crate::oauth::authorizations::authorize_app)
        .service(crate::accounts::tokens::create_token)
        .service(crate::accounts::tokens::list_tokens)
        .service(crate::accounts::tokens::revoke_token);
}

/// Notifications and relations.
fn contacts(config: &mut impl Operations) {
    config
        .service(crate::notifications::channels::create_push_channel)
        .service(crate::notifications::channels::create_webhook_channel)
        .service(crate::notifications::email_channels::create_email_channel)
        .service(crate::notifications::email_channels::verify_email)
        .service(crate::notifications::channels::list_channels)
        .service(crate::notifications::channels::get_channel)
        .service(crate::notifications::channels::update_channel)
        .service(crate::notifications::channels::delete_channel)
        .service(crate::notifications::channel_log::rotate_channel_secret)
        .service(crate::notifications::channel_log::test_channel)
        .service(crate::notifications::channel_log::list_deliveries)
        .service(crate::notifications::settings::get_notification_settings)
        .service(crate::notifications::settings::set_notification_settings)
        .service(crate::accounts::blocks::block_account)
        .service(crate::accounts::blocks::unblock_account)
        .service(crate::accounts::blocks::list_blocks)
        .service(crate::accounts::friends::add_friend)
        .service(crate::accounts::friends::remove_friend)
        .service(crate::accounts::friends::list_friends);
}
