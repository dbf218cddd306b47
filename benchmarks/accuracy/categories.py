#!/usr/bin/env python3
"""Figures for each kind of instruction: categories.py CODEMODE [CASES.jsonl...] [--corpus FOLDER --only HELD_OUT.txt]

CODEMODE is the program. CASES are labelled records, `{"id","instruction","tools","expect": {"plan"} | {"reject"}}` a line;
FOLDER is what examples/train/check_corpus.py writes with --out, of which --only takes the files that it names. A case
counts in every category that fits it. Prints a Markdown table.
"""
import argparse
import json
import re
import subprocess
from collections import defaultdict


def corpus(folder, only):
    stems = {line.strip() for line in open(only)} if only else None
    catalogs = {c['id']: c['tools'] for c in map(json.loads, open(folder + '/catalogs.jsonl', encoding='utf-8'))}
    for line in open(folder + '/instructions.jsonl', encoding='utf-8'):
        r = json.loads(line)
        if stems is None or r['id'].rsplit('-', 1)[0] in stems:
            yield {'id': r['id'], 'instruction': r['instruction'], 'tools': catalogs[r['catalog']], 'expect': r['expect']}


def length(text):
    n = len(re.findall(r'"(?:[^"\\]|\\.)*"|\w+|[^\w\s]', text))
    return 'up to 12' if n <= 12 else '13 to 30' if n <= 30 else '31 to 60' if n <= 60 else 'over 60'


def places(text, name):
    return [m.start() for m in re.finditer(r'(?<!\w)' + re.escape(name) + r'(?!\w)', text)]


def categories(case):
    text, tools, want = case['instruction'], case['tools'], case['expect']
    yield 'length (tokens)', length(text)
    yield 'tools in the catalog', '1 to 3' if len(tools) < 4 else '4 to 5' if len(tools) < 6 else '6 to 8'
    if 'plan' not in want:
        codes = want['reject'] if isinstance(want['reject'], list) else [want['reject']]
        yield 'refusal', codes[0]
        return
    plan = want['plan']
    calls = plan['calls']
    names = [c['tool'] for c in calls]
    yield 'schedule', plan['mode']
    if len(calls) > 1:
        yield 'output of several calls', plan['output']['kind']
    shape = [k for k in ('fields', 'limit') if k in plan['output']]
    yield 'shaping', ' and '.join(shape) or 'none'
    yield 'names', 'exact' if all(places(text, n) for n in names) else 'loose'
    if len(set(names)) < len(names):
        yield 'calls', 'a tool repeated'
    elif len(names) > 1:
        values = [(k, json.dumps(v)) for c in calls for k, v in c['args'].items()]
        shared = [v for v in set(values) if values.count(v) > text.count(v[1]) and values.count(v) > 1]
        yield 'calls', 'a value shared' if shared else 'each its own values'
        first = [min(places(text, n), default=-1) for n in names]
        if -1 not in first:
            yield 'order', 'as written' if first == sorted(first) else 'told otherwise'
    others = [t['name'] for t in tools if t['name'] not in names and places(text, t['name']) and
              not re.fullmatch('[a-z]+', t['name'])]
    if others:
        yield 'other tools', 'named, not called'


def main():
    a = argparse.ArgumentParser()
    a.add_argument('program')
    a.add_argument('cases', nargs='*')
    a.add_argument('--corpus')
    a.add_argument('--only')
    o = a.parse_args()
    cases = [json.loads(line) for f in o.cases for line in open(f, encoding='utf-8') if line.strip()]
    if o.corpus:
        cases += corpus(o.corpus, o.only)
    lines = ''.join(json.dumps(c) + '\n' for c in cases)
    out = subprocess.run([o.program, 'plan', '-'], input=lines, capture_output=True, text=True, check=True).stdout
    table = defaultdict(lambda: [0, 0, 0, 0, 0, 0])  # plannable, exact, wrong, others, false, code
    for case, line in zip(cases, out.splitlines(), strict=True):
        got, want = json.loads(line), case['expect']
        for c in categories(case):
            row = table[c]
            if 'plan' in want:
                row[0] += 1
                row[1] += got.get('plan') == want['plan']
                row[2] += 'plan' in got and got['plan'] != want['plan']
            else:
                codes = want['reject'] if isinstance(want['reject'], list) else [want['reject']]
                row[3] += 1
                row[4] += 'plan' in got
                row[5] += got.get('code') in codes
    print('| kind | | plannable | exact | wrong | others | false | code |\n| --- | --- | --- | --- | --- | --- | --- | --- |')
    share = lambda x, n: f'{x / n:.3f}' if n else ''
    for (kind, value), (p, exact, wrong, u, false, code) in sorted(table.items()):
        print(f'| {kind} | {value} | {p or ""} | {share(exact, p)} | {share(wrong, p)} | {u or ""} | {share(false, u)} '
              f'| {share(code, u - false)} |')


main()
