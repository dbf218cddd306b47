#!/bin/sh
# symbols.sh PLAIN WIDE: two objects of one source, WIDE with flags for wider vectors. The linker keeps one of two
# functions with one name, so no kernel that uses wide vectors may be in both.
set -eu
plain=$1
wide=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v nm >/dev/null && command -v objdump >/dev/null || { echo "skipped: no nm or objdump"; exit 77; }

defined() { nm "$1" | awk '$2 ~ /^[TtWVu]$/ { print $3 }' | grep -E 'codemode|xsimd' | sort -u; }
defined "$plain" >"$work/plain"
defined "$wide" >"$work/wide"
comm -12 "$work/plain" "$work/wide" >"$work/both"

# Functions of the kernels (and of xsimd, which only they use) that hold registers of 32 or 64 bytes. Not those
# that only take one of the kernels' types: they are ordinary code.
objdump -d --no-show-raw-insn "$wide" |
  awk '/^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name) } /%[yz]mm/ { print name }' | sort -u |
  grep -E '^_ZNK?(8codemode4v0_16detail7kernels|5xsimd)' >"$work/vector" || true

[ -s "$work/both" ] || { echo "failed: the objects share nothing, so that nothing is tested"; exit 1; }
grep -q . "$work/vector" || { echo "failed: no kernel uses wide vectors, so that nothing is tested"; exit 1; }
if comm -12 "$work/both" "$work/vector" | grep .; then
  echo "failed: these are in both objects, but their code depends on the flags"
  exit 1
fi
echo "$(wc -l <"$work/both") shared functions, $(wc -l <"$work/vector") kernels apart from them"
