//! Maps by the numbers of steps in saves. As part of something larger their keys come as text, and are read as numbers
//! again: for `#[serde(with = "by_id")]`.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

pub(crate) fn serialize<S: Serializer, V: Serialize>(map: &BTreeMap<u32, V>, serializer: S) -> Result<S::Ok, S::Error> {
    map.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<BTreeMap<u32, V>, D::Error> {
    let read: BTreeMap<SmolStr, V> = BTreeMap::deserialize(deserializer)?;
    read.into_iter().map(|(id, value)| Ok((id.parse().map_err(D::Error::custom)?, value))).collect()
}
