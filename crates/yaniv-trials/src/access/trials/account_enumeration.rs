//! P19: log-in does not reveal which accounts exist, neither by the answer nor by its time.

use std::time::Duration;

use crate::Error;
use crate::access::asker::{Asker, Reply};
use crate::access::figures::Figures;
use crate::access::trials::Trial;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::Context;
use crate::load::results::number::median;

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p19",
    promise: "Log-in does not reveal which accounts exist",
    times: 5_000,
    short: 30,
    bug: "accounts that exist take 50 ms longer",
    run,
    planted,
};

/// Attempts for a name before it is refused unverified.
const OF_A_NAME: usize = 10;
/// How much the two of a pair may differ, as a median; the short form has few pairs.
const DIFFERENCE: Duration = Duration::from_millis(1);
const DIFFERENCE_OF_FEW: Duration = Duration::from_millis(25);

fn run(context: &Context) -> Result<Figures, Error> {
    let stage = Stage::with(context, "p19", &[])?;
    let most = context.long_or_short(DIFFERENCE, DIFFERENCE_OF_FEW);
    context.runtime.block_on(compare(&stage, context.times, most, ""))
}

fn planted(context: &Context) -> Result<Figures, Error> {
    let stage = Stage::with(context, "p19", &[])?;
    let slow = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF EXISTS (SELECT FROM accounts WHERE NEW.key = \
             sha256(convert_to('yaniv password tries name ' || username, 'UTF8'))) \
         THEN PERFORM pg_sleep(0.05); END IF; RETURN NEW; END $$; \
         CREATE TRIGGER slow BEFORE INSERT ON password_tries FOR EACH ROW EXECUTE FUNCTION slow();";
    context.runtime.block_on(compare(&stage, 20, DIFFERENCE_OF_FEW, slow))
}

async fn compare(stage: &Stage, times: usize, most: Duration, plant: &str) -> Result<Figures, Error> {
    let mut asker = Asker::new(*stage.addresses.first().ok_or("there is no instance")?);
    asker.register("existing").await?;
    let database = stage.database().await?;
    let names = times.div_ceil(OF_A_NAME);
    // One password hash for all: hashing one for each takes minutes. The service cannot tell.
    let copies = format!(
        "INSERT INTO accounts (id, username, password_hash) SELECT gen_random_uuid(), 'existing_' || n, \
         password_hash FROM accounts, generate_series(0, {names}) AS n WHERE username = 'existing'; {plant}"
    );
    database.run(&copies).await?;
    let mut figures = Figures::default();
    let (mut times_of, mut differing) = ([Vec::new(), Vec::new()], 0);
    for at in 0..times {
        let number = at / OF_A_NAME;
        let mut replies = [None, None];
        // Each kind goes first equally often.
        for place in if at % 2 == 0 { [0, 1] } else { [1, 0] } {
            let kind = if place == 0 { "existing" } else { "missing_" };
            let reply = asker.log_in(&format!("{kind}_{number}"), "a wrong password", None).await?;
            if let Some(times) = times_of.get_mut(place) {
                times.push(reply.took.as_secs_f64());
            }
            if let Some(slot) = replies.get_mut(place) {
                *slot = Some(seen(&reply));
            }
        }
        let [existing, missing] = replies;
        differing += usize::from(existing != missing || existing.is_none_or(|seen| !seen.starts_with("401")));
    }
    figures.at_most(format!("answers that differ, of {times} pairs"), differing, 0);
    // Differences within pairs, requested back to back: a temporary slowdown of the machine affects both.
    let [existing, missing] = &times_of;
    let differences = existing.iter().zip(missing).map(|(existing, missing)| existing - missing);
    let difference = Duration::from_secs_f64(median(differences.collect()).abs());
    let [existing, missing] = times_of.map(median);
    let medians = format!("medians {:.2} ms and {:.2} ms: pairs differ by", existing * 1e3, missing * 1e3);
    figures.within(medians, difference, most);
    // The same over the limit.
    let mut over = Vec::new();
    for kind in ["existing", "missing_"] {
        asker.log_in(&format!("{kind}_0"), "a wrong password", None).await?;
        over.push(seen(&asker.log_in(&format!("{kind}_0"), "a wrong password", None).await?));
    }
    let same = over.first() == over.last() && over.iter().all(|seen| seen.starts_with("429"));
    figures.require("over the limit the answers are the same", same || times < OF_A_NAME);
    Ok(figures)
}

/// All that a client sees of an answer, except what differs in each: request id and time.
fn seen(reply: &Reply) -> String {
    let different = ["date", "x-request-id", "retry-after", "ratelimit"];
    let headers = reply.headers.iter().map(|(name, value)| {
        let value = if different.contains(&name.as_str()) {
            "…".into()
        } else {
            String::from_utf8_lossy(value.as_bytes())
        };
        format!("{name}: {value}")
    });
    let headers: Vec<String> = headers.collect();
    format!("{}\n{}\n{}", reply.status, headers.join("\n"), String::from_utf8_lossy(&reply.body))
}
