#pragma once

/// @file
/// Cuts an instruction into tokens against a catalog (rules: "Tokens", "Values" and "Names" of the
/// instruction language). One pass, no allocation, never more than `max_tokens` tokens.

#include <codemode/catalog/name_index.hpp>
#include <codemode/frontend/token.hpp>
#include <codemode/result.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/text/number.hpp>
#include <codemode/text/unicode.hpp>
#include <codemode/text/utf8.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// Lower-cases ASCII and compares; `lower` is lower case already.
[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view text, std::string_view lower) noexcept {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c) != lower[i]) return false;
  }
  return true;
}

/// 1..20 for the words that a limit may be written with, else 0.
[[nodiscard]] constexpr int number_word(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 20> words{
      "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",     "ten",
      "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"};
  for (std::size_t i = 0; i < words.size(); ++i)
    if (equals_ignoring_case(word, words[i])) return static_cast<int>(i) + 1;
  return 0;
}

/// State of one cut. `text` must be valid UTF-8.
class lexer {
 public:
  lexer(std::string_view text, std::span<const tool> tools, const name_index& names, token_list& out) noexcept
      : text_(text), tools_(tools), names_(names), out_(out) {}

  [[nodiscard]] std::optional<diagnostic> run() noexcept {
    out_.count = 0;
    if (text_.size() > (std::numeric_limits<std::uint32_t>::max)()) return too_long(0);
    bool line_start = true;
    std::size_t i = 0;
    while (i < text_.size()) {
      const auto d = at(i);
      if (text::is_space(d.code_point)) {
        line_start = line_start || d.code_point == U'\n' || d.code_point == U'\r' || d.code_point == 0x2028 ||
                     d.code_point == 0x2029;
        i += d.size;
        continue;
      }
      token t;
      t.begin = static_cast<std::uint32_t>(i);
      t.line_start = line_start;
      line_start = false;
      if (const auto fault = cut(i, d.code_point, d.size, t)) return fault;
      if (out_.count == max_tokens) return too_long(i);
      out_[out_.count++] = t;
      i = t.end;
    }
    settle_assignments();
    return std::nullopt;
  }

 private:
  struct match {
    std::size_t end = 0;
    bool exact = false;
  };
  /// Names that fit one span.
  struct span_names {
    std::size_t end = 0;
    std::array<std::int32_t, max_token_names> ids{-1, -1, -1, -1};  // exact ones first
    std::array<bool, max_token_names> exact{};
    std::uint8_t count = 0;
    // Of all names that fit, also of those that `ids` has no room for.
    std::uint32_t parameters = 0;
    std::uint32_t exact_parameters = 0;
    std::uint8_t tools = 0;
    std::uint8_t exact_tools = 0;
    std::uint8_t properties = 0;
    bool exact_property = false;
  };
  /// Comparisons of names, roughly in words, before overlaps are no longer looked for. Only a catalog made for the
  /// purpose comes near it; it bounds the time of a cut.
  static constexpr std::size_t patience = std::size_t{1} << 22U;

  [[nodiscard]] diagnostic too_long(std::size_t begin) const noexcept {
    diagnostic d;
    d.code = errc::too_long;
    d.begin = begin;
    d.end = text_.size();
    d.what = "the instruction has more than 128 tokens; shorten it";
    return d;
  }

  [[nodiscard]] text::decoded at(std::size_t i) const noexcept { return text::decode(text_.substr(i)); }
  [[nodiscard]] char32_t char_at(std::size_t i) const noexcept { return i < text_.size() ? at(i).code_point : 0; }
  [[nodiscard]] bool word_at(std::size_t i) const noexcept {
    return i < text_.size() && is_word_character(at(i).code_point);
  }
  /// Code point that ends before byte `i`, or 0.
  [[nodiscard]] char32_t before(std::size_t i) const noexcept {
    if (i == 0) return 0;
    std::size_t k = i - 1;
    while (k > 0 && (static_cast<unsigned char>(text_[k]) & 0xC0U) == 0x80U) --k;
    return at(k).code_point;
  }
  [[nodiscard]] static constexpr bool digit(char32_t c) noexcept { return c >= U'0' && c <= U'9'; }
  [[nodiscard]] static constexpr bool apostrophe(char32_t c) noexcept { return c == U'\'' || c == 0x2019; }

