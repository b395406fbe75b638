// A keeper, a lamp, and a ship that comes with the dark.

story "@TITLE@" { ticks 10 per s }

type Place
type Keeper {
  location: Place
  cans: int 0..2            // of oil, carried
  hands: actuator           // does one thing at a time
}

object quay "the quay", store "the oil store", lantern-room "the lantern room": Place
object mara "Mara": Keeper (location = quay)

fluent path(a: Place, b: Place)
given path(quay, store), path(store, quay), path(store, lantern-room), path(lantern-room, store)

fluent oil: int 0..4 = 0    // in the lamp
fluent lit
fluent ship: far | near | safe | wrecked

// --- what Mara can do -----------------------------------------------------------------------------------------------

action walk(who: Keeper, from: Place, to: Place) by who {
  takes 3 s
  needs who.location == from and path(from, to)
  then who.location = to
  say "{who} hurries from {from} to {to}."
}

action fetch(who: Keeper) by who {
  takes 2 s
  needs who.location == store and who.cans < 2
  uses who.hands
  then who.cans += 1
  say "{who} lifts a can off the shelf."
}

action pour(who: Keeper) by who {
  takes 1.5 s
  needs who.location == lantern-room and who.cans > 0
  uses who.hands
  then who.cans -= 1, oil += 2
  say "The oil goes in without a sound."
}

action light(who: Keeper) by who {
  takes 1 s
  needs who.location == lantern-room and oil > 0 and not lit
  uses who.hands
  then lit
  say who: "Burn, you stubborn thing."
}

// --- what happens by itself -----------------------------------------------------------------------------------------

rule shipComes {
  when now >= 10 s and ship == far
  then ship = near
  say "A ship stands in from the west, sails grey against grey."
}

rule shipSeesLamp {
  when ship == near and lit
  then ship = safe
  say "Out there, somebody turns the wheel in time."
}

rule shipStrikes {
  when ship == near and now >= 40 s
  then ship = wrecked
  say "Then the sound that everyone on the quay will deny having heard."
}

rule lampBurns { while lit; during oil -= 0.01 per s }

// --- what the story wants -------------------------------------------------------------------------------------------

goal ship == safe by 40 s
