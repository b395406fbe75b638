//! How the program ends: one code for each outcome, documented in `docs/exit-codes.md`.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use dramaturg::OpenError;

/// The outcomes, each with its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All is well.
    Fine = 0,
    /// The input has errors, or the plan is invalid.
    Faults = 1,
    /// The command was called in a wrong way.
    Usage = 2,
    /// It was proved that no plan exists.
    NoPlan = 10,
    /// No plan was found within the budget.
    NoneFound = 11,
    /// A file or the network could not be used.
    Trouble = 20,
    /// A bug of ours.
    Bug = 30,
}

impl Exit {
    /// Fine, or else faults.
    pub const fn fine_if(fine: bool) -> Self {
        if fine { Self::Fine } else { Self::Faults }
    }

    /// For machines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Faults => "faults",
            Self::Usage => "usage",
            Self::NoPlan => "no-plan",
            Self::NoneFound => "none-found",
            Self::Trouble => "trouble",
            Self::Bug => "bug",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command stopped early.
#[derive(Debug)]
pub enum Failure {
    /// Something to tell: what, and what to do about it.
    Told {
        /// The code to end with.
        exit: Exit,
        /// What happened: the thing, the cause.
        message: String,
        /// The cure.
        hint: Option<String>,
    },
    /// Whoever read our output has gone away; nothing more is to be said.
    PipeClosed,
}

impl Failure {
    /// A file or the network could not be used.
    pub fn trouble(message: impl Into<String>) -> Self {
        Self::Told { exit: Exit::Trouble, message: message.into(), hint: None }
    }

    /// The command was called in a wrong way.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Told { exit: Exit::Usage, message: message.into(), hint: None }
    }

    /// The input has errors.
    pub fn faults(message: impl Into<String>) -> Self {
        Self::Told { exit: Exit::Faults, message: message.into(), hint: None }
    }

    /// Adds the cure.
    #[must_use]
    pub fn hint(mut self, cure: impl Into<String>) -> Self {
        if let Self::Told { hint, .. } = &mut self {
            *hint = Some(cure.into());
        }
        self
    }

    /// A file that could not be written.
    pub fn writing(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::trouble(format!("cannot write `{}`: {error}", path.display()))
    }
}

impl From<std::io::Error> for Failure {
    /// Of our own output: files are named where they are written.
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::PipeClosed,
            _ => Self::trouble(format!("cannot write the output: {error}")),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let exit = match &error {
            OpenError::Missing { .. } | OpenError::Unreadable { .. } | OpenError::NoStory { .. } => Exit::Trouble,
            OpenError::ManyStories { .. } | OpenError::WrongKind { .. } => Exit::Usage,
        };
        Self::Told { exit, message: error.to_string(), hint: error.hint() }
    }
}

/// Runs the program; a panic is a bug of ours, told as such.
pub fn guard(run: impl FnOnce() -> Exit) -> ExitCode {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
        let payload = info.payload();
        let cause = payload.downcast_ref::<&str>().copied().map(str::to_owned);
        let cause = cause.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        eprintln!("\nThis is a bug in dramaturg, not a fault of your story. Your files were left as they were.\n");
        eprintln!("  dramaturg {}{place}: {cause}\n", env!("CARGO_PKG_VERSION"));
        eprintln!("Please report it with these lines, the command, and the story if you can share it.");
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            eprintln!("\n{}", std::backtrace::Backtrace::force_capture());
        } else {
            eprintln!("With RUST_BACKTRACE=1 the same command also prints where it happened.");
        }
    }));
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or(Exit::Bug).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_with_30() {
        let code = guard(|| panic!("a test of the guard"));
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(30)));
    }

    #[test]
    fn a_closed_pipe_is_no_trouble() {
        let closed = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        assert!(matches!(Failure::from(closed), Failure::PipeClosed));
    }
}
