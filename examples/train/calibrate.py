#!/usr/bin/python3
"""Fits the confidence: calibrate.py FIGURES [CHECKPOINT.pt]

FIGURES comes from `evaluate --figures` on held-out instructions: `id plannable right figure...` a line. Fits a logistic
regression of `right` with ridge penalty, prints a reliability table and the figures at several thresholds, and puts the
coefficients into the checkpoint (calibration: {'values': [...]}) for export.py.
"""
import sys

import numpy as np


def fit(x, y, ridge=1.0):
    w = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ w))
        g = x.T @ (y - p) - ridge * w * (np.arange(len(w)) > 0)
        h = (x * (p * (1 - p))[:, None]).T @ x + ridge * np.diag(np.arange(len(w)) > 0) + 1e-6 * np.eye(len(w))
        w += np.linalg.solve(h, g)
    return w


def main():
    rows = [l.split() for l in open(sys.argv[1])]
    plannable = np.array([int(r[1]) for r in rows])
    y = np.array([float(r[2]) for r in rows])
    x = np.array([[float(v) for v in r[3:]] for r in rows])
    w = fit(x, y)
    # out of sample: five folds by id
    fold = np.array([hash_of(r[0]) % 5 for r in rows])
    p = np.zeros(len(y))
    for k in range(5):
        p[fold == k] = 1 / (1 + np.exp(-x[fold == k] @ fit(x[fold != k], y[fold != k])))
    print('coefficients', ' '.join(f'{v:.3f}' for v in w))
    error = 0.0
    print('confidence       n  right')
    for low in np.arange(0, 1, 0.1):
        m = (p >= low) & (p < low + 0.1 + (low > 0.85))
        if m.any():
            error += m.sum() / len(y) * abs(p[m].mean() - y[m].mean())
            print(f'{low:.1f}..{low + 0.1:.1f} {m.sum():7d}  {y[m].mean():.3f}  (mean confidence {p[m].mean():.3f})')
    print(f'expected calibration error {error:.3f} (five folds)')
    for t in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        a = p >= t
        print(f'threshold {t:.2f}: exact {(a & (y == 1)).sum() / plannable.sum():.3f} wrong '
              f'{(a & (y == 0) & (plannable == 1)).sum() / plannable.sum():.3f} false '
              f'{(a & (plannable == 0)).sum() / max(1, (plannable == 0).sum()):.3f} precision {y[a].mean():.3f}')
    if len(sys.argv) > 2:
        import torch
        d = torch.load(sys.argv[2])
        d['calibration'] = {'values': [float(v) for v in w]}
        torch.save(d, sys.argv[2])


def hash_of(s):
    h = 2166136261
    for c in s.encode():
        h = (h ^ c) * 16777619 & 0xffffffff
    return h >> 8


main()
