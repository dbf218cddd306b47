#!/usr/bin/env python3
"""Random values and calls against the slow model of the contract. usage: compare.py PROGRAM [ROUNDS [SEED]]

The model lies beside the repository (shared/oracles/contract) and is not a part of it: without it there is nothing to
compare, and the script says so and ends well. Prose of messages is each side's own and is left out of the comparison.
"""
import base64
import json
import os
import random
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
shared = os.path.join(here, '..', '..', '..', 'shared')
oracle = os.path.join(shared, 'oracles', 'contract')
if not os.path.exists(os.path.join(oracle, 'codemode-oracle')):
    print('skipped: there is no shared/oracles/contract beside the repository')
    sys.exit(0)
sys.path.insert(0, oracle)
from contract_oracle.types import RENDERABLE, TYPES  # noqa: E402

program = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
rnd = random.Random(seed)
catalog = os.path.abspath(os.path.join(shared, 'vectors', 'contract', 'catalogs', 'workbench.json'))

PIECES = ['', 'a', 'Beta', '<&>', '"\\/', '\n', '\t', '\r\n', '\x00\x1f', '\x7f\x9b', 'ž', '日本', '😀', '\u2028\u2029', '\u202e\u2066', '\u200b', '\ufffd', ' ', '_x', '10', '9', '\ue000']
NUMBERS = ['0', '-0', '-0.0', '1', '-7', '1.0', '0.1', '1e20', '1e21', '1e-6', '1e-7', '123456789.125', '9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775808', '5e-324', '1.7976931348623157e308']


class Raw(float):
    """A number that is written as it stands."""
    def __new__(cls, text):
        self = super().__new__(cls, 0)
        self.text = text
        return self


def dump(v):
    if isinstance(v, Raw):
        return v.text
    if isinstance(v, dict):
        return '{' + ','.join(json.dumps(k, ensure_ascii=rnd.random() < .3) + ':' + dump(x) for k, x in v.items()) + '}'
    if isinstance(v, list):
        return '[' + ','.join(map(dump, v)) + ']'
    return json.dumps(v, ensure_ascii=rnd.random() < .3)


def text():
    return ''.join(rnd.choice(PIECES) for _ in range(rnd.randrange(5)))


def anything(depth=0):
    kind = rnd.randrange(8 if depth < 3 else 5)
    if kind == 0:
        return None
    if kind == 1:
        return rnd.random() < .5
    if kind in (2, 3):
        return Raw(rnd.choice(NUMBERS))
    if kind == 4:
        return text()
    if kind == 5:
        return [anything(depth + 1) for _ in range(rnd.randrange(4))]
    return {text(): anything(depth + 1) for _ in range(rnd.randrange(4))}


def value(type_name):
    out = {}
    for name, kind, of, _ in TYPES[type_name]:
        if rnd.random() < .25:
            if rnd.random() < .3:
                out[name] = None
            continue
        if kind == 'string':
            out[name] = text()
        elif kind == 'bool':
            out[name] = rnd.random() < .5
        elif kind in ('int', 'optint'):
            out[name] = rnd.choice([0, 1, -1, 42, 2 ** 63 - 1, -2 ** 63])
        elif kind == 'list':
            out[name] = [text() if of == 'string' else value(of) for _ in range(rnd.randrange(3))]
        elif kind == 'struct':
            out[name] = value(of)
        elif kind == 'map':
            out[name] = {text(): anything(1) for _ in range(rnd.randrange(3))}
        else:
            out[name] = anything()
    return out


def wire_lines():
    for i in range(rounds):
        t = rnd.choice(list(TYPES))
        line = {'id': 'w%d' % i, 'type': t, 'value': value(t), 'numbers': rnd.choice(['int64', 'float64'])}
        if rnd.random() < .3:
            line['format'] = 'json'
        strings = [n for n, kind, _, _ in TYPES[t] if kind == 'string']
        if strings and rnd.random() < .2:
            raw = bytes(rnd.choice([0x41, 0x80, 0xc3, 0xa9, 0xe2, 0xf0, 0x9f, 0xff, 0xed, 0xa0]) for _ in range(rnd.randrange(1, 7)))
            line['bytes'] = {'/' + rnd.choice(strings): base64.b64encode(raw).decode()}
        yield line


def render_lines():
    for i in range(rounds):
        t = rnd.choice(RENDERABLE)
        yield {'id': 'r%d' % i, 'type': t, 'value': value(t), 'format': rnd.choice(['human', 'concise', 'json', '', 'Human']), 'raw': rnd.random() < .5, 'numbers': 'int64'}


def simple_schema():
    kinds = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'date']
    return {'type': 'object', 'required': [text() for _ in range(rnd.randrange(3))], 'properties': {text(): {'type': rnd.choice(kinds)} for _ in range(rnd.randrange(4))}}


