#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET...]: runs each fuzz target for so many seconds of processor time, one after the other, and
# prints what it did. Fails when one found a crash. What was learnt is kept in Fuzzing/.build/found for the next run;
# inputs that crash are in Fuzzing/.build/crashes.
set -eu -o pipefail

cd "$(dirname "$0")"
seconds=$1
shift
targets=("$@")
if [ ${#targets[@]} = 0 ]; then targets=(notice command mapping yaml rules sound logline clip clipurl broker); fi
ticks=$(getconf CLK_TCK)
# Two targets write a file for every input: in memory where that can be had, for a disk would be all they measure.
memory=/dev/shm
[ -w "$memory" ] || memory=${TMPDIR:-/tmp}
TMPDIR=$(mktemp -d -p "$memory")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
mkdir -p .build/crashes

processor_seconds() { # PID
    awk -v ticks="$ticks" '{ sub(/.*\) /, ""); print int(($12 + $13) / ticks) }' "/proc/$1/stat"
}

status=0
for target in "${targets[@]}"; do
    found=.build/found/$target
    log=.build/$target.log
    mkdir -p "$found"
    # A slow input is one that takes a minute, also on a busy machine; memory as a small board has it.
    # Without Swift's own report of a crash, which would end the process before libFuzzer has kept the input.
    SWIFT_BACKTRACE=enable=no FUZZ_TARGET=$target .build/release/Fuzz -timeout=60 -rss_limit_mb=512 -print_final_stats=1 \
        -artifact_prefix=".build/crashes/$target-" "$found" "Corpus/$target" >"$log" 2>&1 &
    fuzzer=$!
    while kill -0 "$fuzzer" 2>/dev/null && [ "$(processor_seconds "$fuzzer" || echo 0)" -lt "$seconds" ]; do
        sleep 1
    done
    # libFuzzer ends in good order and prints its figures.
    kill -USR1 "$fuzzer" 2>/dev/null || true
    result="no crash"
    wait "$fuzzer" || { result="CRASHED, see Fuzzing/$log"; status=1; }
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(grep -o ' cov: [0-9]*' "$log" | tail -n 1 | tr -dc 0-9)
    echo "$target: ${executions:-?} executions, ${edges:-?} edges, $(find "$found" -type f | wc -l) inputs kept; $result"
done
exit $status
