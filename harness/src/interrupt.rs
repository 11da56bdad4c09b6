//! Ctrl-C and SIGTERM as a flag that long work looks at.
//!
//! The first signal asks: the work ends its child, writes what it has and says how to go on. A second one ends the
//! program at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Whether the user asked to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that SIGINT and SIGTERM raise. Fails where the handlers cannot be installed.
    pub fn on_signals() -> io::Result<Self> {
        let raised = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // The order matters: a second signal finds the flag raised and shuts down before the flag is raised again.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&raised))?;
            flag::register(signal, Arc::clone(&raised))?;
        }
        Ok(Self(raised))
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
