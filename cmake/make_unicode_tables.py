#!/usr/bin/env python3
"""Writes include/codemode/text/detail/unicode_tables.hpp from Python's unicodedata.

Usage: python3 cmake/make_unicode_tables.py > include/codemode/text/detail/unicode_tables.hpp

unicodedata has general categories and case mappings; the handful of code points that Unicode adds to
ID_Start and ID_Continue by hand (PropList.txt) stand below. They are stable: Unicode never removes one.
"""
import sys
import unicodedata

OTHER_ID_START = {0x1885, 0x1886, 0x2118, 0x212E, 0x309B, 0x309C}
OTHER_ID_CONTINUE = {0x00B7, 0x0387, *range(0x1369, 0x1372), 0x19DA}
PATTERN_SYNTAX_LETTERS = {0x2E2F}  # the only letter or mark that is Pattern_Syntax
JS_START = {ord("$"), ord("_")}
JS_CONTINUE = {0x200C, 0x200D}

ALL = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
CATEGORY = {c: unicodedata.category(chr(c)) for c in ALL}


def id_start(c):
    letter = CATEGORY[c][0] == "L" or CATEGORY[c] == "Nl" or c in OTHER_ID_START
    return letter and c not in PATTERN_SYNTAX_LETTERS


def id_continue(c):
    return id_start(c) or CATEGORY[c] in ("Mn", "Mc", "Nd", "Pc") or c in OTHER_ID_CONTINUE


def simple_fold(c):
    """Statuses C and S of CaseFolding.txt."""
    full = chr(c).casefold()
    if len(full) == 1:
        return ord(full)
    lower = chr(c).lower()
    return ord(lower) if len(lower) == 1 else c


def runs(items):
    """Groups sorted (code point, delta) pairs into (first, last, step, delta), step 1 or 2."""
    out = []
    for c, delta in items:
        if out and out[-1][3] == delta:
            first, last, step, _ = out[-1]
            gap = c - last
            if gap == step or (first == last and gap in (1, 2)):
                out[-1] = (first, c, gap, delta)
                continue
        out.append((c, c, 1, delta))
    return out


def members(predicate):
    return runs([(c, 0) for c in ALL if c >= 0x80 and predicate(c)])


def emit(name, doc, rows, with_delta=False):
    kind = "fold_run" if with_delta else "code_run"
    print(f"/// {doc}")
    print(f"inline constexpr std::array<{kind}, {len(rows)}> {name}{{{{")
    line = "   "
    for first, last, step, delta in rows:
        item = f" {{0x{first:X}, 0x{last:X}, {step}" + (f", {delta}" if with_delta else "") + "},"
        if len(line) + len(item) > 110:
            print(line)
            line = "   "
        line += item
    print(line + "}};\n")


def main():
    print(f"""#pragma once

/// @file
/// Written by cmake/make_unicode_tables.py from Unicode {unicodedata.unidata_version}; do not edit. Code points below U+0080 are left to
/// unicode.hpp.

#include <codemode/config.hpp>

#include <array>
#include <cstdint>

namespace codemode {{
inline namespace v0_1 {{
namespace text::detail {{

/// The code points `first`, `first + step`, ... `last`.
struct code_run {{
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t step;
}};

/// The same, each of them folding to itself plus `delta`.
struct fold_run {{
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t step;
  std::int32_t delta;
}};
""")
    emit("id_start_runs", "ECMAScript IdentifierStart (ID_Start).", members(id_start))
    emit("id_extend_runs", "What IdentifierPart adds to IdentifierStart.",
         members(lambda c: (id_continue(c) or c in JS_CONTINUE) and not id_start(c)))
    emit("letter_extra_runs", "Letters (categories L and Nl) that are not in ID_Start, and the reverse.",
         members(lambda c: (CATEGORY[c][0] == "L" or CATEGORY[c] == "Nl") != id_start(c)))
    emit("upper_runs", "Uppercase letters and title case letters.",
         members(lambda c: chr(c).isupper() or CATEGORY[c] == "Lt"))
    emit("lower_runs", "Lowercase letters.", members(lambda c: chr(c).islower()))
    emit("digit_runs", "Decimal digits (category Nd).", members(lambda c: CATEGORY[c] == "Nd"))
    emit("fold_runs", "Simple case folding.",
         runs([(c, simple_fold(c) - c) for c in ALL if c >= 0x80 and simple_fold(c) != c]), True)
    print("""}  // namespace text::detail
}  // namespace v0_1
}  // namespace codemode""")


if __name__ == "__main__":
    sys.exit(main())
