//! Pools: the actions and the rule that they make.

use expect_test::expect;

use crate::testing::shown;

#[test]
fn anchor_reanchor_and_commit() {
    expect![[r#"
        object cave "cave": Place
        object well "well": Place
        object map-1 "the map": Map of pool map
        object map-2 "the map": Map of pool map
        fluent Map.shows: Place | nothing = nothing
        fluent Map.kind: sea | land = sea
        fluent Map.worn: yes or no = false
        fluent heading: Map | nowhere = nowhere
        fluent Map.anchored: yes or no = false
        fluent Map.committed: yes or no = false
        fluent done map.anchor($0, well, _)(m: Map): yes or no watches action map.anchor($0, well, _)
        fluent done map.commit($0)(m: Map): yes or no watches rule map.commit($0)
        action map.anchor(m: Map, shows: Place | nothing, kind: sea | land), made
          takes 180
          needs at start: not $0.anchored
          needs at start: not $0.worn
          needs at end: heading == nowhere
          then at end: $0.shows = $1
          then at end: $0.kind = $2
          then at end: $0.anchored = true
          then at end: $0.worn = true
          then at end: done map.anchor($0, well, _)($0) = true if $1 == well
          say at start: test.map.say.1
          costs 3
        action map.reanchor(m: Map, shows: Place | nothing, kind: sea | land), made
          takes 180
          needs at start: $0.anchored
          needs at start: not $0.committed
          needs throughout: not $0.committed
          needs at start: ($0.shows != $1 or $0.kind != $2)
          then at end: $0.shows = $1
          then at end: $0.kind = $2
          costs 3
        action follow(m: Map)
          takes 1
          needs at start: $0.anchored
          then at end: heading = $0
        action tear(m: Map)
          takes 1
          needs at start: ($0.committed and $0.shows == cave)
          then at end: $0.worn = false
        rule map.commit(m: Map) when ($0.anchored and heading == $0), commits
          then at end: $0.committed = true
          then at end: done map.commit($0)($0) = true
        pool map of 2 anchors ["shows", "kind"] commits true
    "#]]
    .assert_eq(&shown(
        r#"story "Maps"
             type Place
             type Map { shows: Place | nothing; kind: sea | land; worn }
             object cave, well: Place
             fluent heading: Map | nowhere
             pool map "the map" (m: Map) of 2 {
               anchors m.shows, m.kind
               takes 180 ticks
               needs not m.worn
               needs heading == nowhere at end
               then m.worn
               say "A map turns up."
               costs 3
               commit when heading == m
             }
             action follow(m: Map) { needs m.anchored; then heading = m }
             action tear(m: Map) { needs m.committed and m.shows == cave; then not m.worn }
             goal any m: Map (m.shows == well and done map.anchor(m, well, _) and not done map.commit(m))"#,
        &["pool", "object", "fluent", "action", "rule"],
    ));
}

#[test]
fn only_members_are_anchored() {
    expect![[r#"
        action map.anchor(m: Map, kind: sea | land), made
          takes 1
          needs at start: $0 in (map-1, map-2)
          needs at start: not $0.anchored
          then at end: $0.kind = $1
          then at end: $0.anchored = true
        action map.reanchor(m: Map, kind: sea | land), made
          takes 1
          needs at start: $0 in (map-1, map-2)
          needs at start: $0.anchored
          needs at start: not $0.committed
          needs throughout: not $0.committed
          needs at start: ($0.kind != $1)
          then at end: $0.kind = $1
    "#]]
    .assert_eq(&shown(
        r#"story "Maps"
             type Map { kind: sea | land }
             object oldMap: Map
             pool map(m: Map) of 2 { anchors m.kind }
             goal any m: Map (m.kind == land) and oldMap.kind == sea"#,
        &["action"],
    ));
}
