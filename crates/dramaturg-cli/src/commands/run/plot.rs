//! A picture of the numbers that a story wants to follow a curve: what is wanted, what was planned, what came, and under it the cues
//! and rewards that made it so.

use std::path::Path;

use dramaturg::model::Tick;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::scenes::Scenes;
use crate::exit::Failure;
use crate::staging::course::Course;

const WIDTH: u32 = 1200;
/// The height of one curve.
const CURVE: u32 = 420;
/// The height of the lane of a tag.
const LANE: u32 = 34;
/// The room around all lanes.
const LANES_MARGIN: u32 = 50;

const WANTED: RGBColor = RGBColor(150, 150, 150);
const PLANNED: RGBColor = RGBColor(80, 130, 200);
const CAME: RGBColor = RGBColor(190, 50, 40);
/// The colours of lanes, one after another.
const LANE_COLORS: [RGBColor; 4] =
    [RGBColor(225, 140, 30), RGBColor(60, 145, 85), RGBColor(120, 85, 160), RGBColor(90, 90, 90)];

/// What is drawn.
pub struct Plot<'p> {
    /// The name of the story.
    pub title: &'p str,
    /// What came.
    pub courses: &'p [Course],
    /// What was planned before the story began; may be fewer.
    pub foreseen: &'p [Course],
    /// What was performed.
    pub scenes: &'p Scenes,
    /// Ticks in a second of the story.
    pub rate: f64,
}

type Drawn<T> = Result<T, Box<dyn std::error::Error>>;

impl Plot<'_> {
    /// Writes it as SVG.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut text = String::new();
        let drawn = self.draw(&mut text);
        drawn.map_err(|error| Failure::trouble(format!("cannot draw `{}`: {error}", path.display())))?;
        std::fs::write(path, text).map_err(|error| Failure::writing(path, &error))
    }

    fn draw(&self, text: &mut String) -> Drawn<()> {
        let lanes = self.scenes.lanes().len() as u32;
        let under = if lanes > 0 { LANES_MARGIN + LANE * lanes } else { 0 };
        let height = CURVE * self.courses.len().max(1) as u32 + under;
        let root = SVGBackend::with_string(text, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let (above, below) = root.split_vertically(height - under);
        for (area, course) in above.split_evenly((self.courses.len().max(1), 1)).iter().zip(self.courses) {
            let foreseen = self.foreseen.iter().find(|foreseen| foreseen.name == course.name);
            self.curve(area, course, foreseen)?;
        }
        if lanes > 0 {
            self.lanes(&below)?;
        }
        root.present()?;
        Ok(())
    }

    fn seconds(&self, tick: Tick) -> f64 {
        tick as f64 / self.rate
    }

    fn end(&self) -> f64 {
        let ends = self.courses.iter().map(|course| course.end().max(course.last().map_or(0, |(tick, _)| tick)));
        self.seconds(ends.max().unwrap_or(1)).max(1.0)
    }

    fn curve(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        course: &Course,
        foreseen: Option<&Course>,
    ) -> Drawn<()> {
        let all = course.target.iter().chain(&course.values).chain(foreseen.iter().flat_map(|course| &course.values));
        let (low, high) = all.fold((0.0f64, 1.0f64), |(low, high), (_, value)| (low.min(*value), high.max(*value)));
        let caption = format!("{}: {}", self.title, course.name);
        let mut chart = ChartBuilder::on(area)
            .caption(caption, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(34)
            .y_label_area_size(54)
            .build_cartesian_2d(0.0..self.end(), low..high * 1.08)?;
        chart.configure_mesh().x_desc("seconds").light_line_style(WHITE).draw()?;
        let line = |points: &[(Tick, f64)]| {
            thinned(points).map(|(tick, value)| (self.seconds(tick), value)).collect::<Vec<_>>()
        };
        chart
            .draw_series(LineSeries::new(line(&course.target), WANTED.stroke_width(3)))?
            .label("wanted")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], WANTED.stroke_width(3)));
        if let Some(foreseen) = foreseen {
            chart
                .draw_series(LineSeries::new(line(&foreseen.values), PLANNED.stroke_width(1)))?
                .label("as first planned")
                .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], PLANNED.stroke_width(1)));
        }
        chart
            .draw_series(LineSeries::new(line(&course.values), CAME.stroke_width(2)))?
            .label("as it came")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], CAME.stroke_width(2)));
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(WANTED)
            .label_font(("sans-serif", 14))
            .draw()?;
        Ok(())
    }

    fn lanes(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Drawn<()> {
        let lanes = self.scenes.lanes();
        let names: Vec<String> = lanes.keys().map(|tag| format!("#{tag}")).collect();
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(20)
            .y_label_area_size(54)
            .build_cartesian_2d(0.0..self.end(), 0.0..lanes.len() as f64)?;
        let name = |at: &f64| names.get((at - 0.5).round().max(0.0) as usize).filter(|_| at.fract() != 0.0).cloned();
        chart
            .configure_mesh()
            .disable_mesh()
            .y_labels(2 * lanes.len() + 1)
            .y_label_formatter(&|at| name(at).unwrap_or_default())
            .draw()?;
        for (row, (scenes, color)) in lanes.values().zip(LANE_COLORS.iter().cycle()).enumerate() {
            chart.draw_series(scenes.iter().map(|scene| {
                let to = scene.to.map_or(self.end(), |to| self.seconds(to));
                // Even the shortest can be seen.
                let to = to.max(self.seconds(scene.from) + self.end() / 600.0);
                let corners = [(self.seconds(scene.from), row as f64 + 0.15), (to, row as f64 + 0.85)];
                let style = if scene.failed { color.mix(0.25).filled() } else { color.filled() };
                Rectangle::new(corners, style)
            }))?;
        }
        Ok(())
    }
}

/// As many points as a picture shows.
fn thinned(points: &[(Tick, f64)]) -> impl Iterator<Item = (Tick, f64)> + '_ {
    let every = (points.len() / WIDTH as usize).max(1);
    let last = points.len().saturating_sub(1);
    points.iter().enumerate().filter(move |(at, _)| at % every == 0 || *at == last).map(|(_, point)| *point)
}
