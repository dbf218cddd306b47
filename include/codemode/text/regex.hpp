#pragma once

/// @file
/// Regular expressions as JSON Schema uses them: ECMAScript's, over code points, asked only whether they occur in a
/// text. A backtracking matcher with an explicit stack and a bound on its steps, so that no pattern and no text can
/// take the stack or the time.

#include <codemode/text/unicode.hpp>
#include <codemode/text/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace text {

/// Whether a pattern occurs.
enum class match : std::uint8_t {
  no,
  yes,
  unknown  ///< the pattern is none that is understood, or matching took too many steps
};

/// A compiled pattern. Compile once, search often; both reuse memory.
class regex {
 public:
  /// Most steps of one search.
  static constexpr std::size_t max_steps = 1'000'000;
  /// Most instructions of one program; counted repetitions are unrolled.
  static constexpr std::size_t max_program = 20'000;

  /// Compiles a pattern. False where it is not understood; then every search answers `unknown`.
  bool compile(std::string_view pattern) {
    program_.clear();
    classes_.clear();
    pattern_ = pattern;
    at_ = 0;
    groups_ = 0;
    good_ = true;
    depth_ = 0;
    (void)alternatives();
    if (good_ && at_ != pattern_.size()) good_ = false;
    emit(op::done);
    if (program_.size() > max_program) good_ = false;
    return good_;
  }

  [[nodiscard]] match search(std::string_view utf8) {
    if (!good_) return match::unknown;
    input_.clear();
    while (!utf8.empty()) {
      const decoded d = decode(utf8);
      input_.push_back(d.code_point);
      utf8.remove_prefix(d.size);
    }
    steps_ = 0;
    for (std::size_t start = 0; start <= input_.size(); ++start) {
      const match m = run(start);
      if (m != match::no) return m;
    }
    return match::no;
  }

 private:
  enum class op : std::uint8_t {
    character, any, set, begin, end, word, not_word, split, jump, save, back, look, look_not, behind, behind_not, done,
    mark, progress
  };
  struct instruction {
    op what;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };
  struct range {
    char32_t low;
    char32_t high;
  };
  struct character_class {
    std::vector<range> ranges;
    bool negated = false;
  };

  std::uint32_t emit(op what, std::uint32_t a = 0, std::uint32_t b = 0) {
    if (program_.size() <= max_program) program_.push_back({what, a, b});
    else good_ = false;
    return static_cast<std::uint32_t>(program_.size() - 1);
  }
  [[nodiscard]] std::uint32_t here() const noexcept { return static_cast<std::uint32_t>(program_.size()); }

  // ---------------------------------------------------------------- compiler

  [[nodiscard]] bool more() const noexcept { return good_ && at_ < pattern_.size(); }
  [[nodiscard]] bool next_is(std::string_view s) const noexcept { return pattern_.substr(at_).starts_with(s); }
  bool take(std::string_view s) noexcept {
    if (!next_is(s)) return false;
    at_ += s.size();
    return true;
  }
  bool fail() noexcept {
    good_ = false;
    return false;
  }

  bool alternatives() {
    if (++depth_ > 200) return fail();
    const std::uint32_t begin = here();
    (void)sequence();
    std::vector<std::uint32_t> jumps;
    std::uint32_t from = begin;
    while (good_ && take("|")) {
      // The branch so far moves behind a split.
      insert(from, {op::split, from + 1, 0});
      jumps.push_back(emit(op::jump));
      program_[from].b = here();
      from = here();
      (void)sequence();
    }
    for (const std::uint32_t j : jumps)
      if (good_) program_[j].a = here();
    --depth_;
    return good_;
  }

  /// Puts an instruction in front of code at `i` that is complete.
  void insert(std::uint32_t i, instruction n) {
    program_.insert(program_.begin() + i, n);
    for (std::size_t k = i + 1; k < program_.size(); ++k) shift(program_[k], i);
  }
  static void shift(instruction& x, std::uint32_t from) noexcept {
    switch (x.what) {
      case op::split:
        if (x.b >= from) ++x.b;
        [[fallthrough]];
      case op::jump:
        if (x.a >= from) ++x.a;
        break;
      case op::look:
      case op::look_not:
      case op::behind:
      case op::behind_not:
        if (x.a >= from) ++x.a;
        break;
      default: break;
    }
  }

