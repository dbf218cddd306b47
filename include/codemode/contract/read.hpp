#pragma once

/// @file
/// Reading the contract's types from JSON. The document comes from `json::reader`; this header needs no parser.

#include <codemode/contract/open_value.hpp>
#include <codemode/contract/types.hpp>
#include <codemode/json/document.hpp>
#include <codemode/result.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace detail {

/// Reads one value after another; the first fault ends it.
class wire_reader {
 public:
  explicit wire_reader(whole_numbers whole) noexcept : whole_(whole) {}

  [[nodiscard]] const std::optional<diagnostic>& fault() const noexcept { return fault_; }

  template <wire_type T>
  void read(const json::element& e, T& to) {
    if (!e.is_object()) return refuse(e, "expected an object here");
    for (const json::member m : e.members()) {
      if (fault_) return;
      // The last one of repeated members counts; null is the zero value.
      std::apply([&](const auto&... member) { (read_member(m, member, to) || ...); }, T::wire_members());
    }
  }

 private:
  template <class T, class M>
  bool read_member(const json::member& m, const wire_member<T, M>& member, T& to) {
    if (!m.key.equals(member.name)) return false;
    name_ = member.name;
    M& value = to.*(member.at);
    value = M{};
    if (m.value.kind() != json::kind::null) read(m.value, value);
    return true;
  }

  void read(const json::element& e, std::string& to) {
    if (!e.is_string()) return refuse(e, "expected a string here");
    to.clear();
    e.decode(to);
  }
  void read(const json::element& e, bool& to) {
    if (e.kind() != json::kind::boolean) return refuse(e, "expected true or false here");
    to = e.is_true();
  }
  void read(const json::element& e, std::int64_t& to) {
    const std::string_view raw = e.raw();
    const auto r = std::from_chars(raw.data(), raw.data() + raw.size(), to);
    if (e.kind() != json::kind::number || r.ec != std::errc{} || r.ptr != raw.data() + raw.size())
      refuse(e, "expected a whole number of 64 bits here");
  }
  void read(const json::element& e, open_value& to) {
    auto value = open_value::from(e, whole_);
    if (value) to = std::move(*value);
    else fault_ = value.error();
  }
  void read(const json::element& e, open_object& to) {
    if (!e.is_object()) return refuse(e, "expected an object here");
    open_value value;
    read(e, value);
    to = open_object{std::move(value)};
  }
  template <class T>
  void read(const json::element& e, std::optional<T>& to) {
    read(e, to.emplace());
  }
  template <class T>
  void read(const json::element& e, std::vector<T>& to) {
    if (!e.is_array()) return refuse(e, "expected an array here");
    to.reserve(e.size());
    for (const json::element item : e.items()) {
      if (fault_) return;
      T& value = to.emplace_back();
      if (item.kind() != json::kind::null) read(item, value);
    }
  }

  void refuse(const json::element& e, std::string_view what) noexcept {
    diagnostic d;
    d.code = errc::invalid_json;
    d.argument = name_;
    d.found = e.raw();
    d.begin = e.begin_offset();
    d.end = e.end_offset();
    d.what = what;
    fault_ = d;
  }

  whole_numbers whole_;
  std::string_view name_{};
  std::optional<diagnostic> fault_{};
};

}  // namespace detail

/// Reads a value of the contract. Members that the type does not have are passed over, missing ones and nulls
/// are the zero value, of repeated ones the last counts. `invalid_json` where a member has another kind than
/// the contract's; `argument` names it, the range is that of the document.
template <wire_type T>
[[nodiscard]] result<T> read(const json::element& e, whole_numbers whole = whole_numbers::exact) {
  detail::wire_reader reader(whole);
  T value;
  reader.read(e, value);
  if (reader.fault()) return *reader.fault();
  return value;
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
