//! Writes things and what stands between them.

use super::COLUMNS_MAX;
use super::flow::{Atom, Remark, Writer, flow, width};
use super::layout::{Body, Element, Thing, things};
use super::spacing::{Break, Neighbour, blank_between};
use crate::syntax::Marked;
use crate::syntax::mark::Mark;
use crate::syntax::token::TokenKind;
use crate::syntax::word::Word;

/// How many blanks a brace or a broken line is worth.
const STEP: usize = 2;

pub(super) struct Printer<'s> {
    source: &'s str,
    marked: &'s Marked,
}

impl<'s> Printer<'s> {
    pub(super) fn new(source: &'s str, marked: &'s Marked) -> Self {
        Self { source, marked }
    }

    /// The whole file.
    pub(super) fn print(&self) -> String {
        let mut writer = Writer::default();
        let end = self.marked.tokens.len().saturating_sub(1);
        self.things(&mut writer, &things(self.marked), Region { open: None, close: end, indent: 0, may_share: true });
        if !writer.text.is_empty() {
            writer.text.push('\n');
        }
        writer.text
    }

    /// Things with the comments and blank lines around them, from behind the opening brace to before the closing one.
    fn things(&self, writer: &mut Writer, things: &[Thing], region: Region) {
        let mut before = Before { end: region.open.map_or(0, |open| self.end(open)), at_start: true, one_line: false };
        let mut previous = region.open;
        for thing in things {
            let (Some(first), Some(last)) = (thing.first(), thing.last()) else { continue };
            let start = self.start(first);
            let had_remarks = self.remarks_between(writer, &mut before, start, region);
            let text = self.thing(thing, region.indent);
            let gap_broken = previous.is_none() || self.broken(before.end, start);
            let one_line = !text.contains('\n');
            let shares = region.may_share
                && !had_remarks
                && !gap_broken
                && before.one_line
                && one_line
                && writer.column + width("; ") + width(&text) <= COLUMNS_MAX;
            if shares {
                writer.write("; ");
            } else {
                self.new_line(writer, &before, start, region);
            }
            writer.write(&text);
            before = Before { end: self.end(last), at_start: false, one_line };
            previous = Some(last);
        }
        self.remarks_between(writer, &mut before, self.start(region.close), region);
    }

    /// Writes the comments between the thing before and `to`; says whether there were any.
    fn remarks_between(&self, writer: &mut Writer, before: &mut Before, to: usize, region: Region) -> bool {
        let remarks = self.remarks(before.end, to);
        let first_on_line = before.at_start && region.open.is_none();
        for (start, remark) in &remarks {
            if remark.own_line || first_on_line && writer.text.is_empty() {
                self.new_line(writer, before, *start, region);
                writer.text.push_str(remark.text);
            } else {
                writer.trailing(*remark);
            }
            *before = Before { end: start + remark.text.len(), at_start: false, one_line: false };
        }
        !remarks.is_empty()
    }

    /// Begins a line for what stands at `start`, behind an empty line if there was one.
    fn new_line(&self, writer: &mut Writer, before: &Before, start: usize, region: Region) {
        if writer.text.is_empty() {
            return;
        }
        let gap = self.source.get(before.end..start).unwrap_or("");
        if !before.at_start && gap.bytes().filter(|byte| *byte == b'\n').count() > 1 {
            writer.text.push('\n');
        }
        writer.line(region.indent);
    }

    /// A thing without the indentation of its first line.
    fn thing(&self, thing: &Thing, indent: usize) -> String {
        let body = thing.elements.iter().find_map(|element| match element {
            Element::Body(body) => Some(body),
            Element::Token(_) => None,
        });
        let on_one_line = body.is_none_or(|body| !self.broken(self.start(body.open), self.end(body.close)));
        let inline = on_one_line.then(|| self.write_thing(thing, indent, true));
        match inline {
            Some(writer) if body.is_none() || !writer.too_wide => writer.text,
            _ => self.write_thing(thing, indent, false).text,
        }
    }

    fn write_thing(&self, thing: &Thing, indent: usize, inline: bool) -> Writer {
        let mut writer = Writer { column: indent, ..Writer::default() };
        let mut line = Line { indent: indent + STEP, parens: 0, before: None };
        let mut atoms = Vec::new();
        for element in &thing.elements {
            match element {
                Element::Token(index) => atoms.push(self.atom(*index, &mut line)),
                Element::Body(body) if inline || body.things.is_empty() && !self.has_remarks(body) => {
                    self.inline_body(body, &mut line, &mut atoms);
                }
                Element::Body(body) => {
                    atoms.push(self.atom(body.open, &mut line));
                    flow(&mut writer, &atoms, indent + STEP);
                    atoms.clear();
                    let may_share = self.broken(self.start(body.open), self.end(body.close));
                    let region = Region { open: Some(body.open), close: body.close, indent: indent + STEP, may_share };
                    self.things(&mut writer, &body.things, region);
                    writer.line(indent);
                    let mut close = self.atom(body.close, &mut line);
                    close.remarks.clear();
                    atoms.push(close);
                }
            }
        }
        flow(&mut writer, &atoms, indent + STEP);
        writer
    }

