#!/usr/bin/env python3
"""Counts the reports in a log of compute-sanitizer: ours, and those of sppark's kernels that are known, each with its reason.

    cuda/sanitizer.py TOOL LOG      exits with 1 where a report is not known

A report begins with a line that is not indented behind `=========`; the kernel is named in the line that begins with `at`.
"""

import re
import sys

# Tool, kernel, why it is no error. Nothing of our own belongs here.
KNOWN = [
    (
        "initcheck",
        r"\bintegrate<",
        "sppark marks an empty bucket by two of its four coordinates and reads all four; the others are multiplied into nothing",
    ),
    (
        "racecheck",
        r"^Warning: Race reported between \w+ access at (\[clone sort\(.*\] lower_sort|sort)\(",
        "threads of one warp share counters with a shuffle of the whole warp between write and read; an error, as of two warps, "
        "would not be a warning",
    ),
]

# What is no report: the tool's frame and its sums.
FRAME = re.compile(r"^(COMPUTE-SANITIZER|LEAK SUMMARY|ERROR SUMMARY|RACECHECK SUMMARY|Target application|Error: Target|\s*$)")


def reports(lines):
    """Lists of lines, one for each report."""
    found = []
    for line in lines:
        if not line.startswith("========="):
            continue
        text = line[len("=========") :].rstrip("\n")
        text = text[1:] if text.startswith(" ") else text
        if FRAME.match(text):
            continue
        if not text.startswith(" ") or not found:
            found.append([])
        found[-1].append(text.strip())
    return found


def main(tool, path):
    with open(path, errors="replace") as log:
        all_reports = reports(log)
    known = dict.fromkeys(range(len(KNOWN)), 0)
    unknown = []
    for report in all_reports:
        text = "\n".join(line for line in report if re.match(r"(at|by|in) ", line) or line == report[0])
        rule = next((at for at, (of, kernel, _) in enumerate(KNOWN) if of == tool and re.search(kernel, text)), None)
        if rule is None:
            unknown.append(report)
        else:
            known[rule] += 1
    for at, count in known.items():
        if count:
            print(f"  known: {count} in {KNOWN[at][1]}: {KNOWN[at][2]}")
    heads = {}
    for report in unknown:
        head = " | ".join(report[:2])[:240]
        heads[head] = heads.get(head, 0) + 1
    for head, count in sorted(heads.items(), key=lambda item: -item[1])[:8]:
        print(f"  NOT KNOWN: {count} times: {head}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
