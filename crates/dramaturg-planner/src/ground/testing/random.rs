//! Random small PDDL tasks.

use dramaturg_model::Chance;

use crate::ground::{Condition, Conjunction, Literal, Problem, ValueSet, VariableId};
use crate::search::Target;

/// A random domain and problem: types, quantifiers, disjunctions, conditional effects, equality, derived predicates, numbers and,
/// if wanted, durations.
pub(crate) fn task(seed: u64, durative: bool) -> (String, String) {
    let mut writer = Writer { chance: Chance::new(seed), durative, derived: Vec::new(), preds: Vec::new() };
    let domain = writer.domain();
    let problem = writer.problem();
    (domain, problem)
}

struct Writer {
    chance: Chance,
    durative: bool,
    derived: Vec<(String, Vec<&'static str>)>,
    preds: Vec<(String, Vec<&'static str>)>,
}

const OBJECTS: [(&str, &str); 6] = [("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b"), ("b3", "b"), ("c1", "c")];

type Vars = Vec<(String, &'static str)>;

fn is_kind(ty: &str, of: &str) -> bool {
    ty == of || of == "thing" || (ty == "c" && of == "b")
}

impl Writer {
    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.chance.below(from.len())]
    }

    fn maybe(&mut self, percent: usize) -> bool {
        self.chance.below(100) < percent
    }

    fn domain(&mut self) -> String {
        for index in 0..4 {
            let arity = self.chance.below(3);
            let types = (0..arity).map(|_| *self.pick(&["a", "b", "thing", "b"])).collect();
            self.preds.push((format!("p{index}"), types));
        }
        // Like `at`: one object is in one place, so that there are groups to be found.
        self.preds.push(("at".to_string(), vec!["a", "b"]));
        let mut text = String::from(
            "(define (domain random) (:requirements :adl :fluents :derived-predicates :durative-actions)\n\
             (:types a b - thing c - b)\n(:constants",
        );
        for (name, ty) in OBJECTS {
            text += &format!(" {name} - {ty}");
        }
        text += ")\n(:predicates";
        if self.maybe(40) {
            self.derived.push(("d0".to_string(), vec!["b"]));
        }
        for (name, types) in self.preds.iter().chain(&self.derived) {
            let params: Vec<String> = types.iter().enumerate().map(|(i, ty)| format!("?x{i} - {ty}")).collect();
            text += &format!(" ({name} {})", params.join(" "));
        }
        text += ")\n(:functions (n0) (n1 ?x - a))\n";
        for _ in 0..self.derived.len() {
            let vars: Vars = vec![("?x".to_string(), "b")];
            let body = self.positive(&vars);
            let other = self.positive(&vars);
            text += &format!("(:derived (d0 ?x - b) (or {body} (exists (?y - b) (and {other} (d0 ?y)))))\n");
        }
        for index in 0..3 {
            text += &self.action(index);
        }
        text += &self.mover();
        text + ")"
    }

    fn problem(&mut self) -> String {
        let mut text = String::from("(define (problem p) (:domain random)\n");
        text += "(:init (= (n0) 1) (= (n1 a1) 0)";
        for (name, types) in self.preds.clone() {
            if name == "at" {
                continue;
            }
            let sets: Vec<Vec<&str>> = types
                .iter()
                .map(|ty| OBJECTS.iter().filter(|(_, own)| is_kind(own, ty)).map(|(name, _)| *name).collect())
                .collect();
            let sets: Vec<&[&str]> = sets.iter().map(Vec::as_slice).collect();
            for tuple in super::super::world::product(&sets) {
                if self.maybe(30) {
                    text += &format!(" ({name} {})", tuple.join(" "));
                }
            }
        }
        text += " (at a1 b1) (at a2 b2)";
        let goal = self.condition(&Vec::new(), 2);
        text + &format!(")\n(:goal {goal}))")
    }

    /// An action that moves, so that an invariant holds.
    fn mover(&mut self) -> String {
        let extra =
            if self.maybe(50) { "(not (= ?from ?to))".to_string() } else { self.atom(&vec![("?from".into(), "b")]) };
        let head = "?x - a ?from - b ?to - b";
        if self.durative {
            format!(
                "(:durative-action move :parameters ({head}) :duration (= ?duration 3) :condition (and (at start (at ?x ?from)) \
                 (at start {extra})) :effect (and (at start (not (at ?x ?from))) (at end (at ?x ?to))))\n"
            )
        } else {
            format!(
                "(:action move :parameters ({head}) :precondition (and (at ?x ?from) {extra}) :effect (and (not (at ?x ?from)) \
                 (at ?x ?to)))\n"
            )
        }
    }

    fn action(&mut self, index: usize) -> String {
        let count = self.chance.below(3);
        let vars: Vars = (0..count).map(|i| (format!("?v{i}"), *self.pick(&["a", "b", "c"]))).collect();
        let params: Vec<String> = vars.iter().map(|(name, ty)| format!("{name} - {ty}")).collect();
        if self.durative {
            let times = ["at start", "over all", "at end"];
            let conditions: Vec<String> = (0..self.chance.below(3))
                .map(|_| {
                    let time = *self.pick(&times);
                    format!("({time} {})", self.condition(&vars, 1))
                })
                .collect();
            let effects: Vec<String> = (0..1 + self.chance.below(3))
                .map(|_| {
                    let time = *self.pick(&["at start", "at end"]);
                    format!("({time} {})", self.simple_effect(&vars))
                })
                .collect();
            return format!(
                "(:durative-action act{index} :parameters ({}) :duration (= ?duration 2) :condition (and {}) :effect (and {}))\n",
                params.join(" "),
                conditions.join(" "),
                effects.join(" ")
            );
        }
        let conditions: Vec<String> = (0..self.chance.below(4)).map(|_| self.condition(&vars, 2)).collect();
        let effects: Vec<String> = (0..1 + self.chance.below(4)).map(|_| self.effect(&vars)).collect();
        format!(
            "(:action act{index} :parameters ({}) :precondition (and {}) :effect (and {}))\n",
            params.join(" "),
            conditions.join(" "),
            effects.join(" ")
        )
    }

    fn term(&mut self, vars: &Vars, ty: &str) -> String {
        let mut fits: Vec<String> =
            vars.iter().filter(|(_, own)| is_kind(own, ty)).map(|(name, _)| name.clone()).collect();
        if fits.is_empty() || self.maybe(20) {
            fits = OBJECTS.iter().filter(|(_, own)| is_kind(own, ty)).map(|(name, _)| name.to_string()).collect();
        }
        self.pick(&fits).clone()
    }

    fn fact(&mut self, vars: &Vars, name: &str, types: &[&'static str]) -> String {
        let args: Vec<String> = types.iter().map(|ty| self.term(vars, ty)).collect();
        format!("({name} {})", args.join(" "))
    }

    fn positive(&mut self, vars: &Vars) -> String {
        let preds = self.preds.clone();
        let (name, types) = self.pick(&preds).clone();
        self.fact(vars, &name, &types)
    }

    fn atom(&mut self, vars: &Vars) -> String {
        if !self.derived.is_empty() && self.maybe(20) {
            let (name, types) = self.derived[0].clone();
            return self.fact(vars, &name, &types);
        }
        self.positive(vars)
    }

    fn condition(&mut self, vars: &Vars, depth: usize) -> String {
        let choice = self.chance.below(if depth == 0 { 3 } else { 10 });
        match choice {
            0 | 1 => self.atom(vars),
            2 => format!("(not {})", self.atom(vars)),
            3 => format!("(and {} {})", self.condition(vars, depth - 1), self.condition(vars, depth - 1)),
            4 | 5 => format!("(or {} {})", self.condition(vars, depth - 1), self.condition(vars, depth - 1)),
            6 => format!("(not {})", self.condition(vars, depth - 1)),
            7 | 8 => {
                let ty = *self.pick(&["a", "b", "thing"]);
                let mut inner = vars.clone();
                inner.push((format!("?q{depth}"), ty));
                let word = *self.pick(&["forall", "exists"]);
                format!("({word} (?q{depth} - {ty}) {})", self.condition(&inner, depth - 1))
            }
            _ => {
                let sign = *self.pick(&["<", "<=", ">", ">=", "="]);
                let right = self.chance.below(4);
                let left = *self.pick(&["(n0)", "(n1 a1)", "(+ (n0) (n1 a1))", "(* 2 (n0))", "(n1 a2)"]);
                format!("({sign} {left} {right})")
            }
        }
    }

    fn simple_effect(&mut self, vars: &Vars) -> String {
        match self.chance.below(8) {
            0..=3 => {
                let preds: Vec<_> = self.preds.iter().filter(|(name, _)| name != "at").cloned().collect();
                let (name, types) = self.pick(&preds).clone();
                self.fact(vars, &name, &types)
            }
            4..=5 => {
                let positive = self.positive(vars);
                format!("(not {positive})")
            }
            6 => format!("({} (n0) {})", self.pick(&["increase", "decrease", "assign"]), self.chance.below(3)),
            _ => format!("(increase (n1 {}) (n0))", self.term(vars, "a")),
        }
    }

    fn effect(&mut self, vars: &Vars) -> String {
        match self.chance.below(10) {
            0..=6 => self.simple_effect(vars),
            7 | 8 => format!("(when {} {})", self.condition(vars, 1), self.simple_effect(vars)),
            _ => {
                let mut inner = vars.clone();
                inner.push(("?e".to_string(), "b"));
                format!("(forall (?e - b) (when {} {}))", self.condition(&inner, 1), self.simple_effect(&inner))
            }
        }
    }
}

/// Values of some variables: those that a random walk leads to, and now and then one that need not go with them.
pub(crate) fn target(problem: &Problem, seed: u64) -> Target {
    let mut chance = Chance::new(seed);
    let mut state = problem.initial();
    let mut applicable = Vec::new();
    for _ in 0..2 + chance.below(10) {
        problem.applicable(&state, &mut applicable);
        let Some(operator) = applicable.get(chance.below(applicable.len().max(1))) else { break };
        state = problem.successor(&state, *operator).unwrap_or(state);
    }
    let start = problem.initial();
    let mut wanted: Vec<(VariableId, u32)> = Vec::new();
    for (id, variable) in problem.variables.iter().filter(|(_, variable)| !variable.derived) {
        let value = state.get(problem, id);
        if value != start.get(problem, id) && chance.below(4) > 0 {
            wanted.push((id, value));
        } else if chance.below(12) == 0 {
            wanted.push((id, chance.below(variable.size() as usize) as u32));
        }
    }
    let one = |(variable, value): (VariableId, u32)| {
        let mut part = Conjunction::default();
        part.literals.push(Literal { variable, values: ValueSet::One(value) });
        Condition::of(part)
    };
    Target::new(wanted.into_iter().map(one).collect())
}
