-- Statistics: what the log says of players, counted. All of it can be counted again from the log at any time.

-- The queue of what is to be counted: the statement of an action writes a row of rounds as it did before.
ALTER TABLE rounds ADD COLUMN counted_at timestamptz;
CREATE INDEX rounds_uncounted_idx ON rounds (ended_at) INCLUDE (match_id) WHERE counted_at IS NULL;
COMMENT ON COLUMN rounds.counted_at IS 'When it was counted in tallies and totals; null: it is to be.';

-- No foreign keys here: rows are written of matches with seats, neither of which is ever deleted, and a check of each would
-- cost as much as the row. Wide columns first, so that none is padded.
CREATE TABLE tallies (
    account_id   uuid        NOT NULL,
    match_id     uuid        NOT NULL,
    ended_at     timestamptz,
    month        date        NOT NULL,
    rounds       integer     NOT NULL,
    rounds_won   integer     NOT NULL,
    best_run     integer     NOT NULL,
    calls_right  integer     NOT NULL,
    calls_wrong  integer     NOT NULL,
    call_points  integer     NOT NULL,
    rounds_lost  integer     NOT NULL,
    points_lost  integer     NOT NULL,
    reductions   integer     NOT NULL,
    slam_downs   integer     NOT NULL,
    in_time      integer     NOT NULL,
    missed       integer     NOT NULL,
    counted      smallint    NOT NULL,
    seat         smallint    NOT NULL,
    seats        smallint    NOT NULL,
    place        smallint,
    rated        boolean     NOT NULL,
    bots         boolean     NOT NULL,
    preset       text        NOT NULL,
    inflicted    integer[]   NOT NULL,
    -- Histories ask how matches ended, and of bots, without reading the table.
    CONSTRAINT tallies_pkey PRIMARY KEY (account_id, match_id) INCLUDE (place, bots),
    CONSTRAINT tallies_place_check CHECK ((ended_at IS NULL) = (place IS NULL))
) WITH (fillfactor = 80);
-- In the order of ending: streaks are read off it. While a match runs its rows are not in it, so updates stay HOT.
CREATE INDEX tallies_ended_idx ON tallies (account_id, ended_at, match_id)
    INCLUDE (place, preset, bots, seats, month) WHERE ended_at IS NOT NULL;
COMMENT ON TABLE tallies IS 'What the rounds of a match that are over say of each seat: one row from the first of them on (docs/statistics.md).';
COMMENT ON COLUMN tallies.account_id IS 'Who.';
COMMENT ON COLUMN tallies.match_id IS 'In which match. Sandboxes have no rows.';
COMMENT ON COLUMN tallies.ended_at IS 'When the match ended, by the log; null while it runs.';
COMMENT ON COLUMN tallies.month IS 'First day of the month (UTC) in which the match started.';
COMMENT ON COLUMN tallies.rounds IS 'Rounds in which they were dealt cards.';
COMMENT ON COLUMN tallies.rounds_won IS 'Those that they won.';
COMMENT ON COLUMN tallies.best_run IS 'Most of them in a row.';
COMMENT ON COLUMN tallies.calls_right IS 'Calls of theirs by which a round was scored, and that were right.';
COMMENT ON COLUMN tallies.calls_wrong IS 'Those that were wrong.';
COMMENT ON COLUMN tallies.call_points IS 'Points in hand at both, added up.';
COMMENT ON COLUMN tallies.rounds_lost IS 'Rounds scored that another ended and they did not win.';
COMMENT ON COLUMN tallies.points_lost IS 'Points in hand at the end of those, added up.';
COMMENT ON COLUMN tallies.reductions IS 'How often their total was replaced.';
COMMENT ON COLUMN tallies.slam_downs IS 'Slam-downs.';
COMMENT ON COLUMN tallies.in_time IS 'With a clock: actions by which they ended a wait.';
COMMENT ON COLUMN tallies.missed IS 'Deadlines that they let pass.';
COMMENT ON COLUMN tallies.counted IS 'Rounds of the match that are in here.';
COMMENT ON COLUMN tallies.seat IS 'Where they sit.';
COMMENT ON COLUMN tallies.seats IS 'Seats of the match.';
COMMENT ON COLUMN tallies.place IS 'Place when it ended, 1 the best; equal places are shared. Null while it runs.';
COMMENT ON COLUMN tallies.rated IS 'Whether the match is rated.';
COMMENT ON COLUMN tallies.bots IS 'Whether a bot sits at the table.';
COMMENT ON COLUMN tallies.preset IS 'Preset of the rules, or custom.';
COMMENT ON COLUMN tallies.inflicted IS 'Wrong calls of others that they defeated, by the seat of the caller; without the zeros at the end.';

