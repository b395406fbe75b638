//! A long story, written by a seeded pen: what an author's world looks like after a year of work.

use std::fmt::Write;

use dramaturg_model::Chance;

const PLACES: [&str; 16] = [
    "mill",
    "well",
    "chapel",
    "forge",
    "market",
    "tannery",
    "bakehouse",
    "ferry",
    "granary",
    "orchard",
    "quarry",
    "stable",
    "tavern",
    "watchtower",
    "weir",
    "bridge",
];
const PEOPLE: [&str; 16] = [
    "Agnes", "Benno", "Clara", "Dorian", "Edda", "Fulko", "Greta", "Hanno", "Ida", "Jorun", "Kuno", "Lene", "Merle",
    "Nils", "Oda", "Piet",
];
const THINGS: [&str; 12] =
    ["lantern", "ledger", "rope", "kettle", "seal", "knife", "flute", "cloak", "coin", "key", "barrel", "letter"];
const MOODS: [&str; 8] = ["weary", "bright", "sullen", "careful", "restless", "proud", "tender", "late"];

/// A story of about so many lines, the same for the same seed. It compiles without errors or warnings.
///
/// ```
/// let text = dramaturg_bench::generate_story(500, 7);
/// assert!(text.lines().count() >= 500);
/// let compiled = dramaturg_story::compile_text("town.story", &text);
/// assert!(compiled.is_usable(), "{:?}", compiled.diagnostics.first());
/// ```
pub fn generate_story(lines: usize, seed: u64) -> String {
    let mut pen = Pen { chance: Chance::new(seed), text: String::with_capacity(lines * 48) };
    pen.world();
    let mut district = 0;
    // Counting lines anew for each district would be quadratic for a long story; each has the same number.
    let head = pen.text.lines().count();
    let mut written = head;
    while written < lines {
        let before = pen.text.len();
        pen.district(district);
        written += pen.text.get(before..).map_or(0, |added| added.lines().count());
        district += 1;
    }
    pen.text
}

struct Pen {
    chance: Chance,
    text: String,
}

impl Pen {
    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words.get(self.chance.below(words.len())).copied().unwrap_or_default()
    }

    fn number(&mut self, least: usize, most: usize) -> usize {
        least + self.chance.below(most - least + 1)
    }

    /// Writing to a text cannot fail.
    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = self.text.write_fmt(text);
    }

    fn world(&mut self) {
        self.text.push_str(WORLD);
    }

    fn district(&mut self, n: usize) {
        let places: Vec<&str> = (0..3).map(|index| PLACES[(n * 3 + index * 5) % PLACES.len()]).collect();
        let (a, b, c) = (places[0], places[1], places[2]);
        let (first, second) = (self.pick(&PEOPLE), self.pick(&PEOPLE));
        let (thing, other) = (self.pick(&THINGS), self.pick(&THINGS));
        let mood = self.pick(&MOODS);
        self.put(format_args!(
            "\n// --- district {n}: {mood} people by the {a} ---------------------------------------\n\n"
        ));
        self.put(format_args!("object {a}-{n}a \"the {a}\", {b}-{n}b \"the {b}\", {c}-{n}c \"the {c}\": Place\n"));
        self.put(format_args!("object {thing}-{n}x \"the {thing}\": Thing (holder = {a}-{n}a, weight = 3)\n"));
        self.put(format_args!("object {other}-{n}y \"the {other}\": Thing (holder = {b}-{n}b)\n\n"));
        self.put(format_args!("fluent trusts{n}(a: Person, b: Person)\n"));
        self.put(format_args!("fluent rumour{n}: silent | whispered | loud\n"));
        let grain = self.number(20, 60);
        self.put(format_args!("fluent grain{n}: number 0..100 = {grain}\n"));
        self.put(format_args!("fluent feud{n}, settled{n}\n"));
        self.put(format_args!(
            "fluent close{n}(a: Person, b: Person) means a.location == b.location and trusts{n}(a, b)\n\n"
        ));
        self.put(format_args!("given path({a}-{n}a, {b}-{n}b), path({b}-{n}b, {a}-{n}a)\n"));
        self.put(format_args!("given path({b}-{n}b, {c}-{n}c), path({c}-{n}c, {b}-{n}b)\n\n"));
        self.actions(n, a, b);
        self.rules(n, a, c);
        self.tasks(n, mood, thing);
        self.characters(n, (first, second), (a, b), (thing, other));
    }

    fn actions(&mut self, n: usize, a: &str, b: &str) {
        let (takes, gain) = (self.number(2, 9), self.number(3, 12));
        self.put(format_args!(
            "/// Hauling grain is how everything begins here.
action haul{n}(who: Person, from: Place, to: Place) by who #work {{
  takes {takes} s
  needs who.location == from and path(from, to) and who.strength > 10
  uses who.hands
  during who.strength -= 0.5 per s
  then who.location = to, grain{n} += {gain}
  then b.grateful for b: Person if b != who and b.location == to
  say \"{{who}} drags the sacks to {{to}}.\" or \"{{who}} is late at {{to}}, and says nothing.\"
}}

action confide{n}(who: Person, whom: Person) by who with whom #talk {{
  takes 3 s
  needs who.location == whom.location and not feud{n}
  then trusts{n}(whom, who)
  then rumour{n} = whispered if who.strength < 40
  say who: \"You did not hear this from me.\"
}}

