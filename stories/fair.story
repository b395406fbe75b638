// An evening at a fair that finds out whom the player listens to and what the player looks at, and bends the evening that way.

story "The Fair" { ticks 60 per s }

// --- the world ------------------------------------------------------------------------------------------------------

type Place
type Shade { lingered: number 0..100000 = 0 }        // for how many ticks the player has looked at it
type Person {
  location: Place | nowhere
  heard: number 0..100000 = 0                         // for how many ticks the player has listened to them
  body: actuator
  voice: actuator
}
type Stranger: Person { eyes: Shade }
type Player {
  location: Place
  gaze: Shade | away = away                           // the game says what the player looks at
  listensTo: Person | nobody = nobody                 // and whom the player stands next to
  fancy: Shade | unknown = unknown                    // what the story makes of it
  favourite: Person | nobody = nobody
  romance: number 0..100 = 10
  curiosity: number 0..100 = 10
  attention: actuator
}

object square "the square", orchard "the orchard": Place
object grey "grey", green "green", brown "brown": Shade
object player "you": Player (location = square)
object ilse "Ilse", tomas "Tomas": Person (location = square)

fluent met(s: Stranger)

// --- what the story learns by watching -------------------------------------------------------------------------------

rule watchPlayer { reads player.location, player.gaze, player.listensTo every 12 ticks }

rule lingers(s: Shade) { while player.gaze == s; during s.lingered += 1 per tick }
rule listens(p: Person) { while player.listensTo == p; during p.heard += 1 per tick }

rule takesFancy(s: Shade) { when s.lingered >= 180; then player.fancy = s }
rule findsFavourite(p: Person) { when p.heard >= 240; then player.favourite = p }

// --- somebody who is not there until the evening needs them ----------------------------------------------------------

pool stranger "the stranger" (s: Stranger) of 2 {
  anchors s.eyes
  takes 90 ticks
  then s.location = orchard
  commit when met(s)
}

// --- two kinds of wanting, each with its cues and rewards ------------------------------------------------------------

action song(who: Person) #cue {
  takes 60 ticks
  needs who.location == player.location
  prefer player.favourite == nobody or who == player.favourite weight 4
  uses who.voice, player.attention
  during player.romance += 14
  say who: "I will leave out the verse about the miller. He is standing behind you."
    or "This one has no ending. I stop when you stop looking."
}

action riddle(who: Person) #cue {
  takes 50 ticks
  needs who.location == player.location
  prefer player.favourite == nobody or who == player.favourite weight 4
  uses who.voice, player.attention
  during player.curiosity += 12
  say who: "What is full of doors and has never been entered? Do not say a calendar."
}

action glance(s: Stranger) #cue {
  takes 40 ticks
  needs s.anchored and s.location == player.location
  uses s.body, player.attention
  during player.romance += 10, player.curiosity += 10
  then met(s) at start
  say "Across the lanterns, {s.eyes} eyes, and then a crowd where they were."
}

action dance(who: Person) #reward {
  takes 60 ticks
  needs who.location == player.location and player.romance >= 25
  prefer player.favourite == nobody or who == player.favourite weight 4
  uses who.body, player.attention
  during player.romance -= 25
  say "{who} counts under their breath and is wrong, and you are wrong together."
}

action answer(who: Person) #reward {
  takes 40 ticks
  needs who.location == player.location and player.curiosity >= 25
  uses who.voice, player.attention
  during player.curiosity -= 25
  say who: "It was the pigeon loft. It is always the pigeon loft."
}

action move(who: Person, to: Place) {
  takes 30 ticks
  needs who.location != to and who.location != nowhere
  uses who.body
  then who.location = to
}

rule romanceCools { during player.romance -= 0.01 per tick }
rule curiosityFades { during player.curiosity -= 0.01 per tick }

// --- what the story wants -------------------------------------------------------------------------------------------

goal any s: Stranger (s.anchored)

prefer all s: Stranger (s.eyes == player.fancy) weight 3 while player.fancy != unknown

prefer player.romance
  follows 10 at 0 s, 40 at 20 s, 20 at 25 s, 55 at 45 s, 25 at 50 s, 70 at 75 s, 10 at 80 s
  within 6

prefer player.curiosity
  follows 10 at 0 s, 30 at 10 s, 30 at 30 s, 15 at 35 s, 50 at 60 s, 15 at 65 s, 15 at 80 s
  within 6