    /// A body on one line: no line may be broken in it.
    fn inline_body(&self, body: &Body, line: &mut Line, atoms: &mut Vec<Atom<'s>>) {
        let begin = atoms.len();
        atoms.push(self.atom(body.open, line));
        for (index, thing) in body.things.iter().enumerate() {
            if let Some(last) = atoms.last_mut().filter(|_| index > 0) {
                last.text.push(';');
            }
            for element in &thing.elements {
                match element {
                    Element::Token(index) => atoms.push(self.atom(*index, line)),
                    Element::Body(inner) => self.inline_body(inner, line, atoms),
                }
            }
        }
        atoms.push(self.atom(body.close, line));
        for atom in atoms.iter_mut().skip(begin + 1) {
            atom.chance = None;
        }
    }

    /// A token with what is known about the place before it.
    fn atom(&self, index: usize, line: &mut Line) -> Atom<'s> {
        let after = self.neighbour(index);
        if after.kind == TokenKind::CloseParen {
            line.parens = line.parens.saturating_sub(1);
        }
        let (blank_before, chance, broken, remarks) = match line.before {
            None => (false, None, false, Vec::new()),
            Some(previous) => {
                let before = self.neighbour(previous);
                let (from, to) = (self.end(previous), self.start(index));
                (
                    blank_between(before, after),
                    Break::between(before, after, line.parens),
                    self.broken(from, to),
                    self.remarks(from, to).into_iter().map(|(_, remark)| remark).collect(),
                )
            }
        };
        if after.kind == TokenKind::OpenParen {
            line.parens += 1;
        }
        line.before = Some(index);
        Atom { text: self.text(index, line.indent), blank_before, chance, broken, remarks }
    }

    /// A token as it is written: numbers with one blank before the unit, the lines of a text indented.
    fn text(&self, index: usize, indent: usize) -> String {
        let text = self.source.get(self.start(index)..self.end(index)).unwrap_or("");
        match self.neighbour(index).kind {
            TokenKind::Number => {
                let digits = text.trim_end_matches(|last: char| !last.is_ascii_digit());
                let unit = text.get(digits.len()..).unwrap_or("").trim_start();
                if unit.is_empty() { digits.to_owned() } else { format!("{digits} {unit}") }
            }
            TokenKind::Text if text.contains('\n') => indented(text, indent),
            _ => text.to_owned(),
        }
    }

    /// The comments between two bytes, each with its first byte.
    fn remarks(&self, from: usize, to: usize) -> Vec<(usize, Remark<'s>)> {
        let comments = &self.marked.comments;
        let first = comments.partition_point(|comment| (comment.start as usize) < from);
        comments
            .iter()
            .skip(first)
            .take_while(|comment| (comment.start as usize) < to)
            .map(|comment| {
                let (start, end) = (comment.start as usize, comment.end as usize);
                let line_start = self.source.get(..start).and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1);
                let column = width(self.source.get(line_start..start).unwrap_or(""));
                let text = self.source.get(start..end).unwrap_or("");
                (start, Remark { text, column, own_line: comment.begins_line })
            })
            .collect()
    }

    fn has_remarks(&self, body: &Body) -> bool {
        !self.remarks(self.end(body.open), self.start(body.close)).is_empty()
    }

    /// Whether there is a line break between two bytes.
    fn broken(&self, from: usize, to: usize) -> bool {
        self.source.get(from..to).is_some_and(|gap| gap.contains('\n'))
    }

    fn neighbour(&self, index: usize) -> Neighbour {
        let token = self.marked.tokens.get(index);
        Neighbour {
            kind: token.map_or(TokenKind::End, |token| token.kind),
            word: token.map_or(Word::None, |token| token.word),
            mark: self.marked.marks.get(index).copied().unwrap_or(Mark::Plain),
        }
    }

    fn start(&self, index: usize) -> usize {
        self.marked.tokens.get(index).map_or(self.source.len(), |token| token.start as usize)
    }

    fn end(&self, index: usize) -> usize {
        self.marked.tokens.get(index).map_or(self.source.len(), |token| token.end as usize)
    }
}

/// Where things are written.
#[derive(Clone, Copy)]
struct Region {
    /// The index of the `{` before them; none in a file.
    open: Option<usize>,
    /// The index of the `}` or of the end of the file behind them.
    close: usize,
    /// How far they are indented.
    indent: usize,
    /// Whether things that shared a line may go on sharing it.
    may_share: bool,
}

/// What stands before the next thing.
struct Before {
    /// The byte behind it in the source.
    end: usize,
    /// Whether it is the beginning of the body or file.
    at_start: bool,
    /// Whether it is a thing on one line.
    one_line: bool,
}

/// What is known while the tokens of a thing are read.
struct Line {
    indent: usize,
    parens: usize,
    before: Option<usize>,
}

/// A text of several lines, the later ones indented. Blanks around line breaks mean nothing; empty lines stay.
fn indented(text: &str, indent: usize) -> String {
    const BLANKS: [char; 3] = [' ', '\t', '\r'];
    let mut out = String::with_capacity(text.len());
    let mut after_empty = false;
    for (index, line) in text.split('\n').enumerate() {
        if index == 0 {
            out.push_str(line.trim_end_matches(BLANKS));
            continue;
        }
        let line = line.trim_matches(BLANKS);
        if line.is_empty() && after_empty {
            continue;
        }
        after_empty = line.is_empty();
        out.push('\n');
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(line);
        }
    }
    out
}
