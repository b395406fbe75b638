//! As much HTTP as a port needs on which WebSockets open and health is asked for.

use std::net::IpAddr;

use tungstenite::http::Uri;
use tungstenite::http::uri::{Authority, Scheme};

use super::LinkError;

/// The most bytes the head of a request may have.
pub(crate) const HEAD_BYTES_MAX: usize = 8 << 10;

/// The head of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) path: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
}

impl Head {
    /// Reads a head and says how many bytes it has; none: more must come.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<(Self, usize)>, LinkError> {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            if bytes.len() >= HEAD_BYTES_MAX {
                return Err(LinkError::TooLarge { bytes: bytes.len() as u64, most: HEAD_BYTES_MAX as u64 });
            }
            return Ok(None);
        };
        let broken = || LinkError::Protocol("the HTTP request cannot be read; ask with GET and HTTP/1.1".to_owned());
        let text = std::str::from_utf8(bytes.get(..end).unwrap_or_default()).map_err(|_| broken())?;
        let mut lines = text.split("\r\n");
        let mut request = lines.next().unwrap_or_default().split(' ');
        let (method, path, version) = (request.next(), request.next(), request.next());
        let (Some("GET"), Some(path), Some("HTTP/1.1" | "HTTP/1.0"), None) = (method, path, version, request.next())
        else {
            return Err(broken());
        };
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(':').ok_or_else(broken)?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(Some((Self { path: path.to_owned(), headers }, end + 4)))
    }

    /// The first value of a header, by its name in lower case.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether a header lists a word.
    pub(crate) fn lists(&self, name: &str, word: &str) -> bool {
        self.get(name).is_some_and(|value| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
    }

    /// Whether a WebSocket is asked for.
    pub(crate) fn upgrades(&self) -> bool {
        self.lists("upgrade", "websocket")
    }

    /// The token of `Authorization: Bearer …`.
    pub(crate) fn bearer(&self) -> Option<&str> {
        self.get("authorization")?.strip_prefix("Bearer ")
    }

    /// Whether a page of another host asks, in a browser: such a page must not reach a director that wants no token.
    pub(crate) fn is_foreign_page(&self) -> bool {
        self.all("origin").any(|origin| !is_local_origin(origin))
    }

    /// Whether a browser was led here by a name that is not this machine's: the name of a page's own host can be made
    /// to stand for this machine (DNS rebinding), and then the browser takes what is answered for the page's own. Only
    /// programs leave `Host` out.
    pub(crate) fn is_for_another_host(&self) -> bool {
        self.all("host").any(|host| !host.parse().is_ok_and(|host| is_this_machine(&host)))
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Whether an origin, `scheme://host:port` and no more, is a page that this machine serves itself.
fn is_local_origin(origin: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else { return false };
    let is_web = origin.scheme().is_some_and(|scheme| [Scheme::HTTP, Scheme::HTTPS].contains(scheme));
    let is_bare = origin.path_and_query().is_none_or(|rest| rest.as_str() == "/");
    is_web && is_bare && origin.authority().is_some_and(is_this_machine)
}

/// Whether a host with or without a port is this machine by its own name or address.
fn is_this_machine(authority: &Authority) -> bool {
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    // Nothing stands before the host, such as a user, and nothing but a port behind it.
    let is_plain = match authority.as_str().strip_prefix(host) {
        Some("") => true,
        Some(_) => authority.port_u16().is_some(),
        None => false,
    };
    is_plain
        && (host.eq_ignore_ascii_case("localhost")
            || address.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback()))
}

/// A whole response.
pub(crate) fn response(status: &str, content_type: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A response of one line of text.
pub(crate) fn refusal(status: &str, why: &str) -> Vec<u8> {
    response(status, "text/plain; charset=utf-8", &format!("{why}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let text = b"GET /health HTTP/1.1\r\nHost: a\r\nUpgrade: WebSocket\r\nAuthorization: Bearer x y\r\n\r\nrest";
        assert_eq!(Head::read(&text[..30]), Ok(None));
        let (head, length) = Head::read(text).expect("read").expect("whole");
        assert_eq!((head.path.as_str(), length), ("/health", text.len() - 4));
        assert!(head.upgrades());
        assert_eq!(head.bearer(), Some("x y"));
        for bad in ["POST / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nbad\r\n\r\n"] {
            assert!(Head::read(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(Head::read(&[b'a'; HEAD_BYTES_MAX]).is_err());
    }

    #[test]
    fn pages_of_other_hosts_are_foreign() {
        let page = |origin: &str| {
            let text = format!("GET / HTTP/1.1\r\nOrigin: {origin}\r\n\r\n");
            Head::read(text.as_bytes()).expect("read").expect("whole").0.is_foreign_page()
        };
        for near in
            ["http://localhost:8080", "https://127.0.0.1", "http://[::1]:3", "http://LOCALHOST", "http://127.1.2.3:80"]
        {
            assert!(!page(near), "{near}");
        }
        for far in [
            "https://example.org",
            "http://localhost.example.org",
            "http://example.org.localhost",
            "http://notlocalhost",
            "null",
            "",
            "localhost",
            "http://127.0.0.1.evil",
            "http://localhost@evil.example",
            "http://localhost:80@evil.example",
            "http://localhost/path",
            "http://localhost?x=evil",
            "ftp://localhost",
            "http://localhost:port",
            "http://localhost, http://evil.example",
            "http://192.0.2.1",
            "http://[::1",
            "http://[2001:db8::1]",
        ] {
            assert!(page(far), "{far}");
        }
        let two = "GET / HTTP/1.1\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n\r\n";
        assert!(Head::read(two.as_bytes()).expect("read").expect("whole").0.is_foreign_page(), "every one counts");
    }

    #[test]
    fn requests_must_be_for_this_machine() {
        let asks = |host: &str| {
            let text = format!("GET /metrics HTTP/1.1\r\n{host}\r\n\r\n");
            Head::read(text.as_bytes()).expect("read").expect("whole").0.is_for_another_host()
        };
        for near in ["Host: localhost:7777", "Host: 127.0.0.1", "host: [::1]:7777", "Accept: */*"] {
            assert!(!asks(near), "{near}");
        }
        for far in
            ["Host: evil.example", "Host: localhost.evil.example:7777", "Host: 192.0.2.1", "Host:", "Host: a@localhost"]
        {
            assert!(asks(far), "{far}");
        }
    }
}