action repair{n}(who: Person) by who #work {{
  takes {takes} s .. {} s
  needs who.location in ({a}-{n}a, {b}-{n}b) and grain{n} >= 5
  keeps not feud{n}
  uses who.hands
  then grain{n} -= 5, settled{n}
  costs 2
  say \"The work holds for another winter.\" at end
}}

",
            takes + 4
        ));
    }

    fn rules(&mut self, n: usize, a: &str, c: &str) {
        let limit = self.number(10, 30);
        self.put(format_args!(
            "rule gossip{n} {{
  when rumour{n} == whispered and grain{n} < {limit}
  takes 5 s
  then rumour{n} = loud, feud{n}
  say \"By noon even the dogs know.\"
}}

rule tires{n}(p: Person) {{
  while p.location == {c}-{n}c and p.alive
  during p.strength -= 0.1 per s
}}

rule makesUp{n} {{
  after confide{n}(_, _) if feud{n} and grain{n} > 50
  then not feud{n}, rumour{n} = silent
  say \"Somebody brings bread to the {a}, and that is the end of it.\"
}}

"
        ));
    }

    fn tasks(&mut self, n: usize, mood: &str, thing: &str) {
        self.put(format_args!(
            "key task feast{n} #feast {{
  offer \"Invite them all, the {mood} ones too.\"
  needs grain{n} > 30 and not feud{n}
  method open if settled{n} {{
    say \"The tables stand in the road until morning.\"
    then grain{n} -= 20
    do clear{n}
  }}
  method {{ say \"It is a small feast, and a good one.\"; then grain{n} -= 10, settled{n} }}
  costs 3
}}

task clear{n} {{
  method if feud{n} {{ then not feud{n}; say \"Two of them carry the same bench.\" }}
  method {{ say \"The {thing} turns up under a bench.\" }}
}}

"
        ));
    }

    fn characters(&mut self, n: usize, people: (&str, &str), places: (&str, &str), things: (&str, &str)) {
        let ((first, second), (a, b)) = (people, places);
        let (one, two) = (format!("{}-{n}p", first.to_lowercase()), format!("{}-{n}q", second.to_lowercase()));
        let (thing, other) = things;
        let salience = self.number(40, 90);
        self.put(format_args!(
            "character {one} \"{first}\": Person (location = {a}-{n}a, strength = 80) {{
  goal {thing}-{n}x.holder == {two} salience {salience}
  goal trusts{n}({two}, {one})
  keep {one}.strength > 0
}}

character {two} \"{second}\": Person (location = {b}-{n}b) {{
  goal close{n}({one}, {two}) salience 60
  prefer more {two}.strength up to 80 weight 0.5
}}

goal grain{n} >= 60 by 10 min salience {salience}
goal {other}-{n}y.holder == {one} while settled{n}
"
        ));
    }
}

const WORLD: &str = "// A valley that was written by a seeded pen, to be measured on.

story \"The Long Valley\" { ticks 10 per s; day 24 h; begins 6 h; options 3 }

type Place
type Person {
  location: Place
  strength: number 0..100 = 60
  alive = true
  grateful
  hands: actuator 2
}
type Thing {
  holder: Person | Place
  weight: int 0..20 = 1
}

fluent path(a: Place, b: Place)

action walk(who: Person, from: Place, to: Place) by who {
  takes 4 s
  needs who.location == from and path(from, to) and who.alive
  then who.location = to
  say \"{who} takes the road to {to}.\"
}

action take(who: Person, what: Thing, here: Place) by who {
  takes 1 s
  needs who.location == here and what.holder == here and what.weight <= 10
  uses who.hands
  then what.holder = who
}

action give(who: Person, whom: Person, what: Thing) by who with whom {
  takes 1 s
  needs who.location == whom.location and what.holder == who
  then what.holder = whom, whom.grateful
  say \"{who} gives {what} to {whom}.\"
}
";
