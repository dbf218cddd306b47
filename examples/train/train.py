#!/usr/bin/python3
"""Trains the network on samples that generate.cpp streams.

usage: train.py GENERATE CORPUS VOCABULARY OUT.pt [--passes N] [--variants N] [--channels C] [--held-out FILE] ...

GENERATE is the built program, CORPUS the folder that check_corpus.py wrote. Fixed seeds: the same corpus and the same
build give the same weights up to rounding. One thread is faster than two busy ones.
"""
import argparse
import json
import random
import subprocess
import time

import numpy as np
import torch
import torch.nn.functional as F

from model import ALL, CLASSES, LAST, PARALLEL, SERIAL, Network, class_logits
from samples import Batch, read, shuffled_batches


def losses(net, b, smoothing=0.0):
    o = net(b.words, b.prefixes, b.suffixes, b.features, b.mask)
    size, k = len(b.code), b.supervised
    out = {}
    code = F.cross_entropy(class_logits(o['pooled']), b.code, reduction='sum', label_smoothing=smoothing)
    out['code'] = 2.0 * code / size
    out['role'] = F.cross_entropy(o['role'].transpose(1, 2), b.roles, ignore_index=255, reduction='sum') / k
    if len(b.rows):
        row = torch.cat([o['argument'][b.rows[:, 0], b.rows[:, 1]], o['none'][b.rows[:, 0], b.rows[:, 1]][:, None]], 1)
        out['argument'] = F.cross_entropy(row + b.allowed, b.targets, reduction='sum') / k
    for name, pairs in (('call', b.calls), ('order', b.order)):
        if len(pairs):
            s, i, j, y = pairs.unbind(1)
            out[name] = F.binary_cross_entropy_with_logits(o[name][s, i, j], y.float(), reduction='sum') / k
    for name, targets, yes, no in (('mode', b.mode, PARALLEL, SERIAL), ('last', b.last, LAST, ALL)):
        if targets:
            s, y = zip(*targets)
            p = o['pooled'][list(s)]
            out[name] = F.binary_cross_entropy_with_logits(p[:, yes] - p[:, no], torch.tensor(y).float(),
                                                           reduction='sum') / k
    return out, o


def main():
    a = argparse.ArgumentParser()
    for name in ('generate', 'corpus', 'vocabulary', 'out'):
        a.add_argument(name)
    a.add_argument('--passes', type=int, default=6)
    a.add_argument('--variants', type=int, default=8)
    a.add_argument('--channels', type=int, default=96)
    a.add_argument('--dilations', default='1,2,4,8,1,2,4,1')
    a.add_argument('--batch', type=int, default=64)
    a.add_argument('--rate', type=float, default=2e-3)
    a.add_argument('--spoil', type=float, default=0.12)
    a.add_argument('--held-out', default='')
    a.add_argument('--background', default='data/background.txt')
    a.add_argument('--clauses', default='data/clauses.txt')
    a.add_argument('--joins', default='data/joins.txt')
    a.add_argument('--seed', type=int, default=7)
    a.add_argument('--dropout', type=float, default=0.14)
    a.add_argument('--word-dropout', type=float, default=0.08)
    a.add_argument('--weight-decay', type=float, default=1e-2)
    a.add_argument('--smoothing', type=float, default=0.02, help='label smoothing of the refusal class')
    a.add_argument('--threads', type=int, default=1)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    np.random.seed(o.seed)
    rng = random.Random(o.seed)
    words = open(o.vocabulary, encoding='utf-8').read().split('\n')[:-1]
    config = dict(words=8 + len(words), channels=o.channels, dropout=o.dropout, dilations=[int(x) for x in o.dilations.split(',')])
    net = Network(config)
    print(sum(p.numel() for p in net.parameters()), 'parameters', flush=True)
    decay = [p for p in net.parameters() if p.dim() > 1]
    plain = [p for p in net.parameters() if p.dim() <= 1]
    opt = torch.optim.AdamW([dict(params=decay, weight_decay=o.weight_decay), dict(params=plain, weight_decay=0.0)], lr=o.rate)
    exclude = ['--exclude', o.held_out] if o.held_out else []
    only = ['--only', o.held_out] if o.held_out else []
    base = [o.generate, 'samples', o.corpus, '--vocabulary', o.vocabulary, '--background', o.background,
            '--clauses', o.clauses, '--joins', o.joins]
    held = list(read(subprocess.Popen(base + only + ['--variants', '0'], stdout=subprocess.PIPE).stdout)) if only else []
    count = sum(1 for _ in open(o.corpus + '/instructions.jsonl', encoding='utf-8'))
    total = o.passes * o.variants * count // o.batch
    step = 0
    start = time.time()
    mean = {k: v.clone() for k, v in net.state_dict().items()}  # exponential moving average of the weights
    average = {}
    for p in range(o.passes):
        stream = subprocess.Popen(base + exclude + ['--variants', str(o.variants), '--seed', str(o.seed + p), '--spoil',
                                                    str(o.spoil)], stdout=subprocess.PIPE).stdout
        net.train()
        for samples in shuffled_batches(stream, o.batch, rng):
            rate = o.rate * min(1.0, step / 200) * max(0.01, 1 - step / total)
            for g in opt.param_groups:
                g['lr'] = rate
            l, _ = losses(net, Batch(samples, o.word_dropout), o.smoothing)
            opt.zero_grad()
            sum(l.values()).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.step()
            step += 1
            keep = min(0.999, step / (step + 50))
            with torch.no_grad():
                for k, v in net.state_dict().items():
                    mean[k].lerp_(v, 1 - keep)
            for k, v in l.items():
                average[k] = 0.99 * average.get(k, v.item()) + 0.01 * v.item()
            if step % 500 == 0:
                print(step, total, f'{time.time() - start:.0f}s', ' '.join(f'{k} {v:.3f}' for k, v in average.items()), flush=True)
        torch.save(dict(state=mean, vocab=words, config=net.config, calibration={}), o.out)
        if held:
            own = {k: v.clone() for k, v in net.state_dict().items()}
            net.load_state_dict(mean)
            net.eval()
            sums, right, n = {}, 0, 0
            with torch.no_grad():
                for i in range(0, len(held), 64):
                    b = Batch(held[i:i + 64])
                    l, y = losses(net, b)
                    for k, v in l.items():
                        sums[k] = sums.get(k, 0) + v.item()
                    right += int((class_logits(y['pooled']).argmax(1) == b.code).sum())
                    n += 1
            net.load_state_dict(own)
            print('held out', ' '.join(f'{k} {v / n:.3f}' for k, v in sums.items()), f'class {right / len(held):.3f}', flush=True)


main()
