//! Job-shop problems: each job is a chain of operations, each on one machine, and a machine does one at a time. They are written as
//! ordinary PDDL, so that a planner needs to know nothing of them.

use std::fmt::Write;

use dramaturg_model::Chance;

/// A job-shop problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobShop {
    /// Its name.
    pub name: String,
    /// How many machines there are.
    pub machines: usize,
    /// For each job its operations in order: a machine and how long it takes.
    pub jobs: Vec<Vec<(usize, u32)>>,
}

/// The shortest times of well-known problems.
const OPTIMA: [(&str, u32); 10] = [
    ("ft06", 55),
    ("ft10", 930),
    ("ft20", 1165),
    ("la01", 666),
    ("la02", 655),
    ("la03", 597),
    ("la04", 590),
    ("la05", 593),
    ("la16", 945),
    ("la21", 1046),
];

/// Well-known problems that come with this crate.
const KNOWN: [(&str, &str); 3] = [
    ("ft06", include_str!("../instances/ft06.txt")),
    ("ft10", include_str!("../instances/ft10.txt")),
    ("la01", include_str!("../instances/la01.txt")),
];

impl JobShop {
    /// A well-known problem that comes with this crate: `ft06`, `ft10` or `la01`.
    pub fn known(name: &str) -> Option<Self> {
        let (name, text) = KNOWN.iter().find(|(known, _)| *known == name)?;
        Self::read(name, text).ok()
    }

    /// The same in ticks, so many a unit of time. Each operation leaves its machine and its job the one tick that plans keep between an
    /// end and a start that needs it, so that no plan takes longer for these ticks.
    pub fn in_ticks(&self, ticks_per_unit: u32) -> Self {
        let ticks = |(machine, units): &(usize, u32)| (*machine, (units * ticks_per_unit).saturating_sub(1).max(1));
        Self { jobs: self.jobs.iter().map(|job| job.iter().map(ticks).collect()).collect(), ..self.clone() }
    }

    /// The same where no job may begin before a time of its own, at most this: it spends that time at a gate of its own first.
    pub fn with_releases(&self, seed: u64, latest: u32) -> Self {
        let mut chance = Chance::new(seed ^ 0x006A_7E00);
        let mut shop = Self { name: format!("{}-releases", self.name), ..self.clone() };
        for (number, job) in shop.jobs.iter_mut().enumerate() {
            job.insert(0, (self.machines + number, 1 + chance.below(latest.max(1) as usize) as u32));
        }
        shop.machines += shop.jobs.len();
        shop
    }

    /// Reads the standard format: comments, a line with the numbers of jobs and machines, then a line for each job with pairs of a
    /// machine and a duration.
    pub fn read(name: &str, text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let numbers = |line: &str| -> Result<Vec<u32>, String> {
            line.split_whitespace().map(|word| word.parse().map_err(|_| format!("`{word}` is not a number"))).collect()
        };
        let head = numbers(lines.next().ok_or("there is nothing in it")?)?;
        let &[count, machines] = head.as_slice() else {
            return Err("the first line should say how many jobs and machines there are".to_owned());
        };
        let mut jobs = Vec::new();
        for line in lines.take(count as usize) {
            let numbers = numbers(line)?;
            let (pairs, rest) = numbers.as_chunks::<2>();
            let job: Vec<(usize, u32)> =
                pairs.iter().map(|[machine, duration]| (*machine as usize, *duration)).collect();
            if !rest.is_empty() || job.iter().any(|(machine, duration)| *machine >= machines as usize || *duration == 0)
            {
                return Err(format!("line of job {}: pairs of a machine and a duration are expected", jobs.len() + 1));
            }
            jobs.push(job);
        }
        if jobs.len() != count as usize {
            return Err(format!("{count} jobs are announced, {} are there", jobs.len()));
        }
        Ok(Self { name: name.to_owned(), machines: machines as usize, jobs })
    }

    /// A random problem: every job visits every machine once, in a random order, for 1 to 99 units of time.
    pub fn random(seed: u64, jobs: usize, machines: usize) -> Self {
        let mut chance = Chance::new(seed);
        let jobs = (0..jobs).map(|_| {
            let mut order: Vec<usize> = (0..machines).collect();
            for place in (1..machines).rev() {
                order.swap(place, chance.below(place + 1));
            }
            order.into_iter().map(|machine| (machine, 1 + chance.below(99) as u32)).collect()
        });
        Self { name: format!("random-{seed}"), machines, jobs: jobs.collect() }
    }

    /// The shortest time there is, if this is a well-known problem.
    pub fn optimum(&self) -> Option<u32> {
        OPTIMA.iter().find(|(name, _)| *name == self.name).map(|(_, optimum)| *optimum)
    }

