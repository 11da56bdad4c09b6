//! How much of a run is measured at a time: a stay on a machine that is lent ends when it must.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How much is measured at a time. The default is everything.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// So many blocks at most.
    pub blocks: Option<u32>,
    /// No block is begun that would not be done by then, if it takes as long as the longest so far.
    pub until: Option<Instant>,
    /// What to do to go on, for whoever reads why it stopped.
    pub go_on: &'a str,
    /// Called with the run's folder after each block.
    pub each_block: Option<&'a dyn Fn(&Path)>,
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits").field("blocks", &self.blocks).field("until", &self.until).finish_non_exhaustive()
    }
}

impl Limits<'_> {
    /// Why no further block is begun, after `done` blocks of which the longest took `longest`.
    pub(crate) fn reached(&self, done: u32, longest: Duration) -> Option<String> {
        let Self { blocks, until, go_on, .. } = *self;
        if blocks.is_some_and(|most| done >= most) {
            return Some(format!("the {done} blocks that were asked for are done; {go_on}"));
        }
        let late = until.is_some_and(|until| Instant::now() + longest > until);
        let longest = longest.as_secs();
        late.then(|| {
            format!(
                "the time that was given is over after {done} blocks, the longest of which took {longest} s; {go_on}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_block_is_begun_beyond_a_limit() {
        let minute = Duration::from_mins(1);
        let nothing = Limits::default();
        assert_eq!(nothing.reached(1_000, minute), None);
        let blocks = Limits { blocks: Some(3), go_on: "go on so", ..nothing };
        assert_eq!(blocks.reached(2, minute), None);
        assert!(
            blocks
                .reached(3, minute)
                .is_some_and(|said| said.ends_with("3 blocks that were asked for are done; go on so"))
        );
        let time = Limits { until: Some(Instant::now() + 10 * minute), ..nothing };
        assert_eq!(time.reached(5, 5 * minute), None);
        assert!(
            time.reached(5, 11 * minute)
                .is_some_and(|said| said.contains("over after 5 blocks, the longest of which took 660 s"))
        );
        let over = Limits { until: Some(Instant::now()), ..nothing };
        assert!(over.reached(0, Duration::ZERO).is_some());
    }
}
