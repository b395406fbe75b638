//! What `means` fluents mean, and defaults.

use dramaturg_model::{Expr, FluentId, FluentSource, Model, Span, Value};

use super::lowering::Lowering;
use super::scope::Scope;
use super::ty::Ty;
use crate::diagnostics;
use crate::syntax::tree::{self, FluentValue};

/// How large a meaning may become when everything in it is written out.
const EXPANDED_MAX: u64 = 100_000;

impl Lowering {
    /// The default or the meaning behind a declaration of fluents.
    pub(crate) fn fluent_values(&mut self, decl: &tree::FluentDecl, level: Option<dramaturg_model::LevelId>) {
        for head in &decl.heads {
            let Some(fluent) = self.fluent_at(head.name.span) else { continue };
            let params = self.model.fluents[fluent].params.clone();
            match &decl.value {
                FluentValue::None => {
                    self.scope_of(level, &head.params, &params, &head.name.text);
                }
                FluentValue::Default(value) => {
                    let mut scope = Scope::new(level, head.name.text.clone());
                    self.default(fluent, value, &mut scope);
                    self.scope_of(level, &head.params, &params, &head.name.text);
                }
                FluentValue::Means(value) => {
                    let mut scope = self.scope_of(level, &head.params, &params, &head.name.text);
                    // Whoever reads the fluent says all its arguments, so taking one out cures nothing.
                    scope.variables.iter_mut().for_each(|variable| variable.removal = None);
                    let (domain, place) = (self.model.fluents[fluent].domain.clone(), head.name.span);
                    let wanted = match Ty::of_domain(&domain) {
                        Ty::Int => Ty::Number,
                        other => other,
                    };
                    let meaning = self.typed(&mut scope, value, &wanted, place);
                    self.report_unused(&scope, 0);
                    self.model.fluents[fluent].source = FluentSource::Means(meaning);
                }
            }
        }
    }

    /// The default behind an attribute.
    pub(crate) fn member_default(
        &mut self,
        fluent: FluentId,
        value: &tree::Expr,
        level: Option<dramaturg_model::LevelId>,
    ) {
        let mut scope = Scope::new(level, self.model.fluents[fluent].name.clone());
        self.default(fluent, value, &mut scope);
    }

    fn default(&mut self, fluent: FluentId, value: &tree::Expr, scope: &mut Scope) {
        let (domain, place) = (self.model.fluents[fluent].domain.clone(), self.model.fluents[fluent].place);
        match self.assigned(scope, value, &domain, place) {
            Expr::Value(Value::Nothing) => {}
            Expr::Value(value) => self.model.fluents[fluent].default = Some(value),
            _ => {
                let found = "something that is only known while the story runs";
                let report = diagnostics::wrong_type::diagnostic(value.span, "a plain value", found, place);
                self.report(report.hint("use `given` for starting values that depend on others"));
            }
        }
    }

    /// Reports meanings that need themselves, and such as become too large when written out.
    pub(crate) fn check_meanings(&mut self) {
        let mut sizes: Vec<Option<u64>> = vec![None; self.model.fluents.len()];
        for fluent in self.model.fluents.ids() {
            let mut path = Vec::new();
            let circle = measure(&self.model, fluent, &mut sizes, &mut path);
            if let Some(circle) = circle {
                let names: Vec<String> = circle.iter().map(|id| self.model.fluents[*id].name.to_string()).collect();
                let first = circle.first().copied().unwrap_or(fluent);
                let place = self.model.fluents[first].place;
                self.report(diagnostics::circular_meaning::diagnostic(place, &names));
                for id in circle {
                    self.model.fluents[id].source = FluentSource::Means(Expr::Value(Value::Nothing));
                    set(&mut sizes, id, 1);
                }
            } else if sizes.get(fluent.0 as usize).copied().flatten().unwrap_or(0) > EXPANDED_MAX {
                let declared = &self.model.fluents[fluent];
                let (place, name): (Span, _) = (declared.place, declared.name.clone());
                self.report(diagnostics::too_large::meaning(place, &name, EXPANDED_MAX));
                self.model.fluents[fluent].source = FluentSource::Means(Expr::Value(Value::Nothing));
                set(&mut sizes, fluent, 1);
            }
        }
    }
}

fn set(sizes: &mut [Option<u64>], fluent: FluentId, size: u64) {
    if let Some(entry) = sizes.get_mut(fluent.0 as usize) {
        *entry = Some(size);
    }
}

/// Computes how large a fluent's meaning is when written out; the circle it runs into, if it does. Nesting is bounded by the
/// number of fluents and kept on an explicit stack, so that a long chain of meanings cannot exhaust ours.
fn measure(
    model: &Model,
    fluent: FluentId,
    sizes: &mut [Option<u64>],
    path: &mut Vec<FluentId>,
) -> Option<Vec<FluentId>> {
    path.push(fluent);
    while let Some(current) = path.last().copied() {
        let FluentSource::Means(meaning) = &model.fluents[current].source else {
            set(sizes, current, 1);
            path.pop();
            continue;
        };
        let mut size: u64 = 0;
        let mut wanting: Option<FluentId> = None;
        meaning.walk(&mut |part| {
            size = size.saturating_add(1);
            if let Expr::Fluent(inner, _) = part {
                match sizes.get(inner.0 as usize).copied().flatten() {
                    Some(inner) => size = size.saturating_add(inner),
                    None => wanting = wanting.or(Some(*inner)),
                }
            }
        });
        match wanting {
            None => {
                set(sizes, current, size);
                path.pop();
            }
            Some(inner) => {
                if let Some(start) = path.iter().position(|open| *open == inner) {
                    let mut circle = path.split_off(start);
                    circle.push(inner);
                    return Some(circle);
                }
                path.push(inner);
            }
        }
    }
    None
}
