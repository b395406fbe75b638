//! A goal as a running game writes it: `goal anna.place == cellar and not anna.afraid by 500 ticks salience 80`.
//!
//! Planners know no source syntax; names cross their boundary, as in observations and plans. So what is read here is what can be said of
//! named things: fluents and their values, compared and joined by `and`, `or`, `not` and parentheses. Whoever links the compiler of
//! stories can make a [`WrittenGoal`] of anything else.

use dramaturg_model::{Aim, AimTime, Comparison, Domain, Expr, Fixed, Model, ObjectId, Owner, Span, Tick, Value};
use dramaturg_model::{Wish, WishKind};

use crate::simulate::names;

/// Conditions are nested no deeper than this.
const DEPTH_MAX: usize = 32;
/// What a goal matters unless it is said.
const SALIENCE: Fixed = Fixed::from_int(50);

/// A goal that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenGoal {
    /// What must hold, without parameters.
    pub condition: Expr,
    /// How much it matters.
    pub salience: Fixed,
    /// Within how many ticks from now it must hold, once.
    pub within: Option<Tick>,
}

impl WrittenGoal {
    /// Reads a goal; what is wrong with it, in a sentence, if it cannot be read.
    pub fn read(model: &Model, text: &str) -> Result<Self, String> {
        let tokens = tokens(text);
        let mut reader = Reader { model, tokens: &tokens, at: 0 };
        reader.takes("goal");
        let condition = reader.any_of(0)?;
        let (mut salience, mut within) = (SALIENCE, None);
        while let Some(word) = reader.next() {
            match word {
                "salience" => salience = reader.number()?,
                "by" => within = Some(reader.ticks()?),
                other => return Err(format!("`{other}` is not understood after `{}`", reader.before())),
            }
        }
        Ok(Self { condition, salience, within })
    }

    /// The same as a wish of a character, or of the story. When it must hold is left to whoever knows what time it is.
    pub fn wish(&self, owner: Option<ObjectId>) -> Wish {
        let aim = Aim { condition: self.condition.clone(), time: AimTime::Eventually, performs: None };
        let salience = Expr::Value(Value::Number(self.salience));
        Wish {
            owner: owner.map_or(Owner::Story, Owner::Character),
            params: Vec::new(),
            kind: WishKind::Goal { aims: vec![aim], salience },
            condition: None,
            level: None,
            place: Span::NONE,
        }
    }
}

/// Words, brackets, commas and signs.
fn tokens(text: &str) -> Vec<&str> {
    let is_sign = |letter: char| matches!(letter, '=' | '!' | '<' | '>');
    let is_alone = |letter: char| matches!(letter, '(' | ')' | ',');
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            first if is_alone(first) => first.len_utf8(),
            first if is_sign(first) => rest.find(|letter| !is_sign(letter)).unwrap_or(rest.len()),
            _ => rest
                .find(|letter: char| letter.is_whitespace() || is_alone(letter) || is_sign(letter))
                .unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        found.push(token);
        rest = after.trim_start();
    }
    found
}

struct Reader<'t> {
    model: &'t Model,
    tokens: &'t [&'t str],
    at: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'t str> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    fn takes(&mut self, token: &str) -> bool {
        let takes = self.peek() == Some(token);
        self.at += usize::from(takes);
        takes
    }

    /// The token before the last one.
    fn before(&self) -> &'t str {
        self.at.checked_sub(2).and_then(|at| self.tokens.get(at)).copied().unwrap_or("goal")
    }

    fn word(&mut self, what: &str) -> Result<&'t str, String> {
        let found = self.next().ok_or_else(|| format!("{what} is missing at the end"))?;
        let is_word = !found.starts_with(['(', ')', ',', '=', '!', '<', '>']);
        if is_word { Ok(found) } else { Err(format!("{what} is missing before `{found}`")) }
    }

    fn any_of(&mut self, depth: usize) -> Result<Expr, String> {
        let mut parts = vec![self.all_of(depth)?];
        while self.takes("or") {
            parts.push(self.all_of(depth)?);
        }
        Ok(joined(parts, Expr::Or))
    }

    fn all_of(&mut self, depth: usize) -> Result<Expr, String> {
        let mut parts = vec![self.single(depth)?];
        while self.takes("and") {
            parts.push(self.single(depth)?);
        }
        Ok(joined(parts, Expr::And))
    }

    fn single(&mut self, depth: usize) -> Result<Expr, String> {
        if depth > DEPTH_MAX {
            return Err(format!("it is nested more than {DEPTH_MAX} deep"));
        }
        if self.takes("not") {
            return Ok(Expr::Not(Box::new(self.single(depth + 1)?)));
        }
        if self.takes("(") {
            let inside = self.any_of(depth + 1)?;
            return if self.takes(")") { Ok(inside) } else { Err("a `)` is missing".to_owned()) };
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Expr, String> {
        let (name, fluent, left) = self.fluent()?;
        let domain = &self.model.fluents[fluent].domain;
        let Some(sign) = self.peek().filter(|token| token.starts_with(['=', '!', '<', '>'])) else {
            let is_fact = *domain == Domain::Bool;
            return if is_fact { Ok(left) } else { Err(format!("`{name}` has a value: say which, with `==`")) };
        };
        self.at += 1;
        let comparison = match sign {
            "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::More,
            ">=" => Comparison::AtLeast,
            _ => return Err(format!("`{sign}` is no comparison")),
        };
        let is_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if is_order && !domain.is_numeric() {
            return Err(format!("`{name}` is no number, so that `{sign}` says nothing"));
        }
        let word = self.peek().unwrap_or_default();
        let right = match names::value_of(self.model, fluent, word) {
            Ok(value) => {
                self.at += 1;
                Expr::Value(value)
            }
            // It may be what something else is.
            Err(problem) => self.fluent().map_err(|_| problem.to_string())?.2,
        };
        Ok(Expr::Compare(comparison, Box::new(left), Box::new(right)))
    }

    /// `peace`, `anna.place`, `talked(paris, helen)`.
    fn fluent(&mut self) -> Result<(String, dramaturg_model::FluentId, Expr), String> {
        let mut name = self.word("what is wanted")?.to_owned();
        if name == "done" {
            return Err("what must hold can be a goal here, not what must be done".to_owned());
        }
        if self.takes("(") {
            let mut args = Vec::new();
            while !self.takes(")") {
                args.push(self.word("an argument")?);
                if !self.takes(",") && self.peek() != Some(")") {
                    return Err("a `)` is missing".to_owned());
                }
            }
            name = format!("{name}({})", args.join(", "));
        }
        let (fluent, args) = names::fluent(self.model, &name).map_err(|problem| problem.to_string())?;
        let args = args.iter().map(|arg| Expr::Value(*arg)).collect();
        Ok((name, fluent, Expr::Fluent(fluent, args)))
    }

    fn number(&mut self) -> Result<Fixed, String> {
        let word = self.word("a number")?;
        word.parse().map_err(|_| format!("`{word}` is no number"))
    }

    fn ticks(&mut self) -> Result<Tick, String> {
        let number = self.number()?;
        let a_tick = match self.word("`ticks` or `s`")? {
            "tick" | "ticks" => Fixed::ONE,
            "s" => self.model.clock.ticks_per_second.ok_or("this story counts in ticks, not in seconds")?,
            other => return Err(format!("a time is so many `ticks` or `s`, not `{other}`")),
        };
        Ok(number.multiply(a_tick).round_half_up().max(0))
    }
}

fn joined(mut parts: Vec<Expr>, join: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            join(parts)
        }
    }
}
