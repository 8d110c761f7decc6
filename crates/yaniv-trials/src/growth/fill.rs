//! Fills a database with many matches: a few that were played, multiplied by the database itself.
//!
//! They are stored as play would store them: in blocks of matches that run concurrently, the log by version, so that a
//! match's entries are scattered. Only indexes that are not in time order are built afterwards. Identifiers are of
//! version 7, over three years. Copies of a match share its cards, so no copy can be replayed by its shuffles.

use std::time::Instant;

use tokio_postgres::Client;

use super::samples::{End, Entry, Sample, play};
use crate::Error;
use crate::load::results::number::{pretty, real};

/// Sample matches: played to the end, and in play.
const FINISHED: u64 = 300;
const LIVE: u64 = 100;
/// Matches that run concurrently.
const BLOCK: u64 = 10_000;
/// Matches of a very active account.
pub const HEAVY: u64 = 5_000;
/// Matches of an ordinary account.
pub const LIGHT: u64 = 20;
/// Matches that the measurements pick from at random.
const PICKED: u64 = 20_000;

const SCHEMA: &str = "
CREATE SCHEMA growth;
CREATE TABLE growth.samples (sample bigint PRIMARY KEY, live boolean, rules jsonb, state bytea,
    waiting_on smallint, entries integer);
ALTER TABLE growth.samples SET (toast_tuple_target = 256);
CREATE TABLE growth.entries (sample bigint, version integer, kind \"char\", round smallint, flags smallint,
    seat smallint, detail text, drew bytea);
CREATE TABLE growth.rounds (sample bigint, round smallint, starter smallint, last_version integer, result json);
CREATE UNLOGGED TABLE growth.block (i bigint, id uuid, created timestamptz, sample bigint, seats uuid[]);
CREATE TABLE growth.picked (id uuid, live boolean);
CREATE TABLE growth.known (name text, id uuid);
CREATE FUNCTION growth.uuid(at timestamptz, salt text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(salt), 1, 3) || '8'
        || substr(md5(salt), 4, 15))::uuid $$;
