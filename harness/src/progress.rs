//! What the user sees while it works, on stderr: a bar with an estimate on a terminal, else plain lines.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// Where progress goes.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    start: Instant,
}

impl Progress {
    /// A bar where stderr is a terminal, else plain lines.
    pub fn to_stderr() -> Self {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self { bar, quiet: false, start: Instant::now() }
    }

    /// Nothing at all.
    pub fn none() -> Self {
        Self { bar: None, quiet: true, start: Instant::now() }
    }

    /// Says one line that stays.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(output::printable(line)),
            None if self.quiet => {}
            None => output::say(line),
        }
    }

    /// A build begins.
    pub fn building(&self, number: usize, of: usize, arms: &[String]) {
        self.say(&format!("build {number} of {of}: {}", arms.join(", ")));
    }

    /// A line of somebody else's output, which the next one replaces; on a terminal only.
    pub fn detail(&self, line: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(output::printable(line));
        }
    }

    /// Measuring begins: so many samples at most, so many of them there already.
    ///
    /// On a terminal the bar is redrawn only when a sample is done: a ticking bar would run beside what is measured.
    pub fn measuring(&mut self, samples: u64, done: u64) {
        self.start = Instant::now();
        if let Some(bar) = &self.bar {
            bar.disable_steady_tick();
            bar.set_message("");
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} samples, at most {eta} more  {msg}");
            if let Ok(style) = style {
                bar.set_style(style);
            }
            bar.set_length(samples);
            bar.set_position(done);
            bar.reset_eta();
        }
    }

    /// A sample is done.
    pub fn sampled(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
            bar.set_message(output::printable(what));
        }
    }

    /// A block is done; `measured` of this execution's samples are, and `left` are to come at most.
    pub fn block(&self, number: u32, of: u32, measured: u64, left: u64) {
        if self.bar.is_none() && !self.quiet {
            let estimate = match measured {
                0 => String::new(),
                _ => format!(", at most {} more", words(self.start.elapsed().mul_f64(left as f64 / measured as f64))),
            };
            output::say(&format!("block {number} of {of} done{estimate}"));
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.set_message("");
        }
    }

    /// Takes the bar away for good.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// An error must not leave half a bar on the terminal.
impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// A length of time for people.
fn words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..100 => format!("{seconds} s"),
        seconds @ 100..6_000 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_the_unit_that_fits() {
        let said: Vec<_> = [0, 99, 100, 5_999, 6_000].map(|seconds| words(Duration::from_secs(seconds))).into();
        assert_eq!(said, ["0 s", "99 s", "2 min", "100 min", "1 h 40 min"]);
    }
}
