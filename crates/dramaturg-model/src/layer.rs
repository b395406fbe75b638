//! Layers: planning levels from abstract to concrete.

use serde::Serialize;
use smol_str::SmolStr;

use crate::fixed::Fixed;
use crate::source::Span;
use crate::tick::Tick;

crate::ids! {
    /// A planning layer.
    LayerId,
}

/// A planning level, above one other. An action in it is a contract for the layer below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layer {
    /// Its name.
    pub name: SmolStr,
    /// The layer below.
    pub above: Option<LayerId>,
    /// How many ticks it looks ahead.
    pub horizon: Option<Tick>,
    /// How many steps at most.
    pub steps: Option<u32>,
    /// How many nodes are kept.
    pub beam: Option<u32>,
    /// The share of the beam kept for survival.
    pub elites: Option<Fixed>,
    /// How far a contract may be missed.
    pub tolerance: Option<Fixed>,
    /// Where it is declared.
    pub place: Span,
}
