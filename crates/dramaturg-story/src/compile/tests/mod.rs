//! What stories are understood to say: small stories and the essentials of their models.

mod acting;
mod happening;
mod levels;
mod pooling;
mod telling;
mod wanting;
mod world;