  [[nodiscard]] std::optional<diagnostic> cut(std::size_t i, char32_t c, std::size_t size, token& t) noexcept {
    if (c == U'"') return cut_string(i, t);
    if (const auto n = best_names(i); n.count != 0) {
      take_names(n, t);
      return std::nullopt;
    }
    if (number_starts(i, c)) return cut_number(i, t);
    if (is_word_character(c)) {
      cut_word(i, t);
      return std::nullopt;
    }
    t.kind = token_kind::sign;
    t.end = static_cast<std::uint32_t>(i + size);
    return std::nullopt;
  }

  // --- strings -------------------------------------------------------------------------------------

  [[nodiscard]] std::optional<diagnostic> cut_string(std::size_t i, token& t) noexcept {
    const auto scan = text::scan_json_string(text_.substr(i));
    if (!scan.ok) {
      diagnostic d;
      d.code = errc::bad_string;
      d.begin = i + scan.offset;
      d.end = (scan.unterminated || d.begin >= text_.size()) ? text_.size() : d.begin + at(d.begin).size;
      d.found = text_.substr(i, (scan.unterminated ? text_.size() : d.end) - i);
      if (scan.unterminated) d.begin = i;
      d.what = scan.unterminated ? "a string is not closed; end it with a double quote"
                                 : "a string has a bad escape; write strings as in JSON, a backslash as \\\\";
      return d;
    }
    t.end = static_cast<std::uint32_t>(i + scan.size);
    t.kind = token_kind::string;
    // A quoted string directly before a colon that is an argument's name is a mention of it.
    std::size_t k = t.end;
    while (k < text_.size() && text::is_space(char_at(k))) k += at(k).size;
    if (char_at(k) != U':') return std::nullopt;
    const auto quoted = text_.substr(i, scan.size);
    auto content = quoted.substr(1, quoted.size() - 2);
    std::array<char, 1024> buffer;
    if (content.find('\\') != std::string_view::npos) {
      const auto decoded = text::decode_json_string(quoted, buffer);
      if (!decoded) return std::nullopt;  // longer than the buffer
      content = *decoded;
    }
    const auto id = names_.find_exact(content);
    if (id < 0 || names_.names()[static_cast<std::size_t>(id)].parameter_mask == 0) return std::nullopt;
    const auto& entry = names_.names()[static_cast<std::size_t>(id)];
    t.kind = token_kind::name;
    t.quoted_name = true;
    t.names[0] = id;
    t.name_count = 1;
    t.parameters = t.exact_parameters = entry.parameter_mask;
    return std::nullopt;
  }

  // --- names ---------------------------------------------------------------------------------------

  /// The names at byte `i`, the longest span that no longer one overlaps (which counts only where it is not
  /// overlapped by a still longer one itself).
  [[nodiscard]] span_names best_names(std::size_t i) noexcept {
    std::size_t shorter_than = text_.size() + 1;
    for (;;) {
      const span_names n = names_at(i, shorter_than);
      if (n.count == 0) return n;
      bool beaten = false;
      const auto beats = [&](const span_names& other, std::size_t k) {
        return other.count != 0 && other.end > n.end && other.end - k > n.end - i;
      };
      for (std::size_t k = i + at(i).size; k < n.end && !beaten && compared_ < patience; k += at(k).size) {
        if (is_word_character(before(k)) || text_[k] == '"') continue;
        beaten = beats(names_at(k, text_.size() + 1), k) && beats(best_names(k), k);
      }
      if (!beaten) return n;
      shorter_than = n.end - i;
    }
  }

