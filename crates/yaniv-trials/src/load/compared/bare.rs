//! The bare handlers, in a separate process: this program, started again.
//!
//! One reads a single state by its key, with the same web server, pool and database as the service; the other returns a
//! constant, to measure the cost of the client.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use actix_web::web::{Bytes, Data, Path, get, post};
use actix_web::{App, HttpResponse, HttpServer};
use diesel::prelude::{ExpressionMethods as _, QueryDsl as _};
use diesel_async::pooled_connection::deadpool::Pool;
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use diesel_async::{AsyncPgConnection, RunQueryDsl as _};

use crate::Error;
use crate::instance::free_address;
use crate::load::compared::bare::schema::states;

/// The variable that turns the program into the handler: its database URL.
const DATABASE: &str = "YANIV_TRIAL_BARE_DATABASE";
/// Its listen address.
const LISTEN: &str = "YANIV_TRIAL_BARE_LISTEN";
/// The response of the constant handler.
const CONSTANT: &str = "YANIV_TRIAL_BARE_CONSTANT";
/// Connections to the database, as many as the service has.
const CONNECTIONS: usize = 16;
/// Timeout of its start.
const START: Duration = Duration::from_secs(10);

type Connections = Data<Pool<AsyncPgConnection>>;

/// The handler's process; killed on drop.
#[derive(Debug)]
pub struct Bare {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Bare {
    /// Starts it on the database with the yardstick's tables; `constant` is the constant response.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(database_url: &str, constant: &str) -> Result<Self, Error> {
        let address = free_address()?;
        let child = Command::new(std::env::current_exe()?)
            .env(DATABASE, database_url)
            .env(LISTEN, address.to_string())
            .env(CONSTANT, constant)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
        let bare = Self { child, address };
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            if begun.elapsed() > START {
                return Err("the bare handler does not come up".into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(bare)
    }

    /// The process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the handler until killed, if this process was started for that.
#[must_use]
pub fn serve_if_asked() -> Option<ExitCode> {
    let database_url = std::env::var(DATABASE).ok()?;
    let served = actix_web::rt::System::new().block_on(serve(&database_url));
    Some(served.map_or_else(
        |error| {
            eprintln!("bare handler: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    ))
}

async fn serve(database_url: &str) -> Result<(), Error> {
    let mut config = ManagerConfig::default();
    config.recycling_method = RecyclingMethod::Fast;
    let manager = AsyncDieselConnectionManager::new_with_config(database_url, config);
    let pool: Pool<AsyncPgConnection> = Pool::builder(manager).max_size(CONNECTIONS).build()?;
    let (pool, constant) = (Data::new(pool), Data::new(Bytes::from(std::env::var(CONSTANT)?)));
    let app = move || {
        let app = App::new().app_data(Data::clone(&pool)).app_data(Data::clone(&constant));
        app.route("/states/{id}", get().to(show)).route("/constant", post().to(answer))
    };
    HttpServer::new(app).bind(std::env::var(LISTEN)?)?.run().await?;
    Ok(())
}

async fn show(pool: Connections, id: Path<i64>) -> actix_web::Result<HttpResponse> {
    use actix_web::error::ErrorInternalServerError;

    let mut connection = pool.get().await.map_err(ErrorInternalServerError)?;
    let found = states::table.filter(states::id.eq(id.into_inner() + 1)).select(states::state);
    let state: Vec<u8> = found.get_result(&mut connection).await.map_err(ErrorInternalServerError)?;
    Ok(HttpResponse::Ok().content_type("application/octet-stream").body(state))
}

/// Reads the whole request body, like the handler of an action.
async fn answer(constant: Data<Bytes>, _request: Bytes) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(Bytes::clone(&constant))
}

mod schema {
    diesel::table! {
        yardstick.states (id) {
            id -> BigInt,
            state -> Binary,
        }
    }
}
