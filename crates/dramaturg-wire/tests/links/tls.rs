//! Encryption: who is trusted, and who is not.

use dramaturg_wire::link::{ClientTls, Link, LinkError, LinkOptions, ListenOptions, ServerTls};

use crate::support::{Kind, connect, listen, until};

/// A certificate that vouches for itself, and its key.
pub fn certificate(name: &str) -> (String, String) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
    (made.cert.pem(), made.signing_key.serialize_pem())
}

/// How a client that trusts `trusted` and asks for `name` fares.
fn attempt(kind: Kind, trusted: Option<&str>, name: &str) -> (LinkError, Vec<LinkError>) {
    let (own, key) = certificate("localhost");
    let tls = ServerTls::new(own.as_bytes(), key.as_bytes()).expect("a certificate");
    let (mut listener, address) = listen(ListenOptions { tls: Some(tls), ..ListenOptions::default() });
    let trust = ClientTls::trusting(trusted.unwrap_or(&own).as_bytes()).expect("trust").named(name);
    let options = LinkOptions::default().with_tls(trust);
    let mut client = connect(kind, &address.to_string(), options).expect("connecting");
    let mut frame = Vec::new();
    let mut refusals = Vec::new();
    let error = until("an end", || {
        assert!(listener.poll_accept().expect("works").is_none(), "nobody is let in");
        refusals.extend(listener.refusals().map(|(_, error)| error));
        client.receive(&mut frame).err()
    });
    until("the other side", || {
        let _ = listener.poll_accept();
        refusals.extend(listener.refusals().map(|(_, error)| error));
        (!refusals.is_empty()).then_some(())
    });
    (error, refusals)
}

#[test]
fn a_stranger_s_certificate_is_refused() {
    let (other, _) = certificate("localhost");
    for kind in [Kind::Tcp, Kind::WebSocket] {
        let (error, refusals) = attempt(kind, Some(&other), "localhost");
        assert!(matches!(error, LinkError::Refused(_)), "{error:?}");
        assert!(error.to_string().contains("certificate"), "{error}");
        assert!(refusals.len() == 1, "{refusals:?}");
    }
}

#[test]
fn a_certificate_of_another_name_is_refused() {
    let (error, _) = attempt(Kind::Tcp, None, "example.org");
    assert!(error.to_string().contains("example.org") || error.to_string().contains("not valid for name"), "{error}");
}

#[test]
fn a_game_that_encrypts_is_told_by_a_port_that_does_not() {
    let (mut listener, address) = listen(ListenOptions::default());
    let (own, _) = certificate("localhost");
    let trust = ClientTls::trusting(own.as_bytes()).expect("trust").named("localhost");
    let mut client =
        connect(Kind::Tcp, &address.to_string(), LinkOptions::default().with_tls(trust)).expect("connecting");
    let mut frame = Vec::new();
    let error = until("an end", || {
        assert!(listener.poll_accept().expect("works").is_none());
        client.receive(&mut frame).err()
    });
    assert!(error.to_string().contains("TLS"), "{error}");
    assert!(listener.refusals().any(|(_, error)| error.to_string().contains("not encrypted")));
}

#[test]
fn this_machine_may_talk_plainly_to_a_port_that_encrypts() {
    let (own, key) = certificate("localhost");
    let tls = ServerTls::new(own.as_bytes(), key.as_bytes()).expect("a certificate");
    let listening = ListenOptions { tls: Some(tls), ..ListenOptions::default() };
    let (_client, server) = crate::support::pair(Kind::Tcp, LinkOptions::default(), listening);
    assert!(!server.is_encrypted());
}

/// A certificate that vouches for itself, as this changes it, and its key.
fn made(change: impl FnOnce(&mut rcgen::CertificateParams)) -> (String, String) {
    let mut params = rcgen::CertificateParams::new(["localhost".to_owned()]).expect("a name");
    change(&mut params);
    let key = rcgen::KeyPair::generate().expect("a key");
    (params.self_signed(&key).expect("a certificate").pem(), key.serialize_pem())
}

#[test]
fn a_certificate_that_no_game_takes_is_told_with_its_cure() {
    let year = |year| rcgen::date_time_ymd(year, 1, 1);
    let expired = made(|params| (params.not_before, params.not_after) = (year(2020), year(2021)));
    let early = made(|params| params.not_before = year(2150));
    let signing = made(|params| params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained));
    for ((own, key), said) in [(&expired, "renewed"), (&early, "clock"), (&signing, "CA:FALSE")] {
        let told = ServerTls::objection(own.as_bytes()).expect("an objection");
        assert!(told.contains(said), "{told}");
        // The game says it too.
        let tls = ServerTls::new(own.as_bytes(), key.as_bytes()).expect("it can be shown all the same");
        let (mut listener, address) = listen(ListenOptions { tls: Some(tls), ..ListenOptions::default() });
        let trust = ClientTls::trusting(own.as_bytes()).expect("trust").named("localhost");
        let options = LinkOptions::default().with_tls(trust);
        let mut client = connect(Kind::Tcp, &address.to_string(), options).expect("connecting");
        let mut frame = Vec::new();
        let error = until("an end", || {
            let _ = listener.poll_accept();
            client.receive(&mut frame).err()
        });
        assert!(error.to_string().contains(said), "{error}");
    }
    let (fine, key) = certificate("localhost");
    assert_eq!(ServerTls::objection(fine.as_bytes()), None);
    let (other, _) = certificate("localhost");
    let error = ServerTls::new(other.as_bytes(), key.as_bytes()).expect_err("another's key").to_string();
    assert!(error.contains("not that of the certificate"), "{error}");
}

#[test]
fn who_is_not_trusted_and_who_bears_another_name_are_told_apart() {
    let (other, _) = certificate("localhost");
    let (error, _) = attempt(Kind::Tcp, Some(&other), "localhost");
    assert!(error.to_string().contains("have the game trust"), "{error}");
    let (error, _) = attempt(Kind::Tcp, None, "example.org");
    assert!(error.to_string().contains("connect by a name"), "{error}");
}