    /// No plan takes less: the longest job, or the machine with most to do.
    pub fn at_least(&self) -> u32 {
        let longest = self.jobs.iter().map(|job| job.iter().map(|(_, duration)| duration).sum::<u32>()).max();
        let work = |machine: usize| -> u32 {
            self.jobs.iter().flatten().filter(|(on, _)| *on == machine).map(|(_, duration)| duration).sum()
        };
        longest.max((0..self.machines).map(work).max()).unwrap_or(0)
    }

    /// The domain, the same for all, and this problem.
    pub fn to_pddl(&self) -> (String, String) {
        let domain = "(define (domain job-shop)
  (:requirements :typing :durative-actions :fluents)
  (:types operation machine)
  (:predicates (on ?o - operation ?m - machine) (next ?o ?p - operation) (due ?o - operation) (done ?o - operation)
               (idle ?m - machine))
  (:functions (length ?o - operation))
  (:durative-action perform
    :parameters (?o - operation ?m - machine ?p - operation)
    :duration (= ?duration (length ?o))
    :condition (and (at start (due ?o)) (at start (on ?o ?m)) (at start (next ?o ?p)) (at start (idle ?m)))
    :effect (and (at start (not (due ?o))) (at start (not (idle ?m)))
                 (at end (idle ?m)) (at end (done ?o)) (at end (due ?p))))
)
";
        let mut objects = String::new();
        let mut init = String::new();
        let mut goal = String::new();
        for (number, job) in self.jobs.iter().enumerate() {
            // Writing to a text cannot fail. The last operation of a job leads to one that nobody can perform.
            let _ = write!(init, "\n    (due j{number}-0)");
            for (place, (machine, duration)) in job.iter().enumerate() {
                let _ = write!(objects, " j{number}-{place}");
                let _ = write!(
                    init,
                    "\n    (on j{number}-{place} m{machine}) (next j{number}-{place} j{number}-{}) (= (length j{number}-{place}) {duration})",
                    place + 1
                );
                let _ = write!(goal, " (done j{number}-{place})");
            }
            let _ = write!(objects, " j{number}-{}", job.len());
        }
        let machines: Vec<String> = (0..self.machines).map(|machine| format!("m{machine}")).collect();
        let idle: Vec<String> = machines.iter().map(|machine| format!("(idle {machine})")).collect();
        let problem = format!(
            "(define (problem {}) (:domain job-shop)\n  (:objects{objects} - operation {} - machine)\n  (:init {}{init})\n  \
             (:goal (and{goal}))\n  (:metric minimize (total-time)))\n",
            self.name,
            machines.join(" "),
            idle.join(" "),
        );
        (domain.to_owned(), problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_format_is_read() {
        let shop = JobShop::read("tiny", "# a comment\n2 2\n0 3 1 2\n1 4  0 1\n").unwrap();
        assert_eq!((shop.machines, shop.jobs.as_slice()), (2, &[vec![(0, 3), (1, 2)], vec![(1, 4), (0, 1)]][..]));
        assert_eq!((shop.at_least(), shop.optimum()), (6, None));
        assert!(JobShop::read("short", "3 2\n0 3 1 2\n").is_err());
        assert!(JobShop::read("odd", "1 2\n0 3 1\n").is_err());
        assert!(JobShop::read("far", "1 2\n0 3 2 1\n").is_err());
        assert!(JobShop::read("empty", "").is_err());
    }

    #[test]
    fn known_problems_come_along() {
        for (name, jobs, machines, at_least) in [("ft06", 6, 6, 47), ("ft10", 10, 10, 655), ("la01", 10, 5, 666)] {
            let shop = JobShop::known(name).unwrap();
            assert_eq!((shop.jobs.len(), shop.machines, shop.at_least()), (jobs, machines, at_least), "{name}");
            assert!(shop.optimum().is_some());
        }
        let ticks = JobShop::known("ft06").unwrap().in_ticks(6);
        assert_eq!(ticks.jobs[0][..2], [(2, 5), (0, 17)]);
        let released = JobShop::random(3, 6, 6).with_releases(3, 50);
        assert_eq!((released.machines, released.jobs[5].len(), released.jobs[5][0].0), (12, 7, 11));
    }

    #[test]
    fn random_problems_follow_from_their_seed() {
        let shop = JobShop::random(7, 3, 4);
        assert_eq!(shop, JobShop::random(7, 3, 4));
        assert_ne!(shop.jobs, JobShop::random(8, 3, 4).jobs);
        for job in &shop.jobs {
            let mut machines: Vec<usize> = job.iter().map(|(machine, _)| *machine).collect();
            machines.sort_unstable();
            assert_eq!(machines, [0, 1, 2, 3]);
        }
    }
}
