//! Units behind numbers, and what people write instead of them.

use super::parser::Parser;
use super::place::Place;
use super::token::{Token, TokenKind};
use super::tree::Unit;
use crate::diagnostics::unknown_unit;

/// The units as they are written.
pub(crate) const UNITS: [(&str, Unit); 9] = [
    ("ticks", Unit::Ticks),
    ("tick", Unit::Ticks),
    ("ms", Unit::Milliseconds),
    ("min", Unit::Minutes),
    ("s", Unit::Seconds),
    ("h", Unit::Hours),
    ("days", Unit::Days),
    ("day", Unit::Days),
    ("%", Unit::Percent),
];

/// Other spellings, each with the unit it means.
const ALIASES: [(&str, &str); 27] = [
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("mins", "min"),
    ("minute", "min"),
    ("minutes", "min"),
    ("m", "min"),
    ("hr", "h"),
    ("hrs", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("d", "days"),
    ("msec", "ms"),
    ("msecs", "ms"),
    ("millis", "ms"),
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("tic", "ticks"),
    ("tics", "ticks"),
    ("tck", "ticks"),
    ("frame", "ticks"),
    ("frames", "ticks"),
    ("percent", "%"),
    ("percents", "%"),
    ("pct", "%"),
    ("procent", "%"),
];

/// The unit that is written like this.
pub(crate) fn unit(text: &str) -> Option<Unit> {
    UNITS.iter().find(|(name, _)| *name == text).map(|(_, unit)| *unit)
}

/// How many bytes behind a number belong to it: at most one blank and a unit that no longer word begins with.
pub(crate) fn length_behind_number(rest: &str) -> usize {
    let after_blank = rest.strip_prefix([' ', '\t']).unwrap_or(rest);
    if after_blank.starts_with('%') {
        return rest.len() - after_blank.len() + 1;
    }
    let letters = after_blank.len() - after_blank.trim_start_matches(|letter: char| letter.is_ascii_lowercase()).len();
    // The longest unit has five letters: no need to look at more.
    let Some(word) = after_blank.get(..letters).filter(|word| word.len() <= 5) else { return 0 };
    let behind = after_blank.get(letters..).unwrap_or("");
    let mut next = behind.chars();
    let goes_on = match next.next() {
        Some('-') => next.next().is_some_and(char::is_alphanumeric),
        Some(character) => character == '_' || character.is_alphanumeric(),
        None => false,
    };
    if goes_on || unit(word).is_none() { 0 } else { rest.len() - after_blank.len() + letters }
}

/// The unit that is meant by a word that is none, if the word is a known other spelling.
pub(crate) fn meant_by(word: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, unit)| *unit)
}

/// The unit that is meant by a word that cannot stand here: a known spelling, a unit in capitals or too far from its number,
/// or a slip of the finger.
pub(crate) fn perhaps_meant_by(word: &str) -> Option<&'static str> {
    if word.chars().count() > 14 {
        return None;
    }
    let lower = word.to_lowercase();
    if let Some((name, _)) = UNITS.iter().find(|(name, _)| *name == lower) {
        return Some(name);
    }
    meant_by(&lower).or_else(|| {
        UNITS
            .iter()
            .map(|(name, _)| (*name, *name))
            .chain(ALIASES)
            .filter(|(spelling, _)| spelling.len() >= 3 && lower.len() >= 3)
            .find(|(spelling, _)| strsim::damerau_levenshtein(&lower, spelling) <= 1)
            .map(|(_, unit)| unit)
    })
}

impl Parser<'_> {
    /// Steps over a word behind a number that is meant as a unit and cannot stand there otherwise.
    pub(super) fn slipped_unit(&mut self) -> bool {
        let token = self.raw();
        if self.failed || token.begins_line || !matches!(token.kind, TokenKind::Name | TokenKind::Type) {
            return false;
        }
        // `5 h.keys`: here the word is a name, and something else is missing.
        let goes_on = [TokenKind::Dot, TokenKind::OpenParen, TokenKind::Assign, TokenKind::Equal, TokenKind::Colon];
        if goes_on.contains(&self.token_at(self.at + 1).kind) {
            return false;
        }
        perhaps_meant_by(self.text(token)).is_some_and(|unit| self.report_unit(unit))
    }

    /// Whether a token that must stand here stands behind a slipped unit; if something else does, nothing more is said.
    pub(super) fn behind_slipped_unit(&mut self, fits: impl Fn(Token) -> bool) -> bool {
        if !self.slipped_unit() {
            return false;
        }
        self.failed = !fits(self.raw());
        !self.failed
    }

    /// Steps over a well-known other spelling of a unit directly behind a number, or a unit too far behind it, and returns the
    /// unit that is meant.
    pub(super) fn misspelt_unit(&mut self) -> Option<Unit> {
        let token = self.raw();
        if token.begins_line || !matches!(token.kind, TokenKind::Name | TokenKind::Type) {
            return None;
        }
        let close = token.start <= self.token_at(self.at.saturating_sub(1)).end + 1;
        let text = self.text(token).to_lowercase();
        // Among attributes, where any name may stand, a unit too far from its number would pass for one of them.
        let in_type = self.open.last().is_some_and(|opened| opened.place == Place::Type);
        let meant = match unit(&text) {
            Some(_) if token.kind == TokenKind::Type || in_type => perhaps_meant_by(&text),
            _ => meant_by(&text).filter(|_| close),
        };
        // `size: int = 5 m: int`: here the word begins the next attribute.
        let next = self.token_at(self.at + 1).kind;
        let begins = matches!(next, TokenKind::Colon | TokenKind::Assign | TokenKind::Dot | TokenKind::OpenParen);
        let meant = meant.filter(|_| !begins)?;
        self.report_unit(meant);
        unit(meant)
    }

    fn report_unit(&mut self, unit: &str) -> bool {
        let number = self.token_at(self.at.saturating_sub(1));
        let has_unit = !self.text(number).ends_with(|last: char| last.is_ascii_digit());
        if self.at == 0 || number.kind != TokenKind::Number || has_unit {
            return false;
        }
        let token = self.raw();
        self.note(unknown_unit::unknown(self.span(number), self.span(token), self.text(token), unit));
        self.bump();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_a_whole_word() {
        assert_eq!(length_behind_number(" s"), 2);
        assert_eq!(length_behind_number("min)"), 3);
        assert_eq!(length_behind_number(" %"), 2);
        assert_eq!(length_behind_number("  s"), 0);
        assert_eq!(length_behind_number(" salience 90"), 0);
        assert_eq!(length_behind_number(" s-bahn"), 0);
        assert_eq!(length_behind_number(" s - 1"), 2);
        assert_eq!(length_behind_number(" sée"), 0);
    }

    #[test]
    fn other_spellings_mean_a_unit() {
        assert_eq!(meant_by("sec"), Some("s"));
        assert_eq!(meant_by("percent"), Some("%"));
        assert_eq!(meant_by("salience"), None);
        assert_eq!(perhaps_meant_by("Min"), Some("min"));
        assert_eq!(perhaps_meant_by("tciks"), Some("ticks"));
        assert_eq!(perhaps_meant_by("helen"), None);
    }
}
