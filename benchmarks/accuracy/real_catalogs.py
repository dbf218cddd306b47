#!/usr/bin/env python3
"""Exercises the tools of real MCP servers: real_catalogs.py FOLDER CODEMODE [--show N]

FOLDER holds tool lists (`tools/list` answers or arrays). Every tool that fits the planner's contract (its name an
identifier once `-` and the like are `_`, integers as numbers, at most four arguments of a plain type, required first) is
asked for in a few plain sentences, in a catalog of up to eight with its siblings, with its arguments in random order and
loose or exact spelling. Prints how many answers are exactly right.
"""
import argparse
import glob
import json
import random
import re
import subprocess

STRINGS = ['north', 'Berlin', 'a b c', 'x@y.org', 'release/2', 'It is "fine"', '2025-01-31', 'then', 'in parallel', 'id 7']
FRAMES = [
    ('Call {tool} with {args}.', ' and '), ('{tool} {args}', ', '), ('Please run {tool} for me: {args}', '; '),
    ('{tool}({args})', ', '), ('I need {tool}, with {args}, thanks.', ', '), ('use {tool} {args}', ' '),
    ('Could you do {tool} using {args}?', ' and '),
]
GIVE = ['{a} {v}', '{a}={v}', '{a}: {v}', '{a} set to {v}', '--{a} {v}']


def plain_type(schema):
    t = schema.get('type')
    if isinstance(t, list):
        t = [x for x in t if x != 'null']
        t = t[0] if len(t) == 1 else None
    return {'string': 'string', 'integer': 'number', 'number': 'number', 'boolean': 'boolean'}.get(t)


def fit(tool):
    """The contract's entry for an MCP tool, or None."""
    schema = tool.get('inputSchema') or {}
    name = re.sub(r'[^A-Za-z0-9_$]', '_', tool['name'])
    if not re.match(r'[A-Za-z_$]', name):
        return None
    required = schema.get('required') or []
    types = {k: plain_type(v) for k, v in (schema.get('properties') or {}).items() if isinstance(v, dict)}
    if any(not types.get(r) for r in required) or len(required) > 4:
        return None
    chosen = list(required) + [k for k, v in types.items() if v and k not in required]
    chosen = chosen[:4]
    return {'name': name, 'arguments': {k: types[k] for k in chosen}, 'required': list(required), 'returns': {'kind': 'object'}}


def literal(kind, rng):
    if kind == 'string':
        return rng.choice(STRINGS)
    if kind == 'boolean':
        return rng.random() < 0.5
    return rng.choice([rng.randint(0, 100), rng.randint(1, 99999), round(rng.uniform(0, 9), 1) or 1])


def loose(name, rng):
    words = re.findall(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+', name)
    if len(words) < 2 or rng.random() < 0.6 or ''.join(words).lower() != re.sub(r'[^A-Za-z0-9]', '', name).lower():
        return name
    return ' '.join(w.lower() for w in words)


def main():
    a = argparse.ArgumentParser()
    a.add_argument('folder')
    a.add_argument('codemode')
    a.add_argument('--show', type=int, default=0)
    o = a.parse_args()
    rng = random.Random(11)
    records, wants, tools_seen, skipped = [], [], 0, 0
    for path in sorted(glob.glob(o.folder + '/*.json')):
        data = json.load(open(path, encoding='utf-8'))
        tools = data.get('tools', data.get('result', {}).get('tools', [])) if isinstance(data, dict) else data
        entries = {}
        for t in tools:
            e = fit(t)
            if e and e['name'] not in entries:
                entries[e['name']] = e
            else:
                skipped += 1
        names = list(entries)
        for n in names:
            tools_seen += 1
            for _ in range(3):
                siblings = rng.sample([m for m in names if m != n], min(7, len(names) - 1))
                catalog = [entries[m] for m in siblings] + [entries[n]]
                rng.shuffle(catalog)
                e = entries[n]
                given = [k for k in e['arguments'] if k in e['required'] or rng.random() < 0.5]
                rng.shuffle(given)
                values = {k: literal(e['arguments'][k], rng) for k in given}
                frame, joint = rng.choice(FRAMES)
                give = '{a}={v}' if '(' in frame else rng.choice(GIVE)
                args = joint.join(give.format(a=loose(k, rng) if give[0] == '{' and '(' not in frame else k,
                                              v=json.dumps(values[k], ensure_ascii=False)) for k in given)
                text = frame.format(tool=loose(n, rng), args=args)
                if not given:
                    text = rng.choice(['Call {}.', 'run {}', 'Please do {} now.']).format(loose(n, rng))
                records.append({'id': len(records), 'instruction': text, 'tools': catalog})
                wants.append({'mode': 'single', 'calls': [{'tool': n, 'args': {k: values[k] for k in e['arguments'] if k in values}}],
                              'output': {'kind': 'last'}})
    lines = '\n'.join(json.dumps(r, ensure_ascii=False) for r in records)
    out = subprocess.run([o.codemode, 'plan'], input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()
    right = wrong = 0
    for r, w, l in zip(records, wants, out.splitlines()):
        got = json.loads(l)
        if got.get('plan') == w:
            right += 1
            continue
        wrong += 'plan' in got
        if o.show > 0:
            o.show -= 1
            print(r['instruction'], '\n  want', json.dumps(w['calls'], ensure_ascii=False), '\n  got ', l[:300])
    n = len(records)
    print(f'{tools_seen} tools ({skipped} do not fit), {n} instructions: exact {right / n:.4f} wrong {wrong / n:.4f} '
          f'refused {(n - right - wrong) / n:.4f}')


main()
