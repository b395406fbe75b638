//! PDDL out and in again is the same model.

use std::fmt::Write;

use dramaturg_model::{Initial, Model, State};
use proptest::prelude::*;

use crate::pddl::testing::{compile, export_temporal, shown};

/// Decisions from bytes: the same bytes, the same domain.
struct Dice<'b> {
    bytes: std::slice::Iter<'b, u8>,
    names: usize,
}

impl Dice<'_> {
    /// A number below a bound; 0 when the bytes are used up, so that everything ends.
    fn roll(&mut self, bound: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % bound.max(1)
    }

    fn name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("?{letter}{}", self.names)
    }
}

/// A random domain and problem, right in every respect.
struct Maker<'b> {
    dice: Dice<'b>,
    /// The parent of each type; type 0 is `object`.
    parents: Vec<usize>,
    /// The parameter types of each predicate and function.
    predicates: Vec<Vec<usize>>,
    functions: Vec<Vec<usize>>,
    constants: Vec<usize>,
}

/// Variables in reach with their types.
type Variables = Vec<(String, usize)>;

fn type_name(ty: usize) -> String {
    if ty == 0 { "object".to_owned() } else { format!("t{ty}") }
}

impl Maker<'_> {
    fn signature(&mut self) -> Vec<usize> {
        let count = self.dice.roll(3);
        (0..count).map(|_| self.dice.roll(self.parents.len())).collect()
    }

    fn is_below(&self, mut ty: usize, of: usize) -> bool {
        while ty != of && ty != 0 {
            ty = self.parents[ty];
        }
        ty == of
    }

    /// A variable or constant of a type.
    fn term(&mut self, ty: usize, variables: &Variables) -> Option<String> {
        let mut fit: Vec<String> =
            variables.iter().filter(|(_, of)| self.is_below(*of, ty)).map(|(name, _)| name.clone()).collect();
        let constants = self.constants.iter().enumerate().filter(|(_, of)| self.is_below(**of, ty));
        fit.extend(constants.map(|(number, _)| format!("k{number}")));
        let choice = self.dice.roll(fit.len());
        fit.get(choice).cloned()
    }

    fn call(&mut self, letter: char, signatures: &[Vec<usize>], variables: &Variables) -> Option<String> {
        let number = self.dice.roll(signatures.len());
        let args: Option<Vec<String>> =
            signatures.get(number)?.clone().into_iter().map(|ty| self.term(ty, variables)).collect();
        Some(format!("({letter}{number} {})", args?.join(" ")))
    }

    fn fact(&mut self, variables: &Variables) -> String {
        let predicates = self.predicates.clone();
        self.call('p', &predicates, variables).unwrap_or_else(|| "(p0)".to_owned())
    }

    fn number(&mut self, variables: &Variables, depth: usize, has_duration: bool) -> String {
        match self.dice.roll(if depth == 0 { 3 } else { 7 }) {
            0 => self.dice.roll(100).to_string(),
            1 => format!("-{}.{}", self.dice.roll(9), self.dice.roll(9)),
            2 => {
                let functions = self.functions.clone();
                self.call('f', &functions, variables).unwrap_or_else(|| "(f0)".to_owned())
            }
            3 if has_duration => "?duration".to_owned(),
            sign => {
                let sign = ["-", "*", "/", "+"][sign % 4];
                let (left, right) =
                    (self.number(variables, depth - 1, has_duration), self.number(variables, depth - 1, has_duration));
                format!("({sign} {left} {right})")
            }
        }
    }

    fn binders(&mut self, variables: &mut Variables) -> String {
        let count = 1 + self.dice.roll(2);
        let binders: Vec<String> = (0..count)
            .map(|_| {
                let (name, ty) = (self.dice.name('b'), self.dice.roll(self.parents.len()));
                variables.push((name.clone(), ty));
                format!("{name} - {}", type_name(ty))
            })
            .collect();
        binders.join(" ")
    }

    fn condition(&mut self, variables: &Variables, depth: usize, has_duration: bool) -> String {
        let kind = self.dice.roll(if depth == 0 { 4 } else { 10 });
        match kind {
            0 | 1 => self.fact(variables),
            2 => {
                let ty = self.dice.roll(self.parents.len());
                match (self.term(ty, variables), self.term(0, variables)) {
                    (Some(left), Some(right)) => format!("(= {left} {right})"),
                    _ => self.fact(variables),
                }
            }
            3 => {
                let sign = ["<", "<=", ">", ">=", "="][self.dice.roll(5)];
                let (left, right) = (self.number(variables, 1, has_duration), self.number(variables, 1, has_duration));
                format!("({sign} {left} {right})")
            }
            4 => format!("(not {})", self.condition(variables, depth - 1, has_duration)),
            5 | 6 => {
                let (first, second) = (
                    self.condition(variables, depth - 1, has_duration),
                    self.condition(variables, depth - 1, has_duration),
                );
                format!("({} {first} {second})", if kind == 5 { "or" } else { "and" })
            }
            7 => {
                let (first, second) = (
                    self.condition(variables, depth - 1, has_duration),
                    self.condition(variables, depth - 1, has_duration),
                );
                format!("(imply {first} {second})")
            }
            _ => {
                let mut inner = variables.clone();
                let binders = self.binders(&mut inner);
                let quantifier = if kind == 8 { "forall" } else { "exists" };
                format!("({quantifier} ({binders}) {})", self.condition(&inner, depth - 1, has_duration))
            }
        }
    }

    fn effect(&mut self, variables: &Variables, depth: usize, has_duration: bool) -> String {
        match self.dice.roll(if depth == 0 { 3 } else { 6 }) {
            0 => self.fact(variables),
            1 => format!("(not {})", self.fact(variables)),
            2 => {
                let verb = ["assign", "increase", "decrease", "scale-up", "scale-down"][self.dice.roll(5)];
                let functions = self.functions.clone();
                let target = self.call('f', &functions, variables).unwrap_or_else(|| "(f0)".to_owned());
                format!("({verb} {target} {})", self.number(variables, 1, has_duration))
            }
            3 => {
                let parts: Vec<String> = (0..2).map(|_| self.effect(variables, depth - 1, has_duration)).collect();
                format!("(and {})", parts.join(" "))
            }
            4 => {
                let condition = self.condition(variables, 2, has_duration);
                format!("(when {condition} {})", self.effect(variables, depth - 1, has_duration))
            }
            _ => {
                let mut inner = variables.clone();
                let binders = self.binders(&mut inner);
                format!("(forall ({binders}) {})", self.effect(&inner, depth - 1, has_duration))
            }
        }
    }

    fn params(&mut self) -> (String, Variables) {
        let types = self.signature();
        let variables: Variables = types.into_iter().map(|ty| (self.dice.name('v'), ty)).collect();
        let text: Vec<String> = variables.iter().map(|(name, ty)| format!("{name} - {}", type_name(*ty))).collect();
        (text.join(" "), variables)
    }

    fn action(&mut self, number: usize) -> String {
        let (params, variables) = self.params();
        let count = self.dice.roll(4);
        if self.dice.roll(2) == 0 {
            let condition = self.condition(&variables, 3, false);
            let effects: Vec<String> = (0..count).map(|_| self.effect(&variables, 3, false)).collect();
            let effects = effects.join(" ");
            return format!(
                "(:action a{number} :parameters ({params}) :precondition {condition} :effect (and {effects}))"
            );
        }
        let duration = match self.dice.roll(3) {
            0 => format!("(= ?duration {}.5)", self.dice.roll(20)),
            1 => {
                // What takes no time is read as an `:action`, and is written as one: it does not come back the same.
                let number = self.number(&variables, 1, false);
                let takes_nothing = number.parse::<f64>().is_ok_and(|number| number == 0.0);
                format!("(= ?duration {})", if takes_nothing { "1" } else { &number })
            }
            _ => {
                let (least, most) = (self.number(&variables, 1, false), self.number(&variables, 0, false));
                format!("(and (>= ?duration {least}) (<= ?duration {most}))")
            }
        };
        let times = ["at start", "over all", "at end"];
        let conditions: Vec<String> = (0..count)
            .map(|_| format!("({} {})", times[self.dice.roll(3)], self.condition(&variables, 2, true)))
            .collect();
        let effects: Vec<String> = (0..count)
            .map(|_| format!("({} {})", times[2 * self.dice.roll(2)], self.effect(&variables, 2, true)))
            .collect();
        let (conditions, effects) = (conditions.join(" "), effects.join(" "));
        format!(
            "(:durative-action a{number} :parameters ({params}) :duration {duration} :condition (and {conditions}) :effect (and {effects}))"
        )
    }

    fn domain(&mut self) -> String {
        let mut text = "(define (domain d) (:types".to_owned();
        for ty in 1..=self.dice.roll(4) {
            let parent = self.dice.roll(ty);
            self.parents.push(parent);
            let _ = write!(text, " t{ty} - {}", type_name(parent));
        }
        text.push_str(") (:constants");
        for number in 0..self.dice.roll(3) {
            let ty = self.dice.roll(self.parents.len());
            self.constants.push(ty);
            let _ = write!(text, " k{number} - {}", type_name(ty));
        }
        text.push_str(") (:predicates (p0)");
        for number in 1..1 + self.dice.roll(4) {
            let signature = self.signature();
            let _ = write!(text, " {}", declaration('p', number, &signature));
            self.predicates.push(signature);
        }
        text.push_str(") (:functions (f0)");
        for number in 1..1 + self.dice.roll(3) {
            let signature = self.signature();
            let _ = write!(text, " {}", declaration('f', number, &signature));
            self.functions.push(signature);
        }
        text.push(')');
        // Later predicates are derived from earlier ones, so that no circle arises.
        let last = self.predicates.len() - 1;
        if last > 0 && self.dice.roll(3) == 0 {
            let signature = self.predicates.remove(last);
            let variables: Variables = signature.iter().map(|ty| (self.dice.name('d'), *ty)).collect();
            let head: Vec<String> = variables.iter().map(|(name, ty)| format!("{name} - {}", type_name(*ty))).collect();
            let body = self.condition(&variables, 2, false);
            let _ = write!(text, " (:derived (p{last} {}) {body})", head.join(" "));
        }
        for number in 0..self.dice.roll(4) {
            let action = self.action(number);
            text.push_str(&action);
        }
        text.push(')');
        text
    }

    fn problem(&mut self) -> String {
        let mut text = "(define (problem e) (:domain d) (:objects".to_owned();
        let mut objects: Variables = Vec::new();
        for number in 0..self.dice.roll(5) {
            let ty = self.dice.roll(self.parents.len());
            objects.push((format!("o{number}"), ty));
            let _ = write!(text, " o{number} - {}", type_name(ty));
        }
        text.push_str(") (:init");
        for _ in 0..self.dice.roll(8) {
            let functions = self.functions.clone();
            let number = self.call('f', &functions, &objects);
            let fact = match (self.dice.roll(4), number) {
                (0, Some(function)) => format!("(= {function} {})", self.dice.roll(50)),
                (1, _) => format!("(at {}.5 {})", self.dice.roll(20), self.fact(&objects)),
                _ => self.fact(&objects),
            };
            let _ = write!(text, " {fact}");
        }
        let goal = self.condition(&objects, 2, false);
        let _ = write!(text, ") (:goal {goal})");
        if self.dice.roll(2) == 0 {
            let direction = ["minimize", "maximize"][self.dice.roll(2)];
            let _ = write!(text, " (:metric {direction} (+ (total-time) {}))", self.number(&objects, 1, false));
        }
        text.push(')');
        text
    }
}

