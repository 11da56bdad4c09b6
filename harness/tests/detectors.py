#!/usr/bin/env python3
"""Shows that each test of the catalogue of faults fails when what finds its fault is switched off.

    python3 harness/tests/detectors.py            all of them; writes docs/detectors.md
    python3 harness/tests/detectors.py WORD...    those whose name has one of the words

In a temporary worktree of HEAD every detector of detectors.toml gets a switch, and the tests are built once. With no switch
all tests must pass; with one, each of its detector's tests must fail. A detector whose text is no longer there, a test that
does not exist, passes where it must fail, or is in the catalogue and named by no detector, ends this with exit code 1. The
checkout itself is left alone, also by a kill; `git worktree prune` then forgets the temporary one. Takes about half an hour on
two cores. Needs what the tests need; NVCC names an nvcc.
"""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TABLE = REPOSITORY / "docs/detectors.md"
SWITCH = "ABLATE_DETECTOR_OFF"
CATALOGUE = "faults::"
# What must not be found; nothing has to fail there.
NO_FAULTS = "faults::no_alarm::"
# Programs of tests that run side by side; they wait for compilers.
AT_ONCE = 4


def main(words):
    listed = tomllib.loads((Path(__file__).parent / "detectors.toml").read_text())
    detectors = listed["detector"]
    chosen = [one for one in detectors if not words or any(word in one["name"] for word in words)]
    with tempfile.TemporaryDirectory(prefix="detectors-") as folder:
        worktree = Path(folder) / "worktree"
        git("worktree", "add", "--quiet", "--detach", str(worktree), "HEAD")
        try:
            add_switches(worktree, detectors)
            program = build(worktree)
            check_names(program, detectors, listed.get("without", []))
            problems, rows = show(program, chosen)
        finally:
            git("worktree", "remove", "--force", str(worktree))
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    if not problems and not words:
        TABLE.write_text(table(rows, listed.get("without", [])))
    return 1 if problems else 0


def git(*arguments):
    subprocess.run(["git", *arguments], cwd=REPOSITORY, check=True)


def add_switches(worktree, detectors):
    """Puts every `off` in the place of its `on`."""
    originals = {}
    for number, detector in enumerate(detectors):
        file = worktree / detector["file"]
        original = originals.setdefault(file, file.read_text())
        if original.count(detector["on"]) != 1:
            sys.exit(f"{detector['name']}: {detector['file']} has not once: {detector['on']}")
        off = f'(std::env::var_os("{SWITCH}").is_some_and(|off| off == "{number}"))'
        file.write_text(file.read_text().replace(detector["on"], detector["off"].replace("OFF", off), 1))
        detector["number"] = str(number)


def build(worktree):
    """Builds program and tests with all switches, and gives back the tests' path."""
    command = ["cargo", "test", "--locked", "-p", "ablate", "--test", "it", "--no-run", "--message-format=json"]
    environment = os.environ | {"CARGO_TARGET_DIR": str(REPOSITORY / "target/detectors")}
    said = subprocess.run(command, cwd=worktree, env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout
    messages = [json.loads(line) for line in said.splitlines()]
    [program] = [it["executable"] for it in messages if it.get("executable") and it["target"]["name"] == "it"]
    return program


def check_names(program, detectors, without):
    """Every test that is named exists, and every test of the catalogue is named."""
    lines = subprocess.run([program, "--list"], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    there = {line.removesuffix(": test") for line in lines if line.endswith(": test")}
    named = {test for detector in detectors for test in detector["tests"]} | {one["test"] for one in without}
    catalogue = {test for test in there if test.startswith(CATALOGUE) and not test.startswith(NO_FAULTS)}
    wrong = [f"there is no test {test}" for test in sorted(named - there)]
    wrong += [f"no detector stands behind {test}" for test in sorted(catalogue - named)]
    if wrong:
        sys.exit("\n".join(wrong))


def show(program, detectors):
    """What went wrong, and a row for each detector with the tests that failed without it."""
    tests = sorted({test for detector in detectors for test in detector["tests"]})
    with ThreadPoolExecutor(AT_ONCE) as pool:
        sound = list(pool.map(lambda test: not run(program, [test], None), tests))
        without = list(pool.map(lambda one: run(program, one["tests"], one["number"]), detectors))
    problems = [f"{test} fails with every detector on" for test, passes in zip(tests, sound) if not passes]
    for detector, failed in zip(detectors, without):
        passes = [test for test in detector["tests"] if test not in failed]
        problems += [f"{test} passes without: {detector['name']}" for test in passes]
    return problems, [(one["name"], one["file"], failed) for one, failed in zip(detectors, without)]


def run(program, tests, switch):
    """Those of the tests that fail, with a detector switched off where `switch` is its number."""
    environment = {name: value for name, value in os.environ.items() if name != SWITCH}
    environment |= {SWITCH: switch} if switch else {}
    command = [program, "--test-threads=2", "--exact", *tests]
    said = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    outcome = {}
    for line in said.splitlines():
        words = line.split()
        if len(words) == 4 and words[0] == "test" and words[2] == "...":
            outcome[words[1]] = words[3]
    missing = [test for test in tests if outcome.get(test) not in ("ok", "FAILED")]
    if missing:
        sys.exit(f"no outcome of {', '.join(missing)}:\n{said}")
    failed = [test for test in tests if outcome[test] == "FAILED"]
    print(f"detector {switch or 'none'} off: {len(failed)} of {len(tests)} fail ({', '.join(tests)})", flush=True)
    return failed


def table(rows, without):
    lines = [
        "# Detectors, and the tests that fail without them",
        "",
        "Made by `python3 harness/tests/detectors.py`: each detector is switched off by itself, and the tests beside it then fail.",
        "With all of them on, all of the tests pass.",
        "",
        "| detector | switched off in | tests that then fail |",
        "|---|---|---|",
    ]
    lines += [f"| {name} | `{file}` | {'<br>'.join(f'`{test}`' for test in tests)} |" for name, file, tests in rows]
    if without:
        lines += ["", "Of the catalogue, but with no detector of ours behind them:", ""]
        lines += [f"* `{one['test']}`: {one['reason']}" for one in without]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
