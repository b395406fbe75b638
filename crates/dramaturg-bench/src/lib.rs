//! Measurements of dramaturg.