  bool sequence() {
    while (more() && !next_is("|") && !next_is(")"))
      if (!term()) return false;
    return good_;
  }

  bool term() {
    const std::uint32_t begin = here();
    if (take("^")) {
      emit(op::begin);
      return true;
    }
    if (take("$")) {
      emit(op::end);
      return true;
    }
    if (next_is("\\b") || next_is("\\B")) {
      emit(pattern_[at_ + 1] == 'b' ? op::word : op::not_word);
      at_ += 2;
      return true;
    }
    if (next_is("(?=") || next_is("(?!")) return look(pattern_[at_ + 2] == '=' ? op::look : op::look_not, 3);
    if (next_is("(?<=") || next_is("(?<!")) return look(pattern_[at_ + 3] == '=' ? op::behind : op::behind_not, 4);
    const std::uint32_t groups = groups_;
    if (!atom()) return false;
    return quantifier(begin, groups);
  }

  bool look(op what, std::size_t size) {
    at_ += size;
    const std::uint32_t i = emit(what);
    if (!alternatives() || !take(")")) return fail();
    emit(op::done);
    program_[i].a = here();
    return true;
  }

  bool atom() {
    if (take("(")) {
      std::uint32_t group = 0;
      if (take("?:")) {
      } else if (next_is("?<")) {
        const std::size_t close = pattern_.find('>', at_);
        if (close == std::string_view::npos) return fail();
        at_ = close + 1;
        group = ++groups_;
      } else if (next_is("?")) {
        return fail();
      } else {
        group = ++groups_;
      }
      if (group > 31) return fail();
      if (group != 0) emit(op::save, group * 2);
      if (!alternatives() || !take(")")) return fail();
      if (group != 0) emit(op::save, group * 2 + 1);
      return true;
    }
    if (take(".")) {
      emit(op::any);
      return true;
    }
    if (take("[")) return set();
    if (next_is("*") || next_is("+") || next_is("?")) return fail();
    if (take("\\")) return escape();
    const decoded d = decode(pattern_.substr(at_));
    if (!d.valid) return fail();
    at_ += d.size;
    emit(op::character, d.code_point);
    return true;
  }

  bool escape() {
    if (!more()) return fail();
    const char c = pattern_[at_];
    if (c >= '1' && c <= '9') {
      ++at_;
      emit(op::back, static_cast<std::uint32_t>(c - '0'));
      return true;
    }
    character_class k;
    char32_t single = 0;
    if (!escape_in_class(k, single)) return fail();
    if (k.ranges.empty() && !k.negated) emit(op::character, single);
    else add_class(std::move(k));
    return true;
  }
  void add_class(character_class k) {
    classes_.push_back(std::move(k));
    emit(op::set, static_cast<std::uint32_t>(classes_.size() - 1));
  }

