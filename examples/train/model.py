"""The network in PyTorch. The C++ library computes the same (include/codemode/network/README.md has shapes and layout)."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

ROLES = 10        # none, call, mention, argument, value, limit, property, new call, foreign, spare
CLASSES = 16      # ok and fifteen refusals, as in corpus.hpp
EVIDENCE = 24     # classes, then parallel, serial, last, all; the rest is spare
PARALLEL, SERIAL, LAST, ALL = 16, 17, 18, 19
REACH = 24        # relative distances are clamped to this
LINKS = 3         # value -> argument mention, value -> call, call -> later call
EVIDENCE_BIAS = -4.0

DEFAULT = dict(words=3500, channels=96, word_dims=32, hash_dims=12, hash_rows=1024, features=96,
               dilations=[1, 2, 4, 8, 1, 2, 4, 1], link_dims=24, evidence_hidden=48)


class Network(nn.Module):
    """forward: words, prefixes, suffixes [B, T] int64, features [B, T, F], mask [B, T] -> dict of logits."""

    def __init__(self, config):
        super().__init__()
        c = self.config = {**DEFAULT, **config}
        ch, d = c['channels'], c['link_dims']
        self.emb = nn.Embedding(c['words'], c['word_dims'])
        self.pre = nn.Embedding(c['hash_rows'], c['hash_dims'])
        self.suf = nn.Embedding(c['hash_rows'], c['hash_dims'])
        for e in (self.emb, self.pre, self.suf):
            nn.init.normal_(e.weight, std=0.5)
        self.inp = nn.Linear(c['word_dims'] + 2 * c['hash_dims'] + c['features'], ch)
        self.conv = nn.ModuleList(nn.Conv1d(ch, ch, 3, dilation=x, padding=x) for x in c['dilations'])
        self.heads = nn.Linear(ch, ROLES + 1 + 2 * d * LINKS)
        self.rel = nn.Parameter(torch.zeros(LINKS, 2 * REACH + 1))
        self.t1 = nn.Linear(ch, c['evidence_hidden'])
        self.ev = nn.Linear(c['evidence_hidden'], EVIDENCE)
        self.pool = nn.Parameter(torch.zeros(EVIDENCE))
        self.drop = c.get('dropout', 0.1)
        index = torch.arange(128)
        self.register_buffer('distance', (index[None, :] - index[:, None]).clamp(-REACH, REACH) + REACH, persistent=False)

    def forward(self, words, prefixes, suffixes, features, mask):
        n = words.shape[1]
        x = torch.cat([self.emb(words), self.pre(prefixes), self.suf(suffixes), features], -1)
        x = F.relu(self.inp(x)) * mask[..., None]
        x = F.dropout(x, self.drop, self.training).transpose(1, 2)
        m = mask[:, None, :]
        for conv in self.conv:
            x = 0.8 * (x + F.relu(conv(x))) * m
        x = x.transpose(1, 2)
        y = F.dropout(x, self.drop, self.training)
        h = self.heads(y)
        d = self.config['link_dims']
        role, none, pairs = h[..., :ROLES], h[..., ROLES], h[..., ROLES + 1:]
        links = []
        for l in range(LINKS):
            q = pairs[..., 2 * l * d:(2 * l + 1) * d]
            k = pairs[..., (2 * l + 1) * d:(2 * l + 2) * d]
            links.append(q @ k.transpose(1, 2) / math.sqrt(d) + self.rel[l][self.distance[:n, :n]])
        e = self.ev(F.relu(self.t1(y))) + EVIDENCE_BIAS
        pooled = torch.logsumexp(e + (mask[..., None] - 1) * 1e4, 1) + self.pool
        return dict(role=role, none=none, argument=links[0], call=links[1], order=links[2], evidence=e, pooled=pooled)


def class_logits(pooled):
    """Logits of ok and the refusals: ok has no evidence of its own, only a bias (kept in pool[0])."""
    return torch.cat([torch.zeros_like(pooled[:, :1]), pooled[:, 1:CLASSES]], 1)
