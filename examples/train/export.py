#!/usr/bin/python3
"""Turns a checkpoint into weights: export.py CHECKPOINT.pt [--file OUT.weights] [--header OUT.hpp] [--cases OUT.txt]

Matrices become int8 with one scale for each output row, embeddings int8 with one for each row. --cases writes random
inputs with the logits that PyTorch computes from the quantised weights; the C++ tests must reproduce them to 1e-4.
The format is described in include/codemode/network/README.md.
"""
import argparse
import struct
import zlib

import numpy as np
import torch

from model import EVIDENCE, LINKS, REACH, ROLES, Network

FEATURE_SET = 1
CALIBRATION = 16
ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#'  # Z85


def quantise(w):
    """int8 rows and their scales; the scale of a row is its best of a few under squared error."""
    m = w.reshape(w.shape[0], -1).double().numpy()
    most = np.abs(m).max(1)
    most[most == 0] = 1
    best_scale, best_error = most / 127, None
    for shrink in (1.0, 0.97, 0.94, 0.9, 0.86):
        scale = most * shrink / 127
        q = np.clip(np.round(m / scale[:, None]), -127, 127)
        error = ((q * scale[:, None] - m) ** 2).sum(1)
        if best_error is None:
            best_error = error
        else:
            better = error < best_error
            best_scale[better], best_error[better] = scale[better], error[better]
    scale = best_scale.astype(np.float32)
    q = np.clip(np.round(m / scale[:, None]), -127, 127).astype(np.int8)
    return q, scale


def build(d):
    """(file bytes, state dict with the quantised values)."""
    s, c = d['state'], d['config']
    out, state = [], dict(s)
    u32 = lambda v: out.append(struct.pack('<I', v))
    f32 = lambda v: out.append(np.asarray(v, '<f4').tobytes())

    def table(name):
        q, scale = quantise(s[name])
        f32(scale)
        out.append(q.tobytes())
        state[name] = torch.from_numpy(q.astype(np.float32) * scale[:, None])

    def layer(name):
        w = s[name + '.weight']
        shape = w.shape
        if w.dim() == 3:
            w = w.permute(0, 2, 1)  # [output][tap][input]
        q, scale = quantise(w)
        f32(scale)
        out.append(q.tobytes())
        f32(s[name + '.bias'].numpy())
        v = torch.from_numpy(q.astype(np.float32) * scale[:, None])
        state[name + '.weight'] = v.reshape(shape[0], 3, shape[1]).permute(0, 2, 1).contiguous() if len(shape) == 3 else v

    out.append(b'CMWEIGHT')
    u32(1)
    u32(FEATURE_SET)
    for v in (c['channels'], c['word_dims'], c['hash_dims'], c['hash_rows'], c['features'], ROLES, LINKS, c['link_dims'],
              REACH, c['evidence_hidden'], EVIDENCE, len(c['dilations']), *c['dilations']):
        u32(v)
    values = (d.get('calibration') or {}).get('values', [])
    u32(len(d['vocab']))
    u32(CALIBRATION)
    f32(list(values) + [0.0] * (CALIBRATION - len(values)))
    for w in d['vocab']:
        b = w.encode()
        out.append(bytes([len(b)]) + b)
    for name in ('emb.weight', 'pre.weight', 'suf.weight'):
        table(name)
    layer('inp')
    for i in range(len(c['dilations'])):
        layer(f'conv.{i}')
    layer('heads')
    f32(s['rel'].numpy())
    layer('t1')
    layer('ev')
    f32(s['pool'].numpy())
    body = b''.join(out)
    return body + struct.pack('<I', zlib.crc32(body)), state


def header(data):
    size = len(data)
    data += b'\0' * (-size % 4)
    text = []
    for (v,) in struct.iter_unpack('>I', data):
        word = ''
        for _ in range(5):
            word = ALPHABET[v % 85] + word
            v //= 85
        text.append(word)
    text = ''.join(text)
    # Short literals: some compilers limit one to 64 KiB, and `??` could begin a trigraph.
    pieces = [text[i:i + 16000] for i in range(0, len(text), 16000)]
    lines = ',\n'.join('    {"' + p.replace('??', '?\\?') + f'", {len(p)}}}' for p in pieces)
    return f'''#pragma once

/// @file
/// The weights that ship with the library. Written by examples/train/export.py; do not edit.
/// Bytes in base 85 (the alphabet of ZeroMQ's Z85), {size} of them.

#include <cstddef>

namespace codemode {{
inline namespace v0_1 {{
namespace detail {{

inline constexpr std::size_t default_weights_size = {size};
/// A piece of the text: a string literal and its length, which no compiler has to count.
struct weights_text {{
  const char* characters;
  std::size_t size;
}};
inline constexpr weights_text default_weights_text[] = {{
{lines}}};

}}  // namespace detail
}}  // namespace v0_1
}}  // namespace codemode
'''


def cases(net, out):
    """Inputs and logits: `case T`, then the ids, features, and what the network answers."""
    rng = np.random.default_rng(5)
    c = net.config
    with open(out, 'w') as f:
        for n in (1, 2, 7, 30, 128):
            w = rng.integers(1, c['words'], n)
            p, q = rng.integers(0, c['hash_rows'], (2, n))
            x = (rng.random((n, c['features'])) < 0.2).astype(np.float32) * rng.choice([1, 0.5, 0.25], (n, c['features']))
            t = lambda a: torch.from_numpy(np.asarray(a))[None]
            with torch.no_grad():
                o = net(t(w).long(), t(p).long(), t(q).long(), t(x).float(), torch.ones(1, n))
            f.write(f'case {n}\n')
            for a in (w, p, q):
                f.write(' '.join(map(str, a)) + '\n')
            for row in x:
                f.write(' '.join(f'{i}:{v:g}' for i, v in enumerate(row) if v) + '\n')
            for a in (o['role'][0], o['none'][0], o['pooled'][0]):
                f.write(' '.join(f'{v:.6g}' for v in a.flatten().tolist()) + '\n')
            for name in ('argument', 'call', 'order'):
                pairs = [(int(rng.integers(n)), int(rng.integers(n))) for _ in range(12)]
                f.write(' '.join(f'{i},{j},{o[name][0, i, j].item():.6g}' for i, j in pairs) + '\n')


def main():
    a = argparse.ArgumentParser()
    a.add_argument('checkpoint')
    a.add_argument('--file')
    a.add_argument('--header')
    a.add_argument('--cases')
    a.add_argument('--random', action='store_true', help='ignore the checkpoint: small random weights for tests')
    a.add_argument('--draft', action='store_true', help='without calibration: for evaluate --figures, which calibrate.py fits')
    o = a.parse_args()
    if o.random:
        torch.manual_seed(1)
        words = ['.', ',', 'and', 'then', 'with', 'please']
        net = Network(dict(words=8 + len(words)))
        d = dict(state=net.state_dict(), vocab=words, config=net.config, calibration={'values': [0.5, 1.0]})
    else:
        d = torch.load(o.checkpoint)
    if o.draft:
        d['calibration'] = {'values': [3.0, 1.0, 0.5]}
    if not (d.get('calibration') or {}).get('values'):
        raise SystemExit('the checkpoint is not calibrated: run calibrate.py first, or use --draft')
    data, state = build(d)
    print(len(data), 'bytes,', sum(v.numel() for v in d['state'].values()), 'parameters')
    if o.file:
        open(o.file, 'wb').write(data)
    if o.header:
        open(o.header, 'w').write(header(data))
    if o.cases:
        net = Network(d['config'])
        net.load_state_dict(state)
        net.eval()
        cases(net, o.cases)


main()
