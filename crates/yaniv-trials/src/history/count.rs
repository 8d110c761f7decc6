//! Statistics and ratings, derived from the matches as `yaniv rebuild` does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio_postgres::Client;
use yaniv_app::ratings::rebuild::rebuild_ratings;
use yaniv_app::statistics::rebuild::{Progress, rebuild_statistics};
use yaniv_db::Store;

use super::generate::{bar, connect};
use crate::Error;
use crate::load::results::machine;
use crate::load::results::number::{pretty, real};

const UNCOUNTED: &str = "SELECT EXISTS (SELECT 1 FROM rounds WHERE counted_at IS NULL)";
const UNRATED: &str =
    "SELECT EXISTS (SELECT 1 FROM matches WHERE rated AND rated_at IS NULL AND finished_at IS NOT NULL)";

/// Counts and rates all matches, unless already done; prints how long it took.
///
/// # Errors
/// Those of the database, and damaged matches.
pub async fn count(url: &str) -> Result<(), Error> {
    let client = connect(url).await?;
    let workers = machine::cores() + 1;
    let store = Store::new(url, workers, &Handle::current())?;
    if is(&client, UNCOUNTED).await? {
        let bar = bar(0)?;
        let shown = bar.clone();
        let progress: Progress = Arc::new(move |done, all| {
            shown.set_length(all);
            shown.set_position(done);
        });
        let begun = Instant::now();
        let rebuilt = rebuild_statistics(&store, None, workers, &progress).await?;
        bar.finish_and_clear();
        say("counted for the statistics", rebuilt.matches, begun.elapsed());
        if let Some((_, error)) = rebuilt.broken_off {
            return Err(error.into());
        }
        if rebuilt.damaged > 0 {
            return Err(format!("{} matches are damaged", rebuilt.damaged).into());
        }
    }
    if is(&client, UNRATED).await? {
        let bar = bar(0)?;
        let begun = Instant::now();
        let (rated, _) = rebuild_ratings(&store, |done, all| {
            bar.set_length(all.unsigned_abs());
            bar.set_position(done.unsigned_abs());
        })
        .await?;
        bar.finish_and_clear();
        say("rated", rated.unsigned_abs(), begun.elapsed());
    }
    client.batch_execute("VACUUM (ANALYZE)").await?;
    Ok(())
}

async fn is(client: &Client, question: &str) -> Result<bool, Error> {
    Ok(client.query_one(question, &[]).await?.try_get(0)?)
}

fn say(what: &str, matches: u64, took: Duration) {
    let seconds = took.as_secs_f64();
    let each = real(matches) / seconds.max(0.001);
    println!("\n{} matches {what} in {seconds:.0} s, {} a second.", pretty(real(matches)), pretty(each));
}
