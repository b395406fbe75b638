//! The formatter: one layout for all stories, without touching what they say.
//!
//! It works on the tokens and on what the parser says about them ([`crate::syntax::mark`]), so it cannot lose anything the tree
//! does not hold: comments, blank lines and the author's spelling stay. The rules:
//!
//! - Two blanks per brace. A body stays on one line if it was written on one line and the line has room for it in 120 columns;
//!   otherwise each of its clauses has a line of its own.
//! - Clauses that share a line in a body of several lines go on sharing it while there is room, with `;` between them; there is
//!   no other `;`.
//! - A line break inside a clause stays where it was before a part (`if`, `for`, `answers`, …), after a comma, or before `and`
//!   and `or`, outside of parentheses; all others go. A line that is still too long is broken at the best of such places. What
//!   follows a break is indented by two blanks more than the clause; so are the lines of a text after its first.
//! - A comment keeps its own line or the end of the line it stood on, there in its column if the code leaves room.
//! - Blank lines stay, several count as one; at the beginning and end of a body and of the file they go.
//!
//! A text with syntax faults is returned as it is: nobody knows yet what it says.

mod flow;
mod layout;
mod printer;
mod spacing;
#[cfg(test)]
mod tests;

use crate::syntax::parse_marked;
use crate::syntax::place::Place;

/// The widest a line should be.
pub(crate) const COLUMNS_MAX: usize = 120;

/// Formats a `.story` file; one with syntax faults is returned unchanged.
///
/// ```
/// use dramaturg_story::format::format_story;
/// let text = "fluent   eaten\naction eat{then eaten;say\"Gone.\"}\n";
/// assert_eq!(format_story(text), "fluent eaten\naction eat { then eaten; say \"Gone.\" }\n");
/// ```
pub fn format_story(text: &str) -> String {
    format(text, Place::StoryFile)
}

/// Formats a `.play` file; one with syntax faults is returned unchanged.
pub fn format_play(text: &str) -> String {
    format(text, Place::PlayFile)
}

fn format(text: &str, place: Place) -> String {
    match parse_marked(text, place) {
        Some(marked) => printer::Printer::new(text, &marked).print(),
        None => text.to_owned(),
    }
}
