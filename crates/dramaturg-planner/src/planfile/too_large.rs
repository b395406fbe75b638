//! `too-large`: a limit of this program, not of the plan.

use dramaturg_model::Code;

/// A limit of this program, not of the plan.
pub const TOO_LARGE: Code = Code::error("too-large");