  /// The longest span below `shorter_than` bytes that names at byte `i` fit, with all of those names.
  [[nodiscard]] span_names names_at(std::size_t i, std::size_t shorter_than) noexcept {
    span_names best;
    const char32_t c = char_at(i);
    const bool word = is_word_character(c);
    if (word && is_word_character(before(i))) return best;
    collect(i, i, shorter_than, best);
    // `_name` is a loose spelling of `name`.
    if (classify(c) == letter_class::joint) {
      std::size_t k = i;
      while (k < text_.size() && classify(char_at(k)) == letter_class::joint) ++k;
      if (k < text_.size()) collect(i, k, shorter_than, best);
    }
    return best;
  }

  void collect(std::size_t begin, std::size_t i, std::size_t shorter_than, span_names& best) noexcept {
    const auto d = at(i);
    const char32_t a = text::fold(d.code_point);
    const char32_t b = text::fold(char_at(i + d.size));
    collect_bucket(begin, i, names_.first(a, b), shorter_than, best);
    collect_bucket(begin, i, names_.first(a, 0), shorter_than, best);
    // A name that begins with a separator (`$top`, `_id`) is listed by its first letter.
    if (classify(d.code_point) == letter_class::joint || d.code_point == U'-' || d.code_point == U'.') {
      std::size_t k = i;
      while (k < text_.size() && (text_[k] == '_' || text_[k] == '$' || text_[k] == '-' || text_[k] == '.')) ++k;
      if (k < text_.size()) {
        const auto e = at(k);
        collect_bucket(begin, i, names_.first(text::fold(e.code_point), text::fold(char_at(k + e.size))), shorter_than,
                       best);
        collect_bucket(begin, i, names_.first(text::fold(e.code_point), 0), shorter_than, best);
      }
    }
  }

  void collect_bucket(std::size_t begin, std::size_t i, std::int32_t id, std::size_t shorter_than,
                      span_names& best) noexcept {
    for (; id >= 0; id = names_.next(id)) {
      const auto& entry = names_.names()[static_cast<std::size_t>(id)];
      compared_ += 1 + entry.unit_count / 8U;
      const match m = match_name(begin, i, entry);
      if (m.end == 0 || m.end - begin >= shorter_than || m.end < best.end) continue;
      if (m.end > best.end) {
        best = span_names{};
        best.end = m.end;
      }
      add_name(best, id, m.exact);
    }
  }

  void add_name(span_names& s, std::int32_t id, bool exact) const noexcept {
    for (std::size_t k = 0; k < s.count; ++k)
      if (s.ids[k] == id) return;
    const auto& e = names_.names()[static_cast<std::size_t>(id)];
    s.parameters |= e.parameter_mask;
    s.tools = static_cast<std::uint8_t>(s.tools | e.tool_mask);
    s.properties = static_cast<std::uint8_t>(s.properties | e.property_mask);
    if (exact) {
      s.exact_parameters |= e.parameter_mask;
      s.exact_tools = static_cast<std::uint8_t>(s.exact_tools | e.tool_mask);
      s.exact_property = s.exact_property || e.property_mask != 0;
    }
    if (s.count == max_token_names) {
      if (!exact) return;
      --s.count;
    }
    // Exact spellings stand first.
    std::size_t k = s.count++;
    for (; exact && k > 0 && !s.exact[k - 1]; --k) {
      s.ids[k] = s.ids[k - 1];
      s.exact[k] = s.exact[k - 1];
    }
    s.ids[k] = id;
    s.exact[k] = exact;
  }

  [[nodiscard]] match match_name(std::size_t begin, std::size_t i, const name_entry& entry) noexcept {
    const auto name = entry.text;
    if (begin == i && text_.substr(i).starts_with(name) && ends_word(i + name.size())) {
      if (!reads_as_number(name) || assigned(i + name.size())) return {i + name.size(), true};
      return {};
    }
    const auto units = names_.units(entry);
    if (units.empty() || reads_as_number(name)) return {};
    if (const auto end = match_solid(i, units); end != 0) return {end, false};
    return {match_words(i, units), false};
  }

