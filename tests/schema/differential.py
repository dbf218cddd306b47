#!/usr/bin/env python3
"""Holds the program to a slow model of the specification on random schemas and values.

    python3 differential.py PROGRAM ORACLE COUNT [SEED] [SHOW]

ORACLE is a program of the same form (`ORACLE schema VERB`, JSON Lines in and out). For each of COUNT random sources one
random dialect is asked for the emission with its losses, the reasons against sending and expressing it, the counts, the
findings and the decoding of two answers. Exits with 1 where the two disagree, with 77 where there is no oracle.
"""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from random_schemas import DESCRIPTORS, Sources  # noqa: E402


def same(a, b):
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def ask(program, verb, records, may_die=False):
    """The answers. A program that may die on a record is started again behind it; its answer there is None."""
    answers = []
    while len(answers) < len(records):
        text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records[len(answers):])
        done = subprocess.run([program, "schema", verb], input=text, capture_output=True, text=True, check=False)
        answers += [json.loads(line) for line in done.stdout.splitlines()]
        if len(answers) < len(records):
            if not may_die:
                sys.exit(f"{program} schema {verb}: {len(answers)} answers to {len(records)} records\n{done.stderr[-2000:]}")
            answers.append(None)
    return answers


def judged(verb, a):
    """The part of an answer that must agree."""
    if "error" in a and a["error"].get("kind") == "import":
        return "import"
    if verb == "decode":
        return [a.get("value"), a.get("valid")]
    out = {k: v for k, v in a.items() if k != "id"}
    if isinstance(out.get("error"), dict):
        out["error"] = out["error"].get("kind")
    return out


def main():
    program, oracle, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    show = int(sys.argv[5]) if len(sys.argv) > 5 else 3
    if not os.path.exists(oracle):
        print("there is no oracle here; skipped")
        return 77
    sources = Sources(seed)
    records = []
    for i in range(count):
        r = {"id": i, "source": sources.next(), "descriptor": sources.r.choice(DESCRIPTORS)}
        if sources.r.random() < .25:
            r["use"] = "output"
        if sources.r.random() < .3:
            r["options"] = {"describeLosses": True}
        records.append(r)
    emitted = ask(program, "emit", records)
    answers = []
    for r, e in zip(records, emitted):
        # The oracle's regular expressions are Python's, which know these otherwise than ECMAScript.
        if any(x in json.dumps(r["source"]) for x in ("\\\\p{", "(?i")):
            continue
        for _ in range(2):
            wire = sources.fitting(e.get("schema", {}), e.get("schema", {})) if sources.r.random() < .7 else sources.value()
            answers.append({k: v for k, v in r.items() if k != "options"} | {"wire": wire})
    expressed = [{**r, "use": r.get("use", "tool")} for r in records]
    total = wrong = silent = 0
    for verb, rows in (("emit", records), ("express", expressed), ("analyze", records), ("lint", records), ("decode", answers)):
        bad = 0
        for r, mine, theirs in zip(rows, ask(program, verb, rows), ask(oracle, verb, rows, True)):
            if theirs is None:
                silent += 1
                continue
            total += 1
            if same(judged(verb, mine), judged(verb, theirs)):
                continue
            bad += 1
            if bad <= show:
                print("---", verb, json.dumps(r, ensure_ascii=False)[:1500])
                a, b = judged(verb, mine), judged(verb, theirs)
                if isinstance(a, dict) and isinstance(b, dict):
                    for k in sorted(a.keys() | b.keys()):
                        if isinstance(a.get(k), list) and isinstance(b.get(k), list) and k != "schema":
                            ours = [x for x in a[k] if x not in b[k]]
                            theirs_only = [x for x in b[k] if x not in a[k]]
                            if ours or theirs_only:
                                print("  ", k, "\n      only ours  ", json.dumps(ours)[:900], "\n      only oracle", json.dumps(theirs_only)[:900])
                        elif not same(a.get(k), b.get(k)):
                            print("  ", k, "\n      ours  ", json.dumps(a.get(k))[:900], "\n      oracle", json.dumps(b.get(k))[:900])
                else:
                    print("   ours  ", json.dumps(a)[:900], "\n   oracle", json.dumps(b)[:900])
        print(f"{verb}: {len(rows) - bad}/{len(rows)} agree")
        wrong += bad
    print(f"{total - wrong} of {total} answers agree; {silent} without an answer of the oracle")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
