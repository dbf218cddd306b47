#pragma once

/// @file
/// Secrets of servers: what a configuration may show, what is masked in messages and results, and what kind of
/// secret a value looks like (contract.md, 2.7, 2.12.10 and 2.12.13).

#include <codemode/contract/open_value.hpp>
#include <codemode/contract/wire_text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// Stands for what is not shown.
inline constexpr std::string_view mask = "****";
/// Values shorter than this are never masked: they would mangle texts that have nothing to do with them.
inline constexpr std::size_t least_secret_bytes = 4;

using named_values = std::vector<std::pair<std::string, std::string>>;

namespace detail {

[[nodiscard]] constexpr bool is_ascii_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] constexpr bool is_ascii_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
[[nodiscard]] constexpr char ascii_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

/// Bytes of the reference `{env:NAME}` at the start of `s`, or 0.
[[nodiscard]] constexpr std::size_t reference_size(std::string_view s) noexcept {
  constexpr std::string_view opening = "{env:";
  if (!s.starts_with(opening)) return 0;
  std::size_t i = opening.size();
  if (i >= s.size() || !(is_ascii_letter(s[i]) || s[i] == '_')) return 0;
  while (i < s.size() && (is_ascii_letter(s[i]) || is_ascii_digit(s[i]) || s[i] == '_')) ++i;
  return i < s.size() && s[i] == '}' ? i + 1 : 0;
}

[[nodiscard]] inline bool contains_no_case(std::string_view text, std::string_view lower) noexcept {
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(),
                     [](char a, char b) { return ascii_lower(a) == b; }) != text.end();
}

/// The password of a URL in `s` from `from` on: `://user:PASSWORD@`.
struct url_password {
  std::size_t begin = std::string_view::npos;
  std::size_t end = 0;
};
[[nodiscard]] inline url_password find_url_password(std::string_view s, std::size_t from) noexcept {
  for (std::size_t at = s.find("://", from); at != std::string_view::npos; at = s.find("://", at + 3)) {
    const std::size_t begin = at + 3;
    const std::size_t stop = (std::min)(s.find_first_of("/ \t\r\n\"<>", begin), s.size());
    const std::string_view authority = s.substr(begin, stop - begin);
    const std::size_t sign = authority.rfind('@');
    const std::size_t colon = authority.find(':');
    if (sign == std::string_view::npos || colon == std::string_view::npos || colon + 1 >= sign) continue;
    return {begin + colon + 1, begin + sign};
  }
  return {};
}

}  // namespace detail

/// Kind of secret that a raw value looks like, or empty: `github_token`, `github_fine_grained`, `secret_key`,
/// `aws_access_key`, `slack_token`, `gitlab_token`, `bearer`. References count as white space.
[[nodiscard]] inline std::string_view secret_kind(std::string_view value) {
  std::string rest;
  for (std::size_t i = 0; i < value.size();) {
    const std::size_t reference = detail::reference_size(value.substr(i));
    rest += reference > 0 ? ' ' : value[i];
    i += (std::max)(reference, std::size_t{1});
  }
  struct start {
    std::string_view text, kind;
  };
  constexpr start starts[]{{"ghp_", "github_token"},   {"gho_", "github_token"},  {"ghs_", "github_token"}, {"ghu_", "github_token"},
                           {"ghr_", "github_token"},   {"github_pat_", "github_fine_grained"}, {"sk-", "secret_key"},
                           {"AKIA", "aws_access_key"}, {"xoxb-", "slack_token"},  {"xoxp-", "slack_token"}, {"xoxa-", "slack_token"},
                           {"xoxs-", "slack_token"},   {"xoxe-", "slack_token"},  {"glpat-", "gitlab_token"}};
  const std::string_view s = rest;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (detail::is_blank(s[i]) || (i > 0 && !detail::is_blank(s[i - 1]))) continue;
    for (const start& known : starts)
      if (s.substr(i).starts_with(known.text)) return known.kind;
  }
  constexpr std::string_view bearer = "bearer";
  if (s.size() > bearer.size() && detail::contains_no_case(s.substr(0, bearer.size()), bearer) && detail::is_blank(s[bearer.size()]) &&
      s.find_first_not_of(" \t\r\n\v\f", bearer.size()) != std::string_view::npos)
    return "bearer";
  return {};
}

/// A header's or variable's value as it may be shown: references stay, with a scheme word before one (`Bearer
/// {env:T}`), everything else becomes `****`.
[[nodiscard]] inline std::string redacted(std::string_view value) {
  std::string out;
  std::size_t literal = 0;  // where text that is no reference begins
  std::size_t i = 0;
  const auto flush = [&](std::size_t end) {
    if (literal < end) out += mask;
  };
  // A scheme word at the very beginning, right before a reference.
  std::size_t word = 0;
  while (word < value.size() && detail::is_ascii_letter(value[word])) ++word;
  if (word > 0 && word < value.size() && value[word] == ' ' && detail::reference_size(value.substr(word + 1)) > 0) {
    out += value.substr(0, word + 1);
    i = literal = word + 1;
  }
  while (i < value.size()) {
    const std::size_t size = detail::reference_size(value.substr(i));
    if (size == 0) {
      ++i;
      continue;
    }
    flush(i);
    out += value.substr(i, size);
    i += size;
    literal = i;
  }
  flush(value.size());
  return out;
}

