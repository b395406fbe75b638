//! Lists within lists, and how they are written.

use std::fmt::Write;

/// A piece of PDDL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pddl {
    /// A name, variable, number or keyword.
    Atom(String),
    /// A list.
    List(Vec<Pddl>),
}

/// How wide a line may become before a list is broken.
const WIDTH: usize = 110;

impl Pddl {
    pub(super) fn atom(text: impl Into<String>) -> Self {
        Self::Atom(text.into())
    }

    /// A list with a head.
    pub(super) fn call(head: &str, rest: impl IntoIterator<Item = Self>) -> Self {
        Self::List(std::iter::once(Self::atom(head)).chain(rest).collect())
    }

    /// A list of atoms.
    pub(super) fn fact(head: &str, args: &[String]) -> Self {
        Self::call(head, args.iter().map(Self::atom))
    }

    /// All of these: a single one stands for itself, conjunctions within are flattened.
    pub(super) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for part in parts {
            match part {
                Self::List(items) if items.first() == Some(&Self::atom("and")) => {
                    flat.extend(items.into_iter().skip(1))
                }
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::call("and", flat) }
    }

    /// The opposite.
    pub(super) fn not(self) -> Self {
        match self {
            Self::List(mut items) if items.first() == Some(&Self::atom("not")) && items.len() == 2 => items.remove(1),
            other => Self::call("not", [other]),
        }
    }

    fn width(&self, limit: usize) -> usize {
        match self {
            Self::Atom(text) => text.len(),
            Self::List(items) => {
                let mut width = 2;
                for item in items {
                    width += 1 + item.width(limit.saturating_sub(width));
                    if width > limit {
                        break;
                    }
                }
                width
            }
        }
    }

    /// Writes it, broken over lines where it is too wide.
    pub(super) fn write(&self, indent: usize, text: &mut String) {
        let Self::List(items) = self else {
            self.write_flat(text);
            return;
        };
        if indent + self.width(WIDTH) <= WIDTH {
            self.write_flat(text);
            return;
        }
        text.push('(');
        // The head and the atoms after it stay on the first line.
        let first_list = items.iter().position(|item| matches!(item, Self::List(_))).unwrap_or(items.len());
        let (line, rest) = items.split_at_checked(first_list.max(1)).unwrap_or((items, &[]));
        for (position, item) in line.iter().enumerate() {
            if position > 0 {
                text.push(' ');
            }
            item.write(indent + 1, text);
        }
        for item in rest {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent + 2));
            item.write(indent + 2, text);
        }
        text.push(')');
    }

    fn write_flat(&self, text: &mut String) {
        match self {
            Self::Atom(atom) => text.push_str(atom),
            Self::List(items) => {
                text.push('(');
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        text.push(' ');
                    }
                    item.write_flat(text);
                }
                text.push(')');
            }
        }
    }

    /// A section of a file, on a line of its own.
    pub(super) fn write_section(&self, text: &mut String) {
        text.push_str("  ");
        self.write(2, text);
        text.push('\n');
    }
}

/// A keyword of an action and what follows it, on a line of its own.
pub(super) fn write_part(keyword: &str, value: &Pddl, text: &mut String) {
    let _ = write!(text, "\n    {keyword} ");
    value.write(6, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_lists_are_broken_at_their_lists() {
        let fact = Pddl::fact("a-rather-long-predicate", &["?with".into(), "?some".into(), "?arguments".into()]);
        let mut text = String::new();
        Pddl::all([fact.clone(), fact.clone(), fact]).write(0, &mut text);
        let line = "(a-rather-long-predicate ?with ?some ?arguments)";
        assert_eq!(text, format!("(and\n  {line}\n  {line}\n  {line})"));
    }

    #[test]
    fn conjunctions_are_flat_and_negations_cancel() {
        let p = Pddl::fact("p", &[]);
        assert_eq!(Pddl::all([Pddl::all([]), p.clone()]), p);
        assert_eq!(p.clone().not().not(), p);
    }
}
