//! Units behind numbers, and what people write instead of them.

use super::tree::Unit;

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
