//! Tests over whole reports.

use crate as ablate;

mod fixture;
