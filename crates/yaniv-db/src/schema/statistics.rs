//! Tables of statistics: per match and player, per player, and for the service.

diesel::table! {
    match_player_stats (account_id, match_id) {
        account_id -> Uuid,
        match_id -> Uuid,
        ended_at -> Nullable<Timestamptz>,
        month -> Date,
        rounds -> Integer,
        rounds_won -> Integer,
        best_run -> Integer,
        calls_right -> Integer,
        calls_wrong -> Integer,
        call_points -> Integer,
        rounds_lost -> Integer,
        points_lost -> Integer,
        reductions -> Integer,
        slam_downs -> Integer,
        in_time -> Integer,
        missed -> Integer,
        counted -> SmallInt,
        seat -> SmallInt,
        seats -> SmallInt,
        place -> Nullable<SmallInt>,
        rated -> Bool,
        bots -> Bool,
        preset -> Text,
        inflicted -> Array<Integer>,
    }
}

diesel::table! {
    player_stats (account_id, preset, bots, seats, month) {
        account_id -> Uuid,
        month -> Date,
        rounds -> Integer,
        rounds_won -> Integer,
        best_run -> Integer,
        calls_right -> Integer,
        calls_wrong -> Integer,
        inflicted -> Integer,
        call_points -> BigInt,
        points_lost -> BigInt,
        rounds_lost -> Integer,
        reductions -> Integer,
        slam_downs -> Integer,
        in_time -> Integer,
        missed -> Integer,
        seats -> SmallInt,
        bots -> Bool,
        preset -> Text,
        places -> Array<Integer>,
        replies -> Array<Integer>,
    }
}

diesel::table! {
    service_totals (preset, month) {
        month -> Date,
        matches -> BigInt,
        rounds -> BigInt,
        actions -> BigInt,
        preset -> Text,
    }
}

diesel::table! {
    activity (account_id) {
        account_id -> Uuid,
        last_day -> Date,
    }
}
