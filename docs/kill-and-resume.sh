#!/bin/sh
# Kills the director and then the game with SIGKILL while they play, starts each again, and tells what became of it.
# Needs nothing but the program: `DRAMATURG=target/release/dramaturg docs/kill-and-resume.sh`
set -eu
dramaturg=$(command -v "${DRAMATURG:-dramaturg}")
case $dramaturg in /*) ;; *) dramaturg=$PWD/$dramaturg ;; esac
folder=$(mktemp -d)
director=
game=
trap 'kill -9 $director $game 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

cat > drill.story <<'STORY'
story "Drill" { ticks 60 per s }
type Actor { hands: actuator }
object ann, bob: Actor
action beat(who: Actor) { takes 4 ticks; uses who.hands; late 3 ticks }
STORY

address=127.0.0.1:0
serve() {
    rm -f serve.out
    "$dramaturg" serve drill.story --listen "$address" --journal journals --tasks 60 --gap 6 --json > serve.out 2>> serve.err &
    director=$!
    until [ -s serve.out ]; do sleep 0.05; done
    address=$(sed 's/.*"address":"\([^"]*\)".*/\1/' serve.out)
}
play() {
    "$dramaturg" run drill.story --connect "$address" --ticks 900 --save game.save --save-every 40 --transcript game.jsonl --quiet > game.out 2>&1 &
    game=$!
}
started() { grep -c '"what":"started"' game.jsonl || true; }
after() { until [ "$(started)" -ge "$1" ]; do sleep 0.05; done; }
dies() {
    kill -9 "$1"
    wait "$1" 2>/dev/null || true
}

touch game.jsonl
serve
echo "the director listens"
play
after 12
echo "the game has started $(started) tasks"

dies "$director"
echo "the director is killed"
serve
restored=$(sed 's/.*"restored":\([0-9]*\).*/\1/' serve.out)
echo "the director is started again: $restored session goes on from its journal"
after 30
echo "the game has started $(started) tasks"

dies "$game"
echo "the game is killed"
play
echo "the game is started again from its own save"
wait "$game"
game=
echo "the game is over: it has started $(started) tasks in all"
twice=$(sed -n 's/.*"step":\([0-9]*\),"part":\([0-9]*\),"what":"started".*/\1.\2/p' game.jsonl | sort | uniq -d | wc -l)
echo "$((twice)) tasks were started twice"

kill "$director"
wait "$director"
director=
"$dramaturg" replay journals/ended/* --events events.jsonl | sed 's/^/replay: /'
sent=$(grep -c '"event":"dispatched"' events.jsonl)
ends=$(grep '"event":"status"' events.jsonl | grep -cv '"accepted"\|"started"\|"progress"\|"amended"')
unknown=$(grep -c '"outcome":"unknown"' events.jsonl || true)
echo "$sent tasks were sent, $ends have an end; $unknown of these ends are unknown, and were planned anew"
