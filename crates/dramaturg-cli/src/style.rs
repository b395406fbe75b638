//! The few styles of the terminal. Written as `{BOLD}words{BOLD:#}`; streams strip them where colour is off.

use anstyle::{AnsiColor, Color, Style};
use clap::builder::Styles;

/// Names and titles.
pub const BOLD: Style = Style::new().bold();
/// What matters less.
pub const DIM: Style = Style::new().dimmed();
/// What is wrong.
pub const BAD: Style = color(AnsiColor::Red).bold();
/// What is hardly meant so.
pub const DOUBTFUL: Style = color(AnsiColor::Yellow).bold();
/// What is well.
pub const GOOD: Style = color(AnsiColor::Green).bold();
/// What could be typed.
pub const TYPED: Style = color(AnsiColor::Cyan);
/// What the story says.
pub const SPOKEN: Style = Style::new().italic();

/// Styles of `--help` and of messages about wrong usage.
pub const HELP: Styles = Styles::styled()
    .header(color(AnsiColor::Green).bold())
    .usage(color(AnsiColor::Green).bold())
    .literal(color(AnsiColor::Cyan).bold())
    .placeholder(color(AnsiColor::Cyan))
    .error(BAD)
    .valid(GOOD)
    .invalid(DOUBTFUL);

const fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(color)))
}
