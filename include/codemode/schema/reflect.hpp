#pragma once

/// @file
/// Plain C++ types as schemas, and values of them from JSON and back. Structs and enums are registered once, by a
/// specialization; everything made of them is known.
///
///     struct get_weather { std::string city; std::optional<int> days; };
///     template <> struct codemode::schema::record_of<get_weather> {
///       static constexpr std::string_view name = "get_weather";
///       static constexpr auto fields = std::tuple{
///           field("city", &get_weather::city, "Name of the city"),
///           field("days", &get_weather::days, "Days ahead", {.minimum = 1, .maximum = 7})};
///     };
///     auto tree = codemode::schema::of<get_weather>();

#include <codemode/json/value.hpp>
#include <codemode/schema/builder.hpp>
#include <codemode/schema/keyword.hpp>
#include <codemode/schema/wire.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// What a field says beside its type. Absent members say nothing.
struct constraints {
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  std::optional<double> multiple_of{};
  std::optional<std::uint32_t> min_length{};
  std::optional<std::uint32_t> max_length{};
  std::optional<std::uint32_t> min_items{};
  std::optional<std::uint32_t> max_items{};
  std::string_view pattern{};
  std::string_view format{};
  std::string_view default_json{};  ///< as JSON text; makes the field optional
};

/// A registered field.
template <class C, class M>
struct field_of {
  std::string_view name;
  M C::*member;
  std::string_view description{};
  constraints limits{};
};
template <class C, class M>
[[nodiscard]] constexpr field_of<C, M> field(std::string_view name, M C::*member, std::string_view description = {},
                                             constraints limits = {}) {
  return {name, member, description, limits};
}

/// To be specialized for a struct: `name`, `fields`, and a `description` if wished.
template <class T>
struct record_of;
/// To be specialized for an enum: `values`, an array of pairs of a name and a value.
template <class E>
struct enum_of;

template <class T>
concept registered_record = requires {
  record_of<T>::name;
  record_of<T>::fields;
};
template <class T>
concept registered_enum = std::is_enum_v<T> && requires { enum_of<T>::values; };