fn declaration(letter: char, number: usize, signature: &[usize]) -> String {
    let params: Vec<String> =
        signature.iter().enumerate().map(|(index, ty)| format!("?x{index} - {}", type_name(*ty))).collect();
    format!("({letter}{number} {})", params.join(" "))
}

/// The model without places, and what is given at the beginning as a state.
fn essence(mut model: Model) -> (String, State, Vec<String>) {
    let state = State::initial(&model, 0);
    let timed = model.initial.iter().filter(|given| given.at.is_some());
    let mut timed: Vec<String> =
        timed.map(|Initial { target, change, at, .. }| format!("{target:?} {change:?} {at:?}")).collect();
    timed.sort();
    model.initial.clear();
    let debug = format!("{model:#?}");
    let mut text = String::new();
    for (index, part) in debug.split("Span {").enumerate() {
        text.push_str(if index == 0 { part } else { part.split_once('}').map_or(part, |(_, rest)| rest) });
    }
    (text, state, timed)
}

#[track_caller]
fn check_round_trip(domain: &str, problem: &str) {
    let model = compile(domain, Some(problem));
    let export = export_temporal(&model);
    assert_eq!(export.left_out, [], "{domain}\n{problem}");
    let (again, faults) = crate::pddl::testing::diagnose(&export.domain, Some(&export.problem));
    assert!(
        faults.is_empty(),
        "{}\n{}\n{}",
        export.domain,
        export.problem,
        shown(&export.domain, Some(&export.problem), &faults)
    );
    let (before, after) = (essence(model), essence(again));
    for (line, (left, right)) in before.0.lines().zip(after.0.lines()).enumerate() {
        assert_eq!(left, right, "line {line}\n{domain}\n{problem}\n{}\n{}", export.domain, export.problem);
    }
    assert_eq!(before.0.len(), after.0.len());
    assert_eq!((before.1, before.2), (after.1, after.2));
}

