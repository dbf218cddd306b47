#pragma once

/// @file
/// What the network sees of each token: word and letter ids, and `feature_count` numbers that a
/// convolution could not compute itself (equality of names, membership in a schema, types that fit).

#include <codemode/catalog/name_index.hpp>
#include <codemode/frontend/token.hpp>
#include <codemode/frontend/vocabulary.hpp>
#include <codemode/text/unicode.hpp>
#include <codemode/text/utf8.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// Numbers per token, a multiple of 16.
inline constexpr std::size_t feature_count = 96;
/// Names this set of features; weights that were trained on another one are refused.
inline constexpr std::uint32_t feature_set = 1;
/// Rows of the tables of first and last letters; row 0 is for tokens without.
inline constexpr std::size_t letter_rows = 1024;

/// Word ids below the vocabulary's own.
enum class word_id : std::uint16_t { none, unknown, name, long_name, string, number, boolean, malformed_number };

/// Features of up to `max_tokens` tokens. The rows of `feature_count` floats lie in memory of the caller, so
/// that the planner can lend a buffer that its network needs only later.
struct token_features {
  std::span<float, max_tokens * feature_count> values;
  std::array<std::uint16_t, max_tokens> words{};
  std::array<std::uint16_t, max_tokens> prefixes{};
  std::array<std::uint16_t, max_tokens> suffixes{};

  [[nodiscard]] float* row(std::size_t token_index) noexcept { return values.data() + token_index * feature_count; }
  [[nodiscard]] const float* row(std::size_t token_index) const noexcept {
    return values.data() + token_index * feature_count;
  }
};

namespace detail {

/// Place of each feature in its row.
enum feature : std::size_t {
  f_tool, f_parameter, f_property, f_exact_tool, f_exact_parameter, f_exact_property, f_long_name,
  // tools
  f_tool_before, f_tool_after, f_returns_array, f_returns_text, f_no_parameters, f_has_required, f_required_named,
  f_required_missing, f_several_tools, f_tools_so_far,
  // arguments
  f_of_left, f_of_right, f_of_any, f_required_by_left, f_left_string, f_left_number, f_left_boolean, f_right_string,
  f_right_number, f_right_boolean, f_named_before, f_named_after, f_value_follows, f_value_precedes,
  f_required_by_right,
  // properties
  f_declared_left, f_declared_right, f_declared_any,
  // place
  f_capital, f_line_start, f_no_tool_yet, f_no_tool_after,
  // values
  f_string, f_number, f_boolean, f_left_fits_left, f_left_fits_right, f_left_fits_any, f_left_fits_none,
  f_right_fits_left, f_right_fits_right, f_right_fits_any, f_type_nowhere, f_value_before, f_value_after,
  f_limit_range, f_negative_or_fraction, f_string_is_tool,
  f_from_start, f_from_end, f_length, f_tool_count,
  f_in_parentheses, f_in_braces, f_in_brackets, f_sentence_start, f_list_mark, f_number_word, f_malformed_number,
  f_near_property, f_near_parameter, f_quoted_name, f_value_total, f_arguments_so_far, f_more_values_than_arguments,
  f_one_tool, f_one_array_tool, f_curly_quote, f_single_quote, f_word_like_argument, f_word_like_tool,
  f_value_soon, f_value_lately, f_call_syntax, f_flag, f_glued_before, f_glued_after, f_lines, f_sentence,
  f_tool_ordinal, f_segment_arguments, f_segment_arguments_left, f_segment_missing, f_left_sharers, f_right_sharers,
  f_owners, f_value_in_segment,
  f_end
};
static_assert(f_end <= feature_count);

/// Writes `text` folded into `buffer` with straight apostrophes; empty where it does not fit.
template <std::size_t N>
[[nodiscard]] constexpr std::string_view fold_into(std::string_view text, std::array<char, N>& buffer) noexcept {
  std::size_t n = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto d = text::decode(text.substr(i));
    i += d.size;
    const auto e = text::encode(d.code_point == 0x2019 ? U'\'' : text::fold(d.code_point));
    if (n + e.size > N) return {};
    for (const char ch : e.view()) buffer[n++] = ch;
  }
  return {buffer.data(), n};
}

