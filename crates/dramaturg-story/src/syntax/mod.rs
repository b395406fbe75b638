//! Text to tree: the lexer, the parser and the tree.
//!
//! Parsing never fails. It yields a tree of whatever could be understood, and diagnostics for the rest.
//!
//! # Layout
//!
//! In data-flow order: [`lexer`] (text to `token`s, with `word` and `unit`), `parser` (the state and its smallest steps),
//! `recovery` (bodies, and where to go on after a fault, by the table in `place`), then the grammar from small to large:
//! `number`, `text`, `path`, `expression`, `effect`, `wish`, `clause`, `domain`, `declaration`, `step`. What comes out is [`tree`];
//! `mark` is what the formatter is told besides.

use dramaturg_model::{Diagnostic, FileId, Span};

mod clause;
mod declaration;
mod domain;
mod effect;
mod expression;
pub(crate) mod lexer;
pub(crate) mod mark;
mod number;
mod parser;
mod path;
pub(crate) mod place;
mod recovery;
mod step;
#[cfg(test)]
pub(crate) mod tests;
mod text;
pub(crate) mod token;
pub mod tree;
pub(crate) mod unit;
mod wish;
pub(crate) mod word;

use crate::diagnostics::too_large;
use mark::Mark;
use parser::Parser;
use place::Place;
use token::{Comment, Token, TokenKind};
use tree::{Expr, ExprKind, PlayFile, StoryFile};

/// Parses a `.story` file.
///
/// ```
/// use dramaturg_model::FileId;
/// use dramaturg_story::syntax::parse_story;
/// let (story, diagnostics) = parse_story(FileId(0), "story \"Apple\"\nfluent eaten\ngoal eaten");
/// assert_eq!((story.items.len(), diagnostics.len()), (3, 0));
/// ```
pub fn parse_story(file: FileId, text: &str) -> (StoryFile, Vec<Diagnostic>) {
    parse(file, text, Parser::story_file)
}

/// Parses a `.play` file.
pub fn parse_play(file: FileId, text: &str) -> (PlayFile, Vec<Diagnostic>) {
    parse(file, text, Parser::play_file)
}

/// Parses a single condition or sum, as a tool may ask for one.
pub fn parse_expr(file: FileId, text: &str) -> (Expr, Vec<Diagnostic>) {
    if let Some(diagnostic) = refuse(file, text) {
        return (Expr { kind: ExprKind::Missing, span: Span::new(file, 0, 0) }, vec![diagnostic]);
    }
    let mut parser = Parser::new(file, text);
    let expr = parser.expr();
    if !parser.failed && !parser.at(TokenKind::End) {
        parser.fail_expected("the end of the expression");
    }
    (expr, text::in_order(parser.diagnostics))
}

/// The tokens of a file with what the parser knows about their layout, for the formatter.
pub(crate) struct Marked {
    pub(crate) tokens: Vec<Token>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) comments: Vec<Comment>,
}

/// Parses for the formatter; `None` if the text has faults.
pub(crate) fn parse_marked(text: &str, place: Place) -> Option<Marked> {
    if text.len() > too_large::FILE_BYTES_MAX {
        return None;
    }
    let mut parser = Parser::new(FileId(0), text);
    if place == Place::PlayFile {
        parser.play_file();
    } else {
        parser.story_file();
    }
    let Parser { tokens, marks, comments, diagnostics, .. } = parser;
    diagnostics.is_empty().then_some(Marked { tokens, marks, comments })
}

fn parse<'s, T: Default>(
    file: FileId,
    text: &'s str,
    grammar: impl FnOnce(&mut Parser<'s>) -> T,
) -> (T, Vec<Diagnostic>) {
    if let Some(diagnostic) = refuse(file, text) {
        return (T::default(), vec![diagnostic]);
    }
    let mut parser = Parser::new(file, text);
    let tree = grammar(&mut parser);
    (tree, text::in_order(parser.diagnostics))
}

fn refuse(file: FileId, text: &str) -> Option<Diagnostic> {
    (text.len() > too_large::FILE_BYTES_MAX).then(|| too_large::file(Span::new(file, 0, 0)))
}
