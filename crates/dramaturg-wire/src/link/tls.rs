//! Certificates: what a server shows, and whom a game trusts.

use std::fmt;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, Connection, Error, RootCertStore, ServerConfig, ServerConnection,
};

use super::LinkError;

/// What a server needs for encrypted links.
#[derive(Clone)]
pub struct ServerTls(Arc<ServerConfig>);

impl ServerTls {
    /// From the bytes of two PEM files: the certificate with those that vouch for it, its own first, and its private
    /// key.
    pub fn new(certificates: &[u8], key: &[u8]) -> Result<Self, LinkError> {
        let chain = read(certificates)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| {
            refuse("the private key cannot be read; give a whole PEM file with BEGIN PRIVATE KEY in it".to_owned())
        })?;
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| refuse(error.to_string()))?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| match error {
                Error::InconsistentKeys(_) => refuse(
                    "the key is not that of the certificate; give the key that the certificate was made with, and the \
                     certificate itself first in its file"
                        .to_owned(),
                ),
                error => refuse(format!("{error}; {}", cure(&error))),
            })?;
        Ok(Self(Arc::new(config)))
    }

    /// What games will have against a certificate that can be read: it is out of date, or is none for a server. The
    /// bytes are those of its PEM file.
    pub fn objection(certificates: &[u8]) -> Option<String> {
        let chain = read(certificates).ok()?;
        let (own, others) = chain.split_first()?;
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(chain.iter().cloned());
        let provider = Arc::new(default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().ok()?;
        let name = ServerName::try_from("localhost").ok()?;
        let error = verifier.verify_server_cert(own, others, &name, &[], UnixTime::now()).err()?;
        // Whom games trust, and by which name they connect, is not known here.
        let is_own_fault = is_dated(&error) || is_for_signing(&error);
        is_own_fault.then(|| format!("{error}; {}", cure(&error)))
    }

    pub(crate) fn begin(&self) -> Result<Connection, LinkError> {
        let connection = ServerConnection::new(Arc::clone(&self.0)).map_err(|error| refuse(error.to_string()))?;
        Ok(connection.into())
    }
}

impl fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerTls")
    }
}

/// Whom a game trusts.
#[derive(Clone)]
pub struct ClientTls {
    config: Arc<ClientConfig>,
    name: Option<String>,
}

impl ClientTls {
    /// Trusts the certificates in the bytes of a PEM file, and whom they vouch for. Nobody else is trusted: a director
    /// is not a public web site.
    pub fn trusting(certificates: &[u8]) -> Result<Self, LinkError> {
        let mut roots = RootCertStore::empty();
        for certificate in read(certificates)? {
            roots.add(certificate).map_err(|error| refuse(format!("a certificate cannot be trusted: {error}")))?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| refuse(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { config: Arc::new(config), name: None })
    }

    /// The name the certificate must bear, where it is not the host that is connected to.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    pub(crate) fn begin(&self, address: &str) -> Result<Connection, LinkError> {
        let name = self.name.as_deref().unwrap_or_else(|| host(address));
        let name = ServerName::try_from(name.to_owned())
            .map_err(|_| refuse(format!("{name} is no name that a certificate can bear; give one that it bears")))?;
        let connection =
            ClientConnection::new(Arc::clone(&self.config), name).map_err(|error| refuse(error.to_string()))?;
        Ok(connection.into())
    }
}

impl fmt::Debug for ClientTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTls").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The host of `host:port`, without the brackets of IPv6.
pub(crate) fn host(address: &str) -> &str {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}

fn read(certificates: &[u8]) -> Result<Vec<CertificateDer<'static>>, LinkError> {
    let unread = |_| {
        refuse(
            "the certificate cannot be read, for it is cut off or garbled; give the whole PEM file, from BEGIN CERTIFICATE to END \
             CERTIFICATE"
                .to_owned(),
        )
    };
    let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>().map_err(unread)?;
    if chain.is_empty() {
        return Err(refuse("no certificate is given; give a PEM file with BEGIN CERTIFICATE in it".to_owned()));
    }
    Ok(chain)
}

/// Whether a certificate is not valid yet or not any more.
fn is_dated(error: &Error) -> bool {
    use CertificateError as Why;
    let Error::InvalidCertificate(why) = error else { return false };
    matches!(why, Why::Expired | Why::ExpiredContext { .. } | Why::NotValidYet | Why::NotValidYetContext { .. })
}

/// Whether a certificate was made to sign others. The library has no kind for it, only a name.
fn is_for_signing(error: &Error) -> bool {
    matches!(error, Error::InvalidCertificate(CertificateError::Other(why)) if format!("{why:?}").contains("CaUsedAsEndEntity"))
}

/// What to do about trouble with a certificate.
pub(crate) fn cure(error: &Error) -> &'static str {
    use CertificateError as Why;
    if is_dated(error) {
        return "have the certificate renewed, or set the clock of this machine";
    }
    if is_for_signing(error) {
        return "this certificate is for signing others, not for a server: make one with basicConstraints CA:FALSE (openssl req -x509 \
                -addext basicConstraints=critical,CA:FALSE)";
    }
    match error {
        Error::InvalidCertificate(Why::UnknownIssuer | Why::BadSignature) => {
            "have the game trust the director's certificate, or the one that vouches for it"
        }
        Error::InvalidCertificate(Why::NotValidForName | Why::NotValidForNameContext { .. }) => {
            "connect by a name that the certificate bears, or say which one it bears"
        }
        Error::InvalidCertificate(Why::BadEncoding) => "the certificate is garbled: copy the whole file anew",
        Error::InvalidCertificate(_) => "have the director show another certificate",
        _ => "both sides must encrypt, and the game must trust the certificate that the director shows",
    }
}

fn refuse(text: String) -> LinkError {
    LinkError::Refused(format!("TLS: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_addresses() {
        assert_eq!(host("localhost:7777"), "localhost");
        assert_eq!(host("[::1]:7777"), "::1");
        assert_eq!(host("127.0.0.1:1"), "127.0.0.1");
    }

    #[test]
    fn what_is_no_certificate_is_refused_with_a_cure() {
        let error = ServerTls::new(b"nothing", b"nothing").expect_err("refused").to_string();
        assert!(error.contains("BEGIN CERTIFICATE"), "{error}");
        assert!(ClientTls::trusting(b"").is_err());
        let half = b"-----BEGIN CERTIFICATE-----\nMIIB\n";
        let error = ServerTls::new(half, b"").expect_err("refused").to_string();
        assert!(error.contains("cut off or garbled") && error.contains("whole"), "{error}");
        assert_eq!(ServerTls::objection(half), None, "what cannot be read is refused elsewhere");
    }
}