/// Row of the letter tables for up to three code points between `begin` and `end`.
[[nodiscard]] constexpr std::uint16_t letter_row(std::string_view letters, std::uint32_t seed) noexcept {
  std::uint32_t h = seed;
  for (const char c : letters) h = (h ^ static_cast<unsigned char>(c)) * 0x0100'0193U;
  h ^= h >> 15U;
  return static_cast<std::uint16_t>(1 + h % (letter_rows - 1));
}

[[nodiscard]] constexpr std::string_view first_letters(std::string_view folded) noexcept {
  std::size_t i = 0;
  for (int k = 0; k < 3 && i < folded.size(); ++k) i += text::decode(folded.substr(i)).size;
  return folded.substr(0, i);
}
[[nodiscard]] constexpr std::string_view last_letters(std::string_view folded) noexcept {
  std::size_t i = folded.size();
  for (int k = 0; k < 3 && i > 0; ++k) {
    --i;
    while (i > 0 && (static_cast<unsigned char>(folded[i]) & 0xC0U) == 0x80U) --i;
  }
  return folded.substr(i);
}

/// Computes the features of one instruction.
class feature_writer {
 public:
  feature_writer(std::string_view text, std::span<const tool> tools, const name_index& names,
                 const token_list& tokens, const vocabulary& words, token_features& out) noexcept
      : text_(text), tools_(tools), names_(names), tokens_(tokens), words_(words), out_(out), n_(tokens.count) {}

  void run() noexcept {
    std::fill_n(out_.values.begin(), static_cast<std::ptrdiff_t>(n_ * feature_count), 0.0F);
    survey();
    for (std::size_t k = 0; k < n_; ++k) {
      row_ = out_.row(k);
      ids(k);
      common(k);
      const token& t = tokens_[k];
      if (t.tools != 0) tool_features(k);
      if (t.parameters != 0) argument_features(k);
      if (t.properties != 0) property_features(k);
      if (t.is_value()) value_features(k);
    }
  }

 private:
  static constexpr std::int16_t none = -1;

  void set(feature f, bool on = true) noexcept { row_[f] = on ? 1.0F : 0.0F; }
  void put(feature f, float x) noexcept { row_[f] = x; }
  [[nodiscard]] std::string_view spelled(std::size_t k) const noexcept {
    return text_.substr(tokens_[k].begin, tokens_[k].end - tokens_[k].begin);
  }
  [[nodiscard]] char sign(std::size_t k) const noexcept {
    return k < n_ && tokens_[k].kind == token_kind::sign ? text_[tokens_[k].begin] : '\0';
  }
  [[nodiscard]] static std::size_t first_tool(const token& t) noexcept {
    return static_cast<std::size_t>(std::countr_zero(t.tools));
  }
  /// Parameter bits of tool `i`.
  [[nodiscard]] static constexpr std::uint32_t slots(std::size_t i) noexcept { return 0xFU << (i * max_arguments); }
  [[nodiscard]] std::uint32_t left_slots(std::size_t k) const noexcept {
    return left_[k] == none ? 0U : slots(first_tool(tokens_[static_cast<std::size_t>(left_[k])]));
  }
  [[nodiscard]] std::uint32_t right_slots(std::size_t k) const noexcept {
    return right_[k] == none ? 0U : slots(first_tool(tokens_[static_cast<std::size_t>(right_[k])]));
  }

