#!/usr/bin/env bash
# Runs the tests and repeats at the end what failed: nobody finds it among two thousand lines of what passed.
#
# usage: run-tests.sh [option of `swift test`]...
set -uo pipefail
cd "$(dirname "$0")/.."
log=.build/test.log
mkdir -p .build

# A thousand tests at once starve those that play a broker, who must answer in time.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-8}

swift test "$@" 2>&1 | tee "$log"
code=${PIPESTATUS[0]}
if ((code != 0)); then
  printf '\nWhat failed (everything: %s):\n' "$log"
  # An issue's details follow on lines of their own.
  grep -aE -A 4 '✘.*(recorded an issue|Caught error|Fatal)|error: |fatal error|unexpected signal' "$log" | grep -avE '[◇✔]' | cut -c 1-600
fi
exit "$code"
