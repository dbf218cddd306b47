#!/bin/sh
# setup.sh build|check: installs what is missing on Debian 12 to build the program (build) or to build and
# pass every test (check). Does nothing where everything is there; needs root or sudo where it is not.
set -eu

missing=
need_command() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need_header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] || missing="$missing $2"; }

need_command g++ g++
need_command cmake cmake
need_command ninja ninja-build
need_header simdjson.h libsimdjson-dev
need_header xsimd/xsimd.hpp libxsimd-dev
# A Node from elsewhere is taken as it is: Debian's npm cannot be installed beside some of them.
need_command node nodejs

if [ "${1:-build}" = check ]; then
  need_command clang++ clang
  need_command pkg-config pkg-config
  need_command npm npm
  need_command python3 python3
  need_header doctest/doctest.h doctest-dev
  need_header benchmark/benchmark.h libbenchmark-dev
  # The sanitizers and libFuzzer of clang are a package of their own.
  resource_dir=$(clang++ -print-resource-dir 2>/dev/null || true)
  [ -n "$resource_dir" ] && ls "$resource_dir"/lib/*/libclang_rt.fuzzer* >/dev/null 2>&1 ||
    missing="$missing libclang-rt-14-dev"
fi

[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
  echo "setup.sh: please install (names as in Debian 12):$missing" >&2
  exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "setup.sh: these packages are missing, and there is neither root nor sudo to install them:$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
echo "== installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing ca-certificates
