#!/usr/bin/env bash
# Runs on a host with a GPU what cuda/gpu-build.sh has built: no cargo, no nvcc. Writes logs to $OUT (gpu-logs without it) and ends
# with a short table. Each item has a budget in seconds, after which it is ended and counts as failed.
#
#   cuda/gpu-tests.sh FOLDER ITEM…      FOLDER holds set.tar.xz
#
#   smoke       60 s   the bench on a small and a large batch, base and all: the quickest look at whether all is right
#   tests      200 s   the tests that need a GPU, base and (but for the longest) all
#   errors      60 s   what is asked for in vain: 2^28, wrong parameters, no GPU, a full GPU
#   stream      40 s   resident, partly resident and streamed points
#   equal       60 s   proofs of mixed:2,20, 1 and 3 circuits, by every prover, against the CPU's
#   phases     220 s   2^20 constraints: every bench arm with 1 circuit, five times; the main arms with 4 and 10
#   windows     60 s   every window for every multiplication at 2^18, 2^20 and 2^22 constraints
#   tuning      60 s   bench executables named bench-tune-*, one line each
#   proofs     300 s   mixed:30,500, interleaved: proofs by every prover, of 1 circuit; by the main ones of 1, 4 and 10; their bytes
#   porep      120 s   Filecoin's circuit: parameters of porep:1, proofs of 1 and 4 circuits by provers named prover-porep-*; their bytes
#   sanitizers 480 s   compute-sanitizer on mixed:1,10, all toggles off and on; racecheck, which is slow, on one circuit of mixed:1,1
#   gpus        60 s   all GPUs of the host together
#
# The main arms are base, B2, B2+D4, B2+D4+K1 and all. The GPU's part is what `prove` spends from a, b and c to the proof's bytes: `total` without `synthesis`.
set -uo pipefail
cd "$(dirname "$0")/.."

folder=$1
shift
out=${OUT:-gpu-logs}
mkdir -p "$out"
out=$(realpath "$out")
set=$(mktemp -d)
trap 'rm -rf "$set"' EXIT
python3 -W ignore -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$folder/set.tar.xz" "$set" || exit 2
here=$PWD/cuda
params=$set/params
failures=0
{ nvidia-smi; nproc; free -g; ls -l "$set"; } > "$out/host.log" 2>&1
nvidia-smi --query-gpu=name,driver_version,memory.total,memory.used,clocks.sm,temperature.gpu --format=csv,noheader

# Runs a command within so many seconds, its output to a log; says so where it fails.
try() { # SECONDS LOG COMMAND…
    local seconds=$1 log=$out/$2 code
    shift 2
    timeout "$seconds" "$@" > "$log" 2>&1
    code=$?
    [ $code = 0 ] && return 0
    failures=$((failures + 1))
    echo "FAILED ($code): $(basename "$log"): $(tail -n 3 "$log" | tr '\n' ' ' | cut -c1-400)"
    return 1
}

arms_of() { # KIND
    (cd "$set" && ls | grep "^$1-" | sed "s/^$1-//" | grep -vE '^(tune|porep)-')
}

has() { [ -x "$set/$1" ]; }

is_main() { case $1 in base | B2 | B2+D4 | B2+D4+K1 | all) ;; *) return 1 ;; esac; }

smoke() {
    local arm
    for arm in base all; do
        has "bench-$arm" || continue
        try 15 "smoke-$arm-small.log" "$set/bench-$arm" phases 5000 3 2
        try 20 "smoke-$arm.log" "$set/bench-$arm" phases 1048576 1 3 && sed -n '1,18p' "$out/smoke-$arm.log"
    done
}

tests() {
    local arm
    for arm in base all; do
        has "tests-$arm" || continue
        local skipped=()
        [ $arm = base ] || skipped=(--skip full_gpu --skip streamed_points)
        try 150 "tests-$arm.log" "$set/tests-$arm" --ignored cuda --test-threads 4 "${skipped[@]}"
        grep -E '^test |^test result' "$out/tests-$arm.log" | sed "s/^/$arm: /"
    done
}

