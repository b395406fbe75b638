// Shared by dungeon.story and dungeon-key.story. Each of them says where things lie and what `blocked` means.

type Cell { index: int 0..9 }
type Thing { cell: Cell }
type Hero: Thing {
  life: int -9..9 = 5
  attack: int 0..9
  keys: int 0..9 = 0                  // stays 0 where there is no key to find
}
type Sword: Thing {
  life: int 0..1 = 1
  attack: int 0..9 = 2
}
type Ogre: Thing {
  life: int -9..9 = 5
  attack: int 0..9 = 1
  standing = true
}

object c0: Cell (index = 0)
object c1: Cell (index = 1)
object c2: Cell (index = 2)
object c3: Cell (index = 3)
object c4: Cell (index = 4)
object c5: Cell (index = 5)
object c6: Cell (index = 6)
object c7 "the far door": Cell (index = 7)

fluent beside(a: Cell, b: Cell)
given beside(a, b) for a: Cell, b: Cell if a.index < 8 and b.index < 8 and abs(a.index - b.index) == 1

layer steps { horizon 40 ticks; beam 32 }
layer errands above steps { horizon 120 ticks; beam 16 }
layer quest above errands { horizon 600 ticks; beam 16; tolerance 0 % }

// --- layer by layer, from the ground up -----------------------------------------------------------------------------

action walk(h: Hero, from: Cell, to: Cell) by h in steps {
  takes 1 tick
  needs h.cell == from and beside(from, to) and not blocked(from, to)
  then h.cell = to
}

action pickUpSword(h: Hero, it: Sword) by h in steps {
  takes 1 tick
  needs h.life > 0 and it.life > 0 and h.cell == it.cell
  then it.life = 0, h.attack += it.attack
  say "{h} pulls {it} out of the straw. It has been waiting."
}

action fight(h: Hero, foe: Ogre) by h in steps {
  takes 1 tick
  needs h.cell == foe.cell and foe.life > 0 and h.life > 0
  then foe.life -= h.attack, h.life -= foe.attack     // both read first, then both written
  say "{h} hits. {foe} hits. Somebody's shield will not see tomorrow."
}

rule falls(foe: Ogre) {
  when foe.life <= 0
  then not foe.standing
  say "{foe} sits down, thinks about it, and lies down."
}

action defeatOgre(h: Hero, foe: Ogre) by h in quest {
  takes 12 ticks
  needs h.attack > 0 and foe.standing
  then not foe.standing, h.life -= 3
}

action completeQuest(h: Hero) by h in quest {
  takes 2 ticks
  needs all foe: Ogre (not foe.standing)
  then h.cell = c7
}

personality bold(h: Hero) {
  keep h.life > 0
  prefer more h.attack weight 10
  prefer more h.keys weight 5
  prefer more h.life weight 2
  prefer less max(0, ogre.life) weight 3
  prefer less abs(7 - h.cell.index) weight 0.5
}

character hero "the hero": Hero (cell = c3) {
  personality bold
  goal hero.cell == c7 and hero.life > 0
}

object ogre "the ogre": Ogre (cell = c6)

ending through {
  when hero.cell == c7 and hero.life > 0
  say "Beyond {c7} there is weather. You had forgotten weather."
}
