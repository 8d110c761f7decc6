-- Ratings: which matches count for them, how they stand, how they came to stand so, and how many are listed at each number.

ALTER TABLE matches
    ADD COLUMN rated    boolean NOT NULL DEFAULT false,
    ADD COLUMN rated_at timestamptz;
-- The queue of the rater. A match comes into it by its end, which is one update that is not HOT; play never touches it.
CREATE INDEX matches_unrated_idx ON matches (finished_at, id)
    WHERE rated AND rated_at IS NULL AND finished_at IS NOT NULL;
COMMENT ON COLUMN matches.rated IS 'It counts for the ratings of its players.';
COMMENT ON COLUMN matches.rated_at IS 'When the rater was done with it; null: it has yet to be rated, if it counts and is over.';

ALTER TABLE wishes ADD COLUMN rated boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN wishes.rated IS 'As in matches. People and bots who wish for a rated match have wishes of their own.';

ALTER TABLE open_matches ADD COLUMN rated boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN open_matches.rated IS 'As in matches.';

ALTER TABLE challenges ADD COLUMN rated boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN challenges.rated IS 'As in matches.';

-- No foreign keys here: the rows of accounts and of rated matches stay for ever, and a check of them would wait for
-- whoever has an account locked.
CREATE TABLE rating_changes (
    match_id     uuid        NOT NULL,
    account_id   uuid        NOT NULL,
    at           timestamptz NOT NULL,
    mu_before    integer     NOT NULL,
    sigma_before integer     NOT NULL,
    mu           integer     NOT NULL,
    sigma        integer     NOT NULL,
    number       integer     NOT NULL,
    place        smallint    NOT NULL,
    players      smallint    NOT NULL,
    bots         boolean     NOT NULL,
    preset       text        NOT NULL,
    CONSTRAINT rating_changes_pkey PRIMARY KEY (match_id, account_id)
);
CREATE INDEX rating_changes_account_idx ON rating_changes (account_id, preset, number);
CREATE INDEX rating_changes_order_idx ON rating_changes (preset, bots, at, match_id);
COMMENT ON TABLE rating_changes IS 'What each rated match did to the ratings of its players. All of it can be made again from the logs.';
COMMENT ON COLUMN rating_changes.at IS 'Time of the entry of the log that ended the match. Matches of a list are rated in the order of this and of their identifiers.';
COMMENT ON COLUMN rating_changes.mu_before IS 'Strength before it, in millionths.';
COMMENT ON COLUMN rating_changes.sigma_before IS 'Uncertainty before it, in millionths.';
COMMENT ON COLUMN rating_changes.mu IS 'Strength after it, in millionths.';
COMMENT ON COLUMN rating_changes.sigma IS 'Uncertainty after it, in millionths.';
COMMENT ON COLUMN rating_changes.number IS 'How many rated matches of the list the account has played with this one.';
COMMENT ON COLUMN rating_changes.place IS 'Place of the account in the match; equal places are shared.';
COMMENT ON COLUMN rating_changes.players IS 'Players of the match.';
COMMENT ON COLUMN rating_changes.bots IS 'Of the list of bots; else of people.';
COMMENT ON COLUMN rating_changes.preset IS 'Preset of the match: each has lists of its own.';

CREATE TABLE ratings (
    account_id uuid        NOT NULL,
    last_at    timestamptz NOT NULL,
    mu         integer     NOT NULL,
    sigma      integer     NOT NULL,
    matches    integer     NOT NULL,
    listed     integer,
    bots       boolean     NOT NULL,
    preset     text        NOT NULL,
    CONSTRAINT ratings_pkey PRIMARY KEY (account_id, preset)
);
CREATE INDEX ratings_listed_idx ON ratings (preset, bots, listed, account_id) WHERE listed IS NOT NULL;
CREATE INDEX ratings_last_at_idx ON ratings (last_at) WHERE listed IS NOT NULL;
COMMENT ON TABLE ratings IS 'How ratings stand: the newest of rating_changes of each account and preset.';
COMMENT ON COLUMN ratings.last_at IS 'When its last rated match ended.';
COMMENT ON COLUMN ratings.mu IS 'Strength, in millionths.';
COMMENT ON COLUMN ratings.sigma IS 'Uncertainty, in millionths.';
COMMENT ON COLUMN ratings.matches IS 'Rated matches of the list.';
COMMENT ON COLUMN ratings.listed IS 'The rating under which it is on the leaderboard; null: it is not, as it is provisional, has not been played for long, or its account is deleted.';
COMMENT ON COLUMN ratings.bots IS 'On the list of bots; else of people.';
COMMENT ON COLUMN ratings.preset IS 'Preset whose list it is.';

CREATE TABLE rating_counts (
    rating  integer NOT NULL,
    players integer NOT NULL,
    bots    boolean NOT NULL,
    preset  text    NOT NULL,
    CONSTRAINT rating_counts_pkey PRIMARY KEY (preset, bots, rating)
);
COMMENT ON TABLE rating_counts IS 'How many are listed under each rating, so that a rank is a sum over some thousand rows at most. Kept in step with ratings.listed.';
COMMENT ON COLUMN rating_counts.rating IS 'The rating, as it is shown.';
COMMENT ON COLUMN rating_counts.players IS 'How many have it; perhaps none any more.';
COMMENT ON COLUMN rating_counts.bots IS 'Of the list of bots; else of people.';
COMMENT ON COLUMN rating_counts.preset IS 'Preset whose list it is.';