errors() {
    try 60 refuse.log "$set/bench-base" refuse
    grep -v constraints, "$out/refuse.log"
    local prover=$set/prover-base
    has prover-base || return
    refused() { # NAME WORDS COMMAND…
        local name=$1 words=$2
        shift 2
        "$@" > "$out/error-$name.log" 2>&1
        local code=$?
        if [ $code = 2 ] && grep -q -- "$words" "$out/error-$name.log" && [ ! -e "$set/no.proof" ]; then
            echo "$name: $(grep -h error "$out/error-$name.log" | head -n 1 | cut -c1-300)"
        else
            failures=$((failures + 1))
            echo "FAILED: $name ended with $code: $(tail -n 2 "$out/error-$name.log" | cut -c1-300)"
        fi
    }
    "$prover" setup --circuit mixed:1,10 --params-dir "$params" > "$out/setup-1-10.log" 2>&1
    "$prover" setup --circuit mixed:2,20 --params-dir "$params" > "$out/setup-2-20.log" 2>&1
    local file=$params/mixed-2-20.seed-1.params
    local prove=("$prover" prove --backend cuda --params-dir "$params" --proof "$set/no.proof")
    refused two-to-28 "GiB of memory" "${prove[@]}" --circuit mixed:4096,100000 --circuits 6
    refused wrong-file "it is of another circuit" "${prove[@]}" --circuit mixed:1,10 --params "$file"
    refused no-gpu "no CUDA device can be used" env CUDA_VISIBLE_DEVICES= "${prove[@]}" --circuit mixed:1,10
    refused too-many-gpus "there is no CUDA device" "${prove[@]}" --circuit mixed:1,10 --gpus 63
    try 20 error-next.log "$prover" prove --backend cuda --params-dir "$params" --circuit mixed:1,10
}

stream() {
    try 40 stream.log "$set/bench-base" stream 3000000 && cat "$out/stream.log"
    has bench-B2 && try 40 stream-B2.log "$set/bench-B2" stream 3000000 && cat "$out/stream-B2.log"
}

digest() { grep -o '"digest":"[^"]*"' "$1" | sort -u | tr '\n' ' '; }