  /// Whether a name can be taken for a number (`1`, `-2`, `2.5`, `1e3`); it is a mention only where it is assigned.
  [[nodiscard]] static constexpr bool reads_as_number(std::string_view s) noexcept {
    bool any = false;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const char c = s[i];
      if (digit(static_cast<unsigned char>(c))) any = true;
      else if ((c == 'e' || c == 'E') && any && i + 1 < s.size()) continue;
      else if (c != '.' && c != '-' && c != '+') return false;
    }
    return any;
  }
  /// Whether `=` or `:` follows.
  [[nodiscard]] bool assigned(std::size_t i) const noexcept {
    while (i < text_.size() && text_[i] == ' ') ++i;
    return i < text_.size() && (text_[i] == '=' || text_[i] == ':');
  }

  /// Whether a mention may end at byte `i`: no word goes on there, save a possessive s.
  [[nodiscard]] bool ends_word(std::size_t i) const noexcept {
    if (i >= text_.size()) return true;
    const char32_t last = before(i);
    if (!is_word_character(last)) return true;
    const auto d = at(i);
    if (is_word_character(d.code_point)) return false;
    if (!apostrophe(d.code_point) || !word_at(i + d.size)) return true;
    const char32_t s = char_at(i + d.size);
    return (s == U's' || s == U'S') && !word_at(i + d.size + 1);
  }

  /// Trailing `_` and `$` belong to a loose mention.
  [[nodiscard]] std::size_t loose_end(std::size_t i) const noexcept {
    while (i < text_.size() && classify(char_at(i)) == letter_class::joint) ++i;
    return ends_word(i) ? i : 0;
  }

  /// The name's own spelling in another letter case: end of the mention, or 0.
  [[nodiscard]] std::size_t match_solid(std::size_t i, std::span<const char32_t> units) const noexcept {
    for (const char32_t u : units) {
      if (i >= text_.size()) return 0;
      const auto d = at(i);
      if (text::fold(d.code_point) != (u & name_index::code_point)) return 0;
      i += d.size;
    }
    return ends_word(i) ? i : 0;
  }

  /// The name's words joined by `_`, `-`, `$`, `.`, white space or a cut: end of the mention, or 0.
  [[nodiscard]] std::size_t match_words(std::size_t i, std::span<const char32_t> units) noexcept {
    bool begun = false;
    bool gap = false;
    bool any = false;
    for (const char32_t u : units) {
      if ((u & name_index::separator) != 0) {
        gap = begun;
        continue;
      }
      gap = gap || (begun && (u & name_index::word_start) != 0);
      if (gap) {
        i = skip_gap(i);
        if (i == 0) return 0;
        gap = false;
      }
      if (i >= text_.size()) return 0;
      const auto d = at(i);
      if (text::fold(d.code_point) != (u & name_index::code_point)) return 0;
      i += d.size;
      begun = true;
      any = true;
    }
    return any ? loose_end(i) : 0;
  }

  /// Where the next word of a mention begins behind byte `i`, or 0.
  [[nodiscard]] std::size_t skip_gap(std::size_t i) noexcept {
    if (i >= text_.size()) return 0;
    const auto d = at(i);
    if (d.code_point == U'_' || d.code_point == U'-' || d.code_point == U'$' || d.code_point == U'.') return i + 1;
    if (text::is_space(d.code_point)) {
      // Asked for every name that goes on here.
      if (gap_begin_ != i) {
        gap_begin_ = i;
        gap_end_ = skip_space(i);
      }
      return gap_end_;
    }
    const char32_t n = char_at(i + d.size);
    const bool ends = classify(char_at(i + d.size + 1)) != letter_class::lower;
    return is_cut(classify(before(i)), classify(d.code_point), classify(n), n, ends) ? i : 0;
  }

  /// End of the white space at byte `i`; 0 for an empty line.
  [[nodiscard]] std::size_t skip_space(std::size_t i) const noexcept {
    int lines = 0;
    while (i < text_.size() && text::is_space(char_at(i))) {
      lines += text_[i] == '\n' ? 1 : 0;
      i += at(i).size;
    }
    return lines < 2 ? i : 0;
  }

  void take_names(const span_names& n, token& t) noexcept {
    t.kind = token_kind::name;
    t.end = static_cast<std::uint32_t>(n.end);
    t.name_count = n.count;
    t.names = n.ids;
    t.parameters = n.parameters;
    t.exact_parameters = n.exact_parameters;
    t.properties = n.properties;
    t.exact_property = n.exact_property;
    t.exact_tool = n.exact_tools != 0;
    t.tools = t.exact_tool ? n.exact_tools : n.tools;
    const auto spelled = text_.substr(t.begin, t.end - t.begin);
    t.boolean = equals_ignoring_case(spelled, "true");
    t.is_boolean = t.boolean || equals_ignoring_case(spelled, "false");
  }

  /// `name=value` and `name: value` name an argument, never a tool, where an argument has that name.
  void settle_assignments() noexcept {
    for (std::size_t i = 0; i + 2 < out_.count; ++i) {
      token& t = out_[i];
      if (t.tools == 0 || t.parameters == 0 || out_[i + 1].kind != token_kind::sign) continue;
      const char sign = text_[out_[i + 1].begin];
      // `search => list` and `search == list` assign nothing.
      const char behind = text_[out_[i + 2].begin];
      if (sign == '=' && (behind == '>' || behind == '=')) continue;
      if (sign == '=' ? out_[i + 2].begin == out_[i + 1].end || out_[i + 2].is_value()
                      : sign == ':' && out_[i + 2].is_value()) {
        t.tools = 0;
        t.exact_tool = false;
      }
    }
  }

  // --- numbers -------------------------------------------------------------------------------------

  /// A dash that makes the digits behind it something else than a number: `--5`, `x-5`, a typographic minus.
  [[nodiscard]] static constexpr bool dash(char32_t c) noexcept {
    return c == U'-' || c == U'+' || c == 0x2212 || c == 0x2013;
  }

  /// A sign belongs to a number only after white space or one of `= : ( , [`.
  [[nodiscard]] bool sign_may_stand(std::size_t i) const noexcept {
    const char32_t p = before(i);
    return p == 0 || text::is_space(p) || p == U'=' || p == U':' || p == U'(' || p == U',' || p == U'[';
  }

  [[nodiscard]] bool number_starts(std::size_t i, char32_t c) const noexcept {
    if (digit(c)) return true;
    if (!sign_may_stand(i)) return false;
    if (c == U'.') return digit(char_at(i + 1));
    return (c == U'-' || c == U'+') &&
           (digit(char_at(i + 1)) || (char_at(i + 1) == U'.' && digit(char_at(i + 2))));
  }

  /// Whether the digits that end at `e` go on as letters or glued signs (`5pm`, `3.2.1`, `50,000`, `10-20`).
  [[nodiscard]] bool glued(std::size_t e) const noexcept {
    if (e >= text_.size()) return false;
    if (word_at(e)) return true;
    const auto d = at(e);
    if (d.code_point == 0xBC || d.code_point == 0xBD || d.code_point == 0xBE) return true;  // one quarter, ...
    if (dash(d.code_point) && d.size > 1) return digit(char_at(e + d.size));
    const char32_t next = char_at(e + 1);
    switch (text_[e]) {
      case '.':
      case ':':
      case '/':
      case '+':
      case '*': return digit(next);
      case '-': return e + 1 < text_.size() && is_word_character(next);
      case ',': return digit(next) && digit(char_at(e + 2)) && digit(char_at(e + 3)) && !digit(char_at(e + 4));
      default: return false;
    }
  }

  [[nodiscard]] std::optional<diagnostic> cut_number(std::size_t i, token& t) noexcept {
    const auto bad = [&](std::size_t end, std::string_view what) {
      diagnostic d;
      d.code = errc::bad_number;
      d.begin = i;
      d.end = end;
      d.found = text_.substr(i, end - i);
      d.what = what;
      return d;
    };
    std::size_t e = i;
    const bool plus = text_[e] == '+';
    if (plus || text_[e] == '-') ++e;
    const bool point_first = text_[e] == '.';
    const std::size_t whole = e;
    while (digit(char_at(e))) ++e;
    const bool zero_first = e - whole > 1 && text_[whole] == '0';
    if (char_at(e) == U'.' && digit(char_at(e + 1))) {
      ++e;
      while (digit(char_at(e))) ++e;
    }
    if (const char32_t x = char_at(e); x == U'e' || x == U'E') {
      std::size_t k = e + 1;
      if (char_at(k) == U'+' || char_at(k) == U'-') ++k;
      if (digit(char_at(k))) {
        while (digit(char_at(k))) ++k;
        e = k;
      }
    }
    // Digits behind a sign that is glued to a word (`utf-8`, `users/5`), or behind a dash that is no sign of
    // theirs, are no value.
    const char32_t p = before(i);
    const bool behind = (i > 1 && (p == U'/' || p == U'.') && is_word_character(before(i - 1))) ||
                        (dash(p) && !plus && text_[i] != '-');
    if (behind || glued(e)) {
      bool underscores = !behind;
      std::size_t k = e;
      while (k < text_.size() && (word_at(k) || glued(k))) {
        underscores = underscores && (text_[k] == '_' || digit(char_at(k)));
        k += at(k).size;
      }
      t.end = static_cast<std::uint32_t>(k);
      if (underscores) return bad(k, "digits cannot be grouped; write the number as in JSON, like 1000");
      t.kind = token_kind::word;
      t.malformed_number = true;
      return std::nullopt;
    }
    if (plus) return bad(e, "a number has no plus sign; write it as in JSON, like 5");
    if (point_first) return bad(e, "a number begins with a digit; write it as in JSON, like 0.5");
    if (zero_first) return bad(e, "a number has no leading zeros; write it as in JSON, like 7");
    const auto x = text::parse_exact_number(text_.substr(i, e - i));
    if (!x) return bad(e, "the number is not exact in JavaScript; use fewer digits or put it in double quotes");
    t.kind = token_kind::number;
    t.number = *x;
    t.end = static_cast<std::uint32_t>(e);
    return std::nullopt;
  }

  // --- words ---------------------------------------------------------------------------------------

  void cut_word(std::size_t i, token& t) noexcept {
    std::size_t e = i;
    while (e < text_.size()) {
      const auto d = at(e);
      if (is_word_character(d.code_point)) {
        e += d.size;
      } else if (apostrophe(d.code_point) && e > i && letter(before(e)) && letter(char_at(e + d.size))) {
        e += d.size;
      } else {
        break;
      }
    }
    t.end = static_cast<std::uint32_t>(e);
    t.kind = token_kind::word;
    const auto word = text_.substr(i, e - i);
    if (equals_ignoring_case(word, "true") || equals_ignoring_case(word, "false")) {
      t.kind = token_kind::boolean;
      t.is_boolean = true;
      t.boolean = word.size() == 4;
    } else if (const int n = detail::number_word(word); n != 0) {
      t.number_word = true;
      t.number = n;
    }
  }

  [[nodiscard]] static constexpr bool letter(char32_t c) noexcept {
    const auto k = classify(c);
    return k == letter_class::lower || k == letter_class::upper;
  }

  std::string_view text_;
  std::span<const tool> tools_;
  const name_index& names_;
  token_list& out_;
  std::size_t compared_ = 0;
  std::size_t gap_begin_ = static_cast<std::size_t>(-1);
  std::size_t gap_end_ = 0;
};

}  // namespace detail

/// Cuts `instruction` (valid UTF-8) into `out`. Returns the first fault: `bad_string`, `bad_number` or
/// `too_long`. Allocates nothing.
[[nodiscard]] inline std::optional<diagnostic> tokenize(std::string_view instruction, std::span<const tool> tools,
                                                        const name_index& names, token_list& out) noexcept {
  return detail::lexer(instruction, tools, names, out).run();
}

}  // namespace v0_1
}  // namespace codemode
