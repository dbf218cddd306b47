"""Reads what generate.cpp writes and makes batches of it."""
import random
import struct

import numpy as np
import torch

FEATURES = 96


class Sample:
    __slots__ = 'n code mode last words prefixes suffixes roles features arguments calls order loose mentions'.split()


def read(stream):
    """Yields the samples of a binary stream."""
    while True:
        head = stream.read(4)
        if len(head) < 4:
            return
        b = stream.read(struct.unpack('<I', head)[0])
        s = Sample()
        n, s.code, s.mode, s.last = struct.unpack_from('<HBBB', b)
        s.n = n
        at = 5
        ids = np.frombuffer(b, '<u2', 3 * n, at).reshape(3, n)
        s.words, s.prefixes, s.suffixes = ids
        at += 6 * n
        s.roles = np.frombuffer(b, np.uint8, n, at)
        at += n
        s.features = np.frombuffer(b, np.uint8, n * FEATURES, at).reshape(n, FEATURES)
        at += n * FEATURES
        lists = []
        for width in (2, 3, 3, 1):
            count = struct.unpack_from('<H', b, at)[0]
            lists.append(np.frombuffer(b, np.uint8, count, at + 2).reshape(-1, width))
            at += 2 + count
        s.arguments, s.calls, s.order, s.loose = lists
        s.mentions = np.nonzero(s.features[:, 1])[0]
        yield s


def shuffled_batches(stream, size, rng, window=64):
    """Batches of samples of similar length, drawn from windows of `window` batches."""
    chunk = []
    for s in read(stream):
        chunk.append(s)
        if len(chunk) == size * window:
            yield from cut(chunk, size, rng)
            chunk = []
    if chunk:
        yield from cut(chunk, size, rng)


def cut(chunk, size, rng):
    chunk.sort(key=lambda s: s.n + rng.random())
    batches = [chunk[i:i + size] for i in range(0, len(chunk), size)]
    rng.shuffle(batches)
    return batches


class Batch:
    """Tensors of a list of samples; pair lists are (sample, i, j, target) index tensors."""

    def __init__(self, samples, word_dropout=0.0, rng=random):
        n = max(s.n for s in samples)
        size = len(samples)
        w = np.zeros((3, size, n), np.int64)
        f = np.zeros((size, n, FEATURES), np.uint8)
        m = np.zeros((size, n), np.float32)
        roles = np.full((size, n), 255, np.int64)
        for b, s in enumerate(samples):
            w[0, b, :s.n], w[1, b, :s.n], w[2, b, :s.n] = s.words, s.prefixes, s.suffixes
            f[b, :s.n] = s.features
            m[b, :s.n] = 1
            roles[b, :s.n] = s.roles
        if word_dropout:
            drop = (np.random.random((size, n)) < word_dropout) & (w[0] >= 8)
            w[0][drop] = 1
            blind = drop & (np.random.random((size, n)) < 0.5)  # nothing of the word is left
            w[1][blind] = w[2][blind] = 0
            letters = np.random.random((size, n)) < word_dropout / 2
            w[1][letters] = 0
            letters = np.random.random((size, n)) < word_dropout / 2
            w[2][letters] = 0
        self.words, self.prefixes, self.suffixes = (torch.from_numpy(x) for x in w)
        self.features = torch.from_numpy(f).float() / 120.0
        self.mask = torch.from_numpy(m)
        self.roles = torch.from_numpy(roles)
        self.code = torch.tensor([s.code for s in samples])
        self.mode = [(b, s.mode) for b, s in enumerate(samples) if s.mode != 255]
        self.last = [(b, s.last) for b, s in enumerate(samples) if s.last != 255]
        self.calls = self.gather(samples, 'calls')
        self.order = self.gather(samples, 'order')
        rows, targets, valid = [], [], []
        for b, s in enumerate(samples):
            for v, t in s.arguments:
                rows.append((b, v)); targets.append(t); valid.append(s.mentions)
            for (v,) in s.loose:
                rows.append((b, v)); targets.append(n); valid.append(s.mentions)
        self.rows = torch.tensor(rows, dtype=torch.long).reshape(-1, 2)
        self.targets = torch.tensor(targets, dtype=torch.long)
        allowed = np.full((len(rows), n + 1), -1e4, np.float32)
        for i, v in enumerate(valid):
            allowed[i, v] = 0
            allowed[i, n] = 0
        self.allowed = torch.from_numpy(allowed)
        self.supervised = max(1, int((roles != 255).any(1).sum()))

    @staticmethod
    def gather(samples, name):
        out = [np.concatenate([np.full((len(getattr(s, name)), 1), b), getattr(s, name)], 1)
               for b, s in enumerate(samples) if len(getattr(s, name))]
        return torch.from_numpy(np.concatenate(out).astype(np.int64)) if out else torch.zeros(0, 4, dtype=torch.long)