  /// An escape behind its backslash: a class, or one character.
  bool escape_in_class(character_class& k, char32_t& single) {
    const char c = pattern_[at_++];
    switch (c) {
      case 'd': k.ranges = {{U'0', U'9'}}; return true;
      case 'D': k.ranges = {{0, U'0' - 1}, {U'9' + 1, 0x10FFFF}}; return true;
      case 'w': k.ranges = {{U'0', U'9'}, {U'A', U'Z'}, {U'_', U'_'}, {U'a', U'z'}}; return true;
      case 'W':
        k.ranges = {{0, U'0' - 1}, {U'9' + 1, U'A' - 1}, {U'Z' + 1, U'^'}, {U'`', U'`'}, {U'z' + 1, 0x10FFFF}};
        return true;
      case 's': k.ranges = spaces(); return true;
      case 'S': {
        char32_t low = 0;
        for (const range& r : spaces()) {
          k.ranges.push_back({low, r.low - 1});
          low = r.high + 1;
        }
        k.ranges.push_back({low, 0x10FFFF});
        return true;
      }
      case 'p':
      case 'P': return property(k, c == 'P');
      case 't': single = U'\t'; return true;
      case 'n': single = U'\n'; return true;
      case 'v': single = 0x0B; return true;
      case 'f': single = U'\f'; return true;
      case 'r': single = U'\r'; return true;
      case '0': single = 0; return true;
      case 'b': single = 8; return true;
      case 'c':
        if (at_ >= pattern_.size()) return false;
        single = static_cast<char32_t>(pattern_[at_++] & 31);
        return true;
      case 'x': return hex(2, single);
      case 'u': {
        if (take("{")) {
          const std::size_t close = pattern_.find('}', at_);
          if (close == std::string_view::npos || close - at_ > 6 || !hex(close - at_, single)) return false;
          return take("}");
        }
        if (!hex(4, single)) return false;
        char32_t low = 0;
        if (single >= 0xD800 && single <= 0xDBFF && next_is("\\u")) {
          at_ += 2;
          if (!hex(4, low)) return false;
          if (low >= 0xDC00 && low <= 0xDFFF) single = 0x10000 + ((single - 0xD800) << 10U) + (low - 0xDC00);
        }
        return true;
      }
      default: break;
    }
    --at_;
    const decoded d = decode(pattern_.substr(at_));
    if (!d.valid) return false;
    at_ += d.size;
    single = d.code_point;
    return true;
  }

  [[nodiscard]] static std::vector<range> spaces() {
    return {{9, 13}, {32, 32}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029},
            {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
  }

  bool hex(std::size_t digits, char32_t& value) {
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (at_ >= pattern_.size()) return false;
      const char c = pattern_[at_++];
      const int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (d < 0) return false;
      value = value * 16 + static_cast<char32_t>(d);
    }
    return digits != 0;
  }

