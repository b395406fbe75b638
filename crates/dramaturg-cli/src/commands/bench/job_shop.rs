//! `dramaturg bench job-shop`: how near plans come to the shortest, and how soon.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Args;
use comfy_table::{Table, presets};
use dramaturg_bench::{Claim, JobShop};
use serde::Serialize;
use serde_json::Value;

use super::{Measured, claims, right, trimmed};
use crate::exit::{Exit, Failure};
use crate::shell::Shell;

/// Job-shop problems in the standard format, as ordinary PDDL.
#[derive(Args)]
pub struct JobShops {
    /// A file with a problem, or a folder of such files
    #[arg(value_name = "FILE|FOLDER")]
    path: Option<PathBuf>,
    /// How long to look for better plans, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Random problems too, of this many jobs and machines
    #[arg(long, value_name = "JOBSxMACHINES", value_parser = size)]
    random: Option<(usize, usize)>,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Only write the problems as PDDL into this folder
    #[arg(long, value_name = "FOLDER")]
    export: Option<PathBuf>,
}

fn size(text: &str) -> Result<(usize, usize), String> {
    let pair = text.split_once('x').and_then(|(jobs, machines)| Some((jobs.parse().ok()?, machines.parse().ok()?)));
    pair.filter(|(jobs, machines)| (1..=200).contains(jobs) && (1..=200).contains(machines))
        .ok_or_else(|| "numbers of jobs and machines, such as 10x5".to_owned())
}

#[derive(Serialize)]
struct Figures {
    seconds: u64,
    problems: Vec<Figure>,
    claims: Vec<Claim>,
}

#[derive(Serialize)]
struct Figure {
    name: String,
    jobs: usize,
    machines: usize,
    /// The shortest there is, if that is known.
    optimum: Option<u32>,
    /// No plan takes less.
    at_least: u32,
    /// The first plan, and when it was found.
    first: Option<(f64, f64)>,
    /// The best plan, and when it was found.
    best: Option<(f64, f64)>,
}

impl JobShops {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let trouble = |what: &str, error: std::io::Error| Failure::trouble(format!("{what}: {error}"));
        let shops = self.shops()?;
        if let Some(folder) = &self.export {
            for shop in &shops {
                let folder = folder.join(&shop.name);
                fs::create_dir_all(&folder).map_err(|error| trouble("no folder to write to", error))?;
                write(shop, &folder).map_err(|error| trouble("a problem cannot be written", error))?;
            }
            return Ok(Exit::Fine);
        }
        let program = std::env::current_exe().map_err(|error| trouble("this program is not found", error))?;
        let scratch = tempfile::tempdir().map_err(|error| trouble("no folder to work in", error))?;
        let mut problems = Vec::new();
        for shop in &shops {
            write(shop, scratch.path()).map_err(|error| trouble("a problem cannot be written", error))?;
            let found =
                self.plan(&program, scratch.path()).map_err(|error| trouble("a command cannot be run", error))?;
            problems.push(figure(shop, &found));
        }
        let claims = told_claims(&problems);
        let figures = Figures { seconds: self.seconds, problems, claims };
        if shell.json {
            shell.json(&Measured { command: "bench", what: "job-shop", ok: true, figures: &figures })?;
            return Ok(Exit::Fine);
        }
        tell(shell, &figures)?;
        Ok(Exit::Fine)
    }

    fn shops(&self) -> Result<Vec<JobShop>, Failure> {
        let mut shops = Vec::new();
        if let Some(path) = &self.path {
            let unreadable =
                |error: std::io::Error| Failure::trouble(format!("cannot read `{}`: {error}", path.display()));
            let mut files = vec![path.clone()];
            if path.is_dir() {
                files = fs::read_dir(path).map_err(unreadable)?.flatten().map(|entry| entry.path()).collect();
                files.sort();
            }
            for file in files.iter().filter(|file| file.is_file()) {
                let text = fs::read_to_string(file).map_err(unreadable)?;
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                let shop = JobShop::read(&name, &text)
                    .map_err(|why| Failure::trouble(format!("`{}` is no job-shop problem: {why}", file.display())))?;
                shops.push(shop);
            }
        }
        if let Some((jobs, machines)) = self.random {
            shops.push(JobShop::random(self.seed, jobs, machines));
        }
        if shops.is_empty() {
            return Err(
                Failure::usage("there is no problem to plan").hint("name a file or a folder, or use --random 10x5")
            );
        }
        Ok(shops)
    }

    fn plan(&self, program: &Path, folder: &Path) -> std::io::Result<Value> {
        let mut command = Command::new(program);
        command.args(["plan", "domain.pddl", "problem.pddl", "--planner", "repair", "--json"]);
        command.args(["--time", &self.seconds.to_string(), "--seed", &self.seed.to_string()]);
        let ran = dramaturg_bench::whole_command::run(command, folder, Duration::from_secs(self.seconds * 2 + 10))?;
        Ok(serde_json::from_str(&ran.said).unwrap_or_default())
    }
}

