//! How a world is driven.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::labels::Labels;
use super::report::LoadReport;
use crate::simulate::event::Detail;
use crate::simulate::world::{Expectations, Follow, Unmet, WorldOptions};

/// The options of a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedOptions {
    seed: u64,
    detail: Detail,
    expectations: Expectations,
    unmet: Unmet,
    follow: SavedFollow,
    work_max: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SavedFollow {
    Everybody,
    Story,
    Character(SmolStr),
    Nobody,
}

impl SavedOptions {
    pub(super) fn new(labels: &Labels, options: &WorldOptions) -> Self {
        Self {
            seed: options.seed,
            detail: options.detail,
            expectations: options.expectations,
            unmet: options.unmet,
            follow: match options.follow {
                Follow::Everybody => SavedFollow::Everybody,
                Follow::Story => SavedFollow::Story,
                Follow::Character(object) => SavedFollow::Character(labels.objects.of(object)),
                Follow::Nobody => SavedFollow::Nobody,
            },
            work_max: options.work_max,
        }
    }

    pub(super) fn find(&self, labels: &Labels, report: &mut LoadReport) -> WorldOptions {
        let follow = match &self.follow {
            SavedFollow::Everybody => Follow::Everybody,
            SavedFollow::Story => Follow::Story,
            SavedFollow::Nobody => Follow::Nobody,
            SavedFollow::Character(name) => match labels.objects.find(name) {
                Some(object) => Follow::Character(object),
                None => {
                    let why = "whose goals were followed does not exist any more, so nobody's are";
                    report.defaulted(format!("character `{name}`"), why);
                    Follow::Nobody
                }
            },
        };
        WorldOptions {
            seed: self.seed,
            detail: self.detail,
            expectations: self.expectations,
            unmet: self.unmet,
            follow,
            work_max: self.work_max,
        }
    }
}
