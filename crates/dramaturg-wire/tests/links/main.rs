//! Links over real sockets of this machine, with ports that the system chooses.

mod bounds;
mod carry;
mod cuts;
mod hub;
mod memory;
mod refuse;
mod support;
mod tls;
