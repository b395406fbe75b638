//! A story with all that a world can be in the middle of.

pub const FAIR: &str = r#"
type Place
type Person { at: Place; mood: number 0..100 = 50; coins: number 0.. = 5; tired; hands: actuator; feet: actuator }
type Balloon { colour: red | blue = red }
object square, pier: Place
object bell: Person (at = square)
fluent rung; fluent cheers: int 0..50; fluent wet; fluent met(a: Person, b: Person); fluent night means timeOfDay > 30 s
fluent weary(p: Person) means p.mood < 30
given rung at 12 s
given bell.mood += 3 at 25 s

action stroll(p: Person, to: Place) by p {
  takes 3 s .. 9 s
  needs p.at != to
  keeps not p.tired
  uses p.feet
  during p.mood += 0.4 per s
  then p.at = to
  then p.coins -= 1 at 2 s
  say "{p} strolls." or "{p} ambles." or "{p} wanders." at end
}
action juggle(p: Person) by p #show {
  takes 8 s
  needs p.coins > 0
  needs p.mood > 5 at 4 s
  uses p.hands from start to 3 s, p.feet from 2 s to 5 s
  during p.mood -= 1 per s if not wet
  during cheers += 1 per s
  then p.tired = true if p.mood < 40
  then cheers += 2 at 5 s
  say p: "Hop!" or "Hey!"
  say "It falls." at 6 s
}
action rest(p: Person) by p { takes 4 s; during p.mood += 7; then not p.tired, p.mood = random 20..80 }
action call(p: Person, q: Person) by p with q {
  takes 5 s
  uses p.hands, q.hands
  expect q.at = p.at
  extend 2 times by 3 s
  otherwise p.mood -= 10
  then met(p, q)
}
rule rains { when cheers >= 6 if not wet; takes 7 s; then wet; then cheers -= 4 at 3 s; during cheers += 3; say "Rain." at end }
rule dries { when wet; takes 5 s; then not wet }
rule comes(p: Person) {
  when p.tired
  takes 6 s
  expect p.at = pier
  check every 1 s
  extend 1 times by 4 s
  otherwise p.coins += 1
}
rule tires(p: Person) { while p.at == pier and night; during p.mood -= 0.25 per s }
rule longs(p: Person) { after call(p, _); inject dora { goal p.at == pier by 9 s salience 70 while not wet } }
rule claps { after #show; then cheers += 1 }
task evening { offer "An evening"; method grand if cheers > 3 { say "Grand." or "Splendid."; do juggle(dora); then cheers += 1; do quiet }
  method small { do rest(dora); do quiet } }
task quiet { method { then rung; do stroll(dora, pier) } }
character dora "Dora": Person (at = square) { goal dora.at == pier then dora.coins > 8 by 40 s; keep dora.mood > 10 }
personality greedy(p: Person) { keep p.coins > 1 }
personality shy(p: Person) { keep cheers < 20 from 5 s to 30 s }
population guest "a guest" (g: Person) of 5 {
  given g.at = random Place
  given g.mood = random 1..99
  given g.tired at 9 s
  goal met(g, dora) while not wet
  personality greedy 40 %, shy
}
pool balloon "a balloon" (b: Balloon) of 2 { anchors b.colour; takes 2 s; commit when wet }
level day { goal bell.tired; keep bell.coins < 9; milestone dusk { when cheers >= 12; next dusk-level carrying Person.at, Person.mood, cheers; say "Dusk." } }
level dusk-level {
  object lamp: Place
  rule lit { when wet; then cheers += 1 }
  goal cheers > 30 by 60 s
  milestone dawn { when cheers < 4; next day carrying Person.at }
  ending late { when bell.coins >= 60; say "It is late." }
}
goal rung by 20 s then cheers > 10
"#;
