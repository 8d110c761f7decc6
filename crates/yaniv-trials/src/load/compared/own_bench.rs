//! The yardstick's statement, issued by this program if there is no `pgbench`.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio_postgres::NoTls;
use tokio_postgres::types::Type;

use crate::Error;
use crate::load::compared::yardstick::ROWS;
use crate::player::Random;

/// Writes per second with this many clients, each on its own connection. `states` are in hexadecimal.
///
/// # Errors
/// If a client cannot connect, or a write fails.
pub async fn run(
    url: &str,
    sql: &str,
    states: &[String],
    clients: usize,
    seconds: u64,
) -> Result<f64, Error> {
    let states: Vec<Vec<u8>> = states.iter().map(|state| bytes(state)).collect();
    let mut ready = Vec::new();
    for _ in 0..clients {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        let statement = client.prepare_typed(sql, &[Type::INT8, Type::BYTEA]).await?;
        ready.push((client, statement));
    }
    let begun = Instant::now();
    let mut writers = JoinSet::new();
    for (number, (client, statement)) in ready.into_iter().enumerate() {
        let states = states.clone();
        writers.spawn(async move {
            let mut random = Random(u64::try_from(number)?);
            let mut written: u64 = 0;
            while begun.elapsed() < Duration::from_secs(seconds) {
                let id = i64::try_from(random.below(ROWS))? + 1;
                let state = random.pick(&states).ok_or("no states")?;
                client.execute(&statement, &[&id, state]).await?;
                written += 1;
            }
            Ok::<_, Error>(written)
        });
    }
    let mut written = 0;
    while let Some(done) = writers.join_next().await {
        written += done??;
    }
    Ok(crate::load::results::number::real(written) / begun.elapsed().as_secs_f64())
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digit = |byte: u8| {
        char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap_or_default()
    };
    let (pairs, _) = hexadecimal.as_bytes().as_chunks::<2>();
    pairs.iter().map(|[high, low]| digit(*high) << 4 | digit(*low)).collect()
}
