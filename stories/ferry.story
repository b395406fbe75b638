// A ferryman, a river, and a price that is asked before anybody moves. What is planned stands in ferry.plan.

story "The Ferry" { ticks 10 per s }

type Bank
type Person {
  place: Bank
  hands: actuator
}

object near "the near bank", far "the far bank": Bank
object ferryman "the ferryman": Person (place = near)
object player "you": Person (place = near)

fluent paid
fluent river: low | high
fluent crossings: int 0..9

rule weather { reads river }          // the game sees the water before the story does

action call(who: Person) {
  takes 2 s
  needs who.place == player.place
  uses who.hands
  say who: "Two coins, and no questions about the third oar."
}

action pay {
  takes 1 s
  needs not paid
  ask player "Two coins lie in your palm. Give them away?"
    answers yes "Pay him.", no "Close the hand.", later "Look at the water first."
  then paid
  say "He bites both of them, and one he bites twice."
}

action cross(who: Person, to: Bank) {
  takes 6 s
  needs paid and river == low and player.place != to
  uses who.hands
  then who.place = to, player.place = to, crossings += 1
  say "{who} leans into it, and {to} comes nearer by inches."
}

rule flood {
  when river == high
  say "The water comes up brown and in a hurry."
}

ending landed {
  when player.place == far
  say "Gravel under the keel. He does not help you out."
}

goal player.place == far by 60 s