CREATE TABLE totals (
    account_id   uuid      NOT NULL,
    month        date      NOT NULL,
    rounds       integer   NOT NULL,
    rounds_won   integer   NOT NULL,
    best_run     integer   NOT NULL,
    calls_right  integer   NOT NULL,
    calls_wrong  integer   NOT NULL,
    inflicted    integer   NOT NULL,
    call_points  bigint    NOT NULL,
    points_lost  bigint    NOT NULL,
    rounds_lost  integer   NOT NULL,
    reductions   integer   NOT NULL,
    slam_downs   integer   NOT NULL,
    in_time      integer   NOT NULL,
    missed       integer   NOT NULL,
    seats        smallint  NOT NULL,
    bots         boolean   NOT NULL,
    preset       text      NOT NULL,
    places       integer[] NOT NULL,
    replies      integer[] NOT NULL,
    CONSTRAINT totals_pkey PRIMARY KEY (account_id, preset, bots, seats, month)
) WITH (fillfactor = 70);
COMMENT ON TABLE totals IS 'Tallies of an account added up, by preset, whether a bot sat there, seats and month. Changed by what a tally changes by, in the same transaction.';
COMMENT ON COLUMN totals.account_id IS 'Who.';
COMMENT ON COLUMN totals.month IS 'As in tallies.';
COMMENT ON COLUMN totals.rounds IS 'As in tallies, like all that follow.';
COMMENT ON COLUMN totals.best_run IS 'The longest of all.';
COMMENT ON COLUMN totals.inflicted IS 'Whoever called.';
COMMENT ON COLUMN totals.places IS 'Matches that are over, by place, from 1 on; without the zeros at the end.';
COMMENT ON COLUMN totals.replies IS 'How long others waited, in buckets of half powers of two of seconds (docs/statistics.md); without the zeros at the end.';

CREATE TABLE service_totals (
    month   date   NOT NULL,
    matches bigint NOT NULL,
    rounds  bigint NOT NULL,
    actions bigint NOT NULL,
    preset  text   NOT NULL,
    CONSTRAINT service_totals_pkey PRIMARY KEY (preset, month)
) WITH (fillfactor = 50);
COMMENT ON TABLE service_totals IS 'Everything that was played, by preset and month.';
COMMENT ON COLUMN service_totals.month IS 'As in tallies.';
COMMENT ON COLUMN service_totals.matches IS 'Matches that are over.';
COMMENT ON COLUMN service_totals.rounds IS 'Rounds that are over.';
COMMENT ON COLUMN service_totals.actions IS 'Actions in them.';
COMMENT ON COLUMN service_totals.preset IS 'As in tallies.';

CREATE TABLE activity (
    account_id uuid CONSTRAINT activity_pkey PRIMARY KEY,
    last_day   date NOT NULL
);
CREATE INDEX activity_last_day_idx ON activity (last_day);
COMMENT ON TABLE activity IS 'When people have last played. Bots have no rows.';
COMMENT ON COLUMN activity.account_id IS 'Who.';
COMMENT ON COLUMN activity.last_day IS 'Day (UTC) on which the last round ended in which they were dealt cards.';