CREATE FUNCTION growth.letter(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT substr('23456789BCDFGHJKMNPQRSTVWXZ', (n % 27)::integer + 1, 1) $$;
CREATE FUNCTION growth.code(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT growth.letter(n) || growth.letter(n / 27) || growth.letter(n / 729) || growth.letter(n / 19683)
        || growth.letter(n / 531441) || growth.letter(n / 14348907) || growth.letter(n / 387420489)
        || growth.letter(n / 10460353203) $$;
CREATE FUNCTION growth.account(n bigint) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT growth.uuid('2023-01-01 00:00+00'::timestamptz + n * interval '1 second', 'account' || n) $$;
ALTER TABLE matches DROP CONSTRAINT matches_code_key;
DROP INDEX seats_account_id_idx;
";

const INDEXES: &str = "
ALTER TABLE matches ADD CONSTRAINT matches_code_key UNIQUE (code);
CREATE INDEX seats_account_id_idx ON seats (account_id, match_id) INCLUDE (preset, rated, public);
";

/// `$1` accounts, and two more that the lists are measured with.
const ACCOUNTS: &str = "
INSERT INTO accounts (id, username, password_hash, created_at)
SELECT growth.account(n), 'growth_' || n, '$argon2id$v=19$m=19456,t=2,p=1$' || repeat('x', 22) || '$' || repeat('y', 43),
    '2023-01-01 00:00+00'::timestamptz + n * interval '1 second'
FROM generate_series(0, $1::bigint + 1) n";

/// `$1` to `$2`: numbers of the matches; `$3` matches in all; `$4` accounts; `$5`, `$6`: finished samples, samples in
/// play; `$7`: one match in this many is in play.
const BLOCK_SQL: &str = "
INSERT INTO growth.block
SELECT i, growth.uuid(created, 'match' || i), created, sample, seats
FROM generate_series($1::bigint, $2::bigint) i,
    LATERAL (SELECT now() - interval '3 years' + (interval '3 years' - interval '20 days') * i / $3::bigint AS created,
        CASE WHEN i % $7::bigint = 0 THEN $5::bigint + i / $7 % $6::bigint ELSE i * 7919 % 1000003 % $5 END AS sample,
        i * 2654435761 % $4::bigint AS host OFFSET 0) drawn,
    LATERAL (SELECT CASE
        WHEN i % greatest($3 / 5000, 2) = 1 THEN ARRAY[growth.account(host), growth.account($4)]
        WHEN i % ($3 / 20) = 2 THEN ARRAY[growth.account(host), growth.account($4 + 1)]
        ELSE ARRAY[growth.account(host), growth.account((host + 1 + i % ($4 - 1)) % $4)] END AS seats OFFSET 0) seated";

/// The insert of a block, for each table.
const TABLES: [&str; 6] = [
    "INSERT INTO matches (id, code, rules, preset, size, seat_order, secret, commitment, created_at, started_at,
        finished_at)
    SELECT id, growth.code(i * 2654435761 % 282429536481), rules, 'yaniv', 2, 'joined',
        decode(md5('a' || i) || md5('b' || i), 'hex'), md5('c' || i) || md5('d' || i), created,
        created + interval '1 hour', CASE WHEN NOT live THEN created + entries * interval '1 hour' END
    FROM growth.block JOIN growth.samples USING (sample) ORDER BY i",
    "INSERT INTO match_states (match_id, version, status, waiting_on, state, updated_at)
    SELECT id, entries, CASE WHEN live THEN 'running' ELSE 'finished' END, waiting_on, state,
        created + entries * interval '1 hour'
    FROM growth.block JOIN growth.samples USING (sample) ORDER BY i",
    "INSERT INTO seats (match_id, account_id, seat, client_seed)
    SELECT id, account, n - 1, CASE n WHEN 1 THEN '' ELSE 'blue' END
    FROM growth.block, unnest(seats) WITH ORDINALITY AS taken (account, n) ORDER BY i, n",
    "INSERT INTO actions (match_id, at, key_hash, fingerprint, version, round, flags, seat, kind, account_id, detail,
        drew)
    SELECT id, created + version * interval '1 hour', hashint8extended(i * 10000 + version, 1),
        hashint8(i * 10000 + version), version, round, flags, CASE kind WHEN 'a' THEN seat END, kind,
        CASE WHEN kind <> 'a' THEN seats[seat + 1] END, detail, drew
    FROM growth.block JOIN growth.entries USING (sample) ORDER BY version, i",
    "INSERT INTO rounds (match_id, round, starter, last_version, result, ended_at)
    SELECT id, round, starter, last_version, result, created + last_version * interval '1 hour'
    FROM growth.block JOIN growth.rounds USING (sample) ORDER BY round, i",
    "INSERT INTO growth.picked SELECT id, live FROM growth.block JOIN growth.samples USING (sample)
    WHERE live OR i % greatest($1::bigint / $2::bigint, 1) = 0",
];

/// How many matches, and of what kind.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many.
    pub matches: u64,
    /// How many of them are in play.
    pub live: u64,
    /// How long their logs are.
    pub end: End,
}

