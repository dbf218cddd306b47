#pragma once

/// @file
/// Writing the contract's types as JSON, byte for byte as contract.md 1.1 has it. No allocation.

#include <codemode/contract/open_value.hpp>
#include <codemode/contract/types.hpp>
#include <codemode/contract/wire_text.hpp>
#include <codemode/result.hpp>
#include <codemode/text/sink.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// Appends `value` as compact JSON.
template <wire_type T, text_sink S>
constexpr void write_json(const T& value, S& sink);

namespace detail {

[[nodiscard]] inline bool is_omitted(const std::string& s) noexcept { return s.empty(); }
[[nodiscard]] constexpr bool is_omitted(bool b) noexcept { return !b; }
[[nodiscard]] constexpr bool is_omitted(std::int64_t n) noexcept { return n == 0; }
[[nodiscard]] inline bool is_omitted(const open_value& v) noexcept { return v.absent() || v.cursor().is_null(); }
[[nodiscard]] inline bool is_omitted(const open_object& o) noexcept { return o.empty(); }
template <class T>
[[nodiscard]] bool is_omitted(const std::vector<T>& v) noexcept {
  return v.empty();
}
template <class T>
[[nodiscard]] bool is_omitted(const std::optional<T>& o) noexcept {
  return !o.has_value();
}

template <text_sink S>
void write_value(const std::string& s, S& sink) {
  append_wire_string(sink, s);
}
template <text_sink S>
void write_value(bool b, S& sink) {
  sink.append(b ? std::string_view{"true"} : std::string_view{"false"});
}
template <text_sink S>
void write_value(std::int64_t n, S& sink) {
  char digits[24];
  const auto r = std::to_chars(digits, digits + sizeof digits, n);
  sink.append(std::string_view{digits, static_cast<std::size_t>(r.ptr - digits)});
}
template <text_sink S>
void write_value(const open_value& v, S& sink) {
  sink.append(v.absent() ? std::string_view{"null"} : v.text());
}
template <text_sink S>
void write_value(const open_object& o, S& sink) {
  write_value(o.value(), sink);
}
template <wire_type T, text_sink S>
void write_value(const T& value, S& sink) {
  write_json(value, sink);
}
template <class T, text_sink S>
void write_value(const std::vector<T>& items, S& sink) {
  sink.append(std::string_view{"["});
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i != 0) sink.append(std::string_view{","});
    write_value(items[i], sink);
  }
  sink.append(std::string_view{"]"});
}
template <class T, text_sink S>
void write_value(const std::optional<T>& o, S& sink) {
  if (o) write_value(*o, sink);
  else sink.append(std::string_view{"null"});
}

}  // namespace detail

template <wire_type T, text_sink S>
constexpr void write_json(const T& value, S& sink) {
  bool first = true;
  const auto write = [&](const auto& member) {
    const auto& v = value.*(member.at);
    if (member.rule == omit::empty && detail::is_omitted(v)) return;
    sink.append(first ? std::string_view{"{\""} : std::string_view{",\""});
    first = false;
    sink.append(member.name);
    sink.append(std::string_view{"\":"});
    detail::write_value(v, sink);
  };
  std::apply([&](const auto&... member) { (write(member), ...); }, T::wire_members());
  sink.append(first ? std::string_view{"{}"} : std::string_view{"}"});
}

/// Appends `value` as indented JSON with a line feed at the end (format `json`).
template <wire_type T, text_sink S>
constexpr void write_indented_json(const T& value, S& sink) {
  indenting_sink<S> indented(sink);
  write_json(value, indented);
  indented.finish();
}

/// Compact JSON in a caller's buffer, to which the answer points; `buffer_too_small` with the size needed.
template <wire_type T>
[[nodiscard]] result<std::string_view> write_json(const T& value, std::span<char> buffer) {
  buffer_sink sink(buffer);
  write_json(value, sink);
  return sink.finish();
}

/// Bytes of the compact JSON.
template <wire_type T>
[[nodiscard]] std::size_t json_size(const T& value) {
  counting_sink sink;
  write_json(value, sink);
  return sink.size();
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