proptest! {
    #[test]
    fn out_and_in_again_is_the_same(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let dice = Dice { bytes: bytes.iter(), names: 0 };
        let mut maker = Maker {
            dice,
            parents: vec![0],
            predicates: vec![Vec::new()],
            functions: vec![Vec::new()],
            constants: Vec::new(),
        };
        let (domain, problem) = (maker.domain(), maker.problem());
        check_round_trip(&domain, &problem);
    }
}

#[test]
fn types_of_several_parents_survive() {
    check_round_trip(
        "(define (domain d) (:types a b - object c - (either a b)) (:predicates (p ?x - b) (q ?x - (either a b)))
          (:action go :parameters (?x - b ?y - (either a b)) :precondition (p ?x) :effect (q ?y)))",
        "(define (problem e) (:domain d) (:objects x - c y - (either a b) z - a) (:init (p x) (p y) (q z)) (:goal (q x)))",
    );
}

#[test]
fn a_difference_is_not_a_decrease() {
    check_round_trip(
        "(define (domain d) (:predicates (p)) (:functions (f))
          (:action a :effect (and (increase (f) (- 0 -1.5)) (decrease (f) -2) (decrease (f) (f)) (increase (f) (- 0 (f))))))",
        "(define (problem e) (:domain d) (:init (= (f) 1)) (:goal (p)))",
    );
}