  void survey() noexcept {
    for (std::size_t i = 0; i < tools_.size(); ++i)
      for (std::size_t p = 0; p < tools_[i].parameters.size(); ++p) {
        const auto bit = parameter_bit(i, p);
        of_type_[static_cast<std::size_t>(tools_[i].parameters[p].type)] |= bit;
        if (tools_[i].parameters[p].required) required_ |= bit;
      }
    std::int16_t last_tool = none;
    std::int16_t last_argument = none;
    for (std::size_t k = 0; k < n_; ++k) {
      const token& t = tokens_[k];
      left_[k] = last_tool;
      left_argument_[k] = last_argument;
      if (t.tools != 0) {
        last_tool = static_cast<std::int16_t>(k);
        mentioned_ = static_cast<std::uint8_t>(mentioned_ | t.tools);
      }
      if (t.parameters != 0) {
        last_argument = static_cast<std::int16_t>(k);
        named_ |= t.parameters;
        ++argument_total_;
      }
      if (t.is_value()) ++value_total_;
      if (t.line_start) ++line_total_;
    }
    last_tool = last_argument = none;
    for (std::size_t k = n_; k-- > 0;) {
      right_[k] = last_tool;
      right_argument_[k] = last_argument;
      if (tokens_[k].tools != 0) last_tool = static_cast<std::int16_t>(k);
      if (tokens_[k].parameters != 0) last_argument = static_cast<std::int16_t>(k);
    }
    for (std::size_t i = 0; i < tools_.size(); ++i)
      if ((mentioned_ >> i & 1U) != 0) open_slots_ |= slots(i);
  }

