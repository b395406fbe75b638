//! Plans of the competitions and of VAL: one step a line, with or without times.

use dramaturg_model::{Fixed, Model, Plan, Span, Status, Step, StepOrigin, Tick};
use smol_str::SmolStr;

use super::lay::Layout;
use super::lookup::Lookup;
use super::{Diagnostics, STEPS_MAX, plan_malformed, too_large, uneven_time};

/// Reads all lines. `;` begins a comment.
pub(super) fn read(model: &Model, text: &str, diagnostics: &mut Diagnostics) -> Plan {
    let lookup = Lookup::new(model);
    let mut plan = Plan::default();
    let mut layout = Layout::new(model);
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let at = offset;
        offset += line.len();
        let (code, comment) = split_comment(line);
        if let Some(cost) = cost(comment) {
            plan.cost = Some(cost);
        }
        if code.trim().is_empty() {
            continue;
        }
        if plan.steps.len() >= STEPS_MAX {
            let message = format!("the plan has more than {STEPS_MAX} steps; the rest is not read");
            diagnostics.add(too_large::TOO_LARGE, (at, at), message);
            break;
        }
        let line = Line { text: code, at };
        if let Some(step) = line.read(model, &lookup, &mut layout, diagnostics) {
            let id = plan.steps.len() as u32;
            plan.steps.push(Step { id, ..step });
        }
    }
    if let Some(uneven) = layout.uneven {
        let message = format!(
            "{} times are no whole number of ticks and were rounded; one is {}, and one tick is {}",
            uneven.count,
            uneven.first,
            layout.tick_units()
        );
        let span = diagnostics.span(uneven.at, uneven.at);
        diagnostics.push(uneven_time::uneven(span, message));
    }
    // A time-triggered file may come in any order; a plan without times is already in order.
    plan.steps.sort_by_key(|step| step.start);
    plan
}

/// What stands before a comment, and the comment. Inside `[ ]` a `;` is none: some planners write `[D:10.0; C:0.1]`.
fn split_comment(line: &str) -> (&str, &str) {
    let mut inside = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '[' => inside = true,
            ']' => inside = false,
            ';' if !inside || !line.get(at..).is_some_and(|rest| rest.contains(']')) => {
                return (line.get(..at).unwrap_or(line), line.get(at + 1..).unwrap_or(""));
            }
            _ => {}
        }
    }
    (line, "")
}

/// `; cost = 12 (unit cost)`
fn cost(comment: &str) -> Option<Fixed> {
    let rest = comment.trim_start_matches(';').trim().strip_prefix("cost")?.trim_start().strip_prefix('=')?;
    rest.split_whitespace().next()?.parse().ok()
}

struct Line<'a> {
    text: &'a str,
    /// Where it begins in the file.
    at: usize,
}

impl Line<'_> {
    fn read(
        &self,
        model: &Model,
        lookup: &Lookup<'_>,
        layout: &mut Layout<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Step> {
        let begin = self.at + (self.text.len() - self.text.trim_start().len());
        let whole = diagnostics.span(begin, self.at + self.text.trim_end().len());
        let mut malformed = |what: &str| {
            diagnostics.push(plan_malformed::line(whole, what));
            None
        };
        let Some((before, rest)) = self.text.split_once('(') else { return malformed("there is no `(`") };
        let Some((inside, after)) = rest.split_once(')') else { return malformed("the `(` is not closed") };
        let time = match before.trim() {
            "" => None,
            time => match time.strip_suffix(':').map(str::trim) {
                Some(time) => match decimal(time) {
                    Some(time) => Some(time),
                    None => return malformed("the time is no number"),
                },
                None => return malformed("before `(` there may only be a time and `:`"),
            },
        };
        let duration = match after.trim() {
            "" => None,
            // LPG closes each line with one `)` too many.
            after => match after.strip_prefix('[').and_then(|rest| rest.trim_end_matches(')').strip_suffix(']')) {
                Some(inside) => {
                    let first = inside.split([';', ',']).next().unwrap_or(inside).trim();
                    match decimal(first.trim_start_matches("D:").trim()) {
                        Some(duration) => Some(duration),
                        None => return malformed("the duration is no number"),
                    }
                }
                None => return malformed("after `)` there may only be a duration in `[ ]`"),
            },
        };
        let inside_at = self.at + before.len() + 1;
        let words: Vec<(&str, Span)> = inside
            .split_whitespace()
            .map(|word| {
                let start = inside_at + (word.as_ptr() as usize - inside.as_ptr() as usize);
                (word, diagnostics.span(start, start + word.len()))
            })
            .collect();
        let Some(((name, place), names)) = words.split_first() else {
            diagnostics.push(plan_malformed::line(whole, "it names no action"));
            return None;
        };
        let found = match lookup.action(name, *place) {
            Ok(found) => found,
            Err(fault) => {
                diagnostics.push(*fault);
                return None;
            }
        };
        let values = match lookup.args(found, names, whole) {
            Ok(values) => values,
            Err(faults) => {
                faults.into_iter().for_each(|fault| diagnostics.push(fault));
                return None;
            }
        };
        layout.line = begin;
        let (start, length) = layout.place(found, &values, time, duration);
        if start.abs() > Tick::MAX / 8 || length.abs() > Tick::MAX / 8 {
            diagnostics.add(too_large::TOO_LARGE, (begin, begin), "this step lies beyond all time");
            return None;
        }
        Some(Step {
            id: 0,
            action: lookup.declared(found).0.clone(),
            args: values.into_iter().map(|value| model.value_name(value)).collect::<Vec<SmolStr>>(),
            start,
            duration: length,
            window: None,
            status: Status::Proposed,
            goals: Vec::new(),
            origin: StepOrigin::File,
        })
    }
}

/// A decimal of any precision; what lies beyond millionths is cut off, as VAL's tolerance would.
fn decimal(text: &str) -> Option<Fixed> {
    let short = match text.split_once('.') {
        Some((_, decimals)) if decimals.len() > 6 && decimals.bytes().all(|b| b.is_ascii_digit()) => {
            text.get(..text.len() - (decimals.len() - 6))?
        }
        _ => text,
    };
    short.trim_end_matches('.').parse().ok()
}
