#!/usr/bin/env python3
"""What each part of the planner is worth: ablations.py COMPARE_READERS CASES.jsonl...

COMPARE_READERS is the built program of readers.cpp. CASES are labelled records, `{"id","instruction","tools","expect":
{"plan":...} | {"reject":[code,...]}}` a line, as in the shared cases. Prints a Markdown table of the readers side by side.
"""
import json
import subprocess
import sys

READERS = (('rules', 'rules over the same tokens, no network'), ('greedy', "greedy: each token's best answer"),
           ('unlinked', 'no link heads: nearest argument, call before, written order'), ('network', 'the planner'))


def main():
    program, files = sys.argv[1], sys.argv[2:]
    cases = [line for f in files for line in open(f, encoding='utf-8') if line.strip()]
    labels = [json.loads(line)['expect'] for line in cases]
    plannable = sum('plan' in x for x in labels)
    others = len(labels) - plannable
    print(f'{plannable} plannable, {others} not\n')
    print('| reader | exact | wrong | refused | false | code |\n| --- | --- | --- | --- | --- | --- |')
    for name, what in READERS:
        out = subprocess.run([program, name, '-'], input=''.join(cases), capture_output=True, text=True, check=True).stdout
        answers = [json.loads(line) for line in out.splitlines()]
        assert len(answers) == len(cases)
        exact = wrong = false = code = 0
        for want, got in zip(labels, answers):
            if 'plan' in want:
                exact += got.get('plan') == want['plan']
                wrong += 'plan' in got and got['plan'] != want['plan']
            elif 'plan' in got:
                false += 1
            else:
                codes = want['reject'] if isinstance(want['reject'], list) else [want['reject']]
                code += got['code'] in codes
        p, u = max(plannable, 1), max(others, 1)
        print(f'| {what} | {exact / p:.3f} | {wrong / p:.3f} | {(plannable - exact - wrong) / p:.3f} | {false / u:.3f} '
              f'| {code / max(others - false, 1):.3f} |')


main()
