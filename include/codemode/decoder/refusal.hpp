#pragma once

/// @file
/// The reason for a refusal: the one that best explains why no plan was good enough, with its place.

#include <codemode/catalog/tool.hpp>
#include <codemode/decoder/scores.hpp>
#include <codemode/decoder/search.hpp>
#include <codemode/frontend/token.hpp>
#include <codemode/result.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace detail {

/// Reasons that lie in the sentence and not in the catalog.
[[nodiscard]] constexpr bool is_semantic(errc c) noexcept {
  return c == errc::unsupported_dependency || c == errc::unsupported_condition || c == errc::unsupported_loop ||
         c == errc::unsupported_schedule || c == errc::unsupported_shaping || c == errc::ambiguous ||
         c == errc::no_call;
}

template <class Output>
class refusal_writer {
 public:
  refusal_writer(std::string_view text, std::span<const tool> tools, const token_list& tokens, const Output& net,
                 const search_workspace& w) noexcept
      : text_(text), tools_(tools), tokens_(tokens), net_(net), w_(w) {}

  [[nodiscard]] diagnostic run() const noexcept {
    const auto& f = w_.found;
    const auto& p = w_.scores.classes;
    std::size_t likeliest = 1;
    for (std::size_t c = 2; c < class_count; ++c)
      if (p[c] > p[likeliest]) likeliest = c;
    const bool search_failed = f.has_forbidden && (!f.allowed || f.forbidden.score > f.best.score);
    const float refusing = log_not(p[0]);             // of any reason in the sentence
    const float share = p[likeliest] - refusing;      // of this one among them
    if (search_failed) {
      const errc structural = f.forbidden.values.fault.code;
      // The sentence's own reason wins where the network is sure of it, or where it names the fault more exactly.
      const bool sure = p[likeliest] > std::log(is_semantic(class_codes[likeliest]) ? 0.4F : 0.6F);
      if (sure && class_codes[likeliest] != structural) return of_sentence(likeliest);
      return of_fault(f.forbidden.values.fault);
    }
    if (p[0] < std::log(0.9F) && share > std::log(0.3F)) return of_sentence(likeliest);
    if (f.has_forbidden && f.forbidden.score > f.best.score - 2.0F) return of_fault(f.forbidden.values.fault);
    if (p[0] < std::log(0.97F)) return of_sentence(likeliest);
    diagnostic d;
    d.code = f.allowed ? errc::low_confidence : errc::no_call;
    return d;
  }

 private:
  void place(diagnostic& d, std::size_t k) const noexcept {
    d.begin = tokens_[k].begin;
    d.end = tokens_[k].end;
    d.found = text_.substr(d.begin, d.end - d.begin);
  }

  [[nodiscard]] diagnostic of_sentence(std::size_t c) const noexcept {
    diagnostic d;
    d.code = class_codes[c];
    // A structural code of the network is best shown by the search's fault, where they agree.
    const auto& f = w_.found;
    if (f.has_forbidden && f.forbidden.values.fault.code == d.code) return of_fault(f.forbidden.values.fault);
    std::size_t most = 0;
    for (std::size_t k = 1; k < tokens_.count; ++k)
      if (net_.evidence(k, c) > net_.evidence(most, c)) most = k;
    if (tokens_.count > 0) place(d, most);
    return d;
  }

  [[nodiscard]] diagnostic of_fault(const fault& f) const noexcept {
    diagnostic d;
    d.code = f.code;
    if (f.tool < tools_.size()) {
      d.tool = tools_[f.tool].name;
      if (f.parameter < tools_[f.tool].parameters.size()) d.argument = tools_[f.tool].parameters[f.parameter].name;
    }
    if (f.token == no_token) return d;
    place(d, f.token);
    if (d.argument.empty() && (f.code == errc::unknown_argument || f.code == errc::missing_value))
      d.argument = d.found;
    // A value in curly or single quotes, or digits glued to letters, where a literal is wanted.
    if (f.code != errc::missing_value) return d;
    std::size_t k = f.token + 1U;
    if (k < tokens_.count && (text_[tokens_[k].begin] == '=' || text_[tokens_[k].begin] == ':')) ++k;
    if (k >= tokens_.count) return d;
    const auto next = text_.substr(tokens_[k].begin, tokens_[k].end - tokens_[k].begin);
    if (next == "\xE2\x80\x9C" || next == "\xE2\x80\x9D" || next == "\xE2\x80\x9E" || next == "\xC2\xAB") {
      d.code = errc::bad_string;
      place(d, k);
    } else if (tokens_[k].malformed_number && d.tool.size() != 0 &&
               tools_[f.tool].parameters[f.parameter].type == value_type::number) {
      d.code = errc::bad_number;
      place(d, k);
    }
    return d;
  }

  std::string_view text_;
  std::span<const tool> tools_;
  const token_list& tokens_;
  const Output& net_;
  const search_workspace& w_;
};

}  // namespace detail
}  // namespace v0_1
}  // namespace codemode
