//! Everything that knows a status code. Handlers are short: extract, one call of a use case, print. No SQL and no
//! rules here; and no `match` on errors but the one in `error`.

mod accounts;
mod actions;
mod answer;
mod answers;
mod blocks;
pub mod body;
mod body_reader;
mod bots;
mod calendars;
mod challenge_answers;
mod challenges;
mod channel_log;
mod channels;
mod codes;
mod cors;
mod deletion;
pub mod error;
mod error_codes;
mod event_stream;
mod events;
mod export;
mod extract;
mod fallback;
mod friends;
mod guard;
mod guests;
mod health;
mod held_payload;
mod history;
mod inbox;
mod invitations;
mod join_page;
mod limits;
mod links;
mod match_request;
mod matches;
mod my_turns;
mod notice_settings;
mod open_matches;
pub mod openapi;
mod openapi_answers;
mod openapi_examples;
mod openapi_v30;
mod orders;
mod pairings;
mod parameters;
mod preset_path;
pub mod problem;
mod profiles;
mod ratings;
mod record_stream;
mod records;
mod rematches;
mod replays;
mod rules;
mod sandboxes;
mod seat_changes;
mod server;
mod sessions;
mod side_actions;
mod statistics;
mod tokens;

use utoipa_actix_web::service_config::ServiceConfig;

pub use cors::Origins;
pub use fallback::{Methods, not_found};
pub use guard::guard;
pub use join_page::join_page;
pub use limits::Limits;
pub use links::Links;

/// The operations. Each has its full path in its attribute, so that a search for a URL ends at its handler.
pub fn routes(config: &mut ServiceConfig<'_>) {
    // They are tried in this order: what is asked for most comes first.
    config.service(actions::play_cards).service(matches::get_match);
    people(config);
    played(config);
    config
        .service(matches::create_match)
        .service(matches::list_matches)
        .service(invitations::get_invitation)
        .service(invitations::join_match)
        .service(invitations::leave_match)
        .service(invitations::start_match)
        .service(codes::renew_code)
        .service(codes::revoke_code)
        .service(open_matches::list_open_matches)
        .service(pairings::request_pairing)
        .service(pairings::list_pairings)
        .service(pairings::get_pairing)
        .service(pairings::withdraw_pairing)
        .service(challenges::create_challenge)
        .service(challenges::list_challenges)
        .service(challenges::get_challenge)
        .service(challenge_answers::accept_challenge)
        .service(challenge_answers::decline_challenge)
        .service(challenge_answers::withdraw_challenge)
        .service(rematches::offer_rematch)
        .service(rematches::get_rematch)
        .service(orders::place_orders)
        .service(orders::get_orders)
        .service(orders::withdraw_orders)
        .service(actions::make_call)
        .service(side_actions::dedicate_card)
        .service(side_actions::slam_down)
        .service(side_actions::ask_for_card)
        .service(answers::answer_request)
        .service(answers::answer_call)
        .service(answers::answer_swap)
        .service(side_actions::pass_turn)
        .service(actions::resign_match)
        .service(actions::list_actions)
        .service(seat_changes::take_seat_back)
        .service(sandboxes::advance_clock)
        .service(sandboxes::write_script)
        .service(seat_changes::nudge_players)
        .service(seat_changes::list_clock_changes)
        .service(events::wait_for_events)
        .service(events::follow_match)
        .service(inbox::read_inbox)
        .service(inbox::follow_inbox)
        .service(my_turns::list_my_turns)
        .service(rules::list_presets)
        .service(rules::list_rule_options)
        .service(health::get_health)
        .service(health::get_readiness)
        .service(server::get_server);
}

/// What was played, and what it comes to.
fn played(config: &mut ServiceConfig<'_>) {
    config
        .service(history::list_history)
        .service(replays::get_recap)
        .service(records::list_rounds)
        .service(replays::get_round)
        .service(replays::get_round_analysis)
        .service(records::get_record)
        .service(records::get_record_text)
        .service(record_stream::stream_records)
        .service(records::get_fairness)
        .service(history::list_profile_matches)
        .service(statistics::get_service_statistics)
        .service(statistics::get_statistics)
        .service(statistics::list_statistics_by_month)
        .service(statistics::get_head_to_head)
        .service(ratings::list_ratings)
        .service(ratings::list_rating_changes)
        .service(ratings::list_leaderboard)
        .service(ratings::get_leaderboard_neighbours);
}

/// Those on accounts, on what gives access to them, and on other people.
fn people(config: &mut ServiceConfig<'_>) {
    config
        .service(accounts::register_account)
        .service(accounts::log_in)
        .service(accounts::get_account)
        .service(accounts::change_password)
        .service(profiles::update_account)
        .service(profiles::get_profile)
        .service(profiles::list_profiles)
        .service(calendars::get_calendar)
        .service(calendars::set_quiet_hours)
        .service(calendars::remove_quiet_hours)
        .service(calendars::announce_vacation)
        .service(calendars::cancel_vacation)
        .service(guests::create_guest)
        .service(guests::claim_account)
        .service(deletion::delete_account)
        .service(export::export_account)
        .service(bots::create_bot)
        .service(bots::list_bots)
        .service(bots::delete_bot)
        .service(bots::create_bot_token)
        .service(bots::list_bot_tokens)
        .service(bots::revoke_bot_token)
        .service(sessions::refresh_session)
        .service(sessions::list_sessions)
        .service(sessions::log_out)
        .service(sessions::end_other_sessions)
        .service(sessions::end_session)
        .service(tokens::create_token)
        .service(tokens::list_tokens)
        .service(tokens::revoke_token)
        .service(channels::create_push_channel)
        .service(channels::create_webhook_channel)
        .service(channels::list_channels)
        .service(channels::get_channel)
        .service(channels::update_channel)
        .service(channels::delete_channel)
        .service(channel_log::rotate_channel_secret)
        .service(channel_log::test_channel)
        .service(channel_log::list_deliveries)
        .service(notice_settings::get_notice_settings)
        .service(notice_settings::set_notice_settings)
        .service(blocks::block_account)
        .service(blocks::unblock_account)
        .service(blocks::list_blocks)
        .service(friends::befriend_account)
        .service(friends::unfriend_account)
        .service(friends::list_friends);
}
