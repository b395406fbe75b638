//! The full screen, drawn: a pure function of a picture.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use super::telling::{Telling, Tone};

/// Everything that the screen shows.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The story's title.
    pub title: String,
    /// Who sees it.
    pub seen_by: String,
    /// What was told so far, each with its time.
    pub story: Vec<(String, Telling)>,
    /// So many lines from the end are out of sight.
    pub back: usize,
    /// Everybody, with what he or she is doing.
    pub cast: Vec<(String, String)>,
    /// Which of them is looked at.
    pub selected: usize,
    /// His or her plan, goals and beliefs.
    pub plan: Vec<String>,
    /// Goals.
    pub goals: Vec<String>,
    /// Beliefs.
    pub beliefs: Vec<String>,
    /// A question that is open.
    pub question: Option<Popup>,
    /// The time, the speed, whether it is over.
    pub status: String,
}

/// A question that is open.
#[derive(Clone, Debug, Default)]
pub struct Popup {
    /// Its words.
    pub text: String,
    /// Its answers.
    pub answers: Vec<String>,
    /// What becomes of it if nobody answers.
    pub note: String,
}

const KEYS: &str = " Tab who  Enter see as  v next view  Space pause  +/- speed  PgUp/PgDn scroll  q quit";
const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);

/// Draws it.
pub fn draw(frame: &mut Frame<'_>, picture: &Picture) {
    let [main, status, keys] =
        Layout::vertical([Constraint::Min(3), Constraint::Length(1), Constraint::Length(1)]).areas(frame.area());
    let [left, right] = Layout::horizontal([Constraint::Percentage(58), Constraint::Percentage(42)]).areas(main);
    draw_story(frame, left, picture);
    let people = u16::try_from(picture.cast.len()).unwrap_or(u16::MAX).saturating_add(2);
    let [cast, plan, goals, beliefs] = Layout::vertical([
        Constraint::Length(people.min(right.height / 3).max(3)),
        Constraint::Fill(3),
        Constraint::Fill(3),
        Constraint::Fill(2),
    ])
    .areas(right);
    draw_cast(frame, cast, picture);
    let who = picture.cast.get(picture.selected).map(|(name, _)| name.as_str()).unwrap_or_default();
    draw_list(frame, plan, &format!(" {who} plans "), &picture.plan);
    draw_list(frame, goals, &format!(" {who} wants "), &picture.goals);
    draw_list(frame, beliefs, &format!(" {who} believes "), &picture.beliefs);
    frame.render_widget(Paragraph::new(picture.status.as_str()).style(STRONG), status);
    frame.render_widget(Paragraph::new(KEYS).style(FAINT), keys);
    if let Some(question) = &picture.question {
        draw_question(frame, left, question);
    }
}

fn draw_story(frame: &mut Frame<'_>, area: Rect, picture: &Picture) {
    let block = Block::bordered().title(format!(" {} — as {} sees it ", picture.title, picture.seen_by));
    let inner = block.inner(area);
    let width = usize::from(inner.width);
    let gutter = picture.story.iter().map(|(time, _)| time.chars().count()).max().unwrap_or(0);
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut last = None;
    for (time, told) in &picture.story {
        let time = if last.replace(time) == Some(time) { "" } else { time.as_str() };
        let words = match (&told.speaker, told.tone) {
            (Some(speaker), Tone::Spoken) => format!("{speaker}: “{}”", told.text),
            (Some(speaker), _) => format!("{speaker}: {}", told.text),
            (None, _) => told.text.clone(),
        };
        let style = style(told.tone);
        for (at, part) in wrapped(&words, width.saturating_sub(gutter + 1)).into_iter().enumerate() {
            let time = if at == 0 { time } else { "" };
            lines.push(Line::from(vec![Span::styled(format!("{time:>gutter$} "), FAINT), Span::styled(part, style)]));
        }
    }
    let height = usize::from(inner.height);
    let first = lines.len().saturating_sub(height).saturating_sub(picture.back);
    let shown: Vec<Line<'_>> = lines.into_iter().skip(first).take(height).collect();
    frame.render_widget(Paragraph::new(shown).block(block), area);
}

