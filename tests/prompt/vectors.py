#!/usr/bin/env python3
"""Plays templates.jsonl and scenarios.jsonl of a folder through the program and compares all that they expect:
usage vectors.py PROGRAM FOLDER. Prints the counts; ends with 1 if anything differs."""
import json, os, subprocess, sys

program, folder = sys.argv[1:3]
EXPECTED = ('expected', 'error', 'phase', 'line', 'upstream', 'expect', 'basis', 'about', 'dev')

def rows(name):
    with open(os.path.join(folder, name), encoding='utf-8') as f: return [json.loads(l) for l in f if l.strip()]
def play(verb, lines):
    text = ''.join(json.dumps({k: v for k, v in r.items() if k not in EXPECTED}) + '\n' for r in lines)
    done = subprocess.run([program, 'prompt', verb], input=text, capture_output=True, text=True, timeout=300)
    answers = [json.loads(l) for l in done.stdout.splitlines()]
    assert len(answers) == len(lines), 'the program answered %d of %d lines: %s' % (len(answers), len(lines), done.stderr)
    return answers

def same(a, b):
    """Equal JSON: 1 is 1.0 but not true."""
    if isinstance(a, bool) or isinstance(b, bool): return a is b
    if isinstance(a, dict) and isinstance(b, dict): return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list): return len(a) == len(b) and all(map(same, a, b))
    return a == b

def rest_after(item, events):
    """Every rest of `events` that is left when `item`, an event or a free interleaving, has taken its part from the front."""
    if not isinstance(item, dict):
        if events and same(item, events[0]): yield events[1:]
        return
    yield from rest_of_group([list(s) for s in item['any']], events)
def rest_of_group(sequences, events):
    if not any(sequences):
        yield events
        return
    for n, s in enumerate(sequences):
        if not s: continue
        for rest in rest_after(s[0], events): yield from rest_of_group(sequences[:n] + [s[1:]] + sequences[n + 1:], rest)
def matches(pattern, events):
    if not pattern: return not events
    return any(matches(pattern[1:], rest) for rest in rest_after(pattern[0], events))

def check_error(want, got, where='error'):
    if got is None: return [where + ' is missing']
    out = [] if want['kind'] == got['kind'] else ['%s: want kind %s, got %s' % (where, want['kind'], got['kind'])]
    if 'reason' in want and want['reason'] != got.get('reason'): out.append(where + ': reason %s' % got.get('reason'))
    out += ['%s: no "%s" in "%s"' % (where, t, got['message']) for t in want.get('contains', []) if t not in got['message']]
    if 'cause' in want:
        cause = want['cause'] if isinstance(want['cause'], dict) else {'kind': want['cause']}
        out += check_error(cause, got.get('cause'), where + ' cause')
    return out

def check_message(n, want, got):
    text, out = got.get('content', ''), []
    def need(ok, what):
        if not ok: out.append('message %d %s: %r' % (n, what, text))
    need(want['role'] == got['role'], 'role')
    if 'content' in want: need(text == want['content'], 'content')
    need(text.startswith(want.get('starts', '')), 'starts')
    need(text.endswith(want.get('ends', '')), 'ends')
    for t in want.get('contains', []): need(t in text, 'contains ' + t)
    need(len(text) <= want.get('maxCodePoints', len(text)), 'length')
    for k in ('toolCallId', 'toolCalls', 'reasoning'):
        if k in want: need(same(want[k], got.get(k)), k)
    return out

def property_names(schema):
    if not isinstance(schema, dict): return []
    out = list(schema.get('properties') or {})
    for k, v in schema.items():
        for s in v.values() if k == 'properties' else [v]: out += property_names(s)
    return out

def check_request(n, want, got, before):
    out = ['request %d %s: want %s, got %s' % (n, k, want[k], got[k]) for k in ('iterations', 'roles', 'tools', 'delivery') if k in want and not same(want[k], got[k])]
    for k in ('toolChoice', 'maxTokens', 'temperature', 'toolsOneAtATime'):
        if (k in want) != (k in got) or k in want and not same(want[k], got[k]): out.append('request %d %s: want %s, got %s' % (n, k, want.get(k), got.get(k)))
    for k in ('name', 'system'):
        if k in want and want[k] != got.get(k): out.append('request %d %s: want %r, got %r' % (n, k, want[k], got.get(k)))
    if 'system' not in want and before and before['system'] != got['system']: out.append('request %d: the system text changed' % n)
    if want.get('delivery') == 'prompt': out += ['request %d: no %s in the system message' % (n, p) for p in property_names(got['schema']) if p not in got['systemMessage']]
    return out

def check_scenario(want, got):
    out = [] if want['status'] == got['status'] else ['status: want %s, got %s' % (want['status'], got['status'])]
    if ('result' in want) != ('result' in got) or 'result' in want and not same(want['result'], got['result']): out.append('result: want %s, got %s' % (want.get('result'), got.get('result')))
    if 'error' in want: out += check_error(want['error'], got.get('error'))
    elif 'error' in got: out.append('error: %s' % got['error'])
    if 'events' in want and not matches(want['events'], got['events']): out.append('events: want %s\n      got %s' % (json.dumps(want['events']), json.dumps(got['events'])))
    for key, check in (('messages', lambda n, w, g: check_message(n, w, g)), ('requests', lambda n, w, g: check_request(n, w, g, got['requests'][n - 1] if n else None))):
        if key not in want: continue
        if len(want[key]) != len(got[key]): out.append('%s: want %d, got %d' % (key, len(want[key]), len(got[key])))
        else:
            for n, (w, g) in enumerate(zip(want[key], got[key])): out += check(n, w, g)
    order = lambda l: sorted(l, key=lambda x: json.dumps(x, sort_keys=True))
    for key in ('toolRuns', 'toolOutputs'):
        if key in want and not same(order(want[key]), order(got[key])): out.append('%s: want %s, got %s' % (key, want[key], got[key]))
    for key in ('reconfigStats', 'usage', 'pending', 'yielded'):
        if key in want and not same(want[key], got[key]): out.append('%s: want %s, got %s' % (key, want[key], got[key]))
    return out

def check_template(want, got):
    if not want.get('error'): return [] if got.get('text') == want['expected'] else ['want %r, got %r' % (want['expected'], got)]
    if 'error' not in got: return ['want an error, got %r' % got]
    return ['want line %d, got %r' % (want['line'], got)] if 'line' in want and want['line'] != got['error']['line'] else []

bad, counts = 0, []
for name, verb, check in (('templates', 'render', check_template), ('scenarios', 'run', lambda w, g: check_scenario(w['expect'], g))):
    lines, good = rows(name + '.jsonl'), 0
    for want, got in zip(lines, play(verb, lines)):
        why = check(want, got)
        good += not why
        if why: print('%s %s\n    %s' % (name, want['id'], '\n    '.join(why)))
    bad += len(lines) - good
    counts.append('%s %d/%d' % (name, good, len(lines)))
print(', '.join(counts))
sys.exit(bad != 0)
