#!/usr/bin/env python3
"""Random templates and random scripts of misbehaving models, played by the program and by the slow model of the
specification: usage differential.py PROGRAM SHARED [RUNS] [SEED]. Ends with 77 (skipped) where SHARED is absent.

What the specification leaves open is left out of the comparison: how a JSON fault is worded, and what happens
where the slow model is simpler than the page (a stop at the event request; a transformer after the stop)."""
import json, os, random, re, subprocess, sys

program, shared = sys.argv[1], sys.argv[2]
runs = int(sys.argv[3]) if len(sys.argv) > 3 else 500
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
oracle = os.path.join(shared, 'oracles', 'prompt')
if not os.path.isdir(oracle):
    print('skipped: %s is not here' % oracle)
    sys.exit(77)
sys.path.insert(0, oracle)
sys.dont_write_bytecode = True
from fuzz import scenario
from oracle.host import Scenario
from oracle.vectors import render_row

def play(verb, rows):
    text = ''.join(json.dumps(r) + '\n' for r in rows)
    done = subprocess.run([program, 'prompt', verb], input=text, capture_output=True, text=True, timeout=600)
    return [json.loads(l) for l in done.stdout.splitlines()]

# ---- templates
PIECES = ['text', ' ', '\n', '\r\n', '  ', '{{a}}', '{{{h}}}', '{{&h}}', '{{o.x}}', '{{o/y}}', '{{xs.length}}', '{{xs.[1]}}', '{{missing.deep}}',
          '{{#if a}}', '{{#if z}}', '{{#unless z}}', '{{#each xs}}', '{{#each o as |v k|}}', '{{#with o}}', '{{#xs}}', '{{^xs}}', '{{#o}}', '{{else}}', '{{^}}',
          '{{else if a}}', '{{/if}}', '{{/unless}}', '{{/each}}', '{{/with}}', '{{/xs}}', '{{/o}}', '{{this}}', '{{.}}', '{{../a}}', '{{@index}}', '{{@key}}',
          '{{#unless @last}},{{/unless}}', '{{@root.a}}', '{{k}}={{v}}', '{{! note }}', '{{!-- }} --}}', '{{> row}}', '{{> row o}}', '{{> row x=1}}',
          '{{upper a}}', '{{join xs "-"}}', '{{#if (eq a 1)}}', '{{lookup o "x"}}', '{{~a~}}', '{{~#if a~}}', '{{~/if}}', '\\{{a}}', '\\\\{{a}}', '{{12}}',
          '{{"a b"}}', '{{[a b]}}', '{{#> row}}', '{{/row}}', '{{> @partial-block}}', '{{#*inline "i"}}', '{{/inline}}', '{{> i}}', '{{{{verbatim}}}}', '{{{{/verbatim}}}}', '{{', '}}', '}']
PAIRS = [('{{#if a}}', '{{/if}}'), ('{{#each xs}}', '{{/each}}'), ('{{#each o as |v k|}}', '{{/each}}'), ('{{#with o}}', '{{/with}}'), ('{{#xs}}', '{{/xs}}'),
         ('{{^z}}', '{{/z}}'), ('{{#unless z}}', '{{/unless}}'), ('{{#if (eq a 1)}}', '{{/if}}'), ('{{#> row}}', '{{/row}}'), ('{{#*inline "i"}}', '{{/inline}}')]

def text(r, depth=0):
    out = ''
    for _ in range(r.randint(1, 5)):
        if depth < 3 and r.random() < .45:
            a, b = r.choice(PAIRS)
            middle = text(r, depth + 1)
            if 'inline' not in a and '> row' not in a and r.random() < .4: middle += r.choice(['{{else}}', '{{^}}', '\n{{else}}\n']) + text(r, depth + 1)
            out += r.choice(['', '\n', '  ']) + a + r.choice(['', '\n']) + middle + b + r.choice(['', '\n'])
        else: out += r.choice(PIECES if r.random() < .12 else [p for p in PIECES if not re.match(r'\{\{(~)?[#/^]|\{\{else|\{\{\{\{|\{\{$|\}', p)])
    return out

def template(n):
    r = random.Random(n)
    data = {'a': r.choice([1, 0, '', 'word', None, True]), 'h': '<b>', 'o': {'x': 1, 'y': [2, 3]}, 'xs': r.choice([[], [1, 2], ['p', {'a': 'q'}]]), 'z': r.choice([0, False, None, 'zz']), 'a b': 'ab', '12': 'twelve'}
    return {'id': n, 'template': text(r), 'data': data, 'partials': {'row': '<{{x}}{{a}}>\n'}, 'helpers': ['upper', 'join', 'eq', 'verbatim'], 'escape': r.random() < .2}

# ---- scripts
OPEN = ('not valid JSON', 'could not be read as JSON')
def wording(s):
    for o in OPEN:
        if s and o in s: return s[:s.index(o)] + o
    return s
ENDS = ('toolOutput', 'toolError', 'toolInterrupt', 'toolSuspend')
def ordered(events):
    """Ends of calls that run side by side come in any order."""
    out, ends = [], []
    for e in events + [None]:
        if e and e[0] in ENDS: ends.append(e)
        else:
            out += sorted(ends) + ([e] if e else [])
            ends = []
    return out
def facts(g):
    def message(m):
        return [m['role'], wording(m.get('content')), m.get('toolCallId'), m.get('toolCalls') or [], m.get('reasoning')]
    return {'status': g['status'], 'result': g.get('result'), 'has result': 'result' in g, 'error': (g.get('error') or {}).get('kind'),
            'cause': ((g.get('error') or {}).get('cause') or {}).get('kind'), 'events': ordered(g['events']), 'messages': [message(m) for m in g['messages']],
            'requests': [[q['iterations'], q['roles'], q['tools'], q['delivery'], q.get('toolChoice'), q.get('maxTokens'), q.get('toolsOneAtATime')] for q in g['requests']],
            'tool runs': sorted(json.dumps(t, sort_keys=True) for t in g['toolRuns']), 'pending': g['pending'], 'usage': g.get('usage'), 'yielded': g['yielded']}

bad = 0
def differs(row, what, want, got):
    global bad
    bad += 1
    if bad <= 5: print('--- %s: %s\n  want %s\n  got  %s\n  of   %s' % (row['id'], what, json.dumps(want), json.dumps(got), json.dumps(row)))

rows = [template(seed + n) for n in range(runs)]
for row, got in zip(rows, play('render', rows)):
    try: want = render_row(row)
    except Exception: continue  # a test helper that does not take this value
    if ('error' in want) != ('error' in got): differs(row, 'error', want, got)
    elif 'error' not in want and want['text'] != got['text']: differs(row, 'text', want['text'], got['text'])
    elif 'error' in want and want['error']['line'] != got['error']['line']: differs(row, 'line', want['error'], got['error'])
print('%d templates' % len(rows))

def left_open(s):
    stops = 'stop' in s or '"stop": true' in json.dumps(s)
    return stops and ('onToolResult' in s['prompt'] or (s.get('stop') or {}).get('on', [''])[0] == 'request')
rows = [s for s in (scenario(seed + n) for n in range(runs)) if not left_open(s)]
for row, got in zip(rows, play('run', rows)):
    want, have = facts(Scenario(row).play()), facts(got)
    for k in want:
        if want[k] != have[k]:
            differs(row, k, want[k], have[k])
            break
print('%d scripts, %d differences' % (len(rows), bad))
sys.exit(bad != 0)