/// Fills an empty database that has the service's schema; describes the result and how long it took.
///
/// # Errors
/// If the database refuses.
pub async fn fill(client: &Client, wanted: Wanted) -> Result<String, Error> {
    let begun = Instant::now();
    // Foreign keys hold by construction; the final checkpoint makes all blocks durable.
    client.batch_execute("SET synchronous_commit = off; SET session_replication_role = replica").await?;
    client.batch_execute("SET work_mem = '256MB'; SET maintenance_work_mem = '1GB'").await?;
    client.batch_execute("ALTER SYSTEM SET max_wal_size = '6GB'").await?;
    client.batch_execute("SELECT pg_reload_conf()").await?;
    client.batch_execute(SCHEMA).await?;
    let played = store_samples(client, wanted).await?;
    let accounts = i64::try_from((wanted.matches / 10).max(100))?;
    client.execute(ACCOUNTS, &[&accounts]).await?;
    let matches = i64::try_from(wanted.matches)?;
    let (finished, live, picked) = (i64::try_from(FINISHED)?, i64::try_from(LIVE)?, i64::try_from(PICKED)?);
    let every = i64::try_from((wanted.matches / wanted.live.max(1)).max(1))?;
    for first in (1..=wanted.matches).step_by(usize::try_from(BLOCK)?) {
        let last = (first + BLOCK - 1).min(wanted.matches);
        let (from, to) = (i64::try_from(first)?, i64::try_from(last)?);
        client.batch_execute("BEGIN; TRUNCATE growth.block").await?;
        client.execute(BLOCK_SQL, &[&from, &to, &matches, &accounts, &finished, &live, &every]).await?;
        client.batch_execute("ANALYZE growth.block").await?;
        for sql in TABLES {
            if sql.contains("$1") {
                client.execute(sql, &[&matches, &picked]).await?;
            } else {
                client.execute(sql, &[]).await?;
            }
        }
        client.batch_execute("COMMIT").await?;
        if last == wanted.matches || (first / BLOCK).is_multiple_of((wanted.matches / BLOCK / 20).max(1)) {
            let seconds = begun.elapsed().as_secs_f64();
            eprintln!("{} of {} matches, {seconds:.0} s", pretty(real(last)), pretty(real(wanted.matches)));
        }
    }
    client.batch_execute(INDEXES).await?;
    let known =
        "INSERT INTO growth.known VALUES ('heavy', growth.account($1)), ('light', growth.account($1 + 1))";
    client.execute(known, &[&accounts]).await?;
    let reset = "RESET synchronous_commit; RESET session_replication_role; RESET work_mem; RESET maintenance_work_mem; CHECKPOINT";
    client.batch_execute(reset).await?;
    client.batch_execute("ALTER SYSTEM RESET max_wal_size").await?;
    client.batch_execute("SELECT pg_reload_conf()").await?;
    Ok(format!("{played}; stored in {:.0} s", begun.elapsed().as_secs_f64()))
}

async fn store_samples(client: &Client, wanted: Wanted) -> Result<String, Error> {
    let mut logs = 0;
    let mut ended = 0;
    for number in 0..FINISHED + LIVE {
        let live = End::Live(30 + usize::try_from(number % 20)?);
        let sample = play(number, if number < FINISHED { wanted.end } else { live })?;
        store_sample(client, i64::try_from(number)?, &sample).await?;
        if number < FINISHED {
            logs += sample.entries.len();
            ended += sample.rounds.len();
        }
    }
    client.batch_execute("ANALYZE growth.samples, growth.entries, growth.rounds").await?;
    let mean = |sum: usize| real(u64::try_from(sum).unwrap_or_default()) / real(FINISHED);
    Ok(format!("logs of {:.1} entries and {:.1} rounds on average", mean(logs), mean(ended)))
}

async fn store_sample(client: &Client, number: i64, sample: &Sample) -> Result<(), Error> {
    let entries = i32::try_from(sample.entries.len())?;
    client
        .execute(
            "INSERT INTO growth.samples VALUES ($1, $2, $3::text::jsonb, $4, $5, $6)",
            &[&number, &sample.live, &sample.rules, &sample.state, &sample.waiting_on, &entries],
        )
        .await?;
    let of = |column: fn(&Entry) -> i16| sample.entries.iter().map(column).collect::<Vec<_>>();
    let kinds: Vec<&str> = sample.entries.iter().map(|entry| entry.kind).collect();
    let details: Vec<&str> = sample.entries.iter().map(|entry| entry.detail.as_str()).collect();
    let drew: Vec<Option<&[u8]>> = sample.entries.iter().map(|entry| entry.drew.as_deref()).collect();
    let (rounds, flags, seats) = (of(|entry| entry.round), of(|entry| entry.flags), of(|entry| entry.seat));
    client
        .execute(
            "INSERT INTO growth.entries SELECT $1::bigint, version, kind::\"char\", round, flags, seat, detail, drew
            FROM unnest($2::text[], $3::smallint[], $4::smallint[], $5::smallint[], $6::text[], $7::bytea[])
                WITH ORDINALITY AS entry (kind, round, flags, seat, detail, drew, version)",
            &[&number, &kinds, &rounds, &flags, &seats, &details, &drew],
        )
        .await?;
    for round in &sample.rounds {
        client
            .execute(
                "INSERT INTO growth.rounds VALUES ($1, $2, $3, $4, $5::text::json)",
                &[&number, &round.round, &round.starter, &round.last_version, &round.result],
            )
            .await?;
    }
    Ok(())
}
