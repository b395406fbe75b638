//! Random logistics problems in PDDL: trucks within cities, planes between them, packages to be brought.

use std::fmt::Write;

use dramaturg_model::Chance;

/// A random problem. A vehicle does one thing at a time.
#[derive(Clone, Debug)]
pub struct Logistics {
    /// Its name.
    pub name: String,
    /// Where each vehicle stands, as names.
    pub vehicles: Vec<(String, String)>,
    /// Where each package lies and where it is to be, as names.
    pub packages: Vec<(String, String, String)>,
    /// Who goes from where to where, and how many ticks that takes.
    ways: Vec<(String, String, String, u32)>,
    places: Vec<String>,
    /// How many ticks it takes to load or unload.
    handling: u32,
}

const DOMAIN: &str = "(define (domain logistics)
  (:requirements :typing :durative-actions :fluents)
  (:types vehicle package place)
  (:predicates (way ?v - vehicle ?a ?b - place) (parked ?v - vehicle ?p - place) (ready ?v - vehicle)
               (lies ?k - package ?p - place) (aboard ?k - package ?v - vehicle))
  (:functions (distance ?a ?b - place) (handling))
  (:durative-action go
    :parameters (?v - vehicle ?a ?b - place)
    :duration (= ?duration (distance ?a ?b))
    :condition (and (at start (way ?v ?a ?b)) (at start (parked ?v ?a)) (at start (ready ?v)))
    :effect (and (at start (not (parked ?v ?a))) (at start (not (ready ?v)))
                 (at end (parked ?v ?b)) (at end (ready ?v))))
  (:durative-action load
    :parameters (?k - package ?v - vehicle ?p - place)
    :duration (= ?duration (handling))
    :condition (and (at start (lies ?k ?p)) (at start (ready ?v)) (over all (parked ?v ?p)))
    :effect (and (at start (not (lies ?k ?p))) (at start (not (ready ?v)))
                 (at end (aboard ?k ?v)) (at end (ready ?v))))
  (:durative-action unload
    :parameters (?k - package ?v - vehicle ?p - place)
    :duration (= ?duration (handling))
    :condition (and (at start (aboard ?k ?v)) (at start (ready ?v)) (over all (parked ?v ?p)))
    :effect (and (at start (not (aboard ?k ?v))) (at start (not (ready ?v)))
                 (at end (lies ?k ?p)) (at end (ready ?v))))
)
";

impl Logistics {
    /// So many cities of three places, each with a truck; two planes fly between their airports. Every package is to be brought to
    /// another city.
    pub fn random(seed: u64, cities: usize, packages: usize, ticks_per_unit: u32) -> Self {
        let mut chance = Chance::new(seed ^ 0x0010_6157);
        let place = |city: usize, number: usize| format!("c{city}-p{number}");
        let mut ways = Vec::new();
        let mut both = |who: &str, one: String, other: String, units: usize| {
            let ticks = units as u32 * ticks_per_unit - 1;
            ways.push((who.to_owned(), one.clone(), other.clone(), ticks));
            ways.push((who.to_owned(), other, one, ticks));
        };
        let mut vehicles = Vec::new();
        let mut places = Vec::new();
        for city in 0..cities {
            let truck = format!("truck{city}");
            for number in 0..3 {
                places.push(place(city, number));
                for other in 0..number {
                    both(&truck, place(city, other), place(city, number), 3 + chance.below(8));
                }
            }
            vehicles.push((truck, place(city, chance.below(3))));
        }
        for city in 0..cities {
            for other in 0..city {
                // Both planes fly as fast.
                let units = 12 + chance.below(12);
                both("plane0", place(other, 0), place(city, 0), units);
                both("plane1", place(other, 0), place(city, 0), units);
            }
        }
        vehicles.extend((0..2).map(|plane| (format!("plane{plane}"), place(chance.below(cities), 0))));
        let packages = (0..packages).map(|package| {
            let from = chance.below(cities);
            let to = (from + 1 + chance.below(cities.saturating_sub(1))) % cities.max(1);
            (format!("box{package}"), place(from, chance.below(3)), place(to, chance.below(3)))
        });
        let packages = packages.collect();
        let handling = 2 * ticks_per_unit - 1;
        Self { name: format!("logistics-{seed}"), vehicles, packages, ways, places, handling }
    }

    /// The domain, the same for all, and this problem. Time is in ticks.
    pub fn to_pddl(&self) -> (String, String) {
        let names = |all: &mut dyn Iterator<Item = &String>| all.map(String::as_str).collect::<Vec<_>>().join(" ");
        let vehicles = names(&mut self.vehicles.iter().map(|(name, _)| name));
        let packages = names(&mut self.packages.iter().map(|(name, ..)| name));
        let places = names(&mut self.places.iter());
        let (mut init, mut goal) = (String::new(), String::new());
        // Writing to a text cannot fail.
        for (who, one, other, ticks) in &self.ways {
            let _ = write!(init, "\n    (way {who} {one} {other})");
            if who != "plane1" {
                let _ = write!(init, " (= (distance {one} {other}) {ticks})");
            }
        }
        for (vehicle, at) in &self.vehicles {
            let _ = write!(init, "\n    (parked {vehicle} {at}) (ready {vehicle})");
        }
        for (package, from, to) in &self.packages {
            let _ = write!(init, "\n    (lies {package} {from})");
            let _ = write!(goal, " (lies {package} {to})");
        }
        let problem = format!(
            "(define (problem {}) (:domain logistics)\n  (:objects {vehicles} - vehicle {packages} - package {places} - place)\n  \
             (:init (= (handling) {}){init})\n  (:goal (and{goal}))\n  (:metric minimize (total-time)))\n",
            self.name, self.handling
        );
        (DOMAIN.to_owned(), problem)
    }
}