namespace detail {

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_unique : std::false_type {};
template <class T>
struct is_unique<std::unique_ptr<T>> : std::true_type {};
template <class T>
struct is_vector : std::false_type {};
template <class T, class A>
struct is_vector<std::vector<T, A>> : std::true_type {};
template <class T>
struct is_array : std::false_type {};
template <class T, std::size_t N>
struct is_array<std::array<T, N>> : std::true_type {};
template <class T>
struct is_tuple : std::false_type {};
template <class... T>
struct is_tuple<std::tuple<T...>> : std::true_type {};
template <class T>
struct is_variant : std::false_type {};
template <class... T>
struct is_variant<std::variant<T...>> : std::true_type {};
template <class T>
concept string_map = requires(T m) {
  typename T::mapped_type;
  requires std::same_as<typename T::key_type, std::string>;
  m.try_emplace(std::string{});
};
template <class>
inline constexpr bool unknown_type = false;

/// Collects the structs that a type is made of.
struct definition_list {
  struct known {
    std::string_view name;
    std::string json;
  };
  std::vector<known> all;
};

template <class T>
[[nodiscard]] shape shape_of(definition_list& defs);

template <class T>
[[nodiscard]] shape record_shape(definition_list& defs) {
  shape s = object();
  std::apply(
      [&](const auto&... f) {
        const auto add = [&](const auto& x) {
          using M = std::remove_cvref_t<decltype(std::declval<T&>().*(x.member))>;
          shape value = [&] {
            if constexpr (is_optional<M>::value) return shape_of<typename M::value_type>(defs);
            else return shape_of<M>(defs);
          }();
          const constraints& c = x.limits;
          if (c.minimum) value = std::move(value).minimum(*c.minimum);
          if (c.maximum) value = std::move(value).maximum(*c.maximum);
          if (c.multiple_of) value = std::move(value).multiple_of(*c.multiple_of);
          if (c.min_length) value = std::move(value).keyword("minLength", std::to_string(*c.min_length));
          if (c.max_length) value = std::move(value).keyword("maxLength", std::to_string(*c.max_length));
          if (c.min_items) value = std::move(value).keyword("minItems", std::to_string(*c.min_items));
          if (c.max_items) value = std::move(value).keyword("maxItems", std::to_string(*c.max_items));
          if (!c.pattern.empty()) value = std::move(value).pattern(c.pattern);
          if (!c.format.empty()) value = std::move(value).format(c.format);
          if (!x.description.empty()) value = std::move(value).describe(x.description);
          if (!c.default_json.empty()) value = std::move(value).default_json(c.default_json);
          constexpr bool absent = is_optional<M>::value || is_unique<M>::value;
          s = absent || !c.default_json.empty() ? std::move(s).optional(x.name, value) : std::move(s).required(x.name, value);
        };
        (add(f), ...);
      },
      record_of<T>::fields);
  if constexpr (requires { record_of<T>::description; }) s = std::move(s).describe(record_of<T>::description);
  return s;
}

/// Bounds of an integer type that is smaller than JSON's exact integers.
template <class T>
[[nodiscard]] shape integer_shape() {
  shape s = integer();
  if constexpr (std::is_unsigned_v<T>) s = std::move(s).minimum(0);
  else if constexpr (sizeof(T) < 4) s = std::move(s).minimum(static_cast<double>((std::numeric_limits<T>::min)()));
  if constexpr (sizeof(T) < 4) s = std::move(s).maximum(static_cast<double>((std::numeric_limits<T>::max)()));
  return s;
}

template <class T>
[[nodiscard]] shape shape_of(definition_list& defs) {
  if constexpr (std::same_as<T, bool>) {
    return boolean();
  } else if constexpr (std::integral<T>) {
    return integer_shape<T>();
  } else if constexpr (std::floating_point<T>) {
    return number();
  } else if constexpr (std::same_as<T, std::string>) {
    return string();
  } else if constexpr (registered_enum<T>) {
    std::string list = "[";
    for (const auto& [name, value] : enum_of<T>::values) {
      if (list.size() > 1) list += ',';
      text::append_json_string(list, name);
    }
    return shape::of_type("string").keyword("enum", list + "]");
  } else if constexpr (is_optional<T>::value) {
    return shape_of<typename T::value_type>(defs).nullable();
  } else if constexpr (is_unique<T>::value) {
    return shape_of<typename T::element_type>(defs);
  } else if constexpr (is_vector<T>::value) {
    return array(shape_of<typename T::value_type>(defs));
  } else if constexpr (is_array<T>::value) {
    constexpr auto n = static_cast<std::uint32_t>(std::tuple_size_v<T>);
    return array(shape_of<typename T::value_type>(defs)).items(n, n);
  } else if constexpr (is_tuple<T>::value) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return tuple({shape_of<std::tuple_element_t<I, T>>(defs)...});
    }(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (is_variant<T>::value) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return any_of({shape_of<std::variant_alternative_t<I, T>>(defs)...});
    }(std::make_index_sequence<std::variant_size_v<T>>{});
  } else if constexpr (string_map<T>) {
    return map(shape_of<typename T::mapped_type>(defs));
  } else if constexpr (registered_record<T>) {
    for (const definition_list::known& k : defs.all)
      if (k.name == record_of<T>::name) return ref(record_of<T>::name);
    const std::size_t at = defs.all.size();
    defs.all.push_back({record_of<T>::name, {}});  // its own fields may mean it
    std::string json = record_shape<T>(defs).json();
    defs.all[at].json = std::move(json);
    return ref(record_of<T>::name);
  } else {
    static_assert(unknown_type<T>, "register the type with record_of or enum_of");
  }
}

}  // namespace detail

/// The schema of a type as JSON text. A struct at the root stands there itself, others are definitions.
template <class T>
[[nodiscard]] std::string json_of_type() {
  detail::definition_list defs;
  const shape root = detail::shape_of<T>(defs);
  std::string out = root.json();
  if (defs.all.empty()) return out;
  out.pop_back();
  out += ",\"$defs\":{";
  bool first = true;
  for (const detail::definition_list::known& k : defs.all) {
    if (!first) out += ',';
    first = false;
    text::append_json_string(out, k.name);
    out += ':';
    out += k.json;
  }
  return out + "}}";
}

