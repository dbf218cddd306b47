#pragma once

/// @file
/// Every name of a catalog (tools, arguments, properties) in a form in which a text can be searched for
/// it: the words of the name, letter case folded, and who owns it.

#include <codemode/catalog/tool.hpp>
#include <codemode/text/unicode.hpp>
#include <codemode/text/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {

/// Bit `tool * 4 + parameter` of a set of parameters over a whole catalog.
[[nodiscard]] constexpr std::uint32_t parameter_bit(std::size_t tool_index, std::size_t parameter_index) noexcept {
  return std::uint32_t{1} << (tool_index * max_arguments + parameter_index);
}

/// Class of a code point inside a name or a text, for cutting words.
enum class letter_class : std::uint8_t {
  other,   ///< a sign or white space
  joint,   ///< `_`, `$`: part of a word, but joins the words of a name
  digit,
  upper,
  lower    ///< lower case, and letters and marks without case
};

/// Class of `c`; combining marks go with letters.
[[nodiscard]] constexpr letter_class classify(char32_t c) noexcept {
  if (c < 0x80) {
    if (c >= U'a' && c <= U'z') return letter_class::lower;
    if (c >= U'A' && c <= U'Z') return letter_class::upper;
    if (c >= U'0' && c <= U'9') return letter_class::digit;
    return c == U'_' || c == U'$' ? letter_class::joint : letter_class::other;
  }
  if (text::is_digit(c)) return letter_class::digit;
  if (text::is_upper(c)) return letter_class::upper;
  return text::is_id_continue(c) ? letter_class::lower : letter_class::other;
}

/// Whether a word goes on with `c`: letters, digits, `_` and `$`.
[[nodiscard]] constexpr bool is_word_character(char32_t c) noexcept { return classify(c) != letter_class::other; }

/// Whether the words of a name are cut between two neighbours `a` and `b`, `next` being the one after `b`:
/// at lower to upper case, between letters and digits, and before the last capital of a run that a lower
/// case letter follows (`HTMLPage`), except for a plural s (`userIDs`).
[[nodiscard]] constexpr bool is_cut(letter_class a, letter_class b, letter_class next, char32_t next_char,
                                    bool next_ends_word) noexcept {
  using enum letter_class;
  const auto letter = [](letter_class k) { return k == upper || k == lower; };
  if ((a == digit && letter(b)) || (letter(a) && b == digit)) return true;
  if (a == lower && b == upper) return true;
  return a == upper && b == upper && next == lower && !(next_char == U's' && next_ends_word);
}

/// One distinct name of a catalog.
struct name_entry {
  std::string_view text{};           ///< as the catalog has it
  std::uint8_t tool_mask = 0;        ///< the tool called so (one bit)
  std::uint8_t property_mask = 0;    ///< tools that declare it as a property
  std::uint32_t parameter_mask = 0;  ///< `parameter_bit`s of the arguments called so
  std::uint32_t first_unit = 0;      ///< folded code points: `units()[first_unit .. + unit_count)`
  std::uint32_t unit_count = 0;
};

/// Names of a catalog, findable by the first two letters of their first word. Reuses its memory: building for
/// a further catalog allocates only while it grows.
class name_index {
 public:
  /// Marks the start of a word in `units()`; the other bits are the folded code point.
  static constexpr char32_t word_start = 0x8000'0000U;
  /// Marks a separator (`_`, `-`, `$`, `.`, white space) between words of the name.
  static constexpr char32_t separator = 0x4000'0000U;
  static constexpr char32_t code_point = 0x001F'FFFFU;

  /// Indexes all names of `tools`, whose text must outlive the index.
  void build(std::span<const tool> tools) {
    names_.clear();
    units_.clear();
    // A small catalog after a large one must not pay for the table of the large one.
    slots_.assign((std::min)(slots_.size(), first_slots), -1);
    for (std::size_t t = 0; t < tools.size() && t < max_tools; ++t) {
      const auto tool_bit = static_cast<std::uint8_t>(1U << t);
      add(tools[t].name).tool_mask = tool_bit;
      for (std::size_t p = 0; p < tools[t].parameters.size() && p < max_arguments; ++p)
        add(tools[t].parameters[p].name).parameter_mask |= parameter_bit(t, p);
      for (const auto property : tools[t].properties) {
        auto& mask = add(property).property_mask;
        mask = static_cast<std::uint8_t>(mask | tool_bit);
      }
    }
    link();
  }

  [[nodiscard]] std::span<const name_entry> names() const noexcept { return names_; }
  [[nodiscard]] std::span<const char32_t> units(const name_entry& n) const noexcept {
    return std::span<const char32_t>{units_}.subspan(n.first_unit, n.unit_count);
  }

