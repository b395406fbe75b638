//! `never-set`: a fluent that is read, but that nothing ever sets.

use dramaturg_model::{Code, Diagnostic, FluentId, FluentSource, Model, Usage};
use rustc_hash::FxHashSet;

/// A fluent that is read, but that nothing ever sets.
pub const CODE: Code = Code::warning("never-set");

/// Reports fluents that are read although they can only ever have one value that nobody chose.
pub fn rule(model: &Model, usage: &Usage, explicit: impl Fn(FluentId) -> bool, diagnostics: &mut Vec<Diagnostic>) {
    let expected = expected(model);
    for (id, fluent) in model.fluents.iter() {
        let used = &usage.fluents[id];
        let stored = matches!(fluent.source, FluentSource::Stored);
        if !stored || !used.read || used.set || used.observed || used.given || explicit(id) {
            continue;
        }
        if expected.contains(&id) || super::never_read::is_made(model, id) {
            continue;
        }
        let set = model.fluents.iter().filter(|(other, _)| usage.fluents[*other].set || usage.fluents[*other].given);
        let near = crate::compile::names::nearest(&fluent.name, set.map(|(_, other)| other.name.as_str()));
        let found = Diagnostic::new(CODE, fluent.place, format!("`{}` is read, but nothing sets it", fluent.name));
        diagnostics.push(match near {
            Some(near) => found.hint(format!("a misspelling of `{near}`?")),
            None => found.hint("set it in an effect, `given` it, or observe it with `reads`"),
        });
    }
}

/// Fluents that somebody else is expected to change.
pub(crate) fn expected(model: &Model) -> FxHashSet<FluentId> {
    let actions = model.actions.values().filter_map(|action| action.expectation.as_ref());
    let rules = model.rules.values().filter_map(|rule| rule.expectation.as_ref());
    actions.chain(rules).flat_map(|expectation| &expectation.effects).map(|effect| effect.target.fluent).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn read_but_never_set() {
        expect![[r#"
            2 `rainning`: never-set: `rainning` is read, but nothing sets it
              hint: a misspelling of `raining`?
        "#]]
        .assert_eq(&told(
            r#"story "Rain"
             fluent rainning, raining
             fluent wet
             action pour { then raining }
             rule soak { when rainning; then wet }
             goal wet and raining"#,
        ));
        expect![[r#"
            2 `cloudy`: never-set: `cloudy` is read, but nothing sets it
              hint: set it in an effect, `given` it, or observe it with `reads`
        "#]]
        .assert_eq(&told(
            r#"story "Rain"
             fluent cloudy
             fluent wet
             action pour { needs cloudy; then wet }
             goal wet"#,
        ));
    }

    #[test]
    fn every_way_to_set_it() {
        check(
            r#"story "Rain"
             type Cloud { dark; heavy; near; wind: number 0..9 = 3 }
             object cloud: Cloud (dark)
             population veil(c: Cloud) of 3 { given c.near }
             fluent wet, cold, seen, hoped, late
             fluent soaked means wet and cold
             given cold
             given late at 9 ticks
             rule watch { reads seen every 3 ticks }
             action hope { takes 3 ticks; expect hoped; check every 1 tick }
             action pour(c: Cloud) { needs c.dark and c.near and c.wind > 2 and seen and hoped and late; then wet, c.heavy }
             goal soaked and cloud.heavy"#,
        );
    }

    #[test]
    fn what_pools_make_is_left_alone() {
        check(
            r#"story "Maps"
             type Map { kind: sea | land }
             pool map(m: Map) of 3 { anchors m.kind }
             goal any m: Map (m.kind == land and m.anchored and not m.committed)"#,
        );
    }
}