fn write(shop: &JobShop, folder: &Path) -> std::io::Result<()> {
    let (domain, problem) = shop.to_pddl();
    fs::write(folder.join("domain.pddl"), domain)?;
    fs::write(folder.join("problem.pddl"), problem)
}

fn figure(shop: &JobShop, said: &Value) -> Figure {
    let all = said["improvements"].as_array();
    let moment = |one: &Value| Some((one["makespan"].as_f64()?, one["seconds"].as_f64()?));
    Figure {
        name: shop.name.clone(),
        jobs: shop.jobs.len(),
        machines: shop.machines,
        optimum: shop.optimum(),
        at_least: shop.at_least(),
        first: all.and_then(|all| all.first()).and_then(moment),
        best: all.and_then(|all| all.last()).and_then(moment),
    }
}

/// How much longer than the shortest a plan takes, in percent; moments between steps that follow each other do not count.
fn excess(figure: &Figure) -> Option<f64> {
    let (optimum, (best, _)) = (f64::from(figure.optimum?), figure.best?);
    Some((best.floor() / optimum - 1.0) * 100.0)
}

fn told_claims(problems: &[Figure]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for figure in problems {
        let Some(excess) = excess(figure) else { continue };
        match figure.name.as_str() {
            "ft06" => {
                claims.push(Claim::at_most("ft06 above the shortest", excess, 0.0, "%"));
                claims.extend(figure.best.map(|(_, moment)| Claim::at_most("ft06, found after", moment, 0.1, "s")));
            }
            "ft10" => claims.push(Claim::at_most("ft10 above the shortest", excess, 5.0, "%")),
            "la01" => claims.push(Claim::at_most("la01 above the shortest", excess, 0.0, "%")),
            _ => {}
        }
    }
    claims
}

fn tell(shell: &mut Shell, figures: &Figures) -> Result<(), Failure> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["problem", "jobs", "machines", "shortest", "first", "after s", "best", "after s", "above %"]);
    let none = || "–".to_owned();
    for figure in &figures.problems {
        let pair = |found: Option<(f64, f64)>| match found {
            Some((end, moment)) => [format!("{end:.2}"), format!("{moment:.3}")],
            None => [none(), none()],
        };
        let shortest = figure.optimum.map_or_else(|| format!("≥ {}", figure.at_least), |optimum| optimum.to_string());
        let mut row = vec![figure.name.clone(), figure.jobs.to_string(), figure.machines.to_string(), shortest];
        row.extend(pair(figure.first));
        row.extend(pair(figure.best));
        row.push(excess(figure).map_or_else(none, |excess| format!("{excess:.1}")));
        table.add_row(row);
    }
    right(&mut table, 1..9);
    writeln!(shell.out, "{}\n", trimmed(&table))?;
    claims(shell, &figures.claims)
}
