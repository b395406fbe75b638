//! Looks once more before a task starts.

use dramaturg_wire::{Guard, Test};

use crate::dictionary::Dictionary;
use crate::game::{Game, ValueRef};

/// The first guard of a task that does not hold. A fluent that nobody knows, or a value of another kind, makes a guard fail: what
/// cannot be seen must not be relied on.
pub(crate) fn failing<G: Game + ?Sized>(guards: &[Guard], names: &Dictionary, game: &G) -> Option<u16> {
    let guard = guards.iter().position(|guard| !holds(guard, names, game))?;
    Some(u16::try_from(guard).unwrap_or(u16::MAX))
}

fn holds<G: Game + ?Sized>(guard: &Guard, names: &Dictionary, game: &G) -> bool {
    let Some(value) = names.get(guard.fluent).and_then(|fluent| game.value(fluent)) else { return false };
    match (&guard.test, value) {
        (Test::Bool(wanted), ValueRef::Bool(value)) => *wanted == value,
        (Test::Number(comparison, wanted), ValueRef::Number(value)) => comparison.holds(value, *wanted),
        (Test::Among(among), ValueRef::Name(value)) => among.iter().any(|id| names.get(*id) == Some(value)),
        (Test::NotAmong(among), ValueRef::Name(value)) => {
            among.iter().all(|id| names.get(*id).is_some_and(|name| name != value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use dramaturg_wire::{Comparison, NameId};
    use smallvec::smallvec;

    use super::*;
    use crate::TaskView;

    struct Values;

    impl Game for Values {
        fn start(&mut self, _task: &TaskView<'_>) {}

        fn value(&self, fluent: &str) -> Option<ValueRef<'_>> {
            match fluent {
                "open" => Some(ValueRef::Bool(true)),
                "coins" => Some(ValueRef::Number(3_000_000)),
                "place" => Some(ValueRef::Name("cellar")),
                _ => None,
            }
        }
    }

    #[test]
    fn guards_hold_only_for_known_values_of_their_kind() {
        let names = ["open", "coins", "place", "ghost", "cellar", "attic"].map(str::to_owned);
        let names = Dictionary::new(names.to_vec(), Vec::new());
        let check = |fluent, test| holds(&Guard { fluent: NameId(fluent), test }, &names, &Values);
        assert!(check(0, Test::Bool(true)));
        assert!(!check(0, Test::Bool(false)));
        assert!(!check(0, Test::Number(Comparison::Equal, 1)), "another kind");
        assert!(check(1, Test::Number(Comparison::AtLeast, 3_000_000)));
        assert!(!check(1, Test::Number(Comparison::More, 3_000_000)));
        assert!(check(2, Test::Among(smallvec![NameId(5), NameId(4)])));
        assert!(!check(2, Test::Among(smallvec![NameId(5)])));
        assert!(check(2, Test::NotAmong(smallvec![NameId(5)])));
        assert!(!check(2, Test::NotAmong(smallvec![NameId(4)])));
        assert!(!check(2, Test::NotAmong(smallvec![NameId(99)])), "a name nobody knows");
        assert!(!check(3, Test::Bool(false)), "a fluent without a value");
        assert!(!check(99, Test::Bool(true)), "a fluent nobody knows");
    }
}
