//! What the parser tells the formatter about each token.

/// The part a token plays in the layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mark {
    /// None of the following.
    #[default]
    Plain,
    /// The first token of a declaration, attribute, setting, clause, wish or step.
    Begin,
    /// A word that begins a part inside one of these, such as `if`: a good place for a line break.
    Part,
    /// The `{` of a body.
    Open,
    /// The `}` of a body.
    Close,
    /// A `(` that belongs to the name before it.
    Call,
    /// A `-` that is a sign.
    Sign,
    /// A `..` with blanks around it.
    WideRange,
    /// A `..` between two bounds.
    Range,
    /// A `..` behind its only bound.
    RangeUp,
    /// A `..` before its only bound.
    RangeDown,
}
