//! Conditions and sums.

use dramaturg_model::Span;

use super::mark::Mark;
use super::parser::Parser;
use super::token::TokenKind;
use super::tree::{Comparison, Expr, ExprKind, Operator, Set};
use super::word::Word;
use crate::diagnostics::{and_or_mixed, too_deep};

impl Parser<'_> {
    /// `expr = unary [ "and" unary { "and" unary } | "or" unary { "or" unary } ]`
    pub(super) fn expr(&mut self) -> Expr {
        let start = self.at;
        let first = self.unary();
        if !self.at_word(Word::And) && !self.at_word(Word::Or) {
            return first;
        }
        // Runs of operands joined by `and`, with `or` between the runs.
        let mut runs = vec![vec![first]];
        let mut run_spans = vec![self.span_from(start)];
        let mut run_start = start;
        let mut height = self.height;
        let mut has_and = false;
        while self.at_word(Word::And) || self.at_word(Word::Or) {
            let is_and = self.bump().word == Word::And;
            has_and |= is_and;
            if !is_and {
                run_start = self.at;
            }
            let operand = self.unary();
            height = height.max(self.height);
            let span = self.span_from(run_start);
            match (runs.last_mut(), run_spans.last_mut()) {
                (Some(run), Some(run_span)) if is_and => {
                    run.push(operand);
                    *run_span = span;
                }
                _ => {
                    runs.push(vec![operand]);
                    run_spans.push(span);
                }
            }
        }
        let span = self.span_from(start);
        if has_and && runs.len() > 1 {
            let parts: Vec<Span> =
                runs.iter().zip(&run_spans).filter(|(run, _)| run.len() > 1).map(|(_, span)| *span).collect();
            // A `)` too many means that a `(` is missing, which is worse, and said next.
            if self.parens > 0 || !self.at(TokenKind::CloseParen) {
                self.note(and_or_mixed::mixed(span, &parts));
            }
            height = height.saturating_add(1);
        }
        let mut operands: Vec<Expr> =
            runs.into_iter().zip(run_spans).map(|(run, span)| conjunction(run, span)).collect();
        let whole = match operands.pop() {
            Some(only) if operands.is_empty() => only,
            Some(last) => {
                operands.push(last);
                Expr { kind: ExprKind::Or(operands), span }
            }
            None => missing(span),
        };
        self.grown(height, whole)
    }

    /// `unary = "not" unary | relation`
    fn unary(&mut self) -> Expr {
        let start = self.at;
        if !self.at_word(Word::Not) {
            return self.relation();
        }
        if !self.enter() {
            return missing(self.span_from(start));
        }
        self.bump();
        let inner = self.unary();
        self.leave();
        let height = self.height;
        let span = self.span_from(start);
        self.grown(height, Expr { kind: ExprKind::Not(Box::new(inner)), span })
    }

    /// `relation = sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum | "in" set ]`
    fn relation(&mut self) -> Expr {
        let start = self.at;
        let left = self.sum();
        let height = self.height;
        let comparison = match self.peek().kind {
            TokenKind::Equal => Comparison::Equal,
            TokenKind::NotEqual => Comparison::NotEqual,
            TokenKind::Less => Comparison::Less,
            TokenKind::AtMost => Comparison::AtMost,
            TokenKind::More => Comparison::More,
            TokenKind::AtLeast => Comparison::AtLeast,
            _ if self.eat_word(Word::In) => {
                let set = self.set();
                let height = height.max(self.height);
                let span = self.span_from(start);
                return match set {
                    Some(set) => self.grown(height, Expr { kind: ExprKind::In(Box::new(left), set), span }),
                    None => missing(span),
                };
            }
            _ => return left,
        };
        self.bump();
        let right = self.sum();
        let height = height.max(self.height);
        let span = self.span_from(start);
        self.grown(height, Expr { kind: ExprKind::Compare(comparison, Box::new(left), Box::new(right)), span })
    }

    /// `set = "(" expr { "," expr } ")" | types | sum ".." sum`
    pub(super) fn set(&mut self) -> Option<Set> {
        self.height = 0;
        let start = self.at;
        if self.at(TokenKind::OpenParen) {
            let choices = self.listed();
            return Some(Set::Among(choices, self.span_from(start)));
        }
        if self.at(TokenKind::Type) {
            return Some(Set::Types(self.types()));
        }
        let least = self.sum();
        let height = self.height;
        let range = self.at;
        if !self.expect(TokenKind::DotDot, "`..` and the other end of the range") {
            return None;
        }
        let most = self.sum();
        self.height = self.height.max(height);
        self.mark_range(range);
        Some(Set::Range(Box::new(least), Box::new(most)))
    }

    /// Ranges are written tightly, unless a unit stands at the dots: `1..5`, but `1 s .. 5 s`.
    pub(super) fn mark_range(&mut self, dots: usize) {
        let unit_ends = |index| {
            let token = self.token_at(index);
            token.kind == TokenKind::Number && !self.text(token).ends_with(|last: char| last.is_ascii_digit())
        };
        let wide = unit_ends(dots.saturating_sub(1)) || unit_ends(dots + 1);
        self.mark_at(dots, if wide { Mark::WideRange } else { Mark::Range });
    }

    /// `"(" expr { "," expr } ")"`
    pub(super) fn listed(&mut self) -> Vec<Expr> {
        let open = self.span(self.raw());
        if self.expect(TokenKind::OpenParen, "`(`") { self.listed_from(open) } else { Vec::new() }
    }

    /// The rest of a list behind its `(`.
    pub(super) fn listed_from(&mut self, open: Span) -> Vec<Expr> {
        if !self.enter() {
            return Vec::new();
        }
        // Most lists have one or two elements: a vector that grows by itself would begin with room for four.
        let mut items = Vec::with_capacity(2);
        let mut height = 0;
        self.parens += 1;
        loop {
            items.push(self.expr());
            height = height.max(self.height);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.parens -= 1;
        self.close_paren(open, "`,` or `)`");
        self.leave();
        self.height = height;
        items
    }

    /// `sum = term { ( "+" | "-" ) term }`
    pub(super) fn sum(&mut self) -> Expr {
        let start = self.at;
        let mut left = self.term();
        loop {
            let operator = match self.peek().kind {
                TokenKind::Plus => Operator::Add,
                TokenKind::Minus => Operator::Subtract,
                _ => return left,
            };
            left = self.operation(start, left, operator, Self::term);
        }
    }

    /// `term = factor { ( "*" | "/" | "mod" ) factor }`
    fn term(&mut self) -> Expr {
        let start = self.at;
        let mut left = self.factor();
        loop {
            let operator = match self.peek().kind {
                TokenKind::Star => Operator::Multiply,
                TokenKind::Slash => Operator::Divide,
                TokenKind::Reserved if self.at_word(Word::Mod) => Operator::Modulo,
                _ => return left,
            };
            left = self.operation(start, left, operator, Self::factor);
        }
    }

    fn operation(&mut self, start: usize, left: Expr, operator: Operator, operand: fn(&mut Self) -> Expr) -> Expr {
        let height = self.height;
        self.bump();
        let right = operand(self);
        let height = height.max(self.height);
        let span = self.span_from(start);
        self.grown(height, Expr { kind: ExprKind::Arithmetic(operator, Box::new(left), Box::new(right)), span })
    }

    /// `factor = "-" factor | value`
    fn factor(&mut self) -> Expr {
        let start = self.at;
        if !self.at(TokenKind::Minus) {
            return self.value();
        }
        if !self.enter() {
            return missing(self.span_from(start));
        }
        self.mark(Mark::Sign);
        self.bump();
        let inner = self.factor();
        self.leave();
        let height = self.height;
        let span = self.span_from(start);
        self.grown(height, Expr { kind: ExprKind::Negate(Box::new(inner)), span })
    }

    /// `value = NUMBER | "true" | "false" | "_" | "(" expr ")" | ( "any" | "all" ) … | "done" event | path`
    fn value(&mut self) -> Expr {
        self.height = 1;
        let start = self.at;
        let token = self.peek();
        let kind = match (token.kind, token.word) {
            (TokenKind::Number, _) => self.number().map(ExprKind::Number),
            (TokenKind::Name, _) => self.path().map(|path| ExprKind::Path(Box::new(path))),
            (TokenKind::Wildcard, _) => {
                self.bump();
                Some(ExprKind::Wildcard)
            }
            (TokenKind::OpenParen, _) => self.group(),
            (_, Word::True | Word::False) => {
                self.bump();
                Some(ExprKind::Bool(token.word == Word::True))
            }
            (_, Word::Any | Word::All) => self.quantified(token.word),
            (_, Word::Done) => {
                self.bump();
                self.event().map(|event| ExprKind::Done(Box::new(event)))
            }
            (TokenKind::Type, _) if !self.failed => {
                self.fail_expected("a value; a type may stand only behind `in` or `:`");
                None
            }
            _ => {
                self.fail_expected("a condition or value");
                None
            }
        };
        let span = self.span_from(start);
        Expr { kind: kind.unwrap_or(ExprKind::Missing), span }
    }

    fn group(&mut self) -> Option<ExprKind> {
        if !self.enter() {
            return None;
        }
        let open = self.bump();
        let said = self.diagnostics.len();
        self.parens += 1;
        let inner = self.expr();
        self.parens -= 1;
        let height = self.height;
        self.close_paren(self.span(open), "`)`");
        if self.failed {
            // With its `)` missing, nobody knows what was meant to stand side by side.
            let mut index = 0;
            self.diagnostics.retain(|diagnostic| {
                index += 1;
                index <= said || diagnostic.code != and_or_mixed::CODE
            });
        }
        self.leave();
        self.height = height;
        let inner = self.grown(height, inner);
        Some(ExprKind::Group(Box::new(inner)))
    }

    /// `( "any" | "all" ) binder { "," binder } "(" expr ")"`
    fn quantified(&mut self, word: Word) -> Option<ExprKind> {
        if !self.enter() {
            return None;
        }
        self.bump();
        let binders = self.binders();
        let open = self.span(self.raw());
        let inner = if self.expect(TokenKind::OpenParen, "`(` and a condition") {
            self.parens += 1;
            let inner = self.expr();
            self.parens -= 1;
            self.close_paren(open, "`)`");
            inner
        } else {
            missing(open)
        };
        self.leave();
        let height = self.height;
        let inner = Box::new(self.grown(height, inner));
        Some(if word == Word::Any { ExprKind::Any(binders, inner) } else { ExprKind::All(binders, inner) })
    }

    /// An expression one level higher than `height`, unless that is too high. Long sums are as deep as nested parentheses,
    /// and whoever walks the tree must not run out of stack.
    fn grown(&mut self, height: u16, expr: Expr) -> Expr {
        self.height = height.saturating_add(1);
        if self.height <= too_deep::LIMIT {
            return expr;
        }
        self.note(too_deep::too_deep(expr.span));
        self.failed = true;
        self.height = 1;
        missing(expr.span)
    }
}

fn conjunction(mut run: Vec<Expr>, span: Span) -> Expr {
    match run.pop() {
        Some(only) if run.is_empty() => only,
        Some(last) => {
            run.push(last);
            Expr { kind: ExprKind::And(run), span }
        }
        None => missing(span),
    }
}

/// What a fault left out.
pub(super) fn missing(span: Span) -> Expr {
    Expr { kind: ExprKind::Missing, span }
}
