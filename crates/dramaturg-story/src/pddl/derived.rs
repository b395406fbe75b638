//! Derived predicates, and the order in which they are computed.

use dramaturg_model::{Expr, FluentId, FluentSource, Param, Quantifier, Set, Span, Var};
use rustc_hash::FxHashMap;

use super::fault;
use super::reader::{Kind, Reader};
use super::scope::Scope;
use super::sexpr::Sexpr;

/// One derived predicate needs another.
#[derive(Clone, Copy)]
struct Need {
    other: usize,
    /// Whether the other must not hold.
    is_negative: bool,
    place: Span,
}

impl Reader {
    /// Reads `(:derived (above ?x ?y) condition)`, several for one predicate if need be.
    pub(super) fn read_derived(&mut self, sections: &[&Sexpr]) {
        // First which predicates are derived, then what from: they may speak of each other.
        let mut order: Vec<FluentId> = Vec::new();
        let mut numbers: FxHashMap<FluentId, usize> = FxHashMap::default();
        let mut heads: Vec<Option<FluentId>> = Vec::with_capacity(sections.len());
        for section in sections {
            let head = self.derived_head(section);
            if let Some(fluent) = head {
                numbers.entry(fluent).or_insert_with(|| {
                    order.push(fluent);
                    order.len() - 1
                });
                self.model.fluents[fluent].source = FluentSource::Derived { rules: Vec::new(), stratum: 0 };
                self.model.fluents[fluent].place = section.span;
            }
            heads.push(head);
        }
        let mut needs: Vec<Vec<Need>> = vec![Vec::new(); order.len()];
        for (section, head) in sections.iter().zip(heads) {
            let Some(fluent) = head else { continue };
            let Some(rule) = self.derived_rule(section, fluent) else { continue };
            let own = numbers.get(&fluent).and_then(|number| needs.get_mut(*number));
            if let Some(own) = own {
                find_needs(&rule, false, section.span, &numbers, own);
            }
            if let FluentSource::Derived { rules, .. } = &mut self.model.fluents[fluent].source {
                rules.push(rule);
            }
        }
        self.stratify(&order, &needs);
    }

    fn derived_head(&mut self, section: &Sexpr) -> Option<FluentId> {
        if section.head() == ":axiom" {
            let cure = "write `(:derived (predicate …) condition)`";
            self.report(fault::unsupported(section.span, "the old form `:axiom`", cure));
            return None;
        }
        let [head, _] = section.tail() else {
            self.count(section, section.tail(), 2);
            return None;
        };
        let Some(name) = head.list().and_then(<[_]>::first) else {
            self.expected(head, "a predicate with its parameters");
            return None;
        };
        let text = self.name(name, "a predicate")?;
        let fluent = self.fluent(Kind::Predicate, text, name.span)?;
        Some(fluent)
    }

    fn derived_rule(&mut self, section: &Sexpr, fluent: FluentId) -> Option<Expr> {
        let [head, body] = section.tail() else { return None };
        let mut own = Scope::default();
        let params = self.params(head.tail(), &mut own);
        let declared = self.params_of(fluent).to_vec();
        if params.len() != declared.len() {
            let place = self.fluent_place(fluent);
            self.report(fault::wrong_count(head.span, head.head(), declared.len(), params.len(), place));
            return None;
        }
        // A parameter is of the type the head says; without one, of the type the predicate was declared with.
        let has_types = head.tail().iter().any(|item| item.atom().is_some_and(|atom| atom == "-"));
        let mut scope = Scope::default();
        let mut guards: Vec<Expr> = Vec::new();
        for (position, (param, declared)) in params.into_iter().zip(declared).enumerate() {
            let is_narrow = has_types && !self.types.is_subset(&declared.choices, &param.choices);
            if is_narrow {
                let var = Box::new(Expr::Var(Var(position as u16)));
                guards.push(Expr::In(var, Set::Choices(param.choices.clone())));
            }
            let choices = if is_narrow { param.choices } else { declared.choices };
            scope.push(Param { name: param.name, choices });
        }
        let body = self.condition(body, &mut scope);
        Some(Expr::all(guards.into_iter().chain([body])))
    }