fn draw_cast(frame: &mut Frame<'_>, area: Rect, picture: &Picture) {
    let width = picture.cast.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let line = |(at, (name, doing)): (usize, &(String, String))| {
        let is_selected = at == picture.selected;
        let mark = if is_selected { "▸ " } else { "  " };
        let style = if is_selected { STRONG.fg(Color::Cyan) } else { Style::new() };
        Line::from(vec![
            Span::styled(format!("{mark}{name:<width$}  "), style),
            Span::styled(cut(doing, usize::from(area.width).saturating_sub(width + 6)), FAINT),
        ])
    };
    // The one who is looked at stays in sight.
    let height = usize::from(area.height.saturating_sub(2)).max(1);
    let first = (picture.selected + 1).saturating_sub(height);
    let lines: Vec<Line<'_>> = picture.cast.iter().enumerate().map(line).skip(first).collect();
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" the cast ")), area);
}

fn draw_list(frame: &mut Frame<'_>, area: Rect, title: &str, lines: &[String]) {
    let height = usize::from(area.height.saturating_sub(2));
    let width = usize::from(area.width.saturating_sub(2));
    let mut shown: Vec<Line<'_>> = lines.iter().take(height).map(|line| Line::from(cut(line, width))).collect();
    let more = lines.len().saturating_sub(height);
    if more > 0 && height > 0 {
        shown.pop();
        shown.push(Line::styled(format!("  … and {} more", more + 1), FAINT));
    }
    frame.render_widget(Paragraph::new(shown).block(Block::bordered().title(title.to_owned())), area);
}

fn draw_question(frame: &mut Frame<'_>, area: Rect, question: &Popup) {
    let width = area.width.saturating_sub(4).max(10);
    let inner = usize::from(width.saturating_sub(4));
    let mut lines: Vec<Line<'_>> =
        wrapped(&question.text, inner).into_iter().map(|line| Line::styled(line, STRONG)).collect();
    lines.push(Line::default());
    for (number, answer) in (1..).zip(&question.answers) {
        for (at, part) in wrapped(answer, inner.saturating_sub(3)).into_iter().enumerate() {
            let number = if at == 0 { format!("{number}  ") } else { "   ".to_owned() };
            lines.push(Line::from(vec![Span::styled(number, STRONG.fg(Color::Cyan)), Span::raw(part)]));
        }
    }
    if !question.note.is_empty() {
        lines.push(Line::styled(question.note.as_str(), FAINT));
    }
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2).min(area.height);
    let popup = Rect {
        x: area.x + area.width.saturating_sub(width) / 2,
        y: area.y + area.height.saturating_sub(height) / 2,
        width,
        height,
    };
    let block = Block::bordered().title(" you are asked ").style(Style::new().fg(Color::Yellow));
    let block = block.padding(ratatui::widgets::Padding::horizontal(1));
    frame.render_widget(Clear, popup);
    frame.render_widget(Paragraph::new(lines).block(block), popup);
}

const fn style(tone: Tone) -> Style {
    match tone {
        Tone::Told => Style::new(),
        Tone::Spoken => Style::new().add_modifier(Modifier::ITALIC),
        Tone::Done | Tone::Wanted => FAINT,
        Tone::Turn => Style::new().fg(Color::Green).add_modifier(Modifier::BOLD),
        Tone::Asked => Style::new().fg(Color::Yellow),
        Tone::Bad => Style::new().fg(Color::Red),
    }
}

