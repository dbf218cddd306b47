#!/bin/sh
# Trains the network from the corpus in data/text and writes its weights into the library. Fixed seeds.
#
#   examples/train/train.sh [OUT_FOLDER] [train.py options]
#
# Needs python3-torch, python3-numpy and libopenblas0-pthread (Debian), which nothing else of the project needs.
# About 35 minutes on one core. OUT_FOLDER (default: examples/train/out) receives the corpus as JSONL, the vocabulary,
# checkpoints, model.weights and the figures.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:-$here/out}
[ $# -gt 0 ] && shift
python=${PYTHON:-/usr/bin/python3}
words=2700

$python -c 'import torch, numpy' 2>/dev/null || {
  echo "train.sh: install python3-torch, python3-numpy and libopenblas0-pthread first" >&2
  exit 2
}
mkdir -p "$out/corpus"
cmake -S "$root" -B "$out/build" -DCMAKE_BUILD_TYPE=Release -DCODEMODE_BUILD_TESTS=OFF >/dev/null
cmake --build "$out/build" --target train_generate train_evaluate >/dev/null
generate=$out/build/examples/train/generate
evaluate=$out/build/examples/train/evaluate

$python "$here/check_corpus.py" -q --out "$out/corpus" "$here"/data/text/*.txt
$python "$here/expand.py" "$here/data/templates.txt" "$out/corpus" --exclude "$here/held_out.txt"
"$generate" words "$out/corpus" --exclude "$here/held_out.txt" |
  LC_ALL=C sort -k1,1nr -k2 | head -n "$words" | cut -d' ' -f2- >"$out/vocabulary.txt"

cd "$here"
OMP_NUM_THREADS=1 $python train.py "$generate" "$out/corpus" "$out/vocabulary.txt" "$out/model.pt" \
  --held-out held_out.txt "$@"

# Confidence: figures of the quantised network on held-out instructions, a logistic fit, and the weights with it.
$python export.py "$out/model.pt" --draft --file "$out/draft.weights"
"$evaluate" "$out/corpus" --only held_out.txt --weights "$out/draft.weights" --figures "$out/figures.txt" >/dev/null
$python calibrate.py "$out/figures.txt" "$out/model.pt" | tee "$out/calibration.txt"
$python export.py "$out/model.pt" --file "$out/model.weights" \
  --header "$root/include/codemode/network/default_weights_data.hpp" --cases "$root/tests/data/network_cases.txt"
"$evaluate" "$out/corpus" --only held_out.txt --weights "$out/model.weights" | tee "$out/held_out_figures.txt"
