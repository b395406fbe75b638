//! Real-time story and character planning: the front door.
//!
//! # Layout
//!
//! [`model`] holds the nouns, [`story`] turns sources into a model, [`planner`] grounds, simulates and validates. What is here
//! itself: [`disk`] reads sources from disk, [`mod@open`] opens what a user names, [`render`] writes diagnostics.
//!
//! # A first story
//!
//! A story declares kinds of things, things, what may happen and what is wanted. Compiling never fails: it always yields a model,
//! and diagnostics that say what is wrong with the story.
//!
//! ```
//! use dramaturg::story::compile_text;
//!
//! let text = r#"
//!     story "Tea" { ticks 10 per s }
//!
//!     type Kettle { water: cold | hot; full }
//!     object kettle "the old kettle": Kettle
//!     fluent poured
//!
//!     action fill(k: Kettle) { takes 2 s; needs not k.full; then k.full }
//!     action boil(k: Kettle) {
//!       takes 5 s
//!       needs k.full
//!       then k.water = hot
//!       say "{k} begins to sing." at end
//!     }
//!     action pour(k: Kettle) { needs k.water == hot; then poured, not k.full }
//!
//!     rule cools(k: Kettle) { when not k.full; then k.water = cold }
//!     goal poured by 20 s
//! "#;
//! let tea = compile_text("tea.story", text);
//! assert!(tea.is_usable());
//! assert_eq!(tea.model.actions.len(), 3);
//! ```
//!
//! # What is wrong with it
//!
//! A [`Diagnostic`](model::Diagnostic) names the place, the cause and the cure; a [`Renderer`] shows it with the lines it speaks of.
//!
//! ```
//! use dramaturg::{Renderer, story::compile_text};
//!
//! let broken = compile_text("tea.story", "story \"Tea\"\nfluent poured\ngoal pouret");
//! let text = Renderer::new(&broken.sources, false).text(&broken.diagnostics[0]);
//! assert!(text.contains("did you mean `poured`?"));
//! ```
//!
//! # A plan, simulated
//!
//! A plan is steps with names and ticks. A [`World`](planner::simulate::World) performs them, tick by tick, and reports what happens.
//!
//! ```
//! use dramaturg::model::Plan;
//! use dramaturg::planner::simulate::{World, WorldEventKind, WorldOptions};
//! # let text = r#"story "Tea" { ticks 10 per s }
//! # type Kettle { water: cold | hot; full }
//! # object kettle "the old kettle": Kettle
//! # fluent poured
//! # action fill(k: Kettle) { takes 2 s; needs not k.full; then k.full }
//! # action boil(k: Kettle) { takes 5 s; needs k.full; then k.water = hot; say "{k} begins to sing." at end }
//! # action pour(k: Kettle) { needs k.water == hot; then poured, not k.full }
//! # goal poured by 20 s"#;
//! # let tea = dramaturg::story::compile_text("tea.story", text);
//! let mut plan = Plan::default();
//! plan.add("fill", ["kettle"], 0, 20);
//! plan.add("boil", ["kettle"], 20, 50);
//! plan.add("pour", ["kettle"], 70, 1);
//!
//! let mut world = World::begin(&tea.model, WorldOptions::default());
//! for step in &plan.steps {
//!     world.schedule(&tea.model, step).expect("its names are those of the story");
//! }
//! world.step_to(&tea.model, plan.end());
//! let said = world.drain().into_iter().find_map(|event| match event.kind {
//!     WorldEventKind::Said { shown, .. } => Some(shown),
//!     _ => None,
//! });
//! assert_eq!(said.as_deref(), Some("The old kettle begins to sing."));
//! ```
//!
//! # A plan, judged
//!
//! [`validate`](planner::validate::validate) judges every plan, whoever made it, and lists each condition that is not met.
//!
//! ```
//! use dramaturg::model::{Plan, State};
//! use dramaturg::planner::validate::{ValidateOptions, validate};
//! # let text = r#"story "Tea" { ticks 10 per s }
//! # type Kettle { water: cold | hot; full }
//! # object kettle "the old kettle": Kettle
//! # fluent poured
//! # action fill(k: Kettle) { takes 2 s; needs not k.full; then k.full }
//! # action boil(k: Kettle) { takes 5 s; needs k.full; then k.water = hot; say "{k} begins to sing." at end }
//! # action pour(k: Kettle) { needs k.water == hot; then poured, not k.full }
//! # goal poured by 20 s"#;
//! # let tea = dramaturg::story::compile_text("tea.story", text);
//! let mut hasty = Plan::default();
//! hasty.add("pour", ["kettle"], 0, 1);
//! let report = validate(&tea.model, &State::initial(&tea.model, 0), &hasty, &ValidateOptions::default());
//! assert!(!report.valid);
//! assert_eq!(report.violations[0].fluent.as_deref(), Some("kettle.water"));
//! ```

pub use dramaturg_model as model;
pub use dramaturg_planner as planner;
pub use dramaturg_story as story;

pub mod disk;
pub use disk::DiskFiles;
pub mod open;
pub use open::{OpenError, Opened, open};
pub mod render;
pub use render::Renderer;
