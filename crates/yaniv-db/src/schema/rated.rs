//! Tables of ratings and rating changes.

diesel::table! {
    rating_changes (match_id, account_id) {
        match_id -> Uuid,
        account_id -> Uuid,
        at -> Timestamptz,
        mu_before -> Integer,
        sigma_before -> Integer,
        mu -> Integer,
        sigma -> Integer,
        number -> Integer,
        place -> SmallInt,
        players -> SmallInt,
        bots -> Bool,
        preset -> Text,
    }
}

diesel::table! {
    ratings (account_id, preset) {
        account_id -> Uuid,
        last_at -> Timestamptz,
        mu -> Integer,
        sigma -> Integer,
        matches -> Integer,
        listed -> Nullable<Integer>,
        bots -> Bool,
        preset -> Text,
    }
}

diesel::table! {
    rating_counts (preset, bots, rating) {
        rating -> Integer,
        players -> Integer,
        bots -> Bool,
        preset -> Text,
    }
}
