//! Small systems of equalities and inequalities between symbols.

use smallvec::SmallVec;

use super::invariant::Symbol;

/// Symbols that are equal, pair by pair.
pub(crate) type Equalities = Vec<(Symbol, Symbol)>;

/// Equalities, choices of equalities, and inequalities. It is solvable if for some choice the finest equivalence that the
/// equalities induce joins no two constants, keeps one pair of each inequality apart, and no excluded symbol is a constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub(crate) equalities: Equalities,
    /// One of each must be taken.
    pub(crate) choices: Vec<Vec<Equalities>>,
    /// One pair of each must differ.
    pub(crate) inequalities: Vec<Vec<(Symbol, Symbol)>>,
    /// These may not become constants.
    pub(crate) not_constant: Vec<Symbol>,
}

/// Which symbols are the same.
pub(crate) struct Representatives {
    parents: SmallVec<[(Symbol, Symbol); 16]>,
}

/// The most combinations of choices tried.
const TRIES_MAX: usize = 4096;

impl System {
    /// Asks that two facts of one relation are not the same fact.
    pub(crate) fn differ(&mut self, left: &[Symbol], right: &[Symbol], same_relation: bool) {
        if same_relation {
            if left.is_empty() {
                // The same fact without arguments: the original leaves this case open, and so do we.
                return;
            }
            self.inequalities.push(left.iter().copied().zip(right.iter().copied()).collect());
        }
    }

    /// The classes of the plain equalities; none if they contradict.
    pub(crate) fn representatives(&mut self) -> Option<Representatives> {
        Representatives::new(&self.equalities)
    }

    /// Whether there is a solution. Gives up, as if there were none, after too many tries.
    pub(crate) fn is_solvable(&self) -> bool {
        let mut picks: Vec<usize> = vec![0; self.choices.len()];
        for _ in 0..TRIES_MAX {
            if self.solves(&picks) {
                return true;
            }
            let mut carried = true;
            for (pick, choices) in picks.iter_mut().zip(&self.choices) {
                *pick += 1;
                if *pick < choices.len() {
                    carried = false;
                    break;
                }
                *pick = 0;
            }
            if carried {
                return false;
            }
        }
        false
    }

    fn solves(&self, picks: &[usize]) -> bool {
        let mut all = self.equalities.clone();
        for (pick, choices) in picks.iter().zip(&self.choices) {
            if let Some(choice) = choices.get(*pick) {
                all.extend(choice.iter().copied());
            }
        }
        let Some(classes) = Representatives::new(&all) else { return false };
        let is_constant = |symbol: &Symbol| matches!(classes.of(*symbol), Symbol::Entity(_));
        !self.not_constant.iter().any(is_constant)
            && self.inequalities.iter().all(|pairs| pairs.iter().any(|(a, b)| classes.of(*a) != classes.of(*b)))
    }
}

impl Representatives {
    fn new(equalities: &Equalities) -> Option<Self> {
        let mut classes = Self { parents: SmallVec::new() };
        for (left, right) in equalities {
            let (left, right) = (classes.of(*left), classes.of(*right));
            if left == right {
                continue;
            }
            // A constant stands for its class; two constants cannot be the same.
            match (left, right) {
                (Symbol::Entity(_), Symbol::Entity(_)) => return None,
                (Symbol::Entity(_), other) => classes.parents.push((other, left)),
                (other, kept) => classes.parents.push((other, kept)),
            }
        }
        Some(classes)
    }

    /// The symbol that stands for the class of this one.
    pub(crate) fn of(&self, symbol: Symbol) -> Symbol {
        let mut current = symbol;
        // Every entry is followed at most once: chains have no circles.
        for _ in 0..=self.parents.len() {
            match self.parents.iter().find(|(child, _)| *child == current) {
                Some((_, parent)) => current = *parent,
                None => break,
            }
        }
        current
    }
}
