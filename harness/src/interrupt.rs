//! Ctrl-C, SIGTERM and a closed terminal as a flag that long work looks at.
//!
//! The first signal asks: the work ends its child, writes what it has and says how to go on. A second one ends the sample
//! that is running, and the program, at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io, process, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::worker;

/// Whether the user asked to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that SIGINT, SIGTERM and SIGHUP raise; the last not under `nohup`. Fails where the handlers cannot be
    /// installed.
    pub fn on_signals() -> io::Result<Self> {
        let interrupt = Self::default();
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        if !is_ignored(SIGHUP) {
            signals.add_signal(SIGHUP)?;
        }
        let raised = Arc::clone(&interrupt.0);
        thread::spawn(move || {
            for signal in signals.forever() {
                if raised.swap(true, Ordering::SeqCst) {
                    worker::process::end_running();
                    process::exit(128 + signal);
                }
            }
        });
        Ok(interrupt)
    }

    /// Asks to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether somebody asked to stop.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Whether whoever started this program had the signal ignored.
pub fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored(&status).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// The mask of ignored signals in the text of `/proc/PID/status`.
fn ignored(status: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel counts signals from the lowest bit: 1 is SIGHUP, 0x1000 is signal 13.
    #[test]
    fn the_mask_of_ignored_signals_is_hexadecimal() {
        assert_eq!(ignored("SigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\n"), Some(0x1001));
        assert_eq!(ignored("Name:\tx\n"), None);
    }
}