# Proofs of a circuit by the CPU of base and by the GPU of every prover.
compare() { # CIRCUIT CIRCUITS SECONDS-EACH
    local circuit=$1 circuits=$2 seconds=$3 name arm expected found
    name=${circuit//[:,]/-}-$circuits
    has prover-base || return
    "$set/prover-base" setup --circuit "$circuit" --params-dir "$params" > "$out/setup-$name.log" 2>&1
    try 200 "cpu-$name.log" "$set/prover-base" prove --circuit "$circuit" --circuits "$circuits" --params-dir "$params" --iterations 0
    expected=$(digest "$out/cpu-$name.log")
    for arm in $(arms_of prover); do
        try "$seconds" "gpu-$name-$arm.log" "$set/prover-$arm" prove --circuit "$circuit" --circuits "$circuits" \
            --params-dir "$params" --iterations 1 --backend cuda || continue
        found=$(digest "$out/gpu-$name-$arm.log")
        if [ "$found" = "$expected" ] && [ -n "$found" ]; then
            echo "$circuit x $circuits by $arm: the CPU's bytes"
        else
            failures=$((failures + 1))
            echo "FAILED: $circuit x $circuits by $arm: OTHER BYTES"
        fi
    done
}

equal() {
    compare mixed:2,20 1 20
    compare mixed:2,20 3 20
}

phases() {
    local arm circuits
    for circuits in 1 4 10; do
        for arm in $(arms_of bench); do
            [ "$circuits" = 1 ] || is_main "$arm" || continue
            try 60 "phases-$circuits-$arm.log" "$set/bench-$arm" phases 1048576 "$circuits" $((circuits > 4 ? 2 : 5)) || continue
        done
        echo "--- 2^20 constraints, $circuits circuits: milliseconds, medians of 5; phases are summed over the batch and overlap"
        python3 - "$out" "$circuits" <<'PYTHON' || failures=$((failures + 1))
import glob, os, sys
out, circuits = sys.argv[1:]
names = "pin ntt msmh msml msma msmbg1 msmbg2 batchadd unpin call".split()
sums = set()
print("%-14s" % "arm" + "".join("%9s" % name for name in names))
for path in sorted(glob.glob(f"{out}/phases-{circuits}-*.log")):
    cells = {}
    for line in open(path):
        words = line.split()
        if len(words) >= 2 and words[0] in names and words[0] not in cells:
            cells[words[0]] = words[1]
        if words[:1] == ["h"]:
            sums.add(line)
    arm = os.path.basename(path)[len(f"phases-{circuits}-"):-4]
    print("%-14s" % arm + "".join("%9s" % cells.get(name, "-") for name in names))
print("FAILED: arms differ in H" if len(sums) != 1 else "all arms have the same H; the other sums are checked in the exponent")
sys.exit(len(sums) != 1)
PYTHON
    done
}

windows() {
    local arm constraints
    for arm in B2 all base; do
        has "bench-$arm" || continue
        for constraints in 262144 1048576 4194304; do
            try 60 "windows-$constraints-$arm.log" "$set/bench-$arm" windows $constraints 3 && cat "$out/windows-$constraints-$arm.log"
        done
        break
    done
}

tuning() {
    local file name
    for file in "$set"/bench-tune-* "$set/bench-B2+D4" "$set/bench-B2+D4+K1"; do
        [ -x "$file" ] || continue
        name=$(basename "$file")
        try 20 "$name.log" "$file" phases 1048576 1 7 || continue
        echo "$name: $(awk '$1 ~ /^(msmh|msml|msmbg1|msmbg2|batchadd|ntt|call)$/ && !seen[$1]++ { printf "%s %s  ", $1, $2 }' "$out/$name.log")"
    done
}

proofs() {
    local circuits arm repetition
    local prove=(--circuit mixed:30,500 --params-dir "$params" --backend cuda)
    has prover-base || return
    try 90 setup-30-500.log "$set/prover-base" setup --circuit mixed:30,500 --params-dir "$params" || return
    try 60 cpu-30-500.log "$set/prover-base" prove --circuit mixed:30,500 --circuits 1 --params-dir "$params" --iterations 0
    for circuits in 1 4 10; do
        for repetition in 1 2 3; do
            for arm in $(arms_of prover); do
                [ $circuits-$repetition = 1-1 ] || is_main "$arm" || continue
                [ $circuits = 1 ] || [ $repetition = 1 ] || continue
                try 60 "proofs-$circuits-$repetition-$arm.log" "$set/prover-$arm" prove "${prove[@]}" --circuits $circuits \
                    --iterations $((circuits > 1 ? 1 : 2))
            done
        done
    done
    python3 - "$out" <<'PYTHON' || failures=$((failures + 1))
import collections, glob, json, os, re, statistics, sys
out = sys.argv[1]
cpu = [json.loads(line) for line in open(f"{out}/cpu-30-500.log") if line.startswith("{")]
digests = {1: {event["digest"] for event in cpu if event["ev"] == "proof"}}
failed = False
rows = collections.defaultdict(lambda: collections.defaultdict(list))
for path in sorted(glob.glob(f"{out}/proofs-*.log")):
    circuits, repetition, arm = re.match(r"proofs-(\d+)-(\d+)-(.*)\.log", os.path.basename(path)).groups()
    events = [json.loads(line) for line in open(path) if line.startswith("{")]
    for event in events:
        if event["ev"] == "proof":
            digests.setdefault(int(circuits), set()).add(event["digest"])
            if not event["verified"]:
                failed = True
                print("FAILED: NOT VERIFIED", path)
    for total in (event for event in events if event["ev"] == "total" and not event["warmup"]):
        phases = collections.Counter()
        for event in events:
            if event["ev"] == "phase" and event["iteration"] == total["iteration"]:
                phases[event["name"]] += event["ns"] / 1e6
        row = rows[int(circuits), arm]
        row["gpu part"].append(total["total_ns"] / 1e6 - phases["synthesis"])
        row["total"].append(total["total_ns"] / 1e6)
        for name in ("synthesis", "ntt", "msm_h", "msm_l", "msm_a", "msm_b_g1", "msm_b_g2", "batch_add", "assemble", "free"):
            row[name].append(phases[name])
for circuits, found in sorted(digests.items()):
    failed |= len(found) != 1
    print(f"mixed:30,500 x {circuits}: {'one set of bytes' if len(found) == 1 else 'FAILED: ' + str(len(found)) + ' SETS OF BYTES'}")
names = ["gpu part", "total", "synthesis", "ntt", "msm_h", "msm_l", "msm_a", "msm_b_g1", "msm_b_g2", "batch_add", "assemble", "free"]
print("milliseconds, medians of warm iterations; phases are summed over the batch and overlap")
print("%-4s%-16s" % ("n", "arm") + "".join("%10s" % name for name in names))
for (circuits, arm), row in sorted(rows.items()):
    print("%-4d%-16s" % (circuits, arm) + "".join("%10.1f" % statistics.median(row[name]) for name in names))
sys.exit(failed)
PYTHON
}

# Proofs of one circuit against the CPU's; of several, by the provers against each other.
porep() {
    local arm circuits log cpu file began
    has prover-porep-base || { echo "FAILED: there is no prover-porep-base"; failures=$((failures + 1)); return; }
    local common=(--circuit porep:1 --params-dir "$params")
    began=$(date +%s%N)
    try 50 porep-setup.log "$set/prover-porep-base" setup "${common[@]}" || return
    echo "parameters of porep:1 were made in $((($(date +%s%N) - began) / 1000000)) ms, the circuit's sector sealed"
    try 40 porep-cpu-1.log "$set/prover-porep-base" prove "${common[@]}" --circuits 1 --iterations 0
    cpu=$(digest "$out/porep-cpu-1.log")
    for circuits in 1 4; do
        for file in "$set"/prover-porep-*; do
            arm=${file##*/prover-porep-}
            log=porep-$circuits-$arm.log
            try 30 "$log" "$file" prove "${common[@]}" --circuits "$circuits" --backend cuda --iterations $((circuits > 1 ? 1 : 2))
        done
    done
    python3 - "$out" "$cpu" <<'PYTHON' || failures=$((failures + 1))
import collections, glob, json, os, re, statistics, sys
out, cpu = sys.argv[1:]
digests = {"1": set(re.findall(r'"digest":"([^"]*)"', cpu)), "4": set()}
failed = not digests["1"]
print("FAILED: the CPU has made no proof" if failed else "the CPU has made a proof")
for path in sorted(glob.glob(f"{out}/porep-[14]-*.log")):
    circuits, arm = re.match(r"porep-(\d+)-(.*)\.log", os.path.basename(path)).groups()
    events = [json.loads(line) for line in open(path) if line.startswith("{")]
    proofs = [event for event in events if event["ev"] == "proof"]
    if not proofs or not all(event["verified"] for event in proofs):
        failed = True
        print("FAILED: NOT PROVED OR NOT VERIFIED", path)
    digests[circuits] |= {event["digest"] for event in proofs}
    parts = collections.defaultdict(list)
    for total in (event for event in events if event["ev"] == "total" and not event["warmup"]):
        phases = collections.Counter()
        for event in events:
            if event["ev"] == "phase" and event["iteration"] == total["iteration"]:
                phases[event["name"]] += event["ns"] / 1e6
        parts["total"].append(total["total_ns"] / 1e6)
        parts["gpu part"].append(total["total_ns"] / 1e6 - phases["synthesis"])
        for name, time in phases.items():
            parts[name].append(time)
    print(f"porep:1 x {circuits}, {arm}: " + "  ".join(f"{name} {statistics.median(times):.1f}" for name, times in parts.items()))
for circuits, found in digests.items():
    failed |= len(found) != 1
    print(f"porep:1 x {circuits}: {'one set of bytes' if len(found) == 1 else 'FAILED: ' + str(len(found)) + ' SETS OF BYTES'}")
sys.exit(failed)
PYTHON
}

sanitizers() {
    local tool arm code circuit circuits
    command -v compute-sanitizer > /dev/null || { echo "FAILED: there is no compute-sanitizer here"; failures=$((failures + 1)); return; }
    for circuit in mixed:1,10 mixed:1,1; do
        "$set/prover-base" setup --circuit $circuit --params-dir "$params" > "$out/setup-sanitizer-${circuit//[:,]/-}.log" 2>&1
    done
    for arm in base all; do
        has "prover-$arm" || continue
        for tool in memcheck racecheck initcheck; do
            circuit=mixed:1,10 circuits=2
            [ $tool = racecheck ] && circuit=mixed:1,1 circuits=1
            timeout $([ $tool = racecheck ] && echo 100 || echo 60) compute-sanitizer --tool $tool --print-limit 100000 \
                "$set/prover-$arm" prove --circuit $circuit --circuits $circuits --params-dir "$params" --iterations 0 --backend cuda \
                > "$out/sanitizer-$tool-$arm.log" 2>&1
            code=$?
            echo "$tool, $arm: exit $code, $(grep -E "SUMMARY" "$out/sanitizer-$tool-$arm.log" | tr '\n' ' ')"
            [ $code = 0 ] && grep -q '"verified":true' "$out/sanitizer-$tool-$arm.log" &&
                python3 "$here/sanitizer.py" $tool "$out/sanitizer-$tool-$arm.log" && continue
            failures=$((failures + 1))
            echo "FAILED: $tool, $arm: $(grep -vE '^=========' "$out/sanitizer-$tool-$arm.log" | tail -n 1 | cut -c1-200)"
        done
    done
}

gpus() {
    local count
    count=$(nvidia-smi -L | wc -l)
    has tests-base && try 60 tests-gpus.log "$set/tests-base" --ignored all_gpus --nocapture && grep -E '^test |GPUs' "$out/tests-gpus.log"
    has prover-all || return
    "$set/prover-all" setup --circuit mixed:30,500 --params-dir "$params" > "$out/setup-gpus.log" 2>&1
    for used in 1 "$count"; do
        try 60 "gpus-$used.log" "$set/prover-all" prove --circuit mixed:30,500 --circuits 8 --params-dir "$params" --backend cuda --gpus "$used" --timing-lines &&
            echo "$used GPUs: $(grep -E 'CUZK_TIMING: (total|synthesis)' "$out/gpus-$used.log" | tail -n 2 | tr '\n' ' ') $(digest "$out/gpus-$used.log")"
    done
}

for item in "$@"; do
    echo "=== $item"
    start=$SECONDS
    case $item in
        smoke | tests | errors | stream | equal | phases | windows | tuning | proofs | porep | sanitizers | gpus) $item ;;
        *) echo "there is no item $item"; failures=$((failures + 1)) ;;
    esac
    echo "($item took $((SECONDS - start)) s)"
done
echo "=== $failures failures"
[ $failures = 0 ]
