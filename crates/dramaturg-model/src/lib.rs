//! The nouns of dramaturg.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod table;
pub use table::{Id, Table};
pub mod fixed;
pub use fixed::{Fixed, FixedError};
pub mod source;
pub use source::{FileId, SourceFile, Sources, Span};
pub mod diagnostic;
pub use diagnostic::{Code, Diagnostic, Edit, Fix, Label, Severity, sort_diagnostics};
