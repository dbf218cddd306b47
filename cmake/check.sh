#!/bin/sh
# Builds everything and passes all tests on a fresh Debian 12: g++ Release with everything, clang with
# AddressSanitizer and UndefinedBehaviorSanitizer at -O0, the threaded tests under ThreadSanitizer, every
# header alone without exceptions and RTTI on both compilers, the consumer projects, the fuzz targets, and
# the JavaScript in Node and QuickJS. Ends with ctest's summary over all of them.
set -eu
cd "$(dirname "$0")/.."

./cmake/setup.sh check
for folder in tests/js tests/mcp; do
  (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error)
done

jobs=$(nproc 2>/dev/null || echo 2)
export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}"
if command -v ccache >/dev/null 2>&1; then
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}"
  # Another clone of the same sources finds what this one compiled.
  export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
fi
cmake --workflow --preset "${1:-check}"