  /// The few general properties that schemas use; the rest is not understood.
  bool property(character_class& k, bool negated) {
    if (!take("{")) return false;
    const std::size_t close = pattern_.find('}', at_);
    if (close == std::string_view::npos) return false;
    const std::string_view name = pattern_.substr(at_, close - at_);
    at_ = close + 1;
    bool (*holds)(char32_t) = nullptr;
    if (name == "L" || name == "Letter" || name == "Alphabetic") holds = [](char32_t c) { return is_alphabetic(c); };
    else if (name == "N" || name == "Nd") holds = [](char32_t c) { return is_digit(c); };
    else if (name == "Lu") holds = [](char32_t c) { return is_upper(c); };
    else if (name == "Ll") holds = [](char32_t c) { return is_lower(c); };
    else return false;
    bool inside = false;
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
      const bool now = holds(c) != negated;
      if (now && !inside) k.ranges.push_back({c, 0x10FFFF});
      if (!now && inside) k.ranges.back().high = c - 1;
      inside = now;
    }
    return true;
  }

  bool set() {
    character_class k;
    k.negated = take("^");
    while (more() && !next_is("]")) {
      char32_t low = 0;
      character_class inner;
      if (!class_atom(inner, low)) return fail();
      if (!inner.ranges.empty()) {
        k.ranges.insert(k.ranges.end(), inner.ranges.begin(), inner.ranges.end());
        continue;
      }
      if (next_is("-") && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') {
        ++at_;
        char32_t high = 0;
        character_class other;
        if (!class_atom(other, high)) return fail();
        if (!other.ranges.empty()) {  // [a-\d]: the dash is a character
          k.ranges.push_back({low, low});
          k.ranges.push_back({U'-', U'-'});
          k.ranges.insert(k.ranges.end(), other.ranges.begin(), other.ranges.end());
          continue;
        }
        if (high < low) return fail();
        k.ranges.push_back({low, high});
      } else {
        k.ranges.push_back({low, low});
      }
    }
    if (!take("]")) return fail();
    add_class(std::move(k));
    return true;
  }
  bool class_atom(character_class& k, char32_t& single) {
    if (take("\\")) return more() && escape_in_class(k, single);
    const decoded d = decode(pattern_.substr(at_));
    if (!d.valid) return false;
    at_ += d.size;
    single = d.code_point;
    return true;
  }

  bool number(std::uint32_t& n) {
    const std::size_t from = at_;
    n = 0;
    while (at_ < pattern_.size() && pattern_[at_] >= '0' && pattern_[at_] <= '9') {
      if (n < 100000) n = n * 10 + static_cast<std::uint32_t>(pattern_[at_] - '0');
      ++at_;
    }
    return at_ != from;
  }

  bool quantifier(std::uint32_t begin, std::uint32_t groups_before) {
    std::uint32_t low = 1;
    std::uint32_t high = 1;
    constexpr std::uint32_t endless = 0xFFFF'FFFFU;
    if (take("*")) {
      low = 0;
      high = endless;
    } else if (take("+")) {
      high = endless;
    } else if (take("?")) {
      low = 0;
    } else if (next_is("{")) {
      const std::size_t back = at_;
      ++at_;
      bool good = number(low);
      high = low;
      if (good && take(",")) {
        high = endless;
        if (!next_is("}")) good = number(high);
      }
      if (!good || !take("}")) {
        at_ = back + 1;  // a brace that is no quantifier is a character
        emit(op::character, U'{');
        return good_;
      }
    } else {
      return true;
    }
    const bool lazy = take("?");
    if (next_is("*") || next_is("+") || next_is("?")) return fail();
    (void)groups_before;
    return repeat(begin, low, high, lazy, endless);
  }

  bool repeat(std::uint32_t begin, std::uint32_t low, std::uint32_t high, bool lazy, std::uint32_t endless) {
    const std::vector<instruction> body(program_.begin() + begin, program_.end());
    program_.resize(begin);
    const auto size = body.size();
    if ((low + (high == endless ? 1 : high)) * (size + 4) > max_program * 2) return fail();
    const auto copy = [&] {
      const std::uint32_t to = here();
      for (instruction x : body) {
        const auto moved = [&](std::uint32_t t) { return t - begin + to; };
        if (x.what == op::split) x.b = moved(x.b);
        if (x.what == op::split || x.what == op::jump || (x.what >= op::look && x.what <= op::behind_not))
          x.a = moved(x.a);
        program_.push_back(x);
      }
    };
    for (std::uint32_t i = 0; i < low; ++i) copy();
    if (high == endless) {
      // A round that takes nothing ends the loop.
      const std::uint32_t split = emit(op::split);
      emit(op::mark);
      copy();
      emit(op::progress);
      emit(op::jump, split);
      set_split(split, split + 1, here(), lazy);
    } else {
      std::vector<std::uint32_t> splits;
      for (std::uint32_t i = low; i < high && good_; ++i) {
        splits.push_back(emit(op::split));
        copy();
      }
      for (const std::uint32_t s : splits) set_split(s, s + 1, here(), lazy);
    }
    return good_ && program_.size() <= max_program;
  }
  void set_split(std::uint32_t i, std::uint32_t into, std::uint32_t past, bool lazy) noexcept {
    if (i >= program_.size()) return;
    program_[i].a = lazy ? past : into;
    program_[i].b = lazy ? into : past;
  }

  // ---------------------------------------------------------------- matcher

  struct thread {
    std::uint32_t pc;
    std::uint32_t at;
    std::uint32_t undo;  // of saves and marks
  };
  struct saved {
    std::uint32_t slot;
    std::uint32_t value;
  };
  static constexpr std::uint32_t unset = 0xFFFF'FFFFU;

  [[nodiscard]] bool is_word(std::size_t i) const noexcept {
    if (i >= input_.size()) return false;
    const char32_t c = input_[i];
    return (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z') || c == U'_';
  }
  [[nodiscard]] bool in_class(const character_class& k, char32_t c) const noexcept {
    bool in = false;
    for (const range& r : k.ranges) in = in || (c >= r.low && c <= r.high);
    return in != k.negated;
  }

  [[nodiscard]] match run(std::size_t start) {
    slots_.assign(64, unset);
    marks_.clear();
    undo_.clear();
    return walk(0, static_cast<std::uint32_t>(start), unset, 0);
  }

  /// Runs from `pc` up to a `done`. With `must_end` only a match that ends there counts (lookbehind).
  [[nodiscard]] match walk(std::uint32_t pc, std::uint32_t at, std::uint32_t must_end, unsigned depth) {
    if (depth > 50) return match::unknown;
    std::vector<thread> stack{{pc, at, static_cast<std::uint32_t>(undo_.size())}};
    while (!stack.empty()) {
      thread t = stack.back();
      stack.pop_back();
      while (undo_.size() > t.undo) {
        restore(undo_.back());
        undo_.pop_back();
      }
      for (bool alive = true; alive;) {
        if (++steps_ > max_steps) return match::unknown;
        const instruction& x = program_[t.pc];
        ++t.pc;
        switch (x.what) {
          case op::done:
            if (must_end == unset || t.at == must_end) return match::yes;
            alive = false;
            break;
          case op::character:
            alive = t.at < input_.size() && input_[t.at] == x.a;
            ++t.at;
            break;
          case op::any:
            alive = t.at < input_.size() && input_[t.at] != U'\n' && input_[t.at] != U'\r' && input_[t.at] != 0x2028 &&
                    input_[t.at] != 0x2029;
            ++t.at;
            break;
          case op::set:
            alive = t.at < input_.size() && in_class(classes_[x.a], input_[t.at]);
            ++t.at;
            break;
          case op::begin: alive = t.at == 0; break;
          case op::end: alive = t.at == input_.size(); break;
          case op::word:
          case op::not_word: {
            const bool edge = (t.at > 0 && is_word(t.at - 1)) != is_word(t.at);
            alive = edge == (x.what == op::word);
            break;
          }
          case op::split:
            stack.push_back({x.b, t.at, static_cast<std::uint32_t>(undo_.size())});
            t.pc = x.a;
            break;
          case op::jump: t.pc = x.a; break;
          case op::save:
            undo_.push_back({x.a, slots_[x.a]});
            slots_[x.a] = t.at;
            break;
          case op::mark:
            marks_.push_back(t.at);
            undo_.push_back({mark_pushed, 0});
            break;
          case op::progress: {
            const std::uint32_t mark = marks_.back();
            marks_.pop_back();
            undo_.push_back({mark_popped, mark});
            alive = mark != t.at;
            break;
          }
          case op::back: {
            const std::uint32_t from = slots_[x.a * 2];
            const std::uint32_t to = slots_[x.a * 2 + 1];
            if (from == unset || to == unset) break;
            for (std::uint32_t i = from; alive && i < to; ++i, ++t.at)
              alive = t.at < input_.size() && input_[t.at] == input_[i];
            break;
          }
          case op::look:
          case op::look_not:
          case op::behind:
          case op::behind_not: {
            const match m = around(x.what, t.pc, t.at, depth);
            if (m == match::unknown) return m;
            const bool positive = x.what == op::look || x.what == op::behind;
            alive = (m == match::yes) == positive;
            t.pc = x.a;
            break;
          }
        }
      }
    }
    return match::no;
  }

  static constexpr std::uint32_t mark_pushed = 0xFFFF'0001U;
  static constexpr std::uint32_t mark_popped = 0xFFFF'0002U;
  void restore(const saved& s) {
    if (s.slot == mark_pushed) marks_.pop_back();
    else if (s.slot == mark_popped) marks_.push_back(s.value);
    else slots_[s.slot] = s.value;
  }

  [[nodiscard]] match around(op what, std::uint32_t pc, std::uint32_t at, unsigned depth) {
    if (what == op::look || what == op::look_not) return walk(pc, at, unset, depth + 1);
    match best = match::no;
    for (std::uint32_t from = 0; from <= at && best == match::no; ++from) best = walk(pc, from, at, depth + 1);
    return best;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::uint32_t groups_ = 0;
  unsigned depth_ = 0;
  bool good_ = false;
  std::vector<instruction> program_;
  std::vector<character_class> classes_;
  std::u32string input_;
  std::size_t steps_ = 0;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint32_t> marks_;
  std::vector<saved> undo_;
};

}  // namespace text
}  // namespace v0_1
}  // namespace codemode