/// What is to be masked for one server, longest first.
class secret_list {
 public:
  secret_list() = default;
  /// Takes the resolved values of headers and variables: whole, without a scheme before them, and passwords of URLs
  /// in them. Values that hold a reference are not resolved and are passed over.
  secret_list(const named_values& headers, const named_values& environment) {
    for (const named_values* list : {&headers, &environment})
      for (const auto& [name, value] : *list) add(name, value);
    const auto longer = [](const secret& a, const secret& b) {
      return a.text.size() != b.text.size() ? a.text.size() > b.text.size() : a.text < b.text;
    };
    std::sort(secrets_.begin(), secrets_.end(), longer);
    // The same text may be a secret for one reason and not for another.
    for (std::size_t i = 1; i < secrets_.size();) {
      if (secrets_[i].text == secrets_[i - 1].text) {
        secrets_[i - 1].likely = secrets_[i - 1].likely || secrets_[i].likely;
        secrets_.erase(secrets_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }

  /// A message with every value and every password of a URL masked.
  [[nodiscard]] std::string masked(std::string_view message) const {
    std::string out;
    for (std::size_t i = 0; i < message.size();) {
      const secret* const s = find(message.substr(i), false, &secret::text);
      if (s != nullptr) {
        out += mask;
        i += s->text.size();
      } else {
        out += message[i++];
      }
    }
    for (auto at = detail::find_url_password(out, 0); at.begin != std::string_view::npos;
         at = detail::find_url_password(out, at.begin + mask.size()))
      if (std::string_view{out}.substr(at.begin, at.end - at.begin) != mask) out.replace(at.begin, at.end - at.begin, mask);
    return out;
  }

  /// A result with what looks like a secret masked in its strings and names; `places` tells how often. Data must
  /// survive, so that other values of the configuration are left alone.
  [[nodiscard]] open_value masked(const open_value& value, std::size_t& places) const {
    places = 0;
    if (std::none_of(secrets_.begin(), secrets_.end(), [](const secret& s) { return s.likely; })) return value;
    const std::string_view in = value.text();
    std::string out;
    bool in_string = false;
    for (std::size_t i = 0; i < in.size();) {
      if (!in_string) {
        in_string = in[i] == '"';
        out += in[i++];
        continue;
      }
      if (in[i] == '"') {
        in_string = false;
        out += in[i++];
        continue;
      }
      const secret* const s = find(in.substr(i), true, &secret::wire);
      if (s != nullptr) {
        out += mask;
        i += s->wire.size();
        ++places;
        continue;
      }
      const std::size_t size = in[i] != '\\' ? 1 : in.substr(i + 1, 1) == "u" ? 6 : 2;
      out += in.substr(i, size);
      i += size;
    }
    if (places == 0) return value;
    return open_value::trusted(sorted(json_cursor{out}, 0));
  }

 private:
  struct secret {
    std::string text{};
    std::string wire{};   // as it stands in a wire string
    bool likely = false;  // looks like a secret, not like a setting
  };

  void add(std::string_view name, std::string_view value) {
    if (value.empty() || value.find("{env:") != std::string_view::npos) return;
    add_part(name, value);
    // "Bearer abc", "Basic abc"
    std::size_t word = 0;
    while (word < value.size() && (detail::is_ascii_letter(value[word]) || (word > 0 && value[word] == '-'))) ++word;
    std::size_t rest = word;
    while (rest < value.size() && detail::is_blank(value[rest])) ++rest;
    if (word > 0 && rest > word && rest < value.size()) add_part(name, value.substr(rest));
    for (auto at = detail::find_url_password(value, 0); at.begin != std::string_view::npos; at = detail::find_url_password(value, at.end))
      add_part(name, value.substr(at.begin, at.end - at.begin), true);
  }

  void add_part(std::string_view name, std::string_view value, bool password = false) {
    if (value.size() < least_secret_bytes) return;
    secret s;
    s.text = value;
    append_wire_content(s.wire, value);
    s.likely = password || looks_secret(name, value);
    secrets_.push_back(std::move(s));
  }

  [[nodiscard]] static bool looks_secret(std::string_view name, std::string_view value) {
    if (!secret_kind(value).empty()) return true;
    for (const std::string_view word : {"authorization", "cookie", "key", "token", "secret", "pass"})
      if (detail::contains_no_case(name, word)) return true;
    return value.size() >= 12 && std::any_of(value.begin(), value.end(), detail::is_ascii_letter) &&
           std::any_of(value.begin(), value.end(), detail::is_ascii_digit);
  }

  [[nodiscard]] const secret* find(std::string_view at, bool likely, std::string secret::*form) const noexcept {
    for (const secret& s : secrets_)
      if ((!likely || s.likely) && at.starts_with(s.*form)) return &s;
    return nullptr;
  }

  /// Puts members in order again after names were masked; what is nested too deep stays as it is.
  [[nodiscard]] static std::string sorted(json_cursor c, int depth) {
    if (depth > 200 || !(c.is_object() || c.is_array())) return std::string(c.text());
    if (c.is_object()) {
      object_builder b;
      for (const json_member& m : c.members()) b.set(m.name.string(), open_value::trusted(sorted(m.value, depth + 1)));
      return std::string(b.finish().text());
    }
    std::string out = "[";
    for (const json_cursor item : c.items()) {
      if (out.size() > 1) out += ',';
      out += sorted(item, depth + 1);
    }
    return out + "]";
  }

  std::vector<secret> secrets_;
};

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
