//! Whether a game may talk to a director.

use subtle::ConstantTimeEq;

/// A token has no more bytes. A longer one is wrong without being compared.
pub const TOKEN_BYTES_MAX: usize = 1024;

/// Whether a token is the expected one. It takes the same time wherever they differ, so that a stranger cannot feel its
/// way along. Where none is expected, any will do.
pub fn token_matches(given: Option<&str>, expected: Option<&str>) -> bool {
    match (given, expected) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(given), Some(_)) if given.len() > TOKEN_BYTES_MAX => false,
        (Some(given), Some(expected)) => given.as_bytes().ct_eq(expected.as_bytes()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_expected_token_matches() {
        assert!(token_matches(None, None));
        assert!(token_matches(Some("any"), None));
        assert!(token_matches(Some("rosebud"), Some("rosebud")));
        let long = "x".repeat(TOKEN_BYTES_MAX + 1);
        assert!(!token_matches(Some(&long), Some(&long)), "nothing so long is compared");
        for wrong in [None, Some(""), Some("rosebu"), Some("rosebud "), Some("Rosebud")] {
            assert!(!token_matches(wrong, Some("rosebud")), "{wrong:?}");
        }
    }
}