def secret():
    return rnd.choice(['sk-live-0000', 'Bearer tok-abc', 'Basic dXNlcjpwdw==', 'plain', 'x', '{env:T}', 'Bearer {env:T}', 'a {env:T} b', 'postgres://u:hunter22@h/db', 'ghp_1', 'abcd', 'abcdefgh', '', 'Bearer {env:T} sk-x', '{env:9}'])


def call_lines():
    refs = ['files.read_file', 'chat.list_channels', 'pg.query', 'files.unknown', 'ghost.x', 'nodot', '.x', 'x.', 'calendar.create_event', 'chat.post_message']
    for i in range(rounds):
        line = {'id': 'c%d' % i}
        op = line['op'] = rnd.choice(['validate', 'scrub', 'redact', 'secretKind', 'schemaHash', 'call', 'call', 'recommended'])
        values = {'headers': {rnd.choice(['Authorization', 'X-Mode']): secret()}, 'environment': {rnd.choice(['TOKEN', 'MODE', 'KEY']): secret() for _ in range(rnd.randrange(3))}}
        if op == 'validate':
            line['schema'] = simple_schema()
            line['arguments'] = {n: anything(2) for n in list(line['schema']['properties']) + [text()] if rnd.random() < .7}
        elif op == 'scrub':
            line['input'] = dict(values, message=' '.join(secret() + text() for _ in range(3)))
        elif op == 'redact':
            line['input'] = values
        elif op == 'secretKind':
            line['input'] = rnd.choice(['', ' ', '\t']).join([secret(), rnd.choice(['ghp_a', 'glpat-1', 'AKIA', 'BEARER x', 'desk', 'xoxe-1', '']), secret()])
        elif op == 'schemaHash':
            line['input'] = rnd.choice([simple_schema(), {text(): anything(1)}, None, [1], 'x'])
        else:
            line['catalog'] = catalog
            line['call'] = {'toolRef': rnd.choice(refs)}
            if op == 'call':
                if rnd.random() < .8:
                    line['call']['arguments'] = {n: rnd.choice(['a', Raw('1'), None]) for n in ('path', 'sql', 'maxRows', 'channel', 'text') if rnd.random() < .6}
                line['servers'] = {rnd.choice(['chat', 'files', 'pg']): dict(values, **({'enabled': False} if rnd.random() < .1 else {}))}
                line['maxResultBytes'] = rnd.choice([0, 16, 40, 64, 65536])
                down = line['downstream'] = {}
                act = rnd.randrange(6)
                if act == 0:
                    down['connectFails'] = 'cannot: ' + secret()
                elif act == 1:
                    down['transportError'] = secret()
                elif act == 2:
                    down['structuredContent'] = anything()
                else:
                    down['content'] = [{'type': 'text', 'text': secret() + ' ' + text() + 'word ' * rnd.randrange(20)} for _ in range(rnd.randrange(3))]
                    if act == 3:
                        down['isError'] = True
        yield line


def ask(command, verb, lines):
    data = '\n'.join(lines) + '\n'
    out = subprocess.run(command + verb, input=data.encode('utf-8', 'surrogatepass'), capture_output=True, timeout=1800).stdout
    answers = {}
    for l in out.decode('utf-8', 'surrogateescape').split('\n'):
        if l:
            a = json.loads(l, parse_int=str, parse_float=str)
            answers[a['id']] = a
    return answers


def plain(answer):
    """An answer without prose."""
    if answer is None:
        return None
    a = dict(answer)
    e = a.get('error')
    if isinstance(e, dict):
        told = e['message'] if e['type'] == 'DOWNSTREAM_CALL_FAILED' and not e['retryable'] and 'toolRef' in e else ''
        a['error'] = {k: e.get(k) for k in ('type', 'toolRef', 'serverId', 'retryable')} | {'told': told}
    for k in ('resultSummary', 'usageHints', 'relatedTools', 'examples', 'nextActions'):
        a.pop(k, None)
    if 'notices' in a:
        a['notices'] = len(a['notices'])
    if not a.get('downstreamName'):
        a.pop('downstreamName', None)
    if isinstance(a.get('text'), str):
        a['text'] = re.sub(r'[^\n]*?(?<![\d-])(-?\d+)s old[^\n]*', r'<stamp \1>', a['text'])
    return a


failed = total = 0
for verb, make in ((['contract', 'json'], wire_lines), (['contract', 'render'], render_lines), (['call'], call_lines)):
    lines = {l['id']: dump(l) for l in make()}
    mine = ask([program], verb, lines.values())
    theirs = ask([os.path.join(oracle, 'codemode-oracle')], verb, lines.values())
    wrong = [i for i in lines if i not in mine or plain(mine[i]) != plain(theirs.get(i))]
    for i in wrong[:6]:
        print('---', lines[i][:1500], '\n  ours', mine.get(i), '\n model', theirs.get(i))
    print('%s: %d of %d agree' % (' '.join(verb), len(lines) - len(wrong), len(lines)))
    failed += len(wrong)
sys.exit(1 if failed else 0)
