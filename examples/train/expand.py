#!/usr/bin/env python3
"""Fills hand-written sentences with calls: expand.py TEMPLATES CORPUS [--each N] [--exclude FILE] [--seed N]

TEMPLATES is data/templates.txt, whose head describes the form; CORPUS is the folder that check_corpus.py wrote. N
instructions are made of each template, with tools drawn from the corpus' catalogs, and added to the corpus under ids that
begin with o. Catalogs of the files that FILE names lend no tools.
"""
import argparse
import copy
import json
import random
import re

CALL_STYLES = ((' with ', ' ', ' and '), (', ', ' ', ', '), (' (', ' ', ', '), (' ', '=', ' '), (' for ', ' ', ', '),
               (': ', ' ', ', '), (' with ', ' ', ', '), (' ', ' ', ' '))
STRINGS = ('north', 'Lena', 'R-12', 'blue', 'hello world', 'x@y.org', '2025-03-01', 'Oak Street 4', 'a, b', 'then', 'v2',
           'Is it?', 'in parallel', 'Müller', 'K 9', 'main', '07:30', 'pump 3', 'draft', 'Lot "A"')


class Maker:
    def __init__(self, tools, rng):
        self.tools, self.rng = tools, rng
        self.arguments = sorted({(a, t) for tool in tools for a, t in tool['arguments'].items() if t != 'boolean'})

    def value(self, kind, used):
        while True:
            v = (self.rng.choice(STRINGS) + self.rng.choice(('', '', ' ' + str(self.rng.randint(2, 99)))) if kind == 'string'
                 else self.rng.random() < 0.5 if kind == 'boolean'
                 else self.rng.choice((self.rng.randint(1, 99), self.rng.randint(100, 9999), self.rng.randint(1, 99) / 2)))
            if kind == 'boolean' or v not in used:
                used.append(v)
                return v

    def spelled(self, name):
        words = re.findall(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+', name)
        if len(words) < 2 or self.rng.random() < 0.7 or ''.join(words) != re.sub('[^A-Za-z0-9]', '', name):
            return name
        return self.rng.choice((' ', ' ', '-', '_')).join(w.lower() for w in words)

    def catalog(self, a, kind, takes, bare):
        """Three tools for the sentence, with `a` where it is given, and some that stand by."""
        rng = self.rng
        tools = copy.deepcopy(rng.sample(self.tools, 3 + rng.randint(0, 4)))
        for i, t in enumerate(tools):
            arguments = [(n, k) for n, k in t['arguments'].items() if n != a][:3]
            if i < 3 and i not in bare:
                arguments = arguments[:2]
            t['required'] = [n for n in t['required'] if n in dict(arguments) and i not in bare]
            if i < 3 or rng.random() < 0.3:
                arguments.insert(rng.randint(0, len(arguments)), (a, kind))
                if i >= 3 or (i in takes and rng.random() < 0.6):
                    t['required'].append(a)
            t['arguments'] = dict(arguments)
        return tools

    def call(self, tool, a, style, used):
        own = [n for n in tool['arguments'] if n != a and (n in tool['required'] or self.rng.random() < 0.6)]
        self.rng.shuffle(own)
        args = {n: self.value(tool['arguments'][n], used) for n in own}
        head, give, joint = style
        text = self.spelled(tool['name'])
        if own:
            text += head + joint.join(n + give + json.dumps(args[n], ensure_ascii=False) for n in own)
            text += ')' if head == ' (' else ''
        return text, args

    def make(self, label, calls, text):
        rng = self.rng
        a, kind = rng.choice(self.arguments)
        shared = '{v}' in text
        order = [(int(c[0]) - 1, int(c[2]) - 1 if '=' in c else None) for c in calls]
        takes = set()
        for k, j in order:
            if shared or j is not None or f'{{v{k + 1}}}' in text:
                takes.add(k)
        bare = {k for k in range(3) if f'{{n{k + 1}}}' in text and f'{{c{k + 1}}}' not in text}
        tools = self.catalog(a, kind, takes, bare)
        names = [t['name'] for t in tools]
        if len(set(n.lower().replace('_', '') for n in names)) < len(names):
            return None
        used, style = [], rng.choice(CALL_STYLES)
        values = [self.value(kind, used) for _ in range(3)]
        one = self.value(kind, used)
        own = {}

        def fill(m):
            what = m.group(1)
            if what[0] in 'cn' and len(what) == 2:
                k = int(what[1]) - 1
                if what[0] == 'n':
                    return tools[k]['name']
                own_style = style if rng.random() < 0.7 else rng.choice(CALL_STYLES)
                phrase, own[k] = self.call(tools[k], a, own_style, used)
                return phrase
            if what == 'a':
                return a
            return json.dumps(one if what == 'v' else values[int(what[1]) - 1], ensure_ascii=False)

        instruction = re.sub(r'\{([a-z]\d?)\}', fill, text.replace('\\n', '\n'))
        if rng.random() < 0.5:
            instruction += rng.choice('..!')
        if rng.random() < 0.6 and instruction.split()[0] not in names:
            instruction = instruction[0].upper() + instruction[1:]
        listed = list(tools)
        rng.shuffle(listed)
        if label.rstrip('+') not in ('single', 'serial', 'parallel'):
            return listed, instruction, {'reject': label}
        out = []
        for k, j in order:
            args = dict(own.get(k, {}))
            if j is not None:
                args[a] = values[j]
            elif shared:
                args[a] = one
            elif f'{{v{k + 1}}}' in text:
                args[a] = values[k]
            if any(r not in args for r in tools[k]['required']):
                return None
            out.append({'tool': names[k], 'args': {n: args[n] for n in tools[k]['arguments'] if n in args}})
        kind_of_output = 'last' if label.endswith('+') or len(out) == 1 else 'all'
        return listed, instruction, {'plan': {'mode': label.rstrip('+'), 'calls': out, 'output': {'kind': kind_of_output}}}


def main():
    p = argparse.ArgumentParser()
    p.add_argument('templates')
    p.add_argument('corpus')
    p.add_argument('--each', type=int, default=12)
    p.add_argument('--exclude')
    p.add_argument('--seed', type=int, default=5)
    o = p.parse_args()
    stems = {line.strip() for line in open(o.exclude)} if o.exclude else set()
    instructions = open(o.corpus + '/instructions.jsonl', encoding='utf-8').read().splitlines()
    kept_out = {r['catalog'] for r in map(json.loads, instructions) if r['id'].rsplit('-', 1)[0] in stems}
    catalogs = [json.loads(line) for line in open(o.corpus + '/catalogs.jsonl', encoding='utf-8')]
    tools = [t for c in catalogs if c['id'] not in kept_out for t in c['tools'] if len(t['arguments']) > 0]
    maker = Maker(tools, random.Random(o.seed))
    templates = [line.rstrip('\n').split('\t') for line in open(o.templates, encoding='utf-8') if line[0] not in '#\n']
    made = 0
    with open(o.corpus + '/catalogs.jsonl', 'a', encoding='utf-8') as c, \
            open(o.corpus + '/instructions.jsonl', 'a', encoding='utf-8') as f:
        for n, (label, calls, text) in enumerate(templates):
            for i in range(o.each):
                x = next(filter(None, (maker.make(label, calls.split(), text) for _ in range(20))), None)
                if x is None:
                    continue
                name = f'o{n:03d}-{i}'
                c.write(json.dumps({'id': name, 'tools': x[0]}, ensure_ascii=False) + '\n')
                f.write(json.dumps({'id': name, 'catalog': name, 'instruction': x[1], 'expect': x[2]}, ensure_ascii=False) + '\n')
                made += 1
    print(f'{made} instructions of {len(templates)} templates')


main()
