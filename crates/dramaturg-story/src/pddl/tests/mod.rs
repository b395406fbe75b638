//! Tests of reading and writing PDDL.

mod bytes;
mod exports;
mod faults;
mod pages;
mod reading;
mod round_trip;
mod stories;
