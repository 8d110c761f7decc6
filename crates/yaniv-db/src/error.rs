//! Database errors, classified for the application layer. No status codes here.

use diesel::result::{DatabaseErrorKind, Error as DieselError};

/// Failure of a query.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The row does not exist.
    #[error("no such row")]
    NotFound,
    /// A uniqueness constraint, given by name, rejected the row.
    #[error("constraint {0} refused the row")]
    Taken(String),
    /// Lock timeout or deadlock; nothing was changed.
    #[error("a lock was not had in time")]
    Busy,
    /// No connection available; nothing was sent.
    #[error("no connection to the database")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The connection was lost after a statement was sent; its outcome is unknown.
    #[error("the connection to the database was lost")]
    ConnectionLost(#[source] DieselError),
    /// A statement timed out without an answer; its outcome is unknown.
    #[error("the database does not answer")]
    Silent,
    /// Stored data that this version of the program cannot have written.
    #[error("stored data is damaged: {0}")]
    Damaged(String),
    /// Any other error.
    #[error("the database refused a statement")]
    Other(#[source] DieselError),
}

impl StoreError {
    /// Whether a statement failed only because an earlier one of its transaction had.
    pub(crate) fn is_aftermath(&self) -> bool {
        matches!(self, Self::Other(DieselError::DatabaseError(_, info))
            if info.message().starts_with("current transaction is aborted"))
    }
}

impl From<DieselError> for StoreError {
    fn from(error: DieselError) -> Self {
        match &error {
            DieselError::NotFound => Self::NotFound,
            DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, info) => {
                Self::Taken(info.constraint_name().unwrap_or_default().to_owned())
            }
            DieselError::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => Self::Busy,
            // The primary has become a standby; from its next check on, the pool does not lend this connection.
            DieselError::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, _) => {
                Self::Unavailable(Box::new(error))
            }
            DieselError::DatabaseError(
                DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand,
                _,
            )
            | DieselError::BrokenTransactionManager
            | DieselError::RollbackErrorOnCommit { .. } => Self::ConnectionLost(error),
            DieselError::DatabaseError(_, info) => match transient(info.message()) {
                Some(Transient::Lock) => Self::Busy,
                Some(Transient::Shutdown) => Self::ConnectionLost(error),
                Some(Transient::Full) => Self::Unavailable(Box::new(error)),
                None => Self::Other(error),
            },
            _ => Self::Other(error),
        }
    }
}

enum Transient {
    Lock,
    Shutdown,
    Full,
}

/// Whether an error message means a lock timeout or a deadlock.
pub(crate) fn is_lock_failure(message: &str) -> bool {
    matches!(transient(message), Some(Transient::Lock))
}

/// Classifies transient errors by message, because diesel passes on no SQLSTATE for them. The messages must
/// be English: `migrations::prepare` refuses servers that use another language.
fn transient(message: &str) -> Option<Transient> {
    const LOCK: [&str; 3] = ["deadlock detected", "due to lock timeout", "due to statement timeout"];
    const SHUTDOWN: [&str; 5] = [
        "terminating connection",
        "the database system is shutting down",
        "the database system is starting up",
        "the database system is in recovery mode",
        "connection closed",
    ];
    const FULL: [&str; 2] = ["No space left on device", "could not extend file"];
    if FULL.iter().any(|text| message.contains(text)) {
        Some(Transient::Full)
    } else if LOCK.iter().any(|text| message.contains(text)) {
        Some(Transient::Lock)
    } else if SHUTDOWN.iter().any(|text| message.contains(text)) {
        Some(Transient::Shutdown)
    } else {
        None
    }
}
