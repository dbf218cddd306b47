#!/bin/sh
# count_instructions.sh [REVISION]
#
# Instructions a request of every stage of the planner, counted by callgrind, of the working tree; with REVISION
# (a git revision, as HEAD or main~3) beside those of its library, with the change in percent. Counts do not
# depend on how busy a machine is. The benchmark's own sources are those of the working tree in both columns.
# Valgrind 3.19 knows no AVX-512, so the network is counted with its AVX2 kernel.
#
# CXX and CXXFLAGS choose the compiler, g++ -O2 without them.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
base=${1:-}
command -v valgrind >/dev/null || { echo "count_instructions.sh: please install valgrind" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# count NAME INCLUDE: a file NAME of lines `stage tokens instructions`
count() {
  # shellcheck disable=SC2086  # a list of flags
  ${CXX:-g++} -std=c++20 ${CXXFLAGS:--O2} -I"$2" -DCODEMODE_BENCHMARK_DATA="\"$here/data\"" "$here/count.cpp" \
    -o "$work/count" -lsimdjson
  rm -f "$work"/dump.*
  valgrind --quiet --tool=callgrind --callgrind-out-file="$work/dump" --toggle-collect=measured \
    --dump-after=measured "$work/count" >"$work/stages" 2>"$work/errors" || { cat "$work/errors" >&2; exit 1; }
  n=0
  while read -r stage tokens requests; do
    n=$((n + 1))
    total=$(sed -n 's/^totals: *\([0-9]*\).*/\1/p' "$work/dump.$n")
    echo "$stage $tokens $((total / requests))"
  done <"$work/stages" >"$work/$1"
}

count now "$here/../include"
if [ -z "$base" ]; then
  awk 'BEGIN { printf "%-20s %6s %12s\n", "stage", "tokens", "instructions" }
       { printf "%-20s %6d %12d\n", $1, $2, $3 }' "$work/now"
  exit 0
fi
mkdir "$work/base"
git -C "$here/.." archive "$base" include | tar -x -C "$work/base"
count before "$work/base/include"
paste -d ' ' "$work/before" "$work/now" |
  awk 'BEGIN { printf "%-20s %6s %12s %12s %8s\n", "stage", "tokens", "before", "now", "change" }
       { printf "%-20s %6d %12d %12d %+7.1f%%\n", $1, $2, $3, $6, ($6 - $3) / $3 * 100 }'
