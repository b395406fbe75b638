// Two people, one letter, and each of them wants something else.

story "@TITLE@" { ticks 1 per s }

type Place
type Person {
  location: Place
  fond
}
type Thing { holder: Person | Place }

object kitchen "the kitchen", porch "the porch", orchard "the orchard": Place
object letter "the letter": Thing (holder = kitchen)

fluent told(a: Person, b: Person)
fluent secret = true

character ines "Ines": Person (location = porch) {
  goal letter.holder == tomas salience 80
  goal told(ines, tomas) salience 60
}

character tomas "Tomás": Person (location = orchard) {
  goal told(tomas, ines) salience 70
}

action walk(who: Person, from: Place, to: Place) by who {
  takes 4 ticks
  needs who.location == from and from != to
  then who.location = to
  say "{who} crosses to {to}."
}

action pickUp(who: Person, what: Thing, here: Place) by who {
  takes 1 tick
  needs who.location == here and what.holder == here
  then what.holder = who
  say "{who} takes {what} as if it weighed something."
}

action hand(who: Person, to: Person, what: Thing) by who with to {
  takes 1 tick
  needs who.location == to.location and what.holder == who
  then what.holder = to, to.fond
  say "{who} holds out {what}. {to} does not ask what is in it."
}

action tell(who: Person, to: Person) by who with to {
  takes 2 ticks
  needs who.location == to.location and who != to
  then told(who, to)
  say who: "I have meant to say this since the spring."
}

rule itIsOut {
  after tell(_, _) if told(ines, tomas) and told(tomas, ines)
  then not secret
  say "After that there is nothing left to keep."
}

futile wander(who: Person, to: Place) {
  needs secret and who.location != to
  goal who.location == to
}

ending spoken {
  when not secret and tomas.fond
  say "The orchard hums. Neither of them goes in for supper."
}
