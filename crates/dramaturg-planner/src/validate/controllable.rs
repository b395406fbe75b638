//! V3: simple temporal networks with uncertainty, and whether they are dynamically controllable.
//!
//! The algorithm is that of Morris, *Dynamic Controllability and Dispatchability Relationships* (CPAIOR 2014): cubic, by propagating
//! backwards from every point that has a negative edge into it. An agent may react to an end in the tick in which it comes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dramaturg_model::Tick;
use rustc_hash::FxHashMap;

/// What the check comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controllability {
    /// There is a way of choosing times that bears everything.
    Controllable,
    /// There is none; the circle of demands goes through this point.
    Uncontrollable(usize),
    /// The network is too large for the work allowed.
    Unknown,
}

/// A network of time points, some of whose distances the world decides.
///
/// ```
/// use dramaturg_planner::validate::{Controllability, Network};
/// // Somebody takes 2 to 5 ticks; the next thing must come 1 tick before the end.
/// let mut network = Network::new(3);
/// network.contingent(0, 1, 2, 5);
/// network.between(2, 1, Some(1), Some(1));
/// assert_ne!(network.check(u64::MAX), Controllability::Controllable);
/// // One tick after the end is easy.
/// let mut network = Network::new(3);
/// network.contingent(0, 1, 2, 5);
/// network.between(1, 2, Some(1), Some(1));
/// assert_eq!(network.check(u64::MAX), Controllability::Controllable);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Edges by the point they lead into.
    into: Vec<Vec<Edge>>,
    /// The number of contingent distances.
    links: u32,
    named: usize,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: usize,
    weight: Tick,
    label: Label,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Plain,
    /// The world may choose the shortest.
    Lower(u32),
    /// The world may choose the longest.
    Upper(u32),
}

impl Network {
    /// A network of so many points.
    pub fn new(points: usize) -> Self {
        Self { into: vec![Vec::new(); points], links: 0, named: points }
    }

    fn edge(&mut self, from: usize, to: usize, weight: Tick, label: Label) {
        if let Some(edges) = self.into.get_mut(to) {
            edges.push(Edge { from, weight, label });
        }
    }

    /// The second point comes at least and at most so many ticks after the first, by our own choice.
    pub fn between(&mut self, from: usize, to: usize, least: Option<Tick>, most: Option<Tick>) {
        if let Some(most) = most {
            self.edge(from, to, most, Label::Plain);
        }
        if let Some(least) = least {
            self.edge(to, from, least.saturating_neg(), Label::Plain);
        }
    }

    /// The second point comes between so many ticks after the first, and the world decides when.
    pub fn contingent(&mut self, from: usize, to: usize, least: Tick, most: Tick) {
        if least >= most {
            self.between(from, to, Some(least), Some(least));
            return;
        }
        // Normal form: a point of its own after the certain part, so that the uncertain part begins at 0.
        let waiting = self.into.len();
        self.into.push(Vec::new());
        self.between(from, waiting, Some(least), Some(least));
        let link = self.links;
        self.links += 1;
        self.edge(waiting, to, 0, Label::Lower(link));
        self.edge(to, waiting, least.saturating_sub(most), Label::Upper(link));
    }

    /// Whether the network is dynamically controllable, within so much work.
    pub fn check(mut self, work_max: u64) -> Controllability {
        let count = self.into.len();
        let negative: Vec<bool> = self.into.iter().map(|edges| edges.iter().any(|edge| edge.weight < 0)).collect();
        let is_negative = |point: usize| negative.get(point).copied().unwrap_or(false);
        let mut state = vec![Visit::Fresh; count];
        let mut work: u64 = 0;
        let mut calls: Vec<Call> = Vec::new();
        for source in (0..count).filter(|point| is_negative(*point)) {
            if state.get(source) == Some(&Visit::Done) {
                continue;
            }
            calls.push(self.call(source));
            mark(&mut state, source, Visit::Open);
            while let Some(call) = calls.last_mut() {
                let Some(Reverse((distance, point))) = call.queue.pop() else {
                    mark(&mut state, call.source, Visit::Done);
                    calls.pop();
                    continue;
                };
                work += 1;
                if work > work_max {
                    return Controllability::Unknown;
                }
                if call.distance.get(&point).is_none_or(|known| *known != distance) {
                    continue;
                }
                if distance >= 0 {
                    let source = call.source;
                    self.edge(point, source, distance, Label::Plain);
                    continue;
                }
                if is_negative(point) {
                    match state.get(point).copied().unwrap_or(Visit::Done) {
                        Visit::Open => return Controllability::Uncontrollable(point.min(self.named.saturating_sub(1))),
                        Visit::Fresh => {
                            // Come back to this point when all that leads into it is known.
                            call.queue.push(Reverse((distance, point)));
                            mark(&mut state, point, Visit::Open);
                            calls.push(self.call(point));
                            continue;
                        }
                        Visit::Done => {}
                    }
                }
                for edge in self.into.get(point).into_iter().flatten() {
                    work += 1;
                    // The end of a link cannot be told from its own beginning.
                    let is_own = matches!((edge.label, call.upper), (Label::Lower(link), Some(own)) if link == own);
                    if edge.weight < 0 || is_own {
                        continue;
                    }
                    call.lower(edge.from, distance.saturating_add(edge.weight));
                }
            }
        }
        Controllability::Controllable
    }

    /// Begins to propagate backwards from a point.
    fn call(&self, source: usize) -> Call {
        let mut call = Call { source, upper: None, distance: FxHashMap::default(), queue: BinaryHeap::new() };
        call.distance.insert(source, 0);
        for edge in self.into.get(source).into_iter().flatten().filter(|edge| edge.weight < 0) {
            if let Label::Upper(link) = edge.label {
                call.upper = Some(link);
            }
            call.lower(edge.from, edge.weight);
        }
        call
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    Fresh,
    Open,
    Done,
}

/// One propagation, kept on a list of our own: networks are deeper than the machine's stack.
struct Call {
    source: usize,
    /// The contingent link whose longest choice leads into the source.
    upper: Option<u32>,
    distance: FxHashMap<usize, Tick>,
    queue: BinaryHeap<Reverse<(Tick, usize)>>,
}

impl Call {
    /// A shorter way to a point, if it is one.
    fn lower(&mut self, point: usize, distance: Tick) {
        let known = self.distance.entry(point).or_insert(Tick::MAX);
        if distance < *known {
            *known = distance;
            self.queue.push(Reverse((distance, point)));
        }
    }
}

fn mark(state: &mut [Visit], point: usize, visit: Visit) {
    if let Some(place) = state.get_mut(point) {
        *place = visit;
    }
}
