// Somebody knocks. Nobody plans anything here: rules wait for the player, and give up.

story "The Visitor" { ticks 10 per s }

fluent knocked, gone
fluent door: shut | ajar
fluent kettle: cold | hot
fluent cups: int 0..9

rule watch { reads knocked, door, kettle }

rule hears {
  when knocked
  say "Three knocks, the last one an apology."
  takes 5 s
  expect door = ajar
  check every 500 ms
  extend 1 times by 3 s
  otherwise gone
}

rule enters {
  when door == ajar if knocked and not gone
  then cups += 1
  say "She has brought her own cup, which settles how long she means to stay."
}

rule leaves {
  when gone
  say "The gate. Then the other gate."
}

rule pours {
  when cups > 0 and kettle == hot
  say "You pour for {cups}. Nobody mentions the spring."
}

ending tea { when cups > 0 and kettle == hot }
ending quiet { when gone }
