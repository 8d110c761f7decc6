//! Errors of connecting, as text: what to set, and the causes.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError};
use tokio_postgres::error::SqlState;

/// What an error begins with if the server, the database or the role has no connection left.
const NONE_LEFT: &str = "the database has no connection left for this user";

/// Whether a connection was not made because none is left.
pub(crate) fn is_none_left(error: &diesel::ConnectionError) -> bool {
    matches!(error, diesel::ConnectionError::BadConnection(text) if text.contains(NONE_LEFT))
}

/// Why a connection was not made, beginning with what to do about it, if we know.
pub(crate) fn explain(error: &tokio_postgres::Error) -> String {
    let causes = chain(error);
    match advice(error) {
        Some(advice) => format!("{advice} ({causes})"),
        None => causes,
    }
}

/// Whether libpq would try again without TLS, if the mode is `prefer`: the handshake failed, or the server does not let
/// this user in by TLS.
pub(crate) fn refuses_tls(error: &tokio_postgres::Error) -> bool {
    tls_fault(error).is_some() || error.code() == Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION)
}

/// An error with its causes in one text; diesel's connection error holds only a string.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

fn advice(error: &tokio_postgres::Error) -> Option<&'static str> {
    if let Some(fault) = tls_fault(error) {
        return match fault {
            rustls::Error::InvalidCertificate(fault) => advice_on_certificate(fault),
            rustls::Error::AlertReceived(alert) => advice_on_alert(*alert),
            _ => None,
        };
    }
    if error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS) {
        return Some(NONE_LEFT);
    }
    // These have no code of their own.
    let text = error.source()?.to_string();
    let advice = [
        (
            "server does not support TLS",
            "the database does not offer TLS: switch it on there (ssl = on), or set sslmode=prefer",
        ),
        (
            "server did not use channel binding",
            "the database did not use channel binding: let it have TLS and passwords by scram-sha-256, or set \
             channel_binding=prefer",
        ),
        (", no encryption", "the database lets this user in only by TLS: set sslmode=verify-full or require"),
        (
            "requires a valid client certificate",
            "the database asks for a client certificate: set sslcert and sslkey",
        ),
        (
            "certificate authentication failed",
            "the client certificate is for another user: set sslcert and sslkey to those of the URL's user",
        ),
    ];
    advice.into_iter().find(|(part, _)| text.contains(part)).map(|(_, advice)| advice)
}

fn advice_on_certificate(fault: &CertificateError) -> Option<&'static str> {
    use CertificateError as Fault;
    Some(match fault {
        Fault::NotValidForName | Fault::NotValidForNameContext { .. } => {
            "the certificate of the database is for another host name: correct the host, or set sslmode=verify-ca"
        }
        Fault::Expired | Fault::ExpiredContext { .. } => {
            "the certificate of the database has expired: renew it there, and check the clock of this machine"
        }
        Fault::NotValidYet | Fault::NotValidYetContext { .. } => {
            "the certificate of the database is not valid yet: check the clock of this machine"
        }
        Fault::UnknownIssuer => {
            "the certificate of the database is signed by an unknown CA: set sslrootcert to the PEM file of its CA"
        }
        Fault::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "the certificate of the database is that of a CA itself: let the CA sign one for the server"
        }
        _ => return None,
    })
}

fn advice_on_alert(alert: AlertDescription) -> Option<&'static str> {
    use AlertDescription as Alert;
    match alert {
        Alert::UnknownCA
        | Alert::BadCertificate
        | Alert::UnsupportedCertificate
        | Alert::CertificateExpired
        | Alert::CertificateRevoked
        | Alert::CertificateUnknown
        | Alert::CertificateRequired => {
            Some("the database refused our certificate: set sslcert and sslkey to one that its CA has signed")
        }
        _ => None,
    }
}

/// The error of TLS behind an error, also of a handshake whose end the server refuses later.
fn tls_fault(error: &tokio_postgres::Error) -> Option<&rustls::Error> {
    error.source()?.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref()
}
