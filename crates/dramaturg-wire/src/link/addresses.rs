//! How many connections each address has, and how fast it opens them.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{Limits, RateLimit};

/// Addresses without a connection are forgotten once so many are known.
const KNOWN_MAX: usize = 16 << 10;

/// The connections of all addresses.
#[derive(Clone, Debug)]
pub(crate) struct Addresses {
    links_max: u32,
    per_second: u32,
    burst: u32,
    began: Instant,
    known: Arc<Mutex<BTreeMap<IpAddr, Known>>>,
}

#[derive(Debug)]
struct Known {
    links: u32,
    rate: RateLimit,
}

/// One connection of an address; it counts until it is dropped.
#[derive(Debug)]
pub(crate) struct Pass {
    address: IpAddr,
    known: Arc<Mutex<BTreeMap<IpAddr, Known>>>,
}

/// Whether an address may have another connection.
#[derive(Debug)]
pub(crate) enum Entry {
    /// It may.
    Free(Pass),
    /// It has as many as it may have. It is told so, and the connection counts meanwhile.
    Crowded(Pass),
    /// It opens them too fast to be answered.
    TooFast,
}

impl Addresses {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            links_max: limits.links_per_address_max,
            per_second: limits.connections_per_second,
            burst: limits.connections_burst,
            began: Instant::now(),
            known: Arc::default(),
        }
    }

    /// Another connection of an address.
    pub(crate) fn enter(&self, address: IpAddr) -> Entry {
        self.enter_at(address, self.began.elapsed().as_millis() as u64)
    }

    fn enter_at(&self, address: IpAddr, now_milliseconds: u64) -> Entry {
        let address = whole(address);
        let mut known = lock(&self.known);
        if known.len() >= KNOWN_MAX && !known.contains_key(&address) {
            // Each of those that stay has a connection, and there are not so many connections.
            known.retain(|_, known| known.links > 0);
        }
        let fresh = || Known { links: 0, rate: RateLimit::new(self.per_second, self.burst) };
        let entry = known.entry(address).or_insert_with(fresh);
        if !entry.rate.take(now_milliseconds) {
            return Entry::TooFast;
        }
        let crowded = entry.links >= self.links_max.max(1);
        entry.links += 1;
        let pass = Pass { address, known: Arc::clone(&self.known) };
        if crowded { Entry::Crowded(pass) } else { Entry::Free(pass) }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(known) = lock(&self.known).get_mut(&self.address) {
            known.links = known.links.saturating_sub(1);
        }
    }
}

fn lock(known: &Mutex<BTreeMap<IpAddr, Known>>) -> MutexGuard<'_, BTreeMap<IpAddr, Known>> {
    // Nothing that could panic happens under the lock.
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What counts as one address: of IPv6 the first 64 bits, for whoever has one of those has them all.
fn whole(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn each_address_has_so_many_connections_and_no_more() {
        let addresses = Addresses::new(&Limits { links_per_address_max: 2, ..Limits::default() });
        let enter = |text: &str| addresses.enter_at(address(text), 0);
        let (first, second) = (enter("192.0.2.1"), enter("::ffff:192.0.2.1"));
        assert!(matches!((&first, &second), (Entry::Free(_), Entry::Free(_))));
        assert!(matches!(enter("192.0.2.1"), Entry::Crowded(_)), "the same address, written otherwise");
        assert!(matches!(enter("192.0.2.2"), Entry::Free(_)), "others have their own");
        drop(first);
        assert!(matches!(enter("192.0.2.1"), Entry::Free(_)), "one that is gone makes room");
        let network = [enter("2001:db8::1"), enter("2001:db8::2:1")];
        assert!(matches!(enter("2001:db8::3"), Entry::Crowded(_)), "a network of 64 bits is one address");
        assert!(matches!(enter("2001:db8:0:1::1"), Entry::Free(_)));
        drop(network);
    }

    #[test]
    fn who_connects_too_fast_is_not_answered_for_a_while() {
        let addresses =
            Addresses::new(&Limits { connections_per_second: 10, connections_burst: 3, ..Limits::default() });
        let mut open = Vec::new();
        let mut count = |now: u64| {
            let entered: Vec<Entry> = (0..9).map(|_| addresses.enter_at(address("192.0.2.1"), now)).collect();
            let free = entered.iter().filter(|entry| matches!(entry, Entry::Free(_))).count();
            open.extend(entered);
            free
        };
        assert_eq!((count(0), count(0), count(200)), (3, 0, 2));
    }

    #[test]
    fn addresses_that_are_gone_are_forgotten() {
        let addresses = Addresses::new(&Limits::default());
        let kept = addresses.enter_at(address("192.0.2.1"), 0);
        for number in 0..(KNOWN_MAX as u32 * 2) {
            drop(addresses.enter_at(IpAddr::V4(std::net::Ipv4Addr::from_bits(0x0A00_0000 + number)), 0));
        }
        assert!(lock(&addresses.known).len() <= KNOWN_MAX);
        assert_eq!(lock(&addresses.known).get(&address("192.0.2.1")).map(|known| known.links), Some(1));
        drop(kept);
    }
}
