//! What bellperson logs, kept with the time at which it did.

use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result};
use log::{LevelFilter, Log, Metadata, Record};
use serde_json::{Value, json};
use shared::timeline::Timeline;
use shared::worker::nanoseconds;

/// Keeps lines until they are asked for.
struct Keeper(Mutex<Vec<(Instant, String)>>);

static KEEPER: Keeper = Keeper(Mutex::new(Vec::new()));

/// Begins to keep what is logged.
pub fn listen() -> Result<()> {
    log::set_logger(&KEEPER).context("the log is taken")?;
    log::set_max_level(LevelFilter::Info);
    Ok(())
}

/// The lines since the start of the timeline, with their times on it; older ones are dropped.
pub fn take(timeline: &Timeline) -> Value {
    let start = Instant::now().checked_sub(timeline.elapsed());
    let lines = std::mem::take(&mut *KEEPER.0.lock().expect("no thread panics while it holds the lines"));
    lines
        .into_iter()
        .filter_map(|(at, text)| {
            let since = at.checked_duration_since(start?)?;
            Some(json!({ "ns": nanoseconds(since), "text": text }))
        })
        .collect()
}

impl Log for Keeper {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.target().starts_with("bellperson")
    }

    fn log(&self, record: &Record) {
        if self.enabled(record.metadata()) {
            let line = (Instant::now(), record.args().to_string());
            self.0.lock().expect("no thread panics while it holds the lines").push(line);
        }
    }

    fn flush(&self) {}
}
