// An evening in pieces. At each key task the player chooses how it goes on.

story "@TITLE@" { options 3 }

fluent rested, fed, songWritten, neighbourAngry, neighbourAsleep

key task playLoud #music {
  offer "Turn the amplifier up and find out what the song wants."
  needs not songWritten
  method if neighbourAsleep {
    say "Through the wall comes nothing at all, and so the chorus comes."
    then songWritten
  }
  method {
    say "Three bars in, a broom handle answers from below."
    then songWritten, neighbourAngry
  }
}

key task playSoft #music {
  offer "Play it under your breath, on one string."
  needs not songWritten and rested
  method { say "It is smaller than you thought, and better."; then songWritten }
}

key task cook {
  offer "Make something that takes an hour."
  needs not fed
  method { do washUp; then fed, rested; say "The window fogs. You forget what you were angry about." }
}

task washUp {
  method if neighbourAngry { say "You wash up quietly, which is its own apology."; then not neighbourAngry }
  method { say "Two plates, one pan." }
}

task waitForNight {
  fills
  needs not neighbourAsleep
  offer "Sit by the window until the house is asleep."
  method { then neighbourAsleep; say "One by one the lights go out." }
}

ending peaceful {
  when songWritten and fed and not neighbourAngry
  say "You hum it once more, for nobody. It holds."
}

goal songWritten
goal fed
keep not neighbourAngry while neighbourAsleep
