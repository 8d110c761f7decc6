//! TLS to the database, by rustls: which certificates are accepted, and our own.
//!
//! Files are read for each new connection, so that renewed certificates need no restart. A connection that is open
//! stays as it is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_cert_signed_by_trust_anchor};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Protocol name in the handshake; `sslnegotiation=direct` needs it.
const ALPN: &[u8] = b"postgresql";

/// How a connection uses TLS, if it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TlsSettings {
    pub(crate) trust: Trust,
    pub(crate) client: Option<ClientFiles>,
}

/// Which certificates of the server are accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Any.
    #[default]
    Anyone,
    /// Those signed by a CA in this file, for any host.
    Chain(PathBuf),
    /// Those signed by a CA, for the host of the URL.
    Host(Roots),
}

/// The CAs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Roots {
    System,
    File(PathBuf),
}

/// Files of the client certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientFiles {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl TlsSettings {
    /// Reads the files. Blocks.
    ///
    /// # Errors
    /// Which parameter names a file that cannot be used, and why.
    pub(crate) fn connector(&self) -> Result<MakeRustlsConnect, String> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = self.trust.verifier(&provider)?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match &self.client {
            Some(files) => {
                let (chain, key) = (certificates("sslcert", &files.certificate)?, private_key(&files.key)?);
                config.with_client_auth_cert(chain, key).map_err(|error| {
                    format!("sslcert and sslkey are not the two halves of one certificate: {error}")
                })?
            }
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = vec![ALPN.to_vec()];
        Ok(MakeRustlsConnect::new(config))
    }
}

impl Trust {
    fn verifier(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, String> {
        let algorithms = provider.signature_verification_algorithms;
        let roots = match self {
            Self::Anyone => return Ok(Arc::new(AnyHost { roots: None, algorithms })),
            Self::Chain(file) => {
                let roots = Some(roots_in(certificates("sslrootcert", file)?)?);
                return Ok(Arc::new(AnyHost { roots, algorithms }));
            }
            Self::Host(Roots::File(file)) => roots_in(certificates("sslrootcert", file)?)?,
            Self::Host(Roots::System) => system_roots()?,
        };
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
        Ok(verifier.build().map_err(|error| format!("sslrootcert: {error}"))?)
    }
}

fn roots_in(certificates: Vec<CertificateDer<'static>>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots
            .add(certificate)
            .map_err(|error| format!("sslrootcert has a certificate that is damaged: {error}"))?;
    }
    Ok(roots)
}

/// The CAs of this machine; a damaged one makes no difference to the others.
fn system_roots() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("sslrootcert=system: this machine has no CA certificates; install them (ca-certificates), or set \
                    sslrootcert to a PEM file"
            .to_owned());
    }
    Ok(roots)
}

fn certificates(parameter: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let certificates = read.map_err(|error| unreadable(parameter, file, &error))?;
    if certificates.is_empty() {
        return Err(format!("{parameter}: {} has no certificate in PEM", file.display()));
    }
    Ok(certificates)
}

fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_file(file).map_err(|error| match error {
        pem::Error::NoItemsFound => {
            format!("sslkey: {} has no private key in PEM that is not encrypted", file.display())
        }
        error => unreadable("sslkey", file, &error),
    })
}

fn unreadable(parameter: &str, file: &Path, error: &pem::Error) -> String {
    match error {
        pem::Error::Io(error) => format!("{parameter}: {} cannot be read: {error}", file.display()),
        error => format!("{parameter}: {} is not PEM: {error}", file.display()),
    }
}

/// Accepts certificates for any host: signed by one of the CAs, or by anyone.
///
/// That the server holds the private key is always checked: channel binding relies on it.
#[derive(Debug)]
struct AnyHost {
    roots: Option<RootCertStore>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for AnyHost {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(roots) = &self.roots {
            let certificate = ParsedCertificate::try_from(end_entity)?;
            let algorithms = self.algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&certificate, roots, intermediates, now, algorithms)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