/// A line that says where it was cut.
fn cut(line: &str, width: usize) -> String {
    if Span::raw(line).width() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Words in lines that are no wider than this; a word that is wider stands alone, and is cut by the edge.
fn wrapped(words: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words.split_whitespace() {
        let is_full = Span::raw(line.as_str()).width() + 1 + Span::raw(word).width() > width;
        if !line.is_empty() && is_full {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn drawn(picture: &Picture, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
        terminal.draw(|frame| draw(frame, picture)).expect("drawn");
        let buffer = terminal.backend().buffer();
        let mut text = String::new();
        for row in buffer.content().chunks(usize::from(width)) {
            let line: String = row.iter().map(|cell| cell.symbol()).collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn picture() -> Picture {
        let told = |tick, tone, speaker: Option<&str>, text: &str| {
            let told = Telling { tick, tone, speaker: speaker.map(str::to_owned), text: text.to_owned() };
            (format!("{tick} s"), told)
        };
        Picture {
            title: "The Door".into(),
            seen_by: "the world".into(),
            story: vec![
                told(0, Tone::Wanted, None, "Mara wants: open (90)"),
                told(3, Tone::Told, None, "Mara knocks, twice, as agreed, and then once more because nobody comes."),
                told(3, Tone::Spoken, Some("Mara"), "You have moved the piano."),
            ],
            back: 0,
            cast: vec![("Mara".into(), "knock(mara)".into()), ("Pavel".into(), String::new())],
            selected: 0,
            plan: vec!["     3 s  running  knock(mara)".into(), "     5 s  planned  enter(mara)".into()],
            goals: vec!["      90  active   the door is open and the piano is where it was".into()],
            beliefs: (0..9).map(|at| format!("  mara.belief{at} = true")).collect(),
            question: None,
            status: " 3 s   1 tick/s".into(),
        }
    }

    #[test]
    fn the_story_stands_on_the_left_and_who_plays_it_on_the_right() {
        expect![[r#"
            ┌ The Door — as the world sees it ───────────┐┌ the cast ──────────────────────┐
            │0 s Mara wants: open (90)                   ││▸ Mara   knock(mara)            │
            │3 s Mara knocks, twice, as agreed, and then ││  Pavel                         │
            │    once more because nobody comes.         │└────────────────────────────────┘
            │    Mara: “You have moved the piano.”       │┌ Mara plans ────────────────────┐
            │                                            ││     3 s  running  knock(mara)  │
            │                                            ││     5 s  planned  enter(mara)  │
            │                                            ││                                │
            │                                            ││                                │
            │                                            ││                                │
            │                                            │└────────────────────────────────┘
            │                                            │┌ Mara wants ────────────────────┐
            │                                            ││      90  active   the door is …│
            │                                            ││                                │
            │                                            ││                                │
            │                                            ││                                │
            │                                            ││                                │
            │                                            │└────────────────────────────────┘
            │                                            │┌ Mara believes ─────────────────┐
            │                                            ││  mara.belief0 = true           │
            │                                            ││  … and 8 more                  │
            └────────────────────────────────────────────┘└────────────────────────────────┘
             3 s   1 tick/s
             Tab who  Enter see as  v next view  Space pause  +/- speed  PgUp/PgDn scroll  q
        "#]]
        .assert_eq(&drawn(&picture(), 80, 24));
    }

    #[test]
    fn a_question_lies_over_the_story() {
        let question = Popup {
            text: "Somebody knocks. Let her in?".into(),
            answers: vec!["Come in.".into(), "Not today.".into()],
            note: "no answer in 20 s: no".into(),
        };
        expect![[r#"
            ┌ The Door — as the world sees it ───────────┐┌ the cast ──────────────────────┐
            │0 s Mara wants: open (90)                   ││▸ Mara   knock(mara)            │
            │3 s Mara knocks, twice, as agreed, and then ││  Pavel                         │
            │    once more because nobody comes.         │└────────────────────────────────┘
            │    Mara: “You have moved the piano.”       │┌ Mara plans ────────────────────┐
            │                                            ││     3 s  running  knock(mara)  │
            │                                            ││     5 s  planned  enter(mara)  │
            │ ┌ you are asked ─────────────────────────┐ ││                                │
            │ │ Somebody knocks. Let her in?           │ ││                                │
            │ │                                        │ ││                                │
            │ │ 1  Come in.                            │ │└────────────────────────────────┘
            │ │ 2  Not today.                          │ │┌ Mara wants ────────────────────┐
            │ │ no answer in 20 s: no                  │ ││      90  active   the door is …│
            │ └────────────────────────────────────────┘ ││                                │
            │                                            ││                                │
            │                                            ││                                │
            │                                            ││                                │
            │                                            │└────────────────────────────────┘
            │                                            │┌ Mara believes ─────────────────┐
            │                                            ││  mara.belief0 = true           │
            │                                            ││  … and 8 more                  │
            └────────────────────────────────────────────┘└────────────────────────────────┘
             3 s   1 tick/s
             Tab who  Enter see as  v next view  Space pause  +/- speed  PgUp/PgDn scroll  q
        "#]]
        .assert_eq(&drawn(&Picture { question: Some(question), ..picture() }, 80, 24));
    }

    #[test]
    fn any_size_is_drawn() {
        for (width, height) in [(1, 1), (5, 3), (20, 8), (200, 60)] {
            drawn(&Picture { question: Some(Popup::default()), back: 1_000, ..picture() }, width, height);
        }
    }
}