/// The tree of a type. For a registered type it never fails; a constraint of the wrong kind is refused like in JSON.
template <class T>
[[nodiscard]] result<tree, import_error> of() {
  return read_schema(json_of_type<T>());
}

/// Reads a value of a type from natural JSON. False where it does not fit; `out` is in some valid state then. What a
/// constraint says is not checked here: that is for the validator.
template <class T>
[[nodiscard]] bool from_json(const json::element& e, T& out) {
  if constexpr (std::same_as<T, bool>) {
    if (e.kind() != json::kind::boolean) return false;
    out = e.is_true();
    return true;
  } else if constexpr (std::integral<T>) {
    if (e.kind() != json::kind::number) return false;
    const std::string_view s = e.raw();
    const auto done = std::from_chars(s.data(), s.data() + s.size(), out);
    if (done.ec == std::errc{} && done.ptr == s.data() + s.size()) return true;
    const double x = json::to_double(s);  // 1e3 and 5.0 are whole as well
    if (!json::is_whole(x) || x < static_cast<double>((std::numeric_limits<T>::min)()) ||
        x >= std::ldexp(1.0, std::numeric_limits<T>::digits))
      return false;
    out = static_cast<T>(x);
    return true;
  } else if constexpr (std::floating_point<T>) {
    if (e.kind() != json::kind::number) return false;
    out = static_cast<T>(json::to_double(e.raw()));
    return true;
  } else if constexpr (std::same_as<T, std::string>) {
    if (!e.is_string()) return false;
    out.clear();
    e.decode(out);
    return true;
  } else if constexpr (registered_enum<T>) {
    if (!e.is_string()) return false;
    for (const auto& [name, value] : enum_of<T>::values)
      if (e.equals(name)) {
        out = value;
        return true;
      }
    return false;
  } else if constexpr (detail::is_optional<T>::value) {
    if (e.kind() == json::kind::null) {
      out.reset();
      return true;
    }
    return from_json(e, out.emplace());
  } else if constexpr (detail::is_unique<T>::value) {
    out = std::make_unique<typename T::element_type>();
    return from_json(e, *out);
  } else if constexpr (detail::is_vector<T>::value) {
    if (!e.is_array()) return false;
    out.clear();
    for (const json::element x : e.items()) {
      typename T::value_type item{};
      if (!from_json(x, item)) return false;
      out.push_back(std::move(item));
    }
    return true;
  } else if constexpr (detail::is_array<T>::value) {
    if (!e.is_array() || e.size() != out.size()) return false;
    auto i = out.begin();
    for (const json::element x : e.items())
      if (!from_json(x, *i++)) return false;
    return true;
  } else if constexpr (detail::is_tuple<T>::value) {
    if (!e.is_array() || e.size() != std::tuple_size_v<T>) return false;
    auto item = e.items().begin();
    return std::apply([&](auto&... part) { return (from_json(*item++, part) && ...); }, out);
  } else if constexpr (detail::is_variant<T>::value) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto attempt = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        std::variant_alternative_t<K, T> value{};
        if (!from_json(e, value)) return false;
        out.template emplace<K>(std::move(value));
        return true;
      };
      return (attempt(std::integral_constant<std::size_t, I>{}) || ...);
    }(std::make_index_sequence<std::variant_size_v<T>>{});
  } else if constexpr (detail::string_map<T>) {
    if (!e.is_object()) return false;
    out.clear();
    for (const json::member m : e.members()) {
      std::string key;
      m.key.decode(key);
      if (!from_json(m.value, out[key])) return false;
    }
    return true;
  } else if constexpr (registered_record<T>) {
    if (!e.is_object()) return false;
    return std::apply(
        [&](const auto&... f) {
          const auto read = [&](const auto& x) {
            using M = std::remove_cvref_t<decltype(out.*(x.member))>;
            const auto value = e.find(x.name);
            if (value) return from_json(*value, out.*(x.member));
            // An absent field keeps what the struct says.
            return detail::is_optional<M>::value || detail::is_unique<M>::value || !x.limits.default_json.empty();
          };
          return (read(f) && ...);
        },
        record_of<T>::fields);
  } else {
    static_assert(detail::unknown_type<T>, "register the type with record_of or enum_of");
    return false;
  }
}