  void ids(std::size_t k) noexcept {
    const token& t = tokens_[k];
    std::array<char, 64> buffer;
    auto word = word_id::unknown;
    out_.prefixes[k] = out_.suffixes[k] = 0;
    switch (t.kind) {
      case token_kind::string: word = word_id::string; break;
      case token_kind::number: word = word_id::number; break;
      case token_kind::boolean: word = word_id::boolean; break;
      case token_kind::sign:
        out_.words[k] = words_.find(spelled(k));
        return;
      case token_kind::word: {
        if (t.malformed_number) {
          word = word_id::malformed_number;
          break;
        }
        const auto folded = fold_into(spelled(k), buffer);
        out_.words[k] = words_.find(folded);
        if (folded.empty()) return;
        out_.prefixes[k] = letter_row(first_letters(folded), 0x811c'9dc5U);
        out_.suffixes[k] = letter_row(last_letters(folded), 0x1234'5677U);
        return;
      }
      case token_kind::name: {
        const auto folded = fold_into(spelled(k), buffer);
        word = one_word(folded) ? word_id::name : word_id::long_name;
        set(f_long_name, word == word_id::long_name);
        if (word == word_id::name) {
          const auto id = words_.find(folded);
          if (id != static_cast<std::uint16_t>(word_id::unknown)) {
            out_.words[k] = id;
            set(f_word_like_argument, t.parameters != 0);
            set(f_word_like_tool, t.tools != 0);
            return;
          }
        }
        break;
      }
    }
    out_.words[k] = static_cast<std::uint16_t>(word);
  }

  [[nodiscard]] static bool one_word(std::string_view folded) noexcept {
    for (std::size_t i = 0; i < folded.size();) {
      const auto d = text::decode(folded.substr(i));
      if (classify(d.code_point) != letter_class::lower) return false;
      i += d.size;
    }
    return !folded.empty();
  }

  void common(std::size_t k) noexcept {
    const token& t = tokens_[k];
    set(f_tool, t.tools != 0);
    set(f_parameter, t.parameters != 0);
    set(f_property, t.properties != 0);
    set(f_exact_tool, t.exact_tool);
    set(f_exact_parameter, t.exact_parameters != 0);
    set(f_exact_property, t.exact_property);
    if (t.tools != 0) so_far_ = static_cast<std::uint8_t>(so_far_ | t.tools);
    put(f_tools_so_far, static_cast<float>(std::popcount(so_far_)) / 4.0F);
    set(f_capital, classify(text::decode(text_.substr(t.begin)).code_point) == letter_class::upper);
    set(f_line_start, t.line_start);
    set(f_no_tool_yet, left_[k] == none && t.tools == 0);
    set(f_no_tool_after, right_[k] == none && t.tools == 0);
    put(f_from_start, static_cast<float>((std::min)(k, std::size_t{10})) / 10.0F);
    put(f_from_end, static_cast<float>((std::min)(n_ - 1 - k, std::size_t{10})) / 10.0F);
    put(f_length, static_cast<float>(n_) / 64.0F);
    put(f_tool_count, static_cast<float>(std::popcount(mentioned_)) / 3.0F);
    put(f_value_total, static_cast<float>((std::min)(value_total_, std::size_t{16})) / 8.0F);
    put(f_arguments_so_far, static_cast<float>((std::min)(arguments_so_far_, std::size_t{12})) / 6.0F);
    if (t.parameters != 0) ++arguments_so_far_;
    set(f_more_values_than_arguments, value_total_ > argument_total_);
    const bool one = std::popcount(mentioned_) == 1;
    set(f_one_tool, one);
    set(f_one_array_tool,
        one && tools_[static_cast<std::size_t>(std::countr_zero(mentioned_))].returns == return_kind::array);
    put(f_lines, static_cast<float>((std::min)(line_total_, std::size_t{8})) / 8.0F);
    brackets(k);
    sentence(k);
    set(f_number_word, t.number_word);
    set(f_malformed_number, t.malformed_number);
    set(f_quoted_name, t.quoted_name);
    if (t.kind == token_kind::sign) {
      const char32_t c = text::decode(text_.substr(t.begin)).code_point;
      set(f_curly_quote, c == 0x201C || c == 0x201D || c == 0x201E || c == 0x00AB || c == 0x00BB);
      set(f_single_quote, c == U'\'' || c == 0x2018 || c == 0x2019 || c == U'`');
    }
    const bool glued = k > 0 && tokens_[k - 1].end == t.begin;
    set(f_glued_before, glued);
    set(f_glued_after, k + 1 < n_ && tokens_[k + 1].begin == t.end);
    set(f_call_syntax, sign(k + 1) == '(');
    set(f_flag, glued && sign(k - 1) == '-');
    if (t.kind == token_kind::word && !t.malformed_number) near_names(k);
    for (std::size_t d = 1; d <= 3; ++d) {
      if (k + d < n_ && tokens_[k + d].is_value()) set(f_value_soon);
      if (k >= d && tokens_[k - d].is_value()) set(f_value_lately);
    }
  }

  void brackets(std::size_t k) noexcept {
    const char c = sign(k);
    if (c == ')' && parentheses_ > 0) --parentheses_;
    if (c == '}' && braces_ > 0) --braces_;
    if (c == ']' && brackets_ > 0) --brackets_;
    set(f_in_parentheses, parentheses_ > 0);
    set(f_in_braces, braces_ > 0);
    set(f_in_brackets, brackets_ > 0);
    if (c == '(') ++parentheses_;
    if (c == '{') ++braces_;
    if (c == '[') ++brackets_;
  }

  void sentence(std::size_t k) noexcept {
    const bool start = k == 0 || tokens_[k].line_start || sentence_ended_;
    if (start && k > 0) ++sentences_;
    set(f_sentence_start, start);
    put(f_sentence, static_cast<float>((std::min)(sentences_, std::size_t{6})) / 6.0F);
    const char c = sign(k);
    sentence_ended_ = c == '.' || c == '!' || c == '?';
    // `1.`, `2)`, `(3)` at the head of an item
    const token& t = tokens_[k];
    if (t.kind != token_kind::number) return;
    const char next = sign(k + 1);
    const bool head = start || (k > 0 && sign(k - 1) == '(' && (k == 1 || tokens_[k - 1].line_start));
    set(f_list_mark, head && (next == '.' || next == ')' || next == ':') && t.number >= 1 && t.number <= 9);
  }

  /// Words that are a catalog name but for a final s.
  void near_names(std::size_t k) noexcept {
    std::array<char, 64> buffer;
    const auto folded = fold_into(spelled(k), buffer);
    if (folded.size() < 3 || folded.size() + 1 > buffer.size()) return;
    std::uint8_t properties = 0;
    std::uint32_t parameters = 0;
    const auto look = [&](std::string_view word) {
      const auto id = names_.find_exact(word);
      if (id < 0) return;
      properties = static_cast<std::uint8_t>(properties | names_.names()[static_cast<std::size_t>(id)].property_mask);
      parameters |= names_.names()[static_cast<std::size_t>(id)].parameter_mask;
    };
    if (folded.back() == 's') look(folded.substr(0, folded.size() - 1));
    buffer[folded.size()] = 's';
    look({folded.data(), folded.size() + 1});
    set(f_near_property, properties != 0);
    set(f_near_parameter, parameters != 0);
  }

  void tool_features(std::size_t k) noexcept {
    const token& t = tokens_[k];
    const std::size_t i = first_tool(t);
    const tool& called = tools_[i];
    std::size_t ordinal = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      if (j == k || tokens_[j].tools == 0) continue;
      if (j < k) ++ordinal;
      if ((tokens_[j].tools & t.tools) != 0) set(j < k ? f_tool_before : f_tool_after);
    }
    put(f_tool_ordinal, static_cast<float>((std::min)(ordinal, std::size_t{4})) / 4.0F);
    set(f_returns_array, called.returns == return_kind::array);
    set(f_returns_text, called.returns == return_kind::text);
    set(f_no_parameters, called.parameters.empty());
    const std::uint32_t needs = required_ & slots(i);
    set(f_has_required, needs != 0);
    set(f_required_named, needs != 0 && (needs & ~named_) == 0);
    set(f_required_missing, (needs & ~named_) != 0);
    set(f_several_tools, std::popcount(t.tools) > 1);
    std::uint32_t behind = 0;
    bool value = false;
    for (std::size_t j = k + 1; j < n_ && tokens_[j].tools == 0; ++j) {
      behind |= tokens_[j].parameters;
      value = value || tokens_[j].is_value();
    }
    std::uint32_t ahead = 0;
    for (std::size_t j = k; j-- > 0 && tokens_[j].tools == 0;) ahead |= tokens_[j].parameters;
    put(f_segment_arguments, static_cast<float>(std::popcount(behind & slots(i))) / 4.0F);
    put(f_segment_arguments_left, static_cast<float>(std::popcount(ahead & slots(i))) / 4.0F);
    set(f_segment_missing, (needs & ~behind) != 0);
    set(f_value_in_segment, value);
  }

  void argument_features(std::size_t k) noexcept {
    const token& t = tokens_[k];
    const std::uint32_t l = t.parameters & left_slots(k);
    const std::uint32_t r = t.parameters & right_slots(k);
    const std::uint32_t any = t.parameters & open_slots_;
    set(f_of_left, l != 0);
    set(f_of_right, r != 0);
    set(f_of_any, any != 0);
    set(f_required_by_left, (l & required_) != 0);
    set(f_required_by_right, (r & required_) != 0);
    set(f_left_string, (l & of_type_[0]) != 0);
    set(f_left_number, (l & of_type_[1]) != 0);
    set(f_left_boolean, (l & of_type_[2]) != 0);
    set(f_right_string, (r & of_type_[0]) != 0);
    set(f_right_number, (r & of_type_[1]) != 0);
    set(f_right_boolean, (r & of_type_[2]) != 0);
    put(f_owners, static_cast<float>((std::min)(std::popcount(any), 3)) / 3.0F);
    for (std::size_t j = 0; j < n_; ++j)
      if (j != k && (tokens_[j].parameters & t.parameters) != 0) set(j < k ? f_named_before : f_named_after);
    std::size_t next = k + 1;
    const char c = sign(next);
    if (c == '=' || c == ':' || c == '`') ++next;
    set(f_value_follows, next < n_ && tokens_[next].is_value());
    set(f_value_precedes, k > 0 && tokens_[k - 1].is_value());
  }

  void property_features(std::size_t k) noexcept {
    std::uint8_t arrays = 0;
    for (std::size_t i = 0; i < tools_.size(); ++i)
      if (tools_[i].returns == return_kind::array) arrays = static_cast<std::uint8_t>(arrays | 1U << i);
    const auto p = static_cast<std::uint8_t>(tokens_[k].properties & arrays);
    const auto of = [&](std::int16_t m) {
      return m != none && (p & tokens_[static_cast<std::size_t>(m)].tools) != 0;
    };
    set(f_declared_left, of(left_[k]));
    set(f_declared_right, of(right_[k]));
    set(f_declared_any, (p & mentioned_) != 0);
  }

  void value_features(std::size_t k) noexcept {
    const token& t = tokens_[k];
    const auto type = static_cast<std::size_t>(t.type());
    set(static_cast<feature>(f_string + type));
    const std::uint32_t fit = of_type_[type];
    if (const auto a = left_argument_[k]; a != none) {
      const std::uint32_t p = tokens_[static_cast<std::size_t>(a)].parameters & fit;
      set(f_left_fits_left, (p & left_slots(k)) != 0);
      set(f_left_fits_right, (p & right_slots(k)) != 0);
      set(f_left_fits_any, (p & open_slots_) != 0);
      set(f_left_fits_none, (p & open_slots_) == 0);
      put(f_left_sharers, static_cast<float>((std::min)(std::popcount(p & open_slots_), 3)) / 3.0F);
    }
    if (const auto a = right_argument_[k]; a != none) {
      const std::uint32_t p = tokens_[static_cast<std::size_t>(a)].parameters & fit;
      set(f_right_fits_left, (p & left_slots(k)) != 0);
      set(f_right_fits_right, (p & right_slots(k)) != 0);
      set(f_right_fits_any, (p & open_slots_) != 0);
      put(f_right_sharers, static_cast<float>((std::min)(std::popcount(p & open_slots_), 3)) / 3.0F);
    }
    set(f_type_nowhere, (fit & open_slots_) == 0);
    for (std::size_t j = 0; j < n_; ++j)
      if (j != k && same_value(tokens_[j], t)) set(j < k ? f_value_before : f_value_after);
    if (t.kind == token_kind::number) {
      const bool whole = t.number == std::floor(t.number);
      set(f_limit_range, whole && t.number >= 0 && t.number <= static_cast<double>(max_limit));
      set(f_negative_or_fraction, t.number < 0 || !whole);
    }
    if (t.kind == token_kind::string) {
      const auto s = spelled(k);
      for (const auto& x : tools_)
        if (s.size() == x.name.size() + 2 && s.substr(1, x.name.size()) == x.name) set(f_string_is_tool);
    }
  }

  [[nodiscard]] bool same_value(const token& a, const token& b) const noexcept {
    if (!a.is_value() || a.type() != b.type()) return false;
    if (a.kind == token_kind::number) return a.number == b.number;
    if (a.is_boolean) return a.boolean == b.boolean;
    return text_.substr(a.begin, a.end - a.begin) == text_.substr(b.begin, b.end - b.begin);
  }

  std::string_view text_;
  std::span<const tool> tools_;
  const name_index& names_;
  const token_list& tokens_;
  const vocabulary& words_;
  token_features& out_;
  std::size_t n_;
  float* row_ = nullptr;
  std::array<std::int16_t, max_tokens> left_{};
  std::array<std::int16_t, max_tokens> right_{};
  std::array<std::int16_t, max_tokens> left_argument_{};
  std::array<std::int16_t, max_tokens> right_argument_{};
  std::array<std::uint32_t, 3> of_type_{};
  std::uint32_t required_ = 0;
  std::uint32_t named_ = 0;
  std::uint32_t open_slots_ = 0;
  std::uint8_t mentioned_ = 0;
  std::uint8_t so_far_ = 0;
  std::size_t value_total_ = 0;
  std::size_t argument_total_ = 0;
  std::size_t arguments_so_far_ = 0;
  std::size_t line_total_ = 0;
  std::size_t sentences_ = 0;
  int parentheses_ = 0;
  int braces_ = 0;
  int brackets_ = 0;
  bool sentence_ended_ = false;
};

}  // namespace detail

/// Fills `out` for `tokens` (made from `instruction` by `tokenize` with the same catalog). Allocates nothing.
inline void write_features(std::string_view instruction, std::span<const tool> tools, const name_index& names,
                           const token_list& tokens, const vocabulary& words, token_features& out) noexcept {
  detail::feature_writer(instruction, tools, names, tokens, words, out).run();
}

}  // namespace v0_1
}  // namespace codemode
