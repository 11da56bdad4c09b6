//! Writes the report of a run that never was, to look at while working on the page:
//!
//! ```sh
//! cargo run -p ablate --example sample_report -- target/sample-report
//! chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,2600 \
//!     --screenshot=report.png "file://$PWD/target/sample-report/index.html"
//! ```
//!
//! The same second command makes the picture in README.md from the page of a real run.

use ::ablate;

#[path = "../src/report/tests/recorded.rs"]
mod recorded;

fn main() -> anyhow::Result<()> {
    let dir = std::env::args().nth(1).unwrap_or_else(|| "target/sample-report".to_owned());
    let recorded::Recorded { experiment, run, samples } = recorded::recorded();
    let judgement = ablate::judge::judge(&experiment, &run, &samples);
    ablate::report::write(&experiment, &run, &samples, &judgement, dir.as_ref())?;
    print!("{}", ablate::report::terminal::table(&judgement, &run, ablate::report::terminal::Style::PLAIN));
    println!("wrote {dir}/index.html");
    Ok(())
}
