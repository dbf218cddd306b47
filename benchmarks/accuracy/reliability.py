#!/usr/bin/env python3
"""Reliability and risk-coverage: reliability.py CONFIDENCE [--svg OUT.svg]

CONFIDENCE holds `id plannable right confidence` a line (`evaluate --confidence`). Prints how often plans of a confidence
are right, the expected calibration error, and precision and coverage over thresholds; --svg draws both curves.
"""
import argparse


def main():
    a = argparse.ArgumentParser()
    a.add_argument('confidence')
    a.add_argument('--svg')
    o = a.parse_args()
    rows = [l.split() for l in open(o.confidence)]
    items = [(float(c), int(right), int(plannable)) for _, plannable, right, c in rows]
    given = [x for x in items if x[0] > 0]
    plannable = sum(x[2] for x in items)
    print('confidence        n  mean   right')
    error, bins = 0.0, []
    for k in range(10):
        b = [x for x in given if k / 10 <= x[0] < (k + 1) / 10 or (k == 9 and x[0] == 1)]
        if b:
            mean, right = sum(x[0] for x in b) / len(b), sum(x[1] for x in b) / len(b)
            error += len(b) / len(given) * abs(mean - right)
            bins.append((mean, right, len(b)))
            print(f'{k / 10:.1f}..{(k + 1) / 10:.1f}  {len(b):6d}  {mean:.3f}  {right:.3f}')
    print(f'expected calibration error {error:.3f}')
    print('threshold  coverage  exact  precision')
    curve = []
    for t in sorted({0.0, *(i / 20 for i in range(1, 20)), 0.97, 0.98}):
        taken = [x for x in given if x[0] >= t]
        if not taken:
            continue
        precision = sum(x[1] for x in taken) / len(taken)
        coverage = sum(x[2] for x in taken) / plannable
        curve.append((coverage, 1 - precision))
        print(f'{t:9.2f}  {coverage:8.3f}  {sum(x[1] for x in taken) / plannable:.3f}  {precision:.3f}')
    if o.svg:
        draw(o.svg, bins, curve)


def draw(path, bins, curve):
    size, pad, gap = 260, 46, 60
    top = max(r for _, r in curve) * 1.1 or 0.01
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * size + 2 * pad + gap}" height="{size + 2 * pad}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>']

    def panel(x0, title, xlabel, ylabel, ytop):
        out.append(f'<rect x="{x0}" y="{pad}" width="{size}" height="{size}" fill="none" stroke="#888"/>')
        out.append(f'<text x="{x0 + size / 2}" y="{pad - 14}" text-anchor="middle" font-size="13">{title}</text>')
        out.append(f'<text x="{x0 + size / 2}" y="{pad + size + 34}" text-anchor="middle">{xlabel}</text>')
        for i in range(6):
            v = i / 5
            out.append(f'<text x="{x0 + v * size}" y="{pad + size + 16}" text-anchor="middle">{v:.1f}</text>')
            out.append(f'<text x="{x0 - 6}" y="{pad + size - v * size + 4}" text-anchor="end">{v * ytop:.2f}</text>')
        out.append(f'<text transform="translate({x0 - 36},{pad + size / 2}) rotate(-90)" text-anchor="middle">{ylabel}</text>')

    x0 = pad
    panel(x0, 'Reliability', 'confidence', 'right', 1.0)
    out.append(f'<path d="M{x0} {pad + size} L{x0 + size} {pad}" stroke="#bbb" stroke-dasharray="4"/>')
    for mean, right, n in bins:
        out.append(f'<circle cx="{x0 + mean * size:.1f}" cy="{pad + size - right * size:.1f}" r="{2 + n ** 0.5 / 4:.1f}" '
                   'fill="#2a6fb0" fill-opacity="0.7"/>')
    x1 = pad + size + gap
    panel(x1, 'Risk and coverage', 'share of plannable answered', 'share of plans that are not right', top)
    points = ' '.join(f'{x1 + c * size:.1f},{pad + size - r / top * size:.1f}' for c, r in curve)
    out.append(f'<polyline points="{points}" fill="none" stroke="#b03a2a" stroke-width="2"/>')
    out.append('</svg>\n')
    open(path, 'w').write('\n'.join(out))


main()
