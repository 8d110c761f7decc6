//! The log in partitions, compared with one table.
//!
//! Partitions are by month of the match's identifier, which begins with the time, or by its hash. Each variant has its
//! own schema, which precedes that of the service in the search path.

use tokio_postgres::Client;

use super::markdown::Table;
use super::options::Options;
use super::plans::{self, with_settings};
use super::statements::{ALL, Subjects};
use super::times::Place;
use crate::Error;
use crate::load::results::number::{median, pretty};

const BY_MONTH: &str = "
CREATE SCHEMA by_month;
CREATE TABLE by_month.actions (LIKE public.actions INCLUDING ALL) PARTITION BY RANGE (match_id);
DO $$ DECLARE month timestamptz; name text; BEGIN
    FOR month IN SELECT generate_series(date_trunc('month', now() - interval '3 years'), now() + interval '2 months',
            interval '1 month') LOOP
        name := 'actions_' || to_char(month, 'YYYY_MM');
        EXECUTE format('CREATE TABLE by_month.%I PARTITION OF by_month.actions FOR VALUES FROM (%L) TO (%L)', name,
            rpad(lpad(to_hex((extract(epoch FROM month) * 1000)::bigint), 12, '0'), 32, '0')::uuid,
            rpad(lpad(to_hex((extract(epoch FROM month + interval '1 month') * 1000)::bigint), 12, '0'), 32, '0')::uuid);
    END LOOP;
END $$;
INSERT INTO by_month.actions SELECT * FROM public.actions;
";

const BY_HASH: &str = "
CREATE SCHEMA by_hash;
CREATE TABLE by_hash.actions (LIKE public.actions INCLUDING ALL) PARTITION BY HASH (match_id);
DO $$ BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE by_hash.actions_%s PARTITION OF by_hash.actions FOR VALUES WITH (MODULUS 16,
            REMAINDER %s)', part, part);
    END LOOP;
END $$;
INSERT INTO by_hash.actions SELECT * FROM public.actions;
";

/// The schemas, and the names of the variants.
const SCHEMAS: [(&str, &str); 3] =
    [("public", "one table"), ("by_month", "by month"), ("by_hash", "16 by hash")];

/// Creates the partitioned logs, measures each in turn, and prints; returns what is wrong with the plans.
///
/// # Errors
/// If the database refuses.
pub async fn print(
    client: &Client,
    url: &str,
    matches: u64,
    options: &Options,
) -> Result<Vec<String>, Error> {
    client.batch_execute(BY_MONTH).await?;
    client.batch_execute(BY_HASH).await?;
    client.batch_execute("VACUUM (ANALYZE)").await?;
    let quiet = Options { seconds: 0, ..options.clone() };
    let mut places = Vec::new();
    let mut wrong = Vec::new();
    for (schema, name) in SCHEMAS {
        let path = format!("search_path={schema},public");
        let address = with_settings(url, &[&path]);
        places.push(Place::prepare(name.to_owned(), address, matches).await?);
    }
    for _ in 0..options.rounds {
        for place in &mut places {
            // The other variants have continued the same matches.
            place.subjects = Subjects::find(client).await?;
            place.round(&quiet).await?;
        }
    }
    let mut table = Table::new(&["median µs", "one table", "by month", "16 by hash"]);
    for (number, (asked, _)) in ALL.into_iter().enumerate() {
        let times = places.iter().map(|place| pretty(place.times(number).0));
        table.row(&std::iter::once(asked.name()).chain(times).collect::<Vec<_>>());
    }
    let rates: Vec<f64> = places.iter().map(|place| median(place.stored.clone())).collect();
    let row =
        |name: &str, values: Vec<String>| std::iter::once(name.to_owned()).chain(values).collect::<Vec<_>>();
    table.row(&row("actions stored a second", rates.iter().map(|rate| pretty(*rate)).collect()));
    let first = rates.first().copied().unwrap_or(1.0);
    table.row(&row(
        "as a part of the first",
        rates.iter().map(|rate| format!("{:.2}", rate / first)).collect(),
    ));
    table.print("The log in partitions");
    for (schema, name) in SCHEMAS.into_iter().skip(1) {
        let mut subjects = Subjects::find(client).await?;
        println!(
            "
{name}:"
        );
        wrong.append(&mut plans::print(client, url, schema, &mut subjects).await?);
    }
    for place in places {
        place.leave().await;
    }
    Ok(wrong)
}
