#!/usr/bin/env bash
# Fills the corpora from the sample stories.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p corpus/story corpus/pddl corpus/plan
cp ../stories/*.story ../stories/*.play corpus/story/
cp ../docs/diagnostics/*.md corpus/story/
cp ../docs/pddl.md corpus/pddl/
find ../crates -name '*.pddl' -exec cp {} corpus/pddl/ \;
printf '475: (take anna apple) [5]\n480: (eat anna apple) [20]\n' > corpus/plan/apple.plan
printf '{"steps":[{"id":0,"action":"take","args":["anna","apple"],"start":475,"duration":5}]}' > corpus/plan/apple.json
# Journals, saves and frames come from a session that is played.
cargo run --quiet --release --example seed
