//! Characters, personalities, populations, futile goals.

use serde::Serialize;
use smol_str::SmolStr;

use crate::chance::Chance;
use crate::expr::Expr;
use crate::fixed::{Fixed, MILLION};
use crate::initial::Initial;
use crate::level::LevelId;
use crate::object::{ObjectId, Param, TypeId};
use crate::source::Span;
use crate::task::TagId;
use crate::text::TextId;
use crate::wish::WishId;

crate::ids! {
    /// A character; the order of ids is the order of acting.
    CharacterId,
    /// A personality.
    PersonalityId,
    /// A population.
    PopulationId,
    /// Goals for the idle.
    FutileId,
}

/// An object that plans for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Character {
    /// The object it is.
    pub object: ObjectId,
    /// Its own wishes; each says in which level it is wanted.
    pub wishes: Vec<WishId>,
    /// What it cares about.
    pub personalities: Vec<Share>,
    /// Where it is declared.
    pub place: Span,
}

/// A personality with its share: of one character its weight, of a population the part that has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Which.
    pub personality: PersonalityId,
    /// How much; none: all of it, or an equal part of what is left.
    pub amount: Option<Fixed>,
}

/// A set of wishes about whoever has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Personality {
    /// Its name.
    pub name: SmolStr,
    /// Who has it, the first variable; others run over all objects.
    pub params: Vec<Param>,
    /// What it wants.
    pub wishes: Vec<WishId>,
    /// Costs of actions with a tag are scaled by this.
    pub costs: Vec<(TagId, Expr)>,
    /// Personalities it includes.
    pub includes: Vec<Share>,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}

/// Many objects of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Population {
    /// Its name; its objects are `name-1`, `name-2`, …
    pub name: SmolStr,
    /// The name for show of each.
    pub title: TextId,
    /// Stands for each in what is given.
    pub param: Param,
    /// The type of each.
    pub ty: TypeId,
    /// Its objects.
    pub objects: Vec<ObjectId>,
    /// What is given for each; the parameter is the first variable.
    pub given: Vec<Initial>,
    /// What each wants.
    pub wishes: Vec<WishId>,
    /// Which part has which personality.
    pub personalities: Vec<Share>,
    /// The level in which it exists; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}

impl Population {
    /// Which personality each of its objects has, in their order; the same for the same seed. Each part is as large as its share
    /// says, to the nearest object, and chance decides who belongs to it. Shares without an amount divide what is left.
    pub fn personalities_of_all(&self, seed: u64) -> Vec<Option<PersonalityId>> {
        let whole = |amount: Fixed| amount.0.clamp(0, MILLION);
        let written: i64 =
            self.personalities.iter().filter_map(|share| share.amount).map(whole).fold(0, i64::saturating_add);
        let open = self.personalities.iter().filter(|share| share.amount.is_none()).count() as i64;
        let left = MILLION.saturating_sub(written).max(0);
        let count = self.objects.len();
        let mut parts: Vec<Option<PersonalityId>> = Vec::with_capacity(count);
        let (mut so_far, mut opened) = (0i64, 0i64);
        for share in &self.personalities {
            so_far = so_far.saturating_add(match share.amount {
                Some(amount) => whole(amount),
                None => {
                    opened += 1;
                    left * opened / open - left * (opened - 1) / open
                }
            });
            let end = (i128::from(so_far.min(MILLION)) * count as i128 + i128::from(MILLION / 2)) / i128::from(MILLION);
            let end = usize::try_from(end).unwrap_or(count).max(parts.len());
            parts.resize(end, Some(share.personality));
        }
        parts.resize(count, None);
        let mut chance = Chance::new(seed ^ name_seed(&self.name));
        for at in (1..count).rev() {
            parts.swap(at, chance.below(at + 1));
        }
        parts
    }
}

/// Two populations of one story are not dealt alike (FNV-1a: the same on every machine).
fn name_seed(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Goals for a character with nothing else to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Futile {
    /// Its name.
    pub name: SmolStr,
    /// The first is the idle character; bindings of the others are taken in turn.
    pub params: Vec<Param>,
    /// When it makes sense.
    pub needs: Vec<Expr>,
    /// What is then wanted.
    pub wishes: Vec<WishId>,
    /// The level in which it is known; none: everywhere.
    pub level: Option<LevelId>,
    /// Where it is declared.
    pub place: Span,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Choices;

    fn dealt(count: u32, shares: &[Option<i64>], seed: u64) -> Vec<usize> {
        let personalities = shares
            .iter()
            .zip(0..)
            .map(|(percent, id)| Share {
                personality: PersonalityId(id),
                amount: percent.map(|percent| Fixed(percent * MILLION / 100)),
            })
            .collect();
        let population = Population {
            name: SmolStr::new("crowd"),
            title: TextId(0),
            param: Param { name: SmolStr::new("c"), choices: Choices::default() },
            ty: TypeId(0),
            objects: (0..count).map(ObjectId).collect(),
            given: Vec::new(),
            wishes: Vec::new(),
            personalities,
            level: None,
            place: Span::NONE,
        };
        let all = population.personalities_of_all(seed);
        assert_eq!(all.len(), count as usize);
        assert_eq!(all, population.personalities_of_all(seed));
        let count = |id: u32| all.iter().filter(|one| **one == Some(PersonalityId(id))).count();
        (0..shares.len() as u32).map(count).collect()
    }

    #[test]
    fn each_part_is_as_large_as_its_share() {
        assert_eq!(dealt(250, &[Some(15), Some(85)], 3), [38, 212]);
        assert_eq!(dealt(10, &[Some(20), None, None], 3), [2, 4, 4]);
        assert_eq!(dealt(10, &[None], 3), [10]);
        assert_eq!(dealt(10, &[Some(30)], 3), [3], "the others have none");
        assert_eq!(dealt(10, &[], 3), []);
        assert_eq!(dealt(0, &[None, Some(10)], 3), [0, 0]);
    }

    #[test]
    fn shares_that_make_no_sense_are_cut() {
        assert_eq!(dealt(10, &[Some(90), Some(90)], 3), [9, 1]);
        assert_eq!(dealt(10, &[Some(-50), Some(500), None], 3), [0, 10, 0]);
    }
}
