#!/bin/sh
# How long does it take to build the matrix of an experiment cold and warm, and how long would clean builds take?
#
#   experiments/walltime.sh experiments/archive.toml target/release/ablate > docs/walltime.md
#
# It moves the folder that the harness builds in aside, so that the first matrix starts from nothing, and puts it back. Clean builds
# are those of the first three arms, each with a target folder of its own, as one would build without the harness.
set -eu
experiment=$1
ablate=$2
# Times are wall times: the script waits for nothing and measures no prover, but it wants the machine for itself.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# seconds COMMAND...: wall time of a command, whose output goes to stderr.
seconds() {
    start=$(date +%s.%N)
    "$@" >&2
    end=$(date +%s.%N)
    awk "BEGIN { printf \"%.1f\", $end - $start }"
}

verify() {
    CARGO_TARGET_DIR=$scratch/target "$ablate" verify "$experiment" "$@" --json > "$scratch/$name.json"
}

field() {
    python3 -c 'import json, sys; v = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$scratch/$1.json" "$2"
}

name=cold
cold=$(seconds verify --control)
name=warm
warm=$(seconds verify)
arms=$(field warm 'len(v["arms"]) - 1')
verifying=$(field warm '"%.2f" % (v["verify_ns"] / 1e9)')
control=$(field cold '"%.1f" % (v["provenance"]["control"]["ns"] / 1e9)')

echo "# Wall times of \`$experiment\`"
echo
echo "$(nproc) CPUs, $(rustc --version), made by \`experiments/walltime.sh\`."
echo
echo "| what | seconds |"
echo "|---|--:|"
echo "| cold matrix of $arms arms, with its control build | $cold |"
echo "| of these the control build | $control |"
echo "| the same again, warm | $warm |"
echo "| of these verifying: hashing, digests, comparing | $verifying |"
for at in 0 1 2; do
    words=$(field cold "\" \".join(w for w in v['builds'][$at]['command'] if w != '--message-format=json')")
    words=$(echo "$words" | sed "s|--target-dir [^ ]*|--target-dir $scratch/clean-$at|")
    clean=$(seconds sh -c "$words")
    arm=$(field cold "v['builds'][$at]['arms'][0]")
    echo "| a clean build of $arm | $clean |"
    rm -rf "$scratch/clean-$at"
done
