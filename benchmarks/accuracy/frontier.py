#!/usr/bin/env python3
"""Networks of several sizes: frontier.py COMPARE_READERS CASES.jsonl WEIGHTS... [--svg OUT.svg]

COMPARE_READERS is the built program of readers.cpp, CASES are labelled records, WEIGHTS files that examples/train/train.sh
wrote (`train.sh OUT --channels N`). Prints a Markdown table of size, accuracy and time; --svg plots accuracy over time.
"""
import argparse
import json
import os
import subprocess


def main():
    a = argparse.ArgumentParser()
    a.add_argument('program')
    a.add_argument('cases')
    a.add_argument('weights', nargs='+')
    a.add_argument('--svg')
    o = a.parse_args()
    labels = [json.loads(line)['expect'] for line in open(o.cases, encoding='utf-8') if line.strip()]
    plannable = sum('plan' in x for x in labels)
    rows = []
    for w in o.weights:
        run = subprocess.run([o.program, 'network', o.cases, '--weights', w], capture_output=True, text=True, check=True)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        said = run.stderr.split()
        exact = sum('plan' in x and y.get('plan') == x['plan'] for x, y in zip(labels, answers, strict=True))
        wrong = sum('plan' in x and 'plan' in y and y['plan'] != x['plan'] for x, y in zip(labels, answers))
        false = sum('plan' not in x and 'plan' in y for x, y in zip(labels, answers))
        rows.append((int(said[1]), os.path.getsize(w), exact / plannable, wrong / plannable,
                     false / max(len(labels) - plannable, 1), float(said[3])))
    rows.sort()
    print('| channels | bytes | exact | wrong | false | microseconds |\n| --- | --- | --- | --- | --- | --- |')
    for c, size, exact, wrong, false, time in rows:
        print(f'| {c} | {size} | {exact:.3f} | {wrong:.3f} | {false:.3f} | {time:.0f} |')
    if o.svg:
        draw(o.svg, rows)


def draw(path, rows):
    width, height, pad = 420, 260, 50
    most = max(r[5] for r in rows) * 1.15
    low = min(r[2] for r in rows) - 0.02
    x = lambda t: pad + t / most * (width - 2 * pad)
    y = lambda e: height - pad - (e - low) / (1 - low) * (height - 2 * pad)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<path d="M{pad},{pad} V{height - pad} H{width - pad}" fill="none" stroke="#888"/>',
           f'<text x="{width / 2}" y="{height - 12}" text-anchor="middle">microseconds a plan, about 30 tokens</text>',
           f'<text transform="translate(14,{height / 2}) rotate(-90)" text-anchor="middle">exact</text>']
    for i in range(5):
        e, t = low + i / 4 * (1 - low), i / 4 * most
        out.append(f'<text x="{pad - 6}" y="{y(e) + 4}" text-anchor="end">{e:.2f}</text>')
        out.append(f'<text x="{x(t)}" y="{height - pad + 16}" text-anchor="middle">{t:.0f}</text>')
    points = ' '.join(f'{x(r[5]):.1f},{y(r[2]):.1f}' for r in rows)
    out.append(f'<polyline points="{points}" fill="none" stroke="#25a"/>')
    for r in rows:
        out.append(f'<circle cx="{x(r[5]):.1f}" cy="{y(r[2]):.1f}" r="4" fill="#25a"/>'
                   f'<text x="{x(r[5]) + 7:.1f}" y="{y(r[2]) + 12:.1f}">{r[0]} channels</text>')
    open(path, 'w').write('\n'.join(out + ['</svg>']) + '\n')


main()
