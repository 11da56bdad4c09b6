//! `prover info`: what a circuit asks of the prover.

use std::io::Write;

use anyhow::{Context, Result};
use groth16_prover::assignment::ProvingAssignment;
use groth16_prover::info::{Info, info};
use groth16_prover::prove::MsmFacts;
use groth16_prover::toggles::Toggles;
use groth16_prover::worker::args::{BatchArgs, CircuitArgs};

use super::backend::Backend;
use super::limits::Work;
use super::start::{check_window, settle};

/// Print the size of a circuit and of its multi-scalar multiplications
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    circuit: CircuitArgs,
    #[command(flatten)]
    batch: BatchArgs,
    /// Bits of a scalar that every multiplication takes at a time, instead of the build's choice
    #[arg(long, value_name = "N")]
    window: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Synthesizes the first circuit of the batch and prints what it found.
pub(crate) fn run(args: &Args) -> Result<bool> {
    check_window(args.window, Backend::Cpu)?;
    settle(&args.circuit)?;
    Work::one(args.circuit.circuit).check()?;
    let circuit = args.circuit.circuit.instance(args.batch.seed, 0)?;
    let assignment = ProvingAssignment::synthesize(circuit, None)?;
    let info = info(&assignment, args.window, Toggles::BUILT)?;
    let text = if args.json { serde_json::to_string_pretty(&info)? } else { table(&info) };
    writeln!(std::io::stdout(), "{text}").context("standard output was closed")?;
    Ok(true)
}

fn table(info: &Info) -> String {
    let mut lines = vec![
        format!("constraints      {:>10}", info.constraints),
        format!("domain           {:>10}", info.domain),
        format!("public inputs    {:>10}  with the constant one", info.inputs),
        format!("aux variables    {:>10}", info.aux),
        format!("density of A     {:>10}  aux variables", info.a_aux_density),
        format!("density of B     {:>10}  aux variables, {} public inputs", info.b_aux_density, info.b_input_density),
        String::new(),
        format!("{:<6}{:>11}{:>11}{:>11}{:>13}{:>8}", "msm", "bases", "zeros", "ones", "non-trivial", "window"),
    ];
    let msms = &info.msms;
    let rows = [("h", msms.h), ("l", msms.l), ("a", msms.a), ("b_g1", msms.b_g1), ("b_g2", msms.b_g2)];
    lines.extend(rows.map(|(name, MsmFacts { bases, zeros, ones, nontrivial, window })| {
        format!("{name:<6}{bases:>11}{zeros:>11}{ones:>11}{nontrivial:>13}{window:>8}")
    }));
    lines.extend(equal_windows(&rows.map(|(_, facts)| facts.window)).map(str::to_owned));
    lines.join("\n")
}

/// A toggle that gives each multiplication its own window does nothing where they all come out equal.
fn equal_windows(windows: &[u32]) -> Option<&'static str> {
    windows.windows(2).all(|pair| pair[0] == pair[1]).then_some("\nall windows are equal")
}

#[cfg(test)]
mod tests {
    use groth16_prover::windows::PerMsm;

    use super::*;

    #[test]
    fn the_table_lines_up() {
        let facts = MsmFacts { bases: 1000, zeros: 1, ones: 2, nontrivial: 997, window: 10 };
        let info = Info {
            constraints: 12,
            domain: 16,
            inputs: 3,
            aux: 9,
            a_aux_density: 8,
            b_input_density: 1,
            b_aux_density: 7,
            msms: PerMsm { h: facts, l: facts, a: facts, b_g1: facts, b_g2: facts },
        };
        let text = table(&info);
        assert!(text.contains("density of B              7  aux variables, 1 public inputs\n"), "{text}");
        assert!(text.contains("msm         bases      zeros       ones  non-trivial  window\n"), "{text}");
        assert!(text.contains("b_g2         1000          1          2          997      10\n"), "{text}");
        assert!(text.ends_with("\nall windows are equal"), "{text}");
        assert_eq!(equal_windows(&[1, 2]), None);
    }
}