    /// Gives each derived predicate its stratum: above what it negates, never below what it needs.
    fn stratify(&mut self, order: &[FluentId], needs: &[Vec<Need>]) {
        let components = components(needs);
        // Components come with what they need first, so one pass finds the highest stratum below.
        let mut strata: Vec<u16> = vec![0; order.len()];
        let component_of = component_numbers(&components, order.len());
        for (number, component) in components.iter().enumerate() {
            let mut stratum: u16 = 0;
            for member in component {
                for need in needs.get(*member).into_iter().flatten() {
                    if component_of.get(need.other) != Some(&number) {
                        let below = strata.get(need.other).copied().unwrap_or(0);
                        stratum = stratum.max(below.saturating_add(u16::from(need.is_negative)));
                    } else if need.is_negative {
                        self.report_negative_cycle(order, *member, need);
                    }
                }
            }
            for member in component {
                if let Some(slot) = strata.get_mut(*member) {
                    *slot = stratum;
                }
            }
        }
        for (fluent, found) in order.iter().zip(strata) {
            if let FluentSource::Derived { stratum, .. } = &mut self.model.fluents[*fluent].source {
                *stratum = found;
            }
        }
    }

    fn report_negative_cycle(&mut self, order: &[FluentId], member: usize, need: &Need) {
        let (Some(fluent), Some(other)) = (order.get(member), order.get(need.other)) else { return };
        let (name, through) = (self.model.fluents[*fluent].name.clone(), self.model.fluents[*other].name.clone());
        let place = self.fluent_place(*other);
        self.report(fault::negative_cycle(need.place, &name, &through, place));
    }
}

/// Which derived predicates a condition needs, and whether it needs them not to hold.
fn find_needs(
    expr: &Expr,
    is_negative: bool,
    place: Span,
    numbers: &FxHashMap<FluentId, usize>,
    needs: &mut Vec<Need>,
) {
    if let Expr::Fluent(fluent, _) = expr {
        needs.extend(numbers.get(fluent).map(|other| Need { other: *other, is_negative, place }));
    }
    let flips = matches!(expr, Expr::Not(_));
    // Both quantifiers keep the sign: over finitely many objects they are `and` and `or`.
    debug_assert!(
        !matches!(expr, Expr::Quantified(Quantifier::Any | Quantifier::All, binders, _) if binders.is_empty())
    );
    for child in expr.children() {
        find_needs(child, is_negative != flips, place, numbers, needs);
    }
}

fn component_numbers(components: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut numbers = vec![usize::MAX; count];
    for (number, component) in components.iter().enumerate() {
        for member in component {
            if let Some(slot) = numbers.get_mut(*member) {
                *slot = number;
            }
        }
    }
    numbers
}

/// Sets of predicates that need each other, those needed by others first (Tarjan, without recursion).
fn components(needs: &[Vec<Need>]) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy, Default)]
    struct Visit {
        number: Option<usize>,
        lowest: usize,
        is_open: bool,
    }
    let mut visits = vec![Visit::default(); needs.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut count = 0;
    for root in 0..needs.len() {
        // The way down, each with how many of its needs have been followed.
        let mut way: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((node, followed)) = way.pop() {
            let Some(visit) = visits.get_mut(node) else { continue };
            if followed == 0 {
                if visit.number.is_some() {
                    continue;
                }
                *visit = Visit { number: Some(count), lowest: count, is_open: true };
                count += 1;
                open.push(node);
            }
            if let Some(need) = needs.get(node).and_then(|needs| needs.get(followed)) {
                way.push((node, followed + 1));
                match visits.get(need.other).copied() {
                    Some(Visit { number: None, .. }) => way.push((need.other, 0)),
                    Some(other) if other.is_open => {
                        if let Some(visit) = visits.get_mut(node) {
                            visit.lowest = visit.lowest.min(other.lowest);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            let Some(visit) = visits.get(node).copied() else { continue };
            if let Some(above) = way.last().and_then(|(above, _)| visits.get_mut(*above)) {
                above.lowest = above.lowest.min(visit.lowest);
            }
            if visit.number == Some(visit.lowest) {
                let begin = open.iter().rposition(|member| *member == node).unwrap_or(0);
                let component = open.split_off(begin);
                for member in &component {
                    if let Some(visit) = visits.get_mut(*member) {
                        visit.is_open = false;
                    }
                }
                found.push(component);
            }
        }
    }
    found
}
