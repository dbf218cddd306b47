#!/bin/sh
# Builds the program, plans a file of requests with it and runs the JavaScript of the answers in Node.
# Installs what is missing first (Debian 12; see cmake/setup.sh).
set -eu
cd "$(dirname "$0")/.."

./cmake/setup.sh build
if command -v ccache >/dev/null 2>&1; then
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}"
  export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
fi
cmake -S . -B build/demo -G Ninja -D CMAKE_BUILD_TYPE=Release -D CODEMODE_BUILD_TESTS=OFF
cmake --build build/demo --target codemode_cli

requests=examples/data/requests.jsonl
answers=build/demo/answers.jsonl
echo
echo "== codemode plan --js $requests"
build/demo/examples/cli/codemode plan --js $requests >$answers
cat $answers

echo
echo "== node examples/host_js/host.mjs"
node examples/host_js/host.mjs $answers

lines=$(wc -l <$requests)
[ "$(wc -l <$answers)" -eq "$lines" ] || { echo "demo: $lines requests have other answers" >&2; exit 1; }
echo
echo "demo: ok, $lines requests answered: $(grep -c '"plan":' $answers) planned and run, $(grep -c '"diagnostic":' $answers) refused"
