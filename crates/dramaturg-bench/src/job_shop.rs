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

impl JobShop {
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
