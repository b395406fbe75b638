//! Atoms flow into lines, and lines that are too long are broken.

use super::COLUMNS_MAX;
use super::spacing::Break;

/// Text with the column of its end.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub(super) text: String,
    pub(super) column: usize,
    /// Whether some line was or is wider than it should be; comments at the end do not count.
    pub(super) too_wide: bool,
}

impl Writer {
    /// Writes on, counting columns.
    pub(super) fn write(&mut self, text: &str) {
        let mut lines = text.split('\n');
        self.column += width(lines.next().unwrap_or(""));
        self.too_wide |= self.column > COLUMNS_MAX;
        for line in lines {
            self.column = width(line);
            self.too_wide |= self.column > COLUMNS_MAX;
        }
        self.text.push_str(text);
    }

    /// Begins a line.
    pub(super) fn line(&mut self, indent: usize) {
        self.text.push('\n');
        self.column = 0;
        self.blanks(indent);
    }

    /// Writes blanks.
    pub(super) fn blanks(&mut self, count: usize) {
        self.text.extend(std::iter::repeat_n(' ', count));
        self.column += count;
    }

    /// A comment behind code: in its old column if there is room, else behind one blank.
    pub(super) fn trailing(&mut self, comment: Remark<'_>) {
        let wanted = if comment.column > COLUMNS_MAX { 0 } else { comment.column };
        self.blanks(wanted.saturating_sub(self.column).max(1));
        self.text.push_str(comment.text);
    }
}

/// A comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remark<'s> {
    /// With its slashes.
    pub(super) text: &'s str,
    /// The column it began in.
    pub(super) column: usize,
    /// Whether it stood on its own line.
    pub(super) own_line: bool,
}

/// A token, or a body on one line, ready to be written.
#[derive(Debug)]
pub(super) struct Atom<'s> {
    /// May hold line breaks, if it is a text.
    pub(super) text: String,
    /// Whether a blank stands before it on a line.
    pub(super) blank_before: bool,
    /// Whether a line may be broken before it.
    pub(super) chance: Option<Break>,
    /// Whether the author broke the line before it.
    pub(super) broken: bool,
    /// Comments before it, inside the thing.
    pub(super) remarks: Vec<Remark<'s>>,
}

/// Writes atoms from the writer's column on; lines after the first are indented by `indent`.
pub(super) fn flow(writer: &mut Writer, atoms: &[Atom<'_>], indent: usize) {
    let mut line_start = 0;
    while line_start < atoms.len() {
        if line_start > 0 {
            writer.line(indent);
        }
        let (line_end, forced) = line_end(writer.column, atoms, line_start);
        writer.too_wide |= forced;
        for (index, atom) in atoms.iter().enumerate().take(line_end).skip(line_start) {
            if atom.blank_before && index > line_start {
                writer.write(" ");
            }
            writer.write(&atom.text);
        }
        if let Some(next) = atoms.get(line_end) {
            for (index, remark) in next.remarks.iter().enumerate() {
                if index == 0 && !remark.own_line {
                    writer.trailing(*remark);
                } else {
                    writer.line(indent);
                    writer.text.push_str(remark.text);
                }
            }
        }
        line_start = line_end;
    }
}

/// The index of the atom before which the line breaks that begins with the atom `start` in this column, and whether it breaks
/// for want of room.
fn line_end(mut column: usize, atoms: &[Atom<'_>], start: usize) -> (usize, bool) {
    let mut best: Option<(Break, usize)> = None;
    for (index, atom) in atoms.iter().enumerate().skip(start) {
        if index > start {
            if !atom.remarks.is_empty() || atom.broken && atom.chance.is_some_and(Break::is_kept) {
                return (index, false);
            }
            if let Some(chance) = atom.chance.filter(|chance| best.is_none_or(|(known, _)| *chance <= known)) {
                best = Some((chance, index));
            }
        }
        let blank = usize::from(atom.blank_before && index > start);
        let first_line = atom.text.split('\n').next().unwrap_or("");
        let too_wide = column + blank + width(first_line) > COLUMNS_MAX;
        if let Some((_, at)) = best.filter(|_| too_wide) {
            return (at, true);
        }
        column = match atom.text.rsplit_once('\n') {
            Some((_, last_line)) => width(last_line),
            None => column + blank + width(first_line),
        };
    }
    (atoms.len(), false)
}

/// Columns a text takes: one for each character.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}
