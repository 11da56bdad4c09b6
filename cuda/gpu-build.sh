#!/usr/bin/env bash
# Builds what cuda/gpu-tests.sh runs on a host with a GPU, and packs it: provers of several arms, the test executables, the bench.
# Takes cargo and nvcc (NVCC, CUDA_HOME or PATH), no GPU. What is there already and up to date is quick.
#
#   cuda/gpu-build.sh [FOLDER [ARM…]]        FOLDER is target/gpu; ARMs are ids joined by +, such as base, B2, B2+D4, all
#
# An ARM with a dash before it, such as -K1, gets the bench alone; with an equals sign, such as =K1, no bench; porep-ARM, such as
# porep-base, is a prover with the circuit porep and no more. What lies in FOLDER/parts from another time is packed, too.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-target/gpu}
shift || true
arms=("$@")
# Every toggle alone, those that matter for B2 beside it, and two more arms so that every pair of toggles is seen on and off.
[ ${#arms[@]} -gt 0 ] || arms=(base B2 B2+D4 all B2+D4+K1 K1 D4 B1 A4 A1+A4+B1+K1 A2+B1+D4)

features_of() {
    local arm=$1 features=cuda id
    case $arm in porep-*) features+=,porep arm=${arm#porep-} ;; esac
    [ "$arm" = base ] && { echo "$features"; return; }
    [ "$arm" = all ] && arm=A1+A2+A4+B1+B2+D4+K1
    for id in ${arm//+/ }; do
        case $id in
            A1) features+=,smallvec ;;
            A2) features+=,presize ;;
            A4) features+=,parallel-b-g2 ;;
            B1) features+=,host-pin ;;
            B2) features+=,gpu-b-g2 ;;
            D4) features+=,msm-windows ;;
            K1) features+=,kernel-tuning ;;
            *) echo "no toggle has the id $id: choose of A1 A2 A4 B1 B2 D4 K1" >&2; exit 2 ;;
        esac
    done
    echo "$features"
}

# The features of package groth16-cuda for the same arm.
native_features_of() {
    features_of "$1" | sed 's/\bcuda\b/native/; s/,smallvec//; s/,presize//'
}

# The file of the executable that cargo's messages on stdin name `$1`.
executable() {
    grep -o '"executable":"[^"]*"' | cut -d'"' -f4 | grep -E "/$1(-[0-9a-f]{16})?$" | tail -n 1
}

keep() { # FILE NAME
    strip -o "$folder/parts/$2" "$1"
    echo "$2: $(stat -c %s "$folder/parts/$2") bytes"
}

mkdir -p "$folder/parts"
quietly=(--release --message-format json-render-diagnostics)
for arm in "${arms[@]}"; do
    prover=yes bench=yes
    case $arm in
        -*) prover= arm=${arm#-} ;;
        =*) bench= arm=${arm#=} ;;
        porep-*) bench= ;;
    esac
    if [ "$prover" ]; then
        built=$(cargo build "${quietly[@]}" -p groth16-prover --bin prover --features "$(features_of "$arm")" | executable prover)
        keep "$built" "prover-$arm"
    fi
    [ "$bench" ] || continue
    built=$(cargo bench --message-format json-render-diagnostics --no-run -p groth16-cuda --bench gpu \
        --features "$(native_features_of "$arm")" | executable gpu)
    keep "$built" "bench-$arm"
done
for arm in base all; do
    case " ${arms[*]} " in *" $arm "* | *" =$arm "*) ;; *) continue ;; esac
    built=$(cargo test "${quietly[@]}" --no-run -p groth16-prover --test it --features "$(features_of "$arm")" | executable it)
    keep "$built" "tests-$arm"
done

# Nearly equal executables: a window that holds all of them.
tar -C "$folder/parts" -cf - . | xz -T0 -6 --lzma2=dict=64MiB > "$folder/set.tar.xz"
echo "$folder/set.tar.xz: $(stat -c %s "$folder/set.tar.xz") bytes"
