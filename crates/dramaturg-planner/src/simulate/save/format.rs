//! The version of the format of saves.

use serde::{Deserialize, Deserializer, Serialize};

/// The format that this program writes; it reads no other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Format(u32);

impl Format {
    pub(super) const NOW: Self = Self(1);
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Self(u32::deserialize(deserializer)?);
        if found == Self::NOW {
            return Ok(found);
        }
        let message = format!("this save is of format {}, and this program reads format {}", found.0, Self::NOW.0);
        Err(serde::de::Error::custom(message))
    }
}