/// Appends a value of a type as natural JSON. Absent optional fields are left out.
template <class T, text_sink S>
void to_json(const T& value, S& sink) {
  const auto put = [&sink](std::string_view s) { sink.append(s); };
  if constexpr (std::same_as<T, bool>) {
    put(value ? "true" : "false");
  } else if constexpr (std::integral<T>) {
    char digits[24];
    const auto done = std::to_chars(digits, digits + sizeof digits, value);
    put({digits, static_cast<std::size_t>(done.ptr - digits)});
  } else if constexpr (std::floating_point<T>) {
    const double x = static_cast<double>(value);
    if (!std::isfinite(x)) return put("null");
    const text::number_text t = text::format_number(x);
    put(t.view());
  } else if constexpr (std::same_as<T, std::string>) {
    text::append_json_string(sink, value);
  } else if constexpr (registered_enum<T>) {
    for (const auto& [name, v] : enum_of<T>::values)
      if (v == value) return text::append_json_string(sink, name);
    put("null");
  } else if constexpr (detail::is_optional<T>::value || detail::is_unique<T>::value) {
    if (value) to_json(*value, sink);
    else put("null");
  } else if constexpr (detail::is_vector<T>::value || detail::is_array<T>::value) {
    put("[");
    bool first = true;
    for (const auto& x : value) {
      if (!first) put(",");
      first = false;
      to_json(x, sink);
    }
    put("]");
  } else if constexpr (detail::is_tuple<T>::value) {
    put("[");
    bool first = true;
    std::apply(
        [&](const auto&... part) {
          const auto one = [&](const auto& x) {
            if (!first) put(",");
            first = false;
            to_json(x, sink);
          };
          (one(part), ...);
        },
        value);
    put("]");
  } else if constexpr (detail::is_variant<T>::value) {
    std::visit([&](const auto& x) { to_json(x, sink); }, value);
  } else if constexpr (detail::string_map<T>) {
    put("{");
    bool first = true;
    for (const auto& [key, x] : value) {
      if (!first) put(",");
      first = false;
      text::append_json_string(sink, key);
      put(":");
      to_json(x, sink);
    }
    put("}");
  } else if constexpr (registered_record<T>) {
    put("{");
    bool first = true;
    std::apply(
        [&](const auto&... f) {
          const auto one = [&](const auto& x) {
            const auto& member = value.*(x.member);
            using M = std::remove_cvref_t<decltype(member)>;
            if constexpr (detail::is_optional<M>::value || detail::is_unique<M>::value)
              if (!member) return;
            if (!first) put(",");
            first = false;
            text::append_json_string(sink, x.name);
            put(":");
            to_json(member, sink);
          };
          (one(f), ...);
        },
        record_of<T>::fields);
    put("}");
  } else {
    static_assert(detail::unknown_type<T>, "register the type with record_of or enum_of");
  }
}

/// Why an answer is no value of a type.
struct decode_error {
  diagnostic json{};                      ///< the text is no JSON: `json.what` is not empty
  std::vector<violation> violations{};    ///< the schema refuses it
};

/// A model's answer, in the spelling of the dialect that its schema was sent in, as a value of a type.
template <class T>
[[nodiscard]] result<T, decode_error> decode(std::string_view answer, const descriptor& d, use purpose = use::tool) {
  decode_error error;
  json::reader reader;
  const auto document = reader.read(answer);
  if (!document) {
    error.json = document.error();
    return error;
  }
  const auto tree = of<T>();
  if (!tree) {
    error.violations.emplace_back().expected = std::string{tree.error().what};
    return error;
  }
  wire_decoder decoder;
  decoder.start(*tree, d, purpose);
  const json::element value = decoder.decode(document->root());
  error.violations = decoder.violations(value);
  if (!error.violations.empty()) return error;
  T out{};
  if (from_json(value, out)) return out;
  // What the schema lets pass and the type does not hold: a number out of range.
  error.violations.emplace_back().expected = "a value that fits the program's type";
  return error;
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
