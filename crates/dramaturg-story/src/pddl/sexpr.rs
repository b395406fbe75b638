//! Tokens to lists within lists.

use dramaturg_model::{Diagnostic, FileId, Span};
use logos::Logos;
use smol_str::{SmolStr, ToSmolStr};

use super::PddlOptions;
use super::fault;
use super::lexer::Lexeme;

/// An atom or a list, with its place.
#[derive(Debug)]
pub(super) struct Sexpr {
    /// Where it stands.
    pub(super) span: Span,
    /// What it is.
    pub(super) node: Node,
}

/// What stands at a place.
#[derive(Debug)]
pub(super) enum Node {
    /// A name, variable, number or keyword, in lower case.
    Atom(SmolStr),
    /// What stands between two parentheses.
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// The atom, if it is one.
    pub(super) fn atom(&self) -> Option<&SmolStr> {
        match &self.node {
            Node::Atom(text) => Some(text),
            Node::List(_) => None,
        }
    }

    /// The items, if it is a list.
    pub(super) fn list(&self) -> Option<&[Self]> {
        match &self.node {
            Node::Atom(_) => None,
            Node::List(items) => Some(items),
        }
    }

    /// The atom a list begins with; empty if there is none.
    pub(super) fn head(&self) -> &str {
        self.list().and_then(|items| items.first()).and_then(Self::atom).map_or("", SmolStr::as_str)
    }

    /// What comes after the head of a list.
    pub(super) fn tail(&self) -> &[Self] {
        self.list().and_then(<[Self]>::split_first).map_or(&[], |(_, rest)| rest)
    }

    /// How messages call it: the atom, or the beginning of the list.
    pub(super) fn shown(&self) -> String {
        match &self.node {
            Node::Atom(text) => format!("`{}`", fault::shortened(text)),
            Node::List(_) if self.head().is_empty() => "`(…)`".to_owned(),
            Node::List(_) => format!("`({} …)`", fault::shortened(self.head())),
        }
    }
}

/// Everything that stands in a file. Iterative, so that no input can exhaust the stack.
pub(super) fn parse(file: FileId, text: &str, options: &PddlOptions, faults: &mut Vec<Diagnostic>) -> Vec<Sexpr> {
    if text.len() > options.file_bytes_max {
        faults.push(fault::file_too_large(Span::new(file, 0, 0), options.file_bytes_max));
        return Vec::new();
    }
    let mut finished: Vec<Sexpr> = Vec::new();
    // The lists that are still open, outermost first, each with where it began.
    let mut open: Vec<(Span, Vec<Sexpr>)> = Vec::new();
    let mut closes_nothing = false;
    for (token, range) in Lexeme::lexer(text).spanned() {
        let span = Span::new(file, range.start as u32, range.end as u32);
        match token {
            Ok(Lexeme::Open) => {
                if open.len() >= options.nesting_max {
                    faults.push(fault::too_deep(span, options.nesting_max));
                    return finished;
                }
                open.push((span, Vec::new()));
            }
            Ok(Lexeme::Close) => match open.pop() {
                Some((start, items)) => {
                    let list = Sexpr { span: start.to(span), node: Node::List(items) };
                    open.last_mut().map_or(&mut finished, |(_, items)| items).push(list);
                }
                None => {
                    // One message for a whole run of them.
                    if !closes_nothing && faults.len() < fault::COUNT_MAX {
                        faults.push(fault::nothing_to_close(span));
                    }
                    closes_nothing = true;
                    continue;
                }
            },
            Ok(Lexeme::Atom) => {
                let node = Node::Atom(text.get(range).map_or(SmolStr::default(), lower_case));
                open.last_mut().map_or(&mut finished, |(_, items)| items).push(Sexpr { span, node });
            }
            Err(()) => {}
        }
        closes_nothing = false;
    }
    close_all(open, file, text.len(), &mut finished, faults);
    finished
}

/// Closes what is still open, so that what was written can be read, and says where a parenthesis is missing.
fn close_all(
    mut open: Vec<(Span, Vec<Sexpr>)>,
    file: FileId,
    end: usize,
    finished: &mut Vec<Sexpr>,
    faults: &mut Vec<Diagnostic>,
) {
    let Some((start, items)) = open.last() else { return };
    let name = items.first().and_then(Sexpr::atom).cloned().unwrap_or_default();
    let innermost = fault::unclosed(*start, &name, open.len());
    while let Some((start, items)) = open.pop() {
        let span = start.to(Span::new(file, end as u32, end as u32));
        let list = Sexpr { span, node: Node::List(items) };
        open.last_mut().map_or(&mut *finished, |(_, items)| items).push(list);
    }
    // The counts say only that one is missing. Where a section begins inside another, it is missing before it.
    let mut first: Option<(Span, String, Span)> = None;
    for definition in finished.iter_mut() {
        let Node::List(sections) = &mut definition.node else { continue };
        let mut outside = Vec::new();
        for section in sections.iter_mut() {
            hoist_sections(section, &mut outside, &mut first);
        }
        sections.extend(outside);
    }
    faults.push(match first {
        Some((span, name, next)) => fault::unclosed_before(span, &name, next),
        None => innermost,
    });
}

/// Takes sections out of a list, with everything behind them, because they stand on their own.
fn hoist_sections(list: &mut Sexpr, outside: &mut Vec<Sexpr>, first: &mut Option<(Span, String, Span)>) {
    let (name, span) = (list.head().to_owned(), list.span.before());
    let Node::List(items) = &mut list.node else { return };
    for position in 1..items.len() {
        let Some(item) = items.get_mut(position) else { return };
        if item.head().starts_with(':') {
            first.get_or_insert_with(|| (Span { end: span.start + 1, ..span }, name, item.span.before()));
            let mut rest = items.split_off(position);
            rest.iter_mut().for_each(|item| hoist_sections(item, outside, first));
            outside.extend(rest);
            return;
        }
        let before = outside.len();
        hoist_sections(item, outside, first);
        if outside.len() > before {
            outside.extend(items.split_off(position + 1));
            return;
        }
    }
}

fn lower_case(text: &str) -> SmolStr {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        text.to_ascii_lowercase().to_smolstr()
    } else {
        SmolStr::new(text)
    }
}