  /// First name whose first word begins with the folded code points `a`, `b` (or is `a` alone, for
  /// `b == 0`), or -1; go on with `next`.
  [[nodiscard]] std::int32_t first(char32_t a, char32_t b) const noexcept {
    return heads_.empty() ? -1 : heads_[bucket(a, b)];
  }
  /// The next name of the same bucket (buckets can hold other first letters too), or -1.
  [[nodiscard]] std::int32_t next(std::int32_t name) const noexcept {
    return chain_[static_cast<std::size_t>(name)];
  }

  /// Index of the name spelled exactly `text`, or -1.
  [[nodiscard]] std::int32_t find_exact(std::string_view text) const noexcept {
    if (slots_.empty()) return -1;
    for (std::size_t i = hash(text);; ++i) {
      const std::int32_t s = slots_[i & (slots_.size() - 1)];
      if (s < 0) return -1;
      if (names_[static_cast<std::size_t>(s)].text == text) return s;
    }
  }

 private:
  static constexpr std::size_t first_slots = 128;

  [[nodiscard]] std::size_t bucket(char32_t a, char32_t b) const noexcept {
    return (a * 0x9E37'79B1U ^ b * 0x85EB'CA77U) >> 7U & (heads_.size() - 1);
  }

  [[nodiscard]] static constexpr std::size_t hash(std::string_view s) noexcept {
    std::uint64_t h = 0xcbf2'9ce4'8422'2325U;
    for (const char ch : s) h = (h ^ static_cast<unsigned char>(ch)) * 0x0000'0100'0000'01b3U;
    return static_cast<std::size_t>(h ^ (h >> 29U));
  }

  [[nodiscard]] static constexpr bool is_separator(char32_t c) noexcept {
    return c == U'_' || c == U'-' || c == U'$' || c == U'.' || text::is_space(c);
  }

  name_entry& add(std::string_view name) {
    if ((names_.size() + 1) * 2 > slots_.size()) grow();
    std::size_t i = hash(name);
    for (;; ++i) {
      const std::int32_t s = slots_[i & (slots_.size() - 1)];
      if (s < 0) break;
      if (names_[static_cast<std::size_t>(s)].text == name) return names_[static_cast<std::size_t>(s)];
    }
    slots_[i & (slots_.size() - 1)] = static_cast<std::int32_t>(names_.size());
    name_entry entry;
    entry.text = name;
    cut(name, entry);
    names_.push_back(entry);
    return names_.back();
  }

  void grow() {
    const std::size_t size = slots_.empty() ? first_slots : slots_.size() * 2;
    slots_.assign(size, -1);
    for (std::size_t n = 0; n < names_.size(); ++n) {
      std::size_t i = hash(names_[n].text);
      while (slots_[i & (size - 1)] >= 0) ++i;
      slots_[i & (size - 1)] = static_cast<std::int32_t>(n);
    }
  }

  /// Appends the units of `name`: folded code points, word starts and separators marked.
  void cut(std::string_view name, name_entry& entry) {
    entry.first_unit = static_cast<std::uint32_t>(units_.size());
    letter_class before = letter_class::other;
    bool fresh = true;
    std::size_t i = 0;
    while (i < name.size()) {
      const auto d = text::decode(name.substr(i));
      const char32_t c = d.code_point;
      i += d.size;
      if (is_separator(c)) {
        units_.push_back(text::fold(c) | separator);
        fresh = true;
        before = letter_class::other;
        continue;
      }
      const letter_class k = classify(c);
      if (!fresh && i < name.size()) {
        const auto n = text::decode(name.substr(i));
        const auto after = i + n.size < name.size()
                               ? classify(text::decode(name.substr(i + n.size)).code_point)
                               : letter_class::other;
        fresh = is_cut(before, k, classify(n.code_point), n.code_point, after != letter_class::lower);
      } else if (!fresh) {
        fresh = is_cut(before, k, letter_class::other, 0, true);
      }
      units_.push_back(text::fold(c) | (fresh ? word_start : 0U));
      fresh = false;
      before = k;
    }
    entry.unit_count = static_cast<std::uint32_t>(units_.size()) - entry.first_unit;
  }

  void link() {
    std::size_t buckets = 64;
    while (buckets < names_.size()) buckets *= 2;
    heads_.assign(buckets, -1);
    chain_.assign(names_.size(), -1);
    for (std::size_t n = names_.size(); n-- > 0;) {
      const auto u = units(names_[n]);
      std::size_t k = 0;
      while (k < u.size() && (u[k] & separator) != 0) ++k;
      if (k == u.size()) k = 0;  // a name of signs only is met by its first sign
      if (u.empty()) continue;
      const bool alone = k + 1 == u.size() || (u[k + 1] & (separator | word_start)) != 0;
      auto& head = heads_[bucket(u[k] & code_point, alone ? 0 : u[k + 1] & code_point)];
      chain_[n] = head;
      head = static_cast<std::int32_t>(n);
    }
  }

  std::vector<name_entry> names_;
  std::vector<char32_t> units_;
  std::vector<std::int32_t> chain_;
  std::vector<std::int32_t> slots_;
  std::vector<std::int32_t> heads_;
};

}  // namespace v0_1
}  // namespace codemode
