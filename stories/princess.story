// A story that builds its places and people just before the player meets them, and keeps interest on a curve.

story "The Princess" { ticks 60 per s }

// --- the world ------------------------------------------------------------------------------------------------------

type Place
type Setting: Place                   // what a map can be made into
type Hair
type Person {
  location: Place | nowhere
  body: actuator
  voice: actuator
}
type Princess: Person { hair: Hair }
type Map { kind: Setting }
type Player {
  location: Place
  quest: noQuest | princessQuest | villageQuest
  heading: Map | nowhere
  fancy: Hair | unknown               // the game finds out; until then any hair will do
  motivation: number 0..100 = 10
  attention: actuator
}

object crossroads "the crossroads": Place
object castle "the castle", village "the village": Setting
object golden "golden", raven "raven", copper "copper": Hair
object player "you": Player (location = crossroads)
object miller "the miller", herald "the herald": Person (location = village)

fluent princessExists
fluent met(p: Princess)

rule watchPlayer { reads player.location, player.quest, player.heading, player.fancy every 12 ticks }

// --- things that do not exist until they are needed -----------------------------------------------------------------

pool map "the map" (m: Map) of 4 {
  anchors m.kind                      // free to choose, and to choose again, until committed
  takes 180 ticks
  commit when player.heading == m
}

pool princess "the princess" (p: Princess) of 1 {
  anchors p.hair
  takes 120 ticks
  needs not princessExists
  then princessExists, p.location = castle
  commit when met(p)
}

// --- cues raise the motivation, rewards release it ------------------------------------------------------------------

action glimpse(p: Princess) #cue {
  takes 60 ticks
  needs p.anchored and p.location == player.location
  uses p.body, player.attention
  during player.motivation += 15      // in all, spread over the action
  then met(p) at start
  say "A window, a lamp, {p.hair} hair. Then the curtain."
}

action plea(who: Person) #cue {
  takes 90 ticks
  needs who.location == player.location
  uses who.voice, player.attention
  during player.motivation += 20
  say who: "She has not been seen since the harvest. Somebody ought to ask why."
    or "We would go ourselves. We have said so every evening."
}

action announce(who: Person) #cue {
  takes 40 ticks
  needs who.location == player.location
  uses who.voice, who.body from start to 10 ticks, player.attention
  during player.motivation += 10
  say who: "A contest! Three tasks, one prize, and no second prize."
}

action kiss(p: Princess) #reward {
  takes 30 ticks
  needs p.anchored and met(p)
  keeps p.location == player.location
  uses p.body, player.attention
  during player.motivation -= 30
  say "{p} kisses you, as if to settle an argument."
}

action celebrate(who: Person) #reward {
  takes 60 ticks
  needs who.location == player.location and any m: Map (m.committed)
  uses who.body, player.attention
  during player.motivation -= 25
  say "{who} has found a drum, which is a pity, and a barrel, which is not."
}

action finalReward(p: Princess) #reward {
  takes 60 ticks
  needs done kiss(_) and p.location == player.location
  uses p.body, player.attention
  during player.motivation -= 60
  say p: "Then it is settled. The keys are heavy. You may carry them."
}

action move(who: Person, to: Place) {
  takes 30 ticks
  needs who.location != to and who.location != nowhere
  uses who.body
  then who.location = to
}

rule interestFades { during player.motivation -= 0.01 per tick }

// --- what the story wants -------------------------------------------------------------------------------------------

goal any m: Map (m.anchored and m.kind == castle) while player.quest == princessQuest
goal any m: Map (m.anchored and m.kind == village) while player.quest == villageQuest
goal done kiss(_) while player.quest == princessQuest

prefer all p: Princess (p.hair == player.fancy) weight 3 while player.fancy != unknown

// Ten minutes: six crests, each a little higher, and the deepest dip right after the highest peak.
prefer player.motivation
  follows 10 at 0 s, 40 at 45 s, 25 at 60 s, 50 at 125 s, 28 at 150 s, 60 at 220 s, 32 at 250 s, 68 at 320 s,
  36 at 355 s,
  78 at 435 s, 38 at 470 s, 92 at 565 s, 12 at 600 s
  within 5
  weight 1
